/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of gen/: nodes, which become types, and names.
 *
 * A node is made from a conjunction (schema/conjunction.h): a schema that
 * several others reference is one type, and a recursive one forms a cycle.
 *
 * Invariants:
 * 1. model.c, union.c and members.c set a node's form and the label for its
 *    name, order.c its place, name.c its names in C; the other files write.
 *    Writing decides nothing. No files call each other in a circle: node.c and
 *    note.c serve the others.
 * 2. A value that C cannot express is any value, and a note has the reason.
 * 3. Everything lives in the arena. */
#ifndef SURETY_GEN_INSIDE_H
#define SURETY_GEN_INSIDE_H

#include <surety/gen.h>
#include <surety/typed.h>

#include "base/base.h"
#include "contract/contract.h"
#include "json/json.h"
#include "schema/schema.h"

/* The forms of surety_typed_form, and those that become no type. */
enum {
    GEN_NULL = SURETY_TYPED_WRAP + 1,
    GEN_NEVER,
    GEN_ALIAS /* the same as another node */
};

/* Limits of the generator itself: types, and lengths in identifiers. */
enum {
    GEN_NODES_MAX = 50000,
    GEN_WORD_MAX = 48,
    GEN_TYPE_MAX = 52,
    GEN_LOCAL_MAX = 24,
    GEN_UNION_MAX = 64
};

typedef struct surety__gen_node surety__gen_node;
typedef struct surety__gen_member surety__gen_member;

/* A member of a struct, an item of a tuple, or a branch of a union. */
struct surety__gen_member {
    surety_str json; /* its name in JSON; for a branch its label */
    surety__gen_node *node;
    const surety__shape *shape; /* has its description; may be NULL */
    bool required;
    bool nullable;
    surety_val fill;    /* its default; SURETY_NONE: none */
    uint8_t filled;     /* for fill.c only */
    surety_str name;    /* in C */
    surety_str pointer; /* for a branch: its location in the contract; else its
                         * default as JSON; ptr NULL: none */
};

/* Where a type is written, and what that requires: order.c. */
typedef struct surety__gen_place {
    uint8_t visit;
    bool placed;
    uint32_t next;            /* during a visit: its next child */
    surety__gen_node *parent; /* and the node that led to it */
    uint32_t position;
    surety__gen_node *list; /* the list of this type, which is one type */
    bool forward;           /* a pointer uses it before its definition */
    bool needs_holder;      /* a list or map that is an item or a map's value */
} surety__gen_place;

/* The parts of a type's name. */
typedef struct surety__gen_label {
    surety__gen_node *parent;
    surety_str word; /* its own word */
    bool top;        /* the word alone is the name: a definition */
    bool inner;      /* the word alone is never the name */
} surety__gen_label;

/* The names of a type and of related identifiers in C: name.c. */
typedef struct surety__gen_in_c {
    surety_str name;
    surety_str entry;    /* for a map: the struct of its entries */
    surety_str kind;     /* for a union: its enum */
    surety_str *words;   /* for an enum: its words; for a union: its kinds */
    surety_str rest;     /* the field for the other members or items */
    surety_str constant; /* its index in the table of types */
    surety_str local;    /* prefix of its tables */
} surety__gen_in_c;

/* The form of a type, then its place and its names. */
struct surety__gen_node {
    const surety__conjunction_node *conjunction; /* NULL: not in the schema */
    const surety__shape *origin; /* its first conjunct, or NULL */
    bool made;
    int form;
    bool nullable;           /* null is allowed too */
    surety__gen_node *alias; /* for GEN_ALIAS: the other node */
    surety__gen_node *box;   /* a union with null, for use where no member has
                              * a flag */
    surety__gen_member *members;
    uint32_t member_count;
    surety__gen_node *rest; /* items of a list, values of a map; for a struct
                             * or tuple: the map or list of the others */
    surety_val *words;      /* of an enum; for a fixed node: its value */
    uint32_t word_count;
    surety_str json; /* for a fixed node */
    surety__gen_place place;
    surety__gen_label label;
    surety__gen_in_c in_c;
};

struct surety_gen {
    surety_gen_info info; /* filled in at the end */
    const surety_alloc *alloc;
    surety__arena arena;
    surety_str prefix, include, guard;
    surety_buf header, source;
    surety_gen_note *notes;
    size_t note_count, note_cap;
    surety_status status; /* the first failure */
    surety__map names;    /* of everything, also of static names */
};

/* A contract while its types are generated. */
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
    surety__gen_node **order; /* types in the order of writing */
    size_t order_count;
    surety_str *longs; /* texts too long for a literal */
    size_t long_count, long_cap;
    surety_checker *checker;
    surety_str prefix;   /* of its names; the root's name */
    surety_str *derives; /* names of the functions of derived members */
    surety__gen_node *scalars[SURETY_TYPED_WRAP]; /* one type for each form */
} surety__gen_model;

/* ---- note.c -------------------------------------------------------------- */

/* text and end joined, in the arena. */
surety_str surety__gen_join(surety_gen *gen, surety_str text, const char *end);
/* Adds a note about keyword, a member of the subschema `at`, once. */
void surety__gen_add_note(surety__gen_model *model, surety_val at,
                          const char *keyword, const char *hint,
                          const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* ---- node.c -------------------------------------------------------------- */

/* A node of that form that is not in the schema; NULL: see gen->status. */
surety__gen_node *surety__gen_node_new(surety__gen_model *model, int form);
/* The node of a conjunction, restricted to types. parent: for the name of a
 * new node. */
surety__gen_node *surety__gen_node_of(surety__gen_model *model,
                                      const surety__conjunction *all,
                                      unsigned types, surety__gen_node *parent);
/* The node of a conjunction of shapes. word: its label unless it is a
 * definition or has one. */
surety__gen_node *surety__gen_link(surety__gen_model *model,
                                   const surety__conjunction *all,
                                   surety__gen_node *parent, surety_str word);
/* Follows aliases; sets *nullable if null is allowed too. */
surety__gen_node *surety__gen_target(surety__gen_node *node, bool *nullable);
/* What a form is called, by surety_typed_form; GEN_NULL comes last. */
typedef struct surety__gen_form {
    const char *constant; /* in surety/typed.h */
    const char *ctype;    /* NULL: the type has a name of its own */
    const char *word;     /* of its tables; NULL: the type's own word */
    const char *branch;   /* of a branch without a word */
} surety__gen_form;
extern const surety__gen_form surety__gen_forms[GEN_NULL + 1];
/* The C type of a node that is not a member: an item, or a scalar branch. */
surety_str surety__gen_ctype(const surety__gen_node *node);
bool surety__gen_is_pointer(const surety__gen_node *node);
/* Whether it has a value in C. */
bool surety__gen_is_stored(const surety__gen_node *node);
bool surety__gen_is_span(const surety__gen_node *node);
/* Whether a member needs a bool for its presence; for null. */
bool surety__gen_has(const surety__gen_member *member);
bool surety__gen_has_null(const surety__gen_member *member);

/* ---- model.c ------------------------------------------------------------- */

/* Makes all types of the contract. */
surety_status surety__gen_model_make(surety__gen_model *model);
void surety__gen_model_done(surety__gen_model *model);

/* ---- union.c ------------------------------------------------------------- */

/* Whether a union affects the C type of values of these types. */
bool surety__gen_union_counts(const surety__applicator *one, unsigned types);
/* Makes node a union of the branches of the union in facts. */
void surety__gen_union(surety__gen_model *model, surety__gen_node *node,
                       const surety__facts *facts);
/* Makes node a union with one node for each kind of value in types; false:
 * there is only one kind. */
bool surety__gen_split(surety__gen_model *model, surety__gen_node *node,
                       const surety__facts *facts, unsigned types);
/* Settles all unions, and removes members that can have no value. */
void surety__gen_settle(surety__gen_model *model);

/* ---- members.c ----------------------------------------------------------- */

void surety__gen_object(surety__gen_model *model, surety__gen_node *node,
                        const surety__facts *facts);
void surety__gen_array(surety__gen_model *model, surety__gen_node *node,
                       const surety__facts *facts);

/* ---- name.c -------------------------------------------------------------- */

/* Appends text as words of an identifier: snake case, ASCII. */
void surety__gen_word(surety_buf *out, surety_str text, bool upper);
/* A copy of name, with "_2", "_3", ... if names has it already, or escaped if
 * C or C++ reserves it. Adds it to names. */
surety_str surety__gen_claim(surety_gen *gen, surety__map *names,
                             surety_str name);
/* The name without a "_" at its end, for use before "_count" and similar
 * suffixes. */
surety_str surety__gen_stem(surety_str name);
/* Names the root and the functions of a model; then, after all models have
 * these, everything else. */
void surety__gen_name_root(surety__gen_model *model);
void surety__gen_name_types(surety__gen_model *model);

/* ---- fill.c -------------------------------------------------------------- */

/* Removes defaults that would never end. */
void surety__gen_fill(surety__gen_model *model);

/* ---- order.c ------------------------------------------------------------- */

/* Sorts the types in the order of writing. */
void surety__gen_order(surety__gen_model *model);

/* ---- writing: put.c, header.c, source.c ---------------------------------- */

/* Appends text, in which "@" stands for name. */
void surety__gen_put(surety_buf *out, const char *text, surety_str name);
/* Appends text as a comment that begins at column indent, wrapped. */
void surety__gen_comment(surety_buf *out, size_t indent, surety_str text);
/* Appends text as a string literal with quotes. */
void surety__gen_quote(surety_buf *out, surety_str text);
/* Appends "HEAD(ARGUMENT, ARGUMENT)TAIL" in 80 columns. Arguments are
 * separated by '\n'. A head may begin with the type of a declaration, which
 * may then be on its own line. */
void surety__gen_call(surety_buf *out, size_t indent, surety_str head,
                      surety_str arguments, const char *tail);

/* Appends an enum of these words, on one line if it fits. */
void surety__gen_enum(surety_buf *out, surety_str head, const surety_str *words,
                      size_t count, surety_str name);
/* Appends "RESULT NAME_SUFFIX(ARGUMENTS)TAIL"; "@" in arguments is replaced by
 * name. */
void surety__gen_function(surety_buf *out, const char *result, surety_str name,
                          const char *suffix, const char *arguments,
                          const char *tail);
/* Declares or defines the functions of a model's root. (function.c) */
void surety__gen_functions(surety__gen_model *model, bool defines,
                           surety_buf *out);
void surety__gen_header_write(surety__gen_model *model, surety_buf *out);
void surety__gen_source_write(surety__gen_model *model, surety_buf *out);

#endif
