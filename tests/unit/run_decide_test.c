/* SPDX-License-Identifier: Apache-2.0 */
/* The table of decisions: for every class of failure, what the second call is,
 * with one model and with two, and how a run ends that ends with it. */
#include "check.h"
#include "run_fake.h"

#define ERROR(type, code)                                                      \
    "{\"error\":{\"type\":\"" type "\",\"code\":\"" code                       \
    "\",\"message\":\"no\"}}"
#define SAYS(text, finish)                                                     \
    "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"" text              \
    "\"},\"finish_reason\":\"" finish "\"}]}"

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
    {{.status = 422, .body = ERROR("invalid_request_error", "x")},
     SURETY_FAILURE_REQUEST,
     "",
     "ask",
     SURETY_RUN_PROVIDER},
    {{.status = 422,
      .body = ERROR("invalid_request_error", "x"),
      .header = "x-should-retry",
      .value = "true"},
     SURETY_FAILURE_REQUEST,
     "retry",
     "retry",
     SURETY_RUN_PROVIDER},
    {{.status = 400,
      .body = ERROR("invalid_request_error", "context_length_exceeded")},
     SURETY_FAILURE_CONTEXT,
     "",
     "ask",
     SURETY_RUN_PROVIDER},
    {{.status = 401, .body = ERROR("x", "invalid_api_key")},
     SURETY_FAILURE_AUTH,
     "",
     "ask",
     SURETY_RUN_PROVIDER},
    {{.status = 404, .body = ERROR("x", "model_not_found")},
     SURETY_FAILURE_MODEL,
     "",
     "ask",
     SURETY_RUN_PROVIDER},
    {{.status = 429, .body = ERROR("insufficient_quota", "insufficient_quota")},
     SURETY_FAILURE_QUOTA,
     "",
     "ask",
     SURETY_RUN_PROVIDER},
    {{.status = 429, .body = ERROR("rate_limit_error", "x")},
     SURETY_FAILURE_RATE_LIMIT,
     "retry",
     "retry",
     SURETY_RUN_PROVIDER},
    {{.status = 429,
      .body = ERROR("rate_limit_error", "x"),
      .header = "retry-after",
      .value = "60"},
     SURETY_FAILURE_RATE_LIMIT,
     "retry",
     "retry",
     SURETY_RUN_PROVIDER},
    {{.status = 429,
      .body = ERROR("rate_limit_error", "x"),
      .header = "retry-after",
      .value = "61"},
     SURETY_FAILURE_RATE_LIMIT,
     "",
     "ask",
     SURETY_RUN_PROVIDER},
    {{.status = 429,
      .body = ERROR("rate_limit_error", "x"),
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
    {{.status = 200, .body = SAYS("x", "content_filter")},
     SURETY_FAILURE_FILTER,
     "",
     "ask",
     SURETY_RUN_REFUSED},
    {{.status = 200, .body = SAYS("{\\\"n\\\":1}", "length")},
     SURETY_FAILURE_LENGTH,
     "re-ask",
     "re-ask",
     SURETY_RUN_REJECTED},
    {{.status = 200, .body = SAYS("", "stop")},
     SURETY_FAILURE_EMPTY,
     "re-ask",
     "re-ask",
     SURETY_RUN_REJECTED},
    {{.status = 200, .body = SAYS("Three.", "stop")},
     SURETY_FAILURE_NONE,
     "re-ask",
     "re-ask",
     SURETY_RUN_REJECTED},
    {{.status = 200, .body = SAYS("{\\\"n\\\":", "stop")},
     SURETY_FAILURE_NONE,
     "re-ask",
     "re-ask",
     SURETY_RUN_REJECTED},
    {{.status = 200, .body = SAYS("{}", "stop")},
     SURETY_FAILURE_NONE,
     "re-ask",
     "re-ask",
     SURETY_RUN_REJECTED},
};

/* The purpose of the second call of a run, and how it ended. */
static surety_status decide_run(struct check *t, struct fake *fake,
                                const surety_contract *contract,
                                const surety_model *models, size_t count,
                                surety_run **ret_run)
{
    surety_run_options options = fake_options(t, fake, contract, models, count);
    surety_status status;

    options.budget.calls_max = FAKE_CALLS - 1;
    status = surety_run_new(&options, ret_run, NULL);
    return status == SURETY_OK ? fake_go(fake, *ret_run, NULL) : status;
}

TEST(decides_by_the_table)
{
    struct fake_answer answers[FAKE_CALLS];
    surety_contract *contract = NULL;
    surety_run *run = NULL;
    surety_model models[2];
    struct fake fake;
    const surety_contract_options options = {.size = sizeof(options),
                                             .alloc = check_alloc(t)};

    TRY(surety_contract_read(surety_str_of(contract_text), &options, &contract,
                             NULL));
    for (size_t i = 0; i < 2 * CHECK_COUNT(decide_cases); i++) {
        const struct decide_case *one = &decide_cases[i / 2];
        const size_t count = 1 + i % 2;
        const char *want = count == 1 ? one->alone : one->beside;

        for (size_t j = 0; j < FAKE_CALLS; j++)
            answers[j] = one->answer;
        fake_init(&fake, answers, FAKE_CALLS);
        models[0] = fake_model(&fake, "one");
        models[1] = fake_model(&fake, "two");
        TRY(decide_run(t, &fake, contract, models, count, &run));
        if (surety_run_attempt(run, 0).answer.failure != one->failure)
            printf(
                "# case %zu: %s\n", i / 2,
                surety_failure_name(surety_run_attempt(run, 0).answer.failure));
        CHECK(surety_run_attempt(run, 0).answer.failure == one->failure);
        CHECK_TEXT(surety_run_attempt(run, 1).purpose, want);
        CHECK(surety_run_verdict_of(run) == one->verdict);
        CHECK(surety_run_hint(run).len > 0);
        surety_run_free(run);
        run = NULL;
    }
done:
    surety_run_free(run);
    surety_contract_free(contract);
}

TEST(counts_retries_and_re_asks_apart)
{
    static const struct fake_answer answers[] = {
        {.status = 500, .body = ""},
        {.status = 500, .body = ""},
        {.status = 500, .body = ""},
        {.status = 200, .body = SAYS("Three.", "stop")},
        {.status = 500, .body = ""},
        {.status = 500, .body = ""},
        {.status = 500, .body = ""},
        {.status = 200, .body = SAYS("{}", "stop")},
        {.status = 200, .body = SAYS("{\\\"n\\\":1}", "stop")},
    };
    surety_contract *contract = NULL;
    surety_run *run = NULL;
    surety_model model;
    struct fake fake;
    const surety_contract_options options = {.size = sizeof(options),
                                             .alloc = check_alloc(t)};

    TRY(surety_contract_read(surety_str_of(contract_text), &options, &contract,
                             NULL));
    fake_init(&fake, answers, CHECK_COUNT(answers));
    model = fake_model(&fake, "one");
    TRY(decide_run(t, &fake, contract, &model, 1, &run));
    CHECK(surety_run_verdict_of(run) == SURETY_RUN_VALID);
    CHECK(fake.calls == 9);
    /* The call that is repeated is the re-ask. */
    CHECK(strcmp(fake.bodies[4], fake.bodies[7]) == 0);
    CHECK(strcmp(fake.bodies[3], fake.bodies[4]) != 0);
done:
    surety_run_free(run);
    surety_contract_free(contract);
}

TEST(retries_as_often_as_it_may)
{
    struct fake_answer answers[FAKE_CALLS];
    static const struct {
        uint32_t retries_max;
        size_t calls;
    } cases[] = {{0, 4}, {1, 2}, {5, 6}, {UINT32_MAX, 1}};
    surety_run_options options;
    surety_run *run = NULL;
    surety_model model;
    struct fake fake;

    for (size_t i = 0; i < FAKE_CALLS; i++)
        answers[i] = (struct fake_answer){.status = 500, .body = ""};
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        fake_init(&fake, answers, FAKE_CALLS);
        model = fake_model(&fake, "one");
        options = fake_options(t, &fake, NULL, &model, 1);
        options.backoff.retries_max = cases[i].retries_max;
        TRY(surety_run_new(&options, &run, NULL));
        TRY(fake_go(&fake, run, NULL));
        CHECK(fake.calls == cases[i].calls);
        surety_run_free(run);
        run = NULL;
    }
done:
    surety_run_free(run);
}

TEST(doubles_its_delays)
{
    struct fake_answer answers[FAKE_CALLS];
    uint64_t most[6] = {0};
    surety_run_options options;
    surety_run *run = NULL;
    surety_model model;
    struct fake fake;

    for (size_t i = 0; i < FAKE_CALLS; i++)
        answers[i] = (struct fake_answer){.status = 500, .body = ""};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        fake_init(&fake, answers, FAKE_CALLS);
        model = fake_model(&fake, "one");
        options = fake_options(t, &fake, NULL, &model, 1);
        options.backoff.retries_max = 6;
        options.backoff.first_ms = 100;
        options.backoff.most_ms = 1500;
        options.seed = seed;
        TRY(surety_run_new(&options, &run, NULL));
        TRY(fake_go(&fake, run, NULL));
        CHECK(fake.calls == 7);
        for (size_t i = 0; i < 6; i++) {
            const uint64_t delay_ms = fake.times[i + 1] - fake.times[i] - 10;

            if (delay_ms > most[i])
                most[i] = delay_ms;
        }
        surety_run_free(run);
        run = NULL;
    }
    /* Full jitter: up to twice as long each time, and no longer than most. */
    for (size_t i = 0; i < 6; i++) {
        const uint64_t bound = (uint64_t)100 << i;
        const uint64_t limit = bound < 1500 ? bound : 1500;

        CHECK(most[i] <= limit && most[i] > limit * 3 / 4);
    }
done:
    surety_run_free(run);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"decides by the table", decides_by_the_table},
        {"counts retries and re-asks apart", counts_retries_and_re_asks_apart},
        {"retries as often as it may", retries_as_often_as_it_may},
        {"doubles its delays", doubles_its_delays},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
