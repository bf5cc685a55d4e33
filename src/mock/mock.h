/* SPDX-License-Identifier: Apache-2.0 */
/* The door of mock/, for its own files and its tests: scripts, plans, and a
 * mock without a thread. */
#ifndef SURETY_MOCK_MOCK_H
#define SURETY_MOCK_MOCK_H

#include <surety/mock.h>

#include "serve/serve.h"

/* ---- script.c: what is to be answered ------------------------------------ */

typedef struct surety__script_reply {
    surety_val val;  /* the object in the script */
    surety_str file; /* the text of its "file" */
    uint64_t left;   /* how often it may still be given; UINT64_MAX */
} surety__script_reply;

typedef struct surety__script {
    const surety_alloc *alloc;
    surety_doc *doc;
    surety_buf text; /* without its comments */
    surety__arena arena;
    surety_val root;
    surety_val defaults;
    surety__script_reply *replies;
    size_t reply_count;
    surety__script_reply *last; /* the one given last */
    bool repeats_last;
    uint64_t calls; /* so far */
} surety__script;

/* Reads and checks a script. files are read from folder. SURETY_SYNTAX with
 * position and path, SURETY_IO, SURETY_NOMEM. Call _done in any case. */
surety_status surety__script_read(surety__script *script, surety_str text,
                                  surety_str folder, const surety_alloc *alloc,
                                  surety_error *reterr);
void surety__script_done(surety__script *script);
/* A member of a reply, or of the script's defaults. */
surety_val surety__script_get(const surety__script *script,
                              const surety__script_reply *reply,
                              const char *name);

/* What "when" looks at. */
typedef struct surety__script_call {
    const surety__asked *asked;
    surety_str path;
    /* A header's value of the request; ptr NULL where absent. */
    surety_str (*header)(void *ctx, const char *name);
    void *header_ctx;
} surety__script_call;
/* The reply to a call, which it counts; NULL: the script has none left. */
surety__script_reply *surety__script_pick(surety__script *script,
                                          const surety__script_call *call);
/* The reply that a request that is no call would get: one whose "when" has its
 * path; NULL: there is none. Neither is counted: the caller takes one from what
 * is left. */
surety__script_reply *surety__script_pick_other(
    surety__script *script, const surety__script_call *request);
/* Who the last message of a call is from; empty: there is none. */
surety_str surety__asked_last(const surety__asked *asked);

/* ---- plan.c: an answer, step by step ------------------------------------- */

/* Bytes of the plan's text, so many times, each after a pause. */
typedef struct surety__playback_step {
    size_t start;
    size_t len;
    uint64_t repeat; /* UINT64_MAX: for ever */
    uint32_t delay_ms;
} surety__playback_step;

typedef struct surety__playback {
    surety__arena arena; /* headers */
    surety_buf bytes;
    surety__playback_step *steps;
    size_t step_count, step_cap;
    surety_status status; /* the first failure */
    surety__answer_kind kind;
    int http_status;
    surety_header *headers;
    size_t header_count;
    uint32_t delay_ms;    /* before the head */
    surety__flow hang_up; /* FLOW_CUT or FLOW_RESET: no answer at all */
    uint64_t cut_at, reset_at, stall_at; /* UINT64_MAX: never */
    uint32_t write_size;
    uint32_t write_delay_ms;
    bool split_utf8;
    bool is_endless;
    /* Where it is. */
    size_t step, at;
    uint64_t repeats, offset;
    bool is_waited;
    surety__flow last; /* what pull gave last */
} surety__playback;

void surety__playback_init(surety__playback *plan, const surety_alloc *alloc);
void surety__playback_done(surety__playback *plan);
/* number counts calls from 1 and makes the ids. as_array: Gemini's stream that
 * is no stream of events. The result is plan->status. */
typedef struct surety__playback_order {
    const surety__script *script;
    const surety__script_reply *reply;
    const surety__asked *asked;
    uint64_t number;
    bool as_array;
} surety__playback_order;
surety_status surety__playback_reply(surety__playback *plan,
                                     const surety__playback_order *order);
/* An error as the protocol tells it. */
surety_status surety__playback_problem(surety__playback *plan,
                                       surety_protocol protocol,
                                       const surety__problem *problem,
                                       uint64_t number);
/* A body of JSON that is in plan->bytes. */
surety_status surety__playback_body(surety__playback *plan,
                                    surety_protocol protocol, int status,
                                    uint64_t number);
/* Bytes of the whole body; UINT64_MAX: unknown. */
uint64_t surety__playback_size(const surety__playback *plan);
/* As the service's. */
surety__flow surety__playback_pull(surety__playback *plan, surety__pull *pull);

/* ---- mock.c -------------------------------------------------------------- */

/* As surety_mock_open, but nothing moves without surety__mock_step. */
surety_status surety__mock_new(surety_str script,
                               const surety_mock_options *options,
                               surety_mock **ret_mock, surety_error *reterr);
void surety__mock_step(surety_mock *mock, uint32_t timeout_ms);

#endif
