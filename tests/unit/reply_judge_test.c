/* SPDX-License-Identifier: Apache-2.0 */
/* The judge: which candidate is taken, which one is reported, what fails the
 * call and what does not, and that a judge can be used again. */
#include "check.h"

#include <surety/reply.h>

#include <stdio.h>
#include <string.h>

static const char contract_text[] =
    "{\"x-surety\":{\"name\":\"t\",\"version\":\"2.1.0\"},"
    "\"type\":\"object\",\"required\":[\"a\"],"
    "\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":\"integer\"},"
    "\"c\":{\"type\":\"integer\"}}}";

TEST(takes_the_first_valid_candidate)
{
    static const char reply[] = "```json\n{\"a\": \"no\"}\n```\n"
                                "```json\n{\"a\": 1}\n```\n"
                                "```json\n{\"a\": 2}\n```\n";
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;

    TRY(check_contract(t, contract_text, &contract));
    TRY(surety_contract_judge(contract, surety_str_of(reply), NULL, &outcome,
                              NULL));
    CHECK(surety_outcome_info_of(outcome)->ok);
    CHECK(surety_outcome_info_of(outcome)->stage == SURETY_STAGE_DONE);
    CHECK(surety_outcome_info_of(outcome)->place == SURETY_PLACE_FENCE);
    CHECK(surety_outcome_info_of(outcome)->start ==
          strlen("```json\n{\"a\": \"no\"}\n"
                 "```\n```json\n"));
    CHECK(surety_outcome_info_of(outcome)->end -
              surety_outcome_info_of(outcome)->start ==
          8);
    CHECK(surety_val_int(
              surety_val_get(surety_outcome_info_of(outcome)->value, "a"), 0) ==
          1);
    CHECK(surety_outcome_info_of(outcome)->error_count == 0);
    CHECK(surety_outcome_info_of(outcome)->warning_count == 1);
    CHECK_TEXT(surety_outcome_warning(outcome, 0).message,
               "another value satisfies the contract, too: the one at line 5, "
               "column 1 was taken (pick: first)");
    CHECK(surety_outcome_warning(outcome, 0).position.line == 8);
    CHECK(!surety_outcome_info_of(outcome)->fallback);
    CHECK(surety_val_kind(surety_outcome_info_of(outcome)->derived) ==
          SURETY_KIND_NONE);
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

TEST(reports_the_one_that_got_furthest)
{
    static const struct {
        const char *reply;
        const char *keyword;
        size_t errors;
        uint32_t line;
    } cases[] = {
        /* validation before json_parse, whatever the order */
        {"```json\n{\"a\": }\n```\n```json\n{\"a\": \"x\"}\n```\n", "type", 1,
         5},
        {"```json\n{\"a\": \"x\"}\n```\n```json\n{\"a\": }\n```\n", "type", 1,
         2},
        /* then fewest errors */
        {"```json\n{\"b\": \"\", \"c\": \"\"}\n```\n```json\n{\"b\": 1}\n```\n",
         "required", 1, 5},
        {"```json\n{\"b\": 1}\n```\n```json\n{\"b\": \"\", \"c\": \"\"}\n```\n",
         "required", 1, 2},
        /* then order */
        {"```json\n{\"a\": \"x\"}\n```\n```json\n{\"b\": 1}\n```\n", "type", 1,
         2},
        {"```json\n[1,]\n```\n```json\n{,}\n```\n", "json_parse", 1, 2},
        /* prose is no candidate */
        {"Nothing.", "extraction", 1, 0},
        {"\"Nothing\" is here.", "extraction", 1, 0},
        {"[nothing] is here.", "json_parse", 1, 1},
    };
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;

    TRY(check_contract(t, contract_text, &contract));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        surety_issue issue;

        TRY(surety_contract_judge(contract, surety_str_of(cases[i].reply), NULL,
                                  &outcome, NULL));
        CHECK(!surety_outcome_info_of(outcome)->ok);
        CHECK(surety_outcome_info_of(outcome)->error_count == cases[i].errors);
        issue = surety_outcome_error(outcome, 0);
        CHECK_TEXT(issue.keyword, cases[i].keyword);
        CHECK(issue.position.line == cases[i].line);
        surety_outcome_free(outcome);
        outcome = NULL;
    }
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

/* 18 blocks with two errors each, then `last`: errors are counted for the first
 * 16 invalid ones only. */
TEST(counts_errors_of_a_bounded_number)
{
    static const char bad[] = "```json\n{\"b\": \"\"}\n```\n";
    static const char good[] = "```json\n{\"b\": 1}\n```\n";
    static const char valid[] = "```json\n{\"a\": 1}\n```\n";
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;
    surety_buf reply;

    surety_buf_init(&reply, check_alloc(t), 0);
    TRY(check_contract(t, contract_text, &contract));
    for (size_t before = 14; before <= 17; before++) {
        surety_buf_reset(&reply);
        for (size_t i = 0; i < before; i++)
            surety_buf_text(&reply, bad);
        surety_buf_text(&reply, good);
        TRY(reply.status);
        TRY(surety_contract_judge(contract, surety_buf_str(&reply), NULL,
                                  &outcome, NULL));
        CHECK(surety_outcome_info_of(outcome)->error_count ==
              (before < 16 ? 1 : 2));
        surety_outcome_free(outcome);
        outcome = NULL;
        surety_buf_text(&reply, valid);
        TRY(reply.status);
        TRY(surety_contract_judge(contract, surety_buf_str(&reply), NULL,
                                  &outcome, NULL));
        CHECK(surety_outcome_info_of(outcome)->ok);
        surety_outcome_free(outcome);
        outcome = NULL;
    }
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
    surety_buf_done(&reply);
}

TEST(tries_native_where_it_is_listed)
{
    static const struct {
        surety_place from[2];
        size_t from_count;
        const char *native;
        surety_place place;
    } cases[] = {
        {{SURETY_PLACE_NATIVE, SURETY_PLACE_FENCE},
         2,
         "{\"a\":9}",
         SURETY_PLACE_NATIVE},
        {{SURETY_PLACE_FENCE, SURETY_PLACE_NATIVE},
         2,
         "{\"a\":9}",
         SURETY_PLACE_FENCE},
        {{SURETY_PLACE_NATIVE, SURETY_PLACE_FENCE},
         2,
         "{\"a\":\"\"}",
         SURETY_PLACE_FENCE},
        {{SURETY_PLACE_FENCE}, 1, "{\"a\":9}", SURETY_PLACE_FENCE},
        {{SURETY_PLACE_NATIVE}, 1, "{\"a\":9}", SURETY_PLACE_NATIVE},
        {{SURETY_PLACE_NONE}, 0, "{\"a\":9}", SURETY_PLACE_NATIVE},
        {{SURETY_PLACE_NONE}, 0, "", SURETY_PLACE_FENCE},
    };
    static const char reply[] = "See:\n```json\n{\"a\": 1}\n```\n";
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;

    TRY(check_contract(t, contract_text, &contract));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        surety_extract extract = {.size = sizeof(extract),
                                  .from_count = cases[i].from_count};
        const surety_judge_options options = {
            .size = sizeof(options),
            .native = surety_str_of(cases[i].native),
            .extract = &extract,
        };

        memcpy(extract.from, cases[i].from, sizeof(cases[i].from));
        TRY(surety_contract_judge(contract, surety_str_of(reply), &options,
                                  &outcome, NULL));
        CHECK(surety_outcome_info_of(outcome)->ok);
        CHECK(surety_outcome_info_of(outcome)->place == cases[i].place);
        surety_outcome_free(outcome);
        outcome = NULL;
    }
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

/* A native value that is not in the form that was asked for is refused, though
 * it satisfies the contract: where, why and what to do are the caller's. */
TEST(refuses_a_native_value_for_its_form)
{
    static const struct {
        const char *path;
        size_t offset, length;
    } cases[] = {{"", 0, 1}, {"/a", 6, 1}, {"/b", 0, 0}};
    surety_error fault = {.status = SURETY_SYNTAX,
                          .message = "has no entry",
                          .hint = "ask again"};
    const surety_judge_options options = {.size = sizeof(options),
                                          .native = surety_str_of("{\"a\": 9}"),
                                          .native_fault = &fault};
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;

    TRY(check_contract(t, contract_text, &contract));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        surety_issue issue;

        snprintf(fault.path, sizeof(fault.path), "%s", cases[i].path);
        TRY(surety_contract_judge(contract, surety_str_of(""), &options,
                                  &outcome, NULL));
        CHECK(!surety_outcome_info_of(outcome)->ok);
        CHECK(surety_outcome_info_of(outcome)->stage ==
              SURETY_STAGE_VALIDATION);
        CHECK(surety_outcome_info_of(outcome)->error_count == 1);
        issue = surety_outcome_error(outcome, 0);
        CHECK_TEXT(issue.keyword, "strict");
        CHECK_TEXT(issue.instance_location, cases[i].path);
        CHECK_TEXT(issue.message, "has no entry");
        CHECK_TEXT(issue.hint, "ask again");
        CHECK(issue.position.offset == cases[i].offset);
        CHECK(issue.position.length == cases[i].length);
        surety_outcome_free(outcome);
        outcome = NULL;
    }
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

TEST(a_judge_is_used_again)
{
    surety_contract *first = NULL;
    surety_contract *second = NULL;
    const surety_outcome *outcome = NULL;
    surety_judge *judge = surety_judge_new(check_alloc(t), NULL);
    size_t made;

    NEED(judge);
    TRY(check_contract(t, contract_text, &first));
    TRY(check_contract(t, "{\"type\":\"string\"}", &second));
    for (int i = 0; i < 3; i++) {
        made = t->made;
        TRY(surety_judge_reply(judge, first, surety_str_of("> {\"a\": 1,}"),
                               NULL, &outcome, NULL));
        CHECK(surety_outcome_info_of(outcome)->stage ==
              SURETY_STAGE_JSON_PARSE);
        CHECK_TEXT(surety_outcome_error(outcome, 0).hint,
                   "remove the last comma");
        TRY(surety_judge_reply(judge, second, surety_str_of("\"x\""), NULL,
                               &outcome, NULL));
        CHECK(surety_outcome_info_of(outcome)->ok);
        CHECK(surety_outcome_info_of(outcome)->error_count == 0);
        CHECK(surety_val_is(surety_outcome_info_of(outcome)->value, "x"));
        TRY(surety_judge_reply(judge, second, surety_str_of(""), NULL, &outcome,
                               NULL));
        CHECK(surety_outcome_info_of(outcome)->stage ==
              SURETY_STAGE_EXTRACTION);
        CHECK(surety_val_kind(surety_outcome_info_of(outcome)->value) ==
              SURETY_KIND_NONE);
        CHECK(i == 0 || t->made == made);
    }
done:
    surety_judge_free(judge);
    surety_contract_free(first);
    surety_contract_free(second);
}

TEST(limits_and_misuse_fail_the_call)
{
    const surety_limits limits = {.size = sizeof(limits), .text_bytes_max = 9};
    const surety_judge_options options = {.size = sizeof(options),
                                          .native = {NULL, 4}};
    surety_judge_options native = {.size = sizeof(native)};
    surety_contract *contract = NULL;
    surety_judge *judge = surety_judge_new(check_alloc(t), &limits);
    const surety_outcome *outcome = NULL;
    surety_outcome *own = NULL;
    surety_error err = {.status = SURETY_OK};

    NEED(judge);
    TRY(check_contract(t, contract_text, &contract));
    TRY(surety_judge_reply(judge, contract, surety_str_of("{\"a\":10} "), NULL,
                           &outcome, &err));
    CHECK(surety_outcome_info_of(outcome)->ok);
    outcome = NULL;
    EXPECT(SURETY_LIMIT,
           surety_judge_reply(judge, contract, surety_str_of("{\"a\":100} "),
                              NULL, &outcome, &err));
    CHECK(outcome == NULL && err.status == SURETY_LIMIT);
    native.native = surety_str_of("{\"a\":10} ");
    TRY(surety_judge_reply(judge, contract, surety_str_of(""), &native,
                           &outcome, &err));
    CHECK(surety_outcome_info_of(outcome)->ok);
    native.native = surety_str_of("{\"a\":100} ");
    EXPECT(SURETY_LIMIT, surety_judge_reply(judge, contract, surety_str_of(""),
                                            &native, &outcome, &err));
    EXPECT(SURETY_MISUSE, surety_judge_reply(judge, contract, surety_str_of(""),
                                             &options, &outcome, &err));
    EXPECT(SURETY_MISUSE, surety_judge_reply(NULL, contract, surety_str_of(""),
                                             NULL, &outcome, &err));
    EXPECT(SURETY_MISUSE, surety_judge_reply(judge, NULL, surety_str_of(""),
                                             NULL, &outcome, &err));
    EXPECT(SURETY_MISUSE,
           surety_contract_judge(NULL, surety_str_of(""), NULL, &own, &err));
    EXPECT(SURETY_MISUSE, surety_contract_judge(contract, (surety_str){NULL, 3},
                                                NULL, &own, &err));
    CHECK(own == NULL);
done:
    surety_judge_free(judge);
    surety_contract_free(contract);
}

/* A candidate beyond a limit of the reader cannot be read; it is no reason to
 * give up on the others. */
TEST(depth_is_a_matter_of_one_candidate)
{
    const surety_limits limits = {.size = sizeof(limits), .depth_max = 3};
    static const struct {
        const char *reply;
        surety_stage stage;
    } cases[] = {
        {"[[1]]", SURETY_STAGE_VALIDATION},
        {"[[[1]]]", SURETY_STAGE_VALIDATION},
        {"[[[[1]]]]", SURETY_STAGE_JSON_PARSE},
        {"[[[[1]]]] or {\"a\":1}", SURETY_STAGE_DONE},
    };
    surety_contract *contract = NULL;
    surety_judge *judge = surety_judge_new(check_alloc(t), &limits);
    const surety_outcome *outcome;

    NEED(judge);
    TRY(check_contract(t, contract_text, &contract));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        TRY(surety_judge_reply(judge, contract, surety_str_of(cases[i].reply),
                               NULL, &outcome, NULL));
        CHECK(surety_outcome_info_of(outcome)->stage == cases[i].stage);
    }
done:
    surety_judge_free(judge);
    surety_contract_free(contract);
}

static const char many_text[] =
    "{\"x-surety\":{\"name\":\"m\",\"version\":\"1.0.0\"},"
    "\"type\":\"array\",\"items\":{\"anyOf\":[{\"type\":\"integer\"},"
    "{\"type\":\"null\"},{\"const\":\"z\"}]}}";

/* Two candidates are compared by their errors, which are counted. Where that
 * takes more work than is allowed, the valid one behind them is taken all the
 * same, and without one the work is too much. */
TEST(what_cannot_be_counted_loses)
{
    const surety_limits limits = {
        .size = sizeof(limits), .work_per_value = 1, .work_base = 14};
    static const struct {
        const char *behind;
        surety_status status;
    } cases[] = {
        {"[1]", SURETY_OK}, {"[false]", SURETY_OK}, {"", SURETY_LIMIT}};
    const char *const many = "[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\"]";
    surety_contract *contract = NULL;
    surety_judge *judge = surety_judge_new(check_alloc(t), &limits);
    const surety_outcome *outcome;

    NEED(judge);
    TRY(check_contract(t, many_text, &contract));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        char reply[200];

        snprintf(reply, sizeof(reply), "%s or %s or %s", many, many,
                 cases[i].behind);
        EXPECT(cases[i].status,
               surety_judge_reply(judge, contract, surety_str_of(reply), NULL,
                                  &outcome, NULL));
        if (cases[i].status == SURETY_OK)
            CHECK(surety_outcome_info_of(outcome)->ok == (i == 0));
    }
done:
    surety_judge_free(judge);
    surety_contract_free(contract);
}

/* Where the options set none, the contract's limit holds. */
TEST(limits_of_the_options_count_more)
{
    static const struct {
        uint32_t contract, options;
        bool ok;
    } cases[] = {{0, 0, true}, {3, 0, true},  {2, 0, false}, {0, 2, false},
                 {2, 3, true}, {3, 2, false}, {2, 9, true}};
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        const surety_limits theirs = {.size = sizeof(theirs),
                                      .depth_max = cases[i].contract};
        const surety_limits ours = {.size = sizeof(ours),
                                    .depth_max = cases[i].options};
        const surety_contract_options reading = {.size = sizeof(reading),
                                                 .limits = &theirs,
                                                 .alloc = check_alloc(t)};
        const surety_judge_options options = {.size = sizeof(options),
                                              .limits = &ours};

        TRY(surety_contract_read(surety_str_of("{}"), &reading, &contract,
                                 NULL));
        TRY(surety_contract_judge(contract, surety_str_of("{\"a\":[[1]]}"),
                                  &options, &outcome, NULL));
        CHECK(surety_outcome_info_of(outcome)->ok == cases[i].ok);
        surety_outcome_free(outcome);
        surety_contract_free(contract);
        outcome = NULL;
        contract = NULL;
    }
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

TEST(completes_a_valid_value)
{
    static const char text[] =
        "{\"x-surety\":{\"unknown\":\"strip\"},\"properties\":{"
        "\"a\":{\"default\":[1]},\"b\":{\"type\":\"integer\"}}}";
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;
    surety_val value;

    TRY(check_contract(t, text, &contract));
    TRY(surety_contract_judge(contract, surety_str_of("{\"b\":2,\"x\":3}"),
                              NULL, &outcome, NULL));
    value = surety_outcome_info_of(outcome)->value;
    CHECK(surety_val_count(value) == 2);
    CHECK(surety_val_int(surety_val_at(value, surety_str_of("/a/0")), 0) == 1);
    CHECK(surety_val_int(surety_val_get(value, "b"), 0) == 2);
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

/* A default that its own schema, or one of the object, forbids is not filled
 * in, and an unknown member that it needs is not left out. */
TEST(completes_nothing_that_breaks_the_schema)
{
    static const struct {
        const char *schema, *value;
        bool breaks;
    } rows[] = {
        {"{\"properties\":{\"a\":{\"type\":\"string\",\"default\":1}}}",
         "{\"b\":2}", true},
        {"{\"properties\":{\"a\":{\"default\":1}},\"maxProperties\":1}",
         "{\"b\":2}", true},
        {"{\"properties\":{\"a\":{\"default\":1}},\"maxProperties\":1}", "{}",
         false},
        {"{\"properties\":{\"a\":{\"default\":1}},\"dependentRequired\":"
         "{\"a\":[\"c\"]}}",
         "{\"b\":2}", true},
        {"{\"properties\":{\"a\":{\"default\":1}},\"not\":{\"required\":"
         "[\"a\"]}}",
         "{\"b\":2}", true},
        {"{\"x-surety\":{\"unknown\":\"strip\"},\"properties\":{\"a\":{}},"
         "\"minProperties\":1}",
         "{\"b\":2}", true},
    };
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;

    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const surety_outcome_info *info;

        TRY(check_contract(t, rows[i].schema, &contract));
        TRY(surety_contract_judge(contract, surety_str_of(rows[i].value), NULL,
                                  &outcome, NULL));
        info = surety_outcome_info_of(outcome);
        CHECK(info->ok);
        CHECK(info->warning_count == rows[i].breaks);
        CHECK_JSON(info->value, rows[i].breaks ? rows[i].value : "{\"a\":1}");
        if (rows[i].breaks)
            CHECK_TEXT(surety_outcome_warning(outcome, 0).keyword, "default");
        surety_outcome_free(outcome);
        surety_contract_free(contract);
        outcome = NULL;
        contract = NULL;
    }
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

TEST(nothing_is_given_for_nothing)
{
    CHECK(!surety_outcome_info_of(NULL)->ok);
    CHECK(surety_outcome_info_of(NULL)->error_count == 0);
    CHECK(surety_outcome_info_of(NULL)->warning_count == 0);
    CHECK(surety_outcome_error(NULL, 0).position.line == 0);
    CHECK(surety_outcome_warning(NULL, 7).keyword.len == 0);
    CHECK(surety_outcome_info_of(NULL)->place == SURETY_PLACE_NONE);
    CHECK(surety_outcome_info_of(NULL)->stage == SURETY_STAGE_EXTRACTION);
    CHECK(surety_outcome_info_of(NULL)->start == 0 &&
          surety_outcome_info_of(NULL)->end == 0);
    CHECK(!surety_outcome_info_of(NULL)->fallback &&
          !surety_outcome_info_of(NULL)->partial);
    CHECK(surety_outcome_info_of(NULL)->open.len == 0);
    CHECK(surety_outcome_info_of(NULL)->repaired_count == 0);
    CHECK(surety_outcome_repaired(NULL, 0).kind[0] == '\0');
    CHECK(surety_val_kind(surety_outcome_info_of(NULL)->value) ==
          SURETY_KIND_NONE);
    CHECK(surety_val_kind(surety_outcome_info_of(NULL)->derived) ==
          SURETY_KIND_NONE);
    CHECK(surety_val_kind(surety_outcome_info_of(NULL)->candidate) ==
          SURETY_KIND_NONE);
    CHECK_TEXT(surety_str_of(surety_stage_name((surety_stage)99)), "unknown");
    CHECK_TEXT(surety_str_of(surety_stage_name(SURETY_STAGE_DONE)), "done");
    CHECK_TEXT(surety_str_of(surety_stage_name(SURETY_STAGE_EXTRACTION)),
               "extraction");
    CHECK_TEXT(surety_str_of(surety_stage_name(SURETY_STAGE_JSON_PARSE)),
               "json_parse");
    CHECK_TEXT(surety_str_of(surety_stage_name(SURETY_STAGE_VALIDATION)),
               "validation");
    surety_outcome_free(NULL);
    surety_judge_free(NULL);
done:;
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"takes the first valid candidate", takes_the_first_valid_candidate},
        {"reports the one that got furthest",
         reports_the_one_that_got_furthest},
        {"counts errors of a bounded number",
         counts_errors_of_a_bounded_number},
        {"tries native where it is listed", tries_native_where_it_is_listed},
        {"refuses a native value for its form",
         refuses_a_native_value_for_its_form},
        {"a judge is used again", a_judge_is_used_again},
        {"limits and misuse fail the call", limits_and_misuse_fail_the_call},
        {"what cannot be counted loses", what_cannot_be_counted_loses},
        {"limits of the options count more", limits_of_the_options_count_more},
        {"depth is a matter of one candidate",
         depth_is_a_matter_of_one_candidate},
        {"completes a valid value", completes_a_valid_value},
        {"completes nothing that breaks the schema",
         completes_nothing_that_breaks_the_schema},
        {"nothing is given for nothing", nothing_is_given_for_nothing},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
