/* SPDX-License-Identifier: Apache-2.0 */
/* surety/reply.h: the whole job of the core: a contract and a model's reply in,
 * an outcome out.
 *
 *     surety_outcome *outcome = NULL;
 *     const surety_outcome_info *info;
 *
 *     if (surety_contract_judge(contract, reply, NULL, &outcome, &err))
 *         return fail(err.message);
 *     info = surety_outcome_info_of(outcome);
 *     if (info->ok)
 *         use(info->value);
 *     for (size_t i = 0; i < info->error_count; i++)
 *         show(surety_outcome_error(outcome, i));
 *     surety_outcome_free(outcome);
 *
 * A bad reply is no error: the call succeeds and the outcome says what is
 * wrong. The call fails only where it could not judge at all.
 *
 * Threads: a judge is owned and holds one thread's scratch memory; contracts
 * are shared. An outcome of surety_contract_judge is frozen. */
#ifndef SURETY_REPLY_H
#define SURETY_REPLY_H

#include <surety/base.h>
#include <surety/contract.h>
#include <surety/extract.h>
#include <surety/json.h>
#include <surety/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How far a reply got. ORDER stages (names in outcome.c). */
typedef enum surety_stage {
    SURETY_STAGE_DONE = 0, /* valid; null in a report */
    SURETY_STAGE_EXTRACTION,
    SURETY_STAGE_JSON_PARSE,
    SURETY_STAGE_VALIDATION
} surety_stage;
/* "extraction", "json_parse", "validation"; "done". */
SURETY_API const char *surety_stage_name(surety_stage stage);

/* A value for ${name} in a fallback. */
typedef struct surety_variable {
    surety_str name;
    surety_str value;
} surety_variable;

/* What a validator is asked about: a value that satisfies the contract's schema
 * and rules. Both values are good until the validator returns. */
typedef struct surety_validation {
    surety_val value; /* as it would be given out */
    surety_val given; /* before defaults were filled in and unknown members left
                       * out */
    /* How an issue is added; call surety_validation_add. */
    void *ctx;
    surety_status (*add)(void *ctx, surety_str instance_location,
                         surety_str message, surety_str hint);
} surety_validation;

/* Adds an issue: what is wrong, where in the value (a JSON Pointer, RFC 6901;
 * it may name a member that is missing), and what to do (may be empty). Texts
 * are copied. Of each candidate as many are kept as the limit findings_max, the
 * rest is counted. SURETY_MISUSE: no JSON Pointer, or no message; the judgement
 * fails then, too. SURETY_NOMEM. */
SURETY_API surety_status surety_validation_add(
    const surety_validation *validation, surety_str instance_location,
    surety_str message, surety_str hint);

/* A check of the host's own. A value to which it adds issues is refused, as if
 * the schema did, with the keyword "validator". All validators are asked, in
 * their order, of each value that satisfies schema and rules until one is
 * taken; not of one that is partial. One may be asked of the same value again.
 *
 * validate returns OK where it has said all. MORE: it is not done yet; all
 * others are asked, and then the judgement returns MORE, too, to be made again
 * with the same arguments, where it is asked again. Every other status: the
 * validator itself failed; the judgement fails with that status and says why,
 * with reterr's message, and nothing is valid. */
typedef struct surety_validator {
    surety_str name; /* in messages; may be empty */
    surety_status (*validate)(void *ctx, const surety_validation *validation,
                              surety_error *reterr);
    void *ctx;
} surety_validator;

typedef struct surety_judge_options {
    size_t size; /* sizeof(surety_judge_options) */
    /* What the provider's API delivered as structured output, as JSON text; an
     * empty text: nothing. The place native. Positions are then its own. */
    surety_str native;
    const surety_extract *extract; /* NULL: the contract's */
    bool no_fallback;
    bool derive; /* compute the derived members */
    const surety_variable *variables;
    size_t variables_count;
    const surety_repair *repair; /* NULL: the contract's level */
    bool certain_only;           /* no repair that is likely only */
    /* A reply that is cut off gives what is there, marked as partial. Also
     * where the contract says so (x-surety.partial). */
    bool partial;
    /* The provider says that it cut the reply off (length, a filter): nothing
     * that is open at its end is closed, and a number that ends it is open. */
    bool cut;
    const surety_validator *validators;
    size_t validator_count;
    /* Why native is not in the form that was asked for (surety_strict_restore):
     * then it is refused with this, under the keyword "strict", and nothing
     * else is looked for in it. native is then as it was delivered. NULL: it is
     * in that form. */
    const surety_error *native_fault;
    /* Of surety_contract_judge, in place of the contract's where they are not
     * 0; NULL: the contract's. A judge keeps those that it was made with. */
    const surety_limits *limits;
} surety_judge_options;

typedef struct surety_outcome surety_outcome;
typedef struct surety_judge surety_judge;

/* Judges one reply. The caller frees the outcome. NULL options: defaults.
 * SURETY_MORE: a validator is not done yet, and there is no outcome. A
 * validator's own failure; SURETY_NOMEM; SURETY_LIMIT where the reply or the
 * work on it is beyond a limit of the contract's; SURETY_IO where the process
 * that runs its rules cannot be used; with derive also SURETY_SYNTAX and
 * SURETY_TIMEOUT, where a derived member cannot be computed. The reply and the
 * contract must outlive the outcome. */
SURETY_API surety_status
surety_contract_judge(const surety_contract *contract, surety_str reply,
                      const surety_judge_options *options,
                      surety_outcome **ret_outcome, surety_error *reterr);
SURETY_API void surety_outcome_free(surety_outcome *outcome); /* takes NULL */

/* The reusable form: a valid reply to a contract without rules allocates
 * nothing once the scratch memory has grown. The outcome belongs to the judge
 * and is good until its next call. */
SURETY_API surety_judge *surety_judge_new(const surety_alloc *alloc,
                                          const surety_limits *limits);
SURETY_API void surety_judge_free(surety_judge *judge); /* takes NULL */
SURETY_API surety_status surety_judge_reply(surety_judge *judge,
                                            const surety_contract *contract,
                                            surety_str reply,
                                            const surety_judge_options *options,
                                            const surety_outcome **ret_outcome,
                                            surety_error *reterr);

/* ---- outcome ---------------------------------------------------------- */

/* What came of a reply. All of it belongs to the outcome. */
typedef struct surety_outcome_info {
    size_t size;   /* sizeof(surety_outcome_info) of the library */
    bool ok;       /* the value satisfies the contract; a fallback does not */
    bool fallback; /* the value is the contract's fallback */
    /* The value is what there is of one that was cut off. What has come
     * satisfies the contract as far as that can be said; what has not come was
     * not asked for. */
    bool partial;
    bool patchable; /* the reply held JSON whose value a patch can mend
                     * (SURETY_FEEDBACK_PATCH) */
    surety_stage stage;
    /* The value to use: the valid one (defaults filled in, unknown members left
     * out, as the contract says), or the fallback's; else SURETY_NONE. */
    surety_val value;
    /* The value of the candidate that the outcome is about, as it was read,
     * valid or not: what the errors' instance locations point into. SURETY_NONE
     * where nothing parsed. */
    surety_val candidate;
    surety_val derived; /* one object; SURETY_NONE unless asked for */
    surety_place place; /* of the candidate, */
    size_t start, end;  /* and its bytes in the reply */
    surety_str open;    /* of a partial value: the JSON Pointer of the innermost
                         * value that is open */
    size_t error_count;
    size_t warning_count;
    size_t repaired_count;
} surety_outcome_info;
/* NULL: of no reply, with nothing in it. */
SURETY_API const surety_outcome_info *
surety_outcome_info_of(const surety_outcome *outcome);

/* What is wrong, or (a warning) worth saying. position is of the reply as the
 * user sees it; line 0 where there is none. Texts belong to the outcome. The
 * keywords of findings that are no keyword of JSON Schema: "extraction",
 * "json_parse", "rules", "validator", "strict"; of warnings: "duplicate_key",
 * "deprecated" (the contract, or a member that a valid value has), "fallback",
 * "truncated", and "ambiguous": another value of the reply satisfies the
 * contract, too, and differs (it stands at the position, and the message says
 * where the one that was taken stands); or, where repairs are allowed, one of a
 * place before is cut off. */
typedef struct surety_issue {
    surety_str keyword;
    surety_str instance_location;
    surety_str keyword_location;
    surety_str absolute_keyword_location;
    surety_str message;
    surety_str hint;
    surety_position position;
} surety_issue;

/* The i-th of error_count, and of warning_count; one without texts past the
 * last. */
SURETY_API surety_issue surety_outcome_error(const surety_outcome *outcome,
                                             size_t i);
SURETY_API surety_issue surety_outcome_warning(const surety_outcome *outcome,
                                               size_t i);

/* The forms of a report. */
typedef enum surety_report {
    SURETY_REPORT_JSON = 0, /* one object on one line, the contract
                             * surety/report; no newline at its end */
    SURETY_REPORT_TEXT,     /* compiler style, with the source line */
    SURETY_REPORT_COLOR,    /* the same with ANSI colours */
    SURETY_REPORT_PLAIN,    /* a line an error: MESSAGE (path: a/b/0) */
    SURETY_REPORT_GITHUB,   /* workflow commands of GitHub Actions */
    SURETY_REPORT_SARIF     /* the results array's items of SARIF 2.1.0, comma
                             * separated; the caller writes the run around */
} surety_report;

/* How surety_issue_write shows an issue. All zero but size: an error, without
 * the line in which it is. */
typedef struct surety_issue_form {
    size_t size;        /* sizeof(surety_issue_form) */
    surety_str source;  /* names the text: "reply.md"; empty: "reply" */
    surety_str text;    /* what its position counts in; empty: no line shown */
    surety_str subject; /* "contract a/b@1.0.0": whose keyword it breaks */
    bool warning;
} surety_issue_form;

/* Appends an issue, which need not be of a reply: as an item of a report's
 * errors (JSON, which takes no form), as compilers write it (TEXT, COLOR), or
 * as a workflow command of GitHub Actions (GITHUB, a line; of form source and
 * warning count). A position's line may be another than its offset says, for a
 * text that is one line of a file. What a terminal would act on is escaped.
 * NULL form: all zero. SURETY_MISUSE: PLAIN or SARIF; else the buffer's status.
 */
SURETY_API surety_status surety_issue_write(const surety_issue *issue,
                                            surety_report report,
                                            const surety_issue_form *form,
                                            surety_buf *out);

/* What was repaired: a liberty in reading the text, or a change toward the
 * schema. position is of the reply as the user sees it. Texts belong to the
 * outcome. */
typedef struct surety_repaired {
    const char *kind;             /* docs/repair.md lists them */
    bool likely;                  /* false: certain */
    surety_str instance_location; /* of a change; empty for one of the text */
    surety_str stood; /* the bytes, or the value before as JSON, shortened */
    surety_str read;  /* what it was taken for; empty: nothing */
    uint32_t cost;    /* of a change; 0 for one of the text */
    surety_position position;
} surety_repaired;
/* The i-th of repaired_count. */
SURETY_API surety_repaired
surety_outcome_repaired(const surety_outcome *outcome, size_t i);

typedef struct surety_report_options {
    size_t size; /* sizeof(surety_report_options) */
    /* Characters of the reply that the member raw of JSON has; 0: 500, and
     * SURETY_RAW_NONE: none, so that it is "". */
    size_t raw_max;
} surety_report_options;
#define SURETY_RAW_NONE SIZE_MAX

/* Appends the outcome's report. source names the reply ("reply.md") in the
 * forms that show it. NULL options: the defaults. Control characters of the
 * reply are escaped. SURETY_MISUSE: no outcome, no buffer, or no such form or
 * size; else the buffer's status. */
SURETY_API surety_status surety_outcome_write(
    const surety_outcome *outcome, surety_report form, surety_str source,
    const surety_report_options *options, surety_buf *out);

#ifdef __cplusplus
}
#endif
#endif
