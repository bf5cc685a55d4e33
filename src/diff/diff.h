/* SPDX-License-Identifier: Apache-2.0 */
/* The door of diff/, and what its files share. diff.c walks two schemas side by
 * side; values.c compares what they list, facets.c what else they say of one
 * place, children.c what they say of members and items, same.c what is not
 * taken apart, policy.c what the contracts say around the schemas. */
#ifndef SURETY_DIFF_DIFF_H
#define SURETY_DIFF_DIFF_H

#include <surety/diff.h>

#include "base/base.h"
#include "contract/contract.h"
#include "schema/schema.h"

/* Subschemas that apply to one value, branches of a union, and unions inside of
 * each other: beyond these the rest says the same, or it does not. */
enum { DIFF_PARTS = 32, DIFF_BRANCHES = 32, DIFF_OPENED = 8 };

/* All that must hold for a value at one place: shapes, with what they refer to
 * and what their allOf says. None: anything is taken. */
typedef struct surety__side {
    const surety__shape *parts[DIFF_PARTS];
    size_t count;
    bool is_cut; /* there are more */
    /* Unions of which one branch is among the parts. */
    const surety__applicator *opened[DIFF_OPENED];
    size_t opened_count;
} surety__side;

/* Two sides to be compared, for the value at a place. */
typedef struct surety__diff_task {
    surety_str at;
    surety__side before, after;
    bool types_told; /* which types are taken was compared already */
    /* In a branch of a oneOf whose branches nothing tells apart: what one takes
     * more or less may make two of them hold, or none. */
    bool loose;
} surety__diff_task;

/* For whom a change breaks something; bits. */
enum { DIFF_NOBODY = 0, DIFF_CONSUMERS = 1, DIFF_PRODUCERS = 2, DIFF_BOTH = 3 };

struct surety_diff {
    const surety_alloc *alloc;
    const surety_contract *before, *after;
    surety__arena arena;
    surety_change *changes;
    size_t change_count, change_cap;
    surety__diff_task *tasks; /* a stack */
    size_t task_count, task_cap, pair_count;
    surety__map seen; /* pairs of sides */
    surety__map same; /* pairs of shapes that say the same */
    surety_checker *checker; /* of listed values; NULL: not needed yet */
    uint64_t work;           /* steps that it may still take */
    surety_buf scratch;
    surety_status status; /* not OK: everything is passed over */
};

/* ---- diff.c -------------------------------------------------------------- */

/* Adds a shape with all that it applies in place, each once. */
void surety__side_add(surety__side *side, const surety__shape *shape);
/* Whether a branch of it is among the parts. */
bool surety__side_opened(const surety__side *side,
                         const surety__applicator *applicator);
/* Whether nothing is taken there. */
bool surety__side_never(const surety__side *side);
/* What a part's document has for a keyword that counts there: its dialect and
 * its vocabularies have it, and no $ref stands in its way. NONE otherwise. */
surety_val surety__part_keyword(const surety__shape *part, const char *keyword);

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
/* The task's place with other sides. */
surety__diff_task surety__diff_with(const surety__diff_task *task,
                                    const surety__side *before,
                                    const surety__side *after);
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

/* ---- values.c, facets.c, children.c, policy.c ---------------------------- */

/* Compares what the sides of a task list; true: that is all there is to it. */
bool surety__diff_values(surety_diff *diff, const surety__diff_task *task);
/* The types that a side takes, its unions left aside. */
unsigned surety__side_types(const surety__side *side);
/* Tells the types that only one side takes. */
void surety__diff_types(surety_diff *diff, const surety__diff_task *task,
                        unsigned before, unsigned after);
void surety__diff_facets(surety_diff *diff, const surety__diff_task *task);
void surety__diff_objects(surety_diff *diff, const surety__diff_task *task);
void surety__diff_arrays(surety_diff *diff, const surety__diff_task *task);
void surety__diff_policy(surety_diff *diff);

#endif
