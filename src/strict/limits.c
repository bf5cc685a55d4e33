/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what is recursive, and what is too large. The walk visits the graph of
 * nodes once, with its own stack: a link to a node that is open closes a
 * cycle, so that node becomes a definition. */
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

struct walk_frame {
    surety__node *node;
    size_t next;
};

struct walk_stack {
    struct walk_frame *frames;
    size_t count, cap;
};

static void walk_cycle(surety_strict *strict, surety__node *node,
                       bool required_only)
{
    const unsigned traits = strict->subset->traits;

    node->needs_name = true;
    if (!(traits & SUBSET_RECURSION))
        surety__strict_say(strict, SURETY_STRICT_IMPOSSIBLE, node->origin,
                           "unroll it to the depth that is needed",
                           "%s does not take a recursive schema",
                           strict->subset->title);
    else if (required_only && traits & SUBSET_OPTIONAL_CYCLE)
        surety__strict_say(strict, SURETY_STRICT_IMPOSSIBLE, node->origin,
                           "make a property on the way optional",
                           "%s takes recursion only through properties that "
                           "are not required",
                           strict->subset->title);
}

static void walk_enter(surety_strict *strict, struct walk_stack *stack,
                       surety__node *node)
{
    strict->status = surety__grow(strict->alloc, (void **)&stack->frames,
                                  &stack->cap, stack->count + 1,
                                  sizeof(*stack->frames), STRICT_NODES_MAX);
    if (strict->status != SURETY_OK)
        return;
    stack->frames[stack->count++] = (struct walk_frame){node, 0};
    node->open = node->seen = true;
}

/* Walks the graph. required_only: without links that an object may lack. */
static void walk_all(surety_strict *strict, bool required_only)
{
    struct walk_stack stack = {NULL, 0, 0};

    for (size_t i = 0; i < strict->node_count; i++)
        strict->nodes[i]->open = strict->nodes[i]->seen = false;
    for (size_t i = 0; i < (required_only ? strict->node_count : 1); i++) {
        surety__node *start = required_only ? strict->nodes[i] : strict->root;
        if (!start->seen && strict->status == SURETY_OK)
            walk_enter(strict, &stack, start);
        while (stack.count && strict->status == SURETY_OK) {
            struct walk_frame *frame = &stack.frames[stack.count - 1];
            surety__link link;
            bool optional;
            if (!surety__node_child(frame->node, frame->next++, &link,
                                    &optional)) {
                frame->node->open = false;
                stack.count--;
                continue;
            }
            if (optional && required_only)
                continue;
            if (link.by_name)
                link.node->needs_name = true;
            if (link.node->open)
                walk_cycle(strict, link.node, required_only);
            else if (!link.node->seen)
                walk_enter(strict, &stack, link.node);
        }
    }
    surety__free(strict->alloc, stack.frames,
                 stack.cap * sizeof(*stack.frames));
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
        surety__strict_say(strict, SURETY_STRICT_IMPOSSIBLE,
                           surety_contract_info_of(strict->contract)->root,
                           hint, "%zu %s, and %s takes %zu at most",
                           (size_t)figure, what, strict->subset->title,
                           (size_t)limit);
}

void surety__strict_limits(surety_strict *strict,
                           const surety__figures *figures)
{
    const surety__subset *subset = strict->subset;

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
