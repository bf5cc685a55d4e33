/* SPDX-License-Identifier: Apache-2.0 */
/* The door of contract/: a contract after reading, the evaluator of its rules,
 * and the built-in contracts. */
#ifndef SURETY_CONTRACT_CONTRACT_H
#define SURETY_CONTRACT_CONTRACT_H

#include <surety/contract.h>

#include "base/base.h"
#include "json/json.h"

/* How a prompt shows the schema. */
typedef enum surety__prompt_style {
    PROMPT_JSON_SCHEMA = 0,
    PROMPT_TYPESCRIPT,
    PROMPT_EXAMPLE,
    PROMPT_STYLES
} surety__prompt_style;

/* The parts of a prompt that can be given in own words.
 * ORDER wording kinds (names in wording.c). */
typedef enum surety__wording_kind {
    WORDING_INSTRUCTIONS = 0,
    WORDING_REASK,
    WORDING_SYSTEM,
    WORDINGS
} surety__wording_kind;

/* ORDER variables (names in wording.c). */
typedef enum surety__variable {
    VARIABLE_PROMPT = 0,
    VARIABLE_SCHEMA,
    VARIABLE_EXAMPLE,
    VARIABLE_EXAMPLES,
    VARIABLE_ERRORS,
    VARIABLE_REPLY,
    VARIABLES
} surety__variable;

/* A template that was checked. Its text belongs to the caller. */
typedef struct surety__wording {
    surety_str text;    /* ptr NULL: there is none; empty: say nothing */
    unsigned variables; /* bits 1 << surety__variable: those that it has */
} surety__wording;

static inline bool surety__wording_has(const surety__wording *wording,
                                       surety__variable variable)
{
    return wording->variables >> variable & 1;
}

/* All settings of x-surety, with the defaults filled in. The contract's
 * document owns the texts and values. */
typedef struct surety__policy {
    surety_contract_info info; /* for callers; extract points to the one below,
                                  the arena owns the rules */
    surety_extract extract;
    surety__prompt_style prompt_style;
    surety_val prompt_example;  /* SURETY_NONE: the contract has none */
    surety_val prompt_examples; /* an array, or SURETY_NONE */
    surety__wording wordings[WORDINGS];
    surety_val aliases; /* an array of names, or SURETY_NONE */
} surety__policy;

struct surety__pool;
typedef struct surety__form_slots surety__form_slots;

struct surety_contract {
    const surety_alloc *alloc;
    surety_limits limits;
    surety_doc *doc;
    surety_schema *schema;
    surety__arena arena;
    surety__policy policy;
    /* The names of the schema's properties, by hash; in the arena. Without
     * names the tolerant reader expects no key in particular. */
    surety__pair *names;
    size_t name_count;
    struct surety__pool *pool; /* the spare worker; NULL without rules */
    surety__form_slots *forms;
};

/* ---- policy (policy.c) -------------------------------------------------- */

/* Fills policy from the root of a contract document, which must satisfy the
 * contract surety/contract. Checks what that schema cannot express. Allocates
 * the rules from arena. Fails with SURETY_SYNTAX and SURETY_UNSUPPORTED, with
 * position and path, or with SURETY_NOMEM. */
surety_status surety__policy_read(surety_val root, surety__arena *arena,
                                  surety__policy *policy, surety_error *reterr);
/* Adds the position and path of val, a value of a contract document, to reterr,
 * which surety__fail has just filled. Returns status. */
surety_status surety__policy_at(surety_val val, surety_error *reterr,
                                surety_status status);
/* Fails with SURETY_SYNTAX at val. */
surety_status surety__policy_fail(surety_val val, surety_error *reterr,
                                  const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- templates (wording.c) ----------------------------------------------- */

/* Checks a template, whose text must outlive the wording. The instructions
 * "none" are an empty template. SURETY_SYNTAX: a
 * variable that this part of a prompt does not have, or one without "}";
 * reterr->position is its position in text. */
surety_status surety__wording_read(surety_str text, surety__wording_kind kind,
                                   surety__wording *ret_wording,
                                   surety_error *reterr);
/* Takes the next stretch off a checked template's text: text as it is, and the
 * variable behind it (VARIABLES: none). False: the template has ended. */
bool surety__wording_next(surety_str *rest, surety_str *ret_text,
                          surety__variable *ret_variable);

/* ---- examples (examples.c) ----------------------------------------------- */

/* Checks a value with the contract's schema and rules. SURETY_SYNTAX: it does
 * not satisfy them; reterr has the first reason, with its path and position in
 * the value's document. Fails as surety_checker_check and surety__rules_check
 * do. */
surety_status surety__contract_holds(const surety_contract *contract,
                                     surety_val value,
                                     const surety_alloc *alloc,
                                     surety_error *reterr);
/* Checks that a value is an array of {"input": TEXT, "output": VALUE}. */
surety_status surety__examples_check_form(surety_val list,
                                          surety_error *reterr);
/* Checks the outputs of such a list, which may be SURETY_NONE: as
 * surety__contract_holds. */
surety_status surety__examples_check(const surety_contract *contract,
                                     surety_val list, const surety_alloc *alloc,
                                     surety_error *reterr);

/* ---- versions (version.c) ------------------------------------------------ */

/* Compares by precedence (Semantic Versioning 2.0.0, section 11: build metadata
 * does not count). Returns -1, 0 or 1. An empty version comes before all
 * others. */
int surety__version_compare(surety_str a, surety_str b);

/* ---- names (names.c) ----------------------------------------------------- */

/* Collects the names of the schema's properties. Returns false when out of
 * memory. */
bool surety__contract_collect(surety_contract *contract);
/* Returns whether a property somewhere in the schema has this name. */
bool surety__contract_expects(const surety_contract *contract, surety_str name);
/* The property that a name means, which may differ in the case of ASCII
 * letters and in what is no letter or digit: "First name" for "first_name".
 * False: there is none, or more than one. */
bool surety__contract_name(const surety_contract *contract, surety_str name,
                           surety_str *ret_name);

/* ---- rules (rules.c) ---------------------------------------------------- */

/* The result of one rule for one value. */
typedef struct surety__rule_result {
    /* OK: the rule was evaluated, and `holds` is the result. Otherwise it does
     * not hold, and text has the reason. SYNTAX: the program failed or gave no
     * output. TIMEOUT, LIMIT: it exceeded its time or memory. */
    surety_status status;
    bool holds;
    surety_str text;
} surety__rule_result;

/* Evaluates the rules and derived members of one contract; a judge owns it. The
 * programs run in a child process, which starts with the first evaluation, so
 * that time and memory are bounded (rule_time_ms_max, rule_memory_mib_max). The
 * contract must outlive it. jq 1.6 computes with doubles: an integer beyond
 * 2^53 loses digits in a program, but never in the value itself. jq cannot read
 * a value nested deeper than 256 levels: SURETY_LIMIT. */
typedef struct surety__rules surety__rules;

/* Returns NULL when out of memory. Starts no process. */
surety__rules *surety__rules_new(const surety_contract *contract,
                                 const surety_alloc *alloc);
void surety__rules_free(surety__rules *rules); /* takes NULL */

/* Gives the results for value, one for each rule of the contract, in its order.
 * rules owns them; they are valid until its next use. A rule that does not hold
 * is no failure of the call. Blocks for at most the time limit and the start of
 * a process. Fails with SURETY_NOMEM; SURETY_LIMIT: the value is too deep;
 * SURETY_IO: the child could not start or died (the next call starts
 * another). */
surety_status surety__rules_check(surety__rules *rules, surety_val value,
                                  const surety__rule_result **ret_results,
                                  surety_error *reterr);

/* Writes the derived members of value to out as one object, in the order of the
 * contract; {} when there are none. A program that fails or gives no output is
 * SURETY_SYNTAX, and reterr->path is its location in the contract;
 * SURETY_TIMEOUT and SURETY_LIMIT likewise. Otherwise fails as
 * surety__rules_check does. */
surety_status surety__rules_derive(surety__rules *rules, surety_val value,
                                   surety_doc *out, surety_error *reterr);

/* Starts to compile the contract's programs in a child process and returns at
 * once; surety__rules_await waits for the result. Both do nothing when the
 * contract has no programs. SURETY_UNSUPPORTED: it has some, and this build is
 * without libjq. SURETY_SYNTAX, with position and path in the contract's text:
 * a program does not compile. SURETY_NOMEM, SURETY_IO. */
surety_status surety__rules_start(surety_contract *contract,
                                  surety_error *reterr);
surety_status surety__rules_await(surety_contract *contract,
                                  surety_error *reterr);
/* Ends the spare worker. */
void surety__rules_stop(surety_contract *contract);

/* ---- forms (forms.c) ----------------------------------------------------- */

/* How many subsets of JSON Schema providers have (surety_subset). */
enum { SUBSETS = 4 };

/* The forms of a contract: objects and texts that it makes when a call first
 * needs them, and owns. Each key has one slot, so a contract has at most
 * CONTRACT_FORMS forms. Those of a subset are CONTRACT_X + subset. */
typedef enum surety__contract_form {
    CONTRACT_SCHEMA = 0,                            /* text: without x-surety */
    CONTRACT_EXAMPLE,                               /* surety_doc */
    CONTRACT_STRICT,                                /* surety_strict */
    CONTRACT_DELIVERED = CONTRACT_STRICT + SUBSETS, /* surety_contract */
    /* text, for each style: the schema in a prompt */
    CONTRACT_SHOWN = CONTRACT_DELIVERED + SUBSETS,
    CONTRACT_STRICT_SHOWN = CONTRACT_SHOWN + PROMPT_STYLES, /* the same */
    CONTRACT_SHOWN_END = CONTRACT_STRICT_SHOWN + SUBSETS,
    /* text, for each of these: the same as a JSON string */
    CONTRACT_QUOTED = CONTRACT_SHOWN_END,
    CONTRACT_FORMS = CONTRACT_QUOTED + CONTRACT_SHOWN_END - CONTRACT_SHOWN
} surety__contract_form;

/* How a form is made, of the contract and `from`: with the contract's allocator
 * and under its lock. */
typedef struct surety__recipe {
    surety_status (*make)(const surety_contract *contract, const void *from,
                          void **ret_made, surety_error *reterr);
    void (*free)(void *made);
    const void *from;
} surety__recipe;

/* Gives a form, which the first call makes. If the recipe failed with LIMIT or
 * UNSUPPORTED, all later calls fail so; after any other failure the next call
 * tries again. Any number of threads may call it at once. */
surety_status surety__form_of(const surety_contract *contract,
                              surety__contract_form which,
                              const surety__recipe *recipe,
                              const void **ret_form, surety_error *reterr);

/* A form if it has been made; else NULL. */
const void *surety__form_made(const surety_contract *contract,
                              surety__contract_form which);

typedef surety_status surety__form_write(const surety_contract *contract,
                                         const void *from, surety_buf *out,
                                         surety_error *reterr);
/* The same for a form that is a text. `write` need not check out->status, nor
 * fill reterr for NOMEM. */
surety_status surety__form_text(const surety_contract *contract,
                                surety__contract_form which,
                                surety__form_write *write, const void *from,
                                surety_str *ret_text, surety_error *reterr);

/* Makes the places of the forms; false: out of memory. */
bool surety__forms_begin(surety_contract *contract);
/* Frees the forms, the last ones first. */
void surety__forms_end(surety_contract *contract);

/* ---- registry (registry.c, version.c) ------------------------------------ */

/* Returns whether text is a valid contract name: words of a-z, 0-9 and "-" that
 * begin with a letter or digit, joined by "/", at most 128 bytes. */
bool surety__name_valid(surety_str text);

/* The built-in contracts, sorted by name. The build makes them from
 * contracts/. */
extern const surety__embedded surety__builtins[];
extern const size_t surety__builtins_count;

/* Returns the built-in contract of that name; NULL when there is none. */
const surety__embedded *surety__builtin_find(surety_str name);

#endif
