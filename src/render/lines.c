/* SPDX-License-Identifier: Apache-2.0 */
/* Draws lines.
 *
 * 1. A missing value breaks its line. A point between two gaps is drawn as a
 *    mark, so that it is visible.
 * 2. Each series has marks of its own shape, for readers who do not distinguish
 *    the colours. Marks are left out if points are dense.
 * 3. If there are more lines than colours, the remaining lines are pale and
 *    below the others. */
#include "render/canvas.h"

#include <assert.h>
#include <math.h>

enum { LINES_MARKS_MAX = 40, LINES_PIECE = 200 };

static const surety__letters lines_value = {12, 0, 1, true, false, false};

static double lines_y(const surety__picture *picture, double value)
{
    return picture->bottom -
           surety__picture_along(picture, value,
                                 picture->bottom - picture->top);
}

void surety__lines_mark(const surety__picture *picture, size_t series, double x,
                        double y, double size)
{
    const surety__pango *pango = &picture->canvas.pango;
    cairo_t *cairo = picture->canvas.cairo;
    const unsigned color = picture->colors[series];

    assert(series < picture->model->series_count);
    switch (color % 4) {
    case 0: pango->cairo_arc(cairo, x, y, size, 0, 6.2831853); break;
    case 1:
        pango->cairo_rectangle(cairo, x - size * 0.88, y - size * 0.88,
                               size * 1.76, size * 1.76);
        break;
    case 2:
        pango->cairo_move_to(cairo, x, y - size * 1.2);
        pango->cairo_line_to(cairo, x + size * 1.1, y + size * 0.8);
        pango->cairo_line_to(cairo, x - size * 1.1, y + size * 0.8);
        pango->cairo_close_path(cairo);
        break;
    default:
        pango->cairo_move_to(cairo, x, y - size * 1.3);
        pango->cairo_line_to(cairo, x + size * 1.2, y);
        pango->cairo_line_to(cairo, x, y + size * 1.3);
        pango->cairo_line_to(cairo, x - size * 1.2, y);
        pango->cairo_close_path(cairo);
    }
    /* The marks of the second four colours are hollow. */
    surety__canvas_ink(&picture->canvas,
                       color >= 4 && color < 8
                           ? (uint32_t)SURETY__INK_PAPER
                           : surety__picture_color(picture, series));
    pango->cairo_fill_preserve(cairo);
    pango->cairo_set_line_width(cairo, 1.4);
    surety__canvas_ink(&picture->canvas,
                       color >= 4 ? surety__picture_color(picture, series)
                                  : (uint32_t)SURETY__INK_PAPER);
    pango->cairo_stroke(cairo);
}

static bool lines_is_alone(const surety__picture *picture, size_t series,
                           size_t place)
{
    const size_t count = picture->model->places_count;

    return (place == 0 ||
            isnan(surety__model_value(picture->model, series, place - 1))) &&
           (place + 1 == count ||
            isnan(surety__model_value(picture->model, series, place + 1)));
}

/* The state of drawing one line. Its path is stroked in short pieces: for a
 * long path that crosses itself, the time that cairo takes grows much faster
 * than the number of points. */
struct lines_pen {
    const surety__pango *pango;
    cairo_t *cairo;
    bool is_down;
    unsigned count;
    /* Of dense points, those in one column of half a pixel are drawn as four:
     * the first, lowest, highest and last. More would not be visible. */
    double column;
    double first, low, high, last;
    bool is_open, is_high_last;
};

static void lines_to(struct lines_pen *pen, double x, double y)
{
    assert(pen->count < LINES_PIECE);
    if (pen->is_down)
        pen->pango->cairo_line_to(pen->cairo, x, y);
    else
        pen->pango->cairo_move_to(pen->cairo, x, y);
    pen->is_down = true;
    if (++pen->count < LINES_PIECE)
        return;
    pen->pango->cairo_stroke(pen->cairo);
    pen->pango->cairo_move_to(pen->cairo, x, y);
    pen->count = 0;
}

static void lines_flush(struct lines_pen *pen)
{
    const double x = pen->column / 2;

    if (!pen->is_open)
        return;
    lines_to(pen, x, pen->first);
    lines_to(pen, x, pen->is_high_last ? pen->low : pen->high);
    lines_to(pen, x, pen->is_high_last ? pen->high : pen->low);
    lines_to(pen, x, pen->last);
    pen->is_open = false;
}

/* Adds one of many dense points. */
static void lines_dense(struct lines_pen *pen, double x, double y)
{
    const double column = floor(x * 2);

    if (pen->is_open && column != pen->column)
        lines_flush(pen);
    if (!pen->is_open) {
        pen->is_open = true;
        pen->column = column;
        pen->first = pen->low = pen->high = y;
    }
    if (y > pen->high || y < pen->low)
        pen->is_high_last = y > pen->high;
    pen->high = fmax(pen->high, y);
    pen->low = fmin(pen->low, y);
    pen->last = y;
}

static void lines_stroke(const surety__picture *picture, size_t series)
{
    const surety__model *model = picture->model;
    const bool is_dense =
        (double)model->places_count > (picture->right - picture->left) * 4;
    struct lines_pen pen = {.pango = &picture->canvas.pango,
                            .cairo = picture->canvas.cairo};

    surety__canvas_ink(&picture->canvas,
                       surety__picture_color(picture, series));
    pen.pango->cairo_set_line_cap(pen.cairo, CAIRO_LINE_CAP_ROUND);
    pen.pango->cairo_set_line_width(pen.cairo, picture->colors[series] >= 8 ? 1
                                               : model->places_count > 400
                                                   ? 1.4
                                                   : 2.2);
    for (size_t k = 0; k < model->places_count; k++) {
        const double value = surety__model_value(picture->model, series, k);
        const double x = surety__picture_across(picture, model->places[k]->at);
        if (isnan(value)) {
            lines_flush(&pen);
            pen.is_down = false;
        } else if (is_dense) {
            lines_dense(&pen, x, lines_y(picture, value));
        } else {
            lines_to(&pen, x, lines_y(picture, value));
        }
    }
    lines_flush(&pen);
    pen.pango->cairo_stroke(pen.cairo);
    pen.pango->cairo_set_line_cap(pen.cairo, CAIRO_LINE_CAP_BUTT);
}

static void lines_one(const surety__picture *picture, size_t series)
{
    const surety__model *model = picture->model;
    const bool has_marks =
        picture->colors[series] < 8 && model->places_count <= LINES_MARKS_MAX;

    lines_stroke(picture, series);
    for (size_t k = 0; k < model->places_count; k++) {
        const double value = surety__model_value(picture->model, series, k);
        if (!isnan(value) && (has_marks || lines_is_alone(picture, series, k)))
            surety__lines_mark(
                picture, series,
                surety__picture_across(picture, model->places[k]->at),
                lines_y(picture, value), has_marks ? 4 : 3);
    }
}

/* Sets the last value of a single line, to be drawn at its end. layout NULL:
 * there are several lines, or the line ends before the last place. */
static surety__label lines_end(const surety__picture *picture)
{
    const size_t last = picture->model->places_count - 1;
    const double value = surety__model_value(picture->model, 0, last);

    if (picture->model->series_count > 1 || isnan(value))
        return (surety__label){.layout = NULL};
    surety__ticks_value(picture->model, value, picture->canvas.text);
    return surety__canvas_set_text(&picture->canvas, &lines_value);
}

double surety__lines_room(const surety__picture *picture)
{
    const surety__label end = lines_end(picture);

    if (end.layout)
        surety__canvas_free(&picture->canvas, end);
    return fmax(end.width - 8, 0);
}

void surety__lines_draw(surety__picture *picture)
{
    const surety__model *model = picture->model;
    const size_t last = model->places_count - 1;
    const surety__label end = lines_end(picture);

    picture->bottom -= surety__places_height(picture);
    surety__picture_grid(picture);
    surety__places_draw(picture);
    for (size_t i = 0; i < model->series_count; i++)
        if (picture->colors[i] >= 8)
            lines_one(picture, i);
    for (size_t i = model->series_count; i > 0; i--)
        if (picture->colors[i - 1] < 8)
            lines_one(picture, i - 1);
    if (!end.layout)
        return;
    surety__canvas_show_over(
        &picture->canvas, end,
        surety__picture_across(picture, model->places[last]->at) + 9,
        lines_y(picture, surety__model_value(picture->model, 0, last)) -
            end.height / 2,
        SURETY__INK_TEXT);
    surety__canvas_free(&picture->canvas, end);
}
