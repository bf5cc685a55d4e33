/* SPDX-License-Identifier: Apache-2.0 */
/* The door of gateway/. Calls go one way: gateway.c (threads) → worker.c (one
 * thread's loop) → exchange.c (one request) → ask.c (what the client asks) and
 * answer.c (what it gets).
 *
 * Invariants:
 * 1. An exchange belongs to one worker, and only that worker's thread touches
 *    it. Workers share nothing that changes but the counters of the gateway.
 * 2. No part of a value leaves before the contract allows it.
 * 3. An exchange keeps its settings: a reload changes the next request. */
#ifndef SURETY_GATEWAY_GATEWAY_H
#define SURETY_GATEWAY_GATEWAY_H

#include <pthread.h>
#include <stdatomic.h>

#include <surety/config.h>
#include <surety/contract.h>
#include <surety/ledger.h>
#include <surety/message.h>
#include <surety/reply.h>
#include <surety/run.h>
#include <surety/serve.h>

#include "base/base.h"
#include "serve/serve.h"

/* Longest wait before the head of a stream is sent. Until then a failure is an
 * HTTP status, which every client understands; afterwards it is an event. */
#define SURETY__GATEWAY_HEAD_MS 10000
/* Time between two signs of life in a stream that waits. Proxies end a
 * connection that is silent for 60 seconds (nginx's proxy_read_timeout). */
#define SURETY__GATEWAY_PING_MS 15000
/* Contracts of requests that a worker keeps, and their bytes of text. */
#define SURETY__GATEWAY_KEPT_MAX 256
#define SURETY__GATEWAY_KEPT_BYTES_MAX ((size_t)32 << 20)
/* Re-asks that a request may ask for by a header: each is a paid call. */
#define SURETY__GATEWAY_RETRIES_MAX 10

typedef struct surety__worker surety__worker;

/* ---- settings.c: what a reload replaces ---------------------------------- */

/* A contract that is kept. */
typedef struct surety__kept {
    struct surety__kept *newer, *older;
    size_t users; /* the cache is one */
    uint32_t hash;
    surety_str key; /* 'N' and a name, or 'S', a name, NUL and a schema */
    surety_contract *contract;
} surety__kept;

typedef struct surety__settings {
    size_t users; /* the worker is one */
    const surety_alloc *alloc;
    surety_config *config;  /* with our keys */
    surety_config *keyless; /* for clients that bring their own */
    surety_registry *registry;
    surety__kept *newest, *oldest;
    size_t kept_count, kept_bytes;
} surety__settings;

/* Reads configuration and contracts. Statuses as surety_config_load. */
surety_status surety__settings_read(const surety_gateway_options *options,
                                    surety__settings **ret_settings,
                                    surety_error *reterr);
void surety__settings_leave(surety__settings *settings); /* takes NULL */
/* Gives the contract of this name. SURETY_END: there is none; statuses as
 * surety_registry_find. */
surety_status surety__settings_named(surety__settings *settings,
                                     surety_str name, surety__kept **ret_kept,
                                     surety_error *reterr);
/* Gives the contract that is this schema. SURETY_UNSUPPORTED: it has rules or
 * derived members, which are programs; statuses as surety_contract_read. */
surety_status surety__settings_schema(surety__settings *settings,
                                      surety_str name, surety_str schema,
                                      surety__kept **ret_kept,
                                      surety_error *reterr);
void surety__kept_leave(surety__settings *settings, surety__kept *kept);

/* ---- ask.c: what the client asks ----------------------------------------- */

typedef struct surety__ask {
    surety__arena *arena; /* the exchange's */
    surety__settings *settings;
    surety__route route;
    surety__model_request request;
    surety_doc *doc; /* the request's body */
    surety_conversation *conversation;
    surety__kept *kept; /* its contract; NULL: none */
    surety_model model; /* a copy, with the request's parameters */
    surety_doc *extra;  /* model.extra */
    bool has_named;     /* the contract is one of ours */
    bool brings_key;    /* the model is called with the client's key */
    bool has_repair;
    surety_repair repair;
    bool has_retries;
    uint32_t retries;
    bool reports;  /* the whole report is wanted */
    bool as_array; /* Gemini's stream as a JSON array */
} surety__ask;

/* Reads a request. *ret_problem describes why it is refused; its texts belong
 * to the arena or are constants. SURETY_SYNTAX: it is refused; SURETY_NOMEM. */
surety_status surety__ask_read(surety__ask *ask, const surety__serving *serving,
                               const surety_alloc *alloc,
                               surety__problem *ret_problem);
void surety__ask_done(surety__ask *ask);
/* Keeps the error's text as the problem of a refusal. Returns SURETY_SYNTAX;
 * SURETY_NOMEM. */
surety_status surety__ask_refuse(surety__ask *ask, int status, surety_str param,
                                 const surety_error *error,
                                 surety__problem *ret_problem);

/* params.c: the members of the request that are parameters of the model. Writes
 * them to ask->model and ask->extra. Statuses as surety__ask_read. */
surety_status surety__params_read(surety__ask *ask, const surety_alloc *alloc,
                                  surety__problem *ret_problem);

/* ---- exchange.c: one request --------------------------------------------- */

typedef struct surety__exchange {
    struct surety__exchange *next, *before;
    surety__worker *worker;
    surety__serving *serving;
    surety__arena arena;
    surety__ask ask;
    surety_run *run; /* NULL: refused before, or freed */
    surety_judge_options judge;
    surety__speech speech;
    surety_buf out; /* a stream's bytes; those from out_start on are to go */
    size_t out_start;
    uint64_t busy_us;    /* time that was not spent waiting for a model */
    uint64_t started_us; /* of the monotonic clock */
    uint64_t ping_ms;    /* when the next sign of life is due */
    uint64_t step_ms;    /* when the run is to be stepped at the latest */
    uint32_t attempt;    /* whose text was passed on; 0: none */
    int status;          /* of HTTP; 0: not answered */
    bool is_ready;       /* its transport gave the run something */
    bool has_speech;
    bool has_head; /* the head of a stream was sent */
    bool is_over;  /* out has the last bytes */
    bool is_cut;   /* the connection is cut behind them */
} surety__exchange;

/* The callbacks of the service. */
surety__flow surety__exchange_request(void *ctx, surety__serving *serving,
                                      uint32_t *ret_wait_ms);
surety__flow surety__exchange_pull(void *ctx, surety__serving *serving,
                                   surety__pull *pull);
void surety__exchange_ended(void *ctx, surety__serving *serving, bool whole);
/* Steps the run if there is something to do for it. Returns the time of the
 * monotonic clock at which it is to be called at the latest; UINT64_MAX: the
 * run has ended. */
uint64_t surety__exchange_step(surety__exchange *exchange, surety_now now);

/* ---- answer.c: what the client gets -------------------------------------- */

/* What a run that has ended means for the client. */
typedef struct surety__result {
    bool ok;
    surety__problem problem; /* where not ok */
    int64_t retry_after_ms;  /* -1: none */
    int should_retry;        /* x-should-retry: 1, 0, or -1: none */
} surety__result;

/* Reads the result of the run. Texts belong to the run, or to the arena. */
surety__result surety__answer_result(surety__exchange *exchange);
/* Gives the answer the run's id and the time. */
void surety__answer_name(surety__exchange *exchange);
/* Adds the parts of the answer to the speech: pieces to out, or NULL. */
void surety__answer_speak(surety__exchange *exchange, surety_buf *out);
surety__closing surety__answer_closing(const surety__exchange *exchange);
/* Appends the member "surety", without a comma. */
void surety__answer_about(const surety__exchange *exchange, surety_buf *out);
/* Answers with a text for a probe, and with the list of models. */
surety__flow surety__answer_plain(surety__exchange *exchange, int status,
                                  const char *text);
surety__flow surety__answer_models(surety__exchange *exchange);
/* Answers with a whole body: an error, or the run's result. */
surety__flow surety__answer_problem(surety__exchange *exchange,
                                    const surety__result *result);
surety__flow surety__answer_whole(surety__exchange *exchange);
/* Sends the head of a stream. */
surety__flow surety__answer_stream(surety__exchange *exchange);
/* Adds to a stream what there is to add, and its end. */
void surety__answer_continue(surety__exchange *exchange);

/* ---- access.c: the log of requests --------------------------------------- */

/* Writes the line of a request that has ended. */
void surety__gateway_log(const surety__exchange *exchange, bool whole);

/* ---- worker.c: one thread's loop ----------------------------------------- */

/* A transport that runs of this worker use. */
typedef struct surety__used {
    surety_transport *transport;
    size_t runs;
    int fd; /* that the server watches for it; -1: none */
} surety__used;

struct surety__worker {
    surety_gateway *gateway;
    surety__server *server;
    surety__settings *settings; /* of the next request */
    uint64_t generation;        /* of the settings */
    surety_ledger *ledger;      /* NULL: none */
    surety__exchange *exchanges;
    size_t count;
    surety__used *used;
    size_t used_count, used_cap;
    pthread_t thread;
    bool is_threaded;
    uint64_t step_ms; /* when the next run is to be stepped */
    bool has_news;    /* the server has an exchange to look at */
};

surety_status surety__worker_open(surety__worker *worker,
                                  surety_gateway *gateway, uint16_t port,
                                  surety_error *reterr);
void surety__worker_close(surety__worker *worker);
void *surety__worker_serve(void *ctx);
/* ---- used.c ---------------------------------------------------------------
 */

/* Counts a run's use of a transport, or its end. SURETY_NOMEM. */
surety_status surety__worker_use(surety__worker *worker,
                                 surety_transport *transport);
void surety__worker_leave(surety__worker *worker, surety_transport *transport);
/* Both clocks, now. */
surety_now surety__worker_now(void);

/* ---- gateway.c ----------------------------------------------------------- */

struct surety_gateway {
    surety_gateway_options options;
    surety__arena arena; /* the options' texts */
    surety__worker *workers;
    size_t count;
    uint16_t port;
    pthread_mutex_t log_lock;
    atomic_uint_fast64_t generation; /* raised by a reload */
    atomic_size_t requests;          /* under way */
    atomic_bool is_draining, is_stopping;
};

#endif
