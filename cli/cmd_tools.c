/* SPDX-License-Identifier: Apache-2.0 */
/* surety tools: shows the tools of a file, of a configuration or of servers as
 * a model sees them, and calls one without a model. */
#include "commands.h"

#include <stdlib.h>
#include <string.h>

#include <surety-run.h>

#include "configuration.h"
#include "grid.h"
#include "run_world.h"
#include "toolset.h"

struct tools_settings {
    struct texts servers;
    const char *config;
    bool json;
};

SETTINGS_FIT(struct tools_settings);

const struct option_row tools_options[] = {
    SECTION("Tools"),
    TEXTS(
        "mcp", 0, offsetof(struct tools_settings, servers), "COMMAND",
        "the tools of a server of the Model Context Protocol, which this line "
        "for /bin/sh starts, in place of FILE; again for another one"),
    TEXT("config", 0, offsetof(struct tools_settings, config), "FILE",
         "the configuration whose tools these are, in place of FILE; without "
         "both ./surety.json or surety/surety.json in $XDG_CONFIG_HOME"),
    SECTION("Output"),
    FLAG("json", 0, offsetof(struct tools_settings, json),
         "the list as an array of objects; the result of a call as an object"),
    OPTION_END};

/* ---- the list ------------------------------------------------------------ */

static void tools_list_json(const surety_tools *tools, surety_buf *out)
{
    surety_buf_byte(out, '[');
    for (size_t i = 0; i < surety_tools_count(tools); i++) {
        const surety_tool_info *info = surety_tools_info(tools, i);

        surety_buf_text(out, i ? ",\n {" : "{");
        surety_json_text(out, "name", info->name);
        surety_json_text(out, "description", info->description);
        surety_json_name(out, "parameters");
        surety_buf_add(out, info->parameters);
        if (info->result.len) {
            surety_json_name(out, "result");
            surety_buf_add(out, info->result);
        }
        surety_buf_byte(out, '}');
    }
    surety_buf_text(out, "]\n");
}

static void tools_list(const surety_tools *tools, surety_buf *out)
{
    static const struct grid_column columns[] = {
        {"NAME", true, 0}, {"DESCRIPTION", true, 0}, {"PARAMETERS", true, 0}};
    struct grid grid;

    grid_init(&grid, columns, COUNT_OF(columns));
    for (size_t i = 0; i < surety_tools_count(tools); i++) {
        const surety_tool_info *info = surety_tools_info(tools, i);
        surety_str description = info->description;

        grid_text(&grid, info->name);
        grid_text(&grid,
                  description.len ? cli_line(&description) : description);
        grid_text(&grid, info->parameters);
    }
    grid_write(&grid, SIZE_MAX / 2, false, false, out);
    grid_done(&grid);
}

/* ---- a call -------------------------------------------------------------- */

static int tools_code(surety_tool_failure failure)
{
    switch (failure) {
    case SURETY_TOOL_NONE: return CODE_VALID;
    case SURETY_TOOL_UNKNOWN: return CODE_USAGE;
    case SURETY_TOOL_ARGUMENTS:
    case SURETY_TOOL_RESULT: return CODE_INVALID;
    default: return CODE_PROVIDER;
    }
}

static void tools_result_json(const surety_tool_result *result, surety_buf *out)
{
    surety_buf_byte(out, '{');
    surety_json_text(out, "failure",
                     surety_str_of(surety_tool_failure_name(result->failure)));
    surety_json_text(out, "message", result->message);
    surety_json_text(out, "arguments", result->arguments);
    surety_json_bool(out, "sent", result->sent);
    surety_json_bool(out, "checked", result->checked);
    surety_json_text(out, "text", result->text);
    surety_buf_text(out, "}\n");
}

/* Calls the tool that the operands name: NAME [ARGUMENTS]. */
static void tools_call(struct cli *cli, surety_tools *tools, bool json,
                       const struct operands *operands)
{
    const surety_tool_result *result = NULL;
    surety_str arguments = NO_TEXT;
    char *read = NULL;
    surety_error error;
    surety_status status;

    if (!cli_text(cli, operands->count > 1 ? operands->items[1] : NULL, true,
                  &arguments, &read))
        return;
    status = surety_tools_call(tools, surety_str_of(operands->items[0]),
                               arguments, signals_caught(), &result, &error);
    free(read);
    if (status != SURETY_OK) {
        cli_fail_error(cli, cli_code_of(status, CODE_WORLD), &error);
        return;
    }
    cli_raise(cli, tools_code(result->failure));
    if (json) {
        tools_result_json(result, &cli->out.buf);
    } else {
        struct output *output = result->failure ? &cli->err : &cli->out;

        surety_buf_add(&output->buf, result->text);
        surety_buf_byte(&output->buf, '\n');
    }
}

/* ---- the command --------------------------------------------------------- */

/* Whether an operand is the file: a tool's name has neither "." nor "/". */
static bool is_file(const char *operand)
{
    return strpbrk(operand, "./") != NULL;
}

/* Opens the tools of a configuration; NULL: the message is written. */
static surety_tools *tools_of_config(struct cli *cli, const char *path)
{
    const surety_config_options options = {.size = sizeof(options),
                                           .keyless = true};
    const struct texts none = {.count = 0};
    surety_config *config = configuration_open(cli, path, &options);
    const surety_config_info *info = surety_config_info_of(config);
    surety_tools *tools = NULL;

    if (config && !info->tools.len)
        cli_usage(cli, "name a tools file, --config FILE or --mcp COMMAND",
                  "%s has no member tools or servers",
                  info->file.len ? info->file.ptr : "the configuration");
    else if (config)
        tools = toolset_open(cli, NULL, info, &none, NULL);
    surety_config_free(config);
    return tools;
}

static void tools_do(struct cli *cli, surety_tools *tools, bool json,
                     const struct operands *call)
{
    if (call->count > 0)
        tools_call(cli, tools, json, call);
    else if (json)
        tools_list_json(tools, &cli->out.buf);
    else
        tools_list(tools, &cli->out.buf);
}

void tools_run(struct cli *cli, const void *given,
               const struct operands *operands)
{
    const struct tools_settings *settings = given;
    const bool others = settings->servers.count > 0 || settings->config;
    const size_t files =
        !others && operands->count > 0 && is_file(operands->items[0]);
    const struct operands call = {operands->items + files,
                                  operands->count - files};
    surety_tools *tools;

    if (call.count > 2 || (settings->servers.count > 0 && settings->config)) {
        cli_usage(cli, "surety tools FILE lists its tools",
                  "name a tools file, --config FILE or --mcp COMMAND, and a "
                  "tool to call with its arguments");
        return;
    }
    if (files || settings->servers.count > 0)
        tools = toolset_open(cli, files ? operands->items[0] : NULL, NULL,
                             &settings->servers, NULL);
    else
        tools = tools_of_config(cli, settings->config);
    if (tools)
        tools_do(cli, tools, settings->json, &call);
    surety_tools_free(tools);
    signals_raise(cli);
}
