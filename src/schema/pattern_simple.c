/* SPDX-License-Identifier: Apache-2.0 */
/* The patterns most schemas have, matched without PCRE2: "^x-", "abc",
 * "^[a-z0-9_-]+$", "^[A-Z]{2}-\\d{4}$".
 *
 * The one idea: a sequence of sets, each repeated, needs no backtracking where
 * no repetition could give a character back to what follows. Taking all one
 * can is then the only way to match:
 * 1. an item that may repeat a varying number of times shares no byte with
 *    any item that may come next, up to the first that must match once;
 * 2. the sequence begins at the start of the text, so there is one place to
 *    try; only a plain text is looked for anywhere. */
#include "schema/pattern_inside.h"

static bool simple_overlap(const surety__byte_set *a, const surety__byte_set *b)
{
    for (size_t i = 0; i < 8; i++)
        if (a->bits[i] & b->bits[i])
            return true;
    return false;
}

/* Invariant 1. */
static bool simple_is_greedy(const surety__pattern_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (items[i].min == items[i].max)
            continue;
        for (size_t k = i + 1; k < count; k++) {
            if (simple_overlap(&items[i].set, &items[k].set))
                return false;
            if (items[k].min)
                break;
        }
    }
    return true;
}

/* The one byte of an item that is exactly that; -1 for any other. */
static int simple_byte(const surety__pattern_item *item)
{
    int found = -1;

    if (item->min != 1 || item->max != 1 || item->wide)
        return -1;
    for (unsigned i = 0; i < 8; i++) {
        uint32_t bits = item->set.bits[i];

        if (!bits)
            continue;
        if (found >= 0 || (bits & (bits - 1)))
            return -1;
        found = (int)(i * 32);
        while (!(bits & 1)) {
            bits >>= 1;
            found++;
        }
    }
    return found;
}

surety__pattern_simple
surety__pattern_simplify(const surety__pattern_item *items, size_t item_count,
                         bool starts, bool ends, char *bytes)
{
    surety__pattern_simple simple = {.starts = starts, .ends = ends};
    size_t len = 0;

    while (len < item_count && simple_byte(&items[len]) >= 0) {
        bytes[len] = (char)(unsigned char)simple_byte(&items[len]);
        len++;
    }
    if (!item_count && !(starts && ends)) {
        simple.form = PATTERN_ALWAYS;
    } else if (len == item_count) {
        simple.form = PATTERN_LITERAL;
        simple.literal = (surety_str){bytes, len};
    } else if (starts && simple_is_greedy(items, item_count)) {
        simple.form = PATTERN_SEQUENCE;
        simple.items = items;
        simple.item_count = item_count;
    }
    return simple;
}

/* The length of the character at ptr (< end) that item takes; 0: none. */
static size_t simple_take(const surety__pattern_item *item, const char *ptr,
                          const char *end)
{
    unsigned byte = (unsigned char)*ptr;
    unsigned len = 1;
    uint32_t code;

    if (!surety__byte_in(&item->set, byte))
        return 0;
    if (byte < 0x80 || !item->wide)
        return 1;
    code = surety__utf8_decode(ptr, end, &len);
    return item->line && (code == 0x2028 || code == 0x2029) ? 0 : len;
}

static bool simple_sequence(const surety__pattern_simple *simple,
                            surety_str text)
{
    const char *at = text.ptr;
    const char *end = at + text.len;

    for (size_t i = 0; i < simple->item_count; i++) {
        const surety__pattern_item *item = &simple->items[i];
        uint32_t count = 0;

        while (at != end && count < item->max) {
            size_t len = simple_take(item, at, end);

            if (!len)
                break;
            at += len;
            /* Without a bound the count stops at the last number below it. */
            count += count < UINT32_MAX - 1 ? 1 : 0;
        }
        if (count < item->min)
            return false;
    }
    return !simple->ends || at == end;
}

bool surety__pattern_simple_match(const surety__pattern_simple *simple,
                                  surety_str text)
{
    surety_str literal = simple->literal;

    if (!text.len)
        text = SURETY__LITERAL("");
    switch (simple->form) {
    case PATTERN_ALWAYS: return true;
    case PATTERN_SEQUENCE: return simple_sequence(simple, text);
    case PATTERN_LITERAL:
        if (text.len < literal.len)
            return false;
        if (simple->starts && simple->ends)
            return surety_str_equal(text, literal);
        if (simple->starts)
            return surety__str_starts(text, literal);
        if (simple->ends)
            return !memcmp(text.ptr + text.len - literal.len, literal.ptr,
                           literal.len);
        return surety__str_find(text, literal) < text.len;
    case PATTERN_PROGRAM: break;
    }
    assert(false);
    return false;
}
