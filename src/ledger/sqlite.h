/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of SQLite that are used. */
#ifndef SURETY_LEDGER_SQLITE_H
#define SURETY_LEDGER_SQLITE_H

#include <sqlite3.h>

#include "load/load.h"

#define SURETY__SQLITE(FUNCTION)                                               \
    FUNCTION(sqlite3_bind_blob64, bind_blob64)                                 \
    FUNCTION(sqlite3_bind_int64, bind_int64)                                   \
    FUNCTION(sqlite3_bind_null, bind_null)                                     \
    FUNCTION(sqlite3_bind_text64, bind_text64)                                 \
    FUNCTION(sqlite3_busy_timeout, busy_timeout)                               \
    FUNCTION(sqlite3_changes64, changes64)                                     \
    FUNCTION(sqlite3_close, close)                                             \
    FUNCTION(sqlite3_column_blob, column_blob)                                 \
    FUNCTION(sqlite3_column_bytes, column_bytes)                               \
    FUNCTION(sqlite3_column_count, column_count)                               \
    FUNCTION(sqlite3_column_int64, column_int64)                               \
    FUNCTION(sqlite3_column_text, column_text)                                 \
    FUNCTION(sqlite3_column_type, column_type)                                 \
    FUNCTION(sqlite3_db_filename, db_filename)                                 \
    FUNCTION(sqlite3_db_readonly, db_readonly)                                 \
    FUNCTION(sqlite3_errcode, errcode)                                         \
    FUNCTION(sqlite3_errmsg, errmsg)                                           \
    FUNCTION(sqlite3_exec, exec)                                               \
    FUNCTION(sqlite3_extended_result_codes, extended_result_codes)             \
    FUNCTION(sqlite3_filename_wal, filename_wal)                               \
    FUNCTION(sqlite3_finalize, finalize)                                       \
    FUNCTION(sqlite3_get_autocommit, get_autocommit)                           \
    FUNCTION(sqlite3_open_v2, open_v2)                                         \
    FUNCTION(sqlite3_prepare_v2, prepare_v2)                                   \
    FUNCTION(sqlite3_prepare_v3, prepare_v3)                                   \
    FUNCTION(sqlite3_reset, reset)                                             \
    FUNCTION(sqlite3_sleep, sleep)                                             \
    FUNCTION(sqlite3_step, step)                                               \
    FUNCTION(sqlite3_wal_checkpoint_v2, wal_checkpoint_v2)                     \
    FUNCTION(sqlite3_wal_hook, wal_hook)

typedef struct surety__sqlite {
    SURETY__SQLITE(SURETY__POINTER)
} surety__sqlite;

#endif
