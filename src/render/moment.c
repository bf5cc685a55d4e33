/* SPDX-License-Identifier: Apache-2.0 */
/* Times as column values name them, read into years with a fraction: enough to
 * put points in order and apart on an axis, and no calendar. A month is a
 * twelfth of a year and a day its share of the month. What a value says beyond
 * the day (a time of day, an offset) moves it by less than a pixel and is
 * passed over. Month names are English, as the rest of the grammar. */
#include "render/render.h"

static const char *const moment_months[] = {
    "january", "february", "march",     "april",   "may",      "june",
    "july",    "august",   "september", "october", "november", "december"};

/* Takes at most max digits, of which there must be at least min. */
static bool moment_digits(surety_str *rest, size_t min, size_t max,
                          unsigned *number)
{
    size_t count = 0;

    *number = 0;
    while (count < rest->len && count < max && rest->ptr[count] >= '0' &&
           rest->ptr[count] <= '9')
        *number = *number * 10 + (unsigned)(rest->ptr[count++] - '0');
    rest->ptr += count;
    rest->len -= count;
    return count >= min;
}

static bool moment_byte(surety_str *rest, const char *any)
{
    if (rest->len == 0 || *rest->ptr == '\0' || !strchr(any, *rest->ptr))
        return false;
    rest->ptr++;
    rest->len--;
    return true;
}

static bool moment_year(surety_str *rest, unsigned *year)
{
    return moment_digits(rest, 4, 4, year) && *year >= 1000 && *year < 3000;
}

/* "Q1" */
static bool moment_quarter(surety_str *rest, double *share)
{
    unsigned quarter;

    if (!moment_byte(rest, "Qq") || !moment_digits(rest, 1, 1, &quarter) ||
        quarter < 1 || quarter > 4)
        return false;
    *share = (quarter - 1) / 4.0;
    return true;
}

/* "March", "Mar", "Sept." */
static bool moment_month(surety_str *rest, double *share)
{
    surety_str word = {rest->ptr, 0};

    while (word.len < rest->len && ((rest->ptr[word.len] | 32) >= 'a' &&
                                    (rest->ptr[word.len] | 32) <= 'z'))
        word.len++;
    if (word.len < 3)
        return false;
    rest->ptr += word.len;
    rest->len -= word.len;
    (void)moment_byte(rest, ".");
    for (unsigned i = 0; i < 12; i++) {
        surety_str name = surety_str_of(moment_months[i]);
        if (word.len > name.len)
            continue;
        name.len = word.len;
        if (surety__str_equal_nocase(word, name)) {
            *share = i / 12.0;
            return true;
        }
    }
    return false;
}

/* What follows a year: nothing, "-03", "-03-07T10:00", " Q1", "-2019". */
static bool moment_rest(surety_str rest, unsigned year, surety__moment *moment)
{
    unsigned number;
    double share = 0;
    const size_t len = rest.len;

    if (len == 0) {
        moment->is_plain_year = true;
        return true;
    }
    if (!moment_byte(&rest, "-/ ") &&
        !surety__str_starts(rest, surety_str_of("\xE2\x80\x93")) &&
        (*rest.ptr | 32) != 'q')
        return false;
    if (surety__str_starts(rest, surety_str_of("\xE2\x80\x93")))
        rest = (surety_str){rest.ptr + 3, rest.len - 3};
    if (rest.len > 0 && (*rest.ptr | 32) == 'q') {
        moment->year = year;
        if (!moment_quarter(&rest, &share) || rest.len > 0)
            return false;
        moment->year += share;
        return true;
    }
    if (rest.len == 4 && moment_year(&rest, &number)) {
        moment->year = (year + number) / 2.0;
        return number >= year && rest.len == 0;
    }
    if (rest.len == 0 || !moment_digits(&rest, 1, 2, &number))
        return false;
    if (number < 1 || number > 12)
        return false;
    moment->year = year + (number - 1) / 12.0;
    if (rest.len == 0)
        return true;
    if (!moment_byte(&rest, "-/") || !moment_digits(&rest, 1, 2, &number) ||
        number < 1 || number > 31)
        return false;
    moment->year += (number - 1) / 372.0;
    return rest.len == 0 || *rest.ptr == 'T' || *rest.ptr == ' ';
}

bool surety__moment_read(surety_str text, surety__moment *moment)
{
    surety_str rest = surety__str_trim(text);
    double share = 0;
    unsigned year;

    *moment = (surety__moment){0};
    if (rest.len < 4 || rest.len > 40)
        return false;
    if (rest.ptr[0] >= '0' && rest.ptr[0] <= '9') {
        if (!moment_year(&rest, &year))
            return false;
        moment->year = year;
        return moment_rest(rest, year, moment);
    }
    if (!moment_quarter(&rest, &share)) {
        rest = surety__str_trim(text);
        if (!moment_month(&rest, &share))
            return false;
    }
    if (!moment_byte(&rest, " -/,"))
        return false;
    (void)moment_byte(&rest, " ");
    if (!moment_year(&rest, &year) || rest.len > 0)
        return false;
    moment->year = year + share;
    return true;
}
