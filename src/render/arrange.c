/* SPDX-License-Identifier: Apache-2.0 */
/* Prepares a model's values for drawing, so that a picture hides nothing. It
 * works on numbers alone and never on a table.
 *
 * 1. Among bars along time, a step without a row keeps its place.
 * 2. Shares of a whole are recognized and stacked.
 * 3. Of too many bars, the smallest are joined to one.
 * 4. Measures that would be flat on each other's axis get axes of their own. */
#include "render/render.h"

#include <assert.h>
#include <math.h>

enum {
    ARRANGE_SPARSE = 4, /* at most so many places for each with a row */
    /* A series is flat if its largest value is at most 1 / ARRANGE_FLAT of
     * another's. */
    ARRANGE_FLAT = 20
};

/* ---- places without a row ------------------------------------------------ */

/* The number of the step at a time: of the model's grain, or for times of day,
 * of `step` seconds. */
static double arrange_step(const surety__model *model, double at, double step)
{
    const int64_t second = model->origin + (int64_t)floor(at + 0.5);
    const int64_t days = surety__clock_day(second);
    const surety__date date = surety__date_of(days);

    if (model->scale == SURETY__SCALE_YEARS)
        return at;
    switch (model->grain) {
    case SURETY__GRAIN_YEARS:
    case SURETY__GRAIN_YEAR: return (double)date.year;
    case SURETY__GRAIN_QUARTER:
        return (double)(date.year * 4 + (date.month - 1) / 3);
    case SURETY__GRAIN_MONTH: return (double)(date.year * 12 + date.month - 1);
    case SURETY__GRAIN_WEEK: return floor((double)(days + 3) / 7);
    case SURETY__GRAIN_DAY: return (double)days;
    default: return at / step;
    }
}

/* Fills in the place of a step number: its time, and its name in out. */
static void arrange_place(const surety__model *model, double number,
                          double step, surety__place *place, surety_buf *out)
{
    const int64_t whole = (int64_t)number;
    surety__date date = {whole, 1, 1};

    surety_buf_reset(out);
    if (model->scale == SURETY__SCALE_YEARS) {
        place->at = number;
        surety__clock_date(date, SURETY__GRAIN_YEAR, out);
        return;
    }
    switch (model->grain) {
    case SURETY__GRAIN_QUARTER:
        date = (surety__date){whole / 4, (uint32_t)(whole % 4) * 3 + 1, 1};
        break;
    case SURETY__GRAIN_MONTH:
        date = (surety__date){whole / 12, (uint32_t)(whole % 12) + 1, 1};
        break;
    case SURETY__GRAIN_WEEK: date = surety__date_of(whole * 7 - 3); break;
    case SURETY__GRAIN_DAY: date = surety__date_of(whole); break;
    case SURETY__GRAIN_MINUTE:
    case SURETY__GRAIN_SECOND:
    case SURETY__GRAIN_FRACTION:
        place->at = number * step;
        surety__clock_write(model->origin, place->at, out);
        return;
    default: break;
    }
    place->at = (double)(surety__date_days(date) * DAY_SECONDS - model->origin);
    surety__clock_date(date, model->grain, out);
}

/* The least distance between two neighbouring places. */
static double arrange_least(const surety__model *model)
{
    double least = HUGE_VAL;

    for (size_t i = 1; i < model->places_count; i++) {
        const double step = model->places[i]->at - model->places[i - 1]->at;
        least = fmin(least, step);
    }
    return least;
}

/* Whether the places fall on whole steps, each on one of its own. */
static bool arrange_is_even(const surety__model *model, double least)
{
    double last = -HUGE_VAL;

    for (size_t i = 0; i < model->places_count; i++) {
        const double number = arrange_step(model, model->places[i]->at, least);
        if (fabs(number - round(number)) > 1e-6 || round(number) <= last)
            return false;
        last = round(number);
    }
    return true;
}

/* Fills places with all steps from the first to the last. Steps without a place
 * take one from made[]. */
static surety_status arrange_steps(surety__model *model, surety__place **places,
                                   surety__place *made, double least,
                                   surety_buf *name)
{
    const double first =
        round(arrange_step(model, model->places[0]->at, least));
    size_t count = 0;

    for (size_t i = 0; i < model->places_count; i++) {
        const size_t number =
            (size_t)(round(arrange_step(model, model->places[i]->at, least)) -
                     first);
        for (; count < number; count++, made++) {
            arrange_place(model, first + (double)count, least, made, name);
            made->text =
                surety__arena_text(&model->arena, surety_buf_str(name));
            if (name->status || !made->text.ptr)
                return SURETY_NOMEM;
            places[count] = made;
        }
        places[count++] = model->places[i];
    }
    return SURETY_OK;
}

surety_status surety__arrange_fill(surety__model *model,
                                   const surety_alloc *alloc)
{
    const double least = arrange_least(model);
    const size_t before = model->places_count;
    surety__place **places;
    surety__place *made;
    surety_status status;
    surety_buf name;
    double steps;

    if (before < 2)
        return SURETY_OK;
    model->is_uneven = true;
    if (!(least > 0) || !arrange_is_even(model, least))
        return SURETY_OK;
    steps = round(arrange_step(model, model->places[before - 1]->at, least)) -
            round(arrange_step(model, model->places[0]->at, least)) + 1;
    if (steps > (double)before * ARRANGE_SPARSE ||
        steps > SURETY_CHART_BARS_MAX)
        return SURETY_OK;
    model->is_uneven = false;
    if (steps <= (double)before)
        return SURETY_OK;
    places = surety__arena_take(&model->arena, (size_t)steps * sizeof(*places));
    made = surety__arena_take(&model->arena,
                              ((size_t)steps - before) * sizeof(*made));
    if (!places || !made)
        return SURETY_NOMEM;
    surety_buf_init(&name, alloc, 0);
    status = arrange_steps(model, places, made, least, &name);
    surety_buf_done(&name);
    if (!status)
        status =
            surety__grow(alloc, &model->places, &model->places_cap,
                         (size_t)steps, sizeof(*places), SURETY_TABLE_ROWS_MAX);
    if (status)
        return SURETY_NOMEM;
    model->gaps = (size_t)steps - before;
    model->places_count = (size_t)steps;
    memcpy(model->places, places, (size_t)steps * sizeof(*places));
    for (size_t i = 0; i < model->places_count; i++)
        model->places[i]->index = i;
    return SURETY_OK;
}

/* ---- shares and sums ----------------------------------------------------- */

bool surety__arrange_is_whole(const surety__model *model, bool is_share)
{
    /* Each share is rounded: to a whole number if named a share, otherwise to a
     * tenth. Each moves the sum by at most half of that, plus a margin. */
    const double slack = is_share ? 0.51 : 0.051;
    size_t wholes = 0;

    if (model->series_count < 2)
        return false;
    for (size_t k = 0; k < model->places_count; k++) {
        double sum = 0;
        size_t there = 0;
        for (size_t i = 0; i < model->series_count; i++) {
            const double value = surety__model_value(model, i, k);
            if (value < 0)
                return false;
            if (!isnan(value)) {
                sum += value;
                there++;
            }
        }
        if (there == 0)
            continue;
        if (there < 2 || fabs(sum - 100) > slack * (double)there)
            return false;
        wholes++;
    }
    /* A single sum of 100 may be chance. */
    return wholes > (is_share ? 0 : 1);
}

/* The largest magnitude of a place's values. */
static double arrange_largest(const surety__model *model, size_t place)
{
    double largest = 0;

    for (size_t i = 0; i < model->series_count; i++)
        largest = fmax(largest, fabs(surety__model_value(model, i, place)));
    return largest;
}

/* The joined value of the places that are not kept, in one series: their sum,
 * or their mean if *adds_up is false. Clears *adds_up if the sum overflows.
 * NAN: they have no value. */
static double arrange_rest(const surety__model *model, size_t series,
                           const bool *is_kept, bool *adds_up)
{
    const double *values = model->values + series * model->places_count;
    double sum = 0;
    double mean = 0;
    size_t count = 0;

    for (size_t k = 0; k < model->places_count; k++)
        count += !is_kept[k] && !isnan(values[k]);
    for (size_t k = 0; k < model->places_count; k++) {
        if (is_kept[k] || isnan(values[k]))
            continue;
        sum += values[k];
        mean += values[k] / (double)count;
    }
    if (count == 0)
        return NAN;
    *adds_up &= isfinite(sum);
    return *adds_up ? sum : mean;
}

static surety_status arrange_join_kept(surety__model *model,
                                       const bool *is_kept, bool adds_up,
                                       size_t kept)
{
    const size_t count = model->places_count;
    const size_t joined = count - kept;
    surety__place *rest = surety__arena_take(&model->arena, sizeof(*rest));
    double *values = surety__arena_take(
        &model->arena, model->series_count * (kept + 1) * sizeof(*values));
    surety_buf text;
    size_t at = 0;

    if (!rest || !values)
        return SURETY_NOMEM;
    for (size_t i = 0; i < model->series_count; i++)
        (void)arrange_rest(model, i, is_kept, &adds_up);
    for (size_t i = 0; i < model->series_count; i++) {
        for (size_t k = 0; k < count; k++)
            if (is_kept[k])
                values[at++] = surety__model_value(model, i, k);
        values[at++] = arrange_rest(model, i, is_kept, &adds_up);
    }
    surety_buf_init(&text, model->arena.alloc, 0);
    surety__buf_printf(&text, "%zu others, their %s", joined,
                       adds_up ? "sum" : "mean");
    rest->text = surety__arena_buf(&model->arena, &text);
    if (!rest->text.ptr)
        return SURETY_NOMEM;
    at = 0;
    for (size_t k = 0; k < count; k++)
        if (is_kept[k])
            model->places[at++] = model->places[k];
    model->places[at++] = rest;
    assert(at == kept + 1);
    for (size_t k = 0; k < at; k++)
        model->places[k]->index = k;
    model->places_count = at;
    model->values = values;
    return SURETY_OK;
}

surety_status surety__arrange_join(surety__model *model, bool adds_up,
                                   size_t *ret_joined)
{
    const size_t count = model->places_count;
    const size_t bars = model->is_stacked ? 1 : model->series_count;
    const size_t kept = SURETY_CHART_BARS_MAX / bars - 1;
    surety__pair *pairs;
    bool *is_kept;

    *ret_joined = 0;
    assert(bars > 0);
    if (count <= SURETY_CHART_BARS_MAX / bars)
        return SURETY_OK;
    pairs = surety__arena_take(&model->arena, count * sizeof(*pairs));
    is_kept = surety__arena_take(&model->arena, count * sizeof(*is_kept));
    if (!pairs || !is_kept)
        return SURETY_NOMEM;
    for (size_t k = 0; k < count; k++) {
        const double largest = arrange_largest(model, k);
        uint64_t bits;
        /* The bits of non-negative doubles sort as the doubles do. Inverted,
         * the largest comes first; equal values stay in their order. */
        memcpy(&bits, &largest, sizeof(bits));
        pairs[k] = (surety__pair){~bits, k};
    }
    surety__pairs_sort(pairs, count);
    for (size_t k = 0; k < count; k++)
        is_kept[pairs[k].value] = k < kept;
    *ret_joined = count - kept;
    return arrange_join_kept(model, is_kept, adds_up, kept);
}

/* ---- panels -------------------------------------------------------------- */

/* Decimals that show three digits of the largest value, but no more than the
 * data have. */
static unsigned arrange_decimals(unsigned there, double largest)
{
    unsigned decimals = 0;

    for (; decimals < there && largest > 0 && largest < 99.95; decimals++)
        largest *= 10;
    /* One decimal for values such as 12.5 and 80, and for 123.5. */
    return decimals == 0 && there > 0 && largest < 999.95 ? 1 : decimals;
}

/* Divides a panel's values by the power of ten of the largest, and sets its
 * bounds, counts and decimals. The panel's are unset before. */
static void arrange_bounds(surety__model *panel, unsigned decimals)
{
    const size_t pairs = panel->places_count * panel->series_count;
    double largest = 0;
    double power;

    for (size_t i = 0; i < pairs; i++)
        largest = fmax(largest, fabs(panel->values[i]));
    if (largest > 0) /* 10 to a power below -290 loses digits */
        panel->exponent = (int)fmax(floor(log10(largest) + 1e-12), -290);
    power = pow(10.0, panel->exponent);
    for (size_t i = 0; i < pairs; i++) {
        double *value = &panel->values[i];
        if (isnan(*value)) {
            panel->missing++;
            continue;
        }
        *value /= power;
        panel->low = panel->shown > 0 ? fmin(panel->low, *value) : *value;
        panel->high = panel->shown > 0 ? fmax(panel->high, *value) : *value;
        panel->shown++;
    }
    panel->decimals = arrange_decimals(decimals, largest);
}

/* Sets the bounds of stacked values: zero and the highest stack. */
static void arrange_stack(surety__model *model)
{
    const double power = pow(10.0, model->exponent);

    model->low = 0;
    for (size_t k = 0; k < model->places_count; k++) {
        double sum = 0;
        for (size_t i = 0; i < model->series_count; i++) {
            const double value = surety__model_value(model, i, k);
            sum += isnan(value) ? 0 : value;
        }
        /* A whole that rounding made larger than 100 needs no room above
         * 100. */
        if (fabs(sum * power - 100) < 1.6)
            sum = 100 / power;
        model->high = fmax(model->high, sum);
    }
}

static bool arrange_has_common(const surety__measure *one,
                               const surety__measure *other,
                               const double largest[2])
{
    const double less = fmin(largest[0], largest[1]);
    const double more = fmax(largest[0], largest[1]);

    return surety_str_equal(one->unit, other->unit) &&
           surety_str_equal(one->dimension, other->dimension) &&
           (!(less > 0) || more / less < ARRANGE_FLAT);
}

/* Assigns each series a panel: the first one whose first series can share a
 * scale with it. Returns the number of panels. */
static size_t arrange_part(const surety__model *model,
                           const surety__measure *measures, size_t *panels)
{
    double largest[SURETY_CHART_SERIES_MAX] = {0};
    size_t firsts[SURETY_CHART_SERIES_MAX];
    size_t count = 0;

    for (size_t i = 0; i < model->series_count; i++) {
        /* fmax ignores NaN, which is a gap. */
        for (size_t k = 0; k < model->places_count; k++)
            largest[i] =
                fmax(largest[i], fabs(surety__model_value(model, i, k)));
        for (panels[i] = 0; panels[i] < count; panels[i]++) {
            const size_t first = firsts[panels[i]];
            const double pair[2] = {largest[first], largest[i]};
            if (arrange_has_common(&measures[first], &measures[i], pair))
                break;
        }
        if (panels[i] == count)
            firsts[count++] = i;
    }
    return count;
}

/* Sorts series and values by panel. */
static surety_status arrange_order(surety__model *model, const size_t *panels)
{
    const size_t count = model->series_count;
    const size_t places = model->places_count;
    surety__place **series =
        surety__arena_take(&model->arena, count * sizeof(*series));
    double *values =
        surety__arena_take(&model->arena, count * places * sizeof(*values));
    size_t at = 0;

    if (!series || !values)
        return SURETY_NOMEM;
    for (size_t panel = 0; panel < count; panel++) {
        for (size_t i = 0; i < count; i++) {
            if (panels[i] != panel)
                continue;
            memcpy(values + at * places, model->values + i * places,
                   places * sizeof(*values));
            series[at++] = model->series[i];
        }
    }
    memcpy(model->series, series, count * sizeof(*series));
    model->values = values;
    return SURETY_OK;
}

/* Fills in the panels. Each is a model over a part of the series. */
static void arrange_views(surety__model *model, const size_t *panels,
                          const surety__measure *measures,
                          size_t measures_count)
{
    size_t first = 0;

    for (size_t p = 0; p < model->panels_count; p++) {
        surety__model *panel = &model->panels[p];
        unsigned decimals = 0;

        *panel = *model;
        panel->series_count = 0;
        for (size_t i = 0; i < model->series_count; i++) {
            const surety__measure *measure =
                &measures[measures_count > 1 ? i : 0];
            if (measures_count > 1 && panels[i] != p)
                continue;
            if (panel->series_count++ == 0)
                panel->unit = measure->unit;
            if (measure->decimals > decimals)
                decimals = measure->decimals;
        }
        panel->series = model->series + first;
        panel->values = model->values + first * model->places_count;
        arrange_bounds(panel, decimals);
        if (model->is_stacked)
            arrange_stack(panel);
        first += panel->series_count;
    }
    assert(first == model->series_count);
}

surety_status surety__arrange_panels(surety__model *model,
                                     const surety__measure *measures,
                                     size_t measures_count)
{
    size_t panels[SURETY_CHART_SERIES_MAX] = {0};

    assert(measures_count > 0 && measures_count <= SURETY_CHART_SERIES_MAX);
    model->panels_count = 1;
    if (measures_count > 1 && !model->is_stacked)
        model->panels_count = arrange_part(model, measures, panels);
    model->panels = surety__arena_take(
        &model->arena, model->panels_count * sizeof(*model->panels));
    if (!model->panels ||
        (model->panels_count > 1 && arrange_order(model, panels)))
        return SURETY_NOMEM;
    arrange_views(model, panels, measures, measures_count);
    for (size_t p = 0; p < model->panels_count; p++) {
        model->shown += model->panels[p].shown;
        model->missing += model->panels[p].missing;
    }
    return SURETY_OK;
}
