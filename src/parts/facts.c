/* SPDX-License-Identifier: Apache-2.0 */
/* What a whole says: references and allOf are followed until nothing is left
 * but shapes beside each other, and what these say together is added up.
 * Unions are not followed: that they are there is a fact, and whoever asks
 * decides what becomes of them. */
#include "parts/parts.h"

/* Bits of `settled`. In a shape references, allOf, anyOf and oneOf stand before
 * all other applicators (schema/build.c), each once. */
enum { FACTS_SETTLED = 8 };

/* References that lead to references. */
enum { FACTS_HOPS = 64 };

static bool facts_settled(const surety__part *part, uint32_t index)
{
    assert(index < FACTS_SETTLED);
    return part->settled >> index & 1;
}

static void facts_settle(surety__part *part, uint32_t index)
{
    part->settled |= (uint8_t)(1u << index);
}

static bool facts_have(const surety__facts *facts, const surety__shape *shape)
{
    for (size_t i = 0; i < facts->parts.count; i++)
        if (facts->parts.items[i].shape == shape)
            return true;
    return false;
}

/* Where a dynamic reference leads: the outermost resource that has the name
 * decides (2020-12 core, section 8.2.3.2), and the root is outside of all. NULL
 * where that depends on the way. */
static const surety__shape *facts_dynamic(const surety__graph *graph,
                                          const surety__applicator *applicator)
{
    const surety__shape *target = applicator->shapes[0];
    const surety__resource *root;

    if (!graph->schema)
        return target;
    root = graph->schema->root->resource;
    for (const surety__dynamic *one = root->dynamics; one; one = one->next)
        if (one->name == applicator->dynamic_name)
            return one->shape;
    return target->resource == root ? target : NULL;
}

/* Adds what applicator `index` of part i leads to. */
static bool facts_follow(surety__graph *graph, surety__facts *facts, size_t i,
                         uint32_t index)
{
    surety__part *part = &facts->parts.items[i];
    const surety__shape *shape = part->shape;
    const surety__applicator *applicator = &shape->applicators[index];
    const bool dynamic = applicator->kind == APPLY_DYNAMIC;
    surety__part next = {.quiet = part->quiet};

    facts_settle(part, index);
    for (uint32_t j = 0; j < (dynamic ? 1 : applicator->count); j++) {
        next.shape =
            dynamic ? facts_dynamic(graph, applicator) : applicator->shapes[j];
        if (!next.shape)
            facts->lost = shape;
        else if (!facts_have(facts, next.shape) &&
                 !surety__parts_add_part(graph, &facts->parts, next))
            return false;
    }
    return true;
}

static void facts_add_shape(surety__facts *facts, const surety__shape *shape)
{
    facts->types &= shape->types;
    facts->never |= shape->never;
    facts->typed |=
        shape->types != TYPE_ANY || shape->choices || shape->constant;
    facts->speaks |= (shape->objects ? TYPE_OBJECT : 0u) |
                     (shape->arrays ? TYPE_ARRAY : 0u) |
                     (shape->numbers ? TYPE_NUMBERS : 0u) |
                     (shape->strings ? TYPE_STRING : 0u);
}

/* The unions, once the types are known. */
static void facts_add_unions(const surety__graph *graph, surety__facts *facts)
{
    for (size_t i = 0; i < facts->parts.count; i++) {
        surety__part *part = &facts->parts.items[i];

        for (uint32_t j = 0; j < part->shape->applicator_count; j++) {
            const surety__applicator *one = &part->shape->applicators[j];

            if ((one->kind != APPLY_ANY && one->kind != APPLY_ONE) ||
                facts_settled(part, j))
                continue;
            if (graph->counts && !graph->counts(one, facts->types)) {
                facts_settle(part, j);
            } else if (facts->union_count++ == 0) {
                facts->union_part = i;
                facts->union_index = j;
            }
        }
    }
}

bool surety__facts_gather(surety__graph *graph, const surety__whole *whole,
                          surety__facts *facts)
{
    *facts = (surety__facts){.types = whole->types};
    for (size_t i = 0; i < whole->parts.count; i++)
        if (!surety__parts_add_part(graph, &facts->parts,
                                    whole->parts.items[i]))
            return false;
    for (size_t i = 0; i < facts->parts.count; i++) {
        const surety__shape *shape = facts->parts.items[i].shape;

        facts_add_shape(facts, shape);
        for (uint32_t j = 0; j < shape->applicator_count; j++) {
            const enum surety__applicator_kind kind =
                shape->applicators[j].kind;

            facts->any_of |= kind == APPLY_ANY;
            facts->conditional |= kind == APPLY_IF || kind == APPLY_DEPENDENT ||
                                  kind == APPLY_PROPERTY_VALUE;
            if ((kind == APPLY_ALL || kind == APPLY_DYNAMIC) &&
                !facts_settled(&facts->parts.items[i], j) &&
                !facts_follow(graph, facts, i, j))
                return false;
        }
    }
    facts_add_unions(graph, facts);
    return *graph->status == SURETY_OK;
}

/* ---- unions -------------------------------------------------------------- */

const surety__applicator *surety__facts_union(const surety__facts *facts)
{
    return &facts->parts.items[facts->union_part]
                .shape->applicators[facts->union_index];
}

bool surety__facts_branch(surety__graph *graph, const surety__facts *facts,
                          const surety__shape *branch, surety__parts *parts)
{
    if (!surety__parts_add(graph, parts, branch))
        return false;
    for (size_t i = 0; i < facts->parts.count; i++) {
        surety__part part = facts->parts.items[i];

        if (i == facts->union_part)
            facts_settle(&part, facts->union_index);
        if (part.shape != branch && !surety__parts_add_part(graph, parts, part))
            return false;
    }
    return true;
}

/* ---- enum and const ------------------------------------------------------ */

static bool choice_holds(const surety__facts *facts, surety_val val)
{
    bool holds =
        surety__type_bits(val.doc, surety__cell_of(val), false) & facts->types;

    for (size_t i = 0; holds && i < facts->parts.count; i++) {
        const surety__shape *shape = facts->parts.items[i].shape;
        const surety_doc *doc = shape->at.doc;

        holds = (!shape->choices ||
                 surety__choices_have(shape->choices, doc, val)) &&
                (!shape->constant ||
                 surety__choices_have(shape->constant, doc, val));
    }
    return holds;
}

const surety__shape *surety__facts_choices(surety__graph *graph,
                                           const surety__facts *facts,
                                           surety_val **ret_values,
                                           uint32_t *ret_count)
{
    const surety__shape *shape = NULL;
    surety_val list, val, *values;
    uint32_t count = 0;

    for (size_t i = 0; i < facts->parts.count && !shape; i++)
        if (facts->parts.items[i].shape->choices ||
            facts->parts.items[i].shape->constant)
            shape = facts->parts.items[i].shape;
    if (!shape)
        return NULL;
    list = surety_val_get(shape->at, "enum");
    val = shape->constant ? surety_val_get(shape->at, "const")
                          : surety_val_first(list);
    values = surety__graph_take(graph,
                                (surety_val_count(list) + 1) * sizeof(*values));
    while (values && val.doc) {
        if (choice_holds(facts, val))
            values[count++] = val;
        val = shape->constant ? surety_val_none() : surety_val_next(list, val);
    }
    *ret_values = values;
    *ret_count = count;
    return shape;
}

/* ---- types and references ------------------------------------------------ */

size_t surety__types_split(unsigned types, unsigned kinds[KINDS_MAX])
{
    static const uint8_t all[KINDS_MAX] = {
        TYPE_STRING, TYPE_NUMBERS, TYPE_BOOLEAN, TYPE_ARRAY, TYPE_OBJECT};
    size_t count = 0;

    for (size_t i = 0; i < KINDS_MAX; i++)
        if (types & all[i])
            kinds[count++] = types & all[i];
    return count;
}

bool surety__shape_is_bare(const surety__shape *shape)
{
    return !shape->never && shape->types == TYPE_ANY && !shape->objects &&
           !shape->arrays && !shape->numbers && !shape->strings &&
           !shape->choices && !shape->constant && shape->applicator_count < 2;
}

const surety__shape *surety__shape_target(const surety__shape *shape)
{
    const surety__applicator *applicator = shape->applicators;

    if (!shape->applicator_count || !surety__shape_is_bare(shape) ||
        applicator->kind != APPLY_ALL || applicator->count != 1 ||
        applicator->keyword == KW_ALL_OF)
        return NULL;
    return applicator->shapes[0];
}

const surety__shape *surety__shape_behind(const surety__shape *shape)
{
    for (unsigned i = 0; i < FACTS_HOPS && surety__shape_target(shape); i++)
        shape = surety__shape_target(shape);
    return shape;
}
