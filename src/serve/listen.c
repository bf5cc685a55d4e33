/* SPDX-License-Identifier: Apache-2.0 */
/* Listening sockets: of an IP address, of a path (Unix), or given by whoever
 * started the process.
 *
 * Several servers listen at one place, each on a descriptor of its own for the
 * one socket: the first that is free accepts, and a client that waits when one
 * of them closes its descriptor is accepted by another. Sockets of their own
 * (SO_REUSEPORT) would each have a queue, and closing one resets its clients.
 *
 * A path that a process left behind when it died is taken over: where a socket
 * refuses a connection, no process listens on it. At the end the path is
 * removed, unless another process listens there by then. */
#include "serve/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    LISTEN_BACKLOG = 511, /* clients that wait to be accepted */
    LISTEN_MODE = 0600    /* of a path: its owner alone may connect */
};

typedef union listen_address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    struct sockaddr_un path;
} listen_address;

/* Closes a descriptor and keeps errno. Returns -1. */
static int listen_drop(int fd)
{
    const int error = errno;

    close(fd);
    errno = error;
    return -1;
}

/* ---- IP addresses -------------------------------------------------------- */

static bool listen_parse(surety_str given, uint16_t port,
                         listen_address *ret_address, socklen_t *ret_len)
{
    char text[64];

    if (given.len >= sizeof(text) || memchr(given.ptr, 0, given.len))
        return false;
    memcpy(text, given.ptr, given.len);
    text[given.len] = '\0';
    memset(ret_address, 0, sizeof(*ret_address));
    if (inet_pton(AF_INET, text, &ret_address->four.sin_addr) == 1) {
        ret_address->four.sin_family = AF_INET;
        ret_address->four.sin_port = htons(port);
        *ret_len = sizeof(ret_address->four);
        return true;
    }
    if (inet_pton(AF_INET6, text, &ret_address->six.sin6_addr) == 1) {
        ret_address->six.sin6_family = AF_INET6;
        ret_address->six.sin6_port = htons(port);
        *ret_len = sizeof(ret_address->six);
        return true;
    }
    return false;
}

/* Makes a listening socket; -1 with errno. */
static int listen_bind(const listen_address *address, socklen_t len)
{
    const int fd = socket(address->any.sa_family,
                          SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int yes = 1;

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (bind(fd, &address->any, len) || listen(fd, LISTEN_BACKLOG))
        return listen_drop(fd);
    return fd;
}

/* The port of a socket; 0: it has none. */
static uint16_t listen_port(int fd)
{
    listen_address bound;
    socklen_t len = sizeof(bound);

    if (getsockname(fd, &bound.any, &len))
        return 0;
    if (bound.any.sa_family == AF_INET6)
        return ntohs(bound.six.sin6_port);
    return bound.any.sa_family == AF_INET ? ntohs(bound.four.sin_port) : 0;
}

surety_status surety__listen_ip(surety_str address, uint16_t port,
                                surety__listen_place *ret_listener,
                                surety_error *reterr)
{
    listen_address bound;
    surety_status status;
    socklen_t len = 0;
    int fd;

    if (!address.len)
        address = SURETY__LITERAL("127.0.0.1");
    if (!listen_parse(address, port, &bound, &len)) {
        status =
            surety__fail(reterr, SURETY_MISUSE, "\"%.*s\" is no IP address",
                         (int)address.len, address.ptr);
        surety__hint(reterr, "give one such as 127.0.0.1 or ::1");
        return status;
    }
    fd = listen_bind(&bound, len);
    if (fd < 0) {
        status = surety__fail(
            reterr, SURETY_IO, "cannot listen on %.*s port %u: %s",
            (int)address.len, address.ptr, (unsigned)port, strerror(errno));
        surety__hint(reterr, "port 0 takes one that is free");
        return status;
    }
    *ret_listener = (surety__listen_place){
        .fd = fd, .kind = LISTEN_IP, .text = address, .port = listen_port(fd)};
    return SURETY_OK;
}

/* Reads ADDRESS:PORT; an address of IPv6 is in brackets. */
static surety_status listen_text(surety_str place,
                                 surety__listen_place *ret_listener,
                                 surety_error *reterr)
{
    surety_str address = place, digits;
    uint64_t port = 0;
    surety_status status;

    while (address.len && address.ptr[address.len - 1] != ':')
        address.len--;
    digits = place;
    surety__str_skip(&digits, address.len);
    for (size_t i = 0; i < digits.len && port <= UINT16_MAX; i++)
        port = digits.ptr[i] < '0' || digits.ptr[i] > '9'
                   ? UINT32_MAX
                   : port * 10 + (uint64_t)(digits.ptr[i] - '0');
    if (address.len)
        address.len--;
    if (address.len > 1 && address.ptr[0] == '[' &&
        address.ptr[address.len - 1] == ']')
        address = (surety_str){address.ptr + 1, address.len - 2};
    else if (address.len && memchr(address.ptr, ':', address.len))
        address.len = 0;
    if (!address.len || !digits.len || port > UINT16_MAX) {
        status = surety__fail(reterr, SURETY_MISUSE,
                              "\"%.*s\" is no place to listen at",
                              (int)place.len, place.ptr);
        surety__hint(reterr, "give one such as 127.0.0.1:4141, [::1]:4141 or "
                             "unix:/run/surety.sock; a port is a number from 0 "
                             "to 65535");
        return status;
    }
    return surety__listen_ip(address, (uint16_t)port, ret_listener, reterr);
}

/* ---- paths --------------------------------------------------------------- */

/* Whether the path is a socket on which no process listens. */
static bool listen_is_stale(const listen_address *address, socklen_t len)
{
    struct stat found;
    bool is_stale;
    int fd;

    if (lstat(address->path.sun_path, &found) || !S_ISSOCK(found.st_mode))
        return false;
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return false;
    is_stale = connect(fd, &address->any, len) && errno == ECONNREFUSED;
    close(fd);
    return is_stale;
}

/* Listens at the path; -1 with errno. The mode is set before the socket
 * listens, so no other user can connect in between. */
static int listen_bind_path(const listen_address *address, socklen_t len,
                            uint32_t mode)
{
    const char *path = address->path.sun_path;
    const int fd =
        socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int failed;

    if (fd < 0)
        return -1;
    failed = bind(fd, &address->any, len);
    if (failed && errno == EADDRINUSE) {
        if (listen_is_stale(address, len) && !unlink(path))
            failed = bind(fd, &address->any, len);
        else
            errno = EADDRINUSE;
    }
    if (failed)
        return listen_drop(fd);
    if (chmod(path, mode ? (mode_t)mode : LISTEN_MODE) ||
        listen(fd, LISTEN_BACKLOG)) {
        listen_drop(fd);
        failed = errno;
        unlink(path);
        errno = failed;
        return -1;
    }
    return fd;
}

static surety_status listen_path(surety_str path, uint32_t mode,
                                 surety__listen_place *ret_listener,
                                 surety_error *reterr)
{
    listen_address address = {.path = {.sun_family = AF_UNIX}};
    surety__listen_place listener = {.kind = LISTEN_PATH, .text = path};

    if (!path.len || path.len >= sizeof(address.path.sun_path) ||
        memchr(path.ptr, 0, path.len))
        return surety__fail(reterr, SURETY_MISUSE,
                            "the path of a socket has 1 to %zu bytes, and "
                            "\"%.*s\" has %zu",
                            sizeof(address.path.sun_path) - 1, (int)path.len,
                            path.ptr, path.len);
    memcpy(address.path.sun_path, path.ptr, path.len);
    listener.fd = listen_bind_path(&address, sizeof(address.path), mode);
    if (listener.fd < 0)
        return surety__fail(reterr, SURETY_IO, "cannot listen on %.*s: %s",
                            (int)path.len, path.ptr, strerror(errno));
    *ret_listener = listener;
    return SURETY_OK;
}

/* ---- descriptors of the process's parent --------------------------------- */

static surety_status listen_given(surety_str number,
                                  surety__listen_place *ret_listener,
                                  surety_error *reterr)
{
    int fd = 0, listens = 0, type = 0;
    socklen_t len = sizeof(listens), type_len = sizeof(type);
    surety_status status;

    for (size_t i = 0; i < number.len && fd <= 1000000 && fd >= 0; i++)
        fd = number.ptr[i] < '0' || number.ptr[i] > '9'
                 ? -1
                 : fd * 10 + (number.ptr[i] - '0');
    if (!number.len || fd < 0 ||
        getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) || !listens ||
        getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_len) ||
        type != SOCK_STREAM || fcntl(fd, F_SETFD, FD_CLOEXEC) ||
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK)) {
        status = surety__fail(reterr, SURETY_IO,
                              "descriptor \"%.*s\" is no socket that listens",
                              (int)number.len, number.ptr);
        surety__hint(reterr, "systemd gives one for each ListenStream= of a "
                             "socket unit with Accept=no");
        return status;
    }
    *ret_listener = (surety__listen_place){.fd = fd,
                                           .kind = LISTEN_GIVEN,
                                           .text = number,
                                           .port = listen_port(fd)};
    return SURETY_OK;
}

/* ---- all of them --------------------------------------------------------- */

surety_status surety__listen_open(surety_str place, uint32_t mode,
                                  surety__listen_place *ret_listener,
                                  surety_error *reterr)
{
    const surety_str path = SURETY__LITERAL("unix:");
    const surety_str given = SURETY__LITERAL("fd:");
    surety_str rest = place;

    if (surety__str_starts(place, path)) {
        surety__str_skip(&rest, path.len);
        return listen_path(rest, mode, ret_listener, reterr);
    }
    if (surety__str_starts(place, given)) {
        surety__str_skip(&rest, given.len);
        return listen_given(rest, ret_listener, reterr);
    }
    return listen_text(place, ret_listener, reterr);
}

surety_status surety__listen_share(surety__listen_place *listeners,
                                   size_t count, bool is_last, int *ret_sockets,
                                   surety_error *reterr)
{
    for (size_t i = 0; i < count; i++) {
        surety__listen_place *listener = &listeners[i];

        ret_sockets[i] =
            is_last ? listener->fd : fcntl(listener->fd, F_DUPFD_CLOEXEC, 0);
        if (ret_sockets[i] < 0) {
            const int error = errno;

            while (i > 0)
                close(ret_sockets[--i]);
            return surety__fail(
                reterr, SURETY_IO, "cannot listen on %.*s once more: %s",
                (int)listener->text.len, listener->text.ptr, strerror(error));
        }
        if (is_last)
            listener->fd = -1;
    }
    return SURETY_OK;
}

void surety__listen_write(const surety__listen_place *listener, bool has_tls,
                          surety_buf *out)
{
    const surety_str text = listener->text;
    const bool is_six = memchr(text.ptr, ':', text.len) != NULL;

    if (listener->kind != LISTEN_IP) {
        surety_buf_text(out, listener->kind == LISTEN_PATH ? "unix:" : "fd:");
        surety_buf_add(out, text);
        return;
    }
    surety_buf_text(out, has_tls ? "https://" : "http://");
    if (is_six)
        surety_buf_byte(out, '[');
    surety_buf_add(out, text);
    surety_buf_text(out, is_six ? "]:" : ":");
    surety_buf_number(out, listener->port);
}

void surety__listen_close(surety__listen_place *listener)
{
    listen_address address = {.path = {.sun_family = AF_UNIX}};

    if (listener->fd >= 0)
        close(listener->fd);
    listener->fd = -1;
    if (listener->kind != LISTEN_PATH)
        return;
    memcpy(address.path.sun_path, listener->text.ptr, listener->text.len);
    if (listen_is_stale(&address, sizeof(address.path)))
        unlink(address.path.sun_path);
}
