/* SPDX-License-Identifier: Apache-2.0 */
/* anthropic.c: Anthropic Messages.
 *
 * A reply is an array of content blocks: text, thinking, tool_use, and kinds
 * that are ignored. In a stream each block is opened, filled by deltas and
 * closed, one at a time, between message_start and message_stop (the end
 * mark). message_delta has the stop reason and the usage so far, which
 * replaces that of message_start. A delta for a block that is not open is an
 * error, and so is a second message_start. A tool's arguments are fragments of
 * JSON text in a stream, and a JSON value in a whole response. A tool without
 * fragments has the arguments of its opening event, usually {}.
 *
 * The provider counts tokens read from a cache and written to one separately
 * from input_tokens; here the input is the sum of all three. */
#include "provider/protocol.h"

/* The kind of the open block (decoder->is.block_kind). */
enum { BLOCK_TEXT = 't', BLOCK_TOOL = 'u', BLOCK_OTHER = 'o' };

/* max_tokens is required. Every available model accepts this value. */
enum { ANTHROPIC_TOKENS = 8192 };

static void anthropic_mode(const surety__call *call, surety_buf *out)
{
    if (call->mode == SURETY_MODE_NATIVE) {
        surety__template_write(
            out,
            ",'output_config':{'format':{'type':'json_schema','schema':$r}}",
            call->schema);
    } else if (call->mode == SURETY_MODE_TOOL) {
        surety__template_write(out, ",'tools':[{'name':$s", call->schema_name);
        if (call->schema_description.len)
            surety_json_text(out, "description", call->schema_description);
        if (call->strict)
            surety_json_bool(out, "strict", true);
        surety__template_write(
            out,
            ",'input_schema':$r}],'tool_choice':{'type':'tool','name':$s,"
            "'disable_parallel_tool_use':true}",
            call->schema, call->schema_name);
    }
}

static void anthropic_body(const surety__call *call, surety_buf *out)
{
    surety__template_write(
        out, "{'model':$s,'max_tokens':$n", call->model->model,
        call->model->output_tokens_max ? call->model->output_tokens_max
                                       : (uint64_t)ANTHROPIC_TOKENS);
    if (call->system.len) {
        surety_json_name(out, "system");
        surety__body_text(out, call->system, &call->system_part);
    }
    surety__template_write(out, ",'messages':[");
    surety__body_messages(call, out, "{\"type\":\"text\",\"text\":",
                          "{\"type\":\"text\",\"text\":");
    surety_buf_byte(out, ']');
    anthropic_mode(call, out);
    surety__body_temperature(call, out);
    surety_json_bool(out, "stream", !call->model->whole);
    surety_buf_byte(out, '}');
}

/* Takes the stop reason and, for a refusal, its explanation. */
static void anthropic_stop(surety__decoder *decoder, surety_val holder)
{
    const surety_val reason = surety_val_get(holder, "stop_reason");
    const surety_val details = surety_val_get(holder, "stop_details");
    surety_str reason_text =
        surety_val_str(surety_val_get(details, "explanation"));

    if (!reason_text.len)
        reason_text = surety_val_str(surety_val_get(details, "category"));
    if (surety_val_is(reason, "refusal"))
        surety__answer_refusal(decoder, reason_text);
    surety__answer_finish(decoder, reason);
}

static void anthropic_block(surety__decoder *decoder, surety_val block)
{
    const surety_val type = surety_val_get(block, "type");

    if (surety_val_is(type, "text"))
        surety__answer_text(
            decoder, surety__answer_string(decoder, block, "text", "a text"));
    else if (surety_val_is(type, "thinking"))
        surety__answer_reasoning(
            decoder, surety_val_str(surety_val_get(block, "thinking")));
}

static void anthropic_whole(surety__decoder *decoder, surety_val root)
{
    const surety_val content = surety_val_get(root, "content");

    if (surety_val_kind(content) != SURETY_KIND_ARRAY)
        surety__answer_break(decoder, SURETY_FAILURE_PROTOCOL,
                             "the response has no array \"content\"");
    surety__answer_names(decoder, root, "id", "model");
    SURETY_EACH (block, content) {
        if (surety_val_is(surety_val_get(block, "type"), "tool_use"))
            surety__answer_object(decoder, surety_val_get(block, "input"));
        else
            anthropic_block(decoder, block);
    }
    anthropic_stop(decoder, root);
    surety__answer_usage(decoder, surety_val_get(root, "usage"));
}

/* ---- events -------------------------------------------------------------- */

/* The index of a block; 0 if the event has none. */
static uint64_t anthropic_index(surety__decoder *decoder, surety_val root)
{
    const surety_val index = surety_val_get(root, "index");
    const uint64_t number = surety_val_uint(index, SURETY__BLOCKS_MAX);

    if (index.doc && number >= SURETY__BLOCKS_MAX)
        surety__answer_break(decoder, SURETY_FAILURE_PROTOCOL,
                             "the index %.*s of a content block is impossible",
                             (int)(surety_val_number(index).len < 40
                                       ? surety_val_number(index).len
                                       : 40),
                             surety_val_number(index).ptr);
    return index.doc ? number : 0;
}

static void anthropic_open(surety__decoder *decoder, surety_val root)
{
    const surety_val block = surety_val_get(root, "content_block");
    const surety_val input = surety_val_get(block, "input");

    decoder->is.block_index = anthropic_index(decoder, root);
    decoder->is.block_kind = BLOCK_OTHER;
    if (surety_val_is(surety_val_get(block, "type"), "text"))
        decoder->is.block_kind = BLOCK_TEXT;
    if (surety_val_is(surety_val_get(block, "type"), "tool_use") &&
        !decoder->is.has_native) {
        decoder->is.block_kind = BLOCK_TOOL;
        surety__answer_arguments(decoder, surety_val_get(root, "index"),
                                 surety_val_str(surety_val_get(block, "id")),
                                 (surety_str){NULL, 0});
        /* Some proxies send all arguments at once. */
        if (surety_val_count(input)) {
            surety__answer_object(decoder, input);
            decoder->is.block_kind = BLOCK_OTHER;
        }
    }
    anthropic_block(decoder, block);
}

static void anthropic_delta(surety__decoder *decoder, surety_val root)
{
    const surety_val delta = surety_val_get(root, "delta");
    const surety_val type = surety_val_get(delta, "type");
    const uint64_t index = anthropic_index(decoder, root);

    if (!decoder->is.block_kind || decoder->is.block_index != index) {
        surety__answer_break(decoder, SURETY_FAILURE_PROTOCOL,
                             "a delta is for a content block that is not open");
        return;
    }
    if (surety_val_is(type, "text_delta"))
        surety__answer_text(
            decoder, surety__answer_string(decoder, delta, "text", "a text"));
    else if (surety_val_is(type, "thinking_delta"))
        surety__answer_reasoning(
            decoder, surety_val_str(surety_val_get(delta, "thinking")));
    else if (surety_val_is(type, "input_json_delta") &&
             decoder->is.block_kind == BLOCK_TOOL)
        surety__answer_arguments(
            decoder, surety_val_get(root, "index"), (surety_str){NULL, 0},
            surety__answer_string(decoder, delta, "partial_json",
                                  "partial_json"));
}

static void anthropic_event(surety__decoder *decoder, surety_str type,
                            surety_val root)
{
    if (surety_str_equal(type, SURETY__LITERAL("message_start"))) {
        if (decoder->is.begun)
            surety__answer_break(decoder, SURETY_FAILURE_PROTOCOL,
                                 "the stream holds a second message_start");
        decoder->is.begun = true;
        surety__answer_names(decoder, surety_val_get(root, "message"), "id",
                             "model");
        surety__answer_usage(
            decoder, surety_val_get(surety_val_get(root, "message"), "usage"));
    } else if (surety_str_equal(type, SURETY__LITERAL("content_block_start"))) {
        anthropic_open(decoder, root);
    } else if (surety_str_equal(type, SURETY__LITERAL("content_block_delta"))) {
        anthropic_delta(decoder, root);
    } else if (surety_str_equal(type, SURETY__LITERAL("content_block_stop"))) {
        decoder->is.block_kind = 0;
    } else if (surety_str_equal(type, SURETY__LITERAL("message_delta"))) {
        anthropic_stop(decoder, surety_val_get(root, "delta"));
        surety__answer_usage(decoder, surety_val_get(root, "usage"));
    } else if (surety_str_equal(type, SURETY__LITERAL("message_stop"))) {
        decoder->is.done = true;
    }
}

static const surety__tokens anthropic_tokens[] = {
    {"/input_tokens", TOKENS_INPUT | TOKENS_KEPT},
    {"/cache_creation_input_tokens", TOKENS_INPUT | TOKENS_KEPT},
    {"/cache_read_input_tokens", TOKENS_INPUT | TOKENS_CACHED | TOKENS_KEPT},
    {"/output_tokens", TOKENS_OUTPUT | TOKENS_KEPT},
    {"/output_tokens_details/thinking_tokens", TOKENS_REASONING},
    {NULL, 0},
};

/* pause_turn asks the client to continue the turn. Only the provider's own
 * tools cause it; the text so far is not the reply. */
static const surety__ending anthropic_endings[] = {
    {"max_tokens", SURETY_FAILURE_LENGTH},
    {"model_context_window_exceeded", SURETY_FAILURE_LENGTH},
    {"refusal", SURETY_FAILURE_REFUSAL},
    {"pause_turn", SURETY_FAILURE_TRUNCATED},
    {NULL, SURETY_FAILURE_NONE},
};

static const char *const anthropic_replaceable[] = {"max_tokens", "tool_choice",
                                                    NULL};

const surety__protocol surety__protocol_anthropic = {
    .path = "/messages",
    .key_header = "x-api-key",
    .key_prefix = "",
    .version_header = "anthropic-version",
    .version = "2023-06-01",
    .body = anthropic_body,
    .replaceable = anthropic_replaceable,
    .whole = anthropic_whole,
    .event = anthropic_event,
    .tokens = anthropic_tokens,
    .endings = anthropic_endings,
};
