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

bool surety__schema_fail(surety__resolver *resolver, surety_val val,
                         surety_status status, const char *format, ...)
{
    surety_error *reterr = resolver->reterr;
    surety_buf text;
    va_list args;

    assert(status < 0);
    va_start(args, format);
    surety__failv(reterr, status, format, args);
    va_end(args);
    surety_buf_init(&text, resolver->schema->alloc, 0);
    surety_val_pointer(val, &text);
    if (!text.status && text.len && text.len < sizeof(reterr->path))
        memcpy(reterr->path, text.ptr, text.len);
    surety_buf_done(&text);
    if (text.status == SURETY_NOMEM)
        return surety__resolver_starve(resolver);
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
    return false;
}

bool surety__resolver_starve(surety__resolver *resolver)
{
    surety__fail_nomem(resolver->reterr);
    return false;
}

/* Memory for the time of the compile. */
static void *resolver_take(surety__resolver *resolver, size_t size)
{
    void *block = surety__arena_take(&resolver->work, size);

    if (!block)
        surety__resolver_starve(resolver);
    return block;
}

static bool resolver_put(surety__resolver *resolver, surety__map *map,
                         uint64_t key, void *value)
{
    return surety__map_put(map, resolver->schema->alloc, key, value) ||
           surety__resolver_starve(resolver);
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

/* A value in a map from texts. */
struct named {
    surety_str text;
    void *value;
    struct named *next; /* with the same key */
};

static uint64_t named_key(surety_str text)
{
    return (uint64_t)surety__hash(text.ptr, text.len) << 32 |
           (uint32_t)text.len;
}

void *surety__named_get(const surety__map *map, surety_str text)
{
    const struct named *named = surety__map_get(map, named_key(text));

    while (named && !surety_str_equal(named->text, text))
        named = named->next;
    return named ? named->value : NULL;
}

bool surety__named_put(surety__resolver *resolver, surety__map *map,
                       surety_str text, void *value)
{
    const uint64_t key = named_key(text);
    struct named *named = resolver_take(resolver, sizeof(*named));

    if (!named)
        return false;
    *named = (struct named){text, value, surety__map_get(map, key)};
    return resolver_put(resolver, map, key, named);
}

/* Notes where the resource is. */
static bool resource_place(surety__resolver *resolver,
                           surety__resource *resource)
{
    surety__document *opened = document_of(resolver, resource->root.doc);
    surety__resource *first = opened->resource;

    assert((first != NULL) == (opened->resource_count > 0));
    if (!opened->resource_count++) {
        opened->resource = resource;
        return true;
    }
    return (opened->resource_count > 2 ||
            resolver_put(resolver, &resolver->locations,
                         surety__resolver_location(resolver, first->root),
                         first)) &&
           resolver_put(resolver, &resolver->locations,
                        surety__resolver_location(resolver, resource->root),
                        resource);
}

/* Opens a resource, as `around` is: NULL for that of a document. */
static surety__resource *resource_new(surety__resolver *resolver,
                                      surety_val root, surety_str uri,
                                      const surety__resource *around)
{
    surety_schema *schema = resolver->schema;
    surety__resource *resource =
        surety__arena_take(&schema->arena, sizeof(*resource));

    if (!resource ||
        surety__grow(schema->alloc, &resolver->resources,
                     &resolver->resource_cap, resolver->resource_count + 1,
                     sizeof(resource), SIZE_MAX)) {
        surety__resolver_starve(resolver);
        return NULL;
    }
    *resource = around ? *around
                       : (surety__resource){
                             .dialect = resolver->dialect,
                             .dialect_assumed = resolver->options->dialect ==
                                                SURETY_DIALECT_DEFAULT,
                             .vocabularies = VOCABULARY_ALL,
                             .assert_format = resolver->options->assert_format};
    resource->root = root;
    resource->recursive = false;
    resource->dynamics = NULL;
    resource->uri = surety__arena_text(&schema->arena, uri);
    if (!resource->uri.ptr) {
        surety__resolver_starve(resolver);
        return NULL;
    }
    if (!resource_place(resolver, resource) ||
        (!surety__named_get(&resolver->uris, uri) &&
         !surety__named_put(resolver, &resolver->uris, resource->uri,
                            resource)))
        return NULL;
    resolver->resources[resolver->resource_count++] = resource;
    return resource;
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

/* The entry of a dynamic anchor's name, made if it is new. */
static surety__name *name_of(surety__resolver *resolver, surety_str text)
{
    surety__name *name = surety__named_get(&resolver->names, text);

    if (name)
        return name;
    name = resolver_take(resolver, sizeof(*name));
    if (!name || !surety__named_put(resolver, &resolver->names, text, name))
        return NULL;
    name->number = resolver->name_count++;
    return name;
}

/* Notes that the anchor is one of those that a $dynamicRef may lead to. */
static bool anchor_dynamic(surety__resolver *resolver, surety__anchor *anchor)
{
    surety__name *name = name_of(resolver, anchor->name);
    uint64_t at = surety__resolver_location(resolver, anchor->resource->root);
    surety__anchor **list;

    if (!name)
        return false;
    if (!name->first || at < name->first_at) {
        name->first = anchor;
        name->first_at = at;
    }
    anchor->number = name->number;
    list = name->wanted ? &resolver->ready : &name->waiting;
    anchor->other = *list;
    *list = anchor;
    return true;
}

const surety__name *surety__resolver_want(surety__resolver *resolver,
                                          surety_str text)
{
    surety__name *name = name_of(resolver, text);

    if (!name)
        return NULL;
    name->wanted = true;
    assert(name->number < resolver->name_count);
    while (name->waiting) {
        surety__anchor *anchor = name->waiting;

        name->waiting = anchor->other;
        anchor->other = resolver->ready;
        resolver->ready = anchor;
    }
    return name;
}

/* `at` is the keyword's value that names the subschema val. */
static bool anchor_new(surety__resolver *resolver, surety__resource *resource,
                       surety_val val, surety_val at, surety_str name,
                       bool dynamic)
{
    const surety__anchor *other =
        surety__resolver_anchor(resolver, resource, name, false);
    const uint64_t key = anchor_key(resource, name);
    surety__anchor *anchor;

    if (other && (other->val.doc != val.doc || other->val.index != val.index))
        return surety__schema_fail(
            resolver, at, SURETY_SYNTAX,
            "the anchor \"%.*s\" is declared twice in one schema resource",
            (int)name.len, name.ptr);
    anchor = resolver_take(resolver, sizeof(*anchor));
    if (!anchor)
        return false;
    *anchor =
        (surety__anchor){.resource = resource,
                         .name = name,
                         .val = val,
                         .dynamic = dynamic,
                         .next = surety__map_get(&resolver->anchors, key)};
    return resolver_put(resolver, &resolver->anchors, key, anchor) &&
           (!dynamic || anchor_dynamic(resolver, anchor));
}

/* $recursiveAnchor: true. It is found as a dynamic anchor without a name, and
 * by no fragment. */
static bool anchor_recursive(surety__resolver *resolver,
                             surety__resource *resource)
{
    surety__anchor *anchor = resolver_take(resolver, sizeof(*anchor));

    if (!anchor)
        return false;
    *anchor = (surety__anchor){.resource = resource,
                               .name = {"", 0},
                               .val = resource->root,
                               .dynamic = true};
    resource->recursive = true;
    return anchor_dynamic(resolver, anchor);
}

/* ---- documents; `at` is the reference that needs one ---------------- */

static bool document_add(surety__resolver *resolver, surety_val root,
                         surety_val at)
{
    const surety_limits *limits = &resolver->schema->limits;
    const surety_alloc *alloc = resolver->schema->alloc;
    const surety__cell *cell = surety__cell_of(root);
    surety__document opened = {.doc = root.doc,
                               .start = root.index,
                               .span =
                                   (uint32_t)(surety__cell_after(cell) - cell)};
    surety_status status;

    for (size_t i = 0; i < resolver->document_count; i++)
        if (resolver->documents[i].doc == root.doc)
            return true;
    status = surety__grow(alloc, &resolver->documents, &resolver->document_cap,
                          resolver->document_count + 1, sizeof(opened),
                          limits->schema_documents_max);
    if (status == SURETY_LIMIT)
        return surety__schema_fail(resolver, at, SURETY_LIMIT,
                                   "the schema takes more than %u documents "
                                   "(schema_documents_max)",
                                   limits->schema_documents_max);
    if (!status)
        opened.shapes =
            surety__new(alloc, opened.span * sizeof(*opened.shapes));
    if (!opened.shapes)
        return surety__resolver_starve(resolver);
    resolver->documents[resolver->document_count++] = opened;
    return true;
}

/* Reads a built-in document. */
static bool document_builtin(surety__resolver *resolver, surety_str text,
                             surety_val *ret_root)
{
    const surety_read_options options = {.size = sizeof(options),
                                         .flags = SURETY_READ_BORROW};
    surety_schema *schema = resolver->schema;
    surety_doc *doc = NULL;

    if (!surety__grow(schema->alloc, &schema->documents, &schema->document_cap,
                      schema->document_count + 1, sizeof(doc), SIZE_MAX))
        doc = surety_doc_new(schema->alloc);
    if (!doc)
        return surety__resolver_starve(resolver);
    schema->documents[schema->document_count++] = doc;
    if (surety_doc_read(doc, text, &options, resolver->reterr))
        return false;
    *ret_root = surety_doc_root(doc);
    return true;
}

/* The root of the document with this URI, from the built-in ones or the
 * caller's; SURETY_NONE where it is unknown. */
static bool document_load(surety__resolver *resolver, surety_str uri,
                          surety_val at, surety_val *ret_root)
{
    const surety_schema_options *options = resolver->options;
    const surety_str builtin = surety__metaschema_text(uri);
    surety_status status = SURETY_END;

    if (builtin.len)
        return document_builtin(resolver, builtin, ret_root);
    if (options->resolve)
        status = options->resolve(options->resolve_ctx, uri, ret_root);
    if (status)
        *ret_root = surety_val_none();
    if (status < 0)
        return surety__schema_fail(resolver, at, status,
                                   "the document \"%.*s\" could not be loaded: "
                                   "%s",
                                   (int)uri.len, uri.ptr,
                                   surety_status_name(status));
    return true;
}

/* ---- dialects ---------------------------------------------------------- */

/* The vocabularies that a custom metaschema switches on. */
static bool dialect_custom(surety__resolver *resolver,
                           surety__resource *resource, surety_val at)
{
    surety_str uri = surety_val_str(at);
    surety_val meta = surety_val_none();
    surety_val list, of;
    const surety__resource *known;

    if (uri.len && uri.ptr[uri.len - 1] == '#')
        uri.len--;
    known = surety__named_get(&resolver->uris, uri);
    if (known)
        meta = known->root;
    else if (!document_load(resolver, uri, at, &meta))
        return false;
    if (!meta.doc)
        return surety__schema_fail(resolver, at, SURETY_UNSUPPORTED,
                                   "the dialect \"%.*s\" is not known",
                                   (int)uri.len, uri.ptr);
    of = surety_val_get(meta, "$schema");
    if (surety__dialect_of(surety_val_str(of)))
        resource->dialect = surety__dialect_of(surety_val_str(of));
    list = surety_val_get(meta, "$vocabulary");
    if (surety_val_kind(list) != SURETY_KIND_OBJECT)
        return true;
    resource->vocabularies = VOCABULARY_CORE;
    SURETY_EACH (v, list) {
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
    return true;
}

static bool dialect_settle(surety__resolver *resolver,
                           surety__resource *resource, surety_val at)
{
    surety_str uri = surety_val_str(at);
    surety_dialect dialect = surety__dialect_of(uri);

    if (!at.doc)
        return true;
    if (surety_val_kind(at) != SURETY_KIND_STRING)
        return surety__schema_fail(resolver, at, SURETY_SYNTAX,
                                   "$schema must be a string");
    resource->dialect_assumed = false;
    if (dialect)
        resource->dialect = dialect;
    if (dialect ||
        surety_str_equal(uri,
                         SURETY__LITERAL("http://json-schema.org/schema#")) ||
        surety_str_equal(uri, SURETY__LITERAL("http://json-schema.org/schema")))
        return true;
    return dialect_custom(resolver, resource, at);
}

/* ---- scanning ---------------------------------------------------------- */

static bool scan_push(struct scan *scan, const surety__cell *cell,
                      surety__resource *resource, uint32_t depth)
{
    surety__resolver *resolver = scan->resolver;
    const surety_limits *limits = &resolver->schema->limits;

    if (cell->kind != CELL_OBJECT)
        return true;
    if (depth > limits->schema_depth_max)
        return surety__schema_fail(
            resolver, surety__val_of(scan->doc, cell), SURETY_LIMIT,
            "subschemas are nested deeper than %u (schema_depth_max)",
            limits->schema_depth_max);
    if (scan->len == scan->cap &&
        surety__grow(resolver->schema->alloc, &scan->stack, &scan->cap,
                     scan->len + 1, sizeof(*scan->stack), SIZE_MAX))
        return surety__resolver_starve(resolver);
    scan->stack[scan->len++] = (struct scan_item){cell, resource, depth};
    return true;
}

/* The subschemas in the value of a keyword. Keys among the children are passed
 * over as what is no object. A map of maps is as one map of their members. */
static bool scan_children(struct scan *scan, surety__form form,
                          const surety__cell *cell, surety__resource *resource,
                          uint32_t depth)
{
    const surety__form_row *row = &surety__form_rows[form];
    const surety__cell *end = surety__cell_after(cell);

    if (!row->container || row->kinds >> cell->kind & 1)
        return scan_push(scan, cell, resource, depth);
    for (cell++; cell < end; cell = surety__cell_after(cell)) {
        const surety__cell *inner_end = surety__cell_after(cell);

        if (form != FORM_SCHEMA_MAPS || cell->kind < CELL_ARRAY) {
            if (!scan_push(scan, cell, resource, depth))
                return false;
            continue;
        }
        for (const surety__cell *inner = cell + 1; inner < inner_end;
             inner = surety__cell_after(inner))
            if (!scan_push(scan, inner, resource, depth))
                return false;
    }
    return true;
}

/* Opens the resource that an $id names, or notes the anchor it is in drafts 4
 * to 7. */
static bool scan_id(surety__resolver *resolver, surety_val val, surety_val id,
                    surety_val schema, surety__resource **resource)
{
    surety__resource *around = *resource;
    surety_buf *uri = &resolver->scratch;
    surety_str absolute, fragment;

    surety__uri_split(surety_val_str(id), &absolute, &fragment);
    if (absolute.len) {
        surety_status status;

        surety_buf_reset(uri);
        status = surety__uri_resolve(around->uri, absolute, uri);
        if (status)
            return surety__schema_fail(resolver, id, status,
                                       "\"%.*s\" is not a URI reference",
                                       (int)absolute.len, absolute.ptr);
        if (around->root.index == val.index && around->root.doc == val.doc) {
            /* The document's root: it already is a resource, under the URI it
             * was loaded from, and stays findable by both. */
            around->uri = surety__arena_text(&resolver->schema->arena,
                                             surety_buf_str(uri));
            if (!around->uri.ptr)
                return surety__resolver_starve(resolver);
            if (!surety__named_put(resolver, &resolver->uris, around->uri,
                                   around))
                return false;
        } else {
            *resource =
                resource_new(resolver, val, surety_buf_str(uri), around);
            if (!*resource || !dialect_settle(resolver, *resource, schema))
                return false;
        }
    }
    return !fragment.len || fragment.ptr[0] == '/' ||
           (*resource)->dialect > SURETY_DIALECT_7 ||
           anchor_new(resolver, *resource, val, id, fragment, false);
}

/* The keyword values of one subschema, by keyword; the bits mark which of them
 * are there. */
struct scan_keywords {
    const surety__cell *values[KW_COUNT];
    uint64_t present;
};

#define SCAN_NAMES                                                             \
    (KEYWORD_BIT(KW_SCHEMA) | KEYWORD_BIT(KW_ID) | KEYWORD_BIT(KW_ID_4) |      \
     KEYWORD_BIT(KW_ANCHOR) | KEYWORD_BIT(KW_DYNAMIC_ANCHOR) |                 \
     KEYWORD_BIT(KW_RECURSIVE_ANCHOR))

static surety_val scan_val(const struct scan *scan,
                           const struct scan_keywords *keywords,
                           surety__keyword which)
{
    return keywords->present & KEYWORD_BIT(which)
               ? surety__val_of(scan->doc, keywords->values[which])
               : surety_val_none();
}

static bool scan_names(const struct scan *scan, surety_val val,
                       const struct scan_keywords *keywords,
                       surety__resource **resource)
{
    surety__resolver *resolver = scan->resolver;
    surety_val schema = scan_val(scan, keywords, KW_SCHEMA);
    surety_dialect own = surety__dialect_of(surety_val_str(schema));
    surety_dialect dialect = own ? own : (*resource)->dialect;
    surety_val id =
        scan_val(scan, keywords, dialect == SURETY_DIALECT_4 ? KW_ID_4 : KW_ID);
    surety_val anchor = scan_val(scan, keywords, KW_ANCHOR);
    surety_val dynamic = scan_val(scan, keywords, KW_DYNAMIC_ANCHOR);
    bool hidden =
        dialect <= SURETY_DIALECT_7 &&
        surety_val_kind(scan_val(scan, keywords, KW_REF)) == SURETY_KIND_STRING;

    if (surety_val_kind(id) == SURETY_KIND_STRING && !hidden &&
        !scan_id(resolver, val, id, schema, resource))
        return false;
    dialect = (*resource)->dialect;
    if (dialect >= SURETY_DIALECT_2019_09 &&
        surety_val_kind(anchor) == SURETY_KIND_STRING &&
        !anchor_new(resolver, *resource, val, anchor, surety_val_str(anchor),
                    false))
        return false;
    if (dialect >= SURETY_DIALECT_2020_12 &&
        surety_val_kind(dynamic) == SURETY_KIND_STRING)
        return anchor_new(resolver, *resource, val, dynamic,
                          surety_val_str(dynamic), true);
    return dialect != SURETY_DIALECT_2019_09 ||
           (*resource)->root.index != val.index ||
           !surety_val_bool(scan_val(scan, keywords, KW_RECURSIVE_ANCHOR),
                            false) ||
           anchor_recursive(resolver, *resource);
}

/* Where the dialect is unknown, items that are an array decide: tuples
 * were written so up to 2019-09, and 2020-12 has no meaning for it. Pydantic 1
 * writes such schemas. Beside prefixItems it stays a mistake. */
static void scan_tuple(const struct scan_keywords *keywords,
                       surety__resource *resource)
{
    if (keywords->present & KEYWORD_BIT(KW_PREFIX_ITEMS)) {
        resource->dialect = SURETY_DIALECT_2020_12;
        resource->dialect_assumed = false;
    } else if ((keywords->present & KEYWORD_BIT(KW_ITEMS_ARRAY)) &&
               keywords->values[KW_ITEMS_ARRAY]->kind == CELL_ARRAY) {
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
static bool scan_object(struct scan *scan, struct scan_item item)
{
    struct scan_keywords keywords;
    uint8_t holders[KW_COUNT]; /* of subschemas, in the document's order */
    size_t holder_count = 0;
    const surety__cell *key = item.cell + 1;

    keywords.present = 0;
    for (uint32_t i = 0; i < item.cell->count; i++) {
        surety__keyword keyword =
            surety__keyword_named(surety__cell_str(scan->doc, key));

        keywords.values[keyword] = key + 1;
        keywords.present |= KEYWORD_BIT(keyword);
        if (surety__keyword_rows[keyword].form >= FORM_SCHEMA)
            holders[holder_count++] = (uint8_t)keyword;
        key = surety__cell_after(key + 1);
    }
    assert(holder_count <= KW_COUNT);
    if (keywords.present & SCAN_NAMES &&
        !scan_names(scan, surety__val_of(scan->doc, item.cell), &keywords,
                    &item.resource))
        return false;
    if (item.resource->dialect_assumed)
        scan_tuple(&keywords, item.resource);
    for (size_t i = 0; i < holder_count; i++) {
        const surety__keyword_row *row =
            &surety__keyword_rows[surety__keyword_in(
                (surety__keyword)holders[i], item.resource->dialect)];

        if (row->vocabulary & item.resource->vocabularies &&
            !scan_children(scan, (surety__form)row->form,
                           keywords.values[holders[i]], item.resource,
                           item.depth + 1))
            return false;
    }
    return true;
}

static bool scan_document(surety__resolver *resolver,
                          surety__resource *resource)
{
    struct scan scan = {.resolver = resolver, .doc = resource->root.doc};
    bool done = scan_push(&scan, surety__cell_of(resource->root), resource, 1);

    while (done && scan.len) {
        struct scan_item item = scan.stack[--scan.len];
        size_t start = scan.len;

        done = scan_object(&scan, item);
        scan_turn(&scan, start);
    }
    surety__free(resolver->schema->alloc, scan.stack,
                 scan.cap * sizeof(*scan.stack));
    return done;
}

bool surety__resolver_open(surety__resolver *resolver, surety_val root,
                           surety_str uri, surety_val at,
                           surety__resource **ret_resource)
{
    surety_str absolute, fragment;

    resolver->walked.from = NULL;
    surety__uri_split(uri, &absolute, &fragment);
    if (!document_add(resolver, root, at))
        return false;
    *ret_resource = resource_new(resolver, root, absolute, NULL);
    return *ret_resource &&
           dialect_settle(resolver, *ret_resource,
                          surety_val_get(root, "$schema")) &&
           scan_document(resolver, *ret_resource);
}

bool surety__resolver_load(surety__resolver *resolver, surety_str uri,
                           surety_val at, surety__resource **ret_resource)
{
    surety_val root = surety_val_none();

    *ret_resource = surety__named_get(&resolver->uris, uri);
    if (*ret_resource)
        return true;
    uri = surety__arena_text(&resolver->schema->arena, uri);
    if (!uri.ptr)
        return surety__resolver_starve(resolver);
    if (!document_load(resolver, uri, at, &root))
        return false;
    if (root.doc)
        return surety__resolver_open(resolver, root, uri, at, ret_resource);
    surety__schema_fail(resolver, at, SURETY_SYNTAX,
                        "the reference leads to \"%.*s\", which is not known",
                        (int)uri.len, uri.ptr);
    surety__hint(resolver->reterr,
                 "documents are never fetched: give it to the resolver");
    return false;
}
