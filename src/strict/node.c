/* SPDX-License-Identifier: Apache-2.0 */
/* Creates nodes: from a conjunction, as a union of links, and the node for any
 * value.
 *
 * A value without any constraint is sent as a union by kinds. No two of its
 * branches accept the same value, so a delivered value can be read in one way
 * only. JSON text inside a string would not work: a model that leaves out the
 * inner quotes sends 06 and means a string. */
#include "strict/node.h"

static surety__node *node_new(surety_strict *strict)
{
    surety__node *node = surety__arena_take(&strict->arena, sizeof(*node));

    if (!node)
        return NULL;
    if (strict->status == SURETY_OK)
        strict->status = surety__grow(strict->alloc, (void **)&strict->nodes,
                                      &strict->node_cap, strict->node_count + 1,
                                      sizeof(*strict->nodes), STRICT_NODES_MAX);
    if (strict->status != SURETY_OK)
        return NULL;
    strict->nodes[strict->node_count++] = node;
    node->ordinal = (uint32_t)strict->node_count;
    return node;
}

surety__node *surety__node_of(surety_strict *strict,
                              const surety__conjunction *all, unsigned types)
{
    surety__conjunction_node *means =
        surety__graph_node(&strict->graph, all, types);
    surety__node *node = means ? means->made : NULL;

    if (node || !means)
        return node;
    node = node_new(strict);
    if (node)
        node->conjunction = means;
    assert(!node || node->ordinal == strict->node_count);
    means->made = node;
    return node;
}

/* The target of a schema that has only a $ref; or NULL. */
static const surety__shape *link_target(const surety__shape *shape)
{
    const surety__shape *target = surety__shape_target(shape);

    if (!target || shape->applicators[0].keyword != KW_REF)
        return NULL;
    SURETY_EACH (val, shape->at) {
        const surety_str name = surety_val_str(surety_val_key(val));
        const surety__strict_keyword *row = surety__strict_keyword_of(name);
        if (row && !surety_str_equal(name, SURETY__LITERAL("$ref")))
            return NULL;
    }
    return target;
}

surety__link surety__node_link(surety_strict *strict,
                               const surety__conjunction *all)
{
    surety__link link = {NULL, false};
    const surety__shape *shape;

    if (all->count != 1) {
        link.node = surety__node_of(strict, all, TYPE_ANY);
        return link;
    }
    shape = all->items[0].shape;
    for (unsigned i = 0; i < 64 && link_target(shape); i++) {
        shape = link_target(shape);
        link.by_name = true;
    }
    link.node = surety__node_of(strict, CONJUNCTION_OF(shape), TYPE_ANY);
    return link;
}

/* A node that is not in the contract. */
static surety__node *any_part(surety_strict *strict, unsigned types)
{
    surety__node *node = node_new(strict);

    if (!node)
        return NULL;
    node->is_made = true;
    node->types = (uint8_t)types;
    return node;
}

surety__node *surety__node_union(surety_strict *strict,
                                 const surety__link *links, size_t count)
{
    surety__node *node = any_part(strict, TYPE_ANY);

    assert(links || count == 0);
    if (!node)
        return NULL;
    node->form = NODE_UNION;
    node->branch_count = (uint32_t)count;
    node->branches = surety__arena_take(&strict->arena, count * sizeof(*links));
    if (node->branches && count)
        memcpy(node->branches, links, count * sizeof(*links));
    return node;
}

/* ---- any value ----------------------------------------------------------- */

/* The node for every value: scalars unchanged, arrays of such values, objects
 * as lists of key and value. */
static surety__node *any_make(surety_strict *strict)
{
    surety__node *scalar =
        any_part(strict, TYPE_STRING | TYPE_NUMBERS | TYPE_BOOLEAN | TYPE_NULL);
    surety__node *array = any_part(strict, TYPE_ARRAY);
    surety__node *object = any_part(strict, TYPE_OBJECT);
    const surety__link links[] = {
        {scalar, false}, {array, false}, {object, false}};
    surety__node *any = surety__node_union(strict, links, 3);

    if (!scalar || !array || !object || !any)
        return NULL;
    array->array.items = object->object.others = (surety__link){any, true};
    object->object.others_how = OTHERS_BESIDE;
    return any;
}

surety__node *surety__node_any(surety_strict *strict, surety_val at)
{
    const unsigned traits = strict->subset->traits;
    const bool tagged =
        traits & SUBSET_RECURSION && !(traits & SUBSET_OPTIONAL_CYCLE);

    if (!at.doc)
        at = surety_contract_info_of(strict->contract)->root;
    surety__strict_add_note(
        strict, tagged ? SURETY_STRICT_REWRITTEN : SURETY_STRICT_IMPOSSIBLE, at,
        tagged ? "it is requested as a union of one schema for each kind, an "
                 "object as a list of key and value, and restored afterwards; "
                 "declare its type where it is known"
               : "declare its type where it is known; mode auto uses a tool or "
                 "the prompt instead, which accept a value of any kind",
        "%s does not take a schema that allows any value",
        strict->subset->title);
    if (!strict->any)
        strict->any = tagged ? any_make(strict) : any_part(strict, TYPE_ANY);
    return strict->any;
}
