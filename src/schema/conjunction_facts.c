/* SPDX-License-Identifier: Apache-2.0 */
/* What a node says, for code that makes something else of a schema: references
 * and allOf are followed, and unions are counted. A union is not followed: the
 * caller decides what becomes of it. */
#include "schema/conjunction.h"

/* References that lead to references. */
enum { FACTS_HOPS = 64 };

struct facts_work {
    surety__graph *graph;
    surety__facts *facts;
};

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

/* Follows a dynamic reference, unless it is settled. */
static bool facts_decide(void *context, surety__conjunction *all, size_t i,
                         const surety__applicator *one)
{
    const struct facts_work *work = context;
    const uint32_t index = (uint32_t)(one - all->items[i].shape->applicators);
    const surety__shape *target;

    if (one->kind != APPLY_DYNAMIC ||
        surety__conjunct_settled(&all->items[i], index))
        return true;
    target = facts_dynamic(work->graph, one);
    if (!target)
        work->facts->unresolved = all->items[i].shape;
    return surety__conjunction_apply(work->graph, all, i, target);
}

/* The unions, once the types are known. */
static void facts_add_unions(const surety__graph *graph, surety__facts *facts)
{
    for (size_t i = 0; i < facts->all.count; i++) {
        surety__conjunct *conjunct = &facts->all.items[i];

        for (uint32_t j = 0; j < conjunct->shape->applicator_count; j++) {
            const surety__applicator *one = &conjunct->shape->applicators[j];

            if (one->kind == APPLY_ALL || one->kind == APPLY_DYNAMIC)
                surety__conjunct_settle(conjunct, j);
            facts->any_of |= one->kind == APPLY_ANY;
            facts->conditional |= one->kind == APPLY_IF ||
                                  one->kind == APPLY_DEPENDENT ||
                                  one->kind == APPLY_PROPERTY_VALUE;
            if ((one->kind != APPLY_ANY && one->kind != APPLY_ONE) ||
                surety__conjunct_settled(conjunct, j))
                continue;
            if (graph->counts && !graph->counts(one, facts->types)) {
                surety__conjunct_settle(conjunct, j);
            } else if (facts->union_count++ == 0) {
                facts->first = (surety__union_at){i, j};
            }
        }
    }
}

bool surety__facts_gather(surety__graph *graph,
                          const surety__conjunction_node *node,
                          surety__facts *facts)
{
    struct facts_work work = {graph, facts};
    const surety__conjunction *all = &facts->all;

    *facts = (surety__facts){.types = node->types};
    for (size_t i = 0; i < node->all.count; i++)
        if (!surety__conjunction_add(graph, &facts->all, node->all.items[i]))
            return false;
    if (!surety__conjunction_follow(graph, &facts->all, facts_decide, &work))
        return false;
    for (size_t i = 0; i < all->count; i++)
        facts->typed |= all->items[i].shape->types != TYPE_ANY;
    facts->typed |= surety__conjunction_listing(all) != NULL;
    facts->never = surety__conjunction_never(all);
    facts->types &= surety__conjunction_types(all);
    facts->speaks = surety__conjunction_speaks(all);
    facts_add_unions(graph, facts);
    return true;
}

/* ---- enum and const ------------------------------------------------------ */

static bool choice_holds(const surety__facts *facts, surety_val val)
{
    return surety__type_bits(val.doc, surety__cell_of(val), false) &
               facts->types &&
           surety__conjunction_lists(&facts->all, val);
}

const surety__shape *surety__facts_choices(surety__graph *graph,
                                           const surety__facts *facts,
                                           surety_val **ret_values,
                                           uint32_t *ret_count)
{
    const surety__shape *shape = surety__conjunction_listing(&facts->all);
    surety_val list, val, *values;
    uint32_t count = 0;

    if (!shape)
        return NULL;
    list = surety_val_get(shape->at, "enum");
    val = shape->constant ? surety_val_get(shape->at, "const")
                          : surety_val_first(list);
    values = surety__arena_take(graph->arena,
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
