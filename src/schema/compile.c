/* SPDX-License-Identifier: Apache-2.0 */
/* From a schema document to shapes.
 *
 * A work list holds the subschemas that are referred to; each is built once
 * and adds its own subschemas in turn, so depth costs no C stack and
 * what is never reached is never built. Every mistake is reported at its own
 * line. After the last shape is built, circles are refused (circle.c). */
#include "schema/compile.h"

#include "schema/schema.h"

/* ---- keyword values ---------------------------------------------------- */

static unsigned type_of_name(surety_str name)
{
    static const struct {
        surety_str name;
        unsigned bit;
    } types[] = {
        {{"string", 6}, TYPE_STRING},
        {{"object", 6}, TYPE_OBJECT},
        {{"array", 5}, TYPE_ARRAY},
        {{"boolean", 7}, TYPE_BOOLEAN},
        {{"number", 6}, TYPE_NUMBER | TYPE_INTEGER},
        {{"integer", 7}, TYPE_INTEGER},
        {{"null", 4}, TYPE_NULL},
    };

    for (size_t i = 0; name.len && i < sizeof(types) / sizeof(*types); i++)
        if (name.ptr[0] == types[i].name.ptr[0] &&
            surety_str_equal(name, types[i].name))
            return types[i].bit;
    return 0;
}

/* Checks of a keyword's value, or of a child of it. */

static bool form_is_schema(const surety_doc *doc, const surety__cell *cell)
{
    (void)doc;
    return cell->kind == CELL_OBJECT || cell->kind == CELL_TRUE ||
           cell->kind == CELL_FALSE;
}

static bool form_is_string(const surety_doc *doc, const surety__cell *cell)
{
    (void)doc;
    return cell->kind == CELL_STRING;
}

static bool form_is_type(const surety_doc *doc, const surety__cell *cell)
{
    return cell->kind == CELL_STRING &&
           type_of_name(surety__cell_str(doc, cell));
}

static bool form_is_positive(const surety_doc *doc, const surety__cell *cell)
{
    surety_str zero = {"0", 1};

    if (!surety__cell_is_number(cell) || cell->kind == CELL_INT)
        return cell->kind == CELL_INT && cell->i > 0;
    return surety__decimal_compare(surety__cell_decimal(doc, cell),
                                   surety__decimal_of(zero)) > 0;
}

static bool form_is_count(const surety_doc *doc, const surety__cell *cell)
{
    if (cell->kind != CELL_WHOLE)
        return cell->kind == CELL_INT && cell->i >= 0;
    return surety__cell_number(doc, cell).ptr[0] != '-' ||
           surety_val_int(surety__val_of(doc, cell), -1) == 0;
}

/* The following give the cell that is in the way, NULL where none is: the value
 * itself where it is not of the kind, else the first child that does not
 * hold. */

typedef bool form_holds(const surety_doc *doc, const surety__cell *cell);

static const surety__cell *form_each(const surety_doc *doc,
                                     const surety__cell *container,
                                     enum surety__cell_kind kind,
                                     form_holds *holds)
{
    const unsigned skip = kind == CELL_OBJECT; /* the key of each */
    const surety__cell *cell = container + 1;

    if (container->kind != kind)
        return container;
    for (uint32_t i = 0; i < container->count; i++) {
        cell += skip;
        if (!holds(doc, cell))
            return cell;
        cell = surety__cell_after(cell);
    }
    return NULL;
}

/* An array that must not be empty. */
static const surety__cell *form_some(const surety_doc *doc,
                                     const surety__cell *array,
                                     form_holds *holds)
{
    return array->kind == CELL_ARRAY && array->count
               ? form_each(doc, array, CELL_ARRAY, holds)
               : array;
}

/* An object whose members are objects or arrays of what holds. */
static const surety__cell *form_maps(const surety_doc *doc,
                                     const surety__cell *map,
                                     enum surety__cell_kind kind,
                                     form_holds *holds, bool or_schema)
{
    const surety__cell *cell = map + 1;
    const surety__cell *wrong = NULL;

    if (map->kind != CELL_OBJECT)
        return map;
    for (uint32_t i = 0; i < map->count && !wrong; i++) {
        cell++;
        if (!or_schema || !form_is_schema(doc, cell))
            wrong = form_each(doc, cell, kind, holds);
        cell = surety__cell_after(cell);
    }
    return wrong;
}

static const surety__cell *form_wrong(surety__form form, const surety_doc *doc,
                                      const surety__cell *cell)
{
    bool array = cell->kind == CELL_ARRAY;
    bool holds = true;

    switch (form) {
    case FORM_ANY: break;
    case FORM_BOOLEAN:
        holds = cell->kind == CELL_TRUE || cell->kind == CELL_FALSE;
        break;
    case FORM_NUMBER: holds = surety__cell_is_number(cell); break;
    case FORM_POSITIVE: holds = form_is_positive(doc, cell); break;
    case FORM_COUNT: holds = form_is_count(doc, cell); break;
    case FORM_STRING: holds = cell->kind == CELL_STRING; break;
    case FORM_STRINGS: return form_each(doc, cell, CELL_ARRAY, form_is_string);
    case FORM_ARRAY: holds = array; break;
    case FORM_OBJECT: holds = cell->kind == CELL_OBJECT; break;
    case FORM_TYPES:
        if (array)
            return form_some(doc, cell, form_is_type);
        holds = form_is_type(doc, cell);
        break;
    case FORM_STRINGS_MAP:
        return form_maps(doc, cell, CELL_ARRAY, form_is_string, false);
    case FORM_SCHEMA: holds = form_is_schema(doc, cell); break;
    case FORM_SCHEMAS: return form_some(doc, cell, form_is_schema);
    case FORM_SCHEMA_MAP:
        return form_each(doc, cell, CELL_OBJECT, form_is_schema);
    case FORM_ITEMS:
        if (array)
            return form_each(doc, cell, CELL_ARRAY, form_is_schema);
        holds = form_is_schema(doc, cell);
        break;
    case FORM_DEPENDENCIES:
        return form_maps(doc, cell, CELL_ARRAY, form_is_string, true);
    case FORM_SCHEMA_MAPS:
        return form_maps(doc, cell, CELL_OBJECT, form_is_schema, false);
    }
    return holds ? NULL : cell;
}

/* The error of a keyword whose value has a wrong form. */
static surety_status form_fail(surety__compiler *compiler, surety_str name,
                               surety__form form, surety_val wrong)
{
    const char *wanted = surety__form_name(form);
    const char *an = "a";
    surety_str text = surety_val_number(wrong);

    switch (surety_val_kind(wrong)) {
    case SURETY_KIND_STRING:
        text = surety_val_str(wrong);
        surety__schema_fail(
            &compiler->resolver, wrong, SURETY_SYNTAX,
            "%.*s must be %s, but the string \"%.*s\" stands here",
            (int)name.len, name.ptr, wanted, text.len < 60 ? (int)text.len : 60,
            text.ptr);
        if (form == FORM_TYPES)
            surety__hint(compiler->resolver.reterr,
                         "the types are null, boolean, number, integer, "
                         "string, array and object");
        return SURETY_SYNTAX;
    case SURETY_KIND_NUMBER:
        return surety__schema_fail(
            &compiler->resolver, wrong, SURETY_SYNTAX,
            "%.*s must be %s, but %.*s stands here", (int)name.len, name.ptr,
            wanted, text.len < 60 ? (int)text.len : 60, text.ptr);
    case SURETY_KIND_NULL: an = ""; break;
    case SURETY_KIND_ARRAY:
        an = surety_val_count(wrong) ? "an" : "an empty";
        break;
    case SURETY_KIND_OBJECT: an = "an"; break;
    default: break;
    }
    return surety__schema_fail(
        &compiler->resolver, wrong, SURETY_SYNTAX,
        "%.*s must be %s, but %s%s%s stands here", (int)name.len, name.ptr,
        wanted, an, *an ? " " : "", surety_kind_name(surety_val_kind(wrong)));
}

/* Finds the keywords of shape, once for everything that is built of it, and
 * that each has the form that its row requires. *ret_ref_only: it is a $ref of
 * the drafts in which nothing counts beside one. */
static surety_status shape_read(surety__compiler *compiler,
                                const surety__shape *shape, bool *ret_ref_only)
{
    const surety__resource *resource = shape->resource;
    const surety_doc *doc = shape->at.doc;
    const surety__cell *object = surety__cell_of(shape->at);
    const surety__cell *key = object + 1;
    uint8_t found[KW_COUNT]; /* in the document's order */
    size_t found_count = 0;
    bool has_unknown = false;

    compiler->present = 0;
    for (uint32_t i = 0; i < object->count; i++) {
        surety__keyword keyword = surety__keyword_in(
            surety__keyword_named(surety__cell_str(doc, key)),
            resource->dialect);

        if (surety__keyword_rows[keyword].vocabulary & resource->vocabularies) {
            compiler->values[keyword] = key + 1;
            compiler->present |= KEYWORD_BIT(keyword);
            found[found_count++] = (uint8_t)keyword;
        }
        has_unknown |= keyword == KW_NONE;
        key = surety__cell_after(key + 1);
    }
    *ret_ref_only = resource->dialect <= SURETY_DIALECT_7 &&
                    compiler->present & KEYWORD_BIT(KW_REF);
    for (size_t i = 0; i < found_count && !*ret_ref_only; i++) {
        surety__keyword keyword = (surety__keyword)found[i];
        surety__form form = (surety__form)surety__keyword_rows[keyword].form;
        const surety__cell *wrong =
            form_wrong(form, doc, compiler->values[keyword]);

        if (wrong)
            return form_fail(compiler, surety__keyword_name(keyword), form,
                             surety__val_of(doc, wrong));
    }
    return has_unknown && !*ret_ref_only ? surety__unknown_note(compiler, shape)
                                         : SURETY_OK;
}

/* ---- building ---------------------------------------------------------- */

static void build_types(const surety__compiler *compiler, surety__shape *shape)
{
    const surety_doc *doc = shape->at.doc;
    const surety__cell *type = surety__keyword_cell(compiler, KW_TYPE);

    shape->lexical_integer = shape->resource->dialect == SURETY_DIALECT_4;
    if (!type)
        return;
    if (type->kind == CELL_STRING) {
        shape->types = (uint8_t)type_of_name(surety__cell_str(doc, type));
        return;
    }
    shape->types = 0;
    for (uint32_t i = 1; i <= type->count; i++)
        shape->types |= (uint8_t)type_of_name(surety__cell_str(doc, type + i));
}

static surety_status build_choices(surety__compiler *compiler, surety_val val,
                                   bool several,
                                   const surety__choices **ret_choices)
{
    size_t count = several ? surety_val_count(val) : 1;
    surety__choices *choices =
        surety__compiler_take(compiler, sizeof(*choices));
    surety__pair *list =
        surety__compiler_take(compiler, (count + 1) * sizeof(*list));
    surety_val v = several ? surety_val_first(val) : val;

    if (!choices || !list)
        return SURETY_NOMEM;
    for (size_t i = 0; i < count; i++) {
        list[i] = (surety__pair){surety__val_hash(v), v.index};
        if (several)
            v = surety_val_next(val, v);
    }
    if (count > CHOICES_SORTED)
        surety__pairs_sort(list, count);
    *choices = (surety__choices){list, (uint32_t)count};
    *ret_choices = choices;
    return SURETY_OK;
}

static surety_status build_numbers(surety__compiler *compiler,
                                   surety__shape *shape)
{
    surety__numbers numbers = {
        .minimum = surety__keyword_cell(compiler, KW_MINIMUM),
        .maximum = surety__keyword_cell(compiler, KW_MAXIMUM),
        .exclusive_minimum =
            surety__keyword_cell(compiler, KW_EXCLUSIVE_MINIMUM),
        .exclusive_maximum =
            surety__keyword_cell(compiler, KW_EXCLUSIVE_MAXIMUM),
        .multiple_of = surety__keyword_cell(compiler, KW_MULTIPLE_OF),
    };
    surety__numbers *built;

    /* In draft 4 exclusive is a boolean beside the bound. */
    if (surety_val_bool(
            surety__keyword_val(compiler, shape, KW_EXCLUSIVE_MINIMUM_4),
            false)) {
        numbers.exclusive_minimum = numbers.minimum;
        numbers.minimum = NULL;
    }
    if (surety_val_bool(
            surety__keyword_val(compiler, shape, KW_EXCLUSIVE_MAXIMUM_4),
            false)) {
        numbers.exclusive_maximum = numbers.maximum;
        numbers.maximum = NULL;
    }
    if (!numbers.minimum && !numbers.maximum && !numbers.exclusive_minimum &&
        !numbers.exclusive_maximum && !numbers.multiple_of)
        return SURETY_OK;
    built = surety__compiler_take(compiler, sizeof(*built));
    if (!built)
        return SURETY_NOMEM;
    *built = numbers;
    shape->numbers = built;
    return SURETY_OK;
}

/* Which keywords each builder reads: where none is there, it has nothing to
 * do. */
#define BUILD_NUMBERS                                                          \
    (KEYWORD_BIT(KW_MINIMUM) | KEYWORD_BIT(KW_MAXIMUM) |                       \
     KEYWORD_BIT(KW_EXCLUSIVE_MINIMUM) | KEYWORD_BIT(KW_EXCLUSIVE_MAXIMUM) |   \
     KEYWORD_BIT(KW_MULTIPLE_OF))
#define BUILD_STRINGS                                                          \
    (KEYWORD_BIT(KW_MIN_LENGTH) | KEYWORD_BIT(KW_MAX_LENGTH) |                 \
     KEYWORD_BIT(KW_PATTERN) | KEYWORD_BIT(KW_FORMAT) |                        \
     KEYWORD_BIT(KW_CONTENT_ENCODING) | KEYWORD_BIT(KW_CONTENT_MEDIA_TYPE))
#define BUILD_ARRAYS                                                           \
    (KEYWORD_BIT(KW_ITEMS) | KEYWORD_BIT(KW_ITEMS_ARRAY) |                     \
     KEYWORD_BIT(KW_PREFIX_ITEMS) | KEYWORD_BIT(KW_ADDITIONAL_ITEMS) |         \
     KEYWORD_BIT(KW_CONTAINS) | KEYWORD_BIT(KW_MIN_ITEMS) |                    \
     KEYWORD_BIT(KW_MAX_ITEMS) | KEYWORD_BIT(KW_UNIQUE_ITEMS) |                \
     KEYWORD_BIT(KW_UNEVALUATED_ITEMS))
#define BUILD_OBJECTS                                                          \
    (KEYWORD_BIT(KW_PROPERTIES) | KEYWORD_BIT(KW_REQUIRED) |                   \
     KEYWORD_BIT(KW_PATTERN_PROPERTIES) |                                      \
     KEYWORD_BIT(KW_ADDITIONAL_PROPERTIES) | KEYWORD_BIT(KW_PROPERTY_NAMES) |  \
     KEYWORD_BIT(KW_DEPENDENT_REQUIRED) | KEYWORD_BIT(KW_DEPENDENCIES) |       \
     KEYWORD_BIT(KW_MIN_PROPERTIES) | KEYWORD_BIT(KW_MAX_PROPERTIES) |         \
     KEYWORD_BIT(KW_UNEVALUATED_PROPERTIES))
#define BUILD_APPLICATORS                                                      \
    (KEYWORD_BIT(KW_REF) | KEYWORD_BIT(KW_DYNAMIC_REF) |                       \
     KEYWORD_BIT(KW_RECURSIVE_REF) | KEYWORD_BIT(KW_ALL_OF) |                  \
     KEYWORD_BIT(KW_ANY_OF) | KEYWORD_BIT(KW_ONE_OF) | KEYWORD_BIT(KW_NOT) |   \
     KEYWORD_BIT(KW_IF) | KEYWORD_BIT(KW_DEPENDENT_SCHEMAS) |                  \
     KEYWORD_BIT(KW_DEPENDENCIES) | KEYWORD_BIT(KW_PROPERTY_DEPENDENCIES))

/* The assertions of the subschema itself. */
static surety_status shape_assertions(surety__compiler *compiler,
                                      surety__shape *shape)
{
    const uint64_t present = compiler->present;
    surety_val choice = surety__keyword_val(compiler, shape, KW_ENUM);
    surety_status status = SURETY_OK;

    build_types(compiler, shape);
    if (choice.doc)
        status = build_choices(compiler, choice, true, &shape->choices);
    choice = surety__keyword_val(compiler, shape, KW_CONST);
    if (!status && choice.doc)
        status = build_choices(compiler, choice, false, &shape->constant);
    if (!status && present & BUILD_NUMBERS)
        status = build_numbers(compiler, shape);
    if (!status && present & BUILD_STRINGS)
        status = surety__build_strings(compiler, shape);
    if (!status && present & BUILD_ARRAYS)
        status = surety__build_arrays(compiler, shape);
    if (!status && present & BUILD_OBJECTS)
        status = surety__build_objects(compiler, shape);
    return status;
}

static surety_status shape_build(surety__compiler *compiler,
                                 surety__shape *shape)
{
    const surety__cell *cell = surety__cell_of(shape->at);
    bool ref_only = false;
    surety_status status;

    if (cell->kind == CELL_TRUE || cell->kind == CELL_FALSE) {
        shape->always = cell->kind == CELL_TRUE;
        shape->never = !shape->always;
        return SURETY_OK;
    }
    if (cell->kind != CELL_OBJECT)
        return form_fail(compiler, SURETY__LITERAL("the value"), FORM_SCHEMA,
                         shape->at);
    status = shape_read(compiler, shape, &ref_only);
    if (!status && !ref_only)
        status = shape_assertions(compiler, shape);
    if (!status && compiler->present & BUILD_APPLICATORS)
        status = surety__build_applicators(compiler, shape, ref_only);
    shape->tracks = (shape->objects && shape->objects->unevaluated) ||
                    (shape->arrays && shape->arrays->unevaluated);
    return status;
}

/* ---- dynamic anchors --------------------------------------------------- */

/* Every resource with a dynamic anchor that is looked up gets its shape;
 * building those may bring in more names and more resources. */
static surety_status dynamics_link(surety__compiler *compiler)
{
    surety__resolver *resolver = &compiler->resolver;

    while (resolver->ready) {
        const surety__anchor *anchor = resolver->ready;
        surety__dynamic *dynamic =
            surety__compiler_take(compiler, sizeof(*dynamic));

        if (!dynamic)
            return SURETY_NOMEM;
        resolver->ready = anchor->other;
        dynamic->name = anchor->number;
        dynamic->shape =
            surety__compiler_shape(compiler, anchor->val, anchor->resource);
        if (!dynamic->shape)
            return SURETY_NOMEM;
        dynamic->next = anchor->resource->dynamics;
        anchor->resource->dynamics = dynamic;
    }
    return SURETY_OK;
}

/* ---- all of it -------------------------------------------------------- */

static surety_status compile_all(surety__compiler *compiler, surety_val root,
                                 surety_str uri)
{
    surety__resource *resource;
    surety_status status =
        surety__resolver_open(&compiler->resolver, root, uri, root, &resource);
    size_t built = 0;

    if (status)
        return status;
    compiler->resolver.dialect = resource->dialect;
    compiler->schema->root = surety__compiler_shape(compiler, root, resource);
    if (!compiler->schema->root)
        return SURETY_NOMEM;
    while (!status && built < compiler->shape_count) {
        while (!status && built < compiler->shape_count)
            status = shape_build(compiler, compiler->shapes[built++]);
        if (!status)
            status = dynamics_link(compiler);
    }
    if (!status)
        status = surety__circles_refuse(compiler);
    surety__unknown_sort(compiler->schema);
    return status ? status : surety__fold(compiler);
}

static void compiler_done(surety__compiler *compiler)
{
    const surety_alloc *alloc = compiler->schema->alloc;

    surety__free(alloc, compiler->shapes,
                 compiler->shape_cap * sizeof(*compiler->shapes));
    surety__free(alloc, compiler->applicators,
                 compiler->applicator_cap * sizeof(*compiler->applicators));
    surety__map_done(&compiler->by_location, alloc);
    surety__map_done(&compiler->patterns, alloc);
    surety__resolver_done(&compiler->resolver);
}

surety_status surety_schema_compile(surety_val root,
                                    const surety_schema_options *options,
                                    surety_schema **ret_schema,
                                    surety_error *reterr)
{
    surety__compiler compiler = {.shape_count = 0};
    surety_error scratch_error = {.status = SURETY_OK};
    surety_schema_options own;
    surety_schema *schema;
    surety_status status;

    if (!ret_schema || !root.doc)
        return surety__fail(reterr, SURETY_MISUSE,
                            "there is no schema to compile");
    status = surety__options_take(&own, sizeof(own), options, reterr);
    if (status)
        return status;
    schema = surety__new(own.alloc, sizeof(*schema));
    if (!schema)
        return surety__fail_nomem(reterr);
    schema->alloc = own.alloc;
    schema->limits = surety_limits_of(own.limits);
    schema->root_val = root;
    surety__arena_init(&schema->arena, schema->alloc, 0);
    compiler.schema = schema;
    compiler.default_hash = surety__hash("default", 7);
    compiler.deprecated_hash = surety__hash("deprecated", 10);
    surety__resolver_init(&compiler.resolver, schema, &own, &scratch_error);
    status = compile_all(&compiler, root, own.base_uri);
    compiler_done(&compiler);
    if (status) {
        /* A helper that found no memory may have had no way to report it. */
        status = scratch_error.status ? scratch_error.status : status;
        if (reterr)
            *reterr = scratch_error;
        surety_schema_free(schema);
        return status;
    }
    *ret_schema = schema;
    return SURETY_OK;
}

surety_status surety_schema_read(surety_str text,
                                 const surety_schema_options *options,
                                 surety_schema **ret_schema,
                                 surety_error *reterr)
{
    surety_limits limits;
    surety_read_options read = {
        .size = sizeof(read), .flags = SURETY_READ_SKIP_BOM, .limits = &limits};
    surety_schema_options own;
    surety_doc *doc = NULL;
    surety_status status;

    status = surety__options_take(&own, sizeof(own), options, reterr);
    if (status)
        return status;
    limits = surety_limits_of(own.limits);
    if (text.len > limits.schema_bytes_max)
        return surety__fail(reterr, SURETY_LIMIT,
                            "the schema has %zu bytes, more than the %zu that "
                            "schema_bytes_max allows",
                            text.len, limits.schema_bytes_max);
    doc = surety_doc_new(own.alloc);
    if (!doc)
        return surety__fail_nomem(reterr);
    status = surety_doc_read(doc, text, &read, reterr);
    if (!status)
        status = surety_schema_compile(surety_doc_root(doc), &own, ret_schema,
                                       reterr);
    if (status) {
        surety_doc_free(doc);
        return status;
    }
    (*ret_schema)->own_doc = doc;
    return SURETY_OK;
}

void surety_schema_free(surety_schema *schema)
{
    const surety_alloc *alloc;

    if (!schema)
        return;
    alloc = schema->alloc;
    for (size_t i = 0; i < schema->pattern_count; i++)
        surety__pattern_free(schema->patterns[i]);
    surety__free(alloc, schema->patterns,
                 schema->pattern_cap * sizeof(*schema->patterns));
    for (size_t i = 0; i < schema->document_count; i++)
        surety_doc_free(schema->documents[i]);
    surety__free(alloc, schema->documents,
                 schema->document_cap * sizeof(*schema->documents));
    surety_doc_free(schema->own_doc);
    surety__arena_done(&schema->arena);
    surety__free(alloc, schema, sizeof(*schema));
}

surety_val surety__schema_root(const surety_schema *schema)
{
    return schema ? schema->root_val : surety_val_none();
}

surety_dialect surety_schema_dialect(const surety_schema *schema)
{
    return schema ? schema->root->resource->dialect : SURETY_DIALECT_DEFAULT;
}

bool surety__schema_has_defaults(const surety_schema *schema)
{
    return schema->has_defaults;
}

bool surety__schema_has_deprecated(const surety_schema *schema)
{
    return schema->has_deprecated;
}
