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
    surety_buf_add(&stats->text, text);
    surety__buf_cut(&stats->text, 0, SURETY_STATS_TEXT_MAX - 3);
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
    surety__buf_printf(out, "%s%04u-%02u", date.year < 0 ? "-" : "",
                       (unsigned)(date.year < 0 ? -date.year : date.year),
                       (unsigned)date.month);
    if (form != MOMENT_MONTH)
        surety__buf_printf(out, "-%02u", (unsigned)date.day);
    rest /= 1000;
    if (form == MOMENT_WHOLE)
        surety__buf_printf(out, "T%02u:%02u:%02uZ", (unsigned)(rest / 3600),
                           (unsigned)(rest / 60 % 60), (unsigned)(rest % 60));
}
