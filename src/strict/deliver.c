/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a value of the contract to the form in which a provider delivers
 * it: the inverse of restore.c, for examples in prompts. For a union it takes
 * the first branch that the value matches at its own level. */
#include "strict/node.h"

enum deliver_kind {
    DELIVER_VALUE,
    DELIVER_KEY,
    DELIVER_OBJECT,
    DELIVER_ARRAY,
    DELIVER_NULL,
    DELIVER_CLOSE
};

struct deliver_task {
    enum deliver_kind kind;
    const surety__node *node; /* of VALUE; NULL: copy the value */
    surety_val val;
    surety_str key;
};

struct deliver_state {
    const surety_strict *strict;
    surety_doc *out;
    struct deliver_task *tasks;
    size_t count, cap, from;
    surety_status status;
};

static void deliver_push(struct deliver_state *state, struct deliver_task task)
{
    if (state->status == SURETY_OK)
        state->status = surety__grow(
            state->strict->alloc, (void **)&state->tasks, &state->cap,
            state->count + 1, sizeof(task), SIZE_MAX / sizeof(task));
    if (state->status == SURETY_OK)
        state->tasks[state->count++] = task;
}

static void deliver_mark(struct deliver_state *state, enum deliver_kind kind)
{
    deliver_push(state, (struct deliver_task){.kind = kind});
}

static void deliver_key(struct deliver_state *state, surety_str key)
{
    deliver_push(state, (struct deliver_task){.kind = DELIVER_KEY, .key = key});
}

static void deliver_val(struct deliver_state *state, const surety__node *node,
                        surety_val val)
{
    deliver_push(state, (struct deliver_task){.node = node, .val = val});
}

/* ---- branches ------------------------------------------------------------ */

static const surety__field *deliver_field(const surety__object_form *object,
                                          surety_str name)
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

    if (node->form != NODE_VALUE || !(bits & node->types) ||
        !surety__node_lists(node, val))
        return false;
    if (surety_val_kind(val) != SURETY_KIND_OBJECT || node->choice_count)
        return true;
    for (uint32_t i = 0; i < node->object.field_count; i++) {
        const surety__field *field = &node->object.fields[i];
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

/* Writes the members that are no properties as a list. */
static void deliver_beside(struct deliver_state *state,
                           const surety__node *node, surety_val val)
{
    deliver_key(state, node->object.beside);
    deliver_mark(state, DELIVER_ARRAY);
    for (surety_val sub = surety_val_first(val); sub.doc;
         sub = surety_val_next(val, sub)) {
        const surety_val key = surety_val_key(sub);
        if (deliver_field(&node->object, surety_val_str(key)))
            continue;
        deliver_mark(state, DELIVER_OBJECT);
        deliver_key(state, SURETY__LITERAL(PAIR_KEY));
        deliver_val(state, NULL, key);
        deliver_key(state, SURETY__LITERAL(PAIR_VALUE));
        deliver_val(state, node->object.others.node, sub);
        deliver_mark(state, DELIVER_CLOSE);
    }
    deliver_mark(state, DELIVER_CLOSE);
}

static void deliver_object(struct deliver_state *state,
                           const surety__node *node, surety_val val)
{
    const bool all = state->strict->subset->traits & SUBSET_ALL_REQUIRED;

    deliver_mark(state, DELIVER_OBJECT);
    for (uint32_t i = 0; i < node->object.field_count; i++) {
        const surety__field *field = &node->object.fields[i];
        const surety_val sub = surety_val_member(val, field->name);
        if (!sub.doc && !all)
            continue;
        deliver_key(state, field->sent);
        if (sub.doc)
            deliver_val(state, field->link.node, sub);
        else
            deliver_mark(state, DELIVER_NULL);
    }
    if (node->object.others_how == OTHERS_BESIDE)
        deliver_beside(state, node, val);
    for (surety_val sub = surety_val_first(val);
         sub.doc && node->object.others_how != OTHERS_BESIDE;
         sub = surety_val_next(val, sub)) {
        const surety_str name = surety_val_str(surety_val_key(sub));
        if (deliver_field(&node->object, name))
            continue;
        if (node->object.others_how == OTHERS_NONE)
            state->status = SURETY_UNSUPPORTED;
        deliver_key(state, name);
        deliver_val(state, node->object.others.node, sub);
    }
    deliver_mark(state, DELIVER_CLOSE);
}

/* Writes a tuple as an object of its items. */
static void deliver_tuple(struct deliver_state *state, const surety__node *node,
                          surety_val val)
{
    const bool all = state->strict->subset->traits & SUBSET_ALL_REQUIRED;
    surety_val item = surety_val_first(val);

    deliver_mark(state, DELIVER_OBJECT);
    for (uint32_t i = 0; i < node->object.field_count; i++) {
        if (!item.doc && !all)
            break;
        deliver_key(state, node->object.fields[i].sent);
        if (item.doc)
            deliver_val(state, node->object.fields[i].link.node, item);
        else
            deliver_mark(state, DELIVER_NULL);
        item = item.doc ? surety_val_next(val, item) : item;
    }
    if (item.doc && !node->object.beside.len)
        state->status = SURETY_UNSUPPORTED;
    if (node->object.beside.len) {
        deliver_key(state, node->object.beside);
        deliver_mark(state, DELIVER_ARRAY);
        for (; item.doc; item = surety_val_next(val, item))
            deliver_val(state, node->array.items.node, item);
        deliver_mark(state, DELIVER_CLOSE);
    }
    deliver_mark(state, DELIVER_CLOSE);
}

static void deliver_array(struct deliver_state *state, const surety__node *node,
                          surety_val val)
{
    uint32_t index = 0;

    deliver_mark(state, DELIVER_ARRAY);
    for (surety_val item = surety_val_first(val); item.doc;
         item = surety_val_next(val, item), index++)
        deliver_val(state,
                    index < node->array.prefix_count
                        ? node->array.prefix[index].node
                        : node->array.items.node,
                    item);
    deliver_mark(state, DELIVER_CLOSE);
}

static void deliver_value(struct deliver_state *state, const surety__node *node,
                          surety_val val)
{
    const surety_kind kind = surety_val_kind(val);
    /* An absent member becomes null, also if the contract keeps the null. */
    const bool walks =
        node->changes || state->strict->subset->traits & SUBSET_ALL_REQUIRED;
    const surety__node *branch = walks ? deliver_branch(node, val) : NULL;

    state->from = state->count;
    if (!branch && node->changes) {
        state->status = SURETY_UNSUPPORTED;
        return;
    }
    node = branch;
    if (kind < SURETY_KIND_ARRAY || !node || node->choice_count) {
        surety_build_val(state->out, val);
        return;
    }
    if (kind == SURETY_KIND_OBJECT)
        deliver_object(state, node, val);
    else if (node->array.as_object)
        deliver_tuple(state, node, val);
    else
        deliver_array(state, node, val);
    for (size_t low = state->from, high = state->count;
         low + 1 < high && state->status == SURETY_OK; low++) {
        const struct deliver_task task = state->tasks[low];
        state->tasks[low] = state->tasks[--high];
        state->tasks[high] = task;
    }
}

static void deliver_run(struct deliver_state *state)
{
    while (state->count && state->status == SURETY_OK) {
        const struct deliver_task task = state->tasks[--state->count];
        switch (task.kind) {
        case DELIVER_KEY: surety_build_key(state->out, task.key); break;
        case DELIVER_OBJECT: surety_build_object(state->out); break;
        case DELIVER_ARRAY: surety_build_array(state->out); break;
        case DELIVER_NULL: surety_build_null(state->out); break;
        case DELIVER_CLOSE: surety_build_close(state->out); break;
        case DELIVER_VALUE:
            if (task.node)
                deliver_value(state, task.node, task.val);
            else if (surety__cell_of(task.val)->kind == CELL_KEY)
                surety_build_str(state->out, surety_val_str(task.val));
            else
                surety_build_val(state->out, task.val);
            break;
        }
    }
}

surety_status surety_strict_deliver(const surety_strict *strict, surety_val val,
                                    surety_doc *out, surety_error *reterr)
{
    struct deliver_state state = {.strict = strict, .out = out};
    surety_status status;

    if (!strict || !val.doc || !out || val.doc == out)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a strict schema, a value and another document "
                            "are needed");
    surety_build_begin(out, NULL);
    if (strict->wrapped) {
        surety_build_object(out);
        surety_build_key(out, strict->wrap);
        deliver_mark(&state, DELIVER_CLOSE);
    }
    deliver_val(&state, strict->root, val);
    deliver_run(&state);
    surety__free(strict->alloc, state.tasks, state.cap * sizeof(*state.tasks));
    status = surety_build_end(out, NULL);
    if (state.status == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    if (state.status == SURETY_OK && status == SURETY_OK)
        return SURETY_OK;
    return surety__fail(
        reterr, state.status != SURETY_OK ? state.status : status,
        "the value has what is not asked for at %s", strict->subset->title);
}
