/* SPDX-License-Identifier: Apache-2.0 */
/* grid.h: a table for a terminal of a given width. If it does not fit, columns
 * are left out and texts are shortened. */
#ifndef CLI_GRID_H
#define CLI_GRID_H

#include <surety/base.h>

struct grid_column {
    const char *title;
    bool is_text; /* text: aligned left, shortened if needed; else a number,
                   * aligned right */
    int rank;     /* 0: always shown; others are left out from the highest rank
                   * on */
};

struct grid {
    const struct grid_column *columns;
    size_t column_count;
    surety_buf text; /* text of all cells; the caller appends to it */
    struct grid_cell {
        size_t start, len, width;
    } * cells;
    size_t count, cap;
    bool failed;
};

void grid_init(struct grid *grid, const struct grid_column *columns,
               size_t column_count);
void grid_done(struct grid *grid);
/* Ends a cell whose text the caller has appended to text. */
void grid_end(struct grid *grid);
/* Adds a cell with a text from outside, made safe for a terminal. */
void grid_text(struct grid *grid, surety_str text);
/* Writes the titles and the rows. bold: the titles are bold, and the last row
 * if it is a sum. Out of memory is kept in out->status. */
void grid_write(const struct grid *grid, size_t width, bool bold, bool has_sum,
                surety_buf *out);

/* Appends text with escapes for characters that a terminal would interpret;
 * returns its columns. */
size_t grid_put_safe(surety_buf *out, surety_str text);
/* Appends as much of a safe text as fits into width columns, with an ellipsis
 * if it was shortened; returns the columns. */
size_t grid_put_cut(surety_buf *out, surety_str text, size_t width);

#endif
