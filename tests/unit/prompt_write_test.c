/* SPDX-License-Identifier: Apache-2.0 */
/* Prompts where memory fails, examples that are hard to make, and patches that
 * come back. What the texts say is in tests/golden/prompt. */
#include "check.h"

#include <surety/prompt.h>
#include <surety/strict.h>

#include <string.h>

#include "prompt/prompt.h"

static const char contract_text[] =
    "{\"x-surety\":{\"name\":\"t\",\"extract\":{\"from\":[\"native\",\"fence\"]"
    "}"
    "},\"type\":\"object\",\"required\":[\"a\",\"b\"],\"properties\":{"
    "\"a\":{\"type\":\"integer\",\"maximum\":9},"
    "\"b\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/c\"}}},"
    "\"$defs\":{\"c\":{\"anyOf\":[{\"type\":\"string\",\"minLength\":2},"
    "{\"type\":\"object\",\"properties\":{\"d\":{\"$ref\":\"#\"}}}]}}}";

TEST(writes_every_style)
{
    surety_contract *contract = NULL;
    surety_prompt_options options = {.size = sizeof(options)};
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(check_contract(t, contract_text, &contract));
    for (int k = SURETY_PROMPT_CONTRACT; k <= SURETY_PROMPT_EXAMPLE; k++) {
        options.style = (surety_prompt_style)k;
        surety_buf_reset(&out);
        TRY(surety_prompt_write(contract, surety_str_of("Do it. \n"), &options,
                                &out, NULL));
        CHECK(out.len > 40 && memcmp(out.ptr, "Do it.\n\nAnswer ", 15) == 0);
    }
    options.style = (surety_prompt_style)9;
    EXPECT(SURETY_MISUSE, surety_prompt_write(contract, surety_str_of(""),
                                              &options, &out, NULL));
done:
    surety_buf_done(&out);
    surety_contract_free(contract);
}

/* The part is the schema, in the prompt and as JSON, also behind other text and
 * in a re-ask; it is none if the prompt does not show the schema. */
TEST(gives_the_schema_as_json)
{
    surety_contract *contract = NULL;
    const surety_strict *strict = NULL;
    surety_prompt_part part = {0};
    surety_prompt_options options = {.size = sizeof(options), .part = &part};
    surety_outcome *outcome = NULL;
    surety_buf out, json;

    surety_buf_init(&out, check_alloc(t), 0);
    surety_buf_init(&json, check_alloc(t), 0);
    TRY(check_contract(t, contract_text, &contract));
    TRY(surety_strict_of(contract, SURETY_SUBSET_GRAMMAR, &strict, NULL));
    TRY(surety_contract_judge(contract, surety_str_of("{}"), NULL, &outcome,
                              NULL));
    for (int k = 0; k < 16; k++) {
        options.style = (surety_prompt_style)(k % 4);
        options.native = k >= 8;
        options.schema = options.native ? surety_strict_info_of(strict)->schema
                                        : surety_val_none();
        surety_buf_reset(&json);
        if (k / 4 % 2)
            TRY(surety_prompt_again(contract, surety_str_of("\""),
                                    SURETY_FEEDBACK_ERRORS, outcome,
                                    surety_str_of("{}"), &options, &out, NULL));
        else
            TRY(surety_prompt_write(contract, surety_str_of("Say \"1\""),
                                    &options, &out, NULL));
        CHECK(part.len && part.start + part.len <= out.len);
        surety_json_string(&json, (surety_str){out.ptr + part.start, part.len});
        NEED(json.status == SURETY_OK ? json.ptr : NULL);
        CHECK(surety_str_equal(part.json,
                               (surety_str){json.ptr + 1, json.len - 2}));
    }
    options.shown = true;
    TRY(surety_prompt_write(contract, surety_str_of(""), &options, &out, NULL));
    CHECK(!part.len && !part.start);
done:
    surety_outcome_free(outcome);
    surety_buf_done(&out);
    surety_buf_done(&json);
    surety_contract_free(contract);
}

TEST(asks_again_and_corrects)
{
    static const char reply[] = "```json\n{\"a\": 85, \"b\": [\"x\"]}\n```\n";
    static const char patch[] =
        "```json\n[{\"op\":\"replace\",\"path\":\"/a\",\"value\":8},"
        "{\"op\":\"replace\",\"path\":\"/b/0\",\"value\":\"xy\"}]\n```\n";
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;
    const surety_prompt_options options = {.size = sizeof(options)};
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(check_contract(t, contract_text, &contract));
    TRY(surety_contract_judge(contract, surety_str_of(reply), NULL, &outcome,
                              NULL));
    CHECK(surety_outcome_info_of(outcome)->patchable);
    for (int k = SURETY_FEEDBACK_ERRORS; k <= SURETY_FEEDBACK_PATCH; k++)
        TRY(surety_prompt_again(contract, surety_str_of("Do it."),
                                (surety_feedback)k, outcome,
                                surety_str_of(reply), &options, &out, NULL));
    surety_buf_reset(&out);
    TRY(surety_prompt_patch(outcome, surety_str_of(patch), &out, NULL));
    CHECK_TEXT(surety_buf_str(&out), "{\"a\":8,\"b\":[\"xy\"]}");
    EXPECT(SURETY_SYNTAX,
           surety_prompt_patch(outcome, surety_str_of("no"), &out, NULL));
    CHECK_TEXT(surety_buf_str(&out), "{\"a\":8,\"b\":[\"xy\"]}");
done:
    surety_outcome_free(outcome);
    surety_buf_done(&out);
    surety_contract_free(contract);
}

/* What is known from replies before the last stands with its errors, in the
 * order of the value, and says where it is from. */
TEST(tells_errors_of_earlier_replies)
{
    static const char reply[] = "```json\n{\"b\": [\"x\"], \"a\": 85}\n```\n";
    static const char want[] =
        "1. at the root: the property \"z\" is not allowed\n"
        "   this was in an earlier reply, and has not been seen corrected\n"
        "2. at /b/0: \"x\" has 1 character, fewer than the minimum of 2\n"
        "   there now: \"x\"\n"
        "   wanted: {\"type\":\"string\",\"minLength\":2}\n"
        "3. at /b/2: no text\n"
        "   this was in an earlier reply, and has not been seen corrected\n"
        "4. at /b/10: no text either\n"
        "   this was in an earlier reply, and has not been seen corrected\n"
        "5. at /a: 85 is greater than the maximum of 9\n"
        "   there now: 85\n"
        "   wanted: {\"type\":\"integer\",\"maximum\":9}\n"
        "6. at /c: seen while it came\n"
        "Wrong in an earlier reply, and right since; keep it right:\n"
        "- at /a: \"4\" must be an integer\n"
        "=====\nAnswer again, whole, with all of this corrected.\n";
#define FINDING(place, text, since)                                            \
    {                                                                          \
        .issue = {.keyword = {"type", 4},                                      \
                  .instance_location = {place, sizeof(place) - 1},             \
                  .message = {text, sizeof(text) - 1}},                        \
        .when = since                                                          \
    }
    static const surety_prompt_finding findings[] = {
        FINDING("/a", "\"4\" must be an integer", SURETY_PROMPT_CORRECTED),
        FINDING("/b/10", "no text either", SURETY_PROMPT_EARLIER),
        FINDING("/b/2", "no text", SURETY_PROMPT_EARLIER),
        FINDING("/c", "seen while it came", SURETY_PROMPT_LAST),
        FINDING("", "the property \"z\" is not allowed", SURETY_PROMPT_EARLIER),
    };
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;
    const surety_prompt_options options = {.size = sizeof(options),
                                           .findings = findings,
                                           .finding_count =
                                               CHECK_COUNT(findings)};
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(check_contract(t, contract_text, &contract));
    TRY(surety_contract_judge(contract, surety_str_of(reply), NULL, &outcome,
                              NULL));
    TRY(surety_prompt_again(contract, surety_str_of("Do it."),
                            SURETY_FEEDBACK_ERRORS, outcome,
                            surety_str_of(reply), &options, &out, NULL));
    surety_buf_byte(&out, 0);
    NEED(out.status == SURETY_OK ? &out : NULL);
    if (!strstr(out.ptr, want))
        printf("# %s\n", out.ptr);
    CHECK(strstr(out.ptr, want));
    CHECK(strstr(out.ptr, "reply.\n=====\n1. "));
done:
    surety_outcome_free(outcome);
    surety_buf_done(&out);
    surety_contract_free(contract);
}

/* Where no reply can be told of, the findings are all there is. */
TEST(tells_errors_of_no_reply)
{
    static const surety_prompt_finding finding =
        FINDING("/b/2", "no text", SURETY_PROMPT_EARLIER);
    surety_contract *contract = NULL;
    surety_prompt_options options = {
        .size = sizeof(options), .findings = &finding, .finding_count = 1};
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(check_contract(t, contract_text, &contract));
    TRY(surety_prompt_again(contract, surety_str_of("Do it."),
                            SURETY_FEEDBACK_ERRORS, NULL, (surety_str){NULL, 0},
                            &options, &out, NULL));
    surety_buf_byte(&out, 0);
    NEED(out.status == SURETY_OK ? &out : NULL);
    CHECK(strstr(out.ptr, "\nYour earlier replies to this were not valid. "));
    CHECK(strstr(out.ptr, "1. at /b/2: no text\n"));
    options.finding_count = 0;
    EXPECT(SURETY_MISUSE,
           surety_prompt_again(contract, surety_str_of("Do it."),
                               SURETY_FEEDBACK_ERRORS, NULL,
                               (surety_str){NULL, 0}, &options, &out, NULL));
done:
    surety_buf_done(&out);
    surety_contract_free(contract);
}

/* Schemas whose values are not found by the first guess; NULL-ended. */
static const char *const hard[] = {
    "{\"type\":\"string\",\"pattern\":\"^[A-Z]{2}-\\\\d{4}(-x|-y)?$\"}",
    "{\"type\":\"string\",\"pattern\":\"^\\\\w+@\\\\w+\\\\.(com|org)$\","
    "\"minLength\":12}",
    "{\"type\":\"number\",\"exclusiveMinimum\":0.1,\"exclusiveMaximum\":0.2}",
    "{\"type\":\"integer\",\"multipleOf\":7,\"minimum\":15,\"maximum\":21}",
    "{\"type\":\"array\",\"uniqueItems\":true,\"minItems\":3,\"items\":"
    "{\"enum\":[1,2,3]}}",
    "{\"type\":\"array\",\"contains\":{\"const\":7},\"minContains\":2,"
    "\"items\":{\"type\":\"integer\"}}",
    "{\"oneOf\":[{\"type\":\"string\",\"maxLength\":2},{\"type\":\"string\","
    "\"minLength\":2}]}",
    "{\"type\":\"object\",\"minProperties\":2,\"patternProperties\":{\"^x-\":"
    "{\"type\":\"boolean\"}},\"additionalProperties\":false,\"required\":"
    "[\"x-a\",\"x-b\"]}",
    "{\"if\":{\"required\":[\"a\"]},\"then\":{\"required\":[\"b\"]},\"else\":"
    "false,\"type\":\"object\"}",
    "{\"$ref\":\"#/$defs/n\",\"$defs\":{\"n\":{\"type\":\"object\",\"required\""
    ":[\"v\"],\"properties\":{\"v\":{\"const\":null},\"n\":{\"$ref\":"
    "\"#/$defs/n\"}}}}}",
    "{\"allOf\":[{\"required\":[\"a\"]},{\"properties\":{\"a\":{\"minimum\":3}}"
    "}"
    ",{\"properties\":{\"a\":{\"type\":\"integer\",\"maximum\":3}}}],\"type\":"
    "\"object\"}",
    "{\"type\":\"string\",\"minLength\":9,\"maxLength\":9}",
};

TEST(makes_examples)
{
    surety_contract *contract = NULL;
    surety_doc *doc = surety_doc_new(check_alloc(t));

    NEED(doc);
    for (size_t i = 0; i < CHECK_COUNT(hard); i++) {
        TRY(check_contract(t, hard[i], &contract));
        TRY(surety_prompt_example(contract, doc, NULL));
        CHECK(surety_doc_root(doc).doc != NULL);
        surety_contract_free(contract);
        contract = NULL;
    }
done:
    surety_contract_free(contract);
    surety_doc_free(doc);
}

TEST(says_where_there_is_no_example)
{
    static const char *const none[] = {
        "false",
        "{\"type\":\"integer\",\"minimum\":3,\"maximum\":2}",
        "{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":"
        "{\"$ref\":\"#\"}}}",
        "{\"type\":\"array\",\"uniqueItems\":true,\"minItems\":3,\"items\":"
        "{\"type\":\"boolean\"}}",
    };
    surety_contract *contract = NULL;
    surety_doc *doc = surety_doc_new(check_alloc(t));

    NEED(doc);
    for (size_t i = 0; i < CHECK_COUNT(none); i++) {
        TRY(check_contract(t, none[i], &contract));
        EXPECT(SURETY_UNSUPPORTED, surety_prompt_example(contract, doc, NULL));
        surety_contract_free(contract);
        contract = NULL;
    }
done:
    surety_contract_free(contract);
    surety_doc_free(doc);
}

/* Texts of patterns: of alternatives the n-th, and so much more than must be.
 */
static const struct {
    const char *source;
    unsigned n, more;
    const char *want; /* NULL: it has what is not known */
} pattern_rows[] = {
    {"", 0, 3, ""},
    {"a|b|c", 0, 0, "a"},
    {"a|b|c", 1, 0, "b"},
    {"a|b|c", 2, 0, "c"},
    {"a|b|c", 3, 0, "a"},
    {"(a|b)(c|d)", 0, 0, "ac"},
    {"(a|b)(c|d)", 1, 0, "bc"},
    {"(a|b)(c|d)", 2, 0, "ad"},
    {"(a|b)(c|d)", 3, 0, "bd"},
    {"(a|b|c)(d|e)", 5, 0, "ce"},
    {"(a(x|y)|b)z", 2, 0, "ayz"},
    {"(a(x|y)|b)z", 1, 0, "bz"},
    {"[|](b|c)", 1, 0, "|c"},
    {"(\\||b)", 1, 0, "b"},
    {"(\\)|b)", 1, 0, "b"},
    {"([)|]|b)", 1, 0, "b"},
    {"((a|b)|c)", 1, 0, "c"},
    {"([a\\]|]|b)d", 1, 0, "bd"},
    {"a*", 0, 0, ""},
    {"a*", 0, 1, "a"},
    {"a+", 0, 0, "a"},
    {"a+", 0, 1, "aa"},
    {"a?", 0, 0, ""},
    {"a?", 0, 3, "a"},
    {"a??b", 0, 0, "b"},
    {"a*?b", 0, 2, "aab"},
    {"a{2}", 0, 3, "aa"},
    {"a{2}?b", 0, 3, "aab"},
    {"a{2,}", 0, 0, "aa"},
    {"a{2,}", 0, 3, "aaaaa"},
    {"a{2,4}", 0, 0, "aa"},
    {"a{2,4}", 0, 3, "aaaa"},
    {"a{0}b", 0, 3, "b"},
    {"a{0,1}b", 0, 0, "b"},
    {"a{10}", 0, 0, "aaaaaaaaaa"},
    {"(ab){2}c", 0, 0, "ababc"},
    {"(ab)*c", 0, 0, "c"},
    {"(a*){2}b", 0, 0, "b"},
    {"(?=x)a", 0, 0, "a"},
    {"(?!x)a", 0, 0, "a"},
    {"(?<=x)a", 0, 0, "a"},
    {"(?<!x)a", 0, 0, "a"},
    {"(?<n>x)a", 0, 0, "xa"},
    {"(?:x)a", 0, 0, "xa"},
    {"(?>x)a", 0, 0, "xa"},
    {"(?=x){2}a", 0, 0, "a"},
    {"^a$", 0, 0, "a"},
    {".", 0, 0, "a"},
    {"\\d\\w\\s\\S\\W\\D", 0, 0, "1a a-a"},
    {"\\t\\n\\r\\f\\v", 0, 0, "\t\n\r\f\v"},
    {"\\p{L}\\P{L}", 0, 0, "a1"},
    {"\\p{", 0, 0, "a"},
    {"\\bx\\B\\0", 0, 0, "x"},
    {"\\p", 0, 0, "a"},
    {"\\x4a\\x4A", 0, 0, "JJ"},
    {"\\x4", 0, 0, "\x04"},
    {"\\u004a\\u00E9", 0, 0, "J\xC3\xA9"},
    {"\\ud800a", 0, 0, "a"},
    {"\\udfffa", 0, 0, "a"},
    {"\\ud7ff", 0, 0, "\xED\x9F\xBF"},
    {"\\ue000", 0, 0, "\xEE\x80\x80"},
    {"\\u{4a}\\u{10ffff}", 0, 0, "J\xF4\x8F\xBF\xBF"},
    {"\\u{110000}a", 0, 0, "a"},
    {"\\u{d800}a", 0, 0, "a"},
    {"\\u{dfff}a", 0, 0, "a"},
    {"\\u{d7ff}", 0, 0, "\xED\x9F\xBF"},
    {"\\u{e000}", 0, 0, "\xEE\x80\x80"},
    {"\\u{4a", 0, 0, "J"},
    {"\\u{4g}a", 0, 0, "\x04}a"},
    {"a\\", 0, 0, "a\\"},
    {"[b-d]", 0, 0, "b"},
    {"[B-D]", 0, 0, "B"},
    {"[0-9c]", 0, 0, "c"},
    {"[Z-b]", 0, 0, "a"},
    {"[z]", 0, 0, "z"},
    {"[{]", 0, 0, "{"},
    {"[`-a]", 0, 0, "a"},
    {"[-b]", 0, 0, "b"},
    {"[B-]", 0, 0, "B"},
    {"[^a]", 0, 0, "1"},
    {"[^a1A]", 0, 0, " "},
    {"[^a-z0-9A-Z _]", 0, 0, "-"},
    {"[^a-zA-Z0-9 _.-]", 0, 0, "~"},
    {"[^ -~]", 0, 0, NULL},
    {"[\\x62\\]]", 0, 0, "b"},
    {"[b", 0, 0, ""},
    {"[\\", 0, 0, ""},
    {"a)", 0, 0, NULL},
    {"(a", 0, 0, NULL},
    {"(?", 0, 0, NULL},
    {"(?<", 0, 0, NULL},
    {"a{", 0, 0, "a{"},
    {"a{x}", 0, 0, "a{x}"},
    {"a{2", 0, 0, "aa"},
    {"a{2,", 0, 0, ""},
};

TEST(writes_texts_of_patterns)
{
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(pattern_rows); i++) {
        const surety_str source = surety_str_of(pattern_rows[i].source);
        bool made;

        surety_buf_reset(&out);
        made = surety__make_pattern(source, pattern_rows[i].n,
                                    pattern_rows[i].more, &out);
        NEED(out.status == SURETY_OK ? &out : NULL);
        if (made != (pattern_rows[i].want != NULL) ||
            (made && !surety_str_equal(surety_buf_str(&out),
                                       surety_str_of(pattern_rows[i].want))))
            printf("# %s: %.*s\n", pattern_rows[i].source, (int)out.len,
                   out.ptr ? out.ptr : "");
        CHECK(made == (pattern_rows[i].want != NULL));
        if (made)
            CHECK_TEXT(surety_buf_str(&out), pattern_rows[i].want);
    }
done:
    surety_buf_done(&out);
}

/* What is behind a source is not read, whatever it is. */
TEST(ends_where_a_pattern_ends)
{
    static const char *const tails[] = {"?", "*",  "+",   "{3}", ",5}",
                                        "}", "]",  ")",   "(",   "[",
                                        "|", "-z", "\\d", "z"};
    surety_buf text, alone, out;

    surety_buf_init(&text, check_alloc(t), 0);
    surety_buf_init(&alone, check_alloc(t), 0);
    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(pattern_rows); i++)
        for (size_t k = 0; k < CHECK_COUNT(tails); k++) {
            const size_t len = strlen(pattern_rows[i].source);
            bool made, again;

            surety_buf_reset(&text);
            surety_buf_reset(&alone);
            surety_buf_reset(&out);
            surety_buf_text(&text, pattern_rows[i].source);
            surety_buf_text(&text, tails[k]);
            NEED(text.status == SURETY_OK ? &text : NULL);
            made = surety__make_pattern(surety_str_of(pattern_rows[i].source),
                                        0, 3, &alone);
            again =
                surety__make_pattern((surety_str){text.ptr, len}, 0, 3, &out);
            NEED(alone.status == SURETY_OK ? &alone : NULL);
            NEED(out.status == SURETY_OK ? &out : NULL);
            CHECK(made == again);
            CHECK(
                surety_str_equal(surety_buf_str(&alone), surety_buf_str(&out)));
        }
done:
    surety_buf_done(&text);
    surety_buf_done(&alone);
    surety_buf_done(&out);
}

/* What fails leaves what stood in the buffer. */
TEST(keeps_what_stood_before)
{
    surety_contract *contract = NULL;
    surety_prompt_options options = {.size = sizeof(options),
                                     .style = SURETY_PROMPT_EXAMPLE};
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(check_contract(t, "false", &contract));
    surety_buf_text(&out, "before");
    NEED(out.status == SURETY_OK ? &out : NULL);
    EXPECT(SURETY_UNSUPPORTED, surety_prompt_write(contract, surety_str_of(""),
                                                   &options, &out, NULL));
    NEED(out.status == SURETY_OK ? &out : NULL);
    CHECK_TEXT(surety_buf_str(&out), "before");
    EXPECT(SURETY_UNSUPPORTED,
           surety_prompt_write(contract, surety_str_of("Go on."), &options,
                               &out, NULL));
    NEED(out.status == SURETY_OK ? &out : NULL);
    CHECK_TEXT(surety_buf_str(&out), "before");
    EXPECT(SURETY_MISUSE,
           surety_prompt_write(NULL, surety_str_of(""), &options, &out, NULL));
    EXPECT(SURETY_MISUSE, surety_prompt_write(contract, surety_str_of(""),
                                              &options, NULL, NULL));
    EXPECT(SURETY_MISUSE,
           surety_prompt_write(NULL, surety_str_of(""), &options, &out, NULL));
    EXPECT(SURETY_MISUSE, surety_prompt_write(contract, surety_str_of(""),
                                              &options, NULL, NULL));
    EXPECT(SURETY_MISUSE, surety_prompt_example(contract, NULL, NULL));
done:
    surety_buf_done(&out);
    surety_contract_free(contract);
}

/* Groups in each other and texts have an end. */
TEST(bounds_texts_of_patterns)
{
    static const struct {
        const char *source;
        size_t len;
    } rows[] = {
        {"a{1000}", 1000},        {"a{1023}", 1023},      {"a{1024}", 1024},
        {"a{4096}", 4096},        {"(a{1000}){4}", 4000}, {"a{4090}b{9}", 4097},
        {"(a{1000}){9}", 5000},   {"a{2000}{9}", 2003},   {"a{99999}", 4097},
        {"a{99999,99999}", 4097}, {"a{0,99999}", 3},
    };
    surety_buf source, out;

    surety_buf_init(&source, check_alloc(t), 0);
    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        surety_buf_reset(&out);
        surety__make_pattern(surety_str_of(rows[i].source), 0, 3, &out);
        NEED(out.status == SURETY_OK ? &out : NULL);
        if (out.len != rows[i].len)
            printf("# %s: %zu\n", rows[i].source, out.len);
        CHECK(out.len == rows[i].len);
    }
    for (size_t depth = 31; depth < 34; depth++) {
        surety_buf_reset(&source);
        surety_buf_reset(&out);
        for (size_t i = 0; i < depth; i++)
            surety_buf_byte(&source, '(');
        surety_buf_byte(&source, 'a');
        for (size_t i = 0; i < depth; i++)
            surety_buf_byte(&source, ')');
        NEED(source.status == SURETY_OK ? &source : NULL);
        CHECK(surety__make_pattern(surety_buf_str(&source), 0, 0, &out) ==
              (depth <= 32 && out.status == SURETY_OK));
    }
done:
    surety_buf_done(&source);
    surety_buf_done(&out);
}

TEST(has_three_texts_a_format)
{
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (unsigned n = 0; n < 3; n++) {
        CHECK(surety__make_format(surety_str_of("date"), n, &out));
        CHECK(surety__make_format(surety_str_of("regex"), n, &out));
    }
    CHECK(!surety__make_format(surety_str_of("date"), 3, &out));
    CHECK(!surety__make_format(surety_str_of("dates"), 0, &out));
    NEED(out.status == SURETY_OK ? &out : NULL);
    CHECK_TEXT(surety_buf_str(&out), "2025-01-31^[a-z]+$2025-02-01^[0-9]+$"
                                     "2025-02-02^.*$");
done:
    surety_buf_done(&out);
}

TEST(quotes_what_is_long_or_hidden)
{
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    surety__buf_quoted(&out, surety_str_of("\"a\xC3\xA9z\""), 4);
    NEED(out.status == SURETY_OK ? &out : NULL);
    CHECK_TEXT(surety_buf_str(&out),
               "\"a\xC3\xA9... [cut here; 6 bytes in all]");
    surety_buf_reset(&out);
    surety__buf_quoted(&out, surety_str_of("a\xE2\x80\xAE\xC2\x85\x1b"), 99);
    NEED(out.status == SURETY_OK ? &out : NULL);
    CHECK_TEXT(surety_buf_str(&out), "a\\u202e\\u0085\\u001b");
done:
    surety_buf_done(&out);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"writes every style", writes_every_style},
        {"gives the schema as JSON", gives_the_schema_as_json},
        {"asks again and corrects", asks_again_and_corrects},
        {"tells errors of earlier replies", tells_errors_of_earlier_replies},
        {"tells errors of no reply", tells_errors_of_no_reply},
        {"makes examples", makes_examples},
        {"says where there is no example", says_where_there_is_no_example},
        {"writes texts of patterns", writes_texts_of_patterns},
        {"ends where a pattern ends", ends_where_a_pattern_ends},
        {"keeps what stood before", keeps_what_stood_before},
        {"bounds texts of patterns", bounds_texts_of_patterns},
        {"has three texts a format", has_three_texts_a_format},
        {"quotes what is long or hidden", quotes_what_is_long_or_hidden},
    };
    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
