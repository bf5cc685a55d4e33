/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of values that do not satisfy a schema, and which are refused.
 * Every result is checked, written, and aligned once more, which must change
 * nothing. */
#include "check.h"

#include "align/align.h"

#include <string.h>

struct aligned {
    const char *schema, *value;
    const char *want; /* NULL: refused */
};

struct bench {
    surety_schema *schema;
    surety_doc *doc, *out, *again;
    surety__aligner *aligner;
    surety_checker *checker;
};

static bool bench_make(struct check *t, struct bench *bench)
{
    *bench =
        (struct bench){.doc = surety_doc_new(check_alloc(t)),
                       .out = surety_doc_new(check_alloc(t)),
                       .again = surety_doc_new(check_alloc(t)),
                       .aligner = surety__aligner_new(check_alloc(t), NULL),
                       .checker = surety_checker_new(check_alloc(t), NULL)};
    NEED(bench->doc);
    NEED(bench->out);
    NEED(bench->again);
    NEED(bench->aligner);
    NEED(bench->checker);
    return true;
done:
    return false;
}

static void bench_done(struct bench *bench)
{
    surety_checker_free(bench->checker);
    surety__aligner_free(bench->aligner);
    surety_doc_free(bench->again);
    surety_doc_free(bench->out);
    surety_doc_free(bench->doc);
    surety_schema_free(bench->schema);
}

static bool bench_schema(struct check *t, struct bench *bench, const char *text)
{
    surety_schema_free(bench->schema);
    bench->schema = NULL;
    TRY(check_schema(t, text, &bench->schema));
    return true;
done:
    return false;
}

/* The result is `want`, valid, and stays as it is. */
static bool bench_result(struct check *t, struct bench *bench, const char *want)
{
    bool valid = false;

    TRY(surety_checker_check(bench->checker, bench->schema,
                             surety_doc_root(bench->out), &valid, NULL));
    CHECK(valid);
    CHECK_JSON(surety_doc_root(bench->out), want);
    TRY(surety__aligner_align(bench->aligner, bench->schema,
                              surety_doc_root(bench->out), bench->again, NULL));
    CHECK(surety__aligner_edits(bench->aligner)->count == 0);
    CHECK(surety__aligner_edits(bench->aligner)->cost == 0);
    CHECK(surety_val_equal(surety_doc_root(bench->out),
                           surety_doc_root(bench->again)));
    return true;
done:
    return false;
}

static void aligned_hold(struct check *t, const struct aligned *rows,
                         size_t count)
{
    struct bench bench;

    if (!bench_make(t, &bench))
        goto done;
    for (size_t i = 0; i < count; i++) {
        const struct aligned *row = &rows[i];
        surety_status status;

        if (!bench_schema(t, &bench, row->schema))
            goto done;
        TRY(surety_doc_read(bench.doc, surety_str_of(row->value), NULL, NULL));
        status =
            surety__aligner_align(bench.aligner, bench.schema,
                                  surety_doc_root(bench.doc), bench.out, NULL);
        if (status == SURETY_NOMEM && t->starved)
            goto done;
        if ((status == SURETY_OK) != (row->want != NULL))
            printf("# %s for %s: %s\n", row->value, row->schema,
                   surety_status_name(status));
        CHECK(status == (row->want ? SURETY_OK : SURETY_END));
        if (row->want && !bench_result(t, &bench, row->want))
            goto done;
    }
done:
    bench_done(&bench);
}

#define HOLD(rows) aligned_hold(t, rows, CHECK_COUNT(rows))

TEST(numbers)
{
#define NUMBER "{\"type\":\"number\"}"
#define INTEGER "{\"type\":\"integer\"}"
    static const struct aligned rows[] = {
        {INTEGER, "\"42\"", "42"},
        {INTEGER, "\" 42 \"", "42"},
        {INTEGER, "\"-5\"", "-5"},
        {INTEGER, "\"+5\"", "5"},
        {INTEGER,
         "\"\xE2\x88\x92"
         "5\"",
         "-5"},
        {INTEGER, "\"007\"", "7"},
        {INTEGER, "\"18,204\"", "18204"},
        {INTEGER, "\"1,318,204\"", "1318204"},
        {INTEGER, "\"1_000\"", "1000"},
        {INTEGER, "\"1 234 567\"", "1234567"},
        {INTEGER, "\"0x1F\"", "31"},
        {INTEGER, "\"4/2\"", "2"},
        {INTEGER, "\"3.0\"", "3.0"},
        {INTEGER, "\"123456789012345678901234567890\"",
         "123456789012345678901234567890"},
        {NUMBER, "\"$1,234.50\"", "1234.50"},
        {NUMBER, "\"-$5\"", "-5"},
        {NUMBER, "\"5 \xE2\x82\xAC\"", "5"},
        {NUMBER, "\"3/4\"", "0.75"},
        {NUMBER, "\"1/8\"", "0.125"},
        {NUMBER, "\".5\"", "0.5"},
        {NUMBER, "\"5.\"", "5"},
        {NUMBER, "\"1.5e+3\"", "1.5e+3"},
        {NUMBER, "\"1e400\"", "1e400"},
        {INTEGER, "\"3.7\"", NULL},
        {INTEGER, "3.7", NULL},
        {INTEGER, "\"1/2\"", NULL},
        {INTEGER, "\"\"", NULL},
        {INTEGER, "true", NULL},
        {INTEGER, "null", NULL},
        {NUMBER, "\"1/3\"", NULL},
        {NUMBER, "\"1/0\"", NULL},
        {NUMBER, "\"1,31\"", NULL},
        {NUMBER, "\"0,123\"", NULL},
        {NUMBER, "\"1234,567\"", NULL},
        {NUMBER, "\"1.204,5\"", NULL},
        {NUMBER, "\"1.204.567\"", NULL},
        {NUMBER, "\"2,5\"", NULL},
        {NUMBER, "\"45%\"", NULL},
        {NUMBER, "\"12 kg\"", NULL},
        {NUMBER, "\"about 40\"", NULL},
        {NUMBER, "\"2024-05-01\"", NULL},
        {NUMBER, "\"12:30\"", NULL},
        {NUMBER, "\"5e\"", NULL},
        {NUMBER, "\"--5\"", NULL},
        {NUMBER, "\".\"", NULL},
        {NUMBER, "\"$\"", NULL},
        {NUMBER, "\"0x\"", NULL},
        {NUMBER, "\"ten\"", NULL},
        {NUMBER, "\"NaN\"", NULL},
        {"{\"type\":\"integer\",\"minimum\":0}", "-3", NULL},
        {"{\"type\":\"integer\",\"minimum\":0}", "\"-3\"", NULL},
        {"{\"$schema\":\"http://json-schema.org/draft-04/schema#\","
         "\"type\":\"integer\"}",
         "-120.00", "-120"},
    };

    HOLD(rows);
}

/* Signs, exponents, currencies, groups of three. */
TEST(numbers_at_their_edges)
{
    static const struct aligned rows[] = {
        {NUMBER, "\"0\"", "0"},
        {NUMBER, "\"00\"", "0"},
        {NUMBER, "\"000.5\"", "0.5"},
        {NUMBER, "\"-0\"", "-0"},
        {NUMBER, "\"-.5\"", "-0.5"},
        {NUMBER, "\"+-5\"", NULL},
        {NUMBER, "\"-+5\"", NULL},
        {NUMBER, "\"- 5\"", NULL},
        {NUMBER, "\"-\"", NULL},
        {NUMBER, "\"1e5\"", "1e5"},
        {NUMBER, "\"1E-5\"", "1E-5"},
        {NUMBER, "\"5.e3\"", "5e3"},
        {NUMBER, "\"1e+\"", NULL},
        {NUMBER, "\"1e5x\"", NULL},
        {NUMBER, "\"1.2.3\"", NULL},
        {NUMBER, "\"$-5\"", "-5"},
        {NUMBER, "\"$ -5\"", "-5"},
        {NUMBER, "\"-$-5\"", NULL},
        {NUMBER, "\"+$-5\"", NULL},
        {NUMBER, "\"+$5\"", "5"},
        {NUMBER, "\"US$5\"", "5"},
        {NUMBER, "\"USD 5\"", "5"},
        {NUMBER, "\"5 EUR\"", "5"},
        {NUMBER, "\"GBP5\"", "5"},
        {NUMBER, "\"\\u00a35\"", "5"},
        {NUMBER, "\"5\\u00a5\"", "5"},
        {NUMBER, "\"\\u20b9 5\"", "5"},
        {NUMBER, "\"$5 USD\"", NULL},
        {NUMBER, "\"5 USD $\"", NULL},
        {NUMBER, "\"5 US\"", NULL},
        {NUMBER, "\"1'234\"", "1234"},
        {NUMBER, "\"1\\u00a0234\"", "1234"},
        {NUMBER, "\"1\\u202f234\"", "1234"},
        {NUMBER, "\"1\\u2009234\"", "1234"},
        {NUMBER, "\"1\\u2019234\"", "1234"},
        {NUMBER, "\"12,345\"", "12345"},
        {NUMBER, "\"123,456.5\"", "123456.5"},
        {NUMBER, "\"1,234e2\"", "1234e2"},
        {NUMBER, "\"1,234,56\"", NULL},
        {NUMBER, "\"1,2345\"", NULL},
        {NUMBER, "\"1,234 567\"", NULL},
        {NUMBER, "\"1,\"", NULL},
        {NUMBER, "\"1,x\"", NULL},
        {NUMBER, "\"1,234,\"", NULL},
    };

    HOLD(rows);
}

/* Underscores, fractions, hexadecimal. */
TEST(numbers_of_other_forms)
{
    static const struct aligned rows[] = {
        {NUMBER, "\"1_2_3\"", "123"},
        {NUMBER, "\"0_1\"", "1"},
        {NUMBER, "\"1234_5\"", "12345"},
        {NUMBER, "\"1_\"", NULL},
        {NUMBER, "\"1__2\"", NULL},
        {NUMBER, "\"1_2_\"", NULL},
        {NUMBER, "\"10/4\"", "2.5"},
        {NUMBER, "\"1 / 4\"", "0.25"},
        {NUMBER, "\"-3/4\"", "-0.75"},
        {NUMBER, "\"0/5\"", "0"},
        {NUMBER, "\"120/6\"", "20"},
        {NUMBER, "\"999999999/1\"", "999999999"},
        {NUMBER, "\"1000000000/1\"", NULL},
        {NUMBER, "\"1/100000000\"", "0.00000001"},
        {NUMBER, "\"1/1000000000\"", NULL},
        {NUMBER, "\"1/4096\"", "0.000244140625"},
        {NUMBER, "\"1/8192\"", NULL},
        {NUMBER, "\"1/02\"", NULL},
        {NUMBER, "\"1/\"", NULL},
        {NUMBER, "\"/2\"", NULL},
        {NUMBER, "\"1/2/3\"", NULL},
        {NUMBER, "\"0x0\"", "0"},
        {NUMBER, "\"0X10\"", "16"},
        {NUMBER, "\"-0xaF\"", "-175"},
        {NUMBER, "\"0xfffffffffffffff\"", "1152921504606846975"},
        {NUMBER, "\"0x1000000000000000\"", NULL},
        {NUMBER, "\"0xg\"", NULL},
        {NUMBER, "\"0x1g\"", NULL},
    };

    HOLD(rows);
}

TEST(long_numbers)
{
    char text[1010], want[1010];

    for (size_t len = 999; len <= 1001; len++) {
        const struct aligned row = {NUMBER, text, len <= 1000 ? want : NULL};

        memset(want, '7', len);
        want[len] = '\0';
        text[0] = text[len + 1] = '"';
        memcpy(text + 1, want, len);
        text[len + 2] = '\0';
        aligned_hold(t, &row, 1);
        if (t->failed || t->starved)
            return;
    }
}

TEST(numbers_with_units)
{
    static const struct aligned rows[] = {
        {NUMBER, "\"45%\"", NULL},
        {NUMBER, "\"12 kg\"", NULL},
        {NUMBER, "\"12kg\"", NULL},
        {NUMBER, "\"2,5\"", NULL},
        {NUMBER, "\"2,5 km\"", NULL},
        {NUMBER, "\"1.204,5\"", NULL},
        {NUMBER, "\"1,204\"", "1204"},
        {NUMBER, "\"12 kilograms of apples\"", NULL},
        {NUMBER, "\"$45%\"", NULL},
        {NUMBER, "\"45 %\"", NULL},
        {NUMBER, "\"45%%\"", NULL},
        {NUMBER, "\"5 m/s\"", NULL},
        {NUMBER, "\"5 \\u00b0C\"", NULL},
        {NUMBER, "\"5 m\\u00b2\"", NULL},
        {NUMBER, "\"5 m\\u00b3\"", NULL},
        {NUMBER, "\"5 m\\u00b1\"", NULL},
        {NUMBER, "\"5 abcdefghijkl\"", NULL},
        {NUMBER, "\"5 abcdefghijklm\"", NULL},
        {NUMBER, "\"5 kg EUR\"", NULL},
        {NUMBER, "\"5 EUR kg\"", NULL},
        {NUMBER, "\"-1,5\"", NULL},
        {NUMBER, "\"\\u20ac 1,5\"", NULL},
        {NUMBER, "\",5\"", NULL},
        {NUMBER, "\"5,\"", NULL},
        {NUMBER, "\"1,5,5\"", NULL},
        {NUMBER, "\"1,23\"", NULL},
        {NUMBER, "\"1,2345\"", NULL},
        {NUMBER, "\"123,456\"", "123456"},
        {NUMBER, "\"1234,567\"", NULL},
        {NUMBER, "\"1.234,567\"", NULL},
        {NUMBER, "\"1.234.567,8\"", NULL},
        {NUMBER, "\"123.456,7\"", NULL},
        {NUMBER, "\"12.34,5\"", NULL},
        {NUMBER, "\"1234.567,8\"", NULL},
        {NUMBER, "\"1.5\"", "1.5"},
    };

    HOLD(rows);
}

TEST(scalars)
{
#define BOOLEAN "{\"type\":\"boolean\"}"
#define STRING "{\"type\":\"string\"}"
    static const struct aligned rows[] = {
        {BOOLEAN, "\"yes\"", "true"},
        {BOOLEAN, "\"No.\"", "false"},
        {BOOLEAN, "\" TRUE \"", "true"},
        {BOOLEAN, "\"Yes, the door is open\"", "true"},
        {BOOLEAN, "1", "true"},
        {BOOLEAN, "0", "false"},
        {BOOLEAN, "2", NULL},
        {BOOLEAN, "\"1\"", NULL},
        {BOOLEAN, "\"yes and no\"", NULL},
        {BOOLEAN, "\"yes?\"", NULL},
        {BOOLEAN, "\"not true\"", NULL},
        {BOOLEAN, "\"no problem\"", NULL},
        {BOOLEAN, "\"\"", NULL},
        {"{\"type\":[\"boolean\",\"integer\"]}", "\"1\"", "1"},
        {STRING, "12", "\"12\""},
        {STRING, "1.10", "\"1.10\""},
        {STRING, "12345678901234567890123", "\"12345678901234567890123\""},
        {STRING, "true", "\"true\""},
        {STRING, "null", NULL},
        {"{\"type\":[\"integer\",\"null\"]}", "\"null\"", "null"},
        {"{\"type\":[\"integer\",\"null\"]}", "\"None\"", "null"},
        {"{\"type\":[\"integer\",\"null\"]}", "\"N/A\"", "null"},
        {"{\"type\":[\"integer\",\"null\"]}", "\"\"", "null"},
        {"{\"type\":[\"integer\",\"null\"]}", "\"unknown\"", NULL},
        {"{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"null\"}]}", "\"none\"",
         "null"},
        {"{\"type\":[\"string\",\"null\"],\"minLength\":9}", "\"none\"", NULL},
        {"{\"enum\":[\"a\",null]}", "\"none\"", NULL},
        /* The exact type wins. */
        {"{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}]}", "\"12\"",
         "\"12\""},
        {"{\"type\":[\"integer\",\"string\"],\"maximum\":3}", "5", NULL},
        {"{\"type\":[\"integer\",\"string\"],\"minLength\":3}", "\"12\"", NULL},
        {"{\"anyOf\":[{\"enum\":[\"auto\"]},{\"type\":\"integer\"}]}", "\"12\"",
         "12"},
        {"{\"type\":\"string\",\"pattern\":\"^[0-9]{5}$\"}", "\"12-ab\"", NULL},
        {"{\"type\":\"string\",\"pattern\":\"^[0-9]{5}$\"}", "12345",
         "\"12345\""},
    };

    HOLD(rows);
}

TEST(choices)
{
#define STATUS "{\"enum\":[\"todo\",\"in_progress\",\"done\"]}"
    static const struct aligned rows[] = {
        {STATUS, "\"DONE\"", "\"done\""},
        {STATUS, "\" done \"", "\"done\""},
        {STATUS, "\"'done'.\"", "\"done\""},
        {STATUS, "\"**done**\"", "\"done\""},
        {STATUS, "\"in progress\"", "\"in_progress\""},
        {STATUS, "\"In-Progress\"", "\"in_progress\""},
        {STATUS, "\"inProgress\"", "\"in_progress\""},
        {STATUS, "\"d\\u00f3ne\"", "\"done\""},
        {STATUS, "\"do\\u0301ne\"", "\"done\""},
        {STATUS, "\"Done \\u2014 because it works\"", "\"done\""},
        {STATUS, "\"Done - because it works\"", "\"done\""},
        {STATUS, "\"done (finally)\"", "\"done\""},
        {STATUS, "\"Status: In progress\"", "\"in_progress\""},
        {STATUS, "\"postponed\"", NULL},
        {STATUS, "\"todo or done\"", NULL},
        {STATUS, "\"todo/done\"", NULL},
        {STATUS, "\"not done\"", NULL},
        {STATUS, "\"done? no\"", NULL},
        {STATUS, "\"done - not really\"", NULL},
        {STATUS, "\"done?\"", NULL},
        {STATUS, "\"undone\"", NULL},
        {STATUS, "\"done-ish\"", NULL},
        {STATUS, "\"almost done\"", NULL},
        {STATUS, "\"\"", NULL},
        {STATUS, "\"...\"", NULL},
        {"{\"enum\":[\"Low\",\"low\"]}", "\"LOW\"", NULL},
        {"{\"enum\":[\"C\",\"C++\"]}", "\"c++\"", "\"C++\""},
        {"{\"enum\":[\"+\",\"-\"]}", "\"*\"", NULL},
        {"{\"enum\":[\"\",\"-\"]}", "\"/\"", NULL},
        {"{\"enum\":[\"wont_fix\"]}", "\"Won't fix\"", "\"wont_fix\""},
        {"{\"enum\":[\"A\",\"B\"]}", "\"B) the second\"", "\"B\""},
        {"{\"enum\":[\"15\",\"1.5\"]}", "\"1,5\"", NULL},
        {"{\"enum\":[\"\\u043c\\u043e\\u0441\\u043a\\u0432\\u0430\"]}",
         "\"\\u041c\\u043e\\u0441\\u043a\\u0432\\u0430\"",
         "\"\xD0\xBC\xD0\xBE\xD1\x81\xD0\xBA\xD0\xB2\xD0\xB0\""},
        {"{\"enum\":[\"\\u03bf\\u03b4\\u03cc\\u03c2\"]}",
         "\"\\u039f\\u0394\\u039f\\u03a3\"",
         "\"\xCE\xBF\xCE\xB4\xCF\x8C\xCF\x82\""},
        {"{\"enum\":[\"stra\\u00dfe\"]}", "\"STRASSE\"",
         "\"stra\xC3\x9F"
         "e\""},
        {"{\"enum\":[1,2,3]}", "\"2\"", "2"},
        {"{\"enum\":[1,2,3]}", "\"4\"", NULL},
        {"{\"enum\":[\"1\",\"2\"]}", "2", "\"2\""},
        {"{\"enum\":[\"1\",\"2\"]}", "2.0", NULL},
        {"{\"enum\":[\"True\",\"False\"]}", "true", "\"True\""},
        {"{\"enum\":[\"yes\",\"no\"]}", "true", NULL},
        {"{\"const\":\"circle\"}", "\"Circle\"", "\"circle\""},
    };

    HOLD(rows);
}

TEST(keys)
{
#define CLOSED(properties)                                                     \
    "{\"type\":\"object\",\"properties\":{" properties                         \
    "},\"additionalProperties\":false}"
#define TWO "\"id\":{\"type\":\"integer\"},\"first_name\":{\"type\":\"string\"}"
    static const struct aligned rows[] = {
        {CLOSED(TWO), "{\"ID\":1,\"firstName\":\"a\"}",
         "{\"id\":1,\"first_name\":\"a\"}"},
        {CLOSED(TWO), "{\" Id \":1,\"First Name\":\"a\"}",
         "{\"id\":1,\"first_name\":\"a\"}"},
        {CLOSED(TWO), "{\"\\u00edd\":1,\"first-name\":\"a\"}",
         "{\"id\":1,\"first_name\":\"a\"}"},
        {CLOSED(TWO), "{\"**id**\":1}", "{\"id\":1}"},
        {CLOSED(TWO), "{\"id\":1,\"x\":2}", "{\"id\":1}"},
        {CLOSED(TWO), "{\"Id\":1,\"id\":2}", "{\"id\":2}"},
        {CLOSED(TWO), "{\"Id\":1,\"ID\":2}", NULL},
        {CLOSED(TWO), "{\"x\":1}", NULL},
        {CLOSED(TWO), "{\"id\":null,\"first_name\":\"a\"}",
         "{\"first_name\":\"a\"}"},
        {CLOSED(TWO), "{\"id\":\"x\"}", NULL},
        /* Where more is allowed, more is kept. */
        {"{\"properties\":{" TWO "},\"required\":[\"id\"]}",
         "{\"id\":\"2\",\"Id\":1,\"x\":1}", "{\"id\":2,\"Id\":1,\"x\":1}"},
        {"{\"properties\":{" TWO "},\"required\":[\"id\"]}",
         "{\"ID\":1,\"firstName\":\"a\"}", "{\"id\":1,\"firstName\":\"a\"}"},
        {"{\"properties\":{" TWO "},\"required\":[\"id\"]}",
         "{\"id\":null,\"first_name\":\"a\"}", NULL},
        {"{\"properties\":{" TWO "},\"required\":[\"id\"]}", "{\"userid\":1}",
         NULL},
        /* Nothing is made up. */
        {"{\"properties\":{\"a\":{\"type\":\"null\"}},\"required\":[\"a\"]}",
         "{}", NULL},
        {"{\"properties\":{\"a\":{\"const\":1}},\"required\":[\"a\"]}", "{}",
         NULL},
        {"{\"properties\":{\"a\":{\"default\":1}},\"required\":[\"a\"]}", "{}",
         NULL},
        {"{\"type\":\"object\",\"additionalProperties\":{\"type\":"
         "\"integer\"}}",
         "{\"a b\":\"1\",\"c\":2}", "{\"a b\":1,\"c\":2}"},
        {"{\"patternProperties\":{\"^x\":{\"type\":\"integer\"}},"
         "\"additionalProperties\":false}",
         "{\"x1\":\"1\",\"y\":2}", "{\"x1\":1}"},
        {"{\"allOf\":[{\"properties\":{\"a\":{\"type\":\"integer\"}}},"
         "{\"properties\":{\"b\":{\"type\":\"integer\"}}}],"
         "\"unevaluatedProperties\":false}",
         "{\"A\":\"1\",\"b\":\"2\",\"c\":3}", "{\"a\":1,\"b\":2}"},
        {CLOSED("\"userId\":{},\"user_id\":{}"), "{\"USER ID\":1}", NULL},
        {CLOSED("\"userId\":{},\"user_id\":{}"), "{\"User_Id\":1}",
         "{\"user_id\":1}"},
    };

    HOLD(rows);
}

TEST(arrays)
{
#define TAGS "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"
#define ROW                                                                    \
    "{\"type\":\"object\",\"properties\":{\"k\":{\"type\":\"integer\"}},"      \
    "\"required\":[\"k\"],\"additionalProperties\":false}"
#define ROWS "{\"type\":\"array\",\"items\":" ROW "}"
    static const struct aligned rows[] = {
        {TAGS, "\"red\"", "[\"red\"]"},
        {TAGS, "\"red, green\"", "[\"red, green\"]"},
        {TAGS, "12", "[\"12\"]"},
        {TAGS, "null", NULL},
        {TAGS, "\"\"", NULL},
        {TAGS, "\"[\\\"a\\\",\\\"b\\\"]\"", "[\"a\",\"b\"]"},
        {TAGS, "\"[draft\"", NULL},
        {ROWS, "{\"k\":1}", "[{\"k\":1}]"},
        {ROWS, "{\"K\":\"1\"}", "[{\"k\":1}]"},
        {ROWS, "{\"data\":[{\"k\":1}]}", "[{\"k\":1}]"},
        {ROWS, "{\"data\":[{\"k\":1}],\"total\":1}", "[{\"k\":1}]"},
        {ROWS, "{\"a\":[{\"k\":1}],\"b\":[{\"k\":2}]}", NULL},
        {ROWS, "{\"a\":[{\"k\":1}],\"b\":[{\"k\":1}]}", "[{\"k\":1}]"},
        {ROWS, "[[{\"k\":1}]]", "[{\"k\":1}]"},
        {ROWS, "[{\"row\":{\"k\":1}}]", "[{\"k\":1}]"},
        {ROWS, "{}", NULL},
        {ROWS, "[{}]", NULL},
        {ROWS, "\"{\\\"k\\\":1}\"", "[{\"k\":1}]"},
        {ROW, "[{\"k\":1}]", "{\"k\":1}"},
        {ROW, "[{\"k\":1},{\"k\":2}]", NULL},
        {ROW, "{\"result\":{\"k\":1}}", "{\"k\":1}"},
        {ROW, "{\"a\":{\"b\":{\"k\":1}}}", "{\"k\":1}"},
        {ROW, "{\"error\":{\"k\":1}}", NULL},
        {ROW, "\"{\\\"k\\\":\\\"1\\\"}\"", "{\"k\":1}"},
        {ROW, "\"{k: 1,}\"", "{\"k\":1}"},
        {ROW, "\"{\\\"k\\\":1\"", "{\"k\":1}"},
        {ROW, "\"{\\\"k\\\":\"", NULL},
        {ROW, "\"{\\\"k\\\":1} and so on\"", NULL},
        {STRING, "[\"red\"]", "\"red\""},
        {STRING, "[\"red\",\"green\"]", NULL},
        {STRING, "[]", NULL},
        {STRING, "{\"value\":\"red\"}", NULL},
        {INTEGER, "{\"value\":\"5\"}", "5"},
        {INTEGER, "{\"value\":5,\"n\":1}", NULL},
        {TAGS, "[{\"value\":\"red\"}]", NULL},
        {BOOLEAN, "[1]", NULL},
        {STRING, "{\"value\":\"red\",\"n\":1}", NULL},
        {STRING, "{\"error\":\"no\"}", NULL},
        {STRING, "\"{\\\"a\\\":1}\"", "\"{\\\"a\\\":1}\""},
    };

    HOLD(rows);
}

TEST(nested_arrays)
{
#define MATRIX                                                                 \
    "{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":"             \
    "{\"type\":\"integer\"}}}"
    static const struct aligned rows[] = {
        {MATRIX, "[1,2]", NULL},
        {MATRIX, "[1]", "[[1]]"},
        {MATRIX, "[[1,2],3]", "[[1,2],[3]]"},
        {MATRIX, "[[\"1\"],[2]]", "[[1],[2]]"},
        {MATRIX, "1", NULL},
        {"{\"type\":\"array\",\"items\":{},\"minItems\":2}", "1", NULL},
        {"{\"type\":\"array\",\"items\":{\"type\":\"integer\"},"
         "\"uniqueItems\":true}",
         "[\"1\",1]", NULL},
        {"{\"prefixItems\":[{\"type\":\"integer\"},{\"type\":\"string\"}],"
         "\"items\":{\"type\":\"boolean\"}}",
         "[\"1\",2,\"yes\"]", "[1,\"2\",true]"},
        {"{\"prefixItems\":[{\"type\":\"integer\"}],\"items\":false}",
         "[\"1\",2]", NULL},
        {"{\"$defs\":{\"t\":{\"type\":\"array\",\"items\":{\"$ref\":"
         "\"#/$defs/t\"}}},\"$ref\":\"#/$defs/t\"}",
         "5", NULL},
        {"{\"$ref\":\"#/$defs/t\",\"$defs\":{\"t\":{\"type\":\"object\","
         "\"properties\":{\"n\":{\"type\":\"string\"},\"c\":{\"type\":"
         "\"array\",\"items\":{\"$ref\":\"#/$defs/t\"}}},\"required\":[\"n\"],"
         "\"additionalProperties\":false}}}",
         "{\"N\":1,\"c\":{\"n\":2,\"C\":[{\"n\":3}]}}",
         "{\"n\":\"1\",\"c\":[{\"n\":\"2\",\"c\":[{\"n\":\"3\"}]}]}"},
    };

    HOLD(rows);
}

TEST(unions)
{
#define SHAPE                                                                  \
    "{\"anyOf\":[{\"type\":\"object\",\"properties\":{\"type\":{\"const\":"    \
    "\"circle\"},\"r\":{\"type\":\"number\"}},\"required\":[\"type\",\"r\"],"  \
    "\"additionalProperties\":false},{\"type\":\"object\",\"properties\":{"    \
    "\"type\":{\"const\":\"box\"},\"w\":{\"type\":\"number\"}},\"required\":[" \
    "\"type\",\"w\"],\"additionalProperties\":false}]}"
#define EITHER(keyword)                                                        \
    "{\"" keyword "\":[{\"properties\":{\"a\":{\"type\":\"integer\"}},"        \
    "\"required\":[\"a\"]},{\"properties\":{\"b\":{\"type\":\"integer\"}},"    \
    "\"required\":[\"b\"]}]}"
#define KIND                                                                   \
    "{\"properties\":{\"kind\":{\"enum\":[\"int\",\"str\"]}},\"required\":["   \
    "\"kind\"],\"if\":{\"properties\":{\"kind\":{\"const\":\"int\"}}},"        \
    "\"then\":{\"properties\":{\"v\":{\"type\":\"integer\"}}},\"else\":{"      \
    "\"properties\":{\"v\":{\"type\":\"string\"}}}}"
    static const struct aligned rows[] = {
        {SHAPE, "{\"type\":\"Circle\",\"r\":1}",
         "{\"type\":\"circle\",\"r\":1}"},
        {SHAPE, "{\"type\":\"box\",\"w\":\"2\"}", "{\"type\":\"box\",\"w\":2}"},
        {SHAPE, "{\"Type\":\"BOX\",\"W\":\"2\",\"r\":1}",
         "{\"type\":\"box\",\"w\":2}"},
        {SHAPE, "{\"r\":1}", NULL},
        {SHAPE, "{\"type\":\"box\",\"r\":1}", NULL},
        {SHAPE, "{\"shape\":{\"type\":\"box\",\"w\":1}}",
         "{\"type\":\"box\",\"w\":1}"},
        {EITHER("oneOf"), "{\"a\":\"1\"}", "{\"a\":1}"},
        {EITHER("oneOf"), "{\"A\":1}", "{\"a\":1}"},
        {EITHER("oneOf"), "{\"a\":\"1\",\"b\":\"2\"}", NULL},
        {EITHER("oneOf"), "{\"a\":1,\"b\":2}", NULL},
        {EITHER("anyOf"), "{\"a\":\"1\",\"b\":\"x\"}", "{\"a\":1,\"b\":\"x\"}"},
        {KIND, "{\"kind\":\"INT\",\"v\":\"5\"}", "{\"kind\":\"int\",\"v\":5}"},
        {KIND, "{\"kind\":\"str\",\"v\":5}", "{\"kind\":\"str\",\"v\":\"5\"}"},
        {KIND, "{\"kind\":\"both\",\"v\":5}", NULL},
        {"{\"anyOf\":[{\"type\":\"number\"},{\"type\":\"array\",\"items\":{"
         "\"type\":\"number\"}}]}",
         "\"5\"", "5"},
        {"{\"anyOf\":[{\"type\":\"number\"},{\"type\":\"array\",\"items\":{"
         "\"type\":\"number\"}}]}",
         "[\"5\"]", "[5]"},
        {"{\"anyOf\":[{\"enum\":[\"x\",\"Y\"]},{\"enum\":[\"y\",\"Z\"]}]}",
         "\"z\"", "\"Z\""},
        {"{\"anyOf\":[{\"type\":\"array\"},{\"type\":\"object\",\"properties\":"
         "{\"a\":{\"type\":\"integer\"}}}]}",
         "{\"a\":\"1\"}", "{\"a\":1}"},
        {"{\"not\":{}}", "1", NULL},
        {"false", "{}", NULL},
    };

    HOLD(rows);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"numbers in strings", numbers},
        {"numbers at their edges", numbers_at_their_edges},
        {"numbers of other forms", numbers_of_other_forms},
        {"numbers of a thousand characters", long_numbers},
        {"numbers with units and decimal commas are refused",
         numbers_with_units},
        {"scalars of another type", scalars},
        {"values of an enum", choices},
        {"keys", keys},
        {"arrays, wrappers, JSON in strings", arrays},
        {"arrays of arrays and of themselves", nested_arrays},
        {"unions", unions},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
