/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP server, over libmicrohttpd. No other file of the project calls that
 * library.
 *
 * One thread does all the work. libmicrohttpd runs without threads of its own
 * behind one epoll descriptor. An exchange that waits (its answer is not ready,
 * or the next chunk of its body is not due) is suspended in libmicrohttpd, and
 * this file polls its socket. So a service needs no locks, a thousand waiting
 * exchanges cost a thousand small records, and a client that hangs up is
 * noticed at once.
 *
 * 1. A peer is a connection with a deadline for its next progress. The deadline
 *    ends a client that sends its head byte by byte.
 * 2. An exchange is one request on a connection, with its answer.
 * 3. An answer that breaks HTTP on purpose (ANSWER_RAW) is written to the
 *    socket directly. libmicrohttpd meanwhile holds the request as suspended.
 *
 * What it does not do: TLS, HTTP/2, compression, several threads. */
#define _GNU_SOURCE /* pipe2; POLLRDHUP: the client has closed its half */
#include "serve/serve.h"

#include "serve/mhd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SERVE_NEVER INT64_MAX
#define SERVE_RAW_ROOM 16384
/* The block size that MHD uses for a response of unknown length. */
#define SERVE_BLOCK 16384

typedef struct serve_peer {
    struct serve_peer *next;
    struct serve_peer **link;
    surety__server *server;
    int fd;
    int64_t deadline; /* when the connection is closed, in ms; SERVE_NEVER */
} serve_peer;

struct surety__server {
    surety__mhd mhd;
    surety__server_options options;
    const surety_alloc *alloc;
    struct MHD_Daemon *daemon;
    serve_peer *peers;
    surety__serving *exchanges;
    int epoll_fd;
    int wake_fds[2]; /* a pipe that ends the poll of a step */
    uint16_t port;
    struct pollfd *polls; /* epoll_fd, wake_fds[0], then waiting exchanges */
    surety__serving **polled;
    size_t poll_cap, polled_cap;
};

static const surety__function_row serve_rows[] = {SURETY__MHD(SURETY__ROW)};
static const surety__library serve_library = {
    SURETY__LIBMICROHTTPD, "servers", serve_rows, SURETY__COUNT(serve_rows)};

static int64_t serve_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- waiting ------------------------------------------------------------- */

static void serve_suspend(surety__serving *exchange, uint32_t wait_ms)
{
    exchange->wake_at =
        wait_ms == SERVE_WAIT_LONG ? SERVE_NEVER : serve_now() + wait_ms;
    if (!exchange->is_suspended)
        exchange->server->mhd.suspend_connection(exchange->connection);
    exchange->is_suspended = true;
}

static void serve_resume(surety__serving *exchange)
{
    if (exchange->is_suspended)
        exchange->server->mhd.resume_connection(exchange->connection);
    exchange->is_suspended = false;
}

void surety__serving_wake(surety__serving *exchange)
{
    exchange->wake_at = 0;
}

/* Sends a TCP RST. On Linux, connect() to AF_UNSPEC does that. A linger time of
 * 0 does it where the socket is closed without a shutdown. */
static void serve_reset(const surety__serving *exchange)
{
    const struct linger linger = {1, 0};
    const struct sockaddr none = {.sa_family = AF_UNSPEC};

    setsockopt(exchange->peer->fd, SOL_SOCKET, SO_LINGER, &linger,
               sizeof(linger));
    connect(exchange->peer->fd, &none, sizeof(none));
}

/* ---- connections --------------------------------------------------------- */

static void serve_notify_peer(void *ctx, struct MHD_Connection *connection,
                              void **socket_context,
                              enum MHD_ConnectionNotificationCode code)
{
    surety__server *server = ctx;
    serve_peer *peer = *socket_context;

    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info = server->mhd.get_connection_info(
            connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        peer = surety__new(server->alloc, sizeof(*peer));
        if (!peer) {
            shutdown(info->connect_fd, SHUT_RDWR);
            return;
        }
        peer->server = server;
        peer->fd = info->connect_fd;
        peer->deadline = serve_now() + server->options.head_ms;
        peer->next = server->peers;
        peer->link = &server->peers;
        if (peer->next)
            peer->next->link = &peer->next;
        server->peers = peer;
        *socket_context = peer;
    } else if (peer) {
        *peer->link = peer->next;
        if (peer->next)
            peer->next->link = peer->link;
        surety__free(server->alloc, peer, sizeof(*peer));
        *socket_context = NULL;
    }
}

/* ---- requests ------------------------------------------------------------ */

/* Decodes percent-encoding once, into the arena. Leaves *path unchanged where
 * an escape is malformed, or the result has a control character or is not valid
 * UTF-8. */
static void serve_decode_path(surety__arena *arena, surety_str *path)
{
    const surety_str copy = surety__arena_text(arena, *path);
    char *out = (char *)copy.ptr;
    size_t len = 0;

    if (!out)
        return;
    for (size_t i = 0; i < path->len; i++) {
        int code = (unsigned char)path->ptr[i];
        unsigned high, low;

        if (code == '%') {
            if (i + 2 >= path->len)
                return;
            high = surety__hex_digit(path->ptr[i + 1]);
            low = surety__hex_digit(path->ptr[i + 2]);
            if (high > 15 || low > 15)
                return;
            code = (int)(high * 16 + low);
            i += 2;
        }
        if (code < 0x20 || code == 0x7F)
            return;
        out[len++] = (char)code;
    }
    if (surety__utf8_valid((surety_str){out, len}, NULL))
        *path = (surety_str){out, len};
}

/* libmicrohttpd calls this with the request target. The exchange it returns is
 * the request_context of all later callbacks. */
static void *serve_uri(void *ctx, const char *uri,
                       struct MHD_Connection *connection)
{
    surety__server *server = ctx;
    const union MHD_ConnectionInfo *info = server->mhd.get_connection_info(
        connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    serve_peer *peer = info ? info->socket_context : NULL;
    surety__serving *exchange;
    surety_str text;

    if (!peer)
        return NULL;
    peer->deadline = serve_now() + server->options.head_ms;
    exchange = surety__new(server->alloc, sizeof(*exchange));
    if (!exchange)
        return NULL;
    exchange->server = server;
    exchange->connection = connection;
    exchange->peer = peer;
    surety__arena_init(&exchange->arena, server->alloc, 0);
    surety_buf_init(&exchange->body, server->alloc,
                    server->options.body_bytes_max);
    exchange->next = server->exchanges;
    exchange->link = &server->exchanges;
    if (exchange->next)
        exchange->next->link = &exchange->next;
    server->exchanges = exchange;
    text = surety__arena_text(&exchange->arena, surety_str_of(uri));
    exchange->path = text;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '?') {
            exchange->path.len = i;
            exchange->query = (surety_str){text.ptr + i + 1, text.len - i - 1};
            break;
        }
    serve_decode_path(&exchange->arena, &exchange->path);
    return exchange;
}

surety_str surety__serving_header(const surety__serving *exchange,
                                  const char *name)
{
    return surety_str_of(exchange->server->mhd.lookup_connection_value(
        exchange->connection, MHD_HEADER_KIND, name));
}

/* ---- answering ----------------------------------------------------------- */

/* libmicrohttpd calls this for more of a body. */
static ssize_t serve_read(void *ctx, uint64_t at, char *room, size_t size)
{
    surety__serving *exchange = ctx;
    const surety__service *service = &exchange->server->options.service;
    surety__pull pull = {room, size, 0, 0};

    (void)at;
    if (exchange->is_gone)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    switch (service->pull(service->ctx, exchange, &pull)) {
    case FLOW_ON:
        assert(pull.len > 0 && pull.len <= size);
        exchange->sent += pull.len;
        return (ssize_t)pull.len;
    case FLOW_WAIT: serve_suspend(exchange, pull.wait_ms); return 0;
    case FLOW_END: return MHD_CONTENT_READER_END_OF_STREAM;
    case FLOW_CUT: return MHD_CONTENT_READER_END_WITH_ERROR;
    case FLOW_RESET: break;
    }
    serve_reset(exchange);
    return MHD_CONTENT_READER_END_WITH_ERROR;
}

static surety_status serve_add_header(surety__serving *exchange,
                                      struct MHD_Response *response,
                                      const surety_header *header,
                                      surety_error *reterr)
{
    const surety_str name = surety__arena_text(&exchange->arena, header->name);
    const surety_str value =
        surety__arena_text(&exchange->arena, header->value);

    if (!name.ptr || !value.ptr)
        return surety__fail_nomem(reterr);
    if (!name.len || surety__str_find_control(name, true) < name.len ||
        surety__str_find_control(value, true) < value.len ||
        exchange->server->mhd.add_response_header(response, name.ptr,
                                                  value.ptr) != MHD_YES)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a response cannot have the header \"%.*s\"",
                            (int)name.len, name.ptr);
    return SURETY_OK;
}

surety_status surety__serving_answer(surety__serving *exchange,
                                     const surety__response *response,
                                     surety_error *reterr)
{
    struct MHD_Response *made;
    surety_status status = SURETY_OK;

    if (exchange->state >= STATE_ANSWERING)
        return surety__fail(reterr, SURETY_MISUSE,
                            "the request has its answer already");
    if (response->kind == ANSWER_RAW) {
        exchange->raw =
            surety__resize(exchange->server->alloc, NULL, 0, SERVE_RAW_ROOM);
        if (!exchange->raw)
            return surety__fail_nomem(reterr);
        exchange->state = STATE_RAW;
        serve_suspend(exchange, 0);
        return SURETY_OK;
    }
    if (response->kind == ANSWER_WHOLE)
        made = exchange->server->mhd.create_response_from_buffer(
            response->body.len, (void *)response->body.ptr,
            MHD_RESPMEM_MUST_COPY);
    else
        made = exchange->server->mhd.create_response_from_callback(
            response->body_len == UINT64_MAX ? MHD_SIZE_UNKNOWN
                                             : response->body_len,
            SERVE_BLOCK, serve_read, exchange, NULL);
    if (!made)
        return surety__fail_nomem(reterr);
    for (size_t i = 0; i < response->header_count && !status; i++)
        status =
            serve_add_header(exchange, made, &response->headers[i], reterr);
    if (!status &&
        exchange->server->mhd.queue_response(
            exchange->connection, (unsigned)response->status, made) != MHD_YES)
        status = surety__fail(reterr, SURETY_MISUSE,
                              "a response cannot have the status %d",
                              response->status);
    if (!status) {
        exchange->state = STATE_ANSWERING;
        if (response->kind == ANSWER_WHOLE)
            exchange->sent = response->body.len;
    }
    exchange->server->mhd.destroy_response(made);
    return status;
}

/* Answers 500 where a service gave no answer. */
static enum MHD_Result serve_apologize(surety__serving *exchange)
{
    const surety__response response = {
        .status = 500,
        .body = SURETY__LITERAL("the server ran out of memory\n")};

    return surety__serving_answer(exchange, &response, NULL) == SURETY_OK
               ? MHD_YES
               : MHD_NO;
}

static enum MHD_Result serve_think(surety__serving *exchange)
{
    const surety__service *service = &exchange->server->options.service;
    uint32_t wait_ms = 0;

    exchange->is_called = true;
    exchange->state = STATE_THINKING;
    exchange->peer->deadline = SERVE_NEVER;
    switch (service->request(service->ctx, exchange, &wait_ms)) {
    case FLOW_ON:
    case FLOW_END:
        return exchange->state >= STATE_ANSWERING ? MHD_YES
                                                  : serve_apologize(exchange);
    case FLOW_WAIT: serve_suspend(exchange, wait_ms); return MHD_YES;
    case FLOW_CUT: return MHD_NO;
    case FLOW_RESET: break;
    }
    serve_reset(exchange);
    return MHD_NO;
}

/* libmicrohttpd's one callback for requests. It comes with the head, with each
 * chunk of the body, at the end of the body, and after each resume. */
static enum MHD_Result serve_handle(void *ctx,
                                    struct MHD_Connection *connection,
                                    const char *url, const char *method,
                                    const char *version, const char *upload,
                                    size_t *upload_size, void **request_context)
{
    surety__serving *exchange = *request_context;
    uint64_t announced = 0;

    (void)ctx, (void)connection, (void)url, (void)version;
    if (!exchange || exchange->is_gone)
        return MHD_NO;
    if (exchange->state == STATE_RAW) /* resumed: all of it was written */
        return MHD_NO;
    if (exchange->state == STATE_HEAD) {
        exchange->state = STATE_BODY;
        exchange->peer->deadline =
            serve_now() + exchange->server->options.body_ms;
        exchange->method =
            surety__arena_text(&exchange->arena, surety_str_of(method));
        /* libmicrohttpd refuses what is no number of 64 bits. */
        exchange->is_oversized =
            surety__str_number(surety__serving_header(
                                   exchange, MHD_HTTP_HEADER_CONTENT_LENGTH),
                               &announced) &&
            announced > exchange->server->options.body_bytes_max;
        return exchange->is_oversized ? serve_think(exchange) : MHD_YES;
    }
    if (*upload_size) {
        surety_buf_append(&exchange->body, upload, *upload_size);
        *upload_size = 0;
        if (exchange->body.status == SURETY_LIMIT)
            exchange->is_oversized = true;
        return exchange->body.status == SURETY_NOMEM ? MHD_NO : MHD_YES;
    }
    return serve_think(exchange);
}

/* A request has ended, completed or not: reports it to the service and frees
 * the exchange. */
static void serve_notify_completed(void *ctx, struct MHD_Connection *connection,
                                   void **request_context,
                                   enum MHD_RequestTerminationCode code)
{
    surety__server *server = ctx;
    surety__serving *exchange = *request_context;
    const surety_alloc *alloc = server->alloc;

    (void)connection;
    if (!exchange)
        return;
    *request_context = NULL;
    if (exchange->is_called && server->options.service.ended)
        server->options.service.ended(
            server->options.service.ctx, exchange,
            exchange->is_whole || code == MHD_REQUEST_TERMINATED_COMPLETED_OK);
    exchange->peer->deadline = serve_now() + server->options.idle_ms;
    *exchange->link = exchange->next;
    if (exchange->next)
        exchange->next->link = exchange->link;
    surety__arena_done(&exchange->arena);
    surety_buf_done(&exchange->body);
    surety__free(alloc, exchange->raw, SERVE_RAW_ROOM);
    surety__free(alloc, exchange, sizeof(*exchange));
}

/* ---- raw answers --------------------------------------------------------- */

/* Writes as many bytes as the socket takes. At the end of the answer it resumes
 * the exchange, which ends it. */
static void serve_write_raw(surety__serving *exchange)
{
    const surety__service *service = &exchange->server->options.service;
    surety__pull pull = {exchange->raw, SERVE_RAW_ROOM, 0, 0};
    ssize_t sent;

    assert(exchange->state == STATE_RAW);
    if (exchange->raw_start == exchange->raw_end) {
        const surety__flow flow = service->pull(service->ctx, exchange, &pull);
        if (flow == FLOW_WAIT) {
            serve_suspend(exchange, pull.wait_ms);
            return;
        }
        if (flow != FLOW_ON) {
            if (flow == FLOW_RESET)
                serve_reset(exchange);
            exchange->is_whole = flow == FLOW_END;
            serve_resume(exchange);
            return;
        }
        exchange->raw_start = 0;
        exchange->raw_end = pull.len;
    }
    sent = send(exchange->peer->fd, exchange->raw + exchange->raw_start,
                exchange->raw_end - exchange->raw_start, MSG_NOSIGNAL);
    if (sent >= 0) {
        exchange->raw_start += (size_t)sent;
        exchange->sent += (uint64_t)sent;
    } else if (errno != EAGAIN && errno != EINTR) {
        exchange->is_gone = true;
        serve_resume(exchange);
    }
}

/* ---- the loop ------------------------------------------------------------ */

/* Collects the sockets of suspended exchanges into polls, and lowers *until to
 * the earliest deadline. False: out of memory, so some sockets are not
 * watched. */
static bool serve_gather(surety__server *server, size_t *ret_count,
                         int64_t *until)
{
    size_t count = 2;
    bool is_all = true;

    assert(server->poll_cap >= 2);
    for (surety__serving *one = server->exchanges; one; one = one->next) {
        const bool is_raw = one->state == STATE_RAW;
        if (!one->is_suspended)
            continue;
        if (one->wake_at < *until && !(is_raw && one->wake_at == 0))
            *until = one->wake_at;
        is_all =
            is_all &&
            !surety__grow(server->alloc, &server->polls, &server->poll_cap,
                          count + 1, sizeof(*server->polls), SIZE_MAX) &&
            !surety__grow(server->alloc, &server->polled, &server->polled_cap,
                          count + 1, sizeof(surety__serving *), SIZE_MAX);
        if (!is_all)
            continue;
        server->polls[count] = (struct pollfd){
            one->peer->fd,
            (short)(POLLRDHUP | (is_raw && one->wake_at == 0 ? POLLOUT : 0)),
            0};
        server->polled[count++] = one;
    }
    for (const serve_peer *peer = server->peers; peer; peer = peer->next)
        if (peer->deadline < *until)
            *until = peer->deadline;
    *ret_count = count;
    return is_all;
}

/* Continues a suspended exchange: writes more of a raw answer, or resumes
 * it. */
static void serve_move(surety__serving *exchange)
{
    if (exchange->state == STATE_RAW && !exchange->is_gone) {
        exchange->wake_at = 0;
        serve_write_raw(exchange);
    } else {
        serve_resume(exchange);
    }
}

/* Continues exchanges whose client hung up and those whose wait has ended, and
 * closes connections past their deadline. A raw answer that does not wait
 * continues only when its socket is writable. */
static void serve_wake_due(surety__server *server, size_t count)
{
    const int64_t now = serve_now();

    for (size_t i = 2; i < count; i++) {
        surety__serving *one = server->polled[i];
        if (server->polls[i].revents & (POLLRDHUP | POLLHUP | POLLERR)) {
            one->is_gone = true;
            serve_move(one);
        } else if (server->polls[i].revents & POLLOUT) {
            serve_move(one);
        }
    }
    for (surety__serving *one = server->exchanges; one; one = one->next)
        if (one->is_suspended && one->wake_at <= now &&
            !(one->state == STATE_RAW && one->wake_at == 0))
            serve_move(one);
    for (serve_peer *peer = server->peers; peer; peer = peer->next)
        if (peer->deadline <= now) {
            peer->deadline = SERVE_NEVER;
            shutdown(peer->fd, SHUT_RDWR);
        }
}

void surety__server_step(surety__server *server, uint32_t timeout_ms)
{
    const int64_t now = serve_now();
    int64_t until = now + timeout_ms;
    MHD_UNSIGNED_LONG_LONG due = 0;
    size_t count = 2;
    char drain[64];
    bool is_all;

    is_all = serve_gather(server, &count, &until);
    assert(count <= server->poll_cap);
    if (server->mhd.get_timeout(server->daemon, &due) == MHD_YES &&
        (int64_t)due < until - now)
        until = now + (int64_t)due;
    if (!is_all && until > now + 10)
        until = now + 10;
    until = until > now ? until - now : 0;
    server->polls[0] = (struct pollfd){server->epoll_fd, POLLIN, 0};
    server->polls[1] = (struct pollfd){server->wake_fds[0], POLLIN, 0};
    if (poll(server->polls, (nfds_t)count,
             until > INT32_MAX ? INT32_MAX : (int)until) < 0)
        count = 2;
    else if (server->polls[1].revents)
        while (read(server->wake_fds[0], drain, sizeof(drain)) > 0)
            ;
    serve_wake_due(server, count);
    server->mhd.run(server->daemon);
}

void surety__server_wake(surety__server *server)
{
    const char byte = 0;
    ssize_t written;

    /* A full pipe ends the poll as well. */
    do
        written = write(server->wake_fds[1], &byte, 1);
    while (written < 0 && errno == EINTR);
}

/* ---- opening and closing ------------------------------------------------- */

typedef union serve_address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
} serve_address;

static surety_str serve_address_of(const surety__server_options *options)
{
    return options->address.len ? options->address
                                : SURETY__LITERAL("127.0.0.1");
}

static bool serve_parse_address(const surety__server_options *options,
                                serve_address *ret_address, socklen_t *ret_len)
{
    const surety_str given = serve_address_of(options);
    char text[64];

    if (given.len >= sizeof(text) || memchr(given.ptr, 0, given.len))
        return false;
    memcpy(text, given.ptr, given.len);
    text[given.len] = '\0';
    memset(ret_address, 0, sizeof(*ret_address));
    if (inet_pton(AF_INET, text, &ret_address->four.sin_addr) == 1) {
        ret_address->four.sin_family = AF_INET;
        ret_address->four.sin_port = htons(options->port);
        *ret_len = sizeof(ret_address->four);
        return true;
    }
    if (inet_pton(AF_INET6, text, &ret_address->six.sin6_addr) == 1) {
        ret_address->six.sin6_family = AF_INET6;
        ret_address->six.sin6_port = htons(options->port);
        *ret_len = sizeof(ret_address->six);
        return true;
    }
    return false;
}

/* Makes a listening socket; -1 with errno. */
static int serve_listen(const serve_address *address, socklen_t len,
                        uint16_t *ret_port)
{
    const int fd = socket(address->any.sa_family,
                          SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int yes = 1;
    serve_address bound;
    socklen_t bound_len = sizeof(bound);
    int error;

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (bind(fd, &address->any, len) || listen(fd, 511) ||
        getsockname(fd, &bound.any, &bound_len)) {
        error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    *ret_port = ntohs(bound.any.sa_family == AF_INET6 ? bound.six.sin6_port
                                                      : bound.four.sin_port);
    return fd;
}

/* The defaults of options that are 0. */
enum {
    SERVE_BODY_BYTES = 10 << 20,
    SERVE_HEAD_BYTES = 16 << 10,
    SERVE_CONNECTIONS = 1024,
    SERVE_HEAD_MS = 10000,
    SERVE_BODY_MS = 60000,
    SERVE_IDLE_MS = 60000
};

static void serve_fill(surety__server_options *options)
{
    if (!options->body_bytes_max)
        options->body_bytes_max = SERVE_BODY_BYTES;
    if (!options->head_bytes_max)
        options->head_bytes_max = SERVE_HEAD_BYTES;
    if (!options->connections_max)
        options->connections_max = SERVE_CONNECTIONS;
    if (!options->head_ms)
        options->head_ms = SERVE_HEAD_MS;
    if (!options->body_ms)
        options->body_ms = SERVE_BODY_MS;
    if (!options->idle_ms)
        options->idle_ms = SERVE_IDLE_MS;
}

/* libmicrohttpd's memory for a connection holds two heads, the request's and
 * the answer's. So head_bytes_max is approximate. */
static struct MHD_Daemon *serve_start(surety__server *server, int fd)
{
    const surety__server_options *options = &server->options;
    const unsigned flags =
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME |
        (options->no_date ? MHD_USE_SUPPRESS_DATE_NO_CLOCK : 0u);

    return server->mhd.start_daemon(
        flags, 0, NULL, NULL, serve_handle, server, MHD_OPTION_LISTEN_SOCKET,
        fd, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)(options->head_bytes_max * 2), MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)options->connections_max, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)(options->idle_ms / 1000 + 60), MHD_OPTION_STRICT_FOR_CLIENT,
        1, MHD_OPTION_NOTIFY_CONNECTION, serve_notify_peer, server,
        MHD_OPTION_NOTIFY_COMPLETED, serve_notify_completed, server,
        MHD_OPTION_URI_LOG_CALLBACK, serve_uri, server, MHD_OPTION_END);
}

surety_status surety__server_open(const surety__server_options *options,
                                  surety__server **ret_server,
                                  surety_error *reterr)
{
    surety__server *server = surety__new(options->alloc, sizeof(*server));
    const union MHD_DaemonInfo *info;
    serve_address address;
    socklen_t len = 0;
    surety_status status;
    void *polls = NULL;
    int fd = -1;

    if (!server)
        return surety__fail_nomem(reterr);
    server->options = *options;
    server->alloc = options->alloc;
    server->wake_fds[0] = server->wake_fds[1] = -1;
    serve_fill(&server->options);
    status = surety__load(&serve_library, &server->mhd, reterr);
    if (status)
        goto done;
    status = surety__grow(server->alloc, &polls, &server->poll_cap, 2,
                          sizeof(*server->polls), SIZE_MAX);
    server->polls = polls;
    if (status) {
        surety__fail_nomem(reterr);
        goto done;
    }
    if (!serve_parse_address(options, &address, &len)) {
        status =
            surety__fail(reterr, SURETY_MISUSE, "\"%.*s\" is no IP address",
                         (int)options->address.len, options->address.ptr);
        surety__hint(reterr, "give one such as 127.0.0.1 or ::1");
        goto done;
    }
    fd = serve_listen(&address, len, &server->port);
    if (fd < 0 || pipe2(server->wake_fds, O_CLOEXEC | O_NONBLOCK)) {
        status = surety__fail(
            reterr, SURETY_IO, "cannot listen on %.*s port %u: %s",
            (int)serve_address_of(options).len, serve_address_of(options).ptr,
            (unsigned)options->port, strerror(errno));
        surety__hint(reterr, "port 0 takes one that is free");
        goto done;
    }
    server->daemon = serve_start(server, fd);
    info = server->daemon ? server->mhd.get_daemon_info(
                                server->daemon, MHD_DAEMON_INFO_EPOLL_FD)
                          : NULL;
    if (!info) {
        status =
            surety__fail(reterr, SURETY_IO, "libmicrohttpd cannot start: %s",
                         strerror(errno));
        goto done;
    }
    server->epoll_fd = info->epoll_fd;
    *ret_server = server;
done:
    if (status) {
        if (fd >= 0 && !server->daemon)
            close(fd);
        surety__server_close(server);
    }
    return status;
}

uint16_t surety__server_port(const surety__server *server)
{
    return server->port;
}

void surety__server_close(surety__server *server)
{
    if (!server)
        return;
    for (surety__serving *one = server->exchanges; one; one = one->next) {
        one->is_gone = true;
        serve_resume(one);
    }
    if (server->daemon)
        server->mhd.stop_daemon(server->daemon);
    for (int i = 0; i < 2; i++)
        if (server->wake_fds[i] >= 0)
            close(server->wake_fds[i]);
    surety__free(server->alloc, server->polls,
                 server->poll_cap * sizeof(*server->polls));
    surety__free(server->alloc, server->polled,
                 server->polled_cap * sizeof(surety__serving *));
    surety__free(server->alloc, server, sizeof(*server));
}
