/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of a gateway: the object, its statements, and the parts of its work. */
#ifndef SURETY_KEYS_KEYS_H
#define SURETY_KEYS_KEYS_H

#include <surety/keys.h>

#include "base/base.h"
#include "ledger/ledger.h"

/* ---- statements.c -------------------------------------------------------- */

/* ORDER key statements (keys/statements.c). */
typedef enum surety__keys_sql {
    KEYS_EXIST = 0,
    KEYS_VERSION,
    KEYS_NAMED, /* how many keys in force have a name, but for an id */
    KEYS_ADD,
    KEYS_LIST,
    KEYS_FIND,
    KEYS_REVOKE,
    KEYS_READ,
    KEYS_LOCK, /* until the transaction ends; PostgreSQL's alone */
    KEYS_USE,
    KEYS_RESERVE,
    KEYS_IS_RESERVED,
    KEYS_RESERVED,
    KEYS_SPENT,
    KEYS_SECONDS,
    KEYS_COUNT_SECOND,
    KEYS_SETTLE,
    KEYS_ADJUST,
    KEYS_SPEND,
    KEYS_TRIM_SECONDS,
    KEYS_TRIM_RESERVATIONS,
    KEYS_SQL_COUNT
} surety__keys_sql;

#define SURETY__KEYS_VERSION 1

void surety__keys_sql_write(size_t which, bool postgres, surety_buf *out);
/* In a transaction: creates the tables, if there are none. */
surety_status surety__keys_migrate(surety__store *store, surety_error *reterr);

/* Runs a statement that gives one number; without a row it is 0. */
surety_status surety__keys_ask(surety__store *store, size_t which,
                               const surety__cell *cells, size_t count,
                               int64_t *ret_number, surety_error *reterr);

/* ---- secret.c ------------------------------------------------------------ */

#define SURETY__DIGEST_LEN 32
#define SURETY__SECRET_LEN 53
#define SURETY__KEY_ID_LEN 20
#define SURETY__RESERVATION_ID_LEN 32

/* SHA-256 (FIPS 180-4). */
void surety__sha256(surety_str bytes, char out[SURETY__DIGEST_LEN]);
/* Compares in a time that does not depend on the bytes. */
bool surety__digest_equal(const char *a, const char *b);
/* Writes a new secret. SURETY_IO: the system gives no random bytes. */
surety_status surety__secret_make(char out[SURETY__SECRET_LEN],
                                  surety_error *reterr);
/* Whether a text has the form of a secret. */
bool surety__secret_formed(surety_str text);
/* Writes random hexadecimal digits, at most 64. */
surety_status surety__id_make(char *out, size_t len, surety_error *reterr);

/* ---- found.c: keys that were found lately -------------------------------- */

typedef struct surety__found_entry {
    char digest[SURETY__DIGEST_LEN];
    bool is_used;
    bool is_known; /* false: no key has that secret */
    surety_key key;
    surety__arena arena; /* the texts of key */
    int64_t read_ms;     /* when it was read */
    uint64_t turn;       /* of its last use */
} surety__found_entry;

typedef struct surety__found {
    const surety_alloc *alloc;
    surety__found_entry *entries; /* sets of four */
    size_t set_count;
    uint64_t turn;
} surety__found;

/* Room for max entries, at least four. False: out of memory. */
bool surety__found_init(surety__found *found, size_t max,
                        const surety_alloc *alloc);
void surety__found_done(surety__found *found);
/* The entry of a digest; NULL: none. */
surety__found_entry *surety__found_get(surety__found *found,
                                       const char *digest);
/* An emptied entry for a digest that has none. */
surety__found_entry *surety__found_add(surety__found *found,
                                       const char *digest);
/* Forgets all. */
void surety__found_reset(surety__found *found);

/* ---- the object ---------------------------------------------------------- */

struct surety_keys {
    const surety_alloc *alloc;
    surety_keys_options options; /* with the defaults */
    surety__store *store;
    surety__found found;
    int64_t trimmed_ms; /* when rows of the past were deleted; 0: never */
};

/* The day and the month of a moment as numbers: 20261128 and 202611. */
typedef struct surety__periods {
    int64_t day, month;
    int64_t day_end_ms, month_end_ms;
} surety__periods;
surety__periods surety__periods_of(int64_t now_ms);

static inline surety__cell surety__cell_number(int64_t number)
{
    return (surety__cell){.kind = CELL_INT, .number = number};
}

static inline surety__cell surety__cell_text(surety_str text)
{
    return (surety__cell){.kind = CELL_TEXT, .text = text};
}

/* Runs a statement of keys. row (may be NULL) takes its rows. */
surety_status surety__keys_run(surety_keys *keys, surety__query query,
                               int64_t *ret_changed, surety_error *reterr);

#endif
