/* SPDX-License-Identifier: Apache-2.0 */
/* raw.c: a request that is the caller's own: its body is sent as it is, but for
 * the model's name; its headers stand behind those of the model; its path may
 * be another one. So a program between a client and a provider can pass on what
 * this library does not know. Messages of the call go behind its own.
 *
 * The body has to be an object of JSON, read strictly, so nobody behind this
 * library sees other members in it than this file does: every member "model" of
 * the root is replaced, also one whose name has escapes. Where the path has the
 * model's name, a body may repeat it as "models/NAME", at its root and in each
 * item of a batch. */
#include "provider/protocol.h"

/* ---- the body ------------------------------------------------------------ */

/* A text of valid JSON that is read from left to right. */
typedef struct raw_reader {
    surety_str text;
    size_t at;
} raw_reader;

static char raw_byte(const raw_reader *reader)
{
    return reader->at < reader->text.len ? reader->text.ptr[reader->at] : '\0';
}

static void raw_blanks(raw_reader *reader)
{
    while (raw_byte(reader) == ' ' || raw_byte(reader) == '\n' ||
           raw_byte(reader) == '\r' || raw_byte(reader) == '\t')
        reader->at++;
}

static void raw_string(raw_reader *reader)
{
    for (reader->at++; reader->at < reader->text.len; reader->at++) {
        if (raw_byte(reader) == '"')
            break;
        reader->at += raw_byte(reader) == '\\';
    }
    reader->at++;
}

/* Whether a byte stands behind a value. */
static bool raw_ends(char byte)
{
    return byte == ',' || byte == '}' || byte == ']';
}

/* Skips a value. */
static void raw_value(raw_reader *reader)
{
    size_t depth = 0;

    do {
        const char byte = raw_byte(reader);

        if (byte == '"') {
            raw_string(reader);
            continue;
        }
        if (byte == '{' || byte == '[')
            depth++;
        else if ((byte == '}' || byte == ']') && depth)
            depth--;
        else if (!depth && raw_ends(byte))
            return;
        reader->at++;
    } while (reader->at < reader->text.len &&
             (depth || !raw_ends(raw_byte(reader))));
}

/* Reads the next member: its key with the quotation marks, and its value.
 * False: there is none. */
static bool raw_member(raw_reader *reader, surety_str *ret_key,
                       surety_str *ret_value)
{
    size_t from;

    raw_blanks(reader);
    if (raw_byte(reader) != '{' && raw_byte(reader) != ',')
        return false;
    reader->at++;
    raw_blanks(reader);
    from = reader->at;
    if (raw_byte(reader) != '"')
        return false;
    raw_string(reader);
    *ret_key = (surety_str){reader->text.ptr + from, reader->at - from};
    raw_blanks(reader);
    reader->at++;
    raw_blanks(reader);
    from = reader->at;
    raw_value(reader);
    *ret_value = surety__str_trim(
        (surety_str){reader->text.ptr + from, reader->at - from});
    return true;
}

/* How the model's name is written. */
typedef struct raw_renamer {
    surety_str name;
    bool is_path;    /* the path has it, and a body may repeat it */
    surety_doc *doc; /* to read names with escapes */
    surety_buf *out;
} raw_renamer;

/* Whether a key has this name. NOMEM. */
static surety_status raw_is(const raw_renamer *renamer, surety_str key,
                            const char *name, bool *ret_is)
{
    const surety_str inner = {key.ptr + 1, key.len - 2};
    surety_status status;

    *ret_is = surety_str_equal(inner, surety_str_of(name));
    if (!memchr(key.ptr, '\\', key.len))
        return SURETY_OK;
    status = surety_doc_read(renamer->doc, key, NULL, NULL);
    *ret_is = surety_val_is(surety_doc_root(renamer->doc), name);
    return status;
}

static surety_status raw_rename_items(const raw_renamer *renamer,
                                      surety_str list);

/* Writes an object with the model's name in place of every other: at its root,
 * and in the items of a batch. */
static surety_status raw_rename_in(const raw_renamer *renamer,
                                   surety_str object, bool is_root,
                                   bool *ret_named)
{
    raw_reader reader = {object, 0};
    surety_status status = SURETY_OK;
    surety_str key, value;
    size_t copied = 0;
    bool is = false;

    while (!status && raw_member(&reader, &key, &value)) {
        const size_t at = (size_t)(value.ptr - object.ptr);
        bool is_batch = false;

        status = raw_is(renamer, key, "model", &is);
        if (!status && is_root && renamer->is_path && *value.ptr == '[')
            status = raw_is(renamer, key, "requests", &is_batch);
        if (status || (!is && !is_batch))
            continue;
        surety_buf_append(renamer->out, object.ptr + copied, at - copied);
        copied = at + value.len;
        *ret_named = *ret_named || is;
        if (is_batch)
            status = raw_rename_items(renamer, value);
        else
            surety_json_string(renamer->out, renamer->name);
    }
    surety_buf_append(renamer->out, object.ptr + copied, object.len - copied);
    return status;
}

/* Writes the items of a batch so. */
static surety_status raw_rename_items(const raw_renamer *renamer,
                                      surety_str list)
{
    raw_reader reader = {list, 1};
    surety_status status = SURETY_OK;
    bool named = false;
    size_t copied = 0;

    while (!status && reader.at < list.len) {
        size_t from;

        raw_blanks(&reader);
        from = reader.at;
        if (raw_byte(&reader) != ']')
            raw_value(&reader);
        if (list.ptr[from] == '{') {
            surety_buf_append(renamer->out, list.ptr + copied, from - copied);
            status = raw_rename_in(
                renamer, (surety_str){list.ptr + from, reader.at - from}, false,
                &named);
            copied = reader.at;
        }
        reader.at++; /* the comma, or the bracket */
    }
    surety_buf_append(renamer->out, list.ptr + copied, list.len - copied);
    return status;
}

/* Writes the body with the model's name in place of every other. */
static surety_status raw_rename(const surety__call *call, surety_doc *doc,
                                surety_buf *out)
{
    const bool is_path = !surety__protocol_of(call->model->protocol)->path;
    const surety_str body = call->raw->body;
    raw_renamer renamer = {call->model->model, is_path, doc, out};
    raw_reader reader = {body, 0};
    bool named = false;
    surety_status status;
    surety_buf name;
    size_t start;

    surety_buf_init(&name, out->alloc, 0);
    if (is_path) {
        surety_buf_text(&name, "models/");
        surety_buf_add(&name, call->model->model);
        renamer.name = surety_buf_str(&name);
    }
    status = name.status ? SURETY_NOMEM
                         : raw_rename_in(&renamer, body, true, &named);
    surety_buf_done(&name);
    if (status || named || is_path || call->raw->path.len)
        return status;
    /* A call of the protocol has to name its model. */
    surety_buf_reset(out);
    reader.at = surety__str_find(body, SURETY__LITERAL("{")) + 1;
    start = reader.at;
    surety_buf_append(out, body.ptr, start);
    surety_buf_text(out, "\"model\":");
    surety_json_string(out, call->model->model);
    raw_blanks(&reader);
    if (raw_byte(&reader) != '}')
        surety_buf_byte(out, ',');
    surety_buf_append(out, body.ptr + start, body.len - start);
    return SURETY_OK;
}

/* Finds the root's member of this name. END: there is none; NOMEM. */
static surety_status raw_find(surety_str body, const char *name,
                              surety_doc *doc, surety_str *ret_value)
{
    const raw_renamer renamer = {.doc = doc};
    raw_reader reader = {body, 0};
    surety_status status = SURETY_OK;
    surety_str key;
    bool is = false;

    while (!status && !is) {
        if (!raw_member(&reader, &key, ret_value))
            return SURETY_END;
        status = raw_is(&renamer, key, name, &is);
    }
    return status;
}

/* Adds the messages of the call behind those that the body, written to out, has
 * itself. */
static surety_status raw_join(const surety__call *call, surety_doc *doc,
                              surety_buf *out, surety_error *reterr)
{
    const surety__protocol *protocol =
        surety__protocol_of(call->model->protocol);
    surety_str value = {"", 0};
    surety_str rest = surety_buf_str(out);
    surety_status status = raw_find(rest, protocol->list, doc, &value);
    surety_buf joined;

    if (status == SURETY_NOMEM)
        return status;
    if (status || !strchr("[\"", *value.ptr))
        return surety__fail(reterr, SURETY_SYNTAX,
                            "the request to pass on has no list \"%s\"",
                            protocol->list);
    surety_buf_init(&joined, out->alloc, 0);
    surety_buf_append(&joined, rest.ptr, (size_t)(value.ptr - rest.ptr));
    surety__str_skip(&rest, (size_t)(value.ptr - rest.ptr) + value.len);
    if (*value.ptr == '"') /* OpenAI Responses */
        surety__template_write(&joined, "[{'role':'user','content':$r}", value);
    else
        surety_buf_add(
            &joined, surety__str_trim((surety_str){value.ptr, value.len - 1}));
    protocol->messages(call, &joined);
    surety_buf_byte(&joined, ']');
    surety_buf_add(&joined, rest);
    surety_buf_done(out);
    *out = joined;
    return SURETY_OK;
}

surety_status surety__raw_write(const surety__call *call, surety_buf *out,
                                surety_error *reterr)
{
    const surety_str body = call->raw->body;
    surety_doc *doc;
    surety_status status;

    surety_buf_reset(out);
    if (!body.len || call->raw->is_bytes)
        return SURETY_OK;
    doc = surety_doc_new(out->alloc);
    status = doc ? surety_doc_read(doc, body, NULL, reterr)
                 : surety__fail_nomem(reterr);
    if (status == SURETY_OK &&
        surety_val_kind(surety_doc_root(doc)) != SURETY_KIND_OBJECT)
        status = surety__fail(reterr, SURETY_SYNTAX,
                              "the request to pass on is no object of JSON");
    if (status == SURETY_OK)
        status = raw_rename(call, doc, out);
    if (status == SURETY_OK && !out->status && call->message_count)
        status = raw_join(call, doc, out, reterr);
    surety_doc_free(doc);
    return status == SURETY_NOMEM || out->status ? surety__fail_nomem(reterr)
                                                 : status;
}

/* ---- the path and the headers -------------------------------------------- */

surety_status surety__raw_check(const surety__call *call, surety_error *reterr)
{
    const surety__raw *raw = call->raw;
    const int len = (int)(raw->path.len < 100 ? raw->path.len : 100);

    if (!raw->path.len)
        return raw->body.len ? SURETY_OK
                             : surety__fail(reterr, SURETY_MISUSE,
                                            "there is no request to pass on");
    if (raw->path.ptr[0] != '/' ||
        surety__str_find_control(raw->path, true) < raw->path.len ||
        memchr(raw->path.ptr, ' ', raw->path.len) ||
        memchr(raw->path.ptr, '#', raw->path.len) ||
        memchr(raw->path.ptr, '\\', raw->path.len))
        return surety__fail(reterr, SURETY_MISUSE,
                            "\"%.*s\" cannot be the path of a request", len,
                            raw->path.ptr);
    return SURETY_OK;
}

bool surety__raw_is_count(surety_str path)
{
    return surety__str_ends(path, SURETY__LITERAL("/count_tokens")) ||
           surety__str_ends(path, SURETY__LITERAL("/input_tokens")) ||
           surety__str_ends(path, SURETY__LITERAL(":countTokens"));
}

void surety__raw_path(const surety__call *call, surety_buf *out)
{
    const surety_str mark = SURETY__LITERAL("{model}");
    surety_str rest = call->raw->path;
    const size_t at =
        call->raw->is_bytes ? rest.len : surety__str_find(rest, mark);

    surety_buf_append(out, rest.ptr, at);
    if (at == rest.len)
        return;
    surety__buf_percent(out, call->model->model, "");
    surety__str_skip(&rest, at + mark.len);
    surety_buf_add(out, rest);
}

surety_status surety__raw_headers(const surety__call *call,
                                  surety__arena *arena, surety_model *model,
                                  surety_error *reterr)
{
    const surety__raw *raw = call->raw;
    surety_header *headers;
    size_t count = model->header_count;

    if (!raw->header_count)
        return SURETY_OK;
    if (count > SIZE_MAX / sizeof(*headers) / 4 ||
        raw->header_count > SIZE_MAX / sizeof(*headers) / 4)
        return surety__fail(reterr, SURETY_MISUSE, "too many headers");
    headers = surety__arena_take(arena, (count + raw->header_count) *
                                            sizeof(*headers));
    if (!headers)
        return surety__fail_nomem(reterr);
    for (size_t i = 0; i < count; i++)
        headers[i] = model->headers[i];
    for (size_t i = 0; i < raw->header_count; i++) {
        bool given = false;

        for (size_t k = 0; k < model->header_count; k++)
            given = given || surety__str_equal_nocase(model->headers[k].name,
                                                      raw->headers[i].name);
        if (!given)
            headers[count++] = raw->headers[i];
    }
    model->headers = headers;
    model->header_count = count;
    return SURETY_OK;
}
