/* SPDX-License-Identifier: Apache-2.0 */
/* Plans an answer of the mock server: bytes in steps, each with a delay before
 * it and a repeat count, and the offsets at which the connection breaks.
 *
 * A plan is complete before its first byte is sent, so a fault of the script
 * happens at exactly the byte that it names, whatever the network does. serve/
 * writes the events and bodies. This file cuts the script's text into pieces,
 * adds the faults, and gives the bytes to the server. It uses neither clock nor
 * random numbers: the same request to the same script gives the same bytes. */
#include "mock/mock.h"
#include "template/template.h"

#define PLAN_CREATED 1767225600u /* 2026-01-01, the default */
#define PLAN_PIECE 16            /* characters in a piece of a stream */
#define PLAN_BLOCK 16384         /* bytes of filler that "huge" repeats */
#define PLAN_HEADERS_MAX 64

/* A plan under construction. */
typedef struct plan_maker {
    surety__playback *plan;
    const surety__playback_order *order;
    surety__speech speech;
    surety__closing ending;
    uint32_t chunk_delay_ms;
    size_t piece_count; /* pieces made so far */
    size_t broken_at;   /* pieces before the stream breaks */
    surety_buf content; /* the reply's text, JSON value, ... */
    size_t call_bytes;  /* of the arguments of "calls" */
} plan_maker;

void surety__playback_init(surety__playback *plan, const surety_alloc *alloc)
{
    *plan = (surety__playback){.http_status = 200,
                               .hang_up = FLOW_ON,
                               .cut_at = UINT64_MAX,
                               .reset_at = UINT64_MAX,
                               .stall_at = UINT64_MAX};
    surety__arena_init(&plan->arena, alloc, 0);
    surety_buf_init(&plan->bytes, alloc, 0);
}

void surety__playback_done(surety__playback *plan)
{
    surety__free(plan->bytes.alloc, plan->steps,
                 plan->step_cap * sizeof(*plan->steps));
    surety_buf_done(&plan->bytes);
    surety__arena_done(&plan->arena);
    plan->steps = NULL;
}

/* ---- steps --------------------------------------------------------------- */

/* Makes a step of the bytes that were appended since start. */
static void plan_step(surety__playback *plan, size_t start, uint64_t repeat,
                      uint32_t delay_ms)
{
    assert(start <= plan->bytes.len);
    if (plan->status || start == plan->bytes.len)
        return;
    plan->status =
        surety__grow(plan->bytes.alloc, &plan->steps, &plan->step_cap,
                     plan->step_count + 1, sizeof(*plan->steps), SIZE_MAX / 64);
    if (!plan->status)
        plan->steps[plan->step_count++] = (surety__playback_step){
            start, plan->bytes.len - start, repeat, delay_ms};
}

uint64_t surety__playback_size(const surety__playback *plan)
{
    uint64_t size = 0;

    for (size_t i = 0; i < plan->step_count; i++) {
        if (plan->steps[i].repeat == UINT64_MAX)
            return UINT64_MAX;
        size += plan->steps[i].repeat * plan->steps[i].len;
    }
    return size;
}

static surety__flow plan_give(surety__playback *plan, surety__pull *pull)
{
    const surety__playback_step *step = &plan->steps[plan->step];
    const char *ptr = plan->bytes.ptr + step->start + plan->at;
    size_t n = step->len - plan->at;
    uint64_t until = plan->cut_at;

    if (plan->reset_at < until)
        until = plan->reset_at;
    if (plan->stall_at < until)
        until = plan->stall_at;
    if (n > pull->size)
        n = pull->size;
    if (plan->write_size && n > plan->write_size)
        n = plan->write_size;
    if (n > until - plan->offset)
        n = (size_t)(until - plan->offset);
    /* A write ends inside a character: after the first byte of the next one of
     * several bytes. */
    for (size_t i = 0; plan->split_utf8 && i + 1 < n; i++)
        if ((unsigned char)ptr[i] >= 0xC0)
            n = i + 1;
    assert(n > 0 && n <= pull->size);
    memcpy(pull->room, ptr, n);
    pull->len = n;
    plan->at += n;
    plan->offset += n;
    if (plan->write_delay_ms)
        plan->is_waited = false;
    return FLOW_ON;
}

static surety__flow plan_next(surety__playback *plan, surety__pull *pull)
{
    assert(plan->step <= plan->step_count);
    if (plan->offset == plan->stall_at) {
        pull->wait_ms = SERVE_WAIT_LONG;
        return FLOW_WAIT;
    }
    if (plan->offset == plan->reset_at)
        return FLOW_RESET;
    if (plan->offset == plan->cut_at)
        return FLOW_CUT;
    while (plan->step < plan->step_count) {
        const surety__playback_step *step = &plan->steps[plan->step];
        const uint32_t delay_ms =
            plan->at ? plan->write_delay_ms : step->delay_ms;
        if (plan->at == step->len) {
            plan->at = 0;
            plan->is_waited = false;
            if (step->repeat != UINT64_MAX && ++plan->repeats >= step->repeat) {
                plan->step++;
                plan->repeats = 0;
            }
            continue;
        }
        if (delay_ms && !plan->is_waited) {
            plan->is_waited = true;
            pull->wait_ms = delay_ms;
            return FLOW_WAIT;
        }
        return plan_give(plan, pull);
    }
    return FLOW_END;
}

surety__flow surety__playback_pull(surety__playback *plan, surety__pull *pull)
{
    plan->last = plan_next(plan, pull);
    return plan->last;
}

/* ---- members ------------------------------------------------------------- */

static surety_val plan_get(const plan_maker *maker, const char *name)
{
    const surety_val member =
        surety__script_get(maker->order->script, maker->order->reply, name);

    return surety_val_kind(member) == SURETY_KIND_NULL ? surety_val_none()
                                                       : member;
}

static bool plan_is(const plan_maker *maker, const char *name)
{
    return surety_val_bool(plan_get(maker, name), false);
}

static uint32_t plan_number(const plan_maker *maker, const char *name)
{
    return (uint32_t)surety_val_uint(plan_get(maker, name), 0);
}

/* An id of the mock, "PREFIX" and the number of the call, in the plan's arena;
 * ptr NULL: out of memory. */
static surety_str plan_id(surety__playback *plan, const char *prefix)
{
    char room[40];
    surety_buf text = surety__buf_over(room, sizeof(room));
    surety_str id;

    surety_buf_text(&text, prefix);
    surety_buf_number(&text, plan->number);
    assert(!text.status);
    id = surety__arena_text(&plan->arena, surety_buf_str(&text));
    if (!id.ptr)
        plan->status = SURETY_NOMEM;
    return id;
}

/* Whether a member asks for a fault: it is there and is not false. */
static bool plan_asks(surety_val member)
{
    return member.doc && surety_val_bool(member, true);
}

/* ---- headers ------------------------------------------------------------- */

static void plan_header(surety__playback *plan, surety_str name,
                        surety_str value)
{
    const surety_header copy = {.name = surety__arena_text(&plan->arena, name),
                                .value =
                                    surety__arena_text(&plan->arena, value)};

    if (plan->status || plan->header_count == PLAN_HEADERS_MAX)
        return;
    if (!plan->headers)
        plan->headers = surety__arena_take(
            &plan->arena, PLAN_HEADERS_MAX * sizeof(*plan->headers));
    if (plan->headers && copy.name.ptr && copy.value.ptr)
        plan->headers[plan->header_count++] = copy;
    else
        plan->status = SURETY_NOMEM;
}

static bool plan_has_header(const surety__playback *plan, const char *name)
{
    for (size_t i = 0; i < plan->header_count; i++)
        if (surety__str_equal_nocase(plan->headers[i].name,
                                     surety_str_of(name)))
            return true;
    return false;
}

/* Adds the provider's own headers, except those that the plan has already. */
static void plan_usual_headers(surety__playback *plan, const char *content_type)
{
    const char *name = plan->protocol == SURETY_PROTOCOL_ANTHROPIC
                           ? "request-id"
                           : "x-request-id";

    if (content_type && !plan_has_header(plan, "content-type"))
        plan_header(plan, SURETY__LITERAL("content-type"),
                    surety_str_of(content_type));
    if (plan->protocol != SURETY_PROTOCOL_GEMINI &&
        !plan_has_header(plan, name))
        plan_header(plan, surety_str_of(name), plan_id(plan, "req_mock"));
}

/* Adds the script's headers. A value that is an array gives one header for each
 * item. */
static void plan_script_headers(plan_maker *maker)
{
    const surety_val headers = plan_get(maker, "headers");
    const surety_val type = plan_get(maker, "content_type");

    if (type.doc)
        plan_header(maker->plan, SURETY__LITERAL("content-type"),
                    surety_val_str(type));
    SURETY_EACH (one, headers) {
        const surety_str name = surety_val_str(surety_val_key(one));
        if (surety_val_kind(one) == SURETY_KIND_STRING)
            plan_header(maker->plan, name, surety_val_str(one));
        SURETY_EACH (item, one)
            plan_header(maker->plan, name, surety_val_str(item));
    }
}

/* ---- problems and bodies ------------------------------------------------- */

static surety_status plan_end(surety__playback *plan)
{
    if (plan->bytes.status && !plan->status)
        plan->status = plan->bytes.status;
    return plan->status;
}

surety_status surety__playback_body(surety__playback *plan, int status)
{
    plan->http_status = status;
    plan->kind = ANSWER_STREAMED;
    plan_step(plan, 0, 1, 0);
    plan_usual_headers(plan, "application/json");
    return plan_end(plan);
}

surety_status surety__playback_problem(surety__playback *plan,
                                       const surety__problem *problem)
{
    surety__problem own = *problem;

    if (!own.request_id.len)
        own.request_id = plan_id(plan, "req_mock");
    if (!plan->status)
        surety__speak_error(plan->protocol, &own, &plan->bytes);
    if (problem->allow)
        plan_header(plan, SURETY__LITERAL("allow"),
                    surety_str_of(problem->allow));
    return surety__playback_body(plan, problem->status);
}

/* Reads the problem of "error": a string is its message, an object has its
 * members. */
static surety__problem plan_read_problem(surety_val error, int status)
{
    surety__problem problem = {.status = status};

    if (surety_val_kind(error) == SURETY_KIND_STRING)
        problem.message = surety_val_str(error);
    problem.type = surety_val_str(surety_val_get(error, "type"));
    problem.code = surety_val_str(surety_val_get(error, "code"));
    problem.param = surety_val_str(surety_val_get(error, "param"));
    if (surety_val_get(error, "message").doc)
        problem.message = surety_val_str(surety_val_get(error, "message"));
    return problem;
}

/* ---- the parts of a reply ------------------------------------------------ */

/* Adds one piece of a part: an event of a stream, or text that is kept for the
 * whole body. */
static void plan_add_piece(plan_maker *maker, surety__speech_part part,
                           surety_str text)
{
    surety__playback *plan = maker->plan;
    const size_t start = plan->bytes.len;
    const bool is_streamed = maker->order->request->stream;

    if (maker->piece_count >= maker->broken_at)
        return;
    surety__speech_piece(&maker->speech, part, text,
                         is_streamed ? &plan->bytes : NULL);
    plan_step(plan, start, 1, maker->piece_count ? maker->chunk_delay_ms : 0);
    maker->piece_count++;
}

/* Adds a part in pieces of so many characters. */
static void plan_add(plan_maker *maker, surety__speech_part part,
                     surety_str text, size_t characters)
{
    const char *at = text.ptr;
    const char *end = text.len ? text.ptr + text.len : text.ptr;

    if (!text.len)
        plan_add_piece(maker, part, text);
    while (at < end) {
        const char *start = at;
        for (size_t i = 0; i < characters && at < end; i++) {
            unsigned len = 1;
            surety__utf8_decode(at, end, &len);
            at += len;
        }
        plan_add_piece(maker, part, (surety_str){start, (size_t)(at - start)});
    }
}

/* The user's last message; without one, the system prompt. */
static surety_str plan_echo(const surety__model_request *request)
{
    for (size_t i = request->message_count; i-- > 0;)
        if (request->messages[i].author == AUTHOR_USER)
            return request->messages[i].text;
    return request->system;
}

/* Fills maker->content. False: the reply has no content, only perhaps a
 * refusal. */
static bool plan_content(plan_maker *maker)
{
    const surety_val text = plan_get(maker, "text");
    const surety_val json = plan_get(maker, "json");
    const surety_val chunks = plan_get(maker, "chunks");
    surety_buf *content = &maker->content;

    if (text.doc) {
        surety_buf_add(content, surety_val_str(text));
    } else if (json.doc ||
               surety_val_get(maker->order->reply->val, "json").doc) {
        surety__template_write(content, "$v", json);
    } else if (maker->order->reply->file.ptr) {
        surety_buf_add(content, maker->order->reply->file);
    } else if (plan_is(maker, "echo")) {
        surety_buf_add(content, plan_echo(maker->order->request));
    } else if (surety_val_kind(chunks) == SURETY_KIND_ARRAY) {
        SURETY_EACH (one, chunks)
            surety_buf_add(content, surety_val_str(one));
    } else {
        return false;
    }
    return true;
}

static void plan_usage(plan_maker *maker, size_t output_bytes)
{
    const surety_val usage =
        surety__script_get(maker->order->script, maker->order->reply, "usage");
    const surety_str reasoning = surety_val_str(plan_get(maker, "reasoning"));
    surety_usage *out = &maker->ending.usage;

    if (surety_val_kind(usage) == SURETY_KIND_NULL)
        return;
    *out = (surety_usage){.known = true,
                          .input_tokens =
                              (maker->order->request->prompt_bytes + 3) / 4,
                          .output_tokens = (output_bytes + reasoning.len + 3) /
                                           4 * maker->order->request->answers,
                          .reasoning_tokens = (reasoning.len + 3) / 4 *
                                              maker->order->request->answers};
    out->input_tokens = surety_val_uint(surety_val_get(usage, "input_tokens"),
                                        out->input_tokens);
    out->cached_input_tokens =
        surety_val_uint(surety_val_get(usage, "cached_input_tokens"), 0);
    out->output_tokens = surety_val_uint(surety_val_get(usage, "output_tokens"),
                                         out->output_tokens);
    out->reasoning_tokens = surety_val_uint(
        surety_val_get(usage, "reasoning_tokens"), out->reasoning_tokens);
    if (out->reasoning_tokens > out->output_tokens)
        out->reasoning_tokens = out->output_tokens;
}

/* Adds the filler of "huge": one block, which its step repeats. */
static void plan_add_huge(plan_maker *maker, uint64_t megabytes)
{
    surety__playback *plan = maker->plan;
    char *room = surety__buf_room(&maker->content, PLAN_BLOCK);
    const size_t count = plan->step_count;

    if (!room)
        return;
    memset(room, 'x', PLAN_BLOCK);
    maker->content.len = PLAN_BLOCK;
    plan_add(maker, PART_TEXT, surety_buf_str(&maker->content), PLAN_BLOCK);
    if (plan->step_count > count)
        plan->steps[count].repeat = megabytes * ((1 << 20) / PLAN_BLOCK);
}

/* Whether the request offers the tool that the reply names, and allows a
 * call. */
static bool plan_names_tool(const plan_maker *maker)
{
    const surety__model_request *request = maker->order->request;
    const surety_str name = surety_val_str(plan_get(maker, "tool"));

    for (size_t i = 0; i < request->tool_count && name.len; i++)
        if (surety_str_equal(request->tools[i], name))
            return request->choice != CHOICE_NONE;
    return false;
}

static surety__speech_part plan_part(const plan_maker *maker)
{
    const surety_val deliver = plan_get(maker, "deliver");

    if (surety_val_is(deliver, "tool"))
        return PART_ARGUMENTS;
    if (surety_val_is(deliver, "text"))
        return PART_TEXT;
    return maker->order->request->mode == SURETY_MODE_TOOL ||
                   plan_names_tool(maker)
               ? PART_ARGUMENTS
               : PART_TEXT;
}

static void plan_add_chunks(plan_maker *maker, surety__speech_part part,
                            surety_val chunks)
{
    if (surety_val_kind(chunks) == SURETY_KIND_ARRAY)
        SURETY_EACH (one, chunks)
            plan_add_piece(maker, part, surety_val_str(one));
    else
        plan_add(maker, part, surety_buf_str(&maker->content),
                 (size_t)surety_val_uint(chunks, PLAN_PIECE));
}

/* Adds the calls of "calls", each with its arguments: a value, or a text as it
 * is; without either, an empty object. */
static void plan_add_calls(plan_maker *maker, surety_val calls)
{
    const size_t characters =
        (size_t)surety_val_uint(plan_get(maker, "chunks"), PLAN_PIECE);
    surety_buf text;

    surety_buf_init(&text, maker->content.alloc, 0);
    SURETY_EACH (call, calls) {
        const surety_val exact = surety_val_get(call, "text");
        const surety_val json = surety_val_get(call, "json");

        if (maker->piece_count >= maker->broken_at)
            break;
        surety_buf_reset(&text);
        if (exact.doc)
            surety_buf_add(&text, surety_val_str(exact));
        else if (json.doc)
            surety__template_write(&text, "$v", json);
        else
            surety_buf_text(&text, "{}");
        surety__speech_begin_call(&maker->speech,
                                  surety_val_str(surety_val_get(call, "tool")));
        plan_add(maker, PART_ARGUMENTS, surety_buf_str(&text), characters);
        maker->call_bytes += text.len;
        if (text.status && !maker->plan->status)
            maker->plan->status = text.status;
    }
    surety_buf_done(&text);
}

/* Adds all parts of the reply, in order, up to where the stream breaks. */
static void plan_add_all(plan_maker *maker)
{
    const surety_val calls = plan_get(maker, "calls");
    const surety_val preamble = plan_get(maker, "preamble");
    const surety_val reasoning = plan_get(maker, "reasoning");
    const surety_val refusal = plan_get(maker, "refusal");
    const surety_val huge = plan_get(maker, "huge");
    const surety__speech_part part = calls.doc ? PART_TEXT : plan_part(maker);
    const bool has_content = plan_content(maker);

    if (reasoning.doc)
        plan_add(maker, PART_REASONING, surety_val_str(reasoning), PLAN_PIECE);
    if (preamble.doc)
        plan_add(maker, PART_TEXT, surety_val_str(preamble), PLAN_PIECE);
    if (has_content && part == PART_TEXT)
        plan_add_chunks(maker, part, plan_get(maker, "chunks"));
    if (huge.doc)
        plan_add_huge(maker, surety_val_uint(huge, 1));
    if (refusal.doc)
        plan_add(maker, PART_REFUSAL, surety_val_str(refusal), PLAN_PIECE);
    if (has_content && part == PART_ARGUMENTS)
        plan_add_chunks(maker, part, plan_get(maker, "chunks"));
    plan_add_calls(maker, calls);
    plan_usage(maker, maker->content.len + maker->call_bytes +
                          surety_val_str(refusal).len +
                          surety_val_str(preamble).len);
}

/* ---- streams and whole bodies -------------------------------------------- */

static void plan_malformed(plan_maker *maker)
{
    const surety_val malformed = plan_get(maker, "malformed_sse");
    const size_t start = maker->plan->bytes.len;

    if (surety_val_kind(malformed) == SURETY_KIND_STRING)
        surety_buf_add(&maker->plan->bytes, surety_val_str(malformed));
    else if (surety_val_bool(malformed, false))
        surety_buf_text(&maker->plan->bytes, "data: {\"id\":\"broken\n\n");
    plan_step(maker->plan, start, 1, 0);
}

static void plan_never_end(plan_maker *maker)
{
    surety__playback *plan = maker->plan;
    const surety_val kind = plan_get(maker, "never_end");
    const size_t start = plan->bytes.len;
    const bool is_pings =
        surety_val_is(kind, "pings") ||
        (maker->order->request->stream && !surety_val_is(kind, "spaces"));

    if (is_pings)
        surety__speech_ping(&maker->speech, &plan->bytes);
    else
        surety_buf_text(&plan->bytes, "                               \n");
    plan_step(plan, start, UINT64_MAX,
              maker->chunk_delay_ms ? maker->chunk_delay_ms : 10);
    plan->is_endless = true;
}

static void plan_stream(plan_maker *maker)
{
    surety__playback *plan = maker->plan;
    const surety_val error = plan_get(maker, "error_mid_stream");
    const surety_val never = plan_get(maker, "never_end");
    surety__problem problem = plan_read_problem(error, 529);
    size_t start;

    plan_usage(maker, 0);
    surety__speech_begin(&maker->speech, &maker->ending.usage, &plan->bytes);
    plan_step(plan, 0, 1, 0);
    plan_malformed(maker);
    if (surety_val_kind(error) == SURETY_KIND_OBJECT)
        maker->broken_at =
            (size_t)surety_val_uint(surety_val_get(error, "after"), 1);
    else if (error.doc)
        maker->broken_at = 1;
    plan_add_all(maker);
    start = plan->bytes.len;
    if (plan_asks(error)) {
        if (!problem.message.len)
            problem.message = SURETY__LITERAL("Overloaded");
        surety__speech_fail(&maker->speech, &problem, &plan->bytes);
        plan_step(plan, start, 1, maker->chunk_delay_ms);
    } else if (plan_asks(never)) {
        plan_never_end(maker);
    } else {
        maker->ending.no_mark = plan_is(maker, "no_end_mark");
        surety__speech_end(&maker->speech, &maker->ending, &plan->bytes);
        plan_step(plan, start, 1, maker->chunk_delay_ms);
    }
}

/* Splits a whole body so that each filler block is a step of its own, which
 * repeats. The body has one such block for each choice. */
static void plan_whole_huge(plan_maker *maker, uint64_t megabytes)
{
    surety__playback *plan = maker->plan;
    const surety_str body = surety_buf_str(&plan->bytes);
    const uint64_t repeat = megabytes * ((1 << 20) / PLAN_BLOCK);
    size_t start = 0;

    plan->step_count = 0;
    while (start < body.len && !plan->status) {
        const surety_str rest = {body.ptr + start, body.len - start};
        const size_t at =
            surety__str_find(rest, surety_buf_str(&maker->content));
        plan_step(plan, start, 1, 0);
        if (plan->status)
            return;
        plan->steps[plan->step_count - 1].len = at;
        start += at;
        if (at == rest.len)
            return;
        plan_step(plan, start, repeat, 0);
        if (plan->status)
            return;
        plan->steps[plan->step_count - 1].len = PLAN_BLOCK;
        start += PLAN_BLOCK;
    }
}

static void plan_whole(plan_maker *maker)
{
    surety__playback *plan = maker->plan;
    const surety_val error = plan_get(maker, "error_mid_stream");
    const surety_val huge = plan_get(maker, "huge");
    const surety_val never = plan_get(maker, "never_end");
    const surety_val malformed = plan_get(maker, "malformed_sse");
    surety__problem problem = plan_read_problem(error, 529);

    if (plan_asks(error)) {
        surety__playback_problem(plan, &problem);
        return;
    }
    plan_add_all(maker);
    if (maker->order->as_array)
        surety_buf_byte(&plan->bytes, '[');
    surety__speech_whole(&maker->speech, &maker->ending, &plan->bytes);
    if (maker->order->as_array)
        surety_buf_byte(&plan->bytes, ']');
    if (plan_asks(malformed) && plan->bytes.len)
        plan->bytes.len--; /* cut, so that the body is no JSON either */
    if (plan_asks(never)) {
        plan->bytes.len = plan->bytes.len ? 1 : 0;
        plan_step(plan, 0, 1, 0);
        plan_never_end(maker);
    } else {
        plan_step(plan, 0, 1, 0);
        if (huge.doc)
            plan_whole_huge(maker, surety_val_uint(huge, 1));
    }
    if (plan->write_size)
        plan->write_delay_ms = maker->chunk_delay_ms;
}

static void plan_speak(plan_maker *maker)
{
    const surety__model_request *request = maker->order->request;
    const surety_val model = plan_get(maker, "model");
    const surety_val tool = plan_get(maker, "tool");
    const surety_val created =
        surety_val_get(maker->order->script->root, "created");
    surety_str id = surety_val_str(plan_get(maker, "id"));

    if (!id.len)
        id = plan_id(maker->plan, "mock");
    surety__speech_init(&maker->speech, request, id, maker->plan->bytes.alloc);
    maker->speech.created = surety_val_uint(created, PLAN_CREATED);
    if (model.doc)
        maker->speech.model = surety_val_str(model);
    if (tool.doc)
        maker->speech.tool = surety_val_str(tool);
    if (!maker->speech.tool.len)
        maker->speech.tool = SURETY__LITERAL("reply");
    maker->ending.finish = surety_val_str(plan_get(maker, "finish"));
    if (request->stream)
        plan_stream(maker);
    else
        plan_whole(maker);
    surety__speech_done(&maker->speech);
    plan_usual_headers(maker->plan,
                       surety__speak_content_type(request->stream).ptr);
}

/* ---- replies with exact bytes -------------------------------------------- */

static void plan_hex(surety_str digits, surety_buf *out)
{
    unsigned value = 0;
    size_t count = 0;

    for (size_t i = 0; i < digits.len; i++) {
        const unsigned digit = surety__hex_digit(digits.ptr[i]);

        if (digit > 15)
            continue;
        value = value * 16 + digit;
        if (++count % 2 == 0) {
            surety_buf_byte(out, (char)value);
            value = 0;
        }
    }
}

/* Appends a string's text, the bytes of {"hex": ...}, or another value as JSON,
 * which is null for SURETY_NONE. */
static void plan_put_exactly(surety_val val, surety_buf *out)
{
    const surety_val hex = surety_val_get(val, "hex");

    if (surety_val_kind(val) == SURETY_KIND_STRING)
        surety_buf_add(out, surety_val_str(val));
    else if (hex.doc && surety_val_count(val) == 1)
        plan_hex(surety_val_str(hex), out);
    else
        surety__template_write(out, "$v", val);
}

/* Adds events: a string is sent unchanged, an object as an event with it as
 * data. */
static void plan_events(plan_maker *maker, surety_val events)
{
    surety__playback *plan = maker->plan;

    SURETY_EACH (one, events) {
        const size_t start = plan->bytes.len;
        const surety_str type = surety_val_str(surety_val_get(one, "type"));
        if (surety_val_kind(one) == SURETY_KIND_STRING) {
            surety_buf_add(&plan->bytes, surety_val_str(one));
        } else {
            if (type.len)
                surety__template_write(&plan->bytes, "event: $r\n", type);
            surety__template_write(&plan->bytes, "data: $v\n\n", one);
        }
        plan_step(plan, start, 1, start ? maker->chunk_delay_ms : 0);
    }
    plan_usual_headers(plan, surety__speak_content_type(true).ptr);
}

/* Plans the reply if it gives its exact bytes, body or events; false: it does
 * not. */
static bool plan_exact(plan_maker *maker)
{
    surety__playback *plan = maker->plan;
    const surety_val bytes = plan_get(maker, "bytes");
    const surety_val body = plan_get(maker, "body");
    const surety_val events = plan_get(maker, "events");
    const surety_val html = plan_get(maker, "html");
    const char *type = "application/json";

    if (events.doc) {
        plan_events(maker, events);
        return true;
    }
    if (bytes.doc) {
        plan->kind = ANSWER_RAW;
        plan_put_exactly(bytes, &plan->bytes);
    } else if (surety_val_get(maker->order->reply->val, "body").doc) {
        plan_put_exactly(body, &plan->bytes);
    } else if (plan_asks(html)) {
        type = "text/html; charset=utf-8";
        if (surety_val_kind(html) == SURETY_KIND_STRING)
            surety_buf_add(&plan->bytes, surety_val_str(html));
        else
            surety_buf_text(&plan->bytes,
                            "<!DOCTYPE html>\n<html><head><title>502 Bad "
                            "Gateway</title></head>\n<body><h1>502 Bad "
                            "Gateway</h1></body></html>\n");
    } else if (plan_is(maker, "empty")) {
        type = surety__speak_content_type(maker->order->request->stream).ptr;
    } else if (plan->http_status >= 300 && plan->http_status < 400) {
        type = NULL;
    } else {
        return false;
    }
    plan_step(plan, 0, 1, 0);
    if (plan->write_size)
        plan->write_delay_ms = maker->chunk_delay_ms;
    plan_usual_headers(plan, type);
    return true;
}

static void plan_faults(const plan_maker *maker)
{
    surety__playback *plan = maker->plan;
    const surety_val hang_up = plan_get(maker, "hang_up");

    plan->delay_ms = plan_number(maker, "delay_ms");
    plan->write_size = plan_number(maker, "write_size");
    plan->split_utf8 = plan_is(maker, "split_utf8");
    plan->cut_at = surety_val_uint(plan_get(maker, "cut_at"), UINT64_MAX);
    plan->reset_at = surety_val_uint(plan_get(maker, "reset_at"), UINT64_MAX);
    plan->stall_at = surety_val_uint(plan_get(maker, "stall_at"), UINT64_MAX);
    if (surety_val_is(hang_up, "reset"))
        plan->hang_up = FLOW_RESET;
    else if (surety_val_bool(hang_up, false))
        plan->hang_up = FLOW_CUT;
}

surety_status surety__playback_reply(surety__playback *plan,
                                     const surety__playback_order *order)
{
    plan_maker maker = {.plan = plan, .order = order, .broken_at = SIZE_MAX};
    const surety_val error = plan_get(&maker, "error");
    surety__problem problem;

    surety_buf_init(&maker.content, plan->bytes.alloc, 0);
    plan->protocol = order->request->protocol;
    plan->number = order->number;
    plan->kind = ANSWER_STREAMED;
    plan->http_status =
        (int)surety_val_int(plan_get(&maker, "status"), error.doc ? 500 : 200);
    maker.chunk_delay_ms = plan_number(&maker, "chunk_delay_ms");
    plan_faults(&maker);
    plan_script_headers(&maker);
    problem = plan_read_problem(error, plan->http_status);
    if (plan_exact(&maker))
        ;
    else if (error.doc || plan->http_status >= 400)
        surety__playback_problem(plan, &problem);
    else
        plan_speak(&maker);
    if (maker.content.status && !plan->status)
        plan->status = maker.content.status;
    surety_buf_done(&maker.content);
    return plan_end(plan);
}
