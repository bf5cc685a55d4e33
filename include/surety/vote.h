/* SPDX-License-Identifier: Apache-2.0 */
/* surety/vote.h: merges several answers to one question: field by field, with a
 * report of who agreed on each field. Every field of the result comes from one
 * of the answers: nothing is averaged, joined or invented.
 *
 * - Strings, booleans and null: the most frequent value; if several tie, the
 *   one of them that was given first.
 * - Numbers: the median (of an even count, the more frequent one of the two in
 *   the middle, else the one given first).
 * - Objects: the members that more than half of the voters gave, or half
 *   including the first voter. Each member is then merged by itself.
 * - Arrays of numbers with the same length: item by item. Other arrays: items
 *   that are equal or share at least half of their members form a group,
 *   whatever their order. A group that more than half of the voters gave, or
 *   half including the first voter, is merged by itself. The groups keep the
 *   order of the voters' arrays.
 * - Values of different kinds: the most frequent kind.
 *
 * Threads: a vote is owned. */
#ifndef SURETY_VOTE_H
#define SURETY_VOTE_H

#include <surety/base.h>
#include <surety/json.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Most answers that one vote can merge. */
#define SURETY_VOTERS_MAX 64

typedef struct surety_vote surety_vote;

/* NULL when out of memory. */
SURETY_API surety_vote *surety_vote_new(const surety_alloc *alloc,
                                        const surety_limits *limits);
SURETY_API void surety_vote_free(surety_vote *vote); /* takes NULL */

/* Merges count answers and builds the result in out. Their docs must outlive
 * the ballots. Deterministic; the order of vals decides ties. The result may
 * break a schema that all answers satisfy, so check it. SURETY_MISUSE: count is
 * 0 or more than SURETY_VOTERS_MAX; SURETY_LIMIT: the work exceeds work_base
 * and work_per_value; SURETY_NOMEM. */
SURETY_API surety_status surety_vote_merge(surety_vote *vote,
                                           const surety_val *vals, size_t count,
                                           surety_doc *out,
                                           surety_error *reterr);

/* How a ballot was decided. ORDER decisions (names in vote.c). */
typedef enum surety_vote_how {
    SURETY_VOTE_UNANIMOUS = 0, /* all voters gave it */
    SURETY_VOTE_MAJORITY,      /* more than half */
    SURETY_VOTE_PLURALITY,     /* more than any other, but not more than half */
    SURETY_VOTE_MEDIAN,        /* numbers, none of which more than half gave */
    SURETY_VOTE_TIE,           /* several are equally frequent: the one given
                                * first */
    SURETY_VOTE_LEFT_OUT       /* a member or item that too few voters gave */
} surety_vote_how;
/* "unanimous", "majority", ...; never NULL. */
SURETY_API const char *surety_vote_how_name(surety_vote_how how);

/* One decision: about a scalar, or about a value that was left out. Objects and
 * arrays that are kept have no ballot of their own, but their content has. */
typedef struct surety_ballot {
    surety_str pointer; /* location in the result; for LEFT_OUT: in the answer
                         * of the first voter who gave it */
    surety_vote_how how;
    uint32_t votes;   /* voters for value (LEFT_OUT: voters who gave one) */
    uint32_t voters;  /* all answers, including those without a value here */
    surety_val value; /* the chosen value; for LEFT_OUT the first one given */
    /* The value that each voter gave here; SURETY_NONE: none. */
    const surety_val *given;
} surety_ballot;
/* The decisions of the last merge. Everything belongs to the vote and is valid
 * until the next merge. */
typedef struct surety_vote_info {
    size_t size; /* sizeof(surety_vote_info) of the library */
    /* The mean, over all ballots, of the share of voters who agree with the
     * decision (for LEFT_OUT, those who left the value out), from 0 to 1; 1 if
     * there are no ballots. */
    double agreement;
    const surety_ballot *ballots; /* in the order of the result */
    size_t ballot_count;
} surety_vote_info;
/* vote NULL: gives an info without ballots. */
SURETY_API const surety_vote_info *surety_vote_info_of(const surety_vote *vote);

#ifdef __cplusplus
}
#endif
#endif
