/* SPDX-License-Identifier: Apache-2.0 */
/* One connection: its requests one after the other, each read, given to the
 * service, and answered.
 *
 * 1. Bytes are read only while a request is read. What a client sends ahead
 *    stays with the system until its turn.
 * 2. While the service thinks, the socket is watched for a client that hangs
 *    up, and holds no buffer.
 * 3. Where the rest of a request was not read, the end of the connection waits
 *    until the client has read the answer: closed at once, TCP would send a
 *    reset, and the client could lose the answer (RFC 9112, section 9.6).
 * 4. A handshake of TLS is a part of the first read. */
#include "serve/connection.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* The events of a connection that is read. A client that hangs up is noticed
 * without other events, where it waits for its answer. */
#define CONNECTION_READS ((uint32_t)(EPOLLIN | EPOLLRDHUP))

enum {
    /* How long a client is given to read the last answer, and to send a first
     * byte where no more is accepted. */
    CONNECTION_LINGER_MS = 2000
};

/* ---- beginning and end --------------------------------------------------- */

void surety__connection_open(surety__server *server, int fd, bool is_secure)
{
    const surety_alloc *alloc = server->options.alloc;
    surety__connection *connection = NULL;
    surety__tls *tls = is_secure ? server->options.tls : NULL;
    surety__tls_link *link = tls ? surety__tls_link_new(tls, fd) : NULL;
    struct epoll_event event = {.events = CONNECTION_READS};

    if (!tls == !link && !surety__due_reserve(server, server->count + 1))
        connection = surety__new(alloc, sizeof(*connection));
    event.data.ptr = connection;
    if (!connection || epoll_ctl(server->epoll_fd, EPOLL_CTL_ADD, fd, &event)) {
        surety__tls_link_free(link);
        surety__free(alloc, connection, sizeof(*connection));
        close(fd);
        atomic_fetch_sub(server->open, 1);
        return;
    }
    connection->server = server;
    connection->fd = fd;
    connection->tls = link;
    connection->events = CONNECTION_READS;
    connection->due_at = SERVE_NEVER;
    surety_buf_init(&connection->in, alloc, 0);
    surety_buf_init(&connection->out, alloc, 0);
    connection->next = server->connections;
    connection->link = &server->connections;
    if (connection->next)
        connection->next->link = &connection->next;
    server->connections = connection;
    server->count++;
    surety__due_set(connection, server->now + server->options.head_ms);
}

/* Reports the end of the request to the service, and frees it. */
static void connection_end_exchange(surety__connection *connection, bool whole)
{
    const surety__service *service = &connection->server->options.service;
    surety__serving *exchange = connection->exchange;

    if (!exchange)
        return;
    connection->exchange = NULL;
    if (exchange->is_called && service->ended)
        service->ended(service->ctx, exchange, whole);
    surety__arena_done(&exchange->arena);
    surety_buf_done(&exchange->body);
    surety__free(connection->server->options.alloc, exchange,
                 sizeof(*exchange));
}

void surety__connection_close(surety__connection *connection)
{
    surety__server *server = connection->server;
    const struct linger at_once = {1, 0};

    connection_end_exchange(connection, false);
    /* Between two requests; an answer that is cut must not look complete. */
    if (connection->tls && connection->state == STATE_HEAD)
        (void)surety__tls_end(connection->tls);
    surety__tls_link_free(connection->tls);
    surety__due_set(connection, SERVE_NEVER);
    *connection->link = connection->next;
    if (connection->next)
        connection->next->link = connection->link;
    server->count--;
    atomic_fetch_sub(server->open, 1);
    /* A child that is being forked may have the socket, too: then closing ours
     * does not take it out of epoll. */
    (void)epoll_ctl(server->epoll_fd, EPOLL_CTL_DEL, connection->fd, NULL);
    /* A linger time of 0 makes close() send a reset (socket(7)). */
    if (connection->is_reset)
        setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &at_once,
                   sizeof(at_once));
    close(connection->fd);
    surety_buf_done(&connection->in);
    surety_buf_done(&connection->out);
    surety__free(server->options.alloc, connection, sizeof(*connection));
}

/* ---- bytes --------------------------------------------------------------- */

/* Ends the sending side, and gives the client time to read what it was sent:
 * a socket that is closed with unread bytes is reset. */
static surety__next connection_linger(surety__connection *connection)
{
    connection->state = STATE_LINGERING;
    surety_buf_done(&connection->in);
    connection->in_start = 0;
    surety__due_set(connection, connection->server->now + CONNECTION_LINGER_MS);
    return surety__wire_end(connection);
}

static surety_str connection_unused(const surety__connection *connection)
{
    if (connection->in_start == connection->in.len)
        return (surety_str){"", 0};
    return (surety_str){connection->in.ptr + connection->in_start,
                        connection->in.len - connection->in_start};
}

static void connection_use(surety__connection *connection, size_t len)
{
    connection->in_start += len;
    assert(connection->in_start <= connection->in.len);
    if (connection->in_start == connection->in.len)
        connection->in_start = connection->in.len = 0;
}

/* Answers a client that speaks HTTP where TLS is spoken. */
static surety__next connection_refuse_plain(surety__connection *connection)
{
    static const surety__serve_fault plain = {
        400, "this port takes TLS: the URL begins with https://"};

    surety__tls_link_free(connection->tls);
    connection->tls = NULL;
    return surety__answer_fault(connection, &plain);
}

static surety__next connection_receive(surety__connection *connection)
{
    surety_buf *in = &connection->in;
    char *block = connection->server->block;
    ssize_t got;

    if (connection->in_start) {
        const surety_str unused = connection_unused(connection);
        memmove(in->ptr, unused.ptr, unused.len);
        in->len = unused.len;
        connection->in_start = 0;
    }
    got = surety__wire_receive(connection, block, SERVE_BLOCK);
    if (got < 0 && errno == EPROTONOSUPPORT)
        return connection_refuse_plain(connection);
    /* The client reads why its handshake failed. */
    if (got < 0 && errno == EPROTO && !connection->is_used)
        return connection_linger(connection);
    if (got < 0)
        return errno == EAGAIN ? NEXT_REST : NEXT_CLOSE;
    surety_buf_append(in, block, (size_t)got);
    return got && !in->status ? NEXT_ON : NEXT_CLOSE;
}

/* ---- a head -------------------------------------------------------------- */

/* Decodes percent-encoding once, into the arena. Leaves *path unchanged where
 * an escape is malformed, or the result has a control character or is not valid
 * UTF-8. */
static void connection_decode_path(surety__arena *arena, surety_str *path)
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

/* Makes the exchange of a head. */
static surety_status connection_begin(surety__connection *connection,
                                      surety_str bytes,
                                      surety__serve_fault *ret_fault)
{
    surety__server *server = connection->server;
    surety__serving *exchange =
        surety__new(server->options.alloc, sizeof(*exchange));
    surety__serve_head *head;
    surety_status status = SURETY_NOMEM;
    const char *mark;

    if (!exchange)
        return SURETY_NOMEM;
    connection->exchange = exchange;
    exchange->connection = connection;
    surety__arena_init(&exchange->arena, server->options.alloc, 0);
    surety_buf_init(&exchange->body, server->options.alloc,
                    server->options.body_bytes_max);
    head = surety__arena_take(&exchange->arena, sizeof(*head));
    bytes = surety__arena_text(&exchange->arena, bytes);
    if (head && bytes.ptr)
        status = surety__serve_read(bytes, &exchange->arena, head, ret_fault);
    if (status)
        return status;
    exchange->head = head;
    exchange->method = head->method;
    exchange->path = head->target;
    mark = memchr(head->target.ptr, '?', head->target.len);
    if (mark) {
        exchange->path.len = (size_t)(mark - head->target.ptr);
        exchange->query = head->target;
        surety__str_skip(&exchange->query, exchange->path.len + 1);
    }
    exchange->is_escaped =
        memchr(exchange->path.ptr, '%', exchange->path.len) != NULL;
    connection_decode_path(&exchange->arena, &exchange->path);
    return SURETY_OK;
}

surety_str surety__serving_header(const surety__serving *exchange,
                                  const char *name)
{
    return surety__serve_field(exchange->head, name);
}

surety_str surety__serving_query(const surety__serving *exchange,
                                 const char *name)
{
    const surety_str query = exchange->query;
    const surety_str want = surety_str_of(name);
    size_t start = 0;

    for (size_t i = 0; i <= query.len; i++) {
        if (i < query.len && query.ptr[i] != '&')
            continue;
        if (i - start >= want.len &&
            memcmp(query.ptr + start, want.ptr, want.len) == 0)
            return (surety_str){query.ptr + start + want.len,
                                i - start - want.len};
        start = i + 1;
    }
    return (surety_str){NULL, 0};
}

/* Where the head is refused, it has no exchange: its answer is not the
 * service's. */
static surety__next connection_refuse(surety__connection *connection,
                                      const surety__serve_fault *fault)
{
    connection_end_exchange(connection, false);
    return surety__answer_fault(connection, fault);
}

/* Tells a client that asked for it that its body is wanted (RFC 9110, section
 * 10.1.1). The answer before it is sent, so the socket takes these bytes. */
static surety__next connection_invite(surety__connection *connection)
{
    const surety_str line = SURETY__LITERAL("HTTP/1.1 100 Continue\r\n\r\n");

    return surety__wire_send(connection, line.ptr, line.len) ==
                   (ssize_t)line.len
               ? NEXT_ON
               : NEXT_CLOSE;
}

static surety__next connection_read_head(surety__connection *connection)
{
    const surety__server_options *options = &connection->server->options;
    surety_str bytes = connection_unused(connection);
    surety__serve_fault fault = {431, "the head of the request is too long"};
    surety_status status;
    size_t len = 0;

    /* RFC 9112, section 2.2: one empty line before a request. */
    if (!connection->is_skipped &&
        surety__str_starts(bytes, SURETY__LITERAL("\r\n"))) {
        connection->is_skipped = true;
        connection_use(connection, 2);
        bytes = connection_unused(connection);
        connection->looked = 0;
    }
    if (!bytes.len)
        return NEXT_REST;
    if (!connection->is_begun)
        surety__due_set(connection, connection->server->now + options->head_ms);
    connection->is_begun = true;
    status = surety__serve_find(bytes, &connection->looked, &len, &fault);
    if ((status == SURETY_MORE ? bytes.len : len) > options->head_bytes_max) {
        status = SURETY_SYNTAX;
        if (!memchr(bytes.ptr, '\r', options->head_bytes_max))
            fault =
                (surety__serve_fault){414, "the request's target is too long"};
    }
    if (status == SURETY_MORE)
        return NEXT_REST;
    if (!status)
        status =
            connection_begin(connection, (surety_str){bytes.ptr, len}, &fault);
    if (status == SURETY_NOMEM)
        return NEXT_CLOSE;
    if (status)
        return connection_refuse(connection, &fault);
    connection_use(connection, len);
    connection->state = STATE_BODY;
    connection->is_last = !connection->exchange->head->keeps_alive;
    connection->is_used = true;
    connection->left = connection->exchange->head->body_len;
    connection->chunks = (surety__chunks){.state = 0};
    surety__due_set(connection, connection->server->now + options->body_ms);
    if (connection->exchange->head->expects &&
        !connection_unused(connection).len &&
        connection->left <= options->body_bytes_max)
        return connection_invite(connection);
    return NEXT_ON;
}

/* ---- a body, and the service --------------------------------------------- */

static surety__next connection_think(surety__connection *connection)
{
    static const surety__serve_fault silent = {500,
                                               "the server ran out of memory"};
    const surety__service *service = &connection->server->options.service;
    surety__serving *exchange = connection->exchange;
    uint32_t wait_ms = 0;

    exchange->is_called = true;
    connection->state = STATE_THINKING;
    if (!connection_unused(connection).len)
        surety_buf_done(&connection->in);
    surety__due_set(connection, SERVE_NEVER);
    switch (service->request(service->ctx, exchange, &wait_ms)) {
    case FLOW_ON:
    case FLOW_END:
        return connection->state == STATE_ANSWERING
                   ? NEXT_ON
                   : surety__answer_fault(connection, &silent);
    case FLOW_WAIT: return surety__answer_wait(connection, wait_ms);
    case FLOW_RESET: connection->is_reset = true; return NEXT_CLOSE;
    case FLOW_CUT:
    default: return NEXT_CLOSE;
    }
}

static surety__next connection_read_body(surety__connection *connection)
{
    surety__serving *exchange = connection->exchange;
    const surety_str bytes = connection_unused(connection);
    surety_status status = SURETY_MORE;
    surety__serve_fault fault;
    size_t used = 0;

    if (exchange->head->is_chunked) {
        status = surety__serve_chunks(&connection->chunks, bytes, &used,
                                      &exchange->body, &fault);
        if (status == SURETY_SYNTAX)
            return connection_refuse(connection, &fault);
    } else if (connection->left <= exchange->body.max) {
        used =
            bytes.len < connection->left ? bytes.len : (size_t)connection->left;
        surety_buf_append(&exchange->body, bytes.ptr, used);
        connection->left -= used;
        status = connection->left ? SURETY_MORE : SURETY_OK;
    }
    connection_use(connection, used);
    if (exchange->body.status == SURETY_NOMEM)
        return NEXT_CLOSE;
    if (exchange->body.status == SURETY_LIMIT ||
        (!exchange->head->is_chunked &&
         connection->left > exchange->body.max)) {
        exchange->is_oversized = connection->is_last = true;
        status = SURETY_OK;
    }
    return status ? NEXT_REST : connection_think(connection);
}

/* All of an answer is sent. */
static surety__next connection_finish(surety__connection *connection)
{
    const surety__server *server = connection->server;

    connection_end_exchange(connection, true);
    surety_buf_done(&connection->out);
    if (connection->is_last)
        return connection_linger(connection);
    connection->state = STATE_HEAD;
    connection->looked = 0;
    connection->is_begun = connection->is_skipped = false;
    surety__due_set(connection, server->now + server->options.idle_ms);
    if (connection_unused(connection).len)
        return NEXT_ON;
    surety_buf_done(&connection->in);
    return NEXT_REST;
}

/* ---- steps --------------------------------------------------------------- */

static surety__next connection_step(surety__connection *connection)
{
    surety__next next;

    switch (connection->state) {
    case STATE_HEAD: return connection_read_head(connection);
    case STATE_BODY: return connection_read_body(connection);
    case STATE_THINKING:
        if (connection->is_waiting)
            return NEXT_REST;
        return connection_think(connection);
    case STATE_ANSWERING:
        if (connection->is_waiting)
            return NEXT_REST;
        next = surety__answer_move(connection);
        return next == NEXT_ON ? connection_finish(connection) : next;
    case STATE_LINGERING:
    default:
        connection->in.len = 0;
        return connection->is_crossed ? surety__wire_end(connection)
                                      : NEXT_REST;
    }
}

/* The events that a connection waits for. Where the client waits for an answer,
 * those of reading stay, since few clients send ahead. */
static uint32_t connection_wants(const surety__connection *connection)
{
    if (connection->is_waiting)
        return connection->events & EPOLLRDHUP ? connection->events
                                               : EPOLLRDHUP;
    return connection->state == STATE_ANSWERING || connection->is_crossed
               ? EPOLLOUT
               : CONNECTION_READS;
}

/* Waits for these events. False: the system does not let it. */
static bool connection_watch(surety__connection *connection, uint32_t events)
{
    struct epoll_event event = {.events = events};

    event.data.ptr = connection;
    connection->events = events;
    return !epoll_ctl(connection->server->epoll_fd, EPOLL_CTL_MOD,
                      connection->fd, &event);
}

static void connection_run(surety__connection *connection)
{
    surety__next next;

    do
        next = connection_step(connection);
    while (next == NEXT_ON);
    if (next == NEXT_REST &&
        connection_wants(connection) != connection->events &&
        !connection_watch(connection, connection_wants(connection)))
        next = NEXT_CLOSE;
    if (next == NEXT_CLOSE)
        surety__connection_close(connection);
}

void surety__connection_move(surety__connection *connection, uint32_t events)
{
    const bool waits = connection->is_waiting;
    surety__next next = NEXT_ON;

    /* A client may end its side when it has sent a request. */
    if (events & (EPOLLERR | EPOLLHUP) || (waits && events & EPOLLRDHUP))
        next = NEXT_CLOSE;
    else if (waits && events & EPOLLIN) /* it sends ahead */
        next =
            connection_watch(connection, EPOLLRDHUP) ? NEXT_REST : NEXT_CLOSE;
    else if (events & EPOLLIN ||
             (connection->is_crossed && connection->state < STATE_THINKING))
        next = connection_receive(connection);
    if (next == NEXT_CLOSE)
        surety__connection_close(connection);
    else
        connection_run(connection);
}

void surety__connection_leave(surety__connection *connection)
{
    const surety__server *server = connection->server;

    if (connection->state != STATE_HEAD || connection->is_begun)
        return;
    if (connection->is_used)
        surety__connection_close(connection);
    else
        surety__due_set(connection, server->now + CONNECTION_LINGER_MS);
}

void surety__connection_time(surety__connection *connection)
{
    static const surety__serve_fault slow = {408, "the request took too long"};

    surety__due_set(connection, SERVE_NEVER);
    if (connection->is_waiting) {
        connection->is_waiting = false;
    } else if (connection->state == STATE_BODY ||
               (connection->state == STATE_HEAD && connection->is_begun)) {
        if (connection_refuse(connection, &slow) == NEXT_CLOSE) {
            surety__connection_close(connection);
            return;
        }
    } else {
        surety__connection_close(connection);
        return;
    }
    connection_run(connection);
}

void surety__serving_wake(surety__serving *exchange)
{
    if (exchange->connection->is_waiting)
        surety__due_set(exchange->connection, 0);
}
