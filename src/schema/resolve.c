/* SPDX-License-Identifier: Apache-2.0 */
/* Documents, resources and anchors.
 *
 * A document is scanned once, when it is opened: every place where its dialect
 * puts a subschema is visited, and each $id there opens a resource, each anchor
 * is noted. The content of enum, const, default or an unknown keyword is data
 * and is not looked at (JSON Schema 2020-12 core, section 8.2.1). What
 * was found is what references then lead to (reference.c).
 *
 * The scan keeps its own stack, so a document's depth costs no C stack. */
#include "schema/resolve.h"

#include "schema/uri.h"

struct scan_item {
    const surety__cell *cell; /* of an object */
    surety__resource *resource;
    uint32_t depth;
};

struct scan {
    surety__resolver *resolver;
    const surety_doc *doc;
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
    surety__arena_init(&resolver->work, schema->alloc, 0);
    surety_buf_init(&resolver->scratch, schema->alloc, 0);
    surety_buf_init(&resolver->reference, schema->alloc, 0);
    surety_buf_init(&resolver->pointer, schema->alloc, 0);
}

void surety__resolver_done(surety__resolver *resolver)
{
    const surety_alloc *alloc = resolver->schema->alloc;

    for (size_t i = 0; i < resolver->document_count; i++)
        surety__free(alloc, resolver->documents[i].shapes,
                     resolver->documents[i].span *
                         sizeof(*resolver->documents[i].shapes));
    surety__free(alloc, resolver->documents,
                 resolver->document_cap * sizeof(*resolver->documents));
    surety__free(alloc, resolver->resources,
                 resolver->resource_cap * sizeof(*resolver->resources));
    surety__map_done(&resolver->uris, alloc);
    surety__map_done(&resolver->locations, alloc);
    surety__map_done(&resolver->anchors, alloc);
    surety__map_done(&resolver->names, alloc);
    surety__map_done(&resolver->indexes, alloc);
    surety__arena_done(&resolver->work);
    surety_buf_done(&resolver->scratch);
    surety_buf_done(&resolver->reference);
    surety_buf_done(&resolver->pointer);
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

static surety__document *document_of(const surety__resolver *resolver,
                                     const surety_doc *doc)
{
    /* The newest documents are needed most, and there are few. */
    for (size_t i = resolver->document_count; i-- > 0;)
        if (resolver->documents[i].doc == doc)
            return &resolver->documents[i];
    assert(false); /* a value of a document that was not opened */
    return NULL;
}

uint64_t surety__resolver_location(const surety__resolver *resolver,
                                   surety_val val)
{
    const surety__document *opened = document_of(resolver, val.doc);

    return (uint64_t)(opened - resolver->documents + 1) << 32 | val.index;
}

uint32_t *surety__resolver_place(const surety__resolver *resolver,
                                 surety_val val)
{
    const surety__document *opened = document_of(resolver, val.doc);

    return val.index - opened->start < opened->span
               ? &opened->shapes[val.index - opened->start]
               : NULL;
}

surety__resource *surety__resolver_resource(const surety__resolver *resolver,
                                            surety_val val,
                                            surety__resource *around)
{
    const surety__document *opened = document_of(resolver, val.doc);
    surety__resource *own = opened->resource;

    if (opened->resource_count > 1)
        own = surety__map_get(&resolver->locations,
                              surety__resolver_location(resolver, val));
    else if (own && own->root.index != val.index)
        own = NULL;
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
        surety__arena_take(&resolver->work, sizeof(*named));

    if (!named)
        return surety__fail_nomem(resolver->reterr);
    named->resource = resource;
    named->next = surety__map_get(&resolver->uris, uri_key(uri));
    if (!surety__map_put(&resolver->uris, resolver->schema->alloc, uri_key(uri),
                         named))
        return surety__fail_nomem(resolver->reterr);
    return SURETY_OK;
}

/* Notes where the resource is; false when out of memory. */
static bool resource_place(surety__resolver *resolver,
                           surety__resource *resource)
{
    surety__document *opened = document_of(resolver, resource->root.doc);
    const surety_alloc *alloc = resolver->schema->alloc;
    surety__resource *first = opened->resource;

    if (!first) {
        opened->resource = resource;
    } else if ((opened->resource_count == 1 &&
                !surety__map_put(
                    &resolver->locations, alloc,
                    surety__resolver_location(resolver, first->root), first)) ||
               !surety__map_put(
                   &resolver->locations, alloc,
                   surety__resolver_location(resolver, resource->root),
                   resource)) {
        return false;
    }
    opened->resource_count++;
    return true;
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
    resource->dialect_assumed =
        resolver->options->dialect == SURETY_DIALECT_DEFAULT;
    resource->vocabularies = VOCABULARY_ALL;
    resource->assert_format = resolver->options->assert_format;
    if (!resource_place(resolver, resource))
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

const surety__anchor *surety__resolver_anchor(const surety__resolver *resolver,
                                              const surety__resource *resource,
                                              surety_str name,
                                              bool dynamic_only)
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

/* The entry of a dynamic anchor's name, made if it is new; NULL when out of
 * memory. */
static surety__name *name_of(surety__resolver *resolver, surety_str text)
{
    uint64_t key =
        (uint64_t)surety__hash(text.ptr, text.len) << 32 | (uint32_t)text.len;
    surety__name *first = surety__map_get(&resolver->names, key);
    surety__name *name = first;

    while (name && !surety_str_equal(name->text, text))
        name = name->next;
    if (name)
        return name;
    name = surety__arena_take(&resolver->work, sizeof(*name));
    if (!name || !surety__map_put(&resolver->names, resolver->schema->alloc,
                                  key, name)) {
        surety__fail_nomem(resolver->reterr);
        return NULL;
    }
    *name = (surety__name){
        .text = text, .number = resolver->name_count++, .next = first};
    return name;
}

/* Notes that the anchor is one of those that a $dynamicRef may lead to. */
static surety_status anchor_dynamic(surety__resolver *resolver,
                                    surety__anchor *anchor)
{
    surety__name *name = name_of(resolver, anchor->name);
    uint64_t at = surety__resolver_location(resolver, anchor->resource->root);
    surety__anchor **list;

    if (!name)
        return SURETY_NOMEM;
    if (!name->first || at < name->first_at) {
        name->first = anchor;
        name->first_at = at;
    }
    anchor->number = name->number;
    list = name->wanted ? &resolver->ready : &name->waiting;
    anchor->other = *list;
    *list = anchor;
    return SURETY_OK;
}

const surety__name *surety__resolver_want(surety__resolver *resolver,
                                          surety_str text)
{
    surety__name *name = name_of(resolver, text);

    if (!name)
        return NULL;
    name->wanted = true;
    while (name->waiting) {
        surety__anchor *anchor = name->waiting;

        name->waiting = anchor->other;
        anchor->other = resolver->ready;
        resolver->ready = anchor;
    }
    return name;
}

/* `at` is the keyword's value that names the subschema val. */
static surety_status anchor_new(surety__resolver *resolver,
                                surety__resource *resource, surety_val val,
                                surety_val at, surety_str name, bool dynamic)
{
    surety__anchor *anchor;
    const surety__anchor *other =
        surety__resolver_anchor(resolver, resource, name, false);
    uint64_t key = anchor_key(resource, name);

    if (other && (other->val.doc != val.doc || other->val.index != val.index))
        return surety__schema_fail(
            resolver, at, SURETY_SYNTAX,
            "the anchor \"%.*s\" is declared twice in one schema resource",
            (int)name.len, name.ptr);
    anchor = surety__arena_take(&resolver->work, sizeof(*anchor));
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
    return dynamic ? anchor_dynamic(resolver, anchor) : SURETY_OK;
}

/* $recursiveAnchor: true. It is found as a dynamic anchor without a name, and
 * by no fragment. */
static surety_status anchor_recursive(surety__resolver *resolver,
                                      surety__resource *resource)
{
    surety__anchor *anchor =
        surety__arena_take(&resolver->work, sizeof(*anchor));

    if (!anchor)
        return surety__fail_nomem(resolver->reterr);
    *anchor = (surety__anchor){.resource = resource,
                               .name = {"", 0},
                               .val = resource->root,
                               .dynamic = true};
    resource->recursive = true;
    return anchor_dynamic(resolver, anchor);
}

/* ---- documents; `at` is the reference that needs one ---------------- */

static surety_status document_add(surety__resolver *resolver, surety_val root,
                                  surety_val at)
{
    const surety_limits *limits = &resolver->schema->limits;
    const surety_alloc *alloc = resolver->schema->alloc;
    const surety__cell *cell = surety__cell_of(root);
    void *items = resolver->documents;
    surety__document opened = {.doc = root.doc, .start = root.index};
    surety_status status;

    for (size_t i = 0; i < resolver->document_count; i++)
        if (resolver->documents[i].doc == root.doc)
            return SURETY_OK;
    status = surety__grow(alloc, &items, &resolver->document_cap,
                          resolver->document_count + 1, sizeof(opened),
                          limits->schema_documents_max);
    resolver->documents = items;
    if (status == SURETY_LIMIT)
        return surety__schema_fail(resolver, at, SURETY_LIMIT,
                                   "the schema takes more than %u documents "
                                   "(schema_documents_max)",
                                   limits->schema_documents_max);
    opened.span = (uint32_t)(surety__cell_after(cell) - cell);
    if (!status)
        opened.shapes =
            surety__new(alloc, opened.span * sizeof(*opened.shapes));
    if (!opened.shapes)
        return surety__fail_nomem(resolver->reterr);
    resolver->documents[resolver->document_count++] = opened;
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
 * caller's; SURETY_END where it is unknown. */
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

/* The vocabularies that a custom metaschema switches on. */
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
    resource->dialect_assumed = false;
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

static surety_status scan_push(struct scan *scan, const surety__cell *cell,
                               surety__resource *resource, uint32_t depth)
{
    surety__resolver *resolver = scan->resolver;
    const surety_limits *limits = &resolver->schema->limits;
    void *items = scan->stack;
    surety_status status;

    if (cell->kind != CELL_OBJECT)
        return SURETY_OK;
    if (depth > limits->schema_depth_max)
        return surety__schema_fail(
            resolver, surety__val_of(scan->doc, cell), SURETY_LIMIT,
            "subschemas are nested deeper than %u (schema_depth_max)",
            limits->schema_depth_max);
    if (scan->len == scan->cap) {
        status = surety__grow(resolver->schema->alloc, &items, &scan->cap,
                              scan->len + 1, sizeof(*scan->stack), SIZE_MAX);
        scan->stack = items;
        if (status)
            return surety__fail_nomem(resolver->reterr);
    }
    scan->stack[scan->len++] = (struct scan_item){cell, resource, depth};
    return SURETY_OK;
}

/* The subschemas in the value of a keyword. */
static surety_status scan_children(struct scan *scan, surety__form form,
                                   const surety__cell *cell,
                                   surety__resource *resource, uint32_t depth)
{
    const surety__cell *end = surety__cell_after(cell);
    bool container = form == FORM_SCHEMAS || form == FORM_SCHEMA_MAP ||
                     form == FORM_DEPENDENCIES || form == FORM_SCHEMA_MAPS ||
                     (form == FORM_ITEMS && cell->kind == CELL_ARRAY);
    surety_status status = SURETY_OK;

    if (!container)
        return scan_push(scan, cell, resource, depth);
    /* Keys among the children are passed over as what is no object. A map of
     * maps is as one map of their members. */
    for (cell++; cell < end && !status;) {
        if (form == FORM_SCHEMA_MAPS && cell->kind >= CELL_ARRAY) {
            const surety__cell *inner = cell + 1;

            for (cell = surety__cell_after(cell); inner < cell && !status;
                 inner = surety__cell_after(inner))
                status = scan_push(scan, inner, resource, depth);
            continue;
        }
        status = scan_push(scan, cell, resource, depth);
        cell = surety__cell_after(cell);
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
            opened->dialect_assumed = around->dialect_assumed;
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

/* The keyword values of one subschema, by keyword; the bits mark which of them
 * are there. */
struct scan_said {
    const surety__cell *values[KW_COUNT];
    uint64_t present;
};

#define SCAN_NAMES                                                             \
    (KEYWORD_BIT(KW_SCHEMA) | KEYWORD_BIT(KW_ID) | KEYWORD_BIT(KW_ID_4) |      \
     KEYWORD_BIT(KW_ANCHOR) | KEYWORD_BIT(KW_DYNAMIC_ANCHOR) |                 \
     KEYWORD_BIT(KW_RECURSIVE_ANCHOR))

static surety_val scan_val(const struct scan *scan,
                           const struct scan_said *said, surety__keyword which)
{
    return said->present & KEYWORD_BIT(which)
               ? surety__val_of(scan->doc, said->values[which])
               : surety_val_none();
}

static surety_status scan_names(const struct scan *scan, surety_val val,
                                const struct scan_said *said,
                                surety__resource **resource)
{
    surety__resolver *resolver = scan->resolver;
    surety_val schema = scan_val(scan, said, KW_SCHEMA);
    surety_dialect own = surety__dialect_of(surety_val_str(schema));
    surety_dialect dialect = own ? own : (*resource)->dialect;
    surety_val id =
        scan_val(scan, said, dialect == SURETY_DIALECT_4 ? KW_ID_4 : KW_ID);
    bool hidden =
        dialect <= SURETY_DIALECT_7 &&
        surety_val_kind(scan_val(scan, said, KW_REF)) == SURETY_KIND_STRING;
    surety_val anchor;
    surety_status status = SURETY_OK;

    if (surety_val_kind(id) == SURETY_KIND_STRING && !hidden)
        status = scan_id(resolver, val, id, schema, resource);
    if (status || (*resource)->dialect < SURETY_DIALECT_2019_09)
        return status;
    anchor = scan_val(scan, said, KW_ANCHOR);
    if (surety_val_kind(anchor) == SURETY_KIND_STRING)
        status = anchor_new(resolver, *resource, val, anchor,
                            surety_val_str(anchor), false);
    anchor = scan_val(scan, said, KW_DYNAMIC_ANCHOR);
    if (!status && (*resource)->dialect >= SURETY_DIALECT_2020_12 &&
        surety_val_kind(anchor) == SURETY_KIND_STRING)
        status = anchor_new(resolver, *resource, val, anchor,
                            surety_val_str(anchor), true);
    if (!status && (*resource)->dialect == SURETY_DIALECT_2019_09 &&
        (*resource)->root.index == val.index &&
        surety_val_bool(scan_val(scan, said, KW_RECURSIVE_ANCHOR), false))
        status = anchor_recursive(resolver, *resource);
    return status;
}

/* Where the dialect is unknown, items that are an array decide: tuples
 * were written so up to 2019-09, and 2020-12 has no meaning for it. Pydantic 1
 * writes such schemas. Beside prefixItems it stays a mistake. */
static void scan_tuple(const struct scan_said *said, surety__resource *resource)
{
    if (said->present & KEYWORD_BIT(KW_PREFIX_ITEMS)) {
        resource->dialect = SURETY_DIALECT_2020_12;
        resource->dialect_assumed = false;
    } else if ((said->present & KEYWORD_BIT(KW_ITEMS_ARRAY)) &&
               said->values[KW_ITEMS_ARRAY]->kind == CELL_ARRAY) {
        resource->dialect = SURETY_DIALECT_2019_09;
    }
}

/* Reverses the entries pushed since start, so that it comes off in the order
 * of the document and a mistake is reported where it is made. */
static void scan_turn(struct scan *scan, size_t start)
{
    for (size_t end = scan->len; start + 1 < end; start++, end--) {
        struct scan_item moved = scan->stack[start];

        scan->stack[start] = scan->stack[end - 1];
        scan->stack[end - 1] = moved;
    }
}

/* One subschema: its names, and the subschemas in it. */
static surety_status scan_object(struct scan *scan, struct scan_item item)
{
    struct scan_said said;
    uint8_t holders[KW_COUNT]; /* of subschemas, in the document's order */
    size_t holder_count = 0;
    const surety__cell *key = item.cell + 1;
    surety_status status = SURETY_OK;

    said.present = 0;
    for (uint32_t i = 0; i < item.cell->count; i++) {
        surety__keyword keyword =
            surety__keyword_named(surety__cell_str(scan->doc, key));

        said.values[keyword] = key + 1;
        said.present |= KEYWORD_BIT(keyword);
        if (surety__keyword_rows[keyword].form >= FORM_SCHEMA)
            holders[holder_count++] = (uint8_t)keyword;
        key = surety__cell_after(key + 1);
    }
    if (said.present & SCAN_NAMES)
        status = scan_names(scan, surety__val_of(scan->doc, item.cell), &said,
                            &item.resource);
    if (item.resource->dialect_assumed)
        scan_tuple(&said, item.resource);
    for (size_t i = 0; i < holder_count && !status; i++) {
        surety__keyword keyword = surety__keyword_in(
            (surety__keyword)holders[i], item.resource->dialect);

        if (surety__keyword_rows[keyword].vocabulary &
            item.resource->vocabularies)
            status = scan_children(
                scan, (surety__form)surety__keyword_rows[keyword].form,
                said.values[holders[i]], item.resource, item.depth + 1);
    }
    return status;
}

static surety_status scan_document(surety__resolver *resolver,
                                   surety__resource *resource)
{
    struct scan scan = {.resolver = resolver, .doc = resource->root.doc};
    surety_status status =
        scan_push(&scan, surety__cell_of(resource->root), resource, 1);

    while (!status && scan.len) {
        struct scan_item item = scan.stack[--scan.len];
        size_t start = scan.len;

        status = scan_object(&scan, item);
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
    surety_status status = document_add(resolver, root, at);

    resolver->walked.from = NULL;
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

surety_status surety__resolver_load(surety__resolver *resolver, surety_str uri,
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
