/* SPDX-License-Identifier: Apache-2.0 */
/* How a request is refused while it is read: with the place of the mistake, and
 * what to do. */
#include "gateway/gateway.h"

surety_status surety__ask_refuse(surety__ask *ask, int status, surety_str param,
                                 const surety_error *error,
                                 surety__problem *ret_problem)
{
    surety_buf text;

    if (error->status == SURETY_NOMEM)
        return SURETY_NOMEM;
    surety_buf_init(&text, ask->arena->alloc, 0);
    surety_buf_text(&text, error->message);
    if (error->hint[0])
        surety__buf_printf(&text, ": %s", error->hint);
    *ret_problem =
        (surety__problem){.status = status,
                          .param = surety__arena_text(ask->arena, param),
                          .message = surety__arena_buf(ask->arena, &text)};
    return ret_problem->message.ptr ? SURETY_SYNTAX : SURETY_NOMEM;
}
