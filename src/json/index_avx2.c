/* SPDX-License-Identifier: Apache-2.0 */
/* The AVX2 kernel. A block is two vectors of 32 bytes. A shuffle by the low
 * half of each byte finds the classes of bytes, and a carry-less multiplication
 * by all ones gives the parity of quotes. Every processor with AVX2 has
 * PCLMULQDQ; the kernel checks for both. */
#include "json/index.h"

#ifdef INDEX_X86
#include <immintrin.h>

#define AVX2_TARGET __attribute__((target("avx2,pclmul,bmi,popcnt")))
#define AVX2_INLINE INDEX_INLINE AVX2_TARGET

AVX2_INLINE __m256i avx2_table(const unsigned char *sixteen)
{
    return _mm256_broadcastsi128_si256(
        _mm_loadu_si128((const __m128i *)(const void *)sixteen));
}

AVX2_INLINE __m256i avx2_load(const char *ptr)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)ptr);
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

AVX2_INLINE struct index_masks avx2_masks(__m256i low, __m256i high)
{
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
AVX2_INLINE __m256i avx2_utf8(__m256i before, __m256i now)
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

/* Stores the masks of the block at offset and writes its tokens. */
AVX2_INLINE uint32_t *avx2_found(const struct surety__scan *scan,
                                 struct index_state *state,
                                 const struct index_masks *masks, size_t offset,
                                 uint32_t *out)
{
    const size_t word =
        (offset / TOKENS_BLOCK) % (TOKENS_WINDOW / TOKENS_BLOCK);
    const uint64_t quotes =
        masks->quote & ~index_escaped(state, masks->backslash);
    const uint64_t tokens =
        index_tokens(state, masks, quotes, avx2_parity(quotes));

    scan->backslashes[word] = masks->backslash;
    scan->high[word] = masks->high;
    return index_write(out, tokens, (unsigned)__builtin_popcountll(tokens),
                       (uint32_t)offset);
}

/* Scans one block at ptr; offset: its offset in the text. *before: the bytes in
 * front of it. */
AVX2_INLINE uint32_t *avx2_block(const struct surety__scan *scan,
                                 struct index_state *state, const char *ptr,
                                 size_t offset, __m256i *before, uint32_t *out)
{
    const __m256i low = avx2_load(ptr), high = avx2_load(ptr + 32);
    const struct index_masks masks = avx2_masks(low, high);

    if (masks.high || !_mm256_testz_si256(*before, *before)) {
        const __m256i errors =
            _mm256_or_si256(avx2_utf8(*before, low), avx2_utf8(low, high));

        state->broken |= !_mm256_testz_si256(errors, errors);
    }
    /* For the next block; zero if this one is ASCII. */
    *before = masks.high ? high : _mm256_setzero_si256();
    return avx2_found(scan, state, &masks, offset, out);
}

/* Scans the rest of the text at offset, which is less than a block. Copies it
 * only if it is the whole text, or UTF-8 must be checked. */
AVX2_INLINE uint32_t *avx2_tail(const struct surety__scan *scan,
                                struct index_state *state, size_t offset,
                                __m256i before, uint32_t *out)
{
    char block[TOKENS_BLOCK];

    if (offset && _mm256_testz_si256(before, before)) {
        const char *last = scan->text + scan->len - TOKENS_BLOCK;
        const struct index_masks masks =
            index_shift(avx2_masks(avx2_load(last), avx2_load(last + 32)),
                        (unsigned)(TOKENS_BLOCK - (scan->len - offset)));

        if (!masks.high)
            return avx2_found(scan, state, &masks, offset, out);
    }
    index_tail(scan, offset, block);
    return avx2_block(scan, state, block, offset, &before, out);
}

AVX2_TARGET uint32_t *surety__kernel_avx2(struct surety__scan *scan,
                                          uint32_t *out)
{
    struct index_state state = index_begin(scan);
    size_t left = scan->len - scan->next;
    size_t end = scan->next + (left < TOKENS_WINDOW ? left : TOKENS_WINDOW);
    size_t at = scan->next;
    __m256i before =
        at ? avx2_load(scan->text + at - 32) : _mm256_setzero_si256();

    for (; end - at >= TOKENS_BLOCK; at += TOKENS_BLOCK)
        out = avx2_block(scan, &state, scan->text + at, at, &before, out);
    if (at < end)
        out = avx2_tail(scan, &state, at, before, out);
    index_end(scan, &state, end);
    return out;
}
#else
/* A file may not be empty (C17, 6.9). */
typedef int index_avx2_unused;
#endif
