/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of tools that models write as text. The value of a call is its
 * arguments. One form is asked for where a model has no tools of its own:
 *
 *     <tool_call>{"name": "NAME", "arguments": {...}}</tool_call>
 *
 * and all forms that models are known to write are read:
 *
 *     the same without tags, where its members are those of a call and no
 * others NAME and JSON between the tokens of a model (the table call_tags)
 *     <tool_call>NAME <arg_key>K</arg_key><arg_value>V</arg_value></tool_call>
 *     <function=NAME><parameter=K>V</parameter></function>
 *     <invoke name="NAME"><parameter name="K">V</parameter></invoke>
 *     Action: NAME, and in the next line Action Input: {...}
 *
 * Rules:
 * 1. Without a tag, only an object with a name, arguments and nothing else is a
 *    call; the name must be that of a tool, where those are known.
 * 2. JSON is not copied: the arguments are the text's own bytes, and their
 *    reader repairs what is to be repaired. What is between the tags of an
 *    argument is a text. A number, true or false is one where the tool says so,
 *    and JSON becomes a value where nothing says that it is a text.
 * 3. A call without an end, or whose arguments have none, is no call. */
#include "form/inside.h"

static const char *const call_names[] = {"name", "tool", "tool_name", "action"};
static const char *const call_arguments[] = {"arguments", "args", "parameters",
                                             "input", "action_input"};
static const char *const call_beside[] = {"id", "type", "index",
                                          "tool_call_id"};

/* The member of the first of these names that the object has. */
static surety_val call_member(surety_val object, const char *const *names,
                              size_t count)
{
    surety_val member = surety_val_none();

    for (size_t i = 0; i < count && !member.doc; i++)
        member = surety_val_get(object, names[i]);
    return member;
}

/* Whether an object without a tag is a call. */
static bool call_is_one(const surety__forms *forms, surety_val object)
{
    const surety__form_task *task = &forms->task;
    const surety_str name = surety_val_str(
        call_member(object, call_names, SURETY__COUNT(call_names)));

    SURETY_EACH (member, object) {
        const surety_str key = surety_val_str(surety_val_key(member));

        if (!surety__str_among(key, call_names, SURETY__COUNT(call_names)) &&
            !surety__str_among(key, call_arguments,
                               SURETY__COUNT(call_arguments)) &&
            !surety__str_among(key, call_beside, SURETY__COUNT(call_beside)))
            return false;
    }
    return name.len &&
           call_member(object, call_arguments, SURETY__COUNT(call_arguments))
               .doc &&
           (!task->is_tool || task->is_tool(task->ctx, name));
}

/* A name without what models put around it: "functions.get_weather:0". */
static surety_str call_bare_name(surety_str name)
{
    size_t end;

    name = surety__str_trim(name);
    if (surety__str_starts(name, SURETY__LITERAL("functions.")))
        surety__str_skip(&name, sizeof("functions.") - 1);
    end = name.len;
    while (end && name.ptr[end - 1] >= '0' && name.ptr[end - 1] <= '9')
        end--;
    if (end && end < name.len && name.ptr[end - 1] == ':')
        name.len = end - 1;
    return name;
}

/* Adds a call whose arguments are bytes of the text. */
static void call_add(surety__forms *forms, surety_str name, form_span call,
                     form_span arguments)
{
    surety__formed *reading =
        surety__form_begin(forms, SURETY_FORM_TOOL_CALL, call.at);

    if (!reading)
        return;
    reading->raw = true;
    reading->at = arguments.at;
    reading->len = arguments.end - arguments.at;
    reading->name = surety__form_keep(forms, name);
    surety__form_end(forms, call.end);
}

/* ---- JSON ---------------------------------------------------------------- */

/* Reads the value that a span begins with. False: it has none, or no end.
 * *ret_end: where it ends. */
static bool call_read(surety__forms *forms, form_span span, size_t *ret_end)
{
    const surety__lenient_options options = {.limits = &forms->limits};
    size_t used = 0;
    surety_status status;

    if (span.at == span.end || !memchr("{[", forms->text.ptr[span.at], 2))
        return false;
    status = surety__doc_read_lenient(forms->doc, surety__form_str(forms, span),
                                      &options, &used, NULL);
    if (status == SURETY_NOMEM)
        forms->status = status;
    *ret_end = span.at + used;
    return status == SURETY_OK;
}

/* Takes an object that may be a call; base: where the text of its doc starts.
 */
static void call_object(surety__forms *forms, surety_val object, form_span call,
                        form_span text, bool tagged)
{
    const surety_val function = surety_val_get(object, "function");
    surety_val arguments;
    surety_str name;

    if (surety_val_kind(function) == SURETY_KIND_OBJECT)
        object = function;
    if (!tagged && !call_is_one(forms, object))
        return;
    name = call_bare_name(surety_val_str(
        call_member(object, call_names, SURETY__COUNT(call_names))));
    arguments =
        call_member(object, call_arguments, SURETY__COUNT(call_arguments));
    if (!name.len)
        return;
    if (arguments.doc) {
        text.at += surety__cell_of(arguments)->place;
        call_add(forms, name, call, text);
    } else if (surety__form_begin(forms, SURETY_FORM_TOOL_CALL, call.at)) {
        forms->readings[forms->count].name = surety__form_keep(forms, name);
        surety__form_bracket(forms, '{', call.at);
        surety__form_bracket(forms, '}', call.at);
        surety__form_end(forms, call.end);
    }
}

/* Takes the JSON that a span begins with: a call, or an array of calls. False:
 * it cannot be read. */
static bool call_json(surety__forms *forms, form_span call, form_span span,
                      bool tagged)
{
    const size_t before = forms->count;
    surety_val value;
    size_t end;

    if (!call_read(forms, span, &end))
        return false;
    span.end = end;
    value = surety_doc_root(forms->doc);
    if (surety_val_kind(value) == SURETY_KIND_OBJECT) {
        call_object(forms, value, call, span, tagged);
    } else {
        SURETY_EACH (item, value)
            call_object(forms, item, call, span, tagged);
    }
    return forms->count > before;
}

/* A span without blanks and without the fence that it begins with. */
static form_span call_open(const surety__forms *forms, form_span span)
{
    form_span line;

    span = surety__form_trim(forms, span);
    if (surety__form_skip(forms, &span, "```") &&
        surety__form_until(forms, &span, "\n", &line))
        span = surety__form_trim(forms, span);
    return span;
}

/* ---- elements ------------------------------------------------------------ */

/* Writes the value that is between the tags of an argument. */
static void call_value(surety__forms *forms, surety_str tool, surety_str key,
                       form_span span)
{
    const surety__form_task *task = &forms->task;
    surety_status status = SURETY_SYNTAX;
    surety_str text;

    span = surety__form_trim(forms, span);
    text = surety__form_str(forms, span);
    if (!task->is_text) {
        surety__form_scalar(forms, text, span);
        return;
    }
    if (!task->is_text(task->ctx, tool, key))
        status = surety_doc_read(forms->doc, text, NULL, NULL);
    if (status == SURETY_NOMEM)
        forms->status = status;
    if (status == SURETY_OK)
        surety__form_json(forms, text, span);
    else
        surety__form_string(forms, text, span, false);
}

/* The forms of arguments as elements: what opens a key, what ends it, what
 * opens the value, and what ends that. */
typedef struct call_layout {
    const char *key, *key_end, *value, *value_end;
} call_layout;

/* Takes a call whose arguments are elements. False: one has no end. */
static bool call_elements(surety__forms *forms, surety_str name, form_span call,
                          form_span span, const call_layout *form)
{
    form_span before, key, value;
    surety__formed *reading =
        surety__form_begin(forms, SURETY_FORM_TOOL_CALL, call.at);
    bool whole = true;

    if (!reading)
        return false;
    reading->name = surety__form_keep(forms, name);
    surety__form_bracket(forms, '{', call.at);
    while (whole && surety__form_until(forms, &span, form->key, &before)) {
        whole = surety__form_until(forms, &span, form->key_end, &key) &&
                (!form->value ||
                 surety__form_until(forms, &span, form->value, &before)) &&
                surety__form_until(forms, &span, form->value_end, &value);
        key = surety__form_trim(forms, key);
        if (!whole || key.at == key.end)
            continue;
        surety__form_string(forms, surety__form_str(forms, key), key, true);
        call_value(forms, name, surety__form_str(forms, key), value);
    }
    surety__form_bracket(forms, '}', call.end - 1);
    if (whole)
        surety__form_end(forms, call.end);
    else
        surety__form_drop(forms);
    return whole;
}

/* ---- tags ---------------------------------------------------------------- */

static const call_layout call_by_parameter = {"<parameter=", ">", NULL,
                                              "</parameter>"};
static const call_layout call_by_name = {"<parameter name=\"", "\">", NULL,
                                         "</parameter>"};
static const call_layout call_by_pair = {"<arg_key>", "</arg_key>",
                                         "<arg_value>", "</arg_value>"};

/* NAME and JSON. */
static bool call_named(surety__forms *forms, surety_str name, form_span call,
                       form_span span)
{
    size_t end;

    name = call_bare_name(name);
    span = call_open(forms, span);
    if (!name.len || !call_read(forms, span, &end))
        return false;
    call_add(forms, name, call, (form_span){span.at, end});
    return true;
}

static bool call_take_function(surety__forms *forms, form_span call,
                               form_span inner)
{
    form_span name;

    if (!surety__form_until(forms, &inner, ">", &name) ||
        surety__form_is_blank(forms, name))
        return false;
    name = surety__form_trim(forms, name);
    return call_named(forms, surety__form_str(forms, name), call, inner) ||
           call_elements(forms, surety__form_str(forms, name), call, inner,
                         &call_by_parameter);
}

static bool call_take_invoke(surety__forms *forms, form_span call,
                             form_span inner)
{
    form_span name;

    if (!surety__form_until(forms, &inner, "\"", &name) ||
        !surety__form_skip(forms, &inner, ">") ||
        surety__form_is_blank(forms, name))
        return false;
    name = surety__form_trim(forms, name);
    return call_elements(forms, surety__form_str(forms, name), call, inner,
                         &call_by_name);
}

/* The content of <tool_call>. */
static bool call_take_tagged(surety__forms *forms, form_span call,
                             form_span inner)
{
    form_span name, rest;

    inner = call_open(forms, inner);
    if (call_json(forms, call, inner, true))
        return true;
    rest = inner;
    if (surety__form_skip(forms, &rest, "<function=")) {
        (void)surety__form_until(forms, &rest, "</function>", &name);
        return call_take_function(forms, call, name);
    }
    rest = inner;
    (void)surety__form_until(forms, &rest, "<arg_key>", &name);
    rest = (form_span){name.end, inner.end};
    name = surety__form_trim(forms, name);
    return name.at < name.end &&
           call_elements(forms, surety__form_str(forms, name), call, rest,
                         &call_by_pair);
}

/* JSON, or NAME, [ARGS] and JSON. */
static bool call_take_mistral(surety__forms *forms, form_span call,
                              form_span inner)
{
    form_span name;

    return call_json(forms, call, call_open(forms, inner), true) ||
           (surety__form_until(forms, &inner, "[ARGS]", &name) &&
            call_named(forms, surety__form_str(forms, name), call, inner));
}

static bool call_take_kimi(surety__forms *forms, form_span call,
                           form_span inner)
{
    form_span name;

    return surety__form_until(forms, &inner, "<|tool_call_argument_begin|>",
                              &name) &&
           call_named(forms, surety__form_str(forms, name), call, inner);
}

#define CALL_BAR "\xEF\xBD\x9C"  /* a full-width vertical line */
#define CALL_LINE "\xE2\x96\x81" /* a low block, for a blank */

/* NAME, a separator and JSON; or a kind, a separator, NAME in a line, JSON. */
static bool call_take_deepseek(surety__forms *forms, form_span call,
                               form_span inner)
{
    form_span name, line, rest;

    if (!surety__form_until(forms, &inner,
                            "<" CALL_BAR "tool" CALL_LINE "sep" CALL_BAR ">",
                            &name))
        return false;
    rest = inner;
    if (surety_str_equal(surety__str_trim(surety__form_str(forms, name)),
                         SURETY__LITERAL("function")) &&
        surety__form_until(forms, &rest, "\n", &line)) {
        name = line;
        inner = rest;
    }
    return call_named(forms, surety__form_str(forms, name), call, inner);
}

/* Of harmony: NAME, blanks or tokens, <|message|> and JSON. */
static bool call_take_harmony(surety__forms *forms, form_span call,
                              form_span inner)
{
    form_span head;
    size_t end;

    if (!surety__form_until(forms, &inner, "<|message|>", &head))
        return false;
    for (end = head.at; end < head.end; end++)
        if (memchr(" <\n", forms->text.ptr[end], 3))
            break;
    return call_named(forms,
                      (surety_str){forms->text.ptr + head.at, end - head.at},
                      call, inner);
}

/* NAME up to the end of its line, "Action Input:" and the arguments. */
static bool call_take_action(surety__forms *forms, form_span call,
                             form_span inner)
{
    const surety__form_task *task = &forms->task;
    form_span name, before;

    if (!surety__form_until(forms, &inner, "\n", &name) ||
        !surety__form_until(forms, &inner, "Action Input:", &before) ||
        !surety__form_is_blank(forms, before))
        return false;
    name = surety__form_trim(forms, name);
    inner = surety__form_trim(forms, inner);
    if (inner.at == inner.end || name.at == name.end ||
        (task->is_tool &&
         !task->is_tool(task->ctx, surety__form_str(forms, name))))
        return false;
    call_add(forms, surety__form_str(forms, name), call, inner);
    return true;
}

static const struct call_tag {
    const char *open, *close;
    bool open_ended; /* it may end with the text */
    bool (*take)(surety__forms *forms, form_span call, form_span inner);
} call_tags[] = {
    {"<tool_call>", "</tool_call>", false, call_take_tagged},
    {"<|tool_call|>", "<|/tool_call|>", true, call_take_tagged},
    {"<function=", "</function>", false, call_take_function},
    {"<invoke name=\"", "</invoke>", false, call_take_invoke},
    {"[TOOL_CALLS]", "[TOOL_CALLS]", true, call_take_mistral},
    {"<|python_tag|>", "<|eom_id|>", true, call_take_mistral},
    {"<|tool_call_begin|>", "<|tool_call_end|>", true, call_take_kimi},
    {"<" CALL_BAR "tool" CALL_LINE "call" CALL_LINE "begin" CALL_BAR ">",
     "<" CALL_BAR "tool" CALL_LINE "call" CALL_LINE "end" CALL_BAR ">", true,
     call_take_deepseek},
    {"to=functions.", "<|call|>", true, call_take_harmony},
    {"Action:", NULL, true, call_take_action}, /* begins a line */
};

/* Takes the text before the end of a tag; false: it goes on to the end of the
 * reply. A call of an agent ends with the line that begins another part. */
static bool call_closes(const surety__forms *forms, const struct call_tag *tag,
                        form_span *rest, form_span *ret_inner)
{
    static const char *const parts[] = {
        "Action:", "Thought:", "Final Answer:", "Observation:"};
    const surety_str text = forms->text;
    size_t at = rest->at;

    if (tag->take != call_take_action)
        return surety__form_until(forms, rest, tag->close, ret_inner);
    *ret_inner = *rest;
    while (at < text.len) {
        const surety_str tail = {text.ptr + at, text.len - at};
        const size_t len = surety__str_find(tail, SURETY__LITERAL("\n"));
        const surety_str line = {tail.ptr + len, tail.len - len};

        for (size_t i = 0; i < SURETY__COUNT(parts) && line.len; i++)
            if (surety__str_starts((surety_str){line.ptr + 1, line.len - 1},
                                   surety_str_of(parts[i]))) {
                ret_inner->end = rest->at = at + len;
                return true;
            }
        at += len + 1;
    }
    rest->at = text.len;
    return false;
}

/* Where a tag opens from here on; the text's length: nowhere. */
static size_t call_opens(const surety__forms *forms, const struct call_tag *tag,
                         size_t from)
{
    const surety_str open = surety_str_of(tag->open);
    const surety_str text = forms->text;

    for (;;) {
        const surety_str rest = {text.ptr + from, text.len - from};
        const size_t at = from + surety__str_find(rest, open);

        if (at == text.len || tag->take != call_take_action || !at ||
            text.ptr[at - 1] == '\n')
            return at;
        from = at + open.len;
    }
}

/* Reads all tags. Where each opens next is kept, so that a text without one of
 * them is not looked through again and again. */
static void call_tagged(surety__forms *forms)
{
    const size_t len = forms->text.len;
    size_t next[SURETY__COUNT(call_tags)] = {0};
    size_t from = 0;

    while (forms->status == SURETY_OK && forms->count < FORM_READINGS_MAX &&
           from < len && forms->failures < FORM_FAILURES_MAX) {
        size_t first = 0;
        form_span inner, rest;
        bool closed;

        for (size_t i = 0; i < SURETY__COUNT(call_tags); i++) {
            if (!from || next[i] < from)
                next[i] = call_opens(forms, &call_tags[i], from);
            if (next[i] < next[first])
                first = i;
        }
        if (next[first] >= len)
            return;
        rest = (form_span){next[first] + strlen(call_tags[first].open), len};
        from = rest.at;
        closed = call_closes(forms, &call_tags[first], &rest, &inner);
        if ((closed || call_tags[first].open_ended) &&
            call_tags[first].take(forms, (form_span){next[first], inner.end},
                                  inner))
            from = inner.end;
        else
            forms->failures++;
    }
}

/* Reads objects without a tag, and arrays of them. What is inside another value
 * is a part of it: an answer may list calls. */
static void call_plain(surety__forms *forms)
{
    const surety_str text = forms->text;
    size_t at = 0;

    while (forms->status == SURETY_OK && at < text.len &&
           forms->failures < FORM_FAILURES_MAX) {
        form_span span = {at, text.len};
        size_t end;

        at++;
        if (!memchr("{[", text.ptr[span.at], 2))
            continue;
        if (!call_read(forms, span, &end)) {
            forms->failures++;
            continue;
        }
        span.end = end;
        (void)call_json(forms, span, span, false);
        at = end;
    }
}

void surety__form_calls(surety__forms *forms)
{
    const size_t before = forms->count;

    call_tagged(forms);
    if (forms->count == before) {
        forms->failures = 0;
        call_plain(forms);
    }
}
