/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c: writes the parts of messages as their protocol has them, and refuses
 * those that it cannot carry.
 *
 * A protocol's table (surety__part_form) has a row for each part that it takes:
 * kind, source, media types, and the JSON to write. What a refusal offers
 * instead is read from the same rows.
 *
 * Invariants:
 * 1. A part with an item of this protocol (`raw`) is that item, byte for byte.
 * 2. Without one, a REASONING part is left out, and so is an empty text, which
 *    providers refuse. A message of which nothing is left is not written. */
#include "provider/protocol.h"

/* Anthropic's documentation: at most 4 cache marks a request. */
enum { PARTS_MARKS_MAX = 4 };

static surety__source parts_source(const surety_part *part)
{
    const bool media =
        part->kind >= SURETY_PART_IMAGE && part->kind <= SURETY_PART_AUDIO;

    return !media              ? SOURCE_NONE
           : part->url.len     ? SOURCE_URL
           : part->file_id.len ? SOURCE_FILE_ID
                               : SOURCE_DATA;
}

static bool parts_is_media(const surety_part *part)
{
    return parts_source(part) != SOURCE_NONE;
}

/* Whether a list of media types names type. An entry that ends with a slash
 * names all types that begin with it. */
static bool parts_media_fits(const char *list, surety_str type)
{
    while (list && *list) {
        const size_t len = strcspn(list, " ");
        const surety_str entry = {list, len};

        if (entry.ptr[len - 1] == '/' ? surety__str_starts_nocase(type, entry)
                                      : surety__str_equal_nocase(type, entry))
            return true;
        list += len + (list[len] == ' ');
    }
    return !list;
}

/* The row for a part; NULL: the protocol cannot carry it. */
static const surety__part_form *parts_form(const surety__protocol *protocol,
                                           const surety_part *part)
{
    for (const surety__part_form *row = protocol->forms; row->json; row++)
        if (row->kind == part->kind && row->source == parts_source(part) &&
            parts_media_fits(row->media, part->media_type))
            return row;
    return NULL;
}

bool surety__part_has_own(const surety__call *call, const surety_part *part)
{
    return part->raw.len && part->raw_protocol == call->model->protocol;
}

/* Whether the text itself says who speaks: only messages of Chat Completions
 * have a member for it. */
static bool parts_says_name(const surety__call *call, const surety_part *part)
{
    return part->kind == SURETY_PART_TEXT && part->name.len &&
           call->model->protocol != SURETY_PROTOCOL_OPENAI;
}

void surety__part_name(const surety__call *call, const surety_part *part,
                       surety_buf *out)
{
    if (!parts_says_name(call, part))
        return;
    surety_buf_add(out, part->name);
    surety_buf_text(out, part->text.len ? ": " : ":");
}

bool surety__part_goes(const surety__call *call, const surety_part *part)
{
    if (surety__part_has_own(call, part))
        return true;
    if (part->kind == SURETY_PART_TEXT)
        return part->text.len || parts_says_name(call, part);
    return part->kind != SURETY_PART_REASONING;
}

bool surety__message_goes(const surety__call *call,
                          const surety__message *message)
{
    for (size_t i = 0; i < message->part_count; i++)
        if (surety__part_goes(call, &message->parts[i]))
            return true;
    return message->text.len || !message->part_count;
}

/* ---- the check ----------------------------------------------------------- */

typedef struct parts__check {
    const surety__call *call;
    const surety__protocol *protocol;
    const surety_alloc *alloc;
    surety_doc *doc; /* an item that goes back; NULL: none yet */
} parts__check;

static surety_status parts_role_check(const surety__message *message, size_t i,
                                      const surety_part *part,
                                      surety_error *reterr)
{
    const char *lack = surety__media_lack(part);

    if (!surety__role_has(message->role, part->kind))
        return surety__fail(reterr, SURETY_MISUSE,
                            "message %zu has the role %s, which cannot have a "
                            "part of the kind %s",
                            i + 1, surety_role_name(message->role),
                            surety_part_kind_name(part->kind));
    if (lack)
        return surety__fail(reterr, SURETY_MISUSE,
                            "message %zu has a part of the kind %s, which "
                            "needs %s",
                            i + 1, surety_part_kind_name(part->kind), lack);
    return SURETY_OK;
}

/* Lists the forms in which the protocol takes parts of this kind. */
static void parts_offer(const surety__protocol *protocol, surety_part_kind kind,
                        surety_buf *out)
{
    static const char *const sources[] = {"", "bytes", "a URL", "a file_id"};

    for (const surety__part_form *row = protocol->forms; row->json; row++)
        if (row->kind == kind)
            surety__buf_printf(out, "%s%s%s%s%s", out->len ? ", or " : "",
                               sources[row->source], row->media ? " (" : "",
                               row->media ? row->media : "",
                               row->media ? ")" : "");
}

static surety_status parts_form_check(const parts__check *check, size_t i,
                                      const surety_part *part,
                                      surety_error *reterr)
{
    static const char *const sources[] = {"", " as bytes", " by its URL",
                                          " by its file_id"};
    const surety_protocol protocol = check->call->model->protocol;
    const surety_str media = part->media_type;
    surety_buf offer;

    if (!surety__part_goes(check->call, part) ||
        surety__part_has_own(check->call, part))
        return SURETY_OK;
    if (parts_is_media(part) && !check->protocol->assistant_media &&
        check->call->messages[i].role == SURETY_ROLE_ASSISTANT) {
        surety__fail(reterr, SURETY_UNSUPPORTED,
                     "message %zu has a part of the kind %s, which the "
                     "protocol %s carries in no message of the assistant",
                     i + 1, surety_part_kind_name(part->kind),
                     surety_protocol_name(protocol));
        surety__hint(reterr, "give it to a message of the user");
        return SURETY_UNSUPPORTED;
    }
    if (parts_form(check->protocol, part))
        return SURETY_OK;
    surety__fail(reterr, SURETY_UNSUPPORTED,
                 "message %zu has a part of the kind %s%s%.*s%s%s, which the "
                 "protocol %s cannot carry",
                 i + 1, surety_part_kind_name(part->kind),
                 media.len ? " (" : "", (int)(media.len < 40 ? media.len : 40),
                 media.len ? media.ptr : "", media.len ? ")" : "",
                 sources[parts_source(part)], surety_protocol_name(protocol));
    surety_buf_init(&offer, check->alloc, 0);
    parts_offer(check->protocol, part->kind, &offer);
    surety__hint(reterr, "it takes %s%.*s",
                 offer.len ? "this kind as " : "no part of this kind",
                 (int)offer.len, offer.len ? offer.ptr : "");
    surety_buf_done(&offer);
    return SURETY_UNSUPPORTED;
}

/* Checks the item that goes back: it is written as it is. */
static surety_status parts_raw_check(parts__check *check, size_t i,
                                     const surety_part *part,
                                     surety_error *reterr)
{
    surety_status status;

    if (!surety__part_has_own(check->call, part))
        return SURETY_OK;
    if (!check->doc)
        check->doc = surety_doc_new(check->alloc);
    if (!check->doc)
        return surety__fail_nomem(reterr);
    status = surety_doc_read(check->doc, part->raw, NULL, reterr);
    if (status == SURETY_NOMEM)
        return status;
    if (status ||
        surety_val_kind(surety_doc_root(check->doc)) != SURETY_KIND_OBJECT)
        return surety__fail(reterr, SURETY_MISUSE,
                            "message %zu has a part of the kind %s whose item "
                            "of the protocol %s is no object of JSON",
                            i + 1, surety_part_kind_name(part->kind),
                            surety_protocol_name(part->raw_protocol));
    return SURETY_OK;
}

static surety_status parts_message_check(parts__check *check, size_t i,
                                         surety_error *reterr)
{
    const surety__message *message = &check->call->messages[i];
    const char *misnamed = surety__parts_misnamed(message->role, message->parts,
                                                  message->part_count);
    surety_status status = SURETY_OK;

    if (misnamed)
        return surety__fail(reterr, SURETY_MISUSE, "message %zu: %s", i + 1,
                            misnamed);
    for (size_t k = 0; k < message->part_count && !status; k++) {
        const surety_part *part = &message->parts[k];

        status = parts_role_check(message, i, part, reterr);
        if (!status)
            status = parts_form_check(check, i, part, reterr);
        if (!status)
            status = parts_raw_check(check, i, part, reterr);
    }
    return status;
}

surety_status surety__parts_check(const surety__call *call,
                                  const surety__protocol *protocol,
                                  const surety_alloc *alloc,
                                  surety_error *reterr)
{
    const size_t leading = surety__system_count(call);
    parts__check check = {call, protocol, alloc, NULL};
    surety_status status = SURETY_OK;

    for (size_t i = 0; i < call->message_count && !status; i++) {
        const surety__message *message = &call->messages[i];

        if (protocol->system_first && i >= leading &&
            message->role == SURETY_ROLE_SYSTEM) {
            status = surety__fail(
                reterr, SURETY_UNSUPPORTED,
                "message %zu has the role system, which the protocol %s takes "
                "only before all others",
                i + 1, surety_protocol_name(call->model->protocol));
            surety__hint(reterr, "give it the role user, or move it to the "
                                 "beginning");
        } else if (message->part_count) {
            status = parts_message_check(&check, i, reterr);
        }
    }
    surety_doc_free(check.doc);
    return status;
}

/* ---- fields -------------------------------------------------------------- */

/* Writes a result's text, and with its media a list. */
static void parts_output(surety__writer *writer, const surety_part *result,
                         size_t count)
{
    const surety_part text = {.kind = SURETY_PART_TEXT, .text = result->text};

    if (count == 1) {
        surety_json_string(writer->out, result->text);
        return;
    }
    surety_buf_byte(writer->out, '[');
    if (text.text.len)
        surety__writer_part(writer, &text, 1);
    for (size_t i = 1; i < count; i++)
        surety__writer_part(writer, &result[i], 1);
    surety_buf_byte(writer->out, ']');
}

/* Writes a result's media as a member. */
static void parts_media(surety__writer *writer, const surety_part *result,
                        size_t count)
{
    if (count == 1)
        return;
    surety__template_write(writer->out, ",'parts':[");
    for (size_t i = 1; i < count; i++)
        surety__writer_part(writer, &result[i], 1);
    surety_buf_byte(writer->out, ']');
}

static void parts_mark(surety__writer *writer, const surety_part *part)
{
    if (!part->cache)
        return;
    if (writer->marks_over)
        writer->marks_over--;
    else
        surety__template_write(writer->out,
                               ",'cache_control':{'type':'ephemeral'}");
}

static void parts_data(surety_buf *out, const surety_part *part, bool url)
{
    surety_buf_byte(out, '"');
    if (url)
        surety__template_write(out, "data:$e;base64,", part->media_type);
    surety__base64_encode(out, part->data);
    surety_buf_byte(out, '"');
}

/* How many calls with the id of this call or result were written; counts a
 * call. */
static size_t parts_uses(surety__writer *writer, const surety_part *part)
{
    const uint64_t key = surety__hash(part->id.ptr, part->id.len);
    size_t uses = (size_t)(uintptr_t)surety__map_get(&writer->uses, key);

    if (part->kind == SURETY_PART_CALL &&
        !surety__map_put(&writer->uses, writer->out->alloc, key,
                         (void *)(uintptr_t)++uses))
        writer->out->status = SURETY_NOMEM;
    return uses;
}

/* Writes an id that no other call has, of the characters that all protocols
 * take. Models count their calls anew in each reply; a result belongs to the
 * last call with its id. */
static void parts_unique_id(surety__writer *writer, const surety_part *part)
{
    const size_t uses = parts_uses(writer, part);

    surety_buf_byte(writer->out, '"');
    for (size_t i = 0; i < part->id.len; i++) {
        const surety_str c = {part->id.ptr + i, 1};

        surety_buf_byte(writer->out,
                        surety__is_token(c) && !strchr("!#$%&'*+.^`|~", *c.ptr)
                            ? *c.ptr
                            : '_');
    }
    if (uses > 1)
        surety__buf_printf(writer->out, "-%zu", uses);
    surety_buf_byte(writer->out, '"');
}

void surety__writer_text(surety__writer *writer, const surety_part *part)
{
    static const surety_prompt_part none;

    if (parts_says_name(writer->call, part))
        surety__template_write(writer->out,
                               part->text.len ? "\"$e: $e\"" : "\"$e:$e\"",
                               part->name, part->text);
    else
        surety__body_text(writer->out, part->text,
                          writer->kept ? writer->kept : &none);
}

/* Writes a field of a form. count: of the part, and the media of a result
 * behind it. */
static void parts_field(surety__writer *writer, char field,
                        const surety_part *part, size_t count)
{
    surety_buf *out = writer->out;
    const bool made =
        surety__str_starts(part->id, SURETY__LITERAL(SURETY__MADE_ID));

    switch (field) {
    case 't': surety__writer_text(writer, part); break;
    case 'q':
        surety_json_string(out, surety__str_trim(part->text).len
                                    ? part->text
                                    : SURETY__LITERAL("{}"));
        break;
    case 'a': (void)surety__arguments_write(part->text, out); break;
    case 'o': parts_output(writer, part, count); break;
    case 'p': parts_media(writer, part, count); break;
    case 'm': surety_json_string(out, part->media_type); break;
    case 'M':
        if (part->media_type.len)
            surety__template_write(out, "'mimeType':$s,", part->media_type);
        break;
    case 'd': parts_data(out, part, true); break;
    case 'b': parts_data(out, part, false); break;
    case 'x': surety_json_string(out, part->data); break;
    case 'u': surety_json_string(out, part->url); break;
    case 'f': surety_json_string(out, part->file_id); break;
    case 'n': surety_json_string(out, part->name); break;
    case 'N':
        surety_json_string(out, part->name.len ? part->name
                                               : SURETY__LITERAL("document"));
        break;
    case 'i': surety_json_string(out, part->id); break;
    case 'j': parts_unique_id(writer, part); break;
    case 'I':
        if (part->id.len && !made)
            surety__template_write(out, "'id':$s,", part->id);
        break;
    case 'w': surety_buf_text(out, part->error ? "error" : "output"); break;
    case 'e':
        if (part->error)
            surety_json_bool(out, "is_error", true);
        break;
    case 'c': parts_mark(writer, part); break;
    case 's':
        if (writer->unsigned_call)
            surety__template_write(
                out, ",'thoughtSignature':'skip_thought_signature_validator'");
        break;
    default: assert(field == '\0'); break;
    }
}

/* ---- writing ------------------------------------------------------------- */

surety__writer surety__writer_of(const surety__call *call,
                                 const surety__protocol *protocol,
                                 surety_buf *out)
{
    surety__writer writer = {.call = call, .protocol = protocol, .out = out};
    size_t marks = 0;

    for (size_t i = 0; i < call->message_count; i++)
        for (size_t k = 0; k < call->messages[i].part_count; k++) {
            const surety_part *part = &call->messages[i].parts[k];

            marks += part->cache && surety__part_goes(call, part) &&
                     !surety__part_has_own(call, part);
        }
    writer.marks_over = marks > PARTS_MARKS_MAX ? marks - PARTS_MARKS_MAX : 0;
    return writer;
}

void surety__writer_done(surety__writer *writer)
{
    surety__map_done(&writer->uses, writer->out->alloc);
}

void surety__writer_next(surety__writer *writer)
{
    const surety_buf *out = writer->out;

    if (out->len && out->ptr[out->len - 1] != '[')
        surety_buf_byte(writer->out, ',');
}

/* Whether the part's own item is written; counts the call in it. A call whose
 * id an earlier one has is written anew, with another id. */
static bool parts_writes_own(surety__writer *writer, const surety_part *part)
{
    const uint64_t key = surety__hash(part->id.ptr, part->id.len);
    const bool counts =
        writer->protocol->unique_ids && part->kind == SURETY_PART_CALL;

    if (!surety__part_has_own(writer->call, part) ||
        (counts && surety__map_get(&writer->uses, key)))
        return false;
    if (counts)
        (void)parts_uses(writer, part);
    return true;
}

void surety__writer_part(surety__writer *writer, const surety_part *part,
                         size_t count)
{
    const surety__part_form *form = parts_form(writer->protocol, part);

    surety__writer_next(writer);
    if (parts_writes_own(writer, part)) {
        surety_buf_add(writer->out, part->raw);
    } else {
        assert(form);
        for (const char *at = surety__template_plain(writer->out, form->json);
             *at; at = surety__template_plain(writer->out, at + 2))
            parts_field(writer, at[1], part, count);
    }
    if (part->kind == SURETY_PART_CALL)
        writer->unsigned_call = false;
}

/* Writes the message's own text as a part. */
static void parts_text(surety__writer *writer, const surety__message *message)
{
    const surety_part part = {.kind = SURETY_PART_TEXT, .text = message->text};

    writer->kept = &message->part;
    if (part.text.len)
        surety__writer_part(writer, &part, 1);
    writer->kept = NULL;
}

/* The number of the part behind a result and the media that belong to it. */
static size_t parts_result_end(const surety__writer *writer,
                               const surety__message *message, size_t i)
{
    i++;
    if (writer->protocol->result_media &&
        surety__model_joins_tools(writer->call->model))
        while (i < message->part_count && parts_is_media(&message->parts[i]))
            i++;
    return i;
}

void surety__writer_results(surety__writer *writer,
                            const surety__message *message)
{
    for (size_t i = 0; i < message->part_count; i++) {
        const surety_part *part = &message->parts[i];

        if (part->kind == SURETY_PART_RESULT)
            surety__writer_part(writer, part,
                                parts_result_end(writer, message, i) - i);
    }
}

void surety__writer_others(surety__writer *writer,
                           const surety__message *message)
{
    for (size_t i = 0; i < message->part_count;) {
        const surety_part *part = &message->parts[i];

        if (part->kind == SURETY_PART_RESULT) {
            i = parts_result_end(writer, message, i);
            continue;
        }
        if (surety__part_goes(writer->call, part))
            surety__writer_part(writer, part, 1);
        i++;
    }
    parts_text(writer, message);
}

static bool parts_is_content(const surety__call *call, const surety_part *part)
{
    return part->kind <= SURETY_PART_AUDIO && surety__part_goes(call, part);
}

void surety__writer_content(surety__writer *writer,
                            const surety__message *message)
{
    const surety_part *only = NULL;
    size_t count = message->text.len > 0;

    for (size_t i = 0; i < message->part_count; i++)
        if (parts_is_content(writer->call, &message->parts[i])) {
            only = &message->parts[i];
            count++;
        }
    if (!only && !message->text.len && message->part_count) {
        surety_buf_text(writer->out, "null");
    } else if (!only) {
        surety__body_text(writer->out, message->text, &message->part);
    } else if (count == 1 && only->kind == SURETY_PART_TEXT && !only->cache &&
               !surety__part_has_own(writer->call, only)) {
        surety__writer_text(writer, only);
    } else {
        surety_buf_byte(writer->out, '[');
        for (size_t i = 0; i < message->part_count; i++)
            if (parts_is_content(writer->call, &message->parts[i]))
                surety__writer_part(writer, &message->parts[i], 1);
        parts_text(writer, message);
        surety_buf_byte(writer->out, ']');
    }
}

void surety__writer_speaker(surety__writer *writer,
                            const surety__message *message)
{
    for (size_t i = 0; i < message->part_count; i++) {
        const surety_part *part = &message->parts[i];

        if (part->kind == SURETY_PART_TEXT && part->name.len &&
            !parts_says_name(writer->call, part))
            surety_json_text(writer->out, "name", part->name);
    }
}

/* Whether anything besides results is written of the messages. */
static bool parts_others_go(const surety__writer *writer, size_t first,
                            size_t end)
{
    for (size_t i = first; i < end; i++) {
        const surety__message *message = &writer->call->messages[i];

        if (message->text.len)
            return true;
        for (size_t k = 0; k < message->part_count;) {
            const surety_part *part = &message->parts[k];

            if (part->kind == SURETY_PART_RESULT)
                k = parts_result_end(writer, message, k);
            else if (surety__part_goes(writer->call, part))
                return true;
            else
                k++;
        }
    }
    return false;
}

void surety__writer_message(surety__writer *writer,
                            const surety__message *message)
{
    if (!surety__message_goes(writer->call, message))
        return;
    surety__writer_next(writer);
    surety__template_write(writer->out, "{'role':'$t','content':",
                           surety_role_name(message->role));
    surety__writer_content(writer, message);
    surety__writer_speaker(writer, message);
    surety_buf_byte(writer->out, '}');
}

void surety__writer_beside(surety__writer *writer, size_t first, size_t end)
{
    if (!parts_others_go(writer, first, end))
        return;
    surety__writer_next(writer);
    surety__template_write(writer->out, "{'role':'user','content':[");
    for (size_t i = first; i < end; i++)
        surety__writer_others(writer, &writer->call->messages[i]);
    surety_buf_text(writer->out, "]}");
}

size_t surety__system_count(const surety__call *call)
{
    size_t count = 0;

    while (count < call->message_count &&
           call->messages[count].role == SURETY_ROLE_SYSTEM)
        count++;
    return count;
}

size_t surety__turn_end(const surety__call *call, size_t first)
{
    const bool own = call->messages[first].role == SURETY_ROLE_ASSISTANT;
    size_t end = first + 1;

    while (end < call->message_count &&
           ((call->messages[end].role == SURETY_ROLE_ASSISTANT) == own ||
            !surety__message_goes(call, &call->messages[end])))
        end++;
    return end;
}

void surety__writer_turn(surety__writer *writer, size_t first, size_t end,
                         bool is_system)
{
    const surety__message *messages = writer->call->messages;

    for (size_t i = first; i < end; i++)
        if ((messages[i].role == SURETY_ROLE_SYSTEM) == is_system)
            surety__writer_results(writer, &messages[i]);
    for (size_t i = first; i < end; i++)
        if ((messages[i].role == SURETY_ROLE_SYSTEM) == is_system)
            surety__writer_others(writer, &messages[i]);
}
