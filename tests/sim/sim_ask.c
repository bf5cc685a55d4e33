/* SPDX-License-Identifier: Apache-2.0 */
/* Which tools models ask for, in the words of their protocols or in a text:
 * tools that there are not, arguments that are wrong or no JSON, several calls
 * at once, the same call again and again, calls without an id or with that of
 * another, the answer's tool beside them. */
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ASKS_MAX = 12 };

struct ask {
    char id[24]; /* empty: it has none */
    const char *name, *arguments;
};

static const char *const ask_names[] = {"add",  "add",     "look", "poll",
                                        "idle", "nothing", "reply"};
static const char *const ask_arguments[] = {
    "{\"a\":1,\"b\":2}",
    "{\"a\":1,\"b\":2}",
    "{\"b\":2,\"a\":1}",
    "{\"a\":3,\"b\":\"2\"}",
    "{\"a\":1}",
    "{\"city\":\"caf\xC3\xA9\"}",
    "{\"city\":\"Bonn\"}",
    "{\"city\":\"Bonn\"}",
    "{}",
    "{}",
    "{}",
    "",
    "[1]",
    "null",
    "{\"a\":",
    "{\"a\":1,\"b\":2,\"c\":3}",
    "{\"a\":1e999,\"b\":2}",
    "{\"a\":1,\"b\":2,\"a\":1}",
};
#define ASK_COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool ask_is_json(const char *text)
{
    surety_doc *doc = surety_doc_new(NULL);
    surety_status status;

    if (!doc)
        abort();
    status = surety_doc_read(doc, surety_str_of(text), NULL, NULL);
    surety_doc_free(doc);
    return status == SURETY_OK;
}

/* Often the call before: models do. */
static size_t ask_make(struct sim *sim, struct ask asks[ASKS_MAX])
{
    struct sim_tools *tools = &sim->tools;
    const size_t count = sim_one_in(sim, 12) ? ASKS_MAX : 1 + sim_below(sim, 3);

    for (size_t i = 0; i < count; i++) {
        if (!tools->last_name || !sim_one_in(sim, 3)) {
            tools->last_name = ask_names[sim_below(sim, ASK_COUNT(ask_names))];
            tools->last_arguments =
                ask_arguments[sim_below(sim, ASK_COUNT(ask_arguments))];
        }
        asks[i].name = tools->last_name;
        asks[i].arguments = tools->last_arguments;
        asks[i].id[0] = 0;
        if (i && sim_one_in(sim, 16))
            memcpy(asks[i].id, asks[i - 1].id, sizeof(asks[i].id));
        else if (!sim_one_in(sim, 16))
            (void)snprintf(asks[i].id, sizeof(asks[i].id), "toolu_%zu",
                           ++tools->asked);
    }
    return count;
}

/* ---- protocols ----------------------------------------------------------- */

static void ask_add(struct sim_exchange *exchange, const char *before,
                    const char *text, const char *after)
{
    sim_add(exchange, before);
    sim_add_string(exchange, text, strlen(text));
    sim_add(exchange, after);
}

/* Arguments of a protocol that carries them as JSON. */
static void ask_add_json(struct sim_exchange *exchange, const char *text)
{
    if (ask_is_json(text))
        sim_add(exchange, text);
    else
        sim_add_string(exchange, text, strlen(text));
}

static void ask_openai(struct sim_exchange *exchange, const struct ask *asks,
                       size_t count)
{
    sim_add(exchange, "{\"id\":\"c-1\",\"choices\":[{\"index\":0,\"message\":{"
                      "\"role\":\"assistant\",\"content\":null,"
                      "\"tool_calls\":[");
    for (size_t i = 0; i < count; i++) {
        sim_add(exchange, i ? ",{" : "{");
        if (asks[i].id[0])
            ask_add(exchange, "\"id\":", asks[i].id, ",");
        ask_add(exchange,
                "\"type\":\"function\",\"function\":{\"name\":", asks[i].name,
                "");
        ask_add(exchange, ",\"arguments\":", asks[i].arguments, "}}");
    }
    sim_add(exchange, "]},\"finish_reason\":\"tool_calls\"}],\"usage\":{"
                      "\"prompt_tokens\":100,\"completion_tokens\":50}}");
}

/* The pieces of all calls, one after the other in turn. */
static void ask_openai_stream(struct sim *sim, const struct ask *asks,
                              size_t count)
{
    struct sim_exchange *exchange = &sim->exchange;
    const char *rest[ASKS_MAX];
    char text[160];

    exchange->headers[0].value = surety_str_of("text/event-stream");
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(text, sizeof(text),
                       "data: {\"id\":\"c-1\",\"choices\":[{\"index\":0,"
                       "\"delta\":{\"tool_calls\":[{\"index\":%zu,",
                       i);
        sim_add(exchange, text);
        if (asks[i].id[0])
            ask_add(exchange, "\"id\":", asks[i].id, ",");
        ask_add(exchange, "\"function\":{\"name\":", asks[i].name,
                ",\"arguments\":\"\"}}]}}]}\n\n");
        rest[i] = asks[i].arguments;
    }
    for (size_t left = count; left > 0;) {
        left = 0;
        for (size_t i = 0; i < count; i++) {
            const size_t len = sim_piece(rest[i], 1 + sim_below(sim, 8));

            if (!len)
                continue;
            (void)snprintf(text, sizeof(text),
                           "data: {\"choices\":[{\"index\":0,\"delta\":{"
                           "\"tool_calls\":[{\"index\":%zu,\"function\":{"
                           "\"arguments\":",
                           i);
            sim_add(exchange, text);
            sim_add_string(exchange, rest[i], len);
            sim_add(exchange, "}}]}}]}\n\n");
            rest[i] += len;
            left++;
        }
    }
    sim_add(exchange, "data: {\"choices\":[{\"index\":0,\"delta\":{},"
                      "\"finish_reason\":\"tool_calls\"}]}\n\n"
                      "data: [DONE]\n\n");
}

static void ask_responses(struct sim_exchange *exchange, const struct ask *asks,
                          size_t count)
{
    sim_add(exchange, "{\"id\":\"r-1\",\"object\":\"response\",\"status\":"
                      "\"completed\",\"output\":[");
    for (size_t i = 0; i < count; i++) {
        sim_add(exchange, i ? ",{" : "{");
        if (asks[i].id[0])
            ask_add(exchange, "\"call_id\":", asks[i].id, ",");
        ask_add(exchange, "\"type\":\"function_call\",\"name\":", asks[i].name,
                "");
        ask_add(exchange, ",\"arguments\":", asks[i].arguments, "}");
    }
    sim_add(exchange, "],\"usage\":{\"input_tokens\":100,"
                      "\"output_tokens\":50}}");
}

static void ask_anthropic(struct sim_exchange *exchange, const struct ask *asks,
                          size_t count)
{
    sim_add(exchange, "{\"id\":\"m-1\",\"type\":\"message\",\"role\":"
                      "\"assistant\",\"content\":[{\"type\":\"text\","
                      "\"text\":\"Let me see.\"}");
    for (size_t i = 0; i < count; i++) {
        sim_add(exchange, ",{");
        if (asks[i].id[0])
            ask_add(exchange, "\"id\":", asks[i].id, ",");
        ask_add(exchange, "\"type\":\"tool_use\",\"name\":", asks[i].name,
                ",\"input\":");
        ask_add_json(exchange, asks[i].arguments);
        sim_add(exchange, "}");
    }
    sim_add(exchange, "],\"stop_reason\":\"tool_use\",\"usage\":{"
                      "\"input_tokens\":100,\"output_tokens\":50}}");
}

static void ask_gemini(struct sim_exchange *exchange, const struct ask *asks,
                       size_t count)
{
    sim_add(exchange, "{\"candidates\":[{\"index\":0,\"content\":{\"role\":"
                      "\"model\",\"parts\":[");
    for (size_t i = 0; i < count; i++) {
        sim_add(exchange, i ? ",{\"functionCall\":{" : "{\"functionCall\":{");
        if (asks[i].id[0])
            ask_add(exchange, "\"id\":", asks[i].id, ",");
        ask_add(exchange, "\"name\":", asks[i].name, ",\"args\":");
        ask_add_json(exchange, asks[i].arguments);
        sim_add(exchange, i ? "}}" : "},\"thoughtSignature\":\"c2ln\"}");
    }
    sim_add(exchange, "]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{"
                      "\"promptTokenCount\":100,\"candidatesTokenCount\":50}}");
}

/* ---- texts --------------------------------------------------------------- */

/* Appends to a text that ends with NUL. */
static void ask_text_add(char *text, const char *more)
{
    const size_t len = strlen(text);

    (void)snprintf(text + len, SIM_ASK_MAX - len, "%s", more);
}

static void ask_text_one(char *text, const struct ask *ask, uint64_t form)
{
    static const char *const parts[][4] = {
        {"<tool_call>{\"name\": \"", "\", \"arguments\": ", "}</tool_call>\n",
         "{}"},
        {"{\"name\": \"", "\", \"arguments\": ", "}", "{}"},
        {"I will look.\nAction: ", "\nAction Input: ", "\nObservation: ", "{}"},
        {"<tool_call>{\"name\": \"", "\", \"arguments\": \"", "\"}</tool_call>",
         "x"},
        {"<function=", "><parameter=a>1</parameter><parameter=b>",
         "</parameter></function>", "2"},
        {"<tool_call>{\"name\": \"", "\", \"argum", "", " "},
    };
    const char *const *part = parts[form];
    const char *arguments = form < 3 ? ask->arguments : part[3];

    ask_text_add(text, part[0]);
    ask_text_add(text, ask->name);
    ask_text_add(text, part[1]);
    ask_text_add(text, *arguments ? arguments : part[3]);
    ask_text_add(text, part[2]);
}

void sim_ask(struct sim *sim, surety_protocol protocol, bool text)
{
    struct ask asks[ASKS_MAX];
    const size_t count = ask_make(sim, asks);
    const uint64_t form = sim_below(sim, 6);

    if (text) {
        sim->tools.text[0] = 0;
        for (size_t i = 0; i < count; i++)
            ask_text_one(sim->tools.text, &asks[i], form);
        sim_answer(sim, protocol, sim->tools.text, SIM_STOP, false);
        return;
    }
    switch (protocol) {
    case SURETY_PROTOCOL_OPENAI:
        if (sim_one_in(sim, 2))
            ask_openai_stream(sim, asks, count);
        else
            ask_openai(&sim->exchange, asks, count);
        break;
    case SURETY_PROTOCOL_RESPONSES:
        ask_responses(&sim->exchange, asks, count);
        break;
    case SURETY_PROTOCOL_ANTHROPIC:
        ask_anthropic(&sim->exchange, asks, count);
        break;
    default: ask_gemini(&sim->exchange, asks, count); break;
    }
}
