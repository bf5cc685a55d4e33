/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the HTTP server. Calls go one way: serve.c (the loop) →
 * connection.c (one connection's requests) → answer.c (their answers) → wire.c
 * (their bytes) → tls.c, and all of them → due.c (times). */
#ifndef SURETY_SERVE_CONNECTION_H
#define SURETY_SERVE_CONNECTION_H

#include <sys/types.h>

#include "serve/head.h"
#include "serve/serve.h"

#define SERVE_NEVER INT64_MAX
#define SERVE_BLOCK 16384 /* of one read */

typedef struct surety__connection surety__connection;
typedef struct surety__tls_link surety__tls_link;

struct surety__server {
    surety__server_options options;
    surety__connection *connections;
    size_t count;
    atomic_size_t *open; /* of options.connections_max: own, or shared */
    atomic_size_t own;
    surety__connection **due; /* a heap: the earliest is the first */
    size_t due_count, due_cap;
    int64_t now; /* ms of the monotonic clock, of this step */
    int64_t unix_s;
    int64_t date_s;    /* of the line with the date: */
    char date[40];     /* empty: none was needed yet */
    int64_t listen_at; /* when it accepts again, after the system was out of
                        * files or memory; SERVE_NEVER: it does */
    bool is_full;      /* connections_max is reached; it does not accept */
    bool is_leaving;   /* each answer ends its connection */
    bool is_refusing;  /* for good: its listening sockets are closed */
    int epoll_fd;
    int wake_fd; /* an eventfd that ends the wait of a step */
    int sockets[SURETY__SERVE_SOCKETS_MAX]; /* that listen */
    size_t socket_count;
    /* What was read last. A connection has a copy of its size. */
    char block[SERVE_BLOCK];
};

typedef enum connection_state {
    STATE_HEAD = 0, /* a request's head comes, or nothing yet */
    STATE_BODY,
    STATE_THINKING,  /* the service was called */
    STATE_ANSWERING, /* an answer goes out */
    STATE_LINGERING  /* it is out, and the client is given time to read it */
} connection_state;

/* How the end of an answer's body is known. */
typedef enum connection_framing {
    FRAMING_DONE = 0, /* all of it is in `out` */
    FRAMING_LENGTH,   /* by Content-Length; `left` bytes are to be pulled */
    FRAMING_CHUNKED,
    FRAMING_CLOSE, /* by the end of the connection */
    FRAMING_RAW    /* the service writes the head too */
} connection_framing;

struct surety__connection {
    surety__connection *next;
    surety__connection **link;
    surety__server *server;
    surety__serving *exchange; /* NULL between requests */
    connection_state state;
    connection_framing framing;
    int fd;
    surety__tls_link *tls; /* NULL: plain */
    uint32_t events;       /* that epoll watches */
    int64_t due_at;        /* when it goes on by itself; SERVE_NEVER */
    size_t due_slot;       /* in the server's heap */
    /* Bytes that were read; those from in_start on are not used yet. */
    surety_buf in;
    size_t in_start;
    size_t looked; /* surety__serve_find's at */
    surety__chunks chunks;
    uint64_t left; /* of the body that comes, or goes */
    /* Bytes that go out; those from out_start on are not sent yet. */
    surety_buf out;
    size_t out_start;
    bool is_used;    /* it had a request */
    bool is_begun;   /* the first byte of a head has come */
    bool is_skipped; /* an empty line before it was skipped */
    bool is_waiting; /* for the service, not for the client */
    bool is_last;    /* the connection ends with the answer */
    bool is_reset;   /* and with a TCP RST */
    bool is_crossed; /* TLS must send before it can go on */
};

/* ---- due.c --------------------------------------------------------------- */

/* Makes room for count connections. SURETY_NOMEM. */
surety_status surety__due_reserve(surety__server *server, size_t count);
/* Sets when the connection goes on by itself. Never fails. */
void surety__due_set(surety__connection *connection, int64_t at);
/* The connection that is due first; NULL: none is. */
surety__connection *surety__due_first(const surety__server *server);

/* ---- answer.c ------------------------------------------------------------ */

typedef enum surety__next {
    NEXT_ON = 0, /* the next step can be done now */
    NEXT_REST,   /* nothing can be done before an event or its time */
    NEXT_CLOSE   /* the connection is to be closed */
} surety__next;

/* Begins the answer to a request that is refused before the service sees it.
 * The connection ends with it. */
surety__next surety__answer_fault(surety__connection *connection,
                                  const surety__serve_fault *fault);
/* Sends what the socket takes, and pulls more. ON: all was sent. */
surety__next surety__answer_move(surety__connection *connection);
/* Waits for the service, and for a client that hangs up. */
surety__next surety__answer_wait(surety__connection *connection,
                                 uint32_t wait_ms);

/* ---- tls.c: one connection by TLS ---------------------------------------- */

/* NULL: out of memory. */
surety__tls_link *surety__tls_link_new(surety__tls *tls, int fd);
void surety__tls_link_free(surety__tls_link *link); /* takes NULL */
/* As recv(2) of a socket that does not block, with room for a record. The
 * handshake is a part of it. EAGAIN and *ret_crosses: it must send first.
 * EPROTONOSUPPORT: the client speaks HTTP without TLS; EPROTO: not even that,
 * or the connection broke. */
ssize_t surety__tls_receive(surety__tls_link *link, char *room, size_t size,
                            bool *ret_crosses);
/* As send(2). After EAGAIN it is called with the same bytes again. */
ssize_t surety__tls_send(surety__tls_link *link, const char *bytes, size_t len);
/* Tells the client that no more comes (close_notify). False: EAGAIN. */
bool surety__tls_end(surety__tls_link *link);

/* ---- wire.c -------------------------------------------------------------- */

/* As recv(2) and send(2), but for EINTR, with the errors of TLS. */
ssize_t surety__wire_receive(surety__connection *connection, char *room,
                             size_t size);
ssize_t surety__wire_send(surety__connection *connection, const char *bytes,
                          size_t len);
/* Ends the sending side. REST: the client sees it, or is_crossed. */
surety__next surety__wire_end(surety__connection *connection);

/* ---- connection.c -------------------------------------------------------- */

/* Takes a socket that was accepted, in any case, and is counted as open. */
void surety__connection_open(surety__server *server, int fd, bool is_secure);
void surety__connection_close(surety__connection *connection);
/* Does what the events of epoll allow. It may close the connection. */
void surety__connection_move(surety__connection *connection, uint32_t events);
/* Closes it between two requests. One that has not sent anything is given a
 * moment to do so. */
void surety__connection_leave(surety__connection *connection);
/* Does what its time has come for. It may close the connection. */
void surety__connection_time(surety__connection *connection);

#endif
