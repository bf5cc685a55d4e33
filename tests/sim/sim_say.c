/* SPDX-License-Identifier: Apache-2.0 */
/* What models say, in the words of their protocols: replies from right to
 * hopeless, some of them long, some without an end, as a body or as a stream
 * whose pieces a seed makes. */
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const surety_limits sim_limits = {
    .size = sizeof(sim_limits), .blank_run_max = 200, .repeat_run_max = 1100};

/* ---- what a model says --------------------------------------------------- */

#define SIM_LONG                                                               \
    "Of all that could be told about this there is too much to tell, and yet " \
    "it goes on: first the weather, then the news, a word about the garden, "  \
    "two about the neighbours, and in the end, as always, nothing that was "   \
    "asked for. "
#define SIM_BLANKS                                                             \
    "                                                                      "   \
    "                                                                      "   \
    "                                                                      "
#define SIM_AGAIN "again and again and again and again and again and again and "
#define SIM_AGAINS                                                             \
    SIM_AGAIN SIM_AGAIN SIM_AGAIN SIM_AGAIN SIM_AGAIN SIM_AGAIN SIM_AGAIN      \
        SIM_AGAIN

static const char *const sim_replies[] = {
    "{\"n\":3,\"s\":\"a\"}",
    "{\"n\":3,\"s\":\"a\"}",
    "{\"n\":4,\"s\":\"b\",\"o\":\"x\"}",
    "{\"n\":5,\"s\":\"a\",\"o\":null}",
    "Here it is:\n```json\n{\"n\":1,\"s\":\"b\"}\n```\nGood luck.",
    "{\"n\":11,\"s\":\"a\"}",
    "{\"n\":11,\"s\":\"a\"}",
    "{\"n\":\"3\",\"s\":\"c\"}",
    "{\"n\":3}",
    "{\"n\":3,\"s\":\"a\",\"x\":1}",
    "{\"n\":3,\"s\":\"a\"",
    "{'n':3}",
    "[1,2,3]",
    "[1,\"2\"]",
    "null",
    "I would rather talk about the weather.",
    "Sorry, I cannot do that.",
    "[{\"op\":\"replace\",\"path\":\"/n\",\"value\":7}]",
    "[{\"op\":\"remove\",\"path\":\"/nothing\"}]",
    "",
    "   \n ",
    "```json\n{\"n\":11,\"s\":\"a\"}\n```\n```json\n{\"n\":2,\"s\":\"a\"}\n```",
    "<think>{\"n\":1,\"s\":\"a\"}</think>",
    "[[[[[[[[[[[[[[[[[[[[",
    "{\"n\":1e999999,\"s\":\"a\"}",
    "caf\xC3\xA9 \xF0\x9F\x98\x80",
    /* Wrong from early on, and long. */
    "{\"n\":11,\"s\":\"a\",\"o\":\"" SIM_LONG SIM_LONG "\"}",
    "{\"s\":\"c\",\"n\":3,\"o\":\"" SIM_LONG SIM_LONG "\"}",
    "{\"o\":null,\"n\":\"many\",\"s\":\"a\",\"x\":\"" SIM_LONG "\"}",
    "{\"o\":null,\"n\":7,\"s\":\"a\",\"x\":\"" SIM_LONG "\"}",
    "{\"o\":\"" SIM_LONG SIM_LONG "\",\"n\":7,\"s\":\"a\"}",
    "{\"o\":null,\"n\":7,\"s\":\"b\"}",
    "[1,2,\"3\",4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24]",
    "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24]",
    "Such as {\"n\":99,\"s\":\"a\"}; but " SIM_LONG
    "mine is\n{\"n\":9,\"s\":\"a\"}",
    "{\"n\":11,\"s\":\"a\"} is wrong, " SIM_LONG "{\"n\":1,\"s\":\"a\"} is it",
    "{n: 3, s: 'a', o: '" SIM_LONG "',}",
    /* Without an end. */
    "{\"n\":3,\"s\":\"a\"" SIM_BLANKS SIM_BLANKS "}",
    "{\"n\":3,\"s\":\"a\"}" SIM_BLANKS SIM_BLANKS,
    "{\"n\":3,\"s\":\"a\",\"o\":\"" SIM_AGAINS SIM_AGAINS SIM_AGAINS SIM_AGAINS,
    SIM_AGAINS SIM_AGAINS SIM_AGAINS SIM_AGAINS,
    /* Cut off. */
    "{\"n\":3,\"s\":\"a\",\"o\":\"" SIM_LONG,
    "{\"n\":3,\"s\":",
    "```json\n{\"n\":3,",
};
enum { SIM_REPLIES = sizeof(sim_replies) / sizeof(sim_replies[0]) };

#define SIM_ROWS_3 "{\"id\":1},{\"id\":2,\"d\":\"y\"},{\"id\":3,\"e\":null}"

/* Replies with rows that mostly go through the same ones. */
static const char *const sim_rows[] = {
    "{\"rows\":[" SIM_ROWS_3 "],\"n\":3}",
    "{\"rows\":[" SIM_ROWS_3 ",{\"id\":4}],\"n\":3}",
    "{\"rows\":[{\"id\":1}],\"n\":3}",
    "{\"n\":3,\"rows\":[]}",
    "{\"n\":3,\"rows\":[" SIM_ROWS_3 "]}",
    "So:\n```json\n{\"rows\": [{\"id\": 1}, {\"id\": 2, \"d\": \"y\"}],"
    " \"n\": 3}\n```\nDone.",
    /* Wrong behind some of them. */
    "{\"rows\":[" SIM_ROWS_3 "],\"n\":11}",
    "{\"rows\":[" SIM_ROWS_3 "],\"n\":\"many\"}",
    "{\"rows\":[{\"id\":1},{\"id\":\"2\"},{\"id\":3}],\"n\":3}",
    "{\"rows\":[" SIM_ROWS_3 "]}",
    "{\"n\":11,\"rows\":[" SIM_ROWS_3 "]}",
    "Such as {\"rows\":[{\"id\":9}]}; mine is {\"rows\":[{\"id\":1}],\"n\":1}",
    /* Others. */
    "{\"rows\":[{\"id\":7},{\"id\":8}],\"n\":3}",
    "{\"rows\":[{\"id\":1},{\"id\":2,\"d\":\"z\"}],\"n\":3}",
    "{\"rows\":[{\"id\":2,\"d\":\"y\"},{\"id\":1}],\"n\":3}",
    /* Twice, and cut off. */
    "{\"rows\":[{\"id\":1}],\"rows\":[{\"id\":2}],\"n\":3}",
    "{\"rows\":[{\"id\":1},{\"id\":2,\"d\":\"y\"},{\"id\":3",
    "{\"rows\":[{\"id\":1},{\"id\":2,\"d\":\"" SIM_LONG,
    "{\"rows\":[{\"id\":1},{\"id\":2,\"d\":\"y\"}],\"n\":",
};
enum { SIM_ROW_REPLIES = sizeof(sim_rows) / sizeof(sim_rows[0]) };

/* Often what it said before: models do. */
const char *sim_say(struct sim *sim)
{
    if (sim->last_reply && sim_one_in(sim, 3))
        return sim->last_reply;
    sim->last_reply = sim->says_rows && !sim_one_in(sim, 8)
                          ? sim_rows[sim_below(sim, SIM_ROW_REPLIES)]
                          : sim_replies[sim_below(sim, SIM_REPLIES)];
    return sim->last_reply;
}

void sim_add(struct sim_exchange *exchange, const char *text)
{
    const size_t len = strlen(text);

    if (len > SIM_BODY_MAX - exchange->body_len)
        abort();
    memcpy(exchange->body + exchange->body_len, text, len);
    exchange->body_len += len;
}

void sim_add_string(struct sim_exchange *exchange, const char *text, size_t len)
{
    surety_buf buf;

    surety_buf_init(&buf, NULL, 0);
    surety_json_string(&buf, (surety_str){text, len});
    surety_buf_byte(&buf, 0);
    if (buf.status)
        abort();
    sim_add(exchange, buf.ptr);
    surety_buf_done(&buf);
}

static void sim_add_text(struct sim_exchange *exchange, const char *before,
                         const char *text, const char *after)
{
    sim_add(exchange, before);
    sim_add_string(exchange, text, strlen(text));
    sim_add(exchange, after);
}

void sim_openai(struct sim_exchange *exchange, const char *text,
                enum sim_ending ending, bool tool)
{
    static const char *const finishes[] = {"stop", "length", "content_filter",
                                           "stop"};

    sim_add(exchange, "{\"id\":\"c-1\",\"model\":\"m-1\",\"choices\":[{"
                      "\"index\":0,\"message\":{\"role\":\"assistant\",");
    if (ending == SIM_REFUSE)
        sim_add(exchange, "\"content\":null,\"refusal\":\"I will not.\"");
    else if (tool)
        sim_add_text(exchange,
                     "\"content\":null,\"tool_calls\":[{\"id\":\"t\",\"type\":"
                     "\"function\",\"function\":{\"name\":\"reply\","
                     "\"arguments\":",
                     text, "}}]");
    else
        sim_add_text(exchange, "\"content\":", text, "");
    sim_add(exchange, "},\"finish_reason\":\"");
    sim_add(exchange, finishes[ending]);
    sim_add(exchange, "\"}],\"usage\":{\"prompt_tokens\":100,"
                      "\"completion_tokens\":50}}");
}

size_t sim_piece(const char *text, size_t len)
{
    const size_t left = strlen(text);

    while (len < left && ((unsigned char)text[len] & 0xC0) == 0x80)
        len++;
    return len < left ? len : left;
}

void sim_openai_stream(struct sim *sim, const char *text,
                       enum sim_ending ending, bool tool)
{
    struct sim_exchange *exchange = &sim->exchange;
    const size_t most = strlen(text) / 12 + 8;

    exchange->headers[0].value = surety_str_of("text/event-stream");
    sim_add(exchange, "data: {\"id\":\"c-1\",\"choices\":[{\"index\":0,"
                      "\"delta\":{\"role\":\"assistant\"}}]}\n\n");
    while (*text) {
        const size_t len = sim_piece(text, 1 + sim_below(sim, most));

        sim_add(exchange, "data: {\"choices\":[{\"index\":0,\"delta\":{");
        sim_add(exchange, tool ? "\"tool_calls\":[{\"index\":0,\"function\":{"
                                 "\"arguments\":"
                               : "\"content\":");
        sim_add_string(exchange, text, len);
        sim_add(exchange, tool ? "}}]}}]}\n\n" : "}}]}\n\n");
        text += len;
    }
    sim_add(exchange, ": ping\n\n");
    sim_add(exchange, ending == SIM_STOP
                          ? "data: {\"choices\":[{\"index\":0,\"delta\":{},"
                            "\"finish_reason\":\"stop\"}]}\n\n"
                          : "data: {\"choices\":[{\"index\":0,\"delta\":{},"
                            "\"finish_reason\":\"length\"}]}\n\n");
    sim_add(exchange, "data: [DONE]\n\n");
}

void sim_responses(struct sim_exchange *exchange, const char *text,
                   enum sim_ending ending, bool tool)
{
    sim_add(exchange, "{\"id\":\"r-1\",\"object\":\"response\",\"status\":");
    sim_add(exchange, ending == SIM_CUT
                          ? "\"incomplete\",\"incomplete_details\":{\"reason\":"
                            "\"max_output_tokens\"}"
                      : ending == SIM_FILTER
                          ? "\"incomplete\",\"incomplete_details\":{\"reason\":"
                            "\"content_filter\"}"
                          : "\"completed\"");
    sim_add(exchange, ",\"output\":[");
    if (ending == SIM_REFUSE)
        sim_add(exchange, "{\"type\":\"message\",\"role\":\"assistant\","
                          "\"content\":[{\"type\":\"refusal\",\"refusal\":"
                          "\"No.\"}]}");
    else if (tool)
        sim_add_text(exchange,
                     "{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":"
                     "\"reply\",\"arguments\":",
                     text, "}");
    else
        sim_add_text(exchange,
                     "{\"type\":\"message\",\"role\":\"assistant\","
                     "\"content\":[{\"type\":\"output_text\",\"text\":",
                     text, "}]}");
    sim_add(exchange, "],\"usage\":{\"input_tokens\":100,"
                      "\"output_tokens\":50}}");
}

void sim_anthropic(struct sim_exchange *exchange, const char *text,
                   enum sim_ending ending, bool tool)
{
    static const char *const stops[] = {"end_turn", "max_tokens", "refusal",
                                        "refusal"};

    sim_add(exchange, "{\"id\":\"m-1\",\"type\":\"message\",\"role\":"
                      "\"assistant\",\"model\":\"m-1\",\"content\":[");
    if (tool) {
        sim_add(exchange, "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":"
                          "\"reply\",\"input\":");
        sim_add(exchange, text);
        sim_add(exchange, "}");
    } else {
        sim_add_text(exchange, "{\"type\":\"text\",\"text\":", text, "}");
    }
    sim_add(exchange, "],\"stop_reason\":\"");
    sim_add(exchange, tool && ending == SIM_STOP ? "tool_use" : stops[ending]);
    sim_add(exchange, "\",\"usage\":{\"input_tokens\":100,"
                      "\"output_tokens\":50}}");
}

void sim_gemini(struct sim_exchange *exchange, const char *text,
                enum sim_ending ending, bool tool)
{
    static const char *const finishes[] = {"STOP", "MAX_TOKENS", "RECITATION",
                                           "SAFETY"};

    sim_add(exchange, "{\"candidates\":[{\"index\":0,\"content\":{\"role\":"
                      "\"model\",\"parts\":[");
    if (tool) {
        sim_add(exchange, "{\"functionCall\":{\"name\":\"reply\",\"args\":");
        sim_add(exchange, text);
        sim_add(exchange, "}}");
    } else {
        sim_add_text(exchange, "{\"text\":", text, "}");
    }
    sim_add(exchange, "]},\"finishReason\":\"");
    sim_add(exchange, finishes[ending]);
    sim_add(exchange, "\"}],\"usageMetadata\":{\"promptTokenCount\":100,"
                      "\"candidatesTokenCount\":50}}");
}

void sim_answer(struct sim *sim, surety_protocol protocol, const char *text,
                enum sim_ending ending, bool tool)
{
    struct sim_exchange *exchange = &sim->exchange;

    switch (protocol) {
    case SURETY_PROTOCOL_OPENAI:
        if ((ending == SIM_STOP || ending == SIM_CUT) && !sim_one_in(sim, 3))
            sim_openai_stream(sim, text, ending, tool);
        else
            sim_openai(exchange, text, ending, tool);
        break;
    case SURETY_PROTOCOL_RESPONSES:
        sim_responses(exchange, text, ending, tool);
        break;
    case SURETY_PROTOCOL_ANTHROPIC:
        sim_anthropic(exchange, text, ending, tool);
        break;
    case SURETY_PROTOCOL_GEMINI:
        sim_gemini(exchange, text, ending, tool);
        break;
    default: sim_add(exchange, text); break;
    }
}
