/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of keys, and all statements. They stand beside the attempts in
 * the database of a ledger, with a version of their own: a ledger without keys
 * has none of them, and a program that knows no keys reads it as before.
 *
 * keys: a row for each. key_reservations: those that are not settled.
 * key_seconds: requests and tokens of the last minute, by second. key_spent:
 * what was used in a day (20261128) and in a month (202611). docs/keys.md
 * describes the columns. The texts are in the form of ledger/schema.c; in
 * SQLite a value belongs to the place where it first stands, so $1, $2, ...
 * first stand in that order. */
#include "keys/keys.h"

#define STATEMENTS_LIMITS                                                      \
    "minute_requests, minute_tokens, at_once_max, day_picousd, month_picousd"
#define STATEMENTS_COLUMNS                                                     \
    "id, name, admin, models, " STATEMENTS_LIMITS                              \
    ", created_ms, expires_ms, revoked_ms, used_ms"

/* No sum becomes greater than a bigint: both summands are at most
 * INT64_MAX / 2. */
#define STATEMENTS_SUM(name)                                                   \
    name " = CASE WHEN old." name                                              \
         " > 4611686018427387903 THEN 4611686018427387903 ELSE old." name      \
         " END + excluded." name

static const char statements_tables[] =
    "CREATE TABLE @key_version (version bigint NOT NULL);"
    "INSERT INTO @key_version VALUES (1);"
    "CREATE TABLE @keys (id text PRIMARY KEY, hash text NOT NULL UNIQUE,"
    " name text NOT NULL, admin boolean NOT NULL, models text,"
    " minute_requests bigint, minute_tokens bigint, at_once_max bigint,"
    " day_picousd bigint, month_picousd bigint, created_ms bigint NOT NULL,"
    " expires_ms bigint, revoked_ms bigint, used_ms bigint);"
    "CREATE UNIQUE INDEX keys_by_name ON @keys (name)"
    " WHERE revoked_ms IS NULL;"
    "CREATE TABLE @key_reservations (id text PRIMARY KEY, key text NOT NULL,"
    " second bigint NOT NULL, day bigint NOT NULL, month bigint NOT NULL,"
    " tokens bigint NOT NULL, picousd bigint NOT NULL,"
    " lapses_ms bigint NOT NULL);"
    "CREATE INDEX key_reservations_by_key ON @key_reservations (key);"
    "CREATE TABLE @key_seconds (key text NOT NULL, second bigint NOT NULL,"
    " requests bigint NOT NULL, tokens bigint NOT NULL,"
    " PRIMARY KEY (key, second));"
    "CREATE TABLE @key_spent (key text NOT NULL, period bigint NOT NULL,"
    " requests bigint NOT NULL, tokens bigint NOT NULL,"
    " picousd bigint NOT NULL, PRIMARY KEY (key, period));";

/* Two programs that open at one time: the second one waits, and then finds the
 * tables. SQLite has one writer anyway. */
static const char statements_lock[] =
    "SELECT pg_advisory_xact_lock(6013508218946)";

/* ORDER key statements (keys/keys.h). The first one differs. */
static const char *const statements_texts[KEYS_SQL_COUNT] = {
    NULL,
    "SELECT max(version) FROM @key_version",
    "SELECT count(*) FROM @keys WHERE name = $1 AND id <> $2"
    " AND revoked_ms IS NULL",
    "INSERT INTO @keys (" STATEMENTS_COLUMNS ", hash) VALUES ($1, $2, $3, $4,"
    " $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT (id) DO NOTHING",
    "SELECT " STATEMENTS_COLUMNS ", hash, (SELECT picousd FROM @key_spent WHERE"
    " key = id AND period = $1), (SELECT picousd FROM @key_spent WHERE"
    " key = id AND period = $2) FROM @keys ORDER BY created_ms, id",
    "SELECT " STATEMENTS_COLUMNS ", hash FROM @keys WHERE hash = $1",
    "UPDATE @keys SET revoked_ms = $1 WHERE revoked_ms IS NULL"
    " AND (id = $2 OR name = $2)",
    "SELECT " STATEMENTS_COLUMNS " FROM @keys WHERE id = $1",
    "SELECT pg_advisory_xact_lock(hashtextextended($1, 6013508218947))",
    "UPDATE @keys SET used_ms = $1 WHERE id = $2",
    "INSERT INTO @key_reservations (id, key, second, day, month, tokens,"
    " picousd, lapses_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"
    " ON CONFLICT (id) DO NOTHING",
    "SELECT count(*) FROM @key_reservations WHERE id = $1",
    "SELECT count(*), CAST(coalesce(sum(CASE WHEN day = $1 THEN picousd"
    " ELSE 0 END), 0) AS bigint), CAST(coalesce(sum(CASE WHEN month = $2"
    " THEN picousd ELSE 0 END), 0) AS bigint) FROM @key_reservations"
    " WHERE key = $3 AND lapses_ms > $4",
    "SELECT period, picousd FROM @key_spent WHERE key = $1"
    " AND (period = $2 OR period = $3)",
    "SELECT second, requests, tokens FROM @key_seconds WHERE key = $1"
    " AND second > $2 AND second < $3 ORDER BY second",
    "INSERT INTO @key_seconds AS old (key, second, requests, tokens)"
    " VALUES ($1, $2, 1, $3) ON CONFLICT (key, second) DO UPDATE SET"
    " requests = old.requests + 1, " STATEMENTS_SUM("tokens"),
    "DELETE FROM @key_reservations WHERE id = $1 RETURNING key, second, day,"
    " month, tokens",
    "UPDATE @key_seconds SET tokens = tokens - $1 + $2 WHERE key = $3"
    " AND second = $4",
    "INSERT INTO @key_spent AS old (key, period, requests, tokens, picousd)"
    " VALUES ($1, $2, 1, $3, $4) ON CONFLICT (key, period) DO UPDATE SET"
    " requests = old.requests + 1, " STATEMENTS_SUM(
        "tokens") ", " STATEMENTS_SUM("picousd"),
    "DELETE FROM @key_seconds WHERE second < $1",
    "DELETE FROM @key_reservations WHERE lapses_ms < $1",
};

void surety__keys_sql_write(size_t which, bool postgres, surety_buf *out)
{
    assert(which < KEYS_SQL_COUNT);
    if (which == KEYS_EXIST)
        surety__sql_text(postgres ? "SELECT (to_regclass('surety.key_version')"
                                    " IS NOT NULL)::int4"
                                  : "SELECT count(*) FROM sqlite_schema"
                                    " WHERE name = 'key_version'",
                         postgres, out);
    else
        surety__sql_text(statements_texts[which], postgres, out);
}

static bool statements_take_number(void *ctx, const surety__cell *cells)
{
    *(int64_t *)ctx = cells[0].number;
    return true;
}

surety_status surety__keys_ask(surety__store *store, size_t which,
                               const surety__cell *cells, size_t count,
                               int64_t *ret_number, surety_error *reterr)
{
    const surety__query query = {which, cells, count, statements_take_number,
                                 ret_number};

    *ret_number = 0;
    return store->run(store, &query, NULL, reterr);
}

surety_status surety__keys_migrate(surety__store *store, surety_error *reterr)
{
    int64_t number = 0;
    surety_status status =
        surety__keys_ask(store, KEYS_EXIST, NULL, 0, &number, reterr);
    surety_buf sql;

    if (!status && !number && store->postgres) {
        status = store->script(store, statements_lock, reterr);
        if (!status)
            status =
                surety__keys_ask(store, KEYS_EXIST, NULL, 0, &number, reterr);
    }
    if (status)
        return status;
    if (number) {
        status =
            surety__keys_ask(store, KEYS_VERSION, NULL, 0, &number, reterr);
        if (status || number == SURETY__KEYS_VERSION)
            return status;
        (void)surety__fail(reterr, SURETY_UNSUPPORTED,
                           "the keys in %.*s are of version %lld, and this "
                           "program knows version %d",
                           (int)store->name.len, store->name.ptr,
                           (long long)number, SURETY__KEYS_VERSION);
        surety__hint(reterr, "use a newer surety");
        return SURETY_UNSUPPORTED;
    }
    surety_buf_init(&sql, store->alloc, 0);
    surety__sql_text(statements_tables, store->postgres, &sql);
    status = sql.status ? surety__fail_nomem(reterr)
                        : store->script(store, sql.ptr, reterr);
    surety_buf_done(&sql);
    return status;
}
