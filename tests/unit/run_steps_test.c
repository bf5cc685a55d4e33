/* SPDX-License-Identifier: Apache-2.0 */
/* Runs whose models call tools: the loop, its limits, and its records. */
#include "check.h"
#include "run_fake.h"

#include "base/base.h"

#include <stdio.h>

static const char steps_contract[] =
    "{\"type\":\"object\",\"required\":[\"sum\"],\"properties\":{\"sum\":{"
    "\"type\":\"integer\"}},\"x-surety\":{\"name\":\"c\",\"retry\":{\"max\":"
    "1}}}";
#define ANSWER SAYS("{\\\"sum\\\":3}")
#define CALL(arguments)                                                        \
    "<tool_call>{\\\"name\\\":\\\"add\\\",\\\"arguments\\\":" arguments        \
    "}</tool_call>"
#define ONE_TWO "{\\\"a\\\":1,\\\"b\\\":2}"

/* A tool that adds, and what it does besides. */
struct adder {
    unsigned calls, more;
    surety_status status;
    bool hangs;
    unsigned cancelled;
    uint32_t time_ms_max;
    surety_validator validator; /* of the arguments, if it has a function */
};

static surety_status adder_call(void *ctx, const surety_tool_call *call,
                                surety_buf *result, surety_error *reterr)
{
    struct adder *adder = ctx;
    char text[32];

    (void)reterr;
    if (adder->hangs)
        return SURETY_MORE;
    if (adder->more && adder->more--)
        return SURETY_MORE;
    adder->calls++;
    snprintf(text, sizeof(text), "%d",
             (int)(surety_val_int(surety_val_get(call->arguments, "a"), 0) +
                   surety_val_int(surety_val_get(call->arguments, "b"), 0)));
    surety_buf_text(result, text);
    return adder->status;
}

static void adder_cancel(void *ctx, const surety_tool_call *call)
{
    struct adder *adder = ctx;

    (void)call;
    adder->cancelled++;
}

static surety_status adder_tools(struct check *t, struct adder *adder,
                                 surety_tools **ret_tools)
{
    const surety_tools_options options = {.size = sizeof(options),
                                          .alloc = check_alloc(t)};
    const surety_tool tool = {
        .size = sizeof(tool),
        .name = surety_str_of("add"),
        .description = surety_str_of("Adds two integers."),
        .parameters = surety_str_of(
            "{\"type\":\"object\",\"required\":[\"a\",\"b\"],\"properties\":{"
            "\"a\":{\"type\":\"integer\"},\"b\":{\"type\":\"integer\"}}}"),
        .call = adder_call,
        .cancel = adder_cancel,
        .ctx = adder,
        .time_ms_max = adder->time_ms_max,
        .validators = &adder->validator,
        .validator_count = adder->validator.validate != NULL,
    };
    surety_status status = surety_tools_new(&options, ret_tools, NULL);

    if (status == SURETY_OK)
        status = surety_tools_add(*ret_tools, &tool, NULL);
    return status;
}

/* A trial with the tool; ends as trial_close and surety_tools_free. */
static surety_status steps_open(struct check *t, struct trial *trial,
                                struct adder *adder, surety_tools **ret_tools,
                                const struct fake_answer *answers, size_t count)
{
    surety_status status = trial_open(trial, t, steps_contract, answers, count);

    *ret_tools = NULL;
    if (status == SURETY_OK)
        status = adder_tools(t, adder, ret_tools);
    trial->options.tools = *ret_tools;
    trial->options.ledger = NULL;
    return status;
}

static void steps_close(struct trial *trial, surety_tools *tools)
{
    trial_close(trial);
    surety_tools_free(tools);
}

static void steps_go_on(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS("I add. " CALL(ONE_TWO))},
        {.status = 200, .body = ANSWER}};
    struct adder adder = {.more = 2};
    surety_tools *tools;
    struct trial trial;
    surety_tool_use use;
    size_t count;

    TRY(steps_open(t, &trial, &adder, &tools, answers, CHECK_COUNT(answers)));
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(adder.calls == 1 && trial.fake.calls == 2);
    CHECK(strstr(trial.fake.bodies[0], "Adds two integers."));
    CHECK(strstr(trial.fake.bodies[1], "<tool_response>"));
    CHECK(strstr(trial.fake.bodies[1], "I add."));
    CHECK(surety_run_info_of(trial.run)->tool_use_count == 1);
    use = surety_run_tool_use(trial.run, 0);
    CHECK(use.made && use.failure == SURETY_TOOL_NONE && use.attempt == 1);
    CHECK(surety_str_equal(use.result, surety_str_of("3")));
    CHECK(surety_run_tool_use(trial.run, 1).name.len == 0);
    CHECK(strstr(trial.fake.events, "> {\"a\":1,\"b\":2}") ||
          strstr(trial.fake.events, "{\"a\":1,\"b\":2}"));
    (void)surety_run_messages(trial.run, &count);
    CHECK(count == 4);
done:
    steps_close(&trial, tools);
}

/* Wrong arguments and unknown tools go back to the model; nothing is made. */
static void steps_correct(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(CALL("{\\\"a\\\":true}"))},
        {.status = 200,
         .body = SAYS("<tool_call>{\\\"name\\\":\\\"sub\\\"}</tool_call>")},
        {.status = 200, .body = SAYS(CALL(ONE_TWO))},
        {.status = 200, .body = ANSWER}};
    struct adder adder = {0};
    surety_tools *tools;
    struct trial trial;

    TRY(steps_open(t, &trial, &adder, &tools, answers, CHECK_COUNT(answers)));
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(adder.calls == 1);
    CHECK(surety_run_tool_use(trial.run, 0).failure == SURETY_TOOL_ARGUMENTS);
    CHECK(surety_run_tool_use(trial.run, 1).failure == SURETY_TOOL_UNKNOWN);
    CHECK(!surety_run_tool_use(trial.run, 1).made);
    CHECK(strstr(trial.fake.bodies[1], "boolean"));
done:
    steps_close(&trial, tools);
}

/* The same call is made once; the third time ends the loop. */
static void steps_repeat(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(CALL(ONE_TWO))},
        {.status = 200, .body = SAYS(CALL("{\\\"b\\\":2,\\\"a\\\":1}"))},
        {.status = 200, .body = SAYS(CALL(ONE_TWO))},
        {.status = 200, .body = ANSWER}};
    struct adder adder = {0};
    surety_tools *tools;
    struct trial trial;

    TRY(steps_open(t, &trial, &adder, &tools, answers, CHECK_COUNT(answers)));
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(adder.calls == 1);
    CHECK(!surety_run_tool_use(trial.run, 1).made);
    CHECK(surety_run_tool_use(trial.run, 1).failure == SURETY_TOOL_NONE);
    CHECK(surety_run_tool_use(trial.run, 2).failure == SURETY_TOOL_CANCELLED);
    CHECK(strstr(trial.fake.events, "no more calls of tools"));
done:
    steps_close(&trial, tools);
}

/* Equal calls of one reply wait for the first, and get its result. */
static void steps_repeat_at_once(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200,
         .body = SAYS(CALL(ONE_TWO) CALL(ONE_TWO)
                          CALL("{\\\"b\\\":2,\\\"a\\\":1}"))},
        {.status = 200, .body = ANSWER}};
    struct adder adder = {.more = 2};
    surety_tools *tools;
    struct trial trial;

    TRY(steps_open(t, &trial, &adder, &tools, answers, CHECK_COUNT(answers)));
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(adder.calls == 1);
    CHECK(surety_run_tool_use(trial.run, 0).made);
    CHECK(!surety_run_tool_use(trial.run, 1).made);
    CHECK(surety_run_tool_use(trial.run, 1).failure == SURETY_TOOL_NONE);
    CHECK(surety_run_tool_use(trial.run, 2).failure == SURETY_TOOL_CANCELLED);
done:
    steps_close(&trial, tools);
}

/* Every limit ends the calls, and the model answers. */
static void steps_limits(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(CALL(ONE_TWO))},
        {.status = 200, .body = ANSWER}};
    struct adder adder = {0};
    surety_tools *tools;
    struct trial trial;

    TRY(steps_open(t, &trial, &adder, &tools, answers, CHECK_COUNT(answers)));
    for (int i = 0; i < 3; i++) {
        trial_reset(&trial, t, answers, CHECK_COUNT(answers));
        trial.options.tools = tools;
        trial.options.ledger = NULL;
        trial.options.steps_max = i == 0;
        trial.options.tool_calls_max = i == 1;
        trial.options.budget.calls_max = i == 2 ? 2 : 0;
        TRY(trial_go(&trial));
        CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
        CHECK(strstr(trial.fake.events, "no more calls of tools"));
    }
done:
    steps_close(&trial, tools);
}

/* No tool is called where the budget forbids the call of the model that would
 * get the result. */
static void steps_budget(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200,
         .body = "{\"choices\":[{\"index\":0,\"message\":{\"content\":"
                 "\"" CALL(ONE_TWO) "\"},\"finish_reason\":\"stop\"}],"
                                    "\"usage\":{\"prompt_tokens\":990,"
                                    "\"completion_tokens\":10}}"}};
    struct adder adder = {0};
    surety_tools *tools;
    struct trial trial;

    TRY(steps_open(t, &trial, &adder, &tools, answers, CHECK_COUNT(answers)));
    trial.options.budget.tokens_max = 1009;
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_BUDGET);
    CHECK(trial.fake.calls == 1 && adder.calls == 0);
    CHECK(surety_run_info_of(trial.run)->tool_use_count == 0);
    CHECK(strstr(trial.fake.events, "none is made, because the budget of 1009 "
                                    "tokens does not suffice"));
done:
    steps_close(&trial, tools);
}

/* A tool that hangs ends with its time or the run's; it is cancelled once. */
static void steps_hang(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(CALL(ONE_TWO))},
        {.status = 200, .body = ANSWER}};
    struct adder adder = {.hangs = true};
    surety_tools *tools;
    struct trial trial;

    TRY(steps_open(t, &trial, &adder, &tools, answers, CHECK_COUNT(answers)));
    trial.options.budget.ms_max = 100;
    trial.options.ledger = &trial.fake.ledger;
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_BUDGET);
    CHECK(adder.cancelled == 1 && trial.fake.calls == 1);
    CHECK_TEXT(surety_str_of(trial.fake.finishes[1]),
               "cancelled|cancelled|||the run ends before the result");
    CHECK(surety_run_tool_use(trial.run, 0).failure == SURETY_TOOL_CANCELLED);
done:
    steps_close(&trial, tools);
}

static surety_status steps_never(void *ctx, const surety_validation *validation,
                                 surety_error *reterr)
{
    (void)ctx;
    (void)validation;
    (void)reterr;
    return SURETY_MORE;
}

/* A validator of arguments that is never done has the tool's time. */
static void steps_unjudged(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(CALL(ONE_TWO))},
        {.status = 200, .body = ANSWER}};
    struct adder adder = {.time_ms_max = 200,
                          .validator = {.validate = steps_never}};
    surety_tools *tools;
    struct trial trial;
    surety_tool_use use;

    TRY(steps_open(t, &trial, &adder, &tools, answers, CHECK_COUNT(answers)));
    trial.options.ledger = &trial.fake.ledger;
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(adder.calls == 0 && trial.fake.calls == 2);
    use = surety_run_tool_use(trial.run, 0);
    CHECK(!use.made && use.failure == SURETY_TOOL_TIMEOUT);
    CHECK_TEXT(use.message,
               "a validator of its arguments was not done after 200 ms");
    CHECK(strstr(trial.fake.bodies[1], "was not done after 200 ms"));
done:
    steps_close(&trial, tools);
}

static void steps_cancel(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(CALL(ONE_TWO))}};
    struct adder adder = {.hangs = true};
    surety_tools *tools;
    struct trial trial;
    uint32_t delay_ms;

    TRY(steps_open(t, &trial, &adder, &tools, answers, CHECK_COUNT(answers)));
    TRY(trial_begin(&trial));
    for (int i = 0; i < 5; i++) {
        const surety_now now = {1000 + (uint64_t)i, 1700000000000 + i};

        const surety_status status =
            surety_run_step(trial.run, now, &delay_ms, NULL);

        TRY(status == SURETY_MORE ? SURETY_OK : status);
        (void)fake_wait(&trial.fake, 1, NULL);
    }
    surety_run_cancel(trial.run, (surety_now){1010, 1700000000010});
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_CANCELLED);
    CHECK(adder.cancelled == 1);
done:
    steps_close(&trial, tools);
}

/* A row that fails ends the run, or is reported once and ends nothing. */
static void steps_unrecorded(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(CALL(ONE_TWO))},
        {.status = 200, .body = ANSWER}};
    struct adder adder = {0};
    surety_tools *tools;
    struct trial trial;

    TRY(steps_open(t, &trial, &adder, &tools, answers, CHECK_COUNT(answers)));
    for (int i = 0; i < 4; i++) {
        const char *said;

        trial_reset(&trial, t, answers, CHECK_COUNT(answers));
        trial.options.tools = tools;
        trial.options.ledger_optional = i % 2;
        trial.fake.begin_fails = i < 2 ? 2 : 0;
        trial.fake.finish_fails = i < 2 ? 0 : 2;
        TRY(trial_go(&trial));
        CHECK(surety_run_info_of(trial.run)->verdict ==
              (i % 2 ? SURETY_RUN_VALID : SURETY_RUN_LEDGER));
        said = strstr(trial.fake.events, "could not be written (disk full");
        CHECK((said != NULL) == (i % 2));
        CHECK(!said || !strstr(said + 1, "could not be written"));
    }
done:
    steps_close(&trial, tools);
}

/* A re-ask after a step keeps the conversation. */
static void steps_reask(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(CALL(ONE_TWO))},
        {.status = 200, .body = SAYS("{\\\"sum\\\":true}")},
        {.status = 200, .body = ANSWER}};
    struct adder adder = {0};
    surety_tools *tools;
    struct trial trial;

    TRY(steps_open(t, &trial, &adder, &tools, answers, CHECK_COUNT(answers)));
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(strstr(trial.fake.bodies[2], "How many?"));
    CHECK(strstr(trial.fake.bodies[2], "<tool_response>"));
    CHECK(strstr(trial.fake.bodies[2], "boolean"));
done:
    steps_close(&trial, tools);
}

/* A model that has tools of its own: two calls at once, whose results are
 * messages with the ids of the calls. */
static void steps_native(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200,
         .body = "{\"choices\":[{\"index\":0,\"message\":{\"role\":"
                 "\"assistant\",\"content\":\"I add.\",\"tool_calls\":[{"
                 "\"id\":\"call_a\",\"type\":\"function\",\"function\":{"
                 "\"name\":\"add\",\"arguments\":\"{\\\"a\\\":1,"
                 "\\\"b\\\":2}\"}},{\"id\":\"call_b\",\"type\":"
                 "\"function\",\"function\":{\"name\":\"add\","
                 "\"arguments\":\"{\\\"a\\\":3,\\\"b\\\":4}\"}}]},"
                 "\"finish_reason\":\"tool_calls\"}]}"},
        {.status = 200, .body = ANSWER}};
    struct adder adder = {0};
    surety_tools *tools;
    struct trial trial;
    const char *body;

    TRY(steps_open(t, &trial, &adder, &tools, answers, CHECK_COUNT(answers)));
    trial.models[0].mode = SURETY_MODE_NATIVE;
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(adder.calls == 2);
    CHECK(strstr(trial.fake.bodies[0], "\"name\":\"add\""));
    CHECK(strstr(trial.fake.bodies[0], "response_format"));
    body = trial.fake.bodies[1];
    CHECK(strstr(body, "\"tool_call_id\":\"call_a\""));
    CHECK(strstr(body, "\"tool_call_id\":\"call_b\""));
    CHECK(surety_run_info_of(trial.run)->tool_use_count == 2);
done:
    steps_close(&trial, tools);
}

#define UNTAKEN                                                                \
    "{\"error\":{\"message\":\"Invalid schema for response_format\",\"type\":" \
    "\"invalid_request_error\",\"param\":\"response_format\",\"code\":null}}"

/* Where a later call has to be in mode prompt, its text says how tools are
 * called, for no other turn does. */
static void steps_sink(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200,
         .body = "{\"choices\":[{\"index\":0,\"message\":{\"role\":"
                 "\"assistant\",\"tool_calls\":[{\"id\":\"a\",\"type\":"
                 "\"function\",\"function\":{\"name\":\"add\",\"arguments\":"
                 "\"{\\\"a\\\":1,\\\"b\\\":2}\"}}]},\"finish_reason\":"
                 "\"tool_calls\"}]}"},
        {.status = 400, .body = UNTAKEN},
        {.status = 400, .body = UNTAKEN},
        {.status = 200, .body = SAYS(CALL("{\\\"a\\\":3,\\\"b\\\":4}"))},
        {.status = 200, .body = ANSWER}};
    struct adder adder = {0};
    surety_tools *tools;
    struct trial trial;

    TRY(steps_open(t, &trial, &adder, &tools, answers, CHECK_COUNT(answers)));
    trial.models[0].mode = SURETY_MODE_AUTO;
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(trial.fake.calls == 5 && adder.calls == 2);
    CHECK(strstr(trial.fake.bodies[3], "Adds two integers."));
    CHECK(strstr(trial.fake.bodies[4], "Adds two integers.") &&
          strstr(trial.fake.bodies[4], "<tool_response>"));
done:
    steps_close(&trial, tools);
}

/* Whatever a call lacks, the conversation can be saved and read again. */
static void steps_save(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200,
         .body = "{\"choices\":[{\"index\":0,\"message\":{\"role\":"
                 "\"assistant\",\"tool_calls\":[{\"id\":\"a\",\"type\":"
                 "\"function\",\"function\":{\"arguments\":\"{}\"}},{"
                 "\"id\":\"a\",\"type\":\"function\",\"function\":{"
                 "\"name\":\"add\",\"arguments\":\"[1]\"}},{\"type\":"
                 "\"function\",\"function\":{\"name\":\"add\","
                 "\"arguments\":\"{\\\"a\\\":1,\\\"a\\\":2}\"}}]},"
                 "\"finish_reason\":\"tool_calls\"}]}"},
        {.status = 200, .body = ANSWER}};
    const surety_conversation_options options = {.size = sizeof(options),
                                                 .alloc = check_alloc(t)};
    struct adder adder = {0};
    surety_tools *tools;
    struct trial trial;
    surety_conversation *saved = NULL, *again = NULL;
    const surety_message *messages;
    size_t count = 0;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(steps_open(t, &trial, &adder, &tools, answers, CHECK_COUNT(answers)));
    trial.models[0].mode = SURETY_MODE_NATIVE;
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(adder.calls == 0);
    CHECK(surety_run_tool_use(trial.run, 0).failure == SURETY_TOOL_UNKNOWN);
    CHECK(strstr(trial.fake.bodies[1], "\"name\":\"unnamed\""));
    messages = surety_run_messages(trial.run, &count);
    TRY(surety_conversation_new(&options, &saved, NULL));
    TRY(surety_conversation_new(&options, &again, NULL));
    for (size_t i = 0; i < count; i++)
        TRY(surety_conversation_add(saved, &messages[i], NULL));
    TRY(surety_conversation_write(saved, &out));
    TRY(surety_conversation_read(again, surety_buf_str(&out), NULL));
    surety_buf_byte(&out, 0);
    TRY(out.status);
    CHECK(strstr(out.ptr, "{\"INVALID_JSON\":\"[1]\"}"));
    CHECK(strstr(out.ptr, "{\"INVALID_JSON\":\"{\\\"a\\\":1,"));
done:
    surety_conversation_free(saved);
    surety_conversation_free(again);
    surety_buf_done(&out);
    steps_close(&trial, tools);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"results go to the model", steps_go_on},
        {"wrong calls go back", steps_correct},
        {"an equal call is made once", steps_repeat},
        {"equal calls of one reply are made once", steps_repeat_at_once},
        {"limits end the calls", steps_limits},
        {"the budget comes before the calls", steps_budget},
        {"a tool that hangs", steps_hang},
        {"a validator of arguments that is never done", steps_unjudged},
        {"a run that is cancelled cancels its tools", steps_cancel},
        {"a row that fails", steps_unrecorded},
        {"a re-ask keeps the steps", steps_reask},
        {"calls of the provider's form", steps_native},
        {"a later mode offers the tools again", steps_sink},
        {"a conversation can be saved", steps_save},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
