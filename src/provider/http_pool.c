/* SPDX-License-Identifier: Apache-2.0 */
/* http_pool.c: decides whether a pooled connection may carry another request.
 *
 * Before libcurl uses a connection again, it checks whether the connection was
 * closed; older versions do not check for waiting bytes. In HTTP/1.1, bytes
 * that a server sends without a request would be taken as the answer to the
 * next request, which may be another caller's. So this file knows every socket
 * since it was opened, and a connection that was used, is idle and has bytes
 * waiting is not used again.
 *
 * In HTTP/2 frames name their streams, and a server may send frames at any
 * time, so such a connection is not checked. One that carries another exchange
 * whose answer has not begun is HTTP/2 too, since HTTP/1.1 carries one at a
 * time. But an exchange that had an answer of HTTP/1.1 may have ended in
 * libcurl, which then gives its connection to one that waits, before it is
 * collected (http.c). */
#include "provider/http.h"

#include <arpa/inet.h>
#include <sys/socket.h>

surety__http_socket *surety__http_pool_find(surety__http *http,
                                            curl_socket_t file)
{
    return file >= 0 && (size_t)file < http->socket_cap &&
                   http->sockets[file].open
               ? &http->sockets[file]
               : NULL;
}

/* The list of the used sockets with such a port. */
static int *pool_list(surety__http *http, unsigned port)
{
    return &http->ports[port % SURETY__HTTP_PORTS];
}

bool surety__http_pool_add(surety__http *http, curl_socket_t file)
{
    const size_t before = http->socket_cap;

    if (surety__grow(http->alloc, &http->sockets, &http->socket_cap,
                     (size_t)file + 1, sizeof(*http->sockets), SIZE_MAX))
        return false;
    if (http->socket_cap > before)
        memset(&http->sockets[before], 0,
               (http->socket_cap - before) * sizeof(*http->sockets));
    http->sockets[file] = (surety__http_socket){.open = true};
    return true;
}

void surety__http_pool_remove(surety__http *http, curl_socket_t file)
{
    surety__http_socket *found = surety__http_pool_find(http, file);
    int *place = found && found->used ? pool_list(http, found->port) : NULL;

    while (place && *place != file + 1)
        place = &http->sockets[*place - 1].next;
    if (place)
        *place = found->next;
    if (found)
        found->open = false;
}

surety__http_address surety__http_address_of(const struct sockaddr *address)
{
    const struct sockaddr_in *four = (const void *)address;
    const struct sockaddr_in6 *six = (const void *)address;
    surety__http_address found = {.bytes = NULL};

    if (address->sa_family == AF_INET)
        found = (surety__http_address){(const unsigned char *)&four->sin_addr,
                                       4, ntohs(four->sin_port), ""};
    else if (address->sa_family == AF_INET6)
        found = (surety__http_address){(const unsigned char *)&six->sin6_addr,
                                       16, ntohs(six->sin6_port), ""};
    if (found.bytes && !inet_ntop(address->sa_family, found.bytes, found.text,
                                  sizeof(found.text)))
        found.text[0] = '\0';
    return found;
}

/* Whether this is an unused socket with this local address and port, which do
 * not change any more. If so, it is used now. */
static bool pool_is_fresh(surety__http *http, curl_socket_t file,
                          const char *address, int port)
{
    surety__http_socket *place = surety__http_pool_find(http, file);
    struct sockaddr_storage own;
    socklen_t len = sizeof(own);
    surety__http_address found;

    if (!place || place->used ||
        getsockname(file, (struct sockaddr *)&own, &len))
        return false;
    found = surety__http_address_of((const struct sockaddr *)&own);
    if (!found.text[0] || found.port != (unsigned)port ||
        strcmp(found.text, address) != 0)
        return false;
    place->port = found.port;
    memcpy(place->address, found.text, sizeof(place->address));
    place->used = true;
    place->next = *pool_list(http, found.port);
    *pool_list(http, found.port) = file + 1;
    return true;
}

/* The connection's socket; *ret_used: it has carried an exchange. An unused one
 * is nearly always one that was opened for this exchange. */
static curl_socket_t pool_look(surety__http_exchange *exchange,
                               const char *address, int port, bool *ret_used)
{
    surety__http *http = exchange->http;

    *ret_used = true;
    for (int at = *pool_list(http, (unsigned)port); at;
         at = http->sockets[at - 1].next) {
        const surety__http_socket *place = &http->sockets[at - 1];

        if (place->port == (unsigned)port &&
            strcmp(place->address, address) == 0)
            return at - 1;
    }
    *ret_used = false;
    for (size_t i = 0; i < SURETY__COUNT(exchange->opened); i++)
        if (pool_is_fresh(http, exchange->opened[i], address, port))
            return exchange->opened[i];
    for (size_t i = 0; i < http->socket_cap; i++)
        if (pool_is_fresh(http, (curl_socket_t)i, address, port))
            return (curl_socket_t)i;
    return CURL_SOCKET_BAD;
}

bool surety__http_pool_take(surety__http_exchange *exchange,
                            const char *address, int port)
{
    bool used;
    const curl_socket_t file = pool_look(exchange, address, port, &used);
    surety__http_socket *found = surety__http_pool_find(exchange->http, file);
    char byte;

    assert(exchange->socket == CURL_SOCKET_BAD);
    if (!found)
        return true;
    if (used && (found->single || (!found->users && !found->multiplexed)) &&
        recv(file, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0)
        return false;
    found->users++;
    exchange->socket = file;
    return true;
}

void surety__http_pool_leave(surety__http_exchange *exchange)
{
    surety__http_socket *found =
        surety__http_pool_find(exchange->http, exchange->socket);

    if (found && found->users)
        found->users--;
    exchange->socket = CURL_SOCKET_BAD;
}

void surety__http_pool_learn(surety__http_exchange *exchange,
                             bool is_multiplexed)
{
    surety__http_socket *found =
        surety__http_pool_find(exchange->http, exchange->socket);

    if (!found)
        return;
    found->multiplexed = is_multiplexed;
    found->single = !is_multiplexed;
}
