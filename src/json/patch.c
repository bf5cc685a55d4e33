/* SPDX-License-Identifier: Apache-2.0 */
/* JSON Patch (RFC 6902): applies a list of operations to a value, all or none.
 *
 * A document never changes in place. Each operation is one walk that copies the
 * value, except at the location that the operation names: down along the path
 * to it with the values before the path, then up again with the values after
 * it. Three docs take turns, because a move needs the value from before its
 * removal. The result goes to the caller's doc at the very end, so a failure
 * leaves that doc as it was.
 *
 * 1. A pointer to nothing, a failed test and an invalid operation end the
 *    patch; the error has the number of the operation (RFC 6902, section 5).
 * 2. Members of an operation that the RFC does not define are ignored (section
 *    4).
 * 3. The work is the number of operations times the value's size, because each
 *    operation copies. So both have a bound, and so has their product. */
#include "json/json.h"

enum {
    PATCH_OPERATIONS_MAX = 10000,
    PATCH_WORK_MAX = 1 << 27, /* values copied */
    PATCH_BYTES_MAX = 1 << 25 /* of texts; copies can double them */
};

/* The change at the end of the path. */
typedef enum patch_edit {
    PATCH_REPLACE, /* replaces the value there */
    PATCH_INSERT,  /* inserts before the item there */
    PATCH_APPEND,  /* appends to the container at the end of the path */
    PATCH_REMOVE
} patch_edit;

typedef struct patch_state {
    const surety_alloc *alloc;
    surety_doc *docs[3];
    unsigned turn;   /* docs[turn] is written next */
    surety_val root; /* the value as it is now */
    surety_val *path;
    size_t path_len, path_cap;
    size_t number; /* index of the operation */
    size_t work;
    const char *op;
    surety_error *reterr;
} patch_state;

/* Fails the current operation. */
static surety_status patch_fail(patch_state *state, surety_status status,
                                const char *why, surety_str pointer)
{
    surety_buf path;

    surety__fail(state->reterr, status, "operation %zu (%s): %s \"%.*s\"",
                 state->number + 1, state->op, why, (int)pointer.len,
                 pointer.len ? pointer.ptr : "");
    if (!state->reterr)
        return status;
    path = (surety_buf){.ptr = state->reterr->path,
                        .cap = sizeof(state->reterr->path),
                        .max = sizeof(state->reterr->path)};
    surety__buf_printf(&path, "/%zu", state->number);
    path.ptr[path.len] = '\0';
    return status;
}

static surety_status patch_push(patch_state *state, surety_val val)
{
    if (surety__grow(state->alloc, &state->path, &state->path_cap,
                     state->path_len + 1, sizeof(*state->path),
                     SIZE_MAX / sizeof(*state->path)) != SURETY_OK)
        return surety__fail_nomem(state->reterr);
    state->path[state->path_len++] = val;
    return SURETY_OK;
}

/* Removes the first reference token from a pointer that is not empty. Returns
 * the token, with its "/". */
static surety_str patch_token(surety_str *pointer)
{
    surety_str token = {pointer->ptr, 1};

    while (token.len < pointer->len && token.ptr[token.len] != '/')
        token.len++;
    pointer->ptr += token.len;
    pointer->len -= token.len;
    return token;
}

/* Follows pointer from the root and keeps every value on the path. With
 * ret_rest the last token may name nothing: then it goes to *ret_rest, which
 * else becomes empty. SURETY_SYNTAX: the pointer leads to nothing;
 * SURETY_NOMEM. */
static surety_status patch_follow(patch_state *state, surety_str pointer,
                                  surety_str *ret_rest)
{
    const surety_str whole = pointer;
    surety_val val = state->root;
    surety_status status;

    state->path_len = 0;
    if (ret_rest)
        *ret_rest = (surety_str){NULL, 0};
    if (pointer.len && pointer.ptr[0] != '/')
        return patch_fail(state, SURETY_SYNTAX, "no JSON Pointer:", whole);
    status = patch_push(state, val);
    while (status == SURETY_OK && pointer.len) {
        const surety_str token = patch_token(&pointer);

        val = surety_val_at(val, token);
        if (!val.doc && ret_rest && !pointer.len) {
            *ret_rest = token;
            return SURETY_OK;
        }
        if (!val.doc)
            return patch_fail(state, SURETY_SYNTAX, "nothing is at", whole);
        status = patch_push(state, val);
    }
    return status;
}

/* Opens a container of the same kind in the new value. */
static void patch_open(surety_doc *doc, surety_val container)
{
    if (surety_val_kind(container) == SURETY_KIND_OBJECT)
        surety_build_object(doc);
    else
        surety_build_array(doc);
}

static void patch_copy(surety_doc *doc, surety_val container, surety_val child)
{
    if (surety_val_kind(container) == SURETY_KIND_OBJECT)
        surety_build_key_of(doc, surety_val_key(child));
    surety_build_val(doc, child);
}

/* Adds a member's name as a key, with "~0" and "~1" decoded. token begins with
 * "/". */
static surety_status patch_key(patch_state *state, surety_doc *doc,
                               surety_str token)
{
    surety_status status;
    surety_buf key;

    surety_buf_init(&key, state->alloc, 0);
    for (size_t i = 1; i < token.len; i++) {
        char byte = token.ptr[i];

        if (byte == '~') {
            i++;
            byte = '\0';
            if (i < token.len && (token.ptr[i] == '0' || token.ptr[i] == '1'))
                byte = token.ptr[i] == '0' ? '~' : '/';
            if (!byte) {
                surety_buf_done(&key);
                return patch_fail(state, SURETY_SYNTAX,
                                  "a stray ~ in the pointer", token);
            }
        }
        surety_buf_byte(&key, byte);
    }
    surety_build_key(doc, surety_buf_str(&key));
    status = key.status;
    surety_buf_done(&key);
    return status == SURETY_OK ? status : surety__fail_nomem(state->reterr);
}

/* Makes the change at the end of the path. ends: the value there; around: its
 * container. */
static surety_status patch_apply_edit(patch_state *state, surety_doc *doc,
                                      patch_edit edit, surety_val value,
                                      surety_str rest)
{
    const size_t depth = state->path_len;
    const surety_val ends = state->path[depth - 1];
    const surety_val around = depth > 1 ? state->path[depth - 2] : ends;
    const bool member =
        depth > 1 && surety_val_kind(around) == SURETY_KIND_OBJECT;
    surety_status status = SURETY_OK;

    if (edit == PATCH_APPEND) {
        if (member)
            surety_build_key_of(doc, surety_val_key(ends));
        patch_open(doc, ends);
        SURETY_EACH (v, ends)
            patch_copy(doc, ends, v);
        if (surety_val_kind(ends) == SURETY_KIND_OBJECT)
            status = patch_key(state, doc, rest);
        surety_build_val(doc, value);
        surety_build_close(doc);
    } else if (edit != PATCH_REMOVE) {
        if (member)
            surety_build_key_of(doc, surety_val_key(ends));
        surety_build_val(doc, value);
        if (edit == PATCH_INSERT)
            surety_build_val(doc, ends);
    }
    return status;
}

/* Copies the value with one change at the end of the path. */
static surety_status patch_rebuild(patch_state *state, patch_edit edit,
                                   surety_val value, surety_str rest)
{
    surety_doc *doc = state->docs[state->turn];
    const size_t size = surety__doc_size(state->root.doc) +
                        (value.doc ? surety__doc_size(value.doc) : 0);
    const size_t depth = state->path_len;
    surety_status status;
    surety_val v;

    state->work += size;
    if (state->work > PATCH_WORK_MAX)
        return patch_fail(state, SURETY_LIMIT,
                          "the patch is too much work for a value of this "
                          "size at",
                          rest);
    surety_build_begin(doc, NULL);
    for (size_t i = 0; i + 1 < depth; i++) {
        const surety_val container = state->path[i];

        if (i > 0 && surety_val_kind(state->path[i - 1]) == SURETY_KIND_OBJECT)
            surety_build_key_of(doc, surety_val_key(container));
        patch_open(doc, container);
        for (v = surety_val_first(container);
             v.index != state->path[i + 1].index;
             v = surety_val_next(container, v))
            patch_copy(doc, container, v);
    }
    status = patch_apply_edit(state, doc, edit, value, rest);
    for (size_t i = depth - 1; i-- > 0;) {
        const surety_val container = state->path[i];

        for (v = surety_val_next(container, state->path[i + 1]); v.doc;
             v = surety_val_next(container, v))
            patch_copy(doc, container, v);
        surety_build_close(doc);
    }
    if (status == SURETY_OK)
        status = surety_build_end(doc, state->reterr);
    if (status != SURETY_OK)
        return status;
    if (doc->own_len > PATCH_BYTES_MAX)
        return patch_fail(state, SURETY_LIMIT, "the value grows too large at",
                          rest);
    state->root = surety_doc_root(doc);
    state->turn = (state->turn + 1) % 3;
    return SURETY_OK;
}

/* RFC 6902, section 4.1. In an object: replaces a member of that name. In an
 * array: inserts before the item, or appends for the index after the last item
 * or "-". */
static surety_status patch_add(patch_state *state, surety_str pointer,
                               surety_val value)
{
    surety_str rest;
    surety_status status = patch_follow(state, pointer, &rest);
    surety_val last, parent;
    char digits[24];
    surety_buf index = {
        .ptr = digits, .cap = sizeof(digits), .max = sizeof(digits)};

    if (status != SURETY_OK)
        return status;
    last = state->path[state->path_len - 1];
    if (!rest.len) {
        parent = state->path_len > 1 ? state->path[state->path_len - 2]
                                     : surety_val_none();
        return patch_rebuild(state,
                             surety_val_kind(parent) == SURETY_KIND_ARRAY
                                 ? PATCH_INSERT
                                 : PATCH_REPLACE,
                             value, rest);
    }
    if (surety_val_kind(last) == SURETY_KIND_OBJECT)
        return patch_rebuild(state, PATCH_APPEND, value, rest);
    if (surety_val_kind(last) != SURETY_KIND_ARRAY)
        return patch_fail(state, SURETY_SYNTAX, "no object or array contains",
                          pointer);
    surety__buf_printf(&index, "/%zu", surety_val_count(last));
    if (!surety_str_equal(rest, surety_buf_str(&index)) &&
        !surety_str_equal(rest, SURETY__LITERAL("/-")))
        return patch_fail(state, SURETY_SYNTAX, "the array has no item",
                          pointer);
    return patch_rebuild(state, PATCH_APPEND, value, rest);
}

static surety_status patch_remove(patch_state *state, surety_str pointer,
                                  surety_val none)
{
    const surety_status status = patch_follow(state, pointer, NULL);

    if (status != SURETY_OK)
        return status;
    if (!pointer.len)
        return patch_fail(state, SURETY_SYNTAX,
                          "the whole value cannot be removed:", pointer);
    return patch_rebuild(state, PATCH_REMOVE, none, (surety_str){NULL, 0});
}

static surety_status patch_replace(patch_state *state, surety_str pointer,
                                   surety_val value)
{
    const surety_status status = patch_follow(state, pointer, NULL);

    return status == SURETY_OK ? patch_rebuild(state, PATCH_REPLACE, value,
                                               (surety_str){NULL, 0})
                               : status;
}

static surety_status patch_test(patch_state *state, surety_str pointer,
                                surety_val value)
{
    const surety_status status = patch_follow(state, pointer, NULL);

    if (status != SURETY_OK)
        return status;
    if (surety_val_equal(state->path[state->path_len - 1], value))
        return SURETY_OK;
    return patch_fail(state, SURETY_SYNTAX, "the value differs at", pointer);
}

/* RFC 6902, sections 4.4 and 4.5. A value cannot move into itself. */
static surety_status patch_transfer(patch_state *state, surety_str pointer,
                                    surety_val operand)
{
    const surety_str from = surety_val_str(operand);
    const bool moves = strcmp(state->op, "move") == 0;
    surety_status status = patch_follow(state, from, NULL);
    surety_val value;

    if (status != SURETY_OK)
        return status;
    value = state->path[state->path_len - 1];
    if (moves) {
        if (surety_str_equal(from, pointer))
            return SURETY_OK;
        if (surety__str_starts(pointer, from) && pointer.len > from.len &&
            pointer.ptr[from.len] == '/')
            return patch_fail(state, SURETY_SYNTAX,
                              "a value cannot move into itself:", pointer);
        status = patch_remove(state, from, surety_val_none());
    }
    return status == SURETY_OK ? patch_add(state, pointer, value) : status;
}

/* The operations, with the member that each needs besides its path. */
static const struct patch_row {
    const char *name, *needs;
    surety_status (*run)(patch_state *state, surety_str pointer,
                         surety_val operand);
} patch_rows[] = {
    {"add", "value", patch_add},         {"remove", NULL, patch_remove},
    {"replace", "value", patch_replace}, {"move", "from", patch_transfer},
    {"copy", "from", patch_transfer},    {"test", "value", patch_test},
};

enum { PATCH_ROWS = sizeof(patch_rows) / sizeof(*patch_rows) };

static surety_status patch_operate(patch_state *state, surety_val operation)
{
    const surety_val op = surety_val_get(operation, "op");
    const surety_val path = surety_val_get(operation, "path");
    const struct patch_row *row = patch_rows;
    surety_val operand = surety_val_none();

    state->op = "unknown";
    if (surety_val_kind(operation) != SURETY_KIND_OBJECT)
        return patch_fail(
            state, SURETY_SYNTAX, "is not an object, but",
            surety_str_of(surety_kind_name(surety_val_kind(operation))));
    while (row < patch_rows + PATCH_ROWS && !surety_val_is(op, row->name))
        row++;
    if (row == patch_rows + PATCH_ROWS)
        return patch_fail(state, SURETY_SYNTAX,
                          "op must be add, remove, replace, move, copy or "
                          "test, not",
                          surety_val_str(op));
    state->op = row->name;
    if (surety_val_kind(path) != SURETY_KIND_STRING)
        return patch_fail(state, SURETY_SYNTAX,
                          "the member is missing:", SURETY__LITERAL("path"));
    if (row->needs)
        operand = surety_val_get(operation, row->needs);
    if (row->needs &&
        (!operand.doc || (row->run == patch_transfer &&
                          surety_val_kind(operand) != SURETY_KIND_STRING)))
        return patch_fail(state, SURETY_SYNTAX,
                          "the member is missing:", surety_str_of(row->needs));
    return row->run(state, surety_val_str(path), operand);
}

surety_status surety_patch_apply(surety_val patch, surety_val target,
                                 surety_doc *out, surety_error *reterr)
{
    patch_state state = {.root = target, .op = "patch", .reterr = reterr};
    surety_status status = SURETY_OK;

    if (!target.doc || !out || out == target.doc || out == patch.doc)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a patch needs a value, and a doc of its own for "
                            "the result");
    if (surety_val_kind(patch) != SURETY_KIND_ARRAY)
        return surety__fail(reterr, SURETY_SYNTAX,
                            "a JSON Patch must be an array of operations, not "
                            "%s",
                            surety_kind_name(surety_val_kind(patch)));
    if (surety_val_count(patch) > PATCH_OPERATIONS_MAX)
        return surety__fail(reterr, SURETY_LIMIT,
                            "the patch has %zu operations, more than %d",
                            surety_val_count(patch), PATCH_OPERATIONS_MAX);
    state.alloc = out->alloc;
    for (size_t i = 0; i < 3; i++) {
        state.docs[i] = surety_doc_new(state.alloc);
        if (!state.docs[i])
            status = surety__fail_nomem(reterr);
    }
    for (surety_val v = surety_val_first(patch); v.doc && status == SURETY_OK;
         v = surety_val_next(patch, v)) {
        status = patch_operate(&state, v);
        state.number++;
    }
    if (status == SURETY_OK) {
        surety_build_begin(out, NULL);
        surety_build_val(out, state.root);
        status = surety_build_end(out, reterr);
    }
    for (size_t i = 0; i < 3; i++)
        surety_doc_free(state.docs[i]);
    surety__free(state.alloc, state.path, state.path_cap * sizeof(*state.path));
    return status;
}
