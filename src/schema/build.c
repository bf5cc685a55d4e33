/* SPDX-License-Identifier: Apache-2.0 */
/* From a subschema to its shape: the assertions on each kind of value, and the
 * subschemas that apply to the same value.
 *
 * 1. The keywords of the subschema are read once (keywords_read): those that
 * its dialect and vocabularies have, each with the form that its row requires.
 * 2. A part of the shape that asserts nothing stays NULL.
 * 3. A function that returns false or NULL has filled reterr. */
#include "schema/compile.h"

#include "schema/schema.h"

/* ---- keywords of the subschema ------------------------------------------- */

/* The value of a keyword; NULL: it is absent, or its dialect or vocabularies do
 * not have it. */
static const surety__cell *keyword_cell(const surety__compiler *compiler,
                                        surety__keyword keyword)
{
    return compiler->present & KEYWORD_BIT(keyword) ? compiler->values[keyword]
                                                    : NULL;
}

static surety_val keyword_val(const surety__compiler *compiler,
                              surety__keyword keyword)
{
    const surety__cell *cell = keyword_cell(compiler, keyword);

    return cell ? surety__val_of(compiler->shape->at.doc, cell)
                : surety_val_none();
}

static bool keyword_is_true(const surety__compiler *compiler,
                            surety__keyword keyword)
{
    return surety_val_bool(keyword_val(compiler, keyword), false);
}

/* The value of a count; `otherwise` where it is absent. A count too large for
 * 64 bits is as good as the largest. */
static uint64_t keyword_count(const surety__compiler *compiler,
                              surety__keyword keyword, uint64_t otherwise)
{
    const surety_val val = keyword_val(compiler, keyword);

    return val.doc ? surety_val_uint(val, UINT64_MAX) : otherwise;
}

/* The error of a value that does not have the form that `name` requires. */
static bool form_fail(surety__compiler *compiler, surety_str name,
                      surety__form form, surety_val wrong)
{
    static const char *const kinds[] = {
        [SURETY_KIND_NULL] = "null",
        [SURETY_KIND_BOOLEAN] = "a boolean",
        [SURETY_KIND_NUMBER] = "",
        [SURETY_KIND_STRING] = "the string \"",
        [SURETY_KIND_ARRAY] = "an array",
        [SURETY_KIND_OBJECT] = "an object",
    };
    const surety_kind kind = surety_val_kind(wrong);
    const bool quoted = kind == SURETY_KIND_STRING;
    const surety_str text =
        quoted ? surety_val_str(wrong) : surety_val_number(wrong);
    const bool empty = kind == SURETY_KIND_ARRAY && !surety_val_count(wrong);

    surety__schema_fail(
        &compiler->resolver, wrong, SURETY_SYNTAX,
        "%.*s must be %s, but found %s%.*s%s", (int)name.len, name.ptr,
        surety__form_rows[form].name, empty ? "an empty array" : kinds[kind],
        text.len < 60 ? (int)text.len : 60, text.ptr, quoted ? "\"" : "");
    if (form == FORM_TYPES && quoted)
        surety__hint(compiler->resolver.reterr,
                     "the types are null, boolean, number, integer, "
                     "string, array and object");
    return false;
}

/* Finds the keywords of the subschema. *ret_ref_only: it is a $ref of the
 * drafts in which nothing counts beside one. */
static bool keywords_read(surety__compiler *compiler, bool *ret_ref_only)
{
    const surety__resource *resource = compiler->shape->resource;
    const surety_doc *doc = compiler->shape->at.doc;
    const surety__cell *object = surety__cell_of(compiler->shape->at);
    const surety__cell *key = object + 1;
    uint8_t found[KW_COUNT]; /* in the document's order */
    size_t found_count = 0;
    bool has_unknown = false;

    assert(object->kind == CELL_OBJECT);
    compiler->present = 0;
    compiler->parts = PART_NONE;
    for (uint32_t i = 0; i < object->count; i++) {
        surety__keyword keyword = surety__keyword_in(
            surety__keyword_named(surety__cell_str(doc, key)),
            resource->dialect);
        const surety__keyword_row *row = &surety__keyword_rows[keyword];

        if (row->vocabulary & resource->vocabularies) {
            assert(found_count < KW_COUNT);
            compiler->values[keyword] = key + 1;
            compiler->present |= KEYWORD_BIT(keyword);
            compiler->parts |= row->part;
            found[found_count++] = (uint8_t)keyword;
        }
        has_unknown |= keyword == KW_NONE;
        key = surety__cell_after(key + 1);
    }
    *ret_ref_only = resource->dialect <= SURETY_DIALECT_7 &&
                    compiler->present & KEYWORD_BIT(KW_REF);
    if (*ret_ref_only)
        return true;
    for (size_t i = 0; i < found_count; i++) {
        const surety__keyword_row *row = &surety__keyword_rows[found[i]];
        const surety__form form = (surety__form)row->form;
        const surety__cell *value = compiler->values[found[i]];
        const surety__cell *wrong = surety__form_single(form, doc, value)
                                        ? NULL
                                        : surety__form_wrong(form, doc, value);

        if (wrong)
            return form_fail(compiler, row->name, form,
                             surety__val_of(doc, wrong));
    }
    return !has_unknown || surety__unknown_note(compiler);
}

/* ---- any value ----------------------------------------------------------- */

static bool build_types(const surety__compiler *compiler)
{
    surety__shape *shape = compiler->shape;
    const surety_doc *doc = shape->at.doc;
    const surety__cell *type = keyword_cell(compiler, KW_TYPE);
    const uint32_t count = type && type->kind == CELL_ARRAY ? type->count : 0;

    shape->lexical_integer = shape->resource->dialect == SURETY_DIALECT_4;
    if (!type)
        return true;
    shape->types =
        (uint8_t)(count ? 0 : surety__type_named(surety__cell_str(doc, type)));
    for (uint32_t i = 1; i <= count; i++)
        shape->types |=
            (uint8_t)surety__type_named(surety__cell_str(doc, type + i));
    return true;
}

/* enum, or const as an enum of one. */
static bool build_choices(surety__compiler *compiler, surety__keyword keyword,
                          const surety__choices **ret_choices)
{
    const surety_val val = keyword_val(compiler, keyword);
    const bool several = keyword == KW_ENUM;
    surety__choices choices = {.count = 1};
    surety_val v = val;

    if (!val.doc)
        return true;
    if (several) {
        choices.count = (uint32_t)surety_val_count(val);
        v = surety_val_first(val);
    }
    choices.list = surety__compiler_take(compiler, ((size_t)choices.count + 1) *
                                                       sizeof(*choices.list));
    if (!choices.list)
        return false;
    for (uint32_t i = 0; i < choices.count; i++) {
        choices.list[i] = (surety__pair){surety__val_hash(v), v.index};
        if (several)
            v = surety_val_next(val, v);
    }
    if (choices.count > CHOICES_SORTED)
        surety__pairs_sort(choices.list, choices.count);
    *ret_choices = surety__compiler_keep(compiler, &choices, sizeof(choices));
    return *ret_choices != NULL;
}

/* ---- numbers ------------------------------------------------------------- */

static bool build_numbers(surety__compiler *compiler)
{
    surety__numbers numbers = {
        .minimum = keyword_cell(compiler, KW_MINIMUM),
        .maximum = keyword_cell(compiler, KW_MAXIMUM),
        .exclusive_minimum = keyword_cell(compiler, KW_EXCLUSIVE_MINIMUM),
        .exclusive_maximum = keyword_cell(compiler, KW_EXCLUSIVE_MAXIMUM),
        .multiple_of = keyword_cell(compiler, KW_MULTIPLE_OF),
    };

    /* In draft 4 exclusive is a boolean beside the bound. */
    if (keyword_is_true(compiler, KW_EXCLUSIVE_MINIMUM_4)) {
        numbers.exclusive_minimum = numbers.minimum;
        numbers.minimum = NULL;
    }
    if (keyword_is_true(compiler, KW_EXCLUSIVE_MAXIMUM_4)) {
        numbers.exclusive_maximum = numbers.maximum;
        numbers.maximum = NULL;
    }
    if (!numbers.minimum && !numbers.maximum && !numbers.exclusive_minimum &&
        !numbers.exclusive_maximum && !numbers.multiple_of)
        return true;
    compiler->shape->numbers =
        surety__compiler_keep(compiler, &numbers, sizeof(numbers));
    return compiler->shape->numbers != NULL;
}

/* ---- strings ------------------------------------------------------------- */

static bool build_strings(surety__compiler *compiler)
{
    const surety__resource *resource = compiler->shape->resource;
    const surety_val pattern = keyword_val(compiler, KW_PATTERN);
    const surety_str format = surety_val_str(keyword_val(compiler, KW_FORMAT));
    surety__strings strings = {
        .min_length = keyword_count(compiler, KW_MIN_LENGTH, 0),
        .max_length = keyword_count(compiler, KW_MAX_LENGTH, UINT64_MAX),
    };

    if (pattern.doc &&
        !surety__compiler_pattern(compiler, pattern, &strings.pattern))
        return false;
    if (resource->assert_format && format.len) {
        strings.format = surety__format_find(format, 1u << resource->dialect);
        strings.format_name = format;
    }
    /* Only draft 7 lets these assert (validation, section 8.2); the later
     * drafts made them annotations. */
    if (resource->assert_format && resource->dialect == SURETY_DIALECT_7) {
        strings.content_base64 =
            surety_val_is(keyword_val(compiler, KW_CONTENT_ENCODING), "base64");
        strings.content_json = surety_val_is(
            keyword_val(compiler, KW_CONTENT_MEDIA_TYPE), "application/json");
    }
    if (!strings.min_length && strings.max_length == UINT64_MAX &&
        !strings.pattern && !strings.format && !strings.content_base64 &&
        !strings.content_json)
        return true;
    compiler->shape->strings =
        surety__compiler_keep(compiler, &strings, sizeof(strings));
    return compiler->shape->strings != NULL;
}

/* ---- arrays -------------------------------------------------------------- */

/* The shape of a subschema of this one. */
static surety__shape *build_shape(surety__compiler *compiler, surety_val val)
{
    return surety__compiler_shape(compiler, val, compiler->shape->resource);
}

/* The shapes of a keyword's subschemas; none where it is absent. */
static bool build_list(surety__compiler *compiler, surety__keyword keyword,
                       const surety__shape ***ret_shapes, uint32_t *ret_count)
{
    const surety__cell *list = keyword_cell(compiler, keyword);
    const surety__cell *cell;
    const surety__shape **shapes;

    if (!list)
        return true;
    cell = list + 1;
    shapes = surety__compiler_take(compiler, list->count * sizeof(*shapes));
    if (!shapes)
        return false;
    for (uint32_t i = 0; i < list->count; i++) {
        shapes[i] = build_shape(compiler,
                                surety__val_of(compiler->shape->at.doc, cell));
        if (!shapes[i])
            return false;
        cell = surety__cell_after(cell);
    }
    *ret_shapes = shapes;
    *ret_count = list->count;
    return true;
}

/* The shape of a keyword's one subschema; NULL where it is absent. */
static bool build_one(surety__compiler *compiler, surety__keyword keyword,
                      const surety__shape **ret_shape)
{
    const surety_val val = keyword_val(compiler, keyword);

    *ret_shape = val.doc ? build_shape(compiler, val) : NULL;
    return *ret_shape || !val.doc;
}

static bool build_arrays(surety__compiler *compiler)
{
    /* An array in items is what prefixItems is from 2020-12 on, and
     * additionalItems is then items. */
    const surety__cell *old = keyword_cell(compiler, KW_ITEMS_ARRAY);
    const bool tuple = old && old->kind == CELL_ARRAY;
    surety__arrays arrays = {
        .min_items = keyword_count(compiler, KW_MIN_ITEMS, 0),
        .max_items = keyword_count(compiler, KW_MAX_ITEMS, UINT64_MAX),
        .min_contains = keyword_count(compiler, KW_MIN_CONTAINS, 1),
        .max_contains = keyword_count(compiler, KW_MAX_CONTAINS, UINT64_MAX),
        .contains_evaluates =
            compiler->shape->resource->dialect >= SURETY_DIALECT_2020_12,
        .unique = keyword_is_true(compiler, KW_UNIQUE_ITEMS),
        .prefix_keyword = tuple ? KW_ITEMS_ARRAY : KW_PREFIX_ITEMS,
        .rest_keyword = tuple ? KW_ADDITIONAL_ITEMS
                        : old ? KW_ITEMS_ARRAY
                              : KW_ITEMS,
    };

    if (!build_list(compiler, arrays.prefix_keyword, &arrays.prefix,
                    &arrays.prefix_count) ||
        !build_one(compiler, arrays.rest_keyword, &arrays.rest) ||
        !build_one(compiler, KW_CONTAINS, &arrays.contains) ||
        !build_one(compiler, KW_UNEVALUATED_ITEMS, &arrays.unevaluated))
        return false;
    arrays.walks = arrays.prefix_count || arrays.rest;
    if (!arrays.walks && !arrays.contains && !arrays.unevaluated &&
        !arrays.min_items && arrays.max_items == UINT64_MAX && !arrays.unique)
        return true;
    compiler->shape->arrays =
        surety__compiler_keep(compiler, &arrays, sizeof(arrays));
    return compiler->shape->arrays != NULL;
}

/* ---- objects ----------------------------------------------------------- */

/* The property called by the string or key at_name, made if it is new; NULL,
 * with reterr filled, where it collides too often. The hash is cut to the 16
 * bits that key cells carry. */
static surety__property *objects_mention(surety__compiler *compiler,
                                         surety__objects *objects,
                                         surety_val at_name)
{
    const surety__cell *cell = surety__cell_of(at_name);
    surety_str name = surety__cell_str(at_name.doc, cell);
    uint32_t hash = cell->kind == CELL_KEY
                        ? cell->hash
                        : surety__hash(name.ptr, name.len) & 0xFFFF;
    uint32_t at = surety__objects_slot(objects, hash);
    uint32_t probes = 0;
    surety__property *property;

    for (; objects->table[at]; at = (at + 1) & objects->table_mask) {
        property = &objects->properties[objects->table[at] - 1];
        if (property->hash == hash && property->name.len == name.len &&
            !memcmp(property->name.ptr, name.ptr, name.len))
            return property;
        if (++probes > COLLISIONS_MAX) {
            surety__schema_fail(&compiler->resolver, at_name, SURETY_LIMIT,
                                "more than %u property names of one object "
                                "have the same hash: they were chosen to be "
                                "slow",
                                (unsigned)COLLISIONS_MAX);
            return NULL;
        }
    }
    property = &objects->properties[objects->property_count++];
    property->name = name;
    property->hash = hash;
    objects->table[at] = objects->property_count;
    return property;
}

/* The annotations of a property's subschema. */
static void objects_annotate(surety__compiler *compiler, const surety_doc *doc,
                             const surety__cell *subschema,
                             surety__property *property)
{
    const surety__cell *deprecated =
        surety__member(doc, subschema, SURETY__LITERAL("deprecated"),
                       compiler->deprecated_hash);

    property->default_val = surety__member(
        doc, subschema, SURETY__LITERAL("default"), compiler->default_hash);
    if (property->default_val)
        compiler->schema->has_defaults = true;
    if (deprecated && deprecated->kind == CELL_TRUE) {
        property->deprecated = subschema;
        compiler->schema->has_deprecated = true;
    }
}

/* properties and required as one table. */
static bool objects_properties(surety__compiler *compiler,
                               surety__objects *objects)
{
    const surety_doc *doc = compiler->shape->at.doc;
    const surety__cell *map = keyword_cell(compiler, KW_PROPERTIES);
    const surety__cell *required = keyword_cell(compiler, KW_REQUIRED);
    const surety__cell *key = map ? map + 1 : NULL;
    const uint32_t defined = map ? map->count : 0;
    const uint32_t named = required ? required->count : 0;
    const size_t most = (size_t)defined + named;
    uint32_t cap = 4;

    if (!most)
        return true;
    while (cap < 2 * most)
        cap *= 2;
    objects->properties =
        surety__compiler_take(compiler, most * sizeof(*objects->properties));
    objects->table =
        surety__compiler_take(compiler, cap * sizeof(*objects->table));
    objects->table_mask = cap - 1;
    if (!objects->properties || !objects->table)
        return false;
    for (uint32_t i = 0; i < defined; i++) {
        const surety__cell *cell = key + 1;
        surety__property *property =
            objects_mention(compiler, objects, surety__val_of(doc, key));

        if (!property)
            return false;
        property->shape = build_shape(compiler, surety__val_of(doc, cell));
        if (!property->shape)
            return false;
        if (cell->kind == CELL_OBJECT)
            objects_annotate(compiler, doc, cell, property);
        key = surety__cell_after(cell);
    }
    for (uint32_t i = 1; i <= named; i++) {
        surety__property *property = objects_mention(
            compiler, objects, surety__val_of(doc, required + i));

        if (!property)
            return false;
        objects->required_count += !property->required;
        property->required = true;
    }
    assert(objects->property_count <= most);
    return true;
}

static bool objects_patterns(surety__compiler *compiler,
                             surety__objects *objects)
{
    const surety_val map = keyword_val(compiler, KW_PATTERN_PROPERTIES);
    const size_t count = surety_val_count(map);

    if (!count)
        return true;
    objects->patterns =
        surety__compiler_take(compiler, count * sizeof(*objects->patterns));
    if (!objects->patterns)
        return false;
    SURETY_EACH (v, map) {
        surety__pattern_member *pattern =
            &objects->patterns[objects->pattern_count++];

        pattern->source = surety_val_str(surety_val_key(v));
        pattern->shape = build_shape(compiler, v);
        if (!pattern->shape ||
            !surety__compiler_pattern(compiler, surety_val_key(v),
                                      &pattern->pattern))
            return false;
    }
    return true;
}

/* dependentRequired, and dependencies where it lists names. */
static bool objects_dependents(surety__compiler *compiler,
                               surety__objects *objects)
{
    static const surety__keyword keywords[] = {KW_DEPENDENT_REQUIRED,
                                               KW_DEPENDENCIES};
    const size_t most = surety_val_count(keyword_val(compiler, keywords[0])) +
                        surety_val_count(keyword_val(compiler, keywords[1]));

    if (!most)
        return true;
    objects->dependents =
        surety__compiler_take(compiler, most * sizeof(*objects->dependents));
    objects->dependent_keys =
        surety__compiler_take(compiler, sizeof(*objects->dependent_keys));
    if (!objects->dependents || !objects->dependent_keys ||
        !surety__words_open(compiler, objects->dependent_keys, most))
        return false;
    for (size_t i = 0; i < 2; i++) {
        const surety_val map = keyword_val(compiler, keywords[i]);

        SURETY_EACH (v, map) {
            const surety_str key = surety_val_str(surety_val_key(v));
            surety__word *word;

            if (surety_val_kind(v) != SURETY_KIND_ARRAY)
                continue;
            word = surety__words_add(objects->dependent_keys, key);
            objects->dependents[objects->dependent_count++] =
                (surety__dependent_required){key, surety__cell_of(v),
                                             keywords[i],
                                             (uint32_t)word->number};
            word->number = objects->dependent_count;
            objects->dependent_names += 1 + surety_val_count(v);
        }
    }
    assert(objects->dependent_count <= most);
    return true;
}

static bool build_objects(surety__compiler *compiler)
{
    surety__objects objects = {
        .min_properties = keyword_count(compiler, KW_MIN_PROPERTIES, 0),
        .max_properties =
            keyword_count(compiler, KW_MAX_PROPERTIES, UINT64_MAX),
        .defines = compiler->present & (KEYWORD_BIT(KW_PROPERTIES) |
                                        KEYWORD_BIT(KW_PATTERN_PROPERTIES)),
    };

    if (!objects_properties(compiler, &objects) ||
        !objects_patterns(compiler, &objects) ||
        !objects_dependents(compiler, &objects) ||
        !build_one(compiler, KW_ADDITIONAL_PROPERTIES, &objects.additional) ||
        !build_one(compiler, KW_PROPERTY_NAMES, &objects.names) ||
        !build_one(compiler, KW_UNEVALUATED_PROPERTIES, &objects.unevaluated))
        return false;
    objects.walks =
        objects.property_count || objects.pattern_count || objects.additional;
    if (!objects.walks && !objects.dependent_count && !objects.names &&
        !objects.unevaluated && !objects.min_properties &&
        objects.max_properties == UINT64_MAX && !objects.defines)
        return true;
    compiler->shape->objects =
        surety__compiler_keep(compiler, &objects, sizeof(objects));
    return compiler->shape->objects != NULL;
}

/* ---- applicators --------------------------------------------------------- */

static bool applicator_add(surety__compiler *compiler,
                           surety__applicator applicator)
{
    if (surety__grow(compiler->schema->alloc, &compiler->applicators,
                     &compiler->applicator_cap, compiler->applicator_count + 1,
                     sizeof(applicator), SIZE_MAX)) {
        surety__fail_nomem(compiler->resolver.reterr);
        return false;
    }
    compiler->applicators[compiler->applicator_count++] = applicator;
    return true;
}

/* Adds an applicator of one shape; target NULL: it could not be made. */
static bool apply_single(surety__compiler *compiler,
                         surety__applicator applicator,
                         const surety__shape *target)
{
    if (!target)
        return false;
    applicator.shapes =
        surety__compiler_keep(compiler, &target, sizeof(target));
    applicator.count = 1;
    return applicator.shapes && applicator_add(compiler, applicator);
}

/* allOf, anyOf, oneOf. */
static bool apply_list(surety__compiler *compiler, surety__keyword keyword,
                       enum surety__applicator_kind kind)
{
    surety__applicator applicator = {.kind = kind, .keyword = keyword};

    return build_list(compiler, keyword, &applicator.shapes,
                      &applicator.count) &&
           (!applicator.count || applicator_add(compiler, applicator));
}

static bool apply_ref(surety__compiler *compiler)
{
    const surety_val at = keyword_val(compiler, KW_REF);
    surety__target target;

    if (!at.doc)
        return true;
    /* Where nothing counts beside $ref, its form has not been checked. */
    if (surety_val_kind(at) != SURETY_KIND_STRING)
        return surety__schema_fail(&compiler->resolver, at, SURETY_SYNTAX,
                                   "$ref must be a string");
    return surety__resolver_find(&compiler->resolver, compiler->shape->resource,
                                 at, &target) &&
           apply_single(
               compiler,
               (surety__applicator){.kind = APPLY_ALL, .keyword = KW_REF},
               surety__compiler_shape(compiler, target.val, target.resource));
}

/* In v1 a $dynamicRef is the plain name of a dynamic anchor, with or without
 * "#", and need not be found in its own resource. */
static bool apply_dynamic_v1(surety__compiler *compiler, surety_val at)
{
    surety__resolver *resolver = &compiler->resolver;
    surety__applicator applicator = {.kind = APPLY_DYNAMIC,
                                     .keyword = KW_DYNAMIC_REF};
    surety_str name = surety_val_str(at);
    const surety__anchor *anchor;
    const surety__name *wanted;

    if (name.len && name.ptr[0] == '#')
        name = (surety_str){name.ptr + 1, name.len - 1};
    wanted = surety__resolver_want(resolver, name);
    if (!wanted)
        return false;
    applicator.dynamic_name = wanted->number;
    compiler->dynamic_count++;
    anchor = surety__resolver_anchor(resolver, compiler->shape->resource, name,
                                     true);
    if (!anchor)
        anchor = wanted->first;
    if (!anchor)
        return surety__schema_fail(
            resolver, at, SURETY_SYNTAX,
            "no schema resource has the dynamic anchor \"%.*s\"", (int)name.len,
            name.ptr);
    return apply_single(
        compiler, applicator,
        surety__compiler_shape(compiler, anchor->val, anchor->resource));
}

/* $dynamicRef (2020-12 core, section 8.2.3.2) and $recursiveRef (2019-09 core,
 * section 8.2.4.2): dynamic only where the first target is. */
static bool apply_dynamic(surety__compiler *compiler, surety__keyword keyword)
{
    surety__resolver *resolver = &compiler->resolver;
    const surety__resource *resource = compiler->shape->resource;
    const surety_val at = keyword_val(compiler, keyword);
    surety__applicator applicator = {.kind = APPLY_ALL, .keyword = keyword};
    surety__target target;

    if (!at.doc)
        return true;
    if (keyword == KW_DYNAMIC_REF && resource->dialect == SURETY_DIALECT_V1)
        return apply_dynamic_v1(compiler, at);
    if (!surety__resolver_find(resolver, resource, at, &target))
        return false;
    if (keyword == KW_RECURSIVE_REF && target.resource->recursive) {
        target.dynamic = true;
        target.dynamic_name = SURETY__LITERAL("");
    }
    if (target.dynamic) {
        const surety__name *wanted =
            surety__resolver_want(resolver, target.dynamic_name);

        if (!wanted)
            return false;
        applicator.kind = APPLY_DYNAMIC;
        applicator.dynamic_name = wanted->number;
        compiler->dynamic_count++;
    }
    return apply_single(
        compiler, applicator,
        surety__compiler_shape(compiler, target.val, target.resource));
}

static bool apply_if(surety__compiler *compiler)
{
    surety__applicator applicator = {
        .kind = APPLY_IF, .keyword = KW_IF, .count = 3};

    if (!keyword_cell(compiler, KW_IF))
        return true;
    applicator.shapes =
        surety__compiler_take(compiler, 3 * sizeof(*applicator.shapes));
    return applicator.shapes &&
           build_one(compiler, KW_IF, &applicator.shapes[0]) &&
           build_one(compiler, KW_THEN, &applicator.shapes[1]) &&
           build_one(compiler, KW_ELSE, &applicator.shapes[2]) &&
           applicator_add(compiler, applicator);
}

/* dependentSchemas, and dependencies where it holds schemas. */
static bool apply_dependents(surety__compiler *compiler,
                             surety__keyword keyword)
{
    const surety_val map = keyword_val(compiler, keyword);

    SURETY_EACH (v, map) {
        const surety__applicator applicator = {
            .kind = APPLY_DEPENDENT,
            .keyword = keyword,
            .key = surety_val_str(surety_val_key(v))};

        if (surety_val_kind(v) != SURETY_KIND_ARRAY &&
            !apply_single(compiler, applicator, build_shape(compiler, v)))
            return false;
    }
    return true;
}

static bool apply_property_values(surety__compiler *compiler)
{
    const surety_val map = keyword_val(compiler, KW_PROPERTY_DEPENDENCIES);

    SURETY_EACH (v, map)
        SURETY_EACH (w, v) {
            const surety__applicator applicator = {
                .kind = APPLY_PROPERTY_VALUE,
                .keyword = KW_PROPERTY_DEPENDENCIES,
                .key = surety_val_str(surety_val_key(v)),
                .value = surety_val_str(surety_val_key(w))};

            if (!apply_single(compiler, applicator, build_shape(compiler, w)))
                return false;
        }
    return true;
}

static bool apply_not(surety__compiler *compiler)
{
    const surety_val val = keyword_val(compiler, KW_NOT);

    return !val.doc || apply_single(compiler,
                                    (surety__applicator){.kind = APPLY_NOT,
                                                         .keyword = KW_NOT},
                                    build_shape(compiler, val));
}

/* Makes the applicators that depend on a member be found by its key. */
static bool dependents_link(surety__compiler *compiler)
{
    surety__applicator *const list = compiler->applicators;
    const size_t count = compiler->applicator_count;
    size_t first = count;
    surety__words *keys;

    while (first && list[first - 1].kind >= APPLY_DEPENDENT)
        first--;
    if (first == count)
        return true;
    keys = surety__compiler_take(compiler, sizeof(*keys));
    if (!keys || !surety__words_open(compiler, keys, count - first))
        return false;
    for (size_t i = count; i-- > first;) {
        surety__word *word = surety__words_add(keys, list[i].key);

        list[i].keys = keys;
        list[i].next = (uint32_t)word->number;
        word->number = i + 1;
    }
    return true;
}

/* ref_only: nothing counts beside $ref. */
static bool build_applicators(surety__compiler *compiler, bool ref_only)
{
    surety__shape *shape = compiler->shape;

    compiler->applicator_count = 0;
    if (!apply_ref(compiler))
        return false;
    if (!ref_only &&
        !(apply_dynamic(compiler, KW_DYNAMIC_REF) &&
          apply_dynamic(compiler, KW_RECURSIVE_REF) &&
          apply_list(compiler, KW_ALL_OF, APPLY_ALL) &&
          apply_list(compiler, KW_ANY_OF, APPLY_ANY) &&
          apply_list(compiler, KW_ONE_OF, APPLY_ONE) && apply_not(compiler) &&
          apply_if(compiler) &&
          apply_dependents(compiler, KW_DEPENDENT_SCHEMAS) &&
          apply_dependents(compiler, KW_DEPENDENCIES) &&
          apply_property_values(compiler) && dependents_link(compiler)))
        return false;
    if (!compiler->applicator_count)
        return true;
    shape->applicator_count = (uint32_t)compiler->applicator_count;
    shape->applicators = surety__compiler_keep(
        compiler, compiler->applicators,
        compiler->applicator_count * sizeof(*compiler->applicators));
    return shape->applicators != NULL;
}

/* ---- all of it ----------------------------------------------------------- */

static bool build_assertions(surety__compiler *compiler)
{
    const unsigned parts = compiler->parts;

    return build_types(compiler) &&
           (!(parts & PART_CHOICES) ||
            (build_choices(compiler, KW_ENUM, &compiler->shape->choices) &&
             build_choices(compiler, KW_CONST, &compiler->shape->constant))) &&
           (!(parts & PART_NUMBERS) || build_numbers(compiler)) &&
           (!(parts & PART_STRINGS) || build_strings(compiler)) &&
           (!(parts & PART_ARRAYS) || build_arrays(compiler)) &&
           (!(parts & PART_OBJECTS) || build_objects(compiler));
}

bool surety__shape_build(surety__compiler *compiler, surety__shape *shape)
{
    const surety__cell *cell = surety__cell_of(shape->at);
    bool ref_only;

    compiler->shape = shape;
    shape->always = cell->kind == CELL_TRUE;
    shape->never = cell->kind == CELL_FALSE;
    if (shape->always || shape->never)
        return true;
    if (cell->kind != CELL_OBJECT)
        return form_fail(compiler, SURETY__LITERAL("the value"), FORM_SCHEMA,
                         shape->at);
    if (!keywords_read(compiler, &ref_only) ||
        (!ref_only && !build_assertions(compiler)) ||
        (compiler->parts & PART_APPLICATORS &&
         !build_applicators(compiler, ref_only)))
        return false;
    shape->tracks = (shape->objects && shape->objects->unevaluated) ||
                    (shape->arrays && shape->arrays->unevaluated);
    return true;
}
