/* SPDX-License-Identifier: Apache-2.0 */
/* The internal interface of stats/, shared by its files. stats.c keeps the runs
 * and calls the others. Groups, issues and covers each have a file that counts
 * them; write.c writes all. */
#ifndef SURETY_STATS_STATS_H
#define SURETY_STATS_STATS_H

#include <surety/json.h>
#include <surety/reply.h>
#include <surety/stats.h>
#include <surety/strict.h>

#include "base/base.h"

/* ---- keep.c -------------------------------------------------------------- */

/* What is found by a key: the first member of a group, an issue and the like. A
 * key joins texts, each behind its length, so different lists of texts have
 * different keys. */
typedef struct surety__keyed {
    struct surety__keyed *next; /* with the same hash */
    surety_str key;
} surety__keyed;

typedef struct surety__keyed_list {
    surety__map map;
    void **items; /* in the order in which they came */
    size_t count, cap;
} surety__keyed_list;

/* NULL: there is none. */
void *surety__keyed_find(const surety__keyed_list *list, surety_str key);
/* Adds an item of size bytes, all zero but its key. NULL: out of memory, kept
 * in stats. */
void *surety__keyed_add(surety_stats *stats, surety__keyed_list *list,
                        surety_str key, size_t size);
/* Sorts the items; compare gets pointers to two of them. */
void surety__keyed_sort(surety__keyed_list *list,
                        int (*compare)(const void *a, const void *b));
void surety__keyed_done(surety__keyed_list *list, const surety_alloc *alloc);
/* Appends a text to a key, and takes the first text off one. */
void surety__key_put(surety_buf *key, surety_str text);
surety_str surety__key_take(surety_str *key);

/* ---- group.c ------------------------------------------------------------- */

/* The histogram of durations: values below 128 ms are exact; above, each power
 * of two has 64 buckets, allocated when first used. */
#define SURETY__SPREAD_EXACT 128
#define SURETY__SPREAD_STEPS 64
#define SURETY__SPREAD_POWERS 33 /* up to 2^40 ms; more counts as that */

typedef struct surety__spread {
    uint32_t *exact;
    uint32_t *powers[SURETY__SPREAD_POWERS];
    uint64_t count, max;
} surety__spread;

typedef struct surety__group {
    surety__keyed head;
    surety_stats_group info;
    surety__spread spread;
} surety__group;

/* The marks of a tally. */
typedef enum surety__tally_mark {
    MARK_VALID = 1,
    MARK_PARTIAL = 2,
    MARK_FALLBACK = 4,
    MARK_REPLIED = 8, /* with a reply that is not valid */
    MARK_REFUSED = 16,
    MARK_OPEN = 32,
    MARK_ABANDONED = 64,
    MARK_VALIDATOR = 128
} surety__tally_mark;

void surety__tally_add(surety_stats_tally *tally, const surety_entry *entry);
/* Counts a run after its last attempt. */
void surety__group_end(surety_stats_group *group,
                       const surety_stats_tally *tally);

/* Finds or adds the group of an entry. NULL: a failure, kept in stats. */
surety__group *surety__group_of(surety_stats *stats, const surety_entry *entry);
/* Counts a call; false: out of memory. */
bool surety__group_call(surety_stats *stats, surety__group *group,
                        const surety_entry *entry);
/* Sums up and sorts. */
void surety__groups_end(surety_stats *stats);
void surety__groups_done(surety_stats *stats);

/* ---- issue.c ------------------------------------------------------------- */

/* A model whose replies have an issue. */
typedef struct surety__issue_model {
    struct surety__issue_model *next;
    surety_str model;
    uint64_t replies;
} surety__issue_model;

typedef struct surety__issue {
    surety__keyed head; /* contract, kind and path */
    surety_stats_issue info;
    uint64_t reply; /* the last reply that it was counted in */
    /* At the end those with most replies first, then by name. */
    surety__issue_model *models;
    size_t model_count;
    uint64_t models_left; /* replies of models beyond the limit */
} surety__issue;

typedef struct surety__issues {
    surety__keyed_list list;
    uint64_t left, left_reply;
} surety__issues;

/* An item of a run's list of issues. */
typedef struct surety__had {
    struct surety__had *next;
    surety__issue *issue;
} surety__had;

/* Counts the errors or repairs that an entry lists. had: the run's list of
 * them. False: a failure, kept in stats. */
bool surety__issues_add(surety_stats *stats, surety__issues *issues,
                        const surety_entry *entry, bool repairs,
                        surety__had **had);
void surety__issues_end(surety__issues *issues);

/* ---- cover.c ------------------------------------------------------------- */

#define SURETY__COVER_SUBSETS 4

/* A contract that replies are judged with again. */
typedef struct surety__covered {
    surety__keyed head;
    surety_str name, version;
    const surety_contract *contract; /* NULL: not found */
    surety_contract *owned;
    bool derives;
    surety_extract extract; /* its places, a structured value first */
} surety__covered;

typedef struct surety__value {
    surety__keyed head; /* its text */
    surety_stats_value info;
    size_t order;   /* its index if it was expected */
    uint64_t reply; /* the last reply that it was counted in */
} surety__value;

typedef struct surety__cover {
    surety__keyed head; /* contract and member */
    surety_stats_cover info;
    size_t order;
    surety__keyed_list values;
} surety__cover;

/* Counts the derived members of a valid reply; false: a failure, kept in
 * stats. */
bool surety__cover_add(surety_stats *stats, const surety_entry *entry);
void surety__cover_end(surety_stats *stats);
void surety__cover_done(surety_stats *stats);

/* ---- stats.c ------------------------------------------------------------- */

/* The attempts of a run in one group. */
typedef struct surety__part {
    struct surety__part *next;
    surety__group *group;
    surety_stats_tally tally;
} surety__part;

typedef struct surety__stats_run {
    struct surety__stats_run *next; /* with the same hash */
    uint64_t id[2];
    surety__part *parts;
    surety__had *errors, *repairs;
    surety_stats_tally tally;
} surety__stats_run;

struct surety_stats {
    surety_stats_info info; /* total is set once all entries were read */
    const surety_alloc *alloc;
    surety_stats_options options;
    surety_stats_by by[SURETY_BYS];
    surety_str contract_name, contract_version; /* from the option "contract" */
    surety__arena arena;
    surety_buf text; /* scratch */
    surety_error cause;
    surety_status status; /* the first failure */
    int64_t from_ms, to_ms;
    uint64_t reply; /* the number of the current entry */
    uint64_t tool_calls, tool_failed;

    surety__map runs;
    size_t run_count;
    surety__keyed_list groups;
    surety__group total;
    surety__issues errors, repairs;

    surety_stats_replies replies;
    surety__keyed_list covered, covers;
    surety_judge *judge;
    surety_doc *value, *restored;
};

/* Whether all entries were read, that is _end was called. */
static inline bool surety__stats_ended(const surety_stats *stats)
{
    return stats->info.total == &stats->total.info;
}
/* Keeps the first failure; its details are in stats->cause. Always false. */
bool surety__stats_fail(surety_stats *stats, surety_status status);
bool surety__stats_nomem(surety_stats *stats);
/* The text, cut to the limit of a name. A cut text is in stats->text. */
surety_str surety__stats_cut(surety_stats *stats, surety_str text);
/* The form of a written time: "2026-11-21T12:00:00Z", its day, or its month. */
typedef enum surety__moment_form {
    MOMENT_WHOLE = 0,
    MOMENT_DAY,
    MOMENT_MONTH
} surety__moment_form;
void surety__moment_write(int64_t unix_ms, surety__moment_form form,
                          surety_buf *out);

/* Adds an entry; entries of a run may come in any order, but with `since` the
 * first attempt before the others. SURETY_LIMIT, SURETY_NOMEM, SURETY_MISUSE
 * after _end. */
surety_status surety__stats_add(surety_stats *stats, const surety_entry *entry,
                                surety_error *reterr);
/* Sums up and sorts, after the last entry. SURETY_NOMEM. */
surety_status surety__stats_end(surety_stats *stats, surety_error *reterr);

#endif
