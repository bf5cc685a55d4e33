/* SPDX-License-Identifier: Apache-2.0 */
/* Which columns a chart shows, where nobody says. The kinds of the columns
 * decide: lines go along time, bars compare names, and what is measured is a
 * column of numbers. Of several measures the title picks, by the words that it
 * shares with a column's name and label, so two charts of one table can show
 * two columns. Where rows share a place on the x axis, another column tells
 * them apart, and becomes the series. */
#include "render/render.h"

#include <surety/json.h>

enum { CHOOSE_NAMES_SHOWN = 8 };

/* The column of a name that somebody gave; SIZE_MAX: none, said so. */
static size_t choose_named(const surety_table *table, surety_str name,
                           surety_error *reterr)
{
    const surety__column *column = surety__table_find(table, name);
    surety_buf list;

    if (column)
        return column->index;
    surety__fail(reterr, SURETY_SYNTAX, "the data have no column \"%.*s\"",
                 (int)(name.len > 100 ? 100 : name.len), name.ptr);
    surety_buf_init(&list, table->alloc, 0);
    for (size_t i = 0;
         i < table->columns_count && i < CHOOSE_NAMES_SHOWN && list.len < 150;
         i++) {
        if (i > 0)
            surety_buf_text(&list, ", ");
        surety_buf_add(&list, table->columns[i]->shown.name);
    }
    surety__hint(reterr, "they have %.*s%s", (int)list.len,
                 list.ptr ? list.ptr : "",
                 table->columns_count > CHOOSE_NAMES_SHOWN ? ", ..." : "");
    surety_buf_done(&list);
    return SIZE_MAX;
}

/* The first column of a kind that is none of the y; SIZE_MAX: none. */
static size_t choose_kind(const surety_table *table,
                          const surety__choice *choice, surety_column_kind kind,
                          bool must_vary)
{
    for (size_t i = 0; i < table->columns_count; i++) {
        const surety__column *column = table->columns[i];
        bool is_taken = i == choice->x;
        for (size_t k = 0; k < choice->y_count; k++)
            is_taken |= choice->y[k] == i;
        if (!is_taken && column->shown.kind == kind &&
            (column->varies || !must_vary))
            return i;
    }
    return SIZE_MAX;
}

/* The first of several kinds. */
static size_t choose_kinds(const surety_table *table,
                           const surety__choice *choice,
                           const surety_column_kind *kinds, bool must_vary)
{
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < 3 && found == SIZE_MAX; i++)
        found = choose_kind(table, choice, kinds[i], must_vary);
    return found;
}

static const surety_column_kind choose_bar[] = {
    SURETY_COLUMN_TEXT, SURETY_COLUMN_TIME, SURETY_COLUMN_CODE};
static const surety_column_kind choose_line[] = {
    SURETY_COLUMN_TIME, SURETY_COLUMN_TEXT, SURETY_COLUMN_CODE};

static void choose_x(const surety_table *table, surety_chart_type type,
                     surety__choice *choice)
{
    const surety_column_kind *kinds =
        type == SURETY_CHART_BAR ? choose_bar : choose_line;

    choice->x = choose_kinds(table, choice, kinds, true);
    if (choice->x == SIZE_MAX)
        choice->x = choose_kinds(table, choice, kinds, false);
    for (size_t i = 0; i < table->columns_count && choice->x == SIZE_MAX; i++)
        if (choice->y_count == 0 || choice->y[0] != i)
            choice->x = i;
}

/* ---- what is measured ---------------------------------------------------- */

/* How many words of text stand in title, short ones not counted. */
static unsigned choose_shared(surety_str text, surety_str title)
{
    unsigned count = 0;

    if (title.len > 300)
        title.len = 300;
    if (text.len > 300)
        text.len = 300;
    for (surety_str word; (word = surety__word_next(&text)).len > 0;) {
        surety_str rest = title;
        for (surety_str other;
             word.len > 2 && (other = surety__word_next(&rest)).len > 0;) {
            if (surety__str_equal_nocase(word, other)) {
                count++;
                break;
            }
        }
    }
    return count;
}

/* Whether a name is that of a margin of error beside its estimate: "..._001M",
 * "..._001PM" of the ACS. */
static bool choose_is_margin(surety_str name)
{
    return name.len > 5 && name.ptr[name.len - 1] == 'M' &&
           memchr(name.ptr, '_', name.len) &&
           ((name.ptr[name.len - 2] >= '0' && name.ptr[name.len - 2] <= '9') ||
            name.ptr[name.len - 2] == 'P');
}

static size_t choose_y(const surety_table *table, surety_str title, size_t x)
{
    size_t best = SIZE_MAX;
    unsigned best_score = 0;

    for (size_t i = 0; i < table->columns_count; i++) {
        const surety_column *column = &table->columns[i]->shown;
        unsigned score;
        if (i == x || column->kind != SURETY_COLUMN_NUMBER)
            continue;
        score = 4 * choose_shared(column->label, title) + 2;
        if (!surety_str_equal(column->name, column->label))
            score += 4 * choose_shared(column->name, title);
        if (choose_is_margin(column->name))
            score = score / 2;
        if (score > best_score) {
            best = i;
            best_score = score;
        }
    }
    return best;
}

static surety_status choose_no_number(const surety_table *table,
                                      const surety__choice *choice,
                                      surety_error *reterr)
{
    surety_status status;
    surety_buf list;

    if (table->columns_count < 2) {
        surety__fail(
            reterr, SURETY_SYNTAX,
            "a chart needs two columns, and the data have only \"%.*s\"",
            (int)(table->columns[0]->shown.name.len > 100
                      ? 100
                      : table->columns[0]->shown.name.len),
            table->columns[0]->shown.name.ptr);
        return SURETY_SYNTAX;
    }
    surety_buf_init(&list, table->alloc, 0);
    for (size_t i = 0; i < table->columns_count && list.len < 150; i++) {
        const surety_column *column = &table->columns[i]->shown;
        if (i == choice->x)
            continue;
        if (list.len > 0)
            surety_buf_text(&list, ", ");
        surety_buf_add(&list, column->name);
        surety__buf_printf(&list, " is %s",
                           column->missing == table->rows_count
                               ? "empty"
                               : surety_column_kind_name(column->kind));
    }
    surety__fail(reterr, SURETY_SYNTAX,
                 "the data have no column of numbers to draw: %.*s",
                 (int)list.len, list.ptr ? list.ptr : "");
    status = list.status ? surety__fail_nomem(reterr) : SURETY_SYNTAX;
    surety_buf_done(&list);
    return status;
}

/* ---- what tells rows apart ----------------------------------------------- */

/* How many values a column has that differ, at most max + 1. SURETY_NOMEM. */
static surety_status choose_distinct(surety_table *table, size_t column,
                                     size_t max, size_t *ret_count)
{
    surety__map seen = {0};
    surety_status status = SURETY_OK;
    size_t count = 0;

    for (size_t row = 0; row < table->rows_count && count <= max && !status;
         row++) {
        surety_str text;
        uint64_t hash;
        surety__table_row(table, row);
        text = surety__table_text(table, table->cells[column]);
        /* Two texts in one hash count as one: at worst a series is looked for
         * that is not there. */
        hash = (uint64_t)surety__hash(text.ptr, text.len) + 1;
        hash |= (uint64_t)text.len << 33;
        if (surety__map_get(&seen, hash))
            continue;
        count++;
        if (!surety__map_put(&seen, table->alloc, hash, table))
            status = SURETY_NOMEM;
    }
    surety__map_done(&seen, table->alloc);
    *ret_count = count;
    return status ? status : table->scratch.status;
}

static surety_status choose_series(surety_table *table, surety_chart_type type,
                                   surety__choice *choice, surety_error *reterr)
{
    const surety_column_kind x_kind = table->columns[choice->x]->shown.kind;
    size_t count;

    if (choose_distinct(table, choice->x, table->rows_count, &count))
        return surety__fail_nomem(reterr);
    if (count == table->rows_count)
        return SURETY_OK;
    choice->series = choose_kinds(
        table, choice,
        type == SURETY_CHART_BAR && x_kind != SURETY_COLUMN_TIME ? choose_line
                                                                 : choose_bar,
        true);
    if (type == SURETY_CHART_BAR && choice->series != SIZE_MAX) {
        if (choose_distinct(table, choice->series, SURETY_CHART_SERIES_MAX,
                            &count))
            return surety__fail_nomem(reterr);
        /* So many are no series; names that repeat are bars of their own. */
        if (count > SURETY_CHART_SERIES_MAX)
            choice->series = SIZE_MAX;
    }
    if (choice->series != SIZE_MAX || type == SURETY_CHART_BAR)
        return SURETY_OK;
    surety__fail(reterr, SURETY_SYNTAX,
                 "column \"%.*s\" has a value more than once, and no other "
                 "column tells the lines apart",
                 (int)(table->columns[choice->x]->shown.name.len > 100
                           ? 100
                           : table->columns[choice->x]->shown.name.len),
                 table->columns[choice->x]->shown.name.ptr);
    surety__hint(reterr, "draw bars, or name another column for x");
    return SURETY_SYNTAX;
}

/* ---- all ----------------------------------------------------------------- */

/* What the chart names. */
static surety_status choose_given(const surety_table *table,
                                  const surety_chart *chart,
                                  surety__choice *choice, surety_error *reterr)
{
    if (chart->y_count > SURETY_CHART_SERIES_MAX)
        return surety__fail(reterr, SURETY_LIMIT,
                            "a chart shows at most %d columns, and %zu are "
                            "named",
                            SURETY_CHART_SERIES_MAX, chart->y_count);
    if (chart->y_count > 1 && chart->series.len > 0)
        return surety__fail(reterr, SURETY_SYNTAX,
                            "a chart has several columns of y or one of "
                            "series, not both");
    if (chart->x.len > 0 &&
        (choice->x = choose_named(table, chart->x, reterr)) == SIZE_MAX)
        return SURETY_SYNTAX;
    if (chart->series.len > 0 &&
        (choice->series = choose_named(table, chart->series, reterr)) ==
            SIZE_MAX)
        return SURETY_SYNTAX;
    for (size_t i = 0; i < chart->y_count; i++) {
        choice->y[i] = choose_named(table, chart->y[i], reterr);
        if (choice->y[i] == SIZE_MAX)
            return SURETY_SYNTAX;
        choice->y_count++;
    }
    return SURETY_OK;
}

surety_status surety__chart_choose(surety_table *table,
                                   const surety_chart *chart,
                                   surety__choice *ret_choice,
                                   surety_error *reterr)
{
    surety__choice choice = {.x = SIZE_MAX, .series = SIZE_MAX};
    surety_status status = choose_given(table, chart, &choice, reterr);

    if (status)
        return status;
    if (choice.x == SIZE_MAX)
        choose_x(table, chart->type, &choice);
    if (choice.y_count == 0) {
        choice.y[0] = choose_y(table, chart->title, choice.x);
        if (choice.y[0] == SIZE_MAX)
            return choose_no_number(table, &choice, reterr);
        choice.y_count = 1;
    }
    if (choice.x == SIZE_MAX)
        return choose_no_number(table, &choice, reterr);
    if (choice.y_count == 1 && choice.series == SIZE_MAX)
        status = choose_series(table, chart->type, &choice, reterr);
    if (!status)
        *ret_choice = choice;
    return status;
}
