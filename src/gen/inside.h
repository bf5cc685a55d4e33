/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of gen/ share: nodes, which are types to be, and names.
 *
 * A node is what a conjunction (schema/conjunction.h) becomes: a schema that is
 * referred to is one type, and a recursive one a cycle.
 *
 * Invariants:
 * 1. model.c, union.c and members.c decide what a node is and the label that
 *    its name is made of, order.c its place, name.c its names in C; the rest
 *    writes. Nothing is decided while writing. No files call each other in a
 *    circle: node.c and note.c serve the others.
 * 2. Whatever cannot be said is any value, and a note says why.
 * 3. Everything lives in the arena. */
#ifndef SURETY_GEN_INSIDE_H
#define SURETY_GEN_INSIDE_H

#include <surety/gen.h>
#include <surety/typed.h>

#include "base/base.h"
#include "contract/contract.h"
#include "json/json.h"
#include "schema/schema.h"

/* The forms of surety_typed_form, and those that become none. */
enum {
    GEN_NULL = SURETY_TYPED_WRAP + 1,
    GEN_NEVER,
    GEN_ALIAS /* it is what another node is */
};

/* Bounds of the generator itself: types, and what identifiers are made of. */
enum {
    GEN_NODES_MAX = 50000,
    GEN_WORD_MAX = 48,
    GEN_TYPE_MAX = 52,
    GEN_LOCAL_MAX = 24,
    GEN_UNION_MAX = 64
};

typedef struct surety__gen_node surety__gen_node;
typedef struct surety__gen_member surety__gen_member;

/* A member of a struct, a place of a tuple, a branch of a union. */
struct surety__gen_member {
    surety_str json; /* its name there; of a branch what it is called */
    surety__gen_node *node;
    const surety__shape *shape; /* what describes it; may be NULL */
    bool required;
    bool nullable;
    surety_val fill;    /* its default; SURETY_NONE: none */
    uint8_t filled;     /* fill.c's own */
    surety_str name;    /* in C */
    surety_str pointer; /* of a branch: where it stands in the contract; of
                         * another its default as JSON; ptr NULL: none */
};

/* Where a type is written, and what that asks for: order.c. */
typedef struct surety__gen_place {
    uint8_t visit;
    bool placed;
    uint32_t position;
    surety__gen_node *list; /* the list of it, which is one type */
    bool forward;           /* something points at it before it is defined */
    bool needs_holder;      /* a list or map that is used by itself somewhere */
} surety__gen_place;

/* What the name of a type is made of. */
typedef struct surety__gen_label {
    surety__gen_node *parent;
    surety_str word; /* its own */
    bool top;        /* called by its word alone: a definition */
    bool inner;      /* never called by its word alone */
} surety__gen_label;

/* The names of a type and of what belongs to it in C: name.c. */
typedef struct surety__gen_in_c {
    surety_str name;
    surety_str entry;    /* of a map: its entries' struct */
    surety_str kind;     /* of a union: its enum */
    surety_str *words;   /* of an enum its words; of a union its kinds */
    surety_str rest;     /* the field for the rest */
    surety_str constant; /* its place in the table of types */
    surety_str local;    /* what its tables are called after */
} surety__gen_in_c;

/* What it is, then where it is written and under which names. */
struct surety__gen_node {
    const surety__conjunction_node *conjunction; /* NULL: not in the schema */
    const surety__shape *origin; /* its first conjunct, or NULL */
    bool made;
    int form;
    bool nullable;           /* null is allowed, too */
    surety__gen_node *alias; /* of GEN_ALIAS what it is */
    surety__gen_node *box;   /* itself or null, where no member says so */
    surety__gen_member *members;
    uint32_t member_count;
    surety__gen_node *rest; /* of a list its items, of a map its values; of a
                             * struct or tuple the list or map of the rest */
    surety_val *words;      /* of an enum; of what is fixed its value */
    uint32_t word_count;
    surety_str json; /* of what is fixed */
    surety__gen_place place;
    surety__gen_label label;
    surety__gen_in_c in_c;
};

/* Identifiers in use; name.c. */
typedef struct surety__gen_names {
    surety__map map;
} surety__gen_names;

struct surety_gen {
    surety_gen_info info; /* filled in at the end */
    const surety_alloc *alloc;
    surety__arena arena;
    surety_str prefix, include, guard;
    surety_buf header, source;
    surety_gen_note *notes;
    size_t note_count, note_cap;
    surety_status status;    /* the first failure */
    surety__gen_names names; /* of everything, of what is static, too */
};

/* One contract while its types are made. */
typedef struct surety__gen_model {
    surety_gen *gen;
    const surety_contract *contract;
    const surety_schema *schema;
    size_t number; /* of the contract */
    surety__graph graph;
    surety__gen_node **nodes;
    size_t node_count, node_cap;
    surety__gen_node *value; /* the type of any value */
    surety__gen_node *root;
    surety__gen_node **order; /* types as they are written */
    size_t order_count;
    surety_str *longs; /* texts that no literal holds */
    size_t long_count, long_cap;
    surety_checker *checker;
    surety_str prefix;   /* of its names; the root's name */
    surety_str *derives; /* the functions of derived members */
    surety__gen_node *scalars[SURETY_TYPED_WRAP]; /* one type of each form */
} surety__gen_model;

/* ---- note.c -------------------------------------------------------------- */

/* Memory of the arena; NULL and gen->status where there is none. */
void *surety__gen_take(surety_gen *gen, size_t size);
surety_str surety__gen_text(surety_gen *gen, surety_str text);
/* text and end, in the arena. */
surety_str surety__gen_join(surety_gen *gen, surety_str text, const char *end);
/* Notes something about keyword, a member of the subschema at; once. */
void surety__gen_say(surety__gen_model *model, surety_val at,
                     const char *keyword, const char *hint, const char *format,
                     ...) __attribute__((format(printf, 5, 6)));

/* ---- node.c -------------------------------------------------------------- */

/* A node of that form that is nothing in the schema; NULL: gen->status. */
surety__gen_node *surety__gen_node_new(surety__gen_model *model, int form);
/* The node of a conjunction, restricted to types; parent is what it is called
 * after, if it is new. */
surety__gen_node *surety__gen_node_of(surety__gen_model *model,
                                      const surety__conjunction *all,
                                      unsigned types, surety__gen_node *parent);
/* The node of what one or more shapes say together, called word unless it is a
 * definition or has a name. */
surety__gen_node *surety__gen_link(surety__gen_model *model,
                                   const surety__conjunction *all,
                                   surety__gen_node *parent, surety_str word);
/* What a node is in the end; *nullable is set where null is allowed too. */
surety__gen_node *surety__gen_target(surety__gen_node *node, bool *nullable);
/* The type in C of one that stands for itself: an item, a branch's scalar. */
surety_str surety__gen_ctype(const surety__gen_node *node);
bool surety__gen_is_pointer(const surety__gen_node *node);
bool surety__gen_is_span(const surety__gen_node *node);
/* Whether a bool says that a member is there, or that it is null. */
bool surety__gen_has(const surety__gen_member *member);
bool surety__gen_has_null(const surety__gen_member *member);

/* ---- model.c ------------------------------------------------------------- */

/* Makes all types of the contract. */
surety_status surety__gen_model_make(surety__gen_model *model);
void surety__gen_model_done(surety__gen_model *model);

/* ---- union.c ------------------------------------------------------------- */

/* Whether a union makes a difference to the C type of values of these types. */
bool surety__gen_union_counts(const surety__applicator *one, unsigned types);
/* Makes node a union of the branches of the union in facts. */
void surety__gen_union(surety__gen_model *model, surety__gen_node *node,
                       const surety__facts *facts);
/* Makes node a union of one node for each kind of value in types; false: there
 * is one kind. */
bool surety__gen_split(surety__gen_model *model, surety__gen_node *node,
                       const surety__facts *facts, unsigned types);
/* Settles all unions, and members that have no value. */
void surety__gen_settle(surety__gen_model *model);

/* ---- members.c ----------------------------------------------------------- */

void surety__gen_object(surety__gen_model *model, surety__gen_node *node,
                        const surety__facts *facts);
void surety__gen_array(surety__gen_model *model, surety__gen_node *node,
                       const surety__facts *facts);

/* ---- name.c -------------------------------------------------------------- */

/* Appends text as words of an identifier: snake case, ASCII. */
void surety__gen_word(surety_buf *out, surety_str text, bool upper);
/* A copy of name, with "_2", "_3", ... behind it where names has it already, or
 * it belongs to C or C++; it is in names afterwards. */
surety_str surety__gen_claim(surety_gen *gen, surety__gen_names *names,
                             surety_str name);
bool surety__gen_is_taken(const surety__gen_names *names, surety_str name);
/* A name as it stands before "_count" and its like: without a "_" at its end.
 */
surety_str surety__gen_stem(surety_str name);
void surety__gen_names_done(surety_gen *gen, surety__gen_names *names);
/* Names the root and the functions of a model, then, when that was done for all
 * models, everything else. */
void surety__gen_name_root(surety__gen_model *model);
void surety__gen_name_types(surety__gen_model *model);

/* ---- fill.c -------------------------------------------------------------- */

/* Takes defaults away that would never end. */
void surety__gen_fill(surety__gen_model *model);

/* ---- order.c ------------------------------------------------------------- */

/* Puts the types in the order in which they are written. */
void surety__gen_order(surety__gen_model *model);

/* ---- writing: put.c, header.c, source.c ---------------------------------- */

/* Appends text as a comment that begins at column indent, wrapped. */
void surety__gen_comment(surety_buf *out, size_t indent, surety_str text);
/* Appends text as C writes a string, with its quotes. */
void surety__gen_quote(surety_buf *out, surety_str text);
/* Appends "HEAD(ARGUMENT, ARGUMENT)TAIL" in 80 columns; arguments are separated
 * by '\n'. A head may begin with the type of what is declared, which may then
 * stand on a line of its own. */
void surety__gen_call(surety_buf *out, size_t indent, surety_str head,
                      surety_str arguments, const char *tail);

/* Appends an enum of these words, on one line where it fits. */
void surety__gen_enum(surety_buf *out, const char *head,
                      const surety_str *words, size_t count, surety_str name);
/* Appends "RESULT NAME_SUFFIX(ARGUMENTS)TAIL"; "@" in arguments is name. */
void surety__gen_function(surety_buf *out, const char *result, surety_str name,
                          const char *suffix, const char *arguments,
                          const char *tail);
/* What can be done with the root of a model. (function.c) */
void surety__gen_functions_declare(surety__gen_model *model, surety_buf *out);
void surety__gen_functions_define(surety__gen_model *model, surety_buf *out);
void surety__gen_header_write(surety__gen_model *model, surety_buf *out);
void surety__gen_source_write(surety__gen_model *model, surety_buf *out);

#endif
