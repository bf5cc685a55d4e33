/* SPDX-License-Identifier: Apache-2.0 */
/* run_settings.h: what surety run asks of its user, and that as numbers. */
#ifndef CLI_RUN_SETTINGS_H
#define CLI_RUN_SETTINGS_H

#include <surety-run.h>

#include "session.h"

/* As the command line says it. Filled by options_parse. */
struct run_settings {
    struct session_settings session; /* first: its rows count from here */
    struct texts models;
    int consensus; /* of --consensus */
    const char *quorum, *aggregator;
    const char *config;
    const char *system;
    int style; /* the choices of --style, counted from 1 */
    bool instruct_system;
    int mode; /* of --mode */
    const char *temperature, *output_tokens;
    bool no_stream;
    const char *retries;
    int feedback; /* of --feedback */
    int stop;     /* of --stop */
    const char *calls, *tokens, *seconds, *usd;
    const char *connect, *first_byte, *idle, *total;
    const char *ledger;
    bool ledger_raw, ledger_optional;
    const char *record, *replay;
    bool verbose, show_prompt, show_reply, dry_run;
};

/* What the texts of the settings say, as the library wants it. A zero is what
 * was not given, but where there is a flag. */
struct run_numbers {
    surety_budget budget;
    surety_timeouts timeouts;
    uint32_t retry_max; /* 0: the contract's; SURETY_RUN_NONE */
    bool has_temperature;
    double temperature;
    uint32_t output_tokens_max;
    uint32_t quorum;
};

/* False: said why. */
bool run_numbers_read(struct cli *cli, const struct run_settings *settings,
                      struct run_numbers *ret_numbers);
/* Options that make no sense together; false: said so. */
bool run_is_consistent(struct cli *cli, const struct run_settings *settings,
                       const struct operands *operands);

#endif
