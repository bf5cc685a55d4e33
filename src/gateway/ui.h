/* SPDX-License-Identifier: Apache-2.0 */
/* The page /ui and its questions. Calls go one way: ui.c (who may ask, and
 * what for) → desk.c (a thread of its own for what takes long) → ui_read.c (the
 * ledger) and ui_bench.c (the bench). */
#ifndef SURETY_GATEWAY_UI_H
#define SURETY_GATEWAY_UI_H

#include "gateway/gateway.h"

/* ---- the page's files ---------------------------------------------------- */

extern const surety__embedded surety__ui_files[];
extern const size_t surety__ui_files_count;

/* ---- leaves: questions and their answers as JSON ------------------------- */

/* Runs that a list has, the newest; more is a page that takes long to draw. */
#define SURETY__UI_RUNS_MAX 200
/* Attempts of one run, and bytes of one prompt or reply that are shown. */
#define SURETY__UI_ATTEMPTS_MAX 100
#define SURETY__UI_TEXT_MAX ((size_t)256 << 10)

/* Which runs; empty and 0: all. Texts belong to the document of the body. */
typedef struct surety__ui_question {
    surety_str run, model, contract;
    surety_str ending; /* surety_stats_ending_name, or "problem": not valid */
    int64_t since_ms;
} surety__ui_question;

surety__ui_question surety__ui_ask(surety_val body);

/* Append an object. Statuses as surety_stats_read, or the ledger's each. */
surety_status surety__ui_overview(const surety_ledger *ledger,
                                  const surety__ui_question *question,
                                  surety_buf *out, surety_error *reterr);
surety_status surety__ui_runs(const surety_ledger *ledger,
                              const surety__ui_question *question,
                              surety_buf *out, surety_error *reterr);
/* SURETY_END: the ledger has no such run. */
surety_status surety__ui_run(const surety_ledger *ledger,
                             const surety__ui_question *question,
                             surety_buf *out, surety_error *reterr);

/* Appends a JSON array of the errors that a ledger has of a reply, each with
 * its stretch of the reply, in bytes, where that is found. SURETY_NOMEM. */
surety_status surety__ui_place(surety_str reply,
                               const surety_entry_issue *errors, size_t count,
                               surety_buf *out);
/* Judges {"reply", "schema" (a text) or "contract" (a name), "repair"}. A
 * refusal of the schema fails with its position. */
surety_status surety__ui_check(surety_val body, surety_registry *registry,
                               surety_buf *out, surety_error *reterr);
/* Lists the contracts that the bench can name. */
surety_status surety__ui_contracts(surety_registry *registry, surety_buf *out,
                                   surety_error *reterr);

/* ---- desk.c -------------------------------------------------------------- */

/* Jobs that wait; one more is refused with 503. */
#define SURETY__DESK_JOBS_MAX 16

/* ORDER questions (names in ui.c). */
typedef enum surety__job_kind {
    JOB_OVERVIEW = 0,
    JOB_RUNS,
    JOB_RUN,
    JOB_CONTRACTS,
    JOB_CHECK,
    JOB_NOW /* answered by all workers, not by the desk's thread */
} surety__job_kind;

struct surety__job {
    surety__job *next;
    surety__exchange *exchange; /* NULL: its client hung up */
    surety__worker *worker;     /* the exchange's */
    surety__job_kind kind;
    surety_doc *body;
    surety_buf out;
    int status;
    size_t missing; /* JOB_NOW: workers that have not answered */
    uint64_t call;  /* JOB_NOW: its number */
    bool is_active; /* the desk's thread has it */
    bool is_done;
};

/* Makes a desk; its thread starts with its first job. SURETY_NOMEM. */
surety_status surety__desk_open(surety_gateway *gateway, surety_error *reterr);
/* Ends the thread, after the job that is worked on. The workers' threads must
 * have ended. */
void surety__desk_close(surety_gateway *gateway);
/* Frees the desk, after the last exchange. Takes none. */
void surety__desk_free(surety_gateway *gateway);
/* Takes the job, in any case. False: too many wait, or the thread cannot
 * start. */
bool surety__desk_put(surety_gateway *gateway, surety__job *job);
bool surety__desk_is_done(surety_gateway *gateway, const surety__job *job);
/* The exchange needs the job no longer. */
void surety__desk_leave(surety_gateway *gateway, surety__job *job);

#endif
