/* SPDX-License-Identifier: Apache-2.0 */
/* The check of a text: each result and error is that of reading the text to a
 * document and checking the document. A text is in memory of just its size, so
 * that sanitizers see a byte too many. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "schema/schema.h"

/* One who asks both ways. */
struct asker {
    surety_schema *schema;
    surety_checker *checker;
    surety_doc *doc;
    surety_limits limits;
    surety_read_options options;
    const surety_alloc *alloc;
};

static bool asker_init(struct asker *asker, const surety_alloc *alloc)
{
    *asker = (struct asker){.limits = {.size = sizeof(surety_limits)},
                            .options = {.size = sizeof(surety_read_options)},
                            .alloc = alloc};
    asker->options.limits = &asker->limits;
    asker->doc = surety_doc_new(alloc);
    asker->checker = surety_checker_new(alloc, NULL);
    return asker->doc && asker->checker;
}

static void asker_done(struct asker *asker)
{
    surety_schema_free(asker->schema);
    surety_checker_free(asker->checker);
    surety_doc_free(asker->doc);
}

static surety_status asker_compile(struct asker *asker, surety_str text)
{
    surety_schema_options options = {.size = sizeof(options),
                                     .alloc = asker->alloc};

    surety_schema_free(asker->schema);
    asker->schema = NULL;
    return surety_schema_read(text, &options, &asker->schema, NULL);
}

enum answer { ANSWER_INVALID, ANSWER_VALID, ANSWER_NONE };

/* What both ways say of text: ANSWER_NONE where it is refused, as *ret_status
 * says, or where memory ran out. They must be the same, mistakes to the letter,
 * and what is refused leaves the verdict alone. */
static enum answer asker_ask(struct check *t, struct asker *asker,
                             surety_str text, surety_status *ret_status)
{
    enum answer answer = ANSWER_NONE;
    char *exact = malloc(text.len ? text.len : 1);
    surety_error want = {.status = SURETY_OK}, got = want;
    bool valid = false, of_text = false;
    surety_status status;

    if (!exact)
        abort();
    if (text.len)
        memcpy(exact, text.ptr, text.len);
    text.ptr = exact;
    status = surety_doc_read(asker->doc, text, &asker->options, &want);
    if (!status)
        status =
            surety_checker_check(asker->checker, asker->schema,
                                 surety_doc_root(asker->doc), &valid, &want);
    *ret_status = status;
    if (status == SURETY_NOMEM && t->starved)
        goto done;
    of_text = !valid;
    EXPECT(status,
           surety_checker_check_text(asker->checker, asker->schema, text,
                                     &asker->options, &of_text, &got));
    CHECK(of_text == (status ? !valid : valid));
    CHECK_TEXT(surety_str_of(got.message), want.message);
    CHECK_TEXT(surety_str_of(got.hint), want.hint);
    CHECK(got.status == want.status);
    CHECK(!memcmp(&got.position, &want.position, sizeof(got.position)));
    if (!status)
        answer = valid ? ANSWER_VALID : ANSWER_INVALID;
done:
    if (t->failed)
        printf("# on %zu bytes: %.*s\n", text.len,
               (int)(text.len < 600 ? text.len : 600), exact);
    free(exact);
    return answer;
}

struct row {
    const char *schema, *instance;
    bool valid;
};

static void ask_rows(struct check *t, const struct row *rows, size_t count)
{
    struct asker asker;
    enum answer answer;
    surety_status status;

    NEED(asker_init(&asker, check_alloc(t)) ? &asker : NULL);
    for (size_t i = 0; i < count; i++) {
        TRY(asker_compile(&asker, surety_str_of(rows[i].schema)));
        answer = asker_ask(t, &asker, surety_str_of(rows[i].instance), &status);
        TRY(status);
        if (t->starved || t->failed)
            goto done;
        CHECK(answer == (rows[i].valid ? ANSWER_VALID : ANSWER_INVALID) ||
              !printf("# %s on %s\n", rows[i].schema, rows[i].instance));
    }
done:
    asker_done(&asker);
}

/* ---- the text ----------------------------------------------------------- */

/* Schemas that are decided at once, by frames, early and late. */
static const char *const shapes[] = {
    "true",
    "false",
    "{\"type\":[\"object\",\"array\"]}",
    "{\"type\":\"integer\"}",
    ("{\"properties\":{\"a\":{\"type\":\"array\"},\"k\":{\"type\":\"string\"}},"
     "\"required\":[\"a\"]}"),
    "{\"properties\":{\"a\":false},\"items\":false}",
    "{\"items\":{\"$ref\":\"#\"},\"additionalProperties\":{\"$ref\":\"#\"}}",
    "{\"uniqueItems\":true,\"minProperties\":1}",
    "{\"patternProperties\":{\"a\":true,\"^a\":{\"type\":\"array\"}}}",
    "{\"propertyNames\":{\"maxLength\":1}}",
    "{\"unevaluatedProperties\":false,\"unevaluatedItems\":false}",
};

TEST(refuses_as_the_reader_does)
{
    static const char *const texts[] = {"",
                                        " ",
                                        "[1,]",
                                        "{\"a\":1,}",
                                        "[1 2]",
                                        "[1}",
                                        "{\"a\"}",
                                        "{\"a\":}",
                                        "{a:1}",
                                        "]",
                                        "1 2",
                                        "{} x",
                                        "{}}",
                                        "\x80",
                                        "NaN",
                                        "tru",
                                        "truex",
                                        "'a'",
                                        "01",
                                        "-",
                                        "1.",
                                        "1e",
                                        "\"a",
                                        "\"\\x\"",
                                        "\"\\ud800\"",
                                        "\"\xC3\"",
                                        "\"a\nb\"",
                                        "\"\\u12\"",
                                        "[\"\xED\xA0\x80\"]",
                                        "{\"a\":[], \"b\" 1}",
                                        "{\"\\q\":1}",
                                        "{\"\xFF\":1}",
                                        "[[[1,2],[3 4]]]",
                                        "\xEF\xBB\xBF{}",
                                        "\xFF\xFE",
                                        "{\"a\":1,\"a\":2",
                                        "[1,2,3",
                                        "{\"a\":{\"a\":{\"a\":1}}",
                                        "// a\n1",
                                        "{\"a\":1 \"b\":2}",
                                        "\xEF\xBB",
                                        "[,1]",
                                        "{,}"};
    static const char whole[] =
        "{\"a\":[1,-2.5e3,true,null,\"x\\u00e9\\n\xC3\xA9\"],\"long key\": "
        "false, \"n\":[123456789,0.125,{}],\"s\":{\"a\":[],\"a\":[[]]}}";
    struct asker asker;
    surety_status status;

    NEED(asker_init(&asker, NULL) ? &asker : NULL);
    for (size_t i = 0; i < CHECK_COUNT(shapes); i++) {
        TRY(asker_compile(&asker, surety_str_of(shapes[i])));
        for (size_t k = 0; k < CHECK_COUNT(texts); k++) {
            asker_ask(t, &asker, surety_str_of(texts[k]), &status);
            CHECK(status == SURETY_SYNTAX && !t->failed);
        }
        for (size_t len = 0; len < sizeof(whole); len++) {
            asker_ask(t, &asker, (surety_str){whole, len}, &status);
            CHECK((status == SURETY_SYNTAX) == (len < sizeof(whole) - 1) &&
                  !t->failed);
        }
        asker_ask(t, &asker, (surety_str){"[1\0]", 4}, &status);
        CHECK(status == SURETY_SYNTAX && !t->failed);
    }
done:
    asker_done(&asker);
}

TEST(follows_the_flags)
{
    static const struct {
        unsigned flags;
        const char *text;
        surety_status status;
    } cases[] = {
        {0, "{\"a\":[],\"a\":[]}", SURETY_OK},
        {SURETY_READ_BORROW, "{\"a\":[],\"a\":[]}", SURETY_OK},
        {SURETY_READ_UNIQUE_KEYS, "{\"a\":[],\"b\":[]}", SURETY_OK},
        {SURETY_READ_UNIQUE_KEYS, "{\"a\":[],\"a\":[]}", SURETY_SYNTAX},
        {SURETY_READ_UNIQUE_KEYS, "{\"a\":[],\"\\u0061\":[]}", SURETY_SYNTAX},
        {SURETY_READ_UNIQUE_KEYS, "{\"x\":{\"y\":1,\"y\":1}}", SURETY_SYNTAX},
        {SURETY_READ_UNIQUE_KEYS, "{\"a\":1,\"a\":2]", SURETY_SYNTAX},
        {0, "\xEF\xBB\xBF[]", SURETY_SYNTAX},
        {SURETY_READ_SKIP_BOM, "\xEF\xBB\xBF[]", SURETY_OK},
        {SURETY_READ_SKIP_BOM, "\xEF\xBB\xBF 7 ", SURETY_OK},
        {SURETY_READ_SKIP_BOM,
         "\xEF\xBB\xBF"
         "7",
         SURETY_OK},
        {SURETY_READ_SKIP_BOM, "[]", SURETY_OK},
        {SURETY_READ_SKIP_BOM, "\xEF\xBB\xBF", SURETY_SYNTAX},
        {SURETY_READ_SKIP_BOM, " \xEF\xBB\xBF[]", SURETY_SYNTAX},
        {SURETY_READ_SKIP_BOM | SURETY_READ_UNIQUE_KEYS,
         "\xEF\xBB\xBF{\"a\":1,\"a\":1}", SURETY_SYNTAX},
    };
    struct asker asker;
    surety_status status;

    NEED(asker_init(&asker, NULL) ? &asker : NULL);
    for (size_t i = 0; i < CHECK_COUNT(shapes); i++) {
        TRY(asker_compile(&asker, surety_str_of(shapes[i])));
        for (size_t k = 0; k < CHECK_COUNT(cases); k++) {
            asker.options.flags = cases[k].flags;
            asker_ask(t, &asker, surety_str_of(cases[k].text), &status);
            CHECK(status == cases[k].status && !t->failed);
        }
    }
done:
    asker_done(&asker);
}

/* Each limit of the reader, with a text that is just at it. */
static const struct edge {
    size_t offset; /* in surety_limits */
    uint32_t at;
    const char *text;
} edges[] = {
    {offsetof(surety_limits, depth_max), 3, "[[[]],1]"},
    {offsetof(surety_limits, depth_max), 3, "{\"a\":[{\"x\":1}]}"},
    {offsetof(surety_limits, depth_max), 3, "{\"z\":[{\"x\":1}],\"a\":[]}"},
    {offsetof(surety_limits, values_max), 4, "[1,2,3]"},
    {offsetof(surety_limits, values_max), 5, "{\"a\":1,\"b\":[]}"},
    {offsetof(surety_limits, values_max), 7, "{\"a\":{\"a\":{\"a\":{}}}}"},
    {offsetof(surety_limits, values_max), 2, "[[]]"},
    {offsetof(surety_limits, string_len_max), 3, "\"abc\""},
    {offsetof(surety_limits, string_len_max), 3, "[\"a\\u00e9\"]"},
    {offsetof(surety_limits, string_len_max), 3, "{\"a\":\"x\\n\\n\"}"},
    {offsetof(surety_limits, key_len_max), 3, "{\"abc\":\"abcdef\"}"},
    {offsetof(surety_limits, key_len_max), 2, "{\"a\":{\"\\u00e9\":1}}"},
    {offsetof(surety_limits, number_len_max), 4, "1234"},
    {offsetof(surety_limits, number_len_max), 6, "[-1.5e3]"},
    {offsetof(surety_limits, number_len_max), 12, "{\"a\":123456789012}"},
    {offsetof(surety_limits, text_bytes_max), 10, " [1,2,3]  "},
};

static void set_limit(struct asker *asker, const struct edge *edge, uint32_t to)
{
    asker->limits = (surety_limits){.size = sizeof(surety_limits)};
    if (edge->offset == offsetof(surety_limits, text_bytes_max))
        asker->limits.text_bytes_max = to;
    else
        memcpy((char *)&asker->limits + edge->offset, &to, sizeof(to));
}

TEST(keeps_each_limit)
{
    struct asker asker;
    surety_status status;

    NEED(asker_init(&asker, NULL) ? &asker : NULL);
    for (size_t i = 0; i < CHECK_COUNT(shapes); i++) {
        TRY(asker_compile(&asker, surety_str_of(shapes[i])));
        for (size_t k = 0; k < CHECK_COUNT(edges); k++) {
            surety_str text = surety_str_of(edges[k].text);

            for (uint32_t to = edges[k].at - 1; to <= edges[k].at + 1; to++) {
                set_limit(&asker, &edges[k], to);
                asker_ask(t, &asker, text, &status);
                CHECK(!t->failed);
                CHECK(status == (to < edges[k].at ? SURETY_LIMIT : SURETY_OK) ||
                      !printf("# %s at %u\n", edges[k].text, to));
            }
        }
    }
done:
    asker_done(&asker);
}

TEST(says_what_is_misused)
{
    struct asker asker;
    surety_error err = {.status = SURETY_OK};
    const surety_str one = {"1", 1};
    bool valid = true;

    NEED(asker_init(&asker, check_alloc(t)) ? &asker : NULL);
    TRY(asker_compile(&asker, surety_str_of("false")));
    EXPECT(SURETY_MISUSE, surety_checker_check_text(NULL, asker.schema, one,
                                                    NULL, &valid, &err));
    CHECK(err.status == SURETY_MISUSE && err.message[0]);
    EXPECT(SURETY_MISUSE, surety_checker_check_text(asker.checker, NULL, one,
                                                    NULL, &valid, NULL));
    EXPECT(SURETY_MISUSE, surety_checker_check_text(asker.checker, asker.schema,
                                                    (surety_str){NULL, 1}, NULL,
                                                    &valid, NULL));
    EXPECT(SURETY_MISUSE, surety_checker_check_text(asker.checker, asker.schema,
                                                    one, NULL, NULL, NULL));
    EXPECT(SURETY_SYNTAX, surety_checker_check_text(asker.checker, asker.schema,
                                                    (surety_str){NULL, 0}, NULL,
                                                    &valid, NULL));
    CHECK(valid);
    TRY(surety_checker_check_text(asker.checker, asker.schema, one, NULL,
                                  &valid, NULL));
    CHECK(!valid);
done:
    asker_done(&asker);
}

/* Where memory ran out once, there is no verdict, and the next is right. */
TEST(goes_on_after_want_of_memory)
{
    static const char text[] = "{\"a\":[[[[\"\\n\"]]]],\"b\":{\"a\":[[1]],"
                               "\"x\":[1,{\"y\":[2]},1]},\"c\":[]}";
    struct asker asker;
    bool valid = false;
    surety_status status;

    NEED(asker_init(&asker, check_alloc(t)) ? &asker : NULL);
    TRY(asker_compile(
        &asker,
        surety_str_of("{\"properties\":{\"a\":{\"items\":{\"items\":{\"items\":"
                      "{\"items\":{\"type\":\"string\"}}}}},\"b\":{"
                      "\"properties\":{\"x\":{\"uniqueItems\":true}}}}}")));
    for (int i = 0; i < 3; i++) {
        valid = true;
        status =
            surety_checker_check_text(asker.checker, asker.schema,
                                      surety_str_of(text), NULL, &valid, NULL);
        if (status == SURETY_NOMEM && t->starved) {
            CHECK(valid);
            if (t->sticky)
                goto done;
            continue;
        }
        TRY(status);
        CHECK(!valid);
    }
    CHECK(!valid); /* it can fail once only, unless from there on */
done:
    asker_done(&asker);
}

/* ---- what schemas ask --------------------------------------------------- */

#define AB                                                                     \
    "{\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":"           \
    "\"string\"}},\"required\":[\"a\"]}"
#define CLOSED                                                                 \
    "{\"properties\":{\"a\":{\"type\":\"integer\"}},"                          \
    "\"additionalProperties\":false}"
#define INSIDE "{\"properties\":{\"o\":" AB "},\"items\":" AB "}"

TEST(the_last_of_equal_keys_counts)
{
    static const struct row rows[] = {
        {AB, "{\"a\":1,\"a\":2}", true},
        {AB, "{\"a\":\"x\",\"a\":2}", true},
        {AB, "{\"a\":1,\"a\":\"x\"}", false},
        {AB, "{\"a\":1,\"a\":\"x\",\"a\":3}", true},
        {AB, "{\"a\":\"x\",\"b\":1,\"a\":2}", false},
        {AB, "{\"a\":\"x\",\"b\":1,\"a\":2,\"b\":\"\"}", true},
        {AB, "{\"b\":1,\"b\":\"\"}", false},
        {AB, "{\"\\u0061\":\"x\",\"a\":1}", true},
        {AB, "{\"a\":\"x\",\"\\u0061\":1}", true},
        {AB, "{\"a\":{\"a\":1},\"a\":1}", true},
        {AB, "{\"z\":0,\"a\":1,\"z\":[]}", true},
        {CLOSED, "{\"z\":1,\"z\":1}", false},
        {CLOSED, "{\"z\":1,\"a\":1}", false},
        {INSIDE, "{\"o\":{},\"o\":{\"a\":1}}", true},
        {INSIDE, "{\"o\":{\"a\":1},\"o\":{}}", false},
        {INSIDE, "{\"o\":{\"a\":\"\"},\"x\":{\"o\":1},\"o\":1}", true},
        {INSIDE, "{\"o\":{\"a\":\"\"},\"x\":{\"o\":1},\"p\":1}", false},
        {INSIDE, "{\"o\":{\"a\":\"\",\"a\":1},\"x\":{\"o\":1}}", true},
        {INSIDE, "[{\"a\":\"\",\"a\":1},{\"a\":1}]", true},
        {INSIDE, "[{\"a\":\"\"},{\"a\":1,\"a\":2}]", false},
        {"{\"required\":[\"a\",\"b\"]}", "{\"a\":1,\"a\":1}", false},
        {"{\"required\":[\"a\",\"b\"]}", "{\"a\":1,\"b\":1,\"a\":1}", true},
        {"{\"minProperties\":2}", "{\"a\":1,\"a\":1}", false},
        {"{\"minProperties\":2}", "{\"a\":1,\"b\":1,\"a\":1}", true},
        {"{\"maxProperties\":1}", "{\"a\":1,\"a\":1}", true},
        {"{\"properties\":{\"o\":{\"maxProperties\":1}}}",
         "{\"o\":{\"a\":1,\"a\":1},\"p\":1}", true},
        {"{\"properties\":{\"o\":{\"minProperties\":2}}}",
         "{\"o\":{\"a\":1,\"a\":1},\"o\":{\"a\":1,\"b\":1}}", true},
        {"{\"propertyNames\":{\"maxLength\":1}}", "{\"ab\":1,\"ab\":1}", false},
        {"{\"patternProperties\":{\"^a\":{\"type\":\"null\"}}}",
         "{\"ab\":1,\"ab\":null}", true},
        {"{\"patternProperties\":{\"^a\":{\"type\":\"null\"},\"b$\":{\"enum\":"
         "[null,1]}}}",
         "{\"ab\":1,\"ab\":null}", true},
        {"{\"additionalProperties\":{\"type\":\"null\"}}",
         "{\"x\":1,\"y\":null,\"x\":null}", true},
        {"{\"additionalProperties\":{\"type\":\"null\"}}",
         "{\"x\":1,\"y\":null,\"xx\":null}", false},
        {"{\"const\":{\"a\":1}}", "{\"a\":2,\"a\":1}", true},
        {"{\"const\":{\"a\":1}}", "{\"a\":1,\"a\":2}", false},
        {"{\"uniqueItems\":true}", "[{\"a\":2,\"a\":1},{\"a\":1}]", false},
        {"{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"a\":1,\"a\":2}", false},
    };

    ask_rows(t, rows, CHECK_COUNT(rows));
}

#define BRANCH(tag, type)                                                      \
    "{\"type\":\"object\",\"properties\":{\"k\":{\"const\":\"" tag             \
    "\"},\"x\":{\"type\":\"" type "\"}},\"required\":[\"k\"]}"
#define UNION                                                                  \
    "{\"oneOf\":[" BRANCH("a", "integer") "," BRANCH("b", "string") "]}"
#define OPEN                                                                   \
    "{\"oneOf\":[" BRANCH("a", "integer") "," BRANCH(                          \
        "b", "string") ","                                                     \
                       "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":" \
                       "\"integer\"}}}]}"
#define INNER "{\"properties\":{\"u\":" UNION "},\"items\":" UNION "}"

TEST(unions_with_a_tag)
{
    static const struct row rows[] = {
        {UNION, "{\"k\":\"a\",\"x\":1}", true},
        {UNION, "{\"k\":\"a\",\"x\":\"\"}", false},
        {UNION, "{\"k\":\"b\",\"x\":\"\"}", true},
        {UNION, "{\"k\":\"b\",\"x\":1}", false},
        {UNION, "{\"x\":1,\"k\":\"a\"}", true},
        {UNION, "{\"x\":1,\"k\":\"b\"}", false},
        {UNION, "{\"\\u006b\":\"\\u0062\",\"x\":\"\"}", true},
        {UNION, "{\"k\":\"c\",\"x\":1}", false},
        {UNION, "{\"k\":1,\"x\":1}", false},
        {UNION, "{\"k\":null}", false},
        {UNION, "{\"k\":{\"k\":\"a\"}}", false},
        {UNION, "{\"x\":1}", false},
        {UNION, "{}", false},
        {UNION, "[]", false},
        {UNION, "\"a\"", false},
        /* the tag occurs twice, in front or behind, and the last one counts */
        {UNION, "{\"k\":\"a\",\"k\":\"b\"}", true},
        {UNION, "{\"k\":\"a\",\"k\":\"a\",\"x\":1}", true},
        {UNION, "{\"k\":\"a\",\"x\":1,\"k\":\"b\"}", false},
        {UNION, "{\"k\":\"a\",\"x\":\"\",\"k\":\"b\"}", true},
        {UNION, "{\"k\":\"a\",\"k\":\"b\",\"x\":\"\"}", true},
        {UNION, "{\"k\":\"a\",\"k\":\"b\",\"x\":1}", false},
        {UNION, "{\"k\":\"a\",\"k\":1}", false},
        {UNION, "{\"k\":1,\"k\":\"a\"}", true},
        {UNION, "{\"k\":\"c\",\"k\":\"a\"}", true},
        {UNION, "{\"k\":\"a\",\"k\":\"c\"}", false},
        {UNION, "{\"x\":1,\"k\":\"b\",\"k\":\"a\"}", true},
        {UNION, "{\"k\":\"a\",\"x\":\"\",\"x\":1}", true},
        {UNION, "{\"k\":\"a\",\"x\":\"\",\"\\u006b\":\"b\"}", true},
        {INNER, "{\"u\":{\"k\":\"a\",\"x\":\"\",\"k\":\"b\"}}", true},
        {INNER, "{\"u\":{\"k\":\"a\",\"k\":\"c\"},\"u\":{\"k\":\"b\"}}", true},
        {INNER, "[{\"k\":\"b\"},{\"k\":\"a\",\"x\":\"\",\"k\":\"b\"}]", true},
        {INNER, "[{\"k\":\"b\",\"x\":1},{\"k\":\"a\"}]", false},
        {OPEN, "{\"k\":\"z\"}", true},
        {OPEN, "{\"x\":1}", true},
        {OPEN, "{\"k\":\"a\"}", false},
        {OPEN, "{\"k\":\"a\",\"x\":\"\"}", false},
        {OPEN, "{\"k\":\"b\",\"x\":\"\"}", true},
        {OPEN, "{\"k\":\"z\",\"k\":\"a\"}", false},
        {OPEN, "{\"k\":\"z\",\"x\":1,\"k\":\"b\"}", true},
        {OPEN, "{\"k\":\"z\",\"x\":\"\",\"k\":\"b\"}", true},
        {OPEN, "{\"k\":\"a\",\"k\":\"z\"}", true},
    };

    ask_rows(t, rows, CHECK_COUNT(rows));
}

#define DRAFT4 "\"$schema\":\"http://json-schema.org/draft-04/schema#\""

TEST(names_and_numbers)
{
    static const struct row rows[] = {
        {"{\"properties\":{\"ab\":false}}", "{\"a\\u0062\":1}", false},
        {"{\"properties\":{\"ab\":false}}", "{\"a\\\\u0062\":1}", true},
        {"{\"properties\":{\"a\\u0000b\":false}}", "{\"a\\u0000b\":1}", false},
        {"{\"properties\":{\"a\\u0000b\":false}}", "{\"a\":1,\"ab\":1}", true},
        {"{\"const\":\"a\\u0000\"}", "\"a\\u0000\"", true},
        {"{\"const\":\"a\\u0000\"}", "\"a\"", false},
        {"{\"maxLength\":2}", "\"\\u0000\\u0000\"", true},
        {"{\"maxLength\":1}", "\"\\u0000\\u0000\"", false},
        {"{\"properties\":{\"\xC3\xA9\":false}}", "{\"\xC3\xA9\":1}", false},
        {"{\"properties\":{\"\xC3\xA9\":false}}", "{\"\\u00e9\":1}", false},
        {"{\"properties\":{\"\xC3\xA9\":false}}", "{\"e\xCC\x81\":1}", true},
        {"{\"properties\":{\"\":false}}", "{\"\":1}", false},
        {"{\"required\":[\"\xF0\x9F\x98\x80\"]}", "{\"\\ud83d\\ude00\":1}",
         true},
        {"{\"type\":\"integer\"}", "1e400", true},
        {"{\"type\":\"integer\"}", "1e-400", false},
        {"{\"maximum\":1e400}", "1e401", false},
        {"{\"maximum\":1e400}", "9e399", true},
        {"{\"const\":9007199254740993}", "9007199254740992", false},
        {"{\"const\":9007199254740993}", "9007199254740993.0", true},
        {"{\"multipleOf\":0.01}", "123456789012345678901234567890.01", true},
        {"{\"multipleOf\":0.01}", "123456789012345678901234567890.011", false},
        {"{\"minimum\":-9223372036854775808}", "-9223372036854775809", false},
        {"{\"type\":\"integer\"}", "1.0", true},
        {"{\"type\":\"integer\"}", "-0.0", true},
        {"{" DRAFT4 ",\"type\":\"integer\"}", "1.0", false},
        {"{" DRAFT4 ",\"type\":\"integer\"}", "1", true},
        {"{" DRAFT4 ",\"items\":{\"type\":\"integer\"}}", "[1, 1.0 ]", false},
        {"{" DRAFT4 ",\"enum\":[1]}", "1.0", true},
        {"{\"type\":\"array\"}", " \t\r\n[ \n] \t\r\n", true},
        {AB, " { \"a\" : 1 , \"b\" : \"\" } ", true},
        {AB, "\n{\n\"a\"\n:\n\"\"\n}\n", false},
    };

    ask_rows(t, rows, CHECK_COUNT(rows));
}

#define TREE                                                                   \
    "{\"$dynamicAnchor\":\"n\",\"properties\":{\"c\":{\"items\":{"             \
    "\"$dynamicRef\":\"#n\"}}}}"
#define STRICT_TREE                                                            \
    "{\"$id\":\"urn:s\",\"$dynamicAnchor\":\"n\",\"$ref\":\"urn:t\","          \
    "\"unevaluatedProperties\":false,\"$defs\":{\"t\":{\"$id\":\"urn:t\","     \
    "\"$dynamicAnchor\":\"n\",\"properties\":{\"c\":{\"items\":{"              \
    "\"$dynamicRef\":\"#n\"}}}}}}"
#define PATTERNED                                                              \
    "{\"properties\":{\"ab\":{\"minimum\":0}},\"patternProperties\":{\"^a\":{" \
    "\"maximum\":9},\"b\":{\"type\":\"integer\"}},\"additionalProperties\":{"  \
    "\"type\":\"null\"}}"

TEST(every_kind_of_applicator)
{
    static const struct row rows[] = {
        {PATTERNED, "{\"ab\":1,\"a\":1.5,\"b\":10,\"c\":null}", true},
        {PATTERNED, "{\"ab\":-1}", false},
        {PATTERNED, "{\"ab\":10}", false},
        {PATTERNED, "{\"ab\":1.5}", false},
        {PATTERNED, "{\"c\":1}", false},
        {PATTERNED, "{\"ab\":-1,\"ab\":1}", true},
        {"{\"propertyNames\":{\"pattern\":\"^a\"}}", "{\"a\":1}", true},
        {"{\"propertyNames\":{\"pattern\":\"^a\"}}", "{\"a\":1,\"b\":1}",
         false},
        {"{\"propertyNames\":{\"pattern\":\"^a\"}}", "{\"\\u0061\":{}}", true},
        {"{\"propertyNames\":false}", "{}", true},
        {"{\"propertyNames\":false}", "{\"a\":[]}", false},
        {"{\"propertyNames\":{\"minLength\":2}}", "{\"ab\":{\"a\":1}}", true},
        {"{\"additionalProperties\":{\"items\":{\"type\":\"null\"}}}",
         "{\"a\":[null],\"b\":[1]}", false},
        {"{\"prefixItems\":[{\"type\":\"null\"},true],\"items\":false}",
         "[null,1]", true},
        {"{\"prefixItems\":[{\"type\":\"null\"},true],\"items\":false}",
         "[null,1,2]", false},
        {"{\"prefixItems\":[{\"type\":\"null\"},true],\"items\":false}", "[]",
         true},
        {"{\"prefixItems\":[{\"type\":\"null\"}]}", "[1]", false},
        {"{\"minItems\":2,\"maxItems\":3}", "[[1]]", false},
        {"{\"minItems\":2,\"maxItems\":3}", "[[1],{}]", true},
        {"{\"minItems\":2,\"maxItems\":3}", "[1,2,3,[4]]", false},
        {"{\"items\":{\"minItems\":1}}", "[[1],[]]", false},
        {"{\"uniqueItems\":true}", "[1,[1],[1.0]]", false},
        {"{\"items\":{\"uniqueItems\":true}}", "[[1,2],[1,2]]", true},
        {"{\"items\":{\"uniqueItems\":true}}", "[[1,2],[1,1]]", false},
        {"{\"contains\":{\"const\":1},\"maxContains\":1}", "[1,2]", true},
        {"{\"contains\":{\"const\":1},\"maxContains\":1}", "[1,1.0]", false},
        {"{\"contains\":{\"const\":1},\"minContains\":0}", "[]", true},
        {"{\"properties\":{\"a\":true},\"unevaluatedProperties\":false}",
         "{\"a\":1}", true},
        {"{\"properties\":{\"a\":true},\"unevaluatedProperties\":false}",
         "{\"a\":1,\"b\":1}", false},
        {"{\"anyOf\":[{\"properties\":{\"a\":{\"const\":1}}}],"
         "\"unevaluatedProperties\":{\"type\":\"null\"}}",
         "{\"a\":1,\"b\":null}", true},
        {"{\"prefixItems\":[true],\"unevaluatedItems\":false}", "[1]", true},
        {"{\"prefixItems\":[true],\"unevaluatedItems\":false}", "[1,2]", false},
        {"{\"if\":{\"required\":[\"a\"]},\"then\":{\"required\":[\"b\"]}}",
         "{\"a\":1}", false},
        {"{\"not\":{\"required\":[\"a\"]}}", "{\"b\":1}", true},
        {"{\"allOf\":[" AB "," CLOSED "]}", "{\"a\":1}", true},
        {"{\"allOf\":[" AB "," CLOSED "]}", "{\"a\":1,\"b\":\"\"}", false},
        {"{\"dependentSchemas\":{\"a\":{\"maxProperties\":1}}}",
         "{\"a\":1,\"b\":1}", false},
        {TREE, "{\"d\":1,\"c\":[{\"c\":[],\"d\":1}]}", true},
        {STRICT_TREE, "{\"c\":[{\"c\":[]}]}", true},
        {STRICT_TREE, "{\"c\":[{\"c\":[{\"d\":1}]}]}", false},
        {STRICT_TREE, "{\"c\":[{\"c\":[{\"d\":1}]}],\"c\":[]}", true},
    };

    ask_rows(t, rows, CHECK_COUNT(rows));
}

/* ---- large texts -------------------------------------------------------- */

static void add_times(surety_buf *buf, const char *text, size_t times)
{
    while (times--)
        surety_buf_text(buf, text);
}

TEST(ten_thousand_levels)
{
    enum { LEVELS = 10000 };
    struct asker asker;
    surety_buf text;
    surety_status status;

    surety_buf_init(&text, NULL, 0);
    NEED(asker_init(&asker, NULL) ? &asker : NULL);
    asker.limits.depth_max = 2 * LEVELS;
    for (int bad = 0; bad < 2; bad++) {
        surety_buf_reset(&text);
        add_times(&text, "{\"a\":[", LEVELS);
        surety_buf_text(&text, bad ? "7" : "{}");
        add_times(&text, "]}", LEVELS);
        TRY(text.status);
        TRY(asker_compile(
            &asker, surety_str_of("{\"type\":\"object\",\"properties\":{\"a\":{"
                                  "\"items\":{\"$ref\":\"#\"}}}}")));
        /* The innermost object is one too many. */
        asker.limits.depth_max = 2 * LEVELS + !bad - 1;
        asker_ask(t, &asker, surety_buf_str(&text), &status);
        CHECK(status == SURETY_LIMIT && !t->failed);
        asker.limits.depth_max++;
        CHECK(asker_ask(t, &asker, surety_buf_str(&text), &status) ==
                  (bad ? ANSWER_INVALID : ANSWER_VALID) &&
              !t->failed);
        text.len -= 1;
        asker_ask(t, &asker, surety_buf_str(&text), &status);
        CHECK(status == SURETY_SYNTAX && !t->failed);
    }
done:
    surety_buf_done(&text);
    asker_done(&asker);
}

/* What goes over the border of a window, and whether it is valid. */
static const struct {
    const char *text;
    enum answer answer;
} bordered[] = {
    {"{\"id\":1234567,\"name\":\"\\u00e9\xC3\xA9\\\\\\\"\",\"list\":[1.50,true,"
     "{\"id\":1}],\"x\\u0079\":null}",
     ANSWER_VALID},
    {"{\"id\":1234567,\"name\":\"\\u00e9\xC3\xA9\\\\\\\"\",\"list\":[1.50,true,"
     "{\"id\":\"1\"}],\"x\\u0079\":null}",
     ANSWER_INVALID},
    {"{\"id\":1234567,\"name\":\"\\u00e9\xC3\xA9\\\\\\\"\",\"list\":[1.50,true,"
     "{\"id\":\"1\"}],\"x\\u0079\":null,\"list\":[]}",
     ANSWER_VALID},
    {"{\"id\":12345678901234567890,\"name\":\"\\\\\\\\\\\\\\\\\\\\\",\"xy\":0}",
     ANSWER_INVALID},
    {"{\"id\":1.0e1,\"name\":\"\xF0\x9F\x98\x80\xE2\x82\xAC\\ud83d\\ude00\"}",
     ANSWER_VALID},
    {"{\"id\":1,\"name\":\"\xF0\x9F\x98 \"}", ANSWER_NONE},
    {"{\"id\":1,\"name\":\"a\nb\"}", ANSWER_NONE},
    {"{\"id\":1,\"id\":falsee,\"name\":\"abcdefghij\"}", ANSWER_NONE},
    {"{\"id\":1,\"name\":\"\\ud83d\\ud83d\"}", ANSWER_NONE},
};

TEST(values_across_windows)
{
    enum { WINDOW = 4096, BEFORE = 90 };
    struct asker asker;
    surety_buf text;
    surety_status status;

    surety_buf_init(&text, NULL, 0);
    NEED(asker_init(&asker, NULL) ? &asker : NULL);
    TRY(asker_compile(
        &asker,
        surety_str_of(
            "{\"items\":{\"$ref\":\"#\"},\"type\":[\"object\",\"array\","
            "\"string\",\"number\",\"boolean\"],\"properties\":{\"id\":{"
            "\"type\":\"integer\"},\"name\":{\"type\":\"string\",\"maxLength\":"
            "5},\"list\":{\"items\":{\"properties\":{\"id\":{\"type\":"
            "\"integer\"}}}},\"xy\":{\"type\":\"null\"}},\"required\":["
            "\"id\"]}")));
    for (size_t i = 0; i < CHECK_COUNT(bordered); i++)
        for (size_t at = WINDOW - BEFORE; at <= WINDOW + 4; at++)
            for (unsigned kind = 0; kind < 4; kind++) {
                /* behind spaces, a string, escapes or many small values */
                static const char *const begins[] = {"[", "[\"", "[\"", "["};
                static const char *const fills[] = {" ", "y", "\\\\", "0,"};
                static const char *const ends[] = {" ", "\",", "\",", ""};

                surety_buf_reset(&text);
                surety_buf_text(&text, begins[kind]);
                while (text.len + strlen(ends[kind]) + 1 < at)
                    surety_buf_text(&text, fills[kind]);
                surety_buf_text(&text, ends[kind]);
                while (text.len < at)
                    surety_buf_byte(&text, ' ');
                surety_buf_text(&text, bordered[i].text);
                add_times(&text, " ", i % 2 * WINDOW);
                surety_buf_byte(&text, ']');
                TRY(text.status);
                CHECK(asker_ask(t, &asker, surety_buf_str(&text), &status) ==
                      bordered[i].answer);
                CHECK(!t->failed);
                CHECK((status == SURETY_SYNTAX) ==
                      (bordered[i].answer == ANSWER_NONE));
            }
done:
    surety_buf_done(&text);
    asker_done(&asker);
}

/* A key occurs again many windows behind the value that does not hold. */
TEST(equal_keys_far_apart)
{
    struct asker asker;
    surety_buf text;
    surety_status status;

    surety_buf_init(&text, NULL, 0);
    NEED(asker_init(&asker, NULL) ? &asker : NULL);
    TRY(asker_compile(&asker, surety_str_of(AB)));
    for (int again = 0; again < 2; again++) {
        surety_buf_reset(&text);
        surety_buf_text(&text, "{\"a\":\"bad\"");
        add_times(&text, ",\"many\":[1,2,{\"a\":\"\\n\"}]", 2000);
        surety_buf_text(&text, again ? ",\"\\u0061\":1}" : ",\"a \":1}");
        TRY(text.status);
        CHECK(asker_ask(t, &asker, surety_buf_str(&text), &status) ==
              (again ? ANSWER_VALID : ANSWER_INVALID));
        CHECK(!t->failed);
    }
done:
    surety_buf_done(&text);
    asker_done(&asker);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"refuses as the reader does", refuses_as_the_reader_does},
        {"follows the flags", follows_the_flags},
        {"keeps each limit", keeps_each_limit},
        {"says what is misused", says_what_is_misused},
        {"goes on after want of memory", goes_on_after_want_of_memory},
        {"the last of equal keys counts", the_last_of_equal_keys_counts},
        {"unions with a tag", unions_with_a_tag},
        {"names and numbers", names_and_numbers},
        {"every kind of applicator", every_kind_of_applicator},
        {"ten thousand levels", ten_thousand_levels},
        {"values across windows", values_across_windows},
        {"equal keys far apart", equal_keys_far_apart},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
