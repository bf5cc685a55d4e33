/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a schema as a TypeScript type: for its length the form that models
 * read best. It is written from the compiled shapes, in which drafts and
 * references are resolved.
 *
 * Rules:
 * 1. The target of a reference becomes a named type that is printed once, so
 *    recursion needs no special case; only a scalar is written in place. The
 *    list of names is also the queue.
 * 2. A type nested deeper than SPELL_DEPTH gets a name too, so the depth of
 *    calls is limited, however deep the schema is.
 * 3. Parts that must all hold are joined by "&". What a type cannot express is
 *    in comments (spell_note.c). Everything in the schema is written, except
 *    what is too long for a comment. */
#include "prompt/prompt.h"

enum {
    SPELL_DEPTH = 24,
    SPELL_NAME_MAX = 64,
    SPELL_INLINE = 12 /* most choices of a scalar without a name */
};

/* The precedence of a type, for parentheses. */
typedef enum spell_kind { SPELL_UNIT, SPELL_UNION, SPELL_BOTH } spell_kind;

typedef struct spell_named {
    const surety__shape *shape;
    surety_str name;
} spell_named;

typedef struct spell_state {
    const surety_alloc *alloc;
    surety_buf *out;
    surety__arena arena; /* for names */
    spell_named *named;
    size_t count, cap;
    unsigned depth;  /* of indentation */
    unsigned nested; /* nested calls of spell_shape */
    unsigned noting; /* nested calls of spell_notes */
} spell_state;

static spell_kind spell_shape(spell_state *state, const surety__shape *shape);

static void spell_newline(spell_state *state)
{
    surety_buf *out = state->out;

    if (out->status == SURETY_OK && out->len && out->ptr[out->len - 1] == ' ')
        out->len--;
    surety_buf_byte(state->out, '\n');
    for (unsigned i = 0; i < state->depth; i++)
        surety_buf_text(state->out, "  ");
}

/* Puts the text from start in parentheses. A union that begins with a new line
 * has removed the space before it, which is added again. */
static void spell_wrap(spell_state *state, size_t start)
{
    surety_buf *out = state->out;
    const bool line =
        out->status == SURETY_OK && start > 0 && out->ptr[start - 1] == '\n';
    const size_t len = line ? 2 : 1;

    assert(start <= out->len);
    start -= line;
    surety_buf_text(out, line ? " ()" : "()");
    if (out->status != SURETY_OK)
        return;
    memmove(out->ptr + start + len, out->ptr + start,
            out->len - start - len - 1);
    memcpy(out->ptr + start, &" ("[2 - len], len);
}

/* ---- names --------------------------------------------------------------- */

static bool spell_is_word(char byte, bool first)
{
    return surety__is_letter(byte) || byte == '_' || byte == '$' ||
           (!first && surety__is_digit(byte));
}

/* Converts text to a name: letters, digits and "_" remain, other characters
 * are removed; the first letter and each one after a removed character become
 * upper case. */
static void spell_identifier(surety_buf *name, surety_str text)
{
    bool upper = true;

    for (size_t i = 0; i < text.len && name->len < SPELL_NAME_MAX; i++) {
        char byte = text.ptr[i];

        if (!spell_is_word(byte, name->len == 0) || byte == '$') {
            upper = true;
            continue;
        }
        if (upper && byte >= 'a' && byte <= 'z')
            byte = (char)(byte - 'a' + 'A');
        upper = false;
        surety_buf_byte(name, byte);
    }
}

/* The schema's location gives the best name: "#/$defs/point". */
static void spell_propose(const surety__shape *shape, surety_buf *name)
{
    const surety_val title = surety_val_get(shape->at, "title");
    surety_buf pointer;

    surety_buf_init(&pointer, name->alloc, 0);
    surety_val_pointer(shape->at, &pointer);
    spell_identifier(name,
                     surety__pointer_last(surety_buf_str(&pointer), NULL));
    surety__buf_end(&pointer, &name->status);
    if (name->len == 0)
        spell_identifier(name, surety_val_str(title));
    if (name->len == 0)
        surety_buf_text(name, "Value");
}

static bool spell_is_taken(const spell_state *state, surety_str name)
{
    for (size_t i = 0; i < state->count; i++)
        if (surety_str_equal(state->named[i].name, name))
            return true;
    return false;
}

/* The name of a shape's type. A new one is added to the queue. */
static surety_str spell_name(spell_state *state, const surety__shape *shape)
{
    surety_buf name;
    surety_str copy;
    size_t len;

    for (size_t i = 0; i < state->count; i++)
        if (state->named[i].shape == shape)
            return state->named[i].name;
    surety_buf_init(&name, state->alloc, 0);
    spell_propose(shape, &name);
    len = name.len;
    for (unsigned n = 2; spell_is_taken(state, surety_buf_str(&name)); n++) {
        name.len = len;
        surety_buf_number(&name, n);
        if (name.status != SURETY_OK)
            break;
    }
    copy = surety__arena_buf(&state->arena, &name);
    if (!copy.ptr ||
        surety__grow(state->alloc, &state->named, &state->cap, state->count + 1,
                     sizeof(*state->named),
                     SIZE_MAX / sizeof(spell_named)) != SURETY_OK) {
        state->out->status = SURETY_NOMEM;
        return (surety_str){NULL, 0};
    }
    state->named[state->count++] = (spell_named){shape, copy};
    return copy;
}

/* ---- references ---------------------------------------------------------- */

static bool spell_is_scalar(const surety__shape *shape)
{
    return !shape->objects && !shape->arrays && !shape->applicator_count &&
           (!shape->choices || shape->choices->count <= SPELL_INLINE);
}

static bool spell_is_reference(const surety__applicator *one)
{
    return one->kind == APPLY_DYNAMIC ||
           (one->kind == APPLY_ALL && one->keyword != KW_ALL_OF);
}

static spell_kind spell_target(spell_state *state, const surety__shape *shape)
{
    if (spell_is_scalar(shape))
        return spell_shape(state, shape);
    surety_buf_add(state->out, spell_name(state, shape));
    return SPELL_UNIT;
}

/* Whether a branch of allOf only restricts a type that is already written. */
static bool spell_is_narrowing(const surety__shape *shape,
                               const surety__shape *branch)
{
    return spell_is_scalar(branch) && !branch->never && !branch->constant &&
           !branch->choices && shape->types != TYPE_ANY &&
           (shape->types & branch->types) == shape->types;
}

/* Whether a type cannot express anything of a schema. */
static bool spell_is_empty(const surety__shape *shape)
{
    return shape->always && !shape->objects && !shape->arrays &&
           !shape->applicator_count;
}

static void spell_notes(spell_state *state, const surety__shape *shape,
                        surety_buf *out);

/* Appends the notes of shapes that apply to the same value and have no line of
 * their own: scalars behind references, branches of allOf, a single branch.
 * start: where the shape's own notes begin. */
static void spell_notes_of(spell_state *state, const surety__shape *shape,
                           const surety__applicator *one, size_t start,
                           surety_buf *out)
{
    const bool refers = spell_is_reference(one);

    for (uint32_t k = 0; k < one->count; k++) {
        const surety__shape *branch = one->shapes[k];
        const bool narrows = !refers && spell_is_narrowing(shape, branch);
        const size_t before = out->len;
        size_t from;

        if (refers && !spell_is_scalar(branch))
            continue;
        if (before > start)
            surety_buf_text(out, narrows ? ", " : "; ");
        from = out->len;
        spell_notes(state, branch, out);
        if (out->len == from && out->status == SURETY_OK)
            out->len = before;
    }
}

/* Appends the notes of a shape and of others that apply to the same value. */
static void spell_notes(spell_state *state, const surety__shape *shape,
                        surety_buf *out)
{
    const size_t start = out->len;

    surety__spell_note(shape, out);
    state->noting++;
    for (uint32_t i = 0;
         i < shape->applicator_count && state->noting < SPELL_DEPTH; i++) {
        const surety__applicator *one = &shape->applicators[i];

        if (one->kind == APPLY_ALL || one->kind == APPLY_DYNAMIC ||
            (one->kind <= APPLY_ONE && one->count == 1))
            spell_notes_of(state, shape, one, start, out);
    }
    state->noting--;
    if (out->status != SURETY_OK)
        state->out->status = out->status;
}

/* Writes the notes of a shape, if it has any, behind `words`; NULL: on a line
 * of their own. */
static bool spell_comment(spell_state *state, const surety__shape *shape,
                          const char *words)
{
    surety_buf note;
    bool noted;

    surety_buf_init(&note, state->alloc, 0);
    spell_notes(state, shape, &note);
    noted = note.len > 0;
    if (noted) {
        if (!words)
            spell_newline(state);
        surety_buf_text(state->out, words ? words : "// ");
        surety_buf_add(state->out, surety_buf_str(&note));
    }
    surety_buf_done(&note);
    return noted;
}

/* ---- parts --------------------------------------------------------------- */

static spell_kind spell_choices(spell_state *state, surety_val list)
{
    const char *join = "";

    for (surety_val v = surety_val_first(list); v.doc;
         v = surety_val_next(list, v), join = " | ") {
        surety_buf_text(state->out, join);
        surety_val_write(v, SURETY_STYLE_COMPACT, state->out);
    }
    return surety_val_count(list) > 1 ? SPELL_UNION : SPELL_UNIT;
}

/* Writes anyOf and oneOf: one branch per line if a branch has a note. */
static spell_kind spell_branches(spell_state *state,
                                 const surety__applicator *one)
{
    surety_buf note;
    bool noted = false;

    surety_buf_init(&note, state->alloc, 0);
    for (uint32_t i = 0; i < one->count; i++)
        spell_notes(state, one->shapes[i], &note);
    noted = note.len > 0 && one->count > 1;
    surety_buf_done(&note);
    state->depth += noted;
    for (uint32_t i = 0; i < one->count; i++) {
        const size_t start = state->out->len + (noted || i ? 3 : 0);
        spell_kind kind;

        if (noted) {
            spell_newline(state);
            surety_buf_text(state->out, "| ");
        } else if (i > 0) {
            surety_buf_text(state->out, " | ");
        }
        kind = spell_shape(state, one->shapes[i]);
        if (kind == SPELL_BOTH && !noted)
            spell_wrap(state, start);
        if (noted)
            spell_comment(state, one->shapes[i], " // ");
    }
    state->depth -= noted;
    if (noted)
        spell_newline(state);
    return one->count > 1 ? SPELL_UNION : SPELL_UNIT;
}

static void spell_items(spell_state *state, const surety__shape *shape)
{
    const size_t start = state->out->len;

    if (!shape)
        surety_buf_text(state->out, "unknown");
    else if (spell_shape(state, shape) != SPELL_UNIT)
        spell_wrap(state, start);
    surety_buf_text(state->out, "[]");
}

static void spell_array(spell_state *state, const surety__arrays *arrays)
{
    const uint32_t count = arrays ? arrays->prefix_count : 0;
    const surety__shape *rest = arrays ? arrays->rest : NULL;

    if (arrays && !rest)
        rest = arrays->unevaluated;
    if (count == 0) {
        if (rest && rest->never)
            surety_buf_text(state->out, "[]");
        else
            spell_items(state, rest);
        return;
    }
    surety_buf_byte(state->out, '[');
    for (uint32_t i = 0; i < count; i++) {
        const size_t start = state->out->len + (i ? 2 : 0);
        spell_kind kind;

        if (i > 0)
            surety_buf_text(state->out, ", ");
        kind = spell_shape(state, arrays->prefix[i]);
        if (i >= arrays->min_items) {
            if (kind != SPELL_UNIT)
                spell_wrap(state, start);
            surety_buf_byte(state->out, '?');
        }
    }
    if (!(rest && rest->never) && arrays->max_items > count) {
        surety_buf_text(state->out, ", ...");
        spell_items(state, rest);
    }
    surety_buf_byte(state->out, ']');
}

/* ---- objects ------------------------------------------------------------- */

static void spell_key(spell_state *state, surety_str name)
{
    bool word = name.len > 0;

    for (size_t i = 0; i < name.len; i++)
        word = word && spell_is_word(name.ptr[i], i == 0);
    if (word)
        surety_buf_add(state->out, name);
    else
        surety_json_string(state->out, name);
}

/* Writes a property. One that is only required has the schema of additional
 * members. */
static void spell_property(spell_state *state, const surety__objects *objects,
                           const surety__property *property)
{
    const surety__shape *shape = property->shape;

    if (!shape && objects->pattern_count == 0)
        shape = objects->additional;
    if (shape && shape->always)
        shape = property->shape;
    if (shape)
        spell_comment(state, shape, NULL);
    spell_newline(state);
    spell_key(state, property->name);
    surety_buf_text(state->out, property->required ? ": " : "?: ");
    if (shape)
        spell_shape(state, shape);
    else
        surety_buf_text(state->out, "unknown");
    surety_buf_byte(state->out, ';');
}

/* Writes members by pattern, and all others. */
static void spell_others(spell_state *state, const surety__objects *objects)
{
    const surety__shape *other = objects->additional;

    for (uint32_t i = 0; i < objects->pattern_count; i++) {
        spell_comment(state, objects->patterns[i].shape, NULL);
        spell_newline(state);
        surety_buf_text(state->out, "[key: string]: ");
        spell_shape(state, objects->patterns[i].shape);
        surety_buf_text(state->out, "; // keys that match ");
        surety__spell_line(state->out, objects->patterns[i].source);
    }
    if (!other)
        other = objects->unevaluated;
    if (other && other->never) {
        spell_newline(state);
        surety_buf_text(state->out, "// no other keys");
    } else if (other && !other->always) {
        spell_comment(state, other, NULL);
        spell_newline(state);
        surety_buf_text(state->out, "[key: string]: ");
        spell_shape(state, other);
        surety_buf_byte(state->out, ';');
    }
}

static void spell_object(spell_state *state, const surety__objects *objects)
{
    size_t start;

    if (!objects) {
        surety_buf_text(state->out, "object");
        return;
    }
    surety_buf_byte(state->out, '{');
    state->depth++;
    start = state->out->len;
    for (uint32_t i = 0; i < objects->property_count; i++) {
        const surety__property *property = &objects->properties[i];

        if (!property->shape || !property->shape->never)
            spell_property(state, objects, property);
    }
    spell_others(state, objects);
    assert(state->depth > 0);
    state->depth--;
    if (state->out->status == SURETY_OK && state->out->len == start) {
        state->out->len = start - 1;
        surety_buf_text(state->out, "object");
        return;
    }
    spell_newline(state);
    surety_buf_byte(state->out, '}');
}

/* ---- shapes -------------------------------------------------------------- */

/* Writes the types, each with its keywords. Without a type keyword, only the
 * types that other keywords are about. */
static spell_kind spell_types(spell_state *state, const surety__shape *shape)
{
    /* The types in their order; one without a word has its own writer. */
    static const struct {
        unsigned types;
        const char *word;
    } rows[] = {
        {TYPE_OBJECT, NULL},       {TYPE_ARRAY, NULL},
        {TYPE_STRING, "string"},   {TYPE_NUMBER | TYPE_INTEGER, "number"},
        {TYPE_BOOLEAN, "boolean"}, {TYPE_NULL, "null"}};
    unsigned types = shape->types;
    unsigned count = 0;

    if (types == TYPE_ANY)
        types = (shape->objects ? TYPE_OBJECT : 0u) |
                (shape->arrays ? TYPE_ARRAY : 0u) |
                (shape->strings ? TYPE_STRING : 0u) |
                (shape->numbers ? TYPE_NUMBER : 0u);
    for (size_t i = 0; i < SURETY__COUNT(rows); i++) {
        if (!(types & rows[i].types))
            continue;
        if (count++ > 0)
            surety_buf_text(state->out, " | ");
        if (rows[i].word)
            surety_buf_text(state->out, rows[i].word);
        else if (rows[i].types == TYPE_OBJECT)
            spell_object(state, shape->objects);
        else
            spell_array(state, shape->arrays);
    }
    return count > 1 ? SPELL_UNION : SPELL_UNIT;
}

/* Whether a shape has keywords besides its applicators. */
static bool spell_has_base(const surety__shape *shape, bool alone)
{
    if (shape->constant || shape->choices || shape->objects || shape->arrays ||
        shape->strings || shape->numbers)
        return true;
    return shape->types != TYPE_ANY && (alone || shape->types != TYPE_OBJECT);
}

static spell_kind spell_base(spell_state *state, const surety__shape *shape)
{
    if (shape->never) {
        surety_buf_text(state->out, "never");
        return SPELL_UNIT;
    }
    if (shape->constant) {
        surety_val_write(surety_val_get(shape->at, "const"),
                         SURETY_STYLE_COMPACT, state->out);
        return SPELL_UNIT;
    }
    if (shape->choices)
        return spell_choices(state, surety_val_get(shape->at, "enum"));
    return spell_types(state, shape);
}

/* Joins the next part to the text from begin. */
static void spell_join(spell_state *state, size_t begin, unsigned *count,
                       spell_kind *first)
{
    if (*count == 1 && *first == SPELL_UNION)
        spell_wrap(state, begin);
    if ((*count)++ > 0)
        surety_buf_text(state->out, " & ");
}

static spell_kind spell_part(spell_state *state, const surety__applicator *one,
                             uint32_t i)
{
    if (one->kind == APPLY_ANY || one->kind == APPLY_ONE)
        return spell_branches(state, one);
    if (spell_is_reference(one))
        return spell_target(state, one->shapes[i]);
    return spell_shape(state, one->shapes[i]);
}

static spell_kind spell_whole(spell_state *state, const surety__shape *shape)
{
    const size_t begin = state->out->len;
    spell_kind first = SPELL_UNIT;
    unsigned count = 0;
    bool alone = true;

    for (uint32_t i = 0; i < shape->applicator_count; i++)
        alone = alone && shape->applicators[i].kind > APPLY_ONE;
    if (shape->never || spell_has_base(shape, alone)) {
        first = spell_base(state, shape);
        count = 1;
    }
    for (uint32_t i = 0; i < shape->applicator_count; i++) {
        const surety__applicator *one = &shape->applicators[i];
        const bool all = one->kind == APPLY_ALL;

        for (uint32_t k = 0;
             one->kind <= APPLY_ONE && k < (all ? one->count : 1); k++) {
            spell_kind kind;
            size_t start;

            if (all && (spell_is_empty(one->shapes[k]) ||
                        (count > 0 && !spell_is_reference(one) &&
                         spell_is_narrowing(shape, one->shapes[k]))))
                continue;
            spell_join(state, begin, &count, &first);
            start = state->out->len;
            kind = spell_part(state, one, k);
            if (count == 1)
                first = kind;
            else if (kind == SPELL_UNION)
                spell_wrap(state, start);
        }
    }
    if (count == 0)
        surety_buf_text(state->out, "unknown");
    return count > 1 ? SPELL_BOTH : first;
}

static spell_kind spell_shape(spell_state *state, const surety__shape *shape)
{
    spell_kind kind;

    if (state->out->status != SURETY_OK)
        return SPELL_UNIT;
    if (state->nested >= SPELL_DEPTH && !spell_is_scalar(shape)) {
        surety_buf_add(state->out, spell_name(state, shape));
        return SPELL_UNIT;
    }
    state->nested++;
    assert(state->nested <= SPELL_DEPTH || spell_is_scalar(shape));
    kind = spell_whole(state, shape);
    state->nested--;
    return kind;
}

surety_status surety__spell_write(const surety_schema *schema,
                                  const surety_alloc *alloc, surety_buf *out)
{
    spell_state state = {.alloc = alloc, .out = out};

    surety__arena_init(&state.arena, alloc, 0);
    spell_name(&state, schema->root);
    for (size_t i = 0; i < state.count && out->status == SURETY_OK; i++) {
        const surety__shape *shape = state.named[i].shape;

        if (i > 0)
            surety_buf_byte(out, '\n');
        if (spell_comment(&state, shape, "// "))
            surety_buf_byte(out, '\n');
        surety_buf_text(out, "type ");
        surety_buf_add(out, state.named[i].name);
        surety_buf_text(out, " = ");
        state.depth = 0;
        spell_whole(&state, shape);
        surety_buf_text(out, ";\n");
    }
    surety__free(alloc, state.named, state.cap * sizeof(*state.named));
    surety__arena_done(&state.arena);
    return out->status;
}
