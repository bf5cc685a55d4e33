/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of tools in a text, for models that have no tools of their own (mode
 * prompt) or whose server left the calls in the text. One form is asked for:
 *
 *     <tool_call>{"name": "NAME", "arguments": {...}}</tool_call>
 *
 * and all forms that models are known to write are read (surety/form.h). A
 * tool's schema says which arguments are strings. Arguments are only found
 * here: the tool's contract judges them. */
#include "template/template.h"
#include "tool/tool.h"

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

static bool text_is_tool(void *ctx, surety_str name)
{
    return surety__tools_find(ctx, name) != NULL;
}

/* Whether the tool's schema says that this argument is a string. */
static bool text_is_string(void *ctx, surety_str name, surety_str key)
{
    const surety__tool *tool = surety__tools_find(ctx, name);
    const surety_val root =
        tool ? surety_contract_info_of(tool->parameters)->root
             : surety_val_none();

    return surety_val_is(
        surety_val_get(
            surety_val_member(surety_val_get(root, "properties"), key), "type"),
        "string");
}

/* Copies the calls as parts. */
static surety_status text_call_parts(const surety_calls *calls,
                                     surety__arena *arena,
                                     surety_part **ret_parts)
{
    const size_t count = surety_calls_count(calls);
    surety_part *parts =
        surety__arena_take(arena, (count + 1) * sizeof(*parts));

    if (!parts)
        return SURETY_NOMEM;
    *ret_parts = parts;
    for (size_t i = 0; i < count; i++) {
        const surety_called called = surety_calls_at(calls, i);

        parts[i] = (surety_part){
            .kind = SURETY_PART_CALL,
            .name = surety__arena_text(arena, called.name),
            .text = surety__arena_text(arena, called.arguments),
        };
        if (!parts[i].name.ptr || !parts[i].text.ptr)
            return SURETY_NOMEM;
    }
    return SURETY_OK;
}

surety_status surety__tool_text_read(surety_tools *tools, surety_str text,
                                     surety__arena *arena,
                                     surety_part **ret_parts, size_t *ret_count)
{
    const surety_calls_options options = {.size = sizeof(options),
                                          .is_tool = text_is_tool,
                                          .is_text = text_is_string,
                                          .ctx = tools};
    surety_status status;

    *ret_count = 0;
    if (!tools->calls)
        tools->calls = surety_calls_new(tools->alloc, &tools->limits);
    if (!tools->calls)
        return SURETY_NOMEM;
    status = surety_calls_find(tools->calls, text, &options, NULL);
    if (status == SURETY_OK)
        status = text_call_parts(tools->calls, arena, ret_parts);
    if (status == SURETY_OK)
        *ret_count = surety_calls_count(tools->calls);
    return status;
}
