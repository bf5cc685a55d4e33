/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of SQLite's codes for a ledger. */
#ifndef SURETY_LEDGER_SQLITE_ERROR_H
#define SURETY_LEDGER_SQLITE_ERROR_H

#include "base/base.h"

/* Whether nothing may be written after this failure. */
bool surety__sqlite_breaks(int code);
/* message: SQLite's own. */
surety_status surety__sqlite_fail(surety_str ledger, uint32_t timeout_ms,
                                  const char *message, int code,
                                  surety_error *reterr);

#endif
