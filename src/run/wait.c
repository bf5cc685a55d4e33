/* SPDX-License-Identifier: Apache-2.0 */
/* A run for people who have no loop: step, wait, step. The only place of run/
 * and consensus/ where there is a clock. While an exchange is under way its
 * transport does the waiting; between calls the thread sleeps. Both in slices,
 * so that a signal which was caught between two looks at *cancelled is seen in
 * time. */
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
    uint32_t delay_ms = 0;

    if (!run)
        return surety__fail(reterr, SURETY_MISUSE, "a run is needed");
    for (;;) {
        if (cancelled && *cancelled) {
            surety_run_cancel(run, surety__wait_now());
            return run->status == SURETY_OK ? SURETY_OK
                                            : surety__fail_nomem(reterr);
        }
        status = surety_run_step(run, surety__wait_now(), &delay_ms, reterr);
        if (status != SURETY_MORE)
            return status;
        if (cancelled && delay_ms > SURETY__WAIT_SLICE_MS)
            delay_ms = SURETY__WAIT_SLICE_MS;
        status = wait_slice(run, delay_ms, reterr);
        if (status == SURETY_OK)
            continue;
        surety_run_cancel(run, surety__wait_now());
        return status;
    }
}
