/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerant reader, signs: the characters outside strings, in every form
 * that a model writes: typographic quotes, full-width signs, blanks of Unicode,
 * and signs that a backslash escapes. */
#include "json/lenient.h"

/* One row holds 16 bytes. The values are sums of BYTE_PLAIN 1, BYTE_NAME 2,
 * BYTE_STOP 4 and BYTE_SIGN 8. */
/* clang-format off */
const unsigned char surety__lenient_bytes[256] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 0, 4, 4, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    4, 0, 12, 4, 3, 0, 8, 12, 4, 4, 0, 0, 4, 2, 2, 4,
    3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 0, 4, 0, 0, 0, 0,
    0, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3,
    3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 12, 4, 0, 3,
    12, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3,
    3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 0, 4, 0, 0,
    14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14,
    14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14,
    14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14,
    14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14,
    14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14,
    14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14,
    14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14,
    14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14,
};
/* clang-format on */

static struct sign sign_make(int code, unsigned len)
{
    return (struct sign){.code = code, .len = (uint8_t)len, .odd = true};
}

static struct sign sign_quote(uint8_t style, unsigned len)
{
    return (struct sign){.code = SIGN_QUOTE,
                         .len = (uint8_t)len,
                         .style = style,
                         .odd = style != STYLE_DOUBLE};
}

/* The code points above 0x7F that are signs, in order. */
static const struct sign_row {
    uint32_t first, last;
    int code;
    uint8_t style; /* of a quote */
} sign_rows[] = {
    {0xA0, 0xA0, ' ', 0}, /* no-break space */
    {0xAB, 0xAB, SIGN_QUOTE, STYLE_ANGLE},
    {0xBB, 0xBB, SIGN_QUOTE, STYLE_ANGLE},
    {0x180E, 0x180E, ' ', 0}, /* Mongolian vowel separator */
    {0x2000, 0x200B, ' ', 0}, /* category Zs, zero-width space */
    {0x2018, 0x201B, SIGN_QUOTE, STYLE_CURLY_SINGLE},
    {0x201C, 0x201F, SIGN_QUOTE, STYLE_CURLY},
    {0x2026, 0x2026, SIGN_DOTS, 0},
    {0x2028, 0x2029, '\n', 0}, /* line separator, paragraph separator */
    {0x202F, 0x202F, ' ', 0},
    {0x2033, 0x2033, SIGN_QUOTE, STYLE_CURLY}, /* double prime */
    {0x2036, 0x2036, SIGN_QUOTE, STYLE_CURLY},
    {0x205F, 0x2060, ' ', 0},
    {0x3000, 0x3000, ' ', 0},
    {0xFEFF, 0xFEFF, ' ', 0},
    {0xFF02, 0xFF02, SIGN_QUOTE, STYLE_CURLY},
    {0xFF0C, 0xFF0C, ',', 0},
    {0xFF1A, 0xFF1A, ':', 0},
    {0xFF1B, 0xFF1B, ';', 0},
    {0xFF1D, 0xFF1D, '=', 0},
    {0xFF3B, 0xFF3B, '[', 0},
    {0xFF3D, 0xFF3D, ']', 0},
    {0xFF5B, 0xFF5B, '{', 0},
    {0xFF5D, 0xFF5D, '}', 0},
};

/* Returns the sign for the character above 0x7F at ptr. */
static struct sign sign_wide(const char *ptr, const char *end)
{
    unsigned len;
    const uint32_t code = surety__utf8_decode(ptr, end, &len);

    for (size_t i = 0; i < sizeof(sign_rows) / sizeof(*sign_rows); i++) {
        const struct sign_row *row = &sign_rows[i];

        if (code >= row->first && code <= row->last)
            return row->code == SIGN_QUOTE ? sign_quote(row->style, len)
                                           : sign_make(row->code, len);
    }
    return sign_make(SIGN_OTHER, 1);
}

/* Reads a backslash outside any string. It comes from a text that was escaped
 * as a whole, quotes and line ends included. */
static struct sign sign_backslash(const surety_lenient *lenient, size_t at)
{
    if (at + 1 == lenient->end) {
        struct sign sign = sign_make(lenient->final ? '\\' : SIGN_END, 1);

        sign.lack = !lenient->final;
        return sign;
    }
    switch (lenient->text[at + 1]) {
    case '"': return sign_quote(STYLE_ESCAPED, 2);
    case 'n': return sign_make('\n', 2);
    case 'r':
    case 't': return sign_make(' ', 2);
    default: return (struct sign){.code = '\\', .len = 1};
    }
}

/* Reads an ampersand: a quote may be written as an entity of HTML. */
static struct sign sign_entity(const surety_lenient *lenient, size_t at)
{
    static const char entity[] = "&quot;";
    const size_t left = lenient->end - at, len = sizeof(entity) - 1;

    if (memcmp(lenient->text + at, entity, left < len ? left : len) != 0 ||
        (left < len && lenient->final))
        return (struct sign){.code = '&', .len = 1};
    if (left >= len)
        return sign_quote(STYLE_ENTITY, (unsigned)len);
    return (struct sign){.code = SIGN_END, .len = 1, .lack = true};
}

struct sign surety__lenient_sign_odd(const surety_lenient *lenient, size_t at)
{
    const char *ptr = lenient->text + at, *end = lenient->text + lenient->end;
    const unsigned char byte = (unsigned char)*ptr;

    assert(ptr < end);
    if (byte < 0x80) {
        if (byte == '\\')
            return sign_backslash(lenient, at);
        if (byte == '&')
            return sign_entity(lenient, at);
        return sign_quote(byte == '"'   ? STYLE_DOUBLE
                          : byte == '`' ? STYLE_BACKTICK
                                        : STYLE_SINGLE,
                          1);
    }
    if (byte != 0xC2 && byte != 0xE1 && byte != 0xE2 && byte != 0xE3 &&
        byte != 0xEF)
        return sign_make(SIGN_OTHER, 1);
    if (end - ptr >= (byte == 0xC2 ? 2 : 3))
        return sign_wide(ptr, end);
    if (lenient->final)
        return sign_make(SIGN_OTHER, 1);
    return (struct sign){.code = SIGN_END, .len = 1, .lack = true};
}

int surety__lenient_prefix(const surety_lenient *lenient)
{
    const char byte = lenient->text[lenient->at];
    char next[2];

    if (!memchr("ubfrUBFR", byte, 8))
        return 0;
    for (size_t i = 1; i < 3; i++) {
        if (lenient->at + i == lenient->end)
            return lenient->final ? 0 : -1;
        next[i - 1] = lenient->text[lenient->at + i];
        if (next[0] != '\'' && next[0] != '"')
            return 0;
    }
    /* b", is a text that lacks its first quote. */
    return next[1] != ',' && next[1] != '}' && next[1] != ']' &&
           !scan_is_space(next[1]);
}
