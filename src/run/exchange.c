/* SPDX-License-Identifier: Apache-2.0 */
/* Sends a call, and takes what arrives.
 *
 * Invariants:
 * 1. The receiver only feeds the decoder and the check, and takes notes: the
 *    transport calls it, where there is no clock and nothing may be decided.
 * 2. After surety__exchange_end, the transport does not call it any more. */
#include "run/run.h"

static void exchange_ready(const surety__run_exchange *exchange)
{
    surety__setup_ready(exchange->watch.forms->setup);
}

static bool exchange_passes(const surety__run_exchange *exchange)
{
    return exchange->watch.forms->setup->passes;
}

/* Whether the response, which is one of success, is of no interest here. */
static bool exchange_is_blind(const surety__run_exchange *exchange)
{
    return exchange->watch.forms->setup->raw.is_bytes &&
           exchange->passing.given;
}

/* Bytes of the response have arrived. */
static void exchange_begins(surety__run_exchange *exchange)
{
    if (!exchange->begun)
        exchange_ready(exchange);
    exchange->begun = true;
}

static void exchange_head(void *ctx, int status, const surety_header *headers,
                          size_t count)
{
    surety__run_exchange *exchange = ctx;

    exchange_begins(exchange);
    surety__decoder_head(exchange->decoder, status, headers, count);
    if (exchange_passes(exchange))
        surety__pass_head(exchange, status, headers, count);
}

static bool exchange_bytes(void *ctx, surety_str bytes)
{
    surety__run_exchange *exchange = ctx;

    const bool stops = exchange->watch.stops;
    bool goes_on;

    exchange_begins(exchange);
    goes_on = exchange_is_blind(exchange) ||
              surety__decoder_feed(exchange->decoder, bytes);
    if (exchange_passes(exchange)) {
        surety__pass_bytes(exchange, bytes);
        return exchange->watch.forms->store->status == SURETY_OK;
    }
    if (!exchange->ended)
        surety__show_reply(&exchange->show, &exchange->watch);
    if (exchange->watch.stops && !stops)
        exchange_ready(exchange);
    return goes_on;
}

static void exchange_ended(void *ctx, const surety_delivery *delivery)
{
    surety__run_exchange *exchange = ctx;

    exchange->ended = true;
    exchange->delivery = *delivery;
    exchange_ready(exchange);
}

static void exchange_piece(void *ctx, surety__piece piece, surety_str text)
{
    surety__run_exchange *exchange = ctx;

    exchange->received += piece == PIECE_ITEM ? 0 : text.len;
    if (exchange_passes(exchange))
        return;
    if (piece == PIECE_ITEM) {
        surety__setup_event(exchange->watch.forms->setup, exchange->attempt,
                            SURETY_EVENT_REASONING_ITEM, text);
        return;
    }
    for (size_t at = 0; at < text.len && !exchange->ended;) {
        surety_str part = {text.ptr + at, text.len - at};

        part.len = surety__show_cut(&exchange->show, part);
        surety__watch_feed(&exchange->watch, piece, part);
        surety__show_look(&exchange->show, &exchange->watch);
        at += part.len;
    }
    surety__setup_event(exchange->watch.forms->setup, exchange->attempt,
                        piece == PIECE_REASONING ? SURETY_EVENT_REASONING
                                                 : SURETY_EVENT_TEXT,
                        text);
}

/* The exchange's id: its address, which no other living exchange has. */
static uint64_t exchange_id(const surety__run_exchange *exchange)
{
    return (uint64_t)(uintptr_t)exchange;
}

/* The tools that a call offers, until the next request; NULL: out of memory. */
static const surety__tool_spec *exchange_tools(surety__run_store *store,
                                               const surety_model *model,
                                               const surety_tools *tools,
                                               size_t *ret_count)
{
    const size_t count = surety_tools_count(tools);
    surety__tool_spec *specs =
        surety__store_scratch(store, (count + 1) * sizeof(*specs));

    *ret_count = specs ? count : 0;
    for (size_t i = 0; i < *ret_count; i++) {
        const surety_tool_info *info = surety_tools_info(tools, i);
        const surety__tool *tool = surety__tools_find(tools, info->name);
        const surety_tool *given = &tool->given;

        specs[i] = (surety__tool_spec){
            .name = info->name,
            .description = info->description,
            .parameters = info->parameters,
            .strict = given->strict &&
                      surety__mode_accepts(store, model, tool->parameters)};
        if (given->raw_protocol == model->protocol &&
            specs[i].strict == given->strict)
            specs[i].raw = given->raw;
    }
    return specs;
}

surety_status surety__exchange_begin(surety__run_exchange *exchange,
                                     const surety__plan *plan,
                                     const surety__turns *turns,
                                     const surety__position *at,
                                     const surety__stake *stake,
                                     surety_error *reterr)
{
    const surety_model *model = exchange->model;
    const surety_transport *transport = model->transport;
    const surety_run_options *options = &exchange->watch.forms->setup->options;
    const surety_tools *tools = options->tools;
    surety__run_store *store = exchange->watch.forms->store;
    surety__call call = {
        .model = model,
        .mode = plan->mode,
        .system = plan->system,
        .system_part = plan->system_part,
        .messages = turns->sent,
        .message_count = turns->sent_count,
        .schema = plan->schema,
        .schema_name = plan->name,
        .schema_description = plan->description,
        .strict = plan->strict != NULL,
        .answer_only = plan->answer_only,
        .choice = options->tool_choice,
        .choice_name = options->tool_choice_name,
        .single = options->single_call,
        .raw = exchange_passes(exchange) ? &exchange->watch.forms->setup->raw
                                         : NULL,
    };
    const surety__listener listener = {exchange, exchange_piece};
    const surety_receiver receiver = {exchange, exchange_head, exchange_bytes,
                                      exchange_ended};
    surety_request request;
    surety_status status;

    exchange->received = 0;
    surety__arena_reset(&store->scratch);
    if (tools && plan->mode != SURETY_MODE_PROMPT)
        call.tools = exchange_tools(store, model, tools, &call.tool_count);
    status = surety__call_encode(&call, &store->scratch, &exchange->body,
                                 &request, reterr);
    if (status == SURETY_OK) {
        exchange->begun = exchange->ended = false;
        exchange->passing.head.status = 0;
        surety__watch_begin(&exchange->watch, plan, at, stake);
        surety__show_begin(&exchange->show, exchange->attempt, plan,
                           &exchange->watch);
        surety__decoder_begin(exchange->decoder, &call, &listener);
        status = transport->start(transport->ctx, exchange_id(exchange),
                                  &request, &receiver, reterr);
    }
    return surety__store_pass(store, status);
}

void surety__exchange_end(surety__run_exchange *exchange)
{
    const surety_transport *transport = exchange->model->transport;

    if (exchange->ended)
        return;
    transport->cancel(transport->ctx, exchange_id(exchange));
    if (exchange->ended)
        return;
    /* The transport does not know the exchange and will report no end. */
    exchange->ended = true;
    exchange->delivery = (surety_delivery){
        .failure = SURETY_FAILURE_CANCELLED,
        .sent = true,
        .message = "the transport does not know the exchange"};
}
