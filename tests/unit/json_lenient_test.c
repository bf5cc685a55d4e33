/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerant reader: what it makes of texts as models write them, what it
 * tells of that, what it shows of a text that is still coming, its options and
 * its limits at their edges. */
#include "json/json.h"
#include "check.h"
#include "lenient_cases.h"

#include <surety/json.h>

#include <string.h>

/* ---- values ------------------------------------------------------------- */

static void list_repairs(const surety_doc *doc, surety_buf *out)
{
    surety_buf_reset(out);
    for (size_t i = 0; i < surety__doc_repair_count(doc); i++) {
        surety__repair_view repair = surety__doc_repair(doc, i);

        if (i)
            surety_buf_byte(out, ' ');
        surety_buf_text(out, repair.kind);
        if (repair.likely)
            surety_buf_byte(out, '?');
    }
}

TEST(reads_what_models_write)
{
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    NEED(doc);
    for (size_t i = 0; i < CHECK_COUNT(lenient_cases); i++) {
        const struct lenient_case *row = &lenient_cases[i];
        surety_error error = {0};
        size_t end = 0;

        EXPECT(row->status,
               surety__doc_read_lenient(doc, surety_str_of(row->text), NULL,
                                        &end, &error));
        if (!row->json) {
            CHECK(error.message[0] && !surety_doc_root(doc).doc);
            CHECK(error.position.line > 0);
            continue;
        }
        CHECK(end <= strlen(row->text));
        CHECK_JSON(surety_doc_root(doc), row->json);
        list_repairs(doc, &out);
        TRY(out.status);
        CHECK_TEXT(surety_buf_str(&out), row->repairs);
    }
done:
    surety_buf_done(&out);
    surety_doc_free(doc);
}

/* Where no value holds a space, tabs for the spaces change nothing. */
TEST(tabs_are_as_spaces)
{
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_buf out, text;
    unsigned compared = 0;

    surety_buf_init(&out, check_alloc(t), 0);
    surety_buf_init(&text, check_alloc(t), 0);
    NEED(doc);
    for (size_t i = 0; i < CHECK_COUNT(lenient_cases); i++) {
        const struct lenient_case *row = &lenient_cases[i];
        size_t end = 0;

        if (!row->json || strchr(row->json, ' ') || !strchr(row->text, ' '))
            continue;
        surety_buf_reset(&text);
        for (const char *at = row->text; *at; at++)
            surety_buf_byte(&text, *at == ' ' ? '\t' : *at);
        TRY(text.status);
        EXPECT(row->status, surety__doc_read_lenient(doc, surety_buf_str(&text),
                                                     NULL, &end, NULL));
        CHECK_JSON(surety_doc_root(doc), row->json);
        list_repairs(doc, &out);
        TRY(out.status);
        CHECK_TEXT(surety_buf_str(&out), row->repairs);
        compared++;
    }
    CHECK(compared > 100);
done:
    surety_buf_done(&out);
    surety_buf_done(&text);
    surety_doc_free(doc);
}

struct told {
    const char *text, *kind, *original, *read;
    size_t i, offset;
};

static const struct told told[] = {
    {"[1,]", "trailing-comma", ",", "", 0, 2},
    {"[1\n2]", "missing-comma", "", ",", 0, 2},
    {"{'a': 1}", "single-quote", "'", "\"", 0, 1},
    {"{a: 1}", "unquoted-key", "a", "a", 0, 1},
    {"[12 kg]", "unquoted-value", "12 kg", "12 kg", 0, 1},
    {"[True]", "python-literal", "True", "true", 0, 1},
    {"[NaN]", "js-literal", "NaN", "null", 0, 1},
    {"[0x1F]", "number-form", "0x1F", "31", 0, 1},
    {"[\"a\nb\"]", "control-character", "\n", "\\n", 0, 3},
    {"[\"\\d\"]", "invalid-escape", "\\", "\\\\", 0, 2},
    {"[\"a \"b\" c\"]", "unescaped-quote", "\"", "\\\"", 1, 6},
    {"{\"a\" 1}", "missing-colon", "", ":", 0, 5},
    {"[[1]", "missing-close", "", "]", 0, 4},
    {"[1}", "wrong-close", "}", "]", 0, 2},
    {"{\"a\": \"b, \"c\": 1}", "missing-quote", "", "\"", 0, 8},
    {"[1, /* x */ 2]", "comment", "/* x */", "", 0, 4},
    {"\xEF\xBB\xBF[1]", "byte-order-mark", "\xEF\xBB\xBF", "", 0, 0},
    {"[\"\\ud800\"]", "lone-surrogate", "\\ud800", "\xEF\xBF\xBD", 0, 2},
    {"[\"\xFF\"]", "invalid-utf8", "\xFF", "\xEF\xBF\xBD", 0, 2},
};

TEST(tells_what_stood_and_what_was_read)
{
    surety_doc *doc = surety_doc_new(check_alloc(t));
    size_t end;

    NEED(doc);
    for (size_t i = 0; i < CHECK_COUNT(told); i++) {
        const struct told *row = &told[i];
        surety__repair_view repair;

        TRY(surety__doc_read_lenient(doc, surety_str_of(row->text), NULL, &end,
                                     NULL));
        CHECK(surety__doc_repair_count(doc) > row->i);
        repair = surety__doc_repair(doc, row->i);
        CHECK_TEXT(surety_str_of(repair.kind), row->kind);
        CHECK_TEXT(repair.original, row->original);
        CHECK_TEXT(repair.read, row->read);
        CHECK(repair.offset == row->offset);
    }
    CHECK(!surety__doc_repair(doc, 99).kind[0]);
    CHECK(surety__doc_repair_count(NULL) == 0);
    TRY(surety_doc_read(doc, surety_str_of("[1]"), NULL, NULL));
    CHECK(surety__doc_repair_count(doc) == 0 &&
          surety__doc_repair_likely(doc) == 0);
done:
    surety_doc_free(doc);
}

TEST(the_value_ends_where_it_ends)
{
    static const struct {
        const char *text;
        size_t end;
    } rows[] = {
        {"  [1] tail", 5},        {"{\"a\":1}\n```", 7}, {"12 is", 2},
        {"\"a\" b", 3},           {"[1]]]", 3},          {"[1] ] x", 3},
        {"{\"a\": 1}, {", 8},     {"true, x", 4},        {"[1,]", 4},
        {"a: 1\nb: 2\n\nBye", 9},
    };
    surety_doc *doc = surety_doc_new(check_alloc(t));

    NEED(doc);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        size_t end = 99;

        TRY(surety__doc_read_lenient(doc, surety_str_of(rows[i].text), NULL,
                                     &end, NULL));
        CHECK(end == rows[i].end);
    }
done:
    surety_doc_free(doc);
}

/* ---- cut off ------------------------------------------------------------ */

TEST(what_is_cut_off_is_never_closed)
{
    static const struct {
        const char *text, *path, *json;
    } rows[] = {
        {"{\"a\": {\"b\": [1, {\"c\": \"x", "/a/b/1/c",
         "{\"a\":{\"b\":[1,{\"c\":\"x\"}]}}"},
        {"{\"a\": 1, \"b\"", "", "{\"a\":1}"},
        {"{\"a\": 1, \"b\":", "", "{\"a\":1}"},
        {"{\"a/b\": [", "/a~1b", "{\"a/b\":[]}"},
        {"[1, 2,", "", "[1,2]"},
        {"[fals", "/0", "[false]"},
        {"[-0.", "/0", "[-0]"},
        {"[\"\xE2\x82", "/0", "[\"\"]"},
        {"[[1], [2", "/1", NULL},
    };
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety__lenient_options options = {.cut = true};

    NEED(doc);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        surety_error error;
        surety_val val;
        size_t end = 0;

        EXPECT(SURETY_END, surety__doc_read_lenient(
                               doc, surety_str_of(rows[i].text),
                               rows[i].json ? NULL : &options, &end, &error));
        CHECK(end == strlen(rows[i].text));
        if (!rows[i].json)
            continue;
        CHECK_TEXT(surety_str_of(error.path), rows[i].path);
        CHECK(error.position.offset == end);
        val = surety_val_at(surety_doc_root(doc), surety_str_of(error.path));
        CHECK(surety_val_is_open(val));
        CHECK(surety_val_is_open(surety_doc_root(doc)));
        CHECK_JSON(surety_doc_root(doc), rows[i].json);
    }
done:
    surety_doc_free(doc);
}

/* ---- options ------------------------------------------------------------ */

TEST(levels_are_kept)
{
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety__lenient_options options = {.certain_only = true};
    surety_error error;
    size_t end;

    NEED(doc);
    TRY(surety__doc_read_lenient(doc, surety_str_of("{'a': [True,],}"),
                                 &options, &end, &error));
    CHECK(surety__doc_repair_count(doc) == 4 &&
          surety__doc_repair_likely(doc) == 0);
    EXPECT(SURETY_SYNTAX,
           surety__doc_read_lenient(doc, surety_str_of("{\"a\" 1}"), &options,
                                    &end, &error));
    CHECK(error.position.offset == 5);
    CHECK(!surety_doc_root(doc).doc);
    EXPECT(SURETY_END, surety__doc_read_lenient(doc, surety_str_of("[1"),
                                                &options, &end, &error));
    options.strict = true;
    EXPECT(SURETY_SYNTAX, surety__doc_read_lenient(doc, surety_str_of("[1,]"),
                                                   &options, &end, &error));
    CHECK_TEXT(surety_str_of(error.message), "a comma is not allowed before ]");
    TRY(surety__doc_read_lenient(doc, surety_str_of("[1] ]"), &options, &end,
                                 &error));
    CHECK(end == 3 && surety__doc_repair_count(doc) == 0);
done:
    surety_doc_free(doc);
}

static bool expects_note(void *ctx, surety_str name)
{
    return surety_str_equal(name, surety_str_of(ctx));
}

/* What is expected decides between readings of one text. */
TEST(expected_names_decide)
{
    static const struct {
        const char *text, *name, *json;
    } rows[] = {
        {"{a: in progress note: x}", "note",
         "{\"a\":\"in progress\",\"note\":\"x\"}"},
        {"{a: in progress note: x}", "a", "{\"a\":\"in progress note: x\"}"},
        {"Note: fine", "Note", "{\"Note\":\"fine\"}"},
        {"{\"t\": \"say \"a\", \"b\": c\", \"note\": 1}", "note",
         "{\"t\":\"say \\\"a\\\", \\\"b\\\": c\",\"note\":1}"},
    };
    surety_doc *doc = surety_doc_new(check_alloc(t));

    NEED(doc);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        surety__lenient_options options = {.expects = expects_note};
        char name[16];
        size_t end;

        memcpy(name, rows[i].name, strlen(rows[i].name) + 1);
        options.expects_ctx = name;
        EXPECT(strncmp(rows[i].text, "Note", 4) ? SURETY_OK : SURETY_END,
               surety__doc_read_lenient(doc, surety_str_of(rows[i].text),
                                        &options, &end, NULL));
        CHECK_JSON(surety_doc_root(doc), rows[i].json);
    }
done:
    surety_doc_free(doc);
}

/* ---- pushing ------------------------------------------------------------ */

TEST(snapshots_show_what_is_there)
{
    static const struct {
        const char *chunk, *json;
    } rows[] = {
        {" ", ""},
        {"{", ""}, /* perhaps two */
        {"\"na", "{}"},
        {"me\"", "{}"},
        {": \"Pri", "{\"name\":\"Pri\"}"},
        {"nter\"", "{\"name\":\"Printer\"}"},
        {", \"n\": 4", "{\"name\":\"Printer\",\"n\":4}"},
        {"2", "{\"name\":\"Printer\",\"n\":42}"},
        {", \"l\": [t", "{\"name\":\"Printer\",\"n\":42,\"l\":[true]}"},
        {"rue, {\"k\": \"\\u26",
         "{\"name\":\"Printer\",\"n\":42,\"l\":[true,{\"k\":\"\"}]}"},
        {"03\"}], \"n\": 7",
         "{\"name\":\"Printer\",\"n\":42,\"l\":[true,{\"k\":\"\xE2\x98\x83\"}],"
         "\"n\":7}"},
    };
    surety_lenient *reader = surety_lenient_new(check_alloc(t));
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_val root;
    size_t end;

    NEED(reader);
    NEED(doc);
    TRY(surety__lenient_begin(reader, doc, NULL, NULL));
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        TRY(surety_lenient_feed(reader, surety_str_of(rows[i].chunk), NULL));
        for (int again = 0; again < 2; again++) {
            TRY(surety_lenient_snapshot(reader, &root, NULL));
            CHECK_JSON(root, rows[i].json);
        }
    }
    CHECK(surety_val_is_open(root));
    CHECK(!surety_val_is_open(surety_val_get(root, "l")));
    CHECK(surety_val_count(root) == 4);
    EXPECT(SURETY_END, surety_lenient_feed(reader, surety_str_of("} x"), NULL));
    EXPECT(SURETY_END, surety_lenient_feed(reader, surety_str_of("y"), NULL));
    TRY(surety_lenient_snapshot(reader, &root, NULL));
    CHECK(!surety_val_is_open(root));
    TRY(surety_lenient_finish(reader, &end, NULL));
    CHECK(end == 67);
    CHECK(surety_val_int(surety_val_get(surety_doc_root(doc), "n"), 0) == 7);
    CHECK(doc->duplicate_count == 1);
done:
    surety_lenient_free(reader);
    surety_doc_free(doc);
}

/* Members that were replaced are gone from an object that has closed. */
TEST(duplicates_are_listed_in_text_order)
{
    static const char text[] =
        "[{\"a\": 1, \"b\": {\"c\": 1, \"c\": 2}, \"a\": 3}, {\"d\": 1, "
        "\"d\": 2}";
    static const char *const keys[] = {"a", "c", "d"};
    surety_lenient *reader = surety_lenient_new(check_alloc(t));
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_val root;
    size_t end;

    NEED(reader);
    NEED(doc);
    for (int shown = 0; shown < 2; shown++) {
        TRY(surety__lenient_begin(reader, doc, NULL, NULL));
        for (size_t i = 0; i + 1 < sizeof(text); i++) {
            TRY(surety_lenient_feed(reader, (surety_str){text + i, 1}, NULL));
            if (shown)
                TRY(surety_lenient_snapshot(reader, &root, NULL));
        }
        TRY(surety_lenient_finish(reader, &end, NULL));
        CHECK_JSON(surety_doc_root(doc),
                   "[{\"b\":{\"c\":2},\"a\":3},{\"d\":2}]");
        CHECK(doc->duplicate_count == 3);
        for (size_t i = 0; i < 3; i++) {
            surety_str key;

            TRY(surety_doc_duplicate(doc, i, &key, NULL, NULL));
            CHECK_TEXT(key, keys[i]);
        }
    }
done:
    surety_lenient_free(reader);
    surety_doc_free(doc);
}

TEST(misuse_is_reported)
{
    surety_lenient *reader = surety_lenient_new(check_alloc(t));
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_error error;
    surety_val root;
    size_t end;

    NEED(reader);
    NEED(doc);
    EXPECT(SURETY_MISUSE, surety__lenient_begin(reader, NULL, NULL, &error));
    EXPECT(SURETY_MISUSE,
           surety_lenient_feed(reader, surety_str_of("1"), &error));
    EXPECT(SURETY_MISUSE, surety_lenient_snapshot(reader, &root, &error));
    EXPECT(SURETY_MISUSE, surety_lenient_finish(reader, &end, &error));
    EXPECT(SURETY_MISUSE, surety__doc_read_lenient(NULL, surety_str_of("1"),
                                                   NULL, &end, &error));
    TRY(surety__lenient_begin(reader, doc, NULL, NULL));
    EXPECT(SURETY_SYNTAX,
           surety_lenient_feed(reader, surety_str_of("{\"a\"}"), &error));
    EXPECT(SURETY_MISUSE,
           surety_lenient_feed(reader, surety_str_of("1"), &error));
    /* And it begins anew. */
    TRY(surety__lenient_begin(reader, doc, NULL, NULL));
    TRY(surety_lenient_feed(reader, surety_str_of("1"), NULL));
    TRY(surety_lenient_finish(reader, NULL, NULL));
    CHECK(surety_val_int(surety_doc_root(doc), 0) == 1);
    surety_lenient_free(NULL);
done:
    surety_lenient_free(reader);
    surety_doc_free(doc);
}

/* ---- limits ------------------------------------------------------------- */

TEST(limits_hold_at_their_edges)
{
    static const surety_limits limits = {.size = sizeof(surety_limits),
                                         .text_bytes_max = 40,
                                         .depth_max = 3,
                                         .number_len_max = 4,
                                         .string_len_max = 5,
                                         .key_len_max = 2,
                                         .values_max = 6,
                                         .repairs_max = 2};
    static const struct {
        const char *text;
        surety_status status;
        const char *limit;
    } rows[] = {
        {"[[[1,]]]", SURETY_OK, NULL},
        {"[[[[1,]]]]", SURETY_LIMIT, "depth_max of 3"},
        {"[1234,]", SURETY_OK, NULL},
        {"[12345,]", SURETY_LIMIT, "has 5 characters"},
        {"['12345']", SURETY_OK, NULL},
        {"['123456']", SURETY_LIMIT, "string_len_max of 5"},
        {"[abcde]", SURETY_OK, NULL},
        {"[abcdef]", SURETY_LIMIT, "string_len_max of 5"},
        {"{ab: 1}", SURETY_OK, NULL},
        {"{abc: 1}", SURETY_LIMIT, "key_len_max of 2"},
        {"{'abc': 1}", SURETY_LIMIT, "key_len_max of 2"},
        {"[1,2,3,4,5,]", SURETY_OK, NULL},
        {"[1,2,3,4,5,6,]", SURETY_LIMIT, "values_max of 6"},
        {"['1',                                 2]", SURETY_OK, NULL},
        {"['1',                                  2]", SURETY_LIMIT,
         "text_bytes_max of 40"},
    };
    const surety__lenient_options options = {.limits = &limits};
    surety_lenient *reader = surety_lenient_new(check_alloc(t));
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_error error;
    size_t end;

    NEED(doc);
    NEED(reader);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const surety_str text = surety_str_of(rows[i].text);
        surety_status status;

        EXPECT(rows[i].status,
               surety__doc_read_lenient(doc, text, &options, &end, &error));
        CHECK(!rows[i].limit || strstr(error.message, rows[i].limit));
        TRY(surety__lenient_begin(reader, doc, &options, NULL));
        status = surety_lenient_feed(reader, text, &error);
        if (status >= SURETY_OK)
            status = surety_lenient_finish(reader, &end, &error);
        EXPECT(rows[i].status, status);
        CHECK(!rows[i].limit || strstr(error.message, rows[i].limit));
    }
    /* The first are kept, and all are counted. */
    TRY(surety__doc_read_lenient(doc, surety_str_of("[1,,,,,]"), &options, &end,
                                 NULL));
    CHECK(surety__doc_repair_count(doc) == 5 &&
          surety__doc_repair_likely(doc) == 4);
    CHECK(surety__doc_repair(doc, 1).offset == 3);
    CHECK(!surety__doc_repair(doc, 2).kind[0]);
done:
    surety_lenient_free(reader);
    surety_doc_free(doc);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"reads what models write", reads_what_models_write},
        {"tabs are as spaces", tabs_are_as_spaces},
        {"tells what stood and what was read",
         tells_what_stood_and_what_was_read},
        {"the value ends where it ends", the_value_ends_where_it_ends},
        {"what is cut off is never closed", what_is_cut_off_is_never_closed},
        {"levels are kept", levels_are_kept},
        {"expected names decide", expected_names_decide},
        {"snapshots show what is there", snapshots_show_what_is_there},
        {"duplicates are listed in text order",
         duplicates_are_listed_in_text_order},
        {"misuse is reported", misuse_is_reported},
        {"limits hold at their edges", limits_hold_at_their_edges},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
