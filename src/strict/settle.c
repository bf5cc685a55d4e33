/* SPDX-License-Identifier: Apache-2.0 */
/* Computes how nodes relate to each other, after all are made: which can never
 * have a value, which allow null, which sent names are unique, and for which
 * nodes a delivered value may differ from the contract's. Each is computed in
 * rounds that only add, so they end. */
#include "strict/node.h"

/* ---- nodes without a value ----------------------------------------------- */

static bool settle_branches(surety__node *node)
{
    uint32_t count = 0;
    bool changed = false;

    assert(node->form == NODE_UNION);
    for (uint32_t i = 0; i < node->branch_count; i++) {
        const surety__link link = node->branches[i];
        if (link.node->form == NODE_NEVER)
            continue;
        node->branches[count++] = link;
        if (link.node->has_null && !node->has_null)
            changed = node->has_null = true;
    }
    changed |= count != node->branch_count;
    node->branch_count = count;
    if (count == 0) {
        node->form = NODE_NEVER;
        changed = true;
    }
    return changed;
}

static bool settle_fields(surety__node *node)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < node->object.field_count; i++) {
        if (node->object.fields[i].link.node->form != NODE_NEVER) {
            node->object.fields[count++] = node->object.fields[i];
        } else if (node->object.fields[i].required) {
            node->form = NODE_NEVER;
            return true;
        } else if (node->array.as_object) {
            node->object.others_how = OTHERS_NONE;
            node->object.others = node->array.items =
                (surety__link){NULL, false};
            break;
        }
    }
    if (count == node->object.field_count)
        return false;
    node->object.field_count = count;
    return true;
}

static bool settle_node(surety__node *node)
{
    bool changed = false;

    if (node->form == NODE_UNION)
        return settle_branches(node);
    if (node->form != NODE_VALUE)
        return false;
    if (node->types & TYPE_NULL && !node->has_null)
        changed = node->has_null = true;
    if (node->object.others.node &&
        node->object.others.node->form == NODE_NEVER) {
        node->object.others = (surety__link){NULL, false};
        node->object.others_how = OTHERS_NONE;
        changed = true;
    }
    if (node->array.items.node && node->array.items.node->form == NODE_NEVER) {
        node->array.items = (surety__link){NULL, false};
        node->array.closed = true;
        if (node->array.as_object)
            node->object.others_how = OTHERS_NONE;
        changed = true;
    }
    return settle_fields(node) || changed;
}

/* ---- unique names -------------------------------------------------------- */

/* Records a name that occurs only in rewritten values. */
static void settle_mark(surety_strict *strict, surety_str name)
{
    const uint64_t key = surety__hash(name.ptr, name.len) + 1ull;

    if (!surety__map_put(&strict->marks, strict->alloc, key, strict))
        strict->status = SURETY_NOMEM;
}

static bool name_is_sent(const surety__node *node, surety_str name)
{
    for (uint32_t i = 0; i < node->object.field_count; i++)
        if (surety_str_equal(node->object.fields[i].sent, name))
            return true;
    return false;
}

surety_str surety__strict_free_name(surety_strict *strict,
                                    const surety__node *only, surety_buf *wish)
{
    bool taken = true;

    while (taken && wish->status == SURETY_OK) {
        taken = only && name_is_sent(only, surety_buf_str(wish));
        for (size_t i = 0; !only && !taken && i < strict->node_count; i++)
            taken = name_is_sent(strict->nodes[i], surety_buf_str(wish));
        if (taken)
            surety_buf_byte(wish, '_');
    }
    return surety__arena_buf(&strict->arena, wish);
}

/* A name that no property has: if it occurs in a value, the value is in the
 * requested form. */
static surety_str settle_name(surety_strict *strict, const char *wish)
{
    surety_buf name;

    surety_buf_init(&name, strict->alloc, 0);
    surety_buf_text(&name, wish);
    return surety__strict_free_name(strict, NULL, &name);
}

static void settle_names(surety_strict *strict)
{
    bool tuple = false, beside = false;

    strict->wrap = settle_name(strict, WRAP_NAME);
    for (size_t i = 0; i < strict->node_count; i++) {
        const surety__node *node = strict->nodes[i];
        tuple |= node->array.as_object;
        beside |=
            node->object.others_how == OTHERS_BESIDE && !node->array.as_object;
        for (uint32_t j = 0; j < node->object.field_count; j++)
            if (!surety_str_equal(node->object.fields[j].name,
                                  node->object.fields[j].sent))
                settle_mark(strict, node->object.fields[j].sent);
    }
    if (tuple)
        settle_mark(strict, SURETY__LITERAL("item_1"));
    if (!beside)
        return;
    strict->beside = settle_name(strict, BESIDE_NAME);
    settle_mark(strict, strict->beside);
    for (size_t i = 0; i < strict->node_count; i++)
        if (strict->nodes[i]->object.others_how == OTHERS_BESIDE &&
            !strict->nodes[i]->array.as_object)
            strict->nodes[i]->object.beside = strict->beside;
}

/* ---- null and absence ---------------------------------------------------- */

/* Sets the fields for which null means absence. If null is also a value of the
 * contract, the two are indistinguishable; a note says so. */
static void settle_nulled(surety_strict *strict, surety__node *node)
{
    surety_val keyword = surety_val_get(node->origin, "required");
    uint32_t optional = 0, nulled = 0;

    for (uint32_t i = 0; i < node->object.field_count; i++) {
        surety__sent_member *field = &node->object.fields[i];
        field->nulled = !field->required && !field->link.node->has_null;
        optional += !field->required;
        nulled += field->nulled;
        if (node->array.as_object && !field->required && !field->nulled)
            surety__strict_rewritten(
                strict, field->link.node->origin,
                "null, which the contract allows, stays, and "
                "the item cannot be left out",
                "does not take optional properties");
    }
    if (!optional || node->array.as_object)
        return;
    if (!keyword.doc)
        keyword = surety_val_get(node->origin, "properties");
    surety__strict_add_note(
        strict, SURETY_STRICT_REWRITTEN, keyword.doc ? keyword : node->origin,
        nulled == optional
            ? "they are required and may be null, which is removed afterwards"
        : nulled
            ? "they are required and may be null, which is removed afterwards "
              "where the contract does not allow null; where it does, null "
              "stays, and the property cannot be left out"
            : "they are required; null, which the contract allows, stays, and "
              "they cannot be left out",
        "%s does not take optional properties; %u of %u are",
        strict->subset->title, optional, node->object.field_count);
}

/* ---- values that are changed --------------------------------------------- */

static bool settle_rewrites(const surety__node *node)
{
    if (node->array.as_object || node->object.others_how == OTHERS_BESIDE)
        return true;
    for (uint32_t i = 0; i < node->object.field_count; i++)
        if (node->object.fields[i].nulled ||
            !surety_str_equal(node->object.fields[i].name,
                              node->object.fields[i].sent))
            return true;
    return false;
}

static bool settle_changes(surety__node *node)
{
    surety__link link;
    bool optional;

    if (node->changes)
        return false;
    node->changes = node->form == NODE_VALUE && settle_rewrites(node);
    for (size_t i = 0;
         !node->changes && surety__node_child(node, i, &link, &optional); i++)
        node->changes = link.node->changes;
    return node->changes;
}

/* ---- fields by name ------------------------------------------------------ */

static void settle_index(surety_strict *strict, surety__object_form *object)
{
    uint32_t size = 4;

    while (size < object->field_count * 2)
        size *= 2;
    assert(size > object->field_count && !object->table);
    object->table =
        surety__arena_take(&strict->arena, size * sizeof(*object->table));
    object->table_mask = size - 1;
    for (uint32_t i = 0; i < object->field_count && object->table; i++) {
        const surety_str sent = object->fields[i].sent;
        uint32_t at = surety__hash(sent.ptr, sent.len) & object->table_mask;
        while (object->table[at])
            at = (at + 1) & object->table_mask;
        object->table[at] = i + 1;
    }
}

const surety__sent_member *
surety__object_member(const surety__object_form *object, surety_str sent)
{
    uint32_t at;

    assert(object->table || !object->field_count);
    if (!object->table)
        return NULL;
    at = surety__hash(sent.ptr, sent.len) & object->table_mask;
    for (; object->table[at]; at = (at + 1) & object->table_mask)
        if (surety_str_equal(object->fields[object->table[at] - 1].sent, sent))
            return &object->fields[object->table[at] - 1];
    return NULL;
}

bool surety__node_lists(const surety__node *node, surety_val val)
{
    for (uint32_t i = 0; i < node->choice_count; i++)
        if (surety__cell_equal(node->choices[i], val))
            return true;
    return node->choice_count == 0;
}

/* Settles all nodes until nothing changes. */
static void settle_rounds(surety_strict *strict, bool (*settle)(surety__node *))
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = strict->node_count; i-- > 0;)
            changed |= settle(strict->nodes[i]);
    }
}

void surety__node_settle_all(surety_strict *strict)
{
    settle_rounds(strict, settle_node);
    if (strict->subset->traits & SUBSET_ALL_REQUIRED)
        for (size_t i = 0; i < strict->node_count; i++)
            settle_nulled(strict, strict->nodes[i]);
    settle_names(strict);
    settle_rounds(strict, settle_changes);
    for (size_t i = 0; i < strict->node_count && strict->status == SURETY_OK;
         i++)
        if (strict->nodes[i]->object.field_count)
            settle_index(strict, &strict->nodes[i]->object);
}
