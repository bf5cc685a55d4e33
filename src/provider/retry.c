/* SPDX-License-Identifier: Apache-2.0 */
/* retry.c: when a provider allows the next call.
 *
 * Retry-After is a number of seconds or a date (RFC 9110, 10.2.3). The date
 * has three forms; two are obsolete but must be read (5.6.7). Any other text,
 * also a negative number, counts as absent. All numbers are limited to a year,
 * so that adding a clock's time cannot overflow. */
#include "provider/protocol.h"

#define RETRY_YEAR_MS ((int64_t)366 * 24 * 3600 * 1000)

/* A decimal number times 1000 to the power of `thousands`, at most a year in
 * milliseconds; -1: not a number. */
static int64_t retry_number(surety_str text, unsigned thousands)
{
    uint64_t value = 0;
    size_t i = 0;
    unsigned places = 3 * thousands;

    assert(thousands <= 1);
    text = surety__str_trim(text);
    for (; i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9'; i++)
        if (value <= (uint64_t)RETRY_YEAR_MS)
            value = value * 10 + (uint64_t)(text.ptr[i] - '0');
    if (i == 0)
        return -1;
    if (i < text.len && text.ptr[i] == '.') {
        for (i++; i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9'; i++)
            if (places && value <= (uint64_t)RETRY_YEAR_MS) {
                value = value * 10 + (uint64_t)(text.ptr[i] - '0');
                places--;
            }
    }
    if (i < text.len)
        return -1;
    for (; places && value <= (uint64_t)RETRY_YEAR_MS; places--)
        value *= 10;
    return value < (uint64_t)RETRY_YEAR_MS ? (int64_t)value : RETRY_YEAR_MS;
}

int64_t surety__retry_seconds(surety_str text)
{
    return retry_number(text, 1);
}

int64_t surety__retry_ms(surety_str text)
{
    return retry_number(text, 0);
}

/* Reads at most `most` digits at *text; -1: there is none. */
static int64_t retry_digits(surety_str *text, unsigned most)
{
    int64_t value = 0;
    unsigned count = 0;

    while (text->len && count < most && text->ptr[0] >= '0' &&
           text->ptr[0] <= '9') {
        value = value * 10 + (text->ptr[0] - '0');
        surety__str_skip(text, 1);
        count++;
    }
    return count ? value : -1;
}

static bool retry_skip(surety_str *text, const char *bytes)
{
    bool skipped = false;

    while (text->len && strchr(bytes, text->ptr[0]) && text->ptr[0]) {
        surety__str_skip(text, 1);
        skipped = true;
    }
    return skipped;
}

/* Reads the name of a month: 1 to 12; -1: not one. */
static int64_t retry_month(surety_str *text)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

    for (int month = 0; text->len >= 3 && month < 12; month++)
        if (surety__str_equal_nocase((surety_str){text->ptr, 3},
                                     (surety_str){names + 3 * month, 3})) {
            surety__str_skip(text, 3);
            return month + 1;
        }
    return -1;
}

typedef struct retry__date {
    int64_t year, month, day, hour, minute, second;
} retry__date;

static bool retry_read_time(surety_str *text, retry__date *date)
{
    date->hour = retry_digits(text, 2);
    if (!retry_skip(text, ":"))
        return false;
    date->minute = retry_digits(text, 2);
    if (!retry_skip(text, ":"))
        return false;
    date->second = retry_digits(text, 2);
    return true;
}

/* Reads "06 Nov 1994 08:49:37 GMT" or "06-Nov-94 08:49:37 GMT", after the
 * weekday and its comma. */
static bool retry_read_date(surety_str text, retry__date *date)
{
    date->day = retry_digits(&text, 2);
    if (!retry_skip(&text, " -"))
        return false;
    date->month = retry_month(&text);
    if (!retry_skip(&text, " -"))
        return false;
    date->year = retry_digits(&text, 4);
    if (date->year >= 0 && date->year < 100) /* two digits: 1970 to 2069 */
        date->year += date->year < 70 ? 2000 : 1900;
    if (!retry_skip(&text, " ") || !retry_read_time(&text, date))
        return false;
    retry_skip(&text, " ");
    return surety_str_equal(text, SURETY__LITERAL("GMT"));
}

/* Reads "Nov  6 08:49:37 1994", after the weekday. */
static bool retry_read_asctime(surety_str text, retry__date *date)
{
    date->month = retry_month(&text);
    if (!retry_skip(&text, " "))
        return false;
    date->day = retry_digits(&text, 2);
    if (!retry_skip(&text, " ") || !retry_read_time(&text, date) ||
        !retry_skip(&text, " "))
        return false;
    date->year = retry_digits(&text, 4);
    return text.len == 0;
}

int64_t surety__retry_date(surety_str text)
{
    retry__date date = {0};
    const char *comma;
    int64_t days;
    bool read;

    text = surety__str_trim(text);
    comma = text.len ? memchr(text.ptr, ',', text.len) : NULL;
    if (comma)
        text =
            (surety_str){comma + 1, (size_t)(text.ptr + text.len - comma) - 1};
    while (!comma && text.len && text.ptr[0] != ' ') {
        surety__str_skip(&text, 1);
    }
    (void)retry_skip(&text, " ");
    read =
        comma ? retry_read_date(text, &date) : retry_read_asctime(text, &date);
    if (!read || date.year < 1970 || date.month < 1 || date.day < 1 ||
        date.day > 31 || date.hour < 0 || date.hour > 23 || date.minute < 0 ||
        date.minute > 59 || date.second < 0 || date.second > 60)
        return -1;
    days = surety__date_days(
        (surety__date){date.year, (uint32_t)date.month, (uint32_t)date.day});
    return (((days * 24 + date.hour) * 60 + date.minute) * 60 + date.second) *
           1000;
}

int64_t surety__retry_until(int64_t then_ms, int64_t now_ms)
{
    if (now_ms >= then_ms)
        return 0;
    if (now_ms < 0 || then_ms - now_ms > RETRY_YEAR_MS)
        return RETRY_YEAR_MS;
    return then_ms - now_ms;
}
