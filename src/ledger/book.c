/* SPDX-License-Identifier: Apache-2.0 */
/* A ledger on top of a store: its operations, in SQL that both kinds of
 * database run.
 *
 * Every write is one transaction that may be repeated: an entry is identified
 * by its id, a second begin changes nothing, and a second finish finds the
 * entry finished. So if a store does not know whether a commit arrived, the
 * whole transaction is sent again.
 *
 * Opening migrates the database to this version, adds a row for this writer,
 * and checks the writers that never closed: entries that dead ones left open
 * become unknown. A writer that cannot be checked from here counts as dead a
 * day after its last open attempt was recorded. A writer that was wrongly
 * taken for dead may still finish such an entry.
 *
 * Reading works in pages, so memory is bounded by one page of texts of at most
 * 16 KiB each, and one prompt or reply. */
#include "ledger/ledger.h"

#define BOOK_UNSEEN_MS (24 * 3600 * (int64_t)1000)
/* Writes of a group: so many are one transaction of some milliseconds. */
#define BOOK_GROUP_MAX 1024

typedef struct surety__book {
    surety_ledger ledger; /* what the caller sees */
    const surety_alloc *alloc;
    surety__store *store;
    surety__writer self;
    int64_t writer; /* this writer's row; 0: none yet */
    bool bare;      /* prompts and replies are left out */
    surety__group group;
    surety_status failed; /* of a full group; the next flush returns it */
    surety_error failure;
    bool is_lost; /* the last write failed */
} surety__book;

static surety__cell book_number(int64_t number)
{
    return (surety__cell){.kind = CELL_INT, .number = number};
}

static surety__cell book_text(surety_str text)
{
    return (surety__cell){.kind = CELL_TEXT, .text = text};
}

/* A text that is NULL if it is empty. */
static surety__cell book_maybe(surety_str text)
{
    return (surety__cell){.kind = text.len ? CELL_TEXT : CELL_NULL,
                          .text = text};
}

/* Runs a statement without rows. */
static surety_status book_do(surety__book *book, surety__sql which,
                             const surety__cell *cells, size_t count,
                             int64_t *ret_changed, surety_error *reterr)
{
    const surety__query query = {
        .which = which, .cells = cells, .count = count};

    assert(which < SQL_COUNT && count <= SURETY__COLUMNS + 1);
    return book->store->run(book->store, &query, ret_changed, reterr);
}

/* Runs work in a transaction. */
static surety_status book_transact(surety__book *book,
                                   surety_status (*work)(void *owner,
                                                         const void *ctx,
                                                         surety_error *reterr),
                                   const void *ctx, surety_error *reterr)
{
    const surety_status status =
        surety__store_write(book->store, work, book, ctx, reterr);

    book->is_lost = status != SURETY_OK;
    return status;
}

/* ---- begin and finish ---------------------------------------------------- */

/* Whether text has the form of a UUID (RFC 9562, section 4). */
static bool book_is_uuid(surety_str text)
{
    if (text.len != 36)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;

        if (is_dash ? byte != '-' : surety__hex_digit(byte) > 15)
            return false;
    }
    return true;
}

/* Copies an entry of any size that a caller's header gave it, and checks it. */
static surety_status book_take(surety_entry *own, const surety_entry *entry,
                               bool ends, surety_error *reterr)
{
    if (surety__options_take(own, sizeof(*own), entry, reterr))
        return SURETY_MISUSE;
    entry = own;
    if (!book_is_uuid(entry->id))
        return surety__fail(reterr, SURETY_MISUSE,
                            "the entry's id \"%.*s\" is no UUID",
                            (int)(entry->id.len < 40 ? entry->id.len : 40),
                            entry->id.len ? entry->id.ptr : "");
    if (ends && (entry->state <= SURETY_ENTRY_OPEN ||
                 entry->state > SURETY_ENTRY_UNKNOWN))
        return surety__fail(reterr, SURETY_MISUSE,
                            "an entry cannot be finished as %s",
                            surety__entry_state_name(entry->state));
    return SURETY_OK;
}

static surety_status book_begin_work(void *owner, const void *ctx,
                                     surety_error *reterr)
{
    surety__book *book = owner;
    surety__cell cells[SURETY__BEGIN_COLUMNS + 1];

    surety__entry_cells(ctx, book->ledger.raw, SURETY__BEGIN_COLUMNS, cells);
    cells[SURETY__BEGIN_COLUMNS] = book_number(book->writer);
    return book_do(book, SQL_BEGIN, cells, SURETY__BEGIN_COLUMNS + 1, NULL,
                   reterr);
}

static surety_status book_add_issues(surety__book *book, surety__sql which,
                                     const surety_entry *entry,
                                     surety_error *reterr)
{
    const bool errors = which == SQL_ADD_ERROR;
    const surety_entry_issue *issues = errors ? entry->errors : entry->repairs;
    const size_t count = errors ? entry->error_count : entry->repair_count;
    surety_status status = SURETY_OK;

    for (size_t i = 0; i < count && !status; i++) {
        const surety__cell cells[] = {
            book_text(entry->id), book_number((int64_t)i + 1),
            book_maybe(issues[i].kind),
            /* The pointer to the root is the empty text, not NULL. */
            book_text(issues[i].path), book_maybe(issues[i].message)};

        status = book_do(book, which, cells, 5, NULL, reterr);
    }
    return status;
}

static surety_status book_finish_work(void *owner, const void *ctx,
                                      surety_error *reterr)
{
    surety__book *book = owner;
    surety__cell cells[SURETY__COLUMNS + 1];
    int64_t changed = 0;
    surety_status status;

    surety__entry_cells(ctx, book->ledger.raw, SURETY__COLUMNS, cells);
    cells[SURETY__COLUMNS] = cells[0]; /* the id */
    status =
        book_do(book, SQL_FINISH, cells + SURETY__BEGIN_COLUMNS,
                SURETY__COLUMNS - SURETY__BEGIN_COLUMNS + 1, &changed, reterr);
    cells[SURETY__COLUMNS] = book_number(book->writer);
    if (!status && !changed)
        status = book_do(book, SQL_ADD_FINISHED, cells, SURETY__COLUMNS + 1,
                         &changed, reterr);
    if (status || !changed)
        return status;
    status = book_add_issues(book, SQL_ADD_ERROR, ctx, reterr);
    if (!status)
        status = book_add_issues(book, SQL_ADD_REPAIR, ctx, reterr);
    return status;
}

/* ---- groups -------------------------------------------------------------- */

static surety_status book_group_work(void *owner, const void *ctx,
                                     surety_error *reterr)
{
    surety__book *book = owner;
    surety_status status = SURETY_OK;

    (void)ctx;
    for (size_t i = 0; i < book->group.count && !status; i++) {
        const surety__write *write = &book->group.list[i];

        status = write->ends ? book_finish_work(book, &write->entry, reterr)
                             : book_begin_work(book, &write->entry, reterr);
    }
    return status;
}

static surety_status book_touch_work(void *owner, const void *ctx,
                                     surety_error *reterr)
{
    surety__book *book = owner;
    const surety__cell cell = book_number(book->writer);
    const surety_status status =
        book_do(book, SQL_TOUCH, &cell, 1, NULL, reterr);

    (void)ctx;
    return status ? status : book_do(book, SQL_TOUCH, &cell, 1, NULL, reterr);
}

static surety_status book_flush(void *ctx, surety_error *reterr)
{
    surety__book *book = ctx;
    surety_status status = book->failed;

    if (status && reterr)
        *reterr = book->failure;
    book->failed = SURETY_OK;
    if (!status && book->group.count)
        status = book_transact(book, book_group_work, NULL, reterr);
    else if (!status && book->is_lost)
        status = book_transact(book, book_touch_work, NULL, reterr);
    surety__group_clear(&book->group);
    book->ledger.waiting = 0;
    return status;
}

/* Keeps a write for flush. A group that is full is written; that it failed is
 * for the caller of flush. */
static surety_status book_keep_write(surety__book *book,
                                     const surety_entry *entry, bool ends,
                                     surety_error *reterr)
{
    const surety_status status =
        surety__group_add(&book->group, entry, ends, book->ledger.raw, reterr);

    if (status)
        return status;
    book->ledger.waiting++;
    if (book->group.count >= BOOK_GROUP_MAX && !book->failed) {
        const size_t waiting = book->ledger.waiting;

        book->failed = book_flush(book, &book->failure);
        book->ledger.waiting = waiting;
    } else if (book->failed) {
        surety__group_clear(&book->group);
    }
    return SURETY_OK;
}

static surety_status book_write(surety__book *book, const surety_entry *entry,
                                bool ends, surety_error *reterr)
{
    surety_entry own;
    surety_status status = book_take(&own, entry, ends, reterr);

    if (status)
        return status;
    if (book->ledger.grouped)
        return book_keep_write(book, &own, ends, reterr);
    /* What waits comes first: the begin of this entry may be among it. */
    if (book->group.count) {
        status = book_keep_write(book, &own, ends, reterr);
        return status ? status : book_flush(book, reterr);
    }
    return book_transact(book, ends ? book_finish_work : book_begin_work, &own,
                         reterr);
}

static surety_status book_begin(void *ctx, const surety_entry *entry,
                                surety_error *reterr)
{
    return book_write(ctx, entry, false, reterr);
}

static surety_status book_finish(void *ctx, const surety_entry *entry,
                                 surety_error *reterr)
{
    return book_write(ctx, entry, true, reterr);
}

/* ---- each ---------------------------------------------------------------- */

typedef struct book_walk {
    surety__book *book;
    bool (*each)(void *ctx, const surety_entry *entry);
    void *each_ctx;
    int64_t after_ms, after; /* the sort key of the last row */
    size_t rows;             /* in this page */
    bool stopped;
    surety__arena arena; /* memory of one entry */
    surety_entry_issue *issues;
    size_t issue_count, issue_max;
    surety_str *raw; /* where to store a text that was too long for the page */
    surety_status status;
    surety_error cause;
} book_walk;

static surety_str book_keep(book_walk *walk, surety_str text)
{
    const surety_str copy = surety__arena_text(&walk->arena, text);

    if (!copy.ptr)
        walk->status = surety__fail_nomem(&walk->cause);
    return copy;
}

static bool book_take_issue(void *ctx, const surety__cell *cells)
{
    book_walk *walk = ctx;
    surety_entry_issue *issue = &walk->issues[walk->issue_count];

    assert(walk->issue_count <= walk->issue_max);
    if (walk->issue_count == walk->issue_max)
        return false;
    walk->issue_count++;
    issue->kind = book_keep(walk, cells[0].text);
    issue->path = book_keep(walk, cells[1].text);
    issue->message = book_keep(walk, cells[2].text);
    return !walk->status;
}

static bool book_take_raw(void *ctx, const surety__cell *cells)
{
    book_walk *walk = ctx;

    if (cells[0].kind != CELL_NULL)
        *walk->raw = book_keep(walk, cells[0].text);
    return false;
}

/* Runs a query; its rows set the walk's status if they fail. */
static void book_read(book_walk *walk, const surety__query *query)
{
    surety__store *store = walk->book->store;
    surety_error cause;
    const surety_status status = store->run(store, query, NULL, &cause);

    if (status && !walk->status) {
        walk->status = status;
        walk->cause = cause;
    }
}

/* Reads the errors or repairs of an entry, at most as many as its count. */
static void book_read_issues(book_walk *walk, surety__sql which,
                             const surety_entry *entry, size_t *count,
                             const surety_entry_issue **ret_issues)
{
    const surety__cell id = book_text(entry->id);
    const surety__query query = {which, &id, 1, book_take_issue, walk};

    if (walk->status || !*count)
        return;
    walk->issues = NULL;
    walk->issue_count = 0;
    walk->issue_max = *count;
    if (*count <= SIZE_MAX / sizeof(*walk->issues))
        walk->issues =
            surety__arena_take(&walk->arena, *count * sizeof(*walk->issues));
    if (!walk->issues) {
        walk->status = surety__fail_nomem(&walk->cause);
        return;
    }
    book_read(walk, &query);
    *ret_issues = walk->issues;
    *count = walk->issue_count;
}

static void book_read_raw(book_walk *walk, surety__sql which, int64_t seq,
                          surety_str *text)
{
    const surety__cell cell = book_number(seq);
    const surety__query query = {which, &cell, 1, book_take_raw, walk};

    if (walk->status)
        return;
    walk->raw = text;
    book_read(walk, &query);
}

/* Takes one row of a page: SURETY__COLUMNS, then seq and the lengths of the
 * raw texts. */
static bool book_take_entry(void *ctx, const surety__cell *cells)
{
    book_walk *walk = ctx;
    const surety__cell *more = cells + SURETY__COLUMNS;
    surety_entry entry = surety__entry_of(cells);

    assert(!walk->stopped && !walk->status);
    walk->rows++;
    walk->after_ms = entry.started_ms;
    walk->after = more[0].number;
    book_read_issues(walk, SQL_ERRORS, &entry, &entry.error_count,
                     &entry.errors);
    book_read_issues(walk, SQL_REPAIRS, &entry, &entry.repair_count,
                     &entry.repairs);
    if (more[1].number && !entry.prompt.len)
        book_read_raw(walk, SQL_PROMPT, walk->after, &entry.prompt);
    if (more[2].number && !entry.reply.len)
        book_read_raw(walk, SQL_REPLY, walk->after, &entry.reply);
    if (!walk->status)
        walk->stopped = !walk->each(walk->each_ctx, &entry);
    surety__arena_reset(&walk->arena);
    return !walk->status && !walk->stopped;
}

static surety_status book_each(void *ctx, int64_t since_ms,
                               bool (*each)(void *ctx,
                                            const surety_entry *entry),
                               void *each_ctx, surety_error *reterr)
{
    surety__book *book = ctx;
    book_walk walk = {.book = book,
                      .each = each,
                      .each_ctx = each_ctx,
                      .after_ms = since_ms ? since_ms : INT64_MIN};
    surety_status status = SURETY_OK;

    surety__arena_init(&walk.arena, book->alloc, 0);
    do {
        const surety__cell cells[] = {book_number(walk.after_ms),
                                      book_number(walk.after)};
        const surety__query query = {book->bare ? SQL_PAGE_BARE : SQL_PAGE,
                                     cells, 2, book_take_entry, &walk};

        walk.rows = 0;
        status = book->store->run(book->store, &query, NULL, &walk.cause);
        if (!status)
            status = walk.status;
    } while (!status && !walk.stopped && walk.rows);
    surety__arena_done(&walk.arena);
    if (status && reterr)
        *reterr = walk.cause;
    return status;
}

/* ---- opening and closing ------------------------------------------------- */

typedef struct book_dead {
    surety__book *book;
    int64_t *ids;
    size_t count, cap;
    surety_status status;
} book_dead;

static void book_fill(char *out, size_t size, surety_str text)
{
    const size_t len = text.len < size ? text.len : size - 1;

    memcpy(out, text.len ? text.ptr : "", len);
    out[len] = '\0';
}

/* Takes a writer that did not close: its id, its identity, and for how many
 * milliseconds it has recorded nothing. */
static bool book_take_writer(void *ctx, const surety__cell *cells)
{
    book_dead *dead = ctx;
    surety__writer_state state;
    surety__writer other;

    memset(&other, 0, sizeof(other));
    book_fill(other.host, sizeof(other.host), cells[1].text);
    book_fill(other.boot, sizeof(other.boot), cells[2].text);
    book_fill(other.space, sizeof(other.space), cells[3].text);
    book_fill(other.start, sizeof(other.start), cells[4].text);
    other.pid = cells[5].number;
    state = surety__writer_state_of(&dead->book->self, &other);
    if (state == WRITER_ALIVE ||
        (state == WRITER_UNSEEN && cells[6].number < BOOK_UNSEEN_MS))
        return true;
    dead->status = surety__grow(dead->book->alloc, &dead->ids, &dead->cap,
                                dead->count + 1, sizeof(*dead->ids), SIZE_MAX);
    if (!dead->status)
        dead->ids[dead->count++] = cells[0].number;
    return !dead->status;
}

static surety_status book_bury(surety__book *book, int64_t writer,
                               surety_error *reterr)
{
    const surety__cell cell = book_number(writer);
    surety_status status = book_do(book, SQL_ABANDON, &cell, 1, NULL, reterr);

    if (!status)
        status = book_do(book, SQL_CLOSE_WRITER, &cell, 1, NULL, reterr);
    return status;
}

/* Entries that dead writers left open become unknown. */
static surety_status book_sweep(surety__book *book, surety_error *reterr)
{
    book_dead dead = {.book = book};
    const surety__query query = {SQL_WRITERS, NULL, 0, book_take_writer, &dead};
    surety_status status = book->store->run(book->store, &query, NULL, reterr);

    if (!status && dead.status)
        status = surety__fail_nomem(reterr);
    for (size_t i = 0; i < dead.count && !status; i++)
        status = book_bury(book, dead.ids[i], reterr);
    surety__free(book->alloc, dead.ids, dead.cap * sizeof(*dead.ids));
    return status;
}

static bool book_take_id(void *ctx, const surety__cell *cells)
{
    *(int64_t *)ctx = cells[0].number;
    return true;
}

/* All work of opening, in one transaction: of two programs that open at the
 * same time only one creates the tables. */
static surety_status book_open_work(void *owner, const void *ctx,
                                    surety_error *reterr)
{
    surety__book *book = owner;
    const surety__writer *self = &book->self;
    const surety__cell cells[] = {book_text(surety_str_of(self->host)),
                                  book_text(surety_str_of(self->boot)),
                                  book_text(surety_str_of(self->space)),
                                  book_text(surety_str_of(self->start)),
                                  book_number(self->pid)};
    const surety__query add = {SQL_ADD_WRITER, cells, 5, book_take_id,
                               &book->writer};
    surety__store *store = book->store;
    surety_status status = surety__store_migrate(store, reterr);

    (void)ctx;
    if (!status)
        status = book_sweep(book, reterr);
    if (!status)
        status = store->run(store, &add, NULL, reterr);
    return status;
}

/* All work of opening for reading only. */
static surety_status book_look_work(void *owner, const void *ctx,
                                    surety_error *reterr)
{
    surety__book *book = owner;
    surety__store *store = book->store;
    int64_t version = 0;
    surety_status status = store->version(store, &version, reterr);

    (void)ctx;
    if (status || version == SURETY__LEDGER_VERSION)
        return status;
    if (!version)
        return surety__fail_absent(store->name, reterr);
    if (version > SURETY__LEDGER_VERSION)
        return surety__fail_version(store, version, reterr);
    (void)surety__fail(reterr, SURETY_UNSUPPORTED,
                       "the ledger %.*s is of version %u, and only version %d "
                       "can be read without changing it",
                       (int)store->name.len, store->name.ptr, (unsigned)version,
                       SURETY__LEDGER_VERSION);
    surety__hint(reterr, "the next surety run that records to it brings it to "
                         "that version");
    return SURETY_UNSUPPORTED;
}

/* begin and finish of a ledger that was opened for reading only. */
static surety_status book_refuse(void *ctx, const surety_entry *entry,
                                 surety_error *reterr)
{
    const surety__book *book = ctx;

    (void)entry;
    return surety__fail(reterr, SURETY_MISUSE,
                        "the ledger %.*s was opened to be read only",
                        (int)book->store->name.len, book->store->name.ptr);
}

static surety_status book_close_work(void *owner, const void *ctx,
                                     surety_error *reterr)
{
    surety__book *book = owner;
    (void)ctx;
    return book_bury(book, book->writer, reterr);
}

/* Closes the ledger. Its open entries become unknown: no process is left to
 * finish them. */
static void book_close(void *ctx)
{
    surety__book *book = ctx;

    if (book->store) {
        book->is_lost = false;
        (void)book_flush(book, NULL);
        if (book->writer)
            (void)surety__store_write(book->store, book_close_work, book, NULL,
                                      NULL);
        surety__store_close(book->store);
    }
    surety__group_done(&book->group);
    surety__free(book->alloc, book, sizeof(*book));
}

surety_status surety_ledger_open(surety_str url,
                                 const surety_ledger_options *options,
                                 surety_ledger **ret_ledger,
                                 surety_error *reterr)
{
    surety_ledger_options filled;
    surety_status status;
    surety__book *book;

    if (surety__options_take(&filled, sizeof(filled), options, reterr))
        return SURETY_MISUSE;
    book = surety__new(filled.alloc, sizeof(*book));
    if (!book)
        return surety__fail_nomem(reterr);
    book->alloc = filled.alloc;
    surety__group_init(&book->group, filled.alloc);
    book->ledger = (surety_ledger){.version = 2,
                                   .ctx = book,
                                   .raw = filled.raw,
                                   .begin = book_begin,
                                   .finish = book_finish,
                                   .each = book_each,
                                   .close = book_close,
                                   .flush = book_flush};
    if (filled.read_only)
        book->ledger.begin = book->ledger.finish = book_refuse;
    book->bare = filled.read_only && !filled.raw;
    surety__writer_self(&book->self);
    status = surety__store_open(url, &filled, &book->store, reterr);
    if (!status)
        status = surety__store_prepare(book->store, surety__sql_write,
                                       SQL_COUNT, reterr);
    if (!status)
        status = surety__store_write(
            book->store, filled.read_only ? book_look_work : book_open_work,
            book, NULL, reterr);
    if (status) {
        book->writer = 0;
        book_close(book);
        return status;
    }
    *ret_ledger = &book->ledger;
    return SURETY_OK;
}

void surety_ledger_close(surety_ledger *ledger)
{
    if (ledger && ledger->close)
        ledger->close(ledger->ctx);
}
