/* SPDX-License-Identifier: Apache-2.0 */
/* surety/reply.h: judges a model's reply by a contract and gives an outcome.
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
 * A bad reply is no error: the call succeeds and the outcome lists the errors.
 * The call fails only if it cannot judge the reply.
 *
 * Threads: a judge is owned and has one thread's scratch memory; contracts may
 * be shared. An outcome of surety_contract_judge is frozen. */
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

/* The stage that a judged reply reached. ORDER stages (names in outcome.c). */
typedef enum surety_stage {
    SURETY_STAGE_DONE = 0, /* valid; null in a report */
    SURETY_STAGE_EXTRACTION,
    SURETY_STAGE_JSON_PARSE,
    SURETY_STAGE_VALIDATION
} surety_stage;
/* Returns "extraction", "json_parse", "validation" or "done". */
SURETY_API const char *surety_stage_name(surety_stage stage);

/* A value for ${name} in a fallback. */
typedef struct surety_variable {
    surety_str name;
    surety_str value;
} surety_variable;

/* The value that a validator checks. It satisfies the contract's schema and
 * rules. Both values are valid until the validator returns. */
typedef struct surety_validation {
    surety_val value; /* as the outcome would have it */
    surety_val given; /* before defaults were filled in and unknown members left
                       * out */
    /* Used by surety_validation_add, which adds an issue. */
    void *ctx;
    surety_status (*add)(void *ctx, surety_str instance_location,
                         surety_str message, surety_str hint);
} surety_validation;

/* Adds an issue: an instance location (a JSON Pointer, RFC 6901; it may name a
 * missing member), a message, and a hint (may be empty). Texts are copied. For
 * each candidate at most findings_max issues are kept; further ones are
 * counted. SURETY_MISUSE: the location is no JSON Pointer, or there is no
 * message; then the judgement fails too. SURETY_NOMEM. */
SURETY_API surety_status surety_validation_add(
    const surety_validation *validation, surety_str instance_location,
    surety_str message, surety_str hint);

/* A check by the calling program. A value for which it adds issues is not
 * valid, as if it broke the schema, with the keyword "validator". All
 * validators are called in their order for each value that satisfies schema and
 * rules, until one value is accepted; they are not called for a partial value.
 * A validator may be called for the same value again.
 *
 * validate returns OK when it has added all its issues. MORE: it is not done
 * yet; the other validators are called, and the judgement returns MORE too. The
 * caller then repeats the judgement with the same arguments, which calls the
 * validator again. Every other status: the validator itself failed; the
 * judgement fails with that status and with reterr's message, and no value is
 * valid. */
typedef struct surety_validator {
    surety_str name; /* in messages; may be empty */
    surety_status (*validate)(void *ctx, const surety_validation *validation,
                              surety_error *reterr);
    void *ctx;
} surety_validator;

typedef struct surety_judge_options {
    size_t size; /* sizeof(surety_judge_options) */
    /* The structured output that the provider's API delivered, as JSON text
     * (the place native); empty: none. Positions are then positions in this
     * text. */
    surety_str native;
    const surety_extract *extract; /* NULL: the contract's */
    bool no_fallback;
    bool derive; /* compute the contract's derived members */
    const surety_variable *variables;
    size_t variables_count;
    const surety_repair *repair; /* NULL: the contract's level */
    bool certain_only;           /* make no likely repair */
    /* A reply that was cut off gives a partial value. The contract can ask for
     * this too (x-surety.partial). */
    bool partial;
    /* The provider says that it cut the reply off (length, a filter): no value
     * that is open at the end is closed, and a number at the end is open. */
    bool cut;
    const surety_validator *validators;
    size_t validator_count;
    /* Why native does not have the form that was asked for (the error of
     * surety_strict_restore). native is then the text as delivered; it is
     * refused with this error, under the keyword "strict", and is not searched
     * or checked further. NULL: it has that form. */
    const surety_error *native_fault;
    /* Only for surety_contract_judge: members that are not 0 replace the
     * contract's limits; NULL: the contract's. A judge keeps the limits that it
     * was made with. */
    const surety_limits *limits;
} surety_judge_options;

typedef struct surety_outcome surety_outcome;
typedef struct surety_judge surety_judge;

/* Judges one reply. The caller frees the outcome; the reply and the contract
 * must outlive it. NULL options: defaults. SURETY_MORE: a validator is not done
 * yet, and there is no outcome. The status of a validator that failed;
 * SURETY_NOMEM; SURETY_LIMIT: the reply or the work on it exceeds a limit;
 * SURETY_IO: the process that runs the contract's rules cannot be used; with
 * derive also SURETY_SYNTAX and SURETY_TIMEOUT: a derived member cannot be
 * computed. */
SURETY_API surety_status
surety_contract_judge(const surety_contract *contract, surety_str reply,
                      const surety_judge_options *options,
                      surety_outcome **ret_outcome, surety_error *reterr);
SURETY_API void surety_outcome_free(surety_outcome *outcome); /* takes NULL */

/* The reusable form: judging a valid reply to a contract without rules
 * allocates nothing once the scratch memory is large enough. The outcome
 * belongs to the judge and is valid until the judge's next call. */
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

/* The outcome's data. Everything belongs to the outcome. */
typedef struct surety_outcome_info {
    size_t size;   /* sizeof(surety_outcome_info) of the library */
    bool ok;       /* the value satisfies the contract; a fallback does not */
    bool fallback; /* the value is the contract's fallback */
    /* The value is partial: its text was cut off. The part that is there
     * satisfies the contract as far as that can be checked; missing parts were
     * not required. */
    bool partial;
    bool patchable; /* the reply has JSON whose value a JSON Patch can correct
                     * (SURETY_FEEDBACK_PATCH) */
    surety_stage stage;
    /* The value to use: the valid value (with defaults filled in and unknown
     * members left out, if the contract says so), or the fallback; else
     * SURETY_NONE. */
    surety_val value;
    /* The value of the candidate that was judged, as it was read, valid or not.
     * Instance locations of errors are locations in this value. SURETY_NONE if
     * no candidate was JSON. */
    surety_val candidate;
    surety_val derived; /* an object; SURETY_NONE without derive */
    surety_place place; /* place of the candidate, */
    size_t start, end;  /* and its byte offsets in the reply */
    surety_str open;    /* for a partial value: JSON Pointer of its innermost
                         * open value */
    size_t error_count;
    size_t warning_count;
    size_t repaired_count;
} surety_outcome_info;
/* outcome NULL: gives an empty info. */
SURETY_API const surety_outcome_info *
surety_outcome_info_of(const surety_outcome *outcome);

/* An error or a warning, as the user sees it. position is a position in the
 * reply; line 0: none. Texts belong to the outcome.
 * Errors that are not from a keyword of JSON Schema have these keywords:
 * "extraction", "json_parse", "rules", "validator", "strict". Warnings have
 * "duplicate_key", "deprecated" (the contract, or a member that a valid value
 * has), "fallback", "truncated", "ambiguous", or "closed-early". Ambiguous
 * means that another, different value of the reply satisfies the contract too
 * (position is that of the other value; the message gives the position of the
 * value that was taken), or, where repairs are allowed, that a value in an
 * earlier place is cut off. Closed-early means that members follow behind the
 * value, as if its bracket had been closed too early. */
typedef struct surety_issue {
    surety_str keyword;
    surety_str instance_location;
    surety_str keyword_location;
    surety_str absolute_keyword_location;
    surety_str message;
    surety_str hint;
    surety_position position;
} surety_issue;

/* Return the i-th of error_count errors, or of warning_count warnings; past the
 * last, an issue without texts. */
SURETY_API surety_issue surety_outcome_error(const surety_outcome *outcome,
                                             size_t i);
SURETY_API surety_issue surety_outcome_warning(const surety_outcome *outcome,
                                               size_t i);

/* The forms of a report. */
typedef enum surety_report {
    SURETY_REPORT_JSON = 0, /* one object on one line, the contract
                             * surety/report; no newline at its end */
    SURETY_REPORT_TEXT,     /* as compilers write it, with the source line */
    SURETY_REPORT_COLOR,    /* the same with ANSI colours */
    SURETY_REPORT_PLAIN,    /* one line for each error: MESSAGE (path: a/b/0) */
    SURETY_REPORT_GITHUB,   /* workflow commands of GitHub Actions */
    SURETY_REPORT_SARIF     /* the items of SARIF 2.1.0's results array,
                             * separated by commas; the caller writes the run
                             * object around them */
} surety_report;

/* How surety_issue_write shows an issue. All zero but size: as an error,
 * without its source line. */
typedef struct surety_issue_form {
    size_t size;        /* sizeof(surety_issue_form) */
    surety_str source;  /* name of the text: "reply.md"; empty: "reply" */
    surety_str text;    /* the text of the issue's position; empty: no source
                         * line is shown */
    surety_str subject; /* "contract a/b@1.0.0": the owner of the keyword */
    bool warning;
} surety_issue_form;

/* Appends an issue, which need not be from a reply: as an item of a report's
 * errors (JSON, which ignores form), as compilers write it (TEXT, COLOR), or as
 * one line with a workflow command of GitHub Actions (GITHUB, which uses only
 * source and warning of form). If the text is one line of a file, the
 * position's line may be the file's, and differ from that of its offset.
 * Characters that a terminal would interpret are escaped. NULL form: all zero.
 * SURETY_MISUSE: PLAIN or SARIF; else the buffer's status. */
SURETY_API surety_status surety_issue_write(const surety_issue *issue,
                                            surety_report report,
                                            const surety_issue_form *form,
                                            surety_buf *out);

/* A repair: a change of the text, or an edit of the value. position is a
 * position in the reply. Texts belong to the outcome. */
typedef struct surety_repaired {
    const char *kind;             /* docs/repair.md lists them */
    bool likely;                  /* false: certain */
    surety_str instance_location; /* of an edit; else empty */
    surety_str original; /* its bytes, or the value as JSON; shortened; empty:
                          * something was missing */
    surety_str read;     /* what replaced it; empty: nothing */
    uint32_t cost;       /* of an edit; else 0 */
    surety_position position;
} surety_repaired;
/* Returns the i-th of repaired_count repairs. */
SURETY_API surety_repaired
surety_outcome_repaired(const surety_outcome *outcome, size_t i);

/* No character of the reply in a report. */
#define SURETY_RAW_NONE SIZE_MAX

/* Appends the outcome's report. source is the reply's name ("reply.md"), for
 * the forms that show it. raw_max: most characters of the reply in the member
 * raw of the form JSON; 0: 500; SURETY_RAW_NONE: none, so that raw is "".
 * Control characters of the reply are escaped. SURETY_MISUSE: outcome or out is
 * NULL, or the form is unknown; else the buffer's status. */
SURETY_API surety_status surety_outcome_write(const surety_outcome *outcome,
                                              surety_report form,
                                              surety_str source, size_t raw_max,
                                              surety_buf *out);

#ifdef __cplusplus
}
#endif
#endif
