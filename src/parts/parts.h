/* SPDX-License-Identifier: Apache-2.0 */
/* The door of parts/: what a schema says of one value, for code that makes
 * something else of the schema.
 *
 * Of one value often several shapes hold at once: what a property says, what a
 * pattern says of the same name, what $ref and allOf add. They are the parts of
 * a whole. A schema is a graph of wholes: what a whole says of a member or an
 * item is a list of parts again, and so another whole.
 *
 * Invariants:
 * 1. The same parts and types are the same whole, so that the graph is finite
 *    and a recursive schema has cycles in it.
 * 2. A shape stands among the facts' parts once, so that loops of references
 *    end; an applicator that was followed or decided is settled, so that those
 *    parts can be the parts of another whole.
 * 3. Nothing recurses. Everything lives in the arena that the graph is given,
 *    and the first failure is in the status that it is given. */
#ifndef SURETY_PARTS_PARTS_H
#define SURETY_PARTS_PARTS_H

#include "base/base.h"
#include "json/json.h"
#include "schema/schema.h"

typedef struct surety__part {
    const surety__shape *shape;
    uint8_t settled; /* bit i: its i-th applicator was followed or decided */
    bool quiet;      /* the caller's mark; what it refers to has it, too */
} surety__part;

typedef struct surety__parts {
    surety__part *items;
    size_t count, cap;
} surety__parts;

/* More shapes than this for one value are SURETY_LIMIT: each is compared with
 * all others. */
enum { PARTS_MAX = 32768 };

typedef struct surety__whole {
    struct surety__whole *next; /* of the same hash */
    surety__parts parts;
    uint8_t types; /* TYPE_ bits that it is restricted to */
    void *node;    /* what the caller made of it; NULL: nothing yet */
} surety__whole;

typedef struct surety__graph {
    surety__arena *arena;
    surety_status *status;       /* the first failure */
    const surety_limits *limits; /* of patterns; NULL: the defaults */
    /* Whether a union counts for values of these types; others are settled.
     * NULL: all count. */
    bool (*counts)(const surety__applicator *one, unsigned types);
    /* The schema whose root is outermost for dynamic references; NULL: they
     * lead to the schema that they name, wherever they stand. */
    const surety_schema *schema;
    /* Its own: */
    surety__map wholes, said; /* by hash */
    surety__matcher *matcher;
} surety__graph;

/* ---- the graph (graph.c) ------------------------------------------------- */

/* Frees what does not live in the arena. */
void surety__graph_done(surety__graph *graph);
/* Sets the status, if it is the first failure. */
void surety__graph_fail(surety__graph *graph, surety_status status);
/* Zeroed memory of the arena; NULL when out of memory. */
void *surety__graph_take(surety__graph *graph, size_t size);
/* A copy of text in the arena; ptr NULL when out of memory. */
surety_str surety__graph_text(surety__graph *graph, surety_str text);
/* A copy of what a buffer holds, which is freed; if it failed, so did the
 * graph: ptr NULL. */
surety_str surety__graph_keep(surety__graph *graph, surety_buf *text);
/* A formatted text in the arena, as of surety__fail. */
surety_str surety__graph_words(surety__graph *graph, const char *format,
                               va_list list);
/* Whether this is the first call for that place of the schema and that kind of
 * saying something about it; false, too, when out of memory. */
bool surety__graph_is_news(surety__graph *graph, surety_val at, unsigned kind);

/* Appends a part, or a shape as a part; false: status says why. */
bool surety__parts_add_part(surety__graph *graph, surety__parts *parts,
                            surety__part part);
bool surety__parts_add(surety__graph *graph, surety__parts *parts,
                       const surety__shape *shape);
/* The whole of these parts, which are copied; NULL when out of memory. */
surety__whole *surety__whole_of(surety__graph *graph,
                                const surety__parts *parts, unsigned types);

/* ---- what a whole says (facts.c) ----------------------------------------- */

typedef struct surety__facts {
    surety__parts parts; /* of the whole, and what they refer to */
    unsigned types;      /* TYPE_ bits that all of them take */
    unsigned speaks;     /* TYPE_ bits that keywords are about */
    bool never;
    bool typed;       /* there is type, enum or const */
    bool conditional; /* there are subschemas that hold now and then */
    bool any_of;      /* there is anyOf, decided or not */
    /* Has a dynamic reference that leads where the way to it says; or NULL. */
    const surety__shape *lost;
    /* The unions that count and are not decided: how many, and where the first
     * stands. */
    size_t union_count, union_part;
    uint32_t union_index;
} surety__facts;

/* Follows references and allOf; false: status says why. */
bool surety__facts_gather(surety__graph *graph, const surety__whole *whole,
                          surety__facts *facts);
/* The first union. */
const surety__applicator *surety__facts_union(const surety__facts *facts);
/* Appends what holds of a value of one branch of the first union: the branch,
 * and then everything else, the union settled. */
bool surety__facts_branch(surety__graph *graph, const surety__facts *facts,
                          const surety__shape *branch, surety__parts *parts);
/* The values of the first enum or const that all parts allow; gives the shape
 * that has it, or NULL where there is neither. */
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

/* ---- what it says of members and items (members.c) ----------------------- */

typedef struct surety__member_facts {
    surety__parts parts;
    const surety__shape *shape; /* the first property of that name; or NULL */
    bool required;
} surety__member_facts;

/* The names of all properties, each once, in the order of the schema. */
size_t surety__facts_names(surety__graph *graph, const surety__facts *facts,
                           surety_str **ret_names);
/* What properties, patternProperties and additionalProperties say of a name;
 * false: status says why. */
bool surety__facts_member(surety__graph *graph, const surety__facts *facts,
                          surety_str name, surety__member_facts *said);

typedef struct surety__items {
    uint64_t least, most;         /* how many there may be */
    uint32_t places;              /* items with a schema of their own */
    const surety__shape *longest; /* says most of these; NULL: there are none */
    bool closed;                  /* some part takes none behind its own */
} surety__items;

surety__items surety__facts_items(const surety__facts *facts);
/* What arrays say of the i-th item, or NULL; UINT32_MAX: behind all places. */
static inline const surety__shape *
surety__arrays_item(const surety__arrays *arrays, uint32_t i)
{
    return i < arrays->prefix_count ? arrays->prefix[i] : arrays->rest;
}

#endif
