/* SPDX-License-Identifier: Apache-2.0 */
/* A connection to PostgreSQL with libpq's non-blocking calls. Each wait is
 * limited to the rest of the call's time. A connection that failed or took too
 * long is dropped, so a late answer is never read as the answer to another
 * statement. (The system looks up the name of a host before that, without this
 * limit.)
 *
 * A message of the server or of libpq is not quoted if it contains the
 * password. The URL and libpq's environment decide about TLS, password files
 * and everything else. */
#include <errno.h>
#include <poll.h>
#include <time.h>

#include "ledger/postgres_link.h"

#define LINK_PAUSE_MS 100
#define LINK_MESSAGE_MAX 200

static const surety__function_row link_rows[] = {SURETY__PQ(SURETY__ROW)};
static const surety__library link_library = {
    SURETY__LIBPQ, "ledgers in PostgreSQL", link_rows,
    sizeof(link_rows) / sizeof(*link_rows)};

static uint64_t link_now_ms(void)
{
    struct timespec now = {0, 0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void surety__link_start(surety__link *link)
{
    link->deadline_ms = link_now_ms() + link->timeout_ms;
    link->broken = false;
    link->again = false;
}

static int link_left_ms(const surety__link *link)
{
    const uint64_t now = link_now_ms();

    return now < link->deadline_ms ? (int)(link->deadline_ms - now) : 0;
}

void surety__link_drop(surety__link *link)
{
    if (link->connection)
        link->pq.finish(link->connection);
    link->connection = NULL;
}

/* Waits until the connection's socket is ready; false: not in time. */
static bool link_wait(surety__link *link, short events)
{
    struct pollfd wait = {.fd = link->pq.socket(link->connection),
                          .events = events};
    int got;

    do {
        got = poll(&wait, 1, link_left_ms(link));
    } while (got < 0 && errno == EINTR);
    return got > 0;
}

/* ---- failures ------------------------------------------------------------ */

/* Fails with the first line of a message of libpq or the server, shortened;
 * without it if it contains the password. */
static surety_status link_fail(const surety__link *link, const char *what,
                               const char *message, const char *hint,
                               surety_error *reterr)
{
    const surety_str password = {
        link->password.ptr, link->password.len ? link->password.len - 1 : 0};
    surety_str text = surety__str_trim(surety_str_of(message));
    const bool secret =
        password.len && surety__str_find(text, password) < text.len;

    text.len = secret ? 0 : surety__str_find(text, SURETY__LITERAL("\n"));
    if (text.len > LINK_MESSAGE_MAX)
        text.len = LINK_MESSAGE_MAX;
    (void)surety__fail(reterr, SURETY_IO, "the ledger at %s %s%s%.*s",
                       link->name.ptr, what, text.len ? ": " : "",
                       (int)text.len, text.len ? text.ptr : "");
    surety__hint(reterr, "%s", hint);
    return SURETY_IO;
}

static surety_status link_fail_late(surety__link *link, surety_error *reterr)
{
    link->broken = true;
    surety__link_drop(link);
    (void)surety__fail(reterr, SURETY_IO,
                       "the ledger at %s did not answer within %u ms",
                       link->name.ptr, link->timeout_ms);
    surety__hint(reterr, "see that the server runs and can be reached, or try "
                         "again later");
    return SURETY_IO;
}

/* SQLSTATE codes (PostgreSQL's appendix A; the first characters or all five),
 * with what the user can do. */
typedef struct link_case {
    const char *state;
    bool again;
    const char *hint;
} link_case;
static const link_case link_cases[] = {
    {"28", false, "see that the URL's user and password are right"},
    {"3D000", false, "create the database, or name another one"},
    {"42501", false,
     "let the user create the schema surety, or let an owner open it once and "
     "grant it use"},
    {"25006", false, "name the primary server: this one may only be read"},
    {"53", true, "make room on the server; earlier records are safe"},
    {"40", true, "try again"},
    {"57014", false, "see what holds the tables, or try again later"},
    {"55P03", false, "see what holds the tables, or try again later"},
    {"57P", true, "start the server"},
    {"08", true, "see that the server runs and can be reached"},
    {"42P07", false,
     "the schema surety belongs to something else: use another database"},
    {"XX00", false, "see the server's log"},
};

/* Reports what the server refused, or that it ended the connection. */
static surety_status link_fail_result(surety__link *link,
                                      const PGresult *result,
                                      surety_error *reterr)
{
    const surety_str state =
        surety_str_of(link->pq.resultErrorField(result, PG_DIAG_SQLSTATE));
    const char *message =
        link->pq.resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const char *hint = "";

    if (link->pq.status(link->connection) != CONNECTION_OK)
        link->broken = true;
    if (!result)
        return link_fail(link, "ended the connection",
                         link->pq.errorMessage(link->connection),
                         "see that the server runs and can be reached", reterr);
    for (size_t i = 0; i < sizeof(link_cases) / sizeof(*link_cases); i++) {
        const link_case *found = &link_cases[i];

        if (*hint || !surety__str_starts(state, surety_str_of(found->state)))
            continue;
        link->again = link->again || found->again;
        hint = found->hint;
    }
    return link_fail(link, "refused",
                     message ? message : link->pq.resultErrorMessage(result),
                     hint, reterr);
}

/* ---- one statement ------------------------------------------------------- */

/* Sends the rest of a statement. Reads what arrives meanwhile, otherwise both
 * ends could wait for each other. */
static surety_status link_flush(surety__link *link, surety_error *reterr)
{
    for (;;) {
        const int left = link->pq.flush(link->connection);

        if (!left)
            return SURETY_OK;
        if (left < 0)
            return link_fail_result(link, NULL, reterr);
        if (!link_wait(link, POLLIN | POLLOUT))
            return link_fail_late(link, reterr);
        if (!link->pq.consumeInput(link->connection))
            return link_fail_result(link, NULL, reterr);
    }
}

surety_status surety__link_run(surety__link *link, const char *sql,
                               const surety__link_values *values,
                               PGresult **ret_result, surety_error *reterr)
{
    PGconn *connection = link->connection;
    PGresult *last = NULL;
    surety_status status;
    int sent;

    assert(!values || values->count <= SURETY__LINK_VALUES_MAX);
    if (!connection) {
        link->broken = true;
        return link_fail(link, "is not connected", "", "", reterr);
    }
    sent = values
               ? link->pq.sendQueryParams(connection, sql, values->count,
                                          values->types, values->values,
                                          values->lengths, values->formats, 1)
               : link->pq.sendQuery(connection, sql);
    if (!sent)
        return link_fail_result(link, NULL, reterr);
    status = link_flush(link, reterr);
    while (!status) {
        PGresult *result = NULL;

        if (link->pq.isBusy(connection)) {
            if (!link_wait(link, POLLIN)) {
                status = link_fail_late(link, reterr);
                break;
            }
            if (link->pq.consumeInput(connection))
                continue;
        }
        result = link->pq.getResult(connection);
        if (!result)
            break;
        /* Of several results, keep the first failure, else the last. */
        if (last && link->pq.resultStatus(last) == PGRES_FATAL_ERROR) {
            link->pq.clear(result);
        } else {
            link->pq.clear(last);
            last = result;
        }
    }
    if (!status && (!last || (link->pq.resultStatus(last) != PGRES_COMMAND_OK &&
                              link->pq.resultStatus(last) != PGRES_TUPLES_OK)))
        status = link_fail_result(link, last, reterr);
    if (status || !ret_result)
        link->pq.clear(last);
    else
        *ret_result = last;
    return status;
}

/* ---- connecting ---------------------------------------------------------- */

/* Drops the server's notices, which libpq would write to standard error. */
static void link_pass_over(void *ctx, const char *message)
{
    (void)ctx;
    (void)message;
}

/* Connects once. */
static surety_status link_try(surety__link *link, surety_error *reterr)
{
    /* The URL may override the options before it. */
    const char *const names[] = {"fallback_application_name", "keepalives_idle",
                                 "dbname", "client_encoding", NULL};
    const char *const values[] = {"surety", "60", link->url.ptr, "UTF8", NULL};
    PostgresPollingStatusType polled = PGRES_POLLING_WRITING;

    link->connection = link->pq.connectStartParams(names, values, 1);
    if (!link->connection)
        return surety__fail_nomem(reterr);
    link->pq.setNoticeProcessor(link->connection, link_pass_over, NULL);
    while (polled != PGRES_POLLING_OK) {
        if (link->pq.status(link->connection) == CONNECTION_BAD ||
            polled == PGRES_POLLING_FAILED)
            return link_fail(link, "cannot be reached",
                             link->pq.errorMessage(link->connection),
                             "see that the server runs and that the URL's "
                             "host, user and password are right",
                             reterr);
        if (!link_wait(link,
                       polled == PGRES_POLLING_READING ? POLLIN : POLLOUT))
            return link_fail_late(link, reterr);
        polled = link->pq.connectPoll(link->connection);
    }
    if (link->pq.setnonblocking(link->connection, 1))
        return link_fail_result(link, NULL, reterr);
    return SURETY_OK;
}

/* Sets the session's options: timeouts, and durable commits. Refuses a
 * database that is not in UTF-8. */
static surety_status link_settle(surety__link *link, surety_error *reterr)
{
    const char *encoding =
        link->pq.parameterStatus(link->connection, "server_encoding");
    surety_status status;
    surety_buf sql;

    if (!encoding || strcmp(encoding, "UTF8") != 0) {
        (void)surety__fail(reterr, SURETY_UNSUPPORTED,
                           "the database at %s is in the encoding %s",
                           link->name.ptr, encoding ? encoding : "?");
        surety__hint(reterr, "use a database in UTF8");
        return SURETY_UNSUPPORTED;
    }
    surety_buf_init(&sql, link->alloc, 0);
    surety__buf_printf(&sql,
                       "SET statement_timeout = %u; SET lock_timeout = %u;"
                       " SET idle_in_transaction_session_timeout = %u;"
                       " SELECT set_config('synchronous_commit', 'on', false)"
                       " WHERE current_setting('synchronous_commit') = 'off';",
                       link->timeout_ms, link->timeout_ms, link->timeout_ms);
    surety_buf_byte(&sql, '\0');
    status = sql.status ? surety__fail_nomem(reterr)
                        : surety__link_run(link, sql.ptr, NULL, NULL, reterr);
    surety_buf_done(&sql);
    return status;
}

surety_status surety__link_connect(surety__link *link, bool patient,
                                   surety_error *reterr)
{
    surety_status status = SURETY_OK;

    if (link->connection && link->pq.status(link->connection) != CONNECTION_OK)
        surety__link_drop(link);
    if (link->connection)
        return SURETY_OK;
    for (;;) {
        status = link_try(link, reterr);
        if (!status)
            status = link_settle(link, reterr);
        if (!status)
            return SURETY_OK;
        surety__link_drop(link);
        link->broken = false;
        if (!patient || status != SURETY_IO ||
            link_left_ms(link) <= LINK_PAUSE_MS)
            return status;
        (void)poll(NULL, 0, LINK_PAUSE_MS);
    }
}

/* ---- the URL ------------------------------------------------------------- */

static const char *link_option(const PQconninfoOption *options,
                               const char *name)
{
    for (; options && options->keyword; options++) {
        if (!strcmp(options->keyword, name))
            return options->val;
    }
    return NULL;
}

/* Writes host:port/database of the options. */
static void link_name(surety__link *link, const PQconninfoOption *options)
{
    const char *host = link_option(options, "host");
    const char *port = link_option(options, "port");
    const char *database = link_option(options, "dbname");

    surety_buf_text(&link->name, host ? host : "localhost");
    if (port) {
        surety_buf_byte(&link->name, ':');
        surety_buf_text(&link->name, port);
    }
    surety_buf_byte(&link->name, '/');
    surety_buf_text(&link->name, database ? database : "");
    surety_buf_byte(&link->name, '\0');
}

surety_status surety__link_init(surety__link *link, surety_str url,
                                surety_error *reterr)
{
    PQconninfoOption *options;
    const char *password;
    char *message = NULL;

    surety_status status = surety__load(&link_library, &link->pq, reterr);

    surety_buf_init(&link->url, link->alloc, 0);
    surety_buf_init(&link->name, link->alloc, 0);
    surety_buf_init(&link->password, link->alloc, 0);
    surety_buf_add(&link->url, url);
    surety_buf_byte(&link->url, '\0');
    if (status)
        return status;
    if (link->url.status)
        return surety__fail_nomem(reterr);
    /* libpq's message may quote the password, so it is not shown. */
    options = memchr(url.ptr, 0, url.len)
                  ? NULL
                  : link->pq.conninfoParse(link->url.ptr, &message);
    link->pq.freemem(message);
    if (!options) {
        (void)surety__fail(reterr, SURETY_MISUSE,
                           "the ledger's URL is no URL of PostgreSQL");
        surety__hint(reterr, "postgresql://USER@HOST:PORT/DATABASE; characters "
                             "with a meaning in URLs are written %%XX");
        return SURETY_MISUSE;
    }
    link_name(link, options);
    password = link_option(options, "password");
    if (password && *password) {
        surety_buf_text(&link->password, password);
        surety_buf_byte(&link->password, '\0');
    }
    link->pq.conninfoFree(options);
    if (link->name.status || link->password.status)
        return surety__fail_nomem(reterr);
    return SURETY_OK;
}

static void link_wipe(surety_buf *buf)
{
    volatile char *ptr = buf->ptr;

    for (size_t i = 0; i < buf->len; i++)
        ptr[i] = 0;
    surety_buf_done(buf);
}

void surety__link_done(surety__link *link)
{
    surety__link_drop(link);
    link_wipe(&link->url);
    link_wipe(&link->password);
    surety_buf_done(&link->name);
}
