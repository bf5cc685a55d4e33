/* SPDX-License-Identifier: Apache-2.0 */
/* The laws of the tolerant reader (lenient_laws.h): over its cases, cut at
 * every byte; over JSON with bytes changed, taken out and put in; and over long
 * texts made to cost as much as they can. */
#include "check.h"
#include "lenient_cases.h"
#include "lenient_laws.h"

#include <stdlib.h>

static bool laws_hold(surety_str text, const struct laws_chunks *chunks)
{
    const char *broken = laws_of(text, chunks, NULL);

    if (broken)
        printf("# %s: %.*s\n", broken, (int)(text.len < 300 ? text.len : 300),
               text.ptr);
    return !broken;
}

TEST(cases_keep_the_laws_at_every_cut)
{
    for (size_t i = 0; i < CHECK_COUNT(lenient_cases); i++) {
        surety_str text = surety_str_of(lenient_cases[i].text);
        unsigned char lens[2] = {1, 255};
        struct laws_chunks chunks = {
            .lens = lens, .count = 1, .snapshots = true};

        CHECK(laws_hold(text, &chunks));
        chunks.count = 2;
        for (size_t cut = 1; cut < text.len && cut < 255; cut++) {
            lens[0] = (unsigned char)cut;
            chunks.snapshots = cut & 1;
            CHECK(laws_hold(text, &chunks));
        }
    }
done:
    return;
}

/* ---- JSON with mistakes ------------------------------------------------- */

static uint32_t random_next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static const char *const samples[] = {
    "{\"id\": 4821, \"title\": \"Printer on floor 3\", \"tags\": [\"a\", "
    "\"b\"], "
    "\"open\": true, \"who\": null}",
    "[{\"n\": 1, \"text\": \"Slice, \\\"then\\\" stir\"}, {\"n\": 2.5e3, "
    "\"text\": \"caf\xC3\xA9 \\ud83d\\ude00\"}]",
    "{\"a\": {\"b\": [1, [2500.0, -7], {\"c\": \"q\\\"uote \\\\ \\n\"}], "
    "\"d\": true}, \"e\": null}",
    "{\"\"a\"\": \"\"b\"\", \"c\": ```py\nx\n```, \"d\": [```json\n{}\n```]}",
    "{\n> &quot;a&quot;: &quot;b &amp; c&quot;,\n> \"d\": \"e\"}",
    "[Ticket(id=1, l=array([1, 2])), OrderedDict([('a', 'b')]), ['a' => :b]]",
    "{'a': [True, None,], b: x y, // c\n \"c\": \"he said \"no\", then\"}",
};

static const char *const pieces[] = {
    "\"",   "'",  ",",    ":",       "{",
    "}",    "[",  "]",    "\\",      "\n",
    "\"\"", "//", "...",  "(",       "\xE2\x80\x9C",
    " ",    "1",  "a",    "\": ",    ", ",
    "/*",   "{{", "\xFF", "\"k\": ", "f(",
    "a=",   ")",  "=>",
};

/* The sample with some pieces taken out, put in or changed; its length. */
static size_t mutate(const char *sample, uint64_t *state, char *out)
{
    size_t len = strlen(sample);

    memcpy(out, sample, len);
    for (uint32_t i = random_next(state) % 4 + 1; i > 0; i--) {
        const char *piece = pieces[random_next(state) % CHECK_COUNT(pieces)];
        size_t at = random_next(state) % (len + 1), add = strlen(piece);

        switch (random_next(state) % 4) {
        case 0: /* cut off */
            if (random_next(state) % 4 == 0)
                len = at;
            break;
        case 1: /* out */
            if (at < len) {
                memmove(out + at, out + at + 1, len - at - 1);
                len--;
            }
            break;
        default:
            memmove(out + at + add, out + at, len - at);
            memcpy(out + at, piece, add);
            len += add;
            break;
        }
    }
    return len;
}

TEST(mistakes_keep_the_laws)
{
    uint64_t state = 1;
    char text[512] = {0};

    for (unsigned i = 0; i < 4000; i++) {
        unsigned char lens[3];
        struct laws_chunks chunks = {
            .lens = lens, .count = 3, .snapshots = i & 1};
        size_t len = mutate(samples[i % CHECK_COUNT(samples)], &state, text);

        for (size_t n = 0; n < 3; n++)
            lens[n] = (unsigned char)(random_next(&state) % 9 + 1);
        CHECK(laws_hold((surety_str){text, len}, &chunks));
    }
done:
    return;
}

/* ---- texts made to cost much --------------------------------------------- */

struct costly {
    const char *head, *unit;
};

static const struct costly costly[] = {
    {"{\"a\": \"", "\""},
    {"{\"a\": \"", "\"\","},
    {"{\"a\": \"", "\", \""},
    {"{\"a\": \"", "\",\n"},
    {"{\"a\": \"", "\" \""},
    {"{\"a\":", "\"b\" \"c\" "},
    {"{\"a\":", "\"b\"+"},
    {"", "["},
    {"", "{\"a\":"},
    {"{\"a\": \"", "abc def "},
    {"{\"", "abcdefgh"},
    {"{\"a\":1,\"", "\\\""},
    {"{", "abcdefgh"},
    {"{", "ab cd "},
    {"{a: ", "ab cd, "},
    {"{a: ", "a,"},
    {"{a: b ", "a: "},
    {"{a: 1", ",1"},
    {"{/*", "*"},
    {"{a:", "/"},
    {"{a: ", "\n"},
    {"{a: x", " \n"},
    {"{\"a\":\"", "\"                "},
    {"[", "}"},
    {"[", "]"},
    {"{\"a\":[", "}]"},
    {"{\"a\":\"", "\\"},
    {"{\"a\":\"x\",\"", "\\\\\\\""},
    {"{\"a\":\"x", "\", \"\\\"\\\"\\\"\\\"\\\"\\\"\\\""},
    {"[", "..."},
    {"[", ","},
    {"[", "1_"},
    {"[a", "[{"},
    {"{'a':'", "it's "},
    {"{\xE2\x80\x9C"
     "a\xE2\x80\x9D:\xE2\x80\x9C",
     "\xE2\x80\x9Cx\xE2\x80\x9D "},
    {"[\"", "\xE2\x80"},
    {"{", "\"a\":1,"},
    {"", "("},
    {"{\"a\":\"", "\"\n"},
    {"{\"a\":\"", ",\n\"k\" "},
    {"[", "{\"a\":1,"},
    {"{\"v\":", "[1,\"k\":"},
    {"{\\\"a\\\": \\\"", "\\\\"},
    {"[", "\xC2\xA0"},
    {"[", "f(a=1), "},
    {"", "f(a="},
    {"", "dict([('a', "},
    {"{\"v\":", "f(["},
    {"[", "['a' "},
    {"{", ":a => "},
    {"\"", "x\" "},
    {"{", "\"\"a"},
    {"{", "&quot;"},
    {"{\"a\": ", "``"},
    {"{\"a\": ", "```x\n"},
    {"{", "\n>"},
    {"{\"a\": \"", "\\frac \\( "},
    {"{\"a\": ", "\"\\frac \\(\",\n"},
    {"{\"a\": \"\\(", "\\t"},
};

TEST(work_is_linear_in_the_text)
{
    static const unsigned char lens[] = {1, 2, 3, 4, 7, 64};
    enum { SIZE = 40000 };
    char *text = calloc(1, SIZE + 64);

    NEED(text);
    for (size_t i = 0; i < CHECK_COUNT(costly); i++) {
        const size_t unit = strlen(costly[i].unit);
        size_t len = strlen(costly[i].head);

        memcpy(text, costly[i].head, len);
        for (; len < SIZE; len += unit)
            memcpy(text + len, costly[i].unit, unit);
        for (size_t n = 0; n < sizeof(lens); n++) {
            const struct laws_chunks chunks = {
                .lens = lens + n, .count = 1, .snapshots = n == 3};

            CHECK(laws_hold((surety_str){text, len}, &chunks));
        }
    }
done:
    free(text);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"cases keep the laws at every cut", cases_keep_the_laws_at_every_cut},
        {"JSON with mistakes keeps the laws", mistakes_keep_the_laws},
        {"work is linear in the text", work_is_linear_in_the_text},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
