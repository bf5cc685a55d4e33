/* SPDX-License-Identifier: Apache-2.0 */
/* Takes an answer to its judgement.
 *
 * Invariants:
 * 1. A reply that a provider cut off, withheld or refused is not judged as a
 *    whole, whatever it contains. A reply that the run itself stopped has
 *    failed, and the bytes that arrived are judged.
 * 2. A structured value is first converted back to one of the contract's
 *    (strict.h), then judged alone as the place native: text beside it is
 *    ignored. If the provider delivered text instead, or a value that is not
 *    JSON, the text is judged by the contract's places.
 * 3. Only the last judgement of a run may use the fallback or give a partial
 *    value.
 * 4. If a validator of the host is not done, the judgement is made again for
 *    the same subject. */
#include "run/run.h"

/* ---- the answer ---------------------------------------------------------- */

/* Copies the parts of the answer's message. A text that is the answer's own is
 * not copied again: `given` before, `own` now. */
static void receive_message(surety__run_store *store, surety_str given,
                            surety_str own, surety_message *message)
{
    const size_t count = message->part_count;
    surety_part *parts =
        surety__arena_take(&store->arena, (count + 1) * sizeof(*parts));

    for (size_t i = 0; i < count && parts; i++) {
        surety_part *part = &parts[i];

        *part = message->parts[i];
        part->text = part->text.ptr == given.ptr && part->text.len == given.len
                         ? own
                         : surety__store_copy(store, part->text);
        part->name = surety__store_copy(store, part->name);
        part->id = surety__store_copy(store, part->id);
        part->raw = surety__store_copy(store, part->raw);
    }
    if (!parts)
        store->status = SURETY_NOMEM;
    message->parts = parts;
    message->part_count = parts ? count : 0;
}

void surety__receive_answer(surety__run_store *store,
                            surety__run_exchange *exchange, surety_now now,
                            surety__results *results)
{
    surety__attempt *attempt = surety__attempt_last(&results->log);
    surety_answer *answer = &attempt->seen.answer;
    surety_str *const texts[] = {&answer->text,          &answer->refusal,
                                 &answer->finish_reason, &answer->model,
                                 &answer->response_id,   &answer->request_id,
                                 &answer->error_message, &answer->error_code};
    surety_str given;
    bool same;

    if (exchange->begun && !attempt->seen.first_byte_ms)
        attempt->seen.first_byte_ms = now.monotonic_ms;
    attempt->sent = exchange->delivery.sent || exchange->begun;
    if (exchange->watch.found)
        surety__findings_note(&results->findings, store,
                              &exchange->watch.finding, results->log.count);
    surety__decoder_finish(exchange->decoder, &exchange->delivery, now.unix_ms);
    /* The decoder may have held back the last piece. */
    attempt->received = exchange->received;
    attempt->uncounted = surety__decoder_uncounted(exchange->decoder);
    if (surety__decoder_answer(exchange->decoder, answer) != SURETY_OK) {
        *answer = (surety_answer){.failure = SURETY_FAILURE_LIMIT};
        store->status = SURETY_NOMEM;
        return;
    }
    attempt->calls = surety__decoder_calls(exchange->decoder);
    given = answer->text;
    same = answer->native.len && answer->native.ptr == answer->text.ptr &&
           answer->native.len == answer->text.len;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        *texts[i] = surety__store_copy(store, *texts[i]);
    answer->native =
        same ? answer->text : surety__store_copy(store, answer->native);
    receive_message(store, given, answer->text, &answer->message);
    attempt->what = (surety__case)answer->failure;
}

/* ---- the subject --------------------------------------------------------- */

/* Converts a delivered value to one of the contract's. Returns its text, which
 * lives as long as the run; *ret_same: the value did not change. Returns an
 * empty text if that fails; the fault says why. */
static surety_str receive_restore(surety__judging *judging,
                                  const surety_strict *strict,
                                  surety_val delivered, bool *ret_same)
{
    surety__run_store *store = judging->store;
    surety_doc *restored = surety__store_doc(store, &judging->restored);
    surety_status status = SURETY_NOMEM;

    judging->fault = (surety_error){.status = SURETY_OK};
    if (restored)
        status =
            surety_strict_restore(strict, delivered, restored, &judging->fault);
    if (surety__store_pass(store, status) != SURETY_OK)
        return (surety_str){"", 0};
    *ret_same = surety_val_equal(delivered, surety_doc_root(restored));
    (void)surety_val_write(surety_doc_root(restored), SURETY_STYLE_COMPACT,
                           &store->text);
    return surety__store_keep(store);
}

/* Sets the subject of a structured value: the restored value, or the delivered
 * one and what is wrong with it. False: it is not JSON, or out of memory. */
static bool receive_native(surety__judging *judging, const surety__plan *plan,
                           surety_str native, surety__subject *subject)
{
    const surety_read_options options = {.size = sizeof(options),
                                         .flags = SURETY_READ_BORROW,
                                         .limits =
                                             judging->setup->options.limits};
    surety__run_store *store = judging->store;
    surety_doc *delivered;
    surety_status status = SURETY_NOMEM;
    bool same;

    subject->native = native;
    if (!plan->strict)
        return true;
    delivered = surety__store_doc(store, &judging->delivered);
    if (delivered)
        status = surety_doc_read(delivered, native, &options, NULL);
    if (surety__store_pass(store, status) != SURETY_OK ||
        !surety__plan_restores(plan))
        return status == SURETY_OK;
    subject->native = receive_restore(judging, plan->strict,
                                      surety_doc_root(delivered), &same);
    subject->faulty = !subject->native.len;
    if (subject->faulty)
        subject->native = native;
    return store->status == SURETY_OK;
}

/* Converts the beginning of a structured value to the beginning of one of the
 * contract's. Empty if that is impossible. */
static surety_str receive_restore_partial(const surety__judging *judging,
                                          const surety__plan *plan,
                                          surety_str native)
{
    surety_str partial = {"", 0};
    surety_status status;

    if (!surety__plan_restores(plan))
        return native;
    status = surety_strict_restore_part(plan->strict, native,
                                        judging->setup->options.limits,
                                        &judging->store->text, NULL);
    (void)surety__store_written(judging->store, status, &partial);
    return partial;
}

/* Whether the text of a value was repaired before it could be read. */
static bool receive_is_repaired(const surety_outcome *outcome)
{
    for (size_t i = 0; i < surety_outcome_info_of(outcome)->repaired_count; i++)
        if (!surety_outcome_repaired(outcome, i).instance_location.len)
            return true;
    return false;
}

/* Looks in the text of a reply for a value in the delivered form, which a
 * model may send there too, and converts it to one of the contract's.
 * Validators are left out: they must see the converted value. False: the value
 * is one of the contract's already, or there is none. */
static bool receive_found(surety__judging *judging, const surety_strict *strict,
                          surety__subject *subject)
{
    surety__run_store *store = judging->store;
    surety_judge_options options =
        surety__setup_judge(judging->setup, subject, &judging->fault);
    surety_outcome *outcome = NULL;
    surety_str value;
    surety_val found;
    surety_status status;
    bool same = true;

    options.validator_count = 0;
    options.no_fallback = true;
    options.derive = false;
    status = surety_contract_judge(judging->setup->options.contract,
                                   subject->text, &options, &outcome, NULL);
    found = surety__store_pass(store, status) == SURETY_OK
                ? surety_outcome_info_of(outcome)->candidate
                : surety_val_none();
    if (found.doc) {
        value = receive_restore(judging, strict, found, &same);
        subject->faulty = !value.len;
        same = same && value.len;
        if (value.len && !same && receive_is_repaired(outcome)) {
            surety__fail(&judging->fault, SURETY_SYNTAX,
                         "this is not valid JSON, and it does not have the "
                         "form of the contract");
            subject->faulty = true;
        }
        if (subject->faulty) {
            (void)surety_val_write(found, SURETY_STYLE_COMPACT, &store->text);
            value = surety__store_keep(store);
        }
        if (!same)
            subject->native = value;
    }
    surety_outcome_free(outcome);
    return !same && store->status == SURETY_OK;
}

/* The value that results from a patch of the basis; empty if there is none. */
static surety_str receive_patch(surety__run_store *store,
                                const surety_outcome *basis, surety_str reply,
                                surety_error *ret_cause)
{
    surety_error cause = {.status = SURETY_OK};
    surety_str value = {"", 0};
    const surety_status status =
        surety_prompt_patch(basis, reply, &store->text, &cause);

    if (!surety__store_written(store, status, &value))
        *ret_cause = cause;
    return value;
}

/* Sets the parts of a complete answer that are judged. */
static void receive_take(surety__judging *judging, const surety__plan *plan,
                         surety__watch *watch, surety__results *results)
{
    const surety_answer *answer =
        &surety__attempt_last(&results->log)->seen.answer;
    const bool structured = plan->mode != SURETY_MODE_PROMPT;
    surety__subject *subject = &judging->subject;
    bool alone = false;

    *subject = (surety__subject){.text = answer->text, .native = {"", 0}};
    if (plan->patch && answer->text.len) {
        subject->native = receive_patch(judging->store, results->judged.basis,
                                        answer->text, &results->cause);
        judging->patched = alone = subject->native.len > 0;
    } else if (structured && answer->native.len &&
               (receive_native(judging, plan, answer->native, subject) ||
                surety__watch_refuses(watch, answer->native))) {
        alone = true;
    } else if (structured && surety__plan_restores(plan)) {
        alone = receive_found(judging, plan->strict, subject);
    }
    if (alone)
        subject->text = (surety_str){"", 0};
}

/* ---- the judgement ------------------------------------------------------- */

/* Judges the subject. NULL: not possible now, or not at all; then cause says
 * why. */
static surety_outcome *receive_outcome(surety__judging *judging,
                                       const surety__subject *subject,
                                       bool falls_back, surety_error *ret_cause)
{
    surety_judge_options options =
        surety__setup_judge(judging->setup, subject, &judging->fault);
    surety_outcome *outcome = NULL;
    surety_error cause = {.status = SURETY_OK};
    surety_status status;

    options.no_fallback = options.no_fallback || !falls_back;
    judging->validators.attempt = subject->attempt;
    status = surety_contract_judge(judging->setup->options.contract,
                                   subject->text, &options, &outcome, &cause);
    if (status != SURETY_OK && status != SURETY_MORE)
        *ret_cause = cause;
    return surety__store_pass(judging->store, status) == SURETY_OK ? outcome
                                                                   : NULL;
}

/* Keeps the partial value of a reply that was cut off, if the options accept
 * one and it satisfies the contract so far. */
static void receive_keep_partial(surety__judging *judging,
                                 const surety__plan *plan,
                                 surety__results *results)
{
    const surety__subject subject = {.text = judging->subject.text,
                                     .native = judging->subject.native,
                                     .cut = true,
                                     .partial = true,
                                     .attempt = results->log.count};
    const surety_error cause = results->cause;
    surety_outcome *outcome;

    if (!surety__setup_takes_partial(judging->setup) || plan->patch ||
        (!subject.text.len && !subject.native.len))
        return;
    outcome = receive_outcome(judging, &subject, false, &results->cause);
    if (!judging->validators.failed)
        results->cause = cause;
    if (!surety_outcome_info_of(outcome)->ok) {
        surety_outcome_free(outcome);
        return;
    }
    surety__judged_keep_partial(&results->judged, outcome, &subject);
    surety__attempt_last(&results->log)->partial = true;
}

/* A hash of an error's keyword and location, without its message. */
static uint64_t receive_violation(const surety_issue *issue)
{
    const surety_str location = issue->instance_location;
    uint64_t state =
        (uint64_t)surety__hash(issue->keyword.ptr, issue->keyword.len) << 32 |
        surety__hash(location.ptr, location.len);

    return surety__id_random(&state);
}

/* A hash of the errors: the same set gives the same number, whatever the order
 * and the messages. */
static uint64_t receive_violations(const surety_outcome *outcome)
{
    const surety_outcome_info *info = surety_outcome_info_of(outcome);
    uint64_t sum = (uint64_t)info->stage << 32 | info->error_count;

    for (size_t i = 0; i < info->error_count; i++) {
        const surety_issue issue = surety_outcome_error(outcome, i);

        sum += receive_violation(&issue);
    }
    return sum;
}

/* Writes the report of the outcome, and the rejected value if it is not longer
 * than attempt_raw_max. */
static void receive_report(surety__run_store *store, size_t max,
                           const surety_outcome *outcome,
                           surety__attempt *attempt)
{
    const surety_val candidate = surety_outcome_info_of(outcome)->candidate;
    surety_attempt *seen = &attempt->seen;
    const surety_status status =
        seen->stopped
            ? surety__report_stopped(outcome, attempt, &store->text)
            : surety_outcome_write(outcome, SURETY_REPORT_JSON,
                                   (surety_str){"", 0}, 0, &store->text);

    (void)surety__store_pass(store, status);
    seen->report = surety__store_keep(store);
    if (seen->ok || !candidate.doc)
        return;
    (void)surety_val_write(candidate, SURETY_STYLE_COMPACT, &store->text);
    seen->candidate_len = store->text.len;
    if (store->text.status == SURETY_OK && store->text.len > max)
        surety_buf_reset(&store->text);
    seen->candidate = surety__store_keep(store);
}

/* The case that the judgement of a reply gives. */
static surety__case receive_case(const surety_attempt *seen, bool partial)
{
    static const surety__case cases[] = {CASE_VALID, CASE_EXTRACTION,
                                         CASE_JSON_PARSE, CASE_VALIDATION};

    if (seen->ok)
        return CASE_VALID;
    if (seen->stopped == SURETY_STREAM_RUNAWAY)
        return CASE_RUNAWAY;
    return partial ? CASE_CUT : cases[seen->stage];
}

/* Records the outcome in the attempt, and what the next call must know of
 * it. */
static void receive_note(surety__judging *judging, const surety__plan *plan,
                         surety__position *at, surety__results *results)
{
    const surety_outcome *outcome = results->judged.outcome;
    const surety_outcome_info *info = surety_outcome_info_of(outcome);
    surety__attempt *attempt = surety__attempt_last(&results->log);
    surety_attempt *seen = &attempt->seen;
    const bool reports = !seen->stopped || attempt->outcome_reports;
    const uint64_t violations = reports ? receive_violations(outcome)
                                        : receive_violation(&attempt->finding);

    seen->judged = true;
    seen->ok = info->ok && !info->partial;
    seen->stage = seen->ok || reports
                      ? info->stage
                      : surety__findings_stage(&attempt->finding);
    if (!seen->ok && seen->stage == SURETY_STAGE_DONE)
        seen->stage = SURETY_STAGE_JSON_PARSE;
    attempt->error_count = reports ? info->error_count : !seen->ok;
    receive_report(
        judging->store,
        surety_limits_of(judging->setup->options.limits).attempt_raw_max,
        outcome, attempt);
    attempt->what = receive_case(seen, info->partial);
    if (seen->ok || attempt->what == CASE_CUT)
        return;
    if (plan->patch && !judging->patched) {
        attempt->what = seen->stopped ? CASE_RUNAWAY : CASE_PATCH;
        at->patch_failed = true;
        return;
    }
    if (violations == at->violations && attempt->what != CASE_RUNAWAY) {
        attempt->what = CASE_REPEATED;
        at->patch_failed = at->patch_failed || plan->patch;
    }
    at->violations = violations;
}

/* Judges what arrived of a stopped reply: as a partial value, if that reports
 * the error of the check; else as a reply that was cut off. */
static surety_outcome *receive_outcome_stopped(surety__judging *judging,
                                               surety__subject *subject,
                                               surety__results *results)
{
    surety__attempt *attempt = surety__attempt_last(&results->log);
    surety_outcome *outcome = NULL;

    subject->cut = true;
    subject->partial = attempt->seen.stopped != SURETY_STREAM_RUNAWAY;
    if (subject->partial) {
        outcome = receive_outcome(judging, subject, false, &results->cause);
        attempt->outcome_reports =
            outcome && !surety_outcome_info_of(outcome)->ok &&
            surety_outcome_info_of(outcome)->stage ==
                surety__findings_stage(&attempt->finding);
        if (!outcome || attempt->outcome_reports)
            return outcome;
        surety_outcome_free(outcome);
    }
    subject->partial = false;
    return receive_outcome(judging, subject, false, &results->cause);
}

/* Judges the subject of a complete or a stopped reply, and keeps the outcome
 * as the basis of re-asks. */
static void receive_judge(surety__judging *judging, const surety__plan *plan,
                          surety__position *at, surety__results *results)
{
    surety__attempt *attempt = surety__attempt_last(&results->log);
    surety__subject subject = judging->subject;
    const surety__validators *validators = &judging->validators;
    surety_outcome *outcome;
    bool cut;

    assert(judging->taken);
    subject.attempt = results->log.count;
    if (judging->stopped) {
        outcome = receive_outcome_stopped(judging, &subject, results);
        subject.stopped = results->log.count;
        cut = outcome && attempt->seen.stopped == SURETY_STREAM_RUNAWAY;
    } else {
        subject.partial =
            surety__setup_takes_partial(judging->setup) && !plan->patch;
        outcome = receive_outcome(judging, &subject, false, &results->cause);
        cut = surety_outcome_info_of(outcome)->partial;
    }
    if (outcome)
        surety__judged_keep(&results->judged, outcome, &subject);
    if (cut)
        receive_keep_partial(judging, plan, results);
    if (validators->waits)
        return;
    if (!outcome || validators->failed) {
        attempt->what = validators->failed ? CASE_VALIDATOR : CASE_UNJUDGED;
        return;
    }
    receive_note(judging, plan, at, results);
    if (!judging->stopped && attempt->what == CASE_PATCH)
        return;
    surety__judged_keep_basis(&results->judged);
    surety__findings_take(&results->findings, judging->store, attempt,
                          results->log.count, outcome);
}

/* Judges a complete reply. */
static void receive_judge_whole(surety__judging *judging,
                                const surety__plan *plan, surety__watch *watch,
                                surety__position *at, surety__results *results)
{
    const surety_answer *answer =
        &surety__attempt_last(&results->log)->seen.answer;
    const surety__subject *subject = &judging->subject;
    const size_t len = answer->text.len > answer->native.len
                           ? answer->text.len
                           : answer->native.len;

    if (!judging->taken)
        receive_take(judging, plan, watch, results);
    judging->taken = true;
    if (judging->store->status != SURETY_OK)
        return;
    if (!plan->patch && len > results->spent.whole_most)
        results->spent.whole_most = len;
    surety__judged_reply(&results->judged,
                         subject->text.len ? subject->text : subject->native);
    receive_judge(judging, plan, at, results);
}

/* Whether the run stopped the call because of its check. A failure that the
 * provider reports has priority. A reply that was read on and then broke off
 * counts as stopped too: it was known to be wrong, so a retry of the call is
 * no remedy. */
static bool receive_is_stopped(const surety__watch *watch,
                               surety_failure failure)
{
    if (failure == SURETY_FAILURE_LENGTH)
        return watch->stops;
    return (watch->stops || watch->certain) &&
           surety__failure_is_below(failure);
}

/* Reduces the answer to what had arrived when it was stopped, and judges
 * that. */
static void receive_judge_stopped(surety__judging *judging,
                                  const surety__plan *plan,
                                  const surety__watch *watch,
                                  surety__position *at,
                                  surety__results *results)
{
    const surety_str none = {"", 0};
    surety__attempt *attempt = surety__attempt_last(&results->log);
    surety_answer *answer = &attempt->seen.answer;
    surety__subject *subject = &judging->subject;

    if (!judging->taken) {
        surety__watch_note(watch, attempt);
        at->stops = at->stops || attempt->seen.stopped != SURETY_STREAM_RUNAWAY;
        answer->text =
            surety__store_copy(judging->store, surety__watch_reply(watch));
        answer->native = answer->error_code = answer->error_message = none;
        answer->failure = SURETY_FAILURE_NONE;
        answer->ambiguous = false;
        *subject = (surety__subject){.text = answer->text, .native = none};
        if (surety__watch_is_value(watch)) {
            subject->native =
                receive_restore_partial(judging, plan, answer->text);
            subject->text = none;
        }
        judging->taken = true;
    }
    if (judging->store->status != SURETY_OK)
        return;
    surety__judged_reply(&results->judged, answer->text);
    receive_judge(judging, plan, at, results);
}

/* Keeps what arrived of a reply that the provider, the connection or the time
 * limit cut off. */
static void receive_cut(surety__judging *judging, const surety__plan *plan,
                        bool out_of_time, surety__results *results)
{
    const surety_str none = {"", 0};
    surety__attempt *attempt = surety__attempt_last(&results->log);
    const surety_answer *answer = &attempt->seen.answer;
    const surety_failure failure = answer->failure;
    surety__subject *subject = &judging->subject;
    const surety_str text = answer->text;

    if (failure == SURETY_FAILURE_LENGTH && (text.len || answer->native.len))
        surety__judged_reply(&results->judged, surety__attempt_text(attempt));
    if (failure != SURETY_FAILURE_LENGTH && failure != SURETY_FAILURE_TIMEOUT &&
        failure != SURETY_FAILURE_RESET &&
        failure != SURETY_FAILURE_TRUNCATED && !out_of_time)
        return;
    if (!surety__setup_takes_partial(judging->setup) || plan->patch)
        return;
    if (!judging->taken) {
        *subject = (surety__subject){.text = text, .native = none};
        if (plan->mode != SURETY_MODE_PROMPT) {
            subject->native = receive_restore_partial(
                judging, plan, answer->native.len ? answer->native : text);
            subject->text = none;
        }
        judging->taken = true;
    }
    receive_keep_partial(judging, plan, results);
    if (judging->validators.failed && !judging->validators.waits)
        attempt->what = CASE_VALIDATOR;
}

void surety__receive_judge(surety__judging *judging, const surety__plan *plan,
                           surety__run_exchange *exchange, surety__position *at,
                           surety__results *results)
{
    surety__watch *watch = &exchange->watch;
    surety__attempt *attempt = surety__attempt_last(&results->log);
    const surety_failure failure = attempt->seen.answer.failure;
    const bool contract = judging->setup->options.contract != NULL;

    assert(exchange->ended);
    judging->validators.waits = false;
    if (watch->certain && surety__watch_reply(watch).len > watch->certain_at)
        attempt->read_on = watch->certain_at;
    if (!judging->begun)
        judging->stopped = receive_is_stopped(watch, failure);
    judging->begun = true;
    if (judging->stopped)
        receive_judge_stopped(judging, plan, watch, at, results);
    else if (failure != SURETY_FAILURE_NONE &&
             !(contract && failure == SURETY_FAILURE_EMPTY))
        receive_cut(judging, plan, exchange->out_of_time, results);
    else if (contract)
        receive_judge_whole(judging, plan, watch, at, results);
    else
        surety__judged_reply(&results->judged, attempt->seen.answer.text);
}

/* Whether the outcome's value begins with the elements that were given; if not,
 * notes that. */
static bool receive_agrees(const surety__judging *judging,
                           surety__judged *judged,
                           const surety_outcome *outcome)
{
    const bool agrees = surety__show_agrees(
        judging->setup, judging->store, surety_outcome_info_of(outcome)->value);

    judged->contradicts = judged->contradicts || !agrees;
    return agrees;
}

void surety__receive_agree(surety__judging *judging, surety__judged *judged)
{
    if (!judged->partial || receive_agrees(judging, judged, judged->partial))
        return;
    surety_outcome_free(judged->partial);
    judged->partial = NULL;
}

void surety__receive_fallback(surety__judging *judging,
                              surety__results *results)
{
    const surety__setup *setup = judging->setup;
    surety__judged *judged = &results->judged;
    surety_outcome *outcome;

    surety__receive_agree(judging, judged);
    if (judged->partial || judging->validators.failed)
        return;
    surety__judged_prefer_basis(judged);
    if (!judged->outcome || judging->store->status != SURETY_OK ||
        surety_contract_info_of(setup->options.contract)->fallback ==
            SURETY_FALLBACK_NONE ||
        setup->judge.no_fallback)
        return;
    outcome =
        receive_outcome(judging, &judged->outcome_of, true, &results->cause);
    if (!outcome)
        return;
    if (surety_outcome_info_of(outcome)->fallback &&
        !receive_agrees(judging, judged, outcome)) {
        surety_outcome_free(outcome);
        return;
    }
    surety__judged_forget(judged);
    judged->outcome = outcome;
}
