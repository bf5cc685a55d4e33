/* SPDX-License-Identifier: Apache-2.0 */
/* Limits and hostile inputs: each limit just below, at and just above, and
 * schemas and values made to take forever, which must end soon in the right
 * answer or in SURETY_LIMIT with the limit's name.
 *
 * Tests of large inputs allocate from libc, so that they are not run again for
 * every allocation; everything else goes through check_alloc. */
#include "check.h"

#include <string.h>

#include "schema/schema.h"

/* What one question needs. */
struct question {
    surety_limits limits;
    surety_schema_options options;
    surety_schema *schema;
    surety_doc *doc;
    surety_checker *checker;
    surety_buf schema_text, instance_text;
    surety_error err;
    bool valid;
};

static void question_init(struct question *question, const surety_alloc *alloc)
{
    *question = (struct question){
        .limits = {.size = sizeof(surety_limits)},
        .options = {.size = sizeof(surety_schema_options), .alloc = alloc}};
    question->options.limits = &question->limits;
    surety_buf_init(&question->schema_text, alloc, 0);
    surety_buf_init(&question->instance_text, alloc, 0);
}

static void question_done(struct question *question)
{
    surety_checker_free(question->checker);
    surety_doc_free(question->doc);
    surety_schema_free(question->schema);
    surety_buf_done(&question->schema_text);
    surety_buf_done(&question->instance_text);
}

/* Compiles schema_text anew. */
static surety_status question_compile(struct question *question)
{
    surety_schema_free(question->schema);
    question->schema = NULL;
    if (question->schema_text.status)
        return question->schema_text.status;
    return surety_schema_read(surety_buf_str(&question->schema_text),
                              &question->options, &question->schema,
                              &question->err);
}

/* Compiles, reads and checks. */
static surety_status question_ask(struct question *question)
{
    surety_read_options read = {.size = sizeof(read),
                                .limits = &question->limits};
    surety_status status = question_compile(question);

    if (status)
        return status;
    if (question->instance_text.status)
        return question->instance_text.status;
    surety_checker_free(question->checker);
    surety_doc_free(question->doc);
    question->doc = surety_doc_new(question->options.alloc);
    question->checker =
        surety_checker_new(question->options.alloc, &question->limits);
    if (!question->doc || !question->checker)
        return SURETY_NOMEM;
    status =
        surety_doc_read(question->doc, surety_buf_str(&question->instance_text),
                        &read, &question->err);
    if (!status)
        status = surety_checker_check(question->checker, question->schema,
                                      surety_doc_root(question->doc),
                                      &question->valid, &question->err);
    return status;
}

static surety_status question_of(struct question *question, const char *schema,
                                 const char *instance)
{
    surety_buf_reset(&question->schema_text);
    surety_buf_reset(&question->instance_text);
    surety_buf_text(&question->schema_text, schema);
    surety_buf_text(&question->instance_text, instance);
    return question_ask(question);
}

/* Whether the error names the limit, and its hint says to raise that one. */
static bool question_names(const struct question *question, const char *limit)
{
    char hint[96];

    snprintf(hint, sizeof(hint), "raise %s of surety_limits;", limit);
    if (strstr(question->err.message, limit) &&
        strstr(question->err.hint, hint) == question->err.hint &&
        question->err.status == SURETY_LIMIT)
        return true;
    printf("# %s; %s\n", question->err.message, question->err.hint);
    return false;
}

static void repeat(surety_buf *buf, const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        surety_buf_text(buf, text);
}

/* A schema that refers to another that often before one says something. */
static void chain_of_references(struct question *question, unsigned count)
{
    surety_buf *text = &question->schema_text;

    surety_buf_text(text, "{\"$ref\":\"#/$defs/1\",\"$defs\":{");
    for (unsigned i = 1; i < count; i++) {
        surety_buf_byte(text, '"');
        surety_buf_number(text, i);
        surety_buf_text(text, "\":{\"$ref\":\"#/$defs/");
        surety_buf_number(text, i + 1);
        surety_buf_text(text, "\"},");
    }
    surety_buf_byte(text, '"');
    surety_buf_number(text, count);
    surety_buf_text(text, "\":{\"minimum\":2}}}");
}

/* ---- compiling ---------------------------------------------------------- */

TEST(schema_bytes)
{
    struct question question;

    question_init(&question, check_alloc(t));
    surety_buf_text(&question.schema_text, "{\"type\":\"null\"}");
    question.limits.schema_bytes_max = question.schema_text.len + 1;
    TRY(question_compile(&question));
    question.limits.schema_bytes_max = question.schema_text.len;
    TRY(question_compile(&question));
    question.limits.schema_bytes_max = question.schema_text.len - 1;
    EXPECT(SURETY_LIMIT, question_compile(&question));
    CHECK(question_names(&question, "schema_bytes_max"));
done:
    question_done(&question);
}

TEST(schema_of_50_megabytes)
{
    struct question question;

    question_init(&question, NULL);
    repeat(&question.schema_text, "          ", 5 << 20);
    EXPECT(SURETY_LIMIT, question_compile(&question));
    CHECK(question_names(&question, "schema_bytes_max"));
done:
    question_done(&question);
}

TEST(schema_nodes)
{
    struct question question;

    question_init(&question, check_alloc(t));
    surety_buf_text(&question.schema_text,
                    "{\"allOf\":[{\"items\":true},{\"not\":{}},true]}");
    question.limits.schema_nodes_max = 7;
    TRY(question_compile(&question));
    question.limits.schema_nodes_max = 6;
    TRY(question_compile(&question));
    question.limits.schema_nodes_max = 5;
    EXPECT(SURETY_LIMIT, question_compile(&question));
    CHECK(question_names(&question, "schema_nodes_max"));
    CHECK(question.err.position.line == 1);
done:
    question_done(&question);
}

TEST(schema_depth)
{
    struct question question;

    question_init(&question, check_alloc(t));
    repeat(&question.schema_text, "{\"items\":", 9);
    surety_buf_text(&question.schema_text, "{}");
    repeat(&question.schema_text, "}", 9);
    question.limits.schema_depth_max = 11;
    TRY(question_compile(&question));
    question.limits.schema_depth_max = 10;
    TRY(question_compile(&question));
    question.limits.schema_depth_max = 9;
    EXPECT(SURETY_LIMIT, question_compile(&question));
    CHECK(question_names(&question, "schema_depth_max"));
    CHECK_TEXT(surety_str_of(question.err.path),
               "/items/items/items/items/items/items/items/items/items");
done:
    question_done(&question);
}

static surety_status documents_resolve(void *ctx, surety_str uri,
                                       surety_val *ret_val)
{
    surety_doc **docs = ctx;

    *ret_val = surety_doc_root(docs[uri.ptr[uri.len - 1] - '0']);
    return SURETY_OK;
}

TEST(schema_documents)
{
    struct question question;
    surety_doc *docs[3] = {NULL};

    question_init(&question, check_alloc(t));
    for (size_t i = 0; i < 3; i++) {
        docs[i] = surety_doc_new(check_alloc(t));
        NEED(docs[i]);
        TRY(surety_doc_read(docs[i], surety_str_of("{}"), NULL, NULL));
    }
    question.options.resolve = documents_resolve;
    question.options.resolve_ctx = docs;
    surety_buf_text(&question.schema_text,
                    "{\"allOf\":[{\"$ref\":\"x:0\"},{\"$ref\":\"x:1\"},\n"
                    "{\"$ref\":\"x:2\"}]}");
    question.limits.schema_documents_max = 5;
    TRY(question_compile(&question));
    question.limits.schema_documents_max = 4;
    TRY(question_compile(&question));
    question.limits.schema_documents_max = 3;
    EXPECT(SURETY_LIMIT, question_compile(&question));
    CHECK(question_names(&question, "schema_documents_max"));
    CHECK(question.err.position.line == 2);
done:
    question_done(&question);
    for (size_t i = 0; i < 3; i++)
        surety_doc_free(docs[i]);
}

TEST(pattern_length)
{
    struct question question;

    question_init(&question, check_alloc(t));
    surety_buf_text(&question.schema_text, "{\"pattern\":\"^(abc|d)\"}");
    question.limits.pattern_len_max = 9;
    TRY(question_compile(&question));
    question.limits.pattern_len_max = 8;
    TRY(question_compile(&question));
    question.limits.pattern_len_max = 7;
    EXPECT(SURETY_LIMIT, question_compile(&question));
    CHECK(question_names(&question, "pattern_len_max"));
    CHECK_TEXT(surety_str_of(question.err.path), "/pattern");
done:
    question_done(&question);
}

/* ---- checking ----------------------------------------------------------- */

TEST(inplace_depth)
{
    struct question question;

    question_init(&question, check_alloc(t));
    repeat(&question.schema_text, "{\"minimum\":0,\"not\":", 16);
    surety_buf_text(&question.schema_text, "{\"minimum\":5}");
    repeat(&question.schema_text, "}", 16);
    surety_buf_text(&question.instance_text, "1");
    question.limits.inplace_depth_max = 17;
    TRY(question_ask(&question));
    CHECK(!question.valid);
    question.limits.inplace_depth_max = 16;
    TRY(question_ask(&question));
    CHECK(!question.valid);
    question.limits.inplace_depth_max = 15;
    EXPECT(SURETY_LIMIT, question_compile(&question));
    CHECK(question_names(&question, "inplace_depth_max"));
    CHECK(question.err.position.line == 1);
done:
    question_done(&question);
}

/* References count nothing, but each subschema that a dynamic one may mean. */
TEST(inplace_depth_of_references)
{
    struct question question;

    question_init(&question, check_alloc(t));
    surety_buf_text(
        &question.schema_text,
        "{\"$id\":\"urn:a\",\"items\":{\"$ref\":\"urn:b\"},\"$defs\":{\"t\":"
        "{\"$dynamicAnchor\":\"t\",\"allOf\":[{\"not\":{\"type\":\"null\"}}]},"
        "\"b\":{\"$id\":\"urn:b\",\"$dynamicRef\":\"#t\",\"$defs\":{\"t\":{"
        "\"$dynamicAnchor\":\"t\"}}}}}");
    surety_buf_text(&question.instance_text, "[1]");
    question.limits.inplace_depth_max = 3;
    TRY(question_ask(&question));
    CHECK(question.valid);
    question.limits.inplace_depth_max = 2;
    EXPECT(SURETY_LIMIT, question_compile(&question));
    CHECK(question_names(&question, "inplace_depth_max"));
done:
    question_done(&question);
}

TEST(work)
{
    struct question question;

    question_init(&question, check_alloc(t));
    /* One for the root; for each of five branches one as such, one for its
     * level and one for what it negates; and one a value. */
    surety_buf_text(&question.schema_text, "{\"allOf\":[");
    for (int i = 0; i < 5; i++) {
        surety_buf_text(&question.schema_text, i ? "," : "");
        surety_buf_text(&question.schema_text, "{\"not\":{\"minimum\":");
        surety_buf_number(&question.schema_text, 5 + (uint64_t)i);
        surety_buf_text(&question.schema_text, "}}");
    }
    surety_buf_text(&question.schema_text, "]}");
    surety_buf_text(&question.instance_text, "1");
    question.limits.work_per_value = 1;
    question.limits.work_base = 16;
    TRY(question_ask(&question));
    CHECK(question.valid);
    question.limits.work_base = 15;
    TRY(question_ask(&question));
    CHECK(question.valid);
    question.limits.work_base = 14;
    question.valid = false;
    EXPECT(SURETY_LIMIT, question_ask(&question));
    CHECK(!question.valid);
    CHECK(question_names(&question, "work_per_value"));
    question.limits.work_per_value = 2;
    TRY(question_ask(&question));
    CHECK(question.valid);
done:
    question_done(&question);
}

TEST(findings_at_the_limit)
{
    static const struct {
        const char *instance;
        size_t count;
        bool truncated;
    } asked[] = {
        {"[1,2]", 2, false},
        {"[1,2,3]", 3, false},
        {"[1,2,3,4]", 3, true},
    };
    struct question question;
    surety_findings *findings = NULL;

    question_init(&question, check_alloc(t));
    question.limits.findings_max = 3;
    findings = surety_findings_new(check_alloc(t));
    NEED(findings);
    for (size_t i = 0; i < CHECK_COUNT(asked); i++) {
        TRY(question_of(&question, "{\"items\":{\"type\":\"null\"}}",
                        asked[i].instance));
        TRY(surety_checker_report(question.checker, question.schema,
                                  surety_doc_root(question.doc), findings,
                                  NULL));
        CHECK(surety_findings_count(findings) == asked[i].count);
        CHECK(surety_findings_truncated(findings) == asked[i].truncated);
    }
done:
    surety_findings_free(findings);
    question_done(&question);
}

/* A report takes more work than the check; wherever in a union it runs out, it
 * says so, and the next one is whole. */
TEST(a_report_that_runs_out_of_work)
{
    struct question question;
    surety_findings *findings = NULL;
    size_t limited = 0;

    question_init(&question, check_alloc(t));
    findings = surety_findings_new(check_alloc(t));
    NEED(findings);
    question.limits.work_per_value = 1;
    for (uint32_t base = 1; base < 80; base++) {
        surety_status status;

        question.limits.work_base = base;
        status = question_of(
            &question,
            "{\"anyOf\":[{\"oneOf\":[{\"properties\":{\"a\":{\"items\":{"
            "\"not\":{\"not\":{\"type\":\"null\"}}}}}},{\"required\":["
            "\"b\"],\"minProperties\":3}]},{\"$ref\":\"#/$defs/x\"}],"
            "\"unevaluatedProperties\":false,\"$defs\":{\"x\":{\"anyOf\":["
            "false,{\"propertyNames\":{\"const\":\"z\"}}]}}}",
            "{\"a\":[1,2]}");
        if (status == SURETY_LIMIT)
            continue;
        TRY(status);
        CHECK(!question.valid);
        status = surety_checker_report(question.checker, question.schema,
                                       surety_doc_root(question.doc), findings,
                                       &question.err);
        if (status == SURETY_LIMIT) {
            CHECK(question_names(&question, "work_per_value"));
            limited++;
            continue;
        }
        TRY(status);
        CHECK(surety_findings_count(findings) > 0);
    }
    CHECK(limited > 5);
done:
    surety_findings_free(findings);
    question_done(&question);
}

TEST(a_pattern_that_backtracks)
{
    struct question question;
    surety_findings *findings = NULL;

    question_init(&question, NULL);
    surety_buf_text(&question.schema_text, "{\"pattern\":\"^(a+)+\\\\b$\"}");
    surety_buf_byte(&question.instance_text, '"');
    repeat(&question.instance_text, "a", 100);
    surety_buf_text(&question.instance_text, "b\"");
    EXPECT(SURETY_LIMIT, question_ask(&question));
    CHECK(question_names(&question, "pattern_match_max"));
    findings = surety_findings_new(NULL);
    EXPECT(SURETY_LIMIT,
           surety_checker_report(question.checker, question.schema,
                                 surety_doc_root(question.doc), findings,
                                 &question.err));
    CHECK(question_names(&question, "pattern_match_max"));
done:
    surety_findings_free(findings);
    question_done(&question);
}

/* A name that no answer was had for is no name that holds. */
TEST(a_pattern_of_names_that_backtracks)
{
    struct question question;
    bool valid = false;

    question_init(&question, NULL);
    surety_buf_text(&question.schema_text,
                    "{\"patternProperties\":{\"^(a+)+\\\\b$\":false,\"c\":"
                    "{\"type\":\"string\"}}}");
    surety_buf_text(&question.instance_text, "{\"");
    repeat(&question.instance_text, "a", 100);
    surety_buf_text(&question.instance_text, "b\":1}");
    EXPECT(SURETY_LIMIT, question_ask(&question));
    CHECK(question_names(&question, "pattern_match_max"));
    question.err = (surety_error){.status = SURETY_OK};
    EXPECT(SURETY_LIMIT,
           surety_checker_check_text(question.checker, question.schema,
                                     surety_buf_str(&question.instance_text),
                                     NULL, &valid, &question.err));
    CHECK(!valid);
    CHECK(question_names(&question, "pattern_match_max"));
done:
    question_done(&question);
}

/* What a loop of PCRE2 passes over is counted, 16 bytes a step, from each start
 * anew; a few more for what is in the pattern. */
TEST(steps_of_a_pattern)
{
    surety__pattern *pattern = NULL;
    surety__matcher *matcher = surety__matcher_new(NULL, NULL);
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    repeat(&text, "a", 16000);
    NEED(matcher);
    TRY(surety__pattern_compile(surety_str_of("^a+\\b"), NULL, NULL, &pattern,
                                NULL));
    for (int round = 0; round < 2; round++) {
        CHECK(surety__pattern_match(pattern, matcher, surety_buf_str(&text)) ==
              1);
        CHECK(surety__matcher_steps(matcher) >= 1000);
        CHECK(surety__matcher_steps(matcher) < 1100);
    }
    CHECK(surety__pattern_match(pattern, matcher, surety_str_of("aaa")) == 1);
    CHECK(surety__matcher_steps(matcher) < 10);
done:
    surety__pattern_free(pattern);
    surety__matcher_free(matcher);
    surety_buf_done(&text);
}

/* ---- schemas that repeat themselves ------------------------------------- */

/* {"$ref": "#/$defs/0", "$defs": {"0": ..., "1": ...}}, each the head and tail
 * around a reference to the next. */
static void tower(surety_buf *out, unsigned levels, const char *const parts[],
                  size_t count)
{
    surety_buf_text(out, "{\"$ref\":\"#/$defs/0\",\"$defs\":{");
    for (unsigned level = 0; level < levels; level++) {
        surety_buf_byte(out, '"');
        surety_buf_number(out, level);
        surety_buf_text(out, "\":");
        for (size_t i = 0; i < count; i++) {
            if (i) {
                surety_buf_text(out, "{\"$ref\":\"#/$defs/");
                surety_buf_number(out, level + 1);
                surety_buf_text(out, "\"");
            }
            surety_buf_text(out, parts[i]);
        }
        surety_buf_byte(out, ',');
    }
    surety_buf_byte(out, '"');
    surety_buf_number(out, levels);
    surety_buf_text(out, "\":{\"type\":\"integer\"}}}");
}

TEST(a_billion_laughs_cost_their_height)
{
    static const char *const all[] = {"{\"allOf\":[", "},", "}]}"};
    static const char *const any[] = {"{\"anyOf\":[", "},", "}]}"};
    struct question question;

    question_init(&question, check_alloc(t));
    question.limits.work_base = 200;
    question.limits.work_per_value = 1;
    tower(&question.schema_text, 24, all, CHECK_COUNT(all));
    surety_buf_text(&question.instance_text, "1");
    TRY(question_ask(&question));
    CHECK(question.valid);
    surety_buf_reset(&question.schema_text);
    surety_buf_reset(&question.instance_text);
    tower(&question.schema_text, 24, any, CHECK_COUNT(any));
    surety_buf_text(&question.instance_text, "\"x\"");
    TRY(question_ask(&question));
    CHECK(!question.valid);
done:
    question_done(&question);
}

TEST(laughs_that_differ_are_remembered)
{
    static const char *const parts[] = {"{\"allOf\":[", "},",
                                        ",\"minimum\":0}]}"};
    struct question question;

    question_init(&question, NULL);
    tower(&question.schema_text, 24, parts, CHECK_COUNT(parts));
    surety_buf_text(&question.instance_text, "1");
    TRY(question_ask(&question));
    CHECK(question.valid);
    question.limits.memo_max = 1;
    EXPECT(SURETY_LIMIT, question_ask(&question));
    CHECK(question_names(&question, "work_per_value"));
done:
    question_done(&question);
}

TEST(one_of_nested_14_deep)
{
    static const char *const parts[] = {"{\"oneOf\":[", "},{\"not\":", "}}]}"};
    struct question question;

    question_init(&question, NULL);
    tower(&question.schema_text, 14, parts, CHECK_COUNT(parts));
    surety_buf_text(&question.instance_text, "\"x\"");
    TRY(question_ask(&question));
    CHECK(question.valid);
done:
    question_done(&question);
}

TEST(unevaluated_over_many_branches)
{
    struct question question;

    question_init(&question, NULL);
    surety_buf_text(&question.schema_text,
                    "{\"unevaluatedProperties\":false,\"anyOf\":[");
    for (unsigned i = 0; i < 200; i++) {
        surety_buf_text(&question.schema_text, i ? "," : "");
        surety_buf_text(&question.schema_text, "{\"properties\":{\"k");
        surety_buf_number(&question.schema_text, i);
        surety_buf_text(&question.schema_text, "\":true}}");
    }
    surety_buf_text(&question.schema_text, "]}");
    surety_buf_byte(&question.instance_text, '{');
    for (unsigned i = 0; i < 200; i++) {
        surety_buf_text(&question.instance_text, i ? ",\"k" : "\"k");
        surety_buf_number(&question.instance_text, i);
        surety_buf_text(&question.instance_text, "\":1");
    }
    surety_buf_byte(&question.instance_text, '}');
    TRY(question_ask(&question));
    CHECK(question.valid);
    question.instance_text.len--;
    surety_buf_text(&question.instance_text, ",\"other\":1}");
    TRY(question_ask(&question));
    CHECK(!question.valid);
done:
    question_done(&question);
}

/* ---- arrays and objects of great size ----------------------------------- */

static void unique_numbers(struct question *question, unsigned count)
{
    surety_buf_text(&question->schema_text, "{\"uniqueItems\":true}");
    surety_buf_byte(&question->instance_text, '[');
    for (unsigned i = 0; i < count; i++) {
        surety_buf_number(&question->instance_text, i);
        surety_buf_byte(&question->instance_text, ',');
    }
}

TEST(unique_items_by_the_million)
{
    struct question question;

    question_init(&question, NULL);
    unique_numbers(&question, 1000000);
    surety_buf_text(&question.instance_text, "-1]");
    TRY(question_ask(&question));
    CHECK(question.valid);
    question.instance_text.len -= 3;
    surety_buf_text(&question.instance_text, "4.0e0]");
    TRY(question_ask(&question));
    CHECK(!question.valid);
done:
    question_done(&question);
}

TEST(unique_items_100_000)
{
    struct question question;

    question_init(&question, NULL);
    unique_numbers(&question, 100000);
    surety_buf_text(&question.instance_text, "99999]");
    TRY(question_ask(&question));
    CHECK(!question.valid);
done:
    question_done(&question);
}

/* Numbers whose digits agree in the last 64 places have one hash, as 10^64 is a
 * multiple of 2^64. */
static void unique_colliding(surety_buf *out, unsigned count)
{
    surety_buf_byte(out, '[');
    for (unsigned i = 0; i < count; i++) {
        surety_buf_text(out, i ? "," : "");
        surety_buf_number(out, i + 1);
        repeat(out, "0", 63);
        surety_buf_byte(out, '5');
    }
    surety_buf_byte(out, ']');
}

TEST(unique_items_that_share_a_hash)
{
    struct question question;

    question_init(&question, NULL);
    surety_buf_text(&question.schema_text, "{\"uniqueItems\":true}");
    unique_colliding(&question.instance_text, 1000);
    TRY(question_ask(&question));
    CHECK(question.valid);
    question.limits.work_base = 100000;
    question.limits.work_per_value = 1;
    EXPECT(SURETY_LIMIT, question_ask(&question));
    CHECK(question_names(&question, "work_per_value"));
done:
    question_done(&question);
}

TEST(pattern_properties_1000_by_1000)
{
    struct question question;

    question_init(&question, NULL);
    surety_buf_text(&question.schema_text, "{\"patternProperties\":{");
    for (unsigned i = 0; i < 1000; i++) {
        surety_buf_text(&question.schema_text, i ? ",\"[jk]" : "\"[jk]");
        surety_buf_number(&question.schema_text, i);
        surety_buf_text(&question.schema_text, "$\":{\"type\":\"integer\"}");
    }
    surety_buf_text(&question.schema_text, "}}");
    surety_buf_byte(&question.instance_text, '{');
    for (unsigned i = 0; i < 1000; i++) {
        surety_buf_text(&question.instance_text, i ? ",\"k" : "\"k");
        surety_buf_number(&question.instance_text, i);
        surety_buf_text(&question.instance_text, "\":1");
    }
    surety_buf_byte(&question.instance_text, '}');
    TRY(question_ask(&question));
    CHECK(question.valid);
    /* Every match is work; no text is in all that such a pattern matches. */
    question.limits.work_base = 900000;
    question.limits.work_per_value = 1;
    EXPECT(SURETY_LIMIT, question_ask(&question));
    CHECK(question_names(&question, "work_per_value"));
done:
    question_done(&question);
}

TEST(required_of_100_000_names)
{
    struct question question;
    surety_findings *findings = NULL;

    question_init(&question, NULL);
    surety_buf_text(&question.schema_text, "{\"required\":[\"a\"");
    for (unsigned i = 0; i < 100000; i++) {
        surety_buf_text(&question.schema_text, ",\"n");
        surety_buf_number(&question.schema_text, i);
        surety_buf_byte(&question.schema_text, '"');
    }
    surety_buf_text(&question.schema_text, "]}");
    surety_buf_text(&question.instance_text, "{\"a\":1,\"n7\":2}");
    TRY(question_ask(&question));
    CHECK(!question.valid);
    findings = surety_findings_new(NULL);
    TRY(surety_checker_report(question.checker, question.schema,
                              surety_doc_root(question.doc), findings, NULL));
    CHECK(surety_findings_count(findings) == 32);
    CHECK(surety_findings_truncated(findings));
done:
    surety_findings_free(findings);
    question_done(&question);
}

TEST(dependents_of_a_large_object)
{
    struct question question;

    question_init(&question, NULL);
    surety_buf_text(&question.schema_text,
                    "{\"dependentRequired\":{\"n0\":[\"n0\"");
    for (unsigned i = 0; i < 20000; i++) {
        surety_buf_text(&question.schema_text, ",\"n");
        surety_buf_number(&question.schema_text, i);
        surety_buf_byte(&question.schema_text, '"');
    }
    surety_buf_text(&question.schema_text, "]}}");
    surety_buf_byte(&question.instance_text, '{');
    for (unsigned i = 0; i < 20000; i++) {
        surety_buf_text(&question.instance_text, i ? ",\"n" : "\"n");
        surety_buf_number(&question.instance_text, i);
        surety_buf_text(&question.instance_text, "\":1");
    }
    surety_buf_byte(&question.instance_text, '}');
    /* Each name is looked up in an index of the object. */
    question.limits.work_base = 100000;
    question.limits.work_per_value = 1;
    TRY(question_ask(&question));
    CHECK(question.valid);
done:
    question_done(&question);
}

TEST(enum_of_large_values)
{
    struct question question;

    question_init(&question, NULL);
    question.limits.schema_bytes_max = 16 << 20;
    surety_buf_text(&question.schema_text, "{\"enum\":[");
    for (unsigned i = 0; i < 10; i++) {
        surety_buf_text(&question.schema_text, i ? ",\"" : "\"");
        repeat(&question.schema_text, "0123456789", 100000);
        surety_buf_number(&question.schema_text, i);
        surety_buf_byte(&question.schema_text, '"');
    }
    surety_buf_text(&question.schema_text, "]}");
    surety_buf_byte(&question.instance_text, '"');
    repeat(&question.instance_text, "0123456789", 100000);
    surety_buf_text(&question.instance_text, "7\"");
    TRY(question_ask(&question));
    CHECK(question.valid);
    question.instance_text.len -= 2;
    surety_buf_text(&question.instance_text, "x\"");
    TRY(question_ask(&question));
    CHECK(!question.valid);
done:
    question_done(&question);
}

TEST(strings_that_many_subschemas_read)
{
    struct question question;

    question_init(&question, NULL);
    surety_buf_text(&question.schema_text, "{\"anyOf\":[");
    for (unsigned i = 0; i < 2000; i++) {
        surety_buf_text(&question.schema_text,
                        i ? ",{\"minLength\":" : "{\"minLength\":");
        surety_buf_number(&question.schema_text, 100000000 + i);
        surety_buf_byte(&question.schema_text, '}');
    }
    surety_buf_text(&question.schema_text, "]}");
    surety_buf_byte(&question.instance_text, '"');
    repeat(&question.instance_text, "\xC3\xA4\xC3\xB6", 1 << 20);
    surety_buf_byte(&question.instance_text, '"');
    EXPECT(SURETY_LIMIT, question_ask(&question));
    CHECK(question_names(&question, "work_per_value"));
done:
    question_done(&question);
}

/* ---- numbers ------------------------------------------------------------ */

TEST(numbers_that_are_far_apart)
{
    static const struct {
        const char *schema, *instance;
        bool valid;
    } asked[] = {
        {"{\"multipleOf\":0.01}", "19.99", true},
        {"{\"multipleOf\":0.01}", "19.995", false},
        {"{\"multipleOf\":1e-300}", "1e300", true},
        {"{\"multipleOf\":1e-300}", "1e308", true},
        {"{\"multipleOf\":3e-300}", "1e308", false},
        {"{\"multipleOf\":1e308}", "1e308", true},
        {"{\"multipleOf\":1e308}", "5", false},
        {"{\"multipleOf\":7}", "1e999999999", false},
        {"{\"multipleOf\":8}", "1e999999999", true},
        {"{\"multipleOf\":0.0001}", "0", true},
        {"{\"multipleOf\":0.123456789}", "1e308", false},
        {"{\"maximum\":1e308}", "1e309", false},
        {"{\"maximum\":9007199254740992}", "9007199254740993", false},
        {"{\"const\":1e400}", "10e399", true},
        {"{\"minItems\":1e9}", "[1]", false},
        {"{\"maxItems\":1e9}", "[1]", true},
        {"{\"maxLength\":1e18}", "\"x\"", true},
        {"{\"minLength\":1e18}", "\"x\"", false},
        {"{\"maxLength\":1e30}", "\"x\"", true},
        {"{\"minLength\":1e30}", "\"x\"", false},
        {"{\"minLength\":5,\"maxLength\":1}", "\"xyz\"", false},
        {"{\"minProperties\":18446744073709551616}", "{}", false},
        {"{\"contains\":{},\"minContains\":1e20}", "[1]", false},
        {"{\"minLength\":2.0}", "\"x\"", false},
        {"{\"minLength\":-0}", "\"\"", true},
    };
    struct question question;

    question_init(&question, check_alloc(t));
    for (size_t i = 0; i < CHECK_COUNT(asked); i++) {
        TRY(question_of(&question, asked[i].schema, asked[i].instance));
        if (question.valid != asked[i].valid)
            printf("# %s %s\n", asked[i].schema, asked[i].instance);
        CHECK(question.valid == asked[i].valid);
    }
done:
    question_done(&question);
}

/* ---- depth -------------------------------------------------------------- */

TEST(the_deepest_instance_and_a_recursive_schema)
{
    struct question question;
    surety_findings *findings = NULL;
    surety_finding finding;

    question_init(&question, NULL);
    surety_buf_text(&question.schema_text,
                    "{\"$dynamicAnchor\":\"n\",\"type\":[\"array\",\"null\"],"
                    "\"items\":{\"allOf\":[{\"$dynamicRef\":\"#n\"}]},"
                    "\"unevaluatedItems\":false}");
    repeat(&question.instance_text, "[", 511);
    surety_buf_text(&question.instance_text, "[null]");
    repeat(&question.instance_text, "]", 511);
    TRY(question_ask(&question));
    CHECK(question.valid);
    surety_buf_reset(&question.instance_text);
    repeat(&question.instance_text, "[", 511);
    surety_buf_text(&question.instance_text, "[0]");
    repeat(&question.instance_text, "]", 511);
    TRY(question_ask(&question));
    CHECK(!question.valid);
    findings = surety_findings_new(NULL);
    TRY(surety_checker_report(question.checker, question.schema,
                              surety_doc_root(question.doc), findings, NULL));
    CHECK(surety_findings_count(findings) == 1);
    finding = surety_findings_at(findings, 0);
    CHECK(finding.instance_location.len == 2 * 512);
done:
    surety_findings_free(findings);
    question_done(&question);
}

TEST(a_chain_of_10_000_references)
{
    struct question question;
    surety_findings *findings = NULL;

    question_init(&question, NULL);
    chain_of_references(&question, 10000);
    surety_buf_text(&question.instance_text, "1");
    TRY(question_ask(&question));
    CHECK(!question.valid);
    findings = surety_findings_new(NULL);
    TRY(surety_checker_report(question.checker, question.schema,
                              surety_doc_root(question.doc), findings,
                              &question.err));
    CHECK(surety_findings_count(findings) == 1);
done:
    surety_findings_free(findings);
    question_done(&question);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"schema_bytes_max", schema_bytes},
        {"a schema of 50 megabytes", schema_of_50_megabytes},
        {"schema_nodes_max", schema_nodes},
        {"schema_depth_max", schema_depth},
        {"schema_documents_max", schema_documents},
        {"pattern_len_max", pattern_length},
        {"inplace_depth_max", inplace_depth},
        {"inplace_depth_max of references", inplace_depth_of_references},
        {"work_base and work_per_value", work},
        {"findings_max", findings_at_the_limit},
        {"a report that runs out of work", a_report_that_runs_out_of_work},
        {"a pattern that backtracks", a_pattern_that_backtracks},
        {"a pattern of names that backtracks",
         a_pattern_of_names_that_backtracks},
        {"steps of a pattern", steps_of_a_pattern},
        {"a billion laughs cost their height",
         a_billion_laughs_cost_their_height},
        {"laughs that differ are remembered",
         laughs_that_differ_are_remembered},
        {"oneOf nested 14 deep", one_of_nested_14_deep},
        {"unevaluatedProperties over many branches",
         unevaluated_over_many_branches},
        {"a million unique items", unique_items_by_the_million},
        {"100,000 unique items", unique_items_100_000},
        {"unique items that share a hash", unique_items_that_share_a_hash},
        {"1,000 patterns on 1,000 keys", pattern_properties_1000_by_1000},
        {"100,000 required names", required_of_100_000_names},
        {"dependents of a large object", dependents_of_a_large_object},
        {"enum of large values", enum_of_large_values},
        {"strings that many subschemas read",
         strings_that_many_subschemas_read},
        {"numbers that are far apart", numbers_that_are_far_apart},
        {"the deepest instance and a recursive schema",
         the_deepest_instance_and_a_recursive_schema},
        {"a chain of 10,000 references", a_chain_of_10_000_references},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
