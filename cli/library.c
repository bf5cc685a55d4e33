/* SPDX-License-Identifier: Apache-2.0 */
/* Finds contracts for the commands, and reports errors in them with the line of
 * the file. */
#include "library.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diag.h"
#include "input.h"

void library_folders(surety_buf *folders)
{
    const char *listed = getenv("SURETY_CONTRACTS");
    surety_buf config;

    surety_buf_init(&config, NULL, 0);
    if (listed && *listed) {
        surety_buf_text(folders, listed);
        surety_buf_byte(folders, ':');
    }
    surety_buf_text(folders, "./contracts");
    if (surety_user_folder(surety_str_of(getenv("XDG_CONFIG_HOME")),
                           surety_str_of(getenv("HOME")), ".config", &config)) {
        surety_buf_byte(folders, ':');
        surety_buf_add(folders, surety_buf_str(&config));
        surety_buf_text(folders, "/surety/contracts");
    }
    surety_buf_done(&config);
}

surety_registry *library_open(struct cli *cli)
{
    const surety_contract_options contract = {.size = sizeof(contract),
                                              .limits = &cli->limits};
    surety_registry *registry = NULL;
    surety_error error;
    surety_buf folders;

    surety_buf_init(&folders, NULL, 0);
    library_folders(&folders);
    if (surety_registry_new(surety_buf_str(&folders), &contract, &registry,
                            &error) != SURETY_OK)
        cli_report(cli, CODE_WORLD, "contracts", NO_TEXT, &error);
    surety_buf_done(&folders);
    return registry;
}

/* Writes the error of a contract, with the source line if the file can be
 * read. */
static void report_contract(struct cli *cli, const char *name,
                            surety_status status, surety_error *error)
{
    surety_str text = {NULL, 0};
    surety_error unread;

    if (error->position.line > 0 && error->source[0])
        input_read(error->source, input_schema(&cli->limits), &text, &unread);
    cli_report(cli, cli_code_of(status, CODE_USAGE), name, text, error);
    free((char *)text.ptr);
}

bool library_is_file(struct cli *cli, const char *path)
{
    struct stat about;

    if (strcmp(path, "-") == 0 || stat(path, &about) != 0 ||
        S_ISREG(about.st_mode) || S_ISDIR(about.st_mode))
        return true;
    return cli_fail(cli, CODE_USAGE, "write it to a file first",
                    "the contract %s is a pipe or a device, not a file", path);
}

/* Appends a warning and its hint as a workflow command of GitHub. */
static void put_command(surety_buf *out, const char *source,
                        const surety_issue *issue)
{
    const surety_issue_form form = {
        .size = sizeof(form), .source = surety_str_of(source), .warning = true};
    surety_issue shown = *issue;
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    surety_buf_add(&text, issue->message);
    if (issue->hint.len > 0) {
        surety_buf_text(&text, "; ");
        surety_buf_add(&text, issue->hint);
    }
    shown.message = surety_buf_str(&text);
    shown.instance_location = issue->keyword_location;
    surety_issue_write(&shown, SURETY_REPORT_GITHUB, &form, out);
    surety_buf_done(&text);
}

/* Writes one warning in the form that the command has chosen. */
static void put_warning(struct cli *cli, const char *source, surety_str text,
                        const surety_issue *issue)
{
    struct diag diag = {.level = DIAG_WARNING,
                        .source = surety_str_of(source),
                        .text = text,
                        .position = issue->position,
                        .keyword = issue->keyword,
                        .message = issue->message,
                        .at = issue->keyword_location,
                        .hint = issue->hint};

    if (cli->is_github) {
        put_command(&cli->err.buf, source, issue);
        return;
    }
    if (!cli->warning_put) {
        diag_write(&cli->err.buf, cli->color, &diag);
        return;
    }
    if (cli->warnings.len > 0)
        surety_buf_byte(&cli->warnings, ',');
    cli->warning_put(&cli->warnings, source, issue);
}

void library_warn(struct cli *cli, const char *source,
                  const surety_schema *schema)
{
    const surety_schema_info *info = surety_schema_info_of(schema);
    surety_issue issue = {.keyword = surety_str_of("unknown")};
    surety_buf text;

    if (cli->no_schema_warnings)
        return;
    surety_buf_init(&text, NULL, 0);
    for (size_t i = 0; i < info->warning_count; i++) {
        const surety_schema_warning warning = info->warnings[i];

        surety_buf_reset(&text);
        surety_val_pointer(warning.key, &text);
        issue.keyword_location = surety_buf_str(&text);
        issue.position = surety_val_position(warning.key);
        issue.message = warning.message;
        issue.hint = warning.hint;
        put_warning(cli, source, surety_doc_text(warning.key.doc), &issue);
    }
    if (info->warnings_left) {
        surety_buf_reset(&text);
        put_format(&text, "%zu more members say nothing", info->warnings_left);
        issue = (surety_issue){.keyword = issue.keyword,
                               .message = surety_buf_str(&text)};
        put_warning(cli, source, NO_TEXT, &issue);
    }
    surety_buf_done(&text);
}

size_t library_warn_duplicates(struct cli *cli, const char *source,
                               surety_str text, const surety_doc *doc,
                               uint32_t line)
{
    surety_position position, again;
    surety_buf message;
    surety_str key;
    size_t count = 0;

    surety_buf_init(&message, NULL, 0);
    for (;
         surety_doc_duplicate(doc, count, &key, &position, &again) == SURETY_OK;
         count++) {
        struct diag diag = {.level = DIAG_WARNING,
                            .source = surety_str_of(source),
                            .text = text,
                            .position = again,
                            .line_shown = line,
                            .keyword = surety_str_of("duplicate_key")};

        surety_buf_reset(&message);
        surety_buf_text(&message, "the key ");
        surety_json_string(&message, key);
        put_format(
            &message,
            " appears in its object again, as at line %u, column %u; the "
            "last one counts",
            (unsigned)(line ? line : position.line), (unsigned)position.column);
        diag.message = surety_buf_str(&message);
        diag_write(&cli->err.buf, cli->color, &diag);
    }
    surety_buf_done(&message);
    return count;
}

/* Whether a name can only be that of a file. */
static bool library_is_path(const char *name)
{
    const char *dot = strrchr(name, '.');

    return name[0] == '/' || name[0] == '.' ||
           (dot && strcmp(dot, ".json") == 0);
}

/* Reports that there is no such file, and where it was looked for. */
static void library_no_file(struct cli *cli, const char *name)
{
    char here[PATH_MAX];
    char hint[PATH_MAX + 32];
    const bool is_relative = name[0] != '/' && getcwd(here, sizeof(here));

    if (is_relative)
        snprintf(hint, sizeof(hint), "it was looked for in %s", here);
    cli_fail(cli, CODE_USAGE, is_relative ? hint : NULL,
             "the contract's file %s does not exist", name);
}

void library_no_contract(struct cli *cli, const char *name,
                         const surety_error *error)
{
    char hint[sizeof(error->hint)];
    char file[128];
    struct stat about;

    if (library_is_path(name)) {
        library_no_file(cli, name);
        return;
    }
    snprintf(hint, sizeof(hint), "%s",
             error->hint[0] ? error->hint
                            : "surety contracts list shows the names");
    if ((size_t)snprintf(file, sizeof(file), "%s.json", name) < sizeof(file) &&
        stat(file, &about) == 0)
        snprintf(hint, sizeof(hint), "did you mean the file %s?", file);
    cli_fail(cli, CODE_USAGE, hint, "%s", error->message);
}

surety_contract *library_contract(struct cli *cli, const char *name)
{
    surety_registry *registry = NULL;
    surety_contract *contract = NULL;
    surety_error error;
    surety_status status;
    struct stat about;

    if (!name) {
        cli_usage(cli, "a file, or a name of surety contracts list",
                  "name the contract with -c");
        return NULL;
    }
    if (stat(name, &about) == 0 && S_ISDIR(about.st_mode) &&
        (strchr("./", name[0]) || name[strlen(name) - 1] == '/')) {
        cli_fail(cli, CODE_USAGE, "name a file in it, or a contract's name",
                 "the contract %s is a folder", name);
        return NULL;
    }
    if (strchr(name, '/') && !library_is_file(cli, name))
        return NULL;
    registry = library_open(cli);
    if (!registry)
        return NULL;
    status =
        surety_registry_find(registry, surety_str_of(name), &contract, &error);
    if (status == SURETY_END)
        library_no_contract(cli, name, &error);
    else if (status != SURETY_OK)
        report_contract(cli, name, status, &error);
    else
        library_warn(cli, name, surety_contract_info_of(contract)->schema);
    surety_registry_free(registry);
    return status == SURETY_OK ? contract : NULL;
}

surety_contract *library_any(struct cli *cli)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .name = surety_str_of("any"),
                                             .limits = &cli->limits};
    surety_contract *contract = NULL;
    surety_error error;

    if (surety_contract_read(surety_str_of("true"), &options, &contract,
                             &error) != SURETY_OK)
        cli_report(cli, CODE_WORLD, "surety", NO_TEXT, &error);
    return contract;
}
