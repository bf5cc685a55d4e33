/* SPDX-License-Identifier: Apache-2.0 */
/* The door of contract/: what a contract is made of once it is read, the
 * evaluator of its rules, and the embedded built-in set. */
#ifndef SURETY_CONTRACT_CONTRACT_H
#define SURETY_CONTRACT_CONTRACT_H

#include <surety/contract.h>

#include "base/base.h"
#include "json/json.h"

/* How a prompt shows the schema. */
typedef enum surety__prompt_style {
    PROMPT_JSON_SCHEMA = 0,
    PROMPT_TYPESCRIPT,
    PROMPT_EXAMPLE
} surety__prompt_style;

/* Everything that x-surety says, with the defaults filled in. The texts and
 * values belong to the contract's document. */
typedef struct surety__policy {
    surety_contract_info info; /* what callers see; extract is the one below,
                                * rules are in the contract's arena */
    surety_extract extract;
    surety__prompt_style prompt_style;
    surety_val prompt_example; /* SURETY_NONE: none given */
    surety_val aliases;        /* an array of names, or SURETY_NONE */
} surety__policy;

struct surety__pool;

struct surety_contract {
    const surety_alloc *alloc;
    surety_limits limits;
    surety_doc *doc;
    surety_schema *schema;
    surety__arena arena;
    surety__policy policy;
    surety__pair *names; /* of properties, by their hash; in the arena */
    size_t name_count;
    struct surety__pool *pool; /* the spare worker; NULL without rules */
};

/* ---- policy (policy.c) -------------------------------------------------- */

/* Fills policy from the root of a contract document. root must already satisfy
 * surety/contract; what a schema cannot say is checked here. rules are taken
 * from arena. SURETY_SYNTAX and SURETY_UNSUPPORTED with position and path,
 * SURETY_NOMEM. */
surety_status surety__policy_read(surety_val root, surety__arena *arena,
                                  surety__policy *policy, surety_error *reterr);
/* Gives status back after writing the position and path of val, a value of a
 * contract document, to reterr, which surety__fail has just filled. */
surety_status surety__policy_at(surety_val val, surety_error *reterr,
                                surety_status status);
/* The limits that the contract was read with, defaults filled in, and its
 * policy. (contract.c) */
const surety_limits *surety__contract_limits(const surety_contract *contract);
const surety__policy *surety__contract_policy(const surety_contract *contract);

/* ---- versions (version.c) ------------------------------------------------ */

/* -1, 0, 1 by precedence (section 11 there; build metadata does not count). An
 * empty version comes before all others. */
int surety__version_compare(surety_str a, surety_str b);

/* ---- names (names.c) ----------------------------------------------------- */

/* Collects the names of the schema's properties. False when out of memory. */
bool surety__contract_collect(surety_contract *contract);
/* Whether the schema names any property: if not, nothing is expected.
 */
bool surety__contract_names_any(const surety_contract *contract);
/* Whether name is that of a property somewhere in the schema. */
bool surety__contract_expects(const surety_contract *contract, surety_str name);

/* ---- rules (rules.c) ---------------------------------------------------- */

/* What one rule says of one value. */
typedef struct surety__verdict {
    /* OK: it was evaluated, and `holds` is its answer. Otherwise it does not
     * hold, and text says why: SYNTAX, the program failed or gave nothing;
     * TIMEOUT, LIMIT, its time or memory ran out. */
    surety_status status;
    bool holds;
    surety_str text;
} surety__verdict;

/* Evaluates the rules and derived members of one contract; owned by one judge.
 * The programs run in a child process, started when first needed, so that time
 * and memory are bounded (rule_time_ms_max, rule_memory_mib_max). The contract
 * must outlive it. jq 1.6 computes with doubles: an integer past 2^53 loses
 * digits in a program, though never in the value itself. A value nested deeper
 * than 256 levels is beyond what jq reads: SURETY_LIMIT. */
typedef struct surety__rules surety__rules;

/* NULL when out of memory. Costs no process yet. */
surety__rules *surety__rules_new(const surety_contract *contract,
                                 const surety_alloc *alloc);
void surety__rules_free(surety__rules *rules); /* takes NULL */

/* The verdicts on value, one for each rule of the contract, in its order; they
 * belong to rules and are good until its next use. A rule that does not hold
 * is no failure of the call. Blocks for at most the time limit and the start
 * of a process. SURETY_NOMEM; SURETY_LIMIT: the value is too deep; SURETY_IO:
 * the child could not be started or died (the next call starts another). */
surety_status surety__rules_check(surety__rules *rules, surety_val value,
                                  const surety__verdict **ret_verdicts,
                                  surety_error *reterr);

/* Reads the derived members of value into out as one object, in the order of
 * the contract; out is empty ({}) where there are none. A program that fails
 * or gives nothing is SURETY_SYNTAX with reterr->path its place in the
 * contract; SURETY_TIMEOUT and SURETY_LIMIT likewise; else as above. */
surety_status surety__rules_derive(surety__rules *rules, surety_val value,
                                   surety_doc *out, surety_error *reterr);

/* Starts compiling the contract's programs in a child process and returns at
 * once; _await collects what came of it. Nothing happens where the contract has
 * none. SURETY_UNSUPPORTED: it has, and this build is without libjq.
 * SURETY_SYNTAX, with position and path in the contract's text: a program that
 * does not compile. SURETY_NOMEM, SURETY_IO. */
surety_status surety__rules_start(surety_contract *contract,
                                  surety_error *reterr);
surety_status surety__rules_await(surety_contract *contract,
                                  surety_error *reterr);
/* Ends the spare worker. */
void surety__rules_stop(surety_contract *contract);

/* ---- registry (registry.c, version.c) ------------------------------------ */

/* Whether text is a contract's name: words of a-z, 0-9 and "-" that begin with
 * a letter or digit, joined by "/", 128 bytes at most. */
bool surety__name_valid(surety_str text);

/* The built-in contracts, sorted by name; made by the build from contracts/. */
extern const surety__embedded surety__builtins[];
extern const size_t surety__builtins_count;

/* The built-in contract of that name; NULL where there is none. */
const surety__embedded *surety__builtin_find(surety_str name);

#endif
