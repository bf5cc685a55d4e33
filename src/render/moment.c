/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the times in column values, with the resolution (grain) that they have,
 * into the second since 1970 and its nanoseconds.
 *
 * 1. A time with an offset is kept in UTC, beside the offset. A time without
 *    one is in an unknown local time.
 * 2. A date or time that does not exist (2026-02-30, 25:00) is no time.
 * 3. Digits alone (2015, 20150307, Unix time) may be any number. They count as
 *    times only if the name of the column has a word for time.
 * 4. Names of months are English, as the rest of the grammar: ISO 8601 (dates,
 *    weeks, times), RFC 3339, RFC 9557's zone in brackets, and common forms:
 *    "Mar 2015", "7 March 2015", "March 7, 2015 10:15 PM", "2015 Q1",
 *    "2015-2019". */
#include "render/render.h"

#include <assert.h>

enum { MOMENT_LEN_MAX = 80 };

static const char *const moment_months[] = {
    "january", "february", "march",     "april",   "may",      "june",
    "july",    "august",   "september", "october", "november", "december"};
static const char *const moment_weekdays[] = {
    "monday", "tuesday",  "wednesday", "thursday",
    "friday", "saturday", "sunday"};

/* ---- parts of a time ----------------------------------------------------- */

static void moment_blanks(surety_str *rest)
{
    while (rest->len > 0 && *rest->ptr == ' ')
        surety__str_skip(rest, 1);
}

/* The number of digits at the start of rest. */
static size_t moment_run(surety_str rest)
{
    size_t count = 0;

    while (count < rest.len && surety__is_digit(rest.ptr[count]))
        count++;
    return count;
}

/* Takes up to max digits; false: there are fewer than min. */
static bool moment_digits(surety_str *rest, size_t min, size_t max,
                          uint32_t *number)
{
    size_t count = moment_run(*rest);

    count = count > max ? max : count;
    *number = 0;
    for (size_t i = 0; i < count; i++)
        *number = *number * 10 + (uint32_t)(rest->ptr[i] - '0');
    surety__str_skip(rest, count);
    return count >= min;
}

static bool moment_byte(surety_str *rest, const char *any)
{
    if (rest->len == 0 || *rest->ptr == '\0' || !strchr(any, *rest->ptr))
        return false;
    surety__str_skip(rest, 1);
    return true;
}

static bool moment_take(surety_str *rest, const char *text)
{
    const surety_str wanted = surety_str_of(text);

    if (!surety__str_starts_nocase(*rest, wanted))
        return false;
    surety__str_skip(rest, wanted.len);
    return true;
}

static bool moment_year(surety_str *rest, uint32_t *year)
{
    return moment_run(*rest) == 4 && moment_digits(rest, 4, 4, year) &&
           *year >= 1000 && *year < 3000;
}

/* Takes a name of the list, or at least its first three letters, and a full
 * stop after it. Returns its number from 1; 0: there is none. */
static uint32_t moment_name(surety_str *rest, const char *const *names,
                            uint32_t count)
{
    surety_str word = {rest->ptr, 0};

    while (word.len < rest->len && surety__is_letter(rest->ptr[word.len]))
        word.len++;
    for (uint32_t i = 0; i < count && word.len >= 3; i++) {
        if (!surety__str_starts_nocase(surety_str_of(names[i]), word))
            continue;
        surety__str_skip(rest, word.len);
        (void)moment_byte(rest, ".");
        return i + 1;
    }
    return 0;
}

/* Takes "Q1" and returns its number; 0: there is none. */
static uint32_t moment_quarter(surety_str *rest)
{
    uint32_t quarter;

    return moment_byte(rest, "Qq") && moment_digits(rest, 1, 1, &quarter) &&
                   quarter <= 4
               ? quarter
               : 0;
}

static int64_t moment_days(uint32_t year, uint32_t month, uint32_t day)
{
    assert(month >= 1 && month <= 12 && day >= 1);
    return surety__date_days((surety__date){year, month, day});
}

static bool moment_set(surety__moment *moment, int64_t days,
                       surety__grain grain)
{
    moment->second = days * DAY_SECONDS;
    moment->grain = grain;
    return true;
}

/* Sets a date; false: the calendar does not have it. */
static bool moment_date(surety__moment *moment, uint32_t year, uint32_t month,
                        uint32_t day)
{
    if (month < 1 || month > 12 || day < 1 ||
        day > surety__date_last(year, month))
        return false;
    return moment_set(moment, moment_days(year, month, day), SURETY__GRAIN_DAY);
}

/* ---- the time of day ----------------------------------------------------- */

/* Takes "Z", "UTC", "+01:00", "-0500" or "+05", and the name of a zone in
 * brackets. */
static bool moment_offset(surety_str *rest, surety__moment *moment)
{
    uint32_t hours;
    uint32_t minutes = 0;
    bool is_west;

    moment_blanks(rest);
    if (moment_take(rest, "utc") || moment_take(rest, "gmt") ||
        moment_take(rest, "z")) {
        moment->has_offset = true;
    } else if (rest->len > 0 && *rest->ptr != '[') {
        is_west = moment_take(rest, "-") || moment_take(rest, "\xE2\x88\x92");
        if ((!is_west && !moment_take(rest, "+")) ||
            !moment_digits(rest, 2, 2, &hours) || hours > 23)
            return false;
        if ((moment_byte(rest, ":") || moment_run(*rest) > 0) &&
            (!moment_digits(rest, 2, 2, &minutes) || minutes > 59))
            return false;
        moment->has_offset = true;
        moment->offset = (int32_t)(hours * 3600 + minutes * 60);
        if (is_west)
            moment->offset = -moment->offset;
    }
    if (rest->len > 1 && *rest->ptr == '[' && rest->ptr[rest->len - 1] == ']')
        rest->len = 0;
    moment->second -= moment->offset;
    return rest->len == 0;
}

/* Takes the fraction of a second. Digits after the ninth are skipped. */
static bool moment_fraction(surety_str *rest, surety__moment *moment)
{
    uint32_t weight = 100000000;
    size_t count;

    if (!moment_byte(rest, ".,"))
        return true;
    count = moment_run(*rest);
    for (size_t i = 0; i < count; i++, weight /= 10)
        moment->nano += (uint32_t)(rest->ptr[i] - '0') * weight;
    surety__str_skip(rest, count);
    moment->grain = SURETY__GRAIN_FRACTION;
    return count > 0;
}

/* Takes "AM" or "PM", if present: 12 AM is hour 0, and 12 PM is hour 12. */
static bool moment_half(surety_str *rest, uint32_t *hour)
{
    surety_str ahead = *rest;
    bool is_after_noon;

    moment_blanks(&ahead);
    is_after_noon = moment_take(&ahead, "pm");
    if (!is_after_noon && !moment_take(&ahead, "am"))
        return true;
    *rest = ahead;
    if (*hour < 1 || *hour > 12)
        return false;
    *hour = *hour % 12 + (is_after_noon ? 12 : 0);
    return true;
}

/* Takes the rest of a text after its day: nothing, or a time and perhaps an
 * offset. A leap second counts as the next second, and 24:00 as the start of
 * the next day. */
static bool moment_time(surety_str rest, surety__moment *moment)
{
    uint32_t hour;
    uint32_t minute = 0;
    uint32_t second = 0;

    if (rest.len == 0)
        return true;
    (void)moment_byte(&rest, ",");
    if (!moment_byte(&rest, "Tt "))
        return false;
    moment_blanks(&rest);
    if (!moment_digits(&rest, 1, 2, &hour) || hour > 24)
        return false;
    moment->grain = SURETY__GRAIN_MINUTE;
    if (moment_byte(&rest, ":")) {
        if (!moment_digits(&rest, 2, 2, &minute) || minute > 59)
            return false;
        if (moment_byte(&rest, ":")) {
            moment->grain = SURETY__GRAIN_SECOND;
            if (!moment_digits(&rest, 2, 2, &second) || second > 60 ||
                !moment_fraction(&rest, moment))
                return false;
        }
    }
    if (!moment_half(&rest, &hour) ||
        (hour == 24 && (minute > 0 || second > 0 || moment->nano > 0)))
        return false;
    moment->second += (int64_t)hour * 3600 + minute * 60 + second;
    return moment_offset(&rest, moment);
}

/* ---- forms that begin with digits ---------------------------------------- */

/* Reads digits alone: a year, a date of eight digits, Unix time in seconds or
 * milliseconds from 2001 to 2096. */
static bool moment_plain(surety_str text, surety__moment *moment)
{
    surety_str rest = text;
    uint32_t parts[3];

    moment->is_plain = true;
    switch (moment_run(text)) {
    case 4:
        return text.len == 4 && moment_year(&rest, &parts[0]) &&
               moment_set(moment, moment_days(parts[0], 1, 1),
                          SURETY__GRAIN_YEAR);
    case 8:
        return text.len == 8 && moment_digits(&rest, 4, 4, &parts[0]) &&
               parts[0] >= 1000 && parts[0] < 3000 &&
               moment_digits(&rest, 2, 2, &parts[1]) &&
               moment_digits(&rest, 2, 2, &parts[2]) &&
               moment_date(moment, parts[0], parts[1], parts[2]);
    case 10:
    case 13: break;
    default: return false;
    }
    if (*text.ptr < '1' || *text.ptr > '3')
        return false;
    for (size_t i = 0; i < 10; i++)
        moment->second = moment->second * 10 + (*rest.ptr++ - '0');
    rest.len -= 10;
    moment->grain = SURETY__GRAIN_SECOND;
    moment->has_offset = true;
    moment->is_unix = true;
    if (rest.len == 0 || *rest.ptr == '.')
        return moment_fraction(&rest, moment) && rest.len == 0;
    moment->grain = SURETY__GRAIN_FRACTION;
    (void)moment_digits(&rest, 3, 3, &parts[0]);
    moment->nano = parts[0] * 1000000;
    return rest.len == 0;
}

/* Reads "W12" or "W12-3" after a year. ISO 8601: the first week contains
 * January 4, and the last contains a Thursday of the year. */
static bool moment_week(surety_str rest, uint32_t year, surety__moment *moment)
{
    const int64_t fourth = moment_days(year, 1, 4);
    /* 1970-01-01 was a Thursday. */
    const int64_t monday = fourth - ((fourth + 3) % 7 + 7) % 7;
    uint32_t week, day = 1;

    if (!moment_byte(&rest, "Ww") || !moment_digits(&rest, 2, 2, &week) ||
        week < 1 ||
        monday + (int64_t)(week - 1) * 7 + 3 >= moment_days(year + 1, 1, 1))
        return false;
    moment_set(moment, monday + (int64_t)(week - 1) * 7, SURETY__GRAIN_WEEK);
    if (rest.len == 0)
        return true;
    (void)moment_byte(&rest, "-");
    if (!moment_digits(&rest, 1, 1, &day) || day < 1 || day > 7)
        return false;
    moment_set(moment, monday + (int64_t)(week - 1) * 7 + day - 1,
               SURETY__GRAIN_DAY);
    return moment_time(rest, moment);
}

/* Reads the text after a year: "-03", "-03-07T10:00", " Q1", "-W12",
 * "-2019". */
static bool moment_rest(surety_str rest, uint32_t year, surety__moment *moment)
{
    uint32_t number, day;

    if (!moment_byte(&rest, "-/ ") && !moment_take(&rest, "\xE2\x80\x93") &&
        (*rest.ptr | 32) != 'q')
        return false;
    if (rest.len > 0 && (*rest.ptr | 32) == 'q') {
        number = moment_quarter(&rest);
        return number > 0 && rest.len == 0 &&
               moment_set(moment, moment_days(year, number * 3 - 2, 1),
                          SURETY__GRAIN_QUARTER);
    }
    if (rest.len > 0 && (*rest.ptr | 32) == 'w')
        return moment_week(rest, year, moment);
    if (rest.len == 4 && moment_year(&rest, &number)) {
        moment_set(moment, moment_days(year, 1, 1), SURETY__GRAIN_YEARS);
        moment->second =
            (moment->second + moment_days(number, 1, 1) * DAY_SECONDS) / 2;
        return number >= year;
    }
    if (!moment_digits(&rest, 1, 2, &number) || number < 1 || number > 12)
        return false;
    if (rest.len == 0)
        return moment_set(moment, moment_days(year, number, 1),
                          SURETY__GRAIN_MONTH);
    return moment_byte(&rest, "-/") && moment_digits(&rest, 1, 2, &day) &&
           moment_date(moment, year, number, day) && moment_time(rest, moment);
}

/* ---- forms that begin with a word ---------------------------------------- */

/* Reads the text after the month of "March 2015" or "March 7, 2015". */
static bool moment_month(surety_str rest, uint32_t month,
                         surety__moment *moment)
{
    uint32_t day, year;

    if (!moment_byte(&rest, " -/,"))
        return false;
    moment_blanks(&rest);
    if (moment_run(rest) == 4)
        return moment_year(&rest, &year) && rest.len == 0 &&
               moment_set(moment, moment_days(year, month, 1),
                          SURETY__GRAIN_MONTH);
    if (!moment_digits(&rest, 1, 2, &day))
        return false;
    if (!moment_take(&rest, "st") && !moment_take(&rest, "nd") &&
        !moment_take(&rest, "rd"))
        (void)moment_take(&rest, "th");
    if (!moment_byte(&rest, " -,"))
        return false;
    moment_blanks(&rest);
    return moment_year(&rest, &year) && moment_date(moment, year, month, day) &&
           moment_time(rest, moment);
}

/* Reads the text after the day of "7 March 2015". */
static bool moment_day(surety_str rest, uint32_t day, surety__moment *moment)
{
    uint32_t month, year;

    if (!moment_byte(&rest, " -"))
        return false;
    month = moment_name(&rest, moment_months, 12);
    if (month == 0 || !moment_byte(&rest, " -,"))
        return false;
    moment_blanks(&rest);
    return moment_year(&rest, &year) && moment_date(moment, year, month, day) &&
           moment_time(rest, moment);
}

static bool moment_words(surety_str rest, surety__moment *moment)
{
    uint32_t number, year;

    if (moment_name(&rest, moment_weekdays, 7) > 0) {
        (void)moment_byte(&rest, ",");
        moment_blanks(&rest);
    }
    if (moment_run(rest) > 0)
        return moment_digits(&rest, 1, 2, &number) &&
               moment_day(rest, number, moment);
    number = moment_name(&rest, moment_months, 12);
    if (number > 0)
        return moment_month(rest, number, moment);
    number = moment_quarter(&rest);
    if (number == 0 || !moment_byte(&rest, " -/,"))
        return false;
    moment_blanks(&rest);
    return moment_year(&rest, &year) && rest.len == 0 &&
           moment_set(moment, moment_days(year, number * 3 - 2, 1),
                      SURETY__GRAIN_QUARTER);
}

/* ---- reading a time ------------------------------------------------------ */

bool surety__moment_read(surety_str text, surety__moment *moment)
{
    surety_str rest = surety__str_trim(text);
    size_t run;
    uint32_t number;

    *moment = (surety__moment){0};
    if (rest.len < 4 || rest.len > MOMENT_LEN_MAX)
        return false;
    run = moment_run(rest);
    if (run == 0)
        return moment_words(rest, moment);
    if (run == rest.len || run == 10)
        return moment_plain(rest, moment);
    if (run < 3)
        return moment_digits(&rest, 1, 2, &number) &&
               moment_day(rest, number, moment);
    return moment_year(&rest, &number) && moment_rest(rest, number, moment);
}

bool surety__moment_is_part(surety_str text)
{
    surety_str rest = surety__str_trim(text);

    /* A name that is none takes nothing of the text; no two lists share one. */
    return (moment_name(&rest, moment_months, 12) > 0 ||
            moment_name(&rest, moment_weekdays, 7) > 0 ||
            moment_quarter(&rest) > 0) &&
           rest.len == 0;
}
