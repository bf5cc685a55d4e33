/* SPDX-License-Identifier: Apache-2.0 */
/* surety/run.h: runs a whole job: prompt, model call, check, re-ask, value.
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
 * A run is a state machine: each step gets the time and what its transports
 * received. surety_run_wait is a loop around that for one run. Every class of
 * failure has a policy (docs/run.md lists them), and one budget covers all
 * calls.
 *
 * Threads: a run is owned, and so are its models' transports and its ledger. */
#ifndef SURETY_RUN_MACHINE_H
#define SURETY_RUN_MACHINE_H

#include <surety/base.h>
#include <surety/contract.h>
#include <surety/ledger.h>
#include <surety/message.h>
#include <surety/prompt.h>
#include <surety/provider.h>
#include <surety/reply.h>
#include <surety/stream.h>
#include <surety/tool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* None (no retries, no time, ...), for members in which 0 means the default. */
#define SURETY_RUN_NONE UINT32_MAX

/* What a run may spend in all its attempts together. 0: the default. It is
 * checked before every call: calls and time never exceed it; tokens and money
 * may exceed it by one reply, whose length is known only afterwards. */
typedef struct surety_budget {
    uint32_t calls_max;  /* 8: calls that were sent, including retries; with
                          * tools steps_max more */
    uint64_t tokens_max; /* 1,000,000: input and output; a call with unknown
                          * usage counts with an estimate (bytes / 3) */
    uint64_t ms_max;     /* 1,200,000: twenty minutes of real time */
    uint64_t cost_picousd_max; /* no limit; a limit needs prices, else
                                * SURETY_MISUSE */
} surety_budget;

/* How a call that failed without a reply is retried. 0: the default. */
typedef struct surety_backoff {
    uint32_t retries_max; /* 3: consecutive retries of one call; or
                           * SURETY_RUN_NONE */
    uint32_t first_ms;    /* 500: first delay; doubled each time, with full
                           * jitter */
    uint32_t most_ms;     /* 8,000: longest delay */
    uint32_t retry_after_max_ms; /* 60,000: for a longer Retry-After the run
                                  * does not wait, but goes to the next model or
                                  * ends */
} surety_backoff;

typedef enum surety_event_kind {
    SURETY_EVENT_ATTEMPT = 0, /* a call is about to be sent */
    SURETY_EVENT_TEXT,        /* a chunk of the reply */
    SURETY_EVENT_REASONING,   /* a chunk of the model's reasoning */
    SURETY_EVENT_DECISION,    /* a decision, as a sentence */
    SURETY_EVENT_TOOL,        /* a tool is called: its arguments, as JSON */
    SURETY_EVENT_RESULT,      /* what the call gave, as the model reads it */
    SURETY_EVENT_VALUE,       /* the value so far, as JSON */
    SURETY_EVENT_ITEM,        /* an element of the array, as JSON */
    SURETY_EVENT_HEAD,        /* the head of a response that is passed on
                               * (surety_run_response_info_of) */
    SURETY_EVENT_BYTES,       /* bytes of its body, as they are */
    SURETY_EVENT_OUTPUT,      /* a piece of the value's JSON text */
    /* The item of the reasoning that has just ended, as JSON, where the
     * provider wants it back (surety_part.raw): signed, or encrypted. */
    SURETY_EVENT_REASONING_ITEM
} surety_event_kind;
typedef struct surety_event {
    surety_event_kind kind;
    uint32_t attempt; /* from 1 */
    surety_str text;
    surety_str tool; /* TOOL, RESULT: the tool's name */
    surety_str call; /* TOOL, RESULT: what pairs them */
    size_t item;     /* ITEM: its index in the array */
} surety_event;

/* When to stop a call whose reply can no longer become valid.
 * ORDER stops (names in run/watch.c). */
typedef enum surety_stop {
    /* When the rest of the reply is likely to cost more than another re-ask.
     * Until then it is read, because it shows more errors for the same
     * re-ask. */
    SURETY_STOP_WEIGH = 0,
    SURETY_STOP_ALWAYS, /* at the first certain error */
    SURETY_STOP_NEVER   /* only if the reply runs away */
} surety_stop;
/* Whether the value's JSON text is given out in pieces. */
typedef enum surety_run_output {
    SURETY_RUN_OUTPUT_OFF = 0,
    /* Once a piece was given there is no other call: the first reply that is
     * certainly wrong ends the run. */
    SURETY_RUN_OUTPUT_LIVE,
    /* Another call tells the model what was given, and that its value must
     * begin with it; what was given is never longer than 16 KiB then. */
    SURETY_RUN_OUTPUT_RESUME
} surety_run_output;
typedef struct surety_run_options {
    size_t size; /* sizeof(surety_run_options) */
    /* NULL: no schema, no instructions and no re-asks; the reply is the
     * result. */
    const surety_contract *contract;
    surety_str system; /* may be empty */
    surety_str prompt;
    /* Put the format instructions into the system prompt. A contract's template
     * for the system part follows system in any case. */
    bool instruct_system;
    const surety_prompt_options *prompt_options; /* NULL: defaults */
    /* NULL: defaults; the run sets native. Its validators are called once for
     * each value of a reply. A value that they refuse leads to a re-ask like
     * every other error; a validator that fails ends the run. */
    const surety_judge_options *judge;
    /* The models, in order: the run calls the first, and goes to the next when
     * it gives a model up. */
    const surety_model *models;
    size_t model_count;
    surety_budget budget;
    surety_backoff backoff;
    /* Re-asks of each model after the first call; 0: the contract's retry_max;
     * SURETY_RUN_NONE: none. */
    uint32_t retry_max;
    bool has_feedback; /* use feedback instead of the contract's */
    surety_feedback feedback;
    /* A reply is checked while it arrives. Its call is stopped if no
     * continuation can satisfy the contract (see the member stop), or if it
     * runs away (stream.h). With commit the call is also stopped if the first
     * value in the reply cannot become valid: the run does not wait for another
     * value after it. */
    bool commit;
    /* Records each attempt; NULL: no ledger. If the ledger cannot write, the
     * run ends, unless ledger_optional is set. */
    surety_ledger *ledger;
    bool ledger_optional;
    /* Is called with each event, from within step, wait and cancel. It may read
     * the run's attempts, and must not step, cancel or free the run. Chunks of
     * a reply come before the reply is judged and recorded. May be NULL. */
    void (*event)(void *ctx, const surety_event *event);
    void *event_ctx;
    uint64_t seed; /* for jitter and ids; 0: random, from the system */
    /* Limits of every reply; a member that is 0 means the contract's. */
    const surety_limits *limits;
    const surety_alloc *alloc;
    /* How many of the consecutive retries may repeat a call that failed after a
     * part of its reply had arrived; 0: 1; or SURETY_RUN_NONE. The part is paid
     * for, and so is each repetition; and a call that broke twice in the middle
     * of the reply is likely to break there again (a proxy's time limit). */
    uint32_t broken_retries_max;
    surety_stop stop;
    /* The conversation before the prompt. The prompt, with its format
     * instructions, joins the last message if that is the user's; if it is
     * empty, the instructions alone do. A message that a model's protocol
     * cannot carry fails before the call, with its name. */
    const surety_message *messages;
    size_t message_count;
    /* surety_run_messages also has the replies that failed, each with its
     * re-ask. */
    bool keep_reasks;
    /* Tools that the models may call, NULL: none. The calls of a reply are made
     * side by side; their results, or what was wrong, are the next message. A
     * reply without calls is judged. The set is the run's until the run is
     * freed. */
    surety_tools *tools;
    /* Replies that may call tools; 0: 16. After the last one the model may only
     * answer. */
    uint32_t steps_max;
    /* Calls of tools in the whole run; 0: 64. A call beyond is not made, and
     * the model may only answer. */
    uint32_t tool_calls_max;
    /* Values as they come: SURETY_EVENT_VALUE gives the value so far, closed
     * (stream.h), of the reply that arrives, as long as it may become valid.
     * Bytes that arrive together give at most one, and each differs from the
     * one before; the next attempt begins anew. The last one of a run that ends
     * VALID, PARTIAL or FALLBACK is the value that the run gives, with defaults
     * and without unknown members; rely on no other.
     *
     * Only that last one comes for a patch, and where a reply may be a call:
     * with tools in mode PROMPT. Without a contract there is none.
     *
     * Behind a value of N bytes the next one is written when N / 256 bytes of
     * reply more have come (where a provider's form is converted back, N is
     * what came): so values are linear in the reply, and short ones come with
     * every chunk. */
    bool values;
    /* The elements of an array as they come: SURETY_EVENT_ITEM gives each when
     * it has ended and is valid on its own (surety_items of stream.h), once and
     * in order, over all attempts. None is taken back: another call tells the
     * model what was given, a value that does not begin with it is refused (the
     * keyword is "validator"), and a fallback or a partial value that does not
     * is not taken. So after VALID and FALLBACK what was given is the array of
     * the run's value, and after PARTIAL its beginning; after any other verdict
     * it stays as the whole elements of replies that failed.
     *
     * Where values come only at the end (see there), so do elements; a reply
     * that may be a call gives them too where a model has tools of its own.
     * NULL: none. They are of the run's contract, outlive the run, and are its
     * own until it is freed. What another run gave with them stays given. */
    surety_items *items;
    /* For a set of declared tools (tool.h), whose calls the caller makes. A
     * model that must call (REQUIRED, NAMED) is not asked by the contract. A
     * choice that the protocol of a model does not have is SURETY_MISUSE. */
    surety_tool_choice tool_choice;
    surety_str tool_choice_name; /* NAMED: the tool */
    bool single_call;            /* a reply may call one tool only */
    /* Is called when the run has something to do at its next step because of
     * what a transport gave it: the first bytes of a response, its end, a reply
     * that is to be stopped, the end of a tool's call. So a caller with many
     * runs steps only these, and those whose delay has passed. It is called
     * from within wait, start or cancel of a transport, and may only take a
     * note. May be NULL. */
    void (*ready)(void *ctx);
    void *ready_ctx;
    /* Pass-through: a request of the caller's own in place of the prompt and
     * all that belongs to it (contract, messages, tools, ...): an object of
     * JSON in the protocol that all models have. It is sent as it is, but for
     * the model's name; model.extra is not used, and model.whole says whether
     * it asks for a stream. The response is given out as it comes
     * (SURETY_EVENT_HEAD, SURETY_EVENT_BYTES) and decoded beside it, for the
     * usage and the ledger. Retries and the next model follow as for every
     * call, until bytes of a response with a status of success were given out;
     * the response of another status is given out when the run gives up. The
     * run is VALID when a response of success was passed on to its end.
     *
     * Declared tools that repair nothing (surety_tools_options.repair) may
     * stand beside it: functions that the request offers.
     * A response of success is then held back until it is complete, and given
     * out byte for byte if each call of one of them has valid arguments as it
     * is. Otherwise the request is sent again with the calls and their errors
     * behind its messages. A call of a tool that is not in the set is
     * not looked at: the request may have more. */
    surety_str request;
    /* Added to the request, unless the model has them; "accept-encoding" and
     * those that frame the message are refused. */
    const surety_header *request_headers;
    size_t request_header_count;
    /* Another path below the models' base URL ("/embeddings", "/models"), with
     * a query; {model} in it stands for the model's name. Such a response is
     * not looked at, but for its status; request may be empty. */
    surety_str request_path;
    surety_str request_method; /* empty: "POST" */
    /* The value's JSON text, without white space, as it comes:
     * SURETY_EVENT_OUTPUT gives pieces that can no longer change: what has
     * ended, and the characters of a string so far. No piece is taken back: a
     * value that does not begin with them is refused (the keyword is
     * "validator"). So for VALID, PARTIAL and FALLBACK they are, joined, the
     * value that the run gives; else they are the beginning of one that, as far
     * as was known, may be valid. A reply is stopped at its first certain
     * error. Where values come only at the end (values), so does the text.
     * LIVE and RESUME are SURETY_MISUSE for a contract that
     * surety_run_output_allows does not allow. */
    surety_run_output output;
    /* Is asked before each call, when the budget allows it; call counts from 1.
     * SURETY_OK: the call is made. SURETY_MORE: not now; it is asked again at
     * the next step, which the caller makes when it knows. SURETY_END: not by
     * this model: the run goes to the next one, and without one it ends with
     * PROVIDER, or, where there are replies, as if the call had failed. Any
     * other status ends the run as a spent budget does. The error's message
     * becomes the run's. May be NULL. */
    surety_status (*allow)(void *ctx, const surety_model *model, uint32_t call,
                           surety_error *reterr);
    void *allow_ctx;
    /* Kept with each attempt in the ledger: who is charged for it, by the id of
     * a key (keys.h) or another name that is no secret. May be empty; must
     * outlive the run. */
    surety_str key;
    /* Kept with each attempt in the ledger: a name of the caller's work, by
     * which statistics group (stats.h). May be empty; must outlive the run. */
    surety_str tag;
    /* The request is any bytes, of the content type request_type (empty: none
     * is said), and goes as it is to request_path, in which {model} stands for
     * nothing. Nothing of it or its response is recorded or counted as tokens.
     * A POST or PATCH that was sent is not sent again, whatever came of it. */
    bool request_as_is;
    surety_str request_type;
} surety_run_options;

/* OK: the text of the contract's values may be given out before they are whole,
 * judged so (NULL: as the contract says). SURETY_UNSUPPORTED: a value is
 * changed at its end, because defaults are filled in, unknown members left out,
 * or alignment is allowed; the message says which. SURETY_NOMEM. */
SURETY_API surety_status surety_run_output_allows(
    const surety_contract *contract, const surety_judge_options *judge,
    surety_error *reterr);

/* How a run ended. ORDER verdicts (names in run/result.c). */
typedef enum surety_run_verdict {
    SURETY_RUN_PENDING = 0,
    SURETY_RUN_VALID,    /* there is a value that satisfies the contract, or,
                          * without a contract, a reply */
    SURETY_RUN_PARTIAL,  /* no reply is valid and no further call is possible
                          * (the message says if the budget is the reason), but
                          * there is a partial value, and the contract or the
                          * judge's options allow it */
    SURETY_RUN_FALLBACK, /* no reply is valid and no further call is possible, a
                          * reply was judged, and the value is the contract's
                          * fallback */
    SURETY_RUN_REJECTED, /* there are replies, but none is valid */
    SURETY_RUN_REFUSED,  /* the model or a filter refuses */
    SURETY_RUN_PROVIDER, /* no model gave a reply */
    SURETY_RUN_BUDGET,   /* the budget was used up first */
    SURETY_RUN_LEDGER,   /* the ledger could not write; an answer without a
                          * record is not given out */
    SURETY_RUN_CANCELLED,
    SURETY_RUN_VALIDATOR, /* a validator failed, so the reply is not valid, and
                           * a re-ask would not help */
    SURETY_RUN_CALLS      /* the model calls declared tools, with valid
                           * arguments */
} surety_run_verdict;
/* "pending", "valid", "partial", "fallback", "rejected", "refused", "provider",
 * "budget", "ledger", "cancelled", "validator", "calls"; never NULL. */
SURETY_API const char *surety_run_verdict_name(surety_run_verdict verdict);

typedef struct surety_run surety_run;

/* Checks and copies the options, and starts nothing. Everything that the
 * options point to must outlive the run. SURETY_MISUSE: there is no model, a
 * model has no transport or has a mode that its protocol does not support,
 * there is a cost limit and a model has no price, ...; SURETY_SYNTAX: a
 * template is wrong (surety_prompt_check); SURETY_IO: the system gives no
 * random bytes for a seed; SURETY_NOMEM. */
SURETY_API surety_status surety_run_new(const surety_run_options *options,
                                        surety_run **ret_run,
                                        surety_error *reterr);
/* Cancels the exchange under way and frees the run. */
SURETY_API void surety_run_free(surety_run *run); /* takes NULL */

typedef struct surety_now {
    uint64_t monotonic_ms; /* for all delays and time limits */
    int64_t unix_ms;       /* only for records; may jump */
} surety_now;

/* Does all work that is possible now. OK: the run has ended. MORE: call again
 * when the wait of a transport of its models has returned, when a validator
 * that was not done has its result, and at the latest after *ret_delay_ms.
 * NOMEM: out of memory; the run has ended with CANCELLED. now's monotonic clock
 * may start at any value; the run counts from its first step. */
SURETY_API surety_status surety_run_step(surety_run *run, surety_now now,
                                         uint32_t *ret_delay_ms,
                                         surety_error *reterr);
/* Steps the run with the system's clocks until it has ended; then OK for every
 * verdict. cancelled may be NULL. When *cancelled is not 0 (set by a signal
 * handler), it cancels the run within 100 ms. Fails with NOMEM, or with the
 * status of a transport's wait that failed.
 * In the latter case, if the run's exchange had already ended, the run
 * continues and gets its verdict (so a recorder that cannot write costs no
 * answer); otherwise the run ends with CANCELLED. */
SURETY_API surety_status surety_run_wait(surety_run *run,
                                         const volatile int *cancelled,
                                         surety_error *reterr);
/* Ends the run with CANCELLED; the exchange under way is closed and
 * recorded. */
SURETY_API void surety_run_cancel(surety_run *run, surety_now now);

/* ---- results: valid until the run is freed ----------------------------- */

/* The state or the result of a run. The texts belong to the run. The next call
 * of surety_run_info_of updates the struct. */
typedef struct surety_run_info {
    size_t size; /* sizeof(surety_run_info) of the library */
    surety_run_verdict verdict;
    surety_str message; /* empty, or why there is no valid value: a sentence, */
    surety_str hint;    /* and how to fix it */
    /* The outcome of the last reply that was judged, including the fallback;
     * NULL: there is no contract or no such reply. */
    const surety_outcome *outcome;
    /* The first and the last reply: text, or the structured value as JSON. */
    surety_str reply_first;
    surety_str reply_last;
    surety_usage usage; /* total; not known: a part is an estimate */
    bool cost_known;    /* every model that was called has a price */
    uint64_t cost_picousd;
    surety_str id; /* a UUID, made at the first step; empty before */
    size_t attempt_count;
    size_t tool_use_count;
} surety_run_info;
/* run NULL: gives an empty info. */
SURETY_API const surety_run_info *surety_run_info_of(const surety_run *run);

/* One call of a run, and its result. */
typedef struct surety_attempt {
    surety_str id;      /* a UUID */
    surety_str purpose; /* "ask", "retry", "re-ask", "patch", "step" */
    const surety_model *model;
    surety_mode mode;
    surety_str prompt; /* the last message of the call */
    surety_answer answer;
    bool judged; /* there is a report */
    bool ok;
    surety_stage stage;
    surety_str report; /* the JSON report (surety/report); empty: not judged */
    /* Why the run stopped the call (a state of stream.h; OPEN: it did not),
     * and after how many bytes of the reply. The part that came is judged.
     * stopped_tokens is an estimate of its tokens. saved_tokens is the most
     * tokens that stopping saved; it is known if the model has a maximum. */
    surety_stream_state stopped;
    uint64_t stopped_bytes;
    uint64_t stopped_tokens;
    bool saved_known;
    uint64_t saved_tokens;
    uint64_t started_ms; /* on the caller's monotonic clock; 0: never */
    uint64_t first_byte_ms, ended_ms;
    bool cost_known; /* an estimate where the answer's usage is not known */
    uint64_t cost_picousd;
    surety_str decision; /* the decision after the call, with its reason */
    surety_str reason;   /* why the call was made, and why in this mode */
    /* The rejected value of its reply, as it was read, as JSON; for a reply
     * that was stopped, the part that had come. Empty if there is none, or if
     * it is longer than attempt_raw_max. */
    surety_str candidate;
    size_t candidate_len; /* its full length, also if candidate is empty */
} surety_attempt;
/* Returns the i-th of attempt_count attempts; past the last, an attempt without
 * a model. */
SURETY_API surety_attempt surety_run_attempt(const surety_run *run, size_t i);
/* One call of a tool by a model. */
typedef struct surety_tool_use {
    surety_str id;        /* a UUID: of its row in the ledger */
    uint32_t attempt;     /* the number of the attempt whose reply has it */
    surety_str call;      /* what pairs call and result in the conversation */
    surety_str name;      /* the tool's */
    surety_str arguments; /* as JSON, with their repairs */
    surety_str result;    /* what the model gets */
    surety_tool_failure failure;
    surety_str message;            /* why it failed; else empty */
    bool made;                     /* the tool was called, or may have been */
    uint64_t started_ms, ended_ms; /* on the caller's monotonic clock */
} surety_tool_use;
/* Returns the i-th of tool_use_count calls, in the order of the replies; past
 * the last, a call without a name. After CALLS, those of the last attempt are
 * what the caller has to call. */
SURETY_API surety_tool_use surety_run_tool_use(const surety_run *run, size_t i);
/* Returns the report of the arguments of the i-th call, of a declared tool, as
 * JSON (the contract surety/report), with their errors and repairs; empty: they
 * were not judged. */
SURETY_API surety_str surety_run_tool_report(const surety_run *run, size_t i);
/* Returns the conversation to go on with: the options' messages, the prompt
 * without format instructions, the calls of tools with their results, and the
 * answer as it came, with what its provider wants to get back; without the
 * answer until the run is VALID. After CALLS the last message has the calls.
 * The texts belong to the run or to its options. */
SURETY_API const surety_message *surety_run_messages(const surety_run *run,
                                                     size_t *ret_count);
/* The head of the response that is passed on. */
typedef struct surety_run_response_info {
    size_t size; /* sizeof(surety_run_response_info) of the library */
    int status;
    const surety_header *headers;
    size_t header_count;
} surety_run_response_info;
/* Returns the head of the last response that was given out, from its
 * SURETY_EVENT_HEAD on; NULL: none was. */
SURETY_API const surety_run_response_info *
surety_run_response_info_of(const surety_run *run);
/* Appends the run's report. JSON: the contract surety/report with the run's
 * members (verdict, attempts with their decisions, usage, cost), one object on
 * one line. Other forms: the report of the outcome, or the message if there is
 * none; TEXT and COLOR also have the message and the log, unless the run is
 * VALID. No form has a header of a request or response. */
SURETY_API surety_status surety_run_write(const surety_run *run,
                                          surety_report form, surety_str source,
                                          surety_buf *out);
/* Appends the log of decisions for people: two lines for each attempt, the call
 * and the decision after it. */
SURETY_API surety_status surety_run_write_log(const surety_run *run, bool color,
                                              surety_buf *out);

#ifdef __cplusplus
}
#endif
#endif
