/* SPDX-License-Identifier: Apache-2.0 */
/* The checker as an object: reuse, misuse, parts of documents, memory, and
 * what it leaves alone when it cannot answer. */
#include "check.h"

#include <string.h>

#include "schema/schema.h"

TEST(one_checker_for_many)
{
    surety_schema *numbers = NULL, *tree = NULL;
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_checker *checker = surety_checker_new(check_alloc(t), NULL);
    bool valid = false;

    NEED(doc);
    NEED(checker);
    TRY(check_schema(t, "{\"items\":{\"type\":\"number\"}}", &numbers));
    TRY(check_schema(t,
                     "{\"properties\":{\"kids\":{\"items\":{\"$ref\":\"#\"}}},"
                     "\"additionalProperties\":false}",
                     &tree));
    for (int round = 0; round < 3; round++) {
        TRY(surety_doc_read(doc, surety_str_of("[1,2.5]"), NULL, NULL));
        TRY(surety_checker_check(checker, numbers, surety_doc_root(doc), &valid,
                                 NULL));
        CHECK(valid);
        TRY(surety_checker_check(checker, tree, surety_doc_root(doc), &valid,
                                 NULL));
        CHECK(valid);
        TRY(surety_doc_read(doc, surety_str_of("{\"kids\":[{\"kid\":[]}]}"),
                            NULL, NULL));
        TRY(surety_checker_check(checker, tree, surety_doc_root(doc), &valid,
                                 NULL));
        CHECK(!valid);
        TRY(surety_checker_check(checker, numbers, surety_doc_root(doc), &valid,
                                 NULL));
        CHECK(valid);
    }
done:
    surety_checker_free(checker);
    surety_doc_free(doc);
    surety_schema_free(numbers);
    surety_schema_free(tree);
}

TEST(a_second_check_allocates_nothing)
{
    surety_schema *schema = NULL;
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_checker *checker = surety_checker_new(check_alloc(t), NULL);
    size_t made;
    bool valid = false;

    NEED(doc);
    NEED(checker);
    TRY(check_schema(
        t,
        "{\"items\":{\"anyOf\":[{\"type\":\"null\"},{\"properties\":{\"a\":{"
        "\"uniqueItems\":true,\"items\":{\"pattern\":\"^(x|y+)\"}}},"
        "\"unevaluatedProperties\":false}]}}",
        &schema));
    TRY(surety_doc_read(doc,
                        surety_str_of("[null,{\"a\":[\"x\",\"yy\"]},{},null]"),
                        NULL, NULL));
    TRY(surety_checker_check(checker, schema, surety_doc_root(doc), &valid,
                             NULL));
    CHECK(valid);
    made = t->made;
    TRY(surety_checker_check(checker, schema, surety_doc_root(doc), &valid,
                             NULL));
    CHECK(valid && t->made == made);
done:
    surety_checker_free(checker);
    surety_doc_free(doc);
    surety_schema_free(schema);
}

/* The report and the completion keep their memory too. */
TEST(a_third_report_allocates_nothing)
{
    surety_schema *schema = NULL;
    surety_doc *bad = surety_doc_new(check_alloc(t));
    surety_doc *good = surety_doc_new(check_alloc(t));
    surety_doc *built = surety_doc_new(check_alloc(t));
    surety_checker *checker = surety_checker_new(check_alloc(t), NULL);
    surety_findings *findings = surety_findings_new(check_alloc(t));
    surety_val value;
    size_t made = 0;

    NEED(bad);
    NEED(good);
    NEED(built);
    NEED(checker);
    NEED(findings);
    TRY(check_schema(t,
                     "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":"
                     "\"integer\",\"default\":1},\"o\":{\"anyOf\":[{\"type\":"
                     "\"null\"},{\"$ref\":\"#\"}]}},\"required\":[\"o\"],"
                     "\"additionalProperties\":false}",
                     &schema));
    TRY(surety_doc_read(bad, surety_str_of("{\"n\":\"1\",\"O\":{},\"x\":[1]}"),
                        NULL, NULL));
    TRY(surety_doc_read(good, surety_str_of("{\"o\":{\"o\":null}}"), NULL,
                        NULL));
    for (int round = 0; round < 3; round++) {
        made = t->made;
        TRY(surety_checker_report(checker, schema, surety_doc_root(bad),
                                  findings, NULL));
        CHECK(surety_findings_count(findings) == 4);
        value = surety_doc_root(good);
        TRY(surety__checker_complete(checker, schema, true, true, built, &value,
                                     NULL));
    }
    CHECK(t->made == made);
done:
    surety_findings_free(findings);
    surety_checker_free(checker);
    surety_doc_free(built);
    surety_doc_free(good);
    surety_doc_free(bad);
    surety_schema_free(schema);
}

TEST(a_part_of_a_document)
{
    surety_schema *schema = NULL;
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_checker *checker = surety_checker_new(check_alloc(t), NULL);
    surety_findings *findings = surety_findings_new(check_alloc(t));
    surety_finding finding;
    surety_val part;
    bool valid = true;

    NEED(doc);
    NEED(checker);
    NEED(findings);
    TRY(check_schema(t,
                     "{\"required\":[\"x\"],\"properties\":{\"x\":{"
                     "\"type\":\"null\"}}}",
                     &schema));
    TRY(surety_doc_read(doc, surety_str_of("{\"x\":[{\"x\":null},{\"x\":1}]}"),
                        NULL, NULL));
    part = surety_val_at(surety_doc_root(doc), surety_str_of("/x/0"));
    TRY(surety_checker_check(checker, schema, part, &valid, NULL));
    CHECK(valid);
    part = surety_val_at(surety_doc_root(doc), surety_str_of("/x/1"));
    TRY(surety_checker_check(checker, schema, part, &valid, NULL));
    CHECK(!valid);
    TRY(surety_checker_report(checker, schema, part, findings, NULL));
    CHECK(surety_findings_count(findings) == 1);
    finding = surety_findings_at(findings, 0);
    NEED(finding.keyword.ptr);
    CHECK_TEXT(finding.instance_location, "/x/1/x");
    CHECK(surety_val_int(finding.instance, 0) == 1);
    CHECK(surety_val_is(finding.schema, "null"));
done:
    surety_findings_free(findings);
    surety_checker_free(checker);
    surety_doc_free(doc);
    surety_schema_free(schema);
}

/* The value behind the schema that is compiled, in its own document. */
static surety_status give_next(void *ctx, surety_str uri, surety_val *ret_val)
{
    (void)uri;
    *ret_val = *(const surety_val *)ctx;
    return SURETY_OK;
}

TEST(a_schema_beside_its_own)
{
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_doc *value = surety_doc_new(check_alloc(t));
    surety_checker *checker = surety_checker_new(check_alloc(t), NULL);
    surety_schema_options options = {
        .size = sizeof(options), .alloc = check_alloc(t), .resolve = give_next};
    surety_schema *schema = NULL;
    surety_val first, second;
    bool valid = false;

    NEED(doc);
    NEED(value);
    NEED(checker);
    TRY(surety_doc_read(doc,
                        surety_str_of("[{\"items\":{\"$ref\":\"urn:next\"}},"
                                      "{\"type\":\"null\"},[7]]"),
                        NULL, NULL));
    first = surety_val_first(surety_doc_root(doc));
    second = surety_val_next(surety_doc_root(doc), first);
    options.resolve_ctx = &second;
    TRY(surety_schema_compile(first, &options, &schema, NULL));
    TRY(surety_doc_read(value, surety_str_of("[null]"), NULL, NULL));
    TRY(surety_checker_check(checker, schema, surety_doc_root(value), &valid,
                             NULL));
    CHECK(valid);
    TRY(surety_doc_read(value, surety_str_of("[1]"), NULL, NULL));
    TRY(surety_checker_check(checker, schema, surety_doc_root(value), &valid,
                             NULL));
    CHECK(!valid);
done:
    surety_schema_free(schema);
    surety_checker_free(checker);
    surety_doc_free(value);
    surety_doc_free(doc);
}

TEST(calls_that_make_no_sense)
{
    surety_schema *schema = NULL;
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_doc *built = surety_doc_new(check_alloc(t));
    surety_checker *checker = surety_checker_new(check_alloc(t), NULL);
    surety_findings *findings = surety_findings_new(check_alloc(t));
    surety_error err;
    surety_val root, value;
    bool valid = true;

    NEED(doc);
    NEED(built);
    NEED(checker);
    NEED(findings);
    TRY(check_schema(t, "false", &schema));
    TRY(surety_doc_read(doc, surety_str_of("1"), NULL, NULL));
    root = value = surety_doc_root(doc);
    EXPECT(SURETY_MISUSE,
           surety_checker_check(NULL, schema, root, &valid, &err));
    CHECK(err.status == SURETY_MISUSE && err.message[0]);
    EXPECT(SURETY_MISUSE,
           surety_checker_check(checker, NULL, root, &valid, NULL));
    EXPECT(
        SURETY_MISUSE,
        surety_checker_check(checker, schema, surety_val_none(), &valid, NULL));
    EXPECT(SURETY_MISUSE,
           surety_checker_check(checker, schema, root, NULL, NULL));
    EXPECT(SURETY_MISUSE,
           surety_checker_report(checker, schema, root, NULL, NULL));
    EXPECT(SURETY_MISUSE,
           surety_checker_report(checker, schema, surety_val_none(), findings,
                                 NULL));
    EXPECT(SURETY_MISUSE, surety__checker_complete(checker, schema, true, true,
                                                   doc, &value, NULL));
    EXPECT(SURETY_MISUSE, surety__checker_complete(checker, schema, true, true,
                                                   NULL, &value, NULL));
    CHECK(valid);
    CHECK(surety_findings_count(NULL) == 0);
    CHECK(!surety_findings_truncated(NULL));
    CHECK(surety_findings_at(findings, 7).keyword.len == 0);
    CHECK(surety_schema_info_of(NULL)->dialect == SURETY_DIALECT_DEFAULT);
    surety_schema_free(NULL);
    surety_checker_free(NULL);
    surety_findings_free(NULL);
done:
    surety_findings_free(findings);
    surety_checker_free(checker);
    surety_doc_free(built);
    surety_doc_free(doc);
    surety_schema_free(schema);
}

/* After a limit the same checker answers the next question right. */
TEST(a_checker_recovers_from_a_limit)
{
    surety_limits limits = {
        .size = sizeof(limits), .work_base = 1, .work_per_value = 1};
    surety_schema *steep = NULL, *plain = NULL;
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_checker *checker = surety_checker_new(check_alloc(t), &limits);
    surety_error err;
    bool valid = false;

    NEED(doc);
    NEED(checker);
    TRY(check_schema(t,
                     "{\"allOf\":[{\"not\":{\"maxItems\":0}},{\"not\":{"
                     "\"minItems\":9}},{\"not\":{\"minItems\":8}}]}",
                     &steep));
    TRY(check_schema(t, "{\"not\":{\"items\":{\"type\":\"null\"}}}", &plain));
    TRY(surety_doc_read(doc, surety_str_of("[1]"), NULL, NULL));
    EXPECT(SURETY_LIMIT,
           surety_checker_check(checker, steep, surety_doc_root(doc), &valid,
                                &err));
    CHECK(!valid);
    TRY(surety_checker_check(checker, plain, surety_doc_root(doc), &valid,
                             NULL));
    CHECK(valid);
done:
    surety_checker_free(checker);
    surety_doc_free(doc);
    surety_schema_free(steep);
    surety_schema_free(plain);
}

/* A schema compiled from a value that is already read uses that document. */
TEST(a_schema_from_a_value)
{
    surety_schema_options options = {.size = sizeof(options),
                                     .alloc = check_alloc(t)};
    surety_schema *schema = NULL;
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_checker *checker = surety_checker_new(check_alloc(t), NULL);
    surety_val root;
    bool valid = true;

    NEED(doc);
    NEED(checker);
    TRY(surety_doc_read(
        doc,
        surety_str_of("{\"schema\":{\"const\":\"a\",\"$defs\":{\"x\":{}},"
                      "\"$ref\":\"#/$defs/x\"},\"good\":\"a\",\"bad\":\"b\"}"),
        NULL, NULL));
    root = surety_doc_root(doc);
    TRY(surety_schema_compile(surety_val_get(root, "schema"), &options, &schema,
                              NULL));
    TRY(surety_checker_check(checker, schema, surety_val_get(root, "good"),
                             &valid, NULL));
    CHECK(valid);
    TRY(surety_checker_check(checker, schema, surety_val_get(root, "bad"),
                             &valid, NULL));
    CHECK(!valid);
    CHECK(schema->root_val.index == surety_val_get(root, "schema").index);
done:
    surety_checker_free(checker);
    surety_schema_free(schema);
    surety_doc_free(doc);
}

/* Items in runs of `run` that are alike hold, unless one of them is wrong. */
static void runs_check(struct check *t, surety_checker *checker,
                       const surety_schema *schema, size_t run, size_t wrong)
{
    enum { ITEMS = 24 };
    static const char *const items[] = {"\"a\"", "[]", "[1,2]", "[[1],{}]",
                                        "null"};
    surety_doc *doc = surety_doc_new(check_alloc(t));
    bool valid = false;
    surety_buf text;

    surety_buf_init(&text, check_alloc(t), 0);
    surety_buf_byte(&text, '[');
    for (size_t i = 0; i < ITEMS; i++) {
        surety_buf_text(&text, i ? "," : "");
        surety_buf_text(&text,
                        i == wrong ? "7" : items[i / run % CHECK_COUNT(items)]);
    }
    surety_buf_byte(&text, ']');
    NEED(doc);
    TRY(text.status);
    TRY(surety_doc_read(doc, surety_buf_str(&text), NULL, NULL));
    TRY(surety_checker_check(checker, schema, surety_doc_root(doc), &valid,
                             NULL));
    CHECK(valid == (wrong == ITEMS));
done:
    surety_buf_done(&text);
    surety_doc_free(doc);
}

TEST(items_whose_kind_decides_come_in_runs)
{
    surety_schema *schema = NULL;
    surety_checker *checker = surety_checker_new(check_alloc(t), NULL);

    NEED(checker);
    TRY(check_schema(
        t, "{\"items\":{\"type\":[\"string\",\"array\",\"null\"]}}", &schema));
    for (size_t run = 1; run < 9; run++)
        for (size_t wrong = 0; wrong <= 24; wrong++)
            runs_check(t, checker, schema, run, wrong);
done:
    surety_checker_free(checker);
    surety_schema_free(schema);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"one checker for many schemas", one_checker_for_many},
        {"a second check allocates nothing", a_second_check_allocates_nothing},
        {"a third report allocates nothing", a_third_report_allocates_nothing},
        {"a part of a document", a_part_of_a_document},
        {"a schema beside its own", a_schema_beside_its_own},
        {"calls that make no sense", calls_that_make_no_sense},
        {"a checker recovers from a limit", a_checker_recovers_from_a_limit},
        {"a schema from a value", a_schema_from_a_value},
        {"items whose kind decides come in runs",
         items_whose_kind_decides_come_in_runs},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
