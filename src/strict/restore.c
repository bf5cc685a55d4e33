/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a delivered value to one of the contract's. It walks the value and
 * the graph of nodes together, with a stack of tasks.
 *
 * Rules:
 * 1. fits.c has already found the branch of each union, from the complete
 *    value. If two branches give different values, none is taken: that is an
 *    error, and a retry can ask the model again.
 * 2. A value that is not in the requested form is copied unchanged, and the
 *    contract judges it. But if it has a name that only a rewritten value has,
 *    any conversion would be a guess: that is an error too. So is a key that
 *    occurs twice.
 * 3. Scalars are copied. Text inside a string is never parsed. */
#include "strict/plan.h"

enum { STEP_END = STEP_OWN }; /* closes what was restored of val */

struct restore_state {
    surety__plan plan;
    surety__fits fits;
    surety__map keys; /* of the current object, from a hash to their first
                       * step */
    bool keyed;       /* duplicate keys must be checked */
    surety_error *reterr;
    /* For a partial value: the last value written, and how many closing
     * brackets at the end were added for open values. */
    surety_val last;
    size_t taken;
    bool cut; /* an open value was copied: only brackets may follow */
};

/* ---- errors -------------------------------------------------------------- */

/* Fails. If there is a key, the message begins with it. */
static void restore_refuse(struct restore_state *state, surety_val at,
                           surety_str key, const char *message,
                           const char *hint)
{
    surety_error *err = state->reterr;

    if (state->plan.status != SURETY_OK)
        return;
    state->plan.status = SURETY_SYNTAX;
    if (key.ptr)
        surety__fail(err, SURETY_SYNTAX, "the key \"%.*s\" %s",
                     (int)(key.len < 80 ? key.len : 80), key.ptr, message);
    else
        surety__fail(err, SURETY_SYNTAX, "%s", message);
    surety__hint(err, "%s", hint);
    (void)surety__policy_at(at, err, SURETY_SYNTAX);
}

static const surety_str restore_no_key = {NULL, 0};
static const char restore_shape_hint[] =
    "give it in the requested form, an object of any members as a list of key "
    "and value";

/* Fails if a copied value contains a name that only rewritten values have. */
static void restore_look(struct restore_state *state, surety_val val)
{
    const surety__cell *end = surety__cell_after(surety__cell_of(val));

    for (const surety__cell *cell = surety__cell_of(val); cell < end; cell++) {
        surety_str key;
        if (cell->kind != CELL_KEY)
            continue;
        key = surety__cell_str(val.doc, cell);
        if (surety__map_get(&state->plan.strict->marks,
                            surety__hash(key.ptr, key.len) + 1ull))
            restore_refuse(
                state, val, key,
                "is there, but the value does not have the requested form",
                restore_shape_hint);
    }
}

/* ---- open values --------------------------------------------------------- */

/* Records that something is written: nothing may follow an open value. */
static void restore_passes(struct restore_state *state, surety_val val)
{
    if (state->cut)
        restore_refuse(state, val, restore_no_key,
                       "the restored value cannot be cut where this one ends",
                       "");
    state->last = val;
    state->taken = 0;
}

/* Records the end of a copied value, with the brackets that close open values
 * in it. */
static void restore_ends(struct restore_state *state, surety_val val)
{
    state->cut = surety_val_is_open(val);
    while (surety_val_is_open(val) &&
           surety_val_kind(val) >= SURETY_KIND_ARRAY) {
        surety_val last = surety_val_none();
        SURETY_EACH (sub, val)
            last = sub;
        state->taken++;
        val = last;
    }
    state->last = val;
    state->taken +=
        surety_val_is_open(val) && surety_val_kind(val) == SURETY_KIND_STRING;
}

static void restore_copy(struct restore_state *state, surety_val val)
{
    restore_passes(state, val);
    surety_build_val(state->plan.out, val);
    restore_ends(state, val);
}

static void restore_close(struct restore_state *state, surety_val val)
{
    surety_build_close(state->plan.out);
    if (surety_val_is_open(val)) {
        state->taken++;
        state->cut = true;
    } else {
        restore_passes(state, val);
    }
}

/* ---- containers ---------------------------------------------------------- */

static void restore_member(struct restore_state *state,
                           const surety__child *child)
{
    surety__plan *plan = &state->plan;
    const uint64_t key = surety__hash(child->name.ptr, child->name.len) + 1ull;
    const uintptr_t before = (uintptr_t)surety__map_get(&state->keys, key);

    for (size_t i = before ? before - 1 : plan->count;
         i < plan->count && plan->status == SURETY_OK; i++)
        if (surety_str_equal(plan->steps[i].key, child->name))
            restore_refuse(state, child->val, child->name, "is given twice",
                           "give each key of an object once");
    if (state->keyed && !before && plan->status == SURETY_OK &&
        !surety__map_put(&state->keys, plan->out->alloc, key,
                         (void *)(uintptr_t)(plan->count + 1)))
        plan->status = SURETY_NOMEM;
    surety__plan_member(
        plan, child->name,
        (surety__plan_step){.node = child->node, .val = child->val});
}

/* Fails if the list of key and value is not one, or if there is another member
 * beside it. */
static void restore_other(struct restore_state *state,
                          const surety__children *of,
                          const surety__child *child)
{
    if (child->val.index == of->list.index)
        restore_refuse(state, of->list, restore_no_key,
                       "this is not a list of key and value",
                       restore_shape_hint);
    else
        restore_refuse(
            state, of->val, of->node->object.beside,
            "is there, but the value does not have the requested form",
            restore_shape_hint);
}

/* Restores a container. False: an item of a tuple is missing before another. */
static bool restore_container(struct restore_state *state,
                              const surety__node *node, surety_val val)
{
    const bool array =
        node->array.as_object || surety_val_kind(val) == SURETY_KIND_ARRAY;
    surety__children of = surety__children_of(&state->fits, node, val);
    surety__plan *plan = &state->plan;
    surety__child child;

    assert(plan->from == plan->count && !node->choice_count);
    /* A document has no key twice: only a renamed member or one from a list
     * can repeat another. */
    state->keyed = node->object.others_how == OTHERS_BESIDE ||
                   plan->strict->subset->name_max != 0;
    restore_passes(state, val);
    while (plan->status == SURETY_OK && surety__children_next(&of, &child))
        if (array)
            surety__plan_add(plan, (surety__plan_step){.node = child.node,
                                                       .val = child.val});
        else if (child.role == CHILD_OTHER && of.list.doc)
            restore_other(state, &of, &child);
        /* The key of the last pair may not have arrived yet. */
        else if (child.role != CHILD_PAIR ||
                 (child.key.doc && !surety_val_is_open(child.key)))
            restore_member(state, &child);
    surety__map_done(&state->keys, plan->out->alloc);
    state->keys = (surety__map){NULL, 0, 0};
    if (of.has_gap) {
        plan->count = plan->from;
        return false;
    }
    if (array)
        surety_build_array(plan->out);
    else
        surety_build_object(plan->out);
    surety__plan_add(plan, (surety__plan_step){.kind = STEP_END, .val = val});
    return true;
}

/* ---- values -------------------------------------------------------------- */

/* The branch that a value belongs to, which is not a union itself; NULL: none,
 * or an error. */
static const surety__node *restore_branch(struct restore_state *state,
                                          const surety__node *node,
                                          surety_val val)
{
    for (unsigned i = 0; node && node->form == NODE_UNION; i++) {
        const surety__fit *fit = surety__fits_of(&state->fits, node, val);
        const surety__node *only = NULL;
        size_t looks = 0;

        if (i == 64)
            return NULL;
        if (fit && fit->many) {
            restore_refuse(state, val, restore_no_key,
                           "this can be read in more than one way",
                           "give members that only one of the alternatives "
                           "has");
            return NULL;
        }
        if (fit && fit->fits) {
            node = fit->how;
            continue;
        }
        for (uint32_t j = 0; j < node->branch_count; j++)
            if (surety__fits_looks(&state->fits, node->branches[j].node, val)) {
                only = node->branches[j].node;
                looks++;
            }
        node = looks == 1 ? only : NULL;
    }
    return node;
}

/* Whether a value has the form of a node. */
static bool restore_takes(struct restore_state *state, const surety__node *node,
                          surety_val val)
{
    const surety_kind kind = surety_val_kind(val);

    if (node->array.as_object)
        return kind == SURETY_KIND_OBJECT &&
               surety__fits_looks(&state->fits, node, val);
    return (kind == SURETY_KIND_OBJECT && node->types & TYPE_OBJECT) ||
           (kind == SURETY_KIND_ARRAY && node->types & TYPE_ARRAY);
}

static void restore_value(struct restore_state *state, const surety__node *node,
                          surety_val val)
{
    const surety__node *branch =
        node->changes ? restore_branch(state, node, val) : node;
    const bool walks = branch && branch->changes &&
                       branch->form == NODE_VALUE && !branch->choice_count;

    if (state->plan.status != SURETY_OK ||
        (walks && restore_takes(state, branch, val) &&
         restore_container(state, branch, val)))
        return;
    if (!branch || walks)
        restore_look(state, val);
    restore_copy(state, val);
}

static void restore_step(struct restore_state *state,
                         const surety__plan_step *step)
{
    if (step->kind == STEP_END) {
        restore_close(state, step->val);
    } else if (step->node) {
        restore_value(state, step->node, step->val);
    } else {
        if (surety_strict_info_of(state->plan.strict)->changes_values)
            restore_look(state, step->val);
        restore_copy(state, step->val);
    }
}

/* ---- the complete value -------------------------------------------------- */

/* Replaces the root by the value it wraps; false: the wrapper has other
 * members. */
static bool restore_unwrap(struct restore_state *state, surety_val *val)
{
    const surety_val inner = surety_val_member(*val, state->plan.strict->wrap);

    if (!state->plan.strict->wrapped || !inner.doc)
        return true;
    if (surety_val_count(*val) != 1) {
        restore_refuse(state, *val, state->plan.strict->wrap,
                       "is there, and other members beside it",
                       "give an object with that one member");
        return false;
    }
    *val = inner;
    return true;
}

/* Fails if a key of the delivered text was replaced by a later one in the same
 * object. */
static void restore_keys(struct restore_state *state, surety_val delivered)
{
    surety_position position;
    surety_str key;

    if (!surety_strict_info_of(state->plan.strict)->changes_values ||
        surety_doc_duplicate(delivered.doc, 0, &key, &position, NULL) !=
            SURETY_OK)
        return;
    restore_refuse(state, delivered, key, "is given twice",
                   "give each key of an object once");
    if (state->reterr)
        state->reterr->position = position;
}

static surety_status restore_all(struct restore_state *state,
                                 surety_val delivered, surety_error *reterr)
{
    const surety_strict *strict = state->plan.strict;
    surety__plan_step step;
    surety_status status;

    state->fits.alloc = state->plan.out->alloc;
    surety_build_begin(state->plan.out, delivered.doc);
    restore_keys(state, delivered);
    if (state->plan.status == SURETY_OK && restore_unwrap(state, &delivered)) {
        if (strict->root->changes)
            surety__fits_find(&state->fits, strict->root, delivered);
        state->plan.status = state->fits.status;
        surety__plan_add(&state->plan, (surety__plan_step){.node = strict->root,
                                                           .val = delivered});
    }
    while (surety__plan_next(&state->plan, &step))
        restore_step(state, &step);
    surety__plan_done(&state->plan);
    surety__map_done(&state->keys, state->plan.out->alloc);
    surety__fits_done(&state->fits);
    if (state->plan.status == SURETY_SYNTAX) {
        (void)surety_build_end(state->plan.out, NULL);
        return SURETY_SYNTAX;
    }
    status = surety_build_end(state->plan.out, reterr);
    if (state->plan.status == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    if (state->plan.status == SURETY_LIMIT)
        return surety__fail(reterr, SURETY_LIMIT,
                            "the value can be read in more than %d ways",
                            (int)FITS_MAX);
    return status;
}

surety_status surety_strict_restore(const surety_strict *strict,
                                    surety_val delivered, surety_doc *out,
                                    surety_error *reterr)
{
    struct restore_state state = {.plan = {.strict = strict, .out = out},
                                  .fits = {.strict = strict},
                                  .reterr = reterr};

    if (!strict || !delivered.doc || !out || delivered.doc == out)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a strict schema, a value and another document "
                            "are needed");
    return restore_all(&state, delivered, reterr);
}

surety_status surety_strict_restore_part(const surety_strict *strict,
                                         surety_str text,
                                         const surety_limits *limits,
                                         surety_buf *out, surety_error *reterr)
{
    const surety__lenient_options options = {.limits = limits, .cut = true};
    struct restore_state state = {.plan = {.strict = strict},
                                  .fits = {.strict = strict, .open = true},
                                  .reterr = reterr};
    surety_doc *doc;
    size_t end = 0;
    surety_status status;

    if (!strict || !out || (text.len && !text.ptr))
        return surety__fail(reterr, SURETY_MISUSE,
                            "a strict schema, a text and a buffer are needed");
    doc = surety_doc_new(out->alloc);
    state.plan.out = surety_doc_new(out->alloc);
    status = doc && state.plan.out
                 ? surety__doc_read_lenient(doc, text, &options, &end, reterr)
                 : surety__fail_nomem(reterr);
    if (status == SURETY_OK || status == SURETY_END)
        status = restore_all(&state, surety_doc_root(doc), reterr);
    if (status == SURETY_OK) {
        const size_t start = out->len;
        assert(state.plan.count == 0);
        (void)surety_val_write(surety_doc_root(state.plan.out),
                               SURETY_STYLE_COMPACT, out);
        if (out->status == SURETY_OK && out->len - start >= state.taken)
            out->len -= state.taken;
        /* A value that is complete must not look as if it went on. */
        if (state.taken && out->len > start && state.last.doc &&
            !surety_val_is_open(state.last) &&
            !memchr("{[", out->ptr[out->len - 1], 2))
            surety_buf_byte(out, ',');
        status = out->status;
    }
    surety_doc_free(doc);
    surety_doc_free(state.plan.out);
    return status;
}
