/* SPDX-License-Identifier: Apache-2.0 */
/* From a schema document to shapes.
 *
 * A work list holds the subschemas that are referred to; each is built once
 * and adds its own subschemas in turn, so depth costs no C stack and
 * what is never reached is never built. Every mistake is reported at its own
 * line. After the last shape is built, circles are refused (circle.c). */
#include "schema/compile.h"

#include "schema/schema.h"

/* ---- dynamic anchors --------------------------------------------------- */

/* Every resource with a dynamic anchor that is looked up gets its shape;
 * building those may bring in more names and more resources. */
static bool dynamics_link(surety__compiler *compiler)
{
    surety__resolver *resolver = &compiler->resolver;

    while (resolver->ready) {
        const surety__anchor *anchor = resolver->ready;
        const surety__dynamic dynamic = {
            .name = anchor->number,
            .shape =
                surety__compiler_shape(compiler, anchor->val, anchor->resource),
            .next = anchor->resource->dynamics};

        resolver->ready = anchor->other;
        anchor->resource->dynamics =
            surety__compiler_keep(compiler, &dynamic, sizeof(dynamic));
        if (!dynamic.shape || !anchor->resource->dynamics)
            return false;
    }
    return true;
}

/* ---- all of it -------------------------------------------------------- */

static bool compile_all(surety__compiler *compiler, surety_val root,
                        surety_str uri)
{
    surety__resource *resource;
    size_t built = 0;

    if (!surety__resolver_open(&compiler->resolver, root, uri, root, &resource))
        return false;
    compiler->resolver.dialect = resource->dialect;
    compiler->schema->root = surety__compiler_shape(compiler, root, resource);
    if (!compiler->schema->root)
        return false;
    while (built < compiler->shape_count) {
        while (built < compiler->shape_count)
            if (!surety__shape_build(compiler, compiler->shapes[built++]))
                return false;
        if (!dynamics_link(compiler))
            return false;
    }
    surety__unknown_sort(compiler->schema);
    return surety__circles_refuse(compiler) && surety__fold(compiler);
}

static void compiler_done(surety__compiler *compiler)
{
    const surety_alloc *alloc = compiler->schema->alloc;

    compiler->schema->shapes = compiler->shapes;
    compiler->schema->shape_count = compiler->shape_count;
    compiler->schema->shape_cap = compiler->shape_cap;
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
    bool compiled;

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
    compiled = compile_all(&compiler, root, own.base_uri);
    compiler_done(&compiler);
    if (!compiled) {
        assert(scratch_error.status < 0);
        if (reterr)
            *reterr = scratch_error;
        surety_schema_free(schema);
        return scratch_error.status;
    }
    schema->info.size = sizeof(schema->info);
    schema->info.dialect = schema->root->resource->dialect;
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
    surety__free(alloc, schema->shapes,
                 schema->shape_cap * sizeof(*schema->shapes));
    surety_doc_free(schema->own_doc);
    surety__arena_done(&schema->arena);
    surety__free(alloc, schema, sizeof(*schema));
}

const surety_schema_info *surety_schema_info_of(const surety_schema *schema)
{
    static const surety_schema_info none = {.size = sizeof(none),
                                            .dialect = SURETY_DIALECT_DEFAULT};

    return schema ? &schema->info : &none;
}
