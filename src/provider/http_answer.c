/* SPDX-License-Identifier: Apache-2.0 */
/* http_answer.c: reads the head of an HTTP response, and finds the failure of
 * a broken exchange.
 *
 * libcurl reads HTTP leniently, like a browser. This file refuses a response
 * that two readers could understand differently (RFC 9112, 5.2, 6.1, 6.3:
 * folded lines, two lengths, a length and chunks), and what was not requested:
 * redirects, codings, other protocols, floods. libcurl alone handles the
 * framing of the body.
 *
 * A message names host and port. It never quotes a URL, a header of the
 * request, or a body: they may contain keys. */
#include "provider/http.h"

#include <errno.h>

enum {
    HTTP_HEADERS_MAX = 512,          /* of one response, trailers too */
    HTTP_HEADERS_BYTES_MAX = 131072, /* of all of them */
    HTTP_INTERIM_MAX = 16,           /* responses 1xx before the response */
    HTTP_ERROR_MAX = 160             /* bytes of libcurl's text in a message */
};

/* ---- decisions ----------------------------------------------------------- */

void surety__http_decide(surety__http_exchange *exchange,
                         surety_delivery delivery)
{
    if (exchange->decided)
        return;
    exchange->decided = true;
    exchange->delivery = delivery;
}

int surety__http_len(surety_str text, size_t max)
{
    return (int)(text.len < max ? text.len : max);
}

static void http_refuse(surety__http_exchange *exchange, const char *what)
{
    surety__http_decide(exchange,
                        surety__delivery_of(SURETY_FAILURE_PROTOCOL, true,
                                            "%s answered with %s",
                                            exchange->host.ptr, what));
}

/* ---- the response's head ------------------------------------------------- */

void surety__http_host_write(const surety__curl *curl, CURLU *url,
                             surety_buf *out)
{
    char *host = NULL;
    char *port = NULL;

    if (curl->url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
        curl->url_get(url, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) ==
            CURLUE_OK) {
        surety_buf_text(out, host);
        surety_buf_byte(out, ':');
        surety_buf_text(out, port);
    }
    curl->free(host);
    curl->free(port);
}

static void http_refuse_redirect(surety__http_exchange *exchange)
{
    const surety__curl *curl = &exchange->http->curl;
    surety_str location = {"", 0};
    surety_str other;
    CURLU *url = curl->url();
    surety_buf host;

    for (size_t i = 0; i < exchange->head.count; i++)
        if (surety__str_equal_nocase(exchange->head.items[i].name,
                                     SURETY__LITERAL("location")))
            location = exchange->head.items[i].value;
    surety_buf_init(&host, exchange->http->alloc, 0);
    /* Texts of the arena are NUL-terminated. */
    if (url && location.len &&
        curl->url_set(url, CURLUPART_URL, location.ptr, 0) == CURLUE_OK)
        surety__http_host_write(curl, url, &host);
    other = surety_buf_str(&host);
    curl->url_cleanup(url);
    surety__http_decide(
        exchange,
        surety__delivery_of(SURETY_FAILURE_PROTOCOL, true,
                            "%s redirects%s%.*s (status %d), and redirects are "
                            "not followed",
                            exchange->host.ptr, other.len ? " to " : "",
                            surety__http_len(other, 80),
                            other.len ? other.ptr : "", exchange->head.status));
    surety_buf_done(&host);
}

/* Refuses a header that makes the response ambiguous or coded as soon as it
 * arrives. */
static void http_judge_header(surety__http_exchange *exchange, surety_str name,
                              surety_str value)
{
    if (surety__str_equal_nocase(name, SURETY__LITERAL("content-length"))) {
        uint64_t length = 0;

        if (value.len > 18 || !surety__str_number(value, &length))
            http_refuse(exchange, "a content-length that is no number");
        else if (exchange->head.sized &&
                 length != exchange->head.content_length)
            http_refuse(exchange, "two content-lengths that differ");
        exchange->head.sized = true;
        exchange->head.content_length = length;
    } else if (surety__str_equal_nocase(name,
                                        SURETY__LITERAL("transfer-encoding"))) {
        if (exchange->head.coded ||
            !surety__str_equal_nocase(value, SURETY__LITERAL("chunked")))
            http_refuse(exchange,
                        "a transfer-encoding that is not \"chunked\"");
        exchange->head.coded = true;
    }
}

/* Passes the head to the receiver, and ends an exchange whose head is
 * refused. */
static void http_head(surety__http_exchange *exchange)
{
    surety_str coding = {"", 0};

    assert(exchange->head.status >= 200);
    if (exchange->head.coded && exchange->head.sized) {
        http_refuse(exchange, "both a content-length and a transfer-encoding");
        return;
    }
    for (size_t i = 0; i < exchange->head.count; i++)
        if (surety__str_equal_nocase(exchange->head.items[i].name,
                                     SURETY__LITERAL("content-encoding")) &&
            !surety__str_equal_nocase(exchange->head.items[i].value,
                                      SURETY__LITERAL("identity")))
            coding = exchange->head.items[i].value;
    exchange->head.is_passed = true;
    exchange->http->called = true;
    exchange->intake.receiver.head(exchange->intake.receiver.ctx,
                                   exchange->head.status, exchange->head.items,
                                   exchange->head.count);
    if (exchange->head.status >= 300 && exchange->head.status < 400)
        http_refuse_redirect(exchange);
    else if (coding.len)
        surety__http_decide(
            exchange,
            surety__delivery_of(SURETY_FAILURE_PROTOCOL, true,
                                "%s answered in the coding \"%.*s\", which the "
                                "request does not "
                                "accept",
                                exchange->host.ptr,
                                surety__http_len(coding, 40), coding.ptr));
    else if (exchange->head.sized &&
             exchange->head.content_length > exchange->intake.bytes_max)
        surety__http_decide(exchange,
                            surety__delivery_limit(exchange->intake.bytes_max));
}

/* Handles the empty line after a block of headers. */
static void http_block(surety__http_exchange *exchange)
{
    if (exchange->head.status >= 200) {
        http_head(exchange);
        return;
    }
    if (exchange->head.status == 101)
        http_refuse(exchange, "another protocol (status 101)");
    else if (++exchange->head.interim > HTTP_INTERIM_MAX)
        http_refuse(exchange, "too many interim responses (status 1xx)");
}

/* Reads "HTTP/1.1 200 OK" or "HTTP/2 200". */
static void http_status_line(surety__http_exchange *exchange, surety_str line)
{
    const size_t at = surety__str_find(line, SURETY__LITERAL(" ")) + 1;
    const bool is_2 = surety__str_starts(line, SURETY__LITERAL("HTTP/2"));
    uint64_t status = 0;

    if (at + 3 > line.len ||
        !surety__str_number((surety_str){line.ptr + at, 3}, &status)) {
        http_refuse(exchange, "a malformed status line");
        return;
    }
    /* HTTP/2 is agreed on by TLS only. libcurl believes the line, and would
     * give the connection to others, as one whose frames name their streams. */
    if (is_2 && !exchange->handle.is_tls) {
        http_refuse(exchange, "HTTP/2, which was not agreed on");
        return;
    }
    surety__http_pool_learn(exchange, is_2);
    exchange->head.status = (int)status;
    exchange->head.count = 0;
    exchange->head.coded = exchange->head.sized = false;
}

static void http_header_line(surety__http_exchange *exchange, surety_str line)
{
    const size_t colon = surety__str_find(line, SURETY__LITERAL(":"));
    surety_header header = {.name = {line.ptr, colon}};

    assert(line.len > 0);
    if (line.ptr[0] == ' ' || line.ptr[0] == '\t') {
        http_refuse(exchange, "a folded header line (RFC 9112, section 5.2)");
        return;
    }
    if (colon == 0 || colon == line.len || line.ptr[colon - 1] == ' ' ||
        line.ptr[colon - 1] == '\t') {
        http_refuse(exchange, "a header line without a name");
        return;
    }
    header.value = surety__str_trim(
        (surety_str){line.ptr + colon + 1, line.len - colon - 1});
    for (size_t i = 0; i < line.len; i++) {
        if ((unsigned char)line.ptr[i] >= 0x20 || line.ptr[i] == '\t')
            continue;
        http_refuse(exchange, "a control character in a header");
        return;
    }
    header.name = surety__arena_text(&exchange->arena, header.name);
    header.value = surety__arena_text(&exchange->arena, header.value);
    if (!header.name.ptr || !header.value.ptr ||
        surety__grow(exchange->http->alloc, &exchange->head.items,
                     &exchange->head.cap, exchange->head.count + 1,
                     sizeof(header), HTTP_HEADERS_MAX)) {
        exchange->http->starved = true;
        surety__http_decide(exchange, surety__delivery_of(SURETY_FAILURE_LIMIT,
                                                          exchange->sent,
                                                          "memory ran out"));
        return;
    }
    exchange->head.items[exchange->head.count++] = header;
    http_judge_header(exchange, header.name, header.value);
}

bool surety__http_line(surety__http_exchange *exchange, surety_str line)
{
    exchange->head.bytes += line.len;
    if (++exchange->head.lines > HTTP_HEADERS_MAX ||
        exchange->head.bytes > HTTP_HEADERS_BYTES_MAX)
        surety__http_decide(
            exchange,
            surety__delivery_of(
                SURETY_FAILURE_LIMIT, true,
                "%s answered with more than %d headers or %d bytes "
                "of them",
                exchange->host.ptr, HTTP_HEADERS_MAX, HTTP_HEADERS_BYTES_MAX));
    while (line.len &&
           (line.ptr[line.len - 1] == '\n' || line.ptr[line.len - 1] == '\r'))
        line.len--;
    if (exchange->decided || exchange->head.is_passed) /* or a trailer */
        return !exchange->decided;
    if (line.len == 0)
        http_block(exchange);
    else if (surety__str_starts(line, SURETY__LITERAL("HTTP/")))
        http_status_line(exchange, line);
    else
        http_header_line(exchange, line);
    return !exchange->decided;
}

/* ---- the end of an exchange ---------------------------------------------- */

/* libcurl's message without parts that do not help a user. It names
 * certificates, hosts and protocols, never URLs, headers or bodies. */
static surety_str http_error(const surety__http_exchange *exchange,
                             CURLcode code)
{
    static const char *const prefixes[] = {"SSL certificate problem: ",
                                           "SSL: "};
    const surety_str routines = SURETY__LITERAL(" routines::");
    surety_str text = surety_str_of(exchange->error_text);
    size_t at;

    if (!text.len)
        text = surety_str_of(exchange->http->curl.easy_strerror(code));
    for (size_t i = 0; i < SURETY__COUNT(prefixes); i++)
        if (surety__str_starts(text, surety_str_of(prefixes[i]))) {
            surety__str_skip(&text, strlen(prefixes[i]));
        }
    at = surety__str_find(text, routines);
    if (at < text.len) {
        surety__str_skip(&text, at + routines.len);
    }
    if (text.len > HTTP_ERROR_MAX)
        text.len = HTTP_ERROR_MAX;
    return text;
}

static bool http_error_has(const surety__http_exchange *exchange,
                           const char *words)
{
    const surety_str text = surety_str_of(exchange->error_text);

    return surety__str_find(text, surety_str_of(words)) < text.len;
}

enum { HTTP_WHOM_MAX = 240 };

/* Whether the connection goes to a proxy: one is set as an option, libcurl
 * reports one, or the port differs from the URL's (libcurl reads proxies from
 * the environment). */
static bool http_by_proxy(const surety__http_exchange *exchange)
{
    const char *colon = strrchr(exchange->host.ptr, ':');
    uint64_t port = 0;

#if LIBCURL_VERSION_NUM >= 0x080700
    long used = 0;

    if (exchange->http->curl.easy_getinfo(
            exchange->handle.easy, CURLINFO_USED_PROXY, &used) == CURLE_OK &&
        used)
        return true;
#endif
    if (exchange->http->proxy.len)
        return true;
    if (colon)
        (void)surety__str_number(surety_str_of(colon + 1), &port);
    return exchange->peer_port && exchange->peer_port != port;
}

/* Writes the peer of the connection to text (HTTP_WHOM_MAX bytes): the host,
 * or the proxy before it. */
static const char *http_whom(const surety__http_exchange *exchange, char *text)
{
    const int len = surety__http_len(exchange->host, 100);
    const bool is_six = strchr(exchange->peer, ':') != NULL;
    surety_buf out = {
        .ptr = text, .cap = HTTP_WHOM_MAX - 1, .max = HTTP_WHOM_MAX - 1};

    if (!http_by_proxy(exchange))
        surety__buf_printf(&out, "%.*s", len, exchange->host.ptr);
    else if (!exchange->peer[0])
        surety__buf_printf(&out, "the proxy on the way to %.*s", len,
                           exchange->host.ptr);
    else
        surety__buf_printf(&out, "the proxy %s%s%s:%u on the way to %.*s",
                           is_six ? "[" : "", exchange->peer, is_six ? "]" : "",
                           exchange->peer_port, len, exchange->host.ptr);
    text[out.len] = '\0';
    return text;
}

static surety_delivery http_unconnected(const surety__http_exchange *exchange)
{
    char whom[HTTP_WHOM_MAX];
    long error = 0;

    if (exchange->address[0])
        return surety__delivery_of(SURETY_FAILURE_ADDRESS, false,
                                   "%s is at the address %s, which is not "
                                   "public and so not allowed",
                                   exchange->host.ptr, exchange->address);
    (void)exchange->http->curl.easy_getinfo(exchange->handle.easy,
                                            CURLINFO_OS_ERRNO, &error);
    (void)http_whom(exchange, whom);
    if (error == ECONNREFUSED)
        return surety__delivery_of(SURETY_FAILURE_CONNECT, false,
                                   "%s refused the connection", whom);
    if (error)
        return surety__delivery_of(SURETY_FAILURE_CONNECT, false,
                                   "no connection to %s: %s", whom,
                                   strerror((int)error));
    return surety__delivery_of(SURETY_FAILURE_CONNECT, false,
                               "no connection to %s", whom);
}

surety_delivery surety__http_late_connect(const surety__http_exchange *exchange)
{
    char whom[HTTP_WHOM_MAX];

    return surety__delivery_of(
        SURETY_FAILURE_TIMEOUT, false, "no connection to %s within %u ms",
        http_whom(exchange, whom), exchange->progress.timeouts.connect_ms);
}

/* The failure of an exchange whose request was not sent. */
static surety_delivery http_unsent(const surety__http_exchange *exchange,
                                   CURLcode code)
{
    const char *host = exchange->host.ptr;
    const surety_str error = http_error(exchange, code);
    const char *format = "no connection to %s: %.*s";
    surety_failure failure = SURETY_FAILURE_CONNECT;

    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
        return surety__delivery_of(SURETY_FAILURE_CONNECT, false,
                                   "unknown host: %s", host);
    case CURLE_COULDNT_CONNECT: return http_unconnected(exchange);
    case CURLE_OPERATION_TIMEDOUT: return surety__http_late_connect(exchange);
    case CURLE_SSL_CONNECT_ERROR:
        /* The connection broke off, so the certificate is not the cause. */
        if (http_error_has(exchange, "reset by peer") ||
            http_error_has(exchange, "SSL_ERROR_SYSCALL") ||
            http_error_has(exchange, "unexpected eof"))
            break;
        failure = SURETY_FAILURE_TLS;
        break;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_USE_SSL_FAILED:
    case CURLE_SSL_ENGINE_NOTFOUND:
    case CURLE_SSL_ENGINE_SETFAILED:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
    case CURLE_SSL_INVALIDCERTSTATUS: failure = SURETY_FAILURE_TLS; break;
    default: break;
    }
    if (failure == SURETY_FAILURE_TLS)
        format = "no trusted connection to %s: %.*s";
    return surety__delivery_of(failure, false, format, host, (int)error.len,
                               error.ptr);
}

/* The failure of an exchange whose request was sent, at least in part. */
static surety_delivery http_broken(const surety__http_exchange *exchange,
                                   CURLcode code)
{
    const char *host = exchange->host.ptr;
    const surety_str error = http_error(exchange, code);
    bool unruly = http_error_has(exchange, "chunk");

    /* libcurl's codes for a header line above its own limit; 100 is
     * CURLE_TOO_LARGE of 8.6 and later. */
    if (!exchange->head.is_passed &&
        (code == CURLE_OUT_OF_MEMORY || (int)code == 100))
        return surety__delivery_of(SURETY_FAILURE_LIMIT, true,
                                   "%s answered with a header line that is "
                                   "too long",
                                   host);
    switch (code) {
    case CURLE_PARTIAL_FILE:
        return surety__delivery_of(SURETY_FAILURE_TRUNCATED, true,
                                   "%s closed the connection in the middle "
                                   "of its response, after %zu bytes of it",
                                   host, exchange->intake.bytes);
    case CURLE_GOT_NOTHING:
        return surety__delivery_of(SURETY_FAILURE_RESET, true,
                                   "%s closed the connection without an "
                                   "answer",
                                   host);
    case CURLE_UNSUPPORTED_PROTOCOL:
        return surety__delivery_of(SURETY_FAILURE_PROTOCOL, true,
                                   "the answer of %s is not HTTP", host);
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING: unruly = true; break;
    default: break;
    }
    if (unruly)
        return surety__delivery_of(SURETY_FAILURE_PROTOCOL, true,
                                   "%s answered against the rules of HTTP: "
                                   "%.*s",
                                   host, (int)error.len, error.ptr);
    return surety__delivery_of(SURETY_FAILURE_RESET, true,
                               "the connection to %s broke off: %.*s", host,
                               (int)error.len, error.ptr);
}

surety_delivery surety__http_outcome(const surety__http_exchange *exchange,
                                     CURLcode code)
{
    if (exchange->decided)
        return exchange->delivery;
    if (code != CURLE_OK)
        return exchange->sent ? http_broken(exchange, code)
                              : http_unsent(exchange, code);
    if (!exchange->head.is_passed)
        return http_broken(exchange, CURLE_GOT_NOTHING);
    return (surety_delivery){.failure = SURETY_FAILURE_NONE, .sent = true};
}
