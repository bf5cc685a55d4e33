/* SPDX-License-Identifier: Apache-2.0 */
/* plain.c: the reference checker of plain.h.
 *
 * Each keyword is one function that looks at the schema and at the value and
 * at nothing else. What is evaluated is an array of flags, one for each child
 * (2020-12 core, section 11). Names that open another scope ($id, $anchor,
 * $dynamicRef and their kin), other dialects, patterns that are more than
 * letters, and numbers that a double does not hold exactly are given up. */
#include "plain.h"

#include <stdlib.h>
#include <string.h>

enum { CHILDREN_MAX = 64, DEPTH_MAX = 100, STEPS_MAX = 4000 };

struct marks {
    bool is[CHILDREN_MAX];
};

struct plain {
    surety_val root;
    bool unsure;
    unsigned depth;
    unsigned steps;
};

static bool plain_apply(struct plain *plain, surety_val schema, surety_val val,
                        struct marks *marks);

static bool plain_give_up(struct plain *plain)
{
    plain->unsure = true;
    return true;
}

/* ---- values ------------------------------------------------------------- */

/* Numbers of at most 15 characters and no exponent: a double tells any two of
 * them apart. */
static double plain_number(struct plain *plain, surety_val val)
{
    surety_str text = surety_val_number(val);

    if (text.len > 15 || memchr(text.ptr, 'e', text.len) ||
        memchr(text.ptr, 'E', text.len))
        plain->unsure = true;
    return surety_val_real(val, 0.0);
}

static bool plain_text_equal(surety_str a, surety_str b)
{
    return a.len == b.len && (a.len == 0 || !memcmp(a.ptr, b.ptr, a.len));
}

static surety_val plain_find(surety_val object, surety_str name)
{
    for (surety_val v = surety_val_first(object); v.doc;
         v = surety_val_next(object, v))
        if (plain_text_equal(surety_val_str(surety_val_key(v)), name))
            return v;
    return surety_val_none();
}

static bool plain_equal(struct plain *plain, surety_val a, surety_val b)
{
    surety_kind kind = surety_val_kind(a);
    surety_val w;

    if (kind != surety_val_kind(b) ||
        surety_val_count(a) != surety_val_count(b))
        return false;
    switch (kind) {
    case SURETY_KIND_BOOLEAN:
        return surety_val_bool(a, false) == surety_val_bool(b, false);
    case SURETY_KIND_NUMBER: {
        double left = plain_number(plain, a);
        double right = plain_number(plain, b);

        return !(left < right) && !(left > right);
    }
    case SURETY_KIND_STRING:
        return plain_text_equal(surety_val_str(a), surety_val_str(b));
    case SURETY_KIND_ARRAY:
        w = surety_val_first(b);
        for (surety_val v = surety_val_first(a); v.doc;
             v = surety_val_next(a, v)) {
            if (!plain_equal(plain, v, w))
                return false;
            w = surety_val_next(b, w);
        }
        return true;
    case SURETY_KIND_OBJECT:
        for (surety_val v = surety_val_first(a); v.doc;
             v = surety_val_next(a, v)) {
            w = plain_find(b, surety_val_str(surety_val_key(v)));
            if (!w.doc || !plain_equal(plain, v, w))
                return false;
        }
        return true;
    default: return true;
    }
}

static uint64_t plain_length(surety_str text)
{
    uint64_t count = 0;

    for (size_t i = 0; i < text.len; i++)
        count += ((unsigned char)text.ptr[i] & 0xC0) != 0x80;
    return count;
}

/* A pattern of letters and digits, perhaps between ^ and $. */
static bool plain_matches(struct plain *plain, surety_str pattern,
                          surety_str text)
{
    bool first = pattern.len && pattern.ptr[0] == '^';
    bool last = pattern.len && pattern.ptr[pattern.len - 1] == '$';
    surety_str part = {pattern.ptr + first, pattern.len - first - last};

    for (size_t i = 0; i < part.len; i++) {
        char c = part.ptr[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              (c >= '0' && c <= '9')))
            return plain_give_up(plain);
    }
    for (size_t at = 0; at + part.len <= text.len; at++) {
        if (part.len && memcmp(text.ptr + at, part.ptr, part.len))
            continue;
        if ((!first || at == 0) && (!last || at + part.len == text.len))
            return true;
    }
    return false;
}

/* ---- assertions --------------------------------------------------------- */

static bool plain_is_type(surety_val val, surety_str name)
{
    if (plain_text_equal(name, surety_str_of("integer")))
        return surety_val_is_integer(val);
    return plain_text_equal(
        name, surety_str_of(surety_kind_name(surety_val_kind(val))));
}

static bool plain_type(surety_val schema, surety_val val)
{
    surety_val type = surety_val_get(schema, "type");

    if (!type.doc)
        return true;
    if (surety_val_kind(type) == SURETY_KIND_STRING)
        return plain_is_type(val, surety_val_str(type));
    for (surety_val v = surety_val_first(type); v.doc;
         v = surety_val_next(type, v))
        if (plain_is_type(val, surety_val_str(v)))
            return true;
    return false;
}

static bool plain_choices(struct plain *plain, surety_val schema,
                          surety_val val)
{
    surety_val constant = surety_val_get(schema, "const");
    surety_val list = surety_val_get(schema, "enum");

    if (constant.doc && !plain_equal(plain, constant, val))
        return false;
    if (!list.doc)
        return true;
    for (surety_val v = surety_val_first(list); v.doc;
         v = surety_val_next(list, v))
        if (plain_equal(plain, v, val))
            return true;
    return false;
}

static bool plain_multiple(struct plain *plain, surety_val val,
                           surety_val divisor)
{
    double a = plain_number(plain, val) * 1000;
    double b = plain_number(plain, divisor) * 1000;
    int64_t x = (int64_t)(a < 0 ? a - 0.5 : a + 0.5);
    int64_t y = (int64_t)(b + 0.5);
    bool exact = a - (double)x < 1e-6 && (double)x - a < 1e-6 &&
                 b - (double)y < 1e-6 && (double)y - b < 1e-6;

    /* Three decimals are enough here. */
    if (!exact || y == 0)
        return plain_give_up(plain);
    return x % y == 0;
}

static bool plain_bounds(struct plain *plain, surety_val schema, surety_val val)
{
    surety_val bound;
    double number;

    if (surety_val_kind(val) != SURETY_KIND_NUMBER)
        return true;
    number = plain_number(plain, val);
    bound = surety_val_get(schema, "minimum");
    if (bound.doc && number < plain_number(plain, bound))
        return false;
    bound = surety_val_get(schema, "maximum");
    if (bound.doc && number > plain_number(plain, bound))
        return false;
    bound = surety_val_get(schema, "exclusiveMinimum");
    if (bound.doc && number <= plain_number(plain, bound))
        return false;
    bound = surety_val_get(schema, "exclusiveMaximum");
    if (bound.doc && number >= plain_number(plain, bound))
        return false;
    bound = surety_val_get(schema, "multipleOf");
    return !bound.doc || plain_multiple(plain, val, bound);
}

static bool plain_between(struct plain *plain, surety_val schema,
                          const char *least, const char *most, uint64_t count)
{
    surety_val low = surety_val_get(schema, least);
    surety_val high = surety_val_get(schema, most);

    if (low.doc && (double)count < plain_number(plain, low))
        return false;
    return !high.doc || (double)count <= plain_number(plain, high);
}

static bool plain_sizes(struct plain *plain, surety_val schema, surety_val val)
{
    surety_val pattern = surety_val_get(schema, "pattern");

    switch (surety_val_kind(val)) {
    case SURETY_KIND_STRING:
        if (pattern.doc &&
            !plain_matches(plain, surety_val_str(pattern), surety_val_str(val)))
            return false;
        return plain_between(plain, schema, "minLength", "maxLength",
                             plain_length(surety_val_str(val)));
    case SURETY_KIND_ARRAY:
        return plain_between(plain, schema, "minItems", "maxItems",
                             surety_val_count(val));
    case SURETY_KIND_OBJECT:
        return plain_between(plain, schema, "minProperties", "maxProperties",
                             surety_val_count(val));
    default: return true;
    }
}

static bool plain_unique(struct plain *plain, surety_val schema, surety_val val)
{
    if (!surety_val_bool(surety_val_get(schema, "uniqueItems"), false) ||
        surety_val_kind(val) != SURETY_KIND_ARRAY)
        return true;
    for (surety_val v = surety_val_first(val); v.doc;
         v = surety_val_next(val, v))
        for (surety_val w = surety_val_next(val, v); w.doc;
             w = surety_val_next(val, w))
            if (plain_equal(plain, v, w))
                return false;
    return true;
}

static bool plain_has(surety_val object, surety_val names)
{
    for (surety_val v = surety_val_first(names); v.doc;
         v = surety_val_next(names, v))
        if (!plain_find(object, surety_val_str(v)).doc)
            return false;
    return true;
}

static bool plain_required(surety_val schema, surety_val val)
{
    surety_val required = surety_val_get(schema, "required");
    surety_val map = surety_val_get(schema, "dependentRequired");

    if (surety_val_kind(val) != SURETY_KIND_OBJECT)
        return true;
    if (required.doc && !plain_has(val, required))
        return false;
    for (surety_val v = surety_val_first(map); v.doc;
         v = surety_val_next(map, v))
        if (plain_find(val, surety_val_str(surety_val_key(v))).doc &&
            !plain_has(val, v))
            return false;
    return true;
}

/* ---- children ----------------------------------------------------------- */

static bool plain_child(struct plain *plain, surety_val schema, surety_val val)
{
    struct marks marks = {{false}};

    return plain_apply(plain, schema, val, &marks);
}

/* properties, patternProperties, additionalProperties for one member. */
static bool plain_member(struct plain *plain, surety_val schema,
                         surety_val member, bool *ret_evaluated)
{
    surety_str name = surety_val_str(surety_val_key(member));
    surety_val property =
        plain_find(surety_val_get(schema, "properties"), name);
    surety_val patterns = surety_val_get(schema, "patternProperties");
    surety_val additional = surety_val_get(schema, "additionalProperties");
    bool covered = property.doc != NULL;
    bool holds = !property.doc || plain_child(plain, property, member);

    for (surety_val v = surety_val_first(patterns); v.doc;
         v = surety_val_next(patterns, v)) {
        if (!plain_matches(plain, surety_val_str(surety_val_key(v)), name))
            continue;
        covered = true;
        holds = plain_child(plain, v, member) && holds;
    }
    if (!covered && additional.doc) {
        covered = true;
        holds = plain_child(plain, additional, member) && holds;
    }
    *ret_evaluated = *ret_evaluated || covered;
    return holds;
}

/* A name is a string: it is looked up as a document of its own. */
static bool plain_name(struct plain *plain, surety_val schema, surety_str name)
{
    surety_doc *doc = surety_doc_new(NULL);
    bool holds = true;

    surety_build_begin(doc, NULL);
    surety_build_str(doc, name);
    if (surety_build_end(doc, NULL))
        plain_give_up(plain);
    else
        holds = plain_child(plain, schema, surety_doc_root(doc));
    surety_doc_free(doc);
    return holds;
}

static bool plain_members(struct plain *plain, surety_val schema,
                          surety_val val, struct marks *marks)
{
    surety_val names = surety_val_get(schema, "propertyNames");
    bool holds = true;
    size_t i = 0;

    if (surety_val_kind(val) != SURETY_KIND_OBJECT)
        return true;
    for (surety_val v = surety_val_first(val); v.doc;
         v = surety_val_next(val, v)) {
        holds = plain_member(plain, schema, v, &marks->is[i++]) && holds;
        if (names.doc)
            holds =
                plain_name(plain, names, surety_val_str(surety_val_key(v))) &&
                holds;
    }
    return holds;
}

static bool plain_items(struct plain *plain, surety_val schema, surety_val val,
                        struct marks *marks)
{
    surety_val prefix = surety_val_get(schema, "prefixItems");
    surety_val items = surety_val_get(schema, "items");
    surety_val contains = surety_val_get(schema, "contains");
    surety_val least = surety_val_get(schema, "minContains");
    surety_val most = surety_val_get(schema, "maxContains");
    double count = 0;
    bool holds = true;
    size_t i = 0;

    if (surety_val_kind(val) != SURETY_KIND_ARRAY)
        return true;
    for (surety_val v = surety_val_first(val); v.doc;
         v = surety_val_next(val, v), i++) {
        surety_val one = surety_val_item(prefix, i);

        one = one.doc ? one : items;
        if (one.doc) {
            marks->is[i] = true;
            holds = plain_child(plain, one, v) && holds;
        }
        if (contains.doc && plain_child(plain, contains, v)) {
            marks->is[i] = true;
            count++;
        }
    }
    if (contains.doc && count < (least.doc ? plain_number(plain, least) : 1))
        return false;
    if (contains.doc && most.doc && count > plain_number(plain, most))
        return false;
    return holds;
}

static bool plain_rest(struct plain *plain, surety_val schema, surety_val val,
                       struct marks *marks)
{
    surety_kind kind = surety_val_kind(val);
    surety_val rest = surety_val_get(schema, kind == SURETY_KIND_OBJECT
                                                 ? "unevaluatedProperties"
                                                 : "unevaluatedItems");
    bool holds = true;
    size_t i = 0;

    if (!rest.doc || (kind != SURETY_KIND_OBJECT && kind != SURETY_KIND_ARRAY))
        return true;
    for (surety_val v = surety_val_first(val); v.doc;
         v = surety_val_next(val, v), i++) {
        if (!marks->is[i])
            holds = plain_child(plain, rest, v) && holds;
        marks->is[i] = true;
    }
    return holds;
}

/* ---- the same value ----------------------------------------------------- */

/* Applies to the same value; what it evaluates counts where it holds. */
static bool plain_same(struct plain *plain, surety_val schema, surety_val val,
                       struct marks *marks)
{
    struct marks own = {{false}};

    if (!plain_apply(plain, schema, val, &own))
        return false;
    for (size_t i = 0; i < CHILDREN_MAX; i++)
        marks->is[i] = marks->is[i] || own.is[i];
    return true;
}

static size_t plain_count(struct plain *plain, surety_val list, surety_val val,
                          struct marks *marks)
{
    size_t count = 0;

    for (surety_val v = surety_val_first(list); v.doc;
         v = surety_val_next(list, v))
        count += plain_same(plain, v, val, marks);
    return count;
}

static bool plain_lists(struct plain *plain, surety_val schema, surety_val val,
                        struct marks *marks)
{
    surety_val all = surety_val_get(schema, "allOf");
    surety_val any = surety_val_get(schema, "anyOf");
    surety_val one = surety_val_get(schema, "oneOf");
    bool holds = true;

    if (all.doc)
        holds = plain_count(plain, all, val, marks) == surety_val_count(all);
    if (any.doc)
        holds = plain_count(plain, any, val, marks) >= 1 && holds;
    if (one.doc)
        holds = plain_count(plain, one, val, marks) == 1 && holds;
    return holds;
}

static bool plain_conditions(struct plain *plain, surety_val schema,
                             surety_val val, struct marks *marks)
{
    surety_val not = surety_val_get(schema, "not");
    surety_val test = surety_val_get(schema, "if");
    surety_val map = surety_val_get(schema, "dependentSchemas");
    struct marks ignored = {{false}};
    bool holds = true;

    if (not .doc)
        holds = !plain_apply(plain, not, val, &ignored);
    if (test.doc) {
        bool met = plain_same(plain, test, val, marks);
        surety_val next = surety_val_get(schema, met ? "then" : "else");

        if (next.doc)
            holds = plain_same(plain, next, val, marks) && holds;
    }
    for (surety_val v = surety_val_first(map);
         v.doc && surety_val_kind(val) == SURETY_KIND_OBJECT;
         v = surety_val_next(map, v))
        if (plain_find(val, surety_val_str(surety_val_key(v))).doc)
            holds = plain_same(plain, v, val, marks) && holds;
    return holds;
}

static bool plain_reference(struct plain *plain, surety_val schema,
                            surety_val val, struct marks *marks)
{
    surety_val ref = surety_val_get(schema, "$ref");
    surety_str text = surety_val_str(ref);
    surety_val target;

    if (!ref.doc)
        return true;
    if (!text.len || text.ptr[0] != '#' || memchr(text.ptr, '%', text.len))
        return plain_give_up(plain);
    target =
        surety_val_at(plain->root, (surety_str){text.ptr + 1, text.len - 1});
    if (!target.doc)
        return plain_give_up(plain);
    return plain_same(plain, target, val, marks);
}

static bool plain_apply(struct plain *plain, surety_val schema, surety_val val,
                        struct marks *marks)
{
    bool holds;

    if (surety_val_kind(schema) == SURETY_KIND_BOOLEAN)
        return surety_val_bool(schema, true);
    if (surety_val_kind(schema) != SURETY_KIND_OBJECT || plain->unsure ||
        plain->depth == DEPTH_MAX || ++plain->steps > STEPS_MAX ||
        surety_val_count(val) > CHILDREN_MAX)
        return plain_give_up(plain);
    plain->depth++;
    holds = plain_type(schema, val) && plain_choices(plain, schema, val) &&
            plain_bounds(plain, schema, val) &&
            plain_sizes(plain, schema, val) &&
            plain_unique(plain, schema, val) && plain_required(schema, val);
    holds = plain_members(plain, schema, val, marks) && holds;
    holds = plain_items(plain, schema, val, marks) && holds;
    holds = plain_reference(plain, schema, val, marks) && holds;
    holds = plain_lists(plain, schema, val, marks) && holds;
    holds = plain_conditions(plain, schema, val, marks) && holds;
    holds = plain_rest(plain, schema, val, marks) && holds;
    plain->depth--;
    return holds;
}

/* Whether a name that opens a scope stands anywhere in the schema. */
static bool plain_scopes(surety_val val, unsigned depth)
{
    static const char *const scopes[] = {
        "$schema",        "$id",           "$anchor",
        "$dynamicAnchor", "$dynamicRef",   "$vocabulary",
        "dependencies",   "$recursiveRef", "$recursiveAnchor"};

    if (depth > DEPTH_MAX)
        return true;
    for (size_t i = 0; i < sizeof(scopes) / sizeof(*scopes); i++)
        if (surety_val_get(val, scopes[i]).doc)
            return true;
    for (surety_val v = surety_val_first(val); v.doc;
         v = surety_val_next(val, v))
        if (plain_scopes(v, depth + 1))
            return true;
    return false;
}

plain_verdict plain_check(surety_val root, surety_val instance)
{
    struct plain plain = {.root = root};
    struct marks marks = {{false}};
    bool holds;

    if (plain_scopes(root, 0))
        return PLAIN_UNSURE;
    holds = plain_apply(&plain, root, instance, &marks);
    if (plain.unsure)
        return PLAIN_UNSURE;
    return holds ? PLAIN_VALID : PLAIN_INVALID;
}
