/* SPDX-License-Identifier: Apache-2.0 */
/* The picture: a group's runs as three shares that make up the whole, one upon
 * the other, in the colours of good, fair and bad. It is data for a chart of
 * render/, written as JSON and read again. Days and months are bars too, for a
 * day without runs is no point of a line; more than a chart shows are lines. */
#include "stats/stats.h"

enum { DRAW_SHARES = 3 };

static const char *const draw_shares[DRAW_SHARES] = {
    "valid at first try",
    "valid after re-asks",
    "not valid",
};

static const surety_chart_tone draw_tones[DRAW_SHARES] = {
    SURETY_TONE_GOOD, SURETY_TONE_FAIR, SURETY_TONE_BAD};

/* Whether time is all that runs are told apart by. */
static bool draw_is_time(const surety_stats *stats)
{
    return stats->options.by_count == 1 &&
           (stats->by[0] == SURETY_BY_DAY || stats->by[0] == SURETY_BY_MONTH);
}

/* What the axis of groups is called. */
static const char *draw_column(const surety_stats *stats)
{
    return stats->options.by_count == 1 ? surety_stats_by_name(stats->by[0])
                                        : "group";
}

/* How many runs a group has at least that is drawn, where there is room for so
 * many; and how many that have no more than that are. */
static uint64_t draw_least(const surety_stats *stats, size_t room,
                           size_t *ret_ties)
{
    uint64_t least = 1;
    size_t above = stats->group_count;

    *ret_ties = SIZE_MAX;
    if (above <= room)
        return 0;
    /* The least number that leaves no more than there is room for. */
    for (uint64_t bit = (uint64_t)1 << 63, tried = 0; bit; bit >>= 1) {
        const uint64_t next = tried | bit;
        size_t count = 0;

        for (size_t i = 0; i < stats->group_count; i++)
            count += stats->groups[i]->told.runs >= next;
        if (count > room)
            tried = next;
        least = tried + 1;
    }
    above = 0;
    for (size_t i = 0; i < stats->group_count; i++)
        above += stats->groups[i]->told.runs >= least;
    *ret_ties = room - above;
    return least - 1;
}

/* A share in percent, with one decimal. */
static void draw_put_share(uint64_t part, uint64_t whole, surety_buf *out)
{
    const uint64_t thousandths =
        (uint64_t)((double)part * 1000.0 / (double)whole + 0.5);

    surety__buf_printf(out, ",\"%u.%u%%\"", (unsigned)(thousandths / 10),
                       (unsigned)(thousandths % 10));
}

/* What a group is called: its keys on one line. */
static void draw_put_name(const surety_stats *stats,
                          const surety_stats_group *group, surety_buf *name,
                          surety_buf *out)
{
    surety_buf_reset(name);
    for (size_t i = 0; i < stats->options.by_count; i++) {
        surety_buf_text(name, i ? ", " : "");
        surety_buf_add(name, group->keys[i].len ? group->keys[i]
                                                : SURETY__LITERAL("(none)"));
    }
    if (!stats->options.by_count)
        surety_buf_text(name, "all runs");
    for (size_t i = 0; i < name->len; i++)
        if ((unsigned char)name->ptr[i] < 0x20 || name->ptr[i] == 0x7F)
            name->ptr[i] = ' ';
    surety_json_string(out, surety_buf_str(name));
}

/* Writes the rows; tells how many groups are not in them. */
static size_t draw_put_rows(const surety_stats *stats, size_t room,
                            surety_buf *name, surety_buf *out)
{
    size_t ties = 0;
    const uint64_t least = draw_least(stats, room, &ties);
    size_t drawn = 0;

    surety__buf_printf(out, "[[\"%s\"", draw_column(stats));
    for (size_t i = 0; i < DRAW_SHARES; i++)
        surety__buf_printf(out, ",\"%s\"", draw_shares[i]);
    surety_buf_byte(out, ']');
    for (size_t i = 0; i < stats->group_count; i++) {
        const surety_stats_group *group = &stats->groups[i]->told;
        const uint64_t valid = group->ended[SURETY_ENDED_VALID];

        if (group->runs < least || (group->runs == least && !ties))
            continue;
        ties -= group->runs == least;
        drawn++;
        surety_buf_text(out, ",[");
        draw_put_name(stats, group, name, out);
        draw_put_share(group->first, group->runs, out);
        draw_put_share(valid - group->first, group->runs, out);
        draw_put_share(group->runs - valid, group->runs, out);
        surety_buf_byte(out, ']');
    }
    surety_buf_byte(out, ']');
    return stats->group_count - drawn;
}

static void draw_put_title(const surety_stats *stats, surety_buf *out)
{
    surety_buf_text(out, "Runs that end in a valid value");
    for (size_t i = 0; i < stats->options.by_count; i++)
        surety__buf_printf(out, "%s%s",
                           !i                                ? ", by "
                           : i + 1 < stats->options.by_count ? ", "
                                                             : " and ",
                           surety_stats_by_name(stats->by[i]));
}

/* Reads the rows and draws them. */
static surety_status draw_rows(surety_doc *doc, surety_str rows,
                               const surety_chart *chart, surety_buf *out,
                               surety_buf *remarks, surety_error *reterr)
{
    const surety_table_options options = {.size = sizeof(options),
                                          .alloc = out->alloc};
    surety_table *table = NULL;
    surety_status status = surety_doc_read(doc, rows, NULL, reterr);

    if (!status)
        status =
            surety_table_read(surety_doc_root(doc), &options, &table, reterr);
    if (!status)
        status = surety_chart_draw(table, chart, out, remarks, reterr);
    surety_table_free(table);
    return status;
}

surety_status surety_stats_draw(const surety_stats *stats,
                                const surety_chart *chart, surety_buf *out,
                                surety_buf *remarks, surety_error *reterr)
{
    surety_str shares[DRAW_SHARES];
    surety_chart own;
    surety_status status;
    surety_doc *doc;
    surety_buf rows, name;
    size_t left, start;
    bool lines;

    if (!stats || !stats->ended || !out)
        return surety__fail(reterr, SURETY_MISUSE,
                            "statistics that have ended are needed");
    if (!stats->group_count)
        return surety__fail(reterr, SURETY_SYNTAX, "there are no runs to draw");
    if (surety__options_take(&own, sizeof(own), chart, reterr))
        return SURETY_MISUSE;
    for (size_t i = 0; i < DRAW_SHARES; i++)
        shares[i] = surety_str_of(draw_shares[i]);
    own.tones = draw_tones;
    own.tones_count = DRAW_SHARES;
    lines = draw_is_time(stats) && stats->group_count > SURETY_CHART_BARS_MAX;
    own.type = lines ? SURETY_CHART_LINE : SURETY_CHART_BAR;
    own.x = surety_str_of(draw_column(stats));
    own.y = shares;
    own.y_count = DRAW_SHARES;
    own.series = SURETY__LITERAL("");
    start = out->len;
    surety_buf_init(&rows, stats->alloc, 0);
    surety_buf_init(&name, stats->alloc, 0);
    left = draw_put_rows(stats,
                         draw_is_time(stats) ? SIZE_MAX : SURETY_STATS_BARS_MAX,
                         &name, &rows);
    surety_buf_reset(&name);
    if (!own.title.len) {
        draw_put_title(stats, &name);
        own.title = surety_buf_str(&name);
    }
    doc = surety_doc_new(stats->alloc);
    status =
        !doc || rows.status || name.status
            ? surety__fail_nomem(reterr)
            : draw_rows(doc, surety_buf_str(&rows), &own, out, remarks, reterr);
    if (!status && left && remarks)
        surety__buf_printf(remarks,
                           "%zu group%s with fewer runs %s not drawn\n", left,
                           left == 1 ? "" : "s", left == 1 ? "is" : "are");
    if (!status && remarks && remarks->status) {
        out->len = start;
        status = surety__fail_nomem(reterr);
    }
    surety_doc_free(doc);
    surety_buf_done(&name);
    surety_buf_done(&rows);
    return status;
}
