/* SPDX-License-Identifier: Apache-2.0 */
/* own.c: a conversation as JSON in our own form, the contract surety/messages,
 * written and read.
 *
 * Arguments and raw items are written and read as they are, so reading gives
 * the same bytes. Programs read a conversation and write it again, with JSON of
 * their own: a raw item that this could change is a string with its text. A
 * message is a line, and its content is a text if that is all that it has.
 * Reading joins no messages: they are the same as those written. The contract
 * was checked before, so every member has its type. */
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

/* The bytes of an escape that every library writes so; 0: it is another. */
static size_t own_escape(const char *at)
{
    if (at[1] != 'u')
        return at[1] == '/' ? 0 : 2;
    if (memcmp(at + 2, "00", 2) != 0 || (at[4] != '0' && at[4] != '1') ||
        (at[5] >= 'A' && at[5] <= 'F'))
        return 0;
    /* These have a short form. */
    return at[4] == '0' && memchr("89acd", at[5], 5) ? 0 : 6;
}

/* The bytes of the string that begins there, if every library writes them so;
 * 0: they are not sure to stay. As a key, none may begin with a digit: there
 * are libraries that sort such keys. */
static size_t own_string(const char *at)
{
    const char first = at[1];
    size_t len = 1;

    while (at[len] != '"') {
        const size_t step = at[len] == '\\' ? own_escape(at + len) : 1;

        if (!step)
            return 0;
        len += step;
    }
    len++;
    return at[len] == ':' && first >= '0' && first <= '9' ? 0 : len;
}

/* Whether every library for JSON that reads this text writes it again so: no
 * white space, no escape that need not be one, short whole numbers. The text is
 * an object of JSON. */
static bool own_stays(surety_str text)
{
    enum { DIGITS_MAX = 15 };
    size_t digits = 0;
    size_t step;

    for (size_t i = 0; i < text.len; i += step) {
        const char c = text.ptr[i];
        const bool is_digit = c >= '0' && c <= '9';

        step = c == '"' ? own_string(text.ptr + i) : 1;
        if (!step || memchr(" \t\r\n.E+", c, 7) ||
            (c == '-' && text.ptr[i + 1] == '0') || (digits && c == 'e'))
            return false;
        digits = is_digit ? digits + 1 : 0;
        if (digits > DIGITS_MAX)
            return false;
    }
    return true;
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
        if (own_stays(part->raw))
            own_write_json(out, "item", part->raw);
        else
            surety_json_text(out, "item", part->raw);
        surety_buf_byte(out, '}');
    }
    surety_buf_byte(out, '}');
}

static bool own_is_plain(const surety_message *message)
{
    return message->part_count == 1 &&
           message->parts[0].kind == SURETY_PART_TEXT &&
           !message->parts[0].cache && message->parts[0].raw.len == 0 &&
           message->parts[0].name.len == 0;
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
    const surety_val item = surety_val_get(raw, "item");
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
    part->raw = surety_val_kind(item) == SURETY_KIND_STRING
                    ? surety_val_str(item)
                    : surety_val_text(item);
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
