/* SPDX-License-Identifier: Apache-2.0 */
/* from_anthropic.c: messages of Anthropic. Results are blocks of a user's
 * message there; ours have a role of their own, so such a message becomes two:
 * the results, then what else it has. */
#include "message/import.h"

/* ---- blocks -------------------------------------------------------------- */

/* What every block may have: a mark of the cache, and more that only Anthropic
 * understands. */
static void from_anthropic_rest(surety__import *import, surety_part *part,
                                surety_val block, const char *known)
{
    const surety_val mark = surety_val_get(block, "cache_control");

    part->cache = surety_val_kind(mark) == SURETY_KIND_OBJECT;
    if (surety_val_get(mark, "ttl").doc)
        surety__import_raw(part, block, SURETY_PROTOCOL_ANTHROPIC);
    else
        surety__import_keep(import, part, block, SURETY_PROTOCOL_ANTHROPIC,
                            known);
}

static void from_anthropic_text(surety__import *import, surety_val block)
{
    surety_part *part = surety__import_part(import, SURETY_PART_TEXT);

    if (surety__import_str(import, block, "text", &part->text))
        from_anthropic_rest(import, part, block, "type text cache_control");
}

static void from_anthropic_source(surety__import *import, surety_val block,
                                  surety_part *part)
{
    const surety_val source = surety_val_get(block, "source");
    const surety_val type = surety_val_get(source, "type");

    if (surety_val_is(type, "base64")) {
        surety__import_data(import, surety_val_get(source, "data"), part);
        surety__import_str(import, source, "media_type", &part->media_type);
    } else if (surety_val_is(type, "text")) {
        surety__import_str(import, source, "data", &part->data);
        part->media_type = SURETY__LITERAL("text/plain");
    } else if (surety_val_is(type, "url")) {
        surety__import_str(import, source, "url", &part->url);
    } else if (surety_val_is(type, "file")) {
        surety__import_str(import, source, "file_id", &part->file_id);
    } else {
        surety__import_refuse(import, block, "source", type);
    }
}

static void from_anthropic_image(surety__import *import, surety_val block)
{
    surety_part *part = surety__import_part(import, SURETY_PART_IMAGE);

    from_anthropic_source(import, block, part);
    from_anthropic_rest(import, part, block, "type source cache_control");
}

static void from_anthropic_document(surety__import *import, surety_val block)
{
    surety_part *part = surety__import_part(import, SURETY_PART_DOCUMENT);

    from_anthropic_source(import, block, part);
    surety__import_maybe(import, block, "title", &part->name);
    from_anthropic_rest(import, part, block, "type source title cache_control");
}

static void from_anthropic_thinking(surety__import *import, surety_val block)
{
    surety_part *part = surety__import_part(import, SURETY_PART_REASONING);

    surety__import_maybe(import, block, "thinking", &part->text);
    surety__import_raw(part, block, SURETY_PROTOCOL_ANTHROPIC);
}

static void from_anthropic_call(surety__import *import, surety_val block)
{
    const surety_val input = surety_val_get(block, "input");
    surety_part *part = surety__import_part(import, SURETY_PART_CALL);

    if (!surety__import_str(import, block, "id", &part->id) ||
        !surety__import_maybe(import, block, "name", &part->name))
        return;
    part->text = surety_val_text(input);
    if (surety_val_kind(input) != SURETY_KIND_OBJECT)
        surety__import_fail(import, block, "\"input\" must be an object");
    from_anthropic_rest(import, part, block,
                        "type id name input cache_control");
    surety__import_call_add(import, part, block);
}

static void from_anthropic_block(surety__import *import, surety_val block);

static void from_anthropic_result(surety__import *import, surety_val block)
{
    const surety_val content = surety_val_get(block, "content");
    const size_t at = import->part_count;
    surety_part *part = surety__import_part(import, SURETY_PART_RESULT);

    if (!surety__import_str(import, block, "tool_use_id", &part->id) ||
        !surety__import_is_content(import, content))
        return;
    part->error = surety_val_bool(surety_val_get(block, "is_error"), false);
    part->text = surety_val_str(content);
    part->cache = surety_val_get(block, "cache_control").doc != NULL;
    surety__import_result(import, part);
    surety__import_leave(import, block,
                         "type tool_use_id content is_error cache_control");
    if (surety_val_kind(content) != SURETY_KIND_ARRAY)
        return;
    SURETY_EACH (piece, content) {
        const surety_val type = surety_val_get(piece, "type");

        if (surety_val_is(type, "tool_result"))
            surety__import_refuse(import, piece, "block", type);
        else
            from_anthropic_block(import, piece);
    }
    surety__import_fold(import, at);
}

static const struct from_anthropic_kind {
    const char *type;
    void (*read)(surety__import *import, surety_val block);
} from_anthropic_kinds[] = {
    {"text", from_anthropic_text},
    {"image", from_anthropic_image},
    {"document", from_anthropic_document},
    {"thinking", from_anthropic_thinking},
    {"redacted_thinking", from_anthropic_thinking},
    {"tool_use", from_anthropic_call},
    {"tool_result", from_anthropic_result},
};

static void from_anthropic_block(surety__import *import, surety_val block)
{
    const surety_val type = surety_val_get(block, "type");

    for (size_t i = 0; i < SURETY__COUNT(from_anthropic_kinds); i++)
        if (surety_val_is(type, from_anthropic_kinds[i].type)) {
            from_anthropic_kinds[i].read(import, block);
            return;
        }
    surety__import_refuse(import, block, "block", type);
}

/* ---- messages ------------------------------------------------------------ */

static void from_anthropic_content(surety__import *import, surety_role role,
                                   surety_val item, surety_val content)
{
    if (!surety__import_is_content(import, content))
        return;
    if (surety_val_kind(content) != SURETY_KIND_ARRAY ||
        surety_val_count(content) == 0) {
        surety__import_message(import, role, item);
        surety__import_text(import, content);
        return;
    }
    SURETY_EACH (block, content) {
        const bool is_result =
            surety_val_is(surety_val_get(block, "type"), "tool_result");
        const surety_role speaks =
            is_result && role == SURETY_ROLE_USER ? SURETY_ROLE_TOOL : role;
        const bool is_first = block.index == surety_val_first(content).index;

        if (is_first && speaks == role)
            surety__import_message(import, role, item);
        else
            surety__import_join(import, speaks, item);
        from_anthropic_block(import, block);
    }
}

void surety__read_anthropic_system(surety__import *import, surety_val system)
{
    from_anthropic_content(import, SURETY_ROLE_SYSTEM, system, system);
}

void surety__read_anthropic(surety__import *import, surety_val item)
{
    surety_role role;

    if (!surety__import_role(surety_val_get(item, "role"), &role) ||
        role == SURETY_ROLE_TOOL) {
        surety__import_fail(import, item,
                            "a role is user, assistant or system");
        return;
    }
    surety__import_leave(import, item,
                         "role content id type model stop_reason "
                         "stop_sequence usage");
    from_anthropic_content(import, role, item, surety_val_get(item, "content"));
}
