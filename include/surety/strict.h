/* SPDX-License-Identifier: Apache-2.0 */
/* surety/strict.h: a contract in the subset of JSON Schema that a provider's
 * structured output takes. Optional properties become nullable and are taken
 * out again, objects of any members become lists of key and value, keywords
 * that the provider does not know move to the description (the contract still
 * enforces them), references are inlined where they must be, limits are
 * counted. A note at its line says what became of each keyword, before a token
 * is spent.
 *
 * Threads: a strict schema is frozen. */
#ifndef SURETY_STRICT_H
#define SURETY_STRICT_H

#include <surety/base.h>
#include <surety/contract.h>
#include <surety/json.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whose subset. ORDER subsets (names in strict/subset.c). */
typedef enum surety_subset {
    SURETY_SUBSET_OPENAI = 0, /* Chat Completions and Responses, strict */
    SURETY_SUBSET_ANTHROPIC,  /* output_config.format and strict tools */
    SURETY_SUBSET_GEMINI,     /* responseJsonSchema */
    SURETY_SUBSET_GRAMMAR /* llama.cpp, vLLM, Ollama: compiled to grammars */
} surety_subset;
/* "openai", "anthropic", "gemini", "grammar"; never NULL. */
SURETY_API const char *surety_subset_name(surety_subset subset);

typedef enum surety_strict_verdict {
    SURETY_STRICT_ACCEPTED = 0, /* as it stands */
    SURETY_STRICT_REWRITTEN,    /* in another form that loses nothing here */
    SURETY_STRICT_IMPOSSIBLE    /* the provider would refuse it */
} surety_strict_verdict;
/* What became of one keyword. Texts belong to the strict schema. */
typedef struct surety_strict_note {
    surety_strict_verdict verdict; /* of this keyword; never ACCEPTED */
    surety_str keyword;
    surety_str location; /* JSON Pointer in the contract's document */
    surety_position position;
    surety_str message; /* what the provider does not take */
    surety_str hint;    /* what is done instead, or what to change */
} surety_strict_note;

typedef struct surety_strict surety_strict;

/* Compiles the contract's schema; it must outlive the result. An impossible
 * schema is a result, not an error. SURETY_NOMEM; SURETY_LIMIT: the rewritten
 * schema outgrows limits (inlined references). */
SURETY_API surety_status surety_strict_new(const surety_contract *contract,
                                           surety_subset subset,
                                           const surety_alloc *alloc,
                                           surety_strict **ret_strict,
                                           surety_error *reterr);
SURETY_API void surety_strict_free(surety_strict *strict);

/* What came of the schema. All of it belongs to the strict schema. */
typedef struct surety_strict_info {
    size_t size; /* sizeof(surety_strict_info) of the library */
    surety_strict_verdict verdict;
    surety_val schema; /* to send; SURETY_NONE where it is impossible */
    surety_str name; /* one that every provider takes: 1 to 64 of A-Z a-z 0-9 _
                      * and - */
    surety_str description;
    const surety_strict_note *notes; /* in the order of the contract's text */
    size_t note_count;
    bool changes_values; /* a delivered value may be another than the
                          * contract's; false: restoring copies it */
} surety_strict_info;
SURETY_API const surety_strict_info *
surety_strict_info_of(const surety_strict *strict);

/* Turns a value that the provider made for the strict schema back into one for
 * the contract: nulls that stood for absent properties are left out, a wrapped
 * root is unwrapped, lists of key and value are members again. Scalars are
 * copied: a string is a string, whatever it holds. What does not look as the
 * strict schema said is kept as it is, and the contract will say what is wrong
 * with it. SURETY_SYNTAX: what is meant would be a guess, for the value can be
 * read in two ways, has a key twice, or has the names of a rewritten form
 * without being one; the error's path and position say where in the delivered
 * value, and its hint what a model can do. out may not be delivered's doc.
 * SURETY_NOMEM, SURETY_LIMIT. */
SURETY_API surety_status surety_strict_restore(const surety_strict *strict,
                                               surety_val delivered,
                                               surety_doc *out,
                                               surety_error *reterr);
/* The same for the beginning of a value: appends what came of it, as JSON that
 * ends where the text does. NULL limits: the defaults. Also SURETY_SYNTAX where
 * it is no JSON so far. */
SURETY_API surety_status surety_strict_restore_part(const surety_strict *strict,
                                                    surety_str text,
                                                    const surety_limits *limits,
                                                    surety_buf *out,
                                                    surety_error *reterr);

/* The other way round: the contract's value as the provider delivers it, for
 * an example that a model is shown. A member that may be left out and is not
 * there is null where all are required. SURETY_UNSUPPORTED: the value has what
 * is not asked for, such as members beside the named ones. SURETY_NOMEM. */
SURETY_API surety_status surety_strict_deliver(const surety_strict *strict,
                                               surety_val val, surety_doc *out,
                                               surety_error *reterr);
/* Builds in out a schema of what surely holds of a value as it is delivered: a
 * value that violates it violates the contract, however it is restored. For a
 * check while the value comes. It refers to nothing, and where the value may
 * come back as another it takes any. SURETY_NOMEM. */
SURETY_API surety_status surety_strict_delivered_schema(
    const surety_strict *strict, surety_doc *out, surety_error *reterr);

#ifdef __cplusplus
}
#endif
#endif
