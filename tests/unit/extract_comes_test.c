/* SPDX-License-Identifier: Apache-2.0 */
/* A reply that comes in steps: however it is cut, its lines come to the blocks
 * and the reasoning of a scan of the whole, so what a stream shows lies where
 * that scan looks, too. And hostile text, byte by byte, comes to its end: a
 * part that is not linear would not. */
#include "check.h"
#include "extract/finder.h"

#include <stdlib.h>

/* What a line may be about, in twos and threes. */
static const char *const pieces[] = {
    "```",     "~~~",      "````",        "json",         "\n",
    "\n",      "\n",       "\r\n",        "\r",           " ",
    "   ",     "    ",     "\t",          "> ",           "- ",
    "1. ",     "* ",       "-",           "<think>",      "</think>",
    "<think ", "[think]",  "</",          "think>",       "{\"a\": 1}",
    "\"",      "text",     "<|channel|>", "analysis",     "<|end|>",
    "```\n",   "[/think]", "`",           "\xEF\xBB\xBF", "```json\n{}\n```\n",
};

/* The lines before it are whole, and something comes of it. */
static const char last[] = "\n.\n~~~\n~~~\n~";

static uint32_t pick(uint32_t *seed, uint32_t count)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 16) % count;
}

static surety_str made(char *text, uint32_t seed)
{
    size_t len = 0;

    for (uint32_t left = 1 + pick(&seed, 14); left; left--) {
        const char *piece = pieces[pick(&seed, CHECK_COUNT(pieces))];

        memcpy(text + len, piece, strlen(piece));
        len += strlen(piece);
    }
    memcpy(text + len, last, sizeof(last) - 1);
    return (surety_str){text, len + sizeof(last) - 1};
}

/* All fields, from the reply's start on, as they come. */
static surety_status feed(surety_finder *finder, surety_str reply, size_t step)
{
    const surety_extract how = {.size = sizeof(how)};
    surety_status status =
        surety__finder_begin(finder, (surety_str){"", 0}, &how, NULL, NULL);
    surety__field field;
    size_t at = 0;
    bool same;

    for (size_t len = 0; len < reply.len && status == SURETY_OK;) {
        len = reply.len - len < step ? reply.len : len + step;
        status = surety__finder_extend(finder, (surety_str){reply.ptr, len},
                                       false, &same);
        while (status == SURETY_OK && surety__finder_field(finder, at, &field))
            at = field.stop;
    }
    return status;
}

/* Whether both scans found the same, but for a block that is open. */
static bool is_same(const surety_finder *whole, const surety_finder *steps)
{
    const surety__layout *a = &whole->layout;
    const surety__layout *b = &steps->layout;
    bool same = a->masks.count == b->masks.count &&
                a->reasoning_open == b->reasoning_open &&
                a->blocks.count == b->blocks.count - steps->lines.fenced;

    for (size_t i = 0; same && i < a->masks.count; i++)
        same = !memcmp(surety__mask_at(whole, i), surety__mask_at(steps, i),
                       sizeof(surety__span));
    for (size_t i = 0; same && i < a->blocks.count; i++) {
        const surety__block *x = surety__block_at(whole, i);
        const surety__block *y = surety__block_at(steps, i);

        same = x->line == y->line && x->fence == y->fence &&
               x->content == y->content && x->content_end == y->content_end &&
               x->close_end == y->close_end && x->tag == y->tag;
    }
    return same;
}

TEST(however_it_comes)
{
    static const size_t steps[] = {1, 3, 64};
    const surety_extract how = {.size = sizeof(how)};
    surety_finder *whole = surety_finder_new(check_alloc(t));
    surety_finder *comes = surety_finder_new(check_alloc(t));
    char text[512];

    NEED(whole);
    NEED(comes);
    for (uint32_t i = 0; i < 20000; i++) {
        const surety_str reply = made(text, i);

        TRY(surety__finder_begin(whole, reply, &how, NULL, NULL));
        TRY(surety__place_layout(whole));
        for (size_t k = 0; k < CHECK_COUNT(steps); k++) {
            TRY(feed(comes, reply, steps[k]));
            if (!is_same(whole, comes))
                printf("# seed %u, %zu at a time\n", (unsigned)i, steps[k]);
            CHECK(is_same(whole, comes));
        }
    }
done:
    surety_finder_free(whole);
    surety_finder_free(comes);
}

TEST(hostile_text_comes_to_its_end)
{
    enum { LEN = 1 << 20 };
    surety_finder *finder = surety_finder_new(NULL);
    char *text = malloc(LEN);

    CHECK(text);
    NEED(finder);
    for (size_t i = 0; i < CHECK_COUNT(pieces); i++) {
        const size_t len = strlen(pieces[i]);

        for (size_t at = 0; at < LEN; at++)
            text[at] = pieces[i][at % len];
        TRY(feed(finder, (surety_str){text, LEN}, 1));
    }
done:
    surety_finder_free(finder);
    free(text);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"however it comes", however_it_comes},
        {"hostile text comes to its end", hostile_text_comes_to_its_end},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
