/* SPDX-License-Identifier: Apache-2.0 */
/* wait.c: calls a tool and waits for its end, for callers that have no loop of
 * their own. */
#include "tool/tool.h"

enum {
    WAIT_CALL_MS = 50, /* the longest wait between two looks at *cancelled */
    WAIT_AGAIN_MS = 10 /* before a function that is not done is called again */
};

/* Waits until the call may go on. */
static surety_status wait_call(const surety__tool_call *call,
                               surety_error *reterr)
{
    const surety_transport *transport = surety__tool_call_transport(call);

    if (transport)
        return transport->wait(transport->ctx, WAIT_CALL_MS, reterr);
    surety__clock_sleep(WAIT_AGAIN_MS);
    return SURETY_OK;
}

/* Judges the arguments, until the validators are done. */
static surety_status wait_judge(surety_tools *tools, surety_str name,
                                surety_str arguments,
                                const volatile int *cancelled,
                                surety_error *reterr)
{
    const surety__tool *tool = surety__tools_find(tools, name);
    const surety_part asked = {.kind = SURETY_PART_CALL,
                               .name = name,
                               .id = {"", 0},
                               .text = arguments};
    surety_status status;

    for (;;) {
        status = surety__tool_call_judge(tools->own, tool, &asked,
                                         surety__clock_ms(), reterr);
        if (status != SURETY_MORE || (cancelled && *cancelled))
            return status;
        surety__clock_sleep(WAIT_AGAIN_MS);
    }
}

surety_status surety_tools_call(surety_tools *tools, surety_str name,
                                surety_str arguments,
                                const volatile int *cancelled,
                                const surety_tool_result **ret_result,
                                surety_error *reterr)
{
    surety_status status;

    if (!tools->own)
        tools->own = surety__tool_call_new(tools, NULL, NULL);
    if (!tools->own)
        return surety__fail_nomem(reterr);
    status = wait_judge(tools, name, arguments, cancelled, reterr);
    if (status == SURETY_OK && !surety__tool_call_has_ended(tools->own))
        status =
            surety__tool_call_begin(tools->own, surety__clock_ms(), reterr);
    while (status == SURETY_OK && !surety__tool_call_has_ended(tools->own)) {
        if (cancelled && *cancelled)
            surety__tool_call_cancel(tools->own);
        else
            status = wait_call(tools->own, reterr);
        if (status == SURETY_OK)
            status =
                surety__tool_call_step(tools->own, surety__clock_ms(), reterr);
        if (status == SURETY_MORE)
            status = SURETY_OK;
    }
    if (status < 0)
        return status;
    surety__tool_call_cancel(tools->own);
    *ret_result = surety__tool_call_result(tools->own);
    return SURETY_OK;
}
