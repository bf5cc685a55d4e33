/* SPDX-License-Identifier: Apache-2.0 */
/* stats_settings.h: the options of surety stats, in the form of the library. */
#ifndef CLI_STATS_SETTINGS_H
#define CLI_STATS_SETTINGS_H

#include <surety-run.h>

#include "cli.h"
#include "options.h"

enum stats_format { STATS_TABLE = 0, STATS_JSON = 2, STATS_CSV = 3 };

/* Filled by options_parse. */
struct stats_settings {
    const char *ledger, *config, *contract, *model, *provider, *run;
    const char *since, *until, *by, *show, *chart;
    struct texts expects;
    unsigned top, width, height;
    int format; /* choice of --format, from 1 */
    bool force, formulas, quiet;
};

SETTINGS_FIT(struct stats_settings);

/* The parsed options. Begins zeroed. */
struct stats_request {
    surety_stats_by by[SURETY_BYS];
    size_t by_count;
    unsigned sections;
    int64_t since_ms, until_ms; /* 0: no bound */
    surety_stats_expect *expects;
    size_t expect_count;
    surety_str *files; /* contents of the files of --expect NAME=@FILE */
};

/* Parses the options. False: the message is written. Call stats_request_done
 * also after a failure. */
bool stats_request_read(struct stats_request *request, struct cli *cli,
                        const struct stats_settings *settings);
void stats_request_done(struct stats_request *request);

#endif
