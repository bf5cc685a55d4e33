/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a connection as they travel: as they are, or by TLS. */
#include <errno.h>
#include <sys/socket.h>

#include "serve/connection.h"

ssize_t surety__wire_receive(surety__connection *connection, char *room,
                             size_t size)
{
    ssize_t got;

    /* What comes behind the last answer is dropped, so it is not decrypted. */
    if (connection->tls && connection->state != STATE_LINGERING)
        return surety__tls_receive(connection->tls, room, size,
                                   &connection->is_crossed);
    do
        got = recv(connection->fd, room, size, 0);
    while (got < 0 && errno == EINTR);
    return got;
}

ssize_t surety__wire_send(surety__connection *connection, const char *bytes,
                          size_t len)
{
    ssize_t sent;

    connection->is_crossed = false;
    if (connection->tls)
        return surety__tls_send(connection->tls, bytes, len);
    do
        sent = send(connection->fd, bytes, len, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent;
}

surety__next surety__wire_end(surety__connection *connection)
{
    connection->is_crossed =
        connection->tls && !surety__tls_end(connection->tls);
    if (connection->is_crossed)
        return NEXT_REST;
    return shutdown(connection->fd, SHUT_WR) ? NEXT_CLOSE : NEXT_REST;
}
