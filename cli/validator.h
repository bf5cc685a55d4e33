/* SPDX-License-Identifier: Apache-2.0 */
/* validator.h: commands that judge a value besides schema and rules: the value
 * as JSON on their standard input, what they have against it as a JSON array
 * on their standard output. */
#ifndef CLI_VALIDATOR_H
#define CLI_VALIDATOR_H

#ifdef SURETY_WITH_RUN
#include <surety-run.h>
#endif

#include "cli.h"
#include "options.h"

/* What the user asks for. */
struct validator_settings {
    struct texts commands;    /* of --validator */
    const char *timeout;      /* of --validator-timeout */
    unsigned bytes;           /* of --validator-bytes */
    struct texts environment; /* of --env */
};

/* For how long and how much a command may write, and the variables it gets. */
struct validator_bounds {
    uint32_t timeout_ms;
    size_t bytes_max;
    surety_str *environment;
    size_t environment_count;
};

/* One thread's commands. */
struct validators {
    const struct validator_bounds *bounds;
    struct validator_command *commands;
    surety_validator *list; /* for surety_judge_options */
    size_t count;
    bool has_failed; /* one has, in the judgement at hand */
    bool is_stepped; /* a command is not waited for: MORE until it has ended */
#ifdef SURETY_WITH_RUN
    surety_transport *transport;
    uint64_t last_id;
#endif
};

#ifdef SURETY_WITH_RUN

/* The rows of --validator, for a settings type with a validator_settings at
 * `at`. */
#define VALIDATOR_ROWS(at)                                                     \
    {"validator",                                                              \
     0,                                                                        \
     OPTION_TEXTS,                                                             \
     (at) + offsetof(struct validator_settings, commands),                     \
     0,                                                                        \
     "COMMAND",                                                                \
     NULL,                                                                     \
     "a command, run by /bin/sh, that judges a value which satisfies the "     \
     "contract: it gets the value as JSON on its standard input and writes "   \
     "what it has against it as a JSON array, "                                \
     "[{\"path\":\"/a\",\"message\":\"...\",\"hint\":\"...\"}], or nothing; "  \
     "may be given again"},                                                    \
        {"validator-timeout",                                                  \
         0,                                                                    \
         OPTION_TEXT,                                                          \
         (at) + offsetof(struct validator_settings, timeout),                  \
         0,                                                                    \
         "SECONDS",                                                            \
         NULL,                                                                 \
         "for one value; 10 unless given"},                                    \
        {"validator-bytes",                                                    \
         0,                                                                    \
         OPTION_NUMBER,                                                        \
         (at) + offsetof(struct validator_settings, bytes),                    \
         1u << 30,                                                             \
         "N",                                                                  \
         NULL,                                                                 \
         "bytes that it may write about one value; 1048576 unless given"},     \
    {                                                                          \
        "env", 0, OPTION_TEXTS,                                                \
            (at) + offsetof(struct validator_settings, environment), 0,        \
            "NAME", NULL,                                                      \
            "an environment variable that commands, those of exec models "     \
            "too, get besides PATH, HOME, USER, LOGNAME, SHELL, LANG, "        \
            "LANGUAGE, LC_*, TZ and TMPDIR; may be given again. They get no "  \
            "others, and so no keys"                                           \
    }

/* Reads the settings; false: said why. Call bounds_done in any case. */
bool validator_bounds_read(struct validator_bounds *bounds, struct cli *cli,
                           const struct validator_settings *settings);
void validator_bounds_done(struct validator_bounds *bounds);
/* Makes ready to ask the commands; bounds must outlive it. IO, NOMEM. Call
 * validators_done in any case. */
surety_status validators_init(struct validators *validators,
                              const struct validator_settings *settings,
                              const struct validator_bounds *bounds);
/* Ends what is still at work. */
void validators_done(struct validators *validators);

#else

static inline bool
validator_bounds_read(struct validator_bounds *bounds, struct cli *cli,
                      const struct validator_settings *settings)
{
    (void)cli;
    (void)settings;
    *bounds = (struct validator_bounds){.environment = NULL};
    return true;
}

static inline void validator_bounds_done(struct validator_bounds *bounds)
{
    (void)bounds;
}

static inline surety_status validators_init(
    struct validators *validators, const struct validator_settings *settings,
    const struct validator_bounds *bounds)
{
    (void)settings;
    *validators = (struct validators){.bounds = bounds};
    return SURETY_OK;
}

static inline void validators_done(struct validators *validators)
{
    (void)validators;
}

#endif
#endif
