/* SPDX-License-Identifier: Apache-2.0 */
/* The list of findings behind surety_findings. */
#ifndef SURETY_SCHEMA_FINDINGS_H
#define SURETY_SCHEMA_FINDINGS_H

#include <surety/schema.h>

#include "base/base.h"

typedef struct surety__noted {
    surety_finding finding;
    /* Where it belongs: keyword cell and ordinal, from the root down. */
    const uint32_t *order;
    uint32_t order_len;
} surety__noted;

struct surety_findings {
    const surety_alloc *alloc;
    surety__arena arena;
    surety__noted *list;
    size_t count, cap;
    size_t sorted_from; /* the report that is being written began here */
    bool truncated;
};

/* Puts a finding in its place among those of the present report. */
surety_status surety__findings_add(surety_findings *findings,
                                   surety__noted noted);

#endif
