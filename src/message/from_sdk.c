/* SPDX-License-Identifier: Apache-2.0 */
/* from_sdk.c: messages of the AI SDK (ModelMessage). What a provider wants back
 * is in providerOptions there; from it the provider's own item is made again.
 */
#include "message/import.h"
#include "template/template.h"

/* ---- provider's items ---------------------------------------------------- */

static void from_sdk_raw(surety__import *import, surety_part *part,
                         surety_protocol protocol, surety_buf *raw)
{
    part->raw = surety__import_take(import, raw);
    part->raw_protocol = protocol;
}

/* Reasoning: a block of Anthropic, or an item of Responses. */
static void from_sdk_reasoning_raw(surety__import *import, surety_part *part,
                                   surety_val options)
{
    const surety_val anthropic = surety_val_get(options, "anthropic");
    const surety_val openai = surety_val_get(options, "openai");
    const surety_val signature = surety_val_get(anthropic, "signature");
    const surety_val redacted = surety_val_get(anthropic, "redactedData");
    const surety_val id = surety_val_get(openai, "itemId");
    surety_protocol protocol = SURETY_PROTOCOL_ANTHROPIC;
    surety_buf raw;

    surety_buf_init(&raw, import->conversation->alloc, 0);
    if (signature.doc) {
        surety__template_write(
            &raw, "{'type':'thinking','thinking':$s,'signature':$v}",
            part->text, signature);
    } else if (redacted.doc) {
        surety__template_write(&raw, "{'type':'redacted_thinking','data':$v}",
                               redacted);
    } else if (id.doc) {
        protocol = SURETY_PROTOCOL_RESPONSES;
        surety__template_write(
            &raw,
            part->text.len > 0
                ? "{'type':'reasoning','id':$v,'encrypted_content':$v,"
                  "'summary':[{'type':'summary_text','text':$s}]}"
                : "{'type':'reasoning','id':$v,'encrypted_content':$v,"
                  "'summary':[]}",
            id, surety_val_get(openai, "reasoningEncryptedContent"),
            part->text);
    }
    if (raw.len > 0)
        from_sdk_raw(import, part, protocol, &raw);
    surety_buf_done(&raw);
}

/* A signature beside a call or a text: a part of Gemini. */
static void from_sdk_signature_raw(surety__import *import, surety_part *part,
                                   surety_val options)
{
    const surety_val signature =
        surety_val_get(surety_val_get(options, "google"), "thoughtSignature");
    surety_buf raw;

    if (!signature.doc)
        return;
    surety_buf_init(&raw, import->conversation->alloc, 0);
    if (part->kind == SURETY_PART_CALL)
        surety__template_write(
            &raw,
            "{'functionCall':{'name':$s,'args':$r},'thoughtSignature':$v}",
            part->name, part->text, signature);
    else
        surety__template_write(
            &raw,
            part->kind == SURETY_PART_TEXT
                ? "{'text':$s,'thoughtSignature':$v}"
                : "{'text':$s,'thought':true,'thoughtSignature':$v}",
            part->text, signature);
    from_sdk_raw(import, part, SURETY_PROTOCOL_GEMINI, &raw);
}

/* Takes what it can of an item's providerOptions, and notes the others. */
static void from_sdk_options(surety__import *import, surety_part *part,
                             surety_val item)
{
    const surety_val options = surety_val_get(item, "providerOptions");
    const surety_val anthropic = surety_val_get(options, "anthropic");
    const size_t marks = surety_val_get(anthropic, "cacheControl").doc != NULL;

    part->cache = marks > 0;
    if (part->kind == SURETY_PART_REASONING)
        from_sdk_reasoning_raw(import, part, options);
    if (part->raw.len == 0)
        from_sdk_signature_raw(import, part, options);
    if (part->raw.len == 0 && (surety_val_count(options) > marks ||
                               surety_val_count(anthropic) > marks))
        surety__import_note(import, options, "left-out",
                            SURETY__LITERAL("left out: providerOptions"));
}

/* ---- media --------------------------------------------------------------- */

/* Takes a source: a string of base64 or a URL, or an object that says which. */
static void from_sdk_source(surety__import *import, surety_val val,
                            surety_part *part)
{
    const surety_val type = surety_val_get(val, "type");
    const surety_str mark = SURETY__LITERAL(":");
    surety_str text;

    if (surety_val_is(type, "text")) {
        surety__import_str(import, val, "text", &part->data);
        return;
    }
    if (surety_val_is(type, "data"))
        val = surety_val_get(val, "data");
    else if (surety_val_is(type, "url"))
        val = surety_val_get(val, "url");
    text = surety_val_str(val);
    if (surety_val_kind(val) != SURETY_KIND_STRING) {
        surety__import_fail(import, val,
                            "bytes of a file are a string of base64 here");
        surety__import_hint(import, "write them with toString('base64') before "
                                    "the messages become JSON");
        return;
    }
    if (surety__str_find(text, mark) < text.len)
        surety__import_url(import, val, part);
    else
        surety__import_data(import, val, part);
}

static void from_sdk_file(surety__import *import, surety_val item)
{
    const bool is_image = surety_val_get(item, "image").doc != NULL;
    surety_part *part = surety__import_part(
        import, is_image ? SURETY_PART_IMAGE : SURETY_PART_DOCUMENT);
    surety_part guessed;

    if (!surety__import_maybe(import, item, "mediaType", &part->media_type))
        return;
    from_sdk_source(import, surety_val_get(item, is_image ? "image" : "data"),
                    part);
    if (part->data.len > 0 && part->media_type.len == 0 &&
        surety_part_of_file(part->data, part->name, &guessed, NULL) ==
            SURETY_OK)
        part->media_type = guessed.media_type;
    if (part->media_type.len > 0 && !is_image)
        part->kind = surety__media_kind(part->media_type);
    if (part->kind == SURETY_PART_DOCUMENT)
        surety__import_maybe(import, item, "filename", &part->name);
    from_sdk_options(import, part, item);
}

/* ---- parts --------------------------------------------------------------- */

static void from_sdk_text(surety__import *import, surety_val item)
{
    surety_part *part = surety__import_part(
        import, surety_val_is(surety_val_get(item, "type"), "text")
                    ? SURETY_PART_TEXT
                    : SURETY_PART_REASONING);

    if (surety__import_str(import, item, "text", &part->text))
        from_sdk_options(import, part, item);
}

static void from_sdk_call(surety__import *import, surety_val item)
{
    const surety_val input = surety_val_get(item, "input");
    surety_part *part = surety__import_part(import, SURETY_PART_CALL);

    if (!surety__import_str(import, item, "toolCallId", &part->id) ||
        !surety__import_str(import, item, "toolName", &part->name))
        return;
    if (surety_val_kind(input) != SURETY_KIND_OBJECT) {
        surety__import_fail(import, item, "\"input\" must be an object");
        return;
    }
    part->text = surety_val_text(input);
    from_sdk_options(import, part, item);
    surety__import_call_add(import, part, item);
}

/* An output: a text, a value as JSON, parts, or that the call was denied. */
static void from_sdk_output(surety__import *import, surety_val output,
                            size_t at)
{
    const surety_str type = surety_val_str(surety_val_get(output, "type"));
    const surety_val value = surety_val_get(output, "value");
    surety_part *part = &import->parts[at];

    part->error = surety__str_starts(type, SURETY__LITERAL("error-"));
    if (surety__str_ends(type, SURETY__LITERAL("text"))) {
        part->text = surety_val_str(value);
    } else if (surety__str_ends(type, SURETY__LITERAL("json"))) {
        part->text = surety_val_text(value);
    } else if (surety_str_equal(type, SURETY__LITERAL("execution-denied"))) {
        part->error = true;
        part->text = surety_val_str(surety_val_get(output, "reason"));
        if (part->text.len == 0)
            part->text = SURETY__LITERAL("the user denied this call");
    } else if (surety_str_equal(type, SURETY__LITERAL("content"))) {
        SURETY_EACH (piece, value)
            if (surety_val_is(surety_val_get(piece, "type"), "text"))
                from_sdk_text(import, piece);
            else
                from_sdk_file(import, piece);
        surety__import_fold(import, at);
    } else {
        surety__import_refuse(import, output, "output",
                              surety_val_get(output, "type"));
    }
}

static void from_sdk_result(surety__import *import, surety_val item)
{
    const size_t at = import->part_count;
    surety_part *part = surety__import_part(import, SURETY_PART_RESULT);

    if (!surety__import_str(import, item, "toolCallId", &part->id) ||
        !surety__import_str(import, item, "toolName", &part->name))
        return;
    from_sdk_options(import, part, item);
    from_sdk_output(import, surety_val_get(item, "output"), at);
}

static const struct from_sdk_kind {
    const char *type;
    void (*read)(surety__import *import, surety_val item);
} from_sdk_kinds[] = {
    {"text", from_sdk_text},      {"reasoning", from_sdk_text},
    {"image", from_sdk_file},     {"file", from_sdk_file},
    {"tool-call", from_sdk_call}, {"tool-result", from_sdk_result},
};

static void from_sdk_part(surety__import *import, surety_val item)
{
    const surety_val type = surety_val_get(item, "type");

    for (size_t i = 0; i < SURETY__COUNT(from_sdk_kinds); i++)
        if (surety_val_is(type, from_sdk_kinds[i].type)) {
            from_sdk_kinds[i].read(import, item);
            return;
        }
    surety__import_refuse(import, item, "part", type);
}

void surety__read_sdk(surety__import *import, surety_val item)
{
    const surety_val content = surety_val_get(item, "content");
    surety_role role;

    if (!surety__import_role(surety_val_get(item, "role"), &role)) {
        surety__import_fail(import, item,
                            "a role is system, user, assistant or tool");
        return;
    }
    surety__import_message(import, role, item);
    surety__import_text(import, content);
    if (surety_val_kind(content) == SURETY_KIND_ARRAY)
        SURETY_EACH (part, content)
            from_sdk_part(import, part);
    if (surety_val_get(item, "providerOptions").doc && import->part_count > 0 &&
        import->status == SURETY_OK) {
        surety_part *last = &import->parts[import->part_count - 1];
        const bool cache = last->cache;

        from_sdk_options(import, last, item);
        last->cache |= cache;
    }
}
