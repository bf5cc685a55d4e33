/* SPDX-License-Identifier: Apache-2.0 */
/* URI references: the examples of RFC 3986, 5.4, and what schemas do. */
#include "check.h"
#include "schema/uri.h"

struct uri_case {
    const char *base, *reference, *want;
};

#define RFC "http://a/b/c/d;p?q"

static const struct uri_case uri_cases[] = {
    /* RFC 3986, 5.4.1 */
    {RFC, "g:h", "g:h"},
    {RFC, "g", "http://a/b/c/g"},
    {RFC, "./g", "http://a/b/c/g"},
    {RFC, "g/", "http://a/b/c/g/"},
    {RFC, "/g", "http://a/g"},
    {RFC, "//g", "http://g"},
    {RFC, "?y", "http://a/b/c/d;p?y"},
    {RFC, "g?y", "http://a/b/c/g?y"},
    {RFC, "#s", "http://a/b/c/d;p?q#s"},
    {RFC, "g#s", "http://a/b/c/g#s"},
    {RFC, "g?y#s", "http://a/b/c/g?y#s"},
    {RFC, ";x", "http://a/b/c/;x"},
    {RFC, "g;x", "http://a/b/c/g;x"},
    {RFC, "g;x?y#s", "http://a/b/c/g;x?y#s"},
    {RFC, "", "http://a/b/c/d;p?q"},
    {RFC, ".", "http://a/b/c/"},
    {RFC, "./", "http://a/b/c/"},
    {RFC, "..", "http://a/b/"},
    {RFC, "../", "http://a/b/"},
    {RFC, "../g", "http://a/b/g"},
    {RFC, "../..", "http://a/"},
    {RFC, "../../", "http://a/"},
    {RFC, "../../g", "http://a/g"},
    /* 5.4.2 */
    {RFC, "../../../g", "http://a/g"},
    {RFC, "../../../../g", "http://a/g"},
    {RFC, "/./g", "http://a/g"},
    {RFC, "/../g", "http://a/g"},
    {RFC, "g.", "http://a/b/c/g."},
    {RFC, ".g", "http://a/b/c/.g"},
    {RFC, "g..", "http://a/b/c/g.."},
    {RFC, "..g", "http://a/b/c/..g"},
    {RFC, "./../g", "http://a/b/g"},
    {RFC, "./g/.", "http://a/b/c/g/"},
    {RFC, "g/./h", "http://a/b/c/g/h"},
    {RFC, "g/../h", "http://a/b/c/h"},
    {RFC, "g;x=1/./y", "http://a/b/c/g;x=1/y"},
    {RFC, "g;x=1/../y", "http://a/b/c/y"},
    {RFC, "g?y/./x", "http://a/b/c/g?y/./x"},
    {RFC, "g?y/../x", "http://a/b/c/g?y/../x"},
    {RFC, "g#s/./x", "http://a/b/c/g#s/./x"},
    {RFC, "g#s/../x", "http://a/b/c/g#s/../x"},
    {RFC, "http:g", "http:g"},
    /* a base without hierarchy */
    {"urn:uuid:1-2", "#/$defs/a", "urn:uuid:1-2#/$defs/a"},
    {"urn:uuid:1-2#old", "", "urn:uuid:1-2"},
    {"urn:example:a", "urn:example:b#c", "urn:example:b#c"},
    {"urn:example:a", "item.json", "urn:item.json"},
    {"tag:example.com,2026:a", "#x", "tag:example.com,2026:a#x"},
    /* no base */
    {"", "", ""},
    {"", "#a", "#a"},
    {"", "a/b.json#c", "a/b.json#c"},
    {"", "./a/../b", "b"},
    {"", "../a", "a"},
    {"", "/a/./b", "/a/b"},
    {"a/b.json", "c.json", "a/c.json"},
    {"a/b.json", "#x", "a/b.json#x"},
    {"b.json", "c.json", "c.json"},
    /* the merge of an empty path with an authority (5.2.3) */
    {"http://a", "g", "http://a/g"},
    {"http://a?q", "g", "http://a/g"},
    {"http://a", "", "http://a"},
    /* what would be read as something else */
    {"file:/a/b", ".//c", "file:/a//c"},
    {"file:/a", "/.//c", "file:/.//c"},
    {"", "./this:that", "./this:that"},
    {"a/b", "./x:y", "a/x:y"},
    /* empty segments are segments */
    {"http://a/b//c", "../d", "http://a/b/d"},
    {"http://a/", "b//../c", "http://a/b/c"},
    /* letters and escapes stay */
    {"HTTP://A.example/%7Eb", "%2e%2E/C", "HTTP://A.example/%2e%2E/C"},
    /* IRIs and what is no URI at all are carried along */
    {"http://a/b", "\xc3\xa9 |", "http://a/\xc3\xa9 |"},
};

TEST(resolves)
{
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(uri_cases); i++) {
        surety_buf_reset(&out);
        TRY(surety__uri_resolve(surety_str_of(uri_cases[i].base),
                                surety_str_of(uri_cases[i].reference), &out));
        CHECK_TEXT(surety_buf_str(&out), uri_cases[i].want);
    }
done:
    surety_buf_done(&out);
}

TEST(appends_and_keeps_to_the_bound)
{
    surety_buf out;
    surety_buf tight;

    surety_buf_init(&out, check_alloc(t), 0);
    surety_buf_init(&tight, check_alloc(t), 10);
    surety_buf_text(&out, "<");
    TRY(surety__uri_resolve(surety_str_of("http://a/b"), surety_str_of("../c"),
                            &out));
    CHECK_TEXT(surety_buf_str(&out), "<http://a/c");
    TRY(surety__uri_resolve(surety_str_of("http://a/"), surety_str_of("b"),
                            &tight));
    surety_buf_reset(&tight);
    EXPECT(SURETY_LIMIT, surety__uri_resolve(surety_str_of("http://a/"),
                                             surety_str_of("bc"), &tight));
    surety_buf_reset(&tight);
    TRY(surety__uri_resolve(surety_str_of(""), surety_str_of("./ab:56789"),
                            &tight));
    CHECK_TEXT(surety_buf_str(&tight), "./ab:56789");
done:
    surety_buf_done(&out);
    surety_buf_done(&tight);
}

TEST(splits_at_the_first_hash)
{
    surety_str absolute, fragment;

    surety__uri_split(surety_str_of("a:b#c#d"), &absolute, &fragment);
    CHECK_TEXT(absolute, "a:b");
    CHECK_TEXT(fragment, "c#d");
    surety__uri_split(surety_str_of("#"), &absolute, &fragment);
    CHECK(!absolute.len && !fragment.len);
    surety__uri_split(surety_str_of("a:b"), &absolute, &fragment);
    CHECK_TEXT(absolute, "a:b");
    CHECK(!fragment.len);
    surety__uri_split((surety_str){NULL, 0}, &absolute, &fragment);
    CHECK(!absolute.len && !fragment.len);
done:;
}

TEST(parses_five_parts)
{
    surety__uri uri = surety__uri_parse(surety_str_of("s+1:/p?q?r#f#"));

    CHECK(uri.has_scheme && !uri.has_authority && uri.has_query &&
          uri.has_fragment);
    CHECK_TEXT(uri.scheme, "s+1");
    CHECK_TEXT(uri.path, "/p");
    CHECK_TEXT(uri.query, "q?r");
    CHECK_TEXT(uri.fragment, "f#");
    uri = surety__uri_parse(surety_str_of("//"));
    CHECK(!uri.has_scheme && uri.has_authority && !uri.authority.len);
    uri = surety__uri_parse((surety_str){"a\0b/c", 5});
    CHECK(uri.path.len == 5 && !uri.has_scheme);
    uri = surety__uri_parse((surety_str){NULL, 0});
    CHECK(!uri.has_scheme && !uri.path.len);
done:;
}

TEST(unescapes)
{
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    surety__uri_unescape(surety_str_of("%7e%25%zz%2%2Fa%"), &out);
    surety__uri_unescape(surety_str_of("%C3%a9%4"), &out);
    TRY(out.status);
    CHECK_TEXT(surety_buf_str(&out), "~%%zz%2/a%\xc3\xa9%4");
    surety_buf_reset(&out);
    surety__uri_unescape(surety_str_of("a%00"), &out);
    TRY(out.status);
    CHECK(out.len == 2 && out.ptr[1] == '\0');
done:
    surety_buf_done(&out);
}

TEST(knows_a_scheme)
{
    CHECK(surety__uri_parse(surety_str_of("a:")).has_scheme);
    CHECK(surety__uri_parse(surety_str_of("A1+-.:b")).has_scheme);
    CHECK(!surety__uri_parse(surety_str_of("")).has_scheme);
    CHECK(!surety__uri_parse(surety_str_of("a")).has_scheme);
    CHECK(!surety__uri_parse(surety_str_of(":a")).has_scheme);
    CHECK(!surety__uri_parse(surety_str_of("1a:b")).has_scheme);
    CHECK(!surety__uri_parse(surety_str_of("a/b:c")).has_scheme);
    CHECK(!surety__uri_parse(surety_str_of("\xc3\xa9:c")).has_scheme);
done:;
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"resolves references", resolves},
        {"appends, and keeps to the bound", appends_and_keeps_to_the_bound},
        {"splits at the first hash", splits_at_the_first_hash},
        {"parses the five parts", parses_five_parts},
        {"unescapes", unescapes},
        {"knows a scheme", knows_a_scheme},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
