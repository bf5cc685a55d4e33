/* SPDX-License-Identifier: Apache-2.0 */
/* What providers are told and what they answer, compared with case files.
 *
 *     provider_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case: sections that begin with a line "=== KIND" and go
 * on to the next. Of a call:
 *
 *     === base       a JSON object: what the calls below have if they do not
 * say
 *     === call       a JSON object: the call and its model, see call_read
 *     === request    the URL, the headers, an empty line, the body; or the
 *                    error
 *
 * Of a response:
 *
 *     === response   PROTOCOL MODE STATUS, where the call had tools of its own
 *                    " tools", then a header a line
 *     === delivery   FAILURE and a message; left out: none
 *     === body       its bytes, with the last line end
 *     === answer     a line each: what is not its default; texts as JSON
 *
 * A case may have several, one below the other.
 *
 * Each response is also fed cut in two at every byte and a byte at a time,
 * which must not change the answer; a stream with CRLF and CR for its line
 * ends too. And each is cut off at every byte: what then lacks the end mark,
 * which is looked for here by other means, may not be taken for whole. With
 * --update the sections that are expected are written anew, for a person to
 * review. */
#include "provider/provider.h"

#include "golden/cases.h"

#include <stdio.h>

enum { HEADERS_MAX = 8, MESSAGES_MAX = 12, PARTS_MAX = 24, TOOLS_MAX = 4 };

struct response {
    surety_protocol protocol;
    surety_mode mode;
    int status;
    surety_header headers[HEADERS_MAX];
    size_t header_count;
    surety_delivery delivery;
    surety_str body;
    bool stream;
    bool tools; /* the call had others than the answer's, which is `answer` */
};

static size_t checks; /* how many answers were compared */

/* ---- calls --------------------------------------------------------------- */

static surety_protocol protocol_named(surety_str name)
{
    for (int i = SURETY_PROTOCOL_OPENAI; i <= SURETY_PROTOCOL_TEXT; i++)
        if (surety_str_equal(
                name, surety_str_of(surety_protocol_name((surety_protocol)i))))
            return (surety_protocol)i;
    golden_die("no such protocol", name.ptr);
    return SURETY_PROTOCOL_TEXT;
}

static surety_mode mode_named(surety_str name)
{
    for (int i = SURETY_MODE_AUTO; i <= SURETY_MODE_PROMPT; i++)
        if (surety_str_equal(name,
                             surety_str_of(surety_mode_name((surety_mode)i))))
            return (surety_mode)i;
    golden_die("no such mode", name.ptr);
    return SURETY_MODE_AUTO;
}

/* A call, and what it has where it does not say. */
struct said {
    surety_val call, base;
};

static surety_val said_get(const struct said *said, const char *name)
{
    const surety_val own = surety_val_get(said->call, name);

    return own.doc ? own : surety_val_get(said->base, name);
}

static surety_str said_str(const struct said *said, const char *name)
{
    return surety_val_str(said_get(said, name));
}

static void model_read(const struct said *said, surety_model *model,
                       surety_header *headers)
{
    const surety_val list = said_get(said, "headers");

    model->size = sizeof(*model);
    model->protocol = protocol_named(said_str(said, "protocol"));
    model->base_url = said_str(said, "base_url");
    model->model = said_str(said, "model");
    model->key = said_str(said, "key");
    model->whole = surety_val_bool(said_get(said, "whole"), false);
    model->has_temperature = said_get(said, "temperature").doc != NULL;
    model->temperature = surety_val_real(said_get(said, "temperature"), 0);
    model->output_tokens_max =
        (uint32_t)surety_val_uint(said_get(said, "max"), 0);
    model->extra = said_get(said, "extra");
    model->headers = headers;
    for (surety_val item = surety_val_first(list);
         item.doc && model->header_count < HEADERS_MAX;
         item = surety_val_next(list, item))
        headers[model->header_count++] =
            (surety_header){surety_val_str(surety_val_item(item, 0)),
                            surety_val_str(surety_val_item(item, 1)),
                            surety_val_count(item) > 2};
}

static void write_request(const surety_request *request, surety_buf *out)
{
    surety_buf_add(out, request->method);
    surety_buf_byte(out, ' ');
    surety_buf_add(out, request->url);
    surety_buf_byte(out, '\n');
    for (size_t i = 0; i < request->header_count; i++) {
        surety_buf_add(out, request->headers[i].name);
        surety_buf_text(out, ": ");
        surety_buf_add(out, request->headers[i].value);
        surety_buf_text(out, request->headers[i].secret ? " (secret)\n" : "\n");
    }
    surety_buf_byte(out, '\n');
    surety_buf_add(out, request->body);
    surety_buf_byte(out, '\n');
}

/* What a call points to. */
struct call_parts {
    surety__message messages[MESSAGES_MAX];
    surety_part parts[PARTS_MAX];
    size_t part_count;
    surety__tool_spec tools[TOOLS_MAX];
    surety_buf texts[PARTS_MAX + TOOLS_MAX]; /* JSON of values */
    size_t text_count;
};

static surety_str val_json(struct call_parts *all, surety_val val)
{
    surety_buf *buf = &all->texts[all->text_count];

    if (!val.doc || all->text_count == PARTS_MAX + TOOLS_MAX)
        return (surety_str){"", 0};
    all->text_count++;
    surety_buf_init(buf, NULL, 0);
    surety_val_write(val, SURETY_STYLE_COMPACT, buf);
    return surety_buf_str(buf);
}

static void part_read(struct call_parts *all, surety_val val)
{
    surety_part *part = &all->parts[all->part_count];
    const struct said said = {val, surety_val_none()};

    if (all->part_count == PARTS_MAX)
        golden_die("too many parts", "");
    all->part_count++;
    *part = (surety_part){
        .text = said_str(&said, "text"),
        .media_type = said_str(&said, "media_type"),
        .data = said_str(&said, "data"),
        .url = said_str(&said, "url"),
        .file_id = said_str(&said, "file_id"),
        .name = said_str(&said, "name"),
        .id = said_str(&said, "id"),
        .error = surety_val_bool(said_get(&said, "error"), false),
        .cache = surety_val_bool(said_get(&said, "cache"), false)};
    while (!surety_val_is(surety_val_get(val, "kind"),
                          surety_part_kind_name(part->kind)))
        if (part->kind++ == SURETY_PART_REASONING)
            golden_die("no such kind of part", "");
    part->raw = val_json(all, surety_val_get(val, "raw"));
    if (surety_val_get(val, "protocol").doc)
        part->raw_protocol = protocol_named(said_str(&said, "protocol"));
}

/* A message is its role, and then its parts, its own text or both. */
static void message_read(struct call_parts *all, surety_val val,
                         surety__message *message)
{
    const size_t first = all->part_count;

    message->role = SURETY_ROLE_SYSTEM;
    while (!surety_val_is(surety_val_item(val, 0),
                          surety_role_name(message->role)))
        if (message->role++ == SURETY_ROLE_TOOL)
            golden_die("no such role", "");
    SURETY_EACH (item, val) {
        SURETY_EACH (part, item)
            part_read(all, part);
        message->text = surety_val_str(item);
    }
    if (surety_val_count(val) == 2 && all->part_count > first)
        message->text = (surety_str){"", 0};
    message->parts = &all->parts[first];
    message->part_count = all->part_count - first;
}

static void tools_read(struct call_parts *all, const struct said *said,
                       surety__call *call)
{
    call->tools = all->tools;
    call->answer_only = surety_val_bool(said_get(said, "answer_only"), false);
    SURETY_EACH (tool, said_get(said, "tools")) {
        const struct said one = {tool, surety_val_none()};

        if (call->tool_count == TOOLS_MAX)
            golden_die("too many tools", "");
        all->tools[call->tool_count++] = (surety__tool_spec){
            .name = said_str(&one, "name"),
            .description = said_str(&one, "description"),
            .parameters = val_json(all, surety_val_get(tool, "parameters")),
            .strict = surety_val_bool(surety_val_get(tool, "strict"), false)};
    }
}

/* The call is the object's members, named as those of surety_model and
 * surety__call; headers are lists of pairs. */
static void write_call(surety_str base, surety_str text, surety_buf *out)
{
    surety_doc *docs[2] = {surety_doc_new(NULL), surety_doc_new(NULL)};
    surety_model model = {0};
    surety_header headers[HEADERS_MAX];
    struct call_parts all = {.part_count = 0};
    surety__call call = {.model = &model, .messages = all.messages};
    surety_request request;
    surety__arena arena;
    surety_error err;
    struct said said;
    surety_val list;
    surety_buf schema, body;

    surety_buf_init(&schema, NULL, 0);
    surety_buf_init(&body, NULL, 0);
    surety__arena_init(&arena, NULL, 0);
    if (surety_doc_read(docs[0], text, NULL, &err) ||
        surety_doc_read(docs[1], base.len ? base : SURETY__LITERAL("{}"), NULL,
                        &err))
        golden_die("a call is no JSON", err.message);
    said = (struct said){surety_doc_root(docs[0]), surety_doc_root(docs[1])};
    model_read(&said, &model, headers);
    call.mode = mode_named(said_str(&said, "mode"));
    call.system = said_str(&said, "system");
    if (said_get(&said, "schema").doc)
        surety_val_write(said_get(&said, "schema"), SURETY_STYLE_COMPACT,
                         &schema);
    call.schema = surety_buf_str(&schema);
    call.schema_name = said_str(&said, "name");
    call.schema_description = said_str(&said, "description");
    call.strict = surety_val_bool(said_get(&said, "strict"), false);
    list = said_get(&said, "messages");
    for (surety_val item = surety_val_first(list);
         item.doc && call.message_count < MESSAGES_MAX;
         item = surety_val_next(list, item))
        message_read(&all, item, &all.messages[call.message_count++]);
    tools_read(&all, &said, &call);
    if (surety__call_encode(&call, &arena, &body, &request, &err))
        surety__buf_printf(out, "%s: %s%s%s\n", surety_status_name(err.status),
                           err.message, err.hint[0] ? "; " : "", err.hint);
    else
        write_request(&request, out);
    surety__arena_done(&arena);
    while (all.text_count)
        surety_buf_done(&all.texts[--all.text_count]);
    surety_buf_done(&schema);
    surety_buf_done(&body);
    surety_doc_free(docs[0]);
    surety_doc_free(docs[1]);
}

/* ---- responses ----------------------------------------------------------- */

/* The body of the last section of a kind before one; not of another answer's.
 */
static surety_str body_before(const struct golden *golden,
                              const struct golden_section *section,
                              const char *kind)
{
    while (section-- > golden->sections && !golden_is(section, "answer"))
        if (golden_is(section, kind))
            return section->body;
    return (surety_str){"", 0};
}

static void response_read(const struct golden *golden,
                          const struct golden_section *answer,
                          struct response *response)
{
    surety_str lines = body_before(golden, answer, "response");
    surety_str delivery = body_before(golden, answer, "delivery");
    surety_str line = {"", 0};
    char protocol[32] = "", mode[32] = "", first[128] = "";

    *response = (struct response){.body = body_before(golden, answer, "body")};
    response->body.len += response->body.len > 0;
    if (!golden_line(&lines, &line) || line.len >= sizeof(first))
        golden_die("a response says nothing", "");
    memcpy(first, line.ptr, line.len);
    if (sscanf(first, "%31s %31s %d", protocol, mode, &response->status) != 3)
        golden_die("a response needs PROTOCOL MODE STATUS", first);
    response->tools = strstr(first, " tools") != NULL;
    response->protocol = protocol_named(surety_str_of(protocol));
    response->mode = mode_named(surety_str_of(mode));
    while (golden_line(&lines, &line) && response->header_count < HEADERS_MAX) {
        const size_t colon = surety__str_find(line, SURETY__LITERAL(": "));

        if (colon == line.len)
            golden_die("no header", line.ptr);
        response->headers[response->header_count++] =
            (surety_header){{line.ptr, colon},
                            {line.ptr + colon + 2, line.len - colon - 2},
                            false};
    }
    response->stream =
        surety__str_find(response->body, SURETY__LITERAL("data:")) <
        surety__str_find(response->body, SURETY__LITERAL("{"));
    if (!delivery.len)
        return;
    for (int i = 0; i < SURETY_FAILURE_COUNT; i++) {
        const surety_str name =
            surety_str_of(surety_failure_name((surety_failure)i));

        if (surety__str_starts(delivery, name)) {
            size_t len = delivery.len - name.len;

            len -= len > 0;
            response->delivery.failure = (surety_failure)i;
            response->delivery.sent = i != SURETY_FAILURE_CONNECT;
            if (len >= sizeof(response->delivery.message))
                golden_die("a delivery is too long", "");
            memcpy(response->delivery.message,
                   delivery.ptr + delivery.len - len, len);
            return;
        }
    }
    golden_die("no such failure", delivery.ptr);
}

struct pieces {
    surety_buf bufs[PIECE_ITEM + 1];
};

static void hear_piece(void *ctx, surety__piece piece, surety_str text)
{
    struct pieces *pieces = ctx;

    surety_buf_add(&pieces->bufs[piece], text);
}

static void write_text(surety_buf *out, const char *name, surety_str text)
{
    if (!text.len)
        return;
    surety__buf_printf(out, "%s: ", name);
    surety_json_string(out, text);
    surety_buf_byte(out, '\n');
}

/* The parts of the message, unless it is the text alone. */
static void write_message(const surety_message *message, surety_buf *out)
{
    if (message->part_count == 1 &&
        message->parts[0].kind == SURETY_PART_TEXT &&
        !message->parts[0].raw.len)
        return;
    for (size_t i = 0; i < message->part_count; i++) {
        const surety_part *part = &message->parts[i];

        surety__buf_printf(out, "part %s", surety_part_kind_name(part->kind));
        if (part->id.len || part->name.len)
            surety__buf_printf(out, " %.*s %.*s", (int)part->id.len,
                               part->id.len ? part->id.ptr : "",
                               (int)part->name.len,
                               part->name.len ? part->name.ptr : "");
        surety_buf_text(out, ": ");
        surety_json_string(out, part->text);
        surety_buf_byte(out, '\n');
        if (part->raw.len)
            surety_buf_text(out, "  raw ");
        surety_buf_add(out, part->raw);
        if (part->raw.len)
            surety_buf_byte(out, '\n');
    }
}

static void write_answer(const surety_answer *answer,
                         const struct pieces *pieces, surety_buf *out)
{
    surety__buf_printf(out, "failure: %s\n",
                       surety_failure_name(answer->failure));
    write_text(out, "text", answer->text);
    write_text(out, "native", answer->native);
    write_message(&answer->message, out);
    write_text(out, "refusal", answer->refusal);
    write_text(out, "finish", answer->finish_reason);
    write_text(out, "model", answer->model);
    write_text(out, "id", answer->response_id);
    write_text(out, "request", answer->request_id);
    write_text(out, "code", answer->error_code);
    write_text(out, "message", answer->error_message);
    if (answer->usage.known)
        surety__buf_printf(out,
                           "usage: in %zu cached %zu out %zu reasoning %zu\n",
                           (size_t)answer->usage.input_tokens,
                           (size_t)answer->usage.cached_input_tokens,
                           (size_t)answer->usage.output_tokens,
                           (size_t)answer->usage.reasoning_tokens);
    if (answer->retry_after_ms >= 0)
        surety__buf_printf(out, "retry-after: %zu\n",
                           (size_t)answer->retry_after_ms);
    if (answer->should_retry >= 0)
        surety__buf_printf(out, "should-retry: %d\n", answer->should_retry);
    if (answer->ambiguous)
        surety_buf_text(out, "ambiguous\n");
    write_text(out, "heard text", surety_buf_str(&pieces->bufs[PIECE_TEXT]));
    write_text(out, "heard native",
               surety_buf_str(&pieces->bufs[PIECE_NATIVE]));
    write_text(out, "heard reasoning",
               surety_buf_str(&pieces->bufs[PIECE_REASONING]));
    write_text(out, "heard item", surety_buf_str(&pieces->bufs[PIECE_ITEM]));
}

/* Feeds the response's body to `until`, cut before `split` or, where that is
 * 0, after every byte. */
static surety_failure response_feed(surety__decoder *decoder,
                                    const struct response *response,
                                    size_t split, size_t until, surety_buf *out)
{
    /* 2026-11-21T00:00:00Z */
    const int64_t now_ms = (int64_t)1795219200 * 1000;
    struct pieces pieces;
    const surety__listener listener = {&pieces, hear_piece};
    const surety_model model = {.protocol = response->protocol,
                                .key = surety_str_of("sk-planted-secret")};
    const surety__tool_spec tool = {.name = surety_str_of("other")};
    const surety__call call = {.model = &model,
                               .mode = response->mode,
                               .schema = response->tools ? surety_str_of("{}")
                                                         : (surety_str){"", 0},
                               .schema_name = surety_str_of("answer"),
                               .tools = &tool,
                               .tool_count = response->tools};
    surety_answer answer;
    bool goes_on = true;

    for (int i = 0; i <= PIECE_ITEM; i++)
        surety_buf_init(&pieces.bufs[i], NULL, 0);
    surety__decoder_begin(decoder, &call, &listener);
    if (response->status)
        surety__decoder_head(decoder, response->status, response->headers,
                             response->header_count);
    for (size_t at = 0; at < until && goes_on;) {
        size_t end = !split ? at + 1 : at < split ? split : until;

        end = end < until ? end : until;
        goes_on = surety__decoder_feed(
            decoder, (surety_str){response->body.ptr + at, end - at});
        at = end;
    }
    surety__decoder_finish(decoder, &response->delivery, now_ms);
    if (surety__decoder_answer(decoder, &answer))
        golden_die("no answer", "");
    surety_buf_reset(out);
    write_answer(&answer, &pieces, out);
    checks++;
    for (int i = 0; i <= PIECE_ITEM; i++)
        surety_buf_done(&pieces.bufs[i]);
    return answer.failure;
}

/* ---- what must hold ------------------------------------------------------ */

/* The last place of any of the marks; 0 where there is none. */
static size_t last_mark(surety_str body, const char *const *marks)
{
    size_t last = 0;

    for (; *marks; marks++) {
        const surety_str mark = surety_str_of(*marks);

        for (size_t at = 0; at + mark.len <= body.len; at++)
            if (!memcmp(body.ptr + at, mark.ptr, mark.len) &&
                at + mark.len > last)
                last = at + mark.len;
    }
    return last;
}

/* Where the end mark stands, without which nothing is whole. A whole body's is
 * its last bracket. */
static size_t response_mark(const struct response *response)
{
    static const char *const brackets[] = {"}", "]", NULL};
    static const char *const marks[5][4] = {
        {"\"finish_reason\":\"", "[DONE]", NULL},
        {"response.completed\"", "response.incomplete\"", NULL},
        {"message_stop\"}", NULL},
        {"finishReason\":\"", "blockReason\":\"", NULL},
        {NULL},
    };
    static const char *const done[] = {"[DONE]", NULL};

    if (!response->stream)
        return last_mark(response->body, brackets);
    if (response->protocol == SURETY_PROTOCOL_OPENAI &&
        response->delivery.failure)
        return last_mark(response->body, done);
    if (response->protocol == SURETY_PROTOCOL_OPENAI) {
        /* The finish reason: after it only the mark is left. */
        const size_t reason =
            surety__str_find(response->body, surety_str_of(marks[0][0]));

        return reason < response->body.len ? reason
                                           : last_mark(response->body, done);
    }
    if (response->protocol == SURETY_PROTOCOL_GEMINI) {
        /* The first: some models give one with each event. */
        const size_t first =
            surety__str_find(response->body, surety_str_of(marks[3][0]));

        if (first < response->body.len)
            return first;
    }
    return last_mark(response->body, marks[response->protocol]);
}

static bool is_whole(surety_failure failure)
{
    return failure == SURETY_FAILURE_NONE || failure == SURETY_FAILURE_EMPTY ||
           failure == SURETY_FAILURE_REFUSAL ||
           failure == SURETY_FAILURE_FILTER || failure == SURETY_FAILURE_LENGTH;
}

static bool cuts_hold(surety__decoder *decoder, const struct response *given)
{
    struct response response = *given;
    surety_buf out;
    bool good = true;

    if (response.protocol == SURETY_PROTOCOL_TEXT || response.status >= 300)
        return true;
    surety_buf_init(&out, NULL, 0);
    for (int round = 0; round < 2 && good; round++) {
        size_t mark;

        response.delivery = (surety_delivery){
            .failure = round ? SURETY_FAILURE_RESET : SURETY_FAILURE_NONE,
            .sent = true};
        mark = response_mark(&response);
        for (size_t cut = 0; cut < response.body.len && good; cut++) {
            const surety_failure failure =
                response_feed(decoder, &response, cut + 1, cut, &out);

            good = !is_whole(failure) || (mark && cut >= mark);
            if (!good)
                printf("# cut at %zu of %zu, taken for whole:\n%.*s", cut,
                       response.body.len, (int)out.len, out.ptr);
        }
    }
    surety_buf_done(&out);
    return good;
}

/* The message of an answer goes back to its protocol with each item byte for
 * byte, and to every other with the names of its calls. */
static bool message_goes_back(const surety__decoder *decoder,
                              const struct response *response)
{
    surety__message message = {.role = SURETY_ROLE_ASSISTANT};
    surety_answer answer;
    surety__arena arena;
    surety_request request;
    surety_buf body;
    bool good = true;

    if (surety__decoder_answer(decoder, &answer) || !answer.message.part_count)
        return true;
    message.parts = answer.message.parts;
    message.part_count = answer.message.part_count;
    surety__arena_init(&arena, NULL, 0);
    surety_buf_init(&body, NULL, 0);
    for (int i = 0; i < SURETY_PROTOCOL_TEXT && good; i++) {
        const surety_model model = {.protocol = (surety_protocol)i,
                                    .model = surety_str_of("m"),
                                    .base_url = surety_str_of("https://h")};
        const surety__call call = {.model = &model,
                                   .mode = SURETY_MODE_PROMPT,
                                   .messages = &message,
                                   .message_count = 1};

        good = !surety__call_encode(&call, &arena, &body, &request, NULL);
        for (size_t k = 0; k < message.part_count && good; k++) {
            const surety_part *part = &message.parts[k];
            const bool own = model.protocol == response->protocol &&
                             (part->kind != SURETY_PART_REASONING ||
                              model.protocol != SURETY_PROTOCOL_OPENAI);
            const surety_str wants = own ? part->raw : part->name;

            good = !wants.len ||
                   surety__str_find(request.body, wants) < request.body.len;
            if (!good)
                printf("# part %zu does not go back to %s\n", k,
                       surety_protocol_name(model.protocol));
        }
    }
    surety__arena_done(&arena);
    surety_buf_done(&body);
    return good;
}

/* The answer is `want` however the bytes come. */
static bool splits_hold(surety__decoder *decoder,
                        const struct response *response, surety_str want,
                        size_t step)
{
    const size_t len = response->body.len;
    surety_buf out;
    bool good = true;

    surety_buf_init(&out, NULL, 0);
    for (size_t split = 0; split <= len && good; split += step) {
        (void)response_feed(decoder, response, split, len, &out);
        good = surety_str_equal(surety_buf_str(&out), want);
        if (!good)
            printf("# split at %zu, got:\n%.*s# want:\n%.*s", split,
                   (int)out.len, out.ptr, (int)want.len, want.ptr);
    }
    surety_buf_done(&out);
    return good;
}

/* The same for other line ends. */
static bool line_ends_hold(surety__decoder *decoder,
                           const struct response *given, surety_str want)
{
    static const char *const ends[] = {"\r\n", "\r"};
    struct response response = *given;
    bool good = true;

    for (size_t k = 0; k < 2 && good && given->stream; k++) {
        surety_buf body;

        surety_buf_init(&body, NULL, 0);
        for (size_t i = 0; i < given->body.len; i++) {
            if (given->body.ptr[i] == '\n')
                surety_buf_text(&body, ends[k]);
            else
                surety_buf_byte(&body, given->body.ptr[i]);
        }
        response.body = surety_buf_str(&body);
        good = splits_hold(decoder, &response, want, k ? 7 : 1);
        surety_buf_done(&body);
    }
    return good;
}

static bool response_holds(const struct golden *golden,
                           const struct golden_section *answer, surety_buf *out)
{
    const surety_str secret = SURETY__LITERAL("planted-secret");
    surety__decoder *decoder = surety__decoder_new(NULL, NULL);
    struct response response;
    surety_str want;
    bool good;

    response_read(golden, answer, &response);
    (void)response_feed(decoder, &response, response.body.len,
                        response.body.len, out);
    want = surety_buf_str(out);
    good = message_goes_back(decoder, &response) &&
           splits_hold(decoder, &response, want, 1) &&
           line_ends_hold(decoder, &response, want) &&
           cuts_hold(decoder, &response);
    if (surety__str_find(want, secret) < want.len) {
        printf("# the key is shown\n");
        good = false;
    }
    surety__decoder_free(decoder);
    return good;
}

/* ---- cases --------------------------------------------------------------- */

static bool run(struct golden *golden)
{
    bool good = true;

    for (size_t i = 0; i < golden->count && good; i++) {
        const struct golden_section *section = &golden->sections[i];
        const bool request = golden_is(section, "request");
        surety_buf out;

        if (!request && !golden_is(section, "answer")) {
            golden_keep(golden, section);
            continue;
        }
        golden_begin(golden, section);
        surety_buf_init(&out, NULL, 0);
        if (request)
            write_call(golden_body(golden, "base"), section[-1].body, &out);
        else
            good = response_holds(golden, section, &out);
        surety_buf_add(&golden->made, surety_buf_str(&out));
        surety_buf_done(&out);
    }
    return good;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};
    const int result = golden_main(argc, argv, &folder);

    printf("# %zu answers\n", checks);
    return result;
}
