/* SPDX-License-Identifier: Apache-2.0 */
/* surety/contract.h: contracts: a contract is a JSON Schema plus the settings
 * for finding, judging and replacing a reply, in one JSON file. Surety's
 * settings are in the root keyword "x-surety"; a plain JSON Schema is a
 * contract with the defaults. A registry finds contracts by name and version in
 * the caller's folders and in the built-in set.
 *
 * Threads: a contract is frozen; a registry is owned. A contract makes its
 * forms (the strict schemas of strict.h, the texts of prompt.h) when a call
 * first needs them, under a lock, and owns them. */
#ifndef SURETY_CONTRACT_H
#define SURETY_CONTRACT_H

#include <surety/base.h>
#include <surety/json.h>
#include <surety/schema.h>
#include <surety/extract.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which repairs of a reply are allowed. Each level includes those before it. */
typedef enum surety_repair {
    SURETY_REPAIR_NONE = 0, /* strict RFC 8259 */
    SURETY_REPAIR_SYNTAX,   /* also text that is almost JSON */
    SURETY_REPAIR_ALIGN     /* also values that almost satisfy the schema */
} surety_repair;

typedef enum surety_fallback {
    SURETY_FALLBACK_NONE = 0, /* no fallback: the result is the failure */
    SURETY_FALLBACK_NULL,     /* null */
    SURETY_FALLBACK_VALUE,    /* a given value, with ${name} filled in in its
                               * strings */
    SURETY_FALLBACK_TEXT      /* a given value that has the trimmed reply at a
                               * JSON Pointer */
} surety_fallback;

/* What a re-ask says to the model about a reply that failed. */
typedef enum surety_feedback {
    SURETY_FEEDBACK_ERRORS = 0, /* every error with its location */
    SURETY_FEEDBACK_SIMPLE,     /* a fixed request for valid JSON */
    SURETY_FEEDBACK_PATCH       /* asks for a JSON Patch of the failing parts
                                 * only */
} surety_feedback;

typedef struct surety_contract surety_contract;

typedef struct surety_contract_options {
    size_t size; /* sizeof(surety_contract_options) */
    /* The contract's name where x-surety gives none (such as the file's name
     * without its suffix); may be empty. */
    surety_str name;
    /* How the schema is compiled; NULL: the defaults, with assert_format
     * set. */
    const surety_schema_options *schema;
    const surety_limits *limits; /* NULL: defaults */
    /* NULL: libc. A contract that threads share is used by all of them to make
     * its forms: the allocator must be safe in them. */
    const surety_alloc *alloc;
} surety_contract_options;

/* Reads and compiles a contract. The contract keeps its own copy of the text.
 * SURETY_SYNTAX with position and path in text: the text is not JSON, is no
 * object or boolean, has a wrong member in x-surety (checked against the
 * built-in contract surety/contract), an error in the schema, or a rule that
 * does not compile. SURETY_UNSUPPORTED: the contract needs a feature that this
 * build leaves out (rules without libjq). SURETY_LIMIT, SURETY_NOMEM. A
 * contract with rules starts a child process that runs them, and may fail with
 * SURETY_IO or SURETY_TIMEOUT. */
SURETY_API surety_status
surety_contract_read(surety_str text, const surety_contract_options *options,
                     surety_contract **ret_contract, surety_error *reterr);
SURETY_API void surety_contract_free(surety_contract *contract);

/* A rule: a condition that JSON Schema cannot express. It is a jq program that
 * must give true (any result but false and null) for the value. */
typedef struct surety_rule {
    surety_str id;
    surety_str at; /* JSON Pointer: the instance location of its findings */
    surety_str expr;
    surety_str message;
} surety_rule;

/* The settings of a contract, with the defaults filled in. Everything belongs
 * to the contract. */
typedef struct surety_contract_info {
    size_t size; /* sizeof(surety_contract_info) of the library */
    surety_str name;
    surety_str version;    /* empty: none is declared */
    surety_str id;         /* name and version joined by "@" */
    surety_str deprecated; /* what to use instead; empty: not deprecated */
    surety_val root;       /* of the contract's document */
    const surety_schema *schema;
    const surety_extract *extract;
    surety_repair repair;
    bool partial; /* a reply that was cut off gives a partial value */
    bool strips_unknown;
    bool fills_defaults;
    surety_fallback fallback;
    surety_val fallback_value; /* for VALUE and TEXT; else SURETY_NONE */
    surety_str fallback_field; /* for TEXT: a JSON Pointer */
    uint32_t retry_max;        /* re-asks after the first call */
    surety_feedback feedback;
    const surety_rule *rules;
    size_t rule_count;
    surety_val derive; /* derived members: an object that maps names to jq
                        * programs; SURETY_NONE: none */
    bool has_system;   /* it has a template for the system part of a call */
} surety_contract_info;
SURETY_API const surety_contract_info *
surety_contract_info_of(const surety_contract *contract);

/* Gives the contract's schema, without x-surety, as JSON on one line. It is
 * made at the first call and belongs to the contract. SURETY_NOMEM. */
SURETY_API surety_status
surety_contract_schema_text(const surety_contract *contract,
                            surety_str *ret_text, surety_error *reterr);

/* ---- registry --------------------------------------------------------- */

typedef struct surety_registry surety_registry;

/* Makes a registry. folders (may be empty) are searched in their order before
 * the built-in set; they are separated by ":", and a contract's file is
 * FOLDER/NAME.json. The registry reads them later, when a contract is looked
 * up, and skips a folder that does not exist. options are for the contracts
 * that it reads, and their allocator is its own; NULL: defaults.
 * SURETY_NOMEM. */
SURETY_API surety_status
surety_registry_new(surety_str folders, const surety_contract_options *options,
                    surety_registry **ret_registry, surety_error *reterr);
SURETY_API void surety_registry_free(surety_registry *registry);

/* Finds and compiles a contract; the caller frees it. name is the path of an
 * existing file, or a contract's name: "a/b" (the newest version), "a/b@1" or
 * "a/b@1.2" (the newest version that begins so), "a/b@1.2.3" (that version). An
 * alias of a contract is accepted too. SURETY_END: not found (the hint gives
 * the nearest names); SURETY_IO: the file exists but cannot be read; other
 * statuses as surety_contract_read, with the file in reterr->source. */
SURETY_API surety_status surety_registry_find(surety_registry *registry,
                                              surety_str name,
                                              surety_contract **ret_contract,
                                              surety_error *reterr);

/* One contract in the list. The texts belong to the registry. */
typedef struct surety_registry_entry {
    surety_str name;
    surety_str version;
    surety_str title;      /* the schema's title or description; may be empty */
    surety_str source;     /* path of the file, or "built-in" */
    surety_str deprecated; /* empty: it is not deprecated */
    surety_str alias_of;   /* empty: it is no alias */
    surety_str error;      /* not empty: the file is no contract, and why */
} surety_registry_entry;
/* Lists all contracts, sorted by name, then by version. An entry of an earlier
 * folder hides entries of later folders with the same name and version. The
 * list belongs to the registry and is valid until the next call of this
 * function. SURETY_NOMEM, SURETY_IO. */
SURETY_API surety_status surety_registry_list(
    surety_registry *registry, const surety_registry_entry **ret_entries,
    size_t *ret_count, surety_error *reterr);

#ifdef __cplusplus
}
#endif
#endif
