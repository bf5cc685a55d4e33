/* SPDX-License-Identifier: Apache-2.0 */
/* Gemini generateContent and streamGenerateContent, the server side. Sources:
 * the types of Google's official client for the Gemini API
 * (GenerateContentParameters, -Response) and google.rpc.Status.
 *
 * 1. The path contains the model.
 * 2. A stream is a series of whole responses. The last one has the finish
 *    reason, which serves as the end mark.
 * 3. A function call is sent whole, as an object, so its pieces are kept until
 *    the part ends. */
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
    {422, "INVALID_ARGUMENT", NULL, "The request cannot be processed."},
    {429, "RESOURCE_EXHAUSTED", NULL,
     "You exceeded your current quota. Please try again later."},
    {499, "CANCELLED", NULL, "The operation was cancelled."},
    {500, "INTERNAL", NULL, "An internal error has occurred."},
    {501, "UNIMPLEMENTED", NULL, "The operation is not supported."},
    {503, "UNAVAILABLE", NULL,
     "The model is overloaded. Please try again later."},
    {504, "DEADLINE_EXCEEDED", NULL, "Deadline expired."},
    {0, "UNKNOWN", NULL, "The request failed."}};

/* A member under its camelCase name, or under the one with underscores:
 * Google's servers take both. */
static surety_val speak_gemini_get(surety_val object, const char *camel,
                                   const char *snake)
{
    const surety_val member = surety_val_get(object, camel);

    return member.doc ? member : surety_val_get(object, snake);
}

bool surety__speak_is_openapi(surety_val schema)
{
    const surety_str type = surety_val_str(surety_val_get(schema, "type"));

    return type.len && type.ptr[0] >= 'A' && type.ptr[0] <= 'Z';
}

static void speak_gemini_read_format(surety__request_reader *reader)
{
    surety__model_request *request = reader->request;
    const surety_val config =
        speak_gemini_get(reader->body, "generationConfig", "generation_config");
    const surety_val type =
        speak_gemini_get(config, "responseMimeType", "response_mime_type");
    const surety_val schema =
        speak_gemini_get(config, "responseJsonSchema", "response_json_schema");
    const surety_val old =
        speak_gemini_get(config, "responseSchema", "response_schema");

    if (schema.doc && old.doc)
        surety__request_fail(reader, NULL, NULL,
                             "Only one of response_schema and "
                             "response_json_schema can be set.");
    if ((schema.doc || old.doc) && !surety_val_is(type, "application/json"))
        surety__request_fail(reader, NULL, NULL,
                             "Response schema is only supported with response "
                             "mime type application/json.");
    if (schema.doc || old.doc) {
        request->schema = schema.doc ? schema : old;
        request->schema_name = surety__request_title(request->schema);
        request->is_openapi = !schema.doc || surety__speak_is_openapi(schema);
        request->mode = SURETY_MODE_NATIVE;
        request->format = FORMAT_JSON_SCHEMA;
    } else if (surety_val_is(type, "application/json")) {
        request->format = FORMAT_JSON_OBJECT;
    }
    request->answers = surety__request_number(
        reader, speak_gemini_get(config, "candidateCount", "candidate_count"),
        "candidate_count", 8, 1);
}

static void speak_gemini_read_tools(surety__request_reader *reader)
{
    static const char missing[] = "Function calling mode ANY needs a function "
                                  "declaration that it allows.";
    const surety_val config = speak_gemini_get(
        speak_gemini_get(reader->body, "toolConfig", "tool_config"),
        "functionCallingConfig", "function_calling_config");
    const surety_val mode = surety_val_get(config, "mode");
    const surety_val allowed = speak_gemini_get(config, "allowedFunctionNames",
                                                "allowed_function_names");
    const surety_str wanted = surety_val_str(surety_val_first(allowed));
    const surety_val tools = surety_val_get(reader->body, "tools");

    reader->request->choice = surety_val_is(mode, "NONE")   ? CHOICE_NONE
                              : !surety_val_is(mode, "ANY") ? CHOICE_AUTO
                              : surety_val_count(allowed) == 1
                                  ? CHOICE_NAMED
                                  : CHOICE_REQUIRED;
    SURETY_EACH (tool, tools) {
        const surety_val functions = speak_gemini_get(
            tool, "functionDeclarations", "function_declarations");
        if (!functions.doc) /* a tool that Google runs, as googleSearch */
            surety__request_add_tool(
                reader, surety_val_str(surety_val_key(surety_val_first(tool))),
                false);
        SURETY_EACH (one, functions) {
            const surety_str name = surety_val_str(surety_val_get(one, "name"));
            const surety_val schema = speak_gemini_get(
                one, "parametersJsonSchema", "parameters_json_schema");
            surety__request_add_tool(reader, name, true);
            if (!surety__request_requires(reader, name, wanted))
                continue;
            surety__request_require(
                reader, name,
                schema.doc ? schema : surety_val_get(one, "parameters"), false);
            reader->request->is_openapi =
                !schema.doc || surety__speak_is_openapi(schema);
        }
    }
    surety__request_tools_end(reader, wanted, missing, missing);
}

static void speak_gemini_read(surety__request_reader *reader)
{
    const surety_val whole = speak_gemini_get(
        reader->body, "generateContentRequest", "generate_content_request");
    surety_val system, contents;

    if (reader->counts && whole.doc)
        reader->body = whole;
    system = speak_gemini_get(reader->body, "systemInstruction",
                              "system_instruction");
    contents = surety_val_get(reader->body, "contents");
    if (surety_val_kind(contents) != SURETY_KIND_ARRAY ||
        !surety_val_count(contents))
        surety__request_fail(reader, NULL, NULL,
                             "* GenerateContentRequest.contents: contents is "
                             "not specified");
    if (system.doc)
        surety__request_add_message(reader, SURETY__LITERAL("system"),
                                    surety_val_get(system, "parts"));
    SURETY_EACH (one, contents) {
        const surety_val role = surety_val_get(one, "role");
        if (role.doc && !surety_val_is(role, "user") &&
            !surety_val_is(role, "model") && !surety_val_is(role, "function"))
            surety__request_fail(reader, NULL, NULL,
                                 "Please use a valid role: user, model.");
        surety__request_add_message(reader, surety_val_str(role),
                                    surety_val_get(one, "parts"));
    }
    speak_gemini_read_format(reader);
    speak_gemini_read_tools(reader);
}

static void speak_gemini_put_error(const surety__problem *problem,
                                   surety_buf *out)
{
    surety__template_write(out, "{'error':{'code':$n,'message':$s,'status':$s",
                           (uint64_t)problem->status, problem->message,
                           problem->type);
    if (problem->details.len)
        surety__template_write(
            out,
            ",'details':[{'@type':'type.googleapis.com/google.rpc.ErrorInfo',"
            "'reason':$s,'domain':'surety','metadata':{},'issues':$r}]",
            problem->code, problem->details);
    surety_buf_text(out, "}}");
}

/* ---- responses ----------------------------------------------------------- */

/* Appends what Gemini wants to get back with a call. */
static void speak_gemini_put_signature(surety_str raw, surety_buf *out)
{
    surety_doc *doc = raw.len ? surety_doc_new(out->alloc) : NULL;
    surety_val signature;

    if (!raw.len)
        return;
    if (!doc || surety_doc_read(doc, raw, NULL, NULL)) {
        out->status = out->status ? out->status : SURETY_NOMEM;
    } else {
        signature = speak_gemini_get(surety_doc_root(doc), "thoughtSignature",
                                     "thought_signature");
        if (signature.doc)
            surety__template_write(out, ",'thoughtSignature':$v", signature);
    }
    surety_doc_free(doc);
}

static void speak_gemini_put_part(const surety__speech_item *item,
                                  surety_buf *out)
{
    if (item->part == PART_ARGUMENTS) {
        surety__template_write(
            out, "{'functionCall':{'name':$s,'args':", item->tool);
        surety__speak_arguments(item->text, out);
        if (item->id.len)
            surety__template_write(out, ",'id':$s", item->id);
        surety_buf_byte(out, '}');
        speak_gemini_put_signature(item->raw, out);
        surety_buf_byte(out, '}');
    } else {
        surety__template_write(out, "{'text':$s$r}", item->text,
                               surety_str_of(item->part == PART_REASONING
                                                 ? ",\"thought\":true"
                                                 : ""));
    }
}

/* Appends a response. Its candidates are as many as requested and all equal.
 * Each has the piece, or if that is NULL, the whole answer. ending NULL: more
 * will come. */
static void speak_gemini_put_response(const surety__speech *speech,
                                      const surety__speech_item *piece,
                                      const surety__closing *ending,
                                      surety_buf *out)
{
    const char *comma = "";

    surety__template_write(out, "{'candidates':[");
    for (uint32_t i = 0; i < speech->request->answers; i++) {
        surety__template_write(out, i ? ",{'content':{'parts':["
                                      : "{'content':{'parts':[");
        comma = "";
        if (piece)
            speak_gemini_put_part(piece, out);
        for (size_t k = 0; k < surety__speech_items(speech) && !piece; k++) {
            surety__speech_item item;
            if (!surety__speech_item_at(speech, k, &item))
                continue;
            surety_buf_text(out, comma);
            comma = ",";
            speak_gemini_put_part(&item, out);
        }
        surety__template_write(out, "],'role':'model'}");
        if (ending)
            surety__template_write(out, ",'finishReason':$s",
                                   surety__closing_word(ending, speech));
        surety__template_write(out, ",'index':$n}", (uint64_t)i);
    }
    surety_buf_byte(out, ']');
    if (ending && ending->usage.known)
        surety__template_write(
            out,
            ",'usageMetadata':{'promptTokenCount':$n,'candidatesTokenCount':"
            "$n,'totalTokenCount':$n,'cachedContentTokenCount':$n,"
            "'thoughtsTokenCount':$n}",
            ending->usage.input_tokens,
            ending->usage.output_tokens - ending->usage.reasoning_tokens,
            ending->usage.input_tokens + ending->usage.output_tokens,
            ending->usage.cached_input_tokens, ending->usage.reasoning_tokens);
    surety__template_write(out, ",'modelVersion':$s,'responseId':$s}",
                           speech->model, speech->id);
}

static void speak_gemini_event(const surety__speech *speech,
                               const surety__speech_item *piece,
                               const surety__closing *ending, surety_buf *out)
{
    surety_buf_text(out, "data: ");
    speak_gemini_put_response(speech, piece, ending, out);
    surety_buf_text(out, "\n\n");
}

static void speak_gemini_piece(surety__speech *speech, surety_str text,
                               surety_buf *out)
{
    const surety__speech_item piece = {.part = speech->open, .text = text};

    if (piece.part != PART_ARGUMENTS)
        speak_gemini_event(speech, &piece, NULL, out);
}

static void speak_gemini_close(surety__speech *speech, surety_buf *out)
{
    const surety__speech_item item = surety__speech_open(speech);

    if (item.part == PART_ARGUMENTS)
        speak_gemini_event(speech, &item, NULL, out);
}

static void speak_gemini_end(surety__speech *speech,
                             const surety__closing *ending, surety_buf *out)
{
    const surety__speech_item last = {.part = PART_TEXT};

    if (!ending->no_mark)
        speak_gemini_event(speech, &last, ending, out);
}

/* Google's clients do not read comments: they lose the events behind one. */
static void speak_gemini_ping(const surety__speech *speech, surety_buf *out)
{
    const surety__speech_item nothing = {.part = PART_TEXT};

    speak_gemini_event(speech, &nothing, NULL, out);
}

static void speak_gemini_whole(surety__speech *speech,
                               const surety__closing *ending, surety_buf *out)
{
    speak_gemini_put_response(speech, NULL, ending, out);
}

const surety__speaker surety__speaker_gemini = {
    .read = speak_gemini_read,
    .error = speak_gemini_put_error,
    .faults = speak_gemini_faults,
    .count = "{'totalTokens':$n}",
    .model = "{'name':'models/$e','displayName':$s,"
             "'supportedGenerationMethods':['generateContent',"
             "'streamGenerateContent','countTokens',"
             "'embedContent','batchEmbedContents']}",
    .models = "{'models':[",
    .words = {"STOP", "MAX_TOKENS", "SAFETY", "PROHIBITED_CONTENT", "STOP"},
    .piece = speak_gemini_piece,
    .close = speak_gemini_close,
    .end = speak_gemini_end,
    .ping = speak_gemini_ping,
    .failing = "data: ",
    .whole = speak_gemini_whole,
};
