/* SPDX-License-Identifier: Apache-2.0 */
/* An exchange over HTTP: http.c runs it, http_answer.c judges the response. */
#ifndef SURETY_PROVIDER_HTTP_H
#define SURETY_PROVIDER_HTTP_H

#include <netinet/in.h>

#include "provider/curl.h"
#include "provider/transport.h"

typedef struct surety__http surety__http;

/* A connection's socket. */
typedef struct surety__http_socket {
    curl_socket_t file;
    uint32_t users;   /* exchanges under way on it */
    bool used;        /* it has carried an exchange */
    bool multiplexed; /* it uses HTTP/2 */
    unsigned port;    /* of its own end, as address; if used */
    char address[INET6_ADDRSTRLEN];
} surety__http_socket;

/* The head of a response. */
typedef struct surety__http_head {
    surety_header *items;
    size_t count, cap;
    size_t lines, bytes; /* of the whole response, with trailers */
    unsigned interim;
    int status;
    bool coded; /* transfer-encoding was present */
    bool sized; /* content-length was present */
    uint64_t content_length;
    bool is_passed; /* the receiver has it */
} surety__http_head;

typedef struct surety__http_exchange {
    struct surety__http_exchange *next;
    surety__http *http;
    surety__intake intake;
    surety__progress progress;
    uint64_t id;
    surety__arena arena; /* the request's texts and the response's headers */
    surety_str host;     /* "HOST:PORT" for messages */
    CURL *easy;
    /* The request's body in parts, and the place that is sent next. */
    const surety_str *parts;
    size_t part_count, part, part_at;
    struct curl_slist *lines; /* the request's headers, in the arena */
    struct curl_slist **lines_end;

    bool sent;
    bool heard; /* bytes have arrived since its deadline was worked out */
    bool again; /* start again on a new connection: bytes wait on the
                 * pooled one */
    curl_socket_t socket; /* of its connection; CURL_SOCKET_BAD: none */

    surety__http_head head;
    bool decided; /* the delivery is fixed; libcurl only finishes */
    surety_delivery delivery;
    char address[INET6_ADDRSTRLEN]; /* refused because it is not public; or
                                     * empty */
    /* The last peer; empty: none. A port other than the URL's is a proxy's. */
    char peer[INET6_ADDRSTRLEN];
    unsigned peer_port;
    char error_text[CURL_ERROR_SIZE]; /* libcurl's */
} surety__http_exchange;

struct surety__http {
    surety_transport transport;
    surety__curl curl;
    const surety_alloc *alloc;
    CURLM *multi;
    surety__http_exchange *first; /* in the order of their start */
    surety__arena arena;          /* holds the two texts */
    /* Of an exchange that has ended, for the next one. */
    surety__arena spare;
    CURL *idle;                /* with the shared options; or NULL */
    surety_str ca_file, proxy; /* NUL-terminated; empty: none */
    /* The last URL, which was found to be valid, and its host: most exchanges
     * go to the same one. */
    surety_buf url, host;
    surety__http_socket *sockets;
    size_t socket_count, socket_cap;
    bool public_only;
    bool called; /* a receiver was called in this wait */
    bool starved;
};

/* Fixes the exchange's end, unless it is fixed already. */
void surety__http_decide(surety__http_exchange *exchange,
                         surety_delivery delivery);

/* Takes one line of the response's head from libcurl: of an interim response,
 * the response, or its trailers. Passes the head to the receiver. False: the
 * exchange is decided and ends. */
bool surety__http_line(surety__http_exchange *exchange, surety_str line);

/* The end of the exchange: the one decided, or one by libcurl's code. */
surety_delivery surety__http_outcome(const surety__http_exchange *exchange,
                                     CURLcode code);
/* The end of an exchange that did not connect in time. */
surety_delivery
surety__http_late_connect(const surety__http_exchange *exchange);

/* Appends HOST:PORT of a URL; nothing if the URL has none. */
void surety__http_host_write(const surety__curl *curl, CURLU *url,
                             surety_buf *out);

/* An address: its bytes in network order (NULL: of no known family), its port,
 * and its text (empty: it has none). */
typedef struct surety__http_address {
    const unsigned char *bytes;
    size_t len;
    unsigned port;
    char text[INET6_ADDRSTRLEN];
} surety__http_address;
surety__http_address surety__http_address_of(const struct sockaddr *address);

/* Adds a socket that was opened (false: out of memory); removes a closed
 * one. */
bool surety__http_pool_add(surety__http *http, curl_socket_t file);
void surety__http_pool_remove(surety__http *http, curl_socket_t file);
/* Takes the connection with this local address and port for the exchange,
 * which is about to be sent. False: it must not be used. */
bool surety__http_pool_take(surety__http_exchange *exchange,
                            const char *address, int port);
/* Releases the exchange's connection. */
void surety__http_pool_leave(surety__http_exchange *exchange);
/* Records that the exchange's connection uses HTTP/2. */
void surety__http_pool_multiplex(surety__http_exchange *exchange);

/* The length of text for %.*s, at most max. */
int surety__http_len(surety_str text, size_t max);

#endif
