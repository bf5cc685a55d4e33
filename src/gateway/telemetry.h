/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker counts, and what it sends to a collector. */
#ifndef SURETY_GATEWAY_TELEMETRY_H
#define SURETY_GATEWAY_TELEMETRY_H

#include <pthread.h>

#include "observe/observe.h"

/* Longest wait for a collector when the gateway is closed. */
#define SURETY__TELEMETRY_FLUSH_MS 2000

/* What is noted of a request for its record. */
typedef struct surety__notes {
    surety__trace trace;
    int64_t started_ms;   /* Unix time */
    uint64_t answered_us; /* when the head went out, after the start; 0: not */
} surety__notes;

typedef struct surety__telemetry {
    pthread_mutex_t lock; /* of metrics and of the list of requests */
    bool has_lock;
    surety__metrics *metrics;
    surety__exporter *exporter; /* the worker's; NULL: there is no collector */
    surety_transport *transport;
    uint64_t step_ms; /* when the exporter is to be stepped */
    surety__export_counts
        counts; /* guarded: the exporter's, of the last step */
} surety__telemetry;

#endif
