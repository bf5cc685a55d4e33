/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a table of a value: its rows, its columns, and what kind of values each
 * column has.
 *
 * 1. Only names are copied. A row stays the array or object that it is in the
 *    value, and is split into columns when it is read.
 * 2. Both forms of data (arrays below a header, objects) become the same table
 *    for writers and charts.
 * 3. A row that does not fit the header is refused, since the columns of its
 *    values are unknown.
 * 4. One pass over all values counts, for each column, the forms of its values
 *    (column.c). */
#include "render/render.h"

#include <math.h>

#include <surety/json.h>

enum { TABLE_NEST_MAX = 3 };

surety_status surety__render_fail_at(surety_error *reterr, surety_val val,
                                     const char *format, ...)
{
    surety_buf path;
    va_list args;

    va_start(args, format);
    surety__failv(reterr, SURETY_SYNTAX, format, args);
    va_end(args);
    if (reterr && val.doc) {
        /* A buffer that cannot grow: an error allocates nothing. */
        path = surety__buf_over(reterr->path, sizeof(reterr->path));
        surety_val_pointer(val, &path);
        reterr->path[path.status ? 0 : path.len] = '\0';
        reterr->position = surety_val_position(val);
    }
    return SURETY_SYNTAX;
}

/* ---- columns ------------------------------------------------------------- */

/* Adds a column as the last one; name is not copied. */
static surety_status table_add(surety__table *table, surety_str name,
                               surety_error *reterr)
{
    const uint64_t hash = (uint64_t)surety__hash(name.ptr, name.len) + 1;
    surety__column *column;

    if (table->columns_count >= SURETY_TABLE_COLUMNS_MAX)
        return surety__fail(
            reterr, SURETY_LIMIT,
            "the data have more than %d columns, the most a table has",
            SURETY_TABLE_COLUMNS_MAX);
    column = surety__arena_take(&table->arena, sizeof(*column));
    if (!column ||
        surety__grow(table->alloc, &table->columns, &table->columns_cap,
                     table->columns_count + 1, sizeof(*table->columns),
                     SURETY_TABLE_COLUMNS_MAX))
        return surety__fail_nomem(reterr);
    column->name = name;
    column->label = name;
    column->index = table->columns_count;
    column->next = surety__map_get(&table->names, hash);
    /* A look-up by name finds the first of several columns. */
    if (!surety__table_column(table, name) &&
        !surety__map_put(&table->names, table->alloc, hash, column))
        return surety__fail_nomem(reterr);
    table->columns[table->columns_count++] = column;
    return SURETY_OK;
}

/* Adds the columns of a header. An empty name becomes "column N". */
static surety_status table_head(surety__table *table, surety_val header,
                                surety_error *reterr)
{
    surety_status status = SURETY_OK;
    size_t number = 0;

    for (surety_val cell = surety_val_first(header); cell.doc && !status;
         cell = surety_val_next(header, cell)) {
        surety_str name = surety_val_kind(cell) == SURETY_KIND_NUMBER
                              ? surety_val_number(cell)
                              : surety_val_str(cell);
        number++;
        if (surety__str_trim(name).len == 0) {
            surety_buf_reset(&table->scratch);
            surety__buf_printf(&table->scratch, "column %zu", number);
            name = surety__arena_text(&table->arena,
                                      surety_buf_str(&table->scratch));
            if (table->scratch.status || !name.ptr)
                return surety__fail_nomem(reterr);
        }
        status = table_add(table, name, reterr);
    }
    if (!status && number == 0)
        status = surety__render_fail_at(
            reterr, header, "the header, the first of the rows, is empty");
    return status;
}

/* Adds a column for each member of an object that has none yet. */
static surety_status table_meet(surety__table *table, surety_val object,
                                surety_error *reterr)
{
    surety_status status = SURETY_OK;

    for (surety_val member = surety_val_first(object); member.doc && !status;
         member = surety_val_next(object, member)) {
        const surety_str name = surety_val_str(surety_val_key(member));
        if (!surety__table_column(table, name))
            status = table_add(table, name, reterr);
    }
    return status;
}

/* ---- rows ---------------------------------------------------------------- */

static surety_status table_push(surety__table *table, surety_val row,
                                surety_error *reterr)
{
    const surety_status status = surety__grow(
        table->alloc, &table->rows, &table->rows_cap, table->rows_count + 1,
        sizeof(*table->rows), SURETY_TABLE_ROWS_MAX);

    if (status == SURETY_LIMIT)
        return surety__fail(
            reterr, status,
            "the data have more than %d rows, the most a table has",
            SURETY_TABLE_ROWS_MAX);
    if (status)
        return surety__fail_nomem(reterr);
    table->rows[table->rows_count++] = row;
    return SURETY_OK;
}

/* Adds one row, after checking it against the header and the rows before it. */
static surety_status table_take(surety__table *table, surety_val row,
                                surety_error *reterr)
{
    const size_t number = table->rows_count + 1;
    const surety_kind kind = surety_val_kind(row);
    const size_t count = surety_val_count(row);
    const surety_kind wanted =
        table->is_objects ? SURETY_KIND_OBJECT : SURETY_KIND_ARRAY;

    if (kind != wanted)
        return surety__render_fail_at(
            reterr, row, "row %zu of the data is of type %s, not %s", number,
            surety_kind_name(kind), surety_kind_name(wanted));
    if (!table->is_objects && count != table->columns_count) {
        surety__render_fail_at(
            reterr, row, "row %zu of the data has %zu value%s, the header %zu",
            number, count, count == 1 ? "" : "s", table->columns_count);
        surety__hint(reterr, "a value that is missing is null");
        return SURETY_SYNTAX;
    }
    if (table->is_objects) {
        const surety_status status = table_meet(table, row, reterr);
        if (status)
            return status;
    }
    return table_push(table, row, reterr);
}

/* ---- reading ------------------------------------------------------------- */

/* Finds the array of rows: data itself, or its member "data". */
static surety_status table_rows_of(surety_val data, surety_val *ret_rows,
                                   surety_error *reterr)
{
    for (unsigned i = 0; surety_val_kind(data) == SURETY_KIND_OBJECT; i++) {
        if (i == TABLE_NEST_MAX)
            return surety__render_fail_at(
                reterr, data,
                "the rows are below more than %d members \"data\"",
                TABLE_NEST_MAX);
        if (!surety_val_get(data, "data").doc)
            return surety__render_fail_at(
                reterr, data,
                "there are no data: the object has no member \"data\"");
        data = surety_val_get(data, "data");
    }
    if (surety_val_kind(data) == SURETY_KIND_ARRAY) {
        *ret_rows = data;
        return SURETY_OK;
    }
    if (!data.doc)
        return surety__fail(reterr, SURETY_SYNTAX, "there are no data");
    return surety__render_fail_at(
        reterr, data, "the data are of type %s, not an array of rows",
        surety_kind_name(surety_val_kind(data)));
}

static surety_status table_fill(surety__table *table, surety_val data,
                                surety_error *reterr)
{
    surety_val row = surety_val_first(data);
    surety_status status = SURETY_OK;

    if (!row.doc)
        return surety__render_fail_at(reterr, data,
                                      "the data have no rows and no header");
    table->is_objects = surety_val_kind(row) == SURETY_KIND_OBJECT;
    if (!table->is_objects) {
        if (surety_val_kind(row) != SURETY_KIND_ARRAY)
            return surety__render_fail_at(
                reterr, row,
                "the first of the rows is of type %s, neither an array with "
                "the header nor an object",
                surety_kind_name(surety_val_kind(row)));
        status = table_head(table, row, reterr);
        row = surety_val_next(data, row);
    }
    for (; row.doc && !status; row = surety_val_next(data, row))
        status = table_take(table, row, reterr);
    if (!status && table->rows_count == 0)
        status = surety__render_fail_at(reterr, data,
                                        "the data have a header and no rows");
    if (!status && table->columns_count == 0)
        status = surety__render_fail_at(reterr, data,
                                        "the rows are objects without members");
    return status;
}

/* Counts all values of each column, then settles its kind and label. */
static surety_status table_count(surety__table *table, surety_val labels,
                                 surety_error *reterr)
{
    surety_status status = SURETY_OK;

    table->cells =
        surety__new(table->alloc, table->columns_count * sizeof(*table->cells));
    if (!table->cells)
        return surety__fail_nomem(reterr);
    for (size_t row = 0; row < table->rows_count; row++) {
        surety__table_row(table, row);
        for (size_t i = 0; i < table->columns_count; i++)
            surety__column_count(table, table->columns[i], table->cells[i]);
    }
    for (size_t i = 0; i < table->columns_count && !status; i++) {
        surety__column_settle(table, table->columns[i]);
        status = surety__column_label(table, labels, table->columns[i]);
    }
    return status ? surety__fail_nomem(reterr) : SURETY_OK;
}

static surety_status table_begin(surety__table *table,
                                 const surety__table_options *options)
{
    table->alloc = options->alloc;
    surety__arena_init(&table->arena, options->alloc, 0);
    surety_buf_init(&table->scratch, options->alloc, 0);
    table->census = options->census;
    table->number = surety_doc_new(options->alloc);
    if (!table->number)
        return SURETY_NOMEM;
    table->missing_count = options->missing_count;
    table->missing = surety__arena_take(
        &table->arena, (options->missing_count + 1) * sizeof(*table->missing));
    for (size_t i = 0; table->missing && i < options->missing_count; i++) {
        table->missing[i] =
            surety__arena_text(&table->arena, options->missing[i]);
        if (!table->missing[i].ptr)
            return SURETY_NOMEM;
    }
    return table->missing ? SURETY_OK : SURETY_NOMEM;
}

surety_status surety__table_read(surety_val data,
                                 const surety__table_options *options,
                                 surety__table **ret_table,
                                 surety_error *reterr)
{
    surety__table *table;
    surety_val rows = surety_val_none();
    surety_status status = table_rows_of(data, &rows, reterr);

    if (status)
        return status;
    table = surety__new(options->alloc, sizeof(*table));
    if (!table)
        return surety__fail_nomem(reterr);
    status = table_begin(table, options);
    if (status)
        surety__fail_nomem(reterr);
    if (!status)
        status = table_fill(table, rows, reterr);
    if (!status)
        status = table_count(table, options->labels, reterr);
    if (status)
        surety__table_free(table);
    else
        *ret_table = table;
    return status;
}

void surety__table_free(surety__table *table)
{
    if (!table)
        return;
    surety__free(table->alloc, table->cells,
                 table->cells ? table->columns_count * sizeof(*table->cells)
                              : 0);
    surety__free(table->alloc, table->columns,
                 table->columns_cap * sizeof(*table->columns));
    surety__free(table->alloc, table->rows,
                 table->rows_cap * sizeof(*table->rows));
    surety__map_done(&table->names, table->alloc);
    surety_doc_free(table->number);
    surety_buf_done(&table->scratch);
    surety__arena_done(&table->arena);
    surety__free(table->alloc, table, sizeof(*table));
}

surety_status surety__table_write(surety__table *table,
                                  const surety__table_form *form,
                                  surety_buf *out, surety_error *reterr)
{
    const size_t start = out->len;
    surety_status status = SURETY_MISUSE;
    surety__table_form filled = *form;

    if (filled.headers == SURETY_HEADERS_DEFAULT)
        filled.headers = filled.format == SURETY__TABLE_CSV
                             ? SURETY_HEADERS_NAMES
                             : SURETY_HEADERS_BOTH;
    switch (filled.format) {
    case SURETY__TABLE_CSV:
        status = surety__csv_write(table, &filled, out);
        break;
    case SURETY__TABLE_XLSX:
        return surety__xlsx_write(table, &filled, out, reterr);
    case SURETY__TABLE_HTML:
        status = surety__html_write(table, &filled, out);
        break;
    }
    if (!status)
        status = table->scratch.status;
    if (status == SURETY_MISUSE)
        return surety__fail(reterr, status, "%d is no format of tables",
                            (int)filled.format);
    if (status) {
        out->len = start;
        return status == SURETY_LIMIT
                   ? surety__fail(reterr, status,
                                  "the table is larger than its buffer may be")
                   : surety__fail_nomem(reterr);
    }
    return SURETY_OK;
}
