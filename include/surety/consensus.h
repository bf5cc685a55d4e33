/* SPDX-License-Identifier: Apache-2.0 */
/* surety/consensus.h: one prompt to several models at once, and one answer.
 *
 * - first: takes the first valid answer in the order of the members, once all
 *   members before it have failed, and cancels the rest.
 * - fastest: takes the valid answer that comes first in time, and cancels the
 *   rest.
 * - vote: waits for all members, merges the valid answers field by field
 *   (vote.h), and checks the merged answer against the contract. If it is not
 *   valid, the answer that agrees most with it is taken.
 * - aggregate: waits for all members, and gives the valid answers to one more
 *   model (the aggregator), which makes one answer of them. Its reply is
 *   judged, with re-asks, like every other. If that gives no valid answer, the
 *   answer that agrees most with the others is taken. A single valid answer is
 *   taken as it is.
 *
 * A member that fails does not make the others fail; if all fail, the message
 * gives every reason. One budget may be set for all members together and one
 * for each. docs/consensus.md says when to use which kind.
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
/* Gives the kind called "first", "fastest", "vote" or "aggregate". SURETY_END:
 * name is none of them. */
SURETY_API surety_status surety_consensus_kind_of(surety_str name,
                                                  surety_consensus_kind *ret);

typedef struct surety_consensus_options {
    size_t size; /* sizeof(surety_consensus_options) */
    surety_consensus_kind kind;
    /* The options of every member's run. Each of its models is a member: a run
     * of its own with that one model. Its budget applies to each member
     * separately. */
    const surety_run_options *run;
    /* What all members may spend together; all 0: only the members' own budgets
     * count. Calls, tokens and money are divided evenly among the members and
     * the aggregator, which gets all that the members leave. The members run at
     * the same time, so each has the whole time limit, or half of it where an
     * aggregator follows. */
    surety_budget budget;
    /* Number of valid answers that vote and aggregate need; 0: 1. When that
     * number can no longer be reached, the rest is cancelled. */
    uint32_t quorum;
    /* The model that merges for aggregate; NULL: the first member's model. */
    const surety_model *aggregator;
    /* Is called with every event, in place of the event function of the run's
     * options. member is the member's index, or member_count for the
     * aggregator. NULL: the run's function is called, and cannot distinguish
     * the members. */
    void (*event)(void *ctx, size_t member, const surety_event *event);
    void *event_ctx;
} surety_consensus_options;

/* Most bytes of all answers together in the aggregator's prompt. Each answer
 * has an equal share, and is cut off where it is longer. */
#define SURETY_CONSENSUS_QUOTE_MAX 65536

typedef struct surety_consensus surety_consensus;

/* Checks the options and starts nothing. Everything that the options point to
 * must outlive the consensus. SURETY_MISUSE: as surety_run_new; or there are
 * more members than SURETY_VOTERS_MAX, the quorum is larger than the number of
 * members, or the budget has fewer calls than there are models to call. */
SURETY_API surety_status
surety_consensus_new(const surety_consensus_options *options,
                     surety_consensus **ret_consensus, surety_error *reterr);
SURETY_API void surety_consensus_free(surety_consensus *consensus);

/* Like surety_run_step, surety_run_wait and surety_run_cancel, for all members
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

/* ---- results: valid until the consensus is freed ------------------------ */

/* The state or the result of a consensus. Texts and values belong to the
 * consensus. The next call of surety_consensus_info_of updates the struct. */
typedef struct surety_consensus_info {
    size_t size; /* sizeof(surety_consensus_info) of the library */
    surety_run_verdict verdict;
    surety_val value;   /* SURETY_NONE: none; a string without a contract */
    surety_str message; /* empty, or why there is no value: a sentence with
                         * every member's reason. If a vote or aggregate failed:
                         * why, and whose answer is taken */
    size_t winner; /* index of the member whose answer the value is; SIZE_MAX:
                    * there is no value, or it was merged */
    size_t member_count;
    const surety_run *aggregator; /* NULL: there is none */
    /* The vote that was made (for aggregate too, to show who agrees); NULL:
     * none. Its voter i is the member voters[i]. */
    const surety_vote *vote;
    const size_t *voters;
    size_t voter_count;
    surety_usage usage; /* of all */
    bool cost_known;
    uint64_t cost_picousd;
} surety_consensus_info;
/* consensus NULL: gives an info without a result. */
SURETY_API const surety_consensus_info *
surety_consensus_info_of(const surety_consensus *consensus);
/* Returns the run of the i-th of member_count members; NULL past the last. */
SURETY_API const surety_run *
surety_consensus_member(const surety_consensus *consensus, size_t i);
/* Appends the report. JSON: the contract surety/consensus, with kind, verdict,
 * value, agreement and minority by path, and each member's run report. TEXT and
 * COLOR: text for people. SURETY_UNSUPPORTED: another form; SURETY_MISUSE: an
 * argument is NULL or no form; else the buffer's status. */
SURETY_API surety_status surety_consensus_write(
    const surety_consensus *consensus, surety_report form, surety_buf *out);

#ifdef __cplusplus
}
#endif
#endif
