/* SPDX-License-Identifier: Apache-2.0 */
/* The door of run/: the values that a run is made of, and the leaves that run.c
 * calls in order. The values are split by how long they live: what was
 * configured (setup, which does not change), where the run is on its way
 * (position), the call to come (plan), the exchange at hand, and what came out
 * (log, findings, spent, judged, end). A leaf takes the values that it needs
 * and knows nothing of what comes before or after it. */
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

#include "base/base.h"
#include "provider/provider.h"

/* The states of the machine. ORDER states (run.c). */
typedef enum surety__run_state {
    STATE_NEW = 0,   /* nothing done */
    STATE_DUE,       /* a call is prepared, and sent at due_ms */
    STATE_UNDER_WAY, /* it is sent */
    STATE_ANSWERED,  /* its exchange has ended */
    STATE_ENDED
} surety__run_state;

/* Why a call is made. ORDER purposes (names in attempt.c). */
typedef enum surety__purpose {
    PURPOSE_ASK = 0, /* the first of a model or mode */
    PURPOSE_RETRY,   /* the same again */
    PURPOSE_REASK,   /* with what was wrong */
    PURPOSE_PATCH,   /* only the failing parts */
    PURPOSE_SHORTER  /* the last reply was cut off, or ran away */
} surety__purpose;

/* What a call came to: a failure of the provider's enum, or one of these. ORDER
 * cases (decide.c). */
typedef enum surety__case {
    CASE_VALID = SURETY_FAILURE_NONE,
    CASE_EXTRACTION = SURETY_FAILURE_COUNT,
    CASE_JSON_PARSE,
    CASE_VALIDATION,
    CASE_REPEATED, /* the violations of the reply before, all over again */
    CASE_CUT,      /* it ends before its value does, and might be kept so */
    CASE_RUNAWAY,  /* it ran away, and was stopped */
    CASE_PATCH,    /* a patch that is none, or does not apply */
    CASE_UNJUDGED, /* the reply is beyond what can be judged */
    CASE_UNSENT,   /* no request can be made of the call */
    CASE_UNHEARD,  /* a validator of the host failed */
    CASE_COUNT
} surety__case;

/* What is done next. ORDER actions (decide.c). */
typedef enum surety__action {
    ACTION_END = 0,
    ACTION_ACCEPT,
    ACTION_RETRY,       /* the same call, after a delay */
    ACTION_RETRY_ASKED, /* the same, where the provider says it will help */
    ACTION_REASK,
    ACTION_SHORTER,
    ACTION_WHOLE,      /* asked afresh, with a word about the last reply */
    ACTION_MODE,       /* the next mode down, asked afresh */
    ACTION_MODE_REASK, /* the next mode down, with what was wrong */
    ACTION_MODEL       /* the next model, asked afresh */
} surety__action;

/* ---- what was configured ------------------------------------------------- */

/* It does not change once surety_run_new has returned. */
typedef struct surety__setup {
    surety_run_options options; /* the defaults filled in */
    /* Copies of what the options point at. */
    surety_judge_options judge; /* its validators are host.c's */
    surety_prompt_options prompt_options;
    surety_extract given;   /* the judge's */
    surety_extract extract; /* of structured values: native comes first */
    uint32_t reask_max;
    surety_feedback feedback;
} surety__setup;

/* ---- memory -------------------------------------------------------------- */

/* What a run writes into. Every leaf that may run out of memory takes it. */
typedef struct surety__run_store {
    const surety_alloc *alloc;
    surety__arena arena;   /* lives as long as the run */
    surety__arena scratch; /* one request, or one row */
    surety_buf text;       /* what is being written */
    surety_status status;  /* OK, or NOMEM once out of memory */
} surety__run_store;

/* ---- where the run is ---------------------------------------------------- */

/* Its place on the way through models, modes and asks. */
typedef struct surety__position {
    size_t model;
    surety_mode mode;
    surety_str why; /* of the mode, for the next attempt's reason */
    uint32_t retries, reasks;
    uint32_t broken; /* of the retries: after a part of a reply had come */
    bool shortened;
    bool patch_failed;
    bool stops;          /* a reply of this model was stopped for an error */
    uint64_t violations; /* a hash of the last reply's; 0: none */
    uint64_t due_ms;     /* when the next call is sent */
} surety__position;

/* A schema for one subset, compiled when it is first needed. */
typedef struct surety__bound {
    bool tried;
    bool possible;
    surety_strict *strict; /* may be NULL where it is impossible */
    surety_str reason;     /* why it is */
    bool exemplified;
    surety_doc *example; /* the contract's, as it is delivered; or NULL */
    surety_contract *delivered; /* surety_strict_delivered_schema; or NULL */
} surety__bound;
#define SURETY__SUBSETS 4

/* The contract in the forms that models are asked for. */
typedef struct surety__forms {
    surety__run_store *store;
    const surety__setup *setup;
    surety__bound bounds[SURETY__SUBSETS];
    surety_doc *plain;    /* the schema without what is ours */
    surety_contract *any; /* every value satisfies it */
} surety__forms;

/* A call as it will be sent, again where it must. */
typedef struct surety__plan {
    surety__purpose purpose;
    surety_mode mode; /* NATIVE, TOOL or PROMPT */
    surety_str system, prompt;
    surety_val schema; /* SURETY_NONE: not bound to one */
    surety_str name, description;
    const surety_strict *strict; /* what restores its value; NULL: nothing */
    bool patch;                  /* the reply is to be a patch of basis */
    surety_str reason;
    uint64_t input_tokens; /* an estimate */
} surety__plan;

/* ---- the exchange at hand ------------------------------------------------ */

/* What is known, while a reply comes, of the worth of its rest. */
typedef struct surety__stake {
    const surety_price *price;
    uint32_t rounds;       /* the model may still be asked because of it */
    uint64_t input_tokens; /* of a round */
    uint64_t output_most;  /* tokens of one call so far */
    size_t whole_most;     /* bytes of the longest reply that came whole */
    bool stops;            /* a reply of the model was stopped for an error */
} surety__stake;

/* What a reply is checked as while it comes. */
typedef enum surety__watch_kind {
    WATCH_NOTHING = 0,
    WATCH_TEXT,   /* text that holds the value somewhere */
    WATCH_VALUE,  /* the structured value */
    WATCH_RUNAWAY /* anything: it may only run away */
} surety__watch_kind;

/* The check of the reply that is coming (watch.c). */
typedef struct surety__watch {
    surety__forms *forms;
    surety_stream *stream;
    surety_mode mode;
    surety__stake stake;
    surety__watch_kind kind;
    bool whole;  /* only a reply that runs away is stopped */
    bool fed;    /* something came */
    bool beside; /* text came beside the structured value */
    bool stops;  /* the call is of no use any more */
    /* That the reply is wrong is certain, and it is read on: what the check
     * said, after how many bytes, and as what the reply was checked. */
    surety_verdict certain; /* OPEN: it is not */
    size_t certain_at;
    surety__watch_kind was;
    bool found;
    surety_issue finding; /* if found; its texts are the run's */
} surety__watch;

typedef struct surety__run_exchange {
    surety__decoder *decoder;
    surety__watch watch;
    bool heard;  /* the first bytes are there */
    size_t came; /* bytes of the reply and its reasoning */
    bool ended;  /* the transport reported its end */
    bool out_of_time;
    surety_delivery delivery;
} surety__run_exchange;

/* ---- judgements ---------------------------------------------------------- */

/* What a judgement was about, and how it was made. */
typedef struct surety__subject {
    surety_str text, native;
    bool cut, partial; /* the judge's options */
    bool faulty;       /* native is refused with the fault of restore */
    size_t stopped;    /* the number of the attempt, if it was stopped */
    size_t attempt;    /* that of its attempt */
} surety__subject;

/* The judgement of an answer, which is made again where a validator was not
 * done. */
typedef struct surety__judging {
    bool begun;
    bool stopped; /* the reply was */
    bool taken;   /* subject and patched are there */
    surety__subject subject;
    bool patched;
} surety__judging;

/* A delivered value on its way back to one of the contract's. */
typedef struct surety__restoring {
    surety_doc *value, *restored;
    surety_error fault; /* why it could not be made the contract's */
} surety__restoring;

/* What the host's validators said (host.c). */
typedef struct surety__hearing {
    surety__run_store *store;
    struct surety__opinion *opinions;
    size_t attempt; /* whose reply is being judged */
    bool waits;     /* a validator is not done */
    bool failed;    /* a validator failed; the cause says why */
} surety__hearing;

/* A validator of the host, as the judge is given it. */
typedef struct surety__host {
    surety__hearing *hearing;
    const surety_validator *given;
} surety__host;

/* The judgement of the last reply, and the one that re-asks are about: the
 * same, unless a patch did not apply. Each has its subject, whose texts it
 * refers to. */
typedef struct surety__judged {
    surety_outcome *outcome, *basis;
    surety__subject outcome_of, basis_of;
    /* What there is of the last reply that was cut off, where that may be
     * taken: the outcome of a run that gives up. */
    surety_outcome *part;
    surety__subject part_of;
    surety_str reply_first, reply_last;
    bool replied;
} surety__judged;

/* ---- what came out ------------------------------------------------------- */

typedef struct surety__attempt {
    surety_attempt seen; /* what the caller sees */
    int64_t started_unix_ms;
    bool open;   /* the ledger has a row of it that is not finished */
    bool sent;   /* the provider may have seen it */
    bool part;   /* what came of it is kept, for want of a valid reply */
    size_t came; /* bytes of its reply and reasoning */
    surety__case what;
    surety_str told; /* its result, a clause of the decision */
    size_t error_count;
    /* Of one that was stopped: what was found, with texts of the run's, and
     * whether the outcome says it, too. */
    surety_issue finding;
    bool outcome_tells;
    size_t read_on; /* from this byte on it was known to be wrong; 0: never */
    bool broke;     /* it ended by itself, and counts as stopped */
} surety__attempt;

typedef struct surety__log {
    surety__attempt *items;
    size_t count, cap;
} surety__log;

/* An error that a reply of the model at hand had. */
typedef struct surety__finding {
    surety_issue issue; /* its texts are the run's */
    bool last;          /* the last reply that was judged has it */
    bool mended;        /* a later reply was seen to have it right */
    /* The number of the attempt, where it was seen while its reply came and the
     * judgement does not say it; 0: it says it. */
    size_t noted;
} surety__finding;
/* Findings that are kept of one model's replies: those of four full reports
 * (findings_max), and more than a re-ask has room for. */
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
    uint64_t tokens;      /* of usage, estimates too */
    uint64_t output_most; /* of one call */
    size_t whole_most;    /* bytes of the longest reply that came whole */
    uint64_t cost_picousd;
    bool cost_unknown;
} surety__spent;

typedef struct surety__end {
    surety_run_verdict verdict;
    surety_str message, hint;
} surety__end;

/* ---- the run ------------------------------------------------------------- */

struct surety_run {
    surety_run_info seen;  /* what callers see, behind: */
    surety_run_info *info; /* a pointer, for it is filled in when asked for */
    surety__run_store store;
    surety__setup setup;
    surety__run_state state;
    surety_now now, begun;
    surety_str id;
    uint64_t random;

    surety__position at;
    surety__forms forms;
    surety__plan plan;
    surety__run_exchange exchange;
    surety__hearing hearing;
    surety__judging judging; /* of the last answer */
    surety__restoring restoring;

    surety__log log;
    surety__findings findings; /* of the model at hand */
    surety__spent spent;
    surety__judged judged;
    surety__end end;
    surety_error cause; /* why a call or a judgement could not be made */
    bool warned;        /* that an optional ledger failed */
};

/* Memory: a leaf that runs out of it sets the store's status to NOMEM and goes
 * on with empty texts; the machine looks after each step. Every other failure
 * is returned, with its reason in cause. */

static inline const surety_model *
surety__setup_model(const surety__setup *setup, const surety__position *at)
{
    assert(at->model < setup->options.model_count);
    return &setup->options.models[at->model];
}

static inline const surety_model *surety__run_model(const surety_run *run)
{
    return surety__setup_model(&run->setup, &run->at);
}

static inline surety__attempt *surety__attempt_last(const surety_run *run)
{
    assert(run->log.count);
    return &run->log.items[run->log.count - 1];
}

/* ---- store.c: texts that are kept ---------------------------------------- */

/* Keeps it where memory ran out, and returns it. */
surety_status surety__store_pass(surety__run_store *store,
                                 surety_status status);
/* What the store's text holds, kept as long as the run; empties it. */
surety_str surety__store_keep(surety__run_store *store);
/* The same of a writer that returned status; false: it could not write. */
bool surety__store_written(surety__run_store *store, surety_status status,
                           surety_str *ret_text);
surety_str surety__store_copy(surety__run_store *store, surety_str text);
surety_issue surety__store_issue(surety__run_store *store,
                                 const surety_issue *issue);
/* A document of the caller's, made when it is first needed; NULL: out of
 * memory. */
surety_doc *surety__store_doc(surety__run_store *store, surety_doc **doc);

/* ---- setup.c: what was configured ---------------------------------------- */

/* Takes the options, which it checks. hearing: for the validators. */
surety_status surety__setup_take(surety__setup *setup,
                                 const surety_run_options *options,
                                 surety__hearing *hearing,
                                 surety_error *reterr);
surety_status surety__setup_check(const surety_run_options *options,
                                  surety_error *reterr);
/* Where the contract's values are looked for, if there is a contract. */
const surety_extract *surety__setup_extract(const surety__setup *setup);
/* The judge's options for a subject. fault: why a faulty one is refused. */
surety_judge_options surety__setup_judge(const surety__setup *setup,
                                         const surety__subject *subject,
                                         const surety_error *fault);
/* Whether a part of a reply is taken where nothing better came. */
bool surety__setup_takes_part(const surety__setup *setup);

/* ---- attempt.c: making a call and sending it ----------------------------- */

/* Fills run->plan for the model and mode that the run is at; false where no
 * such call can be made. */
bool surety__attempt_plan(surety_run *run, surety__purpose purpose);
/* The attempt of the plan, a row of the log; false: out of memory. */
bool surety__attempt_begin(surety_run *run);
/* Encodes and starts it; false: nothing was sent. */
bool surety__attempt_send(surety_run *run);
/* Ends its exchange where one is under way. */
void surety__attempt_stop(surety_run *run);

/* ---- mode.c: which mode a model is asked in ------------------------------ */

/* Sets mode to the best that model and schema allow, `from` or below it; why
 * says why no better one. */
void surety__mode_pick(surety__forms *forms, surety__position *at,
                       surety_mode from);
/* Whether there is a mode below the present one that may be gone to. */
bool surety__mode_may_sink(const surety__setup *setup,
                           const surety__position *at);
/* Binds the plan to the schema as its mode wants it. */
void surety__mode_bind(surety__forms *forms, const surety_model *model,
                       surety__plan *plan);
/* What a prompt says of the schema that the plan is bound to. */
void surety__mode_show(surety__forms *forms, const surety_model *model,
                       const surety__plan *plan,
                       surety_prompt_options *options);
/* The contract of a structured value as it is delivered for the plan. */
const surety_contract *surety__mode_delivered(surety__forms *forms,
                                              const surety_model *model,
                                              const surety__plan *plan);
/* A contract that every value satisfies; NULL: out of memory. */
const surety_contract *surety__mode_any(surety__forms *forms);

void surety__mode_done(surety__forms *forms);

/* ---- watch.c: the check of a reply while it comes ------------------------ */

/* Makes ready for the reply to the plan. delivered: the contract of a
 * structured value. The stake is worth a look only until the reply has come. */
void surety__watch_begin(surety__watch *watch, const surety__plan *plan,
                         const surety__position *at,
                         const surety_contract *delivered,
                         const surety__stake *stake);
/* Takes a piece of it; from within the transport. */
void surety__watch_feed(surety__watch *watch, surety__piece piece,
                        surety_str text);
/* Whether it is the structured value that is checked. */
bool surety__watch_is_value(const surety__watch *watch);
/* What came of it. */
surety_str surety__watch_reply(const surety__watch *watch);
/* Whether a structured value broke its contract while it still was JSON; also
 * of one that came whole. */
bool surety__watch_refuses(surety__watch *watch, surety_str native);
/* Takes over into the attempt that it was stopped, and what was found. */
void surety__watch_note(const surety__watch *watch, surety__attempt *attempt);

/* ---- weigh.c: whether a reply that is wrong is read on -------------------
 */

/* Whether a reply of which so much came, and of which it is certain from a byte
 * on that it is wrong, is not worth to be read on. */
bool surety__weigh_stops(const surety__stake *stake, size_t certain_at,
                         size_t came);

/* ---- receive.c: an answer, and its judgement ----------------------------- */

/* What takes the exchange, and the pieces of its answer. */
surety_receiver surety__receive_receiver(surety_run *run);
surety__listener surety__receive_listener(surety_run *run);
/* Takes the decoder's answer over into the last attempt. */
void surety__receive_answer(surety_run *run);
/* Judges it where there is something to judge, and says which case it is;
 * unless hearing.waits: then it is to be called again. */
void surety__receive_judge(surety_run *run);
/* For a run that gives up and has no part of a reply: the judgement of the last
 * reply that was no patch, again with the contract's fallback where it has one.
 */
void surety__receive_fallback(surety_run *run);

/* ---- judged.c: the judgements that are kept ------------------------------ */

/* Notes a reply, for the first and the last. */
void surety__judged_reply(surety__judged *judged, surety_str reply);
/* Keeps an outcome as the run's. */
void surety__judged_keep(surety__judged *judged, surety_outcome *outcome,
                         const surety__subject *subject);
/* From now on re-asks are about the run's outcome. */
void surety__judged_keep_basis(surety__judged *judged);
void surety__judged_keep_part(surety__judged *judged, surety_outcome *outcome,
                              const surety__subject *subject);
/* Makes the basis the outcome again: a reply that should have been a patch and
 * is none says nothing of the value that it should have patched. */
void surety__judged_prefer_basis(surety__judged *judged);
/* Makes what there is of a reply the run's outcome; false: there is nothing. */
bool surety__judged_settle(surety__judged *judged);
/* Forgets the judgements, and what re-asks would be about. */
void surety__judged_forget(surety__judged *judged);
void surety__judged_forget_basis(surety__judged *judged);
void surety__judged_forget_part(surety__judged *judged);

/* ---- host.c: the host's validators --------------------------------------- */

/* Puts its own before the judge's options' validators. MISUSE, NOMEM. */
surety_status surety__host_take(surety__hearing *hearing,
                                surety_judge_options *judge,
                                surety_error *reterr);

/* ---- findings.c: what is known to be wrong, over all replies of a model ---
 */

/* Takes over what the outcome says: of the attempt with this number, whose
 * reply re-asks will be about. */
void surety__findings_take(surety__findings *findings, surety__run_store *store,
                           const surety__attempt *attempt, size_t number,
                           const surety_outcome *outcome);
/* Takes over an error that was seen while the reply came. */
void surety__findings_note(surety__findings *findings, surety__run_store *store,
                           const surety_issue *issue, size_t number);
/* What a re-ask says beside the outcome, in memory of the store: about the
 * reply whose outcome the basis is, or, unless judged, about no reply. */
const surety_prompt_finding *
surety__findings_tell(const surety__findings *findings,
                      surety__run_store *store, bool judged, size_t *ret_count);
void surety__findings_forget(surety__findings *findings);
/* The stage that an issue of a check while the reply comes belongs to. */
surety_stage surety__findings_stage(const surety_issue *issue);

/* ---- budget.c: what may still be spent ----------------------------------- */

/* Empty where the plan's call to the model may be sent in delay_ms; else what
 * is spent, as a clause. The one question before every call. */
surety_str surety__budget_denies(surety__run_store *store,
                                 const surety_budget *budget,
                                 const surety__spent *spent,
                                 const surety_price *price,
                                 const surety__plan *plan, uint64_t delay_ms);
/* Milliseconds until the time is spent. */
uint64_t surety__budget_left_ms(const surety_budget *budget,
                                const surety__spent *spent);
/* Adds one to all; known only where both are. */
void surety__usage_add(surety_usage *all, const surety_usage *one);
/* Counts what an attempt took of which the input was estimated. */
void surety__budget_count(surety__spent *spent, surety__attempt *attempt,
                          uint64_t input_tokens);
uint64_t surety__budget_estimate(size_t bytes);
/* The most tokens that a reply of the model may have; 0: not known. */
uint64_t surety__budget_reply_max(const surety_model *model);

/* ---- decide.c: what becomes of an attempt -------------------------------- */

typedef struct surety__decision {
    surety__action action;
    uint64_t delay_ms;   /* before a retry */
    surety_str hindered; /* the clauses that say why nothing better is done */
    surety_str spent;    /* the budget's clause; empty: it does not hinder */
} surety__decision;

/* Writes the result of an attempt to its member told. cause: why there is no
 * call or judgement. */
void surety__decide_tell(surety__run_store *store, surety__attempt *attempt,
                         const surety_outcome *outcome,
                         const surety_error *cause);
/* Appends that an attempt was stopped, and why, as a sentence. */
void surety__decide_tell_stop(const surety_attempt *attempt, surety_buf *out);
/* Looks the attempt's case up in the table. */
surety__decision surety__decide(surety__run_store *store,
                                const surety__setup *setup,
                                const surety__position *at,
                                const surety__attempt *attempt,
                                uint64_t *random);
/* Makes the decision's sentence of it all, once the next call is planned.
 * reason: the plan's. */
void surety__decide_say(surety__run_store *store, const surety__setup *setup,
                        const surety__position *at, surety__attempt *attempt,
                        const surety__decision *decision, surety_str reason);
/* How a run ends that ends with this case, and what to do about it. */
surety_run_verdict surety__decide_verdict(surety__case what);
const char *surety__decide_hint(surety__case what);

/* ---- record.c: the ledger ------------------------------------------------ */

/* The last attempt as a row; false where the run must end for it. */
bool surety__record_begin(surety_run *run);
bool surety__record_finish(surety_run *run);

/* ---- result.c: how it ended ---------------------------------------------- */

/* Ends the run. Texts must live as long as it does. */
void surety__result_end(surety_run *run, surety_run_verdict verdict,
                        surety_str message, surety_str hint);
/* Ends it for the cause, with a clause before. */
void surety__result_end_cause(surety_run *run, surety_run_verdict verdict,
                              const char *before);
/* Ends a run of which nothing more is to be expected. spent: the budget's
 * clause, or empty. */
void surety__result_give_up(surety_run *run, surety_str spent);
/* Ends it for its ledger, and gives nothing out that is not recorded. */
void surety__result_unrecorded(surety_run *run);
void surety__result_event(surety_run *run, surety_event_kind kind,
                          surety_str text);

/* ---- report.c: a run as text --------------------------------------------- */

/* Appends the members usage and cost_picousd. */
void surety__report_spent(surety_buf *out, const surety_usage *usage,
                          bool cost_known, uint64_t picousd);
/* Appends the JSON report of the outcome of an attempt that was stopped, with
 * its finding and the stop. */
surety_status surety__report_stopped(const surety_outcome *outcome,
                                     const surety__attempt *attempt,
                                     surety_buf *out);

/* ---- wait.c: the system's clocks ----------------------------------------- */

/* A transport that failed although the exchange had ended, such as a recorder
 * that cannot write: the answer is there, and is paid for. So the run goes on,
 * and its caller gets the first such failure at the end. */
typedef struct surety__late {
    surety_status status; /* SURETY_OK: none */
    surety_error error;
} surety__late;
void surety__late_keep(surety__late *late, surety_status status,
                       const surety_error *error);
/* The end of a wait that would give status. */
surety_status surety__late_tell(const surety__late *late, surety_status status,
                                surety_error *reterr);

/* How soon a validator that is not done is asked again. */
#define SURETY__WAIT_HOST_MS 10
/* The longest wait between two looks at *cancelled. */
#define SURETY__WAIT_SLICE_MS 50
surety_now surety__wait_now(void);
void surety__wait_sleep(uint32_t delay_ms);
/* What the run's exchange is under way on; NULL: none is. */
surety_transport *surety__wait_transport(const surety_run *run);

/* ---- id.c: ids and chance ------------------------------------------------ */

/* A seed from the system. SURETY_IO. */
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
