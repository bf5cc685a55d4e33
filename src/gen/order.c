/* SPDX-License-Identifier: Apache-2.0 */
/* The order of types: a type comes after the types it contains. First, nodes
 * with the same C type are merged. Then all types reachable from the root are
 * listed, innermost first. Within that order, a type that another one contains
 * by value comes before it, as C requires. Pointers may refer to later types,
 * which are declared at the top. */
#include "gen/inside.h"

/* Which children of a node come before it. */
enum { VISIT_ALL = 1, VISIT_VALUES = 2 };

/* The one node for all nodes with the same C type. */
static surety__gen_node *order_same(surety__gen_model *model,
                                    surety__gen_node *node)
{
    if (node->form < SURETY_TYPED_FIXED && node->form != SURETY_TYPED_ENUM) {
        if (!model->scalars[node->form])
            model->scalars[node->form] = node;
        return model->scalars[node->form];
    }
    if (node->form == SURETY_TYPED_LIST && node->rest) {
        if (!node->rest->place.list)
            node->rest->place.list = node;
        return node->rest->place.list;
    }
    return node;
}

/* The i-th child; NULL: after the last. *ret_value: the node contains it by
 * value. */
static surety__gen_node *order_child(surety__gen_node *node, uint32_t i,
                                     bool *ret_value)
{
    surety__gen_node *child;

    if (i < node->member_count) {
        child = node->members[i].node;
        *ret_value = child->form == SURETY_TYPED_UNION ||
                     child->form == SURETY_TYPED_ENUM;
        return child;
    }
    if (i > node->member_count || !node->rest)
        return NULL;
    child = node->rest;
    *ret_value = node->form == SURETY_TYPED_MAP;
    return child;
}

/* Appends node to the list, after its children of that visit. The way back to
 * `from` is in the nodes. */
static void order_visit(surety__gen_node *from, uint8_t visit,
                        surety__gen_node **list, size_t *list_count)
{
    surety__gen_node *node = from->place.visit < visit ? from : NULL;

    if (node)
        node->place.visit = visit;
    while (node) {
        bool by_value = false;
        surety__gen_node *child =
            order_child(node, node->place.next++, &by_value);

        if (!child && node->place.next > node->member_count + 1) {
            list[(*list_count)++] = node;
            node->place.next = 0;
            node = node->place.parent;
        } else if (child && child->place.visit < visit &&
                   (visit == VISIT_ALL || by_value)) {
            child->place.visit = visit;
            child->place.parent = node;
            node = child;
        }
    }
}

/* Marks types that a pointer in `node` uses before their definition. */
static void order_forward(surety__gen_node *node)
{
    bool by_value = false;
    surety__gen_node *child;

    assert(node->place.placed);
    for (uint32_t i = 0; (child = order_child(node, i, &by_value)); i++) {
        surety__gen_node *end = child;

        if (child->form == SURETY_TYPED_LIST && node->form != SURETY_TYPED_LIST)
            end = child->rest;
        if (node->form == SURETY_TYPED_LIST && !node->place.needs_holder)
            return;
        if (end && !by_value && end->place.position >= node->place.position)
            end->place.forward = true;
    }
}

/* Merges nodes with the same type, wherever they are used; false: nothing
 * changed. */
static bool order_merge(surety__gen_model *model)
{
    bool changed = false;

    for (size_t i = 0; i < model->node_count; i++) {
        surety__gen_node *node = model->nodes[i];
        surety__gen_node *same;

        for (uint32_t j = 0; j < node->member_count; j++) {
            same = order_same(model, node->members[j].node);
            changed |= same != node->members[j].node;
            node->members[j].node = same;
        }
        if (!node->rest)
            continue;
        same = order_same(model, node->rest);
        changed |= same != node->rest;
        node->rest = same;
    }
    return changed;
}

void surety__gen_order(surety__gen_model *model)
{
    surety_gen *gen = model->gen;
    surety__gen_node **first, **second;
    size_t first_count = 0;

    model->scalars[SURETY_TYPED_VALUE] = model->value;
    while (order_merge(model))
        ;
    first = surety__arena_take(&gen->arena, model->node_count * sizeof(*first));
    second =
        surety__arena_take(&gen->arena, model->node_count * sizeof(*second));
    if (!first || !second)
        return;
    order_visit(model->root, VISIT_ALL, first, &first_count);
    model->order = second;
    for (size_t i = 0; i < first_count; i++) {
        first[i]->place.parent = NULL;
        order_visit(first[i], VISIT_VALUES, second, &model->order_count);
    }
    assert(model->order_count == first_count);
    for (size_t i = 0; i < model->order_count; i++) {
        surety__gen_node *node = second[i];

        node->place.placed = true;
        node->place.position = (uint32_t)i;
        if ((node->form == SURETY_TYPED_LIST ||
             node->form == SURETY_TYPED_MAP) &&
            node->rest &&
            (node->rest->form == SURETY_TYPED_LIST ||
             node->rest->form == SURETY_TYPED_MAP))
            node->rest->place.needs_holder = true;
    }
    for (size_t i = 0; i < model->order_count; i++) {
        order_forward(second[i]);
        second[i]->place.forward |= second[i]->form == SURETY_TYPED_MAP &&
                                    second[i]->place.needs_holder;
    }
}
