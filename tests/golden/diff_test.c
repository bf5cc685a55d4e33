/* SPDX-License-Identifier: Apache-2.0 */
/* What is reported of two versions of a contract, sentence for sentence.
 *
 *     diff_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case: sections that begin with a line "=== KIND".
 *
 *     === before, after   the two contracts
 *     === changes         needed: BUMP, fits or not, then a line a change:
 *                         WHERE WHOM KEYWORD (OLD > NEW): MESSAGE
 *
 * where OLD and NEW are the locations of the subschemas and whom it breaks is
 * C, P, CP or -. --update writes the changes anew, to be read by a person. */
#include "golden/cases.h"

#include <stdio.h>

static void write_change(const surety_change *change, surety_buf *out)
{
    surety_buf_byte(out, '#');
    surety_buf_add(out, change->at);
    surety_buf_text(out, change->breaks_consumers   ? " C"
                         : change->breaks_producers ? " "
                                                    : " -");
    surety_buf_text(out, change->breaks_producers ? "P " : " ");
    surety_buf_add(out, change->keyword);
    surety_buf_text(out, " (#");
    surety_buf_add(out, change->old_location);
    surety_buf_text(out, " > #");
    surety_buf_add(out, change->new_location);
    surety_buf_text(out, "): ");
    surety_buf_add(out, change->message);
    surety_buf_byte(out, '\n');
}

static void write_changes(const surety_diff *diff, surety_buf *out)
{
    surety_buf_text(out, "needed: ");
    surety_buf_text(out, surety_bump_name(surety_diff_bump(diff)));
    surety_buf_text(out, surety_diff_version_fits(diff) ? ", fits\n" : "\n");
    for (size_t i = 0; i < surety_diff_count(diff); i++) {
        const surety_change change = surety_diff_at(diff, i);

        write_change(&change, out);
    }
}

/* The contract of a section; false where it is none, which is said. */
static bool read_contract(struct golden *golden, const char *kind,
                          surety_contract **ret_contract)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .name = surety_str_of("case")};
    surety_error err;
    const surety_status status = surety_contract_read(
        golden_body(golden, kind), &options, ret_contract, &err);

    golden->skipped = golden->skipped || status == SURETY_UNSUPPORTED;
    if (status != SURETY_OK)
        printf("# %s, %s: %s\n", golden->path, kind, err.message);
    return status == SURETY_OK;
}

static bool run(struct golden *golden)
{
    surety_contract *before = NULL;
    surety_contract *after = NULL;
    surety_diff *diff = NULL;
    const bool good =
        read_contract(golden, "before", &before) &&
        read_contract(golden, "after", &after) &&
        surety_diff_new(before, after, NULL, &diff, NULL) == SURETY_OK;

    for (size_t i = 0; i < golden->count && good; i++) {
        if (!golden_is(&golden->sections[i], "changes")) {
            golden_keep(golden, &golden->sections[i]);
            continue;
        }
        golden_begin(golden, &golden->sections[i]);
        write_changes(diff, &golden->made);
    }
    surety_diff_free(diff);
    surety_contract_free(after);
    surety_contract_free(before);
    return good || golden->skipped;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
