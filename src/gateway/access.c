/* SPDX-License-Identifier: Apache-2.0 */
/* The log of requests: one line of JSON for each that has ended. It has what an
 * operator counts, and no text of a client or a model but names. */
#include "gateway/gateway.h"
#include "template/template.h"

#define ACCESS_TEXT_MAX 256 /* bytes of a path or a model's name */

static surety_str access_bounded(surety_str text)
{
    return (surety_str){text.ptr, text.len < ACCESS_TEXT_MAX ? text.len
                                                             : ACCESS_TEXT_MAX};
}

static void access_put(surety_buf *out, const surety__exchange *exchange,
                       bool whole)
{
    const surety__ask *ask = &exchange->ask;
    const surety_run_info *info = surety_run_info_of(exchange->run);
    const surety__serve_times times = surety__serve_clock();
    const surety_contract_info *contract =
        ask->kept ? surety_contract_info_of(ask->kept->contract) : NULL;

    surety__template_write(
        out,
        "{'time_ms':$n,'method':$s,'path':$s,'protocol':'$t','status':$o,"
        "'model':$m,'contract':$m,'run':$m,'verdict':$m,'attempts':$n,"
        "'input_tokens':$n,'output_tokens':$n,'cost_picousd':$o,'stream':$b,"
        "'duration_us':$n,'overhead_us':$n,'request_bytes':$n,"
        "'response_bytes':$n,'complete':$b}",
        (uint64_t)times.unix_ms, access_bounded(exchange->serving->method),
        access_bounded(exchange->serving->path),
        surety_protocol_name(ask->route.protocol), exchange->status != 0,
        (uint64_t)exchange->status, access_bounded(ask->model.name),
        contract ? contract->id : (surety_str){NULL, 0}, info->id,
        surety_str_of(exchange->run ? surety_run_verdict_name(info->verdict)
                                    : NULL),
        (uint64_t)info->attempt_count, info->usage.input_tokens,
        info->usage.output_tokens, info->cost_known, info->cost_picousd,
        ask->request.stream, times.monotonic_us - exchange->started_us,
        exchange->busy_us, (uint64_t)exchange->serving->body.len,
        exchange->serving->sent, whole);
}

void surety__gateway_log(const surety__exchange *exchange, bool whole)
{
    surety_gateway *gateway = exchange->worker->gateway;
    surety_buf line;

    if (!gateway->options.log)
        return;
    surety_buf_init(&line, gateway->options.alloc, 0);
    access_put(&line, exchange, whole);
    pthread_mutex_lock(&gateway->log_lock);
    if (!line.status)
        gateway->options.log(gateway->options.log_ctx, surety_buf_str(&line));
    pthread_mutex_unlock(&gateway->log_lock);
    surety_buf_done(&line);
}
