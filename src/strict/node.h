/* SPDX-License-Identifier: Apache-2.0 */
/* What a strict schema is made of: nodes, each the conjunction of some of the
 * contract's shapes in the form that goes to the provider. References and allOf
 * are settled in a node; the same conjunction is the same node, so that a
 * recursive schema is a graph with cycles.
 *
 * Invariants:
 * 1. A node's parts are what it means; everything else is worked out of them.
 * 2. What a provider cannot be told is looser in the node, never narrower, but
 *    for objects that get closed and types that were never declared.
 * 3. Everything lives in the strict schema's arena. */
#ifndef SURETY_STRICT_NODE_H
#define SURETY_STRICT_NODE_H

#include <surety/strict.h>

#include "base/base.h"
#include "contract/contract.h"
#include "json/json.h"
#include "schema/schema.h"
#include "strict/subset.h"

typedef struct surety__node surety__node;

/* A shape, and which of its unions are decided already: bit i stands for its
 * i-th applicator. */
typedef struct surety__part {
    const surety__shape *shape;
    uint64_t settled;
} surety__part;

/* A part that tells nothing about itself: the union above did. */
#define PART_QUIET ((uint64_t)1 << 63)
enum { PART_UNIONS = 63 };

typedef struct surety__link {
    surety__node *node;
    bool by_name; /* it was a reference, and stays one */
} surety__link;

typedef struct surety__field {
    surety_str name, sent; /* in the contract, at the provider */
    surety__link link;
    bool required; /* by the contract */
    bool nulled;   /* null stands for its absence */
} surety__field;

enum surety__node_form {
    NODE_VALUE,
    NODE_UNION, /* branches */
    NODE_TEXT,  /* any value, sent as JSON in a string */
    NODE_NEVER
};

/* How members that no property names go. */
enum surety__node_others {
    OTHERS_NONE,   /* closed */
    OTHERS_SILENT, /* open, and nothing is said */
    OTHERS_SCHEMA, /* additionalProperties: others */
    OTHERS_PAIRS,  /* the object is a list of key and value */
    OTHERS_BESIDE  /* such a list is the member `beside` */
};

struct surety__node {
    surety__node *next; /* of the same hash */
    surety__part *parts;
    uint32_t part_count;
    uint8_t mask; /* TYPE_ bits that it is restricted to */
    uint8_t form, others_how;
    uint8_t types;
    bool one_of;
    bool constant;
    bool tuple_object; /* a tuple that is sent as an object */
    bool items_closed; /* nothing after the prefix */
    bool needs_name, open, seen, has_null, is_made;
    surety_val origin; /* the first part's subschema */
    surety_str title, description, name, beside;
    surety_val *kept; /* values of keywords that are sent as they stand */
    uint32_t kept_count;
    surety_val *choices; /* enum or const */
    uint32_t choice_count;
    surety__field *fields;
    uint32_t field_count;
    uint32_t *table; /* fields by the hash of `sent`: index + 1, 0 is free */
    uint32_t table_mask;
    surety__link others;
    surety__link *prefix;
    uint32_t prefix_count, prefix_least;
    surety__link items;
    surety__link *branches;
    uint32_t branch_count;
};

typedef struct surety__sentence {
    struct surety__sentence *next;
    surety_val keyword;
    uint8_t verdict;
} surety__sentence;

struct surety_strict {
    const surety_alloc *alloc;
    const surety_contract *contract;
    const surety__subset *subset;
    surety__arena arena;
    surety_strict_note *notes;
    size_t note_count, note_cap;
    surety__map said;  /* notes by keyword's place */
    surety__map known; /* nodes by hash */
    surety__node **nodes;
    size_t node_count, node_cap;
    surety__node *root;
    surety__matcher *matcher;
    bool wrapped;
    surety_doc *doc;
    surety_str name, description;
    surety_strict_verdict verdict;
    surety_status status; /* the first failure */
};

/* Vectors in the arena that only grow while a node is made. */
typedef struct surety__parts {
    surety__part *items;
    size_t count, cap;
} surety__parts;

/* ---- notes (note.c) ------------------------------------------------------ */

/* What is said of `keyword`, a member of the schema object `schema`; an absent
 * keyword is said of the schema. The format makes the message; hint is a
 * sentence that outlives the call. Says the same only once. */
void surety__strict_say(surety_strict *strict, surety_strict_verdict verdict,
                        surety_val keyword, const char *hint,
                        const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Memory of the arena; NULL and strict->status where there is none. */
void *surety__strict_take(surety_strict *strict, size_t size);
surety_str surety__strict_text(surety_strict *strict, surety_str text);
bool surety__parts_add(surety_strict *strict, surety__parts *parts,
                       surety__part part);

/* ---- facts (facts.c) ------------------------------------------------------
 */

/* Everything that the parts of a node say, references and allOf followed. */
typedef struct surety__facts {
    surety__parts parts;
    unsigned types;
    bool never, typed;
    size_t union_part; /* of the first union that is not decided */
    uint32_t union_index;
    size_t union_count;
    unsigned speaks; /* TYPE_ bits that keywords are about */
} surety__facts;

bool surety__facts_gather(surety_strict *strict, const surety__node *node,
                          surety__facts *facts);
/* Whether shape is a reference and nothing else; gives its target. */
const surety__shape *surety__shape_target(const surety__shape *shape);
/* Whether what shape says beside its unions is nothing. */
bool surety__shape_is_bare(const surety__shape *shape);
/* Values of enum and const that all parts allow; false: there is neither. */
bool surety__facts_choices(surety_strict *strict, const surety__facts *facts,
                           surety__node *node);

/* ---- nodes (make.c, members.c) --------------------------------------------
 */

surety__node *surety__node_of(surety_strict *strict, const surety__part *parts,
                              size_t count, unsigned mask);
/* A link to what one or more shapes say together; a lone reference is kept. */
surety__link surety__node_link(surety_strict *strict,
                               const surety__parts *parts);
surety_status surety__node_make_all(surety_strict *strict);
void surety__node_object(surety_strict *strict, surety__node *node,
                         const surety__facts *facts);
void surety__node_array(surety_strict *strict, surety__node *node,
                        const surety__facts *facts);
/* A union that no shape of the contract is. */
surety__node *surety__node_union(surety_strict *strict,
                                 const surety__link *links, size_t count);

/* The field that goes as `sent`, or NULL. */
const surety__field *surety__node_field(const surety__node *node,
                                        surety_str sent);

/* Keywords of all parts: kept, or told in words. (keywords.c) */
void surety__node_keywords(surety_strict *strict, surety__node *node,
                           const surety__facts *facts);

/* ---- the whole (limits.c, write.c, restore.c) -----------------------------
 */

/* The children of a node one after another: false past the last. optional: an
 * object may do without it. */
bool surety__node_child(const surety__node *node, size_t i,
                        surety__link *ret_link, bool *ret_optional);
/* Finds what is recursive and what goes by name. */
void surety__strict_walk(surety_strict *strict);
/* What the limits count, of the schema as it was written. */
typedef struct surety__figures {
    uint64_t properties, nesting, choices, text, optional, unions;
    uint64_t many_choices, many_text; /* of the enum that is worst */
} surety__figures;
void surety__strict_limits(surety_strict *strict,
                           const surety__figures *figures);
surety_status surety__strict_write(surety_strict *strict, surety_error *reterr);
/* A property of OTHERS_PAIRS and OTHERS_BESIDE. */
#define PAIR_KEY "key"
#define PAIR_VALUE "value"
#define WRAP_NAME "value"

/* Bounds of the compiler itself: nodes, and objects of the written schema. */
enum { STRICT_NODES_MAX = 50000, STRICT_WRITTEN_MAX = 100000 };

#endif
