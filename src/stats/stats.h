/* SPDX-License-Identifier: Apache-2.0 */
/* The door of stats/, and what its files share. stats.c keeps the runs and is
 * the order of the work; groups, issues and covers are counted beside it, each
 * in a file of its own, and written by write.c. */
#ifndef SURETY_STATS_STATS_H
#define SURETY_STATS_STATS_H

#include <surety/json.h>
#include <surety/reply.h>
#include <surety/stats.h>
#include <surety/strict.h>

#include "base/base.h"

/* ---- group.c ------------------------------------------------------------- */

/* Values below 128 are counted exactly; above, each power of two has 64
 * buckets, which are made when one is needed. */
#define SURETY__SPREAD_EXACT 128
#define SURETY__SPREAD_STEPS 64
#define SURETY__SPREAD_POWERS 33 /* up to 2^40 ms; more counts as that */

typedef struct surety__spread {
    uint32_t *exact;
    uint32_t *powers[SURETY__SPREAD_POWERS];
    uint64_t count, max;
} surety__spread;

typedef struct surety__group {
    struct surety__group *next; /* with the same hash */
    surety_str joined;          /* its keys, each behind its length */
    surety_stats_group told;
    surety__spread spread;
} surety__group;

/* What the attempts of a run in one group came to; also of all of a run. */
typedef struct surety__tally {
    uint32_t tries;
    uint32_t last_number;
    uint8_t last_state; /* surety_entry_state of that */
    uint8_t marks;      /* surety__tally_mark */
} surety__tally;

typedef enum surety__tally_mark {
    MARK_VALID = 1,
    MARK_PARTIAL = 2,
    MARK_FALLBACK = 4,
    MARK_REPLIED = 8, /* with something that is not valid */
    MARK_REFUSED = 16,
    MARK_OPEN = 32,
    MARK_LOST = 64
} surety__tally_mark;

void surety__tally_add(surety__tally *tally, const surety_entry *entry);
/* Counts a run that is done with. */
void surety__group_end(surety_stats_group *group, const surety__tally *tally);

/* The group of an entry, made where it is new; NULL with the stats' cause. */
surety__group *surety__group_of(surety_stats *stats, const surety_entry *entry);
/* Counts a call; false: out of memory. */
bool surety__group_call(surety_stats *stats, surety__group *group,
                        const surety_entry *entry);
void surety__group_settle(surety__group *group);
int surety__group_compare(const void *a, const void *b);

/* ---- issue.c ------------------------------------------------------------- */

typedef struct surety__issue {
    struct surety__issue *next; /* with the same hash */
    surety_stats_issue told;
    uint64_t reply; /* the last that it was counted in */
} surety__issue;

typedef struct surety__issues {
    surety__map map;
    surety__issue **items;
    size_t count, cap;
    uint64_t left, left_reply;
} surety__issues;

/* That a run had an issue. */
typedef struct surety__had {
    struct surety__had *next;
    surety__issue *issue;
} surety__had;

/* Counts what an entry's report lists; had is the run's list. false: the
 * stats' cause. */
bool surety__issues_add(surety_stats *stats, surety__issues *issues,
                        const surety_entry *entry, bool repairs,
                        surety__had **had);
void surety__issues_end(surety__issues *issues);
void surety__issues_done(surety__issues *issues, const surety_alloc *alloc);

/* ---- cover.c ------------------------------------------------------------- */

#define SURETY__COVER_SUBSETS 4

/* A contract that replies were looked at with. */
typedef struct surety__covered {
    struct surety__covered *next;
    surety_str name, version;
    const surety_contract *contract; /* NULL: unknown */
    surety_contract *owned;
    bool derives;
    surety_extract extract; /* a structured value first */
    bool tried[SURETY__COVER_SUBSETS];
    surety_strict *stricts[SURETY__COVER_SUBSETS];
} surety__covered;

typedef struct surety__value {
    struct surety__value *next; /* with the same hash */
    surety_stats_value told;
    size_t order;   /* of those that were expected */
    uint64_t reply; /* the last that it was counted in */
} surety__value;

typedef struct surety__cover {
    surety_stats_cover told;
    size_t order;
    surety__map map;
    surety__value **values;
    size_t count, cap;
} surety__cover;

/* Looks at a valid reply; false: the stats' cause. */
bool surety__cover_add(surety_stats *stats, const surety_entry *entry);
void surety__cover_end(surety_stats *stats);
void surety__cover_done(surety_stats *stats);

/* ---- stats.c ------------------------------------------------------------- */

/* A run's part in a group. */
typedef struct surety__part {
    struct surety__part *next;
    surety__group *group;
    surety__tally tally;
} surety__part;

typedef struct surety__stats_run {
    struct surety__stats_run *next; /* with the same hash */
    uint64_t id[2];
    surety__part *parts;
    surety__had *errors, *repairs;
    surety__tally tally;
} surety__stats_run;

struct surety_stats {
    surety_stats_info info; /* its total is ours once all was read */
    const surety_alloc *alloc;
    surety_stats_options options;
    surety_stats_by by[SURETY_BYS];
    surety_str contract_name, contract_version; /* of the option */
    surety__arena arena;
    surety_buf text; /* whatever is being made */
    surety_error cause;
    surety_status status; /* the first failure */
    int64_t from_ms, to_ms;
    uint64_t reply; /* numbers the entries */

    surety__map runs;
    size_t run_count;
    surety__map group_map;
    surety__group **groups;
    size_t group_count, group_cap;
    surety__group total;
    surety__issues errors, repairs;

    surety_stats_replies replies;
    surety__covered *covered;
    size_t covered_count;
    surety__cover **covers;
    size_t cover_count, cover_cap;
    surety_judge *judge;
    surety_doc *value, *restored;
};

/* Whether all entries were read. */
static inline bool surety__stats_ended(const surety_stats *stats)
{
    return stats->info.total == &stats->total.told;
}
/* Keeps the failure, with the cause that was filled; false. */
bool surety__stats_fail(surety_stats *stats, surety_status status);
bool surety__stats_nomem(surety_stats *stats);
/* The text, or as much as a name may have; in stats->text where it is cut. */
surety_str surety__stats_cut(surety_stats *stats, surety_str text);
/* One that lives as long as the stats; ptr NULL: no memory. */
surety_str surety__stats_keep(surety_stats *stats, surety_str text);
/* Appends a time as "2026-11-21T12:00:00Z", its day, or its month. */
typedef enum surety__moment_form {
    MOMENT_WHOLE = 0,
    MOMENT_DAY,
    MOMENT_MONTH
} surety__moment_form;
void surety__moment_write(int64_t unix_ms, surety__moment_form form,
                          surety_buf *out);

/* Takes one entry; those of a run in any order. SURETY_LIMIT, SURETY_NOMEM,
 * SURETY_MISUSE after _end. */
surety_status surety__stats_add(surety_stats *stats, const surety_entry *entry,
                                surety_error *reterr);
/* No more entries come: sums up, and sorts. SURETY_NOMEM. */
surety_status surety__stats_end(surety_stats *stats, surety_error *reterr);
/* "valid", "partial", ...; never NULL. */
const char *surety__stats_ending_name(surety_stats_ending ending);

#endif
