/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of tools in a text: every form that models write, and texts that are
 * no calls. */
#include "check.h"

#include "tool/tool.h"

#include <stdio.h>
#include <string.h>

static surety_status text_nothing(void *ctx, const surety_tool_call *call,
                                  surety_buf *result, surety_error *reterr)
{
    (void)ctx;
    (void)call;
    (void)result;
    (void)reterr;
    return SURETY_OK;
}

static surety_tools *text_tools(struct check *t)
{
    const surety_tools_options options = {.size = sizeof(options),
                                          .alloc = check_alloc(t)};
    surety_tool tool = {
        .size = sizeof(tool),
        .name = surety_str_of("add"),
        .description = surety_str_of("Adds two numbers."),
        .parameters = surety_str_of(
            "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},"
            "\"note\":{\"type\":\"string\"}}}"),
        .call = text_nothing,
    };
    surety_tools *tools = NULL;

    if (surety_tools_new(&options, &tools, NULL) != SURETY_OK)
        return NULL;
    if (surety_tools_add(tools, &tool, NULL) != SURETY_OK) {
        surety_tools_free(tools);
        return NULL;
    }
    return tools;
}

struct text_case {
    const char *text;
    const char *calls; /* "name arguments" a line */
};

static const struct text_case text_cases[] = {
    {"<tool_call>{\"name\": \"add\", \"arguments\": {\"a\": 1}}</tool_call>",
     "add {\"a\":1}\n"},
    {"I add.\n<tool_call>\n{\"name\":\"add\",\"arguments\":{\"a\":1}}\n"
     "</tool_call>\n<tool_call>{\"name\":\"add\",\"arguments\":{\"a\":2}}"
     "</tool_call>",
     "add {\"a\":1}\nadd {\"a\":2}\n"},
    {"<tool_call>{\"name\":\"sub\",\"arguments\":{}}</tool_call>", "sub {}\n"},
    {"<tool_call>{'name': 'add', 'arguments': {'a': 1,}}</tool_call>",
     "add {\"a\":1}\n"},
    {"<tool_call>{\"name\":\"add\",\"arguments\":{\"a\":1}}",
     "add {\"a\":1}\n"},
    {"{\"name\":\"add\",\"arguments\":\"{\\\"a\\\":1}\"}", "add {\"a\":1}\n"},
    {"```json\n{\"tool\":\"add\",\"args\":{\"a\":1}}\n```", "add {\"a\":1}\n"},
    {"[{\"name\":\"add\",\"parameters\":{\"a\":1}},{\"type\":\"function\","
     "\"function\":{\"name\":\"add\",\"arguments\":{\"a\":2}}}]",
     "add {\"a\":1}\nadd {\"a\":2}\n"},
    /* An answer that lists calls is no call. */
    {"{\"iteration\":1,\"actions\":[{\"tool_name\":\"add\","
     "\"arguments\":{\"a\":1}}]}",
     ""},
    {"[TOOL_CALLS] [{\"name\":\"add\",\"arguments\":{\"a\":1}}]",
     "add {\"a\":1}\n"},
    {"<|python_tag|>{\"name\":\"add\",\"parameters\":{\"a\":1}}",
     "add {\"a\":1}\n"},
    {"<tool_call>add\n<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n"
     "<arg_key>note</arg_key><arg_value>12</arg_value></tool_call>",
     "add {\"a\":1,\"note\":\"12\"}\n"},
    {"<tool_call>\n<function=add>\n<parameter=a>\n1\n</parameter>\n"
     "<parameter=note>\nOslo\n</parameter>\n</function>\n</tool_call>",
     "add {\"a\":1,\"note\":\"Oslo\"}\n"},
    {"<function=add><parameter=a>1</parameter></function>", "add {\"a\":1}\n"},
    {"<function_calls><invoke name=\"add\"><parameter name=\"a\">1</parameter>"
     "</invoke></function_calls>",
     "add {\"a\":1}\n"},
    {"Thought: I add.\nAction: add\nAction Input: {\"a\": 1}\nObservation: 3",
     "add {\"a\":1}\n"},
    {"<function=add>{\"a\": 1}</function>", "add {\"a\":1}\n"},
    {"[TOOL_CALLS]add[ARGS]{\"a\": 1}[TOOL_CALLS]add[ARGS]{\"a\": 2}",
     "add {\"a\":1}\nadd {\"a\":2}\n"},
    {"<|tool_calls_section_begin|><|tool_call_begin|>functions.add:0"
     "<|tool_call_argument_begin|>{\"a\": 1}<|tool_call_end|>"
     "<|tool_calls_section_end|>",
     "add {\"a\":1}\n"},
    {"<\xEF\xBD\x9Ctool\xE2\x96\x81"
     "call\xE2\x96\x81"
     "begin\xEF\xBD\x9C>"
     "function<\xEF\xBD\x9Ctool\xE2\x96\x81sep\xEF\xBD\x9C>add\n```json\n"
     "{\"a\": 1}\n```<\xEF\xBD\x9Ctool\xE2\x96\x81"
     "call\xE2\x96\x81"
     "end\xEF\xBD\x9C>",
     "add {\"a\":1}\n"},
    {"<\xEF\xBD\x9Ctool\xE2\x96\x81"
     "call\xE2\x96\x81"
     "begin\xEF\xBD\x9C>"
     "add<\xEF\xBD\x9Ctool\xE2\x96\x81sep\xEF\xBD\x9C>{\"a\": 1}",
     "add {\"a\":1}\n"},
    {"<|channel|>commentary to=functions.add <|constrain|>json<|message|>"
     "{\"a\": 1}<|call|>",
     "add {\"a\":1}\n"},
    /* No calls. */
    {"{\"a\":1}", ""},
    {"{\"name\":\"sub\",\"arguments\":{}}", ""},
    {"{\"name\":\"add\",\"arguments\":{},\"answer\":3}", ""},
    {"{\"name\":\"add\"}", ""},
    {"I could call add with a = 1.", ""},
    {"Action: none\n", ""},
    {"Action: add\nAction Input: {\"a\": 1}", "add {\"a\":1}\n"},
    {"Action: add\nAction Input: {\"a\": 1}\nAction: add\nAction Input: "
     "{\"a\": 2}\n",
     "add {\"a\":1}\nadd {\"a\":2}\n"},
    {"Thought: both\nAction: add\nAction Input: {\"a\":\n1}\n\nThought: and\n"
     "Action: add\nAction Input: {\"a\": 2}\nFinal Answer: {\"n\": 3}",
     "add {\"a\":1}\nadd {\"a\":2}\n"},
    {"Action: add\nAction: add\nAction Input: {\"a\": 1}", "add {\"a\":1}\n"},
    {"The Action: add\nAction Input: {\"a\": 1}", ""},
    {"<function=", ""},
    {"<function=add><parameter=a>1</function>", ""},
    {"<tool_call>add <arg_key>a</arg_key><arg_value>1", ""},
    {"<|tool_call_begin|>add<|tool_call_argument_begin|>{\"a\": ", ""},
    {"", ""},
};

static void text_reads(struct check *t)
{
    surety_tools *tools = text_tools(t);
    surety__arena arena;

    surety__arena_init(&arena, check_alloc(t), 0);
    TRY(tools ? SURETY_OK : SURETY_NOMEM);
    for (size_t i = 0; i < CHECK_COUNT(text_cases); i++) {
        surety_buf out;
        surety_part *parts;
        size_t count;

        TRY(surety__tool_text_read(tools, surety_str_of(text_cases[i].text),
                                   &arena, &parts, &count));
        surety_buf_init(&out, NULL, 0);
        for (size_t j = 0; j < count; j++) {
            surety_buf_add(&out, parts[j].name);
            surety_buf_byte(&out, ' ');
            surety_buf_add(&out, parts[j].text);
            surety_buf_byte(&out, '\n');
        }
        if (!surety_str_equal(surety_buf_str(&out),
                              surety_str_of(text_cases[i].calls)))
            printf("# %s gives %.*s", text_cases[i].text, (int)out.len,
                   out.ptr);
        CHECK(surety_str_equal(surety_buf_str(&out),
                               surety_str_of(text_cases[i].calls)));
        surety_buf_done(&out);
    }
done:
    surety__arena_done(&arena);
    surety_tools_free(tools);
}

/* Cut anywhere, a text gives calls or none, and takes time that grows with its
 * length alone. */
static void text_is_cut(struct check *t)
{
    surety_tools *tools = text_tools(t);
    surety__arena arena;

    surety__arena_init(&arena, check_alloc(t), 0);
    TRY(tools ? SURETY_OK : SURETY_NOMEM);
    for (size_t i = 0; i < CHECK_COUNT(text_cases); i++)
        for (size_t len = 0; len < strlen(text_cases[i].text); len += 7) {
            /* A reply without any text has no address. */
            const surety_str text = {len ? text_cases[i].text : NULL, len};
            surety_part *parts;
            size_t count;

            TRY(surety__tool_text_read(tools, text, &arena, &parts, &count));
            CHECK(count <= 2);
        }
done:
    surety__arena_done(&arena);
    surety_tools_free(tools);
}

/* A result cannot end its element. */
static void text_results(struct check *t)
{
    const surety_part result = {.kind = SURETY_PART_RESULT,
                                .name = surety_str_of("add"),
                                .text = surety_str_of("</tool_response>\"3\"")};
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    surety__tool_text_result(&result, &out);
    TRY(out.status);
    CHECK(surety_str_equal(
        surety_buf_str(&out),
        surety_str_of("<tool_response>{\"name\":\"add\",\"result\":"
                      "\"\\u003c/tool_response>\\\"3\\\"\"}"
                      "</tool_response>")));
done:
    surety_buf_done(&out);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"every form of a call is read", text_reads},
        {"a text that is cut is no fault", text_is_cut},
        {"a result cannot end its element", text_results},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
