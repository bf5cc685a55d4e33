/* SPDX-License-Identifier: Apache-2.0 */
/* The list of findings behind surety_findings. */
#ifndef SURETY_SCHEMA_FINDINGS_H
#define SURETY_SCHEMA_FINDINGS_H

#include <surety/schema.h>

#include "schema/shape.h"

/* One step on the way to a finding, to a subschema or last to the failure. */
typedef struct surety__mark {
    const surety__shape *from; /* the shape that has the keyword, */
    surety__keyword keyword;   /* the keyword, */
    uint32_t ordinal;     /* and which of its values: they give the order */
    uint32_t keyword_len; /* of the finding's locations, how much leads here */
    uint32_t instance_len;
} surety__mark;

typedef struct surety__noted {
    surety_finding finding;
    const surety__mark *marks; /* from the root down */
    uint32_t mark_count;
} surety__noted;

struct surety_findings {
    const surety_alloc *alloc;
    surety__arena arena;
    surety__noted *list;
    size_t count, cap;
    bool truncated;
    surety__pointer_walk instance_walk, schema_walk; /* to the last finding */
};

/* Puts a finding in its place among those of the present report. */
surety_status surety__findings_add(surety_findings *findings,
                                   surety__noted noted);
/* Appends the URI of the shape's resource and the pointer in it (report.c). */
void surety__location_absolute(surety__pointer_walk *walk,
                               const surety__shape *shape, surety_buf *out);

#endif
