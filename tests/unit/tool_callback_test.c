/* SPDX-License-Identifier: Apache-2.0 */
/* Tools that the program has: what a set accepts, how arguments and results are
 * judged, and every end of a call. */
#include "check.h"
#include "tool/tool.h"

static surety_str text(const char *zero_terminated)
{
    return surety_str_of(zero_terminated);
}

static const char parameters[] =
    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},"
    "\"b\":{\"type\":\"integer\",\"default\":1}},\"required\":[\"a\"],"
    "\"additionalProperties\":false,"
    "\"x-surety\":{\"repair\":\"align\",\"defaults\":true}}";

/* What the function of a test does. */
struct script {
    surety_str output;
    surety_status status; /* of the last call */
    unsigned calls, more; /* how often it is called, and returns MORE */
    unsigned cancelled;
    char seen[128];
};

static surety_status script_call(void *ctx, const surety_tool_call *call,
                                 surety_buf *result, surety_error *reterr)
{
    struct script *script = ctx;
    surety_buf seen = surety__buf_over(script->seen, sizeof(script->seen));

    surety_buf_add(&seen, call->text);
    script->seen[seen.len] = '\0';
    if (script->calls++ < script->more)
        return SURETY_MORE;
    surety_buf_add(result, script->output);
    return script->status == SURETY_OK
               ? SURETY_OK
               : surety__fail(reterr, script->status, "no such city");
}

static void script_cancel(void *ctx, const surety_tool_call *call)
{
    struct script *script = ctx;

    script->cancelled += call->tool.len > 0;
}

static surety_tool script_tool(struct script *script)
{
    return (surety_tool){.size = sizeof(surety_tool),
                         .name = text("add"),
                         .description = text("Adds two numbers."),
                         .parameters = text(parameters),
                         .call = script_call,
                         .cancel = script_cancel,
                         .ctx = script};
}

static surety_status set_new(struct check *t, surety_tools **ret_tools)
{
    const surety_tools_options options = {.size = sizeof(options),
                                          .alloc = check_alloc(t)};

    return surety_tools_new(&options, ret_tools, NULL);
}

TEST(a_tool_is_called)
{
    struct script script = {.output = text("42")};
    surety_tool tool = script_tool(&script);
    surety_tools *tools = NULL;
    const surety_tool_result *result;

    TRY(set_new(t, &tools));
    TRY(surety_tools_add(tools, &tool, NULL));
    CHECK(surety_tools_count(tools) == 1 && !surety_tools_info(tools, 1));
    CHECK_TEXT(surety_tools_info(tools, 0)->parameters,
               "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
               "\"integer\"},\"b\":{\"type\":\"integer\",\"default\":1}},"
               "\"required\":[\"a\"],\"additionalProperties\":false}");
    TRY(surety_tools_call(tools, text("add"), text("{\"a\": \"41\"}"), NULL,
                          &result, NULL));
    CHECK(result->failure == SURETY_TOOL_NONE && result->sent);
    CHECK_TEXT(result->text, "42");
    CHECK_TEXT(result->arguments, "{\"a\":41,\"b\":1}");
    CHECK_TEXT(text(script.seen), "{\"a\":41,\"b\":1}");
done:
    surety_tools_free(tools);
}

/* A contract that was read before, and the level of repairs of the set in place
 * of its own. */
TEST(a_set_has_its_own_level)
{
    static const struct {
        const char *given, *taken; /* NULL: refused */
        surety_repair repair;
        bool certain;
    } cases[] = {
        {"{\"a\": 1,}", NULL, SURETY_REPAIR_NONE, false},
        {"{\"a\": 1,}", "{\"a\":1,\"b\":1}", SURETY_REPAIR_SYNTAX, true},
        {"{\"a\": \"41\"}", NULL, SURETY_REPAIR_SYNTAX, false},
        {"{\"a\": \"41\"}", "{\"a\":41,\"b\":1}", SURETY_REPAIR_ALIGN, false},
    };
    const surety_contract_options options = {.size = sizeof(options),
                                             .alloc = check_alloc(t)};
    struct script script = {.output = text("42")};
    surety_tool tool = script_tool(&script);
    surety_contract *contract = NULL;
    surety_tools *tools = NULL;
    const surety_tool_result *result;

    TRY(surety_contract_read(text(parameters), &options, &contract, NULL));
    tool.parameters = text("");
    tool.contract = contract;
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        const surety_tools_options own = {.size = sizeof(own),
                                          .alloc = check_alloc(t),
                                          .has_repair = true,
                                          .repair = cases[i].repair,
                                          .certain_only = cases[i].certain};

        TRY(surety_tools_new(&own, &tools, NULL));
        TRY(surety_tools_add(tools, &tool, NULL));
        TRY(surety_tools_call(tools, text("add"), text(cases[i].given), NULL,
                              &result, NULL));
        CHECK((result->failure == SURETY_TOOL_NONE) ==
              (cases[i].taken != NULL));
        if (cases[i].taken)
            CHECK_TEXT(result->arguments, cases[i].taken);
        surety_tools_free(tools);
        tools = NULL;
    }
done:
    surety_tools_free(tools);
    surety_contract_free(contract);
}

TEST(wrong_arguments_go_back)
{
    struct script script = {.output = text("42")};
    surety_tool tool = script_tool(&script);
    surety_tools *tools = NULL;
    const surety_tool_result *result;

    TRY(set_new(t, &tools));
    TRY(surety_tools_add(tools, &tool, NULL));
    TRY(surety_tools_call(tools, text("add"), text("{\"a\": [], \"b\": 2}"),
                          NULL, &result, NULL));
    CHECK(result->failure == SURETY_TOOL_ARGUMENTS && !result->sent);
    CHECK_TEXT(result->text,
               "The arguments are not valid, so the tool was not called. Call "
               "it again with arguments that satisfy its parameters:\n"
               "- /a: the value is an array, but must be an integer");
    CHECK_TEXT(result->message,
               "the arguments are not valid: /a: the value is an "
               "array, but must be an integer");
    CHECK_TEXT(result->arguments, "{\"a\": [], \"b\": 2}");
    TRY(surety_tools_call(tools, text("ad\nd"), text(""), NULL, &result, NULL));
    CHECK(result->failure == SURETY_TOOL_UNKNOWN && !result->sent);
    CHECK_TEXT(result->text, "There is no tool called \"ad\\u000ad\". The "
                             "tools are: add.");
    CHECK(script.calls == 0);
done:
    surety_tools_free(tools);
}

TEST(a_result_is_checked)
{
    struct script script = {.output = text("{\"sum\": \"4\"}")};
    surety_tool tool = script_tool(&script);
    surety_tools *tools = NULL;
    const surety_tool_result *result;

    tool.result = text("{\"type\":\"object\",\"properties\":{\"sum\":{\"type\":"
                       "\"integer\"}}}");
    TRY(set_new(t, &tools));
    TRY(surety_tools_add(tools, &tool, NULL));
    TRY(surety_tools_call(tools, text("add"), text("{\"a\":1}"), NULL, &result,
                          NULL));
    CHECK(result->failure == SURETY_TOOL_RESULT && result->sent);
    CHECK(!result->checked);
    CHECK_TEXT(result->text,
               "The tool failed: its result is not what it has to be:\n- /sum: "
               "\"4\" is a string, but must be an integer (4?)");
    script.output = text("{ \"sum\": 4 }\n");
    TRY(surety_tools_call(tools, text("add"), text("{\"a\":1}"), NULL, &result,
                          NULL));
    CHECK(result->failure == SURETY_TOOL_NONE && result->checked);
    CHECK_TEXT(result->text, "{\"sum\":4}");
done:
    surety_tools_free(tools);
}

TEST(every_failure_is_a_result)
{
    struct script script = {.status = SURETY_IO};
    surety_tool tool = script_tool(&script);
    surety_tools *tools = NULL;
    const surety_tool_result *result;

    tool.result_bytes_max = 8;
    TRY(set_new(t, &tools));
    TRY(surety_tools_add(tools, &tool, NULL));
    TRY(surety_tools_call(tools, text("add"), text("{\"a\":1}"), NULL, &result,
                          NULL));
    CHECK(result->failure == SURETY_TOOL_FAILED);
    CHECK_TEXT(result->text, "The tool failed: no such city.");
    CHECK_TEXT(result->message, "no such city");
    script = (struct script){.output = text("123456789")};
    TRY(surety_tools_call(tools, text("add"), text("{\"a\":1}"), NULL, &result,
                          NULL));
    CHECK(result->failure == SURETY_TOOL_LIMIT);
    CHECK_TEXT(result->message, "its result is longer than 8 bytes");
    script = (struct script){.output = text("12345678")};
    TRY(surety_tools_call(tools, text("add"), text("{\"a\":1}"), NULL, &result,
                          NULL));
    CHECK(result->failure == SURETY_TOOL_NONE);
    script = (struct script){.output = text("ok \xFF")};
    TRY(surety_tools_call(tools, text("add"), text("{\"a\":1}"), NULL, &result,
                          NULL));
    CHECK(result->failure == SURETY_TOOL_RESULT);
    CHECK_TEXT(result->message, "its result is not UTF-8 at byte 3");
done:
    surety_tools_free(tools);
}

TEST(a_call_that_is_not_done)
{
    const surety_part asked = {.kind = SURETY_PART_CALL,
                               .name = text("add"),
                               .id = text("call_1"),
                               .text = text("{\"a\":1}")};
    struct script script = {.output = text("42"), .more = 2};
    surety_tool tool = script_tool(&script);
    surety_tools *tools = NULL;
    surety__tool_call *call = NULL;
    const surety__tool *found;

    TRY(set_new(t, &tools));
    TRY(surety_tools_add(tools, &tool, NULL));
    found = surety__tools_find(tools, text("add"));
    NEED(call = surety__tool_call_new(tools, NULL, NULL));
    for (int round = 0; round < 3; round++) {
        script.calls = script.cancelled = 0;
        script.more = round ? 9 : 2;
        TRY(surety__tool_call_judge(call, found, &asked, 1000, NULL));
        CHECK(!surety__tool_call_has_ended(call));
        CHECK(surety__tool_call_deadline(call) == UINT64_MAX);
        TRY(surety__tool_call_begin(call, 1000, NULL));
        CHECK(surety__tool_call_deadline(call) == 61000);
        EXPECT(SURETY_MORE, surety__tool_call_step(call, 1001, NULL));
        if (round == 0) {
            TRY(surety__tool_call_step(call, 1002, NULL));
            CHECK_TEXT(surety__tool_call_result(call)->text, "42");
        } else if (round == 1) {
            TRY(surety__tool_call_step(call, 61000, NULL));
            CHECK_TEXT(surety__tool_call_result(call)->message,
                       "it was not done after 60000 ms");
        } else {
            surety__tool_call_cancel(call);
            CHECK(surety__tool_call_result(call)->failure ==
                  SURETY_TOOL_CANCELLED);
        }
        CHECK(surety__tool_call_has_ended(call));
        CHECK(script.cancelled == (round > 0));
    }
done:
    surety__tool_call_free(call);
    surety_tools_free(tools);
}

/* A validator that is not done at its first call, and refuses the number 13. */
static surety_status validate(void *ctx, const surety_validation *validation,
                              surety_error *reterr)
{
    unsigned *calls = ctx;
    const surety_val a = surety_val_get(validation->value, "a");

    (void)reterr;
    if ((*calls)++ == 0)
        return SURETY_MORE;
    if (surety_val_int(a, 0) != 13)
        return SURETY_OK;
    return surety_validation_add(validation, text("/a"), text("13 is unlucky"),
                                 text("take 12"));
}

TEST(validators_take_part)
{
    unsigned calls = 0;
    const surety_validator validator = {text("luck"), validate, &calls};
    struct script script = {.output = text("42")};
    surety_tool tool = script_tool(&script);
    surety_tools *tools = NULL;
    const surety_tool_result *result;

    tool.validators = &validator;
    tool.validator_count = 1;
    TRY(set_new(t, &tools));
    TRY(surety_tools_add(tools, &tool, NULL));
    TRY(surety_tools_call(tools, text("add"), text("{\"a\":13}"), NULL, &result,
                          NULL));
    CHECK(result->failure == SURETY_TOOL_ARGUMENTS && script.calls == 0);
    CHECK_TEXT(result->message,
               "the arguments are not valid: /a: 13 is unlucky");
    TRY(surety_tools_call(tools, text("add"), text("{\"a\":12}"), NULL, &result,
                          NULL));
    CHECK(result->failure == SURETY_TOOL_NONE && script.calls == 1);
done:
    surety_tools_free(tools);
}

TEST(what_a_set_refuses)
{
    static const char *const names[] = {
        "", "1st", "a.b", "-a",
        "a234567890123456789012345678901234567890123456789012345678901234x"};
    struct script script = {.output = text("")};
    surety_tool tool = script_tool(&script);
    surety_tools *tools = NULL;
    const surety_tool_result *result;
    surety_error error;

    TRY(set_new(t, &tools));
    for (size_t i = 0; i < SURETY__COUNT(names); i++) {
        tool.name = text(names[i]);
        EXPECT(SURETY_MISUSE, surety_tools_add(tools, &tool, NULL));
    }
    tool.name = text("add");
    tool.parameters = text("{\"type\":\"string\"}");
    EXPECT(SURETY_MISUSE, surety_tools_add(tools, &tool, NULL));
    tool.parameters = text("{\"type\":\"objekt\"}");
    EXPECT(SURETY_SYNTAX, surety_tools_add(tools, &tool, &error));
    CHECK_TEXT(text(error.source), "add: parameters");
    tool.parameters = text("");
    tool.result = text("[]");
    EXPECT(SURETY_SYNTAX, surety_tools_add(tools, &tool, &error));
    CHECK_TEXT(text(error.source), "add: result");
    tool.result = text("");
    TRY(surety_tools_add(tools, &tool, NULL));
    EXPECT(SURETY_MISUSE, surety_tools_add(tools, &tool, NULL));
    CHECK(surety_tools_count(tools) == 1);
    TRY(surety_tools_call(tools, text("add"), text(" "), NULL, &result, NULL));
    CHECK(result->failure == SURETY_TOOL_NONE);
    CHECK_TEXT(result->arguments, "{}");
    TRY(surety_tools_call(tools, text("add"), text("{\"a\":1}"), NULL, &result,
                          NULL));
    CHECK(result->failure == SURETY_TOOL_ARGUMENTS);
done:
    surety_tools_free(tools);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"a tool is called", a_tool_is_called},
        {"a set has its own level", a_set_has_its_own_level},
        {"wrong arguments go back", wrong_arguments_go_back},
        {"a result is checked", a_result_is_checked},
        {"every failure is a result", every_failure_is_a_result},
        {"a call that is not done", a_call_that_is_not_done},
        {"validators take part", validators_take_part},
        {"what a set refuses", what_a_set_refuses},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
