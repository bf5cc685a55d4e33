/* SPDX-License-Identifier: Apache-2.0 */
/* The door of ledger/, and what its files share. book.c does what a ledger
 * does, in SQL; a store runs that SQL in one kind of database and knows nothing
 * of attempts. Between them go cells. */
#ifndef SURETY_LEDGER_LEDGER_H
#define SURETY_LEDGER_LEDGER_H

#include <surety/ledger.h>

#include "base/base.h"

/* ---- cells --------------------------------------------------------------- */

typedef enum surety__cell_kind {
    CELL_NULL = 0,
    CELL_INT,
    CELL_BOOL,
    CELL_TEXT, /* any bytes, text mostly */
    CELL_BYTES /* any bytes */
} surety__cell_kind;

/* A value on its way to or from a database. */
typedef struct surety__cell {
    surety__cell_kind kind;
    int64_t number;
    surety_str text;
} surety__cell;

/* ---- schema.c: the database's form, and what is asked of it -------------- */

/* The version that this build makes and migrates to. */
#define SURETY__LEDGER_VERSION 4
/* Marks a file of SQLite as a ledger: "SRTY". */
#define SURETY__LEDGER_MARK 0x53525459

/* A step of a migration to a version: SQL for each kind of store. */
typedef struct surety__step {
    int64_t version;
    const char *sqlite, *postgres;
} surety__step;
extern const surety__step surety__ledger_steps[];
extern const size_t surety__ledger_step_count;

/* ORDER statements (ledger/schema.c). */
typedef enum surety__sql {
    SQL_BEGIN = 0,
    SQL_FINISH,
    SQL_ADD_ERROR,
    SQL_ADD_REPAIR,
    SQL_PAGE,
    SQL_PAGE_BARE, /* without prompts and replies */
    SQL_PROMPT,
    SQL_REPLY,
    SQL_ERRORS,
    SQL_REPAIRS,
    SQL_ADD_WRITER,
    SQL_WRITERS,
    SQL_ABANDON,
    SQL_CLOSE_WRITER,
    SQL_COUNT
} surety__sql;

/* Appends the statement, with a terminating zero. */
void surety__sql_write(surety__sql which, bool postgres, surety_buf *out);

/* ---- entry.c: entries as cells ------------------------------------------- */

/* Columns of an entry: those known when it begins come first. */
#define SURETY__BEGIN_COLUMNS 11
#define SURETY__COLUMNS 37

const char *surety__column_name(size_t i);
/* Whether it holds bytes of any length. */
bool surety__column_raw(size_t i);
/* The first `count` columns of entry. */
void surety__entry_cells(const surety_entry *entry, bool raw, size_t count,
                         surety__cell *cells);
/* An entry of SURETY__COLUMNS cells; errors and repairs have their counts
 * only. */
surety_entry surety__entry_of(const surety__cell *cells);

/* ---- stores -------------------------------------------------------------- */

/* One statement. row may be NULL; it returns false to stop, and must not run
 * statements that write. Cells of a row are good until it returns. */
typedef struct surety__query {
    surety__sql which;
    const surety__cell *cells;
    size_t count;
    bool (*row)(void *ctx, const surety__cell *cells);
    void *row_ctx;
} surety__query;

typedef struct surety__store surety__store;
struct surety__store {
    const surety_alloc *alloc;
    uint32_t timeout_ms;
    bool postgres;
    bool read_only;
    surety_str name; /* for messages: a path, or a URL without its secrets */
    const char *sql[SQL_COUNT];
    /* The version of the database; 0: it is empty. */
    surety_status (*version)(surety__store *store, int64_t *ret_version,
                             surety_error *reterr);
    /* Runs statements that are separated by semicolons. */
    surety_status (*script)(surety__store *store, const char *sql,
                            surety_error *reterr);
    /* ret_changed (may be NULL): rows that were written. */
    surety_status (*run)(surety__store *store, const surety__query *query,
                         int64_t *ret_changed, surety_error *reterr);
    /* A transaction; one that may write unless read_only. When commit returns
     * OK it is durable. */
    surety_status (*begin)(surety__store *store, surety_error *reterr);
    surety_status (*commit)(surety__store *store, surety_error *reterr);
    /* Ends what began and failed. True: whether it was committed is not known,
     * or the server went away; doing it all again may help. */
    bool (*rollback)(surety__store *store);
    void (*close)(surety__store *store);
};

/* There is nothing to read: SURETY_END. */
surety_status surety__fail_absent(surety_str name, surety_error *reterr);
/* Refuses a database of a newer version. */
surety_status surety__fail_version(const surety__store *store, int64_t version,
                                   surety_error *reterr);
surety_status surety__sqlite_open(surety_str path,
                                  const surety_ledger_options *options,
                                  surety__store **ret_store,
                                  surety_error *reterr);
surety_status surety__postgres_open(surety_str url,
                                    const surety_ledger_options *options,
                                    surety__store **ret_store,
                                    surety_error *reterr);

/* ---- writer.c: who writes ------------------------------------------------ */

/* A process, distinct from every other that was or will be. */
typedef struct surety__writer {
    char host[192]; /* the machine's id and its name */
    char boot[64];  /* which start of the machine; empty: unknown */
    char space[64]; /* the space that the pid is of; empty: unknown */
    char start[32]; /* when the process began, in the kernel's ticks */
    int64_t pid;
} surety__writer;

typedef enum surety__writer_state {
    WRITER_ALIVE = 0,
    WRITER_DEAD,
    WRITER_UNSEEN /* of another machine or container: it cannot be seen */
} surety__writer_state;

void surety__writer_self(surety__writer *out);
surety__writer_state surety__writer_state_of(const surety__writer *self,
                                             const surety__writer *other);

/* ---- file.c: the file of SQLite ------------------------------------------ */

/* A file by what it is, not by its name. */
typedef struct surety__file_id {
    uint64_t device, number;
} surety__file_id;

/* Makes the folders above path (0700) and the file (0600) where they are not
 * there, durably. SURETY_IO: not possible; it is no file. */
surety_status surety__file_make(const char *path, const surety_alloc *alloc,
                                surety_error *reterr);
/* Whether it is there, a file, and may be read: OK, SURETY_END where there is
 * none, SURETY_IO. */
surety_status surety__file_look(const char *path, surety_error *reterr);
/* Whether it has bytes. */
bool surety__file_holds(const char *path);
bool surety__file_identify(const char *path, surety__file_id *ret_id);

/* "open", "done", "failed", "cancelled", "unknown"; never NULL. */
const char *surety__entry_state_name(surety_entry_state state);

#endif
