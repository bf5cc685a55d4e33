/* SPDX-License-Identifier: Apache-2.0 */
/* Letters: which code points are blanks, separators, punctuation and parts of
 * words, at every place of the basic plane; how close texts are. */
#include "check.h"

#include "align/letters.h"

#include <string.h>

typedef struct span {
    uint32_t first, last;
} span;

#define IN(spans, code) span_has(spans, CHECK_COUNT(spans), code)

static bool span_has(const span *spans, size_t count, uint32_t code)
{
    for (size_t i = 0; i < count; i++)
        if (code >= spans[i].first && code <= spans[i].last)
            return true;
    return false;
}

static const span blanks[] = {
    {0x09, 0x0D},     {0x20, 0x20},     {0x85, 0x85},     {0xA0, 0xA0},
    {0x2000, 0x200B}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x2060},
    {0x3000, 0x3000}, {0xFEFF, 0xFEFF},
};
/* Besides blanks. */
static const span separators[] = {
    {'_', '_'},   {'-', '/'},       {'\'', '\''},     {0x2019, 0x2019},
    {0xAD, 0xAD}, {0x2010, 0x2015}, {0x2212, 0x2212},
};
/* U+0345 is a small letter to those who know capitals. */
static const span marks[] = {{0x300, 0x344}, {0x346, 0x36F}};
/* Besides blanks. */
static const span around[] = {
    {'!', '"'},       {'\'', '*'},      {',', ','},       {'.', '.'},
    {':', '<'},       {'>', '>'},       {'[', '['},       {']', ']'},
    {'_', '`'},       {'{', '{'},       {'}', '~'},       {0xAB, 0xAB},
    {0xBB, 0xBB},     {0x2018, 0x201F}, {0x2026, 0x2026}, {0x2039, 0x203A},
    {0x3001, 0x3002}, {0x300C, 0x300F},
};
static const span no_words[] = {
    {0x00, 0x2F},
    {0x3A, 0x40},
    {0x5B, 0x60},
    {0x7B, 0x7F},
    {0x85, 0x85},
    {0xA0, 0xA9},
    {0xAB, 0xB4},
    {0xB6, 0xB9},
    {0xBB, 0xBF},
    {0xD7, 0xD7},
    {0xF7, 0xF7},
    {0x2000, 0x200B},
    {0x2010, 0x206F},
    {0x20A0, 0x20CF},
    {0x2190, 0x2BFF},
    {0x3000, 0x303F},
    {0xFEFF, 0xFEFF},
    {0xFF01, 0xFF0F},
    {0xFFFFFFFF, 0xFFFFFFFF},
};

/* The code point between two texts; what is longer than room is cut. */
static surety_str text_with(const char *before, uint32_t code,
                            const char *after, char room[16])
{
    char *at = room;

    memcpy(at, before, strlen(before));
    at += strlen(before);
    if (code < 0x80) {
        *at++ = (char)code;
    } else if (code < 0x800) {
        *at++ = (char)(0xC0 | code >> 6);
        *at++ = (char)(0x80 | (code & 0x3F));
    } else {
        *at++ = (char)(0xE0 | code >> 12);
        *at++ = (char)(0x80 | (code >> 6 & 0x3F));
        *at++ = (char)(0x80 | (code & 0x3F));
    }
    memcpy(at, after, strlen(after));
    return (surety_str){room, (size_t)(at - room) + strlen(after)};
}

static bool is_code_right(uint32_t code)
{
    char room[16];
    const bool blank = IN(blanks, code);
    const bool apart = blank || IN(separators, code);
    const surety_str inside = text_with("a", code, "b", room);
    const enum surety__closeness close =
        surety__text_closeness(inside, surety_str_of("ab"));
    surety_str text;

    if (surety__is_word(code) == IN(no_words, code))
        return false;
    if ((close == CLOSE_SEPARATOR) != apart ||
        (close == CLOSE_ACCENT) != (code == 0 || IN(marks, code)))
        return false;
    if (!apart && close <= CLOSE_SEPARATOR)
        return false;
    text = text_with("", code, "x", room);
    if ((surety__text_trim(text).len == 1) != blank)
        return false;
    if ((surety__text_bare(text).len == 1) != (blank || IN(around, code)))
        return false;
    text = text_with("x", code, "", room);
    if ((surety__text_trim(text).len == 1) != blank)
        return false;
    return (surety__text_bare(text).len == 1) == (blank || IN(around, code));
}

TEST(every_code_point)
{
    for (uint32_t code = 0; code < 0x10000; code++) {
        if (code >= 0xD800 && code < 0xE000)
            continue;
        if (!is_code_right(code))
            printf("# U+%04X\n", (unsigned)code);
        CHECK(is_code_right(code));
    }
    CHECK(surety__is_word(0x1D11E));
    CHECK(!surety__is_word(0xFFFFFFFF));
done:;
}

static const struct {
    const char *one, *other;
    enum surety__closeness want;
} close_texts[] = {
    {"", "", CLOSE_SAME},
    {"a", "a", CLOSE_SAME},
    {" a\t",
     "\xC2\xA0"
     "a",
     CLOSE_CASE},
    {"AZ", "az", CLOSE_CASE},
    {"@[", "`{", CLOSE_NOT},
    {"a", "b", CLOSE_NOT},
    {"ab", "abc", CLOSE_NOT},
    {"abc", "ab", CLOSE_NOT},
    {"", "a", CLOSE_NOT},
    {"", " ", CLOSE_NOT},
    {"-", "_", CLOSE_NOT},
    {"\xC3\x84", "\xC3\xA4", CLOSE_CASE},
    {"\xC3\x97", "\xC3\xB7", CLOSE_NOT},
    {"\xC4\x80", "\xC4\x81", CLOSE_CASE},
    {"\xC4\x81", "\xC4\x80", CLOSE_CASE},
    {"\xC4\x81", "\xC4\x82", CLOSE_ACCENT},
    {"\xCE\x91", "\xCE\xB1", CLOSE_CASE},
    {"\xD0\x90", "\xD0\xB0", CLOSE_CASE},
    {"a-b", "a_b", CLOSE_SEPARATOR},
    {"a-b", "A b", CLOSE_SEPARATOR},
    {"it's", "its", CLOSE_SEPARATOR},
    /* Separators between two digits count, as one. */
    {"1-2", "12", CLOSE_NOT},
    {"1-2", "1 2", CLOSE_SEPARATOR},
    {"1 - 2", "1.2", CLOSE_SEPARATOR},
    {"9-0", "90", CLOSE_NOT},
    {"1-a", "1a", CLOSE_SEPARATOR},
    {"a-1", "a1", CLOSE_SEPARATOR},
    {"1-a-2", "1a2", CLOSE_SEPARATOR},
    {"1-:", "1:", CLOSE_SEPARATOR},
    {"1-2-3", "1 2_3", CLOSE_SEPARATOR},
    {"\xC3\xA9", "E", CLOSE_ACCENT},
    {"e\xCC\x81", "\xC3\xA9", CLOSE_ACCENT},
    {"e\xCC\x81-x", "ex", CLOSE_ACCENT},
    {"\xC3\x9F", "ss", CLOSE_ACCENT},
    {"\xC3\x9F", "s", CLOSE_NOT},
    {"\xC3\x86", "AE", CLOSE_ACCENT},
    {"\xC5\x93", "oe", CLOSE_ACCENT},
    {"\xC3\xB8", "o", CLOSE_ACCENT},
    {"\xC3\xB0", "d", CLOSE_ACCENT},
    {"\xC4\x91", "d", CLOSE_ACCENT},
    {"\xC4\xB1", "i", CLOSE_ACCENT},
    {"\xC5\x82", "l", CLOSE_ACCENT},
    {"\xCF\x82", "\xCF\x83", CLOSE_CASE},
    {"\xEF\xBC\x81", "!", CLOSE_ACCENT},
    {"\xEF\xBC\xA1", "a", CLOSE_ACCENT},
    {"\xEF\xBD\x9E", "~", CLOSE_ACCENT},
    {"\xEF\xBD\x9F", "\x7F", CLOSE_NOT},
    {"\xEF\xBC\x80", " ", CLOSE_NOT},
};

TEST(texts_are_close)
{
    for (size_t i = 0; i < CHECK_COUNT(close_texts); i++) {
        const surety_str one = surety_str_of(close_texts[i].one);
        const surety_str other = surety_str_of(close_texts[i].other);

        if (surety__text_closeness(one, other) != close_texts[i].want)
            printf("# %s and %s\n", close_texts[i].one, close_texts[i].other);
        CHECK(surety__text_closeness(one, other) == close_texts[i].want);
        CHECK(surety__text_closeness(other, one) == close_texts[i].want);
        /* What is close has one hash. */
        if (close_texts[i].want != CLOSE_NOT)
            CHECK(surety__text_hash(one) == surety__text_hash(other));
    }
    CHECK(surety__text_hash(surety_str_of("a")) !=
          surety__text_hash(surety_str_of("b")));
    CHECK(surety__text_hash(surety_str_of("ab")) !=
          surety__text_hash(surety_str_of("ba")));
done:;
}

TEST(what_stands_around_is_passed)
{
    static const struct {
        const char *text, *trimmed, *bare;
    } cases[] = {
        {"", "", ""},
        {" ", "", ""},
        {"\"", "\"", ""},
        {" a ", "a", "a"},
        {"\xC2\xA0 a\xE3\x80\x80", "a", "a"},
        {"**a**", "**a**", "a"},
        {" (\xE2\x80\x9C"
         "a\xE2\x80\x9D). ",
         "(\xE2\x80\x9C"
         "a\xE2\x80\x9D).",
         "a"},
        {"a?", "a?", "a?"},
        {"+a-", "+a-", "+a-"},
        {"a b", "a b", "a b"},
        {"\xC3\xA9", "\xC3\xA9", "\xC3\xA9"},
        {".\xC3\xA9.", ".\xC3\xA9.", "\xC3\xA9"},
        {"...", "...", ""},
    };

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        const surety_str text = surety_str_of(cases[i].text);

        CHECK_TEXT(surety__text_trim(text), cases[i].trimmed);
        CHECK_TEXT(surety__text_bare(text), cases[i].bare);
    }
    CHECK(surety__text_trim((surety_str){NULL, 0}).len == 0);
done:;
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"every code point", every_code_point},
        {"texts are close", texts_are_close},
        {"what is around is passed", what_stands_around_is_passed},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
