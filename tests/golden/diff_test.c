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
 * C, P, CP or -.
 *
 *     === json            the same as JSON
 *     === pairs           a line each, "SCHEMA => SCHEMA"; behind it what
 *                         changes that way (>) and back (<)
 *
 * --update writes the changes anew, to be read by a person. */
#include "golden/cases.h"

#include <stdio.h>

static void write_change(const surety_change *change, const char *before,
                         surety_buf *out)
{
    surety_buf_text(out, before);
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

static void write_changes(const surety_diff *diff, const char *before,
                          surety_buf *out)
{
    surety_buf_text(out, before);
    surety_buf_text(out, "needed: ");
    surety_buf_text(out, surety_bump_name(surety_diff_info_of(diff)->bump));
    surety_buf_text(out, surety_diff_info_of(diff)->version_fits ? ", fits\n"
                                                                 : "\n");
    for (size_t i = 0; i < surety_diff_info_of(diff)->change_count; i++) {
        const surety_change change = surety_diff_info_of(diff)->changes[i];

        write_change(&change, before, out);
    }
}

/* Reads a contract; false where it is none, which is said. */
static bool read_contract(struct golden *golden, surety_str text,
                          surety_contract **ret_contract)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .name = surety_str_of("case")};
    surety_error err;
    const surety_status status =
        surety_contract_read(text, &options, ret_contract, &err);

    golden->skipped = golden->skipped || status == SURETY_UNSUPPORTED;
    if (status != SURETY_OK)
        printf("# %s: %s: %.*s\n", golden->path, err.message, (int)text.len,
               text.ptr);
    return status == SURETY_OK;
}

/* What changes from one contract to the other; mark NULL: as JSON. */
static bool compare(struct golden *golden, const surety_contract *before,
                    const surety_contract *after, const char *mark)
{
    surety_diff *diff = NULL;
    const bool good =
        surety_diff_new(before, after, NULL, &diff, NULL) == SURETY_OK;

    if (good && mark)
        write_changes(diff, mark, &golden->made);
    else if (good && surety_diff_write(diff, &golden->made) == SURETY_OK)
        golden_end(golden);
    surety_diff_free(diff);
    return good;
}

static bool run_pair(struct golden *golden, surety_str line)
{
    surety_contract *before = NULL;
    surety_contract *after = NULL;
    surety_str first = line, second = line;
    bool good;

    while (second.len && !golden_take(&second, " => "))
        second = (surety_str){second.ptr + 1, second.len - 1};
    first.len -= second.len + (second.len ? 4 : 0);
    good = read_contract(golden, first, &before) &&
           read_contract(golden, second, &after) &&
           compare(golden, before, after, "    > ") &&
           compare(golden, after, before, "    < ");
    surety_contract_free(after);
    surety_contract_free(before);
    return good;
}

/* Each line that is not indented is a pair, unless it is a remark. */
static bool run_pairs(struct golden *golden, surety_str text)
{
    surety_str line;
    bool good = true;

    while (golden_line(&text, &line)) {
        if (line.len && line.ptr[0] == ' ')
            continue;
        surety_buf_add(&golden->made, line);
        surety_buf_byte(&golden->made, '\n');
        if (line.len && line.ptr[0] != '#')
            good = run_pair(golden, line) && good;
    }
    return good;
}

static bool run(struct golden *golden)
{
    surety_contract *before = NULL;
    surety_contract *after = NULL;
    bool good = true;

    for (size_t i = 0; i < golden->count && good; i++) {
        const struct golden_section *section = &golden->sections[i];

        if (golden_is(section, "pairs")) {
            golden_begin(golden, section);
            good = run_pairs(golden, section->text);
        } else if (golden_is(section, "changes") ||
                   golden_is(section, "json")) {
            golden_begin(golden, section);
            good = compare(golden, before, after,
                           golden_is(section, "json") ? NULL : "");
        } else {
            surety_contract **contract =
                golden_is(section, "before") ? &before : &after;

            golden_keep(golden, section);
            good = !*contract && read_contract(golden, section->body, contract);
        }
    }
    surety_contract_free(after);
    surety_contract_free(before);
    return good || golden->skipped;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
