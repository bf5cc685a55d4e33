/* SPDX-License-Identifier: Apache-2.0 */
/* Validators of the host in a run: what one refuses is asked for again, one
 * that is not done is waited for, and one that fails ends the run. */
#include "check.h"
#include "run_fake.h"

#include <surety/consensus.h>

static const char contract_text[] =
    "{\"type\":\"object\",\"required\":[\"n\"],\"properties\":{\"n\":{\"type\":"
    "\"integer\"}},\"x-surety\":{\"name\":\"c\"}}";

/* Says no to so many questions, then yes. */
struct guard {
    size_t noes;
    size_t waits; /* before each answer; SIZE_MAX: for ever */
    size_t waited;
    surety_status fails; /* at the question behind the noes */
    size_t asked, answered;
};

static surety_status guard_validate(void *ctx,
                                    const surety_validation *validation,
                                    surety_error *reterr)
{
    struct guard *guard = ctx;

    guard->asked++;
    if (guard->waited < guard->waits) {
        guard->waited += guard->waits != SIZE_MAX;
        return SURETY_MORE;
    }
    guard->waited = 0;
    guard->answered++;
    if (guard->answered <= guard->noes)
        return surety_validation_add(validation, surety_str_of("/n"),
                                     surety_str_of("is not the number"),
                                     surety_str_of("think of it"));
    if (guard->fails)
        memcpy(reterr->message, "gone", 5);
    return guard->fails;
}

struct world {
    struct trial trial;
    struct guard guard;
    surety_validator validator;
    surety_judge_options judge;
};

static surety_status world_open(struct world *world, struct check *t,
                                const char *contract,
                                const struct fake_answer *answers, size_t count)
{
    world->guard = (struct guard){.noes = 0};
    world->validator = (surety_validator){.name = surety_str_of("guard"),
                                          .validate = guard_validate,
                                          .ctx = &world->guard};
    world->judge = (surety_judge_options){.size = sizeof(world->judge),
                                          .validators = &world->validator,
                                          .validator_count = 1};
    return trial_open(&world->trial, t, contract, answers, count);
}

static surety_status world_go(struct world *world)
{
    world->trial.options.judge = &world->judge;
    return trial_go(&world->trial);
}

static surety_run_verdict world_verdict(const struct world *world)
{
    return surety_run_info_of(world->trial.run)->verdict;
}

static const struct fake_answer three[] = {
    {.status = 200, .body = SAYS("{\\\"n\\\":1}")},
    {.status = 200, .body = SAYS("{\\\"n\\\":2}")},
    {.status = 200, .body = SAYS("{\\\"n\\\":3}")},
    {.status = 200, .body = SAYS("{\\\"n\\\":4}")},
};
static const struct fake_answer same[] = {
    {.status = 200, .body = SAYS("{\\\"n\\\":1}")},
    {.status = 200, .body = SAYS("{\\\"n\\\":1}")},
    {.status = 200, .body = SAYS("{\\\"n\\\":1}")},
    {.status = 200, .body = SAYS("{\\\"n\\\":1}")},
};

/* Where the third reply is taken, three calls were made, whether each answer
 * came at once or later, and whether the replies differ or not. */
TEST(is_asked_for_again)
{
    struct world world;

    TRY(world_open(&world, t, contract_text, three, CHECK_COUNT(three)));
    for (size_t i = 0; i < 4; i++) {
        struct trial *trial = &world.trial;

        trial_reset(trial, t, i % 2 ? same : three, CHECK_COUNT(three));
        world.guard = (struct guard){.noes = 2, .waits = i / 2 * 3};
        TRY(world_go(&world));
        CHECK(world_verdict(&world) == SURETY_RUN_VALID);
        CHECK(trial->fake.calls == 3);
        CHECK(world.guard.answered == 3);
        CHECK(world.guard.asked == 3 + 3 * world.guard.waits);
        CHECK_JSON(
            surety_outcome_info_of(surety_run_info_of(trial->run)->outcome)
                ->value,
            i % 2 ? "{\"n\":1}" : "{\"n\":3}");
        CHECK(strstr(trial->fake.bodies[1], "/n") != NULL);
        CHECK(strstr(trial->fake.bodies[1], "is not the number") != NULL);
        CHECK(strstr(trial->fake.bodies[1], "think of it") != NULL);
        CHECK(!strncmp(trial->fake.finishes[0], "done||validation||", 18));
        CHECK(strstr(trial->fake.finishes[0], "validator at /n") != NULL);
        CHECK(trial->fake.begun == 3 && trial->fake.finished == 3);
    }
done:
    trial_close(&world.trial);
}

/* One that never says yes; with a fallback, which costs it no question. */
TEST(is_never_overruled)
{
    static const char falls[] =
        "{\"type\":\"object\",\"x-surety\":{\"name\":\"c\",\"fallback\":{"
        "\"kind\":\"value\",\"value\":{\"n\":0}}}}";
    struct world world;

    TRY(world_open(&world, t, contract_text, three, CHECK_COUNT(three)));
    world.guard.noes = SIZE_MAX;
    TRY(world_go(&world));
    CHECK(world_verdict(&world) == SURETY_RUN_REJECTED);
    CHECK(world.trial.fake.calls == 3);
    trial_close(&world.trial);
    TRY(world_open(&world, t, falls, three, CHECK_COUNT(three)));
    /* It would say yes to a fourth question. */
    world.guard.noes = 3;
    TRY(world_go(&world));
    CHECK(world_verdict(&world) == SURETY_RUN_FALLBACK);
    CHECK(world.guard.asked == 3);
    CHECK_JSON(
        surety_outcome_info_of(surety_run_info_of(world.trial.run)->outcome)
            ->value,
        "{\"n\":0}");
done:
    trial_close(&world.trial);
}

/* What fails is the host's: no other reply, no model, no fallback and no part
 * was taken instead. */
TEST(ends_where_it_fails)
{
    static const char falls[] =
        "{\"type\":\"object\",\"x-surety\":{\"name\":\"c\",\"fallback\":{"
        "\"kind\":\"value\",\"value\":{\"n\":0}}}}";
    struct world world;
    surety_buf out;
    bool good = false;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(world_open(&world, t, falls, three, CHECK_COUNT(three)));
    world.guard = (struct guard){.noes = 1, .fails = SURETY_IO};
    world.trial.options.model_count = 2;
    TRY(world_go(&world));
    CHECK(world_verdict(&world) == SURETY_RUN_VALIDATOR);
    CHECK(world.trial.fake.calls == 2);
    CHECK_TEXT(surety_run_info_of(world.trial.run)->message,
               "the validator guard failed: gone");
    CHECK(surety_run_info_of(world.trial.run)->hint.len > 0);
    CHECK(strstr(world.trial.fake.finishes[1],
                 "the reply was not judged (the validator guard failed: gone)"
                 ": the run ends") != NULL);
    CHECK(!surety_run_attempt(world.trial.run, 1).judged);
    CHECK_TEXT(surety_run_info_of(world.trial.run)->reply_last, "{\"n\":2}");
    TRY(surety_run_write(world.trial.run, SURETY_REPORT_JSON, surety_str_of(""),
                         &out));
    TRY(check_report(t, "surety/report", surety_buf_str(&out), &good));
    CHECK(good);
done:
    surety_buf_done(&out);
    trial_close(&world.trial);
}

/* A run that waits can be cancelled, and its time can run out; the row of its
 * reply is completed in both. */
TEST(is_not_waited_for_for_ever)
{
    struct world world;
    uint32_t delay_ms = 0;

    TRY(world_open(&world, t, contract_text, three, CHECK_COUNT(three)));
    world.guard.waits = SIZE_MAX;
    world.trial.options.budget.ms_max = 500;
    TRY(world_go(&world));
    CHECK(world_verdict(&world) == SURETY_RUN_BUDGET);
    CHECK(world.trial.fake.calls == 1 && world.trial.fake.finished == 1);
    CHECK(strstr(world.trial.fake.finishes[0],
                 "the reply cannot be judged (a validator is not done): the "
                 "budget of 500 ms is spent") != NULL);

    trial_reset(&world.trial, t, three, CHECK_COUNT(three));
    world.trial.options.judge = &world.judge;
    TRY(trial_begin(&world.trial));
    for (int i = 0; i < 5; i++) {
        const surety_now now = {1000 + (uint64_t)i, 1700000000000};

        EXPECT(SURETY_MORE,
               surety_run_step(world.trial.run, now, &delay_ms, NULL));
        (void)fake_wait(&world.trial.fake, 0, NULL);
    }
    CHECK(delay_ms > 0 && delay_ms <= 50);
    surety_run_cancel(world.trial.run, (surety_now){2000, 1700000001000});
    CHECK(world_verdict(&world) == SURETY_RUN_CANCELLED || t->starved);
    CHECK(world.trial.fake.finished == 1);
    CHECK(t->starved || strstr(world.trial.fake.finishes[0],
                               "was not judged: the run was cancelled"));
done:
    trial_close(&world.trial);
}

/* Replies that are judged in other ways wait, too: a structured value that is
 * restored, a patch, and a part. */
TEST(waits_in_every_judgement)
{
    static const char open_text[] =
        "{\"type\":\"object\",\"required\":[\"n\"],\"properties\":{\"n\":{"
        "\"type\":\"integer\"},\"o\":{\"type\":\"string\"}},"
        "\"additionalProperties\":false,\"x-surety\":{\"name\":\"c\","
        "\"retry\":{\"feedback\":\"patch\"}}}";
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS("{\\\"n\\\":1,\\\"o\\\":null}")},
        {.status = 200,
         .body = SAYS("[{\\\"op\\\":\\\"replace\\\",\\\"path\\\":\\\"/"
                      "n\\\",\\\"value\\\":2}]")},
        {.status = 200, .body = SAYS("{\\\"n\\\":3,\\\"o\\\":null}")},
    };
    static const struct fake_answer cut[] = {
        {.status = 200,
         .body = CUT("```json\\n{\\\"n\\\":8}\\n```\\n```json\\n{\\\"n\\\":")},
        {.status = 200, .body = SAYS("{\\\"n\\\":3}")},
    };
    struct world world;

    TRY(world_open(&world, t, open_text, answers, CHECK_COUNT(answers)));
    for (size_t waits = 0; waits < 3; waits++) {
        trial_reset(&world.trial, t, answers, CHECK_COUNT(answers));
        world.guard = (struct guard){.noes = 1, .waits = waits};
        world.trial.models[0].mode = SURETY_MODE_NATIVE;
        TRY(world_go(&world));
        CHECK(world_verdict(&world) == SURETY_RUN_VALID);
        CHECK_JSON(
            surety_outcome_info_of(surety_run_info_of(world.trial.run)->outcome)
                ->value,
            "{\"n\":2}");
        CHECK(world.trial.fake.calls == 2 && world.guard.answered == 2);
    }
    world.judge.partial = true;
    for (size_t waits = 0; waits < 3; waits++) {
        trial_reset(&world.trial, t, cut, CHECK_COUNT(cut));
        world.guard = (struct guard){.noes = 0, .waits = waits};
        TRY(world_go(&world));
        CHECK(world_verdict(&world) == SURETY_RUN_VALID);
        CHECK(world.trial.fake.calls == 2);
    }
    /* And one that fails there ends it there. */
    trial_reset(&world.trial, t, cut, CHECK_COUNT(cut));
    world.guard = (struct guard){.noes = 0, .fails = SURETY_IO};
    TRY(world_go(&world));
    CHECK(world_verdict(&world) == SURETY_RUN_VALIDATOR);
done:
    trial_close(&world.trial);
}

TEST(needs_its_validators)
{
    struct world world;

    TRY(world_open(&world, t, contract_text, three, CHECK_COUNT(three)));
    world.judge.validators = NULL;
    EXPECT(SURETY_MISUSE, world_go(&world));
done:
    trial_close(&world.trial);
}

/* ---- several at once ----------------------------------------------------- */

enum { VOTERS = 3 };

struct votes {
    struct fake fakes[VOTERS];
    surety_model models[VOTERS];
    struct guard guard;
    surety_validator validator;
    surety_judge_options judge;
    surety_run_options run;
    surety_contract *contract;
    surety_consensus *consensus;
};

static surety_status votes_go(struct votes *votes, struct check *t,
                              struct guard guard)
{
    surety_consensus_options options = {.size = sizeof(options),
                                        .kind = SURETY_CONSENSUS_VOTE,
                                        .run = &votes->run};
    surety_status status;

    surety_consensus_free(votes->consensus);
    votes->consensus = NULL;
    votes->guard = guard;
    votes->validator = (surety_validator){.name = surety_str_of("guard"),
                                          .validate = guard_validate,
                                          .ctx = &votes->guard};
    votes->judge = (surety_judge_options){.size = sizeof(votes->judge),
                                          .validators = &votes->validator,
                                          .validator_count = 1};
    for (size_t i = 0; i < VOTERS; i++) {
        fake_init(&votes->fakes[i], &three[i], 1);
        votes->models[i] = fake_model(&votes->fakes[i], "m");
    }
    votes->run =
        fake_options(t, &votes->fakes[0], votes->contract, votes->models, 3);
    votes->run.ledger = NULL;
    votes->run.event = NULL;
    votes->run.retry_max = SURETY_RUN_NONE;
    votes->run.judge = &votes->judge;
    status = surety_consensus_new(&options, &votes->consensus, NULL);
    for (uint64_t i = 1; status == SURETY_OK && i < 200; i++) {
        const surety_now now = {1000 + 10 * i, 1700000000000};
        uint32_t delay_ms = 0;

        status = surety_consensus_step(votes->consensus, now, &delay_ms, NULL);
        if (status != SURETY_MORE)
            return status;
        for (size_t k = 0; k < VOTERS; k++)
            (void)fake_wait(&votes->fakes[k], 0, NULL);
        status = SURETY_OK;
    }
    return status == SURETY_OK ? SURETY_TIMEOUT : status;
}

/* What is merged is asked about, too; a failure anywhere is the end. */
TEST(stands_over_a_consensus)
{
    struct votes votes = {.contract = NULL};

    TRY(check_contract(t, contract_text, &votes.contract));
    for (size_t waits = 0; waits < 3; waits++) {
        TRY(votes_go(&votes, t, (struct guard){.waits = waits}));
        CHECK(surety_consensus_info_of(votes.consensus)->verdict ==
              SURETY_RUN_VALID);
        /* Three members, and what they come to. */
        CHECK(votes.guard.answered == 4);
    }
    /* All are refused. */
    TRY(votes_go(&votes, t, (struct guard){.noes = SIZE_MAX}));
    CHECK(surety_consensus_info_of(votes.consensus)->verdict ==
          SURETY_RUN_REJECTED);
    /* The first of three; the last; what they come to. */
    for (size_t noes = 0; noes < 4; noes++) {
        votes.guard = (struct guard){.noes = 0};
        TRY(votes_go(&votes, t,
                     (struct guard){.noes = noes, .fails = SURETY_IO}));
        CHECK(surety_consensus_info_of(votes.consensus)->verdict ==
              (noes < 3 ? SURETY_RUN_VALIDATOR : SURETY_RUN_REJECTED));
        CHECK_JSON(surety_consensus_info_of(votes.consensus)->value, "");
    }
done:
    surety_consensus_free(votes.consensus);
    surety_contract_free(votes.contract);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"is asked for again", is_asked_for_again},
        {"is never overruled", is_never_overruled},
        {"ends where it fails", ends_where_it_fails},
        {"is not waited for for ever", is_not_waited_for_for_ever},
        {"waits in every judgement", waits_in_every_judgement},
        {"needs its validators", needs_its_validators},
        {"stands over a consensus", stands_over_a_consensus},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
