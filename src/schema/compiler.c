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
    void *items = compiler->shapes;
    surety_status status;

    assert(number <= compiler->shape_count);
    if (number)
        return compiler->shapes[number - 1];
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

uint64_t surety__keyword_count(const surety__compiler *compiler,
                               const surety__shape *shape,
                               surety__keyword keyword, uint64_t otherwise)
{
    const surety__cell *cell = surety__keyword_cell(compiler, keyword);

    /* A count too large for 64 bits is as good as the largest. */
    return cell ? surety_val_uint(surety__val_of(shape->at.doc, cell),
                                  UINT64_MAX)
                : otherwise;
}

/* The same pattern, such as "^x-", is often in many subschemas: it is compiled
 * once. */
surety_status surety__compiler_pattern(surety__compiler *compiler,
                                       surety_val source,
                                       const surety__pattern **ret_pattern)
{
    surety_schema *schema = compiler->schema;
    surety_str text = surety_val_str(source);
    uint64_t key =
        (uint64_t)surety__hash(text.ptr, text.len) << 32 | (uint32_t)text.len;
    surety__known_pattern *first = surety__map_get(&compiler->patterns, key);
    surety__known_pattern *known = first;
    void *items = schema->patterns;
    surety_error why = {.status = SURETY_OK};
    surety__pattern *pattern = NULL;
    surety_status status;

    while (known && !surety_str_equal(known->source, text))
        known = known->next;
    if (known) {
        *ret_pattern = known->pattern;
        return SURETY_OK;
    }
    known = surety__arena_take(&compiler->resolver.work, sizeof(*known));
    status = surety__grow(schema->alloc, &items, &schema->pattern_cap,
                          schema->pattern_count + 1, sizeof(pattern), SIZE_MAX);
    schema->patterns = items;
    if (status || !known)
        return surety__fail_nomem(compiler->resolver.reterr);
    status = surety__pattern_compile(text, schema->alloc, &schema->limits,
                                     &pattern, &why);
    if (status == SURETY_NOMEM)
        return surety__fail_nomem(compiler->resolver.reterr);
    if (status) {
        surety__schema_fail(&compiler->resolver, source, status, "%s",
                            why.message);
        surety__hint(compiler->resolver.reterr, "%s", why.hint);
        return status;
    }
    schema->patterns[schema->pattern_count++] = pattern;
    *known = (surety__known_pattern){text, pattern, first};
    if (!surety__map_put(&compiler->patterns, schema->alloc, key, known))
        return surety__fail_nomem(compiler->resolver.reterr);
    *ret_pattern = pattern;
    return SURETY_OK;
}
