/* SPDX-License-Identifier: Apache-2.0 */
/* send.c: calls of tools over transports. The tools of a kind that may
 * share a transport do; it is opened when the first of them is called. */
#include "tool/inside.h"

enum { SEND_SLACK = 4096 }; /* of a response, beside the result */

static void send_head(void *ctx, int status, const surety_header *headers,
                      size_t count)
{
    surety__tool_call *call = ctx;
    surety__tool_response *response = &call->response;

    response->status = status;
    for (size_t i = 0; i < count; i++)
        if (surety__str_equal_nocase(headers[i].name,
                                     SURETY__LITERAL("location"))) {
            response->location =
                surety__arena_text(&call->arena, headers[i].value);
            call->starved = call->starved || !response->location.ptr;
        }
}

static bool send_bytes(void *ctx, surety_str bytes)
{
    surety__tool_call *call = ctx;

    surety_buf_add(&call->output, bytes);
    call->starved = call->starved || call->output.status != SURETY_OK;
    return !call->starved;
}

static void send_end(void *ctx, const surety_delivery *delivery)
{
    surety__tool_call *call = ctx;

    call->delivery = *delivery;
    call->exchange_id = 0;
    if (call->ready)
        call->ready(call->ready_ctx);
}

surety_status surety__tool_wrap(surety_tools *tools, surety_transport *inner,
                                surety_transport **ret_transport,
                                surety_error *reterr)
{
    const surety_tools_options *options = &tools->options;
    surety_status status = SURETY_OK;

    *ret_transport = inner;
    if (options->wrap)
        status = options->wrap(options->wrap_ctx, inner, ret_transport, reterr);
    if (status == SURETY_OK)
        return SURETY_OK;
    inner->close(inner->ctx);
    *ret_transport = NULL;
    return status;
}

surety_status surety__tool_open(surety_tools *tools, const surety__tool *tool,
                                surety_error *reterr)
{
    surety_transport *inner = NULL;
    surety_status status;

    if (tool->link->transport)
        return SURETY_OK;
    status = tool->kind->open(tools, tool, &inner, reterr);
    return status == SURETY_OK
               ? surety__tool_wrap(tools, inner, &tool->link->transport, reterr)
               : status;
}

surety_status surety__tool_send(surety__tool_call *call, surety_error *reterr)
{
    const surety__tool *tool = call->tool;
    const uint32_t time_ms = tool->given.time_ms_max;
    const surety_receiver receiver = {
        .ctx = call, .head = send_head, .bytes = send_bytes, .end = send_end};
    surety_request request = {
        .size = sizeof(request),
        .timeouts = {.first_byte_ms = time_ms,
                     .idle_ms = time_ms,
                     .total_ms = time_ms},
        .response_bytes_max = tool->given.result_bytes_max + SEND_SLACK,
        .body_stays = true,
    };
    surety_status status = tool->kind->request(call->tools, tool, &call->seen,
                                               &call->arena, &request, reterr);

    if (status == SURETY_OK)
        status = surety__tool_open(call->tools, tool, reterr);
    if (status != SURETY_OK)
        return status;
    call->starved = false;
    call->response = (surety__tool_response){.status = 0};
    call->delivery = (surety_delivery){.failure = SURETY_FAILURE_NONE};
    call->exchange_id = ++call->tools->exchange_id;
    status = tool->link->transport->start(tool->link->transport->ctx,
                                          call->exchange_id, &request,
                                          &receiver, reterr);
    if (status != SURETY_OK)
        call->exchange_id = 0;
    return status == SURETY_SYNTAX ? SURETY_MISUSE : status;
}

void surety__tool_stop(surety__tool_call *call)
{
    const surety_transport *transport;

    if (!call->exchange_id)
        return;
    transport = call->tool->link->transport;
    transport->cancel(transport->ctx, call->exchange_id);
    assert(!call->exchange_id);
}

surety_tool_failure surety__tool_failure_of(const surety_delivery *delivery)
{
    switch (delivery->failure) {
    case SURETY_FAILURE_TIMEOUT: return SURETY_TOOL_TIMEOUT;
    case SURETY_FAILURE_LIMIT: return SURETY_TOOL_LIMIT;
    case SURETY_FAILURE_CANCELLED: return SURETY_TOOL_CANCELLED;
    case SURETY_FAILURE_COMMAND:
        return delivery->sent ? SURETY_TOOL_FAILED : SURETY_TOOL_UNREACHABLE;
    default:
        return delivery->sent ? SURETY_TOOL_BROKEN : SURETY_TOOL_UNREACHABLE;
    }
}
