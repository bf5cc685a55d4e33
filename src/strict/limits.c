/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what is recursive, and what is too large. The walk visits the graph of
 * nodes once: a link to a node that is open closes a cycle, so that node
 * becomes a definition. */
#include "strict/node.h"

bool surety__node_child(const surety__node *node, size_t i,
                        surety__link *ret_link, bool *ret_optional)
{
    const bool plain = !node->array.as_object;

    *ret_optional = false;
    if (node->form == NODE_UNION) {
        if (i >= node->branch_count)
            return false;
        *ret_link = node->branches[i];
        return true;
    }
    if (node->form != NODE_VALUE)
        return false;
    if (i < node->object.field_count) {
        *ret_link = node->object.fields[i].link;
        *ret_optional = !node->object.fields[i].required;
        return true;
    }
    i -= node->object.field_count;
    if (plain && i < node->array.prefix_count) {
        *ret_link = node->array.prefix[i];
        return true;
    }
    i -= plain ? node->array.prefix_count : 0;
    if (node->object.others.node && i-- == 0) {
        *ret_link = node->object.others;
        return true;
    }
    if (node->array.items.node && i == 0) {
        *ret_link = node->array.items;
        return true;
    }
    return false;
}

static void walk_cycle(surety_strict *strict, surety__node *node,
                       bool required_only)
{
    const unsigned traits = strict->subset->traits;

    node->needs_name = true;
    if (!(traits & SUBSET_RECURSION))
        surety__strict_add_note(strict, SURETY_STRICT_IMPOSSIBLE, node->origin,
                                "unroll it to the depth that is needed",
                                "%s does not take a recursive schema",
                                strict->subset->title);
    else if (required_only && traits & SUBSET_OPTIONAL_CYCLE)
        surety__strict_add_note(
            strict, SURETY_STRICT_IMPOSSIBLE, node->origin,
            "make a property on the way optional",
            "%s takes recursion only through properties that "
            "are not required",
            strict->subset->title);
}

/* Walks the nodes that `start` reaches and that are not seen yet. The way back
 * is in the nodes. required_only: without links that an object may
 * lack. */
static void walk_from(surety_strict *strict, surety__node *start,
                      bool required_only)
{
    surety__node *node = start->seen ? NULL : start;

    start->open |= !start->seen;
    start->seen = true;
    while (node && strict->status == SURETY_OK) {
        surety__link link;
        bool optional;

        assert(node->open && node->seen);
        if (!surety__node_child(node, node->next++, &link, &optional)) {
            node->open = false;
            node = node->parent;
            continue;
        }
        if (optional && required_only)
            continue;
        link.node->needs_name |= link.by_name;
        if (link.node->open) {
            walk_cycle(strict, link.node, required_only);
        } else if (!link.node->seen) {
            link.node->open = link.node->seen = true;
            link.node->parent = node;
            node = link.node;
        }
    }
}

static void walk_all(surety_strict *strict, bool required_only)
{
    for (size_t i = 0; i < strict->node_count; i++) {
        surety__node *node = strict->nodes[i];

        node->open = node->seen = false;
        node->next = 0;
        node->parent = NULL;
    }
    for (size_t i = 0; required_only && i < strict->node_count; i++)
        walk_from(strict, strict->nodes[i], true);
    if (!required_only)
        walk_from(strict, strict->root, false);
}

void surety__strict_walk(surety_strict *strict)
{
    walk_all(strict, false);
    if (strict->status == SURETY_OK &&
        strict->subset->traits & SUBSET_OPTIONAL_CYCLE) {
        walk_all(strict, true);
        if (strict->status == SURETY_OK)
            walk_all(strict, false); /* marks the nodes that are reached */
    }
}

static void limit_check(surety_strict *strict, uint64_t figure, uint64_t limit,
                        const char *what, const char *hint)
{
    if (limit && figure > limit && strict->status == SURETY_OK)
        surety__strict_add_note(strict, SURETY_STRICT_IMPOSSIBLE,
                                surety_contract_info_of(strict->contract)->root,
                                hint, "%zu %s, and %s takes %zu at most",
                                (size_t)figure, what, strict->subset->title,
                                (size_t)limit);
}

void surety__strict_limits(surety_strict *strict,
                           const surety__figures *figures)
{
    const surety__subset *subset = strict->subset;

    assert(figures->many_choices <= figures->choices &&
           figures->many_text <= figures->text);
    limit_check(strict, figures->properties, subset->properties_max,
                "properties", "split the contract, or leave properties out");
    limit_check(strict, figures->nesting, subset->nesting_max,
                "levels of nested objects", "make the schema flatter");
    limit_check(strict, figures->choices, subset->enum_max,
                "values in all enums", "describe a large enum in words");
    if (figures->many_choices > subset->enum_many)
        limit_check(strict, figures->many_text, subset->enum_many_text_max,
                    "characters in an enum of many values",
                    "describe a large enum in words");
    limit_check(strict, figures->text, subset->text_max,
                "characters of names and enum values",
                "use shorter names, or describe an enum in words");
    limit_check(strict, figures->optional, subset->optional_max,
                "optional properties",
                "require those that are always known, or make some nullable");
    limit_check(strict, figures->unions, subset->union_max,
                "values of more than one type",
                "give each value one type, or make some properties optional "
                "instead of nullable");
}
