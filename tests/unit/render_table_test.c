/* SPDX-License-Identifier: Apache-2.0 */
/* Tables: reading data of both shapes, what columns hold, and the three forms
 * they are written in. */
#include "check.h"

#include <surety-run.h>

#include "render/render.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct fixture {
    surety_doc *doc;
    surety__table *table;
    surety_error error;
};

static surety_status read_table(struct check *t, struct fixture *fixture,
                                const char *json,
                                const surety__table_options *options)
{
    surety__table_options own = {.alloc = NULL};
    surety_status status;

    if (options)
        own = *options;
    own.alloc = check_alloc(t);
    fixture->doc = surety_doc_new(check_alloc(t));
    if (!fixture->doc)
        return SURETY_NOMEM;
    status = surety_doc_read(fixture->doc, surety_str_of(json), NULL,
                             &fixture->error);
    if (status)
        return status;
    if (surety_val_get(surety_doc_root(fixture->doc), "variables").doc)
        own.labels = surety_val_get(surety_doc_root(fixture->doc), "variables");
    return surety__table_read(surety_doc_root(fixture->doc), &own,
                              &fixture->table, &fixture->error);
}

static void fixture_done(struct fixture *fixture)
{
    surety__table_free(fixture->table);
    surety_doc_free(fixture->doc);
}

TEST(reads_numbers)
{
    static const struct {
        const char *text, *want, *unit;
    } cases[] = {{"12", "12", ""},
                 {" 53,889 ", "53889", ""},
                 {"1,234,567.80", "1234567.80", ""},
                 {"-$1.5", "-1.5", "$"},
                 {"$-2", "-2", "$"},
                 {"(12)", "-12", ""},
                 {"12.5 %", "12.5", "%"},
                 {"\xE2\x88\x92"
                  "3",
                  "-3", ""},
                 {"\xE2\x82\xAC"
                  "5",
                  "5", "\xE2\x82\xAC"},
                 {".5", "0.5", ""},
                 {"5.", "5", ""},
                 {"+7", "7", ""},
                 {"06", "6", ""},
                 {"000", "0", ""},
                 {"1e5", "1e5", ""},
                 {"1E-5", "1e-5", ""},
                 {"-0", "-0", ""}};
    static const char *const none[] = {
        "",     "-",   "1,23",     "1,2345", "12,34,567", "1,234,56", "1.2.3",
        "e5",   "1e",  "--1",      "$",      "%",         "5%%",      "1 2",
        "0x10", "12a", "\xC2\xBD", "1,",     ",1",        "Infinity", "nan"};
    surety__figure figure;

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        CHECK(surety__figure_read(surety_str_of(cases[i].text), &figure));
        CHECK_TEXT(((surety_str){figure.text, figure.len}), cases[i].want);
        CHECK_TEXT(figure.unit, cases[i].unit);
    }
    for (size_t i = 0; i < CHECK_COUNT(none); i++)
        CHECK(!surety__figure_read(surety_str_of(none[i]), &figure));
    CHECK(surety__figure_read(surety_str_of("06"), &figure) && figure.is_code);
    CHECK(surety__figure_read(surety_str_of("0"), &figure) && !figure.is_code);
    CHECK(surety__figure_read(surety_str_of("0.5"), &figure) &&
          !figure.is_code && !figure.is_integer);
done:;
}

TEST(reads_numbers_up_to_a_length)
{
    char digits[FIGURE_LEN_MAX + 1];
    surety__figure figure;

    memset(digits, '7', sizeof(digits));
    CHECK(
        surety__figure_read((surety_str){digits, FIGURE_LEN_MAX - 1}, &figure));
    CHECK(surety__figure_read((surety_str){digits, FIGURE_LEN_MAX}, &figure));
    CHECK(figure.len == FIGURE_LEN_MAX);
    CHECK(!surety__figure_read((surety_str){digits, FIGURE_LEN_MAX + 1},
                               &figure));
done:;
}

TEST(knows_what_a_double_holds)
{
    surety__figure figure;

    CHECK(surety__figure_read(surety_str_of("123456789012345"), &figure));
    CHECK(surety__xlsx_holds(&figure));
    CHECK(surety__figure_read(surety_str_of("1234567890123456"), &figure));
    CHECK(!surety__xlsx_holds(&figure));
    CHECK(surety__figure_read(surety_str_of("100000000000000000000"), &figure));
    CHECK(surety__xlsx_holds(&figure));
    CHECK(surety__figure_read(surety_str_of("0.000000000000001"), &figure));
    CHECK(surety__xlsx_holds(&figure));
done:;
}

static const struct {
    const char *text;
    int64_t second;
    surety__grain grain;
} times[] = {
    {"2015", 1420070400, SURETY__GRAIN_YEAR},
    {"2015-07", 1435708800, SURETY__GRAIN_MONTH},
    {"2015/07", 1435708800, SURETY__GRAIN_MONTH},
    {"Jul 2015", 1435708800, SURETY__GRAIN_MONTH},
    {"July 2015", 1435708800, SURETY__GRAIN_MONTH},
    {"Sept. 2015", 1441065600, SURETY__GRAIN_MONTH},
    {"2015-07-01", 1435708800, SURETY__GRAIN_DAY},
    {"2015/7/1", 1435708800, SURETY__GRAIN_DAY},
    {"20150701", 1435708800, SURETY__GRAIN_DAY},
    {"July 1, 2015", 1435708800, SURETY__GRAIN_DAY},
    {"Jul 1st 2015", 1435708800, SURETY__GRAIN_DAY},
    {"1 July 2015", 1435708800, SURETY__GRAIN_DAY},
    {"Wed, 01 Jul 2015", 1435708800, SURETY__GRAIN_DAY},
    {"2015 Q3", 1435708800, SURETY__GRAIN_QUARTER},
    {"2015-Q3", 1435708800, SURETY__GRAIN_QUARTER},
    {"2015Q3", 1435708800, SURETY__GRAIN_QUARTER},
    {"Q3 2015", 1435708800, SURETY__GRAIN_QUARTER},
    /* ISO 8601: the week of January 4 is the first. */
    {"2015-W01", 1419811200, SURETY__GRAIN_WEEK},
    {"2026-W12", 1773619200, SURETY__GRAIN_WEEK},
    {"2026-W12-3", 1773792000, SURETY__GRAIN_DAY},
    {"2015-2019", 1483185600, SURETY__GRAIN_YEARS},
    {"2015\xE2\x80\x93"
     "2019",
     1483185600, SURETY__GRAIN_YEARS},
    /* Times of day: RFC 3339 and what is near it. */
    {"2015-07-01T10:15", 1435745700, SURETY__GRAIN_MINUTE},
    {"2015-07-01 10:15:30", 1435745730, SURETY__GRAIN_SECOND},
    {"2015-07-01T10:15:30Z", 1435745730, SURETY__GRAIN_SECOND},
    {"2015-07-01t10:15:30z", 1435745730, SURETY__GRAIN_SECOND},
    {"2015-07-01T10:15:30.25Z", 1435745730, SURETY__GRAIN_FRACTION},
    {"2015-07-01T10:15:30+02:00", 1435738530, SURETY__GRAIN_SECOND},
    {"2015-07-01 10:15:30 -0930", 1435779930, SURETY__GRAIN_SECOND},
    {"2015-07-01T10:15+02", 1435738500, SURETY__GRAIN_MINUTE},
    {"2015-07-01T10:15+02:00[Europe/Berlin]", 1435738500, SURETY__GRAIN_MINUTE},
    {"2015-07-01 10:15 UTC", 1435745700, SURETY__GRAIN_MINUTE},
    {"2015-07-01 10:15 PM", 1435788900, SURETY__GRAIN_MINUTE},
    {"July 1, 2015 12:15 am", 1435709700, SURETY__GRAIN_MINUTE},
    {"Wed, 01 Jul 2015 10:15:30 +0000", 1435745730, SURETY__GRAIN_SECOND},
    {"2015-07-01T24:00", 1435795200, SURETY__GRAIN_MINUTE},
    {"2015-06-30T23:59:60Z", 1435708800, SURETY__GRAIN_SECOND},
    {"1435745730", 1435745730, SURETY__GRAIN_SECOND},
    {"1435745730.5", 1435745730, SURETY__GRAIN_FRACTION},
    {"1435745730250", 1435745730, SURETY__GRAIN_FRACTION}};
static const char *const no_times[] = {"",
                                       "215",
                                       "20155",
                                       "3015",
                                       "2015-13",
                                       "2015-00",
                                       "2015-7-",
                                       "2019-2015",
                                       "2015 Q5",
                                       "Foo 2015",
                                       "2015-07-32",
                                       "12.2015",
                                       "Q3",
                                       "2015x",
                                       "May",
                                       "2015-123",
                                       "2015-02-29",
                                       "20150229",
                                       "2015-W54",
                                       "2015-W12-8",
                                       "2015-07-01T",
                                       "2015-07-01T25:00",
                                       "2015-07-01T24:01",
                                       "2015-07-01T10:60",
                                       "2015-07-01T10:15:61",
                                       "2015-07-01T10:15:30.",
                                       "2015-07-01T10:15+25:00",
                                       "2015-07-01T10:15 CET",
                                       "2015-07-01T10:15x",
                                       "2015-07-01T13:15 PM",
                                       "31 February 2015",
                                       "February 30, 2015",
                                       "9435745730",
                                       "1435745730x",
                                       "14357457302"};

TEST(reads_times)
{
    surety__moment moment;

    for (size_t i = 0; i < CHECK_COUNT(times); i++) {
        CHECK(surety__moment_read(surety_str_of(times[i].text), &moment));
        CHECK(moment.second == times[i].second);
        CHECK(moment.grain == times[i].grain);
    }
    for (size_t i = 0; i < CHECK_COUNT(no_times); i++)
        CHECK(!surety__moment_read(surety_str_of(no_times[i]), &moment));
    CHECK(surety__moment_read(surety_str_of("2015-07-01T10:15:30.25-03:30"),
                              &moment));
    CHECK(moment.nano == 250000000 && moment.has_offset &&
          moment.offset == -12600);
    CHECK(surety__moment_is_part(surety_str_of("Sept")));
    CHECK(surety__moment_is_part(surety_str_of(" Tuesday")));
    CHECK(surety__moment_is_part(surety_str_of("Q4")));
    CHECK(!surety__moment_is_part(surety_str_of("Q5")));
    CHECK(!surety__moment_is_part(surety_str_of("Ma")));
done:;
}

/* Any time that is written is read as it was, to the nanosecond, whatever its
 * offset (the seed is fixed: a failure prints it by its line). */
TEST(reads_any_time_to_its_resolution)
{
    uint64_t state = 20261122;

    for (int i = 0; i < 20000; i++) {
        surety__moment moment;
        surety__date date;
        char text[64];
        int64_t second;
        uint32_t rest, nano;
        int offset;
        state = state * 6364136223846793005u + 1442695040888963407u;
        /* From the year 1001 to 2998. */
        second = (int64_t)(state >> 28) % 63000000000 - 30500000000;
        nano = (uint32_t)(state >> 20) % 1000000000;
        offset = (int)((state >> 8) % 113 - 56) * 900;
        rest = (uint32_t)(((second + offset) % 86400 + 86400) % 86400);
        date = surety__date_of((second + offset - rest) / 86400);
        snprintf(text, sizeof(text),
                 "%04d-%02u-%02uT%02u:%02u:%02u.%09u%c%02d:%02d",
                 (int)date.year, date.month, date.day, rest / 3600,
                 rest / 60 % 60, rest % 60, nano, offset < 0 ? '-' : '+',
                 (offset < 0 ? -offset : offset) / 3600,
                 (offset < 0 ? -offset : offset) / 60 % 60);
        CHECK(surety__moment_read(surety_str_of(text), &moment));
        CHECK(moment.second == second && moment.nano == nano);
        CHECK(moment.offset == offset);
    }
done:;
}

TEST(tells_columns_apart)
{
    struct fixture fixture = {0};
    static const surety__column_kind want[] = {
        SURETY__COLUMN_TEXT,   SURETY__COLUMN_NUMBER, SURETY__COLUMN_CODE,
        SURETY__COLUMN_TIME,   SURETY__COLUMN_NUMBER, SURETY__COLUMN_CODE,
        SURETY__COLUMN_NUMBER, SURETY__COLUMN_TEXT,   SURETY__COLUMN_TIME,
        SURETY__COLUMN_TEXT};

    TRY(read_table(
        t, &fixture,
        "[[\"NAME\",\"B01003_001E\",\"state\",\"Year\",\"Travel time\","
        "\"zip\",\"mostly\",\"half\",\"when\",\"none\"],"
        "[\"A\",\"39,538,223\",\"6\",\"2015\",\"26.4\",94110,\"1\",\"1\","
        "\"2015-01\",null],"
        "[\"B\",\"1\",\"48\",2016,27,\"10001\",2,\"x\",\"2015-02\",\"N/A\"],"
        "[\"C\",\"2\",\"1\",2017,27,\"10001\",3,\"x\",\"2015-03\",\"\"],"
        "[\"C\",\"2\",\"1\",2017,27,\"10001\",3,\"x\",\"2015-03\",\"NaN\"],"
        "[\"C\",\"-666666666\",\"1\",2017,27,\"10001\",\"odd\",3,\"2015-03\","
        "\"-\"]]",
        NULL));
    CHECK(fixture.table->rows_count == 5);
    CHECK(fixture.table->columns_count == 10);
    for (size_t i = 0; i < CHECK_COUNT(want); i++)
        CHECK(fixture.table->columns[i]->kind == want[i]);
    CHECK(fixture.table->columns[1]->missing == 0);
    CHECK(fixture.table->columns[9]->missing == 5);
done:
    fixture_done(&fixture);
}

TEST(knows_the_stand_ins_of_the_census)
{
    static const surety_str missing[] = {{"-999", 4}, {"?", 1}};
    const surety__table_options census = {.census = true};
    const surety__table_options own = {.missing = missing, .missing_count = 2};
    static const char json[] =
        "{\"data\":[[\"v\"],[\"-666666666\"],[-888888888.0],[\"-222222222\"],"
        "[-999],[\"?\"],[\"**\"],[7]],"
        "\"variables\":{\"v\":\"Estimate!!Total:!!Male:\"}}";
    struct fixture fixture = {0};

    TRY(read_table(t, &fixture, json, &census));
    CHECK(fixture.table->columns[0]->missing == 4);
    CHECK_TEXT(fixture.table->columns[0]->label, "Total: Male");
    fixture_done(&fixture);
    fixture = (struct fixture){0};
    TRY(read_table(t, &fixture, json, &own));
    CHECK(fixture.table->columns[0]->missing == 2);
    CHECK_TEXT(fixture.table->columns[0]->label, "Estimate!!Total:!!Male:");
done:
    fixture_done(&fixture);
}

TEST(says_what_is_wrong_with_data)
{
    static const struct {
        const char *json, *says, *at;
    } cases[] = {
        {"[]", "no rows and no header", ""},
        {"[[\"a\"]]", "a header and no rows", ""},
        {"[[],[]]", "the header, the first of the rows, is empty", "/0"},
        {"[[\"a\",\"b\"],[1]]", "row 1 of the data has 1 value, the header 2",
         "/1"},
        {"[[\"a\"],[1],[1,2]]", "row 2 of the data has 2 values, the header 1",
         "/2"},
        {"[[\"a\"],{}]", "row 1 of the data is of type object, not array",
         "/1"},
        {"[{\"a\":1},[1]]", "row 2 of the data is of type array, not object",
         "/1"},
        {"[{},{}]", "objects without members", ""},
        {"[1,2]", "the first of the rows is of type number", "/0"},
        {"\"x\"", "the data are of type string", ""},
        {"{\"rows\":[]}", "no member \"data\"", ""},
        {"{\"data\":{\"data\":{\"data\":{\"data\":[]}}}}",
         "the rows are below more than 3 members \"data\"", "/data/data/data"}};

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        struct fixture fixture = {0};
        const surety_status status =
            read_table(t, &fixture, cases[i].json, NULL);
        const bool is_right = status == SURETY_SYNTAX &&
                              strstr(fixture.error.message, cases[i].says) &&
                              strcmp(fixture.error.path, cases[i].at) == 0;
        fixture_done(&fixture);
        if (status == SURETY_NOMEM && t->starved)
            goto done;
        CHECK(is_right);
    }
done:;
}

TEST(joins_the_members_of_objects)
{
    struct fixture fixture = {0};
    surety_buf out;
    surety__table_form form = {.format = SURETY__TABLE_CSV};

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(read_table(t, &fixture,
                   "[{\"a\":1,\"b\":\"x\"},{\"c\":true,\"a\":2},{}]", NULL));
    TRY(surety__table_write(fixture.table, &form, &out, NULL));
    CHECK_TEXT(surety_buf_str(&out), "a,b,c\r\n1,x,\r\n2,,true\r\n,,\r\n");
done:
    surety_buf_done(&out);
    fixture_done(&fixture);
}

TEST(writes_csv)
{
    struct fixture fixture = {0};
    surety_buf out;
    surety__table_form form = {.format = SURETY__TABLE_CSV};
    const surety__table_options census = {.census = true};

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(read_table(t, &fixture,
                   "{\"data\":[[\"n\",\"v\",\"c\"],"
                   "[\"a \\\"q\\\", b\",\"53,889\",\"06\"],"
                   "[\"=1+1\",\"-666666666\",\"048\"],"
                   "[\"-2\",\"-5\",null],[\"l\\r\\nm\",\"1.50\",\" x\"],"
                   "[\" @x\",{\"k\":[1]},\"\\u0000\"]],"
                   "\"variables\":{\"v\":\"Value\"}}",
                   &census));
    TRY(surety__table_write(fixture.table, &form, &out, NULL));
    CHECK_TEXT(surety_buf_str(&out),
               "n,v,c\r\n\"a \"\"q\"\", b\",\"53,889\",06\r\n"
               "\"'=1+1\",,048\r\n"
               "-2,-5,\r\n\"l\r\nm\",1.50,\" x\"\r\n\"' @x\","
               "\"{\"\"k\"\":[1]}\",\"\xEF\xBF\xBD\"\r\n");
    surety_buf_reset(&out);
    form.formulas = true;
    form.byte_order_mark = true;
    form.headers = SURETY_HEADERS_BOTH;
    TRY(surety__table_write(fixture.table, &form, &out, NULL));
    CHECK(memcmp(out.ptr, "\xEF\xBB\xBFn,Value (v),c\r\n", 18) == 0);
    CHECK(strstr(out.ptr, "\n=1+1,"));
done:
    surety_buf_done(&out);
    fixture_done(&fixture);
}

/* What a spreadsheet may run is stopped wherever it hides; plain text is not
 * touched. */
TEST(stops_formulas_wherever_they_hide)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"\xEF\xBB\xBF=1", "\"'\xEF\xBB\xBF=1\""},
        {"\n=1", "\"'\n=1\""},
        {"\r\n=1", "\"'\r\n=1\""},
        {" \r=1", "\"' \r=1\""},
        {" \t+1", "\"' \t+1\""},
        {"\n", "\"'\n\""},
        {"\xC2\xA0=1", "\"'\xC2\xA0=1\""},         /* no-break space */
        {"\xE3\x80\x80=1", "\"'\xE3\x80\x80=1\""}, /* wide space */
        {"\xE2\x80\x8B@x", "\"'\xE2\x80\x8B@x\""}, /* of no width */
        {"\xE2\x80\x8D-x", "\"'\xE2\x80\x8D-x\""}, /* joiner */
        {"\xE2\x80\xAE=1", "\"'\xE2\x80\xAE=1\""}, /* turned round */
        {"\xEF\xBC\x9D"
         "1",
         "\"'\xEF\xBC\x9D"
         "1\""}, /* full width = */
        {"\xEF\xBC\x8B"
         "1",
         "\"'\xEF\xBC\x8B"
         "1\""}, /* + */
        {"\xEF\xBC\x8D"
         "1",
         "\"'\xEF\xBC\x8D"
         "1\""},                                 /* - */
        {"\xEF\xBC\xA0x", "\"'\xEF\xBC\xA0x\""}, /* @ */
        {"\xEF\xBB\xBF\n\xEF\xBC\x9D"
         "1",
         "\"'\xEF\xBB\xBF\n\xEF\xBC\x9D"
         "1\""},
        {"a;=1", "\"a;=1\""}, /* where ; separates, no cell of its own */
        {"a\t=1", "\"a\t=1\""},
        {"a=1", "a=1"},
        {"\xE6\x9D\xB1\xE4\xBA\xAC", "\xE6\x9D\xB1\xE4\xBA\xAC"},
        {"\xEF\xBC\x91", "\xEF\xBC\x91"},
        {"", ""}};
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        surety_buf_reset(&out);
        surety__csv_field(surety_str_of(cases[i].text), false, &out);
        TRY(out.status);
        CHECK_TEXT(surety_buf_str(&out), cases[i].want);
        surety_buf_reset(&out);
        surety__csv_field(surety_str_of(cases[i].text), true, &out);
        TRY(out.status);
        CHECK(!memchr(out.ptr ? out.ptr : "", '\'', out.len));
    }
done:
    surety_buf_done(&out);
}

TEST(writes_html_that_is_only_text)
{
    static const surety_str notes[] = {{"<script>alert(1)</script>", 25}};
    struct fixture fixture = {0};
    surety_buf out;
    surety__table_form form = {
        .format = SURETY__TABLE_HTML, .notes = notes, .notes_count = 1};
    surety_str text;

    form.title = surety_str_of("</title><script>x</script>");
    surety_buf_init(&out, check_alloc(t), 0);
    TRY(read_table(t, &fixture,
                   "[[\"<i>\",\"v\"],[\"a&b\\u0000\\\"'\",1234567],"
                   "[\"<img src=x onerror=y>\",null]]",
                   NULL));
    TRY(surety__table_write(fixture.table, &form, &out, NULL));
    text = surety_buf_str(&out);
    CHECK(surety__str_find(text, surety_str_of("<script")) == text.len);
    CHECK(surety__str_find(text, surety_str_of("<img")) == text.len);
    CHECK(surety__str_find(text, surety_str_of("<i>")) == text.len);
    CHECK(surety__str_find(text, surety_str_of("1,234,567")) < text.len);
    CHECK(surety__str_find(text, surety_str_of("aria-label=\"no value\"")) <
          text.len);
    CHECK(surety__str_find(text,
                           surety_str_of("a&amp;b\xEF\xBF\xBD&quot;&#39;")) <
          text.len);
done:
    surety_buf_done(&out);
    fixture_done(&fixture);
}

TEST(writes_workbooks)
{
    struct fixture fixture = {0};
    surety_buf out;
    surety__table_form form = {.format = SURETY__TABLE_XLSX};
    surety_status status;

    surety_buf_init(&out, check_alloc(t), 0);
    surety_buf_text(&out, "before");
    TRY(out.status);
    TRY(read_table(t, &fixture, "[[\"n\",\"v\"],[\"a\",\"1,5\"],[\"b\",2]]",
                   NULL));
    form.scratch = surety_str_of("/dev/null/nowhere");
    status = surety__table_write(fixture.table, &form, &out, &fixture.error);
    if (status == SURETY_UNSUPPORTED)
        goto done; /* a build without it */
    EXPECT(SURETY_IO, status);
    CHECK_TEXT(surety_buf_str(&out), "before");
    form.scratch = surety_str_of("");
    TRY(surety__table_write(fixture.table, &form, &out, &fixture.error));
    CHECK(out.len > 1000 && memcmp(out.ptr + 6, "PK\3\4", 4) == 0);
done:
    surety_buf_done(&out);
    fixture_done(&fixture);
}

/* A text of so many letters of two bytes in a cell of a sheet: 32,767 are the
 * most. */
TEST(ends_at_the_text_of_a_cell)
{
    for (size_t count = 32766; count <= 32768; count++) {
        struct fixture fixture = {0};
        surety__table_form form = {.format = SURETY__TABLE_XLSX};
        surety_status status;
        surety_buf json, out;
        surety_buf_init(&json, NULL, 0);
        surety_buf_init(&out, check_alloc(t), 0);
        surety_buf_text(&json, "[[\"n\"],[\"");
        for (size_t i = 0; i < count; i++)
            surety_buf_text(&json, "\xC3\xA9");
        surety_buf_text(&json, "\"]]");
        surety_buf_byte(&json, '\0');
        status =
            json.status ? json.status : read_table(t, &fixture, json.ptr, NULL);
        if (!status)
            status =
                surety__table_write(fixture.table, &form, &out, &fixture.error);
        fixture_done(&fixture);
        surety_buf_done(&json);
        surety_buf_done(&out);
        if (status == SURETY_UNSUPPORTED)
            goto done; /* a build without it */
        EXPECT(count > 32767 ? SURETY_LIMIT : SURETY_OK, status);
        if (status)
            CHECK_TEXT(surety_str_of(fixture.error.message),
                       "row 1 has a text of 32768 characters, and a cell of a "
                       "sheet holds at most 32767");
        if (status)
            CHECK_TEXT(surety_str_of(fixture.error.hint),
                       "csv and html have no such limit");
    }
done:;
}

/* Writes a table with a title in a folder where files have at most so many
 * bytes. */
static surety_status write_within(struct fixture *fixture, const char *folder,
                                  rlim_t bytes, surety_buf *out)
{
    const surety_str notes[] = {{"n & n", 5}};
    const surety__table_form form = {.format = SURETY__TABLE_XLSX,
                                     .title = {"t_", 2},
                                     .notes = notes,
                                     .notes_count = 1,
                                     .scratch = surety_str_of(folder)};
    struct rlimit was, now;
    surety_status status;

    getrlimit(RLIMIT_FSIZE, &was);
    now = (struct rlimit){bytes, was.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
    status = surety__table_write(fixture->table, &form, out, &fixture->error);
    setrlimit(RLIMIT_FSIZE, &was);
    return status;
}

/* Whether the system keeps to such a limit where room is asked for. */
static bool keeps_within(const char *folder)
{
    const struct rlimit now = {1000, RLIM_INFINITY};
    struct rlimit was;
    char path[64];
    bool keeps = false;
    int fd;

    snprintf(path, sizeof(path), "%s/XXXXXX", folder);
    fd = mkstemp(path);
    if (fd < 0)
        return false;
    getrlimit(RLIMIT_FSIZE, &was);
    if (setrlimit(RLIMIT_FSIZE, &now) == 0)
        keeps = posix_fallocate(fd, 0, 1001) != 0;
    setrlimit(RLIMIT_FSIZE, &was);
    close(fd);
    unlink(path);
    return keeps;
}

/* Room for all of a workbook is asked for before it is written: twice its
 * sheets (a hundred bytes a cell beside its text, six more for what is escaped)
 * and 128 KiB. Nothing is left behind. */
TEST(needs_room_for_workbooks)
{
    /* a, b; x&y_ and its two escapes; - and 1, of null nothing; t_ and its
     * one; n & n and its one */
    static const rlim_t sheets =
        101 + 101 + 104 + 12 + 101 + 100 + 102 + 6 + 105 + 6;
    static const rlim_t all = 2 * sheets + 131072;
    char folder[] = "/tmp/surety-room-XXXXXX";
    void (*was)(int) = signal(SIGXFSZ, SIG_IGN);
    struct fixture fixture = {0};
    surety_buf out;
    surety_status status;

    surety_buf_init(&out, check_alloc(t), 0);
    NEED(mkdtemp(folder));
    if (!keeps_within(folder))
        goto done;
    TRY(read_table(t, &fixture, "[[\"a\",\"b\"],[\"x&y_\",null],[\"-\",1]]",
                   NULL));
    status = write_within(&fixture, folder, all, &out);
    if (status == SURETY_UNSUPPORTED)
        goto done; /* a build without it */
    EXPECT(SURETY_OK, status);
    surety_buf_reset(&out);
    EXPECT(SURETY_IO, write_within(&fixture, folder, all - 1, &out));
    CHECK(out.len == 0);
    CHECK(strstr(fixture.error.message, "no temporary file can be made in "));
    CHECK(strstr(fixture.error.message, folder));
    CHECK_TEXT(surety_str_of(fixture.error.hint),
               "the workbook needs up to 1 MB there");
    /* Before anything is known, there must be room for the rest. */
    EXPECT(SURETY_IO, write_within(&fixture, folder, 131071, &out));
    CHECK_TEXT(surety_str_of(fixture.error.hint),
               "the workbook needs up to 1 MB there");
done:
    signal(SIGXFSZ, was);
    if (rmdir(folder))
        check_that(t, false, "the folder is empty", __FILE__, __LINE__);
    surety_buf_done(&out);
    fixture_done(&fixture);
}

/* Folders that are not there, or whose path is too long. */
TEST(says_where_workbooks_cannot_be_made)
{
    static const size_t longest = 1024 - sizeof("/surety-XXXXXX");
    struct fixture fixture = {0};
    surety__table_form form = {.format = SURETY__TABLE_XLSX};
    char path[1024];
    surety_status status;
    surety_buf out;

    memset(path, '/', sizeof(path));
    surety_buf_init(&out, check_alloc(t), 0);
    TRY(read_table(t, &fixture, "[[\"a\"],[1]]", NULL));
    form.scratch = surety_str_of("/dev/null/nowhere");
    status = surety__table_write(fixture.table, &form, &out, &fixture.error);
    if (status == SURETY_UNSUPPORTED)
        goto done; /* a build without it */
    EXPECT(SURETY_IO, status);
    CHECK_TEXT(surety_str_of(fixture.error.message),
               "no temporary file can be made in /dev/null/nowhere: Not a "
               "directory");
    CHECK_TEXT(surety_str_of(fixture.error.hint), "");
    form.scratch = (surety_str){path, longest + 1};
    EXPECT(SURETY_IO,
           surety__table_write(fixture.table, &form, &out, &fixture.error));
    CHECK_TEXT(surety_str_of(fixture.error.message),
               "the scratch folder's path is too long");
    memcpy(path + longest - 3, "tmp", 3);
    form.scratch = (surety_str){path, longest};
    TRY(surety__table_write(fixture.table, &form, &out, &fixture.error));
done:
    surety_buf_done(&out);
    fixture_done(&fixture);
}

/* A buffer that may not hold the table is as it was before. */
TEST(ends_at_its_buffer)
{
    static const surety__table_format formats[] = {
        SURETY__TABLE_CSV, SURETY__TABLE_HTML, SURETY__TABLE_XLSX};
    struct fixture fixture = {0};
    surety__table_form form = {.format = SURETY__TABLE_CSV};
    surety_status status;
    surety_buf out;

    TRY(read_table(t, &fixture, "[[\"a\"],[\"0123456789\"]]", NULL));
    for (size_t i = 0; i < CHECK_COUNT(formats); i++) {
        form.format = formats[i];
        surety_buf_init(&out, check_alloc(t), 10);
        surety_buf_text(&out, "ab");
        status =
            surety__table_write(fixture.table, &form, &out, &fixture.error);
        surety_buf_done(&out);
        if (status == SURETY_UNSUPPORTED)
            goto done; /* a build without it */
        EXPECT(SURETY_LIMIT, status);
        CHECK_TEXT(surety_str_of(fixture.error.message),
                   "the table is larger than its buffer may be");
    }
done:
    fixture_done(&fixture);
}

/* Just as much as is written; what stood there before is kept. */
TEST(keeps_what_stood_in_its_buffer)
{
    struct fixture fixture = {0};
    surety__table_form form = {.format = SURETY__TABLE_CSV};
    surety_buf out;

    for (size_t max = 9; max <= 10; max++) {
        surety_status status;
        bool is_kept;
        surety_buf_init(&out, check_alloc(t), max);
        surety_buf_text(&out, "ab");
        status = read_table(t, &fixture, "[[\"a\"],[12345]]", NULL);
        if (!status)
            status =
                surety__table_write(fixture.table, &form, &out, &fixture.error);
        is_kept = out.len == 2 && memcmp(out.ptr, "ab", 2) == 0;
        surety_buf_done(&out);
        fixture_done(&fixture);
        fixture = (struct fixture){0};
        EXPECT(SURETY_LIMIT, status);
        CHECK(is_kept);
    }
    surety_buf_init(&out, check_alloc(t), 0);
    TRY(read_table(t, &fixture, "[[\"a\"],[1]]", NULL));
    form.format = (surety__table_format)7;
    EXPECT(SURETY_MISUSE,
           surety__table_write(fixture.table, &form, &out, &fixture.error));
    CHECK_TEXT(surety_str_of(fixture.error.message),
               "7 is no format of tables");
done:
    fixture_done(&fixture);
}

TEST(names_the_kinds_of_columns)
{
    CHECK_TEXT(surety_str_of(surety__column_kind_name((surety__column_kind)9)),
               "text");
done:;
}

TEST(ends_at_its_columns)
{
    struct fixture fixture = {0};
    surety_buf json;

    surety_buf_init(&json, NULL, 0);
    for (size_t count = SURETY_TABLE_COLUMNS_MAX - 1;
         count <= SURETY_TABLE_COLUMNS_MAX + 1; count++) {
        surety_status status;
        surety_buf_reset(&json);
        surety_buf_text(&json, "[[\"a\"");
        for (size_t i = 1; i < count; i++)
            surety_buf_text(&json, ",\"a\"");
        surety_buf_text(&json, "],[1");
        for (size_t i = 1; i < count; i++)
            surety_buf_text(&json, ",1");
        surety_buf_text(&json, "]]");
        surety_buf_byte(&json, '\0');
        CHECK(!json.status);
        status = read_table(t, &fixture, json.ptr, NULL);
        fixture_done(&fixture);
        fixture.table = NULL;
        fixture.doc = NULL;
        EXPECT(count > SURETY_TABLE_COLUMNS_MAX ? SURETY_LIMIT : SURETY_OK,
               status);
        if (status)
            CHECK_TEXT(surety_str_of(fixture.error.message),
                       "the data have more than 2000 columns, the most a "
                       "table has");
    }
done:
    surety_buf_done(&json);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"reads numbers as people write them", reads_numbers},
        {"reads numbers up to a length", reads_numbers_up_to_a_length},
        {"knows what a double holds", knows_what_a_double_holds},
        {"reads times", reads_times},
        {"reads any time to its resolution", reads_any_time_to_its_resolution},
        {"tells kinds of columns apart", tells_columns_apart},
        {"knows what stands for no value", knows_the_stand_ins_of_the_census},
        {"says what is wrong with data", says_what_is_wrong_with_data},
        {"joins the members of objects", joins_the_members_of_objects},
        {"writes CSV", writes_csv},
        {"stops formulas wherever they hide",
         stops_formulas_wherever_they_hide},
        {"writes HTML that is only text", writes_html_that_is_only_text},
        {"writes workbooks", writes_workbooks},
        {"ends at the text of a cell", ends_at_the_text_of_a_cell},
        {"needs room for workbooks", needs_room_for_workbooks},
        {"says where workbooks cannot be made",
         says_where_workbooks_cannot_be_made},
        {"ends at its buffer", ends_at_its_buffer},
        {"keeps what stood in its buffer", keeps_what_stood_in_its_buffer},
        {"names the kinds of columns", names_the_kinds_of_columns},
        {"ends at its columns", ends_at_its_columns},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
