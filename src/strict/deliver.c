/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a value of the contract to the form in which a provider delivers
 * it: the inverse of restore.c, for examples in prompts. For a union it takes
 * the first branch that the value matches at its own level. */
#include "strict/plan.h"

/* ---- branches ------------------------------------------------------------ */

static const surety__sent_member *
deliver_field(const surety__object_form *object, surety_str name)
{
    for (uint32_t i = 0; i < object->field_count; i++)
        if (surety_str_equal(object->fields[i].name, name))
            return &object->fields[i];
    return NULL;
}

/* Whether val matches node, which is not a union, at its own level. */
static bool deliver_looks(const surety__node *node, surety_val val)
{
    const unsigned bits =
        surety__type_bits(val.doc, surety__cell_of(val), false);

    assert(node->form != NODE_UNION);
    if (node->form != NODE_VALUE || !(bits & node->types) ||
        !surety__node_lists(node, val))
        return false;
    if (surety_val_kind(val) != SURETY_KIND_OBJECT || node->choice_count)
        return true;
    for (uint32_t i = 0; i < node->object.field_count; i++) {
        const surety__sent_member *field = &node->object.fields[i];
        const surety_val sub = surety_val_member(val, field->name);
        if (sub.doc ? !surety__node_lists(field->link.node, sub)
                    : field->required)
            return false;
    }
    for (surety_val sub = surety_val_first(val);
         sub.doc && node->object.others_how == OTHERS_NONE;
         sub = surety_val_next(val, sub))
        if (!deliver_field(&node->object, surety_val_str(surety_val_key(sub))))
            return false;
    return true;
}

/* The branch that matches val, which is not a union itself; NULL: none. */
static const surety__node *deliver_branch(const surety__node *node,
                                          surety_val val)
{
    const surety__node *open[64] = {node};
    size_t count = 1;

    while (count) {
        node = open[--count];
        if (node->form != NODE_UNION && deliver_looks(node, val))
            return node;
        for (uint32_t i = node->form == NODE_UNION ? node->branch_count : 0;
             i > 0 && count < 64; i--)
            open[count++] = node->branches[i - 1].node;
    }
    return NULL;
}

/* ---- values -------------------------------------------------------------- */

static void deliver_item(surety__plan *plan, const surety__node *node,
                         surety_val val)
{
    surety__plan_add(plan, (surety__plan_step){.node = node, .val = val});
}

static void deliver_member(surety__plan *plan, surety_str key,
                           const surety__node *node, surety_val val)
{
    surety__plan_member(plan, key,
                        (surety__plan_step){.node = node, .val = val});
}

/* Writes the members that are no properties as a list. */
static void deliver_pairs(surety__plan *plan, const surety__node *node,
                          surety_val val)
{
    SURETY_EACH (sub, val) {
        const surety_val key = surety_val_key(sub);
        if (deliver_field(&node->object, surety_val_str(key)))
            continue;
        surety__plan_mark(plan, STEP_OBJECT);
        deliver_member(plan, SURETY__LITERAL(PAIR_KEY), NULL, key);
        deliver_member(plan, SURETY__LITERAL(PAIR_VALUE),
                       node->object.others.node, sub);
        surety__plan_mark(plan, STEP_CLOSE);
    }
}

/* Writes the members that are no properties as they are. */
static void deliver_others(surety__plan *plan, const surety__node *node,
                           surety_val val)
{
    SURETY_EACH (sub, val) {
        const surety_str name = surety_val_str(surety_val_key(sub));
        if (deliver_field(&node->object, name))
            continue;
        if (node->object.others_how == OTHERS_NONE)
            plan->status = SURETY_UNSUPPORTED;
        deliver_member(plan, name, node->object.others.node, sub);
    }
}

/* Writes an object, or a tuple that is sent as the object of its items. */
static void deliver_object(surety__plan *plan, const surety__node *node,
                           surety_val val)
{
    const bool all = plan->strict->subset->traits & SUBSET_ALL_REQUIRED;
    const bool tuple = node->array.as_object;
    surety_val item = tuple ? surety_val_first(val) : surety_val_none();

    surety__plan_mark(plan, STEP_OBJECT);
    for (uint32_t i = 0; i < node->object.field_count; i++) {
        const surety__sent_member *field = &node->object.fields[i];
        const surety_val sub =
            tuple ? item : surety_val_member(val, field->name);
        if (sub.doc)
            deliver_member(plan, field->sent, field->link.node, sub);
        else if (all)
            surety__plan_member(plan, field->sent,
                                (surety__plan_step){.kind = STEP_NULL});
        item = item.doc ? surety_val_next(val, item) : item;
    }
    if (node->object.others_how == OTHERS_BESIDE) {
        surety__plan_member(plan, node->object.beside,
                            (surety__plan_step){.kind = STEP_ARRAY});
        for (; item.doc; item = surety_val_next(val, item))
            deliver_item(plan, node->array.items.node, item);
        if (!tuple)
            deliver_pairs(plan, node, val);
        surety__plan_mark(plan, STEP_CLOSE);
    } else if (!tuple) {
        deliver_others(plan, node, val);
    } else if (item.doc) {
        plan->status = SURETY_UNSUPPORTED;
    }
    surety__plan_mark(plan, STEP_CLOSE);
}

static void deliver_value(surety__plan *plan, const surety__node *node,
                          surety_val val)
{
    uint32_t index = 0;
    const surety_kind kind = surety_val_kind(val);
    /* An absent member becomes null, also if the contract keeps the null. */
    const bool walks =
        node->changes || plan->strict->subset->traits & SUBSET_ALL_REQUIRED;
    const surety__node *branch = walks ? deliver_branch(node, val) : NULL;

    if (!branch && node->changes) {
        plan->status = SURETY_UNSUPPORTED;
    } else if (kind < SURETY_KIND_ARRAY || !branch || branch->choice_count) {
        surety_build_val(plan->out, val);
    } else if (kind == SURETY_KIND_OBJECT || branch->array.as_object) {
        deliver_object(plan, branch, val);
    } else {
        surety__plan_mark(plan, STEP_ARRAY);
        SURETY_EACH (item, val)
            deliver_item(plan, surety__array_item(&branch->array, index++),
                         item);
        surety__plan_mark(plan, STEP_CLOSE);
    }
}

surety_status surety_strict_deliver(const surety_strict *strict, surety_val val,
                                    surety_doc *out, surety_error *reterr)
{
    surety__plan plan = {.strict = strict, .out = out};
    surety__plan_step step;
    surety_status status;

    if (!strict || !val.doc || !out || val.doc == out)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a strict schema, a value and another document "
                            "are needed");
    surety_build_begin(out, NULL);
    if (strict->wrapped) {
        surety__plan_mark(&plan, STEP_OBJECT);
        deliver_member(&plan, strict->wrap, strict->root, val);
        surety__plan_mark(&plan, STEP_CLOSE);
    } else {
        deliver_item(&plan, strict->root, val);
    }
    while (surety__plan_next(&plan, &step))
        if (step.node)
            deliver_value(&plan, step.node, step.val);
        else if (surety__cell_of(step.val)->kind == CELL_KEY)
            surety_build_str(out, surety_val_str(step.val));
        else
            surety_build_val(out, step.val);
    surety__plan_done(&plan);
    status = surety_build_end(out, NULL);
    if (plan.status == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    if (plan.status == SURETY_OK && status == SURETY_OK)
        return SURETY_OK;
    return surety__fail(reterr, plan.status != SURETY_OK ? plan.status : status,
                        "a part of the value has no form in the schema for %s",
                        strict->subset->title);
}
