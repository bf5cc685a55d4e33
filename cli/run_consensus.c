/* SPDX-License-Identifier: Apache-2.0 */
/* surety run --consensus: calls the models of all -m at the same time and makes
 * one answer. The value goes to standard output, as without --consensus; who
 * answered what and who agreed goes to standard error. */
#include "run_consensus.h"

#include <assert.h>
#include "commands.h"
#include "diag.h"
#include "run_world.h"

/* Shows a member's event with the member's name. */
static void hear_member(void *ctx, size_t member, const surety_event *event)
{
    struct run_consensus *job = ctx;
    const size_t count = job->run.model_count;
    const surety_model *aggregator =
        job->aggregator ? job->aggregator : job->run.models;

    assert(member <= count);
    job->watch->who =
        member < count ? job->run.models[member].name : aggregator->name;
    job->watch->run =
        member < count ? surety_consensus_member(job->consensus, member)
                       : surety_consensus_info_of(job->consensus)->aggregator;
    run_watch_event(job->watch, event);
}

int run_code(surety_run_verdict verdict, bool has_reply)
{
    switch (verdict) {
    case SURETY_RUN_VALID:
    case SURETY_RUN_PARTIAL:
    case SURETY_RUN_FALLBACK: return CODE_VALID;
    case SURETY_RUN_REJECTED:
    case SURETY_RUN_REFUSED: return CODE_INVALID;
    case SURETY_RUN_BUDGET: return has_reply ? CODE_INVALID : CODE_PROVIDER;
    case SURETY_RUN_LEDGER:
    case SURETY_RUN_VALIDATOR: return CODE_WORLD;
    default: return CODE_PROVIDER;
    }
}

static void put_report(struct run_consensus *job, int code)
{
    const surety_report form = session_form(job->session);
    const surety_str message =
        surety_consensus_info_of(job->consensus)->message;
    surety_buf *out = &job->cli->err.buf;

    if (!job->settings->session.quiet) {
        surety_consensus_write(job->consensus, form, out);
        if (form == SURETY_REPORT_JSON) {
            session_warnings(job->cli, out);
            surety_buf_byte(out, '\n');
        }
    } else if (code >= CODE_PROVIDER) {
        cli_fail(job->cli, code, NULL, "%.*s", (int)message.len, message.ptr);
    }
}

/* Writes the value as JSON, or, without a contract, the text. On a terminal,
 * characters that it would interpret are escaped. */
static void put_value(struct run_consensus *job, int code)
{
    const surety_val value = surety_consensus_info_of(job->consensus)->value;
    surety_buf *out = &job->cli->out.buf;
    const size_t start = out->len;

    if (code == CODE_INVALID && job->settings->session.not_strict) {
        surety_buf_text(out, "null\n");
        return;
    }
    if (code != CODE_VALID) {
        cli_raise(job->cli, code);
        return;
    }
    if (!job->run.contract) {
        output_text(&job->cli->out, surety_val_str(value));
        return;
    }
    surety_val_write(value, job->session->style, out);
    output_json(&job->cli->out, start);
    surety_buf_byte(out, '\n');
}

void run_consensus_go(struct run_consensus *job)
{
    surety_consensus_options options = {
        .size = sizeof(options),
        .kind = (surety_consensus_kind)(job->settings->consensus - 1),
        .run = &job->run,
        .budget = job->budget,
        .quorum = job->quorum,
        .aggregator = job->aggregator,
        .event = hear_member,
        .event_ctx = job};
    const surety_consensus_info *info;
    surety_error error;
    surety_status status;
    bool has_reply = false;
    int code;

    /* The budget is one for all members together, not one for each. */
    job->run.budget = (surety_budget){.calls_max = 0};
    status = surety_consensus_new(&options, &job->consensus, &error);
    if (status != SURETY_OK) {
        cli_fail_error(job->cli, cli_code_of(status, CODE_USAGE), &error);
        return;
    }
    status = surety_consensus_wait(job->consensus, signals_caught(), &error);
    run_watch_done(job->watch);
    if (status != SURETY_OK)
        cli_fail_error(job->cli, cli_code_of(status, CODE_PROVIDER), &error);
    info = surety_consensus_info_of(job->consensus);
    if (status != SURETY_OK && info->verdict == SURETY_RUN_CANCELLED)
        return;
    for (size_t i = 0; i < info->member_count; i++)
        if (surety_run_info_of(surety_consensus_member(job->consensus, i))
                ->outcome)
            has_reply = true;
    code = run_code(info->verdict, has_reply);
    put_report(job, code);
    put_value(job, code);
}

void run_consensus_done(struct run_consensus *job)
{
    surety_consensus_free(job->consensus);
    job->consensus = NULL;
}
