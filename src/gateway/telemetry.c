/* SPDX-License-Identifier: Apache-2.0 */
/* What is said about the requests: the log, the metrics, the traces.
 *
 * Each worker counts on its own, under a lock that only a reader of the metrics
 * contends for, and sends its spans over a transport of its own, from its loop.
 * A reader merges what the workers have counted. */
#include "gateway/gateway.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- a worker's ---------------------------------------------------------- */

static surety_status telemetry_open_exporter(surety__worker *worker,
                                             surety_error *reterr)
{
    const surety_gateway_options *given = &worker->gateway->options;
    surety__telemetry *telemetry = &worker->telemetry;
    const surety_http_options http = {.size = sizeof(http),
                                      .alloc = given->alloc};
    surety__exporter_options options = {
        .endpoint = given->otlp_endpoint,
        .headers = given->otlp_headers,
        .service = given->service_name.len ? given->service_name
                                           : SURETY__LITERAL("surety"),
        .version = surety_str_of(surety_version()),
        .alloc = given->alloc};
    surety_status status =
        surety_http_open(&http, &telemetry->transport, reterr);

    options.transport = telemetry->transport;
    if (!status)
        status = surety__exporter_new(&options, &telemetry->exporter, reterr);
    if (!status && surety__worker_use(worker, telemetry->transport))
        status = surety__fail_nomem(reterr);
    return status;
}

surety_status surety__telemetry_open(surety__worker *worker,
                                     surety_error *reterr)
{
    surety__telemetry *telemetry = &worker->telemetry;

    pthread_mutex_init(&telemetry->lock, NULL);
    telemetry->has_lock = true;
    telemetry->step_ms = UINT64_MAX;
    telemetry->metrics = surety__metrics_new(worker->gateway->options.alloc);
    if (!telemetry->metrics)
        return surety__fail_nomem(reterr);
    return worker->gateway->options.otlp_endpoint.len
               ? telemetry_open_exporter(worker, reterr)
               : SURETY_OK;
}

uint64_t surety__telemetry_step(surety__worker *worker, uint64_t now_ms,
                                bool flush)
{
    surety__telemetry *telemetry = &worker->telemetry;

    if (!telemetry->exporter)
        return UINT64_MAX;
    telemetry->step_ms =
        surety__exporter_step(telemetry->exporter, now_ms, flush);
    pthread_mutex_lock(&telemetry->lock);
    telemetry->counts = surety__exporter_counts(telemetry->exporter);
    pthread_mutex_unlock(&telemetry->lock);
    return telemetry->step_ms;
}

/* Sends the last spans, as long as the collector takes them. */
static void telemetry_flush(surety__worker *worker)
{
    surety_transport *transport = worker->telemetry.transport;
    const uint64_t end_ms =
        surety__serve_us() / 1000 + SURETY__TELEMETRY_FLUSH_MS;
    uint64_t now_ms = end_ms - SURETY__TELEMETRY_FLUSH_MS;

    while (now_ms < end_ms) {
        (void)surety__telemetry_step(worker, now_ms, true);
        if (!surety__exporter_counts(worker->telemetry.exporter).waiting)
            return;
        (void)transport->wait(transport->ctx, 10, NULL);
        now_ms = surety__serve_us() / 1000;
    }
}

void surety__telemetry_close(surety__worker *worker)
{
    surety__telemetry *telemetry = &worker->telemetry;

    if (telemetry->exporter) {
        telemetry_flush(worker);
        surety__exporter_free(telemetry->exporter);
    }
    if (telemetry->transport)
        telemetry->transport->close(telemetry->transport->ctx);
    surety__metrics_free(telemetry->metrics);
    if (telemetry->has_lock)
        pthread_mutex_destroy(&telemetry->lock);
}

/* ---- a request ----------------------------------------------------------- */

void surety__telemetry_begin(surety__exchange *exchange)
{
    unsigned char random[SURETY__TRACE_RANDOM] = {0};

    if (!surety__worker_random(exchange->worker, random, sizeof(random)))
        memset(random, 0, sizeof(random)); /* the ids are those of no trace */
    surety__trace_begin(
        surety__serving_header(exchange->serving, "traceparent"), random,
        &exchange->notes.trace);
}

/* Adds a header to a model's. */
static bool telemetry_header(surety__exchange *exchange, surety_model *model,
                             const char *name, surety_str value)
{
    surety_header *headers = surety__arena_take(
        &exchange->arena, (model->header_count + 1) * sizeof(*headers));

    if (!headers)
        return false;
    if (model->header_count)
        memcpy(headers, model->headers, model->header_count * sizeof(*headers));
    headers[model->header_count++] =
        (surety_header){.name = surety_str_of(name), .value = value};
    model->headers = headers;
    return true;
}

bool surety__telemetry_pass(surety__exchange *exchange)
{
    surety__ask *ask = &exchange->ask;
    surety_str state = surety__serving_header(exchange->serving, "tracestate");
    surety_buf text;
    surety_str value;

    if (!exchange->notes.trace.parent_id[0] &&
        !exchange->worker->telemetry.exporter)
        return true;
    surety_buf_init(&text, exchange->arena.alloc, 0);
    surety__trace_write(&exchange->notes.trace, &text);
    value = surety__arena_buf(&exchange->arena, &text);
    if (!exchange->notes.trace.parent_id[0])
        state.len = 0;
    for (size_t i = 0; value.ptr && i <= ask->other_count; i++) {
        surety_model *model = i ? &ask->others[i - 1] : &ask->model;

        if (!telemetry_header(exchange, model, "traceparent", value) ||
            (state.len &&
             !telemetry_header(exchange, model, "tracestate", state)))
            return false;
    }
    return value.ptr != NULL;
}

static void telemetry_log(surety_gateway *gateway,
                          const surety__request_record *record)
{
    surety_buf line;

    if (!gateway->options.log)
        return;
    surety_buf_init(&line, gateway->options.alloc, 0);
    surety__access_write(record, &line);
    pthread_mutex_lock(&gateway->log_lock);
    if (!line.status)
        gateway->options.log(gateway->options.log_ctx, surety_buf_str(&line));
    pthread_mutex_unlock(&gateway->log_lock);
    surety_buf_done(&line);
}

void surety__telemetry_end(surety__exchange *exchange, bool whole)
{
    surety__telemetry *telemetry = &exchange->worker->telemetry;
    const surety__request_record record = surety__record_of(exchange, whole);

    telemetry_log(exchange->worker->gateway, &record);
    pthread_mutex_lock(&telemetry->lock);
    surety__metrics_add(telemetry->metrics, &record);
    pthread_mutex_unlock(&telemetry->lock);
    if (telemetry->exporter && exchange->run) {
        surety__exporter_add(telemetry->exporter, &record);
        telemetry->step_ms = 0;
    }
}

/* ---- /metrics ------------------------------------------------------------ */

/* Bytes of memory that the process has; 0: not known. */
static uint64_t telemetry_memory(void)
{
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    char text[128];
    const ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text));
    surety_str rest = {text, len > 0 ? (size_t)len : 0};
    uint64_t pages = 0;

    if (fd >= 0)
        close(fd);
    surety__str_skip(&rest, surety__str_find(rest, SURETY__LITERAL(" ")));
    if (rest.len)
        surety__str_skip(&rest, 1);
    rest.len = surety__str_find(rest, SURETY__LITERAL(" "));
    if (!surety__str_number(rest, &pages))
        return 0;
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

typedef struct telemetry_figure {
    const char *name, *kind, *help;
    uint64_t number;
} telemetry_figure;

static void telemetry_put(surety_buf *out, const telemetry_figure *figure)
{
    surety__buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n%s %llu\n",
                       figure->name, figure->help, figure->name, figure->kind,
                       figure->name, (unsigned long long)figure->number);
}

static void telemetry_put_process(const surety_gateway *gateway,
                                  surety_buf *out)
{
    struct rusage usage;
    const telemetry_figure figures[] = {
        {"process_resident_memory_bytes", "gauge", "Memory of the process.",
         telemetry_memory()},
        {"process_start_time_seconds", "gauge",
         "When the process began to serve, in Unix time.",
         (uint64_t)(gateway->started_ms / 1000)},
        {"surety_threads", "gauge", "Threads that serve.", gateway->count}};
    uint64_t us;

    memset(&usage, 0, sizeof(usage));
    (void)getrusage(RUSAGE_SELF, &usage);
    us = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
         (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    surety__buf_printf(out,
                       "# HELP process_cpu_seconds_total Processor time of the "
                       "process.\n"
                       "# TYPE process_cpu_seconds_total counter\n"
                       "process_cpu_seconds_total %llu.%06llu\n",
                       (unsigned long long)(us / 1000000),
                       (unsigned long long)(us % 1000000));
    for (size_t i = 0; i < SURETY__COUNT(figures); i++)
        telemetry_put(out, &figures[i]);
}

static void telemetry_put_exports(const surety__export_counts *counts,
                                  surety_buf *out)
{
    const telemetry_figure figures[] = {
        {"surety_traces_sent_total", "counter",
         "Requests whose spans the collector took.", counts->sent},
        {"surety_traces_dropped_total", "counter",
         "Requests whose spans were dropped.", counts->dropped}};

    for (size_t i = 0; i < SURETY__COUNT(figures); i++)
        telemetry_put(out, &figures[i]);
}

surety_status surety__telemetry_write(surety_gateway *gateway, surety_buf *out)
{
    surety__metrics *all = surety__metrics_new(gateway->options.alloc);
    surety__export_counts counts = {0, 0, 0};

    if (!all)
        return SURETY_NOMEM;
    for (size_t i = 0; i < gateway->count; i++) {
        surety__telemetry *telemetry = &gateway->workers[i].telemetry;

        pthread_mutex_lock(&telemetry->lock);
        surety__metrics_merge(all, telemetry->metrics);
        counts.sent += telemetry->counts.sent;
        counts.dropped += telemetry->counts.dropped;
        pthread_mutex_unlock(&telemetry->lock);
    }
    surety__metrics_write(all, atomic_load(&gateway->requests), out);
    surety__metrics_free(all);
    if (gateway->options.otlp_endpoint.len)
        telemetry_put_exports(&counts, out);
    if (gateway->keeper)
        telemetry_put(
            out, &(telemetry_figure){"surety_settlements_lost_total", "counter",
                                     "Uses of keys that could not be counted.",
                                     surety__keeper_dropped(gateway->keeper)});
    if (gateway->tls)
        telemetry_put(out, &(telemetry_figure){
                               "surety_tls_handshakes_failed_total", "counter",
                               "Connections that ended within their "
                               "TLS handshake.",
                               surety__tls_failed(gateway->tls)});
    surety__guards_write(gateway, out);
    telemetry_put_process(gateway, out);
    return out->status;
}
