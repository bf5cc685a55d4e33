/* SPDX-License-Identifier: Apache-2.0 */
/* The door of diff/, and what its files share. diff.c walks two schemas side by
 * side, one place of a value after the other; values.c compares what they list
 * for a place, facets.c what else they say of it, children.c what they say of
 * members and items, same.c what is not taken apart, policy.c what the
 * contracts say around the schemas. task.c keeps what they find. */
#ifndef SURETY_DIFF_DIFF_H
#define SURETY_DIFF_DIFF_H

#include <surety/diff.h>

#include "base/base.h"
#include "contract/contract.h"
#include "schema/schema.h"

/* Subschemas that apply to one value, branches of a union, and unions inside of
 * each other: beyond these the rest says the same, or it does not. */
enum { DIFF_CONJUNCTS = 32, DIFF_BRANCHES = 32, DIFF_OPENED = 8 };

/* Two conjunctions to be compared, for the value at a place. They are nodes of
 * the graph: the same conjunction is the same pointer. A union is settled where
 * one of its branches is among the conjuncts. What the contracts say around the
 * schemas has no conjunctions. */
typedef struct surety__diff_task {
    surety_str at;
    const surety__conjunction *before, *after;
    bool types_told; /* which types are taken was compared already */
    /* In a branch of a oneOf whose branches nothing tells apart: what one takes
     * more or less may make two of them hold, or none. */
    bool loose;
} surety__diff_task;

/* For whom a change breaks something; bits. */
enum { DIFF_NOBODY = 0, DIFF_CONSUMERS = 1, DIFF_PRODUCERS = 2, DIFF_BOTH = 3 };

struct surety_diff {
    surety_diff_info info; /* filled in at the end */
    const surety_alloc *alloc;
    const surety_contract *before, *after;
    surety__arena arena;
    surety_change *changes;
    size_t change_count, change_cap;
    surety__diff_task *tasks; /* a stack */
    size_t task_count, task_cap, pair_count;
    surety__graph graph;
    surety__conjunction lists[2]; /* of surety__diff_list */
    surety__member_said said[2];  /* of the member that is compared */
    surety__map seen;             /* pairs of conjunctions */
    surety__map same;             /* pairs of shapes that say the same */
    surety_checker *checker;      /* of listed values; NULL: not needed yet */
    uint64_t work;                /* steps that it may still take */
    surety_buf scratch;
    surety_status status; /* not OK: everything is passed over */
};

/* ---- task.c -------------------------------------------------------------- */

/* Tells a change at a task's place; the message is what stands in
 * diff->scratch. */
void surety__diff_tell(surety_diff *diff, const surety__diff_task *task,
                       const char *keyword, unsigned breaks);
/* The same with the message given. */
void surety__diff_say(surety_diff *diff, const surety__diff_task *task,
                      const char *keyword, unsigned breaks,
                      const char *message);
/* The same at a member or item of the task's place. */
void surety__diff_say_below(surety_diff *diff, const surety__diff_task *task,
                            surety_str token, const char *keyword,
                            unsigned breaks, const char *message);
/* An empty list for a conjunction of the old or the new side; good until the
 * next call for that side. */
surety__conjunction *surety__diff_list(surety_diff *diff, bool is_new);
/* The task's place with other conjunctions, which are copied. */
surety__diff_task surety__diff_with(surety_diff *diff,
                                    const surety__diff_task *task,
                                    const surety__conjunction *before,
                                    const surety__conjunction *after);
/* Puts off a task at a member or item of its place (token not NULL), or at the
 * place itself. */
void surety__diff_push(surety_diff *diff, surety__diff_task task,
                       const char *token, size_t token_len);
/* Appends a value to diff->scratch, cut where it is long. */
void surety__diff_value(surety_diff *diff, surety_val value);

/* ---- same.c -------------------------------------------------------------- */

/* A step of a hash. */
static inline uint64_t surety__diff_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}
/* Whether two subschemas say the same, with all that they lead to. */
bool surety__diff_same(surety_diff *diff, const surety__shape *before,
                       const surety__shape *after);
/* Likewise of the subschemas in the text of a keyword that both have, which is
 * equal. */
bool surety__diff_same_below(surety_diff *diff, const surety__shape *before,
                             const surety__shape *after, const char *keyword);
/* Likewise of the branches of two unions, in their order. */
bool surety__diff_same_union(surety_diff *diff,
                             const surety__applicator *before,
                             const surety__applicator *after);
/* Whether a format and contents are asserted alike: by drafts and vocabularies
 * one text may be an annotation on one side. */
bool surety__diff_same_strings(const surety__shape *before,
                               const surety__shape *after);

/* ---- values.c, facets.c, children.c, policy.c ---------------------------- */

/* Compares what the sides of a task list; true: that is all there is to it. */
bool surety__diff_values(surety_diff *diff, const surety__diff_task *task);
/* Tells the types that only one side takes. */
void surety__diff_types(surety_diff *diff, const surety__diff_task *task,
                        unsigned before, unsigned after);
void surety__diff_facets(surety_diff *diff, const surety__diff_task *task);
void surety__diff_objects(surety_diff *diff, const surety__diff_task *task);
void surety__diff_arrays(surety_diff *diff, const surety__diff_task *task);
void surety__diff_policy(surety_diff *diff);
/* Fills in info, when all changes are known. */
void surety__diff_settle(surety_diff *diff);

#endif
