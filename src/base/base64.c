/* SPDX-License-Identifier: Apache-2.0 */
/* Base64 with padding (RFC 4648, section 4). Encoding is canonical: the unused
 * bits of the last digit are 0. Decoding appends bytes as far as the text is
 * base64, and says whether the text is canonical. It knows neither line ends
 * nor the alphabet for URLs. */
#include "base/base.h"

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void surety__base64_encode(surety_buf *out, surety_str bytes)
{
    for (size_t i = 0; i < bytes.len; i += 3) {
        const size_t rest = bytes.len - i;
        const unsigned char *at = (const unsigned char *)bytes.ptr + i;
        const uint32_t word = (uint32_t)at[0] << 16 |
                              (rest > 1 ? (uint32_t)at[1] << 8 : 0) |
                              (rest > 2 ? (uint32_t)at[2] : 0);

        surety_buf_byte(out, base64_digits[word >> 18]);
        surety_buf_byte(out, base64_digits[word >> 12 & 63]);
        surety_buf_byte(out, rest > 1 ? base64_digits[word >> 6 & 63] : '=');
        surety_buf_byte(out, rest > 2 ? base64_digits[word & 63] : '=');
    }
}

bool surety__base64_decode(surety_buf *out, surety_str text)
{
    bool canonical = text.len % 4 == 0;
    unsigned bits = 0;
    unsigned count = 0; /* of bits */
    size_t padding = 0;

    while (padding < 2 && padding < text.len &&
           text.ptr[text.len - padding - 1] == '=')
        padding++;
    for (size_t i = 0; i < text.len - padding; i++) {
        const char *digit = memchr(base64_digits, text.ptr[i], 64);

        if (!digit)
            return false;
        bits = (bits << 6 | (unsigned)(digit - base64_digits)) & 0x3FFF;
        count += 6;
        if (count < 8)
            continue;
        count -= 8;
        surety_buf_byte(out, (char)(unsigned char)(bits >> count));
    }
    assert(count < 8);
    return canonical && (bits & ((1u << count) - 1)) == 0;
}
