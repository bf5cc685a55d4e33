/* SPDX-License-Identifier: Apache-2.0 */
/* Charts: which columns they show, what they draw of them, the words on their
 * axes, and that there is a picture. How it looks, people judge. */
#include "check.h"

#include <surety-run.h>

#include "render/render.h"

#include <math.h>
#include <string.h>

/* What the leak sanitizer passes over: what fontconfig keeps for the life of
 * the process, once, however many pictures are drawn. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\n";
}

struct fixture {
    surety_doc *doc;
    surety_table *table;
    surety__model model;
    surety_chart chart;
    surety_buf remarks;
    surety_buf out;
    surety_error error;
    bool has_model;
};

static void fixture_init(struct check *t, struct fixture *fixture)
{
    memset(fixture, 0, sizeof(*fixture));
    fixture->chart.size = sizeof(fixture->chart);
    fixture->chart.scale = 1;
    surety_buf_init(&fixture->remarks, check_alloc(t), 0);
    surety_buf_init(&fixture->out, check_alloc(t), 0);
}

static void fixture_done(struct check *t, struct fixture *fixture)
{
    if (fixture->has_model)
        surety__model_done(&fixture->model, check_alloc(t));
    surety_table_free(fixture->table);
    surety_doc_free(fixture->doc);
    surety_buf_done(&fixture->remarks);
    surety_buf_done(&fixture->out);
}

static surety_status read_table(struct check *t, struct fixture *fixture,
                                const char *json)
{
    surety_table_options options = {
        .size = sizeof(options), .census = true, .alloc = check_alloc(t)};
    surety_status status;

    fixture->doc = surety_doc_new(check_alloc(t));
    if (!fixture->doc)
        return SURETY_NOMEM;
    status = surety_doc_read(fixture->doc, surety_str_of(json), NULL,
                             &fixture->error);
    if (status)
        return status;
    options.labels = surety_val_get(surety_doc_root(fixture->doc), "variables");
    return surety_table_read(surety_doc_root(fixture->doc), &options,
                             &fixture->table, &fixture->error);
}

/* The model of the chart over the data. */
static surety_status read_model(struct check *t, struct fixture *fixture,
                                surety_chart_type type, const char *title,
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
        surety_chart_type type;
        const char *title, *json, *x, *y;
        size_t places, series;
    } cases[] = {
        {SURETY_CHART_BAR, "",
         "[[\"B01003_001E\",\"NAME\",\"state\"],[\"39538223\",\"CA\",\"06\"],"
         "[\"1\",\"TX\",\"48\"]]",
         "NAME", "B01003_001E", 2, 1},
        {SURETY_CHART_LINE, "",
         "[[\"Year\",\"Median Household Income (USD)\"],[\"2015\",\"53,889\"],"
         "[\"2016\",\"55,322\"]]",
         "Year", "Median Household Income (USD)", 2, 1},
        {SURETY_CHART_BAR, "Median income of states",
         "{\"data\":[[\"NAME\",\"B1_001E\",\"B1_001M\",\"B2_001E\"],"
         "[\"a\",1,2,3],[\"b\",1,2,3]],\"variables\":{\"B1_001E\":"
         "\"Population\",\"B1_001M\":\"Income margin\",\"B2_001E\":\"Median "
         "income\"}}",
         "NAME", "Median income (B2_001E)", 2, 1},
        {SURETY_CHART_LINE, "",
         "[[\"NAME\",\"Year\",\"v\"],[\"a\",2015,1],[\"a\",2016,2],"
         "[\"b\",2015,1],[\"b\",2016,2]]",
         "Year", "v", 2, 2},
        {SURETY_CHART_BAR, "",
         "[[\"NAME\",\"Year\",\"v\"],[\"a\",2015,1],[\"a\",2016,2],"
         "[\"b\",2015,1],[\"b\",2016,2]]",
         "NAME", "v", 2, 2},
        {SURETY_CHART_BAR, "",
         "[[\"NAME\",\"Year\",\"v\"],[\"a\",2015,1],[\"a\",2016,2]]", "Year",
         "v", 2, 1},
        {SURETY_CHART_LINE, "", "[[\"Age\",\"Share\"],[30,1],[10,2],[20,3]]",
         "Age", "Share", 3, 1},
        {SURETY_CHART_LINE, "", "[[\"state\",\"v\"],[\"06\",1],[\"48\",2]]",
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
    TRY(read_model(t, &fixture, SURETY_CHART_LINE, "T",
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
        surety_chart_type type;
        const char *json, *says;
    } cases[] = {
        {SURETY_CHART_BAR, "[[\"a\"],[\"x\"]]", "needs two columns"},
        {SURETY_CHART_BAR, "[[\"a\",\"b\"],[\"x\",\"y\"]]",
         "no column of numbers to draw: b is text"},
        {SURETY_CHART_BAR, "[[\"a\",\"b\"],[\"x\",null]]", "b is empty"},
        {SURETY_CHART_BAR, "[[\"a\",\"b\"],[\"x\",1e400]]",
         "row 1 has 1e400, which is larger than a chart can show"},
        {SURETY_CHART_BAR, "[[\"a\",\"b\"],[\"x\",\"$5\"],[\"y\",\"5%\"]]",
         "different units"},
        {SURETY_CHART_LINE, "[[\"Year\",\"v\"],[2015,1],[2015,2]]",
         "no other column tells the lines apart"},
        {SURETY_CHART_BAR,
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
    EXPECT(SURETY_SYNTAX, read_model(t, &fixture, SURETY_CHART_BAR, "",
                                     "[[\"NAME\",\"v\"],[\"a\",1]]"));
    CHECK(strstr(fixture.error.message, "no column \"foo\""));
    CHECK(t->starved || strstr(fixture.error.hint, "NAME, v"));
    surety__model_done(&fixture.model, check_alloc(t));
    fixture.has_model = false;
    fixture.chart.x = surety_str_of("name");
    fixture.chart.y = twice;
    fixture.chart.y_count = 2;
    EXPECT(SURETY_SYNTAX,
           surety_chart_draw(fixture.table, &fixture.chart, &fixture.out, NULL,
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

TEST(ends_at_its_bars)
{
    surety_buf json;

    surety_buf_init(&json, NULL, 0);
    for (size_t count = SURETY_CHART_BARS_MAX - 1;
         count <= SURETY_CHART_BARS_MAX + 1; count++) {
        struct fixture fixture;
        surety_status status;
        CHECK(make_rows(&json, count));
        fixture_init(t, &fixture);
        status = read_model(t, &fixture, SURETY_CHART_BAR, "", json.ptr);
        fixture_done(t, &fixture);
        EXPECT(count > SURETY_CHART_BARS_MAX ? SURETY_LIMIT : SURETY_OK,
               status);
    }
done:
    surety_buf_done(&json);
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
                 {3, 12, 0, "3.00T"}};
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
    *status = surety_chart_draw(fixture->table, &fixture->chart, &fixture->out,
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
    fixture.chart.type = SURETY_CHART_LINE;
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
        status = surety_chart_draw(fixture.table, &fixture.chart, &fixture.out,
                                   NULL, &fixture.error);
        if (status == SURETY_UNSUPPORTED)
            break;
        EXPECT(cases[i].want, status);
    }
    surety_buf_reset(&fixture.out);
    fixture.out.max = 100;
    status = surety_chart_draw(fixture.table, &fixture.chart, &fixture.out,
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
        {"ends at its bars", ends_at_its_bars},
        {"puts words on axes", puts_words_on_axes},
        {"shortens values", shortens_values},
        {"draws pictures", draws_pictures},
        {"ends at its sizes", ends_at_its_sizes},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
