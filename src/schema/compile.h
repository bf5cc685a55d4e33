/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiler's files share: the work list of shapes, and the builders
 * for one kind of value each. */
#ifndef SURETY_SCHEMA_COMPILE_H
#define SURETY_SCHEMA_COMPILE_H

#include "schema/resolve.h"

typedef struct surety__compiler {
    surety__resolver resolver;
    surety_schema *schema;
    surety__shape **shapes; /* all, in the order they were asked for */
    size_t shape_count, shape_cap;
    surety__map by_location;
    uint32_t *dynamics; /* names that some $dynamicRef looks up */
    size_t dynamic_count, dynamic_cap;
    surety__applicator *applicators; /* of the shape being built */
    size_t applicator_count, applicator_cap;
} surety__compiler;

/* The shape of the subschema val, built later if it is new; NULL when out of
 * memory or over the limit, with reterr filled. */
surety__shape *surety__compiler_shape(surety__compiler *compiler,
                                      surety_val val,
                                      surety__resource *resource);
void *surety__compiler_take(surety__compiler *compiler, size_t size);

/* The value of a keyword of shape's subschema, SURETY_NONE where it is absent
 * or its dialect or vocabularies do not have it. */
surety_val surety__keyword_val(const surety__shape *shape,
                               surety__keyword keyword);
/* A count's value; a keyword that is absent gives otherwise. */
uint64_t surety__keyword_count(const surety__shape *shape,
                               surety__keyword keyword, uint64_t otherwise);
surety_status surety__compiler_pattern(surety__compiler *compiler,
                                       surety_val source,
                                       const surety__pattern **ret_pattern);

/* Each builds what a subschema says of one kind of value; they set nothing
 * where it says nothing. */
surety_status surety__build_strings(surety__compiler *compiler,
                                    surety__shape *shape);
surety_status surety__build_arrays(surety__compiler *compiler,
                                   surety__shape *shape);
surety_status surety__build_objects(surety__compiler *compiler,
                                    surety__shape *shape);
surety_status surety__build_applicators(surety__compiler *compiler,
                                        surety__shape *shape);

/* fold.c: works out what of every shape's verdict is known already. Called
 * once, when all shapes are built and no circle is left. OK or NOMEM. */
surety_status surety__fold(surety__compiler *compiler);

#endif
