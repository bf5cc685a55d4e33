/* SPDX-License-Identifier: Apache-2.0 */
/* The door of gateway/. Calls go one way: gateway.c (threads) → worker.c (one
 * thread's loop) → exchange.c (one request) → ask.c (what the client asks) and
 * answer.c (what it gets).
 *
 * Invariants:
 * 1. An exchange belongs to one worker, and only that worker's thread touches
 *    it. Workers share nothing that changes but the counters of the gateway.
 * 2. No part of a value leaves before the contract allows it.
 * 3. An exchange keeps its settings: a reload changes the next request.
 * 4. Rows of the ledger are durable before a byte of their call leaves, and
 *    complete before the answer does (rows.c). */
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
#include <surety/tool.h>

#include "base/base.h"
#include "gateway/guard.h"
#include "gateway/keeper.h"
#include "gateway/telemetry.h"
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
/* Bytes of a request's tag: as many as log and statistics keep of a text. */
#define SURETY__GATEWAY_TAG_MAX 200
/* Memory of ended requests that a worker keeps for the next ones: of some fifty
 * at once. */
#define SURETY__GATEWAY_STOCK_BYTES ((size_t)2 << 20)
/* Output tokens that are reserved for a call that says no maximum. */
#define SURETY__GATEWAY_OUTPUT_TOKENS 4096

typedef struct surety__worker surety__worker;
typedef struct surety__desk surety__desk;
typedef struct surety__job surety__job;

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
    atomic_uint_fast64_t *turns; /* the gateway's */
} surety__settings;

/* Reads configuration and contracts. Statuses as surety_config_load. */
surety_status surety__settings_read(surety_gateway *gateway,
                                    surety__settings **ret_settings,
                                    surety_error *reterr);
void surety__settings_leave(surety__settings *settings); /* takes NULL */
/* The index of a model of the configuration; SIZE_MAX: it is none. */
size_t surety__settings_model(const surety__settings *settings,
                              surety_str name);
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
/* Whether a name can only be a contract's: a registry takes the path of a file
 * too, but a client must not name one. */
bool surety__contract_is_name(surety_str name);
/* Whether a contract has programs of jq, which only its owner may write. */
bool surety__contract_has_programs(const surety_contract *contract);
void surety__kept_leave(surety__settings *settings, surety__kept *kept);

/* ---- ask.c: what the client asks ----------------------------------------- */

/* Its functions, where their calls are checked (tools.c). */
typedef struct surety__ask_tools {
    surety_tools *set;   /* NULL: none */
    surety__kept **kept; /* their contracts; NULL: no arguments */
    size_t kept_count, kept_cap;
    bool single; /* a reply may call one only */
    /* The request has parts that are not known here. It is passed on, but its
     * response is held back until the calls of these tools were judged. */
    bool is_beside;
} surety__ask_tools;

/* How a stream is given out. */
typedef struct surety__ask_giving {
    bool is_asked;  /* the header Surety-Stream was given */
    bool is_chosen; /* it was, or the gateway's options say it */
    surety_run_output output;
    bool as_array; /* Gemini's stream as a JSON array */
} surety__ask_giving;

/* The route whose name it has, and the model of it that is asked first. */
typedef struct surety__ask_way {
    const surety_config_route *route; /* NULL: none */
    size_t first;
} surety__ask_way;

/* An object of a provider that it is for (object.c). */
typedef struct surety__ask_object {
    const surety_config_passed *passed; /* NULL: none */
    surety_str path; /* below the base URL; when it was read, with the query */
    bool is_upload;  /* upload.c */
    surety_str url;  /* of the gateway, for the bytes of an upload; or empty */
} surety__ask_object;

/* What is said of it besides its answer. */
typedef struct surety__ask_account {
    surety_str tag; /* the client's name of its work; may be empty */
    /* The member of a request with tools that keeps the calls of its functions
     * from being checked; empty: they are. */
    surety_str unchecked;
    bool reports; /* the whole report is wanted */
} surety__ask_account;

typedef struct surety__ask {
    surety__arena *arena; /* the exchange's */
    surety__settings *settings;
    surety__route route;
    surety__model_request request;
    surety_doc *doc; /* the request's body */
    surety_conversation *conversation;
    surety__kept *kept; /* its contract; NULL: none */
    surety__ask_tools tools;
    surety_model model; /* a copy, with the request's parameters */
    surety_doc *extra;  /* model.extra */
    /* Where the name is a route's: the models after the first, with their
     * extra; and how many models have their transport in use. */
    surety__ask_way way;
    surety_model *others;
    surety_doc **extras;
    size_t other_count, used_count;
    bool has_named;  /* the contract is one of ours */
    bool brings_key; /* the model is called with the client's key */
    bool has_repair;
    surety_repair repair;
    surety__ask_giving giving;
    surety__ask_account account;
    uint32_t retries;  /* as surety_run_options.retry_max */
    bool has_own_keys; /* the client's key is one of the gateway's */
    bool passes;       /* the request is passed on (pass.c) */
    bool has_twice;    /* a name is twice in an object of the body */
    surety__ask_object object;
} surety__ask;

/* Reads a request. *ret_problem describes why it is refused; its texts belong
 * to the arena or are constants. SURETY_SYNTAX: it is refused; SURETY_NOMEM. */
surety_status surety__ask_read(surety__ask *ask, const surety__serving *serving,
                               const surety_alloc *alloc,
                               surety__problem *ret_problem);
void surety__ask_done(surety__ask *ask);
/* The client's key, from where its protocol has it. ptr NULL: none. */
surety_str surety__ask_key(const surety__ask *ask,
                           const surety__serving *serving);
/* refuse.c: keeps the error's text as the problem of a refusal. Returns
 * SURETY_SYNTAX; SURETY_NOMEM. */
surety_status surety__ask_refuse(surety__ask *ask, int status, surety_str param,
                                 const surety_error *error,
                                 surety__problem *ret_problem);

/* The text of a schema as JSON, in the arena; is_openapi: it has the form of
 * openapi.c. SURETY_NOMEM. */
surety_status surety__ask_schema(surety__ask *ask, surety_val schema,
                                 bool is_openapi, surety_str *ret_text);

/* openapi.c: appends a schema in Gemini's own form as JSON Schema.
 * SURETY_NOMEM, SURETY_LIMIT. */
surety_status surety__openapi_write(surety_val schema,
                                    const surety_alloc *alloc, surety_buf *out);

/* tools.c: declares the request's functions. Statuses as surety__ask_read. */
surety_status surety__ask_declare(surety__ask *ask, const surety_alloc *alloc,
                                  surety__problem *ret_problem);
/* Declares the functions among tools that are not all known here, and sets
 * is_beside. Where there is none, or two have one name, none is declared.
 * SURETY_NOMEM. */
surety_status surety__ask_declare_beside(surety__ask *ask,
                                         const surety_alloc *alloc);
void surety__ask_undeclare(surety__ask *ask, const surety_alloc *alloc);

/* params.c: the members of the request that are parameters of the model. Writes
 * them to ask->model and ask->extra. Statuses as surety__ask_read. */
surety_status surety__params_read(surety__ask *ask, const surety_alloc *alloc,
                                  surety__problem *ret_problem);

/* ---- route.c: names for several models ----------------------------------- */

/* The name of the model that is asked first. */
surety_str surety__route_first(surety__ask *ask);
/* Makes the models that follow. SURETY_NOMEM. */
surety_status surety__route_follow(surety__ask *ask, const surety_alloc *alloc);
/* The same of a request that is passed on: those that take it as it is. */
surety_status surety__route_pass(surety__ask *ask);
/* Whether each model of the route takes the request as it is. */
bool surety__route_is_alike(const surety__ask *ask);
void surety__route_done(surety__ask *ask);
/* All models in their order; NULL: out of memory. */
const surety_model *surety__route_models(surety__ask *ask, size_t *ret_count);
/* Counts the use of their transports, as far as it gets. SURETY_NOMEM. */
surety_status surety__route_use(surety__worker *worker, surety__ask *ask);
void surety__route_leave(surety__worker *worker, surety__ask *ask);

/* ---- object.c: requests for what a provider keeps ------------------------ */

/* Whether a path may go on to a provider: every server reads it alike. */
bool surety__object_is_path(surety_str path);
/* Whether a name of surety.json ("/files", or "/files/" and a star) has the
 * path. */
bool surety__object_is_named(surety_str name, surety_str path);
/* SURETY_SYNTAX with the file's position: a call is named, a path with a prefix
 * of clients, or one that two providers would get. */
surety_status surety__objects_check(const surety_config_info *info,
                                    surety_error *reterr);
/* Whose name has a path below the base URL, for a client of this protocol;
 * NULL: the request is not passed on. */
const surety_config_passed *surety__object_find(const surety_config_info *info,
                                                surety_protocol protocol,
                                                surety_str path);
/* Makes the route of a request that has none that of an object, if its path is
 * named. */
void surety__object_route(surety__ask *ask, const surety__serving *serving);
/* Adds the query to the path. Statuses as surety__ask_read. */
surety_status surety__object_target(surety__ask *ask,
                                    const surety__serving *serving,
                                    surety__problem *ret_problem);

/* ---- upload.c: uploads of Gemini's clients ------------------------------- */

/* Whether it names uploads, and so nothing below the base URL. */
bool surety__upload_names(const surety_config_passed *passed);
/* Whose name has the path of an upload, and what of it stands behind the
 * provider's base URL for uploads; NULL: it is none. */
const surety_config_passed *surety__upload_find(surety__ask *ask,
                                                surety_str path,
                                                surety_str *ret_below);
/* Sets the model's base URL to that for uploads. SURETY_NOMEM. */
surety_status surety__upload_target(surety__ask *ask);
/* Whether it is the header with the URL for the bytes. */
bool surety__upload_is_url(surety_str name);

/* ---- exchange.c: one request --------------------------------------------- */

/* Rows in the ledger that are not durable yet (rows.c). */
typedef struct surety__owed {
    bool waits;   /* for the next flush */
    bool is_lost; /* rows could not be written: */
    surety_str why;
} surety__owed;

typedef struct surety__exchange {
    struct surety__exchange *next, *before;
    surety__worker *worker;
    surety__serving *serving;
    surety__arena arena;
    surety__ask ask;
    surety_run *run;        /* NULL: refused before, or freed */
    surety__ticket *ticket; /* NULL: there are no keys */
    surety__visit visit;
    surety__job *job; /* a question of the page; NULL: none */
    surety_judge_options judge;
    surety__speech speech;
    surety_buf out; /* a stream's bytes; those from out_start on are to go */
    size_t out_start;
    uint64_t busy_us;    /* time that was not spent waiting for a model */
    uint64_t started_us; /* of the monotonic clock */
    surety__notes notes;
    uint64_t ping_ms; /* when the next sign of life is due */
    uint64_t step_ms; /* when the run is to be stepped at the latest */
    uint32_t attempt; /* whose text was passed on; 0: none */
    int status;       /* of HTTP; 0: not answered */
    bool is_ready;    /* its transport gave the run something */
    bool has_speech;
    bool is_over; /* out has the last bytes */
    bool is_cut;  /* the connection is cut behind them */
    surety__owed owed;
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

/* Headers of an answer: those of a response that is passed on, and our own. */
enum { SURETY__ANSWER_HEADERS_OWN = 12, SURETY__ANSWER_HEADERS_MAX = 48 };
typedef struct surety__answer_head {
    surety_header headers[SURETY__ANSWER_HEADERS_MAX];
    size_t count;
    char numbers[SURETY__ANSWER_HEADERS_MAX][24];
} surety__answer_head;
/* Whether it takes one more besides our own. */
bool surety__answer_has_room(const surety__answer_head *head);
void surety__answer_add(surety__answer_head *head, const char *name,
                        surety_str value);
/* Notes that the head of an answer goes out. */
void surety__answer_begun(surety__exchange *exchange, int status);
/* Adds the headers that say what became of a request. */
void surety__answer_add_run(surety__answer_head *head,
                            const surety__exchange *exchange);

/* Reads the result of the run. Texts belong to the run, or to the arena. */
surety__result surety__answer_result(surety__exchange *exchange);
/* Gives the answer the run's id and the time. */
void surety__answer_name(surety__exchange *exchange);
/* The part of the answer that a contract's value is. */
surety__speech_part surety__answer_part(const surety__exchange *exchange);
/* Adds the parts of the answer to the speech: pieces to out, or NULL. */
void surety__answer_speak(surety__exchange *exchange, surety_buf *out);
surety__closing surety__answer_closing(const surety__exchange *exchange);
/* Appends the member "surety", without a comma. */
void surety__answer_about(const surety__exchange *exchange, surety_buf *out);
/* Answers with a text of a type, and with the list of models. */
surety__flow surety__answer_plain(surety__exchange *exchange, int status,
                                  const char *type, surety_str text);
surety__flow surety__answer_models(surety__exchange *exchange);
/* Answers with a whole body: an error, or the run's result. */
surety__flow surety__answer_problem(surety__exchange *exchange,
                                    const surety__result *result);
surety__flow surety__answer_whole(surety__exchange *exchange);
/* Sends the head of a stream. */
surety__flow surety__answer_stream(surety__exchange *exchange);
/* Adds to a stream what there is to add, and its end. */
void surety__answer_continue(surety__exchange *exchange);

/* ---- pass.c: requests that are passed on ----------------------------------
 */

/* Whether the model takes the client's own bytes. */
bool surety__pass_takes(const surety__ask *ask, const surety_model *model);
/* Whether a call can be passed on: there is nothing to check. */
bool surety__pass_fits(const surety__ask *ask);
/* Whether a call that cannot be checked may be passed on all the same: its
 * client names no schema, lets the model choose its tools, and asks for no
 * check by a header. */
bool surety__pass_instead(const surety__ask *ask);
/* Whether a call with parts that are not known here may be passed on with a
 * check of its functions: its client asks for nothing that needs more. */
bool surety__pass_beside(const surety__ask *ask);
/* Whether the response goes to the client as it comes: nothing is checked. */
bool surety__pass_copies(const surety__ask *ask);
/* Gives the models of the client's protocol the headers of the request that
 * mean something to a provider, and tells them whether a request that is passed
 * on asks for a stream. SURETY_NOMEM. */
surety_status surety__pass_headers(surety__ask *ask,
                                   const surety__serving *serving);
/* Makes the options of a run those of a request that is passed on. */
void surety__pass_options(const surety__ask *ask,
                          const surety__serving *serving,
                          surety_run_options *options);
void surety__pass_event(surety__exchange *exchange, const surety_event *event);
surety__flow surety__pass_answer(surety__exchange *exchange);
/* Sets the URL that the client of an upload gets, if its answer has one. False:
 * the answer has one that must not be given out. */
bool surety__upload_learn(surety__exchange *exchange,
                          const surety_run_response_info *info);
/* Ends the stream when the response has ended. False: the run has ended without
 * a response that may be given out. */
bool surety__pass_continue(surety__exchange *exchange);
/* Whether the response is held back until it is checked, or was, and there is
 * none. */
bool surety__pass_is_held(const surety__exchange *exchange);

/* ---- rows.c: rows in the ledger ------------------------------------------ */

/* Before and after a run is stepped: notes whether it wrote rows that are not
 * durable yet. */
size_t surety__rows_open(surety__worker *worker);
void surety__rows_close(surety__exchange *exchange, size_t waiting);
/* Makes all rows durable. Requests whose rows could not be written end. */
void surety__rows_flush(surety__worker *worker);

/* ---- admit.c: keys --------------------------------------------------------
 */

/* Finds the client's key. True: the request may go on; false: *ret_flow is WAIT
 * until surety__admit_is_due, or the answer was given. */
bool surety__admit_key(surety__exchange *exchange, surety__flow *ret_flow);
/* Reserves what the request, which was read, may use; as surety__admit_key. */
bool surety__admit_use(surety__exchange *exchange, surety__flow *ret_flow);
bool surety__admit_is_due(const surety__exchange *exchange);
/* Whether the ticket is there, and the keeper does not have it. */
bool surety__admit_knows(const surety__exchange *exchange);
/* The id of the client's key; empty: it is not known. */
surety_str surety__admit_id(const surety__exchange *exchange);
/* Whether the client may see what others did: there are no keys, or it has one
 * of the role admin. */
bool surety__admit_is_admin(const surety__exchange *exchange);
/* Bounds the run by what was reserved. */
void surety__admit_bound(const surety__exchange *exchange,
                         surety_run_options *options);
/* Counts what the run, which has ended, used; only once. */
void surety__admit_settle(surety__exchange *exchange);

/* ---- guard.c: models that are busy, or do not work ------------------------
 */

/* The run's allow, with an exchange as ctx. */
surety_status surety__guard_allow(void *ctx, const surety_model *model,
                                  uint32_t call, surety_error *reterr);
/* Looks whether the call of the run has ended. Call it after each step, and
 * after a cancel. */
void surety__guard_look(surety__exchange *exchange);
void surety__guards_free(surety_gateway *gateway);
/* Appends the figures of the guards to the metrics. */
void surety__guards_write(surety_gateway *gateway, surety_buf *out);

/* ---- record.c, telemetry.c: log, metrics and traces ---------------------- */

/* The record of a request that has ended. Its texts belong to the exchange. */
surety__request_record surety__record_of(surety__exchange *exchange,
                                         bool whole);
/* Begins the trace of a request. */
void surety__telemetry_begin(surety__exchange *exchange);
/* Adds the trace to the headers of the model, where the client has one or there
 * is a collector. False: out of memory. */
bool surety__telemetry_pass(surety__exchange *exchange);
/* Logs and counts a request that has ended. */
void surety__telemetry_end(surety__exchange *exchange, bool whole);
/* Appends the metrics of all workers. SURETY_NOMEM. */
surety_status surety__telemetry_write(surety_gateway *gateway, surety_buf *out);
/* Opens and closes what a worker has of it. Statuses as surety__exporter_new.
 */
surety_status surety__telemetry_open(surety__worker *worker,
                                     surety_error *reterr);
void surety__telemetry_close(surety__worker *worker);
/* Sends the spans that are due. Returns when to call it again; UINT64_MAX: when
 * the transport moved or a request has ended. */
uint64_t surety__telemetry_step(surety__worker *worker, uint64_t now_ms,
                                bool flush);

/* ---- processors.c --------------------------------------------------------
 */

/* Returns count, or how many processors control groups leave to this process
 * where they are less; at least one. groups: the folder of the control groups;
 * self: the file that names this process's own. */
uint32_t surety__processors(const char *groups, const char *self,
                            uint32_t count);

/* ---- worker.c: one thread's loop ----------------------------------------- */

/* A transport that runs of this worker use. */
typedef struct surety__used {
    surety_transport *transport;
    size_t runs;
    int fd; /* that the server watches for it; -1: none */
} surety__used;

/* As many as the system gives at once: those of eight requests. */
#define SURETY__WORKER_RANDOM 256

struct surety__worker {
    surety_gateway *gateway;
    surety__server *server;
    surety__settings *settings;        /* of the next request */
    _Atomic(surety__settings *) fresh; /* of a reload; NULL: they are taken */
    surety_ledger *ledger;             /* NULL: none */
    surety_str ledger_url;             /* empty: none */
    uint64_t lost_ms; /* when it is tried again whether rows can be written; 0:
                       * they can */
    surety__telemetry telemetry;
    unsigned char random[SURETY__WORKER_RANDOM]; /* the last ones are left */
    size_t random_left;
    surety__stock stock; /* memory of its requests and connections */
    surety__exchange *exchanges;
    surety__used *used;
    size_t used_count, used_cap;
    atomic_size_t busy; /* connections with a request, while it drains */
    pthread_t thread;
    bool is_threaded;
    uint64_t step_ms; /* when the next run is to be stepped */
    uint64_t called;  /* calls of the desk that it answered */
    bool has_news;    /* the server has an exchange to look at */
};

/* The database of the ledger; empty: none. */
surety_str surety__worker_ledger(const surety__worker *worker);
/* sockets: as many as the gateway has listeners; the worker takes them. */
surety_status surety__worker_open(surety__worker *worker,
                                  surety_gateway *gateway, const int *sockets,
                                  surety_error *reterr);
void surety__worker_close(surety__worker *worker);
/* Does what can be done, and waits at most timeout_ms for more. */
void surety__worker_turn(surety__worker *worker, uint32_t timeout_ms);
/* How long a turn may wait. */
uint32_t surety__worker_wait_ms(const surety__worker *worker);
void *surety__worker_serve(void *ctx); /* a thread's turns */
/* random.c: gives len random bytes, at most 256. False: the system gives none.
 */
bool surety__worker_random(surety__worker *worker, void *out, size_t len);
/* ---- used.c ---------------------------------------------------------------
 */

/* Counts a run's use of a transport, or its end. SURETY_NOMEM. */
surety_status surety__worker_use(surety__worker *worker,
                                 surety_transport *transport);
void surety__worker_leave(surety__worker *worker, surety_transport *transport);
/* Ends the waits of all workers. */
void surety__gateway_wake(surety_gateway *gateway);
/* Both clocks, now. */
surety_now surety__worker_now(void);

/* ---- ui.c, desk.c: the page /ui -------------------------------------------
 */

/* Whether the request is for the page, and its answer: FLOW_WAIT: it became a
 * job, which surety__ui_step looks at and surety__ui_answer answers. */
bool surety__ui_takes(const surety__exchange *exchange);
surety__flow surety__ui_request(surety__exchange *exchange);
void surety__ui_step(surety__exchange *exchange);
surety__flow surety__ui_answer(surety__exchange *exchange);
void surety__ui_leave(surety__exchange *exchange);
/* Lists the requests under way, if the page asks. */
void surety__desk_report(surety__worker *worker);

/* ---- gateway.c ----------------------------------------------------------- */

struct surety_gateway {
    surety_gateway_options options;
    surety__tls *tls;    /* NULL: plain */
    surety__arena arena; /* the options' texts, and the places */
    surety__listen_place listeners[SURETY__SERVE_SOCKETS_MAX];
    surety_str places[SURETY__SERVE_SOCKETS_MAX];
    size_t listener_count;
    surety__worker *workers;
    surety__desk *desk; /* NULL: there is no page */
    size_t count;
    pthread_mutex_t log_lock;
    pthread_mutex_t guard_lock;
    surety__guard *guards;
    size_t guard_count;
    int64_t started_ms;         /* Unix time */
    surety__keeper *keeper;     /* NULL: clients bring keys of providers */
    atomic_size_t requests;     /* under way */
    atomic_size_t connections;  /* open */
    atomic_size_t unwritten;    /* workers whose rows cannot be written */
    atomic_uint_fast64_t turns; /* requests that a route was drawn for */
    atomic_bool is_leaving, is_draining, is_stopping;
};

#endif
