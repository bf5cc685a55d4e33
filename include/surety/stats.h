/* SPDX-License-Identifier: Apache-2.0 */
/* surety/stats.h: what the attempts of a ledger come to: how many runs ended in
 * a valid value, at the first try and after more; what fails most; what was
 * repaired; what it cost; and what the valid replies covered.
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
 * A run is all attempts with one run id. A try of a run is an attempt that gave
 * a reply, or that the model refused or its provider cut off; a call that broke
 * below the reply and was repeated is none. Without a contract every whole
 * reply is valid. Time is linear in the entries; memory is bounded by the runs
 * and by the limits below.
 *
 * Threads: owned while it is filled; frozen once it was read. */
#ifndef SURETY_STATS_H
#define SURETY_STATS_H

#include <surety/base.h>
#include <surety/contract.h>
#include <surety/ledger.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Limits. More runs (about 250 bytes each) or groups are SURETY_LIMIT; what is
 * above one of the others is counted, and said to be left out. */
#define SURETY_STATS_RUNS_MAX 5000000
#define SURETY_STATS_GROUPS_MAX 10000
#define SURETY_STATS_ISSUES_MAX 10000  /* of errors, and of repairs */
#define SURETY_STATS_COVERS_MAX 1000   /* derived members */
#define SURETY_STATS_VALUES_MAX 1000   /* different texts of one of them */
#define SURETY_STATS_CONTRACTS_MAX 256 /* whose replies are looked at */
/* Bytes of a name, path or value; longer ones are cut and end in "...". */
#define SURETY_STATS_TEXT_MAX 200

/* What runs are told apart by. ORDER bys (names in stats/stats.c). */
typedef enum surety_stats_by {
    SURETY_BY_MODEL = 0,
    SURETY_BY_PROVIDER,
    SURETY_BY_CONTRACT,
    SURETY_BY_VERSION, /* of the contract */
    SURETY_BY_MODE,
    SURETY_BY_DAY,  /* "2026-11-21", of each attempt, in UTC */
    SURETY_BY_MONTH /* "2026-11" */
} surety_stats_by;
#define SURETY_BYS 7
/* "model", "provider", "contract", ...; never NULL. */
SURETY_API const char *surety_stats_by_name(surety_stats_by by);

/* What a derived member is expected to have had in one reply or another. */
typedef struct surety_stats_expect {
    surety_str member;
    const surety_str *values;
    size_t value_count;
} surety_stats_expect;

typedef struct surety_stats_options {
    size_t size;               /* sizeof(surety_stats_options) */
    const surety_stats_by *by; /* copied; none: all runs are one group */
    size_t by_count;
    /* Runs that began at since or later, and before until. Unix time in
     * milliseconds; 0: no bound. */
    int64_t since_ms, until_ms;
    /* Only attempts of these; empty: of any. contract is a name, or
     * NAME@VERSION, where "a/b@1" is every version that begins with "1.". */
    surety_str contract, model, provider, run;
    /* Where the contracts of replies that the ledger kept are found, to count
     * what they cover: those given first, then the registry's. Neither: nothing
     * is covered. They must outlive the call of surety_stats_read or _add. */
    const surety_contract *const *contracts;
    size_t contract_count;
    surety_registry *registry;
    const surety_stats_expect *expects; /* must outlive the stats */
    size_t expect_count;
    const surety_limits *limits;
    const surety_alloc *alloc;
} surety_stats_options;

typedef struct surety_stats surety_stats;

/* SURETY_MISUSE: a `by` that is none or given twice; SURETY_NOMEM. NULL
 * options: defaults. Texts of options must outlive the stats. */
SURETY_API surety_status surety_stats_new(const surety_stats_options *options,
                                          surety_stats **ret_stats,
                                          surety_error *reterr);
SURETY_API void surety_stats_free(surety_stats *stats); /* takes NULL */
/* Reads all that the ledger has since since_ms, once: nothing below gives
 * anything before. SURETY_LIMIT, SURETY_NOMEM, and whatever the ledger fails
 * with. */
SURETY_API surety_status surety_stats_read(surety_stats *stats,
                                           const surety_ledger *ledger,
                                           surety_error *reterr);

/* ---- runs ---------------------------------------------------------------- */

/* How runs ended, as far as their attempts tell (a budget that was spent leaves
 * no mark of its own). ORDER endings (names in stats/stats.c). */
typedef enum surety_stats_ending {
    SURETY_ENDED_VALID = 0,
    SURETY_ENDED_PARTIAL,   /* what there is of a reply that was cut off */
    SURETY_ENDED_FALLBACK,  /* the contract's */
    SURETY_ENDED_REJECTED,  /* replies, but none that is valid */
    SURETY_ENDED_REFUSED,   /* by the model or a filter */
    SURETY_ENDED_PROVIDER,  /* no reply */
    SURETY_ENDED_CANCELLED, /* its last call was stopped: by the caller, or
                             * because the run's time was up */
    SURETY_ENDED_LOST,      /* its process ended before its last call did */
    SURETY_ENDED_OPEN       /* a call is under way */
} surety_stats_ending;
#define SURETY_ENDINGS 9

/* A group. A run that was asked of several models counts in the group of each,
 * by the attempts that are in it; in the total it counts once. */
typedef struct surety_stats_group {
    const surety_str *keys; /* one for each `by`; the total has none */
    uint64_t runs;
    uint64_t ended[SURETY_ENDINGS];
    uint64_t first;    /* of the valid: at the first try */
    uint64_t again[3]; /* at the second, the third, a later one */
    uint64_t calls;
    uint64_t retries; /* calls that were made again as they were */
    uint64_t reasks;  /* calls that said what was wrong before */
    uint64_t failed;  /* calls that nobody answered */
    uint64_t input_tokens, cached_input_tokens;
    uint64_t output_tokens, reasoning_tokens;
    uint64_t tokens_unknown; /* calls whose tokens nobody told */
    uint64_t cost_picousd;   /* as far as it is known */
    uint64_t cost_unknown;   /* calls that may have cost what is not known */
    /* Of calls that were answered, from start to end; the median and the 95th
     * percentile (nearest rank) within 1 percent. 0 where answered is. */
    uint64_t answered;
    uint64_t median_ms, p95_ms, max_ms;
    uint64_t stopped;       /* calls that the run stopped */
    uint64_t saved_tokens;  /* by that, at most, as far as it is known */
    uint64_t saved_unknown; /* calls that were stopped, of which it is not */
    /* What a valid value cost: all of the known cost by the valid runs; not
     * known where no run is valid, or nothing is known of the cost. */
    bool value_cost_known;
    uint64_t value_cost_picousd;
} surety_stats_group;

/* What was read. All of it belongs to the stats. */
typedef struct surety_stats_info {
    size_t size; /* sizeof(surety_stats_info) of the library */
    const struct surety_stats_group *total;
    const struct surety_stats_replies *replies; /* for coverage */
    const surety_stats_by *by;                  /* of the options */
    size_t by_count;
    int64_t from_ms, to_ms; /* when the first and the last attempt began; 0:
                             * there is none */
    size_t group_count;
    size_t error_count;
    uint64_t errors_left; /* replies in which others stood than
                           * SURETY_STATS_ISSUES_MAX */
    size_t repair_count;
    uint64_t repairs_left;
    size_t cover_count;
} surety_stats_info;
/* NULL, and before it was read: of nothing. */
SURETY_API const surety_stats_info *
surety_stats_info_of(const surety_stats *stats);

/* The i-th of group_count, by their keys, compared byte by byte. */
SURETY_API surety_stats_group surety_stats_group_at(const surety_stats *stats,
                                                    size_t i);

/* ---- errors and repairs -------------------------------------------------- */

/* What failed, or was repaired. Indices of arrays in the path are "*". */
typedef struct surety_stats_issue {
    surety_str contract;
    surety_str kind;  /* an error's keyword; a repair's kind */
    surety_str path;  /* a JSON Pointer; of repairs of the text empty */
    uint64_t replies; /* that have it, once or more */
    uint64_t runs;    /* with such a reply */
    uint64_t valid;   /* of these, how many got a valid value all the same: of
                       * an error, the model mended it */
} surety_stats_issue;

/* Most replies first. */
SURETY_API surety_stats_issue surety_stats_error_at(const surety_stats *stats,
                                                    size_t i);
SURETY_API surety_stats_issue surety_stats_repair_at(const surety_stats *stats,
                                                     size_t i);

/* ---- coverage ------------------------------------------------------------ */

/* A member that a contract derives (x-surety.derive), over all valid replies
 * that were kept. Texts are counted by value, those in arrays each for
 * itself, and once a reply. */
typedef struct surety_stats_cover {
    surety_str contract, member;
    uint64_t replies; /* that have it */
    uint64_t numbers; /* numbers there were: their sum and bounds */
    double sum, min, max;
    uint64_t trues, falses, nulls;
    uint64_t others; /* objects */
    size_t values;   /* different texts that are counted */
    uint64_t left;   /* texts beyond SURETY_STATS_VALUES_MAX of them */
    size_t expected; /* different texts that were expected; 0: none were */
    size_t reached;  /* of these, how many there were */
} surety_stats_cover;
/* By contract, then in the order of its derive. */
SURETY_API surety_stats_cover surety_stats_cover_at(const surety_stats *stats,
                                                    size_t i);

typedef struct surety_stats_value {
    surety_str text;
    uint64_t replies;
    bool expected;
} surety_stats_value;
/* The i-th text of the cover-th member: most replies first, then those that
 * were expected and never came, with 0 replies, in the order they were
 * expected. Empty past the last. */
SURETY_API surety_stats_value surety_stats_value_at(const surety_stats *stats,
                                                    size_t cover, size_t i);

/* What became of valid replies, for coverage. */
typedef struct surety_stats_replies {
    uint64_t valid;    /* replies that satisfy a contract, in all */
    uint64_t covered;  /* looked at */
    uint64_t not_kept; /* the ledger has no text of them */
    uint64_t patches;  /* they only say what changes in the reply before */
    uint64_t unknown;  /* nobody knows their contract */
    uint64_t plain;    /* their contract derives nothing */
    uint64_t unfit;    /* today's contract does not take them, or its derived
                        * members cannot be computed */
} surety_stats_replies;

/* ---- writing ------------------------------------------------------------- */

typedef enum surety_stats_section {
    SURETY_STATS_RUNS = 1,
    SURETY_STATS_ERRORS = 2,
    SURETY_STATS_REPAIRS = 4,
    SURETY_STATS_COVERAGE = 8
} surety_stats_section;
#define SURETY_STATS_ALL 15

/* Appends the sections (or-ed) as JSON: one object on one line, the contract
 * surety/stats. top: so many errors, repairs and values of each at most; 0: all
 * there are. The result is out->status. */
SURETY_API surety_status surety_stats_write(const surety_stats *stats,
                                            unsigned sections, size_t top,
                                            surety_buf *out);
/* Appends one section as CSV: a header, then a record a group (without the
 * total), error, repair, or value of a derived member. What is not known is
 * empty. formulas: as in surety_table_form. */
SURETY_API surety_status surety_stats_write_csv(const surety_stats *stats,
                                                surety_stats_section section,
                                                size_t top, bool formulas,
                                                surety_buf *out);

#ifdef __cplusplus
}
#endif
#endif
