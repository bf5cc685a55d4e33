/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP/1.1 server: its listening sockets and its loop. One thread does all
 * the work, behind one epoll descriptor. So a service needs no locks, and
 * thousands of waiting exchanges cost a small record each.
 *
 * It is ours because a gateway stands between others' servers and clients, and
 * libraries read requests more freely than is safe there. libmicrohttpd 0.9.75,
 * which stood here, took two lengths, bare line feeds and folded lines at every
 * level of strictness.
 *
 * What it does not do: HTTP/2, compression. A proxy in front does. */
#define _GNU_SOURCE /* accept4 */
#include "serve/connection.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    SERVE_EVENTS = 128, /* of one wait */
    /* How long it does not accept when the system is out of files or memory,
     * which only the end of something changes. */
    SERVE_PAUSE_MS = 100
};

/* Notes the time of this step. */
static void serve_look(surety__server *server)
{
    const surety__serve_times times = surety__serve_clock();

    server->now = (int64_t)(times.monotonic_us / 1000);
    server->unix_s = times.unix_ms / 1000;
}

/* ---- accepting ----------------------------------------------------------- */

/* Accepts, or leaves clients in the backlog for now. A socket that several
 * servers share wakes one of them (EPOLLEXCLUSIVE), which epoll can add and
 * remove, and not change. */
static bool serve_listen_if(surety__server *server, bool listens)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLEXCLUSIVE};
    bool is_done = true;

    event.data.ptr = server->sockets;
    for (size_t i = 0; i < server->socket_count; i++)
        if (epoll_ctl(server->epoll_fd, listens ? EPOLL_CTL_ADD : EPOLL_CTL_DEL,
                      server->sockets[i], &event) &&
            errno != EEXIST)
            is_done = false;
    return is_done;
}

/* Takes one of the connections that may be open. */
static bool serve_take(surety__server *server)
{
    size_t count = atomic_load(server->open);

    while (count < server->options.connections_max)
        if (atomic_compare_exchange_weak(server->open, &count, count + 1))
            return true;
    return false;
}

/* Accepts the clients of a socket that wait. False: no more now. */
static bool serve_accept_of(surety__server *server, int socket)
{
    const int yes = 1;

    while (serve_take(server)) {
        struct sockaddr peer = {.sa_family = AF_UNSPEC};
        socklen_t len = sizeof(peer);
        const int fd =
            accept4(socket, &peer, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0) {
            const int fault = errno;

            atomic_fetch_sub(server->open, 1);
            if (fault == EINTR || fault == ECONNABORTED)
                continue;
            if (fault == EAGAIN)
                return true;
            server->listen_at = server->now + SERVE_PAUSE_MS;
            return false;
        }
        /* A Unix socket has no such option, nor needs it. */
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
        surety__connection_open(server, fd, peer.sa_family != AF_UNIX);
    }
    server->is_full = true;
    return false;
}

static void serve_accept(surety__server *server)
{
    bool goes_on = true;

    for (size_t i = 0; i < server->socket_count && goes_on; i++)
        goes_on = serve_accept_of(server, server->sockets[i]);
    if (!goes_on)
        (void)serve_listen_if(server, false);
}

/* Accepts again, when there is room. */
static void serve_resume(surety__server *server)
{
    const bool is_paused = server->listen_at != SERVE_NEVER;

    if (server->is_refusing || (is_paused && server->listen_at > server->now))
        return;
    if (!is_paused && !(server->is_full && atomic_load(server->open) <
                                               server->options.connections_max))
        return;
    server->is_full = false;
    server->listen_at = serve_listen_if(server, true)
                            ? SERVE_NEVER
                            : server->now + SERVE_PAUSE_MS;
}

void surety__server_leave(surety__server *server)
{
    server->is_leaving = true;
}

void surety__server_refuse(surety__server *server)
{
    surety__connection *next;

    if (server->is_refusing)
        return;
    serve_look(server);
    serve_accept(server);
    server->is_leaving = server->is_refusing = true;
    /* By itself epoll forgets a socket when its last descriptor is closed, and
     * other servers have one too, or systemd. */
    (void)serve_listen_if(server, false);
    while (server->socket_count)
        close(server->sockets[--server->socket_count]);
    for (surety__connection *one = server->connections; one; one = next) {
        next = one->next;
        surety__connection_leave(one);
    }
}

size_t surety__server_busy(const surety__server *server)
{
    size_t count = 0;

    for (const surety__connection *one = server->connections; one;
         one = one->next)
        count += one->state != STATE_LINGERING;
    return count;
}

/* ---- the loop ------------------------------------------------------------ */

uint32_t surety__server_wait_ms(const surety__server *server,
                                uint32_t timeout_ms)
{
    const surety__connection *first = surety__due_first(server);
    int64_t until = server->now + timeout_ms;

    if (first && first->due_at < until)
        until = first->due_at;
    if (server->listen_at < until)
        until = server->listen_at;
    /* Another server may close a connection, which is no event of this one. */
    if (server->is_full && server->open != &server->own &&
        server->now + SERVE_PAUSE_MS < until)
        until = server->now + SERVE_PAUSE_MS;
    until -= server->now;
    return until < 0 ? 0 : until > INT32_MAX ? INT32_MAX : (uint32_t)until;
}

void surety__server_step(surety__server *server, uint32_t timeout_ms)
{
    struct epoll_event events[SERVE_EVENTS];
    surety__connection *first;
    uint64_t wakes;
    int count;

    serve_look(server);
    count = epoll_wait(server->epoll_fd, events, SERVE_EVENTS,
                       (int)surety__server_wait_ms(server, timeout_ms));
    serve_look(server);
    for (int i = 0; i < count; i++) {
        if (events[i].data.ptr == server->sockets)
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

int surety__server_descriptor(const surety__server *server)
{
    return server->epoll_fd;
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

surety_status surety__server_open(const surety__server_options *options,
                                  surety__server **ret_server,
                                  surety_error *reterr)
{
    surety__server *server = surety__new(options->alloc, sizeof(*server));
    struct epoll_event event = {.events = EPOLLIN};
    surety_status status = SURETY_OK;

    assert(options->socket_count <= SURETY__SERVE_SOCKETS_MAX);
    if (!server) {
        for (size_t i = 0; i < options->socket_count; i++)
            close(options->sockets[i]);
        return surety__fail_nomem(reterr);
    }
    server->options = *options;
    server->options.sockets = NULL; /* it has copies */
    server->socket_count = options->socket_count;
    if (server->socket_count)
        memcpy(server->sockets, options->sockets,
               server->socket_count * sizeof(*server->sockets));
    server->listen_at = SERVE_NEVER;
    atomic_init(&server->own, 0);
    server->open = options->connections ? options->connections : &server->own;
    serve_fill(&server->options);
    server->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    server->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    event.data.ptr = &server->wake_fd;
    if (server->epoll_fd < 0 || server->wake_fd < 0 ||
        !serve_listen_if(server, true) ||
        epoll_ctl(server->epoll_fd, EPOLL_CTL_ADD, server->wake_fd, &event)) {
        status = surety__fail(reterr, SURETY_IO, "cannot wait for sockets: %s",
                              strerror(errno));
        surety__server_close(server);
        return status;
    }
    *ret_server = server;
    return SURETY_OK;
}

void surety__server_close(surety__server *server)
{
    const int fds[] = {server ? server->epoll_fd : -1,
                       server ? server->wake_fd : -1};

    if (!server)
        return;
    while (server->connections)
        surety__connection_close(server->connections);
    while (server->socket_count)
        close(server->sockets[--server->socket_count]);
    for (size_t i = 0; i < SURETY__COUNT(fds); i++)
        if (fds[i] >= 0)
            close(fds[i]);
    surety__free(server->options.alloc, server->due,
                 server->due_cap * sizeof(surety__connection *));
    surety__free(server->options.alloc, server, sizeof(*server));
}
