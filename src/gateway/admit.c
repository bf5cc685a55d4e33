/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of the gateway's own: who may ask, and for how much.
 *
 * 1. The key is found before the request is read, so a stranger costs nothing.
 * 2. What the run may use is reserved before its first call, and the run is
 *    bounded by it: where a re-ask would exceed what was reserved, the run ends
 *    before the call.
 * 3. What it used is settled when the run has ended, whatever the client does.
 *
 * A reservation is an estimate: input is a third of the request's bytes, which
 * is what most tokenizers give at most for text, output is the most that the
 * request allows; both for each call that may be needed. A re-ask has its
 * errors beside. */
#include "gateway/gateway.h"

enum {
    ADMIT_BYTES_A_TOKEN = 3,
    ADMIT_ERRORS_TOKENS = 1000 /* of a re-ask: some 20 errors */
};

/* A refusal: every status has one place. */
static bool admit_refuse(surety__exchange *exchange,
                         const surety__result *result, surety__flow *ret_flow)
{
    *ret_flow = surety__answer_problem(exchange, result);
    return false;
}

static bool admit_refuse_key(surety__exchange *exchange, surety__flow *ret_flow)
{
    const surety__result result = {
        .problem = {.status = 401,
                    .message = SURETY__LITERAL(
                        "this gateway takes keys of its own, and yours is none "
                        "of them: ask its owner for one")},
        .retry_after_ms = -1,
        .should_retry = 0};

    return admit_refuse(exchange, &result, ret_flow);
}

/* The database of keys failed. */
static bool admit_fail(surety__exchange *exchange, surety__flow *ret_flow)
{
    const surety__result result = {
        .problem = {.status = 503,
                    .message = SURETY__LITERAL(
                        "the gateway's keys cannot be read at the moment")},
        .retry_after_ms = 1000,
        .should_retry = 1};

    return admit_refuse(exchange, &result, ret_flow);
}

bool surety__admit_is_due(const surety__exchange *exchange)
{
    return !exchange->run && surety__admit_knows(exchange);
}

bool surety__admit_knows(const surety__exchange *exchange)
{
    const surety__ticket *ticket = exchange->ticket;

    return ticket && atomic_load(&ticket->is_done);
}

surety_str surety__admit_id(const surety__exchange *exchange)
{
    const surety__ticket *ticket = exchange->ticket;

    return ticket &&
                   (ticket->task != TASK_FIND || surety__admit_knows(exchange))
               ? (surety_str){ticket->key, ticket->key_len}
               : (surety_str){NULL, 0};
}

bool surety__admit_is_admin(const surety__exchange *exchange)
{
    const surety__ticket *ticket = exchange->ticket;

    return !exchange->worker->gateway->keeper ||
           (surety__admit_knows(exchange) && ticket->is_admin);
}

/* Hands a task to the keeper, and waits. */
static bool admit_give(surety__exchange *exchange, surety__task task,
                       surety__flow *ret_flow)
{
    surety__ticket_give(exchange->ticket, task);
    *ret_flow = FLOW_WAIT;
    return false;
}

bool surety__admit_key(surety__exchange *exchange, surety__flow *ret_flow)
{
    surety__ticket *ticket = exchange->ticket;
    const surety_str key = surety__ask_key(&exchange->ask, exchange->serving);
    surety__keeper *keeper = exchange->worker->gateway->keeper;

    if (!keeper)
        return true;
    if (ticket && !surety__admit_knows(exchange)) {
        *ret_flow = FLOW_WAIT;
        return false;
    }
    if (ticket && ticket->status == SURETY_OK)
        return true;
    if (ticket && ticket->status != SURETY_END)
        return admit_fail(exchange, ret_flow);
    if (ticket || !key.len || key.len > SURETY__SECRET_MAX)
        return admit_refuse_key(exchange, ret_flow);
    ticket = surety__ticket_new(keeper, exchange->worker->server);
    if (!ticket) {
        *ret_flow = FLOW_CUT;
        return false;
    }
    memcpy(ticket->secret, key.ptr, key.len);
    ticket->secret_len = key.len;
    exchange->ticket = ticket;
    return admit_give(exchange, TASK_FIND, ret_flow);
}

/* ---- what it may use ----------------------------------------------------- */

/* The most output tokens of a call. */
static uint64_t admit_output(const surety__ask *ask)
{
    static const char *const names[] = {"max_tokens", "max_completion_tokens",
                                        "max_output_tokens", "maxOutputTokens"};
    const surety_val body = surety_doc_root(ask->doc);
    const surety_val places[] = {body, surety_val_get(body, "generationConfig"),
                                 surety_val_get(body, "generation_config")};
    uint64_t most = ask->model.output_tokens_max;

    for (size_t i = 0; i < SURETY__COUNT(places); i++)
        for (size_t j = 0; j < SURETY__COUNT(names); j++)
            most = surety_val_uint(surety_val_get(places[i], names[j]), most);
    if (!most)
        most = SURETY__GATEWAY_OUTPUT_TOKENS;
    return most > UINT32_MAX ? UINT32_MAX : most;
}

/* Calls that the request may need: one, and the re-asks. */
static uint32_t admit_calls(const surety__ask *ask)
{
    if (!ask->kept)
        return 1;
    if (!ask->retries)
        return 1 + surety_contract_info_of(ask->kept->contract)->retry_max;
    return 1 + (ask->retries == SURETY_RUN_NONE ? 0 : ask->retries);
}

/* What a call with that usage takes at most, whichever of the models it asks.
 * False: a model has no price. */
static bool admit_amount(const surety__ask *ask, const surety_usage *usage,
                         surety__amount *amount)
{
    bool is_priced = true;

    *amount = (surety__amount){usage->input_tokens + usage->output_tokens, 0};
    for (size_t i = 0; i <= ask->other_count; i++) {
        const surety_model *model = i ? &ask->others[i - 1] : &ask->model;
        const uint64_t cost = surety_price_cost(&model->price, usage);

        is_priced = is_priced && model->price.known;
        if (cost > amount->picousd)
            amount->picousd = cost;
    }
    if (!is_priced)
        amount->picousd = 0;
    return is_priced;
}

static void admit_demand(const surety__exchange *exchange,
                         surety__demand *demand)
{
    const surety__ask *ask = &exchange->ask;
    const size_t len = ask->request.model.len;
    surety_usage most = {
        .known = true,
        .input_tokens = exchange->serving->body.len / ADMIT_BYTES_A_TOKEN + 1,
        .output_tokens = admit_output(ask) * ask->request.answers};

    demand->calls = admit_calls(ask);
    demand->is_object = ask->route.kind == ROUTE_OBJECT;
    if (demand->is_object)
        return;
    demand->model_len =
        len < sizeof(demand->model) ? len : sizeof(demand->model);
    memcpy(demand->model, ask->request.model.ptr, demand->model_len);
    demand->is_priced = admit_amount(ask, &most, &demand->call);
    most.input_tokens += ADMIT_ERRORS_TOKENS;
    (void)admit_amount(ask, &most, &demand->reask);
}

/* What a denial means for the client. Waiting a minute helps against a limit a
 * minute, so clients send that again by themselves; a spent budget is not sent
 * again. */
static bool admit_deny(surety__exchange *exchange, surety__flow *ret_flow)
{
    const surety_grant *grant = &exchange->ticket->grant;
    surety__result result = {.retry_after_ms = -1, .should_retry = 0};

    result.problem.message = surety_str_of(grant->message);
    switch (grant->denial) {
    case SURETY_DENIAL_KEY: result.problem.status = 401; break;
    case SURETY_DENIAL_MODEL: result.problem.status = 403; break;
    case SURETY_DENIAL_MONTH:
    case SURETY_DENIAL_DAY:
        result.problem.status = 429;
        result.problem.code = SURETY__LITERAL("budget_exceeded");
        break;
    default:
        result.problem.status = 429;
        result.should_retry = grant->retry_after_ms > 0;
    }
    if (grant->retry_after_ms)
        result.retry_after_ms = (int64_t)grant->retry_after_ms;
    return admit_refuse(exchange, &result, ret_flow);
}

bool surety__admit_use(surety__exchange *exchange, surety__flow *ret_flow)
{
    surety__ticket *ticket = exchange->ticket;

    if (!ticket)
        return true;
    if (ticket->task == TASK_FIND) {
        admit_demand(exchange, &ticket->demand);
        return admit_give(exchange, TASK_RESERVE, ret_flow);
    }
    if (!surety__admit_knows(exchange)) {
        *ret_flow = FLOW_WAIT;
        return false;
    }
    if (ticket->status)
        return admit_fail(exchange, ret_flow);
    return !ticket->grant.denial || admit_deny(exchange, ret_flow);
}

void surety__admit_bound(const surety__exchange *exchange,
                         surety_run_options *options)
{
    const surety__ticket *ticket = exchange->ticket;
    surety_budget *budget = &options->budget;
    surety__amount most;

    if (!ticket || !ticket->grant.id[0])
        return;
    if (ticket->calls < ticket->demand.calls)
        budget->calls_max = 1;
    most = surety__demand_of(&ticket->demand, ticket->calls);
    if (!budget->tokens_max || most.tokens < budget->tokens_max)
        budget->tokens_max = most.tokens;
    if (most.picousd &&
        (!budget->cost_picousd_max || most.picousd < budget->cost_picousd_max))
        budget->cost_picousd_max = most.picousd;
}

void surety__admit_settle(surety__exchange *exchange)
{
    surety__ticket *ticket = exchange->ticket;
    const surety_run_info *info = surety_run_info_of(exchange->run);

    if (!ticket || !exchange->run || ticket->task != TASK_RESERVE ||
        !ticket->grant.id[0])
        return;
    ticket->used_tokens = info->usage.input_tokens + info->usage.output_tokens;
    ticket->used_picousd = info->cost_picousd;
    surety__ticket_give(ticket, TASK_SETTLE);
}
