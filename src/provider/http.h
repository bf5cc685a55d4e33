/* SPDX-License-Identifier: Apache-2.0 */
/* An exchange over HTTP: http.c runs it, http_watch.c waits for it, http_due.c
 * has its deadline, http_answer.c judges the response. */
#ifndef SURETY_PROVIDER_HTTP_H
#define SURETY_PROVIDER_HTTP_H

#include <netinet/in.h>

#include "provider/curl.h"
#include "provider/transport.h"

typedef struct surety__http surety__http;

/* Lists of the used sockets, by their port: with ten thousand connections each
 * has ten. */
#define SURETY__HTTP_PORTS 1024

/* Handles of exchanges that have ended, kept for the next ones: as many as may
 * call one host at once. Each has some five KiB. */
#define SURETY__HTTP_IDLE 16

/* A handle of libcurl, with the options that all exchanges share, and the URL
 * of its last exchange: parsed, so that libcurl does not do it for each. */
typedef struct surety__http_handle {
    CURL *easy; /* NULL: none; it has the next one */
    CURLU *parsed;
    surety_buf url;  /* NUL-terminated; empty: parsed has none */
    surety_buf host; /* "HOST:PORT" for messages, NUL-terminated */
    bool is_tls;     /* the URL's scheme is https */
} surety__http_handle;

/* A connection's socket; its place in the list of all is its file. */
typedef struct surety__http_socket {
    bool open;
    uint32_t users;   /* exchanges under way on it */
    bool used;        /* it has carried an exchange */
    bool multiplexed; /* it uses HTTP/2 */
    bool single;      /* it uses HTTP/1: one exchange at a time */
    unsigned port;    /* of its own end, as address; if used */
    int next;         /* used socket with such a port, plus 1; 0: none */
    char address[INET6_ADDRSTRLEN];
    /* The events that libcurl waits for now, and those that the epoll watches
     * (http_watch.c). 0: none. */
    uint32_t wanted, watched;
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
    struct surety__http_exchange *next; /* with the same place for its id */
    surety__http *http;
    surety__intake intake;
    surety__progress progress;
    uint64_t id;
    /* Its place among the deadlines, and when it is looked at next: never later
     * than its deadline. */
    size_t at;
    uint64_t due_ms;
    surety__arena arena; /* the request's texts and the response's headers */
    surety__http_handle handle;
    surety_str host; /* the handle's */
    /* The request's body in parts, and the place that is sent next. */
    const surety_str *parts;
    size_t part_count, part, part_at;
    struct curl_slist *lines; /* the request's headers, in the arena */
    struct curl_slist **lines_end;

    bool sent;
    bool again;           /* start again on a new connection: bytes wait on the
                           * pooled one */
    curl_socket_t socket; /* of its connection; CURL_SOCKET_BAD: none */
    curl_socket_t opened[2]; /* the last ones that were opened for it */

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
    /* The exchanges: a heap by due_ms, and by id (http_due.c). */
    surety__http_exchange **items, **slots;
    size_t count, cap, slot_count;
    /* What is waited for (http_watch.c). */
    int epoll, timer, bell;
    uint64_t curl_ms;  /* when libcurl wants to be called; UINT64_MAX: never */
    uint64_t armed_ms; /* to which the timer is set */
    uint64_t now_ms;   /* when the bytes at hand were read */
    bool watched;      /* a caller's loop watches the epoll */
    bool is_rung;      /* the bell, since the last wait */
    surety__arena arena; /* holds the two texts */
    /* Of an exchange that has ended, for the next one. */
    surety__arena spare;
    surety__http_handle idle[SURETY__HTTP_IDLE];
    size_t idle_count;
    surety_str ca_file, proxy;    /* NUL-terminated; empty: none */
    surety__http_socket *sockets; /* by their file */
    size_t socket_cap;
    int ports[SURETY__HTTP_PORTS]; /* the first of each list, plus 1 */
    bool public_only;
    bool direct; /* by no proxy */
    bool called; /* a receiver was called in this wait */
    bool starved;
};

/* NULL: there is no exchange with this id. */
surety__http_exchange *surety__http_find(const surety__http *http, uint64_t id);
/* Adds an exchange; false: out of memory. */
bool surety__http_due_add(surety__http *http, surety__http_exchange *exchange);
void surety__http_due_remove(surety__http *http,
                             surety__http_exchange *exchange);
/* Looks whether its deadline has become an earlier one. */
void surety__http_due_moved(surety__http *http,
                            surety__http_exchange *exchange);
/* An exchange whose deadline has passed; NULL: there is none. */
surety__http_exchange *surety__http_due_late(surety__http *http,
                                             uint64_t now_ms,
                                             surety__late *ret_late);
void surety__http_due_done(surety__http *http);

/* Opens what is waited with. IO, NOMEM. */
surety_status surety__http_watch_open(surety__http *http, surety_error *reterr);
void surety__http_watch_close(surety__http *http);
/* Sets the timer to the next time, if a caller's loop watches. */
void surety__http_watch_arm(surety__http *http);
/* Stops watching a socket that will be closed. */
void surety__http_watch_forget(surety__http *http, curl_socket_t file);
/* Waits once, until something happens or until_ms, and lets libcurl do what is
 * to be done. *ret_signal: a signal arrived. */
CURLMcode surety__http_watch(surety__http *http, uint64_t until_ms,
                             bool *ret_signal);

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

/* The open socket of a file; NULL: it is none of an exchange's. */
surety__http_socket *surety__http_pool_find(surety__http *http,
                                            curl_socket_t file);
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
/* Records that the exchange's connection uses HTTP/2, or HTTP/1. */
void surety__http_pool_learn(surety__http_exchange *exchange,
                             bool is_multiplexed);

/* The length of text for %.*s, at most max. */
int surety__http_len(surety_str text, size_t max);

#endif
