/* SPDX-License-Identifier: Apache-2.0 */
/* call.c: encodes a call as a request.
 *
 * A protocol gives a path, a header for the key, and a function that builds
 * the body. This file has what they share: the URL, the headers and their
 * checks, and the caller's extra members, which are joined with the body after
 * it is built. A text that becomes part of a URL or a header is checked or
 * encoded first, so no model name or key can add a header or change the
 * request's path. The protocol's table lists the members that the caller may
 * replace. Any other member that both set is refused, because otherwise one of
 * the two would be ignored silently.
 *
 * The request's texts are in the caller's arena, but for the body, which may be
 * long, and has a buffer. A long text in it that is JSON already, as a contract
 * keeps its schema, is not copied: the body has it as a part, for a transport
 * that takes parts. Temporary documents and buffers use the arena's
 * allocator and are freed at the end. */
#include "provider/protocol.h"

#include <math.h>

const surety__protocol *surety__protocol_of(surety_protocol protocol)
{
    static const surety__protocol *const protocols[] = {
        [SURETY_PROTOCOL_OPENAI] = &surety__protocol_openai,
        [SURETY_PROTOCOL_RESPONSES] = &surety__protocol_responses,
        [SURETY_PROTOCOL_ANTHROPIC] = &surety__protocol_anthropic,
        [SURETY_PROTOCOL_GEMINI] = &surety__protocol_gemini,
        [SURETY_PROTOCOL_TEXT] = &surety__protocol_text,
    };

    assert((size_t)protocol < SURETY__COUNT(protocols));
    return protocols[protocol];
}

/* Whether request and response are JSON, not plain text. */
static bool call_is_json(const surety__call *call)
{
    return surety__protocol_of(call->model->protocol)->whole != NULL;
}

bool surety__protocol_has(surety_protocol protocol, surety_mode mode)
{
    assert(mode <= SURETY_MODE_PROMPT);
    return mode == SURETY_MODE_PROMPT ||
           (mode != SURETY_MODE_AUTO && surety__protocol_of(protocol)->whole);
}

surety_status surety__choice_check(surety_protocol protocol, surety_mode mode,
                                   surety_tool_choice choice, bool single,
                                   surety_error *reterr)
{
    const char *name = surety_protocol_name(protocol);

    if (choice >= SURETY_TOOL_CHOICE_REQUIRED &&
        (mode == SURETY_MODE_PROMPT ||
         !surety__protocol_has(protocol, SURETY_MODE_TOOL)))
        return surety__fail(reterr, SURETY_UNSUPPORTED,
                            "the protocol %s in mode %s has no tool choice %s",
                            name, surety_mode_name(mode),
                            surety_tool_choice_name(choice));
    if (single && protocol == SURETY_PROTOCOL_GEMINI)
        return surety__fail(reterr, SURETY_UNSUPPORTED,
                            "the protocol %s cannot bind a reply to a single "
                            "call",
                            name);
    return SURETY_OK;
}

/* ---- the URL ------------------------------------------------------------- */

/* Writes base, path and query. If the base already ends with the path, as in
 * many examples, the path is not repeated. */
static void call_url_write(const surety__call *call, surety_buf *out)
{
    const surety__protocol *protocol =
        surety__protocol_of(call->model->protocol);
    surety_str base, path, query;
    surety__url url;

    if (surety__call_is_exec(call->model)) {
        surety_buf_add(out, call->model->base_url);
        return;
    }
    url = surety__url_split(call->model->base_url);
    base = url.base;
    surety_buf_add(out, base);
    if (call->raw && call->raw->path.len) {
        surety__raw_path(call, out);
    } else {
        surety_buf_text(out, protocol->path);
        if (protocol->put_path)
            protocol->put_path(call, out);
    }
    if (out->status)
        return;
    assert(out->len >= base.len);
    path = (surety_str){out->ptr + base.len, out->len - base.len};
    query = path;
    path.len = surety__str_find(path, SURETY__LITERAL("?"));
    surety__str_skip(&query, path.len);
    if (path.len && base.len > path.len &&
        !(call->raw && call->raw->is_bytes) &&
        !memcmp(base.ptr + base.len - path.len, path.ptr, path.len)) {
        memmove(out->ptr + base.len, query.ptr, query.len);
        out->len -= path.len;
    }
    if (url.query.len > 1) {
        surety_buf_byte(out, query.len ? '&' : '?');
        surety_buf_append(out, url.query.ptr + 1, url.query.len - 1);
    }
}

/* ---- headers ------------------------------------------------------------- */

/* Checks a value. Messages never quote it: it may be a key. */
static surety_status call_value_check(const char *what, surety_str name,
                                      surety_str value, surety_error *reterr)
{
    const int len = name.len < 100 ? (int)name.len : 100;
    const size_t at = surety__str_find_control(value, true);

    if (at < value.len) {
        surety__fail(reterr, SURETY_MISUSE,
                     "%s%.*s has a control character at byte %zu", what, len,
                     name.ptr, at);
        surety__hint(reterr,
                     at + 2 >= value.len && value.ptr[value.len - 1] == '\n'
                         ? "a key that is read from a file may end in a "
                           "newline: leave it out"
                         : "a header is one line");
        return SURETY_MISUSE;
    }
    if (value.len && (value.ptr[0] == ' ' || value.ptr[value.len - 1] == ' '))
        return surety__fail(reterr, SURETY_MISUSE,
                            "%s%.*s begins or ends with a blank", what, len,
                            name.ptr);
    return SURETY_OK;
}

/* Whether only this library and its transports may set this header. */
static bool call_is_reserved(surety_str name)
{
    static const char *const reserved[] = {
        "accept-encoding",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "expect",
        "host",
        "transfer-encoding",
        "upgrade",
    };

    return surety__str_among_nocase(name, reserved, SURETY__COUNT(reserved)) ||
           surety__str_starts_nocase(name, SURETY__LITERAL("x-surety-"));
}

static surety_status call_headers_check(const surety_model *model,
                                        surety_error *reterr)
{
    const surety_str none = {"", 0};
    surety_status status =
        call_value_check("the key", none, model->key, reterr);

    if (status == SURETY_OK)
        status =
            call_value_check("the model's name", none, model->model, reterr);
    for (size_t i = 0; status == SURETY_OK && i < model->header_count; i++) {
        const surety_header *header = &model->headers[i];
        const int len = header->name.len < 100 ? (int)header->name.len : 100;

        if (!surety__is_token(header->name))
            return surety__fail(reterr, SURETY_MISUSE,
                                "\"%.*s\" cannot be the name of a header", len,
                                header->name.ptr);
        if (call_is_reserved(header->name))
            return surety__fail(reterr, SURETY_MISUSE,
                                "only the library sets the header %.*s", len,
                                header->name.ptr);
        status = call_value_check("the header ", header->name, header->value,
                                  reterr);
    }
    return status;
}

/* Copies a header into arena. False: out of memory. */
static bool call_header_copy(surety__arena *arena, const surety_header *header,
                             surety_header *ret_copy)
{
    *ret_copy =
        (surety_header){.name = surety__arena_text(arena, header->name),
                        .value = surety__arena_text(arena, header->value),
                        .secret = header->secret};
    return ret_copy->name.ptr && ret_copy->value.ptr;
}

/* The content type; empty: none. */
static surety_str call_content_type(const surety__call *call)
{
    if (call->raw && call->raw->is_bytes)
        return call->raw->type;
    if (call->raw && !call->raw->body.len)
        return SURETY__LITERAL("");
    return call_is_json(call) ? SURETY__LITERAL("application/json")
                              : SURETY__LITERAL("text/plain; charset=utf-8");
}

/* Writes the protocol's headers, unless the caller sets them, and the
 * caller's. */
static surety_status call_headers_write(const surety__call *call,
                                        surety__arena *arena, surety_str key,
                                        surety_request *ret_request,
                                        surety_error *reterr)
{
    const surety_model *model = call->model;
    const surety__protocol *protocol = surety__protocol_of(model->protocol);
    const bool json = call_is_json(call);
    const surety_str type = call_content_type(call);
    const surety_header own[] = {
        {type.len ? SURETY__LITERAL("content-type") : SURETY__LITERAL(""), type,
         false},
        {SURETY__LITERAL("accept"),
         !json           ? SURETY__LITERAL("text/plain")
         : !model->whole ? SURETY__LITERAL("text/event-stream")
                         : SURETY__LITERAL("application/json"),
         false},
        {SURETY__LITERAL("accept-encoding"), SURETY__LITERAL("identity"),
         false},
        {SURETY__LITERAL("user-agent"),
         SURETY__LITERAL("surety/" SURETY_VERSION), false},
        {surety_str_of(protocol->version_header),
         surety_str_of(protocol->version), false},
        {surety_str_of(key.len ? protocol->key_header : NULL), key, true},
        {SURETY__LITERAL("x-surety-protocol"),
         surety_str_of(surety_protocol_name(model->protocol)), false},
        {SURETY__LITERAL("x-surety-model"), model->model, false},
    };
    surety_header *headers = NULL;
    size_t count = 0;
    bool copied = true;

    if (model->header_count > SIZE_MAX / sizeof(surety_header) / 2)
        return surety__fail(reterr, SURETY_MISUSE, "too many headers");
    headers = surety__arena_take(
        arena, (model->header_count + SURETY__COUNT(own)) * sizeof(*headers));
    if (!headers)
        return surety__fail_nomem(reterr);
    for (size_t i = 0; i < SURETY__COUNT(own); i++)
        if (own[i].name.len &&
            !surety__header_find(model->headers, model->header_count,
                                 own[i].name.ptr))
            copied &= call_header_copy(arena, &own[i], &headers[count++]);
    for (size_t i = 0; i < model->header_count; i++)
        copied &=
            call_header_copy(arena, &model->headers[i], &headers[count++]);
    if (!copied)
        return surety__fail_nomem(reterr);
    ret_request->headers = headers;
    ret_request->header_count = count;
    return SURETY_OK;
}

/* ---- the call ------------------------------------------------------------ */

static surety_status call_check(const surety__call *call,
                                const surety_alloc *alloc, surety_error *reterr)
{
    const surety_model *model = call->model;
    const char *protocol = surety_protocol_name(model->protocol);
    const surety_kind extra = surety_val_kind(model->extra);
    surety_status status = surety__url_check(model, reterr);

    if (status)
        return status;
    if (call->mode == SURETY_MODE_AUTO)
        return surety__fail(reterr, SURETY_MISUSE, "the mode is not decided");
    if (!surety__protocol_has(model->protocol, call->mode))
        return surety__fail(reterr, SURETY_UNSUPPORTED,
                            "the protocol %s has no mode %s", protocol,
                            surety_mode_name(call->mode));
    if (surety__call_is_exec(model) && model->protocol != SURETY_PROTOCOL_TEXT)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a command speaks the protocol text, not %s",
                            protocol);
    if (!model->model.len && model->protocol != SURETY_PROTOCOL_TEXT &&
        !(call->raw && call->raw->path.len))
        return surety__fail(reterr, SURETY_MISUSE, "the call names no model");
    if (call->raw) {
        status = surety__raw_check(call, reterr);
        if (!status)
            status = call_value_check("the content type", (surety_str){"", 0},
                                      call->raw->type, reterr);
        return status ? status : call_headers_check(model, reterr);
    }
    if (!call->message_count)
        return surety__fail(reterr, SURETY_MISUSE, "the call has no message");
    if (call->mode != SURETY_MODE_PROMPT &&
        (call->schema.len ? !call->schema_name.len : !call->tool_count))
        return surety__fail(reterr, SURETY_MISUSE,
                            "the mode %s needs a schema and its name",
                            surety_mode_name(call->mode));
    if (call_is_json(call) && model->has_temperature &&
        !isfinite(model->temperature))
        return surety__fail(reterr, SURETY_MISUSE,
                            "the temperature is not a finite number");
    if (extra != SURETY_KIND_NONE && extra != SURETY_KIND_OBJECT)
        return surety__fail(reterr, SURETY_MISUSE,
                            "the extra members are no object but %s",
                            surety_kind_name(extra));
    if (call->mode == SURETY_MODE_NATIVE && call->schema.len &&
        call->tool_count && !surety__model_joins_tools(model))
        return surety__fail(reterr, SURETY_UNSUPPORTED,
                            "the model does not take tools together with "
                            "structured output");
    if (call->tool_count)
        status = surety__choice_check(model->protocol, call->mode, call->choice,
                                      call->single, reterr);
    if (status)
        return status;
    status = surety__parts_check(call, surety__protocol_of(model->protocol),
                                 alloc, reterr);
    return status ? status : call_headers_check(model, reterr);
}

/* Whether a text is UTF-8; its part is. */
static bool call_text_is_utf8(surety_str text, const surety_prompt_part *part)
{
    const surety_str before = {text.ptr, part->start};

    surety__str_skip(&text, part->start + part->len);
    return surety__utf8_valid(before, NULL) && surety__utf8_valid(text, NULL);
}

/* Whether the texts of a part are UTF-8; a document that is a text too, as it
 * may be written as one. */
static bool call_part_is_utf8(const surety_part *part)
{
    const surety_str texts[] = {part->text,    part->media_type, part->url,
                                part->file_id, part->name,       part->id,
                                part->raw};
    const bool reads =
        part->kind == SURETY_PART_DOCUMENT &&
        surety__str_starts_nocase(part->media_type, SURETY__LITERAL("text/"));
    bool valid = !reads || surety__utf8_valid(part->data, NULL);

    for (size_t i = 0; i < SURETY__COUNT(texts) && valid; i++)
        valid = surety__utf8_valid(texts[i], NULL);
    return valid;
}

/* Whether all texts of the call are UTF-8: JSON cannot carry others. */
static bool call_is_utf8(const surety__call *call)
{
    bool valid = surety__utf8_valid(call->model->model, NULL) &&
                 call_text_is_utf8(call->system, &call->system_part) &&
                 surety__utf8_valid(call->schema_name, NULL) &&
                 surety__utf8_valid(call->schema_description, NULL);

    for (size_t i = 0; i < call->message_count && valid; i++) {
        const surety__message *message = &call->messages[i];

        valid = call_text_is_utf8(message->text, &message->part);
        for (size_t k = 0; k < message->part_count && valid; k++)
            valid = call_part_is_utf8(&message->parts[k]);
    }
    for (size_t i = 0; i < call->tool_count && valid; i++)
        valid = surety__utf8_valid(call->tools[i].name, NULL) &&
                surety__utf8_valid(call->tools[i].description, NULL) &&
                surety__utf8_valid(call->tools[i].parameters, NULL);
    return valid;
}

/* Bytes that a body has at least, and usually is not much longer than. */
static size_t call_measure(const surety__call *call)
{
    enum { AROUND = 1024, AROUND_TOOL = 128 };
    size_t bytes = AROUND + call->system.len - call->system_part.len +
                   call->system_part.json.len + call->schema.len;

    for (size_t i = 0; i < call->message_count; i++) {
        const surety__message *message = &call->messages[i];

        bytes += message->text.len - message->part.len + message->part.json.len;
        for (size_t k = 0; k < message->part_count; k++)
            bytes += message->parts[k].text.len + message->parts[k].raw.len +
                     message->parts[k].data.len / 3 * 4;
    }
    for (size_t i = 0; i < call->tool_count; i++)
        bytes += AROUND_TOOL + call->tools[i].description.len +
                 call->tools[i].parameters.len;
    return bytes;
}

/* ---- a body in parts ----------------------------------------------------- */

enum {
    CALL_LONG_MIN = 16 << 10, /* shorter texts are copied */
    CALL_LONG_MAX = 8
};

/* The long texts of a call. The body is written with a mark in the place of
 * each, and cut there: the byte 0, which JSON never contains, and the number of
 * the text. */
typedef struct call_longs {
    surety_str texts[CALL_LONG_MAX];
    char marks[CALL_LONG_MAX][2];
    size_t count;
} call_longs;

/* Puts a mark in the place of a long text. */
static void call_mark(call_longs *longs, surety_str *text)
{
    char *mark = longs->marks[longs->count];

    if (text->len < CALL_LONG_MIN || longs->count == CALL_LONG_MAX)
        return;
    mark[1] = (char)longs->count;
    longs->texts[longs->count++] = *text;
    *text = (surety_str){mark, sizeof(longs->marks[0])};
}

/* Puts marks in the places of all long texts of a call, in a copy of it. False:
 * out of memory. */
static bool call_mark_all(call_longs *longs, surety__arena *arena,
                          surety__call *call)
{
    surety__message *messages =
        surety__arena_take(arena, call->message_count * sizeof(*messages));

    if (!messages)
        return false;
    call_mark(longs, &call->schema);
    call_mark(longs, &call->system_part.json);
    for (size_t i = 0; i < call->message_count; i++) {
        messages[i] = call->messages[i];
        call_mark(longs, &messages[i].part.json);
    }
    call->messages = messages;
    return true;
}

/* Whether a request for the call may have a body in parts. */
static bool call_takes_parts(const surety__call *call)
{
    const surety_transport *transport = call->model->transport;

    return transport && transport->version >= 2 && call_is_json(call) &&
           !call->raw && !surety_val_count(call->model->extra);
}

/* Cuts a body at its marks. False: out of memory. */
static bool call_cut(const call_longs *longs, surety_str body,
                     surety__arena *arena, surety_request *request)
{
    surety_str *parts =
        surety__arena_take(arena, (2 * longs->count + 1) * sizeof(*parts));
    const char *mark;
    size_t count = 0;

    if (!parts)
        return false;
    /* Each text is written once at most. A byte 0 that is no mark is of a text
     * that should be JSON and is not: it stays. */
    while (count < 2 * longs->count &&
           (mark = memchr(body.ptr, 0, body.len - 1)) &&
           (unsigned char)mark[1] < longs->count) {
        parts[count++] = (surety_str){body.ptr, (size_t)(mark - body.ptr)};
        parts[count++] = longs->texts[(size_t)mark[1]];
        surety__str_skip(&body, parts[count - 2].len + sizeof(longs->marks[0]));
    }
    parts[count++] = body;
    request->parts = parts;
    request->part_count = count;
    return true;
}

/* ---- the body ------------------------------------------------------------ */

/* Writes the body, joined with the caller's members. */
static surety_status call_body_write(const surety__call *call, surety_buf *out,
                                     surety_error *reterr)
{
    const surety__protocol *protocol =
        surety__protocol_of(call->model->protocol);
    surety_doc *own = NULL;
    surety_doc *joined = NULL;
    surety_status status = SURETY_OK;

    if (call->raw)
        return surety__raw_write(call, out, reterr);
    if (call_is_json(call) && !call_is_utf8(call))
        return surety__fail(reterr, SURETY_SYNTAX,
                            "a text of the call is not valid UTF-8");
    surety_buf_reset(out);
    (void)surety__buf_room(out, call_measure(call));
    protocol->body(call, out);
    if (out->status)
        return surety__fail_nomem(reterr);
    if (!call_is_json(call) || !surety_val_count(call->model->extra))
        return SURETY_OK;
    own = surety_doc_new(out->alloc);
    joined = surety_doc_new(out->alloc);
    if (!own || !joined)
        status = surety__fail_nomem(reterr);
    if (!status)
        status = surety_doc_read(own, surety_buf_str(out), NULL, reterr);
    if (!status) {
        status = surety__extra_join(surety_doc_root(own), call->model->extra,
                                    protocol->replaceable, joined, reterr);
        surety_buf_reset(out);
        if (!status && surety_val_write(surety_doc_root(joined),
                                        SURETY_STYLE_COMPACT, out))
            status = surety__fail_nomem(reterr);
    }
    surety_doc_free(own);
    surety_doc_free(joined);
    return status;
}

static surety_status call_encode(const surety__call *call, surety__arena *arena,
                                 surety_buf *body, surety_request *ret_request,
                                 surety_error *reterr)
{
    const surety_model *model = call->model;
    surety_request request = {
        .size = sizeof(request),
        .method = call->raw && call->raw->method.len ? call->raw->method
                                                     : SURETY__LITERAL("POST"),
        .timeouts = surety__timeouts_of(&model->timeouts),
        .response_bytes_max = model->response_bytes_max
                                  ? model->response_bytes_max
                                  : (size_t)64 << 20,
        .body_stays = true,
    };
    const bool in_parts = call_takes_parts(call);
    surety__call own = *call;
    call_longs longs = {.count = 0};
    surety_buf url, key;
    surety_status status = call_check(call, arena->alloc, reterr);

    if (status)
        return status;
    surety_buf_init(&url, arena->alloc, 0);
    surety_buf_init(&key, arena->alloc, 0);
    if (model->key.len && !surety__call_is_exec(model)) {
        surety_buf_text(&key, surety__protocol_of(model->protocol)->key_prefix);
        surety_buf_add(&key, model->key);
    }
    status = key.status ? surety__fail_nomem(reterr)
                        : call_headers_write(call, arena, surety_buf_str(&key),
                                             &request, reterr);
    if (status)
        goto done;
    call_url_write(call, &url);
    if (in_parts && !call_mark_all(&longs, arena, &own))
        status = surety__fail_nomem(reterr);
    if (!status)
        status = call_body_write(&own, body, reterr);
    if (status)
        goto done;
    request.url = surety__arena_text(arena, surety_buf_str(&url));
    if (!longs.count)
        request.body = call->raw && call->raw->is_bytes ? call->raw->body
                                                        : surety_buf_str(body);
    if (url.status || !request.url.ptr ||
        (longs.count &&
         !call_cut(&longs, surety_buf_str(body), arena, &request)))
        status = surety__fail_nomem(reterr);
    else
        *ret_request = request;
done:
    surety_buf_done(&url);
    surety_buf_done(&key);
    return status;
}

surety_status surety__call_encode(const surety__call *call,
                                  surety__arena *arena, surety_buf *body,
                                  surety_request *ret_request,
                                  surety_error *reterr)
{
    surety_model model = *call->model;
    surety__call own = *call;
    surety_status status;

    if (!call->raw)
        return call_encode(call, arena, body, ret_request, reterr);
    own.model = &model;
    status = surety__raw_headers(call, arena, &model, reterr);
    return status ? status
                  : call_encode(&own, arena, body, ret_request, reterr);
}
