/* SPDX-License-Identifier: Apache-2.0 */
/* What a value asks for, and what is made of it: read by a person.
 *
 *     render_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case: sections that begin with a line "=== KIND".
 *
 *     === shape     what is asked for, and what matters
 *     === options   a line each: census, formulas, bom, svg, labels, both,
 *                   names, page, missing TEXT, rows N ROW (cases.h)
 *     === value     the value
 *     === outputs   an output a line: its place, its file, and what became of
 *                   it; below it the remarks; then the text of a table (of a
 *                   page what is in its body, with the option page all
 *                   of it but the styles; of a workbook what its
 *                   sheets have) behind four blanks, in which
 *                   control characters but line ends stand as \xNN, CR as \r
 *
 * Of a picture in SVG stands what it says of itself, of one in PNG nothing, for
 * the letters are those of the machine. With --update the outputs are written
 * anew, to be read before they are believed. */
#include <surety/render.h>

#include "base/base.h"
#include "golden/cases.h"
#include "golden/workbook.h"

#include <stdio.h>
#include <string.h>

enum { MISSING_MAX = 4 };

/* How a case is rendered. */
struct setting {
    surety_rendering_options options;
    bool is_page;
    surety_str missing[MISSING_MAX];
};

/* ---- reading a case ------------------------------------------------------ */

static void take_option(struct setting *setting, surety_str line)
{
    surety_rendering_options *options = &setting->options;

    options->census |= surety_str_equal(line, surety_str_of("census"));
    options->formulas |= surety_str_equal(line, surety_str_of("formulas"));
    setting->is_page |= surety_str_equal(line, surety_str_of("page"));
    if (surety_str_equal(line, surety_str_of("svg")))
        options->chart_format = SURETY_CHART_SVG;
    options->byte_order_mark |= surety_str_equal(line, surety_str_of("bom"));
    if (surety_str_equal(line, surety_str_of("labels")))
        options->headers = SURETY_HEADERS_LABELS;
    else if (surety_str_equal(line, surety_str_of("names")))
        options->headers = SURETY_HEADERS_NAMES;
    else if (surety_str_equal(line, surety_str_of("both")))
        options->headers = SURETY_HEADERS_BOTH;
    else if (golden_take(&line, "missing ") &&
             options->missing_count < MISSING_MAX)
        setting->missing[options->missing_count++] = line;
}

static void setting_read(const struct golden *golden, struct setting *setting)
{
    surety_str rest = golden_body(golden, "options");
    surety_str line;

    *setting = (struct setting){.options = {.size = sizeof(setting->options),
                                            .missing = setting->missing}};
    while (golden_line(&rest, &line))
        take_option(setting, line);
}

/* ---- telling what was made ----------------------------------------------- */

/* Appends the lines of a text, each behind `indent`. */
static void put_lines(surety_buf *out, surety_str text, const char *indent)
{
    static const char digits[] = "0123456789abcdef";
    bool is_first = true;

    for (size_t i = 0; i < text.len; i++) {
        const unsigned char byte = (unsigned char)text.ptr[i];
        if (is_first && byte != '\n')
            surety_buf_text(out, indent);
        is_first = byte == '\n';
        if (byte == '\r') {
            surety_buf_text(out, "\\r");
        } else if ((byte < 0x20 && byte != '\n') || byte == 0x7F) {
            surety_buf_text(out, "\\x");
            surety_buf_byte(out, digits[byte >> 4]);
            surety_buf_byte(out, digits[byte & 15]);
        } else {
            surety_buf_byte(out, (char)byte);
        }
    }
    if (!is_first)
        surety_buf_byte(out, '\n');
}

static bool has_ending(surety_str name, const char *ending)
{
    const size_t len = strlen(ending);

    return name.len >= len &&
           memcmp(name.ptr + name.len - len, ending, len) == 0;
}

/* What is in a text between two others. */
static surety_str between(surety_buf *text, const char *first,
                          const char *behind)
{
    const char *start;
    const char *end;

    surety_buf_byte(text, '\0');
    start = text->ptr ? strstr(text->ptr, first) : NULL;
    start = start ? start + strlen(first) : NULL;
    end = start ? strstr(start, behind) : NULL;
    return end ? (surety_str){start, (size_t)(end - start)}
               : (surety_str){NULL, 0};
}

/* What a page has. */
static void put_page(surety_buf *out, surety_buf *bytes, bool is_whole)
{
    if (is_whole) {
        put_lines(out, between(bytes, "", "<style>"), "    ");
        put_lines(out, between(bytes, "</style>", "</html>"), "    ");
    } else {
        put_lines(out, between(bytes, "<body>\n", "</body>"), "    ");
    }
}

static void put_output(surety_buf *out, surety_rendering *all, size_t i,
                       const struct setting *setting)
{
    surety_render_item item;
    surety_error error;
    surety_buf bytes, book;
    surety_status status;

    memset(&error, 0, sizeof(error));
    surety_buf_init(&bytes, NULL, 0);
    surety_buf_init(&book, NULL, 0);
    status = surety_rendering_draw(all, i, &bytes, &error);
    item = surety_rendering_item(all, i);
    surety_buf_add(out, item.at);
    surety_buf_byte(out, ' ');
    surety_buf_add(out, item.name);
    surety_buf_text(out, status ? ": " : ": made\n");
    if (status) {
        surety_buf_text(out, error.message);
        surety_buf_text(out, error.hint[0] ? "; " : "");
        surety_buf_text(out, error.hint);
        if (error.position.line > 0)
            surety__buf_printf(out, " at %s, %zu:%zu", error.path,
                               (size_t)error.position.line,
                               (size_t)error.position.column);
        surety_buf_byte(out, '\n');
    }
    put_lines(out, item.note, "  = ");
    if (!status && has_ending(item.name, ".csv"))
        put_lines(out, surety_buf_str(&bytes), "    ");
    else if (!status && has_ending(item.name, ".html"))
        put_page(out, &bytes, setting->is_page);
    else if (!status && has_ending(item.name, ".svg"))
        put_lines(out, between(&bytes, "role=\"img\">\n", "</desc>"), "    ");
    if (!status && has_ending(item.name, ".xlsx")) {
        workbook_tell(surety_buf_str(&bytes), &book);
        put_lines(out, surety_buf_str(&book), "    ");
    }
    surety_buf_done(&bytes);
    surety_buf_done(&book);
}

static void put_outputs(surety_buf *out, const struct golden *golden,
                        const struct setting *setting)
{
    surety_buf value;
    surety_doc *doc = surety_doc_new(NULL);
    surety_rendering *all = NULL;
    surety_error error;

    surety_buf_init(&value, NULL, 0);
    golden_value(golden, &value);
    if (!doc || surety_doc_read(doc, surety_buf_str(&value), NULL, &error))
        golden_die("a value is no JSON", error.message);
    if (surety_rendering_new(surety_doc_root(doc), &setting->options, &all,
                             &error) != SURETY_OK) {
        surety_buf_text(out, "none: ");
        surety_buf_text(out, error.message);
        surety_buf_byte(out, '\n');
    }
    for (size_t i = 0; all && i < surety_rendering_count(all); i++)
        put_output(out, all, i, setting);
    surety_rendering_free(all);
    surety_doc_free(doc);
    surety_buf_done(&value);
}

static bool run(struct golden *golden)
{
    struct setting setting;

    if (!golden_find(golden, "shape") || !golden_find(golden, "value") ||
        !golden_find(golden, "outputs"))
        golden_die("no shape, value or outputs", golden->path);
    setting_read(golden, &setting);
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_section *section = &golden->sections[i];

        if (golden_is(section, "outputs")) {
            golden_begin(golden, section);
            put_outputs(&golden->made, golden, &setting);
        } else {
            golden_keep(golden, section);
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
