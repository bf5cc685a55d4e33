/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a strict schema: nodes. Each is a conjunction of the contract's
 * subschemas (schema/conjunction.h) in the form in which it is sent to the
 * provider.
 *
 * Invariants:
 * 1. A node's conjunction defines its meaning; everything else follows from
 *    it. `object` and `array` are empty if its types have no such values, and
 *    only a tuple that is sent as an object has both.
 * 2. What the subset cannot express makes a node looser, never narrower. The
 *    exceptions are objects that are closed and types that were not declared.
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

typedef struct surety__link {
    surety__node *node;
    bool by_name; /* it was a reference, and remains one */
} surety__link;

typedef struct surety__sent_member {
    surety_str name, sent; /* in the contract, at the provider */
    surety__link link;
    bool required; /* by the contract */
    bool nulled;   /* null means that the member is absent */
} surety__sent_member;

enum surety__node_form {
    NODE_VALUE,
    NODE_UNION, /* branches */
    NODE_NEVER
};

/* How members that are no properties are sent. */
enum surety__node_others {
    OTHERS_NONE,   /* closed */
    OTHERS_SILENT, /* open, without a keyword */
    OTHERS_SCHEMA, /* additionalProperties: others */
    OTHERS_BESIDE  /* a list of key and value is the member `beside` */
};

/* An object in its sent form, or a tuple that is sent as an object. */
typedef struct surety__object_form {
    surety__sent_member *fields;
    uint32_t field_count;
    uint32_t *table; /* hash table of fields by `sent`: index + 1, 0 is free */
    uint32_t table_mask;
    uint8_t others_how; /* enum surety__node_others */
    surety__link others;
    surety_str beside; /* OTHERS_BESIDE: the name of the list */
} surety__object_form;

/* An array in its sent form. */
typedef struct surety__array_form {
    surety__link *prefix;
    uint32_t prefix_count, prefix_least;
    surety__link items;
    bool closed;    /* nothing after the prefix */
    bool as_object; /* a tuple that is sent as an object */
} surety__array_form;

struct surety__node {
    const surety__conjunction_node *conjunction; /* NULL: not in the contract */
    uint8_t form, types;
    bool one_of;
    bool constant;
    bool has_null;   /* null is allowed */
    bool needs_name; /* it is a definition */
    /* limits.c: on the current path; reached; its next child; the node that led
     * to it. */
    bool open, seen;
    uint32_t next;
    surety__node *parent;
    bool changes; /* restoring may change its values */
    bool is_made;
    uint32_t ordinal;  /* in the list of all nodes, from 1 */
    surety_val origin; /* the first conjunct's subschema */
    surety_str title, description, name;
    surety_val *keywords; /* values of keywords that are sent as they are */
    uint32_t keyword_count;
    surety_val *choices; /* enum or const */
    uint32_t choice_count;
    surety__object_form object;
    surety__array_form array;
    surety__link *branches;
    uint32_t branch_count;
};

/* Where a note points, before its line is known. */
struct surety__strict_place {
    const surety_doc *doc;
    size_t offset, note;
};

struct surety_strict {
    surety_strict_info info; /* complete at the end */
    const surety_alloc *alloc;
    const surety_contract *contract;
    const surety__subset *subset;
    surety__arena arena;
    surety_strict_note *notes;
    struct surety__strict_place *places; /* of the notes, one each */
    size_t note_count, note_cap, place_cap;
    surety__pointer_walk note_walk; /* to the last note */
    surety__graph graph;
    uint64_t work; /* steps that the graph has left */
    surety__node **nodes;
    size_t node_count, node_cap;
    surety__node *root;
    surety__node *any; /* accepts every value; NULL: not needed */
    surety_str beside; /* OTHERS_BESIDE: the list's name; no property has it */
    surety_str wrap;   /* the wrapper's member for the root; likewise */
    surety__map marks; /* names that only rewritten values have, by hash */
    bool wrapped;
    surety_doc *doc;
    surety_status status; /* the first failure */
};

/* ---- notes (note.c) ------------------------------------------------------ */

/* Works out the lines of all notes, in one pass over each text. */
void surety__strict_locate(surety_strict *strict);
/* Adds a note about `keyword`, a member of a schema object or a whole schema.
 * format gives the message; hint may be NULL. A keyword has one note for each
 * support. */
void surety__strict_add_note(surety_strict *strict,
                             surety_strict_support support, surety_val keyword,
                             const char *hint, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The same of something that the provider does not accept, for which a form was
 * found: its message is the provider and `what`. */
void surety__strict_rewritten(surety_strict *strict, surety_val keyword,
                              const char *hint, const char *what);
/* Appends at most max characters of text; all but letters, digits, '_', '-' and
 * the characters of `also` become '_'. */
void surety__strict_plain(surety_buf *out, surety_str text, size_t max,
                          const char *also);
/* Appends a sentence to a node's description, and frees it. */
void surety__node_describe(surety_strict *strict, surety__node *node,
                           surety_buf *sentence);

/* ---- nodes (node.c, make.c, members.c) ----------------------------------- */

surety__node *surety__node_of(surety_strict *strict,
                              const surety__conjunction *all, unsigned types);
/* A link to the conjunction of shapes. A single reference remains a
 * reference. */
surety__link surety__node_link(surety_strict *strict,
                               const surety__conjunction *all);
/* A union that is not in the contract. */
surety__node *surety__node_union(surety_strict *strict,
                                 const surety__link *links, size_t count);
/* A node that accepts every value, for the schema at `at`. Adds a note if the
 * subset has no form for it. */
surety__node *surety__node_any(surety_strict *strict, surety_val at);

surety_status surety__node_make_all(surety_strict *strict);
void surety__node_object(surety_strict *strict, surety__node *node,
                         const surety__facts *facts);
void surety__node_array(surety_strict *strict, surety__node *node,
                        const surety__facts *facts);
/* The wish, which is freed, with underscores appended until no field of the
 * node, or (NULL) of any node, is sent under this name. (settle.c) */
surety_str surety__strict_free_name(surety_strict *strict,
                                    const surety__node *only, surety_buf *wish);
/* Computes how nodes relate to each other, after all are made. (settle.c) */
void surety__node_settle_all(surety_strict *strict);

/* The node of the i-th item; NULL: there is none. */
static inline const surety__node *
surety__array_item(const surety__array_form *array, uint32_t i)
{
    return i < array->prefix_count ? array->prefix[i].node : array->items.node;
}
/* The member that is sent as `sent`, or NULL. */
const surety__sent_member *
surety__object_member(const surety__object_form *object, surety_str sent);

/* Whether the node's choices contain the value; true if it has no choices. */
bool surety__node_lists(const surety__node *node, surety_val val);

/* Processes the keywords of all conjuncts: sent, or moved to the description.
 * (keywords.c) */
void surety__node_keywords(surety_strict *strict, surety__node *node,
                           const surety__facts *facts);

/* ---- the whole schema (limits.c, write.c, restore.c) --------------------- */

/* The children of a node by index; false: after the last. optional: an object
 * may lack it. */
bool surety__node_child(const surety__node *node, size_t i,
                        surety__link *ret_link, bool *ret_optional);
/* Finds recursive nodes and those that are referenced by name. */
void surety__strict_walk(surety_strict *strict);
/* The figures of the written schema that limits apply to. */
typedef struct surety__figures {
    uint64_t properties, nesting, choices, text, optional, unions;
    uint64_t many_choices, many_text; /* of the enum with the most text */
} surety__figures;
void surety__strict_limits(surety_strict *strict,
                           const surety__figures *figures);
surety_status surety__strict_write(surety_strict *strict, surety_error *reterr);
/* Writes a schema that has only a type. */
void surety__strict_write_type(surety_doc *doc, const char *type);

/* ---- how a delivered value is read (fits.c) ------------------------------ */

typedef struct surety__fit {
    const surety__node *node;
    surety_val val;
    uint64_t sum;            /* hash of the value that results */
    const surety__node *how; /* for a union: the first branch that fits */
    uint32_t first, count;   /* the items it depends on, in edges */
    bool fits;
    bool many; /* a union whose branches give different values */
} surety__fit;

typedef struct surety__fits {
    const surety_strict *strict;
    const surety_alloc *alloc;
    bool open; /* partial values: open values match */
    surety__fit *items;
    size_t count, cap;
    uint32_t *edges;
    size_t edge_count, edge_cap;
    surety__map index; /* by node and value: the index in items, from 1 */
    uint64_t *sums;    /* of each value unchanged, by its cell */
    size_t sum_count;
    surety_status status; /* LIMIT: more than FITS_MAX */
} surety__fits;

/* The most items for one delivered value: 64 MB of them. */
enum { FITS_MAX = 1000000 };

/* Finds, for node and val and for everything inside, whether the value is in
 * the requested form, and which branch of each union it matches. */
void surety__fits_find(surety__fits *fits, const surety__node *node,
                       surety_val val);
void surety__fits_done(surety__fits *fits);
/* The item of a node and a value; NULL: not examined. */
const surety__fit *surety__fits_of(const surety__fits *fits,
                                   const surety__node *node, surety_val val);
/* Whether val itself, without its children, matches node, which is not a
 * union. */
bool surety__fits_looks(const surety__fits *fits, const surety__node *node,
                        surety_val val);
/* Whether list is a list of key and value. */
bool surety__fits_is_pairs(const surety__fits *fits, surety_val list);
/* Whether a member means absence: null for an absent member. */
static inline bool surety__member_absent(const surety__sent_member *field,
                                         surety_val val)
{
    return field->nulled && surety_val_kind(val) == SURETY_KIND_NULL;
}
/* The same for the i-th item of a tuple that is sent as an object. before: the
 * number of present items before it. After an absent item, null is never a
 * value. */
static inline bool surety__item_absent(const surety__node *node, uint32_t i,
                                       uint32_t before, surety_val val)
{
    return surety__member_absent(&node->object.fields[i], val) ||
           (before < i && surety_val_kind(val) == SURETY_KIND_NULL);
}
/* A member or an item that a value gives to the contract's value. */
enum surety__child_role { CHILD_FIELD, CHILD_OTHER, CHILD_PAIR };
typedef struct surety__child {
    enum surety__child_role role;
    surety_str name; /* of a member, in the contract */
    surety_val key;  /* of a pair; NONE: it has not arrived */
    surety_val val;
    const surety__node *node; /* NULL: any value */
} surety__child;

/* A walk over the children of a delivered value: absent members are left out,
 * and a list of key and value is entered. */
typedef struct surety__children {
    const surety__node *node;
    surety_val val;
    surety_val list;         /* beside the fields; NONE: there is none */
    surety_val member, item; /* where the walk is */
    uint32_t index, present; /* items of a tuple: seen; given */
    bool has_pairs;          /* list is a list of key and value */
    bool in_list;
    bool has_gap; /* an item of a tuple is missing before another */
} surety__children;

surety__children surety__children_of(const surety__fits *fits,
                                     const surety__node *node, surety_val val);
/* The next child; false: there is none. */
bool surety__children_next(surety__children *of, surety__child *ret_child);
/* An item of the list of OTHERS_BESIDE. */
#define PAIR_KEY "key"
#define PAIR_VALUE "value"
/* The names of the list and of the wrapper's member; underscores are appended
 * if a property has the name. */
#define BESIDE_NAME "additional_properties"
#define WRAP_NAME "value"

/* Limits of the compiler itself: nodes, objects in the written schema, and
 * steps of the graph. A step is some 20 ns: of unions beside each other each
 * branch of one has all branches of the others, and a gateway's thread must not
 * wait for seconds. 20,000 properties take 40,000 steps, krakend's schema
 * 3,812. */
enum {
    STRICT_NODES_MAX = 50000,
    STRICT_WRITTEN_MAX = 100000,
    STRICT_WORK_MAX = 1000000
};

#endif
