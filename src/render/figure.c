/* SPDX-License-Identifier: Apache-2.0 */
/* Reads numbers as people, models and the Census API write them.
 *
 * 1. A grammar of our own turns them into JSON's form without arithmetic. So a
 *    table shows the same digits, and only a chart needs a double.
 * 2. A comma is a group separator, only every three digits ("1,23" is no
 *    number). It is never a decimal separator, since "1,234" could then be two
 *    numbers.
 * 3. A currency sign may come before the digits, and a percent sign after
 * them. */
#include "render/render.h"

#include <assert.h>

static const char *const figure_currencies[] = {"$", "\xE2\x82\xAC", "\xC2\xA3",
                                                "\xC2\xA5"};

/* Takes prefix off *rest; false: rest does not begin with it. */
static bool figure_take(surety_str *rest, const char *prefix)
{
    const surety_str wanted = surety_str_of(prefix);

    if (!surety__str_starts(*rest, wanted))
        return false;
    surety__str_skip(rest, wanted.len);
    return true;
}

/* Takes a sign: '-' or the minus sign U+2212, '+', or none. */
static bool figure_sign(surety_str *rest, bool *is_negative)
{
    if (figure_take(rest, "-") || figure_take(rest, "\xE2\x88\x92")) {
        *is_negative = true;
        return true;
    }
    return figure_take(rest, "+");
}

static void figure_unit(surety_str *rest, surety__figure *figure)
{
    for (size_t i = 0; i < SURETY__COUNT(figure_currencies); i++) {
        if (figure_take(rest, figure_currencies[i])) {
            figure->unit = surety_str_of(figure_currencies[i]);
            *rest = surety__str_trim(*rest);
            return;
        }
    }
}

static void figure_put(surety__figure *figure, char c)
{
    assert(figure->len < sizeof(figure->text));
    figure->text[figure->len++] = c;
}

/* Takes digits. Returns their number. */
static unsigned figure_digits(surety_str *rest, surety__figure *figure)
{
    unsigned count = 0;

    for (; rest->len > 0 && surety__is_digit(*rest->ptr); count++) {
        figure_put(figure, *rest->ptr);
        surety__str_skip(rest, 1);
    }
    return count;
}

/* Takes the digits before the point: plain, or in groups of three. */
static bool figure_whole(surety_str *rest, surety__figure *figure)
{
    const size_t start = figure->len;
    size_t run = 0;
    bool is_grouped = false;

    for (; rest->len > 0; rest->ptr++, rest->len--) {
        if (surety__is_digit(*rest->ptr)) {
            if (++run > 3 && is_grouped)
                return false;
            if (figure->len == start + 1 && figure->text[start] == '0') {
                figure->len = start;
                figure->is_code = true;
            }
            figure_put(figure, *rest->ptr);
        } else if (*rest->ptr == ',') {
            if (run == 0 || run > 3 || (is_grouped && run != 3))
                return false;
            is_grouped = true;
            run = 0;
        } else {
            break;
        }
    }
    if (is_grouped)
        figure->is_code = false;
    return !is_grouped || run == 3;
}

static bool figure_fraction(surety_str *rest, surety__figure *figure)
{
    if (!figure_take(rest, "."))
        return true;
    figure->is_integer = false;
    figure->is_code = false;
    if (rest->len == 0 || !surety__is_digit(*rest->ptr))
        return rest->len == 0;
    figure_put(figure, '.');
    figure->decimals = figure_digits(rest, figure);
    return true;
}

static bool figure_exponent(surety_str *rest, surety__figure *figure)
{
    bool is_negative = false;

    if (!figure_take(rest, "e") && !figure_take(rest, "E"))
        return true;
    figure->is_integer = false;
    figure->is_code = false;
    figure_put(figure, 'e');
    (void)figure_sign(rest, &is_negative);
    if (is_negative)
        figure_put(figure, '-');
    return figure_digits(rest, figure) > 0;
}

bool surety__figure_read(surety_str text, surety__figure *figure)
{
    surety_str rest = surety__str_trim(text);
    bool is_negative = false;
    bool has_sign;
    size_t start;

    *figure = (surety__figure){.is_integer = true};
    if (rest.len == 0 || rest.len > FIGURE_LEN_MAX)
        return false;
    if (rest.len > 2 && rest.ptr[0] == '(' && rest.ptr[rest.len - 1] == ')') {
        rest = (surety_str){rest.ptr + 1, rest.len - 2};
        is_negative = true;
        has_sign = true;
    } else {
        has_sign = figure_sign(&rest, &is_negative);
    }
    figure_unit(&rest, figure);
    if (!has_sign)
        (void)figure_sign(&rest, &is_negative);
    if (is_negative)
        figure_put(figure, '-');
    start = figure->len;
    if (rest.len > 1 && rest.ptr[0] == '.' && surety__is_digit(rest.ptr[1]))
        figure_put(figure, '0');
    else if (rest.len == 0 || !surety__is_digit(*rest.ptr))
        return false;
    if (!figure_whole(&rest, figure) || figure->len == start ||
        !figure_fraction(&rest, figure) || !figure_exponent(&rest, figure))
        return false;
    rest = surety__str_trim(rest);
    if (figure->unit.len == 0 && figure_take(&rest, "%"))
        figure->unit = surety_str_of("%");
    figure->is_code &= figure->unit.len == 0 && !is_negative;
    return rest.len == 0;
}

void surety__figure_group(const surety__figure *figure, surety_buf *out)
{
    size_t end;
    size_t at = 0;
    const bool is_prefix = figure->unit.len > 0 && figure->unit.ptr[0] != '%';

    assert(figure->len > 0);
    if (figure->text[0] == '-') {
        surety_buf_text(out, "\xE2\x88\x92");
        at = 1;
    }
    if (is_prefix)
        surety_buf_add(out, figure->unit);
    end = at;
    while (end < figure->len && surety__is_digit(figure->text[end]))
        end++;
    if (memchr(figure->text, 'e', figure->len))
        end = at;
    for (; at < end; at++) {
        surety_buf_byte(out, figure->text[at]);
        if ((end - at) % 3 == 1 && at + 1 < end)
            surety_buf_byte(out, ',');
    }
    surety_buf_append(out, figure->text + at, figure->len - at);
    if (figure->unit.len > 0 && !is_prefix)
        surety_buf_add(out, figure->unit);
}
