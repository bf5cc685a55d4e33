/* SPDX-License-Identifier: Apache-2.0 */
/* Documents, resources and anchors.
 *
 * A document is scanned once, when it is opened: every place where its dialect
 * puts a subschema is visited, and each $id there opens a resource, each anchor
 * is noted. What stands in enum, const, default or an unknown keyword is data
 * and is not looked at (JSON Schema 2020-12 core, section 8.2.1). References
 * are then found by URI, and their fragments by JSON Pointer or anchor;
 * a pointer may lead anywhere, also to what was not scanned.
 *
 * The scan keeps its own stack, so a document's depth costs no C stack. */
#include "schema/resolve.h"

#include "schema/uri.h"

struct scan_item {
    surety_val val;
    surety__resource *resource;
    uint32_t depth;
};

struct scan {
    surety__resolver *resolver;
    struct scan_item *stack;
    size_t len, cap;
};

void surety__resolver_init(surety__resolver *resolver, surety_schema *schema,
                           const surety_schema_options *options,
                           surety_error *reterr)
{
    *resolver = (surety__resolver){.schema = schema,
                                   .options = options,
                                   .reterr = reterr,
                                   .dialect = options->dialect};
    if (resolver->dialect == SURETY_DIALECT_DEFAULT)
        resolver->dialect = SURETY_DIALECT_2020_12;
    surety_buf_init(&resolver->scratch, schema->alloc, 0);
}

void surety__resolver_done(surety__resolver *resolver)
{
    const surety_alloc *alloc = resolver->schema->alloc;

    surety__free(alloc, (void *)resolver->documents,
                 resolver->document_cap * sizeof(*resolver->documents));
    surety__free(alloc, resolver->resources,
                 resolver->resource_cap * sizeof(*resolver->resources));
    surety__free(alloc, resolver->names,
                 resolver->name_cap * sizeof(*resolver->names));
    surety__map_done(&resolver->uris, alloc);
    surety__map_done(&resolver->locations, alloc);
    surety__map_done(&resolver->anchors, alloc);
    surety_buf_done(&resolver->scratch);
}

surety_status surety__schema_fail(surety__resolver *resolver, surety_val val,
                                  surety_status status, const char *format, ...)
{
    surety_error *reterr = resolver->reterr;
    surety_buf text;
    va_list args;

    if (!reterr)
        return status;
    va_start(args, format);
    surety__failv(reterr, status, format, args);
    va_end(args);
    surety_buf_init(&text, resolver->schema->alloc, 0);
    surety_val_pointer(val, &text);
    if (!text.status && text.len && text.len < sizeof(reterr->path))
        memcpy(reterr->path, text.ptr, text.len);
    surety_buf_done(&text);
    if (text.status == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    reterr->position = surety_val_position(val);
    for (size_t i = 0; i < resolver->resource_count; i++) {
        const surety__resource *resource = resolver->resources[i];
        size_t len = resource->uri.len;

        if (resource->root.doc != val.doc ||
            resource->root.doc == resolver->schema->root_val.doc)
            continue;
        if (len && len < sizeof(reterr->source))
            memcpy(reterr->source, resource->uri.ptr, len);
        break;
    }
    return status;
}

uint64_t surety__resolver_location(const surety__resolver *resolver,
                                   surety_val val)
{
    /* The newest documents are asked for most, and there are few. */
    for (size_t i = resolver->document_count; i-- > 0;)
        if (resolver->documents[i] == val.doc)
            return (uint64_t)(i + 1) << 32 | val.index;
    assert(false); /* a value of a document that was not opened */
    return 0;
}

surety__resource *surety__resolver_resource(const surety__resolver *resolver,
                                            surety_val val,
                                            surety__resource *around)
{
    surety__resource *own = surety__map_get(
        &resolver->locations, surety__resolver_location(resolver, val));

    return own ? own : around;
}

/* ---- naming ------------------------------------------------------------ */

struct named_resource {
    surety__resource *resource;
    struct named_resource *next;
};

static uint64_t uri_key(surety_str uri)
{
    return (uint64_t)surety__hash(uri.ptr, uri.len) << 32 | (uint32_t)uri.len;
}

static surety__resource *resource_by_uri(const surety__resolver *resolver,
                                         surety_str uri)
{
    const struct named_resource *named =
        surety__map_get(&resolver->uris, uri_key(uri));

    for (; named; named = named->next)
        if (surety_str_equal(named->resource->uri, uri))
            return named->resource;
    return NULL;
}

static surety_status resource_name(surety__resolver *resolver,
                                   surety__resource *resource, surety_str uri)
{
    struct named_resource *named =
        surety__arena_take(&resolver->schema->arena, sizeof(*named));

    if (!named)
        return surety__fail_nomem(resolver->reterr);
    named->resource = resource;
    named->next = surety__map_get(&resolver->uris, uri_key(uri));
    if (!surety__map_put(&resolver->uris, resolver->schema->alloc, uri_key(uri),
                         named))
        return surety__fail_nomem(resolver->reterr);
    return SURETY_OK;
}

static surety_status resource_new(surety__resolver *resolver, surety_val root,
                                  surety_str uri,
                                  surety__resource **ret_resource)
{
    surety_schema *schema = resolver->schema;
    surety__resource *resource =
        surety__arena_take(&schema->arena, sizeof(*resource));
    void *items = resolver->resources;
    surety_status status =
        surety__grow(schema->alloc, &items, &resolver->resource_cap,
                     resolver->resource_count + 1, sizeof(resource), SIZE_MAX);

    resolver->resources = items;
    if (status || !resource)
        return surety__fail_nomem(resolver->reterr);
    resource->uri = surety__arena_text(&schema->arena, uri);
    if (!resource->uri.ptr)
        return surety__fail_nomem(resolver->reterr);
    resource->root = root;
    resource->dialect = resolver->dialect;
    resource->vocabularies = VOCABULARY_ALL;
    resource->assert_format = resolver->options->assert_format;
    if (!surety__map_put(&resolver->locations, schema->alloc,
                         surety__resolver_location(resolver, root), resource))
        return surety__fail_nomem(resolver->reterr);
    resolver->resources[resolver->resource_count++] = resource;
    if (!resource_by_uri(resolver, uri)) {
        status = resource_name(resolver, resource, resource->uri);
        if (status)
            return status;
    }
    *ret_resource = resource;
    return SURETY_OK;
}

static uint64_t anchor_key(const surety__resource *resource, surety_str name)
{
    return (uint64_t)(uintptr_t)resource * 31 +
           surety__hash(name.ptr, name.len);
}

static const surety__anchor *anchor_find(const surety__resolver *resolver,
                                         const surety__resource *resource,
                                         surety_str name, bool dynamic_only)
{
    const surety__anchor *anchor =
        surety__map_get(&resolver->anchors, anchor_key(resource, name));

    for (; anchor; anchor = anchor->next)
        if (anchor->resource == resource &&
            surety_str_equal(anchor->name, name) &&
            (anchor->dynamic || !dynamic_only))
            return anchor;
    return NULL;
}

const surety__anchor *surety__resolver_dynamic(const surety__resolver *resolver,
                                               const surety__resource *resource,
                                               surety_str name)
{
    return anchor_find(resolver, resource, name, true);
}

/* `at` is the keyword's value that names the subschema val. */
static surety_status anchor_new(surety__resolver *resolver,
                                surety__resource *resource, surety_val val,
                                surety_val at, surety_str name, bool dynamic)
{
    surety__anchor *anchor;
    const surety__anchor *other = anchor_find(resolver, resource, name, false);
    uint64_t key = anchor_key(resource, name);

    if (other && (other->val.doc != val.doc || other->val.index != val.index))
        return surety__schema_fail(
            resolver, at, SURETY_SYNTAX,
            "the anchor \"%.*s\" is declared twice in one schema resource",
            (int)name.len, name.ptr);
    anchor = surety__arena_take(&resolver->schema->arena, sizeof(*anchor));
    if (!anchor)
        return surety__fail_nomem(resolver->reterr);
    *anchor =
        (surety__anchor){.resource = resource,
                         .name = name,
                         .val = val,
                         .dynamic = dynamic,
                         .next = surety__map_get(&resolver->anchors, key)};
    if (!surety__map_put(&resolver->anchors, resolver->schema->alloc, key,
                         anchor))
        return surety__fail_nomem(resolver->reterr);
    return SURETY_OK;
}

bool surety__resolver_name(surety__resolver *resolver, surety_str name,
                           uint32_t *ret_number)
{
    void *items = resolver->names;

    for (size_t i = 0; i < resolver->name_count; i++)
        if (surety_str_equal(resolver->names[i], name)) {
            *ret_number = (uint32_t)i;
            return true;
        }
    if (surety__grow(resolver->schema->alloc, &items, &resolver->name_cap,
                     resolver->name_count + 1, sizeof(name), SIZE_MAX))
        return false;
    resolver->names = items;
    *ret_number = (uint32_t)resolver->name_count;
    resolver->names[resolver->name_count++] = name;
    return true;
}

/* ---- documents; `at` is the reference that asks for one ---------------- */

static surety_status document_add(surety__resolver *resolver,
                                  const surety_doc *doc, surety_val at)
{
    const surety_limits *limits = &resolver->schema->limits;
    void *items = (void *)resolver->documents;
    surety_status status;

    for (size_t i = 0; i < resolver->document_count; i++)
        if (resolver->documents[i] == doc)
            return SURETY_OK;
    status = surety__grow(resolver->schema->alloc, &items,
                          &resolver->document_cap, resolver->document_count + 1,
                          sizeof(doc), limits->schema_documents_max);
    resolver->documents = items;
    if (status == SURETY_LIMIT)
        return surety__schema_fail(resolver, at, SURETY_LIMIT,
                                   "the schema takes more than %u documents "
                                   "(schema_documents_max)",
                                   limits->schema_documents_max);
    if (status)
        return surety__fail_nomem(resolver->reterr);
    resolver->documents[resolver->document_count++] = doc;
    return SURETY_OK;
}

/* Reads a built-in document; SURETY_END where there is none of that URI. */
static surety_status document_builtin(surety__resolver *resolver,
                                      surety_str uri, surety_val *ret_root)
{
    surety_schema *schema = resolver->schema;
    surety_read_options options = {.size = sizeof(options),
                                   .flags = SURETY_READ_BORROW};
    surety_str text = surety__metaschema_text(uri);
    void *items = schema->documents;
    surety_doc *doc;
    surety_status status;

    if (!text.len)
        return SURETY_END;
    status = surety__grow(schema->alloc, &items, &schema->document_cap,
                          schema->document_count + 1, sizeof(doc), SIZE_MAX);
    schema->documents = items;
    doc = status ? NULL : surety_doc_new(schema->alloc);
    if (!doc)
        return surety__fail_nomem(resolver->reterr);
    schema->documents[schema->document_count++] = doc;
    status = surety_doc_read(doc, text, &options, resolver->reterr);
    if (status)
        return status;
    *ret_root = surety_doc_root(doc);
    return SURETY_OK;
}

/* The root of the document with this URI, from the built-in ones or the
 * caller's; SURETY_END where nobody knows it. */
static surety_status document_load(surety__resolver *resolver, surety_str uri,
                                   surety_val at, surety_val *ret_root)
{
    const surety_schema_options *options = resolver->options;
    surety_status status = document_builtin(resolver, uri, ret_root);

    if (status == SURETY_END && options->resolve)
        status = options->resolve(options->resolve_ctx, uri, ret_root);
    if (status > 0 || (!status && !ret_root->doc))
        return SURETY_END;
    if (status && !resolver->reterr->status)
        surety__schema_fail(resolver, at, status,
                            "the document \"%.*s\" could not be had: %s",
                            (int)uri.len, uri.ptr, surety_status_name(status));
    return status;
}

/* ---- dialects ---------------------------------------------------------- */

/* The vocabularies that a metaschema of somebody's own switches on. */
static surety_status dialect_custom(surety__resolver *resolver,
                                    surety__resource *resource, surety_val at)
{
    surety_str uri = surety_val_str(at);
    surety_val meta = surety_val_none();
    surety_val list, of;
    surety__resource *known;
    surety_status status = SURETY_OK;

    if (uri.len && uri.ptr[uri.len - 1] == '#')
        uri.len--;
    known = resource_by_uri(resolver, uri);
    if (known)
        meta = known->root;
    else
        status = document_load(resolver, uri, at, &meta);
    if (status < 0)
        return status;
    if (status == SURETY_END)
        return surety__schema_fail(resolver, at, SURETY_UNSUPPORTED,
                                   "the dialect \"%.*s\" is not known",
                                   (int)uri.len, uri.ptr);
    of = surety_val_get(meta, "$schema");
    if (surety__dialect_of(surety_val_str(of)))
        resource->dialect = surety__dialect_of(surety_val_str(of));
    list = surety_val_get(meta, "$vocabulary");
    if (surety_val_kind(list) != SURETY_KIND_OBJECT)
        return SURETY_OK;
    resource->vocabularies = VOCABULARY_CORE;
    for (surety_val v = surety_val_first(list); v.doc;
         v = surety_val_next(list, v)) {
        surety_str name = surety_val_str(surety_val_key(v));
        unsigned bits = surety__vocabulary_of(name);

        resource->vocabularies |= bits;
        if (bits & VOCABULARY_FORMAT_ASSERTION)
            resource->assert_format = true;
        if (!bits && surety_val_bool(v, false))
            return surety__schema_fail(
                resolver, at, SURETY_UNSUPPORTED,
                "the dialect requires the vocabulary \"%.*s\", which is not "
                "known",
                (int)name.len, name.ptr);
    }
    return SURETY_OK;
}

static surety_status dialect_settle(surety__resolver *resolver,
                                    surety__resource *resource, surety_val at)
{
    surety_str uri = surety_val_str(at);
    surety_dialect dialect = surety__dialect_of(uri);

    if (surety_val_kind(at) != SURETY_KIND_STRING)
        return at.doc ? surety__schema_fail(resolver, at, SURETY_SYNTAX,
                                            "$schema must be a string")
                      : SURETY_OK;
    if (dialect) {
        resource->dialect = dialect;
        return SURETY_OK;
    }
    if (surety_str_equal(uri,
                         SURETY__LITERAL("http://json-schema.org/schema#")) ||
        surety_str_equal(uri, SURETY__LITERAL("http://json-schema.org/schema")))
        return SURETY_OK;
    return dialect_custom(resolver, resource, at);
}

/* ---- scanning ---------------------------------------------------------- */

static surety_status scan_push(struct scan *scan, surety_val val,
                               surety__resource *resource, uint32_t depth)
{
    surety__resolver *resolver = scan->resolver;
    const surety_limits *limits = &resolver->schema->limits;
    void *items = scan->stack;
    surety_status status;

    if (surety_val_kind(val) != SURETY_KIND_OBJECT)
        return SURETY_OK;
    if (depth > limits->schema_depth_max)
        return surety__schema_fail(
            resolver, val, SURETY_LIMIT,
            "subschemas are nested deeper than %u (schema_depth_max)",
            limits->schema_depth_max);
    status = surety__grow(resolver->schema->alloc, &items, &scan->cap,
                          scan->len + 1, sizeof(*scan->stack), SIZE_MAX);
    scan->stack = items;
    if (status)
        return surety__fail_nomem(resolver->reterr);
    scan->stack[scan->len++] = (struct scan_item){val, resource, depth};
    return SURETY_OK;
}

/* The subschemas in the value of a keyword. */
static surety_status scan_children(struct scan *scan, surety__form form,
                                   surety_val val, surety__resource *resource,
                                   uint32_t depth)
{
    bool container =
        form == FORM_SCHEMAS || form == FORM_SCHEMA_MAP ||
        form == FORM_DEPENDENCIES || form == FORM_SCHEMA_MAPS ||
        (form == FORM_ITEMS && surety_val_kind(val) == SURETY_KIND_ARRAY);
    surety_status status = SURETY_OK;

    if (form < FORM_SCHEMA)
        return SURETY_OK;
    if (!container)
        return scan_push(scan, val, resource, depth);
    for (surety_val v = surety_val_first(val); v.doc && !status;
         v = surety_val_next(val, v)) {
        if (form != FORM_SCHEMA_MAPS) {
            status = scan_push(scan, v, resource, depth);
            continue;
        }
        for (surety_val w = surety_val_first(v); w.doc && !status;
             w = surety_val_next(v, w))
            status = scan_push(scan, w, resource, depth);
    }
    return status;
}

/* Opens the resource that an $id names, or notes the anchor it is in drafts 4
 * to 7. */
static surety_status scan_id(surety__resolver *resolver, surety_val val,
                             surety_val id, surety_val schema,
                             surety__resource **resource)
{
    surety_str absolute, fragment;
    surety__resource *opened = *resource;
    bool has_fragment;
    surety_status status = SURETY_OK;

    surety__uri_split(surety_val_str(id), &absolute, &fragment, &has_fragment);
    if (absolute.len) {
        surety_buf_reset(&resolver->scratch);
        status =
            surety__uri_resolve((*resource)->uri, absolute, &resolver->scratch);
        if (status)
            return surety__schema_fail(resolver, id, status,
                                       "\"%.*s\" is not a URI reference",
                                       (int)absolute.len, absolute.ptr);
        if ((*resource)->root.index == val.index &&
            (*resource)->root.doc == val.doc) {
            /* The document's root: it already is a resource, under the URI it
             * was had from, and stays findable by both. */
            (*resource)->uri = surety__arena_text(
                &resolver->schema->arena, surety_buf_str(&resolver->scratch));
            if (!(*resource)->uri.ptr)
                return surety__fail_nomem(resolver->reterr);
            status = resource_name(resolver, *resource, (*resource)->uri);
        } else {
            surety__resource *around = *resource;

            status = resource_new(resolver, val,
                                  surety_buf_str(&resolver->scratch), &opened);
            if (status)
                return status;
            opened->dialect = around->dialect;
            opened->vocabularies = around->vocabularies;
            opened->assert_format = around->assert_format;
            status = dialect_settle(resolver, opened, schema);
        }
    }
    *resource = opened;
    if (!status && has_fragment && fragment.len && fragment.ptr[0] != '/' &&
        opened->dialect <= SURETY_DIALECT_7)
        status = anchor_new(resolver, opened, val, id, fragment, false);
    return status;
}

static surety_status scan_names(surety__resolver *resolver, surety_val val,
                                surety__resource **resource)
{
    surety_val schema = surety_val_get(val, "$schema");
    surety_dialect said = surety__dialect_of(surety_val_str(schema));
    surety_dialect dialect = said ? said : (*resource)->dialect;
    surety_val id =
        surety_val_get(val, dialect == SURETY_DIALECT_4 ? "id" : "$id");
    bool hidden =
        dialect <= SURETY_DIALECT_7 &&
        surety_val_kind(surety_val_get(val, "$ref")) == SURETY_KIND_STRING;
    surety_val anchor;
    surety_status status = SURETY_OK;

    if (surety_val_kind(id) == SURETY_KIND_STRING && !hidden)
        status = scan_id(resolver, val, id, schema, resource);
    if (status || (*resource)->dialect < SURETY_DIALECT_2019_09)
        return status;
    anchor = surety_val_get(val, "$anchor");
    if (surety_val_kind(anchor) == SURETY_KIND_STRING)
        status = anchor_new(resolver, *resource, val, anchor,
                            surety_val_str(anchor), false);
    anchor = surety_val_get(val, "$dynamicAnchor");
    if (!status && (*resource)->dialect >= SURETY_DIALECT_2020_12 &&
        surety_val_kind(anchor) == SURETY_KIND_STRING)
        status = anchor_new(resolver, *resource, val, anchor,
                            surety_val_str(anchor), true);
    if ((*resource)->dialect == SURETY_DIALECT_2019_09 &&
        (*resource)->root.index == val.index)
        (*resource)->recursive =
            surety_val_bool(surety_val_get(val, "$recursiveAnchor"), false);
    return status;
}

/* Turns what was pushed since start around, so that it comes off in the order
 * of the document and a mistake is reported where it is made. */
static void scan_turn(struct scan *scan, size_t start)
{
    for (size_t end = scan->len; start + 1 < end; start++, end--) {
        struct scan_item moved = scan->stack[start];

        scan->stack[start] = scan->stack[end - 1];
        scan->stack[end - 1] = moved;
    }
}

static surety_status scan_document(surety__resolver *resolver,
                                   surety__resource *resource)
{
    struct scan scan = {.resolver = resolver};
    surety_status status = scan_push(&scan, resource->root, resource, 1);

    while (!status && scan.len) {
        struct scan_item item = scan.stack[--scan.len];
        size_t start = scan.len;

        status = scan_names(resolver, item.val, &item.resource);
        for (surety_val v = surety_val_first(item.val); v.doc && !status;
             v = surety_val_next(item.val, v)) {
            surety__keyword keyword = surety__keyword_find(
                surety_val_str(surety_val_key(v)), item.resource->dialect);

            if (keyword && (surety__keyword_vocabulary(keyword) &
                            item.resource->vocabularies))
                status = scan_children(&scan, surety__keyword_form(keyword), v,
                                       item.resource, item.depth + 1);
        }
        scan_turn(&scan, start);
    }
    surety__free(resolver->schema->alloc, scan.stack,
                 scan.cap * sizeof(*scan.stack));
    return status;
}

surety_status surety__resolver_open(surety__resolver *resolver, surety_val root,
                                    surety_str uri, surety_val at,
                                    surety__resource **ret_resource)
{
    surety__resource *resource;
    surety_str absolute, fragment;
    bool has_fragment;
    surety_status status = document_add(resolver, root.doc, at);

    surety__uri_split(uri, &absolute, &fragment, &has_fragment);
    if (!status)
        status = resource_new(resolver, root, absolute, &resource);
    if (!status)
        status =
            dialect_settle(resolver, resource, surety_val_get(root, "$schema"));
    if (!status)
        status = scan_document(resolver, resource);
    if (status)
        return status;
    *ret_resource = resource;
    return SURETY_OK;
}

/* ---- references -------------------------------------------------------- */

/* Follows a JSON Pointer from a resource's root and keeps track of the
 * resources that it passes into. */
static bool target_walk(const surety__resolver *resolver, surety_str pointer,
                        surety__target *target)
{
    size_t at = 0;

    while (at < pointer.len) {
        size_t end = at + 1;
        surety_str token;

        if (pointer.ptr[at] != '/')
            return false;
        while (end < pointer.len && pointer.ptr[end] != '/')
            end++;
        token = (surety_str){pointer.ptr + at, end - at};
        target->val = surety_val_at(target->val, token);
        if (!target->val.doc)
            return false;
        target->resource =
            surety__resolver_resource(resolver, target->val, target->resource);
        at = end;
    }
    return true;
}

/* The resource of a URI, its document loaded where it must be. */
static surety_status target_resource(surety__resolver *resolver, surety_str uri,
                                     surety_val at,
                                     surety__resource **ret_resource)
{
    surety_val root = surety_val_none();
    surety_status status;

    *ret_resource = resource_by_uri(resolver, uri);
    if (*ret_resource)
        return SURETY_OK;
    uri = surety__arena_text(&resolver->schema->arena, uri);
    if (!uri.ptr)
        return surety__fail_nomem(resolver->reterr);
    status = document_load(resolver, uri, at, &root);
    if (status == SURETY_END) {
        status = surety__schema_fail(
            resolver, at, SURETY_SYNTAX,
            "the reference leads to \"%.*s\", which is not known", (int)uri.len,
            uri.ptr);
        surety__hint(resolver->reterr,
                     "documents are never fetched: give it to the resolver");
        return status;
    }
    if (status)
        return status;
    return surety__resolver_open(resolver, root, uri, at, ret_resource);
}

static surety_status target_fragment(surety__resolver *resolver,
                                     surety_str fragment, surety_val at,
                                     surety__target *target)
{
    surety_buf name;
    const surety__anchor *anchor;
    surety_status status = SURETY_OK;
    bool found;

    surety_buf_init(&name, resolver->schema->alloc, 0);
    surety__uri_unescape(fragment, &name);
    if (name.status) {
        status = surety__fail_nomem(resolver->reterr);
    } else if (!name.len || name.ptr[0] == '/') {
        found = target_walk(resolver, surety_buf_str(&name), target);
        if (!found)
            status = surety__schema_fail(resolver, at, SURETY_SYNTAX,
                                         "the reference \"%.*s\" leads nowhere",
                                         (int)surety_val_str(at).len,
                                         surety_val_str(at).ptr);
    } else {
        anchor = anchor_find(resolver, target->resource, surety_buf_str(&name),
                             false);
        if (!anchor) {
            status = surety__schema_fail(
                resolver, at, SURETY_SYNTAX,
                "there is no anchor \"%.*s\" where the reference leads",
                (int)name.len, name.ptr);
        } else {
            target->val = anchor->val;
            target->dynamic = surety__resolver_dynamic(
                resolver, target->resource, anchor->name);
            if (target->dynamic &&
                !surety__resolver_name(resolver, anchor->name,
                                       &target->dynamic_name))
                status = surety__fail_nomem(resolver->reterr);
        }
    }
    surety_buf_done(&name);
    return status;
}

surety_status surety__resolver_find(surety__resolver *resolver,
                                    const surety__resource *resource,
                                    surety_val at, surety__target *ret_target)
{
    surety__target target = {.dynamic = false};
    surety_str absolute, fragment;
    surety_buf uri;
    bool has_fragment;
    surety_status status;

    surety_buf_init(&uri, resolver->schema->alloc, 0);
    status = surety__uri_resolve(resource->uri, surety_val_str(at), &uri);
    if (status) {
        status = surety__schema_fail(
            resolver, at, uri.status ? uri.status : SURETY_SYNTAX,
            "\"%.*s\" is not a URI reference", (int)surety_val_str(at).len,
            surety_val_str(at).ptr);
        goto done;
    }
    surety__uri_split(surety_buf_str(&uri), &absolute, &fragment,
                      &has_fragment);
    if (surety_str_equal(absolute, resource->uri)) {
        /* Also where two resources claim one URI: the nearest is meant. */
        target.resource =
            surety__resolver_resource(resolver, resource->root, NULL);
    } else {
        status = target_resource(resolver, absolute, at, &target.resource);
        if (status)
            goto done;
    }
    target.val = target.resource->root;
    status = target_fragment(resolver, fragment, at, &target);
    if (!status)
        *ret_target = target;
done:
    surety_buf_done(&uri);
    return status;
}
