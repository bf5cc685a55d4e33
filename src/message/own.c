/* SPDX-License-Identifier: Apache-2.0 */
/* own.c: a conversation as JSON in our own form, the contract surety/messages,
 * written and read.
 *
 * Arguments and raw items are written and read as they are, so reading gives
 * the same bytes. A message is a line, and its content is a text if that is all
 * that it has. Reading joins no messages: they are the same as those written.
 * The contract was checked before, so every member has its type. */
#include "message/import.h"

/* ---- writing ------------------------------------------------------------- */

static void own_write_text(surety_buf *out, const char *name, surety_str text)
{
    if (text.len > 0)
        surety_json_text(out, name, text);
}

static void own_write_json(surety_buf *out, const char *name, surety_str text)
{
    surety_json_name(out, name);
    surety_buf_add(out, text);
}

static void own_write_media(surety_buf *out, const surety_part *part)
{
    own_write_text(out, "media_type", part->media_type);
    if (part->data.len > 0) {
        surety_json_name(out, "data");
        surety_buf_byte(out, '"');
        surety__base64_encode(out, part->data);
        surety_buf_byte(out, '"');
    }
    own_write_text(out, "url", part->url);
    own_write_text(out, "file_id", part->file_id);
}

static void own_write_part(surety_buf *out, const surety_part *part)
{
    const unsigned members = surety__part_members(part->kind);

    surety_buf_byte(out, '{');
    surety_json_text(out, "type",
                     surety_str_of(surety_part_kind_name(part->kind)));
    own_write_text(out, "id", part->id);
    own_write_text(out, "name", part->name);
    if (members & PART_MEDIA)
        own_write_media(out, part);
    if (part->error)
        surety_json_bool(out, "error", true);
    if (part->kind == SURETY_PART_CALL)
        own_write_json(out, "arguments", part->text);
    else if (members & PART_TEXT)
        surety_json_text(out, "text", part->text);
    if (part->cache)
        surety_json_bool(out, "cache", true);
    if (part->raw.len > 0) {
        surety_json_name(out, "raw");
        surety_buf_byte(out, '{');
        surety_json_text(
            out, "protocol",
            surety_str_of(surety_protocol_name(part->raw_protocol)));
        own_write_json(out, "item", part->raw);
        surety_buf_byte(out, '}');
    }
    surety_buf_byte(out, '}');
}

static bool own_is_plain(const surety_message *message)
{
    return message->part_count == 1 &&
           message->parts[0].kind == SURETY_PART_TEXT &&
           !message->parts[0].cache && message->parts[0].raw.len == 0;
}

static void own_write_message(surety_buf *out, const surety_message *message)
{
    surety_buf_byte(out, '{');
    surety_json_text(out, "role",
                     surety_str_of(surety_role_name(message->role)));
    if (own_is_plain(message)) {
        surety_json_text(out, "content", message->parts[0].text);
    } else {
        surety_json_name(out, "content");
        surety_buf_byte(out, '[');
        for (size_t i = 0; i < message->part_count; i++) {
            if (i > 0)
                surety_buf_byte(out, ',');
            own_write_part(out, &message->parts[i]);
        }
        surety_buf_byte(out, ']');
    }
    surety_buf_byte(out, '}');
}

surety_status surety_conversation_write(const surety_conversation *conversation,
                                        surety_buf *out)
{
    surety_buf_byte(out, '[');
    for (size_t i = 0; i < conversation->count; i++) {
        surety_buf_text(out, i > 0 ? ",\n" : "");
        own_write_message(out, &conversation->messages[i]);
    }
    surety_buf_text(out, "]\n");
    return out->status;
}

/* ---- reading ------------------------------------------------------------- */

static surety_part_kind own_kind(surety_val type)
{
    surety_part_kind kind = SURETY_PART_TEXT;

    while (!surety_val_is(type, surety_part_kind_name(kind)))
        kind++;
    assert(kind <= SURETY_PART_REASONING);
    return kind;
}

static void own_read_part(surety__import *import, surety_val val)
{
    const surety_val arguments = surety_val_get(val, "arguments");
    const surety_val data = surety_val_get(val, "data");
    const surety_val raw = surety_val_get(val, "raw");
    surety_part *part =
        surety__import_part(import, own_kind(surety_val_get(val, "type")));

    part->id = surety_val_str(surety_val_get(val, "id"));
    part->name = surety_val_str(surety_val_get(val, "name"));
    part->media_type = surety_val_str(surety_val_get(val, "media_type"));
    part->url = surety_val_str(surety_val_get(val, "url"));
    part->file_id = surety_val_str(surety_val_get(val, "file_id"));
    part->text = arguments.doc ? surety_val_text(arguments)
                               : surety_val_str(surety_val_get(val, "text"));
    part->error = surety_val_bool(surety_val_get(val, "error"), false);
    part->cache = surety_val_bool(surety_val_get(val, "cache"), false);
    if (data.doc)
        surety__import_data(import, data, part);
    if (!raw.doc)
        return;
    part->raw = surety_val_text(surety_val_get(raw, "item"));
    (void)surety__protocol_named(
        surety_val_str(surety_val_get(raw, "protocol")), &part->raw_protocol);
}

void surety__read_own(surety__import *import, surety_val item)
{
    const surety_val content = surety_val_get(item, "content");
    surety_role role = SURETY_ROLE_USER;

    (void)surety__import_role(surety_val_get(item, "role"), &role);
    surety__import_end(import);
    surety__import_message(import, role, item);
    if (surety_val_kind(content) == SURETY_KIND_STRING) {
        surety__import_part(import, SURETY_PART_TEXT)->text =
            surety_val_str(content);
        return;
    }
    SURETY_EACH (part, content)
        own_read_part(import, part);
}
