/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of SQLite's codes for a ledger. */
#ifndef SURETY_LEDGER_SQLITE_ERROR_H
#define SURETY_LEDGER_SQLITE_ERROR_H

#include "base/base.h"

/* What a failure means for the writes after it. */
typedef enum surety__sqlite_harm {
    HARM_NONE = 0,
    HARM_PASSING, /* nothing may be written before the log is in the file */
    HARM_LASTING  /* nothing may be written */
} surety__sqlite_harm;
surety__sqlite_harm surety__sqlite_harm_of(int code);
/* message: SQLite's own. */
surety_status surety__sqlite_fail(surety_str ledger, uint32_t timeout_ms,
                                  const char *message, int code,
                                  surety_error *reterr);

#endif
