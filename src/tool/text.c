/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of tools in a text, for models that have no tools of their own (mode
 * prompt) or whose server left the calls in the text. One form is asked for:
 *
 *     <tool_call>{"name": "NAME", "arguments": {...}}</tool_call>
 *
 * and all forms that models are known to write are read:
 *
 *     the same without tags, as the whole reply or in a block (name known)
 *     [TOOL_CALLS] [{...}]      <|python_tag|>{...}
 *     <tool_call>NAME <arg_key>K</arg_key><arg_value>V</arg_value></tool_call>
 *     <function=NAME><parameter=K>V</parameter></function>
 *     <invoke name="NAME"><parameter name="K">V</parameter></invoke>
 *     Action: NAME, and in the next line Action Input: {...}
 *
 * Rules:
 * 1. Without a tag, only an object with a known name and nothing besides its
 *    arguments is a call: a valid answer is never taken for one by accident.
 * 2. A value between tags is JSON where it is JSON and the tool's schema does
 *    not say that the member is a string; else it is a string.
 * 3. Arguments are only found here. The tool's contract judges them. */
#include "template/template.h"
#include "tool/tool.h"

/* Calls in one text; a model that writes more repeats itself. */
enum { TEXT_CALLS_MAX = 64 };

typedef struct text_reader {
    surety_tools *tools;
    surety__arena *arena;
    surety_buf text; /* of the arguments at hand */
    surety_part *parts;
    size_t count;
    surety_status status;
} text_reader;

/* ---- texts for the model ------------------------------------------------- */

void surety__tool_text_offer(const surety_tools *tools, surety_buf *out)
{
    surety_buf_text(out, "\n\nYou can call these tools:\n");
    for (size_t i = 0; i < surety_tools_count(tools); i++) {
        const surety_tool_info *info = surety_tools_info(tools, i);

        surety_buf_text(out, "\n- ");
        surety_buf_add(out, info->name);
        if (info->description.len) {
            surety_buf_text(out, ": ");
            surety_buf_add(out, info->description);
        }
        surety_buf_text(out, "\n  Arguments, as JSON Schema: ");
        surety_buf_add(out, info->parameters);
    }
    surety_buf_text(
        out, "\n\nTo call tools, write this for each call, and nothing else:\n"
             "<tool_call>{\"name\": \"NAME\", \"arguments\": {...}}"
             "</tool_call>\n"
             "You get the results in the next message. When you need no more "
             "tools, answer.\n");
}

/* "<" is escaped, so that no result can end its element. */
void surety__tool_text_result(const surety_part *result, surety_buf *out)
{
    const size_t start = out->len;
    surety_buf line;

    surety_buf_init(&line, out->alloc, 0);
    surety__template_write(&line, "{'name':$s,'$t':$s}", result->name,
                           result->error ? "error" : "result", result->text);
    surety_buf_text(out, start ? "\n<tool_response>" : "<tool_response>");
    for (size_t i = 0; i < line.len; i++)
        if (line.ptr[i] == '<')
            surety_buf_text(out, "\\u003c");
        else
            surety_buf_byte(out, line.ptr[i]);
    surety_buf_text(out, "</tool_response>");
    surety__buf_end(&line, &out->status);
}

/* ---- calls --------------------------------------------------------------- */

/* Adds a call; arguments: JSON. */
static void text_add(text_reader *reader, surety_str name, surety_str arguments)
{
    surety_part *part;

    if (reader->text.status != SURETY_OK)
        reader->status = reader->text.status;
    if (reader->count == TEXT_CALLS_MAX || reader->status != SURETY_OK)
        return;
    part = &reader->parts[reader->count];
    *part = (surety_part){
        .kind = SURETY_PART_CALL,
        .name = surety__arena_text(reader->arena, name),
        .text = surety__arena_text(reader->arena, arguments),
    };
    if (!part->name.ptr || !part->text.ptr)
        reader->status = SURETY_NOMEM;
    else
        reader->count++;
}

/* The member of the first of these names that the object has. */
static surety_val text_member(surety_val object, const char *const *names,
                              size_t count)
{
    surety_val member = surety_val_none();

    for (size_t i = 0; i < count && !member.doc; i++)
        member = surety_val_get(object, names[i]);
    return member;
}

static const char *const text_names[] = {"name", "tool", "tool_name", "action"};
static const char *const text_arguments[] = {"arguments", "args", "parameters",
                                             "input", "action_input"};

/* Whether an object without a tag is a call. */
static bool text_is_call(const text_reader *reader, surety_val object)
{
    static const char *const beside[] = {"id", "type"};

    SURETY_EACH (member, object) {
        const surety_str key = surety_val_str(surety_val_key(member));

        if (!surety__str_among(key, text_names, SURETY__COUNT(text_names)) &&
            !surety__str_among(key, text_arguments,
                               SURETY__COUNT(text_arguments)) &&
            !surety__str_among(key, beside, SURETY__COUNT(beside)))
            return false;
    }
    return text_member(object, text_arguments, SURETY__COUNT(text_arguments))
               .doc &&
           surety__tools_find(reader->tools, surety_val_str(text_member(
                                                 object, text_names,
                                                 SURETY__COUNT(text_names))));
}

/* Takes an object that may be a call. */
static void text_object(text_reader *reader, surety_val object, bool tagged)
{
    const surety_val function = surety_val_get(object, "function");
    surety_val arguments;
    surety_str name;

    if (surety_val_kind(function) == SURETY_KIND_OBJECT)
        object = function;
    if (!tagged && !text_is_call(reader, object))
        return;
    name = surety_val_str(
        text_member(object, text_names, SURETY__COUNT(text_names)));
    arguments =
        text_member(object, text_arguments, SURETY__COUNT(text_arguments));
    if (!name.len)
        return;
    if (surety_val_kind(arguments) == SURETY_KIND_STRING) {
        text_add(reader, name, surety_val_str(arguments));
        return;
    }
    surety_buf_reset(&reader->text);
    if (arguments.doc)
        (void)surety_val_write(arguments, SURETY_STYLE_COMPACT, &reader->text);
    else
        surety_buf_text(&reader->text, "{}");
    text_add(reader, name, surety_buf_str(&reader->text));
}

/* Takes the first JSON of a text: a call, or an array of calls. */
static void text_json(text_reader *reader, surety_str text, bool tagged)
{
    const surety_outcome *outcome = NULL;
    surety_val value;
    surety_status status;

    status = surety_judge_reply(reader->tools->judge, reader->tools->any, text,
                                NULL, &outcome, NULL);
    if (status == SURETY_NOMEM)
        reader->status = status;
    if (status != SURETY_OK || !surety_outcome_info_of(outcome)->ok)
        return;
    value = surety_outcome_info_of(outcome)->value;
    if (surety_val_kind(value) == SURETY_KIND_OBJECT) {
        text_object(reader, value, tagged);
        return;
    }
    SURETY_EACH (item, value)
        text_object(reader, item, tagged);
}

/* ---- elements ------------------------------------------------------------ */

/* Cuts text before the first mark off, and skips the mark. Returns what was
 * before it; all of the text if there is none. */
static surety_str text_until(surety_str *text, const char *mark)
{
    const surety_str needle = surety_str_of(mark);
    const surety_str before = {text->ptr, surety__str_find(*text, needle)};

    surety__str_skip(text, before.len);
    if (text->len)
        surety__str_skip(text, needle.len);
    return before;
}

/* Whether the tool's schema says that this argument is a string. */
static bool text_is_string(const text_reader *reader, surety_str name,
                           surety_str key)
{
    const surety__tool *tool = surety__tools_find(reader->tools, name);
    const surety_val root =
        tool ? surety_contract_info_of(tool->parameters)->root
             : surety_val_none();

    return surety_val_is(
        surety_val_get(
            surety_val_member(surety_val_get(root, "properties"), key), "type"),
        "string");
}

/* Appends a member whose value is between tags. */
static void text_member_write(text_reader *reader, surety_str name,
                              surety_str key, surety_str value)
{
    surety_buf *out = &reader->text;
    surety_doc *doc = surety_doc_new(out->alloc);
    surety_status status = doc ? SURETY_OK : SURETY_NOMEM;

    value = surety__str_trim(value);
    if (status == SURETY_OK && text_is_string(reader, name, key))
        status = SURETY_SYNTAX;
    else if (status == SURETY_OK)
        status = surety_doc_read(doc, value, NULL, NULL);
    if (status == SURETY_NOMEM)
        reader->status = status;
    surety__template_write(out, out->len > 1 ? ",$s:" : "$s:", key);
    if (status == SURETY_OK)
        surety_buf_add(out, value);
    else
        surety_json_string(out, value);
    surety_doc_free(doc);
}

/* The forms of arguments as elements: what opens a key, what ends it, what
 * opens the value, and what ends that. */
typedef struct text_form {
    const char *key, *key_end, *value, *value_end;
} text_form;

static void text_elements(text_reader *reader, surety_str name, surety_str text,
                          const text_form *form)
{
    surety_buf_reset(&reader->text);
    surety_buf_byte(&reader->text, '{');
    for (;;) {
        surety_str key, value;

        (void)text_until(&text, form->key);
        if (!text.len)
            break;
        key = surety__str_trim(text_until(&text, form->key_end));
        if (form->value)
            (void)text_until(&text, form->value);
        value = text_until(&text, form->value_end);
        if (key.len)
            text_member_write(reader, name, key, value);
    }
    surety_buf_byte(&reader->text, '}');
    text_add(reader, name, surety_buf_str(&reader->text));
}

/* ---- tags ---------------------------------------------------------------- */

static const text_form text_form_parameter = {"<parameter=", ">", NULL,
                                              "</parameter>"};
static const text_form text_form_named = {"<parameter name=\"", "\">", NULL,
                                          "</parameter>"};
static const text_form text_form_pairs = {"<arg_key>", "</arg_key>",
                                          "<arg_value>", "</arg_value>"};

static void text_function(text_reader *reader, surety_str inner)
{
    const surety_str name = surety__str_trim(text_until(&inner, ">"));

    if (name.len)
        text_elements(reader, name, inner, &text_form_parameter);
}

static void text_invoke(text_reader *reader, surety_str inner)
{
    const surety_str name = surety__str_trim(text_until(&inner, "\">"));

    if (name.len)
        text_elements(reader, name, inner, &text_form_named);
}

/* Takes the content of <tool_call>. */
static void text_tool_call(text_reader *reader, surety_str inner)
{
    surety_str rest = surety__str_trim(inner);

    if (rest.len &&
        (rest.ptr[0] == '{' || rest.ptr[0] == '[' || rest.ptr[0] == '`')) {
        text_json(reader, rest, true);
    } else if (surety__str_starts(rest, SURETY__LITERAL("<function="))) {
        surety__str_skip(&rest, sizeof("<function=") - 1);
        text_function(reader, text_until(&rest, "</function>"));
    } else {
        const size_t end = surety__str_find(rest, SURETY__LITERAL("<arg_key>"));
        const surety_str name = surety__str_trim((surety_str){rest.ptr, end});

        surety__str_skip(&rest, end);
        if (name.len)
            text_elements(reader, name, rest, &text_form_pairs);
    }
}

static void text_behind(text_reader *reader, surety_str inner)
{
    text_json(reader, inner, true);
}

/* "NAME" up to the end of its line, "Action Input:" and JSON. */
static void text_action(text_reader *reader, surety_str inner)
{
    const surety_str name = surety__str_trim(text_until(&inner, "\n"));
    surety_str input;

    (void)text_until(&inner, "Action Input:");
    input = surety__str_trim(text_until(&inner, "\nObservation:"));
    if (!surety__tools_find(reader->tools, name) || !input.len)
        return;
    text_add(reader, name, input);
}

static const struct text_tag {
    const char *open, *close; /* close NULL: to the end of the text */
    void (*take)(text_reader *reader, surety_str inner);
} text_tags[] = {
    {"<tool_call>", "</tool_call>", text_tool_call},
    {"<function=", "</function>", text_function},
    {"<invoke name=\"", "</invoke>", text_invoke},
    {"[TOOL_CALLS]", NULL, text_behind},
    {"<|python_tag|>", NULL, text_behind},
    {"Action:", "\nObservation:", text_action}, /* where a line begins */
};

/* Where a tag opens from here on; the text's length: nowhere. */
static size_t text_opens(const struct text_tag *tag, surety_str text,
                         size_t from)
{
    const surety_str open = surety_str_of(tag->open);

    for (;;) {
        const surety_str rest = {text.ptr + from, text.len - from};
        const size_t at = from + surety__str_find(rest, open);

        if (at == text.len || tag->take != text_action || !at ||
            text.ptr[at - 1] == '\n')
            return at;
        from = at + open.len;
    }
}

/* Reads all tags. Where each opens next is kept, so that a text without one of
 * them is not looked through again and again. */
static void text_read(text_reader *reader, surety_str text)
{
    size_t next[SURETY__COUNT(text_tags)] = {0};
    size_t from = 0;

    while (reader->status == SURETY_OK && reader->count < TEXT_CALLS_MAX &&
           from < text.len) {
        size_t first = 0;
        surety_str rest = text;

        for (size_t i = 0; i < SURETY__COUNT(text_tags); i++) {
            if (!from || next[i] < from)
                next[i] = text_opens(&text_tags[i], text, from);
            if (next[i] < next[first])
                first = i;
        }
        if (next[first] >= text.len)
            break;
        rest = text;
        surety__str_skip(&rest, next[first] + strlen(text_tags[first].open));
        text_tags[first].take(reader,
                              text_tags[first].close
                                  ? text_until(&rest, text_tags[first].close)
                                  : rest);
        if (!text_tags[first].close)
            break;
        from = (size_t)(rest.ptr - text.ptr);
    }
    if (!reader->count && reader->status == SURETY_OK)
        text_json(reader, text, false);
}

/* Reads the contract of a call, or of several, once for the set. */
static surety_status text_any(surety_tools *tools)
{
    const surety_str any = SURETY__LITERAL(
        "{\"type\":[\"object\",\"array\"],\"x-surety\":{\"name\":\"call\","
        "\"repair\":\"syntax\"}}");
    const surety_contract_options options = {.size = sizeof(options),
                                             .limits = &tools->limits,
                                             .alloc = tools->alloc};

    return tools->any ? SURETY_OK
                      : surety_contract_read(any, &options, &tools->any, NULL);
}

surety_status surety__tool_text_read(surety_tools *tools, surety_str text,
                                     surety__arena *arena,
                                     surety_part **ret_parts, size_t *ret_count)
{
    text_reader reader = {.tools = tools, .arena = arena};

    *ret_count = 0;
    surety_buf_init(&reader.text, tools->alloc, 0);
    reader.parts =
        surety__arena_take(arena, TEXT_CALLS_MAX * sizeof(*reader.parts));
    reader.status = reader.parts ? text_any(tools) : SURETY_NOMEM;
    if (reader.status == SURETY_OK)
        text_read(&reader, text);
    surety__buf_end(&reader.text, &reader.status);
    *ret_parts = reader.parts;
    *ret_count = reader.status == SURETY_OK ? reader.count : 0;
    return reader.status;
}
