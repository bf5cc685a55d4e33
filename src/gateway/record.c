/* SPDX-License-Identifier: Apache-2.0 */
/* The record of a request that has ended: all that is said about it, in the
 * log, the metrics and the trace, is made of this. It has names, numbers and
 * places, and no text of a prompt, a reply or a secret.
 *
 * A name that a client made up becomes a label only when a provider took it for
 * a model: else strangers could fill the metrics. */
#include "gateway/gateway.h"

/* ORDER protocols: the path of a call. */
static const char *const recorded_calls[] = {
    "/v1/chat/completions", "/v1/responses", "/v1/messages",
    "/v1beta/models/{model}:generateContent"};

static const char *recorded_route(const surety__exchange *exchange)
{
    static const char *const own[] = {"/healthz", "/readyz", "/metrics"};
    const surety__route *route = &exchange->ask.route;

    for (size_t i = 0; i < SURETY__COUNT(own); i++)
        if (surety_str_equal(exchange->serving->path, surety_str_of(own[i])))
            return own[i];
    if (route->kind == ROUTE_OBJECT)
        return exchange->ask.object.passed->path.ptr;
    if (route->kind == ROUTE_MODELS)
        return "/v1/models";
    if (route->kind == ROUTE_EMBED)
        return "/v1/embeddings";
    if (route->kind == ROUTE_COUNT)
        return "/v1/messages/count_tokens";
    if (route->kind == ROUTE_NONE ||
        (size_t)route->protocol >= SURETY__COUNT(recorded_calls))
        return "(none)";
    return recorded_calls[route->protocol];
}

static const char *recorded_operation(const surety__route *route)
{
    if (route->kind == ROUTE_EMBED)
        return "embeddings";
    if (route->kind == ROUTE_OBJECT)
        return "object";
    return route->protocol == SURETY_PROTOCOL_GEMINI ? "generate_content"
                                                     : "chat";
}

/* ---- attempts ------------------------------------------------------------ */

/* The places of the errors in an attempt's report. */
static void recorded_failures(surety__exchange *exchange, surety_str report,
                              surety__attempt_record *out)
{
    const surety_read_options options = {.size = sizeof(options)};
    surety_doc *doc = surety_doc_new(exchange->arena.alloc);
    surety__failure_record *items;
    surety_val errors;
    size_t count;

    if (!doc)
        return;
    if (surety_doc_read(doc, report, &options, NULL))
        goto done;
    errors = surety_val_get(surety_doc_root(doc), "errors");
    count = surety_val_count(errors);
    items = count ? surety__arena_take(&exchange->arena, count * sizeof(*items))
                  : NULL;
    if (!items)
        goto done;
    SURETY_EACH (one, errors) {
        surety__failure_record *item = &items[out->failure_count++];

        item->keyword = surety__arena_text(
            &exchange->arena, surety_val_str(surety_val_get(one, "keyword")));
        item->path = surety__arena_text(
            &exchange->arena,
            surety_val_str(surety_val_get(one, "instanceLocation")));
    }
    out->failures = items;
done:
    surety_doc_free(doc);
}

/* Unix time of a time of the monotonic clock; 0 stays 0. */
static int64_t recorded_time(const surety__exchange *exchange, uint64_t ms)
{
    const int64_t offset =
        exchange->notes.started_ms - (int64_t)(exchange->started_us / 1000);

    return ms ? (int64_t)ms + offset : 0;
}

static void recorded_attempt(surety__exchange *exchange, size_t i,
                             surety__attempt_record *out)
{
    const surety_attempt attempt = surety_run_attempt(exchange->run, i);
    const surety_answer *answer = &attempt.answer;
    const bool is_estimate =
        !answer->usage.known &&
        (answer->usage.input_tokens || answer->usage.output_tokens);
    const bool is_known =
        surety__settings_model(exchange->ask.settings, attempt.model->name) !=
            SIZE_MAX ||
        (answer->http_status >= 200 && answer->http_status < 300);

    *out = (surety__attempt_record){
        .number = (uint32_t)i + 1,
        .purpose = attempt.purpose,
        .provider = attempt.model->provider,
        .model = is_known ? attempt.model->model : SURETY__LITERAL("(other)"),
        .started_ms = recorded_time(exchange, attempt.started_ms),
        .first_byte_ms = recorded_time(exchange, attempt.first_byte_ms),
        .ended_ms = recorded_time(exchange, attempt.ended_ms),
        .http_status = answer->http_status,
        .finish_reason = answer->finish_reason,
        .response_id = answer->response_id,
        .ok = attempt.ok || (!exchange->ask.kept && !answer->failure),
        .usage_known = answer->usage.known || is_estimate,
        .estimated = is_estimate,
        .input_tokens = answer->usage.input_tokens,
        .cached_input_tokens = answer->usage.cached_input_tokens,
        .output_tokens = answer->usage.output_tokens,
        .reasoning_tokens = answer->usage.reasoning_tokens,
        .cost_known = attempt.cost_known,
        .cost_picousd = attempt.cost_picousd};
    if (answer->failure)
        out->failure = surety_str_of(surety_failure_name(answer->failure));
    if (exchange->worker->telemetry.exporter && attempt.report.len &&
        !attempt.ok)
        recorded_failures(exchange, attempt.report, out);
}

/* ---- the request --------------------------------------------------------- */

static const char *recorded_denial(const surety__exchange *exchange)
{
    const surety__ticket *ticket = exchange->ticket;

    if (exchange->status == 401 && exchange->ask.has_own_keys)
        return surety_denial_name(SURETY_DENIAL_KEY);
    if (!ticket || !surety__admit_knows(exchange) || !ticket->grant.denial)
        return NULL;
    return surety_denial_name(ticket->grant.denial);
}

surety__request_record surety__record_of(surety__exchange *exchange, bool whole)
{
    const surety__ask *ask = &exchange->ask;
    const surety_run_info *info = surety_run_info_of(exchange->run);
    const surety_contract_info *contract =
        ask->has_named && ask->kept
            ? surety_contract_info_of(ask->kept->contract)
            : NULL;
    surety__request_record record = {
        .route = recorded_route(exchange),
        .operation = recorded_operation(&ask->route),
        .method = exchange->serving->method,
        .protocol = surety_protocol_name(ask->route.protocol),
        .run = info->id,
        .key = surety__admit_id(exchange),
        .tag = ask->account.tag,
        .unchecked = ask->account.unchecked,
        .model = ask->request.model,
        .has_contract = ask->kept != NULL,
        .is_stream = ask->request.stream,
        .is_whole = whole,
        .status = exchange->status,
        .denial = recorded_denial(exchange),
        .repairs =
            (uint32_t)surety_outcome_info_of(info->outcome)->repaired_count,
        .started_ms = exchange->notes.started_ms,
        .total_us = surety__serve_us() - exchange->started_us,
        .overhead_us = exchange->busy_us,
        .first_byte_us = exchange->notes.answered_us,
        .trace = &exchange->notes.trace};
    surety__attempt_record *attempts = NULL;

    if (contract) {
        record.contract = contract->name;
        record.contract_version = contract->version;
    }
    if (exchange->run)
        record.verdict = surety_run_verdict_name(info->verdict);
    if (info->attempt_count)
        attempts = surety__arena_take(&exchange->arena,
                                      info->attempt_count * sizeof(*attempts));
    for (size_t i = 0; attempts && i < info->attempt_count; i++)
        recorded_attempt(exchange, i, &attempts[i]);
    record.attempts = attempts;
    record.attempt_count = attempts ? info->attempt_count : 0;
    return record;
}
