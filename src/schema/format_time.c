/* SPDX-License-Identifier: Apache-2.0 */
/* Dates, times and durations: RFC 3339, section 5.6, 5.7 and appendix A.
 *
 * A leap second is judged where it happens, in UTC: the second 60 may occur
 * only in a minute that is 23:59 once the offset is taken off, and with a date
 * only at the end of a month (RFC 3339, 5.7). Which months had one is not
 * asked, for the coming ones are unknown. Letters count in either case, as
 * in all ABNF (RFC 5234, 2.3). */
#include "schema/format.h"

/* Takes exactly `count` (at most 4) ASCII digits. */
static bool time_digits(surety_str *rest, size_t count, int *ret_number)
{
    int number = 0;

    if (rest->len < count)
        return false;
    for (size_t i = 0; i < count; i++) {
        char c = rest->ptr[i];

        if (!surety__is_digit(c))
            return false;
        number = number * 10 + (c - '0');
    }
    surety__str_skip(rest, count);
    *ret_number = number;
    return true;
}

/* Takes one byte, a letter in either case; lower is the lower-case form. */
static bool time_byte(surety_str *rest, char lower)
{
    char c = rest->len ? rest->ptr[0] : '\0';

    if (c >= 'A' && c <= 'Z')
        c = (char)(c - 'A' + 'a');
    if (!rest->len || c != lower)
        return false;
    surety__str_skip(rest, 1);
    return true;
}

static int time_month_days(int year, int month)
{
    static const signed char days[] = {31, 28, 31, 30, 31, 30,
                                       31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return days[month - 1] + (month == 2 && leap ? 1 : 0);
}

/* Takes a full-date; gives the day and the number of days of its month. */
static bool time_take_date(surety_str *rest, int *ret_day, int *ret_days)
{
    int year, month, day;

    if (!time_digits(rest, 4, &year) || !time_byte(rest, '-') ||
        !time_digits(rest, 2, &month) || !time_byte(rest, '-') ||
        !time_digits(rest, 2, &day) || month < 1 || month > 12)
        return false;
    *ret_day = day;
    *ret_days = time_month_days(year, month);
    return day >= 1 && day <= *ret_days;
}

/* Takes a time-offset; gives it in minutes. */
static bool time_take_offset(surety_str *rest, int *ret_minutes)
{
    int sign = 1;
    int hour, minute;

    *ret_minutes = 0;
    if (time_byte(rest, 'z'))
        return true;
    if (time_byte(rest, '-'))
        sign = -1;
    else if (!time_byte(rest, '+'))
        return false;
    if (!time_digits(rest, 2, &hour) || !time_byte(rest, ':') ||
        !time_digits(rest, 2, &minute) || hour > 23 || minute > 59)
        return false;
    *ret_minutes = sign * (hour * 60 + minute);
    return true;
}

/* Whether the rest is a full-time. A leap second at the day that is `day` of a
 * month of `days` must be its last; with days 0 there is no date. */
static bool time_is_full(surety_str rest, int day, int days)
{
    enum { DAY_MINUTES = 24 * 60 };
    int hour, minute, second, offset, fraction, utc;

    if (!time_digits(&rest, 2, &hour) || !time_byte(&rest, ':') ||
        !time_digits(&rest, 2, &minute) || !time_byte(&rest, ':') ||
        !time_digits(&rest, 2, &second) || hour > 23 || minute > 59 ||
        second > 60)
        return false;
    if (time_byte(&rest, '.')) {
        if (!time_digits(&rest, 1, &fraction))
            return false;
        while (time_digits(&rest, 1, &fraction))
            continue;
    }
    if (!time_take_offset(&rest, &offset) || rest.len)
        return false;
    if (second < 60)
        return true;
    utc = hour * 60 + minute - offset;
    if (utc < 0) {
        utc += DAY_MINUTES;
        day--;
    } else if (utc >= DAY_MINUTES) {
        utc -= DAY_MINUTES;
        day++;
    }
    return utc == DAY_MINUTES - 1 && (!days || day == days || day == 0);
}

bool surety__format_date(surety_str text)
{
    int day, days;

    return time_take_date(&text, &day, &days) && !text.len;
}

bool surety__format_time(surety_str text)
{
    return time_is_full(text, 0, 0);
}

bool surety__format_date_time(surety_str text)
{
    int day, days;

    return time_take_date(&text, &day, &days) && time_byte(&text, 't') &&
           time_is_full(text, day, days);
}

/* Takes numbers with the units of `units` in that order, each one the next
 * after the one before it; false where there is none. */
static bool time_take_units(surety_str *rest, const char *units)
{
    const char *next = NULL;
    int digit;

    while (time_digits(rest, 1, &digit)) {
        while (time_digits(rest, 1, &digit))
            continue;
        if (next) {
            if (!*next || !time_byte(rest, *next))
                return false;
        } else {
            next = units;
            while (*next && !time_byte(rest, *next))
                next++;
            if (!*next)
                return false;
        }
        next++;
    }
    return next != NULL;
}

bool surety__format_duration(surety_str text)
{
    surety_str week;
    bool date;

    if (!time_byte(&text, 'p'))
        return false;
    week = text;
    if (time_take_units(&week, "w"))
        return !week.len;
    date = text.len && text.ptr[0] != 'T' && text.ptr[0] != 't';
    if (date && !time_take_units(&text, "ymd"))
        return false;
    if (date && !text.len)
        return true;
    return time_byte(&text, 't') && time_take_units(&text, "hms") && !text.len;
}
