/* SPDX-License-Identifier: Apache-2.0 */
/* surety extract: writes the value without validation. It is check with a
 * contract that every value satisfies (the schema true): the first candidate
 * that is JSON is taken; if there is none, the report says why. */
#include "commands.h"

#include "session.h"

const struct option_row extract_options[] = {
    SESSION_ROWS_LOOK,
    SESSION_ROWS_PARTIAL,
    SECTION("Output"),
    {"report", 0, OPTION_CHOICE, offsetof(struct session_settings, report), 0,
     NULL, "text|json|plain|github|sarif",
     "form of the report on standard error"},
    SESSION_ROWS_STYLE,
    OPTION_END};

void extract_run(struct cli *cli, const struct command *command, int argc,
                 char **argv)
{
    struct session_settings settings = {0};
    surety_contract_options options = {.size = sizeof(options),
                                       .limits = &cli->limits};
    surety_contract *contract = NULL;
    struct session session;
    struct operands files;
    surety_error error;

    if (options_parse(cli, command, argc, argv, &settings, &files) !=
        OPTIONS_GO)
        return;
    cli_color(cli, settings.color);
    options.name = surety_str_of("any");
    if (surety_contract_read(surety_str_of("true"), &options, &contract,
                             &error) != SURETY_OK) {
        cli_report(cli, CODE_WORLD, "surety", (surety_str){NULL, 0}, &error);
        return;
    }
    if (session_init(&session, cli, &settings, contract))
        session_files(&session, &files);
    session_done(&session);
    surety_contract_free(contract);
}
