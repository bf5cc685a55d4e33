/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by all of stats/: keeps the first failure, copies texts that live as
 * long as the stats, and writes times. */
#include "stats/stats.h"

bool surety__stats_fail(surety_stats *stats, surety_status status)
{
    if (!stats->status)
        stats->status = status;
    return false;
}

bool surety__stats_nomem(surety_stats *stats)
{
    return surety__stats_fail(stats, surety__fail_nomem(&stats->cause));
}

surety_str surety__stats_cut(surety_stats *stats, surety_str text)
{
    if (text.len <= SURETY_STATS_TEXT_MAX)
        return text;
    surety_buf_reset(&stats->text);
    surety_buf_append(&stats->text, text.ptr,
                      surety__utf8_cut(text, SURETY_STATS_TEXT_MAX - 3));
    surety_buf_text(&stats->text, "...");
    if (stats->text.status)
        (void)surety__stats_nomem(stats);
    return surety_buf_str(&stats->text);
}

surety_str surety__stats_keep(surety_stats *stats, surety_str text)
{
    const surety_str kept = surety__arena_text(&stats->arena, text);

    if (!kept.ptr)
        (void)surety__stats_nomem(stats);
    return kept;
}

/* Appends a number with leading zeros up to the digits of least. */
static void moment_put(uint32_t number, uint32_t least, surety_buf *out)
{
    for (; least > 1 && number < least; least /= 10)
        surety_buf_byte(out, '0');
    surety_buf_number(out, number);
}

void surety__moment_write(int64_t unix_ms, surety__moment_form form,
                          surety_buf *out)
{
    const int64_t day_ms = 86400000;
    int64_t days = unix_ms / day_ms;
    int64_t rest = unix_ms % day_ms;
    surety__date date;

    if (rest < 0) {
        rest += day_ms;
        days--;
    }
    date = surety__date_of(days);
    if (date.year < 0)
        surety_buf_byte(out, '-');
    moment_put((uint32_t)(date.year < 0 ? -date.year : date.year), 1000, out);
    surety_buf_byte(out, '-');
    moment_put(date.month, 10, out);
    if (form == MOMENT_MONTH)
        return;
    surety_buf_byte(out, '-');
    moment_put(date.day, 10, out);
    if (form == MOMENT_DAY)
        return;
    rest /= 1000;
    surety_buf_byte(out, 'T');
    moment_put((uint32_t)(rest / 3600), 10, out);
    surety_buf_byte(out, ':');
    moment_put((uint32_t)(rest / 60 % 60), 10, out);
    surety_buf_byte(out, ':');
    moment_put((uint32_t)(rest % 60), 10, out);
    surety_buf_byte(out, 'Z');
}
