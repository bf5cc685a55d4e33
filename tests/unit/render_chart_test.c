/* SPDX-License-Identifier: Apache-2.0 */
/* Charts: which columns they show, what they draw of them, the words on their
 * axes, and that there is a picture. How it looks, people judge. */
#include "check.h"

#include <surety-run.h>

#include "render/render.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct fixture {
    surety_doc *doc;
    surety__table *table;
    surety__model model;
    surety__chart chart;
    surety_buf remarks;
    surety_buf out;
    surety_error error;
    bool has_model;
};

static void fixture_init(struct check *t, struct fixture *fixture)
{
    memset(fixture, 0, sizeof(*fixture));
    fixture->chart.scale = 1;
    surety_buf_init(&fixture->remarks, check_alloc(t), 0);
    surety_buf_init(&fixture->out, check_alloc(t), 0);
}

static void fixture_done(struct check *t, struct fixture *fixture)
{
    if (fixture->has_model)
        surety__model_done(&fixture->model, check_alloc(t));
    surety__table_free(fixture->table);
    surety_doc_free(fixture->doc);
    surety_buf_done(&fixture->remarks);
    surety_buf_done(&fixture->out);
}

static surety_status read_table(struct check *t, struct fixture *fixture,
                                const char *json)
{
    surety__table_options options = {.census = true, .alloc = check_alloc(t)};
    surety_status status;

    fixture->doc = surety_doc_new(check_alloc(t));
    if (!fixture->doc)
        return SURETY_NOMEM;
    status = surety_doc_read(fixture->doc, surety_str_of(json), NULL,
                             &fixture->error);
    if (status)
        return status;
    options.labels = surety_val_get(surety_doc_root(fixture->doc), "variables");
    return surety__table_read(surety_doc_root(fixture->doc), &options,
                              &fixture->table, &fixture->error);
}

/* The model of the chart over the data. */
static surety_status read_model(struct check *t, struct fixture *fixture,
                                surety__chart_type type, const char *title,
                                const char *json)
{
    surety_status status = read_table(t, fixture, json);

    if (status)
        return status;
    fixture->chart.type = type;
    fixture->chart.title = surety_str_of(title);
    fixture->has_model = true;
    return surety__model_read(fixture->table, &fixture->chart, &fixture->model,
                              &fixture->remarks, &fixture->error);
}

TEST(chooses_columns_by_kind)
{
    static const struct {
        surety__chart_type type;
        const char *title, *json, *x, *y;
        size_t places, series;
    } cases[] = {
        {SURETY__CHART_BAR, "",
         "[[\"B01003_001E\",\"NAME\",\"state\"],[\"39538223\",\"CA\",\"06\"],"
         "[\"1\",\"TX\",\"48\"]]",
         "NAME", "B01003_001E", 2, 1},
        {SURETY__CHART_LINE, "",
         "[[\"Year\",\"Median Household Income (USD)\"],[\"2015\",\"53,889\"],"
         "[\"2016\",\"55,322\"]]",
         "Year", "Median Household Income (USD)", 2, 1},
        {SURETY__CHART_BAR, "Median income of states",
         "{\"data\":[[\"NAME\",\"B1_001E\",\"B1_001M\",\"B2_001E\"],"
         "[\"a\",1,2,3],[\"b\",1,2,3]],\"variables\":{\"B1_001E\":"
         "\"Population\",\"B1_001M\":\"Income margin\",\"B2_001E\":\"Median "
         "income\"}}",
         "NAME", "Median income (B2_001E)", 2, 1},
        {SURETY__CHART_LINE, "",
         "[[\"NAME\",\"Year\",\"v\"],[\"a\",2015,1],[\"a\",2016,2],"
         "[\"b\",2015,1],[\"b\",2016,2]]",
         "Year", "v", 2, 2},
        {SURETY__CHART_BAR, "",
         "[[\"NAME\",\"Year\",\"v\"],[\"a\",2015,1],[\"a\",2016,2],"
         "[\"b\",2015,1],[\"b\",2016,2]]",
         "NAME", "v", 2, 2},
        {SURETY__CHART_BAR, "",
         "[[\"NAME\",\"Year\",\"v\"],[\"a\",2015,1],[\"a\",2016,2]]", "Year",
         "v", 2, 1},
        {SURETY__CHART_LINE, "", "[[\"Age\",\"Share\"],[30,1],[10,2],[20,3]]",
         "Age", "Share", 3, 1},
        {SURETY__CHART_LINE, "", "[[\"state\",\"v\"],[\"06\",1],[\"48\",2]]",
         "state", "v", 2, 1}};

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        struct fixture fixture;
        surety_status status;
        bool is_right;
        fixture_init(t, &fixture);
        status = read_model(t, &fixture, cases[i].type, cases[i].title,
                            cases[i].json);
        is_right = status == SURETY_OK &&
                   surety_str_equal(fixture.model.x_title,
                                    surety_str_of(cases[i].x)) &&
                   surety_str_equal(fixture.model.y_title,
                                    surety_str_of(cases[i].y)) &&
                   fixture.model.places_count == cases[i].places &&
                   fixture.model.series_count == cases[i].series;
        fixture_done(t, &fixture);
        TRY(status);
        CHECK(is_right);
    }
done:;
}

TEST(sorts_times_and_leaves_gaps)
{
    struct fixture fixture;

    fixture_init(t, &fixture);
    TRY(read_model(t, &fixture, SURETY__CHART_LINE, "T",
                   "[[\"Year\",\"v\"],[2017,\"3\"],[2015,\"-666666666\"],"
                   "[2016,\"odd\"],[2014,\"1\"],[2013,4],[2012,5],[2011,6],"
                   "[2010,7]]"));
    TRY(fixture.remarks.status);
    CHECK(fixture.model.places_count == 8);
    CHECK_TEXT(fixture.model.places[0]->text, "2010");
    CHECK(fixture.model.values[7] > 2.99 && fixture.model.values[7] < 3.01);
    CHECK(isnan(fixture.model.values[5]) && isnan(fixture.model.values[6]));
    CHECK_TEXT(surety_buf_str(&fixture.remarks),
               "1 value is no number and left out: row 3 has \"odd\"\n"
               "1 of 8 values are missing\n");
done:
    fixture_done(t, &fixture);
}

TEST(says_what_cannot_be_drawn)
{
    static const struct {
        surety__chart_type type;
        const char *json, *says;
    } cases[] = {
        {SURETY__CHART_BAR, "[[\"a\"],[\"x\"]]", "needs two columns"},
        {SURETY__CHART_BAR, "[[\"a\",\"b\"],[\"x\",\"y\"]]",
         "no column of numbers to draw: b is text"},
        {SURETY__CHART_BAR, "[[\"a\",\"b\"],[\"x\",null]]", "b is empty"},
        {SURETY__CHART_BAR, "[[\"a\",\"b\"],[\"x\",1e400]]",
         "row 1 has 1e400, which is larger than a chart can show"},
        {SURETY__CHART_BAR, "[[\"a\",\"b\"],[\"x\",\"$5\"],[\"y\",\"5%\"]]",
         "different units"},
        {SURETY__CHART_LINE, "[[\"Year\",\"v\"],[2015,1],[2015,2]]",
         "no other column separates the lines"},
        {SURETY__CHART_BAR,
         "[[\"n\",\"Year\",\"v\"],[\"a\",2015,1],[\"a\",2015,2],"
         "[\"b\",2016,2]]",
         "more than one value"}};

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        struct fixture fixture;
        surety_status status;
        bool is_said;
        fixture_init(t, &fixture);
        status = read_model(t, &fixture, cases[i].type, "", cases[i].json);
        is_said = strstr(fixture.error.message, cases[i].says) != NULL;
        fixture_done(t, &fixture);
        EXPECT(SURETY_SYNTAX, status);
        CHECK(is_said);
    }
done:;
}

TEST(names_columns_that_are_not_there)
{
    struct fixture fixture;
    const surety_str twice[] = {{"v", 1}, {"w", 1}};

    fixture_init(t, &fixture);
    fixture.chart.x = surety_str_of("foo");
    EXPECT(SURETY_SYNTAX, read_model(t, &fixture, SURETY__CHART_BAR, "",
                                     "[[\"NAME\",\"v\"],[\"a\",1]]"));
    CHECK(strstr(fixture.error.message, "no column \"foo\""));
    CHECK(t->starved || strstr(fixture.error.hint, "NAME, v"));
    surety__model_done(&fixture.model, check_alloc(t));
    fixture.has_model = false;
    fixture.chart.x = surety_str_of("name");
    fixture.chart.y = twice;
    fixture.chart.y_count = 2;
    EXPECT(SURETY_SYNTAX,
           surety__chart_draw(fixture.table, &fixture.chart, &fixture.out, NULL,
                              &fixture.error));
    CHECK(strstr(fixture.error.message, "no column \"w\""));
done:
    fixture_done(t, &fixture);
}

/* Rows of so many bars. */
static bool make_rows(surety_buf *json, size_t count)
{
    surety_buf_reset(json);
    surety_buf_text(json, "[[\"n\",\"v\"]");
    for (size_t i = 0; i < count; i++)
        surety__buf_printf(json, ",[\"row %zu\",%zu]", i, i % 97);
    surety_buf_text(json, "]");
    surety_buf_byte(json, '\0');
    return json->status == SURETY_OK;
}

/* Of more bars than a chart shows the largest stay, and the others are one,
 * which says so; what they come to is in the data. */
TEST(joins_the_smallest_of_too_many_bars)
{
    surety_buf json;

    surety_buf_init(&json, NULL, 0);
    for (size_t count = SURETY_CHART_BARS_MAX - 1;
         count <= SURETY_CHART_BARS_MAX + 2; count++) {
        const bool is_joined = count > SURETY_CHART_BARS_MAX;
        struct fixture fixture;
        surety_status status;
        double sum = 0;
        bool is_right;
        CHECK(make_rows(&json, count));
        fixture_init(t, &fixture);
        status = read_model(t, &fixture, SURETY__CHART_BAR, "", json.ptr);
        for (size_t i = 0; !status && i < fixture.model.places_count; i++)
            sum += fixture.model.values[i];
        for (size_t i = 0; i < count; i++)
            sum -= (double)(i % 97) / 10;
        status = status ? status : fixture.remarks.status;
        is_right = status ||
                   (fixture.model.places_count ==
                        (is_joined ? SURETY_CHART_BARS_MAX : count) &&
                    fabs(sum) < 1e-6 && (fixture.remarks.len > 0) == is_joined);
        if (!status && count == SURETY_CHART_BARS_MAX + 2)
            is_right &=
                surety_str_equal(fixture.model.places[499]->text,
                                 surety_str_of("3 others, their sum")) &&
                surety_str_equal(
                    surety_buf_str(&fixture.remarks),
                    surety_str_of("of 502 bars a chart shows 500: the "
                                  "largest, and 3 others, their "
                                  "sum\n"));
        fixture_done(t, &fixture);
        TRY(status);
        CHECK(is_right);
    }
done:
    surety_buf_done(&json);
}

/* Shares and means do not add up: what is left has their mean. */
TEST(joins_means_by_their_mean)
{
    surety_buf json;
    struct fixture fixture;

    surety_buf_init(&json, NULL, 0);
    fixture_init(t, &fixture);
    surety_buf_text(&json, "[[\"n\",\"median age\"]");
    for (size_t i = 0; i < SURETY_CHART_BARS_MAX + 99; i++)
        surety__buf_printf(&json, ",[\"row %zu\",%u]", i, i < 499 ? 80 : 20);
    surety_buf_text(&json, "]");
    surety_buf_byte(&json, '\0');
    CHECK(json.status == SURETY_OK);
    TRY(read_model(t, &fixture, SURETY__CHART_BAR, "", json.ptr));
    CHECK(fixture.model.places_count == 500);
    CHECK_TEXT(fixture.model.places[499]->text, "100 others, their mean");
    CHECK(fabs(fixture.model.values[499] - 2) < 1e-9);
done:
    fixture_done(t, &fixture);
    surety_buf_done(&json);
}

/* Bars along a time have an order: none is joined with others. */
TEST(refuses_too_many_bars_along_a_time)
{
    surety_buf json;
    struct fixture fixture;

    surety_buf_init(&json, NULL, 0);
    fixture_init(t, &fixture);
    surety_buf_text(&json, "[[\"time\",\"v\"]");
    for (unsigned i = 0; i <= SURETY_CHART_BARS_MAX; i++)
        surety__buf_printf(&json, ",[\"2026-03-01T%u%u:%u%u\",%u]", i / 600,
                           i / 60 % 10, i / 10 % 6, i % 10, i + 1);
    surety_buf_text(&json, "]");
    surety_buf_byte(&json, '\0');
    CHECK(json.status == SURETY_OK);
    EXPECT(SURETY_LIMIT,
           read_model(t, &fixture, SURETY__CHART_BAR, "", json.ptr));
    CHECK(strstr(fixture.error.message, "501 bars along a time"));
    CHECK(strstr(fixture.error.hint, "draw a line"));
done:
    fixture_done(t, &fixture);
    surety_buf_done(&json);
}

/* What a chart shows, in words: its scale, series, stacks and panels. */
static const char *shape_of(const surety__model *model, char *text, size_t size)
{
    static const char *const scales[] = {"names", "years", "time", "numbers"};

    snprintf(text, size, "%zu %s, %zu series%s, %zu panel%s",
             model->places_count, scales[model->scale], model->series_count,
             model->is_stacked ? " stacked" : "", model->panels_count,
             model->panels_count == 1 ? "" : "s");
    return text;
}

/* Charts, what they show, and what is said of them. */
static const struct {
    surety__chart_type type;
    const char *title, *json, *shape, *remarks;
} shown[] = {
    /* Quarter-hours are moments of their own; an offset is kept. */
    {SURETY__CHART_LINE, "",
     "[[\"time\",\"v\"],[\"2026-03-28T00:00Z\",1],"
     "[\"2026-03-28T00:15Z\",2],[\"2026-03-28T00:30Z\",3]]",
     "3 time, 1 series, 1 panel", ""},
    /* The same hour twice, an offset apart: over the end of summer. */
    {SURETY__CHART_LINE, "",
     "[[\"time\",\"v\"],[\"2026-10-25T02:30+02:00\",1],"
     "[\"2026-10-25T02:30+01:00\",2]]",
     "2 time, 1 series, 1 panel",
     "times of different offsets are shown in UTC\n"},
    {SURETY__CHART_LINE, "",
     "[[\"time\",\"v\"],[\"2026-10-25T02:30Z\",1],"
     "[\"2026-10-25T02:45\",2]]",
     "2 time, 1 series, 1 panel",
     "1 of 2 times have no offset and are taken as UTC\n"},
    {SURETY__CHART_LINE, "",
     "[[\"timestamp\",\"v\"],[1774656000,1],[1774656600,2]]",
     "2 time, 1 series, 1 panel", "numbers are read as Unix time\n"},
    /* Columns that are years: places of lines, series of bars. */
    {SURETY__CHART_LINE, "",
     "[[\"NAME\",\"2015\",\"2016\",\"2017\"],[\"CA\",1,2,3],"
     "[\"TX\",2,3,4]]",
     "3 years, 2 series, 1 panel", ""},
    {SURETY__CHART_BAR, "",
     "[[\"NAME\",\"2015\",\"2016\",\"2017\"],[\"CA\",1,2,3],"
     "[\"TX\",2,3,4]]",
     "2 names, 3 series, 1 panel", ""},
    {SURETY__CHART_BAR, "Income in 2016",
     "[[\"NAME\",\"2015\",\"2016\",\"2017\"],[\"CA\",1,2,3],"
     "[\"TX\",2,3,4]]",
     "2 names, 1 series, 1 panel",
     "not drawn: \"2015\", \"2017\"; y names the columns to be drawn\n"},
    {SURETY__CHART_LINE, "",
     "[[\"NAME\",\"pop_2015\",\"pop_2016\",\"area\"],[\"CA\",1,2,3],"
     "[\"TX\",2,3,4]]",
     "2 years, 2 series, 1 panel",
     "not drawn: \"area\"; y names the columns to be drawn\n"},
    {SURETY__CHART_LINE, "",
     "[[\"region\",\"2025-01\",\"2025-02\"],[\"N\",1,2],[\"S\",2,3]]",
     "2 time, 2 series, 1 panel", ""},
    {SURETY__CHART_LINE, "",
     "[[\"region\",\"Jan\",\"Feb\",\"Mar\"],[\"N\",1,2,3],[\"S\",2,3,4]]",
     "3 names, 2 series, 1 panel", ""},
    {SURETY__CHART_LINE, "",
     "[[\"month\",\"2024\",\"2025\"],[\"Jan\",1,2],[\"Feb\",2,3]]",
     "2 names, 2 series, 1 panel", ""},
    {SURETY__CHART_LINE, "", "[[\"2015\",\"2016\",\"2017\"],[1,2,3]]",
     "3 years, 1 series, 1 panel", ""},
    {SURETY__CHART_BAR, "",
     "[[\"n\",\"2011\",\"2012\",\"2013\",\"2014\",\"2015\",\"2016\","
     "\"2017\",\"2018\",\"2019\"],[\"a\",1,2,3,4,5,6,7,8,9]]",
     "9 years, 1 series, 1 panel", ""},
    /* No measure is dropped without a word. */
    {SURETY__CHART_LINE, "Calls",
     "[[\"day\",\"calls\",\"errors\"],[\"2026-03-01\",9,1],"
     "[\"2026-03-02\",8,2]]",
     "2 time, 1 series, 1 panel",
     "not drawn: \"errors\"; y names the columns to be drawn\n"},
    {SURETY__CHART_LINE, "Calls and errors by day",
     "[[\"day\",\"calls\",\"errors\"],[\"2026-03-01\",9,1],"
     "[\"2026-03-02\",8,2]]",
     "2 time, 2 series, 1 panel", ""},
    /* Scales that have nothing in common are not one axis. */
    {SURETY__CHART_LINE, "Calls and errors by day",
     "[[\"day\",\"calls\",\"errors\"],[\"2026-03-01\",9000,1],"
     "[\"2026-03-02\",8000,2]]",
     "2 time, 2 series, 2 panels",
     "2 scales: measures without a common scale are drawn one below the "
     "other\n"},
    {SURETY__CHART_BAR, "cost and share",
     "[[\"n\",\"cost\",\"share\"],[\"a\",\"$5\",\"6%\"],"
     "[\"b\",\"$7\",\"8%\"]]",
     "2 names, 2 series, 2 panels",
     "2 scales: measures without a common scale are drawn one below the "
     "other\n"},
    /* Shares of a whole are stacked; what sums to 100 by chance is not. */
    {SURETY__CHART_BAR, "good and bad",
     "[[\"n\",\"good\",\"bad\"],[\"a\",\"60%\",\"40%\"],"
     "[\"b\",\"33%\",\"66%\"]]",
     "2 names, 2 series stacked, 1 panel", ""},
    {SURETY__CHART_BAR, "good and bad",
     "[[\"n\",\"good\",\"bad\"],[\"a\",60,40],[\"b\",33.3,66.7]]",
     "2 names, 2 series stacked, 1 panel", ""},
    {SURETY__CHART_BAR, "good and bad",
     "[[\"n\",\"good\",\"bad\"],[\"a\",60,40],[\"b\",33,66]]",
     "2 names, 2 series, 1 panel", ""},
    {SURETY__CHART_BAR, "good and bad",
     "[[\"n\",\"good\",\"bad\"],[\"a\",60,40]]", "1 names, 2 series, 1 panel",
     ""},
    {SURETY__CHART_BAR, "good and bad",
     "[[\"n\",\"good\",\"bad\"],[\"a\",\"110%\",\"-10%\"]]",
     "1 names, 2 series, 1 panel", ""},
    /* Places of time without a row are empty, and no neighbours. */
    {SURETY__CHART_BAR, "", "[[\"year\",\"v\"],[2015,1],[2016,2],[2019,3]]",
     "5 years, 1 series, 1 panel",
     "2 places of the axis of time have no row and are empty\n"},
    {SURETY__CHART_BAR, "",
     "[[\"month\",\"v\"],[\"2025-11\",1],[\"2025-12\",2],[\"2026-02\",3]]",
     "4 time, 1 series, 1 panel",
     "1 place of the axis of time has no row and is empty\n"},
    {SURETY__CHART_BAR, "",
     "[[\"time\",\"v\"],[\"2026-03-01T10:00Z\",1],"
     "[\"2026-03-01T10:15Z\",2],[\"2026-03-01T10:45Z\",3]]",
     "4 time, 1 series, 1 panel",
     "1 place of the axis of time has no row and is empty\n"},
    {SURETY__CHART_BAR, "", "[[\"year\",\"v\"],[1900,1],[2016,2],[2019,3]]",
     "3 years, 1 series, 1 panel",
     "the bars are side by side: their distance does not show the time\n"},
    /* Rows without a place. */
    {SURETY__CHART_LINE, "",
     "[[\"date\",\"v\"],[\"2026-02-27\",1],[\"2026-02-28\",2],"
     "[\"2026-02-30\",9],[\"2026-03-01\",3],[\"2026-03-02\",3],[null,4]]",
     "4 time, 1 series, 1 panel",
     "2 rows have no place on the axis and are left out: row 3 has "
     "\"2026-02-30\"\n"},
    /* Names have no order. */
    {SURETY__CHART_LINE, "", "[[\"n\",\"v\"],[\"a\",1],[\"b\",2]]",
     "2 names, 1 series, 1 panel",
     "the line joins names in the order of the rows; names have no order: "
     "draw bars\n"},
    {SURETY__CHART_LINE, "", "[[\"n\",\"v\"],[\"Mon\",1],[\"Tue\",2]]",
     "2 names, 1 series, 1 panel", ""},
    /* Names that look alike are not one. */
    {SURETY__CHART_LINE, "",
     "[[\"year\",\"n\",\"v\"],[2015,\"A\\u200bB\",1],[2015,\"AB\",2],"
     "[2016,\"AB\",2]]",
     "2 years, 2 series, 1 panel", "1 of 4 values are missing\n"}};

TEST(shows_data_as_they_are)
{
    for (size_t i = 0; i < CHECK_COUNT(shown); i++) {
        struct fixture fixture;
        surety_status status;
        char shape[100];
        surety_str remarks;
        bool is_right = true;
        fixture_init(t, &fixture);
        status = read_model(t, &fixture, shown[i].type, shown[i].title,
                            shown[i].json);
        remarks = surety_buf_str(&fixture.remarks);
        if (!status && !fixture.remarks.status)
            is_right =
                !strcmp(shape_of(&fixture.model, shape, sizeof(shape)),
                        shown[i].shape) &&
                surety_str_equal(remarks, surety_str_of(shown[i].remarks));
        if (!is_right || (status && !t->starved))
            printf("# %s: %s; %s%.*s", shown[i].json, shape,
                   fixture.error.message, (int)remarks.len,
                   remarks.ptr ? remarks.ptr : "");
        fixture_done(t, &fixture);
        TRY(status);
        CHECK(is_right);
    }
done:;
}

TEST(names_bars_by_both_of_two_columns)
{
    struct fixture fixture;

    fixture_init(t, &fixture);
    TRY(read_model(t, &fixture, SURETY__CHART_BAR, "",
                   "[[\"k\",\"year\",\"v\"],[\"a\",2010,1],[\"a\",2011,1],"
                   "[\"b\",2012,1],[\"c\",2013,1],[\"d\",2014,1],"
                   "[\"e\",2015,1],[\"f\",2016,1],[\"g\",2017,1],"
                   "[\"h\",2018,1],[\"i\",2019,1]]"));
    CHECK(fixture.model.places_count == 10 && fixture.model.series_count == 1);
    CHECK_TEXT(fixture.model.places[0]->text, "a, 2010");
    CHECK_TEXT(fixture.model.places[1]->text, "a, 2011");
done:
    fixture_done(t, &fixture);
}

TEST(says_what_a_measure_is_called_once)
{
    struct fixture fixture;

    fixture_init(t, &fixture);
    TRY(read_model(t, &fixture, SURETY__CHART_LINE, "",
                   "{\"data\":[[\"year\",\"ms\"],[2015,1],[2016,2]],"
                   "\"variables\":{\"ms\":\"Latency (ms)\"}}"));
    CHECK_TEXT(fixture.model.y_title, "Latency (ms)");
    CHECK_TEXT(fixture.model.title, "Latency (ms) by year");
done:
    fixture_done(t, &fixture);
}

/* Bars along a time: the steps that no row has are between the others. */
TEST(fills_the_steps_of_a_time)
{
    static const struct {
        const char *json, *want;
        size_t gaps;
    } cases[] = {
        {"[[\"year\",\"v\"],[2015,1],[2016,2],[2018,3]]",
         "2015 2016 2017 2018 ", 1},
        {"[[\"year\",\"v\"],[2015,1],[2016,2],[2017,3]]", "2015 2016 2017 ", 0},
        {"[[\"month\",\"v\"],[\"2024-11\",1],[\"2024-12\",2],"
         "[\"2025-01\",2],[\"2025-03\",3]]",
         "2024-11 2024-12 2025-01 2025-02 2025-03 ", 1},
        {"[[\"day\",\"v\"],[\"2024-02-27\",1],[\"2024-02-28\",2],"
         "[\"2024-03-01\",3],[\"2024-03-02\",3]]",
         "2024-02-27 2024-02-28 2024-02-29 2024-03-01 2024-03-02 ", 1},
    };
    struct fixture fixture;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        surety_status status;
        size_t gaps;
        bool go_up = true;
        fixture_init(t, &fixture);
        surety_buf_reset(&out);
        status = read_model(t, &fixture, SURETY__CHART_BAR, "", cases[i].json);
        gaps = fixture.model.gaps;
        for (size_t k = 0; !status && k < fixture.model.places_count; k++) {
            surety_buf_add(&out, fixture.model.places[k]->text);
            surety_buf_byte(&out, ' ');
            go_up &= fixture.model.places[k]->index == k &&
                     (k == 0 || fixture.model.places[k]->at >
                                    fixture.model.places[k - 1]->at);
        }
        fixture_done(t, &fixture);
        TRY(status);
        TRY(out.status);
        CHECK_TEXT(surety_buf_str(&out), cases[i].want);
        CHECK(gaps == cases[i].gaps && go_up);
    }
done:
    surety_buf_done(&out);
}

/* The words of all ticks from a time to another, and what they are part of
 * where it changes. */
static void put_ticks(const char *from, const char *to,
                      const surety__step *step, surety_buf *out)
{
    surety__moment first = {0}, last = {0};
    double at;

    surety_buf_reset(out);
    if (!surety__moment_read(surety_str_of(from), &first) ||
        !surety__moment_read(surety_str_of(to), &last))
        return;
    at = surety__clock_tick(first.second, 0, step);
    while (at <= (double)(last.second - first.second)) {
        surety__clock_label(first.second, at, step, out);
        surety_buf_text(out, " (");
        surety__clock_context(first.second, at, step, out);
        surety_buf_text(out, ") ");
        at = surety__clock_next(first.second, at, step);
    }
}

TEST(puts_ticks_where_a_calendar_has_them)
{
    static const struct {
        const char *from, *to;
        surety__step step;
        const char *want;
    } cases[] = {
        {"2026-02-26",
         "2026-03-12",
         {SURETY__GRAIN_WEEK, 604800},
         "2 Mar (2026) 9 Mar (2026) "},
        {"2025-12-02",
         "2026-03-31",
         {SURETY__GRAIN_MONTH, 1},
         "Jan (2026) Feb (2026) Mar (2026) "},
        {"2025-12-01",
         "2026-06-30",
         {SURETY__GRAIN_MONTH, 3},
         "Jan (2026) Apr (2026) "},
        {"2025-11-01",
         "2026-06-30",
         {SURETY__GRAIN_QUARTER, 3},
         "Q1 (2026) Q2 (2026) "},
        {"2019-05-01",
         "2031-01-01",
         {SURETY__GRAIN_YEAR, 60},
         "2020 () 2025 () 2030 () "},
        {"2024-02-28",
         "2024-03-01",
         {SURETY__GRAIN_DAY, DAY_SECONDS},
         "28 Feb (2024) 29 Feb (2024) 1 Mar (2024) "},
        {"2026-03-28T17:10",
         "2026-03-29T06:00",
         {SURETY__GRAIN_MINUTE, 21600},
         "18:00 (28 Mar 2026) 00:00 (29 Mar 2026) 06:00 (29 Mar 2026) "},
        {"2026-03-28T23:59:50",
         "2026-03-29T00:00:10",
         {SURETY__GRAIN_SECOND, 10},
         "23:59:50 (28 Mar 2026) 00:00:00 (29 Mar 2026) "
         "00:00:10 (29 Mar 2026) "},
        {"1969-12-31T23:59:59",
         "1970-01-01T00:00:00",
         {SURETY__GRAIN_FRACTION, 0.5},
         "23:59:59.0 (31 Dec 1969) 23:59:59.5 (31 Dec 1969) "
         "00:00:00.0 (1 Jan 1970) "}};
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        put_ticks(cases[i].from, cases[i].to, &cases[i].step, &out);
        TRY(out.status);
        CHECK_TEXT(surety_buf_str(&out), cases[i].want);
    }
done:
    surety_buf_done(&out);
}

/* From any time, with any step: a tick is not before it, the next is later by
 * about the step, and a tick is its own tick. */
TEST(ticks_go_on_and_stay)
{
    uint64_t state = 7;

    for (int i = 0; i < 4000; i++) {
        surety__step step;
        int64_t origin;
        double at;
        state = state * 6364136223846793005u + 1442695040888963407u;
        origin = (int64_t)(state >> 28) % 63000000000 - 30500000000;
        at = (double)(state >> 40) / 16777216 * 1e6;
        for (size_t k = 0; (step = surety__clock_step(k)).count > 0; k++) {
            const double length = surety__clock_length(&step);
            const double tick = surety__clock_tick(origin, at, &step);
            const double next = surety__clock_next(origin, tick, &step);
            CHECK(tick > at - 1e-5 - length / 500 &&
                  tick < at + length * 1.05 + 1e-5);
            CHECK(next - tick > length * 0.88 - 1e-5 &&
                  next - tick < length * 1.05 + 1e-5);
            CHECK(fabs(surety__clock_tick(origin, tick, &step) - tick) < 1e-5);
        }
    }
done:;
}

TEST(puts_words_on_axes)
{
    static const struct {
        double low, high;
        int exponent;
        const char *unit, *want;
    } cases[] = {{0, 9.8, 6, "", "0 2M 4M 6M 8M 10M "},
                 {-3.1, 8.7, 5, "",
                  "\xE2\x88\x92"
                  "500K \xE2\x88\x92"
                  "250K 0 250K 500K 750K 1M "},
                 {0, 8.1, 0, "%", "0% 2% 4% 6% 8% 10% "},
                 {0, 9, 3, "$", "$0 $2K $4K $6K $8K $10K "},
                 {0, 1, 308, "",
                  "0 0.2\xC3\x97"
                  "10\xC2\xB3\xE2\x81\xB0\xE2\x81\xB8 0.4\xC3\x97"
                  "10\xC2\xB3\xE2\x81\xB0\xE2\x81\xB8 0.6\xC3\x97"
                  "10\xC2\xB3\xE2\x81\xB0\xE2\x81\xB8 0.8\xC3\x97"
                  "10\xC2\xB3\xE2\x81\xB0\xE2\x81\xB8 1.0\xC3\x97"
                  "10\xC2\xB3\xE2\x81\xB0\xE2\x81\xB8 "},
                 {0, 0, 0, "", "0 0.2 0.4 0.6 0.8 1.0 "},
                 {9.7, 9.9, 0, "", "9.70 9.75 9.80 9.85 9.90 "}};
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        surety__ticks ticks =
            surety__ticks_make(cases[i].low, cases[i].high, 5);
        ticks.exponent = cases[i].exponent;
        ticks.unit = surety_str_of(cases[i].unit);
        surety_buf_reset(&out);
        for (unsigned k = 0; k < ticks.count; k++) {
            surety__ticks_label(&ticks, k, &out);
            surety_buf_byte(&out, ' ');
        }
        TRY(out.status);
        CHECK_TEXT(surety_buf_str(&out), cases[i].want);
    }
done:
    surety_buf_done(&out);
}

#define TIMES_TEN                                                              \
    "\xC3\x97"                                                                 \
    "10"

TEST(shortens_values)
{
    static const struct {
        double value;
        int exponent;
        unsigned decimals;
        const char *want;
    } cases[] = {{3.9538223, 7, 0, "39.5M"},
                 {5.3889, 4, 0, "53,889"},
                 {9.99999, 5, 0, "999,999"},
                 {9.9999999, 8, 0, "1.00B"},
                 {1.25, 0, 2, "1.25"},
                 {0, 6, 2, "0.00"},
                 {-2.5, 9, 0,
                  "\xE2\x88\x92"
                  "2.50B"},
                 {3, 12, 0, "3.00T"},
                 {9.9949, 5, 0, "999,490"},
                 {9.9949, 8, 0, "999M"},
                 {9.9949, 14, 0, "999T"},
                 {9.996, 14, 0, "1.00" TIMES_TEN "\xC2\xB9\xE2\x81\xB5"},
                 {9.996, 15, 0, "1.00" TIMES_TEN "\xC2\xB9\xE2\x81\xB6"},
                 {1, 15, 0, "1.00" TIMES_TEN "\xC2\xB9\xE2\x81\xB5"},
                 {1, -6, 6, "0.000001"},
                 {2.5, -7, 0, "2.50" TIMES_TEN "\xE2\x81\xBB\xE2\x81\xB7"},
                 {0, 0, 3, "0.000"},
                 {0, 0, 4, "0"}};
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        const surety__model model = {.exponent = cases[i].exponent,
                                     .decimals = cases[i].decimals};
        surety_buf_reset(&out);
        surety__ticks_value(&model, cases[i].value, &out);
        TRY(out.status);
        CHECK_TEXT(surety_buf_str(&out), cases[i].want);
    }
done:
    surety_buf_done(&out);
}

/* Draws; true where there is a picture, or a build without. */
static bool draw(struct fixture *fixture, surety_chart_format format,
                 surety_status *status)
{
    fixture->chart.format = format;
    surety_buf_reset(&fixture->out);
    *status = surety__chart_draw(fixture->table, &fixture->chart, &fixture->out,
                                 &fixture->remarks, &fixture->error);
    if (*status == SURETY_UNSUPPORTED)
        return true;
    if (*status != SURETY_OK)
        return false;
    return format == SURETY_CHART_PNG
               ? fixture->out.len > 500 &&
                     memcmp(fixture->out.ptr, "\x89PNG\r\n\x1A\n", 8) == 0
               : memcmp(fixture->out.ptr, "<?xml", 5) == 0 &&
                     surety__str_find(surety_buf_str(&fixture->out),
                                      surety_str_of("<title>A &lt;b&gt; &amp;"
                                                    " c</title>")) <
                         fixture->out.len;
}

TEST(draws_pictures)
{
    struct fixture fixture;
    surety_status status;

    fixture_init(t, &fixture);
    TRY(read_table(t, &fixture,
                   "[[\"NAME\",\"v\",\"w\"],[\"\\u6771\\u4eac\",\"-1e308\",1],"
                   "[\"\\u0627\\u0644\",\"1e308\",null],[\"c\",0,2]]"));
    fixture.chart.title = surety_str_of("A <b> & c");
    fixture.chart.note = surety_str_of("Source: here.");
    fixture.chart.width = 300;
    fixture.chart.height = 260;
    CHECK(draw(&fixture, SURETY_CHART_PNG, &status) ||
          (t->starved && status == SURETY_NOMEM));
    TRY(status == SURETY_UNSUPPORTED ? SURETY_OK : status);
    fixture.chart.type = SURETY__CHART_LINE;
    CHECK(draw(&fixture, SURETY_CHART_SVG, &status) ||
          (t->starved && status == SURETY_NOMEM));
    TRY(status == SURETY_UNSUPPORTED ? SURETY_OK : status);
done:
    fixture_done(t, &fixture);
}

TEST(ends_at_its_sizes)
{
    static const struct {
        unsigned width, height;
        surety_status want;
    } cases[] = {{159, 400, SURETY_LIMIT},
                 {400, 159, SURETY_LIMIT},
                 {16001, 400, SURETY_LIMIT},
                 {160, 160, SURETY_LIMIT}, /* no room for a plot */
                 {300, 250, SURETY_OK}};
    struct fixture fixture;
    surety_status status;

    fixture_init(t, &fixture);
    TRY(read_table(t, &fixture, "[[\"NAME\",\"v\"],[\"a\",1]]"));
    for (size_t i = 0; i < CHECK_COUNT(cases) && !t->starved; i++) {
        fixture.chart.width = cases[i].width;
        fixture.chart.height = cases[i].height;
        status = surety__chart_draw(fixture.table, &fixture.chart, &fixture.out,
                                    NULL, &fixture.error);
        if (status == SURETY_UNSUPPORTED)
            break;
        EXPECT(cases[i].want, status);
    }
    surety_buf_reset(&fixture.out);
    fixture.out.max = 100;
    status = surety__chart_draw(fixture.table, &fixture.chart, &fixture.out,
                                NULL, &fixture.error);
    if (status != SURETY_UNSUPPORTED)
        EXPECT(SURETY_LIMIT, status);
    CHECK(fixture.out.len == 0);
done:
    fixture_done(t, &fixture);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"chooses columns by kind", chooses_columns_by_kind},
        {"sorts times and leaves gaps", sorts_times_and_leaves_gaps},
        {"says what cannot be drawn", says_what_cannot_be_drawn},
        {"names columns that are not there", names_columns_that_are_not_there},
        {"joins the smallest of too many bars",
         joins_the_smallest_of_too_many_bars},
        {"joins means by their mean", joins_means_by_their_mean},
        {"refuses too many bars along a time",
         refuses_too_many_bars_along_a_time},
        {"shows data as they are", shows_data_as_they_are},
        {"names bars by both of two columns",
         names_bars_by_both_of_two_columns},
        {"says what a measure is called once",
         says_what_a_measure_is_called_once},
        {"fills the steps of a time", fills_the_steps_of_a_time},
        {"puts ticks where a calendar has them",
         puts_ticks_where_a_calendar_has_them},
        {"ticks go on and stay", ticks_go_on_and_stay},
        {"puts words on axes", puts_words_on_axes},
        {"shortens values", shortens_values},
        {"draws pictures", draws_pictures},
        {"ends at its sizes", ends_at_its_sizes},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
