/* SPDX-License-Identifier: Apache-2.0 */
/* A store in PostgreSQL: cells are values in binary form, never SQL.
 *
 * A text in PostgreSQL contains no NUL and only UTF-8. A text that the server
 * would refuse, and a text that begins with \x, is stored as \x and its bytes
 * in hexadecimal, which is PostgreSQL's notation of a bytea. Reading converts
 * it back.
 *
 * If the connection breaks, a transaction that was sent may have been carried
 * out or not. rollback reports that, and the book repeats all of it on a new
 * connection: its statements change nothing a second time. Nothing is
 * acknowledged before a COMMIT was answered.
 *
 * Without libpq this file only reports that it is missing. */
#include "ledger/ledger.h"

#ifdef SURETY_WITH_POSTGRES

#include "ledger/postgres_link.h"

/* Object numbers of types, fixed in PostgreSQL's catalogue pg_type.dat. */
#define POSTGRES_BOOL 16
#define POSTGRES_BYTEA 17
#define POSTGRES_INT8 20
#define POSTGRES_INT4 23
#define POSTGRES_TEXT 25
/* A lock that two programs share if they migrate an old database at the same
 * time. */
#define POSTGRES_LOCK "SELECT pg_advisory_xact_lock(6013508218945)"

typedef struct postgres_store {
    surety__store store;
    surety__link link;
    bool opened;      /* it was connected before */
    bool transaction; /* a transaction is open */
} postgres_store;

/* ---- values -------------------------------------------------------------- */

static bool postgres_is_plain(surety_str text)
{
    return !surety__str_starts(text, SURETY__LITERAL("\\x")) &&
           surety__utf8_valid(text, NULL) && !memchr(text.ptr, 0, text.len);
}

/* The text as \x and hexadecimal; ptr NULL: out of memory. */
static surety_str postgres_escape(surety__arena *arena, surety_str text)
{
    static const char digits[] = "0123456789abcdef";
    char *out = text.len < SIZE_MAX / 2 - 2
                    ? surety__arena_take(arena, text.len * 2 + 2)
                    : NULL;

    if (!out)
        return (surety_str){NULL, 0};
    out[0] = '\\';
    out[1] = 'x';
    for (size_t i = 0; i < text.len; i++) {
        out[2 + i * 2] = digits[(unsigned char)text.ptr[i] >> 4];
        out[3 + i * 2] = digits[(unsigned char)text.ptr[i] & 15];
    }
    return (surety_str){out, text.len * 2 + 2};
}

static int postgres_digit(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* The inverse. Other texts are returned unchanged; ptr NULL: out of memory. */
static surety_str postgres_unescape(surety__arena *arena, surety_str text)
{
    char *out;

    if (!surety__str_starts(text, SURETY__LITERAL("\\x")) || text.len % 2)
        return text;
    out = surety__arena_take(arena, text.len / 2);
    if (!out)
        return (surety_str){NULL, 0};
    for (size_t i = 2; i < text.len; i += 2) {
        const int high = postgres_digit(text.ptr[i]);
        const int low = postgres_digit(text.ptr[i + 1]);

        if (high < 0 || low < 0)
            return text;
        out[i / 2 - 1] = (char)(high << 4 | low);
    }
    return (surety_str){out, text.len / 2 - 1};
}

static surety_status postgres_bind(surety__link_values *to, size_t i,
                                   const surety__cell *cell,
                                   surety_error *reterr)
{
    surety_str text = {cell->text.len ? cell->text.ptr : "", cell->text.len};

    to->types[i] = 0;
    to->formats[i] = 1;
    to->values[i] = NULL;
    to->lengths[i] = 0;
    if (cell->kind == CELL_NULL)
        return SURETY_OK;
    if (cell->kind == CELL_INT || cell->kind == CELL_BOOL) {
        const bool is_bool = cell->kind == CELL_BOOL;
        const uint64_t number =
            is_bool ? cell->number != 0 : (uint64_t)cell->number;

        to->types[i] = is_bool ? POSTGRES_BOOL : POSTGRES_INT8;
        to->lengths[i] = is_bool ? 1 : 8;
        to->values[i] = to->numbers[i];
        for (int at = 0; at < to->lengths[i]; at++)
            to->numbers[i][at] =
                (char)(number >> 8 * (to->lengths[i] - 1 - at) & 0xFF);
        return SURETY_OK;
    }
    if (cell->kind == CELL_TEXT && !postgres_is_plain(text))
        text = postgres_escape(&to->arena, text);
    if (!text.ptr)
        return surety__fail_nomem(reterr);
    if (text.len > INT32_MAX / 2) {
        (void)surety__fail(reterr, SURETY_LIMIT,
                           "a text of %zu bytes is too long for PostgreSQL",
                           text.len);
        surety__hint(reterr, "do not keep raw texts in the ledger");
        return SURETY_LIMIT;
    }
    to->types[i] = cell->kind == CELL_TEXT ? POSTGRES_TEXT : POSTGRES_BYTEA;
    to->values[i] = text.ptr;
    to->lengths[i] = (int)text.len;
    return SURETY_OK;
}

static int64_t postgres_number(const char *ptr, int len)
{
    uint64_t number = 0;

    for (int i = 0; i < len && i < 8; i++)
        number = number << 8 | (unsigned char)ptr[i];
    if (len == 4)
        return (int32_t)(uint32_t)number;
    return (int64_t)number;
}

/* Fills cells from a row of a result; false: out of memory. */
static bool postgres_row(const surety__pq *pq, const PGresult *result, int row,
                         surety__arena *arena, surety__cell *cells)
{
    for (int i = 0; i < pq->nfields(result); i++) {
        const char *value = pq->getvalue(result, row, i);
        const int len = pq->getlength(result, row, i);
        const Oid type = pq->ftype(result, i);
        surety__cell *cell = &cells[i];

        *cell = (surety__cell){.kind = CELL_NULL};
        if (pq->getisnull(result, row, i))
            continue;
        if (type == POSTGRES_INT8 || type == POSTGRES_INT4 ||
            type == POSTGRES_BOOL) {
            cell->kind = CELL_INT;
            cell->number = postgres_number(value, len);
            continue;
        }
        cell->kind = type == POSTGRES_BYTEA ? CELL_BYTES : CELL_TEXT;
        cell->text = (surety_str){value, (size_t)len};
        if (cell->kind == CELL_TEXT)
            cell->text = postgres_unescape(arena, cell->text);
        if (!cell->text.ptr)
            return false;
    }
    return true;
}

/* ---- statements ---------------------------------------------------------- */

static surety_status postgres_rows(const surety__pq *pq,
                                   const surety__query *query,
                                   const PGresult *result,
                                   const surety_alloc *alloc,
                                   surety_error *reterr)
{
    surety__cell cells[SURETY__COLUMNS + 4];
    surety_status status = SURETY_OK;
    surety__arena arena;
    bool more = query->row != NULL;

    surety__arena_init(&arena, alloc, 0);
    for (int i = 0; i < pq->ntuples(result) && more && !status; i++) {
        if (!postgres_row(pq, result, i, &arena, cells))
            status = surety__fail_nomem(reterr);
        else
            more = query->row(query->row_ctx, cells);
        surety__arena_reset(&arena);
    }
    surety__arena_done(&arena);
    return status;
}

static surety_status postgres_send(postgres_store *self,
                                   const surety__query *query,
                                   PGresult **ret_result, surety_error *reterr)
{
    surety__link_values to = {.count = (int)query->count};
    surety_status status = SURETY_OK;

    assert(query->count <= SURETY__LINK_VALUES_MAX);
    surety__arena_init(&to.arena, self->store.alloc, 0);
    for (size_t i = 0; i < query->count && !status; i++)
        status = postgres_bind(&to, i, &query->cells[i], reterr);
    if (!status)
        status = surety__link_run(&self->link, self->store.sql[query->which],
                                  &to, ret_result, reterr);
    surety__arena_done(&to.arena);
    return status;
}

static surety_status postgres_run(surety__store *store,
                                  const surety__query *query,
                                  int64_t *ret_changed, surety_error *reterr)
{
    postgres_store *self = (postgres_store *)store;
    PGresult *result = NULL;
    uint64_t changed = 0; /* at the end of a command's tag ("INSERT 0 1") */
    surety_status status = SURETY_OK;

    /* A statement outside of a transaction only reads, so it may be sent
     * again. */
    for (int tries = self->transaction; tries < 2; tries++) {
        if (!self->transaction) {
            surety__link_start(&self->link);
            status = surety__link_connect(&self->link, true, reterr);
        }
        if (!status)
            status = postgres_send(self, query, &result, reterr);
        if (!status || !self->link.broken)
            break;
        if (!tries)
            status = SURETY_OK;
    }
    if (status)
        return status;
    (void)surety__str_number(surety_str_of(self->link.pq.cmdTuples(result)),
                             &changed);
    if (ret_changed)
        *ret_changed = (int64_t)changed;
    status = postgres_rows(&self->link.pq, query, result, store->alloc, reterr);
    self->link.pq.clear(result);
    return status;
}

static surety_status postgres_script(surety__store *store, const char *sql,
                                     surety_error *reterr)
{
    postgres_store *self = (postgres_store *)store;

    return surety__link_run(&self->link, sql, NULL, NULL, reterr);
}

/* Reads one number; NULL or no row: 0. */
static surety_status postgres_ask(postgres_store *self, const char *sql,
                                  int64_t *ret_number, surety_error *reterr)
{
    const surety__link_values none = {.count = 0};
    PGresult *result = NULL;
    const surety_status status =
        surety__link_run(&self->link, sql, &none, &result, reterr);

    if (status)
        return status;
    *ret_number = 0;
    if (self->link.pq.ntuples(result) && !self->link.pq.getisnull(result, 0, 0))
        *ret_number = postgres_number(self->link.pq.getvalue(result, 0, 0),
                                      self->link.pq.getlength(result, 0, 0));
    self->link.pq.clear(result);
    return SURETY_OK;
}

/* The version. If a migration is due, it is read again under a lock. */
static surety_status postgres_version(surety__store *store,
                                      int64_t *ret_version,
                                      surety_error *reterr)
{
    postgres_store *self = (postgres_store *)store;
    surety_status status = SURETY_OK;
    int64_t version = 0;

    for (int reads = 0; reads < 2 && !status; reads++) {
        int64_t exists = 0;

        if (reads && (version >= SURETY__LEDGER_VERSION || store->read_only))
            break;
        if (reads)
            status = postgres_script(store, POSTGRES_LOCK, reterr);
        version = 0;
        if (!status)
            status = postgres_ask(self,
                                  "SELECT (to_regclass('surety.ledger_version')"
                                  " IS NOT NULL)::int4",
                                  &exists, reterr);
        if (!status && exists)
            status = postgres_ask(
                self, "SELECT max(version) FROM surety.ledger_version",
                &version, reterr);
    }
    if (!status)
        *ret_version = version;
    return status;
}

/* ---- transactions -------------------------------------------------------- */

static surety_status postgres_begin(surety__store *store, surety_error *reterr)
{
    postgres_store *self = (postgres_store *)store;
    surety_status status;

    surety__link_start(&self->link);
    status = surety__link_connect(&self->link, self->opened, reterr);
    if (status)
        return status;
    self->opened = true;
    self->transaction = true;
    return postgres_script(store,
                           store->read_only
                               ? "BEGIN READ ONLY"
                               : "BEGIN ISOLATION LEVEL READ COMMITTED"
                                 " READ WRITE",
                           reterr);
}

static surety_status postgres_commit(surety__store *store, surety_error *reterr)
{
    postgres_store *self = (postgres_store *)store;
    const surety_status status = postgres_script(store, "COMMIT", reterr);

    if (!status)
        self->transaction = false;
    return status;
}

static bool postgres_rollback(surety__store *store)
{
    postgres_store *self = (postgres_store *)store;
    const bool again = self->opened && (self->link.broken || self->link.again);

    /* A new connection is cheap and keeps no state of the old one. */
    self->transaction = false;
    surety__link_drop(&self->link);
    return again;
}

/* ---- opening and closing ------------------------------------------------- */

static void postgres_close(surety__store *store)
{
    postgres_store *self = (postgres_store *)store;

    surety__link_done(&self->link);
    surety__free(store->alloc, self, sizeof(*self));
}

surety_status surety__postgres_open(surety_str url,
                                    const surety_ledger_options *options,
                                    surety__store **ret_store,
                                    surety_error *reterr)
{
    postgres_store *self = surety__new(options->alloc, sizeof(*self));
    surety_status status;

    if (!self)
        return surety__fail_nomem(reterr);
    self->store = (surety__store){.alloc = options->alloc,
                                  .timeout_ms = options->timeout_ms,
                                  .postgres = true,
                                  .read_only = options->read_only,
                                  .version = postgres_version,
                                  .script = postgres_script,
                                  .run = postgres_run,
                                  .begin = postgres_begin,
                                  .commit = postgres_commit,
                                  .rollback = postgres_rollback,
                                  .close = postgres_close};
    self->link.alloc = options->alloc;
    self->link.timeout_ms = options->timeout_ms;
    status = surety__link_init(&self->link, url, reterr);
    if (status) {
        postgres_close(&self->store);
        return status;
    }
    self->store.name = surety_str_of(self->link.name.ptr);
    *ret_store = &self->store;
    return SURETY_OK;
}

#else

surety_status surety__postgres_open(surety_str url,
                                    const surety_ledger_options *options,
                                    surety__store **ret_store,
                                    surety_error *reterr)
{
    (void)url;
    (void)options;
    (void)ret_store;
    (void)surety__fail(reterr, SURETY_UNSUPPORTED,
                       "this build knows no ledgers in PostgreSQL");
    surety__hint(reterr, "build it with libpq, or name a file");
    return SURETY_UNSUPPORTED;
}

#endif
