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
        {"/v1/messages/count_tokens", ROUTE_COUNT, SURETY_PROTOCOL_ANTHROPIC,
         "", false},
        {"/v1/responses/input_tokens", ROUTE_COUNT, SURETY_PROTOCOL_RESPONSES,
         "", false},
        {"/v1beta/models/g-2:countTokens", ROUTE_COUNT, SURETY_PROTOCOL_GEMINI,
         "g-2", false},
        {"/v1/embeddings", ROUTE_EMBED, SURETY_PROTOCOL_OPENAI, "", false},
        {"/v1beta/models/g:embedContent", ROUTE_EMBED, SURETY_PROTOCOL_GEMINI,
         "g", false},
        {"/v1beta/models/g:batchEmbedContents", ROUTE_EMBED,
         SURETY_PROTOCOL_GEMINI, "g", false},
        {"/v1beta/models/g:predict", ROUTE_MODELS, SURETY_PROTOCOL_GEMINI,
         "g:predict", false},
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
    surety__model_request request;
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
                              &reading->arena, &reading->request,
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
    surety__model_request *request = &reading.request;

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
    CHECK_TEXT(request->model, "m");
    CHECK(request->stream && request->usage_chunk && request->strict);
    CHECK(request->mode == SURETY_MODE_NATIVE);
    CHECK_TEXT(request->schema_name, "s");
    CHECK_TEXT(request->system, "a\nb");
    CHECK(request->message_count == 2 && request->prompt_bytes == 4);
    CHECK_TEXT(request->messages[0].text, "cd");
    CHECK(request->messages[1].author == AUTHOR_ASSISTANT);

    TRY(read_body(t, &reading, SURETY_PROTOCOL_RESPONSES,
                  "{\"model\":\"m\",\"instructions\":\"i\",\"input\":[{"
                  "\"role\":\"user\",\"content\":[{\"type\":\"input_text\","
                  "\"text\":\"q\"}]}],\"tools\":[{\"type\":\"function\","
                  "\"name\":\"f\"},{\"type\":\"function\",\"name\":\"g\","
                  "\"parameters\":{}}],\"tool_choice\":{\"type\":\"function\","
                  "\"name\":\"g\"}}"));
    CHECK(request->mode == SURETY_MODE_TOOL && request->schema.doc);
    CHECK_TEXT(request->tool, "g");
    CHECK_TEXT(request->system, "i");
    CHECK_TEXT(request->messages[0].text, "q");

    TRY(read_body(t, &reading, SURETY_PROTOCOL_ANTHROPIC,
                  "{\"model\":\"m\",\"max_tokens\":1,\"system\":[{\"type\":"
                  "\"text\",\"text\":\"s\"}],\"messages\":[{\"role\":\"user\","
                  "\"content\":\"q\"}],\"tools\":[{\"name\":\"f\"}]}"));
    CHECK(request->mode == SURETY_MODE_PROMPT);
    CHECK_TEXT(request->tool, "f");
    CHECK_TEXT(request->system, "s");

    TRY(read_body(t, &reading, SURETY_PROTOCOL_GEMINI,
                  "{\"contents\":[{\"parts\":[{\"text\":\"q\"}]},{\"role\":"
                  "\"model\",\"parts\":[{\"text\":\"r\"}]}],"
                  "\"system_instruction\":{\"parts\":[{\"text\":\"s\"}]},"
                  "\"generationConfig\":{\"responseMimeType\":"
                  "\"application/json\",\"responseSchema\":{}}}"));
    CHECK(request->mode == SURETY_MODE_NATIVE);
    CHECK(request->message_count == 2);
    CHECK(request->messages[1].author == AUTHOR_ASSISTANT);
    CHECK_TEXT(request->system, "s");
done:
    reading_done(&reading);
}

/* The result of a tool, `say "hi"` and a line, behind a call of it. */
#define CHAT_TOOLS                                                             \
    "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}},{"       \
    "\"type\":\"function\",\"function\":{\"name\":\"g\"}}]"
#define RESPONSES_TOOLS                                                        \
    "\"tools\":[{\"type\":\"function\",\"name\":\"f\"},{\"type\":\"function\"" \
    ",\"name\":\"g\"}]"
#define ANTHROPIC_TOOLS "\"tools\":[{\"name\":\"f\"},{\"name\":\"g\"}]"
#define GEMINI_TOOLS                                                           \
    "\"tools\":[{\"functionDeclarations\":[{\"name\":\"f\"},{\"name\":\"g\"}]" \
    "}]"
#define RESULT "say \\\"hi\\\"\\nto all"

static const struct {
    surety_protocol protocol;
    const char *body;
} told[] = {
    {SURETY_PROTOCOL_OPENAI,
     "{\"model\":\"m\"," CHAT_TOOLS ",\"messages\":[{\"role\":\"user\","
     "\"content\":\"q\"},{\"role\":\"assistant\",\"tool_calls\":[{\"id\":"
     "\"1\",\"type\":\"function\",\"function\":{\"name\":\"f\","
     "\"arguments\":\"{}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"1\","
     "\"content\":\"" RESULT "\"}]}"},
    {SURETY_PROTOCOL_RESPONSES,
     "{\"model\":\"m\"," RESPONSES_TOOLS ",\"input\":[{\"role\":\"user\","
     "\"content\":\"q\"},{\"type\":\"function_call\",\"call_id\":\"1\","
     "\"name\":\"f\",\"arguments\":\"{}\"},{\"type\":"
     "\"function_call_output\",\"call_id\":\"1\",\"output\":\"" RESULT "\"}]}"},
    {SURETY_PROTOCOL_RESPONSES,
     "{\"model\":\"m\"," RESPONSES_TOOLS ",\"input\":[{\"role\":\"user\","
     "\"content\":\"q\"},{\"type\":\"function_call\",\"call_id\":\"1\"},{"
     "\"type\":\"function_call_output\",\"call_id\":\"1\",\"output\":[{"
     "\"type\":\"input_text\",\"text\":\"" RESULT "\"}]}]}"},
    {SURETY_PROTOCOL_ANTHROPIC,
     "{\"model\":\"m\",\"max_tokens\":1," ANTHROPIC_TOOLS
     ",\"messages\":[{\"role\":\"user\",\"content\":\"q\"},{\"role\":"
     "\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"1\","
     "\"name\":\"f\",\"input\":{}}]},{\"role\":\"user\",\"content\":[{"
     "\"type\":\"tool_result\",\"tool_use_id\":\"1\",\"content\":[{"
     "\"type\":\"text\",\"text\":\"" RESULT "\"}]}]}]}"},
    {SURETY_PROTOCOL_ANTHROPIC,
     "{\"model\":\"m\",\"max_tokens\":1," ANTHROPIC_TOOLS
     ",\"messages\":[{\"role\":\"user\",\"content\":\"q\"},{\"role\":"
     "\"assistant\",\"content\":[{\"type\":\"tool_use\"}]},{\"role\":"
     "\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":"
     "\"1\",\"content\":\"" RESULT "\"}]}]}"},
    {SURETY_PROTOCOL_GEMINI,
     "{" GEMINI_TOOLS ",\"contents\":[{\"role\":\"user\",\"parts\":[{"
     "\"text\":\"q\"}]},{\"role\":\"model\",\"parts\":[{\"functionCall\":{"
     "\"name\":\"f\",\"args\":{}}}]},{\"role\":\"user\",\"parts\":[{"
     "\"functionResponse\":{\"name\":\"f\",\"response\":{\"output\":"
     "\"" RESULT "\"}}}]}]}"},
    {SURETY_PROTOCOL_GEMINI,
     "{" GEMINI_TOOLS ",\"contents\":[{\"parts\":[{\"text\":\"q\"}]},{"
     "\"role\":\"model\",\"parts\":[{\"functionCall\":{}}]},{\"role\":"
     "\"function\",\"parts\":[{\"function_response\":{\"name\":\"f\","
     "\"response\":{\"error\":\"" RESULT "\"}}}]}]}"},
};

TEST(sees_results_of_tools)
{
    struct reading reading = {.doc = NULL};
    const surety__model_request *request = &reading.request;

    for (size_t i = 0; i < CHECK_COUNT(told); i++) {
        TRY(read_body(t, &reading, told[i].protocol, told[i].body));
        CHECK(request->message_count == 3 && request->tool_count == 2);
        CHECK(request->messages[0].author == AUTHOR_USER);
        CHECK(request->messages[1].author == AUTHOR_ASSISTANT);
        CHECK(request->messages[2].author == AUTHOR_TOOL);
        CHECK_TEXT(request->messages[2].text, "say \"hi\"\nto all");
        CHECK(request->choice == CHOICE_AUTO);
        CHECK(request->format == FORMAT_TEXT);
        CHECK(request->mode == SURETY_MODE_PROMPT);
        CHECK_TEXT(request->tool, "f");
        CHECK_TEXT(request->tools[1], "g");
    }
    TRY(read_body(t, &reading, SURETY_PROTOCOL_GEMINI,
                  "{\"contents\":[{\"role\":\"user\",\"parts\":[{"
                  "\"functionResponse\":{\"response\":{\"t\":20}}},{\"text\":"
                  "\"go on\"}]}]}"));
    CHECK_TEXT(request->messages[0].text, "{\"t\":20}go on");
    CHECK(request->messages[0].author == AUTHOR_TOOL);
    CHECK(request->choice == CHOICE_NONE && request->tool_count == 0);
done:
    reading_done(&reading);
}

#define ASK                                                                    \
    "{\"model\":\"m\",\"max_tokens\":1,\"messages\":[{\"role\":"               \
    "\"user\",\"content\":\"json\"}],\"input\":\"json\",\"contents\":"         \
    "[{\"parts\":[{\"text\":\"json\"}]}],"
static const struct {
    surety_protocol protocol;
    const char *body;
    surety__choice choice;
    surety__format format;
    uint32_t answers;
} choices[] = {
    {SURETY_PROTOCOL_OPENAI,
     ASK CHAT_TOOLS ",\"tool_choice\":{\"type\":\"allowed_tools\","
                    "\"allowed_tools\":{\"mode\":\"required\",\"tools\":[{"
                    "\"type\":\"function\",\"function\":{\"name\":\"g\"}}"
                    "]}}}",
     CHOICE_REQUIRED, FORMAT_TEXT, 1},
    {SURETY_PROTOCOL_RESPONSES,
     ASK RESPONSES_TOOLS ",\"tool_choice\":{\"type\":\"allowed_tools\","
                         "\"mode\":\"auto\",\"tools\":[{\"type\":"
                         "\"function\",\"name\":\"g\"}]}}",
     CHOICE_AUTO, FORMAT_TEXT, 1},
    {SURETY_PROTOCOL_OPENAI, ASK "\"n\":3}", CHOICE_NONE, FORMAT_TEXT, 3},
    {SURETY_PROTOCOL_OPENAI, ASK CHAT_TOOLS ",\"n\":null}", CHOICE_AUTO,
     FORMAT_TEXT, 1},
    {SURETY_PROTOCOL_OPENAI, ASK CHAT_TOOLS ",\"tool_choice\":\"auto\"}",
     CHOICE_AUTO, FORMAT_TEXT, 1},
    {SURETY_PROTOCOL_OPENAI, ASK CHAT_TOOLS ",\"tool_choice\":\"none\"}",
     CHOICE_NONE, FORMAT_TEXT, 1},
    {SURETY_PROTOCOL_OPENAI, ASK CHAT_TOOLS ",\"tool_choice\":\"required\"}",
     CHOICE_REQUIRED, FORMAT_TEXT, 1},
    {SURETY_PROTOCOL_OPENAI,
     ASK CHAT_TOOLS ",\"tool_choice\":{\"type\":\"function\",\"function\":"
                    "{\"name\":\"g\"}},\"n\":128}",
     CHOICE_NAMED, FORMAT_TEXT, 128},
    {SURETY_PROTOCOL_OPENAI,
     ASK "\"response_format\":{\"type\":\"json_object\"}}", CHOICE_NONE,
     FORMAT_JSON_OBJECT, 1},
    {SURETY_PROTOCOL_OPENAI,
     ASK "\"response_format\":{\"type\":\"json_object\",\"schema\":{}}}",
     CHOICE_NONE, FORMAT_JSON_SCHEMA, 1},
    {SURETY_PROTOCOL_OPENAI,
     ASK "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{"
         "\"name\":\"s\",\"schema\":{}}}}",
     CHOICE_NONE, FORMAT_JSON_SCHEMA, 1},
    {SURETY_PROTOCOL_RESPONSES,
     ASK RESPONSES_TOOLS ",\"tool_choice\":\"required\"}", CHOICE_REQUIRED,
     FORMAT_TEXT, 1},
    {SURETY_PROTOCOL_RESPONSES,
     ASK "\"tools\":[{\"type\":\"web_search\"}],\"text\":{\"format\":{"
         "\"type\":\"json_object\"}}}",
     CHOICE_AUTO, FORMAT_JSON_OBJECT, 1},
    {SURETY_PROTOCOL_ANTHROPIC,
     ASK ANTHROPIC_TOOLS ",\"tool_choice\":{\"type\":\"any\"}}",
     CHOICE_REQUIRED, FORMAT_TEXT, 1},
    {SURETY_PROTOCOL_ANTHROPIC,
     ASK ANTHROPIC_TOOLS ",\"tool_choice\":{\"type\":\"none\"}}", CHOICE_NONE,
     FORMAT_TEXT, 1},
    {SURETY_PROTOCOL_ANTHROPIC,
     ASK ANTHROPIC_TOOLS ",\"tool_choice\":{\"type\":\"tool\",\"name\":"
                         "\"f\"}}",
     CHOICE_NAMED, FORMAT_TEXT, 1},
    {SURETY_PROTOCOL_GEMINI,
     ASK "\"tools\":[{\"googleSearch\":{}}],\"generationConfig\":{"
         "\"candidateCount\":8,\"responseMimeType\":\"application/json\"}}",
     CHOICE_AUTO, FORMAT_JSON_OBJECT, 8},
    {SURETY_PROTOCOL_GEMINI,
     ASK GEMINI_TOOLS ",\"toolConfig\":{\"functionCallingConfig\":{"
                      "\"mode\":\"ANY\",\"allowedFunctionNames\":[\"g\"]}}"
                      "}",
     CHOICE_NAMED, FORMAT_TEXT, 1},
};

TEST(tells_choices_and_formats_apart)
{
    struct reading reading = {.doc = NULL};
    const surety__model_request *request = &reading.request;

    for (size_t i = 0; i < CHECK_COUNT(choices); i++) {
        TRY(read_body(t, &reading, choices[i].protocol, choices[i].body));
        if (request->choice != choices[i].choice)
            printf("# %s\n", choices[i].body);
        CHECK(request->choice == choices[i].choice);
        CHECK(request->format == choices[i].format);
        CHECK(request->answers == choices[i].answers);
        CHECK((request->mode == SURETY_MODE_TOOL) ==
              (request->choice >= CHOICE_REQUIRED));
    }
done:
    reading_done(&reading);
}

#define HEY "\"messages\":[{\"role\":\"user\",\"content\":\"hey\"}]"
static const struct {
    surety_protocol protocol;
    const char *body;
    const char *message;
} refused_calls[] = {
    {SURETY_PROTOCOL_OPENAI, "[]", "must be a JSON object"},
    {SURETY_PROTOCOL_OPENAI, "{" HEY "}", "model parameter"},
    {SURETY_PROTOCOL_OPENAI, "{\"model\":1," HEY "}", "expected string"},
    {SURETY_PROTOCOL_OPENAI, "{\"model\":\"m\"}", "'messages'"},
    {SURETY_PROTOCOL_OPENAI, "{\"model\":\"m\",\"messages\":[1]}",
     "messages[].role"},
    {SURETY_PROTOCOL_OPENAI, "{\"model\":\"m\",\"stream_options\":{}," HEY "}",
     "'stream' is enabled"},
    {SURETY_PROTOCOL_OPENAI,
     "{\"model\":\"m\",\"response_format\":{\"type\":\"xml\"}," HEY "}",
     "'response_format.type'"},
    {SURETY_PROTOCOL_OPENAI,
     "{\"model\":\"m\",\"response_format\":{\"type\":\"json_schema\"}," HEY "}",
     "json_schema.name"},
    {SURETY_PROTOCOL_OPENAI,
     "{\"model\":\"m\",\"response_format\":{\"type\":\"json_object\"}," HEY "}",
     "the word 'json'"},
    {SURETY_PROTOCOL_OPENAI,
     "{\"model\":\"m\",\"tool_choice\":\"required\"," HEY "}",
     "when 'tools' are specified"},
    {SURETY_PROTOCOL_OPENAI,
     "{\"model\":\"m\",\"tool_choice\":\"any\"," HEY "}", "'tool_choice'"},
    {SURETY_PROTOCOL_OPENAI, "{\"model\":\"m\",\"functions\":[]," HEY "}",
     "Use 'tools' instead"},
    {SURETY_PROTOCOL_OPENAI, "{\"model\":\"m\",\"n\":0," HEY "}", "1 to 128"},
    {SURETY_PROTOCOL_OPENAI,
     "{\"model\":\"m\",\"messages\":[{\"role\":\"bot\",\"content\":\"\"}"
     "]}",
     "'messages[].role'"},
    {SURETY_PROTOCOL_RESPONSES, "{\"model\":\"m\",\"input\":\"q\",\"n\":2}",
     "Unknown parameter: 'n'"},
    {SURETY_PROTOCOL_ANTHROPIC,
     "{\"model\":\"m\",\"max_tokens\":1,\"tool_choice\":{\"type\":"
     "\"some\"}," HEY "}",
     "tool_choice: Input tag"},
    {SURETY_PROTOCOL_RESPONSES, "{\"model\":\"m\"}", "'input'"},
    {SURETY_PROTOCOL_RESPONSES,
     "{\"model\":\"m\",\"input\":\"q\",\"text\":{\"format\":{\"type\":"
     "\"json_schema\",\"name\":\"n\"}}}",
     "'text.format.schema'"},
    {SURETY_PROTOCOL_ANTHROPIC, "{\"model\":\"m\"," HEY "}",
     "max_tokens: Field required"},
    {SURETY_PROTOCOL_ANTHROPIC, "{\"model\":\"m\",\"max_tokens\":0," HEY "}",
     "greater than"},
    {SURETY_PROTOCOL_ANTHROPIC,
     "{\"model\":\"m\",\"max_tokens\":1,\"messages\":[{\"role\":"
     "\"tool\"}]}",
     "Unexpected role \"tool\""},
    {SURETY_PROTOCOL_ANTHROPIC,
     "{\"model\":\"m\",\"max_tokens\":1,\"messages\":[{\"role\":"
     "\"system\"}]}",
     "must follow one of the role \"user\""},
    {SURETY_PROTOCOL_ANTHROPIC,
     "{\"model\":\"m\",\"max_tokens\":1,\"messages\":[{\"role\":"
     "\"user\"},{\"role\":\"system\"},{\"role\":\"system\"}]}",
     "must follow one of the role \"user\""},
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

TEST(refuses_what_providers_refuse)
{
    struct reading reading = {.doc = NULL};

    for (size_t i = 0; i < CHECK_COUNT(refused_calls); i++) {
        EXPECT(SURETY_SYNTAX, read_body(t, &reading, refused_calls[i].protocol,
                                        refused_calls[i].body));
        if (!has(reading.error.message, refused_calls[i].message))
            printf("# %s\n# %s\n", refused_calls[i].body,
                   reading.error.message);
        CHECK(has(reading.error.message, refused_calls[i].message));
        CHECK(reading.problem.status == 400);
    }
done:
    reading_done(&reading);
}

/* A client is told what it needs to go on without what is not served. */
TEST(holds_no_threads)
{
    struct reading reading = {.doc = NULL};
    surety_status status;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    status = read_body(t, &reading, SURETY_PROTOCOL_ANTHROPIC,
                       "{\"thread\":{\"type\":\"create\"}}");
    if (status == SURETY_NOMEM)
        TRY(status);
    CHECK(status == SURETY_SYNTAX);
    surety__speak_error(SURETY_PROTOCOL_ANTHROPIC, &reading.problem, &out);
    TRY(out.status);
    CHECK_TEXT(surety_buf_str(&out),
               "{\"type\":\"error\",\"error\":{\"type\":"
               "\"invalid_request_error\",\"message\":\"thread: no "
               "conversation is held here; send all of its messages, and no "
               "thread\",\"details\":{\"error_code\":"
               "\"thread_unsupported_request\",\"unsupported\":[\"thread\"]"
               "}},\"request_id\":null}");
    TRY(read_body(t, &reading, SURETY_PROTOCOL_ANTHROPIC,
                  "{\"model\":\"m\",\"max_tokens\":1,\"thread\":null,"
                  "\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}"));
done:
    surety_buf_done(&out);
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
               surety__speak_strict(&reading.request, &reading.arena,
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
    const surety__model_request request = {.protocol = protocol,
                                           .model = {"m", 1},
                                           .stream = stream,
                                           .answers = 1};
    const surety__closing ending = {.usage = {true, 3, 1, 2, 0}};
    surety__speech speech;

    surety_buf_reset(out);
    surety__speech_init(&speech, &request, STR("1"), check_alloc(t));
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
    const surety__model_request request = {
        .protocol = SURETY_PROTOCOL_ANTHROPIC, .answers = 1};
    surety__closing ending = {.usage = {true, 3, 0, 7, 5}};
    surety__speech speech;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    surety__speech_init(&speech, &request, STR("1"), check_alloc(t));
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

/* Every choice says the same, and no index is missing. */
TEST(gives_so_many_answers)
{
    static const char *const ends[] = {"\"index\":0", "\"index\":2",
                                       "call_1_2\"", "call_1_2-2\""};
    surety__model_request request = {.model = {"m", 1}, .answers = 3};
    const surety__closing ending = {.usage = {true, 3, 1, 2, 0}};
    surety__speech speech = {.request = &request};
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (int i = 0; i < 4; i++) {
        const bool is_openai = i < 2;
        request.stream = i % 2;
        request.protocol =
            is_openai ? SURETY_PROTOCOL_OPENAI : SURETY_PROTOCOL_GEMINI;
        surety_buf_reset(&out);
        surety__speech_init(&speech, &request, STR("1"), check_alloc(t));
        surety__speech_piece(&speech, PART_TEXT, STR("h"),
                             request.stream ? &out : NULL);
        surety__speech_piece(&speech, PART_ARGUMENTS, STR("{}"),
                             request.stream ? &out : NULL);
        surety__speech_begin_call(&speech, STR("g"));
        surety__speech_piece(&speech, PART_ARGUMENTS, STR("{}"),
                             request.stream ? &out : NULL);
        if (request.stream)
            surety__speech_end(&speech, &ending, &out);
        else
            surety__speech_whole(&speech, &ending, &out);
        surety__speech_done(&speech);
        surety_buf_byte(&out, 0);
        TRY(out.status);
        for (size_t k = 0; k < (is_openai ? 4u : 2u); k++)
            CHECK(has(out.ptr, ends[k]));
        CHECK(!has(out.ptr, "\"index\":3"));
    }
done:
    surety__speech_done(&speech);
    surety_buf_done(&out);
}

static surety_status embed(struct check *t, surety_protocol protocol,
                           const char *body, surety_buf *out, surety_error *err)
{
    const surety__route route = {
        .kind = ROUTE_EMBED, .protocol = protocol, .model = {"m", 1}};
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety__problem problem;
    surety__arena arena;
    surety__model_request request;
    surety_status status = SURETY_NOMEM;

    surety__arena_init(&arena, check_alloc(t), 0);
    surety_buf_reset(out);
    if (doc)
        status = surety_doc_read(doc, STR(body), NULL, err);
    if (!status)
        status = surety__speak_read(&route, surety_doc_root(doc), &arena,
                                    &request, &problem, err);
    if (!status)
        surety__speak_embed(&request, out);
    surety_buf_byte(out, 0);
    surety__arena_done(&arena);
    surety_doc_free(doc);
    return status ? status : out->status;
}

TEST(makes_vectors_of_texts)
{
#define EMBED(more) "{\"model\":\"m\",\"dimensions\":2," more "}"
    static const struct {
        surety_protocol protocol;
        const char *body;
        const char *message;
    } refused[] = {
        {SURETY_PROTOCOL_OPENAI, "{\"input\":\"a\"}", "model"},
        {SURETY_PROTOCOL_OPENAI, "{\"model\":\"m\"}", "'input'"},
        {SURETY_PROTOCOL_OPENAI, EMBED("\"input\":[\"a\",\"\"]"), "input"},
        {SURETY_PROTOCOL_OPENAI,
         "{\"model\":\"m\",\"input\":\"a\",\"dimensions\":4097}", "1 to 4096"},
        {SURETY_PROTOCOL_OPENAI,
         "{\"model\":\"m\",\"input\":\"a\",\"dimensions\":0}", "1 to 4096"},
        {SURETY_PROTOCOL_OPENAI,
         EMBED("\"input\":\"a\",\"encoding_format\":\"hex\""), "base64"},
        {SURETY_PROTOCOL_GEMINI, "{}", "not specified"},
        {SURETY_PROTOCOL_OPENAI, "[]", "must be a JSON object"},
    };
    surety_error err = {.message = ""};
    surety_buf out, again;

    surety_buf_init(&out, check_alloc(t), 0);
    surety_buf_init(&again, check_alloc(t), 0);
    TRY(embed(t, SURETY_PROTOCOL_OPENAI, EMBED("\"input\":\"a\""), &out, &err));
    CHECK_TEXT(STR(out.ptr),
               "{\"object\":\"list\",\"data\":[{\"object\":\"embedding\","
               "\"index\":0,\"embedding\":[-0.126463598,-0.991971395]}],"
               "\"model\":\"m\","
               "\"usage\":{\"prompt_tokens\":1,\"total_tokens\":1}}");
    TRY(embed(t, SURETY_PROTOCOL_OPENAI, EMBED("\"input\":[[1,2],[3]]"), &out,
              &err));
    CHECK(has(out.ptr, "\"index\":1"));
    TRY(embed(t, SURETY_PROTOCOL_OPENAI,
              EMBED("\"input\":\"a\",\"encoding_format\":\"base64\""), &out,
              &err));
    CHECK(has(out.ptr, "\"embedding\":\"rH8Bvtbxfb8=\""));
    TRY(embed(t, SURETY_PROTOCOL_GEMINI,
              "{\"content\":{\"parts\":[{\"text\":\"a\"}]},"
              "\"outputDimensionality\":2}",
              &out, &err));
    CHECK_TEXT(STR(out.ptr),
               "{\"embedding\":{\"values\":[-0.126463598,-0.991971395]}}");
    TRY(embed(t, SURETY_PROTOCOL_GEMINI,
              "{\"requests\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]},"
              "\"outputDimensionality\":1},{\"content\":{\"parts\":[{\"text\":"
              "\"b\"}]},\"output_dimensionality\":1}]}",
              &again, &err));
    CHECK(has(again.ptr, "{\"embeddings\":[{\"values\":["));
    for (size_t i = 0; i < CHECK_COUNT(refused); i++) {
        const surety_status status =
            embed(t, refused[i].protocol, refused[i].body, &out, &err);
        if (status == SURETY_NOMEM)
            TRY(status);
        CHECK(status == SURETY_SYNTAX);
        CHECK(has(err.message, refused[i].message));
    }
done:
    surety_buf_done(&out);
    surety_buf_done(&again);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"knows paths", knows_paths},
        {"reads what is asked", reads_what_is_asked},
        {"sees results of tools", sees_results_of_tools},
        {"tells choices and formats apart", tells_choices_and_formats_apart},
        {"refuses what providers refuse", refuses_what_providers_refuse},
        {"holds no threads", holds_no_threads},
        {"knows strict schemas", knows_strict_schemas},
        {"answers to the byte", answers_to_the_byte},
        {"tells reasoning apart", tells_reasoning_apart},
        {"quotes what it is given", quotes_what_it_is_given},
        {"gives so many answers", gives_so_many_answers},
        {"makes vectors of texts", makes_vectors_of_texts},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
