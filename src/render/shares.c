/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a picture of statistics. Each group of runs is a bar of three shares in
 * percent, stacked, in the tones good, fair and bad.
 *
 * 1. The groups become rows of JSON, read as any other table, so this file uses
 *    only the public functions of statistics.
 * 2. Days and months are bars too, since a day without runs is no point of a
 *    line. If there are more of them than a chart has bars, lines are drawn.
 * 3. If there is no room for all groups, those with the most runs are drawn,
 *    and a note gives the number of the others. */
#include <surety/json.h>
#include <surety/stats.h>

#include "render/render.h"

enum { SHARES_COUNT = 3 };

static const char *const shares_names[SHARES_COUNT] = {
    "valid at first try",
    "valid after re-asks",
    "not valid",
};

static const surety__chart_tone shares_tones[SHARES_COUNT] = {
    SURETY__TONE_GOOD, SURETY__TONE_FAIR, SURETY__TONE_BAD};

/* Whether the groups differ by time alone. */
static bool shares_by_time(const surety_stats_info *info)
{
    return info->by_count == 1 &&
           (info->by[0] == SURETY_BY_DAY || info->by[0] == SURETY_BY_MONTH);
}

/* The name of the column of groups. */
static const char *shares_column(const surety_stats_info *info)
{
    return info->by_count == 1 ? surety_stats_by_name(info->by[0]) : "group";
}

/* Counts the groups with at least so many runs. */
static size_t shares_with(const surety_stats *stats, uint64_t runs)
{
    const size_t groups = surety_stats_info_of(stats)->group_count;
    size_t count = 0;

    for (size_t i = 0; i < groups; i++)
        count += surety_stats_group_at(stats, i).runs >= runs;
    return count;
}

/* The number of runs that a group needs to be drawn, if there is room for so
 * many groups. *ret_ties: how many groups with exactly that number are
 * drawn. */
static uint64_t shares_least(const surety_stats *stats, size_t room,
                             size_t *ret_ties)
{
    uint64_t crowded = 0; /* the most runs that too many groups have */

    *ret_ties = SIZE_MAX;
    if (surety_stats_info_of(stats)->group_count <= room)
        return 0;
    for (uint64_t bit = (uint64_t)1 << 63; bit; bit >>= 1)
        if (shares_with(stats, crowded | bit) > room)
            crowded |= bit;
    *ret_ties = room - shares_with(stats, crowded + 1);
    return crowded;
}

/* Appends a share in percent, with one decimal. */
static void shares_put(uint64_t part, uint64_t whole, surety_buf *out)
{
    const uint64_t thousandths =
        (uint64_t)((double)part * 1000.0 / (double)whole + 0.5);

    surety__buf_printf(out, ",\"%u.%u%%\"", (unsigned)(thousandths / 10),
                       (unsigned)(thousandths % 10));
}

/* Appends the name of a group: its keys, on one line. */
static void shares_put_name(const surety_stats_info *info,
                            const surety_stats_group *group, surety_buf *name,
                            surety_buf *out)
{
    surety_buf_reset(name);
    for (size_t i = 0; i < info->by_count; i++) {
        surety_buf_text(name, i ? ", " : "");
        surety_buf_add(name, group->keys[i].len ? group->keys[i]
                                                : SURETY__LITERAL("(none)"));
    }
    if (!info->by_count)
        surety_buf_text(name, "all runs");
    for (size_t i = 0; i < name->len; i++)
        if ((unsigned char)name->ptr[i] < 0x20 || name->ptr[i] == 0x7F)
            name->ptr[i] = ' ';
    surety_json_string(out, surety_buf_str(name));
}

/* Writes the rows. Returns the number of groups left out. */
static size_t shares_put_rows(const surety_stats *stats, size_t room,
                              surety_buf *name, surety_buf *out)
{
    const surety_stats_info *info = surety_stats_info_of(stats);
    size_t ties = 0;
    const uint64_t least = shares_least(stats, room, &ties);
    size_t drawn = 0;

    surety__buf_printf(out, "[[\"%s\"", shares_column(info));
    for (size_t i = 0; i < SHARES_COUNT; i++)
        surety__buf_printf(out, ",\"%s\"", shares_names[i]);
    surety_buf_byte(out, ']');
    for (size_t i = 0; i < info->group_count; i++) {
        const surety_stats_group group = surety_stats_group_at(stats, i);
        const uint64_t valid = group.ended[SURETY_ENDED_VALID];

        if (group.runs < least || (group.runs == least && !ties))
            continue;
        ties -= group.runs == least;
        drawn++;
        surety_buf_text(out, ",[");
        shares_put_name(info, &group, name, out);
        shares_put(group.first, group.runs, out);
        shares_put(valid - group.first, group.runs, out);
        shares_put(group.runs - valid, group.runs, out);
        surety_buf_byte(out, ']');
    }
    surety_buf_byte(out, ']');
    return info->group_count - drawn;
}

static void shares_put_title(const surety_stats_info *info, surety_buf *out)
{
    surety_buf_text(out, "Runs that end in a valid value");
    for (size_t i = 0; i < info->by_count; i++)
        surety__buf_printf(out, "%s%s",
                           !i                       ? ", by "
                           : i + 1 < info->by_count ? ", "
                                                    : " and ",
                           surety_stats_by_name(info->by[i]));
}

/* Reads the rows and draws them. */
static surety_status shares_draw(surety_doc *doc, surety_str rows,
                                 const surety__chart *chart, surety_buf *out,
                                 surety_buf *notes, surety_error *reterr)
{
    const surety__table_options options = {.alloc = out->alloc};
    surety__table *table = NULL;
    surety_status status = surety_doc_read(doc, rows, NULL, reterr);

    if (!status)
        status =
            surety__table_read(surety_doc_root(doc), &options, &table, reterr);
    if (!status)
        status = surety__chart_draw(table, chart, out, notes, reterr);
    surety__table_free(table);
    return status;
}

surety_status surety_stats_draw(const surety_stats *stats,
                                const surety_stats_chart *given,
                                surety_buf *out, surety_buf *notes,
                                surety_error *reterr)
{
    const surety_stats_info *info = surety_stats_info_of(stats);
    surety_str shares[SHARES_COUNT];
    surety_stats_chart own;
    surety__chart chart;
    surety_status status;
    surety_doc *doc;
    surety_buf rows, name;
    size_t left, start;
    bool lines;

    if (!stats || !out)
        return surety__fail(reterr, SURETY_MISUSE,
                            "statistics and a buffer are needed");
    if (!info->group_count)
        return surety__fail(reterr, SURETY_SYNTAX, "there are no runs to draw");
    if (surety__options_take(&own, sizeof(own), given, reterr))
        return SURETY_MISUSE;
    for (size_t i = 0; i < SHARES_COUNT; i++)
        shares[i] = surety_str_of(shares_names[i]);
    lines = shares_by_time(info) && info->group_count > SURETY_CHART_BARS_MAX;
    chart =
        (surety__chart){.type = lines ? SURETY__CHART_LINE : SURETY__CHART_BAR,
                        .format = own.format,
                        .title = own.title,
                        .note = own.note,
                        .x = surety_str_of(shares_column(info)),
                        .y = shares,
                        .y_count = SHARES_COUNT,
                        .width = own.width,
                        .height = own.height,
                        .scale = own.scale,
                        .tones = shares_tones,
                        .tones_count = SHARES_COUNT};
    start = out->len;
    surety_buf_init(&rows, out->alloc, 0);
    surety_buf_init(&name, out->alloc, 0);
    left = shares_put_rows(
        stats, shares_by_time(info) ? SIZE_MAX : SURETY_STATS_BARS_MAX, &name,
        &rows);
    surety_buf_reset(&name);
    if (!chart.title.len) {
        shares_put_title(info, &name);
        chart.title = surety_buf_str(&name);
    }
    doc = surety_doc_new(out->alloc);
    status = !doc || rows.status || name.status
                 ? surety__fail_nomem(reterr)
                 : shares_draw(doc, surety_buf_str(&rows), &chart, out, notes,
                               reterr);
    if (!status && left && notes)
        surety__buf_printf(notes, "%zu group%s with fewer runs %s not drawn\n",
                           left, left == 1 ? "" : "s",
                           left == 1 ? "is" : "are");
    if (!status && notes && notes->status) {
        out->len = start;
        status = surety__fail_nomem(reterr);
    }
    surety_doc_free(doc);
    surety_buf_done(&name);
    surety_buf_done(&rows);
    return status;
}
