/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the configuration and reports its errors: with line and column, but
 * without the text of the line, because people put keys into a configuration by
 * mistake. */
#include "configuration.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diag.h"

/* Returns the name of the tool and the command, for messages. */
static surety_str name_of(const struct cli *cli, char *name, size_t size)
{
    snprintf(name, size, "surety %s", cli->name ? cli->name : "run");
    return surety_str_of(name);
}

/* Writes a warning about a setting that is allowed but probably a mistake. */
static void warn(void *ctx, surety_str sentence)
{
    struct cli *cli = ctx;
    char source[64];
    struct diag diag = {.level = DIAG_WARNING, .message = sentence};

    diag.source = name_of(cli, source, sizeof(source));

    diag_write(&cli->err.buf, cli->color, &diag);
}

surety_config *configuration_open(struct cli *cli, const char *path,
                                  const surety_config_options *options)
{
    surety_config_options own = *options;
    surety_config *config = NULL;
    surety_error error;
    surety_status status;

    if (path && !*path) {
        cli_usage(cli, NULL, "--config needs a file");
        return NULL;
    }
    own.warn = warn;
    own.warn_ctx = cli;
    status = surety_config_load(surety_str_of(path), &own, &config, &error);
    if (status != SURETY_OK)
        cli_report(cli, cli_code_of(status, CODE_USAGE), "configuration",
                   NO_TEXT, &error);
    else
        (void)cli_limits(cli, surety_config_info_of(config)->limits);
    return config;
}

bool configuration_limits(struct cli *cli)
{
    const surety_config_options options = {.size = sizeof(options),
                                           .keyless = true};
    surety_config *config = NULL;
    surety_error error;
    const surety_status status =
        surety_config_load(surety_str_of(NULL), &options, &config, &error);

    if (status == SURETY_MISUSE) {
        warn(cli, surety_str_of("the file surety.json in this folder belongs "
                                "to another user, and its limits are not "
                                "used"));
        return true;
    }
    if (status != SURETY_OK)
        cli_report(cli, cli_code_of(status, CODE_USAGE), "configuration",
                   NO_TEXT, &error);
    else
        (void)cli_limits(cli, surety_config_info_of(config)->limits);
    surety_config_free(config);
    return status == SURETY_OK;
}

const surety_model *configuration_model(struct cli *cli, surety_config *config,
                                        surety_str name)
{
    const surety_model *model = NULL;
    surety_error error;
    const surety_status status =
        surety_config_model(config, name, &model, &error);

    if (status == SURETY_OK)
        return model;
    if (error.position.line > 0)
        cli_report(cli, cli_code_of(status, CODE_USAGE), "recording", NO_TEXT,
                   &error);
    else
        cli_fail_error(cli, cli_code_of(status, CODE_USAGE), &error);
    return NULL;
}

/* Makes every missing folder of a file's path, accessible only to the user. */
static bool make_folders(char *path)
{
    assert(path[0]);
    for (size_t i = 1; path[i]; i++) {
        if (path[i] != '/')
            continue;
        path[i] = '\0';
        if (mkdir(path, S_IRWXU) != 0 && errno != EEXIST) {
            const int error = errno;
            struct stat about;
            /* mkdir may fail for an existing folder too, such as one in which
             * the user must not write. */
            if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) {
                errno = error;
                return false;
            }
        }
        path[i] = '/';
    }
    return true;
}

/* Reports that there is no folder for the ledger; a failure only if the ledger
 * is not optional. */
static bool refuse_ledger(struct cli *cli, bool optional, const char *message)
{
    char source[64];
    const struct diag diag = {
        .level = optional ? DIAG_WARNING : DIAG_ERROR,
        .source = name_of(cli, source, sizeof(source)),
        .message = surety_str_of(message),
        .hint = surety_str_of(
            "--ledger FILE names one; run and serve take --ledger none, too")};

    diag_write(&cli->err.buf, cli->color, &diag);
    if (!optional)
        cli_raise(cli, CODE_WORLD);
    return false;
}

bool configuration_ledger_place(struct cli *cli, bool optional,
                                surety_buf *path)
{
    if (!surety_user_folder(surety_str_of(getenv("XDG_STATE_HOME")),
                            surety_str_of(getenv("HOME")), ".local/state",
                            path))
        return refuse_ledger(cli, optional,
                             "there is no place for the ledger: neither "
                             "XDG_STATE_HOME nor HOME is set");
    surety_buf_text(path, "/surety/ledger.db");
    surety_buf_byte(path, '\0');
    if (path->status)
        return cli_nomem(cli);
    path->len--;
    return true;
}

bool configuration_ledger(struct cli *cli, bool optional, surety_buf *path)
{
    char message[400];

    if (!configuration_ledger_place(cli, optional, path))
        return false;
    if (make_folders(path->ptr))
        return true;
    snprintf(message, sizeof(message),
             "the ledger's folder %s cannot be made: %s", path->ptr,
             strerror(errno));
    return refuse_ledger(cli, optional, message);
}

bool configuration_ledger_url(struct cli *cli, const char *ledger,
                              const char *config, bool makes, surety_buf *url)
{
    const surety_config_options options = {.size = sizeof(options),
                                           .keyless = true};
    surety_config *opened;
    surety_str kept;
    bool done;

    if (ledger && (!*ledger || strcmp(ledger, "none") == 0))
        return cli_usage(cli, "a file, sqlite:FILE or postgresql://...",
                         "--ledger needs a place");
    if (ledger && !config) {
        surety_buf_text(url, ledger);
        return configuration_limits(cli) &&
               (url->status == SURETY_OK || cli_nomem(cli));
    }
    opened = configuration_open(cli, config, &options);
    if (!opened)
        return false;
    kept =
        ledger ? surety_str_of(ledger) : surety_config_info_of(opened)->ledger;
    if (surety_str_equal(kept, surety_str_of("none"))) {
        done = cli_usage(cli, "name one with --ledger",
                         "the configuration keeps no ledger");
    } else if (kept.len > 0) {
        surety_buf_add(url, kept);
        done = url->status == SURETY_OK || cli_nomem(cli);
    } else {
        done = makes ? configuration_ledger(cli, false, url)
                     : configuration_ledger_place(cli, false, url);
    }
    surety_config_free(opened);
    return done;
}
