/* SPDX-License-Identifier: Apache-2.0 */
/* surety contracts diff: shows what a new version of a contract breaks, and for
 * whom. It writes a line for each change; the last line says which number of
 * the version must be raised. */
#include "commands.h"

#include "library.h"

/* ORDER of the choices of --fail, from 1. */
enum { FAIL_UNSET, FAIL_CONSUMERS, FAIL_PRODUCERS, FAIL_ANY, FAIL_VERSION };

struct diff_settings {
    int fail;
    bool json, quiet;
};

SETTINGS_FIT(struct diff_settings);
#define AT(member) offsetof(struct diff_settings, member)

const struct option_row contracts_diff_options[] = {
    SECTION("What counts"),
    CHOICE("fail", 0, AT(fail), "consumers|producers|any|version|never",
           "end with 1 where consumers break (as without it), where producers "
           "do, where either does, or where the version is not raised by as "
           "much as the changes ask for"),
    SECTION("Output"),
    FLAG("json", 0, AT(json),
         "print one JSON object (the contract surety/diff)"),
    FLAG("quiet", 'q', AT(quiet), "print only breaking changes"),
    OPTION_END};

/* Number of changes that break consumers, producers, or neither. */
struct diff_counts {
    size_t consumers, producers, others;
};

static void put_change(surety_buf *out, const surety_change *change)
{
    if (change->at.len > 0)
        put_safe(out, change->at);
    else
        surety_buf_text(out, "(root)");
    surety_buf_text(out, change->breaks_consumers && change->breaks_producers
                             ? ": breaks consumers and producers: "
                         : change->breaks_consumers ? ": breaks consumers: "
                         : change->breaks_producers ? ": breaks producers: "
                                                    : ": ");
    put_safe(out, change->message);
    surety_buf_text(out, " (");
    put_safe(out, change->keyword);
    surety_buf_text(out, ")\n");
}

static void put_summary(surety_buf *out, const surety_diff *diff,
                        const struct diff_counts *counts, surety_str before,
                        surety_str after)
{
    const surety_bump bump = surety_diff_info_of(diff)->bump;

    put_safe(out, before);
    surety_buf_text(out, " -> ");
    put_safe(out, after);
    if (bump == SURETY_BUMP_NONE) {
        surety_buf_text(out, ": no difference\n");
        return;
    }
    put_format(
        out,
        ": %zu %s consumers, %zu %s producers, %zu %s neither; this needs "
        "a new %s version%s\n",
        counts->consumers, counts->consumers == 1 ? "breaks" : "break",
        counts->producers, counts->producers == 1 ? "breaks" : "break",
        counts->others, counts->others == 1 ? "breaks" : "break",
        surety_bump_name(bump),
        surety_diff_info_of(diff)->version_fits
            ? ""
            : ", and the new number is too low");
}

/* Returns the contract's own name, else the given one. */
static surety_str name_of(const surety_contract *contract, const char *given)
{
    const surety_str id = surety_contract_info_of(contract)->id;

    return id.len > 0 ? id : surety_str_of(given);
}

static bool diff_fails(const surety_diff *diff, int fail,
                       const struct diff_counts *counts)
{
    switch (fail) {
    case FAIL_UNSET:
    case FAIL_CONSUMERS: return counts->consumers > 0;
    case FAIL_PRODUCERS: return counts->producers > 0;
    case FAIL_ANY: return counts->consumers + counts->producers > 0;
    case FAIL_VERSION: return !surety_diff_info_of(diff)->version_fits;
    default: return false;
    }
}

static void diff_print(struct cli *cli, const struct diff_settings *settings,
                       const surety_diff *diff, surety_str before,
                       surety_str after)
{
    surety_buf *out = &cli->out.buf;
    struct diff_counts counts = {0};

    for (size_t i = 0; i < surety_diff_info_of(diff)->change_count; i++) {
        const surety_change change = surety_diff_info_of(diff)->changes[i];
        const bool breaks = change.breaks_consumers || change.breaks_producers;

        counts.consumers += change.breaks_consumers;
        counts.producers += change.breaks_producers;
        counts.others += !breaks;
        if (!settings->json && (breaks || !settings->quiet))
            put_change(out, &change);
    }
    if (settings->json) {
        surety_diff_write(diff, out);
        surety_buf_byte(out, '\n');
    } else if (!settings->quiet) {
        put_summary(out, diff, &counts, before, after);
    }
    if (diff_fails(diff, settings->fail, &counts))
        cli_raise(cli, CODE_INVALID);
}

void contracts_diff_run(struct cli *cli, const void *settings,
                        const struct operands *operands)
{
    surety_contract *before = NULL;
    surety_contract *after = NULL;
    surety_diff *diff = NULL;
    surety_error error;
    surety_status status;

    if (operands->count == 2)
        before = library_contract(cli, operands->items[0]);
    else
        cli_usage(cli, "surety contracts diff OLD NEW: files, or names",
                  "name two contracts: the old and the new one");
    if (before)
        after = library_contract(cli, operands->items[1]);
    if (after) {
        status = surety_diff_new(before, after, NULL, &diff, &error);
        if (status == SURETY_OK)
            diff_print(cli, settings, diff, name_of(before, operands->items[0]),
                       name_of(after, operands->items[1]));
        else
            cli_fail_error(cli, cli_code_of(status, CODE_USAGE), &error);
    }
    surety_diff_free(diff);
    surety_contract_free(after);
    surety_contract_free(before);
}
