/* SPDX-License-Identifier: Apache-2.0 */
/* record.c: a transport around another one that records its exchanges.
 *
 * Each exchange has a tape: the request without its secrets, taken at start,
 * then every call of its receiver with its time. When the exchange ends, the
 * tape becomes one line, and only after the line was passed on does the
 * receiver get the end: everything that a receiver uses has been recorded.
 *
 * A recorder never changes an exchange. If the line cannot be written, or
 * memory for the tape runs out, the exchange ends as it would have, and the
 * next wait returns the failure once. */
#include "provider/provider.h"
#include "provider/recording.h"
#include "provider/redact.h"
#include "provider/transport.h"

struct recorder;

/* One exchange under way. */
struct recorder_tape {
    struct recorder_tape *next;
    struct recorder *recorder;
    surety_receiver receiver;
    uint64_t id;
    uint64_t last_ms; /* time of the event before */
    surety__arena arena;
    surety__secrets secrets;
    surety__exchange exchange;
    surety__portion *portions;
    size_t portion_cap;
    bool starved; /* out of memory: the tape is incomplete */
};

struct recorder {
    surety_transport transport;
    const surety_alloc *alloc;
    surety_transport *inner;
    surety_status (*write)(void *ctx, surety_str line);
    void *write_ctx;
    struct recorder_tape *tapes;
    surety_doc *doc;
    surety_buf line;
    surety_status failed; /* the failure of a write; the next wait returns it */
};

static void recorder_free_tape(struct recorder_tape *tape)
{
    surety__free(tape->recorder->alloc, tape->portions,
                 tape->portion_cap * sizeof(*tape->portions));
    surety__arena_done(&tape->arena);
    surety__free(tape->recorder->alloc, tape, sizeof(*tape));
}

static void recorder_unlink(struct recorder_tape *tape)
{
    struct recorder_tape **place = &tape->recorder->tapes;

    while (*place != tape)
        place = &(*place)->next;
    *place = tape->next;
}

static uint32_t recorder_time(struct recorder_tape *tape)
{
    const uint64_t now_ms = surety__clock_ms();
    const uint64_t distance = now_ms - tape->last_ms;

    tape->last_ms = now_ms;
    return distance < UINT32_MAX ? (uint32_t)distance : UINT32_MAX;
}

/* ---- calls of the inner transport ---------------------------------------- */

static void recorder_head(void *ctx, int status, const surety_header *headers,
                          size_t count)
{
    struct recorder_tape *tape = ctx;
    surety_header *copies =
        surety__arena_take(&tape->arena, (count + 1) * sizeof(*copies));

    for (size_t i = 0; copies && i < count; i++) {
        copies[i].name = surety__arena_text(&tape->arena, headers[i].name);
        copies[i].value = surety__arena_text(&tape->arena, headers[i].value);
        if (!copies[i].name.ptr || !copies[i].value.ptr)
            copies = NULL;
    }
    if (!copies)
        tape->starved = true;
    tape->exchange.has_head = true;
    tape->exchange.head_after_ms = recorder_time(tape);
    tape->exchange.status = status;
    tape->exchange.response_headers = copies;
    tape->exchange.response_header_count = copies ? count : 0;
    tape->receiver.head(tape->receiver.ctx, status, headers, count);
}

static bool recorder_bytes(void *ctx, surety_str bytes)
{
    struct recorder_tape *tape = ctx;
    const size_t count = tape->exchange.portion_count;
    surety__portion portion = {.after_ms = recorder_time(tape)};

    assert(count <= tape->portion_cap);
    if (!tape->starved) {
        portion.bytes = surety__arena_text(&tape->arena, bytes);
        if (!portion.bytes.ptr ||
            surety__grow(tape->recorder->alloc, &tape->portions,
                         &tape->portion_cap, count + 1, sizeof(portion),
                         SIZE_MAX)) {
            tape->starved = true;
        } else {
            tape->portions[count] = portion;
            tape->exchange.portion_count++;
        }
    }
    return tape->receiver.bytes(tape->receiver.ctx, bytes);
}

static surety_status recorder_write(struct recorder_tape *tape)
{
    struct recorder *recorder = tape->recorder;
    surety_status status;

    tape->exchange.portions = tape->portions;
    if (tape->starved)
        return SURETY_NOMEM;
    status =
        surety__redact_response(&tape->secrets, &tape->arena, &tape->exchange);
    surety_buf_reset(&recorder->line);
    if (!status)
        status = surety__exchange_write(&tape->exchange, recorder->doc,
                                        &recorder->line);
    if (!status)
        status = recorder->write(recorder->write_ctx,
                                 surety_buf_str(&recorder->line));
    return status;
}

static void recorder_end(void *ctx, const surety_delivery *delivery)
{
    struct recorder_tape *tape = ctx;
    struct recorder *recorder = tape->recorder;
    const surety_receiver receiver = tape->receiver;
    surety_status status;

    recorder_unlink(tape);
    tape->exchange.end_after_ms = recorder_time(tape);
    tape->exchange.delivery = *delivery;
    status = recorder_write(tape);
    if (status && !recorder->failed)
        recorder->failed = status;
    recorder_free_tape(tape);
    receiver.end(receiver.ctx, delivery);
}

/* ---- the transport ------------------------------------------------------- */

static surety_status recorder_begin(struct recorder_tape *tape,
                                    const surety_request *request,
                                    surety_request *ret_request)
{
    surety_header *headers = surety__arena_take(
        &tape->arena, (request->header_count + 1) * sizeof(*headers));
    const surety_header *model = surety__header_find(
        request->headers, request->header_count, "x-surety-model");
    const surety_header *protocol = surety__header_find(
        request->headers, request->header_count, "x-surety-protocol");
    surety_status status;
    size_t count = 0;

    if (protocol)
        (void)surety__protocol_named(protocol->value, &tape->exchange.protocol);
    if (model)
        tape->exchange.model = surety__arena_text(&tape->arena, model->value);
    if (!headers || (model && !tape->exchange.model.ptr))
        return SURETY_NOMEM;
    status = surety__secrets_of(request, &tape->arena, &tape->secrets);
    if (!status)
        status = surety__redact_request(&tape->secrets, request, &tape->arena,
                                        &tape->exchange);
    for (size_t i = 0; i < request->header_count; i++)
        if (!surety__header_is_internal(request->headers[i].name))
            headers[count++] = request->headers[i];
    *ret_request = *request;
    ret_request->headers = headers;
    ret_request->header_count = count;
    return status;
}

static surety_status recorder_start(void *ctx, uint64_t id,
                                    const surety_request *request,
                                    const surety_receiver *receiver,
                                    surety_error *reterr)
{
    struct recorder *recorder = ctx;
    struct recorder_tape *tape;
    surety_receiver ours = {
        .head = recorder_head, .bytes = recorder_bytes, .end = recorder_end};
    surety_request own, passed;
    surety_status status =
        surety__options_take(&own, sizeof(own), request, reterr);

    if (status)
        return status;
    tape = surety__new(recorder->alloc, sizeof(*tape));
    if (!tape)
        return surety__fail_nomem(reterr);
    ours.ctx = tape;
    tape->recorder = recorder;
    tape->receiver = *receiver;
    tape->id = id;
    tape->last_ms = surety__clock_ms();
    surety__arena_init(&tape->arena, recorder->alloc, 0);
    if (recorder_begin(tape, &own, &passed)) {
        recorder_free_tape(tape);
        return surety__fail_nomem(reterr);
    }
    tape->next = recorder->tapes;
    recorder->tapes = tape;
    /* The inner transport may end the exchange, which frees the tape, before
     * start returns; but not if start fails. */
    status = recorder->inner->start(recorder->inner->ctx, id, &passed, &ours,
                                    reterr);
    if (status) {
        recorder_unlink(tape);
        recorder_free_tape(tape);
    }
    return status;
}

static void recorder_cancel(void *ctx, uint64_t id)
{
    struct recorder *recorder = ctx;

    recorder->inner->cancel(recorder->inner->ctx, id);
}

static surety_status recorder_failed(struct recorder *recorder,
                                     surety_error *reterr)
{
    const surety_status status = recorder->failed;

    recorder->failed = SURETY_OK;
    if (status == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    return surety__fail(reterr, status, "an exchange could not be recorded: %s",
                        surety_status_name(status));
}

static surety_status recorder_wait(void *ctx, uint32_t timeout_ms,
                                   surety_error *reterr)
{
    struct recorder *recorder = ctx;
    surety_status status;

    if (recorder->failed)
        return recorder_failed(recorder, reterr);
    status = recorder->inner->wait(recorder->inner->ctx, timeout_ms, reterr);
    return !status && recorder->failed ? recorder_failed(recorder, reterr)
                                       : status;
}

static void recorder_close(void *ctx)
{
    struct recorder *recorder = ctx;

    if (recorder->inner)
        recorder->inner->close(recorder->inner->ctx);
    surety_doc_free(recorder->doc);
    surety_buf_done(&recorder->line);
    surety__free(recorder->alloc, recorder, sizeof(*recorder));
}

surety_status surety_record_open(
    surety_transport *inner, surety_status (*write)(void *ctx, surety_str line),
    void *ctx, const surety_alloc *alloc, surety_transport **ret_transport,
    surety_error *reterr)
{
    struct recorder *recorder = surety__new(alloc, sizeof(*recorder));

    if (!recorder)
        return surety__fail_nomem(reterr);
    *recorder = (struct recorder){
        .alloc = alloc,
        .write = write,
        .write_ctx = ctx,
        .transport = {.version = 1,
                      .ctx = recorder,
                      .start = recorder_start,
                      .cancel = recorder_cancel,
                      .wait = recorder_wait,
                      .close = recorder_close},
    };
    surety_buf_init(&recorder->line, alloc, 0);
    recorder->doc = surety_doc_new(alloc);
    if (!recorder->doc) {
        recorder_close(recorder);
        return surety__fail_nomem(reterr);
    }
    recorder->inner = inner;
    *ret_transport = &recorder->transport;
    return SURETY_OK;
}
