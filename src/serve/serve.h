/* SPDX-License-Identifier: Apache-2.0 */
/* The door of serve/: an HTTP server that one thread drives (serve.c, over
 * libmicrohttpd), and the serving side of the providers' protocols (speak.c and
 * others), which is pure: a request's bytes to what is asked, what is to be
 * said to a response's bytes. */
#ifndef SURETY_SERVE_SERVE_H
#define SURETY_SERVE_SERVE_H

#include <surety/json.h>
#include <surety/provider.h>

#include "base/base.h"

/* ---- HTTP: serve.c ------------------------------------------------------ */

typedef struct surety__server surety__server;
/* One request and its answer. The server's; it is gone after `ended`. */
typedef struct surety__serving surety__serving;

/* How a callback of a service goes on. */
typedef enum surety__flow {
    FLOW_ON = 0, /* request: it was answered; pull: bytes were given */
    FLOW_WAIT,   /* call again after wait_ms, or when waked */
    FLOW_END,    /* pull: there is no more */
    FLOW_CUT,    /* close the connection now */
    FLOW_RESET   /* the same, the rude way: TCP RST */
} surety__flow;

#define SERVE_WAIT_LONG UINT32_MAX /* until surety__serving_wake */

/* Room for the next bytes of a body; len is 0 at first. */
typedef struct surety__pull {
    char *room;
    size_t size;
    size_t len;
    uint32_t wait_ms;
} surety__pull;

/* Who answers. Called by the thread in surety__server_step and in _close.
 * Between FLOW_WAIT and the next call the client is watched: where it hangs up,
 * also half of the way, the exchange ends. */
typedef struct surety__service {
    void *ctx;
    /* The request has come whole. FLOW_ON after surety__serving_answer;
     * FLOW_WAIT, FLOW_CUT and FLOW_RESET without it. */
    surety__flow (*request)(void *ctx, surety__serving *exchange,
                            uint32_t *ret_wait_ms);
    /* More of a body that was answered with `streamed` or `raw`. */
    surety__flow (*pull)(void *ctx, surety__serving *exchange,
                         surety__pull *pull);
    /* Once for every exchange that request was called for, and last. whole:
     * everything was handed to the system's network. */
    void (*ended)(void *ctx, surety__serving *exchange, bool whole);
} surety__service;

/* 0 means the default. */
typedef struct surety__server_options {
    surety_str address; /* an IP address; empty: 127.0.0.1 */
    uint16_t port;      /* 0: one that the system picks */
    surety__service service;
    size_t body_bytes_max;        /* 10 MiB; above it 413 */
    size_t head_bytes_max;        /* about; 16 KiB; above it 431 or 414 */
    uint32_t connections_max;     /* 1,024; above it they wait to be taken */
    uint32_t connections_one_max; /* of one address; no limit */
    uint32_t head_ms;             /* from its first line; 10,000 */
    uint32_t body_ms;             /* 60,000 */
    uint32_t idle_ms;             /* before a request's first line; 60,000 */
    bool no_date;                 /* no Date header: the same bytes always */
    const surety_alloc *alloc;
} surety__server_options;

/* Listens. SURETY_IO: the address cannot be listened on; SURETY_MISUSE: it is
 * none; SURETY_NOMEM. */
surety_status surety__server_open(const surety__server_options *options,
                                  surety__server **ret_server,
                                  surety_error *reterr);
uint16_t surety__server_port(const surety__server *server);
/* Moves everything that can move; waits at most timeout_ms for something that
 * can. */
void surety__server_step(surety__server *server, uint32_t timeout_ms);
/* Ends a step's waiting, from any thread or signal handler. */
void surety__server_wake(surety__server *server);
/* Breaks off every exchange (their `ended` is called), frees. Takes NULL. */
void surety__server_close(surety__server *server);

/* What was asked; good as long as the exchange. */
surety_str surety__serving_method(const surety__serving *exchange);
/* The path, percent-decoded once; as it came where that gives no text, so that
 * it is nobody's. */
surety_str surety__serving_path(const surety__serving *exchange);
/* The text after "?", as it came. */
surety_str surety__serving_query(const surety__serving *exchange);
/* A header's value, the first; ptr NULL where absent. */
surety_str surety__serving_header(const surety__serving *exchange,
                                  const char *name);
surety_str surety__serving_body(const surety__serving *exchange);
/* The body is larger than allowed and is not there: the service is to answer
 * 413 at once. */
bool surety__serving_oversized(const surety__serving *exchange);
/* Bytes of the answer's body that left so far. */
uint64_t surety__serving_sent(const surety__serving *exchange);
/* A pointer of the service's, NULL at first. */
void *surety__serving_own(const surety__serving *exchange);
void surety__serving_set_own(surety__serving *exchange, void *own);
/* Ends its FLOW_WAIT at the next step. From the server's thread. */
void surety__serving_wake(surety__serving *exchange);

typedef enum surety__answer_kind {
    ANSWER_WHOLE = 0, /* body */
    ANSWER_STREAMED,  /* pull gives the body, body_len bytes of it or
                       * UINT64_MAX for as many as come */
    ANSWER_RAW        /* pull gives all bytes of the wire, the head too */
} surety__answer_kind;

typedef struct surety__response {
    surety__answer_kind kind;
    int status;
    const surety_header *headers; /* Content-Length, Transfer-Encoding, Date
                                   * and Connection are the server's */
    size_t header_count;
    surety_str body;
    uint64_t body_len;
} surety__response;

/* Answers; everything is copied. SURETY_MISUSE: a header that HTTP or the
 * server cannot take, answered already; SURETY_NOMEM. */
surety_status surety__serving_answer(surety__serving *exchange,
                                     const surety__response *response,
                                     surety_error *reterr);

/* ---- protocols: speak.c and others --------------------------------------- */

/* What a path is, of all that providers serve and we know. */
typedef enum surety__route_kind {
    ROUTE_NONE = 0,
    ROUTE_CALL,  /* a model is called */
    ROUTE_COUNT, /* the tokens of a call are counted */
    ROUTE_EMBED, /* texts become vectors */
    ROUTE_MODELS /* the models are listed, or one is asked for */
} surety__route_kind;
typedef struct surety__route {
    surety__route_kind kind;
    surety_protocol protocol; /* for NONE: whose errors fit best */
    surety_str model;         /* where the path tells it */
    bool stream;              /* the path asks for a stream */
} surety__route;
/* anthropic, google: whether the request has a header of theirs. */
surety__route surety__route_of(surety_str path, bool anthropic, bool google);

/* An error as a provider tells it. */
typedef struct surety__problem {
    int status;
    surety_str type; /* the protocol's word; empty: the usual for the status */
    surety_str code; /* OpenAI's code; empty: the usual for the status */
    surety_str param;
    surety_str message;
    surety_str request_id;
    surety_str details; /* Anthropic's, a JSON object; empty: none */
} surety__problem;

/* Whether the model may call a tool, in whatever words the protocol says it.
 * ORDER choices (names in speak.c). */
typedef enum surety__choice {
    CHOICE_NONE = 0, /* also where no tool is offered */
    CHOICE_AUTO,
    CHOICE_REQUIRED, /* one of them */
    CHOICE_NAMED     /* this one */
} surety__choice;
const char *surety__choice_name(surety__choice choice);

/* What form the text is to have. ORDER formats (names in speak.c). */
typedef enum surety__format {
    FORMAT_TEXT = 0,
    FORMAT_JSON_OBJECT, /* any JSON object */
    FORMAT_JSON_SCHEMA
} surety__format;
const char *surety__format_name(surety__format format);

/* ORDER authors (names in speak.c). */
typedef enum surety__author {
    AUTHOR_USER = 0,
    AUTHOR_ASSISTANT,
    AUTHOR_TOOL /* the message holds the result of a tool */
} surety__author;
const char *surety__author_name(surety__author author);

/* A message's texts, those of tool results too, a line each. A result that is
 * an object counts as its JSON. */
typedef struct surety__said {
    surety__author author;
    surety_str text;
    uint32_t dimensions; /* of its vector, where that is asked for */
} surety__said;

/* What a request asks. Its texts are those of the request's document or stand
 * in the arena. */
typedef struct surety__asked {
    surety_protocol protocol;
    surety_str model;
    bool stream;
    bool usage_chunk; /* a stream is to tell its usage (Chat Completions) */
    surety_mode mode; /* NATIVE, TOOL (it must call one) or PROMPT */
    surety__format format;
    surety__choice choice;
    const surety_str *tools; /* the names of those that are offered; of one that
                              * the provider runs itself, its type */
    size_t tool_count;
    bool is_base64;   /* vectors are to be packed */
    bool is_batch;    /* Gemini: a list of them is asked for */
    uint32_t answers; /* how many choices the answer is to have; at least 1 */
    surety_val schema;
    surety_str schema_name;
    bool strict;     /* the schema is to be kept to the letter */
    surety_str tool; /* the one it must call, or the first; empty: none */
    surety_str system;
    const surety__said *messages;
    size_t message_count;
    uint64_t prompt_bytes; /* of system and messages */
} surety__asked;

/* Reads the body of a call, of a count of its tokens, or of a request for
 * embeddings, whose inputs are the messages. SURETY_SYNTAX: the provider would
 * not take it, and *ret_problem tells it as the provider does, its texts
 * constant or in reterr (not NULL). SURETY_NOMEM. */
surety_status surety__speak_read(const surety__route *route, surety_val body,
                                 surety__arena *arena, surety__asked *ret_asked,
                                 surety__problem *ret_problem,
                                 surety_error *reterr);
/* Appends how many input tokens a call has: a quarter of the prompt's bytes, as
 * usage has it. */
void surety__speak_count(const surety__asked *asked, surety_buf *out);
/* Appends the vectors of the messages of a request for embeddings. */
void surety__speak_embed(const surety__asked *asked, surety_buf *out);
/* Whether the schema of what is asked keeps to the obvious rules of the
 * provider's strict subset: all objects closed, all properties required, no
 * keyword that it refuses. As surety__speak_read. */
surety_status surety__speak_strict(const surety__asked *asked,
                                   surety__arena *arena,
                                   surety__problem *ret_problem,
                                   surety_error *reterr);
/* Appends an error's body. */
void surety__speak_error(surety_protocol protocol,
                         const surety__problem *problem, surety_buf *out);
/* Appends a list of models, or the one where `one` is not empty. */
void surety__speak_models(surety_protocol protocol, const surety_str *models,
                          size_t count, surety_str one, surety_buf *out);

/* What is said has up to four parts, each in one piece or many, in this
 * order. */
typedef enum surety__speech_part {
    PART_REASONING = 0,
    PART_TEXT,
    PART_REFUSAL,
    PART_ARGUMENTS, /* of the tool that it calls */
    PART_NONE
} surety__speech_part;

/* One answer while it is said. Initialize with surety__speech_init. */
typedef struct surety__speech {
    const surety__asked *asked;
    surety_str id; /* without the protocol's prefix */
    surety_str model;
    surety_str tool; /* the name of the tool it calls */
    uint64_t created;
    surety_buf parts[PART_NONE];
    bool said[PART_NONE];
    /* Of a stream. */
    surety__speech_part open;
    uint32_t index;    /* of the part that is open */
    uint32_t sequence; /* events of the Responses protocol */
} surety__speech;

typedef struct surety__closing {
    /* The provider's own word, or one of ours that means the same in every
     * protocol: "stop", "length", "filter", "refusal", "tool"; empty: what
     * follows from what was said. */
    surety_str finish;
    surety_usage usage;
    bool no_mark; /* a stream ends without its end mark */
} surety__closing;

/* asked, id, model and tool must stay until _done. */
void surety__speech_init(surety__speech *speech, const surety__asked *asked,
                         surety_str id, const surety_alloc *alloc);
void surety__speech_done(surety__speech *speech);
/* The events before the first piece. */
void surety__speech_begin(surety__speech *speech, const surety_usage *usage,
                          surety_buf *out);
/* A piece of a part, valid UTF-8, as events; out NULL: it is only kept, for
 * surety__speech_whole. Parts must come in their order. */
void surety__speech_piece(surety__speech *speech, surety__speech_part part,
                          surety_str text, surety_buf *out);
/* The events after the last piece. */
void surety__speech_end(surety__speech *speech, const surety__closing *ending,
                        surety_buf *out);
/* An error as an event in a stream. */
void surety__speech_fail(surety__speech *speech, const surety__problem *problem,
                         surety_buf *out);
/* Something that keeps a connection alive. */
void surety__speech_ping(const surety__speech *speech, surety_buf *out);
/* All that was said as one body. SURETY_NOMEM tells itself in out. */
void surety__speech_whole(surety__speech *speech, const surety__closing *ending,
                          surety_buf *out);
/* The content type of a stream or a whole answer. */
surety_str surety__speak_content_type(bool stream);

#endif
