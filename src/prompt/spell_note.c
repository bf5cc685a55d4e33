/* SPDX-License-Identifier: Apache-2.0 */
/* Describes what a TypeScript type cannot express: the description of a schema
 * and the constraints of numbers, strings, arrays and objects, on one line, as
 * a comment. Bounds are written as in the schema. */
#include "prompt/prompt.h"

enum {
    NOTE_LINE_MAX = 2000, /* bytes of a description */
    NOTE_NESTED = 4,
    NOTE_VALUE_MAX = 200 /* bytes of a value or schema */
};

void surety__spell_line(surety_buf *out, surety_str text)
{
    const size_t start = out->len;
    bool space = false;

    text = surety__str_trim(text);
    text.len = surety__utf8_cut(text, NOTE_LINE_MAX);
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] <= ' ' || text.ptr[i] == 0x7F) {
            space = out->len > start;
            continue;
        }
        if (space)
            surety_buf_byte(out, ' ');
        space = false;
        surety_buf_byte(out, text.ptr[i]);
    }
}

/* Appends words, after a comma if there is text before. */
static void note_begin(surety_buf *out, size_t start, const char *words)
{
    assert(start <= out->len);
    if (out->len > start)
        surety_buf_text(out, ", ");
    surety_buf_text(out, words);
}

/* Appends "3 to 5 NOUNs", "at least 3 NOUNs", "at most 5 NOUNs", or "exactly 3
 * NOUNs". */
static void note_counts(surety_buf *out, size_t start, uint64_t least,
                        uint64_t most, const char *noun)
{
    const uint64_t last = most != UINT64_MAX ? most : least;

    if (least == 0 && most == UINT64_MAX)
        return;
    note_begin(out, start,
               least == most        ? "exactly "
               : most == UINT64_MAX ? "at least "
               : least == 0         ? "at most "
                                    : "");
    if (least != 0 && most != UINT64_MAX && least != most) {
        surety_buf_number(out, least);
        surety_buf_text(out, " to ");
    }
    surety_buf_number(out, last);
    surety_buf_byte(out, ' ');
    surety_buf_text(out, noun);
    if (last != 1)
        surety_buf_byte(out, 's');
}

static void note_bound(surety_buf *out, size_t start, const char *words,
                       const surety__shape *shape, const surety__cell *cell)
{
    if (!cell)
        return;
    note_begin(out, start, words);
    surety_buf_add(out, surety__cell_number(shape->at.doc, cell));
}

/* The bound if it is useful to a model; NULL for the limits of exact integers
 * in a double, which some libraries write for every integer. */
static const surety__cell *note_useful(const surety__shape *shape,
                                       const surety__cell *cell)
{
    const double count_max = 9007199254740991.0; /* 2^53 - 1 */
    double bound;

    if (!cell)
        return NULL;
    bound = surety_val_real(surety__val_of(shape->at.doc, cell), 0);
    return bound < count_max && bound > -count_max ? cell : NULL;
}

static void note_numbers(const surety__shape *shape, surety_buf *out,
                         size_t start)
{
    const surety__numbers *numbers = shape->numbers;
    const surety__cell *least, *most;

    if ((shape->types & (TYPE_NUMBER | TYPE_INTEGER)) == TYPE_INTEGER)
        note_begin(out, start, "integer");
    if (!numbers)
        return;
    least = note_useful(shape, numbers->minimum);
    most = note_useful(shape, numbers->maximum);
    if (least && most) {
        note_bound(out, start, "", shape, least);
        surety_buf_text(out, " to ");
        surety_buf_add(out, surety__cell_number(shape->at.doc, most));
    } else {
        note_bound(out, start, "at least ", shape, least);
        note_bound(out, start, "at most ", shape, most);
    }
    note_bound(out, start, "greater than ", shape, numbers->exclusive_minimum);
    note_bound(out, start, "less than ", shape, numbers->exclusive_maximum);
    note_bound(out, start, "a multiple of ", shape, numbers->multiple_of);
}

static void note_text(surety_buf *out, size_t start, const char *words,
                      surety_val text)
{
    if (surety_val_kind(text) != SURETY_KIND_STRING)
        return;
    note_begin(out, start, words);
    surety__spell_line(out, surety_val_str(text));
}

static void note_strings(const surety__shape *shape, surety_buf *out,
                         size_t start)
{
    const surety__strings *strings = shape->strings;

    if (strings)
        note_counts(out, start, strings->min_length, strings->max_length,
                    "character");
    note_text(out, start, "format ", surety_val_get(shape->at, "format"));
    if (strings && strings->pattern)
        note_text(out, start, "matches the pattern ",
                  surety_val_get(shape->at, "pattern"));
    if (strings && strings->content_base64)
        note_begin(out, start, "base64");
    if (strings && strings->content_json)
        note_begin(out, start, "JSON");
}

/* Appends a schema that a type cannot express, as JSON. */
static void note_schema(surety_buf *out, size_t start, const char *words,
                        const surety__shape *shape)
{
    if (!shape)
        return;
    note_begin(out, start, words);
    surety__layout_value(out, shape->at, NOTE_VALUE_MAX);
}

/* Appends the constraints of an array itself. */
static void note_list(const surety__arrays *arrays, surety_buf *out,
                      size_t start)
{
    note_counts(out, start, arrays->min_items, arrays->max_items, "item");
    if (arrays->unique)
        note_begin(out, start, "all different");
    if (arrays->contains &&
        (arrays->min_contains || arrays->max_contains != UINT64_MAX)) {
        note_counts(out, start, arrays->min_contains, arrays->max_contains,
                    "item");
        note_schema(out, out->len, " like ", arrays->contains);
    }
}

/* Appends the constraints of an array, its items, and their items: these have
 * no line of their own. */
static void note_arrays(const surety__shape *shape, surety_buf *out,
                        size_t start)
{
    const surety__shape *item = shape->arrays ? shape->arrays->rest : NULL;
    size_t before = out->len;

    if (shape->arrays)
        note_list(shape->arrays, out, start);
    for (unsigned n = 0; n < NOTE_NESTED && item && !item->objects; n++) {
        size_t from;

        before = out->len;
        note_begin(out, start, n == 0 ? "each item: " : "each of its items: ");
        from = out->len;
        note_text(out, from, "", surety_val_get(item->at, "description"));
        note_numbers(item, out, from);
        note_strings(item, out, from);
        if (item->arrays)
            note_list(item->arrays, out, from);
        if (out->len == from && out->status == SURETY_OK)
            out->len = before;
        item = item->arrays ? item->arrays->rest : NULL;
    }
}

/* Appends the constraints of keys, except that they are strings. */
static void note_names(const surety__shape *names, surety_buf *out,
                       size_t start)
{
    while (names && names->applicator_count == 1 &&
           names->applicators[0].kind == APPLY_ALL &&
           names->applicators[0].keyword == KW_REF &&
           surety_val_count(names->at) == 1)
        names = names->applicators[0].shapes[0];
    if (!names || names->always ||
        (surety_val_count(names->at) == 1 && names->types & TYPE_STRING &&
         surety_val_get(names->at, "type").doc))
        return;
    if (!names->choices || names->applicator_count) {
        note_schema(out, start, "each key: ", names);
        return;
    }
    note_begin(out, start, "each key one of ");
    surety__layout_value(out, surety_val_get(names->at, "enum"),
                         NOTE_VALUE_MAX);
}

static void note_objects(const surety__shape *shape, surety_buf *out,
                         size_t start)
{
    const surety__objects *objects = shape->objects;

    if (!objects)
        return;
    if (objects->min_properties || objects->max_properties != UINT64_MAX)
        note_counts(out, start, objects->min_properties,
                    objects->max_properties, "key");
    for (uint32_t i = 0; i < objects->dependent_count; i++) {
        note_begin(out, start, "with ");
        surety_json_string(out, objects->dependents[i].key);
        surety_buf_text(out, " also ");
        surety__layout_value(
            out, surety__val_of(shape->at.doc, objects->dependents[i].names),
            NOTE_VALUE_MAX);
    }
    note_names(objects->names, out, start);
}

/* Appends not, if and similar keywords as JSON, which models read well. */
static void note_conditions(const surety__shape *shape, surety_buf *out,
                            size_t start)
{
    for (uint32_t i = 0; i < shape->applicator_count; i++) {
        const surety__applicator *one = &shape->applicators[i];

        if (one->kind == APPLY_NOT) {
            note_schema(out, start, "but not ", one->shapes[0]);
        } else if (one->kind == APPLY_IF) {
            note_schema(out, start, "if ", one->shapes[0]);
            note_schema(out, out->len, " then ", one->shapes[1]);
            note_schema(out, out->len, " else ", one->shapes[2]);
        } else if (one->kind == APPLY_DEPENDENT) {
            note_begin(out, start, "with ");
            surety_json_string(out, one->key);
            note_schema(out, out->len, " also ", one->shapes[0]);
        } else if (one->kind == APPLY_PROPERTY_VALUE) {
            note_begin(out, start, "where ");
            surety_json_string(out, one->key);
            surety_buf_text(out, " is ");
            surety_json_string(out, one->value);
            note_schema(out, out->len, " also ", one->shapes[0]);
        }
    }
}

void surety__spell_note(const surety__shape *shape, surety_buf *out)
{
    const surety_val words = surety_val_get(shape->at, "description");
    const surety_val otherwise = surety_val_get(shape->at, "default");
    const bool deprecated =
        surety_val_bool(surety_val_get(shape->at, "deprecated"), false);
    const size_t begin = out->len;
    size_t start, open;

    if (surety_val_kind(words) == SURETY_KIND_STRING)
        surety__spell_line(out, surety_val_str(words));
    open = out->len;
    if (open > begin)
        surety_buf_text(out, " (");
    start = out->len;
    note_numbers(shape, out, start);
    note_strings(shape, out, start);
    note_arrays(shape, out, start);
    note_objects(shape, out, start);
    note_conditions(shape, out, start);
    if (otherwise.doc) {
        note_begin(out, start, "default ");
        surety__layout_value(out, otherwise, NOTE_VALUE_MAX);
    }
    if (deprecated)
        note_begin(out, start, "deprecated");
    if (out->status != SURETY_OK)
        return;
    if (out->len == start)
        out->len = open;
    else if (open > begin)
        surety_buf_byte(out, ')');
}
