/* SPDX-License-Identifier: Apache-2.0 */
/* run_dry.h: a transport that shows the first request instead of sending it. */
#ifndef CLI_RUN_DRY_H
#define CLI_RUN_DRY_H

#include <surety-run.h>

#include "cli.h"

struct run_dry {
    surety_transport transport;
    struct cli *cli;
    const surety_model *model;
    surety_style style;
    uint32_t calls_max;
    uint64_t tokens_max, cost_picousd_max; /* 0: the default for tokens, no
                                            * limit for cost */
    int is_shown; /* not 0 after the request was shown: cancels the run */
};

/* model is the first model that would be called. */
void run_dry_init(struct run_dry *dry, struct cli *cli,
                  const surety_model *model, const surety_budget *budget,
                  surety_style style);

#endif
