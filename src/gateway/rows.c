/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of requests in the ledger, written together: each turn of a worker's
 * loop is one transaction, however many runs it steps. It has the first rows of
 * the requests that the turn read, and the last ones of those that ended in the
 * turn before.
 *
 * What a row promises holds by the order of a turn (worker.c): rows that runs
 * wrote are durable before their transports move a byte, and before the server
 * gives out an answer. So no transport may send when it is only started: a
 * worker that uses one without a descriptor, a command, writes each row at
 * once.
 *
 * A worker whose rows cannot be written tries it again by itself: while it
 * cannot, /readyz says so, and then no request may come that would try it. */
#include "gateway/gateway.h"

enum {
    ROWS_AGAIN_MS = 1000,
    /* A try waits for a server that does not answer: at most a fifth of a
     * worker's time. */
    ROWS_AGAIN_TIMES = 4
};

static bool rows_group(const surety__worker *worker)
{
    for (size_t i = 0; i < worker->used_count; i++)
        if (worker->used[i].fd < 0)
            return false;
    return true;
}

/* Notes that rows could not be written; took_ms: the try. */
static void rows_lose(surety__worker *worker, uint64_t took_ms)
{
    const uint64_t pause_ms = took_ms * ROWS_AGAIN_TIMES;

    if (!worker->lost_ms)
        atomic_fetch_add(&worker->gateway->unwritten, 1);
    worker->lost_ms = surety__serve_us() / 1000 +
                      (pause_ms > ROWS_AGAIN_MS ? pause_ms : ROWS_AGAIN_MS);
}

static void rows_find(surety__worker *worker)
{
    if (worker->lost_ms)
        atomic_fetch_sub(&worker->gateway->unwritten, 1);
    worker->lost_ms = 0;
}

/* Whether there are rows to write, or it is time to look whether any can be
 * written again. */
static bool rows_are_due(const surety__worker *worker)
{
    return worker->ledger->waiting ||
           (worker->lost_ms && surety__serve_us() / 1000 >= worker->lost_ms);
}

size_t surety__rows_open(surety__worker *worker)
{
    surety_ledger *ledger = worker->ledger;

    if (!ledger)
        return 0;
    ledger->grouped = rows_group(worker);
    return ledger->waiting;
}

void surety__rows_close(surety__exchange *exchange, size_t waiting)
{
    const surety_ledger *ledger = exchange->worker->ledger;

    if (ledger && ledger->waiting > waiting)
        exchange->owed.waits = true;
    /* It wrote its rows itself. */
    if (surety_run_info_of(exchange->run)->verdict == SURETY_RUN_LEDGER)
        rows_lose(exchange->worker, 0);
}

/* Ends a request whose rows could not be written. */
static void rows_refuse(surety__exchange *exchange, const surety_error *error)
{
    exchange->owed.why =
        surety__arena_text(&exchange->arena, surety_str_of(error->message));
    exchange->owed.is_lost = true;
    surety_run_cancel(exchange->run, surety__worker_now());
    surety__admit_settle(exchange);
    surety__guard_look(exchange);
}

void surety__rows_flush(surety__worker *worker)
{
    surety_ledger *ledger = worker->ledger;
    surety_error error;
    uint64_t start_ms;
    bool failed;

    if (!ledger || !rows_are_due(worker))
        return;
    start_ms = worker->lost_ms ? surety__serve_us() / 1000 : 0;
    failed = ledger->flush(ledger->ctx, &error) != SURETY_OK;
    if (!failed)
        rows_find(worker);
    else
        rows_lose(worker, start_ms ? surety__serve_us() / 1000 - start_ms : 0);
    for (surety__exchange *exchange = worker->exchanges; exchange;
         exchange = exchange->next) {
        const surety__settings *settings = exchange->ask.settings;

        if (!exchange->owed.waits)
            continue;
        exchange->owed.waits = false;
        if (failed && !surety_config_info_of(settings->config)->ledger_optional)
            rows_refuse(exchange, &error);
        if (surety_run_info_of(exchange->run)->verdict == SURETY_RUN_PENDING)
            continue;
        worker->has_news = true; /* the server gives its answer out */
        surety__serving_wake(exchange->serving);
    }
}
