/* SPDX-License-Identifier: Apache-2.0 */
/* OpenAI Responses, the server side. Sources: the OpenAPI description of
 * OpenAI's API, version 2.3.0 (CreateResponse, Response, ResponseStreamEvent).
 *
 * 1. Each part is an item of the output: reasoning, a message (its text or its
 *    refusal), a function call.
 * 2. Later events repeat the content of earlier ones, so the texts are kept
 *    until the end.
 * 3. Each event increments sequence_number. */
#include "serve/speak.h"

static const surety__fault_row speak_responses_faults[] = {
    {400, "invalid_request_error", NULL, "The request is not valid."},
    {401, "invalid_request_error", "invalid_api_key",
     "Incorrect API key provided."},
    {404, "invalid_request_error", NULL, "Not found."},
    {405, "invalid_request_error", "method_not_allowed", "Method not allowed."},
    {413, "invalid_request_error", "request_too_large",
     "The request is too large."},
    {429, "requests", "rate_limit_exceeded", "Rate limit reached."},
    {500, "server_error", "server_error",
     "The server had an error while processing your request."},
    {503, "server_error", "server_is_overloaded",
     "The server is overloaded or not ready yet."},
    {0, "api_error", NULL, "The request failed."}};

/* ---- reading ------------------------------------------------------------- */

static void speak_responses_read_format(surety__asking *reading)
{
    surety__asked *asked = reading->asked;
    const surety_val text = surety__asking_member(reading, reading->body,
                                                  "text", SURETY_KIND_OBJECT);
    const surety_val format = surety_val_get(text, "format");
    const surety_val type = surety_val_get(format, "type");

    if (!format.doc || surety_val_is(type, "text"))
        return;
    if (surety_val_is(type, "json_object")) {
        asked->format = FORMAT_JSON_OBJECT;
    } else if (surety_val_is(type, "json_schema")) {
        asked->schema_name = surety_val_str(surety_val_get(format, "name"));
        asked->schema = surety_val_get(format, "schema");
        asked->strict =
            surety_val_bool(surety_val_get(format, "strict"), false);
        asked->mode = SURETY_MODE_NATIVE;
        asked->format = FORMAT_JSON_SCHEMA;
        if (!asked->schema_name.len)
            surety__asking_fail(reading, "text.format.name",
                                "missing_required_parameter",
                                "Missing required parameter: "
                                "'text.format.name'.");
        else if (!asked->schema.doc)
            surety__asking_fail(reading, "text.format.schema",
                                "missing_required_parameter",
                                "Missing required parameter: "
                                "'text.format.schema'.");
    } else {
        surety__asking_fail(reading, "text.format.type", "invalid_value",
                            "Invalid value for 'text.format.type': supported "
                            "values are 'json_object', 'json_schema' and "
                            "'text'.");
    }
}

static void speak_responses_read_tools(surety__asking *reading)
{
    const surety_val tools = surety__asking_member(reading, reading->body,
                                                   "tools", SURETY_KIND_ARRAY);
    const surety_val choice = surety_val_get(reading->body, "tool_choice");
    const surety_str wanted = surety__asking_choose(
        reading, choice, surety_val_str(surety_val_get(choice, "name")));

    for (surety_val tool = surety_val_first(tools); tool.doc;
         tool = surety_val_next(tools, tool)) {
        const surety_str name = surety_val_str(surety_val_get(tool, "name"));
        surety__asking_offer(
            reading,
            name.len ? name : surety_val_str(surety_val_get(tool, "type")),
            name.len > 0);
        if (surety__asking_wants(reading, name, wanted))
            surety__asking_tool(
                reading, name, surety_val_get(tool, "parameters"),
                surety_val_bool(surety_val_get(tool, "strict"), false));
    }
    surety__asking_tools_end(
        reading, wanted, "Tool choice '%.*s' not found in 'tools' parameter.",
        "Invalid value for 'tool_choice': 'tool_choice' is only "
        "allowed when 'tools' are specified.");
}

/* Reads an item of the input: a message, a tool's result (its type ends in
 * "_output", as function_call_output), or an item of an earlier response. */
static void speak_responses_read_item(surety__asking *reading, surety_val item)
{
    const surety_str role = surety_val_str(surety_val_get(item, "role"));
    const surety_str type = surety_val_str(surety_val_get(item, "type"));
    const surety_str mark = SURETY__LITERAL("_output");

    if (role.len || !type.len)
        surety__asking_message(reading, role, surety_val_get(item, "content"));
    else if (type.len > mark.len &&
             surety_str_equal(
                 (surety_str){type.ptr + type.len - mark.len, mark.len}, mark))
        surety__asking_message(reading, SURETY__LITERAL("tool"),
                               surety_val_get(item, "output"));
    else
        surety__asking_message(reading, SURETY__LITERAL("assistant"),
                               surety_val_get(item, "content"));
}

static void speak_responses_read(surety__asking *reading)
{
    surety__asked *asked = reading->asked;
    const surety_val body = reading->body;
    const surety_val input = surety_val_get(body, "input");
    const surety_val instructions = surety__asking_member(
        reading, body, "instructions", SURETY_KIND_STRING);

    asked->model = surety_val_str(
        surety__asking_member(reading, body, "model", SURETY_KIND_STRING));
    asked->stream = surety_val_bool(
        surety__asking_member(reading, body, "stream", SURETY_KIND_BOOLEAN),
        false);
    if (!asked->model.len)
        surety__asking_fail(reading, "model", "missing_required_parameter",
                            "Missing required parameter: 'model'.");
    if (!surety_val_count(input) && !surety_val_str(input).len)
        surety__asking_fail(reading, "input", "missing_required_parameter",
                            "Missing required parameter: 'input'.");
    if (surety_val_get(body, "n").doc)
        surety__asking_fail(reading, "n", "unknown_parameter",
                            "Unknown parameter: 'n'.");
    if (instructions.doc)
        surety__asking_message(reading, SURETY__LITERAL("system"),
                               instructions);
    if (surety_val_kind(input) == SURETY_KIND_STRING)
        surety__asking_message(reading, SURETY__LITERAL("user"), input);
    else
        for (surety_val one = surety_val_first(input); one.doc;
             one = surety_val_next(input, one))
            speak_responses_read_item(reading, one);
    speak_responses_read_format(reading);
    speak_responses_read_tools(reading);
}

/* ---- items --------------------------------------------------------------- */

static void speak_responses_put_content(const surety__speech *speech,
                                        surety__speech_part part,
                                        surety_buf *out)
{
    const surety_str text = surety__speech_text(speech, part);

    if (part == PART_REFUSAL)
        surety__template_write(out, "{'type':'refusal','refusal':$s}", text);
    else
        surety__template_write(out,
                               "{'type':'output_text','annotations':[],"
                               "'logprobs':[],'text':$s}",
                               text);
}

/* Appends the item of a part: empty at its start, complete if is_done. */
static void speak_responses_put_item(const surety__speech *speech,
                                     surety__speech_part part, bool is_done,
                                     surety_buf *out)
{
    const surety_str status =
        is_done ? SURETY__LITERAL("completed") : SURETY__LITERAL("in_progress");

    if (part == PART_REASONING) {
        surety__template_write(
            out, "{'id':'rs_$e','type':'reasoning','summary':[", speech->id);
        if (is_done)
            surety__template_write(out, "{'type':'summary_text','text':$s}",
                                   surety__speech_text(speech, part));
    } else if (part == PART_ARGUMENTS) {
        surety__template_write(
            out,
            "{'id':'fc_$e','type':'function_call','status':$s,"
            "'call_id':'call_$e','name':$s,'arguments':$s}",
            speech->id, status, speech->id, speech->tool,
            is_done ? surety__speech_text(speech, part) : SURETY__LITERAL(""));
        return;
    } else {
        surety__template_write(
            out,
            "{'id':'msg_$e$r','type':'message','status':$s,"
            "'role':'assistant','content':[",
            speech->id, surety_str_of(part == PART_REFUSAL ? "r" : ""), status);
        if (is_done)
            speak_responses_put_content(speech, part, out);
    }
    surety_buf_text(out, "]}");
}

static void speak_responses_put_usage(const surety_usage *usage,
                                      surety_buf *out)
{
    if (!usage->known) {
        surety_buf_text(out, "null");
        return;
    }
    surety__template_write(
        out,
        "{'input_tokens':$n,'input_tokens_details':{'cached_tokens':$n},"
        "'output_tokens':$n,'output_tokens_details':{'reasoning_tokens':$n},"
        "'total_tokens':$n}",
        usage->input_tokens, usage->cached_input_tokens, usage->output_tokens,
        usage->reasoning_tokens, usage->input_tokens + usage->output_tokens);
}

/* Appends the format of the request, which providers repeat in a response. */
static void speak_responses_put_format(const surety__speech *speech,
                                       surety_buf *out)
{
    const surety__asked *asked = speech->asked;

    if (asked->mode == SURETY_MODE_NATIVE) {
        surety__template_write(out,
                               "{'type':'json_schema','name':$s,'strict':$r,"
                               "'schema':",
                               asked->schema_name,
                               surety_str_of(asked->strict ? "true" : "false"));
        surety_val_write(asked->schema, SURETY_STYLE_COMPACT, out);
        surety_buf_byte(out, '}');
    } else {
        surety__template_write(
            out, "{'type':$s}",
            surety_str_of(surety__format_name(asked->format)));
    }
}

/* Appends the response object. ending NULL: it is in progress; failed may be
 * NULL. */
static void speak_responses_put_response(const surety__speech *speech,
                                         const surety__closing *ending,
                                         const surety__problem *failed,
                                         surety_buf *out)
{
    static const char *const words[] = {"completed", "max_output_tokens",
                                        "content_filter", "completed",
                                        "completed"};
    static const char *const states[] = {"completed", "failed", "cancelled",
                                         "queued", "in_progress"};
    surety_str reason = ending ? surety__closing_word(ending, speech, words)
                               : SURETY__LITERAL("in_progress");
    surety_str status = SURETY__LITERAL("incomplete");
    const char *comma = "";

    for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
        if (surety_str_equal(reason, surety_str_of(states[i])))
            status = reason;
    if (failed)
        status = SURETY__LITERAL("failed");
    surety__template_write(
        out,
        "{'id':'resp_$e','object':'response','created_at':$n,"
        "'status':$s,'background':false,'error':",
        speech->id, speech->created, status);
    if (failed)
        surety__template_write(out, "{'code':$s,'message':$s}", failed->code,
                               failed->message);
    else
        surety_buf_text(out, "null");
    surety_buf_text(out, ",\"incomplete_details\":");
    if (surety_str_equal(status, SURETY__LITERAL("incomplete")))
        surety__template_write(out, "{'reason':$s}", reason);
    else
        surety_buf_text(out, "null");
    surety__template_write(out,
                           ",'instructions':null,'max_output_tokens':null,"
                           "'metadata':{},'model':$s,'output':[",
                           speech->model);
    for (int i = 0; i < PART_NONE && (ending || failed); i++) {
        if (!speech->said[i])
            continue;
        surety_buf_text(out, comma);
        speak_responses_put_item(speech, (surety__speech_part)i, true, out);
        comma = ",";
    }
    surety__template_write(out, "],'parallel_tool_calls':true,"
                                "'previous_response_id':null,'temperature':1,"
                                "'text':{'format':");
    speak_responses_put_format(speech, out);
    surety__template_write(out, "},'tool_choice':'auto','tools':[],'top_p':1,"
                                "'truncation':'disabled','usage':");
    if (ending)
        speak_responses_put_usage(&ending->usage, out);
    else
        surety_buf_text(out, "null");
    surety_buf_byte(out, '}');
}

/* ---- streams ------------------------------------------------------------- */

/* Starts an event, up to its members; speak_responses_event_end ends it. */
static void speak_responses_event(surety__speech *speech, const char *type,
                                  surety_buf *out)
{
    surety__template_write(
        out, "event: $r\ndata: {'type':$s,'sequence_number':$n",
        surety_str_of(type), surety_str_of(type), (uint64_t)speech->sequence++);
}

static void speak_responses_event_end(surety_buf *out)
{
    surety_buf_text(out, "}\n\n");
}

static void speak_responses_event_response(surety__speech *speech,
                                           const char *type,
                                           const surety__closing *ending,
                                           surety_buf *out)
{
    speak_responses_event(speech, type, out);
    surety_buf_text(out, ",\"response\":");
    speak_responses_put_response(speech, ending, NULL, out);
    speak_responses_event_end(out);
}

/* Starts an event of a part, with item_id, output_index and the index in the
 * item. */
static void speak_responses_event_part(surety__speech *speech, const char *type,
                                       surety_buf *out)
{
    static const char *const ids[] = {"rs_", "msg_", "msg_", "fc_"};

    speak_responses_event(speech, type, out);
    surety__template_write(
        out, ",'item_id':'$r$e$r','output_index':$n",
        surety_str_of(ids[speech->open]), speech->id,
        surety_str_of(speech->open == PART_REFUSAL ? "r" : ""),
        (uint64_t)speech->index);
    if (speech->open == PART_REASONING)
        surety__template_write(out, ",'summary_index':0");
    else if (speech->open != PART_ARGUMENTS)
        surety__template_write(out, ",'content_index':0");
}

static void speak_responses_event_item(surety__speech *speech, bool is_done,
                                       surety_buf *out)
{
    speak_responses_event(speech,
                          is_done ? "response.output_item.done"
                                  : "response.output_item.added",
                          out);
    surety__template_write(
        out, ",'output_index':$n,'item':", (uint64_t)speech->index);
    speak_responses_put_item(speech, speech->open, is_done, out);
    speak_responses_event_end(out);
}

static void speak_responses_begin(surety__speech *speech,
                                  const surety_usage *usage, surety_buf *out)
{
    (void)usage;
    speak_responses_event_response(speech, "response.created", NULL, out);
    speak_responses_event_response(speech, "response.in_progress", NULL, out);
}

static void speak_responses_part(surety__speech *speech, surety_buf *out)
{
    static const char *const empty[] = {
        "{'type':'summary_text','text':''}",
        "{'type':'output_text','annotations':[],'logprobs':[],'text':''}",
        "{'type':'refusal','refusal':''}"};

    speak_responses_event_item(speech, false, out);
    if (speech->open == PART_ARGUMENTS)
        return;
    speak_responses_event_part(speech,
                               speech->open == PART_REASONING
                                   ? "response.reasoning_summary_part.added"
                                   : "response.content_part.added",
                               out);
    surety_buf_text(out, ",\"part\":");
    surety__template_write(out, empty[speech->open]);
    speak_responses_event_end(out);
}

static void speak_responses_piece(surety__speech *speech, surety_str text,
                                  surety_buf *out)
{
    static const char *const types[] = {
        "response.reasoning_summary_text.delta", "response.output_text.delta",
        "response.refusal.delta", "response.function_call_arguments.delta"};

    speak_responses_event_part(speech, types[speech->open], out);
    surety__template_write(out, ",'delta':$s", text);
    if (speech->open == PART_TEXT)
        surety__template_write(out, ",'logprobs':[]");
    speak_responses_event_end(out);
}

static void speak_responses_close(surety__speech *speech, surety_buf *out)
{
    static const struct {
        const char *type;
        const char *name;
    } done[] = {{"response.reasoning_summary_text.done", "text"},
                {"response.output_text.done", "text"},
                {"response.refusal.done", "refusal"},
                {"response.function_call_arguments.done", "arguments"}};
    const surety_str text = surety__speech_text(speech, speech->open);

    speak_responses_event_part(speech, done[speech->open].type, out);
    surety__template_write(out, ",'$r':$s",
                           surety_str_of(done[speech->open].name), text);
    if (speech->open == PART_TEXT)
        surety__template_write(out, ",'logprobs':[]");
    if (speech->open == PART_ARGUMENTS)
        surety__template_write(out, ",'name':$s", speech->tool);
    speak_responses_event_end(out);
    if (speech->open == PART_REASONING) {
        speak_responses_event_part(speech,
                                   "response.reasoning_summary_part.done", out);
        surety__template_write(out, ",'part':{'type':'summary_text','text':$s}",
                               text);
        speak_responses_event_end(out);
    } else if (speech->open != PART_ARGUMENTS) {
        speak_responses_event_part(speech, "response.content_part.done", out);
        surety_buf_text(out, ",\"part\":");
        speak_responses_put_content(speech, speech->open, out);
        speak_responses_event_end(out);
    }
    speak_responses_event_item(speech, true, out);
}

static void speak_responses_end(surety__speech *speech,
                                const surety__closing *ending, surety_buf *out)
{
    static const char *const words[] = {"completed", "incomplete", "incomplete",
                                        "completed", "completed"};
    const surety_str word = surety__closing_word(ending, speech, words);
    const char *type = "response.incomplete";

    if (ending->no_mark)
        return;
    if (surety_str_equal(word, SURETY__LITERAL("completed")))
        type = "response.completed";
    else if (surety_str_equal(word, SURETY__LITERAL("failed")))
        type = "response.failed";
    speak_responses_event_response(speech, type, ending, out);
}

/* Appends the two events of a stream that breaks: an error, and the failed
 * response. */
static void speak_responses_fail(surety__speech *speech,
                                 const surety__problem *problem,
                                 surety_buf *out)
{
    const surety_str code =
        problem->code.len ? problem->code : SURETY__LITERAL("server_error");
    surety__problem told = *problem;

    told.code = code;
    speak_responses_event(speech, "error", out);
    surety__template_write(out, ",'code':$s,'message':$s,'param':null", code,
                           problem->message);
    speak_responses_event_end(out);
    speak_responses_event(speech, "response.failed", out);
    surety_buf_text(out, ",\"response\":");
    speak_responses_put_response(speech, NULL, &told, out);
    speak_responses_event_end(out);
}

static void speak_responses_whole(surety__speech *speech,
                                  const surety__closing *ending,
                                  surety_buf *out)
{
    speak_responses_put_response(speech, ending, NULL, out);
}

const surety__speaker surety__speaker_responses = {
    .read = speak_responses_read,
    .error = surety__speak_openai_error,
    .faults = speak_responses_faults,
    .begin = speak_responses_begin,
    .part = speak_responses_part,
    .piece = speak_responses_piece,
    .close = speak_responses_close,
    .end = speak_responses_end,
    .fail = speak_responses_fail,
    .whole = speak_responses_whole,
};
