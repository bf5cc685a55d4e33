/* SPDX-License-Identifier: Apache-2.0 */
/* Sends spans to a collector (OTLP/HTTP in JSON), over a transport that the
 * caller moves: a machine that is stepped with the time, and never blocks.
 *
 * Spans collect in `pending`. A step sends them, when they have waited for
 * EXPORT_DELAY_MS or are many: one request at a time. Meanwhile others collect.
 * What the collector refuses for a while (429, 502, 503, 504; the protocol's
 * rule), and what did not reach it, is sent again a few times, each time after
 * a longer pause. Everything else, and what finds no room, is dropped and
 * counted: telemetry is worth less than the requests that it is about. */
#include "observe/observe.h"

#define EXPORT_PENDING_MAX ((size_t)4 << 20)
#define EXPORT_FULL ((size_t)256 << 10)
#define EXPORT_DELAY_MS 1000
#define EXPORT_TRIES 5
#define EXPORT_TIMEOUT_MS 10000
#define EXPORT_HEADERS_MAX 16
#define EXPORT_PATH "/v1/traces"

struct surety__exporter {
    surety__arena arena; /* the URL, the headers and the texts */
    const surety_alloc *alloc;
    surety_transport *transport;
    surety_str url, service, version;
    surety_header headers[EXPORT_HEADERS_MAX + 1];
    size_t header_count;
    surety_buf pending;     /* spans */
    size_t pending_count;   /* requests that they are of */
    uint64_t pending_since; /* when the first of them was seen by a step */
    bool is_seen;
    surety_buf body; /* of the request under way, or to be sent again */
    size_t body_count;
    unsigned tries;
    uint64_t again_ms; /* when it is sent again */
    uint64_t id;       /* of the exchange */
    bool is_under_way, has_ended;
    int status;
    surety_failure failure;
    uint64_t sent, dropped;
};

/* ---- settings ------------------------------------------------------------ */

/* Takes the %XX out of a text of OTEL_EXPORTER_OTLP_HEADERS; ptr NULL: out of
 * memory. */
static surety_str export_decode(surety__arena *arena, surety_str text)
{
    char *out = surety__arena_take(arena, text.len + 1);
    size_t len = 0;

    if (!out)
        return (surety_str){NULL, 0};
    for (size_t i = 0; i < text.len; i++) {
        const bool is_coded = text.ptr[i] == '%' && text.len - i > 2 &&
                              surety__hex_digit(text.ptr[i + 1]) < 16 &&
                              surety__hex_digit(text.ptr[i + 2]) < 16;

        out[len++] = is_coded ? (char)(surety__hex_digit(text.ptr[i + 1]) << 4 |
                                       surety__hex_digit(text.ptr[i + 2]))
                              : text.ptr[i];
        i += is_coded ? 2 : 0;
    }
    return (surety_str){out, len};
}

/* Reads "NAME=VALUE,NAME=VALUE". */
static surety_status export_headers(surety__exporter *exporter, surety_str text,
                                    surety_error *reterr)
{
    while (text.len) {
        surety_str item = {text.ptr,
                           surety__str_find(text, SURETY__LITERAL(","))};
        surety_str name, value;
        surety_header *header = &exporter->headers[exporter->header_count];

        surety__str_skip(&text, item.len < text.len ? item.len + 1 : item.len);
        name = item;
        name.len = surety__str_find(item, SURETY__LITERAL("="));
        value = item;
        surety__str_skip(&value, name.len < item.len ? name.len + 1 : item.len);
        name = surety__str_trim(name);
        if (exporter->header_count > EXPORT_HEADERS_MAX ||
            !surety__is_token(name))
            return surety__fail(reterr, SURETY_MISUSE,
                                "the collector's headers are no list of at "
                                "most %d NAME=VALUE, joined by commas",
                                EXPORT_HEADERS_MAX);
        header->name = surety__arena_text(&exporter->arena, name);
        header->value =
            export_decode(&exporter->arena, surety__str_trim(value));
        if (!header->name.ptr || !header->value.ptr)
            return surety__fail_nomem(reterr);
        if (surety__str_find_control(header->value, true) < header->value.len)
            return surety__fail(reterr, SURETY_MISUSE,
                                "the collector's header %.*s has a control "
                                "character",
                                (int)name.len, name.ptr);
        header->secret = true;
        exporter->header_count++;
    }
    return SURETY_OK;
}

static surety_status export_url(surety__exporter *exporter, surety_str endpoint,
                                surety_error *reterr)
{
    surety_buf url;

    if (!surety__str_starts_nocase(endpoint, SURETY__LITERAL("http://")) &&
        !surety__str_starts_nocase(endpoint, SURETY__LITERAL("https://"))) {
        (void)surety__fail(reterr, SURETY_MISUSE,
                           "the collector's address is no http:// or https:// "
                           "URL");
        surety__hint(reterr, "such as http://127.0.0.1:4318");
        return SURETY_MISUSE;
    }
    while (endpoint.ptr[endpoint.len - 1] == '/')
        endpoint.len--;
    surety_buf_init(&url, exporter->alloc, 0);
    surety_buf_add(&url, endpoint);
    surety_buf_text(&url, EXPORT_PATH);
    exporter->url = surety__arena_buf(&exporter->arena, &url);
    return exporter->url.ptr ? SURETY_OK : surety__fail_nomem(reterr);
}

surety_status surety__exporter_new(const surety__exporter_options *options,
                                   surety__exporter **ret_exporter,
                                   surety_error *reterr)
{
    surety__exporter *exporter = surety__new(options->alloc, sizeof(*exporter));
    surety_status status;

    if (!exporter)
        return surety__fail_nomem(reterr);
    exporter->alloc = options->alloc;
    exporter->transport = options->transport;
    surety__arena_init(&exporter->arena, options->alloc, 0);
    surety_buf_init(&exporter->pending, options->alloc, EXPORT_PENDING_MAX);
    surety_buf_init(&exporter->body, options->alloc, 0);
    exporter->headers[exporter->header_count++] =
        (surety_header){.name = SURETY__LITERAL("content-type"),
                        .value = SURETY__LITERAL("application/json")};
    status = export_url(exporter, options->endpoint, reterr);
    if (!status)
        status = export_headers(exporter, options->headers, reterr);
    exporter->service = surety__arena_text(&exporter->arena, options->service);
    exporter->version = surety__arena_text(&exporter->arena, options->version);
    if (!status && (!exporter->service.ptr || !exporter->version.ptr))
        status = surety__fail_nomem(reterr);
    if (status) {
        surety__exporter_free(exporter);
        return status;
    }
    *ret_exporter = exporter;
    return SURETY_OK;
}

void surety__exporter_free(surety__exporter *exporter)
{
    if (!exporter)
        return;
    if (exporter->is_under_way)
        exporter->transport->cancel(exporter->transport->ctx, exporter->id);
    surety_buf_done(&exporter->body);
    surety_buf_done(&exporter->pending);
    surety__arena_done(&exporter->arena);
    surety__free(exporter->alloc, exporter, sizeof(*exporter));
}

/* ---- collecting ---------------------------------------------------------- */

void surety__exporter_add(surety__exporter *exporter,
                          const surety__request_record *record)
{
    surety_buf *pending = &exporter->pending;
    const size_t before = pending->len;

    if (!record->trace || !record->trace->is_sampled)
        return;
    surety_buf_text(pending, before ? "," : "");
    surety__spans_write(record, pending);
    if (!pending->status) {
        exporter->pending_count++;
        return;
    }
    /* Full, or out of memory: what was there before it stays. */
    pending->len = before;
    pending->status = SURETY_OK;
    exporter->dropped++;
}

/* ---- sending ------------------------------------------------------------- */

static void export_head(void *ctx, int status, const surety_header *headers,
                        size_t count)
{
    (void)headers;
    (void)count;
    ((surety__exporter *)ctx)->status = status;
}

static bool export_bytes(void *ctx, surety_str bytes)
{
    (void)ctx;
    (void)bytes;
    return true;
}

static void export_end(void *ctx, const surety_delivery *delivery)
{
    surety__exporter *exporter = ctx;

    exporter->has_ended = true;
    exporter->failure = delivery->failure;
}

static void export_drop(surety__exporter *exporter)
{
    exporter->dropped += exporter->body_count;
    exporter->body_count = 0;
}

/* Sends the body that is there. */
static void export_send(surety__exporter *exporter)
{
    const surety_receiver receiver = {exporter, export_head, export_bytes,
                                      export_end};
    const surety_request request = {
        .size = sizeof(request),
        .method = SURETY__LITERAL("POST"),
        .url = exporter->url,
        .headers = exporter->headers,
        .header_count = exporter->header_count,
        .body = surety_buf_str(&exporter->body),
        .timeouts = {.connect_ms = EXPORT_TIMEOUT_MS,
                     .total_ms = EXPORT_TIMEOUT_MS},
        .response_bytes_max = EXPORT_FULL,
        .body_stays = true};

    exporter->tries++;
    exporter->id++;
    exporter->status = 0;
    exporter->has_ended = false;
    exporter->is_under_way = true;
    if (exporter->transport->start(exporter->transport->ctx, exporter->id,
                                   &request, &receiver, NULL)) {
        exporter->is_under_way = false;
        export_drop(exporter);
    }
}

/* Looks at how the exchange ended. */
static void export_finish(surety__exporter *exporter, uint64_t now_ms)
{
    const int status = exporter->status;
    const bool is_over = exporter->failure == SURETY_FAILURE_NONE;

    exporter->is_under_way = false;
    exporter->has_ended = false;
    if (is_over && status >= 200 && status < 300) {
        exporter->sent += exporter->body_count;
        exporter->body_count = 0;
    } else if (exporter->tries < EXPORT_TRIES &&
               (!is_over || status == 429 || status == 502 || status == 503 ||
                status == 504)) {
        exporter->again_ms =
            now_ms + ((uint64_t)EXPORT_DELAY_MS << (exporter->tries - 1));
    } else {
        export_drop(exporter);
    }
}

/* Makes a body of what is pending. */
static void export_take(surety__exporter *exporter)
{
    surety_buf_reset(&exporter->body);
    surety__spans_wrap(exporter->service, exporter->version,
                       surety_buf_str(&exporter->pending), &exporter->body);
    surety_buf_reset(&exporter->pending);
    exporter->body_count = exporter->pending_count;
    exporter->pending_count = 0;
    exporter->is_seen = false;
    exporter->tries = 0;
    exporter->again_ms = 0;
    if (exporter->body.status)
        export_drop(exporter);
}

uint64_t surety__exporter_step(surety__exporter *exporter, uint64_t now_ms,
                               bool flush)
{
    if (exporter->is_under_way && exporter->has_ended)
        export_finish(exporter, now_ms);
    if (exporter->is_under_way)
        return UINT64_MAX;
    if (exporter->pending_count && !exporter->is_seen) {
        exporter->is_seen = true;
        exporter->pending_since = now_ms;
    }
    if (!exporter->body_count && exporter->pending_count &&
        (flush || exporter->pending.len >= EXPORT_FULL ||
         now_ms - exporter->pending_since >= EXPORT_DELAY_MS))
        export_take(exporter);
    if (exporter->body_count && now_ms >= exporter->again_ms) {
        export_send(exporter);
        return exporter->has_ended ? now_ms : UINT64_MAX;
    }
    if (exporter->body_count)
        return exporter->again_ms;
    return exporter->pending_count ? exporter->pending_since + EXPORT_DELAY_MS
                                   : UINT64_MAX;
}

surety__export_counts surety__exporter_counts(const surety__exporter *exporter)
{
    return (surety__export_counts){.sent = exporter->sent,
                                   .dropped = exporter->dropped,
                                   .waiting = exporter->pending_count +
                                              exporter->body_count};
}
