/* SPDX-License-Identifier: Apache-2.0 */
/* The internal interface of mock/, for its own files and its tests: scripts,
 * plans, and a mock without a thread. */
#ifndef SURETY_MOCK_MOCK_H
#define SURETY_MOCK_MOCK_H

#include <surety/mock.h>

#include "serve/serve.h"

/* ---- script.c: the replies to give --------------------------------------- */

typedef struct surety__script_reply {
    surety_val val;  /* the reply's object in the script */
    surety_str file; /* the content of its "file" */
    uint64_t left;   /* uses left; UINT64_MAX: no limit */
} surety__script_reply;

typedef struct surety__script {
    const surety_alloc *alloc;
    surety_doc *doc;
    surety_str original; /* the script, while it is read */
    surety_buf text;     /* the same, comments blanked out */
    surety__arena arena;
    surety_val root;
    surety_val defaults;
    surety__script_reply *replies;
    size_t reply_count;
    surety__script_reply *last; /* the reply given last */
    bool repeats_last;
    uint64_t calls; /* calls so far */
} surety__script;

/* Reads and checks a script. Files that it names are read from folder.
 * SURETY_SYNTAX with position and path, SURETY_IO, SURETY_NOMEM. Call _done in
 * any case. */
surety_status surety__script_read(surety__script *script, surety_str text,
                                  surety_str folder, const surety_alloc *alloc,
                                  surety_error *reterr);
void surety__script_done(surety__script *script);
/* A member of a reply; where the reply lacks it, of the script's defaults. */
surety_val surety__script_get(const surety__script *script,
                              const surety__script_reply *reply,
                              const char *name);

/* Whether val is the text, or an array that contains it. */
bool surety__script_names(surety_val val, surety_str text);

/* The properties of a request that "when" can match. */
typedef struct surety__script_call {
    const surety__model_request *request;
    surety_str path;
    /* The value of a header of the request; ptr NULL: absent. */
    surety_str (*header)(void *ctx, const char *name);
    void *header_ctx;
} surety__script_call;
/* Picks the reply to a call, counts the call, and takes one use of the reply.
 * NULL: the script has no reply left that fits. */
surety__script_reply *surety__script_pick(surety__script *script,
                                          const surety__script_call *call);
/* Finds the first reply that fits. by_path: for a request that is no call, one
 * whose "when" has its path. NULL: there is none. It counts nothing: the caller
 * decrements `left` when it gives the reply. */
surety__script_reply *surety__script_find(surety__script *script,
                                          const surety__script_call *call,
                                          bool by_path);
/* The author of a call's last message; empty: there is no message. */
surety_str surety__request_last(const surety__model_request *request);

/* ---- plan.c: an answer, step by step ------------------------------------- */

/* A stretch of the plan's bytes, with how often it is sent and the delay before
 * each time. */
typedef struct surety__playback_step {
    size_t start;
    size_t len;
    uint64_t repeat; /* UINT64_MAX: without end */
    uint32_t delay_ms;
} surety__playback_step;

typedef struct surety__playback {
    surety_protocol protocol;
    uint64_t number;     /* part of the ids */
    surety__arena arena; /* holds the headers */
    surety_buf bytes;
    surety__playback_step *steps;
    size_t step_count, step_cap;
    surety_status status; /* the first failure */
    surety__answer_kind kind;
    int http_status;
    surety_header *headers;
    size_t header_count;
    uint32_t delay_ms;    /* before the response head */
    surety__flow hang_up; /* FLOW_CUT or FLOW_RESET: no response */
    uint64_t cut_at, reset_at, stall_at; /* offsets; UINT64_MAX: none */
    uint32_t write_size;
    uint32_t write_delay_ms;
    bool split_utf8;
    bool is_endless;
    /* The position of the playback. */
    size_t step, at;
    uint64_t repeats, offset;
    bool is_waited;
    surety__flow last; /* the last result of _pull */
} surety__playback;

void surety__playback_init(surety__playback *plan, const surety_alloc *alloc);
void surety__playback_done(surety__playback *plan);
/* number counts calls from 1. as_array: the form of a Gemini stream without
 * alt=sse, a JSON array in place of events. The result is plan->status. */
typedef struct surety__playback_order {
    const surety__script *script;
    const surety__script_reply *reply;
    const surety__model_request *request;
    uint64_t number;
    bool as_array;
} surety__playback_order;
surety_status surety__playback_reply(surety__playback *plan,
                                     const surety__playback_order *order);
/* Plans an error in the form of plan->protocol. */
surety_status surety__playback_problem(surety__playback *plan,
                                       const surety__problem *problem);
/* Plans plan->bytes as a JSON body. */
surety_status surety__playback_body(surety__playback *plan, int status);
/* The size of the whole body in bytes; UINT64_MAX: unknown. */
uint64_t surety__playback_size(const surety__playback *plan);
/* The pull callback of surety__service. */
surety__flow surety__playback_pull(surety__playback *plan, surety__pull *pull);

/* ---- mock.c -------------------------------------------------------------- */

/* As surety_mock_open, but without a thread: only surety__mock_step does any
 * work. */
surety_status surety__mock_new(surety_str script,
                               const surety_mock_options *options,
                               surety_mock **ret_mock, surety_error *reterr);
void surety__mock_step(surety_mock *mock, uint32_t timeout_ms);

#endif
