/* SPDX-License-Identifier: Apache-2.0 */
/* The AVX2 kernel. A block is two vectors of 32 bytes. A shuffle by the low
 * half of each byte finds the classes of bytes, and a carry-less multiplication
 * by all ones gives the parity of quotes. Every processor with AVX2 has
 * PCLMULQDQ; the kernel checks for both. */
#include "json/index.h"

#ifdef INDEX_X86
#include <immintrin.h>

#define KERNEL(name) avx2_##name
#define KERNEL_TARGET __attribute__((target("avx2,pclmul,bmi,popcnt")))
#define AVX2_INLINE INDEX_INLINE KERNEL_TARGET
#define avx2_surety__kernel surety__kernel_avx2

typedef struct avx2_block {
    __m256i low, high;
} avx2_block;

typedef __m256i avx2_carry; /* the last bytes; zero: the last block is ASCII */

AVX2_INLINE __m256i avx2_table(const unsigned char *sixteen)
{
    return _mm256_broadcastsi128_si256(
        _mm_loadu_si128((const __m128i *)(const void *)sixteen));
}

AVX2_INLINE __m256i avx2_bytes(const char *ptr)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)ptr);
}

AVX2_INLINE avx2_block avx2_load(const char *ptr)
{
    return (avx2_block){avx2_bytes(ptr), avx2_bytes(ptr + 32)};
}

/* Returns the top bits of 64 bytes. */
AVX2_INLINE uint64_t avx2_bits(__m256i low, __m256i high)
{
    return (uint32_t)_mm256_movemask_epi8(low) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

AVX2_INLINE uint64_t avx2_equal(__m256i low, __m256i high, char byte)
{
    const __m256i all = _mm256_set1_epi8(byte);

    return avx2_bits(_mm256_cmpeq_epi8(low, all), _mm256_cmpeq_epi8(high, all));
}

AVX2_INLINE struct index_masks avx2_masks(const avx2_block *block)
{
    const __m256i low = block->low, high = block->high;
    static const unsigned char spaces[16] = INDEX_SPACES;
    static const unsigned char signs[16] = INDEX_SIGNS;
    const __m256i space = avx2_table(spaces), sign = avx2_table(signs);
    const __m256i bit5 = _mm256_set1_epi8(0x20);
    const __m256i control = _mm256_set1_epi8(0x1F);

    return (struct index_masks){
        .quote = avx2_equal(low, high, '"'),
        .backslash = avx2_equal(low, high, '\\'),
        .control =
            avx2_bits(_mm256_cmpeq_epi8(_mm256_min_epu8(low, control), low),
                      _mm256_cmpeq_epi8(_mm256_min_epu8(high, control), high)),
        .sign = avx2_bits(_mm256_cmpeq_epi8(_mm256_or_si256(low, bit5),
                                            _mm256_shuffle_epi8(sign, low)),
                          _mm256_cmpeq_epi8(_mm256_or_si256(high, bit5),
                                            _mm256_shuffle_epi8(sign, high))),
        .space = avx2_bits(
            _mm256_cmpeq_epi8(low, _mm256_shuffle_epi8(space, low)),
            _mm256_cmpeq_epi8(high, _mm256_shuffle_epi8(space, high))),
        .high = avx2_bits(low, high),
    };
}

/* The bytes of now, moved up by shift; bytes of before fill the gap. */
#define AVX2_BEFORE(before, now, shift)                                        \
    _mm256_alignr_epi8(now, _mm256_permute2x128_si256(before, now, 0x21),      \
                       16 - (shift))

/* Returns the UTF-8 errors in now. before: the bytes in front of it. */
AVX2_INLINE __m256i avx2_errors(__m256i before, __m256i now)
{
    static const unsigned char first_high[16] = UTF8_FIRST_HIGH;
    static const unsigned char first_low[16] = UTF8_FIRST_LOW;
    static const unsigned char second_high[16] = UTF8_SECOND_HIGH;
    const __m256i half = _mm256_set1_epi8(0x0F);
    const __m256i one = AVX2_BEFORE(before, now, 1);
    const __m256i two = AVX2_BEFORE(before, now, 2);
    const __m256i three = AVX2_BEFORE(before, now, 3);
    const __m256i errors = _mm256_and_si256(
        _mm256_and_si256(_mm256_shuffle_epi8(
                             avx2_table(first_high),
                             _mm256_and_si256(_mm256_srli_epi16(one, 4), half)),
                         _mm256_shuffle_epi8(avx2_table(first_low),
                                             _mm256_and_si256(one, half))),
        _mm256_shuffle_epi8(avx2_table(second_high),
                            _mm256_and_si256(_mm256_srli_epi16(now, 4), half)));
    /* The third byte after E0 and above, and the fourth after F0 and above:
     * only there the second of two continuations is valid, and it is
     * required. */
    const __m256i must =
        _mm256_or_si256(_mm256_subs_epu8(two, _mm256_set1_epi8(0xE0 - 0x80)),
                        _mm256_subs_epu8(three, _mm256_set1_epi8(0xF0 - 0x80)));

    return _mm256_xor_si256(
        _mm256_and_si256(must, _mm256_set1_epi8((char)0x80)), errors);
}

AVX2_INLINE uint64_t avx2_parity(uint64_t bits)
{
    const __m128i product = _mm_clmulepi64_si128(
        _mm_set_epi64x(0, (long long)bits), _mm_set1_epi8((char)0xFF), 0);

    return (uint64_t)_mm_cvtsi128_si64(product);
}

AVX2_INLINE uint32_t *avx2_write(uint32_t *out, uint64_t bits, uint32_t offset)
{
    return index_write_count(out, bits, (unsigned)__builtin_popcountll(bits),
                             offset);
}

AVX2_INLINE __m256i avx2_begin(const struct surety__scan *scan, size_t at)
{
    return at ? avx2_bytes(scan->text + at - 32) : _mm256_setzero_si256();
}

AVX2_INLINE uint64_t avx2_utf8(const struct surety__scan *scan,
                               const avx2_block *block, uint64_t high,
                               size_t offset, __m256i *before)
{
    __m256i errors = _mm256_setzero_si256();

    (void)scan, (void)offset;
    if (high || !_mm256_testz_si256(*before, *before))
        errors = _mm256_or_si256(avx2_errors(*before, block->low),
                                 avx2_errors(block->low, block->high));
    *before = high ? block->high : _mm256_setzero_si256();
    return !_mm256_testz_si256(errors, errors);
}

#define avx2_part(scan, at, copy) avx2_load(index_part(scan, at, copy))
#include "json/index_kernel.inc"
#else
/* A file may not be empty (C17, 6.9). */
typedef int index_avx2_unused;
#endif
