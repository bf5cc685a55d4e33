/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns: ECMA-262's meaning and no other, the automata against PCRE2's
 * answers, and every limit. */
#include "check.h"
#include "schema/pattern.h"

#include "base/base.h"

/* Compiles source and matches text once. */
static surety_status match_once(struct check *t, surety_str source,
                                const surety_limits *limits, surety_str text,
                                int *ret_match)
{
    surety__pattern *pattern = NULL;
    surety__matcher *matcher = NULL;
    surety_status status =
        surety__pattern_compile(source, check_alloc(t), limits, &pattern, NULL);
    int match;

    if (status)
        return status;
    matcher = surety__matcher_new(check_alloc(t), limits);
    match =
        matcher ? surety__pattern_match(pattern, matcher, text) : SURETY_NOMEM;
    surety__matcher_free(matcher);
    surety__pattern_free(pattern);
    if (match < 0)
        return (surety_status)match;
    *ret_match = match;
    return SURETY_OK;
}

static const struct match_case {
    const char *pattern;
    surety_str text;
    int want;
} match_cases[] = {
#define MATCH(pattern, text, want)                                             \
    {                                                                          \
        pattern, {text, sizeof(text) - 1}, want                                \
    }
    /* the search is unanchored */
    MATCH("b", "abc", 1),
    MATCH("", "", 1),
    MATCH("^", "x", 1),
    MATCH("$", "x", 1),
    MATCH("^$", "", 1),
    MATCH("^$", "x", 0),
    MATCH("es", "expression", 1),
    /* anchors know no lines */
    MATCH("^abc$", "abc\n", 0),
    MATCH("^b", "a\nb", 0),
    MATCH("(?:a)$", "a\n", 0),
    /* the dot */
    MATCH("^.$", "\n", 0),
    MATCH("^.$", "\r", 0),
    MATCH("^.$", "\xe2\x80\xa8", 0),
    MATCH("^.$", "\xe2\x80\xa9", 0),
    MATCH("^.$", "\xe2\x80\xaa", 1),
    MATCH("^.$", "\xc2\x85", 1),
    MATCH("^.$", "\xf0\x9f\x90\xb2", 1),
    MATCH("^.*$", "", 1),
    MATCH("^.*$", "a\xe2\x80\xa8", 0),
    MATCH("^(?:.)$", "\xe2\x80\xa8", 0),
    MATCH("^.$", "\0", 1),
    /* the sets are ASCII's, space is ECMA-262's */
    MATCH("^\\d$", "7", 1),
    MATCH("^\\d$", "\xe0\xa7\xaa", 0),
    MATCH("^\\D$", "\xe0\xa7\xaa", 1),
    MATCH("^\\w+$", "aZ_09", 1),
    MATCH("^\\w$", "\xc3\xa9", 0),
    MATCH("^\\W$", "\xc3\xa9", 1),
    MATCH("^\\s+$", " \t\n\v\f\r\xc2\xa0\xef\xbb\xbf\xe2\x80\xa8\xe2\x80\x83",
          1),
    MATCH("^\\s$", "\xc2\x85", 0),
    MATCH("^\\s$", "\xe1\xa0\x8e", 0),
    MATCH("^\\S$", "\xe1\xa0\x8e", 1),
    MATCH("^[\\S]$", "\xef\xbb\xbf", 0),
    MATCH("^[^\\S]$", "\xef\xbb\xbf", 1),
    MATCH("^[^\\p{Lu}\\W]$", "\xe5\xad\x97", 0),
    MATCH("\\bé", "aé", 1),
    MATCH("a\\B", "aé", 0),
    /* escapes */
    MATCH("^\\cJ\\ca$", "\n\x01", 1),
    MATCH("^\\x41\\u0042\\u{43}\\u{00000044}$", "ABCD", 1),
    MATCH("^\\ud83d\\udc32$", "\xf0\x9f\x90\xb2", 1),
    MATCH("^\\u{1F432}{2}$", "\xf0\x9f\x90\xb2\xf0\x9f\x90\xb2", 1),
    MATCH("^[\\ud83d\\udc00-\\ud83d\\udfff]$", "\xf0\x9f\x90\xb2", 1),
    MATCH("\\ud83d", "\xf0\x9f\x90\xb2", 0),
    MATCH("^a\\udc32*b$", "ab", 1),
    MATCH("^[^\\ud83d]$", "\xf0\x9f\x90\xb2", 1),
    MATCH("^[\\ud800-\\udfff]$", "a", 0),
    MATCH("^[\\ud7ff-\\ue000]+$", "\xed\x9f\xbf\xee\x80\x80", 1),
    MATCH("^\\0$", "\0", 1),
    MATCH("^[\\0-\\x01]+$", "\0\x01", 1),
    MATCH("^\\f\\n\\r\\t\\v$", "\f\n\r\t\v", 1),
    MATCH("^\\.\\*\\+\\?\\^\\$\\{\\}\\(\\)\\[\\]\\|\\/\\\\$",
          ".*+?^${}()[]|/\\", 1),
    MATCH("^\\-\\_\\@\\ \\\"\\'$", "-_@ \"'", 1),
    /* classes */
    MATCH("^[a-c]$", "b", 1),
    MATCH("^[^a-c]$", "b", 0),
    MATCH("^[]$", "", 0),
    MATCH("[]", "a", 0),
    MATCH("^[]*$", "", 1),
    MATCH("^[^]$", "\n", 1),
    MATCH("^[^]$", "\xf0\x9f\x90\xb2", 1),
    MATCH("^[\\b]$", "\b", 1),
    MATCH("^[[:alpha:]]$", "a]", 1),
    MATCH("^[[:alpha:]]$", "z", 0),
    MATCH("^[a\\]b]+$", "]", 1),
    MATCH("^[-a]+$", "-a", 1),
    MATCH("^[a-]+$", "-a", 1),
    MATCH("^[\\w-.]+$", "a-.", 1),
    MATCH("^[a-\\d]+$", "a-5", 1),
    MATCH("^[.]$", "a", 0),
    MATCH("^[\\d\\-x]+$", "1-x", 1),
    MATCH("^[\xc3\xa0-\xc3\xb6]$", "\xc3\xa9", 1),
    MATCH("^[\\u00e0-\\u00f6]$", "\xc3\xa9", 1),
    MATCH("[^\\n\\]]", "]", 0),
    /* properties */
    MATCH("^\\p{Letter}\\p{L}\\p{gc=Lu}\\p{General_Category=Ll}$",
          "\xc3\xa9z\xc3\x89\xc3\xa9", 1),
    MATCH("^\\p{digit}+$", "4\xe0\xa7\xaa", 1),
    MATCH("^\\p{Script=Greek}+$", "\xce\xb1\xce\xb2", 1),
    MATCH("^\\p{sc=Grek}$", "a", 0),
    MATCH("^\\p{Script_Extensions=Latin}$", "\xe3\x83\xbc", 0),
    MATCH("^\\p{scx=Kana}$", "\xe3\x83\xbc", 1),
    MATCH("^\\p{sc=Kana}$", "\xe3\x83\xbc", 0),
    MATCH("^\\p{ASCII}+\\P{ASCII}$", "ab\xc3\xa9", 1),
    MATCH("^\\p{Any}\\p{Assigned}$", "ab", 1),
    MATCH("^\\p{Assigned}$", "\xef\xbf\xbf", 0),
    MATCH("^[\\p{LC}\\P{L}]+$", "aB1", 1),
    MATCH("^\\p{Emoji}$", "\xf0\x9f\x90\xb2", 1),
    MATCH("^\\p{White_Space}\\p{space}$", " \n", 1),
    /* groups and references */
    MATCH("^(a|b)\\1$", "aa", 1),
    MATCH("^(a|b)\\1$", "ab", 0),
    MATCH("^(?<x>a|b)\\k<x>$", "bb", 1),
    MATCH("^\\k<x>(?<x>a)$", "a", 1),
    MATCH("^(?<a\\u0062>x)\\k<ab>$", "xx", 1),
    MATCH("^(?:(a)|b)\\1c$", "bc", 1),
    MATCH("^(?:(a)|b)\\1{1,2}c$", "bc", 1),
    MATCH("^(a\\1)$", "a", 1),
    MATCH("^(a\\1){2}$", "aa", 1),
    MATCH("^(?:a)(b)\\1$", "abb", 1),
    MATCH("^a(?=b)b(?!c)", "abd", 1),
    MATCH("(?<=a|bc)d", "bcd", 1),
    MATCH("(?<!a)d", "ad", 0),
    MATCH("^(?=(a))\\1$", "a", 1),
    /* quantifiers, and braces that are none */
    MATCH("^a{2}$", "aaa", 0),
    MATCH("^a{2,}$", "aaa", 1),
    MATCH("^a{1,2}?b$", "aab", 1),
    MATCH("^a{,2}$", "a{,2}", 1),
    MATCH("^x{$", "x{", 1),
    MATCH("^{a}]$", "{a}]", 1),
    MATCH("^(?:ab){0}c$", "c", 1),
    MATCH("^\xc3\xa9{2}$", "\xc3\xa9\xc3\xa9", 1),
    MATCH("^\xc3\xa9+$", "\xc3\xa9\xa9", 0),
    /* a first atom is only asked for what it must */
    MATCH("\\s+$", "a  ", 1),
    MATCH("\\s+$", "a", 0),
    MATCH(".*b", "a\nb", 1),
    MATCH("a*?b*c?", "", 1),
    MATCH("a+b", "ab", 1),
    MATCH("a{2,}b", "ab", 0),
    MATCH("a{2,}b", "aaab", 1),
    MATCH("\\s*x|\\d+y", "5y", 1),
    MATCH("x|\\d{2,}y", "5y", 0),
    MATCH("^a+b", "caab", 0),
    MATCH("\\ba*b", "xb", 0),
    MATCH("(a*)b\\1", "aab", 1),
    /* what PCRE2 would take for something else */
    MATCH("^a#b c$", "a#b c", 1),
    MATCH("^&&--~~$", "&&--~~", 1),
    MATCH("^[&&\\-\\-~~]+$", "&-~", 1),
#undef MATCH
};

TEST(matches_as_ecma_says)
{
    for (size_t i = 0; i < CHECK_COUNT(match_cases); i++) {
        const struct match_case *one = &match_cases[i];
        int match = -1;

        TRY(match_once(t, surety_str_of(one->pattern), NULL, one->text,
                       &match));
        if (match != one->want)
            printf("# %s\n", one->pattern);
        CHECK(match == one->want);
        CHECK(surety__pattern_is_valid(surety_str_of(one->pattern)));
    }
done:;
}

/* Patterns that are none, and the byte where each goes wrong. */
static const struct {
    const char *pattern;
    size_t offset;
} wrong_cases[] = {
    {"*a", 0},
    {"a**", 2},
    {"a++", 2},
    {"a{2}{3}", 4},
    {"+", 0},
    {"a|?", 2},
    {"{1}", 0},
    {"({1,2})", 1},
    {"x{3,2}", 1},
    {"^*", 1},
    {"$?", 1},
    {"\\b+", 2},
    {"(?=a)*", 5},
    {"(?<=x)+", 6},
    {"[z-a]", 1},
    {"[b-\\x61]", 1},
    {"[abc", 0},
    {"a[^", 1},
    {"[\\", 1},
    {"a\\", 1},
    {"(a", 2},
    {"^(abc]", 6},
    {"a)", 1},
    {"(", 1},
    {"\\1", 0},
    {"(a)\\2", 3},
    {"[(](a)\\2", 6},
    {"[\\](](a)\\2", 8},
    {"\\k<a>", 0},
    {"(?<a>b)\\k", 7},
    {"(?<a>b)\\k<b>", 7},
    {"(?<a>b)\\k<a", 10},
    {"(?<a>b)(?<a>c)", 7},
    {"(?<a>b)(?<\\u0061>c)", 7},
    {"(?<>a)", 3},
    {"(?<1>a)", 3},
    {"(?<a b>c)", 4},
    {"(?<a", 3},
    {"(?", 0},
    {"x(?{y})", 1},
    {"(?>a)", 0},
    {"(?i)a", 0},
    {"(?ims)a", 0},
    {"(?P<a>b)", 0},
    {"(?P=a)", 0},
    {"(?#c)", 0},
    {"(?R)", 0},
    {"(?1)", 0},
    {"(?|a)", 0},
    {"(?(1)a)", 0},
    {"(*FAIL)", 1},
    {"(?C1)", 0},
    {"\\A", 0},
    {"a\\Z", 1},
    {"\\z", 0},
    {"\\Qa\\E", 0},
    {"\\a", 0},
    {"\\e", 0},
    {"\\h", 0},
    {"\\R", 0},
    {"\\X", 0},
    {"\\K", 0},
    {"\\G", 0},
    {"\\N", 0},
    {"\\C", 0},
    {"\\g1", 0},
    {"\\o{7}", 0},
    {"\\00", 0},
    {"\\08", 0},
    {"\\x4", 0},
    {"\\x{41}", 0},
    {"\\u", 0},
    {"\\u004", 0},
    {"\\u{}", 0},
    {"\\u{110000}", 0},
    {"\\u{41", 0},
    {"\\c", 0},
    {"\\c1", 0},
    {"\\i", 0},
    {"\\\xc3\xa9", 0},
    {"[\\1]", 1},
    {"[\\B]", 1},
    {"[\\k]", 1},
    {"[\\c]", 1},
    {"\\p", 0},
    {"\\pL", 0},
    {"\\p{", 0},
    {"\\p{}", 0},
    {"\\p{letter}", 0},
    {"\\p{^L}", 0},
    {"\\p{L&}", 0},
    {"\\p{Greek}", 0},
    {"\\p{sc:Greek}", 0},
    {"\\p{sc=greek}", 0},
    {"\\p{Script=}", 0},
    {"\\p{gc=ASCII}", 0},
    {"\\p{In_Greek}", 0},
    {"a\xff", 1},
    {"[\xed\xa0\x80]", 1},
};

TEST(refuses_what_is_no_pattern)
{
    for (size_t i = 0; i < CHECK_COUNT(wrong_cases); i++) {
        surety_str source = surety_str_of(wrong_cases[i].pattern);
        surety__pattern *pattern = NULL;
        surety_error err = {.status = SURETY_OK};

        EXPECT(SURETY_SYNTAX, surety__pattern_compile(source, check_alloc(t),
                                                      NULL, &pattern, &err));
        if (err.position.offset != wrong_cases[i].offset)
            printf("# %s: %s\n", source.ptr, err.message);
        CHECK(!pattern);
        CHECK(err.position.offset == wrong_cases[i].offset);
        CHECK(!strncmp(err.message, "pattern: ", 9));
        CHECK(!surety__pattern_is_valid(source));
    }
done:;
}

/* ECMA-262's, but beyond PCRE2: refused when compiled, valid as a format. */
TEST(refuses_what_cannot_be_matched)
{
    static const char *const patterns[] = {
        "(?<=a+)b",     "(?<!a{2,3})b", "(?<=(a|bc))d",
        "(?<=(a)\\1)b", "\\p{sc=Hrkt}", "\\p{CWKCF}",
    };

    for (size_t i = 0; i < CHECK_COUNT(patterns); i++) {
        surety_str source = surety_str_of(patterns[i]);
        surety__pattern *pattern = NULL;
        surety_error err = {.status = SURETY_OK};

        EXPECT(SURETY_UNSUPPORTED,
               surety__pattern_compile(source, check_alloc(t), NULL, &pattern,
                                       &err));
        CHECK(!strncmp(err.message, "pattern: ", 9));
        CHECK(surety__pattern_is_valid(source));
    }
done:;
}

/* Each line of "Patterns" in docs/schema.md: what is taken though the grammar
 * with the u flag has it not. */
TEST(takes_more_than_the_grammar)
{
    static const struct {
        const char *pattern, *text;
    } cases[] = {
        {"^a{$", "a{"},         {"^{a}$", "{a}"},   {"^a{,3}$", "a{,3}"},
        {"^]$", "]"},           {"^}$", "}"},       {"^\\-$", "-"},
        {"^\\_\\@\\ $", "_@ "}, {"^[a-\\d]$", "-"},
    };
    surety__matcher *matcher = surety__matcher_new(check_alloc(t), NULL);
    surety__pattern *pattern = NULL;

    NEED(matcher);
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        TRY(surety__pattern_compile(surety_str_of(cases[i].pattern),
                                    check_alloc(t), NULL, &pattern, NULL));
        CHECK(surety__pattern_match(pattern, matcher,
                                    surety_str_of(cases[i].text)) == 1);
        surety__pattern_free(pattern);
        pattern = NULL;
    }
done:
    surety__pattern_free(pattern);
    surety__matcher_free(matcher);
}

/* Appends text `count` times. */
static void repeat(surety_buf *buf, const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        surety_buf_text(buf, text);
}

/* Compiles what buf holds. */
static surety_status compile_only(struct check *t, const surety_buf *buf,
                                  const surety_limits *limits)
{
    surety__pattern *pattern = NULL;
    surety_status status =
        buf->status
            ? buf->status
            : surety__pattern_compile(surety_buf_str(buf), check_alloc(t),
                                      limits, &pattern, NULL);

    surety__pattern_free(pattern);
    return status;
}

TEST(keeps_the_limits_of_a_pattern)
{
    surety_limits limits = {.size = sizeof(limits), .pattern_len_max = 8};
    surety_buf buf;

    surety_buf_init(&buf, check_alloc(t), 0);
    /* length */
    repeat(&buf, "a", 7);
    TRY(compile_only(t, &buf, &limits));
    repeat(&buf, "a", 1);
    TRY(compile_only(t, &buf, &limits));
    repeat(&buf, "a", 1);
    EXPECT(SURETY_LIMIT, compile_only(t, &buf, &limits));
    surety_buf_reset(&buf);
    repeat(&buf, "[", 1);
    repeat(&buf, "\xc3\xa9", 32767);
    repeat(&buf, "]", 1);
    TRY(compile_only(t, &buf, NULL));
    repeat(&buf, "a", 1);
    EXPECT(SURETY_LIMIT, compile_only(t, &buf, NULL));
    /* one that lists words, with what PCRE2 makes of it */
    surety_buf_reset(&buf);
    repeat(&buf, "^(?:Abcdefg|", 1);
    repeat(&buf, "Hijklmn|", 650);
    repeat(&buf, "Opqrstu)$", 1);
    CHECK(buf.len > 5153);
    TRY(compile_only(t, &buf, NULL));
    /* nesting */
    for (size_t depth = 249; depth <= 251; depth++) {
        surety_buf_reset(&buf);
        repeat(&buf, "(", depth);
        repeat(&buf, ")", depth);
        EXPECT(depth > 250 ? SURETY_LIMIT : SURETY_OK,
               compile_only(t, &buf, NULL));
    }
    /* counts */
    surety_buf_reset(&buf);
    surety_buf_text(&buf, "^(?:a{65534}|b{0,65535}|c{65535,})");
    EXPECT(SURETY_OK, compile_only(t, &buf, NULL));
    surety_buf_reset(&buf);
    surety_buf_text(&buf, "^a{65536}");
    EXPECT(SURETY_LIMIT, compile_only(t, &buf, NULL));
    surety_buf_reset(&buf);
    surety_buf_text(&buf, "^a{1,99999999999999999999}");
    EXPECT(SURETY_LIMIT, compile_only(t, &buf, NULL));
done:
    surety_buf_done(&buf);
}

TEST(keeps_the_limits_of_names)
{
    surety_limits limits = {.size = sizeof(limits), .pattern_len_max = 8192};
    surety_buf buf;

    surety_buf_init(&buf, check_alloc(t), 0);
    for (unsigned count = 0; count < 257; count++) {
        if (count >= 255)
            TRY(compile_only(t, &buf, &limits));
        surety__buf_printf(&buf, "(?<n%u>a)", count);
    }
    EXPECT(SURETY_LIMIT, compile_only(t, &buf, &limits));
    CHECK(!surety__pattern_is_valid(surety_buf_str(&buf)));
    for (size_t len = 1023; len <= 1025; len++) {
        surety_buf_reset(&buf);
        surety_buf_text(&buf, "(?<");
        repeat(&buf, "n", len);
        surety_buf_text(&buf, ">a)");
        EXPECT(len > 1024 ? SURETY_LIMIT : SURETY_OK,
               compile_only(t, &buf, NULL));
    }
done:
    surety_buf_done(&buf);
}

TEST(ends_hostile_patterns_quickly)
{
    static const char *const large[] = {
        "((a{1,100}){1,100}){1,100}",
        "(((((a{1,100}){1,100}){1,100}){1,100}){1,100}){1,100}",
    };
    surety_buf buf;
    int match = -1;

    surety_buf_init(&buf, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(large); i++)
        EXPECT(SURETY_LIMIT, match_once(t, surety_str_of(large[i]), NULL,
                                        surety_str_of("a"), &match));
    repeat(&buf, "(", 60000);
    EXPECT(SURETY_LIMIT, compile_only(t, &buf, NULL));
    CHECK(!surety__pattern_is_valid(surety_buf_str(&buf)));
    surety_buf_reset(&buf);
    repeat(&buf, "a", 40);
    surety_buf_text(&buf, "!");
    TRY(buf.status);
    EXPECT(SURETY_LIMIT, match_once(t, surety_str_of("^(a+)+\\b$"), NULL,
                                    surety_buf_str(&buf), &match));
    CHECK(match == -1);
    surety_buf_reset(&buf);
    repeat(&buf, "a", 50000);
    TRY(buf.status);
    TRY(match_once(t, surety_str_of(".*x.*"), NULL, surety_buf_str(&buf),
                   &match));
    CHECK(match == 0);
    repeat(&buf, " ", 50000);
    surety_buf_text(&buf, "x");
    TRY(buf.status);
    TRY(match_once(t, surety_str_of("\\s+$"), NULL, surety_buf_str(&buf),
                   &match));
    CHECK(match == 0);
done:
    surety_buf_done(&buf);
}

/* A matcher goes on after a limit, and serves any pattern. */
TEST(goes_on_after_a_limit)
{
    const surety_limits limits = {.size = sizeof(limits),
                                  .pattern_match_max = 1000};
    surety__matcher *matcher = surety__matcher_new(check_alloc(t), &limits);
    surety__pattern *slow = NULL;
    surety__pattern *quick = NULL;
    surety_str text = surety_str_of("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!");

    NEED(matcher);
    TRY(surety__pattern_compile(surety_str_of("^(a|a)+\\b$"), check_alloc(t),
                                &limits, &slow, NULL));
    TRY(surety__pattern_compile(surety_str_of("\\b!$|\\bb"), check_alloc(t),
                                &limits, &quick, NULL));
    EXPECT(SURETY_LIMIT,
           (surety_status)surety__pattern_match(slow, matcher, text));
    CHECK(surety__pattern_match(quick, matcher, text) == 1);
    CHECK(surety__pattern_match(quick, matcher, (surety_str){NULL, 0}) == 0);
    CHECK(surety__pattern_match(slow, matcher, surety_str_of("aa")) == 1);
done:
    surety__pattern_free(slow);
    surety__pattern_free(quick);
    surety__matcher_free(matcher);
}

static const char *const simple_patterns[] = {
    /* plain texts */
    "",
    "^",
    "$",
    "^$",
    "^^$$",
    "^x-",
    "abc",
    "^ab$",
    "b$",
    "^(ab)$",
    "(a)(b)",
    "\xc3\xa9",
    "^\xc3\xa9\x61$",
    "^\\.$",
    "^x\\x2d",
    "[a]",
    "^[.]",
    "a{2}",
    "^\\u{1F432}$",
    "^a(?:)b$",
    "^a{0}b{1}$",
    /* sets */
    "^.*$",
    "^.+$",
    "^.{1,3}$",
    ".*",
    ".",
    "^.b",
    "^[a-c]+$",
    "^[^/]+$",
    "^[^ab]*b",
    "^\\W*$",
    "^\\D+\\d$",
    "^\\s+$",
    "^\\S+$",
    "\\s",
    "[\\s\\S]",
    "^[^\\s@]+$",
    "^[\xc3\xa9-\xe2\x80\xa8]+$",
    "^[^\xc3\xa9]*$",
    "[]",
    "[^]",
    "^[^\\S]",
    "\\ud83d|b",
    "[\\ud83da]",
    "^[\\w\\s]+$",
    "^[\\S\\d]$",
    "[\\0-\\u{10ffff}]$",
    "^[\\x80-\\u{10ffff}]+$",
    /* repetitions */
    "^[ab]{2,3}$",
    "^a+b*$",
    "^a?b?$",
    "^a*?$",
    "a+",
    ".*b",
    "^a*a$",
    "^[a-c]*b",
    "^.*x$",
    "^a?[a-c]?a$",
    "^(a*)*b",
    "^(ab?){2,4}$",
    "^(a|b{2}){2,}c",
    "^(a?){3}$",
    "^(a?b?){2,3}c",
    "^((a|b)c?){0,2}x$",
    "^(?:a{2}){2}$",
    "a{2,}b",
    "^(a{0,2}){1,2}-$",
    "x(?:){5}",
    "^(|a)+b",
    "^\xc3\xa9{2,3}",
    "^[a-c]{0,9}$",
    "^[^a]{0,9}$",
    "^.{9,}$",
    "^.{1,9}$",
    "^a[^b]{9}$",
    "^x-.{0,10}$",
    "^\xc3\xa9.{0,20}$",
    "^^.{0,9}$",
    "^a?.{0,9}$",
    "^.{10}$|^a",
    "^(.{0,9})$",
    "^(?!a).{0,9}$",
    "a^.{0,9}$",
    "^[a-c]{0,70}x$",
    "^.{0,130}$",
    "^(a|.{2,}b){3}$",
    /* alternatives and groups */
    "a|b",
    "^(a|b|ab)$",
    "^a|b$",
    "(\\.a|\\.b)$",
    "^(?:x-)?a",
    "^(?<n>a|)b",
    "^(ab|ac|b|)$",
    "|a",
    "^(a|(b|(c|-)x)a)*$",
    "^x|^a|b^",
    "(?:a|b)+[0-9]",
    /* anchors anywhere */
    "(^|-)a",
    "a($|-)",
    "^(^a|b)",
    "(^a|b)+",
    "(?:^|a)+b",
    "a$b",
    "a^",
    "(a$|b)$",
    "^(a|$)",
    "(^)*x",
    "(^)+x",
    "(a|^)(b|$)",
    "x*^a*$",
    /* lookaheads at the start */
    "^(?!a)",
    "^(?=a|b)[^c]+$",
    "^(?!ab)a",
    "^(?!.*b)[a-c]+",
    "^(?!a$|b$).*",
    "^(?=.*a)(?=.*b)(?!x)",
    "^(?!^a|^b)",
    "^(?!)",
    "^(?=)a",
    "^(?![a-c])(?:\xc3\xa9|x)",

    "(?:^)(?!b)",
    /* what schemas write */
    "^-?[0-9]+$",
    "^[A-Z]{2}-\\d{2}$",
    "^[a-z][a-z0-9_]*$",
    "^\\w+@\\w+$",
    "^(0|[1-9][0-9]*)(\\.(0|[1-9][0-9]*))?(-[a-c]+(\\.[a-c]+)*)?$",
    "^[a-c]+(-[a-c]+)*$",
    "^(?:@[a-c]+/)?[a-c]+$",
    "^[^/]+/[^/]+$",
};

/* Writes a text of up to 7 characters picked by *seed. */
static surety_str random_text(uint32_t *seed, char *bytes)
{
    static const char *const pieces[] = {
        "a",
        "b",
        "c",
        "x",
        "-",
        "/",
        "0",
        "9",
        "A",
        "Z",
        "_",
        "@",
        ".",
        " ",
        "\n",
        "\xc3\xa9",
        "\xe2\x80\xa8",
        "\xf0\x9f\x90\xb2",
        "ab",
        "x-",
        "a",
    };
    size_t len = 0;
    uint32_t count;

    *seed = *seed * 1664525 + 1013904223;
    for (count = (*seed >> 16) % 8; count; count--) {
        const char *piece;

        *seed = *seed * 1664525 + 1013904223;
        piece = pieces[(*seed >> 16) % CHECK_COUNT(pieces)];
        memcpy(bytes + len, piece, strlen(piece));
        len += strlen(piece);
    }
    return (surety_str){bytes, len};
}

/* One pattern by its automaton and by PCRE2, which a word boundary forces, here
 * one that may be there or not. */
static surety_status compare_once(struct check *t, const char *source,
                                  surety__matcher *matcher, bool *ret_same)
{
    surety__pattern *simple = NULL;
    surety__pattern *program = NULL;
    surety_buf grouped;
    surety_status status;
    uint32_t seed = 7;
    char bytes[64];

    surety_buf_init(&grouped, check_alloc(t), 0);
    surety__buf_printf(&grouped, "(?:%s)(?:\\b|\\B)", source);
    status = grouped.status;
    if (!status)
        status = surety__pattern_compile(surety_str_of(source), check_alloc(t),
                                         NULL, &simple, NULL);
    if (!status)
        status = surety__pattern_compile(surety_buf_str(&grouped),
                                         check_alloc(t), NULL, &program, NULL);
    *ret_same = !status && surety__pattern_is_simple(simple) &&
                !surety__pattern_is_simple(program);
    for (int i = 0; !status && *ret_same && i < 400; i++) {
        surety_str text = random_text(&seed, bytes);
        int want = surety__pattern_match(program, matcher, text);

        if (want < 0)
            status = (surety_status)want;
        else if (surety__pattern_match(simple, matcher, text) != want)
            *ret_same = false;
    }
    if (!status && !*ret_same)
        printf("# %s\n", source);
    surety__pattern_free(simple);
    surety__pattern_free(program);
    surety_buf_done(&grouped);
    return status;
}

TEST(answers_as_pcre2_does)
{
    surety__matcher *matcher = surety__matcher_new(check_alloc(t), NULL);

    NEED(matcher);
    for (size_t i = 0; i < CHECK_COUNT(simple_patterns); i++) {
        bool same = false;

        TRY(compare_once(t, simple_patterns[i], matcher, &same));
        CHECK(same);
    }
done:
    surety__matcher_free(matcher);
}

/* What no automaton can be had for. */
TEST(leaves_the_rest_to_pcre2)
{
    static const char *const patterns[] = {
        "\\bx",      "x\\B",     "(a)\\1",      "^\\p{L}$",  "[\\P{L}a]",
        "a(?=b)",    "(?!a)b",   "^(?:(?!a)b)", "^(^(?!a))", "^(?!a)b|c",
        "a|^(?!a)b", "^a?(?!b)", "(?<=a)b",     "$^",        "a($^|b)",
    };

    for (size_t i = 0; i < CHECK_COUNT(patterns); i++) {
        surety__pattern *pattern = NULL;
        bool simple;

        TRY(surety__pattern_compile(surety_str_of(patterns[i]), check_alloc(t),
                                    NULL, &pattern, NULL));
        simple = surety__pattern_is_simple(pattern);
        surety__pattern_free(pattern);
        if (simple)
            printf("# %s\n", patterns[i]);
        CHECK(!simple);
    }
done:;
}

/* Compiles what buf holds; tells whether PCRE2 is needed. */
static surety_status compile_kind(struct check *t, const surety_buf *buf,
                                  bool *ret_simple)
{
    const surety_limits limits = {.size = sizeof(limits),
                                  .pattern_len_max = 8192};
    surety__pattern *pattern = NULL;
    surety_status status =
        buf->status
            ? buf->status
            : surety__pattern_compile(surety_buf_str(buf), check_alloc(t),
                                      &limits, &pattern, NULL);

    if (!status)
        *ret_simple = surety__pattern_is_simple(pattern);
    surety__pattern_free(pattern);
    return status;
}

/* Patterns that reach a bound of the automata: each is `first`, then `more` as
 * often as is said, then `last`; "%" is another character each time and "&"
 * another class. With one more PCRE2 does it. */
static const struct {
    const char *first, *more, *last;
    unsigned count;
} bound_cases[] = {
    /* positions, with the one behind the pattern */
    {"^", "[ab]", "", 510},
    /* work: every state holds all that is behind it */
    {"[ab]", "[ab]", "", 250},
    /* states, but the two that all have */
    {"a", "[ab]", "c", 7},
    /* groups in groups */
    {"[ab]", "(", "", 15},
    /* lookaheads */
    {"^", "(?!a)", "b", 3},
    /* columns: with them go those of the rest, twice, and of the end */
    {"^", "%?", "b", 124},
    /* different sets: pairs of letters */
    {"^", "&", "", 128},
    /* ranges of a class */
    {"^[", "%", "]", 24},
};

/* Writes such a pattern; closes what groups it opened. */
static void write_bound(surety_buf *buf, size_t i, unsigned count)
{
    surety_buf_reset(buf);
    surety_buf_text(buf, bound_cases[i].first);
    for (unsigned k = 0; k < count; k++) {
        const char *more = bound_cases[i].more;

        if (*more == '%')
            surety__buf_printf(buf, "\\u{%x}%s",
                               more[1] == '?' ? k : 0x1000 + 2 * k, more + 1);
        else if (*more == '&')
            surety__buf_printf(buf, "[%c%c]", 'a' + (int)k / 12,
                               'n' + (int)k % 12);
        else
            surety_buf_text(buf, more);
    }
    if (*bound_cases[i].more == '(' && bound_cases[i].more[1] != '?')
        repeat(buf, ")", count);
    surety_buf_text(buf, bound_cases[i].last);
}

TEST(keeps_the_bounds_of_automata)
{
    surety_buf buf;

    surety_buf_init(&buf, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(bound_cases); i++) {
        for (unsigned more = 0; more < 3; more++) {
            bool simple = false;

            write_bound(&buf, i, bound_cases[i].count - 1 + more);
            TRY(compile_kind(t, &buf, &simple));
            if (simple != (more < 2))
                printf("# bound %zu, one of %u\n", i, more);
            CHECK(simple == (more < 2));
        }
    }
done:
    surety_buf_done(&buf);
}

/* Sets of positions grow a word at a time: counts on both sides of each. */
TEST(counts_over_the_ends_of_words)
{
    static const unsigned counts[] = {20, 21, 22, 42, 43, 85, 86, 169};
    surety_buf source, text;

    surety_buf_init(&source, check_alloc(t), 0);
    surety_buf_init(&text, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(counts); i++) {
        surety_buf_reset(&source);
        surety__buf_printf(&source, "^(?:a[bc]-){%u}$", counts[i]);
        TRY(source.status);
        for (unsigned more = 0; more < 3; more++) {
            int match = -1;

            surety_buf_reset(&text);
            repeat(&text, "ab-", counts[i] - 1 + more);
            TRY(text.status);
            TRY(match_once(t, surety_buf_str(&source), NULL,
                           surety_buf_str(&text), &match));
            CHECK(match == (more == 1));
        }
    }
done:
    surety_buf_done(&source);
    surety_buf_done(&text);
}

/* A pattern of random pieces, which may be none. */
static void random_pattern(uint32_t *seed, surety_buf *buf)
{
    static const char *const pieces[] = {
        "a",    "b", "x",        "-",  ".",    "\\d", "\\s",   "\\S",
        "[ab]", "^", "$",        "|",  "[^a]", "(",   "(?:",   "(",
        ")",    ")", "*",        "+",  "?",    "{2}", "{0,2}", "{2,}",
        "*?",   "",  "\xc3\xa9", "[]", "{0}",  "[^]", "[^\\s]"};
    size_t open = 0;
    size_t kept = 0; /* of those, how many are closed at the end only */
    uint32_t count;

    surety_buf_reset(buf);
    *seed = *seed * 1664525 + 1013904223;
    if (*seed >> 30 == 0) {
        surety_buf_text(buf, "^(?!a)(");
        open++;
        kept++;
    }
    for (count = 2 + (*seed >> 16) % 12; count; count--) {
        const char *piece;

        *seed = *seed * 1664525 + 1013904223;
        piece = pieces[(*seed >> 16) % CHECK_COUNT(pieces)];
        if (*piece == ')' && open == kept)
            continue;
        open += *piece == '(';
        open -= *piece == ')';
        surety_buf_text(buf, piece);
    }
    repeat(buf, ")", open);
    if (*seed >> 31)
        surety_buf_text(buf, "$");
    surety_buf_byte(buf, '\0');
}

TEST(answers_random_patterns_as_pcre2_does)
{
    surety__matcher *matcher = surety__matcher_new(check_alloc(t), NULL);
    surety_buf buf;
    uint32_t seed = 1;
    unsigned compared = 0;

    surety_buf_init(&buf, check_alloc(t), 0);
    NEED(matcher);
    for (int i = 0; i < 120; i++) {
        bool same = false;

        random_pattern(&seed, &buf);
        TRY(buf.status);
        if (!surety__pattern_is_valid((surety_str){buf.ptr, buf.len - 1}))
            continue;
        buf.len--;
        TRY(compile_kind(t, &buf, &same));
        if (!same)
            continue;
        TRY(compare_once(t, buf.ptr, matcher, &same));
        CHECK(same);
        compared++;
    }
    CHECK(compared > 40);
done:
    surety_buf_done(&buf);
    surety__matcher_free(matcher);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"matches as ECMA-262 says", matches_as_ecma_says},
        {"refuses what is no pattern", refuses_what_is_no_pattern},
        {"refuses what cannot be matched", refuses_what_cannot_be_matched},
        {"takes more than the grammar", takes_more_than_the_grammar},
        {"keeps the limits of a pattern", keeps_the_limits_of_a_pattern},
        {"keeps the limits of names", keeps_the_limits_of_names},
        {"ends hostile patterns quickly", ends_hostile_patterns_quickly},
        {"goes on after a limit", goes_on_after_a_limit},
        {"answers as PCRE2 does", answers_as_pcre2_does},
        {"leaves the rest to PCRE2", leaves_the_rest_to_pcre2},
        {"keeps the bounds of automata", keeps_the_bounds_of_automata},
        {"counts over the ends of words", counts_over_the_ends_of_words},
        {"answers random patterns as PCRE2 does",
         answers_random_patterns_as_pcre2_does},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
