/* SPDX-License-Identifier: Apache-2.0 */
/* The door of ledger/, and what its files share. book.c implements a ledger in
 * SQL. A store runs that SQL in one kind of database and knows nothing about
 * attempts. They exchange cells. */
#ifndef SURETY_LEDGER_LEDGER_H
#define SURETY_LEDGER_LEDGER_H

#include <surety/ledger.h>

#include "base/base.h"

/* ---- cells --------------------------------------------------------------- */

typedef enum surety__cell_kind {
    CELL_NULL = 0,
    CELL_INT,
    CELL_BOOL,
    CELL_TEXT, /* any bytes, usually text */
    CELL_BYTES /* any bytes */
} surety__cell_kind;

/* A value for or from a database. */
typedef struct surety__cell {
    surety__cell_kind kind;
    int64_t number;
    surety_str text;
} surety__cell;

/* ---- schema.c: the schema and the statements ----------------------------- */

/* The version that this build creates and migrates to. */
#define SURETY__LEDGER_VERSION 8
/* Marks an SQLite file as a ledger: "SRTY". */
#define SURETY__LEDGER_MARK 0x53525459

/* ORDER statements (ledger/schema.c). */
typedef enum surety__sql {
    SQL_BEGIN = 0,
    SQL_FINISH,
    SQL_ADD_FINISHED, /* where the row of the begin is gone */
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
    SQL_TOUCH,
    SQL_COUNT
} surety__sql;

typedef struct surety__store surety__store;
/* Brings a database of an older version (0: an empty one) to this version. */
surety_status surety__schema_migrate(surety__store *store, int64_t version,
                                     surety_error *reterr);
/* Appends a text for a kind of database, NUL-terminated: '@' is the schema of
 * the tables, '~' the database's own clock. */
void surety__sql_text(const char *text, bool postgres, surety_buf *out);
/* Appends a statement of the enum, NUL-terminated. */
void surety__sql_write(size_t which, bool postgres, surety_buf *out);

/* ---- entry.c: entries as cells ------------------------------------------- */

/* Columns of an entry. Those known at its beginning come first. */
#define SURETY__BEGIN_COLUMNS 13
#define SURETY__COLUMNS 40

const char *surety__column_name(size_t i);
/* Whether it contains bytes of any length. */
bool surety__column_raw(size_t i);
/* The text of an entry's column; NULL: it has none. */
surety_str *surety__entry_text(surety_entry *entry, size_t i);
/* Writes the first `count` columns of entry to cells. raw: with prompt and
 * reply. */
void surety__entry_cells(const surety_entry *entry, bool raw, size_t count,
                         surety__cell *cells);
/* Makes an entry from SURETY__COLUMNS cells; of errors and repairs only the
 * counts. */
surety_entry surety__entry_of(const surety__cell *cells);

/* ---- stores -------------------------------------------------------------- */

/* Most statements of a store. */
#define SURETY__STATEMENTS_MAX 24

/* One statement. row may be NULL; it returns false to stop, and must not run
 * statements that write. The cells of a row are valid until row returns. */
typedef struct surety__query {
    size_t which; /* a statement of surety__store_prepare */
    const surety__cell *cells;
    size_t count;
    bool (*row)(void *ctx, const surety__cell *cells);
    void *row_ctx;
} surety__query;

struct surety__store {
    const surety_alloc *alloc;
    uint32_t timeout_ms;
    bool postgres;
    bool read_only;
    surety_str name; /* for messages: a path, or a URL without its secrets */
    surety_buf text; /* all statements, one after the other */
    const char *sql[SURETY__STATEMENTS_MAX];
    /* The version of the database; 0: it is empty. */
    surety_status (*version)(surety__store *store, int64_t *ret_version,
                             surety_error *reterr);
    /* Runs statements that are separated by semicolons. */
    surety_status (*script)(surety__store *store, const char *sql,
                            surety_error *reterr);
    /* ret_changed (may be NULL): the number of rows written. */
    surety_status (*run)(surety__store *store, const surety__query *query,
                         int64_t *ret_changed, surety_error *reterr);
    /* A transaction, which may write unless read_only. After commit returns
     * OK, it is durable. */
    surety_status (*begin)(surety__store *store, surety_error *reterr);
    surety_status (*commit)(surety__store *store, surety_error *reterr);
    /* Ends a transaction that failed. True: it may have been committed, or the
     * server went away; repeating it may help. */
    bool (*rollback)(surety__store *store);
    void (*close)(surety__store *store);
};

/* There is nothing to read. Returns SURETY_END. */
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

/* Opens the database at url, of either kind; options as those of
 * surety_ledger_open, with every member. No statement is known yet. */
surety_status surety__store_open(surety_str url,
                                 const surety_ledger_options *options,
                                 surety__store **ret_store,
                                 surety_error *reterr);
/* Gives the store its statements: write appends one, NUL-terminated. */
surety_status surety__store_prepare(surety__store *store,
                                    void (*write)(size_t which, bool postgres,
                                                  surety_buf *out),
                                    size_t count, surety_error *reterr);
/* In a transaction: brings the tables of attempts to this version. */
surety_status surety__store_migrate(surety__store *store, surety_error *reterr);
/* Runs work(owner, ctx) in a transaction, a second time if the store cannot
 * know whether the first was carried out: work must change nothing if it was.
 */
surety_status surety__store_write(
    surety__store *store,
    surety_status (*work)(void *owner, const void *ctx, surety_error *reterr),
    void *owner, const void *ctx, surety_error *reterr);
void surety__store_close(surety__store *store); /* takes NULL */

/* ---- group.c: writes that wait ------------------------------------------- */

/* The begin or the end of an entry; its texts are the group's. */
typedef struct surety__write {
    surety_entry entry;
    bool ends;
} surety__write;

typedef struct surety__group {
    const surety_alloc *alloc;
    surety__arena arena;
    surety__write *list;
    size_t count, cap;
} surety__group;

void surety__group_init(surety__group *group, const surety_alloc *alloc);
void surety__group_done(surety__group *group);
/* Forgets all writes. */
void surety__group_clear(surety__group *group);
/* Adds a write with a copy of the entry. raw: with prompt and reply.
 * SURETY_NOMEM: nothing is added. */
surety_status surety__group_add(surety__group *group, const surety_entry *entry,
                                bool ends, bool raw, surety_error *reterr);

/* ---- writer.c: the writing process --------------------------------------- */

/* Identifies a process among all past and future ones. */
typedef struct surety__writer {
    char host[192]; /* the machine's id and its name */
    char boot[64];  /* the boot of the machine; empty: unknown */
    char space[64]; /* the pid namespace; empty: unknown */
    char start[32]; /* start of the process, in the kernel's ticks */
    int64_t pid;
} surety__writer;

typedef enum surety__writer_state {
    WRITER_ALIVE = 0,
    WRITER_DEAD,
    WRITER_UNSEEN /* on another machine or in another container */
} surety__writer_state;

void surety__writer_self(surety__writer *out);
surety__writer_state surety__writer_state_of(const surety__writer *self,
                                             const surety__writer *other);

/* ---- file.c: the SQLite file --------------------------------------------- */

/* Identifies a file independently of its name. */
typedef struct surety__file_id {
    uint64_t device, number;
} surety__file_id;

/* Creates missing folders above path (0700) and the file (0600), durably.
 * SURETY_IO: not possible, or path is not a file. */
surety_status surety__file_make(const char *path, const surety_alloc *alloc,
                                surety_error *reterr);
/* Checks that path is a file and readable: OK; SURETY_END: it does not exist;
 * SURETY_IO. */
surety_status surety__file_look(const char *path, surety_error *reterr);
/* Whether the file exists and is not empty. */
bool surety__file_holds(const char *path);
bool surety__file_identify(const char *path, surety__file_id *ret_id);

/* "open", "done", "failed", "cancelled", "unknown"; never NULL. */
const char *surety__entry_state_name(surety_entry_state state);

#endif
