/* SPDX-License-Identifier: Apache-2.0 */
/* Writing: compact, pretty and canonical, and strings that hold anything. */
#include "json/json.h"
#include "base/base.h"
#include "check.h"

#include <surety/json.h>

#include <string.h>

static surety_status written(surety_doc *doc, const char *text,
                             surety_style style, surety_buf *out)
{
    surety_status status =
        surety_doc_read(doc, surety_str_of(text), NULL, NULL);

    surety_buf_reset(out);
    return status ? status : surety_val_write(surety_doc_root(doc), style, out);
}

TEST(writes_compact_and_pretty)
{
    static const char text[] = " { \"a\" : [ 1.50 , -0 , { } , [ ] , [ [ "
                               "null ] ] ] , \"\\u0062\\/\" : \"\\u00e9"
                               "\\ud83d\\ude00\\u001f\\n\\\"\\\\\" } ";
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    NEED(doc);
    TRY(written(doc, text, SURETY_STYLE_COMPACT, &out));
    CHECK_TEXT(surety_buf_str(&out),
               "{\"a\":[1.50,-0,{},[],[[null]]],\"b/\":\"\xC3\xA9"
               "\xF0\x9F\x98\x80\\u001f\\n\\\"\\\\\"}");
    TRY(written(doc, text, SURETY_STYLE_PRETTY, &out));
    CHECK_TEXT(
        surety_buf_str(&out),
        "{\n  \"a\": [\n    1.50,\n    -0,\n    {},\n    [],\n    [\n"
        "      [\n        null\n      ]\n    ]\n  ],\n  \"b/\": \"\xC3\xA9"
        "\xF0\x9F\x98\x80\\u001f\\n\\\"\\\\\"\n}");
    TRY(written(doc, "true", SURETY_STYLE_PRETTY, &out));
    CHECK_TEXT(surety_buf_str(&out), "true");
    TRY(written(doc, "{\"a\":[0,{\"b\":[false]}]}", SURETY_STYLE_COMPACT,
                &out));
    surety_buf_reset(&out);
    TRY(surety_val_write(
        surety_val_at(surety_doc_root(doc), surety_str_of("/a/1")),
        SURETY_STYLE_COMPACT, &out));
    CHECK_TEXT(surety_buf_str(&out), "{\"b\":[false]}");
    surety_buf_reset(&out);
    TRY(surety_val_write(
        surety_val_key(surety_val_get(surety_doc_root(doc), "a")),
        SURETY_STYLE_COMPACT, &out));
    CHECK_TEXT(surety_buf_str(&out), "\"a\"");
done:
    surety_buf_done(&out);
    surety_doc_free(doc);
}

/* RFC 8785: numbers as ECMAScript writes them (3.2.2.3), strings with the
 * fewest escapes (3.2.2.2), members by UTF-16 code units (3.2.3). */
TEST(writes_canonically)
{
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    NEED(doc);
    TRY(written(doc,
                "{\"numbers\":[1E30,4.50,2e-3,0.000000000000000000000000001,"
                "333333333.33333329,-0,1.0],\"string\":\"\\u20ac$\\u000F\\u000a"
                "A'\\u0042\\u0022\\u005c\\\\\\\"\\/\",\"literals\":[null,true,"
                "false]}",
                SURETY_STYLE_CANONICAL, &out));
    CHECK_TEXT(surety_buf_str(&out),
               "{\"literals\":[null,true,false],\"numbers\":[1e+30,4.5,0.002,"
               "1e-27,333333333.3333333,0,1],\"string\":\"\xE2\x82\xAC$\\u000f"
               "\\nA'B\\\"\\\\\\\\\\\"/\"}");
    /* In UTF-16 the surrogates of U+1F600 are before U+FB33. */
    TRY(written(doc,
                "{\"\\u20ac\":1,\"\\r\":2,\"\\ufb33\":3,\"1\":4,"
                "\"\\ud83d\\ude00\":5,\"\\u0080\":6,\"\\u00f6\":7,\"\":8,"
                "\"11\":{\"b\":[{\"d\":0,\"c\":0}],\"a\":0}}",
                SURETY_STYLE_CANONICAL, &out));
    CHECK_TEXT(surety_buf_str(&out),
               "{\"\":8,\"\\r\":2,\"1\":4,\"11\":{\"a\":0,\"b\":[{\"c\":0,"
               "\"d\":0}]},\"\xC2\x80\":6,\"\xC3\xB6\":7,\"\xE2\x82\xAC\":1,"
               "\"\xF0\x9F\x98\x80\":5,\"\xEF\xAC\xB3\":3}");
    TRY(written(doc, "[9007199254740993]", SURETY_STYLE_CANONICAL, &out));
    CHECK_TEXT(surety_buf_str(&out), "[9007199254740992]");
    TRY(surety_doc_read(doc, surety_str_of("[1,1e400]"), NULL, NULL));
    surety_buf_reset(&out);
    surety_buf_text(&out, "before");
    TRY(out.status);
    EXPECT(SURETY_UNSUPPORTED, surety_val_write(surety_doc_root(doc),
                                                SURETY_STYLE_CANONICAL, &out));
    CHECK_TEXT(surety_buf_str(&out), "before");
done:
    surety_buf_done(&out);
    surety_doc_free(doc);
}

TEST(writes_deep_values)
{
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_buf text, out;

    surety_buf_init(&text, check_alloc(t), 0);
    surety_buf_init(&out, check_alloc(t), 0);
    NEED(doc);
    for (int i = 0; i < 200; i++)
        surety_buf_text(&text, "{\"b\":0,\"a\":[");
    for (int i = 0; i < 200; i++)
        surety_buf_text(&text, "]}");
    TRY(text.status);
    TRY(surety_doc_read(doc, surety_buf_str(&text), NULL, NULL));
    TRY(surety_val_write(surety_doc_root(doc), SURETY_STYLE_COMPACT, &out));
    CHECK(surety_str_equal(surety_buf_str(&text), surety_buf_str(&out)));
    surety_buf_reset(&out);
    TRY(surety_val_write(surety_doc_root(doc), SURETY_STYLE_CANONICAL, &out));
    CHECK(out.len == text.len);
    CHECK(memcmp(out.ptr, "{\"a\":[{\"a\":[", 12) == 0);
    CHECK(memcmp(out.ptr + out.len - 8, "],\"b\":0}", 8) == 0);
done:
    surety_buf_done(&text);
    surety_buf_done(&out);
    surety_doc_free(doc);
}

/* At every depth around the one at which the writer allocates: what follows a
 * container is what followed it in the text. */
TEST(comes_back_from_every_depth)
{
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_buf text, out;

    surety_buf_init(&text, check_alloc(t), 0);
    surety_buf_init(&out, check_alloc(t), 0);
    NEED(doc);
    for (int depth = 1; depth < 70; depth++) {
        surety_buf_reset(&text);
        surety_buf_reset(&out);
        for (int i = 0; i < depth; i++)
            surety_buf_text(&text, i % 2 ? "[0," : "{\"a\":");
        surety_buf_text(&text, "1");
        for (int i = depth; i-- > 0;)
            surety_buf_text(&text, i % 2 ? ",[2],3]" : ",\"b\":{},\"c\":4}");
        TRY(text.status);
        TRY(surety_doc_read(doc, surety_buf_str(&text), NULL, NULL));
        TRY(surety_val_write(surety_doc_root(doc), SURETY_STYLE_COMPACT, &out));
        CHECK(surety_str_equal(surety_buf_str(&text), surety_buf_str(&out)));
        surety_buf_reset(&out);
        TRY(surety_val_write(surety_doc_root(doc), SURETY_STYLE_CANONICAL,
                             &out));
        CHECK(surety_str_equal(surety_buf_str(&text), surety_buf_str(&out)));
    }
done:
    surety_buf_done(&text);
    surety_buf_done(&out);
    surety_doc_free(doc);
}

TEST(keeps_the_bound_of_a_buffer)
{
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 9);
    NEED(doc);
    TRY(written(doc, "[\"12345\"]", SURETY_STYLE_COMPACT, &out));
    EXPECT(SURETY_LIMIT,
           written(doc, "[\"123456\"]", SURETY_STYLE_COMPACT, &out));
done:
    surety_buf_done(&out);
    surety_doc_free(doc);
}

/* Strings of every length around a block, with an escape at every place and one
 * a block later, into buffers of every bound around the text's length. */
TEST(writes_strings_of_every_length)
{
    char text[96], want[96];
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    NEED(doc);
    for (size_t len = 0; len < 40; len++) {
        for (size_t at = 0; at <= len; at++) {
            size_t end = 0;

            text[end++] = '[';
            text[end++] = '"';
            for (size_t i = 0; i < len; i++) {
                const bool odd = i == at || i == at + 17;

                if (odd)
                    text[end++] = '\\';
                text[end++] = odd ? '"' : (char)('a' + i % 26);
            }
            memcpy(text + end, "\"]", 3);
            memcpy(want, text, end + 3);
            for (size_t max = end; max < end + 5; max++) {
                out.max = max;
                EXPECT(max < end + 2 ? SURETY_LIMIT : SURETY_OK,
                       written(doc, text, SURETY_STYLE_COMPACT, &out));
                if (max >= end + 2)
                    CHECK_TEXT(surety_buf_str(&out), want);
                CHECK(out.len <= max);
            }
        }
    }
done:
    surety_buf_done(&out);
    surety_doc_free(doc);
}

TEST(writes_any_bytes_as_a_string)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"", "\"\""},
        {"plain", "\"plain\""},
        {"a\"b\\c/\b\f\n\r\t\x01\x7f",
         "\"a\\\"b\\\\c/\\b\\f\\n\\r\\t\\u0001\x7f\""},
        {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80",
         "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\""},
        {"a\xFF", "\"a\xEF\xBF\xBD\""},
        {"\x80\x80z", "\"\xEF\xBF\xBD\xEF\xBF\xBDz\""},
        /* One for each maximal subpart (Unicode 15, table 3-8). */
        {"\xF0\x9F\x98", "\"\xEF\xBF\xBD\""},
        {"\xE2\x82!", "\"\xEF\xBF\xBD!\""},
        {"\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
    };
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        surety_buf_reset(&out);
        surety_json_string(&out, surety_str_of(cases[i].text));
        TRY(out.status);
        CHECK_TEXT(surety_buf_str(&out), cases[i].want);
    }
    surety_buf_reset(&out);
    surety_json_string(&out, (surety_str){NULL, 0});
    surety_json_string(&out, (surety_str){"a\0b", 3});
    TRY(out.status);
    CHECK_TEXT(surety_buf_str(&out), "\"\"\"a\\u0000b\"");
done:
    surety_buf_done(&out);
}

/* A long string is the same into a buffer that just has room for it, and one
 * byte less is a failure. */
TEST(writes_a_long_string)
{
    char text[1300];
    surety_buf want, out;

    surety_buf_init(&want, check_alloc(t), 0);
    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = i % 7 ? (char)('a' + i % 26) : '\n';
    surety_json_string(&want, (surety_str){text, sizeof(text)});
    TRY(want.status);
    for (size_t less = 0; less < 2; less++) {
        surety_buf_reset(&out);
        out.max = want.len - less;
        surety_json_string(&out, (surety_str){text, sizeof(text)});
        EXPECT(less ? SURETY_LIMIT : SURETY_OK, out.status);
        CHECK(out.len == want.len - less);
        CHECK(!memcmp(out.ptr, want.ptr, out.len));
    }
done:
    surety_buf_done(&want);
    surety_buf_done(&out);
}

TEST(writes_members)
{
    const surety_position nowhere = {.offset = 7, .length = 1};
    const surety_position somewhere = {
        .offset = 7, .length = 1, .line = 2, .column = 3};
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    NEED(doc);
    TRY(surety_doc_read(doc, surety_str_of("[1, {}]"), NULL, NULL));
    surety_buf_text(&out, "[{");
    surety_json_text(&out, "a\"", surety_str_of("{"));
    surety_json_number(&out, "", UINT64_MAX);
    surety_json_number(&out, "0", 0);
    surety_json_bool(&out, "t", true);
    surety_json_bool(&out, "f", false);
    surety_json_name(&out, "o");
    surety_buf_byte(&out, '{');
    surety_json_value(&out, "v", surety_doc_root(doc));
    surety_json_value(&out, "none", surety_val_none());
    surety_buf_byte(&out, '}');
    surety_json_text(&out, "e", (surety_str){NULL, 0});
    surety__json_position(&out, &nowhere);
    surety__json_position(&out, &somewhere);
    surety_buf_text(&out, "}]");
    TRY(out.status);
    CHECK_TEXT(surety_buf_str(&out),
               "[{\"a\\\"\":\"{\",\"\":18446744073709551615,\"0\":0,"
               "\"t\":true,\"f\":false,\"o\":{\"v\":[1,{}],\"none\":null},"
               "\"e\":\"\",\"line\":2,\"column\":3,\"offset\":7,"
               "\"length\":1}]");
    /* Into nothing: there is no last byte. */
    surety_buf_reset(&out);
    surety_json_bool(&out, "a", true);
    CHECK_TEXT(surety_buf_str(&out), "\"a\":true");
done:
    surety_buf_done(&out);
    surety_doc_free(doc);
}

/* What a terminal would act on is in no JSON that was made fit for one, and
 * the value is the same. */
TEST(makes_json_fit_for_a_terminal)
{
    static const uint32_t codes[] = {
        'a',    '"',    '\\',   '\n',   0x1B,    0x7E,    0x7F,    0x80,
        0x9B,   0x9F,   0xA0,   0x61B,  0x61C,   0x61D,   0x200A,  0x200B,
        0x200C, 0x200D, 0x200E, 0x200F, 0x2010,  0x2027,  0x2028,  0x2029,
        0x202A, 0x202E, 0x202F, 0x205F, 0x2060,  0x2066,  0x2069,  0x206F,
        0x2070, 0xFEFF, 0xFFF9, 0xFFFC, 0xE001F, 0xE007F, 0xE0080, 0x1F600};
    surety_doc *doc = surety_doc_new(check_alloc(t));
    uint64_t state = 20261122;
    surety_buf text, out;

    surety_buf_init(&text, check_alloc(t), 0);
    surety_buf_init(&out, check_alloc(t), 0);
    TRY(doc ? SURETY_OK : SURETY_NOMEM);
    for (int round = 0; round < (t->fail_at ? 4 : 2000); round++) {
        surety_buf_reset(&text);
        surety_buf_reset(&out);
        surety_buf_text(&out, "before \xC2\x9B ");
        for (unsigned i = 0, n = (unsigned)(state >> 40) % 40; i < n; i++) {
            char bytes[4];

            state = state * 6364136223846793005u + 1442695040888963407u;
            surety_buf_append(
                &text, bytes,
                surety__utf8_encode(codes[(state >> 33) % CHECK_COUNT(codes)],
                                    bytes));
        }
        state = state * 6364136223846793005u + 1442695040888963407u;
        surety_json_string(&out, surety_buf_str(&text));
        surety_json_shown(&out, 10);
        TRY(out.status);
        CHECK(memcmp(out.ptr, "before \xC2\x9B ", 10) == 0);
        for (const char *ptr = out.ptr + 10, *end = out.ptr + out.len;
             ptr < end;) {
            unsigned len;

            CHECK(
                !surety__utf8_is_acted_on(surety__utf8_decode(ptr, end, &len)));
            ptr += len;
        }
        TRY(surety_doc_read(doc, (surety_str){out.ptr + 10, out.len - 10}, NULL,
                            NULL));
        CHECK(surety_str_equal(surety_val_str(surety_doc_root(doc)),
                               surety_buf_str(&text)));
    }
    surety_buf_reset(&out);
    surety_json_shown(&out, 0);
    surety_json_shown(&out, 7);
    CHECK(out.len == 0);
done:
    surety_doc_free(doc);
    surety_buf_done(&text);
    surety_buf_done(&out);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"writes compact and pretty", writes_compact_and_pretty},
        {"writes canonically", writes_canonically},
        {"writes deep values", writes_deep_values},
        {"comes back from every depth", comes_back_from_every_depth},
        {"keeps the bound of a buffer", keeps_the_bound_of_a_buffer},
        {"writes strings of every length", writes_strings_of_every_length},
        {"writes any bytes as a string", writes_any_bytes_as_a_string},
        {"writes a long string", writes_a_long_string},
        {"writes members", writes_members},
        {"makes JSON fit for a terminal", makes_json_fit_for_a_terminal},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
