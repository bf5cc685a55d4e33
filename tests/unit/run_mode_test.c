/* SPDX-License-Identifier: Apache-2.0 */
/* Modes and patches: in which mode a model is asked, what becomes of the value
 * that its API delivers, and of a patch. */
#include "check.h"
#include "run_fake.h"

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

/* Runs one model in a mode. */
static surety_status mode_go(struct trial *trial, surety_mode mode)
{
    trial->models[0].mode = mode;
    return trial_go(trial);
}

/* The value of a valid run, as text. */
static bool mode_gives(const surety_run *run, const char *want)
{
    surety_buf out;
    bool same;

    surety_buf_init(&out, NULL, 0);
    (void)surety_val_write(
        surety_outcome_info_of(surety_run_info_of(run)->outcome)->value,
        SURETY_STYLE_COMPACT, &out);
    same = surety_run_info_of(run)->verdict == SURETY_RUN_VALID &&
           surety_str_equal(surety_buf_str(&out), surety_str_of(want));
    if (!same)
        printf("# %s: %.*s\n",
               surety_run_verdict_name(surety_run_info_of(run)->verdict),
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
    struct trial trial;

    TRY(trial_open(&trial, t, mode_contract, NULL, 0));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        trial_reset(&trial, t, &cases[i].answer, 1);
        TRY(mode_go(&trial, cases[i].mode));
        CHECK(mode_gives(trial.run, cases[i].value));
        CHECK(cases[i].mode == SURETY_MODE_TOOL ||
              strstr(trial.fake.bodies[0], "json_schema"));
        CHECK(cases[i].mode != SURETY_MODE_TOOL ||
              strstr(trial.fake.bodies[0], "tool_choice"));
    }
done:
    trial_close(&trial);
}

TEST(goes_down_the_ladder)
{
    static const struct fake_answer answers[] = {
        {.status = 400, .body = UNTAKEN},
        {.status = 400, .body = UNTAKEN},
        {.status = 200, .body = SAYS("{\\\"n\\\":3}")}};
    struct trial trial;

    TRY(trial_open(&trial, t, mode_contract, answers, CHECK_COUNT(answers)));
    TRY(mode_go(&trial, SURETY_MODE_AUTO));
    CHECK(mode_gives(trial.run, "{\"n\":3}"));
    CHECK(surety_run_attempt(trial.run, 0).mode == SURETY_MODE_NATIVE);
    CHECK(surety_run_attempt(trial.run, 1).mode == SURETY_MODE_TOOL);
    CHECK(surety_run_attempt(trial.run, 2).mode == SURETY_MODE_PROMPT);
    CHECK_TEXT(surety_run_attempt(trial.run, 2).purpose, "ask");
    /* A mode that was asked for stays. */
    trial_reset(&trial, t, answers, CHECK_COUNT(answers));
    TRY(mode_go(&trial, SURETY_MODE_NATIVE));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_PROVIDER);
    CHECK(trial.fake.calls == 1);
done:
    trial_close(&trial);
}

TEST(changes_the_mode_rather_than_repeat)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS("{\\\"n\\\":11,\\\"o\\\":null}")},
        {.status = 200, .body = SAYS("{\\\"n\\\":12,\\\"o\\\":null}")},
        {.status = 200, .body = CALLS("{\\\"n\\\":3,\\\"o\\\":null}")}};
    struct trial trial;

    TRY(trial_open(&trial, t, mode_contract, answers, CHECK_COUNT(answers)));
    TRY(mode_go(&trial, SURETY_MODE_AUTO));
    CHECK(mode_gives(trial.run, "{\"n\":3}"));
    CHECK(surety_run_attempt(trial.run, 1).mode == SURETY_MODE_NATIVE);
    CHECK(surety_run_attempt(trial.run, 2).mode == SURETY_MODE_TOOL);
    CHECK_TEXT(surety_run_attempt(trial.run, 2).purpose, "re-ask");
done:
    trial_close(&trial);
}

TEST(wants_text_where_the_contract_does)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS("```json\\n{\\\"n\\\":3}\\n```")}};
    struct trial trial;
    char reason[256];

    TRY(trial_open(&trial, t, mode_fenced, answers, CHECK_COUNT(answers)));
    TRY(mode_go(&trial, SURETY_MODE_AUTO));
    CHECK(mode_gives(trial.run, "{\"n\":3}"));
    CHECK(surety_run_attempt(trial.run, 0).mode == SURETY_MODE_PROMPT);
    fake_copy(reason, sizeof(reason), surety_run_attempt(trial.run, 0).reason);
    CHECK(strstr(reason, "does not list the place native"));
done:
    trial_close(&trial);
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
    struct trial trial;

    TRY(trial_open(&trial, t, mode_patch, NULL, 0));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        trial_reset(&trial, t, cases[i].answers, 3);
        TRY(mode_go(&trial, SURETY_MODE_PROMPT));
        CHECK_TEXT(surety_run_attempt(trial.run, 1).purpose, "patch");
        CHECK_TEXT(surety_run_attempt(trial.run, 2).purpose, cases[i].purpose);
        CHECK(mode_gives(trial.run, cases[i].value));
    }
done:
    trial_close(&trial);
}

TEST(patches_what_an_api_delivered)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS("{\\\"n\\\":11,\\\"o\\\":null}")},
        {.status = 200,
         .body = SAYS("[{\\\"op\\\":\\\"replace\\\",\\\"path\\\":\\\"/n\\\","
                      "\\\"value\\\":3}]")}};
    struct trial trial;

    TRY(trial_open(&trial, t, mode_patch, answers, CHECK_COUNT(answers)));
    TRY(mode_go(&trial, SURETY_MODE_AUTO));
    CHECK(surety_run_attempt(trial.run, 0).mode == SURETY_MODE_NATIVE);
    /* Free text: bound to the schema it could be no patch. */
    CHECK(surety_run_attempt(trial.run, 1).mode == SURETY_MODE_PROMPT);
    CHECK(!strstr(trial.fake.bodies[1], "response_format"));
    CHECK(mode_gives(trial.run, "{\"n\":3}"));
done:
    trial_close(&trial);
}

static const char mode_open[] =
    "{\"type\":\"object\",\"required\":[\"m\"],\"properties\":{\"m\":{\"type\":"
    "\"object\"}},\"additionalProperties\":false}";

#define LIST "\\\"additional_properties\\\":"
#define PAIR(value) "{\\\"key\\\":\\\"k\\\",\\\"value\\\":" value "}"
#define OPEN(list) "{\\\"m\\\":{" LIST "[" list "]}}"

/* What would be a guess is asked again, with the place in the reply. */
TEST(asks_again_rather_than_guess)
{
    static const struct {
        const char *first, *told;
    } cases[] = {
        {SAYS(OPEN(PAIR("1") "," PAIR("2"))), "is given twice"},
        {SAYS("{\\\"m\\\":{" LIST "[],\\\"k\\\":1}}"),
         "does not have the requested form"},
        {SAYS("{\\\"m\\\":{" LIST "[{\\\"k\\\":1}]}}"),
         "this is not a list of key and value"},
        /* It would be repaired, and is not of the form of the contract. */
        {SAYS("{\\\"m\\\":{" LIST "[" PAIR("1") ",]}}"), "not valid JSON"},
    };
    const surety_repair repair = SURETY_REPAIR_SYNTAX;
    const surety_judge_options judge = {.size = sizeof(judge),
                                        .repair = &repair};
    struct trial trial;

    TRY(trial_open(&trial, t, mode_open, NULL, 0));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        const struct fake_answer answers[] = {
            {.status = 200, .body = cases[i].first},
            {.status = 200, .body = SAYS(OPEN(PAIR("\\\"06\\\"")))}};

        trial_reset(&trial, t, answers, 2);
        trial.options.retry_max = 1;
        trial.options.judge = &judge;
        TRY(mode_go(&trial, SURETY_MODE_NATIVE));
        CHECK(mode_gives(trial.run, "{\"m\":{\"k\":\"06\"}}"));
        CHECK(trial.fake.calls == 2);
        if (!strstr(trial.fake.bodies[1], cases[i].told))
            printf("# %s\n", trial.fake.bodies[1]);
        CHECK(strstr(trial.fake.bodies[1], cases[i].told));
    }
done:
    trial_close(&trial);
}

/* Where a subset has no form for an open place, the mode and its reason. */
TEST(steps_down_for_open_places)
{
    static const struct fake_answer answer = {.status = 200, .body = "{}"};
    static const struct {
        surety_mode given, mode;
        const char *reason;
    } cases[] = {
        {SURETY_MODE_AUTO, SURETY_MODE_TOOL,
         "asks m in mode tool, for anthropic does not take the schema "
         "(Anthropic's structured output does not take a schema that allows "
         "any value at /properties/m)"},
        {SURETY_MODE_NATIVE, SURETY_MODE_NATIVE,
         "asks m in mode native, for it is the one given, though anthropic "
         "does not take the schema (Anthropic's structured output does not "
         "take a schema that allows any value at /properties/m)"},
        {SURETY_MODE_TOOL, SURETY_MODE_TOOL, "asks m in mode tool"},
    };
    struct trial trial;

    TRY(trial_open(&trial, t, mode_open, NULL, 0));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        trial_reset(&trial, t, &answer, 1);
        trial.models[0].protocol = SURETY_PROTOCOL_ANTHROPIC;
        TRY(mode_go(&trial, cases[i].given));
        CHECK(surety_run_attempt(trial.run, 0).mode == cases[i].mode);
        CHECK_TEXT(surety_run_attempt(trial.run, 0).reason, cases[i].reason);
    }
done:
    trial_close(&trial);
}

/* A value in the text is one as it was asked for, or one of the contract's. */
TEST(restores_what_stands_in_text)
{
    static const struct fake_answer answers[] = {
        {.status = 200,
         .body = SAYS("Sure!\\n```json\\n" OPEN(PAIR("[1]")) "\\n```")},
        {.status = 200,
         .body = SAYS("Sure!\\n```json\\n{\\\"m\\\":{\\\"k\\\":[1]}}\\n"
                      "```")},
    };
    struct trial trial;

    TRY(trial_open(&trial, t, mode_open, NULL, 0));
    for (size_t i = 0; i < CHECK_COUNT(answers); i++) {
        trial_reset(&trial, t, &answers[i], 1);
        TRY(mode_go(&trial, SURETY_MODE_NATIVE));
        CHECK(mode_gives(trial.run, "{\"m\":{\"k\":[1]}}"));
    }
done:
    trial_close(&trial);
}

/* The model sees one form, and sees it once. */
TEST(shows_what_is_sent)
{
    static const struct fake_answer answer = {.status = 200,
                                              .body = SAYS(OPEN(""))};
    static const struct {
        const char *provider;
        surety_mode mode;
        const char *has, *has_not;
    } cases[] = {
        {"openai", SURETY_MODE_NATIVE, "comes with this request",
         "satisfies this JSON Schema"},
        {"elsewhere", SURETY_MODE_NATIVE,
         "satisfies this JSON Schema:\\n{\\n \\\"type\\\": \\\"object\\\",\\n"
         " \\\"required\\\": [\\\"m\\\"],\\n \\\"additionalProperties\\\": "
         "false",
         "comes with this request"},
        {"ollama", SURETY_MODE_NATIVE, "\\\"m\\\":{\\\"type\\\":\\\"object",
         LIST},
        {"elsewhere", SURETY_MODE_TOOL, "comes with this request",
         "satisfies this JSON Schema"},
    };
    struct trial trial;

    TRY(trial_open(&trial, t, mode_open, NULL, 0));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        trial_reset(&trial, t, &answer, 1);
        trial.models[0].provider = surety_str_of(cases[i].provider);
        TRY(mode_go(&trial, cases[i].mode));
        CHECK(strstr(trial.fake.bodies[0], cases[i].has));
        CHECK(!strstr(trial.fake.bodies[0], cases[i].has_not));
    }
done:
    trial_close(&trial);
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
        {"asks again rather than guess", asks_again_rather_than_guess},
        {"steps down for open places, and says why",
         steps_down_for_open_places},
        {"restores what is in text", restores_what_stands_in_text},
        {"shows what is sent, once", shows_what_is_sent},
        {"patches what an API delivered", patches_what_an_api_delivered},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
