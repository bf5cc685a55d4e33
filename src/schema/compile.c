/* SPDX-License-Identifier: Apache-2.0 */
/* From a schema document to shapes.
 *
 * A work list holds the subschemas that somebody referred to; each is built
 * once and asks for its own subschemas in turn, so depth costs no C stack and
 * what is never reached is never built. Every mistake is reported at its own
 * line. After the last shape is built, shapes that apply each other to the same
 * value in a circle are refused, for no instance could ever be decided. */
#include "schema/compile.h"

#include "schema/schema.h"

void *surety__compiler_take(surety__compiler *compiler, size_t size)
{
    void *block = surety__arena_take(&compiler->schema->arena, size);

    if (!block)
        surety__fail_nomem(compiler->resolver.reterr);
    return block;
}

surety__shape *surety__compiler_shape(surety__compiler *compiler,
                                      surety_val val,
                                      surety__resource *resource)
{
    surety__resolver *resolver = &compiler->resolver;
    const surety_limits *limits = &compiler->schema->limits;
    uint64_t key = surety__resolver_location(resolver, val);
    surety__shape *shape = surety__map_get(&compiler->by_location, key);
    void *items = compiler->shapes;
    surety_status status;

    if (shape)
        return shape;
    status = surety__grow(compiler->schema->alloc, &items, &compiler->shape_cap,
                          compiler->shape_count + 1, sizeof(shape),
                          limits->schema_nodes_max);
    compiler->shapes = items;
    if (status == SURETY_LIMIT) {
        surety__schema_fail(resolver, val, SURETY_LIMIT,
                            "the schema has more than %u subschemas "
                            "(schema_nodes_max)",
                            limits->schema_nodes_max);
        return NULL;
    }
    shape = surety__compiler_take(compiler, sizeof(*shape));
    if (status || !shape ||
        !surety__map_put(&compiler->by_location, compiler->schema->alloc, key,
                         shape)) {
        surety__fail_nomem(resolver->reterr);
        return NULL;
    }
    shape->at = val;
    shape->resource = surety__resolver_resource(resolver, val, resource);
    shape->types = TYPE_ANY;
    compiler->shapes[compiler->shape_count++] = shape;
    return shape;
}

/* ---- keyword values ---------------------------------------------------- */

surety_val surety__keyword_val(const surety__shape *shape,
                               surety__keyword keyword)
{
    const surety__resource *resource = shape->resource;

    if (!(surety__keyword_vocabulary(keyword) & resource->vocabularies))
        return surety_val_none();
    if (surety__keyword_find(surety__keyword_name(keyword),
                             resource->dialect) != keyword)
        return surety_val_none();
    return surety_val_member(shape->at, surety__keyword_name(keyword));
}

uint64_t surety__keyword_count(const surety__shape *shape,
                               surety__keyword keyword, uint64_t otherwise)
{
    surety_val val = surety__keyword_val(shape, keyword);

    /* A count too large for 64 bits is as good as the largest. */
    return val.doc ? surety_val_uint(val, UINT64_MAX) : otherwise;
}

static bool form_is_schema(surety_val val)
{
    surety_kind kind = surety_val_kind(val);

    return kind == SURETY_KIND_OBJECT || kind == SURETY_KIND_BOOLEAN;
}

static bool form_is_string(surety_val val)
{
    return surety_val_kind(val) == SURETY_KIND_STRING;
}

static unsigned type_of_name(surety_str name)
{
    static const struct {
        const char *name;
        unsigned bit;
    } types[] = {
        {"null", TYPE_NULL},
        {"boolean", TYPE_BOOLEAN},
        {"number", TYPE_NUMBER | TYPE_INTEGER},
        {"integer", TYPE_INTEGER},
        {"string", TYPE_STRING},
        {"array", TYPE_ARRAY},
        {"object", TYPE_OBJECT},
    };

    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
        if (surety_str_equal(name, surety_str_of(types[i].name)))
            return types[i].bit;
    return 0;
}

static bool form_is_type(surety_val val)
{
    return form_is_string(val) && type_of_name(surety_val_str(val));
}

static bool form_is_positive(surety_val val)
{
    surety_str zero = {"0", 1};

    return surety__decimal_compare(
               surety__cell_decimal(val.doc, surety__cell_of(val)),
               surety__decimal_of(zero)) > 0;
}

static bool form_is_count(surety_val val)
{
    surety_str text = surety_val_number(val);

    return surety_val_is_integer(val) &&
           (text.ptr[0] != '-' || surety_val_int(val, -1) == 0);
}

/* The following give the value that is in the way, SURETY_NONE where none is:
 * val itself where it is not of the kind, else the first child that does not
 * hold. */

static surety_val form_one(surety_val val, bool holds)
{
    return holds ? surety_val_none() : val;
}

static surety_val form_each(surety_val container, surety_kind kind,
                            bool (*holds)(surety_val))
{
    if (surety_val_kind(container) != kind)
        return container;
    for (surety_val v = surety_val_first(container); v.doc;
         v = surety_val_next(container, v))
        if (!holds(v))
            return v;
    return surety_val_none();
}

/* An array that must not be empty. */
static surety_val form_some(surety_val array, bool (*holds)(surety_val))
{
    return surety_val_count(array) ? form_each(array, SURETY_KIND_ARRAY, holds)
                                   : array;
}

/* An object whose members are objects or arrays of what holds. */
static surety_val form_maps(surety_val map, surety_kind kind,
                            bool (*holds)(surety_val), bool or_schema)
{
    surety_val wrong = surety_val_none();

    if (surety_val_kind(map) != SURETY_KIND_OBJECT)
        return map;
    for (surety_val v = surety_val_first(map); v.doc && !wrong.doc;
         v = surety_val_next(map, v))
        if (!or_schema || !form_is_schema(v))
            wrong = form_each(v, kind, holds);
    return wrong;
}

static surety_val form_wrong(surety__form form, surety_val val)
{
    surety_kind kind = surety_val_kind(val);
    bool number = kind == SURETY_KIND_NUMBER;
    bool array = kind == SURETY_KIND_ARRAY;

    switch (form) {
    case FORM_ANY: break;
    case FORM_BOOLEAN: return form_one(val, kind == SURETY_KIND_BOOLEAN);
    case FORM_NUMBER: return form_one(val, number);
    case FORM_POSITIVE: return form_one(val, number && form_is_positive(val));
    case FORM_COUNT: return form_one(val, number && form_is_count(val));
    case FORM_STRING: return form_one(val, form_is_string(val));
    case FORM_STRINGS: return form_each(val, SURETY_KIND_ARRAY, form_is_string);
    case FORM_ARRAY: return form_one(val, array);
    case FORM_OBJECT: return form_one(val, kind == SURETY_KIND_OBJECT);
    case FORM_TYPES:
        return array ? form_some(val, form_is_type)
                     : form_one(val, form_is_type(val));
    case FORM_STRINGS_MAP:
        return form_maps(val, SURETY_KIND_ARRAY, form_is_string, false);
    case FORM_SCHEMA: return form_one(val, form_is_schema(val));
    case FORM_SCHEMAS: return form_some(val, form_is_schema);
    case FORM_SCHEMA_MAP:
        return form_each(val, SURETY_KIND_OBJECT, form_is_schema);
    case FORM_ITEMS:
        return array ? form_each(val, SURETY_KIND_ARRAY, form_is_schema)
                     : form_one(val, form_is_schema(val));
    case FORM_DEPENDENCIES:
        return form_maps(val, SURETY_KIND_ARRAY, form_is_string, true);
    case FORM_SCHEMA_MAPS:
        return form_maps(val, SURETY_KIND_OBJECT, form_is_schema, false);
    }
    return surety_val_none();
}

/* Says what a keyword must be and what stands there instead. */
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

/* Every keyword's value has the form that its row asks for. */
static surety_status shape_forms(surety__compiler *compiler,
                                 const surety__shape *shape)
{
    for (surety_val v = surety_val_first(shape->at); v.doc;
         v = surety_val_next(shape->at, v)) {
        surety_str name = surety_val_str(surety_val_key(v));
        surety__keyword keyword =
            surety__keyword_find(name, shape->resource->dialect);
        surety_val wrong;

        if (!keyword || !(surety__keyword_vocabulary(keyword) &
                          shape->resource->vocabularies))
            continue;
        wrong = form_wrong(surety__keyword_form(keyword), v);
        if (wrong.doc)
            return form_fail(compiler, name, surety__keyword_form(keyword),
                             wrong);
    }
    return SURETY_OK;
}

/* ---- building ---------------------------------------------------------- */

surety_status surety__compiler_pattern(surety__compiler *compiler,
                                       surety_val source,
                                       const surety__pattern **ret_pattern)
{
    surety_schema *schema = compiler->schema;
    void *items = schema->patterns;
    surety_error why = {.status = SURETY_OK};
    surety__pattern *pattern = NULL;
    surety_status status =
        surety__grow(schema->alloc, &items, &schema->pattern_cap,
                     schema->pattern_count + 1, sizeof(pattern), SIZE_MAX);

    schema->patterns = items;
    if (status)
        return surety__fail_nomem(compiler->resolver.reterr);
    status = surety__pattern_compile(surety_val_str(source), schema->alloc,
                                     &schema->limits, &pattern, &why);
    if (status == SURETY_NOMEM)
        return surety__fail_nomem(compiler->resolver.reterr);
    if (status) {
        surety__schema_fail(&compiler->resolver, source, status, "%s",
                            why.message);
        surety__hint(compiler->resolver.reterr, "%s", why.hint);
        return status;
    }
    schema->patterns[schema->pattern_count++] = pattern;
    *ret_pattern = pattern;
    return SURETY_OK;
}

static void build_types(surety__shape *shape)
{
    surety_val type = surety__keyword_val(shape, KW_TYPE);

    shape->lexical_integer = shape->resource->dialect == SURETY_DIALECT_4;
    if (!type.doc)
        return;
    if (surety_val_kind(type) == SURETY_KIND_STRING) {
        shape->types = (uint8_t)type_of_name(surety_val_str(type));
        return;
    }
    shape->types = 0;
    for (surety_val v = surety_val_first(type); v.doc;
         v = surety_val_next(type, v))
        shape->types |= (uint8_t)type_of_name(surety_val_str(v));
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

static const surety__cell *keyword_cell(const surety__shape *shape,
                                        surety__keyword keyword)
{
    surety_val val = surety__keyword_val(shape, keyword);

    return val.doc ? surety__cell_of(val) : NULL;
}

static surety_status build_numbers(surety__compiler *compiler,
                                   surety__shape *shape)
{
    surety__numbers numbers = {
        .minimum = keyword_cell(shape, KW_MINIMUM),
        .maximum = keyword_cell(shape, KW_MAXIMUM),
        .exclusive_minimum = keyword_cell(shape, KW_EXCLUSIVE_MINIMUM),
        .exclusive_maximum = keyword_cell(shape, KW_EXCLUSIVE_MAXIMUM),
        .multiple_of = keyword_cell(shape, KW_MULTIPLE_OF),
    };
    surety__numbers *built;

    /* Draft 4 says exclusive beside the bound. */
    if (surety_val_bool(surety__keyword_val(shape, KW_EXCLUSIVE_MINIMUM_4),
                        false)) {
        numbers.exclusive_minimum = numbers.minimum;
        numbers.minimum = NULL;
    }
    if (surety_val_bool(surety__keyword_val(shape, KW_EXCLUSIVE_MAXIMUM_4),
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

static surety_status shape_build(surety__compiler *compiler,
                                 surety__shape *shape)
{
    surety_val choice;
    bool ref_only = shape->resource->dialect <= SURETY_DIALECT_7 &&
                    surety_val_get(shape->at, "$ref").doc;
    surety_status status = SURETY_OK;

    if (surety_val_kind(shape->at) == SURETY_KIND_BOOLEAN) {
        shape->always = surety_val_bool(shape->at, false);
        shape->never = !shape->always;
        return SURETY_OK;
    }
    if (surety_val_kind(shape->at) != SURETY_KIND_OBJECT)
        return surety__schema_fail(
            &compiler->resolver, shape->at, SURETY_SYNTAX,
            "a schema must be an object, true or false, not %s",
            surety_kind_name(surety_val_kind(shape->at)));
    if (!ref_only) {
        status = shape_forms(compiler, shape);
        if (status)
            return status;
        build_types(shape);
        choice = surety__keyword_val(shape, KW_ENUM);
        if (choice.doc)
            status = build_choices(compiler, choice, true, &shape->choices);
        choice = surety__keyword_val(shape, KW_CONST);
        if (!status && choice.doc)
            status = build_choices(compiler, choice, false, &shape->constant);
        if (!status)
            status = build_numbers(compiler, shape);
        if (!status)
            status = surety__build_strings(compiler, shape);
        if (!status)
            status = surety__build_arrays(compiler, shape);
        if (!status)
            status = surety__build_objects(compiler, shape);
    }
    if (!status)
        status = surety__build_applicators(compiler, shape);
    shape->tracks = (shape->objects && shape->objects->unevaluated) ||
                    (shape->arrays && shape->arrays->unevaluated);
    return status;
}

/* ---- dynamic anchors --------------------------------------------------- */

/* Every resource that has a dynamic anchor somebody looks up gets its shape;
 * building those may bring in more names and more resources. */
static surety_status dynamics_link(surety__compiler *compiler)
{
    surety__resolver *resolver = &compiler->resolver;

    for (size_t r = 0; r < resolver->resource_count; r++) {
        surety__resource *resource = resolver->resources[r];

        for (size_t d = 0; d < compiler->dynamic_count; d++) {
            uint32_t number = compiler->dynamics[d];
            surety_str name = resolver->names[number];
            const surety__anchor *anchor =
                surety__resolver_dynamic(resolver, resource, name);
            surety__dynamic *dynamic = resource->dynamics;

            while (dynamic && dynamic->name != number)
                dynamic = dynamic->next;
            /* The empty name stands for $recursiveAnchor. */
            if (dynamic || (!anchor && !(name.len == 0 && resource->recursive)))
                continue;
            dynamic = surety__compiler_take(compiler, sizeof(*dynamic));
            if (!dynamic)
                return SURETY_NOMEM;
            dynamic->name = number;
            dynamic->shape = surety__compiler_shape(
                compiler, anchor ? anchor->val : resource->root, resource);
            dynamic->next = resource->dynamics;
            resource->dynamics = dynamic;
            if (!dynamic->shape)
                return SURETY_NOMEM;
        }
    }
    return SURETY_OK;
}

/* ---- circles ----------------------------------------------------------- */

struct circle_step {
    const surety__shape *shape;
    uint32_t applicator, branch;
};

/* How many of an applicator's subschemas are applied whatever the value is. */
static uint32_t circle_edges(const surety__applicator *applicator)
{
    switch (applicator->kind) {
    case APPLY_ALL:
    case APPLY_ONE:
    case APPLY_NOT: return applicator->count;
    case APPLY_ANY:
    case APPLY_IF: return 1;
    default: return 0;
    }
}

/* The next shape that step leads to without moving into the value, or NULL. */
static const surety__shape *circle_next(struct circle_step *step)
{
    while (step->applicator < step->shape->applicator_count) {
        const surety__applicator *applicator =
            &step->shape->applicators[step->applicator];

        if (step->branch < circle_edges(applicator))
            return applicator->shapes[step->branch++];
        step->applicator++;
        step->branch = 0;
    }
    return NULL;
}

/* A depth-first walk with its own stack; a shape met again while it is open
 * closes a circle. */
static surety_status circles_refuse(surety__compiler *compiler)
{
    const surety_alloc *alloc = compiler->schema->alloc;
    surety__map state = {.cap = 0};
    char open_mark, done_mark; /* only their addresses are used */
    size_t bytes = compiler->shape_count * sizeof(struct circle_step);
    struct circle_step *stack = surety__resize(alloc, NULL, 0, bytes);
    surety_status status = stack ? SURETY_OK : SURETY_NOMEM;

    for (size_t i = 0; i < compiler->shape_count && !status; i++) {
        size_t depth = 0;
        const surety__shape *next = compiler->shapes[i];

        while (!status && (next || depth)) {
            void *mark = next ? surety__map_get(&state, (uintptr_t)next) : NULL;

            if (next && mark == &open_mark) {
                status = surety__schema_fail(
                    &compiler->resolver, next->at, SURETY_SYNTAX,
                    "the schema refers to itself without moving into the "
                    "value: no value could ever be checked");
                break;
            }
            if (next && !mark) {
                stack[depth++] = (struct circle_step){.shape = next};
                if (!surety__map_put(&state, alloc, (uintptr_t)next,
                                     &open_mark))
                    status = SURETY_NOMEM;
            }
            next = depth ? circle_next(&stack[depth - 1]) : NULL;
            while (!next && depth && !status) {
                const surety__shape *closed = stack[--depth].shape;

                if (!surety__map_put(&state, alloc, (uintptr_t)closed,
                                     &done_mark))
                    status = SURETY_NOMEM;
                next = depth ? circle_next(&stack[depth - 1]) : NULL;
            }
        }
    }
    if (status == SURETY_NOMEM)
        surety__fail_nomem(compiler->resolver.reterr);
    surety__map_done(&state, alloc);
    surety__free(alloc, stack, bytes);
    return status;
}

/* ---- the whole --------------------------------------------------------- */

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
        status = circles_refuse(compiler);
    return status ? status : surety__fold(compiler);
}

static void compiler_done(surety__compiler *compiler)
{
    const surety_alloc *alloc = compiler->schema->alloc;

    surety__free(alloc, compiler->shapes,
                 compiler->shape_cap * sizeof(*compiler->shapes));
    surety__free(alloc, compiler->dynamics,
                 compiler->dynamic_cap * sizeof(*compiler->dynamics));
    surety__free(alloc, compiler->applicators,
                 compiler->applicator_cap * sizeof(*compiler->applicators));
    surety__map_done(&compiler->by_location, alloc);
    surety__resolver_done(&compiler->resolver);
}

surety_status surety_schema_compile(surety_val root,
                                    const surety_schema_options *options,
                                    surety_schema **ret_schema,
                                    surety_error *reterr)
{
    static const surety_schema_options defaults = {.size = sizeof(defaults)};
    surety__compiler compiler = {.shape_count = 0};
    surety_error scratch_error = {.status = SURETY_OK};
    surety_schema *schema;
    surety_status status;

    if (!ret_schema || !root.doc)
        return surety__fail(reterr, SURETY_MISUSE,
                            "there is no schema to compile");
    options = options ? options : &defaults;
    schema = surety__new(options->alloc, sizeof(*schema));
    if (!schema)
        return surety__fail_nomem(reterr);
    schema->alloc = options->alloc;
    schema->limits = surety_limits_of(options->limits);
    schema->root_val = root;
    surety__arena_init(&schema->arena, schema->alloc, 0);
    compiler.schema = schema;
    surety__resolver_init(&compiler.resolver, schema, options, &scratch_error);
    status = compile_all(&compiler, root, options->base_uri);
    compiler_done(&compiler);
    if (status) {
        /* A helper that found no memory may have had no place to say so. */
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
    surety_limits limits = surety_limits_of(options ? options->limits : NULL);
    surety_read_options read = {
        .size = sizeof(read), .flags = SURETY_READ_SKIP_BOM, .limits = &limits};
    const surety_alloc *alloc = options ? options->alloc : NULL;
    surety_doc *doc = NULL;
    surety_status status;

    if (text.len > limits.schema_bytes_max)
        return surety__fail(reterr, SURETY_LIMIT,
                            "the schema has %zu bytes, more than the %zu that "
                            "schema_bytes_max allows",
                            text.len, limits.schema_bytes_max);
    doc = surety_doc_new(alloc);
    if (!doc)
        return surety__fail_nomem(reterr);
    status = surety_doc_read(doc, text, &read, reterr);
    if (!status)
        status = surety_schema_compile(surety_doc_root(doc), options,
                                       ret_schema, reterr);
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

surety_val surety_schema_root(const surety_schema *schema)
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
