/* SPDX-License-Identifier: Apache-2.0 */
/* The shape: a schema with its drafts, references and spellings settled. This
 * is what the check, the report and the completion read; nothing after the
 * compiler knows a draft.
 *
 * Invariants:
 * 1. One subschema of one document is one shape, reached through however many
 *    references; shapes form a graph that may have cycles, but none that does
 *    not move into the instance (compile.c refuses those it can see).
 * 2. Assertions of one kind of value are together behind one pointer, NULL
 *    where the schema asserts nothing about that kind.
 * 3. What the schema has is beside what fold.c worked out from it for the
 *    validity; what a report shows comes from the former.
 * 4. Everything lives in the schema's arena and is never written again. */
#ifndef SURETY_SCHEMA_SHAPE_H
#define SURETY_SCHEMA_SHAPE_H

#include "json/json.h"
#include "schema/format.h"
#include "schema/keywords.h"
#include "schema/pattern.h"

typedef struct surety__shape surety__shape;
typedef struct surety__resource surety__resource;

enum { CELL_KINDS = CELL_OBJECT + 1 };

/* The types of JSON Schema as bits. A whole number is INTEGER, any other is
 * NUMBER; the type "number" is both bits. */
enum {
    TYPE_NULL = 1,
    TYPE_BOOLEAN = 2,
    TYPE_NUMBER = 4,
    TYPE_INTEGER = 8,
    TYPE_STRING = 16,
    TYPE_ARRAY = 32,
    TYPE_OBJECT = 64,
    TYPE_ANY = 127
};

/* Bounds are cells of the schema document, so that they are exact. */
typedef struct surety__numbers {
    const surety__cell *minimum, *maximum;
    const surety__cell *exclusive_minimum, *exclusive_maximum;
    const surety__cell *multiple_of;
    /* Folded: the bounds of an INT, and those of a REAL, if all are INT. */
    int64_t least, most;
    int64_t lower, upper;
    bool ranged;
} surety__numbers;

typedef struct surety__strings {
    uint64_t min_length, max_length; /* code points; UINT64_MAX: no maximum */
    const surety__pattern *pattern;
    surety__format_fn format;
    surety_str format_name;
    bool content_base64; /* contentEncoding asserted (draft 7) */
    bool content_json;   /* contentMediaType asserted (draft 7) */
} surety__strings;

typedef struct surety__arrays {
    const surety__shape *rest; /* for the items after the prefix */
    const surety__shape *contains;
    const surety__shape *unevaluated;
    uint64_t min_items, max_items;
    const surety__shape **prefix;
    uint32_t prefix_count;
    surety__keyword prefix_keyword, rest_keyword;
    uint64_t min_contains, max_contains;
    bool contains_evaluates; /* matching items count as evaluated */
    bool unique;
    bool walks; /* prefix or rest */
    bool plain; /* folded: nothing but rest needs a look at the items */
} surety__arrays;

/* One name that properties or required mention. */
typedef struct surety__property {
    surety_str name;
    uint32_t hash;
    bool required;
    const surety__shape *shape;      /* NULL: only required */
    const surety__cell *default_val; /* the property's default, or NULL */
    const surety__cell
        *deprecated; /* its subschema, where that is deprecated */
} surety__property;

/* A property as the check looks it up: open addressing by the hash that a
 * key's cell carries; a free slot has no shape. */
typedef struct surety__slot {
    const surety__shape *shape; /* of the member's value */
    uint32_t len;
    bool required;
    bool covers;         /* properties has it: no other keyword applies */
    bool alone;          /* no pattern matches it: shape alone decides */
    uint64_t head, tail; /* surety__name_ends */
    const surety__property *property;
} surety__slot;

/* The ends of a name: two words that overlap where it is short. Of at most 16
 * bytes they are all of it. */
static inline void surety__name_ends(const char *ptr, size_t len,
                                     uint64_t *ret_head, uint64_t *ret_tail)
{
    uint64_t head = 0, tail = 0;
    uint32_t low = 0, high = 0;

    if (len >= 8) {
        memcpy(&head, ptr, 8);
        memcpy(&tail, ptr + len - 8, 8);
    } else if (len >= 4) {
        memcpy(&low, ptr, 4);
        memcpy(&high, ptr + len - 4, 4);
        head = low;
        tail = high;
    } else if (len) {
        head =
            (uint64_t)(unsigned char)ptr[0] << 8 | (unsigned char)ptr[len / 2];
        tail = (unsigned char)ptr[len - 1];
    }
    *ret_head = head;
    *ret_tail = tail;
}

typedef struct surety__pattern_member {
    const surety__pattern *pattern;
    const surety__shape *shape;
    surety_str source;
} surety__pattern_member;

/* Sets of branches, or lists of patterns, by a hash: open addressing. Hashes
 * that are equal share an entry: what is found only has to have each that can
 * hold. */
typedef struct surety__hashed {
    surety__pair *entries; /* value 0: free */
    uint32_t mask;
} surety__hashed;

/* The hash of a name. */
static inline uint64_t surety__hashed_name(surety_str name)
{
    return (uint64_t)name.len << 32 | surety__hash(name.ptr, name.len);
}

static inline surety__pair *surety__hashed_at(const surety__hashed *hashed,
                                              uint64_t hash)
{
    size_t at = (hash ^ hash >> 32) & hashed->mask;

    while (hashed->entries[at].value && hashed->entries[at].key != hash)
        at = (at + 1) & hashed->mask;
    return &hashed->entries[at];
}

/* Patterns by a few bytes that must occur in a name (pattern_index.c). */
typedef struct surety__pattern_index {
    surety__hashed keys;    /* the list at each, from and to in lists */
    uint32_t *lists;        /* numbers of patterns */
    uint32_t longest;       /* that of key 0 and the longest other together */
    uint64_t start_lengths; /* of the texts that names begin with, a bit each */
    unsigned gram_lengths;  /* of the others */
} surety__pattern_index;

typedef struct surety__dependent_required {
    surety_str key;
    const surety__cell *names; /* the array of strings */
    surety__keyword keyword;
    uint32_t next; /* with the same key: its number + 1, or 0 */
} surety__dependent_required;

/* Strings, found by surety__hash; a free entry has no text. */
typedef struct surety__word {
    surety_str text;     /* ptr NULL: free */
    uint64_t head, tail; /* surety__name_ends */
    uint64_t number;
} surety__word;

typedef struct surety__words {
    surety__word *entries;
    uint32_t mask;  /* 0: a list */
    size_t longest; /* bytes */
} surety__words;

typedef struct surety__objects {
    /* Folded. */
    const surety__slot *slots;
    uint32_t slot_mask;
    const surety__shape *other; /* of members without a slot that covers, or
                                 * NULL where patterns decide or nothing does */
    bool plain; /* nothing but slots and `other` needs a look at the members */
    /* As in the schema. */
    uint32_t required_count;
    surety__property *properties; /* in the order of the schema */
    uint32_t property_count;
    uint32_t *table; /* open addressing by hash: index + 1, 0 is free */
    uint32_t table_mask;
    surety__pattern_member *patterns;
    uint32_t pattern_count;
    const surety__pattern_index *index; /* folded; NULL: few patterns */
    const surety__shape *additional;
    const surety__shape *names;
    surety__dependent_required *dependents;
    uint32_t dependent_count;
    size_t dependent_names;        /* of all together, keys included */
    surety__words *dependent_keys; /* number + 1 of the first */
    uint64_t min_properties, max_properties;
    bool walks;   /* the members must be looked at */
    bool defines; /* has properties or patternProperties */
    const surety__shape *unevaluated;
} surety__objects;

/* Values of enum; const is an enum of one. Sorted by hash above a few. */
enum { CHOICES_SORTED = 8 };

typedef struct surety__choices {
    surety__pair *list; /* a value's hash, and its index in the document */
    uint32_t count;
} surety__choices;

/* Whether an object can satisfy a branch, by the names of its members alone.
 * Each name is one of 64 bits, by its hash. */
typedef struct surety__screen {
    uint64_t needs;  /* names that must be there */
    uint64_t some;   /* names of which one must be there; 0: none must */
    uint64_t allows; /* names that may be there */
} surety__screen;

enum { SWITCH_BRANCHES = 64, SWITCH_TAGS = 4 };

/* A member that tells branches apart, by its kind and by its value. */
typedef struct surety__tag {
    surety_str name;
    uint16_t hash;
    surety__hashed values;         /* by surety__val_hash, of const and enum */
    uint64_t open;                 /* branches without values for the member */
    const surety__words *excluded; /* strings that these branches exclude; */
    uint64_t excluding;            /* NULL: none do. Not of many branches */
    uint64_t lacking; /* branches that an object without it may satisfy */
    uint64_t kinds[CELL_KINDS]; /* branches that allow the kind; not of many */
} surety__tag;

/* Which branches of an anyOf or oneOf a value can satisfy. An object: by the
 * names of its members and by its tags. A set of branches is bits, one a
 * branch. Of more than SWITCH_BRANCHES it is a stretch of `order`, from the
 * lower half to before the upper one; there are no screens and at most one tag,
 * and where there is none the names of members lead to branches, each of which
 * is at one name that it requires. */
typedef struct surety__switch {
    uint64_t objects; /* branches that some object satisfies */
    const surety__screen *screens;
    const surety__tag *tags;
    uint32_t tag_count;
    surety__hashed names; /* by surety__hashed_name */
    uint64_t nameless;    /* branches that require no name */
    const uint32_t *order;
    const uint64_t *kinds; /* of many: branches for each kind */
} surety__switch;

/* How many branches a set has; count: the branches of the anyOf or oneOf. */
static inline uint32_t surety__branches_count(uint64_t set, uint32_t count)
{
    return count > SWITCH_BRANCHES ? (uint32_t)(set >> 32) - (uint32_t)set
                                   : (uint32_t)__builtin_popcountll(set);
}

/* Subschemas applied to the same value. */
enum surety__applicator_kind {
    APPLY_ALL,     /* allOf, $ref: every one */
    APPLY_DYNAMIC, /* $dynamicRef, $recursiveRef */
    APPLY_ANY,
    APPLY_ONE,
    APPLY_NOT,
    APPLY_IF,            /* if, then, else; the latter two may be NULL */
    APPLY_DEPENDENT,     /* dependentSchemas: where the key is there */
    APPLY_PROPERTY_VALUE /* propertyDependencies: where it has the value */
};

/* Where the value of one member leads, of an if or a ladder of them (jump.c). A
 * target of NULL: nothing more applies. */
typedef struct surety__jump {
    surety_str name;
    uint32_t hash;
    const surety__words *words;    /* strings; number: the place in targets */
    const surety__shape **targets; /* all; the first is of all other values */
    uint32_t target_count;
    const surety__shape *lacking;         /* of an object without the member */
    const surety__shape *kinds[CELL_INT]; /* of null, false and true */
} surety__jump;

typedef struct surety__applicator {
    enum surety__applicator_kind kind;
    surety__keyword keyword;
    uint32_t count;
    uint32_t dynamic_name; /* of APPLY_DYNAMIC */
    const surety__shape **shapes;
    surety_str key;   /* of DEPENDENT and PROPERTY_VALUE */
    surety_str value; /* of PROPERTY_VALUE */
    /* Of DEPENDENT and PROPERTY_VALUE, which come last: where the keys of all
     * are, and the next one with this key; each as a number + 1. */
    const surety__words *keys;
    uint32_t next;
    const surety__switch *branching; /* folded; of ANY and ONE, or NULL */
    const surety__jump *jump;        /* folded; of IF on objects, or NULL */
    /* Folded; of ANY and ONE whose branches are enums: one for all. Or NULL. */
    const surety__shape *choice;
} surety__applicator;

/* The validity of a value by its kind alone. */
enum surety__how {
    HOW_NO,    /* none of this kind is valid */
    HOW_YES,   /* every one is */
    HOW_CHECK, /* what the value itself holds decides */
    HOW_FLAT,  /* it nests FLAT_HEIGHT deep at most: no frame is needed */
    HOW_WALK,  /* its children or subschemas for itself decide, too */
    HOW_ROUTE, /* another shape decides: route */
    /* A union decides: the branches that the value leaves. Without the union
     * it would be FLAT, or WALK. */
    HOW_SELECT_FLAT,
    HOW_SELECT_WALK
};

/* How deep shapes of HOW_FLAT are nested at most; the check calls itself so
 * often and no more. */
enum { FLAT_HEIGHT = 8 };
/* How many shapes of HOW_WALK the check has on the C stack at most; what nests
 * deeper gets frames. */
enum { WALK_HEIGHT = 32 };

/* Kinds, a bit each, for whose values a shape has a short way. */
typedef struct surety__quick {
    uint16_t any; /* every value is valid: HOW_YES */
    /* No state is needed between the children: */
    uint16_t loop;  /* one loop is enough */
    uint16_t parts; /* and then each subschema for the value itself */
} surety__quick;

struct surety__shape {
    /* Folded: indexed by a cell's kind. */
    uint8_t how[CELL_KINDS]; /* surety__how */
    uint8_t types;           /* TYPE_ bits that may pass */
    bool always;             /* true, or an object that asserts nothing */
    bool never;              /* false */
    bool lexical_integer;    /* draft 4: 1.0 is no integer */
    uint16_t checks;         /* folded: kinds with assertions beyond the type */
    bool tracks;             /* has an unevaluated keyword */
    bool bare; /* folded: of a container only the children are looked at */
    bool ends; /* folded: no kind of value needs a frame */
    surety__quick quick; /* folded */
    uint32_t number;     /* folded: of all that may need a frame */
    uint32_t applicator_count;
    const surety__objects *objects;
    const surety__arrays *arrays;
    const surety__applicator *applicators;
    const surety__numbers *numbers;
    const surety__strings *strings;
    const surety__choices *choices;
    const surety__choices *constant;
    const surety__words *words; /* folded: enum and const, if all strings */
    /* What decides in its place: itself, or where it does nothing but refer to
     * another, that one; never one of another resource where a $dynamicRef
     * might ask for the resources on the way. */
    const surety__shape *direct;
    const surety__shape **route;       /* folded: for the kinds of HOW_ROUTE */
    const surety__applicator *selects; /* folded: the union that decides */
    surety__resource *resource;
    surety_val at; /* the subschema in its document */
};

/* A name that $dynamicAnchor gives to a shape of a resource. */
typedef struct surety__dynamic {
    uint32_t name;
    const surety__shape *shape;
    struct surety__dynamic *next;
} surety__dynamic;

/* A schema resource: what a $id opens. */
struct surety__resource {
    surety_str uri; /* absolute, without fragment; may be empty */
    surety_val root;
    surety_dialect dialect;
    bool dialect_assumed; /* neither $schema nor the caller gave it */
    unsigned vocabularies;
    bool assert_format;
    bool recursive; /* $recursiveAnchor: true */
    surety__dynamic *dynamics;
};

struct surety_schema {
    const surety_alloc *alloc;
    surety__arena arena;
    surety_limits limits;
    surety_doc *own_doc; /* of surety_schema_read */
    surety_val root_val;
    const surety__shape *root;
    surety__shape **shapes; /* all, in the order of their references */
    size_t shape_count, shape_cap;
    surety_doc **documents; /* built-in documents that were needed */
    size_t document_count, document_cap;
    surety__pattern **patterns;
    size_t pattern_count, pattern_cap;
    bool has_defaults;
    bool has_deprecated; /* some property is */
    bool dynamic;        /* some reference is $dynamicRef or $recursiveRef */
    surety_schema_warning *warnings; /* of info; NULL: none */
    surety_schema_info info;
};

/* ---- predicates --------------------------------------------------------- */

/* The shape behind the routes for a value of kind. */
static inline const surety__shape *surety__route_end(const surety__shape *shape,
                                                     unsigned kind)
{
    while (shape->how[kind] == HOW_ROUTE)
        shape = shape->route[kind];
    return shape;
}

/* Whether values of the kind need no frame, but may nest. */
static inline bool surety__shape_is_flat(const surety__shape *shape,
                                         unsigned kind)
{
    return shape->how[kind] == HOW_FLAT || shape->how[kind] == HOW_SELECT_FLAT;
}

/* References that are followed one after another, at most. */
enum { REFERENCE_HOPS = 16 };

/* Whether a shape asserts anything itself, its applicators aside. */
bool surety__shape_asserts(const surety__shape *shape);
/* Whether a shape does nothing but refer to another. */
bool surety__shape_refers(const surety__shape *shape);
/* The shape of the subschema at `at`; NULL: no reference leads to it. Linear in
 * the shapes. */
const surety__shape *surety__schema_shape(const surety_schema *schema,
                                          surety_val at);
/* The shape behind shapes that do nothing but refer to another, a few of
 * them at most, and only those of the resource `within` unless it is NULL. */
const surety__shape *surety__shape_meant(const surety__shape *shape,
                                         const surety__resource *within);
/* The property called by the key cell of doc, or NULL. */
const surety__property *surety__objects_find(const surety__objects *objects,
                                             const surety_doc *doc,
                                             const surety__cell *key);
/* Where in the table the search for a hash begins: the 16 bits are spread over
 * a table that is larger. */
static inline uint32_t surety__slot_first(uint32_t mask, uint32_t hash)
{
    return mask > 0xFFFF ? hash * ((mask >> 16) + 1) : hash & mask;
}
static inline uint32_t surety__objects_slot(const surety__objects *objects,
                                            uint32_t hash)
{
    return surety__slot_first(objects->table_mask, hash);
}
/* The same for a name whose surety__hash, cut to 16 bits, is hash. */
const surety__property *surety__objects_named(const surety__objects *objects,
                                              surety_str name, uint32_t hash);
/* The same of an object with an index. */
uint32_t surety__index_next(const surety__objects *objects, surety_str name,
                            uint32_t from);
/* The number of the first pattern from `from` on that may match name;
 * pattern_count: none. */
static inline uint32_t surety__patterns_next(const surety__objects *objects,
                                             surety_str name, uint32_t from)
{
    assert(from <= objects->pattern_count);
    return objects->index ? surety__index_next(objects, name, from) : from;
}
/* The TYPE_ bit of the values of a kind. */
extern const uint8_t surety__type_of_kind[CELL_KINDS];
/* The TYPE_ bits of a value. */
unsigned surety__type_bits(const surety_doc *doc, const surety__cell *cell,
                           bool lexical_integer);
/* Equality of a schema's cell and an instance's; a key counts as a string. */
bool surety__cell_equal(surety_val a, surety_val b);
/* The entry of words with this text, or NULL. */
const surety__word *surety__words_find(const surety__words *words,
                                       surety_str text);
bool surety__choices_have(const surety__choices *choices,
                          const surety_doc *schema_doc, surety_val val);

#endif
