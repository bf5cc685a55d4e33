/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile replies: pieces of markup and JSON, repeated to 2 MiB. The finder
 * counts the bytes its passes go over, and that count is bounded; a part that
 * does not count and is not linear would not come to an end here. Memory is
 * bounded by a multiple of the reply. */
#include "check.h"
#include "extract/finder.h"
#include "meter.h"

#include <stdlib.h>

#define REPLY_LEN ((size_t)1 << 21)
/* Two passes (marker, embedded), each up to SURETY__PASSES_MAX times over the
 * text, one more for the step that reaches that bound. */
#define WORK_MAX (2 * (SURETY__PASSES_MAX + 2) * REPLY_LEN)
#define MEMORY_MAX (16 * REPLY_LEN)

static const char *const pieces[] = {
    "{",
    "[",
    "`",
    "~",
    "\"",
    "'",
    "\\",
    "<",
    ">",
    "}",
    "]",
    "-",
    "#",
    "\t",
    "\n",
    "\r",
    "\r\n",
    "  \n",
    "{\"",
    "[\"",
    "{\"a\":\"",
    "{\"a\":",
    "[1,[1,",
    "[1,x",
    "{a:",
    "{'a':'",
    "[[",
    "{{",
    "\\\"",
    "[\"\\",
    "[\"x ",
    "{\"x {",
    "{}",
    "{\"a\":1}",
    "[1] ",
    "[0, 1) ",
    "{\"a\":1 \"}",
    "[1,x\"]",
    "{\"a\": x, \"",
    "[{\"a\":1} x",
    "{\"a\":x'{'",
    "{a:[1,x\n",
    "[{a:1,",
    "[/*",
    "{\"\x01",
    "{\"a\":\"\x01\"} ",
    "[\"a\" ",
    "{\"a\":x\n",
    "{\"a\":\"\nx\" y",
    "{\"a\":[}",
    "{\"a\":1}x[",
    "```json\n",
    "```\n",
    "````\n```\n",
    "~~~\n~~~\n",
    "```js `\n",
    "``` ",
    "- ",
    "1. ",
    "- > ",
    "> ",
    ">",
    "- a\n",
    "* * ",
    "- - x\n",
    "> ```\n",
    "- ```\n",
    "- ```\n  {\n",
    "- ```\n{\n",
    "    ```\n",
    "\n- a\n\n\n",
    "<think>",
    "<think></think>",
    "<think <",
    "<think a",
    "</think>",
    "x</think>",
    "\"</think>",
    "\"</think>\n",
    "</think>\n",
    "x <think>\n",
    "<think></think>\n```json\n1\n```\n",
    "</think>```\n",
    "[think]",
    "<|end|>",
    "<think>\n</thinking>",
    "M",
    "M:",
    "M {\"a\":",
    "M {\"a\":\"",
    "M \"",
    "M 1 ",
    "M {}",
    "M\n```\n",
    "M [0, 1) ",
    "M <think></think>",
    "\xEF\xBB\xBF",
    "\xC2\xA0",
    "\xE2\x80",
};

/* Searches one candidate after the other, as the judge does: what is read in
 * vain is bounded, too. */
static surety_status stepped(surety_finder *finder, surety_doc *doc,
                             surety_str reply, const surety_extract *how)
{
    surety_status status = surety__finder_begin(finder, reply, how, NULL, NULL);
    surety_place place;

    while (status == SURETY_OK) {
        status = surety__finder_next(finder, doc);
        if (status == SURETY_END)
            status = surety__finder_place(finder, &place);
    }
    return status == SURETY_END ? SURETY_OK : status;
}

TEST(hostile_replies)
{
    struct meter meter = {0, 0};
    const surety_alloc alloc = {meter_resize, &meter};
    char *text = malloc(REPLY_LEN);
    surety_doc *doc = surety_doc_new(NULL);
    surety_finder *finder = NULL;

    CHECK(text && doc);
    for (size_t i = 0; i < CHECK_COUNT(pieces); i++) {
        const size_t len = strlen(pieces[i]);
        surety_extract how = {.size = sizeof(how), .marker = {"M", 1}};

        for (size_t at = 0; at < REPLY_LEN; at++)
            text[at] = pieces[i][at % len];
        for (int last = 0; last < 2; last++) {
            bool within;

            meter.peak = meter.now;
            finder = surety_finder_new(&alloc);
            NEED(finder);
            how.pick_last = last;
            TRY(surety_finder_find(finder, (surety_str){text, REPLY_LEN}, &how,
                                   NULL, NULL));
            within = finder->work <= WORK_MAX && meter.peak <= MEMORY_MAX;
            if (!within)
                printf("# %s: %zu bytes gone over, %zu held\n", pieces[i],
                       finder->work, meter.peak);
            CHECK(within);
            CHECK(surety_finder_count(finder) <= 256);
            if (!last)
                TRY(stepped(finder, doc, (surety_str){text, REPLY_LEN}, &how));
            CHECK(finder->work <= WORK_MAX);
            surety_finder_free(finder);
            finder = NULL;
        }
    }
done:
    surety_finder_free(finder);
    surety_doc_free(doc);
    free(text);
}

/* What a reader would call ordinary is gone over about once a pass. */
TEST(ordinary_replies)
{
    static const char piece[] =
        "Per [2], the set {id} gives {\"id\": 7, \"of\": [1, 2, {\"x\": "
        "\"a \\\" b\"}]}; it's \"fine\" (see `[1]`).\n\n```json\n{\"a\": 1}\n"
        "```\n";
    surety_finder *finder = surety_finder_new(check_alloc(t));
    surety_extract how = {.size = sizeof(how), .pick_last = true};
    char *text = malloc(sizeof(piece) * 1000);
    size_t len = 0;

    CHECK(text);
    NEED(finder);
    for (int i = 0; i < 1000; i++, len += sizeof(piece) - 1)
        memcpy(text + len, piece, sizeof(piece) - 1);
    how.marker = surety_str_of("gives");
    TRY(surety_finder_find(finder, (surety_str){text, len}, &how, NULL, NULL));
    CHECK(surety_finder_count(finder) == 256);
    CHECK(finder->work < 3 * len);
done:
    surety_finder_free(finder);
    free(text);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"hostile replies", hostile_replies},
        {"ordinary replies", ordinary_replies},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
