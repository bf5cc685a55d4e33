/* SPDX-License-Identifier: Apache-2.0 */
/* surety/consensus.h: one prompt to several models at once, and one answer.
 *
 * - first: the first valid answer in the order of the members; those before it
 *   have failed. The rest is cancelled.
 * - fastest: the first valid answer in time. The rest is cancelled.
 * - vote: all answer; the valid ones are merged field by field (vote.h), and
 *   what comes of it is checked by the contract again. Where it does not
 *   satisfy it, the answer that agrees most with the merged one is taken.
 * - aggregate: all answer; one more model is given the valid answers and makes
 *   one of them, whose reply is judged and asked again for like any other.
 *   Where that comes to nothing, the answer that agrees most with the others is
 *   taken. A single valid answer is taken as it is.
 *
 * A member that fails never fails the rest; where all fail, every reason is
 * told. One budget may be set for all and one for each. docs/consensus.md says
 * when to use which.
 *
 * Threads: a consensus is owned, and so are its models' transports. */
#ifndef SURETY_CONSENSUS_H
#define SURETY_CONSENSUS_H

#include <surety/base.h>
#include <surety/run.h>
#include <surety/vote.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum surety_consensus_kind {
    SURETY_CONSENSUS_FIRST = 0,
    SURETY_CONSENSUS_FASTEST,
    SURETY_CONSENSUS_VOTE,
    SURETY_CONSENSUS_AGGREGATE
} surety_consensus_kind;
/* From "first", "fastest", "vote" or "aggregate"; SURETY_END: none of them. */
SURETY_API surety_status surety_consensus_kind_of(surety_str name,
                                                  surety_consensus_kind *ret);

typedef struct surety_consensus_options {
    size_t size; /* sizeof(surety_consensus_options) */
    surety_consensus_kind kind;
    /* What every member is asked. Its models are the members: each is a run of
     * its own with that one model. Its budget is each member's own. */
    const surety_run_options *run;
    /* What all may spend together; all 0: no bound beyond the members'. Calls,
     * tokens and money are divided evenly among the members and the
     * aggregator, which has what is then left; time is everybody's, and half
     * of it the aggregator's where there is one. */
    surety_budget budget;
    /* Valid answers that are needed for vote and aggregate; 0: 1. Once so many
     * cannot come any more, the rest is cancelled. */
    uint32_t quorum;
    /* Who merges for aggregate; NULL: the first member's model. */
    const surety_model *aggregator;
    /* Hears what goes on, as the event of the run's options does, which is then
     * not called; member: whose it is, member_count for the aggregator. NULL:
     * the run's hears all, and cannot say them apart. */
    void (*event)(void *ctx, size_t member, const surety_event *event);
    void *event_ctx;
} surety_consensus_options;

/* Bytes of all answers together that the aggregator is shown at most; each has
 * an equal share, and is cut where it is longer. */
#define SURETY_CONSENSUS_QUOTE_MAX 65536

typedef struct surety_consensus surety_consensus;

/* Checks the options and starts nothing: SURETY_MISUSE as surety_run_new, and
 * for more members than SURETY_VOTERS_MAX, a quorum of more than there are, or
 * a budget of fewer calls than there are models to ask. What the options point
 * at must outlive it. */
SURETY_API surety_status
surety_consensus_new(const surety_consensus_options *options,
                     surety_consensus **ret_consensus, surety_error *reterr);
SURETY_API void surety_consensus_free(surety_consensus *consensus);

/* As surety_run_step, surety_run_wait and surety_run_cancel, for all members
 * and the aggregator. */
SURETY_API surety_status surety_consensus_step(surety_consensus *consensus,
                                               surety_now now,
                                               uint32_t *ret_delay_ms,
                                               surety_error *reterr);
SURETY_API surety_status surety_consensus_wait(surety_consensus *consensus,
                                               const volatile int *cancelled,
                                               surety_error *reterr);
SURETY_API void surety_consensus_cancel(surety_consensus *consensus,
                                        surety_now now);

/* ---- results: its own, good until it is freed --------------------------- */

/* What a consensus has come to. Texts and values are the consensus'; the struct
 * is filled in again by the next call of this. */
typedef struct surety_consensus_info {
    size_t size; /* sizeof(surety_consensus_info) of the library */
    surety_run_verdict verdict;
    surety_val value;   /* SURETY_NONE: none; a string without a contract */
    surety_str message; /* "", or why there is none: a sentence with every
                         * member's reason. Of a vote or aggregate that came to
                         * nothing: why, and whose answer is taken. */
    size_t winner; /* the member whose answer the value is; SIZE_MAX: none, or
                    * one that was merged */
    size_t member_count;
    const surety_run *aggregator; /* NULL: there is none */
    /* The vote that was held (for aggregate too, to say who agrees); NULL:
     * none. Its voter i is the member voters[i]. */
    const surety_vote *vote;
    const size_t *voters;
    size_t voter_count;
    surety_usage usage; /* of all */
    bool cost_known;
    uint64_t cost_picousd;
} surety_consensus_info;
/* NULL: of no consensus. */
SURETY_API const surety_consensus_info *
surety_consensus_info_of(const surety_consensus *consensus);
/* The run of the i-th of member_count; NULL past the last. */
SURETY_API const surety_run *
surety_consensus_member(const surety_consensus *consensus, size_t i);
/* Appends the report: JSON (the contract surety/consensus: kind, verdict,
 * value, agreement and minority by path, each member's run report), or for
 * people. */
SURETY_API surety_status surety_consensus_write(
    const surety_consensus *consensus, surety_report form, surety_buf *out);

#ifdef __cplusplus
}
#endif
#endif
