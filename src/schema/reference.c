/* SPDX-License-Identifier: Apache-2.0 */
/* References: from a URI to the subschema it leads to.
 *
 * The resource is found by the URI, the subschema in it by an anchor or a JSON
 * Pointer; a pointer may lead anywhere, also to what was not scanned.
 *
 * Nothing is searched twice over: a container of many values that a pointer
 * leads through gets an index, and most pointers stop in the container in which
 * the one before stopped. So thousands of references into one large object cost
 * what they are long. */
#include "schema/resolve.h"

#include "schema/uri.h"

/* Containers of more values than these get an index when a pointer leads
 * through them. */
enum { INDEX_MIN = 8 };

/* The values of a large container, as offsets from its cell: of an array in its
 * order, of an object by open addressing, where 0 is free. */
struct target_index {
    uint32_t mask;
    uint32_t places[];
};

static bool target_index_is(const surety_doc *doc, const surety__cell *key,
                            surety_str name, uint32_t hash)
{
    return key->hash == (uint16_t)hash && key->len == name.len &&
           !memcmp(surety__cell_str(doc, key).ptr, name.ptr, name.len);
}

static surety_status target_index_fill(surety__resolver *resolver,
                                       surety_val object,
                                       struct target_index *index)
{
    const surety__cell *cell = surety__cell_of(object);
    const surety__cell *key = cell + 1;

    for (uint32_t i = 0; i < cell->count; i++) {
        surety_str name = surety__cell_str(object.doc, key);
        uint32_t at = surety__hash(name.ptr, name.len) & index->mask;
        uint32_t probes = 0;

        for (; index->places[at]; at = (at + 1) & index->mask)
            if (++probes > COLLISIONS_MAX)
                return surety__schema_fail(
                    resolver, surety__val_of(object.doc, key), SURETY_LIMIT,
                    "more than %u names of one object have the same hash: "
                    "they were chosen to be slow",
                    (unsigned)COLLISIONS_MAX);
        index->places[at] = (uint32_t)(key + 1 - cell);
        key = surety__cell_after(key + 1);
    }
    return SURETY_OK;
}

/* The index of a large container, made if it is new. */
static surety_status target_index_of(surety__resolver *resolver,
                                     surety_val container,
                                     const struct target_index **ret_index)
{
    const surety__cell *cell = surety__cell_of(container);
    uint64_t key = surety__resolver_location(resolver, container);
    struct target_index *index = surety__map_get(&resolver->indexes, key);
    size_t cap = cell->count;
    surety_status status = SURETY_OK;

    if (index) {
        *ret_index = index;
        return SURETY_OK;
    }
    if (cell->kind == CELL_OBJECT)
        for (cap = 4 * INDEX_MIN; cap < 2 * (size_t)cell->count;)
            cap *= 2;
    index = surety__arena_take(&resolver->work,
                               sizeof(*index) + cap * sizeof(*index->places));
    if (!index || !surety__map_put(&resolver->indexes, resolver->schema->alloc,
                                   key, index))
        return surety__fail_nomem(resolver->reterr);
    index->mask = (uint32_t)(cap - 1);
    if (cell->kind == CELL_OBJECT) {
        status = target_index_fill(resolver, container, index);
    } else {
        const surety__cell *item = cell + 1;

        for (uint32_t i = 0; i < cell->count; i++) {
            index->places[i] = (uint32_t)(item - cell);
            item = surety__cell_after(item);
        }
    }
    *ret_index = index;
    return status;
}

/* The member of a large object that a token of a pointer names. */
static surety_status target_member(surety__resolver *resolver,
                                   surety_val object, surety_str token,
                                   surety_val *ret_val)
{
    const surety__cell *cell = surety__cell_of(object);
    const struct target_index *index = NULL;
    surety_buf *name = &resolver->scratch;
    uint32_t hash, at;
    surety_status status = target_index_of(resolver, object, &index);

    if (status)
        return status;
    if (token.len && memchr(token.ptr, '~', token.len)) {
        surety_buf_reset(name);
        for (size_t i = 0; i < token.len; i++) {
            char code = i + 1 < token.len ? token.ptr[i + 1] : '\0';

            /* RFC 6901, section 3. */
            if (token.ptr[i] == '~' && code != '0' && code != '1')
                return SURETY_END;
            surety_buf_byte(name, token.ptr[i] != '~' ? token.ptr[i]
                                  : code == '0'       ? '~'
                                                      : '/');
            i += token.ptr[i] == '~';
        }
        if (name->status)
            return surety__fail_nomem(resolver->reterr);
        token = surety_buf_str(name);
    }
    hash = surety__hash(token.ptr, token.len);
    for (at = hash & index->mask; index->places[at];
         at = (at + 1) & index->mask) {
        const surety__cell *value = cell + index->places[at];

        if (target_index_is(object.doc, value - 1, token, hash)) {
            *ret_val = surety__val_of(object.doc, value);
            return SURETY_OK;
        }
    }
    return SURETY_END;
}

/* The item of a large array. */
static surety_status target_item(surety__resolver *resolver, surety_val array,
                                 surety_str token, surety_val *ret_val)
{
    const surety__cell *cell = surety__cell_of(array);
    const struct target_index *index = NULL;
    size_t at = 0;
    surety_status status;

    /* RFC 6901, section 4: digits without leading zeros. */
    if (!token.len || (token.len > 1 && token.ptr[0] == '0'))
        return SURETY_END;
    for (size_t i = 0; i < token.len; i++) {
        if (token.ptr[i] < '0' || token.ptr[i] > '9')
            return SURETY_END;
        at = at * 10 + (size_t)(token.ptr[i] - '0');
        if (at >= cell->count)
            return SURETY_END;
    }
    status = target_index_of(resolver, array, &index);
    if (!status)
        *ret_val = surety__val_of(array.doc, cell + index->places[at]);
    return status;
}

/* One token of a pointer, "/" and a name or number. */
static surety_status target_step(surety__resolver *resolver, surety_str step,
                                 surety_val *val)
{
    const surety__cell *cell = surety__cell_of(*val);
    surety_str token = {step.ptr + 1, step.len - 1};

    if (cell->kind < CELL_ARRAY)
        return SURETY_END;
    if (cell->count > INDEX_MIN)
        return cell->kind == CELL_OBJECT
                   ? target_member(resolver, *val, token, val)
                   : target_item(resolver, *val, token, val);
    *val = surety_val_at(*val, step);
    return val->doc ? SURETY_OK : SURETY_END;
}

/* Follows a JSON Pointer from a resource's root and keeps track of the
 * resources that it passes into. lasts: the pointer's text outlives the
 * compile. SURETY_END where it leads nowhere. */
static surety_status target_walk(surety__resolver *resolver, surety_str pointer,
                                 bool lasts, surety__target *target)
{
    const surety__resource *from = target->resource;
    size_t last = pointer.len;
    size_t at = 0;
    surety_status status = SURETY_OK;

    if (!pointer.len)
        return SURETY_OK;
    while (pointer.ptr[--last] != '/')
        if (last == 0)
            return SURETY_END;
    if (resolver->walked.from == from && resolver->walked.pointer.len == last &&
        !memcmp(resolver->walked.pointer.ptr, pointer.ptr, last)) {
        target->val = resolver->walked.val;
        target->resource = resolver->walked.resource;
        at = last;
    }
    while (at < pointer.len && !status) {
        size_t end = at + 1;

        if (at == last && lasts) {
            resolver->walked.pointer = (surety_str){pointer.ptr, last};
            resolver->walked.from = from;
            resolver->walked.val = target->val;
            resolver->walked.resource = target->resource;
        }
        while (end < pointer.len && pointer.ptr[end] != '/')
            end++;
        status = target_step(resolver, (surety_str){pointer.ptr + at, end - at},
                             &target->val);
        if (!status)
            target->resource = surety__resolver_resource(resolver, target->val,
                                                         target->resource);
        at = end;
    }
    return status;
}

/* The subschema of the anchor called name in the target's resource. */
static surety_status target_anchor(surety__resolver *resolver, surety_str name,
                                   surety_val at, surety__target *target)
{
    const surety__anchor *anchor =
        surety__resolver_anchor(resolver, target->resource, name, false);

    if (!anchor)
        return surety__schema_fail(
            resolver, at, SURETY_SYNTAX,
            "there is no anchor \"%.*s\" where the reference leads",
            (int)name.len, name.ptr);
    target->val = anchor->val;
    target->dynamic =
        surety__resolver_anchor(resolver, target->resource, anchor->name, true);
    target->dynamic_name = anchor->name;
    return SURETY_OK;
}

/* lasts: the fragment's text outlives the compile. */
static surety_status target_fragment(surety__resolver *resolver,
                                     surety_str fragment, bool lasts,
                                     surety_val at, surety__target *target)
{
    surety_status status;

    if (fragment.len && memchr(fragment.ptr, '%', fragment.len)) {
        surety_buf_reset(&resolver->pointer);
        surety__uri_unescape(fragment, &resolver->pointer);
        if (resolver->pointer.status)
            return surety__fail_nomem(resolver->reterr);
        fragment = surety_buf_str(&resolver->pointer);
        lasts = false;
    }
    if (fragment.len && fragment.ptr[0] != '/')
        return target_anchor(resolver, fragment, at, target);
    status = target_walk(resolver, fragment, lasts, target);
    if (status == SURETY_END)
        status = surety__schema_fail(
            resolver, at, SURETY_SYNTAX, "the reference \"%.*s\" leads nowhere",
            (int)surety_val_str(at).len, surety_val_str(at).ptr);
    return status;
}

surety_status surety__resolver_find(surety__resolver *resolver,
                                    const surety__resource *resource,
                                    surety_val at, surety__target *ret_target)
{
    surety__target target = {.dynamic = false};
    surety_str text = surety_val_str(at);
    surety_str absolute = resource->uri;
    surety_str fragment = {NULL, 0};
    surety_buf *uri = &resolver->reference;
    bool same = !text.len || text.ptr[0] == '#';
    bool has_fragment;
    surety_status status;

    if (same) {
        if (text.len)
            fragment = (surety_str){text.ptr + 1, text.len - 1};
    } else {
        surety_buf_reset(uri);
        status = surety__uri_resolve(resource->uri, text, uri);
        if (status)
            return surety__schema_fail(
                resolver, at, uri->status ? uri->status : SURETY_SYNTAX,
                "\"%.*s\" is not a URI reference", (int)text.len, text.ptr);
        surety__uri_split(surety_buf_str(uri), &absolute, &fragment,
                          &has_fragment);
    }
    if (surety_str_equal(absolute, resource->uri)) {
        /* Also where two resources claim one URI: the nearest is meant. */
        target.resource =
            surety__resolver_resource(resolver, resource->root, NULL);
    } else {
        status =
            surety__resolver_load(resolver, absolute, at, &target.resource);
        if (status)
            return status;
    }
    target.val = target.resource->root;
    status = target_fragment(resolver, fragment, same, at, &target);
    if (!status)
        *ret_target = target;
    return status;
}
