/* SPDX-License-Identifier: Apache-2.0 */
/* Reports every keyword of a contract that a provider's structured output does
 * not accept, with its line, before a request costs money. A keyword that is
 * sent in another form is a warning; one that the provider would refuse is an
 * error. */
#include "lint.h"

#include <surety/strict.h>

bool lint_strict(struct lint *lint, const surety_contract *contract)
{
    for (int i = SURETY_SUBSET_OPENAI; i <= SURETY_SUBSET_GRAMMAR; i++) {
        const surety_strict *strict = NULL;
        surety_error error;
        surety_status status;

        if (!(lint->subsets >> i & 1))
            continue;
        status = surety_strict_of(contract, (surety_subset)i, &strict, &error);
        if (status == SURETY_NOMEM)
            return false;
        if (status != SURETY_OK) {
            lint->errors++;
            cli_report(lint->cli, CODE_USAGE, lint->source, lint->text, &error);
            continue;
        }
        for (size_t j = 0; j < surety_strict_info_of(strict)->note_count; j++) {
            const surety_strict_note note =
                surety_strict_info_of(strict)->notes[j];
            struct diag diag = {.level =
                                    note.support == SURETY_STRICT_IMPOSSIBLE
                                        ? DIAG_ERROR
                                        : DIAG_WARNING,
                                .position = note.position,
                                .keyword = note.keyword,
                                .message = note.message,
                                .at = note.location,
                                .hint = note.hint};
            lint_put(lint, &diag);
        }
    }
    return true;
}
