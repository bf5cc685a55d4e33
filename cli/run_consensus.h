/* SPDX-License-Identifier: Apache-2.0 */
/* run_consensus.h: surety run --consensus: several models at once. */
#ifndef CLI_RUN_CONSENSUS_H
#define CLI_RUN_CONSENSUS_H

#include <surety-run.h>

#include "run_settings.h"
#include "run_watch.h"
#include "session.h"

/* What one is made of; everything is the caller's. */
struct run_consensus {
    struct cli *cli;
    const struct run_settings *settings;
    struct session *session;
    struct run_watch *watch;
    surety_run_options run;         /* the models of it are the members */
    surety_budget budget;           /* of all together */
    const surety_model *aggregator; /* NULL: the first */
    uint32_t quorum;
    surety_consensus *consensus;
};

/* Asks, and writes what came of it. Once; then done, also after a failure. */
void run_consensus_go(struct run_consensus *job);
void run_consensus_done(struct run_consensus *job);

/* The exit code of a run, or of several. A budget that ended it after replies
 * that were bad is their failure; before any reply, the providers'. */
int run_code(surety_run_verdict verdict, bool has_reply);

#endif
