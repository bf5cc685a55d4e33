/* SPDX-License-Identifier: Apache-2.0 */
/* lint.h: reports all errors of a contract, and warns of parts that are allowed
 * but probably mistakes. */
#ifndef CLI_LINT_H
#define CLI_LINT_H

#include "cli.h"
#include "diag.h"

enum { LINT_KINDS_MAX = 32, LINT_SHOWN_MAX = 3 };

/* Findings with the same keyword and message. */
struct lint_kind {
    surety_buf keyword, message;
    size_t count;
};

struct lint {
    struct cli *cli;
    const char *source;       /* name of the file, for messages */
    surety_str text;          /* content of the file */
    const surety_schema *own; /* the contract surety/contract; may be NULL */
    surety_doc *doc;
    surety_dialect dialect;
    unsigned subsets; /* bits 1 << surety_subset: providers to check for */
    size_t errors, warnings;
    /* Of a kind, LINT_SHOWN_MAX findings are shown and the others counted. A
     * file with more kinds has the findings of all further kinds shown. */
    struct lint_kind kinds[LINT_KINDS_MAX];
    size_t kind_count;
    size_t offsets[64]; /* offsets of reported errors, so that none is reported
                         * twice */
    /* The contract's compiled schema, which has warnings; NULL: it did not
     * compile. */
    const surety_schema *schema;
    bool is_strict; /* warnings count as failures */
    bool shows_all; /* every finding of a kind */
};

/* Writes every error and warning to err and counts them; false: out of
 * memory. */
bool lint_contract(struct lint *lint);

/* Writes how many findings of each kind were not shown, and forgets the
 * kinds. */
void lint_end(struct lint *lint);

/* lint_schema.c: writes the warnings about the schema, whether it compiles or
 * not. */
bool lint_schema(struct lint *lint);

/* lint_prompt.c: writes the warnings about the templates and the example. */
bool lint_prompt(struct lint *lint, const surety_contract *contract);

/* lint_strict.c: reports what the providers of lint->subsets do not accept. */
bool lint_strict(struct lint *lint, const surety_contract *contract);

/* Counts one finding about the file, and writes it unless its kind was shown
 * often enough. Its source and text are added. */
void lint_put(struct lint *lint, struct diag *diag);
/* Writes one finding about val, a value of lint->doc. hint may be NULL. */
void lint_warn(struct lint *lint, surety_val val, const char *keyword,
               const char *hint, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
