/* SPDX-License-Identifier: Apache-2.0 */
/* The gateway as a whole: its threads, and what its owner asks of them. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "gateway/ui.h"

#include <sched.h>
#include <signal.h>

enum {
    GATEWAY_THREADS_MAX = 256,
    /* Unless more are asked for: each has a connection to the ledger's database
     * of its own, and PostgreSQL takes 100 as it is installed. */
    GATEWAY_THREADS = 16,
    GATEWAY_CONNECTIONS = 16384,
    GATEWAY_REQUESTS = 4096,
    /* With a second a call and 16 calls at once, the last that waits does so
     * for a minute, as long as clients do. */
    GATEWAY_WAITING = 1000,
    /* More than a run's own retries, so that one bad run does not do it. */
    GATEWAY_FAILURES = 5,
    GATEWAY_PAUSE_MS = 30000,
    GATEWAY_DRAIN_STEP_MS = 5
};

/* ---- opening ------------------------------------------------------------- */

/* Threads where the options say nothing: one for each processor that the
 * process may use, by its affinity and its control groups. */
static uint32_t gateway_threads(const surety_gateway_options *options)
{
    cpu_set_t usable;
    int count = GATEWAY_THREADS;

    if (options->is_stepped)
        return 1;
    /* It fails where there are more processors than the set has room for. */
    if (!sched_getaffinity(0, sizeof(usable), &usable))
        count = CPU_COUNT(&usable);
    if (count > GATEWAY_THREADS)
        count = GATEWAY_THREADS;
    return surety__processors("/sys/fs/cgroup", "/proc/self/cgroup",
                              (uint32_t)count);
}

/* Copies the texts of the options, and fills in the defaults. */
static surety_status gateway_take(surety_gateway *gateway, surety_error *reterr)
{
    surety_gateway_options *options = &gateway->options;
    surety_str *const texts[] = {
        &options->address,       &options->config,
        &options->contracts,     &options->ledger,
        &options->otlp_endpoint, &options->otlp_headers,
        &options->service_name,  &options->tls_certificate,
        &options->tls_key,       &options->tls_clients};

    for (size_t i = 0; i < SURETY__COUNT(texts); i++) {
        if (!texts[i]->len)
            continue;
        *texts[i] = surety__arena_text(&gateway->arena, *texts[i]);
        if (!texts[i]->ptr)
            return surety__fail_nomem(reterr);
    }
    if (!options->threads)
        options->threads = gateway_threads(options);
    if (!options->connections_max)
        options->connections_max = GATEWAY_CONNECTIONS;
    if (!options->requests_max)
        options->requests_max = GATEWAY_REQUESTS;
    if (options->is_stepped && options->threads > 1)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a gateway that its caller steps has one thread, "
                            "and not %u",
                            (unsigned)options->threads);
    if (!options->waiting_max)
        options->waiting_max = GATEWAY_WAITING;
    if (!options->model_failures_max)
        options->model_failures_max = GATEWAY_FAILURES;
    if (!options->model_pause_ms)
        options->model_pause_ms = GATEWAY_PAUSE_MS;
    if ((unsigned)options->stream > SURETY_GATEWAY_STREAM_RESUME)
        return surety__fail(reterr, SURETY_MISUSE,
                            "there is no way of streams with the number %d",
                            (int)options->stream);
    if (options->threads > GATEWAY_THREADS_MAX)
        return surety__fail(reterr, SURETY_MISUSE,
                            "%u threads are more than 256",
                            (unsigned)options->threads);
    return SURETY_OK;
}

/* Opens the i-th place to listen at. */
static surety_status gateway_listen(surety_gateway *gateway, size_t i,
                                    surety_error *reterr)
{
    const surety_gateway_options *options = &gateway->options;
    surety__listen_place *place = &gateway->listeners[i];
    surety_str text;

    if (!options->listen_count)
        return surety__listen_ip(options->address, options->port, place,
                                 reterr);
    text = surety__arena_text(&gateway->arena, options->listen[i]);
    return text.ptr
               ? surety__listen_open(text, options->socket_mode, place, reterr)
               : surety__fail_nomem(reterr);
}

/* Opens all places, and writes where they are. */
static surety_status gateway_listen_all(surety_gateway *gateway,
                                        surety_error *reterr)
{
    const surety_gateway_options *options = &gateway->options;
    const size_t count = options->listen_count ? options->listen_count : 1;
    surety_status status = SURETY_OK;
    surety_buf text;

    if (count > SURETY__SERVE_SOCKETS_MAX)
        return surety__fail(reterr, SURETY_MISUSE,
                            "%zu places to listen at are more than %d", count,
                            SURETY__SERVE_SOCKETS_MAX);
    surety_buf_init(&text, options->alloc, 0);
    for (size_t i = 0; i < count && !status; i++) {
        status = gateway_listen(gateway, i, reterr);
        if (status)
            break;
        gateway->listener_count = i + 1;
        surety_buf_reset(&text);
        surety__listen_write(&gateway->listeners[i], gateway->tls != NULL,
                             &text);
        gateway->places[i] =
            surety__arena_text(&gateway->arena, surety_buf_str(&text));
        if (text.status || !gateway->places[i].ptr)
            status = surety__fail_nomem(reterr);
    }
    gateway->options.listen = NULL; /* the caller's */
    surety_buf_done(&text);
    return status;
}

/* Reads the certificate. */
static surety_status gateway_open_tls(surety_gateway *gateway,
                                      surety_error *reterr)
{
    const surety_gateway_options *options = &gateway->options;
    const surety_str certificate = options->tls_certificate;

    if (!certificate.len && options->tls_key.len)
        return surety__fail(reterr, SURETY_MISUSE,
                            "%.*s is the key of no certificate",
                            (int)options->tls_key.len, options->tls_key.ptr);
    if (!certificate.len) {
        surety__fail(reterr, SURETY_MISUSE,
                     "%.*s is for certificates of clients, and the gateway has "
                     "none itself",
                     (int)options->tls_clients.len, options->tls_clients.ptr);
        surety__hint(reterr, "give the gateway its own with --tls-cert FILE "
                             "(in C: tls_certificate)");
        return SURETY_MISUSE;
    }
    return surety__tls_open(
        certificate, options->tls_key.len ? options->tls_key : certificate,
        options->tls_clients, options->alloc, &gateway->tls, reterr);
}

/* Opens the workers, each with a socket of every place. */
static surety_status gateway_open_workers(surety_gateway *gateway,
                                          surety_error *reterr)
{
    const size_t count = gateway->options.threads;
    int sockets[SURETY__SERVE_SOCKETS_MAX];
    surety_status status = SURETY_OK;

    gateway->workers =
        surety__new(gateway->options.alloc, count * sizeof(*gateway->workers));
    if (!gateway->workers)
        return surety__fail_nomem(reterr);
    gateway->count = count;
    for (size_t i = 0; i < count && !status; i++) {
        status =
            surety__listen_share(gateway->listeners, gateway->listener_count,
                                 i + 1 == count, sockets, reterr);
        if (!status)
            status = surety__worker_open(&gateway->workers[i], gateway, sockets,
                                         reterr);
    }
    return status;
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
        return surety__keeper_open(url, gateway->options.is_stepped,
                                   gateway->options.alloc, &gateway->keeper,
                                   reterr);
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
    if (!status && !own.no_ui)
        status = surety__desk_open(gateway, reterr);
    if (!status &&
        (own.tls_certificate.len || own.tls_key.len || own.tls_clients.len))
        status = gateway_open_tls(gateway, reterr);
    if (!status)
        status = gateway_listen_all(gateway, reterr);
    if (!status && gateway->tls && !surety_gateway_port(gateway))
        status =
            surety__fail(reterr, SURETY_MISUSE,
                         "no place has an IP address, and only those take "
                         "the certificate %.*s",
                         (int)own.tls_certificate.len, own.tls_certificate.ptr);
    gateway->started_ms = surety__worker_now().unix_ms;
    if (!status)
        status = gateway_open_workers(gateway, reterr);
    if (!status && gateway->options.keys)
        status = gateway_open_keys(gateway, reterr);
    if (!status && !own.is_stepped)
        status = gateway_start(gateway, reterr);
    if (status)
        surety_gateway_close(gateway);
    else
        *ret_gateway = gateway;
    return status;
}

uint16_t surety_gateway_port(const surety_gateway *gateway)
{
    uint16_t port = 0;

    for (size_t i = 0; i < gateway->listener_count && !port; i++)
        port = gateway->listeners[i].port;
    return port;
}

surety_str surety_gateway_place_at(const surety_gateway *gateway, size_t i)
{
    return i < gateway->listener_count ? gateway->places[i]
                                       : (surety_str){"", 0};
}

/* ---- while it serves ----------------------------------------------------- */

/* Reads settings for each worker. */
static surety_status gateway_read_all(surety_gateway *gateway,
                                      surety__settings **settings,
                                      surety_error *reterr)
{
    surety_status status = SURETY_OK;

    for (size_t i = 0; !status && i < gateway->count; i++)
        status = surety__settings_read(gateway, &settings[i], reterr);
    return status;
}

surety_status surety_gateway_reload(surety_gateway *gateway,
                                    surety_error *reterr)
{
    const surety_alloc *alloc = gateway->options.alloc;
    const size_t size = gateway->count * sizeof(surety__settings *);
    surety__settings **settings = surety__new(alloc, size);
    surety_status status;

    if (!settings)
        return surety__fail_nomem(reterr);
    /* A file may change at any time: the workers get the settings that were
     * checked, and read no file again. */
    status = gateway_read_all(gateway, settings, reterr);
    if (!status && gateway->tls)
        status = surety__tls_reload(gateway->tls, reterr);
    for (size_t i = 0; i < gateway->count; i++)
        surety__settings_leave(
            status ? settings[i]
                   : atomic_exchange(&gateway->workers[i].fresh, settings[i]));
    surety__free(alloc, settings, size);
    if (status)
        return status;
    surety__gateway_wake(gateway);
    return SURETY_OK;
}

uint32_t surety_gateway_step(surety_gateway *gateway, uint32_t timeout_ms)
{
    assert(gateway->options.is_stepped);
    surety__worker_turn(gateway->workers, timeout_ms);
    return surety__server_wait_ms(gateway->workers->server,
                                  surety__worker_wait_ms(gateway->workers));
}

int surety_gateway_descriptor(const surety_gateway *gateway)
{
    return gateway->options.is_stepped
               ? surety__server_descriptor(gateway->workers->server)
               : -1;
}

void surety_gateway_leave(surety_gateway *gateway)
{
    atomic_store(&gateway->is_leaving, true);
    surety__gateway_wake(gateway);
}

/* Whether no worker has a connection with a request. */
static bool gateway_is_idle(const surety_gateway *gateway)
{
    for (size_t i = 0; i < gateway->count; i++)
        if (atomic_load(&gateway->workers[i].busy) > 0)
            return false;
    return true;
}

bool surety_gateway_drain(surety_gateway *gateway, uint32_t timeout_ms)
{
    const uint64_t end = surety__serve_us() / 1000 + (uint64_t)timeout_ms;

    atomic_store(&gateway->is_draining, true);
    surety_gateway_leave(gateway);
    while (!gateway_is_idle(gateway) && surety__serve_us() / 1000 < end) {
        const struct timespec pause = {0, GATEWAY_DRAIN_STEP_MS * 1000000};

        if (gateway->options.is_stepped)
            surety__worker_turn(gateway->workers, GATEWAY_DRAIN_STEP_MS);
        else
            nanosleep(&pause, NULL);
    }
    return gateway_is_idle(gateway);
}

void surety_gateway_close(surety_gateway *gateway)
{
    if (!gateway)
        return;
    atomic_store(&gateway->is_stopping, true);
    surety__gateway_wake(gateway);
    for (size_t i = 0; i < gateway->count; i++) {
        surety__worker *worker = &gateway->workers[i];

        if (worker->is_threaded)
            pthread_join(worker->thread, NULL);
    }
    surety__desk_close(gateway);
    for (size_t i = 0; i < gateway->count; i++)
        if (gateway->workers[i].gateway)
            surety__worker_close(&gateway->workers[i]);
    surety__desk_free(gateway);
    for (size_t i = 0; i < gateway->listener_count; i++)
        surety__listen_close(&gateway->listeners[i]);
    surety__tls_close(gateway->tls);
    surety__keeper_close(gateway->keeper);
    surety__free(gateway->options.alloc, gateway->workers,
                 gateway->count * sizeof(*gateway->workers));
    surety__guards_free(gateway);
    pthread_mutex_destroy(&gateway->guard_lock);
    pthread_mutex_destroy(&gateway->log_lock);
    surety__arena_done(&gateway->arena);
    surety__free(gateway->options.alloc, gateway, sizeof(*gateway));
}
