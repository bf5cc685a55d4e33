/* SPDX-License-Identifier: Apache-2.0 */
/* The SSE2 kernel; every x86-64 processor has SSE2. A block is four vectors of
 * 16 bytes, and comparisons find the classes of bytes. UTF-8 is also checked
 * with masks: shifting the lead bytes gives the bytes that must be
 * continuations. */
#include "json/index.h"

#ifdef INDEX_X86
#include <emmintrin.h>

struct sse2_block {
    __m128i part[4];
};

/* What the lead bytes of a block require of the next block: which of its first
 * bytes must be continuations, and whether its first byte is restricted (bit 0
 * of each). */
struct sse2_leads {
    uint64_t must;
    uint64_t e0, ed, f0, f4;
};

INDEX_INLINE struct sse2_block sse2_load(const char *ptr)
{
    const __m128i *parts = (const __m128i *)(const void *)ptr;

    return (struct sse2_block){
        {_mm_loadu_si128(parts), _mm_loadu_si128(parts + 1),
         _mm_loadu_si128(parts + 2), _mm_loadu_si128(parts + 3)}};
}

INDEX_INLINE uint64_t sse2_bits(__m128i part)
{
    return (uint32_t)_mm_movemask_epi8(part);
}

#define SSE2_BITS(expression)                                                  \
    (sse2_bits(expression(block->part[0])) |                                   \
     sse2_bits(expression(block->part[1])) << 16 |                             \
     sse2_bits(expression(block->part[2])) << 32 |                             \
     sse2_bits(expression(block->part[3])) << 48)
#define SSE2_ALL(byte) _mm_set1_epi8((char)(byte))
#define SSE2_EQUAL(part, byte) _mm_cmpeq_epi8(part, SSE2_ALL(byte))

INDEX_INLINE __m128i sse2_sign(__m128i part)
{
    const __m128i low = _mm_or_si128(part, SSE2_ALL(0x20)); /* [ as { */

    return _mm_or_si128(
        _mm_or_si128(SSE2_EQUAL(low, '{'), SSE2_EQUAL(low, '}')),
        _mm_or_si128(SSE2_EQUAL(low, ':'), SSE2_EQUAL(low, ',')));
}

INDEX_INLINE __m128i sse2_space(__m128i part)
{
    return _mm_or_si128(
        _mm_or_si128(SSE2_EQUAL(part, ' '), SSE2_EQUAL(part, '\n')),
        _mm_or_si128(SSE2_EQUAL(part, '\r'), SSE2_EQUAL(part, '\t')));
}

INDEX_INLINE struct index_masks sse2_masks(const struct sse2_block *block)
{
    struct index_masks masks;

#define SSE2_QUOTE(part) SSE2_EQUAL(part, '"')
#define SSE2_BACKSLASH(part) SSE2_EQUAL(part, '\\')
#define SSE2_CONTROL(part)                                                     \
    _mm_cmpeq_epi8(_mm_min_epu8(part, SSE2_ALL(0x1F)), part)
#define SSE2_HIGH(part) part
    masks.quote = SSE2_BITS(SSE2_QUOTE);
    masks.backslash = SSE2_BITS(SSE2_BACKSLASH);
    masks.control = SSE2_BITS(SSE2_CONTROL);
    masks.sign = SSE2_BITS(sse2_sign);
    masks.space = SSE2_BITS(sse2_space);
    masks.high = SSE2_BITS(SSE2_HIGH);
    return masks;
}

/* Returns the UTF-8 errors of a block (Unicode 15.0, table 3-7). high: its
 * bytes above 0x7F; *leads passes from block to block. These bytes are
 * negative, and comparisons of signed bytes keep their order. */
INDEX_INLINE uint64_t sse2_utf8(const struct sse2_block *block, uint64_t high,
                                struct sse2_leads *leads)
{
#define SSE2_BELOW_90(part) _mm_cmplt_epi8(part, SSE2_ALL(0x90))
#define SSE2_BELOW_A0(part) _mm_cmplt_epi8(part, SSE2_ALL(0xA0))
#define SSE2_BELOW_C0(part) _mm_cmplt_epi8(part, SSE2_ALL(0xC0))
#define SSE2_BELOW_C2(part) _mm_cmplt_epi8(part, SSE2_ALL(0xC2))
#define SSE2_BELOW_E0(part) _mm_cmplt_epi8(part, SSE2_ALL(0xE0))
#define SSE2_BELOW_F0(part) _mm_cmplt_epi8(part, SSE2_ALL(0xF0))
#define SSE2_BELOW_F5(part) _mm_cmplt_epi8(part, SSE2_ALL(0xF5))
#define SSE2_E0(part) SSE2_EQUAL(part, 0xE0)
#define SSE2_ED(part) SSE2_EQUAL(part, 0xED)
#define SSE2_F0(part) SSE2_EQUAL(part, 0xF0)
#define SSE2_F4(part) SSE2_EQUAL(part, 0xF4)
    const uint64_t below_90 = SSE2_BITS(SSE2_BELOW_90);
    const uint64_t below_a0 = SSE2_BITS(SSE2_BELOW_A0);
    const uint64_t continued = SSE2_BITS(SSE2_BELOW_C0);
    const uint64_t two = high & ~continued; /* leads of at least two bytes */
    const uint64_t three = high & ~SSE2_BITS(SSE2_BELOW_E0);
    const uint64_t four = high & ~SSE2_BITS(SSE2_BELOW_F0);
    const uint64_t e0 = SSE2_BITS(SSE2_E0), ed = SSE2_BITS(SSE2_ED);
    const uint64_t f0 = SSE2_BITS(SSE2_F0), f4 = SSE2_BITS(SSE2_F4);
    /* C0, C1 and F5 to FF are never valid. */
    uint64_t wrong =
        (two & SSE2_BITS(SSE2_BELOW_C2)) | (high & ~SSE2_BITS(SSE2_BELOW_F5));

    wrong |= continued ^ (two << 1 | three << 2 | four << 3 | leads->must);
    wrong |= (e0 << 1 | leads->e0) & below_a0;
    wrong |= (ed << 1 | leads->ed) & ~below_a0;
    wrong |= (f0 << 1 | leads->f0) & below_90;
    wrong |= (f4 << 1 | leads->f4) & ~below_90;
    leads->must = two >> 63 | three >> 62 | four >> 61;
    leads->e0 = e0 >> 63;
    leads->ed = ed >> 63;
    leads->f0 = f0 >> 63;
    leads->f4 = f4 >> 63;
    return wrong;
}

/* Stores the masks of the block at offset and writes its tokens. */
INDEX_INLINE uint32_t *sse2_found(const struct surety__scan *scan,
                                  struct index_state *state,
                                  const struct index_masks *masks,
                                  size_t offset, uint32_t *out)
{
    const size_t word =
        (offset / TOKENS_BLOCK) % (TOKENS_WINDOW / TOKENS_BLOCK);
    const uint64_t quotes =
        masks->quote & ~index_escaped(state, masks->backslash);
    const uint64_t tokens =
        index_tokens(state, masks, quotes, index_parity(quotes));

    scan->backslashes[word] = masks->backslash;
    scan->high[word] = masks->high;
    return index_write(out, tokens, index_count(tokens), (uint32_t)offset);
}

/* Scans one block at ptr; offset: its offset in the text. */
INDEX_INLINE uint32_t *sse2_step(const struct surety__scan *scan,
                                 struct index_state *state, const char *ptr,
                                 size_t offset, struct sse2_leads *leads,
                                 uint32_t *out)
{
    const struct sse2_block block = sse2_load(ptr);
    const struct index_masks masks = sse2_masks(&block);

    if (masks.high | leads->must)
        state->broken |= sse2_utf8(&block, masks.high, leads);
    return sse2_found(scan, state, &masks, offset, out);
}

/* Scans the rest of the text at offset, which is less than a block. Copies it
 * only if it is the whole text, or UTF-8 must be checked. */
INDEX_INLINE uint32_t *sse2_tail(const struct surety__scan *scan,
                                 struct index_state *state, size_t offset,
                                 struct sse2_leads *leads, uint32_t *out)
{
    char copy[TOKENS_BLOCK];

    if (offset && !leads->must) {
        const struct sse2_block block =
            sse2_load(scan->text + scan->len - TOKENS_BLOCK);
        const struct index_masks masks =
            index_shift(sse2_masks(&block),
                        (unsigned)(TOKENS_BLOCK - (scan->len - offset)));

        if (!masks.high)
            return sse2_found(scan, state, &masks, offset, out);
    }
    index_tail(scan, offset, copy);
    return sse2_step(scan, state, copy, offset, leads, out);
}

uint32_t *surety__kernel_sse2(struct surety__scan *scan, uint32_t *out)
{
    struct index_state state = index_begin(scan);
    size_t left = scan->len - scan->next;
    size_t end = scan->next + (left < TOKENS_WINDOW ? left : TOKENS_WINDOW);
    size_t at = scan->next;
    struct sse2_leads leads = {0};

    if (at) { /* for its lead bytes only; its errors are recorded */
        const struct sse2_block block =
            sse2_load(scan->text + at - TOKENS_BLOCK);

        sse2_utf8(&block, sse2_masks(&block).high, &leads);
    }
    for (; end - at >= TOKENS_BLOCK; at += TOKENS_BLOCK)
        out = sse2_step(scan, &state, scan->text + at, at, &leads, out);
    if (at < end)
        out = sse2_tail(scan, &state, at, &leads, out);
    index_end(scan, &state, end);
    return out;
}
#else
/* A file may not be empty (C17, 6.9). */
typedef int index_sse2_unused;
#endif
