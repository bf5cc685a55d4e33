/* SPDX-License-Identifier: Apache-2.0 */
/* Finds defaults that would never end.
 *
 * A struct cannot express "absent" for a member with a default, so defaults
 * are filled in inside defaults too. If {} is the default of a member whose
 * type has that member again, there is no end. All defaults are followed once,
 * depth first. If a member is reached again while its default is followed, it
 * loses its default and becomes optional, as in the checked value. */
#include "gen/inside.h"

/* Steps before the remaining defaults are dropped. */
enum { FILL_WORK_MAX = 4000000 };

enum { FILL_NEW, FILL_OPEN, FILL_DONE };

/* A value in a default and its type; or, without a value, a member whose
 * default was followed. */
typedef struct fill_step {
    surety_val val;
    surety__gen_node *node;
    surety__gen_member *member;
} fill_step;

typedef struct fill_state {
    surety__gen_model *model;
    fill_step *steps;
    size_t count, cap;
    size_t left; /* steps left of FILL_WORK_MAX */
} fill_state;

static void fill_push(fill_state *state, fill_step step)
{
    surety_gen *gen = state->model->gen;

    if (gen->status == SURETY_OK)
        gen->status =
            surety__grow(gen->alloc, &state->steps, &state->cap,
                         state->count + 1, sizeof(*state->steps), SIZE_MAX);
    if (gen->status == SURETY_OK)
        state->steps[state->count++] = step;
}

static void fill_drop(fill_state *state, surety__gen_member *member,
                      const char *why)
{
    surety__gen_add_note(state->model, member->fill, NULL,
                         "it is not filled in; the member is optional in C",
                         "%s", why);
    member->fill = (surety_val){NULL, 0};
}

/* Follows a default that will be filled in. */
static void fill_meet(fill_state *state, surety__gen_member *member)
{
    const surety_kind kind = surety_val_kind(member->fill);

    if (kind != SURETY_KIND_OBJECT && kind != SURETY_KIND_ARRAY)
        return;
    if (member->filled == FILL_OPEN)
        fill_drop(state, member, "the default contains itself, without end");
    if (member->filled != FILL_NEW)
        return;
    member->filled = FILL_OPEN;
    fill_push(state, (fill_step){.member = member});
    fill_push(state, (fill_step){member->fill, member->node, NULL});
}

static bool fill_is_named(const surety__gen_node *node, surety_str name)
{
    for (uint32_t i = 0; i < node->member_count; i++)
        if (surety_str_equal(node->members[i].json, name))
            return true;
    return false;
}

static void fill_struct(fill_state *state, const surety__gen_node *node,
                        surety_val val)
{
    const size_t work = (surety_val_count(val) + 1) * (node->member_count + 1);

    state->left = state->left > work ? state->left - work : 0;
    for (uint32_t i = 0; i < node->member_count && state->left; i++) {
        surety__gen_member *member = &node->members[i];
        const surety_val v = surety_val_member(val, member->json);

        if (v.doc)
            fill_push(state, (fill_step){v, member->node, NULL});
        else
            fill_meet(state, member);
    }
    for (surety_val v = surety_val_first(val);
         node->rest && v.doc && state->left; v = surety_val_next(val, v))
        if (!fill_is_named(node, surety_val_str(surety_val_key(v))))
            fill_push(state, (fill_step){v, node->rest->rest, NULL});
}

static void fill_tuple(fill_state *state, const surety__gen_node *node,
                       surety_val val)
{
    surety_val v = surety_val_first(val);
    uint32_t i = 0;

    for (; v.doc && i < node->member_count; v = surety_val_next(val, v), i++)
        fill_push(state, (fill_step){v, node->members[i].node, NULL});
    for (; i < node->member_count; i++)
        fill_meet(state, &node->members[i]);
    for (; v.doc && node->rest; v = surety_val_next(val, v))
        fill_push(state, (fill_step){v, node->rest->rest, NULL});
}

/* Follows a value; for a union all branches of its kind. */
static void fill_follow(fill_state *state, surety__gen_node *node,
                        surety_val val)
{
    const bool object = surety_val_kind(val) == SURETY_KIND_OBJECT;
    const bool array = surety_val_kind(val) == SURETY_KIND_ARRAY;
    bool unused = false;

    node = surety__gen_target(node, &unused);
    if (node->form == SURETY_TYPED_STRUCT && object)
        fill_struct(state, node, val);
    else if (node->form == SURETY_TYPED_TUPLE && array)
        fill_tuple(state, node, val);
    else if (node->form == SURETY_TYPED_UNION ||
             node->form == SURETY_TYPED_WRAP)
        for (uint32_t i = 0; i < node->member_count; i++)
            fill_push(state, (fill_step){val, node->members[i].node, NULL});
    else if ((node->form == SURETY_TYPED_LIST && array) ||
             (node->form == SURETY_TYPED_MAP && object))
        SURETY_EACH (v, val)
            fill_push(state, (fill_step){v, node->rest, NULL});
}

static void fill_run(fill_state *state)
{
    while (state->count && state->model->gen->status == SURETY_OK) {
        const fill_step step = state->steps[--state->count];

        assert(step.member ? step.member->filled == FILL_OPEN
                           : step.node != NULL);
        if (state->left)
            state->left--;
        if (step.member) {
            step.member->filled = FILL_DONE;
            if (!state->left && step.member->fill.doc)
                fill_drop(state, step.member,
                          "there are too many defaults in defaults");
        } else if (state->left) {
            fill_follow(state, step.node, step.val);
        }
    }
}

void surety__gen_fill(surety__gen_model *model)
{
    fill_state state = {.model = model, .left = FILL_WORK_MAX};

    assert(model->gen->status == SURETY_OK);
    for (size_t i = 0; i < model->node_count; i++)
        for (uint32_t j = 0; j < model->nodes[i]->member_count; j++) {
            fill_meet(&state, &model->nodes[i]->members[j]);
            fill_run(&state);
        }
    surety__free(model->gen->alloc, state.steps,
                 state.cap * sizeof(*state.steps));
}
