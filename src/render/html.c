/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a table as a complete page: its title as heading and caption, and its
 * notes below.
 *
 * 1. The page loads nothing and runs nothing: it has no script, and a policy
 *    that forbids any. Every text is escaped, so a value from a model can only
 *    be text.
 * 2. For screen readers, headers have a scope, the first column of names heads
 *    its rows, and a missing value has a text.
 * 3. Digits are grouped for readers; programs use CSV. */
#include "render/render.h"

#include <surety/json.h>

static const char html_style[] =
    ":root{color-scheme:light dark}"
    "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;"
    "padding:0 1rem;color:#1f2933;background:#fff}"
    "h1{font-size:1.4rem;line-height:1.3;margin:0 0 1rem;"
    "overflow-wrap:anywhere}"
    ".rows{overflow-x:auto}"
    "table{border-collapse:collapse;min-width:50%}"
    "caption{text-align:left;color:#52606d;padding-bottom:.5rem}"
    "th,td{padding:.35rem .75rem;border-bottom:1px solid #e4e7eb;"
    "text-align:left;vertical-align:top}"
    "thead th{position:sticky;top:0;background:#f5f7fa;"
    "border-bottom:2px solid #9aa5b1}"
    "thead small{display:block;font-weight:400;color:#52606d}"
    "tbody th{font-weight:400}"
    ".n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
    ".none{color:#7b8794}"
    ".notes{color:#52606d;font-size:.85rem;padding-left:0;list-style:none}"
    "@media(prefers-color-scheme:dark){body{color:#e4e7eb;background:#14181d}"
    "th,td{border-color:#323f4b}thead th{background:#1f2933;"
    "border-color:#616e7c}caption,thead small,.notes{color:#9aa5b1}}"
    "@media print{body{margin:0;max-width:none}thead th{position:static}}";

/* Appends text for HTML (the Living Standard, 13.1.4 and 13.1.2.3): characters
 * of markup are escaped. Control characters, which a page may not contain,
 * become U+FFFD. */
static void html_put(surety_str text, surety_buf *out)
{
    size_t start = 0;

    for (size_t i = 0; i < text.len; i++) {
        const unsigned char c = (unsigned char)text.ptr[i];
        const char *instead = NULL;

        if (c == '&')
            instead = "&amp;";
        else if (c == '<')
            instead = "&lt;";
        else if (c == '>')
            instead = "&gt;";
        else if (c == '"')
            instead = "&quot;";
        else if (c == '\'')
            instead = "&#39;";
        else if ((c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7F)
            instead = "\xEF\xBF\xBD";
        if (!instead)
            continue;
        surety_buf_append(out, text.ptr + start, i - start);
        surety_buf_text(out, instead);
        start = i + 1;
    }
    if (text.len > start)
        surety_buf_append(out, text.ptr + start, text.len - start);
}

static void html_head(const surety__table_form *form, surety_buf *out)
{
    surety_buf_text(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
        "charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
        "'none'; style-src 'unsafe-inline'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, "
        "initial-scale=1\">\n<title>");
    html_put(form->title.len > 0 ? form->title : surety_str_of("Table"), out);
    surety_buf_text(out, "</title>\n<style>");
    surety_buf_text(out, html_style);
    surety_buf_text(out, "</style>\n</head>\n<body>\n");
    if (form->title.len > 0) {
        surety_buf_text(out, "<h1 id=\"title\" dir=\"auto\">");
        html_put(form->title, out);
        surety_buf_text(out, "</h1>\n");
    }
}

static const char *html_class(const surety__table *table, size_t column)
{
    return table->columns[column]->kind == SURETY__COLUMN_NUMBER
               ? " class=\"n\""
               : "";
}

static void html_header(const surety__table *table, size_t column,
                        surety_headers headers, surety_buf *out)
{
    const surety__column *shown = table->columns[column];

    surety__buf_printf(out, "<th scope=\"col\"%s>", html_class(table, column));
    html_put(headers == SURETY_HEADERS_NAMES ? shown->name : shown->label, out);
    if (headers == SURETY_HEADERS_BOTH && surety__column_has_code(shown)) {
        surety_buf_text(out, "<small>");
        html_put(shown->name, out);
        surety_buf_text(out, "</small>");
    }
    surety_buf_text(out, "</th>");
}

static void html_cell(surety__table *table, size_t column, bool is_head,
                      surety_buf *out)
{
    const surety_val val = table->cells[column];
    const bool is_number =
        table->columns[column]->kind == SURETY__COLUMN_NUMBER;
    surety__figure figure;
    const surety__cell cell = surety__table_cell(table, val, &figure);

    if (is_head)
        surety_buf_text(out, "<th scope=\"row\" dir=\"auto\">");
    else
        surety__buf_printf(out, "<td%s>", html_class(table, column));
    if (cell == SURETY__CELL_FIGURE && is_number)
        surety__figure_group(&figure, out);
    else if (cell == SURETY__CELL_PLACEHOLDER ||
             (cell == SURETY__CELL_MISSING &&
              surety__str_trim(surety__table_text(table, val)).len == 0))
        surety_buf_text(out, "<span class=\"none\" title=\"no value\" "
                             "aria-label=\"no value\">\xE2\x80\x93</span>");
    else
        html_put(surety__table_text(table, val), out);
    surety_buf_text(out, is_head ? "</th>" : "</td>");
}

/* The first column of names, which heads the rows. */
static size_t html_row_head(const surety__table *table)
{
    for (size_t i = 0; i < table->columns_count; i++)
        if (table->columns[i]->kind == SURETY__COLUMN_TEXT ||
            table->columns[i]->kind == SURETY__COLUMN_TIME)
            return i;
    return SIZE_MAX;
}

surety_status surety__html_write(surety__table *table,
                                 const surety__table_form *form,
                                 surety_buf *out)
{
    const size_t head = html_row_head(table);

    html_head(form, out);
    surety__buf_printf(
        out,
        "<div class=\"rows\" tabindex=\"0\" role=\"region\" aria-label=\"The "
        "table\">\n<table%s>\n<caption>%zu row%s</caption>\n<thead>\n<tr>",
        form->title.len > 0 ? " aria-labelledby=\"title\"" : "",
        table->rows_count, table->rows_count == 1 ? "" : "s");
    for (size_t i = 0; i < table->columns_count; i++)
        html_header(table, i, form->headers, out);
    surety_buf_text(out, "</tr>\n</thead>\n<tbody>\n");
    for (size_t row = 0; row < table->rows_count && !out->status; row++) {
        surety__table_row(table, row);
        surety_buf_text(out, "<tr>");
        for (size_t i = 0; i < table->columns_count; i++)
            html_cell(table, i, i == head, out);
        surety_buf_text(out, "</tr>\n");
    }
    surety_buf_text(out, "</tbody>\n</table>\n</div>\n");
    if (form->notes_count > 0)
        surety_buf_text(out, "<ul class=\"notes\">\n");
    for (size_t i = 0; i < form->notes_count; i++) {
        surety_buf_text(out, "<li dir=\"auto\">");
        html_put(form->notes[i], out);
        surety_buf_text(out, "</li>\n");
    }
    surety_buf_text(out, form->notes_count > 0 ? "</ul>\n</body>\n</html>\n"
                                               : "</body>\n</html>\n");
    return out->status;
}
