/* SPDX-License-Identifier: Apache-2.0 */
/* surety/ledger.h: the database of attempts. A row is written and durable
 * before the first byte of a call is sent; it is completed and durable before
 * the answer is given to the caller. So an acknowledged answer survives a
 * crash, and a call whose end was not seen has the state unknown.
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
    SURETY_ENTRY_OPEN = 0,  /* begun and not finished; its writer is running */
    SURETY_ENTRY_DONE,      /* the model answered */
    SURETY_ENTRY_FAILED,    /* the model did not answer, and nothing is
                             * charged */
    SURETY_ENTRY_CANCELLED, /* the caller cancelled it */
    SURETY_ENTRY_UNKNOWN    /* sent without an answer, so that it may have been
                             * carried out; or its writer died */
} surety_entry_state;
/* One error or one repair of a report. */
typedef struct surety_entry_issue {
    surety_str kind; /* an error's keyword; a repair's kind */
    surety_str path; /* JSON Pointer in the reply's value */
    surety_str message;
} surety_entry_issue;

/* One attempt. Texts that are passed in must be valid until the call returns;
 * texts that each gives belong to the ledger. Times are Unix time in
 * milliseconds. */
typedef struct surety_entry {
    size_t size; /* sizeof(surety_entry) */
    /* Known when the attempt begins. */
    surety_str id;   /* a UUID (RFC 9562), 36 characters, made by the caller */
    surety_str run;  /* the UUID of the run that it belongs to */
    uint32_t number; /* in its run, from 1 */
    /* "ask", "retry", "re-ask", "patch", "step" (after calls of tools). "tool":
     * no attempt but a call of a tool, by the reply of the attempt with the
     * same number; provider and mode are "tool" too, model is its name, prompt
     * its arguments, and reply its result. */
    surety_str purpose;
    surety_str contract, contract_version; /* empty: none */
    surety_str provider, model, mode;
    int64_t started_ms;
    surety_str prompt; /* only where raw texts are asked for */
    /* Known when the attempt ends. */
    surety_entry_state state;
    int64_t first_byte_ms, ended_ms; /* 0: never */
    surety_str failure;              /* surety_failure_name; empty: none */
    int http_status;                 /* 0: none */
    surety_str error_code, error_message;
    surety_str finish_reason, request_id, response_id;
    bool ok; /* the reply satisfies its contract */
    bool fallback;
    surety_str stage; /* how far the judged reply got; "tools": it calls tools;
                       * may be empty */
    const surety_entry_issue *errors, *repairs;
    size_t error_count, repair_count;
    bool usage_known; /* false: the token counts are not kept */
    uint64_t input_tokens, cached_input_tokens, output_tokens, reasoning_tokens;
    bool cost_known;
    uint64_t cost_picousd; /* numbers above INT64_MAX are kept as INT64_MAX */
    surety_str decision;   /* the decision after the attempt, with its reason */
    surety_str reply;      /* only where raw texts are asked for */
    /* Why the run stopped the call early (surety_stream_state_name; empty: it
     * did not stop it), and after how many bytes of the reply. saved_tokens is
     * the most tokens that this saved; it is known where the model has a
     * maximum. */
    surety_str stopped;
    uint64_t stopped_bytes;
    bool saved_known;
    uint64_t saved_tokens;
    /* The reply was cut off, and its partial value may become the run's result
     * if no reply is valid. */
    bool partial;
    /* Who is charged for it, as surety_run_options.key; empty: it is not known.
     * Known when the attempt begins. */
    surety_str key;
    /* What the caller's work is, as surety_run_options.tag; may be empty. Known
     * when the attempt begins. */
    surety_str tag;
    /* The counts and the cost are an estimate, in whole or in part: the reply
     * broke off, or its provider does not count. */
    bool estimated;
} surety_entry;

/* A store of attempts, as functions. The caller may provide its own. */
typedef struct surety_ledger {
    uint32_t version; /* 2; 1: close is its last member */
    void *ctx;
    /* Whether prompts and replies are passed to it. */
    bool raw;
    /* Writes the entry with the state OPEN; it is durable when begin returns
     * OK. A second call with the same id is OK and changes nothing. SURETY_IO:
     * not written (locked, read-only, full, gone); the hint says what to do.
     * SURETY_SYNTAX: the database is damaged; SURETY_LIMIT: a text is too long
     * for it; SURETY_MISUSE: the id is no UUID; SURETY_NOMEM. */
    surety_status (*begin)(void *ctx, const surety_entry *entry,
                           surety_error *reterr);
    /* Completes the entry with that id; it is durable when finish returns OK. A
     * second call is OK and changes nothing. If there is no such entry, the
     * whole entry is written. SURETY_MISUSE: the state is OPEN; other statuses
     * as begin. */
    surety_status (*finish)(void *ctx, const surety_entry *entry,
                            surety_error *reterr);
    /* Calls each with every entry that started at since_ms or later (0: all),
     * in the order of their start. each returns false to stop, and must not
     * call the ledger. Memory is bounded: one page of entries, and one prompt
     * or reply. */
    surety_status (*each)(void *ctx, int64_t since_ms,
                          bool (*each)(void *ctx, const surety_entry *entry),
                          void *each_ctx, surety_error *reterr);
    void (*close)(void *ctx);
    /* Groups, for a caller who carries out many runs in one loop. While grouped
     * is set, begin and finish keep a copy of the entry, and flush writes all
     * that wait in one transaction; they are durable when flush returns OK. The
     * caller flushes before a transport may send anything
     * (surety_transport.wait sends) and before an answer is given out. When
     * flush fails, none of them may count as written, and they are dropped;
     * statuses as begin. With nothing that waits, after a write that failed, it
     * tries whether the database can be written again. */
    bool grouped;
    size_t waiting; /* entries that flush has to make durable, or to report */
    surety_status (*flush)(void *ctx, surety_error *reterr);
} surety_ledger;

typedef struct surety_ledger_options {
    size_t size; /* sizeof(surety_ledger_options) */
    bool raw;    /* keep prompts and replies; with read_only: give them */
    /* Open only for reading: no table is created or migrated, no entry is
     * marked as unknown, and begin and finish are SURETY_MISUSE. Other
     * processes may write at the same time. */
    bool read_only;
    /* How long to wait for another writer or for a server; 0: 10,000 ms. */
    uint32_t timeout_ms;
    const surety_alloc *alloc;
} surety_ledger_options;

/* Opens the database at url, and creates or migrates its tables where needed:
 * "postgresql://..." or "postgres://..." with libpq; "sqlite:PATH" or a path
 * with SQLite. Open entries of writers that died become unknown; so do entries
 * that are open when their ledger is closed. docs/ledger.md has the tables.
 * SURETY_IO: the database cannot be used, or libpq or SQLite, which are loaded
 * here, is not installed; SURETY_UNSUPPORTED: the database has a newer version
 * or belongs to another program, the scheme is unknown, or the build has no
 * libpq; SURETY_SYNTAX: the file is no database, or is damaged; SURETY_MISUSE:
 * there is no path, or url is no valid URL; SURETY_NOMEM. With read_only:
 * SURETY_END where there is no ledger yet, and SURETY_UNSUPPORTED also for an
 * older version. */
SURETY_API surety_status
surety_ledger_open(surety_str url, const surety_ledger_options *options,
                   surety_ledger **ret_ledger, surety_error *reterr);
SURETY_API void surety_ledger_close(surety_ledger *ledger); /* takes NULL */

#ifdef __cplusplus
}
#endif
#endif
