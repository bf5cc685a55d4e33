/* SPDX-License-Identifier: Apache-2.0 */
/* Days and dates of the Gregorian calendar, extended into the past (Hinnant,
 * "chrono-Compatible Low-Level Date Algorithms"). Here a year begins in March,
 * so that the leap day is its last day. */
#include "base/base.h"

surety__date surety__date_of(int64_t days)
{
    surety__date date;
    int64_t era;
    uint32_t of_era, of_year, from_march;

    days += 719468;
    era = (days >= 0 ? days : days - 146096) / 146097;
    of_era = (uint32_t)(days - era * 146097);
    date.year =
        (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    of_year =
        of_era - (uint32_t)(365 * date.year + date.year / 4 - date.year / 100);
    from_march = (5 * of_year + 2) / 153;
    date.month = from_march < 10 ? from_march + 3 : from_march - 9;
    date.day = of_year - (153 * from_march + 2) / 5 + 1;
    date.year += era * 400 + (date.month <= 2);
    return date;
}

int64_t surety__date_split(int64_t unix_ms, uint32_t *ret_ms)
{
    const int64_t day_ms = 86400000;
    const int64_t before = unix_ms % day_ms < 0;

    *ret_ms = (uint32_t)(unix_ms % day_ms + before * day_ms);
    return unix_ms / day_ms - before;
}

int64_t surety__date_days(surety__date date)
{
    const int64_t year = date.month > 2 ? date.year : date.year - 1;
    const int64_t era = (year >= 0 ? year : year - 399) / 400;
    const int64_t of_era = year - era * 400;
    const int64_t from_march =
        date.month > 2 ? (int64_t)date.month - 3 : (int64_t)date.month + 9;
    const int64_t of_year = (153 * from_march + 2) / 5 + date.day - 1;

    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year -
           719468;
}

uint32_t surety__date_last(int64_t year, uint32_t month)
{
    const surety__date first = {year, month, 1};
    const surety__date next = {month < 12 ? year : year + 1,
                               month < 12 ? month + 1 : 1, 1};

    return (uint32_t)(surety__date_days(next) - surety__date_days(first));
}
