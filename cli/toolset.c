/* SPDX-License-Identifier: Apache-2.0 */
/* Tools of a file and of servers. A replay answers their calls, and the lists
 * of servers, by the exchange with the same request, as it answers those of
 * models. So it starts no tool and no server. */
#include "toolset.h"

#include <stdlib.h>
#include <string.h>

#include "input.h"

/* Gives the transport that is used instead of one of a tool. */
static surety_status wrap(void *ctx, surety_transport *inner,
                          surety_transport **ret_transport,
                          surety_error *reterr)
{
    const struct toolset_world *world = ctx;
    surety_status status;

    if (world->record)
        return surety_record_open(inner, record_file_write, world->record, NULL,
                                  ret_transport, reterr);
    status = surety_replay_open(world->replay, SURETY_REPLAY_MATCH, NULL,
                                ret_transport, reterr);
    if (status == SURETY_OK)
        inner->close(inner->ctx);
    return status;
}

/* Adds the tools of a file; false: the message is written. */
static bool add_file(struct cli *cli, const char *path, surety_tools *tools)
{
    const char *slash = strrchr(path, '/');
    const surety_str folder = {path, slash ? (size_t)(slash - path) : 0};
    surety_str text = NO_TEXT;
    surety_error error;
    surety_status status;

    if (!cli_read(cli, path, input_text(&cli->limits), CODE_USAGE, &text))
        return false;
    status = surety_tools_read(
        tools, text, slash == path ? (surety_str){"/", 1} : folder, &error);
    if (status != SURETY_OK)
        cli_report(cli, cli_code_of(status, CODE_USAGE), input_name(path), text,
                   &error);
    free((char *)text.ptr);
    return status == SURETY_OK;
}

/* Adds the tools of a configuration. No line of it is shown, as it may hold a
 * key. False: the message is written. */
static bool add_config(struct cli *cli, const surety_config_info *config,
                       surety_tools *tools)
{
    surety_error error;
    const surety_status status =
        surety_tools_read(tools, config->tools, config->folder, &error);

    return status == SURETY_OK ||
           cli_report(cli, cli_code_of(status, CODE_USAGE),
                      config->file.len ? config->file.ptr : "configuration",
                      NO_TEXT, &error);
}

/* Adds the tools of a server; false: the message is written. */
static bool add_server(struct cli *cli, const char *line, surety_tools *tools)
{
    surety_tool_server server = {.size = sizeof(server)};
    surety_buf command;
    surety_error error;
    surety_status status;

    surety_buf_init(&command, NULL, 0);
    surety_buf_text(&command, "[\"/bin/sh\",\"-c\",");
    surety_json_string(&command, surety_str_of(line));
    surety_buf_byte(&command, ']');
    server.command = surety_buf_str(&command);
    if (command.status != SURETY_OK) {
        surety_buf_done(&command);
        return cli_nomem(cli);
    }
    status = surety_tools_connect(tools, &server, signals_caught(), &error);
    surety_buf_done(&command);
    return status == SURETY_OK ||
           cli_fail(cli, cli_code_of(status, CODE_USAGE), error.hint,
                    "--mcp %s: %s", line, error.message);
}

surety_tools *toolset_open(struct cli *cli, const char *path,
                           const surety_config_info *config,
                           const struct texts *servers,
                           const struct toolset_world *world)
{
    const bool wraps = world && (world->replay || world->record);
    const surety_tools_options options = {.size = sizeof(options),
                                          .limits = &cli->limits,
                                          .wrap = wraps ? wrap : NULL,
                                          .wrap_ctx = (void *)world,
                                          .cancelled = signals_caught()};
    surety_tools *tools = NULL;
    bool is_whole;

    signals_catch();
    if (surety_tools_new(&options, &tools, NULL) != SURETY_OK) {
        cli_nomem(cli);
        return NULL;
    }
    if (path)
        is_whole = add_file(cli, path, tools);
    else
        is_whole =
            !config || !config->tools.len || add_config(cli, config, tools);
    for (size_t i = 0; is_whole && i < servers->count; i++)
        is_whole = add_server(cli, servers->items[i], tools);
    if (is_whole)
        return tools;
    surety_tools_free(tools);
    return NULL;
}
