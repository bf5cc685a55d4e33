/* SPDX-License-Identifier: Apache-2.0 */
/* Runs commands as validators (surety_command of surety/tool.h): /bin/sh runs
 * each in a process group of its own, with a small environment, a time limit
 * and a limit on its output. */
#include "validator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { TIMEOUT_MS = 10000, TIMEOUT_MS_MAX = 86400000, BYTES_MAX = 1 << 20 };

struct validator_command {
    struct validators *validators;
    surety_command *command;
    surety_validator inner;
};

/* ---- the validator ------------------------------------------------------- */

/* Names the option that helps. */
static void advise(surety_status status, surety_error *reterr)
{
    if (status == SURETY_LIMIT)
        snprintf(reterr->hint, sizeof(reterr->hint),
                 "raise it with --validator-bytes");
    else if (status == SURETY_TIMEOUT)
        snprintf(reterr->hint, sizeof(reterr->hint),
                 "allow more time with --validator-timeout");
}

static surety_status command_validate(void *ctx,
                                      const surety_validation *validation,
                                      surety_error *reterr)
{
    struct validator_command *command = ctx;
    const surety_validator *inner = &command->inner;
    surety_status status;

    do
        status = inner->validate(inner->ctx, validation, reterr);
    while (status == SURETY_MORE && !command->validators->is_stepped);
    advise(status, reterr);
    command->validators->has_failed =
        status != SURETY_OK && status != SURETY_MORE;
    return status;
}

/* ---- preparation --------------------------------------------------------- */

/* Reads the names of --env. */
static bool read_environment(struct validator_bounds *bounds, struct cli *cli,
                             const struct texts *given)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

    bounds->environment = calloc(given->count + 1, sizeof(surety_str));
    if (!bounds->environment)
        return cli_nomem(cli);
    for (size_t i = 0; i < given->count; i++) {
        const char *name = given->items[i];

        if (!*name || (*name >= '0' && *name <= '9') ||
            name[strspn(name, letters)])
            return cli_usage(cli, "its value is the environment's",
                             "--env takes the name of a variable, not \"%.*s\"",
                             (int)strcspn(name, "="), name);
        bounds->environment[i] = surety_str_of(name);
    }
    bounds->environment_count = given->count;
    return true;
}

bool validator_bounds_read(struct validator_bounds *bounds, struct cli *cli,
                           const struct validator_settings *settings)
{
    surety_error error;
    uint64_t ms = TIMEOUT_MS;

    *bounds = (struct validator_bounds){
        .bytes_max = settings->bytes ? settings->bytes : BYTES_MAX};
    for (size_t i = 0; i < settings->commands.count; i++) {
        if (settings->commands.items[i][0])
            continue;
        return cli_usage(cli, "such as --validator ./check.py",
                         "the command of a --validator is empty");
    }
    if (settings->timeout) {
        if (surety_decimal_read(surety_str_of(settings->timeout), 3, &ms,
                                &error))
            return cli_usage(cli, NULL, "--validator-timeout: %s",
                             error.message);
        if (ms < 1 || ms > TIMEOUT_MS_MAX)
            return cli_usage(
                cli, NULL,
                "--validator-timeout goes from 0.001 to 86400 seconds, "
                "not %s",
                settings->timeout);
    }
    bounds->timeout_ms = (uint32_t)ms;
    return read_environment(bounds, cli, &settings->environment);
}

void validator_bounds_done(struct validator_bounds *bounds)
{
    free(bounds->environment);
    bounds->environment = NULL;
}

/* Makes the i-th validator, of a line for /bin/sh. */
static surety_status command_open(struct validators *validators, size_t i,
                                  const char *line)
{
    const struct validator_bounds *bounds = validators->bounds;
    struct validator_command *command = &validators->commands[i];
    surety_command_options options = {.size = sizeof(options),
                                      .environment = bounds->environment,
                                      .environment_count =
                                          bounds->environment_count,
                                      .time_ms_max = bounds->timeout_ms,
                                      .bytes_max = bounds->bytes_max,
                                      .alloc = &memory_large};
    surety_status status;
    surety_buf url;

    surety_buf_init(&url, NULL, 0);
    surety_buf_text(&url, "exec:");
    surety_buf_text(&url, line);
    options.url = surety_buf_str(&url);
    status = url.status ? url.status
                        : surety_command_new(&options, &command->command, NULL);
    surety_buf_done(&url);
    if (status != SURETY_OK)
        return status;
    command->validators = validators;
    command->inner =
        surety_command_validator(command->command, surety_str_of(line));
    validators->list[i] = (surety_validator){.name = command->inner.name,
                                             .validate = command_validate,
                                             .ctx = command};
    return SURETY_OK;
}

surety_status validators_init(struct validators *validators,
                              const struct validator_settings *settings,
                              const struct validator_bounds *bounds)
{
    const size_t count = settings->commands.count;

    *validators = (struct validators){.bounds = bounds};
    if (count == 0)
        return SURETY_OK;
    validators->commands = calloc(count, sizeof(*validators->commands));
    validators->list = calloc(count, sizeof(*validators->list));
    if (!validators->commands || !validators->list)
        return SURETY_NOMEM;
    validators->count = count;
    for (size_t i = 0; i < count; i++) {
        const surety_status status =
            command_open(validators, i, settings->commands.items[i]);

        if (status != SURETY_OK)
            return status;
    }
    return SURETY_OK;
}

void validators_done(struct validators *validators)
{
    for (size_t i = 0; i < validators->count; i++)
        surety_command_free(validators->commands[i].command);
    free(validators->commands);
    free(validators->list);
    *validators = (struct validators){.count = 0};
}
