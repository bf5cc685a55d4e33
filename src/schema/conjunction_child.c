/* SPDX-License-Identifier: Apache-2.0 */
/* What a conjunction says of members and items. Of a member: what properties,
 * patternProperties and additionalProperties of every conjunct say of its name;
 * of an item: what prefixItems and items of every conjunct say of its place. */
#include "schema/conjunction.h"

static const surety__objects *child_objects(const surety__conjunction *all,
                                            size_t i)
{
    return all->items[i].shape->objects;
}

static bool child_add(surety__graph *graph, surety__conjunction *child,
                      size_t from, const surety__shape *shape)
{
    return surety__conjunction_add(
        graph, child,
        (surety__conjunct){.shape = shape, .from = (uint32_t)from});
}

/* ---- members ------------------------------------------------------------- */

/* A pattern that takes too many steps counts as one that does not match, unless
 * steps are limited. */
static bool pattern_matches(surety__graph *graph,
                            const surety__pattern *pattern, surety_str name)
{
    uint64_t steps = 1 + name.len / 64;
    int match;

    if (!graph->matcher)
        graph->matcher =
            surety__matcher_new(graph->arena->alloc, graph->limits);
    if (!graph->matcher)
        return surety__graph_fail(graph, SURETY_NOMEM);
    match = surety__pattern_match(pattern, graph->matcher, name);
    steps += surety__matcher_steps(graph->matcher) / 8;
    if (match == SURETY_NOMEM || (match < 0 && graph->work))
        return surety__graph_fail(
            graph,
            surety__match_fail(match, name, graph->limits, graph->reterr));
    return surety__graph_charge(graph, steps) && match > 0;
}

/* Notes what conjunct i says of the name. */
static bool child_ask(surety__graph *graph, const surety__conjunction *all,
                      size_t i, surety_str name, uint32_t hash,
                      surety__member_facts *member)
{
    const surety__objects *objects = child_objects(all, i);
    const surety__property *property =
        surety__objects_named(objects, name, hash);
    bool named = property && property->shape;

    member->required |= property && property->required;
    if (named) {
        if (!member->property)
            member->property = property;
        if (property->default_val && !member->fill.doc) {
            member->fill = surety__val_of(all->items[i].shape->at.doc,
                                          property->default_val);
            member->fill_shape = property->shape;
        }
        child_add(graph, &member->all, i, property->shape);
    }
    for (uint32_t j = 0; j < objects->pattern_count; j++)
        if (pattern_matches(graph, objects->patterns[j].pattern, name)) {
            named = true;
            child_add(graph, &member->all, i, objects->patterns[j].shape);
        }
    member->named |= named;
    member->covered |= named || objects->additional;
    if (!named && objects->additional) {
        member->closed |= objects->additional->never;
        child_add(graph, &member->all, i, objects->additional);
    }
    return *graph->arena->status == SURETY_OK;
}

bool surety__conjunction_member(surety__graph *graph,
                                const surety__conjunction *all, surety_str name,
                                uint32_t hash, surety__member_facts *member)
{
    surety__conjunction kept = member->all;

    assert(hash <= 0xFFFF);
    kept.count = 0;
    kept.is_cut = false;
    *member = (surety__member_facts){.all = kept};
    for (size_t i = 0; i < all->count; i++)
        if (child_objects(all, i) &&
            !child_ask(graph, all, i, name, hash, member))
            return false;
    return *graph->arena->status == SURETY_OK;
}

bool surety__conjunction_mentions(const surety__conjunction *all, size_t until,
                                  surety_str name, uint32_t hash)
{
    assert(until <= all->count);
    for (size_t i = 0; i < until; i++)
        if (child_objects(all, i) &&
            surety__objects_named(child_objects(all, i), name, hash))
            return true;
    return false;
}

const surety__property *surety__conjunction_name(const surety__conjunction *all,
                                                 surety__name_at *at)
{
    while (at->conjunct < all->count) {
        const surety__objects *objects = child_objects(all, at->conjunct);
        const surety__property *property;

        if (!objects || at->property == objects->property_count) {
            at->conjunct++;
            at->property = 0;
            continue;
        }
        property = &objects->properties[at->property++];
        if (!surety__conjunction_mentions(all, at->conjunct, property->name,
                                          property->hash))
            return property;
    }
    return NULL;
}

/* ---- items --------------------------------------------------------------- */

bool surety__conjunction_item(surety__graph *graph,
                              const surety__conjunction *all, uint32_t i,
                              surety__conjunction *item)
{
    bool covered = false;

    for (size_t j = 0; j < all->count; j++) {
        const surety__arrays *arrays = all->items[j].shape->arrays;
        const surety__shape *shape = NULL;

        if (arrays)
            shape = i < arrays->prefix_count ? arrays->prefix[i] : arrays->rest;
        covered |= shape != NULL;
        child_add(graph, item, j, shape);
    }
    return covered;
}

uint32_t surety__conjunction_places(const surety__conjunction *all,
                                    const surety__shape **ret_shape)
{
    const surety__shape *longest = NULL;
    uint32_t places = 0;

    for (size_t i = 0; i < all->count; i++) {
        const surety__arrays *arrays = all->items[i].shape->arrays;

        if (arrays && arrays->prefix_count > places) {
            places = arrays->prefix_count;
            longest = all->items[i].shape;
        }
    }
    if (ret_shape)
        *ret_shape = longest;
    return places;
}

void surety__conjunction_unevaluated(surety__graph *graph,
                                     const surety__conjunction *all,
                                     bool object, surety__conjunction *child)
{
    for (size_t i = 0; i < all->count; i++) {
        const surety__shape *shape = all->items[i].shape;

        if (object && shape->objects)
            child_add(graph, child, i, shape->objects->unevaluated);
        else if (!object && shape->arrays)
            child_add(graph, child, i, shape->arrays->unevaluated);
    }
}
