/* SPDX-License-Identifier: Apache-2.0 */
/* Draws bars, from zero; shares of a whole are stacked.
 *
 * 1. Bars are vertical if the names of their places fit below them. Otherwise
 *    they are horizontal, one below the other with the names at the left. All
 *    are drawn and, unless the caller sets the height, legible. So a chart of
 *    254 counties is tall.
 * 2. Each bar has its value at its end, if there is room for all values.
 * 3. A missing value has a text in place of a bar, since an empty place reads
 *    as zero. */
#include "render/canvas.h"

#include <assert.h>
#include <math.h>

enum {
    BARS_NAME_MAX = 280,
    BARS_PLOT_MIN = 60, /* in less width, values are left out */
    BARS_AXIS = 26,
    BARS_GAP = 8, /* between labels of the axis */
    BARS_TALL = 700,
    BARS_FEW = 12,    /* with so few places, rows are high */
    BARS_ROW_TWO = 38 /* the height for a name of two lines */
};

static const surety__letters bars_value = {11.5, 0, 1, false, false, false};

/* Sets a name beside its row, in two lines if the row is high. A name takes at
 * most two fifths of a narrow picture. */
static surety__label bars_name(const surety__picture *picture, size_t place,
                               double row)
{
    const double most = (picture->width - 2 * DRAW_MARGIN) * 0.4;
    const surety__letters letters = {12,
                                     fmin(most, BARS_NAME_MAX),
                                     row >= BARS_ROW_TWO ? 2 : 1,
                                     false,
                                     false,
                                     true};

    return surety__canvas_set(&picture->canvas,
                              picture->model->places[place]->text, &letters);
}

static surety__label bars_label(const surety__picture *picture, size_t series,
                                size_t place)
{
    const double value = surety__model_value(picture->model, series, place);

    if (isnan(value))
        surety_buf_text(picture->canvas.text, "no data");
    else
        surety__ticks_value(picture->model, value, picture->canvas.text);
    return surety__canvas_set_text(&picture->canvas, &bars_value);
}

/* Draws the sign of a missing value if values have no room: "n/a" if that fits,
 * otherwise a cross. */
static void bars_missing(const surety__picture *picture, const double middle[2],
                         double room)
{
    static const char *const signs[] = {"n/a", "\xC3\x97"};

    for (size_t i = 0; i < 2; i++) {
        const surety__label label = surety__canvas_set(
            &picture->canvas, surety_str_of(signs[i]), &bars_value);
        if (label.width <= room || i == 1) {
            surety__canvas_show(&picture->canvas, label,
                                middle[0] - label.width / 2,
                                middle[1] - label.height / 2, SURETY__INK_AXIS);
            i = 2;
        }
        surety__canvas_free(&picture->canvas, label);
    }
}

/* Black or white, whichever is more legible on the colour (WCAG 2.1, relative
 * luminance). */
static uint32_t bars_ink(uint32_t color)
{
    static const double weights[] = {0.0722, 0.7152, 0.2126};
    double light = 0;

    for (unsigned i = 0; i < 3; i++)
        light += weights[i] * pow((color >> 8 * i & 255) / 255.0, 2.2);
    return light > 0.25 ? (uint32_t)SURETY__INK_TEXT
                        : (uint32_t)SURETY__INK_PAPER;
}

/* The value at which a bar begins: the sum of the shares below it in a stack,
 * otherwise 0. */
static double bars_base(const surety__picture *picture, size_t series,
                        size_t place)
{
    double base = 0;

    for (size_t i = 0; picture->model->is_stacked && i < series; i++) {
        const double value = surety__model_value(picture->model, i, place);
        base += isnan(value) ? 0 : value;
    }
    return base;
}

/* The number of bars side by side at a place. */
static size_t bars_beside(const surety__picture *picture)
{
    return picture->model->is_stacked ? 1 : picture->model->series_count;
}

/* Whether a place has no value in any series. */
static bool bars_is_empty(const surety__picture *picture, size_t place)
{
    bool is_empty = true;

    for (size_t i = 0; i < picture->model->series_count; i++)
        is_empty &= isnan(surety__model_value(picture->model, i, place));
    return is_empty;
}

/* Draws one bar of a stack, with its value inside if it fits. box: a corner,
 * width and height; the height is negative for vertical bars. */
static void bars_stack(const surety__picture *picture, size_t series,
                       size_t place, const double box[4], bool has_label)
{
    const uint32_t color = surety__picture_color(picture, series);
    const bool is_lying = box[3] > 0;
    surety__label label;

    if (isnan(surety__model_value(picture->model, series, place)))
        return;
    surety__canvas_ink(&picture->canvas, color);
    surety__canvas_box(&picture->canvas, box[0], box[1], box[2], box[3]);
    /* A line in the colour of the paper separates it from the next. */
    if (fabs(box[2]) > 3 && fabs(box[3]) > 3) {
        const double line[4] = {box[0] + (is_lying ? box[2] : 0),
                                box[1] + (is_lying ? 0 : box[3]),
                                box[0] + box[2], box[1] + box[3]};
        surety__canvas_line(&picture->canvas, line, 1, SURETY__INK_PAPER);
    }
    if (!has_label)
        return;
    label = bars_label(picture, series, place);
    if (label.width + 4 <= fabs(box[2]) && label.height + 1 <= fabs(box[3]))
        surety__canvas_show(
            &picture->canvas, label, box[0] + (box[2] - label.width) / 2,
            box[1] + (box[3] - label.height) / 2, bars_ink(color));
    surety__canvas_free(&picture->canvas, label);
}

/* The width of the widest value. */
static double bars_label_width(const surety__picture *picture)
{
    const surety__model *model = picture->model;
    double widest = 0;

    for (size_t i = 0; i < model->series_count; i++)
        for (size_t k = 0; k < model->places_count; k++)
            widest =
                fmax(widest, surety__canvas_width(&picture->canvas,
                                                  bars_label(picture, i, k)));
    return widest;
}

/* Where a bar is. */
struct bars_bar {
    double zero;  /* on the axis of values, the point of 0 */
    double scale; /* pixels of a value of 1; negative for vertical bars */
    double middle, thick; /* across the axis of values */
    double room;          /* for the sign of a missing value; 0: none */
    bool is_lying;
    bool has_label;
};

/* The pixels of a value of 1 on an axis of that length. */
static double bars_scale(const surety__picture *picture, double length)
{
    return length / (picture->ticks.step * (picture->ticks.count - 1));
}

/* The rectangle between two points of the axis of values. */
static void bars_box(const struct bars_bar *bar, double from, double to,
                     double box[4])
{
    const double across = bar->middle - bar->thick / 2;

    box[0] = bar->is_lying ? from : across;
    box[1] = bar->is_lying ? across : from;
    box[2] = bar->is_lying ? to - from : bar->thick;
    box[3] = bar->is_lying ? bar->thick : to - from;
}

/* Draws one bar. */
static void bars_one(const surety__picture *picture, size_t series,
                     size_t place, const struct bars_bar *bar)
{
    const double value = surety__model_value(picture->model, series, place);
    const double end = bar->zero + (isnan(value) ? 0 : value * bar->scale);
    surety__label label;
    double box[4], x, y;

    assert(bar->is_lying ? bar->scale > 0 : bar->scale < 0);
    if (picture->model->is_stacked && !bars_is_empty(picture, place)) {
        const double base =
            bar->zero + bars_base(picture, series, place) * bar->scale;
        bars_box(bar, base, base + value * bar->scale, box);
        bars_stack(picture, series, place, box, bar->has_label);
        return;
    }
    if (picture->model->is_stacked && series > 0)
        return;
    if (!isnan(value)) {
        bars_box(bar, bar->zero, end, box);
        surety__canvas_ink(&picture->canvas,
                           surety__picture_color(picture, series));
        surety__canvas_box(&picture->canvas, box[0], box[1], box[2], box[3]);
    }
    if (!bar->has_label) {
        const double middle[2] = {bar->is_lying ? bar->zero + 8 : bar->middle,
                                  bar->is_lying ? bar->middle : bar->zero - 8};
        if (isnan(value) && bar->room > 0)
            bars_missing(picture, middle, bar->room);
        return;
    }
    label = bars_label(picture, series, place);
    x = bar->middle - label.width / 2;
    y = value < 0 ? end + 3 : end - label.height - 3;
    if (bar->is_lying) {
        x = value < 0 ? end - label.width - 5 : end + 5;
        y = bar->middle - label.height / 2;
    }
    surety__canvas_show_over(&picture->canvas, label, x, y,
                             isnan(value) ? SURETY__INK_AXIS
                                          : SURETY__INK_TEXT);
    surety__canvas_free(&picture->canvas, label);
}

/* Draws all bars: each place has a slot, the first from start on, in which its
 * bars of that width are side by side. */
static void bars_all(const surety__picture *picture, struct bars_bar *bar,
                     double start, double slot, double width)
{
    const double beside = (double)bars_beside(picture);

    for (size_t k = 0; k < picture->model->places_count; k++) {
        const double middle = start + ((double)k + 0.5) * slot;
        const double first = middle - width * (beside - 1) / 2;
        for (size_t i = 0; i < picture->model->series_count; i++) {
            bar->middle = first + width * (beside > 1 ? (double)i : 0);
            bars_one(picture, i, k, bar);
        }
    }
}

/* ---- vertical bars ------------------------------------------------------- */

/* The width of one vertical bar, at most 96. */
static double bars_width(const surety__picture *picture)
{
    const surety__model *model = picture->model;
    const double slot =
        (picture->right - picture->left) / (double)model->places_count;
    const double width = slot * 0.76 / (double)bars_beside(picture);

    return fmin(width, 96);
}

bool surety__bars_fit(const surety__picture *picture)
{
    /* Times go from left to right, however many there are. */
    if (picture->model->scale != SURETY__SCALE_NAMES)
        return true;
    return bars_width(picture) >= 3 && surety__places_fit(picture);
}

void surety__bars_upright(surety__picture *picture)
{
    const surety__model *model = picture->model;
    const size_t beside = bars_beside(picture);
    struct bars_bar bar = {.is_lying = false};
    double slot, width;
    double below; /* room for the value of the lowest bar */

    assert(model->places_count > 0 && model->series_count > 0);
    picture->bottom -= surety__places_height(picture);
    picture->top += 14; /* for the value of the highest bar */
    slot = (picture->right - picture->left) / (double)model->places_count;
    width = bars_width(picture);
    bar.has_label =
        model->places_count * model->series_count <= 60 &&
        bars_label_width(picture) <= (beside == 1 ? slot - 8 : width - 3);
    below = bar.has_label && model->low < 0 ? 16 : 0;
    picture->bottom -= below;
    surety__picture_grid(picture);
    bar.scale = -bars_scale(picture, picture->bottom - picture->top);
    bar.zero = picture->bottom + picture->ticks.first * -bar.scale;
    bar.thick = width - (beside > 1 && width > 4);
    bar.room = width >= 7 ? width : 0;
    bars_all(picture, &bar, picture->left, slot, width);
    picture->bottom += below;
    surety__places_draw(picture);
}

/* ---- horizontal bars ----------------------------------------------------- */

static double bars_row_wanted(const surety__picture *picture)
{
    const size_t places = picture->model->places_count;
    const size_t series = bars_beside(picture);
    double wanted = places <= BARS_FEW ? 32 : places <= 60 ? 24 : 19;

    if (series > 1)
        wanted = (double)series * 12 + 12;
    for (size_t k = 0; k < places && places <= BARS_FEW; k++) {
        const surety__label label = bars_name(picture, k, wanted);
        if (label.is_cut && wanted < BARS_ROW_TWO)
            wanted = BARS_ROW_TWO;
        surety__canvas_free(&picture->canvas, label);
    }
    return wanted;
}

double surety__bars_height(const surety__picture *picture)
{
    const double rows =
        bars_row_wanted(picture) * (double)picture->model->places_count;

    return rows + BARS_AXIS + (rows > BARS_TALL ? BARS_AXIS : 6);
}

/* Draws or measures the names at the left. If rows are too low for letters,
 * only every n-th has a name. Returns the width of the widest. */
static double bars_names(const surety__picture *picture, double row,
                         bool is_drawn)
{
    const surety__model *model = picture->model;
    const size_t every = (size_t)ceil(14 / row);
    double widest = 0;

    if (is_drawn)
        *picture->unnamed +=
            model->places_count - (model->places_count + every - 1) / every;
    for (size_t k = 0; k < model->places_count; k += every) {
        const surety__label label = bars_name(picture, k, row);
        widest = fmax(widest, label.width);
        if (is_drawn) {
            *picture->shortened += label.is_cut;
            surety__canvas_show(
                &picture->canvas, label, picture->left - 10 - label.width,
                picture->top + ((double)k + 0.5) * row - label.height / 2,
                SURETY__INK_TEXT);
        }
        surety__canvas_free(&picture->canvas, label);
    }
    return widest;
}

/* Draws the axis of values below the plot, and also above it in a tall picture.
 * Zero always has its label. */
static void bars_axis(const surety__picture *picture, double left, double right,
                      bool is_tall)
{
    const surety__ticks *ticks = &picture->ticks;
    const unsigned zero = (unsigned)lround(-ticks->first / ticks->step);
    const double room = (right - left) / (ticks->count - 1);
    /* Every n-th label fits without touching the next. */
    const unsigned every =
        (unsigned)ceil((surety__picture_tick_width(picture) + BARS_GAP) / room);

    for (unsigned i = 0; i < ticks->count; i++) {
        const double value = ticks->first + ticks->step * i;
        const double x =
            left + surety__picture_along(picture, value, right - left);
        const bool is_zero = fabs(value) < ticks->step * 1e-6;
        const double line[4] = {x, picture->top, x, picture->bottom};
        const surety__label label = surety__picture_tick(picture, i);

        surety__canvas_line(&picture->canvas, line, 1,
                            is_zero ? SURETY__INK_AXIS : SURETY__INK_GRID);
        if (i % every == zero % every)
            surety__canvas_show(&picture->canvas, label, x - label.width / 2,
                                picture->bottom + 6, SURETY__INK_SOFT);
        if (i % every == zero % every && is_tall)
            surety__canvas_show(&picture->canvas, label, x - label.width / 2,
                                picture->top - 6 - label.height,
                                SURETY__INK_SOFT);
        surety__canvas_free(&picture->canvas, label);
    }
}

void surety__bars_lying(surety__picture *picture)
{
    const surety__model *model = picture->model;
    const bool is_tall = picture->bottom - picture->top > BARS_TALL;
    const size_t beside = bars_beside(picture);
    const double values =
        model->is_stacked ? 0 : bars_label_width(picture) + 10;
    const double share = beside > 1 ? 0.84 : 0.7;
    struct bars_bar bar = {.is_lying = true};
    double row, thick;

    if (is_tall)
        picture->top += BARS_AXIS - 6;
    picture->bottom -= BARS_AXIS;
    row = (picture->bottom - picture->top) / (double)model->places_count;
    thick = row * share / (double)beside;
    thick = fmin(thick, 40);
    picture->left = DRAW_MARGIN + bars_names(picture, row, false) + 10;
    bars_names(picture, row, true);
    bar.has_label =
        thick >= 9 && picture->right - picture->left -
                              values * ((model->low < 0) + (model->high > 0)) >=
                          BARS_PLOT_MIN;
    if (bar.has_label && model->low < 0)
        picture->left += values;
    if (bar.has_label && model->high > 0)
        picture->right -= values;
    bars_axis(picture, picture->left, picture->right, is_tall);
    bar.scale = bars_scale(picture, picture->right - picture->left);
    bar.zero = picture->left - picture->ticks.first * bar.scale;
    bar.thick = thick - (beside > 1);
    bar.room = bar.thick >= 7 ? 8 : 0;
    bars_all(picture, &bar, picture->top, row, thick);
}
