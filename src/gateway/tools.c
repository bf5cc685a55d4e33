/* SPDX-License-Identifier: Apache-2.0 */
/* The tools of a request: functions that the client calls itself. They become
 * the declared tools of the run, each with its schema, so that the arguments
 * of every call are checked before the client sees one.
 *
 * A tool that is no function (a search, a sandbox, a tool that takes a text)
 * has no schema that could be checked. Such a request is passed on where the
 * model speaks the client's protocol (ask.c), and the calls of its functions
 * are checked in the response as it came; else it is refused. */
#include "gateway/gateway.h"

/* A function as every protocol has it. */
typedef struct tools_function {
    surety_str name, description;
    surety_val own;    /* all of it, in the protocol's form */
    surety_val schema; /* SURETY_NONE: it has no arguments */
    bool is_openapi;
    bool is_strict; /* the provider is to enforce the schema */
} tools_function;

static surety_val tools_either(surety_val object, const char *camel,
                               const char *snake)
{
    const surety_val member = surety_val_get(object, camel);

    return member.doc ? member : surety_val_get(object, snake);
}

/* Reads a tool of the protocol; of Gemini, a declaration. False: it is no
 * function. */
static bool tools_function_read(surety_protocol protocol, surety_val tool,
                                tools_function *ret_function)
{
    const surety_str type = surety_val_str(surety_val_get(tool, "type"));
    surety_val function = tool;
    const char *schema = "parameters", *own = "function";

    *ret_function = (tools_function){.own = tool, .schema = surety_val_none()};
    if (protocol == SURETY_PROTOCOL_OPENAI)
        function = surety_val_get(tool, "function");
    if (protocol == SURETY_PROTOCOL_ANTHROPIC) {
        schema = "input_schema";
        own = "custom";
    }
    ret_function->name = surety_val_str(surety_val_get(function, "name"));
    ret_function->description =
        surety_val_str(surety_val_get(function, "description"));
    ret_function->schema = surety_val_get(function, schema);
    /* Functions of the Responses API are strict unless they say otherwise. */
    ret_function->is_strict =
        surety_val_bool(surety_val_get(function, "strict"),
                        protocol == SURETY_PROTOCOL_RESPONSES);
    if (protocol == SURETY_PROTOCOL_GEMINI) {
        const surety_val json = tools_either(tool, "parametersJsonSchema",
                                             "parameters_json_schema");

        ret_function->is_openapi = !json.doc || surety__speak_is_openapi(json);
        if (json.doc)
            ret_function->schema = json;
        return true;
    }
    /* A custom tool of OpenAI's takes a text, and has no schema. */
    return (!type.len || surety_str_equal(type, surety_str_of(own))) &&
           ret_function->name.len > 0;
}

/* Whether the choice of tools of the request leaves this one out. */
static bool tools_leaves_out(const surety__ask *ask, surety_str name)
{
    const surety_val body = surety_doc_root(ask->doc);
    const surety_val choice = surety_val_get(body, "tool_choice");
    const surety_val inner = surety_val_get(choice, "allowed_tools");
    const surety_val config =
        tools_either(tools_either(body, "toolConfig", "tool_config"),
                     "functionCallingConfig", "function_calling_config");
    surety_val allowed =
        tools_either(config, "allowedFunctionNames", "allowed_function_names");

    if (ask->route.protocol != SURETY_PROTOCOL_GEMINI) {
        if (!surety_val_is(surety_val_get(choice, "type"), "allowed_tools"))
            return false;
        allowed = surety_val_get(inner.doc ? inner : choice, "tools");
    }
    if (!surety_val_count(allowed))
        return false;
    SURETY_EACH (one, allowed) {
        const surety_val function = surety_val_get(one, "function");
        const surety_val named =
            surety_val_kind(one) == SURETY_KIND_STRING
                ? one
                : surety_val_get(function.doc ? function : one, "name");

        if (surety_str_equal(surety_val_str(named), name))
            return false;
    }
    return true;
}

/* Compiles a tool's schema, or finds it among those that are kept. */
static surety_status tools_contract(surety__ask *ask,
                                    const tools_function *function,
                                    surety__kept **ret_kept,
                                    surety_error *reterr)
{
    surety_str schema = {NULL, 0};
    const surety_status status = surety__ask_schema(
        ask, function->schema, function->is_openapi, &schema);

    if (status)
        return surety__fail_nomem(reterr);
    return surety__settings_schema(ask->settings, function->name, schema,
                                   ret_kept, reterr);
}

static surety_status tools_add(surety__ask *ask, const surety_alloc *alloc,
                               const tools_function *function,
                               surety_error *reterr)
{
    surety__ask_tools *tools = &ask->tools;
    surety_tool tool = {.size = sizeof(tool),
                        .name = function->name,
                        .description = function->description,
                        .strict = function->is_strict,
                        .raw = surety_val_text(function->own),
                        .raw_protocol = ask->route.protocol};
    surety__kept *kept = NULL;
    surety_status status = SURETY_OK;

    if (surety__grow(alloc, &tools->kept, &tools->kept_cap,
                     tools->kept_count + 1, sizeof(*tools->kept),
                     SIZE_MAX / sizeof(*tools->kept)))
        return surety__fail_nomem(reterr);
    if (surety_val_count(function->schema))
        status = tools_contract(ask, function, &kept, reterr);
    if (status)
        return status;
    tools->kept[tools->kept_count++] = kept;
    if (kept)
        tool.contract = kept->contract;
    return surety_tools_add(tools->set, &tool, reterr);
}

static surety_status tools_refuse(surety__ask *ask, surety_error *error,
                                  surety__problem *ret_problem)
{
    surety_error shown;

    surety__fail(
        &shown, error->status == SURETY_NOMEM ? SURETY_NOMEM : SURETY_SYNTAX,
        "%s%s%s", error->message, error->path[0] ? ", at " : "", error->path);
    if (error->hint[0])
        surety__hint(&shown, "%s", error->hint);
    return surety__ask_refuse(ask, 400, SURETY__LITERAL("tools"), &shown,
                              ret_problem);
}

/* Adds the functions of one item of the request's tools. */
static surety_status tools_item(surety__ask *ask, const surety_alloc *alloc,
                                surety_val item, surety_error *reterr)
{
    const surety_protocol protocol = ask->route.protocol;
    const surety_val declared =
        tools_either(item, "functionDeclarations", "function_declarations");
    tools_function function;
    surety_status status = SURETY_OK;

    if (protocol != SURETY_PROTOCOL_GEMINI &&
        tools_function_read(protocol, item, &function))
        return tools_leaves_out(ask, function.name)
                   ? SURETY_OK
                   : tools_add(ask, alloc, &function, reterr);
    SURETY_EACH (one, declared) {
        if (status || protocol != SURETY_PROTOCOL_GEMINI)
            break;
        (void)tools_function_read(protocol, one, &function);
        if (!tools_leaves_out(ask, function.name))
            status = tools_add(ask, alloc, &function, reterr);
    }
    if (declared.doc && protocol == SURETY_PROTOCOL_GEMINI)
        return status;
    ask->account.unchecked = SURETY__LITERAL("tools");
    surety__fail(reterr, SURETY_SYNTAX,
                 "a tool is no function of the client: the gateway cannot "
                 "check a tool that the provider executes beside functions");
    surety__hint(reterr, "leave it out, or ask with no function beside it");
    return SURETY_SYNTAX;
}

surety_status surety__ask_declare(surety__ask *ask, const surety_alloc *alloc,
                                  surety__problem *ret_problem)
{
    const surety_tools_options options = {.size = sizeof(options),
                                          .alloc = alloc,
                                          .has_repair = true,
                                          .repair = ask->repair,
                                          .certain_only = true};
    const surety_val body = surety_doc_root(ask->doc);
    const surety_val choice = surety_val_get(body, "tool_choice");
    surety_error error;
    surety_status status = surety_tools_new(&options, &ask->tools.set, &error);

    SURETY_EACH (item, surety_val_get(body, "tools"))
        if (!status)
            status = tools_item(ask, alloc, item, &error);
    if (status)
        return tools_refuse(ask, &error, ret_problem);
    ask->tools.single =
        !surety_val_bool(surety_val_get(body, "parallel_tool_calls"), true) ||
        surety_val_bool(surety_val_get(choice, "disable_parallel_tool_use"),
                        false);
    return SURETY_OK;
}

/* Adds the functions of one item of tools that are not all known here: its own,
 * those of a namespace (OpenAI Responses), or none. */
static surety_status tools_item_beside(surety__ask *ask,
                                       const surety_alloc *alloc,
                                       surety_val item, surety_error *reterr)
{
    const surety_protocol protocol = ask->route.protocol;
    const bool is_gemini = protocol == SURETY_PROTOCOL_GEMINI;
    const bool is_space =
        protocol == SURETY_PROTOCOL_RESPONSES &&
        surety_val_is(surety_val_get(item, "type"), "namespace");
    surety_val list = surety_val_none();
    tools_function function;
    surety_status status = SURETY_OK;

    if (is_gemini)
        list =
            tools_either(item, "functionDeclarations", "function_declarations");
    else if (is_space)
        list = surety_val_get(item, "tools");
    else if (tools_function_read(protocol, item, &function))
        return tools_add(ask, alloc, &function, reterr);
    SURETY_EACH (one, list)
        if (!status && tools_function_read(protocol, one, &function))
            status = tools_add(ask, alloc, &function, reterr);
    return status;
}

surety_status surety__ask_declare_beside(surety__ask *ask,
                                         const surety_alloc *alloc)
{
    const surety_tools_options options = {.size = sizeof(options),
                                          .alloc = alloc,
                                          .has_repair = true,
                                          .repair = SURETY_REPAIR_NONE};
    const surety_val body = surety_doc_root(ask->doc);
    surety_error error;
    surety_status status;

    surety__ask_undeclare(ask, alloc);
    status = surety_tools_new(&options, &ask->tools.set, &error);
    SURETY_EACH (item, surety_val_get(body, "tools"))
        if (!status)
            status = tools_item_beside(ask, alloc, item, &error);
    ask->tools.is_beside = !status && surety_tools_count(ask->tools.set);
    if (!ask->tools.is_beside)
        surety__ask_undeclare(ask, alloc);
    return status == SURETY_NOMEM ? status : SURETY_OK;
}

void surety__ask_undeclare(surety__ask *ask, const surety_alloc *alloc)
{
    surety__ask_tools *tools = &ask->tools;

    surety_tools_free(tools->set);
    for (size_t i = 0; i < tools->kept_count; i++)
        surety__kept_leave(ask->settings, tools->kept[i]);
    surety__free(alloc, tools->kept, tools->kept_cap * sizeof(*tools->kept));
    *tools = (surety__ask_tools){.set = NULL};
}
