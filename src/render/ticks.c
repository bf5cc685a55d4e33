/* SPDX-License-Identifier: Apache-2.0 */
/* Round numbers on an axis, and their labels.
 *
 * 1. Values are divided by a power of ten, so that the largest is below 10. So
 *    the arithmetic here has only small numbers: 1e308 is 1 and an exponent.
 * 2. Steps are 1, 2, 2.5 and 5 times a power of ten.
 * 3. Labels write thousands as K, millions as M, billions as B, trillions as T,
 *    and larger numbers with a power of ten in digits. */
#include "render/render.h"

#include <assert.h>
#include <math.h>

static const char *const ticks_powers[] = {
    "\xE2\x81\xB0", "\xC2\xB9",     "\xC2\xB2",     "\xC2\xB3",
    "\xE2\x81\xB4", "\xE2\x81\xB5", "\xE2\x81\xB6", "\xE2\x81\xB7",
    "\xE2\x81\xB8", "\xE2\x81\xB9"};

surety__ticks surety__ticks_make(double low, double high, unsigned wanted)
{
    static const double steps[] = {1, 2, 2.5, 5, 10};
    surety__ticks ticks = {0};
    double rough, power;

    assert(isfinite(low) && isfinite(high));
    if (!(high > low)) {
        high = low + 1;
        if (low != 0)
            high = low + fabs(low) * 0.2;
    }
    rough = (high - low) / (wanted > 0 ? wanted : 1);
    power = pow(10.0, floor(log10(rough)));
    ticks.step = 10 * power;
    for (size_t i = 0; i < SURETY__COUNT(steps); i++) {
        if (steps[i] * power >= rough * 0.999) {
            ticks.step = steps[i] * power;
            break;
        }
    }
    for (;;) {
        const double count =
            ceil(high / ticks.step - 1e-9) - floor(low / ticks.step + 1e-9) + 1;
        if (count <= TICKS_MAX) {
            ticks.count = count < 2 ? 2 : (unsigned)count;
            break;
        }
        ticks.step *= 2;
    }
    ticks.first = floor(low / ticks.step + 1e-9) * ticks.step;
    assert(ticks.step > 0 && ticks.count >= 2 && ticks.count <= TICKS_MAX);
    return ticks;
}

/* ---- labels -------------------------------------------------------------- */

/* Appends value, below 1e15, with so many decimals and grouped digits. */
static void ticks_fixed(double value, unsigned decimals, surety_buf *out)
{
    uint64_t whole;
    uint64_t scale = 1;
    char digits[24];
    size_t len = 0;

    for (unsigned i = 0; i < decimals; i++)
        scale *= 10;
    whole = (uint64_t)llround(fabs(value) * (double)scale);
    for (uint64_t rest = whole / scale; rest > 0 || len == 0; rest /= 10)
        digits[len++] = (char)('0' + rest % 10);
    while (len > 0) {
        surety_buf_byte(out, digits[--len]);
        if (len % 3 == 0 && len > 0)
            surety_buf_byte(out, ',');
    }
    if (decimals == 0)
        return;
    surety_buf_byte(out, '.');
    for (uint64_t rest = whole % scale; scale > 1; rest %= scale) {
        scale /= 10;
        surety_buf_byte(out, (char)('0' + rest / scale));
    }
}

static void ticks_exponent(int exponent, surety_buf *out)
{
    char digits[8];
    size_t len = 0;
    unsigned rest = (unsigned)(exponent < 0 ? -exponent : exponent);

    surety_buf_text(out, "\xC3\x97"
                         "10");
    if (exponent < 0)
        surety_buf_text(out, "\xE2\x81\xBB");
    do {
        digits[len++] = (char)(rest % 10);
        rest /= 10;
    } while (rest > 0);
    while (len > 0)
        surety_buf_text(out, ticks_powers[(unsigned char)digits[--len]]);
}

/* How numbers of a magnitude are written: divided by ten to `power`, with a
 * suffix. */
struct ticks_words {
    int power;
    const char *suffix; /* NULL: "×10" and the power */
};

/* Magnitudes below plain_below get no suffix K. */
static struct ticks_words ticks_words_of(int magnitude, int plain_below)
{
    static const struct ticks_words rows[] = {
        {12, "T"}, {9, "B"}, {6, "M"}, {3, "K"}, {0, ""}};
    size_t i = 0;

    if (magnitude >= 15 || magnitude < -6)
        return (struct ticks_words){magnitude, NULL};
    while (rows[i].power > 0 &&
           magnitude < (rows[i].power == 3 ? plain_below : rows[i].power))
        i++;
    return rows[i];
}

static void ticks_put(double value, struct ticks_words words, unsigned decimals,
                      surety_str unit, surety_buf *out)
{
    const bool is_suffix = unit.len > 0 && unit.ptr[0] == '%';

    if (value < 0)
        surety_buf_text(out, "\xE2\x88\x92");
    if (!is_suffix)
        surety_buf_add(out, unit);
    ticks_fixed(value, decimals, out);
    if (words.suffix)
        surety_buf_text(out, words.suffix);
    else if (value != 0)
        ticks_exponent(words.power, out);
    if (is_suffix)
        surety_buf_add(out, unit);
}

static int ticks_magnitude(double value)
{
    return value == 0 ? 0 : (int)floor(log10(fabs(value)) + 1e-9);
}

/* The number of decimals that a step needs, in the unit of its label. */
static unsigned ticks_decimals(double step)
{
    unsigned decimals = 0;

    while (decimals < 12 && fabs(step - round(step)) > 1e-6 * step) {
        step *= 10;
        decimals++;
    }
    return decimals;
}

void surety__ticks_label(const surety__ticks *ticks, unsigned i,
                         surety_buf *out)
{
    const double last = ticks->first + ticks->step * (ticks->count - 1);
    const double largest = fmax(fabs(ticks->first), fabs(last));
    const double value = ticks->first + ticks->step * i;
    struct ticks_words words =
        ticks_words_of(ticks_magnitude(largest) + ticks->exponent, 4);
    double factor = pow(10.0, ticks->exponent - words.power);
    unsigned decimals = ticks_decimals(ticks->step * factor);

    assert(i < ticks->count);
    if (fabs(value) < ticks->step * 1e-6) {
        ticks_put(0, (struct ticks_words){0, ""}, 0, ticks->unit, out);
        return;
    }
    /* Writes "750K" and "1M" rather than "0.75M" and "1.00M". */
    if (decimals > 1 && words.suffix && words.power > 0) {
        words = ticks_words_of(ticks_magnitude(value) + ticks->exponent, 4);
        factor = pow(10.0, ticks->exponent - words.power);
        decimals = ticks_decimals(fabs(value) * factor);
    }
    ticks_put(value * factor, words, decimals, ticks->unit, out);
}

void surety__ticks_value(const surety__model *model, double value,
                         surety_buf *out)
{
    const int magnitude = ticks_magnitude(value) + model->exponent;
    struct ticks_words words = ticks_words_of(magnitude, 6);
    double shown = value * pow(10.0, model->exponent - words.power);
    unsigned decimals = model->decimals;

    if (value == 0) {
        words = (struct ticks_words){0, ""};
        decimals = decimals > 3 ? 0 : decimals; /* 0 beside 1.00×10⁻⁹ */
    }
    if (words.power != 0) {
        /* Three significant digits. */
        decimals = 0;
        while (decimals < 2 && fabs(shown) * pow(10.0, decimals) < 99.95)
            decimals++;
        /* 999.96M is written as 1.00B, not 1,000M; a mantissa of 9.996 as 1.00
         * and the next power. */
        if (words.suffix && fabs(shown) >= 999.5) {
            words = ticks_words_of(words.power + 3, 6);
            shown /= 1000;
            decimals = 2;
        } else if (!words.suffix && fabs(shown) >= 9.995) {
            words.power++;
            shown /= 10;
            decimals = 2;
        }
    }
    ticks_put(shown, words, decimals, model->unit, out);
}
