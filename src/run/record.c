/* SPDX-License-Identifier: Apache-2.0 */
/* Writes an attempt to the ledger twice: before it is sent, and after it
 * ended. The ledger makes each write durable before it returns, so a crash
 * cannot lose a call that was sent or a value that was given out.
 *
 * A ledger that fails ends the run, unless the caller made it optional; then
 * the log reports the failure once. A row takes its start from the wall clock
 * and adds differences of the monotonic clock, so no row ends before it
 * begins, even if the wall clock jumps. */
#include "run/run.h"

/* Whether the run goes on after the ledger's status. Reports the failure of an
 * optional ledger once. */
static bool record_told(surety_run *run, surety_status status)
{
    surety_buf *out = &run->store.text;

    if (status == SURETY_OK)
        return true;
    if (status == SURETY_NOMEM)
        run->store.status = SURETY_NOMEM;
    if (status == SURETY_NOMEM || !run->setup.options.ledger_optional)
        return false;
    if (!run->warned) {
        run->warned = true;
        surety_buf_text(out, "the ledger could not be written (");
        surety__buf_line(out, surety_str_of(run->cause.message), 240);
        surety_buf_text(out, "), and may fail: the run goes on unrecorded");
        surety__result_event(run, SURETY_EVENT_DECISION,
                             surety__store_keep(&run->store));
    }
    return true;
}

/* The fields that are known at the start. */
static surety_entry record_entry(const surety_run *run)
{
    const surety__attempt *attempt = surety__attempt_last(run);
    const surety_attempt *seen = &attempt->seen;
    const surety_contract *contract = run->setup.options.contract;
    const surety_str none = {"", 0};

    return (surety_entry){
        .size = sizeof(surety_entry),
        .id = seen->id,
        .run = run->id,
        .number = (uint32_t)run->log.count,
        .purpose = seen->purpose,
        .contract = contract ? surety_contract_info_of(contract)->name : none,
        .contract_version =
            contract ? surety_contract_info_of(contract)->version : none,
        .provider =
            seen->model->provider.len
                ? seen->model->provider
                : surety_str_of(surety_protocol_name(seen->model->protocol)),
        .model =
            seen->model->model.len ? seen->model->model : seen->model->name,
        .mode = surety_str_of(surety_mode_name(seen->mode)),
        .started_ms = attempt->started_unix_ms,
        .prompt = run->setup.options.ledger->raw ? seen->prompt : none,
    };
}

bool surety__record_begin(surety_run *run)
{
    surety_ledger *ledger = run->setup.options.ledger;
    surety_status status;
    surety_entry entry;

    if (!ledger)
        return true;
    assert(!surety__attempt_last(run)->open);
    entry = record_entry(run);
    status = ledger->begin(ledger->ctx, &entry, &run->cause);
    surety__attempt_last(run)->open = status == SURETY_OK;
    return record_told(run, status);
}

static surety_entry_state record_state(const surety__attempt *attempt)
{
    switch (attempt->seen.answer.failure) {
    case SURETY_FAILURE_NONE:
        return attempt->what == CASE_UNSENT ? SURETY_ENTRY_FAILED
                                            : SURETY_ENTRY_DONE;
    case SURETY_FAILURE_REFUSAL:
    case SURETY_FAILURE_FILTER:
    case SURETY_FAILURE_LENGTH:
    case SURETY_FAILURE_EMPTY: return SURETY_ENTRY_DONE;
    case SURETY_FAILURE_CANCELLED: return SURETY_ENTRY_CANCELLED;
    default: break;
    }
    return attempt->seen.answer.ambiguous ? SURETY_ENTRY_UNKNOWN
                                          : SURETY_ENTRY_FAILED;
}

/* Space for issues in the scratch arena. */
static surety_entry_issue *record_issues(surety_run *run, size_t count)
{
    surety_entry_issue *issues =
        surety__arena_take(&run->store.scratch, count * sizeof(*issues));

    if (!issues)
        run->store.status = SURETY_NOMEM;
    return issues;
}

/* Sets the outcome's errors. A patch that does not apply has one error of its
 * own. So has a reply that was stopped, if the outcome does not report it. */
static void record_errors(surety_run *run, surety_entry *entry)
{
    const surety__attempt *attempt = surety__attempt_last(run);
    const bool patch = attempt->what == CASE_PATCH;
    const bool finds = attempt->seen.stopped && !attempt->outcome_tells;
    const size_t count =
        patch || finds
            ? 0
            : surety_outcome_info_of(run->judged.outcome)->error_count;
    surety_entry_issue *issues = record_issues(run, count + 1);

    if (!issues)
        return;
    for (size_t i = 0; i < count; i++) {
        const surety_issue issue = surety_outcome_error(run->judged.outcome, i);

        issues[i] = (surety_entry_issue){issue.keyword, issue.instance_location,
                                         issue.message};
    }
    if (patch)
        issues[0] = (surety_entry_issue){
            .kind = SURETY__LITERAL("patch"),
            .message = surety_str_of(run->cause.message),
        };
    if (finds && !patch)
        issues[0] = (surety_entry_issue){attempt->finding.keyword,
                                         attempt->finding.instance_location,
                                         attempt->finding.message};
    entry->errors = issues;
    entry->error_count = count + (patch || finds);
}

/* Sets the repairs of the reply. */
static void record_repairs(surety_run *run, surety_entry *entry)
{
    const size_t count =
        surety_outcome_info_of(run->judged.outcome)->repaired_count;
    surety_entry_issue *issues;

    if (!count)
        return;
    issues = record_issues(run, count);
    for (size_t i = 0; issues && i < count; i++) {
        const surety_repaired one =
            surety_outcome_repaired(run->judged.outcome, i);

        issues[i] = (surety_entry_issue){surety_str_of(one.kind),
                                         one.instance_location, one.stood};
    }
    entry->repairs = issues;
    entry->repair_count = issues ? count : 0;
}

/* A time of the attempt, on the wall clock of its start; 0: never. */
static int64_t record_time(const surety__attempt *attempt, uint64_t at_ms)
{
    if (!at_ms)
        return 0;
    return attempt->started_unix_ms +
           (int64_t)(at_ms - attempt->seen.started_ms);
}

/* Sets the fields that are known at the end. */
static void record_end(surety_run *run, surety_entry *entry)
{
    const surety__attempt *attempt = surety__attempt_last(run);
    const surety_attempt *seen = &attempt->seen;
    const surety_answer *answer = &seen->answer;

    entry->state = record_state(attempt);
    entry->first_byte_ms = record_time(attempt, seen->first_byte_ms);
    entry->ended_ms = record_time(
        attempt, seen->ended_ms ? seen->ended_ms : run->now.monotonic_ms);
    if (attempt->what == CASE_UNSENT)
        entry->failure = SURETY__LITERAL("request");
    else if (answer->failure != SURETY_FAILURE_NONE)
        entry->failure = surety_str_of(surety_failure_name(answer->failure));
    entry->http_status = answer->http_status;
    entry->error_code = answer->error_code;
    entry->error_message = answer->error_message;
    entry->finish_reason = answer->finish_reason;
    entry->request_id = answer->request_id;
    entry->response_id = answer->response_id;
    entry->ok = seen->ok;
    surety__arena_reset(&run->store.scratch);
    if (seen->judged) {
        entry->stage = surety_str_of(surety_stage_name(seen->stage));
        if (run->judged.outcome && !seen->ok)
            record_errors(run, entry);
        if (run->judged.outcome &&
            !surety_outcome_info_of(run->judged.outcome)->fallback)
            record_repairs(run, entry);
    } else if (run->hearing.failed) {
        entry->stage = surety_str_of("validator");
    }
    if (seen->stopped) {
        entry->stopped = surety_str_of(surety_verdict_name(seen->stopped));
        entry->stopped_bytes = seen->stopped_bytes;
        entry->saved_known = seen->saved_known;
        entry->saved_tokens = seen->saved_tokens;
    }
    entry->partial = attempt->part && !seen->ok;
    entry->fallback = surety_outcome_info_of(run->judged.outcome)->fallback;
    entry->usage_known = answer->usage.known;
    entry->input_tokens = answer->usage.input_tokens;
    entry->cached_input_tokens = answer->usage.cached_input_tokens;
    entry->output_tokens = answer->usage.output_tokens;
    entry->reasoning_tokens = answer->usage.reasoning_tokens;
    entry->cost_known = seen->cost_known;
    entry->cost_picousd = seen->cost_picousd;
    entry->decision = seen->decision;
    if (run->setup.options.ledger->raw)
        entry->reply = answer->text.len ? answer->text : answer->native;
}

bool surety__record_finish(surety_run *run)
{
    surety_ledger *ledger = run->setup.options.ledger;
    surety__attempt *attempt = surety__attempt_last(run);
    surety_entry entry;

    if (!attempt->open)
        return true;
    attempt->open = false;
    entry = record_entry(run);
    record_end(run, &entry);
    return record_told(run, ledger->finish(ledger->ctx, &entry, &run->cause));
}
