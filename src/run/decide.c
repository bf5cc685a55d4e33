/* SPDX-License-Identifier: Apache-2.0 */
/* Decides what follows an attempt. Every result of a call is a row of one
 * table. A row lists actions, best first; the first one that is possible is
 * taken. So one row shows the whole policy for a result.
 *
 * Rules:
 * 1. A retry repeats a call after a delay, if its failure may pass. It does
 *    not count as a re-ask. There is no retry if the call may have been
 *    carried out (unless the model's settings allow it), if the provider says
 *    that it is of no use, or if the provider asks for a longer wait than is
 *    allowed.
 * 2. A re-ask lists the errors of a reply. A model that makes the same errors
 *    in the same locations again is not asked in the same way a third time
 *    while there is another mode or model.
 * 3. The run never argues with a refusal, and never accepts a reply that was
 *    cut off as a complete one.
 * 4. Each decision is one sentence: the result, why better actions were not
 *    possible, and the action. */
#include "provider/provider.h"
#include "run/run.h"

static const surety__decide_case decide_rows[CASE_COUNT] = {
#define CASE(id, result, verdict, hint, ...)                                   \
    [id] = {result, verdict, hint, {__VA_ARGS__}},
#include "run/cases.def"
#undef CASE
};

const surety__decide_case *surety__decide_row(surety__case what)
{
    assert(what < CASE_COUNT);
    return &decide_rows[what];
}

/* ---- the result ---------------------------------------------------------- */

enum { DECIDE_DETAIL_MAX = 240, DECIDE_ERRORS_MAX = 3, DECIDE_CALLS_MAX = 8 };

void surety__decide_detail(surety_buf *out, surety_str text, size_t max)
{
    surety_buf_text(out, " (");
    surety__buf_line(out, text, max);
    surety_buf_byte(out, ')');
}

void surety__decide_issue(surety_buf *out, const surety_issue *issue)
{
    surety__buf_line(out, issue->keyword, 40);
    surety_buf_text(out, " at ");
    surety__buf_line(out,
                     issue->instance_location.len ? issue->instance_location
                                                  : SURETY__LITERAL("the root"),
                     80);
}

/* Appends the first few errors, or the message of the first. */
static void decide_errors(const surety_outcome *outcome, bool message,
                          surety_buf *out)
{
    const size_t count = surety_outcome_info_of(outcome)->error_count;

    if (!count)
        return;
    if (message) {
        surety__decide_detail(out, surety_outcome_error(outcome, 0).message,
                              DECIDE_DETAIL_MAX);
        return;
    }
    for (size_t i = 0; i < count && i < DECIDE_ERRORS_MAX; i++) {
        const surety_issue issue = surety_outcome_error(outcome, i);

        surety_buf_text(out, i ? ", " : " (");
        surety__decide_issue(out, &issue);
    }
    if (count > DECIDE_ERRORS_MAX)
        surety__buf_printf(out, ", and %zu more", count - DECIDE_ERRORS_MAX);
    surety_buf_byte(out, ')');
}

/* "(HTTP 429, code: sentence)" */
static void decide_answer(const surety_answer *answer, surety_buf *out)
{
    const surety_str message = answer->refusal.len ? answer->refusal
                               : answer->error_message.len
                                   ? answer->error_message
                                   : answer->finish_reason;
    const char *before = " (";

    if (answer->http_status &&
        (answer->http_status < 200 || answer->http_status > 299)) {
        surety__buf_printf(out, "%sHTTP %d", before, answer->http_status);
        before = ", ";
    }
    if (answer->error_code.len) {
        surety_buf_text(out, before);
        surety__buf_line(out, answer->error_code, 80);
        before = ": ";
    }
    if (message.len) {
        surety_buf_text(out, before);
        surety__buf_line(out, message, DECIDE_DETAIL_MAX);
        before = ", ";
    }
    if (*before != ' ')
        surety_buf_byte(out, ')');
}

void surety__decide_stop(const surety_attempt *attempt, surety_buf *out)
{
    surety__buf_printf(
        out, "stopped after %zu byte%s: ", (size_t)attempt->stopped_bytes,
        attempt->stopped_bytes == 1 ? "" : "s");
    surety_buf_text(
        out,
        attempt->stopped == SURETY_STREAM_RUNAWAY ? "the reply is running away"
        : attempt->stopped == SURETY_STREAM_REFUTED
            ? "the value at hand cannot satisfy the contract, and no other "
              "is waited for"
            : "nothing that follows can satisfy the contract");
}

/* "stopped after 22 bytes, about 8 tokens of at most 500: " */
static void decide_stopped(const surety__attempt *of, surety_buf *out)
{
    const surety_attempt *attempt = &of->seen;

    surety_buf_text(out, of->broke ? "broke off" : "stopped");
    surety__buf_printf(out, " after %zu byte%s, about %zu token%s",
                       (size_t)attempt->stopped_bytes,
                       attempt->stopped_bytes == 1 ? "" : "s",
                       (size_t)attempt->stopped_tokens,
                       attempt->stopped_tokens == 1 ? "" : "s");
    if (attempt->saved_known)
        surety__buf_printf(
            out, " of at most %zu",
            (size_t)(attempt->stopped_tokens + attempt->saved_tokens));
    surety_buf_text(out, ": ");
}

/* Appends what was found in a reply that was stopped. */
static void decide_finding(const surety__attempt *attempt, surety_buf *out)
{
    if (surety__findings_stage(&attempt->finding) != SURETY_STAGE_VALIDATION ||
        attempt->seen.stopped == SURETY_STREAM_RUNAWAY) {
        surety__decide_detail(out, attempt->finding.message, DECIDE_DETAIL_MAX);
        return;
    }
    surety_buf_text(out, " (");
    surety__decide_issue(out, &attempt->finding);
    surety_buf_byte(out, ')');
}

/* "after 2 repairs (trailing-comma, ...)" */
static void decide_repairs(const surety_outcome *outcome, surety_buf *out)
{
    const size_t count = surety_outcome_info_of(outcome)->repaired_count;

    if (!count)
        return;
    surety__buf_printf(out, " after %zu repair%s (", count,
                       count == 1 ? "" : "s");
    for (size_t i = 0; i < count && i < DECIDE_ERRORS_MAX; i++) {
        surety_buf_text(out, i ? ", " : "");
        surety_buf_text(out, surety_outcome_repaired(outcome, i).kind);
    }
    surety_buf_text(out, count > DECIDE_ERRORS_MAX ? ", ...)" : ")");
}

/* "(add, query)" */
static void decide_calls(const surety__attempt *attempt, surety_buf *out)
{
    const surety_message *message = &attempt->seen.answer.message;
    size_t count = 0;

    for (size_t i = 0; i < message->part_count; i++) {
        if (message->parts[i].kind != SURETY_PART_CALL)
            continue;
        if (count++ >= DECIDE_CALLS_MAX)
            continue;
        surety_buf_text(out, count > 1 ? ", " : " (");
        surety__buf_line(out, message->parts[i].name, 64);
    }
    if (count > DECIDE_CALLS_MAX)
        surety__buf_printf(out, ", and %zu more", count - DECIDE_CALLS_MAX);
    if (count)
        surety_buf_byte(out, ')');
}

/* Appends the first thing that is wrong in calls. */
static void decide_faults(const surety__attempt *attempt, surety_buf *out)
{
    surety__decide_detail(out, attempt->faults->message, DECIDE_DETAIL_MAX);
    if (attempt->fault_count > 1)
        surety__buf_printf(out, " and %zu more", attempt->fault_count - 1);
}

/* Appends the details of a result. */
static void decide_details(const surety__attempt *attempt,
                           const surety_outcome *outcome,
                           const surety_error *cause, surety_buf *out)
{
    const surety_stage stage = surety_outcome_info_of(outcome)->stage;

    switch (attempt->what) {
    case CASE_VALID:
        if (attempt->seen.judged)
            decide_repairs(outcome, out);
        break;
    case CASE_CUT:
    case CASE_RUNAWAY:
    case CASE_PASSED: break;
    case CASE_CALLS:
    case CASE_DECLARED: decide_calls(attempt, out); break;
    case CASE_ARGUMENTS: decide_faults(attempt, out); break;
    case CASE_EXTRACTION:
    case CASE_JSON_PARSE: decide_errors(outcome, true, out); break;
    case CASE_VALIDATION: decide_errors(outcome, false, out); break;
    case CASE_REPEATED:
        decide_errors(outcome, stage != SURETY_STAGE_VALIDATION, out);
        break;
    case CASE_PATCH:
    case CASE_UNJUDGED:
    case CASE_UNSENT:
    case CASE_VALIDATOR:
        surety__decide_detail(out, surety_str_of(cause->message),
                              DECIDE_DETAIL_MAX);
        break;
    default:
        if (attempt->received &&
            surety__failure_passes(attempt->seen.answer.failure))
            surety__buf_printf(out, " after %zu byte%s of the reply",
                               attempt->received,
                               attempt->received == 1 ? "" : "s");
        decide_answer(&attempt->seen.answer, out);
        break;
    }
}

void surety__decide_result(surety__run_store *store, surety__attempt *attempt,
                           const surety_outcome *outcome,
                           const surety_error *cause)
{
    const bool stopped = attempt->seen.stopped != SURETY_STREAM_OPEN;
    surety_buf *out = &store->text;

    assert(attempt->what < CASE_COUNT && !out->len);
    if (stopped)
        decide_stopped(attempt, out);
    if (attempt->read_on && !attempt->seen.ok)
        surety__buf_printf(
            out, "read on from byte %zu for more errors: ", attempt->read_on);
    surety_buf_text(out, decide_rows[attempt->what].result);
    if (stopped && !attempt->seen.ok &&
        (!attempt->outcome_reports || attempt->what == CASE_RUNAWAY) &&
        attempt->what != CASE_UNJUDGED && attempt->what != CASE_VALIDATOR)
        decide_finding(attempt, out);
    else
        decide_details(attempt, outcome, cause, out);
    attempt->result = surety__store_keep(store);
}

/* ---- what is possible ---------------------------------------------------- */

/* Appends a clause that says why an action is not possible, once if two
 * actions have the same reason. Returns false. */
static bool decide_refuse(surety_buf *out, const char *why)
{
    if (surety__str_find(surety_buf_str(out), surety_str_of(why)) < out->len)
        return false;
    surety_buf_text(out, ", ");
    surety_buf_text(out, why);
    return false;
}

static bool decide_may_retry(const surety__setup *setup,
                             const surety__position *at,
                             const surety__attempt *attempt, bool requested,
                             surety_buf *out)
{
    const surety_answer *answer = &attempt->seen.answer;
    const surety_backoff *backoff = &setup->options.backoff;

    if (requested && answer->should_retry != 1)
        return false;
    if (attempt->given)
        return decide_refuse(out, "a part of it is given out");
    if (answer->should_retry == 0)
        return decide_refuse(out,
                             "the provider says that a retry is of no use");
    if (answer->ambiguous && !surety__setup_model(setup, at)->retry_ambiguous)
        return decide_refuse(out, "it may have been carried out and is not "
                                  "repeated");
    if (answer->retry_after_ms > (int64_t)backoff->retry_after_max_ms) {
        surety__buf_printf(
            out,
            ", the provider requests a wait of %zu ms, and at most "
            "%u are allowed",
            (size_t)answer->retry_after_ms,
            (unsigned)backoff->retry_after_max_ms);
        return false;
    }
    if (attempt->received && at->broken >= setup->options.broken_retries_max)
        return decide_refuse(out, at->broken
                                      ? "it broke off in the middle of a reply "
                                        "before and would be paid for once more"
                                      : "a part of the reply had come, and "
                                        "nothing is paid for twice");
    if (at->retries < backoff->retries_max)
        return true;
    return decide_refuse(out, backoff->retries_max
                                  ? "the retries are spent"
                                  : "retries are switched off");
}

static bool decide_may_reask(const surety__setup *setup,
                             const surety__position *at, surety_buf *out)
{
    if (!setup->options.contract && !setup->declared)
        return decide_refuse(out, "there is no contract to re-ask by");
    if (at->reasks < setup->reask_max)
        return true;
    return decide_refuse(out, setup->reask_max ? "the re-asks are spent"
                                               : "re-asks are switched off");
}

/* Whether a reply may be any text, though tools are offered. */
static bool decide_may_talk(const surety__setup *setup)
{
    const surety_tool_choice choice = setup->options.tool_choice;

    return setup->declared && !setup->options.contract &&
           (choice == SURETY_TOOL_CHOICE_AUTO ||
            choice == SURETY_TOOL_CHOICE_NONE);
}

static bool decide_may(const surety__setup *setup, const surety__position *at,
                       const surety__attempt *attempt, surety__action action,
                       surety_buf *out)
{
    if (attempt->given && (action == ACTION_REASK || action == ACTION_WHOLE ||
                           action == ACTION_SHORTER || action == ACTION_MODE ||
                           action == ACTION_MODE_REASK))
        return decide_refuse(out, "a part of it is given out");
    if (setup->is_once && attempt->sent &&
        (action == ACTION_RETRY || action == ACTION_RETRY_ASKED ||
         action == ACTION_MODEL))
        return decide_refuse(out, "it was sent and is not sent twice");
    switch (action) {
    case ACTION_RETRY:
    case ACTION_RETRY_ASKED:
        return decide_may_retry(setup, at, attempt,
                                action == ACTION_RETRY_ASKED, out);
    case ACTION_REASK:
    case ACTION_RECALL:
    case ACTION_WHOLE: return decide_may_reask(setup, at, out);
    case ACTION_SHORTER:
        if (at->shortened)
            return decide_refuse(out, "a shorter one was asked for before");
        if (decide_may_talk(setup) && !attempt->calls)
            return decide_refuse(out, "a text may be cut off");
        return decide_may_reask(setup, at, out);
    case ACTION_MODE: return surety__mode_may_sink(setup, at);
    case ACTION_MODE_REASK:
        return surety__mode_may_sink(setup, at) &&
               decide_may_reask(setup, at, out);
    case ACTION_MODEL:
        if (attempt->given)
            return decide_refuse(out, "a part of it is given out");
        if (at->model + 1 < setup->options.model_count)
            return true;
        return decide_refuse(out, setup->options.model_count > 1
                                      ? "there is no model left"
                                      : "there is no other model");
    default: return true;
    }
}

/* Exponential backoff with full jitter (Brooker 2015). If the provider asks
 * for a wait, the run waits that long and a random time more, so that clients
 * do not all return at once. */
static uint64_t decide_delay(const surety_backoff *backoff,
                             int64_t requested_ms, uint32_t retries,
                             uint64_t *random)
{
    uint64_t most = backoff->first_ms;

    if (requested_ms >= 0)
        return (uint64_t)requested_ms +
               surety__id_below(random, backoff->first_ms);
    for (uint32_t i = 0; i < retries && most < backoff->most_ms; i++)
        most *= 2;
    return surety__id_below(random,
                            most < backoff->most_ms ? most : backoff->most_ms);
}

surety__decision surety__decide(surety__run_store *store,
                                const surety__setup *setup,
                                const surety__position *at,
                                const surety__attempt *attempt,
                                uint64_t *random)
{
    const surety__action *ladder = decide_rows[attempt->what].ladder;
    surety__decision decision = {.action = ACTION_END};
    size_t rung = 0;

    while (!decide_may(setup, at, attempt, ladder[rung], &store->text)) {
        rung++;
        /* Unused rungs of a ladder are ACTION_END, which is always possible. */
        assert(rung < sizeof(decide_rows[0].ladder) / sizeof(*ladder));
    }
    decision.action = ladder[rung];
    decision.hindered = surety__store_keep(store);
    if (decision.action == ACTION_RETRY ||
        decision.action == ACTION_RETRY_ASKED)
        decision.delay_ms = decide_delay(&setup->options.backoff,
                                         attempt->seen.answer.retry_after_ms,
                                         at->retries, random);
    return decision;
}

/* ---- the action ---------------------------------------------------------- */

void surety__decide_sentence(surety__run_store *store,
                             const surety__setup *setup,
                             const surety__position *at,
                             surety__attempt *attempt,
                             const surety__decision *decision,
                             surety_str reason)
{
    const surety__action action = decision->action;
    surety_buf *out = &store->text;

    surety_buf_add(out, attempt->result);
    surety_buf_add(out, decision->hindered);
    surety_buf_text(out, ": ");
    if (decision->spent.len) {
        surety_buf_add(out, decision->spent);
        surety_buf_text(out, ", the run ends");
    } else if (action == ACTION_ACCEPT) {
        surety_buf_text(out, "it is taken");
    } else if (action == ACTION_END) {
        surety_buf_text(out, "the run ends");
    } else if (action == ACTION_RETRY || action == ACTION_RETRY_ASKED) {
        surety__buf_printf(out, "the same call again in %zu ms, ",
                           (size_t)decision->delay_ms);
        if (attempt->received)
            surety__buf_printf(out,
                               "%u of %u after a part of the reply had "
                               "come, ",
                               (unsigned)at->broken,
                               (unsigned)setup->options.broken_retries_max);
        surety_buf_add(out, reason);
    } else {
        surety_buf_add(out, reason);
    }
    attempt->seen.decision = surety__store_keep(store);
}
