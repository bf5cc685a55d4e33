/* SPDX-License-Identifier: Apache-2.0 */
/* The table of decisions: for every class of failure, what the second call is,
 * with one model and with two, and how a run ends that ends with it. */
#include "check.h"
#include "run_fake.h"

static const char contract_text[] =
    "{\"type\":\"object\",\"required\":[\"n\"],\"x-surety\":{\"name\":\"c\"}}";

/* What comes of an answer that comes every time. alone: the purpose of the
 * second call to one model; "" where there is none. beside: of the second call
 * where there is a second model, which is asked afresh ("ask") or not. */
static const struct decide_case {
    struct fake_answer answer;
    surety_failure failure;
    const char *alone, *beside;
    surety_run_verdict verdict;
} decide_cases[] = {
    {{.failure = SURETY_FAILURE_CONNECT, .unsent = true},
     SURETY_FAILURE_CONNECT,
     "retry",
     "retry",
     SURETY_RUN_PROVIDER},
    {{.failure = SURETY_FAILURE_TLS, .unsent = true},
     SURETY_FAILURE_TLS,
     "",
     "ask",
     SURETY_RUN_PROVIDER},
    {{.failure = SURETY_FAILURE_TIMEOUT, .unsent = true},
     SURETY_FAILURE_TIMEOUT,
     "retry",
     "retry",
     SURETY_RUN_PROVIDER},
    {{.failure = SURETY_FAILURE_TIMEOUT},
     SURETY_FAILURE_TIMEOUT,
     "",
     "ask",
     SURETY_RUN_PROVIDER},
    {{.failure = SURETY_FAILURE_RESET, .unsent = true},
     SURETY_FAILURE_RESET,
     "retry",
     "retry",
     SURETY_RUN_PROVIDER},
    {{.failure = SURETY_FAILURE_RESET},
     SURETY_FAILURE_RESET,
     "",
     "ask",
     SURETY_RUN_PROVIDER},
    {{.failure = SURETY_FAILURE_COMMAND},
     SURETY_FAILURE_COMMAND,
     "",
     "ask",
     SURETY_RUN_PROVIDER},
    {{.failure = SURETY_FAILURE_LIMIT},
     SURETY_FAILURE_LIMIT,
     "",
     "ask",
     SURETY_RUN_PROVIDER},
    {{.status = 200, .body = "{\"choices\":["},
     SURETY_FAILURE_TRUNCATED,
     "retry",
     "retry",
     SURETY_RUN_PROVIDER},
    {{.status = 200, .body = "<html></html>"},
     SURETY_FAILURE_PROTOCOL,
     "",
     "ask",
     SURETY_RUN_PROVIDER},
    {{.status = 422, .body = FAILS("invalid_request_error", "x")},
     SURETY_FAILURE_REQUEST,
     "",
     "ask",
     SURETY_RUN_PROVIDER},
    {{.status = 422,
      .body = FAILS("invalid_request_error", "x"),
      .header = "x-should-retry",
      .value = "true"},
     SURETY_FAILURE_REQUEST,
     "retry",
     "retry",
     SURETY_RUN_PROVIDER},
    {{.status = 400,
      .body = FAILS("invalid_request_error", "context_length_exceeded")},
     SURETY_FAILURE_CONTEXT,
     "",
     "ask",
     SURETY_RUN_PROVIDER},
    {{.status = 401, .body = FAILS("x", "invalid_api_key")},
     SURETY_FAILURE_AUTH,
     "",
     "ask",
     SURETY_RUN_PROVIDER},
    {{.status = 404, .body = FAILS("x", "model_not_found")},
     SURETY_FAILURE_MODEL,
     "",
     "ask",
     SURETY_RUN_PROVIDER},
    {{.status = 429, .body = FAILS("insufficient_quota", "insufficient_quota")},
     SURETY_FAILURE_QUOTA,
     "",
     "ask",
     SURETY_RUN_PROVIDER},
    {{.status = 429, .body = FAILS("rate_limit_error", "x")},
     SURETY_FAILURE_RATE_LIMIT,
     "retry",
     "retry",
     SURETY_RUN_PROVIDER},
    {{.status = 429,
      .body = FAILS("rate_limit_error", "x"),
      .header = "retry-after",
      .value = "60"},
     SURETY_FAILURE_RATE_LIMIT,
     "retry",
     "retry",
     SURETY_RUN_PROVIDER},
    {{.status = 429,
      .body = FAILS("rate_limit_error", "x"),
      .header = "retry-after",
      .value = "61"},
     SURETY_FAILURE_RATE_LIMIT,
     "",
     "ask",
     SURETY_RUN_PROVIDER},
    {{.status = 429,
      .body = FAILS("rate_limit_error", "x"),
      .header = "x-should-retry",
      .value = "false"},
     SURETY_FAILURE_RATE_LIMIT,
     "",
     "ask",
     SURETY_RUN_PROVIDER},
    {{.status = 503, .body = ""},
     SURETY_FAILURE_OVERLOADED,
     "retry",
     "retry",
     SURETY_RUN_PROVIDER},
    {{.status = 500, .body = ""},
     SURETY_FAILURE_SERVER,
     "retry",
     "retry",
     SURETY_RUN_PROVIDER},
    {{.status = 200,
      .body = "{\"choices\":[{\"message\":{\"refusal\":\"No.\"},"
              "\"finish_reason\":\"stop\"}]}"},
     SURETY_FAILURE_REFUSAL,
     "",
     "ask",
     SURETY_RUN_REFUSED},
    {{.status = 200, .body = ENDS("x", "content_filter")},
     SURETY_FAILURE_FILTER,
     "",
     "ask",
     SURETY_RUN_REFUSED},
    {{.status = 200, .body = CUT("{\\\"n\\\":1}")},
     SURETY_FAILURE_LENGTH,
     "re-ask",
     "re-ask",
     SURETY_RUN_REJECTED},
    {{.status = 200, .body = SAYS("")},
     SURETY_FAILURE_EMPTY,
     "re-ask",
     "re-ask",
     SURETY_RUN_REJECTED},
    {{.status = 200, .body = SAYS("Three.")},
     SURETY_FAILURE_NONE,
     "re-ask",
     "re-ask",
     SURETY_RUN_REJECTED},
    {{.status = 200, .body = SAYS("{\\\"n\\\":")},
     SURETY_FAILURE_NONE,
     "re-ask",
     "re-ask",
     SURETY_RUN_REJECTED},
    {{.status = 200, .body = SAYS("{}")},
     SURETY_FAILURE_NONE,
     "re-ask",
     "re-ask",
     SURETY_RUN_REJECTED},
};

TEST(decides_by_the_table)
{
    struct fake_answer answers[FAKE_CALLS];
    struct trial trial;

    TRY(trial_open(&trial, t, contract_text, NULL, 0));
    for (size_t i = 0; i < 2 * CHECK_COUNT(decide_cases); i++) {
        const struct decide_case *one = &decide_cases[i / 2];
        surety_failure failure;

        for (size_t j = 0; j < FAKE_CALLS; j++)
            answers[j] = one->answer;
        trial_reset(&trial, t, answers, FAKE_CALLS);
        trial.options.model_count = 1 + i % 2;
        trial.options.budget.calls_max = FAKE_CALLS - 1;
        TRY(trial_go(&trial));
        failure = surety_run_attempt(trial.run, 0).answer.failure;
        if (failure != one->failure)
            printf("# case %zu: %s\n", i / 2, surety_failure_name(failure));
        CHECK(failure == one->failure);
        CHECK_TEXT(surety_run_attempt(trial.run, 1).purpose,
                   i % 2 ? one->beside : one->alone);
        CHECK(surety_run_info_of(trial.run)->verdict == one->verdict);
        CHECK(surety_run_info_of(trial.run)->hint.len > 0);
    }
done:
    trial_close(&trial);
}

TEST(counts_retries_and_re_asks_apart)
{
    static const struct fake_answer answers[] = {
        {.status = 500, .body = ""},
        {.status = 500, .body = ""},
        {.status = 500, .body = ""},
        {.status = 200, .body = SAYS("Three.")},
        {.status = 500, .body = ""},
        {.status = 500, .body = ""},
        {.status = 500, .body = ""},
        {.status = 200, .body = SAYS("{}")},
        {.status = 200, .body = SAYS("{\\\"n\\\":1}")},
    };
    struct trial trial;

    TRY(trial_open(&trial, t, contract_text, answers, CHECK_COUNT(answers)));
    trial.options.budget.calls_max = FAKE_CALLS - 1;
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(trial.fake.calls == 9);
    /* The call that is repeated is the re-ask. */
    CHECK(strcmp(trial.fake.bodies[4], trial.fake.bodies[7]) == 0);
    CHECK(strcmp(trial.fake.bodies[3], trial.fake.bodies[4]) != 0);
done:
    trial_close(&trial);
}

TEST(retries_as_often_as_it_may)
{
    struct fake_answer answers[FAKE_CALLS];
    static const struct {
        uint32_t retries_max;
        size_t calls;
    } cases[] = {{0, 4}, {1, 2}, {5, 6}, {UINT32_MAX, 1}};
    struct trial trial;

    for (size_t i = 0; i < FAKE_CALLS; i++)
        answers[i] = (struct fake_answer){.status = 500, .body = ""};
    TRY(trial_open(&trial, t, NULL, NULL, 0));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        trial_reset(&trial, t, answers, FAKE_CALLS);
        trial.options.backoff.retries_max = cases[i].retries_max;
        TRY(trial_go(&trial));
        CHECK(trial.fake.calls == cases[i].calls);
    }
done:
    trial_close(&trial);
}

#define PIECE(text)                                                            \
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" text          \
    "\"}}]}\n\n"
#define THINKS                                                                 \
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":"       \
    "\"Hm.\"}}]}\n\n"

/* What came of a reply is paid for each time. */
TEST(repeats_a_reply_that_broke_off_once)
{
    static const struct {
        const char *body;
        surety_failure failure;
        uint32_t broken_retries_max;
        size_t calls;
        const char *first, *last; /* parts of the decisions */
    } cases[] = {
        {PIECE("{"), SURETY_FAILURE_RESET, 0, 2,
         "the connection broke off after 1 byte of the reply",
         "it broke off in the middle of a reply before and would be paid for "
         "once more"},
        {PIECE("{") PIECE("\\\"n"), SURETY_FAILURE_TIMEOUT, 0, 2,
         "no answer in time after 3 bytes of the reply (it broke): the same "
         "call again in ",
         "once more"},
        {PIECE("{"), SURETY_FAILURE_NONE, 0, 2,
         "1 of 1 after a part of the reply had come, retry 1 of 3",
         "once more"},
        {THINKS, SURETY_FAILURE_RESET, 0, 2, "3 bytes of the reply", "more"},
        {PIECE("{"), SURETY_FAILURE_RESET, 2, 3, "1 of 2 after", "once more"},
        {PIECE("{"), SURETY_FAILURE_RESET, SURETY_RUN_NONE, 1,
         "nothing is paid for twice", "nothing is paid for twice"},
        /* Where nothing had come, as often as any call. */
        {": ping\n\n", SURETY_FAILURE_RESET, 0, 4, "retry 1 of 3",
         "the retries are spent"},
    };
    struct fake_answer answers[FAKE_CALLS];
    struct trial trial;

    TRY(trial_open(&trial, t, contract_text, NULL, 0));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        char decision[1024];

        for (size_t j = 0; j < FAKE_CALLS; j++)
            answers[j] = (struct fake_answer){.status = 200,
                                              .body = cases[i].body,
                                              .failure = cases[i].failure};
        trial_reset(&trial, t, answers, FAKE_CALLS);
        trial.models[0].whole = false;
        trial.options.broken_retries_max = cases[i].broken_retries_max;
        TRY(trial_go(&trial));
        CHECK(trial.fake.calls == cases[i].calls);
        fake_copy(decision, sizeof(decision),
                  surety_run_attempt(trial.run, 0).decision);
        CHECK(strstr(decision, cases[i].first));
        fake_copy(decision, sizeof(decision),
                  surety_run_attempt(trial.run, cases[i].calls - 1).decision);
        CHECK(strstr(decision, cases[i].last));
        CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_PROVIDER);
    }
done:
    trial_close(&trial);
}

TEST(doubles_its_delays)
{
    struct fake_answer answers[FAKE_CALLS];
    uint64_t most[6] = {0};
    struct trial trial;

    for (size_t i = 0; i < FAKE_CALLS; i++)
        answers[i] = (struct fake_answer){.status = 500, .body = ""};
    TRY(trial_open(&trial, t, NULL, NULL, 0));
    for (uint64_t seed = 1; seed <= 60; seed++) {
        trial_reset(&trial, t, answers, FAKE_CALLS);
        trial.options.backoff.retries_max = 6;
        trial.options.backoff.first_ms = 100;
        trial.options.backoff.most_ms = 1500;
        trial.options.seed = seed;
        TRY(trial_go(&trial));
        CHECK(trial.fake.calls == 7);
        for (size_t i = 0; i < 6; i++) {
            const uint64_t delay_ms =
                trial.fake.times[i + 1] - trial.fake.times[i] - 10;

            if (delay_ms > most[i])
                most[i] = delay_ms;
        }
    }
    /* Full jitter: up to twice as long each time, and no longer than most. */
    for (size_t i = 0; i < 6; i++) {
        const uint64_t bound = (uint64_t)100 << i;
        const uint64_t limit = bound < 1500 ? bound : 1500;

        CHECK(most[i] <= limit && most[i] > limit * 3 / 4);
    }
done:
    trial_close(&trial);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"decides by the table", decides_by_the_table},
        {"counts retries and re-asks apart", counts_retries_and_re_asks_apart},
        {"retries as often as it may", retries_as_often_as_it_may},
        {"repeats a reply that broke off once",
         repeats_a_reply_that_broke_off_once},
        {"doubles its delays", doubles_its_delays},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
