/* SPDX-License-Identifier: Apache-2.0 */
/* A connection to a PostgreSQL server. Every wait has a limit. */
#ifndef SURETY_LEDGER_POSTGRES_LINK_H
#define SURETY_LEDGER_POSTGRES_LINK_H

#include "base/base.h"
#include "ledger/ledger.h"
#include "ledger/pq.h"

typedef struct surety__link {
    surety__pq pq;
    const surety_alloc *alloc;
    surety_buf url;      /* NUL-terminated; contains the password */
    surety_buf name;     /* for messages: host, port and database */
    surety_buf password; /* NUL-terminated; no message may contain it */
    uint32_t timeout_ms;
    uint64_t deadline_ms; /* of the call under way */
    PGconn *connection;   /* NULL: none */
    bool broken;          /* the connection caused the last failure */
    bool again;           /* or a failure that may not happen again */
} surety__link;

/* Parses the URL; does not connect. SURETY_MISUSE: it is invalid. */
surety_status surety__link_init(surety__link *link, surety_str url,
                                surety_error *reterr);
void surety__link_done(surety__link *link);
/* Begins a call, which has timeout_ms from now. */
void surety__link_start(surety__link *link);
/* Connects unless it is connected. patient: if the server does not answer yet,
 * try again until the time is up. */
surety_status surety__link_connect(surety__link *link, bool patient,
                                   surety_error *reterr);
void surety__link_drop(surety__link *link);

/* The values of one statement, in binary form. */
#define SURETY__LINK_VALUES_MAX (SURETY__COLUMNS + 1)
typedef struct surety__link_values {
    int count;
    Oid types[SURETY__LINK_VALUES_MAX];
    const char *values[SURETY__LINK_VALUES_MAX];
    int lengths[SURETY__LINK_VALUES_MAX];
    int formats[SURETY__LINK_VALUES_MAX];
    char numbers[SURETY__LINK_VALUES_MAX][8];
    surety__arena arena; /* texts that had to be escaped */
} surety__link_values;

/* Sends a statement with values (NULL: none, and sql may have several
 * statements) and waits for its results. *ret_result (may be NULL): the last
 * one, which the caller clears. */
surety_status surety__link_run(surety__link *link, const char *sql,
                               const surety__link_values *values,
                               PGresult **ret_result, surety_error *reterr);

#endif
