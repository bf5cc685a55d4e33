/* SPDX-License-Identifier: Apache-2.0 */
/* from_gemini.c: contents of Gemini. A part is known by its member, in camel
 * case or with underscores (ProtoJSON takes both). Calls need no id there:
 * results without one belong to the oldest call of that name that has none yet.
 */
#include "message/import.h"

static surety_val from_gemini_get(surety_val object, const char *name,
                                  const char *other)
{
    const surety_val member = surety_val_get(object, name);

    return member.doc ? member : surety_val_get(object, other);
}

/* ---- parts --------------------------------------------------------------- */

static void from_gemini_text(surety__import *import, surety_val item,
                             surety_val val)
{
    const bool thinks = surety_val_bool(surety_val_get(item, "thought"), false);
    surety_part *part = surety__import_part(
        import, thinks ? SURETY_PART_REASONING : SURETY_PART_TEXT);

    part->text = surety_val_str(val);
    if (thinks)
        surety__import_raw(part, item, SURETY_PROTOCOL_GEMINI);
    else
        surety__import_keep(import, part, item, SURETY_PROTOCOL_GEMINI, "text");
}

static surety_part *from_gemini_media(surety__import *import, surety_val val)
{
    const surety_str type =
        surety_val_str(from_gemini_get(val, "mimeType", "mime_type"));
    surety_part *part = surety__import_part(import, surety__media_kind(type));

    part->media_type = type;
    if (part->kind == SURETY_PART_DOCUMENT)
        part->name =
            surety_val_str(from_gemini_get(val, "displayName", "display_name"));
    return part;
}

static void from_gemini_data(surety__import *import, surety_val item,
                             surety_val val)
{
    surety_part *part = from_gemini_media(import, val);

    surety__import_data(import, surety_val_get(val, "data"), part);
    surety__import_keep(import, part, item, SURETY_PROTOCOL_GEMINI,
                        "inlineData inline_data");
}

static void from_gemini_file(surety__import *import, surety_val item,
                             surety_val val)
{
    surety_part *part = from_gemini_media(import, val);

    part->url = surety_val_str(from_gemini_get(val, "fileUri", "file_uri"));
    surety__import_keep(import, part, item, SURETY_PROTOCOL_GEMINI,
                        "fileData file_data");
}

static void from_gemini_call(surety__import *import, surety_val item,
                             surety_val val)
{
    const surety_val args = surety_val_get(val, "args");
    surety_part *part = surety__import_part(import, SURETY_PART_CALL);

    if (!surety__import_str(import, val, "name", &part->name) ||
        !surety__import_maybe(import, val, "id", &part->id))
        return;
    if (args.doc && surety_val_kind(args) != SURETY_KIND_OBJECT &&
        surety_val_kind(args) != SURETY_KIND_NULL) {
        surety__import_fail(import, args, "\"args\" must be an object");
        return;
    }
    part->text = surety_val_kind(args) == SURETY_KIND_OBJECT
                     ? surety_val_text(args)
                     : SURETY__LITERAL("{}");
    surety__import_keep(import, part, item, SURETY_PROTOCOL_GEMINI,
                        part->id.len > 0 ? "functionCall function_call" : "");
    surety__import_call_add(import, part, item);
}

/* Gives the text of a response, which is {output} or {error} by convention;
 * false: it is another object. */
static bool from_gemini_response(surety_val response, surety_part *part)
{
    const surety_val error = surety_val_get(response, "error");
    const surety_val given =
        error.doc ? error : surety_val_get(response, "output");
    const bool is_usual = given.doc && surety_val_count(response) == 1;

    part->error = is_usual && error.doc;
    if (is_usual && surety_val_kind(given) == SURETY_KIND_STRING)
        part->text = surety_val_str(given);
    else
        part->text = surety_val_text(is_usual ? given : response);
    return is_usual;
}

static void from_gemini_result(surety__import *import, surety_val item,
                               surety_val val)
{
    surety_part *part = surety__import_part(import, SURETY_PART_RESULT);
    const surety_val parts = surety_val_get(val, "parts");
    bool is_usual;

    if (!surety__import_str(import, val, "name", &part->name) ||
        !surety__import_maybe(import, val, "id", &part->id))
        return;
    is_usual = from_gemini_response(surety_val_get(val, "response"), part) &&
               part->id.len > 0;
    if (part->id.len == 0)
        part->id = surety__import_waiting(import, part->name);
    if (part->id.len == 0) {
        surety__import_fail(import, item,
                            "no call of %.*s waits for this result",
                            (int)part->name.len, part->name.ptr);
        return;
    }
    if (surety_val_count(parts) == 0)
        surety__import_keep(import, part, item, SURETY_PROTOCOL_GEMINI,
                            is_usual ? "functionResponse function_response"
                                     : "");
    SURETY_EACH (piece, parts)
        from_gemini_data(import, piece,
                         from_gemini_get(piece, "inlineData", "inline_data"));
}

static const struct from_gemini_kind {
    const char *name, *other;
    void (*read)(surety__import *import, surety_val item, surety_val val);
} from_gemini_kinds[] = {
    {"text", "text", from_gemini_text},
    {"inlineData", "inline_data", from_gemini_data},
    {"fileData", "file_data", from_gemini_file},
    {"functionCall", "function_call", from_gemini_call},
    {"functionResponse", "function_response", from_gemini_result},
};

static void from_gemini_part(surety__import *import, surety_val item)
{
    for (size_t i = 0; i < SURETY__COUNT(from_gemini_kinds); i++) {
        const surety_val val = from_gemini_get(item, from_gemini_kinds[i].name,
                                               from_gemini_kinds[i].other);

        if (val.doc) {
            from_gemini_kinds[i].read(import, item, val);
            return;
        }
    }
    surety__import_refuse(import, item, "part",
                          surety_val_key(surety_val_first(item)));
}

/* ---- contents ------------------------------------------------------------ */

static void from_gemini_parts(surety__import *import, surety_role role,
                              surety_val item)
{
    const surety_val parts = surety_val_get(item, "parts");

    if (surety_val_kind(parts) != SURETY_KIND_ARRAY) {
        surety__import_fail(import, item, "\"parts\" must be an array");
        return;
    }
    if (surety_val_count(parts) == 0)
        surety__import_message(import, role, item);
    SURETY_EACH (part, parts) {
        const bool is_result =
            from_gemini_get(part, "functionResponse", "function_response").doc;
        const bool is_first = part.index == surety_val_first(parts).index;

        if (is_result)
            surety__import_join(import, SURETY_ROLE_TOOL, item);
        else if (is_first)
            surety__import_message(import, role, item);
        else
            surety__import_join(import, role, item);
        from_gemini_part(import, part);
    }
}

void surety__read_gemini_system(surety__import *import, surety_val system)
{
    if (surety_val_kind(system) == SURETY_KIND_STRING) {
        surety__import_message(import, SURETY_ROLE_SYSTEM, system);
        surety__import_text(import, system);
        return;
    }
    from_gemini_parts(import, SURETY_ROLE_SYSTEM, system);
}

void surety__read_gemini(surety__import *import, surety_val item)
{
    const surety_val name = surety_val_get(item, "role");

    surety__import_leave(import, item, "role parts");
    if (surety_val_is(name, "model"))
        from_gemini_parts(import, SURETY_ROLE_ASSISTANT, item);
    else if (!name.doc || surety_val_is(name, "user") ||
             surety_val_is(name, "function"))
        from_gemini_parts(import, SURETY_ROLE_USER, item);
    else
        surety__import_fail(import, name, "a role is user or model");
}
