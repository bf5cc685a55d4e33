/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of SQLite's codes for a ledger. */
#ifndef SURETY_LEDGER_SQLITE_ERROR_H
#define SURETY_LEDGER_SQLITE_ERROR_H

#include "base/base.h"

typedef struct surety__sqlite_where {
    surety_str name; /* of the ledger */
    uint32_t timeout_ms;
    const char *told; /* SQLite's own message */
} surety__sqlite_where;

surety_status surety__sqlite_status(int code);
/* Whether nothing may be written after this failure. */
bool surety__sqlite_breaks(int code);
surety_status surety__sqlite_fail(const surety__sqlite_where *where, int code,
                                  surety_error *reterr);

#endif
