/* SPDX-License-Identifier: Apache-2.0 */
/* Folding: what of a schema's verdicts is known before any value is seen. */
#include "schema/compile.h"

/* What can be said of a shape once its parts are built. */
static void shape_settle(surety__shape *shape)
{
    const surety__arrays *arrays = shape->arrays;
    const surety__objects *objects = shape->objects;

    if (shape->always || shape->never)
        return;
    shape->leaf =
        !shape->applicator_count &&
        (!arrays || (!arrays->walks && !arrays->contains &&
                     !arrays->unevaluated && !arrays->unique)) &&
        (!objects || (!objects->walks && !objects->names &&
                      !objects->dependent_count && !objects->unevaluated));
    shape->plain = shape->leaf && !shape->choices && !shape->constant &&
                   !shape->numbers && !shape->strings && !arrays && !objects;
    shape->always = shape->plain && shape->types == TYPE_ANY;
}

/* ---- repeated branches ------------------------------------------------- */

enum { REFERENCE_HOPS = 16 };

/* Whether a shape does nothing but refer to another. */
static bool shape_refers(const surety__shape *shape)
{
    return shape->applicator_count == 1 &&
           shape->applicators[0].keyword == KW_REF &&
           shape->types == TYPE_ANY && !shape->choices && !shape->constant &&
           !shape->numbers && !shape->strings && !shape->arrays &&
           !shape->objects;
}

const surety__shape *surety__shape_meant(const surety__shape *shape,
                                         const surety__resource *within)
{
    for (int hops = 0; hops < REFERENCE_HOPS && shape_refers(shape) &&
                       (!within || shape->resource == within);
         hops++)
        shape = shape->applicators[0].shapes[0];
    return shape;
}

/* What decides in a shape's place: as above, but never out of its resource,
 * which must stay in the dynamic scope. */
static const surety__shape *shape_direct(const surety__shape *shape)
{
    for (int hops = 0;
         hops < REFERENCE_HOPS && shape_refers(shape) &&
         shape->applicators[0].shapes[0]->resource == shape->resource;
         hops++)
        shape = shape->applicators[0].shapes[0];
    return shape;
}

/* A branch of allOf or anyOf that leads to the same shape as an earlier one
 * decides nothing; it becomes true or false, so that towers of
 * {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]} cost no more than
 * their height. Only references of the same resource are looked through: what
 * another adds to the dynamic scope may make a difference. `seen` tells the
 * applicator that last led to a shape. */
static surety_status branches_settle(surety__compiler *compiler,
                                     const surety__resource *within,
                                     const surety__applicator *applicator,
                                     surety__map *seen)
{
    bool all = applicator->kind == APPLY_ALL;

    if ((!all && applicator->kind != APPLY_ANY) || applicator->count < 2)
        return SURETY_OK;
    for (uint32_t i = 0; i < applicator->count; i++) {
        const surety__shape *shape = applicator->shapes[i];
        uint64_t key = (uintptr_t)surety__shape_meant(shape, within);
        surety__shape *neutral;

        if (surety__map_get(seen, key) != applicator) {
            if (!surety__map_put(seen, compiler->schema->alloc, key,
                                 (void *)(uintptr_t)applicator))
                return surety__fail_nomem(compiler->resolver.reterr);
            continue;
        }
        neutral = surety__compiler_take(compiler, sizeof(*neutral));
        if (!neutral)
            return SURETY_NOMEM;
        *neutral = (surety__shape){.at = shape->at,
                                   .resource = shape->resource,
                                   .types = TYPE_ANY,
                                   .direct = neutral,
                                   .always = all,
                                   .never = !all,
                                   .leaf = true};
        applicator->shapes[i] = neutral;
    }
    return SURETY_OK;
}

surety_status surety__fold(surety__compiler *compiler)
{
    surety__map seen = {.cap = 0};
    surety_status status = SURETY_OK;

    for (size_t i = 0; i < compiler->shape_count; i++)
        shape_settle(compiler->shapes[i]);
    for (size_t i = 0; i < compiler->shape_count && !status; i++) {
        surety__shape *shape = compiler->shapes[i];

        shape->direct = shape_direct(shape);
        for (uint32_t a = 0; a < shape->applicator_count && !status; a++)
            status = branches_settle(compiler, shape->resource,
                                     &shape->applicators[a], &seen);
    }
    surety__map_done(&seen, compiler->schema->alloc);
    return status;
}
