/* SPDX-License-Identifier: Apache-2.0 */
/* read.c: finds out which dialect a JSON text of messages is in, and has the
 * dialect's reader go through its items.
 *
 * One table has the signs: a name or a word that only one dialect has at that
 * place. The first sign in the text decides. Without any sign the messages are
 * texts by role, which all dialects write alike: that is our own form. What
 * contradicts the first sign later is refused by the reader, by its name. */
#include "message/import.h"

enum dialect {
    DIALECT_OWN = 0,
    DIALECT_CHAT,
    DIALECT_RESPONSES,
    DIALECT_ANTHROPIC,
    DIALECT_GEMINI,
    DIALECT_SDK,
    DIALECT_SCREEN, /* the AI SDK's UIMessage */
    DIALECT_NONE
};

/* Where a sign is: a member's name, or the word of its member role or type. */
enum sign_place {
    IN_REQUEST, /* a member of the request */
    IN_ITEM,    /* a member of an item of the list */
    IN_ROLE,    /* its role */
    IN_TYPE,    /* its type */
    IN_PART,    /* a member of a part in its content */
    IN_KIND,    /* that part's type */
    IN_PARTS    /* a member of an item of its parts */
};

static const struct sign {
    enum sign_place place;
    const char *word;
    enum dialect dialect;
} signs[] = {
    {IN_REQUEST, "contents", DIALECT_GEMINI},
    {IN_REQUEST, "systemInstruction", DIALECT_GEMINI},
    {IN_REQUEST, "system_instruction", DIALECT_GEMINI},
    {IN_REQUEST, "input", DIALECT_RESPONSES},
    {IN_REQUEST, "instructions", DIALECT_RESPONSES},
    {IN_REQUEST, "system", DIALECT_ANTHROPIC},
    {IN_ITEM, "tool_calls", DIALECT_CHAT},
    {IN_ITEM, "tool_call_id", DIALECT_CHAT},
    {IN_ITEM, "function_call", DIALECT_CHAT},
    {IN_ITEM, "reasoning_content", DIALECT_CHAT},
    {IN_ITEM, "refusal", DIALECT_CHAT},
    {IN_ITEM, "annotations", DIALECT_CHAT},
    {IN_ITEM, "audio", DIALECT_CHAT},
    {IN_ITEM, "name", DIALECT_CHAT},
    {IN_ITEM, "providerOptions", DIALECT_SDK},
    {IN_ROLE, "model", DIALECT_GEMINI},
    {IN_TYPE, "message", DIALECT_RESPONSES},
    {IN_TYPE, "function_call", DIALECT_RESPONSES},
    {IN_TYPE, "function_call_output", DIALECT_RESPONSES},
    {IN_TYPE, "reasoning", DIALECT_RESPONSES},
    {IN_TYPE, "item_reference", DIALECT_RESPONSES},
    {IN_PART, "raw", DIALECT_OWN},
    {IN_PART, "cache", DIALECT_OWN},
    {IN_PART, "source", DIALECT_ANTHROPIC},
    {IN_PART, "cache_control", DIALECT_ANTHROPIC},
    {IN_PART, "citations", DIALECT_ANTHROPIC},
    {IN_PART, "providerOptions", DIALECT_SDK},
    {IN_PART, "mediaType", DIALECT_SDK},
    {IN_PART, "image", DIALECT_SDK},
    {IN_KIND, "call", DIALECT_OWN},
    {IN_KIND, "result", DIALECT_OWN},
    {IN_KIND, "image_url", DIALECT_CHAT},
    {IN_KIND, "input_audio", DIALECT_CHAT},
    {IN_KIND, "file", DIALECT_CHAT},
    {IN_KIND, "refusal", DIALECT_CHAT},
    {IN_KIND, "input_text", DIALECT_RESPONSES},
    {IN_KIND, "input_image", DIALECT_RESPONSES},
    {IN_KIND, "input_file", DIALECT_RESPONSES},
    {IN_KIND, "output_text", DIALECT_RESPONSES},
    {IN_KIND, "tool_use", DIALECT_ANTHROPIC},
    {IN_KIND, "tool_result", DIALECT_ANTHROPIC},
    {IN_KIND, "thinking", DIALECT_ANTHROPIC},
    {IN_KIND, "redacted_thinking", DIALECT_ANTHROPIC},
    {IN_KIND, "tool-call", DIALECT_SDK},
    {IN_KIND, "tool-result", DIALECT_SDK},
    {IN_PARTS, "type", DIALECT_SCREEN},
    {IN_PARTS, "text", DIALECT_GEMINI},
    {IN_PARTS, "inlineData", DIALECT_GEMINI},
    {IN_PARTS, "inline_data", DIALECT_GEMINI},
    {IN_PARTS, "fileData", DIALECT_GEMINI},
    {IN_PARTS, "file_data", DIALECT_GEMINI},
    {IN_PARTS, "functionCall", DIALECT_GEMINI},
    {IN_PARTS, "function_call", DIALECT_GEMINI},
    {IN_PARTS, "functionResponse", DIALECT_GEMINI},
    {IN_PARTS, "function_response", DIALECT_GEMINI},
};

/* ---- signs --------------------------------------------------------------- */

static enum dialect sign_of(enum sign_place place, surety_str word)
{
    for (size_t i = 0; i < SURETY__COUNT(signs); i++)
        if (signs[i].place == place &&
            surety_str_equal(word, surety_str_of(signs[i].word)))
            return signs[i].dialect;
    return DIALECT_NONE;
}

/* Returns the sign among the members of object; a member of the request that is
 * null is none, because clients write all of theirs. */
static enum dialect sign_among(enum sign_place place, surety_val object)
{
    if (surety_val_kind(object) != SURETY_KIND_OBJECT)
        return DIALECT_NONE;
    SURETY_EACH (member, object) {
        const enum dialect found =
            sign_of(place, surety_val_str(surety_val_key(member)));

        if (found != DIALECT_NONE &&
            (place != IN_REQUEST ||
             surety_val_kind(member) != SURETY_KIND_NULL))
            return found;
    }
    return DIALECT_NONE;
}

/* Whether the AI SDK wrote a part of type file, which OpenAI Chat has too. */
static bool sign_is_sdk_file(surety_val part)
{
    return surety_val_is(surety_val_get(part, "type"), "file") &&
           !surety_val_get(part, "file").doc;
}

static enum dialect sign_of_content(surety_val content)
{
    enum dialect found = DIALECT_NONE;

    if (surety_val_kind(content) != SURETY_KIND_ARRAY)
        return DIALECT_NONE;
    SURETY_EACH (part, content) {
        found = sign_among(IN_PART, part);
        if (found == DIALECT_NONE)
            found = sign_is_sdk_file(part)
                        ? DIALECT_SDK
                        : sign_of(IN_KIND,
                                  surety_val_str(surety_val_get(part, "type")));
        if (found != DIALECT_NONE)
            break;
    }
    return found;
}

static enum dialect sign_of_item(surety_val item)
{
    const surety_val parts = surety_val_get(item, "parts");
    enum dialect found =
        sign_of(IN_ROLE, surety_val_str(surety_val_get(item, "role")));

    if (found == DIALECT_NONE)
        found = sign_of(IN_TYPE, surety_val_str(surety_val_get(item, "type")));
    if (found == DIALECT_NONE)
        found = sign_among(IN_ITEM, item);
    if (found == DIALECT_NONE)
        found = sign_of_content(surety_val_get(item, "content"));
    if (surety_val_kind(parts) == SURETY_KIND_ARRAY)
        SURETY_EACH (part, parts)
            if (found == DIALECT_NONE)
                found = sign_among(IN_PARTS, part);
    return found;
}

/* Both forms of OpenAI have the role developer. Where nothing else says which,
 * it is read as Chat, where short messages are the same. */
static enum dialect sign_of_list(surety_val list)
{
    enum dialect found = DIALECT_OWN;

    if (surety_val_kind(list) != SURETY_KIND_ARRAY)
        return DIALECT_OWN;
    SURETY_EACH (item, list) {
        const enum dialect sign = sign_of_item(item);

        if (sign != DIALECT_NONE)
            return sign;
        if (surety_val_is(surety_val_get(item, "role"), "developer"))
            found = DIALECT_CHAT;
    }
    return found;
}

/* ---- the text ------------------------------------------------------------ */

/* Where a text has its messages: its list, and what comes before them. */
struct reading {
    surety__import *import;
    enum dialect dialect;
    surety_val list;   /* of items; a string where Responses has its input */
    surety_val system; /* SURETY_NONE: none */
};

static surety_val reading_either(surety_val object, const char *name,
                                 const char *other)
{
    const surety_val member = surety_val_get(object, name);

    return member.doc ? member : surety_val_get(object, other);
}

/* The dialect of the conversation's protocol; NONE: it has none. */
static enum dialect reading_dialect(const surety_conversation *conversation)
{
    /* ORDER protocols (surety/message.h) */
    static const enum dialect dialects[] = {DIALECT_CHAT, DIALECT_RESPONSES,
                                            DIALECT_ANTHROPIC, DIALECT_GEMINI};

    return conversation->has_protocol ? dialects[conversation->protocol]
                                      : DIALECT_NONE;
}

/* Finds the list in a root, and the dialect. */
static bool reading_find(struct reading *reading, surety_val root)
{
    const enum dialect known = reading_dialect(reading->import->conversation);

    if (surety_val_kind(root) == SURETY_KIND_ARRAY) {
        reading->list = root;
        reading->dialect = known == DIALECT_NONE ? sign_of_list(root) : known;
        return true;
    }
    reading->dialect =
        known == DIALECT_NONE ? sign_among(IN_REQUEST, root) : known;
    switch (reading->dialect) {
    case DIALECT_GEMINI:
        reading->list = surety_val_get(root, "contents");
        reading->system =
            reading_either(root, "systemInstruction", "system_instruction");
        break;
    case DIALECT_RESPONSES:
        reading->list = surety_val_get(root, "input");
        reading->system = surety_val_get(root, "instructions");
        break;
    default:
        reading->list = surety_val_get(root, "messages");
        if (known != DIALECT_CHAT)
            reading->system = surety_val_get(root, "system");
        if (reading->dialect == DIALECT_NONE)
            reading->dialect = sign_of_list(reading->list);
    }
    if (surety_val_kind(reading->list) == SURETY_KIND_ARRAY ||
        (reading->dialect == DIALECT_RESPONSES &&
         surety_val_kind(reading->list) == SURETY_KIND_STRING))
        return true;
    surety__import_fail(reading->import, root, "this has no list of messages");
    return surety__import_hint(
        reading->import,
        "a conversation is a list of messages, or a request of OpenAI, "
        "Anthropic, Gemini or the AI SDK that has one");
}

/* Refuses a request whose conversation is partly at the provider. */
static bool reading_is_whole(struct reading *reading, surety_val root)
{
    static const char *const names[] = {"previous_response_id", "conversation",
                                        "cachedContent", "cached_content"};

    for (size_t i = 0; i < SURETY__COUNT(names); i++) {
        const surety_val member = surety_val_get(root, names[i]);

        if (!member.doc || surety_val_kind(member) == SURETY_KIND_NULL)
            continue;
        surety__import_fail(reading->import, member,
                            "\"%s\": a part of this conversation is at the "
                            "provider",
                            names[i]);
        return surety__import_hint(reading->import,
                                   "write all messages into the list");
    }
    return true;
}

/* Reads the members before the list. */
static void reading_system(const struct reading *reading)
{
    surety__import *import = reading->import;
    const surety_kind kind = surety_val_kind(reading->system);

    if (kind == SURETY_KIND_NONE || kind == SURETY_KIND_NULL)
        return;
    if (reading->dialect == DIALECT_GEMINI) {
        surety__read_gemini_system(import, reading->system);
    } else if (reading->dialect == DIALECT_ANTHROPIC) {
        surety__read_anthropic_system(import, reading->system);
    } else if (kind != SURETY_KIND_STRING) {
        surety__import_fail(import, reading->system, "this must be a string");
    } else {
        surety__import_message(import, SURETY_ROLE_SYSTEM, reading->system);
        surety__import_text(import, reading->system);
    }
}

static void reading_list(const struct reading *reading)
{
    /* ORDER dialects */
    static const surety__import_reader readers[] = {
        surety__read_own,       surety__read_chat,   surety__read_responses,
        surety__read_anthropic, surety__read_gemini, surety__read_sdk,
    };
    surety__import *import = reading->import;

    if (surety_val_kind(reading->list) == SURETY_KIND_STRING) {
        surety__import_message(import, SURETY_ROLE_USER, reading->list);
        surety__import_text(import, reading->list);
        return;
    }
    SURETY_EACH (item, reading->list) {
        if (surety_val_kind(item) != SURETY_KIND_OBJECT)
            surety__import_fail(import, item, "a message is an object");
        if (import->status != SURETY_OK)
            return;
        readers[reading->dialect](import, item);
    }
}

static void reading_root(struct reading *reading, surety_val root)
{
    surety__import *import = reading->import;

    if (!reading_find(reading, root) || !reading_is_whole(reading, root))
        return;
    if (reading->dialect == DIALECT_SCREEN) {
        surety__import_fail(import, reading->list,
                            "these are messages for a screen (UIMessage of the "
                            "AI SDK), not for a model");
        surety__import_hint(
            import, "convertToModelMessages of the AI SDK makes the others");
        return;
    }
    import->is_own = reading->dialect == DIALECT_OWN;
    if (import->is_own) {
        import->status = surety__form_check(
            SURETY__LITERAL("surety/messages"), reading->list,
            import->conversation->alloc, import->reterr);
        if (import->status != SURETY_OK)
            return;
    }
    if (surety_val_kind(root) == SURETY_KIND_OBJECT)
        surety__import_leave(import, root,
                             "messages system input instructions contents "
                             "systemInstruction system_instruction $schema");
    reading_system(reading);
    reading_list(reading);
    surety__import_end(import);
}

/* Adds the messages of a root. A failure adds nothing. */
static surety_status reading_value(surety__import *import, surety_val root)
{
    surety_conversation *conversation = import->conversation;
    const surety_alloc *alloc = conversation->alloc;
    struct reading reading = {.import = import};
    const size_t count = conversation->count;
    const size_t note_count = conversation->note_count;

    surety__arena_init(&import->arena, alloc, 0);
    import->scratch = surety_doc_new(alloc);
    if (import->scratch)
        reading_root(&reading, root);
    else
        import->status = surety__fail_nomem(import->reterr);
    if (import->status != SURETY_OK) {
        conversation->count = count;
        conversation->note_count = note_count;
    }
    surety__map_done(&import->calls, alloc);
    surety__map_done(&import->queues, alloc);
    surety__free(alloc, import->parts,
                 import->part_cap * sizeof(*import->parts));
    surety__arena_done(&import->arena);
    surety_doc_free(import->scratch);
    return import->status;
}

static surety_status reading_text(surety__import *import, surety_str text,
                                  surety_doc *doc)
{
    surety_limits limits = import->conversation->limits;
    const surety_read_options options = {.size = sizeof(options),
                                         .flags = SURETY_READ_BORROW |
                                                  SURETY_READ_UNIQUE_KEYS |
                                                  SURETY_READ_SKIP_BOM,
                                         .limits = &limits};

    /* Media are strings, and bounded by media_bytes_max. */
    limits.string_len_max = (uint32_t)limits.text_bytes_max;
    return surety_doc_read(doc, text, &options, import->reterr);
}

surety_status surety_conversation_read_value(surety_conversation *conversation,
                                             surety_val root,
                                             surety_error *reterr)
{
    surety__import import = {
        .conversation = conversation, .reterr = reterr, .is_quiet = true};

    return reading_value(&import, root);
}

surety_status surety_conversation_read(surety_conversation *conversation,
                                       surety_str text, surety_error *reterr)
{
    surety__import import = {.conversation = conversation, .reterr = reterr};
    surety_doc *doc = surety_doc_new(conversation->alloc);
    surety_status status;

    status =
        doc ? reading_text(&import, text, doc) : surety__fail_nomem(reterr);
    if (status == SURETY_OK)
        status = reading_value(&import, surety_doc_root(doc));
    surety_doc_free(doc);
    return status;
}
