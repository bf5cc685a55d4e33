/* SPDX-License-Identifier: Apache-2.0 */
/* remote.c: tools that are HTTP calls. The file gives the method, the URL,
 * query parameters and headers as templates, in which {NAME} stands for an
 * argument, and {+NAME} for one that keeps its slashes (after RFC 6570, with
 * the items of an array joined by commas). The arguments that no template has
 * go into the query or, as a JSON object, into the body. A status from 300 on
 * is a failure that the tool reports.
 *
 * Invariants:
 * 1. No argument reaches scheme, host or port, a header's name, or, in the
 *    path, more than a part of one segment, unless the file says so by {+NAME}:
 *    it is percent-encoded. A segment that becomes "", "." or ".." is
 *    refused.
 * 2. A key comes from the environment, only into the member that names it. It
 *    is no part of a recording, nor of a message. */
#include "tool/inside.h"

enum {
    REMOTE_ERROR_MAX = 2000, /* bytes of a response that reports a failure */
    REMOTE_BAD = 300         /* redirects are not followed */
};

typedef enum remote_rest { REST_QUERY = 0, REST_BODY, REST_NONE } remote_rest;

/* A query parameter or a header. */
struct remote_text {
    surety_str name;
    surety_str text; /* a template; or the text before the variable's value */
    surety_str variable; /* empty: none */
    bool optional;       /* left out where the variable is not set */
};

struct remote_spec {
    surety_str method;
    surety_str origin; /* scheme, host and port */
    surety_str origin_env;
    surety_str path; /* with the query that the URL has; a template */
    struct remote_text *query;
    size_t query_count;
    struct remote_text *headers;
    size_t header_count;
    remote_rest rest;
    bool is_private; /* addresses that are not public are allowed */
};

/* ---- templates ----------------------------------------------------------- */

struct remote_piece {
    surety_str literal; /* before the name */
    surety_str name;    /* ptr NULL: none */
    bool slashes;       /* those of the argument are kept */
};

/* Takes the next piece off a template. */
static bool remote_next(surety_str *form, struct remote_piece *ret_piece)
{
    const size_t open = surety__str_find(*form, SURETY__LITERAL("{"));
    size_t close;

    *ret_piece = (struct remote_piece){.literal = {form->ptr, open}};
    if (!form->len)
        return false;
    surety__str_skip(form, open);
    if (!form->len)
        return true;
    surety__str_skip(form, 1);
    ret_piece->slashes = form->len && form->ptr[0] == '+';
    surety__str_skip(form, ret_piece->slashes);
    close = surety__str_find(*form, SURETY__LITERAL("}"));
    ret_piece->name = (surety_str){form->ptr, close};
    surety__str_skip(form, close < form->len ? close + 1 : close);
    return true;
}

static bool remote_has(surety_str form, surety_str name)
{
    struct remote_piece piece;

    while (remote_next(&form, &piece))
        if (piece.name.ptr && surety_str_equal(piece.name, name))
            return true;
    return false;
}

/* Whether a template of the tool has an argument. */
static bool remote_uses(const struct remote_spec *spec, surety_str name)
{
    if (remote_has(spec->path, name))
        return true;
    for (size_t i = 0; i < spec->query_count; i++)
        if (!spec->query[i].variable.len &&
            remote_has(spec->query[i].text, name))
            return true;
    for (size_t i = 0; i < spec->header_count; i++)
        if (!spec->headers[i].variable.len &&
            remote_has(spec->headers[i].text, name))
            return true;
    return false;
}

/* Appends one value as text. kept: the characters that are not encoded for a
 * URL; NULL: all. */
static void remote_scalar(surety_val value, const char *kept, surety_buf *out)
{
    surety_buf text;

    surety_buf_init(&text, out->alloc, 0);
    if (surety_val_kind(value) == SURETY_KIND_STRING)
        surety_buf_add(&text, surety_val_str(value));
    else
        (void)surety_val_write(value, SURETY_STYLE_COMPACT, &text);
    if (kept)
        surety__buf_percent(out, surety_buf_str(&text), kept);
    else
        surety_buf_add(out, surety_buf_str(&text));
    surety__buf_end(&text, &out->status);
}

static void remote_value(surety_val value, const char *kept, surety_buf *out)
{
    bool first = true;

    if (surety_val_kind(value) != SURETY_KIND_ARRAY) {
        remote_scalar(value, kept, out);
        return;
    }
    SURETY_EACH (item, value) {
        surety_buf_text(out, first ? "" : ",");
        remote_scalar(item, kept, out);
        first = false;
    }
}

/* Appends a template with its arguments. False: an argument is missing or null;
 * *ret_name is its name. */
static bool remote_expand(surety_str form, surety_val arguments, bool encoded,
                          surety_buf *out, surety_str *ret_name)
{
    struct remote_piece piece;

    while (remote_next(&form, &piece)) {
        const char *kept = piece.slashes ? "/" : "";
        surety_val value;

        surety_buf_add(out, piece.literal);
        if (!piece.name.ptr)
            continue;
        value = surety_val_member(arguments, piece.name);
        *ret_name = piece.name;
        if (!value.doc || surety_val_kind(value) == SURETY_KIND_NULL)
            return false;
        remote_value(value, encoded ? kept : NULL, out);
    }
    return true;
}

/* ---- a request ----------------------------------------------------------- */

/* What a request is written with. */
struct remote_job {
    const surety_tools *tools;
    const struct remote_spec *spec;
    surety_val arguments;
    surety__arena *arena;
    surety_buf url;
    bool has_query;
};

/* Reads an environment variable into the arena. UNSUPPORTED: it is not set, and
 * *ret_value is empty, or it cannot be sent. */
static surety_status remote_variable(const struct remote_job *job,
                                     surety_str name, surety_str *ret_value,
                                     surety_error *reterr)
{
    const surety_tools_options *options = &job->tools->options;
    const char *value =
        options->environment
            ? options->environment(options->environment_ctx, name.ptr)
            : surety__process_variable(name.ptr);
    const surety_str text = surety__str_trim(surety_str_of(value));

    *ret_value = text;
    if (!text.len)
        return surety__fail(reterr, SURETY_UNSUPPORTED,
                            "the environment variable %s is not set", name.ptr);
    if (surety__str_find_control(text, false) < text.len)
        return surety__fail(reterr, SURETY_UNSUPPORTED,
                            "the environment variable %s has a control "
                            "character",
                            name.ptr);
    *ret_value = surety__arena_text(job->arena, text);
    return ret_value->ptr ? SURETY_OK : surety__fail_nomem(reterr);
}

/* Reads the variable of a query parameter or a header. *ret_whole false: it is
 * to be left out. */
static surety_status remote_key(const struct remote_job *job,
                                const struct remote_text *text,
                                surety_str *ret_value, bool *ret_whole,
                                surety_error *reterr)
{
    const surety_status status =
        remote_variable(job, text->variable, ret_value, reterr);

    *ret_whole = status == SURETY_OK;
    return status == SURETY_UNSUPPORTED && text->optional && !ret_value->len
               ? SURETY_OK
               : status;
}

static surety_status remote_origin(struct remote_job *job, surety_error *reterr)
{
    const struct remote_spec *spec = job->spec;
    surety_str origin = spec->origin;
    surety_status status;

    if (spec->origin_env.len) {
        status = remote_variable(job, spec->origin_env, &origin, reterr);
        if (status == SURETY_UNSUPPORTED)
            origin = spec->origin;
        else if (status != SURETY_OK)
            return status;
    }
    while (origin.len && origin.ptr[origin.len - 1] == '/')
        origin.len--;
    surety_buf_add(&job->url, origin);
    return SURETY_OK;
}

/* Whether a segment of the path, from offset start of the URL on, leads
 * elsewhere. */
static bool remote_leads_away(surety_str path)
{
    size_t start = 1;

    for (size_t i = 1; i <= path.len; i++) {
        const surety_str segment = {path.ptr + start, i - start};

        if (i < path.len && path.ptr[i] != '/' && path.ptr[i] != '?')
            continue;
        if (surety_str_equal(segment, SURETY__LITERAL(".")) ||
            surety_str_equal(segment, SURETY__LITERAL("..")) ||
            (!segment.len && i < path.len && path.ptr[i] == '/'))
            return true;
        if (i < path.len && path.ptr[i] == '?')
            return false;
        start = i + 1;
    }
    return false;
}

static surety_status remote_path(struct remote_job *job, surety_error *reterr)
{
    const size_t start = job->url.len;
    surety_str name = {NULL, 0};
    surety_str path;

    if (!remote_expand(job->spec->path, job->arguments, true, &job->url, &name))
        return surety__fail(reterr, SURETY_SYNTAX,
                            "the call needs the argument %.*s", (int)name.len,
                            name.ptr);
    path = surety_buf_str(&job->url);
    surety__str_skip(&path, start < path.len ? start : path.len);
    if (path.len && remote_leads_away(path))
        return surety__fail(reterr, SURETY_SYNTAX,
                            "an argument makes the path lead elsewhere: "
                            "it must not be empty, \".\" or \"..\"");
    job->has_query = memchr(path.ptr ? path.ptr : "", '?', path.len) != NULL;
    return SURETY_OK;
}

static void remote_parameter(struct remote_job *job, surety_str name)
{
    surety_buf_byte(&job->url, job->has_query ? '&' : '?');
    job->has_query = true;
    surety__buf_percent(&job->url, name, "");
    surety_buf_byte(&job->url, '=');
}

/* Appends the query; its keys also go into headers that no transport sends, so
 * that a recorder knows them. */
static surety_status remote_query(struct remote_job *job,
                                  surety_request *request,
                                  surety_header *headers, surety_error *reterr)
{
    const struct remote_spec *spec = job->spec;

    for (size_t i = 0; i < spec->query_count; i++) {
        const struct remote_text *text = &spec->query[i];
        const size_t len = job->url.len;
        const bool had = job->has_query;
        bool whole = true;
        surety_str name;
        surety_str value;
        surety_status status;

        remote_parameter(job, text->name);
        if (text->variable.len) {
            status = remote_key(job, text, &value, &whole, reterr);
            if (status != SURETY_OK)
                return status;
            surety__buf_percent(&job->url, text->text, "");
            surety__buf_percent(&job->url, value, "");
            if (whole)
                headers[request->header_count++] = (surety_header){
                    SURETY__LITERAL("x-surety-key"), value, true};
        } else {
            whole = remote_expand(text->text, job->arguments, true, &job->url,
                                  &name);
        }
        if (!whole) {
            job->url.len = len;
            job->has_query = had;
        }
    }
    return SURETY_OK;
}

static surety_status remote_headers(struct remote_job *job,
                                    surety_request *request,
                                    surety_header *headers,
                                    surety_error *reterr)
{
    const struct remote_spec *spec = job->spec;

    for (size_t i = 0; i < spec->header_count; i++) {
        const struct remote_text *text = &spec->headers[i];
        surety_str value = {"", 0};
        surety_str name;
        surety_status status = SURETY_OK;
        surety_buf out;
        bool whole = true;

        surety_buf_init(&out, job->tools->alloc, 0);
        if (text->variable.len) {
            status = remote_key(job, text, &value, &whole, reterr);
            surety_buf_add(&out, text->text);
            surety_buf_add(&out, value);
        } else {
            whole =
                remote_expand(text->text, job->arguments, false, &out, &name);
        }
        value = surety__arena_buf(job->arena, &out);
        if (status != SURETY_OK)
            return status;
        if (!value.ptr)
            return surety__fail_nomem(reterr);
        if (surety__str_find_control(value, false) < value.len)
            return surety__fail(reterr, SURETY_SYNTAX,
                                "the header %.*s would get a control character",
                                (int)text->name.len, text->name.ptr);
        if (whole)
            headers[request->header_count++] =
                (surety_header){text->name, value, text->variable.len > 0};
    }
    return SURETY_OK;
}

/* The arguments that no template has. */
static void remote_rest_of(struct remote_job *job, surety_buf *body)
{
    const struct remote_spec *spec = job->spec;

    if (spec->rest == REST_BODY)
        surety_buf_byte(body, '{');
    SURETY_EACH (value, job->arguments) {
        const surety_val key = surety_val_key(value);

        if (remote_uses(spec, surety_val_str(key)) || spec->rest == REST_NONE)
            continue;
        if (spec->rest == REST_BODY) {
            surety_buf_text(body, body->len > 1 ? "," : "");
            surety_json_string(body, surety_val_str(key));
            surety_buf_byte(body, ':');
            (void)surety_val_write(value, SURETY_STYLE_COMPACT, body);
        } else if (surety_val_kind(value) != SURETY_KIND_NULL) {
            remote_parameter(job, surety_val_str(key));
            remote_value(value, "", &job->url);
        }
    }
    if (spec->rest == REST_BODY)
        surety_buf_byte(body, '}');
}

static surety_status remote_write(struct remote_job *job,
                                  surety_request *request, surety_error *reterr)
{
    const struct remote_spec *spec = job->spec;
    surety_header *headers = surety__arena_take(
        job->arena,
        (spec->header_count + spec->query_count + 1) * sizeof(*headers));
    surety_buf body;
    surety_status status;

    if (!headers)
        return surety__fail_nomem(reterr);
    status = remote_origin(job, reterr);
    if (status == SURETY_OK)
        status = remote_path(job, reterr);
    if (status == SURETY_OK)
        status = remote_query(job, request, headers, reterr);
    if (status == SURETY_OK)
        status = remote_headers(job, request, headers, reterr);
    if (status != SURETY_OK)
        return status;
    surety_buf_init(&body, job->tools->alloc, 0);
    remote_rest_of(job, &body);
    if (spec->rest == REST_BODY)
        headers[request->header_count++] =
            (surety_header){SURETY__LITERAL("content-type"),
                            SURETY__LITERAL("application/json"), false};
    request->method = spec->method;
    request->headers = headers;
    request->body = surety__arena_buf(job->arena, &body);
    request->url = surety__arena_buf(job->arena, &job->url);
    return request->body.ptr && request->url.ptr ? SURETY_OK
                                                 : surety__fail_nomem(reterr);
}

static surety_status remote_request(const surety_tools *tools,
                                    const surety__tool *tool,
                                    const surety_tool_call *call,
                                    surety__arena *arena,
                                    surety_request *request,
                                    surety_error *reterr)
{
    struct remote_job job = {.tools = tools,
                             .spec = tool->spec,
                             .arguments = call->arguments,
                             .arena = arena};
    surety_status status;

    surety_buf_init(&job.url, tools->alloc, 0);
    status = remote_write(&job, request, reterr);
    surety_buf_done(&job.url);
    return status;
}

/* ---- the rest of the kind ------------------------------------------------ */

static surety_status remote_open(surety_tools *tools, const surety__tool *tool,
                                 surety_transport **ret_transport,
                                 surety_error *reterr)
{
    const struct remote_spec *spec = tool->spec;
    const surety_http_options options = {.size = sizeof(options),
                                         .public_only = !spec->is_private,
                                         .alloc = tools->alloc};

    return surety_http_open(&options, ret_transport, reterr);
}

static surety_status remote_read(const surety__tool_response *response,
                                 surety__arena *arena,
                                 surety__tool_reply *ret_reply,
                                 surety_error *reterr)
{
    const surety_str body = surety__str_trim(response->body);
    surety_str location = response->location;
    surety_buf text;

    *ret_reply = (surety__tool_reply){response->body, false};
    if (response->status < REMOTE_BAD)
        return SURETY_OK;
    surety_buf_init(&text, arena->alloc, 0);
    surety__buf_printf(&text, "HTTP status %d", response->status);
    if (location.len) {
        /* Its query may repeat the request's, with the key. */
        location.len = surety__str_find(location, SURETY__LITERAL("?"));
        surety_buf_text(&text, ", a redirect to ");
        surety__buf_quoted(&text, location, REMOTE_ERROR_MAX);
    }
    if (body.len)
        surety_buf_text(&text, ": ");
    surety__buf_quoted(&text, body, REMOTE_ERROR_MAX);
    *ret_reply = (surety__tool_reply){surety__arena_buf(arena, &text), true};
    return ret_reply->text.ptr ? SURETY_OK : surety__fail_nomem(reterr);
}

const surety__tool_kind surety__tool_http = {
    .open = remote_open, .request = remote_request, .read = remote_read};

/* ---- reading ------------------------------------------------------------- */

/* Checks that a template has the names of arguments only. */
static surety_status remote_check(surety_val row, surety_str form,
                                  surety_error *reterr)
{
    const surety_val parameters = surety_val_get(row, "parameters");
    const surety_val properties = surety_val_get(parameters, "properties");
    struct remote_piece piece;

    while (remote_next(&form, &piece))
        if (piece.name.ptr && !surety_val_member(properties, piece.name).doc) {
            const size_t len = piece.name.len;

            (void)surety__fail(reterr, SURETY_SYNTAX,
                               "\"{%.*s}\" names no argument",
                               (int)(len < 64 ? len : 64), piece.name.ptr);
            surety__hint(reterr, "an argument is a property of parameters");
            return SURETY_SYNTAX;
        }
    return SURETY_OK;
}

/* Reads the query parameters or the headers. */
static surety_status remote_texts(surety_tools *tools, surety_val row,
                                  surety_val object,
                                  struct remote_text **ret_texts,
                                  surety_val *at, surety_error *reterr)
{
    struct remote_text *texts = surety__arena_take(
        &tools->arena, (surety_val_count(object) + 1) * sizeof(*texts));
    struct remote_text *text = texts;

    if (!texts)
        return surety__fail_nomem(reterr);
    *ret_texts = texts;
    SURETY_EACH (value, object) {
        const surety_val variable = surety_val_get(value, "env");
        const surety_val before = surety_val_get(value, "before");

        *at = value;
        text->name = surety__arena_text(&tools->arena,
                                        surety_val_str(surety_val_key(value)));
        text->text = surety__arena_text(
            &tools->arena, surety_val_str(variable.doc ? before : value));
        text->variable =
            surety__arena_text(&tools->arena, surety_val_str(variable));
        text->optional =
            surety_val_bool(surety_val_get(value, "optional"), false);
        if (!text->name.ptr || !text->text.ptr || !text->variable.ptr)
            return surety__fail_nomem(reterr);
        if (!variable.doc && remote_check(row, text->text, reterr))
            return SURETY_SYNTAX;
        text++;
    }
    return SURETY_OK;
}

static remote_rest remote_rest_from(surety_val rest, surety_str method)
{
    const surety_str get = SURETY__LITERAL("GET");
    const surety_str delete = SURETY__LITERAL("DELETE");

    if (rest.doc)
        return surety_val_is(rest, "query")  ? REST_QUERY
               : surety_val_is(rest, "body") ? REST_BODY
                                             : REST_NONE;
    return surety_str_equal(method, get) || surety_str_equal(method, delete)
               ? REST_QUERY
               : REST_BODY;
}

/* The length of scheme, host and port. */
static size_t remote_origin_len(surety_str url)
{
    size_t i = surety__str_find(url, SURETY__LITERAL("://")) + 3;

    while (i < url.len && url.ptr[i] != '/' && url.ptr[i] != '?')
        i++;
    return i;
}

surety_status surety__tool_http_read(surety_tools *tools, surety_val row,
                                     surety__tool *tool, surety_str *ret_key,
                                     surety_val *at, surety_error *reterr)
{
    const surety_val http = surety_val_get(row, "http");
    const surety_val method = surety_val_get(http, "method");
    const surety_val origin_env = surety_val_get(http, "origin_env");
    const surety_val query = surety_val_get(http, "query");
    const surety_val headers = surety_val_get(http, "headers");
    struct remote_spec *spec = surety__arena_take(&tools->arena, sizeof(*spec));
    surety_str url = surety__arena_text(
        &tools->arena, surety_val_str(surety_val_get(http, "url")));
    size_t len;
    surety_status status;

    if (!spec || !url.ptr)
        return surety__fail_nomem(reterr);
    len = remote_origin_len(url);
    spec->origin = (surety_str){url.ptr, len};
    spec->path = (surety_str){url.ptr + len, url.len - len};
    spec->method =
        surety__arena_text(&tools->arena, method.doc ? surety_val_str(method)
                                                     : SURETY__LITERAL("GET"));
    spec->origin_env =
        surety__arena_text(&tools->arena, surety_val_str(origin_env));
    spec->is_private = origin_env.doc ||
                       surety_val_bool(surety_val_get(http, "private"), false);
    spec->query_count = surety_val_count(query);
    spec->header_count = surety_val_count(headers);
    if (!spec->method.ptr || !spec->origin_env.ptr)
        return surety__fail_nomem(reterr);
    spec->rest = remote_rest_from(surety_val_get(http, "rest"), spec->method);
    *at = surety_val_get(http, "url");
    status = remote_check(row, spec->path, reterr);
    if (status == SURETY_OK)
        status = remote_texts(tools, row, query, &spec->query, at, reterr);
    if (status == SURETY_OK)
        status = remote_texts(tools, row, headers, &spec->headers, at, reterr);
    tool->spec = spec;
    *ret_key = spec->is_private ? SURETY__LITERAL("private")
                                : SURETY__LITERAL("public");
    return status;
}
