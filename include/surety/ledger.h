/* SPDX-License-Identifier: Apache-2.0 */
/* surety/ledger.h: the database of attempts. A row is written and durable
 * before the first byte of a call leaves, and completed and durable before its
 * answer is given out: what was acknowledged survives a crash, and a call that
 * nobody saw the end of is there as unknown.
 *
 * Threads: a ledger is owned; any number of processes may write to one
 * database. */
#ifndef SURETY_LEDGER_H
#define SURETY_LEDGER_H

#include <surety/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ORDER entry states (names in ledger/entry.c). */
typedef enum surety_entry_state {
    SURETY_ENTRY_OPEN = 0,  /* begun and not finished; its writer lives */
    SURETY_ENTRY_DONE,      /* the model answered */
    SURETY_ENTRY_FAILED,    /* it did not, and nothing is charged for it */
    SURETY_ENTRY_CANCELLED, /* the caller stopped it */
    SURETY_ENTRY_UNKNOWN    /* sent, and no answer: it may have been carried
                             * out; or its writer died */
} surety_entry_state;
/* One error or repair of a report. */
typedef struct surety_entry_issue {
    surety_str kind; /* an error's keyword; a repair's kind */
    surety_str path; /* JSON Pointer in the reply's value */
    surety_str message;
} surety_entry_issue;

/* One attempt. Texts are the caller's for the length of a call, and the
 * ledger's in surety_ledger_each. Times are Unix time in milliseconds. */
typedef struct surety_entry {
    size_t size; /* sizeof(surety_entry) */
    /* Known when it begins. */
    surety_str id;   /* a UUID (RFC 9562), 36 characters, made by the caller */
    surety_str run;  /* the UUID of the run that it belongs to */
    uint32_t number; /* in its run, from 1 */
    surety_str purpose; /* "ask", "retry", "re-ask", "patch", ... */
    surety_str contract, contract_version; /* empty: none */
    surety_str provider, model, mode;
    int64_t started_ms;
    surety_str prompt; /* only where raw texts are asked for */
    /* Known when it ends. */
    surety_entry_state state;
    int64_t first_byte_ms, ended_ms; /* 0: never */
    surety_str failure;              /* surety_failure_name; empty: none */
    int http_status;                 /* 0: none */
    surety_str error_code, error_message;
    surety_str finish_reason, request_id, response_id;
    bool ok; /* the reply satisfies its contract */
    bool fallback;
    surety_str stage; /* "", or how far the reply got */
    const surety_entry_issue *errors, *repairs;
    size_t error_count, repair_count;
    bool usage_known; /* else tokens are not kept */
    uint64_t input_tokens, cached_input_tokens, output_tokens, reasoning_tokens;
    bool cost_known;
    uint64_t cost_picousd; /* numbers above INT64_MAX are kept as INT64_MAX */
    surety_str decision;   /* what was decided after it, and why */
    surety_str reply;      /* only where raw texts are asked for */
    /* The run stopped the call, for what it saw coming (surety_verdict_name;
     * empty: it did not), after so many bytes of the reply; the tokens that it
     * did not cost, at most, are known where the model has a maximum. */
    surety_str stopped;
    uint64_t stopped_bytes;
    bool saved_known;
    uint64_t saved_tokens;
    /* It is no valid reply and was cut off, and what came of it may be taken:
     * the run's result, if nothing valid comes. */
    bool partial;
} surety_entry;

/* A place for records. The caller may bring one. */
typedef struct surety_ledger {
    uint32_t version; /* 1 */
    void *ctx;
    /* Whether to hand over prompts and replies. */
    bool raw;
    /* Writes the entry as OPEN; durable when it returns OK. The same id again
     * is OK and changes nothing. SURETY_IO: not written (locked, read-only,
     * full, gone), with what to do as the hint; SURETY_SYNTAX: the database is
     * damaged; SURETY_LIMIT: a text is too long for it; SURETY_MISUSE: the id
     * is no UUID; SURETY_NOMEM. */
    surety_status (*begin)(void *ctx, const surety_entry *entry,
                           surety_error *reterr);
    /* Completes the entry of that id; durable when it returns OK. A second one
     * is OK and changes nothing. Where there is no such entry it is written
     * whole. SURETY_MISUSE: the state is OPEN; else as begin. */
    surety_status (*finish)(void *ctx, const surety_entry *entry,
                            surety_error *reterr);
    /* Gives every entry since since_ms (0: all), by start, to each, which
     * returns false to stop and must not call the ledger. Memory is bounded: a
     * page of entries, and one prompt or reply. */
    surety_status (*each)(void *ctx, int64_t since_ms,
                          bool (*each)(void *ctx, const surety_entry *entry),
                          void *each_ctx, surety_error *reterr);
    void (*close)(void *ctx);
} surety_ledger;

typedef struct surety_ledger_options {
    size_t size; /* sizeof(surety_ledger_options) */
    bool raw;    /* keep prompts and replies; of read_only: give them */
    /* Only to read: nothing is made, migrated or marked, and begin and finish
     * are SURETY_MISUSE. Others may write meanwhile. */
    bool read_only;
    /* How long to wait for another writer or a server, 0: 10,000 ms. */
    uint32_t timeout_ms;
    const surety_alloc *alloc;
} surety_ledger_options;

/* Opens, and makes or migrates where needed, the database at url:
 * "postgresql://..." or "postgres://..." by libpq; "sqlite:PATH" or a path by
 * SQLite. Entries that dead writers left open become unknown; so do those that
 * are open when their ledger is closed. SURETY_IO (also where libpq or SQLite,
 * which are loaded here, is not installed), SURETY_UNSUPPORTED (a
 * database of a newer version or of another program; another scheme; a build
 * without libpq), SURETY_SYNTAX (a file that is no database, or damaged),
 * SURETY_MISUSE (no path, or a URL that is none), SURETY_NOMEM. To be read
 * only: SURETY_END where there is no ledger yet, SURETY_UNSUPPORTED also for
 * one of an older version. docs/ledger.md has the tables. */
SURETY_API surety_status
surety_ledger_open(surety_str url, const surety_ledger_options *options,
                   surety_ledger **ret_ledger, surety_error *reterr);
SURETY_API void surety_ledger_close(surety_ledger *ledger); /* takes NULL */

#ifdef __cplusplus
}
#endif
#endif
