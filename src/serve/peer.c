/* SPDX-License-Identifier: Apache-2.0 */
/* Where the client of a connection is. An address of the loopback is one of
 * this machine; what a proxy in front hides is not seen here. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "serve/connection.h"

bool surety__serving_is_local(const surety__serving *exchange)
{
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
        struct sockaddr_storage room;
    } peer = {.any = {.sa_family = AF_UNSPEC}};
    socklen_t size = sizeof(peer);
    const struct in6_addr *six = &peer.six.sin6_addr;

    if (getpeername(exchange->connection->fd, &peer.any, &size))
        return false;
    if (peer.any.sa_family == AF_INET)
        return ntohl(peer.four.sin_addr.s_addr) >> 24 == 127;
    if (peer.any.sa_family != AF_INET6)
        return false;
    return IN6_IS_ADDR_LOOPBACK(six) ||
           (IN6_IS_ADDR_V4MAPPED(six) && six->s6_addr[12] == 127);
}
