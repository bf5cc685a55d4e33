/* SPDX-License-Identifier: Apache-2.0 */
/* Merging the objects of allOf: what several shapes assert on the members of
 * one object becomes one table, and the object is walked once.
 *
 * The merged shape is for the validity alone, and for objects alone: the shape
 * whose parts it has is routed to it. Reports, completions and whatever else
 * reads a schema see the parts.
 *
 * A part is merged only where that is exact: `additionalProperties`, patterns,
 * counts and unevaluated keywords are about the members that a subschema has
 * or has not by itself, so a shape with one of them is left as it is. A member
 * that several parts have must satisfy all of its subschemas. */
#include "schema/compile.h"

enum { MERGE_PARTS = 16 };

struct merge {
    surety__compiler *compiler;
    const surety__shape *owner;
    const surety__shape *parts[MERGE_PARTS];
    uint32_t part_count;
    uint32_t walk_count;       /* of the parts that look at members */
    uint32_t property_count;   /* of all parts */
    uint32_t applicator_count; /* besides those that the parts come from */
};

/* ---- the parts ----------------------------------------------------------- */

/* Whether the shape's own assertions on an object, if any, are about the
 * members that it names and no others. */
static bool part_is_plain(const surety__shape *part)
{
    const surety__objects *objects = part->objects;

    return !(part->checks >> CELL_OBJECT & 1) &&
           (!objects ||
            (!objects->pattern_count && !objects->names &&
             !objects->dependent_count && !objects->unevaluated &&
             (!objects->additional || objects->additional->always)));
}

/* Adds the branches of an allOf that assert something on objects; false: there
 * are too many, or one must not decide in the owner's place. */
static bool merge_branches(struct merge *merge,
                           const surety__applicator *applicator)
{
    for (uint32_t i = 0; i < applicator->count; i++) {
        const surety__shape *branch =
            surety__route_end(applicator->shapes[i]->direct, CELL_OBJECT);

        if (branch->how[CELL_OBJECT] == HOW_YES)
            continue;
        if (merge->part_count == MERGE_PARTS ||
            !surety__fold_may_pass(merge->compiler, merge->owner, branch))
            return false;
        merge->parts[merge->part_count++] = branch;
    }
    return true;
}

/* Finds the parts; false: they cannot be merged, or that would be no gain. */
static bool merge_collect(struct merge *merge)
{
    merge->parts[merge->part_count++] = merge->owner;
    for (uint32_t i = 0; i < merge->part_count; i++) {
        const surety__shape *part = merge->parts[i];

        if (!part_is_plain(part))
            return false;
        if (part->objects) {
            merge->walk_count++;
            merge->property_count += part->objects->property_count;
        }
        for (uint32_t a = 0; a < part->applicator_count; a++) {
            const surety__applicator *applicator = &part->applicators[a];

            if (applicator->kind == APPLY_DYNAMIC ||
                applicator->kind >= APPLY_DEPENDENT)
                return false;
            if (applicator->kind != APPLY_ALL)
                merge->applicator_count++;
            else if (!merge_branches(merge, applicator))
                return false;
        }
    }
    return merge->walk_count > 1;
}

/* ---- the merged shape ---------------------------------------------------- */

/* A shape for the validity, in the owner's place. */
static surety__shape *merge_shape(const struct merge *merge)
{
    surety__compiler *compiler = merge->compiler;
    surety__shape *shape = surety__compiler_take(compiler, sizeof(*shape));

    if (!shape)
        return NULL;
    if (surety__grow(compiler->schema->alloc, &compiler->shapes,
                     &compiler->shape_cap, compiler->shape_count + 1,
                     sizeof(shape), SIZE_MAX)) {
        surety__resolver_starve(&compiler->resolver);
        return NULL;
    }
    shape->types = TYPE_ANY;
    shape->direct = shape;
    shape->resource = merge->owner->resource;
    shape->at = merge->owner->at;
    shape->number = (uint32_t)compiler->shape_count;
    compiler->shapes[compiler->shape_count++] = shape;
    return shape;
}

/* The shape of values that satisfy both; NULL: out of memory. */
static const surety__shape *merge_both(const struct merge *merge,
                                       const surety__shape *one,
                                       const surety__shape *other)
{
    const surety__shape *list[] = {one, other};
    surety__applicator both = {
        .kind = APPLY_ALL, .keyword = KW_ALL_OF, .count = 2};
    surety__shape *shape;

    if (!one || (other && one->always))
        return other;
    if (!other || other->always || one->direct == other->direct)
        return one;
    shape = merge_shape(merge);
    both.shapes = surety__compiler_keep(merge->compiler, list, sizeof(list));
    if (!shape || !both.shapes)
        return NULL;
    shape->applicators =
        surety__compiler_keep(merge->compiler, &both, sizeof(both));
    shape->applicator_count = 1;
    return shape->applicators && surety__fold_kinds(merge->compiler, shape)
               ? shape
               : NULL;
}

/* Adds a part's property to those that are merged. */
static bool merge_property(const struct merge *merge, surety__objects *objects,
                           const surety__property *property)
{
    const uint32_t mask = objects->table_mask;
    uint32_t at = surety__objects_slot(objects, property->hash);
    surety__property *merged = NULL;

    while (objects->table[at]) {
        merged = &objects->properties[objects->table[at] - 1];
        if (merged->hash == property->hash &&
            surety_str_equal(merged->name, property->name))
            break;
        at = (at + 1) & mask;
    }
    if (!objects->table[at]) {
        objects->properties[objects->property_count++] = *property;
        objects->table[at] = objects->property_count;
        objects->required_count += property->required;
        return true;
    }
    objects->required_count += property->required && !merged->required;
    merged->required = merged->required || property->required;
    if (!merged->shape && !property->shape)
        return true;
    merged->shape = merge_both(merge, merged->shape, property->shape);
    return merged->shape != NULL;
}

static surety__objects *merge_objects(const struct merge *merge)
{
    surety__compiler *compiler = merge->compiler;
    surety__objects *objects =
        surety__compiler_take(compiler, sizeof(*objects));
    uint32_t cap = 4;

    while (cap < 2 * merge->property_count)
        cap *= 2;
    if (!objects)
        return NULL;
    objects->properties =
        surety__compiler_take(compiler, (merge->property_count + (size_t)1) *
                                            sizeof(*objects->properties));
    objects->table =
        surety__compiler_take(compiler, cap * sizeof(*objects->table));
    if (!objects->properties || !objects->table)
        return NULL;
    objects->table_mask = cap - 1;
    objects->max_properties = UINT64_MAX;
    objects->walks = true;
    objects->defines = true;
    for (uint32_t i = 0; i < merge->part_count; i++) {
        const surety__objects *part = merge->parts[i]->objects;

        for (uint32_t p = 0; part && p < part->property_count; p++)
            if (!merge_property(merge, objects, &part->properties[p]))
                return NULL;
    }
    assert(objects->property_count <= merge->property_count);
    return objects;
}

/* The applicators of the parts that are no allOf. */
static bool merge_applicators(const struct merge *merge, surety__shape *shape)
{
    surety__applicator *list;

    if (!merge->applicator_count)
        return true;
    list = surety__compiler_take(merge->compiler,
                                 merge->applicator_count * sizeof(*list));
    if (!list)
        return false;
    shape->applicators = list;
    for (uint32_t i = 0; i < merge->part_count; i++)
        for (uint32_t a = 0; a < merge->parts[i]->applicator_count; a++)
            if (merge->parts[i]->applicators[a].kind != APPLY_ALL)
                list[shape->applicator_count++] =
                    merge->parts[i]->applicators[a];
    assert(shape->applicator_count == merge->applicator_count);
    return true;
}

bool surety__fold_merge(surety__compiler *compiler, surety__shape *owner)
{
    struct merge merge = {.compiler = compiler, .owner = owner};
    surety__shape *merged;

    if (!merge_collect(&merge))
        return true;
    merged = merge_shape(&merge);
    if (!merged)
        return false;
    memset(merged->how, HOW_YES, CELL_KINDS);
    merged->how[CELL_OBJECT] = HOW_WALK;
    merged->objects = merge_objects(&merge);
    if (!merged->objects || !merge_applicators(&merge, merged))
        return false;
    if (!owner->route)
        owner->route =
            surety__compiler_take(compiler, CELL_KINDS * sizeof(*owner->route));
    if (!owner->route)
        return false;
    owner->route[CELL_OBJECT] = merged;
    owner->how[CELL_OBJECT] = HOW_ROUTE;
    return true;
}
