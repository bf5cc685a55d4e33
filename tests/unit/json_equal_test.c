/* SPDX-License-Identifier: Apache-2.0 */
/* Equality by JSON Schema's rule and the hash that goes with it, for flat,
 * deep, large and permuted values. */
#include "check.h"

#include "json/json.h"

/* Whether a and b are equal both ways, hash included. */
static surety_status compare(struct check *t, const char *a, const char *b,
                             bool *ret_equal)
{
    surety_doc *one = surety_doc_new(check_alloc(t));
    surety_doc *two = surety_doc_new(check_alloc(t));
    surety_status status = one && two ? SURETY_OK : SURETY_NOMEM;
    surety_val left, right;

    if (!status)
        status = surety_doc_read(one, surety_str_of(a), NULL, NULL);
    if (!status)
        status = surety_doc_read(two, surety_str_of(b), NULL, NULL);
    if (!status) {
        left = surety_doc_root(one);
        right = surety_doc_root(two);
        *ret_equal = surety_val_equal(left, right);
        if (*ret_equal != surety_val_equal(right, left) ||
            (*ret_equal && surety__val_hash(left) != surety__val_hash(right)))
            status = SURETY_MISUSE;
    }
    surety_doc_free(one);
    surety_doc_free(two);
    return status;
}

TEST(knows_equal_values)
{
    static const char *const pairs[][2] = {
        {"1", "1.0"},
        {"1", "10e-1"},
        {"0", "-0"},
        {"0", "-0.0e9"},
        {"100", "1e2"},
        {"-120", "-1.20E+2"},
        {"9223372036854775808", "9223372036854775808.0"},
        {"1e400", "10e399"},
        {"12345678901234567890123", "12345678901234567890123.000"},
        {"\"a\\u00e9\"", "\"\\u0061\xC3\xA9\""},
        {"[]", "[ ]"},
        {"{\"a\":1,\"b\":[{\"c\":2,\"d\":3}]}",
         "{\"b\":[{\"d\":3.0,\"c\":2}],\"a\":1}"},
        {"{\"\":0,\"a\":{},\"b\":[]}", "{\"b\":[],\"\":0,\"a\":{}}"},
    };
    bool equal = false;

    for (size_t i = 0; i < CHECK_COUNT(pairs); i++) {
        TRY(compare(t, pairs[i][0], pairs[i][1], &equal));
        CHECK(equal || !printf("# %s %s\n", pairs[i][0], pairs[i][1]));
    }
done:;
}

TEST(knows_unequal_values)
{
    static const char *const pairs[][2] = {
        {"1", "true"},
        {"0", "false"},
        {"0", "null"},
        {"null", "false"},
        {"true", "false"},
        {"1", "\"1\""},
        {"1", "-1"},
        {"1", "1.0000000000000000000000000001"},
        {"9007199254740992", "9007199254740993"},
        {"9007199254740992.0", "9007199254740993.0"},
        {"\"a\"", "\"A\""},
        {"\"a\"", "\"a\\u0000\""},
        {"\"\\u00e9\"", "\"e\\u0301\""},
        {"[1,2]", "[2,1]"},
        {"[1]", "[1,1]"},
        {"[]", "{}"},
        {"[[]]", "[{}]"},
        {"[[],[1]]", "[[1],[]]"},
        {"{\"a\":1}", "{\"a\":2}"},
        {"{\"a\":1}", "{\"b\":1}"},
        {"{\"a\":1,\"b\":2}", "{\"a\":2,\"b\":1}"},
        {"{\"a\":1}", "{\"a\":1,\"b\":2}"},
        {"{\"a\":{\"b\":1},\"c\":2}", "{\"c\":2,\"a\":{\"b\":2}}"},
    };
    bool equal = true;

    for (size_t i = 0; i < CHECK_COUNT(pairs); i++) {
        TRY(compare(t, pairs[i][0], pairs[i][1], &equal));
        CHECK(!equal || !printf("# %s %s\n", pairs[i][0], pairs[i][1]));
    }
done:;
}

/* An object of count members "k0" to, from the first or the last on, in steps;
 * each value an object of that many inner members. */
static surety_status many(surety_doc *doc, unsigned count, unsigned step,
                          unsigned inner, unsigned changed)
{
    surety_build_begin(doc, NULL);
    surety_build_object(doc);
    for (unsigned i = 0; i < count; i++) {
        unsigned key = (unsigned)((uint64_t)i * step % count);
        char name[16] = {0};

        for (unsigned j = 0; j < 8; j++)
            name[j] = (char)('a' + (key >> (4 * j) & 15));
        surety_build_name(doc, name);
        if (inner)
            surety_build_object(doc);
        for (unsigned j = 0; j < inner; j++) {
            unsigned at = step == 1 ? j : inner - 1 - j;
            char part[2] = {(char)('0' + at), 0};

            surety_build_name(doc, part);
            surety_build_uint(doc, at);
        }
        if (inner)
            surety_build_close(doc);
        else
            surety_build_uint(doc, key == changed ? 0 : key + 1);
    }
    surety_build_close(doc);
    return surety_build_end(doc, NULL);
}

TEST(compares_large_objects)
{
    const unsigned count = 100000;
    surety_doc *one = surety_doc_new(check_alloc(t));
    surety_doc *two = surety_doc_new(check_alloc(t));

    NEED(one);
    NEED(two);
    TRY(many(one, count, 1, 0, count));
    TRY(many(two, count, 1, 0, count));
    CHECK(surety_val_equal(surety_doc_root(one), surety_doc_root(two)));
    TRY(many(two, count, 77777, 0, count));
    CHECK(surety_val_equal(surety_doc_root(one), surety_doc_root(two)));
    CHECK(surety__val_hash(surety_doc_root(one)) ==
          surety__val_hash(surety_doc_root(two)));
    TRY(many(two, count, count - 1, 0, 1));
    CHECK(!surety_val_equal(surety_doc_root(one), surety_doc_root(two)));
    CHECK(surety__val_hash(surety_doc_root(one)) !=
          surety__val_hash(surety_doc_root(two)));
    /* Permuted objects in a permuted object. */
    TRY(many(one, 301, 1, 40, 0));
    TRY(many(two, 301, 100, 40, 0));
    CHECK(surety_val_equal(surety_doc_root(one), surety_doc_root(two)));
done:
    surety_doc_free(one);
    surety_doc_free(two);
}

/* Deeper than any stack inside; after each inner value something follows, so
 * that every level is come back to. */
static surety_status deep(surety_doc *doc, surety_buf *text, bool permuted,
                          const char *core)
{
    surety_buf_reset(text);
    for (int i = 0; i < 250; i++)
        surety_buf_text(text, permuted ? "{\"z\":[2],\"a\":[0," : "{\"a\":[0,");
    surety_buf_text(text, core);
    for (int i = 0; i < 250; i++)
        surety_buf_text(text, permuted ? ",1]}" : ",1],\"z\":[2]}");
    if (text->status)
        return text->status;
    return surety_doc_read(doc, surety_buf_str(text), NULL, NULL);
}

TEST(compares_deep_values)
{
    surety_doc *one = surety_doc_new(check_alloc(t));
    surety_doc *two = surety_doc_new(check_alloc(t));
    surety_buf text;

    surety_buf_init(&text, check_alloc(t), 0);
    NEED(one);
    NEED(two);
    for (int i = 0; i < 4; i++) {
        TRY(deep(one, &text, i & 1, "0"));
        TRY(deep(two, &text, i & 2, "0.0"));
        CHECK(surety_val_equal(surety_doc_root(one), surety_doc_root(two)));
        CHECK(surety__val_hash(surety_doc_root(one)) ==
              surety__val_hash(surety_doc_root(two)));
        TRY(deep(two, &text, i & 2, "1"));
        CHECK(!surety_val_equal(surety_doc_root(one), surety_doc_root(two)));
    }
done:
    surety_buf_done(&text);
    surety_doc_free(one);
    surety_doc_free(two);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"knows equal values", knows_equal_values},
        {"knows unequal values", knows_unequal_values},
        {"compares large objects", compares_large_objects},
        {"compares deep values", compares_deep_values},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
