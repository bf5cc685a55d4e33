/* SPDX-License-Identifier: Apache-2.0 */
/* Counts runs and calls in groups.
 *
 * 1. The durations of calls are kept as a histogram: exact below 128 ms, then
 *    64 buckets for each power of two. So a reported value is off by at most
 *    1/128, and a group takes a few kilobytes for any number of calls.
 * 2. The ending of a run is derived from the marks of its attempts, in the
 *    order of the table in group_ending: a value that it produced counts before
 *    the reason why it has none. */
#include "provider/provider.h"
#include "stats/stats.h"

#include <assert.h>

/* ---- attempts ------------------------------------------------------------ */

/* Whether the entry's reply is valid. */
static bool group_is_valid(const surety_entry *entry)
{
    /* Without a contract, every complete reply is valid. */
    return entry->ok ||
           (!entry->contract.len && !entry->stage.len &&
            entry->state == SURETY_ENTRY_DONE && !entry->failure.len);
}

static bool group_is(surety_str text, const char *word)
{
    return surety_str_equal(text, surety_str_of(word));
}

void surety__tally_add(surety__tally *tally, const surety_entry *entry)
{
    const bool refused = group_is(entry->failure, "refusal") ||
                         group_is(entry->failure, "filter");
    /* An empty reply leads to a retry, as a broken call does, unless it was
     * judged. So it is no try. */
    const bool tried = entry->state == SURETY_ENTRY_DONE &&
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

static surety_stats_ending group_ending(const surety__tally *tally)
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

    for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
        if (tally->marks & endings[i].mark)
            return endings[i].ending;
    if (tally->last_state == SURETY_ENTRY_CANCELLED)
        return SURETY_ENDED_CANCELLED;
    return tally->marks & MARK_REPLIED   ? SURETY_ENDED_REJECTED
           : tally->marks & MARK_REFUSED ? SURETY_ENDED_REFUSED
                                         : SURETY_ENDED_PROVIDER;
}

void surety__group_end(surety_stats_group *group, const surety__tally *tally)
{
    const surety_stats_ending ending = group_ending(tally);

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

void surety__group_settle(surety__group *group)
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
    } else {
        info->tokens_unknown += spends;
    }
    if (entry->cost_known)
        group_add(&info->cost_picousd, entry->cost_picousd);
    else
        info->cost_unknown += spends;
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
    else if (entry->purpose.len && !group_is(entry->purpose, "ask"))
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

/* Appends the key of an entry, cut to the limit. */
static void group_put_key(surety_stats *stats, const surety_entry *entry,
                          surety_stats_by by, surety_buf *out)
{
    const size_t start = out->len;
    surety_str text = {"", 0};

    switch (by) {
    case SURETY_BY_MODEL: text = entry->model; break;
    case SURETY_BY_PROVIDER: text = entry->provider; break;
    case SURETY_BY_CONTRACT: text = entry->contract; break;
    case SURETY_BY_VERSION: text = entry->contract_version; break;
    case SURETY_BY_MODE: text = entry->mode; break;
    case SURETY_BY_DAY:
    case SURETY_BY_MONTH: break;
    }
    surety_buf_append(out, "\0\0", 2);
    if (by == SURETY_BY_DAY || by == SURETY_BY_MONTH)
        surety__moment_write(entry->started_ms,
                             by == SURETY_BY_DAY ? MOMENT_DAY : MOMENT_MONTH,
                             out);
    else
        surety_buf_add(out, surety__stats_cut(stats, text));
    if (out->status)
        return;
    /* The length comes first, so that different lists of keys differ when
     * joined. */
    out->ptr[start] = (char)((out->len - start - 2) >> 8);
    out->ptr[start + 1] = (char)((out->len - start - 2) & 0xFF);
}

/* Splits the joined keys of a group. */
static bool group_part_keys(surety_stats *stats, surety__group *group)
{
    const size_t count = stats->options.by_count;
    const char *ptr = group->joined.ptr;
    surety_str *keys =
        surety__arena_take(&stats->arena, (count + 1) * sizeof(*keys));

    if (!keys)
        return surety__stats_nomem(stats);
    for (size_t i = 0; i < count; i++) {
        keys[i].len =
            (size_t)(unsigned char)ptr[0] << 8 | (unsigned char)ptr[1];
        keys[i].ptr = ptr + 2;
        ptr += 2 + keys[i].len;
    }
    group->info.keys = keys;
    return true;
}

static surety__group *group_new(surety_stats *stats, surety_str joined,
                                uint64_t hash)
{
    surety__group *group = surety__arena_take(&stats->arena, sizeof(*group));
    surety_status status;

    if (!group) {
        (void)surety__stats_nomem(stats);
        return NULL;
    }
    if (stats->group_count == SURETY_STATS_GROUPS_MAX) {
        (void)surety__stats_fail(
            stats, surety__fail(&stats->cause, SURETY_LIMIT,
                                "there are more than %d groups of runs",
                                SURETY_STATS_GROUPS_MAX));
        surety__hint(&stats->cause, "group runs by less");
        return NULL;
    }
    group->joined = surety__stats_keep(stats, joined);
    if (!group->joined.ptr || !group_part_keys(stats, group))
        return NULL;
    status = surety__grow(stats->alloc, &stats->groups, &stats->group_cap,
                          stats->group_count + 1, sizeof(surety__group *),
                          SURETY_STATS_GROUPS_MAX);
    group->next = surety__map_get(&stats->group_map, hash);
    if (status ||
        !surety__map_put(&stats->group_map, stats->alloc, hash, group)) {
        (void)surety__stats_nomem(stats);
        return NULL;
    }
    stats->groups[stats->group_count++] = group;
    return group;
}

surety__group *surety__group_of(surety_stats *stats, const surety_entry *entry)
{
    surety__group *group = NULL;
    surety_str joined;
    surety_buf key;
    uint64_t hash;

    surety_buf_init(&key, stats->alloc, 0);
    for (size_t i = 0; i < stats->options.by_count; i++)
        group_put_key(stats, entry, stats->by[i], &key);
    joined = surety_buf_str(&key);
    if (key.status) {
        (void)surety__stats_nomem(stats);
    } else if (!stats->status) {
        hash = surety__hash(joined.len ? joined.ptr : "", joined.len);
        group = surety__map_get(&stats->group_map, hash);
        while (group && !surety_str_equal(group->joined, joined))
            group = group->next;
        if (!group)
            group = group_new(stats, joined, hash);
    }
    surety_buf_done(&key);
    return group;
}

int surety__group_compare(const void *a, const void *b)
{
    const surety__group *left = *(surety__group *const *)a;
    const surety__group *right = *(surety__group *const *)b;
    int order = 0;

    /* The key after the last has a NULL ptr. */
    for (size_t i = 0; !order && left->info.keys[i].ptr; i++)
        order = surety__str_compare(left->info.keys[i], right->info.keys[i]);
    return order;
}

/* ---- results ------------------------------------------------------------- */

surety_stats_group surety_stats_group_at(const surety_stats *stats, size_t i)
{
    if (!stats || i >= stats->info.group_count)
        return (surety_stats_group){.keys = NULL};
    return stats->groups[i]->info;
}
