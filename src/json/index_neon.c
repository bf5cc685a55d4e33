/* SPDX-License-Identifier: Apache-2.0 */
/* The Advanced SIMD kernel; every AArch64 processor has Advanced SIMD. A block
 * is four vectors of 16 bytes. To collect a mask, each byte gets its own bit,
 * and neighbours are added three times. */
#include "json/index.h"

#ifdef INDEX_NEON
#include <arm_neon.h>

INDEX_INLINE uint64_t neon_bits(uint8x16_t a, uint8x16_t b, uint8x16_t c,
                                uint8x16_t d)
{
    static const uint8_t places[16] = {1, 2, 4, 8, 16, 32, 64, 128,
                                       1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t place = vld1q_u8(places);
    uint8x16_t sum =
        vpaddq_u8(vpaddq_u8(vandq_u8(a, place), vandq_u8(b, place)),
                  vpaddq_u8(vandq_u8(c, place), vandq_u8(d, place)));

    sum = vpaddq_u8(sum, sum);
    return vgetq_lane_u64(vreinterpretq_u64_u8(sum), 0);
}

#define KERNEL(name) neon_##name
#define KERNEL_TARGET
#define neon_surety__kernel surety__kernel_neon

typedef struct neon_block {
    uint8x16_t part[4];
} neon_block;

typedef uint8x16_t neon_carry; /* the last bytes */

INDEX_INLINE neon_block neon_load(const char *ptr)
{
    const uint8_t *bytes = (const uint8_t *)ptr;

    return (neon_block){{vld1q_u8(bytes), vld1q_u8(bytes + 16),
                         vld1q_u8(bytes + 32), vld1q_u8(bytes + 48)}};
}

#define NEON_BITS(expression)                                                  \
    neon_bits(expression(block->part[0]), expression(block->part[1]),          \
              expression(block->part[2]), expression(block->part[3]))

INDEX_INLINE struct index_masks neon_masks(const neon_block *block)
{
    static const unsigned char spaces[16] = INDEX_SPACES;
    static const unsigned char signs[16] = INDEX_SIGNS;
    const uint8x16_t space = vld1q_u8(spaces), sign = vld1q_u8(signs);
    const uint8x16_t half = vdupq_n_u8(0x0F);
    struct index_masks masks;

#define NEON_QUOTE(part) vceqq_u8(part, vdupq_n_u8('"'))
#define NEON_BACKSLASH(part) vceqq_u8(part, vdupq_n_u8('\\'))
#define NEON_CONTROL(part) vcltq_u8(part, vdupq_n_u8(0x20))
#define NEON_SIGN(part)                                                        \
    vceqq_u8(vorrq_u8(part, vdupq_n_u8(0x20)),                                 \
             vqtbl1q_u8(sign, vandq_u8(part, half)))
#define NEON_SPACE(part) vceqq_u8(part, vqtbl1q_u8(space, vandq_u8(part, half)))
#define NEON_HIGH(part) vcgeq_u8(part, vdupq_n_u8(0x80))
    masks.quote = NEON_BITS(NEON_QUOTE);
    masks.backslash = NEON_BITS(NEON_BACKSLASH);
    masks.control = NEON_BITS(NEON_CONTROL);
    masks.sign = NEON_BITS(NEON_SIGN);
    masks.space = NEON_BITS(NEON_SPACE);
    masks.high = NEON_BITS(NEON_HIGH);
    return masks;
}

/* Returns the UTF-8 errors in now. before: the bytes in front of it. */
INDEX_INLINE uint8x16_t neon_errors(uint8x16_t before, uint8x16_t now)
{
    static const unsigned char first_high[16] = UTF8_FIRST_HIGH;
    static const unsigned char first_low[16] = UTF8_FIRST_LOW;
    static const unsigned char second_high[16] = UTF8_SECOND_HIGH;
    const uint8x16_t one = vextq_u8(before, now, 15);
    const uint8x16_t two = vextq_u8(before, now, 14);
    const uint8x16_t three = vextq_u8(before, now, 13);
    const uint8x16_t errors =
        vandq_u8(vandq_u8(vqtbl1q_u8(vld1q_u8(first_high), vshrq_n_u8(one, 4)),
                          vqtbl1q_u8(vld1q_u8(first_low),
                                     vandq_u8(one, vdupq_n_u8(0x0F)))),
                 vqtbl1q_u8(vld1q_u8(second_high), vshrq_n_u8(now, 4)));
    /* As in index_avx2.c: where two continuations are required. */
    const uint8x16_t must = vorrq_u8(vqsubq_u8(two, vdupq_n_u8(0xE0 - 0x80)),
                                     vqsubq_u8(three, vdupq_n_u8(0xF0 - 0x80)));

    return veorq_u8(vandq_u8(must, vdupq_n_u8(0x80)), errors);
}

INDEX_INLINE uint8x16_t neon_begin(const struct surety__scan *scan, size_t at)
{
    return at ? vld1q_u8((const uint8_t *)scan->text + at - 16) : vdupq_n_u8(0);
}

INDEX_INLINE uint64_t neon_utf8(const struct surety__scan *scan,
                                const neon_block *block, uint64_t high,
                                size_t offset, uint8x16_t *before)
{
    uint8x16_t errors = vdupq_n_u8(0);

    (void)scan, (void)offset;
    if (high || vmaxvq_u8(*before) >= 0x80) {
        errors = neon_errors(*before, block->part[0]);
        for (int i = 1; i < 4; i++)
            errors = vorrq_u8(errors,
                              neon_errors(block->part[i - 1], block->part[i]));
    }
    *before = block->part[3];
    return vmaxvq_u8(errors);
}

INDEX_INLINE uint32_t *neon_write(uint32_t *out, uint64_t bits, uint32_t offset)
{
    return index_write_count(out, bits, (unsigned)__builtin_popcountll(bits),
                             offset);
}

#define neon_part(scan, at, copy) neon_load(index_part(scan, at, copy))
#define neon_parity index_parity
#include "json/index_kernel.inc"
#else
/* A file may not be empty (C17, 6.9). */
typedef int index_neon_unused;
#endif
