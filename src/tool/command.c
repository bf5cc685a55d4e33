/* SPDX-License-Identifier: Apache-2.0 */
/* command.c: tools that are commands. A call starts the command with the
 * arguments as JSON on its standard input; its standard output is the result,
 * without the white space around it. A status other than 0 is a failure that
 * the command reports, with the end of its standard error.
 *
 * No shell reads the arguments of a model: with "shell", too, they are only on
 * standard input. */
#include "tool/inside.h"

struct command_spec {
    surety_str url; /* argv:[...] or exec:COMMAND */
    surety_str *variables;
    size_t variable_count;
};

static surety_status command_open(surety_tools *tools, const surety__tool *tool,
                                  surety_transport **ret_transport,
                                  surety_error *reterr)
{
    const struct command_spec *spec = tool->spec;

    return surety_exec_open(spec->variables, spec->variable_count, tools->alloc,
                            ret_transport, reterr);
}

static surety_status command_request(const surety_tools *tools,
                                     const surety__tool *tool,
                                     const surety_tool_call *call,
                                     surety__arena *arena,
                                     surety_request *request,
                                     surety_error *reterr)
{
    const struct command_spec *spec = tool->spec;

    (void)tools;
    (void)arena;
    (void)reterr;
    request->method = SURETY__LITERAL("POST");
    request->url = spec->url;
    request->body = call->text;
    return SURETY_OK;
}

static surety_status command_read(const surety__tool_response *response,
                                  surety__arena *arena,
                                  surety__tool_reply *ret_reply,
                                  surety_error *reterr)
{
    (void)arena;
    (void)reterr;
    *ret_reply = (surety__tool_reply){.text = surety__str_trim(response->body)};
    return SURETY_OK;
}

const surety__tool_kind surety__tool_command = {
    .open = command_open, .request = command_request, .read = command_read};

/* ---- reading ------------------------------------------------------------- */

void surety__tool_command_write(surety_val command, surety_str folder,
                                surety_buf *out)
{
    const surety_val program = surety_val_first(command);
    const surety_str name = surety_val_str(program);
    surety_buf path;

    surety_buf_init(&path, out->alloc, 0);
    if (folder.len && name.len && name.ptr[0] != '/' &&
        memchr(name.ptr, '/', name.len)) {
        surety_buf_add(&path, folder);
        surety_buf_byte(&path, '/');
    }
    surety_buf_add(&path, name);
    surety_buf_byte(out, '[');
    surety_json_string(out, surety_buf_str(&path));
    for (surety_val text = surety_val_next(command, program); text.doc;
         text = surety_val_next(command, text)) {
        surety_buf_byte(out, ',');
        (void)surety_val_write(text, SURETY_STYLE_COMPACT, out);
    }
    surety_buf_byte(out, ']');
    surety__buf_end(&path, &out->status);
}

surety_status surety__tool_command_read(surety_tools *tools, surety_val row,
                                        surety_str folder, surety__tool *tool,
                                        surety_str *ret_key,
                                        surety_error *reterr)
{
    const surety_val command = surety_val_get(row, "command");
    const surety_val variables = surety_val_get(row, "env");
    const size_t count = surety_val_count(variables);
    struct command_spec *spec =
        surety__arena_take(&tools->arena, sizeof(*spec));
    surety_buf url;
    surety_buf key;
    size_t i = 0;
    bool whole = true;

    if (!spec)
        return surety__fail_nomem(reterr);
    surety_buf_init(&url, tools->alloc, 0);
    surety_buf_init(&key, tools->alloc, 0);
    if (command.doc) {
        surety_buf_text(&url, "argv:");
        surety__tool_command_write(command, folder, &url);
    } else {
        surety_buf_text(&url, "exec:");
        surety_buf_add(&url, surety_val_str(surety_val_get(row, "shell")));
    }
    spec->url = surety__arena_buf(&tools->arena, &url);
    spec->variables =
        surety__arena_take(&tools->arena, (count + 1) * sizeof(surety_str));
    spec->variable_count = count;
    SURETY_EACH (variable, variables) {
        surety_str *name = spec->variables ? &spec->variables[i++] : NULL;

        if (name)
            *name = surety__arena_text(&tools->arena, surety_val_str(variable));
        whole = whole && name && name->ptr;
        surety_buf_add(&key, surety_val_str(variable));
        surety_buf_byte(&key, ' ');
    }
    tool->spec = spec;
    *ret_key = surety__arena_buf(&tools->arena, &key);
    return whole && spec->url.ptr && spec->variables && ret_key->ptr
               ? SURETY_OK
               : surety__fail_nomem(reterr);
}
