/* SPDX-License-Identifier: Apache-2.0 */
/* The decoder at its limits, out of memory, and used again; what it makes of
 * whole exchanges is in tests/golden/provider. */
#include "provider/protocol.h"

#include <stdio.h>

#include "check.h"

static const surety_delivery ended = {.failure = SURETY_FAILURE_NONE};

static void begin(surety__decoder *decoder, surety_protocol protocol,
                  surety_mode mode, int status, const char *type)
{
    const surety_header header = {surety_str_of("Content-Type"),
                                  surety_str_of(type), false};
    const surety_model model = {.protocol = protocol,
                                .key = surety_str_of("sk-planted")};
    const surety__call call = {.model = &model, .mode = mode};

    surety__decoder_begin(decoder, &call, NULL);
    surety__decoder_head(decoder, status, &header, 1);
}

static bool feed(surety__decoder *decoder, const char *text)
{
    return surety__decoder_feed(decoder, surety_str_of(text));
}

static surety_status end(surety__decoder *decoder, surety_answer *ret_answer)
{
    surety__decoder_finish(decoder, &ended, 0);
    return surety__decoder_answer(decoder, ret_answer);
}

static const char openai_stream[] =
    "data: {\"id\":\"c1\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":"
    "{\"content\":\"{\\\"a\\\"\",\"tool_calls\":[{\"index\":0,\"id\":\"t\","
    "\"function\":{\"arguments\":\"{\\\"b\\\":\"}}]}}]}\n\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\":1}\","
    "\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"2}\"}}]},"
    "\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
static const char responses_stream[] =
    "event: response.output_text.delta\ndata: {\"delta\":\"{\\\"a\\\":1}\"}\n\n"
    "event: response.function_call_arguments.delta\ndata: {\"output_index\":1,"
    "\"delta\":\"{\\\"b\\\":2}\"}\n\nevent: response.completed\ndata: "
    "{\"response\":{\"id\":\"c1\",\"model\":\"m\",\"status\":\"completed\"}}"
    "\n\n";
static const char anthropic_stream[] =
    "data: {\"type\":\"message_start\",\"message\":{\"id\":\"c1\",\"model\":"
    "\"m\"}}\n\n"
    "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":"
    "{\"type\":\"text\",\"text\":\"{\\\"a\\\":1}\"}}\n\n"
    "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
    "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":"
    "{\"type\":\"tool_use\",\"id\":\"t\",\"input\":{\"b\":2}}}\n\n"
    "data: {\"type\":\"message_stop\"}\n\n";
static const char gemini_stream[] =
    "data: {\"responseId\":\"c1\",\"modelVersion\":\"m\",\"candidates\":["
    "{\"content\":{\"parts\":[{\"text\":\"{\\\"a\\\":1}\"},{\"functionCall\":"
    "{\"args\":{\"b\":2}}}]},\"finishReason\":\"STOP\"}]}\n\n";

static const struct {
    surety_protocol protocol;
    const char *stream;
} streams[] = {
    {SURETY_PROTOCOL_OPENAI, openai_stream},
    {SURETY_PROTOCOL_RESPONSES, responses_stream},
    {SURETY_PROTOCOL_ANTHROPIC, anthropic_stream},
    {SURETY_PROTOCOL_GEMINI, gemini_stream},
};

/* The native value follows from the mode, and nothing of one response is left
 * in the next. */
TEST(reads_one_response_after_another)
{
    surety__decoder *decoder = surety__decoder_new(NULL, check_alloc(t));
    surety_answer answer;

    NEED(decoder);
    for (size_t i = 0; i < 2 * CHECK_COUNT(streams); i++) {
        const size_t k = i % CHECK_COUNT(streams);

        begin(decoder, streams[k].protocol, SURETY_MODE_TOOL, 200,
              "text/event-stream");
        feed(decoder, streams[k].stream);
        TRY(end(decoder, &answer));
        CHECK(answer.failure == SURETY_FAILURE_NONE);
        CHECK_TEXT(answer.text, "{\"a\":1}");
        CHECK_TEXT(answer.native, "{\"b\":2}");
        CHECK_TEXT(answer.response_id, "c1");
        CHECK_TEXT(answer.model, "m");

        begin(decoder, streams[k].protocol, SURETY_MODE_NATIVE, 503,
              "text/plain");
        feed(decoder, "busy with sk-planted");
        TRY(end(decoder, &answer));
        CHECK(answer.failure == SURETY_FAILURE_OVERLOADED);
        CHECK_TEXT(answer.error_message, "busy with ***");
        CHECK(!answer.text.len && !answer.native.len && !answer.model.len);

        begin(decoder, streams[k].protocol, SURETY_MODE_NATIVE, 200, "");
        feed(decoder, streams[k].stream);
        TRY(end(decoder, &answer));
        CHECK_TEXT(answer.native, "{\"a\":1}");

        begin(decoder, streams[k].protocol, SURETY_MODE_PROMPT, 200, "");
        feed(decoder, streams[k].stream);
        TRY(end(decoder, &answer));
        CHECK_TEXT(answer.text, "{\"a\":1}");
        CHECK(!answer.native.len);
    }
done:
    surety__decoder_free(decoder);
}

/* ---- usage --------------------------------------------------------------- */

/* An event, and the state behind it: the tokens that were reported last,
 * and the bytes of output that they do not count. */
struct counted {
    const char *event;
    uint64_t input, output;
    size_t uncounted;
};

#define DELTA_ANTHROPIC(delta)                                                 \
    "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{" delta    \
    "}}\n\n"
static const struct counted counted_anthropic[] = {
    {"data: {\"type\":\"message_start\",\"message\":{\"usage\":{"
     "\"input_tokens\":80,\"cache_read_input_tokens\":20,"
     "\"output_tokens\":1}}}\n\n",
     100, 1, 0},
    {"data: {\"type\":\"content_block_start\",\"index\":0,"
     "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
     100, 1, 0},
    {DELTA_ANTHROPIC("\"type\":\"text_delta\",\"text\":\"abcdef\""), 100, 1, 6},
    {DELTA_ANTHROPIC("\"type\":\"text_delta\",\"text\":\"ghi\""), 100, 1, 9},
    {"data: {\"type\":\"message_delta\",\"delta\":{},\"usage\":{"
     "\"output_tokens\":16}}\n\n",
     100, 16, 0},
    {NULL, 0, 0, 0},
};
static const struct counted counted_gemini[] = {
    {"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"abc\"}]}}],"
     "\"usageMetadata\":{\"promptTokenCount\":60}}\n\n",
     60, 0, 3},
    {"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"def\","
     "\"thought\":true}]}}],\"usageMetadata\":{\"promptTokenCount\":60,"
     "\"candidatesTokenCount\":4}}\n\n",
     60, 4, 0},
    {"data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{"
     "\"name\":\"f\",\"args\":{\"b\":2}}}]}}]}\n\n",
     60, 4, 7},
    {NULL, 0, 0, 0},
};
#define DELTA_OPENAI(delta) "data: {\"choices\":[{\"delta\":{" delta "}}]"
static const struct counted counted_openai[] = {
    {DELTA_OPENAI("\"content\":\"abcd\"") "}\n\n", 0, 0, 4},
    {DELTA_OPENAI("\"reasoning_content\":\"ef\"") "}\n\n", 0, 0, 6},
    {DELTA_OPENAI("\"refusal\":\"g\"") "}\n\n", 0, 0, 7},
    /* As servers do that count as they go. */
    {DELTA_OPENAI("\"content\":\"h\"") ",\"usage\":{\"prompt_tokens\":10,"
                                       "\"completion_tokens\":3}}\n\n",
     10, 3, 0},
    {DELTA_OPENAI(
         "\"tool_calls\":[{\"index\":0,\"id\":\"t\","
         "\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]") "}\n\n",
     10, 3, 2},
    {NULL, 0, 0, 0},
};
static const struct counted counted_responses[] = {
    {"event: response.output_text.delta\ndata: {\"delta\":\"abc\"}\n\n", 0, 0,
     3},
    {"event: response.function_call_arguments.delta\ndata: {"
     "\"output_index\":1,\"delta\":\"{}\"}\n\n",
     0, 0, 5},
    {NULL, 0, 0, 0},
};

/* Wherever a stream ends too early, and however: the usage is what the provider
 * reported last, and not known; and each byte of output that it does not count
 * is counted. */
TEST(keeps_what_was_reported)
{
    static const struct {
        surety_protocol protocol;
        const struct counted *events;
    } rows[] = {{SURETY_PROTOCOL_OPENAI, counted_openai},
                {SURETY_PROTOCOL_RESPONSES, counted_responses},
                {SURETY_PROTOCOL_ANTHROPIC, counted_anthropic},
                {SURETY_PROTOCOL_GEMINI, counted_gemini}};
    static const surety_delivery ends[] = {
        {.failure = SURETY_FAILURE_CANCELLED, .sent = true},
        {.failure = SURETY_FAILURE_RESET, .sent = true},
        {.failure = SURETY_FAILURE_NONE}};
    surety__decoder *decoder = surety__decoder_new(NULL, check_alloc(t));
    surety_answer answer;

    NEED(decoder);
    for (size_t i = 0; i < CHECK_COUNT(rows) * CHECK_COUNT(ends); i++) {
        const struct counted *events = rows[i / CHECK_COUNT(ends)].events;
        const surety_protocol protocol = rows[i / CHECK_COUNT(ends)].protocol;

        for (size_t last = 0; events[last].event; last++) {
            begin(decoder, protocol, SURETY_MODE_PROMPT, 200,
                  "text/event-stream");
            for (size_t k = 0; k <= last; k++)
                feed(decoder, events[k].event);
            feed(decoder, "data: {\"cho");
            surety__decoder_finish(decoder, &ends[i % CHECK_COUNT(ends)], 0);
            TRY(surety__decoder_answer(decoder, &answer));
            CHECK(answer.failure != SURETY_FAILURE_NONE);
            CHECK(!answer.usage.known);
            CHECK(answer.usage.input_tokens == events[last].input);
            CHECK(answer.usage.output_tokens == events[last].output);
            CHECK(surety__decoder_uncounted(decoder) == events[last].uncounted);
        }
    }
done:
    surety__decoder_free(decoder);
}

TEST(has_no_answer_before_the_end)
{
    surety__decoder *decoder = surety__decoder_new(NULL, check_alloc(t));
    surety_answer answer;

    NEED(decoder);
    begin(decoder, SURETY_PROTOCOL_TEXT, SURETY_MODE_PROMPT, 200, "");
    CHECK(feed(decoder, "x") || t->starved);
    EXPECT(SURETY_MORE, surety__decoder_answer(decoder, &answer));
    TRY(end(decoder, &answer));
    CHECK(!feed(decoder, "y"));
    TRY(surety__decoder_answer(decoder, &answer));
    CHECK_TEXT(answer.text, "x");
done:
    surety__decoder_free(decoder);
}

/* ---- limits -------------------------------------------------------------- */

static bool feed_many(surety__decoder *decoder, const char *text, size_t count)
{
    bool goes_on = true;

    for (size_t i = 0; i < count && goes_on; i++)
        goes_on = feed(decoder, text);
    return goes_on;
}

TEST(bounds_the_text)
{
    const surety_limits limits = {.size = sizeof(limits),
                                  .text_bytes_max = 1000};
    surety__decoder *decoder = surety__decoder_new(&limits, check_alloc(t));
    surety_answer answer;

    NEED(decoder);
    for (size_t len = 999; len <= 1001; len++) {
        begin(decoder, SURETY_PROTOCOL_TEXT, SURETY_MODE_PROMPT, 200, "");
        feed_many(decoder, "x", len);
        TRY(end(decoder, &answer));
        CHECK(answer.failure ==
              (len > 1000 ? SURETY_FAILURE_LIMIT : SURETY_FAILURE_NONE));
        CHECK(answer.text.len == (len > 1000 ? 1000 : len));
        CHECK((answer.error_message.len > 0) == (len > 1000));

        /* White space for ever is a body too. */
        begin(decoder, SURETY_PROTOCOL_OPENAI, SURETY_MODE_PROMPT, 200,
              "application/json");
        feed_many(decoder, " ", len);
        TRY(end(decoder, &answer));
        CHECK(answer.failure ==
              (len > 1000 ? SURETY_FAILURE_LIMIT : SURETY_FAILURE_TRUNCATED));
    }
    begin(decoder, SURETY_PROTOCOL_OPENAI, SURETY_MODE_PROMPT, 200,
          "text/event-stream");
    CHECK(!feed_many(decoder,
                     "data: {\"choices\":[{\"delta\":{\"content\":"
                     "\"xxxxxxxxxx\"}}]}\n\n",
                     101) ||
          t->starved);
    TRY(end(decoder, &answer));
    CHECK(answer.failure == SURETY_FAILURE_LIMIT);
    CHECK(answer.text.len == 1000);
done:
    surety__decoder_free(decoder);
}

TEST(bounds_an_event_and_its_depth)
{
    surety__decoder *decoder = surety__decoder_new(NULL, check_alloc(t));
    surety_answer answer;
    char *large = surety__resize(check_alloc(t), NULL, 0, 1 << 20);

    NEED(decoder);
    NEED(large);
    memset(large, 'x', 1 << 20);
    begin(decoder, SURETY_PROTOCOL_OPENAI, SURETY_MODE_PROMPT, 200,
          "text/event-stream");
    feed(decoder, "data: ");
    for (int i = 0; i < 5; i++)
        surety__decoder_feed(decoder, (surety_str){large, 1 << 20});
    TRY(end(decoder, &answer));
    CHECK(answer.failure == SURETY_FAILURE_LIMIT);
    CHECK(surety__str_find(answer.error_message, SURETY__LITERAL("4194304")) <
          answer.error_message.len);

    memset(large, '[', 1 << 20);
    begin(decoder, SURETY_PROTOCOL_GEMINI, SURETY_MODE_PROMPT, 200,
          "application/json");
    surety__decoder_feed(decoder, (surety_str){large, 1 << 20});
    memset(large, ']', 1 << 20);
    surety__decoder_feed(decoder, (surety_str){large, 1 << 20});
    TRY(end(decoder, &answer));
    CHECK(answer.failure == SURETY_FAILURE_LIMIT);
done:
    surety__free(check_alloc(t), large, 1 << 20);
    surety__decoder_free(decoder);
}

/* After the end mark a server has some bytes left to say, not a stream. */
TEST(stops_listening_after_the_end)
{
    surety__decoder *decoder = surety__decoder_new(NULL, check_alloc(t));
    const surety_delivery cancelled = {.failure = SURETY_FAILURE_RESET,
                                       .sent = true};
    surety_answer answer;

    NEED(decoder);
    begin(decoder, SURETY_PROTOCOL_OPENAI, SURETY_MODE_PROMPT, 200,
          "text/event-stream");
    CHECK(feed(decoder, openai_stream) || t->starved);
    CHECK(feed_many(decoder, ": ping\n\n", (64 << 10) / 8) || t->starved);
    CHECK(!feed(decoder, ":"));
    surety__decoder_finish(decoder, &cancelled, 0);
    TRY(surety__decoder_answer(decoder, &answer));
    CHECK(answer.failure == SURETY_FAILURE_NONE);
done:
    surety__decoder_free(decoder);
}

/* A large error is shown by its start. */
TEST(bounds_an_error)
{
    surety__decoder *decoder = surety__decoder_new(NULL, check_alloc(t));
    surety_answer answer;

    NEED(decoder);
    begin(decoder, SURETY_PROTOCOL_OPENAI, SURETY_MODE_PROMPT, 500, "");
    CHECK(!feed_many(decoder, "0123456789012345678901234567890123456789",
                     (1 << 20) / 40 + 1) ||
          t->starved);
    TRY(end(decoder, &answer));
    CHECK(answer.failure == SURETY_FAILURE_SERVER);
    CHECK(answer.error_message.len == SURETY__MESSAGE_MAX + 3);
done:
    surety__decoder_free(decoder);
}

/* ---- parts --------------------------------------------------------------- */

/* Each event is a call with an id of its own. The allocations are libc's: so
 * many need not fail one by one. */
TEST(bounds_the_parts_of_a_message)
{
    surety__decoder *decoder = surety__decoder_new(NULL, NULL);
    const surety_model model = {.protocol = SURETY_PROTOCOL_OPENAI};
    const surety__call call = {
        .model = &model, .mode = SURETY_MODE_NATIVE, .tool_count = 1};
    surety_answer answer;
    char event[160];

    NEED(decoder);
    for (int over = 0; over < 2; over++) {
        surety__decoder_begin(decoder, &call, NULL);
        for (int i = 0; i < SURETY__BLOCKS_MAX + over; i++) {
            snprintf(event, sizeof(event),
                     "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{"
                     "\"index\":0,\"id\":\"c%d\",\"function\":{\"name\":"
                     "\"n\"}}]}}]}\n\n",
                     i);
            (void)feed(decoder, event);
        }
        (void)feed(decoder, "data: [DONE]\n\n");
        TRY(end(decoder, &answer));
        CHECK(answer.failure ==
              (over ? SURETY_FAILURE_LIMIT : SURETY_FAILURE_NONE));
        CHECK(answer.message.part_count ==
              (over ? 0 : (size_t)SURETY__BLOCKS_MAX));
    }
done:
    surety__decoder_free(decoder);
}

/* ---- heads --------------------------------------------------------------- */

TEST(takes_many_and_odd_headers)
{
    enum { MANY = 10000 };
    const surety_alloc *alloc = check_alloc(t);
    const surety_model model = {.protocol = SURETY_PROTOCOL_ANTHROPIC,
                                .key = surety_str_of("sk-planted")};
    const surety__call call = {.model = &model, .mode = SURETY_MODE_PROMPT};
    surety__decoder *decoder = surety__decoder_new(NULL, alloc);
    surety_header *headers =
        surety__resize(alloc, NULL, 0, MANY * sizeof(*headers));
    surety_answer answer;

    NEED(decoder);
    NEED(headers);
    for (size_t i = 0; i < MANY; i++)
        headers[i] =
            (surety_header){surety_str_of("Request-Id"),
                            surety_str_of("r\r\nx: sk-planted"), false};
    headers[0].value = (surety_str){"", 0};
    surety__decoder_begin(decoder, &call, NULL);
    surety__decoder_head(decoder, 401, headers, MANY);
    surety__decoder_head(decoder, 200, headers, 0); /* not heard */
    TRY(end(decoder, &answer));
    CHECK(answer.http_status == 401);
    CHECK_TEXT(answer.request_id, "r x: ***");
    CHECK(answer.should_retry == -1 && answer.retry_after_ms == -1);
done:
    surety__free(alloc, headers, MANY * sizeof(*headers));
    surety__decoder_free(decoder);
}

TEST(finds_the_form_of_a_body)
{
    static const struct {
        const char *type, *start;
        surety__form form;
    } rows[] = {
        {"text/event-stream", "{", FORM_WHOLE},
        {"text/event-stream", " [", FORM_WHOLE},
        {"text/event-stream", "x", FORM_STREAM},
        {"text/event-stream; charset=utf-8", ":", FORM_STREAM},
        {"TEXT/EVENT-STREAM", "d", FORM_STREAM},
        {"application/json", "data", FORM_UNKNOWN},
        {"application/json", "data:", FORM_STREAM},
        {"application/json", "dataset", FORM_WHOLE},
        {"application/json", "\n\nevent:", FORM_STREAM},
        {"application/json", "\xEF\xBB\xBF{", FORM_WHOLE},
        {"", "\xEF\xBB", FORM_UNKNOWN},
        {"", "\xEF\xBB\xBF", FORM_UNKNOWN},
        {"",
         "\xEF\xBB\xBF"
         "data:",
         FORM_STREAM},
        {"", " \t\r\n", FORM_UNKNOWN},
        {"text/html", "<", FORM_WHOLE},
        {"", "error: no", FORM_WHOLE},
    };
    surety__decoder *decoder = surety__decoder_new(NULL, check_alloc(t));
    surety_answer answer;

    NEED(decoder);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        begin(decoder, SURETY_PROTOCOL_OPENAI, SURETY_MODE_PROMPT, 200,
              rows[i].type);
        if (!feed(decoder, rows[i].start) && t->starved)
            goto done;
        if (decoder->is.form != rows[i].form)
            printf("# %s %s\n", rows[i].type, rows[i].start);
        CHECK(decoder->is.form == rows[i].form);
    }
    /* What did not say until its end what it is, is read as a whole. */
    begin(decoder, SURETY_PROTOCOL_OPENAI, SURETY_MODE_PROMPT, 200, "");
    CHECK(feed(decoder, "data") || t->starved);
    TRY(end(decoder, &answer));
    CHECK(answer.failure == SURETY_FAILURE_PROTOCOL);
    CHECK_TEXT(answer.error_message,
               "the response is no JSON: expected a value, found \"data\" "
               "(byte 0)");
done:
    surety__decoder_free(decoder);
}

TEST(knows_what_is_ambiguous)
{
    static const struct {
        surety_failure failure;
        bool sent, head, ambiguous;
    } rows[] = {
        {SURETY_FAILURE_CONNECT, false, false, false},
        {SURETY_FAILURE_TLS, false, false, false},
        {SURETY_FAILURE_TIMEOUT, false, false, false},
        {SURETY_FAILURE_TIMEOUT, true, false, true},
        {SURETY_FAILURE_RESET, true, false, true},
        {SURETY_FAILURE_CANCELLED, true, false, true},
        {SURETY_FAILURE_RESET, true, true, false},
        {SURETY_FAILURE_TIMEOUT, true, true, false},
        {SURETY_FAILURE_COMMAND, true, false, false},
    };
    const surety_model model = {.protocol = SURETY_PROTOCOL_OPENAI};
    const surety__call call = {.model = &model, .mode = SURETY_MODE_NATIVE};
    surety__decoder *decoder = surety__decoder_new(NULL, check_alloc(t));
    surety_answer answer;

    NEED(decoder);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const surety_delivery delivery = {
            .failure = rows[i].failure, .sent = rows[i].sent, .message = "so"};

        surety__decoder_begin(decoder, &call, NULL);
        if (rows[i].head)
            surety__decoder_head(decoder, 200, NULL, 0);
        surety__decoder_finish(decoder, &delivery, 0);
        TRY(surety__decoder_answer(decoder, &answer));
        CHECK(answer.failure == rows[i].failure);
        CHECK(answer.ambiguous == rows[i].ambiguous);
        CHECK_TEXT(answer.error_message, "so");
    }
done:
    surety__decoder_free(decoder);
}

/* ---- time ---------------------------------------------------------------- */

/* A megabyte of one reply in small events, a byte at a time: it ends, and not
 * after a time that grows with the square. */
TEST(reads_a_long_stream_byte_by_byte)
{
    static const char event[] =
        "data: {\"choices\":[{\"delta\":{\"content\":\"\\u00f6 word\"}}]}\r\n"
        "\r\n";
    surety__decoder *decoder = surety__decoder_new(NULL, check_alloc(t));
    surety_answer answer;

    NEED(decoder);
    begin(decoder, SURETY_PROTOCOL_OPENAI, SURETY_MODE_PROMPT, 200,
          "text/event-stream");
    for (size_t i = 0; i < 20000; i++)
        for (size_t k = 0; k < sizeof(event) - 1; k++)
            if (!surety__decoder_feed(decoder, (surety_str){event + k, 1}))
                break;
    feed(decoder, "data: [DONE]\n\n");
    TRY(end(decoder, &answer));
    CHECK(answer.failure == SURETY_FAILURE_NONE);
    CHECK(answer.text.len == 20000 * sizeof("\xC3\xB6 wor"));
done:
    surety__decoder_free(decoder);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"reads one response after another", reads_one_response_after_another},
        {"keeps what was reported of a stream that ends too early",
         keeps_what_was_reported},
        {"has no answer before the end", has_no_answer_before_the_end},
        {"bounds the text", bounds_the_text},
        {"bounds an event and its depth", bounds_an_event_and_its_depth},
        {"stops listening after the end", stops_listening_after_the_end},
        {"bounds an error", bounds_an_error},
        {"bounds the parts of a message", bounds_the_parts_of_a_message},
        {"takes many and odd headers", takes_many_and_odd_headers},
        {"finds the form of a body", finds_the_form_of_a_body},
        {"knows what is ambiguous", knows_what_is_ambiguous},
        {"reads a long stream byte by byte", reads_a_long_stream_byte_by_byte},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
