/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a delivered value to one of the contract's. It walks the value and
 * the graph of nodes together, with a stack of tasks.
 *
 * Rules:
 * 1. fits.c has already found the branch of each union, from the complete
 *    value. If two branches give different values, none is taken: that is an
 *    error, and the model can be asked again.
 * 2. A value that is not in the requested form is kept unchanged, and the
 *    contract judges it. But if it has a name that only a rewritten value has,
 *    any conversion would be a guess: that is an error too. So is a key that
 *    occurs twice.
 * 3. Scalars are copied. Text inside a string is never parsed. */
#include "strict/node.h"

enum restore_kind { RESTORE_VALUE, RESTORE_CLOSE };

struct restore_task {
    enum restore_kind kind;
    const surety__node *node; /* NULL: copy the value */
    surety_val val;
    surety_str name; /* the key before the value; ptr NULL: none */
    bool is_named;
};

struct restore_state {
    const surety_strict *strict;
    surety_doc *out;
    surety__fits fits;
    struct restore_task *tasks;
    size_t count, cap, from;
    surety__map keys; /* of the current object, from a hash to their first
                       * task */
    bool keyed;       /* duplicate keys must be checked */
    surety_status status;
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
    surety_buf path;

    if (state->status != SURETY_OK)
        return;
    state->status = SURETY_SYNTAX;
    if (key.ptr)
        surety__fail(err, SURETY_SYNTAX, "the key \"%.*s\" %s",
                     (int)(key.len < 80 ? key.len : 80), key.ptr, message);
    else
        surety__fail(err, SURETY_SYNTAX, "%s", message);
    surety__hint(err, "%s", hint);
    if (!err)
        return;
    err->position = surety_val_position(at);
    surety_buf_init(&path, state->strict->alloc, 0);
    surety_val_pointer(at, &path);
    if (path.status != SURETY_OK)
        state->status = path.status;
    else if (path.len && path.len < sizeof(err->path)) {
        memcpy(err->path, path.ptr, path.len);
        err->path[path.len] = '\0';
    }
    surety_buf_done(&path);
}

static const surety_str restore_no_key = {NULL, 0};
static const char restore_shape_hint[] =
    "give it in the form that was asked for, an object of any members as a "
    "list of key and value";

/* Fails if a copied value contains a name that only rewritten values have. */
static void restore_look(struct restore_state *state, surety_val val)
{
    const surety__cell *end = surety__cell_after(surety__cell_of(val));

    for (const surety__cell *cell = surety__cell_of(val); cell < end; cell++) {
        surety_str key;
        if (cell->kind != CELL_KEY)
            continue;
        key = surety__cell_str(val.doc, cell);
        if (surety__map_get(&state->strict->marks,
                            surety__hash(key.ptr, key.len) + 1ull))
            restore_refuse(state, val, key,
                           "is there, but the value is not of the form that "
                           "was asked for",
                           restore_shape_hint);
    }
}

/* ---- open values --------------------------------------------------------- */

/* Records that something is written: nothing may follow an open value. */
static void restore_passes(struct restore_state *state, surety_val val)
{
    if (state->cut)
        restore_refuse(state, val, restore_no_key,
                       "what came of it cannot be cut where it ended", "");
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
        for (surety_val sub = surety_val_first(val); sub.doc;
             sub = surety_val_next(val, sub))
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
    surety_build_val(state->out, val);
    restore_ends(state, val);
}

static void restore_close(struct restore_state *state, surety_val val)
{
    surety_build_close(state->out);
    if (surety_val_is_open(val)) {
        state->taken++;
        state->cut = true;
    } else {
        restore_passes(state, val);
    }
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

static void restore_item(struct restore_state *state, const surety__node *node,
                         surety_val val)
{
    restore_push(state, (struct restore_task){.node = node, .val = val});
}

static void restore_member(struct restore_state *state, surety_str name,
                           const surety__node *node, surety_val val)
{
    const uint64_t key = surety__hash(name.ptr, name.len) + 1ull;
    const uintptr_t before = (uintptr_t)surety__map_get(&state->keys, key);

    if (!name.ptr)
        name.ptr = "";
    for (size_t i = before ? before - 1 : state->count;
         i < state->count && state->status == SURETY_OK; i++)
        if (state->tasks[i].is_named &&
            surety_str_equal(state->tasks[i].name, name))
            restore_refuse(state, val, name, "is given twice",
                           "give each key of an object once");
    if (state->keyed && !before && state->status == SURETY_OK &&
        !surety__map_put(&state->keys, state->strict->alloc, key,
                         (void *)(uintptr_t)(state->count + 1)))
        state->status = SURETY_NOMEM;
    restore_push(state,
                 (struct restore_task){RESTORE_VALUE, node, val, name, true});
}

/* Reverses a container's tasks, so that the first is on top. */
static void restore_turn(struct restore_state *state, surety_val val)
{
    restore_push(state,
                 (struct restore_task){.kind = RESTORE_CLOSE, .val = val});
    if (state->status != SURETY_OK)
        return;
    for (size_t low = state->from, high = state->count; low + 1 < high; low++) {
        const struct restore_task task = state->tasks[low];
        state->tasks[low] = state->tasks[--high];
        state->tasks[high] = task;
    }
}

/* ---- containers ---------------------------------------------------------- */

static void restore_pairs(struct restore_state *state, const surety__node *node,
                          surety_val list)
{
    if (!surety__fits_is_pairs(&state->fits, list)) {
        restore_refuse(state, list, restore_no_key,
                       "this is no list of key and value", restore_shape_hint);
        return;
    }
    for (surety_val item = surety_val_first(list); item.doc;
         item = surety_val_next(list, item)) {
        const surety_val key = surety_val_get(item, PAIR_KEY);
        const surety_val val = surety_val_get(item, PAIR_VALUE);
        /* The key of the last pair may not have arrived yet. */
        if (key.doc && val.doc && !surety_val_is_open(key))
            restore_member(state, surety_val_str(key), node->object.others.node,
                           val);
    }
}

static void restore_object(struct restore_state *state,
                           const surety__node *node, surety_val val)
{
    bool listed;

    /* A document has no key twice: only a renamed member or one from a list
     * can repeat another. */
    state->keyed = node->object.others_how == OTHERS_BESIDE ||
                   state->strict->subset->name_max != 0;
    listed = node->object.others_how == OTHERS_BESIDE &&
             surety_val_member(val, node->object.beside).doc;
    restore_passes(state, val);
    surety_build_object(state->out);
    for (surety_val sub = surety_val_first(val); sub.doc;
         sub = surety_val_next(val, sub)) {
        const surety_str name = surety_val_str(surety_val_key(sub));
        const surety__field *field = surety__object_field(&node->object, name);
        if (field && surety__field_absent(field, sub))
            continue;
        if (field)
            restore_member(state, field->name, field->link.node, sub);
        else if (node->object.others_how == OTHERS_BESIDE &&
                 surety_str_equal(name, node->object.beside))
            restore_pairs(state, node, sub);
        else if (listed)
            restore_refuse(state, val, node->object.beside,
                           "is there, but the value is not of the form that "
                           "was asked for",
                           restore_shape_hint);
        else
            restore_member(state, name, node->object.others.node, sub);
    }
    restore_turn(state, val);
    surety__map_done(&state->keys, state->strict->alloc);
    state->keys = (surety__map){NULL, 0, 0};
}

/* Converts an object of items to an array. False: an item is missing before
 * another. */
static bool restore_tuple(struct restore_state *state, const surety__node *node,
                          surety_val val)
{
    const surety_val rest = node->object.beside.len
                                ? surety_val_member(val, node->object.beside)
                                : surety_val_none();
    uint32_t count = 0;

    for (uint32_t i = 0; i < node->object.field_count; i++) {
        const surety_val sub =
            surety_val_member(val, node->object.fields[i].sent);
        if (!sub.doc || surety__item_absent(node, i, count, sub))
            continue;
        if (count++ != i)
            return false;
    }
    if (surety_val_count(rest) && count < node->object.field_count)
        return false;
    restore_passes(state, val);
    surety_build_array(state->out);
    for (uint32_t i = 0; i < count; i++)
        restore_item(state, node->object.fields[i].link.node,
                     surety_val_member(val, node->object.fields[i].sent));
    for (surety_val item = surety_val_first(rest); item.doc;
         item = surety_val_next(rest, item))
        restore_item(state, node->array.items.node, item);
    restore_turn(state, val);
    return true;
}

static void restore_array(struct restore_state *state, const surety__node *node,
                          surety_val val)
{
    uint32_t index = 0;

    restore_passes(state, val);
    surety_build_array(state->out);
    for (surety_val item = surety_val_first(val); item.doc;
         item = surety_val_next(val, item), index++)
        restore_item(state,
                     index < node->array.prefix_count
                         ? node->array.prefix[index].node
                         : node->array.items.node,
                     item);
    restore_turn(state, val);
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

static void restore_value(struct restore_state *state, const surety__node *node,
                          surety_val val)
{
    const surety_kind kind = surety_val_kind(val);
    const bool changes = node->changes;

    state->from = state->count;
    if (changes)
        node = restore_branch(state, node, val);
    if (state->status != SURETY_OK)
        return;
    if (node && node->changes && node->form == NODE_VALUE &&
        !node->choice_count) {
        if (kind == SURETY_KIND_OBJECT && node->array.as_object) {
            if (surety__fits_looks(&state->fits, node, val) &&
                restore_tuple(state, node, val))
                return;
        } else if (kind == SURETY_KIND_OBJECT && node->types & TYPE_OBJECT) {
            restore_object(state, node, val);
            return;
        } else if (kind == SURETY_KIND_ARRAY && node->types & TYPE_ARRAY &&
                   !node->array.as_object) {
            restore_array(state, node, val);
            return;
        }
        node = NULL;
    }
    if (changes && !node)
        restore_look(state, val);
    restore_copy(state, val);
}

static void restore_task(struct restore_state *state,
                         const struct restore_task *task)
{
    if (task->kind == RESTORE_CLOSE) {
        restore_close(state, task->val);
        return;
    }
    if (task->is_named)
        surety_build_key(state->out, task->name);
    if (task->node) {
        restore_value(state, task->node, task->val);
        return;
    }
    if (surety_strict_info_of(state->strict)->changes_values)
        restore_look(state, task->val);
    restore_copy(state, task->val);
}

/* ---- the complete value -------------------------------------------------- */

/* Replaces the root by the value it wraps; false: the wrapper has other
 * members. */
static bool restore_unwrap(struct restore_state *state, surety_val *val)
{
    const surety_val inner = surety_val_member(*val, state->strict->wrap);

    if (!state->strict->wrapped || !inner.doc)
        return true;
    if (surety_val_count(*val) != 1) {
        restore_refuse(state, *val, state->strict->wrap,
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

    if (!surety_strict_info_of(state->strict)->changes_values ||
        surety_doc_duplicate(delivered.doc, 0, &position, &key) != SURETY_OK)
        return;
    restore_refuse(state, delivered, key, "is given twice",
                   "give each key of an object once");
    if (state->reterr)
        state->reterr->position = position;
}

static surety_status restore_all(struct restore_state *state,
                                 surety_val delivered, surety_error *reterr)
{
    const surety_strict *strict = state->strict;
    surety_status status;

    surety_build_begin(state->out, delivered.doc);
    restore_keys(state, delivered);
    if (state->status == SURETY_OK && restore_unwrap(state, &delivered)) {
        if (strict->root->changes)
            surety__fits_find(&state->fits, strict->root, delivered);
        state->status = state->fits.status;
        restore_item(state, strict->root, delivered);
    }
    while (state->count && state->status == SURETY_OK) {
        const struct restore_task task = state->tasks[--state->count];
        restore_task(state, &task);
    }
    surety__free(strict->alloc, state->tasks,
                 state->cap * sizeof(*state->tasks));
    surety__map_done(&state->keys, strict->alloc);
    surety__fits_done(&state->fits);
    if (state->status == SURETY_SYNTAX) {
        (void)surety_build_end(state->out, NULL);
        return SURETY_SYNTAX;
    }
    status = surety_build_end(state->out, reterr);
    if (state->status == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    if (state->status == SURETY_LIMIT)
        return surety__fail(reterr, SURETY_LIMIT,
                            "the value can be read in more than %d ways",
                            (int)FITS_MAX);
    return status;
}

surety_status surety_strict_restore(const surety_strict *strict,
                                    surety_val delivered, surety_doc *out,
                                    surety_error *reterr)
{
    struct restore_state state = {.strict = strict,
                                  .out = out,
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
    const surety_lenient_options options = {
        .size = sizeof(options), .limits = limits, .cut = true};
    struct restore_state state = {.strict = strict,
                                  .fits = {.strict = strict, .open = true},
                                  .reterr = reterr};
    surety_doc *doc;
    size_t end = 0;
    surety_status status;

    if (!strict || !out || (text.len && !text.ptr))
        return surety__fail(reterr, SURETY_MISUSE,
                            "a strict schema, a text and a buffer are needed");
    doc = surety_doc_new(strict->alloc);
    state.out = surety_doc_new(strict->alloc);
    status = doc && state.out
                 ? surety_doc_read_lenient(doc, text, &options, &end, reterr)
                 : surety__fail_nomem(reterr);
    if (status == SURETY_OK || status == SURETY_END)
        status = restore_all(&state, surety_doc_root(doc), reterr);
    if (status == SURETY_OK) {
        const size_t start = out->len;
        (void)surety_val_write(surety_doc_root(state.out), SURETY_STYLE_COMPACT,
                               out);
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
    surety_doc_free(state.out);
    return status;
}
