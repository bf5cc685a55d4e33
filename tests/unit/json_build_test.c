/* SPDX-License-Identifier: Apache-2.0 */
/* Building documents: values, copies, places, order of calls, limits. */
#include "json/json.h"
#include "check.h"

#include <surety/json.h>

#include <math.h>

TEST(builds_every_kind)
{
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_val root;

    NEED(doc);
    for (int round = 0; round < 2; round++) {
        size_t made = t->made;

        surety_build_begin(doc, NULL);
        CHECK(!surety_doc_root(doc).doc);
        surety_build_object(doc);
        surety_build_name(doc, "a");
        surety_build_array(doc);
        surety_build_null(doc);
        surety_build_bool(doc, true);
        surety_build_bool(doc, false);
        surety_build_int(doc, INT64_MIN);
        surety_build_int(doc, 0);
        surety_build_uint(doc, UINT64_MAX);
        surety_build_real(doc, 0.1);
        surety_build_real(doc, -0.0);
        surety_build_real(doc, 1e300);
        surety_build_real(doc, 3);
        surety_build_close(doc);
        surety_build_key(doc, (surety_str){"k\0", 2});
        surety_build_str(doc, (surety_str){"\xC3\xA9\0", 3});
        surety_build_name(doc, "");
        surety_build_str(doc, surety_str_of(""));
        surety_build_name(doc, "o");
        surety_build_object(doc);
        surety_build_close(doc);
        surety_build_close(doc);
        TRY(surety_build_end(doc, NULL));
        CHECK(round == 0 || t->made == made);
        CHECK_JSON(surety_doc_root(doc),
                   "{\"a\":[null,true,false,-9223372036854775808,0,"
                   "18446744073709551615,0.1,-0,1e+300,3],\"k\\u0000\":"
                   "\"\xC3\xA9\\u0000\",\"\":\"\",\"o\":{}}");
    }
    root = surety_doc_root(doc);
    CHECK(surety_val_int(surety_val_at(root, surety_str_of("/a/3")), 0) ==
          INT64_MIN);
    CHECK_TEXT(surety_val_number(surety_val_at(root, surety_str_of("/a/4"))),
               "0");
    CHECK(surety_val_is_integer(surety_val_at(root, surety_str_of("/a/8"))));
    for (uint32_t i = 0; i < surety__doc_size(doc); i++)
        CHECK(surety_val_position((surety_val){doc, i}).line == 0);
done:
    surety_doc_free(doc);
}

static const char origin_text[] =
    "{\"n\":12,\"s\":\"x\\ny\",\"p\":\"plain\",\"a\":[1.50,{\"d\":[null]}]}";

/* Copies of the origin keep their places; those of others stand alone. */
TEST(copies_values)
{
    surety_doc *origin = surety_doc_new(check_alloc(t));
    surety_doc *other = surety_doc_new(check_alloc(t));
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_val root, val;
    NEED(origin);
    NEED(other);
    NEED(doc);
    TRY(surety_doc_read(origin, surety_str_of(origin_text), NULL, NULL));
    TRY(surety_doc_read(other, surety_str_of(origin_text), NULL, NULL));
    surety_build_begin(doc, origin);
    surety_build_array(doc);
    surety_build_val(doc, surety_doc_root(origin));
    surety_build_val(doc, surety_doc_root(other));
    surety_build_object(doc);
    val = surety_val_get(surety_doc_root(origin), "s");
    surety_build_key_of(doc, surety_val_key(val));
    surety_build_val(doc, surety_val_key(val));
    surety_build_close(doc);
    surety_build_close(doc);
    TRY(surety_build_end(doc, NULL));
    /* Nothing is kept of the other document. */
    TRY(surety_doc_read(other, surety_str_of("[0,0,0]"), NULL, NULL));
    CHECK_JSON(surety_doc_root(doc),
               "[{\"n\":12,\"s\":\"x\\ny\",\"p\":\"plain\",\"a\":[1.50,{\"d\":"
               "[null]}]},{\"n\":12,\"s\":\"x\\ny\",\"p\":\"plain\",\"a\":"
               "[1.50,{\"d\":[null]}]},{\"s\":\"s\"}]");
    root = surety_doc_root(doc);
    CHECK(surety_val_equal(surety_val_item(root, 0), surety_val_item(root, 1)));
    CHECK(surety_val_position(surety_val_item(root, 0)).length ==
          sizeof(origin_text) - 1);
    val = surety_val_at(root, surety_str_of("/0/s"));
    CHECK(surety_val_position(val).offset == 12);
    CHECK(surety_val_position(val).length == 6);
    val = surety_val_at(root, surety_str_of("/0/n"));
    CHECK(surety_val_position(val).offset == 5);
    CHECK(surety_val_position(val).length == 2);
    CHECK(surety_val_position(root).line == 0);
    for (val = surety_val_item(root, 1);
         val.index < surety_val_item(root, 2).index; val.index++)
        CHECK(surety_val_position(val).line == 0);
    val = surety_val_at(root, surety_str_of("/2/s"));
    CHECK(surety_val_position(surety_val_key(val)).offset == 8);
    /* A built document as origin, itself built on the first. */
    surety_build_begin(other, doc);
    surety_build_val(other, root);
    TRY(surety_build_end(other, NULL));
    CHECK(surety_val_equal(root, surety_doc_root(other)));
    CHECK(surety_val_position(
              surety_val_at(surety_doc_root(other), surety_str_of("/0/n")))
              .offset == 5);
done:
    surety_doc_free(origin);
    surety_doc_free(other);
    surety_doc_free(doc);
}

TEST(lets_the_last_key_count)
{
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_position position;
    surety_str key;

    NEED(doc);
    surety_build_begin(doc, NULL);
    surety_build_object(doc);
    surety_build_name(doc, "a");
    surety_build_array(doc);
    surety_build_close(doc);
    surety_build_name(doc, "b");
    surety_build_null(doc);
    surety_build_name(doc, "a");
    surety_build_int(doc, 2);
    surety_build_close(doc);
    TRY(surety_build_end(doc, NULL));
    CHECK_JSON(surety_doc_root(doc), "{\"b\":null,\"a\":2}");
    TRY(surety_doc_duplicate(doc, 0, &key, &position, NULL));
    CHECK_TEXT(key, "a");
    CHECK(position.line == 0 && doc->duplicate_count == 1);
done:
    surety_doc_free(doc);
}

/* Calls out of order, by number. */
static void misuse(surety_doc *doc, int which)
{
    surety_build_begin(doc, which == 12 ? doc : NULL);
    switch (which) {
    case 0: break;
    case 1: surety_build_close(doc); break;
    case 2: surety_build_key(doc, surety_str_of("a")); break;
    case 3: surety_build_array(doc); break;
    case 4:
        surety_build_null(doc);
        surety_build_null(doc);
        break;
    case 5:
        surety_build_object(doc);
        surety_build_null(doc);
        break;
    case 6:
        surety_build_object(doc);
        surety_build_name(doc, "a");
        surety_build_name(doc, "b");
        break;
    case 7:
        surety_build_object(doc);
        surety_build_name(doc, "a");
        surety_build_close(doc);
        break;
    case 8:
        surety_build_array(doc);
        surety_build_name(doc, "a");
        break;
    case 9: surety_build_val(doc, surety_val_none()); break;
    case 10: surety_build_real(doc, NAN); break;
    case 11: surety_build_real(doc, HUGE_VAL); break;
    default: surety_build_null(doc); break;
    }
}

TEST(refuses_calls_out_of_order)
{
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_error err;

    NEED(doc);
    for (int i = 0; i <= 12; i++) {
        misuse(doc, i);
        EXPECT(SURETY_MISUSE, surety_build_end(doc, &err));
        CHECK(err.message[0]);
        CHECK(!surety_doc_root(doc).doc);
    }
    EXPECT(SURETY_MISUSE, surety_build_end(doc, &err));
    EXPECT(SURETY_MISUSE, surety_build_end(NULL, &err));
    surety_build_begin(NULL, doc);
    surety_build_object(NULL);
    surety_build_array(NULL);
    surety_build_close(NULL);
    surety_build_name(NULL, "a");
    surety_build_key(NULL, surety_str_of("a"));
    surety_build_key_of(NULL, surety_val_none());
    surety_build_null(NULL);
    surety_build_bool(NULL, true);
    surety_build_int(NULL, 1);
    surety_build_uint(NULL, 1);
    surety_build_real(NULL, 1.0);
    surety_build_str(NULL, surety_str_of("a"));
    surety_build_str(NULL, surety_str_of("a"));
    surety_build_val(NULL, surety_val_none());
    surety_build_null(doc);
    surety_build_begin(doc, NULL);
    surety_build_str(doc, surety_str_of("\xFF"));
    surety_build_null(doc);
    EXPECT(SURETY_SYNTAX, surety_build_end(doc, &err));
    CHECK_TEXT(surety_str_of(err.message), "a string is not valid UTF-8");
    surety_build_begin(doc, NULL);
    surety_build_object(doc);
    surety_build_name(doc, "\xC3");
    EXPECT(SURETY_SYNTAX, surety_build_end(doc, &err));
done:
    surety_doc_free(doc);
}

/* Builds what fits the limits of origin exactly, plus one of what. */
static surety_status build_at_edge(surety_doc *doc, const surety_doc *origin,
                                   char what, surety_error *err)
{
    surety_build_begin(doc, origin);
    surety_build_array(doc);
    surety_build_object(doc);
    surety_build_name(doc, what == 'k' ? "abc" : "ab");
    surety_build_str(doc, surety_str_of(what == 's' ? "abcd" : "abc"));
    surety_build_close(doc);
    if (what == 'd') {
        surety_build_array(doc);
        surety_build_array(doc);
        surety_build_close(doc);
        surety_build_close(doc);
    } else if (what == 'c') {
        surety_build_array(doc);
        surety_build_val(doc, surety_doc_root(origin));
        surety_build_close(doc);
    } else {
        surety_build_val(doc, surety_doc_root(origin));
    }
    surety_build_null(doc);
    if (what == 'v')
        surety_build_null(doc);
    if (what == 't')
        surety_build_str(doc, surety_str_of("xyz"));
    surety_build_close(doc);
    return surety_build_end(doc, err);
}

TEST(keeps_limits)
{
    static const struct {
        char what;
        const char *message;
    } edges[] = {
        {'k', "the document is larger than the limit key_len_max of 2"},
        {'s', "the document is larger than the limit string_len_max of 3"},
        {'d', "the document is larger than the limit depth_max of 2"},
        {'c', "the document is larger than the limit depth_max of 2"},
        {'v', "the document is larger than the limit values_max of 7"},
    };
    surety_limits limits = {.size = sizeof(limits),
                            .depth_max = 2,
                            .key_len_max = 2,
                            .string_len_max = 3,
                            .values_max = 7};
    surety_read_options options = {.size = sizeof(options), .limits = &limits};
    surety_doc *origin = surety_doc_new(check_alloc(t));
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_error err;

    NEED(origin);
    NEED(doc);
    TRY(surety_doc_read(origin, surety_str_of("[1]"), &options, NULL));
    TRY(build_at_edge(doc, origin, 0, &err));
    for (size_t i = 0; i < CHECK_COUNT(edges); i++) {
        EXPECT(SURETY_LIMIT, build_at_edge(doc, origin, edges[i].what, &err));
        CHECK_TEXT(surety_str_of(err.message), edges[i].message);
    }
    limits.values_max = 8;
    limits.text_bytes_max = 7;
    TRY(surety_doc_read(origin, surety_str_of("[1]"), &options, NULL));
    TRY(build_at_edge(doc, origin, 0, &err));
    EXPECT(SURETY_LIMIT, build_at_edge(doc, origin, 't', &err));
    CHECK_TEXT(surety_str_of(err.message),
               "the document is larger than the limit text_bytes_max of 7");
done:
    surety_doc_free(origin);
    surety_doc_free(doc);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"builds every kind", builds_every_kind},
        {"copies values", copies_values},
        {"lets the last key count", lets_the_last_key_count},
        {"refuses calls out of order", refuses_calls_out_of_order},
        {"keeps limits", keeps_limits},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
