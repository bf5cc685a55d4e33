/* SPDX-License-Identifier: Apache-2.0 */
/* validator.h: runs commands that check a value in addition to schema and
 * rules. A command gets the value as JSON on standard input, and writes its
 * issues as a JSON array to standard output. */
#ifndef CLI_VALIDATOR_H
#define CLI_VALIDATOR_H

#ifdef SURETY_WITH_RUN
#include <surety-run.h>
#endif

#include "cli.h"
#include "options.h"

/* The options about validators. */
struct validator_settings {
    struct texts commands;    /* from --validator */
    const char *timeout;      /* from --validator-timeout */
    unsigned bytes;           /* from --validator-bytes */
    struct texts environment; /* from --env */
};

/* The limits of a command's time and output, and the environment variables that
 * it gets. */
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
    bool has_failed; /* a command has failed in the current judgement */
    bool is_stepped; /* do not wait for a command: return MORE until it has
                      * ended */
};

#ifdef SURETY_WITH_RUN

/* The rows of --validator, for a settings type that has a validator_settings as
 * its member `at`. */
#define VALIDATOR_ROWS(at)                                                     \
    TEXTS("validator", 0,                                                      \
          (at) + offsetof(struct validator_settings, commands), "COMMAND",     \
          "a command, run by /bin/sh, that judges a value which satisfies "    \
          "the contract: it gets the value as JSON on its standard input and " \
          "writes its issues as a JSON array, "                                \
          "[{\"path\":\"/a\",\"message\":\"...\",\"hint\":\"...\"}], or "      \
          "nothing; may be given again"),                                      \
        TEXT("validator-timeout", 0,                                           \
             (at) + offsetof(struct validator_settings, timeout), "SECONDS",   \
             "for one value; 10 unless given"),                                \
        NUMBER("validator-bytes", 0,                                           \
               (at) + offsetof(struct validator_settings, bytes), 1u << 30,    \
               "N",                                                            \
               "bytes that it may write about one value; 1048576 unless "      \
               "given"),                                                       \
        TEXTS("env", 0,                                                        \
              (at) + offsetof(struct validator_settings, environment), "NAME", \
              "an environment variable that commands, those of exec models "   \
              "too, get besides PATH, HOME, USER, LOGNAME, SHELL, LANG, "      \
              "LANGUAGE, LC_*, TZ and TMPDIR; may be given again. They get "   \
              "no others, and so no keys")

/* Reads the settings; false: the message is written. Call validator_bounds_done
 * also after a failure. */
bool validator_bounds_read(struct validator_bounds *bounds, struct cli *cli,
                           const struct validator_settings *settings);
void validator_bounds_done(struct validator_bounds *bounds);
/* Prepares the commands; bounds must outlive validators. IO, NOMEM. Call
 * validators_done also after a failure. */
surety_status validators_init(struct validators *validators,
                              const struct validator_settings *settings,
                              const struct validator_bounds *bounds);
/* Ends the commands that are still running. */
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
