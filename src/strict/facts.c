/* SPDX-License-Identifier: Apache-2.0 */
/* What a conjunction of shapes says: references and allOf are followed until
 * nothing is left but shapes beside each other. A shape stands in the list
 * once, so loops of references end; an applicator that was followed is marked
 * settled, so that the list can be the parts of another node. */
#include "strict/node.h"

static bool facts_have(const surety__parts *parts, const surety__shape *shape)
{
    for (size_t i = 0; i < parts->count; i++)
        if (parts->items[i].shape == shape)
            return true;
    return false;
}

/* Follows an applicator of part i that every value must satisfy. */
static bool facts_follow(surety_strict *strict, surety__facts *facts, size_t i,
                         uint32_t index)
{
    const surety__part part = facts->parts.items[i];
    const surety__applicator *applicator = &part.shape->applicators[index];
    const surety_str name = surety__keyword_name(applicator->keyword);
    const surety_val keyword = surety_val_member(part.shape->at, name);
    const bool is_dynamic = applicator->kind == APPLY_DYNAMIC;
    const uint32_t count = is_dynamic ? 1 : applicator->count;

    if (is_dynamic)
        surety__strict_say(strict, SURETY_STRICT_REWRITTEN, keyword,
                           "its own schema is copied in; the contract still "
                           "follows it to where it leads",
                           "%s does not take \"%.*s\"", strict->subset->title,
                           (int)name.len, name.ptr);
    else
        surety__strict_say(strict, SURETY_STRICT_REWRITTEN, keyword,
                           "what it says is merged into the schema around it",
                           "%s does not take \"%.*s\" here",
                           strict->subset->title, (int)name.len, name.ptr);
    facts->parts.items[i].settled |= (uint64_t)1 << index;
    for (uint32_t j = 0; j < count && applicator->shapes; j++) {
        const surety__part next = {applicator->shapes[j],
                                   part.settled & PART_QUIET};
        if (next.shape && !facts_have(&facts->parts, next.shape) &&
            !surety__parts_add(strict, &facts->parts, next))
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
                     (shape->numbers ? TYPE_NUMBER | TYPE_INTEGER : 0u) |
                     (shape->strings ? TYPE_STRING : 0u);
}

bool surety__facts_gather(surety_strict *strict, const surety__node *node,
                          surety__facts *facts)
{
    *facts = (surety__facts){.types = node->mask};
    for (uint32_t i = 0; i < node->part_count; i++)
        if (!surety__parts_add(strict, &facts->parts, node->parts[i]))
            return false;
    for (size_t i = 0; i < facts->parts.count; i++) {
        const surety__shape *shape = facts->parts.items[i].shape;
        facts_add_shape(facts, shape);
        for (uint32_t j = 0; j < shape->applicator_count; j++) {
            const uint8_t kind = (uint8_t)shape->applicators[j].kind;
            if (j >= PART_UNIONS) {
                surety__strict_say(strict, SURETY_STRICT_IMPOSSIBLE, shape->at,
                                   "split the schema",
                                   "more than 63 applicators in one schema");
                break;
            }
            if (facts->parts.items[i].settled >> j & 1)
                continue;
            if (kind == APPLY_ALL || kind == APPLY_DYNAMIC) {
                if (!facts_follow(strict, facts, i, j))
                    return false;
            } else if ((kind == APPLY_ANY || kind == APPLY_ONE) &&
                       facts->union_count++ == 0) {
                facts->union_part = i;
                facts->union_index = j;
            }
        }
    }
    return strict->status == SURETY_OK;
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

    if (!surety__shape_is_bare(shape) || shape->applicator_count != 1 ||
        applicator->kind != APPLY_ALL || applicator->count != 1 ||
        applicator->keyword != KW_REF)
        return NULL;
    for (surety_val val = surety_val_first(shape->at); val.doc;
         val = surety_val_next(shape->at, val)) {
        const surety_str name = surety_val_str(surety_val_key(val));
        const surety__strict_keyword *row = surety__strict_keyword_of(name);
        if (row && row->role != ROLE_SILENT &&
            !surety_str_equal(name, SURETY__LITERAL("$ref")))
            return NULL;
    }
    return applicator->shapes[0];
}

static bool choice_fits(const surety__facts *facts, const surety__node *node,
                        surety_val val)
{
    if (!(surety__type_bits(val.doc, surety__cell_of(val), false) &
          node->types))
        return false;
    for (size_t i = 0; i < facts->parts.count; i++) {
        const surety__shape *shape = facts->parts.items[i].shape;
        const surety_doc *doc = shape->at.doc;
        if ((shape->choices &&
             !surety__choices_have(shape->choices, doc, val)) ||
            (shape->constant &&
             !surety__choices_have(shape->constant, doc, val)))
            return false;
    }
    return true;
}

bool surety__facts_choices(surety_strict *strict, const surety__facts *facts,
                           surety__node *node)
{
    const surety__shape *shape = NULL;
    surety_val list, constant;

    for (size_t i = 0; i < facts->parts.count && !shape; i++)
        if (facts->parts.items[i].shape->choices ||
            facts->parts.items[i].shape->constant)
            shape = facts->parts.items[i].shape;
    if (!shape)
        return false;
    constant = surety_val_get(shape->at, "const");
    list = surety_val_get(shape->at, "enum");
    node->choices = surety__strict_take(strict, (surety_val_count(list) + 1) *
                                                    sizeof(*node->choices));
    if (!node->choices)
        return true;
    if (shape->constant) {
        node->constant = true;
        if (choice_fits(facts, node, constant))
            node->choices[node->choice_count++] = constant;
        return true;
    }
    for (surety_val val = surety_val_first(list); val.doc;
         val = surety_val_next(list, val))
        if (choice_fits(facts, node, val))
            node->choices[node->choice_count++] = val;
    return true;
}
