/* SPDX-License-Identifier: Apache-2.0 */
/* The list of a conjunction: how it grows, and what its conjuncts say together
 * of the value itself. Bounds of the same kind count as their tightest. */
#include "schema/conjunction.h"

/* Whether the shape is there; then what is settled stays settled. */
static bool conjunction_has(surety__conjunction *all, surety__conjunct one)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].shape == one.shape) {
            all->items[i].settled |= one.settled;
            return true;
        }
    return false;
}

static bool conjunction_room(surety__graph *graph, surety__conjunction *all)
{
    const size_t cap = all->cap ? all->cap * 2 : 4;
    surety__conjunct *items;

    if (all->count < all->cap)
        return true;
    items = surety__arena_take(graph->arena, cap * sizeof(*items));
    if (!items)
        return false;
    if (all->count)
        memcpy(items, all->items, all->count * sizeof(*items));
    all->items = items;
    all->cap = cap;
    return true;
}

/* Adds one conjunct and nothing that it refers to. */
static bool conjunction_put(surety__graph *graph, surety__conjunction *all,
                            surety__conjunct one)
{
    if (*graph->arena->status != SURETY_OK)
        return false;
    if (one.shape && graph->adds & CONJUNCTION_DIRECT && one.shape->direct)
        one.shape = one.shape->direct;
    if (!one.shape || (graph->adds & CONJUNCTION_DIRECT && one.shape->always) ||
        (graph->adds & CONJUNCTION_POSSIBLE && one.shape->never))
        return true;
    if (!surety__graph_charge(graph, 1 + all->count / 16))
        return false;
    if (conjunction_has(all, one))
        return true;
    if (graph->cut_at && all->count >= graph->cut_at)
        return all->is_cut = true;
    if (all->count >= CONJUNCTION_MAX)
        return surety__graph_fail(graph, SURETY_LIMIT);
    if (!conjunction_room(graph, all))
        return false;
    all->items[all->count++] = one;
    return true;
}

bool surety__conjunction_apply(surety__graph *graph, surety__conjunction *all,
                               size_t i, const surety__shape *shape)
{
    assert(i < all->count);
    return conjunction_put(graph, all,
                           (surety__conjunct){.shape = shape,
                                              .from = (uint32_t)i,
                                              .here = true,
                                              .quiet = all->items[i].quiet});
}

/* Follows the conjuncts from number `start` on. */
static bool conjunction_follow(surety__graph *graph, surety__conjunction *all,
                               size_t start, surety__conjunction_fn *decide,
                               void *context)
{
    for (size_t i = start; i < all->count; i++) {
        const surety__shape *shape = all->items[i].shape;

        for (uint32_t j = 0; j < shape->applicator_count; j++) {
            const surety__applicator *one = &shape->applicators[j];

            if (one->kind != APPLY_ALL && decide &&
                !decide(context, all, i, one))
                return false;
            for (uint32_t k = 0; one->kind == APPLY_ALL && k < one->count; k++)
                if (!surety__conjunction_apply(graph, all, i, one->shapes[k]))
                    return false;
        }
    }
    return *graph->arena->status == SURETY_OK;
}

bool surety__conjunction_follow(surety__graph *graph, surety__conjunction *all,
                                surety__conjunction_fn *decide, void *context)
{
    return conjunction_follow(graph, all, 0, decide, context);
}

bool surety__conjunction_add(surety__graph *graph, surety__conjunction *all,
                             surety__conjunct one)
{
    const size_t start = all->count;

    return conjunction_put(graph, all, one) &&
           (!(graph->adds & CONJUNCTION_FOLLOWED) ||
            conjunction_follow(graph, all, start, NULL, NULL));
}

/* ---- unions -------------------------------------------------------------- */

size_t surety__conjunction_settled(const surety__conjunction *all)
{
    size_t count = 0;

    for (size_t i = 0; i < all->count; i++)
        for (uint32_t j = 0; j < SETTLED_MAX; j++)
            count += surety__conjunct_settled(&all->items[i], j);
    return count;
}

bool surety__conjunction_union(const surety__conjunction *all, size_t n,
                               surety__union_at *ret_at)
{
    for (size_t i = 0; i < all->count; i++) {
        const surety__shape *shape = all->items[i].shape;

        for (uint32_t j = 0; j < shape->applicator_count; j++)
            if ((shape->applicators[j].kind == APPLY_ANY ||
                 shape->applicators[j].kind == APPLY_ONE) &&
                !surety__conjunct_settled(&all->items[i], j) && n-- == 0) {
                *ret_at = (surety__union_at){i, j};
                return true;
            }
    }
    return false;
}

bool surety__conjunction_branch(surety__graph *graph,
                                const surety__conjunction *all,
                                surety__union_at at,
                                const surety__shape *branch,
                                surety__conjunction *ret_all)
{
    assert(all != ret_all && at.conjunct < all->count);
    ret_all->is_cut |= all->is_cut;
    if (!surety__conjunction_add(graph, ret_all,
                                 (surety__conjunct){.shape = branch}))
        return false;
    for (size_t i = 0; i < all->count; i++) {
        surety__conjunct one = all->items[i];

        if (i == at.conjunct)
            surety__conjunct_settle(&one, at.index);
        /* What it refers to is one of those that follow. */
        if (!conjunction_put(graph, ret_all, one))
            return false;
    }
    return true;
}

/* ---- what they say together ---------------------------------------------- */

bool surety__conjunction_never(const surety__conjunction *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].shape->never)
            return true;
    return false;
}

unsigned surety__conjunction_types(const surety__conjunction *all)
{
    unsigned types = TYPE_ANY;

    for (size_t i = 0; i < all->count; i++)
        types &= all->items[i].shape->types;
    return types;
}

unsigned surety__conjunction_speaks(const surety__conjunction *all)
{
    unsigned types = 0;

    for (size_t i = 0; i < all->count; i++) {
        const surety__shape *shape = all->items[i].shape;

        types |= (shape->objects ? TYPE_OBJECT : 0u) |
                 (shape->arrays ? TYPE_ARRAY : 0u) |
                 (shape->numbers ? TYPE_NUMBERS : 0u) |
                 (shape->strings ? TYPE_STRING : 0u);
    }
    return types;
}

const surety__shape *surety__conjunction_listing(const surety__conjunction *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].shape->choices || all->items[i].shape->constant)
            return all->items[i].shape;
    return NULL;
}

bool surety__conjunction_lists(const surety__conjunction *all, surety_val val)
{
    bool lists = true;

    for (size_t i = 0; lists && i < all->count; i++) {
        const surety__shape *shape = all->items[i].shape;
        const surety_doc *doc = shape->at.doc;

        lists = (!shape->choices ||
                 surety__choices_have(shape->choices, doc, val)) &&
                (!shape->constant ||
                 surety__choices_have(shape->constant, doc, val));
    }
    return lists;
}

/* ---- bounds -------------------------------------------------------------- */

static surety__range shape_range(const surety__shape *shape,
                                 enum surety__counted what)
{
    const surety__range any = {0, UINT64_MAX};

    if (what == COUNT_CHARACTERS && shape->strings)
        return (surety__range){shape->strings->min_length,
                               shape->strings->max_length};
    if (what == COUNT_ITEMS && shape->arrays)
        return (surety__range){shape->arrays->min_items,
                               shape->arrays->max_items};
    if (what == COUNT_MEMBERS && shape->objects)
        return (surety__range){shape->objects->min_properties,
                               shape->objects->max_properties};
    return any;
}

surety__range surety__conjunction_range(const surety__conjunction *all,
                                        enum surety__counted what)
{
    surety__range range = {0, UINT64_MAX};

    for (size_t i = 0; i < all->count; i++) {
        const surety__range one = shape_range(all->items[i].shape, what);

        range.least = one.least > range.least ? one.least : range.least;
        range.most = one.most < range.most ? one.most : range.most;
    }
    return range;
}

int surety__bound_compare(surety__bound a, surety__bound b, bool is_upper)
{
    int order;

    if (!a.cell || !b.cell)
        return (a.cell != NULL) - (b.cell != NULL);
    order = surety__number_compare(a.doc, a.cell, b.doc, b.cell);
    if (order == 0)
        return a.is_exclusive - b.is_exclusive;
    return (order > 0) != is_upper ? 1 : -1;
}

surety__bound surety__conjunction_bound(const surety__conjunction *all,
                                        bool is_upper)
{
    surety__bound tightest = {NULL, NULL, false};

    for (size_t i = 0; i < all->count; i++) {
        const surety__shape *shape = all->items[i].shape;
        const surety__numbers *numbers = shape->numbers;
        surety__bound bounds[2];

        if (!numbers)
            continue;
        bounds[0] = (surety__bound){
            shape->at.doc, is_upper ? numbers->maximum : numbers->minimum,
            false};
        bounds[1] = (surety__bound){shape->at.doc,
                                    is_upper ? numbers->exclusive_maximum
                                             : numbers->exclusive_minimum,
                                    true};
        for (size_t j = 0; j < 2; j++)
            if (surety__bound_compare(bounds[j], tightest, is_upper) > 0)
                tightest = bounds[j];
    }
    return tightest;
}
