/* SPDX-License-Identifier: Apache-2.0 */
/* The reader as a stream of tokens: passing over a value accepts what reading
 * accepts and ends at the same place, single values are read as the whole is,
 * and which of several mistakes is told. */
#include "check.h"

#include "json/json.h"

#include <stdlib.h>

/* Passes over the text's value; whether it was accepted. */
static bool skips(surety_doc *doc, surety_str text,
                  const surety_read_options *options, surety__tokens *tokens)
{
    const uint32_t *at = surety__tokens_begin(tokens, doc, text, options);

    if (at)
        at = surety__tokens_skip(tokens, at);
    return at && surety__tokens_end(tokens, at);
}

TEST(passing_over_accepts_what_reading_accepts)
{
    static const char *const texts[] = {
        "1",
        "[]",
        "{}",
        "[1,2.5,\"a\",null,true,false,[{}],{\"a\":{\"b\":[]}}]",
        "[1,]",
        "{\"a\"}",
        "{\"a\":1,}",
        "[1 2]",
        "[01]",
        "[tru]",
        "[\"\\x\"]",
        "[\"\\u00e9\\ud83d\\ude00\"]",
        "[\"\\ud83d\"]",
        "[\"\xFF\"]",
        "[\"\x01\"]",
        "[1e]",
        "[1]]",
        "[[1]",
        "{\"a\":[}",
        "[1}",
        "{\"a\":1]",
        "",
        " \n",
        "[12345678901234567890,-0,0.10,1E+2]",
        "\xEF\xBB\xBF[1]",
    };
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_read_options options = {.size = sizeof(options)};
    surety_error want, got;
    surety__tokens tokens;

    NEED(doc);
    for (size_t i = 0; i < CHECK_COUNT(texts); i++)
        for (options.flags = 0; options.flags < 8; options.flags++) {
            const surety_str text = surety_str_of(texts[i]);
            surety_status status = surety_doc_read(doc, text, &options, &want);
            size_t size = surety_doc_size(doc);

            if (status == SURETY_NOMEM && t->starved)
                goto done;
            if (skips(doc, text, &options, &tokens)) {
                CHECK(status == SURETY_OK || !printf("# %s\n", texts[i]));
                CHECK(tokens.values == size);
                continue;
            }
            EXPECT(status, surety__tokens_fault(&tokens, &got));
            CHECK_TEXT(surety_str_of(got.message), want.message);
            CHECK(got.position.offset == want.position.offset);
        }
done:
    surety_doc_free(doc);
}

/* Kinds of containers in turn, across the words that passing over keeps them
 * in, and the limits depth_max and values_max at their edges. */
TEST(passes_over_the_deepest)
{
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_limits limits = {.size = sizeof(limits)};
    surety_read_options options = {sizeof(options), 0, &limits};
    surety__tokens tokens;
    surety_error err;
    surety_buf text;

    surety_buf_init(&text, check_alloc(t), 0);
    NEED(doc);
    for (uint32_t depth = 1; depth<300; depth += depth> 5 ? 31 : 1) {
        surety_buf_reset(&text);
        for (uint32_t i = 0; i < depth; i++)
            surety_buf_text(&text, i * i % 3 ? "[" : "{\"k\":");
        surety_buf_text(&text, "1");
        for (uint32_t i = depth; i-- > 0;)
            surety_buf_text(&text, i * i % 3 ? ",2]" : ",\"l\":3}");
        TRY(text.status);
        for (limits.depth_max = depth - 1; limits.depth_max <= depth + 1;
             limits.depth_max++) {
            bool fits = limits.depth_max == 0 || limits.depth_max >= depth;

            if (skips(doc, surety_buf_str(&text), &options, &tokens)) {
                CHECK(fits);
                continue;
            }
            EXPECT(SURETY_LIMIT, surety__tokens_fault(&tokens, &err));
            CHECK(!fits);
        }
        limits.depth_max = 0;
        TRY(surety_doc_read(doc, surety_buf_str(&text), &options, &err));
        limits.values_max = (uint32_t)surety_doc_size(doc);
        if (!skips(doc, surety_buf_str(&text), &options, &tokens)) {
            EXPECT(SURETY_NOMEM, surety__tokens_fault(&tokens, &err));
            goto done;
        }
        limits.values_max--;
        CHECK(!skips(doc, surety_buf_str(&text), &options, &tokens));
        EXPECT(SURETY_LIMIT, surety__tokens_fault(&tokens, &err));
        limits.values_max = 0;
    }
done:
    surety_buf_done(&text);
    surety_doc_free(doc);
}

/* The members of a long object one by one, over many windows: the odd ones
 * read, the even ones passed over. */
TEST(reads_values_one_by_one)
{
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety__tokens tokens;
    surety__cell key;
    surety_buf text;
    const uint32_t *at;

    surety_buf_init(&text, check_alloc(t), 0);
    NEED(doc);
    for (unsigned i = 0; i < 2000; i++)
        surety__buf_printf(&text,
                           "%s\"k\\u00e9y%u\": [%u, {\"a\":\"\xC3\xA9%u\"}]",
                           i ? ",\n" : "{", i, i, i);
    surety_buf_text(&text, "}");
    TRY(text.status);
    at = surety__tokens_begin(&tokens, doc, surety_buf_str(&text), NULL);
    if (!at)
        goto refused;
    at = surety__token_enter(&tokens, at);
    for (unsigned i = 0; i < 2000; i++) {
        at = surety__tokens_need(&tokens, at);
        if (!at || !(at = surety__token_key(&tokens, at, &key)))
            goto refused;
        CHECK(key.flags == FLAG_OWN && key.len > 4);
        CHECK(surety__token_byte(&tokens, at) == '[');
        at = i % 2 ? surety__tokens_read(&tokens, at)
                   : surety__tokens_skip(&tokens, at);
        if (!at)
            goto refused;
        if (i % 2) {
            surety_val root = surety_doc_root(doc);
            surety_val first = surety_val_first(root);
            surety_val text_of =
                surety_val_get(surety_val_next(root, first), "a");

            CHECK(surety_val_int(first, -1) == i);
            CHECK(surety_val_str(text_of).len > 2);
        }
        at = surety__tokens_need(&tokens, at);
        CHECK(at);
        CHECK(surety__token_byte(&tokens, at) == (i == 1999 ? '}' : ','));
        at++;
    }
    tokens.depth--;
    CHECK(surety__tokens_end(&tokens, at));
    CHECK(tokens.values == 1 + 2000 * 6);
    goto done;
refused:
    EXPECT(SURETY_NOMEM, surety__tokens_fault(&tokens, NULL));
    CHECK(t->starved);
done:
    surety_buf_done(&text);
    surety_doc_free(doc);
}

/* With unique keys the first mistake is told, be it a key or not. */
TEST(tells_the_first_mistake)
{
    static const struct {
        const char *text;
        size_t offset;
    } cases[] = {
        {"{\"a\":1,\"a\":2} x", 7},
        {"{\"a\":1,\"a\":2,}", 13},
        {"[{\"a\":1,\"a\":2},\"\x01\"]", 8},
        {"[\"\xFF\",{\"a\":1,\"a\":2}]", 2},
        {"[{\"a\":1,\"a\":2},\"", 8},
        {"{\"a\":1,\"a\":\"\xFF\"}", 12},
    };
    surety_read_options options = {sizeof(options), SURETY_READ_UNIQUE_KEYS,
                                   NULL};
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_error err;

    NEED(doc);
    for (size_t i = 0; i < CHECK_COUNT(cases); i++)
        for (unsigned borrow = 0; borrow < 2; borrow++) {
            options.flags = SURETY_READ_UNIQUE_KEYS | borrow;
            EXPECT(SURETY_SYNTAX,
                   surety_doc_read(doc, surety_str_of(cases[i].text), &options,
                                   &err));
            CHECK(err.position.offset == cases[i].offset ||
                  !printf("# %zu: %zu\n", i, err.position.offset));
        }
done:
    surety_doc_free(doc);
}

/* Objects of every size with one key twice, far apart and near. */
TEST(finds_every_key_that_stands_twice)
{
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_buf text;

    surety_buf_init(&text, check_alloc(t), 0);
    NEED(doc);
    for (unsigned count = 2; count < 300; count += count / 8 + 1)
        for (unsigned twice = 0; twice < count; twice += count / 5 + 1) {
            surety_buf_reset(&text);
            for (unsigned i = 0; i < count; i++)
                surety__buf_printf(&text, "%s\"key%u\":{\"key%u\":0}",
                                   i ? "," : "{", i, count - i);
            surety__buf_printf(&text, ",\"key%u\":1}", twice);
            TRY(text.status);
            TRY(surety_doc_read(doc, surety_buf_str(&text), NULL, NULL));
            CHECK(surety_doc_duplicate_count(doc) == 1);
            CHECK(surety_val_count(surety_doc_root(doc)) == count);
        }
done:
    surety_buf_done(&text);
    surety_doc_free(doc);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"passing over accepts what reading accepts",
         passing_over_accepts_what_reading_accepts},
        {"passes over the deepest", passes_over_the_deepest},
        {"reads values one by one", reads_values_one_by_one},
        {"tells the first mistake", tells_the_first_mistake},
        {"finds every key that stands twice",
         finds_every_key_that_stands_twice},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
