/* SPDX-License-Identifier: Apache-2.0 */
/* What formats take, compared byte for byte with case files.
 *
 *     formats_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case:
 *
 *     === format    names of formats, a line each; with " 7" and so on behind
 *                   one, that of the dialect (as surety_dialect counts;
 * 2020-12)
 *     === texts     a text each line, escapes as in C
 *     === taken     by format: of each text whether it is taken. Of one that
 * is: which ASCII characters may stand at each place instead of what stands
 * there, which may be left out, and which may stand twice
 *
 * So every end of every range of characters is seen from both sides. With
 * --update what is taken is written anew, for a person to review. */
#include "golden/cases.h"

#include <string.h>

#include "schema/format.h"

#include "base/base.h"

enum { TEXT_MAX = 512 };

static void say_char(surety_buf *out, unsigned c)
{
    if (c > 0x20 && c < 0x7F)
        surety_buf_byte(out, (char)c);
    else
        surety__buf_printf(out, "<%02x>", c);
}

/* The characters that may be at `at`, as ranges. */
static void say_instead(surety_buf *out, surety__format_fn is, surety_str text,
                        size_t at)
{
    char other[TEXT_MAX];
    bool taken[129] = {false};

    if ((unsigned char)text.ptr[at] >= 0x80)
        return;
    memcpy(other, text.ptr, text.len);
    for (unsigned c = 0; c < 128; c++) {
        other[at] = (char)c;
        taken[c] = is((surety_str){other, text.len});
    }
    for (unsigned c = 0; c < 128; c++) {
        const unsigned first = c;

        if (!taken[c])
            continue;
        while (taken[c + 1])
            c++;
        surety_buf_byte(out, ' ');
        say_char(out, first);
        if (c > first) {
            surety_buf_text(out, c > first + 1 ? "-" : " ");
            say_char(out, c);
        }
    }
}

/* Each place's characters; places in a row that take the same are one line. */
static void say_places(surety_buf *out, surety__format_fn is, surety_str text)
{
    surety_buf last, now;
    size_t from = 0;

    surety_buf_init(&last, NULL, 0);
    surety_buf_init(&now, NULL, 0);
    for (size_t at = 0; at <= text.len; at++) {
        surety_buf_reset(&now);
        if (at < text.len)
            say_instead(&now, is, text, at);
        if (at &&
            (at == text.len ||
             !surety_str_equal(surety_buf_str(&now), surety_buf_str(&last)))) {
            surety_buf_text(out, "    ");
            surety_buf_append(out, text.ptr + from, at - from);
            surety_buf_text(out, " :");
            surety_buf_add(out, surety_buf_str(&last));
            surety_buf_byte(out, '\n');
            from = at;
        }
        surety_buf_reset(&last);
        surety_buf_add(&last, surety_buf_str(&now));
    }
    surety_buf_done(&last);
    surety_buf_done(&now);
}

/* The text with "_" for each character that may be left out, or stand twice. */
static void say_marks(surety_buf *out, surety__format_fn is, surety_str text,
                      bool twice)
{
    char other[TEXT_MAX + 1];

    surety_buf_text(out, twice ? "    twice   " : "    without ");
    for (size_t at = 0; at < text.len; at++) {
        const size_t rest = at + !twice; /* where the text goes on */
        const size_t len = at + twice + text.len - rest;
        const bool wide = (unsigned char)text.ptr[at] >= 0x80;

        memcpy(other, text.ptr, at + twice);
        memcpy(other + at + twice, text.ptr + rest, text.len - rest);
        surety_buf_byte(
            out, !wide && is((surety_str){other, len}) ? '_' : text.ptr[at]);
    }
    surety_buf_byte(out, '\n');
}

static void say_text(surety_buf *out, surety__format_fn is, surety_str text)
{
    const bool taken = is(text);

    surety_buf_text(out, taken ? "  yes " : "  no  ");
    surety_json_string(out, text);
    surety_buf_byte(out, '\n');
    /* Which A-labels there are depends on the Unicode of the library. */
    if (!taken || !text.len ||
        surety__str_find(text, SURETY__LITERAL("xn--")) < text.len)
        return;
    say_places(out, is, text);
    say_marks(out, is, text, false);
    say_marks(out, is, text, true);
}

/* The bytes of a line: \xNN and so on are taken back. */
static surety_str line_text(surety_str line, char bytes[TEXT_MAX * 2])
{
    size_t len = 0;

    for (size_t i = 0; i < line.len && len < TEXT_MAX * 2; i++) {
        unsigned code = (unsigned char)line.ptr[i];

        if (code == '\\' && i + 3 < line.len && line.ptr[i + 1] == 'x') {
            static const char digits[] = "0123456789abcdef";

            code = (unsigned)(strchr(digits, line.ptr[i + 2]) - digits) * 16 +
                   (unsigned)(strchr(digits, line.ptr[i + 3]) - digits);
            i += 3;
        }
        bytes[len++] = (char)code;
    }
    return (surety_str){bytes, len};
}

static void say_format(struct golden *golden, surety_str name)
{
    unsigned dialect = SURETY_DIALECT_2020_12;
    surety_str rest = golden_body(golden, "texts");
    surety__format_fn is;
    surety_str line;

    surety_buf_add(&golden->made, name);
    surety_buf_byte(&golden->made, '\n');
    if (name.len > 2 && name.ptr[name.len - 2] == ' ') {
        dialect = (unsigned)(name.ptr[name.len - 1] - '0');
        name.len -= 2;
    }
    is = surety__format_find(name, 1u << dialect);
    if (!is) {
        surety_buf_text(&golden->made, "  is not known\n");
        return;
    }
    while (golden_line(&rest, &line)) {
        char bytes[TEXT_MAX * 2];

        say_text(&golden->made, is, line_text(line, bytes));
    }
}

static bool run(struct golden *golden)
{
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_section *section = &golden->sections[i];
        surety_str rest = golden_body(golden, "format");
        surety_str line;

        if (!golden_is(section, "taken")) {
            golden_keep(golden, section);
            continue;
        }
        golden_begin(golden, section);
        while (golden_line(&rest, &line))
            say_format(golden, line);
    }
    return true;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
