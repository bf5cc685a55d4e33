/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a shape that hold subschemas or patterns: strings, arrays,
 * objects, and what applies to the same value. */
#include "schema/compile.h"

/* ---- strings ----------------------------------------------------------- */

static void strings_content(const surety__compiler *compiler,
                            const surety__shape *shape,
                            surety__strings *strings)
{
    surety_val encoding =
        surety__keyword_val(compiler, shape, KW_CONTENT_ENCODING);
    surety_val media =
        surety__keyword_val(compiler, shape, KW_CONTENT_MEDIA_TYPE);

    /* Only draft 7 lets these assert (validation, section 8.2); the later
     * drafts made them annotations. */
    if (!shape->resource->assert_format ||
        shape->resource->dialect != SURETY_DIALECT_7)
        return;
    strings->content_base64 = surety_val_is(encoding, "base64");
    strings->content_json = surety_val_is(media, "application/json");
}

surety_status surety__build_strings(surety__compiler *compiler,
                                    surety__shape *shape)
{
    surety__strings strings = {
        .min_length = surety__keyword_count(compiler, shape, KW_MIN_LENGTH, 0),
        .max_length =
            surety__keyword_count(compiler, shape, KW_MAX_LENGTH, UINT64_MAX),
    };
    surety_val pattern = surety__keyword_val(compiler, shape, KW_PATTERN);
    surety_val format = surety__keyword_val(compiler, shape, KW_FORMAT);
    surety__strings *built;
    surety_status status = SURETY_OK;

    if (pattern.doc)
        status = surety__compiler_pattern(compiler, pattern, &strings.pattern);
    if (status)
        return status;
    if (format.doc && shape->resource->assert_format) {
        strings.format = surety__format_find(surety_val_str(format),
                                             1u << shape->resource->dialect);
        strings.format_name = surety_val_str(format);
    }
    strings_content(compiler, shape, &strings);
    if (!strings.min_length && strings.max_length == UINT64_MAX &&
        !strings.pattern && !strings.format && !strings.content_base64 &&
        !strings.content_json)
        return SURETY_OK;
    built = surety__compiler_take(compiler, sizeof(*built));
    if (!built)
        return SURETY_NOMEM;
    *built = strings;
    shape->strings = built;
    return SURETY_OK;
}

/* ---- arrays ------------------------------------------------------------ */

static surety_status build_list(surety__compiler *compiler,
                                const surety__shape *shape,
                                const surety__cell *list,
                                const surety__shape ***ret_shapes,
                                uint32_t *ret_count)
{
    const surety__cell *cell = list + 1;
    uint32_t count = list->count;
    const surety__shape **shapes =
        surety__compiler_take(compiler, count * sizeof(*shapes));

    if (!shapes)
        return SURETY_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        shapes[i] = surety__compiler_shape(
            compiler, surety__val_of(shape->at.doc, cell), shape->resource);
        if (!shapes[i])
            return SURETY_NOMEM;
        cell = surety__cell_after(cell);
    }
    *ret_shapes = shapes;
    *ret_count = count;
    return SURETY_OK;
}

/* The shape of a keyword's one subschema; NULL in *ret_shape if absent. */
static surety_status build_one(surety__compiler *compiler,
                               const surety__shape *shape,
                               surety__keyword keyword,
                               const surety__shape **ret_shape)
{
    surety_val val = surety__keyword_val(compiler, shape, keyword);

    *ret_shape = NULL;
    if (!val.doc)
        return SURETY_OK;
    *ret_shape = surety__compiler_shape(compiler, val, shape->resource);
    return *ret_shape ? SURETY_OK : SURETY_NOMEM;
}

/* items and additionalItems: an array in drafts up to 2019-09 is what
 * prefixItems is from 2020-12 on, and additionalItems is then items. */
static surety_status arrays_items(surety__compiler *compiler,
                                  const surety__shape *shape,
                                  surety__arrays *arrays)
{
    const surety__cell *old = surety__keyword_cell(compiler, KW_ITEMS_ARRAY);
    const surety__cell *prefix =
        surety__keyword_cell(compiler, KW_PREFIX_ITEMS);
    bool tuple = old && old->kind == CELL_ARRAY;
    surety_status status = SURETY_OK;

    arrays->prefix_keyword = tuple ? KW_ITEMS_ARRAY : KW_PREFIX_ITEMS;
    arrays->rest_keyword = tuple ? KW_ADDITIONAL_ITEMS
                           : old ? KW_ITEMS_ARRAY
                                 : KW_ITEMS;
    if (tuple || prefix)
        status = build_list(compiler, shape, tuple ? old : prefix,
                            &arrays->prefix, &arrays->prefix_count);
    if (!status)
        status =
            build_one(compiler, shape, arrays->rest_keyword, &arrays->rest);
    arrays->walks = arrays->prefix_count || arrays->rest;
    return status;
}

surety_status surety__build_arrays(surety__compiler *compiler,
                                   surety__shape *shape)
{
    surety__arrays arrays = {
        .min_items = surety__keyword_count(compiler, shape, KW_MIN_ITEMS, 0),
        .max_items =
            surety__keyword_count(compiler, shape, KW_MAX_ITEMS, UINT64_MAX),
        .min_contains =
            surety__keyword_count(compiler, shape, KW_MIN_CONTAINS, 1),
        .max_contains =
            surety__keyword_count(compiler, shape, KW_MAX_CONTAINS, UINT64_MAX),
        .contains_evaluates =
            shape->resource->dialect >= SURETY_DIALECT_2020_12,
        .unique = surety_val_bool(
            surety__keyword_val(compiler, shape, KW_UNIQUE_ITEMS), false),
    };
    surety__arrays *built;
    surety_status status = arrays_items(compiler, shape, &arrays);

    if (!status)
        status = build_one(compiler, shape, KW_CONTAINS, &arrays.contains);
    if (!status)
        status = build_one(compiler, shape, KW_UNEVALUATED_ITEMS,
                           &arrays.unevaluated);
    if (status)
        return status;
    if (!arrays.walks && !arrays.contains && !arrays.unevaluated &&
        !arrays.min_items && arrays.max_items == UINT64_MAX && !arrays.unique)
        return SURETY_OK;
    built = surety__compiler_take(compiler, sizeof(*built));
    if (!built)
        return SURETY_NOMEM;
    *built = arrays;
    shape->arrays = built;
    return SURETY_OK;
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

/* The members of properties. */
static surety_status objects_defined(surety__compiler *compiler,
                                     const surety__shape *shape,
                                     surety__objects *objects,
                                     const surety__cell *map)
{
    const surety_doc *doc = shape->at.doc;
    const surety__cell *key = map + 1;

    for (uint32_t i = 0; i < map->count; i++) {
        const surety__cell *cell = key + 1;
        surety__property *property =
            objects_mention(compiler, objects, surety__val_of(doc, key));

        if (!property)
            return SURETY_LIMIT;
        property->shape = surety__compiler_shape(
            compiler, surety__val_of(doc, cell), shape->resource);
        if (!property->shape)
            return SURETY_NOMEM;
        if (cell->kind == CELL_OBJECT)
            objects_annotate(compiler, doc, cell, property);
        key = surety__cell_after(cell);
    }
    return SURETY_OK;
}

static surety_status objects_properties(surety__compiler *compiler,
                                        const surety__shape *shape,
                                        surety__objects *objects)
{
    const surety__cell *map = surety__keyword_cell(compiler, KW_PROPERTIES);
    const surety__cell *required = surety__keyword_cell(compiler, KW_REQUIRED);
    size_t most =
        (map ? (size_t)map->count : 0) + (required ? required->count : 0);
    uint32_t cap = 4;
    surety_status status = SURETY_OK;

    if (!most)
        return SURETY_OK;
    while (cap < 2 * most)
        cap *= 2;
    objects->properties =
        surety__compiler_take(compiler, most * sizeof(*objects->properties));
    objects->table =
        surety__compiler_take(compiler, cap * sizeof(*objects->table));
    objects->table_mask = cap - 1;
    if (!objects->properties || !objects->table)
        return SURETY_NOMEM;
    if (map)
        status = objects_defined(compiler, shape, objects, map);
    for (uint32_t i = 1; required && i <= required->count && !status; i++) {
        surety__property *property = objects_mention(
            compiler, objects, surety__val_of(shape->at.doc, required + i));

        if (!property)
            return SURETY_LIMIT;
        objects->required_count += !property->required;
        property->required = true;
    }
    return status;
}

static surety_status objects_patterns(surety__compiler *compiler,
                                      const surety__shape *shape,
                                      surety__objects *objects)
{
    surety_val map =
        surety__keyword_val(compiler, shape, KW_PATTERN_PROPERTIES);
    size_t count = surety_val_count(map);
    surety_status status = SURETY_OK;

    if (!count)
        return SURETY_OK;
    objects->patterns =
        surety__compiler_take(compiler, count * sizeof(*objects->patterns));
    if (!objects->patterns)
        return SURETY_NOMEM;
    for (surety_val v = surety_val_first(map); v.doc && !status;
         v = surety_val_next(map, v)) {
        surety__pattern_member *pattern =
            &objects->patterns[objects->pattern_count++];

        pattern->source = surety_val_str(surety_val_key(v));
        status = surety__compiler_pattern(compiler, surety_val_key(v),
                                          &pattern->pattern);
        pattern->shape = surety__compiler_shape(compiler, v, shape->resource);
        if (!pattern->shape && !status)
            status = SURETY_NOMEM;
    }
    return status;
}

/* dependentRequired, and dependencies where it lists names. */
static surety_status objects_dependents(surety__compiler *compiler,
                                        const surety__shape *shape,
                                        surety__objects *objects)
{
    static const surety__keyword keywords[] = {KW_DEPENDENT_REQUIRED,
                                               KW_DEPENDENCIES};
    size_t most =
        surety_val_count(surety__keyword_val(compiler, shape, keywords[0])) +
        surety_val_count(surety__keyword_val(compiler, shape, keywords[1]));

    if (!most)
        return SURETY_OK;
    objects->dependents =
        surety__compiler_take(compiler, most * sizeof(*objects->dependents));
    if (!objects->dependents)
        return SURETY_NOMEM;
    for (size_t i = 0; i < 2; i++) {
        surety_val map = surety__keyword_val(compiler, shape, keywords[i]);

        for (surety_val v = surety_val_first(map); v.doc;
             v = surety_val_next(map, v))
            if (surety_val_kind(v) == SURETY_KIND_ARRAY)
                objects->dependents[objects->dependent_count++] =
                    (surety__dependent_required){
                        surety_val_str(surety_val_key(v)), surety__cell_of(v),
                        keywords[i]};
    }
    return SURETY_OK;
}

surety_status surety__build_objects(surety__compiler *compiler,
                                    surety__shape *shape)
{
    surety__objects objects = {
        .min_properties =
            surety__keyword_count(compiler, shape, KW_MIN_PROPERTIES, 0),
        .max_properties = surety__keyword_count(compiler, shape,
                                                KW_MAX_PROPERTIES, UINT64_MAX),
    };
    surety__objects *built;
    surety_status status = objects_properties(compiler, shape, &objects);

    if (!status)
        status = objects_patterns(compiler, shape, &objects);
    if (!status)
        status = objects_dependents(compiler, shape, &objects);
    if (!status)
        status = build_one(compiler, shape, KW_ADDITIONAL_PROPERTIES,
                           &objects.additional);
    if (!status)
        status = build_one(compiler, shape, KW_PROPERTY_NAMES, &objects.names);
    if (!status)
        status = build_one(compiler, shape, KW_UNEVALUATED_PROPERTIES,
                           &objects.unevaluated);
    if (status)
        return status;
    objects.walks =
        objects.property_count || objects.pattern_count || objects.additional;
    objects.defines = surety__keyword_cell(compiler, KW_PROPERTIES) ||
                      surety__keyword_cell(compiler, KW_PATTERN_PROPERTIES);
    if (!objects.walks && !objects.dependent_count && !objects.names &&
        !objects.unevaluated && !objects.min_properties &&
        objects.max_properties == UINT64_MAX && !objects.defines)
        return SURETY_OK;
    built = surety__compiler_take(compiler, sizeof(*built));
    if (!built)
        return SURETY_NOMEM;
    *built = objects;
    shape->objects = built;
    return SURETY_OK;
}

/* ---- applicators ------------------------------------------------------- */

static surety_status applicator_add(surety__compiler *compiler,
                                    surety__applicator applicator)
{
    void *items = compiler->applicators;
    surety_status status = surety__grow(
        compiler->schema->alloc, &items, &compiler->applicator_cap,
        compiler->applicator_count + 1, sizeof(applicator), SIZE_MAX);

    compiler->applicators = items;
    if (status)
        return surety__fail_nomem(compiler->resolver.reterr);
    compiler->applicators[compiler->applicator_count++] = applicator;
    return SURETY_OK;
}

/* allOf, anyOf, oneOf. */
static surety_status apply_list(surety__compiler *compiler,
                                const surety__shape *shape,
                                surety__keyword keyword,
                                enum surety__applicator_kind kind)
{
    const surety__cell *list = surety__keyword_cell(compiler, keyword);
    surety__applicator applicator = {.kind = kind, .keyword = keyword};
    surety_status status;

    if (!list)
        return SURETY_OK;
    status = build_list(compiler, shape, list, &applicator.shapes,
                        &applicator.count);
    return status ? status : applicator_add(compiler, applicator);
}

static surety_status apply_single(surety__compiler *compiler,
                                  surety__applicator applicator,
                                  const surety__shape *target)
{
    applicator.shapes =
        surety__compiler_take(compiler, sizeof(*applicator.shapes));
    if (!target || !applicator.shapes)
        return SURETY_NOMEM;
    applicator.shapes[0] = target;
    applicator.count = 1;
    return applicator_add(compiler, applicator);
}

static surety_status apply_ref(surety__compiler *compiler,
                               const surety__shape *shape)
{
    surety_val at = surety__keyword_val(compiler, shape, KW_REF);
    surety__target target;
    surety_status status;

    if (!at.doc)
        return SURETY_OK;
    if (surety_val_kind(at) != SURETY_KIND_STRING)
        return surety__schema_fail(&compiler->resolver, at, SURETY_SYNTAX,
                                   "$ref must be a string");
    status = surety__resolver_find(&compiler->resolver, shape->resource, at,
                                   &target);
    if (status)
        return status;
    return apply_single(
        compiler, (surety__applicator){.kind = APPLY_ALL, .keyword = KW_REF},
        surety__compiler_shape(compiler, target.val, target.resource));
}

/* In v1 a $dynamicRef is the plain name of a dynamic anchor, with or without
 * "#", and need not be found in its own resource. */
static surety_status apply_dynamic_v1(surety__compiler *compiler,
                                      const surety__shape *shape, surety_val at)
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
        return SURETY_NOMEM;
    applicator.dynamic_name = wanted->number;
    compiler->dynamic_count++;
    anchor = surety__resolver_anchor(resolver, shape->resource, name, true);
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
static surety_status apply_dynamic(surety__compiler *compiler,
                                   const surety__shape *shape,
                                   surety__keyword keyword)
{
    surety__resolver *resolver = &compiler->resolver;
    surety_val at = surety__keyword_val(compiler, shape, keyword);
    surety__applicator applicator = {.kind = APPLY_ALL, .keyword = keyword};
    surety__target target;
    surety_status status;

    if (!at.doc)
        return SURETY_OK;
    if (keyword == KW_DYNAMIC_REF &&
        shape->resource->dialect == SURETY_DIALECT_V1)
        return apply_dynamic_v1(compiler, shape, at);
    status = surety__resolver_find(resolver, shape->resource, at, &target);
    if (status)
        return status;
    if (keyword == KW_RECURSIVE_REF && target.resource->recursive) {
        target.dynamic = true;
        target.dynamic_name = SURETY__LITERAL("");
    }
    if (target.dynamic) {
        const surety__name *wanted =
            surety__resolver_want(resolver, target.dynamic_name);

        if (!wanted)
            return SURETY_NOMEM;
        applicator.kind = APPLY_DYNAMIC;
        applicator.dynamic_name = wanted->number;
        compiler->dynamic_count++;
    }
    return apply_single(
        compiler, applicator,
        surety__compiler_shape(compiler, target.val, target.resource));
}

static surety_status apply_if(surety__compiler *compiler,
                              const surety__shape *shape)
{
    surety__applicator applicator = {.kind = APPLY_IF, .keyword = KW_IF};
    surety_status status;

    if (!surety__keyword_cell(compiler, KW_IF))
        return SURETY_OK;
    applicator.shapes =
        surety__compiler_take(compiler, 3 * sizeof(*applicator.shapes));
    if (!applicator.shapes)
        return SURETY_NOMEM;
    applicator.count = 3;
    status = build_one(compiler, shape, KW_IF, &applicator.shapes[0]);
    if (!status)
        status = build_one(compiler, shape, KW_THEN, &applicator.shapes[1]);
    if (!status)
        status = build_one(compiler, shape, KW_ELSE, &applicator.shapes[2]);
    return status ? status : applicator_add(compiler, applicator);
}

/* dependentSchemas, and dependencies where it holds schemas. */
static surety_status apply_dependents(surety__compiler *compiler,
                                      const surety__shape *shape,
                                      surety__keyword keyword)
{
    surety_val map = surety__keyword_val(compiler, shape, keyword);
    surety_status status = SURETY_OK;

    for (surety_val v = surety_val_first(map); v.doc && !status;
         v = surety_val_next(map, v)) {
        if (surety_val_kind(v) == SURETY_KIND_ARRAY)
            continue;
        status = apply_single(
            compiler,
            (surety__applicator){.kind = APPLY_DEPENDENT,
                                 .keyword = keyword,
                                 .key = surety_val_str(surety_val_key(v))},
            surety__compiler_shape(compiler, v, shape->resource));
    }
    return status;
}

static surety_status apply_property_values(surety__compiler *compiler,
                                           const surety__shape *shape)
{
    surety_val map =
        surety__keyword_val(compiler, shape, KW_PROPERTY_DEPENDENCIES);
    surety_status status = SURETY_OK;

    for (surety_val v = surety_val_first(map); v.doc && !status;
         v = surety_val_next(map, v))
        for (surety_val w = surety_val_first(v); w.doc && !status;
             w = surety_val_next(v, w))
            status = apply_single(
                compiler,
                (surety__applicator){.kind = APPLY_PROPERTY_VALUE,
                                     .keyword = KW_PROPERTY_DEPENDENCIES,
                                     .key = surety_val_str(surety_val_key(v)),
                                     .value =
                                         surety_val_str(surety_val_key(w))},
                surety__compiler_shape(compiler, w, shape->resource));
    return status;
}

static surety_status apply_not(surety__compiler *compiler,
                               const surety__shape *shape)
{
    const surety__shape *target;
    surety_status status = build_one(compiler, shape, KW_NOT, &target);

    if (status || !target)
        return status;
    return apply_single(
        compiler, (surety__applicator){.kind = APPLY_NOT, .keyword = KW_NOT},
        target);
}

surety_status surety__build_applicators(surety__compiler *compiler,
                                        surety__shape *shape, bool ref_only)
{
    surety__applicator *list;
    size_t bytes;
    surety_status status;

    compiler->applicator_count = 0;
    status = apply_ref(compiler, shape);
    if (!status && !ref_only) {
        status = apply_dynamic(compiler, shape, KW_DYNAMIC_REF);
        if (!status)
            status = apply_dynamic(compiler, shape, KW_RECURSIVE_REF);
        if (!status)
            status = apply_list(compiler, shape, KW_ALL_OF, APPLY_ALL);
        if (!status)
            status = apply_list(compiler, shape, KW_ANY_OF, APPLY_ANY);
        if (!status)
            status = apply_list(compiler, shape, KW_ONE_OF, APPLY_ONE);
        if (!status)
            status = apply_not(compiler, shape);
        if (!status)
            status = apply_if(compiler, shape);
        if (!status)
            status = apply_dependents(compiler, shape, KW_DEPENDENT_SCHEMAS);
        if (!status)
            status = apply_dependents(compiler, shape, KW_DEPENDENCIES);
        if (!status)
            status = apply_property_values(compiler, shape);
    }
    if (status || !compiler->applicator_count)
        return status;
    bytes = compiler->applicator_count * sizeof(*list);
    list = surety__compiler_take(compiler, bytes);
    if (!list)
        return SURETY_NOMEM;
    memcpy(list, compiler->applicators, bytes);
    shape->applicators = list;
    shape->applicator_count = (uint32_t)compiler->applicator_count;
    return SURETY_OK;
}
