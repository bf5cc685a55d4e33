/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the columns that a chart shows, where the chart does not name them.
 *
 * 1. The kinds of the columns decide: lines follow time, bars compare names,
 *    and a column of numbers is the measure.
 * 2. Of several measures the title decides, by the words that it shares with a
 *    column's name and label. So two charts of one table can show two columns.
 * 3. Where rows share a place on the x axis, another column distinguishes them
 *    and becomes the series. */
#include "render/render.h"

#include <assert.h>
#include <surety/json.h>

enum { CHOOSE_NAMES_SHOWN = 8 };

/* The index of the column with a name that the chart gives. SIZE_MAX: there is
 * none, and the error is filled in. */
static size_t choose_named(const surety__table *table, surety_str name,
                           surety_error *reterr)
{
    const surety__column *column = surety__table_find(table, name);
    size_t count = 0;
    surety_buf list;

    if (column)
        return column->index;
    surety__fail(reterr, SURETY_SYNTAX, "the data have no column \"%.*s\"",
                 (int)surety__utf8_cut(name, 100), name.ptr);
    surety_buf_init(&list, table->alloc, 0);
    for (; count < table->columns_count && count < CHOOSE_NAMES_SHOWN &&
           list.len < 150;
         count++) {
        if (count > 0)
            surety_buf_text(&list, ", ");
        surety_buf_add(&list, table->columns[count]->name);
    }
    surety__hint(reterr, "they have %.*s%s", (int)list.len,
                 list.ptr ? list.ptr : "",
                 count < table->columns_count ? ", ..." : "");
    surety_buf_done(&list);
    return SIZE_MAX;
}

/* The first column of a kind that is neither x nor one of y; SIZE_MAX: none.
 * must_vary skips columns with only one value. */
static size_t choose_kind(const surety__table *table,
                          const surety__choice *choice,
                          surety__column_kind kind, bool must_vary)
{
    for (size_t i = 0; i < table->columns_count; i++) {
        const surety__column *column = table->columns[i];
        bool is_taken = i == choice->x;
        for (size_t k = 0; k < choice->y_count; k++)
            is_taken |= choice->y[k] == i;
        if (!is_taken && column->kind == kind && (column->varies || !must_vary))
            return i;
    }
    return SIZE_MAX;
}

/* The first column of the first of three kinds that has one. */
static size_t choose_kinds(const surety__table *table,
                           const surety__choice *choice,
                           const surety__column_kind *kinds, bool must_vary)
{
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < 3 && found == SIZE_MAX; i++)
        found = choose_kind(table, choice, kinds[i], must_vary);
    return found;
}

static const surety__column_kind choose_bar[] = {
    SURETY__COLUMN_TEXT, SURETY__COLUMN_TIME, SURETY__COLUMN_CODE};
static const surety__column_kind choose_line[] = {
    SURETY__COLUMN_TIME, SURETY__COLUMN_TEXT, SURETY__COLUMN_CODE};

static void choose_x(const surety__table *table, surety__chart_type type,
                     surety__choice *choice)
{
    const surety__column_kind *kinds =
        type == SURETY__CHART_BAR ? choose_bar : choose_line;

    choice->x = choose_kinds(table, choice, kinds, true);
    if (choice->x == SIZE_MAX)
        choice->x = choose_kinds(table, choice, kinds, false);
    for (size_t i = 0; i < table->columns_count && choice->x == SIZE_MAX; i++)
        if (choice->y_count == 0 || choice->y[0] != i)
            choice->x = i;
}

/* ---- measures ------------------------------------------------------------ */

unsigned surety__words_shared(surety_str text, surety_str title)
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

/* Whether the name is that of a margin of error, as the ACS places beside an
 * estimate: "..._001M", "..._001PM". */
static bool choose_is_margin(surety_str name)
{
    return name.len > 5 && name.ptr[name.len - 1] == 'M' &&
           memchr(name.ptr, '_', name.len) &&
           (surety__is_digit(name.ptr[name.len - 2]) ||
            name.ptr[name.len - 2] == 'P');
}

/* Scores a name against the title: 4 for each shared word, and 1 more if all
 * its words are in the title. So the title "Pay" prefers "pay" to "net pay". */
static unsigned choose_words(surety_str name, surety_str title)
{
    const unsigned shared = surety__words_shared(name, title);

    return 4 * shared +
           (shared > 0 && shared == surety__words_shared(name, name));
}

/* Scores a column against the title; 0: it is no column of numbers. */
static unsigned choose_score(const surety__table *table, surety_str title,
                             size_t i)
{
    const surety__column *column = table->columns[i];
    unsigned score;

    if (column->kind != SURETY__COLUMN_NUMBER)
        return 0;
    score = choose_words(column->label, title) + 2;
    if (!surety_str_equal(column->name, column->label))
        score += choose_words(column->name, title);
    return choose_is_margin(column->name) ? score / 2 : score;
}

/* Whether the title has every word of a column's label or name, and at least
 * one of these words is in no label of the columns already chosen. */
static bool choose_is_named(const surety__table *table, surety_str title,
                            const surety__choice *choice, size_t i)
{
    const surety__column *column = table->columns[i];
    const surety_str texts[] = {column->label, column->name};
    bool is_named = false;

    for (size_t k = 0; k < 2 && !is_named; k++) {
        surety_str rest = texts[k];
        bool has_all = true;
        bool has_own = false;
        for (surety_str word; (word = surety__word_next(&rest)).len > 0;) {
            bool is_shared = word.len < 3;
            for (size_t y = 0; y < choice->y_count; y++)
                is_shared |= surety__words_shared(
                                 word, table->columns[choice->y[y]]->label) > 0;
            has_own |= !is_shared;
            has_all &= word.len < 3 || surety__words_shared(word, title) > 0;
        }
        is_named = has_all && has_own;
    }
    return is_named;
}

/* Chooses the column of numbers that fits the title best, and further ones that
 * the title names word for word: "Calls and errors". */
static void choose_y(const surety__table *table, surety_str title,
                     surety__choice *choice)
{
    unsigned best = 0;

    for (size_t i = 0; i < table->columns_count; i++) {
        const unsigned score =
            i == choice->x ? 0 : choose_score(table, title, i);
        if (score > best) {
            choice->y[0] = i;
            choice->y_count = 1;
            best = score;
        }
    }
    for (size_t i = 0;
         i < table->columns_count && best > 2 && choice->series == SIZE_MAX &&
         choice->y_count < SURETY_CHART_SERIES_MAX;
         i++)
        if (i != choice->x && i != choice->y[0] &&
            table->columns[i]->kind == SURETY__COLUMN_NUMBER &&
            choose_is_named(table, title, choice, i))
            choice->y[choice->y_count++] = i;
}

static surety_status choose_no_number(const surety__table *table,
                                      const surety__choice *choice,
                                      surety_error *reterr)
{
    surety_status status;
    surety_buf list;

    if (table->columns_count < 2)
        return surety__fail(
            reterr, SURETY_SYNTAX,
            "a chart needs two columns, and the data have only \"%.*s\"",
            (int)surety__utf8_cut(table->columns[0]->name, 100),
            table->columns[0]->name.ptr);
    surety_buf_init(&list, table->alloc, 0);
    for (size_t i = 0; i < table->columns_count && list.len < 150; i++) {
        const surety__column *column = table->columns[i];
        if (i == choice->x)
            continue;
        if (list.len > 0)
            surety_buf_text(&list, ", ");
        surety_buf_add(&list, column->name);
        surety__buf_printf(&list, " is %s",
                           column->missing == table->rows_count
                               ? "empty"
                               : surety__column_kind_name(column->kind));
    }
    surety__fail(reterr, SURETY_SYNTAX,
                 "the data have no column of numbers to draw: %.*s",
                 (int)list.len, list.ptr ? list.ptr : "");
    status = list.status ? SURETY_NOMEM : SURETY_SYNTAX;
    surety_buf_done(&list);
    return status;
}

/* ---- series -------------------------------------------------------------- */

/* Counts the distinct values of a column, up to max + 1. SURETY_NOMEM. */
static surety_status choose_distinct(surety__table *table, size_t column,
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
        /* Two texts with one hash would count as one. With 32 bits that becomes
         * likely at the number of rows that a chart may have. So 64 bits are
         * used. */
        hash = (uint64_t)surety__hash(text.ptr, text.len) + 1;
        if (text.len > 0)
            hash += (uint64_t)surety__hash(text.ptr + 1, text.len - 1) << 32;
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

/* Handles more series of bars than a reader can distinguish. Swaps x and series
 * if that helps and the chart does not name x; otherwise gives each bar the
 * names of both. */
static surety_status choose_series_fit(surety__table *table, size_t places,
                                       surety__choice *choice)
{
    const size_t series = choice->series;
    size_t count;

    if (choose_distinct(table, series, SURETY_CHART_SERIES_MAX, &count))
        return SURETY_NOMEM;
    if (count <= SURETY_CHART_SERIES_MAX)
        return SURETY_OK;
    if (places <= SURETY_CHART_SERIES_MAX && !choice->is_x_given) {
        choice->series = choice->x;
        choice->x = series;
    } else {
        choice->series = SIZE_MAX;
        choice->beside = series;
    }
    return SURETY_OK;
}

static surety_status choose_series(surety__table *table,
                                   surety__chart_type type,
                                   surety__choice *choice, surety_error *reterr)
{
    const surety__column_kind x_kind = table->columns[choice->x]->kind;
    size_t places;

    if (choose_distinct(table, choice->x, table->rows_count, &places))
        return SURETY_NOMEM;
    if (places == table->rows_count)
        return SURETY_OK;
    choice->series = choose_kinds(
        table, choice,
        type == SURETY__CHART_BAR && x_kind != SURETY__COLUMN_TIME ? choose_line
                                                                   : choose_bar,
        true);
    if (type == SURETY__CHART_BAR && choice->series != SIZE_MAX)
        return choose_series_fit(table, places, choice);
    if (choice->series != SIZE_MAX || type == SURETY__CHART_BAR)
        return SURETY_OK;
    surety__fail(reterr, SURETY_SYNTAX,
                 "column \"%.*s\" has a value more than once, and no other "
                 "column separates the lines",
                 (int)surety__utf8_cut(table->columns[choice->x]->name, 100),
                 table->columns[choice->x]->name.ptr);
    surety__hint(reterr, "draw bars, or name another column for x");
    return SURETY_SYNTAX;
}

/* ---- columns that are times ---------------------------------------------- */

/* Whether the values of a column have an order of their own: times, numbers,
 * months without a year. */
static bool choose_is_ordered(const surety__table *table, size_t i)
{
    const surety__column *column = table->columns[i];

    return column->kind == SURETY__COLUMN_TIME ||
           column->kind == SURETY__COLUMN_NUMBER ||
           column->parts == table->rows_count - column->missing;
}

static bool choose_is_across(const surety__wide *wide, size_t column)
{
    for (size_t i = 0; i < wide->count; i++)
        if (wide->columns[i] == column)
            return true;
    return false;
}

/* The column to combine with the columns of times: its values are x where each
 * time is a series, and the names of the series where each row is one.
 * SIZE_MAX: none. */
static size_t choose_beside(const surety__table *table, surety__chart_type type,
                            const surety__wide *wide)
{
    const surety__column_kind *kinds =
        type == SURETY__CHART_BAR ? choose_bar : choose_line;

    for (size_t pass = 0; pass < 8; pass++) {
        const surety__column_kind kind =
            pass % 4 < 3 ? kinds[pass % 4] : SURETY__COLUMN_NUMBER;
        for (size_t i = 0; i < table->columns_count; i++)
            if (!choose_is_across(wide, i) && table->columns[i]->kind == kind &&
                (table->columns[i]->varies || pass >= 4))
                return i;
    }
    return SIZE_MAX;
}

/* The only column of times that the title names; SIZE_MAX: none, or several. */
static size_t choose_one_time(const surety__table *table, surety_str title,
                              const surety__wide *wide)
{
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < wide->count; i++) {
        surety__moment moment;
        const surety_str time =
            surety__wide_time(table->columns[wide->columns[i]], &moment);
        if (surety__words_shared(time, title) == 0)
            continue;
        if (found != SIZE_MAX)
            return SIZE_MAX;
        found = wide->columns[i];
    }
    return found;
}

/* Whether the title fits a measure that is no column of times better. */
static bool choose_is_other(const surety__table *table, surety_str title,
                            const surety__wide *wide)
{
    unsigned best = 0;
    unsigned best_other = 0;

    for (size_t i = 0; i < table->columns_count; i++) {
        const unsigned score = choose_score(table, title, i);
        unsigned *most = choose_is_across(wide, i) ? &best : &best_other;
        *most = score > *most ? score : *most;
    }
    return best_other > best;
}

static surety_status choose_too_wide(const surety__table *table,
                                     const surety__wide *wide,
                                     surety_error *reterr)
{
    const surety_str first = table->columns[wide->columns[0]]->name;

    surety__fail(reterr, SURETY_LIMIT,
                 "%zu columns are times (\"%.*s\", ...), and a chart shows at "
                 "most %d series",
                 wide->count, (int)surety__utf8_cut(first, 60), first.ptr,
                 SURETY_CHART_SERIES_MAX);
    surety__hint(reterr, "draw lines, or name up to %d of them as y",
                 SURETY_CHART_SERIES_MAX);
    return SURETY_LIMIT;
}

/* Decides what columns of times become. For lines, they are places with a
 * series for each row if rows have names, otherwise a series each. For bars,
 * the only one that the title names is y; otherwise they are a series each, or
 * places if they are too many for that. */
static surety_status choose_wide(const surety__table *table,
                                 const surety__chart *chart,
                                 surety__arena *arena, surety__choice *choice,
                                 surety_error *reterr)
{
    const bool is_line = chart->type == SURETY__CHART_LINE;
    surety__wide wide;
    size_t beside;
    bool is_across;

    if (chart->series.len > 0 && !is_line)
        return SURETY_OK;
    if (surety__wide_find(table, chart->title, arena, &wide))
        return SURETY_NOMEM;
    if (wide.count == 0 || choose_is_other(table, chart->title, &wide))
        return SURETY_OK;
    beside = choice->x != SIZE_MAX ? choice->x
             : choice->series != SIZE_MAX
                 ? choice->series
                 : choose_beside(table, chart->type, &wide);
    if (!is_line) {
        choice->y[0] = choose_one_time(table, chart->title, &wide);
        choice->y_count = choice->y[0] != SIZE_MAX;
        if (choice->y_count > 0)
            return SURETY_OK;
    }
    is_across = is_line ? choice->series != SIZE_MAX || beside == SIZE_MAX ||
                              !choose_is_ordered(table, beside)
                        : wide.count > SURETY_CHART_SERIES_MAX &&
                              table->rows_count <= SURETY_CHART_SERIES_MAX;
    choice->is_one_measure = true;
    choice->y = wide.columns;
    choice->y_count = wide.count;
    if (choice->x == SIZE_MAX && (is_across || beside == SIZE_MAX)) {
        choice->across = wide;
        choice->series = beside;
        return SURETY_OK;
    }
    choice->x = beside;
    return wide.count > SURETY_CHART_SERIES_MAX
               ? choose_too_wide(table, &wide, reterr)
               : SURETY_OK;
}

/* ---- the choice ---------------------------------------------------------- */

/* Looks up the columns that the chart names. */
static surety_status choose_given(const surety__table *table,
                                  const surety__chart *chart,
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

surety_status surety__chart_choose(surety__table *table,
                                   const surety__chart *chart,
                                   surety__arena *arena,
                                   surety__choice *ret_choice,
                                   surety_error *reterr)
{
    surety__choice choice = {
        .x = SIZE_MAX,
        .series = SIZE_MAX,
        .beside = SIZE_MAX,
        .y = surety__arena_take(arena,
                                SURETY_CHART_SERIES_MAX * sizeof(*choice.y))};
    surety_status status =
        choice.y ? choose_given(table, chart, &choice, reterr) : SURETY_NOMEM;

    choice.is_x_given = choice.x != SIZE_MAX;
    assert(status || choice.y_count <= SURETY_CHART_SERIES_MAX);
    if (!status && choice.y_count == 0)
        status = choose_wide(table, chart, arena, &choice, reterr);
    if (status)
        return status;
    if (choice.across.count > 0) {
        *ret_choice = choice;
        return SURETY_OK;
    }
    if (choice.x == SIZE_MAX)
        choose_x(table, chart->type, &choice);
    if (choice.y_count == 0)
        choose_y(table, chart->title, &choice);
    if (choice.y_count == 0 || choice.x == SIZE_MAX)
        return choose_no_number(table, &choice, reterr);
    if (choice.y_count == 1 && choice.series == SIZE_MAX)
        status = choose_series(table, chart->type, &choice, reterr);
    if (!status)
        *ret_choice = choice;
    return status;
}
