/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the compiler's files: the work list of shapes, and the builders
 * for one kind of value each. */
#ifndef SURETY_SCHEMA_COMPILE_H
#define SURETY_SCHEMA_COMPILE_H

#include "schema/resolve.h"

/* A pattern that was compiled, for the next keyword with the same text. */
typedef struct surety__known_pattern {
    surety_str source;
    const surety__pattern *pattern;
    struct surety__known_pattern *next;
} surety__known_pattern;

typedef struct surety__compiler {
    surety__resolver resolver;
    surety_schema *schema;
    surety__shape **shapes; /* all, in the order of their references */
    size_t shape_count, shape_cap;
    /* The number + 1 of shapes that the resolver has no place for. */
    surety__map by_location;
    /* Of the shape being built: the values of its keywords, and as bits which
     * of them are there. */
    const surety__cell *values[KW_COUNT];
    uint64_t present;
    surety__map patterns; /* hash of a source to surety__known_pattern */
    uint32_t default_hash, deprecated_hash; /* of those keys */
    size_t dynamic_count; /* references that are looked up dynamically */
    surety__applicator *applicators; /* of the shape being built */
    size_t applicator_count, applicator_cap;
} surety__compiler;

/* The shape of the subschema val, built later if it is new; NULL when out of
 * memory or over the limit, with reterr filled. */
surety__shape *surety__compiler_shape(surety__compiler *compiler,
                                      surety_val val,
                                      surety__resource *resource);
/* The number + 1 of the shape of val, 0 where it has none yet. */
uint32_t surety__compiler_number(const surety__compiler *compiler,
                                 surety_val val);
void *surety__compiler_take(surety__compiler *compiler, size_t size);

/* The value of a keyword of the subschema being built, NULL where it is absent
 * or its dialect or vocabularies do not have it. */
static inline const surety__cell *
surety__keyword_cell(const surety__compiler *compiler, surety__keyword keyword)
{
    return compiler->present & KEYWORD_BIT(keyword) ? compiler->values[keyword]
                                                    : NULL;
}

/* The same for shape, which is being built; SURETY_NONE. */
static inline surety_val surety__keyword_val(const surety__compiler *compiler,
                                             const surety__shape *shape,
                                             surety__keyword keyword)
{
    const surety__cell *cell = surety__keyword_cell(compiler, keyword);

    return cell ? surety__val_of(shape->at.doc, cell) : surety_val_none();
}

/* A count's value; a keyword that is absent gives otherwise. */
uint64_t surety__keyword_count(const surety__compiler *compiler,
                               const surety__shape *shape,
                               surety__keyword keyword, uint64_t otherwise);
surety_status surety__compiler_pattern(surety__compiler *compiler,
                                       surety_val source,
                                       const surety__pattern **ret_pattern);

/* Each builds the assertions on one kind of value; they set nothing where there
 * are none. */
surety_status surety__build_strings(surety__compiler *compiler,
                                    surety__shape *shape);
surety_status surety__build_arrays(surety__compiler *compiler,
                                   surety__shape *shape);
surety_status surety__build_objects(surety__compiler *compiler,
                                    surety__shape *shape);
/* ref_only: nothing counts beside $ref. */
surety_status surety__build_applicators(surety__compiler *compiler,
                                        surety__shape *shape, bool ref_only);

/* unknown.c: keeps unknown keywords of a subschema as warnings
 * of the schema; OK or NOMEM. And puts them in the order of the text. */
surety_status surety__unknown_note(surety__compiler *compiler,
                                   const surety__shape *shape);
void surety__unknown_sort(surety_schema *schema);

/* circle.c: refuses shapes that apply each other to the same value in a circle,
 * or nested deeper than inplace_depth_max. Called once, when all shapes are
 * built. OK, SYNTAX, LIMIT or NOMEM. */
surety_status surety__circles_refuse(surety__compiler *compiler);

/* fold.c: works out what of every shape's validity is known already. Called
 * once, when all shapes are built and no circle is left. OK or NOMEM. */
surety_status surety__fold(surety__compiler *compiler);

/* words.c: room for count strings, false when out of memory; and the entry of
 * a string, made if it is new. */
bool surety__words_open(surety__compiler *compiler, surety__words *words,
                        size_t count);
surety__word *surety__words_add(surety__words *words, surety_str text);

/* branch.c: finds what distinguishes the branches of an anyOf or oneOf. OK or
 * NOMEM. */
surety_status surety__fold_switch(surety__compiler *compiler,
                                  surety__applicator *applicator);

#endif
