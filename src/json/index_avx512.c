/* SPDX-License-Identifier: Apache-2.0 */
/* The AVX-512 kernel. A block is one vector, and a comparison gives its mask at
 * once. The offsets of a mask's bits are written by compressing the row 0 to 63
 * (VBMI2). */
#include "json/index.h"

#ifdef INDEX_X86
#include <immintrin.h>

#define KERNEL(name) avx512_##name
#define KERNEL_TARGET                                                          \
    __attribute__((target("avx512f,avx512bw,avx512vbmi,avx512vbmi2,pclmul,"    \
                          "bmi,popcnt")))
#define AVX512_INLINE INDEX_INLINE KERNEL_TARGET
#define avx512_surety__kernel surety__kernel_avx512

typedef __m512i avx512_block;
typedef __m512i avx512_carry; /* the last block; zero: it is ASCII */

#define avx512_load(ptr) _mm512_loadu_si512(ptr)

AVX512_INLINE __m512i avx512_table(const unsigned char *sixteen)
{
    return _mm512_broadcast_i32x4(
        _mm_loadu_si128((const __m128i *)(const void *)sixteen));
}

AVX512_INLINE struct index_masks avx512_masks(const __m512i *block)
{
    const __m512i now = *block;
    static const unsigned char spaces[16] = INDEX_SPACES;
    static const unsigned char signs[16] = INDEX_SIGNS;

    return (struct index_masks){
        .quote = _mm512_cmpeq_epi8_mask(now, _mm512_set1_epi8('"')),
        .backslash = _mm512_cmpeq_epi8_mask(now, _mm512_set1_epi8('\\')),
        .control = _mm512_cmplt_epu8_mask(now, _mm512_set1_epi8(0x20)),
        .sign = _mm512_cmpeq_epi8_mask(
            _mm512_or_si512(now, _mm512_set1_epi8(0x20)),
            _mm512_shuffle_epi8(avx512_table(signs), now)),
        .space = _mm512_cmpeq_epi8_mask(
            now, _mm512_shuffle_epi8(avx512_table(spaces), now)),
        .high = _mm512_movepi8_mask(now),
    };
}

/* The bytes of now, moved up by shift. wide: now, moved up by 16, with bytes of
 * the block before it. */
#define AVX512_BEFORE(wide, now, shift)                                        \
    _mm512_alignr_epi8(now, wide, 16 - (shift))

/* Returns the UTF-8 errors in now, one bit per byte. before: the block in front
 * of it. */
AVX512_INLINE uint64_t avx512_errors(__m512i before, __m512i now)
{
    static const unsigned char first_high[16] = UTF8_FIRST_HIGH;
    static const unsigned char first_low[16] = UTF8_FIRST_LOW;
    static const unsigned char second_high[16] = UTF8_SECOND_HIGH;
    const __m512i half = _mm512_set1_epi8(0x0F);
    const __m512i wide = _mm512_alignr_epi32(now, before, 12);
    const __m512i one = AVX512_BEFORE(wide, now, 1);
    const __m512i two = AVX512_BEFORE(wide, now, 2);
    const __m512i three = AVX512_BEFORE(wide, now, 3);
    const __m512i errors = _mm512_and_si512(
        _mm512_and_si512(_mm512_shuffle_epi8(
                             avx512_table(first_high),
                             _mm512_and_si512(_mm512_srli_epi16(one, 4), half)),
                         _mm512_shuffle_epi8(avx512_table(first_low),
                                             _mm512_and_si512(one, half))),
        _mm512_shuffle_epi8(avx512_table(second_high),
                            _mm512_and_si512(_mm512_srli_epi16(now, 4), half)));
    /* As in index_avx2.c: where two continuations are required. */
    const __m512i must = _mm512_or_si512(
        _mm512_subs_epu8(two, _mm512_set1_epi8((char)(0xE0 - 0x80))),
        _mm512_subs_epu8(three, _mm512_set1_epi8((char)(0xF0 - 0x80))));
    const __m512i wrong = _mm512_xor_si512(
        _mm512_and_si512(must, _mm512_set1_epi8((char)0x80)), errors);

    return _mm512_test_epi8_mask(wrong, wrong);
}

AVX512_INLINE uint64_t avx512_parity(uint64_t bits)
{
    const __m128i product = _mm_clmulepi64_si128(
        _mm_set_epi64x(0, (long long)bits), _mm_set1_epi8((char)0xFF), 0);

    return (uint64_t)_mm_cvtsi128_si64(product);
}

AVX512_INLINE uint32_t *avx512_write(uint32_t *out, uint64_t bits,
                                     uint32_t offset)
{
    static const unsigned char row[TOKENS_BLOCK] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
        16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
        32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
        48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const __m512i places =
        _mm512_maskz_compress_epi8(bits, _mm512_loadu_si512(row));
    const __m512i base = _mm512_set1_epi32((int)offset);
    const int count = __builtin_popcountll(bits);

    if (!bits)
        return out;
#define AVX512_WRITE(part)                                                     \
    _mm512_storeu_si512(                                                       \
        out + 16 * (part),                                                     \
        _mm512_add_epi32(base, _mm512_cvtepu8_epi32(                           \
                                   _mm512_extracti32x4_epi32(places, part))))
    AVX512_WRITE(0);
    AVX512_WRITE(1);
    if (count > 32) {
        AVX512_WRITE(2);
        AVX512_WRITE(3);
    }
#undef AVX512_WRITE
    return out + count;
}

AVX512_INLINE __m512i avx512_begin(const struct surety__scan *scan, size_t at)
{
    return at ? avx512_load(scan->text + at - TOKENS_BLOCK)
              : _mm512_setzero_si512();
}

AVX512_INLINE uint64_t avx512_utf8(const struct surety__scan *scan,
                                   const __m512i *block, uint64_t high,
                                   size_t offset, __m512i *before)
{
    uint64_t errors = 0;

    (void)scan, (void)offset;
    if (high || _mm512_test_epi8_mask(*before, *before))
        errors = avx512_errors(*before, *block);
    *before = high ? *block : _mm512_setzero_si512();
    return errors;
}

/* Masked bytes are not loaded. */
AVX512_INLINE __m512i avx512_part(const struct surety__scan *scan, size_t at,
                                  char *copy)
{
    (void)copy;
    return _mm512_mask_loadu_epi8(_mm512_set1_epi8(' '),
                                  ((uint64_t)1 << (scan->len - at)) - 1,
                                  scan->text + at);
}

#include "json/index_kernel.inc"
#else
/* A file may not be empty (C17, 6.9). */
typedef int index_avx512_unused;
#endif
