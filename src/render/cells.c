/* SPDX-License-Identifier: Apache-2.0 */
/* Reads single columns and cells of a table: a column by its name, the cells of
 * a row, and a cell as text or number. table.c reads the data as a whole before
 * any row is read here. */
#include "render/render.h"

#include <assert.h>
#include <math.h>

surety__column *surety__table_column(const surety__table *table,
                                     surety_str name)
{
    surety__column *column = surety__map_get(
        &table->names, (uint64_t)surety__hash(name.ptr, name.len) + 1);

    while (column && !surety_str_equal(column->name, name))
        column = column->next;
    return column;
}

void surety__table_row(surety__table *table, size_t row)
{
    const surety_val val = table->rows[row];
    size_t at = 0;

    assert(row < table->rows_count);
    memset(table->cells, 0, table->columns_count * sizeof(*table->cells));
    for (surety_val cell = surety_val_first(val);
         cell.doc && at < table->columns_count;
         cell = surety_val_next(val, cell), at++) {
        if (table->is_objects) {
            /* Most objects have their members in the columns' order. */
            const surety_str name = surety_val_str(surety_val_key(cell));
            const surety__column *column = table->columns[at];
            if (!surety_str_equal(column->name, name))
                column = surety__table_column(table, name);
            if (column)
                table->cells[column->index] = cell;
        } else {
            table->cells[at] = cell;
        }
    }
}

const surety__column *surety__table_find(const surety__table *table,
                                         surety_str name)
{
    const surety__column *found = surety__table_column(table, name);

    for (size_t i = 0; !found && i < table->columns_count; i++)
        if (surety_str_equal(table->columns[i]->label, name))
            found = table->columns[i];
    for (size_t i = 0; !found && i < table->columns_count; i++)
        if (surety__str_equal_nocase(table->columns[i]->name, name) ||
            surety__str_equal_nocase(table->columns[i]->label, name))
            found = table->columns[i];
    return found;
}

surety_str surety__table_text(surety__table *table, surety_val val)
{
    const surety_kind kind = surety_val_kind(val);

    if (kind == SURETY_KIND_STRING)
        return surety_val_str(val);
    if (kind == SURETY_KIND_NUMBER)
        return surety_val_number(val);
    surety_buf_reset(&table->scratch);
    if (kind != SURETY_KIND_NONE && kind != SURETY_KIND_NULL)
        surety_val_write(val, SURETY_STYLE_COMPACT, &table->scratch);
    return surety_buf_str(&table->scratch);
}

surety_status surety__table_number(surety__table *table,
                                   const surety__figure *figure,
                                   double *ret_number)
{
    const surety_status status = surety_doc_read(
        table->number, (surety_str){figure->text, figure->len}, NULL, NULL);

    if (status == SURETY_NOMEM)
        return status;
    *ret_number = surety_val_real(surety_doc_root(table->number), NAN);
    return SURETY_OK;
}

void surety__table_header(const surety__table *table, size_t column,
                          surety_headers headers, surety_buf *out)
{
    const surety__column *shown = table->columns[column];

    if (headers == SURETY_HEADERS_NAMES) {
        surety_buf_add(out, shown->name);
        return;
    }
    surety_buf_add(out, shown->label);
    if (headers == SURETY_HEADERS_BOTH && surety__column_has_code(shown)) {
        surety_buf_text(out, " (");
        surety_buf_add(out, shown->name);
        surety_buf_byte(out, ')');
    }
}
