/* SPDX-License-Identifier: Apache-2.0 */
/* surety/prompt.h: what a model is told. Format instructions from a contract,
 * the first prompt that carries them, and what is said after a reply that
 * failed: with the exact errors, or asking for a patch of the failing parts.
 * Every text is the same for the same input.
 *
 * Threads: none of these keeps anything. */
#ifndef SURETY_PROMPT_H
#define SURETY_PROMPT_H

#include <surety/base.h>
#include <surety/contract.h>
#include <surety/json.h>
#include <surety/reply.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a schema is shown. ORDER styles (names in prompt/format.c). */
typedef enum surety_prompt_style {
    SURETY_PROMPT_CONTRACT = 0, /* what the contract says */
    SURETY_PROMPT_JSON_SCHEMA,  /* the schema itself, without x-surety */
    SURETY_PROMPT_TYPESCRIPT,   /* a TypeScript-like type with comments */
    SURETY_PROMPT_EXAMPLE       /* one value: the contract's, or one made */
} surety_prompt_style;

/* What an error is to the reply that a re-ask is about. */
typedef enum surety_prompt_when {
    SURETY_PROMPT_LAST = 0, /* it is wrong in that reply */
    SURETY_PROMPT_EARLIER,  /* it was in one before, and has not been seen
                             * mended since: no reply was checked that far */
    SURETY_PROMPT_MENDED    /* it was in one before, and right in a later one */
} surety_prompt_when;
typedef struct surety_prompt_finding {
    surety_issue issue;
    surety_prompt_when when;
} surety_prompt_finding;

typedef struct surety_prompt_options {
    size_t size; /* sizeof(surety_prompt_options) */
    surety_prompt_style style;
    /* The structured value is delivered by the provider's API (native or
     * tool): say what it means, not where in the reply it stands. */
    bool native;
    const surety_alloc *alloc;
    /* With native: the schema that goes with the call (surety_strict_schema, or
     * the contract's root), which the value is asked for in. One that is not
     * the contract's is shown as it is, whatever the style. SURETY_NONE: the
     * contract's. */
    surety_val schema;
    /* The provider shows that schema to the model: it is not said again. */
    bool shown;
    /* With native and style EXAMPLE: a value in that schema's form, such as
     * surety_strict_deliver makes of the contract's example. SURETY_NONE: none
     * is shown, unless the schema is the contract's. */
    surety_val example;
    /* For surety_prompt_again: what else is known to be wrong, for a model that
     * is told nothing of the replies before would make the same mistakes again.
     * Those of LAST are told with the outcome's errors. */
    const surety_prompt_finding *findings;
    size_t finding_count;
} surety_prompt_options;

/* Appends the format instructions alone: what to answer, where in the reply
 * (as the contract's places want it), and the schema in the style.
 * SURETY_NOMEM; SURETY_UNSUPPORTED: style EXAMPLE where none is given and none
 * can be made. */
SURETY_API surety_status surety_prompt_format(
    const surety_contract *contract, const surety_prompt_options *options,
    surety_buf *out, surety_error *reterr);

/* Appends prompt with the format instructions behind it. */
SURETY_API surety_status
surety_prompt_write(const surety_contract *contract, surety_str prompt,
                    const surety_prompt_options *options, surety_buf *out,
                    surety_error *reterr);

/* Builds a value that satisfies the contract (schema and rules): the contract's
 * own example, else one made from the schema. SURETY_UNSUPPORTED: none found.
 * SURETY_NOMEM, SURETY_LIMIT. */
SURETY_API surety_status surety_prompt_example(const surety_contract *contract,
                                               surety_doc *out,
                                               surety_error *reterr);

/* Appends what to send after a reply that failed: the original prompt with its
 * format instructions, then what was wrong, as feedback says. The reply is
 * quoted as data: delimited by a mark that does not stand in it, at most
 * SURETY_PROMPT_QUOTE_MAX bytes, and only where it helps (PATCH, and the values
 * that errors name). Nothing of a failed transcript but this.
 * Errors are told in the order of the value: a container before what is in it,
 * members as they stand in the reply, what is not there last.
 * outcome is reply's; where it was not JSON at all, PATCH does as ERRORS. It
 * may be NULL where there are findings: they are all that is known. */
#define SURETY_PROMPT_QUOTE_MAX 8192
SURETY_API surety_status
surety_prompt_again(const surety_contract *contract, surety_str prompt,
                    surety_feedback feedback, const surety_outcome *outcome,
                    surety_str reply, const surety_prompt_options *options,
                    surety_buf *out, surety_error *reterr);

/* Applies a model's reply to a PATCH prompt: finds the RFC 6902 document in
 * reply, applies it to the value of outcome's candidate, all of it or nothing,
 * and appends the new value's JSON to out, to be judged whole. SURETY_SYNTAX:
 * the reply holds no patch, or one that does not apply, with the operation. */
SURETY_API surety_status surety_prompt_patch(const surety_outcome *outcome,
                                             surety_str reply, surety_buf *out,
                                             surety_error *reterr);

#ifdef __cplusplus
}
#endif
#endif
