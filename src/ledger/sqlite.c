/* SPDX-License-Identifier: Apache-2.0 */
/* A store in an SQLite file.
 *
 * Durability: the write-ahead log with synchronous=FULL, so each commit is
 * synced before it returns. With NORMAL a power failure would lose the last
 * commits.
 *
 * SQLite 3.7.0 to 3.51.2 have a race: a checkpoint beside a writer can lose
 * the writer's commit (sqlite.org/wal.html, the WAL-reset bug). So automatic
 * checkpoints are off. Once the log is long, this file runs one as RESTART,
 * which holds the writer's lock, so no connection of ours writes beside it. The
 * next commit writes over the log from its start: a sync of a file that keeps
 * its size costs less than one of a file that grows.
 * The rollback journal has no such race, but with it one slow reader stops all
 * writers.
 *
 * If another program deletes or replaces the file while it is open, our writes
 * would go to no file. So the file and its log are compared with the files
 * that their names lead to, before a transaction and after its commit.
 *
 * After a failed read, write or sync the kernel may have dropped pages, and
 * reports that only once. A frame of the log that was dropped so would end the
 * log for a reader after a crash, and all frames that were written behind it
 * would be lost. So nothing more is written until a checkpoint has written the
 * whole log to the file again, synced it and emptied the log (mend).
 *
 * Text with a NUL or that is not UTF-8 is bound as a BLOB, so its bytes are
 * preserved. SQLite uses its own memory, and its global settings are not
 * changed. */
#include "ledger/ledger.h"
#include "ledger/sqlite.h"
#include "ledger/sqlite_error.h"

#define SQLITE_PAGES_MAX                                                       \
    1000 /* of the log, 4 KiB each, before a checkpoint                        \
          */
/* A longer log, which a reader kept from a checkpoint, is cut to nothing. */
#define SQLITE_PAGES_KEPT (2 * SQLITE_PAGES_MAX)
#define SQLITE_CHECKPOINT_MS 1000

typedef struct sqlite_watched {
    const char *path;
    surety__file_id id;
} sqlite_watched;

typedef struct sqlite_store {
    surety__store store;
    surety__sqlite sqlite;
    sqlite3 *db;
    sqlite3_stmt *statements[SURETY__STATEMENTS_MAX];
    surety_buf path;           /* NUL-terminated, as SQLite gets it */
    sqlite_watched watched[2]; /* the file, and its log once it exists */
    size_t watched_count;
    bool wal;
    surety__sqlite_harm harm; /* of a failure before */
    int pages;                /* in the log, at the last commit */
    int pages_due;
} sqlite_store;

static const surety__function_row sqlite_rows[] = {SURETY__SQLITE(SURETY__ROW)};
static const surety__library sqlite_library = {
    SURETY__LIBSQLITE3, "ledgers in a file", sqlite_rows,
    sizeof(sqlite_rows) / sizeof(*sqlite_rows)};

/* Reports the failure of a call of SQLite. */
static surety_status sqlite_fail(sqlite_store *self, int code,
                                 surety_error *reterr)
{
    const surety__sqlite_harm harm = surety__sqlite_harm_of(code);

    if (harm > self->harm)
        self->harm = harm;
    return surety__sqlite_fail(self->store.name, self->store.timeout_ms,
                               self->db ? self->sqlite.errmsg(self->db) : "",
                               code, reterr);
}

/* ---- statements ---------------------------------------------------------- */

static surety_status sqlite_script(surety__store *store, const char *sql,
                                   surety_error *reterr)
{
    sqlite_store *self = (sqlite_store *)store;
    const int code = self->sqlite.exec(self->db, sql, NULL, NULL, NULL);

    return code ? sqlite_fail(self, code, reterr) : SURETY_OK;
}

/* Runs a statement that gives one row with one column: a number, or a text,
 * whose first byte is the number. */
static int sqlite_ask(sqlite_store *self, const char *sql, int64_t *ret_number)
{
    const surety__sqlite *sqlite = &self->sqlite;
    sqlite3_stmt *statement = NULL;
    const unsigned char *text = NULL;
    int code = sqlite->prepare_v2(self->db, sql, -1, &statement, NULL);

    if (!code)
        code = sqlite->step(statement);
    if (code == SQLITE_ROW && sqlite->column_type(statement, 0) == SQLITE_TEXT)
        text = sqlite->column_text(statement, 0);
    if (code == SQLITE_ROW)
        *ret_number = text ? *text : sqlite->column_int64(statement, 0);
    (void)sqlite->finalize(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

static int sqlite_bind(const surety__sqlite *sqlite, sqlite3_stmt *statement,
                       int at, const surety__cell *cell)
{
    const char *ptr = cell->text.len ? cell->text.ptr : "";
    const surety_str text = {ptr, cell->text.len};

    switch (cell->kind) {
    case CELL_INT:
    case CELL_BOOL: return sqlite->bind_int64(statement, at, cell->number);
    case CELL_TEXT:
        if (surety__utf8_valid(text, NULL) && !memchr(ptr, 0, text.len))
            return sqlite->bind_text64(statement, at, ptr, text.len,
                                       SQLITE_STATIC, SQLITE_UTF8);
        return sqlite->bind_blob64(statement, at, ptr, text.len, SQLITE_STATIC);
    case CELL_BYTES:
        return sqlite->bind_blob64(statement, at, ptr, text.len, SQLITE_STATIC);
    default: return sqlite->bind_null(statement, at);
    }
}

/* Fills cells from the statement's current row; false: out of memory. */
static bool sqlite_row(const surety__sqlite *sqlite, sqlite3_stmt *statement,
                       surety__cell *cells)
{
    const int count = sqlite->column_count(statement);

    assert(count <= SURETY__COLUMNS + 4);
    for (int i = 0; i < count; i++) {
        surety__cell cell = {.kind = CELL_NULL};

        switch (sqlite->column_type(statement, i)) {
        case SQLITE_NULL: break;
        case SQLITE_INTEGER:
        case SQLITE_FLOAT:
            cell.kind = CELL_INT;
            cell.number = sqlite->column_int64(statement, i);
            break;
        case SQLITE_BLOB:
            cell.kind = CELL_BYTES;
            cell.text.ptr = sqlite->column_blob(statement, i);
            break;
        default:
            cell.kind = CELL_TEXT;
            cell.text.ptr = (const char *)sqlite->column_text(statement, i);
            break;
        }
        if (cell.kind == CELL_BYTES || cell.kind == CELL_TEXT)
            cell.text.len = (size_t)sqlite->column_bytes(statement, i);
        if (cell.text.len && !cell.text.ptr)
            return false;
        cells[i] = cell;
    }
    return true;
}

static surety_status sqlite_run(surety__store *store,
                                const surety__query *query,
                                int64_t *ret_changed, surety_error *reterr)
{
    sqlite_store *self = (sqlite_store *)store;
    sqlite3_stmt *statement = self->statements[query->which];
    surety__cell cells[SURETY__COLUMNS + 4];
    surety_status status = SURETY_OK;
    int code = SQLITE_OK;
    bool more = true;

    if (!statement) {
        code = self->sqlite.prepare_v3(self->db, store->sql[query->which], -1,
                                       SQLITE_PREPARE_PERSISTENT, &statement,
                                       NULL);
        if (code)
            return sqlite_fail(self, code, reterr);
        self->statements[query->which] = statement;
    }
    for (size_t i = 0; i < query->count && !code; i++)
        code =
            sqlite_bind(&self->sqlite, statement, (int)i + 1, &query->cells[i]);
    while (!code && more) {
        code = self->sqlite.step(statement);
        if (code != SQLITE_ROW)
            break;
        code = SQLITE_OK;
        if (!sqlite_row(&self->sqlite, statement, cells))
            code = SQLITE_NOMEM;
        else if (query->row)
            more = query->row(query->row_ctx, cells);
    }
    if (code == SQLITE_DONE)
        code = SQLITE_OK;
    if (!code && ret_changed)
        *ret_changed = self->sqlite.changes64(self->db);
    if (code)
        status = sqlite_fail(self, code, reterr);
    /* Its parameters are all bound anew before the next step. */
    (void)self->sqlite.reset(statement);
    return status;
}

/* ---- transactions -------------------------------------------------------- */

/* Checks that the names still lead to the open files. */
static surety_status sqlite_look(sqlite_store *self, surety_error *reterr)
{
    for (size_t i = 0; i < self->watched_count; i++) {
        const sqlite_watched *watched = &self->watched[i];
        surety__file_id id = {0, 0};

        if (surety__file_identify(watched->path, &id) &&
            id.device == watched->id.device && id.number == watched->id.number)
            continue;
        self->harm = HARM_LASTING;
        (void)surety__fail(reterr, SURETY_IO,
                           "the ledger's file %s was deleted or replaced while "
                           "it was open",
                           watched->path);
        surety__hint(reterr,
                     "start again, and keep %s and what begins with "
                     "its name in place while a program uses it",
                     self->watched[0].path);
        return SURETY_IO;
    }
    return SURETY_OK;
}

/* Writes the log's pages into the file while there is no writer, so that the
 * log begins anew. Returns SQLite's code. */
static int sqlite_empty_log(sqlite_store *self, int mode)
{
    int code;

    if (self->store.timeout_ms > SQLITE_CHECKPOINT_MS)
        (void)self->sqlite.busy_timeout(self->db, SQLITE_CHECKPOINT_MS);
    code = self->sqlite.wal_checkpoint_v2(self->db, "main", mode, NULL, NULL);
    (void)self->sqlite.busy_timeout(self->db, (int)self->store.timeout_ms);
    return code;
}

/* Makes writes safe again after a failure that may have passed. Where there is
 * no log, the rollback has written the file's pages again. */
static surety_status sqlite_mend(sqlite_store *self, surety_error *reterr)
{
    const int code = self->wal
                         ? sqlite_empty_log(self, SQLITE_CHECKPOINT_TRUNCATE)
                         : SQLITE_OK;

    if ((code & 0xFF) == SQLITE_BUSY) {
        (void)surety__fail(reterr, SURETY_IO,
                           "the ledger %.*s takes no records after an error of "
                           "its disk while another program reads it",
                           (int)self->store.name.len, self->store.name.ptr);
        surety__hint(reterr, "end the program that reads it, or try again "
                             "later");
        return SURETY_IO;
    }
    if (code)
        return sqlite_fail(self, code, reterr);
    self->harm = HARM_NONE;
    self->pages = 0;
    return SURETY_OK;
}

static surety_status sqlite_begin(surety__store *store, surety_error *reterr)
{
    sqlite_store *self = (sqlite_store *)store;
    surety_status status;

    if (store->read_only)
        return sqlite_script(store, "BEGIN", reterr);
    status = sqlite_look(self, reterr);
    if (status)
        return status;
    if (self->harm == HARM_PASSING)
        status = sqlite_mend(self, reterr);
    if (status)
        return status;
    if (self->harm) {
        (void)surety__fail(reterr, SURETY_IO,
                           "the ledger %.*s takes no more records: an earlier "
                           "access to its file failed",
                           (int)store->name.len, store->name.ptr);
        surety__hint(reterr, "look after the file, then start again");
        return SURETY_IO;
    }
    return sqlite_script(store, "BEGIN IMMEDIATE", reterr);
}

/* Empties the log when it is long. If readers prevent it, it is tried again
 * later. */
static surety_status sqlite_checkpoint(sqlite_store *self, surety_error *reterr)
{
    int code;

    if (!self->wal || self->pages < self->pages_due)
        return SURETY_OK;
    code = sqlite_empty_log(self, self->pages > SQLITE_PAGES_KEPT
                                      ? SQLITE_CHECKPOINT_TRUNCATE
                                      : SQLITE_CHECKPOINT_RESTART);
    self->pages_due = SQLITE_PAGES_MAX;
    if (code && self->pages < INT32_MAX - SQLITE_PAGES_MAX)
        self->pages_due = self->pages + SQLITE_PAGES_MAX;
    if (code && surety__sqlite_harm_of(code))
        return sqlite_fail(self, code, reterr);
    return SURETY_OK;
}

static surety_status sqlite_commit(surety__store *store, surety_error *reterr)
{
    sqlite_store *self = (sqlite_store *)store;
    surety_status status = sqlite_script(store, "COMMIT", reterr);

    if (store->read_only)
        return status;
    if (!status && self->wal && self->watched_count == 1) {
        sqlite_watched *log = &self->watched[1];

        log->path = self->sqlite.filename_wal(self->watched[0].path);
        if (surety__file_identify(log->path, &log->id))
            self->watched_count = 2;
    }
    if (!status)
        status = sqlite_look(self, reterr);
    if (!status)
        status = sqlite_checkpoint(self, reterr);
    return status;
}

static bool sqlite_rollback(surety__store *store)
{
    sqlite_store *self = (sqlite_store *)store;

    if (!self->sqlite.get_autocommit(self->db))
        (void)self->sqlite.exec(self->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

/* SQLite calls this after each commit with the number of pages in the log. */
static int sqlite_count_pages(void *ctx, sqlite3 *db, const char *name,
                              int pages)
{
    (void)db;
    (void)name;
    ((sqlite_store *)ctx)->pages = pages;
    return SQLITE_OK;
}

/* ---- opening and closing ------------------------------------------------- */

static void sqlite_close(surety__store *store)
{
    sqlite_store *self = (sqlite_store *)store;

    if (self->db) {
        for (size_t i = 0; i < SURETY__STATEMENTS_MAX; i++)
            (void)self->sqlite.finalize(self->statements[i]);
        (void)self->sqlite.close(self->db);
    }
    surety_buf_done(&self->path);
    surety__free(store->alloc, self, sizeof(*self));
}

/* Checks that the file is a ledger or empty; changes nothing. */
static surety_status sqlite_check(sqlite_store *self, surety_error *reterr)
{
    int64_t mark = 0;
    int64_t tables = 0;
    int code = sqlite_ask(self, "PRAGMA application_id", &mark);

    if (!code)
        code = sqlite_ask(self, "SELECT count(*) FROM sqlite_schema", &tables);
    if (code)
        return sqlite_fail(self, code, reterr);
    if (mark == SURETY__LEDGER_MARK || (!mark && !tables))
        return SURETY_OK;
    (void)surety__fail(reterr, SURETY_UNSUPPORTED,
                       "%.*s is the database of another program",
                       (int)self->store.name.len, self->store.name.ptr);
    surety__hint(reterr, "name another file for the ledger");
    return SURETY_UNSUPPORTED;
}

/* Turns on the write-ahead log, which needs exclusive access to the file;
 * SQLite does not wait for that, so this function does. A file system without
 * shared memory refuses the log; then the rollback journal is used, which is
 * as durable. */
static surety_status sqlite_log(sqlite_store *self, surety_error *reterr)
{
    uint32_t waited_ms = 0;
    int64_t letter = 0;
    int code;

    for (;;) {
        code = sqlite_ask(self, "PRAGMA journal_mode = WAL", &letter);
        if ((code & 0xFF) != SQLITE_BUSY || waited_ms >= self->store.timeout_ms)
            break;
        waited_ms += 10;
        (void)self->sqlite.sleep(10);
    }
    if (code)
        return sqlite_fail(self, code, reterr);
    self->wal = letter == 'w';
    if (!self->wal)
        return sqlite_script(&self->store, "PRAGMA synchronous = EXTRA",
                             reterr);
    (void)self->sqlite.wal_hook(self->db, sqlite_count_pages, self);
    self->pages_due = SQLITE_PAGES_MAX;
    return SURETY_OK;
}

static surety_status sqlite_version(surety__store *store, int64_t *ret_version,
                                    surety_error *reterr)
{
    sqlite_store *self = (sqlite_store *)store;
    const int code = sqlite_ask(self, "PRAGMA user_version", ret_version);

    if (code)
        return sqlite_fail(self, code, reterr);
    /* This program never writes a negative version. */
    if (*ret_version < 0)
        *ret_version = INT32_MAX;
    return SURETY_OK;
}

/* Opens the file; does not change it. */
static surety_status sqlite_open_file(sqlite_store *self, const char *name,
                                      int flags, surety_error *reterr)
{
    const int code = self->sqlite.open_v2(
        name, &self->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | flags,
        NULL);

    if (code)
        return sqlite_fail(self, code, reterr);
    (void)self->sqlite.extended_result_codes(self->db, 1);
    (void)self->sqlite.busy_timeout(self->db, (int)self->store.timeout_ms);
    return sqlite_script(&self->store,
                         "PRAGMA trusted_schema = OFF;"
                         "PRAGMA cell_size_check = ON;",
                         reterr);
}

/* ---- for reading only ---------------------------------------------------- */

/* Appends the SQLite URL for a file that no program writes to. */
static void sqlite_put_immutable(surety_str path, surety_buf *out)
{
    surety_buf_text(out, *path.ptr == '/' ? "file://" : "file:");
    for (size_t i = 0; i < path.len; i++) {
        const unsigned char byte = (unsigned char)path.ptr[i];

        if (byte == '%' || byte == '?' || byte == '#')
            surety__buf_printf(out, "%%%x", (unsigned)byte);
        else
            surety_buf_byte(out, (char)byte);
    }
    surety_buf_text(out, "?immutable=1");
    surety_buf_byte(out, '\0');
}

/* Whether opening failed because the log's helper files do not exist and
 * cannot be created, while the log is empty: then no program writes. */
static bool sqlite_is_still(sqlite_store *self)
{
    const int code = self->sqlite.errcode(self->db) & 0xFF;

    return (code == SQLITE_CANTOPEN || code == SQLITE_READONLY) &&
           !surety__file_holds(self->sqlite.filename_wal(
               self->sqlite.db_filename(self->db, "main")));
}

static surety_status sqlite_open_reading(sqlite_store *self, const char *name,
                                         int flags, surety_error *reterr)
{
    surety_status status = sqlite_open_file(self, name, flags, reterr);

    if (!status)
        status = sqlite_script(&self->store, "PRAGMA query_only = ON;", reterr);
    return status ? status : sqlite_check(self, reterr);
}

/* Opens the file for reading. It is opened as writable if possible, though
 * nothing is written: only then does SQLite remove its helper files again. A
 * file that is not in use, in a folder without write permission, is read
 * without locks; any other file with locks. */
static surety_status sqlite_prepare_reading(sqlite_store *self,
                                            surety_error *reterr)
{
    surety_status status = surety__file_look(self->path.ptr, reterr);
    surety_buf url;

    if (status)
        return status;
    status = sqlite_open_reading(self, self->path.ptr, 0, reterr);
    if (status != SURETY_IO || !sqlite_is_still(self))
        return status;
    surety_buf_init(&url, self->store.alloc, 0);
    sqlite_put_immutable(self->store.name, &url);
    (void)self->sqlite.close(self->db);
    self->db = NULL;
    status = url.status
                 ? surety__fail_nomem(reterr)
                 : sqlite_open_reading(self, url.ptr, SQLITE_OPEN_URI, reterr);
    surety_buf_done(&url);
    return status;
}

/* ---- for writing --------------------------------------------------------- */

static surety_status sqlite_prepare(sqlite_store *self, surety_error *reterr)
{
    int64_t version = 0;
    surety_status status =
        surety__file_make(self->path.ptr, self->store.alloc, reterr);

    if (!status)
        status = sqlite_open_file(self, self->path.ptr, 0, reterr);
    if (status)
        return status;
    self->watched[0].path = self->sqlite.db_filename(self->db, "main");
    if (!surety__file_identify(self->watched[0].path, &self->watched[0].id))
        return sqlite_fail(self, SQLITE_CANTOPEN, reterr);
    self->watched_count = 1;
    if (self->sqlite.db_readonly(self->db, "main"))
        return sqlite_fail(self, SQLITE_READONLY, reterr);
    status = sqlite_check(self, reterr);
    /* A newer version is refused before anything is changed. */
    if (!status)
        status = sqlite_version(&self->store, &version, reterr);
    if (!status && version > SURETY__LEDGER_VERSION)
        status = surety__fail_version(&self->store, version, reterr);
    if (!status)
        status = sqlite_script(&self->store,
                               "PRAGMA synchronous = FULL;"
                               "PRAGMA fullfsync = ON;"
                               "PRAGMA checkpoint_fullfsync = ON;"
                               "PRAGMA wal_autocheckpoint = 0;",
                               reterr);
    return status ? status : sqlite_log(self, reterr);
}

surety_status surety__sqlite_open(surety_str path,
                                  const surety_ledger_options *options,
                                  surety__store **ret_store,
                                  surety_error *reterr)
{
    sqlite_store *self = surety__new(options->alloc, sizeof(*self));
    surety_status status;

    if (!self)
        return surety__fail_nomem(reterr);
    self->store = (surety__store){.alloc = options->alloc,
                                  .timeout_ms = options->timeout_ms,
                                  .read_only = options->read_only,
                                  .version = sqlite_version,
                                  .script = sqlite_script,
                                  .run = sqlite_run,
                                  .begin = sqlite_begin,
                                  .commit = sqlite_commit,
                                  .rollback = sqlite_rollback,
                                  .close = sqlite_close};
    surety_buf_init(&self->path, options->alloc, 0);
    /* "./" prevents special names: ":memory:", "file:...". */
    surety_buf_text(&self->path, *path.ptr == '/' ? "" : "./");
    surety_buf_add(&self->path, path);
    surety_buf_byte(&self->path, '\0');
    self->store.name = (surety_str){self->path.ptr, self->path.len - 1};
    status = self->path.status
                 ? surety__fail_nomem(reterr)
                 : surety__load(&sqlite_library, &self->sqlite, reterr);
    if (!status)
        status = options->read_only ? sqlite_prepare_reading(self, reterr)
                                    : sqlite_prepare(self, reterr);
    if (status) {
        sqlite_close(&self->store);
        return status;
    }
    *ret_store = &self->store;
    return SURETY_OK;
}
