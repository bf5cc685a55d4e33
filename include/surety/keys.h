/* SPDX-License-Identifier: Apache-2.0 */
/* surety/keys.h: keys of a gateway's own, with budgets and limits that all its
 * processes share, in the database of a ledger.
 *
 * A key is a secret that its holder sends. Only its SHA-256 is stored, so what
 * was lost cannot be shown again. Before a request is carried out, what it may
 * use is reserved, or denied; afterwards its use is settled. So of several
 * processes none can spend what another one has reserved, and a budget is
 * exceeded by no more than by what was used above its reservation, or after
 * its reservation had lapsed.
 *
 * All times are given by the caller, in milliseconds since 1970 (UTC). Days
 * and months are those of UTC. A limit a minute holds for any 60 consecutive
 * seconds of the clock.
 *
 * Threads: an object is owned; any number of objects, in any number of
 * processes, may use one database. */
#ifndef SURETY_KEYS_H
#define SURETY_KEYS_H

#include <surety/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct surety_keys surety_keys;

typedef struct surety_keys_options {
    size_t size; /* sizeof(surety_keys_options) */
    const surety_alloc *alloc;
    /* How long to wait for another writer or for a server; 0: 10,000 ms. */
    uint32_t timeout_ms;
    /* For how long surety_keys_find gives what it has read, so that a revoked
     * key may be found for so long; 0: 2,000 ms. */
    uint32_t fresh_ms;
    /* Secrets that surety_keys_find remembers, unknown ones among them; 0:
     * 1,024. The one that was used the longest ago makes room. */
    uint32_t found_max;
    /* How long a reservation holds if it is not settled, as its process may
     * have died: longer than a request may take; 0: 900,000 ms. */
    uint32_t lapse_ms;
} surety_keys_options;

/* A key. Texts that each and find give belong to the object. Where a limit is
 * 0, there is none. */
typedef struct surety_key {
    size_t size;     /* sizeof(surety_key) */
    surety_str id;   /* "key_" and 16 hexadecimal digits; add makes it */
    surety_str name; /* for people; two keys in force never share one */
    bool admin;      /* may see what other keys did */
    /* The models that it may use; none: all. One that ends with "*" allows
     * every name that begins with what is before it. */
    const surety_str *models;
    size_t model_count;
    uint64_t minute_requests, minute_tokens;
    uint64_t at_once_max; /* requests that are carried out at one time */
    uint64_t day_picousd, month_picousd;
    int64_t created_ms, expires_ms, revoked_ms; /* 0: never */
    /* Given by each: when the key was last used, and what this day and this
     * month came to. Counted only for a key with a limit. */
    int64_t used_ms;
    uint64_t day_spent_picousd, month_spent_picousd;
} surety_key;

/* Opens the keys in the ledger's database at url (see surety_ledger_open), and
 * creates the tables where needed. Statuses are those of surety_ledger_open. */
SURETY_API surety_status surety_keys_open(surety_str url,
                                          const surety_keys_options *options,
                                          surety_keys **ret_keys,
                                          surety_error *reterr);
SURETY_API void surety_keys_close(surety_keys *keys); /* takes NULL */

/* Adds a key with what `key` has: name, admin, models, limits, expires_ms.
 * Appends its secret to secret: "sk-surety-" and 43 characters, which are
 * shown this once. SURETY_MISUSE: the name is empty or longer than 200 bytes,
 * a key in force has it, a model is empty or has a line feed, or a limit is
 * above INT64_MAX / 4. */
SURETY_API surety_status surety_keys_add(surety_keys *keys,
                                         const surety_key *key, int64_t now_ms,
                                         surety_buf *secret,
                                         surety_error *reterr);
/* Calls each with every key, the oldest first. each returns false to stop, and
 * must not use keys. */
SURETY_API surety_status surety_keys_each(surety_keys *keys, int64_t now_ms,
                                          bool (*each)(void *ctx,
                                                       const surety_key *key),
                                          void *ctx, surety_error *reterr);
/* Revokes the key in force with that id or name. SURETY_END: there is none. */
SURETY_API surety_status surety_keys_revoke(surety_keys *keys,
                                            surety_str id_or_name,
                                            int64_t now_ms,
                                            surety_error *reterr);
/* Finds the key in force of a secret; *ret_key is valid until the next call of
 * find, and is not changed by reserve and settle. SURETY_END: no key has that
 * secret, or it was revoked or has expired; the message has no part of it. */
SURETY_API surety_status surety_keys_find(surety_keys *keys, surety_str secret,
                                          int64_t now_ms,
                                          const surety_key **ret_key,
                                          surety_error *reterr);

/* ORDER denials (names in keys/reserve.c). Why a request is denied. */
typedef enum surety_denial {
    SURETY_DENIAL_NONE = 0,
    SURETY_DENIAL_KEY,      /* revoked, expired or gone */
    SURETY_DENIAL_MODEL,    /* the key may not use the model */
    SURETY_DENIAL_MONTH,    /* the budget of the month */
    SURETY_DENIAL_DAY,      /* the budget of the day */
    SURETY_DENIAL_REQUESTS, /* requests a minute */
    SURETY_DENIAL_TOKENS,   /* tokens a minute */
    SURETY_DENIAL_AT_ONCE   /* too many requests at one time */
} surety_denial;
/* "none", "key", "model", ...; never NULL. */
SURETY_API const char *surety_denial_name(surety_denial denial);

/* The most that a request may use. */
typedef struct surety_estimate {
    size_t size; /* sizeof(surety_estimate) */
    surety_str model;
    uint64_t tokens;
    uint64_t picousd;
} surety_estimate;

/* What reserve grants or denies. */
typedef struct surety_grant {
    size_t size; /* sizeof(surety_grant), set by the caller */
    surety_denial denial;
    char id[36]; /* for settle; empty: there is nothing to settle */
    /* Of a denial: one sentence for the client, and when it may be granted at
     * the earliest; 0: waiting does not help. */
    char message[240];
    uint64_t retry_after_ms;
} surety_grant;

/* Reserves the estimate for a request by the key with that id. SURETY_OK also
 * where it is denied. An estimate of more than a limit itself is always denied.
 * Other statuses as those of a ledger's begin: nothing is reserved then. */
SURETY_API surety_status surety_keys_reserve(surety_keys *keys, surety_str id,
                                             const surety_estimate *estimate,
                                             int64_t now_ms, surety_grant *ret,
                                             surety_error *reterr);
/* Ends a reservation, and counts what was used (the estimate's model is not
 * read) in the day, month and second in which it was reserved. It is durable
 * when settle returns OK. A second call changes nothing. */
SURETY_API surety_status surety_keys_settle(surety_keys *keys,
                                            const surety_grant *grant,
                                            const surety_estimate *used,
                                            surety_error *reterr);
/* Tries whether reserve can do its work: writes a reservation of no key, and
 * takes it back. For a caller that waits until the database works again.
 * Statuses as those of a ledger's begin. */
SURETY_API surety_status surety_keys_try(surety_keys *keys,
                                         surety_error *reterr);

#ifdef __cplusplus
}
#endif
#endif
