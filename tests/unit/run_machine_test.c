/* SPDX-License-Identifier: Apache-2.0 */
/* The run's order of things: what is sent, recorded and given out, and when. */
#include "check.h"
#include "run_fake.h"

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
    struct trial trial;

    TRY(trial_open(&trial, t, contract_plain, answers, CHECK_COUNT(answers)));
    trial.models[0].price = (surety_price){true, 100, 10, 1000};
    TRY(trial_begin(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_PENDING);
    CHECK(surety_run_info_of(trial.run)->id.len == 0);
    TRY(fake_go(&trial.fake, trial.run, NULL));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(surety_run_info_of(trial.run)->message.len == 0);
    CHECK(surety_run_info_of(trial.run)->id.len == 36 &&
          surety_run_info_of(trial.run)->id.ptr[14] == '7');
    CHECK(surety_val_int(
              surety_val_get(
                  surety_outcome_info_of(surety_run_info_of(trial.run)->outcome)
                      ->value,
                  "n"),
              0) == 3);
    CHECK(trial.fake.calls == 1 && trial.fake.begun == 1 &&
          trial.fake.finished == 1);
    CHECK(trial.fake.before);
    CHECK(holds(trial.fake.finishes[0], "done||done|ok|"));
    CHECK(holds(trial.fake.bodies[0], "How many?"));
    CHECK_TEXT(surety_str_of(trial.fake.pieces), "{\"n\":3}");
    CHECK(surety_run_info_of(trial.run)->usage.known);
    CHECK(surety_run_info_of(trial.run)->usage.input_tokens == 10);
    CHECK(surety_run_info_of(trial.run)->cost_picousd == 10 * 100 + 5 * 1000);
    CHECK_TEXT(surety_run_info_of(trial.run)->reply_first, "{\"n\":3}");
    /* Nothing more happens, whatever is done. */
    TRY(fake_go(&trial.fake, trial.run, NULL));
    surety_run_cancel(trial.run, (surety_now){0, 0});
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(trial.fake.calls == 1 && trial.fake.finished == 1);
done:
    trial_close(&trial);
}

TEST(asks_again_with_what_was_wrong)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(LARGE)},
        {.status = 200, .body = SAYS("none")},
        {.status = 200, .body = SAYS(VALID)}};
    struct trial trial;

    TRY(trial_open(&trial, t, contract_plain, answers, CHECK_COUNT(answers)));
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(trial.fake.calls == 3 && trial.fake.begun == 3 &&
          trial.fake.finished == 3);
    CHECK(!holds(trial.fake.bodies[0], "/n"));
    CHECK(holds(trial.fake.bodies[1], "/n"));
    CHECK(holds(trial.fake.bodies[1], "How many?"));
    CHECK(!holds(trial.fake.bodies[2], "/n\\\""));
    CHECK_TEXT(surety_run_attempt(trial.run, 0).purpose, "ask");
    CHECK_TEXT(surety_run_attempt(trial.run, 1).purpose, "re-ask");
    CHECK(decided(trial.run, 0, "maximum at /n"));
    CHECK(decided(trial.run, 0, "re-ask 1 of 2"));
    CHECK(decided(trial.run, 1, "re-ask 2 of 2"));
    CHECK(decided(trial.run, 2, "it is taken"));
    CHECK(surety_run_attempt(trial.run, 0).judged &&
          !surety_run_attempt(trial.run, 0).ok);
    CHECK(surety_run_attempt(trial.run, 0).report.len > 0);
    CHECK_TEXT(surety_run_info_of(trial.run)->reply_first, "{\"n\":11}");
    CHECK_TEXT(surety_run_info_of(trial.run)->reply_last, "{\"n\":3}");
    CHECK(holds(trial.fake.finishes[0], "done||validation||"));
    CHECK(holds(trial.fake.finishes[1], "done||extraction||"));
    CHECK(surety_run_info_of(trial.run)->usage.output_tokens == 15);
    CHECK(!surety_run_info_of(trial.run)->cost_known);
done:
    trial_close(&trial);
}

TEST(gives_up_after_its_re_asks)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(LARGE)},
        {.status = 200, .body = SAYS(LARGE)},
        {.status = 200, .body = SAYS(LARGE)}};
    struct trial trial;
    char message[1024];

    TRY(trial_open(&trial, t, contract_plain, answers, CHECK_COUNT(answers)));
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_REJECTED);
    CHECK(trial.fake.calls == 3);
    fake_copy(message, sizeof(message), surety_run_info_of(trial.run)->message);
    CHECK(holds(message, "count@1.0.0"));
    CHECK(holds(message, "m (3 calls): "));
    CHECK(surety_run_info_of(trial.run)->hint.len > 0);
    CHECK(surety_run_info_of(trial.run)->outcome &&
          !surety_outcome_info_of(surety_run_info_of(trial.run)->outcome)->ok);
    CHECK(decided(trial.run, 1, "there is no other model"));
    CHECK(decided(trial.run, 2, "the re-asks are spent"));
done:
    trial_close(&trial);
}

TEST(changes_the_model_rather_than_repeat)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(LARGE)},
        {.status = 200, .body = SAYS(LARGE)},
        {.status = 200, .body = SAYS(VALID)}};
    struct trial trial;

    TRY(trial_open(&trial, t, contract_plain, answers, CHECK_COUNT(answers)));
    trial.options.model_count = 2;
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(trial.fake.calls == 3);
    CHECK(surety_run_attempt(trial.run, 2).model == &trial.models[1]);
    CHECK_TEXT(surety_run_attempt(trial.run, 2).purpose, "ask");
    CHECK(!holds(trial.fake.bodies[2], "/n"));
    CHECK(decided(trial.run, 1, "in the same way again"));
done:
    trial_close(&trial);
}

TEST(steps_down_a_mode_that_is_not_taken)
{
    static const struct fake_answer answers[] = {
        {.status = 400,
         .body = FAILS("invalid_request_error", "unsupported_parameter")},
        {.status = 200, .body = SAYS(VALID)},
        {.status = 200, .body = SAYS(VALID)},
    };
    struct trial trial;

    TRY(trial_open(&trial, t, contract_plain, answers, CHECK_COUNT(answers)));
    trial.models[0].mode = SURETY_MODE_AUTO;
    TRY(trial_go(&trial));
    CHECK(surety_run_attempt(trial.run, 0).mode == SURETY_MODE_NATIVE);
    CHECK(holds(trial.fake.bodies[0], "json_schema"));
    if (surety_run_attempt(trial.run, 0).answer.failure ==
        SURETY_FAILURE_SCHEMA) {
        CHECK(surety_run_attempt(trial.run, 1).mode == SURETY_MODE_TOOL);
        CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
        CHECK(decided(trial.run, 0, "in mode tool"));
    }
done:
    trial_close(&trial);
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
    struct trial trial;

    TRY(trial_open(&trial, t, contract_plain, answers, CHECK_COUNT(answers)));
    trial.options.retry_max = SURETY_RUN_NONE;
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(trial.fake.calls == 4);
    CHECK(trial.fake.times[1] - trial.fake.times[0] <= 10 + 500);
    CHECK(trial.fake.times[2] - trial.fake.times[1] >= 7000 + 10);
    CHECK(trial.fake.times[2] - trial.fake.times[1] <= 7000 + 10 + 500);
    CHECK(trial.fake.times[3] - trial.fake.times[2] <= 10 + 2000);
    CHECK_TEXT(surety_run_attempt(trial.run, 3).purpose, "retry");
    CHECK(decided(trial.run, 1, "HTTP 429"));
    CHECK(decided(trial.run, 2, "retry 3 of 3"));
    CHECK(holds(trial.fake.finishes[0], "failed|server|"));
    CHECK(holds(trial.fake.finishes[2], "failed|connect|"));
    CHECK(strcmp(trial.fake.bodies[0], trial.fake.bodies[3]) == 0);
done:
    trial_close(&trial);
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
    struct trial trial;
    char message[1024];

    TRY(trial_open(&trial, t, NULL, answers, CHECK_COUNT(answers)));
    trial.options.model_count = 2;
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_PROVIDER);
    CHECK(trial.fake.calls == 2);
    CHECK(decided(trial.run, 0, "at most 60000 are allowed: asks other"));
    CHECK(decided(trial.run, 1, "there is no model left: the run ends"));
    fake_copy(message, sizeof(message), surety_run_info_of(trial.run)->message);
    CHECK(holds(message, "no model gave a reply: m: "));
    CHECK(!holds(message, "sk-planted"));
    CHECK(!holds(trial.fake.events, "sk-planted"));
    CHECK(holds(trial.fake.events, "< the quota is spent"));
done:
    trial_close(&trial);
}

TEST(repeats_nothing_that_may_have_been_done)
{
    static const struct fake_answer answers[] = {
        {.status = 0, .body = NULL, .failure = SURETY_FAILURE_TIMEOUT},
        {.status = 200, .body = SAYS("Well.")},
    };
    struct trial trial;

    TRY(trial_open(&trial, t, NULL, NULL, 0));
    for (int i = 0; i < 2; i++) {
        trial_reset(&trial, t, answers, CHECK_COUNT(answers));
        trial.models[0].retry_ambiguous = i == 1;
        TRY(trial_go(&trial));
        CHECK(holds(trial.fake.finishes[0], "unknown|timeout|"));
        CHECK(trial.fake.calls == (i ? 2 : 1));
        CHECK(surety_run_info_of(trial.run)->verdict ==
              (i ? SURETY_RUN_VALID : SURETY_RUN_PROVIDER));
        CHECK(!surety_run_info_of(trial.run)->usage.known);
    }
done:
    trial_close(&trial);
}

TEST(argues_with_no_refusal)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = REFUSES}, {.status = 200, .body = REFUSES}};
    struct trial trial;

    TRY(trial_open(&trial, t, contract_fallback, answers,
                   CHECK_COUNT(answers)));
    trial.options.model_count = 2;
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_REFUSED);
    CHECK(trial.fake.calls == 2);
    CHECK(!surety_run_info_of(trial.run)->outcome);
    CHECK(decided(trial.run, 0, "I will not."));
done:
    trial_close(&trial);
}

TEST(takes_no_reply_that_was_cut_off)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = CUT(VALID)},
        {.status = 200, .body = CUT(VALID)}};
    struct trial trial;

    TRY(trial_open(&trial, t, contract_plain, answers, CHECK_COUNT(answers)));
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_REJECTED);
    CHECK(trial.fake.calls == 2);
    CHECK(holds(trial.fake.bodies[1], "shorter"));
    CHECK(!surety_run_attempt(trial.run, 0).judged);
    CHECK(decided(trial.run, 1, "a shorter one was asked for before"));
    CHECK_TEXT(surety_run_info_of(trial.run)->reply_last, "{\"n\":3}");
done:
    trial_close(&trial);
}

TEST(falls_back_last)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(LARGE)},
        {.status = 200, .body = SAYS(WORDS)}};
    struct trial trial;

    /* With the re-asks spent, and with the budget spent. */
    TRY(trial_open(&trial, t, contract_fallback, NULL, 0));
    for (uint32_t calls_max = 2; calls_max > 0; calls_max--) {
        trial_reset(&trial, t, answers, CHECK_COUNT(answers));
        trial.options.budget.calls_max = calls_max;
        TRY(trial_go(&trial));
        CHECK(trial.fake.calls == calls_max);
        CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_FALLBACK);
        CHECK(surety_outcome_info_of(surety_run_info_of(trial.run)->outcome)
                  ->fallback);
        CHECK(surety_outcome_info_of(surety_run_info_of(trial.run)->outcome)
                  ->warning_count == 1);
        CHECK(surety_run_info_of(trial.run)->message.len > 0);
    }
done:
    trial_close(&trial);
}

TEST(spends_no_more_than_it_may)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(LARGE)},
        {.status = 200, .body = SAYS(WORDS)},
        {.status = 200, .body = SAYS(VALID)}};
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
    struct trial trial;

    TRY(trial_open(&trial, t, contract_plain, NULL, 0));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        trial_reset(&trial, t, answers, CHECK_COUNT(answers));
        trial.models[0].price = (surety_price){true, 1000000, 1000000, 1000000};
        trial.options.budget = cases[i].budget;
        TRY(trial_go(&trial));
        CHECK(trial.fake.calls == cases[i].calls);
        CHECK(surety_run_info_of(trial.run)->verdict == cases[i].verdict);
        CHECK(trial.fake.begun == trial.fake.finished);
    }
done:
    trial_close(&trial);
}

TEST(stops_what_takes_too_long)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = "{\"choices\":[", .stalls = true}};
    struct trial trial;

    TRY(trial_open(&trial, t, NULL, answers, CHECK_COUNT(answers)));
    trial.options.budget.ms_max = 5000;
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_BUDGET);
    CHECK(trial.fake.cancelled == 1 && trial.fake.now_ms == 6000);
    CHECK(holds(trial.fake.finishes[0], "cancelled|cancelled|"));
    CHECK(decided(trial.run, 0, "the budget of 5000 ms is spent"));
done:
    trial_close(&trial);
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
    struct trial trial;

    TRY(trial_open(&trial, t, contract_plain, NULL, 0));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        trial_reset(&trial, t, answers, CHECK_COUNT(answers));
        trial.fake.begin_fails = cases[i].begin_fails;
        trial.fake.finish_fails = cases[i].finish_fails;
        trial.options.ledger_optional = cases[i].optional;
        TRY(trial_go(&trial));
        CHECK(trial.fake.calls == cases[i].calls);
        CHECK(surety_run_info_of(trial.run)->verdict == cases[i].verdict);
        CHECK_TEXT(surety_run_info_of(trial.run)->reply_last, cases[i].last);
        if (cases[i].verdict == SURETY_RUN_LEDGER) {
            CHECK_TEXT(surety_run_info_of(trial.run)->message,
                       "the ledger could not be written: disk full");
            CHECK_TEXT(surety_run_info_of(trial.run)->hint, "make room");
        }
        if (cases[i].finish_fails == 2)
            CHECK(!surety_run_info_of(trial.run)->outcome);
        CHECK(holds(trial.fake.events, "unrecorded") == cases[i].optional);
    }
done:
    trial_close(&trial);
}

TEST(cancels_anywhere)
{
    static const struct fake_answer answers[] = {
        {.status = 500, .body = ""},
        {.status = 200, .body = "{\"choices\":[", .stalls = true}};
    struct trial trial;

    TRY(trial_open(&trial, t, NULL, NULL, 0));
    for (int stop = 0; stop < 5; stop++) {
        uint32_t delay_ms = 0;

        trial_reset(&trial, t, answers, CHECK_COUNT(answers));
        TRY(trial_begin(&trial));
        for (int i = 0; i < stop; i++) {
            EXPECT(SURETY_MORE,
                   surety_run_step(trial.run,
                                   (surety_now){trial.fake.now_ms, 5},
                                   &delay_ms, NULL));
            if (!trial.fake.active)
                trial.fake.now_ms += delay_ms;
            TRY(fake_wait(&trial.fake, 0, NULL));
        }
        surety_run_cancel(trial.run, (surety_now){trial.fake.now_ms, 5});
        CHECK(!trial.fake.active);
        CHECK(trial.fake.begun == trial.fake.calls &&
              trial.fake.finished == trial.fake.calls);
        EXPECT(SURETY_OK,
               surety_run_step(trial.run, (surety_now){trial.fake.now_ms, 5},
                               &delay_ms, NULL));
        CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_CANCELLED);
        CHECK(stop < 3 ||
              holds(trial.fake.finishes[1], "cancelled|cancelled|"));
    }
done:
    trial_close(&trial);
}

TEST(closes_what_is_under_way)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = "{\"choices\":[", .stalls = true}};
    struct trial trial;
    uint32_t delay_ms = 0;

    TRY(trial_open(&trial, t, NULL, answers, CHECK_COUNT(answers)));
    TRY(trial_begin(&trial));
    EXPECT(SURETY_MORE,
           surety_run_step(trial.run, (surety_now){5, 5}, &delay_ms, NULL));
    CHECK(delay_ms == 1200000);
    CHECK(trial.fake.active);
    surety_run_free(trial.run);
    trial.run = NULL;
    CHECK(t->starved || (!trial.fake.active && trial.fake.finished == 1));
done:
    trial_close(&trial);
}

TEST(tells_of_a_call_that_cannot_be_made)
{
    static const struct fake_answer answers[] = {{.refused = true}};
    struct trial trial;

    TRY(trial_open(&trial, t, NULL, answers, CHECK_COUNT(answers)));
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_PROVIDER);
    CHECK(decided(trial.run, 0, "no such door"));
    CHECK(holds(trial.fake.finishes[0], "failed|request|"));
    CHECK(surety_run_info_of(trial.run)->usage.known);
done:
    trial_close(&trial);
}

TEST(does_without_a_contract)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS("")},
        {.status = 200, .body = SAYS("Three.")}};
    struct trial trial;

    TRY(trial_open(&trial, t, NULL, answers, CHECK_COUNT(answers)));
    trial.models[0].mode = SURETY_MODE_AUTO;
    trial.options.system = surety_str_of("Be brief.");
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(trial.fake.calls == 2);
    CHECK(surety_run_attempt(trial.run, 1).mode == SURETY_MODE_PROMPT);
    CHECK_TEXT(surety_run_attempt(trial.run, 1).prompt, "How many?");
    CHECK(holds(trial.fake.bodies[1], "Be brief."));
    CHECK_TEXT(surety_run_info_of(trial.run)->reply_last, "Three.");
    CHECK(!surety_run_info_of(trial.run)->outcome);
done:
    trial_close(&trial);
}

/* Knows of no exchange. */
static void forget(void *ctx, uint64_t id)
{
    struct fake *fake = ctx;

    (void)id;
    fake->active = false;
}

TEST(ends_an_exchange_that_is_lost)
{
    static const struct fake_answer answers[] = {{.stalls = true}};
    struct trial trial;

    TRY(trial_open(&trial, t, NULL, answers, CHECK_COUNT(answers)));
    trial.fake.transport.cancel = forget;
    TRY(trial_begin(&trial));
    EXPECT(SURETY_MORE,
           surety_run_step(trial.run, (surety_now){5000, 70000}, NULL, NULL));
    surety_run_cancel(trial.run, (surety_now){5100, 70100});
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_CANCELLED);
    /* Telling itself may have had no memory. */
    if (!t->starved) {
        CHECK_TEXT(surety_run_attempt(trial.run, 0).decision,
                   "the call was stopped (the transport does not know the "
                   "exchange): the run was "
                   "cancelled");
        CHECK(!surety_run_info_of(trial.run)->usage.known);
    }
done:
    trial_close(&trial);
}

/* A clock that goes back is one that stands still; who waits need not be told
 * how long. */
TEST(keeps_its_time)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS("Three.")}};
    struct trial trial;
    surety_attempt attempt;

    TRY(trial_open(&trial, t, NULL, answers, CHECK_COUNT(answers)));
    TRY(trial_begin(&trial));
    EXPECT(SURETY_MORE,
           surety_run_step(trial.run, (surety_now){5000, 70000}, NULL, NULL));
    (void)fake_wait(&trial.fake, 0, NULL);
    TRY(surety_run_step(trial.run, (surety_now){400, 60000}, NULL, NULL));
    TRY(surety_run_step(trial.run, (surety_now){9000, 90000}, NULL, NULL));
    attempt = surety_run_attempt(trial.run, 0);
    CHECK(attempt.started_ms == 5000 && attempt.first_byte_ms == 5000);
    CHECK(attempt.ended_ms == 5000);
done:
    trial_close(&trial);
}

/* Ways in which what is asked for cannot be run. */
static void no_model(struct trial *trial)
{
    trial->options.model_count = 0;
}

static void no_models(struct trial *trial)
{
    trial->options.models = NULL;
}

static void second_of_other_size(struct trial *trial)
{
    trial->options.model_count = 2;
    trial->models[1].size--;
}

static void no_transport(struct trial *trial)
{
    trial->models[0].transport = NULL;
}

static void no_start(struct trial *trial)
{
    trial->fake.transport.start = NULL;
}

static void no_cancel(struct trial *trial)
{
    trial->fake.transport.cancel = NULL;
}

static void no_wait(struct trial *trial)
{
    trial->fake.transport.wait = NULL;
}

static void newer_transport(struct trial *trial)
{
    trial->fake.transport.version = 4;
}

static void other_protocol(struct trial *trial)
{
    trial->models[0].protocol = (surety_protocol)(SURETY_PROTOCOL_TEXT + 1);
}

static void other_mode(struct trial *trial)
{
    trial->models[0].mode = (surety_mode)(SURETY_MODE_PROMPT + 1);
}

static void mode_of_others(struct trial *trial)
{
    trial->models[0].protocol = SURETY_PROTOCOL_TEXT;
    trial->models[0].mode = SURETY_MODE_NATIVE;
}

static void no_price(struct trial *trial)
{
    trial->options.budget.cost_picousd_max = 1;
}

static void newer_ledger(struct trial *trial)
{
    trial->fake.ledger.version = 3;
}

static void prompt_nowhere(struct trial *trial)
{
    trial->options.prompt.ptr = NULL;
}

static void system_nowhere(struct trial *trial)
{
    trial->options.system = (surety_str){NULL, 1};
}

static void long_name(struct trial *trial)
{
    static const char name[] =
        "a name of a model that is longer than the 80 characters that are told "
        "of one in messages";

    trial->models[0].name = surety_str_of(name);
    trial->models[0].transport = NULL;
}

TEST(says_what_it_cannot_run)
{
    static const char no_door[] =
        "the model m has no transport of version 1 to 3";
    static const char no_such[] = "the model m has an unknown protocol or mode";
    static const char nowhere[] = "an option has a length but no address";
    static const struct {
        void (*change)(struct trial *trial);
        const char *message, *hint;
    } cases[] = {
        {no_model, "a run needs a model", ""},
        {no_models, "a run needs a model", ""},
        {no_transport, no_door, ""},
        {no_start, no_door, ""},
        {no_cancel, no_door, ""},
        {no_wait, no_door, ""},
        {newer_transport, no_door, ""},
        {other_protocol, no_such, ""},
        {other_mode, no_such, ""},
        {mode_of_others,
         "the model m cannot be called in mode native: the protocol text does "
         "not have it",
         "use mode auto or prompt"},
        {no_price, "a budget of money needs prices, and the model m has none",
         "give its prices in the configuration"},
        {newer_ledger, "the ledger has the version 3, not 1 or 2", ""},
        {prompt_nowhere, nowhere, ""},
        {system_nowhere, nowhere, ""},
        {long_name,
         "the model a name of a model that is longer than the 80 characters "
         "that are told of one in  has no transport of version 1 to 3",
         ""},
    };
    struct trial trial;
    surety_error err;

    TRY(trial_open(&trial, t, NULL, NULL, 0));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        trial_reset(&trial, t, NULL, 0);
        cases[i].change(&trial);
        EXPECT(SURETY_MISUSE, surety_run_new(&trial.options, &trial.run, &err));
        CHECK_TEXT(surety_str_of(err.message), cases[i].message);
        CHECK_TEXT(surety_str_of(err.hint), cases[i].hint);
    }
    trial_reset(&trial, t, NULL, 0);
    second_of_other_size(&trial);
    EXPECT(SURETY_MISUSE, surety_run_new(&trial.options, &trial.run, &err));
    CHECK(holds(err.message, "the model other has the size "));
    CHECK_TEXT(surety_str_of(err.hint),
               "set the member size to sizeof(surety_model)");
    trial_reset(&trial, t, NULL, 0);
    EXPECT(SURETY_MISUSE, surety_run_new(NULL, &trial.run, &err));
    CHECK_TEXT(surety_str_of(err.message),
               "options and an address for the run are needed");
    EXPECT(SURETY_MISUSE, surety_run_new(&trial.options, NULL, &err));
    CHECK_TEXT(surety_str_of(err.message),
               "options and an address for the run are needed");
    trial.options.seed = 0;
    TRY(surety_run_new(&trial.options, &trial.run, &err));
done:
    trial_close(&trial);
}

/* Counts what a caller with many runs is woken by. */
static void machine_count(void *ctx)
{
    ++*(unsigned *)ctx;
}

/* The law of ready: a run that is stepped only when it was called, or its delay
 * has passed, ends as every other, and the delay is never what it waits for
 * while an exchange is under way. */
static void machine_ready(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS("no JSON")},
        {.status = 200, .body = SAYS("{\\\"sum\\\":3}")}};
    struct trial trial;
    unsigned ready = 0, seen = 0, steps = 0;
    surety_status status;

    TRY(trial_open(&trial, t, "{\"required\":[\"sum\"]}", answers,
                   CHECK_COUNT(answers)));
    trial.options.ready = machine_count;
    trial.options.ready_ctx = &ready;
    TRY(trial_begin(&trial));
    do {
        uint32_t delay_ms = 0;
        const surety_now now = {trial.fake.now_ms, 1700000000000};

        status = surety_run_step(trial.run, now, &delay_ms, NULL);
        steps++;
        seen = ready;
        if (status == SURETY_MORE)
            TRY(fake_wait(&trial.fake, delay_ms, NULL));
    } while (status == SURETY_MORE && ready > seen);
    TRY(status);
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(steps == 3 && ready >= 2);
    /* Nothing is called for a run that is freed. */
    trial_reset(&trial, t, answers, 1);
    trial.options.ready = machine_count;
    trial.options.ready_ctx = &ready;
    TRY(trial_begin(&trial));
    status = surety_run_step(trial.run, (surety_now){1000, 1}, NULL, NULL);
    TRY(status == SURETY_MORE ? SURETY_OK : status);
    seen = ready;
    surety_run_free(trial.run);
    trial.run = NULL;
    CHECK(trial.fake.cancelled == 1 && ready == seen);
done:
    trial_close(&trial);
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
        {"ends an exchange that is lost", ends_an_exchange_that_is_lost},
        {"keeps its time", keeps_its_time},
        {"a run says when it is ready", machine_ready},
        {"says what it cannot run", says_what_it_cannot_run},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
