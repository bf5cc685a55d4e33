/* SPDX-License-Identifier: Apache-2.0 */
/* Finding subschemas by URI: resources ($id), anchors, and the documents that
 * hold them. Used by the compiler only. */
#ifndef SURETY_SCHEMA_RESOLVE_H
#define SURETY_SCHEMA_RESOLVE_H

#include "schema/shape.h"

typedef struct surety__resolver {
    surety_schema *schema; /* owner of everything that lasts */
    const surety_schema_options *options;
    const surety_doc **documents; /* in the order they were opened */
    size_t document_count, document_cap;
    size_t scanned;        /* documents whose ids and anchors are known */
    surety__map uris;      /* hash of a URI to its resources */
    surety__map locations; /* a subschema's location to the resource it opens */
    surety__map anchors;   /* hash of resource and name to anchors */
    surety__resource **resources;
    size_t resource_count, resource_cap;
    surety_str *names; /* of dynamic anchors, by number */
    size_t name_count, name_cap;
    surety_dialect dialect; /* of documents that do not say */
    surety_buf scratch;
    surety_error *reterr;
} surety__resolver;

/* A subschema and the resource whose URI references in it are relative to. */
typedef struct surety__target {
    surety_val val;
    surety__resource *resource;
    bool dynamic;          /* the fragment names a $dynamicAnchor */
    uint32_t dynamic_name; /* then: its number */
} surety__target;

/* A dynamic anchor of a resource, kept until its shape is known. */
typedef struct surety__anchor {
    surety__resource *resource;
    surety_str name;
    surety_val val;
    bool dynamic;
    struct surety__anchor *next;
} surety__anchor;

void surety__resolver_init(surety__resolver *resolver, surety_schema *schema,
                           const surety_schema_options *options,
                           surety_error *reterr);
void surety__resolver_done(surety__resolver *resolver);

/* Opens the document of root and finds what it names; `at` is the reference
 * that led there, or root. */
surety_status surety__resolver_open(surety__resolver *resolver, surety_val root,
                                    surety_str uri, surety_val at,
                                    surety__resource **ret_resource);

/* What the reference in the string `at`, standing in resource, leads to. Fails
 * at the position of `at`. */
surety_status surety__resolver_find(surety__resolver *resolver,
                                    const surety__resource *resource,
                                    surety_val at, surety__target *ret_target);
/* The resource that val opens, or the given one. */
surety__resource *surety__resolver_resource(const surety__resolver *resolver,
                                            surety_val val,
                                            surety__resource *around);
/* The number of a dynamic anchor's name; false when out of memory. */
bool surety__resolver_name(surety__resolver *resolver, surety_str name,
                           uint32_t *ret_number);
/* The dynamic anchor called name in resource, or NULL. */
const surety__anchor *surety__resolver_dynamic(const surety__resolver *resolver,
                                               const surety__resource *resource,
                                               surety_str name);
/* A key that no two values of the opened documents share. */
uint64_t surety__resolver_location(const surety__resolver *resolver,
                                   surety_val val);

/* A mistake in the schema at val: fills reterr with its position and path. */
surety_status surety__schema_fail(surety__resolver *resolver, surety_val val,
                                  surety_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
