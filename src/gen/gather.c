/* SPDX-License-Identifier: Apache-2.0 */
/* What a conjunction of shapes says: references and allOf are followed until
 * nothing is left but shapes beside each other. A shape stands in the list
 * once, so loops of references end; an applicator that was followed is marked
 * settled, so that the list can be the parts of another node.
 *
 * Of anyOf and oneOf only those count whose branches differ in what a C type
 * would say; others, such as branches of nothing but "required", are left to
 * the check. */
#include "gen/inside.h"

/* How many applicators of a shape are looked at; how many shapes, and how many
 * of them may wait, until what a branch says is enough. */
enum { GATHER_APPLICATORS = 64, GATHER_WORK = 20000, GATHER_LEFT = 256 };

static bool gather_have(const surety__gen_parts *parts,
                        const surety__shape *shape)
{
    for (size_t i = 0; i < parts->count; i++)
        if (parts->items[i].shape == shape)
            return true;
    return false;
}

bool surety__gen_parts_add(surety__gen_model *model, surety__gen_parts *parts,
                           surety__gen_part part)
{
    surety__gen_part *items = parts->items;

    if (parts->count == parts->cap) {
        const size_t cap = parts->cap ? parts->cap * 2 : 4;

        items = surety__gen_take(model->gen, cap * sizeof(*items));
        if (!items)
            return false;
        if (parts->count)
            memcpy(items, parts->items, parts->count * sizeof(*items));
        parts->items = items;
        parts->cap = cap;
    }
    items[parts->count++] = part;
    return true;
}

/* Where a dynamic reference leads: the outermost resource that has the name
 * decides (2020-12 core, section 8.2.3.2), and the root is outside of all. NULL
 * where that depends on the way. */
static const surety__shape *gather_dynamic(const surety__gen_model *model,
                                           const surety__applicator *applicator)
{
    const surety__resource *root = model->schema->root->resource;
    const surety__shape *target = applicator->shapes[0];

    for (const surety__dynamic *one = root->dynamics; one; one = one->next)
        if (one->name == applicator->dynamic_name)
            return one->shape;
    return target->resource == root ? target : NULL;
}

static bool gather_follow(surety__gen_model *model, surety__gen_facts *facts,
                          size_t i, uint32_t index)
{
    const surety__shape *shape = facts->parts.items[i].shape;
    const surety__applicator *applicator = &shape->applicators[index];
    const bool dynamic = applicator->kind == APPLY_DYNAMIC;
    const uint32_t count = dynamic ? 1 : applicator->count;

    facts->parts.items[i].settled |= (uint64_t)1 << index;
    for (uint32_t j = 0; j < count && applicator->shapes; j++) {
        const surety__gen_part next = {
            dynamic ? gather_dynamic(model, applicator) : applicator->shapes[j],
            0};

        if (!next.shape) {
            facts->lost = shape->at;
            continue;
        }
        if (!gather_have(&facts->parts, next.shape) &&
            !surety__gen_parts_add(model, &facts->parts, next))
            return false;
    }
    return true;
}

/* Whether a C type would say what shape itself says to values of those types. A
 * property that is only required is nothing of the kind. */
static bool gather_says(const surety__shape *shape, unsigned types)
{
    const surety__objects *objects = shape->objects;

    if (shape->never)
        return false;
    if ((shape->types & types) != types || shape->choices || shape->constant)
        return true;
    if (shape->arrays && (shape->arrays->rest || shape->arrays->prefix_count))
        return true;
    for (uint32_t i = 0; objects && i < objects->property_count; i++)
        if (objects->properties[i].shape)
            return true;
    return objects && (objects->pattern_count || objects->additional);
}

/* The same of a union's branches and of what they are made of; true, too, where
 * that is a lot. */
static bool gather_union_speaks(const surety__applicator *applicator,
                                unsigned types)
{
    const surety__shape *left[GATHER_LEFT];
    size_t count = 0, seen = 0;

    for (;;) {
        const surety__shape *shape;

        for (uint32_t i = 0; applicator && i < applicator->count; i++) {
            if (count == GATHER_LEFT)
                return true;
            left[count++] = applicator->shapes[i];
        }
        applicator = NULL;
        if (!count)
            return false;
        shape = left[--count];
        if (++seen > GATHER_WORK || gather_says(shape, types))
            return true;
        for (uint32_t i = 0; i < shape->applicator_count && !shape->never;
             i++) {
            const surety__applicator *one = &shape->applicators[i];

            for (uint32_t j = 0; one->kind <= APPLY_ONE && j < one->count;
                 j++) {
                if (count == GATHER_LEFT)
                    return true;
                left[count++] = one->shapes[j];
            }
        }
    }
}

static void gather_shape(surety__gen_facts *facts, const surety__shape *shape)
{
    facts->types &= shape->types;
    facts->never |= shape->never;
    facts->typed |=
        shape->types != TYPE_ANY || shape->choices || shape->constant;
    facts->speaks |= (shape->objects ? TYPE_OBJECT : 0u) |
                     (shape->arrays ? TYPE_ARRAY : 0u) |
                     (shape->numbers ? TYPE_NUMBER | TYPE_INTEGER : 0u) |
                     (shape->strings ? TYPE_STRING : 0u);
}

/* The unions, once the types are known. */
static void gather_unions(surety__gen_facts *facts)
{
    for (size_t i = 0; i < facts->parts.count; i++) {
        surety__gen_part *part = &facts->parts.items[i];

        for (uint32_t j = 0;
             j < part->shape->applicator_count && j < GATHER_APPLICATORS; j++) {
            const surety__applicator *one = &part->shape->applicators[j];

            if (part->settled >> j & 1 ||
                (one->kind != APPLY_ANY && one->kind != APPLY_ONE))
                continue;
            if (!gather_union_speaks(one, facts->types)) {
                part->settled |= (uint64_t)1 << j;
            } else if (facts->union_count++ == 0) {
                facts->union_part = i;
                facts->union_index = j;
            }
        }
    }
}

bool surety__gen_gather(surety__gen_model *model, const surety__gen_node *node,
                        surety__gen_facts *facts)
{
    *facts = (surety__gen_facts){.types = node->mask};
    for (uint32_t i = 0; i < node->part_count; i++)
        if (!surety__gen_parts_add(model, &facts->parts, node->parts[i]))
            return false;
    for (size_t i = 0; i < facts->parts.count; i++) {
        const surety__shape *shape = facts->parts.items[i].shape;

        gather_shape(facts, shape);
        for (uint32_t j = 0; j < shape->applicator_count; j++) {
            const int kind = (int)shape->applicators[j].kind;

            if (j >= GATHER_APPLICATORS) {
                facts->lost = shape->at;
                break;
            }
            facts->conditional |= kind == APPLY_IF || kind == APPLY_DEPENDENT ||
                                  kind == APPLY_PROPERTY_VALUE;
            facts->branches |= kind == APPLY_ANY;
            if (facts->parts.items[i].settled >> j & 1)
                continue;
            if ((kind == APPLY_ALL || kind == APPLY_DYNAMIC) &&
                !gather_follow(model, facts, i, j))
                return false;
        }
    }
    gather_unions(facts);
    return model->gen->status == SURETY_OK;
}
