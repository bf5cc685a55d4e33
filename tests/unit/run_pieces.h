/* SPDX-License-Identifier: Apache-2.0 */
/* A model for tests of runs whose replies come in pieces that chance cuts, over
 * the protocol `text`: the bytes of the wire are those of the reply. */
#ifndef SURETY_TESTS_RUN_PIECES_H
#define SURETY_TESTS_RUN_PIECES_H

#include "check.h"

#include <surety/run.h>

#include <stdlib.h>

enum { PIECES_REPLIES = 4 };

struct pieces {
    surety_transport transport;
    surety_model model;
    uint64_t state;                     /* of chance */
    surety_buf replies[PIECES_REPLIES]; /* one for each call */
    size_t piece_max;                   /* bytes; 0: a reply comes whole */
    size_t calls;
    size_t at; /* bytes of the reply at hand that were given */
    bool active;
    uint64_t id;
    surety_receiver receiver;
};

static inline uint32_t pieces_next(struct pieces *pieces, uint32_t below)
{
    pieces->state = pieces->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(pieces->state >> 33) % below;
}

static inline surety_status pieces_start(void *ctx, uint64_t id,
                                         const surety_request *request,
                                         const surety_receiver *receiver,
                                         surety_error *reterr)
{
    struct pieces *pieces = ctx;

    (void)request;
    (void)reterr;
    if (pieces->active || pieces->calls >= PIECES_REPLIES)
        abort();
    pieces->active = true;
    pieces->id = id;
    pieces->at = 0;
    pieces->receiver = *receiver;
    pieces->calls++;
    return SURETY_OK;
}

static inline void pieces_end(struct pieces *pieces, surety_failure failure)
{
    const surety_delivery delivery = {.failure = failure, .sent = true};

    pieces->active = false;
    pieces->receiver.end(pieces->receiver.ctx, &delivery);
}

static inline void pieces_cancel(void *ctx, uint64_t id)
{
    struct pieces *pieces = ctx;

    if (pieces->active && pieces->id == id)
        pieces_end(pieces, SURETY_FAILURE_CANCELLED);
}

/* Gives the next piece, or the end. */
static inline surety_status pieces_wait(void *ctx, uint32_t timeout_ms,
                                        surety_error *reterr)
{
    struct pieces *pieces = ctx;
    surety_str reply;
    size_t len;

    (void)timeout_ms;
    (void)reterr;
    if (!pieces->active)
        return SURETY_OK;
    reply = surety_buf_str(&pieces->replies[pieces->calls - 1]);
    len = reply.len - pieces->at;
    if (!pieces->at)
        pieces->receiver.head(pieces->receiver.ctx, 200, NULL, 0);
    if (pieces->piece_max && len) {
        const size_t some =
            1 + pieces_next(pieces, (uint32_t)pieces->piece_max);

        len = some < len ? some : len;
    }
    pieces->at += len;
    if (len)
        (void)pieces->receiver.bytes(
            pieces->receiver.ctx,
            (surety_str){reply.ptr + pieces->at - len, len});
    if (pieces->active && pieces->at == reply.len)
        pieces_end(pieces, SURETY_FAILURE_NONE);
    return SURETY_OK;
}

static inline void pieces_close(void *ctx)
{
    (void)ctx;
}

static inline void pieces_init(struct pieces *pieces, struct check *t,
                               uint64_t seed)
{
    *pieces = (struct pieces){.state = seed};
    pieces->transport = (surety_transport){
        1,           pieces,       pieces_start, pieces_cancel,
        pieces_wait, pieces_close, NULL};
    pieces->model =
        (surety_model){.size = sizeof(surety_model),
                       .name = surety_str_of("m"),
                       .provider = surety_str_of("p"),
                       .model = surety_str_of("m"),
                       .protocol = SURETY_PROTOCOL_TEXT,
                       .base_url = surety_str_of("http://localhost/v1"),
                       .mode = SURETY_MODE_PROMPT,
                       .transport = &pieces->transport};
    for (size_t i = 0; i < PIECES_REPLIES; i++)
        surety_buf_init(&pieces->replies[i], check_alloc(t), 0);
}

static inline void pieces_done(struct pieces *pieces)
{
    for (size_t i = 0; i < PIECES_REPLIES; i++)
        surety_buf_done(&pieces->replies[i]);
}

/* Steps until the run has ended. */
static inline surety_status pieces_go(struct pieces *pieces, surety_run *run)
{
    uint64_t now_ms = 1000;

    for (;;) {
        uint32_t delay_ms = 0;
        const surety_now now = {now_ms, 1700000000000 + (int64_t)now_ms};
        const surety_status status = surety_run_step(run, now, &delay_ms, NULL);

        if (status != SURETY_MORE)
            return status;
        now_ms += pieces->active ? 1 : delay_ms;
        (void)pieces_wait(pieces, delay_ms, NULL);
    }
}

#endif
