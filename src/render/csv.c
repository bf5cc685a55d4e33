/* SPDX-License-Identifier: Apache-2.0 */
/* A table as CSV (RFC 4180): a header, then a record a row, each ended by CRLF.
 *
 * 1. Numbers lose the commas between groups of digits: every reader takes
 *    "53889" for a number, and few take "53,889" for one.
 * 2. Every other value is written as it is in the data. A missing value and a
 *    placeholder for none ("-", "n/a") become an empty field.
 * 3. base/csv.c quotes a field and disarms formulas. Numbers are never taken
 *    for formulas. */
#include "render/render.h"

#include <surety/json.h>

static void csv_cell(surety__table *table, size_t column,
                     const surety__table_form *form, surety_buf *out)
{
    const surety_val val = table->cells[column];
    surety__figure figure;
    const surety__cell cell = surety__table_cell(table, val, &figure);
    const bool is_number =
        table->columns[column]->kind == SURETY__COLUMN_NUMBER;
    surety_str text;

    if (cell == SURETY__CELL_PLACEHOLDER)
        return;
    text = surety__table_text(table, val);
    if (cell == SURETY__CELL_FIGURE) {
        text = surety__str_trim(text);
        /* In a column of text, "(555)" may be anything. */
        if (is_number && figure.unit.len == 0 && !figure.is_code)
            text = (surety_str){figure.text, figure.len};
    }
    /* A number is no formula, whatever its first character; nor is "-" for a
     * missing value. */
    surety__csv_field(text, form->formulas || cell != SURETY__CELL_TEXT, out);
}

surety_status surety__csv_write(surety__table *table,
                                const surety__table_form *form, surety_buf *out)
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
        surety__csv_field(surety_buf_str(&header), form->formulas, out);
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
        /* A single empty field would be an empty line, which readers skip. */
        if (table->columns_count == 1 && !out->status &&
            out->ptr[out->len - 1] == '\n')
            surety_buf_text(out, "\"\"");
        surety_buf_text(out, "\r\n");
    }
    return out->status;
}
