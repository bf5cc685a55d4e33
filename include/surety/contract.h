/* SPDX-License-Identifier: Apache-2.0 */
/* surety/contract.h: a JSON Schema plus how to find, judge and fall back on a
 * reply, in one JSON file. What is ours stands in the root keyword "x-surety";
 * a plain JSON Schema is a contract with the defaults. A registry finds
 * contracts by name and version in the caller's folders and in the built-in
 * set.
 *
 * Threads: a contract is frozen; a registry is owned. */
#ifndef SURETY_CONTRACT_H
#define SURETY_CONTRACT_H

#include <surety/base.h>
#include <surety/json.h>
#include <surety/schema.h>
#include <surety/extract.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How much of a reply's form may be mended. */
typedef enum surety_repair {
    SURETY_REPAIR_NONE = 0, /* strict RFC 8259 */
    SURETY_REPAIR_SYNTAX,   /* and text that is almost JSON */
    SURETY_REPAIR_ALIGN     /* and values that almost fit the schema */
} surety_repair;

typedef enum surety_fallback {
    SURETY_FALLBACK_NONE = 0, /* the failure is the result */
    SURETY_FALLBACK_NULL,     /* null */
    SURETY_FALLBACK_VALUE,    /* a given value, ${name} filled in its strings */
    SURETY_FALLBACK_TEXT      /* the raw reply, trimmed, at a pointer of it */
} surety_fallback;

/* What a model is told about a reply that failed. */
typedef enum surety_feedback {
    SURETY_FEEDBACK_ERRORS = 0, /* every error with its place */
    SURETY_FEEDBACK_SIMPLE,     /* a fixed request for valid JSON */
    SURETY_FEEDBACK_PATCH       /* only the failing parts, as JSON Patch */
} surety_feedback;

typedef struct surety_contract surety_contract;

typedef struct surety_contract_options {
    size_t size; /* sizeof(surety_contract_options) */
    /* The name where x-surety gives none (a file's stem); may be empty. */
    surety_str name;
    /* How the schema is compiled; NULL: defaults with assert_format. */
    const surety_schema_options *schema;
    const surety_limits *limits; /* NULL: defaults */
    const surety_alloc *alloc;   /* NULL: libc */
} surety_contract_options;

/* Reads and compiles a contract; it owns its text. What is wrong with it is
 * SURETY_SYNTAX with position and path in text: not JSON, not an object or
 * boolean, a wrong member of x-surety (checked against the built-in contract
 * surety/contract), a schema mistake, a rule that does not compile.
 * SURETY_UNSUPPORTED: what this build leaves out (rules without libjq).
 * SURETY_LIMIT, SURETY_NOMEM. A contract with rules starts a
 * child process that runs them, and may give SURETY_IO or SURETY_TIMEOUT. */
SURETY_API surety_status
surety_contract_read(surety_str text, const surety_contract_options *options,
                     surety_contract **ret_contract, surety_error *reterr);
SURETY_API void surety_contract_free(surety_contract *contract);

/* A rule: what JSON Schema cannot say, a jq program that must give true
 * (anything but false and null) for the value. */
typedef struct surety_rule {
    surety_str id;
    surety_str at; /* JSON Pointer of the value that a finding points at */
    surety_str expr;
    surety_str message;
} surety_rule;

/* What a contract says, with the defaults filled in. All of it belongs to the
 * contract. */
typedef struct surety_contract_info {
    size_t size; /* sizeof(surety_contract_info) of the library */
    surety_str name;
    surety_str version;    /* empty where none is declared */
    surety_str id;         /* name and version joined by "@" */
    surety_str deprecated; /* what to use instead; empty: not deprecated */
    surety_val root;       /* of the contract's document */
    const surety_schema *schema;
    const surety_extract *extract;
    surety_repair repair;
    bool partial; /* a reply that is cut off gives what is there */
    bool strips_unknown;
    bool fills_defaults;
    surety_fallback fallback;
    surety_val fallback_value; /* of VALUE and TEXT; else SURETY_NONE */
    surety_str fallback_field; /* of TEXT: a JSON Pointer */
    uint32_t retry_max;        /* re-asks after the first call */
    surety_feedback feedback;
    const surety_rule *rules;
    size_t rule_count;
    surety_val derive; /* derived members, an object from names to jq programs;
                        * SURETY_NONE: none */
} surety_contract_info;
SURETY_API const surety_contract_info *
surety_contract_info_of(const surety_contract *contract);

/* ---- registry --------------------------------------------------------- */

typedef struct surety_registry surety_registry;

typedef struct surety_registry_options {
    size_t size; /* sizeof(surety_registry_options) */
    /* Folders searched in this order before the built-in set, joined by ":";
     * a contract's file stands at FOLDER/NAME.json. May be empty. */
    surety_str folders;
    const surety_contract_options *contract; /* for those it reads */
    const surety_alloc *alloc;
} surety_registry_options;

/* SURETY_NOMEM. Folders are read when a name is asked for; one that does not
 * exist is passed over. */
SURETY_API surety_status
surety_registry_new(const surety_registry_options *options,
                    surety_registry **ret_registry, surety_error *reterr);
SURETY_API void surety_registry_free(surety_registry *registry);

/* Finds and compiles a contract: the path of a file that exists, or a name:
 * "a/b" (the newest version), "a/b@1" or "a/b@1.2" (the newest of those),
 * "a/b@1.2.3" (that one). An alias of a contract finds it too. The caller
 * frees it. SURETY_END: not found, with the nearest names as a hint; SURETY_IO:
 * a file that is there cannot be read; else as surety_contract_read, with
 * reterr->source the file. */
SURETY_API surety_status surety_registry_find(surety_registry *registry,
                                              surety_str name,
                                              surety_contract **ret_contract,
                                              surety_error *reterr);

/* One contract of a listing. The texts belong to the registry. */
typedef struct surety_registry_entry {
    surety_str name;
    surety_str version;
    surety_str title;      /* the schema's title or description; may be empty */
    surety_str source;     /* the file, or "built-in" */
    surety_str deprecated; /* empty where it is not */
    surety_str alias_of;   /* empty where it is no alias */
    surety_str error;      /* not empty: the file is there but no contract */
} surety_registry_entry;
/* Lists all contracts, by name, then by version; an entry of an earlier folder
 * hides those of later folders with the same name and version. The list belongs
 * to the registry, until the next call of this. SURETY_NOMEM, SURETY_IO. */
SURETY_API surety_status surety_registry_list(
    surety_registry *registry, const surety_registry_entry **ret_entries,
    size_t *ret_count, surety_error *reterr);

#ifdef __cplusplus
}
#endif
#endif
