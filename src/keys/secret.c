/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets: 256 random bits in base64url (RFC 4648, section 5) behind a prefix
 * by which programs that look for leaked secrets know them. A digest without
 * salt and rounds is enough: so many random bits cannot be guessed, however
 * fast a guess is checked. */
#include "keys/keys.h"

#include <sys/random.h>

#define SECRET_PREFIX "sk-surety-"
#define SECRET_BYTES 32

/* ---- SHA-256 (FIPS 180-4, section 6.2) ----------------------------------- */

static const uint32_t secret_rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t secret_turn(uint32_t word, unsigned by)
{
    return word >> by | word << (32 - by);
}

static void secret_block(uint32_t state[8], const unsigned char *block)
{
    uint32_t words[64];
    uint32_t s[8];

    for (size_t i = 0; i < 16; i++)
        words[i] = (uint32_t)block[4 * i] << 24 |
                   (uint32_t)block[4 * i + 1] << 16 |
                   (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (size_t i = 16; i < 64; i++) {
        const uint32_t a = words[i - 15];
        const uint32_t b = words[i - 2];

        words[i] = words[i - 16] + words[i - 7] +
                   (secret_turn(a, 7) ^ secret_turn(a, 18) ^ a >> 3) +
                   (secret_turn(b, 17) ^ secret_turn(b, 19) ^ b >> 10);
    }
    memcpy(s, state, sizeof(s));
    for (size_t i = 0; i < 64; i++) {
        const uint32_t first = s[7] +
                               (secret_turn(s[4], 6) ^ secret_turn(s[4], 11) ^
                                secret_turn(s[4], 25)) +
                               ((s[4] & s[5]) ^ (~s[4] & s[6])) +
                               secret_rounds[i] + words[i];
        const uint32_t second = (secret_turn(s[0], 2) ^ secret_turn(s[0], 13) ^
                                 secret_turn(s[0], 22)) +
                                ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

        memmove(s + 1, s, 7 * sizeof(*s));
        s[4] += first;
        s[0] = first + second;
    }
    for (size_t i = 0; i < 8; i++)
        state[i] += s[i];
}

void surety__sha256(surety_str bytes, char out[SURETY__DIGEST_LEN])
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const uint64_t bits = (uint64_t)bytes.len * 8;
    unsigned char last[128] = {0};
    size_t rest = bytes.len % 64;
    const size_t size = rest < 56 ? 64 : 128;

    for (size_t at = 0; at + 64 <= bytes.len; at += 64)
        secret_block(state, (const unsigned char *)bytes.ptr + at);
    if (rest)
        memcpy(last, bytes.ptr + bytes.len - rest, rest);
    last[rest] = 0x80;
    for (size_t i = 0; i < 8; i++)
        last[size - 1 - i] = (unsigned char)(bits >> 8 * i & 0xFF);
    for (size_t at = 0; at < size; at += 64)
        secret_block(state, last + at);
    for (size_t i = 0; i < SURETY__DIGEST_LEN; i++)
        out[i] = (char)(state[i / 4] >> (24 - 8 * (i % 4)) & 0xFF);
}

bool surety__digest_equal(const char *a, const char *b)
{
    unsigned char differs = 0;

    for (size_t i = 0; i < SURETY__DIGEST_LEN; i++)
        differs |= (unsigned char)(a[i] ^ b[i]);
    return !differs;
}

/* ---- making -------------------------------------------------------------- */

static surety_status secret_random(void *out, size_t len, surety_error *reterr)
{
    if (!getentropy(out, len))
        return SURETY_OK;
    return surety__fail(reterr, SURETY_IO, "the system gives no random bytes");
}

static bool secret_is_digit(char byte)
{
    return surety__is_digit(byte) || surety__is_letter(byte) || byte == '-' ||
           byte == '_';
}

surety_status surety__secret_make(char out[SURETY__SECRET_LEN],
                                  surety_error *reterr)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrs"
                                 "tuvwxyz0123456789-_";
    unsigned char bytes[SECRET_BYTES + 1] = {0};
    const surety_status status = secret_random(bytes, SECRET_BYTES, reterr);
    size_t at = sizeof(SECRET_PREFIX) - 1;

    if (status)
        return status;
    memcpy(out, SECRET_PREFIX, at);
    /* Six bits a character; the last one has four bits, and two that are 0. */
    for (size_t bit = 0; at < SURETY__SECRET_LEN; at++, bit += 6) {
        const unsigned pair =
            (unsigned)bytes[bit / 8] << 8 |
            (bit / 8 + 1 < sizeof(bytes) ? (unsigned)bytes[bit / 8 + 1] : 0);

        out[at] = digits[pair >> (10 - bit % 8) & 63];
    }
    return SURETY_OK;
}

bool surety__secret_formed(surety_str text)
{
    bool is_formed = text.len == SURETY__SECRET_LEN &&
                     surety__str_starts(text, SURETY__LITERAL(SECRET_PREFIX));

    for (size_t i = 0; is_formed && i < text.len; i++)
        is_formed = secret_is_digit(text.ptr[i]);
    return is_formed;
}

surety_status surety__id_make(char *out, size_t len, surety_error *reterr)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[32];
    const surety_status status = secret_random(bytes, (len + 1) / 2, reterr);

    assert(len <= 2 * sizeof(bytes));
    for (size_t i = 0; i < len && !status; i++)
        out[i] = digits[bytes[i / 2] >> (i % 2 ? 0 : 4) & 15];
    return status;
}
