/* SPDX-License-Identifier: Apache-2.0 */
/* grid.h: rows of cells in columns, for a terminal of a given width. Where they
 * do not fit, columns are left out and texts are cut. */
#ifndef CLI_GRID_H
#define CLI_GRID_H

#include <surety/base.h>

struct grid_column {
    const char *title;
    bool is_text; /* set left, and cut where there is no room; else a number,
                   * set right */
    int rank;     /* 0: always shown; of the others the highest goes first */
};

struct grid {
    const struct grid_column *columns;
    size_t column_count;
    surety_buf text; /* of all cells; the caller appends to it */
    struct grid_cell {
        size_t start, len, width;
    } * cells;
    size_t count, cap;
    bool failed;
};

void grid_init(struct grid *grid, const struct grid_column *columns,
               size_t column_count);
void grid_done(struct grid *grid);
/* Ends the cell that was appended to text. */
void grid_end(struct grid *grid);
/* A whole cell of text from elsewhere, made safe to show. */
void grid_text(struct grid *grid, surety_str text);
/* Writes the titles and the rows; bold: the titles, and the last row where that
 * is a sum. Out of memory is kept in out. */
void grid_write(const struct grid *grid, size_t width, bool bold, bool has_sum,
                surety_buf *out);

/* Appends text with what a terminal would act on written out; gives how many
 * columns it takes. */
size_t grid_put_safe(surety_buf *out, surety_str text);
/* Appends as much of a safe text as fits into width columns, with an ellipsis
 * where it was cut; gives the columns. */
size_t grid_put_cut(surety_buf *out, surety_str text, size_t width);

#endif
