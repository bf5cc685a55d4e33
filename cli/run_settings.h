/* SPDX-License-Identifier: Apache-2.0 */
/* run_settings.h: the options of surety run, and their numbers. */
#ifndef CLI_RUN_SETTINGS_H
#define CLI_RUN_SETTINGS_H

#include <surety-run.h>

#include "run_messages.h"
#include "session.h"
#include "words.h"

/* The options as texts. Filled by options_parse. */
struct run_settings {
    struct session_settings session; /* must be first: its rows use offsets from
                                      * here */
    struct texts models;
    int consensus; /* choice of --consensus */
    const char *quorum, *aggregator;
    const char *config;
    const char *system;
    struct messages_settings conversation;
    struct words_settings words;
    int style; /* choice of --style, from 1 */
    bool instruct_system;
    int mode; /* choice of --mode */
    const char *temperature, *output_tokens;
    bool no_stream;
    const char *retries;
    int feedback; /* choice of --feedback */
    int stop;     /* choice of --stop */
    const char *calls, *tokens, *seconds, *usd;
    const char *tools, *steps, *tool_calls;
    struct texts servers;
    const char *connect, *first_byte, *idle, *total;
    const char *ledger;
    bool ledger_raw, ledger_optional;
    const char *tag;
    const char *record, *replay;
    bool verbose, show_prompt, show_reply, dry_run;
};

/* The settings as numbers, in the units of the library. 0: not given, or zero.
 */
struct run_numbers {
    uint64_t calls, tokens, ms, cost_picousd; /* the budget */
    uint64_t connect_ms, first_byte_ms, idle_ms, total_ms;
    uint64_t retries, temperature_millionths, output_tokens, quorum;
    uint64_t steps, tool_calls;
};

SETTINGS_FIT(struct run_settings);

/* Reads the numbers into numbers, which begins zeroed. False: the message is
 * written. */
bool run_numbers_read(struct cli *cli, const struct run_settings *settings,
                      struct run_numbers *numbers);
/* Checks that the options can be combined; false: the message is written. */
bool run_is_consistent(struct cli *cli, const struct run_settings *settings,
                       const struct operands *operands);

#endif
