/* SPDX-License-Identifier: Apache-2.0 */
/* The files of ledgers in SQLite: how they are made and looked at, what holds
 * while others have them, and what is said of each failure. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/base.h"
#include "check.h"
#include "ledger/ledger.h"
#include "ledger/sqlite_error.h"
#include "ledger_sample.h"

#define ID_1 "018f2d3c-0000-7000-8000-000000000001"
#define ID_2 "018f2d3c-0000-7000-8000-000000000002"

/* A folder of this test's own. */
struct folder {
    char path[64];
    char text[512]; /* a path in it */
};

static const char *folder_file(struct folder *folder, const char *name)
{
    snprintf(folder->text, sizeof(folder->text), "%s%s%s", folder->path,
             *name ? "/" : "", name);
    return folder->text;
}

static void folder_make(struct folder *folder)
{
    memset(folder, 0, sizeof(*folder));
    memcpy(folder->path, "/tmp/surety-files-XXXXXX", 25);
    if (!mkdtemp(folder->path))
        folder->path[0] = '\0';
}

static void folder_remove(struct folder *folder)
{
    static const char *const names[] = {
        "ledger.db", "ledger.db-wal", "ledger.db-shm", "ledger.db-journal",
        "other.db",  "a/b/ledger.db", "a/b",           "a",
        "circle",    "pipe",          "text"};

    for (size_t i = 0; i < CHECK_COUNT(names); i++) {
        const char *path = folder_file(folder, names[i]);

        if (unlink(path))
            (void)rmdir(path);
    }
    (void)rmdir(folder->path);
}

static surety_status open_file(struct check *t, const char *path,
                               uint32_t timeout_ms, surety_ledger **ret_ledger,
                               surety_error *reterr)
{
    const surety_ledger_options options = {.size = sizeof(options),
                                           .raw = true,
                                           .timeout_ms = timeout_ms,
                                           .alloc = check_alloc(t)};

    return surety_ledger_open(surety_str_of(path), &options, ret_ledger,
                              reterr);
}

/* Somebody else's connection, after sql. */
static sqlite3 *other_open(const char *path, const char *sql)
{
    sqlite3 *db = NULL;

    if (sqlite3_open(path, &db) || sqlite3_exec(db, sql, NULL, NULL, NULL)) {
        (void)sqlite3_close(db);
        return NULL;
    }
    return db;
}

/* Bytes of a file; -1: there is none. */
static long size_of(const char *path)
{
    struct stat info;

    return stat(path, &info) ? -1 : (long)info.st_size;
}

/* ---- what is said -------------------------------------------------------- */

static const char hint_disk[] =
    "look after the disk: each record tries it again";
static const char hint_own[] =
    "allow reading and writing it, or name another ledger";
static const char message_busy[] =
    "the ledger F is locked by another program, for more than 20 ms";
static const char hint_end[] =
    "end the program that holds it, or try again later";
static const struct {
    int code;
    surety_status status;
    surety__sqlite_harm harm;
    const char *message, *hint;
} failures[] = {
    {SQLITE_IOERR_FSYNC, SURETY_IO, HARM_PASSING,
     "the ledger F could not be synced to its disk", hint_disk},
    {SQLITE_IOERR_DIR_FSYNC, SURETY_IO, HARM_PASSING,
     "the ledger F could not be synced to its disk", hint_disk},
    {SQLITE_IOERR_NOMEM, SURETY_NOMEM, HARM_NONE, "out of memory", ""},
    {SQLITE_IOERR_SHORT_READ, SURETY_IO, HARM_LASTING,
     "the ledger F is shorter than it says",
     "restore it from a backup, or move it away"},
    {SQLITE_READONLY_DBMOVED, SURETY_IO, HARM_LASTING,
     "the ledger F was deleted or replaced while it was open", "start again"},
    {SQLITE_NOMEM, SURETY_NOMEM, HARM_NONE, "out of memory", ""},
    {SQLITE_BUSY, SURETY_IO, HARM_NONE, message_busy, hint_end},
    {SQLITE_BUSY_SNAPSHOT, SURETY_IO, HARM_NONE, message_busy, hint_end},
    {SQLITE_LOCKED, SURETY_IO, HARM_NONE, message_busy, hint_end},
    {SQLITE_READONLY, SURETY_IO, HARM_NONE, "the ledger F may only be read",
     "allow writing to the file and its folder, or name another ledger"},
    {SQLITE_READONLY_DIRECTORY, SURETY_IO, HARM_NONE,
     "the ledger F may only be read",
     "allow writing to the file and its folder, or name another ledger"},
    {SQLITE_PERM, SURETY_IO, HARM_NONE, "the ledger F may not be opened",
     hint_own},
    {SQLITE_AUTH, SURETY_IO, HARM_NONE, "the ledger F may not be opened",
     hint_own},
    {SQLITE_CANTOPEN, SURETY_IO, HARM_NONE, "the ledger F cannot be opened",
     "allow reading and writing the file and its folder, or name another "
     "ledger"},
    {SQLITE_FULL, SURETY_IO, HARM_NONE,
     "the ledger F could not grow: the disk is full",
     "make room on the disk; earlier records are safe"},
    {SQLITE_NOTADB, SURETY_SYNTAX, HARM_NONE, "the ledger F is no database",
     "name another file for the ledger"},
    {SQLITE_CORRUPT, SURETY_SYNTAX, HARM_LASTING, "the ledger F is damaged",
     "restore it from a backup, or move it away and keep it: sqlite3 FILE "
     ".recover saves what can be read"},
    {SQLITE_NOLFS, SURETY_IO, HARM_NONE,
     "the ledger F is too large for this system",
     "name another file for the ledger"},
    {SQLITE_TOOBIG, SURETY_LIMIT, HARM_NONE,
     "the ledger F takes no text of this length",
     "do not keep raw texts in it"},
    {SQLITE_IOERR, SURETY_IO, HARM_PASSING,
     "the ledger F cannot be used: it says so (SQLite 10)", hint_disk},
    {SQLITE_IOERR_READ, SURETY_IO, HARM_PASSING,
     "the ledger F cannot be used: it says so (SQLite 266)", hint_disk},
    {SQLITE_MISMATCH, SURETY_IO, HARM_NONE,
     "the ledger F cannot be used: it says so (SQLite 20)", ""},
};

TEST(says_what_failed)
{
    const surety_str name = SAMPLE_TEXT("F");

    for (size_t i = 0; i < CHECK_COUNT(failures); i++) {
        surety_error err = {.status = SURETY_OK};

        EXPECT(failures[i].status, surety__sqlite_fail(name, 20, "it says so",
                                                       failures[i].code, &err));
        CHECK(surety__sqlite_harm_of(failures[i].code) == failures[i].harm);
        CHECK_TEXT(surety_str_of(err.message), failures[i].message);
        CHECK_TEXT(surety_str_of(err.hint), failures[i].hint);
    }
done:;
}

/* ---- making and looking -------------------------------------------------- */

/* Whether err says "BEFORE path AFTER". */
static bool says(const surety_error *err, const char *before, const char *path,
                 const char *after)
{
    char want[1024];

    snprintf(want, sizeof(want), "%s%s%s", before, path, after);
    if (!strcmp(want, err->message))
        return true;
    printf("# said: %s\n# want: %s\n", err->message, want);
    return false;
}

TEST(makes_files)
{
    static const char folder_hint[] =
        "name a ledger in a folder that may be written";
    const surety_alloc *alloc = check_alloc(t);
    struct folder at;
    struct stat info;
    surety_error err;
    char name[400];

    folder_make(&at);
    /* With all folders above it, for its owner alone. */
    TRY(surety__file_make(folder_file(&at, "a/b/ledger.db"), alloc, &err));
    CHECK(!stat(at.text, &info) && (info.st_mode & 0777) == 0600 &&
          info.st_size == 0);
    CHECK(!stat(folder_file(&at, "a/b"), &info) &&
          (info.st_mode & 0777) == 0700);
    CHECK(!stat(folder_file(&at, "a"), &info) && (info.st_mode & 0777) == 0700);
    TRY(surety__file_make(folder_file(&at, "a/b/ledger.db"), alloc, &err));
    /* What is there already, and no file. */
    EXPECT(SURETY_IO, surety__file_make(folder_file(&at, "a"), alloc, &err));
    CHECK(says(&err, "", at.text, " is a folder"));
    CHECK_TEXT(surety_str_of(err.hint), "name a file for the ledger");
    CHECK(!mkfifo(folder_file(&at, "pipe"), 0600));
    EXPECT(SURETY_IO, surety__file_make(at.text, alloc, &err));
    CHECK(says(&err, "", at.text, " is no file"));
    /* What cannot be made. */
    EXPECT(SURETY_IO,
           surety__file_make(folder_file(&at, "a/b/ledger.db/x"), alloc, &err));
    CHECK(says(&err, "the folder ", folder_file(&at, "a/b/ledger.db"),
               " cannot be made: a part of the path is no folder"));
    CHECK_TEXT(surety_str_of(err.hint), folder_hint);
    memset(name, 'n', 300);
    name[300] = '\0';
    EXPECT(SURETY_IO, surety__file_make(folder_file(&at, name), alloc, &err));
    CHECK(strstr(err.message, "the ledger /tmp/") == err.message);
    memcpy(name + 298, "/x", 3);
    EXPECT(SURETY_IO, surety__file_make(folder_file(&at, name), alloc, &err));
    CHECK(strstr(err.message, "the folder /tmp/") == err.message);
    CHECK(!symlink("circle", folder_file(&at, "circle")));
    EXPECT(SURETY_IO,
           surety__file_make(folder_file(&at, "circle/x"), alloc, &err));
    CHECK(says(&err, "the ledger ", at.text,
               " cannot be made: symbolic links in a circle"));
done:
    folder_remove(&at);
}

TEST(looks_at_files)
{
    struct folder at;
    surety_error err;

    folder_make(&at);
    EXPECT(SURETY_END, surety__file_look(folder_file(&at, "a"), &err));
    CHECK(says(&err, "there is no ledger at ", at.text, " yet"));
    CHECK_TEXT(surety_str_of(err.hint), "surety run makes it");
    TRY(surety__file_make(folder_file(&at, "text"), check_alloc(t), &err));
    TRY(surety__file_look(at.text, &err));
    CHECK(!surety__file_holds(at.text));
    CHECK(!truncate(at.text, 1) && surety__file_holds(at.text));
    CHECK(!surety__file_holds(folder_file(&at, "a")));
    EXPECT(SURETY_END, surety__file_look(folder_file(&at, "text/x"), &err));
    EXPECT(SURETY_IO, surety__file_look(folder_file(&at, ""), &err));
    CHECK(says(&err, "", at.path, " is a folder"));
    CHECK_TEXT(surety_str_of(err.hint), "name the file of a ledger");
    CHECK(!mkfifo(folder_file(&at, "pipe"), 0600));
    EXPECT(SURETY_IO, surety__file_look(at.text, &err));
    CHECK(says(&err, "", at.text, " is no file"));
    CHECK(!symlink("circle", folder_file(&at, "circle")));
    EXPECT(SURETY_IO, surety__file_look(at.text, &err));
    CHECK(says(&err, "the ledger ", at.text,
               " cannot be read: symbolic links in a circle"));
    CHECK_TEXT(surety_str_of(err.hint),
               "allow reading it, or name another ledger");
done:
    folder_remove(&at);
}

TEST(tells_files_apart)
{
    surety__file_id one = {0, 0}, other = {0, 0};
    struct folder at;
    surety_error err;

    folder_make(&at);
    CHECK(!surety__file_identify(folder_file(&at, "text"), &one));
    CHECK(!one.device && !one.number);
    TRY(surety__file_make(at.text, check_alloc(t), &err));
    CHECK(surety__file_identify(at.text, &one) && one.number);
    TRY(surety__file_make(folder_file(&at, "other.db"), check_alloc(t), &err));
    CHECK(surety__file_identify(at.text, &other));
    CHECK(one.device == other.device && one.number != other.number);
done:
    folder_remove(&at);
}

/* ---- with others --------------------------------------------------------- */

TEST(waits_for_others_in_vain)
{
    surety_entry entry = sample_entry(ID_1, SAMPLE_TEXT("Why?"));
    surety_ledger *ledger = NULL;
    surety_ledger *second = NULL;
    sqlite3 *other = NULL;
    struct folder at;
    surety_error err;

    folder_make(&at);
    TRY(open_file(t, folder_file(&at, "ledger.db"), 20, &ledger, &err));
    other = other_open(at.text, "BEGIN IMMEDIATE");
    NEED(other);
    EXPECT(SURETY_IO, ledger->begin(ledger->ctx, &entry, &err));
    CHECK(says(&err, "the ledger ", at.text,
               " is locked by another program, for more than 20 ms"));
    EXPECT(SURETY_IO, open_file(t, at.text, 20, &second, &err));
    CHECK(says(&err, "the ledger ", at.text,
               " is locked by another program, for more than 20 ms"));
    (void)sqlite3_close(other);
    other = NULL;
    TRY(ledger->begin(ledger->ctx, &entry, &err));
    /* The log is switched on by who has the file alone. */
    other = other_open(folder_file(&at, "other.db"), "BEGIN IMMEDIATE");
    NEED(other);
    EXPECT(SURETY_IO, open_file(t, at.text, 20, &second, &err));
    CHECK(says(&err, "the ledger ", at.text,
               " is locked by another program, for more than 20 ms"));
done:
    (void)sqlite3_close(other);
    surety_ledger_close(second);
    surety_ledger_close(ledger);
    folder_remove(&at);
}

/* The log goes into the file once it is long, and not before, and the next
 * commit writes over it; a reader that is in the way puts it off, and then it
 * is cut. */
TEST(empties_its_log)
{
    const size_t size = 4300000;
    long kept;
    char *big = surety__new(check_alloc(t), size);
    surety_entry entry = sample_entry(ID_1, (surety_str){big, size / 2});
    surety_ledger *ledger = NULL;
    sqlite3 *other = NULL;
    struct folder at;
    surety_error err;

    folder_make(&at);
    NEED(big);
    TRY(open_file(t, folder_file(&at, "ledger.db"), 20, &ledger, &err));
    entry.reply = (surety_str){NULL, 0};
    TRY(ledger->begin(ledger->ctx, &entry, &err));
    CHECK(size_of(folder_file(&at, "ledger.db-wal")) > (long)size / 2);
    entry = sample_entry(ID_2, (surety_str){big, size});
    TRY(ledger->begin(ledger->ctx, &entry, &err));
    kept = size_of(at.text);
    CHECK(size_of(folder_file(&at, "ledger.db")) > (long)size);
    entry = sample_entry("018f2d3c-0000-7000-8000-000000000006",
                         (surety_str){big, size});
    TRY(ledger->begin(ledger->ctx, &entry, &err));
    CHECK(size_of(folder_file(&at, "ledger.db-wal")) == kept);
    CHECK(size_of(folder_file(&at, "ledger.db")) > 2 * (long)size);
    /* Somebody reads. */
    other = other_open(at.text, "BEGIN; SELECT count(*) FROM attempts");
    NEED(other);
    entry = sample_entry("018f2d3c-0000-7000-8000-000000000003",
                         (surety_str){big, size});
    TRY(ledger->begin(ledger->ctx, &entry, &err));
    CHECK(size_of(folder_file(&at, "ledger.db-wal")) > (long)size);
    (void)sqlite3_close(other);
    other = NULL;
    entry = sample_entry("018f2d3c-0000-7000-8000-000000000004",
                         SAMPLE_TEXT("Why?"));
    TRY(ledger->begin(ledger->ctx, &entry, &err));
    CHECK(size_of(at.text) > (long)size);
    entry = sample_entry("018f2d3c-0000-7000-8000-000000000005",
                         (surety_str){big, size});
    TRY(ledger->begin(ledger->ctx, &entry, &err));
    CHECK(size_of(at.text) == 0);
done:
    (void)sqlite3_close(other);
    surety_ledger_close(ledger);
    surety__free(check_alloc(t), big, size);
    folder_remove(&at);
}

TEST(notices_what_is_moved)
{
    static const char tail[] = " was deleted or replaced while it was open";
    surety_entry entry = sample_entry(ID_1, SAMPLE_TEXT("Why?"));
    surety_ledger *ledger = NULL;
    struct folder at;
    surety_error err;
    char path[512];

    folder_make(&at);
    memcpy(path, folder_file(&at, "ledger.db"), sizeof(path));
    TRY(open_file(t, path, 20, &ledger, &err));
    TRY(ledger->begin(ledger->ctx, &entry, &err));
    /* Its log. */
    CHECK(!unlink(folder_file(&at, "ledger.db-wal")));
    EXPECT(SURETY_IO, ledger->finish(ledger->ctx, &entry, &err));
    CHECK(says(&err, "the ledger's file ", at.text, tail));
    CHECK(strstr(err.hint, "start again, and keep /tmp/") == err.hint);
    CHECK(strstr(err.hint, "ledger.db and what begins with its name in place "
                           "while a program uses it"));
    surety_ledger_close(ledger);
    ledger = NULL;
    /* It, and it is there again: what was begun is not trusted any more. */
    folder_remove(&at);
    folder_make(&at);
    memcpy(path, folder_file(&at, "ledger.db"), sizeof(path));
    TRY(open_file(t, path, 20, &ledger, &err));
    CHECK(!rename(path, folder_file(&at, "other.db")));
    EXPECT(SURETY_IO, ledger->begin(ledger->ctx, &entry, &err));
    CHECK(says(&err, "the ledger's file ", path, tail));
    CHECK(!rename(folder_file(&at, "other.db"), path));
    EXPECT(SURETY_IO, ledger->begin(ledger->ctx, &entry, &err));
    CHECK(says(&err, "the ledger ", path,
               " takes no more records: an earlier access to its file failed"));
    CHECK_TEXT(surety_str_of(err.hint),
               "look after the file, then start again");
done:
    surety_ledger_close(ledger);
    folder_remove(&at);
}

/* ---- a disk that fails for a while --------------------------------------- */

/* SQLite's files, of which some accesses fail. */
typedef enum fault_kind { FAULT_READ = 0, FAULT_WRITE, FAULT_SYNC } fault_kind;

static struct {
    sqlite3_vfs vfs, *real;
    /* Of the file, and of its log. */
    sqlite3_io_methods methods[2], real_methods[2];
    fault_kind kind;
    int wait, times; /* accesses of the kind before the first that fails, and
                      * how many do */
} fault;

static bool fault_is_due(fault_kind kind)
{
    if (kind != fault.kind || !fault.times)
        return false;
    if (fault.wait) {
        fault.wait--;
        return false;
    }
    fault.times--;
    return true;
}

static const sqlite3_io_methods *fault_real(const sqlite3_file *file)
{
    return &fault.real_methods[file->pMethods == &fault.methods[1]];
}

static int fault_read(sqlite3_file *file, void *room, int len, sqlite3_int64 at)
{
    return fault_is_due(FAULT_READ)
               ? SQLITE_IOERR_READ
               : fault_real(file)->xRead(file, room, len, at);
}

static int fault_write(sqlite3_file *file, const void *bytes, int len,
                       sqlite3_int64 at)
{
    return fault_is_due(FAULT_WRITE)
               ? SQLITE_IOERR_WRITE
               : fault_real(file)->xWrite(file, bytes, len, at);
}

static int fault_sync(sqlite3_file *file, int flags)
{
    return fault_is_due(FAULT_SYNC) ? SQLITE_IOERR_FSYNC
                                    : fault_real(file)->xSync(file, flags);
}

static int fault_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file,
                      int flags, int *ret_flags)
{
    const int code =
        fault.real->xOpen(fault.real, name, file, flags, ret_flags);

    const int which = (flags & SQLITE_OPEN_WAL) != 0;

    (void)vfs;
    if (code || !(flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)))
        return code;
    fault.real_methods[which] = fault.methods[which] = *file->pMethods;
    fault.methods[which].xRead = fault_read;
    fault.methods[which].xWrite = fault_write;
    fault.methods[which].xSync = fault_sync;
    file->pMethods = &fault.methods[which];
    return SQLITE_OK;
}

#define FAULT_ROWS 24

/* The rows that are in the file, by the number in their id. */
static bool fault_see(void *ctx, const surety_entry *entry)
{
    bool *found = ctx;
    const long number = strtol(entry->id.ptr + 24, NULL, 10);

    if (number >= 0 && number < FAULT_ROWS)
        found[number] = true;
    return true;
}

/* Writes rows before a fault, while it lasts, and after it. Each record tries
 * the disk again; acknowledged rows are there. */
static void fail_for_a_while(struct check *t, const char *path, int wait)
{
    bool taken[FAULT_ROWS] = {false};
    bool found[FAULT_ROWS] = {false};
    surety_ledger *ledger = NULL;
    int refused = 0;
    surety_error err;

    TRY(open_file(t, path, 20, &ledger, &err));
    fault.wait = wait;
    fault.times = 3;
    for (int i = 0; i < FAULT_ROWS; i++) {
        char id[40];
        surety_entry entry;
        surety_status status;

        snprintf(id, sizeof(id), "018f2d3c-0000-7000-8000-%012d", i);
        entry = sample_entry(id, SAMPLE_TEXT("Why?"));
        status = ledger->begin(ledger->ctx, &entry, &err);
        if (status) {
            CHECK(status == SURETY_IO);
            CHECK_TEXT(surety_str_of(err.hint), hint_disk);
            refused++;
        }
        taken[i] = !status;
    }
    CHECK(refused <= 3 && taken[FAULT_ROWS - 1]);
    CHECK(fault.times == 3 || refused > 0);
    surety_ledger_close(ledger);
    ledger = NULL;
    fault.times = 0;
    TRY(open_file(t, path, 20, &ledger, &err));
    TRY(ledger->each(ledger->ctx, 0, fault_see, found, &err));
    for (int i = 0; i < FAULT_ROWS; i++)
        CHECK(found[i] || !taken[i]);
done:
    fault.times = 0;
    surety_ledger_close(ledger);
}

TEST(recovers_from_its_disk)
{
    struct folder at;

    folder_make(&at);
    fault.real = sqlite3_vfs_find(NULL);
    NEED(fault.real);
    fault.vfs = *fault.real;
    fault.vfs.zName = "faults";
    fault.vfs.xOpen = fault_open;
    CHECK(!sqlite3_vfs_register(&fault.vfs, 1));
    for (int kind = FAULT_READ; kind <= FAULT_SYNC; kind++)
        for (int wait = 0; wait < 12; wait++) {
            fault.kind = (fault_kind)kind;
            fail_for_a_while(t, folder_file(&at, "ledger.db"), wait);
            if (t->failed)
                goto done;
            folder_remove(&at);
            folder_make(&at);
        }
done:
    (void)sqlite3_vfs_unregister(&fault.vfs);
    folder_remove(&at);
}

/* ---- how it is opened ---------------------------------------------------- */

/* The connection that was opened last. SQLite hands each new one to this. */
static sqlite3 *last_opened;

static int note_opened(sqlite3 *db, const char **error, const void *api)
{
    (void)error;
    (void)api;
    last_opened = db;
    return SQLITE_OK;
}

/* A setting of that connection. */
static int setting_of(const char *name)
{
    sqlite3_stmt *statement = NULL;
    char sql[64];
    int number = -1;

    snprintf(sql, sizeof(sql), "PRAGMA %s", name);
    if (!sqlite3_prepare_v2(last_opened, sql, -1, &statement, NULL) &&
        sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int(statement, 0);
    (void)sqlite3_finalize(statement);
    return number;
}

/* Durable, and safe with a file that somebody tampered with. */
TEST(settles_connections)
{
    static const struct {
        const char *name;
        int written, read;
    } settings[] = {
        {"trusted_schema", 0, 0},       {"cell_size_check", 1, 1},
        {"synchronous", 2, 2},          {"fullfsync", 1, 0},
        {"checkpoint_fullfsync", 1, 0}, {"wal_autocheckpoint", 0, 1000},
        {"busy_timeout", 21, 21},       {"query_only", 0, 1},
    };
    const surety_ledger_options reading = {.size = sizeof(reading),
                                           .read_only = true,
                                           .timeout_ms = 21,
                                           .alloc = check_alloc(t)};
    void (*const noting)(void) = (void (*)(void))note_opened;
    surety_ledger *ledger = NULL;
    struct folder at;
    surety_error err;

    folder_make(&at);
    CHECK(!sqlite3_auto_extension(noting));
    TRY(open_file(t, folder_file(&at, "ledger.db"), 21, &ledger, &err));
    for (size_t i = 0; i < CHECK_COUNT(settings); i++)
        CHECK(setting_of(settings[i].name) == settings[i].written);
    surety_ledger_close(ledger);
    ledger = NULL;
    TRY(surety_ledger_open(surety_str_of(at.text), &reading, &ledger, &err));
    for (size_t i = 0; i < CHECK_COUNT(settings); i++)
        CHECK(setting_of(settings[i].name) == settings[i].read);
done:
    (void)sqlite3_cancel_auto_extension(noting);
    surety_ledger_close(ledger);
    folder_remove(&at);
}

/* ---- what is in it --------------------------------------------------- */

static bool see_one(void *ctx, const surety_entry *entry)
{
    surety_entry *to = ctx;

    to->number = entry->number;
    to->http_status = entry->http_status;
    to->ok = entry->ok;
    to->model.len = entry->model.len;
    to->error_count = entry->error_count;
    return true;
}

TEST(reads_what_others_wrote)
{
    surety_entry entry = sample_entry(ID_1, SAMPLE_TEXT("Why?"));
    surety_entry seen = {.size = sizeof(seen)};
    surety_ledger *ledger = NULL;
    sqlite3 *other = NULL;
    struct folder at;
    surety_error err;

    folder_make(&at);
    TRY(open_file(t, folder_file(&at, "ledger.db"), 2000, &ledger, &err));
    TRY(ledger->finish(ledger->ctx, &entry, &err));
    other = other_open(at.text,
                       "UPDATE attempts SET number = 2.5, http_status = '404',"
                       " ok = NULL, model = x'00FF', error_count = 9");
    NEED(other);
    TRY(ledger->each(ledger->ctx, 0, see_one, &seen, &err));
    CHECK(seen.number == 2 && !seen.ok && seen.model.len == 2);
    /* No more errors than there are, or than it says it has. */
    CHECK(seen.error_count == 2);
    CHECK(!sqlite3_exec(other, "UPDATE attempts SET error_count = 1", NULL,
                        NULL, NULL));
    TRY(ledger->each(ledger->ctx, 0, see_one, &seen, &err));
    CHECK(seen.error_count == 1);
done:
    (void)sqlite3_close(other);
    surety_ledger_close(ledger);
    folder_remove(&at);
}

/* Whose log cannot be made, and so has nothing in it, is read without it,
 * whatever its name. */
TEST(reads_what_nobody_writes)
{
    static const char *const names[] = {"ledger.db", "a %?#%41.db"};
    surety_entry entry = sample_entry(ID_1, SAMPLE_TEXT("Why?"));
    surety_entry seen = {.size = sizeof(seen)};
    const surety_ledger_options reading = {.size = sizeof(reading),
                                           .read_only = true,
                                           .timeout_ms = 20,
                                           .alloc = check_alloc(t)};
    surety_ledger *ledger = NULL;
    struct folder at;
    surety_error err;
    char path[512], helper[520];

    folder_make(&at);
    for (size_t i = 0; i < CHECK_COUNT(names); i++) {
        memcpy(path, folder_file(&at, names[i]), sizeof(path));
        snprintf(helper, sizeof(helper), "%s-wal", path);
        TRY(open_file(t, path, 20, &ledger, &err));
        TRY(ledger->finish(ledger->ctx, &entry, &err));
        surety_ledger_close(ledger);
        ledger = NULL;
        CHECK(!symlink("/nowhere/at/all", helper));
        TRY(surety_ledger_open(surety_str_of(path), &reading, &ledger, &err));
        seen.error_count = 0;
        TRY(ledger->each(ledger->ctx, 0, see_one, &seen, &err));
        CHECK(seen.error_count == 2 && seen.number == UINT32_MAX);
        surety_ledger_close(ledger);
        ledger = NULL;
        /* Who is to be written is not. */
        EXPECT(SURETY_IO, open_file(t, path, 20, &ledger, &err));
        CHECK(!unlink(helper) && !unlink(path));
    }
done:
    surety_ledger_close(ledger);
    folder_remove(&at);
}

TEST(refuses_what_is_no_ledger)
{
    surety_ledger *ledger = NULL;
    struct folder at;
    surety_error err;
    FILE *file;

    folder_make(&at);
    file = fopen(folder_file(&at, "ledger.db"), "w");
    NEED(file);
    for (int i = 0; i < 200; i++)
        fputs("This is a letter and no ledger.\n", file);
    fclose(file);
    EXPECT(SURETY_SYNTAX, open_file(t, at.text, 20, &ledger, &err));
    CHECK(says(&err, "the ledger ", at.text, " is no database"));
    CHECK(!unlink(at.text));
    (void)sqlite3_close(other_open(at.text, "CREATE TABLE theirs (x)"));
    EXPECT(SURETY_UNSUPPORTED, open_file(t, at.text, 20, &ledger, &err));
    CHECK(says(&err, "", at.text, " is the database of another program"));
    CHECK_TEXT(surety_str_of(err.hint), "name another file for the ledger");
    CHECK(!unlink(at.text));
    TRY(open_file(t, at.text, 20, &ledger, &err));
    surety_ledger_close(ledger);
    ledger = NULL;
    (void)sqlite3_close(other_open(at.text, "PRAGMA user_version = 9"));
    EXPECT(SURETY_UNSUPPORTED, open_file(t, at.text, 20, &ledger, &err));
    CHECK(says(&err, "the ledger ", at.text,
               " is of version 9, and this program knows versions up to 8"));
    CHECK_TEXT(surety_str_of(err.hint),
               "use a newer surety, or name another ledger");
    (void)sqlite3_close(other_open(at.text, "PRAGMA user_version = -1"));
    EXPECT(SURETY_UNSUPPORTED, open_file(t, at.text, 20, &ledger, &err));
    CHECK(says(&err, "the ledger ", at.text,
               " is of version 2147483647, and this program knows versions up "
               "to 8"));
done:
    surety_ledger_close(ledger);
    folder_remove(&at);
}

/* ---- misuse -------------------------------------------------------------- */

static const char hint_url[] = "give a path, sqlite:PATH or postgresql://...";
static const struct {
    surety_str url;
    surety_status status;
    const char *message;
} urls[] = {
    {SAMPLE_INIT(""), SURETY_MISUSE, "the ledger's path is empty"},
    {SAMPLE_INIT("sqlite:"), SURETY_MISUSE, "the ledger's path is empty"},
    {SAMPLE_INIT("a\0b"), SURETY_MISUSE,
     "the ledger's path has a NUL character"},
    {SAMPLE_INIT("mysql://h/d"), SURETY_UNSUPPORTED,
     "a ledger cannot be at \"mysql://\""},
    {SAMPLE_INIT("://x"), SURETY_UNSUPPORTED, "a ledger cannot be at \"://\""},
    {SAMPLE_INIT("ssssssssssssssssssssssssssssssssssssssss://x"),
     SURETY_UNSUPPORTED,
     "a ledger cannot be at "
     "\"ssssssssssssssssssssssssssssssssssssssss://\""},
    {SAMPLE_INIT("sssssssssssssssssssssssssssssssssssssssst://x"),
     SURETY_UNSUPPORTED,
     "a ledger cannot be at "
     "\"ssssssssssssssssssssssssssssssssssssssss://\""},
};
static const struct {
    const char *id, *message;
} ids[] = {
    {"", "the entry's id \"\" is no UUID"},
    {"018f2d3c-0000-7000-8000-00000000000g",
     "the entry's id \"018f2d3c-0000-7000-8000-00000000000g\" is no UUID"},
    {"018f2d3c-0000-7000-8000-0000000000001234567",
     "the entry's id \"018f2d3c-0000-7000-8000-0000000000001234\" is no "
     "UUID"},
    {"018f2d3c-0000-7000-8000-00000000000/", NULL},
    {"018f2d3c-0000-7000-8000-00000000000:", NULL},
    {"018f2d3c-0000-7000-8000-00000000000@", NULL},
    {"018f2d3c-0000-7000-8000-00000000000G", NULL},
    {"018f2d3c-0000-7000-8000-00000000000`", NULL},
    {"018f2d3c00000-7000-8000-000000000000", NULL},
    {"018f2d3c-0000070000-8000-00000000000", NULL},
    {"018f2d3c-0000-700008000-000000000000", NULL},
    {"018f2d3c-0000-7000-80000000000000000", NULL},
    {"-18f2d3c-0000-7000-8000-000000000000", NULL},
};

TEST(says_what_is_misused)
{
    surety_entry entry = sample_entry(ID_1, SAMPLE_TEXT("Why?"));
    surety_ledger *ledger = NULL;
    struct folder at;
    surety_error err;

    folder_make(&at);
    for (size_t i = 0; i < CHECK_COUNT(urls); i++) {
        EXPECT(urls[i].status,
               surety_ledger_open(urls[i].url, NULL, &ledger, &err));
        CHECK_TEXT(surety_str_of(err.message), urls[i].message);
        CHECK_TEXT(surety_str_of(err.hint), hint_url);
    }
    TRY(open_file(t, folder_file(&at, "ledger.db"), 20, &ledger, &err));
    for (size_t i = 0; i < CHECK_COUNT(ids); i++) {
        entry.id = surety_str_of(ids[i].id);
        EXPECT(SURETY_MISUSE, ledger->begin(ledger->ctx, &entry, &err));
        CHECK(!ids[i].message || !strcmp(err.message, ids[i].message));
    }
    entry.id = SAMPLE_TEXT("0189afAF-0000-7000-8000-00000000FFff");
    TRY(ledger->begin(ledger->ctx, &entry, &err));
    entry.state = SURETY_ENTRY_OPEN;
    EXPECT(SURETY_MISUSE, ledger->finish(ledger->ctx, &entry, &err));
    CHECK_TEXT(surety_str_of(err.message),
               "an entry cannot be finished as open");
    entry.state = (surety_entry_state)(SURETY_ENTRY_UNKNOWN + 1);
    EXPECT(SURETY_MISUSE, ledger->finish(ledger->ctx, &entry, &err));
    CHECK_TEXT(surety_str_of(err.message),
               "an entry cannot be finished as unknown");
    entry.state = SURETY_ENTRY_UNKNOWN;
    TRY(ledger->finish(ledger->ctx, &entry, &err));
    surety_ledger_close(NULL);
done:
    surety_ledger_close(ledger);
    folder_remove(&at);
}

/* A path with a scheme behind a slash is a path; so is one that SQLite would
 * take for something else. */
TEST(takes_any_path)
{
    surety_ledger *ledger = NULL;
    struct folder at;
    surety_error err;
    char path[600];

    folder_make(&at);
    snprintf(path, sizeof(path), "sqlite:%s", folder_file(&at, "ledger.db"));
    TRY(open_file(t, path, 20, &ledger, &err));
    CHECK(size_of(at.text) > 0);
    surety_ledger_close(ledger);
    ledger = NULL;
    snprintf(path, sizeof(path), "%s", folder_file(&at, "a://b"));
    EXPECT(SURETY_OK, open_file(t, path, 20, &ledger, &err));
done:
    surety_ledger_close(ledger);
    (void)unlink(folder_file(&at, "a:/b"));
    (void)rmdir(folder_file(&at, "a:"));
    folder_remove(&at);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"says what failed", says_what_failed},
        {"makes files", makes_files},
        {"looks at files", looks_at_files},
        {"tells files apart", tells_files_apart},
        {"waits for others in vain", waits_for_others_in_vain},
        {"empties its log", empties_its_log},
        {"notices what is moved", notices_what_is_moved},
        {"recovers from its disk", recovers_from_its_disk},
        {"settles connections", settles_connections},
        {"reads what others wrote", reads_what_others_wrote},
        {"reads what nobody writes", reads_what_nobody_writes},
        {"refuses what is no ledger", refuses_what_is_no_ledger},
        {"says what is misused", says_what_is_misused},
        {"takes any path", takes_any_path},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
