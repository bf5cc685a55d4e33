/* SPDX-License-Identifier: Apache-2.0 */
/* surety/prompt.h: the texts for the model: the format instructions of a
 * contract, the first prompt with these instructions, and the re-ask after a
 * reply that failed, which lists the exact errors or asks for a patch of the
 * failing parts. The same input always gives the same text.
 *
 * Threads: none. The texts that grow with the schema are forms of the contract,
 * which makes them once and owns them. */
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
    SURETY_PROMPT_CONTRACT = 0, /* the style that the contract sets */
    SURETY_PROMPT_JSON_SCHEMA,  /* the schema itself, without x-surety */
    SURETY_PROMPT_TYPESCRIPT,   /* a TypeScript-like type with comments */
    SURETY_PROMPT_EXAMPLE       /* one value: the contract's example, or a
                                 * generated one */
} surety_prompt_style;

/* How an error relates to the reply that a re-ask is about. */
typedef enum surety_prompt_when {
    SURETY_PROMPT_LAST = 0, /* the last reply has it */
    SURETY_PROMPT_EARLIER,  /* an earlier reply had it, and no later reply was
                             * checked far enough to show that it is fixed */
    SURETY_PROMPT_CORRECTED /* an earlier reply had it, and a later one did
                             * not */
} surety_prompt_when;
typedef struct surety_prompt_finding {
    surety_issue issue;
    surety_prompt_when when;
} surety_prompt_finding;

/* The schema in a prompt, as a part of its bytes. The contract makes it once,
 * also as the inside of a JSON string: a program that sends the prompt in JSON
 * copies that, and escapes only what is around it. */
typedef struct surety_prompt_part {
    size_t start, len; /* len 0: the prompt has no such part */
    surety_str json;   /* the contract owns it */
} surety_prompt_part;

typedef struct surety_prompt_options {
    size_t size; /* sizeof(surety_prompt_options) */
    surety_prompt_style style;
    /* The provider's API delivers the structured value (mode native or tool).
     * The instructions then say what the value means, but not where in the
     * reply to write it. */
    bool native;
    /* With native: the schema that is sent with the call, which the value must
     * satisfy (the schema of surety_strict_info, or the contract's root). A
     * schema that is not the contract's is shown as it is, in every style.
     * SURETY_NONE: the contract's schema. */
    surety_val schema;
    /* The provider shows that schema to the model, so the text does not repeat
     * it. */
    bool shown;
    /* With native and style EXAMPLE: a value in the form of that schema, such
     * as surety_strict_deliver makes from the contract's example. SURETY_NONE:
     * no example is shown, unless the schema is the contract's. */
    surety_val example;
    /* For surety_prompt_again: further known errors. The model does not see its
     * earlier replies, so without these it would repeat errors that were
     * already reported. Findings with LAST are listed with the outcome's
     * errors. */
    const surety_prompt_finding *findings;
    size_t finding_count;
    /* Is set to the part of the buffer that is the schema; may be NULL. */
    surety_prompt_part *part;
    /* Templates, in place of those of the contract (x-surety.prompt) or, if it
     * has none, of Surety's own words. Empty: not given. A template is text
     * with the variables ${prompt}, ${schema}, ${example} and, in a re-ask,
     * ${errors} and ${reply}; $${ stands for ${. What takes a variable's place
     * is not read again. The instructions "none": the prompt alone. */
    surety_str instructions;
    surety_str reask;
    surety_str system;
    /* The format instructions are for the system part (surety_prompt_system):
     * surety_prompt_write appends the prompt alone. */
    bool instruct_system;
    /* Inputs, each with the output that is wanted for it, in place of those of
     * the contract: JSON, [{"input": TEXT, "output": VALUE}, ...], where each
     * VALUE satisfies the contract; "[]": none. Empty: not given. */
    surety_str examples;
    /* They are turns of the conversation (surety_prompt_turns), and no text has
     * them. Otherwise they stand before the prompt in its text. Where the
     * template for the instructions or the system part has ${examples}, they
     * are there in any case. A run ignores this: its examples are turns. */
    bool as_turns;
} surety_prompt_options;

/* Checks the templates of options (may be NULL), and the form of its examples.
 * SURETY_SYNTAX: a template has a variable that does not exist or does not end,
 * or the examples are no list of the form above; reterr->source is the name of
 * the member, and reterr->position is in its text. SURETY_MISUSE. */
SURETY_API surety_status
surety_prompt_check(const surety_prompt_options *options, surety_error *reterr);

/* Appends prompt (may be empty), followed by the format instructions: what to
 * answer, where in the reply to write it (one of the contract's places), and
 * the schema in the chosen style. Instructions of a template take the place of
 * all of this; they follow the prompt if they have no ${prompt}. SURETY_NOMEM;
 * SURETY_SYNTAX: as
 * surety_prompt_check; SURETY_UNSUPPORTED: an example is
 * wanted, and there is none and none can be made. */
SURETY_API surety_status
surety_prompt_write(const surety_contract *contract, surety_str prompt,
                    const surety_prompt_options *options, surety_buf *out,
                    surety_error *reterr);

/* Appends the system part of a call: system (the caller's, unchanged; may be
 * empty), the template for it, and with instruct_system the format
 * instructions; an empty line between them. May append nothing. prompt is for
 * ${prompt}. Fails as surety_prompt_write does. */
SURETY_API surety_status
surety_prompt_system(const surety_contract *contract, surety_str system,
                     surety_str prompt, const surety_prompt_options *options,
                     surety_buf *out, surety_error *reterr);

/* Builds in out a value that satisfies the contract (schema and rules): the
 * contract's own example, else one made from the schema. SURETY_UNSUPPORTED: no
 * such value was found. SURETY_NOMEM, SURETY_LIMIT. */
SURETY_API surety_status surety_prompt_example(const surety_contract *contract,
                                               surety_doc *out,
                                               surety_error *reterr);

/* Builds in out the examples as the turns that come before a prompt: an array
 * of
 * {"role": "user", "content": INPUT} and {"role": "assistant", "content":
 * OUTPUT}, which is empty if there are none or a template has them. OUTPUT is a
 * text in the form that the options ask of a reply; an example whose value has
 * no such form is left out. SURETY_SYNTAX: an output of the options does not
 * satisfy the contract; reterr is as for surety_prompt_check, with path.
 * SURETY_NOMEM, SURETY_LIMIT, SURETY_IO. */
SURETY_API surety_status surety_prompt_turns(
    const surety_contract *contract, const surety_prompt_options *options,
    surety_doc *out, surety_error *reterr);

/* Appends the prompt of a re-ask: the original prompt with its format
 * instructions, then the errors, in the form that feedback names. The failed
 * reply is quoted only where it helps (PATCH, and the values of errors). It is
 * quoted as data, between marks that do not occur in it, and at most
 * SURETY_PROMPT_QUOTE_MAX bytes of it. Nothing else of the failed conversation
 * is repeated.
 * Errors are listed in the order of the value: a container before its content,
 * members in their order in the reply, missing members last.
 * The template `reask` takes the place of the errors and the request, for the
 * forms SIMPLE and ERRORS; it follows the original prompt if it has no
 * ${prompt}, which is that prompt with its instructions.
 * outcome is the outcome of reply; it may be NULL if there are findings. If the
 * reply was no JSON, PATCH does the same as ERRORS. */
#define SURETY_PROMPT_QUOTE_MAX 8192
SURETY_API surety_status
surety_prompt_again(const surety_contract *contract, surety_str prompt,
                    surety_feedback feedback, const surety_outcome *outcome,
                    surety_str reply, const surety_prompt_options *options,
                    surety_buf *out, surety_error *reterr);

/* Applies a model's reply to a PATCH prompt: finds the JSON Patch (RFC 6902) in
 * reply, applies all of it to the value of outcome's candidate, and appends the
 * new value as JSON to out. The caller then judges that whole value.
 * SURETY_SYNTAX: reply has no patch, or an operation does not apply (the
 * message names it). */
SURETY_API surety_status surety_prompt_patch(const surety_outcome *outcome,
                                             surety_str reply, surety_buf *out,
                                             surety_error *reterr);

#ifdef __cplusplus
}
#endif
#endif
