/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above
 * U+10FFFF. Invalid bytes are read one maximal subpart at a time (Unicode 15.0,
 * section 3.9), so that replacements are the same as in other programs. */
#include "base/base.h"

/* Gives the range of the second byte, by the first byte (Unicode 15.0, table
 * 3-7). */
static void utf8_second(unsigned char first, unsigned char *low,
                        unsigned char *high)
{
    *low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    *high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
}

uint32_t surety__utf8_decode(const char *ptr, const char *end,
                             unsigned *ret_len)
{
    const unsigned char *byte = (const unsigned char *)ptr;
    size_t left = (size_t)(end - ptr);
    unsigned char low, high;
    unsigned want;
    uint32_t code;

    assert(ptr < end);
    *ret_len = 1;
    if (byte[0] < 0x80)
        return byte[0];
    if (byte[0] < 0xC2 || byte[0] > 0xF4)
        return UINT32_MAX;
    want = byte[0] < 0xE0 ? 2 : byte[0] < 0xF0 ? 3 : 4;
    utf8_second(byte[0], &low, &high);
    code = byte[0] & (0xFFu >> (want + 1));
    for (unsigned i = 1; i < want; i++) {
        if (i >= left || byte[i] < low || byte[i] > high)
            return UINT32_MAX;
        code = code << 6 | (byte[i] & 0x3Fu);
        *ret_len = i + 1;
        low = 0x80;
        high = 0xBF;
    }
    return code;
}

unsigned surety__utf8_encode(uint32_t code, char *out)
{
    assert(code <= 0x10FFFF);
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xC0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xE0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3F));
        out[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3F));
    out[2] = (char)(0x80 | (code >> 6 & 0x3F));
    out[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}

bool surety__utf8_valid(surety_str text, size_t *ret_offset)
{
    const char *ptr = text.ptr;
    const char *end;

    if (!text.len)
        return true;
    end = text.ptr + text.len;
    while (ptr < end) {
        unsigned len;
        uint64_t eight;

        if (end - ptr >= 8) {
            memcpy(&eight, ptr, 8);
            if (!(eight & 0x8080808080808080u)) {
                ptr += 8;
                continue;
            }
        }
        if (surety__utf8_decode(ptr, end, &len) == UINT32_MAX) {
            if (ret_offset)
                *ret_offset = (size_t)(ptr - text.ptr);
            return false;
        }
        ptr += len;
    }
    return true;
}

size_t surety__utf8_cut(surety_str text, size_t max)
{
    if (max >= text.len)
        return text.len;
    while (max > 0 && ((unsigned char)text.ptr[max] & 0xC0) == 0x80)
        max--;
    return max;
}

size_t surety__utf8_count(surety_str text)
{
    size_t count = 0;

    for (size_t i = 0; i < text.len; i++)
        count += ((unsigned char)text.ptr[i] & 0xC0) != 0x80;
    return count;
}

bool surety__utf8_is_acted_on(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {{0, 0x1F},         {0x7F, 0x9F},     {0x61C, 0x61C},
                  {0x200B, 0x200B},  {0x200E, 0x200F}, {0x2028, 0x202E},
                  {0x2060, 0x206F},  {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB},
                  {0xE0000, 0xE007F}};

    for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
        if (code <= ranges[i].last)
            return code >= ranges[i].first;
    return false;
}

void surety_buf_shown(surety_buf *buf, surety_str text, bool keeps_lines)
{
    const char *ptr = text.len ? text.ptr : "";
    const char *end = ptr + text.len;

    while (ptr < end) {
        unsigned len;
        const uint32_t code = surety__utf8_decode(ptr, end, &len);
        const bool is_kept = keeps_lines && (code == '\n' || code == '\t');

        if (code == UINT32_MAX)
            for (unsigned i = 0; i < len; i++)
                surety__buf_printf(buf, "\\x%02X", (unsigned char)ptr[i]);
        else if (surety__utf8_is_acted_on(code) && !is_kept)
            surety__buf_printf(buf, code < 0x80 ? "\\x%02X" : "\\u{%04X}",
                               (unsigned)code);
        else
            surety_buf_append(buf, ptr, len);
        ptr += len;
    }
}

void surety__buf_utf8(surety_buf *buf, surety_str text)
{
    const char *ptr = text.len ? text.ptr : "";
    const char *end = ptr + text.len;

    if (!text.len || surety__utf8_valid(text, NULL)) {
        surety_buf_add(buf, text);
        return;
    }
    while (ptr < end) {
        unsigned len;

        if (surety__utf8_decode(ptr, end, &len) == UINT32_MAX)
            surety_buf_text(buf, "\xEF\xBF\xBD");
        else
            surety_buf_append(buf, ptr, len);
        ptr += len;
    }
}

void surety__buf_line(surety_buf *buf, surety_str text, size_t max)
{
    const char *ptr = text.len ? text.ptr : "";
    const char *end = ptr + text.len;

    for (size_t i = 0; ptr < end && i < max; i++) {
        unsigned len;
        const uint32_t code = surety__utf8_decode(ptr, end, &len);

        if (code == UINT32_MAX)
            surety_buf_text(buf, "\xEF\xBF\xBD");
        else if (surety__utf8_is_acted_on(code))
            surety_buf_byte(buf, ' ');
        else
            surety_buf_append(buf, ptr, len);
        ptr += len;
    }
    if (ptr != end)
        surety_buf_text(buf, "...");
}

bool surety__utf8_is_blank(uint32_t code)
{
    return code <= 0x20 || (code >= 0x7F && code <= 0xA0) || code == 0x2028 ||
           code == 0x2029 || code == 0xFFFC;
}

bool surety__utf8_is_hidden(uint32_t code)
{
    return code == 0x200B || code == 0x200E || code == 0x200F ||
           (code >= 0x202A && code <= 0x202E) ||
           (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF ||
           code == 0x061C || code == 0xAD;
}

/* The characters that a terminal acts on, and those that no reader sees: soft
 * hyphens, joiners. */
static bool utf8_is_quoted(uint32_t code)
{
    return surety__utf8_is_acted_on(code) || code == 0xAD || code == 0x200C ||
           code == 0x200D || code == UINT32_MAX;
}

void surety__buf_quoted(surety_buf *out, surety_str text, size_t max)
{
    const char *ptr = text.ptr;
    const char *end = text.len ? text.ptr + text.len : text.ptr;
    const size_t start = out->len;

    while (ptr < end && out->status == SURETY_OK) {
        unsigned len;
        const uint32_t code = surety__utf8_decode(ptr, end, &len);

        if (out->len - start + len > max) {
            surety__buf_printf(out, "... [cut here; %zu bytes in all]",
                               text.len);
            return;
        }
        if (!utf8_is_quoted(code))
            surety_buf_append(out, ptr, len);
        else if (code == UINT32_MAX)
            surety_buf_text(out, "\xEF\xBF\xBD");
        else if (code > 0xFFFF)
            surety__buf_printf(out, "\\u%x\\u%x", 0xD7C0 + (code >> 10),
                               0xDC00 + (code & 0x3FF));
        else
            surety__buf_printf(out, "\\u%s%x",
                               code < 0x10     ? "000"
                               : code < 0x100  ? "00"
                               : code < 0x1000 ? "0"
                                               : "",
                               code);
        ptr += len;
    }
}
