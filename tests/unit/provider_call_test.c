/* SPDX-License-Identifier: Apache-2.0 */
/* Calls as requests: out of memory, at the edges. What the requests look like
 * is in tests/golden/provider. */
#include "provider/protocol.h"

#include "check.h"

static const surety__message hello = {.role = SURETY_ROLE_USER,
                                      .text = {"hello", 5}};

static surety_model model_of(surety_protocol protocol)
{
    return (surety_model){.size = sizeof(surety_model),
                          .protocol = protocol,
                          .model = surety_str_of("bolt-2"),
                          .base_url = surety_str_of("https://llm.example/v1"),
                          .key = surety_str_of("sk-planted"),
                          .output_tokens_max = 100};
}

static bool has_member(surety_val extra, const char *text)
{
    return surety_val_get(extra, text).doc != NULL;
}

TEST(writes_every_protocol_and_mode)
{
    static const char extra[] = "{\"novel\":{\"a\":[1.50]}}";
    const surety_alloc *alloc = check_alloc(t);
    surety_doc *body = surety_doc_new(alloc);
    surety__arena arena;
    surety_buf text;
    surety_request request;
    surety_doc *given = surety_doc_new(alloc);

    surety__arena_init(&arena, alloc, 0);
    surety_buf_init(&text, alloc, 0);
    NEED(body);
    NEED(given);
    TRY(surety_doc_read(given, surety_str_of(extra), NULL, NULL));
    for (int i = 0; i < 4 * 3 * 2; i++) {
        surety_model model = model_of((surety_protocol)(i % 4));
        const surety__call call = {
            .model = &model,
            .mode = (surety_mode)(SURETY_MODE_NATIVE + i / 4 % 3),
            .system = surety_str_of("system"),
            .messages = &hello,
            .message_count = 1,
            .schema = surety_str_of("{\"type\":\"object\"}"),
            .schema_name = surety_str_of("order")};

        model.whole = i >= 12;
        model.extra = surety_doc_root(given);
        surety__arena_reset(&arena);
        TRY(surety__call_encode(&call, &arena, &text, &request, NULL));
        TRY(surety_doc_read(body, request.body, NULL, NULL));
        CHECK(has_member(surety_doc_root(body), "novel"));
        CHECK_TEXT(surety_val_number(surety_val_at(
                       surety_doc_root(body), surety_str_of("/novel/a/0"))),
                   "1.50");
        CHECK(request.timeouts.total_ms == 600000);
        CHECK(request.response_bytes_max == (size_t)64 << 20);
    }
done:
    surety__arena_done(&arena);
    surety_buf_done(&text);
    surety_doc_free(given);
    surety_doc_free(body);
}

/* A text with a part that is JSON already gives the same bytes as without. */
TEST(copies_what_is_json_already)
{
    const surety_alloc *alloc = check_alloc(t);
    const surety_str text = surety_str_of("Say \"a\":\n{\"b\": 1}\t\\");
    const surety_prompt_part part = {9, 8, surety_str_of("{\\\"b\\\": 1}")};
    surety__arena arena;
    surety_buf bodies[2];

    surety__arena_init(&arena, alloc, 0);
    surety_buf_init(&bodies[0], alloc, 0);
    surety_buf_init(&bodies[1], alloc, 0);
    for (int i = 0; i <= SURETY_PROTOCOL_TEXT; i++) {
        const surety_model model = model_of((surety_protocol)i);

        for (int k = 0; k < 2; k++) {
            const surety__message messages[] = {
                {SURETY_ROLE_USER, NULL, 0, text,
                 k ? part : (surety_prompt_part){0}},
                hello};
            const surety__call call = {.model = &model,
                                       .mode = SURETY_MODE_PROMPT,
                                       .system = text,
                                       .system_part = messages[0].part,
                                       .messages = messages,
                                       .message_count = 2};
            surety_request request;

            TRY(surety__call_encode(&call, &arena, &bodies[k], &request, NULL));
            CHECK(request.body_stays && request.body.ptr == bodies[k].ptr);
        }
        CHECK(bodies[0].len > 2 * text.len);
        CHECK(surety_str_equal(surety_buf_str(&bodies[0]),
                               surety_buf_str(&bodies[1])));
    }
done:
    surety__arena_done(&arena);
    surety_buf_done(&bodies[0]);
    surety_buf_done(&bodies[1]);
}

/* The parts of a message come first, and the run's own text behind them. */
TEST(writes_the_parts_of_a_message)
{
    static const char *const pointers[] = {
        [SURETY_PROTOCOL_OPENAI] = "/messages/0/content/2/text",
        [SURETY_PROTOCOL_RESPONSES] = "/input/0/content/2/text",
        [SURETY_PROTOCOL_ANTHROPIC] = "/messages/0/content/2/text",
        [SURETY_PROTOCOL_GEMINI] = "/contents/0/parts/2/text",
    };
    const surety_alloc *alloc = check_alloc(t);
    const surety_part parts[] = {{.text = surety_str_of("one")},
                                 {.text = surety_str_of("two")}};
    const surety__message message = {.role = SURETY_ROLE_USER,
                                     .parts = parts,
                                     .part_count = 2,
                                     .text = surety_str_of("three")};
    surety_doc *body = surety_doc_new(alloc);
    surety_request request;
    surety__arena arena;
    surety_buf text;

    surety__arena_init(&arena, alloc, 0);
    surety_buf_init(&text, alloc, 0);
    NEED(body);
    for (int i = 0; i < SURETY_PROTOCOL_TEXT; i++) {
        const surety_model model = model_of((surety_protocol)i);
        const surety__call call = {.model = &model,
                                   .mode = SURETY_MODE_PROMPT,
                                   .messages = &message,
                                   .message_count = 1};

        TRY(surety__call_encode(&call, &arena, &text, &request, NULL));
        TRY(surety_doc_read(body, request.body, NULL, NULL));
        CHECK(surety_val_is(
            surety_val_at(surety_doc_root(body), surety_str_of(pointers[i])),
            "three"));
    }
done:
    surety__arena_done(&arena);
    surety_buf_done(&text);
    surety_doc_free(body);
}

/* A transport of version 2 gets long texts as parts of the body, without
 * copies; the bytes are the same. */
TEST(long_texts_are_parts)
{
    static char schema[16 << 10], shown[20000];
    const surety_alloc *alloc = check_alloc(t);
    const surety_str json[] = {{schema, sizeof(schema)},
                               {shown, sizeof(shown)}};
    const surety__message messages[] = {
        {.role = SURETY_ROLE_USER,
         .text = {"a\0b {}", 6},
         .part = {4, 2, {shown, sizeof(shown)}}},
        {.role = SURETY_ROLE_USER,
         .text = {"{}{}", 4},
         .part = {0, 2, {schema, sizeof(schema)}}}};
    surety_transport transport = {.version = 1};
    surety_doc *extra = surety_doc_new(alloc);
    surety__arena arena;
    surety_buf bodies[2], joined;

    surety__arena_init(&arena, alloc, 0);
    surety_buf_init(&bodies[0], alloc, 0);
    surety_buf_init(&bodies[1], alloc, 0);
    surety_buf_init(&joined, alloc, 0);
    NEED(extra);
    TRY(surety_doc_read(extra, surety_str_of("{\"n\":1}"), NULL, NULL));
    memset(schema, ' ', sizeof(schema));
    memcpy(schema, "{}", 2);
    memset(shown, '2', sizeof(shown));
    for (int i = 0; i < SURETY_PROTOCOL_TEXT * 3; i++) {
        surety_model model = model_of((surety_protocol)(i / 3));
        const surety__call call = {
            .model = &model,
            .mode = (surety_mode)(SURETY_MODE_NATIVE + i % 3),
            .system = messages[0].text,
            .system_part = messages[0].part,
            .messages = messages,
            .message_count = 2,
            .schema = json[0],
            .schema_name = surety_str_of("order")};
        surety_request request;
        size_t copied = 0;

        model.transport = &transport;
        transport.version = 1;
        TRY(surety__call_encode(&call, &arena, &bodies[0], &request, NULL));
        CHECK(!request.part_count && request.body.len > 3 * sizeof(schema));
        transport.version = 2;
        TRY(surety__call_encode(&call, &arena, &bodies[1], &request, NULL));
        CHECK(!request.body.len && request.part_count >= 7);
        surety_buf_reset(&joined);
        for (size_t k = 0; k < request.part_count; k++) {
            const surety_str part = request.parts[k];

            surety_buf_add(&joined, part);
            copied += part.ptr == schema || part.ptr == shown ? 0 : part.len;
        }
        TRY(joined.status);
        CHECK(copied < 2000);
        CHECK(surety_str_equal(surety_buf_str(&bodies[0]),
                               surety_buf_str(&joined)));
        model.extra = surety_doc_root(extra);
        TRY(surety__call_encode(&call, &arena, &bodies[1], &request, NULL));
        CHECK(!request.part_count);
    }
done:
    surety_doc_free(extra);
    surety__arena_done(&arena);
    surety_buf_done(&bodies[0]);
    surety_buf_done(&bodies[1]);
    surety_buf_done(&joined);
}

/* Media, calls and results in every protocol that has them. */
TEST(writes_a_conversation)
{
    const surety_alloc *alloc = check_alloc(t);
    const surety_part asks = {.kind = SURETY_PART_IMAGE,
                              .media_type = surety_str_of("image/png"),
                              .data = surety_str_of("png")};
    const surety_part call = {.kind = SURETY_PART_CALL,
                              .id = surety_str_of("c"),
                              .name = surety_str_of("n"),
                              .text = surety_str_of("{\"a\": 1}")};
    const surety_part result = {.kind = SURETY_PART_RESULT,
                                .id = surety_str_of("c"),
                                .name = surety_str_of("n"),
                                .text = surety_str_of("done")};
    const surety__message messages[] = {
        {SURETY_ROLE_USER, &asks, 1, {NULL, 0}, {0}},
        {SURETY_ROLE_ASSISTANT, &call, 1, {NULL, 0}, {0}},
        {SURETY_ROLE_TOOL, &result, 1, surety_str_of("go on"), {0}}};
    const surety__tool_spec tool = {.name = surety_str_of("n"),
                                    .parameters = surety_str_of("{}")};
    surety_doc *body = surety_doc_new(alloc);
    surety_request request;
    surety__arena arena;
    surety_buf text;

    surety__arena_init(&arena, alloc, 0);
    surety_buf_init(&text, alloc, 0);
    NEED(body);
    for (int i = 0; i < SURETY_PROTOCOL_TEXT; i++) {
        const surety_model model = model_of((surety_protocol)i);
        const surety__call whole = {.model = &model,
                                    .mode = SURETY_MODE_NATIVE,
                                    .messages = messages,
                                    .message_count = 3,
                                    .tools = &tool,
                                    .tool_count = 1};

        TRY(surety__call_encode(&whole, &arena, &text, &request, NULL));
        TRY(surety_doc_read(body, request.body, NULL, NULL));
    }
done:
    surety__arena_done(&arena);
    surety_buf_done(&text);
    surety_doc_free(body);
}

/* A tool's parameters should be JSON. A byte 0 in them is no mark of a part. */
TEST(a_byte_0_is_no_mark)
{
    static char schema[16 << 10];
    static const char *const others[] = {"{\0}", "\0\0\0", "\0\377", "{}\0"};
    const surety_alloc *alloc = check_alloc(t);
    surety_transport transport = {.version = 2};
    surety_model model = model_of(SURETY_PROTOCOL_OPENAI);
    surety__arena arena;
    surety_buf body;

    surety__arena_init(&arena, alloc, 0);
    surety_buf_init(&body, alloc, 0);
    memset(schema, ' ', sizeof(schema));
    model.transport = &transport;
    for (size_t i = 0; i < CHECK_COUNT(others); i++) {
        const surety__tool_spec tool = {.name = surety_str_of("seek"),
                                        .parameters = {others[i], 3}};
        const surety__call call = {.model = &model,
                                   .mode = SURETY_MODE_NATIVE,
                                   .messages = &hello,
                                   .message_count = 1,
                                   .tools = &tool,
                                   .tool_count = 1,
                                   .schema = {schema, sizeof(schema)},
                                   .schema_name = surety_str_of("order")};
        surety_request request;
        const surety_status status =
            surety__call_encode(&call, &arena, &body, &request, NULL);

        TRY(status == SURETY_SYNTAX ? SURETY_OK : status);
        CHECK(status || request.part_count <= 3);
    }
done:
    surety__arena_done(&arena);
    surety_buf_done(&body);
}

TEST(keeps_a_nul_and_refuses_what_is_no_utf8)
{
    const surety_alloc *alloc = check_alloc(t);
    surety_model model = model_of(SURETY_PROTOCOL_OPENAI);
    surety__message message = {.role = SURETY_ROLE_USER, .text = {"a\0b", 3}};
    const surety__call call = {.model = &model,
                               .mode = SURETY_MODE_PROMPT,
                               .messages = &message,
                               .message_count = 1};
    surety_doc *body = surety_doc_new(alloc);
    surety_request request;
    surety__arena arena;
    surety_buf text;

    surety__arena_init(&arena, alloc, 0);
    surety_buf_init(&text, alloc, 0);
    NEED(body);
    TRY(surety__call_encode(&call, &arena, &text, &request, NULL));
    TRY(surety_doc_read(body, request.body, NULL, NULL));
    CHECK(surety_str_equal(
        surety_val_str(surety_val_at(surety_doc_root(body),
                                     surety_str_of("/messages/0/content"))),
        (surety_str){"a\0b", 3}));
    message.text = surety_str_of("a\xFF");
    EXPECT(SURETY_SYNTAX,
           surety__call_encode(&call, &arena, &text, &request, NULL));
done:
    surety__arena_done(&arena);
    surety_buf_done(&text);
    surety_doc_free(body);
}

TEST(takes_many_headers)
{
    enum { MANY = 500 };
    const surety_alloc *alloc = check_alloc(t);
    surety_model model = model_of(SURETY_PROTOCOL_ANTHROPIC);
    const surety__call call = {.model = &model,
                               .mode = SURETY_MODE_PROMPT,
                               .messages = &hello,
                               .message_count = 1};
    surety_header headers[MANY];
    surety_request request;
    surety__arena arena;
    surety_buf text;

    surety__arena_init(&arena, alloc, 0);
    surety_buf_init(&text, alloc, 0);
    for (size_t i = 0; i < MANY; i++)
        headers[i] =
            (surety_header){surety_str_of("x"), surety_str_of("y"), true};
    model.headers = headers;
    model.header_count = MANY;
    TRY(surety__call_encode(&call, &arena, &text, &request, NULL));
    CHECK(request.header_count == MANY + 8);
    for (size_t i = 0; i < request.header_count; i++)
        CHECK(!surety__str_equal_nocase(request.headers[i].name,
                                        SURETY__LITERAL("x-api-key")) ||
              request.headers[i].secret);
done:
    surety__arena_done(&arena);
    surety_buf_done(&text);
}

TEST(knows_hosts)
{
    static const struct {
        const char *url;
        bool inside;
    } rows[] = {
        {"https://api.openai.com/v1", true},
        {"https://API.OpenAI.com:443/v1", true},
        {"https://eu.api.openai.com/v1", true},
        {"https://notapi.openai.com/v1", false},
        {"https://xapi.openai.com.evil.example/v1", false},
        {"https://evil.example/api.openai.com", false},
        {"https://[::1]:80/api.openai.com", false},
        {"https://api.openai.com?x=1", true},
        {"exec:echo api.openai.com", false},
    };

    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const surety_model model = {.base_url = surety_str_of(rows[i].url)};
        const surety__call call = {.model = &model};

        CHECK(surety__call_host_ends(&call, "api.openai.com") ==
              rows[i].inside);
    }
done:;
}

TEST(knows_modes)
{
    for (int i = SURETY_PROTOCOL_OPENAI; i <= SURETY_PROTOCOL_TEXT; i++) {
        const surety_protocol protocol = (surety_protocol)i;

        CHECK(surety__protocol_has(protocol, SURETY_MODE_PROMPT));
        CHECK(!surety__protocol_has(protocol, SURETY_MODE_AUTO));
        CHECK(surety__protocol_has(protocol, SURETY_MODE_NATIVE) ==
              (protocol != SURETY_PROTOCOL_TEXT));
        CHECK(surety__protocol_has(protocol, SURETY_MODE_TOOL) ==
              (protocol != SURETY_PROTOCOL_TEXT));
    }
done:;
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"writes every protocol and mode", writes_every_protocol_and_mode},
        {"copies what is JSON already", copies_what_is_json_already},
        {"writes the parts of a message", writes_the_parts_of_a_message},
        {"long texts are parts", long_texts_are_parts},
        {"a byte 0 is no mark", a_byte_0_is_no_mark},
        {"writes a conversation", writes_a_conversation},
        {"keeps a NUL and refuses what is no UTF-8",
         keeps_a_nul_and_refuses_what_is_no_utf8},
        {"takes many headers", takes_many_headers},
        {"knows hosts", knows_hosts},
        {"knows modes", knows_modes},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
