/* SPDX-License-Identifier: Apache-2.0 */
/* Spans as OTLP/HTTP in JSON (opentelemetry-proto, its JSON mapping): ids in
 * hexadecimal, 64-bit integers as strings, enums as numbers. One span is the
 * request (kind SERVER); below it is one for each attempt (CLIENT), with an
 * event for each error of its reply: the rule and the location, never the
 * value. */
#include "observe/observe.h"

enum { SPAN_SERVER = 2, SPAN_CLIENT = 3, SPAN_ERROR = 2, SPAN_EVENTS_MAX = 32 };
#define SPAN_TEXT_MAX 200

/* ---- attributes ---------------------------------------------------------- */

/* Begins an attribute's object, up to its value. */
static void span_begin_value(surety_buf *out, const char *name)
{
    if (out->len && out->ptr[out->len - 1] != '[')
        surety_buf_byte(out, ',');
    surety_buf_byte(out, '{');
    surety_json_text(out, "key", surety_str_of(name));
    surety_json_name(out, "value");
    surety_buf_byte(out, '{');
}

static void span_text(surety_buf *out, const char *name, surety_str text)
{
    text.len = surety__utf8_cut(text, SPAN_TEXT_MAX);
    if (!text.len)
        return;
    span_begin_value(out, name);
    surety_json_text(out, "stringValue", text);
    surety_buf_text(out, "}}");
}

static void span_number(surety_buf *out, const char *name, uint64_t number)
{
    span_begin_value(out, name);
    surety__buf_printf(out, "\"intValue\":\"%llu\"}}",
                       (unsigned long long)number);
}

static void span_flag(surety_buf *out, const char *name, bool flag)
{
    span_begin_value(out, name);
    surety_json_bool(out, "boolValue", flag);
    surety_buf_text(out, "}}");
}

/* ---- spans --------------------------------------------------------------- */

/* The id of the span of an attempt: that of the request, mixed with its number
 * (SplitMix64's last steps), and never 0. */
static void span_attempt_id(const surety__trace *trace, uint32_t number,
                            char out[17])
{
    uint64_t word = 0;
    size_t at = 0;

    for (size_t i = 0; i < 16; i++)
        word = word << 4 | surety__hex_digit(trace->span_id[i]);
    word += number * UINT64_C(0x9E3779B97F4A7C15);
    word = (word ^ word >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    word = (word ^ word >> 27) * UINT64_C(0x94D049BB133111EB);
    word = (word ^ word >> 31) | 1;
    for (; at < 16; at++)
        out[at] = "0123456789abcdef"[word >> (60 - 4 * at) & 15];
    out[at] = '\0';
}

static void span_time(surety_buf *out, const char *name, int64_t us)
{
    surety_json_name(out, name);
    surety__buf_printf(out, "\"%lld000\"", (long long)us);
}

/* Begins a span, up to its attributes. Times are in microseconds. */
static void span_begin(surety_buf *out, const surety__trace *trace,
                       const char *id, const char *parent, int kind)
{
    surety_buf_byte(out, '{');
    surety_json_text(out, "traceId", surety_str_of(trace->trace_id));
    surety_json_text(out, "spanId", surety_str_of(id));
    if (*parent)
        surety_json_text(out, "parentSpanId", surety_str_of(parent));
    surety_json_number(out, "kind", (uint64_t)kind);
}

static void span_end(surety_buf *out, bool is_error)
{
    if (is_error) {
        surety_json_name(out, "status");
        surety__buf_printf(out, "{\"code\":%d}", SPAN_ERROR);
    }
    surety_buf_byte(out, '}');
}

/* An event for each error of the reply. */
static void span_failures(const surety__attempt_record *attempt,
                          surety_buf *out)
{
    const size_t count = attempt->failure_count < SPAN_EVENTS_MAX
                             ? attempt->failure_count
                             : SPAN_EVENTS_MAX;

    if (!count)
        return;
    surety_json_name(out, "events");
    surety_buf_byte(out, '[');
    for (size_t i = 0; i < count; i++) {
        surety_buf_text(out, i ? ",{" : "{");
        span_time(out, "timeUnixNano", attempt->ended_ms * 1000);
        surety_json_text(out, "name", SURETY__LITERAL("surety.issue"));
        surety_json_name(out, "attributes");
        surety_buf_byte(out, '[');
        span_text(out, "surety.issue.keyword", attempt->failures[i].keyword);
        span_text(out, "surety.issue.path", attempt->failures[i].path);
        surety_buf_text(out, "]}");
    }
    surety_buf_byte(out, ']');
    if (attempt->failure_count > count)
        surety_json_number(out, "droppedEventsCount",
                           attempt->failure_count - count);
}

static void span_usage(const surety__attempt_record *attempt, surety_buf *out)
{
    if (!attempt->usage_known)
        return;
    span_number(out, surety__name_of(NAME_INPUT_TOKENS), attempt->input_tokens);
    span_number(out, surety__name_of(NAME_OUTPUT_TOKENS),
                attempt->output_tokens);
    if (attempt->cached_input_tokens)
        span_number(out, surety__name_of(NAME_CACHED_TOKENS),
                    attempt->cached_input_tokens);
    if (attempt->reasoning_tokens)
        span_number(out, surety__name_of(NAME_REASONING_TOKENS),
                    attempt->reasoning_tokens);
    if (attempt->estimated)
        span_text(out, "surety.usage.estimated", SURETY__LITERAL("true"));
}

static void span_attempt(const surety__request_record *record,
                         const surety__attempt_record *attempt, surety_buf *out)
{
    const surety_str model = {attempt->model.ptr,
                              surety__utf8_cut(attempt->model, SPAN_TEXT_MAX)};
    const int64_t ended_ms = attempt->ended_ms > attempt->started_ms
                                 ? attempt->ended_ms
                                 : attempt->started_ms;
    char bytes[SPAN_TEXT_MAX + 64];
    surety_buf name = surety__buf_over(bytes, sizeof(bytes));
    char id[17];

    span_attempt_id(record->trace, attempt->number, id);
    span_begin(out, record->trace, id, record->trace->span_id, SPAN_CLIENT);
    surety__buf_printf(&name, "%s ", record->operation);
    surety_buf_add(&name, model);
    surety_json_text(out, "name", surety_buf_str(&name));
    span_time(out, "startTimeUnixNano", attempt->started_ms * 1000);
    span_time(out, "endTimeUnixNano", ended_ms * 1000);
    surety_json_name(out, "attributes");
    surety_buf_byte(out, '[');
    span_text(out, surety__name_of(NAME_OPERATION),
              surety_str_of(record->operation));
    span_text(out, surety__name_of(NAME_PROVIDER),
              surety__name_provider(attempt->provider));
    span_text(out, surety__name_of(NAME_REQUEST_MODEL), attempt->model);
    span_text(out, surety__name_of(NAME_RESPONSE_ID), attempt->response_id);
    if (attempt->finish_reason.len) {
        span_begin_value(out, surety__name_of(NAME_FINISH_REASONS));
        surety_buf_text(out, "\"arrayValue\":{\"values\":[{");
        surety_json_text(out, "stringValue", attempt->finish_reason);
        surety_buf_text(out, "}]}}}");
    }
    span_usage(attempt, out);
    span_text(out, surety__name_of(NAME_ERROR), attempt->failure);
    span_number(out, "surety.attempt.number", attempt->number);
    span_text(out, "surety.attempt.purpose", attempt->purpose);
    span_flag(out, "surety.attempt.valid", attempt->ok);
    surety_buf_byte(out, ']');
    span_failures(attempt, out);
    span_end(out, attempt->failure.len > 0);
}

void surety__spans_write(const surety__request_record *record, surety_buf *out)
{
    const surety__trace *trace = record->trace;

    span_begin(out, trace, trace->span_id, trace->parent_id, SPAN_SERVER);
    surety_json_name(out, "name");
    surety__buf_printf(out, "\"%.*s %s\"", (int)record->method.len,
                       record->method.ptr, record->route);
    span_time(out, "startTimeUnixNano", record->started_ms * 1000);
    span_time(out, "endTimeUnixNano",
              record->started_ms * 1000 + (int64_t)record->total_us);
    surety_json_name(out, "attributes");
    surety_buf_byte(out, '[');
    span_text(out, surety__name_of(NAME_METHOD), record->method);
    span_text(out, surety__name_of(NAME_ROUTE), surety_str_of(record->route));
    span_number(out, surety__name_of(NAME_STATUS), (uint64_t)record->status);
    span_text(out, surety__name_of(NAME_REQUEST_MODEL), record->model);
    if (record->is_stream)
        span_flag(out, surety__name_of(NAME_STREAM), true);
    span_text(out, "surety.run", record->run);
    span_text(out, "surety.key", record->key);
    span_text(out, "surety.contract", record->contract);
    span_text(out, "surety.contract.version", record->contract_version);
    span_text(out, "surety.verdict", surety_str_of(record->verdict));
    span_text(out, "surety.denial", surety_str_of(record->denial));
    span_number(out, "surety.attempts", record->attempt_count);
    span_number(out, "surety.repairs", record->repairs);
    surety_buf_byte(out, ']');
    span_end(out, record->status >= 500 || !record->is_whole);
    for (size_t i = 0; i < record->attempt_count; i++) {
        surety_buf_byte(out, ',');
        span_attempt(record, &record->attempts[i], out);
    }
}

void surety__spans_wrap(surety_str service, surety_str version,
                        surety_str spans, surety_buf *out)
{
    surety_buf_text(out, "{\"resourceSpans\":[{\"resource\":{\"attributes\":[");
    span_text(out, "service.name", service);
    span_text(out, "service.version", version);
    surety_buf_text(out, "]},\"scopeSpans\":[{\"scope\":{");
    surety_json_text(out, "name", SURETY__LITERAL("surety"));
    surety_json_text(out, "version", version);
    surety_buf_text(out, "},\"spans\":[");
    surety_buf_add(out, spans);
    surety_buf_text(
        out,
        "]}],\"schemaUrl\":\"https://opentelemetry.io/schemas/" SURETY__SEMCONV
        "\"}]}");
}
