/* SPDX-License-Identifier: Apache-2.0 */
/* patternProperties by a few bytes that must occur in a name, so that of
 * thousands of patterns only those are matched that may match it.
 *
 * 1. A gram is GRAM_MAX bytes of the text that is in whatever a pattern matches
 *    (surety__pattern_within), or that text where it is shorter. A pattern is
 * at the one of its grams that fewest patterns have; one without such a text is
 *    always a candidate.
 * 2. The candidates of a name are the patterns at the grams that occur in it.
 *    A list of them is in the order of the schema.
 * 3. There is no index where it would leave too many patterns to a name. */
#include "schema/compile.h"

enum {
    INDEX_FEW = 8,  /* patterns that are rather matched one by one */
    START_MAX = 63, /* bytes of a text that matches begin with */
    GRAM_MAX = 4
};

/* Different grams have different keys, none of which is 0. */
static uint64_t gram_key(const char *ptr, size_t len)
{
    uint32_t bytes = 0;

    assert(len && len <= GRAM_MAX);
    memcpy(&bytes, ptr, len);
    return (bytes | (uint64_t)len << 32) * 0x9E3779B97F4A7C15u;
}

/* Pairs of a key that a pattern may be at and its number, of all patterns.
 * Returns how many; pairs NULL: they are only counted. */
static size_t keys_list(const surety__objects *objects, surety__pair *pairs,
                        surety__pattern_index *index)
{
    size_t count = 0;

    for (uint32_t p = 0; p < objects->pattern_count; p++) {
        bool starts;
        surety_str text =
            surety__pattern_within(objects->patterns[p].pattern, &starts);
        const size_t most = starts ? START_MAX : GRAM_MAX;
        const size_t len = text.len < most ? text.len : most;

        if (starts && len)
            index->start_lengths |= (uint64_t)1 << len;
        else if (len)
            index->gram_lengths |= 1u << len;
        for (; len && text.len >= len; count++) {
            const uint64_t key =
                starts ? surety__hashed_name((surety_str){text.ptr, len})
                       : gram_key(text.ptr, len);

            if (pairs)
                pairs[count] = (surety__pair){key, p};
            surety__str_skip(&text, starts ? text.len : 1);
        }
    }
    return count;
}

/* Moves each pattern to the key that fewest have; pairs are all, sorted. A
 * chosen pair is a key, 0 where there is none, and a pattern's number. */
static void keys_choose(const surety__pair *pairs, size_t count,
                        surety__pair *chosen, uint32_t *sharers)
{
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && pairs[to].key == pairs[from].key;)
            to++;
        for (size_t i = from; i < to; i++) {
            const uint64_t p = pairs[i].value;

            if (chosen[p].key && sharers[p] <= to - from)
                continue;
            chosen[p].key = pairs[i].key;
            sharers[p] = (uint32_t)(to - from);
        }
    }
}

/* Fills the index with the chosen pairs, sorted; those without a key are a list
 * at the key 0. */
static void index_fill(const surety__pair *chosen, uint32_t count,
                       surety__pattern_index *index)
{
    uint32_t longest = 0;

    for (uint32_t from = 0, to; from < count; from = to) {
        const uint64_t key = chosen[from].key;

        for (to = from; to < count && chosen[to].key == key; to++)
            index->lists[to] = (uint32_t)chosen[to].value;
        *surety__hashed_at(&index->keys, key) =
            (surety__pair){key, from | (uint64_t)to << 32};
        if (!key)
            index->longest = to;
        else if (to - from > longest)
            longest = to - from;
    }
    index->longest += longest;
}

bool surety__patterns_index(surety__compiler *compiler,
                            surety__objects *objects)
{
    const uint32_t count = objects->pattern_count;
    surety__arena *work = &compiler->resolver.work;
    surety__pattern_index index = {.longest = 0};
    surety__pair *pairs, *chosen;
    uint32_t *sharers;
    size_t pair_count;

    if (count <= INDEX_FEW)
        return true;
    pair_count = keys_list(objects, NULL, &index);
    pairs = surety__arena_take(work, (pair_count + 1) * sizeof(*pairs));
    chosen = surety__arena_take(work, count * sizeof(*chosen));
    sharers = surety__arena_take(work, count * sizeof(*sharers));
    if (!pairs || !chosen || !sharers)
        return surety__resolver_starve(&compiler->resolver);
    keys_list(objects, pairs, &index);
    surety__pairs_sort(pairs, pair_count);
    for (uint32_t p = 0; p < count; p++)
        chosen[p] = (surety__pair){0, p};
    keys_choose(pairs, pair_count, chosen, sharers);
    surety__pairs_sort(chosen, count);
    index.lists = surety__compiler_take(compiler, count * sizeof(uint32_t));
    if (!index.lists || !surety__hashed_open(compiler, &index.keys, count))
        return false;
    index_fill(chosen, count, &index);
    if (index.longest > count / 2)
        return true;
    objects->index = surety__compiler_keep(compiler, &index, sizeof(index));
    return objects->index != NULL;
}

/* The first number at the key that is at least `from`, if it is below `best`;
 * else best. */
static uint32_t key_next(const surety__pattern_index *index, uint64_t key,
                         uint32_t from, uint32_t best)
{
    const uint64_t list = surety__hashed_at(&index->keys, key)->value;
    const uint32_t end = (uint32_t)(list >> 32);
    uint32_t low = (uint32_t)list;
    uint32_t high = end;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (index->lists[middle] < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && index->lists[low] < best ? index->lists[low] : best;
}

uint32_t surety__index_next(const surety__objects *objects, surety_str name,
                            uint32_t from)
{
    const surety__pattern_index *index = objects->index;
    uint32_t best = objects->pattern_count;

    if (from == best)
        return from;
    best = key_next(index, 0, from, best);
    for (uint64_t left = index->start_lengths; left; left &= left - 1) {
        const size_t len = (size_t)__builtin_ctzll(left);

        if (len <= name.len)
            best = key_next(index,
                            surety__hashed_name((surety_str){name.ptr, len}),
                            from, best);
    }
    for (size_t at = 0; index->gram_lengths && at < name.len; at++)
        for (size_t len = 1; len <= GRAM_MAX && at + len <= name.len; len++)
            if (index->gram_lengths >> len & 1)
                best =
                    key_next(index, gram_key(name.ptr + at, len), from, best);
    return best;
}
