/* SPDX-License-Identifier: Apache-2.0 */
/* The strict reader: what it takes, what it refuses and how it says so, limits
 * at their edges, and texts cut at every byte. */
#include "json/tokens.h"
#include "check.h"

#include <surety/json.h>

#include <stdlib.h>
#include <string.h>

struct refused {
    const char *text;
    size_t offset, length;
    const char *message;
};

static const struct refused refused[] = {
    /* structure */
    {"", 0, 0, "the text is empty"},
    {" \n\t ", 4, 0, "the text is empty"},
    {"[1,]", 3, 1, "a comma is not allowed before ]"},
    {"{\"a\":1,}", 7, 1, "a comma is not allowed before }"},
    {"[1 \"b\"]", 3, 3,
     "expected a comma or ] after an array item, found \"b\""},
    {"[1}", 2, 1, "expected a comma or ] after an array item, found }"},
    {"{\"a\":1 b}", 7, 1, "expected a comma or } after a member, found \"b\""},
    {"{\"a\" 1}", 5, 1, "expected a colon after a key, found \"1\""},
    {"{\"a\":}", 5, 1, "a value is missing after a colon"},
    {"{\"a\":,}", 5, 1, "a value is missing before a comma"},
    {"[,]", 1, 1, "a value is missing before a comma"},
    {"{,}", 1, 1, "expected a key or }, found ,"},
    {"{1:2}", 1, 1, "a key must be in double quotes, found \"1\""},
    {"{a:2}", 1, 1, "a key must be in double quotes, found \"a\""},
    {"[", 1, 0, "the text ends inside an array"},
    {"[1", 2, 0, "the text ends inside an array"},
    {"[1,", 3, 0, "the text ends inside an array"},
    {"{", 1, 0, "the text ends inside an object"},
    {"{\"a\"", 4, 0, "the text ends after a key"},
    {"{\"a\":", 5, 0, "the text ends after a colon"},
    {"{\"a\":1", 6, 0, "the text ends inside an object"},
    {"]", 0, 1, "expected a value, found ]"},
    {"1 2", 2, 1, "a second value follows the first"},
    {"{} x", 3, 1, "nothing may follow the value, found \"x\""},
    {"{}}", 2, 1, "nothing may follow the value, found }"},
    {"\xEF\xBB\xBF{}", 0, 3,
     "the text begins with a UTF-8 byte order mark (BOM)"},
    {"\xFF\xFE{", 0, 1, "the text is UTF-16, not UTF-8"},
    {"[1\f]", 2, 1, "expected a comma or ] after an array item, found U+000C"},
    {"\x80", 0, 1, "expected a value, found the byte 0x80"},
    /* other languages */
    {"NaN", 0, 3, "NaN is not JSON"},
    {"[Infinity]", 1, 8, "Infinity is not JSON"},
    {"[-Infinity]", 1, 9, "-Infinity is not JSON"},
    {"[True]", 1, 4, "True is not JSON"},
    {"None", 0, 4, "None is not JSON"},
    {"tru", 0, 3, "expected a value, found \"tru\""},
    {"truex", 4, 1, "nothing may follow the value, found \"x\""},
    {"'a'", 0, 1, "a string must be in double quotes"},
    {"{'a':1}", 1, 1, "a string must be in double quotes"},
    {"// a\n1", 0, 1, "comments are not JSON"},
    {"[1, /* a */ 2]", 4, 1, "comments are not JSON"},
    {"[1 # a\n]", 3, 1, "comments are not JSON"},
    {"{} // a", 3, 1, "comments are not JSON"},
    /* numbers */
    {"01", 0, 2, "numbers may not begin with 0"},
    {"-01", 1, 2, "numbers may not begin with 0"},
    {"-", 1, 0, "the text ends inside a number"},
    {"[-]", 2, 1, "a digit must follow -, found ]"},
    {"+1", 0, 2, "numbers may not begin with +"},
    {".5", 0, 2, "numbers may not begin with ."},
    {"[1.]", 3, 1, "a digit must follow the decimal point, found ]"},
    {"[1.e1]", 3, 2, "a digit must follow the decimal point, found \"e1\""},
    {"[1e]", 3, 1, "a digit must follow the exponent's e, found ]"},
    {"[1e+]", 4, 1, "a digit must follow the exponent's e, found ]"},
    {"1e-", 3, 0, "the text ends inside a number"},
    {"0x1", 1, 2, "nothing may follow the value, found \"x1\""},
    {"1_0", 1, 2, "nothing may follow the value, found \"_0\""},
    /* strings */
    {"\"a", 2, 0, "the text ends inside a string"},
    {"\"\\", 2, 0, "the text ends inside a string"},
    {"\"a\nb\"", 2, 1, "control character U+000A in a string must be escaped"},
    {"\"a\x1f\"", 2, 1, "control character U+001F in a string must be escaped"},
    {"\"\\n\t\"", 3, 1, "control character U+0009 in a string must be escaped"},
    {"\"\\x41\"", 1, 2, "\\x is no escape of JSON"},
    {"\"\\U0041\"", 1, 2, "\\U is no escape of JSON"},
    {"\"\\u12G4\"", 1, 6,
     "four hexadecimal digits must follow \\u, found \\u12G4"},
    {"\"\\u12\"", 1, 4, "four hexadecimal digits must follow \\u, found \\u12"},
    {"\"\\ud800\"", 1, 6, "\\ud800 is half of a surrogate pair"},
    {"\"\\udc00\"", 1, 6, "\\udc00 is half of a surrogate pair"},
    {"\"\\ud800\\u0041\"", 1, 6, "\\ud800 is half of a surrogate pair"},
    {"\"\\ud800\\ud800\"", 1, 6, "\\ud800 is half of a surrogate pair"},
    {"\"\\ud800\\u00\"", 7, 4,
     "four hexadecimal digits must follow \\u, found \\u00"},
    /* UTF-8 (RFC 3629): lone, cut, overlong, surrogate, above U+10FFFF */
    {"\"\x80\"", 1, 1, "invalid UTF-8: byte 0x80"},
    {"\"\xC3\"", 1, 1, "invalid UTF-8: byte 0xC3"},
    {"\"\xC0\xAF\"", 1, 1, "invalid UTF-8: byte 0xC0"},
    {"\"\xE0\x80\x80\"", 1, 1, "invalid UTF-8: byte 0xE0"},
    {"\"\xED\xA0\x80\"", 1, 1, "invalid UTF-8: byte 0xED"},
    {"\"\xE2\x82\"", 1, 2, "invalid UTF-8: byte 0xE2"},
    {"\"\xF0\x80\x80\x80\"", 1, 1, "invalid UTF-8: byte 0xF0"},
    {"\"\xF0\x9F\x98\"", 1, 3, "invalid UTF-8: byte 0xF0"},
    {"\"\xF4\x90\x80\x80\"", 1, 1, "invalid UTF-8: byte 0xF4"},
    {"\"\xF5\x80\x80\x80\"", 1, 1, "invalid UTF-8: byte 0xF5"},
    {"\"\\n\xFF\"", 3, 1, "invalid UTF-8: byte 0xFF"},
};

TEST(refuses_what_is_no_json)
{
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_error err;

    NEED(doc);
    for (size_t i = 0; i < CHECK_COUNT(refused); i++) {
        const struct refused *want = &refused[i];

        EXPECT(SURETY_SYNTAX,
               surety_doc_read(doc, surety_str_of(want->text), NULL, &err));
        CHECK_TEXT(surety_str_of(err.message), want->message);
        CHECK(err.status == SURETY_SYNTAX);
        CHECK(err.position.offset == want->offset ||
              !printf("# %s: offset %zu\n", want->text, err.position.offset));
        CHECK(err.position.length == want->length ||
              !printf("# %s: length %zu\n", want->text, err.position.length));
        CHECK(err.position.line >= 1);
        CHECK(!surety_doc_root(doc).doc);
        CHECK(surety__doc_size(doc) == 0);
    }
done:
    surety_doc_free(doc);
}

/* A mistake behind any value, and a text that ends behind it, are found: the
 * pass that looks for them steps over every form. */
TEST(finds_mistakes_behind_values)
{
    static const char *const values[] = {"0",
                                         "-0",
                                         "12",
                                         "1.5",
                                         "-10.25",
                                         "1e5",
                                         "1E05",
                                         "1e+5",
                                         "2E-5",
                                         "1.5e10",
                                         "-0.25E-07",
                                         "true",
                                         "false",
                                         "null",
                                         "\"\"",
                                         "\"a\"",
                                         "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
                                         "\"\\u00e9\"",
                                         "\"\\ud83d\\ude00\"",
                                         "\"\xC3\xA9\"",
                                         "\"\xE2\x82\xAC\"",
                                         "\"\xF0\x9F\x98\x80\"",
                                         "[]",
                                         "{}",
                                         "[ ]",
                                         "{ }",
                                         "[1,2]",
                                         "[[1],{}]",
                                         "{\"a\":1}",
                                         "{\"a\":{\"b\":[]}}",
                                         "{ \"a\" : 1 , \"b\" : 2 }"};
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_error err;
    char text[64];

    NEED(doc);
    for (size_t i = 0; i < CHECK_COUNT(values); i++) {
        const size_t len = strlen(values[i]);

        snprintf(text, sizeof(text), "[%s x]", values[i]);
        EXPECT(SURETY_SYNTAX,
               surety_doc_read(doc, surety_str_of(text), NULL, &err));
        CHECK_TEXT(surety_str_of(err.message),
                   "expected a comma or ] after an array item, found \"x\"");
        CHECK(err.position.offset == len + 2 || !printf("# %s\n", text));
        EXPECT(SURETY_SYNTAX,
               surety_doc_read(doc, (surety_str){text, len + 1}, NULL, &err));
        CHECK_TEXT(surety_str_of(err.message), "the text ends inside an array");
        CHECK(err.position.offset == len + 1);
        snprintf(text, sizeof(text), "{\"k\":%s,}", values[i]);
        EXPECT(SURETY_SYNTAX,
               surety_doc_read(doc, surety_str_of(text), NULL, &err));
        CHECK_TEXT(surety_str_of(err.message),
                   "a comma is not allowed before }");
        CHECK(err.position.offset == len + 6);
    }
done:
    surety_doc_free(doc);
}

TEST(hints_at_what_was_meant)
{
    static const struct {
        const char *text, *hint;
    } rows[] = {
        {"[1,]", "remove the last comma"},
        {"{\"a\":1,}", "remove the last comma"},
        {"\"a\nb\"", "write \\n"},
        {"\"a\rb\"", "write \\r"},
        {"\"a\tb\"", "write \\t"},
        {"\"a\x01\"", "write \\u0001"},
        {"\"a\x1f\"", "write \\u001f"},
        {"[True]", "true?"},
        {"[False]", "false?"},
        {"[None]", "null?"},
        {"[NaN]", "null?"},
        {"[Infinity]", "null?"},
        {"undefined", "null?"},
        {"'a'", "write \"...\" instead of '...'"},
        {"`a`", "write \"...\" instead of `...`"},
        {"{a:1}", ""},
        {"// a\n1", "remove the comment"},
        {"[1 # a\n]", "remove the comment"},
        {"01", "leave the leading zeros out"},
        {"+1", "leave the sign out"},
        {".5", "write a 0 before the point"},
        {"1.", "it looks cut off"},
        {"\"a", "it looks cut off"},
        {"[", "it looks cut off"},
        {"\"\\'\"", "a backslash itself is written \\\\"},
        {"\"\\ud800\"",
         "a pair is \\ud800 to \\udbff and then \\udc00 to \\udfff"},
        {"\"\\u12\"", ""},
        {"1 2", "a JSON text has exactly one value"},
        {"{} {}", "a JSON text has exactly one value"},
        {"\xEF\xBB\xBF{}", "remove the first three bytes"},
        {"\xFE\xFF{", "convert it to UTF-8"},
        {"tru", "strings need double quotes"},
        {"[1 2]", ""},
        {"{\"a\" 1}", ""},
        {"\"\xC3\"", ""},
    };
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_error err;

    NEED(doc);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        EXPECT(SURETY_SYNTAX,
               surety_doc_read(doc, surety_str_of(rows[i].text), NULL, &err));
        CHECK_TEXT(surety_str_of(err.hint), rows[i].hint);
    }
done:
    surety_doc_free(doc);
}

TEST(refuses_nul_and_hints)
{
    static const char nul[] = "[1\0]";
    static const char inside[] = "\"a\0\"";
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_error err;

    NEED(doc);
    EXPECT(SURETY_SYNTAX,
           surety_doc_read(doc, (surety_str){nul, 4}, NULL, &err));
    CHECK(err.position.offset == 2);
    EXPECT(SURETY_SYNTAX,
           surety_doc_read(doc, (surety_str){inside, 4}, NULL, &err));
    CHECK(err.position.offset == 2);
    EXPECT(SURETY_SYNTAX,
           surety_doc_read(doc, surety_str_of("\n [True]"), NULL, &err));
    CHECK_TEXT(surety_str_of(err.hint), "true?");
    CHECK(err.position.line == 2 && err.position.column == 3);
    EXPECT(SURETY_SYNTAX, surety_doc_read(doc, surety_str_of("["), NULL, NULL));
    EXPECT(SURETY_MISUSE,
           surety_doc_read(doc, (surety_str){NULL, 1}, NULL, &err));
    EXPECT(SURETY_MISUSE,
           surety_doc_read(NULL, surety_str_of("1"), NULL, &err));
done:
    surety_doc_free(doc);
}

TEST(decodes_strings)
{
    static const struct {
        const char *text, *want;
        size_t len;
    } strings[] = {
        {"\"\"", "", 0},
        {"\"abc\"", "abc", 3},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8},
        {"\"\\u0000\"", "\0", 1},
        {"\"a\\u0041\\u00e9\\u20AC\"", "aA\xC3\xA9\xE2\x82\xAC", 7},
        {"\"\\ud83d\\ude00!\"", "\xF0\x9F\x98\x80!", 5},
        {"\"\\uDBFF\\uDFFF\"", "\xF4\x8F\xBF\xBF", 4},
        {"\"\xC2\x80\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\"",
         "\xC2\x80\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80", 13},
        {"\"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\\n\xEF\xBF\xBF\"",
         "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\n\xEF\xBF\xBF", 12},
        {"\"0123456789abcdef0123456789abcdef\\\\0123456789abcdef\xC3\xA9\"",
         "0123456789abcdef0123456789abcdef\\0123456789abcdef\xC3\xA9", 51},
        {"\"\x7f\"", "\x7f", 1},
    };
    surety_doc *doc = surety_doc_new(check_alloc(t));

    NEED(doc);
    for (size_t i = 0; i < CHECK_COUNT(strings); i++) {
        surety_str got;

        TRY(surety_doc_read(doc, surety_str_of(strings[i].text), NULL, NULL));
        got = surety_val_str(surety_doc_root(doc));
        CHECK(got.len == strings[i].len);
        CHECK(memcmp(got.ptr, strings[i].want, got.len) == 0);
    }
done:
    surety_doc_free(doc);
}

TEST(takes_every_form)
{
    static const char *const texts[] = {
        "0",           "-0",           "1.5",     "-1.5E+10",
        "1e0",         "0.0",          "0e1",     "true",
        "false",       "null",         "[]",      "{}",
        " [ ] ",       "\r\n{\t} ",    "[[],{}]", "{\"a\":{\"b\":[null]}}",
        "{\"\":0}",    "[1,2,3]",      "\"\"",    "9223372036854775808",
        "1e999999999", "[\"\\u0000\"]"};
    surety_read_options options = {.size = sizeof(options),
                                   .flags = SURETY_READ_SKIP_BOM};
    surety_doc *doc = surety_doc_new(check_alloc(t));

    NEED(doc);
    CHECK(!surety_doc_root(doc).doc);
    for (size_t i = 0; i < CHECK_COUNT(texts); i++) {
        TRY(surety_doc_read(doc, surety_str_of(texts[i]), NULL, NULL));
        CHECK(surety_doc_root(doc).doc == doc);
    }
    TRY(surety_doc_read(doc, surety_str_of("\xEF\xBB\xBF 1"), &options, NULL));
    CHECK(surety_val_int(surety_doc_root(doc), 0) == 1);
    EXPECT(SURETY_SYNTAX,
           surety_doc_read(doc, surety_str_of("\xEF\xBB\xBF"), &options, NULL));
    EXPECT(SURETY_SYNTAX, surety_doc_read(doc, surety_str_of("1 \xEF\xBB\xBF"),
                                          &options, NULL));
done:
    surety_doc_free(doc);
}

/* ---- limits ------------------------------------------------------------ */

/* Reads text under limits and gives the status; err tells more. */
static surety_status read_under(surety_doc *doc, const char *text,
                                const surety_limits *limits, surety_error *err)
{
    surety_read_options options = {.size = sizeof(options), .limits = limits};

    return surety_doc_read(doc, surety_str_of(text), &options, err);
}

TEST(keeps_limits)
{
    surety_limits limits = {.size = sizeof(limits),
                            .text_bytes_max = 20,
                            .depth_max = 3,
                            .number_len_max = 4,
                            .string_len_max = 3,
                            .key_len_max = 2,
                            .values_max = 5};
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_error err;

    NEED(doc);
    TRY(read_under(doc, "1                   ", &limits, &err));
    TRY(read_under(doc, "1                  ", &limits, &err));
    EXPECT(SURETY_LIMIT,
           read_under(doc, "1                    ", &limits, &err));
    CHECK_TEXT(surety_str_of(err.message),
               "the text has 21 bytes, more than the limit text_bytes_max of "
               "20");
    TRY(read_under(doc, "[[]]", &limits, &err));
    TRY(read_under(doc, "[[{}]]", &limits, &err));
    EXPECT(SURETY_LIMIT, read_under(doc, "[[{\"\":[]}]]", &limits, &err));
    CHECK_TEXT(surety_str_of(err.message),
               "arrays and objects are nested deeper than the limit depth_max "
               "of 3");
    CHECK(err.position.offset == 6 && err.position.length == 1);
    TRY(read_under(doc, "[123,1234]", &limits, &err));
    TRY(read_under(doc, "-1.5", &limits, &err));
    EXPECT(SURETY_LIMIT, read_under(doc, "[12345]", &limits, &err));
    CHECK_TEXT(surety_str_of(err.message),
               "a number has 5 characters, more than the limit number_len_max "
               "of 4");
    CHECK(err.position.offset == 1 && err.position.length == 5);
    EXPECT(SURETY_LIMIT, read_under(doc, "-1.55", &limits, &err));
    TRY(read_under(doc, "[\"abc\",\"\\u0041bc\"]", &limits, &err));
    EXPECT(SURETY_LIMIT, read_under(doc, "[\"abcd\"]", &limits, &err));
    CHECK_TEXT(surety_str_of(err.message),
               "a string is longer than the limit string_len_max of 3 bytes");
    CHECK(err.position.offset == 1 && err.position.length == 6);
    EXPECT(SURETY_LIMIT, read_under(doc, "\"\\u0041bcd\"", &limits, &err));
    TRY(read_under(doc, "{\"a\":1,\"ab\":2}", &limits, &err));
    EXPECT(SURETY_LIMIT, read_under(doc, "{\"abc\":1}", &limits, &err));
    CHECK_TEXT(surety_str_of(err.message),
               "a key is longer than the limit key_len_max of 2 bytes");
    TRY(read_under(doc, "[1,2,3]", &limits, &err));
    TRY(read_under(doc, "[1,2,3,4]", &limits, &err));
    CHECK(surety__doc_size(doc) == 5);
    EXPECT(SURETY_LIMIT, read_under(doc, "[1,2,3,4,5]", &limits, &err));
    CHECK_TEXT(surety_str_of(err.message),
               "the text has more values than the limit values_max of 5");
    CHECK(err.position.offset == 9);
    EXPECT(SURETY_LIMIT,
           read_under(doc, "{\"a\":{},\"b\":[1]}", &limits, &err));
    EXPECT(SURETY_LIMIT, read_under(doc, "[[[[", &limits, NULL));
done:
    surety_doc_free(doc);
}

/* count times the unit, from the test's allocator. */
static char *repeat(struct check *t, const char *unit, size_t count)
{
    const surety_alloc *alloc = check_alloc(t);
    size_t len = strlen(unit);
    char *text = alloc->resize(alloc->ctx, NULL, 0, len * count);

    for (size_t i = 0; text && i < count; i++)
        memcpy(text + i * len, unit, len);
    return text;
}

static void release(struct check *t, char *text, size_t size)
{
    const surety_alloc *alloc = check_alloc(t);

    if (text)
        alloc->resize(alloc->ctx, text, size, 0);
}

TEST(ends_hostile_nesting_early)
{
    const size_t count = 10000000;
    surety_read_options options = {.size = sizeof(options),
                                   .flags = SURETY_READ_BORROW};
    surety_doc *doc = surety_doc_new(check_alloc(t));
    char *text = repeat(t, "[", count);
    surety_error err;

    NEED(doc);
    NEED(text);
    EXPECT(SURETY_LIMIT,
           surety_doc_read(doc, (surety_str){text, count}, &options, &err));
    CHECK(err.position.offset == 512);
    for (size_t i = 0; i + 5 <= count; i += 5)
        memcpy(text + i, "{\"a\":", 5);
    EXPECT(SURETY_LIMIT,
           surety_doc_read(doc, (surety_str){text, count}, &options, &err));
    CHECK(err.position.offset == 5 * 512);
    for (size_t i = 0; i < 1024; i++)
        text[i] = i < 512 ? '[' : ']';
    TRY(surety_doc_read(doc, (surety_str){text, 1024}, &options, &err));
    CHECK(surety__doc_size(doc) == 512);
done:
    release(t, text, count);
    surety_doc_free(doc);
}

TEST(bounds_long_numbers)
{
    const size_t count = 1 << 20;
    surety_limits limits = {.size = sizeof(limits),
                            .number_len_max = UINT32_MAX};
    surety_read_options options = {.size = sizeof(options), .limits = &limits};
    surety_doc *doc = surety_doc_new(check_alloc(t));
    char *text = repeat(t, "7", count);
    surety_error err;

    NEED(doc);
    NEED(text);
    EXPECT(SURETY_LIMIT,
           surety_doc_read(doc, (surety_str){text, count}, NULL, &err));
    CHECK(err.position.offset == 0 && err.position.length == count);
    TRY(surety_doc_read(doc, (surety_str){text, 999}, NULL, &err));
    TRY(surety_doc_read(doc, (surety_str){text, 1000}, NULL, &err));
    CHECK(surety_val_number(surety_doc_root(doc)).len == 1000);
    EXPECT(SURETY_LIMIT,
           surety_doc_read(doc, (surety_str){text, 1001}, NULL, &err));
    /* Exact arithmetic sets a bound of its own. */
    TRY(surety_doc_read(doc, (surety_str){text, 2048}, &options, &err));
    EXPECT(SURETY_LIMIT,
           surety_doc_read(doc, (surety_str){text, 2049}, &options, &err));
done:
    release(t, text, count);
    surety_doc_free(doc);
}

/* ---- memory ------------------------------------------------------------ */

static const char everything[] =
    "{\"a\":[1,-2.5e3,true,false,null,\"x\"],\"b\\n\":{\"\\ud83d\\ude00\":"
    "\"y\xC3"
    "\xA9\xE2\x82\xAC\"},\"a long key, longer than a block\":"
    "\"a long string, also longer than a block\",\"b\\n\":{\"c\":[]}}";

TEST(reads_again_without_allocating)
{
    surety_doc *doc = surety_doc_new(check_alloc(t));
    size_t made;

    NEED(doc);
    TRY(surety_doc_read(doc, surety_str_of(everything), NULL, NULL));
    made = t->made;
    for (int i = 0; i < 3; i++) {
        TRY(surety_doc_read(doc, surety_str_of(everything), NULL, NULL));
        TRY(surety_doc_read(doc, surety_str_of("[\"\\n\"]"), NULL, NULL));
        EXPECT(SURETY_SYNTAX,
               surety_doc_read(doc, surety_str_of("[\"\\n\""), NULL, NULL));
    }
    CHECK(t->made == made);
done:
    surety_doc_free(doc);
}

/* Every prefix, in memory of exactly its size, is refused at its end (or is a
 * mistake before); the same copied and borrowed. */
TEST(reads_no_byte_past_the_end)
{
    surety_read_options options = {.size = sizeof(options),
                                   .flags = SURETY_READ_BORROW};
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_error copied, borrowed;
    char *text = NULL;
    size_t len = 0;

    NEED(doc);
    for (; len < sizeof(everything) - 1; len++) {
        text = repeat(t, "?", len ? len : 1);
        NEED(text);
        memcpy(text, everything, len);
        EXPECT(SURETY_SYNTAX, surety_doc_read(doc, (surety_str){text, len},
                                              &options, &borrowed));
        EXPECT(SURETY_SYNTAX,
               surety_doc_read(doc, (surety_str){text, len}, NULL, &copied));
        CHECK(strcmp(copied.message, borrowed.message) == 0);
        CHECK(copied.position.offset == borrowed.position.offset);
        CHECK(copied.position.offset <= len);
        release(t, text, len ? len : 1);
        text = NULL;
    }
    text = repeat(t, "?", len);
    NEED(text);
    memcpy(text, everything, len);
    TRY(surety_doc_read(doc, (surety_str){text, len}, &options, NULL));
    CHECK(surety_doc_text(doc).ptr == text);
    CHECK(doc->duplicate_count == 1);
done:
    release(t, text, len ? len : 1);
    surety_doc_free(doc);
}

/* ---- duplicate keys ---------------------------------------------------- */

TEST(lets_the_last_duplicate_count)
{
    surety_read_options options = {.size = sizeof(options),
                                   .flags = SURETY_READ_UNIQUE_KEYS};
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_position position;
    surety_error err;
    surety_str key;

    NEED(doc);
    TRY(surety_doc_read(doc,
                        surety_str_of("[{\"a\":[1,{\"x\":1,\"x\":2}],\"b\":3,"
                                      "\"\\u0061\":4,\"c\":{\"d\":5,\"d\":6},"
                                      "\"a\":[7]},8]"),
                        NULL, NULL));
    CHECK_JSON(surety_doc_root(doc), "[{\"b\":3,\"c\":{\"d\":6},\"a\":[7]},8]");
    CHECK(surety_val_count(surety_doc_root(doc)) == 2);
    CHECK(doc->duplicate_count == 4);
    TRY(surety_doc_duplicate(doc, 0, &key, &position, NULL));
    CHECK_TEXT(key, "a");
    CHECK(position.offset == 2 && position.length == 3);
    TRY(surety_doc_duplicate(doc, 1, &key, &position, NULL));
    CHECK_TEXT(key, "x");
    TRY(surety_doc_duplicate(doc, 2, &key, &position, NULL));
    CHECK_TEXT(key, "a");
    CHECK(position.offset == 30 && position.length == 8);
    TRY(surety_doc_duplicate(doc, 3, NULL, NULL, NULL));
    TRY(surety_doc_duplicate(doc, 0, NULL, NULL, &position));
    CHECK(position.offset == 30 && position.length == 8 && position.column);
    TRY(surety_doc_duplicate(doc, 1, NULL, NULL, &position));
    CHECK(position.offset == 16 && position.length == 3);
    TRY(surety_doc_duplicate(doc, 2, NULL, NULL, &position));
    CHECK(position.offset == 59 && position.length == 3);
    TRY(surety_doc_duplicate(doc, 3, NULL, NULL, &position));
    CHECK(position.line == 1);
    EXPECT(SURETY_END, surety_doc_duplicate(NULL, 0, NULL, NULL, &position));
    EXPECT(SURETY_END, surety_doc_duplicate(doc, 4, &key, &position, NULL));
    EXPECT(SURETY_SYNTAX,
           surety_doc_read(doc,
                           surety_str_of("{\"a\":1,\"b\":2,\"\\u0061\":3,"
                                         "\"b\":4}"),
                           &options, &err));
    CHECK_TEXT(surety_str_of(err.message),
               "the object has the key \"\\u0061\" twice");
    CHECK(err.position.offset == 13 && err.position.length == 8);
    TRY(surety_doc_read(doc, surety_str_of("{\"a\":{\"a\":1},\"A\":2}"),
                        &options, &err));
done:
    surety_doc_free(doc);
}

/* Members of names that come again: on both sides of where the search for equal
 * keys changes, with few that are equal and with many. */
TEST(finds_duplicates_among_many)
{
    static const unsigned counts[] = {30,   64,   65,   66,   127,  128,  129,
                                      1000, 4095, 4096, 4097, 9000, 20000};
    static unsigned last[20000]; /* of a name: the number of its last member */
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    NEED(doc);
    for (size_t k = 0; k < 2 * CHECK_COUNT(counts); k++) {
        const unsigned count = counts[k / 2];
        const unsigned names = k % 2 ? count / 40 + 1 : 20000;
        unsigned distinct = 0;

        memset(last, 0, sizeof(last));
        surety_buf_reset(&out);
        for (unsigned i = 1; i <= count; i++) {
            const unsigned name = i * 2654435761u % names;

            distinct += !last[name];
            last[name] = i;
            surety_buf_text(&out, i > 1 ? ",\"" : "{\"");
            surety_buf_number(&out, name);
            surety_buf_text(&out, i % 3 ? "\":" : "\":{\"7\":");
            surety_buf_number(&out, i);
            surety_buf_text(&out, i % 3 ? "" : "}");
        }
        surety_buf_byte(&out, '}');
        TRY(out.status);
        TRY(surety_doc_read(doc, surety_buf_str(&out), NULL, NULL));
        CHECK(surety_val_count(surety_doc_root(doc)) == distinct);
        SURETY_EACH (member, surety_doc_root(doc)) {
            const surety_val inner = surety_val_first(member);
            const surety_str name = surety_val_str(surety_val_key(member));

            CHECK(surety_val_uint(inner.doc ? inner : member, 0) ==
                  last[strtoul(name.ptr, NULL, 10)]);
        }
    }
done:
    surety_buf_done(&out);
    surety_doc_free(doc);
}

/* So many other keys are in the first of the two that each place of the
 * reader's table was taken by one of them. */
TEST(finds_duplicates_around_many)
{
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    NEED(doc);
    surety_buf_text(&out, "{\"a\":[{\"b\":{");
    for (unsigned i = 0; i < 5000; i++) {
        surety_buf_text(&out, i ? ",\"k" : "\"k");
        surety_buf_number(&out, i);
        surety_buf_text(&out, "\":0");
    }
    surety_buf_text(&out, "},\"b\":1}],\"a\":2}");
    TRY(out.status);
    TRY(surety_doc_read(doc, surety_buf_str(&out), NULL, NULL));
    CHECK(doc->duplicate_count == 2);
    CHECK(surety_val_uint(surety_val_get(surety_doc_root(doc), "a"), 0) == 2);
done:
    surety_buf_done(&out);
    surety_doc_free(doc);
}

/* 100,000 equal keys, nested 500 deep besides: linear, or this takes minutes.
 */
TEST(stays_fast_with_many_duplicates)
{
    const unsigned count = 100000;
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    NEED(doc);
    for (unsigned i = 0; i < 500; i++)
        surety_buf_text(&out, "{\"a\":1,\"a\":");
    surety_buf_byte(&out, '{');
    for (unsigned i = 0; i < count; i++)
        surety_buf_text(&out, i ? ",\"same\":0" : "\"same\":0");
    surety_buf_byte(&out, '}');
    for (unsigned i = 0; i < 500; i++)
        surety_buf_byte(&out, '}');
    TRY(out.status);
    TRY(surety_doc_read(doc, surety_buf_str(&out), NULL, NULL));
    CHECK(doc->duplicate_count == count - 1 + 500);
    CHECK(surety__doc_size(doc) == 1003);
    CHECK(surety_doc_duplicate(doc, 63, NULL, NULL, NULL) == SURETY_OK);
    CHECK(surety_doc_duplicate(doc, 64, NULL, NULL, NULL) == SURETY_END);
done:
    surety_buf_done(&out);
    surety_doc_free(doc);
}

/* The bytes that are held through an allocator. */
struct held {
    const surety_alloc *from;
    size_t bytes;
};

static void *held_resize(void *ctx, void *ptr, size_t size_old, size_t size)
{
    struct held *held = ctx;
    void *block = held->from->resize(held->from->ctx, ptr, size_old, size);

    if (block || !size)
        held->bytes += size - size_old;
    return block;
}

/* A document is its cells of 16 bytes: it holds half as much more at most, as
 * strings in an array have three tokens each; and half of that again, if the
 * cells grew while it was read. */
TEST(holds_little_besides_its_cells)
{
    static const char *const units[] = {
        "1,",
        "\"x\",",
        "[],",
        "[[[[[[1]]]]]],",
        "{\"a\":true,\"b\":\"x\"},",
        "{\"id\":1,\"tags\":[{\"name\":null}],\"of\":{\"a\":{}}},",
    };
    const surety_read_options options = {.size = sizeof(options),
                                         .flags = SURETY_READ_BORROW};
    struct held held = {.from = check_alloc(t)};
    const surety_alloc alloc = {held_resize, &held};
    surety_doc *doc = NULL;
    surety_buf text;

    surety_buf_init(&text, check_alloc(t), 0);
    /* What the reader needs besides is on the stack: json.h gives the sum. */
    CHECK(sizeof(surety__tokens) < 23 << 10);
    for (size_t i = 0; i < CHECK_COUNT(units); i++)
        for (size_t count = 0; count < 5000; count += count / 2 + 1) {
            size_t most;

            surety_buf_reset(&text);
            surety_buf_byte(&text, '[');
            for (size_t k = 0; k < count; k++)
                surety_buf_text(&text, units[i]);
            surety_buf_text(&text, "0]");
            TRY(text.status);
            doc = surety_doc_new(&alloc);
            NEED(doc);
            CHECK(held.bytes < 400);
            TRY(surety_doc_read(doc, surety_buf_str(&text), &options, NULL));
            most =
                surety__doc_size(doc) * (text.len <= TOKENS_WINDOW ? 24 : 36);
            CHECK(held.bytes <= most + 1000);
            surety_doc_free(doc);
            doc = NULL;
            CHECK(held.bytes == 0);
        }
done:
    surety_buf_done(&text);
    surety_doc_free(doc);
}

/* A string without a closing quote that has an escape: whatever its length, no
 * byte is written behind its copy (the sanitizer sees it). */
TEST(no_quote_closes_an_escape)
{
    char text[200];
    surety_doc *doc = surety_doc_new(check_alloc(t));

    NEED(doc);
    for (size_t len = 4; len < sizeof(text); len++) {
        memset(text, 'a', len);
        text[0] = '"';
        text[1] = '\\';
        text[2] = 'n';
        EXPECT(SURETY_SYNTAX,
               surety_doc_read(doc, (surety_str){text, len}, NULL, NULL));
        surety_doc_free(doc);
        doc = surety_doc_new(check_alloc(t));
        NEED(doc);
    }
done:
    surety_doc_free(doc);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"no quote closes an escape", no_quote_closes_an_escape},
        {"refuses what is no JSON", refuses_what_is_no_json},
        {"finds mistakes behind values", finds_mistakes_behind_values},
        {"hints at what was meant", hints_at_what_was_meant},
        {"refuses NUL, gives hints", refuses_nul_and_hints},
        {"decodes strings", decodes_strings},
        {"takes every form", takes_every_form},
        {"keeps limits", keeps_limits},
        {"ends hostile nesting early", ends_hostile_nesting_early},
        {"bounds long numbers", bounds_long_numbers},
        {"reads again without allocating", reads_again_without_allocating},
        {"reads no byte past the end", reads_no_byte_past_the_end},
        {"lets the last duplicate count", lets_the_last_duplicate_count},
        {"finds duplicates among many", finds_duplicates_among_many},
        {"finds duplicates around many", finds_duplicates_around_many},
        {"stays fast with many duplicates", stays_fast_with_many_duplicates},
        {"holds little besides its cells", holds_little_besides_its_cells},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
