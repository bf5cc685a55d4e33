/* SPDX-License-Identifier: Apache-2.0 */
/* surety extract: writes the value without validation. It is check with a
 * contract that every value satisfies (the schema true): the first candidate
 * that is JSON is taken; if there is none, the report says why. */
#include "commands.h"

#include "library.h"
#include "session.h"

const struct option_row extract_options[] = {
    SESSION_ROWS_LOOK,
    SESSION_ROWS_PARTIAL,
    SECTION("Output"),
    CHOICE("report", 0, offsetof(struct session_settings, report),
           "text|json|plain|github|sarif",
           "form of the report on standard error"),
    SESSION_ROWS_STYLE,
    OPTION_END};

void extract_run(struct cli *cli, const void *settings,
                 const struct operands *files)
{
    surety_contract *contract = library_any(cli);
    struct session session;

    if (!contract)
        return;
    if (session_init(&session, cli, settings, contract))
        session_files(&session, files);
    session_done(&session);
    surety_contract_free(contract);
}
