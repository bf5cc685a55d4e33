/* SPDX-License-Identifier: Apache-2.0 */
/* Typed values: a table of every form, as surety gen writes it; what fits and
 * what does not, at the edges of each C type; values made by hand, right and
 * wrong. */
#include "check.h"
#include "typed_node.h"

#include <math.h>
#include <string.h>

static surety_status contract_of(struct check *t,
                                 surety_contract **ret_contract)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .alloc = check_alloc(t)};

    return surety_typed_contract(&typed, &options, ret_contract, NULL);
}

/* A value from JSON; the error says why not. */
static surety_status from_text(struct check *t, const char *text,
                               const node **ret_node, surety_error *error)
{
    surety_contract *contract = NULL;
    surety_doc *doc = surety_doc_new(check_alloc(t));
    const void *value = NULL;
    surety_status status = doc ? contract_of(t, &contract) : SURETY_NOMEM;

    if (status == SURETY_OK)
        status = surety_doc_read(doc, surety_str_of(text), NULL, NULL);
    if (status == SURETY_OK)
        status = surety_typed_from(&typed, contract, surety_doc_root(doc),
                                   &value, error);
    if (status == SURETY_OK)
        *ret_node = value;
    /* A value keeps nothing of either. */
    surety_doc_free(doc);
    surety_contract_free(contract);
    return status;
}

static surety_status to_text(const node *value, surety_buf *out,
                             surety_error *error)
{
    surety_buf_reset(out);
    return surety_typed_write(&typed, value, SURETY_STYLE_COMPACT, out, error);
}

#define WHOLE                                                                  \
    "{\"whole\":-9223372036854775808,\"natural\":18446744073709551615,"        \
    "\"real\":1e300,\"text\":\"a\\u0000b\",\"number\":1e400,"                  \
    "\"kind\":\"node\",\"color\":\"red\",\"any\":[1,{\"k\":null}],"            \
    "\"next\":{\"whole\":1,\"real\":2,\"text\":\"\",\"kind\":\"node\","        \
    "\"color\":\"red\"},\"heir\":null,\"pair\":[1,2.5,3,4],"                   \
    "\"choices\":[\"x\",null,{\"whole\":2,\"real\":0,\"text\":\"y\","          \
    "\"kind\":\"node\",\"color\":\"blue\"}],"                                  \
    "\"bag\":{\"p\":true,\"q\":false},\"note\":null,\"zz\":1.50,\"yy\":{}}"

TEST(everything_comes_back)
{
    surety_doc *doc = surety_doc_new(check_alloc(t));
    const node *value = NULL;
    surety_doc *want = surety_doc_new(check_alloc(t));

    NEED(doc);
    NEED(want);
    TRY(from_text(t, WHOLE, &value, NULL));
    CHECK(value->whole == INT64_MIN);
    CHECK(value->has_natural && value->natural == UINT64_MAX);
    CHECK_TEXT(value->number, "1e400");
    CHECK(value->text.len == 3 && value->text.ptr[3] == '\0');
    CHECK(value->color == COLOR_RED);
    CHECK(surety_val_count(value->any) == 2);
    CHECK(value->next && value->next->whole == 1 && !value->next->next);
    CHECK(value->has_heir && !value->heir && !value->next->has_heir);
    CHECK(value->pair && value->pair->first == 1 && value->pair->has_second);
    CHECK(value->pair->rest_count == 2 && value->pair->rest[1] == 4);
    CHECK(value->choices_count == 3);
    CHECK(value->choices[0].kind == CHOICE_TEXT);
    CHECK(value->choices[1].kind == CHOICE_NULL);
    CHECK(value->choices[2].kind == CHOICE_NODE);
    CHECK(value->choices[2].as.node->color == COLOR_BLUE);
    CHECK(value->bag_count == 2 && value->bag[0].value);
    CHECK(value->has_note && value->note_is_null);
    CHECK(value->others_count == 2);
    CHECK_TEXT(value->others[0].key, "zz");
    TRY(surety_doc_read(want, surety_str_of(WHOLE), NULL, NULL));
    TRY(surety_typed_to(&typed, value, doc, NULL));
    CHECK(surety_val_equal(surety_doc_root(doc), surety_doc_root(want)));
done:
    surety_typed_free(value);
    surety_doc_free(doc);
    surety_doc_free(want);
}

TEST(defaults_are_filled)
{
    const node *value = NULL;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(from_text(t, "{\"kind\":\"node\",\"next\":{\"kind\":\"node\"}}", &value,
                  NULL));
    CHECK(value->whole == 7 && value->color == COLOR_BLUE);
    CHECK_TEXT(value->next->text, "-");
    CHECK(!value->has_natural && !value->has_choices);
    CHECK(value->choices == NULL && value->choices_count == 0);
    TRY(to_text(value, &out, NULL));
    CHECK_TEXT(surety_buf_str(&out),
               "{\"whole\":7,\"real\":0.5,\"text\":\"-\",\"kind\":\"node\","
               "\"color\":\"blue\",\"next\":{\"whole\":7,\"real\":0.5,"
               "\"text\":\"-\",\"kind\":\"node\",\"color\":\"blue\"}}");
done:
    surety_buf_done(&out);
    surety_typed_free(value);
}

TEST(what_does_not_fit_is_told)
{
    static const struct {
        const char *text;
        surety_status status;
        const char *path;
    } cases[] = {
        {"[]", SURETY_SYNTAX, ""},
        {"{}", SURETY_SYNTAX, ""}, /* kind has no default */
        {"{\"kind\":\"node\",\"whole\":\"1\"}", SURETY_SYNTAX, "/whole"},
        {"{\"kind\":\"node\",\"whole\":1.5}", SURETY_SYNTAX, "/whole"},
        {"{\"kind\":\"node\",\"whole\":1.0}", SURETY_OK, ""},
        {"{\"kind\":\"node\",\"whole\":9223372036854775807}", SURETY_OK, ""},
        {"{\"kind\":\"node\",\"whole\":9223372036854775808}", SURETY_LIMIT,
         "/whole"},
        {"{\"kind\":\"node\",\"whole\":-9223372036854775809}", SURETY_LIMIT,
         "/whole"},
        {"{\"kind\":\"node\",\"natural\":18446744073709551616}", SURETY_LIMIT,
         "/natural"},
        {"{\"kind\":\"node\",\"natural\":-1}", SURETY_LIMIT, "/natural"},
        {"{\"kind\":\"node\",\"real\":1e309}", SURETY_LIMIT, "/real"},
        {"{\"kind\":\"node\",\"real\":null}", SURETY_SYNTAX, "/real"},
        {"{\"kind\":\"node\",\"color\":\"green\"}", SURETY_SYNTAX, "/color"},
        {"{\"kind\":\"node\",\"next\":null}", SURETY_SYNTAX, "/next"},
        {"{\"kind\":\"node\",\"heir\":null}", SURETY_OK, ""},
        {"{\"kind\":\"node\",\"pair\":[]}", SURETY_SYNTAX, "/pair"},
        {"{\"kind\":\"node\",\"pair\":[1]}", SURETY_OK, ""},
        {"{\"kind\":\"node\",\"pair\":[1,2,\"x\"]}", SURETY_SYNTAX, "/pair/2"},
        {"{\"kind\":\"node\",\"choices\":[5]}", SURETY_SYNTAX, "/choices/0"},
        {"{\"kind\":\"node\",\"choices\":{}}", SURETY_SYNTAX, "/choices"},
        {"{\"kind\":\"node\",\"bag\":{\"a/b\":1}}", SURETY_SYNTAX, "/bag/a~1b"},
    };
    const node *value = NULL;
    surety_error error;

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        EXPECT(cases[i].status, from_text(t, cases[i].text, &value, &error));
        if (cases[i].status != SURETY_OK)
            CHECK_TEXT(surety_str_of(error.path), cases[i].path);
        surety_typed_free(value);
        value = NULL;
    }
done:
    surety_typed_free(value);
}

TEST(what_no_json_stands_for_is_refused)
{
    node inner = {.text = {"x", 1}};
    node outer = {.text = {"y", 1}, .next = &inner};
    const choice bad_kind = {.kind = (choice_kind)9};
    const choice no_node = {.kind = CHOICE_NODE};
    const bag_entry no_key = {{NULL, 3}, true};
    surety_error error;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(to_text(&outer, &out, &error));
    inner.color = (color)2;
    EXPECT(SURETY_MISUSE, to_text(&outer, &out, &error));
    CHECK_TEXT(surety_str_of(error.message),
               "no JSON represents this color: not one of its words");
    CHECK_TEXT(surety_str_of(error.path), "/next/color");
    inner.color = COLOR_RED;
    inner.real = NAN;
    EXPECT(SURETY_MISUSE, to_text(&outer, &out, &error));
    CHECK_TEXT(surety_str_of(error.path), "/next/real");
    inner.real = 0;
    inner.has_choices = true;
    inner.choices_count = 1;
    EXPECT(SURETY_MISUSE, to_text(&outer, &out, &error));
    CHECK_TEXT(surety_str_of(error.path), "/next/choices");
    inner.choices = &bad_kind;
    EXPECT(SURETY_MISUSE, to_text(&outer, &out, &error));
    CHECK_TEXT(surety_str_of(error.path), "/next/choices/0");
    inner.choices = &no_node;
    EXPECT(SURETY_MISUSE, to_text(&outer, &out, &error));
    inner.has_choices = false;
    inner.has_number = true;
    inner.number = surety_str_of("12,5");
    EXPECT(SURETY_MISUSE, to_text(&outer, &out, &error));
    inner.number = surety_str_of("\"12\"");
    EXPECT(SURETY_MISUSE, to_text(&outer, &out, &error));
    CHECK(strstr(error.message, ": a text that is no number"));
    inner.number = (surety_str){NULL, 3};
    EXPECT(SURETY_MISUSE, to_text(&outer, &out, &error));
    CHECK(strstr(error.message, ": a text without a pointer"));
    inner.number = surety_str_of("12.50");
    TRY(to_text(&outer, &out, &error));
    inner.has_bag = true;
    inner.bag = &no_key;
    inner.bag_count = 1;
    EXPECT(SURETY_MISUSE, to_text(&outer, &out, &error));
    CHECK(strstr(error.message, ": a key without a pointer"));
    CHECK_TEXT(surety_str_of(error.path), "/next/bag");
    inner.has_bag = false;
    inner.has_any = true;
    EXPECT(SURETY_MISUSE, to_text(&outer, &out, &error));
    inner.has_any = false;
    inner.text = (surety_str){"\xFF", 1};
    EXPECT(SURETY_SYNTAX, to_text(&outer, &out, &error));
    inner.text = (surety_str){NULL, 3};
    EXPECT(SURETY_MISUSE, to_text(&outer, &out, &error));
    CHECK(strstr(error.message, ": a text without a pointer"));
    inner.text = (surety_str){NULL, 0};
    TRY(to_text(&outer, &out, &error));
    inner.next = &outer; /* in itself */
    EXPECT(SURETY_MISUSE, to_text(&outer, &out, &error));
done:
    surety_buf_done(&out);
}

TEST(whatever_it_holds_is_printed)
{
    node inner = {.text = {"x", 1}, .color = (color)5, .real = NAN};
    node outer = {.text = {"y\n", 2}, .next = &inner, .has_any = true};
    const bag_entry no_key = {{NULL, 3}, true};
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    outer.whole = INT64_MIN;
    surety_typed_print(&typed, &outer, &out);
    TRY(out.status);
    CHECK(memchr(out.ptr, '<', out.len));
    CHECK(strncmp(out.ptr,
                  "node {\n    \"whole\": -9223372036854775808\n"
                  "    \"natural\": absent\n    \"real\": 0\n"
                  "    \"text\": \"y\\n\"\n",
                  90) == 0);
    surety_buf_reset(&out);
    /* In itself, by two ways. */
    inner.next = &outer;
    inner.has_heir = outer.has_heir = true;
    inner.heir = &outer;
    outer.heir = &inner;
    surety_typed_print(&typed, &outer, &out);
    TRY(out.status);
    surety_buf_reset(&out);
    outer = (node){.has_number = true, .has_bag = true};
    outer.number.len = 3;
    outer.bag = &no_key;
    outer.bag_count = 1;
    surety_typed_print(&typed, &outer, &out);
    TRY(out.status);
    surety_buf_reset(&out);
    surety_typed_print(&typed, NULL, &out);
    TRY(out.status);
    CHECK_TEXT(surety_buf_str(&out), "NULL\n");
done:
    surety_buf_done(&out);
}

static const char printed[] = "node {\n"
                              "    \"whole\": -9223372036854775808\n"
                              "    \"natural\": 18446744073709551615\n"
                              "    \"real\": 1e+300\n"
                              "    \"text\": \"a\\u0000b\"\n"
                              "    \"number\": \"1e400\"\n"
                              "    \"kind\": \"node\"\n"
                              "    \"color\": \"red\"\n"
                              "    \"any\": [1,{\"k\":null}]\n"
                              "    \"next\": node {\n"
                              "        \"whole\": 1\n"
                              "        \"natural\": absent\n"
                              "        \"real\": 2\n"
                              "        \"text\": \"\"\n"
                              "        \"number\": absent\n"
                              "        \"kind\": \"node\"\n"
                              "        \"color\": \"red\"\n"
                              "        \"any\": absent\n"
                              "        \"next\": absent\n"
                              "        \"heir\": absent\n"
                              "        \"pair\": absent\n"
                              "        \"choices\": absent\n"
                              "        \"bag\": absent\n"
                              "        \"note\": absent\n"
                              "    }\n"
                              "    \"heir\": null\n"
                              "    \"pair\": pair [\n"
                              "        1\n"
                              "        2.5\n"
                              "        3\n"
                              "        4\n"
                              "    ]\n"
                              "    \"choices\": choice [\n"
                              "        (text) \"x\"\n"
                              "        (null) null\n"
                              "        (node) node {\n"
                              "            \"whole\": 2\n"
                              "            \"natural\": absent\n"
                              "            \"real\": 0\n"
                              "            \"text\": \"y\"\n"
                              "            \"number\": absent\n"
                              "            \"kind\": \"node\"\n"
                              "            \"color\": \"blue\"\n"
                              "            \"any\": absent\n"
                              "            \"next\": absent\n"
                              "            \"heir\": absent\n"
                              "            \"pair\": absent\n"
                              "            \"choices\": absent\n"
                              "            \"bag\": absent\n"
                              "            \"note\": absent\n"
                              "        }\n"
                              "    ]\n"
                              "    \"bag\": bool {\n"
                              "        \"p\": true\n"
                              "        \"q\": false\n"
                              "    }\n"
                              "    \"note\": null\n"
                              "    \"zz\": 1.50\n"
                              "    \"yy\": {}\n"
                              "}\n";

/* A value as a debugger shows it: each form once. */
TEST(a_whole_value_is_printed)
{
    const node *value = NULL;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(from_text(t, WHOLE, &value, NULL));
    surety_typed_print(&typed, value, &out);
    TRY(out.status);
    CHECK_TEXT(surety_buf_str(&out), printed);
done:
    surety_buf_done(&out);
    surety_typed_free(value);
}

/* The contract has the name of the table unless the caller gives one. */
TEST(contracts_have_a_name)
{
    const surety_contract_options named = {.size = sizeof(named),
                                           .name = surety_str_of("b/own"),
                                           .alloc = check_alloc(t)};
    surety_contract *contract = NULL;

    TRY(contract_of(t, &contract));
    CHECK_TEXT(surety_contract_info_of(contract)->name, "a/node");
    surety_contract_free(contract);
    contract = NULL;
    TRY(surety_typed_contract(&typed, &named, &contract, NULL));
    CHECK_TEXT(surety_contract_info_of(contract)->name, "b/own");
    EXPECT(SURETY_MISUSE, surety_typed_contract(NULL, &named, &contract, NULL));
    EXPECT(SURETY_MISUSE, surety_typed_contract(&typed, &named, NULL, NULL));
done:
    surety_contract_free(contract);
}

TEST(replies_are_judged)
{
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;
    const void *value = NULL;

    TRY(contract_of(t, &contract));
    TRY(surety_typed_read(&typed, contract, surety_str_of("nothing here"),
                          &value, &outcome, NULL));
    CHECK(value == NULL && outcome && !surety_outcome_info_of(outcome)->ok);
    surety_outcome_free(outcome);
    outcome = NULL;
    TRY(surety_typed_read(&typed, contract,
                          surety_str_of("{\"kind\":\"node\"}"), &value,
                          &outcome, NULL));
    CHECK(value && surety_outcome_info_of(outcome)->ok);
    surety_typed_free(value);
    value = NULL;
    /* Valid, and beyond the type: that is a failure. */
    EXPECT(SURETY_SYNTAX,
           surety_typed_read(&typed, contract, surety_str_of("{}"), &value,
                             NULL, NULL));
    CHECK(value == NULL);
    EXPECT(SURETY_MISUSE, surety_typed_read(&typed, NULL, surety_str_of("{}"),
                                            &value, NULL, NULL));
done:
    surety_typed_free(value);
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

TEST(values_are_checked)
{
    const node value = {.text = {"x", 1}};
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;
    surety_buf json;

    surety_buf_init(&json, check_alloc(t), 0);
    TRY(contract_of(t, &contract));
    TRY(surety_typed_check(&typed, contract, &value, &json, &outcome, NULL));
    CHECK(surety_outcome_info_of(outcome)->ok);
    EXPECT(SURETY_MISUSE,
           surety_typed_check(&typed, contract, &value, &json, &outcome, NULL));
done:
    surety_outcome_free(outcome);
    surety_buf_done(&json);
    surety_contract_free(contract);
}

/* Two bytes of text for a struct of hundreds, and its defaults: 13 bytes each
 * time ("7", "0.5", "\"-\"", "\"blue\""). The root itself is not counted. */
TEST(what_takes_too_much_is_refused)
{
    const size_t need = sizeof(node) * 4 + 13 * 5;
    const size_t sizes[] = {(need + 15) / 16, (need - 1) / 16};
    surety_contract *contract = NULL;
    surety_doc *doc = surety_doc_new(check_alloc(t));
    const void *value = NULL;

    NEED(doc);
    TRY(surety_doc_read(
        doc,
        surety_str_of("{\"kind\":\"node\",\"next\":{\"kind\":\"node\","
                      "\"next\":{\"kind\":\"node\",\"next\":{\"kind\":"
                      "\"node\",\"next\":{\"kind\":\"node\"}}}}}"),
        NULL, NULL));
    for (size_t i = 0; i < CHECK_COUNT(sizes); i++) {
        /* A limit of n allows 16 times n bytes. */
        const surety_limits limits = {.size = sizeof(limits),
                                      .text_bytes_max = sizes[i]};
        const surety_contract_options options = {.size = sizeof(options),
                                                 .limits = &limits,
                                                 .alloc = check_alloc(t)};

        TRY(surety_typed_contract(&typed, &options, &contract, NULL));
        EXPECT(i ? SURETY_LIMIT : SURETY_OK,
               surety_typed_from(&typed, contract, surety_doc_root(doc), &value,
                                 NULL));
        surety_typed_free(value);
        value = NULL;
        surety_contract_free(contract);
        contract = NULL;
    }
done:
    surety_doc_free(doc);
    surety_contract_free(contract);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"everything comes back", everything_comes_back},
        {"defaults are filled", defaults_are_filled},
        {"what does not fit is told", what_does_not_fit_is_told},
        {"what no JSON stands for is refused",
         what_no_json_stands_for_is_refused},
        {"whatever it holds is printed", whatever_it_holds_is_printed},
        {"a whole value is printed", a_whole_value_is_printed},
        {"contracts have a name", contracts_have_a_name},
        {"replies are judged", replies_are_judged},
        {"values are checked", values_are_checked},
        {"what takes too much is refused", what_takes_too_much_is_refused},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
