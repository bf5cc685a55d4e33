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
 * Two kinds of connections are not checked. In HTTP/2 frames name their
 * streams, and a server may send frames at any time. A connection that carries
 * another exchange now is HTTP/2 too, since HTTP/1.1 carries one at a time. */
#include "provider/http.h"

#include <arpa/inet.h>
#include <sys/socket.h>

static surety__http_socket *pool_find(surety__http *http, curl_socket_t file)
{
    for (size_t i = 0; i < http->socket_count; i++)
        if (http->sockets[i].file == file)
            return &http->sockets[i];
    return NULL;
}

bool surety__http_pool_add(surety__http *http, curl_socket_t file)
{
    if (surety__grow(http->alloc, &http->sockets, &http->socket_cap,
                     http->socket_count + 1, sizeof(*http->sockets), SIZE_MAX))
        return false;
    http->sockets[http->socket_count++] = (surety__http_socket){.file = file};
    return true;
}

void surety__http_pool_remove(surety__http *http, curl_socket_t file)
{
    surety__http_socket *found = pool_find(http, file);

    if (found)
        *found = http->sockets[--http->socket_count];
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

/* Whether this is the connection's socket: its local address and port are
 * equal. They do not change once it has been used. */
static bool pool_is(surety__http_socket *place, const char *address, int port)
{
    struct sockaddr_storage own;
    socklen_t len = sizeof(own);
    surety__http_address found;

    if (!place->used) {
        if (getsockname(place->file, (struct sockaddr *)&own, &len))
            return false;
        found = surety__http_address_of((const struct sockaddr *)&own);
        place->port = found.port;
        memcpy(place->address, found.text, sizeof(place->address));
    }
    return place->address[0] && place->port == (unsigned)port &&
           strcmp(place->address, address) == 0;
}

bool surety__http_pool_take(surety__http_exchange *exchange,
                            const char *address, int port)
{
    surety__http *http = exchange->http;
    surety__http_socket *found = NULL;
    char byte;

    assert(exchange->socket == CURL_SOCKET_BAD);
    for (size_t i = 0; i < http->socket_count && !found; i++)
        if (pool_is(&http->sockets[i], address, port))
            found = &http->sockets[i];
    if (!found)
        return true;
    if (found->used && !found->users && !found->multiplexed &&
        recv(found->file, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0)
        return false;
    found->used = true;
    found->users++;
    exchange->socket = found->file;
    return true;
}

void surety__http_pool_leave(surety__http_exchange *exchange)
{
    surety__http_socket *found = pool_find(exchange->http, exchange->socket);

    if (found && found->users)
        found->users--;
    exchange->socket = CURL_SOCKET_BAD;
}

void surety__http_pool_multiplex(surety__http_exchange *exchange)
{
    surety__http_socket *found = pool_find(exchange->http, exchange->socket);

    if (found)
        found->multiplexed = true;
}
