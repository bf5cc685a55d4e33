/* SPDX-License-Identifier: Apache-2.0 */
/* from_responses.c: items of OpenAI Responses. What the assistant does is a
 * list of items there; those that follow each other are one message of ours. An
 * item that the provider made (with an id, a phase, encrypted reasoning) goes
 * back as it is. */
#include "message/import.h"

/* ---- parts of a content -------------------------------------------------- */

static void from_responses_text(surety__import *import, surety_val item)
{
    surety__import_str(import, item, "text",
                       &surety__import_part(import, SURETY_PART_TEXT)->text);
}

static void from_responses_image(surety__import *import, surety_val item)
{
    const surety_val url = surety_val_get(item, "image_url");
    surety_part *part = surety__import_part(import, SURETY_PART_IMAGE);

    if (surety_val_str(url).len > 0)
        surety__import_url(import, url, part);
    surety__import_maybe(import, item, "file_id", &part->file_id);
    if (!surety_val_is(surety_val_get(item, "detail"), "auto"))
        surety__import_keep(import, part, item, SURETY_PROTOCOL_RESPONSES,
                            "type image_url file_id");
}

static void from_responses_file(surety__import *import, surety_val item)
{
    surety_part *part = surety__import_part(import, SURETY_PART_DOCUMENT);
    const surety_val data = surety_val_get(item, "file_data");

    if (surety_val_str(data).len > 0)
        surety__import_data_url(import, data, part);
    surety__import_maybe(import, item, "file_url", &part->url);
    surety__import_maybe(import, item, "file_id", &part->file_id);
    surety__import_maybe(import, item, "filename", &part->name);
    surety__import_keep(import, part, item, SURETY_PROTOCOL_RESPONSES,
                        "type file_data file_url file_id filename");
}

static const struct from_responses_kind {
    const char *type;
    void (*read)(surety__import *import, surety_val item);
} from_responses_parts[] = {
    {"input_text", from_responses_text}, {"output_text", from_responses_text},
    {"text", from_responses_text},       {"input_image", from_responses_image},
    {"input_file", from_responses_file},
};

static void from_responses_part(surety__import *import, surety_val item)
{
    const surety_val type = surety_val_get(item, "type");

    for (size_t i = 0; i < SURETY__COUNT(from_responses_parts); i++)
        if (surety_val_is(type, from_responses_parts[i].type)) {
            from_responses_parts[i].read(import, item);
            return;
        }
    surety__import_refuse(import, item, "part", type);
}

/* ---- items --------------------------------------------------------------- */

/* The assistant's message: one part, because the item is one. */
static void from_responses_assistant(surety__import *import, surety_val item)
{
    const surety_val content = surety_val_get(item, "content");
    surety_part *part = surety__import_part(import, SURETY_PART_TEXT);
    surety_buf text;

    surety_buf_init(&text, import->conversation->alloc, 0);
    surety_buf_add(&text, surety_val_str(content));
    if (surety_val_kind(content) == SURETY_KIND_ARRAY)
        SURETY_EACH (piece, content) {
            const surety_val type = surety_val_get(piece, "type");
            const bool refuses = surety_val_is(type, "refusal");
            surety_str words = {NULL, 0};

            if (!refuses && !surety_val_is(type, "output_text"))
                surety__import_refuse(import, piece, "part", type);
            surety__import_str(import, piece, refuses ? "refusal" : "text",
                               &words);
            surety_buf_add(&text, words);
        }
    if (text.len > 0 || text.status != SURETY_OK)
        part->text = surety__import_take(import, &text);
    surety_buf_done(&text);
    surety__import_keep(import, part, item, SURETY_PROTOCOL_RESPONSES,
                        "type role content");
}

static void from_responses_message(surety__import *import, surety_val item)
{
    const surety_val content = surety_val_get(item, "content");
    const surety_val name = surety_val_get(item, "role");
    surety_role role;

    if (surety_val_is(name, "developer")) {
        role = SURETY_ROLE_SYSTEM;
    } else if (!surety__import_role(name, &role) || role == SURETY_ROLE_TOOL) {
        surety__import_fail(import, item,
                            "a role is system, developer, user or assistant");
        return;
    }
    if (!surety__import_is_content(import, content))
        return;
    if (role == SURETY_ROLE_ASSISTANT) {
        surety__import_join(import, role, item);
        from_responses_assistant(import, item);
        return;
    }
    surety__import_message(import, role, item);
    surety__import_leave(import, item, "type role content id status");
    surety__import_text(import, content);
    if (surety_val_kind(content) == SURETY_KIND_ARRAY)
        SURETY_EACH (part, content)
            from_responses_part(import, part);
}

static void from_responses_call(surety__import *import, surety_val item)
{
    surety_part *part;
    bool is_valid;

    surety__import_join(import, SURETY_ROLE_ASSISTANT, item);
    part = surety__import_part(import, SURETY_PART_CALL);
    if (!surety__import_str(import, item, "call_id", &part->id) ||
        !surety__import_maybe(import, item, "name", &part->name))
        return;
    surety__import_arguments(import, surety_val_get(item, "arguments"), part,
                             &is_valid);
    surety__import_keep(import, part, item, SURETY_PROTOCOL_RESPONSES,
                        is_valid ? "type call_id name arguments" : "");
    surety__import_call_add(import, part, item);
}

static void from_responses_result(surety__import *import, surety_val item)
{
    const surety_val output = surety_val_get(item, "output");
    surety_part *part;
    size_t at;

    surety__import_message(import, SURETY_ROLE_TOOL, item);
    at = import->part_count;
    part = surety__import_part(import, SURETY_PART_RESULT);
    if (!surety__import_str(import, item, "call_id", &part->id) ||
        !surety__import_is_content(import, output))
        return;
    part->text = surety_val_str(output);
    surety__import_result(import, part);
    if (surety_val_kind(output) != SURETY_KIND_ARRAY)
        return;
    SURETY_EACH (piece, output)
        from_responses_part(import, piece);
    surety__import_fold(import, at);
}

/* Reasoning goes back as it is; its summary is what can be read. */
static void from_responses_reasoning(surety__import *import, surety_val item)
{
    surety_part *part;
    surety_buf text;

    surety__import_join(import, SURETY_ROLE_ASSISTANT, item);
    part = surety__import_part(import, SURETY_PART_REASONING);
    surety_buf_init(&text, import->conversation->alloc, 0);
    SURETY_EACH (piece, surety_val_get(item, "summary")) {
        if (text.len > 0)
            surety_buf_text(&text, "\n\n");
        surety_buf_add(&text, surety_val_str(surety_val_get(piece, "text")));
    }
    if (text.len > 0 || text.status != SURETY_OK)
        part->text = surety__import_take(import, &text);
    surety_buf_done(&text);
    surety__import_raw(part, item, SURETY_PROTOCOL_RESPONSES);
}

static const struct from_responses_kind from_responses_items[] = {
    {"message", from_responses_message},
    {"function_call", from_responses_call},
    {"function_call_output", from_responses_result},
    {"reasoning", from_responses_reasoning},
};

void surety__read_responses(surety__import *import, surety_val item)
{
    const surety_val type = surety_val_get(item, "type");

    if (!type.doc) {
        from_responses_message(import, item);
        return;
    }
    for (size_t i = 0; i < SURETY__COUNT(from_responses_items); i++)
        if (surety_val_is(type, from_responses_items[i].type)) {
            from_responses_items[i].read(import, item);
            return;
        }
    surety__import_refuse(import, item, "item", type);
}
