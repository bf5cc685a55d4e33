/* SPDX-License-Identifier: Apache-2.0 */
/* The words of findings. One sentence, no full stop: the value, then
 * what the schema wants. Values are quoted as JSON, long ones cut with "..."
 * behind them; arrays and objects are called by their kind. Hints are what was
 * likely meant, with a question mark, and only where it is evident. */
#include "schema/machine.h"

enum {
    QUOTE_BYTES = 60,
    QUOTE_CELLS = 24,
    LIST_VALUES = 12,
    HINT_NAMES = 512,  /* looked at for one hint */
    HINT_BYTES = 65536 /* of a text read for one: bounds the work */
};

/* The head of text that a line can bear, cut between code points. */
static surety_str message_head(surety_str text)
{
    size_t keep = text.len;

    if (keep > QUOTE_BYTES) {
        keep = QUOTE_BYTES;
        while (keep && ((unsigned char)text.ptr[keep] & 0xC0) == 0x80)
            keep--;
    }
    return (surety_str){text.ptr, keep};
}

static void message_name(surety_buf *out, surety_str name)
{
    surety_str head = message_head(name);

    surety_json_string(out, head);
    if (head.len < name.len)
        surety_buf_text(out, "...");
}

/* A value that is no string, as JSON. */
static void message_json(surety_buf *out, surety_val val)
{
    size_t start = out->len;
    size_t keep;

    surety_val_write(val, SURETY_STYLE_COMPACT, out);
    if (out->status)
        return;
    keep = message_head((surety_str){out->ptr + start, out->len - start}).len;
    if (start + keep == out->len)
        return;
    out->len = start + keep;
    surety_buf_text(out, "...");
}

static void message_quote(surety_buf *out, surety_val val)
{
    switch (surety_val_kind(val)) {
    case SURETY_KIND_ARRAY: surety_buf_text(out, "the array"); return;
    case SURETY_KIND_OBJECT: surety_buf_text(out, "the object"); return;
    case SURETY_KIND_STRING: message_name(out, surety_val_str(val)); return;
    default: message_json(out, val);
    }
}

static bool message_is_large(surety_val val)
{
    const surety__cell *cell = surety__cell_of(val);

    return cell->kind >= CELL_ARRAY && cell->span > QUOTE_CELLS;
}

/* A value that a schema requires: a small array or object is shown too. */
static void message_wanted(surety_buf *out, surety_val val)
{
    if (surety_val_kind(val) >= SURETY_KIND_ARRAY && !message_is_large(val))
        message_json(out, val);
    else
        message_quote(out, val);
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
    size_t shown = 0;

    message_quote(out, val);
    if (count == 0) {
        surety_buf_text(out, " is not allowed: the enum has no values");
        return;
    }
    surety_buf_text(out, count == 1 ? " must be " : " is not one of ");
    for (surety_val v = surety_val_first(list); v.doc && shown < LIST_VALUES;
         v = surety_val_next(list, v)) {
        if (shown++)
            surety_buf_text(out, ", ");
        message_wanted(out, v);
    }
    if (count > shown) {
        surety_buf_text(out, " and ");
        surety_buf_number(out, count - shown);
        surety_buf_text(out, " more");
    }
}

/* "VALUE WORDS BOUND" */
static void message_bound(surety_val val, const char *words, surety_val bound,
                          surety_buf *out)
{
    message_quote(out, val);
    surety_buf_text(out, words);
    message_wanted(out, bound);
}

static void message_const(surety_val val, surety_val bound, surety_buf *out)
{
    bool shown = !message_is_large(bound);

    message_bound(val, shown ? " must be " : " must be equal to ", bound, out);
    if (!shown)
        surety_buf_text(out, " that const gives");
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
    if (failure->keyword == KW_CONTAINS) {
        surety_buf_text(out, "no item matches the schema of contains, but at "
                             "least one must");
        return;
    }
    message_count(out, failure->count, "item matches", "items match");
    surety_buf_text(out, " the schema of contains, ");
    surety_buf_text(out, failure->keyword == KW_MIN_CONTAINS
                             ? "fewer than the minimum of "
                             : "more than the maximum of ");
    message_quote(out, bound);
}

/* Every branch names the values of one property, and none has the one that
 * is there. */
static void message_unknown(const surety__machine *machine,
                            const surety__applicator *applicator,
                            const surety__cell *key, surety_buf *out)
{
    size_t shown = 0;

    surety_buf_text(out, "the property ");
    message_name(out, surety__cell_str(machine->doc, key));
    surety_buf_text(out, " is ");
    message_quote(out, surety__val_of(machine->doc, key + 1));
    surety_buf_text(out, ", not one of ");
    for (uint32_t i = 0; i < applicator->count; i++) {
        const surety__shape *of = NULL;
        surety_val list, v;

        if (!surety__meant_choices(machine->doc, applicator->shapes[i], key,
                                   &of))
            continue;
        list = message_keyword(of, of->constant ? KW_CONST : KW_ENUM);
        v = of->constant ? list : surety_val_first(list);
        for (; v.doc;
             v = of->constant ? surety_val_none() : surety_val_next(list, v)) {
            if (shown == LIST_VALUES) {
                surety_buf_text(out, ", ...");
                return;
            }
            if (shown++)
                surety_buf_text(out, ", ");
            message_wanted(out, v);
        }
    }
}

static void message_union(const surety__machine *machine,
                          const surety__failure *failure, surety_val val,
                          surety_buf *out)
{
    const surety__frame *frame = &machine->frames[machine->depth - 1];
    const surety__applicator *applicator =
        &frame->shape->applicators[frame->at];
    const surety__cell *unknown =
        failure->count ? NULL
                       : surety__meant_unknown(machine->doc, applicator,
                                               failure->instance);
    unsigned types = 0;

    if (unknown) {
        message_unknown(machine, applicator, unknown, out);
        return;
    }
    message_quote(out, val);
    if (failure->count > 1) {
        surety_buf_text(out, " matches both schema ");
        surety_buf_number(out, frame->first);
        surety_buf_text(out, " and schema ");
        surety_buf_number(out, frame->second);
        surety_buf_text(out, " of oneOf, but must match exactly one");
        return;
    }
    for (uint32_t i = 0; i < applicator->count; i++) {
        const surety__shape *branch =
            surety__shape_meant(applicator->shapes[i], NULL);

        types |= branch->never ? 0u : branch->types;
    }
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
        message_name(out, surety__cell_str(machine->doc,
                                           failure->instance->kind == CELL_KEY
                                               ? failure->instance
                                               : failure->instance - 1));
        surety_buf_text(out, " is not allowed");
        return;
    case KW_ITEMS:
    case KW_ITEMS_ARRAY:
    case KW_ADDITIONAL_ITEMS:
    case KW_PREFIX_ITEMS:
    case KW_UNEVALUATED_ITEMS:
        surety_buf_text(out, "item ");
        surety_buf_number(out, surety__frame_ordinal(frame));
        surety_buf_text(out, " is not allowed");
        if (failure->step.keyword == KW_UNEVALUATED_ITEMS ||
            failure->step.index != UINT32_MAX)
            return;
        if (!frame->shape->arrays->prefix_count) {
            surety_buf_text(out, ": the array must be empty");
            return;
        }
        surety_buf_text(out, ": the array may have at most ");
        message_count(out, frame->shape->arrays->prefix_count, "item", "items");
        return;
    case KW_DEPENDENT_SCHEMAS:
    case KW_DEPENDENCIES:
        surety_buf_text(out, "the property ");
        message_name(out, failure->step.token);
        surety_buf_text(out, " is not allowed");
        return;
    case KW_PROPERTY_DEPENDENCIES:
        surety_buf_text(out, "the property ");
        message_name(out, failure->step.token);
        surety_buf_text(out, " must not be ");
        message_quote(out, surety_val_key(failure->never->at));
        return;
    case KW_NONE:
        message_quote(out, val);
        surety_buf_text(out, " is not allowed: the schema is false");
        return;
    default:
        message_quote(out, val);
        surety_buf_text(out, " is not allowed: the schema of ");
        surety_buf_add(out, surety__keyword_name(failure->step.keyword));
        surety_buf_text(out, " is false");
    }
}

static void message_unique(const surety__failure *failure, surety_buf *out)
{
    surety_buf_text(out, "items ");
    surety_buf_number(out, failure->count);
    surety_buf_text(out, " and ");
    surety_buf_number(out, failure->other);
    surety_buf_text(out, " are equal, but must be unique");
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

/* As it is, for quoting doubles every backslash; only control characters make
 * it a JSON string. */
static void message_pattern(const surety__shape *shape, surety_val val,
                            surety_buf *out)
{
    surety_str source = surety_val_str(message_keyword(shape, KW_PATTERN));

    message_quote(out, val);
    surety_buf_text(out, " does not match the pattern ");
    for (size_t i = 0; i < source.len; i++)
        if ((unsigned char)source.ptr[i] < 0x20) {
            message_name(out, source);
            return;
        }
    surety_buf_add(out, message_head(source));
    if (source.len > QUOTE_BYTES)
        surety_buf_text(out, "...");
}

/* The bounds are those of the shape, for draft 4 writes the exclusive ones
 * otherwise. */
static void message_number(const surety__shape *shape, surety__keyword keyword,
                           surety_val val, surety_buf *out)
{
    const surety__numbers *numbers = shape->numbers;
    const struct {
        surety__keyword keyword;
        const char *words;
        const surety__cell *bound;
    } rows[] = {
        {KW_MINIMUM, " is less than the minimum of ", numbers->minimum},
        {KW_MAXIMUM, " is greater than the maximum of ", numbers->maximum},
        {KW_EXCLUSIVE_MINIMUM, " is not greater than ",
         numbers->exclusive_minimum},
        {KW_EXCLUSIVE_MAXIMUM, " is not less than ",
         numbers->exclusive_maximum},
        {KW_MULTIPLE_OF, " is not a multiple of ", numbers->multiple_of},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (rows[i].keyword == keyword)
            message_bound(val, rows[i].words,
                          surety__val_of(shape->at.doc, rows[i].bound), out);
}

void surety__message_write(const surety__machine *machine,
                           const surety__failure *failure, surety_buf *out)
{
    const surety__shape *shape = machine->frames[machine->depth - 1].shape;
    surety_val val = surety__val_of(machine->doc, failure->instance);
    surety_val bound = failure->keyword
                           ? message_keyword(shape, failure->keyword)
                           : surety_val_none();

    if (failure->never) {
        message_false(machine, failure, val, out);
        return;
    }
    if (failure->instance->kind == CELL_KEY)
        surety_buf_text(out, "the property name ");
    switch (failure->keyword) {
    case KW_TYPE: message_type(shape, val, out); return;
    case KW_ENUM: message_enum(shape, val, out); return;
    case KW_CONST: message_const(val, bound, out); return;
    case KW_MINIMUM:
    case KW_MAXIMUM:
    case KW_EXCLUSIVE_MINIMUM:
    case KW_EXCLUSIVE_MAXIMUM:
    case KW_MULTIPLE_OF:
        message_number(shape, failure->keyword, val, out);
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
        surety_buf_text(out, " matches the schema of not, but must not");
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

enum { HINT_FAR = 4 };

/* How far two names are apart, 0 for another case; HINT_FAR where they are not
 * near enough for a slip, which is at most a third of a name. */
static unsigned hint_distance(surety_str a, surety_str b)
{
    unsigned most = a.len < 4 ? 1 : a.len < 8 ? 2 : 3;
    unsigned distance;

    if (surety__str_equal_nocase(a, b))
        return 0;
    if (a.len < 3 || b.len < 3)
        return HINT_FAR;
    distance = surety__str_distance(a, b, most);
    return distance <= most ? distance : HINT_FAR;
}

static void hint_enum(const surety__shape *shape, surety_val val,
                      surety_buf *out)
{
    surety_val list = message_keyword(shape, KW_ENUM);
    surety_val nearest = surety_val_none();
    unsigned least = HINT_FAR;
    size_t seen = 0;

    if (surety_val_kind(val) != SURETY_KIND_STRING)
        return;
    for (surety_val v = surety_val_first(list); v.doc && seen++ < HINT_NAMES;
         v = surety_val_next(list, v)) {
        unsigned distance =
            surety_val_kind(v) == SURETY_KIND_STRING
                ? hint_distance(surety_val_str(val), surety_val_str(v))
                : HINT_FAR;

        if (distance >= least)
            continue;
        least = distance;
        nearest = v;
    }
    if (!nearest.doc)
        return;
    message_quote(out, nearest);
    surety_buf_byte(out, '?');
}

/* A text that holds the JSON that was wanted: that JSON, or its head. */
static void hint_inside(surety__machine *machine, const surety__shape *shape,
                        surety_str text, surety_buf *out)
{
    surety_status status = SURETY_NOMEM;
    surety_val inner = surety_val_none();

    if (!machine->content)
        machine->content = surety_doc_new(machine->alloc);
    if (machine->content)
        status = surety_doc_read(machine->content, text, NULL, NULL);
    if (status == SURETY_NOMEM && !out->status)
        out->status = status;
    if (!status)
        inner = surety_doc_root(machine->content);
    /* The head of a number would be another one. */
    if (inner.doc && surety_val_kind(inner) != SURETY_KIND_STRING &&
        (text.len < QUOTE_BYTES ||
         surety_val_kind(inner) >= SURETY_KIND_ARRAY) &&
        (shape->types & surety__type_bits(inner.doc, surety__cell_of(inner),
                                          shape->lexical_integer))) {
        message_json(out, inner);
        surety_buf_byte(out, '?');
    }
}

static void hint_type(surety__machine *machine, const surety__shape *shape,
                      surety_val val, surety_buf *out)
{
    surety_kind kind = surety_val_kind(val);
    surety_str text = surety_val_str(val);
    size_t before = out->len;

    if (kind == SURETY_KIND_STRING && text.len && text.len < HINT_BYTES)
        hint_inside(machine, shape, text, out);
    if ((kind == SURETY_KIND_BOOLEAN ||
         (kind == SURETY_KIND_NUMBER &&
          surety_val_number(val).len < QUOTE_BYTES)) &&
        shape->types & TYPE_STRING) {
        surety_buf_byte(out, '"');
        message_quote(out, val);
        surety_buf_text(out, "\"?");
    }
    if (out->len == before && shape->types == TYPE_ARRAY &&
        kind != SURETY_KIND_ARRAY && kind != SURETY_KIND_NULL)
        surety_buf_text(out, "an array with this one item?");
}

/* A share written as a percentage: 85 where 1 is the maximum. What is up to
 * 10 may be a mark out of ten. */
static void hint_maximum(const surety__shape *shape, surety_val val,
                         surety_buf *out)
{
    double maximum = surety_val_real(message_keyword(shape, KW_MAXIMUM), 0.0);
    double value = surety_val_real(val, 0.0);
    char digits[32];

    if (maximum > 1.0 || maximum < 1.0 || value <= 10.0 || value > 100.0)
        return;
    surety_buf_append(out, digits, surety__number_write(value / 100.0, digits));
    surety_buf_byte(out, '?');
}

/* A missing name: the nearest that is there and is not the schema's. */
static void hint_required(const surety__machine *machine,
                          const surety__shape *shape,
                          const surety__failure *failure, surety_buf *out)
{
    surety_val object = surety__val_of(machine->doc, failure->instance);
    surety_str nearest = {NULL, 0};
    unsigned least = HINT_FAR;
    size_t seen = 0;

    for (surety_val v = surety_val_first(object); v.doc && seen++ < HINT_NAMES;
         v = surety_val_next(object, v)) {
        surety_val key = surety_val_key(v);
        unsigned distance = hint_distance(surety_val_str(key), failure->name);

        if (distance >= least ||
            surety__objects_find(shape->objects, machine->doc,
                                 surety__cell_of(key)))
            continue;
        least = distance;
        nearest = surety_val_str(key);
    }
    if (least == HINT_FAR)
        return;
    surety_buf_text(out, "is it ");
    message_name(out, nearest);
    surety_buf_byte(out, '?');
}

/* A name that is not allowed: the nearest of the schema's that is absent. */
static void hint_property(const surety__machine *machine,
                          const surety__shape *shape,
                          const surety__failure *failure, surety_buf *out)
{
    const surety__objects *objects = shape->objects;
    const surety__cell *object = machine->frames[machine->depth - 1].cell;
    surety_str name = surety__cell_str(machine->doc, failure->instance);
    surety_str nearest = {NULL, 0};
    unsigned least = HINT_FAR;

    for (uint32_t i = 0;
         objects && i < objects->property_count && i < HINT_NAMES; i++) {
        const surety__property *property = &objects->properties[i];
        unsigned distance = hint_distance(name, property->name);

        if (distance >= least || !property->shape || property->shape->never ||
            surety__member(
                machine->doc, object, property->name,
                surety__hash(property->name.ptr, property->name.len)))
            continue;
        least = distance;
        nearest = property->name;
    }
    if (least == HINT_FAR)
        return;
    message_name(out, nearest);
    surety_buf_byte(out, '?');
}

void surety__message_hint(surety__machine *machine,
                          const surety__failure *failure, surety_buf *out)
{
    const surety__shape *shape = machine->frames[machine->depth - 1].shape;
    surety_val val = surety__val_of(machine->doc, failure->instance);

    if (failure->never) {
        /* A name that its object may not have; where the value is a name
         * itself (propertyNames) there is no object to look in. */
        if (failure->instance->kind == CELL_KEY && !failure->step.same_value)
            hint_property(machine, shape, failure, out);
        return;
    }
    switch (failure->keyword) {
    case KW_TYPE: hint_type(machine, shape, val, out); return;
    case KW_ENUM: hint_enum(shape, val, out); return;
    case KW_MAXIMUM: hint_maximum(shape, val, out); return;
    case KW_REQUIRED: hint_required(machine, shape, failure, out); return;
    default: return;
    }
}
