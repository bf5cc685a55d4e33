/* SPDX-License-Identifier: Apache-2.0 */
/* The door of schema/: what other folders use beyond surety/schema.h. */
#ifndef SURETY_SCHEMA_SCHEMA_H
#define SURETY_SCHEMA_SCHEMA_H

#include <surety/schema.h>

#include "json/json.h"

/* The i-th value of a deprecated property that surety__checker_complete met in
 * its last call, and the subschema with the keyword; SURETY_NONE past the last.
 * It keeps as many as are worth reporting. */
surety_val surety__checker_deprecated(const surety_checker *checker, size_t i,
                                      surety_val *ret_subschema);

/* ---- a value that is still growing (prefix.c) --------------------------- */

typedef struct surety__prefix surety__prefix;

enum surety__prefix_flag {
    /* It was read strictly: a scalar that is open stays of its kind. Without
     * it, it may still be read as something else, and decides nothing. */
    SURETY__PREFIX_STRICT = 1,
    /* It will be aligned: only what alignment never changes counts, numbers
     * beyond the bounds of a member that may be nothing but a number. */
    SURETY__PREFIX_ALIGN = 2
};

/* NULL when out of memory. */
surety__prefix *surety__prefix_new(const surety_alloc *alloc,
                                   const surety_limits *limits);
void surety__prefix_free(surety__prefix *prefix); /* takes NULL */
/* Forgets the last value. The schema must outlive the steps. */
void surety__prefix_begin(surety__prefix *prefix, const surety_schema *schema,
                          unsigned flags);
/* Looks at what root, the same value in the same doc as in the step before,
 * has more. *ret_refuted: there is no continuation that satisfies the schema;
 * that stays. A member whose name comes a second time counts as often as it
 * comes. The work is in proportion to what is new and to the subschemas that
 * have a say on it, at most PREFIX_THREADS for a value. NOMEM. */
surety_status surety__prefix_step(surety__prefix *prefix, surety_val root,
                                  bool *ret_refuted);
/* Why it is refuted, in the words of a report; good until the next begin. */
const surety_finding *surety__prefix_finding(const surety__prefix *prefix);

/* The shapes themselves, for code that shows a schema in another language or
 * makes values for it: there the drafts and references are settled. */
#include "schema/conjunction.h"
#include "schema/shape.h"

/* Empties the list, and keeps its memory. */
void surety__findings_reset(surety_findings *findings);

/* Whether val satisfies a shape of schema, as surety_checker_check does for
 * the root; a dynamic reference starts at the shape's own resource. *work
 * is how many steps may be taken, and then how many are left. SURETY_LIMIT,
 * SURETY_NOMEM: no answer. */
surety_status surety__shape_check(surety_checker *checker,
                                  const surety_schema *schema,
                                  const surety__shape *shape, surety_val val,
                                  uint64_t *work, bool *ret_valid);
/* The same for every shape of a conjunction. */
surety_status surety__conjunction_check(surety_checker *checker,
                                        const surety_schema *schema,
                                        const surety__conjunction *all,
                                        surety_val val, uint64_t *work,
                                        bool *ret_valid);

/* Fills in the schema's defaults for absent properties (fill_defaults) and
 * leaves out properties that the schema does not evaluate (strip_unknown).
 * *value must be valid. Where that changes it, *value becomes the root of doc,
 * whose origin is the value's doc; a complete value stays, and doc is not
 * written. Only properties that are certain are touched: those reached through
 * properties, items, prefixItems, additionalProperties, patternProperties,
 * allOf, $ref and the branches of anyOf, oneOf and if that the value satisfies.
 */
surety_status surety__checker_complete(surety_checker *checker,
                                       const surety_schema *schema,
                                       bool fill_defaults, bool strip_unknown,
                                       surety_doc *doc, surety_val *value,
                                       surety_error *reterr);

/* The same for a value to which the shapes of `all` apply; it satisfies them.
 * how: bits of surety__completes. */
enum surety__completes { COMPLETES_FILL = 1, COMPLETES_STRIP = 2 };
surety_status surety__conjunction_complete(surety_checker *checker,
                                           const surety_schema *schema,
                                           const surety__conjunction *all,
                                           unsigned how, surety_doc *doc,
                                           surety_val *value);

/* ---- elements.c: those of one array -------------------------------------- */

typedef struct surety__elements surety__elements;
/* The schema must outlive them. how: what their values are completed with
 * (surety__completes). MISUSE: the location is no JSON Pointer, or no valid
 * value has an array there. */
surety_status surety__elements_new(const surety_schema *schema,
                                   surety_str location, unsigned how,
                                   const surety_alloc *alloc,
                                   surety__elements **ret_elements,
                                   surety_error *reterr);
void surety__elements_free(surety__elements *elements);
/* Whether *value is certain to be valid as the element with that index; then
 * it becomes what it is in the completed value, perhaps in doc. OK, NOMEM. */
surety_status surety__elements_take(surety__elements *elements,
                                    surety_checker *checker, uint32_t index,
                                    surety_doc *doc, surety_val *value,
                                    bool *ret_good);

/* Frees every schema; the counts stay. For a resolver whose documents change:
 * the cache takes it that the same resolver (function and context) gives the
 * same documents, and those must outlive the schema. */
void surety__schema_cache_reset(surety_schema_cache *cache);

typedef struct surety__schema_cache_counts {
    uint64_t hits, misses; /* reads; one that failed is a miss */
    uint64_t evictions;    /* schemas put out to make room */
    size_t schemas, bytes; /* kept now */
} surety__schema_cache_counts;

surety__schema_cache_counts
surety__schema_cache_count(const surety_schema_cache *cache);

#endif
