/* SPDX-License-Identifier: Apache-2.0 */
/* Unique keys: finds duplicate keys when an object closes, and removes the
 * replaced members. The reader calls this only if its own table (walk_slot in
 * read.c) cannot exclude duplicates.
 *
 * 1. A small object uses a filter of its keys' hashes: keys are compared only
 *    if two have the same bit.
 * 2. A large object puts its keys into buckets by their hash, so that equal
 *    keys are near each other. Then each hash is compared with those after it,
 *    eight at a time. A bucket that is too large holds keys that are equal, or
 *    were made to collide: it is sorted by length and bytes. So the search is
 *    linear as a rule, and n log n at worst.
 * 3. Replaced members are first only marked. One pass over the whole document
 *    removes them at the end. So nested objects with many duplicates cost no
 *    more than flat ones. */
#include "json/inside.h"

enum {
    UNIQUE_SMALL = 64,   /* members that are compared without buckets */
    UNIQUE_FILTER = 8,   /* words of their filter; a power of two */
    UNIQUE_CELLS = 4096, /* members that the 16 bits in a cell tell apart */
    UNIQUE_NEAR = 8      /* keys of a bucket that is not sorted */
};

static int unique_compare(const surety_doc *doc, uint32_t a, uint32_t b)
{
    surety_str left = surety__cell_str(doc, &doc->cells[a]);
    surety_str right = surety__cell_str(doc, &doc->cells[b]);

    if (left.len != right.len)
        return left.len < right.len ? -1 : 1;
    return left.len ? memcmp(left.ptr, right.ptr, left.len) : 0;
}

static bool unique_same(const surety_doc *doc, const surety__cell *a,
                        const surety__cell *b)
{
    return a->hash == b->hash && a->len == b->len &&
           memcmp(surety__cell_str(doc, a).ptr, surety__cell_str(doc, b).ptr,
                  a->len) == 0;
}

/* Marks the earlier key as replaced. Its value cannot be reached any more, so
 * the place of that value is free to keep the place of the later key. */
static void unique_mark(surety_doc *doc, uint32_t object, uint32_t earlier,
                        uint32_t later, uint32_t *ret_later)
{
    assert(object < earlier && earlier < later);
    doc->cells[earlier].flags |= FLAG_GONE;
    doc->cells[earlier + 1].place = doc->cells[later].place;
    doc->cells[object].count--;
    doc->duplicate_count++;
    if (later < *ret_later)
        *ret_later = later;
}

static void unique_small(surety_doc *doc, uint32_t object, uint32_t *ret_later)
{
    const surety__cell *first = &doc->cells[object] + 1;
    uint32_t count = doc->cells[object].count;
    const surety__cell *key = first;
    uint64_t filter[UNIQUE_FILTER] = {0};

    for (uint32_t i = 0; i < count; i++) {
        uint64_t *word = &filter[(key->hash >> 6) % UNIQUE_FILTER];
        uint64_t bit = (uint64_t)1 << (key->hash & 63);

        if (*word & bit) {
            const surety__cell *before = first;

            while (before != key && ((before->flags & FLAG_GONE) ||
                                     !unique_same(doc, before, key)))
                before = surety__cell_after(before + 1);
            if (before != key)
                unique_mark(doc, object, (uint32_t)(before - doc->cells),
                            (uint32_t)(key - doc->cells), ret_later);
        }
        *word |= bit;
        key = surety__cell_after(key + 1);
    }
}

/* The hash of one of count keys; its highest bits are the best ones. */
static inline uint32_t unique_hash(const surety_doc *doc,
                                   const surety__cell *key, size_t count)
{
    const surety_str text = surety__cell_str(doc, key);

    return count > UNIQUE_CELLS ? surety__hash(text.ptr, text.len)
                                : (uint32_t)key->hash << 16;
}

/* The keys of a large object: their cells in the order of the text; in the
 * order of their buckets, hashes and cells. */
struct unique_keys {
    size_t count;
    uint32_t *listed;
    uint32_t *hashes; /* UNIQUE_NEAR + 8 more may be loaded */
    uint32_t *cells;
    uint32_t *ends; /* of each bucket, where it ends */
};

/* Lists the keys, and puts them into buckets, each in the order of the text. A
 * key's bucket is its hash without its lowest shift bits. */
static void unique_part(const surety_doc *doc, uint32_t object,
                        const struct unique_keys *keys, unsigned shift)
{
    const size_t buckets = (size_t)1 << (32 - shift);
    const surety__cell *key = &doc->cells[object] + 1;
    uint32_t start = 0;

    memset(keys->ends, 0, buckets * sizeof(*keys->ends));
    for (size_t i = 0; i < keys->count; i++) {
        keys->ends[unique_hash(doc, key, keys->count) >> shift]++;
        keys->listed[i] = (uint32_t)(key - doc->cells);
        key = surety__cell_after(key + 1);
    }
    for (size_t i = 0; i < buckets; i++) {
        const uint32_t size = keys->ends[i];

        keys->ends[i] = start;
        start += size;
    }
    for (size_t i = 0; i < keys->count; i++) {
        const uint32_t cell = keys->listed[i];
        const uint32_t hash = unique_hash(doc, &doc->cells[cell], keys->count);
        const uint32_t at = keys->ends[hash >> shift]++;

        keys->hashes[at] = hash;
        keys->cells[at] = cell;
    }
}

/* Searches the keys from start to before end, which are one bucket, by sorting
 * them. Makes their hashes different, so that none is found again. */
static void unique_sort(surety_doc *doc, uint32_t object,
                        const struct unique_keys *keys, size_t start,
                        size_t end, uint32_t *ret_later)
{
    surety__keys_sort(doc, keys->cells + start, keys->listed, end - start,
                      unique_compare);
    for (size_t i = start; i < end; i++) {
        keys->hashes[i] = (uint32_t)i;
        if (i + 1 < end &&
            unique_compare(doc, keys->cells[i], keys->cells[i + 1]) == 0)
            unique_mark(doc, object, keys->cells[i], keys->cells[i + 1],
                        ret_later);
    }
}

/* Returns whether one of eight hashes is that of a key near it. Compares all,
 * so that vectors can be used. */
static bool unique_near(const uint32_t *hashes)
{
    uint32_t same = 0;

    for (size_t step = 1; step < UNIQUE_NEAR; step++)
        for (size_t i = 0; i < 8; i++)
            same |= hashes[i] == hashes[i + step];
    return same;
}

/* Marks the i-th key if a later one near it is the same. */
static void unique_pair(surety_doc *doc, uint32_t object,
                        const struct unique_keys *keys, size_t i,
                        uint32_t *ret_later)
{
    const uint32_t *const hash = &keys->hashes[i], *const cell =
                                                       &keys->cells[i];

    for (size_t step = 1; step < UNIQUE_NEAR && i + step < keys->count; step++)
        if (hash[0] == hash[step] &&
            unique_same(doc, &doc->cells[cell[0]], &doc->cells[cell[step]])) {
            unique_mark(doc, object, cell[0], cell[step], ret_later);
            return;
        }
}

static surety_status unique_large(surety_doc *doc, uint32_t object,
                                  uint32_t *ret_later)
{
    const size_t count = doc->cells[object].count;
    /* Two to four keys in a bucket. */
    const unsigned shift = (unsigned)__builtin_clz((uint32_t)count) + 2;
    const size_t buckets = (size_t)1 << (32 - shift), loaded = UNIQUE_NEAR + 8;
    uint32_t *const words =
        surety__doc_scratch(doc, 3 * count + loaded + buckets);
    struct unique_keys keys;

    if (!words)
        return SURETY_NOMEM;
    keys = (struct unique_keys){.count = count,
                                .listed = words,
                                .cells = words + count,
                                .hashes = words + 2 * count,
                                .ends = words + 3 * count + loaded};
    memset(keys.hashes + count, 0, loaded * sizeof(*keys.hashes));
    unique_part(doc, object, &keys, shift);
    for (size_t i = 0, start = 0; i < buckets; start = keys.ends[i++])
        if (keys.ends[i] - start > UNIQUE_NEAR)
            unique_sort(doc, object, &keys, start, keys.ends[i], ret_later);
    for (size_t i = 0; i < count; i += 8)
        if (unique_near(keys.hashes + i))
            for (size_t k = i; k < i + 8 && k < count; k++)
                unique_pair(doc, object, &keys, k, ret_later);
    return SURETY_OK;
}

surety_status surety__keys_mark(surety_doc *doc, uint32_t object,
                                uint32_t *ret_later)
{
    assert(doc->cells[object].kind == CELL_OBJECT);
    *ret_later = PLACE_NONE;
    if (doc->cells[object].count > UNIQUE_SMALL)
        return unique_large(doc, object, ret_later);
    unique_small(doc, object, ret_later);
    return SURETY_OK;
}

void surety__keys_sort(const surety_doc *doc, uint32_t *keys, uint32_t *scratch,
                       size_t count, surety__key_order *order)
{
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t start = 0; start < count; start += 2 * width) {
            size_t middle = count - start > width ? start + width : count;
            size_t end = count - middle > width ? middle + width : count;
            size_t left = start, right = middle;

            for (size_t i = start; i < end; i++)
                scratch[i] =
                    right == end || (left < middle &&
                                     order(doc, keys[left], keys[right]) <= 0)
                        ? keys[left++]
                        : keys[right++];
        }
        memcpy(keys, scratch, count * sizeof(*keys));
    }
}

/* Adds a key to the list, in text order: a key inside another value may have
 * been listed before, while the text was read. */
static void unique_list(surety_doc *doc, size_t *count, const surety__cell *key)
{
    size_t at = *count < DOC_DUPLICATES_MAX ? *count : DOC_DUPLICATES_MAX;

    while (at && doc->duplicates[at - 1].place > key->place)
        at--;
    if (at < DOC_DUPLICATES_MAX) {
        size_t moved = *count < DOC_DUPLICATES_MAX
                           ? *count - at
                           : DOC_DUPLICATES_MAX - 1 - at;

        memmove(&doc->duplicates[at + 1], &doc->duplicates[at],
                moved * sizeof(*doc->duplicates));
        doc->duplicates[at] =
            (surety__duplicate){.place = key->place,
                                .len = key->len,
                                .off = key->off,
                                .flags = key->flags & (uint32_t)~FLAG_GONE,
                                .again = key[1].place};
    }
    ++*count;
}

/* Sets before[i] to the number of removed cells before cell i, and lists the
 * removed keys. */
static void unique_count_gone(surety_doc *doc, uint32_t *before, size_t *listed)
{
    const size_t count = doc->cell_count;
    size_t gone_end = 0; /* the cells before it are removed */

    before[0] = 0;
    for (size_t i = 0; i < count; i++) {
        const surety__cell *cell = &doc->cells[i];

        if (cell->kind == CELL_KEY && cell->flags & FLAG_GONE) {
            size_t end = (size_t)(surety__cell_after(cell + 1) - doc->cells);

            unique_list(doc, listed, cell);
            if (end > gone_end)
                gone_end = end;
        }
        before[i + 1] = before[i] + (i < gone_end);
    }
}

surety_status surety__keys_remove(surety_doc *doc, uint32_t *open,
                                  size_t *listed)
{
    const size_t count = doc->cell_count;
    const bool has_open = *open != PLACE_NONE;
    uint32_t *const before = surety__doc_scratch(doc, count + 1);

    assert(!has_open || *open < count);
    if (!before || surety__grow(doc->alloc, &doc->duplicates,
                                &doc->duplicate_cap, DOC_DUPLICATES_MAX,
                                sizeof(*doc->duplicates), DOC_DUPLICATES_MAX))
        return SURETY_NOMEM;
    unique_count_gone(doc, before, listed);
    /* The spans of open containers are their parents' indices. */
    for (uint32_t at = *open; at != PLACE_NONE;) {
        const uint32_t parent = doc->cells[at].span;

        if (parent != PLACE_NONE)
            doc->cells[at].span = parent - before[parent];
        doc->cells[at].hash = 1; /* marks it for the pass below */
        at = parent;
    }
    for (size_t i = 0; i < count; i++) {
        surety__cell cell = doc->cells[i];

        if (before[i + 1] > before[i])
            continue;
        if (cell.kind >= CELL_ARRAY && has_open && cell.hash)
            cell.hash = 0;
        else if (cell.kind >= CELL_ARRAY)
            cell.span -= before[i + cell.span] - before[i];
        doc->cells[i - before[i]] = cell;
    }
    if (has_open)
        *open -= before[*open];
    assert(before[count] <= count);
    doc->cell_count = count - before[count];
    doc->duplicate_count = *listed;
    return SURETY_OK;
}

surety_status surety__keys_compact(surety_doc *doc)
{
    uint32_t open = PLACE_NONE;
    size_t listed = 0;

    return doc->duplicate_count ? surety__keys_remove(doc, &open, &listed)
                                : SURETY_OK;
}
