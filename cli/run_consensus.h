/* SPDX-License-Identifier: Apache-2.0 */
/* run_consensus.h: surety run --consensus: calls several models at once. */
#ifndef CLI_RUN_CONSENSUS_H
#define CLI_RUN_CONSENSUS_H

#include <surety-run.h>

#include "run_settings.h"
#include "run_watch.h"
#include "session.h"

/* The parts of a consensus. Everything in it belongs to the caller. */
struct run_consensus {
    struct cli *cli;
    const struct run_settings *settings;
    struct session *session;
    struct run_watch *watch;
    surety_run_options run;         /* its models are the members */
    surety_budget budget;           /* for all members together */
    const surety_model *aggregator; /* NULL: the first model */
    uint32_t quorum;
    surety_consensus *consensus;
};

/* Runs the consensus and writes its result. Call it once, and then
 * run_consensus_done, also after a failure. */
void run_consensus_go(struct run_consensus *job);
void run_consensus_done(struct run_consensus *job);

/* Returns the exit code of a run or a consensus. If the budget ended it, the
 * code is that of rejected replies if there was a reply, else that of the
 * providers. */
int run_code(surety_run_verdict verdict, bool has_reply);

#endif
