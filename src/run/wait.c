/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a run for callers without an event loop: step, wait, step. Only this
 * file of run/ and consensus/ reads a clock. While an exchange is under way,
 * its transport waits; between calls the thread sleeps. Both wait in slices,
 * so that a change of *cancelled by a signal handler is noticed soon. */
#include "run/run.h"

#include <time.h>

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

surety_transport *surety__wait_transport(const surety_run *run)
{
    return run->state == STATE_UNDER_WAY ? surety__run_model(run)->transport
                                         : NULL;
}

void surety__late_keep(surety__late *late, surety_status status,
                       const surety_error *error)
{
    if (late->status)
        return;
    late->status = status;
    late->error = *error;
    late->error.status = status;
    /* A caller's own transport may set no message. */
    if (!error->message[0])
        surety__fail(&late->error, status, "a transport's wait failed: %s",
                     surety_status_name(status));
}

surety_status surety__late_tell(const surety__late *late, surety_status status,
                                surety_error *reterr)
{
    if (status || !late->status)
        return status;
    if (reterr)
        *reterr = late->error;
    return late->status;
}

static surety_status wait_slice(surety_run *run, uint32_t delay_ms,
                                surety_error *reterr)
{
    const surety_transport *transport = surety__wait_transport(run);

    if (transport)
        return transport->wait(transport->ctx, delay_ms, reterr);
    surety__wait_sleep(delay_ms);
    return SURETY_OK;
}

surety_status surety_run_wait(surety_run *run, const volatile int *cancelled,
                              surety_error *reterr)
{
    surety_status status = SURETY_OK;
    surety__late late = {.status = SURETY_OK};
    surety_error error = {.status = SURETY_OK};
    uint32_t delay_ms = 0;

    if (!run)
        return surety__fail(reterr, SURETY_MISUSE, "a run is needed");
    for (;;) {
        if (cancelled && *cancelled) {
            surety_run_cancel(run, surety__wait_now());
            return run->store.status == SURETY_OK ? SURETY_OK
                                                  : surety__fail_nomem(reterr);
        }
        status = surety_run_step(run, surety__wait_now(), &delay_ms, reterr);
        if (status != SURETY_MORE)
            return surety__late_tell(&late, status, reterr);
        if (cancelled && delay_ms > SURETY__WAIT_SLICE_MS)
            delay_ms = SURETY__WAIT_SLICE_MS;
        status = wait_slice(run, delay_ms, &error);
        if (status == SURETY_OK)
            continue;
        surety__late_keep(&late, status, &error);
        if (run->state == STATE_UNDER_WAY && run->exchange.ended)
            continue;
        surety_run_cancel(run, surety__wait_now());
        return surety__late_tell(&late, SURETY_OK, reterr);
    }
}
