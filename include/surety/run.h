/* SPDX-License-Identifier: Apache-2.0 */
/* surety/run.h: the whole job: prompt, model, check, ask again, value.
 *
 *     surety_run_options options = {.size = sizeof(options),
 *                                   .contract = contract,
 *                                   .prompt = prompt,
 *                                   .models = &model, .model_count = 1};
 *     if (surety_run_new(&options, &run, &err) ||
 *         surety_run_wait(run, NULL, &err))
 *         return fail(err.message);
 *     info = surety_run_info_of(run);
 *     if (info->verdict == SURETY_RUN_VALID)
 *         use(surety_outcome_info_of(info->outcome)->value);
 *     surety_run_free(run);
 *
 * A run is a machine that is stepped with the time and with what its
 * transports bring; surety_run_wait is a loop around that for one run. Every
 * class of failure has its policy here (docs/run.md tells them), and one budget
 * covers all of it.
 *
 * Threads: a run is owned, and so are its models' transports and its ledger. */
#ifndef SURETY_RUN_MACHINE_H
#define SURETY_RUN_MACHINE_H

#include <surety/base.h>
#include <surety/contract.h>
#include <surety/ledger.h>
#include <surety/prompt.h>
#include <surety/provider.h>
#include <surety/reply.h>
#include <surety/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/* No time at all, where 0 stands for the default. */
#define SURETY_RUN_NONE UINT32_MAX

/* What a run may spend, in all its attempts together. 0: the default. It is
 * asked for before every call: calls and time are never overrun, tokens and
 * money by one reply at most, for its length is known only afterwards. */
typedef struct surety_budget {
    uint32_t calls_max;  /* 8: calls that were sent, retries too */
    uint64_t tokens_max; /* 1,000,000: input and output; a call whose usage
                          * nobody told counts by an estimate (bytes / 3) */
    uint64_t ms_max;     /* 1,200,000: twenty minutes on the wall */
    uint64_t cost_picousd_max; /* none; needs prices, else refused */
} surety_budget;

/* Calls that fail below the reply are repeated by themselves. 0: default. */
typedef struct surety_backoff {
    uint32_t retries_max; /* 3 in a row for one attempt; or SURETY_RUN_NONE */
    uint32_t first_ms;    /* 500; doubled each time, with full jitter */
    uint32_t most_ms;     /* 8,000 */
    uint32_t retry_after_max_ms; /* 60,000: a longer Retry-After is not waited
                                  * for: the next model, or the end */
} surety_backoff;

typedef enum surety_event_kind {
    SURETY_EVENT_ATTEMPT = 0, /* a call is about to be sent */
    SURETY_EVENT_TEXT,        /* a piece of the reply */
    SURETY_EVENT_REASONING,   /* a piece of the model's reasoning */
    SURETY_EVENT_DECISION     /* what was decided, as a sentence */
} surety_event_kind;
typedef struct surety_event {
    surety_event_kind kind;
    uint32_t attempt; /* from 1 */
    surety_str text;
} surety_event;

/* When a call is stopped whose reply cannot become valid any more.
 * ORDER stops (names in run/watch.c). */
typedef enum surety_stop {
    /* Once what is still to come is likely to cost more than another round
     * would: what is read on tells more errors at once. */
    SURETY_STOP_WEIGH = 0,
    SURETY_STOP_ALWAYS, /* at the first error that is certain */
    SURETY_STOP_NEVER   /* only where it runs away */
} surety_stop;
typedef struct surety_run_options {
    size_t size; /* sizeof(surety_run_options) */
    /* NULL: no schema, no instructions, no re-asks: the reply is the result. */
    const surety_contract *contract;
    surety_str system; /* may be empty */
    surety_str prompt;
    /* Put the format instructions into the system part. */
    bool instruct_system;
    const surety_prompt_options *prompt_options; /* NULL: the contract's */
    /* NULL: defaults; native is the run's. Its validators are asked once about
     * each value of a reply; what they refuse is re-asked for as anything else
     * is, and one that fails ends the run. */
    const surety_judge_options *judge;
    /* The first is asked first; the others in turn when a model is given up. */
    const surety_model *models;
    size_t model_count;
    surety_budget budget;
    surety_backoff backoff;
    /* Re-asks of each model after the first call; 0: as often as the contract
     * says; SURETY_RUN_NONE: never. */
    uint32_t retry_max;
    bool has_feedback; /* feedback instead of the contract's */
    surety_feedback feedback;
    /* A reply is checked while it is being written, and its call is stopped
     * when no continuation can satisfy the contract (as the member stop says),
     * or when it runs away (stream.h). With this also when the first value that
     * it begins cannot: another behind it is not waited for. */
    bool commit;
    /* Takes a record of each attempt; NULL: none. A ledger that cannot write
     * ends the run, unless ledger_optional. */
    surety_ledger *ledger;
    bool ledger_optional;
    /* Hears what goes on, from within step, wait and cancel; may read the run's
     * attempts and must not step, cancel or free it. Pieces of a reply come
     * before anything is known of its worth, or recorded. May be NULL. */
    void (*event)(void *ctx, const surety_event *event);
    void *event_ctx;
    uint64_t seed; /* of jitter and ids; 0: from the system */
    /* They bound every reply; a member that is 0 is the contract's. */
    const surety_limits *limits;
    const surety_alloc *alloc;
    /* Of the retries in a row, how many may repeat a call that failed after a
     * part of its reply had come; 0: 1, or SURETY_RUN_NONE. What came is paid
     * for, and so is each repetition; and what broke twice in the middle of
     * the same reply is likely to break there again (a proxy's time limit). */
    uint32_t broken_retries_max;
    surety_stop stop;
} surety_run_options;

/* How a run ended. ORDER verdicts (names in run/result.c). */
typedef enum surety_run_verdict {
    SURETY_RUN_PENDING = 0,
    SURETY_RUN_VALID,    /* a value that satisfies the contract, or without a
                          * contract a reply */
    SURETY_RUN_PARTIAL,  /* what there is of a reply that was cut off, where the
                          * contract or the judge's options take that: no reply
                          * is valid, and nothing more can be tried (the message
                          * says whether the budget was the reason) */
    SURETY_RUN_FALLBACK, /* the contract's fallback: likewise, and a reply was
                          * judged */
    SURETY_RUN_REJECTED, /* replies, but none that is valid */
    SURETY_RUN_REFUSED,  /* the model refuses, or a filter does */
    SURETY_RUN_PROVIDER, /* no model gave a reply */
    SURETY_RUN_BUDGET,   /* the budget was spent first */
    SURETY_RUN_LEDGER,   /* the ledger could not be written; what it has no
                          * record of is not given out */
    SURETY_RUN_CANCELLED,
    SURETY_RUN_VALIDATOR /* a validator of the host failed: its reply is neither
                          * valid nor the model's to mend */
} surety_run_verdict;
/* "pending", "valid", "partial", "fallback", "rejected", "refused", "provider",
 * "budget", "ledger", "cancelled", "validator"; never NULL. */
SURETY_API const char *surety_run_verdict_name(surety_run_verdict verdict);

typedef struct surety_run surety_run;

/* Checks and copies the options (what they point at must outlive the run) and
 * starts nothing. SURETY_MISUSE: no model, a model without a transport or with
 * a mode that its protocol has not, a budget of money with a model without a
 * price, ...; SURETY_IO: the system gives
 * no random bytes for a seed; SURETY_NOMEM. */
SURETY_API surety_status surety_run_new(const surety_run_options *options,
                                        surety_run **ret_run,
                                        surety_error *reterr);
/* Cancels what is under way. */
SURETY_API void surety_run_free(surety_run *run); /* takes NULL */

typedef struct surety_now {
    uint64_t monotonic_ms; /* for every delay and limit */
    int64_t unix_ms;       /* for records only; may jump */
} surety_now;

/* Does all that can be done now. OK: ended. MORE: call again when a transport
 * of its models told the run something (their wait returned) or a validator
 * that was not done has its answer, and at the latest in *ret_delay_ms. NOMEM:
 * out of memory; the run has ended, CANCELLED. now's monotonic clock starts
 * where the caller likes; it counts from the first step. */
SURETY_API surety_status surety_run_step(surety_run *run, surety_now now,
                                         uint32_t *ret_delay_ms,
                                         surety_error *reterr);
/* Steps with the system's clocks until the run has ended: OK, whatever the
 * verdict. Cancels it once *cancelled (may be NULL; set by a signal handler) is
 * not 0, within 100 ms. NOMEM, and what a transport's wait fails with: a
 * run whose exchange had ended by then goes on and has its verdict all the same
 * (a recorder that cannot write takes no answer away), any other ends with
 * CANCELLED. */
SURETY_API surety_status surety_run_wait(surety_run *run,
                                         const volatile int *cancelled,
                                         surety_error *reterr);
/* Ends it with CANCELLED; the exchange under way is closed and recorded. */
SURETY_API void surety_run_cancel(surety_run *run, surety_now now);

/* ---- results: the run's, good until it is freed ------------------------ */

/* What a run has come to. The texts are the run's; the struct is filled in
 * again by the next call of this. */
typedef struct surety_run_info {
    size_t size; /* sizeof(surety_run_info) of the library */
    surety_run_verdict verdict;
    surety_str message; /* "", or why there is no valid value: a sentence, */
    surety_str hint;    /* and what to do */
    /* The judgement of the last reply that could be judged, fallback included;
     * NULL where there was no contract or no such reply. */
    const surety_outcome *outcome;
    /* The first reply, and the last: text, or the structured value's JSON. */
    surety_str reply_first;
    surety_str reply_last;
    surety_usage usage; /* all that was spent; not known: partly an estimate */
    bool cost_known;    /* every model that was asked has a price */
    uint64_t cost_picousd;
    surety_str id; /* a UUID, made at the first step; empty before */
    size_t attempt_count;
} surety_run_info;
/* NULL: of no run. */
SURETY_API const surety_run_info *surety_run_info_of(const surety_run *run);

/* One call and what became of it. */
typedef struct surety_attempt {
    surety_str id;      /* a UUID */
    surety_str purpose; /* "ask", "retry", "re-ask", "patch" */
    const surety_model *model;
    surety_mode mode;
    surety_str prompt; /* the last message that was sent */
    surety_answer answer;
    bool judged; /* there is a report */
    bool ok;
    surety_stage stage;
    surety_str report; /* the JSON report (surety/report); empty: not judged */
    /* The run stopped the call for what it saw coming (stream.h's verdict;
     * OPEN: it did not), after so many bytes of the reply. It is judged by what
     * came. Its tokens are an estimate, and those that it did not cost are at
     * most so many; known where the model has a maximum. */
    surety_verdict stopped;
    uint64_t stopped_bytes;
    uint64_t stopped_tokens;
    bool saved_known;
    uint64_t saved_tokens;
    uint64_t started_ms; /* on the caller's monotonic clock; 0: never */
    uint64_t first_byte_ms, ended_ms;
    bool cost_known;
    uint64_t cost_picousd;
    surety_str decision; /* what was decided after it, and why */
    surety_str reason;   /* why it was made, and why in this mode */
    /* The value that its reply was refused for, as it was read, as JSON; of a
     * reply that was stopped, what had come of it. Empty where there is none,
     * or a longer one than attempt_raw_max. */
    surety_str candidate;
    size_t candidate_len; /* how long it is, there or not */
} surety_attempt;
/* The i-th of attempt_count; one without a model past the last. */
SURETY_API surety_attempt surety_run_attempt(const surety_run *run, size_t i);
/* Appends the run's report. JSON: the contract surety/report with the run's
 * members (verdict, attempts with their decisions, usage, cost), one object on
 * one line. The other forms: the report of the outcome, or the message
 * where there is none; TEXT and COLOR also the message and the log, unless the
 * run is VALID. No header of a request or response is in any of them. */
SURETY_API surety_status surety_run_write(const surety_run *run,
                                          surety_report form, surety_str source,
                                          surety_buf *out);
/* Appends the decision log for people: an attempt takes two lines, what it was
 * and what was decided after it. */
SURETY_API surety_status surety_run_write_log(const surety_run *run, bool color,
                                              surety_buf *out);

#ifdef __cplusplus
}
#endif
#endif
