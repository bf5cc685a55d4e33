/* SPDX-License-Identifier: Apache-2.0 */
/* The reader as a stream of tokens: which of several mistakes is reported, and
 * which keys stand twice. */
#include "check.h"

#include "json/json.h"

#include <stdlib.h>

/* With unique keys the first mistake is reported, be it a key or not. */
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
            CHECK(doc->duplicate_count == 1);
            CHECK(surety_val_count(surety_doc_root(doc)) == count);
        }
done:
    surety_buf_done(&text);
    surety_doc_free(doc);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"tells the first mistake", tells_the_first_mistake},
        {"finds every key that occurs twice",
         finds_every_key_that_stands_twice},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
