/* SPDX-License-Identifier: Apache-2.0 */
/* from_chat.c: messages of OpenAI Chat Completions, and of the servers that
 * speak it. A tool's results are one message each there; the import joins them.
 */
#include "message/import.h"

/* ---- parts of a content -------------------------------------------------- */

static void from_chat_text(surety__import *import, surety_val item)
{
    surety_part *part = surety__import_part(import, SURETY_PART_TEXT);

    if (surety__import_str(import, item, "text", &part->text))
        surety__import_keep(import, part, item, SURETY_PROTOCOL_OPENAI,
                            "type text");
}

static void from_chat_refusal(surety__import *import, surety_val item)
{
    surety_part *part = surety__import_part(import, SURETY_PART_TEXT);

    if (surety__import_str(import, item, "refusal", &part->text))
        surety__import_raw(part, item, SURETY_PROTOCOL_OPENAI);
}

static void from_chat_image(surety__import *import, surety_val item)
{
    const surety_val image = surety_val_get(item, "image_url");
    surety_part *part = surety__import_part(import, SURETY_PART_IMAGE);

    surety__import_url(import, surety_val_get(image, "url"), part);
    surety__import_keep(import, part, image, SURETY_PROTOCOL_OPENAI, "url");
    if (part->raw.len > 0)
        surety__import_raw(part, item, SURETY_PROTOCOL_OPENAI);
}

static void from_chat_audio(surety__import *import, surety_val item)
{
    const surety_val audio = surety_val_get(item, "input_audio");
    const surety_val format = surety_val_get(audio, "format");
    surety_part *part = surety__import_part(import, SURETY_PART_AUDIO);

    surety__import_data(import, surety_val_get(audio, "data"), part);
    if (surety_val_is(format, "wav"))
        part->media_type = SURETY__LITERAL("audio/wav");
    else if (surety_val_is(format, "mp3"))
        part->media_type = SURETY__LITERAL("audio/mpeg");
    else
        surety__import_fail(import, item, "audio is of the format wav or mp3");
}

static void from_chat_file(surety__import *import, surety_val item)
{
    const surety_val file = surety_val_get(item, "file");
    const surety_val data = surety_val_get(file, "file_data");
    surety_part *part = surety__import_part(import, SURETY_PART_DOCUMENT);

    if (data.doc)
        surety__import_data_url(import, data, part);
    if (surety__import_maybe(import, file, "file_id", &part->file_id) &&
        surety__import_maybe(import, file, "filename", &part->name) &&
        part->data.len > 0)
        part->kind = surety__media_kind(part->media_type);
    if (part->kind != SURETY_PART_DOCUMENT)
        part->name = (surety_str){NULL, 0};
}

static const struct from_chat_kind {
    const char *type;
    void (*read)(surety__import *import, surety_val item);
} from_chat_kinds[] = {
    {"text", from_chat_text},       {"refusal", from_chat_refusal},
    {"image_url", from_chat_image}, {"input_audio", from_chat_audio},
    {"file", from_chat_file},
};

static void from_chat_part(surety__import *import, surety_val item)
{
    const surety_val type = surety_val_get(item, "type");

    for (size_t i = 0; i < SURETY__COUNT(from_chat_kinds); i++)
        if (surety_val_is(type, from_chat_kinds[i].type)) {
            from_chat_kinds[i].read(import, item);
            return;
        }
    surety__import_refuse(import, item, "part", type);
}

/* ---- messages ------------------------------------------------------------ */

/* Reasoning as compatible servers give it; they want the member back. */
static void from_chat_reasoning(surety__import *import, surety_val item,
                                const char *name)
{
    const surety_val member = surety_val_get(item, name);
    surety_part *part;
    surety_buf raw;

    if (surety_val_str(member).len == 0)
        return;
    surety_buf_init(&raw, import->conversation->alloc, 0);
    surety_buf_byte(&raw, '{');
    surety_json_text(&raw, name, surety_val_str(member));
    surety_buf_byte(&raw, '}');
    part = surety__import_part(import, SURETY_PART_REASONING);
    part->text = surety_val_str(member);
    part->raw = surety__import_take(import, &raw);
    part->raw_protocol = SURETY_PROTOCOL_OPENAI;
}

static void from_chat_call(surety__import *import, surety_val item)
{
    const surety_val function = surety_val_get(item, "function");
    surety_part *part;
    bool is_valid;

    if (!function.doc) {
        surety__import_refuse(import, item, "call",
                              surety_val_get(item, "type"));
        return;
    }
    part = surety__import_part(import, SURETY_PART_CALL);
    if (!surety__import_str(import, item, "id", &part->id) ||
        !surety__import_maybe(import, function, "name", &part->name))
        return;
    surety__import_arguments(import, surety_val_get(function, "arguments"),
                             part, &is_valid);
    surety__import_keep(import, part, item, SURETY_PROTOCOL_OPENAI,
                        is_valid ? "id type function index" : "");
    surety__import_call_add(import, part, item);
}

static void from_chat_assistant(surety__import *import, surety_val item)
{
    const surety_val refusal = surety_val_get(item, "refusal");

    if (surety_val_str(refusal).len > 0) {
        surety_part *part = surety__import_part(import, SURETY_PART_TEXT);

        part->text = surety_val_str(refusal);
        surety__import_note(import, refusal, "left-out",
                            SURETY__LITERAL("left out: that this text is a "
                                            "refusal"));
    }
    SURETY_EACH (call, surety_val_get(item, "tool_calls"))
        from_chat_call(import, call);
}

/* The result of a call: its content is one text, or parts that are texts. */
static void from_chat_result(surety__import *import, surety_val item)
{
    const surety_val content = surety_val_get(item, "content");
    surety_part *part = surety__import_part(import, SURETY_PART_RESULT);
    surety_buf text;

    if (!surety__import_str(import, item, "tool_call_id", &part->id) ||
        !surety__import_maybe(import, item, "name", &part->name))
        return;
    surety__import_result(import, part);
    surety_buf_init(&text, import->conversation->alloc, 0);
    if (surety_val_kind(content) == SURETY_KIND_STRING)
        surety_buf_add(&text, surety_val_str(content));
    SURETY_EACH (piece, content) {
        surety_str line = {NULL, 0};

        surety__import_str(import, piece, "text", &line);
        if (text.len > 0)
            surety_buf_byte(&text, '\n');
        surety_buf_add(&text, line);
    }
    if (text.len > 0 || text.status != SURETY_OK)
        part->text = surety__import_take(import, &text);
    surety_buf_done(&text);
}

/* Refuses what would be lost with its sense: a call in the form that tool_calls
 * replaced, and audio that only the provider has. */
static bool from_chat_is_carried(surety__import *import, surety_val item)
{
    static const char *const names[] = {"function_call", "audio"};

    for (size_t i = 0; i < SURETY__COUNT(names); i++) {
        const surety_val member = surety_val_get(item, names[i]);

        if (surety_val_kind(member) == SURETY_KIND_OBJECT)
            return surety__import_refuse(import, member, "member",
                                         surety_val_key(member));
    }
    return true;
}

/* The name of who speaks, for the first text; without one it gets an empty text
 * before the other parts. */
static void from_chat_name(surety__import *import, surety_val item)
{
    surety_str name = {NULL, 0};
    size_t at = 0;

    if (!surety__import_maybe(import, item, "name", &name) || !name.len ||
        !import->part_count)
        return;
    while (at < import->part_count &&
           import->parts[at].kind != SURETY_PART_TEXT)
        at++;
    if (at == import->part_count) {
        (void)surety__import_part(import, SURETY_PART_TEXT);
        if (import->status)
            return;
        memmove(import->parts + 1, import->parts, at * sizeof(*import->parts));
        import->parts[0] = (surety_part){.kind = SURETY_PART_TEXT};
        at = 0;
    }
    import->parts[at].name = name;
}

void surety__read_chat(surety__import *import, surety_val item)
{
    const surety_val content = surety_val_get(item, "content");
    const surety_val name = surety_val_get(item, "role");
    surety_role role;

    if (surety_val_is(name, "developer"))
        role = SURETY_ROLE_SYSTEM;
    else if (!surety__import_role(name, &role)) {
        surety__import_fail(import, item,
                            "a role is system, developer, user, assistant or "
                            "tool");
        return;
    }
    if (!from_chat_is_carried(import, item) ||
        !surety__import_is_content(import, content))
        return;
    surety__import_message(import, role, item);
    if (role == SURETY_ROLE_TOOL) {
        surety__import_leave(import, item, "role content tool_call_id name");
        from_chat_result(import, item);
        return;
    }
    surety__import_leave(import, item,
                         "role content tool_calls refusal reasoning_content "
                         "reasoning annotations name");
    from_chat_reasoning(import, item, "reasoning_content");
    from_chat_reasoning(import, item, "reasoning");
    if (surety_val_kind(content) == SURETY_KIND_ARRAY)
        SURETY_EACH (part, content)
            from_chat_part(import, part);
    else
        surety__import_text(import, content);
    if (role == SURETY_ROLE_ASSISTANT)
        from_chat_assistant(import, item);
    from_chat_name(import, item);
}
