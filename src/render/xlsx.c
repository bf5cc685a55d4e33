/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a workbook with libxlsxwriter.
 *
 * 1. Numbers are numbers, with a format that groups their digits. Everything
 *    else is text, never a formula.
 * 2. The numbers of a sheet are doubles of 15 digits (ECMA-376 and Excel's
 *    limits), so a longer number stays text: an identifier that loses a digit
 *    is worse than a cell that does not add up.
 * 3. The header stays visible, and columns are as wide as their content. Title
 *    and notes are on a second sheet.
 *
 * The library writes files only: one under a temporary name, which is read back
 * and removed, and some of its own in the same folder. It does not check that
 * its writes to those succeed, and prints the failures that it notices. So this
 * file first tests whether the files can be created and have enough space: a
 * full disk is an error of ours, and no truncated workbook. */
#include "render/render.h"

#include <surety/json.h>

bool surety__xlsx_holds(const surety__figure *figure)
{
    size_t digits = 0;
    size_t zeros = 0;
    bool has_exponent = false;

    for (size_t i = 0; i < figure->len && !has_exponent; i++) {
        has_exponent = figure->text[i] == 'e';
        if (has_exponent || !surety__is_digit(figure->text[i]))
            continue;
        if (figure->text[i] != '0') {
            digits += zeros + 1;
            zeros = 0;
        } else if (digits > 0) {
            zeros++;
        }
    }
    return digits <= 15;
}

#ifdef SURETY_WITH_XLSX

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "render/xlsx.h"

enum {
    XLSX_TEXT_MAX = 32767, /* characters in a cell; Excel's limit */
    XLSX_CELLS_MANY = 200000,
    XLSX_PATH_MAX = 1024,
    XLSX_CELL_BYTES = 100,     /* of a sheet per cell, without its text */
    XLSX_REST_BYTES = 1 << 17, /* for everything but the sheets */
    XLSX_FILES = 4,            /* open in the library at once */
    XLSX_FORMATS_MAX = 64      /* more than units times 0 to 6 decimals */
};

/* A number format, for a unit and decimals. */
struct xlsx_format {
    surety_str unit;
    unsigned decimals;
    lxw_format *format;
};

struct xlsx {
    surety__xlsx lib;
    surety__table *table;
    const surety__table_form *form;
    lxw_workbook *book;
    lxw_worksheet *sheet;
    struct xlsx_format formats[XLSX_FORMATS_MAX];
    size_t formats_count;
    double *widths;
    uint64_t bytes;  /* of the sheets, an upper bound */
    surety_buf text; /* NUL-terminated */
    surety_error *reterr;
    char folder[XLSX_PATH_MAX]; /* for temporary files */
};

static const surety__function_row xlsx_rows[] = {SURETY__XLSX(SURETY__ROW)};
static const surety__library xlsx_library = {
    SURETY__LIBXLSXWRITER, "workbooks", xlsx_rows, SURETY__COUNT(xlsx_rows)};

/* ---- temporary files ----------------------------------------------------- */

static surety_status xlsx_no_file(const struct xlsx *xlsx, int error)
{
    surety__fail(xlsx->reterr, SURETY_IO,
                 "no temporary file can be made in %.200s: %s", xlsx->folder,
                 strerror(error));
    if (error == ENOSPC || error == EFBIG)
        surety__hint(xlsx->reterr, "the workbook needs up to %zu MB there",
                     (size_t)(xlsx->bytes / 500000 + 1));
    return SURETY_IO;
}

/* Creates an empty file and sets path to its name; -1 with errno. */
static int xlsx_open(const struct xlsx *xlsx, char *path)
{
    static const char name[] = "/surety-XXXXXX";
    const size_t len = strlen(xlsx->folder);

    memcpy(path, xlsx->folder, len);
    memcpy(path + len, name, sizeof(name));
    return mkstemp(path);
}

static surety_status xlsx_folder(struct xlsx *xlsx, surety_str folder)
{
    if (folder.len == 0)
        folder = surety_str_of("/tmp");
    if (folder.len + sizeof("/surety-XXXXXX") > XLSX_PATH_MAX)
        return surety__fail(xlsx->reterr, SURETY_IO,
                            "the scratch folder's path is too long");
    memcpy(xlsx->folder, folder.ptr, folder.len);
    xlsx->folder[folder.len] = '\0';
    return SURETY_OK;
}

/* Tests whether the library could create its files now, and has space for each
 * sheet twice: as a file, and in the packed workbook. SURETY_IO. */
static surety_status xlsx_try(const struct xlsx *xlsx)
{
    const off_t bytes = (off_t)(2 * xlsx->bytes + XLSX_REST_BYTES);
    char path[XLSX_PATH_MAX];
    int files[XLSX_FILES];
    size_t count = 0;
    int error = 0;

    for (; count < XLSX_FILES; count++) {
        files[count] = xlsx_open(xlsx, path);
        if (files[count] < 0) {
            error = errno;
            break;
        }
        unlink(path);
    }
    while (!error && (error = posix_fallocate(files[0], 0, bytes)) == EINTR)
        error = 0;
    while (count > 0)
        close(files[--count]);
    return error && error != EOPNOTSUPP ? xlsx_no_file(xlsx, error) : SURETY_OK;
}

/* Checks that all rows were written, if the library streams them to a file.
 * Then their size is known exactly. */
static surety_status xlsx_rows_arrived(struct xlsx *xlsx)
{
    FILE *rows = xlsx->sheet->optimize_tmpfile;

    if (!rows)
        return SURETY_OK;
    if (fflush(rows) != 0 || ferror(rows))
        return xlsx_no_file(xlsx, errno ? errno : ENOSPC);
    xlsx->bytes = (uint64_t)ftello(rows);
    return SURETY_OK;
}

/* ---- cells --------------------------------------------------------------- */

/* Copies text for a cell, NUL-terminated; control characters become U+FFFD.
 * Counts its size in the sheet: an escaped character takes six more bytes. */
static const char *xlsx_text(struct xlsx *xlsx, surety_str text)
{
    surety_buf_reset(&xlsx->text);
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char c = (unsigned char)text.ptr[i];
        if (c < 0x20 && c != '\n' && c != '\t')
            surety_buf_text(&xlsx->text, "\xEF\xBF\xBD");
        else
            surety_buf_byte(&xlsx->text, text.ptr[i]);
        if (c < 0x20 || c == '&' || c == '<' || c == '>' || c == '_')
            xlsx->bytes += 6;
    }
    xlsx->bytes += xlsx->text.len + XLSX_CELL_BYTES;
    surety_buf_byte(&xlsx->text, '\0');
    return xlsx->text.status ? NULL : xlsx->text.ptr;
}

/* The approximate width of a text, in columns of one character. */
static double xlsx_width(const char *text)
{
    double width = 0;
    double widest = 0;

    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '\n')
            width = 0;
        else if (c >= 0xE3)
            width += 2; /* from Hiragana on, most are wide */
        else if ((c & 0xC0) != 0x80)
            width += 1;
        widest = fmax(widest, width);
    }
    return widest;
}

static surety_status xlsx_put_text(struct xlsx *xlsx, size_t row, size_t column,
                                   surety_str text, lxw_format *format)
{
    const char *shown = xlsx_text(xlsx, text);

    if (!shown)
        return surety__fail_nomem(xlsx->reterr);
    if (xlsx->text.len > XLSX_TEXT_MAX) {
        const surety_str all = {xlsx->text.ptr, xlsx->text.len - 1};
        const size_t count = surety__utf8_count(all);
        if (count > XLSX_TEXT_MAX) {
            surety__fail(
                xlsx->reterr, SURETY_LIMIT,
                "row %zu has a text of %zu characters, and a cell of a "
                "sheet holds at most %d",
                row, count, XLSX_TEXT_MAX);
            surety__hint(xlsx->reterr, "csv and html have no such limit");
            return SURETY_LIMIT;
        }
    }
    xlsx->widths[column] = fmax(xlsx->widths[column], xlsx_width(shown));
    xlsx->lib.worksheet_write_string(xlsx->sheet, (lxw_row_t)row,
                                     (lxw_col_t)column, shown, format);
    return SURETY_OK;
}

/* The format of a number in a column of numbers: grouped digits, unit, and the
 * column's decimals. NULL: no format, or out of memory (xlsx->text.status). */
static lxw_format *xlsx_format(struct xlsx *xlsx, const surety__column *about,
                               surety_str unit)
{
    const bool is_percent = unit.len > 0 && unit.ptr[0] == '%';
    const char *quote = unit.len > 0 && !is_percent ? "\"" : "";
    struct xlsx_format *format = xlsx->formats;

    if (about->kind != SURETY__COLUMN_NUMBER)
        return NULL;
    for (; format < xlsx->formats + xlsx->formats_count; format++)
        if (format->decimals == about->decimals &&
            surety_str_equal(format->unit, unit))
            return format->format;
    assert(xlsx->formats_count < XLSX_FORMATS_MAX);
    surety_buf_reset(&xlsx->text);
    surety__buf_printf(&xlsx->text, "%s%.*s%s#,##0%.*s%s", quote,
                       is_percent ? 0 : (int)unit.len, unit.ptr ? unit.ptr : "",
                       quote,
                       about->decimals > 0 ? (int)about->decimals + 1 : 0,
                       ".000000", is_percent ? "%" : "");
    surety_buf_byte(&xlsx->text, '\0');
    if (xlsx->text.status)
        return NULL;
    *format = (struct xlsx_format){unit, about->decimals,
                                   xlsx->lib.workbook_add_format(xlsx->book)};
    if (format->format)
        xlsx->lib.format_set_num_format(format->format, xlsx->text.ptr);
    xlsx->formats_count++;
    return format->format;
}

static surety_status xlsx_put_cell(struct xlsx *xlsx, size_t row, size_t column)
{
    surety__table *table = xlsx->table;
    const surety__column *about = table->columns[column];
    const surety_val val = table->cells[column];
    const bool is_text = about->kind == SURETY__COLUMN_CODE ||
                         about->kind == SURETY__COLUMN_TEXT;
    surety__figure figure;
    const surety__cell cell = surety__table_cell(table, val, &figure);
    double number = 0;
    surety_str text;

    if (cell == SURETY__CELL_FIGURE && !figure.is_code &&
        (!is_text || surety_val_kind(val) == SURETY_KIND_NUMBER) &&
        surety__xlsx_holds(&figure)) {
        if (surety__table_number(table, &figure, &number))
            return surety__fail_nomem(xlsx->reterr);
        if (isfinite(number)) {
            /* No count of decimals shows all numbers with an exponent. */
            const bool has_exponent = memchr(figure.text, 'e', figure.len);
            lxw_format *format =
                has_exponent ? NULL : xlsx_format(xlsx, about, figure.unit);
            const size_t width = figure.len + figure.len / 3 + 1;
            if (xlsx->text.status)
                return surety__fail_nomem(xlsx->reterr);
            xlsx->widths[column] = fmax(xlsx->widths[column], (double)width);
            if (figure.unit.len > 0 && figure.unit.ptr[0] == '%')
                number /= 100;
            xlsx->bytes += XLSX_CELL_BYTES;
            xlsx->lib.worksheet_write_number(xlsx->sheet, (lxw_row_t)row,
                                             (lxw_col_t)column, number, format);
            return SURETY_OK;
        }
    }
    if (cell == SURETY__CELL_PLACEHOLDER)
        return SURETY_OK;
    text = surety__table_text(table, val);
    if (table->scratch.status)
        return surety__fail_nomem(xlsx->reterr);
    return text.len > 0 ? xlsx_put_text(xlsx, row, column, text, NULL)
                        : SURETY_OK;
}

static surety_status xlsx_header(struct xlsx *xlsx)
{
    surety__table *table = xlsx->table;
    surety_status status = SURETY_OK;
    lxw_format *formats[2]; /* of texts, and of numbers */
    surety_buf header;

    for (size_t i = 0; i < 2; i++) {
        formats[i] = xlsx->lib.workbook_add_format(xlsx->book);
        if (!formats[i])
            return surety__fail_nomem(xlsx->reterr);
        xlsx->lib.format_set_bold(formats[i]);
        xlsx->lib.format_set_bottom(formats[i], LXW_BORDER_THIN);
    }
    xlsx->lib.format_set_align(formats[1], LXW_ALIGN_RIGHT);
    surety_buf_init(&header, table->alloc, 0);
    for (size_t i = 0; i < table->columns_count && !status; i++) {
        const bool is_number = table->columns[i]->kind == SURETY__COLUMN_NUMBER;
        surety_buf_reset(&header);
        surety__table_header(table, i, xlsx->form->headers, &header);
        status = header.status
                     ? surety__fail_nomem(xlsx->reterr)
                     : xlsx_put_text(xlsx, 0, i, surety_buf_str(&header),
                                     formats[is_number]);
    }
    surety_buf_done(&header);
    return status;
}

/* Writes title and notes to a sheet of their own. */
static surety_status xlsx_about(struct xlsx *xlsx)
{
    lxw_doc_properties about = {0};
    const surety__table_form *form = xlsx->form;
    double width = 0;
    double *widths = xlsx->widths;
    surety_status status = SURETY_OK;

    about.created = 315532800; /* 1980: the same input gives the same bytes */
    xlsx->lib.workbook_set_properties(xlsx->book, &about);
    if (form->title.len == 0 && form->notes_count == 0)
        return SURETY_OK;
    xlsx->sheet = xlsx->lib.workbook_add_worksheet(xlsx->book, "About");
    if (!xlsx->sheet)
        return surety__fail_nomem(xlsx->reterr);
    xlsx->widths = &width;
    xlsx->lib.worksheet_set_column(xlsx->sheet, 0, 0, 100, NULL);
    if (form->title.len > 0)
        status = xlsx_put_text(xlsx, 0, 0, form->title, NULL);
    for (size_t i = 0; i < form->notes_count && !status; i++)
        status = xlsx_put_text(xlsx, i + 2, 0, form->notes[i], NULL);
    xlsx->widths = widths;
    return status;
}

static surety_status xlsx_fill(struct xlsx *xlsx)
{
    surety__table *table = xlsx->table;
    const size_t columns = table->columns_count;
    surety_status status;

    xlsx->sheet = xlsx->lib.workbook_add_worksheet(xlsx->book, "Data");
    if (!xlsx->sheet)
        return surety__fail_nomem(xlsx->reterr);
    status = xlsx_header(xlsx);
    for (size_t row = 0; row < table->rows_count && !status; row++) {
        surety__table_row(table, row);
        for (size_t i = 0; i < columns && !status; i++)
            status = xlsx_put_cell(xlsx, row + 1, i);
    }
    if (status)
        return status;
    for (size_t i = 0; i < columns; i++) {
        const double width = /* with the filter's arrow */
            fmin(fmax(xlsx->widths[i] + 3, 8), 60);
        xlsx->lib.worksheet_set_column(xlsx->sheet, (lxw_col_t)i, (lxw_col_t)i,
                                       width, NULL);
    }
    xlsx->lib.worksheet_freeze_panes(xlsx->sheet, 1, 0);
    xlsx->lib.worksheet_autofilter(xlsx->sheet, 0, 0,
                                   (lxw_row_t)table->rows_count,
                                   (lxw_col_t)(columns - 1));
    xlsx->lib.worksheet_repeat_rows(xlsx->sheet, 0, 0);
    status = xlsx_rows_arrived(xlsx);
    return status ? status : xlsx_about(xlsx);
}

/* ---- the workbook -------------------------------------------------------- */

static surety_status xlsx_slurp(const char *path, surety_buf *out,
                                surety_error *reterr)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const size_t start = out->len;
    surety_status status =
        fd < 0 ? SURETY_IO : surety__file_drain(fd, SIZE_MAX, out);

    if (status == SURETY_IO)
        surety__fail(reterr, SURETY_IO,
                     "the workbook's temporary file cannot be read: %s",
                     strerror(errno));
    else if (status == SURETY_LIMIT)
        surety__fail(reterr, SURETY_LIMIT,
                     "the table is larger than its buffer may be");
    else if (status)
        surety__fail_nomem(reterr);
    if (fd >= 0)
        close(fd);
    if (status)
        out->len = start;
    return status;
}

/* Writes the workbook to path, an existing empty file. */
static surety_status xlsx_build(struct xlsx *xlsx, const char *path)
{
    lxw_workbook_options options = {0};
    surety_status status;
    lxw_error error;

    options.constant_memory =
        xlsx->table->rows_count * xlsx->table->columns_count > XLSX_CELLS_MANY;
    options.tmpdir = xlsx->folder;
    xlsx->book = xlsx->lib.workbook_new_opt(path, &options);
    if (!xlsx->book)
        return surety__fail_nomem(xlsx->reterr);
    status = xlsx_fill(xlsx);
    if (!status)
        status = xlsx_try(xlsx);
    if (status) {
        xlsx->lib.lxw_workbook_free(xlsx->book);
        return status;
    }
    error = xlsx->lib.workbook_close(xlsx->book);
    if (error == LXW_NO_ERROR)
        return SURETY_OK;
    surety__fail(xlsx->reterr, SURETY_IO, "the workbook cannot be written: %s",
                 xlsx->lib.lxw_strerror(error));
    surety__hint(xlsx->reterr, "temporary files are made in %.200s",
                 xlsx->folder);
    return SURETY_IO;
}

surety_status surety__xlsx_write(surety__table *table,
                                 const surety__table_form *form,
                                 surety_buf *out, surety_error *reterr)
{
    struct xlsx xlsx = {.table = table, .form = form, .reterr = reterr};
    const size_t columns = table->columns_count;
    char path[XLSX_PATH_MAX];
    surety_status status;
    int file;

    status = surety__load(&xlsx_library, &xlsx.lib, reterr);
    if (!status)
        status = xlsx_folder(&xlsx, form->scratch);
    if (!status)
        status = xlsx_try(&xlsx);
    if (status)
        return status;
    file = xlsx_open(&xlsx, path);
    if (file < 0)
        return xlsx_no_file(&xlsx, errno);
    close(file);
    surety_buf_init(&xlsx.text, table->alloc, 0);
    xlsx.widths = surety__new(table->alloc, columns * sizeof(*xlsx.widths));
    status = xlsx.widths ? xlsx_build(&xlsx, path) : surety__fail_nomem(reterr);
    if (!status)
        status = xlsx_slurp(path, out, reterr);
    unlink(path);
    surety__free(table->alloc, xlsx.widths,
                 xlsx.widths ? columns * sizeof(*xlsx.widths) : 0);
    surety_buf_done(&xlsx.text);
    return status;
}

#else

surety_status surety__xlsx_write(surety__table *table,
                                 const surety__table_form *form,
                                 surety_buf *out, surety_error *reterr)
{
    (void)table;
    (void)form;
    (void)out;
    surety__fail(reterr, SURETY_UNSUPPORTED,
                 "this build writes no xlsx: it is without libxlsxwriter");
    surety__hint(reterr, "csv and html are written by every build");
    return SURETY_UNSUPPORTED;
}

#endif
