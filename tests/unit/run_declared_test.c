/* SPDX-License-Identifier: Apache-2.0 */
/* Runs whose models call declared tools: the caller gets the calls, and only
 * valid ones. */
#include "check.h"
#include "run_fake.h"

#include "base/base.h"

static const char declared_contract[] =
    "{\"type\":\"object\",\"required\":[\"sum\"],\"properties\":{\"sum\":{"
    "\"type\":\"integer\"}},\"x-surety\":{\"name\":\"c\",\"retry\":{\"max\":"
    "1}}}";
#define ONE(id, name, arguments)                                               \
    "{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"" name  \
    "\",\"arguments\":\"" arguments "\"}}"
#define CALLS(calls)                                                           \
    "{\"id\":\"c\",\"model\":\"m-1\",\"choices\":[{\"index\":0,\"message\":{"  \
    "\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" calls           \
    "]},\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":10,"   \
    "\"completion_tokens\":5}}"
#define GOOD "{\\\"a\\\":1,\\\"b\\\":2}"
#define WRONG "{\\\"a\\\":1,\\\"b\\\":\\\"two\\\"}"
#define BROKEN "{\\\"a\\\":1,\\\"b\\\":2,}"

static surety_status declared_add(surety_tools *tools, const char *name)
{
    const surety_tool tool = {
        .size = sizeof(tool),
        .name = surety_str_of(name),
        .description = surety_str_of("Adds two integers."),
        .parameters = surety_str_of(
            "{\"type\":\"object\",\"required\":[\"a\",\"b\"],\"properties\":{"
            "\"a\":{\"type\":\"integer\"},\"b\":{\"type\":\"integer\"}},"
            "\"x-surety\":{\"repair\":\"syntax\"}}"),
    };

    return surety_tools_add(tools, &tool, NULL);
}

/* A trial with the tools add and less; ends with declared_close. */
static surety_status declared_open(struct check *t, struct trial *trial,
                                   const char *contract,
                                   surety_tools **ret_tools,
                                   const struct fake_answer *answers,
                                   size_t count)
{
    const surety_tools_options options = {.size = sizeof(options),
                                          .alloc = check_alloc(t)};
    surety_status status = trial_open(trial, t, contract, answers, count);

    *ret_tools = NULL;
    if (status == SURETY_OK)
        status = surety_tools_new(&options, ret_tools, NULL);
    if (status == SURETY_OK)
        status = declared_add(*ret_tools, "add");
    if (status == SURETY_OK)
        status = declared_add(*ret_tools, "less");
    trial->options.tools = *ret_tools;
    trial->models[0].mode = SURETY_MODE_AUTO;
    return status;
}

static void declared_close(struct trial *trial, surety_tools *tools)
{
    trial_close(trial);
    surety_tools_free(tools);
}

/* Valid calls end the run, repaired, with the message that has them. */
static void declared_valid(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200,
         .body = CALLS(ONE("c1", "add", BROKEN) "," ONE("c2", "less", GOOD))}};
    const surety_message *messages;
    surety_tools *tools;
    struct trial trial;
    surety_tool_use use;
    surety_str report;
    size_t count;

    TRY(declared_open(t, &trial, NULL, &tools, answers, CHECK_COUNT(answers)));
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->tool_use_count == 2);
    use = surety_run_tool_use(trial.run, 0);
    CHECK(use.failure == SURETY_TOOL_NONE && !use.made && use.attempt == 1);
    CHECK_TEXT(use.arguments, "{\"a\":1,\"b\":2}");
    CHECK_TEXT(use.call, "c1");
    report = surety_run_tool_report(trial.run, 0);
    CHECK(surety__str_find(report, surety_str_of("trailing-comma")) <
          report.len);
    messages = surety_run_messages(trial.run, &count);
    CHECK(count == 2 && messages[1].part_count == 2);
    CHECK(messages[1].parts[1].kind == SURETY_PART_CALL);
    CHECK_TEXT(messages[1].parts[1].name, "less");
    CHECK(strstr(trial.fake.finishes[0], "done||tools|ok|"));
    CHECK(strstr(trial.fake.events, "{\"a\":1,\"b\":2}"));
    CHECK(!strstr(trial.fake.bodies[0], "tool_choice"));
done:
    declared_close(&trial, tools);
}

/* A wrong call goes back with its errors, and beside it the one that was
 * right. */
static void declared_wrong(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200,
         .body = CALLS(ONE("c1", "add", WRONG) "," ONE("c2", "less", GOOD))},
        {.status = 200, .body = CALLS(ONE("c3", "add", GOOD))}};
    const surety_message *messages;
    surety_tools *tools;
    struct trial trial;
    size_t count;

    TRY(declared_open(t, &trial, NULL, &tools, answers, CHECK_COUNT(answers)));
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_CALLS);
    CHECK(trial.fake.calls == 2);
    CHECK(strstr(trial.fake.bodies[1], "\"tool_call_id\":\"c1\""));
    CHECK(strstr(trial.fake.bodies[1], "/b: "));
    CHECK(strstr(trial.fake.bodies[1], "another call of the reply is wrong"));
    CHECK(strstr(trial.fake.finishes[0], "done||tools||"));
    CHECK_TEXT(surety_run_attempt(trial.run, 1).purpose, "re-ask");
    /* The caller's conversation has no call that was refused. */
    messages = surety_run_messages(trial.run, &count);
    CHECK(count == 2 && messages[1].part_count == 1);
    CHECK_TEXT(messages[1].parts[0].id, "c3");
done:
    declared_close(&trial, tools);
}

/* The re-asks bound that. */
static void declared_spent(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = CALLS(ONE("c1", "add", WRONG))},
        {.status = 200, .body = CALLS(ONE("c2", "sum", GOOD))},
        {.status = 200, .body = CALLS(ONE("c3", "add", WRONG))}};
    surety_tools *tools;
    struct trial trial;

    for (uint32_t most = 0; most < 3; most++) {
        TRY(declared_open(t, &trial, NULL, &tools, answers,
                          CHECK_COUNT(answers)));
        trial.options.retry_max = most ? most : SURETY_RUN_NONE;
        TRY(trial_go(&trial));
        CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_REJECTED);
        CHECK(trial.fake.calls == most + 1);
        CHECK(surety_run_tool_use(trial.run, most).failure ==
              (most == 1 ? SURETY_TOOL_UNKNOWN : SURETY_TOOL_ARGUMENTS));
        CHECK(surety_run_tool_report(trial.run, most).len || most == 1);
        declared_close(&trial, tools);
    }
    return;
done:
    declared_close(&trial, tools);
}

/* Beside a contract the reply is calls, or a value that is judged. */
static void declared_contract_too(struct check *t)
{
    static const struct fake_answer value[] = {
        {.status = 200, .body = SAYS("{\\\"sum\\\":\\\"x\\\"}")},
        {.status = 200, .body = SAYS("{\\\"sum\\\":3}")}};
    static const struct fake_answer call[] = {
        {.status = 200, .body = SAYS("{\\\"sum\\\":\\\"x\\\"}")},
        {.status = 200, .body = CALLS(ONE("c1", "add", GOOD))}};
    surety_tools *tools;
    struct trial trial;

    TRY(declared_open(t, &trial, declared_contract, &tools, value,
                      CHECK_COUNT(value)));
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(trial.fake.calls == 2);
    CHECK(strstr(trial.fake.bodies[0], "json_schema"));
    declared_close(&trial, tools);
    TRY(declared_open(t, &trial, declared_contract, &tools, call,
                      CHECK_COUNT(call)));
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_CALLS);
done:
    declared_close(&trial, tools);
}

/* A model that has to call is told so, and a reply without is refused. */
static void declared_must(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS("{\\\"sum\\\":3}")},
        {.status = 200,
         .body = CALLS(ONE("c1", "less", GOOD) "," ONE("c2", "add", GOOD))},
        {.status = 200, .body = CALLS(ONE("c3", "add", GOOD))}};
    surety_tools *tools;
    struct trial trial;

    TRY(declared_open(t, &trial, declared_contract, &tools, answers,
                      CHECK_COUNT(answers)));
    trial.options.tool_choice = SURETY_TOOL_CHOICE_NAMED;
    trial.options.tool_choice_name = surety_str_of("add");
    trial.options.single_call = true;
    trial.options.retry_max = 2;
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_CALLS);
    CHECK(trial.fake.calls == 3);
    CHECK(!strstr(trial.fake.bodies[0], "json_schema"));
    CHECK(strstr(trial.fake.bodies[0],
                 "\"tool_choice\":{\"type\":\"function\",\"function\":{"
                 "\"name\":\"add\"}},\"parallel_tool_calls\":false"));
    CHECK(strstr(trial.fake.bodies[1], "called no tool"));
    CHECK(strstr(trial.fake.bodies[2], "Only the tool add may be called."));
    CHECK(strstr(trial.fake.bodies[2], "one tool only"));
done:
    declared_close(&trial, tools);
}

/* A row that cannot be completed takes the calls with it. */
static void declared_unrecorded(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = CALLS(ONE("c1", "add", GOOD))}};
    surety_tools *tools;
    struct trial trial;

    TRY(declared_open(t, &trial, NULL, &tools, answers, CHECK_COUNT(answers)));
    trial.fake.finish_fails = 1;
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_LEDGER);
    CHECK(!surety_run_info_of(trial.run)->tool_use_count);
    CHECK(!surety_run_attempt(trial.run, 0).answer.message.part_count);
    CHECK(!strstr(trial.fake.events, "\"a\":1"));
done:
    declared_close(&trial, tools);
}

/* The form of each choice in each protocol. */
static void declared_forms(struct check *t)
{
    static const struct {
        surety_protocol protocol;
        surety_tool_choice choice;
        bool single;
        const char *expected; /* NULL: refused */
    } rows[] = {
        {SURETY_PROTOCOL_OPENAI, SURETY_TOOL_CHOICE_AUTO, true,
         "],\"parallel_tool_calls\":false"},
        {SURETY_PROTOCOL_OPENAI, SURETY_TOOL_CHOICE_NONE, false,
         "\"tool_choice\":\"none\""},
        {SURETY_PROTOCOL_OPENAI, SURETY_TOOL_CHOICE_REQUIRED, false,
         "\"tool_choice\":\"required\""},
        {SURETY_PROTOCOL_RESPONSES, SURETY_TOOL_CHOICE_NAMED, true,
         "\"tool_choice\":{\"type\":\"function\",\"name\":\"add\"},"
         "\"parallel_tool_calls\":false"},
        {SURETY_PROTOCOL_RESPONSES, SURETY_TOOL_CHOICE_REQUIRED, false,
         "\"tool_choice\":\"required\""},
        {SURETY_PROTOCOL_ANTHROPIC, SURETY_TOOL_CHOICE_AUTO, true,
         "\"tool_choice\":{\"type\":\"auto\",\"disable_parallel_tool_use\":"
         "true}"},
        {SURETY_PROTOCOL_ANTHROPIC, SURETY_TOOL_CHOICE_REQUIRED, false,
         "\"tool_choice\":{\"type\":\"any\"}"},
        {SURETY_PROTOCOL_ANTHROPIC, SURETY_TOOL_CHOICE_NAMED, false,
         "\"tool_choice\":{\"type\":\"tool\",\"name\":\"add\"}"},
        {SURETY_PROTOCOL_ANTHROPIC, SURETY_TOOL_CHOICE_NONE, true,
         "\"tool_choice\":{\"type\":\"none\"}"},
        {SURETY_PROTOCOL_GEMINI, SURETY_TOOL_CHOICE_REQUIRED, false,
         "\"functionCallingConfig\":{\"mode\":\"ANY\"}"},
        {SURETY_PROTOCOL_GEMINI, SURETY_TOOL_CHOICE_NAMED, false,
         "{\"mode\":\"ANY\",\"allowedFunctionNames\":[\"add\"]}"},
        {SURETY_PROTOCOL_GEMINI, SURETY_TOOL_CHOICE_AUTO, true, NULL},
        {SURETY_PROTOCOL_TEXT, SURETY_TOOL_CHOICE_REQUIRED, false, NULL},
    };
    static const struct fake_answer answers[] = {{.status = 500}};
    surety_tools *tools;
    struct trial trial;

    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        TRY(declared_open(t, &trial, NULL, &tools, answers, 1));
        trial.models[0].protocol = rows[i].protocol;
        trial.options.tool_choice = rows[i].choice;
        trial.options.tool_choice_name = surety_str_of("add");
        trial.options.single_call = rows[i].single;
        trial.options.backoff.retries_max = SURETY_RUN_NONE;
        if (rows[i].expected) {
            TRY(trial_go(&trial));
            CHECK(strstr(trial.fake.bodies[0], rows[i].expected));
        } else {
            EXPECT(SURETY_MISUSE, trial_begin(&trial));
        }
        declared_close(&trial, tools);
    }
    return;
done:
    declared_close(&trial, tools);
}

static surety_status declared_function(void *ctx, const surety_tool_call *call,
                                       surety_buf *result, surety_error *reterr)
{
    (void)ctx;
    (void)call;
    (void)result;
    (void)reterr;
    return SURETY_OK;
}

/* What cannot be: a set of both kinds, a choice without declared tools. */
static void declared_misuse(struct check *t)
{
    const surety_tool tool = {.size = sizeof(tool),
                              .name = surety_str_of("own"),
                              .call = declared_function};
    const surety_tool_result *result;
    surety_tools *tools;
    struct trial trial;

    TRY(declared_open(t, &trial, NULL, &tools, NULL, 0));
    EXPECT(SURETY_MISUSE, surety_tools_add(tools, &tool, NULL));
    CHECK(surety_tools_count(tools) == 2);
    TRY(surety_tools_call(tools, surety_str_of("add"),
                          surety_str_of("{\"a\":1,\"b\":2}"), NULL, &result,
                          NULL));
    CHECK(result->failure == SURETY_TOOL_NONE && !result->sent);
    trial.options.tool_choice = SURETY_TOOL_CHOICE_NAMED;
    trial.options.tool_choice_name = surety_str_of("more");
    EXPECT(SURETY_MISUSE, trial_begin(&trial));
    trial.options.tools = NULL;
    EXPECT(SURETY_MISUSE, trial_begin(&trial));
done:
    declared_close(&trial, tools);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"valid calls of declared tools end the run", declared_valid},
        {"wrong calls go back with their errors", declared_wrong},
        {"the re-asks bound wrong calls", declared_spent},
        {"calls or a checked value", declared_contract_too},
        {"a model has to call the named tool", declared_must},
        {"calls without a row are not given out", declared_unrecorded},
        {"every protocol has its form of a choice", declared_forms},
        {"sets and choices that cannot be are refused", declared_misuse},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
