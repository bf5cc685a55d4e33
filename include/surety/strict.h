/* SPDX-License-Identifier: Apache-2.0 */
/* surety/strict.h: rewrites a schema for a provider: a contract's schema in the
 * subset of JSON Schema that the provider's structured output accepts. Optional
 * properties become nullable, and surety_strict_restore removes their nulls
 * again; objects with arbitrary members become lists of key and value; keywords
 * that the provider does not support move to the description (the contract
 * still enforces them); references are inlined where necessary; the provider's
 * limits are checked. A note with a position says what happened to each keyword
 * that could not stay, before any token is spent.
 *
 * Threads: a strict schema is frozen. It belongs to its contract, which makes
 * it at the first call that needs it. */
#ifndef SURETY_STRICT_H
#define SURETY_STRICT_H

#include <surety/base.h>
#include <surety/contract.h>
#include <surety/json.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The provider whose subset is used. ORDER subsets (names in
 * strict/subset.c). */
typedef enum surety_subset {
    SURETY_SUBSET_OPENAI = 0, /* Chat Completions and Responses, strict */
    SURETY_SUBSET_ANTHROPIC,  /* output_config.format and strict tools */
    SURETY_SUBSET_GEMINI,     /* responseJsonSchema */
    SURETY_SUBSET_GRAMMAR /* llama.cpp, vLLM, Ollama: compiled to grammars */
} surety_subset;
/* "openai", "anthropic", "gemini", "grammar"; never NULL. */
SURETY_API const char *surety_subset_name(surety_subset subset);

/* How far a provider supports a keyword; of a schema, its least supported
 * keyword. */
typedef enum surety_strict_support {
    SURETY_STRICT_ACCEPTED = 0, /* unchanged */
    SURETY_STRICT_REWRITTEN,    /* in another form; excludes no valid value */
    SURETY_STRICT_IMPOSSIBLE    /* the provider would refuse the schema */
} surety_strict_support;
/* What happened to one keyword. Texts belong to the strict schema. */
typedef struct surety_strict_note {
    surety_strict_support support; /* of this keyword; never ACCEPTED */
    surety_str keyword;
    surety_str location; /* JSON Pointer in the contract's document */
    surety_position position;
    surety_str message; /* what the provider does not accept */
    surety_str hint;    /* what was done instead, or what to change */
} surety_strict_note;

typedef struct surety_strict surety_strict;

/* Gives the schema of contract, rewritten for a subset. The first call for a
 * subset makes it, with the contract's allocator and limits; it belongs to the
 * contract. An impossible schema is a result, not a failure. SURETY_NOMEM;
 * SURETY_LIMIT: the rewritten schema exceeds a limit (because of inlined
 * references). */
SURETY_API surety_status surety_strict_of(const surety_contract *contract,
                                          surety_subset subset,
                                          const surety_strict **ret_strict,
                                          surety_error *reterr);

/* The rewritten schema. Everything belongs to the strict schema. */
typedef struct surety_strict_info {
    size_t size; /* sizeof(surety_strict_info) of the library */
    surety_strict_support support;
    surety_val schema; /* the schema to send; SURETY_NONE if impossible */
    surety_str name;   /* a name that every provider accepts: 1 to 64 of A-Z a-z
                        * 0-9 _ and - */
    surety_str description;
    const surety_strict_note *notes; /* in the order of the contract's text */
    size_t note_count;
    bool changes_values; /* a delivered value may have another form than the
                          * contract's; false: restoring only copies it */
    surety_str text; /* the schema as JSON on one line; empty if impossible */
} surety_strict_info;
SURETY_API const surety_strict_info *
surety_strict_info_of(const surety_strict *strict);

/* Turns a value in the form of the strict schema back into one in the form of
 * the contract, and builds it in out: nulls that mean an absent property are
 * left out, a wrapped root is unwrapped, lists of key and value become members
 * again. Scalars are copied: a string stays a string, whatever its content. A
 * part that does not have the strict schema's form is copied unchanged, so that
 * the contract reports its errors. out must not be delivered's doc.
 * SURETY_SYNTAX: the meaning would be a guess, because the value can be read in
 * two ways, has a duplicate key, or has the names of a rewritten form but not
 * its structure; the error's path and position are those in the delivered
 * value, and its hint says what a model can do. SURETY_NOMEM, SURETY_LIMIT. */
SURETY_API surety_status surety_strict_restore(const surety_strict *strict,
                                               surety_val delivered,
                                               surety_doc *out,
                                               surety_error *reterr);
/* The same for the beginning of a value: text is JSON that was cut off, and the
 * function appends the restored value, cut off at the same point. NULL limits:
 * the defaults. SURETY_SYNTAX also if text cannot be the beginning of JSON. */
SURETY_API surety_status surety_strict_restore_part(const surety_strict *strict,
                                                    surety_str text,
                                                    const surety_limits *limits,
                                                    surety_buf *out,
                                                    surety_error *reterr);

/* The reverse: builds in out the contract's value in the form that the provider
 * delivers, for an example in a prompt. An absent optional member becomes null
 * where the strict schema requires all members. SURETY_UNSUPPORTED: the strict
 * schema has no form for a part of the value, such as members that it does not
 * name. SURETY_NOMEM. */
SURETY_API surety_status surety_strict_deliver(const surety_strict *strict,
                                               surety_val val, surety_doc *out,
                                               surety_error *reterr);
/* Gives the contract for checking a value as it is delivered, while it arrives:
 * a value that violates it violates the contract of the strict schema in every
 * restored form. It is that contract itself if its schema is accepted
 * unchanged; otherwise its schema has no references and accepts every value
 * where restoring may change one. The first call makes it; it belongs to the
 * contract of the strict schema. SURETY_NOMEM; as surety_contract_read. */
SURETY_API surety_status surety_strict_delivered(
    const surety_strict *strict, const surety_contract **ret_contract,
    surety_error *reterr);

#ifdef __cplusplus
}
#endif
#endif
