/* SPDX-License-Identifier: Apache-2.0 */
/* The door of align/: changes a value so that it satisfies a schema, at the
 * lowest cost: "42" for an integer, a single value for an array, an enum value
 * in another case, a key in another spelling. Nothing is invented, no number
 * or text changes its meaning, and every change is reported.
 *
 * Threads: one thread at a time may use an aligner. */
#ifndef SURETY_ALIGN_ALIGN_H
#define SURETY_ALIGN_ALIGN_H

#include <surety/base.h>
#include <surety/json.h>
#include <surety/schema.h>

/* One change. The aligner owns texts and values until its next call. Kinds and
 * costs: docs/repair.md. */
typedef struct surety__edit {
    const char *kind;   /* "number-from-text", ... */
    bool likely;        /* a guess; false: the meaning is certain */
    uint32_t cost;      /* above 0 */
    surety_str pointer; /* in the aligned value; for a member left out: its key
                         * below its container */
    surety_val from;    /* in the original value; SURETY_NONE: text */
    surety_val to;      /* in the aligned value; SURETY_NONE: left out */
} surety__edit;

typedef struct surety__aligner surety__aligner;

/* NULL: out of memory. */
surety__aligner *surety__aligner_new(const surety_alloc *alloc,
                                     const surety_limits *limits);
void surety__aligner_free(surety__aligner *aligner); /* takes NULL */

/* Builds in out the value that val becomes to satisfy schema. OK: out has it,
 * checked; a valid val is copied without edits. SURETY_END: no certain enough
 * change satisfies the schema, or two ways of equal cost give different
 * values. SURETY_LIMIT: too much work (work_base and work_per_value);
 * SURETY_NOMEM. Deterministic. out's origin is val's doc: copies keep their
 * positions. val's doc must outlive out. */
surety_status surety__aligner_align(surety__aligner *aligner,
                                    const surety_schema *schema, surety_val val,
                                    surety_doc *out, surety_error *reterr);

/* The same for a text that is not JSON, if the schema's root names a scalar by
 * type, enum or const: the single enum value that occurs in it as whole words
 * and is not negated; the single boolean or number; for an unrestricted string
 * the text itself, trimmed. The edit is "text". A schema without a type gets
 * none of them. The caller must decide whether the text is a refusal. */
surety_status surety__aligner_align_text(surety__aligner *aligner,
                                         const surety_schema *schema,
                                         surety_str text, surety_doc *out,
                                         surety_error *reterr);

/* The edits of the last call, in the order of the aligned value, outer before
 * inner; none if it failed. Counts and cost are exact, but at most repairs_max
 * edits are kept. */
typedef struct surety__align_edits {
    surety__edit *items;
    size_t kept, cap;
    size_t count, likely;
    uint64_t cost;
} surety__align_edits;

const surety__align_edits *
surety__aligner_edits(const surety__aligner *aligner);

#endif
