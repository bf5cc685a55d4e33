/* SPDX-License-Identifier: Apache-2.0 */
/* Conjunctions: all subschemas that apply to one value.
 *
 * To one value often several subschemas apply at once: that of a property, that
 * of a pattern that matches its name, and those that $ref and allOf add. A
 * conjunction is the list of them, its members are conjuncts. From it follows
 * the conjunction of each member and item of the value. Code that reads a
 * schema for another purpose than the check works on conjunctions.
 *
 * A list begins as zeros and grows in the arena of its graph. Graphs share
 * lists: equal conjunctions are one node, so a schema becomes a finite graph,
 * and a recursive schema has cycles in it.
 *
 * Invariants:
 * 1. A shape is in a conjunction once, so loops of references end.
 * 2. The same conjuncts (shape, settled, quiet) and types are the same node.
 * 3. Nothing recurses. Everything lives in the graph's arena, and the graph's
 *    status keeps the first failure; after it nothing is added. */
#ifndef SURETY_SCHEMA_CONJUNCTION_H
#define SURETY_SCHEMA_CONJUNCTION_H

#include "base/base.h"
#include "schema/shape.h"

typedef struct surety__conjunct {
    const surety__shape *shape;
    /* The number of the conjunct that led to it: of this conjunction where it
     * is `here`, otherwise of the conjunction of the container. */
    uint32_t from;
    uint8_t settled; /* bit i: its i-th applicator was followed or decided */
    bool here;
    bool quiet; /* the caller's mark; what it refers to gets it, too */
} surety__conjunct;

typedef struct surety__conjunction {
    surety__conjunct *items;
    size_t count, cap;
    bool is_cut; /* there are more (graph.cut_at) */
} surety__conjunction;

/* The conjunction of one shape, as a pointer; good in the block. */
#define CONJUNCTION_OF(one)                                                    \
    (&(surety__conjunction){&(surety__conjunct){.shape = (one)}, 1, 1, false})

/* More conjuncts than this are SURETY_LIMIT: each is compared with all others.
 */
enum { CONJUNCTION_MAX = 32768 };

/* A conjunction that all equal ones share. */
typedef struct surety__conjunction_node {
    struct surety__conjunction_node *next; /* of the same hash */
    surety__conjunction all;
    uint8_t types; /* TYPE_ bits that it is restricted to */
    void *made;    /* what the caller made of it; NULL: nothing yet */
} surety__conjunction_node;

/* What surety__conjunction_add does with a shape. */
enum surety__conjunction_adds {
    /* A shape that only refers to another is added as that other one, and a
     * shape that asserts nothing is left out. */
    CONJUNCTION_DIRECT = 1,
    /* false is left out. */
    CONJUNCTION_POSSIBLE = 2,
    /* What allOf and references of it lead to is added right behind it. */
    CONJUNCTION_FOLLOWED = 4
};

typedef struct surety__graph {
    surety__arena *arena;        /* its status has the first failure */
    uint64_t *work;              /* steps that are left; NULL: any number */
    const surety_limits *limits; /* of patterns; NULL: the defaults */
    surety_error *reterr;        /* for a pattern's limit; may be NULL */
    unsigned adds;               /* surety__conjunction_adds */
    /* A conjunction ends at so many, and is_cut; 0: CONJUNCTION_MAX, and more
     * fail. */
    size_t cut_at;
    /* Whether a union counts for values of these types; others are settled.
     * NULL: all count. */
    bool (*counts)(const surety__applicator *one, unsigned types);
    /* The schema whose root is outermost for dynamic references; NULL: they
     * lead to the schema that they name, wherever they are. */
    const surety_schema *schema;
    /* Its own: */
    surety__map nodes, messages; /* by hash */
    surety__matcher *matcher;
} surety__graph;

/* ---- the graph (graph.c) ------------------------------------------------- */

/* Frees what does not live in the arena. */
void surety__graph_done(surety__graph *graph);
/* Forgets all nodes and messages, before the arena is reset. */
void surety__graph_reset(surety__graph *graph);
/* Sets the status, if it is the first failure; false. */
bool surety__graph_fail(surety__graph *graph, surety_status status);
/* Takes steps off the work that is left; false: there are not so many. */
bool surety__graph_charge(surety__graph *graph, uint64_t steps);
/* A formatted text in the arena, as of surety__fail. */
surety_str surety__graph_words(surety__graph *graph, const char *format,
                               va_list list);
/* Whether this is the first call for that place of the schema and that kind of
 * message; false, too, when out of memory. */
bool surety__graph_is_news(surety__graph *graph, surety_val at, unsigned kind);
/* The node of a conjunction, whose list is copied; NULL when out of memory. */
surety__conjunction_node *surety__graph_node(surety__graph *graph,
                                             const surety__conjunction *all,
                                             unsigned types);

/* ---- lists (conjunction.c) ----------------------------------------------- */

/* Adds a conjunct; of one whose shape is there already, only what is settled.
 * NULL as its shape adds nothing. False: status says why. */
bool surety__conjunction_add(surety__graph *graph, surety__conjunction *all,
                             surety__conjunct one);

/* Adds what an applicator of conjunct i applies to the same value, by
 * surety__conjunction_apply; allOf and references never come here. */
typedef bool surety__conjunction_fn(void *context, surety__conjunction *all,
                                    size_t i, const surety__applicator *one);
/* Adds everything that applies to the same value: what allOf and references
 * lead to, what that leads to, and what `decide` (NULL: nothing) adds of the
 * other applicators. False: status says why, or decide did. */
bool surety__conjunction_follow(surety__graph *graph, surety__conjunction *all,
                                surety__conjunction_fn *decide, void *context);
/* Adds a shape that conjunct i leads to at the same value. */
bool surety__conjunction_apply(surety__graph *graph, surety__conjunction *all,
                               size_t i, const surety__shape *shape);

/* The place of a union (anyOf, oneOf). */
typedef struct surety__union_at {
    size_t conjunct;
    uint32_t index; /* of the applicator */
} surety__union_at;
static inline const surety__applicator *surety__conjunction_applicator(
    const surety__conjunction *all, surety__union_at at)
{
    return &all->items[at.conjunct].shape->applicators[at.index];
}
/* Bits of `settled`. In a shape references, allOf, anyOf and oneOf are before
 * all other applicators (schema/build.c), each once. */
enum { SETTLED_MAX = 8 };
static inline bool surety__conjunct_settled(const surety__conjunct *one,
                                            uint32_t index)
{
    assert(index < SETTLED_MAX);
    return one->settled >> index & 1;
}
static inline void surety__conjunct_settle(surety__conjunct *one,
                                           uint32_t index)
{
    assert(index < SETTLED_MAX);
    one->settled |= (uint8_t)(1u << index);
}
/* How many applicators are settled. */
size_t surety__conjunction_settled(const surety__conjunction *all);
/* The n-th union that is not settled; false: there are not so many. */
bool surety__conjunction_union(const surety__conjunction *all, size_t n,
                               surety__union_at *ret_at);
/* Adds what applies to a value of one branch of a union: the branch, and then
 * everything else, the union settled. */
bool surety__conjunction_branch(surety__graph *graph,
                                const surety__conjunction *all,
                                surety__union_at at,
                                const surety__shape *branch,
                                surety__conjunction *ret_all);

/* Whether one conjunct is false. */
bool surety__conjunction_never(const surety__conjunction *all);
/* The types that all take, as far as each says by itself. */
unsigned surety__conjunction_types(const surety__conjunction *all);
/* The types that keywords are about. */
unsigned surety__conjunction_speaks(const surety__conjunction *all);
/* The first conjunct with enum or const; NULL: none. */
const surety__shape *
surety__conjunction_listing(const surety__conjunction *all);
/* Whether every enum and const has the value. */
bool surety__conjunction_lists(const surety__conjunction *all, surety_val val);

/* How many there may be of what is counted. */
enum surety__counted { COUNT_CHARACTERS, COUNT_ITEMS, COUNT_MEMBERS };
typedef struct surety__range {
    uint64_t least, most; /* UINT64_MAX: any number */
} surety__range;
surety__range surety__conjunction_range(const surety__conjunction *all,
                                        enum surety__counted what);

/* A bound of numbers; cell NULL: none. */
typedef struct surety__bound {
    const surety_doc *doc;
    const surety__cell *cell;
    bool is_exclusive;
} surety__bound;
/* The tightest lower or upper bound. */
surety__bound surety__conjunction_bound(const surety__conjunction *all,
                                        bool is_upper);
/* Above 0: a lets through less than b; below 0: more. */
int surety__bound_compare(surety__bound a, surety__bound b, bool is_upper);

/* ---- members and items (conjunction_child.c) ----------------------------- */

/* What a conjunction requires of one member. It begins as zeros, and can be
 * used again. */
typedef struct surety__member_facts {
    surety__conjunction all;          /* that applies to its value */
    const surety__property *property; /* the first that has a schema, or NULL */
    surety_val fill; /* the first default; NONE: there is none */
    const surety__shape *fill_shape; /* whose default that is */
    bool required;
    bool named;   /* by properties or patternProperties */
    bool closed;  /* additionalProperties is false for it */
    bool covered; /* some keyword is about it: it is evaluated */
} surety__member_facts;

/* What properties, patternProperties and additionalProperties say of a name;
 * hash: the low 16 bits of surety__hash, as a key's cell has them. False:
 * status says why. */
bool surety__conjunction_member(surety__graph *graph,
                                const surety__conjunction *all, surety_str name,
                                uint32_t hash, surety__member_facts *member);
static inline uint32_t surety__name_hash(surety_str name)
{
    return surety__hash(name.ptr, name.len) & 0xFFFF;
}
/* Adds all that applies to the i-th item; UINT32_MAX: to those behind all
 * places. Gives whether some keyword is about it. */
bool surety__conjunction_item(surety__graph *graph,
                              const surety__conjunction *all, uint32_t i,
                              surety__conjunction *item);
/* Adds all that applies to members (object) or items that no keyword is about.
 */
void surety__conjunction_unevaluated(surety__graph *graph,
                                     const surety__conjunction *all,
                                     bool object, surety__conjunction *child);

/* A place in the properties of a conjunction. */
typedef struct surety__name_at {
    size_t conjunct;
    uint32_t property;
} surety__name_at;
/* The names that properties and required mention, each once and in the order of
 * the schema: the next property, or NULL past the last. *at begins as zeros. */
const surety__property *surety__conjunction_name(const surety__conjunction *all,
                                                 surety__name_at *at);
/* Whether a conjunct before number `until` mentions the name. */
bool surety__conjunction_mentions(const surety__conjunction *all, size_t until,
                                  surety_str name, uint32_t hash);
/* The most items that have a schema of their own; *ret_shape, which may be
 * NULL, is the first conjunct with so many, or NULL. */
uint32_t surety__conjunction_places(const surety__conjunction *all,
                                    const surety__shape **ret_shape);

/* ---- what a node says (conjunction_facts.c) ------------------------------ */

typedef struct surety__facts {
    surety__conjunction all; /* of the node, and what they refer to */
    unsigned types;          /* TYPE_ bits that all of them take */
    unsigned speaks;         /* TYPE_ bits that keywords are about */
    bool never;
    bool typed;       /* there is type, enum or const */
    bool conditional; /* there are subschemas that hold now and then */
    bool any_of;      /* there is anyOf, decided or not */
    /* Has a dynamic reference whose target depends on the way to it; or NULL.
     */
    const surety__shape *unresolved;
    /* The unions that count and are not decided: how many, and the first. */
    size_t union_count;
    surety__union_at first;
} surety__facts;

/* Follows references and allOf; false: status says why. */
bool surety__facts_gather(surety__graph *graph,
                          const surety__conjunction_node *node,
                          surety__facts *facts);
/* The values of the first enum or const that all conjuncts allow; gives the
 * shape that has it, or NULL where there is neither. */
const surety__shape *surety__facts_choices(surety__graph *graph,
                                           const surety__facts *facts,
                                           surety_val **ret_values,
                                           uint32_t *ret_count);

/* Takes types apart by kinds of value: text, numbers (integers among them),
 * booleans, arrays, objects. Null is none. Gives how many there are. */
enum { KINDS_MAX = 5, TYPE_NUMBERS = TYPE_NUMBER | TYPE_INTEGER };
size_t surety__types_split(unsigned types, unsigned kinds[KINDS_MAX]);

/* Whether a shape says nothing beside one applicator at most. */
bool surety__shape_is_bare(const surety__shape *shape);
/* What a shape refers to, if it is a reference and nothing else; or NULL. */
const surety__shape *surety__shape_target(const surety__shape *shape);
/* The shape behind such references, or the shape itself. */
const surety__shape *surety__shape_behind(const surety__shape *shape);

#endif
