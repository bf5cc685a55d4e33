/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold of an answer, by its bytes alone: what a client takes for a
 * value satisfies the schema that it asked for, and everything else is an error
 * that its SDK raises. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "sim/gate.h"

/* ---- the text of an answer ----------------------------------------------- */

static surety_val law_at(surety_val val, const char *pointer)
{
    return surety_val_at(val, surety_str_of(pointer));
}

/* Appends a text as it is, and an object as its JSON. */
static void law_append(surety_buf *out, surety_val val)
{
    if (surety_val_kind(val) == SURETY_KIND_STRING)
        surety_buf_append(out, surety_val_str(val).ptr,
                          surety_val_str(val).len);
    else if (surety_val_kind(val) == SURETY_KIND_OBJECT)
        surety_val_write(val, SURETY_STYLE_COMPACT, out);
}

/* Appends the value of a list's items that have a type. */
static void law_append_typed(surety_buf *out, surety_val items,
                             const char *type, const char *pointer)
{
    SURETY_EACH (item, items)
        if (surety_val_is(surety_val_get(item, "type"), type))
            law_append(out, law_at(item, pointer));
}

/* Appends the text of a whole answer, or the arguments of its calls. */
static void whole_text(const struct gate_ask *ask, surety_val root,
                       surety_buf *out)
{
    switch (ask->protocol) {
    case SURETY_PROTOCOL_RESPONSES:
        law_append_typed(out, surety_val_get(root, "output"),
                         ask->is_tool ? "function_call" : "message",
                         ask->is_tool ? "/arguments" : "/content/0/text");
        break;
    case SURETY_PROTOCOL_ANTHROPIC:
        law_append_typed(out, surety_val_get(root, "content"),
                         ask->is_tool ? "tool_use" : "text",
                         ask->is_tool ? "/input" : "/text");
        break;
    case SURETY_PROTOCOL_GEMINI:
        SURETY_EACH (part, law_at(root, "/candidates/0/content/parts"))
            law_append(out, law_at(part, ask->is_tool ? "/functionCall/args"
                                                      : "/text"));
        break;
    default:
        law_append(out, law_at(root, "/choices/0/message/content"));
        SURETY_EACH (call, law_at(root, "/choices/0/message/tool_calls"))
            law_append(out, law_at(call, "/function/arguments"));
        break;
    }
}

/* What a client has of a stream. */
struct law_stream {
    surety_buf text;
    bool has_error, has_end; /* the protocol's own */
};

static void stream_event(struct law_stream *stream, const struct gate_ask *ask,
                         surety_val event)
{
    const surety_val type = surety_val_get(event, "type");

    stream->has_error =
        stream->has_error ||
        surety_val_kind(surety_val_get(event, "error")) == SURETY_KIND_OBJECT ||
        surety_val_is(type, "error") || surety_val_is(type, "response.failed");
    switch (ask->protocol) {
    case SURETY_PROTOCOL_RESPONSES:
        if (surety_val_is(type, "response.output_text.delta") ||
            surety_val_is(type, "response.function_call_arguments.delta"))
            law_append(&stream->text, surety_val_get(event, "delta"));
        stream->has_end |= surety_val_is(type, "response.completed");
        break;
    case SURETY_PROTOCOL_ANTHROPIC:
        law_append(&stream->text, law_at(event, "/delta/text"));
        law_append(&stream->text, law_at(event, "/delta/partial_json"));
        stream->has_end |= surety_val_is(type, "message_stop");
        break;
    case SURETY_PROTOCOL_GEMINI:
        whole_text(ask, event, &stream->text);
        stream->has_end |=
            law_at(event, "/candidates/0/finishReason").doc != NULL;
        break;
    default:
        law_append(&stream->text, law_at(event, "/choices/0/delta/content"));
        law_append(
            &stream->text,
            law_at(event, "/choices/0/delta/tool_calls/0/function/arguments"));
        break;
    }
}

/* Reads the events that came whole. */
static void stream_read(struct gate *gate, struct law_stream *stream,
                        const struct gate_ask *ask, surety_str body)
{
    size_t at = 0;

    while (at < body.len) {
        const char *line = body.ptr + at;
        const char *stop = memchr(line, '\n', body.len - at);
        surety_str data;

        if (!stop)
            return;
        at += (size_t)(stop - line) + 1;
        if (stop - line < 6 || memcmp(line, "data: ", 6) != 0)
            continue;
        data = (surety_str){line + 6, (size_t)(stop - line) - 6};
        if (surety_str_equal(data, surety_str_of("[DONE]"))) {
            gate_must(gate, ask->protocol == SURETY_PROTOCOL_OPENAI,
                      "[DONE] is Chat Completions' mark");
            stream->has_end = true;
            continue;
        }
        if (surety_doc_read(gate->bench->event, data, NULL, NULL))
            gate_must(gate, ask->schema < 0, "an event's data are JSON");
        else
            stream_event(stream, ask, surety_doc_root(gate->bench->event));
    }
}

/* ---- laws ---------------------------------------------------------------- */

static void check_value(struct gate *gate, const struct gate_ask *ask,
                        surety_str text)
{
    struct gate_bench *bench = gate->bench;
    bool valid = false;

    gate_must(gate,
              !surety_doc_read(bench->value, text, NULL, NULL) &&
                  !surety_checker_check(
                      bench->checker, bench->schemas[ask->schema],
                      surety_doc_root(bench->value), &valid, NULL) &&
                  valid,
              "a value that an answer gives satisfies its schema");
    bench->tally.values++;
    bench->tally.tools += ask->is_tool;
}

static bool ends_early(surety_val root)
{
    static const char *const places[] = {"/choices/0/finish_reason",
                                         "/stop_reason", "/status",
                                         "/candidates/0/finishReason"};
    static const char *const words[] = {
        "length",     "content_filter", "max_tokens", "refusal",
        "incomplete", "MAX_TOKENS",     "SAFETY",     "RECITATION"};

    for (size_t i = 0; i < SURETY__COUNT(places); i++)
        if (surety__str_among(surety_val_str(law_at(root, places[i])), words,
                              SURETY__COUNT(words)))
            return true;
    return false;
}

static void check_whole(struct gate *gate, const struct gate_ask *ask,
                        const struct gate_answer *answer)
{
    const surety_val root = surety_doc_root(gate->bench->doc);
    surety_buf text;

    gate->bench->tally.whole++;
    if (surety_str_equal(gate_header(answer->head, "Surety-Fallback"),
                         surety_str_of("true")))
        gate->bench->tally.fallbacks++;
    if (ask->schema < 0 ||
        surety_val_is(law_at(root, "/surety/verdict"), "refused"))
        return;
    gate_must(gate, !ends_early(root), "a value is not cut off");
    surety_buf_init(&text, NULL, 0);
    whole_text(ask, root, &text);
    check_value(gate, ask, surety_buf_str(&text));
    surety_buf_done(&text);
}

static void check_stream(struct gate *gate, const struct gate_ask *ask,
                         const struct gate_answer *answer)
{
    struct law_stream stream = {.has_error = false};
    const bool refused =
        gate_has(surety_buf_str(&answer->body), "\"verdict\":\"refused\"");

    surety_buf_init(&stream.text, NULL, 0);
    stream_read(gate, &stream, ask, surety_buf_str(&answer->body));
    gate->bench->tally.streams++;
    gate->bench->tally.cuts += !answer->is_whole;
    /* Without a schema a provider's bytes are passed on as they are. */
    if (ask->schema < 0) {
        surety_buf_done(&stream.text);
        return;
    }
    if (answer->is_whole) {
        gate_must(gate, !stream.has_error, "an error ends in a cut");
        gate_must(gate, stream.has_end, "a stream that ends has its end mark");
        if (!refused)
            check_value(gate, ask, surety_buf_str(&stream.text));
    } else if (!gate->memory.starved && !gate->is_closing) {
        gate_must(gate, stream.has_error, "a cut comes behind an error");
        gate_must(gate,
                  ask->protocol == SURETY_PROTOCOL_GEMINI || !stream.has_end,
                  "an error has no end mark before it");
    }
    surety_buf_done(&stream.text);
}

/* An error that the clients of the protocol read. */
static void check_error(struct gate *gate, const struct gate_ask *ask,
                        const struct gate_answer *answer)
{
    const surety_val root = surety_doc_root(gate->bench->doc);
    const surety_val error = surety_val_get(root, "error");
    const surety_str again = gate_header(answer->head, "x-should-retry");

    gate->bench->tally.errors++;
    gate_must(gate, surety_val_str(surety_val_get(error, "message")).len > 0,
              "an error has a message");
    if (ask->protocol == SURETY_PROTOCOL_ANTHROPIC)
        gate_must(gate,
                  surety_val_is(surety_val_get(root, "type"), "error") &&
                      surety_val_str(surety_val_get(error, "type")).len > 0,
                  "an error of Messages has two types");
    else if (ask->protocol == SURETY_PROTOCOL_GEMINI)
        gate_must(gate,
                  surety_val_int(surety_val_get(error, "code"), 0) ==
                          answer->status &&
                      surety_val_str(surety_val_get(error, "status")).len > 0,
                  "an error of Gemini's has code and status");
    else
        gate_must(gate, surety_val_str(surety_val_get(error, "type")).len > 0,
                  "an error of OpenAI's has a type");
    if (answer->status == 422)
        gate_must(gate,
                  ask->schema >= 0 &&
                      surety_str_equal(again, surety_str_of("false")),
                  "422 is for a schema, and is not sent again");
}

static void check_object(struct gate *gate, const struct gate_ask *ask,
                         surety_str body)
{
    char text[32];

    snprintf(text, sizeof(text), "object %d", ask->object);
    gate_must(gate,
              !ask->is_wrong && surety_str_equal(body, surety_str_of(text)),
              "an object comes from a provider that keeps it, and whole");
    gate->bench->tally.objects++;
}

/* Rows of an answered request are complete before its answer is there, and
 * where they cannot be written there is no answer but an error. */
static void check_rows(struct gate *gate, const struct gate_ask *ask,
                       const struct gate_answer *answer)
{
    const surety_str run = gate_header(answer->head, "Surety-Run");
    const bool may_fail = gate->ledger_failed && answer->status != 200;
    const surety_str body = surety_buf_str(&answer->body);
    const bool is_value = answer->status == 200 && ask->schema >= 0 &&
                          !gate_has(body, "\"verdict\":\"refused\"") &&
                          !gate_has(body, "\"verdict\":\"fallback\"");

    for (size_t i = 0; run.len == 36 && i < gate->row_count; i++) {
        struct gate_row *row = &gate->rows[i];

        if (memcmp(row->run, run.ptr, 36) != 0)
            continue;
        gate_must(gate, row->is_finished || may_fail,
                  "rows are complete before the answer is");
        row->gave_error = answer->status == 422;
        row->gave_value = is_value;
    }
}

static bool is_slow(const struct gate *gate, const struct gate_client *client,
                    const struct gate_ask *ask)
{
    /* Pieces of a handshake come before the request. */
    const uint64_t begun_ms = gate->is_tls && !client->link.is_smooth
                                  ? client->dialled_ms
                                  : ask->begun_ms;

    return client->gap_ms && begun_ms && gate->now_ms - begun_ms > 10000;
}

void gate_check_answer(struct gate *gate, const struct gate_client *client,
                       const struct gate_ask *ask,
                       const struct gate_answer *answer)
{
    const surety_str body = surety_buf_str(&answer->body);
    const surety_str type = gate_header(answer->head, "Content-Type");

    if (gate->how.is_verbose)
        printf("# %8llu ms  protocol %d, schema %d%s: %d%s\n#   %.*s\n",
               (unsigned long long)gate->now_ms, (int)ask->protocol,
               ask->schema, ask->is_stream ? ", stream" : "", answer->status,
               answer->is_whole ? "" : ", cut", (int)body.len, body.ptr);
    gate_must_hide(gate, surety_buf_str(&client->in), "no key is in an answer");
    if (!answer->status) {
        gate_must(gate,
                  gate->memory.starved || gate->is_closing ||
                      client->link.is_faulty || is_slow(gate, client, ask),
                  "a request has an answer");
        return;
    }
    if (!ask->page.status)
        gate->bench->tally.statuses[answer->status]++;
    if (answer->status == 408 && !gate_header(answer->head, "Surety-Run").ptr) {
        gate_must(gate, is_slow(gate, client, ask), "408 is for slow clients");
        return;
    }
    if (ask->page.status) {
        gate_check_page(gate, &ask->page, answer);
        return;
    }
    if (answer->status == 200 && gate_has(type, "text/event-stream")) {
        gate_must(gate, ask->is_stream && !ask->is_wrong,
                  "a stream was asked for");
        check_stream(gate, ask, answer);
        if (answer->is_whole)
            check_rows(gate, ask, answer);
        return;
    }
    gate_must(gate,
              answer->is_whole || gate->memory.starved || gate->is_closing,
              "an answer is whole");
    if (!answer->is_whole)
        return;
    check_rows(gate, ask, answer);
    if (ask->object >= 0 && answer->status == 200) {
        check_object(gate, ask, body);
        return;
    }
    if (ask->schema < 0 && !ask->is_wrong)
        return; /* it may be a provider's own, passed on */
    if (surety_doc_read(gate->bench->doc, body, NULL, NULL)) {
        gate_must(gate, false, "a body is JSON");
        return;
    }
    if (answer->status == 200) {
        gate_must(gate, !ask->is_wrong && !ask->is_stream,
                  "a whole answer was asked for");
        check_whole(gate, ask, answer);
    } else {
        gate_must(gate,
                  answer->status < 500 || answer->status > 500 ||
                      gate->memory.starved,
                  "the gateway does not fail by itself");
        check_error(gate, ask, answer);
    }
}
