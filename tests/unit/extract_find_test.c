/* SPDX-License-Identifier: Apache-2.0 */
/* The finder's own promises: names, options, limits, where text comes from,
 * what it does with misuse, and that a reply cut anywhere is looked at safely.
 * What is found where is told by the examples (extract_examples_test.c). */
#include "check.h"

#include <surety/json.h>

#include "extract/extract.h"

#include <stdlib.h>
#include <string.h>

static surety_extract look(surety_place place)
{
    surety_extract how = {.size = sizeof(how), .from_count = 1};

    how.from[0] = place;
    return how;
}

/* Every invariant of a list of candidates. */
static bool holds(const surety_finder *finder, surety_str reply)
{
    const size_t count = surety_finder_count(finder);

    for (size_t i = 0; i < count; i++) {
        const surety_candidate a = surety_finder_at(finder, i);

        if (a.start > a.end || a.end > reply.len ||
            a.text.len > a.end - a.start || !surety_place_name(a.place))
            return false;
        if (!a.stripped && (a.text.ptr != reply.ptr + a.start ||
                            a.text.len != a.end - a.start))
            return false;
        for (size_t k = 0; k < a.text.len; k++)
            if (reply.ptr[surety__finder_origin(finder, i, k)] != a.text.ptr[k])
                return false;
        if (surety__finder_origin(finder, i, 0) != a.start ||
            surety__finder_origin(finder, i, a.text.len) != a.end)
            return false;
        for (size_t j = 0; j < i; j++) {
            const surety_candidate b = surety_finder_at(finder, j);

            if (b.start == a.start && b.end == a.end)
                return false;
        }
    }
    return true;
}

TEST(names_go_both_ways)
{
    CHECK(!strcmp(surety_place_name(SURETY_PLACE_FENCE_ANY), "fence-any"));
    CHECK(!strcmp(surety_place_name(SURETY_PLACE_NONE), "none"));
    CHECK(!strcmp(surety_place_name((surety_place)99), "none"));
    for (int i = 1; i <= SURETY_PLACES; i++)
        CHECK(surety__place_of(surety_str_of(
                  surety_place_name((surety_place)i))) == (surety_place)i);
    CHECK(surety__place_of(surety_str_of("none")) == SURETY_PLACE_NONE);
    CHECK(surety__place_of(surety_str_of("Fence")) == SURETY_PLACE_NONE);
    CHECK(surety__place_of((surety_str){NULL, 0}) == SURETY_PLACE_NONE);
done:;
}

TEST(refuses_misuse)
{
    surety_finder *finder = surety_finder_new(check_alloc(t));
    const surety_str reply = surety_str_of("{}");
    surety_extract how = look(SURETY_PLACE_NONE);
    surety_error error = {.status = SURETY_OK};

    NEED(finder);
    EXPECT(SURETY_MISUSE, surety_finder_find(NULL, reply, NULL, NULL, NULL));
    EXPECT(SURETY_MISUSE, surety_finder_find(finder, (surety_str){NULL, 1},
                                             NULL, NULL, &error));
    CHECK(error.status == SURETY_MISUSE && error.message[0]);
    EXPECT(SURETY_MISUSE, surety_finder_find(finder, reply, &how, NULL, NULL));
    how = look((surety_place)(SURETY_PLACES + 1));
    EXPECT(SURETY_MISUSE, surety_finder_find(finder, reply, &how, NULL, NULL));
    how = look(SURETY_PLACE_WHOLE);
    how.from_count = SURETY_PLACES + 1;
    EXPECT(SURETY_MISUSE, surety_finder_find(finder, reply, &how, NULL, NULL));
    CHECK(surety_finder_count(finder) == 0);
    CHECK(surety_finder_count(NULL) == 0);
    CHECK(surety_finder_at(finder, 0).place == SURETY_PLACE_NONE);
    CHECK(surety__finder_origin(finder, 0, 0) == 0);
    CHECK(surety__finder_obstacle(NULL, NULL) == SURETY_OBSTACLE_NONE);
done:
    surety_finder_free(finder);
    surety_finder_free(NULL);
}

TEST(knows_shorter_options)
{
    surety_finder *finder = surety_finder_new(check_alloc(t));
    surety_extract how = look(SURETY_PLACE_EMBEDDED);

    NEED(finder);
    how.pick_last = true;
    how.size = offsetof(surety_extract, pick_last);
    TRY(surety_finder_find(finder, surety_str_of("{} []"), &how, NULL, NULL));
    CHECK(surety_finder_count(finder) == 2);
    CHECK(surety_finder_at(finder, 0).start == 0);
    how.size = sizeof(how);
    TRY(surety_finder_find(finder, surety_str_of("{} []"), &how, NULL, NULL));
    CHECK(surety_finder_at(finder, 0).start == 3);
    how.size = 0;
    EXPECT(SURETY_MISUSE, surety_finder_find(finder, surety_str_of("{} []"),
                                             &how, NULL, NULL));
done:
    surety_finder_free(finder);
}

TEST(keeps_the_limits)
{
    surety_finder *finder = surety_finder_new(check_alloc(t));
    surety_extract how = look(SURETY_PLACE_EMBEDDED);
    surety_limits limits = {.size = sizeof(limits)};
    surety_error error = {.status = SURETY_OK};

    NEED(finder);
    limits.text_bytes_max = 5;
    TRY(surety_finder_find(finder, surety_str_of("{} ["), &how, &limits, NULL));
    TRY(surety_finder_find(finder, surety_str_of("{} []"), &how, &limits,
                           NULL));
    EXPECT(SURETY_LIMIT, surety_finder_find(finder, surety_str_of("{} [] "),
                                            &how, &limits, &error));
    CHECK(strstr(error.message, "text_bytes_max of 5"));
    CHECK(surety_finder_count(finder) == 0);
    limits.text_bytes_max = 0;
    limits.candidates_max = 3;
    for (int last = 0; last < 2; last++) {
        how.pick_last = last;
        TRY(surety_finder_find(finder, surety_str_of("[1] [2]"), &how, &limits,
                               NULL));
        CHECK(surety_finder_count(finder) == 2);
        TRY(surety_finder_find(finder, surety_str_of("[1] [2] [3]"), &how,
                               &limits, NULL));
        CHECK(surety_finder_count(finder) == 3);
        TRY(surety_finder_find(finder,
                               surety_str_of("[1] [2] [3] [4] [5] [6] [7] [8]"),
                               &how, &limits, NULL));
        CHECK(surety_finder_count(finder) == 3);
        CHECK_TEXT(surety_finder_at(finder, 0).text, last ? "[8]" : "[1]");
        CHECK_TEXT(surety_finder_at(finder, 2).text, last ? "[6]" : "[3]");
    }
done:
    surety_finder_free(finder);
}

TEST(counts_over_all_places)
{
    surety_finder *finder = surety_finder_new(check_alloc(t));
    const surety_str reply =
        surety_str_of("[1]\n```json\n[2]\n```\n```\n[3]\n```\n[4]\n");
    surety_limits limits = {.size = sizeof(limits), .candidates_max = 4};

    NEED(finder);
    TRY(surety_finder_find(finder, reply, NULL, &limits, NULL));
    CHECK(surety_finder_count(finder) == 4);
    CHECK(surety_finder_at(finder, 0).place == SURETY_PLACE_WHOLE);
    CHECK(surety_finder_at(finder, 1).place == SURETY_PLACE_FENCE);
    CHECK(surety_finder_at(finder, 2).place == SURETY_PLACE_FENCE_ANY);
    CHECK_TEXT(surety_finder_at(finder, 2).text, "[3]");
    CHECK(surety_finder_at(finder, 3).place == SURETY_PLACE_EMBEDDED);
    CHECK_TEXT(surety_finder_at(finder, 3).text, "[1]");
done:
    surety_finder_free(finder);
}

TEST(maps_stripped_text)
{
    surety_finder *finder = surety_finder_new(check_alloc(t));
    const surety_str reply = surety_str_of("> 1. x\n>\n"
                                           ">    ```json\r\n"
                                           ">    {\"a\":\r\n"
                                           ">\t  [1,\r\n"
                                           ">\r\n"
                                           ">     2]}\r\n"
                                           ">    ```\n");
    surety_extract how = look(SURETY_PLACE_FENCE);
    surety_candidate found;

    NEED(finder);
    TRY(surety_finder_find(finder, reply, &how, NULL, NULL));
    CHECK(surety_finder_count(finder) == 1);
    CHECK(holds(finder, reply));
    found = surety_finder_at(finder, 0);
    CHECK(found.stripped);
    /* The tab takes the quote's column and two of the item's three. */
    CHECK_TEXT(found.text, "{\"a\":\r\n [1,\r\n\r\n 2]}");
    CHECK(surety__finder_origin(finder, 0, found.text.len + 9) == found.end);
done:
    surety_finder_free(finder);
}

TEST(closing_fences_are_exact)
{
    static const struct {
        const char *reply;
        size_t count;
    } rows[] = {
        {"```json\n1\n```", 1},
        {"```json\n1\n````", 1},
        {"````json\n1\n```", 0},
        {"``json\n1\n``", 0},
        {"```json\n1\n~~~", 0},
        {"```json\n1\n``` x", 0},
        {"```json\n1\n``` \t", 1},
        {"```json\n1\n   ```", 1},
        {"```json\n1\n    ```", 0},
        {"   ```json\n1\n```", 1},
        {"    ```json\n1\n```", 0},
        {"```json `\n1\n```", 0},
        {"~~~json `~\n1\n~~~", 1},
        {"- a\n\n      ```json\n1\n         ```", 1},
        {"- a\n\n      ```json\n1\n            ```", 0},
        {"* * *\n    ```json\n1\n```", 0},
        {"1234567890. ```json\n1\n```", 0},
        {"123456789) ```json\n1\n```", 1},
        {"-```json\n1\n```", 0},
        {"- a\nlazy\n    ```json\n    1\n    ```", 1},
        {"- a\n\nnot in it\n\n    ```json\n    1\n    ```", 0},
        {"> - ```json\n>   1\n>   ```", 1},
    };
    surety_finder *finder = surety_finder_new(check_alloc(t));
    const surety_extract how = look(SURETY_PLACE_FENCE);

    NEED(finder);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        bool same;

        TRY(surety_finder_find(finder, surety_str_of(rows[i].reply), &how, NULL,
                               NULL));
        same = surety_finder_count(finder) == rows[i].count;
        if (!same)
            printf("# %s\n", rows[i].reply);
        CHECK(same);
        if (rows[i].count)
            CHECK_TEXT(surety_finder_at(finder, 0).text, "1");
    }
done:
    surety_finder_free(finder);
}

TEST(reasoning_of_every_kind)
{
    static const char *const replies[] = {
        "<think>{}</think>[1]",
        "<thinking>{}</thinking>[1]",
        "<reasoning>{}</reasoning>[1]",
        "<reflection>{}</reflection>[1]",
        "<scratchpad>{}</scratchpad>[1]",
        "<analysis>{}</analysis>[1]",
        "[THINK]{}[/THINK][1]",
        "<|channel|>analysis<|message|>{}<|end|>[1]",
        "<|start|>assistant<|channel|>analysis<|message|>{}<|end|>[1]",
        "\xEF\xBB\xBF \t<think>{}</think>[1]",
        "Hm.\n> - <THINK a=\"b\">{}</Think>[1]",
        "<think>{}</think><think>{}</think> <analysis>{}</analysis>[1]",
        "<think>{} <think>{}</think>\n{}\n</think>\n[1]",
        "{}\n```json\n{}\n```\n</reasoning>\n[1]",
        "[1]\n<thinkin>",
        "[1]\n<think",
        "[1]\n```\n<think>\n```\n",
        "[1]<think>",
    };
    surety_finder *finder = surety_finder_new(check_alloc(t));
    const surety_extract how = look(SURETY_PLACE_EMBEDDED);

    NEED(finder);
    for (size_t i = 0; i < CHECK_COUNT(replies); i++) {
        TRY(surety_finder_find(finder, surety_str_of(replies[i]), &how, NULL,
                               NULL));
        if (surety_finder_count(finder) != 1)
            printf("# %s\n", replies[i]);
        CHECK(surety_finder_count(finder) == 1);
        CHECK_TEXT(surety_finder_at(finder, 0).text, "[1]");
        CHECK(surety__finder_obstacle(finder, NULL) == SURETY_OBSTACLE_NONE);
    }
    TRY(surety_finder_find(finder, surety_str_of("a <b>\n<think>x"), &how, NULL,
                           NULL));
    CHECK(surety__finder_obstacle(finder, NULL) ==
          SURETY_OBSTACLE_REASONING_OPEN);
done:
    surety_finder_free(finder);
}

TEST(obstacles_stand_beside_candidates)
{
    static const struct {
        const char *reply;
        surety__obstacle obstacle;
        size_t at;
    } rows[] = {
        {"{}", SURETY_OBSTACLE_NO_MARKER, 0},
        {"M {}", SURETY_OBSTACLE_NONE, 0},
        {"M {} and {\"a\":", SURETY_OBSTACLE_VALUE_OPEN, 9},
        {"M {\"a\": x\n and {}", SURETY_OBSTACLE_VALUE_OPEN, 2},
        {"M {}\n```js\n", SURETY_OBSTACLE_FENCE_OPEN, 5},
        {"M {}\n<think>\n```js\n", SURETY_OBSTACLE_REASONING_OPEN, 5},
        {"M and no more", SURETY_OBSTACLE_NO_JSON, 0},
        {"M {", SURETY_OBSTACLE_VALUE_OPEN, 2},
        {"M {\"ab", SURETY_OBSTACLE_VALUE_OPEN, 2},
        {" \xE2\x80\x8B\xEF\xBB\xBF\n", SURETY_OBSTACLE_EMPTY_REPLY, 0},
        {"<think>M {}</think>", SURETY_OBSTACLE_NO_MARKER, 0},
    };
    surety_finder *finder = surety_finder_new(check_alloc(t));
    surety_extract how = {.size = sizeof(how), .marker = {"M", 1}};

    NEED(finder);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        size_t at = 99;

        TRY(surety_finder_find(finder, surety_str_of(rows[i].reply), &how, NULL,
                               NULL));
        if (surety__finder_obstacle(finder, &at) != rows[i].obstacle)
            printf("# %s\n", rows[i].reply);
        CHECK(surety__finder_obstacle(finder, &at) == rows[i].obstacle);
        CHECK(at == rows[i].at);
    }
    how = look(SURETY_PLACE_WHOLE);
    TRY(surety_finder_find(finder, surety_str_of("{\n```js\n"), &how, NULL,
                           NULL));
    CHECK(surety__finder_obstacle(finder, NULL) == SURETY_OBSTACLE_NONE);
done:
    surety_finder_free(finder);
}

TEST(keeps_zero_bytes_and_bad_utf8)
{
    surety_finder *finder = surety_finder_new(check_alloc(t));
    static const char reply[] = "\0\xFF {\"a\0\xC0\": \"\0\"} \xE2\x80";

    NEED(finder);
    TRY(surety_finder_find(finder, (surety_str){reply, sizeof(reply) - 1}, NULL,
                           NULL, NULL));
    CHECK(surety_finder_count(finder) == 2);
    CHECK(surety_finder_at(finder, 1).text.len == 12);
done:
    surety_finder_free(finder);
}

TEST(follows_deep_values)
{
    surety_finder *finder = surety_finder_new(check_alloc(t));
    const surety_extract how = look(SURETY_PLACE_EMBEDDED);
    char *text = malloc(8192);

    NEED(finder);
    CHECK(text);
    for (size_t depth = 1022; depth <= 1027; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        memcpy(text + 2 * depth, " {}", 3);
        TRY(surety_finder_find(finder, (surety_str){text, 2 * depth + 3}, &how,
                               NULL, NULL));
        CHECK(surety_finder_count(finder) == 2);
        CHECK(surety_finder_at(finder, 0).end == 2 * depth);
    }
done:
    surety_finder_free(finder);
    free(text);
}

TEST(cut_at_every_byte)
{
    static const char reply[] =
        "\xEF\xBB\xBF<think>Maybe {\"a\": 0}?\n```\n</think>\r\n"
        "Set {x}, [1], \"quoted\" and:\n\n1. > ```json\n   > {\"a\": [1,\n"
        "   > {'b': \"\\\"}\"}]}\n   > ```\n\nFinal Answer: {\"a\": 1, }\r"
        "~~~JSON x\r{\"c\": nul\r~~~\nFinal Answer: \"done\". [0, 1)\n"
        "```js\n```\nlast [ {\"a\": {\"b\": [true, 1e5]}} ] </think>\n";
    surety_finder *finder = surety_finder_new(check_alloc(t));
    surety_extract how = {.size = sizeof(how)};
    char *text = NULL;

    NEED(finder);
    how.marker = surety_str_of("Final Answer:");
    for (size_t len = 0; len < sizeof(reply); len++) {
        text = malloc(len ? len : 1);
        CHECK(text);
        memcpy(text, reply, len);
        how.pick_last = len % 2;
        TRY(surety_finder_find(finder, (surety_str){text, len}, &how, NULL,
                               NULL));
        CHECK(holds(finder, (surety_str){text, len}));
        free(text);
        text = NULL;
    }
done:
    surety_finder_free(finder);
    free(text);
}

/* ---- step by step ------------------------------------------------------- */

/* Searches step by step. */
static surety_status stepped(surety_finder *finder, surety_doc *doc,
                             surety_str reply, const surety_extract *how,
                             const surety_limits *limits)
{
    surety_status status =
        surety__finder_begin(finder, reply, how, limits, NULL);
    surety_place place;

    while (status == SURETY_OK) {
        status = surety__finder_next(finder, doc);
        if (status == SURETY_END)
            status = surety__finder_place(finder, &place);
    }
    return status == SURETY_END ? SURETY_OK : status;
}

static const char *const step_pieces[] = {
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\\",
    ",",
    ":",
    "1",
    "a",
    " ",
    "\n",
    "```json",
    "```",
    "\n```\n",
    "\n- ",
    "\n> ",
    "\n~~~\n",
    "\"a\":",
    "{\"a\":1}",
    "[1,2]",
    "[1, x]",
    "{a:1}",
    "\"x {\"",
    "<think>",
    "</think>",
    "\n<think>",
    "M: ",
    "M:[1]",
    "null",
    "M: 1",
    "\t",
    "'",
    "\r\n",
    "[1] \"",
    "\\\"",
    "{\"b\":[{\"c\":\"d\"}, {\"e\":[\"f\", 1e3, true]}]}",
};

static bool lists_the_same(const surety_finder *a, const surety_finder *b)
{
    if (surety_finder_count(a) != surety_finder_count(b))
        return false;
    for (size_t i = 0; i < surety_finder_count(a); i++) {
        const surety_candidate one = surety_finder_at(a, i);
        const surety_candidate two = surety_finder_at(b, i);

        if (one.place != two.place || one.start != two.start ||
            one.end != two.end || one.stripped != two.stripped)
            return false;
    }
    return true;
}

/* Texts of pieces that matter to a finder, in any order: a search step by step
 * gives what a search at once does. */
TEST(steps_find_what_a_search_at_once_finds)
{
    surety_finder *finder = surety_finder_new(check_alloc(t));
    surety_finder *step = surety_finder_new(check_alloc(t));
    surety_doc *doc = surety_doc_new(check_alloc(t));
    uint32_t random = 1;
    surety_buf text;

    surety_buf_init(&text, check_alloc(t), 0);
    NEED(finder);
    NEED(step);
    NEED(doc);
    for (unsigned turn = 0; turn < 20000; turn++) {
        const surety_limits limits = {.size = sizeof(limits),
                                      .candidates_max = turn % 5 ? 0 : 3};
        surety_extract how = {.size = sizeof(how),
                              .pick_last = turn % 7 == 0,
                              .keep_reasoning = turn % 11 == 0,
                              .marker = surety_str_of("M:")};
        size_t at = 0, step_at = 0;

        surety_buf_reset(&text);
        for (unsigned i = 0; i < 2 + turn % 23; i++) {
            random = random * 1664525u + 1013904223u;
            surety_buf_text(
                &text, step_pieces[(random >> 16) % CHECK_COUNT(step_pieces)]);
        }
        TRY(text.status);
        if (turn % 3 == 0) {
            how.from_count = 1;
            how.from[0] = (surety_place)(1 + turn / 3 % SURETY_PLACES);
        }
        TRY(surety_finder_find(finder, surety_buf_str(&text), &how, &limits,
                               NULL));
        TRY(stepped(step, doc, surety_buf_str(&text), &how, &limits));
        CHECK(lists_the_same(finder, step));
        /* Where there are as many as may be, a step does not look further. */
        if (surety_finder_count(step) == 3)
            continue;
        CHECK(surety__finder_obstacle(finder, &at) ==
              surety__finder_obstacle(step, &step_at));
        CHECK(at == step_at);
    }
done:
    surety_buf_done(&text);
    surety_doc_free(doc);
    surety_finder_free(step);
    surety_finder_free(finder);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"names go both ways", names_go_both_ways},
        {"refuses misuse", refuses_misuse},
        {"knows shorter options", knows_shorter_options},
        {"keeps the limits", keeps_the_limits},
        {"counts over all places", counts_over_all_places},
        {"maps stripped text", maps_stripped_text},
        {"closing fences are exact", closing_fences_are_exact},
        {"reasoning of every kind", reasoning_of_every_kind},
        {"obstacles stand beside candidates",
         obstacles_stand_beside_candidates},
        {"keeps zero bytes and bad UTF-8", keeps_zero_bytes_and_bad_utf8},
        {"follows deep values", follows_deep_values},
        {"cut at every byte", cut_at_every_byte},
        {"steps find what a search at once finds",
         steps_find_what_a_search_at_once_finds},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
