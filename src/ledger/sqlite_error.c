/* SPDX-License-Identifier: Apache-2.0 */
/* The table of SQLite's errors: the status of each, its message and its hint.
 * The low eight bits of a code are its kind (sqlite.org/rescode.html). A code
 * without a row is reported with SQLite's own message. */
#include <sqlite3.h>

#include "ledger/sqlite_error.h"

typedef struct sqlite_case {
    int code;
    surety_status status;
    const char *what; /* after the name; NULL: SQLite's own message */
    const char *hint;
    surety__sqlite_harm harm;
} sqlite_case;

#define SQLITE_HINT_DISK "look after the disk: each record tries it again"
static const sqlite_case sqlite_cases[] = {
    /* Exact codes come before kinds. */
    {SQLITE_IOERR_FSYNC, SURETY_IO, "could not be synced to its disk",
     SQLITE_HINT_DISK, HARM_PASSING},
    {SQLITE_IOERR_DIR_FSYNC, SURETY_IO, "could not be synced to its disk",
     SQLITE_HINT_DISK, HARM_PASSING},
    {SQLITE_IOERR_NOMEM, SURETY_NOMEM, NULL, "", HARM_NONE},
    {SQLITE_IOERR_SHORT_READ, SURETY_IO, "is shorter than it says",
     "restore it from a backup, or move it away", HARM_LASTING},
    {SQLITE_READONLY_DBMOVED, SURETY_IO,
     "was deleted or replaced while it was open", "start again", HARM_LASTING},
    {SQLITE_NOMEM, SURETY_NOMEM, NULL, "", HARM_NONE},
    {SQLITE_BUSY, SURETY_IO, "is locked by another program",
     "end the program that holds it, or try again later", HARM_NONE},
    {SQLITE_LOCKED, SURETY_IO, "is locked by another program",
     "end the program that holds it, or try again later", HARM_NONE},
    {SQLITE_READONLY, SURETY_IO, "may only be read",
     "allow writing to the file and its folder, or name another ledger",
     HARM_NONE},
    {SQLITE_PERM, SURETY_IO, "may not be opened",
     "allow reading and writing it, or name another ledger", HARM_NONE},
    {SQLITE_AUTH, SURETY_IO, "may not be opened",
     "allow reading and writing it, or name another ledger", HARM_NONE},
    {SQLITE_CANTOPEN, SURETY_IO, "cannot be opened",
     "allow reading and writing the file and its folder, or name another "
     "ledger",
     HARM_NONE},
    {SQLITE_FULL, SURETY_IO, "could not grow: the disk is full",
     "make room on the disk; earlier records are safe", HARM_NONE},
    {SQLITE_NOTADB, SURETY_SYNTAX, "is no database",
     "name another file for the ledger", HARM_NONE},
    {SQLITE_CORRUPT, SURETY_SYNTAX, "is damaged",
     "restore it from a backup, or move it away and keep it: sqlite3 FILE "
     ".recover saves what can be read",
     HARM_LASTING},
    {SQLITE_NOLFS, SURETY_IO, "is too large for this system",
     "name another file for the ledger", HARM_NONE},
    {SQLITE_TOOBIG, SURETY_LIMIT, "takes no text of this length",
     "do not keep raw texts in it", HARM_NONE},
    {SQLITE_IOERR, SURETY_IO, NULL, SQLITE_HINT_DISK, HARM_PASSING},
};
#define SQLITE_CASES (sizeof(sqlite_cases) / sizeof(*sqlite_cases))

static const sqlite_case *sqlite_find(int code)
{
    static const sqlite_case other = {0, SURETY_IO, NULL, "", HARM_NONE};
    const int codes[] = {code, code & 0xFF};

    for (size_t i = 0; i < 2 * SQLITE_CASES; i++)
        if (sqlite_cases[i % SQLITE_CASES].code == codes[i / SQLITE_CASES])
            return &sqlite_cases[i % SQLITE_CASES];
    return &other;
}

surety__sqlite_harm surety__sqlite_harm_of(int code)
{
    return sqlite_find(code)->harm;
}

surety_status surety__sqlite_fail(surety_str ledger, uint32_t timeout_ms,
                                  const char *message, int code,
                                  surety_error *reterr)
{
    const sqlite_case *found = sqlite_find(code);
    const int kind = code & 0xFF;
    const int len = (int)ledger.len;

    if (found->status == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    if (kind == SQLITE_BUSY || kind == SQLITE_LOCKED)
        (void)surety__fail(reterr, found->status,
                           "the ledger %.*s %s, for more than %u ms", len,
                           ledger.ptr, found->what, timeout_ms);
    else if (found->what)
        (void)surety__fail(reterr, found->status, "the ledger %.*s %s", len,
                           ledger.ptr, found->what);
    else
        (void)surety__fail(reterr, found->status,
                           "the ledger %.*s cannot be used: %s (SQLite %d)",
                           len, ledger.ptr, message, code);
    surety__hint(reterr, "%s", found->hint);
    return found->status;
}
