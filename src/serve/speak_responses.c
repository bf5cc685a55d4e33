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

/* Reads an item of the input: a message, a tool's result (its type ends in
 * "_output", as function_call_output), or an item of an earlier response. */
static void speak_responses_read_item(surety__request_reader *reader,
                                      surety_val item)
{
    const surety_str role = surety_val_str(surety_val_get(item, "role"));
    const surety_str type = surety_val_str(surety_val_get(item, "type"));

    if (role.len || !type.len)
        surety__request_add_message(reader, role,
                                    surety_val_get(item, "content"));
    else if (type.len > sizeof("_output") - 1 &&
             surety__str_ends(type, SURETY__LITERAL("_output")))
        surety__request_add_message(reader, SURETY__LITERAL("tool"),
                                    surety_val_get(item, "output"));
    else
        surety__request_add_message(reader, SURETY__LITERAL("assistant"),
                                    surety_val_get(item, "content"));
}

static void speak_responses_read(surety__request_reader *reader)
{
    static const surety__format_params format_params = {
        "text.format.type", "text.format.name", "text.format.schema"};
    const surety_val body = reader->body;
    const surety_val input = surety_val_get(body, "input");
    const surety_val instructions = surety__request_member(
        reader, body, "instructions", SURETY_KIND_STRING);
    const surety_val format = surety_val_get(
        surety__request_member(reader, body, "text", SURETY_KIND_OBJECT),
        "format");

    surety__request_openai_head(reader, "Missing required parameter: 'model'.");
    if (!surety_val_count(input) && !surety_val_str(input).len)
        surety__request_missing(reader, "input");
    if (surety_val_get(body, "n").doc)
        surety__request_fail(reader, "n", "unknown_parameter",
                             "Unknown parameter: 'n'.");
    if (instructions.doc)
        surety__request_add_message(reader, SURETY__LITERAL("system"),
                                    instructions);
    if (surety_val_kind(input) == SURETY_KIND_STRING)
        surety__request_add_message(reader, SURETY__LITERAL("user"), input);
    else
        SURETY_EACH (one, input)
            speak_responses_read_item(reader, one);
    surety__request_openai_format(reader, format, format, &format_params);
    surety__request_openai_tools(reader, false);
}

/* ---- items --------------------------------------------------------------- */

/* The form of each part: the id of its item, the index of its text there, its
 * events, the member with the text in the last of them, and its content. */
static const struct {
    const char *id;
    const char *index;
    const char *text_event, *text_name, *text_more;
    const char *content_event, *content; /* NULL: it has none */
} speak_responses_parts[PART_NONE] = {
    [PART_REASONING] = {"rs_", ",'summary_index':0", "reasoning_summary_text",
                        "text", "", "reasoning_summary_part",
                        "{'type':'summary_text','text':$s}"},
    [PART_TEXT] = {"msg_", ",'content_index':0", "output_text", "text",
                   ",'logprobs':[]", "content_part",
                   "{'type':'output_text','annotations':[],'logprobs':[],"
                   "'text':$s}"},
    [PART_REFUSAL] = {"msg_", ",'content_index':0", "refusal", "refusal", "",
                      "content_part", "{'type':'refusal','refusal':$s}"},
    [PART_ARGUMENTS] = {"fc_", "", "function_call_arguments", "arguments", "",
                        NULL, NULL},
};

/* Appends the id of an item. */
static void speak_responses_put_id(const surety__speech *speech,
                                   const surety__speech_item *item,
                                   surety_buf *out)
{
    assert(item->part < PART_NONE);
    surety__template_write(out, "'$t$e", speak_responses_parts[item->part].id,
                           speech->id);
    if (item->part == PART_REFUSAL)
        surety_buf_byte(out, 'r');
    surety__speech_put_number(item, out);
    surety_buf_byte(out, '"');
}

/* Appends an item: empty at its start, complete if is_done. */
static void speak_responses_put_item(const surety__speech *speech,
                                     const surety__speech_item *item,
                                     bool is_done, surety_buf *out)
{
    const surety_str text = is_done ? item->text : SURETY__LITERAL("");
    const char *status = is_done ? "completed" : "in_progress";

    surety__template_write(out, "{'id':");
    speak_responses_put_id(speech, item, out);
    if (item->part == PART_ARGUMENTS) {
        surety__template_write(out,
                               ",'type':'function_call','status':'$t',"
                               "'call_id':'",
                               status);
        surety__speech_put_id(speech, item, "call_", out);
        surety__template_write(out, "','name':$s,'arguments':$s}", item->tool,
                               text);
        return;
    }
    if (item->part == PART_REASONING)
        surety__template_write(out, ",'type':'reasoning','summary':[");
    else
        surety__template_write(out,
                               ",'type':'message','status':'$t',"
                               "'role':'assistant','content':[",
                               status);
    if (is_done)
        surety__template_write(out, speak_responses_parts[item->part].content,
                               text);
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
    const surety__model_request *request = speech->request;

    if (request->mode == SURETY_MODE_NATIVE) {
        surety__template_write(
            out,
            "{'type':'json_schema','name':$s,'strict':$r,"
            "'schema':",
            request->schema_name,
            surety_str_of(request->strict ? "true" : "false"));
        surety_val_write(request->schema, SURETY_STYLE_COMPACT, out);
        surety_buf_byte(out, '}');
    } else {
        surety__template_write(
            out, "{'type':$s}",
            surety_str_of(surety__format_name(request->format)));
    }
}

/* Appends the response object. ending NULL: it is in progress; failed may be
 * NULL. */
static void speak_responses_put_response(const surety__speech *speech,
                                         const surety__closing *ending,
                                         const surety__problem *failed,
                                         surety_buf *out)
{
    static const char *const states[] = {"completed", "failed", "cancelled",
                                         "queued", "in_progress"};
    surety_str reason = ending ? surety__closing_word(ending, speech)
                               : SURETY__LITERAL("in_progress");
    surety_str status = SURETY__LITERAL("incomplete");
    const char *comma = speech->raws.len ? "," : "";

    if (surety__str_among(reason, states, SURETY__COUNT(states)))
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
    if (ending || failed)
        surety_buf_add(out, surety_buf_str(&speech->raws));
    for (size_t i = 0; i < surety__speech_items(speech) && (ending || failed);
         i++) {
        surety__speech_item item;
        if (!surety__speech_item_at(speech, i, &item))
            continue;
        surety_buf_text(out, comma);
        speak_responses_put_item(speech, &item, true, out);
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

/* Starts the event "response.NAME" and its kind, up to its members; the caller
 * appends "}" and an empty line. */
static void speak_responses_event(surety__speech *speech, const char *name,
                                  const char *kind, surety_buf *out)
{
    surety__template_write(out,
                           "event: response.$t$t\ndata: {'type':"
                           "'response.$t$t','sequence_number':$n",
                           name, kind, name, kind,
                           (uint64_t)speech->sequence++);
}

static void speak_responses_event_response(surety__speech *speech,
                                           const char *name,
                                           const surety__closing *ending,
                                           const surety__problem *failed,
                                           surety_buf *out)
{
    speak_responses_event(speech, name, "", out);
    surety__template_write(out, ",'response':");
    speak_responses_put_response(speech, ending, failed, out);
    surety_buf_text(out, "}\n\n");
}

/* Starts an event of the open part, with item_id, output_index and the index
 * in the item. */
static void speak_responses_event_part(surety__speech *speech, const char *name,
                                       const char *kind, surety_buf *out)
{
    const surety__speech_item item = surety__speech_open(speech);

    speak_responses_event(speech, name, kind, out);
    surety__template_write(out, ",'item_id':");
    speak_responses_put_id(speech, &item, out);
    surety__template_write(out, ",'output_index':$n", (uint64_t)speech->index);
    surety__template_write(out, speak_responses_parts[speech->open].index);
}

/* Appends the event that the content of the open part begins or ends. */
static void speak_responses_event_content(surety__speech *speech,
                                          const char *kind, surety_str text,
                                          surety_buf *out)
{
    const char *name = speak_responses_parts[speech->open].content_event;

    if (!name)
        return;
    speak_responses_event_part(speech, name, kind, out);
    surety__template_write(out, ",'part':");
    surety__template_write(out, speak_responses_parts[speech->open].content,
                           text);
    surety_buf_text(out, "}\n\n");
}

static void speak_responses_event_item(surety__speech *speech, bool is_done,
                                       surety_buf *out)
{
    const surety__speech_item item = surety__speech_open(speech);

    speak_responses_event(speech, "output_item", is_done ? ".done" : ".added",
                          out);
    surety__template_write(
        out, ",'output_index':$n,'item':", (uint64_t)speech->index);
    speak_responses_put_item(speech, &item, is_done, out);
    surety_buf_text(out, "}\n\n");
}

static void speak_responses_begin(surety__speech *speech,
                                  const surety_usage *usage, surety_buf *out)
{
    (void)usage;
    speak_responses_event_response(speech, "created", NULL, NULL, out);
    speak_responses_event_response(speech, "in_progress", NULL, NULL, out);
}

static void speak_responses_part(surety__speech *speech, surety_buf *out)
{
    speak_responses_event_item(speech, false, out);
    speak_responses_event_content(speech, ".added", SURETY__LITERAL(""), out);
}

/* Appends the event of a text of the open part: a delta, or all of it. */
static void speak_responses_event_text(surety__speech *speech, const char *kind,
                                       const char *name, surety_str text,
                                       surety_buf *out)
{
    speak_responses_event_part(
        speech, speak_responses_parts[speech->open].text_event, kind, out);
    surety__template_write(out, ",'$t':$s", name, text);
    surety__template_write(out, speak_responses_parts[speech->open].text_more);
}

static void speak_responses_piece(surety__speech *speech, surety_str text,
                                  surety_buf *out)
{
    speak_responses_event_text(speech, ".delta", "delta", text, out);
    surety_buf_text(out, "}\n\n");
}

static void speak_responses_close(surety__speech *speech, surety_buf *out)
{
    const surety__speech_item item = surety__speech_open(speech);

    speak_responses_event_text(speech, ".done",
                               speak_responses_parts[item.part].text_name,
                               item.text, out);
    if (item.part == PART_ARGUMENTS)
        surety__template_write(out, ",'name':$s", item.tool);
    surety_buf_text(out, "}\n\n");
    speak_responses_event_content(speech, ".done", item.text, out);
    speak_responses_event_item(speech, true, out);
}

/* Appends the events of an item of reasoning, which comes whole. */
static void speak_responses_raw(surety__speech *speech, surety_val raw,
                                surety_buf *out)
{
    static const char *const kinds[] = {".added", ".done"};

    for (size_t i = 0; i < SURETY__COUNT(kinds); i++) {
        speak_responses_event(speech, "output_item", kinds[i], out);
        surety__template_write(out, ",'output_index':$n,'item':$v}\n\n",
                               (uint64_t)speech->index, raw);
    }
}

static void speak_responses_end(surety__speech *speech,
                                const surety__closing *ending, surety_buf *out)
{
    const surety_str word = surety__closing_word(ending, speech);
    const char *name = "incomplete";

    if (ending->no_mark)
        return;
    if (surety_str_equal(word, SURETY__LITERAL("completed")))
        name = "completed";
    else if (surety_str_equal(word, SURETY__LITERAL("failed")))
        name = "failed";
    speak_responses_event_response(speech, name, ending, NULL, out);
}

/* Appends the two events of a stream that breaks: an error, and the failed
 * response. The error has the members of the description, and besides them an
 * error object, without which some versions of the official client take the
 * event for one that they do not know. */
static void speak_responses_fail(surety__speech *speech,
                                 const surety__problem *problem,
                                 surety_buf *out)
{
    surety__problem failed = *problem;

    if (!failed.code.len)
        failed.code = SURETY__LITERAL("server_error");
    surety__template_write(out,
                           "event: error\ndata: {'type':'error',"
                           "'sequence_number':$n,'code':$s,'message':$s,"
                           "'param':$m,'error':{'message':$s,'type':$s,"
                           "'param':$m,'code':$s",
                           (uint64_t)speech->sequence++, failed.code,
                           failed.message, failed.param, failed.message,
                           failed.type.len ? failed.type : failed.code,
                           failed.param, failed.code);
    if (failed.details.len)
        surety__template_write(out, ",'details':$r", failed.details);
    surety_buf_text(out, "}}\n\n");
    speak_responses_event_response(speech, "failed", NULL, &failed, out);
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
    .count = "{'object':'response.input_tokens','input_tokens':$n}",
    .model = SURETY__OPENAI_MODEL,
    .models = SURETY__OPENAI_MODELS,
    .words = {"completed", "max_output_tokens", "content_filter", "completed",
              "completed"},
    .begin = speak_responses_begin,
    .part = speak_responses_part,
    .piece = speak_responses_piece,
    .close = speak_responses_close,
    .raw = speak_responses_raw,
    .end = speak_responses_end,
    .fail = speak_responses_fail,
    .whole = speak_responses_whole,
};
