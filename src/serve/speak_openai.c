/* SPDX-License-Identifier: Apache-2.0 */
/* OpenAI Chat Completions, the server side. Sources: the OpenAPI description of
 * OpenAI's API, version 2.3.0 (CreateChatCompletionRequest, -Response,
 * -StreamResponse, Error). Reasoning is sent as reasoning_content, as vLLM and
 * others do, since OpenAI itself does not send it. */
#include "serve/speak.h"

static const surety__fault_row speak_openai_faults[] = {
    {400, "invalid_request_error", NULL, "The request is not valid."},
    {401, "invalid_request_error", "invalid_api_key",
     "Incorrect API key provided."},
    {403, "invalid_request_error", "unsupported_country_region_territory",
     "You are not allowed to do this."},
    {404, "invalid_request_error", NULL, "Not found."},
    {405, "invalid_request_error", "method_not_allowed", "Method not allowed."},
    {408, "server_error", NULL, "The request timed out."},
    {409, "invalid_request_error", NULL, "Conflict."},
    {413, "invalid_request_error", "request_too_large",
     "The request is too large."},
    {422, "invalid_request_error", NULL, "The request cannot be processed."},
    {429, "requests", "rate_limit_exceeded", "Rate limit reached."},
    {500, "server_error", NULL,
     "The server had an error while processing your request."},
    {502, "server_error", NULL, "Bad gateway."},
    {503, "server_error", "server_is_overloaded",
     "The server is overloaded or not ready yet."},
    {0, "api_error", NULL, "The request failed."}};

/* ---- reading, also for Responses ----------------------------------------- */

void surety__request_openai_head(surety__request_reader *reader,
                                 const char *no_model)
{
    surety__model_request *request = reader->request;

    request->model = surety_val_str(surety__request_member(
        reader, reader->body, "model", SURETY_KIND_STRING));
    request->stream =
        surety_val_bool(surety__request_member(reader, reader->body, "stream",
                                               SURETY_KIND_BOOLEAN),
                        false);
    if (!request->model.len)
        surety__request_fail(reader, "model", "missing_required_parameter",
                             "%s", no_model);
}

void surety__request_openai_format(surety__request_reader *reader,
                                   surety_val format, surety_val named,
                                   const surety__format_params *params)
{
    surety__model_request *request = reader->request;
    const surety_val type = surety_val_get(format, "type");

    if (!format.doc || surety_val_is(type, "text"))
        return;
    if (surety_val_is(type, "json_object")) {
        /* With a schema beside the type it is that of llama.cpp's server, of
         * Together and of Anyscale, which Instructor sends too. */
        request->schema = surety_val_get(format, "schema");
        request->format =
            request->schema.doc ? FORMAT_JSON_SCHEMA : FORMAT_JSON_OBJECT;
        if (request->schema.doc)
            request->mode = SURETY_MODE_NATIVE;
        return;
    }
    request->format = FORMAT_JSON_SCHEMA;
    if (!surety_val_is(type, "json_schema")) {
        surety__request_fail(reader, params->type, "invalid_value",
                             "Invalid value for '%s': supported values are "
                             "'json_object', 'json_schema' and 'text'.",
                             params->type);
        return;
    }
    request->schema_name = surety_val_str(surety_val_get(named, "name"));
    request->schema_description =
        surety_val_str(surety_val_get(named, "description"));
    request->schema = surety_val_get(named, "schema");
    request->strict = surety_val_bool(surety_val_get(named, "strict"), false);
    request->mode = SURETY_MODE_NATIVE;
    if (!request->schema_name.len)
        surety__request_missing(reader, params->name);
    if (!request->schema.doc && params->schema)
        surety__request_missing(reader, params->schema);
}

/* The function of a tool, or of a tool choice: Chat Completions nests it. */
static surety_val speak_openai_function(surety_val tool, bool nested)
{
    return nested ? surety_val_get(tool, "function") : tool;
}

void surety__request_openai_tools(surety__request_reader *reader, bool nested)
{
    const surety_val tools = surety__request_member(reader, reader->body,
                                                    "tools", SURETY_KIND_ARRAY);
    const surety_val choice = surety_val_get(reader->body, "tool_choice");
    const surety_str wanted = surety__request_choose(
        reader, choice,
        surety_val_str(
            surety_val_get(speak_openai_function(choice, nested), "name")));

    SURETY_EACH (tool, tools) {
        const surety_val function = speak_openai_function(tool, nested);
        const surety_str name =
            surety_val_str(surety_val_get(function, "name"));
        surety__request_add_tool(
            reader,
            name.len ? name : surety_val_str(surety_val_get(tool, "type")),
            name.len > 0);
        if (surety__request_requires(reader, name, wanted))
            surety__request_require(
                reader, name, surety_val_get(function, "parameters"),
                surety_val_bool(surety_val_get(function, "strict"), false));
    }
    surety__request_tools_end(
        reader, wanted, "Tool choice '%.*s' not found in 'tools' parameter.",
        "Invalid value for 'tool_choice': 'tool_choice' is only "
        "allowed when 'tools' are specified.");
}

/* ---- reading ------------------------------------------------------------- */

/* Whether a message has the word JSON, which json_object requires. */
static bool speak_openai_says_json(const surety__model_request *request)
{
    for (size_t i = 0; i <= request->message_count; i++) {
        const surety_str text = i < request->message_count
                                    ? request->messages[i].text
                                    : request->system;

        if (surety__str_find_nocase(text, SURETY__LITERAL("json")) < text.len)
            return true;
    }
    return false;
}

static void speak_openai_read(surety__request_reader *reader)
{
    static const char *const roles[] = {"system",   "assistant", "user",
                                        "function", "tool",      "developer"};
    static const surety__format_params format_params = {
        "response_format.type", "response_format.json_schema.name", NULL};
    surety__model_request *request = reader->request;
    const surety_val body = reader->body;
    const surety_val messages =
        surety__request_member(reader, body, "messages", SURETY_KIND_ARRAY);
    const surety_val options = surety__request_member(
        reader, body, "stream_options", SURETY_KIND_OBJECT);
    const surety_val format = surety__request_member(
        reader, body, "response_format", SURETY_KIND_OBJECT);

    surety__request_openai_head(reader, "you must provide a model parameter");
    request->usage_chunk =
        surety_val_bool(surety_val_get(options, "include_usage"), false);
    if (!surety_val_count(messages))
        surety__request_missing(reader, "messages");
    if (options.doc && !request->stream)
        surety__request_fail(reader, "stream_options", NULL,
                             "The 'stream_options' parameter is only allowed "
                             "when 'stream' is enabled.");
    if (surety_val_get(body, "functions").doc)
        surety__request_fail(reader, "functions", "unsupported_parameter",
                             "Unsupported parameter: 'functions' is not "
                             "supported here. Use 'tools' instead.");
    request->answers =
        surety__request_number(reader, surety_val_get(body, "n"), "n", 128, 1);
    SURETY_EACH (one, messages) {
        const surety_str role = surety_val_str(surety_val_get(one, "role"));
        if (!role.len)
            surety__request_fail(reader, "messages",
                                 "missing_required_parameter",
                                 "Missing required parameter: "
                                 "'messages[].role'.");
        else if (!surety__str_among(role, roles, SURETY__COUNT(roles)))
            surety__request_fail(reader, "messages", "invalid_value",
                                 "Invalid value for 'messages[].role': "
                                 "supported values are 'system', 'assistant', "
                                 "'user', 'function', 'tool', and "
                                 "'developer'.");
        surety__request_add_message(reader, role,
                                    surety_val_get(one, "content"));
    }
    surety__request_openai_format(
        reader, format, surety_val_get(format, "json_schema"), &format_params);
    surety__request_openai_tools(reader, true);
    if (!reader->status && request->format == FORMAT_JSON_OBJECT &&
        !speak_openai_says_json(request))
        surety__request_fail(reader, "messages", NULL,
                             "'messages' must contain the word 'json' in some "
                             "form, to use 'response_format' of type "
                             "'json_object'.");
}

static void speak_openai_put_usage(const surety_usage *usage, surety_buf *out)
{
    surety__template_write(
        out,
        "{'prompt_tokens':$n,'completion_tokens':$n,'total_tokens':$n,"
        "'prompt_tokens_details':{'cached_tokens':$n,'audio_tokens':0},"
        "'completion_tokens_details':{'reasoning_tokens':$n,'audio_tokens':0,"
        "'accepted_prediction_tokens':0,'rejected_prediction_tokens':0}}",
        usage->input_tokens, usage->output_tokens,
        usage->input_tokens + usage->output_tokens, usage->cached_input_tokens,
        usage->reasoning_tokens);
}

/* ---- streams ------------------------------------------------------------- */

/* Appends a chunk up to its choices. The chunk with the usage has none. */
static void speak_openai_chunk(const surety__speech *speech, surety_buf *out)
{
    surety__template_write(out,
                           "data: {'id':'chatcmpl-$e','object':"
                           "'chat.completion.chunk','created':$n,'model':$s,"
                           "'service_tier':'default','system_fingerprint':"
                           "'fp_surety','choices':[",
                           speech->id, speech->created, speech->model);
}

/* Appends the id of a tool call, which differs between calls and choices, and
 * its function up to the arguments. */
static void speak_openai_put_call(const surety__speech *speech,
                                  const surety__speech_item *call,
                                  uint32_t choice, surety_buf *out)
{
    surety__template_write(out, "'id':'");
    if (!choice) {
        surety__speech_put_id(speech, call, "call_", out);
    } else {
        surety__template_write(out, "call_$e_$n", speech->id, (uint64_t)choice);
        surety__speech_put_number(call, out);
    }
    surety__template_write(out, "','type':'function','function':{'name':$s,",
                           call->tool);
}

/* What a chunk carries. */
typedef enum speak_openai_delta {
    DELTA_ROLE,
    DELTA_CALL, /* a tool call, with no arguments yet */
    DELTA_TEXT, /* a piece of the open part */
    DELTA_END   /* the finish reason */
} speak_openai_delta;

/* Appends a chunk for each requested choice; all are equal but for the id of a
 * call. text: the piece, or the finish reason. */
static void speak_openai_chunks(const surety__speech *speech,
                                speak_openai_delta delta, surety_str text,
                                surety_buf *out)
{
    static const char *const pieces[PART_NONE] = {
        [PART_REASONING] = "'reasoning_content':$s",
        [PART_TEXT] = "'content':$s",
        [PART_REFUSAL] = "'refusal':$s",
    };
    surety__speech_item call = {.part = PART_NONE};

    if (speech->open == PART_ARGUMENTS)
        call = surety__speech_open(speech);

    for (uint32_t i = 0; i < speech->request->answers; i++) {
        speak_openai_chunk(speech, out);
        surety__template_write(out, "{'index':$n,'delta':{", (uint64_t)i);
        if (delta == DELTA_ROLE) {
            surety__template_write(
                out, "'role':'assistant','content':'','refusal':null");
        } else if (delta == DELTA_CALL) {
            surety__template_write(out, "'tool_calls':[{'index':$n,",
                                   (uint64_t)call.call);
            speak_openai_put_call(speech, &call, i, out);
            surety__template_write(out, "'arguments':''}}]");
        } else if (delta == DELTA_TEXT && call.part == PART_ARGUMENTS) {
            surety__template_write(
                out, "'tool_calls':[{'index':$n,'function':{'arguments':$s}}]",
                (uint64_t)call.call, text);
        } else if (delta == DELTA_TEXT) {
            assert(speech->open != PART_NONE);
            surety__template_write(out, pieces[speech->open], text);
        }
        surety__template_write(
            out, "},'logprobs':null,'finish_reason':$m$t\n\n",
            delta == DELTA_END ? text : (surety_str){NULL, 0},
            speech->request->usage_chunk ? "}],\"usage\":null}" : "}]}");
    }
}

static void speak_openai_begin(surety__speech *speech,
                               const surety_usage *usage, surety_buf *out)
{
    (void)usage;
    speak_openai_chunks(speech, DELTA_ROLE, (surety_str){NULL, 0}, out);
}

static void speak_openai_part(surety__speech *speech, surety_buf *out)
{
    if (speech->open == PART_ARGUMENTS)
        speak_openai_chunks(speech, DELTA_CALL, (surety_str){NULL, 0}, out);
}

static void speak_openai_piece(surety__speech *speech, surety_str text,
                               surety_buf *out)
{
    speak_openai_chunks(speech, DELTA_TEXT, text, out);
}

static void speak_openai_end(surety__speech *speech,
                             const surety__closing *ending, surety_buf *out)
{
    speak_openai_chunks(speech, DELTA_END, surety__closing_word(ending, speech),
                        out);
    if (speech->request->usage_chunk && ending->usage.known) {
        speak_openai_chunk(speech, out);
        surety_buf_text(out, "],\"usage\":");
        speak_openai_put_usage(&ending->usage, out);
        surety_buf_text(out, "}\n\n");
    }
    if (!ending->no_mark)
        surety_buf_text(out, "data: [DONE]\n\n");
}

/* ---- whole --------------------------------------------------------------- */

static void speak_openai_put_part(const surety__speech *speech,
                                  surety__speech_part part, const char *name,
                                  surety_buf *out)
{
    assert(part < PART_NONE);
    surety__template_write(out, "'$r':", surety_str_of(name));
    if (speech->has[part])
        surety_json_string(out, surety__speech_text(speech, part));
    else
        surety_buf_text(out, "null");
    surety_buf_byte(out, ',');
}

static void speak_openai_put_choice(const surety__speech *speech,
                                    uint32_t choice,
                                    const surety__closing *ending,
                                    surety_buf *out)
{
    surety__template_write(out, "{'index':$n,'message':{'role':'assistant',",
                           (uint64_t)choice);
    speak_openai_put_part(speech, PART_TEXT, "content", out);
    speak_openai_put_part(speech, PART_REFUSAL, "refusal", out);
    if (speech->has[PART_REASONING])
        speak_openai_put_part(speech, PART_REASONING, "reasoning_content", out);
    for (size_t i = PART_ARGUMENTS; i < surety__speech_items(speech); i++) {
        surety__speech_item call;
        surety__speech_item_at(speech, i, &call);
        surety__template_write(out, call.call ? ",{" : "'tool_calls':[{");
        speak_openai_put_call(speech, &call, choice, out);
        surety__template_write(out, "'arguments':$s}}", call.text);
    }
    if (speech->call_count)
        surety_buf_text(out, "],");
    surety__template_write(
        out, "'annotations':[]},'logprobs':null,'finish_reason':$s}",
        surety__closing_word(ending, speech));
}

static void speak_openai_whole(surety__speech *speech,
                               const surety__closing *ending, surety_buf *out)
{
    surety__template_write(out,
                           "{'id':'chatcmpl-$e','object':'chat.completion',"
                           "'created':$n,'model':$s,'choices':[",
                           speech->id, speech->created, speech->model);
    for (uint32_t i = 0; i < speech->request->answers; i++) {
        surety_buf_text(out, i ? "," : "");
        speak_openai_put_choice(speech, i, ending, out);
    }
    surety_buf_byte(out, ']');
    if (ending->usage.known) {
        surety_buf_text(out, ",\"usage\":");
        speak_openai_put_usage(&ending->usage, out);
    }
    surety__template_write(out,
                           ",'service_tier':'default','system_fingerprint':"
                           "'fp_surety'}");
}

const surety__speaker surety__speaker_openai = {
    .read = speak_openai_read,
    .error = surety__speak_openai_error,
    .faults = speak_openai_faults,
    .model = SURETY__OPENAI_MODEL,
    .models = SURETY__OPENAI_MODELS,
    .words = {"stop", "length", "content_filter", "stop", "tool_calls"},
    .begin = speak_openai_begin,
    .part = speak_openai_part,
    .piece = speak_openai_piece,
    .end = speak_openai_end,
    .failing = "data: ",
    .whole = speak_openai_whole,
};
