/* SPDX-License-Identifier: Apache-2.0 */
/* Tools of a file. A replay answers their calls by the exchange with the same
 * request, as it answers those of models, so it starts no tool. */
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

surety_tools *toolset_open(struct cli *cli, const char *path,
                           const struct toolset_world *world)
{
    const char *slash = strrchr(path, '/');
    const surety_str folder = {path, slash ? (size_t)(slash - path) : 0};
    const bool wraps = world && (world->replay || world->record);
    const surety_tools_options options = {.size = sizeof(options),
                                          .limits = &cli->limits,
                                          .wrap = wraps ? wrap : NULL,
                                          .wrap_ctx = (void *)world};
    surety_tools *tools = NULL;
    surety_str text = NO_TEXT;
    surety_error error;
    surety_status status;

    if (!cli_read(cli, path, input_text(&cli->limits), CODE_USAGE, &text))
        return NULL;
    status = surety_tools_new(&options, &tools, &error);
    if (status == SURETY_OK)
        status = surety_tools_read(
            tools, text, slash == path ? (surety_str){"/", 1} : folder, &error);
    if (status != SURETY_OK) {
        cli_report(cli, cli_code_of(status, CODE_USAGE), input_name(path), text,
                   &error);
        surety_tools_free(tools);
        tools = NULL;
    }
    free((char *)text.ptr);
    return tools;
}
