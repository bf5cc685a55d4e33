/* SPDX-License-Identifier: Apache-2.0 */
/* The door of align/: a value brought to the shape of a schema, at least cost:
 * "42" where an integer is wanted, a lone value where an array is, an enum
 * value in another case, a key in another spelling. Nothing is ever invented,
 * no number or text altered in meaning, and every change is reported.
 *
 * Threads: an aligner is owned. */
#ifndef SURETY_ALIGN_ALIGN_H
#define SURETY_ALIGN_ALIGN_H

#include <surety/base.h>
#include <surety/json.h>
#include <surety/schema.h>

/* One change. Texts and values belong to the aligner, until its next call.
 * Kinds and costs: docs/repair.md. */
typedef struct surety__edit {
    const char *kind;   /* "number-from-text", ... */
    bool likely;        /* a guess; false: the meaning is in no doubt */
    uint32_t cost;      /* above 0 */
    surety_str pointer; /* in the aligned value; of what was left out: its
                         * key below its container's */
    surety_val from;    /* in the value given; SURETY_NONE: rows, text */
    surety_val to;      /* in the aligned value; SURETY_NONE: left out */
} surety__edit;

typedef struct surety__align_options {
    size_t size; /* sizeof(surety__align_options) */
    /* "45%" and "12 kg" may stand for 45 and 12. Without it they are refused:
     * whether 45 or 0.45 is meant nobody knows. */
    bool units;
    /* "2,5" may stand for 2.5. Without it, it is refused. */
    bool decimal_comma;
} surety__align_options;

typedef struct surety__aligner surety__aligner;

/* NULL when out of memory. */
surety__aligner *surety__aligner_new(const surety_alloc *alloc,
                                     const surety_limits *limits);
void surety__aligner_free(surety__aligner *aligner); /* takes NULL */

/* Builds in out what val becomes so that it satisfies schema. OK: out holds it,
 * checked; a val that is valid is copied and has no edits. SURETY_END: nothing
 * that is certain enough satisfies the schema, or two ways of equal cost
 * disagree. SURETY_LIMIT: too much work (work_base and work_per_value);
 * SURETY_NOMEM. Deterministic. out's origin is val's doc: copies keep their
 * places. val's doc must outlive out. */
surety_status surety__aligner_align(surety__aligner *aligner,
                                    const surety_schema *schema, surety_val val,
                                    const surety__align_options *options,
                                    surety_doc *out, surety_error *reterr);

/* The same for count values, at least one, that stand one after the other where
 * the schema's root wants an array: they become its items (an edit "rows"
 * besides their own). out's origin is the first one's doc; all of them must
 * outlive out. */
surety_status surety__aligner_align_rows(surety__aligner *aligner,
                                         const surety_schema *schema,
                                         const surety_val *vals, size_t count,
                                         const surety__align_options *options,
                                         surety_doc *out, surety_error *reterr);
/* The same for a text that is no JSON, where the schema's root names a scalar
 * by type, enum or const: the one value of an enum that stands in it, as words,
 * with nothing that negates it; the one truth value or number; for a string of
 * any form the text itself, trimmed. The edit "text". A schema that names no
 * type wants none of them. Whether the text is a refusal is for the caller to
 * know. */
surety_status surety__aligner_align_text(surety__aligner *aligner,
                                         const surety_schema *schema,
                                         surety_str text,
                                         const surety__align_options *options,
                                         surety_doc *out, surety_error *reterr);

/* The edits of the last call that was OK, in the order of the aligned value,
 * outer before inner; at most mends_max, _count and _cost exact. */
size_t surety__aligner_edit_count(const surety__aligner *aligner);
/* How many of them are likely only; exact. */
size_t surety__aligner_edit_likely(const surety__aligner *aligner);
/* An edit that was not kept has no kind. */
surety__edit surety__aligner_edit(const surety__aligner *aligner, size_t i);
uint64_t surety__aligner_cost(const surety__aligner *aligner);

#endif
