/* SPDX-License-Identifier: Apache-2.0 */
/* Makes text safe for terminals. The text and the values of a model are not
 * trusted: a terminal must show them and must not interpret control characters
 * in them. */
#include "shown.h"

#include <unistd.h>

#include "cli.h"

/* Returns whether a terminal would interpret a character, or whether it
 * reverses the text around it, or is invisible and can hide a text: C0 and C1
 * controls, line separators, bidirectional and other format characters (Unicode
 * 15, 23.2 to 23.9). The joiners U+200C and U+200D are allowed, because words
 * need them. */
static bool is_acted_on(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {{0, 0x1F},         {0x7F, 0x9F},     {0x61C, 0x61C},
                  {0x200B, 0x200B},  {0x200E, 0x200F}, {0x2028, 0x202E},
                  {0x2060, 0x206F},  {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB},
                  {0xE0000, 0xE007F}};

    for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}

/* Returns the length of a character by its first byte; 1: ASCII, or no
 * character begins with that byte. */
static unsigned length_of(unsigned char first)
{
    if (first < 0xC2 || first > 0xF4)
        return 1;
    return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

uint32_t shown_letter(const unsigned char *ptr, size_t left, unsigned *ret_len)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned len = length_of(ptr[0]);
    uint32_t code = len == 1 ? ptr[0] : ptr[0] & (0x7Fu >> len);

    *ret_len = 1;
    if (len > left || (len == 1 && code >= 0x80))
        return SHOWN_NO_LETTER;
    for (unsigned i = 1; i < len; i++) {
        if ((ptr[i] & 0xC0) != 0x80)
            return SHOWN_NO_LETTER;
        code = code << 6 | (ptr[i] & 0x3Fu);
    }
    if (code < least[len] || code > 0x10FFFF ||
        (code >= 0xD800 && code <= 0xDFFF))
        return SHOWN_NO_LETTER;
    *ret_len = len;
    return code;
}

static void put_escaped(const struct shown *shown, uint32_t code,
                        surety_buf *out)
{
    if (!shown->is_json)
        put_format(out, code < 0x80 ? "\\x%02X" : "\\u{%04X}", (unsigned)code);
    else if (code > 0xFFFF)
        put_format(out, "\\u%04x\\u%04x", 0xD7C0 + (unsigned)(code >> 10),
                   0xDC00 + (unsigned)(code & 0x3FF));
    else
        put_format(out, "\\u%04x", (unsigned)code);
}

/* Appends the collected bytes: a character, or bytes that are not UTF-8. */
static void put_gathered(struct shown *shown, surety_buf *out)
{
    const unsigned gathered = shown->len;
    unsigned len;
    uint32_t code;

    shown->len = 0;
    if (gathered == 0)
        return;
    code = shown_letter(shown->bytes, gathered, &len);
    if (code == SHOWN_NO_LETTER)
        for (unsigned i = 0; i < gathered; i++)
            put_format(out, "\\x%02X", shown->bytes[i]);
    else if (is_acted_on(code) &&
             (shown->is_line || (code != '\n' && code != '\t')))
        put_escaped(shown, code, out);
    else
        surety_buf_append(out, (const char *)shown->bytes, gathered);
}

void shown_put(struct shown *shown, surety_str text, surety_buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char byte = (unsigned char)text.ptr[i];
        if (shown->len > 0 && (byte & 0xC0) != 0x80)
            put_gathered(shown, out);
        shown->bytes[shown->len++] = byte;
        if (shown->len == length_of(shown->bytes[0]))
            put_gathered(shown, out);
    }
}

void shown_done(struct shown *shown, surety_buf *out)
{
    put_gathered(shown, out);
}
void shown_text(struct output *output, surety_str text, bool is_json)
{
    struct shown shown = {.is_json = is_json};

    if (!isatty(output->fd)) {
        surety_buf_add(&output->buf, text);
        return;
    }
    shown_put(&shown, text, &output->buf);
    shown_done(&shown, &output->buf);
}

void shown_json(struct output *output, size_t start)
{
    surety_buf *out = &output->buf;
    surety_buf text;

    if (!isatty(output->fd))
        return;
    surety_buf_init(&text, NULL, 0);
    surety_buf_add(&text, put_since(out, start));
    out->len = start;
    shown_text(output, surety_buf_str(&text), true);
    if (text.status != SURETY_OK)
        out->status = text.status;
    surety_buf_done(&text);
}
