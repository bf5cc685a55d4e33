/* SPDX-License-Identifier: Apache-2.0 */
/* responses.c: OpenAI Responses.
 *
 * A stream contains the reply twice: as deltas, and complete in its last event
 * (response.completed, .incomplete or .failed, which is the end mark). The
 * deltas are taken as they arrive. From the last event come status, usage and
 * error, and those parts of the output for which no delta came. Events have
 * their type in the data; the event's name is the same, and is used if a
 * server omits the type. The protocol has no [DONE]; one is ignored.
 *
 * A message whose phase is "commentary" is not part of the reply and is passed
 * on as reasoning. ("final_answer", or no phase, is the reply.)
 *
 * The provider stores nothing (store: false) unless the caller's extra members
 * change that. */
#include "provider/protocol.h"

/* The kind of the last item that began (decoder->is.block_kind). */
enum { BLOCK_COMMENTARY = 'c' };

static void responses_tool(const surety__tool_spec *spec, surety_buf *out)
{
    surety__template_write(out, "{'type':'function'");
    surety__body_schema(spec, out, "parameters");
    surety_buf_byte(out, '}');
}

static void responses_mode(const surety__call *call, surety_buf *out)
{
    const surety__tool_spec answer = surety__call_answer(call);
    surety_str name;
    bool single;

    if (call->mode == SURETY_MODE_NATIVE && call->schema.len) {
        surety__template_write(out, ",'text':{'format':{'type':'json_schema'");
        surety__body_schema(&answer, out, "schema");
        surety_buf_text(out, "}}");
    }
    if (!surety__body_tools(call, out, ",'tools':[", responses_tool))
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
            out, ",'tool_choice':{'type':'function','name':$s}", name);
        break;
    }
    if (single)
        surety_json_bool(out, "parallel_tool_calls", false);
}

/* ---- messages ------------------------------------------------------------ */

static void responses_said(surety__writer *writer, const surety_part *text)
{
    surety__writer_next(writer);
    surety__template_write(writer->out, "{'role':'assistant','content':");
    surety__writer_text(writer, text);
    surety_buf_byte(writer->out, '}');
}

/* The model's message is a list of items: texts, calls, and what the provider
 * gave. */
static void responses_assistant(surety__writer *writer,
                                const surety__message *message)
{
    const surety_part last = {.kind = SURETY_PART_TEXT, .text = message->text};

    for (size_t i = 0; i < message->part_count; i++) {
        const surety_part *part = &message->parts[i];

        if (!surety__part_goes(writer->call, part))
            continue;
        if (part->kind == SURETY_PART_TEXT &&
            !surety__part_has_own(writer->call, part))
            responses_said(writer, part);
        else
            surety__writer_part(writer, part, 1);
    }
    writer->kept = &message->part;
    if (message->text.len || !message->part_count)
        responses_said(writer, &last);
    writer->kept = NULL;
}

static void responses_messages(const surety__call *call, surety_buf *out)
{
    surety__writer writer =
        surety__writer_of(call, &surety__protocol_responses, out);

    for (size_t i = 0; i < call->message_count; i++) {
        const surety__message *message = &call->messages[i];

        if (message->role == SURETY_ROLE_ASSISTANT) {
            responses_assistant(&writer, message);
        } else if (message->role == SURETY_ROLE_TOOL) {
            surety__writer_results(&writer, message);
            surety__writer_beside(&writer, i, i + 1);
        } else {
            surety__writer_message(&writer, message);
        }
    }
}

static const surety__part_form responses_forms[] = {
    {SURETY_PART_TEXT, SOURCE_NONE, NULL, "{'type':'input_text','text':$t}"},
    {SURETY_PART_IMAGE, SOURCE_DATA, NULL,
     "{'type':'input_image','image_url':$d,'detail':'auto'}"},
    {SURETY_PART_IMAGE, SOURCE_URL, NULL,
     "{'type':'input_image','image_url':$u,'detail':'auto'}"},
    {SURETY_PART_IMAGE, SOURCE_FILE_ID, NULL,
     "{'type':'input_image','file_id':$f,'detail':'auto'}"},
    {SURETY_PART_DOCUMENT, SOURCE_DATA, NULL,
     "{'type':'input_file','filename':$N,'file_data':$d}"},
    {SURETY_PART_DOCUMENT, SOURCE_URL, NULL,
     "{'type':'input_file','file_url':$u}"},
    {SURETY_PART_DOCUMENT, SOURCE_FILE_ID, NULL,
     "{'type':'input_file','file_id':$f}"},
    {SURETY_PART_CALL, SOURCE_NONE, NULL,
     "{'type':'function_call','call_id':$i,'name':$n,'arguments':$q}"},
    {SURETY_PART_RESULT, SOURCE_NONE, NULL,
     "{'type':'function_call_output','call_id':$i,'output':$o}"},
    {SURETY_PART_TEXT, SOURCE_NONE, NULL, NULL},
};

/* ---- the request --------------------------------------------------------- */

static void responses_body(const surety__call *call, surety_buf *out)
{
    const bool stream = !call->model->whole;

    surety__template_write(out, "{'model':$s", call->model->model);
    if (call->system.len) {
        surety_json_name(out, "instructions");
        surety__body_text(out, call->system, &call->system_part);
    }
    surety__template_write(out, ",'input':[");
    responses_messages(call, out);
    surety_buf_byte(out, ']');
    responses_mode(call, out);
    if (call->model->output_tokens_max)
        surety_json_number(out, "max_output_tokens",
                           call->model->output_tokens_max);
    surety__body_temperature(call, out);
    surety__template_write(out, ",'store':false,'stream':$b", stream);
    if (stream && surety__call_host_ends(call, "api.openai.com"))
        surety__template_write(
            out, ",'stream_options':{'include_obfuscation':false}");
    surety_buf_byte(out, '}');
}

static bool responses_is_commentary(surety_val item)
{
    return surety_val_is(surety_val_get(item, "type"), "message") &&
           surety_val_is(surety_val_get(item, "phase"), "commentary");
}

/* Takes the parts of a message item: texts and refusals. */
static void responses_content(surety__decoder *decoder, surety_val content)
{
    SURETY_EACH (part, content) {
        const surety_val type = surety_val_get(part, "type");

        if (surety_val_is(type, "output_text"))
            surety__answer_text(
                decoder,
                surety__answer_string(decoder, part, "text", "an output text"));
        else if (surety_val_is(type, "refusal"))
            surety__answer_refusal(
                decoder,
                surety__answer_string(decoder, part, "refusal", "a refusal"));
    }
}

static void responses_reasoning(surety__decoder *decoder, surety_val parts)
{
    SURETY_EACH (part, parts)
        surety__answer_reasoning(decoder,
                                 surety_val_str(surety_val_get(part, "text")));
}

/* Takes the arguments of a call. */
static void responses_call(surety__decoder *decoder, surety_val item)
{
    surety__draft *draft = surety__draft_add(decoder, SURETY_PART_CALL);
    const surety_str arguments =
        surety__answer_string(decoder, item, "arguments", "arguments");

    if (!draft)
        return;
    surety__draft_name(decoder, draft,
                       surety_val_str(surety_val_get(item, "call_id")),
                       surety_val_str(surety_val_get(item, "name")));
    surety__answer_arguments(decoder, draft, arguments);
}

/* Whether an item must go back as it is. The message of a plain answer need
 * not, which saves a copy of its text. */
static bool responses_goes_back(const surety__decoder *decoder, surety_val item)
{
    return decoder->is.tools || surety_val_get(item, "phase").doc ||
           !surety_val_is(surety_val_get(item, "type"), "message") ||
           decoder->drafts.count > 1;
}

/* Ends a part with the complete form of its item. */
static void responses_keep(surety__decoder *decoder, surety__draft *draft,
                           surety_val item)
{
    if (responses_goes_back(decoder, item))
        surety__draft_item(decoder, draft, item);
    draft->over = true;
    surety__answer_item(decoder, draft);
}

/* Takes an item of which nothing came. */
static void responses_item(surety__decoder *decoder, surety_val item)
{
    const surety_val type = surety_val_get(item, "type");
    const size_t before = decoder->drafts.count;

    surety__draft_close(decoder);
    if (decoder->is.broken) {
        return;
    } else if (responses_is_commentary(item)) {
        responses_reasoning(decoder, surety_val_get(item, "content"));
    } else if (surety_val_is(type, "message")) {
        responses_content(decoder, surety_val_get(item, "content"));
    } else if (surety_val_is(type, "function_call")) {
        responses_call(decoder, item);
    } else if (decoder->is.raw && !surety_val_is(type, "reasoning")) {
        /* It may be a call of a tool that is not known here, which could not
         * go back without a result. */
        decoder->is.others = true;
    } else if (surety__draft_add(decoder, SURETY_PART_REASONING)) {
        responses_reasoning(decoder, surety_val_get(item, "summary"));
    }
    if (decoder->drafts.count > before)
        responses_keep(decoder, surety__draft_last(decoder), item);
}

/* Takes the complete form of an item of a stream. A message that came in no
 * delta is left to the last event. */
static void responses_done(surety__decoder *decoder, surety_val item)
{
    const surety_val type = surety_val_get(item, "type");
    const bool message = surety_val_is(type, "message");
    const bool called = surety_val_is(type, "function_call");
    const surety_part_kind kind = called ? SURETY_PART_CALL
                                  : message && !responses_is_commentary(item)
                                      ? SURETY_PART_TEXT
                                      : SURETY_PART_REASONING;
    surety__draft *draft = surety__draft_at(decoder, decoder->is.block_index);

    if (!draft)
        draft = surety__draft_last(decoder);
    if (draft && !draft->over && draft->kind == kind) {
        if (called && !draft->text.len)
            surety__answer_arguments(
                decoder, draft,
                surety_val_str(surety_val_get(item, "arguments")));
        responses_keep(decoder, draft, item);
    } else if (!message) {
        responses_item(decoder, item);
    }
}

/* Takes the output of a whole response, except what came in the stream. */
static void responses_output(surety__decoder *decoder, surety_val output)
{
    const bool wrote = decoder->text.len || decoder->refusal.len;
    const bool called = surety__draft_call(decoder) != NULL;
    const bool begun = decoder->is.begun;

    SURETY_EACH (item, output) {
        const surety_val type = surety_val_get(item, "type");
        const bool came = responses_is_commentary(item)          ? begun
                          : surety_val_is(type, "message")       ? wrote
                          : surety_val_is(type, "function_call") ? called
                                                                 : begun;

        if (!came)
            responses_item(decoder, item);
    }
}

/* Takes the end of the response: status, usage, error. */
static void responses_end(surety__decoder *decoder, surety_val response)
{
    const surety_val status = surety_val_get(response, "status");
    const surety_val error = surety_val_get(response, "error");
    const surety_val reason = surety_val_get(
        surety_val_get(response, "incomplete_details"), "reason");

    surety__answer_usage(decoder, surety_val_get(response, "usage"));
    if (surety_val_is(status, "failed") ||
        surety_val_kind(error) == SURETY_KIND_OBJECT) {
        surety__error_take(decoder, error);
        return;
    }
    if (!decoder->is.raw && (surety_val_is(status, "queued") ||
                             surety_val_is(status, "in_progress")))
        surety__answer_break(decoder, SURETY_FAILURE_PROTOCOL,
                             "the response is not complete (status %s): "
                             "background responses are not supported",
                             surety_val_is(status, "queued") ? "queued"
                                                             : "in_progress");
    surety__answer_finish(decoder, status);
    surety__answer_finish(decoder, reason); /* is more specific */
}

static void responses_whole(surety__decoder *decoder, surety_val root)
{
    if (surety_val_kind(surety_val_get(root, "output")) != SURETY_KIND_ARRAY &&
        !surety_val_is(surety_val_get(root, "status"), "failed"))
        surety__answer_break(decoder, SURETY_FAILURE_PROTOCOL,
                             "the response has no array \"output\"");
    surety__answer_names(decoder, root, "id", "model");
    responses_output(decoder, surety_val_get(root, "output"));
    responses_end(decoder, root);
}

static void responses_last(surety__decoder *decoder, surety_val root)
{
    const surety_val response = surety_val_get(root, "response");

    surety__answer_names(decoder, response, "id", "model");
    responses_output(decoder, surety_val_get(response, "output"));
    responses_end(decoder, response);
    decoder->is.done = true;
}

/* Notes which item an event is about. */
static void responses_at(surety__decoder *decoder, surety_val root)
{
    const uint64_t index = surety_val_uint(surety_val_get(root, "output_index"),
                                           decoder->is.block_index);

    if (index != decoder->is.block_index)
        decoder->is.block_kind = 0;
    decoder->is.block_index = index;
}

/* Takes the beginning of an item: only it has the phase and a call's name. */
static void responses_begin_item(surety__decoder *decoder, surety_val root)
{
    const surety_val item = surety_val_get(root, "item");
    surety__draft *draft;

    decoder->is.begun = true;
    surety__draft_close(decoder);
    decoder->is.block_kind =
        responses_is_commentary(item) ? BLOCK_COMMENTARY : 0;
    if (!surety_val_is(surety_val_get(item, "type"), "function_call"))
        return;
    draft = surety__draft_add(decoder, SURETY_PART_CALL);
    if (draft)
        surety__draft_name(decoder, draft,
                           surety_val_str(surety_val_get(item, "call_id")),
                           surety_val_str(surety_val_get(item, "name")));
}

static void responses_text(surety__decoder *decoder, surety_val root)
{
    const surety_str text =
        surety__answer_string(decoder, root, "delta", "delta");

    if (decoder->is.block_kind == BLOCK_COMMENTARY)
        surety__answer_reasoning(decoder, text);
    else
        surety__answer_text(decoder, text);
}

/* Takes a piece of the arguments of a call; some servers do not say that an
 * item begins. */
static void responses_arguments(surety__decoder *decoder, surety_val root)
{
    const surety_str none = {NULL, 0};
    surety__draft *draft = surety__draft_at(decoder, decoder->is.block_index);

    (void)surety__answer_index(decoder, surety_val_get(root, "output_index"),
                               0);
    if (!draft || draft->over || draft->kind != SURETY_PART_CALL) {
        draft = surety__draft_add(decoder, SURETY_PART_CALL);
        if (!draft)
            return;
        surety__draft_name(decoder, draft, none, none);
    }
    surety__answer_arguments(
        decoder, draft, surety__answer_string(decoder, root, "delta", "delta"));
}

static void responses_event(surety__decoder *decoder, surety_str type,
                            surety_val root)
{
    const surety_val delta = surety_val_get(root, "delta");

    if (!surety__str_starts(type, SURETY__LITERAL("response.")))
        return;
    decoder->is.begun = decoder->is.begun || delta.doc;
    responses_at(decoder, root);
    if (surety_str_equal(type, SURETY__LITERAL("response.output_text.delta")))
        responses_text(decoder, root);
    else if (surety_str_equal(type,
                              SURETY__LITERAL("response.output_item.added")))
        responses_begin_item(decoder, root);
    else if (surety_str_equal(type, SURETY__LITERAL("response.refusal.delta")))
        surety__answer_refusal(
            decoder, surety__answer_string(decoder, root, "delta", "delta"));
    else if (surety_str_equal(
                 type, SURETY__LITERAL("response.function_call_arguments."
                                       "delta")))
        responses_arguments(decoder, root);
    else if (surety_str_equal(type,
                              SURETY__LITERAL("response.output_item.done")))
        responses_done(decoder, surety_val_get(root, "item"));
    else if (surety_str_equal(
                 type, SURETY__LITERAL("response.reasoning_text.delta")) ||
             surety_str_equal(type,
                              SURETY__LITERAL("response.reasoning_summary_text."
                                              "delta")))
        surety__answer_reasoning(decoder, surety_val_str(delta));
    else if (surety_str_equal(type, SURETY__LITERAL("response.created")))
        surety__answer_names(decoder, surety_val_get(root, "response"), "id",
                             "model");
    else if (surety_str_equal(type, SURETY__LITERAL("response.completed")) ||
             surety_str_equal(type, SURETY__LITERAL("response.incomplete")) ||
             surety_str_equal(type, SURETY__LITERAL("response.failed")))
        responses_last(decoder, root);
}

static const surety__tokens responses_tokens[] = {
    {"/input_tokens", TOKENS_INPUT},
    {"/output_tokens", TOKENS_OUTPUT},
    {"/input_tokens_details/cached_tokens", TOKENS_CACHED},
    {"/output_tokens_details/reasoning_tokens", TOKENS_REASONING},
    {NULL, 0},
};

static const surety__ending responses_endings[] = {
    {"max_output_tokens", SURETY_FAILURE_LENGTH},
    {"content_filter", SURETY_FAILURE_FILTER},
    {"incomplete", SURETY_FAILURE_TRUNCATED},
    {"cancelled", SURETY_FAILURE_SERVER},
    {NULL, SURETY_FAILURE_NONE},
};

static const char *const responses_replaceable[] = {
    "max_output_tokens", "parallel_tool_calls", "store",
    "stream_options",    "tool_choice",         NULL,
};

const surety__protocol surety__protocol_responses = {
    .path = "/responses",
    .key_header = "authorization",
    .key_prefix = "Bearer ",
    .forms = responses_forms,
    .result_media = true,
    .body = responses_body,
    .list = "input",
    .messages = responses_messages,
    .replaceable = responses_replaceable,
    .whole = responses_whole,
    .event = responses_event,
    .tokens = responses_tokens,
    .endings = responses_endings,
};
