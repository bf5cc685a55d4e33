/* SPDX-License-Identifier: Apache-2.0 */
/* call.c: the life of one call of a tool: judged, under way, ended.
 *
 * Invariants:
 * 1. Every call ends with a result: a text for the model, valid UTF-8, of at
 *    most the tool's bytes, within the tool's time. Only the lack of memory and
 *    a validator that failed are failures of the functions here.
 * 2. The tool gets arguments that satisfy its parameters, as they are after
 *    repairs.
 * 3. A program's function that has returned MORE is called until it is done, or
 *    gets one notice that it will not be called again. */
#include "tool/inside.h"

enum {
    CALL_QUOTED_MAX = 64,
    CALL_MESSAGE_MAX = 200, /* of what a tool reports, for people */
    CALL_GRACE_MS = 500     /* for the transport, which ends a late exchange */
};

/* Ends the exchange or the call of the program's function. */
static void tool_abandon(surety__tool_call *call)
{
    const surety_tool *given = call->tool ? &call->tool->given : NULL;

    if (call->waits && given->cancel)
        given->cancel(given->ctx, &call->seen);
    call->waits = false;
    surety__tool_stop(call);
}

surety__tool_call *surety__tool_call_new(surety_tools *tools,
                                         void (*ready)(void *ctx),
                                         void *ready_ctx)
{
    surety__tool_call *call = surety__new(tools->alloc, sizeof(*call));

    if (!call)
        return NULL;
    call->tools = tools;
    call->ready = ready;
    call->ready_ctx = ready_ctx;
    surety__arena_init(&call->arena, tools->alloc, 0);
    surety_buf_init(&call->output, tools->alloc, 0);
    call->arguments = surety_doc_new(tools->alloc);
    if (call->arguments)
        return call;
    surety__tool_call_free(call);
    return NULL;
}

void surety__tool_call_free(surety__tool_call *call)
{
    if (!call)
        return;
    tool_abandon(call);
    surety_doc_free(call->arguments);
    surety_buf_done(&call->output);
    surety__arena_done(&call->arena);
    surety__free(call->tools->alloc, call, sizeof(*call));
}

/* ---- ends ---------------------------------------------------------------- */

/* Ends the call without a result. text is for the model; the buffers are
 * released. */
static surety_status tool_end(surety__tool_call *call,
                              surety_tool_failure failure, surety_buf *message,
                              surety_buf *text)
{
    tool_abandon(call);
    call->state = CALL_ENDED;
    call->result.failure = failure;
    call->result.message = surety__arena_buf(&call->arena, message);
    call->result.text = surety__arena_buf(&call->arena, text);
    return call->result.message.ptr && call->result.text.ptr ? SURETY_OK
                                                             : SURETY_NOMEM;
}

/* Ends the call with one sentence for both, which says what failed. */
static surety_status tool_fail(surety__tool_call *call,
                               surety_tool_failure failure, const char *format,
                               ...) __attribute__((format(printf, 3, 4)));
static surety_status tool_fail(surety__tool_call *call,
                               surety_tool_failure failure, const char *format,
                               ...)
{
    surety_error error;
    surety_buf message;
    surety_buf text;
    va_list args;

    va_start(args, format);
    (void)surety__failv(&error, SURETY_IO, format, args);
    va_end(args);
    surety_buf_init(&message, call->tools->alloc, 0);
    surety_buf_init(&text, call->tools->alloc, 0);
    surety_buf_text(&message, error.message);
    surety__buf_printf(&text, "The tool failed: %s.", error.message);
    return tool_end(call, failure, &message, &text);
}

/* Passes the status of a step on. A step that failed ends the call. */
static surety_status tool_outcome(surety__tool_call *call, surety_status status,
                                  surety_error *reterr)
{
    if (status >= 0)
        return status;
    tool_abandon(call);
    call->state = CALL_ENDED;
    call->result.failure = SURETY_TOOL_BROKEN;
    return status == SURETY_NOMEM ? surety__fail_nomem(reterr) : status;
}

/* ---- arguments ----------------------------------------------------------- */

/* Ends the call of a tool that does not exist, with the names of those that
 * do. */
static surety_status tool_unknown(surety__tool_call *call, surety_str name)
{
    const surety_tools *tools = call->tools;
    surety_buf message;
    surety_buf text;

    surety_buf_init(&message, tools->alloc, 0);
    surety_buf_init(&text, tools->alloc, 0);
    surety_buf_text(&message, "there is no tool called \"");
    surety__buf_quoted(&message, name, CALL_QUOTED_MAX);
    surety_buf_byte(&message, '"');
    surety_buf_text(&text, "There is no tool called \"");
    surety__buf_quoted(&text, name, CALL_QUOTED_MAX);
    surety_buf_text(&text, "\". The tools are: ");
    for (size_t i = 0; i < tools->tool_count; i++) {
        surety_buf_text(&text, i ? ", " : "");
        surety_buf_add(&text, tools->tools[i]->info.name);
    }
    surety_buf_byte(&text, '.');
    return tool_end(call, SURETY_TOOL_UNKNOWN, &message, &text);
}

/* Ends a call whose text breaks a contract: its arguments or its result. */
static surety_status tool_refuse(surety__tool_call *call,
                                 surety_tool_failure failure, const char *said,
                                 const char *advice,
                                 const surety_outcome *outcome)
{
    const surety_issue first = surety_outcome_error(outcome, 0);
    surety_buf message;
    surety_buf text;

    surety_buf_init(&message, call->tools->alloc, 0);
    surety_buf_init(&text, call->tools->alloc, 0);
    surety_buf_text(&message, said);
    surety_buf_text(&message, ": ");
    if (first.instance_location.len) {
        surety_buf_add(&message, first.instance_location);
        surety_buf_text(&message, ": ");
    }
    surety_buf_add(&message, first.message);
    surety_buf_text(&text, advice);
    surety__tool_issues(outcome, &text);
    return tool_end(call, failure, &message, &text);
}

/* Copies the arguments that were found valid, for the time of the call. */
static surety_status tool_take(surety__tool_call *call, surety_val value)
{
    surety_buf text;
    surety_status status;

    surety_build_begin(call->arguments, NULL);
    surety_build_val(call->arguments, value);
    status = surety_build_end(call->arguments, NULL);
    surety_buf_init(&text, call->tools->alloc, 0);
    if (status == SURETY_OK)
        status = surety_val_write(value, SURETY_STYLE_COMPACT, &text);
    if (status == SURETY_OK)
        call->result.arguments = surety__arena_buf(&call->arena, &text);
    surety_buf_done(&text);
    if (status != SURETY_OK || !call->result.arguments.ptr)
        return SURETY_NOMEM;
    call->seen.arguments = surety_doc_root(call->arguments);
    call->seen.text = call->result.arguments;
    call->state =
        surety__tool_is_declared(call->tool) ? CALL_ENDED : CALL_JUDGED;
    return SURETY_OK;
}

/* Keeps the report of a declared tool's arguments. */
static surety_status tool_report_arguments(surety__tool_call *call,
                                           const surety_outcome *outcome)
{
    surety_buf report;
    surety_status status;

    if (!surety__tool_is_declared(call->tool))
        return SURETY_OK;
    surety_buf_init(&report, call->tools->alloc, 0);
    status = surety_outcome_write(outcome, SURETY_REPORT_JSON,
                                  SURETY__LITERAL(""), 0, &report);
    if (status == SURETY_OK)
        call->report = surety__arena_buf(&call->arena, &report);
    surety_buf_done(&report);
    return status == SURETY_OK && call->report.ptr ? SURETY_OK : SURETY_NOMEM;
}

static surety_status tool_arguments(surety__tool_call *call,
                                    surety_error *reterr)
{
    const surety_outcome *outcome;
    const surety_outcome_info *info;
    surety_error error;
    surety_status status = surety__tool_judge(
        call->tools, call->tool->parameters, &call->tool->given,
        call->result.arguments, &outcome, &error);

    if (call->tool->validator && status != SURETY_MORE)
        surety__command_forget(call->tool->validator);
    if (status == SURETY_LIMIT)
        return tool_fail(call, SURETY_TOOL_ARGUMENTS, "%s", error.message);
    if (status != SURETY_OK) {
        if (reterr)
            *reterr = error;
        return status;
    }
    if (tool_report_arguments(call, outcome) != SURETY_OK)
        return SURETY_NOMEM;
    info = surety_outcome_info_of(outcome);
    if (info->ok)
        return tool_take(call, info->value);
    return tool_refuse(
        call, SURETY_TOOL_ARGUMENTS, "the arguments are not valid",
        "The arguments are not valid, so the tool was not called. Call it "
        "again with arguments that satisfy its parameters:",
        outcome);
}

/* Bounds the time of a validator; a command has bounds of its own. */
static surety_status tool_await(surety__tool_call *call, uint64_t now_ms)
{
    const uint32_t time_ms = call->tool->given.time_ms_max;

    if (!call->asks)
        call->deadline_ms = now_ms + time_ms;
    call->asks = true;
    if (call->tool->validator || now_ms < call->deadline_ms)
        return SURETY_MORE;
    return tool_fail(call, SURETY_TOOL_TIMEOUT,
                     "a validator of its arguments was not done after %u ms",
                     time_ms);
}

surety_status surety__tool_call_judge(surety__tool_call *call,
                                      const surety__tool *tool,
                                      const surety_part *asked, uint64_t now_ms,
                                      surety_error *reterr)
{
    const surety_str none = SURETY__LITERAL("{}");
    surety_status status;

    assert(call->state != CALL_UNDER_WAY);
    surety__arena_reset(&call->arena);
    surety_buf_done(&call->output);
    surety_buf_init(&call->output, call->tools->alloc,
                    tool && !tool->kind ? tool->given.result_bytes_max : 0);
    call->asks = call->asks && call->state == CALL_NEW;
    call->state = CALL_NEW;
    call->report = (surety_str){"", 0};
    call->tool = tool;
    call->seen = (surety_tool_call){
        .tool = surety__arena_text(&call->arena, asked->name),
        .id = surety__arena_text(&call->arena, asked->id),
    };
    call->result = (surety_tool_result){
        .arguments = surety__arena_text(
            &call->arena,
            surety__str_trim(asked->text).len ? asked->text : none)};
    if (!call->seen.tool.ptr || !call->seen.id.ptr ||
        !call->result.arguments.ptr)
        return surety__fail_nomem(reterr);
    status =
        tool ? tool_arguments(call, reterr) : tool_unknown(call, asked->name);
    if (status == SURETY_MORE)
        status = tool_await(call, now_ms);
    call->asks = status == SURETY_MORE;
    return tool_outcome(call, status, reterr);
}

/* ---- results ------------------------------------------------------------- */

/* Judges the result by the tool's contract. */
static surety_status tool_check(surety__tool_call *call, surety_str output,
                                surety_error *reterr)
{
    const surety_outcome *outcome;
    const surety_outcome_info *info;
    surety_error error;
    surety_buf text;
    const surety_status status = surety__tool_judge(
        call->tools, call->tool->result, NULL, output, &outcome, &error);

    if (status == SURETY_LIMIT)
        return tool_fail(call, SURETY_TOOL_LIMIT, "%s", error.message);
    if (status != SURETY_OK) {
        if (reterr)
            *reterr = error;
        return status;
    }
    info = surety_outcome_info_of(outcome);
    if (!info->ok)
        return tool_refuse(
            call, SURETY_TOOL_RESULT, "the result is not valid",
            "The tool failed: its result is not what it has to be:", outcome);
    surety_buf_init(&text, call->tools->alloc, 0);
    (void)surety_val_write(info->value, SURETY_STYLE_COMPACT, &text);
    call->result.text = surety__arena_buf(&call->arena, &text);
    call->result.checked = true;
    call->state = CALL_ENDED;
    return call->result.text.ptr ? SURETY_OK : SURETY_NOMEM;
}

/* Ends a call whose tool has given all its output. */
static surety_status tool_give(surety__tool_call *call, surety_str output,
                               surety_error *reterr)
{
    const size_t max = call->tool->given.result_bytes_max;
    size_t offset = 0;

    if (output.len > max)
        return tool_fail(call, SURETY_TOOL_LIMIT,
                         "its result is longer than %zu bytes", max);
    if (!surety__utf8_valid(output, &offset))
        return tool_fail(call, SURETY_TOOL_RESULT,
                         "its result is not UTF-8 at byte %zu", offset);
    if (call->tool->result)
        return tool_check(call, output, reterr);
    call->result.text = output;
    call->state = CALL_ENDED;
    return SURETY_OK;
}

/* ---- the program's function ---------------------------------------------- */

static surety_status tool_function(surety__tool_call *call, uint64_t now_ms,
                                   surety_error *reterr)
{
    const surety_tool *given = &call->tool->given;
    surety_error error = {.status = SURETY_OK};
    const surety_status status =
        given->call(given->ctx, &call->seen, &call->output, &error);

    call->waits = status == SURETY_MORE;
    if (status == SURETY_NOMEM || call->output.status == SURETY_NOMEM)
        return SURETY_NOMEM;
    if (call->output.status != SURETY_OK)
        return tool_fail(call, SURETY_TOOL_LIMIT,
                         "its result is longer than %zu bytes",
                         given->result_bytes_max);
    if (status == SURETY_OK)
        return tool_give(call, surety_buf_str(&call->output), reterr);
    if (status != SURETY_MORE)
        return tool_fail(call, SURETY_TOOL_FAILED, "%s",
                         error.message[0] ? error.message
                                          : surety_status_name(status));
    if (now_ms >= call->deadline_ms)
        return tool_fail(call, SURETY_TOOL_TIMEOUT,
                         "it was not done after %u ms", given->time_ms_max);
    return SURETY_MORE;
}

/* ---- exchanges ----------------------------------------------------------- */

/* Ends a call whose tool reports that it failed, with its text. */
static surety_status tool_report(surety__tool_call *call, surety_str output)
{
    surety_buf message;
    surety_buf text;

    surety_buf_init(&message, call->tools->alloc, 0);
    surety_buf_init(&text, call->tools->alloc, 0);
    surety__buf_line(&message, output, CALL_MESSAGE_MAX);
    surety_buf_text(&text, "The tool failed: ");
    surety_buf_add(&text, output);
    return tool_end(call, SURETY_TOOL_FAILED, &message, &text);
}

/* Whether the response is a redirect, which the transport does not follow. */
static bool tool_redirects(const surety__tool_call *call)
{
    return call->tool->kind == &surety__tool_http &&
           call->delivery.failure == SURETY_FAILURE_PROTOCOL &&
           call->response.status / 100 == 3;
}

/* Ends a call whose exchange has ended. */
static surety_status tool_receive(surety__tool_call *call, surety_error *reterr)
{
    const surety_delivery *delivery = &call->delivery;
    surety__tool_reply reply;
    surety_error error;
    surety_status status;

    if (call->starved)
        return SURETY_NOMEM;
    call->result.sent = delivery->sent;
    if (delivery->failure == SURETY_FAILURE_LIMIT)
        return tool_fail(call, SURETY_TOOL_LIMIT,
                         "its result is longer than %zu bytes",
                         call->tool->given.result_bytes_max);
    if (delivery->failure != SURETY_FAILURE_NONE && !tool_redirects(call))
        return tool_fail(call, surety__tool_failure_of(delivery), "%s",
                         delivery->message);
    call->response.body = surety_buf_str(&call->output);
    status =
        call->tool->kind->read(&call->response, &call->arena, &reply, &error);
    if (status == SURETY_NOMEM)
        return status;
    if (status != SURETY_OK)
        return tool_fail(call, SURETY_TOOL_BROKEN, "%s", error.message);
    if (reply.failed && surety__utf8_valid(reply.text, NULL))
        return tool_report(call, reply.text);
    return tool_give(call, reply.text, reterr);
}

static surety_status tool_exchange(surety__tool_call *call, uint64_t now_ms,
                                   surety_error *reterr)
{
    if (!call->exchange_id)
        return tool_receive(call, reterr);
    if (now_ms < call->deadline_ms)
        return SURETY_MORE;
    return tool_fail(call, SURETY_TOOL_TIMEOUT, "it was not done after %u ms",
                     call->tool->given.time_ms_max);
}

static surety_status tool_send(surety__tool_call *call)
{
    surety_error error;
    const surety_status status = surety__tool_send(call, &error);

    if (status == SURETY_OK || status == SURETY_NOMEM)
        return status;
    call->result.sent = false;
    return tool_fail(call,
                     status == SURETY_SYNTAX ? SURETY_TOOL_ARGUMENTS
                                             : SURETY_TOOL_UNREACHABLE,
                     "%s", error.message);
}

/* ---- stepping ------------------------------------------------------------ */

/* What is possible now of a call that is under way. */
static surety_status tool_step(surety__tool_call *call, uint64_t now_ms,
                               surety_error *reterr)
{
    return call->tool->kind ? tool_exchange(call, now_ms, reterr)
                            : tool_function(call, now_ms, reterr);
}

surety_status surety__tool_call_begin(surety__tool_call *call, uint64_t now_ms,
                                      surety_error *reterr)
{
    surety_status status = SURETY_OK;

    assert(call->state == CALL_JUDGED);
    call->state = CALL_UNDER_WAY;
    call->result.sent = true;
    call->deadline_ms = now_ms + call->tool->given.time_ms_max;
    if (call->tool->kind) {
        call->deadline_ms += CALL_GRACE_MS;
        status = tool_send(call);
    }
    if (status == SURETY_OK && call->state == CALL_UNDER_WAY)
        status = tool_step(call, now_ms, reterr);
    status = tool_outcome(call, status, reterr);
    return status == SURETY_MORE ? SURETY_OK : status;
}

surety_status surety__tool_call_step(surety__tool_call *call, uint64_t now_ms,
                                     surety_error *reterr)
{
    if (call->state != CALL_UNDER_WAY)
        return SURETY_OK;
    return tool_outcome(call, tool_step(call, now_ms, reterr), reterr);
}

void surety__tool_call_cancel(surety__tool_call *call)
{
    if (call->state == CALL_ENDED)
        return;
    tool_abandon(call);
    call->state = CALL_ENDED;
    call->result.failure = SURETY_TOOL_CANCELLED;
    call->result.message = SURETY__LITERAL("the call was cancelled");
    call->result.text = SURETY__LITERAL("The call was cancelled.");
}

bool surety__tool_call_has_ended(const surety__tool_call *call)
{
    return call->state == CALL_ENDED;
}

const surety_tool_result *
surety__tool_call_result(const surety__tool_call *call)
{
    return &call->result;
}

surety_str surety__tool_call_report(const surety__tool_call *call)
{
    return call->report;
}

surety_transport *surety__tool_call_transport(const surety__tool_call *call)
{
    return call->state == CALL_UNDER_WAY && call->tool->kind
               ? call->tool->link->transport
               : NULL;
}

uint64_t surety__tool_call_deadline(const surety__tool_call *call)
{
    return call->state == CALL_UNDER_WAY ? call->deadline_ms : UINT64_MAX;
}
