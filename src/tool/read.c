/* SPDX-License-Identifier: Apache-2.0 */
/* read.c: a tools file. Comments become blanks, the built-in contract
 * surety/tools checks the JSON, and each of its tools is added like one of the
 * program. Every failure has its position in the file, also one in a tool's own
 * contract. */
#include "tool/inside.h"

/* The file at hand. */
struct read_file {
    surety_tools *tools;
    surety_str text;
    surety_str folder;
    surety_doc *doc;
};

/* Gives a failure the position of a value, or of a part of its text. */
static surety_status read_at(const struct read_file *file, surety_val val,
                             const surety_position *within,
                             surety_error *reterr, surety_status status)
{
    surety_position position = surety_val_position(val);
    surety_buf path;

    if (!reterr)
        return status;
    if (within && within->line) {
        position.offset += within->offset;
        position.length = within->length;
    }
    reterr->position =
        surety_position_at(file->text, position.offset, position.length);
    path = surety__buf_over(reterr->path, sizeof(reterr->path));
    surety_val_pointer(val, &path);
    reterr->path[path.status == SURETY_OK ? path.len : 0] = '\0';
    return status;
}

/* ---- the file ------------------------------------------------------------ */

static surety_status read_doc(struct read_file *file, surety_error *reterr)
{
    const surety_read_options options = {.size = sizeof(options),
                                         .flags = SURETY_READ_SKIP_BOM |
                                                  SURETY_READ_UNIQUE_KEYS,
                                         .limits = &file->tools->limits};
    const surety_alloc *alloc = file->tools->alloc;
    const size_t size = file->text.len + 1;
    char *blanked;
    surety_status status;

    if (size > file->tools->limits.text_bytes_max)
        return surety__fail(reterr, SURETY_LIMIT,
                            "the file has more than %zu bytes "
                            "(text_bytes_max)",
                            file->tools->limits.text_bytes_max);
    blanked = surety__resize(alloc, NULL, 0, size);
    if (!blanked)
        return surety__fail_nomem(reterr);
    status = surety_json_uncomment(file->text, blanked, reterr);
    if (status == SURETY_OK)
        status = surety_doc_read(
            file->doc, (surety_str){blanked, file->text.len}, &options, reterr);
    if (status != SURETY_OK && reterr && reterr->position.line)
        reterr->position = surety_position_at(
            file->text, reterr->position.offset, reterr->position.length);
    surety__free(alloc, blanked, size);
    return status;
}

/* Checks the file against the contract. */
static surety_status read_check(const struct read_file *file,
                                surety_error *reterr)
{
    const surety_alloc *alloc = file->tools->alloc;
    const surety_schema_options options = {.size = sizeof(options),
                                           .alloc = alloc};
    const surety__embedded *own = surety__tools_contract;
    surety_schema *schema = NULL;
    surety_checker *checker = surety_checker_new(alloc, NULL);
    surety_findings *findings = surety_findings_new(alloc);
    surety_finding finding;
    surety_status status;

    if (!checker || !findings) {
        status = surety__fail_nomem(reterr);
        goto done;
    }
    status = surety_schema_read((surety_str){own->text, own->len}, &options,
                                &schema, reterr);
    if (status == SURETY_OK)
        status = surety_checker_report(
            checker, schema, surety_doc_root(file->doc), findings, reterr);
    if (status != SURETY_OK || surety_findings_count(findings) == 0)
        goto done;
    finding = surety_findings_at(findings, 0);
    if (!finding.keyword.ptr) {
        status = surety__fail_nomem(reterr);
        goto done;
    }
    /* The contract has one oneOf: for what does the work. */
    status = surety_str_equal(finding.keyword, SURETY__LITERAL("oneOf"))
                 ? surety__fail(reterr, SURETY_SYNTAX,
                                "a tool has one of the members command, shell "
                                "and http")
                 : surety__fail(reterr, SURETY_SYNTAX, "%.*s",
                                (int)finding.message.len, finding.message.ptr);
    surety__hint(reterr, "%.*s", (int)finding.hint.len, finding.hint.ptr);
    (void)read_at(file, finding.instance, NULL, reterr, status);
done:
    surety_findings_free(findings);
    surety_checker_free(checker);
    surety_schema_free(schema);
    return status;
}

/* ---- a tool -------------------------------------------------------------- */

surety__tool_link *surety__tools_link(surety_tools *tools,
                                      const surety__tool_kind *kind,
                                      surety_str key)
{
    surety__tool_link *link = tools->links;

    while (link && (link->kind != kind || !surety_str_equal(link->key, key)))
        link = link->next;
    if (link)
        return link;
    link = surety__arena_take(&tools->arena, sizeof(*link));
    if (!link)
        return NULL;
    *link = (surety__tool_link){.next = tools->links, .kind = kind, .key = key};
    tools->links = link;
    return link;
}

/* What an error of the set is on: the contract that it names, or the tool. */
static surety_status read_place(const struct read_file *file, surety_val row,
                                surety_error *reterr, surety_status status)
{
    static const char *const names[] = {"parameters", "result"};

    for (size_t i = 0; reterr && i < SURETY__COUNT(names); i++)
        if (surety__str_ends(surety_str_of(reterr->source),
                             surety_str_of(names[i]))) {
            const surety_position within = reterr->position;
            const surety_val val = surety_val_get(row, names[i]);
            const surety_val part =
                surety_val_at(val, surety_str_of(reterr->path));

            reterr->source[0] = '\0';
            (void)read_at(file, val, &within, reterr, status);
            return part.doc ? read_at(file, part, NULL, reterr, status)
                            : status;
        }
    return read_at(file, row, NULL, reterr, status);
}

/* The texts of an array, in the arena of the set. NULL when out of memory. */
static const surety_str *read_texts(surety_tools *tools, surety_val list)
{
    const size_t count = surety_val_count(list);
    surety_str *texts =
        surety__arena_take(&tools->arena, (count + 1) * sizeof(*texts));
    size_t i = 0;

    SURETY_EACH (text, list)
        if (texts)
            texts[i++] = surety_val_str(text);
    return texts;
}

/* Opens the command that judges a tool's arguments, and makes it the tool's. */
static surety_status read_validator(const struct read_file *file,
                                    surety_val row, surety__tool *tool,
                                    surety_error *reterr)
{
    surety_tools *tools = file->tools;
    const surety_val line = surety_val_get(row, "validator");
    const surety_val environment = surety_val_get(row, "env");
    surety_command_options options = {
        .size = sizeof(options),
        .environment = read_texts(tools, environment),
        .environment_count = surety_val_count(environment),
        .alloc = tools->alloc};
    surety_validator *validator =
        surety__arena_take(&tools->arena, sizeof(*validator));
    const surety_str name = surety__arena_text(
        &tools->arena, surety_val_str(surety_val_first(line)));
    surety_transport *inner = NULL;
    surety_buf url;
    surety_status status;

    if (!options.environment || !validator || !name.ptr)
        return surety__fail_nomem(reterr);
    status = surety_exec_open(options.environment, options.environment_count,
                              tools->alloc, &inner, reterr);
    if (status == SURETY_OK)
        status = surety__tool_wrap(tools, inner, &options.transport, reterr);
    if (status != SURETY_OK)
        return status;
    surety_buf_init(&url, tools->alloc, 0);
    surety_buf_text(&url, "argv:");
    surety__tool_command_write(line, file->folder, &url);
    options.url = surety_buf_str(&url);
    status = url.status
                 ? surety__fail_nomem(reterr)
                 : surety_command_new(&options, &tool->validator, reterr);
    surety_buf_done(&url);
    if (status != SURETY_OK) {
        options.transport->close(options.transport->ctx);
        return status;
    }
    surety__command_forget(tool->validator);
    *validator = surety_command_validator(tool->validator, name);
    tool->given.validators = validator;
    tool->given.validator_count = 1;
    return SURETY_OK;
}

static surety_status read_tool(const struct read_file *file, surety_val row,
                               surety_error *reterr)
{
    surety_tools *tools = file->tools;
    surety__tool *tool = surety__arena_take(&tools->arena, sizeof(*tool));
    surety_val at = row;
    surety_str key = {NULL, 0};
    surety_status status;

    if (!tool)
        return surety__fail_nomem(reterr);
    tool->given = (surety_tool){
        .size = sizeof(tool->given),
        .name = surety_val_str(surety_val_get(row, "name")),
        .description = surety_val_str(surety_val_get(row, "description")),
        .parameters = surety_val_text(surety_val_get(row, "parameters")),
        .result = surety_val_text(surety_val_get(row, "result")),
        .time_ms_max =
            (uint32_t)surety_val_uint(surety_val_get(row, "time_ms"), 0),
        .result_bytes_max =
            (size_t)surety_val_uint(surety_val_get(row, "result_bytes"), 0),
        .polls = surety_val_bool(surety_val_get(row, "polls"), false),
        .strict = surety_val_bool(surety_val_get(row, "strict"), false),
    };
    if (surety_val_get(row, "http").doc) {
        tool->kind = &surety__tool_http;
        status = surety__tool_http_read(tools, row, tool, &key, &at, reterr);
    } else {
        tool->kind = &surety__tool_command;
        status = surety__tool_command_read(tools, row, file->folder, tool, &key,
                                           reterr);
    }
    if (status != SURETY_OK)
        return read_at(file, at, NULL, reterr, status);
    tool->link = surety__tools_link(tools, tool->kind, key);
    if (!tool->link)
        return surety__fail_nomem(reterr);
    if (surety_val_get(row, "validator").doc)
        status = read_validator(file, row, tool, reterr);
    if (status != SURETY_OK)
        return read_at(file, row, NULL, reterr, status);
    status = surety__tools_put(tools, tool, reterr);
    return status == SURETY_OK ? status : read_place(file, row, reterr, status);
}

/* Adds the tools of a server. */
static surety_status read_server(const struct read_file *file, surety_val row,
                                 surety_error *reterr)
{
    const surety_val environment = surety_val_get(row, "env");
    const surety_val only = surety_val_get(row, "only");
    surety_tool_server server = {
        .size = sizeof(server),
        .environment = read_texts(file->tools, environment),
        .environment_count = surety_val_count(environment),
        .prefix = surety_val_str(surety_val_get(row, "prefix")),
        .only = read_texts(file->tools, only),
        .only_count = surety_val_count(only),
        .time_ms_max =
            (uint32_t)surety_val_uint(surety_val_get(row, "time_ms"), 0),
        .result_bytes_max =
            (size_t)surety_val_uint(surety_val_get(row, "result_bytes"), 0)};
    surety_buf command;
    surety_status status;

    surety_buf_init(&command, file->tools->alloc, 0);
    surety__tool_command_write(surety_val_get(row, "mcp"), file->folder,
                               &command);
    server.command = surety_buf_str(&command);
    status = command.status || !server.environment || !server.only
                 ? surety__fail_nomem(reterr)
                 : surety_tools_connect(file->tools, &server,
                                        file->tools->options.cancelled, reterr);
    surety_buf_done(&command);
    return status ? read_at(file, row, NULL, reterr, status) : SURETY_OK;
}

surety_status surety_tools_read(surety_tools *tools, surety_str text,
                                surety_str folder, surety_error *reterr)
{
    struct read_file file = {.tools = tools,
                             .text = text,
                             .folder = folder,
                             .doc = surety_doc_new(tools->alloc)};
    surety_status status =
        file.doc ? read_doc(&file, reterr) : surety__fail_nomem(reterr);

    if (status == SURETY_OK)
        status = read_check(&file, reterr);
    if (status == SURETY_OK)
        SURETY_EACH (row, surety_val_get(surety_doc_root(file.doc), "tools")) {
            status = read_tool(&file, row, reterr);
            if (status != SURETY_OK)
                break;
        }
    if (status == SURETY_OK)
        SURETY_EACH (row,
                     surety_val_get(surety_doc_root(file.doc), "servers")) {
            status = read_server(&file, row, reterr);
            if (status != SURETY_OK)
                break;
        }
    surety_doc_free(file.doc);
    return status;
}
