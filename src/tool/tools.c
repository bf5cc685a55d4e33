/* SPDX-License-Identifier: Apache-2.0 */
/* tools.c: a set of tools. A tool is checked when it is added: its name, and
 * that its contracts compile. So a call never fails because of how its tool was
 * written. */
#include "tool/inside.h"

enum { TOOLS_NAME_MAX = 64 };

/* The parameters of a tool without arguments. */
static const char tools_no_parameters[] =
    "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}";

surety_status surety_tools_new(const surety_tools_options *options,
                               surety_tools **ret_tools, surety_error *reterr)
{
    surety_tools_options own;
    surety_tools *tools;

    if (surety__options_take(&own, sizeof(own), options, reterr))
        return SURETY_MISUSE;
    tools = surety__new(own.alloc, sizeof(*tools));
    if (!tools)
        return surety__fail_nomem(reterr);
    tools->alloc = own.alloc;
    tools->options = own;
    tools->limits = surety_limits_of(own.limits);
    surety__arena_init(&tools->arena, own.alloc, 0);
    tools->judge = surety_judge_new(own.alloc, &tools->limits);
    if (!tools->judge) {
        surety_tools_free(tools);
        return surety__fail_nomem(reterr);
    }
    *ret_tools = tools;
    return SURETY_OK;
}

static void tools_drop(surety__tool *tool)
{
    surety_contract_free(tool->own);
    surety_contract_free(tool->result);
    surety_command_free(tool->validator);
}

void surety_tools_free(surety_tools *tools)
{
    if (!tools)
        return;
    surety__tool_call_free(tools->own);
    for (surety__tool_link *link = tools->links; link; link = link->next)
        if (link->transport)
            link->transport->close(link->transport->ctx);
    for (size_t i = 0; i < tools->tool_count; i++)
        tools_drop(tools->tools[i]);
    surety__free(tools->alloc, tools->tools,
                 tools->tool_cap * sizeof(surety__tool *));
    surety_calls_free(tools->calls);
    surety_judge_free(tools->judge);
    surety__arena_done(&tools->arena);
    surety__free(tools->alloc, tools, sizeof(*tools));
}

/* ---- adding a tool ------------------------------------------------------- */

/* The names that every provider takes. */
static bool tools_name_fits(surety_str name)
{
    if (!name.len || name.len > TOOLS_NAME_MAX ||
        surety__is_digit(name.ptr[0]) || name.ptr[0] == '-')
        return false;
    for (size_t i = 0; i < name.len; i++)
        if (!surety__is_letter(name.ptr[i]) && !surety__is_digit(name.ptr[i]) &&
            name.ptr[i] != '_' && name.ptr[i] != '-')
            return false;
    return true;
}

static surety_status tools_check_name(const surety_tools *tools,
                                      surety_str name, surety_error *reterr)
{
    const int len = (int)(name.len < 80 ? name.len : 80);

    if (!tools_name_fits(name)) {
        (void)surety__fail(reterr, SURETY_MISUSE,
                           "\"%.*s\" cannot be the name of a tool", len,
                           name.ptr);
        surety__hint(reterr, "a name has letters, digits, \"_\" and \"-\", "
                             "begins with a letter or \"_\", and has at most "
                             "64 characters");
        return SURETY_MISUSE;
    }
    if (surety_str_equal(name, SURETY__LITERAL(SURETY__UNNAMED)))
        return surety__fail(reterr, SURETY_MISUSE,
                            "no tool may be called %.*s: calls without a name "
                            "are called so",
                            len, name.ptr);
    if (surety__tools_find(tools, name))
        return surety__fail(reterr, SURETY_MISUSE,
                            "there are two tools called %.*s", len, name.ptr);
    return SURETY_OK;
}

/* Reads one of a tool's contracts. */
static surety_status tools_read(const surety_tools *tools, surety_str text,
                                surety_str name, const char *what,
                                surety_contract **ret_contract,
                                surety_error *reterr)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .name = name,
                                             .limits = &tools->limits,
                                             .alloc = tools->alloc};
    const surety_status status =
        surety_contract_read(text, &options, ret_contract, reterr);
    surety_buf source;

    if (status == SURETY_OK || !reterr)
        return status;
    source = surety__buf_over(reterr->source, sizeof(reterr->source));
    surety__buf_printf(&source, "%.*s: %s", (int)name.len, name.ptr, what);
    reterr->source[source.len] = '\0';
    return status;
}

/* Every provider wants the type to be object at the root. */
static surety_status tools_check_parameters(const surety__tool *tool,
                                            surety_error *reterr)
{
    const surety_val root = surety_contract_info_of(tool->parameters)->root;

    if (surety_val_is(surety_val_get(root, "type"), "object"))
        return SURETY_OK;
    (void)surety__fail(reterr, SURETY_MISUSE,
                       "the parameters of %.*s are not of the type object",
                       (int)tool->info.name.len, tool->info.name.ptr);
    surety__hint(reterr, "a model gives arguments by name: write \"type\": "
                         "\"object\", and each argument as a property");
    return SURETY_MISUSE;
}

static surety_status tools_copy(surety_tools *tools, surety__tool *tool,
                                surety_error *reterr)
{
    const surety_tool *given = &tool->given;
    const size_t size = given->validator_count * sizeof(*given->validators);
    surety_validator *validators = NULL;

    tool->info = (surety_tool_info){
        .size = sizeof(tool->info),
        .name = surety__arena_text(&tools->arena, given->name),
        .description = surety__arena_text(&tools->arena, given->description),
        .polls = given->polls};
    if (size)
        validators = surety__arena_take(&tools->arena, size);
    if (!tool->info.name.ptr || !tool->info.description.ptr ||
        (size && !validators))
        return surety__fail_nomem(reterr);
    if (size)
        memcpy(validators, given->validators, size);
    tool->given.validators = validators;
    if (!given->time_ms_max)
        tool->given.time_ms_max = SURETY__TOOL_TIME_MS;
    if (!given->result_bytes_max)
        tool->given.result_bytes_max = SURETY__TOOL_RESULT_BYTES;
    return SURETY_OK;
}

static surety_status tools_fill(surety_tools *tools, surety__tool *tool,
                                surety_error *reterr)
{
    const surety_str none = SURETY__LITERAL(tools_no_parameters);
    const surety_tool *given = &tool->given;
    surety_status status = tools_copy(tools, tool, reterr);

    if (status == SURETY_OK && !given->contract)
        status =
            tools_read(tools, given->parameters.len ? given->parameters : none,
                       tool->info.name, "parameters", &tool->own, reterr);
    tool->parameters = given->contract ? given->contract : tool->own;
    if (status == SURETY_OK)
        status = tools_check_parameters(tool, reterr);
    if (status == SURETY_OK)
        status = surety_contract_schema_text(tool->parameters,
                                             &tool->info.parameters, reterr);
    if (status != SURETY_OK || !given->result.len)
        return status;
    status = tools_read(tools, given->result, tool->info.name, "result",
                        &tool->result, reterr);
    if (status == SURETY_OK)
        status = surety_contract_schema_text(tool->result, &tool->info.result,
                                             reterr);
    return status;
}

/* One set has one maker of all its calls. */
static surety_status tools_check_kind(const surety_tools *tools,
                                      const surety__tool *tool,
                                      surety_error *reterr)
{
    if (!tools->tool_count ||
        surety__tools_are_declared(tools) == surety__tool_is_declared(tool))
        return SURETY_OK;
    (void)surety__fail(reterr, SURETY_MISUSE,
                       "%.*s would make a set of declared tools and others",
                       (int)tool->given.name.len, tool->given.name.ptr);
    surety__hint(reterr, "give every tool of the set a function, or none");
    return SURETY_MISUSE;
}

surety_status surety__tools_put(surety_tools *tools, surety__tool *tool,
                                surety_error *reterr)
{
    surety_status status = tools_check_name(tools, tool->given.name, reterr);

    if (status == SURETY_OK)
        status = tools_check_kind(tools, tool, reterr);
    if (status == SURETY_OK)
        status = tools_fill(tools, tool, reterr);
    if (status == SURETY_OK &&
        surety__grow(tools->alloc, &tools->tools, &tools->tool_cap,
                     tools->tool_count + 1, sizeof(surety__tool *), SIZE_MAX))
        status = surety__fail_nomem(reterr);
    if (status == SURETY_OK)
        tools->tools[tools->tool_count++] = tool;
    else
        tools_drop(tool);
    return status;
}

surety_status surety_tools_add(surety_tools *tools, const surety_tool *given,
                               surety_error *reterr)
{
    surety__tool *tool = surety__arena_take(&tools->arena, sizeof(*tool));

    if (!tool)
        return surety__fail_nomem(reterr);
    if (surety__options_take(&tool->given, sizeof(tool->given), given, reterr))
        return SURETY_MISUSE;
    return surety__tools_put(tools, tool, reterr);
}

/* ---- what a set has ------------------------------------------------------ */

size_t surety_tools_count(const surety_tools *tools)
{
    return tools->tool_count;
}

const surety_tool_info *surety_tools_info(const surety_tools *tools, size_t i)
{
    return i < tools->tool_count ? &tools->tools[i]->info : NULL;
}

const surety__tool *surety__tools_find(const surety_tools *tools,
                                       surety_str name)
{
    for (size_t i = 0; i < tools->tool_count; i++)
        if (surety_str_equal(tools->tools[i]->info.name, name))
            return tools->tools[i];
    return NULL;
}
