/* SPDX-License-Identifier: Apache-2.0 */
/* Lays out rows of cells for a terminal. All cells are fitting in one text, one
 * after the other, and are laid out when all are known. Cells are safe to show:
 * when a cell is made, characters that a terminal would interpret are escaped.
 * Widths are columns: two for East Asian wide letters and emoji, none for
 * combining marks. */
#include "grid.h"

#include <assert.h>
#include <stdlib.h>

#include "cli.h"

enum { GRID_GAP = 2, GRID_TEXT_MIN = 8 };

/* ---- widths of characters ------------------------------------------------ */

struct letter_range {
    uint32_t first, last;
};

static bool is_in(uint32_t code, const struct letter_range *ranges,
                  size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}

/* Returns the columns of a code point. Source: Unicode 15, EastAsianWidth.txt
 * (W and F, as large blocks), the combining blocks, and the joiners. */
static size_t width_of(uint32_t code)
{
    static const struct letter_range none[] = {
        {0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},
        {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200C, 0x200D},
        {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
    static const struct letter_range wide[] = {
        {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},
        {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},
        {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
        {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
        {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1FAFF},
        {0x20000, 0x3FFFD}};

    if (code < 0x300)
        return 1;
    if (is_in(code, none, COUNT_OF(none)))
        return 0;
    return is_in(code, wide, COUNT_OF(wide)) ? 2 : 1;
}

/* Returns the code point at ptr, in valid UTF-8. */
static uint32_t letter_at(const unsigned char *ptr, unsigned *ret_len)
{
    uint32_t code = ptr[0];

    *ret_len = code < 0x80 ? 1 : code < 0xE0 ? 2 : code < 0xF0 ? 3 : 4;
    if (*ret_len > 1)
        code &= 0x7Fu >> *ret_len;
    for (unsigned i = 1; i < *ret_len; i++)
        code = code << 6 | (ptr[i] & 0x3Fu);
    return code;
}

/* Returns how many bytes of a text fit into `most` columns; *ret_width is the
 * number of columns that these take. */
static size_t fit(surety_str text, size_t most, size_t *ret_width)
{
    const unsigned char *ptr = (const unsigned char *)text.ptr;
    size_t width = 0;
    size_t at = 0;

    while (at < text.len) {
        unsigned len;
        const size_t wide = width_of(letter_at(ptr + at, &len));

        if (width + wide > most)
            break;
        width += wide;
        at += len;
    }
    *ret_width = width;
    return at;
}

size_t grid_put_safe(surety_buf *out, surety_str text)
{
    const size_t start = out->len;
    size_t width;

    put_safe(out, text);
    if (out->len == start)
        return 0;
    fit(put_since(out, start), SIZE_MAX, &width);
    return width;
}

size_t grid_put_cut(surety_buf *out, surety_str text, size_t width)
{
    size_t fitting_width;
    size_t fitting = fit(text, width, &fitting_width);

    if (fitting == text.len) {
        surety_buf_add(out, text);
        return fitting_width;
    }
    fitting = fit(text, width > 0 ? width - 1 : 0, &fitting_width);
    surety_buf_append(out, text.ptr, fitting);
    surety_buf_text(out, "\xE2\x80\xA6");
    return fitting_width + 1;
}

/* ---- cells --------------------------------------------------------------- */

void grid_init(struct grid *grid, const struct grid_column *columns,
               size_t column_count)
{
    assert(column_count > 0);
    *grid = (struct grid){.columns = columns, .column_count = column_count};
    surety_buf_init(&grid->text, NULL, 0);
}

void grid_done(struct grid *grid)
{
    surety_buf_done(&grid->text);
    free(grid->cells);
}

static void add_cell(struct grid *grid, size_t width)
{
    const size_t start = grid->count ? grid->cells[grid->count - 1].start +
                                           grid->cells[grid->count - 1].len
                                     : 0;

    if (grid->count == grid->cap) {
        const size_t cap = grid->cap ? grid->cap * 2 : 64;
        void *cells = realloc(grid->cells, cap * sizeof(*grid->cells));

        if (!cells) {
            grid->failed = true;
            return;
        }
        grid->cells = cells;
        grid->cap = cap;
    }
    grid->cells[grid->count++] =
        (struct grid_cell){start, grid->text.len - start, width};
}

void grid_end(struct grid *grid)
{
    const size_t start = grid->count ? grid->cells[grid->count - 1].start +
                                           grid->cells[grid->count - 1].len
                                     : 0;

    add_cell(grid, grid->text.len - start);
}

void grid_text(struct grid *grid, surety_str text)
{
    add_cell(grid, grid_put_safe(&grid->text, text));
}

/* ---- layout -------------------------------------------------------------- */

static void put_blanks(surety_buf *out, size_t count)
{
    while (count-- > 0)
        surety_buf_byte(out, ' ');
}

static size_t length_of(const char *text)
{
    return surety_str_of(text).len;
}

/* Returns the width of all shown columns together. */
static size_t total_of(const struct grid *grid, const size_t *widths)
{
    size_t total = 0;

    for (size_t i = 0; i < grid->column_count; i++)
        total += widths[i] ? widths[i] + (total ? GRID_GAP : 0) : 0;
    return total;
}

/* Returns the column to leave out next; column_count: none. */
static size_t highest(const struct grid *grid, const size_t *widths)
{
    size_t found = grid->column_count;

    for (size_t i = 0; i < grid->column_count; i++)
        if (widths[i] && grid->columns[i].rank &&
            (found == grid->column_count ||
             grid->columns[i].rank > grid->columns[found].rank))
            found = i;
    return found;
}

/* Makes the widest text columns narrower, by one terminal column at a time. */
static void narrow(const struct grid *grid, size_t width, size_t *widths)
{
    while (total_of(grid, widths) > width) {
        size_t found = grid->column_count;

        for (size_t i = 0; i < grid->column_count; i++)
            if (grid->columns[i].is_text && widths[i] > GRID_TEXT_MIN &&
                (found == grid->column_count || widths[i] > widths[found]))
                found = i;
        if (found == grid->column_count)
            return;
        widths[found]--;
    }
}

/* Decides which columns are shown, and their widths. Columns are left out by
 * rank until the texts have two fifths of the width, or all that they need. */
static void settle(const struct grid *grid, size_t width, size_t *widths)
{
    size_t texts = 0;
    size_t wanted;

    for (size_t i = 0; i < grid->column_count; i++)
        if (grid->columns[i].is_text)
            texts += widths[i];
    wanted = texts < width * 2 / 5 ? texts : width * 2 / 5;
    while (total_of(grid, widths) - texts + wanted > width) {
        const size_t found = highest(grid, widths);

        if (found == grid->column_count)
            break;
        if (grid->columns[found].is_text)
            texts -= widths[found];
        widths[found] = 0;
    }
    narrow(grid, width, widths);
}

static void put_row(const struct grid *grid, size_t row, const size_t *widths,
                    surety_buf *out)
{
    const struct grid_cell *cells = &grid->cells[row * grid->column_count];
    size_t blanks = 0;

    assert((row + 1) * grid->column_count <= grid->count);
    for (size_t i = 0; i < grid->column_count; i++) {
        const surety_str text = {grid->text.ptr + cells[i].start, cells[i].len};
        size_t width;

        if (!widths[i])
            continue;
        width = cells[i].width < widths[i] ? cells[i].width : widths[i];
        if (!grid->columns[i].is_text)
            blanks += widths[i] - width;
        /* Blanks are not written at the end of a line. */
        if (text.len) {
            put_blanks(out, blanks);
            blanks = 0;
            width = grid_put_cut(out, text, widths[i]);
        }
        if (grid->columns[i].is_text)
            blanks += widths[i] - width;
        blanks += GRID_GAP;
    }
}

static void put_titles(const struct grid *grid, const size_t *widths,
                       surety_buf *out)
{
    size_t blanks = 0;

    for (size_t i = 0; i < grid->column_count; i++) {
        const size_t len = length_of(grid->columns[i].title);

        if (!widths[i])
            continue;
        if (!grid->columns[i].is_text)
            blanks += widths[i] - len;
        put_blanks(out, blanks);
        blanks = GRID_GAP;
        if (grid->columns[i].is_text)
            blanks += widths[i] - (len < widths[i] ? len : widths[i]);
        grid_put_cut(out, surety_str_of(grid->columns[i].title), widths[i]);
    }
}

void grid_write(const struct grid *grid, size_t width, bool bold, bool has_sum,
                surety_buf *out)
{
    const size_t rows = grid->count / grid->column_count;
    size_t *widths = calloc(grid->column_count, sizeof(*widths));

    assert(grid->failed || grid->count % grid->column_count == 0);
    if (grid->failed || grid->text.status || !widths) {
        if (!out->status)
            out->status = SURETY_NOMEM;
        free(widths);
        return;
    }
    for (size_t i = 0; i < grid->column_count; i++) {
        widths[i] = length_of(grid->columns[i].title);
        for (size_t row = 0; row < rows; row++) {
            const size_t wide = grid->cells[row * grid->column_count + i].width;
            widths[i] = wide > widths[i] ? wide : widths[i];
        }
    }
    settle(grid, width, widths);
    surety_buf_text(out, bold ? "\x1B[1m" : "");
    put_titles(grid, widths, out);
    surety_buf_text(out, bold ? "\x1B[0m\n" : "\n");
    for (size_t row = 0; row < rows; row++) {
        const bool is_bold = bold && has_sum && row + 1 == rows;

        surety_buf_text(out, is_bold ? "\x1B[1m" : "");
        put_row(grid, row, widths, out);
        surety_buf_text(out, is_bold ? "\x1B[0m\n" : "\n");
    }
    free(widths);
}
