/* SPDX-License-Identifier: Apache-2.0 */
/* Sums up attempts. Each entry is counted once as it comes, in its group and in
 * the total, and leaves a few bytes with its run. The endings of runs are
 * counted at the end, when all their attempts were read.
 *
 * 1. A run belongs to the time at which it began, with all its attempts. So
 *    with `since`, a run whose first attempt was not read is skipped. Later
 *    attempts of the other runs count whatever their time.
 * 2. Entries of a run may come in any order, as clocks jump. But with `since`,
 *    an attempt that comes before the first one of its run is skipped.
 * 3. Of an entry only names, cut to a limit, and 128 bits that identify its run
 *    are kept. A run id that is a UUID is these bits; any other is hashed.
 * 4. The first failure is kept, and every later call returns it. */
#include "stats/stats.h"

#include <assert.h>

/* ORDER bys */
static const char *const stats_bys[SURETY_BYS] = {
    "model", "provider", "contract", "version", "mode",
    "day",   "month",    "key",      "tag",
};

const char *surety_stats_by_name(surety_stats_by by)
{
    return (unsigned)by < SURETY_BYS ? stats_bys[by] : "unknown";
}

/* ---- counting ------------------------------------------------------------ */

/* Two numbers that identify a run's id. */
static void stats_run_id(surety_str text, uint64_t id[2])
{
    uint64_t digits[2] = {0, 0};
    size_t count = 0;

    for (size_t i = 0; i < text.len && count <= 32; i++) {
        const char byte = text.ptr[i];
        const unsigned digit = surety__hex_digit(byte);

        if (byte == '-')
            continue;
        if (digit > 15) {
            count = SIZE_MAX - 1;
            break;
        }
        digits[count / 16 & 1] = digits[count / 16 & 1] << 4 | digit;
        count++;
    }
    if (text.len == 36 && count == 32) {
        memcpy(id, digits, sizeof(digits));
        return;
    }
    /* FNV-1a (draft-eastlake-fnv), with two offset bases. */
    id[0] = 0xCBF29CE484222325u;
    id[1] = 0x84222325CBF29CE4u;
    for (size_t i = 0; i < text.len; i++)
        for (size_t at = 0; at < 2; at++)
            id[at] = (id[at] ^ (unsigned char)text.ptr[i]) * 0x100000001B3u;
    id[1] ^= ~text.len;
}

/* Finds or adds the run of an entry. NULL: the run does not count, or a
 * failure, kept in stats. */
static surety__stats_run *stats_run_of(surety_stats *stats,
                                       const surety_entry *entry)
{
    const surety_stats_options *options = &stats->options;
    surety__stats_run *run;
    uint64_t id[2];

    /* An attempt without a run is a run of its own. */
    stats_run_id(entry->run.len ? entry->run : entry->id, id);
    run = surety__map_get(&stats->runs, id[0] ^ id[1]);
    while (run && (run->id[0] != id[0] || run->id[1] != id[1]))
        run = run->next;
    if (run)
        return run;
    if ((options->since_ms &&
         (entry->started_ms < options->since_ms || entry->number > 1)) ||
        (options->until_ms && entry->started_ms >= options->until_ms))
        return NULL;
    if (stats->run_count == SURETY_STATS_RUNS_MAX) {
        (void)surety__stats_fail(stats,
                                 surety__fail(&stats->cause, SURETY_LIMIT,
                                              "there are more than %d runs",
                                              SURETY_STATS_RUNS_MAX));
        surety__hint(&stats->cause, "look at a part of them (since, until)");
        return NULL;
    }
    run = surety__arena_take(&stats->arena, sizeof(*run));
    if (!run)
        return NULL;
    memcpy(run->id, id, sizeof(run->id));
    run->next = surety__map_get(&stats->runs, id[0] ^ id[1]);
    if (!surety__map_put(&stats->runs, stats->alloc, id[0] ^ id[1], run)) {
        (void)surety__stats_nomem(stats);
        return NULL;
    }
    stats->run_count++;
    return run;
}

/* Whether a version matches the requested one: "1" matches "1.2.3". */
static bool stats_is_version(surety_str version, surety_str wanted)
{
    return !wanted.len ||
           (surety__str_starts(version, wanted) &&
            (version.len == wanted.len || version.ptr[wanted.len] == '.'));
}

/* Whether the options select the entry. */
static bool stats_wants(const surety_stats *stats, const surety_entry *entry)
{
    const surety_stats_options *options = &stats->options;

    return (!options->model.len ||
            surety_str_equal(options->model, entry->model)) &&
           (!options->provider.len ||
            surety_str_equal(options->provider, entry->provider)) &&
           (!options->run.len ||
            surety__str_equal_nocase(options->run, entry->run)) &&
           (!stats->contract_name.len ||
            surety_str_equal(stats->contract_name, entry->contract)) &&
           stats_is_version(entry->contract_version, stats->contract_version);
}

/* Finds or adds a run's part in a group. NULL: out of memory, kept in stats. */
static surety__part *stats_part_of(surety_stats *stats, surety__stats_run *run,
                                   surety__group *group)
{
    surety__part *part = run->parts;

    while (part && part->group != group)
        part = part->next;
    if (part)
        return part;
    part = surety__arena_take(&stats->arena, sizeof(*part));
    if (!part)
        return NULL;
    part->group = group;
    part->next = run->parts;
    run->parts = part;
    return part;
}

/* Counts a call of a tool. It is no attempt, and belongs to no group, because
 * its row does not name the model that made it. */
static void stats_count_tool(surety_stats *stats, const surety_entry *entry)
{
    stats->tool_calls++;
    stats->tool_failed += entry->failure.len > 0;
}

/* Counts an entry of a run. */
static bool stats_count(surety_stats *stats, surety__stats_run *run,
                        const surety_entry *entry)
{
    surety__group *group = surety__group_of(stats, entry);
    surety__part *part = group ? stats_part_of(stats, run, group) : NULL;

    if (!part)
        return false;
    if (!stats->from_ms || entry->started_ms < stats->from_ms)
        stats->from_ms = entry->started_ms;
    if (!stats->to_ms || entry->started_ms > stats->to_ms)
        stats->to_ms = entry->started_ms;
    stats->reply++;
    surety__tally_add(&part->tally, entry);
    surety__tally_add(&run->tally, entry);
    return surety__group_call(stats, group, entry) &&
           surety__group_call(stats, &stats->total, entry) &&
           surety__issues_add(stats, &stats->errors, entry, false,
                              &run->errors) &&
           surety__issues_add(stats, &stats->repairs, entry, true,
                              &run->repairs) &&
           surety__cover_add(stats, entry);
}

static surety_status stats_result(const surety_stats *stats,
                                  surety_error *reterr)
{
    if (stats->status == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    if (stats->status && reterr)
        *reterr = stats->cause;
    return stats->status;
}

surety_status surety__stats_add(surety_stats *stats, const surety_entry *entry,
                                surety_error *reterr)
{
    surety__stats_run *run;
    surety_entry own;

    if (!stats || !entry || surety__stats_ended(stats))
        return surety__fail(reterr, SURETY_MISUSE,
                            stats && surety__stats_ended(stats)
                                ? "the statistics have ended"
                                : "statistics and an entry are needed");
    if (surety__options_take(&own, sizeof(own), entry, reterr))
        return SURETY_MISUSE;
    if (!stats->status) {
        run = stats_run_of(stats, &own);
        if (run && surety_str_equal(own.purpose, SURETY__LITERAL("tool")))
            stats_count_tool(stats, &own);
        else if (run && stats_wants(stats, &own))
            (void)stats_count(stats, run, &own);
    }
    return stats_result(stats, reterr);
}

/* ---- end ----------------------------------------------------------------- */

/* Counts a run at each of the issues that it had. */
static void stats_end_issues(const surety__had *had, bool valid)
{
    for (; had; had = had->next) {
        had->issue->info.runs++;
        had->issue->info.valid += valid;
    }
}

/* Counts the ending of a run, after all its attempts were read. */
static void stats_end_run(surety_stats *stats, const surety__stats_run *run)
{
    const bool valid = (run->tally.marks & MARK_VALID) != 0;

    if (!run->parts)
        return;
    surety__group_end(&stats->total.info, &run->tally);
    for (const surety__part *part = run->parts; part; part = part->next)
        surety__group_end(&part->group->info, &part->tally);
    stats_end_issues(run->errors, valid);
    stats_end_issues(run->repairs, valid);
}

surety_status surety__stats_end(surety_stats *stats, surety_error *reterr)
{
    if (!stats || surety__stats_ended(stats))
        return surety__fail(reterr, SURETY_MISUSE, "the statistics have ended");
    if (stats->status)
        return stats_result(stats, reterr);
    for (size_t i = 0; i < stats->runs.cap; i++)
        for (const surety__stats_run *run = stats->runs.entries[i].value; run;
             run = run->next)
            stats_end_run(stats, run);
    assert(stats->total.info.runs <= stats->run_count);
    surety__groups_end(stats);
    surety__issues_end(&stats->errors);
    surety__issues_end(&stats->repairs);
    surety__cover_end(stats);
    if (!stats->status)
        stats->info = (surety_stats_info){
            .size = sizeof(stats->info),
            .total = &stats->total.info,
            .replies = &stats->replies,
            .by = stats->by,
            .by_count = stats->options.by_count,
            .from_ms = stats->from_ms,
            .to_ms = stats->to_ms,
            .group_count = stats->groups.count,
            .error_count = stats->errors.list.count,
            .errors_left = stats->errors.left,
            .repair_count = stats->repairs.list.count,
            .repairs_left = stats->repairs.left,
            .cover_count = stats->covers.count,
            .tool_calls = stats->tool_calls,
            .tool_failed = stats->tool_failed,
        };
    return stats_result(stats, reterr);
}

static bool stats_each(void *ctx, const surety_entry *entry)
{
    return surety__stats_add(ctx, entry, NULL) == SURETY_OK;
}

surety_status surety_stats_read(surety_stats *stats,
                                const surety_ledger *ledger,
                                surety_error *reterr)
{
    surety_status status;

    if (!stats || !ledger || !ledger->each || surety__stats_ended(stats))
        return surety__fail(reterr, SURETY_MISUSE,
                            "statistics and a ledger are needed");
    status = ledger->each(ledger->ctx, stats->options.since_ms, stats_each,
                          stats, reterr);
    if (stats->status)
        return stats_result(stats, reterr);
    return status ? status : surety__stats_end(stats, reterr);
}

/* ---- creation and release ------------------------------------------------ */

/* The results of statistics before _end. */
static const surety_stats_group stats_no_group = {.keys = NULL};
static const surety_stats_replies stats_no_replies = {.valid = 0};

static surety_status stats_check(const surety_stats_options *options,
                                 surety_error *reterr)
{
    unsigned seen = 0;

    if ((options->by_count && !options->by) ||
        (options->contract_count && !options->contracts) ||
        (options->expect_count && !options->expects))
        return surety__fail(reterr, SURETY_MISUSE,
                            "an option has a count but no address");
    for (size_t i = 0; i < options->by_count; i++) {
        const unsigned by = (unsigned)options->by[i];

        if (by >= SURETY_BYS)
            return surety__fail(reterr, SURETY_MISUSE,
                                "runs cannot be info apart by %u", by);
        if (seen & 1u << by)
            return surety__fail(reterr, SURETY_MISUSE,
                                "runs are info apart by %s twice",
                                stats_bys[by]);
        seen |= 1u << by;
    }
    return SURETY_OK;
}

surety_status surety_stats_new(const surety_stats_options *options,
                               surety_stats **ret_stats, surety_error *reterr)
{
    surety_stats_options own;
    surety_status status;
    surety_stats *stats;
    size_t at;

    status = surety__options_take(&own, sizeof(own), options, reterr);
    if (!status)
        status = stats_check(&own, reterr);
    if (status)
        return status;
    stats = surety__new(own.alloc, sizeof(*stats));
    if (!stats)
        return surety__fail_nomem(reterr);
    stats->alloc = own.alloc;
    stats->options = own;
    if (own.by_count)
        memcpy(stats->by, own.by, own.by_count * sizeof(*own.by));
    stats->options.by = stats->by;
    at = surety__str_find(own.contract, SURETY__LITERAL("@"));
    stats->contract_name = (surety_str){own.contract.ptr, at};
    if (at < own.contract.len)
        stats->contract_version =
            (surety_str){own.contract.ptr + at + 1, own.contract.len - at - 1};
    surety__arena_init(&stats->arena, own.alloc, 0);
    stats->arena.status = &stats->status;
    surety_buf_init(&stats->text, own.alloc, 0);
    stats->info = (surety_stats_info){.size = sizeof(stats->info),
                                      .total = &stats_no_group,
                                      .replies = &stats_no_replies,
                                      .by = stats->by,
                                      .by_count = own.by_count};
    *ret_stats = stats;
    return SURETY_OK;
}

void surety_stats_free(surety_stats *stats)
{
    if (!stats)
        return;
    surety__groups_done(stats);
    surety__map_done(&stats->runs, stats->alloc);
    surety__keyed_done(&stats->errors.list, stats->alloc);
    surety__keyed_done(&stats->repairs.list, stats->alloc);
    surety__cover_done(stats);
    surety_buf_done(&stats->text);
    surety__arena_done(&stats->arena);
    surety__free(stats->alloc, stats, sizeof(*stats));
}

/* ---- results ------------------------------------------------------------- */

const surety_stats_info *surety_stats_info_of(const surety_stats *stats)
{
    static const surety_stats_info none = {.size = sizeof(none),
                                           .total = &stats_no_group,
                                           .replies = &stats_no_replies};

    return stats ? &stats->info : &none;
}
