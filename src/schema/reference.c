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

static bool target_index_fill(surety__resolver *resolver, surety_val object,
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
    return true;
}

/* The index of a large container, made if it is new; NULL: a failure. */
static const struct target_index *target_index_of(surety__resolver *resolver,
                                                  surety_val container)
{
    const surety__cell *cell = surety__cell_of(container);
    const surety__cell *item = cell + 1;
    const bool object = cell->kind == CELL_OBJECT;
    const uint64_t key = surety__resolver_location(resolver, container);
    struct target_index *index = surety__map_get(&resolver->indexes, key);
    size_t cap = object ? 4 * INDEX_MIN : cell->count;

    if (index)
        return index;
    while (object && cap < 2 * (size_t)cell->count)
        cap *= 2;
    index = surety__arena_take(&resolver->work,
                               sizeof(*index) + cap * sizeof(*index->places));
    if (!index || !surety__map_put(&resolver->indexes, resolver->schema->alloc,
                                   key, index)) {
        surety__resolver_starve(resolver);
        return NULL;
    }
    index->mask = (uint32_t)(cap - 1);
    if (object)
        return target_index_fill(resolver, container, index) ? index : NULL;
    for (uint32_t i = 0; i < cell->count; i++) {
        index->places[i] = (uint32_t)(item - cell);
        item = surety__cell_after(item);
    }
    return index;
}

/* The name that a token means (RFC 6901, section 3), in resolver->scratch where
 * it has escapes; false where an escape is none. */
static bool target_name(surety__resolver *resolver, surety_str *token)
{
    surety_buf *name = &resolver->scratch;

    surety_buf_reset(name);
    if (!token->len || !memchr(token->ptr, '~', token->len))
        return true;
    for (size_t i = 0; i < token->len; i++) {
        const bool escape = token->ptr[i] == '~';
        const char code = i + 1 < token->len ? token->ptr[i + 1] : '\0';

        if (escape && code != '0' && code != '1')
            return false;
        surety_buf_byte(name, !escape       ? token->ptr[i]
                              : code == '0' ? '~'
                                            : '/');
        i += escape;
    }
    *token = surety_buf_str(name);
    return true;
}

/* The next three go one token down from *val, which becomes SURETY_NONE where
 * it leads nowhere. */

/* The member of a large object. */
static bool target_member(surety__resolver *resolver, surety_str token,
                          surety_val *val)
{
    const surety__cell *cell = surety__cell_of(*val);
    const struct target_index *index = target_index_of(resolver, *val);
    const surety_doc *doc = val->doc;
    uint32_t hash;

    *val = surety_val_none();
    if (!index)
        return false;
    if (!target_name(resolver, &token))
        return true;
    if (resolver->scratch.status)
        return surety__resolver_starve(resolver);
    hash = surety__hash(token.ptr, token.len);
    for (uint32_t at = hash & index->mask; index->places[at];
         at = (at + 1) & index->mask) {
        const surety__cell *value = cell + index->places[at];

        if (target_index_is(doc, value - 1, token, hash)) {
            *val = surety__val_of(doc, value);
            break;
        }
    }
    return true;
}

/* The item of a large array. */
static bool target_item(surety__resolver *resolver, surety_str token,
                        surety_val *val)
{
    const surety_val array = *val;
    const surety__cell *cell = surety__cell_of(array);
    const struct target_index *index = target_index_of(resolver, array);
    size_t at = 0;

    *val = surety_val_none();
    if (!index)
        return false;
    /* RFC 6901, section 4: digits without leading zeros. */
    if (!token.len || (token.len > 1 && token.ptr[0] == '0'))
        return true;
    for (size_t i = 0; i < token.len; i++) {
        if (!surety__is_digit(token.ptr[i]))
            return true;
        at = at * 10 + (size_t)(token.ptr[i] - '0');
        if (at >= cell->count)
            return true;
    }
    *val = surety__val_of(array.doc, cell + index->places[at]);
    return true;
}

/* step: "/" and a name or number. */
static bool target_step(surety__resolver *resolver, surety_str step,
                        surety_val *val)
{
    const surety__cell *cell = surety__cell_of(*val);
    const surety_str token = {step.ptr + 1, step.len - 1};

    assert(step.len && step.ptr[0] == '/');
    if (cell->kind >= CELL_ARRAY && cell->count > INDEX_MIN)
        return cell->kind == CELL_OBJECT ? target_member(resolver, token, val)
                                         : target_item(resolver, token, val);
    *val = cell->kind >= CELL_ARRAY ? surety_val_at(*val, step)
                                    : surety_val_none();
    return true;
}

/* Follows a JSON Pointer from a resource's root and keeps track of the
 * resources that it passes into. lasts: the pointer's text outlives the
 * compile. The target's val is SURETY_NONE where it leads nowhere. */
static bool target_walk(surety__resolver *resolver, surety_str pointer,
                        bool lasts, surety__target *target)
{
    const surety__resource *from = target->resource;
    size_t last = pointer.len;
    size_t at = 0;

    if (!pointer.len)
        return true;
    assert(pointer.ptr[0] == '/');
    while (pointer.ptr[--last] != '/')
        continue;
    if (resolver->walked.from == from && resolver->walked.pointer.len == last &&
        !memcmp(resolver->walked.pointer.ptr, pointer.ptr, last)) {
        target->val = resolver->walked.val;
        target->resource = resolver->walked.resource;
        at = last;
    }
    while (at < pointer.len && target->val.doc) {
        size_t end = at + 1;

        if (at == last && lasts) {
            resolver->walked.pointer = (surety_str){pointer.ptr, last};
            resolver->walked.from = from;
            resolver->walked.val = target->val;
            resolver->walked.resource = target->resource;
        }
        while (end < pointer.len && pointer.ptr[end] != '/')
            end++;
        if (!target_step(resolver, (surety_str){pointer.ptr + at, end - at},
                         &target->val))
            return false;
        if (target->val.doc)
            target->resource = surety__resolver_resource(resolver, target->val,
                                                         target->resource);
        at = end;
    }
    return true;
}

/* The subschema of the anchor called name in the target's resource. */
static bool target_anchor(surety__resolver *resolver, surety_str name,
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
    return true;
}

/* lasts: the fragment's text outlives the compile. */
static bool target_fragment(surety__resolver *resolver, surety_str fragment,
                            bool lasts, surety_val at, surety__target *target)
{
    const surety_str text = surety_val_str(at);

    if (fragment.len && memchr(fragment.ptr, '%', fragment.len)) {
        surety_buf_reset(&resolver->pointer);
        surety__uri_unescape(fragment, &resolver->pointer);
        if (resolver->pointer.status)
            return surety__resolver_starve(resolver);
        fragment = surety_buf_str(&resolver->pointer);
        lasts = false;
    }
    if (fragment.len && fragment.ptr[0] != '/')
        return target_anchor(resolver, fragment, at, target);
    return target_walk(resolver, fragment, lasts, target) &&
           (target->val.doc ||
            surety__schema_fail(resolver, at, SURETY_SYNTAX,
                                "the reference \"%.*s\" leads nowhere",
                                (int)text.len, text.ptr));
}

bool surety__resolver_find(surety__resolver *resolver,
                           const surety__resource *resource, surety_val at,
                           surety__target *ret_target)
{
    surety__target target = {.dynamic = false};
    surety_str text = surety_val_str(at);
    surety_str absolute = resource->uri;
    surety_str fragment = {NULL, 0};
    surety_buf *uri = &resolver->reference;
    const bool same = !text.len || text.ptr[0] == '#';

    if (same && text.len) {
        fragment = (surety_str){text.ptr + 1, text.len - 1};
    } else if (!same) {
        surety_buf_reset(uri);
        if (surety__uri_resolve(resource->uri, text, uri))
            return surety__schema_fail(resolver, at, uri->status,
                                       "\"%.*s\" is not a URI reference",
                                       (int)text.len, text.ptr);
        surety__uri_split(surety_buf_str(uri), &absolute, &fragment);
    }
    if (surety_str_equal(absolute, resource->uri))
        /* Also where two resources claim one URI: the nearest is meant. */
        target.resource =
            surety__resolver_resource(resolver, resource->root, NULL);
    else if (!surety__resolver_load(resolver, absolute, at, &target.resource))
        return false;
    target.val = target.resource->root;
    if (!target_fragment(resolver, fragment, same, at, &target))
        return false;
    *ret_target = target;
    return true;
}
