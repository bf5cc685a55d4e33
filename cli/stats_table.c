/* SPDX-License-Identifier: Apache-2.0 */
/* Writes statistics as tables that fit the terminal: on a narrow one the most
 * important columns stay. Percentages are rounded so that 100% and 0% mean
 * exactly all and none. */
#include "stats_table.h"

#include <assert.h>
#include <string.h>

#include "grid.h"

/* ---- numbers ------------------------------------------------------------- */

/* Appends a number like 1,234,567. */
static void put_count(surety_buf *out, uint64_t number)
{
    char digits[24];
    size_t len = 0;

    do {
        digits[len++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (len-- > 0) {
        surety_buf_byte(out, digits[len]);
        if (len > 0 && len % 3 == 0)
            surety_buf_byte(out, ',');
    }
}

/* Appends a number with at most three digits: 950, 1.2k, 45k, 6.7M. */
static void put_short(surety_buf *out, uint64_t number)
{
    static const char units[] = "kMGTPE";
    double shown = (double)number;
    size_t unit = 0;

    if (number < 1000) {
        surety_buf_number(out, number);
        return;
    }
    for (shown /= 1000; shown >= 999.5 && units[unit + 1]; shown /= 1000)
        unit++;
    put_format(out, shown < 9.95 ? "%.1f%c" : "%.0f%c", shown, units[unit]);
}

/* Appends a percentage. 100% only if part is whole, and 0% only if part is
 * 0. */
static void put_share(surety_buf *out, uint64_t part, uint64_t whole)
{
    const double share = whole ? (double)part * 100.0 / (double)whole : 0.0;

    assert(part <= whole);
    if (!whole)
        surety_buf_byte(out, '-');
    else if (part == whole || part == 0)
        surety_buf_text(out, part ? "100%" : "0%");
    else if (share >= 99.95)
        surety_buf_text(out, "99.9%");
    else
        put_format(out, "%.1f%%", share < 0.1 ? 0.1 : share);
}

/* Appends a duration: 850 ms, 1.2 s, 75 s, 12 min, 3.5 h. */
static void put_duration(surety_buf *out, uint64_t ms)
{
    const double seconds = (double)ms / 1000.0;

    if (ms < 1000)
        put_format(out, "%u ms", (unsigned)ms);
    else if (seconds < 99.5)
        put_format(out, seconds < 9.95 ? "%.1f s" : "%.0f s", seconds);
    else if (seconds < 99.5 * 60)
        put_format(out, "%.0f min", seconds / 60);
    else
        put_format(out, "%.1f h", seconds / 3600);
}

static void put_real(surety_buf *out, double number)
{
    put_format(out, "%.6g", number);
}

/* ---- runs ---------------------------------------------------------------- */

/* ORDER of put_group */
static const struct grid_column numbers[] = {
    {"runs", false, 0},      {"1st try", false, 0}, {"re-asked", false, 0},
    {"not valid", false, 0}, {"calls", false, 4},   {"retries", false, 9},
    {"tokens in", false, 7}, {"out", false, 6},     {"cost", false, 1},
    {"a value", false, 5},   {"median", false, 2},  {"p95", false, 3},
};
enum { NUMBERS = COUNT_OF(numbers) };

static void end_duration(struct grid *grid, const surety_stats_group *group,
                         uint64_t ms)
{
    if (group->answered)
        put_duration(&grid->text, ms);
    else
        surety_buf_byte(&grid->text, '-');
    grid_end(grid);
}

/* Ends a cell with an amount of money; with "+" if a part of it is not
 * known. */
static void end_money(struct grid *grid, const surety_stats_group *group,
                      bool is_there, uint64_t picousd)
{
    if (group->cost_unknown && !group->cost_picousd) {
        surety_buf_byte(&grid->text, '?');
    } else if (!is_there) {
        surety_buf_byte(&grid->text, '-');
    } else {
        surety_buf_byte(&grid->text, '$');
        surety_dollars_write(picousd, true, &grid->text);
    }
    if (is_there && group->cost_unknown && picousd)
        surety_buf_byte(&grid->text, '+');
    grid_end(grid);
}

static void end_tokens(struct grid *grid, const surety_stats_group *group,
                       uint64_t tokens)
{
    if (group->tokens_unknown && !tokens) {
        surety_buf_byte(&grid->text, '?');
    } else {
        put_short(&grid->text, tokens);
        surety_buf_text(&grid->text, group->tokens_unknown ? "+" : "");
    }
    grid_end(grid);
}

static void end_count(struct grid *grid, uint64_t count)
{
    put_count(&grid->text, count);
    grid_end(grid);
}

static void end_share(struct grid *grid, uint64_t part, uint64_t whole)
{
    put_share(&grid->text, part, whole);
    grid_end(grid);
}

static void put_group(struct grid *grid, const surety_stats_group *group)
{
    const uint64_t valid = group->ended[SURETY_ENDED_VALID];
    const uint64_t cost = group->value_cost_picousd;
    const bool has_cost = group->value_cost_known;

    assert(group->first <= valid && valid <= group->runs);
    end_count(grid, group->runs);
    end_share(grid, group->first, group->runs);
    end_share(grid, valid - group->first, group->runs);
    end_share(grid, group->runs - valid, group->runs);
    end_count(grid, group->calls);
    end_count(grid, group->retries);
    end_tokens(grid, group, group->input_tokens);
    end_tokens(grid, group, group->output_tokens);
    end_money(grid, group, true, group->cost_picousd);
    end_money(grid, group, has_cost, cost);
    end_duration(grid, group, group->median_ms);
    end_duration(grid, group, group->p95_ms);
}

static void put_key(struct grid *grid, surety_str key)
{
    grid_text(grid, key.len > 0 ? key : surety_str_of("(none)"));
}

/* Appends "3 rejected, 1 refused", or nothing. */
static void put_endings(const struct stats_table *table,
                        const surety_stats_group *total)
{
    static const char *const words[SURETY_ENDINGS] = {
        [SURETY_ENDED_PARTIAL] = "gave a part",
        [SURETY_ENDED_FALLBACK] = "fell back",
        [SURETY_ENDED_REJECTED] = "rejected",
        [SURETY_ENDED_REFUSED] = "refused",
        [SURETY_ENDED_PROVIDER] = "got no reply",
        [SURETY_ENDED_CANCELLED] = "cancelled",
        [SURETY_ENDED_ABANDONED] = "abandoned (their process ended)",
        [SURETY_ENDED_OPEN] = "under way",
        [SURETY_ENDED_VALIDATOR] = "not judged (a validator failed)"};
    const char *before = "Not valid: ";

    for (size_t i = SURETY_ENDED_PARTIAL; i < SURETY_ENDINGS; i++) {
        if (!total->ended[i])
            continue;
        surety_buf_text(table->out, before);
        put_count(table->out, total->ended[i]);
        put_format(table->out, " %s", words[i]);
        before = ", ";
    }
    surety_buf_text(table->out, before[0] == ',' ? ".\n" : "");
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* Writes notes: numbers for which the table has no room, and the meaning of its
 * marks. */
static void put_notes(const struct stats_table *table,
                      const surety_stats_group *total)
{
    surety_buf *out = table->out;

    put_endings(table, total);
    if (total->again[1] || total->again[2]) {
        surety_buf_text(out, "Valid after re-asks: ");
        put_count(out, total->again[0]);
        surety_buf_text(out, " at the 2nd try, ");
        put_count(out, total->again[1]);
        surety_buf_text(out, " at the 3rd, ");
        put_count(out, total->again[2]);
        surety_buf_text(out, " later.\n");
    }
    if (total->stopped) {
        surety_buf_text(out, "Stopped while the reply came: ");
        put_count(out, total->stopped);
        put_format(out, " call%s, which saved ", plural(total->stopped));
        if (total->saved_unknown < total->stopped) {
            surety_buf_text(out, "at most ");
            put_short(out, total->saved_tokens);
            put_format(out, " token%s%s.\n", plural(total->saved_tokens),
                       total->saved_unknown ? ", as far as is known" : "");
        } else {
            surety_buf_text(out, "an unknown number of tokens.\n");
        }
    }
    if (total->cost_unknown) {
        surety_buf_text(out, "+ and ?: ");
        put_count(out, total->cost_unknown);
        put_format(out, " call%s without a known cost.\n",
                   plural(total->cost_unknown));
    }
}

static void put_runs(const struct stats_table *table)
{
    const size_t groups = table->info->group_count;
    const size_t by_count = table->info->by_count;
    const surety_stats_group *total = table->info->total;
    struct grid_column columns[SURETY_BYS + NUMBERS];
    struct grid grid;

    for (size_t i = 0; i < by_count; i++)
        columns[i] = (struct grid_column){
            surety_stats_by_name(table->info->by[i]), true, 0};
    memcpy(columns + by_count, numbers, sizeof(numbers));
    grid_init(&grid, columns, by_count + NUMBERS);
    for (size_t i = 0; i < groups; i++) {
        const surety_stats_group group = surety_stats_group_at(table->stats, i);

        for (size_t at = 0; at < by_count; at++)
            put_key(&grid, group.keys[at]);
        put_group(&grid, &group);
    }
    if (groups > 1) {
        for (size_t at = 0; at < by_count; at++)
            grid_text(&grid, surety_str_of(at ? "" : "all"));
        put_group(&grid, total);
    }
    grid_write(&grid, table->width, table->color, groups > 1, table->out);
    grid_done(&grid);
    put_notes(table, total);
    if (table->info->tool_calls) {
        put_count(table->out, table->info->tool_calls);
        put_format(table->out, " call%s of tools, ",
                   plural(table->info->tool_calls));
        put_count(table->out, table->info->tool_failed);
        surety_buf_text(table->out, " without a result.\n");
    }
}

/* ---- errors and repairs -------------------------------------------------- */

static void put_heading(const struct stats_table *table, const char *text)
{
    put_format(table->out, table->color ? "\n\x1B[1m%s\x1B[0m\n" : "\n%s\n",
               text);
}

static void put_left(const struct stats_table *table, size_t more,
                     uint64_t left)
{
    if (more > 0) {
        put_format(table->out, "and %zu more (--top)\n", more);
    }
    if (left > 0) {
        surety_buf_text(table->out, "and others in ");
        put_count(table->out, left);
        surety_buf_text(table->out, " replies\n");
    }
}

static void put_issues(const struct stats_table *table, bool repairs)
{
    const struct grid_column columns[] = {
        {"replies", false, 0},
        {"runs", false, 2},
        {repairs ? "valid" : "corrected", false, 0},
        {repairs ? "kind" : "keyword", true, 0},
        {"path", true, 0},
        {"contract", true, 1},
    };
    const surety_stats *stats = table->stats;
    const size_t count =
        repairs ? table->info->repair_count : table->info->error_count;
    const size_t shown = count < table->top ? count : table->top;
    struct grid grid;

    if (count == 0)
        return;
    put_heading(table, repairs ? "What was repaired" : "What fails most");
    grid_init(&grid, columns, COUNT_OF(columns));
    for (size_t i = 0; i < shown; i++) {
        const surety_stats_issue issue = repairs
                                             ? surety_stats_repair_at(stats, i)
                                             : surety_stats_error_at(stats, i);

        end_count(&grid, issue.replies);
        end_count(&grid, issue.runs);
        end_share(&grid, issue.valid, issue.runs);
        grid_text(&grid, issue.kind);
        grid_text(&grid, issue.path.len > 0 ? issue.path
                         : repairs          ? surety_str_of("(the text)")
                                            : surety_str_of("(the root)"));
        put_key(&grid, issue.contract);
    }
    grid_write(&grid, table->width, table->color, false, table->out);
    grid_done(&grid);
    put_left(table, count - shown,
             repairs ? table->info->repairs_left : table->info->errors_left);
}

/* ---- coverage ------------------------------------------------------------ */

/* NUMBER_MAX: the room for a count, with a margin. */
enum { COVER_INDENT = 6, NUMBER_MAX = 32 };

/* A list that is wrapped between its items. */
struct list {
    surety_buf *out;
    size_t at, width;
    bool is_begun;
};

static void list_begin(struct list *list, const char *text)
{
    surety_buf_text(list->out, *text ? "    " : "   ");
    surety_buf_text(list->out, text);
    list->at = *text ? 4 + strlen(text) : 3;
    list->is_begun = false;
}

/* Appends an item with its count; 0: without a count. */
static void list_put(struct list *list, surety_str text, uint64_t count)
{
    surety_buf item, number;
    size_t width, most;

    assert(list->width > COVER_INDENT + NUMBER_MAX);
    surety_buf_init(&item, NULL, 0);
    surety_buf_init(&number, NULL, 0);
    width = grid_put_safe(&item, text.len > 0 ? text : surety_str_of("\"\""));
    if (count > 0) {
        surety_buf_byte(&number, ' ');
        put_count(&number, count);
    }
    surety_buf_text(list->out, list->is_begun ? "," : "");
    /* An item that is longer than a line is shortened. */
    most = list->width - COVER_INDENT - NUMBER_MAX;
    width = width < most ? width : most;
    if (list->is_begun && list->at + 3 + width + number.len > list->width) {
        put_format(list->out, "\n%*s", COVER_INDENT, "");
        list->at = COVER_INDENT;
    } else {
        surety_buf_byte(list->out, ' ');
        list->at++;
    }
    list->at += grid_put_cut(list->out, surety_buf_str(&item), width);
    surety_buf_add(list->out, surety_buf_str(&number));
    list->at += number.len + 1;
    list->is_begun = true;
    surety_buf_done(&item);
    surety_buf_done(&number);
}

/* Appends "sum 45, mean 1.5, from 0 to 3". */
static void put_cover_numbers(const struct stats_table *table,
                              const surety_stats_cover *cover)
{
    if (!cover->numbers)
        return;
    surety_buf_text(table->out, "    sum ");
    put_real(table->out, cover->sum);
    surety_buf_text(table->out, ", mean ");
    put_real(table->out, cover->sum / (double)cover->numbers);
    surety_buf_text(table->out, ", from ");
    put_real(table->out, cover->min);
    surety_buf_text(table->out, " to ");
    put_real(table->out, cover->max);
    surety_buf_text(table->out, ", of ");
    put_count(table->out, cover->numbers);
    put_format(table->out, " number%s\n", plural(cover->numbers));
}

static void put_cover_others(const struct stats_table *table,
                             const surety_stats_cover *cover)
{
    const struct {
        const char *name;
        uint64_t count;
    } others[] = {{"true", cover->trues},
                  {"false", cover->falses},
                  {"null", cover->nulls},
                  {"objects", cover->others},
                  {"other texts", cover->left}};
    struct list list = {.out = table->out, .width = table->width};

    for (size_t i = 0; i < COUNT_OF(others); i++) {
        if (!others[i].count)
            continue;
        if (!list.is_begun)
            list_begin(&list, cover->values ? "besides:" : "");
        list_put(&list, surety_str_of(others[i].name), others[i].count);
    }
    surety_buf_text(table->out, list.is_begun ? "\n" : "");
}

static void put_cover_values(const struct stats_table *table, size_t at,
                             const surety_stats_cover *cover)
{
    const size_t shown =
        cover->values < table->top ? cover->values : table->top;
    struct list list = {.out = table->out, .width = table->width};

    if (shown > 0) {
        list_begin(&list, "");
        for (size_t i = 0; i < shown; i++) {
            const surety_stats_value value =
                surety_stats_value_at(table->stats, at, i);

            list_put(&list, value.text, value.replies);
        }
        if (cover->values > shown)
            put_format(table->out, ", and %zu more", cover->values - shown);
        surety_buf_byte(table->out, '\n');
    }
    if (cover->reached == cover->expected)
        return;
    list_begin(&list, "not reached:");
    for (size_t i = 0; i < cover->expected - cover->reached; i++)
        list_put(
            &list,
            surety_stats_value_at(table->stats, at, cover->values + i).text, 0);
    surety_buf_byte(table->out, '\n');
}

static void put_cover(const struct stats_table *table, size_t at)
{
    const surety_stats_cover cover = surety_stats_cover_at(table->stats, at);

    surety_buf_text(table->out, "  ");
    grid_put_safe(table->out, cover.member);
    surety_buf_text(table->out, ": in ");
    put_count(table->out, cover.replies);
    put_format(table->out, " repl%s", cover.replies == 1 ? "y" : "ies");
    if (cover.values || cover.expected) {
        surety_buf_text(table->out, ", ");
        put_count(table->out, cover.values);
        put_format(table->out, " value%s", plural(cover.values));
    }
    if (cover.expected) {
        surety_buf_text(table->out, ", ");
        put_share(table->out, cover.reached, cover.expected);
        put_format(table->out, " of %zu expected", cover.expected);
    }
    surety_buf_byte(table->out, '\n');
    put_cover_values(table, at, &cover);
    put_cover_numbers(table, &cover);
    put_cover_others(table, &cover);
}

/* Writes a text, indented and wrapped between words. */
static void put_wrapped(const struct stats_table *table, surety_str text)
{
    size_t at = table->width;

    while (text.len > 0) {
        const char *blank = memchr(text.ptr, ' ', text.len);
        const size_t len = blank ? (size_t)(blank - text.ptr) : text.len;

        if (at + 1 + len > table->width) {
            surety_buf_text(table->out, at < table->width ? "\n " : " ");
            at = 1;
        }
        surety_buf_byte(table->out, ' ');
        surety_buf_append(table->out, text.ptr, len);
        at += 1 + len;
        text.ptr += len + (blank != NULL);
        text.len -= len + (blank != NULL);
    }
    surety_buf_byte(table->out, '\n');
}

/* Writes which valid replies do not count here, and what to do about it. */
static void put_cover_notes(const struct stats_table *table)
{
    const surety_stats_replies *replies = table->info->replies;
    const struct {
        uint64_t count;
        const char *what;
    } notes[] = {
        {replies->not_kept, "not kept (surety run --ledger-raw, or \"raw\" in "
                            "surety.json, keeps them)"},
        {replies->patches, "only a patch of the reply before"},
        {replies->unknown, "of a contract that is not found here (name its "
                           "file with -c)"},
        {replies->unfit, "not valid by the contract of today"}};
    surety_buf line;

    surety_buf_init(&line, NULL, 0);
    for (size_t i = 0; i < COUNT_OF(notes); i++) {
        if (!notes[i].count)
            continue;
        surety_buf_reset(&line);
        put_count(&line, notes[i].count);
        put_format(&line, " valid repl%s %s", notes[i].count == 1 ? "y" : "ies",
                   notes[i].what);
        put_wrapped(table, surety_buf_str(&line));
    }
    surety_buf_done(&line);
}

static void put_coverage(const struct stats_table *table)
{
    const surety_stats_replies *replies = table->info->replies;
    const size_t count = table->info->cover_count;
    surety_str before = {NULL, 0};

    /* If no contract has derived members, there is nothing to show. */
    if (count == 0 && replies->not_kept == 0 && replies->unfit == 0 &&
        replies->patches == 0)
        return;
    put_heading(table, "What valid replies cover");
    for (size_t i = 0; i < count; i++) {
        const surety_stats_cover cover = surety_stats_cover_at(table->stats, i);

        if (i == 0 || !surety_str_equal(before, cover.contract)) {
            grid_put_safe(table->out, cover.contract);
            surety_buf_byte(table->out, '\n');
        }
        before = cover.contract;
        put_cover(table, i);
    }
    put_cover_notes(table);
}

/* ---- all sections -------------------------------------------------------- */

void stats_table_write(const struct stats_table *table)
{
    const size_t start = table->out->len;

    if (table->sections & SURETY_STATS_RUNS)
        put_runs(table);
    if (table->sections & SURETY_STATS_ERRORS)
        put_issues(table, false);
    if (table->sections & SURETY_STATS_REPAIRS)
        put_issues(table, true);
    if (table->sections & SURETY_STATS_COVERAGE)
        put_coverage(table);
    /* Without the runs the first heading needs no empty line before it. */
    if (table->out->len > start && table->out->ptr[start] == '\n') {
        memmove(table->out->ptr + start, table->out->ptr + start + 1,
                table->out->len - start - 1);
        table->out->len--;
    }
}
