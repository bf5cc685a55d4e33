/* SPDX-License-Identifier: Apache-2.0 */
/* Stage one of the strict reader: where the tokens of a text are (tokens.h
 * says what a token is). The same steps for every processor: what a kernel
 * brings is the masks of a block of 64 bytes, one bit a byte; what follows from
 * them is worked out here, for all 64 at once. The idea is that of Langdale
 * and Lemire, "Parsing Gigabytes of JSON per Second" (2019). */
#ifndef SURETY_JSON_INDEX_H
#define SURETY_JSON_INDEX_H

#include "json/inside.h"

/* Room behind the tokens of a window that a kernel may write to. */
enum { INDEX_SLACK = 64 };

/* Scans the next TOKENS_WINDOW bytes, or what is left of the text: writes its
 * tokens to out, which has room for a window and INDEX_SLACK, and the masks;
 * gives the end of the tokens. No byte outside the text is loaded. */
typedef uint32_t *surety__kernel_run(struct surety__scan *scan, uint32_t *out);

struct surety__kernel {
    const char *name;
    surety__kernel_run *run;
    bool (*runs_here)(void); /* whether this processor can */
};

/* The kernel for this processor, or the one that SURETY_KERNEL names. */
const struct surety__kernel *surety__kernel_best(void);
/* All kernels that can run here, for tests: the i-th, or NULL. */
const struct surety__kernel *surety__kernel_at(size_t i);

surety__kernel_run surety__kernel_portable;
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

/* What goes from block to block: that of surety__scan, in registers. */
struct index_state {
    uint64_t quoted, escaped, scalar, broken, marked;
};

INDEX_INLINE struct index_state index_begin(const struct surety__scan *scan)
{
    return (struct index_state){.quoted = scan->quoted,
                                .escaped = scan->escaped,
                                .scalar = scan->scalar};
}

/* What a kernel sees in a block. */
struct index_masks {
    uint64_t quote, backslash;
    uint64_t control; /* below 0x20 */
    uint64_t sign;    /* { } [ ] : , and perhaps some control characters */
    uint64_t space;   /* space, tab, CR, LF */
    uint64_t high;    /* above 0x7F */
};

/* The bytes right behind a run of backslashes of odd length: those that are
 * escaped and may be quotes. Adding its start to a run carries to the byte
 * behind it; whether start and end are both at even places tells the length. */
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
    state->escaped = from_odd < runs; /* it ends at 64, which is even */
    return escaped | (~runs & ((from_even & ~even) | (from_odd & even)));
}

/* The running parity of bits: all ones from each quote to before the next. */
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

/* The tokens of a block, given its true quotes and their running parity. */
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

/* How many bits there are, for processors that may have no instruction for it:
 * in pairs, fours and bytes, which a multiplication adds up. */
INDEX_INLINE unsigned index_count(uint64_t bits)
{
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (unsigned)(bits * 0x0101010101010101u >> 56);
}

/* Writes the places of the count bits of a block that starts at offset. Eight
 * are written at once, whether they are there or not: the end is what counts.
 */
INDEX_INLINE uint32_t *index_write(uint32_t *out, uint64_t bits, unsigned count,
                                   uint32_t offset)
{
    uint32_t *end = out + count;

    while (out < end) {
        for (int i = 0; i < 8; i++) {
            /* The shift keeps ctz away from 0. */
            uint32_t place =
                offset + (uint32_t)__builtin_ctzll(bits | (uint64_t)1 << 63);

            /* Eight plain stores: gathering them into vectors costs more. */
            __asm__("" : "+r"(place));
            out[i] = place;
            bits &= bits - 1;
        }
        out += 8;
    }
    return end;
}

/* Whether the text ends within a sequence of UTF-8. */
INDEX_INLINE bool index_is_cut(const char *text, size_t len)
{
    for (size_t back = 1; back <= 3 && back <= len; back++) {
        unsigned char byte = (unsigned char)text[len - back];

        if (byte >= (back == 1 ? 0xC0 : back == 2 ? 0xE0 : 0xF0))
            return true;
    }
    return false;
}

/* After the bytes before end; where that is the text's end, strings and
 * sequences that have none are mistakes. */
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
        scan->broken |= state->quoted | index_is_cut(scan->text, end);
}

/* The masks of a block whose first by bytes (1 to 63) are left out; spaces come
 * in behind. So a tail is seen in the last 64 bytes of the text. */
INDEX_INLINE struct index_masks index_shift(struct index_masks masks,
                                            unsigned by)
{
    return (struct index_masks){.quote = masks.quote >> by,
                                .backslash = masks.backslash >> by,
                                .control = masks.control >> by,
                                .sign = masks.sign >> by,
                                .space = masks.space >> by |
                                         UINT64_MAX << (TOKENS_BLOCK - by),
                                .high = masks.high >> by};
}

/* The bytes from at on, filled up with spaces to a block. */
INDEX_INLINE void index_tail(const struct surety__scan *scan, size_t at,
                             char *block)
{
    memset(block, ' ', TOKENS_BLOCK);
    memcpy(block, scan->text + at, scan->len - at);
}

/* ---- UTF-8 for kernels with a shuffle ---------------------------------- */

/* Three looks at two bytes that stand side by side, each a table of 16 by four
 * bits of them, tell every error of the second byte (Keiser and Lemire 2021,
 * "Validating UTF-8 in less than one instruction per byte"; the facts are
 * those of Unicode 15.0, table 3-7). A bit that stands in all three is one. */
enum {
    UTF8_SHORT = 1,      /* no continuation after a lead */
    UTF8_LONG = 2,       /* a continuation after ASCII */
    UTF8_OVERLONG3 = 4,  /* E0, then below A0 */
    UTF8_LARGE = 8,      /* F4, then 90 or more; F5 and above */
    UTF8_SURROGATE = 16, /* ED, then A0 or more */
    UTF8_OVERLONG2 = 32, /* C0, C1 */
    UTF8_OVERLONG4 = 64, /* F0, then below 90; F5 and above, then below 90 */
    UTF8_TWICE = 128,    /* two continuations: right after E0 to F4 only */
    UTF8_ALWAYS = UTF8_SHORT | UTF8_LONG | UTF8_TWICE
};

/* By the high and low half of the first byte and the high one of the second. */
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

/* By the low half of a byte: the white space that has it, and the sign with
 * bit 5 set. The zeros match nothing: no byte at their places has the low half
 * 0, and the sign of place 0 would have bit 5. */
#define INDEX_SPACES                                                           \
    {                                                                          \
        ' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0              \
    }
#define INDEX_SIGNS                                                            \
    {                                                                          \
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ':', '{', ',', '}', 0, 0                 \
    }

#endif
