/* SPDX-License-Identifier: Apache-2.0 */
/* The door of diff/, and what its files share. diff.c compares two schemas,
 * one location of the value after the other. values.c compares listed values,
 * facets.c other keywords of the value itself, children.c members and items,
 * same.c parts that are only compared for equality, policy.c what contracts
 * have beside their schemas. task.c records the results. */
#ifndef SURETY_DIFF_DIFF_H
#define SURETY_DIFF_DIFF_H

#include <surety/diff.h>

#include "base/base.h"
#include "contract/contract.h"
#include "schema/schema.h"

/* Limits for subschemas that apply to one value, branches of a union, and
 * nested unions. Beyond them the rest is only compared for equality. And how
 * many branches that differ are compared with others to find their match. */
enum {
    DIFF_CONJUNCTS = 32,
    DIFF_BRANCHES = 1000,
    DIFF_OPENED = 8,
    DIFF_MATCHES = 2000000
};

/* Two conjunctions to be compared, for the value at a location. They are nodes
 * of the graph: equal conjunctions are the same pointer. A union is opened if
 * one of its branches is among the conjuncts. For changes outside the schemas
 * there are no conjunctions. */
typedef struct surety__diff_task {
    surety_str at;
    const surety__conjunction *before, *after;
    bool types_reported; /* the types were compared already */
    /* In a branch of a oneOf whose branches may hold at the same time: a
     * looser or tighter branch may make two of them hold, or none. */
    bool loose;
} surety__diff_task;

/* Whom a change breaks; bits. */
enum { DIFF_NONE = 0, DIFF_CONSUMERS = 1, DIFF_PRODUCERS = 2, DIFF_BOTH = 3 };

struct surety_diff {
    surety_diff_info info; /* filled in at the end */
    const surety_alloc *alloc;
    const surety_contract *before, *after;
    bool is_unchanged; /* the contracts' texts are equal as JSON */
    surety__arena arena;
    surety_change *changes;
    size_t change_count, change_cap;
    surety__diff_task *tasks; /* a stack */
    size_t task_count, task_cap, pair_count, match_count;
    surety__graph graph;
    surety__conjunction lists[2];    /* for surety__diff_list */
    surety__member_facts members[2]; /* of the member being compared */
    surety__map seen;                /* pairs of conjunctions */
    surety__map same;                /* pairs of shapes with equal meaning */
    surety_checker *checker; /* for listed values; NULL: not needed yet */
    uint64_t work;           /* steps left for it */
    surety_buf scratch;
    surety_status status; /* not OK: all functions do nothing */
};

/* ---- task.c -------------------------------------------------------------- */

/* Records a change at a task's location; its message is in diff->scratch. */
void surety__diff_record(surety_diff *diff, const surety__diff_task *task,
                         const char *keyword, unsigned breaks);
/* The same with the message as an argument. */
void surety__diff_report(surety_diff *diff, const surety__diff_task *task,
                         const char *keyword, unsigned breaks,
                         const char *message);
/* The same at a member or item of the task's location. */
void surety__diff_report_below(surety_diff *diff, const surety__diff_task *task,
                               surety_str token, const char *keyword,
                               unsigned breaks, const char *message);
/* Reports that a restriction is gone (turn < 0), which breaks consumers, or is
 * found (turn > 0), which breaks producers. */
void surety__diff_report_turn(surety_diff *diff, const surety__diff_task *task,
                              const char *keyword, int turn, const char *gone,
                              const char *found);
/* An empty list for an old or new conjunction; valid until the next call with
 * the same is_new. */
surety__conjunction *surety__diff_list(surety_diff *diff, bool is_new);
/* Pushes a task like this one with other conjunctions, which are copied. */
void surety__diff_push(surety_diff *diff, const surety__diff_task *task,
                       const surety__conjunction *before,
                       const surety__conjunction *after);
/* Pushes a task for a member or item of the task's location. */
void surety__diff_push_below(surety_diff *diff, const surety__diff_task *task,
                             surety_str token,
                             const surety__conjunction *before,
                             const surety__conjunction *after);
/* Appends a value to diff->scratch, cut if it is long. */
void surety__diff_value(surety_diff *diff, surety_val value);

/* ---- same.c -------------------------------------------------------------- */

/* One step of a hash. */
static inline uint64_t surety__diff_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}
/* Whether two subschemas are equal in meaning, with everything that they
 * reach. */
bool surety__diff_same(surety_diff *diff, const surety__shape *before,
                       const surety__shape *after);
/* The same for the subschemas in the text of a keyword, which is equal in
 * both. */
bool surety__diff_same_below(surety_diff *diff, const surety__shape *before,
                             const surety__shape *after, const char *keyword);
/* The same for the branches of two unions, in their order. */
bool surety__diff_same_union(surety_diff *diff,
                             const surety__applicator *before,
                             const surety__applicator *after);
/* Whether it requires an integer in the sense of draft 4, in which 1.0 is not
 * one. */
bool surety__diff_is_lexical(const surety__shape *shape);
/* Whether format and contents are asserted in both or in neither: drafts and
 * vocabularies can make the same text an annotation. */
bool surety__diff_same_strings(const surety__shape *before,
                               const surety__shape *after);

/* ---- values.c, facets.c, children.c, policy.c ---------------------------- */

/* Compares listed values; true: nothing else needs to be compared. */
bool surety__diff_values(surety_diff *diff, const surety__diff_task *task);
/* Reports the types that only one of them accepts. */
void surety__diff_types(surety_diff *diff, const surety__diff_task *task,
                        unsigned before, unsigned after);
void surety__diff_facets(surety_diff *diff, const surety__diff_task *task);
void surety__diff_objects(surety_diff *diff, const surety__diff_task *task);
void surety__diff_arrays(surety_diff *diff, const surety__diff_task *task);
void surety__diff_policy(surety_diff *diff);
/* Fills in info, after all changes are known. */
void surety__diff_settle(surety_diff *diff);

#endif
