/* SPDX-License-Identifier: Apache-2.0 */
/* What is said about a request: metrics, a line of the access log, spans. */
#include "observe/observe.h"

#include "check.h"

#define NOW ((int64_t)1795881600123) /* 2026-11-28T16:00:00.123Z */

static const surety__failure_record sample_failures[] = {
    {{"enum", 4}, {"/priority", 9}}, {{"type", 4}, {"/hours", 6}}};

static surety__attempt_record sample_attempt(uint32_t number)
{
    const bool is_last = number == 2;

    return (surety__attempt_record){
        .number = number,
        .purpose = surety_str_of(is_last ? "re-ask" : "ask"),
        .provider = surety_str_of("gemini"),
        .model = surety_str_of("flash\n\"2\""),
        .started_ms = NOW + (is_last ? 2000 : 0),
        .first_byte_ms = NOW + (is_last ? 2030 : 0),
        .ended_ms = NOW + (is_last ? 3000 : 1500),
        .http_status = 200,
        .finish_reason = surety_str_of("stop"),
        .response_id = surety_str_of("r-1"),
        .ok = is_last,
        .failures = sample_failures,
        .failure_count = is_last ? 0 : 2,
        .usage_known = true,
        .input_tokens = 100,
        .output_tokens = is_last ? 5 : 4,
        .cost_known = true,
        .cost_picousd = 2500000};
}

static surety__request_record
sample_record(const surety__attempt_record *attempts, size_t count,
              const surety__trace *trace)
{
    return (surety__request_record){
        .route = "/v1/chat/completions",
        .method = SURETY__LITERAL("POST"),
        .operation = "chat",
        .protocol = "openai",
        .run = surety_str_of("018f2d3c-0000-7000-8000-000000000001"),
        .key = surety_str_of("key_0123456789abcdef"),
        .model = surety_str_of("any \"name\" of a client"),
        .contract = surety_str_of("ticket"),
        .contract_version = surety_str_of("1.2"),
        .has_contract = true,
        .is_whole = true,
        .status = 200,
        .verdict = "valid",
        .repairs = 1,
        .started_ms = NOW,
        .total_us = 3000250,
        .overhead_us = 250,
        .first_byte_us = 3000200,
        .attempts = attempts,
        .attempt_count = count,
        .trace = trace};
}

static bool has(const surety_buf *text, const char *line)
{
    return surety__str_find(surety_buf_str(text), surety_str_of(line)) <
           text->len;
}

TEST(counts_a_request)
{
    static const char *const lines[] = {
        "# TYPE surety_requests_total counter\n",
        "surety_requests_total{route=\"/v1/chat/completions\","
        "status=\"200\"} 1\n",
        "surety_request_duration_seconds_bucket{route=\"/v1/chat/completions\","
        "le=\"2.56\"} 0\n",
        "surety_request_duration_seconds_bucket{route=\"/v1/chat/completions\","
        "le=\"5.12\"} 1\n",
        "surety_request_duration_seconds_bucket{route=\"/v1/chat/completions\","
        "le=\"+Inf\"} 1\n",
        "surety_request_duration_seconds_sum{route=\"/v1/chat/completions\"} "
        "3.00025\n",
        "surety_request_overhead_seconds_bucket{route=\"/v1/chat/completions\","
        "le=\"0.0002\"} 0\n",
        "surety_runs_total{contract=\"ticket\",verdict=\"valid\","
        "attempts=\"more\"} 1\n",
        "surety_repairs_total{contract=\"ticket\"} 1\n",
        "surety_attempts_total{provider=\"gemini\","
        "model=\"flash\\n\\\"2\\\"\",purpose=\"ask\",outcome=\"invalid\"} 1\n",
        "surety_cost_dollars_total{provider=\"gemini\","
        "model=\"flash\\n\\\"2\\\"\"} 0.000005\n",
        "gen_ai_client_operation_duration_seconds_sum{"
        "gen_ai_operation_name=\"chat\",gen_ai_provider_name=\"gcp.gemini\","
        "gen_ai_request_model=\"flash\\n\\\"2\\\"\"} 2.5\n",
        "gen_ai_client_operation_time_to_first_chunk_seconds_count{"
        "gen_ai_operation_name=\"chat\",gen_ai_provider_name=\"gcp.gemini\","
        "gen_ai_request_model=\"flash\\n\\\"2\\\"\"} 2\n",
        "gen_ai_token_type=\"output\",le=\"4\"} 1\n",
        "gen_ai_token_type=\"output\",le=\"16\"} 2\n",
        "surety_requests_under_way 7\n",
        "surety_metrics_dropped_total 0\n",
    };
    const surety__attempt_record attempts[] = {sample_attempt(1),
                                               sample_attempt(2)};
    const surety__request_record record = sample_record(attempts, 2, NULL);
    surety__metrics *metrics = surety__metrics_new(check_alloc(t));
    surety_buf text;

    surety_buf_init(&text, check_alloc(t), 0);
    NEED(metrics);
    surety__metrics_add(metrics, &record);
    surety__metrics_write(metrics, 7, &text);
    TRY(text.status);
    for (size_t i = 0; i < CHECK_COUNT(lines) && !t->starved; i++) {
        if (!has(&text, lines[i]))
            printf("# not there: %s", lines[i]);
        CHECK(has(&text, lines[i]));
    }
    /* No text of the client is a label. */
    CHECK(!has(&text, "of a client"));
done:
    surety__metrics_free(metrics);
    surety_buf_done(&text);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *state >> 33;
}

/* A record by chance, with as many contracts as there are series for. */
static surety__request_record random_record(uint64_t *state,
                                            surety__attempt_record *attempt)
{
    static const char *const verdicts[] = {"valid", "rejected", "fallback"};
    static const char *const models[] = {"a", "b", "c", "d"};
    surety__request_record record;

    *attempt = sample_attempt((uint32_t)(1 + next_random(state) % 2));
    attempt->model = surety_str_of(models[next_random(state) % 4]);
    attempt->ended_ms =
        attempt->started_ms + (int64_t)next_random(state) % 9999;
    attempt->output_tokens = next_random(state) % 70000000;
    attempt->usage_known = next_random(state) % 4 != 0;
    if (next_random(state) % 5 == 0)
        attempt->failure = surety_str_of("timeout");
    record = sample_record(attempt, next_random(state) % 2, NULL);
    record.verdict = verdicts[next_random(state) % 3];
    record.total_us = next_random(state) % 100000000;
    record.status = next_random(state) % 2 ? 200 : 422;
    record.denial = next_random(state) % 7 ? NULL : "day";
    return record;
}

/* The law: what several objects counted, merged, is what one counts. */
TEST(merges_into_what_one_would_count)
{
    surety__metrics *parts[3] = {NULL, NULL, NULL};
    surety__metrics *merged = surety__metrics_new(check_alloc(t));
    surety__metrics *one = surety__metrics_new(check_alloc(t));
    surety_buf texts[2];
    uint64_t state = 1;

    surety_buf_init(&texts[0], check_alloc(t), 0);
    surety_buf_init(&texts[1], check_alloc(t), 0);
    NEED(merged);
    NEED(one);
    for (size_t i = 0; i < 3; i++) {
        parts[i] = surety__metrics_new(check_alloc(t));
        NEED(parts[i]);
        for (size_t at = 0; at < 40; at++) {
            surety__attempt_record attempt;
            const surety__request_record record =
                random_record(&state, &attempt);

            surety__metrics_add(one, &record);
            surety__metrics_add(parts[i], &record);
        }
    }
    for (size_t i = 0; i < 3; i++)
        surety__metrics_merge(merged, parts[i]);
    surety__metrics_write(one, 0, &texts[0]);
    surety__metrics_write(merged, 0, &texts[1]);
    TRY(texts[0].status);
    TRY(texts[1].status);
    CHECK(t->starved || surety_str_equal(surety_buf_str(&texts[0]),
                                         surety_buf_str(&texts[1])));
done:
    for (size_t i = 0; i < 3; i++)
        surety__metrics_free(parts[i]);
    surety__metrics_free(merged);
    surety__metrics_free(one);
    surety_buf_done(&texts[0]);
    surety_buf_done(&texts[1]);
}

TEST(bounds_its_series)
{
    surety__metrics *metrics = surety__metrics_new(check_alloc(t));
    surety__request_record record = sample_record(NULL, 0, NULL);
    surety_buf text;

    surety_buf_init(&text, check_alloc(t), 0);
    NEED(metrics);
    /* Two series of each status, but for the first two of all. */
    record.verdict = NULL;
    record.repairs = 0;
    for (int i = 0; i < 4200; i++) {
        record.status = i;
        surety__metrics_add(metrics, &record);
    }
    surety__metrics_write(metrics, 0, &text);
    TRY(text.status);
    CHECK(t->starved || (has(&text, "status=\"4093\"} 1\n") &&
                         !has(&text, "status=\"4094\"} 1\n") &&
                         has(&text, "surety_metrics_dropped_total 106\n")));
done:
    surety__metrics_free(metrics);
    surety_buf_done(&text);
}

TEST(writes_a_line_of_the_log)
{
    const surety__attempt_record attempts[] = {sample_attempt(1),
                                               sample_attempt(2)};
    surety__request_record record = sample_record(attempts, 2, NULL);
    surety_buf line;

    surety_buf_init(&line, check_alloc(t), 0);
    surety__access_write(&record, &line);
    TRY(line.status);
    CHECK_TEXT(
        surety_buf_str(&line),
        "{\"time\":\"2026-11-28T16:00:00.123Z\",\"route\":"
        "\"/v1/chat/completions\",\"status\":200,\"protocol\":\"openai\","
        "\"key\":\"key_0123456789abcdef\",\"model\":\"any \\\"name\\\" of a "
        "client\",\"contract\":\"ticket\",\"contract_version\":\"1.2\","
        "\"run\":\"018f2d3c-0000-7000-8000-000000000001\",\"verdict\":"
        "\"valid\",\"attempts\":2,\"repairs\":1,\"input_tokens\":200,"
        "\"output_tokens\":9,\"cost_usd\":0.000005,\"total_us\":3000250,"
        "\"overhead_us\":250,\"first_byte_us\":3000200}");
    /* What is not known is left out. */
    record = (surety__request_record){.route = "/v1/models",
                                      .operation = "",
                                      .protocol = "openai",
                                      .status = 401,
                                      .denial = "key",
                                      .started_ms = -1};
    surety_buf_reset(&line);
    surety__access_write(&record, &line);
    TRY(line.status);
    CHECK_TEXT(surety_buf_str(&line),
               "{\"time\":\"1969-12-31T23:59:59.999Z\",\"route\":"
               "\"/v1/models\",\"status\":401,\"protocol\":\"openai\","
               "\"denial\":\"key\",\"attempts\":0,\"total_us\":0,"
               "\"overhead_us\":0,\"whole\":false}");
done:
    surety_buf_done(&line);
}

#define TRACE_ID "0af7651916cd43dd8448eb211c80319c"
#define SPAN_ID "b7ad6b7169203331"

TEST(goes_on_with_a_trace)
{
    static const struct {
        const char *header;
        bool goes_on, is_sampled;
    } rows[] = {
        {"00-" TRACE_ID "-" SPAN_ID "-01", true, true},
        {"00-" TRACE_ID "-" SPAN_ID "-00", true, false},
        {"00-" TRACE_ID "-" SPAN_ID "-03", true, true},
        {"cc-" TRACE_ID "-" SPAN_ID "-01-more", true, true},
        /* A new trace is sampled. */
        {"", false, true},
        {"00-" TRACE_ID "-" SPAN_ID "-0", false, true},
        {"00-" TRACE_ID "-" SPAN_ID "-01-more", false, true},
        {"01-" TRACE_ID "-" SPAN_ID "-01more", false, true},
        {"ff-" TRACE_ID "-" SPAN_ID "-01", false, true},
        {"00-00000000000000000000000000000000-" SPAN_ID "-01", false, true},
        {"00-" TRACE_ID "-0000000000000000-01", false, true},
        {"00-0AF7651916CD43DD8448EB211C80319C-" SPAN_ID "-01", false, true},
        {"00-" TRACE_ID "_" SPAN_ID "-01", false, true},
    };
    unsigned char random[SURETY__TRACE_RANDOM];
    surety__trace trace;
    surety_buf text;

    surety_buf_init(&text, check_alloc(t), 0);
    for (size_t i = 0; i < sizeof(random); i++)
        random[i] = (unsigned char)(i + 1);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        surety__trace_begin(surety_str_of(rows[i].header), random, &trace);
        CHECK_TEXT(surety_str_of(trace.span_id), "0102030405060708");
        CHECK_TEXT(surety_str_of(trace.trace_id),
                   rows[i].goes_on ? TRACE_ID
                                   : "090a0b0c0d0e0f101112131415161718");
        CHECK_TEXT(surety_str_of(trace.parent_id),
                   rows[i].goes_on ? SPAN_ID : "");
        CHECK(trace.is_sampled == rows[i].is_sampled);
    }
    surety__trace_begin(surety_str_of(rows[1].header), random, &trace);
    surety__trace_write(&trace, &text);
    TRY(text.status);
    CHECK(text.len == SURETY__TRACEPARENT_LEN);
    CHECK_TEXT(surety_buf_str(&text), "00-" TRACE_ID "-0102030405060708-00");
    /* No id is zero, whatever chance gives. */
    memset(random, 0, sizeof(random));
    surety__trace_begin(surety_str_of(""), random, &trace);
    CHECK_TEXT(surety_str_of(trace.span_id), "0000000000000001");
done:
    surety_buf_done(&text);
}

/* The value at a pointer; SURETY_NONE where there is none. */
static surety_val at(const surety_doc *doc, const char *pointer)
{
    return surety_val_at(surety_doc_root(doc), surety_str_of(pointer));
}

#define SPANS "/resourceSpans/0/scopeSpans/0/spans"

TEST(writes_spans)
{
    const surety__attempt_record attempts[] = {sample_attempt(1),
                                               sample_attempt(2)};
    surety_doc *doc = surety_doc_new(check_alloc(t));
    unsigned char random[SURETY__TRACE_RANDOM] = {1, 2, 3};
    surety__request_record record;
    surety__trace trace;
    surety_buf spans, body;

    surety_buf_init(&spans, check_alloc(t), 0);
    surety_buf_init(&body, check_alloc(t), 0);
    NEED(doc);
    surety__trace_begin(surety_str_of("00-" TRACE_ID "-" SPAN_ID "-01"), random,
                        &trace);
    record = sample_record(attempts, 2, &trace);
    surety__spans_write(&record, &spans);
    surety__spans_wrap(surety_str_of("gateway"), surety_str_of("0.1"),
                       surety_buf_str(&spans), &body);
    TRY(spans.status);
    TRY(body.status);
    TRY(surety_doc_read(doc, surety_buf_str(&body), NULL, NULL));
    CHECK_JSON(at(doc, "/resourceSpans/0/resource/attributes/0"),
               "{\"key\":\"service.name\",\"value\":{\"stringValue\":"
               "\"gateway\"}}");
    CHECK_JSON(at(doc, "/resourceSpans/0/schemaUrl"),
               "\"https://opentelemetry.io/schemas/1.41.0\"");
    CHECK_JSON(at(doc, SPANS "/0/traceId"), "\"" TRACE_ID "\"");
    CHECK_JSON(at(doc, SPANS "/0/parentSpanId"), "\"" SPAN_ID "\"");
    CHECK_JSON(at(doc, SPANS "/0/kind"), "2");
    CHECK_JSON(at(doc, SPANS "/0/name"), "\"POST /v1/chat/completions\"");
    CHECK_JSON(at(doc, SPANS "/0/startTimeUnixNano"),
               "\"1795881600123000000\"");
    CHECK_JSON(at(doc, SPANS "/0/endTimeUnixNano"), "\"1795881603123250000\"");
    CHECK_JSON(at(doc, SPANS "/0/attributes/2/value/intValue"), "\"200\"");
    CHECK_JSON(at(doc, SPANS "/0/status"), "");
    /* Those of the attempts, below it. */
    CHECK_JSON(at(doc, SPANS "/1/parentSpanId"), "\"0102030000000000\"");
    CHECK_JSON(at(doc, SPANS "/1/name"), "\"chat flash\\n\\\"2\\\"\"");
    CHECK_JSON(at(doc, SPANS "/1/kind"), "3");
    CHECK_JSON(at(doc, SPANS "/1/attributes/1/value/stringValue"),
               "\"gcp.gemini\"");
    CHECK_JSON(at(doc, SPANS "/1/attributes/4/value"),
               "{\"arrayValue\":{\"values\":[{\"stringValue\":\"stop\"}]}}");
    CHECK_JSON(at(doc, SPANS "/1/events/0/attributes"),
               "[{\"key\":\"surety.issue.keyword\",\"value\":{\"stringValue\":"
               "\"enum\"}},{\"key\":\"surety.issue.path\",\"value\":"
               "{\"stringValue\":\"/priority\"}}]");
    CHECK_JSON(at(doc, SPANS "/1/events/2"), "");
    CHECK_JSON(at(doc, SPANS "/2/events"), "");
    CHECK_JSON(at(doc, SPANS "/3"), "");
    CHECK(!surety_str_equal(surety_val_text(at(doc, SPANS "/1/spanId")),
                            surety_val_text(at(doc, SPANS "/2/spanId"))));
done:
    surety_doc_free(doc);
    surety_buf_done(&spans);
    surety_buf_done(&body);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"counts a request", counts_a_request},
        {"merges into what one would count", merges_into_what_one_would_count},
        {"bounds its series", bounds_its_series},
        {"writes a line of the log", writes_a_line_of_the_log},
        {"goes on with a trace", goes_on_with_a_trace},
        {"writes spans", writes_spans},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
