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
    const bool native = call->mode == SURETY_MODE_NATIVE;

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

static void gemini_body(const surety__call *call, surety_buf *out)
{
    surety_buf_byte(out, '{');
    if (call->system.len) {
        surety__template_write(out, "'systemInstruction':{'parts':[{'text':");
        surety__body_text(out, call->system, &call->system_part);
        surety_buf_text(out, "}]},");
    }
    surety__template_write(out, "'contents':[");
    for (size_t i = 0; i < call->message_count; i++) {
        const surety__message *message = &call->messages[i];

        surety__template_write(out, "$t{'role':'$t','parts':[", i ? "," : "",
                               message->role == SURETY_ROLE_ASSISTANT ? "model"
                                                                      : "user");
        surety__body_parts(out, message, "{\"text\":");
        surety_buf_text(out, "]}");
    }
    surety_buf_byte(out, ']');
    if (call->mode == SURETY_MODE_TOOL)
        surety__template_write(
            out,
            ",'tools':[{'functionDeclarations':[{'name':$s,'description':$s,"
            "'parametersJsonSchema':$r}]}],'toolConfig':"
            "{'functionCallingConfig':{'mode':'ANY',"
            "'allowedFunctionNames':[$s]}}",
            call->schema_name,
            call->schema_description.len ? call->schema_description
                                         : SURETY__LITERAL("Gives the answer."),
            call->schema, call->schema_name);
    gemini_config(call, out);
    surety_buf_byte(out, '}');
}

static void gemini_parts(surety__decoder *decoder, surety_val parts)
{
    SURETY_EACH (part, parts) {
        const surety_val call = surety_val_get(part, "functionCall");
        const surety_str text =
            surety__answer_string(decoder, part, "text", "a part's text");

        if (surety_val_kind(call) == SURETY_KIND_OBJECT)
            surety__answer_object(decoder, surety_val_get(call, "args"));
        else if (surety_val_bool(surety_val_get(part, "thought"), false))
            surety__answer_reasoning(decoder, text);
        else
            surety__answer_text(decoder, text);
    }
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
    .body = gemini_body,
    .replaceable = gemini_replaceable,
    .whole = gemini_whole,
    .event = gemini_event,
    .tokens = gemini_tokens,
    .endings = gemini_endings,
};
