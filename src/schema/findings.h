/* SPDX-License-Identifier: Apache-2.0 */
/* The list of findings behind surety_findings.
 *
 * findings.c   the list, its order, the output formats
 * finding.c    a finding as it is read: its locations and texts
 * message.c    the words of its message and hint
 *
 * A report notes facts: the failure, and the marks on the way to it. Texts are
 * written when a finding is read, so those cost nothing that are only
 * counted. */
#ifndef SURETY_SCHEMA_FINDINGS_H
#define SURETY_SCHEMA_FINDINGS_H

#include <surety/schema.h>

#include "schema/machine.h"

typedef struct surety__noted {
    surety__failure failure;
    surety__mark end;              /* the last of the marks on the way */
    const surety_finding *finding; /* NULL before it is read */
} surety__noted;

struct surety_findings {
    const surety_alloc *alloc;
    surety__arena arena;
    const surety_doc *doc; /* of the value */
    surety__noted *list;
    size_t count, cap;
    bool truncated;
    surety__pointer_walk instance_walk, schema_walk; /* to the last finding */
    surety_buf text;                                 /* scratch */
    surety_doc *content; /* scratch of hints, or NULL */
};

/* Puts a failure in its place among those of the present report. */
surety_status surety__findings_add(surety_findings *findings,
                                   const surety__noted *noted);

/* The finding, whose texts are written by the first call; NULL when out of
 * memory. (finding.c) */
const surety_finding *surety__finding_read(surety_findings *findings, size_t i);
/* Appends the keyword location that the marks spell. */
void surety__location_write(const surety__mark *end, surety_buf *out);
/* Appends the URI of the shape's resource and the pointer in it. */
void surety__location_absolute(surety__pointer_walk *walk,
                               const surety__shape *shape, surety_buf *out);

/* Appends the message and the hint of a finding. (message.c) */
void surety__message_write(const surety_doc *doc, const surety__noted *noted,
                           surety_buf *out);
void surety__message_hint(surety_findings *findings, const surety__noted *noted,
                          surety_buf *out);

#endif
