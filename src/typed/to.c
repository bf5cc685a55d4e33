/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a typed value to a document, or prints it for debugging.
 *
 * 1. One walk does both, with an explicit stack: a frame is a container and the
 *    index of its next element.
 * 2. The value may come from the caller and hold anything, so pointers, counts
 *    and enums are checked before use. A value that contains itself ends at the
 *    limit of depth. */
#include "typed/inside.h"

#include <math.h>

enum { WALK_DEPTH_MAX = 512 };

/* An open container: a struct, tuple, list or map. */
typedef struct to_frame {
    const surety_typed_type *type;
    const char *base; /* the struct, or the elements */
    size_t count;     /* number of members or elements, without the rest */
    size_t index;
    const char *rest; /* of a struct or tuple: the elements of its rest */
    size_t rest_count;
} to_frame;

typedef struct to_state {
    const surety_typed *typed;
    const surety_alloc *alloc;
    surety_doc *doc; /* the document to build; NULL when printing */
    surety_buf *out; /* the buffer to print to; NULL when building */
    surety_doc *number;
    to_frame frames[WALK_DEPTH_MAX];
    size_t depth;
    surety_status status;
    surety_error *reterr;
} to_state;

/* ---- failures ------------------------------------------------------------ */

static void to_path(const to_state *state, surety_buf *path)
{
    for (size_t i = 0; i < state->depth; i++) {
        const to_frame *frame = &state->frames[i];
        const size_t index = frame->index - 1;

        if (frame->index == 0)
            return;
        if (frame->type->form == SURETY_TYPED_STRUCT && index < frame->count) {
            surety_pointer_token(path, frame->type->members[index].name);
        } else if (frame->type->form == SURETY_TYPED_TUPLE ||
                   frame->type->form == SURETY_TYPED_LIST) {
            surety_buf_byte(path, '/');
            surety_buf_number(path, index);
        } else {
            const bool is_map = frame->type->form == SURETY_TYPED_MAP;
            const uint32_t stride =
                is_map ? frame->type->stride
                       : state->typed->types[frame->type->rest].stride;
            const char *at = is_map ? frame->base : frame->rest;
            surety_str key;

            memcpy(&key, at + (is_map ? index : index - frame->count) * stride,
                   sizeof(key));
            if (key.len && !key.ptr)
                return;
            surety_pointer_token(path, key);
        }
    }
}

/* Reports an invalid value: printing shows it in angle brackets and continues,
 * building fails. */
static void to_wrong(to_state *state, const surety_typed_type *type,
                     const char *what)
{
    surety_error *reterr = state->reterr;
    surety_buf path;

    if (state->out) {
        surety__buf_printf(state->out, "<%s>", what);
        return;
    }
    if (state->status != SURETY_OK)
        return;
    state->status = SURETY_MISUSE;
    surety__fail(reterr, SURETY_MISUSE, "no JSON represents this %s: %s",
                 type->name, what);
    if (!reterr)
        return;
    path = surety__buf_over(reterr->path, sizeof(reterr->path));
    to_path(state, &path);
    reterr->path[path.status == SURETY_OK ? path.len : 0] = '\0';
}

/* ---- printing ------------------------------------------------------------ */

static void to_line(to_state *state)
{
    surety_buf_byte(state->out, '\n');
    for (size_t i = 0; i < state->depth; i++)
        surety_buf_text(state->out, "    ");
}

static void to_key(to_state *state, const surety_typed_type *type,
                   surety_str key)
{
    const surety_str shown = {key.ptr, key.ptr ? key.len : 0};

    if (state->doc && key.len && !key.ptr) {
        to_wrong(state, type, "a key without a pointer");
    } else if (state->doc) {
        surety_build_key(state->doc, key);
    } else {
        to_line(state);
        surety_json_string(state->out, shown);
        surety_buf_text(state->out, ": ");
    }
}

/* ---- scalars ------------------------------------------------------------- */

static void to_text(to_state *state, const surety_typed_type *type,
                    surety_str text)
{
    if (text.len && !text.ptr)
        to_wrong(state, type, "a text without a pointer");
    else if (state->doc)
        surety_build_str(state->doc, text);
    else
        surety_json_string(state->out, text);
}

static void to_number_text(to_state *state, const surety_typed_type *type,
                           surety_str text)
{
    surety_val number;

    if (state->out || (text.len && !text.ptr)) {
        to_text(state, type, text);
        return;
    }
    if (!state->number)
        state->number = surety_doc_new(state->alloc);
    if (!state->number) {
        state->status = surety__fail_nomem(state->reterr);
        return;
    }
    state->status = surety_doc_read(state->number, text, NULL, NULL);
    number = surety_doc_root(state->number);
    if (state->status == SURETY_NOMEM) {
        surety__fail_nomem(state->reterr);
    } else if (state->status == SURETY_OK &&
               surety_val_kind(number) == SURETY_KIND_NUMBER) {
        surety_build_val(state->doc, number);
    } else {
        state->status = SURETY_OK;
        to_wrong(state, type, "a text that is no number");
    }
}

static void to_real(to_state *state, const surety_typed_type *type, double real)
{
    char text[32];

    if (!isfinite(real))
        to_wrong(state, type, "a number that is not finite");
    else if (state->doc)
        surety_build_real(state->doc, real);
    else
        surety_buf_append(state->out, text, surety__number_write(real, text));
}

static void to_value(to_state *state, const surety_typed_type *type,
                     surety_val val)
{
    if (!val.doc)
        to_wrong(state, type, "a value that is absent");
    else if (state->doc)
        surety_build_val(state->doc, val);
    else
        surety_val_write(val, SURETY_STYLE_COMPACT, state->out);
}

static void to_fixed(to_state *state, const surety_typed_type *type)
{
    surety_doc *doc;

    if (state->out) {
        surety_buf_add(state->out, type->words[0]);
        return;
    }
    doc = surety_doc_new(state->alloc);
    if (doc && surety_doc_read(doc, type->words[0], NULL, NULL) == SURETY_OK)
        surety_build_val(state->doc, surety_doc_root(doc));
    else
        state->status = surety__fail_nomem(state->reterr);
    surety_doc_free(doc);
}

static void to_enum(to_state *state, const surety_typed_type *type,
                    const char *at)
{
    const uint32_t word = surety__typed_load(at, type->size);

    if (word >= type->count)
        to_wrong(state, type, "not one of its words");
    else
        to_text(state, type, type->words[word]);
}

static void to_scalar(to_state *state, const surety_typed_type *type,
                      const char *at)
{
    surety_str text;
    surety_val val;
    uint64_t natural;
    int64_t number;
    double real;
    unsigned char flag;

    switch (type->form) {
    case SURETY_TYPED_BOOL:
        memcpy(&flag, at, sizeof(flag));
        if (state->doc)
            surety_build_bool(state->doc, flag != 0);
        else
            surety_buf_text(state->out, flag ? "true" : "false");
        return;
    case SURETY_TYPED_INT:
        memcpy(&number, at, sizeof(number));
        if (state->doc)
            surety_build_int(state->doc, number);
        else
            surety__buf_printf(state->out, "%lld", (long long)number);
        return;
    case SURETY_TYPED_UINT:
        memcpy(&natural, at, sizeof(natural));
        if (state->doc)
            surety_build_uint(state->doc, natural);
        else
            surety_buf_number(state->out, natural);
        return;
    case SURETY_TYPED_REAL:
        memcpy(&real, at, sizeof(real));
        to_real(state, type, real);
        return;
    case SURETY_TYPED_ENUM: to_enum(state, type, at); return;
    case SURETY_TYPED_FIXED: to_fixed(state, type); return;
    case SURETY_TYPED_VALUE:
        memcpy(&val, at, sizeof(val));
        to_value(state, type, val);
        return;
    default: break;
    }
    memcpy(&text, at, sizeof(text));
    if (type->form == SURETY_TYPED_NUMBER)
        to_number_text(state, type, text);
    else
        to_text(state, type, text);
}

/* ---- containers ---------------------------------------------------------- */

static bool to_is_object(const surety_typed_type *type)
{
    return type->form == SURETY_TYPED_STRUCT || type->form == SURETY_TYPED_MAP;
}

static void to_open(to_state *state, const to_frame *frame)
{
    const bool object = to_is_object(frame->type);

    assert(!state->doc != !state->out);
    if (state->depth == WALK_DEPTH_MAX) {
        /* A value that contains itself could repeat this without end, so
         * printing stops here, too. */
        to_wrong(state, frame->type, "nested too deep, or in itself");
        state->status = SURETY_MISUSE;
        return;
    }
    state->frames[state->depth++] = *frame;
    if (!state->doc)
        surety__buf_printf(state->out, "%s %c", frame->type->name,
                           object ? '{' : '[');
    else if (object)
        surety_build_object(state->doc);
    else
        surety_build_array(state->doc);
}

static void to_close(to_state *state)
{
    const to_frame *frame = &state->frames[--state->depth];

    assert(frame->index >= frame->count + frame->rest_count);
    if (state->doc) {
        surety_build_close(state->doc);
        return;
    }
    if (frame->index)
        to_line(state);
    surety_buf_byte(state->out, to_is_object(frame->type) ? '}' : ']');
}

/* Opens a list or map whose pointer and count are at these addresses. */
static void to_list(to_state *state, const surety_typed_type *type,
                    const char *at, const char *count_at)
{
    to_frame frame = {.type = type};

    memcpy(&frame.base, at, sizeof(frame.base));
    memcpy(&frame.count, count_at, sizeof(frame.count));
    if (frame.count && !frame.base)
        to_wrong(state, type, "a count without items");
    else
        to_open(state, &frame);
}

static void to_struct(to_state *state, const surety_typed_type *type,
                      const char *at)
{
    to_frame frame = {.type = type, .base = at, .count = type->count};

    if (type->rest != SURETY_TYPED_NONE) {
        memcpy(&frame.rest, at + type->offset, sizeof(frame.rest));
        memcpy(&frame.rest_count, at + type->count_offset,
               sizeof(frame.rest_count));
        if (frame.rest_count && !frame.rest) {
            to_wrong(state, type, "a count without items");
            return;
        }
    }
    to_open(state, &frame);
}

static void to_member(to_state *state, const surety_typed_member *member,
                      const char *base);

/* Writes the value at `at`, which has this type itself. */
static void to_element(to_state *state, const surety_typed_type *type,
                       const char *at)
{
    uint32_t branch;

    switch (type->form) {
    case SURETY_TYPED_STRUCT:
    case SURETY_TYPED_TUPLE: to_struct(state, type, at); return;
    case SURETY_TYPED_LIST:
    case SURETY_TYPED_MAP:
        to_list(state, type, at + offsetof(surety__typed_span, items),
                at + offsetof(surety__typed_span, count));
        return;
    case SURETY_TYPED_WRAP: to_member(state, type->members, at); return;
    case SURETY_TYPED_UNION:
        branch = surety__typed_load(at, type->stride);
        if (branch >= type->count) {
            to_wrong(state, type, "a kind that it has not");
            return;
        }
        if (state->out)
            surety__buf_printf(state->out, "(%.*s) ",
                               (int)type->members[branch].name.len,
                               type->members[branch].name.ptr);
        to_member(state, &type->members[branch], at);
        return;
    default: to_scalar(state, type, at);
    }
}

static void to_null(to_state *state)
{
    if (state->doc)
        surety_build_null(state->doc);
    else
        surety_buf_text(state->out, "null");
}

/* Writes the value of a member of the struct at base; the member is not
 * absent. */
static void to_member(to_state *state, const surety_typed_member *member,
                      const char *base)
{
    const surety_typed_type *type =
        surety__typed_type(state->typed, member->type);
    unsigned char null = 0;
    const char *pointer;

    if (member->null < SURETY_TYPED_POINTER)
        memcpy(&null, base + member->null, 1);
    if (null) {
        to_null(state);
    } else if (member->offset == SURETY_TYPED_NONE) {
        to_fixed(state, type);
    } else if (type->form == SURETY_TYPED_LIST ||
               type->form == SURETY_TYPED_MAP) {
        to_list(state, type, base + member->offset, base + member->count);
    } else if (type->form == SURETY_TYPED_STRUCT ||
               type->form == SURETY_TYPED_TUPLE) {
        memcpy(&pointer, base + member->offset, sizeof(pointer));
        if (pointer)
            to_struct(state, type, pointer);
        else if (member->null == SURETY_TYPED_POINTER)
            to_null(state);
        else
            to_wrong(state, type, "a pointer that is NULL");
    } else {
        to_element(state, type, base + member->offset);
    }
}

static bool to_is_absent(const surety_typed_member *member, const char *base)
{
    unsigned char has = 1;
    const char *pointer;

    if (member->has == SURETY_TYPED_POINTER) {
        memcpy(&pointer, base + member->offset, sizeof(pointer));
        return pointer == NULL;
    }
    if (member->has != SURETY_TYPED_NONE)
        memcpy(&has, base + member->has, 1);
    return has == 0;
}

/* Writes the i-th element of a list or map whose elements are at items. */
static void to_child(to_state *state, const surety_typed_type *type,
                     const char *items, size_t i)
{
    const char *element = items + i * type->stride;
    surety_str key;

    assert(type->form == SURETY_TYPED_MAP || type->form == SURETY_TYPED_LIST);
    if (type->form == SURETY_TYPED_MAP) {
        memcpy(&key, element, sizeof(key));
        to_key(state, type, key);
        element += type->offset;
    } else if (state->out) {
        to_line(state);
    }
    to_element(state, surety__typed_type(state->typed, type->rest), element);
}

/* Writes the next member of a struct or tuple, or the next of the values that
 * it does not name. */
static void to_member_next(to_state *state, to_frame *frame, size_t index)
{
    const surety_typed_type *type = frame->type;
    const bool object = type->form == SURETY_TYPED_STRUCT;
    const surety_typed_member *member;
    bool absent;

    if (index >= frame->count) {
        to_child(state, surety__typed_type(state->typed, type->rest),
                 frame->rest, index - frame->count);
        return;
    }
    member = &type->members[index];
    absent = to_is_absent(member, frame->base);
    if (absent && !object) /* the tuple ends here */
        frame->index = frame->count + frame->rest_count;
    if (absent && (!object || state->doc))
        return;
    if (object)
        to_key(state, type, member->name);
    else if (state->out)
        to_line(state);
    if (absent)
        surety_buf_text(state->out, "absent");
    else
        to_member(state, member, frame->base);
}

static void to_run(to_state *state, const void *value)
{
    to_element(state, &state->typed->types[state->typed->root], value);
    while (state->depth && state->status == SURETY_OK) {
        to_frame *frame = &state->frames[state->depth - 1];

        if (frame->index == frame->count + frame->rest_count)
            to_close(state);
        else if (frame->type->form == SURETY_TYPED_STRUCT ||
                 frame->type->form == SURETY_TYPED_TUPLE)
            to_member_next(state, frame, frame->index++);
        else
            to_child(state, frame->type, frame->base, frame->index++);
        if (state->out && state->out->status != SURETY_OK)
            return;
    }
}

surety_status surety_typed_to(const surety_typed *typed, const void *value,
                              surety_doc *doc, surety_error *reterr)
{
    to_state state = {.typed = typed, .doc = doc, .reterr = reterr};

    if (!typed || !value || !doc)
        return surety__fail(reterr, SURETY_MISUSE,
                            "types, a value and a document are needed");
    state.alloc = doc->alloc;
    surety_build_begin(doc, NULL);
    to_run(&state, value);
    surety_doc_free(state.number);
    if (state.status != SURETY_OK)
        return state.status;
    return surety_build_end(doc, reterr);
}

void surety_typed_print(const surety_typed *typed, const void *value,
                        surety_buf *out)
{
    to_state state = {.typed = typed, .out = out};

    if (!typed || !out)
        return;
    if (value)
        to_run(&state, value);
    else
        surety_buf_text(out, "NULL");
    surety_buf_byte(out, '\n');
}
