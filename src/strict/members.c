/* SPDX-License-Identifier: Apache-2.0 */
/* Builds objects and arrays. A property is the conjunction of what properties,
 * patternProperties and additionalProperties of every conjunct say about its
 * name. Other members form a map. Some providers do not accept maps: then it
 * is sent as a list of key and value. A tuple is sent as an object of its
 * items if prefixItems is not accepted. */
#include "strict/node.h"

static void member_fields(surety_strict *strict, surety__object_form *object,
                          const surety__facts *facts)
{
    surety__member_facts member = {.required = false};
    const surety__property *property;
    surety__name_at at = {0, 0};
    size_t count = 0;

    while (surety__conjunction_name(&facts->all, &at))
        count++;
    object->fields =
        surety__arena_take(&strict->arena, count * sizeof(*object->fields));
    at = (surety__name_at){0, 0};
    while (object->fields &&
           (property = surety__conjunction_name(&facts->all, &at)) != NULL) {
        surety__sent_member *field = &object->fields[object->field_count];
        assert(object->field_count < count);
        if (!surety__conjunction_member(&strict->graph, &facts->all,
                                        property->name, property->hash,
                                        &member))
            return;
        *field = (surety__sent_member){.name = property->name,
                                       .sent = property->name,
                                       .required = member.required};
        field->link = surety__node_link(strict, &member.all);
        if (!field->link.node)
            return;
        object->field_count++;
    }
}

/* MEMBER_NAME_MAX leaves room for what makes a name unique. */
enum { OTHERS_PATTERNS_MAX = 31, MEMBER_NAME_MAX = 60 };

/* What the contract says about other members. */
struct member_others {
    bool closed, declared;
    surety__link links[OTHERS_PATTERNS_MAX + 1]; /* of the patterns, and of all
                                                  * others */
    size_t link_count;
    surety__conjunction all;
    surety_val keyword; /* the keyword that declares them */
};

static void others_patterns(surety_strict *strict,
                            const surety__objects *objects, surety_val at,
                            struct member_others *others)
{
    surety_val keyword = surety_val_get(at, "patternProperties");

    for (uint32_t i = 0; i < objects->pattern_count; i++) {
        if (others->link_count == OTHERS_PATTERNS_MAX) {
            surety__strict_add_note(strict, SURETY_STRICT_IMPOSSIBLE, keyword,
                                    "describe fewer patterns",
                                    "more than %d patterns of keys",
                                    OTHERS_PATTERNS_MAX);
            break;
        }
        others->links[others->link_count++] = surety__node_link(
            strict, CONJUNCTION_OF(objects->patterns[i].shape));
    }
    if (!objects->pattern_count)
        return;
    others->keyword = keyword;
    surety__strict_rewritten(
        strict, keyword,
        "keys of any form are requested with values of these schemas; the "
        "contract still enforces the patterns",
        "does not take \"patternProperties\"");
}

static void others_gather(surety_strict *strict, const surety__facts *facts,
                          struct member_others *others)
{
    for (size_t i = 0; i < facts->all.count; i++) {
        const surety__shape *shape = facts->all.items[i].shape;
        const surety__objects *objects = shape->objects;
        surety_val keyword;
        if (!objects)
            continue;
        if (objects->unevaluated && objects->unevaluated->never) {
            others->closed = true;
            surety__strict_rewritten(
                strict, surety_val_get(shape->at, "unevaluatedProperties"),
                "sent as \"additionalProperties\": false with all properties "
                "in one schema",
                "does not take \"unevaluatedProperties\"");
        }
        others_patterns(strict, objects, shape->at, others);
        if (!objects->additional)
            continue;
        keyword = surety_val_get(shape->at, "additionalProperties");
        if (objects->additional->never) {
            others->closed |= objects->pattern_count == 0;
            continue;
        }
        others->declared = true;
        others->keyword = keyword;
        if (!objects->additional->always)
            surety__conjunction_add(
                &strict->graph, &others->all,
                (surety__conjunct){.shape = objects->additional});
    }
}

static void others_map(surety_strict *strict, surety__object_form *object,
                       struct member_others *others)
{
    assert(others->link_count <= OTHERS_PATTERNS_MAX);
    if (others->all.count)
        others->links[others->link_count++] =
            surety__node_link(strict, &others->all);
    if (others->link_count == 1)
        object->others = others->links[0];
    else
        object->others.node =
            surety__node_union(strict, others->links, others->link_count);
    if (strict->subset->traits & SUBSET_MAPS) {
        object->others_how = OTHERS_SCHEMA;
        return;
    }
    object->others_how = OTHERS_BESIDE;
    surety__strict_rewritten(strict, others->keyword,
                             "they are requested as a list of key and value, "
                             "and restored to members afterwards",
                             "does not take members of any name");
}

/* An object that is open without a schema for other members. */
static void others_open(surety_strict *strict, surety__node *node,
                        const struct member_others *others)
{
    if (strict->subset->traits & SUBSET_MAPS) {
        node->object.others_how =
            others->declared ? OTHERS_SCHEMA : OTHERS_SILENT;
    } else if (node->object.field_count) {
        node->object.others_how = OTHERS_NONE;
        surety__strict_rewritten(
            strict, others->declared ? others->keyword : node->origin,
            "only the properties that it names are requested",
            "does not take objects with other members");
    } else {
        node->object.others_how = OTHERS_BESIDE;
        node->object.others =
            (surety__link){surety__node_any(strict, node->origin), true};
    }
}

/* Renames fields whose names a provider does not accept. */
static void member_names(surety_strict *strict, surety__node *node)
{
    surety_buf sent;

    for (uint32_t i = 0;
         i < node->object.field_count && strict->subset->name_max; i++) {
        surety__sent_member *field = &node->object.fields[i];

        surety_buf_init(&sent, strict->alloc, 0);
        surety__strict_plain(&sent, field->name, strict->subset->name_max, ".");
        if (sent.len && surety_str_equal(surety_buf_str(&sent), field->name)) {
            surety_buf_done(&sent);
            continue;
        }
        if (sent.len > MEMBER_NAME_MAX)
            sent.len = MEMBER_NAME_MAX;
        if (!sent.len)
            surety_buf_byte(&sent, '_');
        field->sent = surety__strict_free_name(strict, node, &sent);
        surety__strict_rewritten(
            strict,
            surety_val_member(surety_val_get(node->origin, "properties"),
                              field->name),
            "it is requested under another name, and renamed afterwards",
            "does not take this name of a property");
    }
}

void surety__node_object(surety_strict *strict, surety__node *node,
                         const surety__facts *facts)
{
    struct member_others others = {.closed = false};

    member_fields(strict, &node->object, facts);
    others_gather(strict, facts, &others);
    if (others.closed)
        node->object.others_how = OTHERS_NONE;
    else if (others.all.count || others.link_count)
        others_map(strict, &node->object, &others);
    else
        others_open(strict, node, &others);
    member_names(strict, node);
}

/* ---- arrays -------------------------------------------------------------- */

static surety__link array_item(surety_strict *strict,
                               const surety__facts *facts, uint32_t index)
{
    surety__conjunction all = {NULL, 0, 0, false};

    surety__conjunction_item(&strict->graph, &facts->all, index, &all);
    if (!all.count && index == UINT32_MAX)
        return (surety__link){NULL, false};
    return surety__node_link(strict, &all);
}

/* Sends the items of a tuple as properties item_1, item_2, ... and rest. */
static void array_object(surety_strict *strict, surety__node *node,
                         surety_val keyword)
{
    assert(!node->object.field_count);
    node->array.as_object = true;
    node->object.fields =
        surety__arena_take(&strict->arena, node->array.prefix_count *
                                               sizeof(*node->object.fields));
    for (uint32_t i = 0; i < node->array.prefix_count && node->object.fields;
         i++) {
        surety_buf name;
        surety_buf_init(&name, strict->alloc, 0);
        surety__buf_printf(&name, "item_%u", i + 1);
        node->object.fields[i].name = node->object.fields[i].sent =
            surety__arena_buf(&strict->arena, &name);
        node->object.fields[i].link = node->array.prefix[i];
        node->object.fields[i].required = i < node->array.prefix_least;
        node->object.field_count++;
    }
    node->object.others_how = OTHERS_NONE;
    if (node->array.items.node) {
        node->object.others_how = OTHERS_BESIDE;
        node->object.beside = SURETY__LITERAL("rest");
    }
    surety__strict_rewritten(strict, keyword,
                             "the items are requested as properties, and "
                             "restored to an array afterwards",
                             "does not take this tuple");
}

void surety__node_array(surety_strict *strict, surety__node *node,
                        const surety__facts *facts)
{
    const surety__range range =
        surety__conjunction_range(&facts->all, COUNT_ITEMS);
    const surety__shape *tuple;

    node->array.prefix_count = surety__conjunction_places(&facts->all, &tuple);
    for (size_t i = 0; i < facts->all.count; i++) {
        const surety__arrays *arrays = facts->all.items[i].shape->arrays;
        node->array.closed |= arrays && arrays->rest && arrays->rest->never;
    }
    if (!node->array.closed && range.most > node->array.prefix_count)
        node->array.items = array_item(strict, facts, UINT32_MAX);
    if (!node->array.prefix_count) {
        if (!node->array.items.node && !node->array.closed &&
            !(strict->subset->traits & SUBSET_ANY))
            node->array.items =
                (surety__link){surety__node_any(strict, node->origin), true};
        return;
    }
    node->array.prefix = surety__arena_take(
        &strict->arena, node->array.prefix_count * sizeof(*node->array.prefix));
    for (uint32_t i = 0; i < node->array.prefix_count && node->array.prefix;
         i++)
        node->array.prefix[i] = array_item(strict, facts, i);
    if (!node->array.prefix || strict->status != SURETY_OK)
        return;
    node->array.prefix_least = range.least < node->array.prefix_count
                                   ? (uint32_t)range.least
                                   : node->array.prefix_count;
    if (strict->subset->traits & SUBSET_TUPLES && !node->array.items.node &&
        range.least >= node->array.prefix_count)
        node->array.closed = true;
    else
        array_object(strict, node,
                     surety_val_member(
                         tuple->at,
                         surety__keyword_name(tuple->arrays->prefix_keyword)));
}
