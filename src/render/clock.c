/* SPDX-License-Identifier: Apache-2.0 */
/* The ticks of a time axis, and their texts.
 *
 * 1. A tick is where a calendar or clock has a boundary: at whole seconds,
 *    minutes and hours, midnights, Mondays, and first days of months and of
 *    years. It is never at a mere multiple of some number of days.
 * 2. A label is short (10:15, 7 Mar, Mar). Its context (7 Mar 2026, 2026) is
 *    written once below it.
 * 3. Times are seconds since an origin, a whole second, in the time zone that
 *    is shown. */
#include "render/render.h"

#include <assert.h>
#include <math.h>

/* Steps of one grain after another, the shortest first; 0 ends a list. */
static const struct {
    surety__grain grain;
    double counts[12];
} clock_steps[] = {
    {SURETY__GRAIN_FRACTION,
     {1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4}},
    {SURETY__GRAIN_FRACTION,
     {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5}},
    {SURETY__GRAIN_SECOND, {1, 2, 5, 10, 15, 30}},
    {SURETY__GRAIN_MINUTE,
     {60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200}},
    {SURETY__GRAIN_DAY, {DAY_SECONDS}},
    {SURETY__GRAIN_WEEK, {7 * DAY_SECONDS, 14 * DAY_SECONDS}},
    {SURETY__GRAIN_MONTH, {1, 3}},
    {SURETY__GRAIN_QUARTER, {3}},
    {SURETY__GRAIN_MONTH, {6}},
    {SURETY__GRAIN_YEAR, {12, 24, 60, 120, 240, 600, 1200, 2400, 6000}}};

surety__step surety__clock_step(size_t i)
{
    for (size_t row = 0; row < SURETY__COUNT(clock_steps); row++)
        for (const double *count = clock_steps[row].counts; *count > 0; count++)
            if (i-- == 0)
                return (surety__step){clock_steps[row].grain, *count};
    return (surety__step){.count = 0};
}

/* Whether the count of a step is in months. */
static bool clock_is_months(const surety__step *step)
{
    return step->grain < SURETY__GRAIN_WEEK;
}

double surety__clock_length(const surety__step *step)
{
    return clock_is_months(step) ? step->count * DAY_SECONDS * 30.436875
                                 : step->count;
}

int64_t surety__clock_day(int64_t second)
{
    const int64_t rest = (second % DAY_SECONDS + DAY_SECONDS) % DAY_SECONDS;

    return (second - rest) / DAY_SECONDS;
}

/* The tick of a month, counted from year 0. */
static double clock_month(int64_t origin, int64_t month)
{
    const surety__date date = {month / 12, (uint32_t)(month % 12) + 1, 1};

    assert(month >= 0);
    return (double)(surety__date_days(date) * DAY_SECONDS - origin);
}

double surety__clock_tick(int64_t origin, double at, const surety__step *step)
{
    const double whole = floor(at);
    const int64_t second = origin + (int64_t)whole;
    const double from =
        step->grain == SURETY__GRAIN_WEEK ? -3.0 * DAY_SECONDS : 0;
    const int64_t count = (int64_t)step->count;
    double number;

    if (step->grain == SURETY__GRAIN_FRACTION)
        return ceil(at / step->count - 1e-3) * step->count;
    if (clock_is_months(step)) {
        const surety__date date = surety__date_of(surety__clock_day(second));
        const int64_t month = date.year * 12 + date.month - 1;
        const int64_t first = month / count * count;
        const double tick = clock_month(origin, first);
        return tick >= at - 1e-9 ? tick : clock_month(origin, first + count);
    }
    number = ceil(((double)origin - from + at) / step->count - 1e-9);
    return number * step->count + from - (double)origin;
}

double surety__clock_next(int64_t origin, double tick, const surety__step *step)
{
    if (step->grain == SURETY__GRAIN_FRACTION)
        return surety__clock_tick(origin, tick + step->count / 2, step);
    return surety__clock_tick(origin, tick + 0.5, step);
}

/* ---- texts --------------------------------------------------------------- */

static const char *const clock_names[] = {"Jan", "Feb", "Mar", "Apr",
                                          "May", "Jun", "Jul", "Aug",
                                          "Sep", "Oct", "Nov", "Dec"};

void surety__clock_date(surety__date date, surety__grain grain, surety_buf *out)
{
    assert(date.year >= 0);
    surety__buf_printf(out, "%04u", (unsigned)date.year);
    if (grain == SURETY__GRAIN_QUARTER)
        surety__buf_printf(out, " Q%u", (unsigned)(date.month - 1) / 3 + 1);
    else if (grain > SURETY__GRAIN_QUARTER)
        surety__buf_printf(out, "-%02u", (unsigned)date.month);
    if (grain > SURETY__GRAIN_MONTH)
        surety__buf_printf(out, "-%02u", (unsigned)date.day);
}

/* Appends the time of day, with so many digits of a fraction; 0: whole
 * seconds. */
static void clock_time(int64_t second, double fraction, unsigned digits,
                       surety_buf *out)
{
    const unsigned rest =
        (unsigned)(second - surety__clock_day(second) * DAY_SECONDS);

    surety__buf_printf(out, "%02u:%02u:%02u", rest / 3600, rest / 60 % 60,
                       rest % 60);
    if (digits > 0)
        surety__buf_printf(out, ".%0*u", (int)digits,
                           (unsigned)(fraction * pow(10.0, digits) + 0.5));
}

/* Splits a time into a second and a fraction, rounded to so many digits.
 * Without rounding, a tick just below its value would get the label of the tick
 * before. */
static int64_t clock_second(int64_t origin, double at, unsigned digits,
                            double *ret_fraction)
{
    const double scale = pow(10.0, digits);
    const double shown = floor(at * scale + 0.5) / scale;

    *ret_fraction = shown - floor(shown);
    return origin + (int64_t)floor(shown);
}

void surety__clock_write(int64_t origin, double at, surety_buf *out)
{
    double fraction;
    const int64_t second = clock_second(origin, at, 0, &fraction);

    surety__clock_date(surety__date_of(surety__clock_day(second)),
                       SURETY__GRAIN_DAY, out);
    surety_buf_byte(out, ' ');
    clock_time(second, 0, 0, out);
}

static unsigned clock_digits(const surety__step *step)
{
    unsigned digits = 0;

    for (double count = step->count;
         step->grain == SURETY__GRAIN_FRACTION && count < 0.999; count *= 10)
        digits++;
    return digits;
}

void surety__clock_label(int64_t origin, double at, const surety__step *step,
                         surety_buf *out)
{
    const unsigned digits = clock_digits(step);
    double fraction;
    const int64_t second = clock_second(origin, at, digits, &fraction);
    const surety__date date = surety__date_of(surety__clock_day(second));
    const size_t start = out->len;

    switch (step->grain) {
    case SURETY__GRAIN_YEARS:
    case SURETY__GRAIN_YEAR: surety__clock_date(date, step->grain, out); break;
    case SURETY__GRAIN_QUARTER:
        surety__buf_printf(out, "Q%u", (unsigned)(date.month - 1) / 3 + 1);
        break;
    case SURETY__GRAIN_MONTH:
        surety_buf_text(out, clock_names[date.month - 1]);
        break;
    case SURETY__GRAIN_WEEK:
    case SURETY__GRAIN_DAY:
        surety__buf_printf(out, "%u %s", (unsigned)date.day,
                           clock_names[date.month - 1]);
        break;
    default:
        clock_time(second, fraction, digits, out);
        if (step->grain == SURETY__GRAIN_MINUTE && out->len > start + 5)
            out->len = start + 5;
    }
}

void surety__clock_context(int64_t origin, double at, const surety__step *step,
                           surety_buf *out)
{
    double fraction;
    const int64_t second =
        clock_second(origin, at, clock_digits(step), &fraction);
    const surety__date date = surety__date_of(surety__clock_day(second));

    if (step->grain <= SURETY__GRAIN_YEAR)
        return;
    if (step->grain > SURETY__GRAIN_DAY)
        surety__buf_printf(out, "%u %s ", (unsigned)date.day,
                           clock_names[date.month - 1]);
    surety__clock_date(date, SURETY__GRAIN_YEAR, out);
}
