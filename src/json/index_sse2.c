/* SPDX-License-Identifier: Apache-2.0 */
/* The SSE2 kernel; every x86-64 processor has SSE2. A block is four vectors of
 * 16 bytes, and comparisons find the classes of bytes. UTF-8 is also checked
 * with masks: shifting the lead bytes gives the bytes that must be
 * continuations. */
#include "json/index.h"

#ifdef INDEX_X86
#include <emmintrin.h>

#define KERNEL(name) sse2_##name
#define KERNEL_TARGET
#define sse2_surety__kernel surety__kernel_sse2

typedef struct sse2_block {
    __m128i part[4];
} sse2_block;

/* What the lead bytes of a block require of the next block: which of its first
 * bytes must be continuations, and whether its first byte is restricted (bit 0
 * of each). */
typedef struct sse2_carry {
    uint64_t must;
    uint64_t e0, ed, f0, f4;
} sse2_carry;

INDEX_INLINE sse2_block sse2_load(const char *ptr)
{
    const __m128i *parts = (const __m128i *)(const void *)ptr;

    return (sse2_block){{_mm_loadu_si128(parts), _mm_loadu_si128(parts + 1),
                         _mm_loadu_si128(parts + 2),
                         _mm_loadu_si128(parts + 3)}};
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

INDEX_INLINE struct index_masks sse2_masks(const sse2_block *block)
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
INDEX_INLINE uint64_t sse2_errors(const sse2_block *block, uint64_t high,
                                  sse2_carry *leads)
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

/* The leads of the block in front of `at`; its errors are recorded. */
INDEX_INLINE sse2_carry sse2_begin(const struct surety__scan *scan, size_t at)
{
    sse2_carry leads = {0};

    if (at) {
        const sse2_block block = sse2_load(scan->text + at - TOKENS_BLOCK);

        sse2_errors(&block, sse2_masks(&block).high, &leads);
    }
    return leads;
}

INDEX_INLINE uint64_t sse2_utf8(const struct surety__scan *scan,
                                const sse2_block *block, uint64_t high,
                                size_t offset, sse2_carry *leads)
{
    (void)scan, (void)offset;
    return high | leads->must ? sse2_errors(block, high, leads) : 0;
}

#define sse2_part(scan, at, copy) sse2_load(index_part(scan, at, copy))
#define sse2_parity index_parity
#define sse2_write index_write
#include "json/index_kernel.inc"
#else
/* A file may not be empty (C17, 6.9). */
typedef int index_sse2_unused;
#endif
