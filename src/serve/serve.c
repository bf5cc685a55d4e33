/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP/1.1 server: its listening socket and its loop. One thread does all
 * the work, behind one epoll descriptor. So a service needs no locks, and
 * thousands of waiting exchanges cost a small record each.
 *
 * It is ours because a gateway stands between others' servers and clients, and
 * libraries read requests more freely than is safe there. libmicrohttpd 0.9.75,
 * which stood here, took two lengths, bare line feeds and folded lines at every
 * level of strictness.
 *
 * What it does not do: TLS, HTTP/2, compression. A proxy in front does. */
#define _GNU_SOURCE /* accept4 */
#include "serve/connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    SERVE_EVENTS = 128, /* of one wait */
    /* How long it does not accept when the system is out of files or memory,
     * which only the end of something changes. */
    SERVE_PAUSE_MS = 100
};

static int64_t serve_clock_us(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int64_t serve_clock(clockid_t clock)
{
    return serve_clock_us(clock) / 1000;
}

surety__serve_times surety__serve_clock(void)
{
    return (surety__serve_times){(uint64_t)serve_clock_us(CLOCK_MONOTONIC),
                                 serve_clock(CLOCK_REALTIME)};
}

/* ---- accepting ----------------------------------------------------------- */

/* Accepts, or leaves clients in the backlog for now. */
static void serve_listen_if(surety__server *server, bool listens)
{
    struct epoll_event event = {.events = listens ? EPOLLIN : 0u};

    event.data.ptr = &server->listen_fd;
    epoll_ctl(server->epoll_fd, EPOLL_CTL_MOD, server->listen_fd, &event);
}

static void serve_accept(surety__server *server)
{
    const int yes = 1;

    while (server->count < server->options.connections_max) {
        const int fd = accept4(server->listen_fd, NULL, NULL,
                               SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
            continue;
        if (fd < 0 && errno == EAGAIN)
            return;
        if (fd < 0) {
            server->listen_at = server->now + SERVE_PAUSE_MS;
            serve_listen_if(server, false);
            return;
        }
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
        surety__connection_open(server, fd);
    }
    server->is_full = true;
    serve_listen_if(server, false);
}

/* Accepts again, when there is room. */
static void serve_resume(surety__server *server)
{
    const bool is_paused = server->listen_at != SERVE_NEVER;

    if (server->is_refusing || (is_paused && server->listen_at > server->now))
        return;
    if (!is_paused &&
        !(server->is_full && server->count < server->options.connections_max))
        return;
    server->listen_at = SERVE_NEVER;
    server->is_full = false;
    serve_listen_if(server, true);
}

/* ---- the loop ------------------------------------------------------------ */

/* Milliseconds until something is due, at most timeout_ms. */
static int serve_wait_ms(const surety__server *server, uint32_t timeout_ms)
{
    const surety__connection *first = surety__due_first(server);
    int64_t until = server->now + timeout_ms;

    if (first && first->due_at < until)
        until = first->due_at;
    if (server->listen_at < until)
        until = server->listen_at;
    until -= server->now;
    return until < 0 ? 0 : until > INT32_MAX ? INT32_MAX : (int)until;
}

void surety__server_step(surety__server *server, uint32_t timeout_ms)
{
    struct epoll_event events[SERVE_EVENTS];
    surety__connection *first;
    uint64_t wakes;
    int count;

    server->now = serve_clock(CLOCK_MONOTONIC);
    count = epoll_wait(server->epoll_fd, events, SERVE_EVENTS,
                       serve_wait_ms(server, timeout_ms));
    server->now = serve_clock(CLOCK_MONOTONIC);
    server->unix_s = serve_clock(CLOCK_REALTIME) / 1000;
    for (int i = 0; i < count; i++) {
        if (events[i].data.ptr == &server->listen_fd)
            serve_accept(server);
        else if (events[i].data.ptr == &server->epoll_fd)
            continue; /* a descriptor of others, which its owner reads */
        else if (events[i].data.ptr != &server->wake_fd)
            surety__connection_move(events[i].data.ptr, events[i].events);
        else if (read(server->wake_fd, &wakes, sizeof(wakes)) < 0)
            continue;
    }
    /* Each at most once a step: what is due again waits for the next. */
    for (size_t left = server->due_count; left > 0; left--) {
        first = surety__due_first(server);
        if (!first || first->due_at > server->now)
            break;
        surety__connection_time(first);
    }
    serve_resume(server);
}

surety_status surety__server_watch(surety__server *server, int fd, bool on)
{
    struct epoll_event event = {.events = EPOLLIN};

    event.data.ptr = &server->epoll_fd;
    return epoll_ctl(server->epoll_fd, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, fd,
                     &event) == 0
               ? SURETY_OK
               : SURETY_IO;
}

void surety__server_refuse(surety__server *server)
{
    if (server->is_refusing)
        return;
    server->is_refusing = true;
    close(server->listen_fd); /* epoll forgets it */
    server->listen_fd = -1;
}

void surety__server_wake(surety__server *server)
{
    const uint64_t one = 1;
    ssize_t written;

    /* A full counter ends the wait as well. */
    do
        written = write(server->wake_fd, &one, sizeof(one));
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
                        bool shares, uint16_t *ret_port)
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
    if (shares)
        setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof(yes));
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

static bool serve_watch(surety__server *server, int *fd)
{
    struct epoll_event event = {.events = EPOLLIN};

    event.data.ptr = fd;
    return epoll_ctl(server->epoll_fd, EPOLL_CTL_ADD, *fd, &event) == 0;
}

surety_status surety__server_open(const surety__server_options *options,
                                  surety__server **ret_server,
                                  surety_error *reterr)
{
    surety__server *server = surety__new(options->alloc, sizeof(*server));
    serve_address address;
    socklen_t len = 0;
    surety_status status = SURETY_OK;

    if (!server)
        return surety__fail_nomem(reterr);
    server->options = *options;
    server->epoll_fd = server->listen_fd = server->wake_fd = -1;
    server->listen_at = SERVE_NEVER;
    serve_fill(&server->options);
    if (!serve_parse_address(options, &address, &len)) {
        status =
            surety__fail(reterr, SURETY_MISUSE, "\"%.*s\" is no IP address",
                         (int)options->address.len, options->address.ptr);
        surety__hint(reterr, "give one such as 127.0.0.1 or ::1");
        goto done;
    }
    server->listen_fd =
        serve_listen(&address, len, options->shares_port, &server->port);
    if (server->listen_fd < 0) {
        status = surety__fail(
            reterr, SURETY_IO, "cannot listen on %.*s port %u: %s",
            (int)serve_address_of(options).len, serve_address_of(options).ptr,
            (unsigned)options->port, strerror(errno));
        surety__hint(reterr, "port 0 takes one that is free");
        goto done;
    }
    server->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    server->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (server->epoll_fd < 0 || server->wake_fd < 0 ||
        !serve_watch(server, &server->listen_fd) ||
        !serve_watch(server, &server->wake_fd)) {
        status = surety__fail(reterr, SURETY_IO, "cannot wait for sockets: %s",
                              strerror(errno));
        goto done;
    }
    *ret_server = server;
done:
    if (status)
        surety__server_close(server);
    return status;
}

uint16_t surety__server_port(const surety__server *server)
{
    return server->port;
}

void surety__server_close(surety__server *server)
{
    const int fds[] = {server ? server->epoll_fd : -1,
                       server ? server->listen_fd : -1,
                       server ? server->wake_fd : -1};

    if (!server)
        return;
    while (server->connections)
        surety__connection_close(server->connections);
    for (size_t i = 0; i < SURETY__COUNT(fds); i++)
        if (fds[i] >= 0)
            close(fds[i]);
    surety__free(server->options.alloc, server->due,
                 server->due_cap * sizeof(surety__connection *));
    surety__free(server->options.alloc, server, sizeof(*server));
}
