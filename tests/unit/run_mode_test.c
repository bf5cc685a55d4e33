/* SPDX-License-Identifier: Apache-2.0 */
/* Modes and patches: in which mode a model is asked, what becomes of the value
 * that its API delivers, and of a patch. */
#include "check.h"
#include "run_fake.h"

#define SAYS(text)                                                             \
    "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"" text              \
    "\"},\"finish_reason\":\"stop\"}]}"
#define CALLS(text)                                                            \
    "{\"choices\":[{\"index\":0,\"message\":{\"content\":null,\"tool_calls\":" \
    "[{\"id\":\"t\",\"type\":\"function\",\"function\":{\"name\":\"reply\","   \
    "\"arguments\":\"" text "\"}}]},\"finish_reason\":\"tool_calls\"}]}"
#define UNTAKEN                                                                \
    "{\"error\":{\"type\":\"invalid_request_error\",\"code\":"                 \
    "\"unsupported_parameter\",\"message\":\"'response_format' is not "        \
    "supported with this model.\",\"param\":\"response_format\"}}"

#define SCHEMA                                                                 \
    "\"type\":\"object\",\"required\":[\"n\"],\"properties\":{\"n\":{"         \
    "\"type\":\"integer\",\"maximum\":10},\"o\":{\"type\":\"string\"}},"       \
    "\"additionalProperties\":false"

static const char mode_contract[] =
    "{" SCHEMA ",\"x-surety\":{\"name\":\"count\"}}";
static const char mode_fenced[] =
    "{" SCHEMA ",\"x-surety\":{\"extract\":{\"from\":[\"fence\"]}}}";
static const char mode_patch[] =
    "{" SCHEMA ",\"x-surety\":{\"retry\":{\"max\":3,\"feedback\":\"patch\"}}}";

static surety_status mode_read(struct check *t, const char *text,
                               surety_contract **ret_contract)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .alloc = check_alloc(t)};

    return surety_contract_read(surety_str_of(text), &options, ret_contract,
                                NULL);
}

/* Runs one model in a mode. */
static surety_status mode_run(struct check *t, struct fake *fake,
                              const surety_contract *contract, surety_mode mode,
                              surety_run **ret_run)
{
    surety_run_options options;
    surety_status status;

    fake->model = fake_model(fake, "m");
    fake->model.mode = mode;
    options = fake_options(t, fake, contract, &fake->model, 1);
    status = surety_run_new(&options, ret_run, NULL);
    return status == SURETY_OK ? fake_go(fake, *ret_run, NULL) : status;
}

/* The value of a valid run, as text. */
static bool mode_gives(const surety_run *run, const char *want)
{
    surety_buf out;
    bool same;

    surety_buf_init(&out, NULL, 0);
    (void)surety_val_write(surety_outcome_value(surety_run_outcome(run)),
                           SURETY_STYLE_COMPACT, &out);
    same = surety_run_verdict_of(run) == SURETY_RUN_VALID &&
           surety_str_equal(surety_buf_str(&out), surety_str_of(want));
    if (!same)
        printf("# %s: %.*s\n",
               surety_run_verdict_name(surety_run_verdict_of(run)),
               (int)out.len, out.ptr ? out.ptr : "");
    surety_buf_done(&out);
    return same;
}

TEST(takes_structured_values)
{
    static const struct {
        surety_mode mode;
        struct fake_answer answer;
        const char *value;
    } cases[] = {
        /* An optional property becomes nullable on the way, and is taken out
         * again. */
        {SURETY_MODE_AUTO,
         {.status = 200, .body = SAYS("{\\\"n\\\":3,\\\"o\\\":null}")},
         "{\"n\":3}"},
        {SURETY_MODE_NATIVE,
         {.status = 200, .body = SAYS("{\\\"n\\\":3,\\\"o\\\":\\\"x\\\"}")},
         "{\"n\":3,\"o\":\"x\"}"},
        {SURETY_MODE_TOOL,
         {.status = 200, .body = CALLS("{\\\"n\\\":4,\\\"o\\\":null}")},
         "{\"n\":4}"},
        /* Text instead of what was asked for. */
        {SURETY_MODE_TOOL,
         {.status = 200,
          .body =
              SAYS("Here: ```json\\n{\\\"n\\\":5}\\n``` and {\\\"n\\\":5}")},
         "{\"n\":5}"},
        {SURETY_MODE_NATIVE,
         {.status = 200, .body = SAYS("Sure!\\n```json\\n{\\\"n\\\":6}\\n```")},
         "{\"n\":6}"},
    };
    surety_contract *contract = NULL;
    surety_run *run = NULL;
    struct fake fake;

    TRY(mode_read(t, mode_contract, &contract));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        fake_init(&fake, &cases[i].answer, 1);
        TRY(mode_run(t, &fake, contract, cases[i].mode, &run));
        CHECK(mode_gives(run, cases[i].value));
        CHECK(cases[i].mode == SURETY_MODE_TOOL ||
              strstr(fake.bodies[0], "json_schema"));
        CHECK(cases[i].mode != SURETY_MODE_TOOL ||
              strstr(fake.bodies[0], "tool_choice"));
        surety_run_free(run);
        run = NULL;
    }
done:
    surety_run_free(run);
    surety_contract_free(contract);
}

TEST(goes_down_the_ladder)
{
    static const struct fake_answer answers[] = {
        {.status = 400, .body = UNTAKEN},
        {.status = 400, .body = UNTAKEN},
        {.status = 200, .body = SAYS("{\\\"n\\\":3}")}};
    surety_contract *contract = NULL;
    surety_run *run = NULL;
    struct fake fake;

    TRY(mode_read(t, mode_contract, &contract));
    fake_init(&fake, answers, CHECK_COUNT(answers));
    TRY(mode_run(t, &fake, contract, SURETY_MODE_AUTO, &run));
    CHECK(mode_gives(run, "{\"n\":3}"));
    CHECK(surety_run_attempt(run, 0).mode == SURETY_MODE_NATIVE);
    CHECK(surety_run_attempt(run, 1).mode == SURETY_MODE_TOOL);
    CHECK(surety_run_attempt(run, 2).mode == SURETY_MODE_PROMPT);
    CHECK_TEXT(surety_run_attempt(run, 2).purpose, "ask");
    surety_run_free(run);
    run = NULL;
    /* A mode that was asked for stays. */
    fake_init(&fake, answers, CHECK_COUNT(answers));
    TRY(mode_run(t, &fake, contract, SURETY_MODE_NATIVE, &run));
    CHECK(surety_run_verdict_of(run) == SURETY_RUN_PROVIDER);
    CHECK(fake.calls == 1);
done:
    surety_run_free(run);
    surety_contract_free(contract);
}

TEST(changes_the_mode_rather_than_repeat)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS("{\\\"n\\\":11,\\\"o\\\":null}")},
        {.status = 200, .body = SAYS("{\\\"n\\\":12,\\\"o\\\":null}")},
        {.status = 200, .body = CALLS("{\\\"n\\\":3,\\\"o\\\":null}")}};
    surety_contract *contract = NULL;
    surety_run *run = NULL;
    struct fake fake;

    TRY(mode_read(t, mode_contract, &contract));
    fake_init(&fake, answers, CHECK_COUNT(answers));
    TRY(mode_run(t, &fake, contract, SURETY_MODE_AUTO, &run));
    CHECK(mode_gives(run, "{\"n\":3}"));
    CHECK(surety_run_attempt(run, 1).mode == SURETY_MODE_NATIVE);
    CHECK(surety_run_attempt(run, 2).mode == SURETY_MODE_TOOL);
    CHECK_TEXT(surety_run_attempt(run, 2).purpose, "re-ask");
done:
    surety_run_free(run);
    surety_contract_free(contract);
}

TEST(wants_text_where_the_contract_does)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS("```json\\n{\\\"n\\\":3}\\n```")}};
    surety_contract *contract = NULL;
    surety_run *run = NULL;
    struct fake fake;
    char reason[256];

    TRY(mode_read(t, mode_fenced, &contract));
    fake_init(&fake, answers, CHECK_COUNT(answers));
    TRY(mode_run(t, &fake, contract, SURETY_MODE_AUTO, &run));
    CHECK(mode_gives(run, "{\"n\":3}"));
    CHECK(surety_run_attempt(run, 0).mode == SURETY_MODE_PROMPT);
    fake_copy(reason, sizeof(reason), surety_run_attempt(run, 0).reason);
    CHECK(strstr(reason, "does not list the place native"));
done:
    surety_run_free(run);
    surety_contract_free(contract);
}

TEST(patches)
{
    static const struct {
        struct fake_answer answers[3];
        const char *purpose; /* of the third call; "": there is none */
        const char *value;
    } cases[] = {
        {{{.status = 200, .body = SAYS("{\\\"n\\\":11,\\\"o\\\":\\\"x\\\"}")},
          {.status = 200,
           .body = SAYS("[{\\\"op\\\":\\\"replace\\\",\\\"path\\\":\\\"/n\\\","
                        "\\\"value\\\":3}]")}},
         "",
         "{\"n\":3,\"o\":\"x\"}"},
        /* The whole value instead of a patch will do. */
        {{{.status = 200, .body = SAYS("{\\\"n\\\":11}")},
          {.status = 200, .body = SAYS("{\\\"n\\\":4}")}},
         "",
         "{\"n\":4}"},
        /* One that does not apply: the whole value is asked for. */
        {{{.status = 200, .body = SAYS("{\\\"n\\\":11}")},
          {.status = 200,
           .body = SAYS("[{\\\"op\\\":\\\"remove\\\",\\\"path\\\":\\\"/"
                        "x\\\"}]")},
          {.status = 200, .body = SAYS("{\\\"n\\\":5}")}},
         "re-ask",
         "{\"n\":5}"},
        /* One that leaves it wrong: asked for the whole value, too. */
        {{{.status = 200, .body = SAYS("{\\\"n\\\":11}")},
          {.status = 200,
           .body = SAYS("[{\\\"op\\\":\\\"replace\\\",\\\"path\\\":\\\"/n\\\","
                        "\\\"value\\\":12}]")},
          {.status = 200, .body = SAYS("{\\\"n\\\":6}")}},
         "re-ask",
         "{\"n\":6}"},
    };
    surety_contract *contract = NULL;
    surety_run *run = NULL;
    struct fake fake;

    TRY(mode_read(t, mode_patch, &contract));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        fake_init(&fake, cases[i].answers, 3);
        TRY(mode_run(t, &fake, contract, SURETY_MODE_PROMPT, &run));
        CHECK_TEXT(surety_run_attempt(run, 1).purpose, "patch");
        CHECK_TEXT(surety_run_attempt(run, 2).purpose, cases[i].purpose);
        CHECK(mode_gives(run, cases[i].value));
        surety_run_free(run);
        run = NULL;
    }
done:
    surety_run_free(run);
    surety_contract_free(contract);
}

TEST(patches_what_an_api_delivered)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS("{\\\"n\\\":11,\\\"o\\\":null}")},
        {.status = 200,
         .body = SAYS("[{\\\"op\\\":\\\"replace\\\",\\\"path\\\":\\\"/n\\\","
                      "\\\"value\\\":3}]")}};
    surety_contract *contract = NULL;
    surety_run *run = NULL;
    struct fake fake;

    TRY(mode_read(t, mode_patch, &contract));
    fake_init(&fake, answers, CHECK_COUNT(answers));
    TRY(mode_run(t, &fake, contract, SURETY_MODE_AUTO, &run));
    CHECK(surety_run_attempt(run, 0).mode == SURETY_MODE_NATIVE);
    /* Free text: bound to the schema it could be no patch. */
    CHECK(surety_run_attempt(run, 1).mode == SURETY_MODE_PROMPT);
    CHECK(!strstr(fake.bodies[1], "response_format"));
    CHECK(mode_gives(run, "{\"n\":3}"));
done:
    surety_run_free(run);
    surety_contract_free(contract);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"takes structured values", takes_structured_values},
        {"goes down the ladder", goes_down_the_ladder},
        {"changes the mode rather than repeat",
         changes_the_mode_rather_than_repeat},
        {"wants text where the contract does",
         wants_text_where_the_contract_does},
        {"patches", patches},
        {"patches what an API delivered", patches_what_an_api_delivered},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
