/* SPDX-License-Identifier: Apache-2.0 */
/* What a model is told again: every error that was seen and not seen corrected,
 * whatever became of the replies in between; and how far a reply that is wrong
 * is read. */
#include "check.h"
#include "run_fake.h"

#include "base/base.h"

#define PIECE(text)                                                            \
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" text          \
    "\"}}]}\n\n"
#define FINISH(reason)                                                         \
    "data: "                                                                   \
    "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" reason      \
    "\"}]}\n\ndata: [DONE]\n\n"
#define VALID                                                                  \
    PIECE("{\\\"a\\\":1,\\\"b\\\":1,\\\"c\\\":{\\\"d\\\":1}}") FINISH("stop")
#define EARLIER                                                                \
    "\\n   this was in an earlier reply, and has not been seen corrected\\n"
#define CORRECTED                                                              \
    "Wrong in an earlier reply, and right since; keep it right:\\n"

static const char again_contract[] =
    "{\"type\":\"object\",\"required\":[\"a\",\"b\",\"c\"],\"properties\":{"
    "\"a\":{\"type\":\"integer\",\"maximum\":10},"
    "\"b\":{\"type\":\"integer\",\"maximum\":10},"
    "\"c\":{\"type\":\"object\",\"properties\":{\"d\":{\"type\":\"integer\"},"
    "\"e\":{\"type\":\"string\"}}}},\"additionalProperties\":false,"
    "\"x-surety\":{\"name\":\"c\",\"extract\":{\"from\":[\"whole\"]},"
    "\"retry\":{\"max\":5}}}";

/* Replies in their order, what the prompts after them must hold and must not;
 * the last reply is valid. */
struct again_case {
    const char *replies[4];
    const char *told[4], *untold[4];
    surety_stop stop;
    uint32_t retry_max;
};

/* A validator is asked where the schema holds. */
static surety_status again_validate(void *ctx,
                                    const surety_validation *validation,
                                    surety_error *reterr)
{
    (void)ctx;
    (void)reterr;
    if (surety_val_int(surety_val_get(validation->value, "a"), 0) < 9)
        return SURETY_OK;
    return surety_validation_add(validation, surety_str_of("/a"),
                                 surety_str_of("a is too much"),
                                 (surety_str){NULL, 0});
}

static void again_try(struct check *t, const struct again_case *one)
{
    const surety_validator validator = {.validate = again_validate};
    const surety_judge_options judge = {
        .size = sizeof(judge), .validators = &validator, .validator_count = 1};
    struct fake_answer answers[5];
    struct trial trial;
    size_t count = 0;

    memset(answers, 0, sizeof(answers));
    for (; count < 4 && one->replies[count]; count++)
        answers[count] = (struct fake_answer){
            .status = 200,
            .body = one->replies[count],
            .stalls = !strstr(one->replies[count], "[DONE]"),
        };
    answers[count++] = (struct fake_answer){.status = 200, .body = VALID};
    TRY(trial_open(&trial, t, again_contract, answers, count));
    trial.models[0].whole = false;
    trial.options.judge = &judge;
    trial.options.stop = one->stop;
    trial.options.retry_max = one->retry_max;
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(trial.fake.calls == count);
    for (size_t i = 0; i + 1 < count && i + 1 < trial.fake.calls; i++) {
        const char *body = strstr(trial.fake.bodies[i + 1], "were not valid");

        body = body ? body : strstr(trial.fake.bodies[i + 1], "was not valid");
        body = body ? body : trial.fake.bodies[i + 1];
        if (one->told[i] && !strstr(body, one->told[i]))
            printf("# %zu: no \"%s\" in %s\n", i, one->told[i], body);
        CHECK(!one->told[i] || strstr(body, one->told[i]));
        if (one->untold[i] && strstr(body, one->untold[i]))
            printf("# %zu: \"%s\" in %s\n", i, one->untold[i], body);
        CHECK(!one->untold[i] || !strstr(body, one->untold[i]));
    }
done:
    trial_close(&trial);
}

TEST(tells_what_was_not_seen_corrected)
{
    static const struct again_case cases[] = {
        /* Of two errors the first is corrected, and the reply is stopped before
         * the second. */
        {.replies = {PIECE(
                         "{\\\"a\\\":99,\\\"b\\\":99,\\\"c\\\":{\\\"d\\\":1}}")
                         FINISH("stop"),
                     PIECE("{\\\"a\\\":1,\\\"b\\\":\\\"x\\\",")},
         .told = {"1. at /a: 99 is greater than the maximum of 10",
                  "1. at /b: \\\"x\\\" is a string, but must be an integer"},
         .untold = {EARLIER, "- at /b: "},
         .stop = SURETY_STOP_ALWAYS},
        {.replies = {PIECE(
                         "{\\\"a\\\":1,\\\"b\\\":99,\\\"c\\\":{\\\"d\\\":\\\"1"
                         "\\\"}}") FINISH("stop"),
                     PIECE("{\\\"a\\\":99,\\\"b\\\"")},
         .told = {"2. at /c/d: \\\"1\\\" is a string, but must be an integer",
                  "1. at /a: 99 is greater than the maximum of 10\\n   there "
                  "now: 99\\n   wanted: {\\\"type\\\":\\\"integer\\\","
                  "\\\"maximum\\\":10}\\n2. at /b: 99 is greater than the "
                  "maximum of 10" EARLIER "   wanted: {\\\"type\\\":"
                  "\\\"integer\\\",\\\"maximum\\\":10}\\n3. at /c/d: \\\"1\\\" "
                  "is a string, but must be an integer" EARLIER},
         .untold = {EARLIER, CORRECTED},
         .stop = SURETY_STOP_ALWAYS},
        /* What was seen right is told as such, and no more as wrong. */
        {.replies = {PIECE("{\\\"a\\\":99,\\\"b\\\":1,\\\"c\\\":{\\\"d\\\":1,"
                           "\\\"e\\\":1}}") FINISH("stop"),
                     PIECE("{\\\"a\\\":1,\\\"b\\\":99,\\\"c\\\":{\\\"d\\\":")},
         .told = {"2. at /c/e: 1 must be a string",
                  "2. at /c/e: 1 must be a string" EARLIER
                  "   wanted: {\\\"type\\\":\\\"string\\\"}\\n" CORRECTED
                  "- at /a: 99 is greater than the maximum of 10\\n"},
         .untold = {NULL, "there now: 99\\n   wanted: {\\\"type\\\":"
                          "\\\"integer\\\",\\\"maximum\\\":10}\\n2. at /a"},
         .stop = SURETY_STOP_ALWAYS},
        /* A member that is gone is corrected, and a whole reply corrects all.
         */
        {.replies = {PIECE(
                         "{\\\"x\\\":1,\\\"a\\\":99,\\\"b\\\":1,\\\"c\\\":{}}")
                         FINISH("stop"),
                     PIECE("{\\\"a\\\":1,\\\"b\\\":99,\\\"c\\\":{}}")
                         FINISH("stop")},
         .told = {"at /x: ",
                  CORRECTED "- at /a: 99 is greater than the maximum of "
                            "10\\n- at /x: the property \\\"x\\\""},
         .untold = {NULL, EARLIER},
         .stop = SURETY_STOP_NEVER},
    };

    for (size_t i = 0; i < CHECK_COUNT(cases); i++)
        again_try(t, &cases[i]);
}

/* Replies that say nothing of the value, or not all. */
TEST(tells_it_across_other_failures)
{
#define WRONG                                                                  \
    PIECE("{\\\"a\\\":1,\\\"b\\\":99,\\\"c\\\":{\\\"d\\\":1}}") FINISH("stop")
    static const struct again_case cases[] = {
        {.replies = {WRONG, PIECE("{\\\"a\\\":1,,") FINISH("stop")},
         .told = {"at /b: 99",
                  "2. at /b: 99 is greater than the maximum of 10" EARLIER}},
        {.replies = {WRONG, PIECE("Sorry.") FINISH("stop")},
         .told = {"at /b: 99", EARLIER}},
        {.replies = {WRONG, PIECE("{\\\"a\\\":1,") FINISH("length")},
         .told = {"at /b: 99", EARLIER},
         .untold = {NULL, "Your last reply to this was not valid"}},
        /* And again in what comes after that. */
        {.replies = {WRONG, PIECE("{\\\"a\\\":1,") FINISH("length"),
                     PIECE("No.") FINISH("stop")},
         .told = {"at /b: 99", "cut off by a limit on its length", EARLIER}},
        /* A validator is asked where the schema holds. */
        {.replies = {PIECE("{\\\"a\\\":10,\\\"b\\\":1,\\\"c\\\":{}}")
                         FINISH("stop"),
                     WRONG, WRONG},
         .told = {"1. at /a: a is too much",
                  "1. at /a: a is too much" EARLIER "2. at /b: 99 is greater",
                  "a is too much" EARLIER}},
        /* Broken JSON is corrected by a reply that is whole. */
        {.replies = {PIECE("{\\\"a\\\":1,,") FINISH("stop"), WRONG},
         .told = {"this is not JSON", "1. at /b: 99"},
         .untold = {NULL, "this is not JSON"}},
    };

    for (size_t i = 0; i < CHECK_COUNT(cases); i++)
        again_try(t, &cases[i]);
}

/* Three errors that a model corrects as it is told of them. */
#define TRIPLE(a, b, d)                                                        \
    PIECE("{\\\"a\\\":" a ",")                                                 \
    PIECE("\\\"b\\\":" b ",")                                                  \
    PIECE("\\\"c\\\":{\\\"d\\\":" d "}}")
#define END FINISH("stop")

TEST(reads_on_for_more_errors)
{
    static const struct again_case cases[] = {
        {.replies = {TRIPLE("99", "99", "true") END},
         .told = {"3. at /c/d: true is a boolean, but must be an integer"},
         .retry_max = 2},
        {.replies = {TRIPLE("99", "99", "true") END},
         .told = {"3. at /c/d: true is a boolean, but must be an integer"},
         .stop = SURETY_STOP_NEVER},
        {.replies = {TRIPLE("99", "99", "true"), TRIPLE("1", "99", "true"),
                     TRIPLE("1", "1", "true")},
         .told = {"1. at /a: 99", "1. at /b: 99", CORRECTED "- at /a: 99"},
         .untold = {"/b: ", "/c/d: ", NULL},
         .stop = SURETY_STOP_ALWAYS},
    };

    for (size_t i = 0; i < CHECK_COUNT(cases); i++)
        again_try(t, &cases[i]);
}

/* A decision of the first attempt, whose reply is wrong from its start. */
struct weigh_case {
    const char *body;
    surety_failure failure;
    uint32_t retry_max;
    surety_price price;
    surety_stream_state stopped;
    const char *decision;
};

static void weigh_try(struct check *t, const struct weigh_case *one)
{
    const struct fake_answer answers[] = {
        {.status = 200, .body = one->body, .failure = one->failure}};
    char decision[1024];
    struct trial trial;

    TRY(trial_open(&trial, t, again_contract, answers, 1));
    trial.models[0].whole = false;
    trial.models[0].price = one->price;
    trial.options.retry_max = one->retry_max;
    TRY(trial_go(&trial));
    fake_copy(decision, sizeof(decision),
              surety_run_attempt(trial.run, 0).decision);
    CHECK(surety_run_attempt(trial.run, 0).stopped == one->stopped);
    if (!strstr(decision, one->decision))
        printf("# %s\n", decision);
    CHECK(strstr(decision, one->decision));
    CHECK(strstr(decision, "/a"));
done:
    trial_close(&trial);
}

#define TEN "xxxxxxxxxx"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define LONG(n) PIECE(",\\\"t" n "\\\":\\\"" HUNDRED HUNDRED HUNDRED "\\\"")

TEST(weighs_what_is_to_come)
{
#define BAD                                                                    \
    PIECE("{\\\"a\\\":99")                                                     \
    LONG("1") LONG("2") LONG("3") LONG("4") LONG("5") LONG("6") PIECE("}")
    static const struct weigh_case cases[] = {
        /* Nothing is asked again. */
        {.body = BAD,
         .retry_max = SURETY_RUN_NONE,
         .stopped = SURETY_STREAM_NO,
         .decision = "stopped after 315 bytes"},
        /* What the last re-ask is not told, nobody corrects. */
        {.body = BAD END, .retry_max = 1, .decision = "read on from byte 315 "},
        {.body = BAD END, .retry_max = 2, .decision = "read on from byte 315 "},
        /* With rounds to spare, a part of what one costs. */
        {.body = BAD,
         .retry_max = 9,
         .stopped = SURETY_STREAM_NO,
         .decision = "stopped after 623 bytes, about 208 tokens: read on from "
                     "byte 315 "},
        /* What comes is dear, or cheap beside a prompt. */
        {.body = BAD,
         .retry_max = 3,
         .price = {.known = true, .output_microusd = 1000000},
         .stopped = SURETY_STREAM_NO,
         .decision = "stopped after 931 bytes"},
        {.body = BAD END,
         .retry_max = 9,
         .price = {.known = true,
                   .input_microusd = 1000000,
                   .output_microusd = 10},
         .decision = "read on from byte 315 "},
        /* What breaks off while it is read on has failed for its errors, too.
         */
        {.body = PIECE("{\\\"a\\\":99,") LONG("1"),
         .failure = SURETY_FAILURE_RESET,
         .retry_max = 2,
         .stopped = SURETY_STREAM_NO,
         .decision = "broke off after "},
    };

    for (size_t i = 0; i < CHECK_COUNT(cases); i++)
        weigh_try(t, &cases[i]);
}

/* Long prompts stay as they were sent, each for as long as the run. */
TEST(keeps_long_prompts)
{
    enum { LEN = 40000 };
    static char prompt[LEN];
    const struct fake_answer answers[] = {
        {.status = 200, .body = PIECE("{}") FINISH("stop")},
        {.status = 200, .body = VALID}};
    struct trial trial;

    memset(prompt, 'a', LEN);
    TRY(trial_open(&trial, t, again_contract, answers, 2));
    trial.models[0].whole = false;
    trial.options.prompt = (surety_str){prompt, LEN};
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->attempt_count == 2);
    for (size_t i = 0; i < 2; i++) {
        const surety_str sent = surety_run_attempt(trial.run, i).prompt;

        CHECK(sent.len > LEN && !memcmp(sent.ptr, prompt, LEN));
        CHECK((surety__str_find(sent, surety_str_of("not valid")) < sent.len) ==
              (i == 1));
    }
done:
    trial_close(&trial);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"tells what was not seen corrected",
         tells_what_was_not_seen_corrected},
        {"tells it across other failures", tells_it_across_other_failures},
        {"reads on for more errors", reads_on_for_more_errors},
        {"weighs what is to come", weighs_what_is_to_come},
        {"keeps long prompts", keeps_long_prompts},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
