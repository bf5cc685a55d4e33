/* SPDX-License-Identifier: Apache-2.0 */
/* Ledgers in PostgreSQL, as text to be read: what is asked of a server, and
 * what is made of what it answers. The server is this file: it has the calls of
 * libpq that a ledger needs, and answers by a script.
 *
 *     postgres_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case with sections:
 *
 *     === url          of the ledger
 *     === options      a line each: raw, read-only, timeout N (1 ms)
 *     === server       a line each:
 *         version N            of the ledger there (4; 0: there is none)
 *         encoding TEXT        of the database (UTF8; "-": it does not say)
 *         writer ID dead, writer ID alive, writer ID unseen MS,
 *              writer ID long (of a host with a name of 300 letters)
 *         entries N            the first page has so many
 *         provider TEXT        of them, as it is there
 *         connect N fails TEXT, refuses TEXT, late, reads, no-memory, blocks
 *                              what becomes of the N-th connection
 *         at N fails STATE TEXT ("!...": no message alone), two STATE TEXT (and
 *              then what it would give), changes TEXT (its tag), breaks, late,
 *              waits, nothing, unsent, flushes, flush-fails, flush-late,
 *              flush-input, input-fails
 *                              what becomes of the N-th statement
 *     === calls        a line each: begin, finish, each MS, each-one, close
 * and what must come:
 *     === seen         calls, statements with their values, and outcomes
 *
 * With --update it is written anew. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "golden/cases.h"
#include "ledger/ledger.h"
#include "ledger/pq.h"
#include "ledger_sample.h"

enum { FIELDS_MAX = SURETY__COLUMNS + 3, ROWS_MAX = 8, LINES_MAX = 16 };

#define ENTRY_ID "018f2d3c-0000-7000-8000-000000000001"

struct pg_result {
    ExecStatusType status;
    char state[8], message[400], changed[8];
    int rows, fields;
    bool is_short; /* its numbers have four bytes */
    surety__cell cells[ROWS_MAX][FIELDS_MAX];
    char numbers[ROWS_MAX][FIELDS_MAX][8];
    char *texts[ROWS_MAX][FIELDS_MAX]; /* those that are stored otherwise */
};

struct pg_conn {
    ConnStatusType status;
    char message[400];
    surety_str how; /* what becomes of the connection, or of the statement */
    PGresult *results[2];
    size_t given;
    int busy, unflushed;
    int polls;
};

/* The server, and what is written down of what it is asked. */
static struct server {
    const struct golden *golden;
    surety_buf seen;
    size_t connections, statements, pages;
    int ready, silent; /* files that always are, and never are */
} server;

/* ---- the script ---------------------------------------------------------- */

/* Takes the word before the next blank off text. */
static surety_str word_of(surety_str *text)
{
    const size_t len = surety__str_find(*text, SURETY__LITERAL(" "));
    const surety_str word = {text->ptr, len};
    const size_t taken = len + (len < text->len);

    text->ptr += taken;
    text->len -= taken;
    return word;
}

static size_t number_of(surety_str text)
{
    size_t number = 0;

    for (size_t i = 0; i < text.len; i++)
        number = number * 10 + (size_t)(text.ptr[i] - '0');
    return number;
}

/* The i-th line of a section that begins with a word, behind it; empty where
 * there is none. */
static surety_str line_of(const char *section, const char *word, size_t i)
{
    surety_str rest = golden_body(server.golden, section);
    surety_str line;

    while (golden_line(&rest, &line))
        if (surety_str_equal(word_of(&line), surety_str_of(word)) && !i--)
            return line;
    return (surety_str){NULL, 0};
}

/* What becomes of the count-th connection ("connect") or statement ("at"). */
static surety_str fate_of(const char *word, size_t count)
{
    for (size_t i = 0; i < LINES_MAX; i++) {
        surety_str line = line_of("server", word, i);

        if (line.len && number_of(word_of(&line)) == count)
            return line;
    }
    return (surety_str){"", 0};
}

static bool fate_is(const PGconn *connection, const char *word)
{
    surety_str how = connection->how;

    return surety_str_equal(word_of(&how), surety_str_of(word));
}

/* ---- results ------------------------------------------------------------- */

static PGresult *result_new(ExecStatusType status)
{
    PGresult *result = calloc(1, sizeof(*result));

    if (!result)
        exit(1);
    result->status = status;
    memcpy(result->changed, "1", 2);
    return result;
}

/* Text as a ledger stores it where the server would refuse it. */
static surety_str result_stored(PGresult *result, int row, int field,
                                surety_str text)
{
    char *out;

    if (!surety__str_starts(text, SURETY__LITERAL("\\x")) &&
        surety__utf8_valid(text, NULL) &&
        !(text.len && memchr(text.ptr, 0, text.len)))
        return text;
    out = malloc(text.len * 2 + 3);
    if (!out)
        exit(1);
    result->texts[row][field] = out;
    memcpy(out, "\\x", 3);
    for (size_t i = 0; i < text.len; i++)
        snprintf(out + 2 + 2 * i, 3, "%02x", (unsigned char)text.ptr[i]);
    return surety_str_of(out);
}

static void result_cell(PGresult *result, int row, int field, surety__cell cell)
{
    if (cell.kind == CELL_TEXT)
        cell.text = result_stored(result, row, field, cell.text);
    result->cells[row][field] = cell;
    for (size_t i = 0; i < 8; i++)
        result->numbers[row][field][i] =
            (char)((uint64_t)cell.number >> (56 - 8 * i) & 0xFF);
    if (field >= result->fields)
        result->fields = field + 1;
    if (row >= result->rows)
        result->rows = row + 1;
}

static PGresult *result_number(int64_t number)
{
    PGresult *result = result_new(PGRES_TUPLES_OK);

    result_cell(result, 0, 0,
                (surety__cell){.kind = CELL_INT, .number = number});
    return result;
}

static void result_writer(PGresult *result, surety_str line)
{
    const int row = result->rows;
    const int64_t id = (int64_t)number_of(word_of(&line));
    const surety_str how = word_of(&line);
    const bool unseen = surety_str_equal(how, SURETY__LITERAL("unseen"));
    const bool dead = surety_str_equal(how, SURETY__LITERAL("dead"));
    static surety__writer self;
    static char letters[300];
    surety_str texts[4];

    surety__writer_self(&self);
    memset(letters, 'h', sizeof(letters));
    texts[0] = surety_str_of(self.host);
    texts[1] = dead ? SURETY__LITERAL("before") : surety_str_of(self.boot);
    texts[2] =
        unseen ? SURETY__LITERAL("elsewhere") : surety_str_of(self.space);
    texts[3] = surety_str_of(self.start);
    for (int i = 0; i < 4 && surety_str_equal(how, SURETY__LITERAL("long"));
         i++)
        texts[i] = (surety_str){letters, sizeof(letters)};
    result_cell(result, row, 0, (surety__cell){.kind = CELL_INT, .number = id});
    for (int i = 0; i < 4; i++)
        result_cell(result, row, 1 + i,
                    (surety__cell){.kind = CELL_TEXT, .text = texts[i]});
    result_cell(result, row, 5,
                (surety__cell){.kind = CELL_INT, .number = self.pid});
    result_cell(
        result, row, 6,
        (surety__cell){.kind = CELL_INT, .number = (int64_t)number_of(line)});
}

static PGresult *result_writers(void)
{
    PGresult *result = result_new(PGRES_TUPLES_OK);
    surety_str line;

    for (size_t i = 0; (line = line_of("server", "writer", i)).len; i++)
        result_writer(result, line);
    return result;
}

/* A page: entries as they were written, one after the other. */
static PGresult *result_page(void)
{
    PGresult *result = result_new(PGRES_TUPLES_OK);
    const size_t count = number_of(line_of("server", "entries", 0));
    const surety_entry entry = sample_entry(ENTRY_ID, SAMPLE_TEXT("Why?"));
    surety__cell cells[SURETY__COLUMNS];

    surety__entry_cells(&entry, true, SURETY__COLUMNS, cells);
    for (size_t row = 0; row < count && !server.pages; row++) {
        for (int i = 0; i < SURETY__COLUMNS; i++)
            result_cell(result, (int)row, i, cells[i]);
        for (int i = 0; i < 3; i++)
            result_cell(
                result, (int)row, SURETY__COLUMNS + i,
                (surety__cell){.kind = CELL_INT, .number = (int64_t)row + 1});
        if (line_of("server", "provider", 0).len) {
            free(result->texts[row][6]);
            result->texts[row][6] = NULL;
            result->cells[row][6].text = line_of("server", "provider", 0);
        }
        /* A reply that is longer than a page holds comes by itself. */
        for (int i = 0; i < SURETY__COLUMNS; i++)
            if (row && surety__column_raw((size_t)i))
                result_cell(result, (int)row, i,
                            (surety__cell){.kind = CELL_NULL});
    }
    server.pages++;
    return result;
}

static PGresult *result_issues(const surety_entry_issue *issues, size_t count)
{
    PGresult *result = result_new(PGRES_TUPLES_OK);

    for (size_t i = 0; i < count; i++) {
        const surety_str texts[] = {issues[i].kind, issues[i].path,
                                    issues[i].message};

        for (int k = 0; k < 3; k++)
            result_cell(
                result, (int)i, k,
                (surety__cell){.kind = texts[k].ptr ? CELL_TEXT : CELL_NULL,
                               .text = texts[k]});
    }
    return result;
}

static PGresult *result_text(const char *text)
{
    PGresult *result = result_new(PGRES_TUPLES_OK);

    result_cell(
        result, 0, 0,
        (surety__cell){.kind = CELL_BYTES, .text = surety_str_of(text)});
    return result;
}

/* What a statement gives where nothing goes amiss. */
static PGresult *result_of(surety_str sql)
{
    const surety_str version = line_of("server", "version", 0);
    const int64_t there =
        version.ptr ? (int64_t)number_of(version) : SURETY__LEDGER_VERSION;

    if (surety__str_starts(sql, SURETY__LITERAL("SELECT (to_regclass"))) {
        PGresult *result = result_number((int64_t)(there > 0) << 32);

        result->is_short = true;
        return result;
    }
    if (surety__str_starts(sql, SURETY__LITERAL("SELECT max(version)")))
        return result_number(there);
    if (surety__str_starts(sql, SURETY__LITERAL("INSERT INTO surety.writers")))
        return result_number(7);
    if (surety__str_starts(sql, SURETY__LITERAL("SELECT id, host")))
        return result_writers();
    if (surety__str_starts(sql, SURETY__LITERAL("SELECT id, run")))
        return result_page();
    if (surety__str_starts(sql, SURETY__LITERAL("SELECT keyword")))
        return result_issues(sample_errors, 2);
    if (surety__str_starts(sql, SURETY__LITERAL("SELECT kind")))
        return result_issues(sample_repairs, 1);
    if (surety__str_starts(sql, SURETY__LITERAL("SELECT prompt")))
        return result_text("a prompt by itself");
    if (surety__str_starts(sql, SURETY__LITERAL("SELECT reply")))
        return result_text("a reply by itself");
    return result_new(PGRES_COMMAND_OK);
}

/* ---- telling ------------------------------------------------------------- */

static void tell_bytes(surety_str text)
{
    surety_buf *out = &server.seen;

    surety_buf_byte(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char byte = (unsigned char)text.ptr[i];

        if (byte < 0x20 || byte >= 0x7F)
            surety__buf_printf(out, "<%02x>", byte);
        else
            surety_buf_byte(out, (char)byte);
    }
    surety_buf_byte(out, '"');
}

/* A statement: its beginning where it is long. */
static void tell_statement(surety_str sql)
{
    enum { SHOWN_MAX = 120 };
    surety_buf *out = &server.seen;

    server.statements++;
    surety__buf_printf(out, "  %zu> ", server.statements);
    surety_buf_add(
        out, (surety_str){sql.ptr, sql.len < SHOWN_MAX ? sql.len : SHOWN_MAX});
    if (sql.len > SHOWN_MAX)
        surety__buf_printf(out, "... (%zu bytes)", sql.len);
    surety_buf_byte(out, '\n');
}

static void tell_value(int i, Oid type, const char *value, int len)
{
    surety_buf *out = &server.seen;
    int64_t number = 0;

    surety__buf_printf(out, "     $%d %u ", i + 1, (unsigned)type);
    if (!value) {
        surety__buf_printf(out, "null %d\n", len);
        return;
    }
    if (type == 20 || type == 16) {
        for (int k = 0; k < len; k++)
            number = (int64_t)((uint64_t)number << 8 | (unsigned char)value[k]);
        surety__buf_printf(
            out, "%s%zu, %d long\n", number < 0 ? "-" : "",
            (size_t)(number < 0 ? 0 - (uint64_t)number : (uint64_t)number),
            len);
        return;
    }
    tell_bytes((surety_str){value, (size_t)len});
    surety_buf_byte(out, '\n');
}

static void tell_outcome(const char *call, surety_status status,
                         const surety_error *err)
{
    surety_buf *out = &server.seen;

    surety__buf_printf(out, "%s: %s", call, surety_status_name(status));
    if (status)
        surety__buf_printf(out, ": %s\n  hint: %s", err->message, err->hint);
    surety_buf_byte(out, '\n');
}

/* ---- libpq: connecting --------------------------------------------------- */

PGconn *PQconnectStartParams(const char *const *keywords,
                             const char *const *values, int expand_dbname)
{
    PGconn *connection = calloc(1, sizeof(*connection));

    server.connections++;
    surety__buf_printf(&server.seen, "  connects (%d):", expand_dbname);
    for (size_t i = 0; keywords[i]; i++)
        surety__buf_printf(&server.seen, " %s=%s", keywords[i], values[i]);
    surety_buf_byte(&server.seen, '\n');
    if (!connection)
        exit(1);
    connection->how = fate_of("connect", server.connections);
    connection->status = CONNECTION_STARTED;
    if (!fate_is(connection, "no-memory"))
        return connection;
    free(connection);
    return NULL;
}

PostgresPollingStatusType PQconnectPoll(PGconn *connection)
{
    surety_str how = connection->how;

    connection->polls++;
    if (fate_is(connection, "fails") || fate_is(connection, "refuses")) {
        (void)word_of(&how);
        snprintf(connection->message, sizeof(connection->message), "%.*s\n",
                 (int)how.len, how.ptr);
        if (fate_is(connection, "fails"))
            connection->status = CONNECTION_BAD;
        return PGRES_POLLING_FAILED;
    }
    if (fate_is(connection, "late") ||
        (fate_is(connection, "reads") && connection->polls == 1))
        return PGRES_POLLING_READING;
    connection->status = CONNECTION_OK;
    return PGRES_POLLING_OK;
}

ConnStatusType PQstatus(const PGconn *connection)
{
    return connection->status;
}

char *PQerrorMessage(const PGconn *connection)
{
    return (char *)(uintptr_t)connection->message;
}

int PQsocket(const PGconn *connection)
{
    const bool silent =
        (fate_is(connection, "late") || fate_is(connection, "flush-late")) &&
        (connection->status == CONNECTION_OK || connection->polls);

    return silent ? server.silent : server.ready;
}

PQnoticeProcessor PQsetNoticeProcessor(PGconn *connection,
                                       PQnoticeProcessor proc, void *arg)
{
    (void)connection;
    proc(arg, "a notice");
    return NULL;
}

int PQsetnonblocking(PGconn *connection, int arg)
{
    return arg != 1 || fate_is(connection, "blocks");
}

const char *PQparameterStatus(const PGconn *connection, const char *name)
{
    static char encoding[64];
    const surety_str line = line_of("server", "encoding", 0);

    (void)connection;
    if (strcmp(name, "server_encoding") != 0 ||
        surety_str_equal(line, SURETY__LITERAL("-")))
        return NULL;
    snprintf(encoding, sizeof(encoding), "%.*s", line.len ? (int)line.len : 4,
             line.len ? line.ptr : "UTF8");
    return encoding;
}

void PQfinish(PGconn *connection)
{
    if (!connection)
        return;
    surety_buf_text(&server.seen, "  the connection is closed\n");
    for (size_t i = connection->given; i < 2; i++)
        PQclear(connection->results[i]);
    free(connection);
}

/* ---- libpq: statements --------------------------------------------------- */

static void connection_break(PGconn *connection, const char *message)
{
    connection->status = CONNECTION_BAD;
    snprintf(connection->message, sizeof(connection->message), "%s", message);
}

/* A result that says what the script does: "STATE TEXT". */
static PGresult *result_failed(surety_str text)
{
    PGresult *result = result_new(PGRES_FATAL_ERROR);
    const surety_str state = word_of(&text);

    snprintf(result->state, sizeof(result->state), "%.*s", (int)state.len,
             state.ptr);
    snprintf(result->message, sizeof(result->message), "%.*s", (int)text.len,
             text.ptr);
    return result;
}

static int connection_take(PGconn *connection, surety_str sql)
{
    surety_str how;

    connection->how = fate_of("at", server.statements);
    connection->given = 0;
    how = connection->how;
    (void)word_of(&how);
    connection->busy = fate_is(connection, "late") ||
                       fate_is(connection, "input-fails") ||
                       fate_is(connection, "waits");
    connection->unflushed = fate_is(connection, "flushes");
    connection->results[0] = connection->results[1] = NULL;
    if (fate_is(connection, "unsent") || fate_is(connection, "breaks") ||
        fate_is(connection, "flush-fails"))
        connection_break(connection, "server closed the connection\nreally");
    if (fate_is(connection, "unsent"))
        return 0;
    if (fate_is(connection, "breaks") || fate_is(connection, "nothing") ||
        fate_is(connection, "flush-fails") ||
        fate_is(connection, "flush-late") || fate_is(connection, "late"))
        return 1;
    if (fate_is(connection, "fails") || fate_is(connection, "two")) {
        connection->results[0] = result_failed(how);
        if (fate_is(connection, "two"))
            connection->results[1] = result_of(sql);
        return 1;
    }
    if (fate_is(connection, "changes")) {
        connection->results[0] = result_of(sql);
        snprintf(connection->results[0]->changed,
                 sizeof(connection->results[0]->changed), "%.*s", (int)how.len,
                 how.ptr);
        return 1;
    }
    connection->results[0] = result_of(sql);
    return 1;
}

int PQsendQuery(PGconn *connection, const char *query)
{
    tell_statement(surety_str_of(query));
    return connection_take(connection, surety_str_of(query));
}

int PQsendQueryParams(PGconn *connection, const char *command, int count,
                      const Oid *types, const char *const *values,
                      const int *lengths, const int *formats, int result_format)
{
    const surety_str sql = surety_str_of(command);
    const bool self =
        surety__str_starts(sql, SURETY__LITERAL("INSERT INTO surety.writers"));

    tell_statement(sql);
    if (result_format != 1)
        surety_buf_text(&server.seen, "     as text\n");
    for (int i = 0; i < count; i++) {
        if (formats[i] != 1)
            surety_buf_text(&server.seen, "     not binary\n");
        if (!self)
            tell_value(i, types[i], values[i], lengths[i]);
    }
    return connection_take(connection, sql);
}

int PQflush(PGconn *connection)
{
    if (fate_is(connection, "flush-fails"))
        return -1;
    if (fate_is(connection, "flush-late") || fate_is(connection, "flush-input"))
        return 1;
    return connection->unflushed-- > 0;
}

int PQconsumeInput(PGconn *connection)
{
    connection->busy = 0;
    if (fate_is(connection, "flush-input") ||
        fate_is(connection, "input-fails")) {
        connection_break(connection, "no input");
        return 0;
    }
    return 1;
}

int PQisBusy(PGconn *connection)
{
    return connection->busy;
}

PGresult *PQgetResult(PGconn *connection)
{
    PGresult *result;

    if (connection->given == 2)
        return NULL;
    result = connection->results[connection->given];
    connection->results[connection->given++] = NULL;
    return result;
}

void PQclear(PGresult *result)
{
    for (int row = 0; result && row < ROWS_MAX; row++)
        for (int field = 0; field < FIELDS_MAX; field++)
            free(result->texts[row][field]);
    free(result);
}

ExecStatusType PQresultStatus(const PGresult *result)
{
    return result->status;
}

char *PQresultErrorField(const PGresult *result, int code)
{
    if (!result)
        return NULL;
    if (code == PG_DIAG_SQLSTATE)
        return (char *)(uintptr_t)result->state;
    return result->message[0] == '!' ? NULL
                                     : (char *)(uintptr_t)result->message;
}

char *PQresultErrorMessage(const PGresult *result)
{
    return (char *)(uintptr_t)result->message;
}

char *PQcmdTuples(PGresult *result)
{
    return result->changed;
}

int PQntuples(const PGresult *result)
{
    return result->rows;
}

int PQnfields(const PGresult *result)
{
    return result->fields;
}

int PQgetisnull(const PGresult *result, int row, int field)
{
    return result->cells[row][field].kind == CELL_NULL;
}

Oid PQftype(const PGresult *result, int field)
{
    switch (result->cells[0][field].kind) {
    case CELL_INT: return result->is_short ? 23 : 20;
    case CELL_BOOL: return 16;
    case CELL_BYTES: return 17;
    default: return 25;
    }
}

char *PQgetvalue(const PGresult *result, int row, int field)
{
    const surety__cell *cell = &result->cells[row][field];
    const char *number = result->numbers[row][field];

    if (cell->kind == CELL_INT)
        return (char *)(uintptr_t)number;
    if (cell->kind == CELL_BOOL)
        return (char *)(uintptr_t)(number + 7);
    return (char *)(uintptr_t)(cell->text.len ? cell->text.ptr : "");
}

int PQgetlength(const PGresult *result, int row, int field)
{
    const surety__cell *cell = &result->cells[row][field];

    return cell->kind == CELL_INT    ? (result->is_short ? 4 : 8)
           : cell->kind == CELL_BOOL ? 1
                                     : (int)cell->text.len;
}

/* ---- calls --------------------------------------------------------------- */

static bool tell_entry(void *ctx, const surety_entry *entry)
{
    const surety_entry want = sample_entry(ENTRY_ID, SAMPLE_TEXT("Why?"));
    surety_buf *out = &server.seen;
    size_t *left = ctx;

    surety_buf_text(out, sample_same(entry, &want)
                             ? "  an entry as it was written\n"
                             : "  an entry, otherwise than it was written: ");
    if (!sample_same(entry, &want)) {
        tell_bytes(entry->provider);
        tell_bytes(entry->prompt);
        tell_bytes(entry->reply);
        surety__buf_printf(out, " %zu errors, %zu repairs\n",
                           entry->error_count, entry->repair_count);
    }
    return --*left > 0;
}

static surety_status call(surety_ledger *ledger, surety_str line,
                          surety_error *err)
{
    const surety_entry entry = sample_entry(ENTRY_ID, SAMPLE_TEXT("Why?"));
    const surety_str name = word_of(&line);
    size_t left = SIZE_MAX;

    if (surety_str_equal(name, SURETY__LITERAL("begin")))
        return ledger->begin(ledger->ctx, &entry, err);
    if (surety_str_equal(name, SURETY__LITERAL("finish")))
        return ledger->finish(ledger->ctx, &entry, err);
    if (surety_str_equal(name, SURETY__LITERAL("each-one")))
        left = 1;
    server.pages = 0;
    return ledger->each(ledger->ctx, (int64_t)number_of(line), tell_entry,
                        &left, err);
}

static void calls(surety_ledger *ledger)
{
    surety_str rest = golden_body(server.golden, "calls");
    surety_str line;

    while (golden_line(&rest, &line)) {
        surety_error err = {.status = SURETY_OK};
        char name[32];

        snprintf(name, sizeof(name), "%.*s", (int)line.len, line.ptr);
        tell_outcome(name, call(ledger, line, &err), &err);
    }
}

static surety_ledger_options options_of(void)
{
    const surety_str timeout = line_of("options", "timeout", 0);

    return (surety_ledger_options){
        .size = sizeof(surety_ledger_options),
        .raw = line_of("options", "raw", 0).ptr != NULL,
        .read_only = line_of("options", "read-only", 0).ptr != NULL,
        .timeout_ms = timeout.len ? (uint32_t)number_of(timeout) : 1,
    };
}

static bool run(struct golden *golden)
{
    surety_ledger *ledger = NULL;
    surety_error err = {.status = SURETY_OK};
    surety_ledger_options options;
    surety_status status;

    surety_buf_reset(&server.seen);
    server.golden = golden;
    server.connections = server.statements = server.pages = 0;
    options = options_of();
    status =
        surety_ledger_open(golden_body(golden, "url"), &options, &ledger, &err);
    tell_outcome("open", status, &err);
    if (!status) {
        calls(ledger);
        surety_buf_text(&server.seen, "close\n");
        surety_ledger_close(ledger);
    }
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_section *section = &golden->sections[i];

        if (!golden_is(section, "seen")) {
            golden_keep(golden, section);
            continue;
        }
        golden_begin(golden, section);
        surety_buf_add(&golden->made, surety_buf_str(&server.seen));
    }
    return true;
}

#define GOLDEN_FUNCTION(name, member) (surety__function *)name,

/* In place of the library's: what the ledger calls are this file's functions,
 * and libpq's own where it has none. */
surety_status surety__load(const surety__library *library, void *functions,
                           surety_error *reterr)
{
    static surety__function *const own[] = {SURETY__PQ(GOLDEN_FUNCTION)};

    (void)reterr;
    if (library->row_count != sizeof(own) / sizeof(own[0]))
        golden_die("not libpq", library->file);
    memcpy(functions, own, sizeof(own));
    return SURETY_OK;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};
    int ends[2];
    int code;

    server.ready = open("/dev/null", O_RDWR);
    if (server.ready < 0 || pipe(ends))
        golden_die("no files", "/dev/null");
    server.silent = ends[0];
    surety_buf_init(&server.seen, NULL, 0);
    code = golden_main(argc, argv, &folder);
    surety_buf_done(&server.seen);
    return code;
}
