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
 * once. */
#include "gateway/gateway.h"

static bool rows_group(const surety__worker *worker)
{
    for (size_t i = 0; i < worker->used_count; i++)
        if (worker->used[i].fd < 0)
            return false;
    return true;
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
    bool failed;

    if (!ledger || !ledger->waiting)
        return;
    failed = ledger->flush(ledger->ctx, &error) != SURETY_OK;
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
