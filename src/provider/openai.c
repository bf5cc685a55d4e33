/* SPDX-License-Identifier: Apache-2.0 */
/* openai.c: Chat Completions of OpenAI and of compatible servers.
 *
 * Whole responses and chunks of a stream have the same form: a choice has a
 * `message` or a `delta` with the same members. Only choice 0 is read; the
 * request never asks for more. The stream ends with `[DONE]`. For servers that
 * omit it, the reply is complete with the finish reason, after which only
 * usage can come, and a clean end of the bytes.
 *
 * OpenAI itself expects max_completion_tokens, which includes reasoning; other
 * servers know max_tokens, and several only that. The caller may give either
 * as an extra member instead. The system text has the role `system`, which
 * every server accepts and OpenAI treats as `developer`. */
#include "provider/protocol.h"

static void openai_limit(const surety__call *call, surety_buf *out)
{
    const surety_model *model = call->model;
    bool inventor;

    if (!model->output_tokens_max ||
        surety_val_get(model->extra, "max_tokens").doc ||
        surety_val_get(model->extra, "max_completion_tokens").doc)
        return;
    inventor = surety__call_host_ends(call, "api.openai.com") ||
               surety__call_host_ends(call, "openai.azure.com") ||
               surety__call_host_ends(call, "cognitiveservices.azure.com");
    surety_json_number(out, inventor ? "max_completion_tokens" : "max_tokens",
                       model->output_tokens_max);
}

static void openai_tool(const surety__tool_spec *spec, surety_buf *out)
{
    surety__template_write(out, "{'type':'function','function':{");
    surety__body_schema(spec, out, "parameters");
    surety_buf_text(out, "}}");
}

static void openai_mode(const surety__call *call, surety_buf *out)
{
    const surety__tool_spec answer = surety__call_answer(call);
    surety_str name;
    bool single;

    if (call->mode == SURETY_MODE_NATIVE && call->schema.len) {
        surety__template_write(out, ",'response_format':{'type':'json_schema',"
                                    "'json_schema':{");
        surety__body_schema(&answer, out, "schema");
        surety_buf_text(out, "}}");
    }
    if (!surety__body_tools(call, out, ",'tools':[", openai_tool))
        return;
    surety_buf_byte(out, ']');
    switch (surety__call_choice(call, &name, &single)) {
    case CHOICE_FREE: break;
    case CHOICE_NONE:
        surety_json_text(out, "tool_choice", SURETY__LITERAL("none"));
        break;
    case CHOICE_SOME:
        surety_json_text(out, "tool_choice", SURETY__LITERAL("required"));
        break;
    case CHOICE_NAMED:
        surety__template_write(
            out, ",'tool_choice':{'type':'function','function':{'name':$s}}",
            name);
        break;
    }
    if (single)
        surety_json_bool(out, "parallel_tool_calls", false);
}

/* ---- messages ------------------------------------------------------------ */

/* Writes the members in which reasoning came. Only beside calls: servers that
 * want it back want it there, and others refuse it. */
static void openai_reasoning(surety__writer *writer, surety_str raw)
{
    raw = surety__str_trim(raw);
    raw = surety__str_trim((surety_str){raw.ptr + 1, raw.len - 2});
    if (raw.len)
        surety__template_write(writer->out, ",$r", raw);
}

static void openai_assistant(surety__writer *writer,
                             const surety__message *message)
{
    const surety_part *reasoning = NULL;
    size_t calls = 0;

    if (!surety__message_goes(writer->call, message))
        return;
    surety__writer_next(writer);
    surety__template_write(writer->out, "{'role':'assistant','content':");
    surety__writer_content(writer, message);
    surety__writer_speaker(writer, message);
    for (size_t i = 0; i < message->part_count; i++) {
        const surety_part *part = &message->parts[i];

        if (part->kind == SURETY_PART_REASONING && !reasoning &&
            surety__part_goes(writer->call, part))
            reasoning = part;
        calls += part->kind == SURETY_PART_CALL;
    }
    if (calls && reasoning)
        openai_reasoning(writer, reasoning->raw);
    if (calls)
        surety__template_write(writer->out, ",'tool_calls':[");
    for (size_t i = 0; i < message->part_count; i++)
        if (message->parts[i].kind == SURETY_PART_CALL)
            surety__writer_part(writer, &message->parts[i], 1);
    surety_buf_text(writer->out, calls ? "]}" : "}");
}

/* Results come directly behind the calls; what else their messages have comes
 * behind all of them, as a user's message. */
static void openai_messages(const surety__call *call, surety_buf *out)
{
    surety__writer writer =
        surety__writer_of(call, &surety__protocol_openai, out);
    size_t first = 0; /* of the messages of the role tool at hand */

    for (size_t i = 0; i < call->message_count; i++) {
        const surety__message *message = &call->messages[i];
        const bool more =
            i + 1 < call->message_count && message[1].role == SURETY_ROLE_TOOL;

        if (message->role == SURETY_ROLE_TOOL)
            surety__writer_results(&writer, message);
        else if (message->role == SURETY_ROLE_ASSISTANT)
            openai_assistant(&writer, message);
        else
            surety__writer_message(&writer, message);
        if (message->role != SURETY_ROLE_TOOL)
            first = i + 1;
        else if (!more)
            surety__writer_beside(&writer, first, i + 1);
    }
}

static const surety__part_form openai_forms[] = {
    {SURETY_PART_TEXT, SOURCE_NONE, NULL, "{'type':'text','text':$t}"},
    {SURETY_PART_IMAGE, SOURCE_DATA, NULL,
     "{'type':'image_url','image_url':{'url':$d}}"},
    {SURETY_PART_IMAGE, SOURCE_URL, NULL,
     "{'type':'image_url','image_url':{'url':$u}}"},
    {SURETY_PART_DOCUMENT, SOURCE_DATA, "application/pdf",
     "{'type':'file','file':{'filename':$N,'file_data':$d}}"},
    {SURETY_PART_DOCUMENT, SOURCE_DATA, "text/", "{'type':'text','text':$x}"},
    {SURETY_PART_DOCUMENT, SOURCE_FILE_ID, NULL,
     "{'type':'file','file':{'file_id':$f}}"},
    {SURETY_PART_AUDIO, SOURCE_DATA, "audio/wav audio/x-wav",
     "{'type':'input_audio','input_audio':{'data':$b,'format':'wav'}}"},
    {SURETY_PART_AUDIO, SOURCE_DATA, "audio/mpeg audio/mp3",
     "{'type':'input_audio','input_audio':{'data':$b,'format':'mp3'}}"},
    {SURETY_PART_CALL, SOURCE_NONE, NULL,
     "{'id':$i,'type':'function','function':{'name':$n,'arguments':$q}}"},
    {SURETY_PART_RESULT, SOURCE_NONE, NULL,
     "{'role':'tool','tool_call_id':$i,'content':$t}"},
    {SURETY_PART_TEXT, SOURCE_NONE, NULL, NULL},
};

/* ---- the request --------------------------------------------------------- */

static void openai_body(const surety__call *call, surety_buf *out)
{
    const bool stream = !call->model->whole;

    surety__template_write(out, "{'model':$s,'messages':[", call->model->model);
    if (call->system.len) {
        surety__template_write(out, "{'role':'system','content':");
        surety__body_text(out, call->system, &call->system_part);
        surety_buf_byte(out, '}');
    }
    openai_messages(call, out);
    surety_buf_byte(out, ']');
    openai_mode(call, out);
    openai_limit(call, out);
    surety__body_temperature(call, out);
    surety_json_bool(out, "stream", stream);
    if (stream)
        surety__template_write(
            out, surety__call_host_ends(call, "api.openai.com")
                     ? ",'stream_options':{'include_usage':true,"
                       "'include_obfuscation':false}"
                     : ",'stream_options':{'include_usage':true}");
    surety_buf_byte(out, '}');
}

/* Takes content: a string, or an array of parts, of which the texts count. */
static void openai_content(surety__decoder *decoder, surety_val message)
{
    const surety_val content = surety_val_get(message, "content");

    if (surety_val_kind(content) != SURETY_KIND_ARRAY) {
        surety__answer_text(
            decoder,
            surety__answer_string(decoder, message, "content", "content"));
        return;
    }
    SURETY_EACH (part, content)
        surety__answer_text(decoder, surety__answer_string(
                                         decoder, part, "text", "a text part"));
}

/* The call that a fragment goes on with; NULL: a new one begins. Servers leave
 * out the index or the id, repeat the id or the name, or give every call the
 * index 0. A call that is complete ends with a brace, and no fragment begins
 * with one. */
static surety__draft *openai_call_of(const surety__decoder *decoder,
                                     surety_val call, surety_str fragment)
{
    const surety_val index = surety_val_get(call, "index");
    const surety_str id = surety_val_str(surety_val_get(call, "id"));
    const surety_val name =
        surety_val_get(surety_val_get(call, "function"), "name");
    surety__draft *draft = surety__draft_call(decoder);

    if (decoder->is.form == FORM_WHOLE)
        return NULL;
    if (surety_val_kind(index) > SURETY_KIND_NULL)
        draft = surety__draft_at(decoder, surety_val_uint(index, 0) + 1);
    if (!draft)
        return NULL;
    if (id.len && id.len <= SURETY__NAME_MAX && draft->id.len &&
        !surety_str_equal(surety_buf_str(&draft->id), id))
        return NULL;
    if (surety_val_str(name).len && draft->text.len &&
        draft->text.ptr[draft->text.len - 1] == '}' && fragment.len &&
        fragment.ptr[0] == '{')
        return NULL;
    return draft;
}

/* Takes a call, or a fragment of one. */
static void openai_call(surety__decoder *decoder, surety_val call)
{
    const surety_val function = surety_val_get(call, "function");
    const surety_val arguments = surety_val_get(function, "arguments");
    const surety_str name = surety_val_str(surety_val_get(function, "name"));
    const uint64_t number =
        surety__answer_index(decoder, surety_val_get(call, "index"), 0);
    /* Some servers send an object instead of the protocol's text. */
    const bool object = surety_val_kind(arguments) == SURETY_KIND_OBJECT;
    const surety_str fragment =
        object ? (surety_str){NULL, 0}
               : surety__answer_string(decoder, function, "arguments",
                                       "arguments");
    surety__draft *draft;

    if (decoder->is.broken)
        return;
    if (decoder->is.raw &&
        (surety_val_is(surety_val_get(call, "type"), "custom") ||
         surety_val_get(call, "custom").doc)) {
        decoder->is.others = true;
        return;
    }
    draft = openai_call_of(decoder, call, fragment);
    if (!draft) {
        draft = surety__draft_add(decoder, SURETY_PART_CALL);
        if (!draft)
            return;
        draft->index = number + 1;
    }
    surety__draft_name(decoder, draft,
                       surety_val_str(surety_val_get(call, "id")), name);
    /* Google's servers give the signature of a call here. */
    if (surety_val_get(call, "extra_content").doc)
        surety__draft_item(decoder, draft,
                           surety_val_get(call, "extra_content"));
    if (object)
        surety__answer_object(decoder, draft, arguments);
    else
        surety__answer_arguments(decoder, draft, fragment);
}

/* Takes reasoning, in one of the members that servers have for it. */
static void openai_thinking(surety__decoder *decoder, surety_val message)
{
    static const char *const members[] = {"reasoning_content", "reasoning"};
    surety__draft *draft;

    for (size_t i = 0; i < SURETY__COUNT(members); i++) {
        const surety_str text =
            surety_val_str(surety_val_get(message, members[i]));

        if (!text.len)
            continue;
        surety__answer_reasoning(decoder, text);
        draft = surety__draft_open(decoder, SURETY_PART_REASONING);
        if (draft && !draft->name.len)
            surety_buf_text(&draft->name, members[i]);
        return;
    }
}

static void openai_message(surety__decoder *decoder, surety_val message)
{
    const surety_val called = surety_val_get(message, "function_call");
    surety__draft *draft;

    openai_thinking(decoder, message);
    openai_content(decoder, message);
    surety__answer_refusal(
        decoder, surety__answer_string(decoder, message, "refusal", "refusal"));
    SURETY_EACH (call, surety_val_get(message, "tool_calls"))
        openai_call(decoder, call);
    if (surety_val_kind(called) != SURETY_KIND_OBJECT || decoder->is.broken)
        return;
    draft = surety__draft_open(decoder, SURETY_PART_CALL);
    if (!draft)
        return;
    surety__draft_name(decoder, draft, (surety_str){NULL, 0},
                       surety_val_str(surety_val_get(called, "name")));
    surety__answer_arguments(
        decoder, draft, surety_val_str(surety_val_get(called, "arguments")));
}

/* Reads a chunk, or a whole response. */
static void openai_event(surety__decoder *decoder, surety_str type,
                         surety_val root)
{
    const char *message = decoder->is.form == FORM_WHOLE ? "message" : "delta";
    const surety_val choices = surety_val_get(root, "choices");
    const surety_kind kind = surety_val_kind(choices);

    (void)type;
    surety__answer_names(decoder, root, "id", "model");
    if (kind != SURETY_KIND_ARRAY && kind != SURETY_KIND_NULL &&
        kind != SURETY_KIND_NONE)
        surety__answer_break(decoder, SURETY_FAILURE_PROTOCOL,
                             "\"choices\" is no array but %s",
                             surety_kind_name(kind));
    SURETY_EACH (choice, choices) {
        if (surety_val_int(surety_val_get(choice, "index"), 0) != 0)
            continue;
        /* OpenRouter puts an upstream error into the choice. */
        if (surety_val_kind(surety_val_get(choice, "error")) ==
            SURETY_KIND_OBJECT)
            surety__error_take(decoder, surety_val_get(choice, "error"));
        openai_message(decoder, surety_val_get(choice, message));
        surety__answer_finish(decoder, surety_val_get(choice, "finish_reason"));
    }
    surety__answer_usage(decoder, surety_val_get(root, "usage"));
}

static void openai_whole(surety__decoder *decoder, surety_val root)
{
    if (surety_val_kind(surety_val_get(root, "choices")) == SURETY_KIND_NONE)
        surety__answer_break(decoder, SURETY_FAILURE_PROTOCOL,
                             "the response has no \"choices\"");
    openai_event(decoder, (surety_str){NULL, 0}, root);
}

/* Some servers do not include reasoning in completion_tokens; their
 * total_tokens shows that. */
static const surety__tokens openai_tokens[] = {
    {"/prompt_tokens", TOKENS_INPUT},
    {"/completion_tokens", TOKENS_OUTPUT},
    {"/prompt_tokens_details/cached_tokens", TOKENS_CACHED},
    {"/completion_tokens_details/reasoning_tokens", TOKENS_REASONING},
    {"/total_tokens", TOKENS_TOTAL},
    {NULL, 0},
};

static const surety__ending openai_endings[] = {
    {"length", SURETY_FAILURE_LENGTH},
    {"model_length", SURETY_FAILURE_LENGTH},
    {"max_tokens", SURETY_FAILURE_LENGTH},
    {"content_filter", SURETY_FAILURE_FILTER},
    {"error", SURETY_FAILURE_SERVER},
    {NULL, SURETY_FAILURE_NONE},
};

static const char *const openai_replaceable[] = {
    "max_completion_tokens", "max_tokens",  "parallel_tool_calls",
    "stream_options",        "tool_choice", NULL,
};

const surety__protocol surety__protocol_openai = {
    .reason = REASON_ENDS,
    .path = "/chat/completions",
    .key_header = "authorization",
    .key_prefix = "Bearer ",
    .forms = openai_forms,
    .body = openai_body,
    .list = "messages",
    .messages = openai_messages,
    .replaceable = openai_replaceable,
    .whole = openai_whole,
    .event = openai_event,
    .members = true,
    .tokens = openai_tokens,
    .endings = openai_endings,
};
