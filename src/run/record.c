/* SPDX-License-Identifier: Apache-2.0 */
/* Writes an attempt to the ledger twice: before it is sent, and after it
 * ended. The ledger makes each write durable before it returns, so a crash
 * cannot lose a call that was sent or a value that was given out.
 *
 * A row takes its start from the wall clock and adds differences of the
 * monotonic clock, so no row ends before it begins, even if the wall clock
 * jumps. */
#include "run/run.h"

/* The fields of the last attempt that are known at its start. */
static surety_entry record_entry(const surety__setup *setup,
                                 const surety__log *log)
{
    const surety__attempt *attempt = surety__attempt_last(log);
    const surety_attempt *seen = &attempt->seen;
    const surety_contract *contract = setup->options.contract;
    surety_entry entry = {
        .size = sizeof(entry),
        .id = seen->id,
        .run = log->run,
        .number = (uint32_t)log->count,
        .purpose = seen->purpose,
        .provider =
            seen->model->provider.len
                ? seen->model->provider
                : surety_str_of(surety_protocol_name(seen->model->protocol)),
        .model =
            seen->model->model.len ? seen->model->model : seen->model->name,
        .mode = surety_str_of(surety_mode_name(seen->mode)),
        .started_ms = attempt->started_unix_ms,
        .key = setup->options.key,
        .tag = setup->options.tag,
    };

    if (contract) {
        entry.contract = surety_contract_info_of(contract)->name;
        entry.contract_version = surety_contract_info_of(contract)->version;
    }
    if (setup->options.ledger->raw)
        entry.prompt = seen->prompt;
    return entry;
}

surety_status surety__record_begin(const surety__setup *setup, surety__log *log,
                                   surety_error *reterr)
{
    surety_ledger *ledger = setup->options.ledger;
    surety_status status;
    surety_entry entry;

    if (!ledger)
        return SURETY_OK;
    assert(!surety__attempt_last(log)->open);
    entry = record_entry(setup, log);
    status = ledger->begin(ledger->ctx, &entry, reterr);
    surety__attempt_last(log)->open = status == SURETY_OK;
    return status;
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

/* Sets the outcome's errors. A patch that does not apply has one error of its
 * own. So has a reply that was stopped, if the outcome does not report it. */
static void record_errors(const surety__results *results,
                          surety__run_store *store, surety_entry *entry)
{
    const surety__attempt *attempt = surety__attempt_last(&results->log);
    const surety_outcome *outcome = results->judged.outcome;
    const bool patch = attempt->what == CASE_PATCH;
    const bool own =
        patch || (attempt->seen.stopped && !attempt->outcome_reports);
    const size_t count = own ? 1 : surety_outcome_info_of(outcome)->error_count;
    surety_entry_issue *issues =
        surety__store_scratch(store, (count + 1) * sizeof(*issues));

    if (!issues)
        return;
    for (size_t i = 0; i < count; i++) {
        const surety_issue issue =
            own ? attempt->finding : surety_outcome_error(outcome, i);

        issues[i] = (surety_entry_issue){issue.keyword, issue.instance_location,
                                         issue.message};
    }
    if (patch)
        issues[0] = (surety_entry_issue){
            .kind = SURETY__LITERAL("patch"),
            .message = surety_str_of(results->cause.message),
        };
    entry->errors = issues;
    entry->error_count = count;
}

/* Sets the repairs of the reply. */
static void record_repairs(const surety_outcome *outcome,
                           surety__run_store *store, surety_entry *entry)
{
    const size_t count = surety_outcome_info_of(outcome)->repaired_count;
    surety_entry_issue *issues =
        surety__store_scratch(store, (count + 1) * sizeof(*issues));

    if (!issues)
        return;
    for (size_t i = 0; i < count; i++) {
        const surety_repaired one = surety_outcome_repaired(outcome, i);

        issues[i] = (surety_entry_issue){surety_str_of(one.kind),
                                         one.instance_location, one.original};
    }
    entry->repairs = issues;
    entry->repair_count = count;
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
static void record_end(const surety__results *results, surety__run_store *store,
                       surety_entry *entry)
{
    const surety__attempt *attempt = surety__attempt_last(&results->log);
    const surety_attempt *seen = &attempt->seen;
    const surety_outcome *outcome = results->judged.outcome;
    const bool fallback = surety_outcome_info_of(outcome)->fallback;
    const surety_answer *answer = &seen->answer;

    entry->state = record_state(attempt);
    entry->first_byte_ms = record_time(attempt, seen->first_byte_ms);
    entry->ended_ms = record_time(attempt, seen->ended_ms);
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
    surety__arena_reset(&store->scratch);
    if (seen->judged) {
        entry->stage = surety_str_of(surety_stage_name(seen->stage));
        if (outcome && !seen->ok)
            record_errors(results, store, entry);
        if (outcome && !fallback)
            record_repairs(outcome, store, entry);
    } else if (attempt->what >= CASE_CALLS && attempt->what <= CASE_UNCALLED) {
        entry->stage = SURETY__LITERAL("tools");
        entry->errors = attempt->faults;
        entry->error_count = attempt->fault_count;
    } else if (attempt->what == CASE_VALIDATOR) {
        entry->stage = SURETY__LITERAL("validator");
    }
    if (seen->stopped) {
        entry->stopped = surety_str_of(surety_stream_state_name(seen->stopped));
        entry->stopped_bytes = seen->stopped_bytes;
        entry->saved_known = seen->saved_known;
        entry->saved_tokens = seen->saved_tokens;
    }
    entry->partial = attempt->partial && !seen->ok;
    entry->fallback = fallback;
    entry->usage_known = surety__usage_is_kept(&answer->usage);
    entry->estimated = entry->usage_known && !answer->usage.known;
    entry->input_tokens = answer->usage.input_tokens;
    entry->cached_input_tokens = answer->usage.cached_input_tokens;
    entry->output_tokens = answer->usage.output_tokens;
    entry->reasoning_tokens = answer->usage.reasoning_tokens;
    entry->cost_known = seen->cost_known;
    entry->cost_picousd = seen->cost_picousd;
    entry->decision = seen->decision;
}

surety_status surety__record_finish(const surety__setup *setup,
                                    surety__run_store *store,
                                    surety__results *results)
{
    surety_ledger *ledger = setup->options.ledger;
    surety__attempt *attempt = surety__attempt_last(&results->log);
    surety_entry entry;

    if (!attempt->open)
        return SURETY_OK;
    attempt->open = false;
    entry = record_entry(setup, &results->log);
    record_end(results, store, &entry);
    if (ledger->raw)
        entry.reply = surety__attempt_text(attempt);
    return ledger->finish(ledger->ctx, &entry, &results->cause);
}

void surety__record_warn(const surety__setup *setup, surety__run_store *store,
                         surety__log *log, const surety_error *cause)
{
    if (log->warned)
        return;
    log->warned = true;
    surety_buf_text(&store->text, "the ledger could not be written");
    surety__decide_detail(&store->text, surety_str_of(cause->message), 240);
    surety_buf_text(&store->text, ", and may fail: the run goes on unrecorded");
    surety__setup_event(setup, log->count, SURETY_EVENT_DECISION,
                        surety__store_keep(store));
}
