/* SPDX-License-Identifier: Apache-2.0 */
/* Gemini generateContent and streamGenerateContent, the serving side. Sources:
 * the types of Google's official client for the Gemini API
 * (GenerateContentParameters, -Response) and google.rpc.Status.
 *
 * The model stands in the path, and a stream is a row of whole responses, of
 * which the last tells how it ended: that is its end mark. A function call
 * comes whole, as an object, so its pieces are kept until the part closes. */
#include "serve/speak.h"

static const surety__fault_row speak_gemini_faults[] = {
    {400, "INVALID_ARGUMENT", NULL, "Request contains an invalid argument."},
    {401, "UNAUTHENTICATED", NULL,
     "Request had invalid authentication credentials."},
    {403, "PERMISSION_DENIED", NULL,
     "Method doesn't allow unregistered callers (callers without established "
     "identity). Please use API Key or other form of API consumer identity to "
     "call this API."},
    {404, "NOT_FOUND", NULL, "Requested entity was not found."},
    {405, "UNIMPLEMENTED", NULL, "Method not allowed."},
    {408, "DEADLINE_EXCEEDED", NULL, "Deadline exceeded."},
    {409, "ABORTED", NULL, "The operation was aborted."},
    {413, "INVALID_ARGUMENT", NULL, "Request payload size exceeds the limit."},
    {429, "RESOURCE_EXHAUSTED", NULL,
     "You exceeded your current quota. Please try again later."},
    {499, "CANCELLED", NULL, "The operation was cancelled."},
    {500, "INTERNAL", NULL, "An internal error has occurred."},
    {501, "UNIMPLEMENTED", NULL, "The operation is not supported."},
    {503, "UNAVAILABLE", NULL,
     "The model is overloaded. Please try again later."},
    {504, "DEADLINE_EXCEEDED", NULL, "Deadline expired."},
    {0, "UNKNOWN", NULL, "The request failed."}};

/* A member under its name or the one with underscores: Google's servers take
 * both. */
static surety_val speak_gemini_get(surety_val object, const char *camel,
                                   const char *snake)
{
    const surety_val member = surety_val_get(object, camel);

    return member.doc ? member : surety_val_get(object, snake);
}

static void speak_gemini_read_format(surety__asking *reading)
{
    surety__asked *asked = reading->asked;
    const surety_val config = speak_gemini_get(
        reading->body, "generationConfig", "generation_config");
    const surety_val type =
        speak_gemini_get(config, "responseMimeType", "response_mime_type");
    const surety_val schema =
        speak_gemini_get(config, "responseJsonSchema", "response_json_schema");
    const surety_val old =
        speak_gemini_get(config, "responseSchema", "response_schema");

    if (schema.doc && old.doc)
        surety__asking_fail(reading, NULL, NULL,
                            "Only one of response_schema and "
                            "response_json_schema can be set.");
    if ((schema.doc || old.doc) && !surety_val_is(type, "application/json"))
        surety__asking_fail(reading, NULL, NULL,
                            "Response schema is only supported with response "
                            "mime type application/json.");
    if (schema.doc || old.doc) {
        asked->schema = schema.doc ? schema : old;
        asked->mode = SURETY_MODE_NATIVE;
    } else if (surety_val_is(type, "application/json")) {
        asked->json_object = true;
    }
}

static void speak_gemini_read_tools(surety__asking *reading)
{
    const surety_val config = speak_gemini_get(
        speak_gemini_get(reading->body, "toolConfig", "tool_config"),
        "functionCallingConfig", "function_calling_config");
    const bool must = surety_val_is(surety_val_get(config, "mode"), "ANY");
    const surety_val allowed = speak_gemini_get(config, "allowedFunctionNames",
                                                "allowed_function_names");
    const surety_str wanted = surety_val_str(surety_val_first(allowed));
    const surety_val tools = surety_val_get(reading->body, "tools");

    for (surety_val tool = surety_val_first(tools); tool.doc;
         tool = surety_val_next(tools, tool)) {
        const surety_val functions = speak_gemini_get(
            tool, "functionDeclarations", "function_declarations");
        for (surety_val one = surety_val_first(functions); one.doc;
             one = surety_val_next(functions, one)) {
            const surety_str name = surety_val_str(surety_val_get(one, "name"));
            const surety_val schema = speak_gemini_get(
                one, "parametersJsonSchema", "parameters_json_schema");
            if (!reading->asked->tool.len)
                reading->asked->tool = name;
            if (must && (!wanted.len || surety_str_equal(name, wanted))) {
                surety__asking_tool(
                    reading, name,
                    schema.doc ? schema : surety_val_get(one, "parameters"),
                    false);
                return;
            }
        }
    }
    if (must)
        surety__asking_fail(reading, NULL, NULL,
                            "Function calling mode ANY needs a function "
                            "declaration that it allows.");
}

static void speak_gemini_read(surety__asking *reading)
{
    const surety_val system = speak_gemini_get(
        reading->body, "systemInstruction", "system_instruction");
    const surety_val contents = surety_val_get(reading->body, "contents");

    if (surety_val_kind(contents) != SURETY_KIND_ARRAY ||
        !surety_val_count(contents))
        surety__asking_fail(reading, NULL, NULL,
                            "* GenerateContentRequest.contents: contents is "
                            "not specified");
    if (system.doc)
        surety__asking_message(reading, SURETY__LITERAL("system"),
                               surety_val_get(system, "parts"));
    for (surety_val one = surety_val_first(contents); one.doc;
         one = surety_val_next(contents, one)) {
        const surety_val role = surety_val_get(one, "role");
        if (role.doc && !surety_val_is(role, "user") &&
            !surety_val_is(role, "model"))
            surety__asking_fail(reading, NULL, NULL,
                                "Please use a valid role: user, model.");
        surety__asking_message(reading, surety_val_str(role),
                               surety_val_get(one, "parts"));
    }
    speak_gemini_read_format(reading);
    speak_gemini_read_tools(reading);
}

static void speak_gemini_put_error(const surety__problem *problem,
                                   surety_buf *out)
{
    surety__speak_put(out, "{'error':{'code':$n,'message':$s,'status':$s}}",
                      (uint64_t)problem->status, problem->message,
                      problem->type);
}

/* ---- responses ----------------------------------------------------------- */

static void speak_gemini_put_part(const surety__speech *speech,
                                  surety__speech_part part, surety_str text,
                                  surety_buf *out)
{
    if (part == PART_ARGUMENTS) {
        surety__speak_put(out,
                          "{'functionCall':{'name':$s,'args':", speech->tool);
        surety__speak_arguments(speech, out);
        surety_buf_text(out, "}}");
    } else {
        surety__speak_put(
            out, "{'text':$s$r}", text,
            surety_str_of(part == PART_REASONING ? ",\"thought\":true" : ""));
    }
}

static void speak_gemini_open(surety_buf *out)
{
    surety__speak_put(out, "{'candidates':[{'content':{'parts':[");
}

/* The rest of a response; ending NULL: more will come. */
static void speak_gemini_close_response(const surety__speech *speech,
                                        const surety__closing *ending,
                                        surety_buf *out)
{
    static const char *const words[] = {"STOP", "MAX_TOKENS", "SAFETY",
                                        "PROHIBITED_CONTENT", "STOP"};

    surety__speak_put(out, "],'role':'model'}");
    if (ending)
        surety__speak_put(out, ",'finishReason':$s",
                          surety__closing_word(ending, speech, words));
    surety__speak_put(out, ",'index':0}]");
    if (ending && ending->usage.known)
        surety__speak_put(
            out,
            ",'usageMetadata':{'promptTokenCount':$n,'candidatesTokenCount':"
            "$n,'totalTokenCount':$n,'cachedContentTokenCount':$n,"
            "'thoughtsTokenCount':$n}",
            ending->usage.input_tokens,
            ending->usage.output_tokens - ending->usage.reasoning_tokens,
            ending->usage.input_tokens + ending->usage.output_tokens,
            ending->usage.cached_input_tokens, ending->usage.reasoning_tokens);
    surety__speak_put(out, ",'modelVersion':$s,'responseId':$s}", speech->model,
                      speech->id);
}

static void speak_gemini_begin(surety__speech *speech,
                               const surety_usage *usage, surety_buf *out)
{
    (void)speech, (void)usage, (void)out;
}

static void speak_gemini_part(surety__speech *speech, surety_buf *out)
{
    (void)speech, (void)out;
}

static void speak_gemini_event(surety__speech *speech, surety_str text,
                               surety_buf *out)
{
    surety_buf_text(out, "data: ");
    speak_gemini_open(out);
    speak_gemini_put_part(speech, speech->open, text, out);
    speak_gemini_close_response(speech, NULL, out);
    surety_buf_text(out, "\n\n");
}

static void speak_gemini_piece(surety__speech *speech, surety_str text,
                               surety_buf *out)
{
    if (speech->open != PART_ARGUMENTS)
        speak_gemini_event(speech, text, out);
}

static void speak_gemini_close(surety__speech *speech, surety_buf *out)
{
    if (speech->open == PART_ARGUMENTS)
        speak_gemini_event(speech, SURETY__LITERAL(""), out);
}

static void speak_gemini_end(surety__speech *speech,
                             const surety__closing *ending, surety_buf *out)
{
    if (ending->no_mark)
        return;
    surety_buf_text(out, "data: ");
    speak_gemini_open(out);
    surety__speak_put(out, "{'text':''}");
    speak_gemini_close_response(speech, ending, out);
    surety_buf_text(out, "\n\n");
}

static void speak_gemini_fail(surety__speech *speech,
                              const surety__problem *problem, surety_buf *out)
{
    surety_buf_text(out, "data: ");
    surety__speak_error(speech->asked->protocol, problem, out);
    surety_buf_text(out, "\n\n");
}

static void speak_gemini_whole(surety__speech *speech,
                               const surety__closing *ending, surety_buf *out)
{
    const char *comma = "";

    speak_gemini_open(out);
    for (int i = 0; i < PART_NONE; i++) {
        if (!speech->said[i])
            continue;
        surety_buf_text(out, comma);
        comma = ",";
        speak_gemini_put_part(
            speech, (surety__speech_part)i,
            surety__speech_text(speech, (surety__speech_part)i), out);
    }
    speak_gemini_close_response(speech, ending, out);
}

const surety__speaker surety__speaker_gemini = {
    speak_gemini_read,  speak_gemini_put_error, speak_gemini_faults,
    speak_gemini_begin, speak_gemini_part,      speak_gemini_piece,
    speak_gemini_close, speak_gemini_end,       speak_gemini_fail,
    speak_gemini_whole};
