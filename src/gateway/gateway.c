/* SPDX-License-Identifier: Apache-2.0 */
/* The gateway as a whole: its threads, and what its owner asks of them. */
#include "gateway/gateway.h"

#include <signal.h>

enum {
    GATEWAY_THREADS_MAX = 256,
    GATEWAY_CONNECTIONS = 16384,
    GATEWAY_REQUESTS = 4096,
    /* With a second a call and 16 calls at once, the last that waits does so
     * for a minute, as long as clients do. */
    GATEWAY_WAITING = 1000,
    /* More than a run's own retries, so that one bad run does not do it. */
    GATEWAY_FAILURES = 5,
    GATEWAY_PAUSE_MS = 30000,
    GATEWAY_DRAIN_STEP_US = 5000
};

/* ---- opening ------------------------------------------------------------- */

/* Copies the texts of the options, and fills in the defaults. */
static surety_status gateway_take(surety_gateway *gateway, surety_error *reterr)
{
    surety_gateway_options *options = &gateway->options;
    surety_str *const texts[] = {
        &options->address,     &options->config,        &options->contracts,
        &options->ledger,      &options->otlp_endpoint, &options->otlp_headers,
        &options->service_name};

    for (size_t i = 0; i < SURETY__COUNT(texts); i++) {
        if (!texts[i]->len)
            continue;
        *texts[i] = surety__arena_text(&gateway->arena, *texts[i]);
        if (!texts[i]->ptr)
            return surety__fail_nomem(reterr);
    }
    if (!options->threads)
        options->threads = 1;
    if (!options->connections_max)
        options->connections_max = GATEWAY_CONNECTIONS;
    if (!options->requests_max)
        options->requests_max = GATEWAY_REQUESTS;
    if (!options->waiting_max)
        options->waiting_max = GATEWAY_WAITING;
    if (!options->model_failures_max)
        options->model_failures_max = GATEWAY_FAILURES;
    if (!options->model_pause_ms)
        options->model_pause_ms = GATEWAY_PAUSE_MS;
    if (options->threads > GATEWAY_THREADS_MAX)
        return surety__fail(reterr, SURETY_MISUSE,
                            "%u threads are more than 256",
                            (unsigned)options->threads);
    return SURETY_OK;
}

/* Starts the workers' threads, which get no signals: those are for the
 * caller's. */
static surety_status gateway_start(surety_gateway *gateway,
                                   surety_error *reterr)
{
    sigset_t all, before;
    int failed = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    for (size_t i = 0; i < gateway->count && !failed; i++) {
        surety__worker *worker = &gateway->workers[i];

        failed =
            pthread_create(&worker->thread, NULL, surety__worker_serve, worker);
        worker->is_threaded = !failed;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed)
        return surety__fail(reterr, SURETY_IO, "a thread cannot start: %s",
                            strerror(failed));
    return SURETY_OK;
}

static surety_status gateway_open_keys(surety_gateway *gateway,
                                       surety_error *reterr)
{
    const surety_str url = surety__worker_ledger(&gateway->workers[0]);

    if (url.len)
        return surety__keeper_open(url, gateway->options.alloc,
                                   &gateway->keeper, reterr);
    surety__fail(reterr, SURETY_MISUSE,
                 "keys are in a ledger, and there is none");
    surety__hint(reterr, "name a database for the ledger");
    return SURETY_MISUSE;
}

surety_status surety_gateway_open(const surety_gateway_options *options,
                                  surety_gateway **ret_gateway,
                                  surety_error *reterr)
{
    surety_gateway_options own;
    surety_gateway *gateway;
    surety_status status;

    if (surety__options_take(&own, sizeof(own), options, reterr))
        return SURETY_MISUSE;
    gateway = surety__new(own.alloc, sizeof(*gateway));
    if (!gateway)
        return surety__fail_nomem(reterr);
    gateway->options = own;
    pthread_mutex_init(&gateway->log_lock, NULL);
    pthread_mutex_init(&gateway->guard_lock, NULL);
    surety__arena_init(&gateway->arena, own.alloc, 0);
    status = gateway_take(gateway, reterr);
    if (!status) {
        gateway->workers = surety__new(
            own.alloc, gateway->options.threads * sizeof(*gateway->workers));
        status = gateway->workers ? SURETY_OK : surety__fail_nomem(reterr);
    }
    if (!status)
        gateway->count = gateway->options.threads;
    gateway->port = own.port;
    gateway->started_ms = surety__worker_now().unix_ms;
    for (size_t i = 0; i < gateway->count && !status; i++) {
        status = surety__worker_open(&gateway->workers[i], gateway,
                                     gateway->port, reterr);
        if (!status)
            gateway->port = surety__server_port(gateway->workers[i].server);
    }
    if (!status && gateway->options.keys)
        status = gateway_open_keys(gateway, reterr);
    if (!status)
        status = gateway_start(gateway, reterr);
    if (status)
        surety_gateway_close(gateway);
    else
        *ret_gateway = gateway;
    return status;
}

uint16_t surety_gateway_port(const surety_gateway *gateway)
{
    return gateway->port;
}

/* ---- while it serves ----------------------------------------------------- */

static void gateway_wake(surety_gateway *gateway)
{
    for (size_t i = 0; i < gateway->count; i++)
        if (gateway->workers[i].server)
            surety__server_wake(gateway->workers[i].server);
}

surety_status surety_gateway_reload(surety_gateway *gateway,
                                    surety_error *reterr)
{
    surety__settings *checked;
    const surety_status status =
        surety__settings_read(&gateway->options, &checked, reterr);

    if (status)
        return status;
    surety__settings_leave(checked);
    atomic_fetch_add(&gateway->generation, 1);
    gateway_wake(gateway);
    return SURETY_OK;
}

bool surety_gateway_drain(surety_gateway *gateway, uint32_t timeout_ms)
{
    const uint64_t end =
        surety__worker_now().monotonic_ms + (uint64_t)timeout_ms;

    atomic_store(&gateway->is_draining, true);
    gateway_wake(gateway);
    while (atomic_load(&gateway->requests) > 0 &&
           surety__worker_now().monotonic_ms < end) {
        const struct timespec pause = {0, GATEWAY_DRAIN_STEP_US * 1000};

        nanosleep(&pause, NULL);
    }
    return atomic_load(&gateway->requests) == 0;
}

void surety_gateway_close(surety_gateway *gateway)
{
    if (!gateway)
        return;
    atomic_store(&gateway->is_stopping, true);
    gateway_wake(gateway);
    for (size_t i = 0; i < gateway->count; i++) {
        surety__worker *worker = &gateway->workers[i];

        if (worker->is_threaded)
            pthread_join(worker->thread, NULL);
        if (worker->gateway)
            surety__worker_close(worker);
    }
    surety__keeper_close(gateway->keeper);
    surety__free(gateway->options.alloc, gateway->workers,
                 gateway->count * sizeof(*gateway->workers));
    surety__guards_free(gateway);
    pthread_mutex_destroy(&gateway->guard_lock);
    pthread_mutex_destroy(&gateway->log_lock);
    surety__arena_done(&gateway->arena);
    surety__free(gateway->options.alloc, gateway, sizeof(*gateway));
}
