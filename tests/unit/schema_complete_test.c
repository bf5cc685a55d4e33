/* SPDX-License-Identifier: Apache-2.0 */
/* Completing a valid value: which defaults are filled in, which properties are
 * left out, and that everything else stays what and where it was. */
#include "check.h"

#include <string.h>

#include "schema/schema.h"

enum { FILL = 1, STRIP = 2 };

struct completed {
    const char *schema, *instance;
    unsigned how;
    const char *want; /* NULL: unchanged */
};

/* Room of one text of a test. */
enum { TEXT_MAX = 512 };

/* Completes one value and compares; then completes the result, which must
 * change nothing more. What changes nothing builds nothing. */
static void completed_check(struct check *t, const struct completed *row)
{
    surety_schema *schema = NULL;
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_doc *built = surety_doc_new(check_alloc(t));
    surety_doc *again = surety_doc_new(check_alloc(t));
    surety_checker *checker = surety_checker_new(check_alloc(t), NULL);
    surety_val value;
    bool valid = false;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    NEED(doc);
    NEED(built);
    NEED(again);
    NEED(checker);
    TRY(check_schema(t, row->schema, &schema));
    TRY(surety_doc_read(doc, surety_str_of(row->instance), NULL, NULL));
    value = surety_doc_root(doc);
    TRY(surety_checker_check(checker, schema, value, &valid, NULL));
    CHECK(valid);
    TRY(surety__checker_complete(checker, schema, row->how & FILL,
                                 row->how & STRIP, built, &value, NULL));
    TRY(surety_val_write(value, SURETY_STYLE_COMPACT, &out));
    if (value.doc != (row->want ? built : doc))
        printf("# %s on %s\n", row->schema, row->instance);
    CHECK_TEXT(surety_buf_str(&out), row->want ? row->want : row->instance);
    CHECK(value.doc == (row->want ? built : doc));
    TRY(surety__checker_complete(checker, schema, row->how & FILL,
                                 row->how & STRIP, again, &value, NULL));
    CHECK(value.doc == (row->want ? built : doc));
done:
    surety_buf_done(&out);
    surety_checker_free(checker);
    surety_doc_free(again);
    surety_doc_free(built);
    surety_doc_free(doc);
    surety_schema_free(schema);
}

/* Every row, and two laws. A default of a branch that no value takes changes
 * nothing. And beside a member that changes, so that all is built, a value
 * becomes the same. */
static void completed_hold(struct check *t, const struct completed *rows,
                           size_t count)
{
    for (size_t i = 0; i < count && !t->failed && !t->starved; i++) {
        const struct completed *row = &rows[i];
        const char *want = row->want ? row->want : row->instance;
        char texts[4][TEXT_MAX];
        struct completed longer = *row;

        completed_check(t, row);
        if (strstr(row->schema, "\"#"))
            continue; /* its references are relative to the whole */
        snprintf(texts[0], TEXT_MAX,
                 "{\"anyOf\":[%s,{\"type\":\"null\",\"properties\":{\"z\":{"
                 "\"default\":1}}}]}",
                 row->schema);
        longer.schema = texts[0];
        completed_check(t, &longer);
        snprintf(texts[1], TEXT_MAX,
                 "{\"properties\":{\"v\":%s,\"z\":{\"default\":1}}}",
                 row->schema);
        snprintf(texts[2], TEXT_MAX, "{\"v\":%s,\"z\":1,\"y\":0}",
                 row->instance);
        snprintf(texts[3], TEXT_MAX, "{\"v\":%s,\"z\":1}", want);
        if (!(row->how & STRIP)) {
            snprintf(texts[2], TEXT_MAX, "{\"v\":%s}", row->instance);
            texts[3][0] = row->how ? texts[3][0] : '\0';
        }
        longer = (struct completed){texts[1], texts[2], row->how,
                                    texts[3][0] ? texts[3] : NULL};
        completed_check(t, &longer);
    }
}

TEST(defaults)
{
    static const struct completed rows[] = {
        {"{\"properties\":{\"a\":{\"default\":1},\"b\":{\"default\":[{}]}}}",
         "{}", FILL, "{\"a\":1,\"b\":[{}]}"},
        {"{\"properties\":{\"a\":{\"default\":1}}}", "{\"a\":null}", FILL,
         NULL},
        {"{\"properties\":{\"a\":{\"default\":1}}}", "{}", 0, NULL},
        {"{\"properties\":{\"a\":{\"default\":1}}}", "[]", FILL, NULL},
        {"{\"properties\":{\"o\":{\"properties\":{\"a\":{\"default\":1}}}}}",
         "{\"o\":{}}", FILL, "{\"o\":{\"a\":1}}"},
        {"{\"properties\":{\"o\":{\"properties\":{\"a\":{\"default\":1}}}}}",
         "{}", FILL, NULL},
        {"{\"items\":{\"properties\":{\"a\":{\"default\":1}}}}",
         "[{},{\"a\":2},[],{}]", FILL, "[{\"a\":1},{\"a\":2},[],{\"a\":1}]"},
        {"{\"prefixItems\":[true,{\"properties\":{\"a\":{\"default\":1}}}]}",
         "[{},{},{}]", FILL, "[{},{\"a\":1},{}]"},
        {"{\"$ref\":\"#/$defs/o\",\"$defs\":{\"o\":{\"properties\":{\"a\":{"
         "\"default\":\"x\"}}}}}",
         "{}", FILL, "{\"a\":\"x\"}"},
        {"{\"properties\":{\"n\":{\"$ref\":\"#\"},\"a\":{\"default\":1}}}",
         "{\"n\":{\"n\":{}}}", FILL,
         "{\"n\":{\"n\":{\"a\":1},\"a\":1},\"a\":1}"},
        {"{\"additionalProperties\":{\"properties\":{\"a\":{\"default\":1}}}}",
         "{\"x\":{},\"y\":2}", FILL, "{\"x\":{\"a\":1},\"y\":2}"},
        {"{\"patternProperties\":{\"^x\":{\"properties\":{\"a\":{\"default\":1"
         "}}}}}",
         "{\"x\":{},\"y\":{}}", FILL, "{\"x\":{\"a\":1},\"y\":{}}"},
        {"{\"allOf\":[{\"properties\":{\"a\":{\"default\":1}}},{\"properties\":"
         "{\"b\":{\"default\":2}}}]}",
         "{}", FILL, "{\"a\":1,\"b\":2}"},
        {"{\"$dynamicAnchor\":\"d\",\"properties\":{\"k\":{\"$dynamicRef\":"
         "\"#d\"},\"a\":{\"default\":1}}}",
         "{\"k\":{}}", FILL, "{\"k\":{\"a\":1},\"a\":1}"},
    };

    completed_hold(t, rows, CHECK_COUNT(rows));
}

TEST(defaults_of_branches)
{
    static const struct completed rows[] = {
        {"{\"anyOf\":[{\"required\":[\"x\"],\"properties\":{\"a\":{\"default\":"
         "1}}},{\"required\":[\"y\"],\"properties\":{\"b\":{\"default\":2}}}]}",
         "{\"y\":0}", FILL, "{\"y\":0,\"b\":2}"},
        {"{\"anyOf\":[{\"required\":[\"x\"],\"properties\":{\"a\":{\"default\":"
         "1}}},{\"required\":[\"y\"],\"properties\":{\"b\":{\"default\":2}}}]}",
         "{\"x\":0,\"y\":0}", FILL, "{\"x\":0,\"y\":0,\"a\":1,\"b\":2}"},
        {"{\"oneOf\":[{\"properties\":{\"k\":{\"const\":1},\"a\":{\"default\":1"
         "}}},{\"properties\":{\"k\":{\"const\":2},\"b\":{\"default\":2}}}]}",
         "{\"k\":2}", FILL, "{\"k\":2,\"b\":2}"},
        {"{\"if\":{\"required\":[\"x\"]},\"then\":{\"properties\":{\"a\":{"
         "\"default\":1}}},\"else\":{\"properties\":{\"b\":{\"default\":2}}}}",
         "{\"x\":0}", FILL, "{\"x\":0,\"a\":1}"},
        {"{\"if\":{\"required\":[\"x\"]},\"then\":{\"properties\":{\"a\":{"
         "\"default\":1}}},\"else\":{\"properties\":{\"b\":{\"default\":2}}}}",
         "{}", FILL, "{\"b\":2}"},
        {"{\"not\":{\"required\":[\"z\"],\"properties\":{\"a\":{\"default\":1}}"
         "}}",
         "{}", FILL, NULL},
        {"{\"dependentSchemas\":{\"x\":{\"properties\":{\"a\":{\"default\":1}}}"
         "}}",
         "{\"x\":0}", FILL, "{\"x\":0,\"a\":1}"},
        {"{\"dependentSchemas\":{\"x\":{\"properties\":{\"a\":{\"default\":1}}}"
         "}}",
         "{}", FILL, NULL},
        /* The earlier default wins. */
        {"{\"properties\":{\"a\":{\"default\":1}},\"allOf\":[{\"properties\":{"
         "\"a\":{\"default\":2},\"b\":{\"default\":3}}}]}",
         "{}", FILL, "{\"a\":1,\"b\":3}"},
        {"{\"allOf\":[{\"properties\":{\"a\":{}}},{\"properties\":{\"a\":{"
         "\"default\":2}}},{\"properties\":{\"a\":{\"default\":3}}}]}",
         "{}", FILL, "{\"a\":2}"},
    };

    completed_hold(t, rows, CHECK_COUNT(rows));
}

TEST(unknown_properties)
{
    static const struct completed rows[] = {
        {"{\"properties\":{\"a\":true}}", "{\"a\":1,\"b\":2}", STRIP,
         "{\"a\":1}"},
        {"{\"properties\":{\"a\":true}}", "{\"a\":1,\"b\":2}", FILL, NULL},
        {"{\"properties\":{\"a\":{\"properties\":{\"x\":true}}}}",
         "{\"a\":{\"x\":1,\"y\":2},\"b\":{}}", STRIP, "{\"a\":{\"x\":1}}"},
        {"{\"items\":{\"properties\":{\"a\":true}}}", "[{\"b\":1},3]", STRIP,
         "[{},3]"},
        {"{\"properties\":{\"a\":true},\"additionalProperties\":true}",
         "{\"b\":{\"c\":1}}", STRIP, NULL},
        {"{\"properties\":{\"a\":true},\"additionalProperties\":{\"type\":"
         "\"integer\"}}",
         "{\"b\":1}", STRIP, NULL},
        {"{\"properties\":{\"a\":true},\"unevaluatedProperties\":true}",
         "{\"b\":1}", STRIP, NULL},
        {"{\"properties\":{\"a\":true},\"unevaluatedProperties\":{\"properties"
         "\":{\"x\":true}}}",
         "{\"b\":{\"y\":1}}", STRIP, "{\"b\":{}}"},
        {"{\"patternProperties\":{\"^x-\":true}}", "{\"x-a\":1,\"b\":2}", STRIP,
         "{\"x-a\":1}"},
        {"{\"type\":\"object\",\"required\":[\"a\"]}", "{\"a\":1,\"b\":2}",
         STRIP, NULL},
        {"true", "{\"a\":{\"b\":1}}", STRIP, NULL},
        {"{\"allOf\":[{\"properties\":{\"a\":true}},{\"properties\":{\"b\":true"
         "}}]}",
         "{\"a\":1,\"b\":2,\"c\":3}", STRIP, "{\"a\":1,\"b\":2}"},
        {"{\"anyOf\":[{\"properties\":{\"a\":{\"type\":\"null\"}}},{"
         "\"properties\":{\"b\":true}}]}",
         "{\"a\":1,\"b\":2}", STRIP, "{\"b\":2}"},
        {"{\"properties\":{}}", "{\"a\":1}", STRIP, "{}"},
        {"{\"properties\":{\"a\":{\"default\":7}}}", "{\"b\":2}", FILL | STRIP,
         "{\"a\":7}"},
    };

    completed_hold(t, rows, CHECK_COUNT(rows));
}

/* What is copied keeps its place in the text; what is added has none. */
TEST(positions_are_kept)
{
    surety_schema *schema = NULL;
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_doc *built = surety_doc_new(check_alloc(t));
    surety_checker *checker = surety_checker_new(check_alloc(t), NULL);
    surety_val val;

    NEED(doc);
    NEED(built);
    NEED(checker);
    TRY(check_schema(t,
                     "{\"properties\":{\"a\":{\"items\":{\"properties\":{"
                     "\"n\":{\"default\":1},\"k\":{}}}}}}",
                     &schema));
    CHECK(schema->has_defaults);
    TRY(surety_doc_read(
        doc, surety_str_of("{\"x\":0,\n \"a\": [\n  {\"k\": \"v\"}]}"), NULL,
        NULL));
    val = surety_doc_root(doc);
    TRY(surety__checker_complete(checker, schema, true, true, built, &val,
                                 NULL));
    CHECK(val.doc == built);
    val = surety_val_at(surety_doc_root(built), surety_str_of("/a/0/k"));
    CHECK(surety_val_position(val).line == 3);
    CHECK(surety_val_position(val).column == 9);
    val = surety_val_key(val);
    CHECK(surety_val_position(val).column == 4);
    val = surety_val_at(surety_doc_root(built), surety_str_of("/a/0/n"));
    CHECK(surety_val_int(val, 0) == 1);
    CHECK(surety_val_position(val).line == 0);
    CHECK(!surety_val_get(surety_doc_root(built), "x").doc);
done:
    surety_checker_free(checker);
    surety_doc_free(built);
    surety_doc_free(doc);
    surety_schema_free(schema);
}

TEST(completing_is_bounded)
{
    surety_limits limits = {
        .size = sizeof(limits), .work_base = 200, .work_per_value = 1};
    surety_schema *schema = NULL;
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_doc *built = surety_doc_new(check_alloc(t));
    surety_checker *checker = surety_checker_new(check_alloc(t), &limits);
    surety_error err;
    surety_val value;

    NEED(doc);
    NEED(built);
    NEED(checker);
    TRY(check_schema(t,
                     "{\"items\":{\"anyOf\":[{\"$ref\":\"#\"},{\"type\":"
                     "\"integer\"}]}}",
                     &schema));
    TRY(surety_doc_read(doc, surety_str_of("[[[[[[[[[[[[1,2,3,4]]]]]]]]]]]]"),
                        NULL, NULL));
    value = surety_doc_root(doc);
    EXPECT(SURETY_LIMIT, surety__checker_complete(checker, schema, true, true,
                                                  built, &value, &err));
    CHECK(strstr(err.message, "work_base"));
    CHECK(value.doc == doc);
done:
    surety_checker_free(checker);
    surety_doc_free(built);
    surety_doc_free(doc);
    surety_schema_free(schema);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"defaults", defaults},
        {"defaults of branches", defaults_of_branches},
        {"unknown properties", unknown_properties},
        {"positions are kept", positions_are_kept},
        {"completing is bounded", completing_is_bounded},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
