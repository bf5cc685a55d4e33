/* SPDX-License-Identifier: Apache-2.0 */
/* A connection to a PostgreSQL server whose every wait is bounded. */
#ifndef SURETY_LEDGER_POSTGRES_LINK_H
#define SURETY_LEDGER_POSTGRES_LINK_H

#include "base/base.h"
#include "ledger/pq.h"

typedef struct surety__link {
    surety__pq pq;
    const surety_alloc *alloc;
    surety_buf url;      /* terminated; holds the password */
    surety_buf name;     /* for messages: host, port and database */
    surety_buf password; /* terminated; what no message may hold */
    uint32_t timeout_ms;
    uint64_t deadline_ms; /* of the call under way */
    PGconn *connection;   /* NULL: none */
    bool lost;            /* the last failure was the connection's */
    bool again;           /* or one that may not come back */
} surety__link;

/* Reads the URL and connects to nothing. SURETY_MISUSE: it is none. */
surety_status surety__link_init(surety__link *link, surety_str url,
                                surety_error *reterr);
void surety__link_done(surety__link *link);
/* Begins a call: it has timeout_ms from now. */
void surety__link_start(surety__link *link);
/* Connects where it is not connected. patient: a server that does not answer
 * yet is asked again until the time is up. */
surety_status surety__link_connect(surety__link *link, bool patient,
                                   surety_error *reterr);
void surety__link_drop(surety__link *link);

typedef struct surety__link_values {
    int count;
    const Oid *types;
    const char *const *values;
    const int *lengths;
    const int *formats;
} surety__link_values;

/* Sends a statement with values (NULL: none, and several statements may stand
 * in it) and waits for its last result, which must be cleared. */
surety_status surety__link_run(surety__link *link, const char *sql,
                               const surety__link_values *values,
                               PGresult **ret_result, surety_error *reterr);

#endif
