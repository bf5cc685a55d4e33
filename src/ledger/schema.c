/* SPDX-License-Identifier: Apache-2.0 */
/* The schema of the database, and all statements.
 *
 * A version consists of steps. A step that was released never changes, because
 * databases exist that were made with it. The last step of a version writes
 * its number.
 *
 * A text is written once for both kinds of database: '@' is the schema of the
 * tables ("surety." in PostgreSQL, nothing in SQLite), '~' is the database's
 * own clock in Unix milliseconds. Values are bound, never written into SQL.
 *
 * The tables: attempts, one row for each call; errors and repairs of its
 * report; writers, the processes that have written. docs/ledger.md describes
 * the columns. */
#include "ledger/ledger.h"

/* Milliseconds since 1970, by the database's clock. */
#define SCHEMA_NOW_SQLITE                                                      \
    "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
#define SCHEMA_NOW_POSTGRES                                                    \
    "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)"
/* The start of an attempt, for people. */
#define SCHEMA_START_SQLITE                                                    \
    "strftime('%Y-%m-%dT%H:%M:%fZ', started_ms / 1000.0, 'unixepoch')"
#define SCHEMA_START_POSTGRES "to_timestamp(started_ms / 1000.0)"

#define SCHEMA_TEXTS_1                                                         \
    " id text NOT NULL UNIQUE, run text, number bigint NOT NULL,"              \
    " purpose text, contract text, contract_version text, provider text,"      \
    " model text, mode text, started_ms bigint NOT NULL,"
#define SCHEMA_TEXTS_2                                                         \
    " state text NOT NULL, first_byte_ms bigint, ended_ms bigint,"             \
    " failure text, http_status bigint, error_code text,"                      \
    " error_message text, finish_reason text, request_id text,"                \
    " response_id text, ok boolean, fallback boolean, stage text,"             \
    " error_count bigint, repair_count bigint, input_tokens bigint,"           \
    " cached_input_tokens bigint, output_tokens bigint,"                       \
    " reasoning_tokens bigint, cost_picousd bigint, decision text,"
#define SCHEMA_TEXTS_3                                                         \
    " writer bigint NOT NULL, recorded_ms bigint NOT NULL,"                    \
    " finished_ms bigint, abandoned boolean NOT NULL DEFAULT FALSE);"
#define SCHEMA_ISSUES " attempt text NOT NULL, number bigint NOT NULL,"
#define SCHEMA_WRITER                                                          \
    " host text NOT NULL, boot text NOT NULL, space text NOT NULL,"            \
    " start text NOT NULL, pid bigint NOT NULL, opened_ms bigint NOT NULL,"    \
    " closed_ms bigint);"

/* Version 2: indexes for the usual queries. In PostgreSQL texts have hash
 * indexes: its B-tree accepts no text of more than 2,700 bytes (its
 * documentation, 67.1), and a path may be longer. */
#define SCHEMA_INDEXES_SQLITE                                                  \
    "CREATE INDEX attempts_by_time ON attempts (started_ms, seq);"             \
    "CREATE INDEX attempts_by_run ON attempts (run, number);"                  \
    "CREATE INDEX attempts_by_contract ON attempts (contract,"                 \
    " contract_version, started_ms);"                                          \
    "CREATE INDEX attempts_by_model ON attempts (model, provider,"             \
    " started_ms);"                                                            \
    "CREATE INDEX attempts_by_stage ON attempts (stage, started_ms);"          \
    "CREATE INDEX attempts_open ON attempts (writer) WHERE state = 'open';"    \
    "CREATE INDEX errors_by_keyword ON errors (keyword, path);"                \
    "CREATE INDEX errors_by_path ON errors (path);"                            \
    "CREATE INDEX repairs_by_kind ON repairs (kind, path);"                    \
    "CREATE INDEX writers_open ON writers (id) WHERE closed_ms IS NULL;"
#define SCHEMA_INDEXES_POSTGRES                                                \
    "CREATE INDEX attempts_by_time ON surety.attempts (started_ms, seq);"      \
    "CREATE INDEX attempts_by_run ON surety.attempts USING hash (run);"        \
    "CREATE INDEX attempts_by_contract ON surety.attempts"                     \
    " USING hash (contract);"                                                  \
    "CREATE INDEX attempts_by_model ON surety.attempts USING hash (model);"    \
    "CREATE INDEX attempts_by_stage ON surety.attempts USING hash (stage);"    \
    "CREATE INDEX attempts_open ON surety.attempts (writer)"                   \
    " WHERE state = 'open';"                                                   \
    "CREATE INDEX errors_by_keyword ON surety.errors USING hash (keyword);"    \
    "CREATE INDEX errors_by_path ON surety.errors USING hash (path);"          \
    "CREATE INDEX repairs_by_kind ON surety.repairs USING hash (kind);"        \
    "CREATE INDEX writers_open ON surety.writers (id)"                         \
    " WHERE closed_ms IS NULL;"
#define SCHEMA_COUNTS                                                          \
    " count(*) AS attempts,"                                                   \
    " sum(CASE WHEN ok THEN 1 ELSE 0 END) AS valid,"                           \
    " sum(CASE WHEN state = 'failed' THEN 1 ELSE 0 END) AS failed,"            \
    " sum(CASE WHEN state = 'unknown' THEN 1 ELSE 0 END) AS unknown,"          \
    " sum(input_tokens) AS input_tokens,"                                      \
    " sum(output_tokens) AS output_tokens,"                                    \
    " sum(cost_picousd * 1e-12) AS cost_usd,"                                  \
    " avg(ended_ms - started_ms) AS mean_ms"
#define SCHEMA_VIEWS(create, more_columns, counts)                             \
    create "@attempt_list AS SELECT ^ AS started, id, run, number, purpose"    \
           ", contract, contract_version, provider, model, mode, state, ok"    \
           ", fallback, stage, failure, http_status, error_count"              \
           ", repair_count, ended_ms - started_ms AS total_ms"                 \
           ", first_byte_ms - started_ms AS first_byte_after_ms"               \
           ", input_tokens, output_tokens, cost_picousd * 1e-12 AS cost_usd"   \
           ", decision" more_columns " FROM @attempts;" create                 \
           "@contract_stats AS SELECT contract, contract_version," counts      \
           " FROM @attempts GROUP BY contract, contract_version;" create       \
           "@model_stats AS SELECT provider, model, mode," counts              \
           " FROM @attempts GROUP BY provider, model, mode;"
#define SCHEMA_ISSUE_VIEW(view, issue, kind)                                   \
    "CREATE VIEW @" view " AS SELECT attempt.contract"                         \
    ", attempt.contract_version, attempt.model, " issue "." kind ", " issue    \
    ".path, count(*) AS " issue "s, count(DISTINCT " issue                     \
    ".attempt) AS attempts FROM @" issue "s AS " issue                         \
    " JOIN @attempts AS attempt ON attempt.id = " issue ".attempt"             \
    " GROUP BY attempt.contract, attempt.contract_version, "                   \
    "attempt.model, " issue "." kind ", " issue ".path;"

/* Version 3: calls that were stopped. The new columns come after those of
 * version 2, because PostgreSQL requires that when a view is replaced. */
#define SCHEMA_STOPPED_COUNTS                                                  \
    SCHEMA_COUNTS ", count(stopped) AS stopped"                                \
                  ", sum(saved_tokens) AS saved_tokens"
#define SCHEMA_STOPPED_VIEWS(create, more_columns)                             \
    SCHEMA_VIEWS(create,                                                       \
                 ", stopped, stopped_bytes, saved_tokens" more_columns,        \
                 SCHEMA_STOPPED_COUNTS)

/* Version 5: who is charged for a call. */
#define SCHEMA_KEY_VIEWS(create)                                               \
    SCHEMA_STOPPED_VIEWS(create, ", key")                                      \
    "CREATE VIEW @key_stats AS SELECT key, provider,"                          \
    " model," SCHEMA_STOPPED_COUNTS                                            \
    " FROM @attempts GROUP BY key, provider, model;&5;"

/* Version 7: the caller's name of its work. */
#define SCHEMA_TAG_VIEWS(create)                                               \
    SCHEMA_STOPPED_VIEWS(create, ", key, tag")                                 \
    "CREATE VIEW @tag_stats AS SELECT tag, provider,"                          \
    " model," SCHEMA_STOPPED_COUNTS                                            \
    " FROM @attempts GROUP BY tag, provider, model;&7;"

/* Version 8: usage that is an estimate. */
#define SCHEMA_ESTIMATED_VIEWS(create)                                         \
    SCHEMA_STOPPED_VIEWS(create, ", key, tag, estimated") "&8;"
#define SCHEMA_DROP_VIEWS                                                      \
    "DROP VIEW attempt_list; DROP VIEW contract_stats; DROP VIEW model_stats;"

/* A step of a migration to a version, for one kind of database or for both.
 * '^' is the start of an attempt as a time, '&' sets the version. */
static const struct schema_step {
    int64_t version;
    bool sqlite, postgres;
    const char *sql;
} schema_steps[] = {
    {1, true, false,
     "CREATE TABLE writers (id integer PRIMARY KEY," SCHEMA_WRITER
     "CREATE TABLE attempts (seq integer PRIMARY KEY," SCHEMA_TEXTS_1
     " prompt blob," SCHEMA_TEXTS_2 " reply blob," SCHEMA_TEXTS_3
     "CREATE TABLE errors (" SCHEMA_ISSUES
     " keyword text, path text, message text, PRIMARY KEY (attempt, number))"
     " WITHOUT ROWID;"
     "CREATE TABLE repairs (" SCHEMA_ISSUES
     " kind text, path text, message text, PRIMARY KEY (attempt, number))"
     " WITHOUT ROWID;"
     "PRAGMA application_id = 1397904473; &1;"},
    {1, false, true,
     "CREATE SCHEMA IF NOT EXISTS surety;"
     "CREATE TABLE surety.ledger_version (version bigint NOT NULL);"
     "INSERT INTO surety.ledger_version VALUES (1);"
     "CREATE TABLE surety.writers (id bigint GENERATED ALWAYS AS IDENTITY"
     " PRIMARY KEY," SCHEMA_WRITER
     "CREATE TABLE surety.attempts (seq bigint GENERATED ALWAYS AS IDENTITY"
     " PRIMARY KEY," SCHEMA_TEXTS_1 " prompt bytea," SCHEMA_TEXTS_2
     " reply bytea," SCHEMA_TEXTS_3 "CREATE TABLE surety.errors (" SCHEMA_ISSUES
     " keyword text, path text, message text, PRIMARY KEY (attempt, number));"
     "CREATE TABLE surety.repairs (" SCHEMA_ISSUES
     " kind text, path text, message text, PRIMARY KEY (attempt, number));"},
    {2, true, false, SCHEMA_INDEXES_SQLITE},
    {2, false, true, SCHEMA_INDEXES_POSTGRES},
    {2, true, true, SCHEMA_VIEWS("CREATE VIEW ", "", SCHEMA_COUNTS)},
    {2, true, true,
     SCHEMA_ISSUE_VIEW("error_stats", "error", "keyword")
         SCHEMA_ISSUE_VIEW("repair_stats", "repair", "kind") "&2;"},
    {3, true, true,
     "ALTER TABLE @attempts ADD COLUMN stopped text;"
     "ALTER TABLE @attempts ADD COLUMN stopped_bytes bigint;"
     "ALTER TABLE @attempts ADD COLUMN saved_tokens bigint;"},
    {3, true, false, SCHEMA_DROP_VIEWS},
    {3, true, false, SCHEMA_STOPPED_VIEWS("CREATE VIEW ", "") "&3;"},
    {3, false, true, SCHEMA_STOPPED_VIEWS("CREATE OR REPLACE VIEW ", "") "&3;"},
    /* Version 4: partial values that may be accepted. */
    {4, true, true, "ALTER TABLE @attempts ADD COLUMN partial boolean;&4;"},
    {5, true, true, "ALTER TABLE @attempts ADD COLUMN key text;"},
    {5, true, false, SCHEMA_DROP_VIEWS},
    {5, true, false, SCHEMA_KEY_VIEWS("CREATE VIEW ")},
    {5, false, true, SCHEMA_KEY_VIEWS("CREATE OR REPLACE VIEW ")},
    /* Version 6: without the indexes that only speed up questions about all
     * attempts, which read the table anyway. They were a third of the pages
     * that a call writes. A ledger's owner may have dropped them already. */
    {6, true, true,
     "DROP INDEX IF EXISTS @attempts_by_contract;"
     "DROP INDEX IF EXISTS @attempts_by_model;"
     "DROP INDEX IF EXISTS @attempts_by_stage; &6;"},
    {7, true, true, "ALTER TABLE @attempts ADD COLUMN tag text;"},
    {7, true, false, SCHEMA_DROP_VIEWS},
    {7, true, false, SCHEMA_TAG_VIEWS("CREATE VIEW ")},
    {7, false, true, SCHEMA_TAG_VIEWS("CREATE OR REPLACE VIEW ")},
    {8, true, true, "ALTER TABLE @attempts ADD COLUMN estimated boolean;"},
    {8, true, false, SCHEMA_DROP_VIEWS},
    {8, true, false, SCHEMA_ESTIMATED_VIEWS("CREATE VIEW ")},
    {8, false, true, SCHEMA_ESTIMATED_VIEWS("CREATE OR REPLACE VIEW ")},
};

/* ORDER statements. '<' is the list of columns that begin, '#' is the list of
 * all, '=' too, but with raw texts only if they are short, '-' too, without
 * raw texts; '%' is the list of their values. '!' is the list of assignments
 * to the columns of the end, '?' the parameter behind their values. */
static const char *const schema_statements[SQL_COUNT] = {
    "INSERT INTO @attempts (<, writer, state, recorded_ms)"
    " VALUES (%, 'open', ~) ON CONFLICT (id) DO NOTHING",
    /* Sets the columns of the end, if nothing did before. A writer that was
     * taken for dead may still finish. */
    "UPDATE @attempts SET !, abandoned = FALSE, finished_ms = ~"
    " WHERE id = ? AND (state = 'open' OR abandoned)",
    "INSERT INTO @attempts (#, writer, recorded_ms, finished_ms)"
    " VALUES (%, ~, ~) ON CONFLICT (id) DO NOTHING",
    "INSERT INTO @errors (attempt, number, keyword, path, message)"
    " VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
    "INSERT INTO @repairs (attempt, number, kind, path, message)"
    " VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
    "SELECT =, seq, length(prompt), length(reply) FROM @attempts"
    " WHERE (started_ms, seq) > ($1, $2) ORDER BY started_ms, seq LIMIT 64",
    "SELECT -, seq, NULL, NULL FROM @attempts"
    " WHERE (started_ms, seq) > ($1, $2) ORDER BY started_ms, seq LIMIT 64",
    "SELECT prompt FROM @attempts WHERE seq = $1",
    "SELECT reply FROM @attempts WHERE seq = $1",
    "SELECT keyword, path, message FROM @errors WHERE attempt = $1"
    " ORDER BY number",
    "SELECT kind, path, message FROM @repairs WHERE attempt = $1"
    " ORDER BY number",
    "INSERT INTO @writers (host, boot, space, start, pid, opened_ms)"
    " VALUES ($1, $2, $3, $4, $5, ~) RETURNING id",
    /* With the milliseconds since the writer last recorded something. */
    "SELECT id, host, boot, space, start, pid, ~ - coalesce((SELECT"
    " max(recorded_ms) FROM @attempts WHERE writer = old.id AND"
    " state = 'open'), opened_ms) FROM @writers AS old"
    " WHERE closed_ms IS NULL",
    "UPDATE @attempts SET state = 'unknown', abandoned = TRUE"
    " WHERE writer = $1 AND state = 'open'",
    "UPDATE @writers SET closed_ms = ~ WHERE id = $1",
    /* Done twice it changes nothing, and is written all the same: SQLite writes
     * no row that stays as it is. */
    "UPDATE @writers SET pid = -pid WHERE id = $1",
};

/* Texts up to this length are part of a page; longer ones are read one by
 * one. */
#define SCHEMA_INLINE_MAX "16384"

static void schema_columns(char form, size_t count, surety_buf *out)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = surety__column_name(i);

        surety_buf_text(out, i ? ", " : "");
        if (form == '-' && surety__column_raw(i))
            surety_buf_text(out, "NULL");
        else if (form == '=' && surety__column_raw(i))
            surety__buf_printf(out,
                               "CASE WHEN length(%s) <= " SCHEMA_INLINE_MAX
                               " THEN %s END",
                               name, name);
        else
            surety_buf_text(out, name);
    }
}

/* Appends a text of this file for a kind of database. count: the columns of
 * its lists. */
static void schema_write(const char *ptr, size_t count, bool postgres,
                         surety_buf *out)
{
    for (; *ptr; ptr++) {
        switch (*ptr) {
        case '@': surety_buf_text(out, postgres ? "surety." : ""); break;
        case '~':
            surety_buf_text(out,
                            postgres ? SCHEMA_NOW_POSTGRES : SCHEMA_NOW_SQLITE);
            break;
        case '^':
            surety_buf_text(out, postgres ? SCHEMA_START_POSTGRES
                                          : SCHEMA_START_SQLITE);
            break;
        case '&':
            surety_buf_text(out, postgres ? "UPDATE surety.ledger_version"
                                            " SET version = "
                                          : "PRAGMA user_version = ");
            break;
        case '#': schema_columns(*ptr, count, out); break;
        case '!':
            for (size_t i = SURETY__BEGIN_COLUMNS; i < count; i++)
                surety__buf_printf(
                    out, "%s%s = $%zu", i > SURETY__BEGIN_COLUMNS ? ", " : "",
                    surety__column_name(i), i - SURETY__BEGIN_COLUMNS + 1);
            break;
        case '?':
            surety__buf_printf(out, "$%zu", count - SURETY__BEGIN_COLUMNS + 1);
            break;
        case '=':
        case '-':
        case '<':
            if (ptr[1] == ',')
                schema_columns(*ptr, count, out);
            else
                surety_buf_byte(out, *ptr);
            break;
        case '%':
            /* One more for the writer. */
            for (size_t i = 0; i <= count; i++)
                surety__buf_printf(out, i ? ", $%zu" : "$%zu", i + 1);
            break;
        default: surety_buf_byte(out, *ptr); break;
        }
    }
    surety_buf_byte(out, '\0');
}

void surety__sql_text(const char *text, bool postgres, surety_buf *out)
{
    schema_write(text, 0, postgres, out);
}

void surety__sql_write(size_t which, bool postgres, surety_buf *out)
{
    assert(which < SQL_COUNT);
    schema_write(schema_statements[which],
                 which == SQL_BEGIN ? SURETY__BEGIN_COLUMNS : SURETY__COLUMNS,
                 postgres, out);
}

surety_status surety__schema_migrate(surety__store *store, int64_t version,
                                     surety_error *reterr)
{
    surety_status status = SURETY_OK;
    surety_buf sql;

    assert(version >= 0 && version <= SURETY__LEDGER_VERSION);
    surety_buf_init(&sql, store->alloc, 0);
    for (size_t i = 0;
         i < sizeof(schema_steps) / sizeof(*schema_steps) && !status; i++) {
        const struct schema_step *step = &schema_steps[i];

        if (step->version <= version ||
            !(store->postgres ? step->postgres : step->sqlite))
            continue;
        surety_buf_reset(&sql);
        surety__sql_text(step->sql, store->postgres, &sql);
        status = sql.status ? surety__fail_nomem(reterr)
                            : store->script(store, sql.ptr, reterr);
    }
    surety_buf_done(&sql);
    return status;
}
