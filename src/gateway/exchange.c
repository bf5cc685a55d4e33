/* SPDX-License-Identifier: Apache-2.0 */
/* One request, from its bytes to the answer's.
 *
 * A request is read and refused, or becomes a run. The worker steps the run;
 * when it has ended, the service's callback is called again and answers. A
 * stream with a contract is held, unless it is asked for live: nothing of its
 * content leaves before the whole value is valid. If that takes long, the head
 * goes out first, and comments show the client that the connection is alive.
 *
 * Live, the pieces of the value go out that can no longer change (run.h); with
 * the first certain no the stream ends with an error and is cut. A stream
 * without a contract is passed on piece by piece, and calls of tools when all
 * of them are valid. What was passed on cannot be taken back: where its reply
 * breaks off, the stream ends with an error. */
#include "gateway/gateway.h"

/* ---- the run ------------------------------------------------------------- */

/* The server has to look at the exchange. */
static void exchange_news(surety__exchange *exchange)
{
    exchange->worker->has_news = true;
    surety__serving_wake(exchange->serving);
}

static void exchange_hint(void *ctx)
{
    surety__exchange *exchange = ctx;

    exchange->is_ready = true;
}

/* Whether the reply whose text was passed on is complete: its calls were wrong,
 * and are asked for again. What it says stays, and what the next one says comes
 * only in place of calls (answer.c). */
static bool exchange_has_said(const surety__exchange *exchange)
{
    return exchange->ask.tools.set &&
           !surety_run_attempt(exchange->run, exchange->attempt - 1)
                .answer.failure;
}

/* Whether the reasoning of an attempt goes to the client in its provider's own
 * form, which the client has to send back. */
static bool exchange_is_own(const surety__exchange *exchange, uint32_t attempt)
{
    return surety_run_attempt(exchange->run, attempt - 1).model->protocol ==
           exchange->ask.route.protocol;
}

/* Whether an event of the reply is a piece for the client. Reasoning that has
 * to go back unchanged is one when its item is complete. */
static bool exchange_shown(const surety__exchange *exchange,
                           const surety_event *event)
{
    switch (event->kind) {
    case SURETY_EVENT_TEXT: return true;
    case SURETY_EVENT_REASONING:
        return !surety__speech_waits(&exchange->speech) ||
               !exchange_is_own(exchange, event->attempt);
    case SURETY_EVENT_REASONING_ITEM:
        return exchange_is_own(exchange, event->attempt);
    default: return false;
    }
}

/* Passes a piece on: of the value, where there is a contract, else of the
 * reply. A value goes on in the next attempt, a text cannot. */
static void exchange_event(void *ctx, const surety_event *event)
{
    surety__exchange *exchange = ctx;
    const bool is_value = exchange->ask.kept != NULL;
    surety__speech_part part = PART_TEXT;

    if (exchange->ask.passes) {
        surety__pass_event(exchange, event);
        exchange_news(exchange);
        return;
    }
    if (is_value ? event->kind != SURETY_EVENT_OUTPUT
                 : !exchange_shown(exchange, event))
        return;
    if (is_value)
        part = surety__answer_part(exchange);
    else if (event->kind == SURETY_EVENT_REASONING)
        part = PART_REASONING;
    if (!is_value && exchange->attempt && exchange->attempt != event->attempt) {
        exchange->is_cut = !exchange_has_said(exchange);
        return;
    }
    if (!exchange->attempt) {
        surety__answer_name(exchange);
        surety__speech_begin(&exchange->speech, &(surety_usage){0},
                             &exchange->out);
    }
    exchange->attempt = event->attempt;
    exchange_news(exchange);
    if (event->kind == SURETY_EVENT_REASONING_ITEM)
        surety__speech_raw(&exchange->speech, event->text, &exchange->out);
    else
        surety__speech_piece(&exchange->speech, part, event->text,
                             &exchange->out);
}

/* How the request's replies are judged. */
static void exchange_judging(surety__exchange *exchange,
                             surety_run_options *options)
{
    surety__ask *ask = &exchange->ask;

    options->contract = ask->kept->contract;
    exchange->judge = (surety_judge_options){.size = sizeof(exchange->judge)};
    if (ask->has_repair || !ask->has_named) {
        exchange->judge.repair = &ask->repair;
        exchange->judge.certain_only = true;
    }
    options->judge = &exchange->judge;
}

/* The tools that the model may call. */
static void exchange_choose(const surety__ask *ask, surety_run_options *options)
{
    static const surety_tool_choice choices[] = {
        /* ORDER choices */
        SURETY_TOOL_CHOICE_NONE, SURETY_TOOL_CHOICE_AUTO,
        SURETY_TOOL_CHOICE_REQUIRED, SURETY_TOOL_CHOICE_NAMED};

    options->tools = ask->tools.set;
    if (ask->tools.is_beside)
        return; /* the provider has the request, and its choice */
    options->tool_choice = choices[ask->request.choice];
    options->tool_choice_name = ask->request.tool;
    options->single_call = ask->tools.single;
}

/* How the answer is given out: whole, or in pieces as they come. SURETY_NOMEM.
 */
static surety_status exchange_giving(surety__exchange *exchange,
                                     surety_run_options *options)
{
    surety__ask *ask = &exchange->ask;
    const bool is_live = ask->giving.is_chosen
                             ? ask->giving.output != SURETY_RUN_OUTPUT_OFF
                             : ask->request.choice < CHOICE_REQUIRED;
    const bool is_text =
        !ask->kept &&
        (!ask->tools.set ||
         (is_live && ask->model.protocol != SURETY_PROTOCOL_TEXT));
    surety_status status = SURETY_OK;

    if (ask->kept && ask->giving.output) {
        status = ask->tools.set
                     ? SURETY_UNSUPPORTED
                     : surety_run_output_allows(ask->kept->contract,
                                                &exchange->judge, NULL);
        if (status && !ask->has_repair)
            ask->repair = SURETY_REPAIR_ALIGN;
        if (status)
            ask->giving.output = SURETY_RUN_OUTPUT_OFF;
        options->output = ask->giving.output;
    }
    if (is_text && ask->request.stream) {
        ask->giving.output = SURETY_RUN_OUTPUT_LIVE;
        options->broken_retries_max = SURETY_RUN_NONE;
    }
    if (!ask->giving.output)
        options->event = NULL;
    return status == SURETY_NOMEM ? status : SURETY_OK;
}

static surety_status exchange_run(surety__exchange *exchange,
                                  surety_error *reterr)
{
    surety__ask *ask = &exchange->ask;
    surety__worker *worker = exchange->worker;
    const surety_alloc *alloc = &worker->stock.alloc;
    surety_run_options options = {
        .size = sizeof(options),
        .allow = surety__guard_allow,
        .allow_ctx = exchange,
        .ledger = worker->ledger,
        .event = exchange_event,
        .event_ctx = exchange,
        .ready = exchange_hint,
        .ready_ctx = exchange,
        .key = surety__admit_id(exchange),
        .tag = ask->account.tag,
        .alloc = alloc,
    };
    surety_status status = surety__pass_headers(ask, exchange->serving);

    if (!status)
        options.models = surety__route_models(ask, &options.model_count);
    if (!options.models)
        return surety__fail_nomem(reterr);
    if (!surety__worker_random(worker, &options.seed, sizeof(options.seed)))
        options.seed = 0;
    surety_config_run(ask->settings->config, &options);
    surety__admit_bound(exchange, &options);
    options.ledger_optional =
        surety_config_info_of(ask->settings->config)->ledger_optional;
    if (!ask->passes)
        options.messages = surety_conversation_messages(ask->conversation,
                                                        &options.message_count);
    if (ask->kept)
        exchange_judging(exchange, &options);
    if (ask->tools.set)
        exchange_choose(ask, &options);
    if (ask->retries)
        options.retry_max = ask->retries;
    if (ask->passes)
        surety__pass_options(ask, exchange->serving, &options);
    else
        status = exchange_giving(exchange, &options);
    if (!status)
        status = surety_run_new(&options, &exchange->run, reterr);
    if (!status)
        status = surety__route_use(worker, ask);
    if (status) {
        surety_run_free(exchange->run);
        exchange->run = NULL;
        surety__route_leave(worker, ask);
    }
    return status;
}

uint64_t surety__exchange_step(surety__exchange *exchange, surety_now now)
{
    uint32_t delay_ms = 0;
    surety_error error;
    uint64_t start;
    size_t waiting;

    if (surety__admit_is_due(exchange))
        exchange_news(exchange);
    if (exchange->job)
        surety__ui_step(exchange);
    if (!exchange->run ||
        surety_run_info_of(exchange->run)->verdict != SURETY_RUN_PENDING)
        return UINT64_MAX;
    if (!exchange->is_ready && !atomic_load(&exchange->visit.is_called) &&
        now.monotonic_ms < exchange->step_ms)
        return exchange->step_ms;
    start = surety__serve_us();
    exchange->is_ready = false;
    atomic_store(&exchange->visit.is_called, false);
    waiting = surety__rows_open(exchange->worker);
    if (surety_run_step(exchange->run, now, &delay_ms, &error) != SURETY_MORE) {
        surety__admit_settle(exchange);
        exchange_news(exchange);
    }
    surety__rows_close(exchange, waiting);
    surety__guard_look(exchange);
    exchange->step_ms = now.monotonic_ms + delay_ms;
    exchange->busy_us += surety__serve_us() - start;
    return exchange->step_ms;
}

/* ---- beginning and ending ------------------------------------------------ */

/* Whether it is one of the requests that requests_max bounds. Those for the
 * page take no place of a model's, and an owner sees the page of a gateway that
 * is full. */
static bool exchange_counts(const surety__exchange *exchange)
{
    return !surety__ui_takes(exchange);
}

/* *ret_before: the requests that were under way before, if it counts; else 0.
 */
static surety__exchange *exchange_new(surety__worker *worker,
                                      surety__serving *serving,
                                      size_t *ret_before)
{
    const surety_alloc *alloc = &worker->stock.alloc;
    const surety_gateway_options *options = &worker->gateway->options;
    const surety__serve_times now = surety__serve_clock();
    surety__exchange *exchange = surety__new(alloc, sizeof(*exchange));

    if (!exchange)
        return NULL;
    exchange->worker = worker;
    exchange->serving = serving;
    exchange->started_us = now.monotonic_us;
    exchange->notes.started_ms = now.unix_ms;
    surety__telemetry_begin(exchange);
    surety__arena_init(&exchange->arena, alloc, 0);
    surety_buf_init(&exchange->out, alloc, 0);
    exchange->ask.arena = &exchange->arena;
    exchange->ask.settings = worker->settings;
    if (options->stream) {
        exchange->ask.giving.is_chosen = true;
        exchange->ask.giving.output =
            (surety_run_output)(options->stream - SURETY_GATEWAY_STREAM_HOLD);
    }
    exchange->ask.has_own_keys = worker->gateway->keeper != NULL;
    worker->settings->users++;
    exchange->ask.route = surety__route_of(
        serving->path,
        surety__serving_header(serving, "anthropic-version").ptr ||
            surety__serving_header(serving, "x-api-key").ptr,
        surety__serving_header(serving, "x-goog-api-key").ptr);
    if (exchange->ask.route.kind == ROUTE_NONE)
        surety__object_route(&exchange->ask, serving);
    exchange->next = worker->exchanges;
    if (exchange->next)
        exchange->next->before = exchange;
    worker->exchanges = exchange;
    *ret_before = exchange_counts(exchange)
                      ? atomic_fetch_add(&worker->gateway->requests, 1)
                      : 0;
    serving->own = exchange;
    return exchange;
}

static void exchange_free(surety__exchange *exchange)
{
    surety__worker *worker = exchange->worker;
    const surety_alloc *alloc = &worker->stock.alloc;

    surety__ui_leave(exchange);
    if (exchange->run) {
        surety_run_free(exchange->run);
        surety__route_leave(worker, &exchange->ask);
    }
    *(exchange->before ? &exchange->before->next : &worker->exchanges) =
        exchange->next;
    if (exchange->next)
        exchange->next->before = exchange->before;
    surety__ticket_leave(exchange->ticket);
    if (exchange->has_speech)
        surety__speech_done(&exchange->speech);
    surety__ask_done(&exchange->ask);
    surety_buf_done(&exchange->out);
    surety__arena_done(&exchange->arena);
    if (exchange_counts(exchange))
        atomic_fetch_sub(&worker->gateway->requests, 1);
    surety__free(alloc, exchange, sizeof(*exchange));
}

/* Why no request should be sent here; NULL: they can be. */
static const char *exchange_is_unready(const surety__exchange *exchange)
{
    const surety_gateway *gateway = exchange->worker->gateway;
    const surety_config *config = exchange->ask.settings->config;

    if (atomic_load(&gateway->is_leaving))
        return "leaving\n";
    if (atomic_load(&gateway->unwritten) &&
        !surety_config_info_of(config)->ledger_optional)
        return "the ledger cannot be written\n";
    return gateway->keeper && surety__keeper_is_lost(gateway->keeper)
               ? "the keys cannot be checked\n"
               : NULL;
}

/* Answers a probe, which needs no key. False: it is none. */
static bool exchange_probes(surety__exchange *exchange, surety__flow *ret_flow)
{
    const surety_str path = exchange->serving->path;
    const char *why = NULL;

    if (surety_str_equal(path, SURETY__LITERAL("/readyz")))
        why = exchange_is_unready(exchange);
    else if (!surety_str_equal(path, SURETY__LITERAL("/healthz")))
        return false;
    *ret_flow = surety__answer_plain(exchange, why ? 503 : 200, "text/plain",
                                     surety_str_of(why ? why : "ok\n"));
    return true;
}

/* Answers a request for the page without a key: its client is on this machine,
 * or is refused. False: it is none. */
static bool exchange_shows(surety__exchange *exchange, surety__flow *ret_flow)
{
    if (!surety__ui_takes(exchange) ||
        surety__ask_key(&exchange->ask, exchange->serving).len)
        return false;
    *ret_flow = surety__ui_request(exchange);
    return true;
}

/* Answers with the metrics, if the client may see them. */
static surety__flow exchange_metrics(surety__exchange *exchange)
{
    const surety__result refused = {
        .problem = {.status = 403,
                    .message = SURETY__LITERAL("only a key with the role admin "
                                               "may see the metrics")},
        .retry_after_ms = -1,
        .should_retry = 0};

    if (!surety__admit_is_admin(exchange))
        return surety__answer_problem(exchange, &refused);
    if (surety__telemetry_write(exchange->worker->gateway, &exchange->out))
        return FLOW_CUT;
    return surety__answer_plain(exchange, 200,
                                "text/plain; version=0.0.4; charset=utf-8",
                                surety_buf_str(&exchange->out));
}

/* Whether the header Allow has the method. */
static bool exchange_allows(const char *allow, surety_str method)
{
    surety_str rest = surety_str_of(allow ? allow : "");

    while (rest.len) {
        const size_t end = surety__str_find(rest, SURETY__LITERAL(", "));

        if (surety_str_equal(method, (surety_str){rest.ptr, end}))
            return true;
        surety__str_skip(&rest, end == rest.len ? end : end + 2);
    }
    return false;
}

/* Answers what needs no model: false: the request does. */
static bool exchange_answers(surety__exchange *exchange, surety__flow *ret_flow)
{
    const surety__serving *serving = exchange->serving;
    const surety__route_kind kind = exchange->ask.route.kind;
    const bool measures =
        surety_str_equal(serving->path, SURETY__LITERAL("/metrics"));
    const char *const allow = measures ? "GET" : surety__route_method(kind);
    surety__result result = {.retry_after_ms = -1, .should_retry = 0};

    if (surety__ui_takes(exchange)) {
        *ret_flow = surety__ui_request(exchange);
        return true;
    }
    if (!exchange_allows(allow, serving->method)) {
        result.problem.status = allow ? 405 : 404;
        result.problem.allow = allow;
        result.problem.message = SURETY__LITERAL(
            "this gateway has no such method and path: it takes calls of "
            "models, counts of tokens, embeddings, lists of models, and the "
            "paths that \"passed_paths\" names at a provider in surety.json "
            "(docs/gateway.md)");
    } else if (measures) {
        *ret_flow = exchange_metrics(exchange);
        return true;
    } else if (kind == ROUTE_MODELS) {
        *ret_flow = surety__answer_models(exchange);
        return true;
    } else if (!serving->is_oversized) {
        return false;
    } else {
        result.problem.status = 413;
    }
    *ret_flow = surety__answer_problem(exchange, &result);
    return true;
}

/* The answer to a request that is refused. */
static surety__flow exchange_refuse(surety__exchange *exchange,
                                    surety_status status,
                                    const surety__result *result)
{
    return status == SURETY_NOMEM ? FLOW_CUT
                                  : surety__answer_problem(exchange, result);
}

/* Reads the request. False: *ret_flow has the answer. */
static bool exchange_read(surety__exchange *exchange, surety__flow *ret_flow)
{
    const surety_alloc *alloc = &exchange->worker->stock.alloc;
    surety__ask *ask = &exchange->ask;
    surety__result result = {.retry_after_ms = -1, .should_retry = 0};
    surety_status status;

    if (exchange_answers(exchange, ret_flow))
        return false;
    status = surety__ask_read(ask, exchange->serving, alloc, &result.problem);
    if (!status && !surety__telemetry_pass(exchange))
        status = SURETY_NOMEM;
    if (status) {
        *ret_flow = exchange_refuse(exchange, status, &result);
        return false;
    }
    surety__speech_init(&exchange->speech, &ask->request, (surety_str){NULL, 0},
                        alloc);
    exchange->has_speech = true;
    return true;
}

/* Starts the run. False: *ret_flow has the answer. */
static bool exchange_start(surety__exchange *exchange, surety__flow *ret_flow)
{
    surety__result result = {.retry_after_ms = -1, .should_retry = 0};
    surety_error error;
    surety_status status = exchange_run(exchange, &error);

    if (!status)
        return true;
    if (status != SURETY_NOMEM)
        status = surety__ask_refuse(&exchange->ask, 400, (surety_str){NULL, 0},
                                    &error, &result.problem);
    *ret_flow = exchange_refuse(exchange, status, &result);
    return false;
}

/* Refuses a request beyond the most that may be under way. */
static bool exchange_fits(surety__exchange *exchange, size_t before,
                          surety__flow *ret_flow)
{
    surety__result result = {.retry_after_ms = 1000, .should_retry = 1};

    if (before < exchange->worker->gateway->options.requests_max)
        return true;
    result.problem.status = 503;
    result.problem.message = SURETY__LITERAL("too many requests are under way");
    *ret_flow = surety__answer_problem(exchange, &result);
    return false;
}

/* Takes a request as far as it gets: to the start of its run (true), to an
 * answer, or to the keeper, after whom it is called again. */
static bool exchange_begin(surety__exchange *exchange, surety__flow *ret_flow)
{
    if (!exchange->has_speech && (!surety__admit_key(exchange, ret_flow) ||
                                  !exchange_read(exchange, ret_flow)))
        return false;
    return surety__admit_use(exchange, ret_flow) &&
           exchange_start(exchange, ret_flow);
}

/* How long the head of a stream may wait; of other answers as long as it takes.
 */
static uint32_t exchange_head_ms(const surety__exchange *exchange)
{
    const uint64_t most_us = SURETY__GATEWAY_HEAD_MS * UINT64_C(1000);
    uint64_t waited_us;

    if (!exchange->ask.request.stream || surety__pass_copies(&exchange->ask))
        return SERVE_WAIT_LONG;
    waited_us = surety__serve_us() - exchange->started_us;
    return waited_us < most_us ? (uint32_t)((most_us - waited_us + 999) / 1000)
                               : 0;
}

/* ---- the service --------------------------------------------------------- */

surety__flow surety__exchange_request(void *ctx, surety__serving *serving,
                                      uint32_t *ret_wait_ms)
{
    surety__exchange *exchange = serving->own;
    surety__flow flow = FLOW_WAIT;
    surety_run_verdict verdict;
    uint64_t start;
    uint32_t head_ms;
    size_t before;

    if (!exchange) {
        exchange = exchange_new(ctx, serving, &before);
        if (!exchange)
            return FLOW_CUT;
        *ret_wait_ms = SERVE_WAIT_LONG;
        if (exchange_probes(exchange, &flow) ||
            exchange_shows(exchange, &flow) ||
            !exchange_fits(exchange, before, &flow))
            return flow;
    }
    if (exchange->job) {
        *ret_wait_ms = SERVE_WAIT_LONG;
        return surety__ui_answer(exchange);
    }
    if (!exchange->run) {
        start = surety__serve_us();
        *ret_wait_ms = SERVE_WAIT_LONG;
        if (!exchange_begin(exchange, &flow))
            return flow;
        exchange->busy_us += surety__serve_us() - start;
        surety__exchange_step(exchange, surety__worker_now());
    }
    head_ms = exchange_head_ms(exchange);
    *ret_wait_ms = head_ms;
    if (exchange->owed.waits) {
        *ret_wait_ms += !head_ms;
        return FLOW_WAIT; /* the flush comes first */
    }
    if (exchange->ask.passes && !surety__pass_is_held(exchange))
        return surety__pass_answer(exchange);
    verdict = surety_run_info_of(exchange->run)->verdict;
    if (!exchange->ask.request.stream)
        return verdict == SURETY_RUN_PENDING ? FLOW_WAIT
                                             : surety__answer_whole(exchange);
    if (verdict == SURETY_RUN_PENDING && !exchange->attempt && head_ms)
        return FLOW_WAIT;
    return surety__answer_stream(exchange);
}

surety__flow surety__exchange_pull(void *ctx, surety__serving *serving,
                                   surety__pull *pull)
{
    surety__exchange *exchange = serving->own;
    const uint64_t now_ms = surety__serve_us() / 1000;
    size_t len;

    (void)ctx;
    surety__answer_continue(exchange);
    len = exchange->out.len - exchange->out_start;
    if (exchange->owed.waits && exchange->ask.tools.is_beside &&
        surety_run_info_of(exchange->run)->verdict != SURETY_RUN_PENDING) {
        pull->wait_ms = SERVE_WAIT_LONG; /* the flush comes first */
        return FLOW_WAIT;
    }
    if (!len && exchange->is_over)
        return exchange->is_cut || exchange->out.status ? FLOW_CUT : FLOW_END;
    if (exchange->out.status)
        return FLOW_CUT;
    if (!len && surety__pass_copies(&exchange->ask)) {
        pull->wait_ms = SERVE_WAIT_LONG;
        return FLOW_WAIT;
    }
    if (!len && now_ms >= exchange->ping_ms) {
        surety__speech_ping(&exchange->speech, &exchange->out);
        len = exchange->out.len - exchange->out_start;
    }
    if (!len) {
        pull->wait_ms = (uint32_t)(exchange->ping_ms - now_ms);
        return FLOW_WAIT;
    }
    exchange->ping_ms = now_ms + SURETY__GATEWAY_PING_MS;
    pull->len = len < pull->size ? len : pull->size;
    memcpy(pull->room, exchange->out.ptr + exchange->out_start, pull->len);
    exchange->out_start += pull->len;
    if (exchange->out_start == exchange->out.len) {
        surety_buf_reset(&exchange->out);
        exchange->out_start = 0;
    }
    return FLOW_ON;
}

void surety__exchange_ended(void *ctx, surety__serving *serving, bool whole)
{
    surety__exchange *exchange = serving->own;

    (void)ctx;
    if (!exchange)
        return;
    serving->own = NULL;
    if (exchange->run)
        surety_run_cancel(exchange->run, surety__worker_now());
    surety__guard_look(exchange);
    surety__admit_settle(exchange);
    surety__telemetry_end(exchange, whole);
    exchange_free(exchange);
}
