/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of vote/ share: columns, and the merge at hand. */
#ifndef SURETY_VOTE_INSIDE_H
#define SURETY_VOTE_INSIDE_H

#include <surety/vote.h>

#include "base/base.h"
#include "json/json.h"

/* What everybody gave at one place. */
typedef struct surety__column {
    struct surety__column *next;  /* in the order of the result */
    struct surety__column *alike; /* of the same hash, while grouping */
    surety_val key;               /* of a member, as the first gave it */
    uint64_t hash;
    uint32_t votes;     /* how many gave something */
    uint32_t first;     /* the first of them */
    surety_val given[]; /* one a voter */
} surety__column;

/* A container of the result that is being built. */
typedef struct surety__vote_frame {
    surety__column *next;
    size_t path_len;
    size_t kept; /* items so far */
    uint32_t asked, asked_first;
    bool is_array;
} surety__vote_frame;

struct surety_vote {
    surety_vote_info info; /* of the last merge */
    const surety_alloc *alloc;
    surety_limits limits;
    surety__arena arena;
    surety_buf path; /* the pointer of the column at hand */
    surety__vote_frame *frames;
    size_t frame_count, frame_cap;
    surety_ballot *ballots;
    size_t ballot_count, ballot_cap;
    surety_doc *out;
    size_t work; /* steps left */
    uint32_t voters;
    /* Who gave the container whose columns are decided: how many, and the
     * first of them. */
    uint32_t asked, asked_first;
};

/* Takes steps off the work that is left; false: none is. */
bool surety__vote_work(surety_vote *vote, size_t steps);
/* An empty column in the arena; NULL when out of memory. */
surety__column *surety__vote_column(surety_vote *vote);

/* ---- group.c ------------------------------------------------------------ */

/* The columns of the members of a column's objects, in the order in which they
 * were given first. OK, NOMEM, LIMIT. */
surety_status surety__members_group(surety_vote *vote, const surety_val *column,
                                    surety__column **ret_columns);
/* The columns of the items of a column's arrays. */
surety_status surety__items_group(surety_vote *vote, const surety_val *column,
                                  surety__column **ret_columns);

#endif
