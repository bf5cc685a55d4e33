/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as text. The line shown is at most a terminal wide: of a longer one
 * (minified JSON is one line) only the part around the place is cut out. Tabs
 * and control characters become one space each and broken UTF-8 one question
 * mark a byte, so the caret stands where it should and no reply can send
 * commands to a terminal. */
#include "diag.h"

#include <string.h>

#include "cli.h"

enum {
    SHOWN_COLUMNS = 72, /* of the source line */
    SHOWN_BEFORE = 48   /* of them in front of the place, at most */
};

static const char *diag_paint(bool color, const char *code)
{
    return color ? code : "";
}

/* The length in bytes of the character at ptr: 1 for a byte that is no start
 * of well-formed UTF-8 (RFC 3629, section 4). */
static size_t char_len(const char *ptr, const char *end)
{
    const unsigned char lead = (unsigned char)*ptr;
    const size_t want = lead < 0x80                   ? 1
                        : lead >= 0xC2 && lead < 0xE0 ? 2
                        : lead >= 0xE0 && lead < 0xF0 ? 3
                        : lead >= 0xF0 && lead < 0xF5 ? 4
                                                      : 0;

    if (want == 0 || (size_t)(end - ptr) < want)
        return 1;
    for (size_t i = 1; i < want; i++)
        if (((unsigned char)ptr[i] & 0xC0) != 0x80)
            return 1;
    return want;
}

static void put_char(surety_buf *buf, const char *ptr, size_t len)
{
    const unsigned char byte = (unsigned char)*ptr;

    if (len > 1)
        surety_buf_append(buf, ptr, len);
    else if (byte < 0x20 || byte == 0x7F)
        surety_buf_byte(buf, ' ');
    else
        surety_buf_byte(buf, byte < 0x80 ? (char)byte : '?');
}

/* Where the line shown starts: the place's line, or what is left of it after
 * cutting all but SHOWN_BEFORE characters in front of the place. */
static const char *shown_start(const char *start, const char *place,
                               size_t *ret_before)
{
    size_t before = 0;

    for (const char *ptr = start; ptr < place; before++)
        ptr += char_len(ptr, place);
    for (; before > SHOWN_BEFORE; before--)
        start += char_len(start, place);
    *ret_before = before;
    return start;
}

/* The source line and the carets under the place. */
static void put_excerpt(surety_buf *buf, bool color, const struct diag *diag)
{
    const char *text_end = diag->text.ptr + diag->text.len;
    const char *place = diag->text.ptr + diag->position.offset;
    const char *place_end = place;
    const char *start = place;
    const char *ptr;
    size_t before;
    size_t shown = 0;
    size_t carets = 0;

    if ((size_t)(text_end - place) > diag->position.length)
        place_end += diag->position.length;
    else
        place_end = text_end;
    while (start > diag->text.ptr && start[-1] != '\n' && start[-1] != '\r')
        start--;
    start = shown_start(start, place, &before);
    put_format(
        buf, "%s%5u |%s ", diag_paint(color, "\033[34m"),
        (unsigned)(diag->line_shown ? diag->line_shown : diag->position.line),
        diag_paint(color, "\033[0m"));
    for (ptr = start; ptr < text_end && *ptr != '\n' && *ptr != '\r' &&
                      shown < SHOWN_COLUMNS;
         shown++) {
        const size_t len = char_len(ptr, text_end);
        carets += ptr >= place && ptr < place_end;
        put_char(buf, ptr, len);
        ptr += len;
    }
    put_format(buf, "\n%s      |%s ", diag_paint(color, "\033[34m"),
               diag_paint(color, "\033[0m"));
    for (size_t i = 0; i < before; i++)
        surety_buf_byte(buf, ' ');
    surety_buf_text(buf, diag_paint(color, "\033[1;31m"));
    for (size_t i = 0; i == 0 || i < carets; i++)
        surety_buf_byte(buf, '^');
    surety_buf_text(buf, diag_paint(color, "\033[0m"));
    if (diag->at.len > 0) {
        surety_buf_text(buf, " at ");
        put_safe(buf, diag->at);
    }
    surety_buf_byte(buf, '\n');
}

static void put_note(surety_buf *buf, bool color, const char *label,
                     surety_str text)
{
    if (text.len == 0)
        return;
    put_format(buf, "%s      =%s %s", diag_paint(color, "\033[34m"),
               diag_paint(color, "\033[0m"), label);
    put_safe(buf, text);
    surety_buf_byte(buf, '\n');
}

void diag_write(surety_buf *buf, bool color, const struct diag *diag)
{
    const bool is_error = diag->level == DIAG_ERROR;
    const bool has_place = diag->position.line > 0;
    const bool has_line = has_place && diag->text.len > 0 &&
                          diag->position.offset <= diag->text.len;

    surety_buf_text(buf, diag_paint(color, "\033[1m"));
    put_safe(buf, diag->source);
    if (has_place)
        put_format(buf, ":%u:%u",
                   (unsigned)(diag->line_shown ? diag->line_shown
                                               : diag->position.line),
                   (unsigned)diag->position.column);
    put_format(buf, ":%s %s%s", diag_paint(color, "\033[0m"),
               diag_paint(color, is_error ? "\033[1;31m" : "\033[1;33m"),
               is_error ? "error" : "warning");
    if (diag->keyword.len > 0)
        put_format(buf, "[%.*s]", (int)diag->keyword.len, diag->keyword.ptr);
    put_format(buf, "%s: ", diag_paint(color, "\033[0m"));
    put_safe(buf, diag->message);
    surety_buf_byte(buf, '\n');
    if (has_line)
        put_excerpt(buf, color, diag);
    else
        put_note(buf, color, "at ", diag->at);
    put_note(buf, color, "", diag->note);
    put_note(buf, color, "hint: ", diag->hint);
}
