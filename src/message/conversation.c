/* SPDX-License-Identifier: Apache-2.0 */
/* conversation.c: the list of messages, and what a message may be.
 *
 * Invariants:
 * 1. Every message satisfies conversation_kinds: its role may have its parts,
 *    and a part has the members that its kind uses and no others.
 * 2. Texts are UTF-8. A CALL's text and every raw are one object of JSON,
 *    without white space around it, without a key twice, and nested so little
 *    that the written conversation can be read with the same limits.
 * 3. Parts and texts are in the arena and do not change; a replaced part stays
 *    there until the conversation is freed. */
#include "message/conversation.h"

#define ROLE_BIT(role) (1u << SURETY_ROLE_##role)

/* ORDER part kinds */
static const struct conversation_kind {
    unsigned roles;   /* that may have such a part */
    unsigned members; /* that it uses */
} conversation_kinds[] = {
    {ROLE_BIT(SYSTEM) | ROLE_BIT(USER) | ROLE_BIT(ASSISTANT) | ROLE_BIT(TOOL),
     PART_TEXT | PART_NAME},
    {ROLE_BIT(USER) | ROLE_BIT(ASSISTANT) | ROLE_BIT(TOOL), PART_MEDIA},
    {ROLE_BIT(USER) | ROLE_BIT(ASSISTANT) | ROLE_BIT(TOOL),
     PART_MEDIA | PART_NAME},
    {ROLE_BIT(USER) | ROLE_BIT(ASSISTANT) | ROLE_BIT(TOOL), PART_MEDIA},
    {ROLE_BIT(ASSISTANT), PART_TEXT | PART_NAME | PART_ID},
    {ROLE_BIT(TOOL), PART_TEXT | PART_NAME | PART_ID | PART_ERROR},
    {ROLE_BIT(ASSISTANT), PART_TEXT},
};

bool surety__role_has(surety_role role, surety_part_kind kind)
{
    return conversation_kinds[kind].roles & 1u << role;
}

unsigned surety__part_members(surety_part_kind kind)
{
    return conversation_kinds[kind].members;
}

surety_status surety_conversation_new(
    const surety_conversation_options *options,
    surety_conversation **ret_conversation, surety_error *reterr)
{
    surety_conversation_options own;
    surety_conversation *conversation;
    surety_status status =
        surety__options_take(&own, sizeof(own), options, reterr);

    if (status)
        return status;
    if (own.has_protocol && (own.protocol < SURETY_PROTOCOL_OPENAI ||
                             own.protocol > SURETY_PROTOCOL_GEMINI))
        return surety__fail(reterr, SURETY_MISUSE,
                            "a conversation is of no protocol %d",
                            (int)own.protocol);
    conversation = surety__new(own.alloc, sizeof(*conversation));
    if (!conversation)
        return surety__fail_nomem(reterr);
    conversation->alloc = own.alloc;
    conversation->limits = surety_limits_of(own.limits);
    conversation->has_protocol = own.has_protocol;
    conversation->protocol = own.protocol;
    surety__arena_init(&conversation->arena, own.alloc, 0);
    conversation->doc = surety_doc_new(own.alloc);
    if (!conversation->doc) {
        surety_conversation_free(conversation);
        return surety__fail_nomem(reterr);
    }
    *ret_conversation = conversation;
    return SURETY_OK;
}

void surety_conversation_free(surety_conversation *conversation)
{
    if (!conversation)
        return;
    surety_doc_free(conversation->doc);
    surety__free(conversation->alloc, conversation->messages,
                 conversation->cap * sizeof(*conversation->messages));
    surety__free(conversation->alloc, conversation->notes,
                 conversation->note_cap * sizeof(*conversation->notes));
    surety__arena_done(&conversation->arena);
    surety__free(conversation->alloc, conversation, sizeof(*conversation));
}

const surety_message *surety_conversation_messages(
    const surety_conversation *conversation, size_t *ret_count)
{
    *ret_count = conversation->count;
    return conversation->messages;
}

/* ---- notes --------------------------------------------------------------- */

surety_status surety__conversation_note(surety_conversation *conversation,
                                        const surety_conversation_note *note,
                                        surety_error *reterr)
{
    surety__arena *arena = &conversation->arena;
    surety_conversation_note *own;

    if (conversation->note_count == CONVERSATION_NOTES_MAX)
        return SURETY_OK;
    if (surety__grow(conversation->alloc, &conversation->notes,
                     &conversation->note_cap, conversation->note_count + 1,
                     sizeof(*conversation->notes), CONVERSATION_NOTES_MAX))
        return surety__fail_nomem(reterr);
    own = &conversation->notes[conversation->note_count];
    *own = *note;
    own->location = surety__arena_text(arena, note->location);
    own->text = surety__arena_text(arena, note->text);
    if (!own->location.ptr || !own->text.ptr)
        return surety__fail_nomem(reterr);
    conversation->note_count++;
    return SURETY_OK;
}

bool surety_conversation_note_at(const surety_conversation *conversation,
                                 size_t i, surety_conversation_note *ret_note)
{
    if (i >= conversation->note_count)
        return false;
    *ret_note = conversation->notes[i];
    return true;
}

/* ---- what a part may be -------------------------------------------------- */

/* Returns the name of a member that the part has and its kind does not use;
 * NULL: there is none. */
static const char *conversation_surplus(const surety_part *part)
{
    const unsigned members = surety__part_members(part->kind);

    if (!(members & PART_TEXT) && part->text.len > 0)
        return "text";
    if (!(members & PART_MEDIA) && part->media_type.len > 0)
        return "media_type";
    if (!(members & PART_MEDIA) && part->data.len > 0)
        return "data";
    if (!(members & PART_MEDIA) && part->url.len > 0)
        return "url";
    if (!(members & PART_MEDIA) && part->file_id.len > 0)
        return "file_id";
    if (!(members & PART_NAME) && part->name.len > 0)
        return "name";
    if (!(members & PART_ID) && part->id.len > 0)
        return "id";
    return !(members & PART_ERROR) && part->error ? "error" : NULL;
}

const char *surety__media_lack(const surety_part *part)
{
    const int sources =
        (part->data.len > 0) + (part->url.len > 0) + (part->file_id.len > 0);

    if (surety__part_members(part->kind) & PART_MEDIA && sources != 1)
        return "exactly one of data, url and file_id";
    return part->data.len > 0 && part->media_type.len == 0
               ? "a media_type for its data"
               : NULL;
}

/* Returns what the part lacks; NULL: nothing. */
static const char *conversation_lack(const surety_part *part)
{
    const unsigned members = surety__part_members(part->kind);
    const char *lack = surety__media_lack(part);

    if (lack)
        return lack;
    if (members & PART_ID && part->id.len == 0)
        return "an id";
    if (part->kind == SURETY_PART_CALL && part->name.len == 0)
        return "a name";
    return NULL;
}

const char *surety__parts_misnamed(surety_role role, const surety_part *parts,
                                   size_t count)
{
    bool is_first = true;

    for (size_t i = 0; i < count; i++) {
        if (parts[i].kind != SURETY_PART_TEXT)
            continue;
        if (parts[i].name.len && role == SURETY_ROLE_TOOL)
            return "a text of the role tool has no name";
        if (parts[i].name.len && !is_first)
            return "only the first text of a message has a name";
        is_first = false;
    }
    return NULL;
}

static surety_status conversation_check_texts(const surety_part *part,
                                              surety_error *reterr)
{
    const struct {
        const char *name;
        surety_str text;
    } texts[] = {{"text", part->text}, {"media_type", part->media_type},
                 {"url", part->url},   {"file_id", part->file_id},
                 {"name", part->name}, {"id", part->id},
                 {"raw", part->raw}};

    for (size_t i = 0; i < SURETY__COUNT(texts); i++)
        if (!surety__utf8_valid(texts[i].text, NULL))
            return surety__fail(
                reterr, SURETY_SYNTAX, "the %s of this %s is not text in UTF-8",
                texts[i].name, surety_part_kind_name(part->kind));
    return SURETY_OK;
}

/* Checks that text is one object of JSON. */
static surety_status conversation_check_json(surety_conversation *conversation,
                                             surety_str text, const char *what,
                                             surety_error *reterr)
{
    surety_error inner;
    const surety_status status = surety__carried_read(
        conversation->doc, text, &conversation->limits, &inner);

    if (status == SURETY_NOMEM)
        return surety__fail_nomem(reterr);
    if (status != SURETY_OK)
        return surety__fail(reterr, status, "the %s: %s", what, inner.message);
    if (surety_val_kind(surety_doc_root(conversation->doc)) !=
        SURETY_KIND_OBJECT)
        return surety__fail(reterr, SURETY_SYNTAX,
                            "the %s is no object of JSON", what);
    return SURETY_OK;
}

static surety_status conversation_check(surety_conversation *conversation,
                                        surety_role role,
                                        const surety_part *part,
                                        surety_error *reterr)
{
    const char *kind;
    const char *fault;
    surety_status status;

    if ((unsigned)part->kind >= SURETY__COUNT(conversation_kinds))
        return surety__fail(reterr, SURETY_SYNTAX,
                            "there is no part of kind %d", (int)part->kind);
    kind = surety_part_kind_name(part->kind);
    if (!surety__role_has(role, part->kind))
        return surety__fail(reterr, SURETY_SYNTAX,
                            "a message of the role %s has no part %s",
                            surety_role_name(role), kind);
    fault = conversation_surplus(part);
    if (fault)
        return surety__fail(reterr, SURETY_SYNTAX, "a part %s has no %s", kind,
                            fault);
    fault = conversation_lack(part);
    if (fault)
        return surety__fail(reterr, SURETY_SYNTAX, "this %s needs %s", kind,
                            fault);
    if (part->data.len > conversation->limits.media_bytes_max)
        return surety__fail(
            reterr, SURETY_LIMIT,
            "this %s has %zu bytes, more than the limit media_bytes_max of %zu",
            kind, part->data.len, conversation->limits.media_bytes_max);
    status = conversation_check_texts(part, reterr);
    if (status == SURETY_OK && part->kind == SURETY_PART_CALL)
        status = conversation_check_json(conversation, part->text,
                                         "text of this call", reterr);
    if (status == SURETY_OK && part->raw.len > 0)
        status = conversation_check_json(conversation, part->raw,
                                         "raw of this part", reterr);
    return status;
}

/* ---- adding -------------------------------------------------------------- */

/* Copies the texts of a part into the arena. */
static bool conversation_copy(surety__arena *arena, surety_part *part)
{
    surety_str *const texts[] = {&part->text, &part->media_type, &part->data,
                                 &part->url,  &part->file_id,    &part->name,
                                 &part->id,   &part->raw};

    if (part->kind == SURETY_PART_CALL)
        part->text = surety__str_trim(part->text);
    part->raw = surety__str_trim(part->raw);
    for (size_t i = 0; i < SURETY__COUNT(texts); i++) {
        if (texts[i]->len > 0)
            *texts[i] = surety__arena_text(arena, *texts[i]);
        else
            *texts[i] = (surety_str){"", 0};
        if (!texts[i]->ptr)
            return false;
    }
    return true;
}

surety_status surety__conversation_put(surety_conversation *conversation,
                                       const surety_message *message,
                                       surety_error *reterr)
{
    surety_message own = *message;
    const char *fault = surety__parts_misnamed(message->role, message->parts,
                                               message->part_count);
    surety_part *parts;
    surety_status status = SURETY_OK;

    if (fault)
        return surety__fail(reterr, SURETY_SYNTAX, "%s", fault);
    for (size_t i = 0; i < message->part_count && status == SURETY_OK; i++)
        status = conversation_check(conversation, message->role,
                                    &message->parts[i], reterr);
    if (status != SURETY_OK)
        return status;
    if (conversation->count >= conversation->limits.messages_max)
        return surety__fail(reterr, SURETY_LIMIT,
                            "the conversation has more messages than the limit "
                            "messages_max of %u",
                            conversation->limits.messages_max);
    status = surety__grow(conversation->alloc, &conversation->messages,
                          &conversation->cap, conversation->count + 1,
                          sizeof(*conversation->messages), SIZE_MAX);
    if (status != SURETY_OK)
        return surety__fail_nomem(reterr);
    parts = surety__arena_take(&conversation->arena,
                               (message->part_count + 1) * sizeof(*parts));
    if (!parts)
        return surety__fail_nomem(reterr);
    for (size_t i = 0; i < message->part_count; i++) {
        parts[i] = message->parts[i];
        if (!conversation_copy(&conversation->arena, &parts[i]))
            return surety__fail_nomem(reterr);
    }
    own.parts = parts;
    conversation->messages[conversation->count++] = own;
    return SURETY_OK;
}

surety_status surety_conversation_add(surety_conversation *conversation,
                                      const surety_message *message,
                                      surety_error *reterr)
{
    surety_error error;
    surety_status status;

    if ((unsigned)message->role > SURETY_ROLE_TOOL)
        return surety__fail(reterr, SURETY_MISUSE, "there is no role %d",
                            (int)message->role);
    if (message->part_count == 0 && message->role != SURETY_ROLE_ASSISTANT)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a message of the role %s needs a part",
                            surety_role_name(message->role));
    status = surety__conversation_put(conversation, message, &error);
    if (status == SURETY_OK)
        return SURETY_OK;
    if (status == SURETY_SYNTAX)
        error.status = status = SURETY_MISUSE;
    if (reterr)
        *reterr = error;
    return status;
}
