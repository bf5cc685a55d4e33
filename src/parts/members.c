/* SPDX-License-Identifier: Apache-2.0 */
/* What a whole says of what a value holds: of a member what properties,
 * patternProperties and additionalProperties of every part say of its name, of
 * an item what prefixItems and items of every part say of its place. */
#include "parts/parts.h"

static const surety__objects *said_objects(const surety__facts *facts, size_t i)
{
    return facts->parts.items[i].shape->objects;
}

/* As property tables have it. */
static uint32_t said_hash(surety_str name)
{
    return surety__hash(name.ptr, name.len) & 0xFFFF;
}

static bool said_matches(surety__graph *graph, const surety__pattern *pattern,
                         surety_str name)
{
    int matches = SURETY_NOMEM;

    if (!graph->matcher)
        graph->matcher =
            surety__matcher_new(graph->arena->alloc, graph->limits);
    if (graph->matcher)
        matches = surety__pattern_match(pattern, graph->matcher, name);
    if (matches == SURETY_NOMEM)
        surety__graph_fail(graph, SURETY_NOMEM);
    return matches == 1;
}

bool surety__facts_member(surety__graph *graph, const surety__facts *facts,
                          surety_str name, surety__member_facts *said)
{
    const uint32_t hash = said_hash(name);

    *said = (surety__member_facts){.required = false};
    for (size_t i = 0; i < facts->parts.count; i++) {
        const surety__objects *objects = said_objects(facts, i);
        const surety__property *property;
        bool defined;

        if (!objects)
            continue;
        property = surety__objects_named(objects, name, hash);
        defined = property && property->shape;
        said->required |= property && property->required;
        if (defined)
            surety__parts_add(graph, &said->parts, property->shape);
        if (defined && !said->shape)
            said->shape = property->shape;
        for (uint32_t j = 0; j < objects->pattern_count; j++)
            if (said_matches(graph, objects->patterns[j].pattern, name)) {
                surety__parts_add(graph, &said->parts,
                                  objects->patterns[j].shape);
                defined = true;
            }
        if (!defined && objects->additional)
            surety__parts_add(graph, &said->parts, objects->additional);
    }
    return *graph->status == SURETY_OK;
}

/* Whether a part before the one at `until` has the property. */
static bool said_before(const surety__facts *facts, size_t until,
                        surety_str name)
{
    for (size_t i = 0; i < until; i++)
        if (said_objects(facts, i) &&
            surety__objects_named(said_objects(facts, i), name,
                                  said_hash(name)))
            return true;
    return false;
}

size_t surety__facts_names(surety__graph *graph, const surety__facts *facts,
                           surety_str **ret_names)
{
    size_t count = 0;
    surety_str *names;

    for (size_t i = 0; i < facts->parts.count; i++)
        if (said_objects(facts, i))
            count += said_objects(facts, i)->property_count;
    names = surety__graph_take(graph, count * sizeof(*names));
    *ret_names = names;
    count = 0;
    for (size_t i = 0; i < facts->parts.count && names; i++) {
        const surety__objects *objects = said_objects(facts, i);

        for (uint32_t j = 0; objects && j < objects->property_count; j++)
            if (!said_before(facts, i, objects->properties[j].name))
                names[count++] = objects->properties[j].name;
    }
    return count;
}

surety__items surety__facts_items(const surety__facts *facts)
{
    surety__items items = {.most = UINT64_MAX};

    for (size_t i = 0; i < facts->parts.count; i++) {
        const surety__shape *shape = facts->parts.items[i].shape;
        const surety__arrays *arrays = shape->arrays;

        if (!arrays)
            continue;
        if (arrays->min_items > items.least)
            items.least = arrays->min_items;
        if (arrays->max_items < items.most)
            items.most = arrays->max_items;
        items.closed |= arrays->rest && arrays->rest->never;
        if (arrays->prefix_count > items.places) {
            items.places = arrays->prefix_count;
            items.longest = shape;
        }
    }
    return items;
}
