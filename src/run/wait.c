/* SPDX-License-Identifier: Apache-2.0 */
/* Steps a run or a consensus for callers without an event loop: step, wait,
 * step. Only this file of run/ and consensus/ reads a clock.
 *
 * Rules:
 * 1. While exchanges are under way, their transports wait; otherwise the
 *    thread sleeps. One transport waits for all of its exchanges. Several
 *    transports wait in short turns, since each knows only its own.
 * 2. If the caller may cancel, each wait is short, so that a change of
 *    *cancelled by a signal handler is noticed soon.
 * 3. A transport that fails although an exchange has ended, such as a recorder
 *    that cannot write, ends nothing: the answer is complete and paid for. The
 *    caller gets the first such failure at the end. */
#include "run/run.h"

#include <time.h>

enum {
    WAIT_SLICE_MS = 50, /* the longest wait between two looks at *cancelled */
    WAIT_TURN_MS = 10   /* of one of several transports */
};

static uint64_t wait_clock(clockid_t clock)
{
    struct timespec time = {0};

    (void)clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

surety_now surety__wait_now(void)
{
    return (surety_now){.monotonic_ms = wait_clock(CLOCK_MONOTONIC),
                        .unix_ms = (int64_t)wait_clock(CLOCK_REALTIME)};
}

void surety__wait_sleep(uint32_t delay_ms)
{
    const struct timespec time = {
        .tv_sec = (time_t)(delay_ms / 1000),
        .tv_nsec = (long)(delay_ms % 1000) * 1000000,
    };

    (void)nanosleep(&time, NULL);
}

enum { WAIT_TRANSPORTS_MAX = SURETY__WAIT_RUNS_MAX * SURETY__STEPS_AT_ONCE };

/* Adds a transport that is not in the list. NULL: none. */
static size_t wait_add(surety_transport **transports, size_t count,
                       surety_transport *transport)
{
    size_t at = 0;

    while (at < count && transports[at] != transport)
        at++;
    assert(at < WAIT_TRANSPORTS_MAX);
    if (transport && at == count)
        transports[count++] = transport;
    return count;
}

/* The transports that have an exchange under way, each once. */
static size_t wait_transports(const surety__waited *waited,
                              surety_transport **transports)
{
    size_t count = 0;

    for (size_t i = 0; i < waited->run_count; i++) {
        const surety_run *run = waited->run_at(waited->ctx, i);

        if (run && run->state == STATE_UNDER_WAY)
            count = wait_add(transports, count, run->exchange.model->transport);
        if (!run || run->state != STATE_STEPS)
            continue;
        for (size_t j = 0; j < run->steps.count - run->steps.first; j++)
            count = wait_add(transports, count,
                             surety__steps_transport(&run->steps, j));
    }
    return count;
}

/* Whether an exchange has ended and its run was not stepped since. */
static bool wait_has_ended(const surety__waited *waited)
{
    for (size_t i = 0; i < waited->run_count; i++) {
        const surety_run *run = waited->run_at(waited->ctx, i);

        if (run && run->state == STATE_UNDER_WAY && run->exchange.ended)
            return true;
        if (run && run->state == STATE_STEPS &&
            surety__steps_has_ended(&run->steps))
            return true;
    }
    return false;
}

static surety_status wait_slice(const surety__waited *waited, uint32_t delay_ms,
                                surety_error *reterr)
{
    surety_transport *transports[WAIT_TRANSPORTS_MAX];
    const size_t count = wait_transports(waited, transports);
    surety_status status = SURETY_OK;

    if (count == 0)
        surety__wait_sleep(delay_ms);
    if (count > 1 && delay_ms > WAIT_TURN_MS)
        delay_ms = WAIT_TURN_MS;
    for (size_t i = 0; i < count && status == SURETY_OK; i++)
        status = transports[i]->wait(transports[i]->ctx, delay_ms, reterr);
    return status;
}

surety_status surety__wait(const surety__waited *waited,
                           const volatile int *cancelled, surety_error *reterr)
{
    surety_status late = SURETY_OK; /* the failure of rule 3 */
    surety_error late_error;
    bool ends = false;

    assert(waited->run_count <= SURETY__WAIT_RUNS_MAX);
    for (;;) {
        surety_error error = {.status = SURETY_OK};
        uint32_t delay_ms = 0;
        surety_status status;

        if (cancelled && *cancelled) {
            ends = true;
            late = SURETY_OK;
        }
        if (ends)
            waited->cancel(waited->ctx, surety__wait_now());
        status =
            waited->step(waited->ctx, surety__wait_now(), &delay_ms, reterr);
        if (status == SURETY_OK && late != SURETY_OK && reterr)
            *reterr = late_error;
        if (status != SURETY_MORE)
            return status == SURETY_OK ? late : status;
        assert(!ends);
        if (cancelled && delay_ms > WAIT_SLICE_MS)
            delay_ms = WAIT_SLICE_MS;
        status = wait_slice(waited, delay_ms, &error);
        if (status == SURETY_OK)
            continue;
        ends = !wait_has_ended(waited);
        if (late != SURETY_OK)
            continue;
        /* A caller's own transport may set no message. */
        if (!error.message[0])
            surety__fail(&error, status, "a transport's wait failed: %s",
                         surety_status_name(status));
        late = status;
        late_error = error;
        late_error.status = status;
    }
}

static const surety_run *wait_own(const void *ctx, size_t i)
{
    (void)i;
    return ctx;
}

static surety_status wait_step(void *ctx, surety_now now,
                               uint32_t *ret_delay_ms, surety_error *reterr)
{
    return surety_run_step(ctx, now, ret_delay_ms, reterr);
}

static void wait_cancel(void *ctx, surety_now now)
{
    surety_run_cancel(ctx, now);
}

surety_status surety_run_wait(surety_run *run, const volatile int *cancelled,
                              surety_error *reterr)
{
    const surety__waited waited = {run, wait_step, wait_cancel, wait_own, 1};

    return surety__wait(&waited, cancelled, reterr);
}
