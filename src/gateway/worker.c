/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of one thread: its server, its requests and their runs.
 *
 * A worker has all that its requests need: a server on the port that all
 * workers share, the settings, a connection to the ledger. So no request waits
 * for a lock of another thread's. */
#include "gateway/gateway.h"

enum {
    WORKER_IDLE_MS = 1000, /* longest wait, to see that it is to stop */
    /* Wait while a run's transport moves bytes that has no descriptor which the
     * server could watch: a command. */
    WORKER_BUSY_MS = 1,
    /* More looks for requests before rows are written: each new one costs those
     * that wait some microseconds, and a sync of the disk a hundred. */
    WORKER_LISTENS = 4
};

/* ---- the loop ------------------------------------------------------------ */

/* Takes the settings of a reload. */
static void worker_refresh(surety__worker *worker)
{
    surety__settings *settings = atomic_load(&worker->fresh);

    if (!settings)
        return;
    settings = atomic_exchange(&worker->fresh, NULL);
    surety__settings_leave(worker->settings);
    worker->settings = settings;
}

uint32_t surety__worker_wait_ms(const surety__worker *worker)
{
    const uint64_t now_ms = surety__serve_us() / 1000;
    const uint64_t due_ms = worker->step_ms < worker->telemetry.step_ms
                                ? worker->step_ms
                                : worker->telemetry.step_ms;
    uint64_t wait_ms = WORKER_IDLE_MS;

    if (worker->has_news || due_ms <= now_ms)
        return 0;
    if (due_ms - now_ms < wait_ms)
        wait_ms = due_ms - now_ms;
    for (size_t i = 0; i < worker->used_count; i++)
        if (worker->used[i].fd < 0)
            wait_ms = WORKER_BUSY_MS;
    return (uint32_t)wait_ms;
}

/* Does what the owner asked of all workers. */
static void worker_obey(surety__worker *worker)
{
    const surety_gateway *gateway = worker->gateway;

    worker_refresh(worker);
    if (atomic_load(&gateway->is_leaving))
        surety__server_leave(worker->server);
    if (atomic_load(&gateway->is_draining)) {
        surety__server_refuse(worker->server);
        atomic_store(&worker->busy, surety__server_busy(worker->server));
    }
}

/* Lets the server work. Requests that came while it read others are read too
 * where rows of the ledger wait: they share one transaction. */
static void worker_listen(surety__worker *worker, uint32_t timeout_ms)
{
    const surety_ledger *ledger = worker->ledger;
    size_t waiting = ledger ? ledger->waiting : 0;

    surety__server_step(worker->server, timeout_ms);
    for (int i = 0; ledger && ledger->waiting > waiting && i < WORKER_LISTENS;
         i++) {
        waiting = ledger->waiting;
        surety__server_step(worker->server, 0);
    }
}

void surety__worker_turn(surety__worker *worker, uint32_t timeout_ms)
{
    const uint32_t wait_ms = surety__worker_wait_ms(worker);
    surety_now now;

    worker_obey(worker);
    worker_listen(worker, wait_ms < timeout_ms ? wait_ms : timeout_ms);
    worker->has_news = false;
    surety__rows_flush(worker);
    for (size_t i = 0; i < worker->used_count; i++) {
        surety_transport *transport = worker->used[i].transport;

        (void)transport->wait(transport->ctx, 0, NULL);
    }
    surety__desk_report(worker);
    now = surety__worker_now();
    surety__telemetry_step(worker, now.monotonic_ms, false);
    worker->step_ms = UINT64_MAX;
    for (surety__exchange *exchange = worker->exchanges; exchange;
         exchange = exchange->next) {
        const uint64_t step_ms = surety__exchange_step(exchange, now);

        if (step_ms < worker->step_ms)
            worker->step_ms = step_ms;
    }
    if (worker->gateway->keeper && surety__keeper_step(worker->gateway->keeper))
        worker->has_news = true;
    /* Rows of runs that ended here are written by the next turn, which does not
     * wait, together with those of the requests that it reads. */
    if (worker->ledger && worker->ledger->waiting)
        worker->has_news = true;
}

void *surety__worker_serve(void *ctx)
{
    surety__worker *worker = ctx;
    const surety_gateway *gateway = worker->gateway;

    while (!atomic_load(&gateway->is_stopping))
        surety__worker_turn(worker, UINT32_MAX);
    return NULL;
}

/* ---- opening and closing ------------------------------------------------- */

surety_str surety__worker_ledger(const surety__worker *worker)
{
    const surety_str given = worker->gateway->options.ledger;
    const surety_str url =
        given.len ? given
                  : surety_config_info_of(worker->settings->config)->ledger;

    return surety_str_equal(url, SURETY__LITERAL("none"))
               ? (surety_str){NULL, 0}
               : url;
}

static surety_status worker_open_ledger(surety__worker *worker,
                                        surety_error *reterr)
{
    const surety_config_info *info =
        surety_config_info_of(worker->settings->config);
    const surety_gateway_options *options = &worker->gateway->options;
    const surety_str url = surety__worker_ledger(worker);
    surety_ledger_options ledger = {.size = sizeof(ledger),
                                    .raw = info->ledger_raw,
                                    .alloc = options->alloc};

    if (!url.len)
        return SURETY_OK;
    worker->ledger_url = surety__arena_text(&worker->gateway->arena, url);
    if (!worker->ledger_url.ptr)
        return surety__fail_nomem(reterr);
    return surety_ledger_open(url, &ledger, &worker->ledger, reterr);
}

surety_status surety__worker_open(surety__worker *worker,
                                  surety_gateway *gateway, const int *sockets,
                                  surety_error *reterr)
{
    const surety_gateway_options *options = &gateway->options;
    surety__server_options server = {
        .sockets = sockets,
        .socket_count = gateway->listener_count,
        .service = {.ctx = worker,
                    .request = surety__exchange_request,
                    .pull = surety__exchange_pull,
                    .ended = surety__exchange_ended},
        .body_bytes_max = options->body_bytes_max,
        .connections_max = options->connections_max,
        .connections = &gateway->connections,
        .tls = gateway->tls,
        .alloc = &worker->stock.alloc};
    surety_status status;

    worker->gateway = gateway;
    surety__stock_init(&worker->stock, options->alloc,
                       SURETY__GATEWAY_STOCK_BYTES);
    atomic_init(&worker->busy, SIZE_MAX);
    atomic_init(&worker->fresh, NULL);
    status = surety__server_open(&server, &worker->server, reterr);
    if (!status)
        status = surety__settings_read(gateway, &worker->settings, reterr);
    if (!status)
        status = worker_open_ledger(worker, reterr);
    if (!status)
        status = surety__telemetry_open(worker, reterr);
    return status;
}

void surety__worker_close(surety__worker *worker)
{
    surety__server_close(worker->server);
    assert(!worker->exchanges);
    surety__telemetry_close(worker);
    surety__settings_leave(atomic_load(&worker->fresh));
    surety__settings_leave(worker->settings);
    surety_ledger_close(worker->ledger);
    surety__free(worker->gateway ? worker->gateway->options.alloc : NULL,
                 worker->used, worker->used_cap * sizeof(*worker->used));
    surety__stock_done(&worker->stock);
}
