/* SPDX-License-Identifier: Apache-2.0 */
/* The run's order of things: what is sent, recorded and given out, and when. */
#include "check.h"
#include "run_fake.h"

#define SAYS(text)                                                             \
    "{\"id\":\"c\",\"model\":\"m-1\",\"choices\":[{\"index\":0,\"message\":{"  \
    "\"role\":\"assistant\",\"content\":\"" text                               \
    "\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":10,"        \
    "\"completion_tokens\":5}}"
#define CUT(text)                                                              \
    "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"" text              \
    "\"},\"finish_reason\":\"length\"}],\"usage\":{\"prompt_tokens\":10,"      \
    "\"completion_tokens\":5}}"
#define REFUSES                                                                \
    "{\"choices\":[{\"index\":0,\"message\":{\"content\":null,\"refusal\":"    \
    "\"I will not.\"},\"finish_reason\":\"stop\"}]}"
#define FAILS(type, code)                                                      \
    "{\"error\":{\"type\":\"" type "\",\"code\":\"" code                       \
    "\",\"message\":\"It says no to sk-planted-1234567890.\"}}"
#define VALID "{\\\"n\\\":3}"
#define LARGE "{\\\"n\\\":11}"
#define WORDS "{\\\"n\\\":\\\"three\\\"}"

static const char contract_plain[] =
    "{\"type\":\"object\",\"required\":[\"n\"],\"properties\":{\"n\":{"
    "\"type\":\"integer\",\"maximum\":10}},\"additionalProperties\":false,"
    "\"x-surety\":{\"name\":\"count\",\"version\":\"1.0.0\"}}";
static const char contract_fallback[] =
    "{\"type\":\"object\",\"required\":[\"n\"],\"properties\":{\"n\":{"
    "\"type\":\"integer\",\"maximum\":10}},\"x-surety\":{\"name\":\"count\","
    "\"version\":\"1.0.0\",\"retry\":{\"max\":1},"
    "\"fallback\":{\"kind\":\"null\"}}}";

static surety_status read_contract(struct check *t, const char *text,
                                   surety_contract **ret_contract)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .alloc = check_alloc(t)};

    return surety_contract_read(surety_str_of(text), &options, ret_contract,
                                NULL);
}

static bool holds(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

static bool decided(const surety_run *run, size_t i, const char *part)
{
    const surety_str decision = surety_run_attempt(run, i).decision;
    char text[2048];

    fake_copy(text, sizeof(text), decision);
    if (holds(text, part))
        return true;
    printf("# attempt %zu: %s\n", i + 1, text);
    return false;
}

TEST(takes_a_valid_reply)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(VALID)}};
    surety_contract *contract = NULL;
    surety_run *run = NULL;
    surety_run_options options;
    surety_model model;
    struct fake fake;
    uint64_t cost = 1;

    fake_init(&fake, answers, CHECK_COUNT(answers));
    model = fake_model(&fake, "m");
    model.price = (surety_price){true, 100, 10, 1000};
    TRY(read_contract(t, contract_plain, &contract));
    options = fake_options(t, &fake, contract, &model, 1);
    TRY(surety_run_new(&options, &run, NULL));
    CHECK(surety_run_verdict_of(run) == SURETY_RUN_PENDING);
    CHECK(surety_run_id(run).len == 0);
    TRY(fake_go(&fake, run, NULL));
    CHECK(surety_run_verdict_of(run) == SURETY_RUN_VALID);
    CHECK(surety_run_message(run).len == 0);
    CHECK(surety_run_id(run).len == 36 && surety_run_id(run).ptr[14] == '7');
    CHECK(
        surety_val_int(
            surety_val_get(surety_outcome_value(surety_run_outcome(run)), "n"),
            0) == 3);
    CHECK(fake.calls == 1 && fake.begun == 1 && fake.finished == 1);
    CHECK(fake.before);
    CHECK(holds(fake.finishes[0], "done||done|ok|"));
    CHECK(holds(fake.bodies[0], "How many?"));
    CHECK_TEXT(surety_str_of(fake.pieces), "{\"n\":3}");
    CHECK(surety_run_usage(run).known);
    CHECK(surety_run_usage(run).input_tokens == 10);
    CHECK(surety_run_cost(run, &cost) && cost == 10 * 100 + 5 * 1000);
    CHECK_TEXT(surety_run_reply_first(run), "{\"n\":3}");
    /* Nothing more happens, whatever is done. */
    TRY(fake_go(&fake, run, NULL));
    surety_run_cancel(run, (surety_now){0, 0});
    CHECK(surety_run_verdict_of(run) == SURETY_RUN_VALID);
    CHECK(fake.calls == 1 && fake.finished == 1);
done:
    surety_run_free(run);
    surety_contract_free(contract);
}

TEST(asks_again_with_what_was_wrong)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(LARGE)},
        {.status = 200, .body = SAYS("none")},
        {.status = 200, .body = SAYS(VALID)}};
    surety_contract *contract = NULL;
    surety_run *run = NULL;
    surety_run_options options;
    surety_model model;
    struct fake fake;

    fake_init(&fake, answers, CHECK_COUNT(answers));
    model = fake_model(&fake, "m");
    TRY(read_contract(t, contract_plain, &contract));
    options = fake_options(t, &fake, contract, &model, 1);
    TRY(surety_run_new(&options, &run, NULL));
    TRY(fake_go(&fake, run, NULL));
    CHECK(surety_run_verdict_of(run) == SURETY_RUN_VALID);
    CHECK(fake.calls == 3 && fake.begun == 3 && fake.finished == 3);
    CHECK(!holds(fake.bodies[0], "/n"));
    CHECK(holds(fake.bodies[1], "/n"));
    CHECK(holds(fake.bodies[1], "How many?"));
    CHECK(!holds(fake.bodies[2], "/n\\\""));
    CHECK_TEXT(surety_run_attempt(run, 0).purpose, "ask");
    CHECK_TEXT(surety_run_attempt(run, 1).purpose, "re-ask");
    CHECK(decided(run, 0, "maximum at /n"));
    CHECK(decided(run, 0, "re-ask 1 of 2"));
    CHECK(decided(run, 1, "re-ask 2 of 2"));
    CHECK(decided(run, 2, "it is taken"));
    CHECK(surety_run_attempt(run, 0).judged && !surety_run_attempt(run, 0).ok);
    CHECK(surety_run_attempt(run, 0).report.len > 0);
    CHECK_TEXT(surety_run_reply_first(run), "{\"n\":11}");
    CHECK_TEXT(surety_run_reply_last(run), "{\"n\":3}");
    CHECK(holds(fake.finishes[0], "done||validation||"));
    CHECK(holds(fake.finishes[1], "done||extraction||"));
    CHECK(surety_run_usage(run).output_tokens == 15);
    CHECK(!surety_run_cost(run, NULL));
done:
    surety_run_free(run);
    surety_contract_free(contract);
}

TEST(gives_up_after_its_re_asks)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(LARGE)},
        {.status = 200, .body = SAYS(LARGE)},
        {.status = 200, .body = SAYS(LARGE)}};
    surety_contract *contract = NULL;
    surety_run *run = NULL;
    surety_run_options options;
    surety_model model;
    struct fake fake;
    char message[1024];

    fake_init(&fake, answers, CHECK_COUNT(answers));
    model = fake_model(&fake, "m");
    TRY(read_contract(t, contract_plain, &contract));
    options = fake_options(t, &fake, contract, &model, 1);
    TRY(surety_run_new(&options, &run, NULL));
    TRY(fake_go(&fake, run, NULL));
    CHECK(surety_run_verdict_of(run) == SURETY_RUN_REJECTED);
    CHECK(fake.calls == 3);
    fake_copy(message, sizeof(message), surety_run_message(run));
    CHECK(holds(message, "count@1.0.0"));
    CHECK(holds(message, "m (3 calls): "));
    CHECK(surety_run_hint(run).len > 0);
    CHECK(surety_run_outcome(run) &&
          !surety_outcome_ok(surety_run_outcome(run)));
    CHECK(decided(run, 1, "there is no other model"));
    CHECK(decided(run, 2, "the re-asks are spent"));
done:
    surety_run_free(run);
    surety_contract_free(contract);
}

TEST(changes_the_model_rather_than_repeat)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(LARGE)},
        {.status = 200, .body = SAYS(LARGE)},
        {.status = 200, .body = SAYS(VALID)}};
    surety_contract *contract = NULL;
    surety_run *run = NULL;
    surety_run_options options;
    surety_model models[2];
    struct fake fake;

    fake_init(&fake, answers, CHECK_COUNT(answers));
    models[0] = fake_model(&fake, "first");
    models[1] = fake_model(&fake, "second");
    TRY(read_contract(t, contract_plain, &contract));
    options = fake_options(t, &fake, contract, models, 2);
    TRY(surety_run_new(&options, &run, NULL));
    TRY(fake_go(&fake, run, NULL));
    CHECK(surety_run_verdict_of(run) == SURETY_RUN_VALID);
    CHECK(fake.calls == 3);
    CHECK(surety_run_attempt(run, 2).model == &models[1]);
    CHECK_TEXT(surety_run_attempt(run, 2).purpose, "ask");
    CHECK(!holds(fake.bodies[2], "/n"));
    CHECK(decided(run, 1, "in the same way again"));
done:
    surety_run_free(run);
    surety_contract_free(contract);
}

TEST(steps_down_a_mode_that_is_not_taken)
{
    static const struct fake_answer answers[] = {
        {.status = 400,
         .body = FAILS("invalid_request_error", "unsupported_parameter")},
        {.status = 200, .body = SAYS(VALID)},
        {.status = 200, .body = SAYS(VALID)},
    };
    surety_contract *contract = NULL;
    surety_run *run = NULL;
    surety_run_options options;
    surety_model model;
    struct fake fake;

    fake_init(&fake, answers, CHECK_COUNT(answers));
    model = fake_model(&fake, "m");
    model.mode = SURETY_MODE_AUTO;
    TRY(read_contract(t, contract_plain, &contract));
    options = fake_options(t, &fake, contract, &model, 1);
    TRY(surety_run_new(&options, &run, NULL));
    TRY(fake_go(&fake, run, NULL));
    CHECK(surety_run_attempt(run, 0).mode == SURETY_MODE_NATIVE);
    CHECK(holds(fake.bodies[0], "json_schema"));
    if (surety_run_attempt(run, 0).answer.failure == SURETY_FAILURE_SCHEMA) {
        CHECK(surety_run_attempt(run, 1).mode == SURETY_MODE_TOOL);
        CHECK(surety_run_verdict_of(run) == SURETY_RUN_VALID);
        CHECK(decided(run, 0, "in mode tool"));
    }
done:
    surety_run_free(run);
    surety_contract_free(contract);
}

TEST(waits_and_retries)
{
    static const struct fake_answer answers[] = {
        {.status = 500, .body = ""},
        {.status = 429,
         .body = FAILS("rate_limit_error", "rate_limit_exceeded"),
         .header = "retry-after",
         .value = "7"},
        {.status = 0,
         .body = NULL,
         .failure = SURETY_FAILURE_CONNECT,
         .unsent = true},
        {.status = 200, .body = SAYS(VALID)},
    };
    surety_contract *contract = NULL;
    surety_run *run = NULL;
    surety_run_options options;
    surety_model model;
    struct fake fake;

    fake_init(&fake, answers, CHECK_COUNT(answers));
    model = fake_model(&fake, "m");
    TRY(read_contract(t, contract_plain, &contract));
    options = fake_options(t, &fake, contract, &model, 1);
    options.retry_max = SURETY_RUN_NONE;
    TRY(surety_run_new(&options, &run, NULL));
    TRY(fake_go(&fake, run, NULL));
    CHECK(surety_run_verdict_of(run) == SURETY_RUN_VALID);
    CHECK(fake.calls == 4);
    CHECK(fake.times[1] - fake.times[0] <= 10 + 500);
    CHECK(fake.times[2] - fake.times[1] >= 7000 + 10);
    CHECK(fake.times[2] - fake.times[1] <= 7000 + 10 + 500);
    CHECK(fake.times[3] - fake.times[2] <= 10 + 2000);
    CHECK_TEXT(surety_run_attempt(run, 3).purpose, "retry");
    CHECK(decided(run, 1, "HTTP 429"));
    CHECK(decided(run, 2, "retry 3 of 3"));
    CHECK(holds(fake.finishes[0], "failed|server|"));
    CHECK(holds(fake.finishes[2], "failed|connect|"));
    CHECK(strcmp(fake.bodies[0], fake.bodies[3]) == 0);
done:
    surety_run_free(run);
    surety_contract_free(contract);
}

TEST(does_not_wait_for_ever)
{
    static const struct fake_answer answers[] = {
        {.status = 429,
         .body = FAILS("rate_limit_error", "x"),
         .header = "retry-after",
         .value = "61"},
        {.status = 429,
         .body = FAILS("insufficient_quota", "insufficient_quota"),
         .header = "retry-after",
         .value = "1"},
    };
    surety_run *run = NULL;
    surety_run_options options;
    surety_model models[2];
    struct fake fake;
    char message[1024];

    fake_init(&fake, answers, CHECK_COUNT(answers));
    models[0] = fake_model(&fake, "first");
    models[1] = fake_model(&fake, "second");
    options = fake_options(t, &fake, NULL, models, 2);
    TRY(surety_run_new(&options, &run, NULL));
    TRY(fake_go(&fake, run, NULL));
    CHECK(surety_run_verdict_of(run) == SURETY_RUN_PROVIDER);
    CHECK(fake.calls == 2);
    CHECK(decided(run, 0, "at most 60000 are allowed: asks second"));
    CHECK(decided(run, 1, "there is no model left: the run ends"));
    fake_copy(message, sizeof(message), surety_run_message(run));
    CHECK(holds(message, "no model gave a reply: first: "));
    CHECK(!holds(message, "sk-planted"));
    CHECK(!holds(fake.events, "sk-planted"));
    CHECK(holds(fake.events, "< the quota is spent"));
done:
    surety_run_free(run);
}

TEST(repeats_nothing_that_may_have_been_done)
{
    static const struct fake_answer answers[] = {
        {.status = 0, .body = NULL, .failure = SURETY_FAILURE_TIMEOUT},
        {.status = 200, .body = SAYS("Well.")},
    };
    surety_run *run = NULL;
    surety_run_options options;
    surety_model model;
    struct fake fake;

    for (int i = 0; i < 2; i++) {
        fake_init(&fake, answers, CHECK_COUNT(answers));
        model = fake_model(&fake, "m");
        model.retry_ambiguous = i == 1;
        options = fake_options(t, &fake, NULL, &model, 1);
        TRY(surety_run_new(&options, &run, NULL));
        TRY(fake_go(&fake, run, NULL));
        CHECK(holds(fake.finishes[0], "unknown|timeout|"));
        CHECK(fake.calls == (i ? 2 : 1));
        CHECK(surety_run_verdict_of(run) ==
              (i ? SURETY_RUN_VALID : SURETY_RUN_PROVIDER));
        CHECK(!surety_run_usage(run).known);
        surety_run_free(run);
        run = NULL;
    }
done:
    surety_run_free(run);
}

TEST(argues_with_no_refusal)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = REFUSES}, {.status = 200, .body = REFUSES}};
    surety_contract *contract = NULL;
    surety_run *run = NULL;
    surety_run_options options;
    surety_model models[2];
    struct fake fake;

    fake_init(&fake, answers, CHECK_COUNT(answers));
    models[0] = fake_model(&fake, "first");
    models[1] = fake_model(&fake, "second");
    TRY(read_contract(t, contract_fallback, &contract));
    options = fake_options(t, &fake, contract, models, 2);
    TRY(surety_run_new(&options, &run, NULL));
    TRY(fake_go(&fake, run, NULL));
    CHECK(surety_run_verdict_of(run) == SURETY_RUN_REFUSED);
    CHECK(fake.calls == 2);
    CHECK(!surety_run_outcome(run));
    CHECK(decided(run, 0, "I will not."));
done:
    surety_run_free(run);
    surety_contract_free(contract);
}

TEST(takes_no_reply_that_was_cut_off)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = CUT(VALID)},
        {.status = 200, .body = CUT(VALID)}};
    surety_contract *contract = NULL;
    surety_run *run = NULL;
    surety_run_options options;
    surety_model model;
    struct fake fake;

    fake_init(&fake, answers, CHECK_COUNT(answers));
    model = fake_model(&fake, "m");
    TRY(read_contract(t, contract_plain, &contract));
    options = fake_options(t, &fake, contract, &model, 1);
    TRY(surety_run_new(&options, &run, NULL));
    TRY(fake_go(&fake, run, NULL));
    CHECK(surety_run_verdict_of(run) == SURETY_RUN_REJECTED);
    CHECK(fake.calls == 2);
    CHECK(holds(fake.bodies[1], "shorter"));
    CHECK(!surety_run_attempt(run, 0).judged);
    CHECK(decided(run, 1, "a shorter one was asked for before"));
    CHECK_TEXT(surety_run_reply_last(run), "{\"n\":3}");
done:
    surety_run_free(run);
    surety_contract_free(contract);
}

TEST(falls_back_last)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(LARGE)},
        {.status = 200, .body = SAYS(WORDS)}};
    surety_contract *contract = NULL;
    surety_run *run = NULL;
    surety_run_options options;
    surety_model model;
    struct fake fake;

    /* With the re-asks spent, and with the budget spent. */
    for (uint32_t calls_max = 2; calls_max > 0; calls_max--) {
        fake_init(&fake, answers, CHECK_COUNT(answers));
        model = fake_model(&fake, "m");
        TRY(read_contract(t, contract_fallback, &contract));
        options = fake_options(t, &fake, contract, &model, 1);
        options.budget.calls_max = calls_max;
        TRY(surety_run_new(&options, &run, NULL));
        TRY(fake_go(&fake, run, NULL));
        CHECK(fake.calls == calls_max);
        CHECK(surety_run_verdict_of(run) == SURETY_RUN_FALLBACK);
        CHECK(surety_outcome_fallback(surety_run_outcome(run)));
        CHECK(surety_outcome_warning_count(surety_run_outcome(run)) == 1);
        CHECK(surety_run_message(run).len > 0);
        surety_run_free(run);
        surety_contract_free(contract);
        run = NULL;
        contract = NULL;
    }
done:
    surety_run_free(run);
    surety_contract_free(contract);
}

/* One run of an invalid reply under a budget. */
static surety_status run_under(struct check *t, struct fake *fake,
                               surety_contract *contract,
                               const surety_budget *budget, surety_run **run)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(LARGE)},
        {.status = 200, .body = SAYS(WORDS)},
        {.status = 200, .body = SAYS(VALID)}};
    surety_run_options options;
    surety_status status;

    fake_init(fake, answers, CHECK_COUNT(answers));
    fake->model = fake_model(fake, "m");
    fake->model.price = (surety_price){true, 1000000, 1000000, 1000000};
    options = fake_options(t, fake, contract, &fake->model, 1);
    options.budget = *budget;
    status = surety_run_new(&options, run, NULL);
    return status == SURETY_OK ? fake_go(fake, *run, NULL) : status;
}

TEST(spends_no_more_than_it_may)
{
    static const struct {
        surety_budget budget;
        size_t calls;
        surety_run_verdict verdict;
    } cases[] = {
        {{.calls_max = 1}, 1, SURETY_RUN_BUDGET},
        {{.calls_max = 2}, 2, SURETY_RUN_BUDGET},
        {{.calls_max = 3}, 3, SURETY_RUN_VALID},
        {{.tokens_max = 1}, 0, SURETY_RUN_BUDGET},
        {{.tokens_max = 100000}, 3, SURETY_RUN_VALID},
        {{.cost_picousd_max = 1}, 0, SURETY_RUN_BUDGET},
        {{.cost_picousd_max = 100000000000}, 3, SURETY_RUN_VALID},
        {{.ms_max = 10}, 1, SURETY_RUN_BUDGET},
        {{.ms_max = 20}, 2, SURETY_RUN_BUDGET},
        {{.ms_max = 31}, 3, SURETY_RUN_VALID},
    };
    surety_contract *contract = NULL;
    surety_run *run = NULL;
    struct fake fake;

    TRY(read_contract(t, contract_plain, &contract));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        TRY(run_under(t, &fake, contract, &cases[i].budget, &run));
        CHECK(fake.calls == cases[i].calls);
        CHECK(surety_run_verdict_of(run) == cases[i].verdict);
        CHECK(fake.begun == fake.finished);
        surety_run_free(run);
        run = NULL;
    }
done:
    surety_run_free(run);
    surety_contract_free(contract);
}

TEST(stops_what_takes_too_long)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = "{\"choices\":[", .stalls = true}};
    surety_run *run = NULL;
    surety_run_options options;
    surety_model model;
    struct fake fake;

    fake_init(&fake, answers, CHECK_COUNT(answers));
    model = fake_model(&fake, "m");
    options = fake_options(t, &fake, NULL, &model, 1);
    options.budget.ms_max = 5000;
    TRY(surety_run_new(&options, &run, NULL));
    TRY(fake_go(&fake, run, NULL));
    CHECK(surety_run_verdict_of(run) == SURETY_RUN_BUDGET);
    CHECK(fake.cancelled == 1 && fake.now_ms == 6000);
    CHECK(holds(fake.finishes[0], "cancelled|cancelled|"));
    CHECK(decided(run, 0, "the budget of 5000 ms is spent"));
done:
    surety_run_free(run);
}

TEST(ends_with_its_ledger)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(LARGE)},
        {.status = 200, .body = SAYS(VALID)}};
    static const struct {
        size_t begin_fails, finish_fails;
        bool optional;
        size_t calls;
        surety_run_verdict verdict;
        const char *last;
    } cases[] = {
        {1, 0, false, 0, SURETY_RUN_LEDGER, ""},
        {2, 0, false, 1, SURETY_RUN_LEDGER, "{\"n\":11}"},
        {0, 1, false, 1, SURETY_RUN_LEDGER, ""},
        {0, 2, false, 2, SURETY_RUN_LEDGER, "{\"n\":11}"},
        {1, 0, true, 2, SURETY_RUN_VALID, "{\"n\":3}"},
        {0, 1, true, 2, SURETY_RUN_VALID, "{\"n\":3}"},
    };
    surety_contract *contract = NULL;
    surety_run *run = NULL;
    surety_run_options options;
    surety_model model;
    struct fake fake;

    TRY(read_contract(t, contract_plain, &contract));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        fake_init(&fake, answers, CHECK_COUNT(answers));
        fake.begin_fails = cases[i].begin_fails;
        fake.finish_fails = cases[i].finish_fails;
        model = fake_model(&fake, "m");
        options = fake_options(t, &fake, contract, &model, 1);
        options.ledger_optional = cases[i].optional;
        TRY(surety_run_new(&options, &run, NULL));
        TRY(fake_go(&fake, run, NULL));
        CHECK(fake.calls == cases[i].calls);
        CHECK(surety_run_verdict_of(run) == cases[i].verdict);
        CHECK_TEXT(surety_run_reply_last(run), cases[i].last);
        if (cases[i].verdict == SURETY_RUN_LEDGER) {
            CHECK_TEXT(surety_run_message(run),
                       "the ledger could not be written: disk full");
            CHECK_TEXT(surety_run_hint(run), "make room");
        }
        if (cases[i].finish_fails == 2)
            CHECK(!surety_run_outcome(run));
        CHECK(holds(fake.events, "unrecorded") == cases[i].optional);
        surety_run_free(run);
        run = NULL;
    }
done:
    surety_run_free(run);
    surety_contract_free(contract);
}

TEST(cancels_anywhere)
{
    static const struct fake_answer answers[] = {
        {.status = 500, .body = ""},
        {.status = 200, .body = "{\"choices\":[", .stalls = true}};
    surety_run *run = NULL;
    surety_run_options options;
    surety_model model;
    struct fake fake;

    for (int stop = 0; stop < 5; stop++) {
        uint32_t delay_ms = 0;

        fake_init(&fake, answers, CHECK_COUNT(answers));
        model = fake_model(&fake, "m");
        options = fake_options(t, &fake, NULL, &model, 1);
        TRY(surety_run_new(&options, &run, NULL));
        for (int i = 0; i < stop; i++) {
            EXPECT(SURETY_MORE,
                   surety_run_step(run, (surety_now){fake.now_ms, 5}, &delay_ms,
                                   NULL));
            if (!fake.active)
                fake.now_ms += delay_ms;
            TRY(fake_wait(&fake, 0, NULL));
        }
        surety_run_cancel(run, (surety_now){fake.now_ms, 5});
        CHECK(!fake.active);
        CHECK(fake.begun == fake.calls && fake.finished == fake.calls);
        EXPECT(SURETY_OK, surety_run_step(run, (surety_now){fake.now_ms, 5},
                                          &delay_ms, NULL));
        CHECK(surety_run_verdict_of(run) == SURETY_RUN_CANCELLED);
        CHECK(stop < 3 || holds(fake.finishes[1], "cancelled|cancelled|"));
        surety_run_free(run);
        run = NULL;
    }
done:
    surety_run_free(run);
}

TEST(closes_what_is_under_way)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = "{\"choices\":[", .stalls = true}};
    surety_run *run = NULL;
    surety_run_options options;
    surety_model model;
    struct fake fake;
    uint32_t delay_ms = 0;

    fake_init(&fake, answers, CHECK_COUNT(answers));
    model = fake_model(&fake, "m");
    options = fake_options(t, &fake, NULL, &model, 1);
    TRY(surety_run_new(&options, &run, NULL));
    EXPECT(SURETY_MORE,
           surety_run_step(run, (surety_now){5, 5}, &delay_ms, NULL));
    CHECK(delay_ms == 1200000);
    CHECK(fake.active);
    surety_run_free(run);
    run = NULL;
    CHECK(t->starved || (!fake.active && fake.finished == 1));
done:
    surety_run_free(run);
}

TEST(tells_of_a_call_that_cannot_be_made)
{
    static const struct fake_answer answers[] = {{.refused = true}};
    surety_run *run = NULL;
    surety_run_options options;
    surety_model model;
    struct fake fake;

    fake_init(&fake, answers, CHECK_COUNT(answers));
    model = fake_model(&fake, "m");
    options = fake_options(t, &fake, NULL, &model, 1);
    TRY(surety_run_new(&options, &run, NULL));
    TRY(fake_go(&fake, run, NULL));
    CHECK(surety_run_verdict_of(run) == SURETY_RUN_PROVIDER);
    CHECK(decided(run, 0, "no such door"));
    CHECK(holds(fake.finishes[0], "failed|request|"));
    CHECK(surety_run_usage(run).known);
done:
    surety_run_free(run);
}

TEST(does_without_a_contract)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS("")},
        {.status = 200, .body = SAYS("Three.")}};
    surety_run *run = NULL;
    surety_run_options options;
    surety_model model;
    struct fake fake;

    fake_init(&fake, answers, CHECK_COUNT(answers));
    model = fake_model(&fake, "m");
    model.mode = SURETY_MODE_AUTO;
    options = fake_options(t, &fake, NULL, &model, 1);
    options.system = surety_str_of("Be brief.");
    TRY(surety_run_new(&options, &run, NULL));
    TRY(fake_go(&fake, run, NULL));
    CHECK(surety_run_verdict_of(run) == SURETY_RUN_VALID);
    CHECK(fake.calls == 2);
    CHECK(surety_run_attempt(run, 1).mode == SURETY_MODE_PROMPT);
    CHECK_TEXT(surety_run_attempt(run, 1).prompt, "How many?");
    CHECK(holds(fake.bodies[1], "Be brief."));
    CHECK_TEXT(surety_run_reply_last(run), "Three.");
    CHECK(!surety_run_outcome(run));
done:
    surety_run_free(run);
}

TEST(says_what_it_cannot_run)
{
    surety_run *run = NULL;
    surety_run_options options;
    surety_model model;
    struct fake fake;
    surety_error err;

    fake_init(&fake, NULL, 0);
    model = fake_model(&fake, "m");
    options = fake_options(t, &fake, NULL, &model, 0);
    EXPECT(SURETY_MISUSE, surety_run_new(&options, &run, &err));
    CHECK_TEXT(surety_str_of(err.message), "a run needs a model");
    options.model_count = 1;
    options.budget.cost_picousd_max = 1;
    EXPECT(SURETY_MISUSE, surety_run_new(&options, &run, &err));
    options.budget.cost_picousd_max = 0;
    model.protocol = SURETY_PROTOCOL_TEXT;
    model.mode = SURETY_MODE_NATIVE;
    EXPECT(SURETY_MISUSE, surety_run_new(&options, &run, &err));
    CHECK(holds(err.message, "mode native"));
    model.mode = SURETY_MODE_AUTO;
    model.transport = NULL;
    EXPECT(SURETY_MISUSE, surety_run_new(&options, &run, &err));
    EXPECT(SURETY_MISUSE, surety_run_new(NULL, &run, &err));
    model.transport = &fake.transport;
    fake.ledger.version = 2;
    EXPECT(SURETY_MISUSE, surety_run_new(&options, &run, &err));
    fake.ledger.version = 1;
    options.seed = 0;
    TRY(surety_run_new(&options, &run, &err));
done:
    surety_run_free(run);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"takes a valid reply", takes_a_valid_reply},
        {"asks again with what was wrong", asks_again_with_what_was_wrong},
        {"gives up after its re-asks", gives_up_after_its_re_asks},
        {"changes the model rather than repeat",
         changes_the_model_rather_than_repeat},
        {"steps down a mode that is not taken",
         steps_down_a_mode_that_is_not_taken},
        {"waits and retries", waits_and_retries},
        {"does not wait for ever", does_not_wait_for_ever},
        {"repeats nothing that may have been done",
         repeats_nothing_that_may_have_been_done},
        {"argues with no refusal", argues_with_no_refusal},
        {"takes no reply that was cut off", takes_no_reply_that_was_cut_off},
        {"falls back last", falls_back_last},
        {"spends no more than it may", spends_no_more_than_it_may},
        {"stops what takes too long", stops_what_takes_too_long},
        {"ends with its ledger", ends_with_its_ledger},
        {"cancels anywhere", cancels_anywhere},
        {"closes what is under way", closes_what_is_under_way},
        {"tells of a call that cannot be made",
         tells_of_a_call_that_cannot_be_made},
        {"does without a contract", does_without_a_contract},
        {"says what it cannot run", says_what_it_cannot_run},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
