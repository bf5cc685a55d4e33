/* SPDX-License-Identifier: Apache-2.0 */
/* Rules and derived members as the judge uses them. In a build without libjq
 * such a contract is refused, and there is nothing to test here. */
#include "check.h"

#include <surety/reply.h>

#include <string.h>

static const char contract_text[] =
    "{\"$id\":\"urn:t\",\"x-surety\":{\"rules\":["
    "{\"id\":\"low\",\"at\":\"/n\",\"expr\":\".n < 5\",\"message\":\"n is "
    "high\"},"
    "{\"id\":\"odd\",\"at\":\"/m/0\",\"expr\":\"(.n % 2) == "
    "1\",\"message\":\"n is even\"},"
    "{\"id\":\"sum\",\"at\":\"\",\"expr\":\".n + .s\",\"message\":\"no "
    "sum\"}],"
    "\"derive\":{\"twice\":\".n * 2\"}},"
    "\"required\":[\"n\"],\"properties\":{\"n\":{\"type\":\"integer\"}}}";

TEST(rules_and_derived_members)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .alloc = check_alloc(t)};
    const surety_judge_options derive = {.size = sizeof(derive),
                                         .derive = true};
    surety_contract *contract = NULL;
    surety_judge *judge = surety_judge_new(check_alloc(t), NULL);
    const surety_outcome *outcome;
    surety_issue issue;
    surety_status status;

    NEED(judge);
    status = surety_contract_read(surety_str_of(contract_text), &options,
                                  &contract, NULL);
    if (status == SURETY_UNSUPPORTED)
        goto done;
    TRY(status);

    /* The schema first: no rule is asked. */
    TRY(surety_judge_reply(judge, contract, surety_str_of("{\"n\":\"\"}"),
                           &derive, &outcome, NULL));
    CHECK(surety_outcome_info_of(outcome)->error_count == 1);
    CHECK_TEXT(surety_outcome_error(outcome, 0).keyword, "type");

    /* Two do not hold and one fails; the candidate with fewer is reported. */
    TRY(surety_judge_reply(
        judge, contract,
        surety_str_of("[{\"n\":\"\"}]\n{\"n\":8,\"s\":[]} {\"n\":6,\"s\":1}"),
        &derive, &outcome, NULL));
    CHECK(surety_outcome_info_of(outcome)->stage == SURETY_STAGE_VALIDATION);
    CHECK(surety_outcome_info_of(outcome)->error_count == 2);
    CHECK(surety_val_kind(surety_outcome_info_of(outcome)->derived) ==
          SURETY_KIND_NONE);
    issue = surety_outcome_error(outcome, 0);
    CHECK_TEXT(issue.keyword, "rules");
    CHECK_TEXT(issue.message, "n is high");
    CHECK_TEXT(issue.hint, "rule low");
    CHECK_TEXT(issue.instance_location, "/n");
    CHECK_TEXT(issue.keyword_location, "/x-surety/rules/0");
    CHECK_TEXT(issue.absolute_keyword_location, "urn:t#/x-surety/rules/0");
    CHECK(issue.position.line == 2 && issue.position.column == 21);
    /* No value is at /m/0: the nearest around it is pointed at. */
    issue = surety_outcome_error(outcome, 1);
    CHECK_TEXT(issue.instance_location, "/m/0");
    CHECK(issue.position.line == 2 && issue.position.column == 16);

    /* A rule that fails is a finding that says why. */
    TRY(surety_judge_reply(judge, contract, surety_str_of("{\"n\":3,\"s\":[]}"),
                           &derive, &outcome, NULL));
    CHECK(surety_outcome_info_of(outcome)->error_count == 1);
    issue = surety_outcome_error(outcome, 0);
    CHECK(issue.message.len > 42 &&
          !memcmp(issue.message.ptr,
                  "the rule sum could not be evaluated: ", 37));

    TRY(surety_judge_reply(judge, contract, surety_str_of("{\"n\":3}"), &derive,
                           &outcome, NULL));
    CHECK(surety_outcome_info_of(outcome)->ok);
    CHECK(surety_val_int(
              surety_val_get(surety_outcome_info_of(outcome)->derived, "twice"),
              0) == 6);
    TRY(surety_judge_reply(judge, contract, surety_str_of("{\"n\":3}"), NULL,
                           &outcome, NULL));
    CHECK(surety_val_kind(surety_outcome_info_of(outcome)->derived) ==
          SURETY_KIND_NONE);
done:
    surety_judge_free(judge);
    surety_contract_free(contract);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"rules and derived members", rules_and_derived_members},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
