/* SPDX-License-Identifier: Apache-2.0 */
/* Models behind a transport that stands in libcurl's place: they read each
 * request as their provider would, answer in its words, right and wrong, and
 * fail in every way that a connection can. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "sim/gate.h"

/* ---- what a model says --------------------------------------------------- */

#define LONG_TEXT                                                              \
    "It began with the weather, went on to the news and a word about the "     \
    "garden, and in the end, as always, nothing was said that was asked for. "

static const char *const model_replies[] = {
    "{\"n\":3,\"s\":\"a\"}",
    "{\"n\":3,\"s\":\"a\"}",
    "{\"n\":4,\"s\":\"b\",\"o\":\"x\"}",
    "{\"n\":5,\"s\":\"a\",\"o\":\"caf\xC3\xA9 \xF0\x9F\x98\x80\"}",
    "{\"n\":6,\"s\":\"b\",\"o\":\"" LONG_TEXT LONG_TEXT LONG_TEXT "\"}",
    "Here it is:\n```json\n{\"n\":1,\"s\":\"b\"}\n```\nGood luck.",
    "[1,2,3]",
    "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]",
    "{\"n\":11,\"s\":\"a\"}",
    "{\"s\":\"a\",\"n\":11}",
    "{\"s\":\"c\",\"n\":3,\"o\":\"" LONG_TEXT "\"}",
    "{\"o\":\"" LONG_TEXT "\",\"n\":3,\"s\":\"c\"}",
    "{\"n\":\"3\",\"s\":\"a\"}",
    "{\"n\":3}",
    "{\"n\":3,\"s\":\"a\",\"x\":1}",
    "{\"n\":3,\"s\":\"a\"",
    "{'n':3,'s':'a',}",
    "[1,\"two\"]",
    "[1,2,3.5]",
    "null",
    "I would rather talk about the weather.",
    "",
};

/* Where a piece of about len bytes may end: between characters. */
static size_t model_piece(const char *text, size_t len)
{
    const size_t left = strlen(text);

    while (len < left && ((unsigned char)text[len] & 0xC0) == 0x80)
        len++;
    return len < left ? len : left;
}

static void model_speak(struct gate *gate, struct gate_call *call,
                        surety__speech *speech, const char *text)
{
    const surety__model_request *request = speech->request;
    const bool is_tool = request->mode == SURETY_MODE_TOOL;
    const surety__speech_part part = is_tool ? PART_ARGUMENTS : PART_TEXT;
    const size_t most = strlen(text) / 6 + 8;
    const surety__closing closing = {
        .finish = surety_str_of(gate_one_in(gate, 20)   ? "length"
                                : gate_one_in(gate, 40) ? "filter"
                                                        : ""),
        .usage = {.known = true,
                  .input_tokens = request->prompt_bytes / 4,
                  .output_tokens = strlen(text) / 4}};

    speech->tool = request->tool;
    call->usage = closing.usage;
    if (request->stream)
        surety__speech_begin(speech, &closing.usage, &call->body);
    do {
        const size_t len = model_piece(text, 1 + gate_below(gate, most));

        surety__speech_piece(speech, part, (surety_str){text, len},
                             request->stream ? &call->body : NULL);
        text += len;
    } while (*text);
    if (request->stream)
        surety__speech_end(speech, &closing, &call->body);
    else
        surety__speech_whole(speech, &closing, &call->body);
}

/* Whether a text is JSON, which two protocols need for arguments. */
static bool model_is_json(struct gate *gate, const char *text)
{
    return surety_doc_read(gate->bench->value, surety_str_of(text), NULL,
                           NULL) == SURETY_OK;
}

/* Answers a request in the words of its provider. */
static void model_answer(struct gate *gate, struct gate_call *call,
                         const surety__route *route, surety_str body)
{
    const char *text =
        model_replies[gate_below(gate, SURETY__COUNT(model_replies))];
    surety__model_request request;
    surety__problem problem;
    surety__speech speech;
    surety__arena arena;
    surety_error error;

    surety__arena_init(&arena, NULL, 0);
    if (surety_doc_read(gate->bench->doc, body, NULL, NULL) ||
        surety__speak_read(route, surety_doc_root(gate->bench->doc), &arena,
                           &request, &problem, &error)) {
        gate_must(gate, false, "a provider takes what the gateway sends");
    } else {
        if (request.mode == SURETY_MODE_TOOL && !model_is_json(gate, text))
            text = model_replies[0];
        surety__speech_init(&speech, &request, surety_str_of("a1"), NULL);
        speech.created = 1700000000;
        model_speak(gate, call, &speech, text);
        call->headers[0].value = surety__speak_content_type(request.stream);
        surety__speech_done(&speech);
    }
    surety__arena_done(&arena);
}

/* ---- how a call fails ---------------------------------------------------- */

static void model_refuse(struct gate *gate, struct gate_call *call,
                         surety_protocol protocol)
{
    static const int statuses[] = {400, 401, 403, 404, 408, 409,
                                   422, 429, 500, 502, 503, 529};
    static const char *const waits[] = {"0", "1", "20", "61", "-1", "soon"};
    const surety__problem problem = {
        .message = surety_str_of("No " GATE_KEY " here.")};

    call->status = statuses[gate_below(gate, SURETY__COUNT(statuses))];
    if (gate_one_in(gate, 3))
        surety_buf_text(&call->body, "<html><h1>Bad gateway</h1></html>");
    else
        surety__speak_error(protocol, &problem, &call->body);
    if (gate_one_in(gate, 2))
        call->headers[call->header_count++] =
            (surety_header){.name = surety_str_of("Retry-After"),
                            .value = surety_str_of(
                                waits[gate_below(gate, SURETY__COUNT(waits))])};
    if (gate_one_in(gate, 6))
        call->headers[call->header_count++] = (surety_header){
            .name = surety_str_of("x-should-retry"),
            .value = surety_str_of(gate_one_in(gate, 2) ? "true" : "false")};
}

/* There is no answer, or one that ends too early. */
static void model_break(struct gate *gate, struct gate_call *call, bool begun)
{
    static const surety_failure failures[] = {
        SURETY_FAILURE_RESET, SURETY_FAILURE_TIMEOUT, SURETY_FAILURE_TRUNCATED,
        SURETY_FAILURE_CONNECT};

    call->failure = failures[gate_below(gate, begun ? 3 : 4)];
    call->is_sent = begun || (call->failure != SURETY_FAILURE_CONNECT &&
                              gate_one_in(gate, 2));
    call->body.len = begun ? gate_below(gate, call->body.len + 1) : 0;
    if (!begun)
        call->status = 0;
}

static void model_garble(struct gate *gate, struct gate_call *call)
{
    for (size_t i = 0; i < call->body.len; i++)
        if (gate_one_in(gate, 30))
            call->body.ptr[i] = (char)gate_below(gate, 256);
}

static void model_spoil(struct gate *gate, struct gate_call *call)
{
    switch (gate_below(gate, 5)) {
    case 0: model_break(gate, call, false); break;
    case 1: model_break(gate, call, true); break;
    case 2: model_garble(gate, call); break;
    case 3: /* it stalls */
        call->body.len = gate_below(gate, call->body.len + 1);
        call->hangs = true;
        break;
    default:
        surety_buf_reset(&call->body);
        surety_buf_text(&call->body, "<!doctype html><p>Sign in</p>");
        break;
    }
}

/* Answers a request for an object. */
static void model_keep(struct gate *gate, struct gate_call *call,
                       const surety_request *request, size_t object)
{
    const bool is_post =
        surety_str_equal(request->method, surety_str_of("POST"));
    char body[16] = "";

    gate_must(gate, object < gate->object_count, "an object was asked for");
    if (gate->broken)
        return;
    if (is_post)
        snprintf(body, sizeof(body), "\xff{%zu", object);
    gate_must(gate, surety_str_equal(request->body, surety_str_of(body)),
              "the body for an object goes as it is");
    gate_must(gate, !is_post || !gate->are_posted[object],
              "a POST for an object is sent once");
    if (gate_one_in(gate, 6)) {
        model_refuse(gate, call, gate->models[call->model].protocol);
    } else {
        surety__buf_printf(&call->body, "object %zu", object);
        if (gate_one_in(gate, 3))
            model_break(gate, call, gate_one_in(gate, 2));
    }
    if (is_post && call->is_sent)
        gate->are_posted[object] = true;
}

/* ---- the transport ------------------------------------------------------- */

static surety_str request_body(const surety_request *request, surety_buf *all)
{
    if (!request->part_count)
        return request->body;
    for (size_t i = 0; i < request->part_count; i++)
        surety_buf_append(all, request->parts[i].ptr, request->parts[i].len);
    return surety_buf_str(all);
}

/* The path of "http://mN.test/PATH", and N. */
static surety_str request_path(surety_str url, size_t *ret_model)
{
    const size_t host = sizeof("http://m0.test") - 1;
    size_t len = host;

    *ret_model = (size_t)(url.ptr[8] - '0');
    while (len < url.len && url.ptr[len] != '?')
        len++;
    return (surety_str){url.ptr + host, len - host};
}

static struct gate_call *call_take(struct gate *gate)
{
    for (size_t i = 0; i < GATE_CALLS; i++)
        if (!gate->calls[i].is_active)
            return &gate->calls[i];
    abort();
}

static void call_plan(struct gate *gate, struct gate_call *call,
                      const surety_request *request)
{
    const surety_timeouts *timeouts = &request->timeouts;
    const uint64_t total_ms = timeouts->total_ms ? timeouts->total_ms : 600000;

    call->piece_len = 1 + gate_below(gate, gate_one_in(gate, 3) ? 60 : 4000);
    call->gap_ms = gate_one_in(gate, 3) ? gate_below(gate, 3000) : 0;
    call->next_ms =
        gate->now_ms + gate_below(gate, gate_one_in(gate, 8) ? 40000 : 900);
    call->until_ms = gate->now_ms + total_ms;
}

/* The row of a call that starts, which was begun just before; SIZE_MAX: it
 * could not be. */
static size_t call_row(struct gate *gate, size_t model)
{
    const size_t last = gate->row_count - 1;

    if (!gate->row_count || gate->rows[last].model != SIZE_MAX)
        return SIZE_MAX;
    gate->rows[last].model = model;
    return last;
}

static surety_status transport_start(void *ctx, uint64_t id,
                                     const surety_request *request,
                                     const surety_receiver *receiver,
                                     surety_error *reterr)
{
    struct gate *gate = ctx;
    struct gate_call *call = call_take(gate);
    struct gate_model *model;
    surety__route route;
    const enum gate_stream before = gate_draw_from(gate, STREAM_MODELS);
    surety_buf all, kept = call->body;
    const surety_str files = surety_str_of("/files/f");
    surety_str body, path, object;

    (void)reterr;
    surety_buf_init(&all, NULL, 0);
    surety_buf_reset(&kept);
    *call = (struct gate_call){.is_active = true,
                               .id = id,
                               .receiver = *receiver,
                               .status = 200,
                               .body = kept,
                               .is_sent = true,
                               .header_count = 1};
    call->headers[0] =
        (surety_header){.name = surety_str_of("Content-Type"),
                        .value = surety_str_of("application/json")};
    body = request_body(request, &all);
    path = request_path(request->url, &call->model);
    object = path;
    surety__str_skip(&object, surety__str_find(path, files));
    surety__str_skip(&object, object.len ? files.len : 0);
    model = &gate->models[call->model];
    route = surety__route_of(path, model->protocol == SURETY_PROTOCOL_ANTHROPIC,
                             model->protocol == SURETY_PROTOCOL_GEMINI);
    if (gate->how.is_verbose)
        printf("# %8llu ms  > %.*s  %.*s\n", (unsigned long long)gate->now_ms,
               (int)request->url.len, request->url.ptr, (int)body.len,
               body.ptr);
    gate->call_count++;
    gate_begins(gate, &gate->call_ms);
    gate_note(gate, body.ptr, body.len);
    gate_must(gate,
              object.len || (route.kind == ROUTE_CALL &&
                             route.protocol == model->protocol),
              "a call goes to a path of its model");
    gate_must(gate, !gate_has(body, GATE_KEY), "no key is in a body");
    call->row = call_row(gate, call->model);
    call->is_object = object.len > 0;
    model->under_way += !call->is_object;
    gate_must(gate, !model->at_once || model->under_way <= model->at_once,
              "a model has no more calls at once than it may");
    if (object.len) {
        model_keep(gate, call, request, strtoul(object.ptr, NULL, 10));
    } else if (gate_one_in(gate, 8)) {
        model_refuse(gate, call, model->protocol);
    } else {
        model_answer(gate, call, &route, body);
        call->is_right = !gate_one_in(gate, 5);
        if (!call->is_right)
            model_spoil(gate, call);
    }
    call_plan(gate, call, request);
    if (call->body.status)
        abort();
    surety_buf_done(&all);
    gate_draw_from(gate, before);
    return SURETY_OK;
}

static void call_end(struct gate *gate, struct gate_call *call,
                     surety_failure failure)
{
    surety_delivery delivery = {.failure = failure, .sent = call->is_sent};

    if (!failure && call->is_right && call->row != SIZE_MAX) {
        /* A stream of Chat Completions has it where it is asked for. */
        gate->rows[call->row].is_told =
            gate_has(surety_buf_str(&call->body), "usage");
        gate->rows[call->row].usage = call->usage;
    }
    if (failure)
        memcpy(delivery.message, "it broke", 9);
    call->is_active = false;
    gate->models[call->model].under_way -= !call->is_object;
    call->receiver.end(call->receiver.ctx, &delivery);
}

static void transport_cancel(void *ctx, uint64_t id)
{
    struct gate *gate = ctx;

    for (size_t i = 0; i < GATE_CALLS; i++)
        if (gate->calls[i].is_active && gate->calls[i].id == id)
            call_end(gate, &gate->calls[i], SURETY_FAILURE_CANCELLED);
}

static uint64_t call_next_ms(const struct gate_call *call)
{
    const bool waits =
        call->hangs && call->is_head_told && call->told == call->body.len;

    if (!call->is_active)
        return UINT64_MAX;
    return waits || call->next_ms > call->until_ms ? call->until_ms
                                                   : call->next_ms;
}

/* Tells the receiver the next thing. */
static void call_tell(struct gate *gate, struct gate_call *call)
{
    const size_t left = call->body.len - call->told;
    const size_t len = left < call->piece_len ? left : call->piece_len;

    call->next_ms += call->gap_ms;
    if (gate->now_ms >= call->until_ms) {
        call_end(gate, call, SURETY_FAILURE_TIMEOUT);
    } else if (!call->is_head_told && call->status) {
        call->is_head_told = true;
        call->receiver.head(call->receiver.ctx, call->status, call->headers,
                            call->header_count);
    } else if (len && !call->is_stopped) {
        call->is_stopped = !call->receiver.bytes(
            call->receiver.ctx, (surety_str){call->body.ptr + call->told, len});
        call->told += len;
    } else {
        call_end(gate, call,
                 call->is_stopped ? SURETY_FAILURE_CANCELLED : call->failure);
    }
}

/* Rows of the calls that were started are durable before anything is sent. */
static void check_rows(struct gate *gate)
{
    size_t begun = 0;

    for (size_t i = 0; i < gate->row_count; i++) {
        gate_must(gate, !gate->rows[i].begins || gate->ledger_failed,
                  "a row is durable before its call is sent");
        begun += gate->rows[i].is_begun;
    }
    gate_must(gate, begun >= gate->call_count || gate->ledger_failed,
              "each call has a row");
}

static surety_status transport_wait(void *ctx, uint32_t timeout_ms,
                                    surety_error *reterr)
{
    struct gate *gate = ctx;

    (void)timeout_ms;
    (void)reterr;
    if (gate->is_ledger_open && gate_calls_active(gate))
        check_rows(gate);
    for (size_t i = 0; i < GATE_CALLS; i++)
        while (call_next_ms(&gate->calls[i]) <= gate->now_ms)
            call_tell(gate, &gate->calls[i]);
    return SURETY_OK;
}

static void transport_close(void *ctx)
{
    struct gate *gate = ctx;

    gate_must(gate, gate->transports > 0, "a transport is closed once");
    gate->transports--;
}

static int transport_descriptor(void *ctx)
{
    const struct gate *gate = ctx;

    return gate->idle_fd;
}

void gate_transport_make(struct gate *gate)
{
    gate->transport = (surety_transport){3,
                                         gate,
                                         transport_start,
                                         transport_cancel,
                                         transport_wait,
                                         transport_close,
                                         transport_descriptor};
}

uint64_t gate_calls_next_ms(const struct gate *gate)
{
    uint64_t next_ms = UINT64_MAX;

    for (size_t i = 0; i < GATE_CALLS; i++)
        if (call_next_ms(&gate->calls[i]) < next_ms)
            next_ms = call_next_ms(&gate->calls[i]);
    return next_ms;
}

size_t gate_calls_active(const struct gate *gate)
{
    size_t count = 0;

    for (size_t i = 0; i < GATE_CALLS; i++)
        count += gate->calls[i].is_active;
    return count;
}
