/* SPDX-License-Identifier: Apache-2.0 */
/* recording.c: reads and writes recordings. docs/recordings.md describes the
 * format for users.
 *
 * Rules:
 * 1. One exchange is one line of JSON, and what a receiver gets depends on
 *    that line alone. So a file can be cut, joined and edited line by line.
 * 2. A text is a string if it is valid UTF-8, else {"base64": ...}. A time is
 *    the difference to the event before.
 * 3. Reading accepts more than is written: headers as an object, a body in one
 *    piece, and the short form {"reply": ...}. It refuses unknown members: a
 *    mistyped one would otherwise be ignored silently.
 * 4. The reader keeps the first failure. Each function returns what it read,
 *    which is meaningless after a failure; the status is checked once a line.
 *
 * This file does not match or play exchanges (replay.c), and does not remove
 * secrets (record.c). */
#include "provider/provider.h"
#include "provider/recording.h"

#include "provider/transport.h"
#include "template/template.h"

enum { RECORDING_VERSION = 1 };

struct recording_reader {
    surety_recording *recording;
    surety_doc *doc; /* the current line */
    surety_buf scratch;
    size_t offset; /* of the line in the text */
    uint32_t line;
    surety_error *reterr;
    surety_status status; /* the first failure */
};

/* ---- bodies ----------------------------------------------------- */

bool surety__body_read(surety_doc *doc, surety_str bytes,
                       surety_status *ret_status)
{
    const surety_read_options options = {.size = sizeof(options),
                                         .flags = SURETY_READ_UNIQUE_KEYS};
    surety_status status = surety_doc_read(doc, bytes, &options, NULL);

    *ret_status = status == SURETY_NOMEM ? SURETY_NOMEM : SURETY_OK;
    return status == SURETY_OK;
}

/* ---- writing ------------------------------------------------------------- */

static void recording_put_text(surety_buf *out, surety_str text)
{
    if (surety__utf8_valid(text, NULL)) {
        surety_json_string(out, text);
        return;
    }
    surety_buf_text(out, "{\"base64\":\"");
    surety__base64_encode(out, text);
    surety_buf_text(out, "\"}");
}

/* Appends a member that is a text. */
static void recording_put(surety_buf *out, const char *name, surety_str text)
{
    surety_json_name(out, name);
    recording_put_text(out, text);
}

static void recording_put_headers(surety_buf *out, const surety_header *headers,
                                  size_t count)
{
    surety_json_name(out, "headers");
    surety_buf_byte(out, '[');
    for (size_t i = 0; i < count; i++) {
        surety_buf_text(out, i ? ",[" : "[");
        recording_put_text(out, headers[i].name);
        surety_buf_byte(out, ',');
        recording_put_text(out, headers[i].value);
        surety_buf_byte(out, ']');
    }
    surety_buf_byte(out, ']');
}

static surety_status recording_put_request(surety_buf *out, surety_doc *doc,
                                           const surety__exchange *exchange)
{
    surety_status status;

    surety__template_write(out, ",'request':{");
    recording_put(out, "method", exchange->method);
    recording_put(out, "url", exchange->url);
    recording_put_headers(out, exchange->headers, exchange->header_count);
    if (surety__body_read(doc, exchange->body, &status))
        surety_json_value(out, "json", surety_doc_root(doc));
    else if (exchange->body.len)
        recording_put(out, "body", exchange->body);
    surety_buf_byte(out, '}');
    return status;
}

static void recording_put_response(surety_buf *out,
                                   const surety__exchange *exchange)
{
    surety__template_write(out, ",'response':{'after_ms':$n,'status':$n",
                           (uint64_t)exchange->head_after_ms,
                           (uint64_t)exchange->status);
    recording_put_headers(out, exchange->response_headers,
                          exchange->response_header_count);
    surety__template_write(out, ",'chunks':[");
    for (size_t i = 0; i < exchange->portion_count; i++) {
        surety__template_write(out, i ? ",[$n," : "[$n,",
                               (uint64_t)exchange->portions[i].after_ms);
        recording_put_text(out, exchange->portions[i].bytes);
        surety_buf_byte(out, ']');
    }
    surety_buf_text(out, "]}");
}

surety_status surety__exchange_write(const surety__exchange *exchange,
                                     surety_doc *doc, surety_buf *out)
{
    const surety_delivery *delivery = &exchange->delivery;
    surety_status status;

    assert(exchange->status >= 0);
    surety__template_write(out, "{'recording':$n,'protocol':'$t'",
                           (uint64_t)RECORDING_VERSION,
                           surety_protocol_name(exchange->protocol));
    if (exchange->model.len)
        recording_put(out, "model", exchange->model);
    status = recording_put_request(out, doc, exchange);
    if (exchange->has_head)
        recording_put_response(out, exchange);
    surety__template_write(out, ",'end':{'after_ms':$n",
                           (uint64_t)exchange->end_after_ms);
    if (delivery->failure || !delivery->sent)
        surety__template_write(out, ",'failure':'$t','sent':$b",
                               surety_failure_name(delivery->failure),
                               delivery->sent);
    if (delivery->failure || delivery->message[0])
        surety_json_text(out, "message", surety_str_of(delivery->message));
    surety_buf_text(out, "}}\n");
    return status ? status : out->status;
}

/* ---- reading ------------------------------------------------------------- */

static void recording_place(struct recording_reader *reader,
                            surety_position position)
{
    surety_error *error = reader->reterr;

    if (!error)
        return;
    error->position = position;
    error->position.offset += reader->offset;
    error->position.line = reader->line;
}

/* Reports a fault at val, a value of the line. False: there was an earlier
 * failure. */
static bool recording_fault(struct recording_reader *reader, surety_val val,
                            const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool recording_fault(struct recording_reader *reader, surety_val val,
                            const char *format, ...)
{
    surety_buf path;
    va_list args;

    if (reader->status)
        return false;
    va_start(args, format);
    reader->status = surety__failv(reader->reterr, SURETY_SYNTAX, format, args);
    va_end(args);
    if (!reader->reterr)
        return true;
    path = surety__buf_over(reader->reterr->path, sizeof(reader->reterr->path));
    surety_val_pointer(val, &path);
    reader->reterr->path[path.status ? 0 : path.len] = '\0';
    recording_place(reader, surety_val_position(val));
    return true;
}

static void recording_starved(struct recording_reader *reader)
{
    if (!reader->status)
        reader->status = surety__fail_nomem(reader->reterr);
}

/* Space in the recording; NULL: out of memory, or an earlier failure. */
static void *recording_take(struct recording_reader *reader, size_t size)
{
    void *room = reader->status
                     ? NULL
                     : surety__arena_take(&reader->recording->arena, size);

    if (!room)
        recording_starved(reader);
    return room;
}

/* Reports members of object that are not in names, a list that NULL ends. */
static void recording_known(struct recording_reader *reader, surety_val object,
                            const char *what, const char *const *names)
{
    if (surety_val_kind(object) != SURETY_KIND_OBJECT)
        recording_fault(reader, object, "%s is no object", what);
    for (surety_val val = surety_val_first(object); val.doc && !reader->status;
         val = surety_val_next(object, val)) {
        const surety_str key = surety_val_str(surety_val_key(val));
        const char *near = NULL;
        size_t i = 0;

        for (; names[i]; i++) {
            if (surety_str_equal(key, surety_str_of(names[i])))
                break;
            if (surety__str_distance(key, surety_str_of(names[i]), 2) <= 2)
                near = names[i];
        }
        if (!names[i] &&
            recording_fault(reader, surety_val_key(val),
                            "%s has no member \"%.*s\"", what,
                            (int)(key.len < 64 ? key.len : 64), key.ptr) &&
            near)
            surety__hint(reader->reterr, "did you mean \"%s\"", near);
    }
}

/* Copies text into the recording. */
static surety_str recording_copy(struct recording_reader *reader,
                                 surety_str text)
{
    const surety_str copy = surety__arena_text(&reader->recording->arena, text);

    if (!copy.ptr)
        recording_starved(reader);
    return copy;
}

/* Reads a text: a string, or bytes as {"base64": ...}. */
static surety_str recording_text(struct recording_reader *reader,
                                 surety_val val, const char *what)
{
    static const char *const names[] = {"base64", NULL};
    const surety_val coded = surety_val_get(val, "base64");

    if (surety_val_kind(val) == SURETY_KIND_STRING)
        return recording_copy(reader, surety_val_str(val));
    if (surety_val_kind(val) != SURETY_KIND_OBJECT)
        recording_fault(reader, val,
                        "%s is neither a string nor {\"base64\": ...}", what);
    else
        recording_known(reader, val, what, names);
    surety_buf_reset(&reader->scratch);
    if (surety_val_kind(coded) != SURETY_KIND_STRING ||
        !surety__base64_decode(&reader->scratch, surety_val_str(coded)))
        recording_fault(reader, coded.doc ? coded : val, "%s is no base64 text",
                        what);
    if (reader->scratch.status)
        recording_starved(reader);
    return recording_copy(reader, surety_buf_str(&reader->scratch));
}

/* Reads a body: a JSON value as compact text or, if it is absent, a text. */
static surety_str recording_body(struct recording_reader *reader,
                                 surety_val json, surety_val text)
{
    if (!json.doc)
        return recording_text(reader, text, "a body");
    surety_buf_reset(&reader->scratch);
    if (surety_val_write(json, SURETY_STYLE_COMPACT, &reader->scratch))
        recording_starved(reader);
    return recording_copy(reader, surety_buf_str(&reader->scratch));
}

/* Reads a time in ms; 0 if it is absent. */
static uint32_t recording_time(struct recording_reader *reader, surety_val val)
{
    const uint64_t ms = val.doc ? surety_val_uint(val, UINT64_MAX) : 0;

    if (ms > UINT32_MAX)
        recording_fault(reader, val,
                        "a time is an integer from 0 to 4294967295, in ms");
    return (uint32_t)ms;
}

/* Reads a string; empty if it is absent. */
static surety_str recording_name(struct recording_reader *reader,
                                 surety_val val, const char *what)
{
    if (!val.doc)
        return (surety_str){NULL, 0};
    if (surety_val_kind(val) != SURETY_KIND_STRING)
        recording_fault(reader, val, "%s is no string", what);
    return recording_copy(reader, surety_val_str(val));
}

/* Reads headers: [[name, value], ...], or {name: value, ...} if no name is
 * repeated. */
static const surety_header *recording_headers(struct recording_reader *reader,
                                              surety_val val, size_t *ret_count)
{
    const bool object = surety_val_kind(val) == SURETY_KIND_OBJECT;
    surety_header *headers;
    size_t count = 0;

    if (!val.doc)
        return NULL;
    if (!object && surety_val_kind(val) != SURETY_KIND_ARRAY)
        recording_fault(reader, val,
                        "headers are neither an array nor an object");
    headers = recording_take(reader, (surety_val_count(val) + 1) *
                                         sizeof(surety_header));
    for (surety_val item = surety_val_first(val); item.doc && !reader->status;
         item = surety_val_next(val, item), count++) {
        const surety_val name =
            object ? surety_val_key(item) : surety_val_item(item, 0);
        const surety_val value = object ? item : surety_val_item(item, 1);

        if (!object && (surety_val_kind(item) != SURETY_KIND_ARRAY ||
                        surety_val_count(item) != 2))
            recording_fault(reader, item, "a header is no [name, value]");
        headers[count].name = recording_text(reader, name, "a header's name");
        headers[count].value =
            recording_text(reader, value, "a header's value");
    }
    *ret_count = count;
    return headers;
}

static void recording_request(struct recording_reader *reader, surety_val val,
                              surety__exchange *exchange)
{
    static const char *const names[] = {"method", "url",  "headers",
                                        "json",   "body", NULL};
    const surety_val url = surety_val_get(val, "url");
    const surety_val json = surety_val_get(val, "json");
    const surety_val body = surety_val_get(val, "body");

    if (!val.doc)
        return;
    recording_known(reader, val, "a request", names);
    if (json.doc && body.doc)
        recording_fault(reader, body,
                        "a request has \"json\" or \"body\", not both");
    exchange->method =
        recording_name(reader, surety_val_get(val, "method"), "a method");
    if (url.doc)
        exchange->url = recording_text(reader, url, "a URL");
    exchange->headers = recording_headers(
        reader, surety_val_get(val, "headers"), &exchange->header_count);
    if (json.doc || body.doc)
        exchange->body = recording_body(reader, json, body);
}

/* Reads chunks: [[after_ms, text], ...]. */
static void recording_chunks(struct recording_reader *reader, surety_val val,
                             surety__exchange *exchange)
{
    surety__portion *portions;
    size_t count = 0;

    if (surety_val_kind(val) != SURETY_KIND_ARRAY)
        recording_fault(reader, val, "chunks are no array");
    portions = recording_take(reader, (surety_val_count(val) + 1) *
                                          sizeof(surety__portion));
    for (surety_val item = surety_val_first(val); item.doc && !reader->status;
         item = surety_val_next(val, item), count++) {
        if (surety_val_kind(item) != SURETY_KIND_ARRAY ||
            surety_val_count(item) != 2)
            recording_fault(reader, item, "a chunk is no [ms, text]");
        portions[count].after_ms =
            recording_time(reader, surety_val_item(item, 0));
        portions[count].bytes =
            recording_text(reader, surety_val_item(item, 1), "a chunk");
    }
    exchange->portions = portions;
    exchange->portion_count = count;
}

/* Reads a response whose body is a single portion. */
static void recording_whole(struct recording_reader *reader, surety_val json,
                            surety_val text, surety__exchange *exchange)
{
    surety__portion *portion = recording_take(reader, sizeof(*portion));

    if (!portion)
        return;
    portion->bytes = recording_body(reader, json, text);
    exchange->portions = portion;
    exchange->portion_count = portion->bytes.len ? 1 : 0;
}

static void recording_response(struct recording_reader *reader, surety_val val,
                               surety__exchange *exchange)
{
    static const char *const names[] = {"after_ms", "status", "headers", "json",
                                        "body",     "chunks", NULL};
    const surety_val code = surety_val_get(val, "status");
    const surety_val json = surety_val_get(val, "json");
    const surety_val body = surety_val_get(val, "body");
    const surety_val chunks = surety_val_get(val, "chunks");
    const int64_t number = code.doc ? surety_val_int(code, -1) : 200;

    if (!val.doc)
        return;
    recording_known(reader, val, "a response", names);
    if (number != 0 && (number < 100 || number > 999))
        recording_fault(reader, code, "a status is 0 or from 100 to 999");
    if (!!json.doc + !!body.doc + !!chunks.doc > 1)
        recording_fault(reader, val,
                        "a response has one of \"json\", \"body\" and "
                        "\"chunks\"");
    exchange->has_head = true;
    exchange->status = (int)number;
    exchange->head_after_ms =
        recording_time(reader, surety_val_get(val, "after_ms"));
    exchange->response_headers =
        recording_headers(reader, surety_val_get(val, "headers"),
                          &exchange->response_header_count);
    if (chunks.doc)
        recording_chunks(reader, chunks, exchange);
    else if (json.doc || body.doc)
        recording_whole(reader, json, body, exchange);
}

/* The failure of this name, if a transport can have it; -1: none. */
static int recording_failure(surety_str name)
{
    for (int i = 0; i < SURETY_FAILURE_COUNT; i++)
        if ((i == SURETY_FAILURE_NONE ||
             surety__failure_is_below((surety_failure)i)) &&
            surety_str_equal(
                name, surety_str_of(surety_failure_name((surety_failure)i))))
            return i;
    return surety_str_equal(name, SURETY__LITERAL("complete")) ? 0 : -1;
}

/* The default delivery for an end with this failure. */
static surety_delivery recording_delivery(surety_failure failure)
{
    const bool sent = failure != SURETY_FAILURE_CONNECT &&
                      failure != SURETY_FAILURE_TLS &&
                      failure != SURETY_FAILURE_ADDRESS;

    assert(!failure || surety__failure_is_below(failure));
    if (failure == SURETY_FAILURE_NONE)
        return (surety_delivery){.sent = true};
    return surety__delivery_of(failure, sent, "the recording ends with %s",
                               surety_failure_name(failure));
}

static void recording_message(struct recording_reader *reader, surety_val val,
                              surety_delivery *delivery)
{
    const surety_str text = surety_val_str(val);

    if (surety_val_kind(val) != SURETY_KIND_STRING ||
        text.len >= sizeof(delivery->message) ||
        (text.len && memchr(text.ptr, 0, text.len))) {
        recording_fault(reader, val,
                        "a message is a string of at most 255 bytes without "
                        "NUL");
        return;
    }
    memset(delivery->message, 0, sizeof(delivery->message));
    if (text.len)
        memcpy(delivery->message, text.ptr, text.len);
}

static void recording_end(struct recording_reader *reader, surety_val val,
                          surety__exchange *exchange)
{
    static const char *const names[] = {"after_ms", "failure", "sent",
                                        "message", NULL};
    const bool word = surety_val_kind(val) == SURETY_KIND_STRING;
    const surety_val named = word ? val : surety_val_get(val, "failure");
    const surety_val sent = surety_val_get(val, "sent");
    const surety_val message = surety_val_get(val, "message");
    surety_delivery *delivery = &exchange->delivery;
    int failure = 0;

    *delivery = recording_delivery(SURETY_FAILURE_NONE);
    if (!val.doc)
        return;
    if (!word)
        recording_known(reader, val, "an end", names);
    if (named.doc)
        failure = surety_val_kind(named) == SURETY_KIND_STRING
                      ? recording_failure(surety_val_str(named))
                      : -1;
    if (failure < 0) {
        recording_fault(reader, named,
                        "no transport ends with this; it is \"complete\", "
                        "\"reset\", \"timeout\", ...");
        return;
    }
    *delivery = recording_delivery((surety_failure)failure);
    if (sent.doc && surety_val_kind(sent) != SURETY_KIND_BOOLEAN)
        recording_fault(reader, sent, "\"sent\" is no boolean");
    delivery->sent = surety_val_bool(sent, delivery->sent);
    if (message.doc)
        recording_message(reader, message, delivery);
    exchange->end_after_ms =
        recording_time(reader, surety_val_get(val, "after_ms"));
}

/* Reads {"reply": text or JSON, "delay_ms": n, "model": name}. */
static void recording_reply(struct recording_reader *reader, surety_val root,
                            surety__exchange *exchange)
{
    static const char *const names[] = {"reply", "delay_ms", "model", NULL};
    const surety_val reply = surety_val_get(root, "reply");
    const bool text = surety_val_kind(reply) == SURETY_KIND_STRING;

    recording_known(reader, root, "a reply", names);
    exchange->protocol = SURETY_PROTOCOL_TEXT;
    exchange->delivery.sent = true;
    exchange->has_head = true;
    exchange->head_after_ms =
        recording_time(reader, surety_val_get(root, "delay_ms"));
    exchange->model =
        recording_name(reader, surety_val_get(root, "model"), "a model");
    recording_whole(reader, text ? surety_val_none() : reply, reply, exchange);
}

/* Reads one line, which is in reader->doc. */
static void recording_exchange(struct recording_reader *reader,
                               surety__exchange *exchange)
{
    static const char *const names[] = {
        "recording", "protocol", "model", "request", "response", "end", NULL};
    const surety_val root = surety_doc_root(reader->doc);
    const surety_val version = surety_val_get(root, "recording");
    const surety_val protocol = surety_val_get(root, "protocol");

    if (surety_val_get(root, "reply").doc) {
        recording_reply(reader, root, exchange);
        return;
    }
    if (version.doc && surety_val_uint(version, 0) != RECORDING_VERSION)
        recording_fault(reader, version,
                        "this version of recordings is not known");
    recording_known(reader, root, "an exchange", names);
    if (!surety_val_get(root, "response").doc &&
        !surety_val_get(root, "end").doc)
        recording_fault(reader, root,
                        "an exchange has neither a response nor an end");
    exchange->protocol = SURETY_PROTOCOL_OPENAI;
    if (protocol.doc &&
        !surety__protocol_named(surety_val_str(protocol), &exchange->protocol))
        recording_fault(reader, protocol,
                        "a protocol is \"openai\", \"responses\", "
                        "\"anthropic\", \"gemini\" or \"text\"");
    exchange->model =
        recording_name(reader, surety_val_get(root, "model"), "a model");
    recording_request(reader, surety_val_get(root, "request"), exchange);
    recording_response(reader, surety_val_get(root, "response"), exchange);
    recording_end(reader, surety_val_get(root, "end"), exchange);
}

static void recording_line(struct recording_reader *reader, surety_str line)
{
    /* The largest limits of a document: a response can be longer than a text
     * to be judged, and a request's body is two levels deeper here. */
    const surety_limits limits = {.size = sizeof(limits),
                                  .text_bytes_max = UINT32_MAX - 64,
                                  .string_len_max = UINT32_MAX,
                                  .depth_max = 520};
    const surety_read_options options = {.size = sizeof(options),
                                         .flags = SURETY_READ_UNIQUE_KEYS |
                                                  SURETY_READ_BORROW,
                                         .limits = &limits};
    surety_recording *recording = reader->recording;
    surety__exchange exchange = {0};
    surety_error error;
    surety_status status = surety_doc_read(reader->doc, line, &options, &error);

    if (status == SURETY_NOMEM) {
        recording_starved(reader);
        return;
    }
    if (status) {
        if (reader->reterr)
            *reader->reterr = error;
        recording_place(reader, error.position);
        reader->status = status;
        return;
    }
    recording_exchange(reader, &exchange);
    if (reader->status)
        return;
    if (surety__grow(recording->alloc, &recording->exchanges, &recording->cap,
                     recording->count + 1, sizeof(exchange), SIZE_MAX)) {
        recording_starved(reader);
        return;
    }
    recording->exchanges[recording->count++] = exchange;
}

/* Reads all lines. Blank lines and lines that begin with "#" are skipped. */
static void recording_lines(struct recording_reader *reader, surety_str text)
{
    size_t at = 0;

    if (surety__str_starts(text, SURETY__LITERAL("\xEF\xBB\xBF")))
        at = 3;
    for (reader->line = 1; at < text.len && !reader->status; reader->line++) {
        const char *end = memchr(text.ptr + at, '\n', text.len - at);
        const size_t len =
            end ? (size_t)(end - (text.ptr + at)) : text.len - at;
        const surety_str line = {text.ptr + at, len};
        const surety_str bare = surety__str_trim(line);

        reader->offset = at;
        if (bare.len && bare.ptr[0] != '#')
            recording_line(reader, line);
        at += len + 1;
    }
}

surety_status surety_recording_read(surety_str text, const surety_alloc *alloc,
                                    surety_recording **ret_recording,
                                    surety_error *reterr)
{
    surety_recording *recording = surety__new(alloc, sizeof(*recording));
    struct recording_reader reader = {.recording = recording, .reterr = reterr};
    surety_status status;

    if (!recording)
        return surety__fail_nomem(reterr);
    recording->alloc = alloc;
    surety__arena_init(&recording->arena, alloc, 0);
    surety_buf_init(&reader.scratch, alloc, 0);
    reader.doc = surety_doc_new(alloc);
    if (reader.doc)
        recording_lines(&reader, text);
    else
        recording_starved(&reader);
    status = reader.status;
    if (!status && recording->count == 0) {
        status = surety__fail(reterr, SURETY_SYNTAX,
                              "the recording has no exchange");
        surety__hint(reterr, "an exchange is a line such as "
                             "{\"reply\": \"the model's text\"}");
    }
    surety_doc_free(reader.doc);
    surety_buf_done(&reader.scratch);
    if (status) {
        surety_recording_free(recording);
        return status;
    }
    *ret_recording = recording;
    return SURETY_OK;
}

void surety_recording_free(surety_recording *recording)
{
    if (!recording)
        return;
    surety__free(recording->alloc, recording->exchanges,
                 recording->cap * sizeof(surety__exchange));
    surety__arena_done(&recording->arena);
    surety__free(recording->alloc, recording, sizeof(*recording));
}

size_t surety__recording_count(const surety_recording *recording)
{
    return recording->count;
}

surety_protocol surety__recording_protocol(const surety_recording *recording)
{
    return recording->exchanges[0].protocol;
}

surety_str surety__recording_model(const surety_recording *recording)
{
    return recording->exchanges[0].model;
}
