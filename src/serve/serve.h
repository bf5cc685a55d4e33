/* SPDX-License-Identifier: Apache-2.0 */
/* The internal interface of serve/. serve.c is an HTTP/1.1 server that one
 * thread drives. speak.c and its protocols' files are the server
 * side of the providers' protocols. That half is pure: it reads a request's
 * bytes into surety__model_request, and writes the parts of an answer as a
 * response's bytes. */
#ifndef SURETY_SERVE_SERVE_H
#define SURETY_SERVE_SERVE_H

#include <stdatomic.h>

#include <surety/json.h>
#include <surety/provider.h>

#include "base/base.h"

/* ---- sockets: listen.c --------------------------------------------------- */

typedef enum surety__listen_kind {
    LISTEN_IP = 0,
    LISTEN_PATH, /* a Unix socket, which is ours to remove */
    LISTEN_GIVEN /* a descriptor that the process was started with */
} surety__listen_kind;

/* A place to listen at. Servers take their sockets from it. */
typedef struct surety__listen_place {
    int fd; /* -1: a server has taken it */
    surety__listen_kind kind;
    surety_str text; /* the address, path or number; the caller's */
    uint16_t port;   /* 0: it has none */
} surety__listen_place;

/* address: an IP address; empty: 127.0.0.1. port: 0: one that the system
 * chooses.
 * SURETY_MISUSE: no IP address; SURETY_IO: it cannot listen there. */
surety_status surety__listen_ip(surety_str address, uint16_t port,
                                surety__listen_place *ret_listener,
                                surety_error *reterr);
/* place: "ADDRESS:PORT", "unix:PATH", or "fd:NUMBER", whose text must stay
 * valid. mode: of a path; 0: 0600. Statuses as surety__listen_ip. */
surety_status surety__listen_open(surety_str place, uint32_t mode,
                                  surety__listen_place *ret_listener,
                                  surety_error *reterr);
/* Gives a descriptor of each place to a server; the last server takes those of
 * the listeners themselves. SURETY_IO. */
surety_status surety__listen_share(surety__listen_place *listeners,
                                   size_t count, bool is_last, int *ret_sockets,
                                   surety_error *reterr);
/* Appends where it listens: "http://127.0.0.1:4141", "unix:PATH". */
void surety__listen_write(const surety__listen_place *listener, bool has_tls,
                          surety_buf *out);
/* Closes what no server took, and removes a path on which no
 * process listens any more. */
void surety__listen_close(surety__listen_place *listener);

/* ---- TLS: tls.c ---------------------------------------------------------- */

/* A certificate and its key, for any number of servers and threads. */
typedef struct surety__tls surety__tls;

/* The paths of two files, or of one with both, in PEM. clients: a file of the
 * certificates that sign those of clients, who must have one then; empty:
 * clients need none. SURETY_IO: one cannot be read, or OpenSSL cannot be
 * loaded; SURETY_SYNTAX: it has no certificate or key, or the key is encrypted;
 * SURETY_MISUSE: they do not fit, or every user can read the key; SURETY_LIMIT;
 * SURETY_UNSUPPORTED: a build without TLS; SURETY_NOMEM. */
surety_status surety__tls_open(surety_str certificate, surety_str key,
                               surety_str clients, const surety_alloc *alloc,
                               surety__tls **ret_tls, surety_error *reterr);
/* Connections that ended within their handshake, after a first byte. */
uint64_t surety__tls_failed(const surety__tls *tls);
/* Reads the files again, for connections to come. A failure changes nothing. */
surety_status surety__tls_reload(surety__tls *tls, surety_error *reterr);
/* After its servers. Takes NULL. */
void surety__tls_close(surety__tls *tls);

/* ---- HTTP: serve.c ------------------------------------------------------ */

typedef struct surety__server surety__server;
typedef struct surety__serving surety__serving;

/* What a callback of a service returns. */
typedef enum surety__flow {
    FLOW_ON = 0, /* request: it was answered; pull: room was filled */
    FLOW_WAIT,   /* call again after wait_ms or _wake */
    FLOW_END,    /* pull: the body is complete */
    FLOW_CUT,    /* close the connection now */
    FLOW_RESET   /* the same with a TCP RST */
} surety__flow;

#define SERVE_WAIT_LONG UINT32_MAX /* until surety__serving_wake */

/* One request and its answer. Owned by the server, and freed after `ended`. */
struct surety__serving {
    surety_str method;
    surety_str path;  /* percent-decoded once. Where decoding gives no valid
                       * text: as it was sent, which matches no route */
    surety_str query; /* the text after "?", not decoded */
    bool is_escaped;  /* the path was sent with percent-encoding */
    surety_buf body;
    bool is_oversized; /* the body exceeds body_bytes_max and is not complete;
                        * the service answers 413 at once */
    uint64_t sent;     /* bytes of the answer's body that the service gave; of
                        * a raw answer, bytes written to the socket */
    void *own;         /* for the service's use, NULL at first */

    /* For serve/ alone. */
    struct surety__connection *connection;
    const struct surety__serve_head *head; /* in the arena */
    surety__arena arena;
    bool is_called; /* the service's request callback was called */
};

/* Room for the next bytes of a body. pull sets len, which is 0 at first. */
typedef struct surety__pull {
    char *room;
    size_t size;
    size_t len;
    uint32_t wait_ms;
} surety__pull;

/* The callbacks that answer requests, called by the thread in
 * surety__server_step and in _close. Between FLOW_WAIT and the next call the
 * client is watched: if it hangs up, even only its sending half, the exchange
 * ends. */
typedef struct surety__service {
    void *ctx;
    /* The request is complete. FLOW_ON after surety__serving_answer; FLOW_WAIT,
     * FLOW_CUT and FLOW_RESET without it. */
    surety__flow (*request)(void *ctx, surety__serving *exchange,
                            uint32_t *ret_wait_ms);
    /* Gives more of a body that was answered with ANSWER_STREAMED or
     * ANSWER_RAW. */
    surety__flow (*pull)(void *ctx, surety__serving *exchange,
                         surety__pull *pull);
    /* Called once, as the last callback, for every exchange that `request` was
     * called for. whole: the operating system took all bytes. */
    void (*ended)(void *ctx, surety__serving *exchange, bool whole);
} surety__service;

/* Listening sockets of one server. */
#define SURETY__SERVE_SOCKETS_MAX 16

/* 0 selects the default. */
typedef struct surety__server_options {
    const int *sockets; /* that listen; the server closes them, even where it
                         * cannot be opened */
    size_t socket_count;
    surety__service service;
    size_t body_bytes_max;    /* 10 MiB; more: 413 */
    size_t head_bytes_max;    /* 16 KiB; more: 431 or 414 */
    uint32_t connections_max; /* 1,024; more wait in the backlog */
    /* Counts the connections of all servers that share connections_max; NULL:
     * it is this server's alone. */
    atomic_size_t *connections;
    uint32_t head_ms; /* from its first byte, or from the begin of the
                       * connection; 10,000; more: 408 */
    uint32_t body_ms; /* 60,000; more: 408 */
    uint32_t idle_ms; /* between requests, and for a client that takes
                       * no byte of an answer; 60,000 */
    bool no_date;     /* no Date header: the same bytes each time */
    surety__tls *tls; /* of connections that come by IP; NULL: plain */
    const surety_alloc *alloc;
} surety__server_options;

/* SURETY_IO: the system has no descriptors left; SURETY_NOMEM. */
surety_status surety__server_open(const surety__server_options *options,
                                  surety__server **ret_server,
                                  surety_error *reterr);
/* Continues every connection and exchange that is ready; waits at most
 * timeout_ms for one. */
void surety__server_step(surety__server *server, uint32_t timeout_ms);
/* Milliseconds until it has something to do by itself, at most timeout_ms. */
uint32_t surety__server_wait_ms(const surety__server *server,
                                uint32_t timeout_ms);
/* Is readable while a step has something to do, its timers left out. */
int surety__server_descriptor(const surety__server *server);
/* Lets the wait of a step end while a descriptor of others is readable, or no
 * longer. SURETY_IO: the system cannot watch it. */
surety_status surety__server_watch(surety__server *server, int fd, bool on);
/* Ends the wait of a step, from any thread or signal handler. */
void surety__server_wake(surety__server *server);
/* From now on each answer ends its connection. */
void surety__server_leave(surety__server *server);
/* The same; accepts the connections that wait, and then no more. Those between
 * two requests are closed, and requests under way go on. */
void surety__server_refuse(surety__server *server);
/* Connections with a request under way, or with none yet. */
size_t surety__server_busy(const surety__server *server);
/* Aborts every exchange (calls their `ended`) and frees the server. Takes
 * NULL. */
void surety__server_close(surety__server *server);

/* Both clocks of the system, now. (clock.c) */
typedef struct surety__serve_times {
    uint64_t monotonic_us;
    int64_t unix_ms;
} surety__serve_times;
surety__serve_times surety__serve_clock(void);
/* The monotonic one alone. */
uint64_t surety__serve_us(void);

/* The value of the first header of that name; ptr NULL: absent. */
surety_str surety__serving_header(const surety__serving *exchange,
                                  const char *name);
/* The value of the first parameter of the query whose name is this one, which
 * includes "="; as it is in the target, not decoded. ptr NULL: absent. */
surety_str surety__serving_query(const surety__serving *exchange,
                                 const char *name);
/* Whether the client is on this machine, by an address of the loopback. */
bool surety__serving_is_local(const surety__serving *exchange);
/* Ends the exchange's FLOW_WAIT at the next step. Call it on the server's
 * thread. */
void surety__serving_wake(surety__serving *exchange);

typedef enum surety__answer_kind {
    ANSWER_WHOLE = 0, /* body */
    ANSWER_STREAMED,  /* pull gives the body: body_len bytes, or any
                       * number if that is UINT64_MAX */
    ANSWER_RAW        /* pull gives all bytes, the head too */
} surety__answer_kind;

typedef struct surety__response {
    surety__answer_kind kind;
    int status;
    const surety_header *headers; /* the server adds Content-Length or
                                   * Transfer-Encoding, Date and Connection; a
                                   * Connection of the service closes */
    size_t header_count;
    surety_str body;
    uint64_t body_len;
} surety__response;

/* Answers; copies everything. SURETY_MISUSE: an invalid header or status, or a
 * second answer; SURETY_NOMEM. */
surety_status surety__serving_answer(surety__serving *exchange,
                                     const surety__response *response,
                                     surety_error *reterr);

/* ---- protocols: speak.c and others --------------------------------------- */

/* The kind of request that a path stands for, of those that providers serve. */
typedef enum surety__route_kind {
    ROUTE_NONE = 0,
    ROUTE_CALL,   /* calls a model */
    ROUTE_COUNT,  /* counts the tokens of a call */
    ROUTE_EMBED,  /* makes vectors of texts */
    ROUTE_MODELS, /* lists the models, or shows one */
    ROUTE_OBJECT  /* what a gateway's configuration names; _of never gives it */
} surety__route_kind;
typedef struct surety__route {
    surety__route_kind kind;
    surety_protocol protocol; /* for NONE: the one whose errors fit best */
    surety_str model;         /* if the path has it */
    bool stream;              /* the path asks for a stream */
} surety__route;
/* anthropic, google: whether the request has a header that only this provider
 * uses. */
surety__route surety__route_of(surety_str path, bool anthropic, bool google);
/* The method that the paths of a kind take, or several, as the header Allow has
 * them; of NONE, NULL. */
const char *surety__route_method(surety__route_kind kind);
/* The path without the prefix that a client's base URL has ("/v1"). */
surety_str surety__route_below(surety_str path);
/* Whether a server may take a path below its base URL for one of those that
 * surety__route_of knows, if it forgives a prefix or another case. */
bool surety__route_is_taken(surety_str path);

/* An error in a form that every protocol can express. */
typedef struct surety__problem {
    int status;
    surety_str type; /* the protocol's word; empty: the usual for the status */
    surety_str code; /* OpenAI's code; empty: the usual for the status */
    surety_str param;
    surety_str message;
    surety_str request_id;
    surety_str details; /* JSON: what is wrong in detail; empty: none */
    /* For the header Allow, which a 405 has (RFC 9110, 15.5.6). */
    const char *allow;
} surety__problem;

/* Whether the model may call a tool, in terms common to all protocols. ORDER
 * choices (names in request.c). */
typedef enum surety__choice {
    CHOICE_NONE = 0, /* also where no tool is offered */
    CHOICE_AUTO,
    CHOICE_REQUIRED, /* any one of them */
    CHOICE_NAMED     /* a certain one */
} surety__choice;
const char *surety__choice_name(surety__choice choice);

/* The form that the text must have. ORDER formats (names in request.c). */
typedef enum surety__format {
    FORMAT_TEXT = 0,
    FORMAT_JSON_OBJECT, /* any JSON object */
    FORMAT_JSON_SCHEMA
} surety__format;
const char *surety__format_name(surety__format format);

/* ORDER authors (names in request.c). */
typedef enum surety__author {
    AUTHOR_USER = 0,
    AUTHOR_ASSISTANT,
    AUTHOR_TOOL /* the message holds the result of a tool */
} surety__author;
const char *surety__author_name(surety__author author);

/* A message: its texts and those of tool results, one per line. A result that
 * is an object counts as its JSON. */
typedef struct surety__model_message {
    surety__author author;
    surety_str text;
    uint32_t dimensions; /* of the vector that is requested */
} surety__model_message;

/* The content of a request. Its texts belong to the request's document or to
 * the arena. */
typedef struct surety__model_request {
    surety_protocol protocol;
    surety_str model;
    bool stream;
    bool usage_chunk; /* usage in a stream (Chat Completions) */
    surety_mode mode; /* NATIVE, TOOL (must call one) or PROMPT */
    surety__format format;
    surety__choice choice;
    const surety_str *tools; /* the names of offered tools; for a tool that the
                              * provider runs itself, its type */
    size_t tool_count;
    bool is_base64;   /* vectors as base64 */
    bool is_batch;    /* Gemini: a list of embeddings */
    uint32_t answers; /* choices in the answer; at least 1 */
    surety_val schema;
    surety_str schema_name;
    surety_str schema_description; /* beside the schema; empty: none */
    bool is_openapi; /* the schema has the form of OpenAPI 3.0 (Gemini) */
    bool strict;     /* strict adherence to the schema */
    surety_str tool; /* the required tool, or the first; empty: none */
    surety_str system;
    const surety__model_message *messages;
    size_t message_count;
    uint64_t prompt_bytes; /* bytes of system and messages */
} surety__model_request;

/* Reads the body of a call, of a count of its tokens, or of a request for
 * embeddings, whose inputs become the messages. SURETY_SYNTAX: the provider
 * would refuse it. *ret_problem then describes why in the provider's words; its
 * texts are constants or in reterr (not NULL). SURETY_NOMEM. */
surety_status surety__speak_read(const surety__route *route, surety_val body,
                                 surety__arena *arena,
                                 surety__model_request *ret_request,
                                 surety__problem *ret_problem,
                                 surety_error *reterr);
/* Appends the number of input tokens of a call: a quarter of the prompt's
 * bytes, as in usage. */
void surety__speak_count(const surety__model_request *request, surety_buf *out);
/* Appends the vectors of the messages of a request for embeddings. */
void surety__speak_embed(const surety__model_request *request, surety_buf *out);
/* Checks the schema against the main rules of the provider's strict subset: all
 * objects closed, all properties required, no keyword that it refuses. Returns
 * as surety__speak_read. */
surety_status surety__speak_strict(const surety__model_request *request,
                                   surety__arena *arena,
                                   surety__problem *ret_problem,
                                   surety_error *reterr);
/* Appends the body of an error. */
void surety__speak_error(surety_protocol protocol,
                         const surety__problem *problem, surety_buf *out);
/* Appends a list of models; where `one` is not empty, that model. */
void surety__speak_models(surety_protocol protocol, const surety_str *models,
                          size_t count, surety_str one, surety_buf *out);

/* The parts of an answer, in their order. Each comes in one piece or in many,
 * and the arguments once for each call of a tool. */
typedef enum surety__speech_part {
    PART_REASONING = 0,
    PART_TEXT,
    PART_REFUSAL,
    PART_ARGUMENTS, /* of a call of a tool */
    PART_NONE
} surety__speech_part;

/* A call of a tool in an answer: its arguments are a stretch of the part, from
 * start to the next call's. */
typedef struct surety__speech_call {
    surety_str tool;
    surety_str id;  /* empty: one is made of the answer's id */
    surety_str raw; /* the provider's own item of it; empty: none */
    size_t start;
} surety__speech_call;

/* An answer under construction. Initialize it with surety__speech_init. */
typedef struct surety__speech {
    const surety__model_request *request;
    surety_str id; /* without the protocol's prefix */
    surety_str model;
    surety_str tool;          /* for arguments that no _call came before */
    const char *const *words; /* of the protocol's row (speak.h) */
    uint64_t created;
    surety_buf parts[PART_NONE];
    bool has[PART_NONE]; /* the part came */
    surety_buf raws;     /* reasoning in the provider's own items */
    surety__speech_call *calls;
    size_t call_count, call_cap;
    /* Only for a stream. */
    surety__speech_part open;
    size_t open_call;  /* which call is open, if the part is ARGUMENTS */
    uint32_t index;    /* of the open part or call */
    uint32_t sequence; /* event count of the Responses protocol */
} surety__speech;

typedef struct surety__closing {
    /* The provider's own word, or one of ours that means the same in every
     * protocol: "stop", "length", "filter", "refusal", "tool"; empty: derived
     * from the parts. */
    surety_str finish;
    surety_usage usage;
    bool no_mark; /* a stream ends without its end mark */
} surety__closing;

/* request, id, model and tool must stay valid until _done. */
void surety__speech_init(surety__speech *speech,
                         const surety__model_request *request, surety_str id,
                         const surety_alloc *alloc);
void surety__speech_done(surety__speech *speech);
/* Appends the events before the first piece. */
void surety__speech_begin(surety__speech *speech, const surety_usage *usage,
                          surety_buf *out);
/* Adds a piece of a part, valid UTF-8, and appends its events; out NULL: the
 * piece is only kept for surety__speech_whole. Parts must come in their
 * order. */
void surety__speech_piece(surety__speech *speech, surety__speech_part part,
                          surety_str text, surety_buf *out);
/* Begins a call of a tool: the pieces of PART_ARGUMENTS that follow, at least
 * one, are its arguments. tool must stay valid until _done. Without it, they
 * are the arguments of one call, of speech->tool. */
void surety__speech_begin_call(surety__speech *speech, surety_str tool);
/* Gives the call that was begun last the id that the provider gave it, if any;
 * raw: the provider's own item of it, whose signature the client has to send
 * back (Gemini); may be empty. The id must stay valid until _done. */
void surety__speech_mark_call(surety__speech *speech, surety_str id,
                              surety_str raw);
/* Adds reasoning that the provider wants to get back as it is: its item in the
 * client's protocol, in a whole answer before all other parts. In a stream it
 * ends the reasoning whose pieces came before, unless _waits. False: the
 * protocol has no such items, and nothing is added. */
bool surety__speech_raw(surety__speech *speech, surety_str raw,
                        surety_buf *out);
/* Whether no pieces may come before such an item: it has an id of its own from
 * its first event on. */
bool surety__speech_waits(const surety__speech *speech);
/* Appends the events after the last piece. */
void surety__speech_end(surety__speech *speech, const surety__closing *ending,
                        surety_buf *out);
/* Appends an error as an event of a stream. */
void surety__speech_fail(surety__speech *speech, const surety__problem *problem,
                         surety_buf *out);
/* Whether a schema has Gemini's own form, with types in capitals. Google's
 * servers take it where JSON Schema is asked for, and its tool sends it so. */
bool surety__speak_is_openapi(surety_val schema);
/* Appends an event that keeps the connection alive. */
void surety__speech_ping(const surety__speech *speech, surety_buf *out);
/* Appends all parts as one body. SURETY_NOMEM is set in out->status. */
void surety__speech_whole(surety__speech *speech, const surety__closing *ending,
                          surety_buf *out);
/* The content type of a stream, or of a whole answer. */
surety_str surety__speak_content_type(bool stream);

#endif
