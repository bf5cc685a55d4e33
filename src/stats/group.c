/* SPDX-License-Identifier: Apache-2.0 */
/* Counts runs and calls in groups.
 *
 * 1. The durations of calls are kept as a histogram: exact below 128 ms, then
 *    64 buckets for each power of two. So a reported value is off by at most
 *    1/128, and a group takes a few kilobytes for any number of calls.
 * 2. The ending of a run is derived from the marks of its attempts, in the
 *    order of the table in surety_stats_tally_ending: a value that it produced
 * counts before the reason why it has none. */
#include "provider/provider.h"
#include "stats/stats.h"

#include <assert.h>

/* ---- attempts ------------------------------------------------------------ */

/* Whether the entry's reply is valid. */
static bool group_is_valid(const surety_entry *entry)
{
    /* Without a contract, every complete reply is valid, unless it calls tools
     * (stage "tools"). */
    return entry->ok ||
           (!entry->contract.len && !entry->stage.len &&
            entry->state == SURETY_ENTRY_DONE && !entry->failure.len);
}

static bool group_is(surety_str text, const char *word)
{
    return surety_str_equal(text, surety_str_of(word));
}

void surety__tally_add(surety_stats_tally *tally, const surety_entry *entry)
{
    const bool refused = group_is(entry->failure, "refusal") ||
                         group_is(entry->failure, "filter");
    /* An empty reply leads to a retry, as a broken call does, unless it was
     * judged. So it is no try; nor is a reply that calls tools. */
    const bool tried = entry->state == SURETY_ENTRY_DONE &&
                       !group_is(entry->stage, "tools") &&
                       (entry->stage.len || !group_is(entry->failure, "empty"));
    unsigned marks = tally->marks;

    if (tried && tally->tries < UINT32_MAX)
        tally->tries++;
    if (group_is_valid(entry))
        marks |= MARK_VALID;
    else if (group_is(entry->stage, "validator"))
        marks |= MARK_VALIDATOR;
    else if (tried)
        marks |= refused ? MARK_REFUSED : MARK_REPLIED;
    if (entry->partial)
        marks |= MARK_PARTIAL;
    if (entry->fallback)
        marks |= MARK_FALLBACK;
    if (entry->state == SURETY_ENTRY_OPEN)
        marks |= MARK_OPEN;
    /* A writer that crashed left no failure. */
    if (entry->state == SURETY_ENTRY_UNKNOWN && !entry->failure.len)
        marks |= MARK_ABANDONED;
    if (entry->number >= tally->last_number) {
        tally->last_number = entry->number;
        tally->last_state = (uint8_t)entry->state;
    }
    tally->marks = (uint8_t)marks;
}

void surety_stats_tally_add(surety_stats_tally *tally,
                            const surety_entry *entry)
{
    surety_entry own;

    if (!surety__options_take(&own, sizeof(own), entry, NULL))
        surety__tally_add(tally, &own);
}

const char *surety_stats_ending_name(surety_stats_ending ending)
{
    static const char *const names[SURETY_ENDINGS] = {
        "valid",    "partial",   "fallback",  "rejected", "refused",
        "provider", "cancelled", "abandoned", "open",     "validator"};

    return (unsigned)ending < SURETY_ENDINGS ? names[ending] : "?";
}

surety_stats_ending surety_stats_tally_ending(const surety_stats_tally *tally)
{
    static const struct {
        unsigned mark;
        surety_stats_ending ending;
    } endings[] = {
        {MARK_VALID, SURETY_ENDED_VALID},
        {MARK_OPEN, SURETY_ENDED_OPEN},
        {MARK_ABANDONED, SURETY_ENDED_ABANDONED},
        {MARK_VALIDATOR, SURETY_ENDED_VALIDATOR},
        {MARK_PARTIAL, SURETY_ENDED_PARTIAL},
        {MARK_FALLBACK, SURETY_ENDED_FALLBACK},
    };

    for (size_t i = 0; i < SURETY__COUNT(endings); i++)
        if (tally->marks & endings[i].mark)
            return endings[i].ending;
    if (tally->last_state == SURETY_ENTRY_CANCELLED)
        return SURETY_ENDED_CANCELLED;
    return tally->marks & MARK_REPLIED   ? SURETY_ENDED_REJECTED
           : tally->marks & MARK_REFUSED ? SURETY_ENDED_REFUSED
                                         : SURETY_ENDED_PROVIDER;
}

void surety__group_end(surety_stats_group *group,
                       const surety_stats_tally *tally)
{
    const surety_stats_ending ending = surety_stats_tally_ending(tally);

    assert(ending < SURETY_ENDINGS);
    group->runs++;
    group->ended[ending]++;
    if (ending != SURETY_ENDED_VALID)
        return;
    if (tally->tries < 2)
        group->first++;
    else
        group->again[tally->tries < 4 ? tally->tries - 2 : 2]++;
}

/* ---- durations ----------------------------------------------------------- */

/* The bucket of a value: by its power of two, then by its step in that.
 * Allocates the steps of a power on first use. NULL: out of memory. */
static uint32_t *spread_bucket(surety__spread *spread, uint64_t value,
                               const surety_alloc *alloc)
{
    const uint64_t max = ((uint64_t)1 << (SURETY__SPREAD_POWERS + 7)) - 1;
    size_t power = 0;
    uint32_t **buckets;

    if (value < SURETY__SPREAD_EXACT) {
        if (!spread->exact)
            spread->exact = surety__new(alloc, SURETY__SPREAD_EXACT *
                                                   sizeof(*spread->exact));
        return spread->exact ? &spread->exact[value] : NULL;
    }
    if (value > max)
        value = max;
    while (value >> power >= SURETY__SPREAD_EXACT)
        power++;
    buckets = &spread->powers[power - 1];
    if (!*buckets)
        *buckets = surety__new(alloc, SURETY__SPREAD_STEPS * sizeof(**buckets));
    return *buckets ? &(*buckets)[(value >> power) - SURETY__SPREAD_STEPS]
                    : NULL;
}

static bool spread_add(surety__spread *spread, uint64_t value,
                       const surety_alloc *alloc)
{
    uint32_t *bucket = spread_bucket(spread, value, alloc);

    if (!bucket)
        return false;
    if (*bucket < UINT32_MAX)
        ++*bucket;
    spread->count++;
    if (value > spread->max)
        spread->max = value;
    return true;
}

/* The value of a rank, from 1: the middle of its bucket. */
static uint64_t spread_rank(const surety__spread *spread, uint64_t rank)
{
    uint64_t seen = 0;

    assert(rank > 0 && rank <= spread->count);
    for (uint64_t i = 0; spread->exact && i < SURETY__SPREAD_EXACT; i++) {
        seen += spread->exact[i];
        if (seen >= rank)
            return i;
    }
    for (uint64_t power = 1; power <= SURETY__SPREAD_POWERS; power++) {
        const uint32_t *buckets = spread->powers[power - 1];

        for (uint64_t i = 0; buckets && i < SURETY__SPREAD_STEPS; i++) {
            const uint64_t middle = ((i + SURETY__SPREAD_STEPS) << power) +
                                    ((uint64_t)1 << (power - 1));

            seen += buckets[i];
            if (seen >= rank)
                return middle < spread->max ? middle : spread->max;
        }
    }
    return spread->max;
}

static void group_settle(surety__group *group)
{
    const surety__spread *spread = &group->spread;
    const uint64_t count = spread->count;

    group->info.value_cost_known =
        group->info.ended[SURETY_ENDED_VALID] &&
        (!group->info.cost_unknown || group->info.cost_picousd);
    if (group->info.value_cost_known)
        group->info.value_cost_picousd =
            group->info.cost_picousd / group->info.ended[SURETY_ENDED_VALID];
    group->info.answered = count;
    if (!count)
        return;
    group->info.median_ms = spread_rank(spread, (count + 1) / 2);
    group->info.p95_ms = spread_rank(spread, count - count / 20);
    group->info.max_ms = spread->max;
    assert(group->info.median_ms <= group->info.p95_ms &&
           group->info.p95_ms <= spread->max);
}

/* ---- calls --------------------------------------------------------------- */

static void group_add(uint64_t *sum, uint64_t more)
{
    *sum = surety__sum(*sum, more);
}

static void group_spend(surety_stats_group *info, const surety_entry *entry)
{
    /* A failed call is not charged, and an open one has no figures yet. */
    const bool spends = entry->state != SURETY_ENTRY_FAILED &&
                        entry->state != SURETY_ENTRY_OPEN;

    if (entry->usage_known) {
        group_add(&info->input_tokens, entry->input_tokens);
        group_add(&info->cached_input_tokens, entry->cached_input_tokens);
        group_add(&info->output_tokens, entry->output_tokens);
        group_add(&info->reasoning_tokens, entry->reasoning_tokens);
        info->tokens_unknown += entry->estimated;
    } else {
        info->tokens_unknown += spends;
    }
    if (entry->cost_known)
        group_add(&info->cost_picousd, entry->cost_picousd);
    info->cost_unknown += entry->cost_known ? entry->estimated : spends;
}

/* The duration of a call in ms; 0 if it ended before it began. It is subtracted
 * unsigned: any non-negative difference of two int64_t fits. */
static uint64_t group_took(const surety_entry *entry)
{
    if (entry->ended_ms <= entry->started_ms)
        return 0;
    return (uint64_t)entry->ended_ms - (uint64_t)entry->started_ms;
}

bool surety__group_call(surety_stats *stats, surety__group *group,
                        const surety_entry *entry)
{
    surety_stats_group *info = &group->info;

    info->calls++;
    if (group_is(entry->purpose, "retry"))
        info->retries++;
    else if (entry->purpose.len && !group_is(entry->purpose, "ask") &&
             !group_is(entry->purpose, "step"))
        info->reasks++;
    info->failed += entry->state == SURETY_ENTRY_FAILED ||
                    entry->state == SURETY_ENTRY_UNKNOWN;
    group_spend(info, entry);
    if (entry->stopped.len) {
        info->stopped++;
        if (entry->saved_known)
            group_add(&info->saved_tokens, entry->saved_tokens);
        else
            info->saved_unknown++;
    }
    if (entry->state == SURETY_ENTRY_DONE && entry->ended_ms &&
        !spread_add(&group->spread, group_took(entry), stats->alloc))
        return surety__stats_nomem(stats);
    return true;
}

/* ---- groups -------------------------------------------------------------- */

/* A text of an entry that groups differ by, cut to the limit. */
static surety_str group_key(surety_stats *stats, const surety_entry *entry,
                            surety_stats_by by)
{
    switch (by) {
    case SURETY_BY_MODEL: return surety__stats_cut(stats, entry->model);
    case SURETY_BY_PROVIDER: return surety__stats_cut(stats, entry->provider);
    case SURETY_BY_CONTRACT: return surety__stats_cut(stats, entry->contract);
    case SURETY_BY_VERSION:
        return surety__stats_cut(stats, entry->contract_version);
    case SURETY_BY_MODE: return surety__stats_cut(stats, entry->mode);
    case SURETY_BY_KEY: return surety__stats_cut(stats, entry->key);
    case SURETY_BY_TAG: return surety__stats_cut(stats, entry->tag);
    case SURETY_BY_DAY:
    case SURETY_BY_MONTH: break;
    }
    surety_buf_reset(&stats->text);
    surety__moment_write(entry->started_ms,
                         by == SURETY_BY_DAY ? MOMENT_DAY : MOMENT_MONTH,
                         &stats->text);
    if (stats->text.status)
        (void)surety__stats_nomem(stats);
    return surety_buf_str(&stats->text);
}

static surety__group *group_new(surety_stats *stats, surety_str key)
{
    const size_t count = stats->options.by_count;
    surety_str *keys =
        surety__arena_take(&stats->arena, (count + 1) * sizeof(*keys));
    surety__group *group;
    surety_str rest;

    if (stats->groups.count == SURETY_STATS_GROUPS_MAX) {
        (void)surety__stats_fail(
            stats, surety__fail(&stats->cause, SURETY_LIMIT,
                                "there are more than %d groups of runs",
                                SURETY_STATS_GROUPS_MAX));
        surety__hint(&stats->cause, "group runs by less");
        return NULL;
    }
    group = surety__keyed_add(stats, &stats->groups, key, sizeof(*group));
    if (!group || !keys)
        return NULL;
    rest = group->head.key;
    for (size_t i = 0; i < count; i++)
        keys[i] = surety__key_take(&rest);
    group->info.keys = keys;
    return group;
}

surety__group *surety__group_of(surety_stats *stats, const surety_entry *entry)
{
    surety__group *group = NULL;
    surety_buf key;

    surety_buf_init(&key, stats->alloc, 0);
    for (size_t i = 0; i < stats->options.by_count; i++)
        surety__key_put(&key, group_key(stats, entry, stats->by[i]));
    if (key.status)
        (void)surety__stats_nomem(stats);
    if (!stats->status)
        group = surety__keyed_find(&stats->groups, surety_buf_str(&key));
    if (!stats->status && !group)
        group = group_new(stats, surety_buf_str(&key));
    surety_buf_done(&key);
    return group;
}

static int group_compare(const void *a, const void *b)
{
    const surety__group *left = *(void *const *)a;
    const surety__group *right = *(void *const *)b;
    int order = 0;

    /* The key after the last has a NULL ptr. */
    for (size_t i = 0; !order && left->info.keys[i].ptr; i++)
        order = surety__str_compare(left->info.keys[i], right->info.keys[i]);
    return order;
}

void surety__groups_end(surety_stats *stats)
{
    for (size_t i = 0; i < stats->groups.count; i++)
        group_settle(stats->groups.items[i]);
    group_settle(&stats->total);
    surety__keyed_sort(&stats->groups, group_compare);
}

static void spread_done(surety__spread *spread, const surety_alloc *alloc)
{
    surety__free(alloc, spread->exact,
                 SURETY__SPREAD_EXACT * sizeof(*spread->exact));
    for (size_t i = 0; i < SURETY__SPREAD_POWERS; i++)
        surety__free(alloc, spread->powers[i],
                     SURETY__SPREAD_STEPS * sizeof(*spread->powers[i]));
}

void surety__groups_done(surety_stats *stats)
{
    for (size_t i = 0; i < stats->groups.count; i++) {
        surety__group *group = stats->groups.items[i];

        spread_done(&group->spread, stats->alloc);
    }
    spread_done(&stats->total.spread, stats->alloc);
    surety__keyed_done(&stats->groups, stats->alloc);
}

/* ---- results ------------------------------------------------------------- */

surety_stats_group surety_stats_group_at(const surety_stats *stats, size_t i)
{
    const surety__group *group;

    if (!stats || i >= stats->info.group_count)
        return (surety_stats_group){.keys = NULL};
    group = stats->groups.items[i];
    return group->info;
}
