/* SPDX-License-Identifier: Apache-2.0 */
/* raw.c: a request that is the caller's own: its body is sent as it is, but for
 * the model's name; its headers stand behind those of the model; its path may
 * be another one. So a program between a client and a provider can pass on what
 * this library does not know.
 *
 * The body has to be an object of JSON, read strictly, so nobody behind this
 * library sees other members in it than this file does: every member "model" of
 * the root is replaced, also one whose name has escapes. */
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
        else if (!depth && (byte == ',' || byte == '}'))
            return;
        reader->at++;
    } while (reader->at < reader->text.len &&
             (depth || (raw_byte(reader) != ',' && raw_byte(reader) != '}')));
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

/* Whether a key is "model"; doc: to read one with escapes. NOMEM. */
static surety_status raw_is_model(surety_str key, surety_doc *doc, bool *ret_is)
{
    surety_status status;

    *ret_is = surety_str_equal(key, SURETY__LITERAL("\"model\""));
    if (!memchr(key.ptr, '\\', key.len))
        return SURETY_OK;
    status = surety_doc_read(doc, key, NULL, NULL);
    *ret_is = surety_val_is(surety_doc_root(doc), "model");
    return status;
}

/* Writes the body with the model's name in place of every other. */
static surety_status raw_rename(const surety__call *call, surety_doc *doc,
                                surety_buf *out)
{
    raw_reader reader = {call->raw->body, 0};
    surety_str key, value;
    size_t copied = 0;
    bool named = false;

    while (raw_member(&reader, &key, &value)) {
        const size_t at = (size_t)(value.ptr - reader.text.ptr);
        bool is;

        if (raw_is_model(key, doc, &is) != SURETY_OK)
            return SURETY_NOMEM;
        if (!is)
            continue;
        surety_buf_append(out, reader.text.ptr + copied, at - copied);
        surety_json_string(out, call->model->model);
        copied = at + value.len;
        named = true;
    }
    surety_buf_append(out, reader.text.ptr + copied, reader.text.len - copied);
    if (named || call->raw->path.len)
        return SURETY_OK;
    /* A call of the protocol has to name its model. */
    surety_buf_reset(out);
    copied = surety__str_find(reader.text, SURETY__LITERAL("{")) + 1;
    surety_buf_append(out, reader.text.ptr, copied);
    surety_buf_text(out, "\"model\":");
    surety_json_string(out, call->model->model);
    reader.at = copied;
    raw_blanks(&reader);
    if (raw_byte(&reader) != '}')
        surety_buf_byte(out, ',');
    surety_buf_append(out, reader.text.ptr + copied, reader.text.len - copied);
    return SURETY_OK;
}

surety_status surety__raw_write(const surety__call *call, surety_buf *out,
                                surety_error *reterr)
{
    const surety_str body = call->raw->body;
    surety_doc *doc;
    surety_status status;

    surety_buf_reset(out);
    if (!body.len)
        return SURETY_OK;
    doc = surety_doc_new(out->alloc);
    status = doc ? surety_doc_read(doc, body, NULL, reterr)
                 : surety__fail_nomem(reterr);
    if (status == SURETY_OK &&
        surety_val_kind(surety_doc_root(doc)) != SURETY_KIND_OBJECT)
        status = surety__fail(reterr, SURETY_SYNTAX,
                              "the request to pass on is no object of JSON");
    if (status == SURETY_OK &&
        !surety__protocol_of(call->model->protocol)->path)
        surety_buf_add(out, body); /* the path has the model's name */
    else if (status == SURETY_OK)
        status = raw_rename(call, doc, out);
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

void surety__raw_path(const surety__call *call, surety_buf *out)
{
    const surety_str mark = SURETY__LITERAL("{model}");
    surety_str rest = call->raw->path;
    const size_t at = surety__str_find(rest, mark);

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
