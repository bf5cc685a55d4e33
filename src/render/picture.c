/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that all plots use: the position of a place and of a value on the
 * sheet, the value and colour of a series, and the grid behind the plot.
 * Nothing here changes the picture. */
#include "render/canvas.h"

#include <assert.h>
#include <math.h>

const surety__letters surety__letters_small = {12, 0, 1, false, false, false};

static const uint32_t picture_colors[] = {0x0072B2, 0xD55E00, 0x009E73,
                                          0xCC79A7, 0xE69F00, 0x56B4E9,
                                          0x4D4D4D, 0x8C6D31, SURETY__INK_PALE};

surety__label surety__picture_tick(const surety__picture *picture, unsigned i)
{
    assert(i < picture->ticks.count);
    surety__ticks_label(&picture->ticks, i, picture->canvas.text);
    return surety__canvas_set_text(&picture->canvas, &surety__letters_small);
}

double surety__picture_across(const surety__picture *picture, double at)
{
    const surety__model *model = picture->model;
    const double first = model->places[0]->at;
    const double span = model->places[model->places_count - 1]->at - first;
    const double room = picture->right - picture->left;
    double pad = room / (double)(model->places_count + 1) / 2;

    assert(model->places_count > 0);
    if (!(span > 0))
        return picture->left + room / 2;
    pad = fmin(fmax(pad, 24), 40);
    return picture->left + pad + (at - first) / span * (room - 2 * pad);
}

double surety__picture_along(const surety__picture *picture, double value,
                             double length)
{
    const surety__ticks *ticks = &picture->ticks;
    const double span = ticks->step * (ticks->count - 1);

    return (value - ticks->first) / span * length;
}

uint32_t surety__picture_color(const surety__picture *picture, size_t series)
{
    return picture_colors[picture->colors[series]];
}

double surety__picture_tick_width(const surety__picture *picture)
{
    double widest = 0;

    for (unsigned i = 0; i < picture->ticks.count; i++)
        widest = fmax(widest,
                      surety__canvas_width(&picture->canvas,
                                           surety__picture_tick(picture, i)));
    return widest;
}

void surety__picture_grid(const surety__picture *picture)
{
    const surety__ticks *ticks = &picture->ticks;
    const double length = picture->bottom - picture->top;

    for (unsigned i = 0; i < ticks->count; i++) {
        const double value = ticks->first + ticks->step * i;
        const double y =
            picture->bottom - surety__picture_along(picture, value, length);
        const bool is_zero = fabs(value) < ticks->step * 1e-6;
        const double line[4] = {picture->left, y, picture->right, y};
        const surety__label label = surety__picture_tick(picture, i);

        surety__canvas_line(&picture->canvas, line, 1,
                            is_zero ? SURETY__INK_AXIS : SURETY__INK_GRID);
        surety__canvas_show(&picture->canvas, label,
                            picture->left - 8 - label.width,
                            y - label.height / 2, SURETY__INK_SOFT);
        surety__canvas_free(&picture->canvas, label);
    }
}
