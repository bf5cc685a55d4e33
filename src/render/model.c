/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the data of a chart out of a table: places along x, series, and for
 * each pair of them a number or a gap.
 *
 * 1. Every fault of the data is found here, before anything is drawn.
 * 2. A missing value is a gap and never a zero. A value that is no number among
 *    numbers is a gap too, and is reported.
 * 3. Numbers are divided by a power of ten, so no arithmetic of the drawing
 *    overflows. */
#include "render/render.h"

#include <assert.h>
#include <math.h>

#include <surety/json.h>

/* MODEL_PAIRS_MAX limits the pairs of place and series: a table with a series
 * for each row would need rows * rows of them. */
enum {
    MODEL_PAIRS_MAX = 2000000,
    MODEL_TEXT_MAX = 200,
    MODEL_NAMES_MAX = 6, /* columns that a note names */
    MODEL_NAME_MAX = 40
};

struct model_reader {
    surety__table *table;
    const surety__chart *chart;
    surety__model *model;
    surety__choice choice;
    const surety__column *x; /* NULL: columns are the places */
    surety__map places;
    surety__map series;
    /* The index of the place of each row, or of each column where the columns
     * are the places; SIZE_MAX: no place. */
    size_t *spots;
    size_t spots_count;
    size_t *row_series; /* the index of the series of each row */
    int32_t shift;      /* seconds from UTC to the local time shown */
    struct model_odd {
        size_t count;
        size_t row; /* the first such row, from 1 */
        surety_str text;
    } odd, unplaced; /* values that are no numbers; rows without a place */
    size_t joined;
    surety_error *reterr;
};

/* Copies a text into the model's arena, cleaned for one line of a picture. ptr
 * NULL: out of memory. */
static surety_str model_text(struct model_reader *reader, surety_str text)
{
    surety_buf clean;

    surety_buf_init(&clean, reader->table->alloc, 0);
    surety__line_clean(text, MODEL_TEXT_MAX, &clean);
    return surety__arena_buf(&reader->model->arena, &clean);
}

/* ---- places -------------------------------------------------------------- */

/* Finds the place or series of a key, or adds one with the text as it is shown.
 * Where is_shared is false, always adds one. NULL: out of memory. */
static surety__place *model_spot(struct model_reader *reader, bool is_series,
                                 surety_str key, surety_str text,
                                 bool is_shared)
{
    surety__model *model = reader->model;
    const surety_alloc *alloc = reader->table->alloc;
    surety__map *map = is_series ? &reader->series : &reader->places;
    surety__place ***list = is_series ? &model->series : &model->places;
    size_t *count = is_series ? &model->series_count : &model->places_count;
    size_t *cap = is_series ? &model->series_cap : &model->places_cap;
    const uint64_t hash = (uint64_t)surety__hash(key.ptr, key.len) + 1;
    surety__place *place = is_shared ? surety__map_get(map, hash) : NULL;

    while (place && !surety_str_equal(place->key, key))
        place = place->next;
    if (place)
        return place;
    place = surety__arena_take(&model->arena, sizeof(*place));
    if (!place || surety__grow(alloc, list, cap, *count + 1, sizeof(**list),
                               SURETY_TABLE_ROWS_MAX))
        return NULL;
    place->key = surety__arena_text(&model->arena, key);
    place->text = model_text(reader, text);
    if (place->text.ptr && place->text.len == 0)
        place->text = surety_str_of("\xE2\x80\x93");
    place->index = *count;
    place->at = (double)place->index;
    place->next = surety__map_get(map, hash);
    if (!place->key.ptr || !place->text.ptr ||
        (is_shared && !surety__map_put(map, alloc, hash, place)))
        return NULL;
    (*list)[(*count)++] = place;
    return place;
}

static void model_scale(struct model_reader *reader)
{
    const surety__column *x = reader->x;
    surety__model *model = reader->model;

    model->scale = SURETY__SCALE_NAMES;
    if (x->kind == SURETY__COLUMN_TIME)
        model->scale =
            x->years == x->moments ? SURETY__SCALE_YEARS : SURETY__SCALE_TIME;
    else if (x->kind == SURETY__COLUMN_NUMBER &&
             reader->chart->type == SURETY__CHART_LINE)
        model->scale = SURETY__SCALE_NUMBERS;
    model->grain = x->grain;
    if (x->offsets > 0 && x->offsets == x->moments && !x->offsets_vary)
        reader->shift = x->offset;
    model->origin = x->origin + reader->shift;
}

/* The number of a moment on a scale of years or of time. Writes its key: two
 * moments of the same second and nanosecond have the same key. */
static double model_moment(const struct model_reader *reader,
                           const surety__moment *moment, char key[12])
{
    const int64_t second = moment->second + reader->shift;
    const surety__date date = surety__date_of(surety__clock_day(second));

    memcpy(key, &second, 8);
    memcpy(key + 8, &moment->nano, 4);
    if (reader->model->scale == SURETY__SCALE_YEARS)
        return (double)date.year;
    return (double)(second - reader->model->origin) + moment->nano * 1e-9;
}

/* The number of a value of x on the model's scale, NaN where it has none, and
 * its key. Two spellings of one time, or of one number, have the same key and
 * so share a place. */
static surety_status model_at(struct model_reader *reader, surety_val val,
                              double *ret_at, char key[12], size_t *ret_len)
{
    surety__moment moment;
    surety__figure figure;

    *ret_at = NAN;
    *ret_len = 0;
    if (reader->model->scale == SURETY__SCALE_NUMBERS) {
        if (surety__table_cell(reader->table, val, &figure) ==
                SURETY__CELL_FIGURE &&
            surety__table_number(reader->table, &figure, ret_at))
            return SURETY_NOMEM;
        if (!isfinite(*ret_at))
            *ret_at = NAN;
        *ret_at += 0.0; /* -0 and 0 share a place */
        *ret_len = isnan(*ret_at) ? 0 : sizeof(*ret_at);
        memcpy(key, ret_at, sizeof(*ret_at));
    } else if (reader->model->scale != SURETY__SCALE_NAMES &&
               surety__moment_read(surety__table_text(reader->table, val),
                                   &moment)) {
        *ret_at = model_moment(reader, &moment, key);
        *ret_len = 12;
    }
    return SURETY_OK;
}

/* The name of a bar that two columns name: "apples, 2015". */
static surety_str model_both(struct model_reader *reader, surety_str name)
{
    surety__table *table = reader->table;
    surety_buf both;

    surety_buf_init(&both, table->alloc, 0);
    surety_buf_add(&both, name);
    surety_buf_text(&both, ", ");
    surety_buf_add(
        &both, surety__table_text(table, table->cells[reader->choice.beside]));
    return surety__arena_buf(&reader->model->arena, &both);
}

static surety_status model_row(struct model_reader *reader, size_t row)
{
    surety__table *table = reader->table;
    const surety_val x = table->cells[reader->choice.x];
    const bool is_shared = reader->choice.series != SIZE_MAX ||
                           reader->chart->type == SURETY__CHART_LINE;
    surety__place *place;
    surety_str text;
    char key[12];
    size_t len;
    double at;

    if (model_at(reader, x, &at, key, &len))
        return SURETY_NOMEM;
    text = surety__table_text(table, x);
    if (reader->choice.beside != SIZE_MAX) {
        text = model_both(reader, text);
        if (!text.ptr)
            return SURETY_NOMEM;
    }
    place = table->scratch.status
                ? NULL
                : model_spot(reader, false, len ? (surety_str){key, len} : text,
                             text, is_shared);
    if (!place)
        return SURETY_NOMEM;
    if (reader->model->scale != SURETY__SCALE_NAMES)
        place->at = at;
    reader->spots[row] = place->index;
    return SURETY_OK;
}

/* Finds or adds the series of a row by its value in the series column. */
static surety_status model_row_series(struct model_reader *reader, size_t row)
{
    surety__table *table = reader->table;
    const surety_str text =
        surety__table_text(table, table->cells[reader->choice.series]);
    const surety__place *place =
        table->scratch.status ? NULL
                              : model_spot(reader, true, text, text, true);

    if (!place)
        return SURETY_NOMEM;
    reader->row_series[row] = place->index;
    return SURETY_OK;
}

/* ---- columns ------------------------------------------------------------- */

/* Makes a place of each column that is a time, or a part of one. */
static surety_status model_across(struct model_reader *reader)
{
    const surety__wide *wide = &reader->choice.across;
    surety__model *model = reader->model;
    surety__moment moment;
    bool are_years = true;

    for (size_t i = 0; i < wide->count && wide->is_time; i++) {
        surety__wide_time(reader->table->columns[wide->columns[i]], &moment);
        are_years &= moment.grain == SURETY__GRAIN_YEAR;
        if (i == 0)
            model->origin = moment.second;
        if (i == 0 || moment.grain > model->grain)
            model->grain = moment.grain;
    }
    model->scale = !wide->is_time ? SURETY__SCALE_NAMES
                   : are_years    ? SURETY__SCALE_YEARS
                                  : SURETY__SCALE_TIME;
    for (size_t i = 0; i < wide->count; i++) {
        const surety_str text = surety__wide_time(
            reader->table->columns[wide->columns[i]], &moment);
        surety__place *place;
        char key[12];
        const double at = model_moment(reader, &moment, key);
        place = model_spot(reader, false,
                           wide->is_time ? (surety_str){key, 12} : text, text,
                           true);
        if (!place)
            return SURETY_NOMEM;
        if (wide->is_time)
            place->at = at;
        reader->spots[i] = place->index;
    }
    return SURETY_OK;
}

/* Makes a series for each column of y. Where columns are the places and no
 * column names the series, makes one series for all rows. */
static surety_status model_columns(struct model_reader *reader)
{
    const surety__choice *choice = &reader->choice;
    const bool is_across = choice->across.count > 0;

    for (size_t i = 0; i < (is_across ? 1 : choice->y_count); i++) {
        const surety_str label =
            is_across ? surety_str_of("")
                      : reader->table->columns[choice->y[i]]->label;
        if (!model_spot(reader, true, label, label, false))
            return SURETY_NOMEM;
    }
    return SURETY_OK;
}

static surety_status model_limit(const struct model_reader *reader,
                                 const char *hint, size_t count,
                                 const char *what, size_t most)
{
    surety__fail(reader->reterr, SURETY_LIMIT,
                 "the data make %zu %s, and a chart shows at most %zu", count,
                 what, most);
    surety__hint(reader->reterr, "%s", hint);
    return SURETY_LIMIT;
}

/* Refuses more series or pairs than a chart may show. Too many bars of names
 * are no error: model_arrange joins them. */
static surety_status model_bounds(struct model_reader *reader)
{
    const surety__model *model = reader->model;
    const size_t series = model->series_count;

    if (reader->chart->type == SURETY__CHART_BAR &&
        series > SURETY_CHART_SERIES_MAX)
        return model_limit(reader, "draw lines, or ask for a table", series,
                           "series of bars", SURETY_CHART_SERIES_MAX);
    if (series > SURETY_CHART_LINES_MAX)
        return model_limit(reader, "draw fewer rows, or ask for a table",
                           series, "lines", SURETY_CHART_LINES_MAX);
    if (model->places_count * series > MODEL_PAIRS_MAX)
        return surety__fail(reader->reterr, SURETY_LIMIT,
                            "the data make %zu lines over %zu places, too many "
                            "for one chart",
                            series, model->places_count);
    return SURETY_OK;
}

/* ---- values -------------------------------------------------------------- */

/* Counts a value that is left out, and keeps the text and row of the first. */
static surety_status model_note_odd(struct model_reader *reader,
                                    struct model_odd *odd, size_t row,
                                    surety_val val)
{
    if (odd->count++ > 0)
        return SURETY_OK;
    odd->row = row + 1;
    odd->text = model_text(reader, surety__table_text(reader->table, val));
    return odd->text.ptr ? SURETY_OK : SURETY_NOMEM;
}

static surety_status model_twice(struct model_reader *reader, surety_val val,
                                 size_t place)
{
    const surety_str at = reader->model->places[place]->text;

    surety__render_fail_at(
        reader->reterr, val,
        "rows give \"%.*s\" more than one value for the same %s",
        (int)surety__utf8_cut(at, 80), at.ptr,
        reader->chart->type == SURETY__CHART_BAR ? "bar" : "point of a line");
    surety__hint(reader->reterr,
                 "name the column that separates them as the series");
    return SURETY_SYNTAX;
}

/* Stores a value of a row for a pair of place and series. */
static surety_status model_value(struct model_reader *reader, size_t row,
                                 size_t column, const size_t pair[2])
{
    surety__table *table = reader->table;
    surety__model *model = reader->model;
    const surety_val val = table->cells[column];
    surety__figure figure;
    const surety__cell cell = surety__table_cell(table, val, &figure);
    double number = NAN;
    double *value;

    if (pair[0] == SIZE_MAX || cell <= SURETY__CELL_PLACEHOLDER)
        return SURETY_OK;
    assert(pair[0] < model->places_count && pair[1] < model->series_count);
    value = &model->values[pair[1] * model->places_count + pair[0]];
    if (cell == SURETY__CELL_TEXT)
        return model_note_odd(reader, &reader->odd, row, val);
    if (surety__table_number(table, &figure, &number))
        return SURETY_NOMEM;
    if (!isfinite(number))
        return surety__render_fail_at(
            reader->reterr, val,
            "row %zu has %.*s%s, which is larger than a chart can show",
            row + 1, (int)(figure.len > 40 ? 40 : figure.len), figure.text,
            figure.len > 40 ? "..." : "");
    if (!isnan(*value))
        return model_twice(reader, val, pair[0]);
    *value = number;
    return SURETY_OK;
}

/* Stores all values of a row. */
static surety_status model_row_values(struct model_reader *reader, size_t row)
{
    const surety__choice *choice = &reader->choice;
    const bool is_across = choice->across.count > 0;
    surety_status status = SURETY_OK;

    surety__table_row(reader->table, row);
    if (!is_across && reader->spots[row] == SIZE_MAX)
        return model_note_odd(reader, &reader->unplaced, row,
                              reader->table->cells[choice->x]);
    for (size_t i = 0; i < choice->y_count && !status; i++) {
        const size_t pair[2] = {reader->spots[is_across ? i : row],
                                is_across || choice->series != SIZE_MAX
                                    ? reader->row_series[row]
                                    : i};
        status = model_value(reader, row, choice->y[i], pair);
    }
    return status;
}

static surety_status model_values(struct model_reader *reader)
{
    surety__model *model = reader->model;
    const size_t pairs = model->places_count * model->series_count;
    surety_status status = SURETY_OK;

    model->values =
        surety__arena_take(&model->arena, pairs * sizeof(*model->values));
    if (!model->values)
        return SURETY_NOMEM;
    for (size_t i = 0; i < pairs; i++)
        model->values[i] = NAN;
    for (size_t row = 0; row < reader->table->rows_count && !status; row++)
        status = model_row_values(reader, row);
    return status;
}

/* ---- measures ------------------------------------------------------------ */

/* The dimension of a label, "ms" of "Latency (ms)": the text in brackets at the
 * end; empty: none. */
static surety_str model_dimension(surety_str label)
{
    const surety_str text = surety__str_trim(label);
    size_t at = text.len;

    if (text.len == 0 || text.ptr[text.len - 1] != ')')
        return (surety_str){"", 0};
    while (at > 0 && text.ptr[at - 1] != '(')
        at--;
    return at > 0 ? (surety_str){text.ptr + at, text.len - at - 1}
                  : (surety_str){"", 0};
}

/* Whether a word of the text is in the list; case does not matter. */
static bool model_says(surety_str text, const char *const *words, size_t count)
{
    for (surety_str word; (word = surety__word_next(&text)).len > 0;)
        if (surety__str_among_nocase(word, words, count))
            return true;
    return false;
}

/* Words of measures whose sum has no meaning, and of measures that are parts of
 * a whole. */
static const char *const model_means[] = {"mean",  "median", "average", "avg",
                                          "rate",  "ratio",  "index",   "per",
                                          "score", "age",    "level",   "p95"};
static const char *const model_shares[] = {"percent", "percentage", "pct",
                                           "share",   "shares",     "fraction"};

/* Fills in unit, dimension and decimals of each measure. *is_share: all are
 * named or marked as shares. *adds_up: their sum is a value of the same
 * measure. */
static void model_measures(const struct model_reader *reader,
                           surety__measure *measures, bool *is_share,
                           bool *adds_up)
{
    const surety__choice *choice = &reader->choice;
    const bool is_one = choice->is_one_measure;

    *is_share = true;
    *adds_up = true;
    for (size_t i = 0; i < choice->y_count; i++) {
        const surety__column *column = reader->table->columns[choice->y[i]];
        const surety_str label = column->label;
        surety__measure *measure = &measures[is_one ? 0 : i];
        const unsigned decimals = column->has_exponent ? 9 : column->decimals;
        bool is_one_share;

        if (i == 0 || !is_one)
            *measure = (surety__measure){.unit = column->unit,
                                         .dimension = model_dimension(label)};
        if (decimals > measure->decimals)
            measure->decimals = decimals;
        is_one_share =
            (column->unit.len > 0 && column->unit.ptr[0] == '%') ||
            memchr(label.ptr, '%', label.len) ||
            model_says(label, model_shares, SURETY__COUNT(model_shares));
        *is_share &= is_one_share;
        *adds_up &= !is_one_share &&
                    !model_says(label, model_means, SURETY__COUNT(model_means));
    }
}

/* Decides how the values are drawn: stacked, joined, in panels. Fails where no
 * value is left to draw, with the reason. */
static surety_status model_arrange(struct model_reader *reader)
{
    surety__model *model = reader->model;
    surety__measure measures[SURETY_CHART_SERIES_MAX] = {0};
    const bool is_bar = reader->chart->type == SURETY__CHART_BAR;
    const size_t bars = model->places_count * model->series_count;
    bool is_share, adds_up;

    model_measures(reader, measures, &is_share, &adds_up);
    model->is_stacked = is_bar && model->scale != SURETY__SCALE_NUMBERS &&
                        surety__arrange_is_whole(model, is_share);
    if (is_bar && model->scale != SURETY__SCALE_NAMES &&
        bars > SURETY_CHART_BARS_MAX && !model->is_stacked)
        return model_limit(reader, "draw a line, or fewer rows", bars,
                           "bars along a time", SURETY_CHART_BARS_MAX);
    if (is_bar && model->scale == SURETY__SCALE_NAMES &&
        surety__arrange_join(model, adds_up && !model->is_stacked,
                             &reader->joined))
        return SURETY_NOMEM;
    if (surety__arrange_panels(model, measures,
                               reader->choice.y_count > 1 &&
                                       !reader->choice.is_one_measure
                                   ? reader->choice.y_count
                                   : 1))
        return SURETY_NOMEM;
    if (model->shown > 0)
        return SURETY_OK;
    if (reader->odd.count > 0)
        return surety__fail(
            reader->reterr, SURETY_SYNTAX,
            "the column that is to be drawn has no numbers: row %zu has "
            "\"%.*s\"",
            reader->odd.row, (int)surety__utf8_cut(reader->odd.text, 60),
            reader->odd.text.ptr);
    return surety__fail(
        reader->reterr, SURETY_SYNTAX,
        "there is nothing to draw: all values of the column are missing");
}

/* ---- order, units, titles ------------------------------------------------ */

/* An integer key with the same order as the double. */
static uint64_t model_order(double at)
{
    uint64_t bits;

    memcpy(&bits, &at, sizeof(bits));
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/* Sorts the places of a scale by their number, and drops those without one. */
static surety_status model_sort(struct model_reader *reader)
{
    surety__model *model = reader->model;
    const size_t count = model->places_count;
    surety__pair *pairs;
    size_t kept = 0;
    surety__place **places;

    if (model->scale == SURETY__SCALE_NAMES || count == 0)
        return SURETY_OK;
    pairs = surety__arena_take(&model->arena, count * sizeof(*pairs));
    places = surety__arena_take(&model->arena, count * sizeof(*places));
    if (!pairs || !places)
        return SURETY_NOMEM;
    for (size_t i = 0; i < count; i++)
        if (!isnan(model->places[i]->at))
            pairs[kept++] =
                (surety__pair){model_order(model->places[i]->at), i};
    assert(kept <= count);
    surety__pairs_sort(pairs, kept);
    memcpy(places, model->places, count * sizeof(*places));
    for (size_t i = 0; i < kept; i++) {
        model->places[i] = places[pairs[i].value];
        model->places[i]->index = i;
    }
    model->places_count = kept;
    if (kept > 0 && reader->chart->type == SURETY__CHART_BAR &&
        surety__arrange_fill(model, reader->table->alloc))
        return SURETY_NOMEM;
    for (size_t i = 0; i < reader->spots_count; i++) {
        const surety__place *place = places[reader->spots[i]];
        reader->spots[i] = isnan(place->at) ? SIZE_MAX : place->index;
    }
    if (kept == 0)
        return surety__fail(reader->reterr, SURETY_SYNTAX,
                            "there is nothing to draw: all values of x are "
                            "missing");
    return SURETY_OK;
}

/* The title of an axis: "label" or "label (name)", and the zone in which times
 * with an offset are shown. */
static surety_str model_title(struct model_reader *reader, size_t column)
{
    const surety__column *shown = reader->table->columns[column];
    surety_str text;
    surety_buf title;

    surety_buf_init(&title, reader->table->alloc, 0);
    surety__table_header(reader->table, column, SURETY_HEADERS_BOTH, &title);
    if (column == reader->choice.x && shown->offsets > 0 &&
        reader->model->scale == SURETY__SCALE_TIME) {
        const uint32_t minutes =
            (uint32_t)(reader->shift < 0 ? -reader->shift : reader->shift) / 60;
        surety_buf_text(&title, " (UTC");
        if (minutes > 0)
            surety__buf_printf(&title, "%s%u%u:%u%u",
                               reader->shift < 0 ? "\xE2\x88\x92" : "+",
                               minutes / 600, minutes / 60 % 10,
                               minutes % 60 / 10, minutes % 10);
        surety_buf_byte(&title, ')');
    }
    text = model_text(reader, surety_buf_str(&title));
    if (title.status)
        text.ptr = NULL;
    surety_buf_done(&title);
    return text;
}

/* Refuses different units within a column, or among columns of one measure. */
static surety_status model_units(const struct model_reader *reader)
{
    const surety__choice *choice = &reader->choice;
    const surety__column *first = NULL;

    for (size_t i = 0; i < choice->y_count; i++) {
        const surety__column *column = reader->table->columns[choice->y[i]];
        bool differs = column->is_mixed;
        if (choice->is_one_measure && column->has_figure) {
            differs |= first && !surety_str_equal(first->unit, column->unit);
            first = column;
        }
        if (differs)
            return surety__fail(reader->reterr, SURETY_SYNTAX,
                                "the values to be drawn have different units, "
                                "such as $ and %%");
    }
    return SURETY_OK;
}

/* Writes the title of a chart that has none: "Income by Year", "2015 to 2017 by
 * NAME". */
static void model_name(struct model_reader *reader, surety_buf *title)
{
    const surety__table *table = reader->table;
    const surety__choice *choice = &reader->choice;
    const surety__wide *wide = &choice->across;
    const size_t beside = wide->count > 0 ? choice->series : choice->x;

    for (size_t i = 0; i < choice->y_count && wide->count == 0; i++) {
        surety_buf_text(title, i > 0 ? ", " : "");
        surety_buf_add(title, table->columns[choice->y[i]]->label);
    }
    if (wide->count > 0 && wide->measure.len > 0) {
        surety_buf_add(title, wide->measure);
    } else if (wide->count > 0) {
        const size_t last = reader->model->places_count - 1;
        surety_buf_add(title, reader->model->places[0]->text);
        surety_buf_text(title, " to ");
        surety_buf_add(title, reader->model->places[last]->text);
    }
    if (beside == SIZE_MAX)
        return;
    surety_buf_text(title, " by ");
    surety_buf_add(title, table->columns[beside]->label);
}

static surety_status model_words(struct model_reader *reader)
{
    static const char *const grains[] = {"years", "year", "quarter",
                                         "month", "week", "day"};
    surety__model *model = reader->model;
    const surety__choice *choice = &reader->choice;
    const surety__wide *wide = &choice->across;
    surety_status status = model_units(reader);
    surety_buf title;

    if (status)
        return status;
    if (wide->count > 0) {
        model->x_title = surety_str_of(!wide->is_time ? ""
                                       : model->grain <= SURETY__GRAIN_DAY
                                           ? grains[model->grain]
                                           : "time");
        model->y_title = model_text(reader, wide->measure);
    } else {
        model->x_title = model_title(reader, choice->x);
        model->y_title = choice->y_count == 1
                             ? model_title(reader, choice->y[0])
                             : (surety_str){"", 0};
    }
    model->title = reader->chart->title;
    if (!model->x_title.ptr || !model->y_title.ptr)
        return SURETY_NOMEM;
    if (surety__str_trim(model->title).len > 0)
        return SURETY_OK;
    surety_buf_init(&title, reader->table->alloc, 0);
    model_name(reader, &title);
    model->title = surety__arena_buf(&model->arena, &title);
    return model->title.ptr ? SURETY_OK : SURETY_NOMEM;
}

/* ---- notes --------------------------------------------------------------- */

static void model_put_odd(const struct model_odd *odd, const char *one,
                          const char *many, surety_buf *out)
{
    if (odd->count == 0)
        return;
    surety__buf_printf(out, "%zu %s left out: row %zu has ", odd->count,
                       odd->count == 1 ? one : many, odd->row);
    if (odd->text.len == 0)
        surety_buf_text(out, "none\n");
    else
        surety__buf_printf(out, "\"%.*s\"\n",
                           (int)surety__utf8_cut(odd->text, 60), odd->text.ptr);
}

/* Writes the notes that the picture itself contains. */
static void model_put_shown(const struct model_reader *reader, surety_buf *out)
{
    const surety__model *model = reader->model;
    const surety__column *x = reader->x;

    model_put_odd(&reader->odd, "value is no number and",
                  "values are no numbers and", out);
    model_put_odd(&reader->unplaced, "row has no place on the axis and is",
                  "rows have no place on the axis and are", out);
    if (!x || model->scale != SURETY__SCALE_TIME)
        return;
    if (x->offsets > 0 && x->offsets < x->moments)
        surety__buf_printf(out,
                           "%zu of %zu times have no offset and are taken as "
                           "UTC\n",
                           x->moments - x->offsets, x->moments);
    if (x->offsets_vary)
        surety_buf_text(out, "times of different offsets are shown in UTC\n");
}

/* Whether the chart uses a column, in any role. */
static bool model_shows(const surety__choice *choice, size_t column)
{
    bool is_shown = column == choice->x || column == choice->series ||
                    column == choice->beside;

    for (size_t i = 0; i < choice->y_count; i++)
        is_shown |= choice->y[i] == column;
    return is_shown;
}

/* Adds a note with the columns of numbers that are not drawn, if the chart
 * names no y. */
static void model_put_undrawn(const struct model_reader *reader,
                              surety_buf *out)
{
    const surety__table *table = reader->table;
    size_t count = 0;

    for (size_t i = 0; i < table->columns_count; i++) {
        const surety__column *column = table->columns[i];
        if (reader->chart->y_count > 0 ||
            column->kind != SURETY__COLUMN_NUMBER ||
            model_shows(&reader->choice, i) || ++count > MODEL_NAMES_MAX)
            continue;
        surety_buf_text(out, count == 1 ? "not drawn: \"" : ", \"");
        surety__line_clean(column->name, MODEL_NAME_MAX, out);
        surety_buf_byte(out, '"');
    }
    if (count == 0)
        return;
    if (count > MODEL_NAMES_MAX)
        surety__buf_printf(out, " and %zu more", count - MODEL_NAMES_MAX);
    surety_buf_text(out, "; y names the columns to be drawn\n");
}

static void model_put_notes(const struct model_reader *reader, surety_buf *out)
{
    const surety__model *model = reader->model;
    const size_t known = reader->odd.count + model->gaps * model->series_count;
    const surety__column *x = reader->x;

    if (model->missing > known)
        surety__buf_printf(
            out, "%zu of %zu values are missing\n", model->missing - known,
            model->shown + model->missing - model->gaps * model->series_count);
    if (model->gaps > 0)
        surety__buf_printf(out,
                           "%zu place%s of the axis of time %s no row and %s "
                           "empty\n",
                           model->gaps, model->gaps == 1 ? "" : "s",
                           model->gaps == 1 ? "has" : "have",
                           model->gaps == 1 ? "is" : "are");
    if (model->is_uneven)
        surety_buf_text(out, "the bars are side by side: their distance does "
                             "not show the time\n");
    if (reader->joined > 0)
        surety__buf_printf(out,
                           "of %zu bars a chart shows %zu: the largest, and "
                           "%s\n",
                           model->places_count - 1 + reader->joined,
                           model->places_count,
                           model->places[model->places_count - 1]->text.ptr);
    if (x && x->has_unix && model->scale == SURETY__SCALE_TIME)
        surety_buf_text(out, "numbers are read as Unix time\n");
    if (x && model->scale == SURETY__SCALE_NAMES &&
        reader->chart->type == SURETY__CHART_LINE && model->places_count > 1 &&
        x->parts < reader->table->rows_count - x->missing)
        surety_buf_text(out, "the line joins names in the order of the rows; "
                             "names have no order: draw bars\n");
    if (model->panels_count > 1)
        surety__buf_printf(out,
                           "%zu scales: measures without a common scale are "
                           "drawn one below the other\n",
                           model->panels_count);
    model_put_undrawn(reader, out);
}

/* Writes all notes, and keeps the notes among them for the picture. */
static surety_status model_note(struct model_reader *reader, surety_buf *notes)
{
    surety__model *model = reader->model;
    surety_buf shown;

    surety_buf_init(&shown, reader->table->alloc, 0);
    model_put_shown(reader, &shown);
    if (notes) {
        surety_buf_add(notes, surety_buf_str(&shown));
        model_put_notes(reader, notes);
    }
    model->note = surety__arena_buf(&model->arena, &shown);
    return model->note.ptr ? SURETY_OK : SURETY_NOMEM;
}

/* ---- reading a model ----------------------------------------------------- */

/* Assigns each row and column its place and its series. */
static surety_status model_lay(struct model_reader *reader)
{
    surety__table *table = reader->table;
    const size_t rows = table->rows_count;
    const size_t across = reader->choice.across.count;
    surety_status status = SURETY_OK;

    reader->spots_count = across > 0 ? across : rows;
    reader->spots = surety__arena_take(
        &reader->model->arena, reader->spots_count * sizeof(*reader->spots));
    reader->row_series = surety__arena_take(&reader->model->arena,
                                            rows * sizeof(*reader->row_series));
    if (!reader->spots || !reader->row_series)
        return SURETY_NOMEM;
    if (across > 0)
        status = model_across(reader);
    else
        model_scale(reader);
    if (!status && reader->choice.series == SIZE_MAX)
        status = model_columns(reader);
    for (size_t row = 0; row < rows && !status; row++) {
        surety__table_row(table, row);
        if (across == 0)
            status = model_row(reader, row);
        if (!status && reader->choice.series != SIZE_MAX)
            status = model_row_series(reader, row);
    }
    return status ? status : model_sort(reader);
}

static surety_status model_fill(struct model_reader *reader)
{
    surety_status status = surety__chart_choose(
        reader->table, reader->chart, &reader->model->arena, &reader->choice,
        reader->reterr);
    size_t points;

    if (status)
        return status;
    if (reader->choice.x != SIZE_MAX)
        reader->x = reader->table->columns[reader->choice.x];
    points = reader->table->rows_count * reader->choice.y_count;
    if (points > SURETY_CHART_POINTS_MAX) {
        surety__fail(reader->reterr, SURETY_LIMIT,
                     "the data have %zu points, and a chart shows at most %d",
                     points, SURETY_CHART_POINTS_MAX);
        surety__hint(reader->reterr, "draw fewer rows, or ask for a table");
        return SURETY_LIMIT;
    }
    status = model_lay(reader);
    if (!status)
        status = model_bounds(reader);
    if (!status)
        status = model_words(reader);
    if (!status)
        status = model_values(reader);
    return status ? status : model_arrange(reader);
}

surety_status surety__model_read(surety__table *table,
                                 const surety__chart *chart,
                                 surety__model *model, surety_buf *notes,
                                 surety_error *reterr)
{
    struct model_reader reader = {
        .table = table, .chart = chart, .model = model, .reterr = reterr};
    surety_status status;

    *model = (surety__model){0};
    surety__arena_init(&model->arena, table->alloc, 0);
    status = model_fill(&reader);
    surety__map_done(&reader.places, table->alloc);
    surety__map_done(&reader.series, table->alloc);
    if (!status)
        status = model_note(&reader, notes);
    return status == SURETY_NOMEM ? surety__fail_nomem(reterr) : status;
}

void surety__model_done(surety__model *model, const surety_alloc *alloc)
{
    surety__free(alloc, model->places,
                 model->places_cap * sizeof(*model->places));
    surety__free(alloc, model->series,
                 model->series_cap * sizeof(*model->series));
    surety__arena_done(&model->arena);
}
