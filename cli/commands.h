/* SPDX-License-Identifier: Apache-2.0 */
/* commands.h: what the files of the commands provide for the table in
 * commands.c. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "options.h"

extern const struct option_row check_options[];
extern const struct option_row extract_options[];
extern const struct option_row gen_options[];
extern const struct option_row mock_options[];
extern const struct option_row prompt_options[];
extern const struct option_row render_options[];
extern const struct option_row run_options[];
extern const struct option_row stats_options[];
extern const struct option_row validate_options[];
extern const struct option_row contracts_list_options[];
extern const struct option_row contracts_show_options[];
extern const struct option_row contracts_lint_options[];
extern const struct option_row contracts_diff_options[];

void check_run(struct cli *cli, const struct command *command, int argc,
               char **argv);
void extract_run(struct cli *cli, const struct command *command, int argc,
                 char **argv);
void gen_run(struct cli *cli, const struct command *command, int argc,
             char **argv);
void mock_run(struct cli *cli, const struct command *command, int argc,
              char **argv);
void prompt_run(struct cli *cli, const struct command *command, int argc,
                char **argv);
void render_run(struct cli *cli, const struct command *command, int argc,
                char **argv);
void run_run(struct cli *cli, const struct command *command, int argc,
             char **argv);
void stats_run(struct cli *cli, const struct command *command, int argc,
               char **argv);
void validate_run(struct cli *cli, const struct command *command, int argc,
                  char **argv);
void contracts_list_run(struct cli *cli, const struct command *command,
                        int argc, char **argv);
void contracts_show_run(struct cli *cli, const struct command *command,
                        int argc, char **argv);
void contracts_lint_run(struct cli *cli, const struct command *command,
                        int argc, char **argv);

void contracts_diff_run(struct cli *cli, const struct command *command,
                        int argc, char **argv);

#endif
