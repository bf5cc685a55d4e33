/* SPDX-License-Identifier: Apache-2.0 */
/* An exchange over HTTP: http.c moves it, http_answer.c judges what comes. */
#ifndef SURETY_PROVIDER_HTTP_H
#define SURETY_PROVIDER_HTTP_H

#include <netinet/in.h>

#include "provider/curl.h"
#include "provider/transport.h"

typedef struct surety__http surety__http;

/* A connection's. */
typedef struct surety__http_socket {
    curl_socket_t file;
    uint32_t users;   /* exchanges under way */
    bool used;        /* it carried one */
    bool multiplexed; /* it speaks HTTP/2 */
} surety__http_socket;

/* The heads of a response. */
typedef struct surety__http_head {
    surety_header *items;
    size_t count, cap;
    size_t lines, bytes; /* of the whole response, trailers too */
    unsigned interim;
    int status;
    bool coded; /* transfer-encoding was there */
    bool sized; /* content-length was there */
    uint64_t content_length;
    bool told; /* the receiver has it */
} surety__http_head;

typedef struct surety__http_exchange {
    struct surety__http_exchange *next;
    surety__http *http;
    surety_receiver receiver;
    uint64_t id;
    surety__arena arena; /* the request's texts and the response's headers */
    surety_str host;     /* "HOST:PORT" for messages */
    CURL *easy;
    struct curl_slist *lines; /* the request's headers */

    surety_timeouts timeouts;
    uint64_t begin_ms;
    uint64_t connect_ms; /* when it began to look for a connection; 0: not */
    uint64_t sent_ms;
    uint64_t byte_ms; /* the last one's; 0: none came */
    bool sent;
    bool again;           /* on a new connection: the pooled one is unclean */
    curl_socket_t socket; /* that it was sent over; CURL_SOCKET_BAD: none */

    surety__http_head head;
    size_t bytes, bytes_max;

    bool decided; /* by us; libcurl only brings it to its end */
    surety_delivery delivery;
    char address[INET6_ADDRSTRLEN]; /* that was refused; or empty */
    /* The last peer; empty: there was none. Another port than the URL's is a
     * proxy's. */
    char peer[INET6_ADDRSTRLEN];
    unsigned peer_port;
    char said[CURL_ERROR_SIZE];
} surety__http_exchange;

struct surety__http {
    surety_transport transport;
    surety__curl curl;
    const surety_alloc *alloc;
    CURLM *multi;
    surety__http_exchange *first; /* in the order of their starts */
    surety_buf ca_file, proxy;    /* terminated; empty: none */
    surety__http_socket *sockets;
    size_t socket_count, socket_cap;
    bool public_only;
    bool told;
    bool starved;
};

/* Ends the exchange as delivery says, unless that was decided before. */
void surety__http_decide(surety__http_exchange *exchange,
                         surety_delivery delivery);

/* Takes one line of the response's heads, as libcurl gives them: of an interim
 * response, the response, or its trailers. The receiver gets the head. False:
 * the exchange is decided and ends. */
bool surety__http_line(surety__http_exchange *exchange, surety_str line);

/* How the exchange ended, of what was decided and what libcurl says. */
surety_delivery surety__http_outcome(const surety__http_exchange *exchange,
                                     CURLcode code);
/* It took too long to connect. */
surety_delivery
surety__http_late_connect(const surety__http_exchange *exchange);

/* HOST:PORT of a URL, in the exchange's arena; where it has none, an empty text
 * with ptr set. NULL ptr: no memory. */
surety_str surety__http_host_of(surety__http_exchange *exchange, CURLU *url);

/* A socket was opened (false: no memory), or is closed. */
bool surety__http_pool_add(surety__http *http, curl_socket_t file);
void surety__http_pool_remove(surety__http *http, curl_socket_t file);
/* The exchange is about to go out over the connection with this address and
 * port on our side. False: it may not. */
bool surety__http_pool_take(surety__http_exchange *exchange,
                            const char *address, int port);
/* The exchange is over. */
void surety__http_pool_leave(surety__http_exchange *exchange);
/* Its connection speaks HTTP/2. */
void surety__http_pool_multiplex(surety__http_exchange *exchange);

/* The length of text for %.*s, at most max. */
int surety__http_len(surety_str text, size_t max);

#endif
