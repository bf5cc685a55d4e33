/* SPDX-License-Identifier: Apache-2.0 */
/* Text for terminals. What a model wrote is somebody else's text, values too:
 * a terminal shows it and does nothing that stands in it. */
#include "shown.h"

#include <unistd.h>

#include "cli.h"

/* Whether a terminal would act on it, or it hides or turns what stands around
 * it: C0 and C1 controls, and the bidirectional ones (Unicode 15, 23.2). */
static bool is_acted_on(uint32_t code)
{
    return (code < 0x20 && code != '\n' && code != '\t') ||
           (code >= 0x7F && code < 0xA0) || code == 0x200E || code == 0x200F ||
           code == 0x061C || code == 0x2028 || code == 0x2029 ||
           (code >= 0x202A && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

/* The bytes that a character has whose first is this; 1: none begins so. */
static unsigned length_of(unsigned char first)
{
    if (first < 0xC2 || first > 0xF4)
        return 1;
    return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

static void put_bytes(struct shown *shown, surety_buf *out)
{
    for (unsigned i = 0; i < shown->len; i++)
        put_format(out, "\\x%02X", shown->bytes[i]);
    shown->len = 0;
}

static void put_character(struct shown *shown, surety_buf *out)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t code = shown->bytes[0] & (0x7Fu >> shown->len);

    for (unsigned i = 1; i < shown->len; i++)
        code = code << 6 | (shown->bytes[i] & 0x3Fu);
    if (code < least[shown->len] || code > 0x10FFFF ||
        (code >= 0xD800 && code <= 0xDFFF)) {
        put_bytes(shown, out);
        return;
    }
    if (is_acted_on(code))
        put_format(out, shown->is_json ? "\\u%04x" : "\\u{%04X}",
                   (unsigned)code);
    else
        surety_buf_append(out, (const char *)shown->bytes, shown->len);
    shown->len = 0;
}

void shown_put(struct shown *shown, surety_str text, surety_buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char byte = (unsigned char)text.ptr[i];
        if (shown->len > 0 && (byte & 0xC0) != 0x80)
            put_bytes(shown, out);
        if (shown->len == 0 && byte < 0x80) {
            if (is_acted_on(byte) ||
                (shown->is_line && (byte == '\n' || byte == '\t')))
                put_format(out, shown->is_json ? "\\u%04x" : "\\x%02X", byte);
            else
                surety_buf_byte(out, (char)byte);
            continue;
        }
        if (shown->len == 0)
            shown->want = length_of(byte);
        shown->bytes[shown->len++] = byte;
        if (shown->want == 1)
            put_bytes(shown, out);
        else if (shown->len == shown->want)
            put_character(shown, out);
    }
}

void shown_done(struct shown *shown, surety_buf *out)
{
    put_bytes(shown, out);
}

void shown_json(struct output *output, size_t start)
{
    struct shown shown = {.is_json = true};
    surety_buf *out = &output->buf;
    surety_buf text;

    if (!isatty(output->fd))
        return;
    surety_buf_init(&text, NULL, 0);
    shown_put(&shown, (surety_str){out->ptr + start, out->len - start}, &text);
    shown_done(&shown, &text);
    out->len = start;
    surety_buf_add(out, surety_buf_str(&text));
    if (text.status != SURETY_OK)
        out->status = text.status;
    surety_buf_done(&text);
}
