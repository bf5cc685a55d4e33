/* SPDX-License-Identifier: Apache-2.0 */
/* A delivered value made one of the contract's again: the value and the graph
 * of nodes are walked together, with a stack of tasks. A union's branch is the
 * first that the value looks like, told by types, names and choices a few
 * levels deep; where none fits, and wherever a value is not what the node says,
 * it is copied as it is. */
#include "strict/node.h"

enum { FITS_DEPTH = 4, FITS_OPEN = 256, FITS_WORK = 200000 };

enum restore_kind { RESTORE_VALUE, RESTORE_CLOSE };

struct restore_task {
    enum restore_kind kind;
    const surety__node *node; /* NULL: copy */
    surety_val val;
    surety_str name; /* the key before it; ptr NULL: none */
    bool is_named;
};

struct restore_state {
    const surety_strict *strict;
    surety_doc *out, *scratch;
    struct restore_task *tasks;
    size_t count, cap, from;
    size_t work;
    surety_status status;
};

static unsigned restore_bits(surety_val val)
{
    return surety__type_bits(val.doc, surety__cell_of(val), false);
}

/* The types that a node is sent as. */
static unsigned restore_sent(const surety__node *node)
{
    unsigned types = node->types;

    if (node->form == NODE_TEXT)
        return TYPE_STRING;
    if (types & TYPE_OBJECT && node->others_how == OTHERS_PAIRS &&
        !node->choice_count)
        types = (types & ~(unsigned)TYPE_OBJECT) | TYPE_ARRAY;
    if (node->tuple_object)
        types = (types & ~(unsigned)TYPE_ARRAY) | TYPE_OBJECT;
    return types;
}

static bool restore_chosen(const surety__node *node, surety_val val)
{
    for (uint32_t i = 0; i < node->choice_count; i++)
        if (surety__cell_equal(node->choices[i], val))
            return true;
    return node->choice_count == 0;
}

static bool restore_is_pair(surety_val val)
{
    return surety_val_kind(surety_val_get(val, PAIR_KEY)) ==
               SURETY_KIND_STRING &&
           surety_val_get(val, PAIR_VALUE).doc && surety_val_count(val) == 2;
}

static bool restore_all_pairs(surety_val list)
{
    if (surety_val_kind(list) != SURETY_KIND_ARRAY)
        return false;
    for (surety_val item = surety_val_first(list); item.doc;
         item = surety_val_next(list, item))
        if (!restore_is_pair(item))
            return false;
    return true;
}

/* Whether val's members are those that an object of node has. */
static bool restore_names_fit(struct restore_state *state,
                              const surety__node *node, surety_val val)
{
    const bool all = state->strict->subset->traits & SUBSET_ALL_REQUIRED;

    size_t wanted = 0, found = 0;

    state->work += node->field_count + surety_val_count(val);
    for (uint32_t i = 0; i < node->field_count; i++)
        wanted += all || node->fields[i].required;
    for (surety_val sub = surety_val_first(val); sub.doc;
         sub = surety_val_next(val, sub)) {
        const surety_str name = surety_val_str(surety_val_key(sub));
        const surety__field *field = surety__node_field(node, name);
        if (field)
            found += all || field->required;
        else if (node->others_how == OTHERS_NONE ||
                 (node->others_how == OTHERS_BESIDE &&
                  !surety_str_equal(name, node->beside)))
            return false;
    }
    return found == wanted;
}

/* Whether val itself, but for its children, is what node (no union) says. */
static bool restore_looks(struct restore_state *state, const surety__node *node,
                          surety_val val)
{
    const surety_kind kind = surety_val_kind(val);

    state->work++;
    if (node->form == NODE_NEVER || !(restore_bits(val) & restore_sent(node)))
        return false;
    if (node->form == NODE_TEXT || node->choice_count)
        return restore_chosen(node, val);
    if (kind == SURETY_KIND_OBJECT)
        return restore_names_fit(state, node, val);
    return kind != SURETY_KIND_ARRAY || !(node->types & TYPE_OBJECT) ||
           node->others_how != OTHERS_PAIRS || restore_all_pairs(val);
}

/* The one branch that val looks like, unions in unions passed through; NULL
 * and *ret_many told apart: none, or several. */
static const surety__node *restore_only(struct restore_state *state,
                                        const surety__node *node,
                                        surety_val val, bool *ret_many)
{
    const surety__node *open[FITS_OPEN] = {node};
    const surety__node *found = NULL;
    size_t count = 1;

    *ret_many = false;
    while (count) {
        node = open[--count];
        if (node->form != NODE_UNION) {
            *ret_many |= found && restore_looks(state, node, val);
            if (!found && restore_looks(state, node, val))
                found = node;
            continue;
        }
        if (node->branch_count > FITS_OPEN - count) {
            *ret_many = true;
            return NULL;
        }
        for (uint32_t i = 0; i < node->branch_count; i++)
            open[count++] = node->branches[i].node;
    }
    return *ret_many ? NULL : found;
}

struct restore_claim {
    const surety__node *node;
    surety_val val;
    unsigned depth;
};

/* Adds what node says of the children of val. */
static void restore_claims(struct restore_state *state,
                           const struct restore_claim *claim,
                           struct restore_claim *claims, size_t *count)
{
    const surety__node *node = claim->node;
    const bool object = surety_val_kind(claim->val) == SURETY_KIND_OBJECT;
    uint32_t index = 0;

    if (node->form != NODE_VALUE || node->choice_count ||
        claim->depth == FITS_DEPTH)
        return;
    for (surety_val sub = surety_val_first(claim->val);
         sub.doc && *count < FITS_OPEN;
         sub = surety_val_next(claim->val, sub), index++) {
        const surety__field *field =
            object
                ? surety__node_field(node, surety_val_str(surety_val_key(sub)))
                : NULL;
        const surety__node *child = field    ? field->link.node
                                    : object ? NULL
                                    : node->others_how == OTHERS_PAIRS ? NULL
                                    : index < node->prefix_count
                                        ? node->prefix[index].node
                                        : node->items.node;
        state->work++;
        if (object && !field && node->others_how == OTHERS_SCHEMA)
            child = node->others.node;
        if (child && !(field && field->nulled &&
                       surety_val_kind(sub) == SURETY_KIND_NULL))
            claims[(*count)++] =
                (struct restore_claim){child, sub, claim->depth + 1};
    }
}

/* Whether val looks like what node says, a few levels deep. What would take
 * too long to tell counts as fitting. */
static bool restore_fits(struct restore_state *state, const surety__node *node,
                         surety_val val)
{
    struct restore_claim claims[FITS_OPEN] = {{node, val, 0}};
    size_t count = 1;

    while (count && state->work < FITS_WORK) {
        struct restore_claim claim = claims[--count];
        bool many;
        claim.node = restore_only(state, claim.node, claim.val, &many);
        if (!claim.node && !many)
            return false;
        if (claim.node)
            restore_claims(state, &claim, claims, &count);
    }
    return true;
}

/* The node behind the unions around it; NULL: none fits. */
static const surety__node *restore_branch(struct restore_state *state,
                                          const surety__node *node,
                                          surety_val val)
{
    for (unsigned i = 0; i < 64 && node && node->form == NODE_UNION; i++) {
        const surety__node *found = NULL;
        state->work = 0;
        for (uint32_t j = 0; j < node->branch_count && !found; j++)
            if (restore_fits(state, node->branches[j].node, val))
                found = node->branches[j].node;
        node = found;
    }
    return node && node->form == NODE_UNION ? NULL : node;
}

/* ---- tasks --------------------------------------------------------------- */

static void restore_push(struct restore_state *state, struct restore_task task)
{
    if (state->status == SURETY_OK)
        state->status = surety__grow(
            state->strict->alloc, (void **)&state->tasks, &state->cap,
            state->count + 1, sizeof(task), SIZE_MAX / sizeof(task));
    if (state->status == SURETY_OK)
        state->tasks[state->count++] = task;
}

static void restore_child(struct restore_state *state, surety_str name,
                          const surety__node *node, surety_val val)
{
    restore_push(state, (struct restore_task){RESTORE_VALUE, node, val, name,
                                              name.ptr != NULL});
}

static void restore_turn(struct restore_state *state)
{
    restore_push(state, (struct restore_task){.kind = RESTORE_CLOSE});
    if (state->status != SURETY_OK)
        return;
    for (size_t low = state->from, high = state->count; low + 1 < high; low++) {
        const struct restore_task task = state->tasks[low];
        state->tasks[low] = state->tasks[--high];
        state->tasks[high] = task;
    }
}

static void restore_members(struct restore_state *state,
                            const surety__node *others, surety_val list)
{
    for (surety_val item = surety_val_first(list); item.doc;
         item = surety_val_next(list, item)) {
        surety_str name = surety_val_str(surety_val_get(item, PAIR_KEY));
        if (!name.ptr)
            name.ptr = "";
        restore_child(state, name, others, surety_val_get(item, PAIR_VALUE));
    }
}

static void restore_object(struct restore_state *state,
                           const surety__node *node, surety_val val)
{
    surety_build_object(state->out);
    for (surety_val sub = surety_val_first(val); sub.doc;
         sub = surety_val_next(val, sub)) {
        surety_str name = surety_val_str(surety_val_key(sub));
        const surety__field *field = surety__node_field(node, name);
        if (!name.ptr)
            name.ptr = "";
        if (field && field->nulled && surety_val_kind(sub) == SURETY_KIND_NULL)
            continue;
        if (field)
            restore_child(state, field->name.ptr ? field->name : name,
                          field->link.node, sub);
        else if (node->others_how == OTHERS_BESIDE &&
                 surety_str_equal(name, node->beside) && restore_all_pairs(sub))
            restore_members(state, node->others.node, sub);
        else
            restore_child(state, name,
                          node->others_how == OTHERS_SCHEMA ? node->others.node
                                                            : NULL,
                          sub);
    }
    restore_turn(state);
}

/* An object of items is an array again; false: it does not look like one. */
static bool restore_tuple(struct restore_state *state, const surety__node *node,
                          surety_val val)
{
    const surety_val rest = node->beside.len
                                ? surety_val_member(val, node->beside)
                                : surety_val_none();
    uint32_t count = 0;

    for (surety_val sub = surety_val_first(val); sub.doc;
         sub = surety_val_next(val, sub)) {
        const surety_str name = surety_val_str(surety_val_key(sub));
        if (!surety__node_field(node, name) &&
            !(rest.doc && surety_str_equal(name, node->beside) &&
              surety_val_kind(rest) == SURETY_KIND_ARRAY))
            return false;
    }
    for (uint32_t i = 0; i < node->field_count; i++) {
        const surety_val sub = surety_val_member(val, node->fields[i].sent);
        if (sub.doc && !(node->fields[i].nulled &&
                         surety_val_kind(sub) == SURETY_KIND_NULL))
            count = i + 1;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!surety_val_member(val, node->fields[i].sent).doc)
            return false;
    if (surety_val_count(rest) && count < node->field_count)
        return false;
    surety_build_array(state->out);
    for (uint32_t i = 0; i < count; i++)
        restore_child(state, (surety_str){NULL, 0}, node->fields[i].link.node,
                      surety_val_member(val, node->fields[i].sent));
    for (surety_val item = surety_val_first(rest); item.doc;
         item = surety_val_next(rest, item))
        restore_child(state, (surety_str){NULL, 0}, node->items.node, item);
    restore_turn(state);
    return true;
}

static void restore_array(struct restore_state *state, const surety__node *node,
                          surety_val val)
{
    uint32_t index = 0;

    surety_build_array(state->out);
    for (surety_val item = surety_val_first(val); item.doc;
         item = surety_val_next(val, item), index++)
        restore_child(state, (surety_str){NULL, 0},
                      index < node->prefix_count ? node->prefix[index].node
                                                 : node->items.node,
                      item);
    restore_turn(state);
}

/* JSON in a string; where it is none, the string. */
static void restore_text(struct restore_state *state, surety_val val)
{
    surety_status status;

    if (surety_val_kind(val) != SURETY_KIND_STRING) {
        surety_build_val(state->out, val);
        return;
    }
    if (!state->scratch)
        state->scratch = surety_doc_new(state->strict->alloc);
    if (!state->scratch) {
        state->status = SURETY_NOMEM;
        return;
    }
    status = surety_doc_read(state->scratch, surety_val_str(val), NULL, NULL);
    if (status == SURETY_NOMEM)
        state->status = status;
    surety_build_val(state->out, status == SURETY_OK
                                     ? surety_doc_root(state->scratch)
                                     : val);
}

static void restore_value(struct restore_state *state, const surety__node *node,
                          surety_val val)
{
    const surety_kind kind = surety_val_kind(val);

    state->from = state->count;
    node = restore_branch(state, node, val);
    if (node && node->form == NODE_TEXT) {
        restore_text(state, val);
        return;
    }
    if (!node || node->form != NODE_VALUE || node->choice_count) {
        surety_build_val(state->out, val);
    } else if (kind == SURETY_KIND_OBJECT) {
        if (!node->tuple_object)
            restore_object(state, node, val);
        else if (!restore_tuple(state, node, val))
            surety_build_val(state->out, val);
    } else if (kind == SURETY_KIND_ARRAY && node->types & TYPE_OBJECT &&
               node->others_how == OTHERS_PAIRS && restore_all_pairs(val)) {
        surety_build_object(state->out);
        restore_members(state, node->others.node, val);
        restore_turn(state);
    } else if (kind == SURETY_KIND_ARRAY && node->types & TYPE_ARRAY) {
        restore_array(state, node, val);
    } else {
        surety_build_val(state->out, val);
    }
}

surety_status surety_strict_restore(const surety_strict *strict,
                                    surety_val delivered, surety_doc *out,
                                    surety_error *reterr)
{
    struct restore_state state = {.strict = strict, .out = out};
    const surety_val inner = surety_val_get(delivered, WRAP_NAME);
    surety_status status;

    if (!strict || !delivered.doc || !out || delivered.doc == out)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a strict schema, a value and another document "
                            "are needed");
    surety_build_begin(out, delivered.doc);
    if (strict->wrapped && inner.doc && surety_val_count(delivered) == 1)
        delivered = inner;
    restore_push(&state,
                 (struct restore_task){.node = strict->root, .val = delivered});
    if (strict->wrapped && delivered.doc == inner.doc &&
        delivered.index != inner.index && state.status == SURETY_OK)
        state.tasks[0].node = NULL;
    while (state.count && state.status == SURETY_OK) {
        const struct restore_task task = state.tasks[--state.count];
        if (task.kind == RESTORE_CLOSE) {
            surety_build_close(out);
            continue;
        }
        if (task.is_named)
            surety_build_key(out, task.name);
        if (task.node)
            restore_value(&state, task.node, task.val);
        else
            surety_build_val(out, task.val);
    }
    surety__free(strict->alloc, state.tasks, state.cap * sizeof(*state.tasks));
    surety_doc_free(state.scratch);
    status = surety_build_end(out, reterr);
    if (state.status == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    return state.status != SURETY_OK ? state.status : status;
}
