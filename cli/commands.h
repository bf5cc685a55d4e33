/* SPDX-License-Identifier: Apache-2.0 */
/* commands.h: what the files of the commands provide for the table in
 * commands.c. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "options.h"

extern const struct option_row check_options[], extract_options[],
    gen_options[], mcp_options[], mock_options[], prompt_options[],
    render_options[], run_options[], serve_options[], stats_options[],
    tools_options[], keys_add_options[], keys_list_options[],
    keys_revoke_options[], validate_options[], contracts_list_options[],
    contracts_show_options[], contracts_lint_options[],
    contracts_diff_options[];

command_run check_run, extract_run, gen_run, mcp_run, mock_run, prompt_run,
    render_run, run_run, serve_run, stats_run, tools_run, keys_add_run,
    keys_list_run, keys_revoke_run, validate_run, contracts_list_run,
    contracts_show_run, contracts_lint_run, contracts_diff_run;

#endif
