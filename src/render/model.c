/* SPDX-License-Identifier: Apache-2.0 */
/* What a chart draws, free of the table it came from: places along x, series,
 * and a number or a gap for each pair. All that can be wrong with the data is
 * found here, before anything is drawn. A value that is missing is a gap and
 * never a zero; one that is no number among numbers is a gap too, and is told.
 * Numbers are divided by a power of ten, so nothing that draws can overflow. */
#include "render/render.h"

#include <math.h>

#include <surety/json.h>

/* Pairs of place and series that are held; a series for every row would else
 * be a square. */
enum { MODEL_PAIRS_MAX = 2000000, MODEL_TEXT_MAX = 200 };

struct model_reader {
    surety_table *table;
    const surety_chart *chart;
    surety__model *model;
    surety__choice choice;
    surety__map places;
    surety__map series;
    size_t *row_places; /* of each row */
    size_t *row_series;
    size_t odd; /* values that are no numbers */
    size_t odd_row;
    surety_str odd_text;
    surety_error *reterr;
};

static surety_status model_nomem(struct model_reader *reader)
{
    return surety__fail_nomem(reader->reterr);
}

/* A copy of a text as a picture may show it; ptr NULL: out of memory. */
static surety_str model_text(struct model_reader *reader, surety_str text)
{
    surety_buf clean;
    surety_str copy;

    surety_buf_init(&clean, reader->table->alloc, 0);
    surety__line_clean(text, MODEL_TEXT_MAX, &clean);
    copy = surety__arena_text(&reader->model->arena, surety_buf_str(&clean));
    if (clean.status)
        copy.ptr = NULL;
    surety_buf_done(&clean);
    return copy;
}

/* The place or series of a text; a new one where it is not there yet or may
 * not be shared. NULL: out of memory. */
static surety__place *model_place(struct model_reader *reader, bool is_series,
                                  surety_str text, bool is_shared)
{
    surety__model *model = reader->model;
    surety__map *map = is_series ? &reader->series : &reader->places;
    surety__place ***list = is_series ? &model->series : &model->places;
    size_t *count = is_series ? &model->series_count : &model->places_count;
    size_t *cap = is_series ? &model->series_cap : &model->places_cap;
    const uint64_t hash = (uint64_t)surety__hash(text.ptr, text.len) + 1;
    surety__place *place = is_shared ? surety__map_get(map, hash) : NULL;
    void *items = *list;

    while (place && !surety_str_equal(place->text, text))
        place = place->next;
    if (place)
        return place;
    place = surety__arena_take(&model->arena, sizeof(*place));
    if (!place || surety__grow(reader->table->alloc, &items, cap, *count + 1,
                               sizeof(**list), SURETY_TABLE_ROWS_MAX)) {
        *list = items;
        return NULL;
    }
    *list = items;
    place->text = surety__arena_text(&model->arena, text);
    place->index = *count;
    place->next = surety__map_get(map, hash);
    if (!place->text.ptr ||
        (is_shared && !surety__map_put(map, reader->table->alloc, hash, place)))
        return NULL;
    (*list)[(*count)++] = place;
    return place;
}

/* ---- places -------------------------------------------------------------- */

static void model_scale(struct model_reader *reader)
{
    const surety__column *x = reader->table->columns[reader->choice.x];
    const size_t there = reader->table->rows_count - x->shown.missing;

    reader->model->scale = SURETY__SCALE_NAMES;
    if (x->shown.kind == SURETY_COLUMN_TIME)
        reader->model->scale =
            x->years == there ? SURETY__SCALE_YEARS : SURETY__SCALE_TIME;
    else if (x->shown.kind == SURETY_COLUMN_NUMBER &&
             reader->chart->type == SURETY_CHART_LINE)
        reader->model->scale = SURETY__SCALE_NUMBERS;
}

/* Where a place stands on its scale; NaN: nowhere. */
static surety_status model_at(struct model_reader *reader, surety_val val,
                              surety_str text, surety__place *place)
{
    surety__moment moment;
    surety__figure figure;

    place->at = (double)place->index;
    if (reader->model->scale == SURETY__SCALE_NUMBERS) {
        place->at = NAN;
        if (surety__table_cell(reader->table, val, &figure) ==
                SURETY__CELL_FIGURE &&
            surety__table_number(reader->table, &figure, &place->at))
            return model_nomem(reader);
        if (!isfinite(place->at))
            place->at = NAN;
    } else if (reader->model->scale != SURETY__SCALE_NAMES) {
        place->at = surety__moment_read(text, &moment) ? moment.year : NAN;
    }
    return SURETY_OK;
}

static surety_status model_row(struct model_reader *reader, size_t row)
{
    surety_table *table = reader->table;
    const surety_val x = table->cells[reader->choice.x];
    const bool is_shared = reader->choice.series != SIZE_MAX ||
                           reader->chart->type == SURETY_CHART_LINE;
    surety_str text = model_text(reader, surety__table_text(table, x));
    surety__place *place;

    if (!text.ptr || table->scratch.status)
        return model_nomem(reader);
    place = model_place(reader, false, text, is_shared);
    if (!place || model_at(reader, x, text, place))
        return model_nomem(reader);
    reader->row_places[row] = place->index;
    reader->row_series[row] = 0;
    if (reader->choice.series == SIZE_MAX)
        return SURETY_OK;
    text = model_text(
        reader, surety__table_text(table, table->cells[reader->choice.series]));
    if (!text.ptr || !(place = model_place(reader, true, text, true)))
        return model_nomem(reader);
    reader->row_series[row] = place->index;
    return SURETY_OK;
}

/* Series of their own for each y, or one for all. */
static surety_status model_columns(struct model_reader *reader)
{
    for (size_t i = 0; i < reader->choice.y_count; i++) {
        const surety_column *column =
            &reader->table->columns[reader->choice.y[i]]->shown;
        const surety_str text = model_text(reader, column->label);
        if (!text.ptr || !model_place(reader, true, text, false))
            return model_nomem(reader);
    }
    return SURETY_OK;
}

static surety_status model_bounds(struct model_reader *reader)
{
    const surety__model *model = reader->model;
    const size_t pairs = model->places_count * model->series_count;

    if (reader->chart->type == SURETY_CHART_BAR &&
        pairs > SURETY_CHART_BARS_MAX) {
        surety__fail(reader->reterr, SURETY_LIMIT,
                     "the data make %zu bars, and a chart shows at most %d",
                     pairs, SURETY_CHART_BARS_MAX);
        surety__hint(reader->reterr, "draw fewer rows, or ask for a table");
        return SURETY_LIMIT;
    }
    if (reader->chart->type == SURETY_CHART_BAR &&
        model->series_count > SURETY_CHART_SERIES_MAX) {
        surety__fail(reader->reterr, SURETY_LIMIT,
                     "the data make bars of %zu series, and a chart tells %d "
                     "apart",
                     model->series_count, SURETY_CHART_SERIES_MAX);
        surety__hint(reader->reterr, "draw lines, or ask for a table");
        return SURETY_LIMIT;
    }
    if (model->series_count > SURETY_CHART_LINES_MAX) {
        surety__fail(reader->reterr, SURETY_LIMIT,
                     "the data make %zu lines, and a chart shows at most %d",
                     model->series_count, SURETY_CHART_LINES_MAX);
        surety__hint(reader->reterr, "draw fewer rows, or ask for a table");
        return SURETY_LIMIT;
    }
    if (pairs > MODEL_PAIRS_MAX)
        return surety__fail(reader->reterr, SURETY_LIMIT,
                            "the data make %zu lines over %zu places, too many "
                            "for one chart",
                            model->series_count, model->places_count);
    return SURETY_OK;
}

/* ---- values -------------------------------------------------------------- */

/* One value into its pair. */
static surety_status model_value(struct model_reader *reader, size_t row,
                                 size_t series, size_t column)
{
    surety_table *table = reader->table;
    surety__model *model = reader->model;
    const surety_val val = table->cells[column];
    const size_t place = reader->row_places[row];
    surety__figure figure;
    const surety__cell cell = surety__table_cell(table, val, &figure);
    double number = NAN;
    double *value;

    if (place == SIZE_MAX)
        return SURETY_OK;
    value = &model->values[series * model->places_count + place];
    if (cell == SURETY__CELL_TEXT) {
        if (reader->odd++ == 0) {
            reader->odd_row = row + 1;
            reader->odd_text =
                model_text(reader, surety__table_text(table, val));
            if (!reader->odd_text.ptr)
                return model_nomem(reader);
        }
        return SURETY_OK;
    }
    if (cell == SURETY__CELL_MISSING)
        return SURETY_OK;
    if (surety__table_number(table, &figure, &number))
        return model_nomem(reader);
    if (!isfinite(number))
        return surety__render_fail_at(
            reader->reterr, val,
            "row %zu has %.*s%s, which is larger than a chart can show",
            row + 1, (int)(figure.len > 40 ? 40 : figure.len), figure.text,
            figure.len > 40 ? "..." : "");
    if (!isnan(*value)) {
        const surety_str at = model->places[place]->text;
        surety__render_fail_at(
            reader->reterr, val,
            "rows give \"%.*s\" more than one value for the same %s",
            (int)(at.len > 80 ? 80 : at.len), at.ptr,
            reader->chart->type == SURETY_CHART_BAR ? "bar"
                                                    : "point of a line");
        surety__hint(reader->reterr,
                     "name the column that tells them apart as the series");
        return SURETY_SYNTAX;
    }
    *value = number;
    return SURETY_OK;
}

static surety_status model_values(struct model_reader *reader)
{
    surety__model *model = reader->model;
    const size_t pairs = model->places_count * model->series_count;
    surety_status status = SURETY_OK;

    model->values =
        surety__arena_take(&model->arena, pairs * sizeof(*model->values));
    if (!model->values)
        return model_nomem(reader);
    for (size_t i = 0; i < pairs; i++)
        model->values[i] = NAN;
    for (size_t row = 0; row < reader->table->rows_count && !status; row++) {
        surety__table_row(reader->table, row);
        for (size_t i = 0; i < reader->choice.y_count && !status; i++)
            status = model_value(
                reader, row,
                reader->choice.series != SIZE_MAX ? reader->row_series[row] : i,
                reader->choice.y[i]);
    }
    return status;
}

/* Three digits of the largest, where the data have as many. */
static void model_decimals(struct model_reader *reader, double largest)
{
    unsigned there = 0;
    unsigned decimals = 0;

    for (size_t i = 0; i < reader->choice.y_count; i++) {
        const surety__column *column =
            reader->table->columns[reader->choice.y[i]];
        const unsigned own = column->has_exponent ? 9 : column->decimals;
        there = own > there ? own : there;
    }
    for (; decimals < there && largest > 0 && largest < 99.95; decimals++)
        largest *= 10;
    /* Of 12.5 and 80, one decimal; of 123.5 one too. */
    if (decimals == 0 && there > 0 && largest < 999.95)
        decimals = 1;
    reader->model->decimals = decimals;
}

/* Divides by the power of ten of the largest, and finds the bounds. */
static surety_status model_measure(struct model_reader *reader)
{
    surety__model *model = reader->model;
    const size_t pairs = model->places_count * model->series_count;
    double largest = 0;
    double power;

    for (size_t i = 0; i < pairs; i++)
        if (!isnan(model->values[i]) && fabs(model->values[i]) > largest)
            largest = fabs(model->values[i]);
    if (largest > 0)
        model->exponent = (int)floor(log10(largest) + 1e-12);
    if (model->exponent < -290) /* beneath, 10 to it has no digits left */
        model->exponent = -290;
    power = pow(10.0, model->exponent);
    for (size_t i = 0; i < pairs; i++) {
        double *value = &model->values[i];
        if (isnan(*value)) {
            model->missing++;
            continue;
        }
        *value /= power;
        if (model->shown == 0 || *value < model->low)
            model->low = *value;
        if (model->shown == 0 || *value > model->high)
            model->high = *value;
        model->shown++;
    }
    model_decimals(reader, largest);
    if (model->shown > 0)
        return SURETY_OK;
    if (reader->odd > 0)
        return surety__fail(
            reader->reterr, SURETY_SYNTAX,
            "the column that is to be drawn has no numbers: row %zu has "
            "\"%.*s\"",
            reader->odd_row,
            (int)(reader->odd_text.len > 60 ? 60 : reader->odd_text.len),
            reader->odd_text.ptr ? reader->odd_text.ptr : "");
    return surety__fail(
        reader->reterr, SURETY_SYNTAX,
        "there is nothing to draw: all values of the column are missing");
}

/* ---- order and words ----------------------------------------------------- */

/* A key that orders as the double does. */
static uint64_t model_order(double at)
{
    uint64_t bits;

    memcpy(&bits, &at, sizeof(bits));
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/* Puts the places of a scale in its order; those without a number go. */
static surety_status model_sort(struct model_reader *reader)
{
    surety__model *model = reader->model;
    const size_t count = model->places_count;
    surety__pair *pairs;
    size_t kept = 0;
    surety__place **places;

    if (model->scale == SURETY__SCALE_NAMES)
        return SURETY_OK;
    pairs = surety__arena_take(&model->arena, count * sizeof(*pairs));
    places = surety__arena_take(&model->arena, count * sizeof(*places));
    if (!pairs || !places)
        return model_nomem(reader);
    for (size_t i = 0; i < count; i++)
        if (!isnan(model->places[i]->at))
            pairs[kept++] =
                (surety__pair){model_order(model->places[i]->at), i};
    surety__pairs_sort(pairs, kept);
    memcpy(places, model->places, count * sizeof(*places));
    for (size_t i = 0; i < kept; i++) {
        model->places[i] = places[pairs[i].value];
        model->places[i]->index = i;
    }
    model->places_count = kept;
    for (size_t row = 0; row < reader->table->rows_count; row++) {
        const surety__place *place = places[reader->row_places[row]];
        reader->row_places[row] = isnan(place->at) ? SIZE_MAX : place->index;
    }
    if (kept == 0)
        return surety__fail(reader->reterr, SURETY_SYNTAX,
                            "there is nothing to draw: all values of x are "
                            "missing");
    return SURETY_OK;
}

/* "label (name)", "label", with the unit where it is no part of the numbers. */
static surety_str model_title(struct model_reader *reader, size_t column)
{
    surety_buf title;
    surety_str text;

    surety_buf_init(&title, reader->table->alloc, 0);
    surety__table_header(reader->table, column, SURETY_HEADERS_BOTH, &title);
    text = model_text(reader, surety_buf_str(&title));
    if (title.status)
        text.ptr = NULL;
    surety_buf_done(&title);
    return text;
}

static surety_status model_words(struct model_reader *reader)
{
    surety__model *model = reader->model;
    const surety_table *table = reader->table;
    const surety__choice *choice = &reader->choice;
    surety_buf title;

    model->unit = table->columns[choice->y[0]]->unit;
    for (size_t i = 0; i < choice->y_count; i++) {
        const surety__column *column = table->columns[choice->y[i]];
        if (column->is_mixed || (column->has_figure &&
                                 !surety_str_equal(column->unit, model->unit)))
            return surety__fail(reader->reterr, SURETY_SYNTAX,
                                "the values to be drawn have different units, "
                                "such as $ and %%");
    }
    model->x_title = model_title(reader, choice->x);
    model->y_title = choice->y_count == 1 ? model_title(reader, choice->y[0])
                                          : (surety_str){"", 0};
    model->title = reader->chart->title;
    if (!model->x_title.ptr || !model->y_title.ptr)
        return model_nomem(reader);
    if (surety__str_trim(model->title).len > 0)
        return SURETY_OK;
    surety_buf_init(&title, table->alloc, 0);
    for (size_t i = 0; i < choice->y_count; i++) {
        surety_buf_text(&title, i > 0 ? ", " : "");
        surety_buf_add(&title, table->columns[choice->y[i]]->shown.label);
    }
    surety_buf_text(&title, " by ");
    surety_buf_add(&title, table->columns[choice->x]->shown.label);
    model->title = surety__arena_text(&model->arena, surety_buf_str(&title));
    if (title.status)
        model->title.ptr = NULL;
    surety_buf_done(&title);
    return model->title.ptr ? SURETY_OK : model_nomem(reader);
}

static void model_remark(const struct model_reader *reader, surety_buf *remarks)
{
    const surety__model *model = reader->model;

    if (!remarks)
        return;
    if (reader->odd > 0)
        surety__buf_printf(
            remarks,
            "%zu value%s no number and left out: row %zu has \"%.*s\"\n",
            reader->odd, reader->odd == 1 ? " is" : "s are", reader->odd_row,
            (int)(reader->odd_text.len > 60 ? 60 : reader->odd_text.len),
            reader->odd_text.ptr ? reader->odd_text.ptr : "");
    if (model->missing > reader->odd)
        surety__buf_printf(remarks, "%zu of %zu values are missing\n",
                           model->missing - reader->odd,
                           model->shown + model->missing);
}

/* ---- all ----------------------------------------------------------------- */

static surety_status model_fill(struct model_reader *reader)
{
    surety_table *table = reader->table;
    const size_t rows = table->rows_count;
    surety_status status = surety__chart_choose(
        table, reader->chart, &reader->choice, reader->reterr);

    if (status)
        return status;
    if (rows * reader->choice.y_count > SURETY_CHART_POINTS_MAX) {
        surety__fail(reader->reterr, SURETY_LIMIT,
                     "the data have %zu points, and a chart shows at most %d",
                     rows * reader->choice.y_count, SURETY_CHART_POINTS_MAX);
        surety__hint(reader->reterr, "draw fewer rows, or ask for a table");
        return SURETY_LIMIT;
    }
    reader->row_places = surety__arena_take(&reader->model->arena,
                                            rows * sizeof(*reader->row_places));
    reader->row_series = surety__arena_take(&reader->model->arena,
                                            rows * sizeof(*reader->row_series));
    if (!reader->row_places || !reader->row_series)
        return model_nomem(reader);
    model_scale(reader);
    if (reader->choice.series == SIZE_MAX)
        status = model_columns(reader);
    for (size_t row = 0; row < rows && !status; row++) {
        surety__table_row(table, row);
        status = model_row(reader, row);
    }
    if (!status)
        status = model_sort(reader);
    if (!status)
        status = model_bounds(reader);
    if (!status)
        status = model_words(reader);
    if (!status)
        status = model_values(reader);
    return status ? status : model_measure(reader);
}

surety_status surety__model_read(surety_table *table, const surety_chart *chart,
                                 surety__model *model, surety_buf *remarks,
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
        model_remark(&reader, remarks);
    return status;
}

void surety__model_done(surety__model *model, const surety_alloc *alloc)
{
    surety__free(alloc, model->places,
                 model->places_cap * sizeof(*model->places));
    surety__free(alloc, model->series,
                 model->series_cap * sizeof(*model->series));
    surety__arena_done(&model->arena);
}
