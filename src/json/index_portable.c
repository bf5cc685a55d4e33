/* SPDX-License-Identifier: Apache-2.0 */
/* The portable kernel, for every processor: 64-bit words of eight bytes. A
 * class of bytes is a word with the top bits of its bytes set, and a
 * multiplication collects the eight bits. */
#include "json/index.h"

#define PORTABLE_ONES 0x0101010101010101u
#define PORTABLE_TOPS 0x8080808080808080u

#define KERNEL(name) portable_##name
#define KERNEL_TARGET
#define portable_surety__kernel surety__kernel_portable

typedef const char *portable_block; /* where its bytes are */
typedef size_t portable_carry; /* the offset up to which UTF-8 is checked */

/* Eight bytes, and the same without their top bits: sums of the latter never
 * carry from byte to byte. */
struct portable_word {
    uint64_t all, low;
};

/* Returns a word whose top bits are clear for the bytes that equal byte, and
 * set for all other ASCII. So the AND of several such words finds the bytes
 * that equal any of theirs. */
INDEX_INLINE uint64_t portable_differ(struct portable_word word, char byte)
{
    return (word.low ^ PORTABLE_ONES * (unsigned char)byte) +
           PORTABLE_ONES * 0x7F;
}

/* Returns the top bits of the bytes whose sum has a clear top bit, except bytes
 * above 0x7F. */
INDEX_INLINE uint64_t portable_tops(struct portable_word word, uint64_t sum)
{
    return ~(sum | word.all) & PORTABLE_TOPS;
}

/* Collects eight top bits into eight bits; the first byte has the lowest. */
INDEX_INLINE uint64_t portable_gather(uint64_t tops)
{
    return (tops >> 7) * 0x0102040810204080u >> 56;
}

INDEX_INLINE struct index_masks portable_masks(const portable_block *block)
{
    struct index_masks masks = {0};

    for (unsigned i = 0; i < TOKENS_BLOCK; i += 8) {
        const uint64_t all = surety__load_eight(*block + i);
        const struct portable_word word = {all, all & ~PORTABLE_TOPS};
        /* { and [ as one */
        const struct portable_word sign = {all,
                                           word.low | PORTABLE_ONES * 0x20};
        const uint64_t backslash =
            portable_tops(word, portable_differ(word, '\\'));

        masks.quote |=
            portable_gather(portable_tops(word, portable_differ(word, '"')))
            << i;
        masks.control |= portable_gather(portable_tops(
                             word, word.low + PORTABLE_ONES * (0x80 - 0x20)))
                         << i;
        masks.sign |=
            portable_gather(portable_tops(sign, portable_differ(sign, '{') &
                                                    portable_differ(sign, '}') &
                                                    portable_differ(sign, ':') &
                                                    portable_differ(sign, ',')))
            << i;
        /* Without a branch: white space is hard to predict. */
        masks.space |=
            portable_gather(portable_tops(
                word, portable_differ(word, ' ') & portable_differ(word, '\n') &
                          portable_differ(word, '\r') &
                          portable_differ(word, '\t')))
            << i;
        if (backslash) /* backslashes are rare */
            masks.backslash |= portable_gather(backslash) << i;
        if (all & PORTABLE_TOPS)
            masks.high |= portable_gather(all & PORTABLE_TOPS) << i;
    }
    return masks;
}

/* Checks the UTF-8 sequences that begin in a block. *done: the offset up to
 * which the text is checked; a sequence may reach into the next block. */
INDEX_INLINE uint64_t portable_utf8(const struct surety__scan *scan,
                                    const portable_block *block, uint64_t high,
                                    size_t offset, size_t *done)
{
    const char *end = scan->text + scan->len;

    (void)block;
    if (high && *done > offset) /* by at most three */
        high &= UINT64_MAX << (*done - offset);
    while (high) {
        const size_t at = offset + (size_t)__builtin_ctzll(high);
        const unsigned len = scan_sequence(scan->text + at, end);

        if (!len)
            return 1;
        *done = at + len;
        if (*done - offset >= TOKENS_BLOCK)
            break;
        high &= UINT64_MAX << (*done - offset);
    }
    return 0;
}

/* Returns the end of the sequence that began before `at` and was checked
 * then. */
static size_t portable_begin(const struct surety__scan *scan, size_t at)
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

#define portable_load(ptr) (ptr)
#define portable_part index_part
#define portable_parity index_parity
#define portable_write index_write
#include "json/index_kernel.inc"
