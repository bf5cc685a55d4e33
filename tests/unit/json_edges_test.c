/* SPDX-License-Identifier: Apache-2.0 */
/* json/ at its edges: strings at every length around a block and a window,
 * numbers that are built, lists that are pushed, and docs that are used again.
 */
#include "check.h"
#include "json/json.h"

#include <math.h>
#include <stdlib.h>

/* ---- strings around blocks and windows ----------------------------------- */

/* What is at the end of a string, what it stands for, and how many bytes
 * from its start a fault is. */
static const struct {
    const char *piece, *means;
    int fault; /* -1: none */
} pieces[] = {
    {"", "", -1},
    {"\\n", "\n", -1},
    {"\\\\", "\\", -1},
    {"\\\"", "\"", -1},
    {"\\\\\\\"", "\\\"", -1},
    {"\\u00e9", "\xC3\xA9", -1},
    {"\\ud83d\\ude00", "\xF0\x9F\x98\x80", -1},
    {"\xC3\xA9", "\xC3\xA9", -1},
    {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80", -1},
    {"{[,:]}", "{[,:]}", -1},
    {"\x7F", "\x7F", -1},
    {"\x1F", NULL, 0},
    {"\n", NULL, 0},
    {"\xFF", NULL, 0},
    {"\xC3", NULL, 0},
    {"\xE2\x82", NULL, 0},
    {"\xED\xA0\x80", NULL, 0},
    {"\\q", NULL, 0},
    {"a\\", NULL, 5}, /* the quote is the string's own */
    {"\\u12G4", NULL, 0},
    {"\\ud800", NULL, 0},
};

/* Reads ["aaa...PIECE","b",-1.5e3,{"k":[true]}] with len of a. */
static surety_status read_long(surety_doc *doc, char *text, size_t len,
                               size_t i, surety_error *error)
{
    static const char tail[] = "\",\"b\",-1.5e3,{\"k\":[true]}]";
    const size_t size = strlen(pieces[i].piece);
    const surety_read_options borrow = {.size = sizeof(borrow),
                                        .flags = SURETY_READ_BORROW};

    memcpy(text, "[\"", 2);
    memset(text + 2, 'a', len);
    memcpy(text + 2 + len, pieces[i].piece, size);
    memcpy(text + 2 + len + size, tail, sizeof(tail));
    return surety_doc_read(doc,
                           (surety_str){text, len + size + 1 + sizeof(tail)},
                           len & 1 ? &borrow : NULL, error);
}

TEST(strings_of_every_length_are_read)
{
    static const size_t ranges[][2] = {{0, 140}, {4030, 4110}, {8120, 8200}};
    surety_doc *doc = surety_doc_new(check_alloc(t));
    char *text = malloc(9000);
    surety_error error;

    NEED(doc);
    NEED(text);
    for (size_t range = 0; range < CHECK_COUNT(ranges); range++)
        for (size_t len = ranges[range][0]; len < ranges[range][1]; len++)
            for (size_t i = 0; i < CHECK_COUNT(pieces); i++) {
                surety_val root;
                surety_str got;

                if (pieces[i].fault >= 0) {
                    EXPECT(SURETY_SYNTAX, read_long(doc, text, len, i, &error));
                    CHECK(error.position.offset ==
                          2 + len + (size_t)pieces[i].fault);
                    continue;
                }
                TRY(read_long(doc, text, len, i, &error));
                root = surety_doc_root(doc);
                got = surety_val_str(surety_val_first(root));
                CHECK(got.len == len + strlen(pieces[i].means));
                CHECK(len == 0 ||
                      (got.ptr[0] == 'a' && got.ptr[len - 1] == 'a' &&
                       !memcmp(got.ptr, got.ptr + 1, len - 1)));
                CHECK(!memcmp(got.ptr + len, pieces[i].means, got.len - len));
                CHECK(surety_val_count(root) == 4);
                CHECK(surety_val_is(surety_val_item(root, 1), "b"));
                CHECK_TEXT(surety_val_number(surety_val_item(root, 2)),
                           "-1.5e3");
                CHECK_JSON(surety_val_item(root, 3), "{\"k\":[true]}");
            }
done:
    free(text);
    surety_doc_free(doc);
}

/* ---- building ------------------------------------------------------------ */

TEST(reals_are_built_as_they_are_written)
{
    static const struct {
        double value;
        const char *want;
    } rows[] = {{0.0, "0"},       {-0.0, "-0"},      {-1.5, "-1.5"},
                {1.5, "1.5"},     {-1, "-1"},        {1e21, "1e+21"},
                {-1e-7, "-1e-7"}, {5e-324, "5e-324"}};
    surety_doc *doc = surety_doc_new(check_alloc(t));

    NEED(doc);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        surety_build_begin(doc, NULL);
        surety_build_real(doc, rows[i].value);
        TRY(surety_build_end(doc, NULL));
        CHECK_JSON(surety_doc_root(doc), rows[i].want);
        CHECK(signbit(surety_val_real(surety_doc_root(doc), 7)) ==
              signbit(rows[i].value));
    }
    surety_build_begin(doc, NULL);
    surety_build_int(doc, INT64_MIN);
    TRY(surety_build_end(doc, NULL));
    CHECK_JSON(surety_doc_root(doc), "-9223372036854775808");
    surety_build_begin(doc, NULL);
    surety_build_uint(doc, UINT64_MAX);
    TRY(surety_build_end(doc, NULL));
    CHECK_JSON(surety_doc_root(doc), "18446744073709551615");
done:
    surety_doc_free(doc);
}

TEST(docs_are_used_again)
{
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_error error;
    size_t end = 9;

    NEED(doc);
    /* What was begun to be built is forgotten. */
    surety_build_begin(doc, NULL);
    surety_build_object(doc);
    surety_build_name(doc, "a");
    CHECK(!surety_doc_root(doc).doc && surety__doc_size(doc) == 0);
    TRY(surety_doc_read(doc, surety_str_of("[1]"), NULL, &error));
    CHECK_JSON(surety_doc_root(doc), "[1]");
    CHECK(surety__doc_size(doc) == 2);
    surety_build_begin(doc, NULL);
    surety_build_object(doc);
    surety_build_name(doc, "a");
    surety_build_begin(doc, NULL);
    surety_build_array(doc);
    surety_build_close(doc);
    TRY(surety_build_end(doc, &error));
    CHECK_JSON(surety_doc_root(doc), "[]");
    /* A refused text leaves nothing, and neither do keys that stood twice. */
    EXPECT(SURETY_SYNTAX,
           surety_doc_read(doc, surety_str_of("[{\"a\":1,\"a\":2},"), NULL,
                           &error));
    CHECK(!surety_doc_root(doc).doc && doc->duplicate_count == 0);
    EXPECT(SURETY_SYNTAX,
           surety__doc_read_lenient(doc, surety_str_of("[,{\"a\":1,\"a\":2},:"),
                                    NULL, &end, &error));
    CHECK(!surety_doc_root(doc).doc && doc->duplicate_count == 0);
    CHECK(surety__doc_repair_count(doc) == 0 && end == 9);
    TRY(surety__doc_read_lenient(doc, surety_str_of("[1,]"), NULL, NULL,
                                 &error));
    CHECK(surety__doc_repair_count(doc) == 1);
    TRY(surety_doc_read(doc, surety_str_of("2"), NULL, &error));
    CHECK(surety__doc_repair_count(doc) == 0 &&
          surety__doc_repair_likely(doc) == 0);
done:
    surety_doc_free(doc);
}

/* ---- the tolerant reader ------------------------------------------------- */

TEST(numbers_have_a_most_whatever_the_limit)
{
    const surety_limits limits = {.size = sizeof(limits),
                                  .number_len_max = 5000};
    const surety__lenient_options options = {.limits = &limits};
    surety_doc *doc = surety_doc_new(check_alloc(t));
    char text[2060];
    surety_error error;
    size_t end;

    NEED(doc);
    for (size_t len = 2047; len < 2051; len++) {
        memset(text, '1', sizeof(text));
        text[0] = '[';
        memcpy(text + 1 + len, ",]", 3);
        EXPECT(len > 2048 ? SURETY_LIMIT : SURETY_OK,
               surety__doc_read_lenient(doc, surety_str_of(text), &options,
                                        &end, &error));
        CHECK(len <= 2048 ||
              strstr(error.message, "the limit number_len_max of 2048"));
    }
done:
    surety_doc_free(doc);
}

TEST(lists_are_open_in_what_was_pushed)
{
    static const struct {
        const char *text;
        size_t items, offset;
        bool lists;
    } rows[] = {
        {"[1,2,", 2, 0, true},
        {"[1,2,", 3, 0, false},
        {"[1,2,", 2, 3, true},
        {"[1,2,", 2, 4, false},
        {"[1,2", 1, 0, true},
        {"[1,2", 2, 0, false},
        {"[1,2,{\"a\":", 2, 3, true},
        {"[1,2,{\"a\":", 2, 4, false},
        {"[1,2,{\"a\":", 3, 0, false},
        {"{\"a\":[1,2,[", 2, 8, true},
        {"{\"a\":[1,2,[", 2, 9, false},
        {"{\"a\":[[1,2],[3,", 1, 13, true},
        {"{\"a\":[[1,2],[3,", 1, 14, false},
        {"{\"a\":1,\"b\":2,", 1, 0, false},
        {"[", 0, 0, false},
        {"[1]", 1, 0, false},
        {"1", 0, 0, false},
    };
    surety_lenient *reader = surety_lenient_new(check_alloc(t));
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_val root;

    NEED(reader);
    NEED(doc);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        surety_status status;

        TRY(surety__lenient_begin(reader, doc, NULL, NULL));
        status = surety_lenient_feed(reader, surety_str_of(rows[i].text), NULL);
        EXPECT(status == SURETY_END ? SURETY_END : SURETY_OK, status);
        for (int shown = 0; shown < 2; shown++) {
            CHECK(surety__lenient_lists(reader, rows[i].items,
                                        rows[i].offset) == rows[i].lists);
            TRY(surety_lenient_snapshot(reader, &root, NULL));
        }
        status = surety_lenient_finish(reader, NULL, NULL);
        EXPECT(status == SURETY_END ? SURETY_END : SURETY_OK, status);
        CHECK(!surety__lenient_lists(reader, 0, 0));
    }
done:
    surety_lenient_free(reader);
    surety_doc_free(doc);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"strings of every length are read", strings_of_every_length_are_read},
        {"reals are built as they are written",
         reals_are_built_as_they_are_written},
        {"docs are used again", docs_are_used_again},
        {"numbers have a most whatever the limit",
         numbers_have_a_most_whatever_the_limit},
        {"lists are open in what was pushed",
         lists_are_open_in_what_was_pushed},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
