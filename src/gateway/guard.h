/* SPDX-License-Identifier: Apache-2.0 */
/* Guards of models: how many calls are under way, and whether a model works. */
#ifndef SURETY_GATEWAY_GUARD_H
#define SURETY_GATEWAY_GUARD_H

#include <stdatomic.h>

#include <surety/serve.h>

#include "base/base.h"
#include "serve/serve.h"

/* Models and providers that have a guard; those beyond have none. A
 * configuration has at most 1,024 models and 256 providers. */
#define SURETY__GUARDS_MAX 4096

struct surety__guard;

/* A request at a guard. Guarded by the lock of the guards. */
typedef struct surety__visit {
    struct surety__visit *next; /* in the queue */
    struct surety__guard *guard;
    surety__server *server; /* to be woken */
    atomic_bool is_called;  /* it may try again */
    bool is_waiting, is_inside;
    bool is_trial;   /* the one call that tries a model again */
    bool is_refused; /* and when to come again: */
    uint64_t retry_after_ms;
} surety__visit;

typedef struct surety__guard {
    struct surety__guard *next;
    surety_str name;
    const surety_gateway_options *options;
    uint32_t at_once_max; /* 0: no limit */
    uint32_t under_way;
    size_t waiting;
    surety__visit *first, **last; /* the queue */
    uint32_t failures;            /* in a row */
    uint64_t again_ms;            /* when it may be tried again */
    bool is_tried;                /* a call tries it */
} surety__guard;

#endif
