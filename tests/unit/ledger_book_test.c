/* SPDX-License-Identifier: Apache-2.0 */
/* Ledgers in files of SQLite, through the public header. What needs more than
 * one process is in tests/e2e/ledger_test.py. */
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/base.h"
#include "check.h"
#include "ledger/ledger.h"
#include "ledger_place.h"
#include "ledger_sample.h"

#define ID_1 "018f2d3c-0000-7000-8000-000000000001"
#define ID_2 "018F2D3C-0000-7000-8000-00000000000F"

static surety_status open_at(struct check *t, const place *at,
                             surety_ledger **ret_ledger, surety_error *reterr)
{
    const surety_ledger_options options = {.size = sizeof(options),
                                           .raw = true,
                                           .timeout_ms = 2000,
                                           .alloc = check_alloc(t)};

    return surety_ledger_open(surety_str_of(at->path), &options, ret_ledger,
                              reterr);
}

/* What a walk over entries sees. */
typedef struct seen {
    const surety_entry *want; /* NULL: only counts */
    size_t count, same;
    size_t most; /* stops after this many; 0: never */
    surety_entry last;
} seen;

static bool see(void *ctx, const surety_entry *entry)
{
    seen *to = ctx;

    to->count++;
    to->last = *entry;
    if (to->want && sample_same(entry, to->want))
        to->same++;
    return to->count != to->most;
}

TEST(names_states)
{
    CHECK(!strcmp(surety__entry_state_name(SURETY_ENTRY_OPEN), "open"));
    CHECK(!strcmp(surety__entry_state_name(SURETY_ENTRY_DONE), "done"));
    CHECK(!strcmp(surety__entry_state_name(SURETY_ENTRY_FAILED), "failed"));
    CHECK(
        !strcmp(surety__entry_state_name(SURETY_ENTRY_CANCELLED), "cancelled"));
    CHECK(!strcmp(surety__entry_state_name(SURETY_ENTRY_UNKNOWN), "unknown"));
    CHECK(!strcmp(surety__entry_state_name((surety_entry_state)99), "unknown"));
done:
    return;
}

TEST(turns_entries_into_cells)
{
    surety_entry entry = sample_entry(ID_1, SAMPLE_TEXT("prompt"));
    surety__cell cells[SURETY__COLUMNS];
    surety_entry back;

    surety__entry_cells(&entry, true, SURETY__COLUMNS, cells);
    back = surety__entry_of(cells);
    back.errors = entry.errors;
    back.repairs = entry.repairs;
    CHECK(sample_same(&entry, &back));
    /* What a database cannot count is kept as the most it can. */
    entry.input_tokens = (uint64_t)INT64_MAX + 1;
    entry.cost_picousd = UINT64_MAX;
    surety__entry_cells(&entry, false, SURETY__COLUMNS, cells);
    back = surety__entry_of(cells);
    CHECK(back.input_tokens == INT64_MAX && back.cost_picousd == INT64_MAX);
    CHECK(!back.prompt.len && !back.reply.len);
    /* What is not known is not there. */
    entry.usage_known = false;
    entry.cost_known = false;
    entry.ended_ms = 0;
    surety__entry_cells(&entry, false, SURETY__COLUMNS, cells);
    back = surety__entry_of(cells);
    CHECK(!back.usage_known && !back.input_tokens && !back.cost_known &&
          !back.cost_picousd && !back.ended_ms);
done:
    return;
}

/* The cell of a column. */
static surety__cell *cell_of(surety__cell *cells, const char *name)
{
    size_t i = 0;

    while (strcmp(surety__column_name(i), name) != 0)
        i++;
    return &cells[i];
}

/* Rows that another program wrote: a count below zero is not known, and never
 * a huge one. */
TEST(takes_no_count_below_zero)
{
    static const char *const counts[] = {
        "number",        "error_count",         "repair_count",
        "input_tokens",  "cached_input_tokens", "output_tokens",
        "cost_picousd",  "reasoning_tokens",    "saved_tokens",
        "stopped_bytes",
    };
    surety_entry entry = sample_entry(ID_1, SAMPLE_TEXT("prompt"));
    surety__cell cells[SURETY__COLUMNS];
    surety_entry back;

    for (size_t i = 0; i < CHECK_COUNT(counts); i++) {
        surety__entry_cells(&entry, true, SURETY__COLUMNS, cells);
        cell_of(cells, counts[i])->kind = CELL_INT;
        cell_of(cells, counts[i])->number = i % 2 ? INT64_MIN : -1;
        back = surety__entry_of(cells);
        CHECK(back.number <= entry.number);
        CHECK(back.error_count <= entry.error_count);
        CHECK(back.repair_count <= entry.repair_count);
        CHECK(back.input_tokens <= entry.input_tokens);
        CHECK(back.cached_input_tokens <= entry.cached_input_tokens);
        CHECK(back.output_tokens <= entry.output_tokens);
        CHECK(back.reasoning_tokens <= entry.reasoning_tokens);
        CHECK(back.cost_picousd <= entry.cost_picousd);
        CHECK(back.saved_tokens <= entry.saved_tokens);
        CHECK(back.stopped_bytes <= entry.stopped_bytes);
        CHECK(back.usage_known == (!strstr(counts[i], "_tokens") ||
                                   !strcmp(counts[i], "saved_tokens")));
        CHECK(back.cost_known == (strcmp(counts[i], "cost_picousd") != 0));
    }
    /* What is larger than its member is the most that it holds. */
    surety__entry_cells(&entry, true, SURETY__COLUMNS, cells);
    cell_of(cells, "number")->number = INT64_MAX;
    cell_of(cells, "http_status")->number = INT64_MIN;
    back = surety__entry_of(cells);
    CHECK(back.number == UINT32_MAX && back.http_status == INT_MIN);
done:
    return;
}

TEST(gives_back_what_it_took)
{
    const surety_alloc *alloc = check_alloc(t);
    const size_t size = 40000;
    char *big = surety__new(alloc, size);
    surety_ledger *ledger = NULL;
    surety_entry entry;
    surety_error err;
    place at;
    seen all = {.want = &entry};

    place_make(&at);
    NEED(big);
    for (size_t i = 0; i < size; i++)
        big[i] = (char)(i * 31 >> 3);
    entry = sample_entry(ID_1, (surety_str){big, size});
    TRY(open_at(t, &at, &ledger, &err));
    TRY(ledger->begin(ledger->ctx, &entry, &err));
    TRY(ledger->finish(ledger->ctx, &entry, &err));
    TRY(ledger->each(ledger->ctx, 0, see, &all, &err));
    CHECK(all.count == 1 && all.same == 1);
    /* Again changes nothing. */
    TRY(ledger->begin(ledger->ctx, &entry, &err));
    TRY(ledger->finish(ledger->ctx, &entry, &err));
    TRY(ledger->each(ledger->ctx, entry.started_ms, see, &all, &err));
    CHECK(all.count == 2 && all.same == 2);
    TRY(ledger->each(ledger->ctx, entry.started_ms + 1, see, &all, &err));
    CHECK(all.count == 2);
done:
    surety_ledger_close(ledger);
    surety__free(alloc, big, size);
    place_remove(&at);
}

TEST(finishes_once)
{
    surety_ledger *ledger = NULL;
    surety_entry entry = sample_entry(ID_2, (surety_str){NULL, 0});
    surety_error err;
    place at;
    seen all = {.want = NULL};

    place_make(&at);
    TRY(open_at(t, &at, &ledger, &err));
    /* Without a begin it is recorded whole. */
    TRY(ledger->finish(ledger->ctx, &entry, &err));
    entry.state = SURETY_ENTRY_FAILED;
    entry.error_count = 0;
    TRY(ledger->finish(ledger->ctx, &entry, &err));
    TRY(ledger->each(ledger->ctx, 0, see, &all, &err));
    CHECK(all.count == 1 && all.last.state == SURETY_ENTRY_DONE);
    CHECK(all.last.error_count == 2 && all.last.repair_count == 1);
    CHECK(!all.last.prompt.len);
done:
    surety_ledger_close(ledger);
    place_remove(&at);
}

TEST(leaves_nothing_open)
{
    surety_ledger *ledger = NULL;
    surety_ledger *other = NULL;
    surety_entry entry = sample_entry(ID_1, (surety_str){NULL, 0});
    surety_error err;
    place at;
    seen all = {.want = &entry};

    place_make(&at);
    TRY(open_at(t, &at, &ledger, &err));
    TRY(ledger->begin(ledger->ctx, &entry, &err));
    /* Another one that opens leaves a living writer's alone. */
    TRY(open_at(t, &at, &other, &err));
    TRY(other->each(other->ctx, 0, see, &all, &err));
    CHECK(all.count == 1 && all.last.state == SURETY_ENTRY_OPEN);
    surety_ledger_close(ledger);
    ledger = NULL;
    TRY(other->each(other->ctx, 0, see, &all, &err));
    /* Closing itself may have had no memory to say so. */
    CHECK(t->starved || all.last.state == SURETY_ENTRY_UNKNOWN);
    /* Who was taken for dead may still finish. */
    TRY(other->finish(other->ctx, &entry, &err));
    TRY(other->each(other->ctx, 0, see, &all, &err));
    CHECK(all.count == 3 && all.last.state == SURETY_ENTRY_DONE);
done:
    surety_ledger_close(ledger);
    surety_ledger_close(other);
    place_remove(&at);
}

TEST(walks_page_by_page)
{
    surety_ledger *ledger = NULL;
    char id[] = ID_1;
    surety_entry entry = sample_entry(id, (surety_str){NULL, 0});
    surety_error err;
    place at;
    seen all = {.want = NULL};
    seen some = {.most = 65};
    const char hex[] = "0123456789abcdef";

    place_make(&at);
    TRY(open_at(t, &at, &ledger, &err));
    entry.error_count = 0;
    entry.repair_count = 0;
    for (int i = 129; i > 0; i--) {
        id[34] = hex[i >> 4 & 15];
        id[33] = hex[i >> 8 & 15];
        id[35] = hex[i & 15];
        entry.started_ms = i / 3; /* three at once */
        entry.number = (uint32_t)i;
        TRY(ledger->finish(ledger->ctx, &entry, &err));
    }
    TRY(ledger->each(ledger->ctx, 0, see, &all, &err));
    CHECK(all.count == 129 && all.last.started_ms == 43);
    TRY(ledger->each(ledger->ctx, 0, see, &some, &err));
    CHECK(some.count == 65);
    all.count = 0;
    TRY(ledger->each(ledger->ctx, 40, see, &all, &err));
    CHECK(all.count == 10);
done:
    surety_ledger_close(ledger);
    place_remove(&at);
}

TEST(refuses_misuse)
{
    surety_ledger *ledger = NULL;
    surety_entry entry = sample_entry(ID_1, (surety_str){NULL, 0});
    const surety_str bad[] = {
        {NULL, 0},
        SAMPLE_TEXT("018f2d3c-0000-7000-8000-00000000000"),
        SAMPLE_TEXT("018f2d3c-0000-7000-8000-0000000000011"),
        SAMPLE_TEXT("018f2d3c-0000-7000-8000-00000000000g"),
        SAMPLE_TEXT("018f2d3c00000-7000-8000-000000000001"),
        SAMPLE_TEXT("018f2d3c-0000-7000-8000-00000000000\0")};
    surety_error err;
    place at;

    place_make(&at);
    TRY(open_at(t, &at, &ledger, &err));
    for (size_t i = 0; i < CHECK_COUNT(bad); i++) {
        entry.id = bad[i];
        EXPECT(SURETY_MISUSE, ledger->begin(ledger->ctx, &entry, &err));
        EXPECT(SURETY_MISUSE, ledger->finish(ledger->ctx, &entry, NULL));
    }
    entry.id = surety_str_of(ID_1);
    entry.state = SURETY_ENTRY_OPEN;
    EXPECT(SURETY_MISUSE, ledger->finish(ledger->ctx, &entry, &err));
    entry.size = 0;
    EXPECT(SURETY_MISUSE, ledger->begin(ledger->ctx, &entry, &err));
    EXPECT(SURETY_MISUSE,
           surety_ledger_open(surety_str_of(""), NULL, &ledger, &err));
    EXPECT(SURETY_MISUSE,
           surety_ledger_open(surety_str_of("sqlite:"), NULL, &ledger, &err));
    EXPECT(SURETY_MISUSE,
           surety_ledger_open(SAMPLE_TEXT("a\0b"), NULL, &ledger, &err));
    EXPECT(SURETY_UNSUPPORTED, surety_ledger_open(surety_str_of("mysql://h/d"),
                                                  NULL, &ledger, &err));
    CHECK(strstr(err.message, "mysql://"));
done:
    surety_ledger_close(ledger);
    place_remove(&at);
}

/* Runs SQL on the file, as somebody else. */
static bool tamper(const place *at, const char *sql)
{
    sqlite3 *db = NULL;
    const bool done = !sqlite3_open(at->path, &db) &&
                      !sqlite3_exec(db, sql, NULL, NULL, NULL);

    (void)sqlite3_close(db);
    return done;
}

TEST(refuses_what_is_not_its_own)
{
    surety_ledger *ledger = NULL;
    surety_error err;
    place at;

    place_make(&at);
    CHECK(tamper(&at, "CREATE TABLE theirs (x)"));
    EXPECT(SURETY_UNSUPPORTED, open_at(t, &at, &ledger, &err));
    CHECK(strstr(err.message, "another program"));
    place_remove(&at);
    place_make(&at);
    CHECK(tamper(&at, "PRAGMA application_id = 7"));
    EXPECT(SURETY_UNSUPPORTED, open_at(t, &at, &ledger, &err));
    place_remove(&at);
    place_make(&at);
    TRY(open_at(t, &at, &ledger, &err));
    surety_ledger_close(ledger);
    ledger = NULL;
    CHECK(tamper(&at, "PRAGMA user_version = 9"));
    EXPECT(SURETY_UNSUPPORTED, open_at(t, &at, &ledger, &err));
    CHECK(strstr(err.message, "version 9"));
    CHECK(tamper(&at, "PRAGMA user_version = -1"));
    EXPECT(SURETY_UNSUPPORTED, open_at(t, &at, &ledger, &err));
done:
    surety_ledger_close(ledger);
    place_remove(&at);
}

/* Grouped writes are there after the flush, and the same rows as others. */
TEST(writes_a_group_at_once)
{
    surety_ledger *ledger = NULL;
    surety_entry first = sample_entry(ID_1, SAMPLE_TEXT("prompt"));
    surety_entry second = sample_entry(ID_2, (surety_str){NULL, 0});
    surety_error err;
    place at;
    seen all = {.want = &first};

    place_make(&at);
    TRY(open_at(t, &at, &ledger, &err));
    TRY(ledger->flush(ledger->ctx, &err));
    ledger->grouped = true;
    TRY(ledger->begin(ledger->ctx, &first, &err));
    TRY(ledger->begin(ledger->ctx, &second, &err));
    TRY(ledger->finish(ledger->ctx, &first, &err));
    CHECK(ledger->waiting == 3);
    TRY(ledger->each(ledger->ctx, 0, see, &all, &err));
    CHECK(all.count == 0);
    TRY(ledger->flush(ledger->ctx, &err));
    CHECK(ledger->waiting == 0);
    TRY(ledger->each(ledger->ctx, 0, see, &all, &err));
    CHECK(all.count == 2 && all.same == 1);
    /* What is wrong with an entry is said at once. */
    first.id = surety_str_of("no UUID");
    EXPECT(SURETY_MISUSE, ledger->begin(ledger->ctx, &first, &err));
    CHECK(ledger->waiting == 0);
    /* A write that is not grouped takes what waits with it. */
    first.id = surety_str_of(ID_1);
    TRY(ledger->begin(ledger->ctx, &first, &err));
    ledger->grouped = false;
    TRY(ledger->finish(ledger->ctx, &second, &err));
    CHECK(ledger->waiting == 0);
    all = (seen){.want = &second};
    TRY(ledger->each(ledger->ctx, 0, see, &all, &err));
    CHECK(all.count == 2 && all.same == 1);
done:
    surety_ledger_close(ledger);
    place_remove(&at);
}

/* A flush that fails drops the group, and a full group that fails is reported
 * by the next flush. */
TEST(reports_a_group_that_fails)
{
    surety_ledger *ledger = NULL;
    surety_entry entry = sample_entry(ID_1, (surety_str){NULL, 0});
    surety_error err;
    place at;

    place_make(&at);
    TRY(open_at(t, &at, &ledger, &err));
    ledger->grouped = true;
    CHECK(!unlink(at.path));
    TRY(ledger->begin(ledger->ctx, &entry, &err));
    EXPECT(SURETY_IO, ledger->flush(ledger->ctx, &err));
    CHECK(strstr(err.message, "deleted") && ledger->waiting == 0);
    /* It has nothing to report, and tries whether it can write again. */
    EXPECT(SURETY_IO, ledger->flush(ledger->ctx, &err));
    for (int i = 0; i < 1500; i++)
        TRY(ledger->begin(ledger->ctx, &entry, &err));
    CHECK(ledger->waiting == 1500);
    EXPECT(SURETY_IO, ledger->flush(ledger->ctx, &err));
    CHECK(strstr(err.message, "deleted") && ledger->waiting == 0);
    EXPECT(SURETY_IO, ledger->flush(ledger->ctx, &err));
done:
    surety_ledger_close(ledger);
    place_remove(&at);
}

/* Whether the ledger finds that it can write; its disk is full or not. */
static surety_status flush_when(surety_ledger *ledger, bool is_full)
{
    struct rlimit was, now;
    surety_status status;

    getrlimit(RLIMIT_FSIZE, &was);
    now = (struct rlimit){is_full ? 0 : was.rlim_cur, was.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
    status = ledger->flush(ledger->ctx, NULL);
    setrlimit(RLIMIT_FSIZE, &was);
    return status;
}

/* After a failure a flush without rows tries whether the disk takes any. */
TEST(tries_a_disk_that_was_full)
{
    void (*const was)(int) = signal(SIGXFSZ, SIG_IGN);
    surety_ledger *ledger = NULL;
    surety_entry entry = sample_entry(ID_1, (surety_str){NULL, 0});
    sqlite3 *db = NULL;
    place at;

    place_make(&at);
    TRY(open_at(t, &at, &ledger, NULL));
    /* So that there is nothing else to write when it is tried. */
    CHECK(
        !sqlite3_open(at.path, &db) &&
        !sqlite3_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL));
    ledger->grouped = true;
    TRY(flush_when(ledger, true)); /* nothing to write, nothing failed */
    TRY(ledger->begin(ledger->ctx, &entry, NULL));
    for (int i = 0; i < 3; i++)
        EXPECT(SURETY_IO, flush_when(ledger, true));
    TRY(flush_when(ledger, false));
    TRY(ledger->begin(ledger->ctx, &entry, NULL));
    TRY(flush_when(ledger, false));
done:
    sqlite3_close(db);
    surety_ledger_close(ledger);
    place_remove(&at);
    signal(SIGXFSZ, was);
}

TEST(notices_a_file_that_is_gone)
{
    surety_ledger *ledger = NULL;
    surety_entry entry = sample_entry(ID_1, (surety_str){NULL, 0});
    surety_error err;
    place at;

    place_make(&at);
    TRY(open_at(t, &at, &ledger, &err));
    CHECK(!unlink(at.path));
    EXPECT(SURETY_IO, ledger->begin(ledger->ctx, &entry, &err));
    CHECK(strstr(err.message, "deleted"));
    CHECK(err.hint[0]);
    EXPECT(SURETY_IO, ledger->finish(ledger->ctx, &entry, &err));
done:
    surety_ledger_close(ledger);
    place_remove(&at);
}

/* The tick at which this process began: the 22nd word of its stat file, the
 * second of which is its name in parentheses. */
static bool began_at(const char *start)
{
    char text[1024] = "";
    FILE *file = fopen("/proc/self/stat", "r");
    const char *ptr;

    if (!file)
        return !*start;
    if (!fgets(text, sizeof(text), file))
        text[0] = '\0';
    fclose(file);
    ptr = strrchr(text, ')');
    for (int i = 2; ptr && i < 22; i++)
        ptr = strchr(ptr + 1, ' ');
    return ptr && !strncmp(ptr + 1, start, strlen(start)) &&
           ptr[1 + strlen(start)] == ' ';
}

TEST(tells_writers_apart)
{
    surety__writer self;
    surety__writer other;

    surety__writer_self(&self);
    other = self;
    CHECK(began_at(self.start));
    CHECK(!strchr(self.boot, '\n') && !strchr(self.host, '\n'));
    CHECK(!self.boot[0] || strlen(self.boot) == 36);
    CHECK(strchr(self.host, '/'));
    CHECK(self.pid == getpid());
    CHECK(surety__writer_state_of(&self, &other) == WRITER_ALIVE);
    other.start[0] = '9';
    other.start[1] = '\0';
    CHECK(!self.start[0] ||
          surety__writer_state_of(&self, &other) == WRITER_DEAD);
    other = self;
    other.pid = INT32_MAX;
    CHECK(surety__writer_state_of(&self, &other) == WRITER_DEAD);
    other.pid = INT64_MAX;
    CHECK(surety__writer_state_of(&self, &other) == WRITER_UNSEEN);
    other.pid = 0;
    CHECK(surety__writer_state_of(&self, &other) == WRITER_UNSEEN);
    other = self;
    other.boot[0] = 'x';
    CHECK(surety__writer_state_of(&self, &other) == WRITER_DEAD);
    other.host[0] = 'x';
    CHECK(surety__writer_state_of(&self, &other) == WRITER_UNSEEN);
    other = self;
    other.space[0] = 'x';
    CHECK(surety__writer_state_of(&self, &other) == WRITER_UNSEEN);
    other = self;
    other.pid = 1;
    CHECK(surety__writer_state_of(&self, &other) != WRITER_UNSEEN);
done:
    return;
}

static surety_status open_to_read(struct check *t, const char *path, bool raw,
                                  surety_ledger **ret_ledger,
                                  surety_error *reterr)
{
    const surety_ledger_options options = {.size = sizeof(options),
                                           .raw = raw,
                                           .read_only = true,
                                           .timeout_ms = 500,
                                           .alloc = check_alloc(t)};

    return surety_ledger_open(surety_str_of(path), &options, ret_ledger,
                              reterr);
}

TEST(reads_only)
{
    surety_ledger *ledger = NULL;
    surety_ledger *reader = NULL;
    surety_entry entry = sample_entry(ID_1, SAMPLE_TEXT("prompt"));
    surety_error err;
    place at;
    seen all = {.want = &entry};

    place_make(&at);
    /* Nothing there, and nothing made. */
    EXPECT(SURETY_END, open_to_read(t, at.path, true, &reader, &err));
    CHECK(strstr(err.message, "no ledger at") && *err.hint);
    CHECK(access(at.path, F_OK));
    EXPECT(SURETY_IO, open_to_read(t, at.folder, true, &reader, &err));
    TRY(open_at(t, &at, &ledger, &err));
    TRY(ledger->begin(ledger->ctx, &entry, &err));
    TRY(open_to_read(t, at.path, true, &reader, &err));
    /* What is open stays so, for its writer lives or not. */
    TRY(reader->each(reader->ctx, 0, see, &all, &err));
    CHECK(all.count == 1 && all.last.state == SURETY_ENTRY_OPEN);
    EXPECT(SURETY_MISUSE, reader->begin(reader->ctx, &entry, &err));
    CHECK(strstr(err.message, "read only"));
    EXPECT(SURETY_MISUSE, reader->finish(reader->ctx, &entry, &err));
    /* What is written meanwhile is seen. */
    TRY(ledger->finish(ledger->ctx, &entry, &err));
    TRY(reader->each(reader->ctx, 0, see, &all, &err));
    CHECK(all.count == 2 && all.same == 1);
    surety_ledger_close(reader);
    reader = NULL;
    /* Without the raw texts. */
    TRY(open_to_read(t, at.path, false, &reader, &err));
    entry.prompt = entry.reply = (surety_str){NULL, 0};
    TRY(reader->each(reader->ctx, 0, see, &all, &err));
    CHECK(all.count == 3 && all.same == 2);
done:
    surety_ledger_close(reader);
    surety_ledger_close(ledger);
    place_remove(&at);
}

TEST(reads_no_other_version)
{
    surety_ledger *ledger = NULL;
    surety_error err;
    place at;

    place_make(&at);
    /* A file without anything is none yet. */
    CHECK(tamper(&at, "PRAGMA user_version = 0"));
    EXPECT(SURETY_END, open_to_read(t, at.path, true, &ledger, &err));
    TRY(open_at(t, &at, &ledger, &err));
    surety_ledger_close(ledger);
    ledger = NULL;
    CHECK(tamper(&at, "PRAGMA user_version = 4"));
    EXPECT(SURETY_UNSUPPORTED, open_to_read(t, at.path, true, &ledger, &err));
    CHECK(strstr(err.message, "version 4") && strstr(err.hint, "surety run"));
    CHECK(tamper(&at, "PRAGMA user_version = 9"));
    EXPECT(SURETY_UNSUPPORTED, open_to_read(t, at.path, true, &ledger, &err));
    CHECK(strstr(err.message, "version 9"));
    CHECK(tamper(&at, "PRAGMA application_id = 7"));
    EXPECT(SURETY_UNSUPPORTED, open_to_read(t, at.path, true, &ledger, &err));
    CHECK(strstr(err.message, "another program"));
done:
    surety_ledger_close(ledger);
    place_remove(&at);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"names states", names_states},
        {"turns entries into cells and back", turns_entries_into_cells},
        {"takes no count below zero", takes_no_count_below_zero},
        {"gives back what it took", gives_back_what_it_took},
        {"finishes once", finishes_once},
        {"leaves nothing open", leaves_nothing_open},
        {"walks page by page", walks_page_by_page},
        {"refuses misuse", refuses_misuse},
        {"refuses what is not its own", refuses_what_is_not_its_own},
        {"writes a group at once", writes_a_group_at_once},
        {"reports a group that fails", reports_a_group_that_fails},
        {"tries a disk that was full", tries_a_disk_that_was_full},
        {"notices a file that is gone", notices_a_file_that_is_gone},
        {"tells writers apart", tells_writers_apart},
        {"reads only", reads_only},
        {"reads no other version", reads_no_other_version},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
