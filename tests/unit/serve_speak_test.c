/* SPDX-License-Identifier: Apache-2.0 */
/* The serving side of the providers' protocols, without a server: paths, what
 * requests ask, how they are refused, and the bytes of answers. */
#include "serve/serve.h"

#include <stdio.h>

#include "check.h"

#define STR(text) surety_str_of(text)

static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

TEST(knows_paths)
{
    static const struct {
        const char *path;
        surety__route_kind kind;
        surety_protocol protocol;
        const char *model;
        bool stream;
    } cases[] = {
        {"/v1/chat/completions", ROUTE_CALL, SURETY_PROTOCOL_OPENAI, "", false},
        {"/chat/completions", ROUTE_CALL, SURETY_PROTOCOL_OPENAI, "", false},
        {"/v1beta/openai/chat/completions", ROUTE_CALL, SURETY_PROTOCOL_OPENAI,
         "", false},
        {"/v1/responses", ROUTE_CALL, SURETY_PROTOCOL_RESPONSES, "", false},
        {"/v1/messages", ROUTE_CALL, SURETY_PROTOCOL_ANTHROPIC, "", false},
        {"/v1beta/models/g-2:generateContent", ROUTE_CALL,
         SURETY_PROTOCOL_GEMINI, "g-2", false},
        {"/v1beta/models/g-2:streamGenerateContent", ROUTE_CALL,
         SURETY_PROTOCOL_GEMINI, "g-2", true},
        {"/v1/models", ROUTE_MODELS, SURETY_PROTOCOL_OPENAI, "", false},
        {"/v1beta/models", ROUTE_MODELS, SURETY_PROTOCOL_GEMINI, "", false},
        {"/v1/models/a/b", ROUTE_MODELS, SURETY_PROTOCOL_OPENAI, "a/b", false},
        {"/v1beta/models/:generateContent", ROUTE_NONE, SURETY_PROTOCOL_GEMINI,
         "", false},
        {"/v1/models/", ROUTE_NONE, SURETY_PROTOCOL_OPENAI, "", false},
        {"/v2/chat/completions", ROUTE_NONE, SURETY_PROTOCOL_OPENAI, "", false},
        {"/v1/chat/completions/", ROUTE_NONE, SURETY_PROTOCOL_OPENAI, "",
         false},
        {"", ROUTE_NONE, SURETY_PROTOCOL_OPENAI, "", false},
    };

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        const surety__route route =
            surety__route_of(STR(cases[i].path), false, false);
        if (route.kind != cases[i].kind)
            printf("# %s\n", cases[i].path);
        CHECK(route.kind == cases[i].kind);
        CHECK(route.protocol == cases[i].protocol);
        CHECK_TEXT(route.model, cases[i].model);
        CHECK(route.stream == cases[i].stream);
    }
    CHECK(surety__route_of(STR("/x"), true, false).protocol ==
          SURETY_PROTOCOL_ANTHROPIC);
    CHECK(surety__route_of(STR("/x"), false, true).protocol ==
          SURETY_PROTOCOL_GEMINI);
done:;
}

/* A request that is read. */
struct reading {
    surety_doc *doc;
    surety__arena arena;
    surety__asked asked;
    surety__problem problem;
    surety_error error;
};

static surety_status read_body(struct check *t, struct reading *reading,
                               surety_protocol protocol, const char *body)
{
    const surety__route route = {.kind = ROUTE_CALL, .protocol = protocol};
    surety_status status;

    surety_doc_free(reading->doc);
    surety__arena_done(&reading->arena);
    surety__arena_init(&reading->arena, check_alloc(t), 0);
    reading->doc = surety_doc_new(check_alloc(t));
    if (!reading->doc)
        return SURETY_NOMEM;
    status = surety_doc_read(reading->doc, STR(body), NULL, &reading->error);
    if (status)
        return status;
    return surety__speak_read(&route, surety_doc_root(reading->doc),
                              &reading->arena, &reading->asked,
                              &reading->problem, &reading->error);
}

static void reading_done(struct reading *reading)
{
    surety_doc_free(reading->doc);
    surety__arena_done(&reading->arena);
}

TEST(reads_what_is_asked)
{
    struct reading reading = {.doc = NULL};
    surety__asked *asked = &reading.asked;

    TRY(read_body(t, &reading, SURETY_PROTOCOL_OPENAI,
                  "{\"model\":\"m\",\"stream\":true,\"stream_options\":{"
                  "\"include_usage\":true},\"messages\":[{\"role\":\"system\","
                  "\"content\":\"a\"},{\"role\":\"developer\",\"content\":\"b"
                  "\"},{\"role\":\"user\",\"content\":[{\"type\":\"text\","
                  "\"text\":\"c\"},{\"type\":\"text\",\"text\":\"d\"}]},{"
                  "\"role\":\"assistant\",\"content\":null}],"
                  "\"response_format\":{\"type\":\"json_schema\","
                  "\"json_schema\":{\"name\":\"s\",\"strict\":true,\"schema\":"
                  "{\"type\":\"object\"}}}}"));
    CHECK_TEXT(asked->model, "m");
    CHECK(asked->stream && asked->usage_chunk && asked->strict);
    CHECK(asked->mode == SURETY_MODE_NATIVE);
    CHECK_TEXT(asked->schema_name, "s");
    CHECK_TEXT(asked->system, "a\nb");
    CHECK(asked->message_count == 2 && asked->prompt_bytes == 4);
    CHECK_TEXT(asked->messages[0].text, "cd");
    CHECK(asked->messages[1].role == SURETY_ROLE_ASSISTANT);

    TRY(read_body(t, &reading, SURETY_PROTOCOL_RESPONSES,
                  "{\"model\":\"m\",\"instructions\":\"i\",\"input\":[{"
                  "\"role\":\"user\",\"content\":[{\"type\":\"input_text\","
                  "\"text\":\"q\"}]}],\"tools\":[{\"type\":\"function\","
                  "\"name\":\"f\"},{\"type\":\"function\",\"name\":\"g\","
                  "\"parameters\":{}}],\"tool_choice\":{\"type\":\"function\","
                  "\"name\":\"g\"}}"));
    CHECK(asked->mode == SURETY_MODE_TOOL && asked->schema.doc);
    CHECK_TEXT(asked->tool, "g");
    CHECK_TEXT(asked->system, "i");
    CHECK_TEXT(asked->messages[0].text, "q");

    TRY(read_body(t, &reading, SURETY_PROTOCOL_ANTHROPIC,
                  "{\"model\":\"m\",\"max_tokens\":1,\"system\":[{\"type\":"
                  "\"text\",\"text\":\"s\"}],\"messages\":[{\"role\":\"user\","
                  "\"content\":\"q\"}],\"tools\":[{\"name\":\"f\"}]}"));
    CHECK(asked->mode == SURETY_MODE_PROMPT);
    CHECK_TEXT(asked->tool, "f");
    CHECK_TEXT(asked->system, "s");

    TRY(read_body(t, &reading, SURETY_PROTOCOL_GEMINI,
                  "{\"contents\":[{\"parts\":[{\"text\":\"q\"}]},{\"role\":"
                  "\"model\",\"parts\":[{\"text\":\"r\"}]}],"
                  "\"system_instruction\":{\"parts\":[{\"text\":\"s\"}]},"
                  "\"generationConfig\":{\"responseMimeType\":"
                  "\"application/json\",\"responseSchema\":{}}}"));
    CHECK(asked->mode == SURETY_MODE_NATIVE);
    CHECK(asked->message_count == 2);
    CHECK(asked->messages[1].role == SURETY_ROLE_ASSISTANT);
    CHECK_TEXT(asked->system, "s");
done:
    reading_done(&reading);
}

TEST(refuses_what_providers_refuse)
{
#define HEY "\"messages\":[{\"role\":\"user\",\"content\":\"hey\"}]"
    static const struct {
        surety_protocol protocol;
        const char *body;
        const char *message;
    } cases[] = {
        {SURETY_PROTOCOL_OPENAI, "[]", "must be a JSON object"},
        {SURETY_PROTOCOL_OPENAI, "{" HEY "}", "model parameter"},
        {SURETY_PROTOCOL_OPENAI, "{\"model\":1," HEY "}", "expected string"},
        {SURETY_PROTOCOL_OPENAI, "{\"model\":\"m\"}", "'messages'"},
        {SURETY_PROTOCOL_OPENAI, "{\"model\":\"m\",\"messages\":[1]}",
         "messages[].role"},
        {SURETY_PROTOCOL_OPENAI,
         "{\"model\":\"m\",\"stream_options\":{}," HEY "}",
         "'stream' is enabled"},
        {SURETY_PROTOCOL_OPENAI,
         "{\"model\":\"m\",\"response_format\":{\"type\":\"xml\"}," HEY "}",
         "'response_format.type'"},
        {SURETY_PROTOCOL_OPENAI,
         "{\"model\":\"m\",\"response_format\":{\"type\":\"json_schema\"}," HEY
         "}",
         "json_schema.name"},
        {SURETY_PROTOCOL_OPENAI,
         "{\"model\":\"m\",\"response_format\":{\"type\":\"json_object\"}," HEY
         "}",
         "the word 'json'"},
        {SURETY_PROTOCOL_OPENAI,
         "{\"model\":\"m\",\"tool_choice\":\"required\"," HEY "}",
         "not found in 'tools'"},
        {SURETY_PROTOCOL_RESPONSES, "{\"model\":\"m\"}", "'input'"},
        {SURETY_PROTOCOL_RESPONSES,
         "{\"model\":\"m\",\"input\":\"q\",\"text\":{\"format\":{\"type\":"
         "\"json_schema\",\"name\":\"n\"}}}",
         "'text.format.schema'"},
        {SURETY_PROTOCOL_ANTHROPIC, "{\"model\":\"m\"," HEY "}",
         "max_tokens: Field required"},
        {SURETY_PROTOCOL_ANTHROPIC,
         "{\"model\":\"m\",\"max_tokens\":0," HEY "}", "greater than"},
        {SURETY_PROTOCOL_ANTHROPIC,
         "{\"model\":\"m\",\"max_tokens\":1,\"messages\":[{\"role\":"
         "\"system\"}]}",
         "Unexpected role \"system\""},
        {SURETY_PROTOCOL_ANTHROPIC,
         "{\"model\":\"m\",\"max_tokens\":1,\"thinking\":{\"type\":"
         "\"enabled\"},\"tool_choice\":{\"type\":\"any\"},\"tools\":[{"
         "\"name\":\"f\"}]," HEY "}",
         "Thinking may not be enabled"},
        {SURETY_PROTOCOL_GEMINI, "{}", "contents is not specified"},
        {SURETY_PROTOCOL_GEMINI,
         "{\"contents\":[{\"role\":\"system\",\"parts\":[]}]}", "valid role"},
        {SURETY_PROTOCOL_GEMINI,
         "{\"contents\":[{\"parts\":[]}],\"generationConfig\":{"
         "\"responseSchema\":{}}}",
         "mime type"},
    };
    struct reading reading = {.doc = NULL};

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        EXPECT(SURETY_SYNTAX,
               read_body(t, &reading, cases[i].protocol, cases[i].body));
        if (!has(reading.error.message, cases[i].message))
            printf("# %s\n# %s\n", cases[i].body, reading.error.message);
        CHECK(has(reading.error.message, cases[i].message));
        CHECK(reading.problem.status == 400);
    }
done:
    reading_done(&reading);
}

TEST(knows_strict_schemas)
{
    static const struct {
        const char *schema;
        const char *message; /* NULL: taken */
    } cases[] = {
        {"{\"type\":\"object\",\"properties\":{},\"additionalProperties\":"
         "false}",
         NULL},
        {"{\"type\":\"array\"}", "type: \"object\""},
        {"[]", "type: \"object\""},
        {"{\"type\":\"object\"}", "'additionalProperties' is required"},
        {"{\"type\":\"object\",\"additionalProperties\":false,\"properties\":"
         "{\"a\":{}}}",
         "Missing 'a'"},
        {"{\"type\":\"object\",\"additionalProperties\":false,\"properties\":"
         "{\"a\":{\"anyOf\":[{\"not\":{}}]}},\"required\":[\"a\"]}",
         "context=('properties', 'a', 'anyOf'), not permitted is 'not'"},
        {"{\"type\":\"object\",\"additionalProperties\":false,\"properties\":"
         "[1],\"$defs\":{\"d\":{\"properties\":{}}},\"items\":3,\"anyOf\":{}}",
         "('$defs', 'd')"},
    };
    struct reading reading = {.doc = NULL};
    char body[1024];

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        snprintf(body, sizeof(body),
                 "{\"model\":\"m\",\"response_format\":{\"type\":"
                 "\"json_schema\",\"json_schema\":{\"name\":\"s\",\"strict\":"
                 "true,\"schema\":%s}}," HEY "}",
                 cases[i].schema);
        TRY(read_body(t, &reading, SURETY_PROTOCOL_OPENAI, body));
        EXPECT(cases[i].message ? SURETY_SYNTAX : SURETY_OK,
               surety__speak_strict(&reading.asked, &reading.arena,
                                    &reading.problem, &reading.error));
        if (cases[i].message && !has(reading.error.message, cases[i].message))
            printf("# %s\n", reading.error.message);
        CHECK(!cases[i].message ||
              has(reading.error.message, cases[i].message));
    }
done:
    reading_done(&reading);
}

/* Says a reasoned text, or a tool call, and gives the bytes. */
static surety_status say(struct check *t, surety_protocol protocol, bool stream,
                         bool tool, surety_buf *out)
{
    const surety__asked asked = {
        .protocol = protocol, .model = {"m", 1}, .stream = stream};
    const surety__closing ending = {.usage = {true, 3, 1, 2, 0}};
    surety__speech speech;

    surety_buf_reset(out);
    surety__speech_init(&speech, &asked, STR("1"), check_alloc(t));
    speech.tool = STR("f");
    speech.created = 7;
    if (stream)
        surety__speech_begin(&speech, &ending.usage, out);
    if (tool)
        surety__speech_piece(&speech, PART_ARGUMENTS, STR("{\"a\":1}"),
                             stream ? out : NULL);
    else
        surety__speech_piece(&speech, PART_TEXT, STR("\"h\n"),
                             stream ? out : NULL);
    if (stream)
        surety__speech_end(&speech, &ending, out);
    else
        surety__speech_whole(&speech, &ending, out);
    surety__speech_done(&speech);
    return out->status;
}

TEST(answers_to_the_byte)
{
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(say(t, SURETY_PROTOCOL_ANTHROPIC, false, false, &out));
    CHECK_TEXT(surety_buf_str(&out),
               "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\","
               "\"model\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"\\"
               "\"h\\n\"}],\"stop_reason\":\"end_turn\",\"stop_sequence\":null,"
               "\"usage\":{\"input_tokens\":2,\"cache_creation_input_tokens\":"
               "0,\"cache_read_input_tokens\":1,\"output_tokens\":2,"
               "\"service_tier\":\"standard\"}}");
    TRY(say(t, SURETY_PROTOCOL_ANTHROPIC, false, true, &out));
    surety_buf_byte(&out, 0);
    TRY(out.status);
    CHECK(has(out.ptr, "{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":"
                       "\"f\",\"input\":{\"a\":1}}],\"stop_reason\":\"tool_"
                       "use\""));
    TRY(say(t, SURETY_PROTOCOL_GEMINI, true, false, &out));
    CHECK_TEXT(
        surety_buf_str(&out),
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"\\\"h\\n"
        "\"}],\"role\":\"model\"},\"index\":0}],\"modelVersion\":\"m\","
        "\"responseId\":\"1\"}\n\ndata: {\"candidates\":[{\"content\":{"
        "\"parts\":[{\"text\":\"\"}],\"role\":\"model\"},\"finishReason\":"
        "\"STOP\",\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":3,"
        "\"candidatesTokenCount\":2,\"totalTokenCount\":5,"
        "\"cachedContentTokenCount\":1,\"thoughtsTokenCount\":0},"
        "\"modelVersion\":\"m\",\"responseId\":\"1\"}\n\n");
    TRY(say(t, SURETY_PROTOCOL_OPENAI, true, true, &out));
    surety_buf_byte(&out, '\0');
    TRY(out.status);
    CHECK(has(out.ptr, "\"tool_calls\":[{\"index\":0,\"id\":\"call_1\","));
    CHECK(has(out.ptr, "\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]"));
    TRY(say(t, SURETY_PROTOCOL_RESPONSES, true, true, &out));
    surety_buf_byte(&out, '\0');
    TRY(out.status);
    CHECK(has(out.ptr, "event: response.function_call_arguments.delta\n"));
    CHECK(has(out.ptr, "\"arguments\":\"{\\\"a\\\":1}\",\"name\":\"f\""));
    CHECK(has(out.ptr, "event: response.completed\n"));
done:
    surety_buf_done(&out);
}

/* A text that would break out of its string, and a word of the provider's. */
TEST(tells_reasoning_apart)
{
    const surety__asked asked = {.protocol = SURETY_PROTOCOL_ANTHROPIC};
    surety__closing ending = {.usage = {true, 3, 0, 7, 5}};
    surety__speech speech;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    surety__speech_init(&speech, &asked, STR("1"), check_alloc(t));
    surety__speech_whole(&speech, &ending, &out);
    surety_buf_byte(&out, 0);
    TRY(out.status);
    CHECK(has(out.ptr, "\"output_tokens\":7,\"output_tokens_details\":"
                       "{\"thinking_tokens\":5},"));
    surety_buf_reset(&out);
    ending.usage.reasoning_tokens = 0;
    surety__speech_whole(&speech, &ending, &out);
    surety_buf_byte(&out, 0);
    TRY(out.status);
    CHECK(!has(out.ptr, "output_tokens_details"));
done:
    surety__speech_done(&speech);
    surety_buf_done(&out);
}

TEST(quotes_what_it_is_given)
{
    const surety__problem problem = {.status = 418,
                                     .message = {"\"}\r\n\x01\xff", 6}};
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    surety__speak_error(SURETY_PROTOCOL_GEMINI, &problem, &out);
    TRY(out.status);
    CHECK_TEXT(surety_buf_str(&out),
               "{\"error\":{\"code\":418,\"message\":\"\\\"}\\r\\n\\u0001"
               "\xEF\xBF\xBD\",\"status\":\"UNKNOWN\"}}");
    surety_buf_reset(&out);
    surety__speak_models(SURETY_PROTOCOL_ANTHROPIC, NULL, 0, STR(""), &out);
    TRY(out.status);
    CHECK_TEXT(surety_buf_str(&out),
               "{\"data\":[],\"has_more\":false,\"first_id\":null,\"last_id\":"
               "null}");
done:
    surety_buf_done(&out);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"knows paths", knows_paths},
        {"reads what is asked", reads_what_is_asked},
        {"refuses what providers refuse", refuses_what_providers_refuse},
        {"knows strict schemas", knows_strict_schemas},
        {"answers to the byte", answers_to_the_byte},
        {"tells reasoning apart", tells_reasoning_apart},
        {"quotes what it is given", quotes_what_it_is_given},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
