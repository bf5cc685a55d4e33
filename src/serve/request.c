/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the protocols of the server side: writing JSON from a pattern,
 * reading a request into surety__model_request, and reading the parts of an
 * answer. Each protocol has a file of its own, and speak.c chooses one.
 *
 * 1. The first fault of a request is kept, in the words of the providers.
 * 2. Texts of a request belong to its document, or where several are joined, to
 *    the arena. */
#include "serve/speak.h"

#define REQUEST_TITLE_MAX 64

/* ---- writing ------------------------------------------------------------- */

void surety__speak_openai_error(const surety__problem *problem, surety_buf *out)
{
    surety__template_write(out,
                           "{'error':{'message':$s,'type':$s,'param':$m,"
                           "'code':$m",
                           problem->message, problem->type, problem->param,
                           problem->code);
    if (problem->details.len)
        surety__template_write(out, ",'details':$r", problem->details);
    surety_buf_text(out, "}}");
}

/* ---- reading ------------------------------------------------------------- */

void surety__request_fail(surety__request_reader *reader, const char *param,
                          const char *code, const char *format, ...)
{
    va_list args;

    assert(reader->problem && reader->error);
    if (reader->status)
        return;
    va_start(args, format);
    reader->status = surety__failv(reader->error, SURETY_SYNTAX, format, args);
    va_end(args);
    *reader->problem =
        (surety__problem){.status = 400,
                          .param = surety_str_of(param),
                          .code = surety_str_of(code),
                          .message = surety_str_of(reader->error->message)};
}

void surety__request_missing(surety__request_reader *reader, const char *param)
{
    surety__request_fail(reader, param, "missing_required_parameter",
                         "Missing required parameter: '%s'.", param);
}

surety_val surety__request_member(surety__request_reader *reader,
                                  surety_val object, const char *name,
                                  surety_kind kind)
{
    const surety_val member = surety_val_get(object, name);
    const surety_kind got = surety_val_kind(member);

    if (got == SURETY_KIND_NONE || got == SURETY_KIND_NULL)
        return surety_val_none();
    if (got == kind)
        return member;
    surety__request_fail(reader, name, "invalid_type",
                         "Invalid type for '%s': expected %s, but got %s "
                         "instead.",
                         name, surety_kind_name(kind), surety_kind_name(got));
    return surety_val_none();
}

static void content_line(surety_buf *out, surety_str text)
{
    if (out->len && text.len)
        surety_buf_byte(out, '\n');
    surety_buf_add(out, text);
}

/* Appends a tool's result: a string, the texts of its parts, or another value
 * as JSON. */
static void content_result(surety_buf *out, surety_val result)
{
    const surety_kind kind = surety_val_kind(result);
    const bool has_parts =
        surety_val_get(surety_val_first(result), "type").doc != NULL ||
        surety_val_get(surety_val_first(result), "text").doc != NULL;

    if (kind == SURETY_KIND_STRING) {
        content_line(out, surety_val_str(result));
    } else if (kind == SURETY_KIND_ARRAY && has_parts) {
        SURETY_EACH (part, result)
            content_line(out, surety_val_str(surety_val_get(part, "text")));
    } else if (result.doc && kind != SURETY_KIND_NULL) {
        if (out->len)
            surety_buf_byte(out, '\n');
        surety_val_write(result, SURETY_STYLE_COMPACT, out);
    }
}

/* The tool's result in a part; SURETY_NONE: the part is no result. In Gemini's
 * response the member output or error, if present, is the result
 * (FunctionResponse in Google's API reference). */
static surety_val content_find_result(surety_val part)
{
    const surety_str type = surety_val_str(surety_val_get(part, "type"));
    surety_val response = surety_val_get(part, "functionResponse");

    if (surety__str_ends(type, SURETY__LITERAL("tool_result"))) {
        const surety_val content = surety_val_get(part, "content");
        return content.doc ? content : part;
    }
    if (!response.doc)
        response = surety_val_get(part, "function_response");
    if (!response.doc)
        return surety_val_none();
    response = surety_val_get(response, "response");
    if (surety_val_get(response, "output").doc)
        return surety_val_get(response, "output");
    if (surety_val_get(response, "error").doc)
        return surety_val_get(response, "error");
    return response.doc ? response : part;
}

surety_str surety__request_text(surety__request_reader *reader,
                                surety_val content, bool *ret_is_result)
{
    surety_buf out;

    surety_buf_init(&out, reader->arena->alloc, 0);
    if (surety_val_kind(content) == SURETY_KIND_ARRAY)
        SURETY_EACH (part, content) {
            const surety_val result = content_find_result(part);
            if (result.doc) {
                *ret_is_result = true;
                content_result(&out, result);
            } else {
                surety_buf_add(&out,
                               surety_val_str(surety_val_get(part, "text")));
            }
        }
    else
        content_result(&out, content);
    return surety__arena_buf(reader->arena, &out);
}

static void reading_add_system(surety__request_reader *reader, surety_str text)
{
    surety_str *system = &reader->request->system;
    surety_buf joined;

    if (!system->len) {
        *system = text;
        return;
    }
    surety_buf_init(&joined, reader->arena->alloc, 0);
    surety_buf_add(&joined, *system);
    surety_buf_byte(&joined, '\n');
    surety_buf_add(&joined, text);
    *system = surety__arena_buf(reader->arena, &joined);
    if (!system->ptr)
        reader->status = SURETY_NOMEM;
}

static bool role_is(surety_str role, const char *one, const char *other)
{
    return surety_str_equal(role, surety_str_of(one)) ||
           surety_str_equal(role, surety_str_of(other));
}

void *surety__request_room(surety__request_reader *reader, void *items,
                           size_t count, size_t *cap, size_t size)
{
    void *grown = items;

    assert(count <= *cap);
    if (count < *cap)
        return items;
    *cap = *cap * 2 + 8;
    grown = surety__arena_take(reader->arena, *cap * size);
    if (!grown)
        reader->status = SURETY_NOMEM;
    else if (count)
        memcpy(grown, items, count * size);
    return grown;
}

void surety__request_add(surety__request_reader *reader, surety__author author,
                         surety_str text, uint32_t dimensions)
{
    surety__model_request *request = reader->request;

    if (!text.ptr && !reader->status)
        reader->status = SURETY_NOMEM;
    if (reader->status)
        return;
    request->prompt_bytes += text.len;
    reader->messages =
        surety__request_room(reader, reader->messages, request->message_count,
                             &reader->message_cap, sizeof(*reader->messages));
    if (!reader->messages)
        return;
    reader->messages[request->message_count++] =
        (surety__model_message){author, text, dimensions};
    request->messages = reader->messages;
}

void surety__request_add_message(surety__request_reader *reader,
                                 surety_str role, surety_val content)
{
    bool is_result = role_is(role, "tool", "function");
    const surety_str text = surety__request_text(reader, content, &is_result);
    const surety__author author = role_is(role, "assistant", "model")
                                      ? AUTHOR_ASSISTANT
                                  : is_result ? AUTHOR_TOOL
                                              : AUTHOR_USER;

    if (!role_is(role, "system", "developer") || !text.ptr) {
        surety__request_add(reader, author, text, 0);
    } else if (!reader->status) {
        reader->request->prompt_bytes += text.len;
        reading_add_system(reader, text);
    }
}

void surety__request_add_tool(surety__request_reader *reader, surety_str name,
                              bool callable)
{
    surety__model_request *request = reader->request;

    reader->tools =
        surety__request_room(reader, reader->tools, request->tool_count,
                             &reader->tool_cap, sizeof(*reader->tools));
    if (!reader->tools)
        return;
    reader->tools[request->tool_count++] = name;
    request->tools = reader->tools;
    if (callable && !request->tool.len)
        request->tool = name;
}

surety_str surety__request_choose(surety__request_reader *reader,
                                  surety_val choice, surety_str wanted)
{
    surety__model_request *request = reader->request;
    const surety_val inner = surety_val_get(choice, "allowed_tools");
    const surety_val allowed = inner.doc ? inner : choice;
    const surety_val first = surety_val_first(surety_val_get(allowed, "tools"));
    const surety_val function = surety_val_get(first, "function");

    request->choice = CHOICE_AUTO;
    if (wanted.len) {
        request->choice = CHOICE_NAMED;
    } else if (surety_val_is(surety_val_get(choice, "type"), "allowed_tools")) {
        if (surety_val_is(surety_val_get(allowed, "mode"), "required")) {
            request->choice = CHOICE_REQUIRED;
            return surety_val_str(
                surety_val_get(function.doc ? function : first, "name"));
        }
    } else if (surety_val_is(choice, "required")) {
        request->choice = CHOICE_REQUIRED;
    } else if (surety_val_is(choice, "none")) {
        request->choice = CHOICE_NONE;
    } else if (surety_val_kind(choice) == SURETY_KIND_STRING &&
               !surety_val_is(choice, "auto")) {
        surety__request_fail(
            reader, "tool_choice", "invalid_value",
            "Invalid value for 'tool_choice': supported values "
            "are 'none', 'auto', and 'required'.");
    }
    return wanted;
}

bool surety__request_requires(const surety__request_reader *reader,
                              surety_str name, surety_str wanted)
{
    const surety__model_request *request = reader->request;

    return name.len && request->choice >= CHOICE_REQUIRED &&
           request->mode != SURETY_MODE_TOOL &&
           (!wanted.len || surety_str_equal(name, wanted));
}

void surety__request_tools_end(surety__request_reader *reader,
                               surety_str wanted, const char *named,
                               const char *any)
{
    surety__model_request *request = reader->request;

    if (request->choice < CHOICE_REQUIRED ||
        request->mode == SURETY_MODE_TOOL) {
        if (!request->tool_count)
            request->choice = CHOICE_NONE;
        return;
    }
    if (wanted.len)
        surety__request_fail(reader, "tool_choice", NULL, named,
                             (int)wanted.len, wanted.ptr);
    else
        surety__request_fail(reader, "tool_choice", NULL, "%s", any);
}

uint32_t surety__request_number(surety__request_reader *reader,
                                surety_val number, const char *name,
                                uint32_t most, uint32_t usual)
{
    const uint64_t count = surety_val_uint(number, 0);

    if (!number.doc || surety_val_kind(number) == SURETY_KIND_NULL)
        return usual;
    if (count < 1 || count > most)
        surety__request_fail(reader, name, "invalid_value",
                             "Invalid value for '%s': expected an integer from "
                             "1 to %u.",
                             name, (unsigned)most);
    return (uint32_t)count;
}

void surety__request_require(surety__request_reader *reader, surety_str name,
                             surety_val schema, bool is_strict)
{
    reader->request->mode = SURETY_MODE_TOOL;
    reader->request->tool = name;
    reader->request->schema = schema;
    reader->request->schema_name = name;
    reader->request->strict = is_strict;
}

surety_str surety__request_title(surety_val schema)
{
    surety_str title = surety_val_str(surety_val_get(schema, "title"));

    title.len = surety__utf8_cut(title, REQUEST_TITLE_MAX);
    return title.len ? title : SURETY__LITERAL("output");
}

/* ---- names --------------------------------------------------------------- */

const char *surety__choice_name(surety__choice choice)
{
    static const char *const names[] = {"none", "auto", "required", "named"};

    assert((size_t)choice < SURETY__COUNT(names));
    return names[choice];
}

const char *surety__format_name(surety__format format)
{
    static const char *const names[] = {"text", "json_object", "json_schema"};

    assert((size_t)format < SURETY__COUNT(names));
    return names[format];
}

const char *surety__author_name(surety__author author)
{
    static const char *const names[] = {"user", "assistant", "tool"};

    assert((size_t)author < SURETY__COUNT(names));
    return names[author];
}

/* ---- the answer ---------------------------------------------------------- */

surety_str surety__speech_text(const surety__speech *speech,
                               surety__speech_part part)
{
    assert(part < PART_NONE);
    return surety_buf_str(&speech->parts[part]);
}

size_t surety__speech_items(const surety__speech *speech)
{
    return PART_ARGUMENTS + speech->call_count;
}

static surety__speech_item speech_call(const surety__speech *speech, size_t i)
{
    const surety_str all = surety__speech_text(speech, PART_ARGUMENTS);
    surety__speech_item item = {.part = PART_ARGUMENTS, .call = i};
    size_t end = all.len;

    if (i >= speech->call_count) /* memory ran out */
        return item;
    if (i + 1 < speech->call_count)
        end = speech->calls[i + 1].start;
    item.tool = speech->calls[i].tool;
    item.id = speech->calls[i].id;
    item.raw = speech->calls[i].raw;
    if (speech->calls[i].start < end && end <= all.len)
        item.text = (surety_str){all.ptr + speech->calls[i].start,
                                 end - speech->calls[i].start};
    return item;
}

bool surety__speech_item_at(const surety__speech *speech, size_t index,
                            surety__speech_item *ret_item)
{
    assert(index < surety__speech_items(speech));
    if (index >= PART_ARGUMENTS) {
        *ret_item = speech_call(speech, index - PART_ARGUMENTS);
        return true;
    }
    *ret_item = (surety__speech_item){.part = (surety__speech_part)index};
    ret_item->text = surety__speech_text(speech, ret_item->part);
    return speech->has[index];
}

surety__speech_item surety__speech_open(const surety__speech *speech)
{
    assert(speech->open < PART_NONE);
    if (speech->open == PART_ARGUMENTS)
        return speech_call(speech, speech->open_call);
    return (surety__speech_item){.part = speech->open,
                                 .text =
                                     surety__speech_text(speech, speech->open)};
}

void surety__speech_put_number(const surety__speech_item *item, surety_buf *out)
{
    if (item->call)
        surety__template_write(out, "-$n", (uint64_t)item->call + 1);
}

void surety__speech_put_id(const surety__speech *speech,
                           const surety__speech_item *item, const char *prefix,
                           surety_buf *out)
{
    if (item->id.len) {
        surety__template_write(out, "$e", item->id);
        return;
    }
    surety__template_write(out, "$t$e", prefix, speech->id);
    surety__speech_put_number(item, out);
}

surety_str surety__closing_word(const surety__closing *ending,
                                const surety__speech *speech)
{
    static const char *const ours[] = {"stop", "length", "filter", "refusal",
                                       "tool"};

    for (size_t i = 0; i < SURETY__COUNT(ours); i++)
        if (surety_str_equal(ending->finish, surety_str_of(ours[i])))
            return surety_str_of(speech->words[i]);
    if (ending->finish.len)
        return ending->finish;
    if (speech->has[PART_ARGUMENTS])
        return surety_str_of(speech->words[4]);
    return surety_str_of(speech->words[speech->has[PART_REFUSAL] ? 3 : 0]);
}

void surety__speak_arguments(surety_str text, surety_buf *out)
{
    surety_doc *doc = surety_doc_new(out->alloc);
    surety_status status =
        doc ? surety_doc_read(doc, text, NULL, NULL) : SURETY_NOMEM;

    if (status == SURETY_NOMEM)
        out->status = out->status ? out->status : SURETY_NOMEM;
    else if (status == SURETY_OK &&
             surety_val_kind(surety_doc_root(doc)) == SURETY_KIND_OBJECT)
        surety_val_write(surety_doc_root(doc), SURETY_STYLE_COMPACT, out);
    else if (!surety__str_trim(text).len)
        surety_buf_text(out, "{}");
    else
        surety_json_string(out, text);
    surety_doc_free(doc);
}
