/* SPDX-License-Identifier: Apache-2.0 */
/* The world of a run: what is answered, and what is written down of it; see
 * world.h. An answer is made when its call is started: its bytes as OpenAI's
 * protocol has them, and the moments at which they come. */
#include "ledger/ledger.h"
#include "base/base.h"

#include "golden/world.h"

#include <stdio.h>
#include <string.h>

enum { LATE_MS = 10 };

/* An answer while it is made. */
struct making {
    struct world *world;
    struct world_exchange *exchange;
    surety_str name; /* the model's */
    surety_str kind, text;
    surety_str finish, usage, beside;
    uint64_t at_ms;
    bool waits; /* the next moment has its time already */
    bool ends;  /* with an end mark */
    bool stalls;
    bool called; /* a piece of arguments came */
};

/* ---- bytes --------------------------------------------------------------- */

/* Text of the script as JSON. */
static void make_string(struct making *making, surety_str text)
{
    surety_buf plain;

    surety_buf_init(&plain, NULL, 0);
    golden_unescape(text, &plain);
    surety_json_string(&making->exchange->bytes, surety_buf_str(&plain));
    surety_buf_done(&plain);
}

static void make_usage(struct making *making)
{
    surety_buf *out = &making->exchange->bytes;
    surety_str words =
        making->usage.len ? making->usage : SURETY__LITERAL("10 5");
    const surety_str first = world_word(&words);

    if (surety_str_equal(first, SURETY__LITERAL("none")))
        return;
    surety_buf_text(out, ",\"usage\":{\"prompt_tokens\":");
    surety_buf_add(out, first);
    surety_buf_text(out, ",\"completion_tokens\":");
    surety_buf_add(out, world_word(&words));
    if (words.len) {
        surety_buf_text(out, ",\"prompt_tokens_details\":{\"cached_tokens\":");
        surety_buf_add(out, world_word(&words));
        surety_buf_text(
            out, "},\"completion_tokens_details\":{\"reasoning_tokens\":");
        surety_buf_add(out, words);
        surety_buf_byte(out, '}');
    }
    surety_buf_byte(out, '}');
}

/* What begins a body, or an event of a stream. */
static void make_head(struct making *making)
{
    surety_buf *out = &making->exchange->bytes;

    surety__buf_printf(out, "{\"id\":\"answer-%zu\",\"model\":\"",
                       making->world->calls);
    surety_buf_add(out, making->name);
    surety_buf_text(out, "-1\",\"choices\":[");
}

static void make_tool(struct making *making, surety_str text, bool whole)
{
    surety_buf *out = &making->exchange->bytes;

    surety_buf_text(out, "\"tool_calls\":[{");
    if (!whole)
        surety_buf_text(out, "\"index\":0,");
    if (!making->called)
        surety_buf_text(out, "\"id\":\"t\",\"type\":\"function\",");
    surety_buf_text(out, "\"function\":{");
    if (!making->called)
        surety_buf_text(out, "\"name\":\"reply\",");
    surety_buf_text(out, "\"arguments\":");
    make_string(making, text);
    surety_buf_text(out, "}}]");
    making->called = true;
}

/* The body of a whole reply. */
static void make_whole(struct making *making)
{
    surety_buf *out = &making->exchange->bytes;
    const bool calls = surety_str_equal(making->kind, SURETY__LITERAL("calls"));
    const bool refuses =
        surety_str_equal(making->kind, SURETY__LITERAL("refuses"));

    make_head(making);
    surety_buf_text(out, "{\"index\":0,\"message\":{\"role\":\"assistant\","
                         "\"content\":");
    if (calls && making->beside.len)
        make_string(making, making->beside);
    else if (calls || refuses)
        surety_buf_text(out, "null");
    else
        make_string(making, making->text);
    if (calls) {
        surety_buf_byte(out, ',');
        make_tool(making, making->text, true);
    } else if (refuses) {
        surety_buf_text(out, ",\"refusal\":");
        make_string(making, making->text);
    }
    surety_buf_text(out, "},\"finish_reason\":");
    make_string(making, making->finish);
    surety_buf_text(out, "}]");
    make_usage(making);
    surety_buf_byte(out, '}');
}

/* An event of a stream. mark: what kind of piece, as in the script. */
static void make_piece(struct making *making, char mark, surety_str text)
{
    surety_buf *out = &making->exchange->bytes;

    surety_buf_text(out, "data: ");
    make_head(making);
    surety_buf_text(out, "{\"index\":0,\"delta\":{");
    if (mark == '&') {
        make_tool(making, text, false);
    } else {
        surety_buf_text(out, mark == '~' ? "\"reasoning_content\":"
                                         : "\"content\":");
        make_string(making, text);
    }
    surety_buf_text(out, "},\"finish_reason\":null}]}\n\n");
}

static void make_end(struct making *making)
{
    surety_buf *out = &making->exchange->bytes;

    surety_buf_text(out, "data: ");
    make_head(making);
    surety_buf_text(out, "{\"index\":0,\"delta\":{},\"finish_reason\":");
    make_string(making, making->finish);
    surety_buf_text(out, "}]}\n\ndata: ");
    make_head(making);
    surety_buf_byte(out, ']');
    make_usage(making);
    surety_buf_text(out, "}\n\ndata: [DONE]\n\n");
}

/* ---- moments ------------------------------------------------------------- */

/* What is written from `from` on comes now. */
static void make_moment(struct making *making, enum world_kind kind,
                        size_t from)
{
    struct world_exchange *exchange = making->exchange;
    struct world_moment *moment = &exchange->moments[exchange->count];

    if (exchange->count == WORLD_MOMENTS)
        golden_die("too many pieces", making->world->golden->path);
    exchange->count++;
    moment->at_ms = making->at_ms;
    moment->kind = kind;
    moment->from = from;
    moment->len = exchange->bytes.len - from;
}

static void make_wait(struct making *making)
{
    making->at_ms += making->waits ? 0 : LATE_MS;
    making->waits = false;
}

/* A piece of a stream; the head comes with the first. */
static void make_streamed(struct making *making, char mark, surety_str text)
{
    const size_t from = making->exchange->bytes.len;

    make_wait(making);
    if (!making->exchange->count)
        make_moment(making, MOMENT_HEAD, from);
    make_piece(making, mark, text);
    make_moment(making, MOMENT_BYTES, from);
}

static void make_repeated(struct making *making, surety_str text)
{
    const uint64_t count = world_number(world_word(&text));
    surety_buf many;

    surety_buf_init(&many, NULL, 0);
    for (uint64_t i = 0; i < count; i++)
        surety_buf_add(&many, text);
    make_streamed(making, '+', surety_buf_str(&many));
    surety_buf_done(&many);
}

static surety_failure failure_of(surety_str name)
{
    int i = 0;

    while (i < SURETY_FAILURE_COUNT &&
           !surety_str_equal(
               name, surety_str_of(surety_failure_name((surety_failure)i))))
        i++;
    return (surety_failure)i;
}

static bool make_header(struct making *making, surety_str text)
{
    struct world_exchange *exchange = making->exchange;
    const size_t len = surety__str_find(text, SURETY__LITERAL(": "));

    if (exchange->header_count == WORLD_HEADERS || len == text.len)
        return false;
    exchange->headers[exchange->header_count++] =
        (surety_header){.name = {text.ptr, len},
                        .value = {text.ptr + len + 2, text.len - len - 2}};
    return true;
}

static bool make_breaks(struct making *making, surety_str text)
{
    surety_delivery *delivery = &making->exchange->delivery;

    delivery->failure = failure_of(world_word(&text));
    snprintf(delivery->message, sizeof(delivery->message), "%.*s",
             (int)text.len, text.ptr);
    making->ends = false;
    return delivery->failure < SURETY_FAILURE_COUNT;
}

/* A line below an answer's first. */
static bool make_line(struct making *making, surety_str text)
{
    const surety_str word = world_word(&text);
    const surety_str marks = SURETY__LITERAL("+&~");

    if (word.len == 1 && surety__str_find(marks, word) < marks.len)
        make_streamed(making, word.ptr[0], text);
    else if (surety_str_equal(word, SURETY__LITERAL("repeat")))
        make_repeated(making, text);
    else if (surety_str_equal(word, SURETY__LITERAL("finish")))
        making->finish = text;
    else if (surety_str_equal(word, SURETY__LITERAL("usage")))
        making->usage = text;
    else if (surety_str_equal(word, SURETY__LITERAL("beside")))
        making->beside = text;
    else if (surety_str_equal(word, SURETY__LITERAL("header")))
        return make_header(making, text);
    else if (surety_str_equal(word, SURETY__LITERAL("breaks")))
        return make_breaks(making, text);
    else if (surety_str_equal(word, SURETY__LITERAL("unsent")))
        making->exchange->delivery.sent = false;
    else if (surety_str_equal(word, SURETY__LITERAL("no-end")))
        making->ends = false;
    else if (surety_str_equal(word, SURETY__LITERAL("stalls")))
        making->stalls = true;
    else
        return false;
    return true;
}

/* Whether the line is a time; then it is taken. */
static bool make_time(struct making *making, surety_str text)
{
    if (!golden_take(&text, "wait "))
        return false;
    making->at_ms += world_number(text);
    making->waits = true;
    return true;
}

/* What comes behind the lines. */
static bool make_rest(struct making *making)
{
    struct world_exchange *exchange = making->exchange;
    const bool streams =
        surety_str_equal(making->kind, SURETY__LITERAL("streams"));
    const size_t from = exchange->bytes.len;

    make_wait(making);
    exchange->status = 200;
    if (streams && making->ends && !making->stalls)
        make_end(making);
    else if (surety_str_equal(making->kind, SURETY__LITERAL("status"))) {
        exchange->status = (int)world_number(world_word(&making->text));
        golden_unescape(making->text, &exchange->bytes);
    } else if (!streams && making->ends)
        make_whole(making);
    if (!exchange->count &&
        !surety_str_equal(making->kind, SURETY__LITERAL("nothing")))
        make_moment(making, MOMENT_HEAD, from);
    if (exchange->bytes.len > from)
        make_moment(making, MOMENT_BYTES, from);
    if (!making->stalls)
        make_moment(making, MOMENT_END, exchange->bytes.len);
    return true;
}

/* Takes the next answer off a script. */
static bool make_answer(struct making *making, surety_str *script)
{
    struct world_exchange *exchange = making->exchange;
    surety_buf *bytes = &exchange->bytes;
    bool good = true;
    surety_str line;

    surety_buf_reset(bytes);
    exchange->count = exchange->next = 0;
    exchange->header_count = 0;
    exchange->delivery = (surety_delivery){.sent = true};
    if (!golden_line(script, &line))
        line = SURETY__LITERAL("status 404 no answer is left in the script");
    making->kind = world_word(&line);
    making->text = line;
    making->finish = SURETY__LITERAL("stop");
    making->ends = true;
    while (script->len >= 2 && script->ptr[0] == ' ' && script->ptr[1] == ' ') {
        (void)golden_line(script, &line);
        (void)golden_take(&line, "  ");
        good = (make_time(making, line) || make_line(making, line)) && good;
    }
    return make_rest(making) && good;
}

/* ---- the transport ------------------------------------------------------- */

/* Text that may have lines. */
static void tell_lines(surety_buf *out, const char *name, surety_str text)
{
    surety_str line;

    surety__buf_printf(out, "  %s:\n", name);
    while (golden_line(&text, &line)) {
        surety_buf_text(out, "    | ");
        surety_buf_add(out, line);
        surety_buf_byte(out, '\n');
    }
}

static void tell_member(surety_buf *out, surety_val key, surety_val member)
{
    const surety_str name = surety_val_str(key);
    char named[80];

    snprintf(named, sizeof(named), "%.*s", (int)name.len, name.ptr);
    if (surety_val_is(key, "messages") || surety_val_is(key, "input")) {
        for (surety_val item = surety_val_first(member); item.doc;
             item = surety_val_next(member, item)) {
            const surety_str role =
                surety_val_str(surety_val_get(item, "role"));

            snprintf(named, sizeof(named), "%.*s", (int)role.len, role.ptr);
            tell_lines(out, named,
                       surety_val_str(surety_val_get(item, "content")));
        }
    } else if (surety_val_is(key, "system") ||
               surety_val_is(key, "instructions")) {
        tell_lines(out, named, surety_val_str(member));
    } else {
        surety__buf_printf(out, "  %s: ", named);
        (void)surety_val_write(member, SURETY_STYLE_COMPACT, out);
        surety_buf_byte(out, '\n');
    }
}

static void tell_request(struct world *world, surety_str name,
                         const surety_request *request)
{
    surety_doc *doc = surety_doc_new(NULL);
    surety_buf *out = &world->sent;

    surety__buf_printf(out, "call %zu at %zu ms: %.*s, %.*s %.*s\n",
                       world->calls, (size_t)world->now_ms, (int)name.len,
                       name.ptr, (int)request->method.len, request->method.ptr,
                       (int)request->url.len, request->url.ptr);
    if (world->body.len &&
        surety_str_equal(surety_buf_str(&world->body), request->body)) {
        surety_buf_text(out, "  the same\n");
    } else if (surety_doc_read(doc, request->body, NULL, NULL) == SURETY_OK) {
        const surety_val root = surety_doc_root(doc);

        for (surety_val member = surety_val_first(root); member.doc;
             member = surety_val_next(root, member))
            tell_member(out, surety_val_key(member), member);
    } else {
        tell_lines(out, "text", request->body);
    }
    surety_buf_reset(&world->body);
    surety_buf_add(&world->body, request->body);
    surety_doc_free(doc);
}

static surety_status lane_start(void *ctx, uint64_t id,
                                const surety_request *request,
                                const surety_receiver *receiver,
                                surety_error *reterr)
{
    const struct world_lane *lane = ctx;
    struct world *world = lane->world;
    const size_t at = (size_t)(lane - world->lanes);
    surety_str *script = world->scripts[at].len || at == WORLD_MODELS
                             ? &world->scripts[at]
                             : &world->scripts[WORLD_MODELS];
    struct making making = {
        .world = world, .name = world->models[at].name, .at_ms = world->now_ms};
    size_t i = 0;

    while (i < WORLD_EXCHANGES && world->exchanges[i].active)
        i++;
    if (i == WORLD_EXCHANGES)
        golden_die("too many exchanges", world->golden->path);
    world->calls++;
    tell_request(world, making.name, request);
    making.exchange = &world->exchanges[i];
    if (!make_answer(&making, script))
        golden_die("a line of the answers means nothing", world->golden->path);
    if (surety_str_equal(making.kind, SURETY__LITERAL("no-start")))
        return surety__fail(reterr, SURETY_MISUSE, "%.*s", (int)making.text.len,
                            making.text.ptr);
    making.exchange->active = true;
    making.exchange->id = id;
    making.exchange->receiver = *receiver;
    return SURETY_OK;
}

static void lane_cancel(void *ctx, uint64_t id)
{
    const struct world_lane *lane = ctx;
    struct world *world = lane->world;

    for (size_t i = 0; i < WORLD_EXCHANGES; i++) {
        struct world_exchange *exchange = &world->exchanges[i];
        const surety_delivery delivery = {.failure = SURETY_FAILURE_CANCELLED,
                                          .sent = true,
                                          .message = "stopped"};

        if (!exchange->active || exchange->id != id)
            continue;
        exchange->active = false;
        surety__buf_printf(&world->events, "%zu ms: a call is stopped\n",
                           (size_t)world->now_ms);
        exchange->receiver.end(exchange->receiver.ctx, &delivery);
    }
}

static surety_status lane_wait(void *ctx, uint32_t timeout_ms,
                               surety_error *reterr)
{
    (void)ctx;
    (void)timeout_ms;
    (void)reterr;
    return SURETY_OK;
}

static void lane_close(void *ctx)
{
    (void)ctx;
}

surety_transport world_transport(struct world_lane *lane)
{
    return (surety_transport){1,         lane,       lane_start, lane_cancel,
                              lane_wait, lane_close, NULL};
}

uint64_t world_next(const struct world *world)
{
    uint64_t next = UINT64_MAX;

    for (size_t i = 0; i < WORLD_EXCHANGES; i++) {
        const struct world_exchange *exchange = &world->exchanges[i];

        if (exchange->active && exchange->next < exchange->count &&
            exchange->moments[exchange->next].at_ms < next)
            next = exchange->moments[exchange->next].at_ms;
    }
    return next;
}

static void exchange_move(struct world_exchange *exchange)
{
    const struct world_moment *moment = &exchange->moments[exchange->next++];
    const surety_receiver *receiver = &exchange->receiver;
    const char *const first = exchange->bytes.ptr;
    const surety_str bytes = {first ? first + moment->from : NULL, moment->len};

    if (moment->kind == MOMENT_HEAD) {
        receiver->head(receiver->ctx, exchange->status, exchange->headers,
                       exchange->header_count);
    } else if (moment->kind == MOMENT_END ||
               !receiver->bytes(receiver->ctx, bytes)) {
        exchange->active = false;
        receiver->end(receiver->ctx, &exchange->delivery);
    }
}

void world_deliver(struct world *world)
{
    for (size_t i = 0; i < WORLD_EXCHANGES; i++) {
        struct world_exchange *exchange = &world->exchanges[i];

        while (exchange->active && exchange->next < exchange->count &&
               exchange->moments[exchange->next].at_ms <= world->now_ms)
            exchange_move(exchange);
    }
}

/* ---- the ledger ---------------------------------------------------------- */

static void row_number(surety_buf *out, const char *name, uint64_t number)
{
    if (number)
        surety__buf_printf(out, "    %s: %zu\n", name, (size_t)number);
}

static void row_flag(surety_buf *out, const char *name, bool flag)
{
    if (flag)
        surety__buf_printf(out, "    %s\n", name);
}

static void row_issues(surety_buf *out, const char *name,
                       const surety_entry_issue *issues, size_t count)
{
    for (size_t i = 0; i < count; i++)
        surety__buf_printf(out, "    %s: %.*s at \"%.*s\": %.*s\n", name,
                           (int)issues[i].kind.len, issues[i].kind.ptr,
                           (int)issues[i].path.len,
                           issues[i].path.len ? issues[i].path.ptr : "",
                           (int)issues[i].message.len,
                           issues[i].message.len ? issues[i].message.ptr : "");
}

static void row_begin(surety_buf *out, const surety_entry *entry)
{
    world_tell(out, "id", entry->id);
    world_tell(out, "run", entry->run);
    world_tell(out, "purpose", entry->purpose);
    world_tell(out, "contract", entry->contract);
    world_tell(out, "contract_version", entry->contract_version);
    world_tell(out, "provider", entry->provider);
    world_tell(out, "model", entry->model);
    world_tell(out, "mode", entry->mode);
    row_number(out, "started_ms", (uint64_t)entry->started_ms);
    world_tell(out, "prompt", entry->prompt);
}

static void row_spent(surety_buf *out, const surety_entry *entry)
{
    row_flag(out, "usage_known", entry->usage_known);
    row_number(out, "input_tokens", entry->input_tokens);
    row_number(out, "cached_input_tokens", entry->cached_input_tokens);
    row_number(out, "output_tokens", entry->output_tokens);
    row_number(out, "reasoning_tokens", entry->reasoning_tokens);
    row_flag(out, "cost_known", entry->cost_known);
    row_number(out, "cost_picousd", entry->cost_picousd);
    row_flag(out, "estimated", entry->estimated);
}

static void row_finish(surety_buf *out, const surety_entry *entry)
{
    world_tell(out, "state",
               surety_str_of(surety__entry_state_name(entry->state)));
    row_number(out, "first_byte_ms", (uint64_t)entry->first_byte_ms);
    row_number(out, "ended_ms", (uint64_t)entry->ended_ms);
    world_tell(out, "failure", entry->failure);
    row_number(out, "http_status", (uint64_t)entry->http_status);
    world_tell(out, "error_code", entry->error_code);
    world_tell(out, "error_message", entry->error_message);
    world_tell(out, "finish_reason", entry->finish_reason);
    world_tell(out, "request_id", entry->request_id);
    world_tell(out, "response_id", entry->response_id);
    row_flag(out, "ok", entry->ok);
    row_flag(out, "fallback", entry->fallback);
    row_flag(out, "partial", entry->partial);
    world_tell(out, "stage", entry->stage);
    row_issues(out, "error", entry->errors, entry->error_count);
    row_issues(out, "repair", entry->repairs, entry->repair_count);
    row_spent(out, entry);
    world_tell(out, "stopped", entry->stopped);
    row_number(out, "stopped_bytes", entry->stopped_bytes);
    row_flag(out, "saved_known", entry->saved_known);
    row_number(out, "saved_tokens", entry->saved_tokens);
    world_tell(out, "decision", entry->decision);
    world_tell(out, "reply", entry->reply);
}

static surety_status row_fails(surety_error *reterr)
{
    (void)surety__fail(reterr, SURETY_IO, "disk full");
    surety__hint(reterr, "make room");
    return SURETY_IO;
}

static surety_status row_takes_begin(void *ctx, const surety_entry *entry,
                                     surety_error *reterr)
{
    struct world *world = ctx;

    surety__buf_printf(&world->rows, "begin %u at %zu ms\n",
                       (unsigned)entry->number, (size_t)world->now_ms);
    row_begin(&world->rows, entry);
    return ++world->begun == world->begin_fails ? row_fails(reterr) : SURETY_OK;
}

static surety_status row_takes_finish(void *ctx, const surety_entry *entry,
                                      surety_error *reterr)
{
    struct world *world = ctx;

    surety__buf_printf(&world->rows, "finish %u at %zu ms\n",
                       (unsigned)entry->number, (size_t)world->now_ms);
    row_finish(&world->rows, entry);
    return ++world->finished == world->finish_fails ? row_fails(reterr)
                                                    : SURETY_OK;
}

surety_ledger world_ledger(struct world *world)
{
    return (surety_ledger){.version = 1,
                           .ctx = world,
                           .begin = row_takes_begin,
                           .finish = row_takes_finish};
}

/* ---- what is heard ------------------------------------------------------- */

void world_hear(void *ctx, const surety_event *event)
{
    static const char *const kinds[] = {"attempt", "text", "reasoning",
                                        "decision"};
    struct world *world = ctx;

    surety__buf_printf(&world->events,
                       "%zu ms: %s of %u: ", (size_t)world->now_ms,
                       kinds[event->kind], (unsigned)event->attempt);
    for (size_t i = 0; i < event->text.len; i++)
        if (event->text.ptr[i] == '\n')
            surety_buf_text(&world->events, "\\n");
        else
            surety_buf_byte(&world->events, event->text.ptr[i]);
    surety_buf_byte(&world->events, '\n');
}
