/* SPDX-License-Identifier: Apache-2.0 */
/* gemini.c: Gemini's generateContent and streamGenerateContent.
 *
 * Each event of a stream has the form of a whole response, with the next parts
 * of the first candidate. The finish reason is the only end mark. Every event
 * has the complete usage so far. Parts with "thought": true are reasoning. A
 * whole response may also be an array of such objects: a stream without
 * alt=sse has this form, and so have errors of some endpoints.
 *
 * A blocked prompt has a promptFeedback.blockReason and no candidate; that is
 * a filter, like SAFETY and similar reasons. An invalid tool call of the model
 * (MALFORMED_FUNCTION_CALL and others) is a reply without content. The
 * provider counts thoughts separately from the candidates' tokens. */
#include "provider/protocol.h"

/* Appends the path. A model name may contain its folder. */
static void gemini_path(const surety__call *call, surety_buf *out)
{
    static const char *const folders[] = {"models/", "tunedModels/"};
    surety_str model = call->model->model;
    const char *folder = folders[0];

    for (size_t i = 0; i < SURETY__COUNT(folders); i++) {
        const surety_str start = surety_str_of(folders[i]);

        if (surety__str_starts(model, start)) {
            folder = folders[i];
            surety__str_skip(&model, start.len);
            break;
        }
    }
    surety_buf_byte(out, '/');
    surety_buf_text(out, folder);
    surety__buf_percent(out, model, "");
    surety_buf_text(out, !call->model->whole ? ":streamGenerateContent?alt=sse"
                                             : ":generateContent");
}

/* Writes generationConfig, if it has a member. */
static void gemini_config(const surety__call *call, surety_buf *out)
{
    const bool native = call->mode == SURETY_MODE_NATIVE && call->schema.len;

    if (!native && !call->model->output_tokens_max &&
        !call->model->has_temperature)
        return;
    surety__template_write(out, ",'generationConfig':{");
    if (native)
        surety__template_write(out,
                               "'responseMimeType':'application/json',"
                               "'responseJsonSchema':$r",
                               call->schema);
    if (call->model->output_tokens_max)
        surety_json_number(out, "maxOutputTokens",
                           call->model->output_tokens_max);
    surety__body_temperature(call, out);
    surety_buf_byte(out, '}');
}

/* ---- tools --------------------------------------------------------------- */

static void gemini_tool(const surety__tool_spec *spec, surety_buf *out)
{
    surety__template_write(
        out, "{'name':$s,'description':$s,'parametersJsonSchema':$r}",
        spec->name, spec->description.len ? spec->description : spec->name,
        spec->parameters);
}

static void gemini_tools(const surety__call *call, surety_buf *out)
{
    static const char config[] = ",'toolConfig':{'functionCallingConfig':"
                                 "{'mode':'$t'";
    surety__call named = *call;
    surety_str name;
    bool single; /* is never wanted but with a name */

    if (!named.schema_description.len)
        named.schema_description = SURETY__LITERAL("Gives the answer.");
    if (!surety__body_tools(&named, out, ",'tools':[{'functionDeclarations':[",
                            gemini_tool))
        return;
    surety_buf_text(out, "]}]");
    switch (surety__call_choice(call, &name, &single)) {
    case CHOICE_FREE: break;
    case CHOICE_NONE:
        surety__template_write(out, config, "NONE");
        surety_buf_text(out, "}}");
        break;
    case CHOICE_SOME:
        surety__template_write(out, config, "ANY");
        surety_buf_text(out, "}}");
        break;
    case CHOICE_NAMED:
        surety__template_write(out, config, "ANY");
        surety__template_write(out, ",'allowedFunctionNames':[$s]}}", name);
        break;
    }
}

/* ---- messages ------------------------------------------------------------ */

static const surety__part_form gemini_forms[] = {
    {SURETY_PART_TEXT, SOURCE_NONE, NULL, "{'text':$t}"},
    {SURETY_PART_IMAGE, SOURCE_DATA, NULL,
     "{'inlineData':{'mimeType':$m,'data':$b}}"},
    {SURETY_PART_IMAGE, SOURCE_URL, NULL, "{'fileData':{$M'fileUri':$u}}"},
    {SURETY_PART_IMAGE, SOURCE_FILE_ID, NULL, "{'fileData':{$M'fileUri':$f}}"},
    {SURETY_PART_DOCUMENT, SOURCE_DATA, NULL,
     "{'inlineData':{'mimeType':$m,'data':$b}}"},
    {SURETY_PART_DOCUMENT, SOURCE_URL, NULL, "{'fileData':{$M'fileUri':$u}}"},
    {SURETY_PART_DOCUMENT, SOURCE_FILE_ID, NULL,
     "{'fileData':{$M'fileUri':$f}}"},
    {SURETY_PART_AUDIO, SOURCE_DATA, NULL,
     "{'inlineData':{'mimeType':$m,'data':$b}}"},
    {SURETY_PART_AUDIO, SOURCE_URL, NULL, "{'fileData':{$M'fileUri':$u}}"},
    {SURETY_PART_AUDIO, SOURCE_FILE_ID, NULL, "{'fileData':{$M'fileUri':$f}}"},
    {SURETY_PART_CALL, SOURCE_NONE, NULL,
     "{'functionCall':{$I'name':$n,'args':$a}$s}"},
    {SURETY_PART_RESULT, SOURCE_NONE, NULL,
     "{'functionResponse':{$I'name':$n,'response':{'$w':$t}$p}}"},
    {SURETY_PART_TEXT, SOURCE_NONE, NULL, NULL},
};

static void gemini_system(surety__writer *writer)
{
    const surety__call *call = writer->call;
    const surety__message own = {.text = call->system,
                                 .part = call->system_part};
    const size_t leading = surety__system_count(call);

    if (!leading && !call->system.len)
        return;
    surety__template_write(writer->out, "'systemInstruction':{'parts':[");
    surety__writer_others(writer, &own);
    surety__writer_turn(writer, 0, leading, true);
    surety_buf_text(writer->out, "]},");
}

/* Messages of one side are one turn, in which results come first. Gemini 3
 * refuses a turn of its own whose first call has no signature; for calls of
 * others its documentation names a value to send. */
static void gemini_messages(surety__writer *writer)
{
    const surety__call *call = writer->call;
    size_t end;

    for (size_t i = surety__system_count(call); i < call->message_count;
         i = end) {
        const surety__message *message = &call->messages[i];
        const bool own = message->role == SURETY_ROLE_ASSISTANT;

        end = i + 1;
        if (!surety__message_goes(call, message))
            continue;
        end = surety__turn_end(call, i);
        surety__writer_next(writer);
        surety__template_write(writer->out, "{'role':'$t','parts':[",
                               own ? "model" : "user");
        writer->unsigned_call = own && surety__model_joins_tools(call->model);
        surety__writer_turn(writer, i, end, false);
        if (writer->out->len && writer->out->ptr[writer->out->len - 1] == '[')
            surety__template_write(writer->out, "{'text':''}");
        surety_buf_text(writer->out, "]}");
    }
}

static void gemini_list(const surety__call *call, surety_buf *out)
{
    surety__writer writer =
        surety__writer_of(call, &surety__protocol_gemini, out);

    gemini_messages(&writer);
}

static void gemini_body(const surety__call *call, surety_buf *out)
{
    surety__writer writer =
        surety__writer_of(call, &surety__protocol_gemini, out);

    surety_buf_byte(out, '{');
    gemini_system(&writer);
    surety__template_write(out, "'contents':[");
    gemini_messages(&writer);
    surety_buf_byte(out, ']');
    gemini_tools(call, out);
    gemini_config(call, out);
    surety_buf_byte(out, '}');
}

/* ---- responses ----------------------------------------------------------- */

static void gemini_call(surety__decoder *decoder, surety_val call)
{
    surety__draft *draft = surety__draft_add(decoder, SURETY_PART_CALL);

    if (!draft)
        return;
    surety__draft_name(decoder, draft,
                       surety_val_str(surety_val_get(call, "id")),
                       surety_val_str(surety_val_get(call, "name")));
    surety__answer_object(decoder, draft, surety_val_get(call, "args"));
}

/* A part with a signature goes back as it is, and so does one that has neither
 * text nor call (a step of the provider's own tools). Texts without one go on
 * over the events. */
static void gemini_part(surety__decoder *decoder, surety_val part)
{
    const surety_val call = surety_val_get(part, "functionCall");
    const bool signs =
        surety_val_str(surety_val_get(part, "thoughtSignature")).len;
    const bool thought =
        surety_val_bool(surety_val_get(part, "thought"), false);
    const bool writes = surety_val_get(part, "text").doc;
    const surety_str text =
        surety__answer_string(decoder, part, "text", "a part's text");

    if (decoder->is.broken)
        return;
    if (signs)
        surety__draft_close(decoder);
    if (surety_val_kind(call) == SURETY_KIND_OBJECT)
        gemini_call(decoder, call);
    else if (thought)
        surety__answer_reasoning(decoder, text);
    else
        surety__answer_text(decoder, text);
    if (signs && !call.doc && !text.len)
        (void)surety__draft_add(decoder, thought || !writes
                                             ? SURETY_PART_REASONING
                                             : SURETY_PART_TEXT);
    else if (!writes && !call.doc && surety_val_count(part))
        (void)surety__draft_add(decoder, SURETY_PART_REASONING);
    else if (!signs)
        return;
    surety__draft_item(decoder, surety__draft_last(decoder), part);
    surety__draft_close(decoder);
}

static void gemini_parts(surety__decoder *decoder, surety_val parts)
{
    SURETY_EACH (part, parts)
        gemini_part(decoder, part);
}

static void gemini_event(surety__decoder *decoder, surety_str type,
                         surety_val root)
{
    const surety_val candidates = surety_val_get(root, "candidates");
    const surety_val feedback = surety_val_get(root, "promptFeedback");
    const surety_val blocked = surety_val_get(feedback, "blockReason");
    const surety_kind kind = surety_val_kind(candidates);

    (void)type;
    surety__answer_names(decoder, root, "responseId", "modelVersion");
    if (kind > SURETY_KIND_NULL && kind != SURETY_KIND_ARRAY)
        surety__answer_break(decoder, SURETY_FAILURE_PROTOCOL,
                             "\"candidates\" is no array but %s",
                             surety_kind_name(kind));
    SURETY_EACH (candidate, candidates) {
        if (surety_val_int(surety_val_get(candidate, "index"), 0) != 0)
            continue;
        gemini_parts(
            decoder,
            surety_val_get(surety_val_get(candidate, "content"), "parts"));
        surety__answer_finish(decoder,
                              surety_val_get(candidate, "finishReason"));
        if (decoder->is.failure == SURETY_FAILURE_FILTER)
            surety__answer_refusal(decoder, surety_val_str(surety_val_get(
                                                candidate, "finishMessage")));
    }
    if (surety_val_str(blocked).len) {
        surety__answer_finish(decoder, blocked);
        decoder->is.failure = SURETY_FAILURE_FILTER;
        surety__answer_refusal(decoder, surety_val_str(surety_val_get(
                                            feedback, "blockReasonMessage")));
    }
    surety__answer_usage(decoder, surety_val_get(root, "usageMetadata"));
}

static void gemini_whole(surety__decoder *decoder, surety_val root)
{
    const bool list = surety_val_kind(root) == SURETY_KIND_ARRAY;
    const surety_str none = {NULL, 0};

    if (!list && !surety_val_get(root, "candidates").doc &&
        !surety_val_get(root, "promptFeedback").doc &&
        !surety_val_get(root, "usageMetadata").doc)
        surety__answer_break(decoder, SURETY_FAILURE_PROTOCOL,
                             "the response has no \"candidates\"");
    if (!list)
        gemini_event(decoder, none, root);
    for (surety_val item = surety_val_first(root); list && item.doc;
         item = surety_val_next(root, item)) {
        if (surety__error_in(item).doc) {
            surety__error_take(decoder, surety__error_in(item));
            break;
        }
        gemini_event(decoder, none, item);
    }
}

static const surety__tokens gemini_tokens[] = {
    {"/promptTokenCount", TOKENS_INPUT},
    {"/toolUsePromptTokenCount", TOKENS_INPUT},
    {"/cachedContentTokenCount", TOKENS_CACHED},
    {"/candidatesTokenCount", TOKENS_OUTPUT},
    {"/thoughtsTokenCount", TOKENS_OUTPUT | TOKENS_REASONING},
    {NULL, 0},
};

static const surety__ending gemini_endings[] = {
    {"MAX_TOKENS", SURETY_FAILURE_LENGTH},
    {"SAFETY", SURETY_FAILURE_FILTER},
    {"RECITATION", SURETY_FAILURE_FILTER},
    {"LANGUAGE", SURETY_FAILURE_FILTER},
    {"BLOCKLIST", SURETY_FAILURE_FILTER},
    {"PROHIBITED_CONTENT", SURETY_FAILURE_FILTER},
    {"SPII", SURETY_FAILURE_FILTER},
    {"IMAGE_SAFETY", SURETY_FAILURE_FILTER},
    {"IMAGE_PROHIBITED_CONTENT", SURETY_FAILURE_FILTER},
    {"IMAGE_RECITATION", SURETY_FAILURE_FILTER},
    {NULL, SURETY_FAILURE_NONE},
};

static const char *const gemini_replaceable[] = {
    "generationConfig/maxOutputTokens", "toolConfig", NULL};

const surety__protocol surety__protocol_gemini = {
    .reason = REASON_MARKS,
    .put_path = gemini_path,
    .key_header = "x-goog-api-key",
    .key_prefix = "",
    .forms = gemini_forms,
    .system_first = true,
    .assistant_media = true,
    .result_media = true,
    .body = gemini_body,
    .list = "contents",
    .messages = gemini_list,
    .replaceable = gemini_replaceable,
    .whole = gemini_whole,
    .event = gemini_event,
    .bare_calls = true,
    .tokens = gemini_tokens,
    .endings = gemini_endings,
};
