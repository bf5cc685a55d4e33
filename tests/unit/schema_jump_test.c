/* SPDX-License-Identifier: Apache-2.0 */
/* Ways around the plain evaluation give its result: an if, or a ladder of them,
 * that jumps by the value of a member, and values that nest less deep and
 * deeper than the C stack is used for. */
#include "check.h"

#include "schema/schema.h"

struct question {
    surety_schema *schema;
    surety_checker *checker;
    surety_findings *findings;
    surety_doc *doc;
    surety_buf text;
};

static void question_open(struct check *t, struct question *question)
{
    *question =
        (struct question){.checker = surety_checker_new(check_alloc(t), NULL),
                          .findings = surety_findings_new(check_alloc(t)),
                          .doc = surety_doc_new(check_alloc(t))};
    surety_buf_init(&question->text, check_alloc(t), 0);
}

static void question_done(struct question *question)
{
    surety_buf_done(&question->text);
    surety_schema_free(question->schema);
    surety_doc_free(question->doc);
    surety_findings_free(question->findings);
    surety_checker_free(question->checker);
}

/* The schema becomes that of the text. */
static surety_status question_schema(struct check *t, struct question *question)
{
    const surety_schema_options options = {.size = sizeof(options),
                                           .alloc = check_alloc(t)};

    surety_schema_free(question->schema);
    question->schema = NULL;
    return question->text.status
               ? question->text.status
               : surety_schema_read(surety_buf_str(&question->text), &options,
                                    &question->schema, NULL);
}

/* Whether the document is valid, by the check and by the report. */
static surety_status question_ask(struct question *question, bool *ret_valid,
                                  bool *ret_clean)
{
    const surety_val root = surety_doc_root(question->doc);
    surety_status status = surety_checker_check(
        question->checker, question->schema, root, ret_valid, NULL);

    if (!status)
        status = surety_checker_report(question->checker, question->schema,
                                       root, question->findings, NULL);
    *ret_clean = surety_findings_count(question->findings) == 0;
    return status;
}

/* ---- ladders ------------------------------------------------------------- */

enum { CONDITIONS = 9 };

static void write_condition(surety_buf *out, unsigned kind, unsigned i)
{
    static const char typed[] =
        "{\"type\":\"object\",\"properties\":{\"t\":{\"type\":\"string\","
        "\"enum\":[\"v%u\",false]}},\"required\":[\"t\"]}";
    static const char *const conditions[CONDITIONS] = {
        "{\"properties\":{\"t\":{\"const\":\"v%u\"}}}",
        "{\"properties\":{\"t\":{\"const\":\"v%u\"}},\"required\":[\"t\"]}",
        "{\"properties\":{\"t\":{\"enum\":[\"v%u\",null,true,\"v1\"]}}}", typed,
        /* No jumps: numbers, another member, more members, another keyword. */
        "{\"properties\":{\"t\":{\"enum\":[\"v0\",%u]}}}",
        "{\"properties\":{\"u\":{\"const\":\"v%u\"}}}",
        "{\"properties\":{\"t\":{\"const\":\"v%u\"},\"u\":{\"const\":1}}}",
        "{\"properties\":{\"t\":{\"const\":\"v%u\"}},\"minProperties\":2}",
        "{\"properties\":{\"t\":{\"const\":\"v%u\"}},\"maxProperties\":1}"};
    char text[160];

    (void)snprintf(text, sizeof(text), conditions[kind], i);
    surety_buf_text(out, text);
}

/* A ladder of so many rungs; `mixed`: every third condition is of the next
 * kind. */
static void write_ladder(surety_buf *out, unsigned kind, unsigned rungs,
                         bool mixed)
{
    surety_buf_reset(out);
    for (unsigned i = 0; i < rungs; i++) {
        surety_buf_text(out, "{\"if\":");
        write_condition(
            out, mixed && i % 3 == 2 ? (kind + 1) % CONDITIONS : kind, i);
        if (i % 5 != 4)
            surety__buf_printf(out, ",\"then\":{\"required\":[\"a%u\"]}",
                               i % 3);
        surety_buf_text(out, ",\"else\":");
    }
    surety_buf_text(out, "{\"required\":[\"z\"]}");
    for (unsigned i = 0; i < rungs; i++)
        surety_buf_text(out, "}");
}

/* What the ladder gives, rung for rung: each condition and what follows is
 * checked alone. */
static surety_status ladder_holds(struct question *question, bool *ret_holds)
{
    const surety__shape *shape = question->schema->root;
    const surety_val root = surety_doc_root(question->doc);
    surety_status status = SURETY_OK;
    uint64_t work = 100000;

    while (!status && shape && shape->applicator_count) {
        bool holds = false;

        status = surety__shape_check(question->checker, question->schema,
                                     shape->applicators[0].shapes[0], root,
                                     &work, &holds);
        shape = shape->applicators[0].shapes[holds ? 1 : 2];
    }
    *ret_holds = true;
    return status || !shape
               ? status
               : surety__shape_check(question->checker, question->schema, shape,
                                     root, &work, ret_holds);
}

static void ladder_is_plain(struct check *t, unsigned kind, unsigned rungs,
                            bool mixed)
{
    static const char *const values[] = {"{\"t\":\"v%u\",\"a0\":1}",
                                         "{\"a1\":1,\"t\":\"v%u\"}",
                                         "{\"a2\":1,\"t\":\"v%u\",\"u\":1}",
                                         "{\"t\":%u,\"a0\":1}",
                                         "{\"t\":null,\"a%u\":1}",
                                         "{\"t\":true,\"a%u\":1}",
                                         "{\"t\":false,\"a%u\":1}",
                                         "{\"t\":[%u]}",
                                         "{\"a%u\":1}",
                                         "{\"u\":\"v%u\",\"a1\":1}",
                                         "{\"z\":%u,\"t\":\"none\"}",
                                         "{\"z\":%u}",
                                         "{\"t\":\"v%u\"}",
                                         "{}",
                                         "[%u]",
                                         "\"v%u\""};
    struct question question;
    char text[80];

    question_open(t, &question);
    NEED(question.checker);
    NEED(question.findings);
    NEED(question.doc);
    write_ladder(&question.text, kind, rungs, mixed);
    TRY(question_schema(t, &question));
    CHECK((question.schema->root->applicators->jump != NULL) ==
          (kind < 4 || kind == 5));
    for (unsigned i = 0; i < rungs + 1; i += 1 + rungs / 7)
        for (size_t v = 0; v < CHECK_COUNT(values); v++) {
            bool expected = false, valid = false, clean = false;

            (void)snprintf(text, sizeof(text), values[v], i);
            TRY(surety_doc_read(question.doc, surety_str_of(text), NULL, NULL));
            TRY(ladder_holds(&question, &expected));
            TRY(question_ask(&question, &valid, &clean));
            if (valid != expected || clean != expected)
                printf("# condition %u, %u rungs: %s\n", kind, rungs, text);
            CHECK(valid == expected && clean == expected);
        }
done:
    question_done(&question);
}

TEST(a_ladder_is_what_its_conditions_are)
{
    static const unsigned rungs[] = {1, 2, 7, 40};

    for (unsigned kind = 0; kind < CONDITIONS; kind++)
        for (size_t i = 0; i < 2 * CHECK_COUNT(rungs); i++) {
            ladder_is_plain(t, kind, rungs[i / 2], i % 2);
            if (t->failed || t->starved)
                return;
        }
}

/* ---- depth --------------------------------------------------------------- */

/* Shapes that recur: in a member, in items, in several branches of a union,
 * beside an unevaluated keyword, and by names with a pattern. */
static const char *const recurring[] = {
    "{\"type\":[\"integer\",\"object\"],\"properties\":{\"n\":{\"$ref\":\"#\"}"
    "}}",
    "{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"object\",\"properties\":"
    "{\"n\":{\"$ref\":\"#\"},\"a\":true}},{\"type\":\"object\",\"properties\":"
    "{\"n\":{\"$ref\":\"#\"},\"b\":true}}]}",
    "{\"oneOf\":[{\"type\":\"integer\"},{\"allOf\":[{\"type\":\"object\"},"
    "{\"properties\":{\"n\":{\"$ref\":\"#\"}}}]},{\"type\":\"array\"}]}",
    "{\"type\":[\"integer\",\"object\"],\"allOf\":[{\"properties\":{\"n\":"
    "{\"$ref\":\"#\"}}}],\"unevaluatedProperties\":false}",
    "{\"type\":[\"integer\",\"object\"],\"patternProperties\":{\"^[n-p]$\":"
    "{\"$ref\":\"#\"}},\"additionalProperties\":false}",
    "{\"type\":[\"integer\",\"object\"],\"propertyNames\":{\"const\":\"n\"},"
    "\"if\":{\"required\":[\"n\"]},\"then\":{\"properties\":{\"n\":{\"$ref\":"
    "\"#\"}}}}",
    "{\"type\":[\"integer\",\"object\"],\"dependentSchemas\":{\"n\":"
    "{\"properties\":{\"n\":{\"$ref\":\"#\"}}}}}",
    "{\"not\":{\"not\":{\"type\":[\"integer\",\"object\"],\"properties\":"
    "{\"n\":{\"$ref\":\"#\"}}}}}"};

TEST(depth_makes_no_difference)
{
    struct question question;

    question_open(t, &question);
    NEED(question.checker);
    NEED(question.findings);
    NEED(question.doc);
    for (size_t s = 0; s < CHECK_COUNT(recurring); s++) {
        surety_buf_reset(&question.text);
        surety_buf_text(&question.text, recurring[s]);
        TRY(question_schema(t, &question));
        for (unsigned depth = 0; depth < 100; depth += depth < 40 ? 1 : 29)
            for (unsigned good = 0; good < 2; good++) {
                bool valid = false, clean = false;

                surety_buf_reset(&question.text);
                for (unsigned i = 0; i < depth; i++)
                    surety_buf_text(&question.text, "{\"n\":");
                surety_buf_text(&question.text, good ? "1" : "\"bad\"");
                for (unsigned i = 0; i < depth; i++)
                    surety_buf_text(&question.text, "}");
                TRY(question.text.status);
                TRY(surety_doc_read(
                    question.doc, surety_buf_str(&question.text), NULL, NULL));
                TRY(question_ask(&question, &valid, &clean));
                if (valid != good || clean != good)
                    printf("# schema %zu, depth %u\n", s, depth);
                CHECK(valid == good && clean == good);
            }
    }
done:
    question_done(&question);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"a ladder is what its conditions are",
         a_ladder_is_what_its_conditions_are},
        {"depth makes no difference", depth_makes_no_difference},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
