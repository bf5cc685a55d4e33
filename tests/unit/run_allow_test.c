/* SPDX-License-Identifier: Apache-2.0 */
/* The caller's leave to call a model. The law: what is sent is what was
 * allowed, call for call, whatever the caller says. */
#include "check.h"
#include "run_fake.h"

#define SUM "{\\\"sum\\\":3}"
#define WRONG "{\\\"n\\\":3}"

static const char contract_sum[] = "{\"required\":[\"sum\"]}";
static const char contract_null[] =
    "{\"required\":[\"sum\"],\"x-surety\":{\"name\":\"sum\",\"version\":"
    "\"1.0.0\",\"fallback\":{\"kind\":\"null\"}}}";

/* What the caller says, one after the other. */
typedef struct leave {
    const surety_status *says;
    size_t count, asked, given;
    uint32_t last; /* the number of the last call */
    const surety_model *model;
} leave;

static surety_status leave_ask(void *ctx, const surety_model *model,
                               uint32_t call, surety_error *reterr)
{
    leave *own = ctx;
    const surety_status status =
        own->asked < own->count ? own->says[own->asked] : SURETY_OK;

    own->asked++;
    own->given += status == SURETY_OK;
    own->last = call;
    own->model = model;
    if (status < 0 || status == SURETY_END) {
        *reterr = (surety_error){.status = status};
        memcpy(reterr->message, "not today", 10);
    }
    return status;
}

/* Steps the run to its end, also where it waits for leave. */
static surety_status leave_go(struct trial *trial)
{
    for (unsigned i = 0; i < 10000; i++) {
        uint32_t delay_ms = 0;
        const surety_now now = {trial->fake.now_ms, 1700000000000};
        const surety_status status =
            surety_run_step(trial->run, now, &delay_ms, NULL);

        if (status != SURETY_MORE)
            return status;
        trial->fake.now_ms += delay_ms < 100 ? delay_ms : 100;
        (void)fake_wait(&trial->fake, delay_ms, NULL);
    }
    return SURETY_TIMEOUT;
}

static void leave_take(struct trial *trial, leave *own,
                       const surety_status *says, size_t count)
{
    *own = (leave){.says = says, .count = count};
    trial->options.allow = leave_ask;
    trial->options.allow_ctx = own;
}

TEST(is_asked_until_it_is_given)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(WRONG)},
        {.status = 200, .body = SAYS(SUM)}};
    static const surety_status says[] = {SURETY_MORE, SURETY_MORE, SURETY_OK,
                                         SURETY_MORE, SURETY_OK};
    struct trial trial;
    leave own;

    TRY(trial_open(&trial, t, contract_sum, answers, CHECK_COUNT(answers)));
    leave_take(&trial, &own, says, CHECK_COUNT(says));
    TRY(trial_begin(&trial));
    TRY(leave_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(own.asked == 5 && own.last == 2 && trial.fake.calls == 2 &&
          trial.fake.begun == 2);
done:
    trial_close(&trial);
}

TEST(passes_a_model_over)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(SUM)}};
    static const surety_status says[] = {SURETY_END, SURETY_OK};
    static const surety_status none[] = {SURETY_END, SURETY_END};
    struct trial trial;
    leave own;

    TRY(trial_open(&trial, t, contract_sum, answers, CHECK_COUNT(answers)));
    trial.options.model_count = 2;
    leave_take(&trial, &own, says, CHECK_COUNT(says));
    TRY(trial_begin(&trial));
    TRY(leave_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(surety_run_attempt(trial.run, 0).model == &trial.models[1]);
    CHECK(own.model == &trial.models[1] && trial.fake.calls == 1);
    trial_reset(&trial, t, answers, 1);
    trial.options.model_count = 2;
    leave_take(&trial, &own, none, CHECK_COUNT(none));
    TRY(trial_begin(&trial));
    TRY(leave_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_PROVIDER);
    CHECK_TEXT(surety_run_info_of(trial.run)->message, "not today");
    CHECK(own.asked == 2 && trial.fake.calls == 0 && trial.fake.begun == 0);
done:
    trial_close(&trial);
}

TEST(ends_the_run_without_it)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(WRONG)},
        {.status = 200, .body = SAYS(SUM)}};
    static const surety_status says[] = {SURETY_OK, SURETY_LIMIT};
    struct trial trial;
    char message[1024];
    leave own;

    TRY(trial_open(&trial, t, contract_sum, answers, CHECK_COUNT(answers)));
    leave_take(&trial, &own, says, CHECK_COUNT(says));
    TRY(trial_begin(&trial));
    TRY(leave_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_BUDGET);
    fake_copy(message, sizeof(message), surety_run_info_of(trial.run)->message);
    CHECK(strstr(message, "not today"));
    CHECK(trial.fake.calls == 1 && trial.fake.finished == 1);
    trial_close(&trial);
    TRY(trial_open(&trial, t, contract_null, answers, CHECK_COUNT(answers)));
    leave_take(&trial, &own, says, CHECK_COUNT(says));
    TRY(trial_begin(&trial));
    TRY(leave_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_FALLBACK);
    CHECK(trial.fake.calls == 1);
done:
    trial_close(&trial);
}

/* Random words of the caller, over models that fail and answer wrongly. */
TEST(law_of_calls)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(WRONG)},
        {.status = 503, .body = FAILS("server_error", "overloaded")},
        {.status = 200, .body = SAYS(WRONG)},
        {.status = 200, .body = SAYS(SUM)}};
    static const surety_status words[] = {
        SURETY_OK, SURETY_OK, SURETY_OK, SURETY_MORE, SURETY_END, SURETY_LIMIT};
    surety_status says[12];
    struct trial trial;
    uint32_t seed = 1;
    leave own;

    TRY(trial_open(&trial, t, contract_sum, answers, CHECK_COUNT(answers)));
    for (unsigned round = 0; round < 300; round++) {
        for (size_t i = 0; i < CHECK_COUNT(says); i++) {
            seed = seed * 1664525 + 1013904223;
            says[i] = words[(seed >> 16) % CHECK_COUNT(words)];
        }
        trial_reset(&trial, t, answers, CHECK_COUNT(answers));
        trial.options.model_count = 2;
        leave_take(&trial, &own, says, CHECK_COUNT(says));
        TRY(trial_begin(&trial));
        TRY(leave_go(&trial));
        CHECK(surety_run_info_of(trial.run)->verdict != SURETY_RUN_PENDING);
        CHECK(trial.fake.calls == own.given && trial.fake.begun == own.given &&
              trial.fake.finished == own.given);
    }
done:
    trial_close(&trial);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"leave is asked for until it is given", is_asked_until_it_is_given},
        {"a model is passed over", passes_a_model_over},
        {"a run without leave ends", ends_the_run_without_it},
        {"law: what is sent was allowed", law_of_calls},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
