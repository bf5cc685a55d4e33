/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as an object: what they hold, order, appending, limits, and the
 * output formats. The words are tested in tests/golden/messages. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "schema/schema.h"

struct report {
    surety_limits limits;
    surety_schema *schema;
    surety_doc *doc;
    surety_checker *checker;
    surety_findings *findings;
    surety_finding finding; /* the last that was read */
    surety_buf out;
};

static surety_status report_of(struct check *t, struct report *report,
                               const char *schema, const char *instance)
{
    surety_status status;

    surety_buf_init(&report->out, check_alloc(t), 0);
    report->limits.size = sizeof(report->limits);
    report->doc = surety_doc_new(check_alloc(t));
    report->checker = surety_checker_new(check_alloc(t), &report->limits);
    report->findings = surety_findings_new(check_alloc(t));
    if (!report->doc || !report->checker || !report->findings)
        return SURETY_NOMEM;
    status = check_schema(t, schema, &report->schema);
    if (!status)
        status =
            surety_doc_read(report->doc, surety_str_of(instance), NULL, NULL);
    if (!status)
        status = surety_checker_report(report->checker, report->schema,
                                       surety_doc_root(report->doc),
                                       report->findings, NULL);
    return status;
}

static surety_status report_read(struct report *report, size_t i)
{
    report->finding = surety_findings_at(report->findings, i);
    return report->finding.keyword.ptr ? SURETY_OK : SURETY_NOMEM;
}

static void report_done(struct report *report)
{
    surety_findings_free(report->findings);
    surety_checker_free(report->checker);
    surety_doc_free(report->doc);
    surety_schema_free(report->schema);
    surety_buf_done(&report->out);
}

TEST(what_a_finding_holds)
{
    struct report report = {.schema = NULL};
    surety_finding finding;

    TRY(report_of(t, &report,
                  "{\"$id\":\"https://example.org/s\",\"properties\":{\"a\":{"
                  "\"$ref\":\"#/$defs/p\"}},\"$defs\":{\"p\":{\"maximum\":1}}}",
                  "{\n  \"a\": 85\n}"));
    CHECK(surety_findings_count(report.findings) == 1);
    TRY(report_read(&report, 0));
    finding = report.finding;
    CHECK_TEXT(finding.keyword, "maximum");
    CHECK_TEXT(finding.instance_location, "/a");
    CHECK_TEXT(finding.keyword_location, "/properties/a/$ref/maximum");
    CHECK_TEXT(finding.absolute_keyword_location,
               "https://example.org/s#/$defs/p/maximum");
    CHECK_TEXT(finding.message, "85 is greater than the maximum of 1");
    CHECK_TEXT(finding.hint, "0.85?");
    CHECK(surety_val_position(finding.instance).line == 2);
    CHECK(surety_val_position(finding.instance).column == 8);
    CHECK(surety_val_int(finding.schema, 0) == 1);
done:
    report_done(&report);
}

TEST(a_false_schema_and_a_key)
{
    struct report report = {.schema = NULL};
    surety_finding finding;

    TRY(report_of(t, &report,
                  "{\"additionalProperties\":false,\"properties\":{\"n\":"
                  "false}}",
                  "{\"n\":1,\"m\":2}"));
    CHECK(surety_findings_count(report.findings) == 2);
    TRY(report_read(&report, 0));
    finding = report.finding;
    CHECK_TEXT(finding.keyword, "additionalProperties");
    CHECK_TEXT(finding.instance_location, "/m");
    CHECK(surety_val_is(finding.instance, "m"));
    CHECK(surety_val_kind(finding.schema) == SURETY_KIND_BOOLEAN);
    TRY(report_read(&report, 1));
    finding = report.finding;
    CHECK_TEXT(finding.keyword, "properties");
    CHECK_TEXT(finding.keyword_location, "/properties/n");
    CHECK(surety_val_kind(finding.schema) == SURETY_KIND_BOOLEAN);
    CHECK(surety_val_int(finding.instance, 0) == 1);
done:
    report_done(&report);
}

/* What was read stays, whatever becomes of the value and the schema; a second
 * reading gives the same texts. */
TEST(a_finding_outlives_value_and_schema)
{
    struct report report = {.schema = NULL};
    surety_finding finding;

    TRY(report_of(t, &report, "{\"properties\":{\"a\":{\"enum\":[\"left\"]}}}",
                  "{\"a\":\"lefd\"}"));
    TRY(report_read(&report, 0));
    finding = report.finding;
    surety_checker_free(report.checker);
    surety_doc_free(report.doc);
    surety_schema_free(report.schema);
    report.checker = NULL;
    report.doc = NULL;
    report.schema = NULL;
    TRY(report_read(&report, 0));
    CHECK_TEXT(finding.instance_location, "/a");
    CHECK_TEXT(finding.keyword_location, "/properties/a/enum");
    CHECK_TEXT(finding.message, "\"lefd\" must be \"left\"");
    CHECK_TEXT(finding.hint, "\"left\"?");
    CHECK(finding.message.ptr == report.finding.message.ptr);
done:
    report_done(&report);
}

/* A report replaces the one before. */
TEST(reports_are_replaced)
{
    struct report report = {.schema = NULL};

    TRY(report_of(t, &report,
                  "{\"prefixItems\":[{\"type\":\"null\"},{\"type\":\"null\"}]}",
                  "[1,2]"));
    TRY(surety_doc_read(report.doc, surety_str_of("[null,3]"), NULL, NULL));
    TRY(surety_checker_report(report.checker, report.schema,
                              surety_doc_root(report.doc), report.findings,
                              NULL));
    CHECK(surety_findings_count(report.findings) == 1);
    TRY(report_read(&report, 0));
    CHECK_TEXT(report.finding.message, "3 must be null");
done:
    report_done(&report);
}

/* Schema order first: required stands in front of properties here. */
TEST(findings_stand_in_the_order_of_the_schema)
{
    struct report report = {.schema = NULL};
    static const char *const order[] = {
        "/required", "/properties/b/type", "/properties/a/items/type",
        "/properties/a/items/type", "/minProperties"};

    TRY(report_of(t, &report,
                  "{\"required\":[\"z\"],\"properties\":{\"b\":{\"type\":"
                  "\"null\"},\"a\":{\"items\":{\"type\":\"null\"}}},"
                  "\"minProperties\":9}",
                  "{\"b\":1,\"a\":[1,2]}"));
    CHECK(surety_findings_count(report.findings) == CHECK_COUNT(order));
    for (size_t i = 0; i < CHECK_COUNT(order); i++) {
        TRY(report_read(&report, i));
        CHECK_TEXT(report.finding.keyword_location, order[i]);
    }
done:
    report_done(&report);
}

/* Arrays of the numbers below `kinds`, in all orders: the first item that is
 * there already is the one that is reported. */
TEST(the_first_item_that_repeats_is_reported)
{
    enum { ITEMS = 40, ARRAYS = 50 };
    struct report report = {.schema = NULL};
    uint32_t state = 1;

    TRY(report_of(t, &report, "{\"uniqueItems\":true}", "[]"));
    for (unsigned kinds = 2; kinds < 2 + ARRAYS; kinds++) {
        uint64_t seen = 0;
        size_t repeated = SIZE_MAX;

        surety_buf_reset(&report.out);
        for (size_t i = 0; i < ITEMS; i++) {
            const unsigned number = (state = state * 1664525 + 1013904223) >> 8;

            surety_buf_byte(&report.out, i ? ',' : '[');
            surety_buf_number(&report.out, number % kinds);
            if (repeated == SIZE_MAX && seen >> number % kinds & 1)
                repeated = i;
            seen |= (uint64_t)1 << number % kinds;
        }
        surety_buf_byte(&report.out, ']');
        TRY(report.out.status);
        TRY(surety_doc_read(report.doc, surety_buf_str(&report.out), NULL,
                            NULL));
        TRY(surety_checker_report(report.checker, report.schema,
                                  surety_doc_root(report.doc), report.findings,
                                  NULL));
        CHECK((repeated == SIZE_MAX) ==
              (surety_findings_count(report.findings) == 0));
        if (repeated == SIZE_MAX)
            continue;
        TRY(report_read(&report, 0));
        CHECK(report.finding.instance.index == repeated + 1);
    }
done:
    report_done(&report);
}

TEST(output_formats)
{
    struct report report = {.schema = NULL};

    TRY(report_of(t, &report, "{\"required\":[\"x\"]}", "{}"));
    TRY(surety_findings_write(report.findings, false, SURETY_OUTPUT_FLAG,
                              &report.out));
    CHECK_TEXT(surety_buf_str(&report.out), "{\"valid\":false}");
    surety_buf_reset(&report.out);
    TRY(surety_findings_write(report.findings, true, SURETY_OUTPUT_FLAG,
                              &report.out));
    CHECK_TEXT(surety_buf_str(&report.out), "{\"valid\":true}");
    surety_buf_reset(&report.out);
    TRY(surety_findings_write(report.findings, false, SURETY_OUTPUT_BASIC,
                              &report.out));
    CHECK_TEXT(surety_buf_str(&report.out),
               "{\"valid\":false,\"keywordLocation\":\"\",\"instanceLocation\":"
               "\"\",\"errors\":[{\"valid\":false,\"keywordLocation\":"
               "\"/required\",\"absoluteKeywordLocation\":\"#/required\","
               "\"instanceLocation\":\"\",\"error\":\"the required property "
               "\\\"x\\\" is missing\"}]}");
    surety_buf_reset(&report.out);
    TRY(surety_doc_read(report.doc, surety_str_of("{\"x\":1}"), NULL, NULL));
    TRY(surety_checker_report(report.checker, report.schema,
                              surety_doc_root(report.doc), report.findings,
                              NULL));
    TRY(surety_findings_write(report.findings, false, SURETY_OUTPUT_DETAILED,
                              &report.out));
    CHECK_TEXT(surety_buf_str(&report.out),
               "{\"valid\":false,\"keywordLocation\":\"\",\"instanceLocation\":"
               "\"\",\"errors\":[]}");
done:
    report_done(&report);
}

/* Units open inside units: /a holds /a/b, which holds two. */
TEST(detailed_output_nests)
{
    struct report report = {.schema = NULL};
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_val errors;

    NEED(doc);
    TRY(report_of(t, &report,
                  "{\"properties\":{\"a\":{\"properties\":{\"b\":{\"required\":"
                  "[\"x\",\"y\"]},\"c\":{\"type\":\"null\"}}}},\"maxProperties"
                  "\":0}",
                  "{\"a\":{\"b\":{},\"c\":1}}"));
    TRY(surety_findings_write(report.findings, false, SURETY_OUTPUT_DETAILED,
                              &report.out));
    TRY(surety_doc_read(doc, surety_buf_str(&report.out), NULL, NULL));
    errors = surety_val_get(surety_doc_root(doc), "errors");
    CHECK(surety_val_count(errors) == 2);
    CHECK(surety_val_is(
        surety_val_at(errors, surety_str_of("/0/keywordLocation")),
        "/properties/a"));
    CHECK(surety_val_is(
        surety_val_at(errors, surety_str_of("/0/instanceLocation")), "/a"));
    errors = surety_val_at(errors, surety_str_of("/0/errors"));
    CHECK(surety_val_count(errors) == 2);
    CHECK(surety_val_is(
        surety_val_at(errors, surety_str_of("/0/instanceLocation")), "/a/b"));
    CHECK(surety_val_count(surety_val_at(errors, surety_str_of("/0/errors"))) ==
          2);
    CHECK(!surety_val_at(errors, surety_str_of("/0/error")).doc);
    CHECK(surety_val_at(errors, surety_str_of("/1/error")).doc);
done:
    surety_doc_free(doc);
    report_done(&report);
}

/* Writes `count` members "nNNN": VALUE and then one called `last`. */
static void many_members(surety_buf *out, unsigned count, const char *value,
                         const char *last)
{
    surety_buf_byte(out, '{');
    for (unsigned i = 0; i < count; i++)
        surety__buf_printf(out, "\"n%03u\":%s,", i, value);
    surety__buf_printf(out, "\"%s\":%s}", last, value);
}

/* A hint looks at 512 names or values: the likely one is the last of them, or
 * the one behind. */
/* The text of len bytes that holds an array. */
static char *array_in_text(size_t len)
{
    char *text = malloc(len + 3);

    if (!text)
        abort();
    memset(text, ' ', len + 2);
    memcpy(text, "\"[1", 3);
    memcpy(text + len, "]\"", 3);
    return text;
}

TEST(hints_read_texts_below_65536_bytes)
{
    static const struct {
        size_t len;
        const char *hint;
    } rows[] = {{4, "[1]?"}, {65535, "[1]?"}, {65536, ""}};

    for (size_t i = 0; i < CHECK_COUNT(rows) && !t->failed; i++) {
        struct report report = {.schema = NULL};
        char *text = array_in_text(rows[i].len);

        TRY(report_of(t, &report, "{\"type\":[\"array\",\"null\"]}", text));
        CHECK(surety_findings_count(report.findings) == 1);
        TRY(report_read(&report, 0));
        CHECK_TEXT(report.finding.hint, rows[i].hint);
    done:
        report_done(&report);
        free(text);
    }
}

TEST(hints_look_at_512_names)
{
    for (unsigned count = 511; count <= 512; count++) {
        const char *hint = count < 512 ? "\"likely\"?" : "";
        struct report report = {.schema = NULL};
        surety_buf schema, instance;

        surety_buf_init(&schema, check_alloc(t), 0);
        surety_buf_init(&instance, check_alloc(t), 0);
        surety_buf_text(&schema, "{\"additionalProperties\":false,"
                                 "\"properties\":");
        many_members(&schema, count, "true", "likely");
        surety_buf_text(&schema, "}");
        surety_buf_byte(&schema, '\0');
        TRY(schema.status);
        TRY(report_of(t, &report, schema.ptr, "{\"likeli\":1}"));
        TRY(report_read(&report, 0));
        CHECK_TEXT(report.finding.hint, hint);
        report_done(&report);
        report = (struct report){.schema = NULL};

        surety_buf_reset(&schema);
        surety_buf_text(&schema, "{\"enum\":[");
        for (unsigned i = 0; i < count; i++)
            surety_buf_text(&schema, "0,");
        surety_buf_text(&schema, "\"likely\"]}");
        surety_buf_byte(&schema, '\0');
        TRY(schema.status);
        TRY(report_of(t, &report, schema.ptr, "\"likeli\""));
        TRY(report_read(&report, 0));
        CHECK_TEXT(report.finding.hint, hint);
        report_done(&report);
        report = (struct report){.schema = NULL};

        many_members(&instance, count, "1", "likely");
        surety_buf_byte(&instance, '\0');
        TRY(instance.status);
        TRY(report_of(t, &report, "{\"required\":[\"likeli\"]}", instance.ptr));
        TRY(report_read(&report, 0));
        CHECK_TEXT(report.finding.hint, count < 512 ? "is it \"likely\"?" : "");
    done:
        report_done(&report);
        surety_buf_done(&schema);
        surety_buf_done(&instance);
        if (t->failed || t->starved)
            break;
    }
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"what a finding holds", what_a_finding_holds},
        {"a false schema and a key", a_false_schema_and_a_key},
        {"a finding that was read outlives value and schema",
         a_finding_outlives_value_and_schema},
        {"reports are replaced", reports_are_replaced},
        {"findings are in the order of the schema",
         findings_stand_in_the_order_of_the_schema},
        {"the first item that repeats is reported",
         the_first_item_that_repeats_is_reported},
        {"output formats", output_formats},
        {"detailed output nests", detailed_output_nests},
        {"hints read texts below 65,536 bytes",
         hints_read_texts_below_65536_bytes},
        {"hints look at 512 names", hints_look_at_512_names},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
