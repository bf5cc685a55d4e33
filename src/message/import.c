/* SPDX-License-Identifier: Apache-2.0 */
/* import.c: messages from the items of a JSON text, as its reader sees them. */
#include "message/import.h"

/* ---- failures ------------------------------------------------------------ */

static void import_place(surety__import *import, surety_val val)
{
    surety_error *reterr = import->reterr;
    surety_buf path;

    if (!reterr)
        return;
    path = surety__buf_over(reterr->path, sizeof(reterr->path));
    surety_val_pointer(val, &path);
    reterr->path[path.status == SURETY_OK ? path.len : 0] = '\0';
    reterr->position = surety_val_position(val);
}

bool surety__import_fail(surety__import *import, surety_val val,
                         const char *format, ...)
{
    va_list args;

    if (import->status != SURETY_OK)
        return false;
    va_start(args, format);
    import->status = surety__failv(import->reterr, SURETY_SYNTAX, format, args);
    va_end(args);
    import_place(import, val.doc ? val : import->item);
    return false;
}

bool surety__import_hint(surety__import *import, const char *hint)
{
    surety__hint(import->reterr, "%s", hint);
    return false;
}

bool surety__import_refuse(surety__import *import, surety_val item,
                           const char *what, surety_val name)
{
    const surety_str text = surety_val_str(name);

    if (import->status != SURETY_OK)
        return false;
    if (text.len == 0)
        return surety__import_fail(import, item, "this %s has no type", what);
    surety__import_fail(import, item,
                        "a conversation cannot have this %s: %.*s", what,
                        (int)text.len, text.ptr);
    return surety__import_hint(
        import, "leave it out; texts, media, calls of your own tools, their "
                "results and reasoning can be carried over");
}

static void import_nomem(surety__import *import)
{
    if (import->status == SURETY_OK)
        import->status = surety__fail_nomem(import->reterr);
}

/* ---- messages and parts -------------------------------------------------- */

/* Leaves out the open message, which has no part, where it is an empty one:
 * clients send them, and most providers take none. One whose content is absent
 * is a mistake, but for the assistant, which may have said nothing. */
static void import_leave_empty(surety__import *import)
{
    const surety_val item = import->item;
    surety_val content = item;

    if (surety_val_kind(item) == SURETY_KIND_OBJECT)
        content = surety_val_get(item, "content");
    if (!content.doc)
        content = surety_val_get(item, "parts");
    if (!content.doc && import->role != SURETY_ROLE_ASSISTANT) {
        surety__import_fail(import, item, "this message has no content");
        return;
    }
    if (!import->is_quiet)
        surety__import_note(import, item, "left-out",
                            SURETY__LITERAL("left out: this message, which has "
                                            "no content"));
    import->item = surety_val_none();
}

void surety__import_end(surety__import *import)
{
    const surety_message message = {.role = import->role,
                                    .parts = import->parts,
                                    .part_count = import->part_count};

    if (import->status != SURETY_OK || !import->item.doc)
        return;
    if (message.part_count == 0 && !import->is_own) {
        import_leave_empty(import);
        return;
    }
    if (message.part_count == 0 && message.role != SURETY_ROLE_ASSISTANT) {
        surety__import_fail(import, import->item,
                            "this message has no content");
        return;
    }
    import->status = surety__conversation_put(import->conversation, &message,
                                              import->reterr);
    if (import->status != SURETY_OK)
        import_place(import, import->item);
    import->item = surety_val_none();
    import->part_count = 0;
}

void surety__import_message(surety__import *import, surety_role role,
                            surety_val item)
{
    if (role == SURETY_ROLE_TOOL) {
        surety__import_join(import, role, item);
        return;
    }
    surety__import_end(import);
    import->role = role;
    import->item = item;
}

void surety__import_join(surety__import *import, surety_role role,
                         surety_val item)
{
    if (import->item.doc && import->role == role)
        return;
    surety__import_end(import);
    import->role = role;
    import->item = item;
}

surety_part *surety__import_part(surety__import *import, surety_part_kind kind)
{
    surety_part *part = &import->unused;

    if (import->status == SURETY_OK &&
        surety__grow(import->conversation->alloc, &import->parts,
                     &import->part_cap, import->part_count + 1,
                     sizeof(*import->parts), SIZE_MAX) != SURETY_OK)
        import_nomem(import);
    if (import->status == SURETY_OK)
        part = &import->parts[import->part_count++];
    *part = (surety_part){.kind = kind};
    return part;
}

void surety__import_text(surety__import *import, surety_val text)
{
    if (surety_val_str(text).len > 0)
        surety__import_part(import, SURETY_PART_TEXT)->text =
            surety_val_str(text);
}

bool surety__import_is_content(surety__import *import, surety_val val)
{
    switch (surety_val_kind(val)) {
    case SURETY_KIND_NONE:
    case SURETY_KIND_NULL:
    case SURETY_KIND_STRING:
    case SURETY_KIND_ARRAY: return import->status == SURETY_OK;
    default:
        return surety__import_fail(import, val,
                                   "a content is a string or an array");
    }
}

bool surety__import_role(surety_val name, surety_role *ret_role)
{
    for (surety_role role = SURETY_ROLE_SYSTEM; role <= SURETY_ROLE_TOOL;
         role++)
        if (surety_val_is(name, surety_role_name(role))) {
            *ret_role = role;
            return true;
        }
    return false;
}

static uint64_t import_hash(surety_str id)
{
    return id.len > 0 ? surety__hash(id.ptr, id.len) : 0;
}

static surety__import_queue *import_queue(const surety__import *import,
                                          surety_str name)
{
    surety__import_queue *queue =
        surety__map_get(&import->queues, import_hash(name));

    while (queue && !surety_str_equal(queue->name, name))
        queue = queue->next;
    return queue;
}

/* Puts a call behind those of its name in the open message. */
static bool import_enqueue(surety__import *import, surety__import_call *call)
{
    const uint64_t hash = import_hash(call->name);
    const size_t message = import->conversation->count;
    surety__import_queue *queue = import_queue(import, call->name);

    if (!queue) {
        queue = surety__arena_take(&import->arena, sizeof(*queue));
        if (!queue)
            return false;
        queue->name = call->name;
        queue->next = surety__map_get(&import->queues, hash);
        if (!surety__map_put(&import->queues, import->conversation->alloc, hash,
                             queue))
            return false;
    }
    if (queue->first && queue->message == message)
        queue->last->later = call;
    else
        queue->first = call;
    queue->last = call;
    queue->message = message;
    return true;
}

void surety__import_call_add(surety__import *import, surety_part *call,
                             surety_val item)
{
    const surety_alloc *alloc = import->conversation->alloc;
    surety__import_call *own;
    surety_buf id;

    import->call_count++;
    if (call->name.len == 0) {
        call->name = SURETY__LITERAL(SURETY__UNNAMED);
        surety__import_note(import, item, "unnamed",
                            SURETY__LITERAL("this call has no name; it is "
                                            "kept as \"unnamed\""));
    }
    if (call->id.len == 0) {
        surety_buf_init(&id, alloc, 0);
        surety__buf_printf(&id, "call_%zu", import->call_count);
        call->id = surety__import_take(import, &id);
    }
    if (import->status != SURETY_OK)
        return;
    own = surety__arena_take(&import->arena, sizeof(*own));
    if (own) {
        own->id = call->id;
        own->name = call->name;
        own->next = surety__map_get(&import->calls, import_hash(call->id));
    }
    if (!own ||
        !surety__map_put(&import->calls, alloc, import_hash(call->id), own) ||
        !import_enqueue(import, own))
        import_nomem(import);
}

surety_str surety__import_waiting(surety__import *import, surety_str name)
{
    surety__import_queue *queue = import_queue(import, name);
    surety_str id = {NULL, 0};

    if (queue && queue->first &&
        queue->message + 1 == import->conversation->count) {
        id = queue->first->id;
        queue->first = queue->first->later;
    }
    return id;
}

void surety__import_result(surety__import *import, surety_part *result)
{
    const surety__import_call *call =
        surety__map_get(&import->calls, import_hash(result->id));

    while (call && !surety_str_equal(call->id, result->id))
        call = call->next;
    if (call && result->name.len == 0)
        result->name = call->name;
}

void surety__import_fold(surety__import *import, size_t at)
{
    size_t kept = at + 1;
    surety_buf text;

    if (import->status != SURETY_OK)
        return;
    assert(at < import->part_count);
    surety_buf_init(&text, import->conversation->alloc, 0);
    for (size_t i = at + 1; i < import->part_count; i++) {
        const surety_part *part = &import->parts[i];

        if (part->kind != SURETY_PART_TEXT) {
            import->parts[kept++] = *part;
            continue;
        }
        if (text.len > 0)
            surety_buf_byte(&text, '\n');
        surety_buf_add(&text, part->text);
    }
    import->part_count = kept;
    if (text.len > 0 || text.status != SURETY_OK)
        import->parts[at].text = surety__import_take(import, &text);
    surety_buf_done(&text);
}

/* ---- values -------------------------------------------------------------- */

bool surety__import_str(surety__import *import, surety_val object,
                        const char *name, surety_str *ret_text)
{
    const surety_val member = surety_val_get(object, name);

    if (import->status != SURETY_OK)
        return false;
    if (!member.doc)
        return surety__import_fail(import, object, "\"%s\" is missing", name);
    if (surety_val_kind(member) != SURETY_KIND_STRING)
        return surety__import_fail(import, member, "\"%s\" must be a string",
                                   name);
    *ret_text = surety_val_str(member);
    return true;
}

bool surety__import_maybe(surety__import *import, surety_val object,
                          const char *name, surety_str *ret_text)
{
    const surety_kind kind = surety_val_kind(surety_val_get(object, name));

    if (kind == SURETY_KIND_NONE || kind == SURETY_KIND_NULL)
        return import->status == SURETY_OK;
    return surety__import_str(import, object, name, ret_text);
}

surety_str surety__import_take(surety__import *import, surety_buf *buf)
{
    const surety_str text = surety__arena_buf(&import->arena, buf);

    if (!text.ptr)
        import_nomem(import);
    return text;
}

void surety__import_arguments(surety__import *import, surety_val val,
                              surety_part *part, bool *ret_valid)
{
    surety_buf text;

    *ret_valid = true;
    if (val.doc && surety_val_kind(val) != SURETY_KIND_STRING &&
        surety_val_kind(val) != SURETY_KIND_NULL)
        surety__import_fail(import, val, "\"arguments\" must be a string");
    if (import->status != SURETY_OK)
        return;
    surety_buf_init(&text, import->conversation->alloc, 0);
    *ret_valid = surety__arguments_write(surety_val_str(val), &text);
    part->text = surety__import_take(import, &text);
    if (*ret_valid)
        return;
    surety__import_note(import, val, "arguments",
                        SURETY__LITERAL("the arguments of this call are no "
                                        "object of JSON; another protocol gets "
                                        "them in a member INVALID_JSON"));
}

/* Decodes text, which is a part of the string val. */
static void import_decode(surety__import *import, surety_val val,
                          surety_str text, surety_part *part)
{
    surety_buf bytes;
    bool is_base64;

    if (import->status != SURETY_OK)
        return;
    surety_buf_init(&bytes, import->conversation->alloc, 0);
    is_base64 = surety__base64_decode(&bytes, text) && bytes.len > 0;
    if (bytes.status == SURETY_OK && !is_base64) {
        surety_buf_done(&bytes);
        surety__import_fail(import, val,
                            "this is not base64 (RFC 4648, section 4)");
        return;
    }
    part->data = surety__import_take(import, &bytes);
}

void surety__import_data(surety__import *import, surety_val val,
                         surety_part *part)
{
    if (surety_val_kind(val) != SURETY_KIND_STRING)
        surety__import_fail(import, val, "bytes are a string of base64 here");
    else
        import_decode(import, val, surety_val_str(val), part);
}

void surety__import_url(surety__import *import, surety_val val,
                        surety_part *part)
{
    const surety_str mark = SURETY__LITERAL(";base64,");
    surety_str url = surety_val_str(val);
    size_t end;

    if (url.len == 0) {
        surety__import_fail(import, val, "the URL is missing");
        return;
    }
    if (!surety__str_starts_nocase(url, SURETY__LITERAL("data:"))) {
        part->url = url;
        return;
    }
    surety__str_skip(&url, strlen("data:"));
    end = surety__str_find(url, mark);
    if (end == url.len) {
        surety__import_fail(import, val,
                            "a URL with bytes is data:TYPE;base64,BYTES");
        return;
    }
    if (end > 0)
        part->media_type = (surety_str){url.ptr, end};
    surety__str_skip(&url, end + mark.len);
    import_decode(import, val, url, part);
}

void surety__import_data_url(surety__import *import, surety_val val,
                             surety_part *part)
{
    if (surety__str_starts_nocase(surety_val_str(val),
                                  SURETY__LITERAL("data:")))
        surety__import_url(import, val, part);
    else
        surety__import_fail(import, val,
                            "the bytes of a file are data:TYPE;base64,BYTES");
}

/* ---- what a part cannot hold --------------------------------------------- */

/* Whether name is in a list of names with blanks between them. */
static bool import_is_known(surety_str name, const char *known)
{
    while (*known) {
        const size_t len = strcspn(known, " ");

        if (surety_str_equal(name, (surety_str){known, len}))
            return true;
        known += len + (known[len] == ' ');
    }
    return false;
}

/* Whether a value says nothing: null, false, an empty text or container. */
static bool import_is_empty(surety_val val)
{
    switch (surety_val_kind(val)) {
    case SURETY_KIND_NULL: return true;
    case SURETY_KIND_BOOLEAN: return !surety_val_bool(val, false);
    case SURETY_KIND_STRING: return surety_val_str(val).len == 0;
    case SURETY_KIND_ARRAY:
    case SURETY_KIND_OBJECT: return surety_val_count(val) == 0;
    default: return false;
    }
}

void surety__import_raw(surety_part *part, surety_val item,
                        surety_protocol protocol)
{
    part->raw = surety_val_text(item);
    part->raw_protocol = protocol;
}

void surety__import_keep(surety__import *import, surety_part *part,
                         surety_val item, surety_protocol protocol,
                         const char *known)
{
    if (import->status != SURETY_OK)
        return;
    SURETY_EACH (member, item) {
        if (import_is_known(surety_val_str(surety_val_key(member)), known) ||
            import_is_empty(member))
            continue;
        surety__import_raw(part, item, protocol);
        return;
    }
}

void surety__import_note(surety__import *import, surety_val val,
                         const char *rule, surety_str text)
{
    surety_conversation *conversation = import->conversation;
    surety_buf location;

    if (import->status != SURETY_OK ||
        conversation->note_count == CONVERSATION_NOTES_MAX)
        return;
    surety_buf_init(&location, conversation->alloc, 0);
    surety_val_pointer(val, &location);
    if (location.status == SURETY_OK)
        import->status = surety__conversation_note(
            conversation,
            &(surety_conversation_note){.rule = rule,
                                        .message = conversation->count,
                                        .location = surety_buf_str(&location),
                                        .text = text},
            import->reterr);
    else
        import_nomem(import);
    surety_buf_done(&location);
}

void surety__import_leave(surety__import *import, surety_val val,
                          const char *known)
{
    surety_buf text;
    size_t count = 0;

    if (import->is_quiet)
        return;
    surety_buf_init(&text, import->conversation->alloc, 0);
    SURETY_EACH (member, val) {
        const surety_str name = surety_val_str(surety_val_key(member));

        if (import_is_known(name, known) || import_is_empty(member))
            continue;
        surety_buf_text(&text, count++ > 0 ? ", " : "left out: ");
        surety_buf_shown(&text, name, false);
    }
    if (text.status != SURETY_OK)
        import_nomem(import);
    else if (count > 0)
        surety__import_note(import, val, "left-out", surety_buf_str(&text));
    surety_buf_done(&text);
}
