/* SPDX-License-Identifier: Apache-2.0 */
/* What clients ask for: requests of the four protocols, with schemas and
 * without, whole and as streams, right ones and some that must be refused. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "sim/gate.h"

const char *const gate_schemas[GATE_SCHEMAS] = {
    "{\"type\":\"array\",\"items\":{\"type\":\"integer\"},\"minItems\":1}",
    "{\"type\":\"object\",\"required\":[\"n\",\"s\"],\"properties\":{\"n\":{"
    "\"type\":\"integer\",\"maximum\":10},\"s\":{\"enum\":[\"a\",\"b\"]},"
    "\"o\":{\"type\":\"string\"}},\"additionalProperties\":false}",
};

static const char *const ask_givings[] = {NULL, "hold", "live", "resume"};

/* What a request that must be refused has wrong. */
enum ask_fault {
    FAULT_NO_JSON,
    FAULT_NO_MODEL,
    FAULT_SCHEMA,
    FAULT_PATH,
    FAULT_CONTRACT,
    FAULTS,
    FAULT_OK
};

/* The member with a schema; tool: for the tool that must be called. */
static const struct ask_form {
    surety_protocol protocol;
    bool is_tool;
    const char *before, *after; /* of the schema */
} ask_forms[] = {
    {SURETY_PROTOCOL_OPENAI, false,
     ",\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{"
     "\"name\":\"point\",\"schema\":",
     "}}"},
    {SURETY_PROTOCOL_OPENAI, true,
     ",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"pick\","
     "\"parameters\":",
     "}}],\"tool_choice\":\"required\""},
    {SURETY_PROTOCOL_RESPONSES, false,
     ",\"text\":{\"format\":{\"type\":\"json_schema\",\"name\":\"point\","
     "\"schema\":",
     "}}"},
    {SURETY_PROTOCOL_RESPONSES, true,
     ",\"tools\":[{\"type\":\"function\",\"name\":\"pick\",\"parameters\":",
     "}],\"tool_choice\":\"required\""},
    {SURETY_PROTOCOL_ANTHROPIC, false,
     ",\"output_config\":{\"format\":{\"type\":\"json_schema\",\"schema\":",
     "}}"},
    {SURETY_PROTOCOL_ANTHROPIC, true,
     ",\"tools\":[{\"name\":\"pick\",\"input_schema\":",
     "}],\"tool_choice\":{\"type\":\"any\"}"},
    {SURETY_PROTOCOL_GEMINI, false,
     ",\"generationConfig\":{\"responseMimeType\":\"application/json\","
     "\"responseJsonSchema\":",
     "}"},
    {SURETY_PROTOCOL_GEMINI, true,
     ",\"tools\":[{\"functionDeclarations\":[{\"name\":\"pick\","
     "\"parametersJsonSchema\":",
     "}]}],\"toolConfig\":{\"functionCallingConfig\":{\"mode\":\"ANY\"}}"},
};

#define ASK_MESSAGES                                                           \
    "\"messages\":[{\"role\":\"user\",\"content\":\"How many?\"}]"

/* ORDER surety_protocol */
static const char *const ask_questions[] = {
    ASK_MESSAGES,
    "\"input\":\"How many?\"",
    ("\"max_tokens\":500," ASK_MESSAGES),
    "\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"How many?\"}]}]",
};

/* The body; model: its name, which Gemini has in the path. */
static void ask_body(const struct gate_ask *ask, const char *model,
                     enum ask_fault fault, surety_buf *out)
{
    const char *schema =
        ask->schema < 0 || ask->is_named ? NULL : gate_schemas[ask->schema];

    if (fault == FAULT_SCHEMA)
        schema = "{\"type\":\"number\",\"minimum\":\"none\"}";
    surety_buf_text(out, "{");
    if (ask->protocol != SURETY_PROTOCOL_GEMINI)
        surety__buf_printf(out, "\"model\":\"%s\",\"stream\":%s,", model,
                           ask->is_stream ? "true" : "false");
    surety_buf_text(out, ask_questions[ask->protocol]);
    for (size_t i = 0; schema && i < SURETY__COUNT(ask_forms); i++)
        if (ask_forms[i].protocol == ask->protocol &&
            ask_forms[i].is_tool == ask->is_tool)
            surety__buf_printf(out, "%s%s%s", ask_forms[i].before, schema,
                               ask_forms[i].after);
    surety_buf_text(out, fault == FAULT_NO_JSON ? "" : "}");
}

static void ask_path(const struct gate_ask *ask, const char *model,
                     enum ask_fault fault, surety_buf *out)
{
    if (fault == FAULT_PATH)
        surety_buf_text(out, "/v1/nothing");
    else if (ask->protocol == SURETY_PROTOCOL_GEMINI)
        surety__buf_printf(out, "/v1beta/models/%s:%s", model,
                           ask->is_stream ? "streamGenerateContent?alt=sse"
                                          : "generateContent");
    else
        surety_buf_text(out, ask->protocol == SURETY_PROTOCOL_RESPONSES
                                 ? "/v1/responses"
                             : ask->protocol == SURETY_PROTOCOL_ANTHROPIC
                                 ? "/v1/messages"
                                 : "/v1/chat/completions");
}

static void ask_headers(struct gate *gate, const struct gate_ask *ask,
                        enum ask_fault fault, surety_buf *out)
{
    const char *key = gate->has_keys ? gate->secret : "sk-client";

    if (ask->protocol == SURETY_PROTOCOL_ANTHROPIC)
        surety__buf_printf(
            out, "x-api-key: %s\r\nanthropic-version: 2023-06-01\r\n", key);
    else if (ask->protocol == SURETY_PROTOCOL_GEMINI)
        surety__buf_printf(out, "x-goog-api-key: %s\r\n", key);
    else
        surety__buf_printf(out, "Authorization: Bearer %s\r\n", key);
    if (ask_givings[ask->giving])
        surety__buf_printf(out, "Surety-Stream: %s\r\n",
                           ask_givings[ask->giving]);
    if (ask->is_named || fault == FAULT_CONTRACT)
        surety__buf_printf(out, "Surety-Contract: %s\r\n",
                           fault == FAULT_CONTRACT ? "nothing" : "point");
    if (gate_one_in(gate, 3))
        surety__buf_printf(out, "Surety-Retries: %u\r\n",
                           (unsigned)gate_below(gate, 4));
    if (gate_one_in(gate, 4))
        surety_buf_text(out, "Surety-Report: full\r\n");
    if (gate_one_in(gate, 12))
        surety_buf_text(out, "Connection: close\r\n");
}

/* Writes a request for an object, whose path is named at a provider of its
 * protocol, if there is one. */
static void ask_object(struct gate *gate, struct gate_ask *ask, surety_buf *out)
{
    char body[16] = "";

    ask->object = (int)gate->object_count++;
    ask->is_wrong = gate_keeper(gate, ask->protocol) == SIZE_MAX;
    ask->is_posted = gate_one_in(gate, 2);
    if (ask->is_posted)
        snprintf(body, sizeof(body), "\xff{%d", ask->object);
    surety__buf_printf(
        out, "%s /%s/files/f%d HTTP/1.1\r\nHost: gate.test\r\n",
        ask->is_posted ? "POST" : "GET",
        ask->protocol == SURETY_PROTOCOL_GEMINI ? "v1beta" : "v1", ask->object);
    ask_headers(gate, ask, FAULT_OK, out);
    surety__buf_printf(out, "Content-Length: %zu\r\n\r\n%s", strlen(body),
                       body);
    ask->end = out->len;
}

static const char *const ask_models[GATE_MODELS] = {"m0", "m1", "m2", "m3"};
static const surety_protocol ask_protocols[] = {
    SURETY_PROTOCOL_OPENAI, SURETY_PROTOCOL_RESPONSES,
    SURETY_PROTOCOL_ANTHROPIC, SURETY_PROTOCOL_GEMINI};

void gate_ask_write(struct gate *gate, struct gate_client *client,
                    struct gate_ask *ask)
{
    surety_buf *out = &client->out;
    enum ask_fault fault = FAULT_OK;
    const char *model = "mr"; /* the route */
    surety_buf body;

    *ask = (struct gate_ask){.protocol = ask_protocols[gate_below(gate, 4)],
                             .schema = -1,
                             .start = out->len};
    if (gate_one_in(gate, 8)) {
        ask_object(gate, ask, out);
        return;
    }
    *ask =
        (struct gate_ask){.protocol = ask_protocols[gate_below(gate, 4)],
                          .is_stream = gate_one_in(gate, 2),
                          .giving = (enum gate_giving)gate_below(gate, 4),
                          .schema = (int)gate_below(gate, GATE_SCHEMAS + 1) - 1,
                          .object = -1,
                          .start = out->len};
    ask->is_named = ask->schema == GATE_SCHEMAS - 1 && gate_one_in(gate, 3);
    ask->is_tool = ask->schema == GATE_SCHEMAS - 1 && !ask->is_named &&
                   gate_one_in(gate, 3);
    ask->is_wrong = gate_one_in(gate, 12);
    if (ask->is_wrong)
        fault = (enum ask_fault)gate_below(gate, FAULTS);
    if (fault == FAULT_CONTRACT || fault == FAULT_SCHEMA)
        ask->is_named = false;
    if (fault == FAULT_NO_MODEL)
        model = "unknown:m0";
    else if (!gate_one_in(gate, 3))
        model = ask_models[gate_below(gate, gate->model_count)];
    surety_buf_init(&body, NULL, 0);
    ask_body(ask, model, fault, &body);
    surety_buf_text(out, "POST ");
    ask_path(ask, model, fault, out);
    surety_buf_text(out, " HTTP/1.1\r\nHost: gate.test\r\n");
    ask_headers(gate, ask, fault, out);
    surety__buf_printf(out, "Content-Length: %zu\r\n\r\n", body.len);
    surety_buf_append(out, body.ptr, body.len);
    surety_buf_done(&body);
    ask->end = out->len;
}
