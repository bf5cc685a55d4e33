/* SPDX-License-Identifier: Apache-2.0 */
/* whole_test.c: the whole job of the core, from the contract's text to every
 * form of the report, so that each of its allocations has once failed. What a
 * caller must be able to rely on: NOMEM is reported, nothing is lost, nothing
 * leaks, and what was half done can be done again. */
#include "check.h"

#include <surety.h>

#define CONTRACT                                                               \
    "{\"type\": \"object\", \"required\": [\"name\", \"size\"],"               \
    " \"properties\": {\"name\": {\"type\": \"string\", \"pattern\": \"^a\"}," \
    "  \"size\": {\"type\": \"number\", \"maximum\": 1},"                      \
    "  \"kind\": {\"default\": \"plain\", \"enum\": [\"plain\", \"odd\"]}},"   \
    " \"additionalProperties\": false,"                                        \
    " \"x-surety\": {\"name\": \"test/whole\", \"version\": \"1.0.0\"}}"

static const char good_reply[] =
    "Here it is:\n```json\n{\"name\": \"abc\", \"size\": 0.25}\n```\n";
static const char bad_reply[] = "> ```json\n> {\"name\": \"bcd\", \"size\": "
                                "85, \"more\": [1e400]}\n> ```\n";
static const char cut_reply[] = "```json\n{\"name\": \"abc\", \"size\": ";

/* Reads the contract with the test's allocator. */
static surety_status whole_contract(struct check *t, surety_contract **ret)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .alloc = check_alloc(t)};

    return surety_contract_read(surety_str_of(CONTRACT), &options, ret, NULL);
}

/* Writes every form of the report; what the last failure was, if any. */
static surety_status whole_write(struct check *t, const surety_outcome *outcome)
{
    surety_status status = SURETY_OK;
    surety_buf buf;

    surety_buf_init(&buf, check_alloc(t), 0);
    for (int form = SURETY_REPORT_JSON; form <= SURETY_REPORT_SARIF; form++) {
        surety_buf_reset(&buf);
        status = surety_outcome_write(outcome, (surety_report)form,
                                      surety_str_of("reply.md"), 0, &buf);
        if (status)
            break;
    }
    surety_buf_done(&buf);
    return status;
}

TEST(judges_a_good_reply)
{
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;

    TRY(whole_contract(t, &contract));
    TRY(surety_contract_judge(contract, surety_str_of(good_reply), NULL,
                              &outcome, NULL));
    CHECK(surety_outcome_info_of(outcome)->ok);
    CHECK_TEXT(surety_val_str(surety_val_get(
                   surety_outcome_info_of(outcome)->value, "kind")),
               "plain");
    TRY(whole_write(t, outcome));
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

TEST(judges_a_bad_reply)
{
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;

    TRY(whole_contract(t, &contract));
    TRY(surety_contract_judge(contract, surety_str_of(bad_reply), NULL,
                              &outcome, NULL));
    CHECK(!surety_outcome_info_of(outcome)->ok);
    CHECK(surety_outcome_info_of(outcome)->stage == SURETY_STAGE_VALIDATION);
    CHECK(surety_outcome_info_of(outcome)->error_count == 3);
    CHECK(surety_outcome_error(outcome, 0).position.line == 2);
    TRY(whole_write(t, outcome));
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

TEST(judges_a_reply_that_was_cut_off)
{
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;

    TRY(whole_contract(t, &contract));
    TRY(surety_contract_judge(contract, surety_str_of(cut_reply), NULL,
                              &outcome, NULL));
    CHECK(!surety_outcome_info_of(outcome)->ok);
    CHECK(!surety_val_kind(surety_outcome_info_of(outcome)->value));
    TRY(whole_write(t, outcome));
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

/* A judge that ran out of memory is as good as new. */
TEST(reuses_a_judge)
{
    const char *replies[] = {bad_reply, good_reply, cut_reply, good_reply};
    surety_contract *contract = NULL;
    surety_judge *judge = NULL;
    const surety_outcome *outcome = NULL;

    TRY(whole_contract(t, &contract));
    NEED(judge = surety_judge_new(check_alloc(t), NULL));
    for (size_t i = 0; i < CHECK_COUNT(replies); i++) {
        surety_status status = surety_judge_reply(
            judge, contract, surety_str_of(replies[i]), NULL, &outcome, NULL);

        CHECK(status == SURETY_OK || (status == SURETY_NOMEM && t->starved));
        if (!status)
            CHECK(surety_outcome_info_of(outcome)->ok == (i % 2 == 1));
    }
done:
    surety_judge_free(judge);
    surety_contract_free(contract);
}

/* The second pass over the same replies allocates nothing. */
TEST(allocates_nothing_once_grown)
{
    const char *replies[] = {bad_reply, good_reply, cut_reply};
    surety_contract *contract = NULL;
    surety_judge *judge = NULL;
    const surety_outcome *outcome = NULL;
    size_t made = 0;

    TRY(whole_contract(t, &contract));
    NEED(judge = surety_judge_new(check_alloc(t), NULL));
    for (int pass = 0; pass < 4; pass++) {
        made = t->made;
        for (size_t i = 0; i < CHECK_COUNT(replies); i++)
            TRY(surety_judge_reply(judge, contract, surety_str_of(replies[i]),
                                   NULL, &outcome, NULL));
    }
    CHECK(t->made == made);
done:
    surety_judge_free(judge);
    surety_contract_free(contract);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"judges a good reply", judges_a_good_reply},
        {"judges a bad reply", judges_a_bad_reply},
        {"judges a reply that was cut off", judges_a_reply_that_was_cut_off},
        {"reuses a judge", reuses_a_judge},
        {"allocates nothing once grown", allocates_nothing_once_grown},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
