/* SPDX-License-Identifier: Apache-2.0 */
/* lint.h: everything that is wrong with a contract, and what in it is likely a
 * mistake though it is allowed. */
#ifndef CLI_LINT_H
#define CLI_LINT_H

#include "cli.h"
#include "diag.h"

struct lint {
    struct cli *cli;
    const char *source;       /* the file, for messages */
    surety_str text;          /* what stands in it */
    const surety_schema *own; /* the contract surety/contract; may be NULL */
    surety_doc *doc;
    surety_dialect dialect;
    unsigned subsets; /* 1 << surety_subset: told what they do not take */
    size_t errors, warnings;
    size_t offsets[64]; /* of the errors told, so none is told twice */
    /* What the contract's schema warns of; NULL: it did not compile. */
    const surety_schema *schema;
    bool is_strict; /* warnings fail, too */
};

/* Writes every mistake to err and counts them; false: out of memory. */
bool lint_contract(struct lint *lint);

/* lint_schema.c: the warnings about a schema that compiles or not. */
bool lint_schema(struct lint *lint);

/* lint_strict.c: what the providers of lint->subsets do not take. */
bool lint_strict(struct lint *lint, const surety_contract *contract);

/* Writes one finding about val, a value of lint->doc. hint may be NULL. */
void lint_warn(struct lint *lint, surety_val val, const char *keyword,
               const char *hint, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
