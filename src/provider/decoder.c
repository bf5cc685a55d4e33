/* SPDX-License-Identifier: Apache-2.0 */
/* decoder.c: decodes a response, as it arrives, into an answer.
 *
 * The body has one of four forms, decided once, at the first byte that is not
 * a blank: a stream of events, each read as one JSON text and passed to the
 * protocol; a whole body, collected and read at the end; the plain reply; or
 * the body of an error, which is read as JSON if it is JSON, otherwise shown
 * by its first line. The content type counts only if the bytes do not decide,
 * because proxies label HTML as JSON and JSON as a stream.
 *
 * A reply counts as complete only if its end mark arrived: without a length of
 * the body, a transport cannot distinguish a stream that ended from one that
 * was cut. For a whole body the mark is that it is valid JSON; for a stream it
 * is the protocol's. An incomplete reply is TRUNCATED, or has the failure of
 * the transport.
 *
 * Of several failures the most informative one is kept: first what the
 * provider's own, then a fault of the bytes, then how they ended.
 * Every byte is read a bounded number of times, and each buffer has a limit. */
#include "provider/protocol.h"

enum {
    AFTER_DONE_MAX = 64 << 10, /* bytes read after the end mark */
    ERROR_BODY_MAX = 1 << 20,  /* bytes of an error's body */
    LOCATION_MAX = 200
};

/* ---- life ---------------------------------------------------------------- */

surety__decoder *surety__decoder_new(const surety_limits *limits,
                                     const surety_alloc *alloc)
{
    static const surety_model model = {.protocol = SURETY_PROTOCOL_TEXT};
    static const surety__call nothing = {.model = &model,
                                         .mode = SURETY_MODE_PROMPT};
    surety__decoder *decoder = surety__new(alloc, sizeof(*decoder));

    if (!decoder)
        return NULL;
    decoder->alloc = alloc;
    decoder->limits = surety_limits_of(limits);
    for (size_t i = 0; i < SURETY__COUNT(decoder->buffers); i++)
        surety_buf_init(&decoder->buffers[i], alloc,
                        decoder->limits.text_bytes_max);
    surety__sse_init(&decoder->sse, alloc);
    decoder->doc = surety_doc_new(alloc);
    if (!decoder->doc) {
        surety__decoder_free(decoder);
        return NULL;
    }
    surety__decoder_begin(decoder, &nothing, NULL);
    return decoder;
}

void surety__decoder_free(surety__decoder *decoder)
{
    if (!decoder)
        return;
    for (size_t i = 0; i < SURETY__COUNT(decoder->buffers); i++)
        surety_buf_done(&decoder->buffers[i]);
    surety__drafts_done(decoder);
    surety__sse_done(&decoder->sse);
    surety_doc_free(decoder->doc);
    surety__free(decoder->alloc, decoder, sizeof(*decoder));
}

void surety__decoder_begin(surety__decoder *decoder, const surety__call *call,
                           const surety__listener *listener)
{
    static const surety__reading nothing = {.retry_after = -1,
                                            .should_retry = -1};
    const bool tools =
        call->raw || (call->tool_count && call->mode != SURETY_MODE_PROMPT);

    for (size_t i = 0; i < SURETY__COUNT(decoder->buffers); i++)
        surety_buf_reset(&decoder->buffers[i]);
    surety__sse_reset(&decoder->sse);
    decoder->drafts.count = 0;
    decoder->is = nothing;
    decoder->is.protocol = call->model->protocol;
    decoder->is.tools = tools;
    decoder->is.raw = call->raw != NULL;
    decoder->protocol = surety__protocol_of(call->model->protocol);
    decoder->mode =
        tools && !call->schema.len ? SURETY_MODE_PROMPT : call->mode;
    decoder->listener = listener ? *listener : (surety__listener){NULL, NULL};
    surety_buf_add(&decoder->secret, call->model->key);
    if (tools)
        surety_buf_add(&decoder->answer_tool, call->schema_name);
}

/* Records buffers that failed. Returns whether reading goes on. */
static bool decoder_goes_on(surety__decoder *decoder)
{
    for (size_t i = 0; i < SURETY__COUNT(decoder->buffers); i++) {
        const surety_buf *buffer = &decoder->buffers[i];

        if (buffer->status == SURETY_NOMEM)
            decoder->is.starved = true;
        else if (buffer->status && buffer != &decoder->error_message)
            surety__answer_break(
                decoder, SURETY_FAILURE_LIMIT,
                "the response is larger than the limit text_bytes_max of %zu",
                decoder->limits.text_bytes_max);
    }
    surety__drafts_check(decoder);
    return !decoder->is.broken && !decoder->is.starved;
}

/* ---- the head ------------------------------------------------------------ */

static bool decoder_succeeded(const surety__decoder *decoder)
{
    return !decoder->is.has_head || decoder->is.status == 0 ||
           (decoder->is.status >= 200 && decoder->is.status <= 299);
}

/* The request asked for no content coding, so none is decoded. For an error
 * the status suffices. */
static void decoder_coding(surety__decoder *decoder, surety_str value)
{
    value = surety__str_trim(value);
    if (!value.len ||
        surety__str_equal_nocase(value, SURETY__LITERAL("identity")))
        return;
    decoder->is.coded = true;
    if (decoder_succeeded(decoder))
        surety__answer_break(decoder, SURETY_FAILURE_PROTOCOL,
                             "the response has the content coding %.*s, which "
                             "the request does not accept",
                             (int)(value.len < 40 ? value.len : 40), value.ptr);
}

static void decoder_should_retry(surety__decoder *decoder, surety_str value)
{
    value = surety__str_trim(value);
    if (surety__str_equal_nocase(value, SURETY__LITERAL("true")))
        decoder->is.should_retry = 1;
    else if (surety__str_equal_nocase(value, SURETY__LITERAL("false")))
        decoder->is.should_retry = 0;
}

static void decoder_header(surety__decoder *decoder,
                           const surety_header *header)
{
    static const char *const ids[] = {"x-request-id", "request-id",
                                      "apim-request-id", "x-amzn-requestid"};
    const surety_str name = header->name;

    if (surety__str_among_nocase(name, ids, SURETY__COUNT(ids)))
        surety__answer_word(decoder, &decoder->request_id, header->value);
    if (surety__str_equal_nocase(name, SURETY__LITERAL("content-type")))
        surety__answer_word(decoder, &decoder->content_type, header->value);
    else if (surety__str_equal_nocase(name,
                                      SURETY__LITERAL("content-encoding")))
        decoder_coding(decoder, header->value);
    else if (surety__str_equal_nocase(name, SURETY__LITERAL("location")))
        surety__answer_word(decoder, &decoder->location, header->value);
    else if (surety__str_equal_nocase(name, SURETY__LITERAL("retry-after")))
        surety__answer_word(decoder, &decoder->retry_date, header->value);
    else if (surety__str_equal_nocase(name, SURETY__LITERAL("retry-after-ms")))
        decoder->is.retry_after = surety__retry_ms(header->value);
    else if (surety__str_equal_nocase(name, SURETY__LITERAL("x-should-retry")))
        decoder_should_retry(decoder, header->value);
}

void surety__decoder_head(surety__decoder *decoder, int status,
                          const surety_header *headers, size_t count)
{
    if (decoder->is.has_head || decoder->is.finished)
        return;
    decoder->is.has_head = true;
    decoder->is.status = status;
    for (size_t i = 0; i < count; i++)
        decoder_header(decoder, &headers[i]);
    if (decoder->is.retry_after < 0)
        decoder->is.retry_after =
            surety__retry_seconds(surety_buf_str(&decoder->retry_date));
    (void)decoder_goes_on(decoder);
}

/* ---- a stream ------------------------------------------------------------ */

static bool decoder_is_json_start(surety_str text)
{
    text = surety__str_trim(text);
    return text.len && (text.ptr[0] == '{' || text.ptr[0] == '[');
}

/* Reads text into the doc; false: it is not JSON, and the answer breaks. */
static bool decoder_read(surety__decoder *decoder, surety_str text,
                         const char *what)
{
    const surety_read_options options = {
        .size = sizeof(options),
        .flags = SURETY_READ_BORROW | SURETY_READ_SKIP_BOM,
        .limits = &decoder->limits,
    };
    surety_error error;
    const surety_status status =
        surety_doc_read(decoder->doc, text, &options, &error);

    if (status == SURETY_NOMEM)
        decoder->is.starved = true;
    else if (status == SURETY_LIMIT)
        surety__answer_break(decoder, SURETY_FAILURE_LIMIT, "%s: %s", what,
                             error.message);
    else if (status)
        surety__answer_break(decoder, SURETY_FAILURE_PROTOCOL,
                             "%s is no JSON: %s (byte %zu)", what,
                             error.message, error.position.offset);
    return status == SURETY_OK;
}

/* Takes one event. Unknown event names whose data is not JSON are ignored,
 * since a protocol may add events. */
static bool decoder_hear(void *ctx, surety_str name, surety_str data)
{
    surety__decoder *decoder = ctx;
    const bool plain = surety_str_equal(name, SURETY__LITERAL("message"));
    const bool bad = surety_str_equal(name, SURETY__LITERAL("error"));
    surety_val root, error;
    surety_str type;

    if (decoder->is.done)
        return true;
    data = surety__str_trim(data);
    if (surety_str_equal(data, SURETY__LITERAL("[DONE]"))) {
        decoder->is.done = decoder->protocol->reason == REASON_ENDS;
        return true;
    }
    if (!data.len || (!plain && !bad && !decoder_is_json_start(data)))
        return true;
    if (bad && !decoder_is_json_start(data)) {
        surety__error_take_text(decoder, data, "");
        return false;
    }
    if (!decoder_read(decoder, data, "an event of the stream"))
        return false;
    root = surety_doc_root(decoder->doc);
    error = surety__error_in(root);
    if (error.doc || bad) {
        surety__error_take(decoder, error.doc ? error : root);
    } else if (surety_val_kind(root) == SURETY_KIND_OBJECT) {
        type = surety_val_str(surety_val_get(root, "type"));
        decoder->protocol->event(decoder, type.len ? type : name, root);
    } else if (surety_val_kind(root) != SURETY_KIND_NULL) {
        surety__answer_break(decoder, SURETY_FAILURE_PROTOCOL,
                             "an event of the stream is no object but %s",
                             surety_kind_name(surety_val_kind(root)));
    }
    return decoder_goes_on(decoder);
}

static void decoder_stream(surety__decoder *decoder, surety_str bytes)
{
    const surety_status status =
        surety__sse_feed(&decoder->sse, bytes, decoder_hear, decoder);

    if (status == SURETY_NOMEM)
        decoder->is.starved = true;
    else if (status == SURETY_LIMIT)
        surety__answer_break(decoder, SURETY_FAILURE_LIMIT,
                             "an event of the stream is larger than the limit "
                             "of %d bytes",
                             SURETY__SSE_EVENT_MAX);
}

/* ---- bytes --------------------------------------------------------------- */

/* The body without a byte order mark and leading blanks. */
static surety_str decoder_start(const surety__decoder *decoder)
{
    surety_str start = surety_buf_str(&decoder->body);

    if (!decoder->is.blank_count &&
        surety__str_starts(start, SURETY__LITERAL("\xEF\xBB\xBF")))
        surety__str_skip(&start, 3);
    while (start.len && strchr(" \t\r\n", start.ptr[0]) && start.ptr[0]) {
        surety__str_skip(&start, 1);
    }
    return start;
}

/* The form of the body by its first bytes; FORM_UNKNOWN: too few bytes. */
static surety__form decoder_form(const surety__decoder *decoder)
{
    const surety_str type = surety_buf_str(&decoder->content_type);
    const surety_str events = SURETY__LITERAL("text/event-stream");
    const bool stream = surety__str_starts_nocase(type, events);
    const surety_str start = decoder_start(decoder);
    surety_status looks;

    assert(decoder->is.form == FORM_UNKNOWN);
    if (!decoder->protocol->whole)
        return decoder_succeeded(decoder) ? FORM_PLAIN : FORM_WHOLE;
    /* A byte order mark of which some bytes are missing. */
    if (start.len && start.len < 3 && start.len == decoder->body.len &&
        !decoder->is.blank_count && !memcmp(start.ptr, "\xEF\xBB", start.len))
        return FORM_UNKNOWN;
    if (!start.len)
        return FORM_UNKNOWN;
    if (strchr("{[<\"", start.ptr[0]) && start.ptr[0])
        return FORM_WHOLE;
    if (stream || !decoder_succeeded(decoder))
        return stream ? FORM_STREAM : FORM_WHOLE;
    looks = surety__sse_looks(start);
    if (looks == SURETY_MORE)
        return FORM_UNKNOWN;
    return looks == SURETY_OK ? FORM_STREAM : FORM_WHOLE;
}

static void decoder_gather(surety__decoder *decoder, surety_str bytes)
{
    assert(decoder_succeeded(decoder) || decoder->body.len <= ERROR_BODY_MAX);
    if (!decoder_succeeded(decoder) &&
        bytes.len > ERROR_BODY_MAX - decoder->body.len)
        bytes.len = ERROR_BODY_MAX - decoder->body.len;
    surety_buf_add(&decoder->body, bytes);
}

/* Drops leading blanks: some servers send them to keep the connection open
 * while the model thinks. */
static void decoder_drop_blanks(surety__decoder *decoder)
{
    if (!decoder->body.len || decoder_start(decoder).len)
        return;
    decoder->is.blank_count += decoder->body.len;
    surety_buf_reset(&decoder->body);
    if (decoder->is.blank_count > decoder->limits.text_bytes_max)
        decoder->body.status = SURETY_LIMIT;
}

/* Collects the first bytes until the form is known. */
static void decoder_begin_body(surety__decoder *decoder, surety_str bytes)
{
    decoder_gather(decoder, bytes);
    if (decoder->body.status)
        return;
    decoder->is.form = decoder_form(decoder);
    switch (decoder->is.form) {
    case FORM_UNKNOWN: decoder_drop_blanks(decoder); break;
    case FORM_WHOLE: break;
    case FORM_STREAM: decoder_stream(decoder, decoder_start(decoder)); break;
    case FORM_PLAIN:
        surety__answer_text(decoder, surety_buf_str(&decoder->body));
        break;
    }
}

bool surety__decoder_feed(surety__decoder *decoder, surety_str bytes)
{
    surety__reading *is = &decoder->is;

    if (is->broken || is->starved || is->finished || is->coded)
        return false;
    if (!bytes.len)
        return true;
    if (is->done) {
        is->after_done += bytes.len;
        return is->after_done <= AFTER_DONE_MAX;
    }
    if (is->form == FORM_UNKNOWN) {
        decoder_begin_body(decoder, bytes);
    } else if (is->form == FORM_STREAM) {
        decoder_stream(decoder, bytes);
        return !is->broken && !is->starved; /* each event was checked */
    } else if (is->form == FORM_PLAIN) {
        surety__answer_text(decoder, bytes);
    } else {
        decoder_gather(decoder, bytes);
    }
    return decoder_goes_on(decoder) &&
           (decoder_succeeded(decoder) || decoder->body.len < ERROR_BODY_MAX);
}

/* ---- the end ------------------------------------------------------------- */

/* Whether a text that is not JSON may be the beginning of JSON: it begins an
 * object or an array and does not close it. Brackets inside a string do not
 * count. */
static bool decoder_is_cut(surety_str text)
{
    size_t depth = 0;
    bool quoted = false;

    if (!decoder_is_json_start(text))
        return false;
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];

        if (quoted) {
            i += byte == '\\';
            quoted = byte != '"';
        } else if (byte == '"') {
            quoted = true;
        } else if (byte == '{' || byte == '[') {
            depth++;
        } else if ((byte == '}' || byte == ']') && depth) {
            depth--;
        }
    }
    return quoted || depth > 0;
}

static bool decoder_is_html(const surety__decoder *decoder, surety_str body)
{
    return surety__str_starts(body, SURETY__LITERAL("<")) ||
           (surety__str_starts(surety_buf_str(&decoder->content_type),
                               SURETY__LITERAL("text/html")) &&
            !decoder_is_json_start(body));
}

static void decoder_read_reply(surety__decoder *decoder, surety_str body)
{
    surety_val root, error;

    if (decoder_is_html(decoder, body)) {
        surety__error_take_text(decoder, body, "HTML instead of JSON: ");
        decoder->is.failure = SURETY_FAILURE_PROTOCOL;
        return;
    }
    if (decoder_is_cut(body) || !decoder_read(decoder, body, "the response"))
        return;
    root = surety_doc_root(decoder->doc);
    error = surety__error_in(root);
    if (error.doc)
        surety__error_take(decoder, error);
    else if (surety_val_kind(root) == SURETY_KIND_OBJECT ||
             surety_val_kind(root) == SURETY_KIND_ARRAY)
        decoder->protocol->whole(decoder, root);
    else
        surety__answer_break(decoder, SURETY_FAILURE_PROTOCOL,
                             "the response is no object but %s",
                             surety_kind_name(surety_val_kind(root)));
    decoder->is.done = !decoder->is.broken;
}

static void decoder_read_error(surety__decoder *decoder, surety_str body)
{
    surety_val root, error;

    if (!decoder_is_json_start(body)) {
        surety__error_take_text(decoder, body, "");
        return;
    }
    if (!decoder_read(decoder, body, "the error")) {
        /* The status is more informative than the fault of the body. */
        decoder->is.broken = false;
        surety__error_take_text(decoder, body, "");
        return;
    }
    root = surety_doc_root(decoder->doc);
    error = surety__error_in(root);
    surety__error_take(decoder, error.doc ? error : root);
}

static void decoder_read_body(surety__decoder *decoder)
{
    const bool redirect =
        decoder->is.status >= 300 && decoder->is.status <= 399;
    const surety_str body = surety__str_trim(decoder_start(decoder));

    if (decoder->is.form == FORM_STREAM || decoder->is.form == FORM_PLAIN ||
        !body.len || redirect)
        return;
    if (!decoder_succeeded(decoder))
        decoder_read_error(decoder, body);
    else if (decoder->is.form == FORM_WHOLE)
        decoder_read_reply(decoder, body);
    (void)decoder_goes_on(decoder);
}

static bool decoder_is_whole(const surety__decoder *decoder, bool clean)
{
    const surety__reading *is = &decoder->is;

    if (is->form == FORM_PLAIN || !decoder->protocol->whole)
        return clean;
    switch (decoder->protocol->reason) {
    case REASON_MARKS: return is->done || is->has_finish;
    case REASON_ENDS: return is->done || (is->has_finish && clean);
    case REASON_IGNORED: break;
    }
    return is->done;
}

/* Sets the class of a complete reply. */
static void decoder_judge(surety__decoder *decoder)
{
    surety__reading *is = &decoder->is;
    const bool has_reply =
        surety__str_trim(surety_buf_str(&decoder->text)).len ||
        surety__draft_native(decoder) || surety__decoder_calls(decoder);
    surety_buf clean;

    assert(!is->broken);
    is->whole = true;
    if (decoder->refusal.len) {
        /* It is shown and recorded like an error: as one line, bounded, without
         * the key. */
        surety_buf_init(&clean, decoder->alloc, decoder->refusal.max);
        surety__answer_show(decoder, &clean, surety_buf_str(&decoder->refusal),
                            SURETY__MESSAGE_MAX);
        surety_buf_done(&decoder->refusal);
        decoder->refusal = clean;
    }
    if (is->failure == SURETY_FAILURE_NONE && decoder->refusal.len)
        is->failure = SURETY_FAILURE_REFUSAL;
    else if (is->failure == SURETY_FAILURE_NONE && !has_reply)
        is->failure = SURETY_FAILURE_EMPTY;
    if (is->failure == SURETY_FAILURE_NONE)
        surety__drafts_end(decoder);
    if (is->failure == SURETY_FAILURE_NONE ||
        is->failure == SURETY_FAILURE_REFUSAL)
        return;
    surety__buf_printf(
        &decoder->error_message, "%s %.*s",
        is->failure == SURETY_FAILURE_EMPTY
            ? "the model wrote nothing and ended with"
            : "the reply ended with",
        decoder->finish_reason.len ? (int)decoder->finish_reason.len
                                   : (int)sizeof("no reason") - 1,
        decoder->finish_reason.len ? decoder->finish_reason.ptr : "no reason");
}

/* Sets the class of a response by its status; its body gave none. */
static void decoder_judge_status(surety__decoder *decoder)
{
    const surety_str location = surety_buf_str(&decoder->location);
    const int status = decoder->is.status;

    decoder->is.failure = surety__error_of_status(status);
    if (status >= 300 && status <= 399)
        surety__buf_printf(
            &decoder->error_message,
            "the provider redirects (status %d)%s%.*s, which is not followed",
            status, location.len ? " to " : "",
            (int)(location.len < LOCATION_MAX ? location.len : LOCATION_MAX),
            location.len ? location.ptr : "");
    else
        surety__buf_printf(&decoder->error_message,
                           "the provider answered with status %d and no "
                           "message",
                           status);
}

/* Sets the class of a response that ended too early. */
static void decoder_judge_cut(surety__decoder *decoder,
                              const surety_delivery *delivery)
{
    const surety_str message = surety_str_of(delivery->message);

    assert(!decoder->is.whole);
    surety_buf_reset(&decoder->error_message);
    decoder->is.used.usage.known = false;
    decoder->is.failure =
        delivery->failure ? delivery->failure : SURETY_FAILURE_TRUNCATED;
    decoder->is.ambiguous = delivery->failure && delivery->sent &&
                            delivery->failure != SURETY_FAILURE_COMMAND &&
                            !decoder->is.has_head;
    if (message.len)
        surety__error_clean(&decoder->error_message, message,
                            surety_buf_str(&decoder->secret),
                            SURETY__MESSAGE_MAX);
    else if (delivery->failure == SURETY_FAILURE_CANCELLED)
        surety_buf_text(&decoder->error_message, "the call was cancelled");
    else
        surety__buf_printf(
            &decoder->error_message,
            "the response ended before the reply's end mark%s",
            surety__sse_unfinished(&decoder->sse) ? ", within an event" : "");
}

void surety__decoder_finish(surety__decoder *decoder,
                            const surety_delivery *delivery, int64_t now_ms)
{
    surety__reading *is = &decoder->is;
    const bool clean = delivery->failure == SURETY_FAILURE_NONE;

    if (is->finished)
        return;
    if (is->form == FORM_UNKNOWN && decoder->body.len)
        is->form = FORM_WHOLE;
    if (!is->broken && !is->starved && !is->coded)
        decoder_read_body(decoder);
    is->finished = true;
    if (is->retry_after < 0 && decoder->retry_date.len) {
        const int64_t date =
            surety__retry_date(surety_buf_str(&decoder->retry_date));

        if (date >= 0)
            is->retry_after = surety__retry_until(date, now_ms);
    }
    if (is->broken)
        is->used.usage.known = false;
    else if (delivery->failure == SURETY_FAILURE_CANCELLED)
        decoder_judge_cut(decoder, delivery);
    else if (!decoder_succeeded(decoder))
        decoder_judge_status(decoder);
    else if (decoder_is_whole(decoder, clean))
        decoder_judge(decoder);
    else
        decoder_judge_cut(decoder, delivery);
    (void)decoder_goes_on(decoder);
}

bool surety__decoder_calls(const surety__decoder *decoder)
{
    return decoder->is.tools && surety__draft_call(decoder);
}

size_t surety__decoder_uncounted(const surety__decoder *decoder)
{
    return decoder->is.used.output_bytes - decoder->is.used.counted_bytes;
}

surety_status surety__decoder_answer(const surety__decoder *decoder,
                                     surety_answer *ret_answer)
{
    const surety__reading *is = &decoder->is;
    const surety__draft *native = surety__draft_native(decoder);
    const bool called = surety__decoder_calls(decoder);
    surety_answer answer = {
        .failure = is->failure,
        .text = surety_buf_str(&decoder->text),
        .refusal = surety_buf_str(&decoder->refusal),
        .finish_reason = surety_buf_str(&decoder->finish_reason),
        .model = surety_buf_str(&decoder->model),
        .response_id = surety_buf_str(&decoder->response_id),
        .request_id = surety_buf_str(&decoder->request_id),
        .error_code = surety_buf_str(&decoder->error_code),
        .error_message = surety_buf_str(&decoder->error_message),
        .usage = is->used.usage,
        .http_status = is->status,
        .retry_after_ms = is->retry_after,
        .should_retry = is->should_retry,
        .ambiguous = is->ambiguous,
        .message = {.role = SURETY_ROLE_ASSISTANT,
                    .parts = decoder->drafts.parts},
    };

    if (is->starved)
        return SURETY_NOMEM;
    if (!is->finished)
        return SURETY_MORE;
    if (is->failure == SURETY_FAILURE_NONE)
        answer.message.part_count = decoder->drafts.count;
    if (native && is->failure == SURETY_FAILURE_NONE)
        answer.native = answer.message.parts[is->native - 1].text;
    else if (native && !answer.text.len)
        answer.text = surety_buf_str(&native->text);
    else if (decoder->mode == SURETY_MODE_NATIVE && !called &&
             is->failure == SURETY_FAILURE_NONE)
        answer.native = answer.text;
    *ret_answer = answer;
    return SURETY_OK;
}
