/* SPDX-License-Identifier: Apache-2.0 */
/* The door of run/: one run's state, and the leaves that run.c calls in order.
 * A leaf does its part and knows nothing of what comes before or after it. */
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

/* Where the machine stands. ORDER states (run.c). */
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

typedef struct surety__attempt {
    surety_attempt seen; /* what the caller sees */
    int64_t started_unix_ms;
    bool open; /* the ledger has a row of it that is not finished */
    bool sent; /* the provider may have seen it */
    bool part; /* what came of it is kept, for want of a valid reply */
    surety__case what;
    surety_str told; /* what came of it, a clause */
    size_t error_count;
    /* The value that was refused, as JSON; candidate_len where it is longer
     * than is kept. */
    surety_str candidate;
    size_t candidate_len;
    /* Of one that was stopped: what was found, with texts of the run's, and
     * whether the outcome says it, too. */
    surety_issue finding;
    bool outcome_tells;
    size_t read_on; /* from this byte on it was known to be wrong; 0: never */
    bool broke;     /* it ended by itself, and counts as stopped */
} surety__attempt;

/* An error that a reply of the model at hand had. */
typedef struct surety__finding {
    surety_issue issue; /* its texts are the run's */
    bool last;          /* the last reply that was judged has it */
    bool mended;        /* a later reply was seen to have it right */
    size_t
        noted; /* the number of the attempt, where it was seen while its reply
                * came and the judgement does not say it; 0: it says it */
} surety__finding;
/* Findings that are kept of one model's replies: those of four full reports
 * (findings_max), and more than a re-ask has room for. */
#define SURETY__FINDINGS_MAX 128

/* What a judgement was about, and how it was made. */
typedef struct surety__subject {
    surety_str text, native;
    bool cut, partial; /* the judge's options */
    bool faulty;       /* native is refused with the run's fault */
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
    bool waits;     /* a validator is not done */
    bool failed;    /* a validator failed; the cause says why */
    size_t attempt; /* whose reply is being judged */
} surety__judging;

/* A validator of the host, as the judge is given it (host.c). */
typedef struct surety__host {
    surety_run *run;
    const surety_validator *given;
} surety__host;

/* What a reply is checked as while it comes. */
typedef enum surety__watch_kind {
    WATCH_NOTHING = 0,
    WATCH_TEXT,   /* text, in which the value stands somewhere */
    WATCH_VALUE,  /* the structured value */
    WATCH_RUNAWAY /* anything: it may only run away */
} surety__watch_kind;

/* The check of the reply that is coming (watch.c). */
typedef struct surety__watch {
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
    surety_issue finding; /* its texts are the run's */
} surety__watch;

/* A schema for one subset, compiled when it is first needed. */
typedef struct surety__bound {
    bool tried;
    bool possible;
    surety_strict *strict; /* may be NULL where it is impossible */
    surety_str reason;     /* why it is */
    bool exemplified;
    surety_doc *example; /* the contract's, as it is delivered; or NULL */
    bool loosened;
    surety_contract *loose; /* what surely holds of values as they are
                             * delivered (loose.c); NULL: nothing */
} surety__bound;
#define SURETY__SUBSETS 4

struct surety_run {
    const surety_alloc *alloc;
    surety_run_options options; /* the defaults filled in */
    /* The options' own, where they were given: what the options point at. */
    surety_judge_options judge; /* its validators are host.c's */
    surety_prompt_options prompt_options;
    surety_extract given;   /* the judge's */
    surety_extract extract; /* of structured values: native comes first */
    uint32_t reask_max;
    surety_feedback feedback;
    surety__arena arena;   /* what lives as long as the run */
    surety__arena scratch; /* one request */
    surety_buf text;       /* whatever is being written */
    surety__decoder *decoder;
    surety_stream *stream;
    surety_contract *any; /* every value satisfies it */
    surety_doc *value, *restored, *plain;
    surety__bound bounds[SURETY__SUBSETS];
    uint64_t random;

    surety__run_state state;
    surety_run_verdict verdict;
    surety_status status; /* NOMEM once out of memory */
    surety_now now, begun;
    surety_str id, message, hint;

    /* Where it is on its way through models, modes and asks. */
    size_t model;
    surety_mode mode;
    uint32_t retries, reasks;
    uint32_t broken; /* of the retries: after a part of a reply had come */
    bool shortened;
    bool patch_failed;
    uint64_t violations; /* a hash of the last reply's; 0: none */
    surety__plan plan;
    uint64_t due_ms;
    surety_str why; /* of the mode, for the next attempt's reason */

    /* The exchange under way. */
    bool heard;  /* the first bytes are there */
    size_t came; /* bytes of the reply and its reasoning */
    bool ended;  /* the transport told its end */
    bool out_of_time;
    surety_delivery delivery;
    surety__watch watch;
    surety__judging judging; /* of the last answer */
    struct surety__opinion *opinions;

    surety__attempt *attempts;
    size_t attempt_count, attempt_cap;
    /* Of the model at hand, in the order in which they were seen. */
    surety__finding *findings;
    size_t finding_count, finding_cap;
    surety_usage usage;
    uint64_t tokens;      /* of usage, estimates too */
    uint64_t output_most; /* of one call */
    size_t whole_most;    /* bytes of the longest reply that came whole */
    bool stops; /* a reply of the model at hand was stopped for an error */
    uint64_t cost_picousd;
    bool cost_unknown;
    bool warned; /* that an optional ledger failed */

    /* The judgement of the last reply, and the one that re-asks are about: the
     * same, unless a patch did not apply. Each stands on its texts. */
    surety_outcome *outcome, *basis;
    surety__subject outcome_of, basis_of;
    /* What there is of the last reply that was cut off, where that may be
     * taken: the outcome of a run that gives up. */
    surety_outcome *part;
    surety__subject part_of;
    surety_str reply_first, reply_last;
    bool replied;
    surety_error cause; /* why a call or a judgement could not be made */
    surety_error fault; /* why a value could not be made the contract's */
};

/* Memory: a leaf that runs out of it sets status to NOMEM and goes on with
 * empty texts; the machine looks after each step. Every other failure is told
 * in cause. */

/* ---- attempt.c: making a call and sending it ----------------------------- */

const char *surety__purpose_name(surety__purpose purpose);
const surety_model *surety__run_model(const surety_run *run);
surety__attempt *surety__attempt_last(const surety_run *run);
/* Fills run->plan for the model and mode that the run stands at; false where no
 * such call can be made. */
bool surety__attempt_plan(surety_run *run, surety__purpose purpose);
/* The attempt of the plan, a row of the table; false: out of memory. */
bool surety__attempt_begin(surety_run *run);
/* Encodes and starts it; false: nothing was sent. */
bool surety__attempt_send(surety_run *run);
/* Ends its exchange where one is under way. */
void surety__attempt_stop(surety_run *run);

/* ---- mode.c: which mode a model is asked in ------------------------------ */

/* Sets mode to the best that model and schema allow, `from` or below it; why
 * says why no better one. */
void surety__mode_pick(surety_run *run, surety_mode from);
/* Whether there is a mode below the present one that may be gone to. */
bool surety__mode_may_sink(const surety_run *run);
/* Binds the plan to the schema as its mode wants it. */
void surety__mode_bind(surety_run *run);
/* What a prompt says of the schema that the plan is bound to. */
void surety__mode_show(surety_run *run, surety_prompt_options *options);
/* The subset's schema that the plan is bound by; NULL: none. */
surety__bound *surety__mode_bound(surety_run *run);

/* ---- loose.c: what surely holds of a value that is to be restored -------- */

/* As a contract; NULL: nothing. It is the bound's. */
const surety_contract *surety__loose_contract(surety_run *run,
                                              surety__bound *bound);

/* ---- watch.c: the check of a reply while it comes ------------------------ */

/* Makes ready for the reply to the plan. */
void surety__watch_begin(surety_run *run);
/* Takes a piece of it; from within the transport. */
void surety__watch_feed(surety_run *run, surety__piece piece, surety_str text);
/* Whether it is the structured value that is checked. */
bool surety__watch_is_value(const surety_run *run);
/* What came of it. */
surety_str surety__watch_reply(const surety_run *run);
/* Whether a structured value broke its contract while it still was JSON; also
 * of one that came whole. */
bool surety__watch_refuses(surety_run *run, surety_str native);
/* Takes over into the last attempt that it was stopped, and what was found. */
void surety__watch_note(surety_run *run);
/* The stage that the finding belongs to. */
surety_stage surety__watch_stage(const surety_issue *finding);
/* Appends the JSON report of the run's outcome, with the finding and the stop
 * of the attempt that it is of. */
surety_status surety__watch_report(const surety_run *run,
                                   const surety__attempt *attempt,
                                   surety_buf *out);

/* ---- weigh.c: whether a reply that is wrong is read on --------------------
 */

/* Whether a reply of which it is certain that it is wrong is not worth to be
 * read on. */
bool surety__weigh_stops(const surety_run *run);

/* ---- receive.c: an answer, and its judgement ----------------------------- */

/* Who hears of the exchange, and of the pieces of its answer. */
surety_receiver surety__receive_receiver(surety_run *run);
surety__listener surety__receive_listener(surety_run *run);
/* Takes the decoder's answer over into the last attempt. */
void surety__receive_answer(surety_run *run);
/* Judges it where there is something to judge, and says which case it is;
 * unless judging.waits: then it is to be called again. */
void surety__receive_judge(surety_run *run);
/* For a run that gives up and has no part of a reply: the judgement of the last
 * reply that was no patch, again with the contract's fallback where it has one.
 */
void surety__receive_fallback(surety_run *run);
/* Makes what there is of a reply the run's outcome; false: there is nothing. */
bool surety__receive_settle(surety_run *run);
/* Whether a part of a reply is taken where nothing better came. */
bool surety__receive_takes_part(const surety_run *run);
/* The judge's options for what was or will be judged. */
surety_judge_options surety__receive_options(const surety_run *run,
                                             const surety__subject *subject);
/* Forgets the judgements, and what re-asks would be about. */
void surety__receive_forget(surety_run *run);
void surety__receive_forget_basis(surety_run *run);

/* ---- host.c: the host's validators --------------------------------------- */

/* Puts its own before the judge's options' validators. MISUSE, NOMEM. */
surety_status surety__host_take(surety_run *run, surety_error *reterr);

/* ---- findings.c: what is known to be wrong, over all replies of a model ---
 */

/* Takes over what the run's outcome says: of the last attempt, whose reply
 * re-asks will be about. */
void surety__findings_take(surety_run *run);
/* Takes over an error that is seen while the reply comes. */
void surety__findings_note(surety_run *run, const surety_issue *issue);
/* What a re-ask tells beside the outcome, in memory of the run's: about the
 * reply whose outcome the basis is, or, unless judged, about no reply. */
const surety_prompt_finding *surety__findings_tell(surety_run *run, bool judged,
                                                   size_t *ret_count);
void surety__findings_forget(surety_run *run);

/* ---- budget.c: what may still be spent ----------------------------------- */

/* Empty where the plan's call may be sent in delay_ms; else what is spent, as a
 * clause. The one question before every call. */
surety_str surety__budget_denies(surety_run *run, uint64_t delay_ms);
/* Milliseconds until the time is spent. */
uint64_t surety__budget_left_ms(const surety_run *run);
/* Counts what the last attempt took. */
void surety__budget_count(surety_run *run);
uint64_t surety__budget_estimate(size_t bytes);
/* The most tokens that a reply of the model may have; 0: nobody knows. */
uint64_t surety__budget_reply_max(const surety_model *model);

/* ---- decide.c: what becomes of an attempt -------------------------------- */

/* Says in its told what came of the last attempt, a clause. */
void surety__decide_tell(surety_run *run);
/* Appends that an attempt was stopped, and why, as a sentence. */
void surety__decide_tell_stop(const surety_attempt *attempt, surety_buf *out);
/* Looks the last attempt's case up in the table. *ret_delay_ms: before a retry.
 * *ret_hindered: the clauses that say why nothing better is done. */
surety__action surety__decide(surety_run *run, uint64_t *ret_delay_ms,
                              surety_str *ret_hindered);
/* Makes the decision's sentence of it all, once the next call is planned.
 * spent: the budget's clause. */
void surety__decide_say(surety_run *run, surety__action action,
                        uint64_t delay_ms, surety_str hindered,
                        surety_str spent);
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
/* Ends a run of which nothing more is to be expected. spent: the budget's
 * clause, or empty. */
void surety__result_give_up(surety_run *run, surety_str spent);
/* Ends it for its ledger, and gives nothing out that is not recorded. */
void surety__result_unrecorded(surety_run *run);
void surety__result_event(surety_run *run, surety_event_kind kind,
                          surety_str text);
/* What run->text holds, kept as long as the run; empties it. */
surety_str surety__result_keep(surety_run *run);
surety_str surety__result_copy(surety_run *run, surety_str text);
surety_issue surety__result_issue(surety_run *run, const surety_issue *issue);
/* Appends text as one line: what a terminal acts on becomes a blank, and after
 * max characters come three dots. */
void surety__result_line(surety_buf *out, surety_str text, size_t max);

/* ---- report.c: a run as text --------------------------------------------- */

/* Appends the members usage and cost_picousd. */
void surety__report_spent(surety_buf *out, const surety_usage *usage,
                          bool cost_known, uint64_t picousd);

/* ---- wait.c: the system's clocks ----------------------------------------- */

/* A transport that failed although the exchange had ended, such as a recorder
 * that cannot write: the answer is there, and is paid for. So the run goes on,
 * and its caller hears of the first such failure at the end. */
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

#endif
