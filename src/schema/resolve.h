/* SPDX-License-Identifier: Apache-2.0 */
/* Finding subschemas by URI: resources ($id), anchors, and the documents that
 * hold them. Used by the compiler only. A function that returns false or NULL
 * where it says nothing else has failed and has filled reterr. */
#ifndef SURETY_SCHEMA_RESOLVE_H
#define SURETY_SCHEMA_RESOLVE_H

#include "schema/shape.h"

/* Names whose search meets more others than these are no accident: among
 * 100,000 names of the schema's own it is about ten. */
enum { COLLISIONS_MAX = 256 };

/* An anchor of a resource. */
typedef struct surety__anchor {
    surety__resource *resource;
    surety_str name;
    surety_val val;
    bool dynamic;
    uint32_t number;              /* of a dynamic one's name */
    struct surety__anchor *next;  /* with the same key */
    struct surety__anchor *other; /* waiting, or ready, as this one is */
} surety__anchor;

/* A name that dynamic anchors have. */
typedef struct surety__name {
    uint32_t number;
    bool wanted;                 /* some $dynamicRef looks it up */
    surety__anchor *waiting;     /* while it is not wanted: its anchors */
    const surety__anchor *first; /* in the order of resources */
    uint64_t first_at;
} surety__name;

/* A document, and the cells of the root that it was first opened with. */
typedef struct surety__document {
    const surety_doc *doc;
    uint32_t start, span;
    /* By cell, from start on: the number of its shape + 1, or 0. */
    uint32_t *shapes;
    surety__resource *resource; /* the first one that it holds */
    uint32_t resource_count;
} surety__document;

typedef struct surety__resolver {
    surety_schema *schema; /* owner of everything that lasts */
    const surety_schema_options *options;
    surety__document *documents; /* in the order they were opened */
    size_t document_count, document_cap;
    surety__map uris; /* named: resources */
    /* A subschema's location to the resource it opens; of documents that hold
     * more than one. */
    surety__map locations;
    surety__map anchors; /* hash of resource and name to anchors */
    surety__resource **resources;
    size_t resource_count, resource_cap;
    surety__map names; /* named: surety__name of dynamic anchors */
    uint32_t name_count;
    surety__anchor *ready;  /* anchors of wanted names that have no shape yet */
    surety_dialect dialect; /* of documents without $schema */
    surety__map indexes;    /* large containers that pointers led through */
    surety__arena work;     /* for the time of the compile */
    /* Where the last JSON Pointer was before its last token. */
    struct {
        surety_str pointer;
        const surety__resource *from;
        surety_val val;
        surety__resource *resource;
    } walked;
    surety_buf scratch, reference, pointer;
    surety_error *reterr; /* not NULL */
} surety__resolver;

/* A subschema and the resource whose URI references in it are relative to. */
typedef struct surety__target {
    surety_val val;
    surety__resource *resource;
    bool dynamic;            /* the fragment names a $dynamicAnchor */
    surety_str dynamic_name; /* then: its name */
} surety__target;

void surety__resolver_init(surety__resolver *resolver, surety_schema *schema,
                           const surety_schema_options *options,
                           surety_error *reterr);
void surety__resolver_done(surety__resolver *resolver);

/* Opens the document of root and finds what it names; `at` is the reference
 * that led there, or root. */
bool surety__resolver_open(surety__resolver *resolver, surety_val root,
                           surety_str uri, surety_val at,
                           surety__resource **ret_resource);

/* reference.c: what the reference in the string `at`, in resource,
 * leads to. Fails at the position of `at`. */
bool surety__resolver_find(surety__resolver *resolver,
                           const surety__resource *resource, surety_val at,
                           surety__target *ret_target);
/* The resource that val opens, or the given one. */
surety__resource *surety__resolver_resource(const surety__resolver *resolver,
                                            surety_val val,
                                            surety__resource *around);
/* The resource of a URI, its document loaded where it must be; fails at the
 * reference `at`. */
bool surety__resolver_load(surety__resolver *resolver, surety_str uri,
                           surety_val at, surety__resource **ret_resource);
/* The anchor called name in resource, or NULL. */
const surety__anchor *surety__resolver_anchor(const surety__resolver *resolver,
                                              const surety__resource *resource,
                                              surety_str name,
                                              bool dynamic_only);
/* What is known of a dynamic anchor's name that a reference looks up: every
 * resource's anchor of that name becomes ready, now or when it is scanned. */
const surety__name *surety__resolver_want(surety__resolver *resolver,
                                          surety_str text);
/* A key that no two values of the opened documents share. */
uint64_t surety__resolver_location(const surety__resolver *resolver,
                                   surety_val val);
/* Where the number of val's shape + 1 is kept; NULL for what is outside of
 * the root that its document was opened with. */
uint32_t *surety__resolver_place(const surety__resolver *resolver,
                                 surety_val val);

/* Values by their texts, which must last as long as the resolver: the newest
 * value with this text, or NULL; and one more. */
void *surety__named_get(const surety__map *map, surety_str text);
bool surety__named_put(surety__resolver *resolver, surety__map *map,
                       surety_str text, void *value);

/* A mistake in the schema at val: fills reterr with its position and path.
 * Returns false. */
bool surety__schema_fail(surety__resolver *resolver, surety_val val,
                         surety_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same for out of memory. */
bool surety__resolver_starve(surety__resolver *resolver);

#endif
