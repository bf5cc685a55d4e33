/* SPDX-License-Identifier: Apache-2.0 */
/* The host's validators: what they are asked, what becomes of what they say,
 * and that nothing is valid which one of them refuses, or could not judge. */
#include "check.h"

#include <surety/prompt.h>
#include <surety/stream.h>

#include <string.h>

static const char contract_text[] =
    "{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":{\"type\":"
    "\"integer\"},\"b\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}},"
    "\"c\":{\"type\":\"integer\",\"default\":7}}}";

/* Refuses odd numbers at /a, and tells what it was asked. */
struct odd {
    const char *location; /* of its issue */
    const char *message;
    size_t issues; /* how many for one value; 0: one */
    size_t asked;
    size_t spared; /* so many questions neither wait nor fail */
    size_t waits;  /* so often it is not done */
    surety_status fails;
    const char *why;
    char value[256], given[256];
};

static void odd_keep(char *to, size_t size, surety_val val)
{
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    (void)surety_val_write(val, SURETY_STYLE_COMPACT, &text);
    memset(to, 0, size);
    memcpy(to, text.ptr, text.len < size ? text.len : size - 1);
    surety_buf_done(&text);
}

static surety_status odd_validate(void *ctx,
                                  const surety_validation *validation,
                                  surety_error *reterr)
{
    struct odd *odd = ctx;
    const int64_t a = surety_val_int(surety_val_get(validation->value, "a"), 0);
    surety_status status = SURETY_OK;

    odd->asked++;
    odd_keep(odd->value, sizeof(odd->value), validation->value);
    odd_keep(odd->given, sizeof(odd->given), validation->given);
    if (odd->waits && odd->asked > odd->spared) {
        odd->waits--;
        return SURETY_MORE;
    }
    if (odd->fails && odd->asked > odd->spared) {
        if (odd->why)
            strcpy(reterr->message, odd->why);
        return odd->fails;
    }
    if (a % 2 == 0)
        return SURETY_OK;
    for (size_t i = 0; status == SURETY_OK && i < (odd->issues | !odd->issues);
         i++)
        status = surety_validation_add(
            validation, surety_str_of(odd->location ? odd->location : "/a"),
            surety_str_of(odd->message ? odd->message : "must be even"),
            surety_str_of("add one"));
    /* What it gives back is no matter: the judgement knows. */
    return SURETY_OK;
}

/* One judgement of one contract with one validator. */
struct bench {
    struct odd odd;
    surety_validator validator;
    surety_judge_options options;
    surety_contract *contract;
    surety_outcome *outcome;
    surety_error error;
};

static surety_status bench_open(struct bench *bench, struct check *t,
                                const char *contract)
{
    *bench = (struct bench){.contract = NULL};
    bench->validator = (surety_validator){.name = surety_str_of("odd"),
                                          .validate = odd_validate,
                                          .ctx = &bench->odd};
    bench->options = (surety_judge_options){.size = sizeof(bench->options),
                                            .validators = &bench->validator,
                                            .validator_count = 1};
    return check_contract(t, contract ? contract : contract_text,
                          &bench->contract);
}

static surety_status bench_judge(struct bench *bench, const char *reply)
{
    surety_outcome_free(bench->outcome);
    bench->outcome = NULL;
    return surety_contract_judge(bench->contract, surety_str_of(reply),
                                 &bench->options, &bench->outcome,
                                 &bench->error);
}

static void bench_close(struct bench *bench)
{
    surety_outcome_free(bench->outcome);
    surety_contract_free(bench->contract);
}

TEST(refuses_as_the_schema_does)
{
    struct bench bench;
    surety_issue issue;

    TRY(bench_open(&bench, t, NULL));
    TRY(bench_judge(&bench, "So:\n\n{\"b\": [1, 2],\n  \"a\": 3}"));
    CHECK(!surety_outcome_info_of(bench.outcome)->ok);
    CHECK(surety_outcome_info_of(bench.outcome)->stage ==
          SURETY_STAGE_VALIDATION);
    CHECK(surety_outcome_info_of(bench.outcome)->error_count == 1);
    CHECK_JSON(surety_outcome_info_of(bench.outcome)->value, "");
    issue = surety_outcome_error(bench.outcome, 0);
    CHECK_TEXT(issue.keyword, "validator");
    CHECK_TEXT(issue.instance_location, "/a");
    CHECK_TEXT(issue.keyword_location, "");
    CHECK_TEXT(issue.message, "must be even");
    CHECK_TEXT(issue.hint, "add one");
    CHECK(issue.position.line == 4 && issue.position.column == 8);
    TRY(bench_judge(&bench, "{\"a\": 4}"));
    CHECK(surety_outcome_info_of(bench.outcome)->ok);
    CHECK_JSON(surety_outcome_info_of(bench.outcome)->value,
               "{\"a\":4,\"c\":7}");
done:
    bench_close(&bench);
}

/* Defaults and stripping are done before it is asked; not what breaks the
 * schema, and not a part. */
TEST(is_asked_about_what_would_be_given_out)
{
    struct bench bench;

    TRY(bench_open(&bench, t,
                   "{\"x-surety\":{\"unknown\":\"strip\",\"repair\":\"align\"},"
                   "\"type\":\"object\",\"required\":[\"a\"],\"properties\":{"
                   "\"a\":{\"type\":\"integer\"},\"c\":{\"default\":7}}}"));
    TRY(bench_judge(&bench, "{\"a\": \"2\", \"z\": 1}"));
    CHECK(surety_outcome_info_of(bench.outcome)->ok);
    CHECK(!strcmp(bench.odd.value, "{\"a\":2,\"c\":7}"));
    CHECK(!strcmp(bench.odd.given, "{\"a\":2,\"z\":1}"));
    bench.odd.asked = 0;
    TRY(bench_judge(&bench, "{\"a\": null}"));
    CHECK(!surety_outcome_info_of(bench.outcome)->ok && bench.odd.asked == 0);
    bench.options.partial = true;
    TRY(bench_judge(&bench, "{\"a\": 3, \"b\": [1"));
    CHECK(surety_outcome_info_of(bench.outcome)->partial &&
          bench.odd.asked == 0);
done:
    bench_close(&bench);
}

TEST(leaves_the_next_candidate_to_be_taken)
{
    static const char two[] = "```json\n{\"a\": 1}\n```\n"
                              "```json\n{\"a\": 2}\n```\n";
    struct bench bench;

    TRY(bench_open(&bench, t, NULL));
    TRY(bench_judge(&bench, two));
    CHECK(surety_outcome_info_of(bench.outcome)->ok);
    CHECK_JSON(surety_outcome_info_of(bench.outcome)->value,
               "{\"a\":2,\"c\":7}");
    /* Where none is valid: fewest errors, then order. */
    bench.odd.issues = 2;
    TRY(bench_judge(&bench, "```json\n{\"a\": 1}\n```\n```json\n{\"b\": 1}\n"
                            "```\n```json\n{\"a\": \"x\"}\n```\n"));
    CHECK(surety_outcome_info_of(bench.outcome)->error_count == 1);
    CHECK_TEXT(surety_outcome_error(bench.outcome, 0).keyword, "type");
    bench.odd.issues = 1;
    TRY(bench_judge(&bench, "```json\n{\"a\": 1}\n```\n"
                            "```json\n{\"a\": \"x\"}\n```\n"));
    CHECK_TEXT(surety_outcome_error(bench.outcome, 0).keyword, "validator");
done:
    bench_close(&bench);
}

/* Another value is ambiguous only if it is valid in every way. */
TEST(is_asked_about_other_values)
{
    static const char two[] = "```json\n{\"a\": 2}\n```\n"
                              "```json\n{\"a\": 3}\n```\n";
    const surety_repair repair = SURETY_REPAIR_SYNTAX;
    struct bench bench;

    TRY(bench_open(&bench, t, NULL));
    bench.options.repair = &repair;
    TRY(bench_judge(&bench, two));
    CHECK(surety_outcome_info_of(bench.outcome)->ok);
    for (size_t i = 0; i < surety_outcome_info_of(bench.outcome)->warning_count;
         i++)
        CHECK(
            !surety_str_equal(surety_outcome_warning(bench.outcome, i).keyword,
                              surety_str_of("ambiguous")));
    CHECK(bench.odd.asked == 2);
    /* What it cannot say of the other one is no yes. */
    bench.odd = (struct odd){.spared = 1, .waits = 1};
    EXPECT(SURETY_MORE, bench_judge(&bench, two));
    bench.odd = (struct odd){.spared = 1, .fails = SURETY_LIMIT};
    EXPECT(SURETY_LIMIT, bench_judge(&bench, two));
done:
    bench_close(&bench);
}

TEST(places_its_issues)
{
    static const struct {
        const char *location;
        uint32_t column;
    } cases[] = {
        {"", 1}, {"/b", 15}, {"/b/1", 19}, {"/b/9", 15}, {"/c", 1}, {"/z/y", 1},
    };
    struct bench bench;

    TRY(bench_open(&bench, t, NULL));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        surety_issue issue;

        bench.odd.location = cases[i].location;
        TRY(bench_judge(&bench, "{\"a\": 1, \"b\": [1, 2]}"));
        issue = surety_outcome_error(bench.outcome, 0);
        CHECK_TEXT(issue.instance_location, cases[i].location);
        CHECK(issue.position.line == 1);
        CHECK(issue.position.column == cases[i].column);
    }
done:
    bench_close(&bench);
}

/* Every way to fail is a failure of the call, with its name. */
TEST(fails_as_itself)
{
    static const struct {
        struct odd odd;
        surety_status status;
        const char *message;
    } cases[] = {
        {{.fails = SURETY_IO, .why = "no such file"},
         SURETY_IO,
         "the validator odd failed: no such file"},
        {{.fails = SURETY_TIMEOUT}, SURETY_TIMEOUT, "the validator odd failed"},
        {{.fails = SURETY_END}, SURETY_MISUSE, "the validator odd failed"},
        {{.location = "a"},
         SURETY_MISUSE,
         "the validator odd failed: it added an issue at \"a\", which is no "
         "JSON Pointer"},
        {{.location = "/a~2"},
         SURETY_MISUSE,
         "the validator odd failed: it added an issue at \"/a~2\", which is no "
         "JSON Pointer"},
        {{.message = ""},
         SURETY_MISUSE,
         "the validator odd failed: it added an issue without a message"},
    };
    struct bench bench;

    TRY(bench_open(&bench, t, NULL));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        bench.odd = cases[i].odd;
        EXPECT(cases[i].status, bench_judge(&bench, "{\"a\": 1}"));
        CHECK(!strcmp(bench.error.message, cases[i].message));
    }
    bench.validator.name = surety_str_of("");
    bench.odd = cases[0].odd;
    EXPECT(SURETY_IO, bench_judge(&bench, "{\"a\": 1}"));
    CHECK(!strcmp(bench.error.message, "the validator failed: no such file"));
    bench.options.validators = NULL;
    EXPECT(SURETY_MISUSE, bench_judge(&bench, "{\"a\": 1}"));
    CHECK(surety_validation_add(NULL, surety_str_of(""), surety_str_of("x"),
                                surety_str_of("")) == SURETY_MISUSE);
done:
    bench_close(&bench);
}

/* A judgement that has to wait is made again, and comes to what it would have
 * come to at once; so with a stream. */
TEST(may_answer_later)
{
    static const char reply[] = "```json\n{\"a\": 1}\n```\n"
                                "```json\n{\"a\": 4}\n```\n";
    const surety_outcome *outcome = NULL;
    surety_stream *stream = NULL;
    struct bench bench;

    TRY(bench_open(&bench, t, NULL));
    bench.odd.waits = 2;
    EXPECT(SURETY_MORE, bench_judge(&bench, reply));
    CHECK(bench.outcome == NULL);
    EXPECT(SURETY_MORE, bench_judge(&bench, reply));
    TRY(bench_judge(&bench, reply));
    CHECK_JSON(surety_outcome_info_of(bench.outcome)->value,
               "{\"a\":4,\"c\":7}");

    stream = surety_stream_new(check_alloc(t), NULL);
    NEED(stream);
    TRY(surety_stream_begin(stream, bench.contract, &bench.options, false,
                            NULL));
    TRY(surety_stream_feed(stream, surety_str_of(reply), NULL));
    bench.odd.waits = 1;
    EXPECT(SURETY_MORE, surety_stream_finish(stream, NULL, &outcome, NULL));
    TRY(surety_stream_finish(stream, NULL, &outcome, NULL));
    CHECK_JSON(surety_outcome_info_of(outcome)->value, "{\"a\":4,\"c\":7}");
done:
    surety_stream_free(stream);
    bench_close(&bench);
}

/* All are asked, in their order, and each may wait. */
TEST(stands_beside_others)
{
    struct odd second = {.location = "", .message = "is no good"};
    surety_validator both[2];
    struct bench bench;

    TRY(bench_open(&bench, t, NULL));
    both[0] = bench.validator;
    both[1] = (surety_validator){.validate = odd_validate, .ctx = &second};
    bench.options.validators = both;
    bench.options.validator_count = 2;
    bench.odd.waits = 1;
    EXPECT(SURETY_MORE, bench_judge(&bench, "{\"a\": 1}"));
    CHECK(second.asked == 1);
    TRY(bench_judge(&bench, "{\"a\": 1}"));
    CHECK(surety_outcome_info_of(bench.outcome)->error_count == 2);
    CHECK_TEXT(surety_outcome_error(bench.outcome, 0).message, "must be even");
    CHECK_TEXT(surety_outcome_error(bench.outcome, 1).message, "is no good");
done:
    bench_close(&bench);
}

/* findings_max bounds what is kept; the rest is counted and said. */
TEST(is_bounded)
{
    const size_t max = surety_limits_of(NULL).findings_max;
    struct bench bench;

    TRY(bench_open(&bench, t, NULL));
    for (size_t extra = 0; extra < 2; extra++) {
        bench.odd.issues = max + extra;
        TRY(bench_judge(&bench, "{\"a\": 1}"));
        CHECK(surety_outcome_info_of(bench.outcome)->error_count == max);
        CHECK(surety_outcome_info_of(bench.outcome)->warning_count == extra);
    }
    CHECK_TEXT(surety_outcome_warning(bench.outcome, 0).keyword, "truncated");
done:
    bench_close(&bench);
}

/* Rules come first: a value that breaks one is not asked about. */
TEST(comes_after_rules)
{
    struct bench bench;

    TRY(bench_open(&bench, t,
                   "{\"type\":\"object\",\"x-surety\":{\"rules\":[{\"id\":"
                   "\"small\",\"expr\":\".a < 10\",\"message\":\"too "
                   "large\"}]}}"));
    TRY(bench_judge(&bench, "{\"a\": 11}"));
    CHECK_TEXT(surety_outcome_error(bench.outcome, 0).keyword, "rules");
    CHECK(bench.odd.asked == 0);
    TRY(bench_judge(&bench, "{\"a\": 9}"));
    CHECK_TEXT(surety_outcome_error(bench.outcome, 0).keyword, "validator");
    TRY(bench_judge(&bench, "{\"a\": 8}"));
    CHECK(surety_outcome_info_of(bench.outcome)->ok);
done:
    bench_close(&bench);
}

/* The fallback stands in as for any other refusal, and what the model is told
 * has the message, the place and the hint. */
TEST(is_told_to_the_model)
{
    const surety_prompt_options options = {.size = sizeof(options)};
    struct bench bench;
    surety_buf text;

    surety_buf_init(&text, check_alloc(t), 0);
    TRY(bench_open(&bench, t,
                   "{\"type\":\"object\",\"x-surety\":{\"fallback\":{\"kind\":"
                   "\"value\",\"value\":{\"a\":0}}}}"));
    TRY(bench_judge(&bench, "{\"a\": 1}"));
    CHECK(!surety_outcome_info_of(bench.outcome)->ok);
    CHECK(surety_outcome_info_of(bench.outcome)->fallback);
    CHECK_JSON(surety_outcome_info_of(bench.outcome)->value, "{\"a\":0}");
    for (int i = SURETY_FEEDBACK_ERRORS; i <= SURETY_FEEDBACK_PATCH; i++) {
        if (i == SURETY_FEEDBACK_SIMPLE)
            continue;
        surety_buf_reset(&text);
        TRY(surety_prompt_again(
            bench.contract, surety_str_of("Give a."), (surety_feedback)i,
            bench.outcome, surety_str_of("{\"a\": 1}"), &options, &text, NULL));
        surety_buf_byte(&text, '\0');
        TRY(text.status);
        CHECK(strstr(text.ptr, "/a") != NULL);
        CHECK(strstr(text.ptr, "must be even") != NULL);
        CHECK(strstr(text.ptr, "add one") != NULL);
    }
done:
    surety_buf_done(&text);
    bench_close(&bench);
}

/* The law: whatever the reply, the places and the repairs, a value that is
 * given out was asked about, and nothing was said against it. */
TEST(lets_nothing_pass)
{
    static const char *const parts[] = {
        "{\"a\": 1}",
        "{\"a\": 2}",
        "{\"a\": \"3\"}",
        "{a: 5,}",
        "```json\n",
        "\n```\n",
        "Here: ",
        "[",
        "]",
        "{\"a\": 7",
        "\n",
        ",",
        "{\"b\": [1]}",
        "{\"a\": 4, \"b\": 1}",
    };
    static const surety_repair repairs[] = {
        SURETY_REPAIR_NONE, SURETY_REPAIR_SYNTAX, SURETY_REPAIR_ALIGN};
    enum { ROUNDS = 400 };
    uint64_t state = 20261122;
    struct bench bench;
    size_t valid = 0;

    TRY(bench_open(&bench, t, NULL));
    for (int round = 0; round < (t->fail_at ? 2 : ROUNDS); round++) {
        char reply[512] = "";
        surety_repair repair;

        for (int i = 0; i < 6; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            strcat(reply, parts[(state >> 33) % CHECK_COUNT(parts)]);
        }
        repair = repairs[(state >> 40) % 3];
        bench.options.repair = &repair;
        TRY(bench_judge(&bench, reply));
        if (surety_outcome_info_of(bench.outcome)->ok) {
            const surety_val value =
                surety_outcome_info_of(bench.outcome)->value;

            valid++;
            CHECK(surety_val_int(surety_val_get(value, "a"), 1) % 2 == 0);
        }
    }
    CHECK(t->fail_at || valid > 10);
done:
    bench_close(&bench);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"refuses as the schema does", refuses_as_the_schema_does},
        {"is asked about what would be given out",
         is_asked_about_what_would_be_given_out},
        {"leaves the next candidate to be taken",
         leaves_the_next_candidate_to_be_taken},
        {"is asked about other values", is_asked_about_other_values},
        {"places its issues", places_its_issues},
        {"fails as itself", fails_as_itself},
        {"may answer later", may_answer_later},
        {"stands beside others", stands_beside_others},
        {"is bounded", is_bounded},
        {"comes after rules", comes_after_rules},
        {"is told to the model", is_told_to_the_model},
        {"lets nothing pass", lets_nothing_pass},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
