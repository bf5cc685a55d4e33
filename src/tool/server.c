/* SPDX-License-Identifier: Apache-2.0 */
/* server.c: the tools of a server of the Model Context Protocol. They are
 * listed when the server is added to a set, and called like other tools that
 * have a transport.
 *
 * Invariants:
 * 1. A server cannot be trusted. Its schemas bring no policy and no rules
 *    (x-surety is left out), the number of its tools is bounded, and a tool's
 *    name becomes one that every provider takes.
 * 2. No part of a result disappears: one that is no text is named. */
#include "tool/inside.h"

enum {
    SERVER_NAME_MAX = 64,
    SERVER_NUMBER = 8,   /* room for a number behind a name */
    SERVER_WAIT_MS = 50, /* the longest wait between two looks at *cancelled */
    SERVER_COPIES = 4    /* of a result in its response: as text and as value,
                          * each escaped */
};

/* What the tools of a server share. */
struct server {
    surety_tool_server given; /* its texts are in the set's arena */
    surety_str url;
    surety_str key; /* servers with the same key share a process */
};

/* A tool of a server. */
struct server_tool {
    const struct server *server;
    surety_str name; /* the server's name for it */
};

/* ---- calls --------------------------------------------------------------- */

static surety_status server_open(surety_tools *tools, const surety__tool *tool,
                                 surety_transport **ret_transport,
                                 surety_error *reterr)
{
    const struct server_tool *spec = tool->spec;
    const surety_tool_server *given = &spec->server->given;
    const surety__mcp_options options = {.command = given->command,
                                         .environment = given->environment,
                                         .environment_count =
                                             given->environment_count,
                                         .limits = &tools->limits,
                                         .alloc = tools->alloc};

    return surety__mcp_open(&options, ret_transport, reterr);
}

static surety_status server_request(const surety_tools *tools,
                                    const surety__tool *tool,
                                    const surety_tool_call *call,
                                    surety__arena *arena,
                                    surety_request *request,
                                    surety_error *reterr)
{
    const struct server_tool *spec = tool->spec;
    surety_buf body;

    surety_buf_init(&body, tools->alloc, 0);
    surety_buf_byte(&body, '{');
    surety_json_text(&body, "name", spec->name);
    surety_json_name(&body, "arguments");
    surety_buf_add(&body, call->text);
    surety_buf_byte(&body, '}');
    request->method = SURETY__LITERAL("tools/call");
    request->url = spec->server->url;
    request->body = surety__arena_buf(arena, &body);
    request->response_bytes_max *= SERVER_COPIES;
    return request->body.ptr ? SURETY_OK : surety__fail_nomem(reterr);
}

/* ---- results ------------------------------------------------------------- */

/* Appends an item of content: its text, or its kind. */
static void server_put_item(surety_val item, surety_buf *out)
{
    const surety_str type = surety_val_str(surety_val_get(item, "type"));
    const surety_val resource = surety_val_get(item, "resource");
    const surety_val of = resource.doc ? resource : item;
    const surety_val text = surety_val_get(of, "text");
    const surety_str media = surety_val_str(surety_val_get(of, "mimeType"));
    const surety_str uri = surety_val_str(surety_val_get(of, "uri"));

    if (out->len)
        surety_buf_byte(out, '\n');
    if (text.doc) {
        surety_buf_add(out, surety_val_str(text));
        return;
    }
    surety__buf_printf(out, "[%.*s", (int)(type.len < 64 ? type.len : 64),
                       type.ptr ? type.ptr : "");
    if (media.len)
        surety__buf_printf(out, " of the type %.*s",
                           (int)(media.len < 128 ? media.len : 128), media.ptr);
    if (uri.len)
        surety_buf_text(out, ": ");
    surety_buf_add(out, uri);
    surety_buf_byte(out, ']');
}

static void server_put_content(surety_val content, surety_buf *out)
{
    SURETY_EACH (item, content)
        server_put_item(item, out);
}

/* Appends the result's text. False: the server reports a failure. */
static bool server_put_result(surety_val result, surety_buf *out)
{
    const surety_val type = surety_val_get(result, "resultType");
    const surety_val value = surety_val_get(result, "structuredContent");

    if (type.doc && !surety_val_is(type, "complete")) {
        surety_buf_text(out, "the server asks for more input, which a run "
                             "does not give");
        return false;
    }
    if (surety_val_bool(surety_val_get(result, "isError"), false)) {
        server_put_content(surety_val_get(result, "content"), out);
        return false;
    }
    if (value.doc)
        (void)surety_val_write(value, SURETY_STYLE_COMPACT, out);
    else
        server_put_content(surety_val_get(result, "content"), out);
    return true;
}

/* Reads a response into doc. SYNTAX: it is none. */
static surety_status server_read_response(surety_str body, surety_doc *doc,
                                          surety_error *reterr)
{
    const surety_status status = surety_doc_read(doc, body, NULL, reterr);
    const surety_val root = surety_doc_root(doc);

    if (status)
        return status;
    if (surety_val_kind(surety_val_get(root, "result")) == SURETY_KIND_OBJECT ||
        surety_val_kind(surety_val_get(root, "error")) == SURETY_KIND_OBJECT)
        return SURETY_OK;
    return surety__fail(reterr, SURETY_SYNTAX,
                        "the server's response has neither a result nor an "
                        "error");
}

static surety_status server_read(const surety__tool_response *response,
                                 surety__arena *arena,
                                 surety__tool_reply *ret_reply,
                                 surety_error *reterr)
{
    surety_doc *doc = surety_doc_new(arena->alloc);
    surety_status read =
        doc ? server_read_response(response->body, doc, reterr) : SURETY_NOMEM;
    surety__tool_reply reply = {.failed = true};
    surety_buf text;

    surety_buf_init(&text, arena->alloc, 0);
    if (!read) {
        const surety_val error = surety_val_get(surety_doc_root(doc), "error");

        if (error.doc)
            surety_buf_add(&text,
                           surety_val_str(surety_val_get(error, "message")));
        else
            reply.failed = !server_put_result(
                surety_val_get(surety_doc_root(doc), "result"), &text);
        reply.text = surety__arena_buf(arena, &text);
        if (reply.text.ptr)
            *ret_reply = reply;
        else
            read = SURETY_NOMEM;
    }
    surety_doc_free(doc);
    return read == SURETY_NOMEM ? surety__fail_nomem(reterr) : read;
}

static const surety__tool_kind server_kind = {
    .open = server_open, .request = server_request, .read = server_read};

/* ---- listing: exchanges -------------------------------------------------- */

/* What comes of one exchange. */
struct server_ear {
    surety_buf body;
    surety_delivery delivery;
    bool ended;
};

static void server_hear_head(void *ctx, int status,
                             const surety_header *headers, size_t count)
{
    (void)ctx;
    (void)status;
    (void)headers;
    (void)count;
}

static bool server_hear_bytes(void *ctx, surety_str bytes)
{
    struct server_ear *ear = ctx;

    surety_buf_add(&ear->body, bytes);
    return !ear->body.status;
}

static void server_hear_end(void *ctx, const surety_delivery *delivery)
{
    struct server_ear *ear = ctx;

    ear->delivery = *delivery;
    ear->ended = true;
}

/* Waits for the end of an exchange. */
static surety_status server_wait(const surety_transport *transport, uint64_t id,
                                 const struct server_ear *ear,
                                 const volatile int *cancelled,
                                 surety_error *reterr)
{
    surety_status status = SURETY_OK;

    while (!status && !ear->ended) {
        if (cancelled && *cancelled)
            transport->cancel(transport->ctx, id);
        else
            status = transport->wait(transport->ctx, SERVER_WAIT_MS, reterr);
    }
    if (!ear->ended)
        transport->cancel(transport->ctx, id);
    return status;
}

/* The status of a delivery that failed. */
static surety_status server_fail(const surety_delivery *delivery,
                                 surety_error *reterr)
{
    const surety_status status =
        delivery->failure == SURETY_FAILURE_CANCELLED ? SURETY_CANCELLED
        : delivery->failure == SURETY_FAILURE_TIMEOUT ? SURETY_TIMEOUT
        : delivery->failure == SURETY_FAILURE_LIMIT   ? SURETY_LIMIT
                                                      : SURETY_IO;

    return surety__fail(reterr, status,
                        "the server's tools cannot be listed: "
                        "%s",
                        delivery->message);
}

/* Asks for a page of the list. The response is read into doc. */
static surety_status server_ask(surety_tools *tools, const surety__tool *tool,
                                surety_str params,
                                const volatile int *cancelled, surety_doc *doc,
                                surety_error *reterr)
{
    const struct server_tool *spec = tool->spec;
    const surety_transport *transport = tool->link->transport;
    const uint64_t id = ++tools->exchange_id;
    struct server_ear ear = {.ended = false};
    const surety_receiver receiver = {.ctx = &ear,
                                      .head = server_hear_head,
                                      .bytes = server_hear_bytes,
                                      .end = server_hear_end};
    const surety_request request = {
        .size = sizeof(request),
        .method = SURETY__LITERAL("tools/list"),
        .url = spec->server->url,
        .body = params,
        .timeouts = {.first_byte_ms = SURETY__TOOL_TIME_MS,
                     .total_ms = SURETY__TOOL_TIME_MS}};
    surety_status status;

    surety_buf_init(&ear.body, tools->alloc, 0);
    status = transport->start(transport->ctx, id, &request, &receiver, reterr);
    if (!status)
        status = server_wait(transport, id, &ear, cancelled, reterr);
    if (!status && ear.body.status)
        status = surety__fail_nomem(reterr);
    if (!status && ear.delivery.failure)
        status = server_fail(&ear.delivery, reterr);
    if (!status)
        status = server_read_response(surety_buf_str(&ear.body), doc, reterr);
    surety_buf_done(&ear.body);
    return status;
}

/* ---- listing: tools ------------------------------------------------------ */

/* Whether the caller wants this tool of the server. */
static bool server_has(const surety_tool_server *given, surety_str name)
{
    for (size_t i = 0; i < given->only_count; i++)
        if (surety_str_equal(given->only[i], name))
            return true;
    return given->only_count == 0;
}

/* Appends text as a part of a name: other characters become "_". */
static void server_put_plain(surety_str text, surety_buf *out)
{
    for (size_t i = 0; i < text.len && out->len < SERVER_NAME_MAX; i++) {
        const char byte = text.ptr[i];

        surety_buf_byte(out, surety__is_letter(byte) ||
                                     surety__is_digit(byte) || byte == '-'
                                 ? byte
                                 : '_');
    }
}

/* Writes a name that every provider takes and that is not in the set yet; a
 * number follows where it is needed. */
static void server_put_name(const surety_tools *tools, surety_str prefix,
                            surety_str name, surety_buf *out)
{
    const surety_str first = prefix.len ? prefix : name;
    surety_buf plain;

    if (!first.len || surety__is_digit(first.ptr[0]) || first.ptr[0] == '-')
        surety_buf_byte(out, '_');
    server_put_plain(prefix, out);
    server_put_plain(name, out);
    surety_buf_init(&plain, tools->alloc, 0);
    surety_buf_add(&plain, surety_buf_str(out));
    if (plain.len > SERVER_NAME_MAX - SERVER_NUMBER)
        plain.len = SERVER_NAME_MAX - SERVER_NUMBER;
    for (unsigned i = 2; !plain.status && !out->status &&
                         surety__tools_find(tools, surety_buf_str(out));
         i++) {
        surety_buf_reset(out);
        surety_buf_add(out, surety_buf_str(&plain));
        surety__buf_printf(out, "_%u", i);
    }
    surety__buf_end(&plain, &out->status);
}

/* Writes a schema of the server without x-surety. */
static void server_put_schema(surety_val schema, surety_buf *out)
{
    if (surety_val_kind(schema) != SURETY_KIND_OBJECT) {
        surety_buf_add(out, surety_val_text(schema));
        return;
    }
    surety_buf_byte(out, '{');
    SURETY_EACH (member, schema) {
        const surety_str key = surety_val_str(surety_val_key(member));

        if (surety_str_equal(key, SURETY__LITERAL("x-surety")))
            continue;
        if (out->len > 1)
            surety_buf_byte(out, ',');
        surety_json_string(out, key);
        surety_buf_byte(out, ':');
        surety_buf_add(out, surety_val_text(member));
    }
    surety_buf_byte(out, '}');
}

/* Adds one tool of the list. shared: the kind, the link and the server. */
static surety_status server_put(surety_tools *tools, const surety__tool *shared,
                                surety_val row, surety_error *reterr)
{
    const struct server *server =
        ((const struct server_tool *)shared->spec)->server;
    const surety_val described = surety_val_get(row, "description");
    surety__tool *tool = surety__arena_take(&tools->arena, sizeof(*tool));
    struct server_tool *spec = surety__arena_take(&tools->arena, sizeof(*spec));
    surety_buf texts[3];
    surety_status status = SURETY_OK;

    if (!tool || !spec)
        return surety__fail_nomem(reterr);
    for (size_t i = 0; i < SURETY__COUNT(texts); i++)
        surety_buf_init(&texts[i], tools->alloc, 0);
    *spec = (struct server_tool){
        server,
        surety__arena_text(&tools->arena,
                           surety_val_str(surety_val_get(row, "name")))};
    server_put_name(tools, server->given.prefix, spec->name, &texts[0]);
    server_put_schema(surety_val_get(row, "inputSchema"), &texts[1]);
    server_put_schema(surety_val_get(row, "outputSchema"), &texts[2]);
    *tool = (surety__tool){
        .given = {.size = sizeof(tool->given),
                  .name = surety_buf_str(&texts[0]),
                  .description = surety_val_str(
                      described.doc ? described : surety_val_get(row, "title")),
                  .parameters = surety_buf_str(&texts[1]),
                  .result = surety_buf_str(&texts[2]),
                  .time_ms_max = server->given.time_ms_max,
                  .result_bytes_max = server->given.result_bytes_max},
        .kind = shared->kind,
        .spec = spec,
        .link = shared->link};
    for (size_t i = 0; i < SURETY__COUNT(texts); i++)
        if (texts[i].status || !spec->name.ptr)
            status = surety__fail_nomem(reterr);
    if (!status)
        status = surety__tools_put(tools, tool, reterr);
    for (size_t i = 0; i < SURETY__COUNT(texts); i++)
        surety_buf_done(&texts[i]);
    return status;
}

/* Adds the tools of one page. *count: of the server so far. */
static surety_status server_put_page(surety_tools *tools,
                                     const surety__tool *shared,
                                     surety_val response, size_t *count,
                                     surety_error *reterr)
{
    const struct server_tool *spec = shared->spec;
    const surety_val error = surety_val_get(response, "error");
    const surety_str message = surety_val_str(surety_val_get(error, "message"));
    const surety_val list =
        surety_val_get(surety_val_get(response, "result"), "tools");

    if (error.doc)
        return surety__fail(reterr, SURETY_IO,
                            "the server refuses to list its tools: %.*s",
                            (int)(message.len < 160 ? message.len : 160),
                            message.len ? message.ptr : "");
    if (surety_val_kind(list) != SURETY_KIND_ARRAY)
        return surety__fail(reterr, SURETY_IO,
                            "the server's list has no tools");
    SURETY_EACH (row, list) {
        const surety_val name = surety_val_get(row, "name");
        surety_status status = SURETY_OK;

        if (++*count > tools->limits.server_tools_max)
            return surety__fail(reterr, SURETY_LIMIT,
                                "the server has more than %zu tools "
                                "(server_tools_max)",
                                tools->limits.server_tools_max);
        if (surety_val_kind(name) != SURETY_KIND_STRING)
            return surety__fail(reterr, SURETY_IO,
                                "a tool of the server has no name");
        if (server_has(&spec->server->given, surety_val_str(name)))
            status = server_put(tools, shared, row, reterr);
        if (status)
            return status;
    }
    return SURETY_OK;
}

/* Adds all tools, page by page. params: of the first page. */
static surety_status server_list(surety_tools *tools,
                                 const surety__tool *shared, surety_buf *params,
                                 surety_doc *page,
                                 const volatile int *cancelled,
                                 surety_error *reterr)
{
    size_t count = 0;

    for (size_t i = 0; i < tools->limits.server_tools_max; i++) {
        surety_val cursor;
        surety_status status = server_ask(tools, shared, surety_buf_str(params),
                                          cancelled, page, reterr);

        if (!status)
            status = server_put_page(tools, shared, surety_doc_root(page),
                                     &count, reterr);
        cursor = surety_val_at(surety_doc_root(page),
                               SURETY__LITERAL("/result/nextCursor"));
        if (status || surety_val_kind(cursor) != SURETY_KIND_STRING)
            return status;
        surety_buf_reset(params);
        surety_buf_byte(params, '{');
        surety_json_value(params, "cursor", cursor);
        surety_buf_byte(params, '}');
        if (params->status)
            return surety__fail_nomem(reterr);
    }
    return surety__fail(reterr, SURETY_LIMIT,
                        "the server's list has more than %zu pages "
                        "(server_tools_max)",
                        tools->limits.server_tools_max);
}

/* ---- a server ------------------------------------------------------------ */

/* Copies a list of texts into the set. */
static const surety_str *server_copy_list(surety_tools *tools,
                                          const surety_str *texts, size_t count)
{
    surety_str *copies =
        surety__arena_take(&tools->arena, (count + 1) * sizeof(*copies));

    for (size_t i = 0; copies && i < count; i++) {
        copies[i] = surety__arena_text(&tools->arena, texts[i]);
        if (!copies[i].ptr)
            return NULL;
    }
    return copies;
}

/* Copies what the caller gave. NULL when out of memory. */
static const struct server *server_copy(surety_tools *tools,
                                        const surety_tool_server *given)
{
    struct server *server = surety__arena_take(&tools->arena, sizeof(*server));
    surety_buf url;
    size_t len;

    if (!server)
        return NULL;
    surety_buf_init(&url, tools->alloc, 0);
    surety_buf_text(&url, "mcp:");
    surety_buf_add(&url, given->command);
    len = url.len;
    for (size_t i = 0; i < given->environment_count; i++) {
        surety_buf_byte(&url, '\n');
        surety_buf_add(&url, given->environment[i]);
    }
    server->given = *given;
    server->key = surety__arena_buf(&tools->arena, &url);
    server->url = (surety_str){server->key.ptr, len};
    server->given.command = surety__arena_text(&tools->arena, given->command);
    server->given.prefix = surety__arena_text(&tools->arena, given->prefix);
    server->given.environment =
        server_copy_list(tools, given->environment, given->environment_count);
    server->given.only =
        server_copy_list(tools, given->only, given->only_count);
    return server->url.ptr && server->given.command.ptr &&
                   server->given.prefix.ptr && server->given.environment &&
                   server->given.only
               ? server
               : NULL;
}

surety_status surety_tools_connect(surety_tools *tools,
                                   const surety_tool_server *given,
                                   const volatile int *cancelled,
                                   surety_error *reterr)
{
    surety_tool_server own;
    const struct server *server;
    struct server_tool *spec;
    surety__tool *shared;
    surety_doc *page;
    surety_buf params;
    surety_status status;

    if (surety__options_take(&own, sizeof(own), given, reterr))
        return SURETY_MISUSE;
    server = server_copy(tools, &own);
    spec = surety__arena_take(&tools->arena, sizeof(*spec));
    shared = surety__arena_take(&tools->arena, sizeof(*shared));
    if (!server || !spec || !shared)
        return surety__fail_nomem(reterr);
    spec->server = server;
    shared->kind = &server_kind;
    shared->spec = spec;
    shared->link = surety__tools_link(tools, &server_kind, server->key);
    if (!shared->link)
        return surety__fail_nomem(reterr);
    status = surety__tool_open(tools, shared, reterr);
    if (status)
        return status;
    surety_buf_init(&params, tools->alloc, 0);
    page = surety_doc_new(tools->alloc);
    status = page ? server_list(tools, shared, &params, page, cancelled, reterr)
                  : surety__fail_nomem(reterr);
    surety_doc_free(page);
    surety_buf_done(&params);
    return status;
}
