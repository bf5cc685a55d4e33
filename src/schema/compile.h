/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the compiler's files: the work list of shapes, and the shape that
 * is being built. A function here that returns false or NULL has failed and has
 * filled the resolver's reterr. */
#ifndef SURETY_SCHEMA_COMPILE_H
#define SURETY_SCHEMA_COMPILE_H

#include "schema/resolve.h"

typedef struct surety__compiler {
    surety__resolver resolver;
    surety_schema *schema;
    /* All, in the order of their references; for fold.c each after those that
     * it applies to the same value (circle.c). */
    surety__shape **shapes;
    size_t shape_count, shape_cap;
    /* The number + 1 of shapes that the resolver has no place for. */
    surety__map by_location;
    /* The shape being built: the values of its keywords, as bits which of them
     * are there and which parts they are built into, and what applies to the
     * same value. */
    surety__shape *shape;
    const surety__cell *values[KW_COUNT];
    uint64_t present;
    unsigned parts; /* PART_ bits */
    surety__applicator *applicators;
    size_t applicator_count, applicator_cap;
    surety__map patterns; /* named: compiled patterns, by their sources */
    uint32_t default_hash, deprecated_hash; /* of those keys */
    size_t dynamic_count; /* references that are looked up dynamically */
} surety__compiler;

/* compiler.c: the shape of the subschema val, built later if it is new; NULL:
 * out of memory or over the limit. */
surety__shape *surety__compiler_shape(surety__compiler *compiler,
                                      surety_val val,
                                      surety__resource *resource);
/* The number + 1 of the shape of val, 0 where it has none yet. */
uint32_t surety__compiler_number(const surety__compiler *compiler,
                                 surety_val val);
/* Memory that lives as long as the schema, zeroed or a copy of part; NULL: out
 * of memory. */
void *surety__compiler_take(surety__compiler *compiler, size_t size);
void *surety__compiler_keep(surety__compiler *compiler, const void *part,
                            size_t size);
/* The pattern whose text is the string or key source. */
bool surety__compiler_pattern(surety__compiler *compiler, surety_val source,
                              const surety__pattern **ret_pattern);

/* build.c: reads the keywords of a shape's subschema, and builds it of them. */
bool surety__shape_build(surety__compiler *compiler, surety__shape *shape);

/* unknown.c: keeps unknown keywords of the shape being built as warnings of the
 * schema; and puts those in the order of the text. */
bool surety__unknown_note(surety__compiler *compiler);
void surety__unknown_sort(surety_schema *schema);

/* circle.c: refuses shapes that apply each other to the same value in a circle,
 * or nested deeper than inplace_depth_max, and puts the shapes in their order
 * for fold.c: their numbers hold no longer. Called once, when all shapes are
 * built. */
bool surety__circles_refuse(surety__compiler *compiler);

/* fold.c: works out what of every shape's validity is known already. Called
 * once, when all shapes are built and no circle is left. */
bool surety__fold(surety__compiler *compiler);
/* Whether to may decide in from's place: a dynamic reference below must still
 * find the resource of from in its scope. */
bool surety__fold_may_pass(const surety__compiler *compiler,
                           const surety__shape *from, const surety__shape *to);
/* Works out the table of kinds of a shape, after those of the shapes that it
 * applies to the same value. */
bool surety__fold_kinds(surety__compiler *compiler, surety__shape *shape);

/* merge.c: routes the objects of a shape that WALKs them to one that has the
 * members of all shapes of its allOf in one table, where that is the same; once
 * all tables of kinds are there. */
bool surety__fold_merge(surety__compiler *compiler, surety__shape *owner);

/* words.c: room for count strings, false when out of memory; and the entry of
 * a string, made if it is new. */
bool surety__words_open(surety__compiler *compiler, surety__words *words,
                        size_t count);
surety__word *surety__words_add(surety__words *words, surety_str text);

/* pattern_index.c: indexes many patterns. */
bool surety__patterns_index(surety__compiler *compiler,
                            surety__objects *objects);

/* branch.c: the values of a shape whose only keywords are `type` and one of
 * enum and const; NULL: it has others, or is not of doc. */
const surety__choices *surety__shape_choices(const surety__shape *shape,
                                             const surety_doc *doc);
/* The values that satisfy an anyOf or oneOf whose branches are enums,
 * all in doc; no list where they are something else. */
bool surety__branches_merge(surety__compiler *compiler, const surety_doc *doc,
                            const surety__applicator *applicator,
                            surety__choices *ret_choices);
/* Finds what distinguishes the branches of an anyOf or oneOf. */
bool surety__fold_switch(surety__compiler *compiler,
                         surety__applicator *applicator);
/* jump.c: finds where an if can jump by the value of a member. */
bool surety__fold_jump(surety__compiler *compiler,
                       surety__applicator *applicator);
/* Room for so many hashes; false when out of memory. */
bool surety__hashed_open(surety__compiler *compiler, surety__hashed *hashed,
                         size_t count);

#endif
