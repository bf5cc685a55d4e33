/* SPDX-License-Identifier: Apache-2.0 */
/* Where the configuration is looked for, and how it is told that it is wrong:
 * at its line and column, but without showing the line, because a configuration
 * is where people put keys by mistake. */
#include "configuration.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diag.h"
#include "input.h"

static const surety_str no_text = {NULL, 0};

/* Something that is allowed and likely not meant. */
static void warn(void *ctx, surety_str sentence)
{
    struct cli *cli = ctx;
    struct diag diag = {.level = DIAG_WARNING,
                        .source = surety_str_of("surety run"),
                        .message = sentence};

    diag_write(&cli->err.buf, cli->color, &diag);
}

/* Appends a folder of the XDG Base Directory Specification, given by its
 * variable where that is absolute, else below the home folder. */
static bool put_folder(surety_buf *path, const char *variable,
                       const char *below_home)
{
    const char *folder = getenv(variable);
    const char *home = getenv("HOME");

    if (folder && *folder == '/')
        surety_buf_text(path, folder);
    else if (home && *home)
        put_format(path, "%s/%s", home, below_home);
    else
        return false;
    return true;
}

static const char here[] = "surety.json";

/* A configuration says where keys are sent, so one that somebody else put into
 * the working folder is not taken without being named. */
static bool is_own(struct cli *cli, const char *given)
{
    struct stat about;

    if (given || stat(here, &about) != 0 || about.st_uid == geteuid() ||
        about.st_uid == 0)
        return true;
    cli_fail(cli, CODE_USAGE, "--config surety.json takes it all the same",
             "the file surety.json in this folder belongs to another user, and "
             "it would say where keys are sent");
    return false;
}

/* Appends the file to read; nothing where there is none. */
static void put_place(surety_buf *path, const char *given)
{
    if (given) {
        surety_buf_text(path, given);
    } else if (access(here, F_OK) == 0) {
        surety_buf_text(path, here);
    } else if (put_folder(path, "XDG_CONFIG_HOME", ".config")) {
        surety_buf_text(path, "/surety/surety.json");
        surety_buf_byte(path, '\0');
        if (path->status || access(path->ptr, F_OK) != 0)
            surety_buf_reset(path);
        else
            path->len--;
    }
}

/* Where relative paths of the file count from. */
static surety_str folder_of(surety_str path)
{
    size_t len = path.len;

    while (len > 0 && path.ptr[len - 1] != '/')
        len--;
    return (surety_str){path.ptr, len};
}

surety_config *configuration_open(struct cli *cli, const char *path,
                                  const surety_config_options *options)
{
    surety_config_options own = *options;
    surety_config *config = NULL;
    surety_str text = {NULL, 0};
    surety_error error;
    surety_status status = SURETY_OK;
    surety_buf place;

    if (!is_own(cli, path))
        return NULL;
    surety_buf_init(&place, NULL, 0);
    put_place(&place, path);
    surety_buf_byte(&place, '\0');
    if (place.status) {
        cli_fail(cli, CODE_WORLD, NULL, "out of memory");
        goto done;
    }
    place.len--;
    if (place.len > 0)
        status = input_read(place.ptr, surety_limits_of(NULL).schema_bytes_max,
                            &text, &error);
    own.folder = folder_of(surety_buf_str(&place));
    own.warn = warn;
    own.warn_ctx = cli;
    if (status == SURETY_OK)
        status = surety_config_read(text, &own, &config, &error);
    if (status != SURETY_OK)
        cli_report(cli, cli_code_of(status, CODE_USAGE),
                   place.len > 0 ? place.ptr : "configuration", no_text,
                   &error);
done:
    free((char *)text.ptr);
    surety_buf_done(&place);
    return config;
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
        cli_report(cli, cli_code_of(status, CODE_USAGE), "recording", no_text,
                   &error);
    else
        cli_fail(cli, cli_code_of(status, CODE_USAGE),
                 error.hint[0] ? error.hint : NULL, "%s", error.message);
    return NULL;
}

/* Makes each folder on the way to a file, for the user alone. */
static bool make_folders(char *path)
{
    for (size_t i = 1; path[i]; i++) {
        if (path[i] != '/')
            continue;
        path[i] = '\0';
        if (mkdir(path, S_IRWXU) != 0 && errno != EEXIST) {
            const int error = errno;
            struct stat about;
            /* A folder above may be one that nobody may write to, and be
             * there. */
            if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) {
                errno = error;
                return false;
            }
        }
        path[i] = '/';
    }
    return true;
}

/* Says that the ledger has no place; only a ledger that is needed fails. */
static bool refuse_ledger(struct cli *cli, bool optional, const char *message)
{
    const struct diag diag = {
        .level = optional ? DIAG_WARNING : DIAG_ERROR,
        .source = surety_str_of("surety run"),
        .message = surety_str_of(message),
        .hint = surety_str_of(
            "--ledger none goes without, --ledger FILE puts it elsewhere")};

    diag_write(&cli->err.buf, cli->color, &diag);
    if (!optional)
        cli_raise(cli, CODE_WORLD);
    return false;
}

bool configuration_ledger(struct cli *cli, bool optional, surety_buf *path)
{
    char message[400];

    if (!put_folder(path, "XDG_STATE_HOME", ".local/state"))
        return refuse_ledger(cli, optional,
                             "there is no place for the ledger: neither "
                             "XDG_STATE_HOME nor HOME is set");
    surety_buf_text(path, "/surety/ledger.db");
    surety_buf_byte(path, '\0');
    if (path->status) {
        cli_fail(cli, CODE_WORLD, NULL, "out of memory");
        return false;
    }
    path->len--;
    if (make_folders(path->ptr))
        return true;
    snprintf(message, sizeof(message),
             "the ledger's folder %s cannot be made: %s", path->ptr,
             strerror(errno));
    return refuse_ledger(cli, optional, message);
}
