/* SPDX-License-Identifier: Apache-2.0 */
/* The index of a text with plain 64-bit words, eight bytes each: for every
 * processor. A class of bytes is found as the top bits of the bytes that
 * belong to it, and a multiplication gathers the eight. */
#include "json/index.h"

#define PORTABLE_ONES 0x0101010101010101u
#define PORTABLE_TOPS 0x8080808080808080u

/* The top bits of the bytes of word that are below limit (at most 0x80). */
INDEX_INLINE uint64_t portable_below(uint64_t word, unsigned limit)
{
    return ~(((word & ~PORTABLE_TOPS) + PORTABLE_ONES * (0x80 - limit)) |
             word) &
           PORTABLE_TOPS;
}

INDEX_INLINE uint64_t portable_equal(uint64_t word, char byte)
{
    return portable_below(word ^ PORTABLE_ONES * (unsigned char)byte, 1);
}

/* Eight top bits into eight bits, the first byte's lowest. */
INDEX_INLINE uint64_t portable_gather(uint64_t tops)
{
    return (tops >> 7) * 0x0102040810204080u >> 56;
}

INDEX_INLINE struct index_masks portable_masks(const char *ptr)
{
    struct index_masks masks = {0};

    for (unsigned i = 0; i < TOKENS_BLOCK; i += 8) {
        const uint64_t word = surety__token_load(ptr + i);
        const uint64_t low = word | PORTABLE_ONES * 0x20; /* [ and { alike */
        const uint64_t control = portable_below(word, 0x20);
        /* Without a branch: white space is hard to foresee. */
        const uint64_t space =
            portable_equal(word, ' ') | portable_equal(word, '\n') |
            portable_equal(word, '\r') | portable_equal(word, '\t');

        masks.quote |= portable_gather(portable_equal(word, '"')) << i;
        masks.backslash |= portable_gather(portable_equal(word, '\\')) << i;
        masks.control |= portable_gather(control) << i;
        masks.sign |= portable_gather(
                          portable_equal(low, '{') | portable_equal(low, '}') |
                          portable_equal(low, ':') | portable_equal(low, ','))
                      << i;
        masks.space |= portable_gather(space) << i;
        masks.high |= portable_gather(word & PORTABLE_TOPS) << i;
    }
    return masks;
}

/* Checks the sequences of UTF-8 that begin in a block; *done is how far the
 * text was checked before, for a sequence may reach into the next block. */
static bool portable_utf8(const struct surety__scan *scan, size_t offset,
                          uint64_t high, size_t *done)
{
    const char *end = scan->text + scan->len;

    if (*done > offset) /* by at most three */
        high &= UINT64_MAX << (*done - offset);
    while (high) {
        const size_t at = offset + (size_t)__builtin_ctzll(high);
        const unsigned len = scan_sequence(scan->text + at, end);

        if (!len)
            return false;
        *done = at + len;
        if (*done - offset >= TOKENS_BLOCK)
            break;
        high &= UINT64_MAX << (*done - offset);
    }
    return true;
}

/* How far the sequence reaches that began before at and was checked then. */
static size_t portable_reach(const struct surety__scan *scan, size_t at)
{
    for (size_t back = 1; back <= 3 && back <= at; back++) {
        unsigned char byte = (unsigned char)scan->text[at - back];

        if (byte >= 0xC0)
            return at - back + (byte < 0xE0 ? 2u : byte < 0xF0 ? 3u : 4u);
        if (byte < 0x80)
            break;
    }
    return at;
}

uint32_t *surety__kernel_portable(struct surety__scan *scan, uint32_t *out)
{
    size_t left = scan->len - scan->next;
    size_t end = scan->next + (left < TOKENS_WINDOW ? left : TOKENS_WINDOW);
    struct index_state state = index_begin(scan);
    size_t at = scan->next, done = portable_reach(scan, at);

    for (size_t word = 0; at < end; at += TOKENS_BLOCK, word++) {
        const char *ptr = scan->text + at;
        struct index_masks masks;
        char block[TOKENS_BLOCK];
        uint64_t quotes, tokens;

        if (end - at < TOKENS_BLOCK) {
            index_tail(scan, at, block);
            ptr = block;
        }
        masks = portable_masks(ptr);
        if (masks.high && !portable_utf8(scan, at, masks.high, &done))
            state.broken = 1;
        scan->backslashes[word] = masks.backslash;
        scan->high[word] = masks.high;
        quotes = masks.quote & ~index_escaped(&state, masks.backslash);
        tokens = index_tokens(&state, &masks, quotes, index_parity(quotes));
        out = index_write(out, tokens, index_count(tokens), (uint32_t)at);
    }
    index_end(scan, &state, end);
    return out;
}
