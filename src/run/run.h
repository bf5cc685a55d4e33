/* SPDX-License-Identifier: Apache-2.0 */
/* The door of run/: the values that make up a run, and the functions that
 * run.c calls in order.
 *
 * Invariants:
 * 1. The values are divided by how long they live: the configuration (setup,
 *    which does not change), the progress of the run (position), the next call
 *    (plan), the current exchange and its judgement (judging), and the results
 *    (log, findings, spent, judged, end).
 * 2. Only run.c takes a whole run. Every other function takes the values that
 *    it needs, and does not depend on what runs before or after it. */
#ifndef SURETY_RUN_RUN_H
#define SURETY_RUN_RUN_H

#include <surety/json.h>
#include <surety/ledger.h>
#include <surety/prompt.h>
#include <surety/provider.h>
#include <surety/reply.h>
#include <surety/run.h>
#include <surety/stream.h>
#include <surety/strict.h>
#include <surety/tool.h>

#include "base/base.h"
#include "provider/provider.h"
#include "tool/tool.h"

/* The states of the machine. ORDER states (run.c). */
typedef enum surety__run_state {
    STATE_NEW = 0,   /* nothing done */
    STATE_DUE,       /* a call is prepared, and sent at due_ms */
    STATE_UNDER_WAY, /* it is sent */
    STATE_ANSWERED,  /* its exchange has ended */
    STATE_STEPS,     /* tools that its reply calls are under way */
    STATE_ENDED
} surety__run_state;

/* The reason for a call. ORDER purposes (names in attempt.c). */
typedef enum surety__purpose {
    PURPOSE_ASK = 0, /* the first call to a model or in a mode */
    PURPOSE_RETRY,   /* the same call again */
    PURPOSE_REASK,   /* a new call that lists the errors */
    PURPOSE_PATCH,   /* a new call that asks for a patch */
    PURPOSE_STEP,    /* the conversation goes on with results of tools */
    PURPOSE_SHORTER, /* the last reply was cut off, or ran away */
    PURPOSE_RECALL   /* the conversation goes on with what was wrong in calls */
} surety__purpose;

/* The result of a call: a failure of the provider's enum, or one of these.
 * ORDER cases (decide.c). */
typedef enum surety__case {
    CASE_VALID = SURETY_FAILURE_NONE,
    CASE_EXTRACTION = SURETY_FAILURE_COUNT,
    CASE_JSON_PARSE,
    CASE_VALIDATION,
    CASE_REPEATED,  /* the errors of the last reply again */
    CASE_CUT,       /* it ends before its value does, and may be kept as a
                     * partial value */
    CASE_RUNAWAY,   /* it repeated itself without end and was stopped */
    CASE_PATCH,     /* the patch is not valid, or does not apply */
    CASE_UNJUDGED,  /* the reply exceeds what can be judged */
    CASE_UNSENT,    /* no request can be made for the call */
    CASE_VALIDATOR, /* a validator of the host failed */
    CASE_CALLS,     /* it calls tools */
    CASE_DECLARED,  /* it calls declared tools, with valid arguments */
    CASE_ARGUMENTS, /* ... and a call is wrong */
    CASE_UNCALLED,  /* it has to call a tool, and does not */
    CASE_PASSED,    /* its response is passed on */
    CASE_COUNT
} surety__case;

/* The next step. ORDER actions (run.c). */
typedef enum surety__action {
    ACTION_END = 0,
    ACTION_ACCEPT,
    ACTION_RETRY,       /* the same call, after a delay */
    ACTION_RETRY_ASKED, /* the same call, if the provider says it will help */
    ACTION_REASK,
    ACTION_SHORTER,
    ACTION_WHOLE,      /* the prompt again, with a note on the last reply */
    ACTION_MODE,       /* the prompt again, in the next lower mode */
    ACTION_MODE_REASK, /* the next lower mode, with the errors */
    ACTION_MODEL,      /* the prompt again, to the next model */
    ACTION_RECALL      /* the conversation, with what was wrong in the calls */
} surety__action;

/* ---- configuration ------------------------------------------------------- */

/* Does not change after surety_run_new has returned. */
typedef struct surety__setup {
    surety_run_options options; /* the defaults filled in */
    /* Copies of what the options point to. */
    surety_judge_options judge; /* its validators are host.c's */
    surety_prompt_options prompt_options;
    surety_extract given;   /* the judge's options for extraction */
    surety_extract extract; /* for structured values: native comes first */
    bool declared;          /* the tools are declared */
    bool must_call;         /* every reply has to call one; no contract then */
    bool passes;            /* the request is the caller's own */
    bool checks;            /* and calls in its response are judged first */
    bool is_once;           /* it must not be carried out twice */
    struct surety__output *output; /* NULL: none is given out */
    surety__raw raw;
    uint32_t reask_max;
    surety_feedback feedback;
} surety__setup;

/* ---- memory -------------------------------------------------------------- */

/* A text that lives in a buffer of its own. */
typedef struct surety__long_text {
    struct surety__long_text *next;
    surety_buf text;
} surety__long_text;

/* Where a run writes. Every function that may run out of memory takes it. */
typedef struct surety__run_store {
    const surety_alloc *alloc;
    surety__arena arena;   /* freed with the run */
    surety__arena scratch; /* for one request, or one row */
    surety_buf text;       /* the text being written */
    surety__long_text *texts;
    surety_status status; /* OK, or NOMEM once out of memory */
} surety__run_store;

/* ---- progress of the run ------------------------------------------------- */

/* The position of the run among its models, modes and re-asks. */
typedef struct surety__position {
    size_t model;
    surety_mode mode;
    surety_str why; /* reason for the mode, for the next attempt */
    uint32_t retries, reasks;
    uint32_t broken; /* retries made after a part of a reply had arrived */
    bool shortened;
    bool patch_failed;
    bool stops;          /* a reply of this model was stopped because of an
                          * error */
    uint64_t violations; /* a hash of the last reply's errors; 0: none */
    uint64_t due_ms;     /* when the next call is sent */
} surety__position;

/* The contract in the forms that are requested from models. The contract has
 * them; the run has what depends on its own options. */
typedef struct surety__forms {
    surety__run_store *store;
    const surety__setup *setup;
    surety_doc *example;  /* the contract's, in a delivered form */
    surety_contract *any; /* every value satisfies it */
} surety__forms;

/* The conversation of a run (turns.c). */
typedef struct surety__turns {
    surety__message *sent; /* by the next call */
    size_t sent_count, sent_cap;
    surety_message *kept; /* for the caller */
    size_t kept_count, kept_cap;
    size_t bytes; /* of sent, without the open turn */
    size_t steps;
    bool offered; /* a turn that is closed says how a text calls the tools */
    bool open;    /* the last message sent has the text of the plan */
    /* The examples among those sent, and the call whose form they have. */
    size_t lead_at, lead_count, lead_bytes;
    bool led;
    surety_mode lead_mode;
    const surety_strict *lead_strict;
    bool lead_patch;
} surety__turns;

/* A call of a tool by a model. */
typedef struct surety__use {
    surety_tool_use seen;
    surety__tool_call *call; /* NULL: not judged yet, or ended */
    surety_str canonical;    /* its arguments; equal values, equal texts */
    surety_str report;       /* of its arguments, for a declared tool */
    int64_t started_unix_ms;
    bool judged, begun, ended, finished;
    bool open; /* its row in the ledger is not finished */
} surety__use;
/* How many calls of one reply are under way at once, so that a reply with
 * hundreds does not start as many processes. */
#define SURETY__STEPS_AT_ONCE 8
/* Equal calls after which the loop ends: a model that makes the same call for
 * the third time does not use its result. */
#define SURETY__STEPS_EQUAL_MAX 2

struct surety__log;
/* The calls of tools in a run, and those of the reply at hand (steps.c). */
typedef struct surety__steps {
    surety__run_store *store;
    surety__setup *setup;
    struct surety__log *log; /* the run's */
    surety__use *items;
    size_t count, cap;
    size_t first;    /* of the reply at hand */
    size_t made;     /* calls that were begun */
    uint32_t taken;  /* replies with calls */
    bool repeats;    /* an equal call came too often */
    bool unrecorded; /* the ledger failed, and is not optional */
    surety_message results;
} surety__steps;

/* A call as it will be sent. A retry sends it again. */
typedef struct surety__plan {
    surety__purpose purpose;
    surety_mode mode; /* NATIVE, TOOL or PROMPT */
    surety_str system, prompt;
    surety_str asked; /* the prompt without the elements that were given */
    /* How much had been given when the prompt, and the last turn that stays,
     * told the model of it. */
    size_t told, told_before;
    surety_prompt_part system_part, prompt_part;
    surety_str schema; /* as JSON; empty: the call is not bound to a schema */
    surety_str name, description;
    const surety_strict *strict; /* restores the contract's value; NULL:
                                  * nothing to restore */
    bool patch;                  /* the reply must be a patch of basis */
    bool answer_only;            /* no tool may be called any more */
    surety_str reason;
    uint64_t input_tokens; /* an estimate */
} surety__plan;

/* ---- the current exchange ------------------------------------------------ */

/* What is known, while a reply arrives, about the value of reading on. */
typedef struct surety__stake {
    const surety_price *price;
    uint32_t rounds;       /* re-asks that the model may still get because of
                            * this reply */
    uint64_t input_tokens; /* of one re-ask */
    uint64_t output_most;  /* most output tokens of one call so far */
    size_t whole_most;     /* bytes of the longest complete reply so far */
    bool stops;            /* a reply of the model was stopped because of an
                            * error */
} surety__stake;

/* How a reply is checked while it arrives. */
typedef enum surety__watch_kind {
    WATCH_NOTHING = 0,
    WATCH_TEXT,   /* text that contains the value */
    WATCH_VALUE,  /* the structured value */
    WATCH_RUNAWAY /* any reply: only a runaway is detected */
} surety__watch_kind;

/* The check of the reply that is arriving (watch.c). */
typedef struct surety__watch {
    surety__forms *forms;
    surety_stream *stream;
    surety_mode mode;
    surety__stake stake;
    surety__watch_kind kind;
    bool whole;  /* only a runaway reply is stopped */
    bool fed;    /* some bytes have arrived */
    bool beside; /* text arrived beside the structured value */
    bool stops;  /* the call is no longer useful */
    /* If the reply is certainly wrong and is still read: the verdict of the
     * check, the number of bytes after which it was given, and the kind of the
     * check. */
    surety_stream_state certain; /* OPEN: not certain */
    size_t certain_at;
    surety__watch_kind was;
    bool found;
    surety_issue finding; /* if found; the run owns its texts */
} surety__watch;

/* The value's text, given out in pieces (output.c). */
typedef struct surety__output {
    const surety__setup *setup;
    surety__run_store *store;
    surety_buf given, text; /* all that was given; one that is looked at */
} surety__output;

/* The values shown to the caller as they come (show.c). */
typedef struct surety__show {
    const surety__setup *setup;
    surety__run_store *store;
    size_t attempt; /* the number of the attempt whose values are shown */
    bool live;      /* the value so far of its reply is shown */
    bool gives;     /* the elements of its reply are given */
    bool outputs;   /* the text of its value is given out */
    const surety_strict *strict; /* its reply is converted back; NULL: not */
    surety_stream *stream;       /* of what was converted back */
    surety_buf restored;
    size_t shown_of;        /* the attempt of the last value shown; 0: none */
    surety_buf shown, text; /* the last value, and one being written */
    /* Bytes of the reply at which the next value may be shown, and at which
     * what was converted back is looked at for elements. */
    size_t next, next_look;
} surety__show;

/* A response that is passed on (pass.c). */
typedef struct surety__passing {
    surety_run_response_info head; /* status 0: none yet */
    surety_buf body;               /* of a response that is held back */
    bool given;                    /* it is given out */
} surety__passing;

/* A call that was sent, and what arrived of its answer. */
typedef struct surety__run_exchange {
    const surety_model *model;
    size_t attempt; /* the number of its attempt */
    surety__decoder *decoder;
    surety__watch watch;
    surety__show show;
    surety__passing passing;
    surety_buf body; /* of the request */
    bool begun;      /* the first bytes have arrived */
    size_t received; /* bytes of the reply and its reasoning */
    bool ended;      /* the transport reported its end */
    bool out_of_time;
    surety_delivery delivery;
} surety__run_exchange;

/* ---- judgements ---------------------------------------------------------- */

/* What a judgement judges, and with which options. */
typedef struct surety__subject {
    surety_str text, native;
    bool cut, partial; /* the judge's options */
    bool faulty;       /* native is refused with the error of the restoring */
    size_t stopped;    /* the number of the attempt if it was stopped; else 0 */
    size_t attempt;    /* the number of its attempt */
} surety__subject;

/* The results of the host's validators (host.c). */
typedef struct surety__validators {
    surety__run_store *store;
    struct surety__validated *results;
    size_t attempt; /* the attempt whose reply is being judged */
    bool waits;     /* a validator is not done */
    bool failed;    /* a validator failed; the error has the reason */
} surety__validators;

/* The judgement of an answer. It is made again if a validator was not done. */
typedef struct surety__judging {
    surety__run_store *store;
    const surety__setup *setup;
    surety__validators validators;
    bool begun;
    bool stopped; /* the reply was stopped */
    bool taken;   /* subject and patched are set */
    bool patched;
    surety__subject subject;
    /* A delivered value that is converted back to one of the contract's, and
     * why that failed. */
    surety_doc *delivered, *restored;
    surety_error fault;
} surety__judging;

/* A validator of the host, wrapped for the judge. */
typedef struct surety__host {
    surety__validators *validators;
    surety_validator given;
} surety__host;

/* The judgement of the last reply (outcome), and the one that re-asks are
 * about (basis). They are the same unless a patch did not apply. Each refers
 * to the texts of its subject. */
typedef struct surety__judged {
    surety_outcome *outcome, *basis;
    surety__subject outcome_of, basis_of;
    /* A partial value of the last reply that was cut off, if the options
     * accept one: the outcome of a run that gives up. */
    surety_outcome *partial;
    surety__subject partial_of;
    bool contradicts; /* a value to end with did not begin with the elements
                       * that were given */
    surety_str reply_first, reply_last;
    bool replied;
} surety__judged;

/* ---- results ------------------------------------------------------------- */

typedef struct surety__attempt {
    surety_attempt seen; /* what the caller sees */
    int64_t started_unix_ms;
    bool open;        /* its row in the ledger is not finished */
    bool sent;        /* the provider may have received it */
    bool partial;     /* its partial value is kept, for lack of a valid reply */
    size_t received;  /* bytes of its reply and reasoning */
    size_t uncounted; /* bytes of its output that no reported usage counts */
    surety__case what;
    surety_str result; /* a clause of the decision */
    size_t error_count;
    /* If the attempt was stopped: what was found (the run owns its texts), and
     * whether the outcome reports it too. */
    surety_issue finding;
    bool outcome_reports;
    size_t read_on; /* the byte at which it was known to be wrong, if it was
                     * read on; else 0 */
    bool broke;     /* it broke off by itself, and counts as stopped */
    bool given;     /* its response is given out */
    bool is_free;   /* it uses no tokens: it counts them, or is any request */
    bool calls;     /* its reply has the call of a tool, or the begin of one */
    const surety_entry_issue *faults; /* of its calls of declared tools */
    size_t fault_count;
} surety__attempt;

typedef struct surety__log {
    surety_str run;    /* the run's id */
    uint64_t begun_ms; /* the first step, on the caller's monotonic clock */
    surety__attempt *items;
    size_t count, cap;
    bool warned; /* an optional ledger failed, and that was reported */
} surety__log;

/* An error in a reply of the current model. */
typedef struct surety__finding {
    surety_issue issue; /* the run owns its texts */
    bool last;          /* the last judged reply has it */
    bool corrected;     /* a later reply does not have it any more */
    /* The number of the attempt, if the error was seen while its reply arrived
     * and the judgement does not report it; else 0. */
    size_t noted;
} surety__finding;
/* How many findings of one model's replies are kept: those of four full
 * reports (findings_max), which is more than fits into a re-ask. */
#define SURETY__FINDINGS_MAX 128

/* In the order in which they were seen. */
typedef struct surety__findings {
    surety__finding *items;
    size_t count, cap;
} surety__findings;

typedef struct surety__spent {
    uint32_t calls;
    uint64_t ms;
    surety_usage usage;
    uint64_t tokens;      /* of usage, estimates included */
    uint64_t output_most; /* most output tokens of one call */
    size_t whole_most;    /* bytes of the longest complete reply */
    uint64_t cost_picousd;
    bool cost_unknown;
} surety__spent;

typedef struct surety__end {
    surety_run_verdict verdict;
    surety_str message, hint;
} surety__end;

/* What came out of a run so far. */
typedef struct surety__results {
    surety__log log;
    surety__findings findings; /* of the current model */
    surety__spent spent;
    surety__judged judged;
    surety__end end;
    surety_error cause; /* why a call or a judgement failed */
} surety__results;

/* ---- the run ------------------------------------------------------------- */

struct surety_run {
    surety_run_info seen;  /* what callers see, through info */
    surety_run_info *info; /* a pointer, so that surety_run_info_of can fill it
                            * in */
    surety__run_store store;
    surety__setup setup;
    surety__run_state state;
    surety_now now;
    uint64_t random;
    surety__position at;
    surety__forms forms;
    surety__turns turns;
    surety__plan plan;
    surety__run_exchange exchange;
    surety__output output;
    surety__steps steps;
    surety__judging judging; /* of the last answer */
    surety__results results;
};

/* Memory: a function that runs out of memory sets the store's status to NOMEM
 * and goes on with empty texts. The state machine checks the status after each
 * step. Every other failure is returned, with its reason in cause. */

static inline const surety_model *
surety__setup_model(const surety__setup *setup, const surety__position *at)
{
    assert(at->model < setup->options.model_count);
    return &setup->options.models[at->model];
}

static inline surety__attempt *surety__attempt_last(const surety__log *log)
{
    assert(log->count);
    return &log->items[log->count - 1];
}

/* Whether the last reply was refused because of its calls of tools. */
static inline bool surety__log_calls_are_wrong(const surety__log *log)
{
    const surety__case what =
        log->count ? log->items[log->count - 1].what : CASE_VALID;

    return what == CASE_ARGUMENTS || what == CASE_UNCALLED;
}

/* Whether the value delivered for the plan may differ from the contract's. */
static inline bool surety__plan_restores(const surety__plan *plan)
{
    return plan->strict && surety_strict_info_of(plan->strict)->changes_values;
}

/* The text of the reply, or the structured value. */
static inline surety_str surety__attempt_text(const surety__attempt *attempt)
{
    const surety_answer *answer = &attempt->seen.answer;

    return answer->text.len ? answer->text : answer->native;
}

/* ---- store.c: texts that are kept ---------------------------------------- */

void surety__store_init(surety__run_store *store, const surety_alloc *alloc);
void surety__store_done(surety__run_store *store);
/* Stores status if it is NOMEM. Returns status. */
surety_status surety__store_pass(surety__run_store *store,
                                 surety_status status);
/* Keeps the store's text as long as the run, and empties it. */
surety_str surety__store_keep(surety__run_store *store);
/* The same for a writer that returned status; false: the writer failed. */
bool surety__store_written(surety__run_store *store, surety_status status,
                           surety_str *ret_text);
surety_str surety__store_copy(surety__run_store *store, surety_str text);
/* The text itself if it is UTF-8, else a copy that is, with U+FFFD. */
surety_str surety__store_utf8(surety__run_store *store, surety_str text);
surety_issue surety__store_issue(surety__run_store *store,
                                 const surety_issue *issue);
/* The document at *doc, created on first use; NULL: out of memory. */
surety_doc *surety__store_doc(surety__run_store *store, surety_doc **doc);
/* Zeroed bytes until the next request or row; NULL: out of memory. */
void *surety__store_scratch(surety__run_store *store, size_t size);

/* ---- setup.c: configuration ---------------------------------------------- */

/* Copies the options and sets their defaults. validators: for the host's.
 * MISUSE: a struct has a wrong size; NOMEM. */
surety_status surety__setup_take(surety__setup *setup,
                                 const surety_run_options *options,
                                 surety__validators *validators,
                                 surety_error *reterr);
surety_status surety__setup_check(const surety_run_options *options,
                                  surety_error *reterr);
/* Where the contract's values are looked for; needs a contract. */
const surety_extract *surety__setup_extract(const surety__setup *setup);
/* The judge's options for a subject. fault: why a faulty one is refused. */
surety_judge_options surety__setup_judge(const surety__setup *setup,
                                         const surety__subject *subject,
                                         const surety_error *fault);
/* Whether a partial value is accepted if no reply is valid. */
bool surety__setup_takes_partial(const surety__setup *setup);
/* Reports an event of the attempt with this number to the caller. */
void surety__setup_event(const surety__setup *setup, size_t attempt,
                         surety_event_kind kind, surety_str text);

/* Says to the caller that the run has something to do. */
static inline void surety__setup_ready(const surety__setup *setup)
{
    if (setup->options.ready)
        setup->options.ready(setup->options.ready_ctx);
}

/* ---- turns.c: the conversation ------------------------------------------- */

/* Begins with the messages of the options. */
void surety__turns_begin(surety__turns *turns, const surety__setup *setup,
                         surety__run_store *store);
/* Puts the contract's examples, in the form of the plan's replies, before the
 * conversation, behind its first system messages. False: reterr
 * says why that cannot be, or memory ran out. */
bool surety__turns_lead(surety__turns *turns, surety__forms *forms,
                        const surety_model *model, const surety__plan *plan,
                        surety_error *reterr);
/* Sets the text that ends the next call's conversation, in place of the last
 * one that no step closed. It joins the message before it, where that is the
 * user's. Empty: the conversation ends as it is. */
void surety__turns_ask(surety__turns *turns, surety__run_store *store,
                       surety_str text, const surety_prompt_part *part);
/* Adds the model's calls of tools, and their results; as_text: the model has
 * texts for both; keeps: the caller gets them too. */
void surety__turns_step(surety__turns *turns, surety__run_store *store,
                        const surety_answer *answer,
                        const surety_message *results, bool as_text,
                        bool keeps);
/* Keeps a reply that failed, and its re-ask, for the caller. */
void surety__turns_keep_reask(surety__turns *turns, surety__run_store *store,
                              surety_str reply, surety_str reask);
/* Keeps the answer that was taken. calls: it is calls of declared tools. */
void surety__turns_end(surety__turns *turns, surety__run_store *store,
                       const surety_answer *answer, bool calls);
void surety__turns_done(surety__turns *turns, surety__run_store *store);

/* ---- steps.c: calls of tools --------------------------------------------- */

/* Whether a part of an answer to the plan calls a tool, and is not the answer
 * itself (mode TOOL). */
bool surety__steps_is_call(const surety__plan *plan, const surety_part *part);
/* Reads the calls that the text of an answer has, where the model has no other
 * way to call tools (mode PROMPT), as parts of the answer's message. */
void surety__steps_read(surety__steps *steps, const surety__plan *plan,
                        surety_answer *answer);
/* Whether the answer calls tools, so that it is not judged. */
bool surety__steps_wanted(const surety__setup *setup, const surety__plan *plan,
                          const surety_answer *answer);
/* Takes the calls of an answer, whose texts live as long as the run. False: out
 * of memory. */
bool surety__steps_begin(surety__steps *steps, const surety__plan *plan,
                         size_t attempt, const surety_message *answer,
                         surety_now now, uint64_t *random);
/* Takes them as far as they go now. OK: all have ended; MORE: call it again
 * when a transport's wait has returned, or after *ret_delay_ms. NOMEM; with
 * unrecorded set, IO; else the status of a validator that failed. */
surety_status surety__steps_go(surety__steps *steps, surety_now now,
                               uint64_t *ret_delay_ms, surety_error *reterr);
/* Judges the calls of declared tools. OK: *ret_faults has what is wrong (the
 * run owns it); 0: all are valid, and the caller may make them. MORE: a
 * validator is not done. NOMEM; the status of a validator that failed. */
surety_status surety__steps_judge(surety__steps *steps, surety_now now,
                                  const surety_entry_issue **ret_faults,
                                  size_t *ret_count, surety_error *reterr);
/* Reports them to the caller. */
void surety__steps_hand_out(const surety__steps *steps);
/* Drops them: they are not recorded, so they are not given out. */
void surety__steps_withhold(surety__steps *steps);
/* Ends those that have not ended, and completes their rows; unrecorded is set
 * where that failed. */
void surety__steps_cancel(surety__steps *steps, surety_now now,
                          surety_error *reterr);
/* The results, for the model; NULL: out of memory. */
const surety_message *surety__steps_results(surety__steps *steps);
/* What the i-th call of the reply at hand waits for; NULL: nothing. */
surety_transport *surety__steps_transport(const surety__steps *steps, size_t i);
/* Whether a call has ended since the last step. */
bool surety__steps_has_ended(const surety__steps *steps);
void surety__steps_done(surety__steps *steps);

/* ---- attempt.c: planning a call ------------------------------------------ */

/* Fills the plan for the current model and mode; false: no such call can be
 * made, and the results' cause says why. */
bool surety__attempt_plan(surety__forms *forms, surety__position *at,
                          surety__turns *turns, surety__results *results,
                          surety__purpose purpose, surety__plan *plan);
/* Adds the attempt of the plan to the log; NULL: out of memory. */
surety__attempt *surety__attempt_begin(surety__run_store *store,
                                       surety__log *log,
                                       const surety__plan *plan,
                                       const surety_model *model,
                                       surety_now now, uint64_t *random);

/* ---- exchange.c: sending a call, and what arrives ------------------------ */

/* Encodes the plan's call and sends it. stake: what is known about the value
 * of its reply. On failure nothing was sent. */
surety_status surety__exchange_begin(surety__run_exchange *exchange,
                                     const surety__plan *plan,
                                     const surety__turns *turns,
                                     const surety__position *at,
                                     const surety__stake *stake,
                                     surety_error *reterr);
/* Ends the exchange if it is under way. */
void surety__exchange_end(surety__run_exchange *exchange);

/* ---- pass.c: a response that is passed on -------------------------------- */

/* Take what arrives of the response. Of a status of success it is given out at
 * once, unless its calls are checked; any other is held back. */
void surety__pass_head(surety__run_exchange *exchange, int status,
                       const surety_header *headers, size_t count);
void surety__pass_bytes(surety__run_exchange *exchange, surety_str bytes);
/* Gives out the response that was held back, if there is one; one of success
 * only if it is accepted. */
void surety__pass_give(surety__run_exchange *exchange, bool is_accepted);
/* Sets the case of the attempt whose response was passed on, or may be. */
void surety__pass_judge(const surety__run_exchange *exchange,
                        surety__attempt *attempt);

/* ---- mode.c: the mode for a model ---------------------------------------- */

/* Sets at->mode to the best mode that the model and the schema allow, `from`
 * or a lower one. at->why says why no better one is possible. */
void surety__mode_pick(surety__forms *forms, surety__position *at,
                       surety_mode from);
/* Whether there is a lower mode that the run may use. */
bool surety__mode_may_sink(const surety__setup *setup,
                           const surety__position *at);
/* Binds the plan to the schema in the way that its mode needs. */
void surety__mode_bind(surety__forms *forms, const surety_model *model,
                       surety__plan *plan);
/* Whether the model's provider takes the schema of the contract unchanged in
 * its strict subset. */
bool surety__mode_accepts(surety__run_store *store, const surety_model *model,
                          const surety_contract *contract);
/* Sets what the prompt says about the schema that the plan is bound to. */
void surety__mode_show(surety__forms *forms, const surety_model *model,
                       const surety__plan *plan,
                       surety_prompt_options *options);
/* The contract that a structured value satisfies in its delivered form. */
const surety_contract *surety__mode_delivered(surety__forms *forms,
                                              const surety__plan *plan);
/* A contract that every value satisfies; NULL: out of memory. */
const surety_contract *surety__mode_any(surety__forms *forms);

void surety__mode_done(surety__forms *forms);

/* ---- watch.c: the check of a reply while it arrives ---------------------- */

/* Prepares the check of the reply to the plan. */
void surety__watch_begin(surety__watch *watch, const surety__plan *plan,
                         const surety__position *at,
                         const surety__stake *stake);
/* Takes the next chunk. The transport calls it. */
void surety__watch_feed(surety__watch *watch, surety__piece piece,
                        surety_str text);
/* Whether the check reads the structured value, which may become valid. */
bool surety__watch_is_open(const surety__watch *watch);
/* Whether the check reads the structured value. */
bool surety__watch_is_value(const surety__watch *watch);
/* The contract's value so far; false: there is none, or it cannot become
 * valid. */
bool surety__watch_value(const surety__watch *watch, surety_val *ret_val);
/* The bytes of the reply that arrived. */
surety_str surety__watch_reply(const surety__watch *watch);
/* Whether a structured value broke its contract in a prefix that was valid
 * JSON; also for a complete one. */
bool surety__watch_refuses(surety__watch *watch, surety_str native);
/* Copies to the attempt that it was stopped, and what was found. */
void surety__watch_note(const surety__watch *watch, surety__attempt *attempt);

/* ---- show.c: the values as they come ------------------------------------- */

void surety__show_init(surety__show *show, const surety__setup *setup,
                       surety__run_store *store);
void surety__show_done(surety__show *show);
/* Prepares for the reply to the plan. */
void surety__show_begin(surety__show *show, size_t attempt,
                        const surety__plan *plan, const surety__watch *watch);
/* How many of the next bytes of the reply the watch takes before a look. */
size_t surety__show_cut(const surety__show *show, surety_str text);
/* Looks for elements where the watch's reply is converted back. */
void surety__show_look(surety__show *show, const surety__watch *watch);
/* Shows what the watch has of the reply. */
void surety__show_reply(surety__show *show, const surety__watch *watch);
/* Shows the value that the run gives; the attempt: the one that brought it. */
void surety__show_end(surety__show *show, size_t attempt,
                      surety_run_verdict verdict, surety_val val);
/* Whether a value begins with the elements that were given. */
bool surety__show_agrees(const surety__setup *setup, surety__run_store *store,
                         surety_val val);

/* ---- output.c: the value's text in pieces -------------------------------- */

void surety__output_init(surety__output *output, const surety__setup *setup,
                         surety__run_store *store);
void surety__output_done(surety__output *output);
/* Gives out what is certain of a value so far; of the run's value. */
void surety__output_look(surety__output *output, size_t attempt,
                         surety_val val);
void surety__output_end(surety__output *output, size_t attempt, surety_val val);
/* Refuses a value that does not begin with what was given. */
surety_validator surety__output_validator(surety__output *output);
/* Whether what was given forbids another call. Takes NULL. */
bool surety__output_binds(const surety__output *output);
/* Appends the demand to begin with it, if anything was given. */
void surety__output_demand(const surety__output *output, surety_buf *out);

/* ---- weigh.c: whether a wrong reply is read on --------------------------- */

/* Whether to stop a reply of which `received` bytes arrived and which is
 * certainly wrong since byte certain_at, because reading on costs more than it
 * gains. */
bool surety__weigh_stops(const surety__stake *stake, size_t certain_at,
                         size_t received);

/* ---- receive.c: an answer and its judgement ------------------------------ */

/* Copies the decoder's answer to the last attempt. */
void surety__receive_answer(surety__run_store *store,
                            surety__run_exchange *exchange, surety_now now,
                            surety__results *results);
/* Judges the reply if there is one and sets the attempt's case. If a validator
 * is not done afterwards, call it again. */
void surety__receive_judge(surety__judging *judging, const surety__plan *plan,
                           surety__run_exchange *exchange, surety__position *at,
                           surety__results *results);
/* For a run that gives up: drops a partial value that does not begin with the
 * elements that were given. */
void surety__receive_agree(surety__judging *judging, surety__judged *judged);
/* For a run that gives up and has no partial value: judges the last reply that
 * was not a patch again, with the contract's fallback if it has one. */
void surety__receive_fallback(surety__judging *judging,
                              surety__results *results);

/* ---- judged.c: the judgements that are kept ------------------------------ */

/* Records a reply as the last one, and as the first if there is none yet. */
void surety__judged_reply(surety__judged *judged, surety_str reply);
/* Makes an outcome the run's. Takes ownership. */
void surety__judged_keep(surety__judged *judged, surety_outcome *outcome,
                         const surety__subject *subject);
/* Makes the run's outcome the basis of later re-asks. */
void surety__judged_keep_basis(surety__judged *judged);
void surety__judged_keep_partial(surety__judged *judged,
                                 surety_outcome *outcome,
                                 const surety__subject *subject);
/* Makes the basis the outcome again: a reply that should have been a patch and
 * is not one shows nothing about the value to be patched. */
void surety__judged_prefer_basis(surety__judged *judged);
/* Makes the partial value the run's outcome; false: there is none. */
bool surety__judged_settle(surety__judged *judged);
/* Frees all judgements, or the basis of re-asks alone. */
void surety__judged_forget(surety__judged *judged);
void surety__judged_forget_basis(surety__judged *judged);

/* ---- host.c: the host's validators --------------------------------------- */

/* Replaces the validators in the judge's options by wrappers, and adds those of
 * the items and the output (NULL: none). MISUSE, NOMEM. */
surety_status surety__host_take(surety__validators *validators,
                                surety_judge_options *judge,
                                surety_items *items, surety__output *output,
                                surety_error *reterr);

/* ---- findings.c: known errors, over all replies of a model --------------- */

/* Records the errors of the outcome. number: of the attempt whose reply later
 * re-asks are about. */
void surety__findings_take(surety__findings *findings, surety__run_store *store,
                           const surety__attempt *attempt, size_t number,
                           const surety_outcome *outcome);
/* Records an error that was seen while the reply arrived. */
void surety__findings_note(surety__findings *findings, surety__run_store *store,
                           const surety_issue *issue, size_t number);
/* The findings that a re-ask reports in addition to the outcome, in the
 * store's memory. judged: it is about the reply of the basis; otherwise about
 * no reply. */
const surety_prompt_finding *
surety__findings_list(const surety__findings *findings,
                      surety__run_store *store, bool judged, size_t *ret_count);
/* The stage of an issue that was found while the reply arrived. */
surety_stage surety__findings_stage(const surety_issue *issue);

/* ---- budget.c: what may still be spent ----------------------------------- */

/* Empty if the plan's call to the model may be sent in delay_ms; else a clause
 * that names what is spent. It is asked before every call. */
surety_str surety__budget_denies(surety__run_store *store,
                                 const surety_budget *budget,
                                 const surety__spent *spent,
                                 const surety_price *price,
                                 const surety__plan *plan, uint64_t delay_ms);
/* Milliseconds until the time limit. */
uint64_t surety__budget_left_ms(const surety_budget *budget,
                                const surety__spent *spent);
/* How often the model can still be re-asked because of its next reply. */
uint32_t surety__budget_rounds(const surety__setup *setup,
                               const surety__position *at,
                               const surety__spent *spent);
/* Adds one to all. The sum is known only if both are. */
void surety__usage_add(surety_usage *all, const surety_usage *one);
/* Whether there are counts: the provider's, or an estimate. */
bool surety__usage_is_kept(const surety_usage *usage);
/* Completes the usage of an attempt, and adds it. input_tokens: the estimate.
 */
void surety__budget_count(surety__spent *spent, surety__attempt *attempt,
                          uint64_t input_tokens);
uint64_t surety__budget_estimate(size_t bytes);
/* The most tokens that a reply of the model may have; 0: unknown. */
uint64_t surety__budget_reply_max(const surety_model *model);

/* ---- decide.c: the decision after an attempt ----------------------------- */

typedef struct surety__decision {
    surety__action action;
    uint64_t delay_ms;   /* before a retry */
    surety_str hindered; /* clauses: why no better action is possible */
    surety_str spent;    /* the budget's clause; empty: the budget allows it */
} surety__decision;

/* Appends text in parentheses, as one line of at most max characters. */
void surety__decide_detail(surety_buf *out, surety_str text, size_t max);
/* Appends "keyword at /path". */
void surety__decide_issue(surety_buf *out, const surety_issue *issue);
/* Writes attempt->result. cause: why there is no call or no judgement. */
void surety__decide_result(surety__run_store *store, surety__attempt *attempt,
                           const surety_outcome *outcome,
                           const surety_error *cause);
/* Appends a sentence that says after how many bytes an attempt was stopped,
 * and why. */
void surety__decide_stop(const surety_attempt *attempt, surety_buf *out);
/* Looks the attempt's case up in the table. */
surety__decision surety__decide(surety__run_store *store,
                                const surety__setup *setup,
                                const surety__position *at,
                                const surety__attempt *attempt,
                                uint64_t *random);
/* Writes the sentence of the decision, after the next call is planned. reason:
 * the plan's. */
void surety__decide_sentence(surety__run_store *store,
                             const surety__setup *setup,
                             const surety__position *at,
                             surety__attempt *attempt,
                             const surety__decision *decision,
                             surety_str reason);
/* A row of cases.def. */
typedef struct surety__decide_case {
    const char *result; /* a clause, before its details */
    surety_run_verdict verdict;
    const char *hint;
    surety__action ladder[4];
} surety__decide_case;
const surety__decide_case *surety__decide_row(surety__case what);

/* ---- record.c: the ledger ------------------------------------------------ */

/* Writes the last attempt to the ledger, if there is one. */
surety_status surety__record_begin(const surety__setup *setup, surety__log *log,
                                   surety_error *reterr);
surety_status surety__record_finish(const surety__setup *setup,
                                    surety__run_store *store,
                                    surety__results *results);
/* Reports, once in a run, that an optional ledger failed. */
void surety__record_warn(const surety__setup *setup, surety__run_store *store,
                         surety__log *log, const surety_error *cause);

/* ---- result.c: the end of a run ------------------------------------------ */

/* The end of a run because of a failure. before: a clause before its
 * message. */
surety__end surety__result_of_cause(surety__run_store *store,
                                    surety_run_verdict verdict,
                                    const char *before,
                                    const surety_error *cause);
/* The end of a run that can do nothing more. spent: the budget's clause, or
 * empty. failed: a validator of the host failed, which is the cause. */
surety__end surety__result_give_up(surety__run_store *store,
                                   const surety_contract *contract,
                                   surety__results *results, bool failed,
                                   surety_str spent);
/* Removes the last answer: it is not recorded, so it is not given out. */
void surety__result_withhold(surety__results *results);

/* ---- report.c: a run as text --------------------------------------------- */

/* Appends the members usage and cost_picousd. */
void surety__report_spent(surety_buf *out, const surety_usage *usage,
                          bool cost_known, uint64_t picousd);
/* Appends the JSON report of the outcome of a stopped attempt, with its
 * finding and the stop. */
surety_status surety__report_stopped(const surety_outcome *outcome,
                                     const surety__attempt *attempt,
                                     surety_buf *out);

/* ---- wait.c: the system's clocks ----------------------------------------- */

/* Interval between two calls of a validator that is not done. */
#define SURETY__WAIT_HOST_MS 10
surety_now surety__wait_now(void);
void surety__wait_sleep(uint32_t delay_ms);

/* A run, or a consensus of several. */
typedef struct surety__waited {
    void *ctx;
    surety_status (*step)(void *ctx, surety_now now, uint32_t *ret_delay_ms,
                          surety_error *reterr);
    void (*cancel)(void *ctx, surety_now now);
    const surety_run *(*run_at)(const void *ctx, size_t i); /* may be NULL */
    size_t run_count;
} surety__waited;
#define SURETY__WAIT_RUNS_MAX 65
/* Steps it with the system's clocks until it has ended (surety_run_wait). */
surety_status surety__wait(const surety__waited *waited,
                           const volatile int *cancelled, surety_error *reterr);

/* ---- id.c: ids and random numbers ---------------------------------------- */

/* A seed from the system. Fails with SURETY_IO. */
surety_status surety__id_seed(uint64_t *ret_seed, surety_error *reterr);
uint64_t surety__id_random(uint64_t *state);
/* From 0 to max, both included. */
uint64_t surety__id_below(uint64_t *state, uint64_t max);
#define SURETY__ID_LEN 36
/* A UUID of version 7 (RFC 9562, 5.7), not terminated. */
void surety__id_write(uint64_t *state, int64_t unix_ms,
                      char out[SURETY__ID_LEN]);

/* "weigh", "always", "never"; never NULL. */
const char *surety__stop_name(surety_stop stop);

#endif
