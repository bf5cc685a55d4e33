/* SPDX-License-Identifier: Apache-2.0 */
/* The order of locations in a value. Two JSON Pointers are compared token by
 * token; where they differ, the order of the two children in the value
 * decides. A value that was cut off may lack some locations: these come after
 * the existing ones, and keep their order among themselves. */
#include "prompt/prompt.h"

/* Removes and returns the next token of a pointer, with its slash. */
static surety_str order_token(surety_str *pointer)
{
    surety_str token = *pointer;

    assert(pointer->len > 0);
    for (token.len = 1;
         token.len < pointer->len && pointer->ptr[token.len] != '/';
         token.len++)
        ;
    surety__str_skip(pointer, token.len);
    return token;
}

static bool order_is_index(surety_str token)
{
    for (size_t i = 1; i < token.len; i++)
        if (!surety__is_digit(token.ptr[i]))
            return false;
    return token.len > 1;
}

/* Compares two children of the value at. */
static int order_siblings(surety_val at, surety_str a, surety_str b)
{
    const surety_val first = surety_val_at(at, a);
    const surety_val second = surety_val_at(at, b);

    if (first.doc && second.doc)
        return first.index < second.index ? -1 : 1;
    if (first.doc || second.doc)
        return first.doc ? -1 : 1;
    if (surety_val_kind(at) == SURETY_KIND_OBJECT || !order_is_index(a) ||
        !order_is_index(b))
        return 0;
    if (a.len != b.len)
        return a.len < b.len ? -1 : 1;
    return memcmp(a.ptr, b.ptr, a.len);
}

static int order_places(surety_str a, surety_str b, surety_val at)
{
    while (a.len && b.len) {
        const surety_str first = order_token(&a);
        const surety_str second = order_token(&b);

        if (!surety_str_equal(first, second))
            return order_siblings(at, first, second);
        at = surety_val_at(at, first);
    }
    return (a.len != 0) - (b.len != 0);
}

/* Insertion sort: a report has few findings, and most are in order. */
void surety__order_findings(surety_prompt_finding *findings, size_t count,
                            surety_val root)
{
    for (size_t i = 1; i < count; i++) {
        const surety_prompt_finding moved = findings[i];
        size_t at = i;

        for (; at > 0 && order_places(findings[at - 1].issue.instance_location,
                                      moved.issue.instance_location, root) > 0;
             at--)
            findings[at] = findings[at - 1];
        findings[at] = moved;
    }
}
