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
enum {
    BLOCK_TEXT = 't',
    BLOCK_TOOL = 'u',
    BLOCK_THINKING = 'h',
    BLOCK_INPUT = 'i', /* a call of one of the provider's tools */
    BLOCK_OTHER = 'o'
};

/* max_tokens is required. Every available model accepts this value. */
enum { ANTHROPIC_TOKENS = 8192 };

static void anthropic_tool(const surety__tool_spec *spec, surety_buf *out)
{
    surety__template_write(out, "{'name':$s", spec->name);
    if (spec->description.len)
        surety_json_text(out, "description", spec->description);
    if (spec->strict)
        surety_json_bool(out, "strict", true);
    surety__template_write(out, ",'input_schema':$r}", spec->parameters);
}

static void anthropic_mode(const surety__call *call, surety_buf *out)
{
    static const char *const types[] = {"auto", "none", "any", "tool"};
    surety__choice choice;
    surety_str name;
    bool single;

    if (call->mode == SURETY_MODE_NATIVE && call->schema.len)
        surety__template_write(
            out,
            ",'output_config':{'format':{'type':'json_schema','schema':$r}}",
            call->schema);
    if (!surety__body_tools(call, out, ",'tools':[", anthropic_tool))
        return;
    surety_buf_byte(out, ']');
    choice = surety__call_choice(call, &name, &single);
    if (choice == CHOICE_FREE && !single)
        return;
    surety__template_write(out, ",'tool_choice':{'type':'$t'", types[choice]);
    if (choice == CHOICE_NAMED)
        surety_json_text(out, "name", name);
    if (single)
        surety_json_bool(out, "disable_parallel_tool_use", true);
    surety_buf_byte(out, '}');
}

/* ---- messages ------------------------------------------------------------ */

static const surety__part_form anthropic_forms[] = {
    {SURETY_PART_TEXT, SOURCE_NONE, NULL, "{'type':'text','text':$t$c}"},
    {SURETY_PART_IMAGE, SOURCE_DATA,
     "image/jpeg image/png image/gif image/webp",
     "{'type':'image','source':{'type':'base64','media_type':$m,'data':$b}$c}"},
    {SURETY_PART_IMAGE, SOURCE_URL, NULL,
     "{'type':'image','source':{'type':'url','url':$u}$c}"},
    {SURETY_PART_IMAGE, SOURCE_FILE_ID, NULL,
     "{'type':'image','source':{'type':'file','file_id':$f}$c}"},
    {SURETY_PART_DOCUMENT, SOURCE_DATA, "application/pdf",
     "{'type':'document','source':{'type':'base64','media_type':$m,'data':$b},"
     "'title':$N$c}"},
    {SURETY_PART_DOCUMENT, SOURCE_DATA, "text/",
     "{'type':'document','source':{'type':'text','media_type':'text/plain',"
     "'data':$x},'title':$N$c}"},
    {SURETY_PART_DOCUMENT, SOURCE_URL, NULL,
     "{'type':'document','source':{'type':'url','url':$u}$c}"},
    {SURETY_PART_DOCUMENT, SOURCE_FILE_ID, NULL,
     "{'type':'document','source':{'type':'file','file_id':$f}$c}"},
    {SURETY_PART_CALL, SOURCE_NONE, NULL,
     "{'type':'tool_use','id':$j,'name':$n,'input':$a$c}"},
    {SURETY_PART_RESULT, SOURCE_NONE, NULL,
     "{'type':'tool_result','tool_use_id':$j,'content':$o$e$c}"},
    {SURETY_PART_TEXT, SOURCE_NONE, NULL, NULL},
};

static void anthropic_system(surety__writer *writer)
{
    const surety__call *call = writer->call;
    const size_t leading = surety__system_count(call);
    const surety__message own = {.text = call->system,
                                 .part = call->system_part};

    if (!leading && !call->system.len)
        return;
    surety_json_name(writer->out, "system");
    if (!leading) {
        surety__body_text(writer->out, call->system, &call->system_part);
        return;
    }
    surety_buf_byte(writer->out, '[');
    surety__writer_others(writer, &own);
    surety__writer_turn(writer, 0, leading, true);
    surety_buf_byte(writer->out, ']');
}

/* Whether a turn has something for this entry: of the system, or of its side.
 */
static bool anthropic_has(const surety__call *call, size_t first, size_t end,
                          bool is_system)
{
    for (size_t i = first; i < end; i++)
        if ((call->messages[i].role == SURETY_ROLE_SYSTEM) == is_system &&
            surety__message_goes(call, &call->messages[i]))
            return true;
    return false;
}

/* Writes the messages of a turn that are the system's, or the others, as one
 * entry. */
static void anthropic_entry(surety__writer *writer, size_t first, size_t end,
                            const char *role)
{
    const surety__call *call = writer->call;
    const surety__message *message = &call->messages[first];
    const bool is_system = strcmp(role, "system") == 0;

    if (!anthropic_has(call, first, end, is_system))
        return;
    surety__writer_next(writer);
    surety__template_write(writer->out, "{'role':'$t','content':", role);
    if (end == first + 1 && !message->part_count) {
        surety__body_text(writer->out, message->text, &message->part);
    } else {
        surety_buf_byte(writer->out, '[');
        surety__writer_turn(writer, first, end, is_system);
        surety_buf_byte(writer->out, ']');
    }
    surety_buf_byte(writer->out, '}');
}

/* Messages of one side are one turn, in which results come first. What the
 * system says in a user's turn comes behind it, the one place where the API
 * takes it (Messages API, mid-conversation system messages). */
static void anthropic_messages(surety__writer *writer)
{
    const surety__call *call = writer->call;
    size_t end;

    for (size_t i = surety__system_count(call); i < call->message_count;
         i = end) {
        end = surety__turn_end(call, i);
        anthropic_entry(writer, i, end,
                        call->messages[i].role == SURETY_ROLE_ASSISTANT
                            ? "assistant"
                            : "user");
        anthropic_entry(writer, i, end, "system");
    }
}

static void anthropic_list(const surety__call *call, surety_buf *out)
{
    surety__writer writer =
        surety__writer_of(call, &surety__protocol_anthropic, out);

    anthropic_messages(&writer);
    surety__writer_done(&writer);
}

/* ---- the request --------------------------------------------------------- */

static void anthropic_body(const surety__call *call, surety_buf *out)
{
    surety__writer writer =
        surety__writer_of(call, &surety__protocol_anthropic, out);

    surety__template_write(
        out, "{'model':$s,'max_tokens':$n", call->model->model,
        call->model->output_tokens_max ? call->model->output_tokens_max
                                       : (uint64_t)ANTHROPIC_TOKENS);
    anthropic_system(&writer);
    surety__template_write(out, ",'messages':[");
    anthropic_messages(&writer);
    surety_buf_byte(out, ']');
    surety__writer_done(&writer);
    anthropic_mode(call, out);
    surety__body_temperature(call, out);
    surety_json_bool(out, "stream", !call->model->whole);
    surety_buf_byte(out, '}');
}

/* ---- whole responses ----------------------------------------------------- */

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

/* Whether a call was made by one of the provider's tools, which then must be
 * named when it goes back. */
static bool anthropic_has_caller(surety_val block)
{
    const surety_val caller = surety_val_get(block, "caller");

    return surety_val_kind(caller) == SURETY_KIND_OBJECT &&
           !surety_val_is(surety_val_get(caller, "type"), "direct");
}

/* Begins a call. */
static surety__draft *anthropic_call(surety__decoder *decoder, surety_val block)
{
    surety__draft *draft = surety__draft_add(decoder, SURETY_PART_CALL);

    if (draft)
        surety__draft_name(decoder, draft,
                           surety_val_str(surety_val_get(block, "id")),
                           surety_val_str(surety_val_get(block, "name")));
    return draft;
}

static void anthropic_block(surety__decoder *decoder, surety_val block)
{
    const surety_val type = surety_val_get(block, "type");
    const bool signs = surety_val_str(surety_val_get(block, "signature")).len;
    surety__draft *draft;

    if (decoder->is.broken)
        return;
    if (surety_val_is(type, "text")) {
        surety__answer_text(
            decoder, surety__answer_string(decoder, block, "text", "a text"));
    } else if (surety_val_is(type, "tool_use")) {
        draft = anthropic_call(decoder, block);
        surety__answer_object(decoder, draft, surety_val_get(block, "input"));
        if (anthropic_has_caller(block))
            surety__draft_item(decoder, draft, block);
    } else if (surety_val_is(type, "thinking")) {
        surety__answer_reasoning(
            decoder, surety_val_str(surety_val_get(block, "thinking")));
        if (signs)
            surety__draft_item(
                decoder, surety__draft_open(decoder, SURETY_PART_REASONING),
                block);
    } else {
        /* Others go back as they came: redacted thinking, the provider's
         * tools. */
        surety__draft_item(
            decoder, surety__draft_add(decoder, SURETY_PART_REASONING), block);
    }
    surety__draft_close(decoder);
    surety__answer_item(decoder, surety__draft_last(decoder));
}

static void anthropic_whole(surety__decoder *decoder, surety_val root)
{
    const surety_val content = surety_val_get(root, "content");

    if (surety_val_kind(content) != SURETY_KIND_ARRAY)
        surety__answer_break(decoder, SURETY_FAILURE_PROTOCOL,
                             "the response has no array \"content\"");
    surety__answer_names(decoder, root, "id", "model");
    SURETY_EACH (block, content)
        anthropic_block(decoder, block);
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

/* Begins the item of a block that goes back with what its deltas bring: the
 * members that are there, without those that deltas fill. */
static void anthropic_item(surety__draft *draft, surety_val block)
{
    if (!draft)
        return;
    surety_buf_byte(&draft->raw, '{');
    SURETY_EACH (member, block) {
        const surety_str key = surety_val_str(surety_val_key(member));

        if (surety_str_equal(key, SURETY__LITERAL("thinking")) ||
            surety_str_equal(key, SURETY__LITERAL("signature")) ||
            surety_str_equal(key, SURETY__LITERAL("input")))
            continue;
        surety__template_write(&draft->raw,
                               draft->raw.len > 1 ? ",$s:$r" : "$s:$r", key,
                               surety_val_text(member));
    }
}

static void anthropic_open(surety__decoder *decoder, surety_val root)
{
    const surety_val block = surety_val_get(root, "content_block");
    const surety_val type = surety_val_get(block, "type");
    const surety_val input = surety_val_get(block, "input");
    surety__draft *draft;

    decoder->is.block_index = anthropic_index(decoder, root);
    decoder->is.block_kind = BLOCK_OTHER;
    if (decoder->is.broken)
        return;
    if (surety_val_is(type, "text")) {
        decoder->is.block_kind = BLOCK_TEXT;
        surety__answer_text(
            decoder, surety__answer_string(decoder, block, "text", "a text"));
    } else if (surety_val_is(type, "tool_use") && surety_val_count(input)) {
        /* Some proxies send all arguments at once. */
        anthropic_block(decoder, block);
    } else if (surety_val_is(type, "tool_use")) {
        decoder->is.block_kind = BLOCK_TOOL;
        draft = anthropic_call(decoder, block);
        if (anthropic_has_caller(block))
            anthropic_item(draft, block);
    } else if (surety_val_is(type, "thinking")) {
        decoder->is.block_kind = BLOCK_THINKING;
        anthropic_item(surety__draft_add(decoder, SURETY_PART_REASONING),
                       block);
        surety__answer_reasoning(
            decoder, surety_val_str(surety_val_get(block, "thinking")));
        draft = surety__draft_last(decoder);
        if (draft)
            surety_buf_add(&draft->id,
                           surety_val_str(surety_val_get(block, "signature")));
    } else if (input.doc) {
        decoder->is.block_kind = BLOCK_INPUT;
        anthropic_item(surety__draft_add(decoder, SURETY_PART_REASONING),
                       block);
    } else {
        anthropic_block(decoder, block);
    }
}

/* Completes the item of the block that ends. A thought without a signature, and
 * arguments that are no JSON, do not go back. */
static void anthropic_close(surety__decoder *decoder)
{
    surety__draft *draft = surety__draft_last(decoder);
    const char kind = decoder->is.block_kind;

    decoder->is.block_kind = 0;
    if (!draft)
        return;
    draft->over = true;
    if (kind == BLOCK_THINKING && draft->id.len)
        surety__template_write(&draft->raw, ",'thinking':$s,'signature':$s}",
                               surety_buf_str(&draft->text),
                               surety_buf_str(&draft->id));
    else if (kind == BLOCK_THINKING)
        surety_buf_reset(&draft->raw);
    else if ((kind == BLOCK_TOOL || kind == BLOCK_INPUT) && draft->raw.len)
        surety__draft_input(decoder, draft);
    if (kind == BLOCK_THINKING || kind == BLOCK_INPUT)
        surety__answer_item(decoder, draft);
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
    else if (surety_val_is(type, "signature_delta") &&
             decoder->is.block_kind == BLOCK_THINKING)
        surety_buf_add(&surety__draft_last(decoder)->id,
                       surety_val_str(surety_val_get(delta, "signature")));
    else if (surety_val_is(type, "input_json_delta") &&
             (decoder->is.block_kind == BLOCK_TOOL ||
              decoder->is.block_kind == BLOCK_INPUT))
        surety__answer_arguments(decoder, surety__draft_last(decoder),
                                 surety__answer_string(decoder, delta,
                                                       "partial_json",
                                                       "partial_json"));
}

/* Ends the message. A block whose own end did not come has no whole item that
 * could go back. */
static void anthropic_end(surety__decoder *decoder)
{
    for (size_t i = 0; i < decoder->drafts.count; i++)
        if (!decoder->drafts.items[i].over)
            surety_buf_reset(&decoder->drafts.items[i].raw);
    decoder->is.done = true;
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
        anthropic_close(decoder);
    } else if (surety_str_equal(type, SURETY__LITERAL("message_delta"))) {
        anthropic_stop(decoder, surety_val_get(root, "delta"));
        surety__answer_usage(decoder, surety_val_get(root, "usage"));
    } else if (surety_str_equal(type, SURETY__LITERAL("message_stop"))) {
        anthropic_end(decoder);
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
    .forms = anthropic_forms,
    .unique_ids = true,
    .result_media = true,
    .body = anthropic_body,
    .list = "messages",
    .messages = anthropic_list,
    .replaceable = anthropic_replaceable,
    .whole = anthropic_whole,
    .event = anthropic_event,
    .tokens = anthropic_tokens,
    .endings = anthropic_endings,
};
