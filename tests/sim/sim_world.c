/* SPDX-License-Identifier: Apache-2.0 */
/* What a seed makes: models of every protocol behind one transport that fails
 * in every way a transport can, what they say (sim_say.c), contracts, budgets,
 * a ledger that may fail or be slow, memory that may run out. Nothing here
 * looks at a clock or at chance but the seed's. */
#include "sim/chance.h"
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- chance and notes ---------------------------------------------------- */

uint64_t sim_random(struct sim *sim)
{
    return chance_word(&sim->random);
}

uint64_t sim_below(struct sim *sim, uint64_t count)
{
    return sim_random(sim) % count;
}

bool sim_one_in(struct sim *sim, unsigned count)
{
    return sim_below(sim, count) == 0;
}

void sim_note(struct sim *sim, const void *ptr, size_t len)
{
    sim->hash = chance_hash(sim->hash, ptr, len);
}

void sim_must(struct sim *sim, bool holds, const char *what)
{
    if (!holds && !sim->broken)
        sim->broken = what;
}

size_t sim_count(surety_str text, surety_str part)
{
    size_t count = 0;

    for (size_t i = 0; part.len && i + part.len <= text.len; i++)
        count += text.ptr[i] == part.ptr[0] &&
                 !memcmp(text.ptr + i, part.ptr, part.len);
    return count;
}

bool sim_holds_key(surety_str text)
{
    return sim_count(text, surety_str_of(SIM_KEY)) > 0;
}

/* ---- contracts ----------------------------------------------------------- */

#define SIM_SCHEMA                                                             \
    "\"type\":\"object\",\"required\":[\"n\",\"s\"],\"properties\":{"          \
    "\"n\":{\"type\":\"integer\",\"maximum\":10},"                             \
    "\"s\":{\"enum\":[\"a\",\"b\"]},\"o\":{\"type\":\"string\"}},"             \
    "\"additionalProperties\":false"

#define SIM_POLICY(text) ("{" SIM_SCHEMA ",\"x-surety\":{" text "}}")

#define SIM_ROWS_POLICY(text)                                                  \
    "{\"type\":\"object\",\"required\":[\"n\",\"rows\"],\"properties\":{"      \
    "\"n\":{\"type\":\"integer\",\"maximum\":10},\"rows\":{\"type\":"          \
    "\"array\",\"items\":{\"type\":\"object\",\"required\":[\"id\"],"          \
    "\"properties\":{\"id\":{\"type\":\"integer\"},\"d\":{\"default\":"        \
    "\"x\"}}}}},\"x-surety\":{" text "}}"

/* ORDER contracts */
static const char *const sim_contracts[SIM_CONTRACTS] = {
    "{" SIM_SCHEMA "}",
    SIM_POLICY("\"fallback\":{\"kind\":\"null\"}"),
    SIM_POLICY("\"retry\":{\"max\":0},\"fallback\":{\"kind\":\"value\","
               "\"value\":{\"n\":0,\"s\":\"${s}\"}}"),
    SIM_POLICY("\"retry\":{\"max\":4,\"feedback\":\"patch\"}"),
    SIM_POLICY("\"extract\":{\"from\":[\"native\",\"fence\"]},\"retry\":{"
               "\"feedback\":\"simple\"},\"fallback\":{\"kind\":\"text\","
               "\"value\":{\"o\":\"\"},\"field\":\"/o\"}"),
    SIM_POLICY("\"extract\":{\"from\":[\"whole\"]}"),
    "{\"type\":\"array\",\"items\":{\"type\":\"integer\"},\"x-surety\":{"
    "\"retry\":{\"max\":6}}}",
    SIM_POLICY(
        "\"partial\":true,\"extract\":{\"from\":[\"native\",\"whole\"]}"),
    SIM_POLICY(
        "\"repair\":\"align\",\"extract\":{\"from\":[\"native\",\"whole\"]}"),
    SIM_ROWS_POLICY("\"unknown\":\"strip\",\"retry\":{\"max\":5}"),
    SIM_ROWS_POLICY("\"partial\":true,\"fallback\":{\"kind\":\"value\","
                    "\"value\":{\"n\":0,\"rows\":[{\"id\":1}]}}"),
};

/* Where a contract has an array; NULL: nowhere. ORDER contracts */
static const char *const sim_arrays[SIM_CONTRACTS] = {
    NULL, NULL, NULL, NULL, NULL, NULL, "", NULL, NULL, "/rows", "/rows"};

bool sim_contracts_read(const surety_contract *contracts[SIM_CONTRACTS])
{
    for (size_t i = 0; i < SIM_CONTRACTS; i++) {
        surety_contract *contract = NULL;
        surety_error err;

        if (surety_contract_read(surety_str_of(sim_contracts[i]), NULL,
                                 &contract, &err)) {
            printf("# contract %zu: %s\n", i, err.message);
            return false;
        }
        contracts[i] = contract;
    }
    return true;
}

/* A body with a reply in it. */
static void sim_reply(struct sim *sim, surety_protocol protocol, bool tool,
                      bool in_text)
{
    struct sim_exchange *exchange = &sim->exchange;
    const char *text = sim_say(sim);
    const enum sim_ending ending =
        protocol != SURETY_PROTOCOL_TEXT && sim_one_in(sim, 5)
            ? (enum sim_ending)(1 + sim_below(sim, 3))
            : SIM_STOP;
    surety_doc *doc;

    exchange->status = 200;
    if (sim->tools.set && (sim->tools.for_ever || sim_one_in(sim, 2))) {
        exchange->whole = true;
        sim_ask(sim, protocol, in_text);
        return;
    }
    doc = surety_doc_new(NULL);
    if (!doc)
        abort();
    /* Two protocols carry arguments as JSON; a model's that is none comes as
     * text. */
    tool = tool && !sim_one_in(sim, 4) &&
           (protocol == SURETY_PROTOCOL_OPENAI ||
            protocol == SURETY_PROTOCOL_RESPONSES ||
            surety_doc_read(doc, surety_str_of(text), NULL, NULL) == SURETY_OK);
    surety_doc_free(doc);
    sim->said[sim->calls - 1] = (struct sim_said){text, tool};
    exchange->whole = ending == SIM_STOP;
    sim_answer(sim, protocol, text, ending, tool);
}

/* ---- how a call fails ---------------------------------------------------- */

static const struct {
    int status;
    const char *type, *code;
} sim_errors[] = {
    {400, "invalid_request_error", "bad"},
    {400, "invalid_request_error", "context_length_exceeded"},
    {400, "invalid_request_error", "unsupported_parameter"},
    {401, "authentication_error", "invalid_api_key"},
    {403, "permission_error", "no"},
    {404, "not_found_error", "model_not_found"},
    {408, "timeout", "timeout"},
    {409, "conflict_error", "conflict"},
    {413, "request_too_large", "large"},
    {422, "invalid_request_error", "schema"},
    {429, "rate_limit_error", "rate_limit_exceeded"},
    {429, "insufficient_quota", "insufficient_quota"},
    {500, "api_error", "oops"},
    {502, "bad_gateway", "x"},
    {503, "unavailable", "x"},
    {529, "overloaded_error", "overloaded"},
    {301, "moved", "x"},
    {200, "server_error", "error in a 200"},
};

static const struct {
    const char *text;
    int64_t ms; /* what it asks for; -1: nothing */
} sim_waits[] = {
    {"0", 0},      {"1", 1000},
    {"7", 7000},   {"59", 59000},
    {"60", 60000}, {"61", 61000},
    {"-1", -1},    {"soon", -1},
    {"1e9", -1},   {"999999999999", 60001},
    {"", -1},
};

static void sim_fail_status(struct sim *sim)
{
    struct sim_exchange *exchange = &sim->exchange;
    const size_t i = sim_below(sim, sizeof(sim_errors) / sizeof(sim_errors[0]));
    const size_t wait =
        sim_below(sim, 2 * sizeof(sim_waits) / sizeof(sim_waits[0]));

    exchange->status = sim_errors[i].status;
    if (wait < sizeof(sim_waits) / sizeof(sim_waits[0])) {
        (void)snprintf(exchange->retry_after, sizeof(exchange->retry_after),
                       "%s", sim_waits[wait].text);
        exchange->headers[1] =
            (surety_header){.name = surety_str_of("Retry-After"),
                            .value = surety_str_of(exchange->retry_after)};
        exchange->asked_ms = sim_waits[wait].ms;
        exchange->header_count = 2;
    }
    if (sim_one_in(sim, 8)) {
        exchange->headers[exchange->header_count++] = (surety_header){
            .name = surety_str_of("x-should-retry"),
            .value = surety_str_of(sim_one_in(sim, 2) ? "true" : "false")};
    }
    switch (sim_below(sim, 6)) {
    case 0: break;
    case 1: sim_add(exchange, "<html><h1>Bad gateway</h1></html>"); break;
    case 2: sim_add(exchange, "{\"error\":\"no\"}"); break;
    default:
        sim_add(exchange, "{\"type\":\"error\",\"error\":{\"type\":\"");
        sim_add(exchange, sim_errors[i].type);
        sim_add(exchange, "\",\"code\":\"");
        sim_add(exchange, sim_errors[i].code);
        sim_add(exchange,
                "\",\"message\":\"No \\u001b[31m to " SIM_KEY " here.\"}}");
    }
}

static bool sim_holds(const struct sim_exchange *exchange, const char *text)
{
    const size_t len = strlen(text);

    for (size_t i = 0; i + len <= exchange->body_len; i++)
        if (!memcmp(exchange->body + i, text, len))
            return true;
    return false;
}

/* Cuts it anywhere. It is whole all the same where only the end mark of a
 * stream is missing, or where nothing could mark an end. */
static void sim_cut(struct sim *sim, surety_protocol protocol)
{
    static const surety_failure ends[] = {
        SURETY_FAILURE_RESET, SURETY_FAILURE_TIMEOUT, SURETY_FAILURE_TRUNCATED,
        SURETY_FAILURE_NONE};
    struct sim_exchange *exchange = &sim->exchange;
    const size_t len = exchange->body_len;

    exchange->body_len = sim_below(sim, len + 1);
    exchange->failure = ends[sim_below(sim, 4)];
    if (exchange->body_len < len)
        exchange->whole =
            protocol == SURETY_PROTOCOL_TEXT
                ? exchange->failure == SURETY_FAILURE_NONE
                : sim_holds(exchange, "}\n\n") &&
                      sim_holds(exchange, "\"finish_reason\":\"stop\"}]}");
}

/* An answer that is cut, stalls, is garbled or is another's. */
static void sim_spoil(struct sim *sim, surety_protocol protocol)
{
    struct sim_exchange *exchange = &sim->exchange;

    switch (sim_below(sim, 4)) {
    case 0: sim_cut(sim, protocol); break;
    case 1:
        exchange->body_len = sim_below(sim, exchange->body_len + 1);
        exchange->endless = true;
        break;
    case 2:
        for (size_t i = 0; i < exchange->body_len; i++)
            if (sim_one_in(sim, 20))
                exchange->body[i] = (char)sim_random(sim);
        exchange->whole = true; /* for all anybody can know */
        break;
    default:
        exchange->body_len = 0;
        sim_add(exchange, "<!doctype html><p>Sign in to the network</p>");
        exchange->whole = protocol == SURETY_PROTOCOL_TEXT;
        break;
    }
}

static void sim_fail_below(struct sim *sim)
{
    static const struct {
        surety_failure failure;
        bool sent;
    } ends[] = {
        {SURETY_FAILURE_CONNECT, false}, {SURETY_FAILURE_TLS, false},
        {SURETY_FAILURE_TIMEOUT, false}, {SURETY_FAILURE_TIMEOUT, true},
        {SURETY_FAILURE_RESET, true},    {SURETY_FAILURE_RESET, false},
        {SURETY_FAILURE_COMMAND, true},  {SURETY_FAILURE_LIMIT, true},
    };
    const size_t i = sim_below(sim, sizeof(ends) / sizeof(ends[0]));

    sim->exchange.failure = ends[i].failure;
    sim->exchange.sent = ends[i].sent;
}

/* ---- the transport ------------------------------------------------------- */

static bool sim_wants_tool(surety_str body)
{
    return sim_count(body, surety_str_of("\"reply\"")) > 0;
}

/* What must hold before anything leaves. */
static void sim_check_start(struct sim *sim, const surety_request *request,
                            const surety_attempt *attempt)
{
    const surety_usage usage = surety_run_info_of(sim->run)->usage;
    const surety_ledger *ledger = sim->options.ledger;

    sim_must(sim, !sim->exchange.active, "one exchange at a time");
    sim_must(sim, sim->calls <= sim->budget.calls_max, "calls in the budget");
    sim_must(sim, sim->step_ms - sim->first_ms < sim->budget.ms_max,
             "time in the budget");
    sim_must(sim,
             usage.input_tokens + usage.output_tokens <= sim->budget.tokens_max,
             "tokens in the budget");
    if (sim->budget.cost_picousd_max &&
        surety_run_info_of(sim->run)->cost_known)
        sim_must(sim,
                 surety_run_info_of(sim->run)->cost_picousd <=
                     sim->budget.cost_picousd_max,
                 "money in the budget");
    if (surety_str_equal(attempt->purpose, surety_str_of("retry")))
        sim_must(sim, sim->step_ms >= sim->earliest_ms,
                 "Retry-After is waited for");
    sim_must(sim, !sim_holds_key(request->body), "no key in a body");
    sim_check_step(sim, request, attempt);
    if (!ledger)
        return;
    sim_must(sim, sim->attempt_rows == sim->calls, "a row for each call");
    if (sim->row_count)
        sim_must(sim,
                 sim->rows[sim->row_count - 1].begun ||
                     sim->options.ledger_optional,
                 "begun before it is sent");
    for (size_t i = 0; i + 1 < sim->row_count; i++)
        sim_must(sim, sim->rows[i].finished || !sim->rows[i].begun,
                 "finished before the next is sent");
}

static surety_status sim_start(void *ctx, uint64_t id,
                               const surety_request *request,
                               const surety_receiver *receiver,
                               surety_error *reterr)
{
    struct sim *sim = ctx;
    struct sim_exchange *exchange = &sim->exchange;
    const size_t count = surety_run_info_of(sim->run)->attempt_count;
    const surety_attempt attempt = surety_run_attempt(sim->run, count - 1);

    sim->calls++;
    sim_note(sim, request->body.ptr, request->body.len);
    sim_check_start(sim, request, &attempt);
    sim->earliest_ms = 0;
    if (sim_one_in(sim, 60)) {
        if (reterr) {
            memset(reterr, 0, sizeof(*reterr));
            reterr->status = SURETY_MISUSE;
            memcpy(reterr->message, "no", 3);
        }
        return SURETY_MISUSE;
    }
    *exchange = (struct sim_exchange){.active = true,
                                      .id = id,
                                      .receiver = *receiver,
                                      .sent = true,
                                      .asked_ms = -1,
                                      .header_count = 1};
    exchange->headers[0] =
        (surety_header){.name = surety_str_of("Content-Type"),
                        .value = surety_str_of("application/json")};
    switch (sim_below(sim, 8)) {
    case 0:
        /* A command has no status, and all that it says is the reply. */
        if (attempt.model->protocol == SURETY_PROTOCOL_TEXT)
            sim_fail_below(sim);
        else
            sim_fail_status(sim);
        break;
    case 1: sim_fail_below(sim); break;
    default:
        sim_reply(sim, attempt.model->protocol, sim_wants_tool(request->body),
                  attempt.mode == SURETY_MODE_PROMPT);
        if (sim_one_in(sim, 6)) {
            sim_spoil(sim, attempt.model->protocol);
            sim->said[sim->calls - 1].text = NULL;
        }
    }
    exchange->piece_len = 1 + sim_below(sim, sim_one_in(sim, 2) ? 8 : 4000);
    if (exchange->body_len / exchange->piece_len > SIM_PIECES)
        exchange->piece_len = exchange->body_len / SIM_PIECES + 1;
    exchange->gap_ms = sim_one_in(sim, 3) ? sim_below(sim, 3000) : 0;
    exchange->next_ms = sim->now_ms + sim_below(sim, 2000);
    if (sim_one_in(sim, 20)) { /* all of it at once, as a replay does */
        exchange->gap_ms = 0;
        exchange->next_ms = sim->now_ms;
        sim_deliver(sim);
        /* What is told within a step is told at the step's time. */
        if (sim->earliest_ms)
            sim->earliest_ms -= sim->now_ms - sim->step_ms;
    }
    return SURETY_OK;
}

static void sim_end(struct sim *sim, surety_failure failure)
{
    struct sim_exchange *exchange = &sim->exchange;
    surety_delivery delivery = {.failure = failure, .sent = exchange->sent};

    if (failure)
        memcpy(delivery.message, "it broke", 9);
    exchange->active = false;
    if (exchange->asked_ms > 0 && exchange->head_told)
        sim->earliest_ms = sim->now_ms + (uint64_t)exchange->asked_ms;
    exchange->receiver.end(exchange->receiver.ctx, &delivery);
}

static void sim_cancel(void *ctx, uint64_t id)
{
    struct sim *sim = ctx;

    if (!sim->exchange.active || sim->exchange.id != id)
        return;
    sim->exchange.whole = false;
    sim->exchange.cancelled = true;
    sim_end(sim, SURETY_FAILURE_CANCELLED);
}

static surety_status sim_wait(void *ctx, uint32_t timeout_ms,
                              surety_error *reterr)
{
    (void)ctx;
    (void)timeout_ms;
    (void)reterr;
    return SURETY_OK;
}

static void sim_close(void *ctx)
{
    (void)ctx;
}

static uint64_t sim_exchange_next_ms(const struct sim_exchange *exchange)
{
    if (!exchange->active ||
        (exchange->endless && exchange->told == exchange->body_len &&
         exchange->head_told))
        return UINT64_MAX;
    return exchange->next_ms;
}

uint64_t sim_next_ms(const struct sim *sim)
{
    const uint64_t model_ms = sim_exchange_next_ms(&sim->exchange);
    const uint64_t tools_ms = sim_tools_next_ms(sim);

    return model_ms < tools_ms ? model_ms : tools_ms;
}

void sim_deliver(struct sim *sim)
{
    struct sim_exchange *exchange = &sim->exchange;

    sim_tools_deliver(sim);
    while (sim_exchange_next_ms(exchange) <= sim->now_ms) {
        const size_t left = exchange->body_len - exchange->told;
        const size_t len =
            left < exchange->piece_len ? left : exchange->piece_len;

        exchange->next_ms += exchange->gap_ms;
        if (!exchange->head_told && exchange->status) {
            exchange->head_told = true;
            exchange->receiver.head(exchange->receiver.ctx, exchange->status,
                                    exchange->headers, exchange->header_count);
        } else if (len && !exchange->broken_off) {
            exchange->broken_off = !exchange->receiver.bytes(
                exchange->receiver.ctx,
                (surety_str){exchange->body + exchange->told, len});
            exchange->told += len;
        } else {
            sim_end(sim, exchange->broken_off ? SURETY_FAILURE_CANCELLED
                                              : exchange->failure);
        }
    }
}

/* ---- the ledger ---------------------------------------------------------- */

static surety_status sim_ledger_fail(struct sim *sim, surety_error *reterr)
{
    sim->ledger_failed = true;
    if (reterr) {
        memset(reterr, 0, sizeof(*reterr));
        reterr->status = SURETY_IO;
        memcpy(reterr->message, "disk full", 10);
    }
    return SURETY_IO;
}

struct sim_row *sim_row_of(struct sim *sim, surety_str id)
{
    for (size_t i = 0; id.len == 36 && i < sim->row_count; i++)
        if (!memcmp(sim->rows[i].id, id.ptr, 36))
            return &sim->rows[i];
    return NULL;
}

static surety_status sim_begin(void *ctx, const surety_entry *entry,
                               surety_error *reterr)
{
    struct sim *sim = ctx;
    struct sim_row *row = &sim->rows[sim->row_count];

    if (sim->row_count == SIM_ROWS)
        abort();
    sim_must(sim, entry->id.len == 36, "a row has a UUID");
    sim_must(sim, !sim_row_of(sim, entry->id), "ids differ");
    sim->row_count++;
    row->tool = surety_str_equal(entry->purpose, surety_str_of("tool"));
    sim->attempt_rows += !row->tool;
    sim_must(sim, entry->number == sim->attempt_rows, "numbers count up");
    memcpy(row->id, entry->id.ptr, 36);
    if (sim_one_in(sim, 10)) /* slow */
        sim->now_ms += sim_below(sim, 20);
    if (sim->ledger_fails && sim_one_in(sim, sim->ledger_fails)) {
        row->begin_failed = true;
        return sim_ledger_fail(sim, reterr);
    }
    row->begun = true;
    return SURETY_OK;
}

static surety_status sim_finish(void *ctx, const surety_entry *entry,
                                surety_error *reterr)
{
    struct sim *sim = ctx;
    struct sim_row *row = sim_row_of(sim, entry->id);

    sim_must(sim, row != NULL, "a row that was begun is finished");
    if (!row)
        return SURETY_MISUSE;
    sim_must(sim, row->tool || row == &sim->rows[sim->row_count - 1],
             "the row under way is finished");
    sim_must(sim, row->begun && !row->finished, "finished once");
    sim_must(sim, entry->state != SURETY_ENTRY_OPEN, "finished is not open");
    sim_must(sim, entry->decision.len > 0, "a row has a decision");
    sim_must(sim, entry->ended_ms >= entry->started_ms, "ends after its start");
    sim_must(sim,
             !sim_holds_key(entry->decision) &&
                 !sim_holds_key(entry->error_message),
             "no key in a row");
    if (entry->stopped.len) {
        sim_must(sim, entry->state == SURETY_ENTRY_DONE && entry->stopped_bytes,
                 "what was stopped is done, after some bytes");
        sim_must(sim,
                 entry->ok || entry->error_count > 0 ||
                     (sim->judge.validator_count && !entry->stage.len),
                 "what was stopped was stopped for something");
    }
    sim_note(sim, entry->decision.ptr, entry->decision.len);
    row->finished = true;
    row->state = entry->state;
    if (sim->ledger_fails && sim_one_in(sim, sim->ledger_fails)) {
        row->finish_failed = true;
        return sim_ledger_fail(sim, reterr);
    }
    return SURETY_OK;
}

/* ---- the world of a seed ------------------------------------------------- */

static void sim_hear(void *ctx, const surety_event *event)
{
    struct sim *sim = ctx;

    sim_note(sim, event->text.ptr, event->text.len);
    sim_must(sim, !sim_holds_key(event->text), "no key in an event");
    sim_tools_hear(sim, event);
    sim_items_hear(sim, event);
    if (sim->verbose && event->kind >= SURETY_EVENT_ATTEMPT &&
        event->kind != SURETY_EVENT_TEXT)
        printf("# %8llu ms  %u  %s%.*s\n", (unsigned long long)sim->now_ms,
               (unsigned)event->attempt,
               event->kind == SURETY_EVENT_ATTEMPT ? "> " : "< ",
               (int)event->text.len, event->text.ptr);
}

static void sim_make_models(struct sim *sim)
{
    static const char *const names[SIM_MODELS] = {"one", "two", "three"};
    static const char *const providers[] = {"openai", "", "ollama"};

    for (size_t i = 0; i < SIM_MODELS; i++) {
        const surety_protocol protocol = (surety_protocol)sim_below(sim, 5);

        sim->models[i] = (surety_model){
            .size = sizeof(surety_model),
            .name = surety_str_of(names[i]),
            .provider = surety_str_of(providers[sim_below(sim, 3)]),
            .model = surety_str_of(names[i]),
            .protocol = protocol,
            .base_url = surety_str_of(protocol == SURETY_PROTOCOL_TEXT
                                          ? "exec:cat"
                                          : "http://localhost/v1"),
            .key = surety_str_of(SIM_KEY),
            .mode = protocol != SURETY_PROTOCOL_TEXT && sim_one_in(sim, 3)
                        ? (surety_mode)sim_below(sim, 4)
                        : SURETY_MODE_AUTO,
            .whole = sim_one_in(sim, 2),
            .output_tokens_max = sim_one_in(sim, 2) ? 50 : 0,
            .price = {!sim_one_in(sim, 4), 1000000, 100000, 4000000},
            .retry_ambiguous = sim_one_in(sim, 2),
            .transport = &sim->transport,
        };
        /* One that takes tools beside structured output: of others no call is
         * made in the mode native. */
        if (protocol == SURETY_PROTOCOL_GEMINI &&
            (sim->models[i].mode == SURETY_MODE_NATIVE || sim_one_in(sim, 2)))
            sim->models[i].model = surety_str_of("gemini-3-pro");
    }
}

static void sim_make_budget(struct sim *sim)
{
    surety_budget *budget = &sim->options.budget;
    surety_backoff *backoff = &sim->options.backoff;
    bool priced = true;

    for (size_t i = 0; i < sim->options.model_count; i++)
        priced = priced && sim->models[i].price.known;
    if (sim_one_in(sim, 2))
        budget->calls_max = 1 + (uint32_t)sim_below(sim, 20);
    if (sim_one_in(sim, 4))
        budget->tokens_max = 1 + sim_below(sim, 3000);
    if (sim_one_in(sim, 3))
        budget->ms_max = 1 + sim_below(sim, 100000);
    if (priced && sim_one_in(sim, 4))
        budget->cost_picousd_max = 1 + sim_below(sim, 3000000000);
    if (sim_one_in(sim, 3))
        backoff->retries_max =
            sim_one_in(sim, 4) ? UINT32_MAX : 1 + (uint32_t)sim_below(sim, 6);
    if (sim_one_in(sim, 4))
        backoff->first_ms = 1 + (uint32_t)sim_below(sim, 5000);
    if (sim_one_in(sim, 4))
        backoff->most_ms = 1 + (uint32_t)sim_below(sim, 20000);
    if (sim_one_in(sim, 4))
        backoff->retry_after_max_ms = 1 + (uint32_t)sim_below(sim, 9000);
    sim->budget = *budget;
    sim->backoff = *backoff;
    if (!budget->calls_max)
        sim->budget.calls_max = 8 + (sim->tools.set ? sim->tools.steps_max : 0);
    if (!budget->tokens_max)
        sim->budget.tokens_max = 1000000;
    if (!budget->ms_max)
        sim->budget.ms_max = 1200000;
    if (!backoff->first_ms)
        sim->backoff.first_ms = 500;
    if (!backoff->most_ms)
        sim->backoff.most_ms = 8000;
    if (!backoff->retry_after_max_ms)
        sim->backoff.retry_after_max_ms = 60000;
}

static const surety_variable sim_variable = {{"s", 1}, {"a", 1}};

static void sim_make_judge(struct sim *sim)
{
    sim->judge = (surety_judge_options){.size = sizeof(sim->judge),
                                        .no_fallback = sim_one_in(sim, 2),
                                        .partial = sim_one_in(sim, 4),
                                        .variables = &sim_variable,
                                        .variables_count = 1};
    sim->options.judge = &sim->judge;
    sim->validator = (surety_validator){.validate = sim_validate, .ctx = sim};
    sim->judge.validators = &sim->validator;
    sim->judge.validator_count = sim_one_in(sim, 2);
}

void sim_make(struct sim *sim,
              const surety_contract *const contracts[SIM_CONTRACTS])
{
    surety_run_options *options = &sim->options;
    const size_t contract = sim_below(sim, SIM_CONTRACTS + 1);

    sim->hash = CHANCE_HASH;
    sim->now_ms = 1 + sim_below(sim, 1000000);
    sim->unix_ms = 1700000000000 + (int64_t)sim_below(sim, 1000000);
    sim->alloc = (surety_alloc){memory_resize, &sim->memory};
    sim->memory.fail_at = sim_one_in(sim, 8) ? 1 + sim_below(sim, 300) : 0;
    sim->transport = (surety_transport){
        1, sim, sim_start, sim_cancel, sim_wait, sim_close, NULL};
    sim->ledger = (surety_ledger){.version = 1,
                                  .ctx = sim,
                                  .raw = sim_one_in(sim, 2),
                                  .begin = sim_begin,
                                  .finish = sim_finish};
    sim->ledger_fails = sim_one_in(sim, 6) ? 4 : 0;
    sim->contract = contract < SIM_CONTRACTS ? contracts[contract] : NULL;
    sim_make_models(sim);
    *options = (surety_run_options){
        .size = sizeof(*options),
        .contract = sim->contract,
        .system = surety_str_of(sim_one_in(sim, 2) ? "Be brief." : ""),
        .prompt = surety_str_of("How many?"),
        .instruct_system = sim_one_in(sim, 3),
        .models = sim->models,
        .model_count = 1 + sim_below(sim, SIM_MODELS),
        .retry_max = sim_one_in(sim, 2)   ? 0
                     : sim_one_in(sim, 6) ? SURETY_RUN_NONE
                                          : (uint32_t)(1 + sim_below(sim, 5)),
        .has_feedback = sim_one_in(sim, 2),
        .feedback = (surety_feedback)sim_below(sim, 3),
        .ledger = sim_one_in(sim, 6) ? NULL : &sim->ledger,
        .ledger_optional = sim_one_in(sim, 3),
        .commit = sim_one_in(sim, 4),
        .limits = &sim_limits,
        .event = sim_hear,
        .event_ctx = sim,
        .seed = sim_random(sim) | 1,
        .alloc = &sim->alloc,
        .stop = (surety_stop)sim_below(sim, 3),
        .broken_retries_max =
            sim_one_in(sim, 3) ? (uint32_t)sim_below(sim, 4) - 1 : 0,
    };
    if (sim_one_in(sim, 3)) {
        sim->prompt_options = (surety_prompt_options){
            .size = sizeof(sim->prompt_options),
            .style = (surety_prompt_style)sim_below(sim, 4)};
        options->prompt_options = &sim->prompt_options;
    }
    if (sim_one_in(sim, 3))
        sim_make_judge(sim);
    if (sim_one_in(sim, 3))
        sim_tools_make(sim);
    if (sim->contract && sim_arrays[contract]) {
        sim->says_rows = *sim_arrays[contract] != 0;
        if (!sim_one_in(sim, 4))
            sim_items_make(sim, sim_arrays[contract]);
    }
    sim_make_budget(sim);
}
