/* SPDX-License-Identifier: Apache-2.0 */
/* The words of findings. One sentence, no full stop: what stands there, then
 * what the schema wants. Values are quoted as JSON and cut; containers are
 * called by their kind. Hints are what was likely meant, with a question mark,
 * and only where it is evident. */
#include "schema/machine.h"

enum { QUOTE_BYTES = 60, LIST_VALUES = 12 };

/* Appends JSON cut, between code points, to what a line can bear. */
static void message_cut(surety_buf *out, const surety_buf *json)
{
    size_t keep = json->len;

    if (json->status)
        out->status = json->status;
    if (keep > QUOTE_BYTES) {
        keep = QUOTE_BYTES;
        while (keep && ((unsigned char)json->ptr[keep] & 0xC0) == 0x80)
            keep--;
    }
    surety_buf_append(out, json->ptr, keep);
    if (keep < json->len)
        surety_buf_text(out, "...");
}

static void message_name(surety_buf *out, surety_str name)
{
    surety_buf json;

    surety_buf_init(&json, out->alloc, 0);
    surety_json_string(&json, name);
    message_cut(out, &json);
    surety_buf_done(&json);
}

static void message_quote(surety_buf *out, surety_val val)
{
    surety_buf json;

    switch (surety_val_kind(val)) {
    case SURETY_KIND_ARRAY: surety_buf_text(out, "the array"); return;
    case SURETY_KIND_OBJECT: surety_buf_text(out, "the object"); return;
    case SURETY_KIND_STRING: message_name(out, surety_val_str(val)); return;
    default: break;
    }
    surety_buf_init(&json, out->alloc, 0);
    surety_val_write(val, SURETY_STYLE_COMPACT, &json);
    message_cut(out, &json);
    surety_buf_done(&json);
}

static void message_count(surety_buf *out, uint64_t count, const char *noun,
                          const char *nouns)
{
    surety_buf_number(out, count);
    surety_buf_byte(out, ' ');
    surety_buf_text(out, count == 1 ? noun : nouns);
}

/* ---- types ------------------------------------------------------------- */

static const struct {
    unsigned bits;
    const char *name;
} type_names[] = {
    {TYPE_NUMBER | TYPE_INTEGER, "a number"},
    {TYPE_INTEGER, "an integer"},
    {TYPE_STRING, "a string"},
    {TYPE_BOOLEAN, "a boolean"},
    {TYPE_OBJECT, "an object"},
    {TYPE_ARRAY, "an array"},
    {TYPE_NULL, "null"},
};

/* "a string, a number or null" */
static void message_types(surety_buf *out, unsigned types)
{
    const char *list[7];
    size_t count = 0;

    for (size_t i = 0; i < sizeof(type_names) / sizeof(*type_names); i++)
        if ((types & type_names[i].bits) == type_names[i].bits) {
            list[count++] = type_names[i].name;
            types &= ~type_names[i].bits;
        }
    for (size_t i = 0; i < count; i++) {
        if (i)
            surety_buf_text(out, i + 1 == count ? " or " : ", ");
        surety_buf_text(out, list[i]);
    }
}

static const char *type_of_val(surety_val val)
{
    static const char *const names[] = {
        [SURETY_KIND_NONE] = "nothing",      [SURETY_KIND_NULL] = "null",
        [SURETY_KIND_BOOLEAN] = "a boolean", [SURETY_KIND_NUMBER] = "a number",
        [SURETY_KIND_STRING] = "a string",   [SURETY_KIND_ARRAY] = "an array",
        [SURETY_KIND_OBJECT] = "an object",
    };

    return names[surety_val_kind(val)];
}

static void message_type(const surety__shape *shape, surety_val val,
                         surety_buf *out)
{
    surety_kind kind = surety_val_kind(val);

    if (kind == SURETY_KIND_ARRAY || kind == SURETY_KIND_OBJECT) {
        surety_buf_text(out, type_of_val(val));
        surety_buf_text(out, " stands here, but it must be ");
    } else if (kind == SURETY_KIND_NULL || kind == SURETY_KIND_NUMBER) {
        message_quote(out, val);
        surety_buf_text(out, " must be ");
    } else {
        message_quote(out, val);
        surety_buf_text(out, " is ");
        surety_buf_text(out, type_of_val(val));
        surety_buf_text(out, ", but must be ");
    }
    message_types(out, shape->types);
}

/* ---- values ------------------------------------------------------------ */

static surety_val message_keyword(const surety__shape *shape,
                                  surety__keyword keyword)
{
    return surety_val_member(shape->at, surety__keyword_name(keyword));
}

static void message_enum(const surety__shape *shape, surety_val val,
                         surety_buf *out)
{
    surety_val list = message_keyword(shape, KW_ENUM);
    size_t count = surety_val_count(list);
    size_t told = 0;

    message_quote(out, val);
    if (count == 0) {
        surety_buf_text(out, " is not allowed: the enum has no values");
        return;
    }
    surety_buf_text(out, count == 1 ? " is not " : " is not one of ");
    for (surety_val v = surety_val_first(list); v.doc && told < LIST_VALUES;
         v = surety_val_next(list, v)) {
        if (told++)
            surety_buf_text(out, ", ");
        message_quote(out, v);
    }
    if (count > told) {
        surety_buf_text(out, " and ");
        surety_buf_number(out, count - told);
        surety_buf_text(out, " more");
    }
}

/* "VALUE WORDS BOUND" */
static void message_bound(surety_val val, const char *words, surety_val bound,
                          surety_buf *out)
{
    message_quote(out, val);
    surety_buf_text(out, words);
    message_quote(out, bound);
}

/* "SUBJECT has N NOUNS, fewer than the minimum of BOUND" */
static void message_size(surety_val val, const surety__failure *failure,
                         bool few, surety_val bound, surety_buf *out)
{
    bool text = surety_val_kind(val) == SURETY_KIND_STRING;
    bool array = surety_val_kind(val) == SURETY_KIND_ARRAY;

    message_quote(out, val);
    surety_buf_text(out, " has ");
    message_count(out, failure->count,
                  text    ? "character"
                  : array ? "item"
                          : "property",
                  text    ? "characters"
                  : array ? "items"
                          : "properties");
    surety_buf_text(out, few ? ", fewer than the minimum of "
                             : ", more than the maximum of ");
    message_quote(out, bound);
}

static void message_contains(const surety__failure *failure, surety_val bound,
                             surety_buf *out)
{
    message_count(out, failure->count, "item matches", "items match");
    surety_buf_text(out, " the schema of contains");
    if (failure->keyword == KW_CONTAINS) {
        surety_buf_text(out, ", but at least 1 must");
        return;
    }
    surety_buf_text(out, failure->keyword == KW_MIN_CONTAINS
                             ? ", fewer than the minimum of "
                             : ", more than the maximum of ");
    message_quote(out, bound);
}

static void message_union(const surety__machine *machine,
                          const surety__failure *failure, surety_val val,
                          surety_buf *out)
{
    const surety__frame *frame = &machine->frames[machine->depth - 1];
    const surety__applicator *applicator =
        &frame->shape->applicators[frame->at];
    unsigned types = 0;

    message_quote(out, val);
    if (failure->count > 1) {
        surety_buf_text(out, " matches more than one of the ");
        surety_buf_number(out, failure->other);
        surety_buf_text(out, " schemas of oneOf, but must match exactly one");
        return;
    }
    for (uint32_t i = 0; i < applicator->count; i++)
        types |=
            applicator->shapes[i]->never ? 0u : applicator->shapes[i]->types;
    if (types != TYPE_ANY &&
        !(types & surety__type_bits(machine->doc, failure->instance, false))) {
        surety_buf_text(out, " must be ");
        message_types(out, types);
        return;
    }
    surety_buf_text(out, " matches none of the ");
    surety_buf_number(out, failure->other);
    surety_buf_text(out, " schemas of ");
    surety_buf_add(out, surety__keyword_name(failure->keyword));
}

static void message_false(const surety__machine *machine,
                          const surety__failure *failure, surety_val val,
                          surety_buf *out)
{
    const surety__frame *frame = &machine->frames[machine->depth - 1];

    switch (failure->step.keyword) {
    case KW_PROPERTIES:
    case KW_PATTERN_PROPERTIES:
    case KW_ADDITIONAL_PROPERTIES:
    case KW_UNEVALUATED_PROPERTIES:
    case KW_PROPERTY_NAMES:
        surety_buf_text(out, "the property ");
        message_name(out,
                     failure->instance->kind == CELL_KEY
                         ? surety__cell_str(machine->doc, failure->instance)
                         : failure->step.token);
        surety_buf_text(out, " is not allowed");
        return;
    case KW_ITEMS:
    case KW_ITEMS_ARRAY:
    case KW_ADDITIONAL_ITEMS:
    case KW_PREFIX_ITEMS:
    case KW_UNEVALUATED_ITEMS:
        surety_buf_text(out, "the item ");
        surety_buf_number(out, frame->ordinal);
        surety_buf_text(out, " is not allowed");
        if (frame->shape->arrays && failure->step.keyword != KW_PREFIX_ITEMS) {
            surety_buf_text(out, ": the array may have ");
            message_count(out,
                          failure->step.keyword == KW_UNEVALUATED_ITEMS
                              ? frame->ordinal
                              : frame->shape->arrays->prefix_count,
                          "item", "items");
        }
        return;
    default:
        message_quote(out, val);
        surety_buf_text(out, " is not allowed: the schema here is false");
    }
}

static void message_unique(const surety__failure *failure, surety_buf *out)
{
    surety_buf_text(out, "the items ");
    surety_buf_number(out, failure->count);
    surety_buf_text(out, " and ");
    surety_buf_number(out, failure->other);
    surety_buf_text(out, " are equal, but items must be unique");
}

static void message_missing(const surety__failure *failure, surety_buf *out)
{
    surety_buf_text(out, "the required property ");
    message_name(out, failure->name);
    surety_buf_text(out, " is missing");
    if (failure->keyword != KW_REQUIRED) {
        surety_buf_text(out, ": ");
        message_name(out, failure->step.token);
        surety_buf_text(out, " needs it");
    }
}

static void message_pattern(const surety__shape *shape, surety_val val,
                            surety_buf *out)
{
    surety_str source = surety_val_str(message_keyword(shape, KW_PATTERN));

    message_quote(out, val);
    surety_buf_text(out, " does not match the pattern ");
    surety_buf_append(out, source.ptr,
                      source.len < 2 * QUOTE_BYTES ? source.len
                                                   : 2 * QUOTE_BYTES);
}

void surety__message_write(const surety__machine *machine,
                           const surety__failure *failure, surety_buf *out)
{
    const surety__shape *shape = machine->frames[machine->depth - 1].shape;
    surety_val val = surety__val_of(machine->doc, failure->instance);
    surety_val bound = failure->keyword
                           ? message_keyword(shape, failure->keyword)
                           : surety_val_none();

    if (failure->is_false) {
        message_false(machine, failure, val, out);
        return;
    }
    switch (failure->keyword) {
    case KW_TYPE: message_type(shape, val, out); return;
    case KW_ENUM: message_enum(shape, val, out); return;
    case KW_CONST: message_bound(val, " is not ", bound, out); return;
    case KW_MINIMUM:
        message_bound(val, " is less than the minimum of ", bound, out);
        return;
    case KW_MAXIMUM:
        message_bound(val, " is greater than the maximum of ", bound, out);
        return;
    case KW_EXCLUSIVE_MINIMUM:
        message_bound(
            val, " is not greater than ",
            surety__val_of(shape->at.doc, shape->numbers->exclusive_minimum),
            out);
        return;
    case KW_EXCLUSIVE_MAXIMUM:
        message_bound(
            val, " is not less than ",
            surety__val_of(shape->at.doc, shape->numbers->exclusive_maximum),
            out);
        return;
    case KW_MULTIPLE_OF:
        message_bound(val, " is not a multiple of ", bound, out);
        return;
    case KW_MIN_LENGTH:
    case KW_MIN_ITEMS:
    case KW_MIN_PROPERTIES:
        message_size(val, failure, true, bound, out);
        return;
    case KW_MAX_LENGTH:
    case KW_MAX_ITEMS:
    case KW_MAX_PROPERTIES:
        message_size(val, failure, false, bound, out);
        return;
    case KW_PATTERN: message_pattern(shape, val, out); return;
    case KW_FORMAT:
        message_quote(out, val);
        surety_buf_text(out, " is not a valid ");
        surety_buf_add(out, shape->strings->format_name);
        return;
    case KW_CONTENT_ENCODING:
        message_quote(out, val);
        surety_buf_text(out, " is not base64");
        return;
    case KW_CONTENT_MEDIA_TYPE:
        message_quote(out, val);
        surety_buf_text(out, " is not JSON");
        return;
    case KW_UNIQUE_ITEMS: message_unique(failure, out); return;
    case KW_CONTAINS:
    case KW_MIN_CONTAINS:
    case KW_MAX_CONTAINS: message_contains(failure, bound, out); return;
    case KW_REQUIRED:
    case KW_DEPENDENT_REQUIRED:
    case KW_DEPENDENCIES: message_missing(failure, out); return;
    case KW_NOT:
        message_quote(out, val);
        surety_buf_text(out, " matches the schema that not forbids");
        return;
    case KW_ANY_OF:
    case KW_ONE_OF: message_union(machine, failure, val, out); return;
    default:
        message_quote(out, val);
        surety_buf_text(out, " does not satisfy ");
        surety_buf_add(out, surety__keyword_name(failure->keyword));
    }
}

/* ---- hints ------------------------------------------------------------- */

/* Near enough to be a slip: another case, or at most a third of it wrong. */
static bool hint_near(surety_str a, surety_str b)
{
    unsigned most = a.len < 4 ? 1 : a.len < 8 ? 2 : 3;

    return surety__str_equal_nocase(a, b) ||
           (a.len > 2 && b.len > 2 && surety__str_distance(a, b, most) <= most);
}

static void hint_enum(const surety__shape *shape, surety_val val,
                      surety_buf *out)
{
    surety_val list = message_keyword(shape, KW_ENUM);

    if (surety_val_kind(val) != SURETY_KIND_STRING)
        return;
    for (surety_val v = surety_val_first(list); v.doc;
         v = surety_val_next(list, v)) {
        if (surety_val_kind(v) != SURETY_KIND_STRING ||
            !hint_near(surety_val_str(val), surety_val_str(v)))
            continue;
        message_quote(out, v);
        surety_buf_byte(out, '?');
        return;
    }
}

/* A text that holds what was wanted, or a value that ought to be text. */
static void hint_type(const surety__shape *shape, surety_val val,
                      surety_buf *out)
{
    surety_kind kind = surety_val_kind(val);
    surety_str text = surety_val_str(val);
    surety_doc *doc = NULL;

    if (kind == SURETY_KIND_STRING && text.len && text.len < QUOTE_BYTES) {
        doc = surety_doc_new(out->alloc);
        if (doc && !surety_doc_read(doc, text, NULL, NULL)) {
            surety_val inner = surety_doc_root(doc);

            if (surety_val_kind(inner) != SURETY_KIND_STRING &&
                (shape->types & surety__type_bits(doc, surety__cell_of(inner),
                                                  shape->lexical_integer))) {
                surety_buf_add(out, text);
                surety_buf_byte(out, '?');
            }
        }
        surety_doc_free(doc);
    } else if ((kind == SURETY_KIND_NUMBER || kind == SURETY_KIND_BOOLEAN) &&
               shape->types & TYPE_STRING) {
        surety_buf_byte(out, '"');
        message_quote(out, val);
        surety_buf_text(out, "\"?");
    } else if (kind != SURETY_KIND_ARRAY && shape->types == TYPE_ARRAY) {
        surety_buf_text(out, "an array with this one item?");
    }
}

/* A share written as a percentage: 85 where at most 1 may stand. */
static void hint_maximum(const surety__shape *shape, surety_val val,
                         surety_buf *out)
{
    double maximum = surety_val_real(message_keyword(shape, KW_MAXIMUM), 0.0);
    double value = surety_val_real(val, 0.0);
    char digits[32];

    if (maximum > 1.0 || maximum < 1.0 || value > 100.0)
        return;
    surety_buf_append(out, digits, surety__number_write(value / 100.0, digits));
    surety_buf_byte(out, '?');
}

/* A missing name: a name that is there, is not the schema's, and is near. */
static void hint_required(const surety__machine *machine,
                          const surety__shape *shape,
                          const surety__failure *failure, surety_buf *out)
{
    surety_val object = surety__val_of(machine->doc, failure->instance);

    for (surety_val v = surety_val_first(object); v.doc;
         v = surety_val_next(object, v)) {
        surety_val key = surety_val_key(v);

        if (shape->objects && surety__objects_find(shape->objects, machine->doc,
                                                   surety__cell_of(key)))
            continue;
        if (!hint_near(surety_val_str(key), failure->name))
            continue;
        surety_buf_text(out, "is it ");
        message_name(out, surety_val_str(key));
        surety_buf_byte(out, '?');
        return;
    }
}

/* A name that is not allowed: one of the schema's that is absent and near. */
static void hint_property(const surety__machine *machine,
                          const surety__shape *shape,
                          const surety__failure *failure, surety_buf *out)
{
    const surety__objects *objects = shape->objects;
    const surety__cell *object = machine->frames[machine->depth - 1].cell;
    surety_str name = surety__cell_str(machine->doc, failure->instance);

    for (uint32_t i = 0; objects && i < objects->property_count; i++) {
        const surety__property *property = &objects->properties[i];

        if (!property->shape || !hint_near(name, property->name))
            continue;
        if (surety__member(
                machine->doc, object, property->name,
                surety__hash(property->name.ptr, property->name.len)))
            continue;
        message_name(out, property->name);
        surety_buf_byte(out, '?');
        return;
    }
}

void surety__message_hint(const surety__machine *machine,
                          const surety__failure *failure, surety_buf *out)
{
    const surety__shape *shape = machine->frames[machine->depth - 1].shape;
    surety_val val = surety__val_of(machine->doc, failure->instance);

    if (failure->is_false) {
        if (failure->instance->kind == CELL_KEY)
            hint_property(machine, shape, failure, out);
        return;
    }
    switch (failure->keyword) {
    case KW_TYPE: hint_type(shape, val, out); return;
    case KW_ENUM: hint_enum(shape, val, out); return;
    case KW_MAXIMUM: hint_maximum(shape, val, out); return;
    case KW_REQUIRED: hint_required(machine, shape, failure, out); return;
    default: return;
    }
}
