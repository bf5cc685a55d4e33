/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of an alignment: every change once, in the order of the result,
 * with what stood and what came of it; plain text; limits. */
#include "check.h"

#include "align/align.h"

#include <string.h>

struct bench {
    surety_schema *schema;
    surety_doc *doc, *out;
    surety__aligner *aligner;
    surety_buf text;
};

static bool bench_make(struct check *t, struct bench *bench,
                       const surety_limits *limits, const char *schema)
{
    *bench =
        (struct bench){.doc = surety_doc_new(check_alloc(t)),
                       .out = surety_doc_new(check_alloc(t)),
                       .aligner = surety__aligner_new(check_alloc(t), limits)};
    surety_buf_init(&bench->text, check_alloc(t), 0);
    NEED(bench->doc);
    NEED(bench->out);
    NEED(bench->aligner);
    TRY(check_schema(t, schema, &bench->schema));
    return true;
done:
    return false;
}

static void bench_done(struct bench *bench)
{
    surety_buf_done(&bench->text);
    surety__aligner_free(bench->aligner);
    surety_doc_free(bench->out);
    surety_doc_free(bench->doc);
    surety_schema_free(bench->schema);
}

static void add_val(surety_buf *out, surety_val val)
{
    if (val.doc)
        surety_val_write(val, SURETY_STYLE_COMPACT, out);
    else
        surety_buf_text(out, "-");
}

/* The result and a line for each edit: KIND COST POINTER FROM > TO. */
static surety_str bench_tell(struct bench *bench)
{
    surety_buf_reset(&bench->text);
    surety_val_write(surety_doc_root(bench->out), SURETY_STYLE_COMPACT,
                     &bench->text);
    for (size_t i = 0; i < surety__aligner_edits(bench->aligner)->count; i++) {
        surety__edit edit = surety__aligner_edits(bench->aligner)->items[i];

        surety_buf_text(&bench->text, "\n");
        surety_buf_text(&bench->text, edit.kind);
        surety_buf_text(&bench->text, edit.likely ? " ~" : " ");
        surety_buf_number(&bench->text, edit.cost);
        surety_buf_text(&bench->text, " ");
        surety_buf_add(&bench->text, edit.pointer);
        surety_buf_text(&bench->text, " ");
        add_val(&bench->text, edit.from);
        surety_buf_text(&bench->text, " > ");
        add_val(&bench->text, edit.to);
    }
    return surety_buf_str(&bench->text);
}

#define ROWS                                                                   \
    "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"      \
    "\"id\":{\"type\":\"integer\"},\"tags\":{\"type\":\"array\",\"items\":{"   \
    "\"enum\":[\"a\",\"b\"]}},\"note\":{\"type\":\"string\"}},\"required\":["  \
    "\"id\"],\"additionalProperties\":false}}"

TEST(edits_in_order)
{
    static const char value[] =
        "{\"data\":[{\"id\":1},{\"ID\":\"2\",\"note\":null,\"x\":[0],"
        "\"tags\":\"A\"},{\"tags\":[\"b\",\"B.\"],\"id\":3.0}]}";
    struct bench bench;

    if (!bench_make(t, &bench, NULL, ROWS))
        goto done;
    TRY(surety_doc_read(bench.doc, surety_str_of(value), NULL, NULL));
    TRY(surety__aligner_align(bench.aligner, bench.schema,
                              surety_doc_root(bench.doc), bench.out, NULL));
    bench_tell(&bench);
    TRY(bench.text.status);
    CHECK_TEXT(
        surety_buf_str(&bench.text),
        "[{\"id\":1},{\"id\":2,\"tags\":[\"a\"]},"
        "{\"tags\":[\"b\",\"b\"],\"id\":3.0}]\n"
        "wrapper-key ~10  {\"data\":[{\"id\":1},{\"ID\":\"2\",\"note\":null,"
        "\"x\":[0],\"tags\":\"A\"},{\"tags\":[\"b\",\"B.\"],\"id\":3.0}]} > "
        "[{\"id\":1},{\"id\":2,\"tags\":[\"a\"]},"
        "{\"tags\":[\"b\",\"b\"],\"id\":3.0}]\n"
        "key-case 1 /1/id \"ID\" > \"id\"\n"
        "number-from-text ~3 /1/id \"2\" > 2\n"
        "null-left-out ~4 /1/note null > -\n"
        "unknown-key ~4 /1/x [0] > -\n"
        "array-from-value ~8 /1/tags \"A\" > [\"a\"]\n"
        "enum-case 1 /1/tags/0 \"A\" > \"a\"\n"
        "enum-punctuation ~2 /2/tags/1 \"B.\" > \"b\"");
    CHECK(surety__aligner_edits(bench.aligner)->cost == 33);
    CHECK(surety__aligner_edits(bench.aligner)->likely == 6);
    /* What was copied keeps its place, what was made has none. */
    CHECK(surety_val_position(surety_val_at(surety_doc_root(bench.out),
                                            surety_str_of("/2/tags/0")))
              .column == 70);
    CHECK(surety_val_position(
              surety_val_at(surety_doc_root(bench.out), surety_str_of("/1/id")))
              .line == 0);
    /* A failure leaves no edits. */
    TRY(surety_doc_read(bench.doc, surety_str_of("[{\"ID\":\"x\"}]"), NULL,
                        NULL));
    EXPECT(SURETY_END,
           surety__aligner_align(bench.aligner, bench.schema,
                                 surety_doc_root(bench.doc), bench.out, NULL));
    CHECK(surety__aligner_edits(bench.aligner)->count == 0);
    CHECK(surety__aligner_edits(bench.aligner)->likely == 0);
    CHECK(surety__aligner_edits(bench.aligner)->cost == 0);
    CHECK(surety__aligner_edits(bench.aligner)->kept == 0);
done:
    bench_done(&bench);
}

TEST(json_in_text_is_reported)
{
    struct bench bench;

    if (!bench_make(t, &bench, NULL, ROWS))
        goto done;
    TRY(surety_doc_read(bench.doc,
                        surety_str_of("[\"{\\\"ID\\\":7,\\\"y/~\\\":1}\","
                                      "\"{id:'8'}\"]"),
                        NULL, NULL));
    TRY(surety__aligner_align(bench.aligner, bench.schema,
                              surety_doc_root(bench.doc), bench.out, NULL));
    bench_tell(&bench);
    TRY(bench.text.status);
    CHECK_TEXT(surety_buf_str(&bench.text),
               "[{\"id\":7},{\"id\":8}]\n"
               "json-in-text ~4 /0 \"{\\\"ID\\\":7,\\\"y/~\\\":1}\" > "
               "{\"id\":7}\n"
               "key-case 1 /0/id \"ID\" > \"id\"\n"
               "unknown-key ~4 /0/y~1~0 1 > -\n"
               "json-in-text ~6 /1 \"{id:'8'}\" > {\"id\":8}\n"
               "number-from-text ~3 /1/id \"8\" > 8");
done:
    bench_done(&bench);
}

struct spoken {
    const char *schema, *text;
    const char *want; /* NULL: refused */
};

TEST(plain_text)
{
#define STATUS "{\"enum\":[\"todo\",\"in_progress\",\"done\"]}"
    static const struct spoken spoken[] = {
        {STATUS, "I would classify this as **done**.", "\"done\""},
        {STATUS, "The status is in progress now.", "\"in_progress\""},
        {STATUS, "done", "\"done\""},
        {STATUS, "`Done`: all of it", "\"done\""},
        {STATUS, "It is not done", NULL},
        {STATUS, "todo or done", NULL},
        {STATUS, "It was undone", NULL},
        {STATUS, "", NULL},
        {"{\"type\":\"boolean\"}", "The answer is: True.", "true"},
        {"{\"type\":\"boolean\"}", "**No**", "false"},
        {"{\"type\":\"boolean\"}", "The answer is yes, definitely.", "true"},
        {"{\"type\":\"boolean\"}", "There is no answer", NULL},
        {"{\"type\":\"boolean\"}", "yes and no", NULL},
        {"{\"type\":\"boolean\"}", "It is not true", NULL},
        {"{\"type\":\"boolean\"}", "True or false?", NULL},
        {"{\"type\":\"integer\"}", "The total is 1,204 units.", "1204"},
        {"{\"type\":\"number\"}", "It costs **$1,204.50**.", "1204.50"},
        {"{\"type\":\"integer\"}", "about 40", NULL},
        {"{\"type\":\"integer\"}", "3 apples and 4 pears", NULL},
        {"{\"type\":\"number\"}", "45%", NULL},
        {"{\"type\":\"string\"}", "  as it is \n", "\"as it is\""},
        {"{\"type\":\"string\",\"maxLength\":3}", "as it is", NULL},
        {"{\"type\":[\"integer\",\"null\"]}", "none", "null"},
        {"{\"type\":\"object\"}", "hello", NULL},
        {"{\"type\":\"array\",\"items\":{\"type\":\"string\"}}", "hello", NULL},
    };

    for (size_t i = 0; i < CHECK_COUNT(spoken); i++) {
        struct bench bench;
        surety_status status;

        if (!bench_make(t, &bench, NULL, spoken[i].schema))
            goto free;
        status = surety__aligner_align_text(bench.aligner, bench.schema,
                                            surety_str_of(spoken[i].text),
                                            bench.out, NULL);
        if (status == SURETY_NOMEM && t->starved)
            goto free;
        if ((status == SURETY_OK) != (spoken[i].want != NULL))
            printf("# %s\n", spoken[i].text);
        check_that(t, status == (spoken[i].want ? SURETY_OK : SURETY_END),
                   "status", __FILE__, __LINE__);
        if (status == SURETY_OK && spoken[i].want) {
            surety__edit edit = surety__aligner_edits(bench.aligner)->items[0];

            check_that(t, !strcmp(edit.kind, "text") && !edit.from.doc,
                       "the edit text", __FILE__, __LINE__);
            surety_buf_reset(&bench.text);
            add_val(&bench.text, surety_doc_root(bench.out));
            if (!bench.text.status)
                check_text(t, surety_buf_str(&bench.text), spoken[i].want,
                           __FILE__, __LINE__);
        }
    free:
        bench_done(&bench);
        if (t->starved)
            break;
    }
}

/* An array of count strings that are to be numbers. */
static surety_status many_make(struct bench *bench, unsigned count)
{
    surety_build_begin(bench->doc, NULL);
    surety_build_array(bench->doc);
    for (unsigned i = 0; i < count; i++)
        surety_build_str(bench->doc, surety_str_of("7"));
    surety_build_close(bench->doc);
    return surety_build_end(bench->doc, NULL);
}

TEST(repairs_max)
{
    static const surety_limits limits = {.size = sizeof(limits),
                                         .repairs_max = 4};
    struct bench bench;

    if (!bench_make(t, &bench, &limits, "{\"items\":{\"type\":\"integer\"}}"))
        goto done;
    for (unsigned count = 3; count <= 5; count++) {
        TRY(many_make(&bench, count));
        TRY(surety__aligner_align(bench.aligner, bench.schema,
                                  surety_doc_root(bench.doc), bench.out, NULL));
        CHECK(surety__aligner_edits(bench.aligner)->count == count);
        CHECK(surety__aligner_edits(bench.aligner)->likely == count);
        CHECK(surety__aligner_edits(bench.aligner)->cost ==
              3 * (uint64_t)count);
        CHECK(surety__aligner_edits(bench.aligner)->kept ==
              (count < 4 ? count : 4));
        CHECK(surety_val_count(surety_doc_root(bench.out)) == count);
    }
done:
    bench_done(&bench);
}

/* Branches that all want a deep look and do not fit. */
TEST(work_is_bounded)
{
    static const surety_limits limits = {
        .size = sizeof(limits), .work_base = 500, .work_per_value = 1};
    struct bench bench;
    surety_error err;

    if (!bench_make(t, &bench, &limits,
                    "{\"$defs\":{\"n\":{\"anyOf\":[{\"type\":\"integer\"},"
                    "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/n\"},\"b\":{}},"
                    "\"required\":[\"a\"],\"type\":\"object\"},"
                    "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/n\"},\"c\":{}},"
                    "\"required\":[\"a\"],\"type\":\"object\"}]}},"
                    "\"allOf\":[{\"$ref\":\"#/$defs/n\"},"
                    "{\"$ref\":\"#/$defs/n\"},{\"$ref\":\"#/$defs/n\"}]}"))
        goto done;
    surety_build_begin(bench.doc, NULL);
    for (int i = 0; i < 100; i++) {
        surety_build_object(bench.doc);
        surety_build_name(bench.doc, "A");
    }
    surety_build_str(bench.doc, surety_str_of("x"));
    for (int i = 0; i < 100; i++)
        surety_build_close(bench.doc);
    TRY(surety_build_end(bench.doc, NULL));
    EXPECT(SURETY_LIMIT,
           surety__aligner_align(bench.aligner, bench.schema,
                                 surety_doc_root(bench.doc), bench.out, &err));
    CHECK(strstr(err.message, "work_base") != NULL);
    CHECK(surety__aligner_edits(bench.aligner)->count == 0);
done:
    bench_done(&bench);
}

TEST(ambiguous_is_reported)
{
    struct bench bench;
    surety_error err;

    if (!bench_make(t, &bench, NULL, ROWS))
        goto done;
    TRY(surety_doc_read(
        bench.doc, surety_str_of("{\"a\":[{\"id\":1}],\"b\":[]}"), NULL, NULL));
    EXPECT(SURETY_END,
           surety__aligner_align(bench.aligner, bench.schema,
                                 surety_doc_root(bench.doc), bench.out, &err));
    CHECK(strstr(err.message, "equally good") != NULL);
    EXPECT(SURETY_MISUSE,
           surety__aligner_align(bench.aligner, bench.schema, surety_val_none(),
                                 bench.out, NULL));
    EXPECT(SURETY_MISUSE,
           surety__aligner_align(bench.aligner, bench.schema,
                                 surety_doc_root(bench.doc), bench.doc, NULL));
done:
    bench_done(&bench);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"edits are in the order of the result", edits_in_order},
        {"JSON in a string is reported", json_in_text_is_reported},
        {"plain text", plain_text},
        {"no more edits are kept than repairs_max", repairs_max},
        {"work is bounded", work_is_bounded},
        {"an ambiguous value is reported", ambiguous_is_reported},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
