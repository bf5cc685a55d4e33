/* SPDX-License-Identifier: Apache-2.0 */
/* Anthropic Messages, the server side. Sources: the types of Anthropic's
 * official client (MessageCreateParams, Message, RawMessageStreamEvent, the
 * error objects) and the provider's page on structured outputs.
 *
 * Each part is a block of the content. Arguments are an object in a whole
 * answer and text in a stream. So arguments that are no object can be sent
 * unchanged only in a stream; a whole answer has them as a string. */
#include "serve/speak.h"

static const surety__fault_row speak_anthropic_faults[] = {
    {400, "invalid_request_error", NULL, "The request is not valid."},
    {401, "authentication_error", NULL, "invalid x-api-key"},
    {402, "billing_error", NULL, "Your credit balance is too low."},
    {403, "permission_error", NULL, "You are not allowed to do this."},
    {404, "not_found_error", NULL, "Not found"},
    {405, "invalid_request_error", NULL, "Method Not Allowed"},
    {409, "conflict_error", NULL, "Conflict"},
    {413, "request_too_large", NULL,
     "Request exceeds the maximum allowed number of bytes."},
    {429, "rate_limit_error", NULL,
     "This request would exceed your rate limit."},
    {504, "timeout_error", NULL, "Timed out"},
    {529, "overloaded_error", NULL, "Overloaded"},
    {0, "api_error", NULL, "Internal server error"}};

/* ---- reading ------------------------------------------------------------- */

static void speak_anthropic_read_format(surety__request_reader *reader)
{
    surety__model_request *request = reader->request;
    const surety_val config = surety__request_member(
        reader, reader->body, "output_config", SURETY_KIND_OBJECT);
    surety_val format = surety_val_get(config, "format");

    if (!format.doc) /* the form of the beta version */
        format = surety__request_member(reader, reader->body, "output_format",
                                        SURETY_KIND_OBJECT);
    if (!format.doc)
        return;
    request->format = FORMAT_JSON_SCHEMA;
    if (!surety_val_is(surety_val_get(format, "type"), "json_schema")) {
        surety__request_fail(reader, "output_config.format", NULL,
                             "output_config.format.type: Input should be "
                             "'json_schema'");
        return;
    }
    request->schema = surety_val_get(format, "schema");
    request->schema_name = surety__request_title(request->schema);
    request->strict = true;
    request->mode = SURETY_MODE_NATIVE;
    if (!request->schema.doc)
        surety__request_fail(reader, "output_config.format", NULL,
                             "output_config.format.schema: Field required");
}

static void speak_anthropic_read_tools(surety__request_reader *reader)
{
    const surety_val tools = surety__request_member(reader, reader->body,
                                                    "tools", SURETY_KIND_ARRAY);
    const surety_val choice = surety_val_get(reader->body, "tool_choice");
    const surety_val type = surety_val_get(choice, "type");
    const surety_str wanted = surety_val_str(surety_val_get(choice, "name"));
    const surety_val thinking = surety_val_get(reader->body, "thinking");

    reader->request->choice = surety_val_is(type, "tool")   ? CHOICE_NAMED
                              : surety_val_is(type, "any")  ? CHOICE_REQUIRED
                              : surety_val_is(type, "none") ? CHOICE_NONE
                                                            : CHOICE_AUTO;
    if (choice.doc && !surety_val_is(type, "auto") &&
        reader->request->choice == CHOICE_AUTO)
        surety__request_fail(reader, "tool_choice", NULL,
                             "tool_choice: Input tag should be 'auto', 'any', "
                             "'tool' or 'none'");
    if (reader->request->choice >= CHOICE_REQUIRED &&
        surety_val_is(surety_val_get(thinking, "type"), "enabled"))
        surety__request_fail(reader, "tool_choice", NULL,
                             "Thinking may not be enabled when tool_choice "
                             "forces tool use.");
    SURETY_EACH (tool, tools) {
        const surety_str name = surety_val_str(surety_val_get(tool, "name"));
        surety__request_add_tool(reader, name, name.len > 0);
        if (surety__request_requires(reader, name, wanted))
            surety__request_require(
                reader, name, surety_val_get(tool, "input_schema"),
                surety_val_bool(surety_val_get(tool, "strict"), false));
    }
    surety__request_tools_end(
        reader, wanted, "Tool '%.*s' not found in provided tools",
        "tool_choice may only be specified while providing tools");
}

/* Refuses a conversation that the server would store (message threads, a beta),
 * since this server keeps no state. After this error clients send the whole
 * conversation (ThreadState in Anthropic's official client). */
static void speak_anthropic_refuse_thread(surety__request_reader *reader)
{
    const surety_val thread = surety_val_get(reader->body, "thread");

    if (!thread.doc || surety_val_kind(thread) == SURETY_KIND_NULL ||
        reader->status)
        return;
    surety__request_fail(
        reader, "thread", NULL,
        "thread: no conversation is held here; send all of its "
        "messages, and no thread");
    reader->problem->details =
        SURETY__LITERAL("{\"error_code\":\"thread_unsupported_request\","
                        "\"unsupported\":[\"thread\"]}");
}

/* A message of the system follows one of the user, or of the assistant whose
 * last block is a tool of the provider's (the mock has none); what stands
 * before all messages is the member "system". */
static void speak_anthropic_check_role(surety__request_reader *reader,
                                       surety_val role, surety_val before)
{
    const surety_str name = surety_val_str(role);
    const bool is_system = surety_val_is(role, "system");

    if (is_system && !surety_val_is(before, "user"))
        surety__request_fail(reader, "messages", NULL,
                             "messages: a message of the role \"system\" must "
                             "follow one of the role \"user\"");
    else if (!is_system && !surety_val_is(role, "user") &&
             !surety_val_is(role, "assistant"))
        surety__request_fail(reader, "messages", NULL,
                             "messages: Unexpected role \"%.*s\". The allowed "
                             "roles are \"user\", \"assistant\" or \"system\".",
                             (int)name.len, name.len ? name.ptr : "");
}

static void speak_anthropic_read(surety__request_reader *reader)
{
    surety__model_request *request = reader->request;
    const surety_val body = reader->body;
    const surety_val system = surety_val_get(body, "system");
    const surety_val messages = surety_val_get(body, "messages");
    surety_val before = surety_val_none();

    speak_anthropic_refuse_thread(reader);
    request->model = surety_val_str(surety_val_get(body, "model"));
    request->stream = surety_val_bool(surety_val_get(body, "stream"), false);
    if (!request->model.len)
        surety__request_fail(reader, "model", NULL, "model: Field required");
    if (surety_val_get(body, "n").doc)
        surety__request_fail(reader, "n", NULL,
                             "n: Extra inputs are not permitted");
    if (!reader->counts &&
        surety_val_int(surety_val_get(body, "max_tokens"), 0) < 1)
        surety__request_fail(reader, "max_tokens", NULL,
                             surety_val_get(body, "max_tokens").doc
                                 ? "max_tokens: Input should be greater than "
                                   "or equal to 1"
                                 : "max_tokens: Field required");
    if (surety_val_kind(messages) != SURETY_KIND_ARRAY ||
        !surety_val_count(messages))
        surety__request_fail(reader, "messages", NULL,
                             "messages: at least one message is required");
    if (system.doc)
        surety__request_add_message(reader, SURETY__LITERAL("system"), system);
    SURETY_EACH (one, messages) {
        const surety_val role = surety_val_get(one, "role");
        speak_anthropic_check_role(reader, role, before);
        surety__request_add_message(reader, surety_val_str(role),
                                    surety_val_get(one, "content"));
        before = role;
    }
    speak_anthropic_read_format(reader);
    speak_anthropic_read_tools(reader);
}

static void speak_anthropic_put_error(const surety__problem *problem,
                                      surety_buf *out)
{
    surety__template_write(out,
                           "{'type':'error','error':{'type':$s,'message':$s",
                           problem->type, problem->message);
    if (problem->details.len)
        surety__template_write(out, ",'details':$r", problem->details);
    surety__template_write(out, "},'request_id':$m}", problem->request_id);
}

/* input_tokens excludes tokens that were read from a cache. */
static void speak_anthropic_put_usage(const surety_usage *usage,
                                      uint64_t output, surety_buf *out)
{
    const uint64_t cached = usage->cached_input_tokens < usage->input_tokens
                                ? usage->cached_input_tokens
                                : usage->input_tokens;

    surety__template_write(out,
                           "{'input_tokens':$n,'cache_creation_input_tokens':0,"
                           "'cache_read_input_tokens':$n,'output_tokens':$n,",
                           usage->input_tokens - cached, cached, output);
    if (usage->reasoning_tokens && usage->reasoning_tokens <= output)
        surety__template_write(
            out, "'output_tokens_details':{'thinking_tokens':$n},",
            usage->reasoning_tokens);
    surety__template_write(out, "'service_tier':'standard'}");
}

static void speak_anthropic_put_head(const surety__speech *speech,
                                     surety_buf *out)
{
    surety__template_write(out,
                           "{'id':'msg_$e','type':'message','role':'assistant',"
                           "'model':$s,'content':[",
                           speech->id, speech->model);
}

/* ---- streams ------------------------------------------------------------- */

static void speak_anthropic_begin(surety__speech *speech,
                                  const surety_usage *usage, surety_buf *out)
{
    surety__template_write(
        out, "event: message_start\ndata: {'type':'message_start','message':");
    speak_anthropic_put_head(speech, out);
    surety__template_write(out, "],'stop_reason':null,'stop_sequence':null,"
                                "'usage':");
    speak_anthropic_put_usage(usage, 1, out);
    surety_buf_text(out, "}}\n\n");
}

static void speak_anthropic_ping(const surety__speech *speech, surety_buf *out)
{
    (void)speech;
    surety_buf_text(out, "event: ping\ndata: {\"type\":\"ping\"}\n\n");
}

/* Appends a call up to its input. */
static void speak_anthropic_put_call(const surety__speech *speech,
                                     const surety__speech_item *call,
                                     surety_buf *out)
{
    surety__template_write(out, "{'type':'tool_use','id':'");
    surety__speech_put_id(speech, call, "toolu_", out);
    surety__template_write(out, "','name':$s,'input':", call->tool);
}

static void speak_anthropic_part(surety__speech *speech, surety_buf *out)
{
    const surety__speech_item item = surety__speech_open(speech);

    surety__template_write(out,
                           "event: content_block_start\n"
                           "data: {'type':'content_block_start','index':$n,"
                           "'content_block':",
                           (uint64_t)speech->index);
    if (item.part == PART_ARGUMENTS) {
        speak_anthropic_put_call(speech, &item, out);
        surety_buf_text(out, "{}}");
    } else {
        surety__template_write(
            out, item.part == PART_REASONING
                     ? "{'type':'thinking','thinking':'','signature':''}"
                     : "{'type':'text','text':''}");
    }
    surety_buf_text(out, "}\n\n");
    if (!speech->index)
        speak_anthropic_ping(speech, out);
}

/* Appends an event whose delta is a text. */
static void speak_anthropic_delta(const surety__speech *speech,
                                  const char *type, const char *name,
                                  surety_str text, surety_buf *out)
{
    surety__template_write(out,
                           "event: content_block_delta\n"
                           "data: {'type':'content_block_delta','index':$n,"
                           "'delta':{'type':'$t','$t':$s}}\n\n",
                           (uint64_t)speech->index, type, name, text);
}

static void speak_anthropic_piece(surety__speech *speech, surety_str text,
                                  surety_buf *out)
{
    if (speech->open == PART_ARGUMENTS)
        speak_anthropic_delta(speech, "input_json_delta", "partial_json", text,
                              out);
    else if (speech->open == PART_REASONING)
        speak_anthropic_delta(speech, "thinking_delta", "thinking", text, out);
    else
        speak_anthropic_delta(speech, "text_delta", "text", text, out);
}

static void speak_anthropic_stop(const surety__speech *speech, surety_buf *out)
{
    surety__template_write(out,
                           "event: content_block_stop\n"
                           "data: {'type':'content_block_stop','index':$n}\n\n",
                           (uint64_t)speech->index);
}

static void speak_anthropic_close(surety__speech *speech, surety_buf *out)
{
    if (speech->open == PART_REASONING)
        speak_anthropic_delta(speech, "signature_delta", "signature",
                              SURETY__LITERAL("c3VyZXR5"), out);
    speak_anthropic_stop(speech, out);
}

static void speak_anthropic_sign(const surety__speech *speech, surety_val raw,
                                 surety_buf *out)
{
    speak_anthropic_delta(speech, "signature_delta", "signature",
                          surety_val_str(surety_val_get(raw, "signature")),
                          out);
}

static bool speak_anthropic_seal(surety__speech *speech, surety_val raw,
                                 surety_buf *out)
{
    if (!surety_val_get(raw, "thinking").doc)
        return false;
    speak_anthropic_sign(speech, raw, out);
    speak_anthropic_stop(speech, out);
    return true;
}

/* Appends a block of reasoning: its text and signature are deltas. */
static void speak_anthropic_raw(surety__speech *speech, surety_val raw,
                                surety_buf *out)
{
    const surety_val thinking = surety_val_get(raw, "thinking");

    surety__template_write(out,
                           "event: content_block_start\n"
                           "data: {'type':'content_block_start','index':$n,"
                           "'content_block':",
                           (uint64_t)speech->index);
    if (thinking.doc)
        surety__template_write(
            out, "{'type':'thinking','thinking':'','signature':''}");
    else
        surety_val_write(raw, SURETY_STYLE_COMPACT, out);
    surety_buf_text(out, "}\n\n");
    if (thinking.doc) {
        speak_anthropic_delta(speech, "thinking_delta", "thinking",
                              surety_val_str(thinking), out);
        speak_anthropic_sign(speech, raw, out);
    }
    speak_anthropic_stop(speech, out);
}

/* Appends the usage of the whole answer, and ends the object. */
static void speak_anthropic_put_total(const surety_usage *usage,
                                      surety_buf *out)
{
    surety__template_write(out, ",'usage':");
    if (usage->known)
        speak_anthropic_put_usage(usage, usage->output_tokens, out);
    else
        surety_buf_text(out, "{}");
    surety_buf_byte(out, '}');
}

static void speak_anthropic_end(surety__speech *speech,
                                const surety__closing *ending, surety_buf *out)
{
    surety__template_write(out,
                           "event: message_delta\n"
                           "data: {'type':'message_delta','delta':"
                           "{'stop_reason':$s,'stop_sequence':null}",
                           surety__closing_word(ending, speech));
    speak_anthropic_put_total(&ending->usage, out);
    surety__template_write(out, ending->no_mark
                                    ? "\n\n"
                                    : "\n\nevent: message_stop\n"
                                      "data: {'type':'message_stop'}\n\n");
}

/* ---- whole --------------------------------------------------------------- */

static void speak_anthropic_whole(surety__speech *speech,
                                  const surety__closing *ending,
                                  surety_buf *out)
{
    const char *comma = speech->raws.len ? "," : "";

    speak_anthropic_put_head(speech, out);
    surety_buf_add(out, surety_buf_str(&speech->raws));
    for (size_t i = 0; i < surety__speech_items(speech); i++) {
        surety__speech_item item;
        if (!surety__speech_item_at(speech, i, &item))
            continue;
        surety_buf_text(out, comma);
        comma = ",";
        if (item.part == PART_ARGUMENTS) {
            speak_anthropic_put_call(speech, &item, out);
            surety__speak_arguments(item.text, out);
            surety_buf_byte(out, '}');
        } else if (item.part == PART_REASONING) {
            surety__template_write(out,
                                   "{'type':'thinking','thinking':$s,"
                                   "'signature':'c3VyZXR5'}",
                                   item.text);
        } else {
            surety__template_write(out, "{'type':'text','text':$s}", item.text);
        }
    }
    surety__template_write(out, "],'stop_reason':$s,'stop_sequence':null",
                           surety__closing_word(ending, speech));
    speak_anthropic_put_total(&ending->usage, out);
}

const surety__speaker surety__speaker_anthropic = {
    .read = speak_anthropic_read,
    .error = speak_anthropic_put_error,
    .faults = speak_anthropic_faults,
    .count = "{'input_tokens':$n}",
    .model = "{'type':'model','id':$s,'display_name':$s,"
             "'created_at':'2026-01-01T00:00:00Z'}",
    .models = "{'data':[",
    .words = {"end_turn", "max_tokens", "refusal", "refusal", "tool_use"},
    .begin = speak_anthropic_begin,
    .part = speak_anthropic_part,
    .piece = speak_anthropic_piece,
    .close = speak_anthropic_close,
    .raw = speak_anthropic_raw,
    .seal = speak_anthropic_seal,
    .end = speak_anthropic_end,
    .ping = speak_anthropic_ping,
    .failing = "event: error\ndata: ",
    .whole = speak_anthropic_whole,
};
