/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_render.c: charts and tables of any value, which a model has written.
 *
 * The input is read as JSON, tolerantly, so that nearly every input is a
 * value. An object asks for what it asks for; anything else is rows, of which
 * every kind of output is made. What must hold:
 *
 * - the rows are those of the data: a CSV read by its own rules has a record
 *   for each and for the header, all of as many fields; so has HTML;
 * - no tag of a text is in HTML, and nothing that a spreadsheet would run
 *   begins a field of a CSV, unless it is a number;
 * - a picture is whole; made again, every output has the same bytes;
 * - file names are safe: no path, no control characters, not too long, each
 *   once, and made safe again they stay. */
#include "render/render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/* What the leak sanitizer passes over: what fontconfig keeps for the life of
 * the process. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\n";
}

enum { NAME_BYTES_MAX = 100, PICTURE_BYTES_MAX = 1 << 14 };

static void fault(const char *what, surety_str made)
{
    fprintf(stderr, "%s\n%.*s\n", what, (int)made.len,
            made.ptr ? made.ptr : "");
    abort();
}

static bool has(surety_str text, const char *start, const char *end)
{
    const size_t head = strlen(start);
    const size_t tail = strlen(end);

    return text.len >= head + tail && memcmp(text.ptr, start, head) == 0 &&
           memcmp(text.ptr + text.len - tail, end, tail) == 0;
}

static size_t count_of(surety_str text, const char *part)
{
    const size_t len = strlen(part);
    size_t count = 0;

    for (size_t i = 0; i + len <= text.len; i++)
        count += memcmp(text.ptr + i, part, len) == 0;
    return count;
}

/* ---- what was made ------------------------------------------------------- */

/* Passes over a field; a field that a spreadsheet runs is a fault. */
static size_t csv_field(surety_str made, size_t at)
{
    const bool is_quoted = at < made.len && made.ptr[at] == '"';
    size_t first;

    at += is_quoted;
    for (first = at; first < made.len && made.ptr[first] == ' ';)
        first++;
    if (first < made.len && (made.ptr[first] == '=' || made.ptr[first] == '@'))
        fault("a field of a CSV is a formula", made);
    for (; at < made.len; at++) {
        if (!is_quoted && (made.ptr[at] == ',' || made.ptr[at] == '\r'))
            return at;
        if (made.ptr[at] != '"')
            continue;
        if (!is_quoted)
            fault("a quote in a field without quotes", made);
        if (++at == made.len || made.ptr[at] != '"')
            return at;
    }
    return at;
}

static void check_csv(surety_str made, size_t rows, size_t columns)
{
    size_t at = 0;
    size_t records = 0;

    while (at < made.len) {
        size_t fields = 1;
        for (;;) {
            at = csv_field(made, at);
            if (at >= made.len || made.ptr[at] != ',')
                break;
            at++;
            fields++;
        }
        if (at + 2 > made.len || memcmp(made.ptr + at, "\r\n", 2) != 0)
            fault("a record of a CSV does not end", made);
        at += 2;
        records++;
        if (columns && fields != columns)
            fault("a record of a CSV has another count of fields", made);
    }
    if (rows && records != rows + 1)
        fault("a CSV has another count of records", made);
}

static void check_html(surety_str made, size_t rows, size_t columns)
{
    static const char *const tags[] = {"<!DOCTYPE html>",
                                       "<html lang",
                                       "<head>",
                                       "<meta ",
                                       "<title>",
                                       "<style>",
                                       "<body>",
                                       "<h1 id",
                                       "<div class",
                                       "<table",
                                       "<caption>",
                                       "<thead>",
                                       "<tr>",
                                       "<th scope",
                                       "<small>",
                                       "<tbody>",
                                       "<td>",
                                       "<td class=\"n\">",
                                       "<span class=\"none\"",
                                       "<ul class",
                                       "<li dir",
                                       "</"};
    size_t known = 0;

    for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++)
        known += count_of(made, tags[i]);
    if (!has(made, "<!DOCTYPE html>", "</html>\n"))
        fault("a page is not whole", made);
    if (known != count_of(made, "<"))
        fault("a tag of a text is in a page", made);
    if (rows && count_of(made, "<tr>") != rows + 1)
        fault("a page has another count of rows", made);
    if (rows &&
        count_of(made, "<td") + count_of(made, "<th ") != (rows + 1) * columns)
        fault("a page has another count of cells", made);
}

static void check_picture(surety_str made, bool is_svg)
{
    if (!(is_svg ? has(made, "<?xml", "</svg>\n")
                 : has(made, "\x89PNG\r\n", "IEND\xAE\x42\x60\x82")))
        fault("a picture is not whole", made);
}

static void check_name(surety_str name)
{
    surety_buf again;

    surety_buf_init(&again, NULL, 0);
    surety_file_name(name, &again);
    if (!surety_str_equal(surety_buf_str(&again), name))
        fault("a safe name changes when it is made safe", name);
    if (name.len > NAME_BYTES_MAX || (name.len > 0 && name.ptr[0] == '.'))
        fault("a name is too long or hidden", name);
    for (size_t i = 0; i < name.len; i++)
        if ((unsigned char)name.ptr[i] < 0x20 || name.ptr[i] == 0x7F ||
            strchr("/\\:*?\"<>|", name.ptr[i]))
            fault("a name is not safe", name);
    surety_buf_done(&again);
}

/* ---- rows ---------------------------------------------------------------- */

static void write_table(surety__table *table, surety__table_format format)
{
    const size_t rows = table->rows_count;
    const size_t columns = table->columns_count;
    const surety__table_form form = {.format = format,
                                     .title = surety_str_of("<i>&\"'")};
    surety_buf made, again;

    surety_buf_init(&made, NULL, 0);
    surety_buf_init(&again, NULL, 0);
    if (surety__table_write(table, &form, &made, NULL) ||
        surety__table_write(table, &form, &again, NULL))
        fault("a table cannot be written", surety_buf_str(&made));
    if (!surety_str_equal(surety_buf_str(&made), surety_buf_str(&again)))
        fault("a table is another the second time", surety_buf_str(&made));
    if (format == SURETY__TABLE_CSV)
        check_csv(surety_buf_str(&made), rows, columns);
    else
        check_html(surety_buf_str(&made), rows, columns);
    surety_buf_done(&made);
    surety_buf_done(&again);
}

static void draw_chart(surety__table *table, surety__chart_type type,
                       bool is_svg)
{
    const surety__chart chart = {.type = type,
                                 .format = is_svg ? SURETY_CHART_SVG
                                                  : SURETY_CHART_PNG,
                                 .width = 320,
                                 .height = 240,
                                 .scale = 1};
    surety_error error;
    surety_buf made;
    surety_status status;

    memset(&error, 0, sizeof(error));
    surety_buf_init(&made, NULL, 0);
    status = surety__chart_draw(table, &chart, &made, NULL, &error);
    if (status && (error.message[0] == '\0' || made.len > 0))
        fault("a chart fails without a word", surety_buf_str(&made));
    if (!status)
        check_picture(surety_buf_str(&made), is_svg);
    surety_buf_done(&made);
}

static void render_rows(surety_val data, size_t size)
{
    surety__table *table = NULL;
    const surety__table_options options = {.census = size % 2 == 0};

    if (surety__table_read(data, &options, &table, NULL) != SURETY_OK)
        return;
    write_table(table, SURETY__TABLE_CSV);
    write_table(table, SURETY__TABLE_HTML);
    if (size <= PICTURE_BYTES_MAX) {
        draw_chart(table, SURETY__CHART_BAR, size % 4 != 0);
        draw_chart(table, SURETY__CHART_LINE, size % 4 != 1);
    }
    surety__table_free(table);
}

/* ---- what a value asks for ----------------------------------------------- */

static void check_made(const surety_render_item *item, surety_str made)
{
    if (has(item->name, "", ".csv"))
        check_csv(made, 0, 0);
    else if (has(item->name, "", ".html"))
        check_html(made, 0, 0);
    else if (!has(item->name, "", ".xlsx"))
        check_picture(made, has(item->name, "", ".svg"));
}

static void render_item(surety_rendering *all, size_t i)
{
    surety_render_item item = surety_rendering_item(all, i);
    surety_error error;
    surety_buf made;
    surety_status status;

    check_name(item.name);
    for (size_t k = 0; k < i; k++)
        if (surety_str_equal(surety_rendering_item(all, k).name, item.name))
            fault("two outputs have one name", item.name);
    memset(&error, 0, sizeof(error));
    surety_buf_init(&made, NULL, 0);
    status = surety_rendering_draw(all, i, &made, &error);
    item = surety_rendering_item(all, i);
    if (status && (error.message[0] == '\0' || made.len > 0))
        fault("an output fails without a word", item.name);
    if (!status)
        check_made(&item, surety_buf_str(&made));
    surety_buf_done(&made);
}

static void render_value(surety_val value)
{
    const surety_rendering_options options = {
        .size = sizeof(options), .width = 320, .height = 240, .scale = 1};
    surety_rendering *all = NULL;

    if (surety_rendering_new(value, &options, &all, NULL) != SURETY_OK)
        return;
    for (size_t i = 0; i < surety_rendering_count(all) && i < 6; i++)
        render_item(all, i);
    surety_rendering_free(all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const surety_str text = {(const char *)data, size};
    surety_lenient *reader = surety_lenient_new(NULL);
    surety_doc *doc = surety_doc_new(NULL);
    surety_buf name;

    surety_buf_init(&name, NULL, 0);
    surety_file_name(text, &name);
    check_name(surety_buf_str(&name));
    surety_buf_done(&name);
    if (doc && reader &&
        surety_lenient_begin(reader, doc, NULL, NULL) == SURETY_OK &&
        surety_lenient_feed(reader, text, NULL) >= SURETY_OK &&
        surety_lenient_finish(reader, NULL, NULL) == SURETY_OK) {
        if (surety_val_kind(surety_doc_root(doc)) == SURETY_KIND_OBJECT)
            render_value(surety_doc_root(doc));
        render_rows(surety_doc_root(doc), size);
    }
    surety_lenient_free(reader);
    surety_doc_free(doc);
    return 0;
}
