/* SPDX-License-Identifier: Apache-2.0 */
/* The door of consensus/: the state of one consensus, and the functions that
 * consensus.c calls. */
#ifndef SURETY_CONSENSUS_CONSENSUS_H
#define SURETY_CONSENSUS_CONSENSUS_H

#include <surety/consensus.h>
#include <surety/json.h>
#include <surety/reply.h>
#include <surety/vote.h>

#include "base/base.h"
#include "run/run.h"

/* The states of the machine. ORDER consensus states (consensus.c). */
typedef enum surety__consensus_state {
    CONSENSUS_ASKING = 0,  /* the members run */
    CONSENSUS_AGGREGATING, /* the aggregator runs */
    CONSENSUS_ENDED
} surety__consensus_state;

/* A member or, after the last member, the aggregator. */
typedef struct surety__party {
    surety_consensus *consensus;
    surety_run *run;
    surety_doc *text; /* the answer of a run without a contract */
} surety__party;

struct surety_consensus {
    surety_consensus_info seen;  /* what callers see, through info */
    surety_consensus_info *info; /* a pointer, so that surety_consensus_info_of
                                  * can fill it in */
    const surety_alloc *alloc;
    surety_consensus_options options;
    surety_run_options run; /* the options of every member's run */
    surety_model aggregator_model;
    uint32_t quorum;
    surety__consensus_state state;
    surety_status status; /* NOMEM once out of memory */
    surety_run_verdict verdict;
    surety_now now, begun;
    bool stepped;
    surety_val value;
    size_t winner;
    surety_buf message;

    surety__party *parties; /* member_count members, and the aggregator */
    size_t member_count;

    /* The vote and its result. */
    surety_vote *vote;
    surety_doc *merged;
    surety_buf merged_text;
    surety_outcome *merged_outcome;
    bool validator_failed;            /* a validator of the host failed for the
                                       * merged value */
    size_t voters[SURETY_VOTERS_MAX]; /* the member of each voter */
    size_t voter_count;

    surety_buf prompt; /* for the aggregator */
};

/* ---- consensus.c --------------------------------------------------------- */

/* A member's share of the budget or, for the aggregator, all that is left. */
surety_budget surety__consensus_share(const surety_consensus *consensus,
                                      bool is_aggregator);
/* Creates the run of a party. */
surety_status surety__consensus_ask(surety_consensus *consensus, size_t party,
                                    const surety_run_options *options,
                                    surety_error *reterr);
bool surety__consensus_is_valid(const surety__party *party);

/* ---- weigh.c: the answers together --------------------------------------- */

/* The answer of a run that is valid, or has a fallback or a partial value;
 * NONE: out of memory. */
surety_val surety__weigh_answer(surety_consensus *consensus,
                                surety__party *party);
/* Holds the vote, with the valid answers as voters. OK; SURETY_LIMIT: the
 * answers are too large to be merged; NOMEM. */
surety_status surety__weigh_vote(surety_consensus *consensus,
                                 surety_error *reterr);
/* Checks the merged value against the contract: *ret_valid. If valid, it
 * becomes the value; otherwise the message has the reason. OK; NOMEM; MORE: a
 * validator of the host is not done. */
surety_status surety__weigh_merged(surety_consensus *consensus,
                                   bool *ret_valid);
/* Whether a voter's answer differs from the decision of a ballot. */
bool surety__weigh_differs(const surety_ballot *ballot, size_t voter);
/* The voter that agrees with the most ballots; *ret_agreed: how many. */
size_t surety__weigh_closest(const surety_consensus *consensus,
                             size_t *ret_agreed);
/* Writes the aggregator's prompt. OK or NOMEM. */
surety_status surety__weigh_prompt(surety_consensus *consensus);

/* "first", "fastest", "vote", "aggregate"; never NULL. */
const char *surety__consensus_kind_name(surety_consensus_kind kind);

#endif
