/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the message and the hint of a finding, from what the report noted.
 *
 * A message is one sentence without a full stop: the value, then what the
 * schema requires. It is made from a row of sentences[], in which marks stand
 * for what the failure has. Values are quoted as JSON, and long ones are cut
 * ("..."); arrays and objects are called by their kind. A hint is what was
 * probably meant, with a question mark, and only where it is evident. */
#include "schema/findings.h"

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
    const char *between = "";

    /* A number that is no integer has no name. */
    if (!(types & TYPE_INTEGER))
        types &= ~(unsigned)TYPE_NUMBER;
    for (size_t i = 0; i < SURETY__COUNT(type_names); i++) {
        if (!types || (types & type_names[i].bits) != type_names[i].bits)
            continue;
        types &= ~type_names[i].bits;
        surety_buf_text(out, *between && !types ? " or " : between);
        surety_buf_text(out, type_names[i].name);
        between = ", ";
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

/* ---- sentences ----------------------------------------------------------- */

/* A failure while its message is written. */
struct message {
    const surety_doc *doc;
    const surety__noted *noted;
    const surety__failure *failure;
    const surety__shape *shape;
    surety__keyword keyword; /* that failed, or that has the false subschema */
    surety_val val;
    surety_str name; /* of a property */
    unsigned types;  /* that are allowed */
    surety_buf *out;
};

static surety_val message_keyword(const surety__shape *shape,
                                  surety__keyword keyword)
{
    return surety_val_member(shape->at, surety__keyword_name(keyword));
}

/* The value of the keyword. Exclusive bounds are those of the shape, for draft
 * 4 writes them as a minimum or maximum and a boolean. */
static surety_val message_bound(const struct message *message)
{
    const surety__shape *shape = message->shape;

    if (message->keyword == KW_EXCLUSIVE_MINIMUM)
        return surety__val_of(shape->at.doc, shape->numbers->exclusive_minimum);
    if (message->keyword == KW_EXCLUSIVE_MAXIMUM)
        return surety__val_of(shape->at.doc, shape->numbers->exclusive_maximum);
    return message_keyword(shape, message->keyword);
}

/* "1 item", "2 items" */
static void message_size(const struct message *message)
{
    static const char *const nouns[][2] = {
        [SURETY_KIND_STRING] = {"character", "characters"},
        [SURETY_KIND_ARRAY] = {"item", "items"},
        [SURETY_KIND_OBJECT] = {"property", "properties"},
    };
    const uint64_t count = message->failure->count;

    surety_buf_number(message->out, count);
    surety_buf_byte(message->out, ' ');
    surety_buf_text(message->out,
                    nouns[surety_val_kind(message->val)][count != 1]);
}

/* As it is, for quoting doubles every backslash; only control characters make
 * it a JSON string. */
static void message_pattern(surety_buf *out, surety_str source)
{
    const surety_str head = message_head(source);

    for (size_t i = 0; i < source.len; i++)
        if ((unsigned char)source.ptr[i] < 0x20) {
            message_name(out, source);
            return;
        }
    surety_buf_add(out, head);
    if (head.len < source.len)
        surety_buf_text(out, "...");
}

/* Writes a sentence with its marks:
 *
 *     %v  the value          %b  the value of the keyword
 *     %T  its type           %t  the types that are allowed
 *     %s  its size           %n  %o  the failure's numbers
 *     %p  the property       %k  the property that the step names
 *     %w  the keyword        %m  how many items match
 *     %r  the pattern */
static void message_put(const struct message *message, const char *sentence)
{
    const surety__failure *failure = message->failure;
    surety_buf *out = message->out;
    const char *mark;

    for (; (mark = strchr(sentence, '%')) != NULL; sentence = mark + 2) {
        surety_buf_append(out, sentence, (size_t)(mark - sentence));
        switch (mark[1]) {
        case 'v': message_quote(out, message->val); break;
        case 'b': message_wanted(out, message_bound(message)); break;
        case 'T': surety_buf_text(out, type_of_val(message->val)); break;
        case 't': message_types(out, message->types); break;
        case 's': message_size(message); break;
        case 'n': surety_buf_number(out, failure->count); break;
        case 'o': surety_buf_number(out, failure->other); break;
        case 'p': message_name(out, message->name); break;
        case 'k': message_name(out, failure->step.token); break;
        case 'm':
            surety_buf_number(out, failure->count);
            surety_buf_text(out, failure->count == 1 ? " item matches"
                                                     : " items match");
            break;
        case 'r':
            message_pattern(out, surety_val_str(message_bound(message)));
            break;
        default:
            assert(mark[1] == 'w');
            surety_buf_add(out, surety__keyword_name(message->keyword));
        }
    }
    surety_buf_text(out, sentence);
}

/* Where a sentence depends on more than the keyword, a function has it. */
static const char *const sentences[KW_COUNT] = {
    [KW_MINIMUM] = "%v is less than the minimum of %b",
    [KW_MAXIMUM] = "%v is greater than the maximum of %b",
    [KW_EXCLUSIVE_MINIMUM] = "%v is not greater than %b",
    [KW_EXCLUSIVE_MAXIMUM] = "%v is not less than %b",
    [KW_MULTIPLE_OF] = "%v is not a multiple of %b",
    [KW_MIN_LENGTH] = "%v has %s, fewer than the minimum of %b",
    [KW_MAX_LENGTH] = "%v has %s, more than the maximum of %b",
    [KW_MIN_ITEMS] = "%v has %s, fewer than the minimum of %b",
    [KW_MAX_ITEMS] = "%v has %s, more than the maximum of %b",
    [KW_MIN_PROPERTIES] = "%v has %s, fewer than the minimum of %b",
    [KW_MAX_PROPERTIES] = "%v has %s, more than the maximum of %b",
    [KW_PATTERN] = "%v does not match the pattern %r",
    [KW_CONTENT_ENCODING] = "%v is not base64",
    [KW_CONTENT_MEDIA_TYPE] = "%v is not JSON",
    [KW_UNIQUE_ITEMS] = "items %n and %o are equal, but must be unique",
    [KW_CONTAINS] =
        "no item matches the schema of contains, but at least one must",
    [KW_MIN_CONTAINS] =
        "%m the schema of contains, fewer than the minimum of %b",
    [KW_MAX_CONTAINS] =
        "%m the schema of contains, more than the maximum of %b",
    [KW_REQUIRED] = "the required property %p is missing",
    [KW_DEPENDENT_REQUIRED] =
        "the required property %p is missing: %k needs it",
    [KW_DEPENDENCIES] = "the required property %p is missing: %k needs it",
    [KW_NOT] = "%v matches the schema of not, but must not",
};

/* Adds a value to a list; false: the list is full. */
static bool message_list(surety_buf *out, surety_val val, size_t *shown)
{
    if (*shown == LIST_VALUES)
        return false;
    surety_buf_text(out, (*shown)++ ? ", " : "");
    message_wanted(out, val);
    return true;
}

static void message_enum(const struct message *message)
{
    const surety_val list = message_bound(message);
    const size_t count = surety_val_count(list);
    surety_val v = surety_val_first(list);
    size_t shown = 0;

    message_put(message, count == 0   ? "%v is not allowed: the enum has no "
                                        "values"
                         : count == 1 ? "%v must be "
                                      : "%v is not one of ");
    while (v.doc && message_list(message->out, v, &shown))
        v = surety_val_next(list, v);
    if (count > shown)
        surety__buf_printf(message->out, " and %zu more", count - shown);
}

/* Every branch lists the values of the property, and none has the one that is
 * there. */
static void message_unknown(const struct message *message,
                            const surety__applicator *applicator,
                            const surety__cell *key)
{
    const surety_doc *doc = message->doc;
    struct message member = *message;
    size_t shown = 0;

    member.name = surety__cell_str(doc, key);
    member.val = surety__val_of(doc, key + 1);
    message_put(&member, "the property %p is %v, not one of ");
    for (uint32_t i = 0; i < applicator->count; i++) {
        const surety__shape *of = NULL;
        surety_val list, v;

        if (!surety__meant_choices(doc, applicator->shapes[i], key, &of))
            continue;
        list = message_keyword(of, of->constant ? KW_CONST : KW_ENUM);
        v = of->constant ? list : surety_val_first(list);
        for (; v.doc;
             v = of->constant ? surety_val_none() : surety_val_next(list, v))
            if (!message_list(message->out, v, &shown)) {
                surety_buf_text(message->out, ", ...");
                return;
            }
    }
}

static void message_union(struct message *message)
{
    const surety__failure *failure = message->failure;
    const surety_doc *doc = message->doc;
    const surety__applicator *applicator = failure->applicator;
    const surety__cell *unknown =
        failure->count
            ? NULL
            : surety__meant_unknown(doc, applicator, failure->instance);

    if (unknown) {
        message_unknown(message, applicator, unknown);
        return;
    }
    if (failure->count > 1) {
        message_put(message, "%v matches both schema ");
        surety__buf_printf(message->out,
                           "%u and schema %u of oneOf, but must match exactly "
                           "one",
                           failure->first, failure->second);
        return;
    }
    message->types = 0;
    for (uint32_t i = 0; i < applicator->count; i++) {
        const surety__shape *branch =
            surety__shape_meant(applicator->shapes[i], NULL);

        message->types |= branch->never ? 0u : branch->types;
    }
    message_put(message,
                message->types != TYPE_ANY &&
                        !(message->types &
                          surety__type_bits(doc, failure->instance, false))
                    ? "%v must be %t"
                    : "%v matches none of the %o schemas of %w");
}

/* An item that is not allowed. */
static void message_item(const struct message *message)
{
    const surety__step *step = &message->failure->step;
    uint32_t prefix;

    surety__buf_printf(message->out, "item %u is not allowed",
                       message->noted->end.ordinal);
    if (step->keyword == KW_UNEVALUATED_ITEMS || step->index != UINT32_MAX)
        return;
    prefix = message->shape->arrays->prefix_count;
    if (prefix)
        surety__buf_printf(message->out, ": the array may have at most %u %s",
                           prefix, prefix == 1 ? "item" : "items");
    else
        surety_buf_text(message->out, ": the array must be empty");
}

static void message_false(struct message *message)
{
    const surety__failure *failure = message->failure;
    const surety__cell *cell = failure->instance;

    message->keyword = failure->step.keyword;
    switch (message->keyword) {
    case KW_PROPERTIES:
    case KW_PATTERN_PROPERTIES:
    case KW_ADDITIONAL_PROPERTIES:
    case KW_UNEVALUATED_PROPERTIES:
    case KW_PROPERTY_NAMES:
        message->name = surety__cell_str(
            message->doc, cell->kind == CELL_KEY ? cell : cell - 1);
        message_put(message, "the property %p is not allowed");
        return;
    case KW_ITEMS:
    case KW_ITEMS_ARRAY:
    case KW_ADDITIONAL_ITEMS:
    case KW_PREFIX_ITEMS:
    case KW_UNEVALUATED_ITEMS: message_item(message); return;
    case KW_DEPENDENT_SCHEMAS:
    case KW_DEPENDENCIES:
        message_put(message, "the property %k is not allowed");
        return;
    case KW_PROPERTY_DEPENDENCIES:
        message_put(message, "the property %k must not be ");
        message_quote(message->out, surety_val_key(failure->never->at));
        return;
    default:
        message_put(message,
                    message->keyword
                        ? "%v is not allowed: the schema of %w is false"
                        : "%v is not allowed: the schema is false");
    }
}

void surety__message_write(const surety_doc *doc, const surety__noted *noted,
                           surety_buf *out)
{
    const surety__failure *failure = &noted->failure;
    const surety__shape *shape = noted->end.above->shape;
    struct message message = {.doc = doc,
                              .noted = noted,
                              .failure = failure,
                              .shape = shape,
                              .keyword = failure->keyword,
                              .val = surety__val_of(doc, failure->instance),
                              .name = failure->name,
                              .types = shape->types,
                              .out = out};
    const surety_kind kind = surety_val_kind(message.val);

    if (failure->never) {
        message_false(&message);
        return;
    }
    if (failure->instance->kind == CELL_KEY)
        surety_buf_text(out, "the property name ");
    switch (failure->keyword) {
    case KW_TYPE:
        message_put(&message,
                    kind >= SURETY_KIND_ARRAY
                        ? "the value is %T, but must be %t"
                    : kind == SURETY_KIND_NULL || kind == SURETY_KIND_NUMBER
                        ? "%v must be %t"
                        : "%v is %T, but must be %t");
        return;
    case KW_ENUM: message_enum(&message); return;
    case KW_CONST:
        message_put(&message, message_is_large(message_bound(&message))
                                  ? "%v must be equal to %b that const gives"
                                  : "%v must be %b");
        return;
    case KW_FORMAT:
        message_put(&message, "%v is not a valid ");
        surety_buf_add(out, shape->strings->format_name);
        return;
    case KW_ANY_OF:
    case KW_ONE_OF: message_union(&message); return;
    default:
        message_put(&message, sentences[failure->keyword]
                                  ? sentences[failure->keyword]
                                  : "%v does not satisfy %w");
    }
}

/* ---- hints ------------------------------------------------------------- */

enum { HINT_FAR = 4 };

/* The nearest of the names that were tried. */
struct nearest {
    surety_str name;
    unsigned distance; /* 0: it differs in case; HINT_FAR: there is none */
};

/* Whether a candidate is nearer than the nearest, and near enough for a slip,
 * which is at most a third of a name. */
static bool hint_is_nearer(const struct nearest *nearest, surety_str name,
                           surety_str candidate, unsigned *ret_distance)
{
    unsigned most = name.len < 4 ? 1 : name.len < 8 ? 2 : 3;

    *ret_distance = 0;
    if (nearest->distance == 0)
        return false;
    if (surety__str_equal_nocase(name, candidate))
        return true;
    if (name.len < 3 || candidate.len < 3)
        return false;
    if (most >= nearest->distance)
        most = nearest->distance - 1;
    *ret_distance = surety__str_distance(name, candidate, most);
    return *ret_distance <= most;
}

/* "WORDS NAME?", if there is one that is near. */
static void hint_name(surety_buf *out, const char *words,
                      const struct nearest *nearest)
{
    if (nearest->distance == HINT_FAR)
        return;
    surety_buf_text(out, words);
    message_name(out, nearest->name);
    surety_buf_byte(out, '?');
}

static void hint_enum(const surety__shape *shape, surety_val val,
                      surety_buf *out)
{
    const surety_val list = message_keyword(shape, KW_ENUM);
    struct nearest nearest = {.distance = HINT_FAR};
    unsigned distance;
    size_t seen = 0;

    if (surety_val_kind(val) != SURETY_KIND_STRING)
        return;
    for (surety_val v = surety_val_first(list); v.doc && seen++ < HINT_NAMES;
         v = surety_val_next(list, v))
        if (surety_val_kind(v) == SURETY_KIND_STRING &&
            hint_is_nearer(&nearest, surety_val_str(val), surety_val_str(v),
                           &distance))
            nearest = (struct nearest){surety_val_str(v), distance};
    hint_name(out, "", &nearest);
}

/* A text that holds the JSON that was wanted: that JSON, or its head. */
static void hint_inside(surety_findings *findings, const surety__shape *shape,
                        surety_str text, surety_buf *out)
{
    surety_val inner = surety_val_none();
    surety_status status = SURETY_NOMEM;

    if (!findings->content)
        findings->content = surety_doc_new(findings->alloc);
    if (findings->content)
        status = surety_doc_read(findings->content, text, NULL, NULL);
    if (status == SURETY_NOMEM && !out->status)
        out->status = status;
    if (!status)
        inner = surety_doc_root(findings->content);
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

static void hint_type(surety_findings *findings, const surety__shape *shape,
                      surety_val val, surety_buf *out)
{
    surety_kind kind = surety_val_kind(val);
    surety_str text = surety_val_str(val);
    size_t before = out->len;

    if (kind == SURETY_KIND_STRING && text.len && text.len < HINT_BYTES)
        hint_inside(findings, shape, text, out);
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
static void hint_required(const surety_doc *doc, const surety__noted *noted,
                          surety_buf *out)
{
    const surety__objects *objects = noted->end.above->shape->objects;
    const surety_str name = noted->failure.name;
    const surety_val object = surety__val_of(doc, noted->failure.instance);
    struct nearest nearest = {.distance = HINT_FAR};
    unsigned distance;
    size_t seen = 0;

    for (surety_val v = surety_val_first(object); v.doc && seen++ < HINT_NAMES;
         v = surety_val_next(object, v)) {
        const surety_val key = surety_val_key(v);

        if (hint_is_nearer(&nearest, surety_val_str(key), name, &distance) &&
            !surety__objects_find(objects, doc, surety__cell_of(key)))
            nearest = (struct nearest){surety_val_str(key), distance};
    }
    hint_name(out, "is it ", &nearest);
}

/* A name that is not allowed: the nearest of the schema's that is absent. */
static void hint_property(const surety_doc *doc, const surety__noted *noted,
                          surety_buf *out)
{
    const surety__objects *objects = noted->end.above->shape->objects;
    const surety__cell *object = noted->end.above->cell;
    const surety_str name = surety__cell_str(doc, noted->failure.instance);
    struct nearest nearest = {.distance = HINT_FAR};
    unsigned distance;

    for (uint32_t i = 0;
         objects && i < objects->property_count && i < HINT_NAMES; i++) {
        const surety__property *property = &objects->properties[i];

        if (hint_is_nearer(&nearest, name, property->name, &distance) &&
            property->shape && !property->shape->never &&
            !surety__member_named(doc, object, property->name))
            nearest = (struct nearest){property->name, distance};
    }
    hint_name(out, "", &nearest);
}

void surety__message_hint(surety_findings *findings, const surety__noted *noted,
                          surety_buf *out)
{
    const surety__failure *failure = &noted->failure;
    const surety__shape *shape = noted->end.above->shape;
    const surety_doc *doc = findings->doc;
    const surety_val val = surety__val_of(doc, failure->instance);

    if (failure->never) {
        /* A name that its object may not have; where the value is a name
         * itself (propertyNames) there is no object to look in. */
        if (failure->instance->kind == CELL_KEY && !failure->step.same_value)
            hint_property(doc, noted, out);
        return;
    }
    switch (failure->keyword) {
    case KW_TYPE: hint_type(findings, shape, val, out); return;
    case KW_ENUM: hint_enum(shape, val, out); return;
    case KW_MAXIMUM: hint_maximum(shape, val, out); return;
    case KW_REQUIRED: hint_required(doc, noted, out); return;
    default: return;
    }
}
