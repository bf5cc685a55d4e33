/* SPDX-License-Identifier: Apache-2.0 */
/* Values: kinds and contents, walking, JSON Pointer both ways, positions. */
#include "json/json.h"
#include "check.h"

#include <surety/json.h>

#include <math.h>
#include <string.h>

TEST(tells_kinds)
{
    static const surety_kind kinds[] = {
        SURETY_KIND_NULL,   SURETY_KIND_BOOLEAN, SURETY_KIND_BOOLEAN,
        SURETY_KIND_NUMBER, SURETY_KIND_NUMBER,  SURETY_KIND_STRING,
        SURETY_KIND_ARRAY,  SURETY_KIND_OBJECT};
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_val root, val;
    size_t i = 0;

    NEED(doc);
    TRY(surety_doc_read(
        doc, surety_str_of("[null,true,false,1,1.5,\"s\",[],{\"k\":0}]"), NULL,
        NULL));
    root = surety_doc_root(doc);
    for (val = surety_val_first(root); val.doc;
         val = surety_val_next(root, val))
        CHECK(surety_val_kind(val) == kinds[i++]);
    CHECK(i == CHECK_COUNT(kinds));
    CHECK(surety_val_count(root) == i);
    CHECK(surety_val_bool(surety_val_item(root, 1), false));
    CHECK(!surety_val_bool(surety_val_item(root, 2), true));
    CHECK(surety_val_bool(surety_val_item(root, 3), true));
    CHECK(surety_val_is(surety_val_item(root, 5), "s"));
    CHECK(!surety_val_is(surety_val_item(root, 5), "S"));
    CHECK(!surety_val_item(root, i).doc);
    CHECK_TEXT(surety_str_of(surety_kind_name(SURETY_KIND_BOOLEAN)), "boolean");
    CHECK_TEXT(surety_str_of(surety_kind_name(SURETY_KIND_NONE)), "none");
    val = surety_val_get(surety_val_item(root, 7), "k");
    CHECK(surety_val_int(val, 7) == 0);
    CHECK(surety_val_kind(surety_val_key(val)) == SURETY_KIND_STRING);
    CHECK_TEXT(surety_val_str(surety_val_key(val)), "k");
done:
    surety_doc_free(doc);
}

TEST(takes_the_absent_value)
{
    surety_val none = surety_val_none();
    surety_position position = surety_val_position(none);
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    CHECK(surety_val_kind(none) == SURETY_KIND_NONE);
    CHECK(surety_val_bool(none, true) && !surety_val_bool(none, false));
    CHECK(surety_val_int(none, 5) == 5 && surety_val_uint(none, 6) == 6);
    CHECK(surety_val_real(none, 0.5) == 0.5);
    CHECK(!surety_val_is_integer(none));
    CHECK(surety_val_str(none).len == 0 && surety_val_number(none).len == 0);
    CHECK(!surety_val_is(none, ""));
    CHECK(surety_val_count(none) == 0);
    CHECK(!surety_val_first(none).doc && !surety_val_next(none, none).doc);
    CHECK(!surety_val_key(none).doc && !surety_val_item(none, 0).doc);
    CHECK(!surety_val_get(none, "a").doc);
    CHECK(!surety_val_at(none, surety_str_of("")).doc);
    CHECK(position.line == 0);
    CHECK(surety_val_equal(none, none));
    surety_val_pointer(none, &out);
    CHECK(out.len == 0);
    CHECK(surety_val_write(none, SURETY_STYLE_COMPACT, &out) == SURETY_MISUSE);
    CHECK(!surety_doc_root(NULL).doc && surety__doc_size(NULL) == 0);
    CHECK(surety_doc_text(NULL).len == 0);
done:
    surety_buf_done(&out);
}

TEST(gives_integers_where_they_are)
{
    static const struct {
        const char *text;
        bool integer;
        int64_t i; /* 7: none */
        uint64_t u;
        double real;
    } numbers[] = {
        {"0", true, 0, 0, 0},
        {"-0", true, 0, 0, -0.0},
        {"-0.0", true, 0, 0, -0.0},
        {"1.0", true, 1, 1, 1},
        {"1e2", true, 100, 100, 100},
        {"1.5e1", true, 15, 15, 15},
        {"10e-1", true, 1, 1, 1},
        {"-120.00E-1", true, -12, 7, -12},
        {"1.5", false, 7, 7, 1.5},
        {"1e-1", false, 7, 7, 0.1},
        {"0e99999999999999999999", true, 0, 0, 0},
        {"999999999999999999", true, 999999999999999999, 999999999999999999,
         999999999999999999.0},
        {"9223372036854775807", true, INT64_MAX, INT64_MAX, 0x1p63},
        {"9223372036854775808", true, 7, (uint64_t)INT64_MAX + 1, 0x1p63},
        {"-9223372036854775808", true, INT64_MIN, 7, -0x1p63},
        {"-9223372036854775809", true, 7, 7, -0x1p63},
        {"-9.223372036854775808e18", true, INT64_MIN, 7, -0x1p63},
        {"18446744073709551615", true, 7, UINT64_MAX, 0x1p64},
        {"18446744073709551616", true, 7, 7, 0x1p64},
        {"9007199254740993", true, 9007199254740993, 9007199254740993,
         9007199254740992.0},
        {"1e19", true, 7, 10000000000000000000u, 1e19},
        {"1e20", true, 7, 7, 1e20},
        {"1844674407370955161e1", true, 7, 18446744073709551610u, 0x1p64},
        {"1844674407370955162e1", true, 7, 7, 0x1p64},
        {"1e999999999", true, 7, 7, HUGE_VAL},
        {"-1e400", true, 7, 7, -HUGE_VAL},
        {"1e-999999999999999999999", false, 7, 7, 0},
        {"5e-324", false, 7, 7, 0x1p-1074},
    };
    surety_doc *doc = surety_doc_new(check_alloc(t));

    NEED(doc);
    for (size_t i = 0; i < CHECK_COUNT(numbers); i++) {
        surety_val val;
        double real;

        TRY(surety_doc_read(doc, surety_str_of(numbers[i].text), NULL, NULL));
        val = surety_doc_root(doc);
        CHECK_TEXT(surety_val_number(val), numbers[i].text);
        CHECK(surety_val_is_integer(val) == numbers[i].integer);
        CHECK(surety_val_int(val, 7) == numbers[i].i);
        CHECK(surety_val_uint(val, 7) == numbers[i].u);
        real = surety_val_real(val, 7);
        CHECK(memcmp(&real, &numbers[i].real, sizeof(real)) == 0);
    }
done:
    surety_doc_free(doc);
}

static const char pointed[] =
    "{\"foo\":[\"bar\",[[1],{\"x\":2}]],\"\":0,\"a/b\":1,\"c%d\":2,\"m~n\":8,"
    "\"~1\":9,\"k\\u0000l\":10,\"01\":{\"01\":11}}";

TEST(follows_pointers)
{
    /* The escapes of RFC 6901, sections 3 to 5, and where none leads. */
    static const struct {
        const char *pointer;
        int64_t value; /* -1: somewhere, -2: nowhere */
    } cases[] = {
        {"", -1},          {"/foo", -1},      {"/foo/0", -1},
        {"/foo/1/0/0", 1}, {"/foo/1/1/x", 2}, {"/", 0},
        {"/a~1b", 1},      {"/c%d", 2},       {"/m~0n", 8},
        {"/~01", 9},       {"/01/01", 11},    {"foo", -2},
        {"/foo/", -2},     {"/foo/-", -2},    {"/foo/00", -2},
        {"/foo/01", -2},   {"/foo/2", -2},    {"/foo/-1", -2},
        {"/foo/+1", -2},   {"/foo/1e0", -2},  {"/foo/99999999999999999999", -2},
        {"/m~n", -2},      {"/m~2n", -2},     {"/m~", -2},
        {"/foo/0/0", -2},  {"//", -2},        {"/a~1", -2},
        {"/a~1bc", -2},    {" ", -2},
    };
    static const char nul[] = "/k\0l";
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_val root;

    NEED(doc);
    TRY(surety_doc_read(doc, surety_str_of(pointed), NULL, NULL));
    root = surety_doc_root(doc);
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        surety_val val = surety_val_at(root, surety_str_of(cases[i].pointer));

        CHECK((val.doc != NULL) == (cases[i].value != -2));
        if (cases[i].value >= 0)
            CHECK(surety_val_int(val, -1) == cases[i].value);
    }
    CHECK(surety_val_int(surety_val_at(root, (surety_str){nul, 4}), 0) == 10);
done:
    surety_doc_free(doc);
}

TEST(tells_pointers)
{
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    NEED(doc);
    TRY(surety_doc_read(doc, surety_str_of(pointed), NULL, NULL));
    for (uint32_t i = 0; i < surety__doc_size(doc); i++) {
        surety_val val = {doc, i};
        surety_val back;

        surety_buf_reset(&out);
        surety_val_pointer(val, &out);
        TRY(out.status);
        back = surety_val_at(surety_doc_root(doc), surety_buf_str(&out));
        /* A key's pointer is its member's. */
        CHECK(back.index == i ||
              (back.index == i + 1 && surety_val_key(back).index == i));
    }
    surety_buf_reset(&out);
    surety_val_pointer(surety_val_get(surety_doc_root(doc), "a/b"), &out);
    surety_pointer_token(&out, surety_str_of("~/~1"));
    surety_pointer_token(&out, surety_str_of(""));
    TRY(out.status);
    CHECK_TEXT(surety_buf_str(&out), "/a~1b/~0~1~01/");
done:
    surety_buf_done(&out);
    surety_doc_free(doc);
}

static uint32_t random_next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* Builds an array or object of about 300 values. The greater `steep` (0 to 4),
 * the deeper: 4 is deeper than a walk remembers. */
static surety_status random_build(surety_doc *doc, uint32_t steep,
                                  uint64_t *state)
{
    bool is_object[60] = {false};
    size_t depth = 0;

    surety_build_begin(doc, NULL);
    for (uint32_t left = 300; left; left--) {
        char key[16];

        if (depth > 1 && random_next(state) % 6 == 0) {
            surety_build_close(doc);
            depth--;
        }
        (void)snprintf(key, sizeof(key), "%u%c", left, "a/~"[left % 3]);
        if (depth && is_object[depth - 1])
            surety_build_name(doc, key);
        if (depth && (depth == CHECK_COUNT(is_object) ||
                      random_next(state) % 10 > steep)) {
            surety_build_int(doc, left);
            continue;
        }
        is_object[depth] = random_next(state) % 2;
        if (is_object[depth++])
            surety_build_object(doc);
        else
            surety_build_array(doc);
    }
    for (; depth; depth--)
        surety_build_close(doc);
    return surety_build_end(doc, NULL);
}

/* A walk writes what surety_val_pointer does, in the order of the document and
 * in any other, and from one document to the next. */
TEST(walks_pointers)
{
    surety_doc *docs[2] = {surety_doc_new(check_alloc(t)),
                           surety_doc_new(check_alloc(t))};
    uint64_t state = 1;
    surety_buf walked, out;

    surety_buf_init(&walked, check_alloc(t), 0);
    surety_buf_init(&out, check_alloc(t), 0);
    NEED(docs[0]);
    NEED(docs[1]);
    for (uint32_t round = 0; round < 20; round++) {
        surety__pointer_walk walk = {.doc = NULL};
        uint32_t at = 0;

        for (size_t i = 0; i < 2; i++)
            TRY(random_build(docs[i], round % 5, &state));
        for (uint32_t turn = 0; turn < 3000; turn++) {
            const surety_doc *doc = docs[turn / 600 % 2];
            surety_val val = {doc, 0};

            at += random_next(&state) % 8 ? 1 : random_next(&state) % 1000;
            val.index = at % (uint32_t)surety__doc_size(doc);
            surety_buf_reset(&walked);
            surety_buf_reset(&out);
            surety__pointer_walk_to(&walk, val, &walked);
            surety_val_pointer(val, &out);
            TRY(walked.status);
            TRY(out.status);
            CHECK(surety_str_equal(surety_buf_str(&walked),
                                   surety_buf_str(&out)));
        }
    }
done:
    surety_buf_done(&walked);
    surety_buf_done(&out);
    surety_doc_free(docs[0]);
    surety_doc_free(docs[1]);
}

TEST(tells_positions)
{
    static const char text[] =
        "{\n  \"\xC3\xA9\\n\": [1, -2.50, \"a]\\\"\"],\r\n"
        "  \"b\": {\"c\": true, \"d\": {}}\r}\n";
    static const struct {
        const char *pointer;
        bool key;
        size_t offset, length;
        uint32_t line, column;
    } cases[] = {
        {"", false, 0, 62, 1, 1},
        {"/\xC3\xA9\n", true, 4, 6, 2, 3},
        {"/\xC3\xA9\n", false, 12, 18, 2, 10},
        {"/\xC3\xA9\n/0", false, 13, 1, 2, 11},
        {"/\xC3\xA9\n/1", false, 16, 5, 2, 14},
        {"/\xC3\xA9\n/2", false, 23, 6, 2, 21},
        {"/b", true, 35, 3, 3, 3},
        {"/b", false, 40, 20, 3, 8},
        {"/b/c", false, 46, 4, 3, 14},
        {"/b/d", false, 57, 2, 3, 25},
    };
    surety_doc *doc = surety_doc_new(check_alloc(t));

    NEED(doc);
    TRY(surety_doc_read(doc, surety_str_of(text), NULL, NULL));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        surety_val val = surety_val_at(surety_doc_root(doc),
                                       surety_str_of(cases[i].pointer));
        surety_position got =
            surety_val_position(cases[i].key ? surety_val_key(val) : val);

        if (got.offset != cases[i].offset || got.length != cases[i].length ||
            got.line != cases[i].line || got.column != cases[i].column)
            printf("# case %zu: %zu %zu %u %u\n", i, got.offset, got.length,
                   got.line, got.column);
        CHECK(got.offset == cases[i].offset);
        CHECK(got.length == cases[i].length);
        CHECK(got.line == cases[i].line && got.column == cases[i].column);
        if (!cases[i].key)
            CHECK(
                surety_str_equal(surety_val_text(val),
                                 (surety_str){text + got.offset, got.length}));
    }
    CHECK(surety_val_text(surety_val_none()).len == 0);
done:
    surety_doc_free(doc);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"tells kinds", tells_kinds},
        {"takes the absent value", takes_the_absent_value},
        {"gives integers where they are", gives_integers_where_they_are},
        {"follows pointers", follows_pointers},
        {"tells pointers", tells_pointers},
        {"walks pointers", walks_pointers},
        {"tells positions", tells_positions},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
