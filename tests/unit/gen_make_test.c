/* SPDX-License-Identifier: Apache-2.0 */
/* Types from contracts: names, notes, options, the mark against changes by
 * hand, and that running out of memory is an ordinary return. What is made is
 * read by a person in tests/golden/gen, compiled and run in
 * tests/api/gen_test.py. */
#include "check.h"

#include "gen/inside.h"

static surety_status read_text(struct check *t, const char *text,
                               surety_contract **ret_contract)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .name = surety_str_of("a/b"),
                                             .alloc = check_alloc(t)};

    return surety_contract_read(surety_str_of(text), &options, ret_contract,
                                NULL);
}

static surety_status make(struct check *t, const surety_contract *contract,
                          const char *prefix, const char *header,
                          surety_gen **ret_gen)
{
    const surety_gen_options options = {.size = sizeof(options),
                                        .prefix = surety_str_of(prefix),
                                        .header = surety_str_of(header),
                                        .alloc = check_alloc(t)};

    return surety_gen_new(&contract, 1, &options, ret_gen, NULL);
}

static bool has(surety_str text, const char *words)
{
    return surety__str_find(text, surety_str_of(words)) < text.len;
}

TEST(words_of_c)
{
    static const struct {
        const char *text, *lower, *upper;
    } cases[] = {
        {"", "empty", "EMPTY"},
        {"---", "empty", "EMPTY"},
        {"a", "a", "A"},
        {"fooBar", "foo_bar", "FOO_BAR"},
        {"FooBar", "foo_bar", "FOO_BAR"},
        {"HTTPServer2", "http_server2", "HTTP_SERVER2"},
        {"already_snake", "already_snake", "ALREADY_SNAKE"},
        {"__x__", "x", "X"},
        {"a  b--c", "a_b_c", "A_B_C"},
        {"gr\xC3\xB6\xC3\x9F", "gr_u00f6_u00df", "GR_U00F6_U00DF"},
        {"\xF0\x9F\x98\x80", "u1f600", "U1F600"},
    };
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        surety_buf_reset(&out);
        surety__gen_word(&out, surety_str_of(cases[i].text), false);
        TRY(out.status);
        CHECK_TEXT(surety_buf_str(&out), cases[i].lower);
        surety_buf_reset(&out);
        surety__gen_word(&out, surety_str_of(cases[i].text), true);
        TRY(out.status);
        CHECK_TEXT(surety_buf_str(&out), cases[i].upper);
    }
done:
    surety_buf_done(&out);
}

TEST(a_long_word_is_cut)
{
    char text[GEN_WORD_MAX + 2];
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    memset(text, 'x', sizeof(text));
    for (size_t len = GEN_WORD_MAX - 1; len <= GEN_WORD_MAX + 1; len++) {
        surety_buf_reset(&out);
        surety__gen_word(&out, (surety_str){text, len}, false);
        TRY(out.status);
        CHECK(out.len == (len > GEN_WORD_MAX ? GEN_WORD_MAX : len));
    }
done:
    surety_buf_done(&out);
}

TEST(comments_and_strings_stay_what_they_are)
{
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    surety__gen_comment(&out, 0, surety_str_of("a */ b /* c ?\?/ d **//**/"));
    TRY(out.status);
    CHECK_TEXT(surety_buf_str(&out), "/* a * / b / * c ? ?/ d ** // ** / */\n");
    surety_buf_reset(&out);
    surety__gen_comment(&out, 0, surety_str_of("x \xE2\x80\xAE y\tz\n"));
    TRY(out.status);
    CHECK_TEXT(surety_buf_str(&out), "/* x   y z */\n");
    surety_buf_reset(&out);
    /* A word behind which the end does not fit. */
    surety__gen_comment(&out, 4,
                        surety_str_of("0123456789012345678901234567890"
                                      "1234567890123456789012345678901"
                                      "2345678901"));
    TRY(out.status);
    CHECK(has(surety_buf_str(&out), "8901\n     */\n"));
    surety_buf_reset(&out);
    surety__gen_quote(&out, (surety_str){"\"\\??\n\0"
                                         "1\x7F\xE2\x80\xAE",
                                         11});
    TRY(out.status);
    CHECK_TEXT(surety_buf_str(&out),
               "\"\\\"\\\\?\\?\\n\\0001\\177\\342\\200\\256\"");
done:
    surety_buf_done(&out);
}

TEST(names_are_claimed_once)
{
    static const char *const cases[][2] = {
        {"x", "x"},
        {"x", "x_2"},
        {"x_3", "x_3"},
        {"x", "x_4"},
        {"class", "class_"},
        {"1st", "n1st"},
        {"1st", "n1st_2"},
        {"size_t", "size_type"},
        {"class", "class_2"},
        {"size_t", "size_type_2"},
        {"st_mtime", "st_mtime_"},
    };
    surety_contract *contract = NULL;
    surety_gen *gen = NULL;
    surety__map names = {0};

    TRY(read_text(t, "{\"type\":\"object\"}", &contract));
    TRY(make(t, contract, "", "", &gen));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        const surety_str got =
            surety__gen_claim(gen, &names, surety_str_of(cases[i][0]));

        TRY(gen->status);
        CHECK_TEXT(got, cases[i][1]);
    }
done:
    if (gen)
        surety__map_done(&names, gen->alloc);
    surety_gen_free(gen);
    surety_contract_free(contract);
}

TEST(a_change_by_hand_is_seen)
{
    surety_contract *contract = NULL;
    surety_gen *gen = NULL;
    surety_buf copy;

    surety_buf_init(&copy, check_alloc(t), 0);
    TRY(read_text(t, "{\"type\":\"object\",\"properties\":{\"a\":{}}}",
                  &contract));
    TRY(make(t, contract, "", "", &gen));
    surety_buf_add(&copy, surety_gen_info_of(gen)->header);
    TRY(copy.status);
    CHECK(surety_gen_is_untouched(surety_gen_info_of(gen)->header));
    CHECK(surety_gen_is_untouched(surety_gen_info_of(gen)->source));
    CHECK(!surety_gen_is_untouched((surety_str){copy.ptr, copy.len - 1}));
    for (size_t i = copy.len - 200; i < copy.len; i++) {
        copy.ptr[i] ^= 1;
        CHECK(!surety_gen_is_untouched(surety_buf_str(&copy)));
        copy.ptr[i] ^= 1;
    }
    CHECK(surety_gen_is_untouched(surety_buf_str(&copy)));
    CHECK(!surety_gen_is_untouched(surety_str_of("")));
    CHECK(!surety_gen_is_untouched(surety_str_of("/* Made by surety gen */")));
    CHECK(!surety_gen_is_untouched(surety_str_of(
        "/* Made by surety gen\n * Hash of what follows: 0 */\n")));
done:
    surety_buf_done(&copy);
    surety_gen_free(gen);
    surety_contract_free(contract);
}

TEST(options_decide_on_names)
{
    surety_contract *contract = NULL;
    surety_gen *gen = NULL;

    TRY(read_text(t, "{\"type\":\"object\",\"properties\":{\"a\":{}}}",
                  &contract));
    TRY(make(t, contract, "", "", &gen));
    CHECK(has(surety_gen_info_of(gen)->header, "typedef struct a_b {"));
    CHECK(has(surety_gen_info_of(gen)->header, "#ifndef A_B_H"));
    CHECK(has(surety_gen_info_of(gen)->source, "#include \"a_b.h\""));
    surety_gen_free(gen);
    gen = NULL;
    TRY(make(t, contract, "my app", "dir/my-types.h", &gen));
    CHECK(has(surety_gen_info_of(gen)->header, "typedef struct my_app_b {"));
    CHECK(has(surety_gen_info_of(gen)->header, "#ifndef DIR_MY_TYPES_H"));
    CHECK(has(surety_gen_info_of(gen)->source, "#include \"dir/my-types.h\""));
    surety_gen_free(gen);
    gen = NULL;
    EXPECT(SURETY_MISUSE, make(t, contract, "1st", "", &gen));
    EXPECT(SURETY_MISUSE, make(t, contract, "", "a\"b.h", &gen));
    EXPECT(SURETY_MISUSE, make(t, contract, "", "a\nb.h", &gen));
done:
    surety_gen_free(gen);
    surety_contract_free(contract);
}

TEST(contracts_have_to_differ)
{
    const surety_gen_options options = {.size = sizeof(options),
                                        .alloc = check_alloc(t)};
    const surety_contract *pair[2];
    surety_contract *contract = NULL;
    surety_gen *gen = NULL;

    TRY(read_text(t, "true", &contract));
    pair[0] = pair[1] = contract;
    EXPECT(SURETY_MISUSE, surety_gen_new(pair, 2, &options, &gen, NULL));
    EXPECT(SURETY_MISUSE, surety_gen_new(pair, 0, &options, &gen, NULL));
    EXPECT(SURETY_MISUSE, surety_gen_new(NULL, 1, &options, &gen, NULL));
    pair[1] = NULL;
    EXPECT(SURETY_MISUSE, surety_gen_new(pair, 2, &options, &gen, NULL));
    TRY(surety_gen_new(pair, 1, &options, &gen, NULL));
done:
    surety_gen_free(gen);
    surety_contract_free(contract);
}

TEST(the_same_gives_the_same)
{
    static const char text[] =
        "{\"type\":\"object\",\"properties\":{\"a\":{\"anyOf\":[{\"type\":"
        "\"object\",\"properties\":{\"x\":{\"enum\":[\"p\",\"q\"]}}},{\"type\":"
        "\"array\",\"items\":{\"$ref\":\"#\"}}]},\"b\":{\"enum\":[[1],[2]]},"
        "\"c\":{\"type\":\"integer\",\"default\":\"x\"}},"
        "\"additionalProperties\":{\"type\":[\"string\",\"null\"]}}";
    surety_contract *contract = NULL;
    surety_gen *one = NULL, *two = NULL;

    TRY(read_text(t, text, &contract));
    TRY(make(t, contract, "", "", &one));
    TRY(make(t, contract, "", "", &two));
    CHECK(surety_str_equal(surety_gen_info_of(one)->header,
                           surety_gen_info_of(two)->header));
    CHECK(surety_str_equal(surety_gen_info_of(one)->source,
                           surety_gen_info_of(two)->source));
    CHECK(surety_gen_info_of(one)->note_count == 2);
    CHECK(surety_gen_info_of(one)->notes[0].contract == 0);
done:
    surety_gen_free(one);
    surety_gen_free(two);
    surety_contract_free(contract);
}

/* Unions beside each other are given up, and those in each other are many. */
TEST(what_grows_has_an_end)
{
    surety_contract *contract = NULL;
    surety_gen *gen = NULL;
    surety_buf text;

    surety_buf_init(&text, check_alloc(t), 0);
    surety_buf_text(&text, "{\"anyOf\":[");
    for (unsigned i = 0; i <= GEN_UNION_MAX; i++)
        surety__buf_printf(&text,
                           "%s{\"type\":\"object\",\"required\":[\"k\"],"
                           "\"properties\":{\"k\":{\"const\":\"v%u\"}}}",
                           i ? "," : "", i);
    surety_buf_text(&text, "]}");
    TRY(text.status);
    surety_buf_byte(&text, '\0');
    TRY(text.status);
    TRY(read_text(t, text.ptr, &contract));
    TRY(make(t, contract, "", "", &gen));
    CHECK(surety_gen_info_of(gen)->note_count == 1);
    CHECK(has(surety_gen_info_of(gen)->notes[0].message,
              "more than 64 branches"));
    CHECK(has(surety_gen_info_of(gen)->header, "surety_val value;"));
done:
    surety_buf_done(&text);
    surety_gen_free(gen);
    surety_contract_free(contract);
}

/* `count` times a text between two others. */
static surety_status repeat(surety_buf *text, const char *begin,
                            const char *item, unsigned count, const char *end)
{
    surety_buf_text(text, begin);
    for (unsigned i = 0; i < count; i++)
        surety__buf_printf(text, item, i ? "," : "", i);
    surety_buf_text(text, end);
    surety_buf_byte(text, '\0');
    return text->status;
}

TEST(many_conditions_are_no_matter)
{
    surety_contract *contract = NULL;
    surety_gen *gen = NULL;
    surety_buf text;

    surety_buf_init(&text, check_alloc(t), 0);
    TRY(repeat(&text, "{\"type\":\"object\",\"dependentSchemas\":{",
               "%s\"k%u\":{\"minProperties\":2}", 70,
               "},\"properties\":{\"a\":{\"type\":\"string\"}}}"));
    TRY(read_text(t, text.ptr, &contract));
    TRY(make(t, contract, "", "", &gen));
    CHECK(surety_gen_info_of(gen)->note_count == 0);
    CHECK(has(surety_gen_info_of(gen)->header, "surety_str a;"));
done:
    surety_buf_done(&text);
    surety_gen_free(gen);
    surety_contract_free(contract);
}

/* Without a starved run: each of so many takes its time. */
TEST(what_holds_for_one_value_has_an_end)
{
    const surety_gen_options options = {.size = sizeof(options)};
    const surety_contract *given;
    surety_contract *contract = NULL;
    surety_gen *gen = NULL;
    surety_error error;
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    EXPECT(SURETY_OK,
           repeat(&text, "{\"allOf\":[", "%s{}", CONJUNCTION_MAX, "]}"));
    EXPECT(SURETY_OK, surety_contract_read(surety_str_of(text.ptr), NULL,
                                           &contract, NULL));
    given = contract;
    EXPECT(SURETY_LIMIT, surety_gen_new(&given, 1, &options, &gen, &error));
    CHECK_TEXT(surety_str_of(error.message),
               "more than 32768 subschemas apply to one value");
done:
    surety_buf_done(&text);
    surety_gen_free(gen);
    surety_contract_free(contract);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"words of C", words_of_c},
        {"a long word is cut", a_long_word_is_cut},
        {"comments and strings stay what they are",
         comments_and_strings_stay_what_they_are},
        {"names are claimed once", names_are_claimed_once},
        {"a change by hand is seen", a_change_by_hand_is_seen},
        {"options decide on names", options_decide_on_names},
        {"contracts have to differ", contracts_have_to_differ},
        {"the same gives the same", the_same_gives_the_same},
        {"what grows has an end", what_grows_has_an_end},
        {"many conditions are no matter", many_conditions_are_no_matter},
        {"what holds for one value has an end",
         what_holds_for_one_value_has_an_end},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
