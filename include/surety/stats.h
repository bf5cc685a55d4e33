/* SPDX-License-Identifier: Apache-2.0 */
/* surety/stats.h: statistics of a ledger's attempts: how many runs ended with a
 * valid value, at the first try and after more; which errors are most frequent;
 * what was repaired; the cost; and which values the valid replies covered.
 *
 *     const surety_stats_by by[] = {SURETY_BY_MODEL};
 *     surety_stats_options options = {.size = sizeof(options),
 *                                     .by = by, .by_count = 1};
 *     if (surety_stats_new(&options, &stats, &err) ||
 *         surety_stats_read(stats, ledger, &err))
 *         return fail(err.message);
 *     for (size_t i = 0; i < surety_stats_info_of(stats)->group_count; i++)
 *         show(surety_stats_group_at(stats, i));
 *     surety_stats_free(stats);
 *
 * A run is all attempts with the same run id. A try of a run is an attempt that
 * gave a reply, that the model refused, or that the provider cut off; a call
 * that failed without a reply and was retried is no try. Without a contract
 * every complete reply is valid. Time is linear in the entries; memory is
 * bounded by the number of runs and by the limits below.
 *
 * Threads: a surety_stats is owned while it is filled, and frozen after
 * surety_stats_read. */
#ifndef SURETY_STATS_H
#define SURETY_STATS_H

#include <surety/base.h>
#include <surety/contract.h>
#include <surety/ledger.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Limits. More runs (about 250 bytes each) or groups are SURETY_LIMIT. Items
 * beyond one of the other limits are left out and counted. */
#define SURETY_STATS_RUNS_MAX 5000000
#define SURETY_STATS_GROUPS_MAX 10000
#define SURETY_STATS_ISSUES_MAX 10000  /* errors; repairs too */
#define SURETY_STATS_COVERS_MAX 1000   /* derived members */
#define SURETY_STATS_VALUES_MAX 1000   /* different texts of one of these */
#define SURETY_STATS_CONTRACTS_MAX 256 /* whose valid replies are examined */
#define SURETY_STATS_MODELS_MAX 64     /* models of one error or repair */
/* Most bytes of a name, path or value; a longer one is cut and ends in
 * "...". */
#define SURETY_STATS_TEXT_MAX 200

/* By what runs are grouped. ORDER bys (names in stats/stats.c). */
typedef enum surety_stats_by {
    SURETY_BY_MODEL = 0,
    SURETY_BY_PROVIDER,
    SURETY_BY_CONTRACT,
    SURETY_BY_VERSION, /* of the contract */
    SURETY_BY_MODE,
    SURETY_BY_DAY,   /* "2026-11-21", of each attempt, in UTC */
    SURETY_BY_MONTH, /* "2026-11" */
    SURETY_BY_KEY,   /* surety_entry.key */
    SURETY_BY_TAG    /* surety_entry.tag */
} surety_stats_by;
#define SURETY_BYS 9
/* "model", "provider", "contract", ...; never NULL. */
SURETY_API const char *surety_stats_by_name(surety_stats_by by);

/* Values that a derived member should have had, each in at least one reply. */
typedef struct surety_stats_expect {
    surety_str member;
    const surety_str *values;
    size_t value_count;
} surety_stats_expect;

typedef struct surety_stats_options {
    size_t size;               /* sizeof(surety_stats_options) */
    const surety_stats_by *by; /* copied; by_count 0: all runs are one group */
    size_t by_count;
    /* Only runs that began at since_ms or later, and before until_ms. Unix time
     * in milliseconds; 0: no bound. */
    int64_t since_ms, until_ms;
    /* Only attempts with these; empty: any. contract is a name or NAME@VERSION;
     * "a/b@1" means every version that begins with "1.". */
    surety_str contract, model, provider, run;
    /* For coverage: the contracts of the replies that the ledger kept. They are
     * looked up in contracts first, then in registry. Without both, there is no
     * coverage. They must outlive the call of surety_stats_read. */
    const surety_contract *const *contracts;
    size_t contract_count;
    surety_registry *registry;
    const surety_stats_expect *expects; /* must outlive the stats */
    size_t expect_count;
    const surety_limits *limits;
    const surety_alloc *alloc;
} surety_stats_options;

typedef struct surety_stats surety_stats;

/* Makes empty statistics. NULL options: defaults. Texts of options must outlive
 * the stats. SURETY_MISUSE: an item of by is unknown or occurs twice;
 * SURETY_NOMEM. */
SURETY_API surety_status surety_stats_new(const surety_stats_options *options,
                                          surety_stats **ret_stats,
                                          surety_error *reterr);
SURETY_API void surety_stats_free(surety_stats *stats); /* takes NULL */
/* Reads all entries of the ledger from since_ms on. Call it once; before it,
 * the functions below give nothing. SURETY_LIMIT, SURETY_NOMEM, and the
 * statuses of the ledger's each. */
SURETY_API surety_status surety_stats_read(surety_stats *stats,
                                           const surety_ledger *ledger,
                                           surety_error *reterr);

/* ---- runs ---------------------------------------------------------------- */

/* How runs ended, as far as their attempts show it (an exhausted budget is not
 * recorded in an attempt). ORDER endings (names in stats/group.c). */
typedef enum surety_stats_ending {
    SURETY_ENDED_VALID = 0,
    SURETY_ENDED_PARTIAL,   /* the partial value of a reply that was cut off */
    SURETY_ENDED_FALLBACK,  /* the contract's fallback */
    SURETY_ENDED_REJECTED,  /* there were replies, but none was valid */
    SURETY_ENDED_REFUSED,   /* the model or a filter refused */
    SURETY_ENDED_PROVIDER,  /* no model gave a reply */
    SURETY_ENDED_CANCELLED, /* its last call was stopped by the caller, or
                             * because the time limit of the run had passed */
    SURETY_ENDED_ABANDONED, /* its process ended before its last call */
    SURETY_ENDED_OPEN,      /* a call is under way */
    SURETY_ENDED_VALIDATOR  /* a validator failed: a reply was not judged */
} surety_stats_ending;
#define SURETY_ENDINGS 10
/* "valid", "partial", ..., as in the statistics as JSON; never NULL. */
SURETY_API const char *surety_stats_ending_name(surety_stats_ending ending);

/* The attempts of one run, summed up by _add; all zero at first. For a caller
 * that shows runs one by one. */
typedef struct surety_stats_tally {
    uint32_t tries; /* 1: the first reply ended the run */
    uint32_t last_number;
    uint8_t last_state; /* surety_entry_state of that attempt */
    uint8_t marks;      /* for the library */
} surety_stats_tally;
/* Adds an attempt, not a call of a tool. The order does not matter. */
SURETY_API void surety_stats_tally_add(surety_stats_tally *tally,
                                       const surety_entry *entry);
/* How the run ended, as far as its attempts show it. */
SURETY_API surety_stats_ending
surety_stats_tally_ending(const surety_stats_tally *tally);

/* A group of runs. A run that called several models counts in the group of each
 * of them, with the attempts of that group; in the total it counts once. */
typedef struct surety_stats_group {
    const surety_str *keys; /* one for each item of by; the total has none */
    uint64_t runs;
    uint64_t ended[SURETY_ENDINGS];
    uint64_t first;    /* valid runs, valid at the first try */
    uint64_t again[3]; /* at the second, the third, a later try */
    uint64_t calls;
    uint64_t retries; /* calls that repeated the call before unchanged */
    uint64_t reasks;  /* calls that listed the errors of the last reply */
    uint64_t failed;  /* calls that failed, or whose end is unknown */
    uint64_t input_tokens, cached_input_tokens;
    uint64_t output_tokens, reasoning_tokens;
    uint64_t tokens_unknown; /* calls whose counts are unknown, or estimated */
    uint64_t cost_picousd;   /* of all calls with a known or estimated cost */
    uint64_t cost_unknown;   /* calls whose cost is unknown and may not be 0, or
                              * estimated */
    /* Duration of answered calls, from start to end: the median and the 95th
     * percentile (nearest rank), exact to 1 percent, and the maximum. 0 if
     * answered is 0. */
    uint64_t answered;
    uint64_t median_ms, p95_ms, max_ms;
    uint64_t stopped;       /* calls that the run stopped */
    uint64_t saved_tokens;  /* most tokens that this saved, where it is known */
    uint64_t saved_unknown; /* stopped calls for which it is not known */
    /* Cost of one valid value: the known cost of all runs divided by the number
     * of valid runs. Not known if no run is valid or no cost is known. */
    bool value_cost_known;
    uint64_t value_cost_picousd;
} surety_stats_group;

/* The statistics. Everything belongs to the stats. */
typedef struct surety_stats_info {
    size_t size; /* sizeof(surety_stats_info) of the library */
    const struct surety_stats_group *total;
    const struct surety_stats_replies *replies; /* for coverage */
    const surety_stats_by *by;                  /* of the options */
    size_t by_count;
    int64_t from_ms, to_ms; /* start of the first and of the last attempt; 0:
                             * there is none */
    size_t group_count;
    size_t error_count;
    uint64_t errors_left; /* replies with errors beyond
                           * SURETY_STATS_ISSUES_MAX */
    size_t repair_count;
    uint64_t repairs_left;
    size_t cover_count;
    uint64_t tool_calls;  /* of the models, whatever the options select of their
                           * runs; no attempts */
    uint64_t tool_failed; /* of them, without a result */
} surety_stats_info;
/* stats NULL, or before surety_stats_read: gives an empty info. */
SURETY_API const surety_stats_info *
surety_stats_info_of(const surety_stats *stats);

/* Returns the i-th of group_count groups, sorted by their keys, byte by
 * byte. */
SURETY_API surety_stats_group surety_stats_group_at(const surety_stats *stats,
                                                    size_t i);

/* ---- errors and repairs -------------------------------------------------- */

/* An error or a repair, over all replies. Array indices in the path are "*". */
typedef struct surety_stats_issue {
    surety_str contract;
    surety_str kind;  /* an error's keyword; a repair's kind */
    surety_str path;  /* a JSON Pointer; empty for a repair of the text */
    uint64_t replies; /* number of replies that have it */
    uint64_t runs;    /* number of runs with such a reply */
    uint64_t valid;   /* number of these runs that still ended valid; for an
                       * error, the model corrected it */
} surety_stats_issue;

/* Return the i-th error or repair, those with most replies first. */
SURETY_API surety_stats_issue surety_stats_error_at(const surety_stats *stats,
                                                    size_t i);
SURETY_API surety_stats_issue surety_stats_repair_at(const surety_stats *stats,
                                                     size_t i);

/* ---- coverage ------------------------------------------------------------ */

/* A derived member of a contract (x-surety.derive), over all valid replies that
 * were kept. Texts are counted by value; each text in an array counts
 * separately, but once for each reply. */
typedef struct surety_stats_cover {
    surety_str contract, member;
    uint64_t replies; /* number of replies that have it */
    uint64_t numbers; /* number of numbers, with their sum and bounds */
    double sum, min, max;
    uint64_t trues, falses, nulls;
    uint64_t others; /* objects */
    size_t values;   /* number of different texts */
    uint64_t left;   /* texts left out beyond SURETY_STATS_VALUES_MAX */
    size_t expected; /* number of different expected texts */
    size_t reached;  /* number of expected texts that occurred */
} surety_stats_cover;
/* Returns the i-th of cover_count members, by contract, then in the order of
 * the contract's derive. */
SURETY_API surety_stats_cover surety_stats_cover_at(const surety_stats *stats,
                                                    size_t i);

typedef struct surety_stats_value {
    surety_str text;
    uint64_t replies;
    bool expected;
} surety_stats_value;
/* Returns the i-th text of the cover-th member: those with most replies first,
 * then expected texts that never occurred, with 0 replies, in the order of the
 * options. Past the last: an empty text. */
SURETY_API surety_stats_value surety_stats_value_at(const surety_stats *stats,
                                                    size_t cover, size_t i);

/* How many valid replies count for coverage, and why others do not. */
typedef struct surety_stats_replies {
    uint64_t valid;    /* all replies that satisfy a contract */
    uint64_t covered;  /* replies that count */
    uint64_t not_kept; /* the ledger has no text */
    uint64_t patches;  /* the reply is only a patch of the reply before */
    uint64_t unknown;  /* their contract was not found */
    uint64_t plain;    /* their contract derives nothing */
    uint64_t unfit;    /* they do not satisfy the contract as it is now, or its
                        * derived members cannot be computed */
} surety_stats_replies;

/* ---- writing ------------------------------------------------------------- */

typedef enum surety_stats_section {
    SURETY_STATS_RUNS = 1,
    SURETY_STATS_ERRORS = 2,
    SURETY_STATS_REPAIRS = 4,
    SURETY_STATS_COVERAGE = 8
} surety_stats_section;
#define SURETY_STATS_ALL 15

/* Appends the sections (a bitwise or of them) as JSON: one object on one line,
 * the contract surety/stats. top: most errors, repairs and values of each
 * member to write; 0: all. Returns out->status. */
SURETY_API surety_status surety_stats_write(const surety_stats *stats,
                                            unsigned sections, size_t top,
                                            surety_buf *out);
/* Appends one section as CSV: a header, then one record for each group (without
 * the total), error, repair, or value of a derived member. An unknown number is
 * empty. formulas: as in surety_rendering_options. */
SURETY_API surety_status surety_stats_write_csv(const surety_stats *stats,
                                                surety_stats_section section,
                                                size_t top, bool formulas,
                                                surety_buf *out);

#ifdef __cplusplus
}
#endif
#endif
