/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the x axis: what is below a plot.
 *
 * 1. Names are horizontal, in up to two lines, if each fits its place.
 *    Otherwise they are slanted and shortened, and if they are still too dense,
 *    only every n-th is drawn.
 * 2. Numbers and years have round ticks. Other times have the names from the
 *    data if these fit, otherwise ticks of the calendar.
 * 3. No label touches the next. */
#include "render/canvas.h"

#include <assert.h>
#include <math.h>

enum {
    PLACES_WRAPPED_MAX = 40,
    PLACES_SLANT_WIDTH = 130,
    PLACES_GAP = 12,
    PLACES_TICKS_MAX = 4000 /* of a time axis; the widest has fewer */
};

static const double places_slant = 0.70710678; /* sin and cos of 45 degrees */

static const surety__letters places_slanted = {
    12, PLACES_SLANT_WIDTH, 1, false, false, true};

static double places_slot(const surety__picture *picture)
{
    return (picture->right - picture->left) /
           (double)picture->model->places_count;
}

/* The x of the middle of a place. */
static double places_middle(const surety__picture *picture, size_t place)
{
    assert(place < picture->model->places_count);
    if (picture->chart->type == SURETY__CHART_LINE)
        return surety__picture_across(picture,
                                      picture->model->places[place]->at);
    return picture->left + ((double)place + 0.5) * places_slot(picture);
}

static surety__label places_wrap(const surety__picture *picture, size_t place)
{
    const surety__letters letters = {
        12, places_slot(picture) - 10, 2, false, true, true};

    return surety__canvas_set(&picture->canvas,
                              picture->model->places[place]->text, &letters);
}

static double places_text_width(const surety__picture *picture, surety_str text)
{
    return surety__canvas_width(
        &picture->canvas,
        surety__canvas_set(&picture->canvas, text, &surety__letters_small));
}

/* Whether each word of a text, alone on a line, fits the room: wrapping splits
 * no word. */
static bool places_words_fit(const surety__picture *picture, surety_str text,
                             double room)
{
    const char *end = text.ptr + text.len;
    bool fits = true;

    while (fits && text.ptr < end) {
        const char *blank = memchr(text.ptr, ' ', (size_t)(end - text.ptr));
        const surety_str word = {text.ptr,
                                 (size_t)((blank ? blank : end) - text.ptr)};
        fits = places_text_width(picture, word) <= room;
        text.ptr = blank ? blank + 1 : end;
    }
    return fits;
}

bool surety__places_fit(const surety__picture *picture)
{
    const surety__model *model = picture->model;
    bool fits = model->places_count <= PLACES_WRAPPED_MAX;

    for (size_t i = 0; i < model->places_count && fits; i++) {
        const surety__label label = places_wrap(picture, i);
        fits =
            !label.is_cut && places_words_fit(picture, model->places[i]->text,
                                              places_slot(picture) - 10);
        surety__canvas_free(&picture->canvas, label);
    }
    return fits;
}

/* ---- names --------------------------------------------------------------- */

static double places_wrapped(const surety__picture *picture, bool is_drawn)
{
    double highest = 0;

    for (size_t i = 0; i < picture->model->places_count; i++) {
        const surety__label label = places_wrap(picture, i);
        highest = fmax(highest, label.height);
        if (is_drawn)
            surety__canvas_show(&picture->canvas, label,
                                places_middle(picture, i) -
                                    (places_slot(picture) - 10) / 2,
                                picture->bottom + 8, SURETY__INK_TEXT);
        surety__canvas_free(&picture->canvas, label);
    }
    return highest + 8;
}

/* The n for which every n-th slanted name is drawn: they need 18 pixels
 * each. */
static size_t places_every(const surety__picture *picture)
{
    return picture->model->places_count < 2
               ? 1
               : (size_t)ceil(18 / (places_middle(picture, 1) -
                                    places_middle(picture, 0)));
}

static double places_slanting(surety__picture *picture, bool is_drawn)
{
    const surety__pango *pango = &picture->canvas.pango;
    const surety__canvas *canvas = &picture->canvas;
    const size_t every = places_every(picture);
    double deepest = 0;

    if (is_drawn)
        *picture->unnamed += picture->model->places_count -
                             (picture->model->places_count + every - 1) / every;
    for (size_t i = 0; i < picture->model->places_count; i += every) {
        const surety__label label = surety__canvas_set(
            canvas, picture->model->places[i]->text, &places_slanted);
        deepest =
            fmax(deepest, (label.width + label.height / 2) * places_slant);
        if (!is_drawn) {
            picture->left += fmax(label.width * places_slant + DRAW_MARGIN -
                                      places_middle(picture, i),
                                  0);
        } else {
            *picture->shortened += label.is_cut;
            pango->cairo_save(canvas->cairo);
            pango->cairo_translate(canvas->cairo, places_middle(picture, i),
                                   picture->bottom + 8);
            pango->cairo_rotate(canvas->cairo, -0.78539816);
            surety__canvas_show(canvas, label, -label.width, -label.height / 4,
                                SURETY__INK_TEXT);
            pango->cairo_restore(canvas->cairo);
        }
        surety__canvas_free(canvas, label);
    }
    return deepest + 14;
}

/* ---- scales -------------------------------------------------------------- */

/* Draws the label in canvas->text and its tick, with the label's middle at x or
 * as near as the sheet allows. Draws nothing if it would touch the previous
 * label, which ended at *end. */
static void places_label(const surety__picture *picture, double x, double *end)
{
    const surety__label label =
        surety__canvas_set_text(&picture->canvas, &surety__letters_small);
    const double left = fmin(fmax(x - label.width / 2, PLACES_GAP),
                             picture->width - PLACES_GAP - label.width);

    if (left >= *end + PLACES_GAP) {
        const double line[4] = {x, picture->bottom, x, picture->bottom + 5};
        surety__canvas_line(&picture->canvas, line, 1, SURETY__INK_AXIS);
        surety__canvas_show(&picture->canvas, label, left, picture->bottom + 8,
                            SURETY__INK_TEXT);
        *end = left + label.width;
    }
    surety__canvas_free(&picture->canvas, label);
}

/* Draws the names from the data, every n-th, so that none touches the next. */
static void places_given(const surety__picture *picture)
{
    const surety__model *model = picture->model;
    const size_t last = model->places_count - 1;
    const double slot =
        last > 0 ? (places_middle(picture, last) - places_middle(picture, 0)) /
                       (double)last
                 : places_slot(picture);
    double widest = 0;
    double end = 0;
    size_t every;

    for (size_t i = 0; i < model->places_count && i < 400; i++)
        widest =
            fmax(widest, places_text_width(picture, model->places[i]->text));
    every = (size_t)ceil((widest + PLACES_GAP) / slot);
    for (size_t i = 0; i < model->places_count; i += every) {
        surety_buf_add(picture->canvas.text, model->places[i]->text);
        places_label(picture, places_middle(picture, i), &end);
    }
}

static void places_years(const surety__picture *picture)
{
    static const unsigned steps[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
    const surety__model *model = picture->model;
    const double first = model->places[0]->at;
    const double last = model->places[model->places_count - 1]->at;
    unsigned step = 1;
    double end = 0;

    for (size_t i = 0; i < SURETY__COUNT(steps); i++) {
        step = steps[i];
        if ((picture->right - picture->left) / ((last - first) / step + 1) >=
            48)
            break;
    }
    for (double year = ceil(first / step) * step; year <= last; year += step) {
        surety_buf_number(picture->canvas.text, (uint64_t)year);
        places_label(picture, surety__picture_across(picture, year), &end);
    }
}

/* Whether the labels of the ticks fit beside each other. */
static bool places_ticks_fit(const surety__picture *picture,
                             const surety__ticks *ticks, double step)
{
    bool fits = true;

    for (unsigned i = 0; i < ticks->count && fits; i++) {
        surety__ticks_label(ticks, i, picture->canvas.text);
        fits = surety__canvas_width(
                   &picture->canvas,
                   surety__canvas_set_text(&picture->canvas,
                                           &surety__letters_small)) +
                   PLACES_GAP <=
               step;
    }
    return fits;
}

static void places_numbers(const surety__picture *picture)
{
    const surety__model *model = picture->model;
    const double first = model->places[0]->at;
    const double last = model->places[model->places_count - 1]->at;
    const double largest = fmax(fabs(first), fabs(last));
    const int exponent =
        largest > 0 ? (int)fmax(floor(log10(largest)), -290) : 0;
    const double power = pow(10.0, exponent);
    surety__ticks ticks;
    double end = 0;
    unsigned wanted = 8;

    do {
        ticks = surety__ticks_make(first / power, last / power, wanted);
        ticks.exponent = exponent;
    } while (!places_ticks_fit(
                 picture, &ticks,
                 surety__picture_across(picture, first + ticks.step * power) -
                     surety__picture_across(picture, first)) &&
             --wanted > 1);
    for (unsigned i = 0; i < ticks.count; i++) {
        const double at = (ticks.first + ticks.step * i) * power;
        if (at < first - ticks.step * power * 1e-6 ||
            at > last + ticks.step * power * 1e-6)
            continue;
        surety__ticks_label(&ticks, i, picture->canvas.text);
        places_label(picture, surety__picture_across(picture, at), &end);
    }
}

/* ---- times --------------------------------------------------------------- */

/* Whether the names from the data serve as labels of times: all of them fit,
 * and none has a time of day. */
static bool places_are_given(const surety__picture *picture)
{
    const surety__model *model = picture->model;
    double end = 0;

    if (model->places_count == 1)
        return true;
    if (model->grain > SURETY__GRAIN_DAY ||
        model->places_count > PLACES_WRAPPED_MAX)
        return false;
    for (size_t i = 0; i < model->places_count; i++) {
        const double width = places_text_width(picture, model->places[i]->text);
        const double x = places_middle(picture, i);
        if (x - width / 2 < end + PLACES_GAP ||
            x + width / 2 > picture->width - 4)
            return false;
        end = x + width / 2;
    }
    return true;
}

/* Sets one text of a tick: its label, or the context below the label. */
static surety__label places_tick(const surety__picture *picture, double at,
                                 const surety__step *step, bool is_below)
{
    surety_buf *text = picture->canvas.text;

    if (is_below)
        surety__clock_context(picture->model->origin, at, step, text);
    else
        surety__clock_label(picture->model->origin, at, step, text);
    return surety__canvas_set_text(&picture->canvas, &surety__letters_small);
}

/* The width of a tick's two texts, which are one above the other. */
static double places_tick_width(const surety__picture *picture, double at,
                                const surety__step *step)
{
    const double label = surety__canvas_width(
        &picture->canvas, places_tick(picture, at, step, false));
    const double context = surety__canvas_width(
        &picture->canvas, places_tick(picture, at, step, true));

    return fmax(label, context);
}

/* The shortest step between ticks that has room for their texts and is not
 * finer than the grain of the times. Count 0: the axis would not have two
 * ticks. */
static surety__step places_step(const surety__picture *picture)
{
    const surety__model *model = picture->model;
    const size_t last = model->places_count - 1;
    const double first_at = model->places[0]->at;
    const double last_at = model->places[last]->at;
    const double scale =
        (places_middle(picture, last) - places_middle(picture, 0)) /
        (last_at - first_at);
    const surety__step none = {.count = 0};
    surety__step step;

    assert(last > 0 && last_at > first_at);
    for (size_t i = 0; (step = surety__clock_step(i)).count > 0; i++) {
        double tick;
        if (step.grain > model->grain ||
            (step.grain == SURETY__GRAIN_QUARTER &&
             model->grain != SURETY__GRAIN_QUARTER))
            continue;
        tick = surety__clock_tick(model->origin, first_at, &step);
        if (surety__clock_length(&step) * scale >=
            places_tick_width(picture, tick, &step) + PLACES_GAP)
            return surety__clock_next(model->origin, tick, &step) <= last_at
                       ? step
                       : none;
    }
    return none;
}

/* The bar of a tick: the first at or after it and before the next tick; NULL:
 * there is none. */
static const surety__place *places_tick_bar(const surety__picture *picture,
                                            double tick, double next,
                                            size_t *place)
{
    const surety__model *model = picture->model;

    while (*place < model->places_count && model->places[*place]->at < tick)
        ++*place;
    return *place < model->places_count && model->places[*place]->at < next
               ? model->places[*place]
               : NULL;
}

/* Draws one of a tick's texts, with the mark for the label, unless it would
 * touch the text before it, which ended at *end. */
static void places_tick_draw(const surety__picture *picture, double x,
                             surety__label label, bool is_below, double *end)
{
    const double line[4] = {x, picture->bottom, x, picture->bottom + 5};
    const double gap = is_below ? PLACES_GAP : PLACES_GAP / 2;

    if (x - label.width / 2 >= *end + gap &&
        x + label.width / 2 <= picture->width - 4) {
        if (!is_below)
            surety__canvas_line(&picture->canvas, line, 1, SURETY__INK_AXIS);
        surety__canvas_show(&picture->canvas, label, x - label.width / 2,
                            picture->bottom + (is_below ? 24 : 8),
                            is_below ? SURETY__INK_SOFT : SURETY__INK_TEXT);
        *end = x + label.width / 2;
    }
    surety__canvas_free(&picture->canvas, label);
}

/* Draws ticks at the steps of a calendar. The context ("7 Mar 2026") is below
 * the first tick and below each tick where it changes. */
static void places_times(const surety__picture *picture,
                         const surety__step *step)
{
    const surety__model *model = picture->model;
    const double last_at = model->places[model->places_count - 1]->at;
    const bool is_bar = picture->chart->type == SURETY__CHART_BAR;
    double tick = surety__clock_tick(model->origin, model->places[0]->at, step);
    double end[2] = {0, 0};
    size_t place = 0;
    surety_buf before, now; /* the contexts of two ticks */

    surety_buf_init(&before, picture->canvas.svg.alloc, 0);
    surety_buf_init(&now, picture->canvas.svg.alloc, 0);
    for (size_t i = 0; i < PLACES_TICKS_MAX && tick <= last_at; i++) {
        const double next = surety__clock_next(model->origin, tick, step);
        const surety__place *bar =
            is_bar ? places_tick_bar(picture, tick, next, &place) : NULL;
        /* A bar is labelled with its own time, which may be after the tick. */
        const double at = bar ? bar->at : tick;
        if (bar || !is_bar) {
            const double x = bar ? places_middle(picture, bar->index)
                                 : surety__picture_across(picture, tick);
            surety_buf_reset(&now);
            surety__clock_context(model->origin, at, step, &now);
            places_tick_draw(picture, x, places_tick(picture, at, step, false),
                             false, &end[0]);
            if (now.len > 0 && !surety_str_equal(surety_buf_str(&now),
                                                 surety_buf_str(&before)))
                places_tick_draw(picture, x,
                                 places_tick(picture, at, step, true), true,
                                 &end[1]);
            surety_buf_reset(&before);
            surety_buf_add(&before, surety_buf_str(&now));
        }
        tick = next;
    }
    surety_buf_done(&before);
    surety_buf_done(&now);
}

/* The step of a time axis; count 0: its labels are the names from the data. */
static surety__step places_time_step(const surety__picture *picture)
{
    return picture->model->scale != SURETY__SCALE_TIME ||
                   picture->model->is_uneven || places_are_given(picture)
               ? (surety__step){.count = 0}
               : places_step(picture);
}

/* ---- height and drawing -------------------------------------------------- */

double surety__places_height(surety__picture *picture)
{
    surety__step step;

    if (picture->is_bare)
        return 6;
    if (picture->model->scale == SURETY__SCALE_NAMES)
        return surety__places_fit(picture) ? places_wrapped(picture, false)
                                           : places_slanting(picture, false);
    step = places_time_step(picture);
    return step.count > 0 && step.grain > SURETY__GRAIN_YEAR ? 46 : 30;
}

void surety__places_draw(const surety__picture *picture)
{
    surety__picture own = *picture;
    const surety__scale scale = picture->model->scale;
    surety__step step;

    if (picture->is_bare)
        return;
    if (scale == SURETY__SCALE_NAMES) {
        if (surety__places_fit(picture))
            places_wrapped(picture, true);
        else
            places_slanting(&own, true);
        return;
    }
    step = places_time_step(picture);
    if (step.count > 0)
        places_times(picture, &step);
    else if (picture->chart->type == SURETY__CHART_BAR ||
             scale == SURETY__SCALE_TIME || picture->model->places_count == 1)
        places_given(picture);
    else if (scale == SURETY__SCALE_YEARS)
        places_years(picture);
    else
        places_numbers(picture);
}
