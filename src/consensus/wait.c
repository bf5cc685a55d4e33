/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a consensus for callers without an event loop. If all runs share one
 * transport, it waits for all of them. Several transports wait in short turns,
 * since a transport knows only its own exchanges. If no exchange is under way,
 * the thread sleeps. */
#include "consensus/consensus.h"

enum { AWAIT_TURN_MS = 10 };

/* The transports that have an exchange under way, each once. */
static size_t await_transports(const surety_consensus *consensus,
                               surety_transport **transports)
{
    size_t count = 0;

    for (size_t i = 0; i <= consensus->member_count; i++) {
        const surety_run *run = consensus->parties[i].run;
        surety_transport *transport = run ? surety__wait_transport(run) : NULL;
        size_t at = 0;

        while (at < count && transports[at] != transport)
            at++;
        if (transport && at == count)
            transports[count++] = transport;
    }
    return count;
}

/* Whether an exchange has ended and its run was not stepped since. */
static bool await_has_ended(const surety_consensus *consensus)
{
    for (size_t i = 0; i <= consensus->member_count; i++) {
        const surety_run *run = consensus->parties[i].run;

        if (run && run->state == STATE_UNDER_WAY && run->exchange.ended)
            return true;
    }
    return false;
}

static surety_status await_slice(const surety_consensus *consensus,
                                 uint32_t delay_ms, surety_error *reterr)
{
    surety_transport *transports[SURETY_VOTERS_MAX + 1];
    const size_t count = await_transports(consensus, transports);
    surety_status status = SURETY_OK;

    if (count == 0)
        surety__wait_sleep(delay_ms);
    if (count > 1 && delay_ms > AWAIT_TURN_MS)
        delay_ms = AWAIT_TURN_MS;
    for (size_t i = 0; i < count && status == SURETY_OK; i++)
        status = transports[i]->wait(transports[i]->ctx, delay_ms, reterr);
    return status;
}

surety_status surety_consensus_wait(surety_consensus *consensus,
                                    const volatile int *cancelled,
                                    surety_error *reterr)
{
    surety_status status = SURETY_OK;
    surety__late late = {.status = SURETY_OK};
    surety_error error = {.status = SURETY_OK};
    uint32_t delay_ms = 0;

    if (!consensus)
        return surety__fail(reterr, SURETY_MISUSE, "a consensus is needed");
    for (;;) {
        if (cancelled && *cancelled) {
            surety_consensus_cancel(consensus, surety__wait_now());
            return consensus->status == SURETY_OK ? SURETY_OK
                                                  : surety__fail_nomem(reterr);
        }
        status = surety_consensus_step(consensus, surety__wait_now(), &delay_ms,
                                       reterr);
        if (status != SURETY_MORE)
            return surety__late_tell(&late, status, reterr);
        if (cancelled && delay_ms > SURETY__WAIT_SLICE_MS)
            delay_ms = SURETY__WAIT_SLICE_MS;
        status = await_slice(consensus, delay_ms, &error);
        if (status == SURETY_OK)
            continue;
        surety__late_keep(&late, status, &error);
        if (await_has_ended(consensus))
            continue;
        surety_consensus_cancel(consensus, surety__wait_now());
        return surety__late_tell(&late, SURETY_OK, reterr);
    }
}
