/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler's shapes, patterns and memory, for the files that build and
 * fold shapes.
 *
 * Invariants:
 * 1. One subschema of one document has one shape, made when the first reference
 *    to it is met; its number is its index + 1.
 * 2. A pattern's source is compiled once for a schema. */
#include "schema/compile.h"

void *surety__compiler_take(surety__compiler *compiler, size_t size)
{
    void *block = surety__arena_take(&compiler->schema->arena, size);

    if (!block)
        surety__fail_nomem(compiler->resolver.reterr);
    return block;
}

void *surety__compiler_keep(surety__compiler *compiler, const void *part,
                            size_t size)
{
    void *block = surety__compiler_take(compiler, size);

    return block ? memcpy(block, part, size) : NULL;
}

uint32_t surety__compiler_number(const surety__compiler *compiler,
                                 surety_val val)
{
    const surety__resolver *resolver = &compiler->resolver;
    const uint32_t *place = surety__resolver_place(resolver, val);

    if (place)
        return *place;
    return (uint32_t)(uintptr_t)surety__map_get(
        &compiler->by_location, surety__resolver_location(resolver, val));
}

static bool shape_number_set(surety__compiler *compiler, surety_val val,
                             uint32_t number)
{
    const surety__resolver *resolver = &compiler->resolver;
    uint32_t *place = surety__resolver_place(resolver, val);

    if (!place)
        return surety__map_put(&compiler->by_location, compiler->schema->alloc,
                               surety__resolver_location(resolver, val),
                               (void *)(uintptr_t)number);
    *place = number;
    return true;
}

surety__shape *surety__compiler_shape(surety__compiler *compiler,
                                      surety_val val,
                                      surety__resource *resource)
{
    surety__resolver *resolver = &compiler->resolver;
    const surety_limits *limits = &compiler->schema->limits;
    uint32_t number = surety__compiler_number(compiler, val);
    surety__shape *shape;
    surety_status status;

    assert(number <= compiler->shape_count);
    if (number)
        return compiler->shapes[number - 1];
    status = surety__grow(compiler->schema->alloc, &compiler->shapes,
                          &compiler->shape_cap, compiler->shape_count + 1,
                          sizeof(shape), limits->schema_nodes_max);
    if (status == SURETY_LIMIT) {
        surety__schema_fail(resolver, val, SURETY_LIMIT,
                            "the schema has more than %u subschemas "
                            "(schema_nodes_max)",
                            limits->schema_nodes_max);
        return NULL;
    }
    shape = surety__compiler_take(compiler, sizeof(*shape));
    if (status || !shape ||
        !shape_number_set(compiler, val,
                          (uint32_t)(compiler->shape_count + 1))) {
        surety__fail_nomem(resolver->reterr);
        return NULL;
    }
    shape->at = val;
    shape->resource = surety__resolver_resource(resolver, val, resource);
    shape->types = TYPE_ANY;
    compiler->shapes[compiler->shape_count++] = shape;
    return shape;
}

/* The same pattern, such as "^x-", is often in many subschemas: it is compiled
 * once. */
bool surety__compiler_pattern(surety__compiler *compiler, surety_val source,
                              const surety__pattern **ret_pattern)
{
    surety__resolver *resolver = &compiler->resolver;
    surety_schema *schema = compiler->schema;
    surety_str text = surety_val_str(source);
    surety_error why = {.status = SURETY_OK};
    surety__pattern *pattern = surety__named_get(&compiler->patterns, text);
    surety_status status;

    *ret_pattern = pattern;
    if (pattern)
        return true;
    status =
        surety__grow(schema->alloc, &schema->patterns, &schema->pattern_cap,
                     schema->pattern_count + 1, sizeof(pattern), SIZE_MAX);
    if (!status)
        status = surety__pattern_compile(text, schema->alloc, &schema->limits,
                                         &pattern, &why);
    if (status == SURETY_NOMEM)
        return surety__resolver_starve(resolver);
    if (status) {
        surety__schema_fail(resolver, source, status, "%s", why.message);
        surety__hint(resolver->reterr, "%s", why.hint);
        return false;
    }
    schema->patterns[schema->pattern_count++] = pattern;
    *ret_pattern = pattern;
    return surety__named_put(resolver, &compiler->patterns, text, pattern);
}
