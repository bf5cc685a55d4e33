/* SPDX-License-Identifier: Apache-2.0 */
/* CSV as RFC 4180 has it: a header, CRLF behind each record, quotes around
 * what needs them and doubled within. Digits grouped by commas are written
 * without them, for every reader of CSV takes "53889" for a number and few
 * "53,889"; else a value stands as the data have it, an absent one and a
 * stand-in for none as an empty field. A text that a spreadsheet would run as
 * a formula gets a ' before it, unless the caller wants it raw: the data come
 * from a model, and people open CSV in spreadsheets (CWE-1236). */
#include "render/render.h"

#include <surety/json.h>

/* Characters that a spreadsheet passes over before it looks for a formula:
 * blanks, line ends and controls, and what shows nothing (U+FEFF). */
static bool csv_is_passed(uint32_t code)
{
    return surety__line_is_blank(code) || surety__line_is_hidden(code) ||
           (code >= 0x2000 && code <= 0x200D) || code == 0x202F ||
           code == 0x205F || code == 0x3000 || code == 0x180E;
}

/* Whether a spreadsheet may take the text for a formula: what CWE-1236 and
 * OWASP's "CSV Injection" list, behind anything that shows nothing, and in the
 * full width forms that Japanese and Chinese versions take for the same. */
static bool csv_is_formula(surety_str text)
{
    const char *at = text.ptr;
    const char *end = text.len > 0 ? at + text.len : at;

    while (at < end) {
        unsigned len;
        const uint32_t code = surety__utf8_decode(at, end, &len);
        if (!csv_is_passed(code))
            return code == '=' || code == '+' || code == '-' || code == '@' ||
                   code == 0xFF1D || code == 0xFF0B || code == 0xFF0D ||
                   code == 0xFF20;
        /* Tab, LF and CR at the beginning are triggers of their own. */
        if (at == text.ptr && (code == '\t' || code == '\r' || code == '\n'))
            return true;
        at += len;
    }
    return false;
}

/* Whether a field needs quotes: what RFC 4180 names, and the other separators
 * that spreadsheets cut at by their settings, which could begin a cell. */
static bool csv_needs_quotes(surety_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '\0' || strchr("\",;\t\r\n", text.ptr[i]))
            return true;
    return text.len > 0 &&
           (text.ptr[0] == ' ' || text.ptr[text.len - 1] == ' ');
}

void surety_csv_field(surety_str text, bool formulas, surety_buf *out)
{
    const bool is_formula = !formulas && csv_is_formula(text);

    if (!is_formula && !csv_needs_quotes(text)) {
        surety_buf_add(out, text);
        return;
    }
    surety_buf_byte(out, '"');
    if (is_formula)
        surety_buf_byte(out, '\'');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '\0')
            surety_buf_text(out, "\xEF\xBF\xBD"); /* readers end at a NUL */
        else
            surety_buf_byte(out, text.ptr[i]);
        if (text.ptr[i] == '"')
            surety_buf_byte(out, '"');
    }
    surety_buf_byte(out, '"');
}

static void csv_cell(surety_table *table, size_t column,
                     const surety_table_form *form, surety_buf *out)
{
    const surety_val val = table->cells[column];
    surety__figure figure;
    const surety__cell cell = surety__table_cell(table, val, &figure);
    const bool is_number =
        table->columns[column]->shown.kind == SURETY_COLUMN_NUMBER;
    surety_str text;

    if (surety__table_stand_in(table, val))
        return;
    text = surety__table_text(table, val);
    if (cell == SURETY__CELL_FIGURE) {
        text = surety__str_trim(text);
        /* Among texts, "(555)" may be anything. */
        if (is_number && figure.unit.len == 0 && !figure.is_code)
            text = (surety_str){figure.text, figure.len};
    }
    /* A number is no formula, whatever it begins with, nor is "-" for none. */
    surety_csv_field(text, form->formulas || cell != SURETY__CELL_TEXT, out);
}

surety_status surety__csv_write(surety_table *table,
                                const surety_table_form *form, surety_buf *out)
{
    surety_buf header;

    if (form->byte_order_mark)
        surety_buf_text(out, "\xEF\xBB\xBF");
    surety_buf_init(&header, table->alloc, 0);
    for (size_t i = 0; i < table->columns_count; i++) {
        surety_buf_reset(&header);
        surety__table_header(table, i, form->headers, &header);
        if (i > 0)
            surety_buf_byte(out, ',');
        surety_csv_field(surety_buf_str(&header), form->formulas, out);
        if (header.status && !out->status)
            out->status = header.status;
    }
    surety_buf_text(out, "\r\n");
    surety_buf_done(&header);
    for (size_t row = 0; row < table->rows_count && !out->status; row++) {
        surety__table_row(table, row);
        for (size_t i = 0; i < table->columns_count; i++) {
            if (i > 0)
                surety_buf_byte(out, ',');
            csv_cell(table, i, form, out);
        }
        /* A lone empty field would be an empty line, which readers skip. */
        if (table->columns_count == 1 && !out->status &&
            out->ptr[out->len - 1] == '\n')
            surety_buf_text(out, "\"\"");
        surety_buf_text(out, "\r\n");
    }
    return out->status;
}
