/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations for the files of vote/ only: columns, and the state of a
 * merge. */
#ifndef SURETY_VOTE_INSIDE_H
#define SURETY_VOTE_INSIDE_H

#include <surety/vote.h>

#include "base/base.h"
#include "json/json.h"

/* The values that the voters gave at one location. */
typedef struct surety__column {
    struct surety__column *next;  /* in the order of the result */
    struct surety__column *alike; /* of the same hash, while grouping */
    surety_val key;               /* of a member, from its first voter */
    uint64_t hash;
    uint32_t votes;     /* number of voters who gave a value */
    uint32_t first;     /* the first of these voters */
    surety_val given[]; /* one per voter */
} surety__column;

/* A container of the result that is not complete. */
typedef struct surety__vote_frame {
    surety__column *next;
    size_t path_len;
    size_t item_count;         /* of the result so far */
    uint32_t here, here_first; /* as in surety_vote */
    bool is_array;
} surety__vote_frame;

struct surety_vote {
    surety_vote_info info; /* of the last merge */
    const surety_alloc *alloc;
    surety_limits limits;
    surety__arena arena;
    surety_buf path; /* the JSON Pointer of the current column */
    surety__vote_frame *frames;
    size_t frame_count, frame_cap;
    surety_ballot *ballots;
    size_t ballot_count, ballot_cap;
    surety_doc *out;
    size_t work; /* steps that may still be made */
    uint32_t voters;
    /* The voters who gave the container of the current columns: how many, and
     * the first of them. */
    uint32_t here, here_first;
};

/* Subtracts steps from the remaining work. Returns false when none is left. */
bool surety__vote_work(surety_vote *vote, size_t steps);
/* Returns an empty column in the arena; NULL when out of memory. */
surety__column *surety__vote_column(surety_vote *vote);

/* ---- group.c ------------------------------------------------------------ */

/* Makes the columns of the members of a column's objects, in the order in which
 * the members were first given. Returns OK, NOMEM or LIMIT. */
surety_status surety__members_group(surety_vote *vote, const surety_val *column,
                                    surety__column **ret_columns);
/* Makes the columns of the items of a column's arrays. Returns OK, NOMEM or
 * LIMIT. */
surety_status surety__items_group(surety_vote *vote, const surety_val *column,
                                  surety__column **ret_columns);

#endif
