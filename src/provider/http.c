/* SPDX-License-Identifier: Apache-2.0 */
/* http.c: HTTP and HTTPS with libcurl's multi interface.
 *
 * libcurl moves the bytes: one multi handle with its connection pool, one easy
 * handle for each exchange. This file sets what an exchange may do, since
 * libcurl's defaults suit a command-line tool, not a client that carries a
 * key: only http and https, no redirects, no netrc, no cookies, no decoding,
 * no ambiguous framing, and limits on everything that grows.
 *
 * Invariants:
 * 1. A request is sent at most once. libcurl sends it again on a new
 *    connection if a pooled one closes before the answer, but a model that had
 *    begun to work would be paid twice. The second sending is refused, and the
 *    exchange ends as one that may have arrived.
 * 2. `sent` is set before the first byte of a request can leave, never after.
 * 3. A connection whose response was not read to its end is closed. libcurl
 *    does that for a handle that is removed early or fails. A connection that
 *    sent bytes without a request is not used again (http_pool.c).
 * 4. This file keeps the deadlines, by the monotonic clock. libcurl's connect
 *    timeout is set too, because it divides that time among the addresses of a
 *    name.
 * 5. Receivers are called only from within wait, cancel and close. An exchange
 *    is freed before its end is reported, so a receiver cannot reach it.
 * 6. libcurl is loaded when a transport is opened; http->curl then has its
 *    functions.
 *
 * A library must not change global state: curl_global_init counts its calls,
 * and is thread-safe where libcurl reports that (7.84 and later, on nearly all
 * systems). Elsewhere the program must call it before it starts threads. */
#include "provider/provider.h"
#include "provider/http.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    HTTP_CONNECTIONS = 64,
    HTTP_CONNECTIONS_HOST = 16,
    HTTP_IDLE_CONNECTION_S = 60, /* older connections are not used again */
    /* At most so much is read at once. An exchange holds as much while it
     * waits, and most pieces of an answer are smaller. */
    HTTP_READ_BYTES = 4096,
    /* Memory of an exchange that the next one takes: a request with a large
     * schema. */
    HTTP_SPARE_MAX = 1 << 20
};

static const surety__function_row http_rows[] = {SURETY__CURL(SURETY__ROW)};
static const surety__library http_library = {
    SURETY__LIBCURL, "calls over HTTP", http_rows, SURETY__COUNT(http_rows)};

/* ---- callbacks of libcurl ------------------------------------------------ */

/* Gives the next bytes of a body in parts. */
static size_t http_on_read(char *out, size_t size, size_t count, void *ctx)
{
    surety__http_exchange *exchange = ctx;
    const size_t max = size * count;
    size_t len = 0;

    while (len < max && exchange->part < exchange->part_count) {
        surety_str rest = exchange->parts[exchange->part];

        surety__str_skip(&rest, exchange->part_at);
        if (rest.len > max - len)
            rest.len = max - len;
        memcpy(out + len, rest.ptr, rest.len);
        len += rest.len;
        exchange->part_at += rest.len;
        if (exchange->part_at == exchange->parts[exchange->part].len) {
            exchange->part++;
            exchange->part_at = 0;
        }
    }
    return len;
}

/* Begins a body in parts again; libcurl goes back no other way. */
static int http_on_seek(void *ctx, curl_off_t offset, int origin)
{
    surety__http_exchange *exchange = ctx;

    if (offset != 0 || origin != SEEK_SET)
        return CURL_SEEKFUNC_CANTSEEK;
    exchange->part = exchange->part_at = 0;
    return CURL_SEEKFUNC_OK;
}

/* Bytes have arrived. */
static void http_heard(surety__http_exchange *exchange)
{
    const bool first = !exchange->progress.byte_ms;

    exchange->progress.byte_ms = exchange->http->now_ms;
    if (first)
        surety__http_due_moved(exchange->http, exchange);
}

static size_t http_on_header(char *ptr, size_t size, size_t count, void *ctx)
{
    surety__http_exchange *exchange = ctx;
    const size_t len = size * count;

    http_heard(exchange);
    return surety__http_line(exchange, (surety_str){ptr, len}) ? len : 0;
}

static size_t http_on_body(char *ptr, size_t size, size_t count, void *ctx)
{
    surety__http_exchange *exchange = ctx;
    const size_t len = size * count;
    surety_delivery delivery;

    http_heard(exchange);
    if (exchange->decided)
        return 0;
    if (!exchange->head.is_passed) {
        surety__http_decide(exchange,
                            surety__delivery_of(SURETY_FAILURE_PROTOCOL, true,
                                                "a response without a head"));
        return 0;
    }
    exchange->http->called = true;
    if (surety__intake_take(&exchange->intake, (surety_str){ptr, len},
                            &delivery))
        return len;
    surety__http_decide(exchange, delivery);
    return 0;
}

/* A lookup or a connection begins: starts the time to connect. */
static void http_connecting(surety__http_exchange *exchange)
{
    if (exchange->progress.connect_ms)
        return;
    exchange->progress.connect_ms = surety__clock_ms();
    surety__http_due_moved(exchange->http, exchange);
}

static int http_on_resolve(void *state, void *reserved, void *ctx)
{
    (void)state;
    (void)reserved;
    http_connecting(ctx);
    return 0;
}

static curl_socket_t http_on_socket(void *ctx, curlsocktype purpose,
                                    struct curl_sockaddr *address)
{
    surety__http_exchange *exchange = ctx;
    const surety__http_address peer = surety__http_address_of(&address->addr);
    curl_socket_t file;

    (void)purpose;
    http_connecting(exchange);
    exchange->peer_port = peer.port;
    memcpy(exchange->peer, peer.text, sizeof(exchange->peer));
    if (exchange->http->public_only &&
        (!peer.bytes || !surety__address_is_public(peer.bytes, peer.len))) {
        memcpy(exchange->address, peer.text[0] ? peer.text : "?",
               peer.text[0] ? sizeof(peer.text) : 2);
        return CURL_SOCKET_BAD;
    }
    file = socket(address->family, address->socktype | SOCK_CLOEXEC,
                  address->protocol);
    if (file != CURL_SOCKET_BAD &&
        !surety__http_pool_add(exchange->http, file)) {
        close(file);
        exchange->http->starved = true;
        return CURL_SOCKET_BAD;
    }
    exchange->opened[1] = exchange->opened[0];
    exchange->opened[0] = file;
    return file;
}

static int http_on_close(void *ctx, curl_socket_t file)
{
    surety__http_watch_forget(ctx, file);
    surety__http_pool_remove(ctx, file);
    return close(file);
}

/* There is a connection, and the request is sent next. */
static int http_on_request(void *ctx, char *peer, char *own, int peer_port,
                           int own_port)
{
    surety__http_exchange *exchange = ctx;

    (void)peer;
    (void)peer_port;
    if (exchange->sent) {
        surety__http_decide(
            exchange,
            surety__delivery_of(SURETY_FAILURE_RESET, true,
                                "%s closed the connection without an answer",
                                exchange->host.ptr));
        return CURL_PREREQFUNC_ABORT;
    }
    exchange->again = !surety__http_pool_take(exchange, own, own_port);
    if (exchange->again)
        return CURL_PREREQFUNC_ABORT;
    exchange->sent = true;
    exchange->progress.sent_ms = surety__clock_ms();
    surety__http_due_moved(exchange->http, exchange);
    return CURL_PREREQFUNC_OK;
}

/* ---- exchanges ----------------------------------------------------------- */

static void http_handle_done(surety__http *http, surety__http_handle *handle)
{
    http->curl.easy_cleanup(handle->easy);
    http->curl.url_cleanup(handle->parsed);
    surety_buf_done(&handle->url);
    surety_buf_done(&handle->host);
}

static void http_free(surety__http_exchange *exchange)
{
    surety__http *http = exchange->http;
    const surety__curl *curl = &http->curl;
    const surety_alloc *alloc = http->alloc;
    surety__http_handle *handle = &exchange->handle;

    surety__http_pool_leave(exchange);
    if (handle->easy)
        (void)curl->multi_remove_handle(http->multi, handle->easy);
    if (handle->easy && http->idle_count < SURETY__HTTP_IDLE) {
        (void)curl->easy_setopt(handle->easy, CURLOPT_ERRORBUFFER, NULL);
        http->idle[http->idle_count++] = *handle;
    } else {
        http_handle_done(http, handle);
    }
    surety__free(alloc, exchange->head.items,
                 exchange->head.cap * sizeof(*exchange->head.items));
    if (!http->spare.chunks && exchange->arena.total <= HTTP_SPARE_MAX)
        http->spare = exchange->arena;
    else
        surety__arena_done(&exchange->arena);
    surety__free(alloc, exchange, sizeof(*exchange));
}

/* Removes the exchange, frees it, and reports its end. */
static void http_end(surety__http_exchange *exchange, surety_delivery delivery)
{
    surety__http *http = exchange->http;
    const surety_receiver receiver = exchange->intake.receiver;

    surety__http_due_remove(http, exchange);
    http_free(exchange);
    http->called = true;
    receiver.end(receiver.ctx, &delivery);
}

/* The end of an exchange that a deadline ends. */
static surety_delivery http_late(const surety__http_exchange *exchange,
                                 surety__late late)
{
    const surety_timeouts *timeouts = &exchange->progress.timeouts;
    const char *host = exchange->host.ptr;

    switch (late) {
    case LATE_TOTAL:
        return surety__delivery_of(
            SURETY_FAILURE_TIMEOUT, exchange->sent,
            "the exchange with %s was not over after %u ms", host,
            timeouts->total_ms);
    case LATE_IDLE:
        return surety__delivery_of(SURETY_FAILURE_TIMEOUT, true,
                                   "%s sent nothing for %u ms in the middle of "
                                   "its response",
                                   host, timeouts->idle_ms);
    case LATE_FIRST_BYTE:
        return surety__delivery_of(SURETY_FAILURE_TIMEOUT, true,
                                   "%s did not begin to answer within %u ms",
                                   host, timeouts->first_byte_ms);
    case LATE_CONNECT: break;
    }
    return surety__http_late_connect(exchange);
}

/* Ends the exchanges whose deadline has passed. */
static void http_expire(surety__http *http, uint64_t now_ms)
{
    surety__http_exchange *exchange;
    surety__late late;

    while ((exchange = surety__http_due_late(http, now_ms, &late)))
        http_end(exchange, http_late(exchange, late));
}

/* Starts a request again on a new connection; it was not sent on the old
 * one. */
static bool http_repeat(surety__http_exchange *exchange)
{
    const surety__curl *curl = &exchange->http->curl;
    CURLM *multi = exchange->http->multi;
    CURL *easy = exchange->handle.easy;

    assert(!exchange->sent);
    exchange->again = false;
    exchange->progress.connect_ms = 0;
    exchange->error_text[0] = '\0';
    return !curl->multi_remove_handle(multi, easy) &&
           !curl->easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L) &&
           !curl->multi_add_handle(multi, easy);
}

/* Ends the exchanges that libcurl has finished. */
static void http_collect(surety__http *http)
{
    CURLMsg *message;
    int left;

    while ((message = http->curl.multi_info_read(http->multi, &left))) {
        surety__http_exchange *exchange = NULL;
        const CURLcode code = message->data.result;

        if (message->msg != CURLMSG_DONE)
            continue;
        (void)http->curl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE,
                                      (char **)(void *)&exchange);
        assert(exchange);
        if (exchange->again && !exchange->decided && http_repeat(exchange))
            continue;
        http_end(exchange, surety__http_outcome(exchange, code));
    }
}

/* ---- starting ------------------------------------------------------------ */

/* Makes a URL that of a handle, if it is a valid one. */
static surety_status http_learn_url(surety__http *http,
                                    surety__http_handle *handle, surety_str url,
                                    surety_error *reterr)
{
    const surety__curl *curl = &http->curl;
    char *scheme = NULL;
    surety_status status = SURETY_OK;

    surety_buf_reset(&handle->url);
    surety_buf_reset(&handle->host);
    surety_buf_add(&handle->url, url);
    surety_buf_byte(&handle->url, '\0');
    if (handle->url.status)
        status = surety__fail_nomem(reterr);
    /* Without the last URL: a text that is none would be relative to it. */
    else if (strlen(handle->url.ptr) != url.len ||
             curl->url_set(handle->parsed, CURLUPART_URL, NULL, 0) !=
                 CURLUE_OK ||
             curl->url_set(handle->parsed, CURLUPART_URL, handle->url.ptr,
                           CURLU_NON_SUPPORT_SCHEME | CURLU_PATH_AS_IS) !=
                 CURLUE_OK ||
             curl->url_get(handle->parsed, CURLUPART_SCHEME, &scheme, 0) !=
                 CURLUE_OK)
        status = surety__fail(reterr, SURETY_MISUSE, "this is no URL");
    else if (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0)
        status = surety__fail(reterr, SURETY_MISUSE,
                              "a URL of the scheme \"%s\" instead of https or "
                              "http",
                              scheme);
    handle->is_tls = !status && !strcmp(scheme, "https");
    curl->free(scheme);
    if (!status) {
        surety__http_host_write(curl, handle->parsed, &handle->host);
        surety_buf_byte(&handle->host, '\0');
        if (handle->host.status ||
            curl->easy_setopt(handle->easy, CURLOPT_URL, handle->url.ptr) ||
            curl->easy_setopt(handle->easy, CURLOPT_CURLU, handle->parsed))
            status = surety__fail_nomem(reterr);
    }
    if (status)
        surety_buf_reset(&handle->url);
    return status;
}

static bool http_handle_is_for(const surety__http_handle *handle,
                               surety_str url)
{
    const surety_str own = surety_buf_str(&handle->url);

    return own.len == url.len + 1 && memcmp(own.ptr, url.ptr, url.len) == 0;
}

/* Sets the URL, and the host for messages. */
static surety_status http_take_url(surety__http_exchange *exchange,
                                   surety_str url, surety_error *reterr)
{
    surety__http_handle *handle = &exchange->handle;
    surety_status status = SURETY_OK;

    if (!url.len || !http_handle_is_for(handle, url))
        status = http_learn_url(exchange->http, handle, url, reterr);
    if (!status)
        exchange->host = (surety_str){handle->host.ptr, handle->host.len - 1};
    return status;
}

/* Adds a line to the request's headers. False: out of memory. */
static bool http_add_line(surety__http_exchange *exchange, surety_str name,
                          const char *between, surety_str value)
{
    const size_t before = name.len + strlen(between);
    struct curl_slist *line =
        surety__arena_take(&exchange->arena, sizeof(*line));
    char *text = surety__arena_take(&exchange->arena, before + value.len + 1);

    if (!line || !text)
        return false;
    memcpy(text, name.ptr, name.len);
    memcpy(text + name.len, between, before - name.len);
    if (value.len)
        memcpy(text + before, value.ptr, value.len);
    line->data = text;
    *exchange->lines_end = line;
    exchange->lines_end = &line->next;
    return true;
}

/* Adds the request's headers in libcurl's form: "NAME;" is a header with an
 * empty value, "NAME:" removes one that libcurl would add. False: out of
 * memory. */
static bool http_add_headers(surety__http_exchange *exchange,
                             const surety_request *request)
{
    const surety_str none = {"", 0};
    bool added = http_add_line(exchange, none, "Expect:", none);

    if (added && !surety__header_find(request->headers, request->header_count,
                                      "content-type"))
        added = http_add_line(exchange, none, "Content-Type:", none);
    for (size_t i = 0; i < request->header_count && added; i++) {
        const surety_header *header = &request->headers[i];

        if (!surety__header_is_internal(header->name))
            added =
                http_add_line(exchange, header->name,
                              header->value.len ? ": " : ";", header->value);
    }
    return added;
}

/* Whether the environment names a proxy, in a variable that libcurl knows. */
static bool http_has_proxy(void)
{
    static const char *const names[] = {
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};
    bool has = false;

    for (size_t i = 0; i < SURETY__COUNT(names); i++)
        has = has || surety__process_variable(names[i]);
    return has;
}

/* Sets the options that all exchanges share. */
static bool http_set_rules(surety__http *http, CURL *easy)
{
    __typeof__(curl_easy_setopt) *set = http->curl.easy_setopt;
    bool failed = false;

    failed |= set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    failed |= set(easy, CURLOPT_NOSIGNAL, 1L);
    failed |= set(easy, CURLOPT_FOLLOWLOCATION, 0L);
    failed |= set(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    failed |= set(easy, CURLOPT_HTTP09_ALLOWED, 0L);
    failed |= set(easy, CURLOPT_PATH_AS_IS, 1L);
    failed |= set(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    failed |= set(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    failed |= set(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    failed |= set(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    failed |= set(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    failed |= set(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    failed |= set(easy, CURLOPT_MAXAGE_CONN, (long)HTTP_IDLE_CONNECTION_S);
    /* A thread of libcurl looks up names. An exchange that has ended does not
     * wait for it. */
    failed |= set(easy, CURLOPT_QUICK_EXIT, 1L);
    failed |= set(easy, CURLOPT_BUFFERSIZE, (long)HTTP_READ_BYTES);
    if (http->ca_file.len) {
        failed |= set(easy, CURLOPT_CAINFO, http->ca_file.ptr);
        failed |= set(easy, CURLOPT_PROXY_CAINFO, http->ca_file.ptr);
    }
    if (http->proxy.len) {
        failed |= set(easy, CURLOPT_PROXY, http->proxy.ptr);
        failed |= set(easy, CURLOPT_NOPROXY, "");
    } else if (http->direct) {
        /* Else libcurl asks the environment for each request. */
        failed |= set(easy, CURLOPT_PROXY, "");
        failed |= set(easy, CURLOPT_NOPROXY, "");
    }
    failed |= set(easy, CURLOPT_HEADERFUNCTION, http_on_header);
    failed |= set(easy, CURLOPT_WRITEFUNCTION, http_on_body);
    failed |= set(easy, CURLOPT_READFUNCTION, http_on_read);
    failed |= set(easy, CURLOPT_SEEKFUNCTION, http_on_seek);
    failed |= set(easy, CURLOPT_OPENSOCKETFUNCTION, http_on_socket);
    /* A connection may live longer than the exchange that opened it. */
    failed |= set(easy, CURLOPT_CLOSESOCKETFUNCTION, http_on_close);
    failed |= set(easy, CURLOPT_CLOSESOCKETDATA, (void *)http);
    failed |= set(easy, CURLOPT_RESOLVER_START_FUNCTION, http_on_resolve);
    failed |= set(easy, CURLOPT_PREREQFUNCTION, http_on_request);
    return !failed;
}

/* Takes a handle with these options: one whose exchange has ended, if possible
 * one that went to this URL, or a new one. False: out of memory. */
static bool http_take_handle(surety__http *http, surety_str url,
                             surety__http_handle *handle)
{
    size_t at = http->idle_count;

    if (at) {
        while (--at && !http_handle_is_for(&http->idle[at], url))
            continue;
        if (!http_handle_is_for(&http->idle[at], url))
            at = http->idle_count - 1;
        *handle = http->idle[at];
        http->idle[at] = http->idle[--http->idle_count];
        return true;
    }
    surety_buf_init(&handle->url, http->alloc, 0);
    surety_buf_init(&handle->host, http->alloc, 0);
    handle->parsed = http->curl.url();
    handle->easy = handle->parsed ? http->curl.easy_init() : NULL;
    if (handle->easy && http_set_rules(http, handle->easy))
        return true;
    http->curl.easy_cleanup(handle->easy);
    handle->easy = NULL;
    return false;
}

/* Sets what the callbacks get. */
static bool http_set_callbacks(surety__http_exchange *exchange)
{
    __typeof__(curl_easy_setopt) *set = exchange->http->curl.easy_setopt;
    CURL *easy = exchange->handle.easy;
    bool failed = false;

    failed |= set(easy, CURLOPT_PRIVATE, (void *)exchange);
    failed |= set(easy, CURLOPT_ERRORBUFFER, exchange->error_text);
    failed |= set(easy, CURLOPT_HEADERDATA, (void *)exchange);
    failed |= set(easy, CURLOPT_WRITEDATA, (void *)exchange);
    failed |= set(easy, CURLOPT_READDATA, (void *)exchange);
    failed |= set(easy, CURLOPT_SEEKDATA, (void *)exchange);
    failed |= set(easy, CURLOPT_OPENSOCKETDATA, (void *)exchange);
    failed |= set(easy, CURLOPT_RESOLVER_START_DATA, (void *)exchange);
    failed |= set(easy, CURLOPT_PREREQDATA, (void *)exchange);
    return !failed;
}

/* The bytes of the request's body. */
static size_t http_body_len(const surety__http_exchange *exchange,
                            surety_str body)
{
    size_t len = body.len;

    for (size_t i = 0; i < exchange->part_count; i++)
        len += exchange->parts[i].len;
    return len;
}

/* Sets the request itself. Its texts live in the exchange's arena. agent NULL:
 * libcurl writes none. */
static bool http_set_request(surety__http_exchange *exchange, surety_str method,
                             const char *agent, surety_str body)
{
    const bool post = surety_str_equal(method, SURETY__LITERAL("POST"));
    __typeof__(curl_easy_setopt) *set = exchange->http->curl.easy_setopt;
    CURL *easy = exchange->handle.easy;
    const bool head = surety_str_equal(method, SURETY__LITERAL("HEAD"));
    bool failed = false;

    failed |= set(easy, CURLOPT_HTTPHEADER, exchange->lines);
    failed |= set(easy, CURLOPT_USERAGENT, agent);
    failed |= set(easy, CURLOPT_FRESH_CONNECT, 0L);
    failed |= set(easy, CURLOPT_CONNECTTIMEOUT_MS,
                  (long)exchange->progress.timeouts.connect_ms);
    failed |= set(easy, CURLOPT_HTTPGET, 1L); /* forgets the last method */
    if (head) {
        failed |= set(easy, CURLOPT_NOBODY, 1L);
    } else if (post || body.len || exchange->part_count) {
        failed |= set(easy, CURLOPT_POSTFIELDS,
                      exchange->part_count ? NULL : body.ptr);
        failed |= set(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                      (curl_off_t)http_body_len(exchange, body));
    }
    failed |=
        set(easy, CURLOPT_CUSTOMREQUEST, post || head ? NULL : method.ptr);
    return !failed;
}

static bool http_is_method(surety_str method)
{
    for (size_t i = 0; i < method.len; i++)
        if (method.ptr[i] < 'A' || method.ptr[i] > 'Z')
            return false;
    return method.len > 0;
}

static surety_status http_prepare(surety__http_exchange *exchange,
                                  const surety_request *request,
                                  surety_error *reterr)
{
    const surety_str method =
        surety__arena_text(&exchange->arena, request->method);
    const surety_str body =
        request->body_stays && request->body.len
            ? request->body
            : surety__arena_text(&exchange->arena, request->body);
    /* A proxy hears it from libcurl alone. */
    const char *const agent =
        exchange->http->direct &&
                surety__header_find(request->headers, request->header_count,
                                    "user-agent")
            ? NULL
            : "surety/" SURETY_VERSION;
    surety_status status = surety__headers_check(request, reterr);

    if (status)
        return status;
    if (!http_is_method(request->method))
        return surety__fail(reterr, SURETY_MISUSE,
                            "a method is written in capital letters");
    if (!http_take_handle(exchange->http, request->url, &exchange->handle))
        return surety__fail_nomem(reterr);
    status = http_take_url(exchange, request->url, reterr);
    if (status)
        return status;
    if (!method.ptr || !body.ptr || !http_add_headers(exchange, request) ||
        !http_set_callbacks(exchange) ||
        !http_set_request(exchange, method, agent, body))
        return surety__fail_nomem(reterr);
    return SURETY_OK;
}

static surety_status http_start(void *ctx, uint64_t id,
                                const surety_request *request,
                                const surety_receiver *receiver,
                                surety_error *reterr)
{
    surety__http *http = ctx;
    surety__http_exchange *exchange;
    surety_request own;
    surety_status status =
        surety__options_take(&own, sizeof(own), request, reterr);

    if (status)
        return status;
    if (surety__http_find(http, id))
        return surety__fail(reterr, SURETY_MISUSE,
                            "an exchange with this id is under way");
    exchange = surety__new(http->alloc, sizeof(*exchange));
    if (!exchange)
        return surety__fail_nomem(reterr);
    exchange->http = http;
    exchange->id = id;
    exchange->lines_end = &exchange->lines;
    exchange->socket = CURL_SOCKET_BAD;
    exchange->opened[0] = exchange->opened[1] = CURL_SOCKET_BAD;
    exchange->intake = surety__intake_of(&own, receiver);
    exchange->progress = surety__progress_of(&own);
    exchange->parts = own.parts;
    exchange->part_count = own.part_count;
    exchange->arena = http->spare;
    surety__arena_reset(&exchange->arena);
    surety__arena_init(&http->spare, http->alloc, 0);
    status = http_prepare(exchange, &own, reterr);
    if (!status && !surety__http_due_add(http, exchange)) {
        status = surety__fail_nomem(reterr);
    } else if (!status && http->curl.multi_add_handle(http->multi,
                                                      exchange->handle.easy)) {
        status = surety__fail_nomem(reterr);
        surety__http_due_remove(http, exchange);
    }
    if (status)
        http_free(exchange);
    surety__http_watch_arm(http);
    return status;
}

/* ---- the transport ------------------------------------------------------- */

static void http_cancel(void *ctx, uint64_t id)
{
    surety__http *http = ctx;
    surety__http_exchange *exchange = surety__http_find(http, id);
    surety__shield shield;

    if (!exchange)
        return;
    surety__shield_raise(&shield);
    http_end(exchange, surety__delivery_cancelled(exchange->sent));
    surety__shield_lower(&shield);
    surety__http_watch_arm(http);
}

/* Moves bytes until a receiver was called, until_ms has passed, or a signal
 * arrived. */
static CURLMcode http_move(surety__http *http, uint64_t until_ms)
{
    for (;;) {
        bool signal;
        const CURLMcode code = surety__http_watch(http, until_ms, &signal);

        if (code)
            return code;
        http_collect(http);
        http->now_ms = surety__clock_ms();
        http_expire(http, http->now_ms);
        if (http->called || signal || http->now_ms >= until_ms)
            return CURLM_OK;
    }
}

static surety_status http_wait(void *ctx, uint32_t timeout_ms,
                               surety_error *reterr)
{
    surety__http *http = ctx;
    surety__shield shield;
    CURLMcode code;

    http->called = false;
    surety__shield_raise(&shield);
    code = http_move(http, surety__clock_ms() + timeout_ms);
    surety__shield_lower(&shield);
    surety__http_watch_arm(http);
    if (http->starved || code == CURLM_OUT_OF_MEMORY) {
        http->starved = false;
        return surety__fail_nomem(reterr);
    }
    if (code)
        return surety__fail(reterr, SURETY_IO, "no exchange can go on: %s",
                            http->curl.multi_strerror(code));
    return SURETY_OK;
}

static int http_descriptor(void *ctx)
{
    surety__http *http = ctx;

    http->watched = true;
    surety__http_watch_arm(http);
    return http->epoll;
}

static void http_close(void *ctx)
{
    surety__http *http = ctx;
    surety__shield shield;

    surety__shield_raise(&shield);
    while (http->count)
        http_end(http->items[0],
                 surety__delivery_cancelled(http->items[0]->sent));
    while (http->idle_count)
        http_handle_done(http, &http->idle[--http->idle_count]);
    (void)http->curl.multi_cleanup(http->multi);
    surety__http_watch_close(http);
    surety__http_due_done(http);
    http->curl.global_cleanup();
    surety__free(http->alloc, http->sockets,
                 http->socket_cap * sizeof(*http->sockets));
    surety__shield_lower(&shield);
    surety__arena_done(&http->arena);
    surety__arena_done(&http->spare);
    surety__free(http->alloc, http, sizeof(*http));
}

static surety_status http_check(const surety_http_options *options,
                                surety_error *reterr)
{
    if ((options->ca_file.len &&
         memchr(options->ca_file.ptr, 0, options->ca_file.len)) ||
        (options->proxy.len &&
         memchr(options->proxy.ptr, 0, options->proxy.len)))
        return surety__fail(reterr, SURETY_MISUSE,
                            "ca_file or proxy has a NUL character");
    if (options->public_only && options->proxy.len)
        return surety__fail(reterr, SURETY_MISUSE,
                            "public_only and a proxy: only the proxy knows the "
                            "addresses");
    return SURETY_OK;
}

surety_status surety_http_open(const surety_http_options *options,
                               surety_transport **ret_transport,
                               surety_error *reterr)
{
    long all = HTTP_CONNECTIONS;
    long host = HTTP_CONNECTIONS_HOST;
    surety_http_options own;
    surety_status status =
        surety__options_take(&own, sizeof(own), options, reterr);
    surety__http *http;

    if (!status)
        status = http_check(&own, reterr);
    if (status)
        return status;
    if (own.connections_max)
        all = (long)own.connections_max;
    if (own.connections_host_max)
        host = (long)own.connections_host_max;
    http = surety__new(own.alloc, sizeof(*http));
    if (!http)
        return surety__fail_nomem(reterr);
    status = surety__load(&http_library, &http->curl, reterr);
    if (!status && http->curl.global_init(CURL_GLOBAL_DEFAULT))
        status = surety__fail_nomem(reterr);
    if (status) {
        surety__free(own.alloc, http, sizeof(*http));
        return status;
    }
    http->alloc = own.alloc;
    http->public_only = own.public_only;
    http->direct = own.public_only || (!own.proxy.len && !http_has_proxy());
    http->epoll = http->timer = http->bell = -1;
    http->transport = (surety_transport){.version = 3,
                                         .ctx = http,
                                         .start = http_start,
                                         .cancel = http_cancel,
                                         .wait = http_wait,
                                         .close = http_close,
                                         .descriptor = http_descriptor};
    surety__arena_init(&http->arena, own.alloc, 0);
    surety__arena_init(&http->spare, own.alloc, 0);
    http->ca_file = surety__arena_text(&http->arena, own.ca_file);
    http->proxy = surety__arena_text(&http->arena, own.proxy);
    http->multi = http->curl.multi_init();
    if (!http->ca_file.ptr || !http->proxy.ptr || !http->multi ||
        http->curl.multi_setopt(http->multi, CURLMOPT_MAXCONNECTS, all) ||
        http->curl.multi_setopt(http->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS,
                                all) ||
        http->curl.multi_setopt(http->multi, CURLMOPT_MAX_HOST_CONNECTIONS,
                                host)) {
        http_close(http);
        return surety__fail_nomem(reterr);
    }
    status = surety__http_watch_open(http, reterr);
    if (status)
        http_close(http);
    else
        *ret_transport = &http->transport;
    return status;
}
