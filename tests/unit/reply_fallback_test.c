/* SPDX-License-Identifier: Apache-2.0 */
/* Fallbacks: which reply gets one, and what is in it. */
#include "check.h"

#include <surety/reply.h>

#include <string.h>

#include "reply/reply.h"

TEST(knows_errors_and_refusals)
{
    static const struct {
        const char *reply;
        bool refused;
    } cases[] = {
        {"Error: overloaded", true},
        {"build FAILED: 2 problems", true},
        {"I apologize for that", true},
        {"As I CANNOT see it", true},
        {"Sorry, no", true},
        {"sorry, no", true},
        {"I am sorry about it", false},
        {"error", false},
        {"an apology", false},
        {"", false},
    };
    /* Each is one at the reply's start, in its middle, and where it ends. */
    static const char *const phrases[] = {
        "error:",         "failed:",         "i apologize",    "i cannot",
        "sorry,",         "as an ai ",       "as an ai,",      "i'm unable to",
        "i am unable to", "i'm not able to", "i can't help",   "i can't assist",
        "i can't do ",    "i can't provide", "i can't comply", "i can't answer",
        "i'm sorry, but", "i won't be able", "cannot assist",
    };
    char text[3 * 200 + 1];

    for (size_t i = 0; i < CHECK_COUNT(phrases); i++) {
        const size_t len = strlen(phrases[i]);
        const bool ends_in_blank = phrases[i][len - 1] == ' ';

        snprintf(text, sizeof(text), "...%s...", phrases[i]);
        CHECK(surety__fallback_refused(surety_str_of(text)));
        CHECK(surety__fallback_refused(surety_str_of(text + 3)));
        /* Blanks around a reply are no part of it. */
        CHECK(surety__fallback_refused((surety_str){text, 3 + len}) ==
              !ends_in_blank);
        CHECK(surety__fallback_refused((surety_str){text + 3, len}) ==
              !ends_in_blank);
    }
    for (size_t i = 0; i < CHECK_COUNT(cases); i++)
        CHECK(surety__fallback_refused(surety_str_of(cases[i].reply)) ==
              cases[i].refused);
    /* 199, 200 and 201 characters, of one byte and of three. */
    for (size_t len = 199; len <= 201; len++) {
        memset(text, 'x', len);
        memcpy(text, "sorry,", 6);
        CHECK(surety__fallback_refused((surety_str){text, len}) == (len < 200));
    }
    for (size_t i = 0; i < 194; i++)
        memcpy(text + 6 + 3 * i, "\xE2\x82\xAC", 3);
    CHECK(surety__fallback_refused((surety_str){text, 6 + 3 * 193}));
    CHECK(!surety__fallback_refused((surety_str){text, 6 + 3 * 194}));
done:;
}

TEST(fills_in_variables)
{
    static const char text[] =
        "{\"x-surety\":{\"fallback\":{\"kind\":\"value\",\"value\":"
        "{\"${a}\":[\"${a}\",\"<${b}>${a}${}\",{\"x\":[[],{}]},\"${a\"],"
        "\"n\":1.50}}},\"type\":\"object\"}";
    static const struct {
        const char *pointer, *text;
    } wants[] = {
        {"/${a}/0", "one"},
        {"/${a}/1", "<${b}>one${}"},
        {"/${a}/3", "${a"},
    };
    const surety_variable variables[] = {
        {SURETY__LITERAL("a"), SURETY__LITERAL("one")},
        {SURETY__LITERAL("c"), SURETY__LITERAL("two")},
    };
    const surety_judge_options options = {
        .size = sizeof(options), .variables = variables, .variables_count = 2};
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;
    surety_val value;

    TRY(check_contract(t, text, &contract));
    TRY(surety_contract_judge(contract, surety_str_of("no"), &options, &outcome,
                              NULL));
    CHECK(!surety_outcome_info_of(outcome)->ok);
    CHECK(surety_outcome_info_of(outcome)->fallback);
    CHECK(surety_outcome_info_of(outcome)->error_count == 1);
    CHECK(surety_outcome_info_of(outcome)->warning_count == 3);
    value = surety_outcome_info_of(outcome)->value;
    for (size_t i = 0; i < CHECK_COUNT(wants); i++)
        CHECK_TEXT(surety_val_str(
                       surety_val_at(value, surety_str_of(wants[i].pointer))),
                   wants[i].text);
    CHECK_TEXT(surety_val_number(surety_val_get(value, "n")), "1.50");
    CHECK(surety_val_count(value) == 2);
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

TEST(puts_the_text_where_the_field_says)
{
    static const char text[] =
        "{\"x-surety\":{\"fallback\":{\"kind\":\"text\",\"field\":\"/a/1\","
        "\"value\":{\"a\":[0,{\"gone\":[]},2],\"b\":[]}}},\"type\":\"null\"}";
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;

    TRY(check_contract(t, text, &contract));
    TRY(surety_contract_judge(contract, surety_str_of(" a \xFFz\n"), NULL,
                              &outcome, NULL));
    CHECK_JSON(surety_outcome_info_of(outcome)->value,
               "{\"a\":[0,\"a \xEF\xBF\xBDz\",2],\"b\":[]}");
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

TEST(some_replies_get_none)
{
    static const char *const kinds[] = {
        "{\"x-surety\":{\"fallback\":{\"kind\":\"none\"}},\"type\":\"null\"}",
        "{\"x-surety\":{\"fallback\":{\"kind\":\"null\"}},\"type\":\"null\"}",
        ("{\"x-surety\":{\"fallback\":{\"kind\":\"text\",\"field\":\"\","
         "\"value\":0}},\"type\":\"null\"}"),
    };
    static const struct {
        const char *reply;
        bool off;
        bool given[3];
    } cases[] = {
        {"x", false, {false, true, true}},
        {"x", true, {false, false, false}},
        {" \t\r\n", false, {false, false, false}},
        {"Error: x", false, {false, true, false}},
        {"null", false, {false, false, false}},
    };
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;

    for (size_t i = 0; i < CHECK_COUNT(cases) * CHECK_COUNT(kinds); i++) {
        const size_t kind = i % CHECK_COUNT(kinds);
        const size_t row = i / CHECK_COUNT(kinds);
        const surety_judge_options options = {.size = sizeof(options),
                                              .no_fallback = cases[row].off};

        TRY(check_contract(t, kinds[kind], &contract));
        TRY(surety_contract_judge(contract, surety_str_of(cases[row].reply),
                                  &options, &outcome, NULL));
        CHECK(surety_outcome_info_of(outcome)->fallback ==
              cases[row].given[kind]);
        surety_outcome_free(outcome);
        outcome = NULL;
        surety_contract_free(contract);
        contract = NULL;
    }
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"knows errors and refusals", knows_errors_and_refusals},
        {"fills in variables", fills_in_variables},
        {"puts the text where the field says",
         puts_the_text_where_the_field_says},
        {"some replies get none", some_replies_get_none},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
