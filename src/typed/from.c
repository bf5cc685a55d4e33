/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a checked value to C types.
 *
 * 1. One walk with an explicit stack: a task is a container and the memory for
 *    it. Scalars are written at once.
 * 2. One arena holds all memory. In front of the value that the caller gets are
 *    the arena and a document with the values that are kept as JSON. So one
 *    call frees everything.
 * 3. The tables are trusted, the value is not: a value that does not fit them
 *    is SURETY_SYNTAX with its path, never read as something else. */
#include "typed/inside.h"

#include <math.h>

typedef struct from_owner {
    surety__arena arena;
    surety_doc *values;
} from_owner;

/* FROM_HEAD: bytes in front of a value, a multiple of every alignment.
 * FROM_TIMES: structs and defaults may take this many times text_bytes_max; an
 * item of two bytes may need thousands. */
enum { FROM_HEAD = (sizeof(from_owner) + 15) / 16 * 16, FROM_TIMES = 16 };

typedef struct from_task {
    surety_val val;
    const surety_typed_type *type;
    char *at;
} from_task;

/* A default that was parsed, kept while tasks refer to it. */
typedef struct from_default {
    const char *fill;
    surety_doc *doc;
} from_default;

typedef struct from_state {
    const surety_typed *typed;
    const surety_alloc *alloc;
    surety__arena arena;
    size_t left;        /* bytes that structs and defaults may still take */
    surety_doc *values; /* one array of the values that are kept as JSON */
    from_task *tasks;
    size_t task_count, task_cap;
    from_default *defaults;
    size_t default_count, default_cap;
    uint32_t *seen; /* for each member of the current struct: its last turn */
    size_t seen_cap;
    uint32_t turn;
    surety__typed_chooser chooser;
    surety_error *reterr;
} from_state;

/* ---- failures ------------------------------------------------------------ */

static surety_status from_wrong(from_state *state, surety_val val,
                                const surety_typed_type *type, const char *want)
{
    (void)surety__policy_fail(val, state->reterr,
                              "%s must be %s, but this is %s", type->name, want,
                              surety_kind_name(surety_val_kind(val)));
    surety__hint(state->reterr, "check the value against the contract first");
    return SURETY_SYNTAX;
}

static surety_status from_beyond(from_state *state, surety_val val,
                                 const char *type)
{
    const surety_str number = surety_val_number(val);

    surety__fail(state->reterr, SURETY_LIMIT, "%.*s is beyond what %s holds",
                 (int)(number.len > 60 ? 60 : number.len), number.ptr, type);
    surety__hint(state->reterr,
                 "give the property a \"minimum\" and \"maximum\"");
    return surety__policy_at(val, state->reterr, SURETY_LIMIT);
}

/* Subtracts bytes that the text of the value does not account for. Fails with
 * SURETY_LIMIT. */
static surety_status from_count(from_state *state, size_t size)
{
    if (size > state->left)
        return surety__fail(state->reterr, SURETY_LIMIT,
                            "the C value takes more than %d times the limit "
                            "text_bytes_max",
                            FROM_TIMES);
    state->left -= size;
    return SURETY_OK;
}

/* Takes zeroed memory for structs, within the bound. */
static surety_status from_take(from_state *state, size_t size, void *ret_ptr)
{
    const surety_status status = from_count(state, size);
    void *ptr;

    if (status != SURETY_OK)
        return status;
    ptr = surety__arena_take(&state->arena, size);
    if (!ptr)
        return SURETY_NOMEM;
    memcpy(ret_ptr, &ptr, sizeof(ptr));
    return SURETY_OK;
}

/* ---- scalars ------------------------------------------------------------- */

static surety_status from_text(from_state *state, surety_str text, char *at)
{
    const surety_str copy = surety__arena_text(&state->arena, text);

    if (!copy.ptr)
        return SURETY_NOMEM;
    memcpy(at, &copy, sizeof(copy));
    return SURETY_OK;
}

/* Keeps a value as JSON: an item of the owner's document. The reference holds
 * the item's index, because the document still grows. */
static surety_status from_value(from_state *state, surety_val val, char *at)
{
    surety_val kept;

    if (!state->values) {
        state->values = surety_doc_new(state->alloc);
        if (!state->values)
            return SURETY_NOMEM;
        surety_build_begin(state->values, NULL);
        state->values->limits = state->chooser.contract->limits;
        state->values->limits.depth_max++; /* for the array around them */
        surety_build_array(state->values);
    }
    kept = (surety_val){state->values, (uint32_t)state->values->cell_count};
    surety_build_val(state->values, val);
    memcpy(at, &kept, sizeof(kept));
    return SURETY_OK;
}

static surety_status from_number(from_state *state, surety_val val,
                                 const surety_typed_type *type, char *at)
{
    const bool whole = surety_val_is_integer(val);
    const int64_t number = surety_val_int(val, 0);
    const uint64_t natural = surety_val_uint(val, 0);
    const double real = surety_val_real(val, 0);

    if (surety_val_kind(val) != SURETY_KIND_NUMBER)
        return from_wrong(state, val, type, "a number");
    if (!whole &&
        (type->form == SURETY_TYPED_INT || type->form == SURETY_TYPED_UINT))
        return from_wrong(state, val, type, "an integer");
    switch ((int)type->form) {
    case SURETY_TYPED_INT:
        if (number == 0 && surety_val_int(val, 1) != 0)
            return from_beyond(state, val, "an int64_t");
        memcpy(at, &number, sizeof(number));
        return SURETY_OK;
    case SURETY_TYPED_UINT:
        if (natural == 0 && surety_val_uint(val, 1) != 0)
            return from_beyond(state, val, "a uint64_t");
        memcpy(at, &natural, sizeof(natural));
        return SURETY_OK;
    case SURETY_TYPED_REAL:
        if (!isfinite(real))
            return from_beyond(state, val, "a double");
        memcpy(at, &real, sizeof(real));
        return SURETY_OK;
    default: return from_text(state, surety_val_number(val), at);
    }
}

static surety_status from_scalar(from_state *state, surety_val val,
                                 const surety_typed_type *type, char *at)
{
    const surety_kind kind = surety_val_kind(val);
    bool flag;
    size_t word;

    switch ((int)type->form) {
    case SURETY_TYPED_BOOL:
        if (kind != SURETY_KIND_BOOLEAN)
            return from_wrong(state, val, type, "a boolean");
        flag = surety_val_bool(val, false);
        memcpy(at, &flag, sizeof(flag));
        return SURETY_OK;
    case SURETY_TYPED_TEXT:
        if (kind != SURETY_KIND_STRING)
            return from_wrong(state, val, type, "a string");
        return from_text(state, surety_val_str(val), at);
    case SURETY_TYPED_ENUM:
        word = surety_typed_find(type->words, type->count, surety_val_str(val));
        if (kind != SURETY_KIND_STRING || word == type->count)
            return from_wrong(state, val, type, "one of its words");
        surety__typed_store(at, type->size, (uint32_t)word);
        return SURETY_OK;
    case SURETY_TYPED_VALUE: return from_value(state, val, at);
    default: return from_number(state, val, type, at);
    }
}

/* ---- members and elements ------------------------------------------------ */

static surety_status from_push(from_state *state, surety_val val,
                               const surety_typed_type *type, char *at)
{
    const surety_status status =
        surety__grow(state->alloc, &state->tasks, &state->task_cap,
                     state->task_count + 1, sizeof(*state->tasks), SIZE_MAX);

    if (status != SURETY_OK)
        return SURETY_NOMEM;
    state->tasks[state->task_count++] = (from_task){val, type, at};
    return SURETY_OK;
}

/* Values that go to a list or map: the children of an array or object. */
struct from_span {
    const surety_typed_type *type;  /* the list or map */
    size_t skip;                    /* children before them */
    const surety_typed_type *named; /* NULL, or a struct: its members are
                                     * left out */
    size_t count;
    char *at, *count_at; /* where the pointer and the count go */
};

static surety_status from_element(from_state *state, surety_val val,
                                  const surety_typed_type *type, char *at);

/* Writes the children of val that span describes. */
static surety_status from_children(from_state *state, surety_val val,
                                   const struct from_span *span)
{
    const surety_typed_type *type = span->type;
    const bool map = type->form == SURETY_TYPED_MAP;
    surety_status status = SURETY_OK;
    char *element = NULL;
    size_t skip = span->skip;

    assert(map || type->form == SURETY_TYPED_LIST);
    if (span->count)
        status = from_take(state,
                           span->count > SIZE_MAX / type->stride
                               ? SIZE_MAX
                               : span->count * type->stride,
                           &element);
    if (status != SURETY_OK)
        return status;
    memcpy(span->at, &element, sizeof(element));
    memcpy(span->count_at, &span->count, sizeof(span->count));
    for (surety_val v = surety_val_first(val); v.doc && status == SURETY_OK;
         v = surety_val_next(val, v)) {
        const surety_str name = surety_val_str(surety_val_key(v));

        if (skip) {
            skip--;
            continue;
        }
        if (span->named &&
            surety__typed_member(span->named, name, 0) < span->named->count)
            continue;
        if (map)
            status = from_text(state, name, element);
        if (status == SURETY_OK)
            status = from_element(state, v,
                                  surety__typed_type(state->typed, type->rest),
                                  element + (map ? type->offset : 0));
        element += type->stride;
    }
    return status;
}

static surety_status from_list(from_state *state, surety_val val,
                               const surety_typed_type *type, char *at,
                               char *count_at)
{
    const bool map = type->form == SURETY_TYPED_MAP;
    const struct from_span span = {.type = type,
                                   .count = surety_val_count(val),
                                   .at = at,
                                   .count_at = count_at};

    if (surety_val_kind(val) != (map ? SURETY_KIND_OBJECT : SURETY_KIND_ARRAY))
        return from_wrong(state, val, type, map ? "an object" : "an array");
    return from_children(state, val, &span);
}

/* Writes a value to memory of its own type: an item, a map's value, the
 * root. */
static surety_status from_element(from_state *state, surety_val val,
                                  const surety_typed_type *type, char *at)
{
    switch ((int)type->form) {
    case SURETY_TYPED_STRUCT:
    case SURETY_TYPED_TUPLE:
    case SURETY_TYPED_LIST:
    case SURETY_TYPED_MAP:
    case SURETY_TYPED_UNION:
    case SURETY_TYPED_WRAP: return from_push(state, val, type, at);
    default: return from_scalar(state, val, type, at);
    }
}

/* Returns the value of a default or of a fixed value. SURETY_NONE: out of
 * memory, or no JSON. */
static surety_val from_default_val(from_state *state, const char *fill)
{
    surety_doc *doc;

    for (size_t i = 0; i < state->default_count; i++)
        if (state->defaults[i].fill == fill)
            return surety_doc_root(state->defaults[i].doc);
    if (surety__grow(state->alloc, &state->defaults, &state->default_cap,
                     state->default_count + 1, sizeof(*state->defaults),
                     SIZE_MAX) != SURETY_OK)
        return surety_val_none();
    doc = surety_doc_new(state->alloc);
    if (!doc)
        return surety_val_none();
    state->defaults[state->default_count++] = (from_default){fill, doc};
    if (surety_doc_read(doc, surety_str_of(fill), NULL, NULL) != SURETY_OK)
        return surety_val_none();
    return surety_doc_root(doc);
}

/* Checks a value that C does not store because it is always the same. */
static surety_status from_fixed(from_state *state, surety_val val,
                                const surety_typed_member *member)
{
    const surety_str words =
        surety__typed_type(state->typed, member->type)->words[0];
    const surety_val fixed = from_default_val(state, words.ptr);

    if (!fixed.doc)
        return SURETY_NOMEM;
    if (surety_val_equal(val, fixed))
        return SURETY_OK;
    surety__fail(state->reterr, SURETY_SYNTAX, "\"%.*s\" is always %.*s",
                 (int)(member->name.len > 80 ? 80 : member->name.len),
                 member->name.ptr, (int)(words.len > 80 ? 80 : words.len),
                 words.ptr);
    surety__hint(state->reterr, "check the value against the contract first");
    return surety__policy_at(val, state->reterr, SURETY_SYNTAX);
}

/* Writes a member of the struct at `base`, or a branch of the union there. */
static surety_status from_member(from_state *state, surety_val val,
                                 const surety_typed_member *member, char *base)
{
    const surety_typed_type *type =
        surety__typed_type(state->typed, member->type);
    const bool yes = true;
    surety_status status;
    char *made = NULL;

    if (member->has < SURETY_TYPED_POINTER)
        memcpy(base + member->has, &yes, sizeof(yes));
    if (surety_val_kind(val) == SURETY_KIND_NULL &&
        member->null != SURETY_TYPED_NONE) {
        if (member->null != SURETY_TYPED_POINTER)
            memcpy(base + member->null, &yes, sizeof(yes));
        return SURETY_OK;
    }
    if (member->offset == SURETY_TYPED_NONE)
        return type->form == SURETY_TYPED_FIXED ? from_fixed(state, val, member)
                                                : SURETY_OK;
    if (type->form == SURETY_TYPED_LIST || type->form == SURETY_TYPED_MAP)
        return from_list(state, val, type, base + member->offset,
                         base + member->count);
    if (type->form != SURETY_TYPED_STRUCT && type->form != SURETY_TYPED_TUPLE)
        return from_element(state, val, type, base + member->offset);
    status = from_take(state, type->size, &made);
    if (status != SURETY_OK)
        return status;
    memcpy(base + member->offset, &made, sizeof(made));
    return from_push(state, val, type, made);
}

/* ---- containers ---------------------------------------------------------- */

/* Handles a member that val, an object or array, does not have: writes its
 * default, or fails if it is required. */
static surety_status from_absent(from_state *state, surety_val val,
                                 const surety_typed_type *type,
                                 const surety_typed_member *member, char *base)
{
    if (member->fill) {
        const surety_val fill = from_default_val(state, member->fill);
        const surety_status status =
            from_count(state, surety_doc_text(fill.doc).len);

        if (!fill.doc)
            return SURETY_NOMEM;
        return status == SURETY_OK ? from_member(state, fill, member, base)
                                   : status;
    }
    if (member->has != SURETY_TYPED_NONE)
        return SURETY_OK;
    return surety__policy_fail(
        val, state->reterr, "%s needs \"%.*s\"", type->name,
        (int)(member->name.len > 80 ? 80 : member->name.len), member->name.ptr);
}

/* Begins a new turn of `seen`, for a struct of count members. */
static surety_status from_turn(from_state *state, size_t count)
{
    const size_t before = state->seen_cap;

    if (count > before &&
        surety__grow(state->alloc, &state->seen, &state->seen_cap, count,
                     sizeof(*state->seen), SIZE_MAX) != SURETY_OK)
        return SURETY_NOMEM;
    if (state->seen_cap > before)
        memset(state->seen + before, 0,
               (state->seen_cap - before) * sizeof(*state->seen));
    if (++state->turn == 0) {
        memset(state->seen, 0, state->seen_cap * sizeof(*state->seen));
        state->turn = 1;
    }
    return SURETY_OK;
}

static surety_status from_struct(from_state *state, surety_val val,
                                 const surety_typed_type *type, char *base)
{
    surety_status status;
    size_t others = 0;
    uint32_t hint = 0;

    if (surety_val_kind(val) != SURETY_KIND_OBJECT)
        return from_wrong(state, val, type, "an object");
    status = from_turn(state, type->count);
    for (surety_val v = surety_val_first(val); v.doc && status == SURETY_OK;
         v = surety_val_next(val, v)) {
        const surety_str name = surety_val_str(surety_val_key(v));
        const uint32_t i = surety__typed_member(type, name, hint);

        hint = i + 1;
        if (i == type->count) {
            others++;
            continue;
        }
        state->seen[i] = state->turn;
        status = from_member(state, v, &type->members[i], base);
    }
    for (uint32_t i = 0; i < type->count && status == SURETY_OK; i++)
        if (state->seen[i] != state->turn)
            status = from_absent(state, val, type, &type->members[i], base);
    if (status == SURETY_OK && type->rest != SURETY_TYPED_NONE && others)
        status = from_children(
            state, val,
            &(struct from_span){
                .type = surety__typed_type(state->typed, type->rest),
                .named = type,
                .count = others,
                .at = base + type->offset,
                .count_at = base + type->count_offset});
    return status;
}

static surety_status from_tuple(from_state *state, surety_val val,
                                const surety_typed_type *type, char *base)
{
    surety_status status = SURETY_OK;
    surety_val v = surety_val_first(val);
    uint32_t i = 0;

    if (surety_val_kind(val) != SURETY_KIND_ARRAY)
        return from_wrong(state, val, type, "an array");
    for (; v.doc && i < type->count && status == SURETY_OK;
         v = surety_val_next(val, v), i++)
        status = from_member(state, v, &type->members[i], base);
    for (; i < type->count && status == SURETY_OK; i++)
        status = from_absent(state, val, type, &type->members[i], base);
    if (status == SURETY_OK && v.doc && type->rest != SURETY_TYPED_NONE)
        status = from_children(
            state, val,
            &(struct from_span){
                .type = surety__typed_type(state->typed, type->rest),
                .skip = type->count,
                .count = surety_val_count(val) - type->count,
                .at = base + type->offset,
                .count_at = base + type->count_offset});
    return status;
}

static surety_status from_union(from_state *state, surety_val val,
                                const surety_typed_type *type, char *base)
{
    uint32_t branch = type->count;
    surety_status status =
        surety__typed_choose(&state->chooser, type, val, &branch);

    if (status == SURETY_NOMEM)
        return status;
    if (status != SURETY_OK) {
        surety__fail(state->reterr, status,
                     "the branches of %s cannot be distinguished within the "
                     "limits",
                     type->name);
        return surety__policy_at(val, state->reterr, status);
    }
    assert(branch <= type->count);
    if (branch == type->count)
        return from_wrong(state, val, type, "one of its branches");
    surety__typed_store(base, type->stride, branch);
    return from_member(state, val, &type->members[branch], base);
}

static surety_status from_do(from_state *state, from_task task)
{
    const surety_typed_type *type = task.type;

    switch ((int)type->form) {
    case SURETY_TYPED_STRUCT:
        return from_struct(state, task.val, type, task.at);
    case SURETY_TYPED_TUPLE: return from_tuple(state, task.val, type, task.at);
    case SURETY_TYPED_UNION: return from_union(state, task.val, type, task.at);
    case SURETY_TYPED_WRAP:
        return from_member(state, task.val, type->members, task.at);
    default:
        return from_list(state, task.val, type,
                         task.at + offsetof(surety__typed_span, items),
                         task.at + offsetof(surety__typed_span, count));
    }
}

/* ---- entry points -------------------------------------------------------- */

static surety_status from_run(from_state *state, surety_val val,
                              const surety_typed_type *type, char **ret_head)
{
    char *head = surety__arena_take(&state->arena, FROM_HEAD + type->size);
    surety_status status;

    if (!head)
        return SURETY_NOMEM;
    status = from_push(state, val, type, head + FROM_HEAD);
    while (status == SURETY_OK && state->task_count)
        status = from_do(state, state->tasks[--state->task_count]);
    if (status == SURETY_OK && state->values) {
        surety_build_close(state->values);
        status = surety_build_end(state->values, state->reterr);
    }
    *ret_head = head;
    return status;
}

static void from_done(from_state *state, bool failed)
{
    for (size_t i = 0; i < state->default_count; i++)
        surety_doc_free(state->defaults[i].doc);
    surety__free(state->alloc, state->defaults,
                 state->default_cap * sizeof(*state->defaults));
    surety__free(state->alloc, state->tasks,
                 state->task_cap * sizeof(*state->tasks));
    surety__free(state->alloc, state->seen,
                 state->seen_cap * sizeof(*state->seen));
    surety__typed_chooser_done(&state->chooser);
    if (failed) {
        surety_doc_free(state->values);
        surety__arena_done(&state->arena);
    }
}

surety_status surety_typed_from(const surety_typed *typed,
                                const surety_contract *contract, surety_val val,
                                const void **ret_value, surety_error *reterr)
{
    from_state state = {.typed = typed, .reterr = reterr};
    from_owner owner;
    surety_status status;
    char *head = NULL;

    if (!typed || !contract || !val.doc || !ret_value)
        return surety__fail(reterr, SURETY_MISUSE,
                            "types, a contract, a value and an address for the "
                            "result are needed");
    state.alloc = contract->alloc;
    state.chooser = (surety__typed_chooser){
        .typed = typed, .contract = contract, .alloc = contract->alloc};
    state.left = contract->limits.text_bytes_max * FROM_TIMES;
    surety__arena_init(&state.arena, state.alloc, 0);
    status = from_run(&state, val, &typed->types[typed->root], &head);
    from_done(&state, status != SURETY_OK);
    if (status == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    if (status != SURETY_OK)
        return status;
    assert(state.task_count == 0);
    owner = (from_owner){state.arena, state.values};
    memcpy(head, &owner, sizeof(owner));
    *ret_value = head + FROM_HEAD;
    return SURETY_OK;
}

void surety_typed_free(const void *value)
{
    from_owner owner;

    if (!value)
        return;
    memcpy(&owner, (const char *)value - FROM_HEAD, sizeof(owner));
    surety_doc_free(owner.values);
    surety__arena_done(&owner.arena);
}
