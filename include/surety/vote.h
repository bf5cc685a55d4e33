/* SPDX-License-Identifier: Apache-2.0 */
/* surety/vote.h: several answers to one question made one, field by field, with
 * who agreed on what. Every field of the result was given by somebody: nothing
 * is averaged, joined or invented.
 *
 * - Strings, booleans and null: the value that most gave; where several tie,
 *   that of the first who gave one of them.
 * - Numbers: the median of those given (of an even count the one of the two in
 *   the middle that more gave, else the one given first).
 * - Objects: the members that more than half gave, or half with the first among
 *   them; each then for itself.
 * - Arrays of numbers that are of one length: position by position. Other
 *   arrays: items that are equal or share at least half of their members belong
 *   together, whatever their order; groups that more than half gave, or half
 *   with the first among them, each then for itself, in the order of those who
 *   gave them.
 * - Values of different kinds: the kind that most gave.
 *
 * Threads: a vote is owned. */
#ifndef SURETY_VOTE_H
#define SURETY_VOTE_H

#include <surety/base.h>
#include <surety/json.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Answers that are merged at most. */
#define SURETY_VOTERS_MAX 64

typedef struct surety_vote surety_vote;

/* NULL when out of memory. */
SURETY_API surety_vote *surety_vote_new(const surety_alloc *alloc,
                                        const surety_limits *limits);
SURETY_API void surety_vote_free(surety_vote *vote); /* takes NULL */

/* Builds in out what count answers come to. Their docs must outlive the
 * ballots. Deterministic; the order of vals decides ties. SURETY_MISUSE: none,
 * or more than SURETY_VOTERS_MAX; SURETY_LIMIT: work_base and work_per_value;
 * SURETY_NOMEM. The result need not satisfy a schema that all answers do: check
 * it. */
SURETY_API surety_status surety_vote_merge(surety_vote *vote,
                                           const surety_val *vals, size_t count,
                                           surety_doc *out,
                                           surety_error *reterr);

/* How a ballot was decided. ORDER decisions (names in vote.c). */
typedef enum surety_vote_how {
    SURETY_VOTE_UNANIMOUS = 0, /* everybody gave it */
    SURETY_VOTE_MAJORITY,      /* more than half */
    SURETY_VOTE_PLURALITY,     /* the most, not more than half */
    SURETY_VOTE_MEDIAN,        /* numbers of which none has more than half */
    SURETY_VOTE_TIE,           /* the first of those that tie */
    SURETY_VOTE_LEFT_OUT       /* a member or item that too few gave */
} surety_vote_how;
/* "unanimous", "majority", ...; never NULL. */
SURETY_API const char *surety_vote_how_name(surety_vote_how how);

/* One decision, of a scalar or of something left out; objects and arrays that
 * are kept are told by what is in them. */
typedef struct surety_ballot {
    surety_str pointer; /* in the result; of what was left out: where it stood
                         * in the answer of the first who gave it */
    surety_vote_how how;
    uint32_t votes;   /* for it (LEFT_OUT: who gave it) */
    uint32_t voters;  /* answers in all, those without anything here too */
    surety_val value; /* what was chosen; of LEFT_OUT the first given */
    /* What each voter gave here; SURETY_NONE: nothing. */
    const surety_val *given;
} surety_ballot;
/* What the last merge decided. All of it belongs to the vote, until the next.
 */
typedef struct surety_vote_info {
    size_t size; /* sizeof(surety_vote_info) of the library */
    /* The mean share of votes over all ballots, from 0 to 1; 1 where there are
     * none. */
    double agreement;
    const surety_ballot *ballots; /* in the order of the result */
    size_t ballot_count;
} surety_vote_info;
/* NULL: of no merge. */
SURETY_API const surety_vote_info *surety_vote_info_of(const surety_vote *vote);

#ifdef __cplusplus
}
#endif
#endif
