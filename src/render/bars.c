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
static PangoLayout *bars_name(const surety__picture *picture, size_t place,
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

static PangoLayout *bars_label(const surety__picture *picture, size_t series,
                               size_t place)
{
    const double value = surety__picture_value(picture, series, place);
    surety_buf text;
    PangoLayout *layout;

    surety_buf_init(&text, picture->canvas.svg.alloc, 0);
    if (isnan(value))
        surety_buf_text(&text, "no data");
    else
        surety__ticks_value(picture->model, value, &text);
    layout = surety__canvas_set(&picture->canvas, surety_buf_str(&text),
                                &bars_value);
    surety_buf_done(&text);
    return layout;
}

/* Draws the sign of a missing value if values have no room: "n/a" if that fits,
 * otherwise a cross. */
static void bars_missing(const surety__picture *picture, const double middle[2],
                         double room)
{
    static const char *const signs[] = {"n/a", "\xC3\x97"};

    for (size_t i = 0; i < 2; i++) {
        PangoLayout *layout = surety__canvas_set(
            &picture->canvas, surety_str_of(signs[i]), &bars_value);
        double width, height;
        surety__canvas_size(&picture->canvas, layout, &width, &height);
        if (width <= room || i == 1) {
            surety__canvas_show(&picture->canvas, layout, middle[0] - width / 2,
                                middle[1] - height / 2, SURETY__INK_AXIS);
            i = 2;
        }
        picture->canvas.pango.g_object_unref(layout);
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
        const double value = surety__picture_value(picture, i, place);
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
        is_empty &= isnan(surety__picture_value(picture, i, place));
    return is_empty;
}

/* Draws one bar of a stack, with its value inside if it fits. box: a corner,
 * width and height; the height is negative for vertical bars. */
static void bars_stack(const surety__picture *picture, size_t series,
                       size_t place, const double box[4], bool has_label)
{
    const uint32_t color = surety__picture_color(picture, series);
    const bool is_lying = box[3] > 0;
    PangoLayout *layout;
    double width, height;

    if (isnan(surety__picture_value(picture, series, place)))
        return;
    surety__canvas_ink(&picture->canvas, color);
    surety__canvas_box(&picture->canvas, box[0], box[1], box[2], box[3]);
    /* A line in the colour of the paper separates it from the next. */
    if (fabs(box[2]) > 3 && fabs(box[3]) > 3) {
        const double corner[2] = {box[0] + (is_lying ? box[2] : 0),
                                  box[1] + (is_lying ? 0 : box[3])};
        const double end[2] = {box[0] + box[2], box[1] + box[3]};
        surety__canvas_line(&picture->canvas, corner, end, 1,
                            SURETY__INK_PAPER);
    }
    if (!has_label)
        return;
    layout = bars_label(picture, series, place);
    surety__canvas_size(&picture->canvas, layout, &width, &height);
    if (width + 4 <= fabs(box[2]) && height + 1 <= fabs(box[3]))
        surety__canvas_show(&picture->canvas, layout,
                            box[0] + (box[2] - width) / 2,
                            box[1] + (box[3] - height) / 2, bars_ink(color));
    picture->canvas.pango.g_object_unref(layout);
}

/* The width of the widest value. */
static double bars_label_width(const surety__picture *picture)
{
    const surety__model *model = picture->model;
    double widest = 0;

    for (size_t i = 0; i < model->series_count; i++) {
        for (size_t k = 0; k < model->places_count; k++) {
            widest =
                fmax(widest, surety__canvas_width(&picture->canvas,
                                                  bars_label(picture, i, k)));
        }
    }
    return widest;
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

/* Draws one vertical bar with its middle at x. */
static void bars_stand(const surety__picture *picture, size_t series,
                       size_t place, double x, bool has_label)
{
    const double value = surety__picture_value(picture, series, place);
    const double length = picture->bottom - picture->top;
    const double zero =
        picture->bottom - surety__picture_along(picture, 0, length);
    const double width = bars_width(picture);
    double y = zero;
    PangoLayout *layout;
    double label_width, label_height;

    if (picture->model->is_stacked && !bars_is_empty(picture, place)) {
        const double base = surety__picture_along(
            picture, bars_base(picture, series, place), length);
        const double box[4] = {x - width / 2, picture->bottom - base, width,
                               -surety__picture_along(picture, value, length)};
        bars_stack(picture, series, place, box, has_label);
        return;
    }
    if (picture->model->is_stacked && series > 0)
        return;
    if (!isnan(value)) {
        const double gap = picture->model->series_count > 1 && width > 4;
        y = picture->bottom - surety__picture_along(picture, value, length);
        surety__canvas_ink(&picture->canvas,
                           surety__picture_color(picture, series));
        surety__canvas_box(&picture->canvas, x - width / 2 + gap / 2, zero,
                           width - gap, y - zero);
    }
    if (!has_label) {
        const double middle[2] = {x, zero - 8};
        if (isnan(value) && width >= 7)
            bars_missing(picture, middle, width);
        return;
    }
    layout = bars_label(picture, series, place);
    surety__canvas_size(&picture->canvas, layout, &label_width, &label_height);
    y = value < 0 ? y + 3 : y - label_height - 3;
    surety__canvas_show_over(&picture->canvas, layout, x - label_width / 2, y,
                             isnan(value) ? SURETY__INK_AXIS
                                          : SURETY__INK_TEXT);
    picture->canvas.pango.g_object_unref(layout);
}

void surety__bars_upright(surety__picture *picture)
{
    const surety__model *model = picture->model;
    const size_t beside = bars_beside(picture);
    double slot, width;
    double below; /* room for the value of the lowest bar */
    bool has_labels;

    picture->bottom -= surety__places_height(picture);
    picture->top += 14; /* for the value of the highest bar */
    slot = (picture->right - picture->left) / (double)model->places_count;
    width = bars_width(picture);
    has_labels =
        model->places_count * model->series_count <= 60 &&
        bars_label_width(picture) <= (beside == 1 ? slot - 8 : width - 3);
    below = has_labels && model->low < 0 ? 16 : 0;
    picture->bottom -= below;
    surety__picture_grid(picture);
    for (size_t k = 0; k < model->places_count; k++) {
        const double middle = picture->left + ((double)k + 0.5) * slot;
        const double first = middle - width * ((double)beside - 1) / 2;
        for (size_t i = 0; i < model->series_count; i++)
            bars_stand(picture, i, k,
                       first + width * (double)(beside > 1 ? i : 0),
                       has_labels);
    }
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
        PangoLayout *layout = bars_name(picture, k, wanted);
        if (picture->canvas.pango.pango_layout_is_ellipsized(layout) &&
            wanted < BARS_ROW_TWO)
            wanted = BARS_ROW_TWO;
        picture->canvas.pango.g_object_unref(layout);
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
        PangoLayout *layout = bars_name(picture, k, row);
        double width, height;
        surety__canvas_size(&picture->canvas, layout, &width, &height);
        widest = fmax(widest, width);
        if (is_drawn &&
            picture->canvas.pango.pango_layout_is_ellipsized(layout))
            ++*picture->shortened;
        if (is_drawn)
            surety__canvas_show(
                &picture->canvas, layout, picture->left - 10 - width,
                picture->top + ((double)k + 0.5) * row - height / 2,
                SURETY__INK_TEXT);
        picture->canvas.pango.g_object_unref(layout);
    }
    return widest;
}

/* The n for which every n-th label of the axis fits without touching the
 * next. */
static unsigned bars_every(const surety__picture *picture, double length)
{
    const double room = length / (picture->ticks.count - 1);

    return (unsigned)ceil((surety__picture_tick_width(picture) + BARS_GAP) /
                          room);
}

/* Draws the axis of values below the plot, and also above it in a tall picture.
 * Zero always has its label. */
static void bars_axis(const surety__picture *picture, double left, double right,
                      bool is_tall)
{
    const surety__ticks *ticks = &picture->ticks;
    const unsigned zero = (unsigned)lround(-ticks->first / ticks->step);
    const unsigned every = bars_every(picture, right - left);

    for (unsigned i = 0; i < ticks->count; i++) {
        const double value = ticks->first + ticks->step * i;
        const double x =
            left + surety__picture_along(picture, value, right - left);
        const bool is_zero = fabs(value) < ticks->step * 1e-6;
        const double from[2] = {x, picture->top};
        const double to[2] = {x, picture->bottom};
        PangoLayout *layout = surety__picture_tick(picture, i);
        double width, height;

        surety__canvas_line(&picture->canvas, from, to, 1,
                            is_zero ? SURETY__INK_AXIS : SURETY__INK_GRID);
        surety__canvas_size(&picture->canvas, layout, &width, &height);
        if (i % every == zero % every)
            surety__canvas_show(&picture->canvas, layout, x - width / 2,
                                picture->bottom + 6, SURETY__INK_SOFT);
        if (i % every == zero % every && is_tall)
            surety__canvas_show(&picture->canvas, layout, x - width / 2,
                                picture->top - 6 - height, SURETY__INK_SOFT);
        picture->canvas.pango.g_object_unref(layout);
    }
}

/* Draws one horizontal bar. at: the x of zero, the y of the bar's middle, and
 * its thickness. */
static void bars_lie(const surety__picture *picture, size_t series,
                     size_t place, const double at[3], bool has_label)
{
    const double value = surety__picture_value(picture, series, place);
    const double zero = at[0];
    const double y = at[1];
    const double thick = at[2];
    double x = zero;
    const double span = picture->ticks.step * (picture->ticks.count - 1);
    const double scale = (picture->right - picture->left) / span;
    PangoLayout *layout;
    double width, height;

    if (picture->model->is_stacked && !bars_is_empty(picture, place)) {
        const double box[4] = {zero + bars_base(picture, series, place) * scale,
                               y - thick / 2, value * scale, thick};
        bars_stack(picture, series, place, box, has_label);
        return;
    }
    if (picture->model->is_stacked && series > 0)
        return;
    if (!isnan(value)) {
        x = zero + value * scale;
        surety__canvas_ink(&picture->canvas,
                           surety__picture_color(picture, series));
        surety__canvas_box(&picture->canvas, zero, y - thick / 2, x - zero,
                           thick);
    }
    if (!has_label) {
        const double middle[2] = {zero + 8, y};
        if (isnan(value) && thick >= 7)
            bars_missing(picture, middle, 8);
        return;
    }
    layout = bars_label(picture, series, place);
    surety__canvas_size(&picture->canvas, layout, &width, &height);
    surety__canvas_show_over(
        &picture->canvas, layout, value < 0 ? x - width - 5 : x + 5,
        y - height / 2, isnan(value) ? SURETY__INK_AXIS : SURETY__INK_TEXT);
    picture->canvas.pango.g_object_unref(layout);
}

void surety__bars_lying(surety__picture *picture)
{
    const surety__model *model = picture->model;
    const bool is_tall = picture->bottom - picture->top > BARS_TALL;
    const size_t beside = bars_beside(picture);
    const double values =
        model->is_stacked ? 0 : bars_label_width(picture) + 10;
    const double share = beside > 1 ? 0.84 : 0.7;
    double row, thick, zero;
    bool has_labels;

    if (is_tall)
        picture->top += BARS_AXIS - 6;
    picture->bottom -= BARS_AXIS;
    row = (picture->bottom - picture->top) / (double)model->places_count;
    thick = row * share / (double)beside;
    thick = fmin(thick, 40);
    has_labels = thick >= 9;
    picture->left = DRAW_MARGIN + bars_names(picture, row, false) + 10;
    bars_names(picture, row, true);
    has_labels &= picture->right - picture->left -
                      values * ((model->low < 0) + (model->high > 0)) >=
                  BARS_PLOT_MIN;
    if (has_labels && model->low < 0)
        picture->left += values;
    if (has_labels && model->high > 0)
        picture->right -= values;
    bars_axis(picture, picture->left, picture->right, is_tall);
    zero = picture->left +
           surety__picture_along(picture, 0, picture->right - picture->left);
    for (size_t k = 0; k < model->places_count; k++) {
        const double middle = picture->top + ((double)k + 0.5) * row;
        for (size_t i = 0; i < model->series_count; i++) {
            const double at[3] = {zero,
                                  middle +
                                      thick * ((double)(beside > 1 ? i : 0) -
                                               ((double)beside - 1) / 2),
                                  thick - (beside > 1 ? 1 : 0)};
            bars_lie(picture, i, k, at, has_labels);
        }
    }
}
