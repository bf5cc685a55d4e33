/* SPDX-License-Identifier: Apache-2.0 */
/* Stage one of the strict reader: finds the tokens of a text (tokens.h defines
 * token). The steps are the same for every processor. A kernel computes the
 * masks of a block of 64 bytes, one bit per byte; the functions here derive the
 * tokens from them, for all 64 bytes at once. The method is that of Langdale
 * and Lemire, "Parsing Gigabytes of JSON per Second" (2019). */
#ifndef SURETY_JSON_INDEX_H
#define SURETY_JSON_INDEX_H

#include "json/tokens.h"

/* Scans the next TOKENS_WINDOW bytes, or the rest of the text. Writes the
 * tokens to out, which has room for a window and TOKENS_SLACK, and the masks.
 * Returns the end of the tokens. Loads no byte outside the text. */
typedef uint32_t *surety__kernel_run(struct surety__scan *scan, uint32_t *out);

/* The longest text that surety__kernel_short reads itself: above it, a block's
 * masks cost less. */
enum { INDEX_SHORT = 16 };

struct surety__kernel {
    const char *name;
    surety__kernel_run *run;
    bool (*runs_here)(void); /* whether this processor can run it */
};

/* Returns the fastest kernel for this processor, or the one that the macro
 * SURETY_KERNEL names (tests). */
const struct surety__kernel *surety__kernel_best(void);
/* Returns the i-th kernel that can run here, or NULL; for tests. */
const struct surety__kernel *surety__kernel_at(size_t i);

surety__kernel_run surety__kernel_portable;
surety__kernel_run surety__kernel_short; /* up to INDEX_SHORT bytes */
#if defined(__x86_64__)
#define INDEX_X86 1
surety__kernel_run surety__kernel_sse2;
surety__kernel_run surety__kernel_avx2;
surety__kernel_run surety__kernel_avx512;
#elif defined(__aarch64__)
#define INDEX_NEON 1
surety__kernel_run surety__kernel_neon;
#endif

#define INDEX_INLINE static inline __attribute__((always_inline))

/* The state that passes from block to block: members of surety__scan, in
 * registers. */
struct index_state {
    uint64_t quoted, escaped, scalar, broken, marked;
};

INDEX_INLINE struct index_state index_begin(const struct surety__scan *scan)
{
    return (struct index_state){.quoted = scan->quoted,
                                .escaped = scan->escaped,
                                .scalar = scan->scalar};
}

/* The masks of a block. */
struct index_masks {
    uint64_t quote, backslash;
    uint64_t control; /* below 0x20 */
    uint64_t sign;    /* { } [ ] : , and possibly some control characters */
    uint64_t space;   /* space, tab, CR, LF */
    uint64_t high;    /* above 0x7F */
};

/* Returns the bytes after a run of backslashes of odd length: they are escaped
 * and may be quotes. The sum of a run and its start carries to the byte after
 * the run. The run has odd length if only one of start and end is at an even
 * offset. */
INDEX_INLINE uint64_t index_escaped(struct index_state *state,
                                    uint64_t backslash)
{
    const uint64_t even = 0x5555555555555555u;
    uint64_t escaped = state->escaped;
    uint64_t runs, starts, from_even, from_odd;

    state->escaped = 0;
    if (!backslash)
        return escaped;
    runs = backslash & ~escaped;
    starts = runs & ~(runs << 1);
    from_even = runs + (starts & even);
    from_odd = runs + (starts & ~even);
    state->escaped = from_odd < runs; /* the run ends at 64, which is even */
    return escaped | (~runs & ((from_even & ~even) | (from_odd & even)));
}

/* Returns the running parity of bits: all ones from each opening quote to
 * before the closing one. */
INDEX_INLINE uint64_t index_parity(uint64_t bits)
{
    bits ^= bits << 1;
    bits ^= bits << 2;
    bits ^= bits << 4;
    bits ^= bits << 8;
    bits ^= bits << 16;
    bits ^= bits << 32;
    return bits;
}

/* Returns the tokens of a block. quotes: its quotes that are not escaped;
 * parity: their running parity. */
INDEX_INLINE uint64_t index_tokens(struct index_state *state,
                                   const struct index_masks *masks,
                                   uint64_t quotes, uint64_t parity)
{
    uint64_t quoted = parity ^ state->quoted; /* with the opening quotes */
    uint64_t outside = ~(quoted | quotes);
    uint64_t scalar = outside & ~(masks->sign | masks->space);
    uint64_t starts = scalar & ~(scalar << 1 | state->scalar);

    state->quoted = (uint64_t)0 - (quoted >> 63);
    state->scalar = scalar >> 63;
    state->broken |= quoted & masks->control;
    state->marked |= masks->backslash | masks->high;
    return (masks->sign & outside) | quotes | starts;
}

/* Returns the number of bits that are set, for processors that may have no
 * instruction for it: adds up pairs, fours and bytes, and sums the bytes with a
 * multiplication. */
INDEX_INLINE unsigned index_count(uint64_t bits)
{
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (unsigned)(bits * 0x0101010101010101u >> 56);
}

/* Writes the offsets of the count bits of a block that starts at offset. Writes
 * eight at once, even when fewer bits are left; the returned end is exact. */
INDEX_INLINE uint32_t *index_write_count(uint32_t *out, uint64_t bits,
                                         unsigned count, uint32_t offset)
{
    uint32_t *end = out + count;

    while (out < end) {
        for (int i = 0; i < 8; i++) {
            /* The added bit keeps ctz away from 0. */
            uint32_t place =
                offset + (uint32_t)__builtin_ctzll(bits | (uint64_t)1 << 63);

            /* Eight plain stores: collecting them in vectors is slower. */
            __asm__("" : "+r"(place));
            out[i] = place;
            bits &= bits - 1;
        }
        out += 8;
    }
    return end;
}

INDEX_INLINE uint32_t *index_write(uint32_t *out, uint64_t bits,
                                   uint32_t offset)
{
    return index_write_count(out, bits, index_count(bits), offset);
}

/* Returns whether the text ends inside a UTF-8 sequence. */
INDEX_INLINE bool index_is_cut(const char *text, size_t len)
{
    for (size_t back = 1; back <= 3 && back <= len; back++) {
        unsigned char byte = (unsigned char)text[len - back];

        if (byte >= (back == 1 ? 0xC0 : back == 2 ? 0xE0 : 0xF0))
            return true;
    }
    return false;
}

/* Saves the state after the bytes before end. At the end of the text, an open
 * string or an incomplete UTF-8 sequence is a mistake. */
INDEX_INLINE void index_end(struct surety__scan *scan,
                            const struct index_state *state, size_t end)
{
    scan->next = end;
    scan->quoted = state->quoted;
    scan->escaped = state->escaped;
    scan->scalar = state->scalar;
    scan->marked = state->marked;
    scan->broken |= state->broken;
    if (end == scan->len)
        scan->broken |= state->quoted |
                        (state->marked != 0 && index_is_cut(scan->text, end));
}

/* Copies the bytes from `at` on to block, filled up with spaces. Returns
 * block. */
INDEX_INLINE const char *index_part(const struct surety__scan *scan, size_t at,
                                    char *block)
{
    assert(scan->len - at < TOKENS_BLOCK);
    memset(block, ' ', TOKENS_BLOCK);
    memcpy(block, scan->text + at, scan->len - at);
    return block;
}

/* ---- UTF-8 for kernels with a shuffle ---------------------------------- */

/* Three table lookups for two adjacent bytes, each by four bits of them, find
 * every error at the second byte (Keiser and Lemire 2021, "Validating UTF-8 in
 * less than one instruction per byte"; the rules are those of Unicode 15.0,
 * table 3-7). A bit that is set in all three results is an error. */
enum {
    UTF8_SHORT = 1,      /* no continuation byte after a lead byte */
    UTF8_LONG = 2,       /* a continuation byte after ASCII */
    UTF8_OVERLONG3 = 4,  /* E0, then a byte below A0 */
    UTF8_LARGE = 8,      /* F4, then 90 or above; F5 and above */
    UTF8_SURROGATE = 16, /* ED, then A0 or above */
    UTF8_OVERLONG2 = 32, /* C0, C1 */
    UTF8_OVERLONG4 = 64, /* F0, then below 90; F5 and above, then below 90 */
    UTF8_TWICE = 128,    /* two continuations: only after E0 to F4 */
    UTF8_ALWAYS = UTF8_SHORT | UTF8_LONG | UTF8_TWICE
};

/* The tables: by the high and the low half of the first byte, and by the high
 * half of the second. */
#define UTF8_FIRST_HIGH                                                        \
    {                                                                          \
        UTF8_LONG, UTF8_LONG, UTF8_LONG, UTF8_LONG, UTF8_LONG, UTF8_LONG,      \
            UTF8_LONG, UTF8_LONG, UTF8_TWICE, UTF8_TWICE, UTF8_TWICE,          \
            UTF8_TWICE, UTF8_SHORT | UTF8_OVERLONG2, UTF8_SHORT,               \
            UTF8_SHORT | UTF8_OVERLONG3 | UTF8_SURROGATE,                      \
            UTF8_SHORT | UTF8_LARGE | UTF8_OVERLONG4                           \
    }
#define UTF8_BEYOND UTF8_ALWAYS | UTF8_LARGE | UTF8_OVERLONG4
#define UTF8_FIRST_LOW                                                         \
    {                                                                          \
        UTF8_ALWAYS | UTF8_OVERLONG3 | UTF8_OVERLONG2 | UTF8_OVERLONG4,        \
            UTF8_ALWAYS | UTF8_OVERLONG2, UTF8_ALWAYS, UTF8_ALWAYS,            \
            UTF8_ALWAYS | UTF8_LARGE, UTF8_BEYOND, UTF8_BEYOND, UTF8_BEYOND,   \
            UTF8_BEYOND, UTF8_BEYOND, UTF8_BEYOND, UTF8_BEYOND, UTF8_BEYOND,   \
            UTF8_BEYOND | UTF8_SURROGATE, UTF8_BEYOND, UTF8_BEYOND             \
    }
#define UTF8_CONTINUED UTF8_LONG | UTF8_OVERLONG2 | UTF8_TWICE
#define UTF8_SECOND_HIGH                                                       \
    {                                                                          \
        UTF8_SHORT, UTF8_SHORT, UTF8_SHORT, UTF8_SHORT, UTF8_SHORT,            \
            UTF8_SHORT, UTF8_SHORT, UTF8_SHORT,                                \
            UTF8_CONTINUED | UTF8_OVERLONG3 | UTF8_OVERLONG4,                  \
            UTF8_CONTINUED | UTF8_OVERLONG3 | UTF8_LARGE,                      \
            UTF8_CONTINUED | UTF8_SURROGATE | UTF8_LARGE,                      \
            UTF8_CONTINUED | UTF8_SURROGATE | UTF8_LARGE, UTF8_SHORT,          \
            UTF8_SHORT, UTF8_SHORT, UTF8_SHORT                                 \
    }

/* ---- classes for kernels with a shuffle --------------------------------- */

/* Tables by the low half of a byte: the white space with that half, and the
 * structural character with that half, with bit 5 set. A zero matches nothing:
 * no byte with that low half is 0, and in entry 0 the compared byte has bit 5
 * set. */
#define INDEX_SPACES                                                           \
    {                                                                          \
        ' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0              \
    }
#define INDEX_SIGNS                                                            \
    {                                                                          \
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ':', '{', ',', '}', 0, 0                 \
    }

#endif
