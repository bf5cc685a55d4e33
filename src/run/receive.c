/* SPDX-License-Identifier: Apache-2.0 */
/* Takes an answer from its bytes to its judgement.
 *
 * Invariants:
 * 1. The receiver only feeds the decoder and takes notes: the transport calls
 *    it, where there is no clock and nothing may be decided.
 * 2. A reply that a provider cut off, withheld or refused is not judged as a
 *    whole, whatever it contains. A reply that the run itself stopped has
 *    failed, and the bytes that arrived are judged.
 * 3. A structured value is first converted back to one of the contract's
 *    (strict.h), then judged alone as the place native: text beside it is
 *    ignored. If the provider delivered text instead, or a value that is not
 *    JSON, the text is judged by the contract's places.
 * 4. Only the last judgement of a run may use the fallback or give a partial
 *    value.
 * 5. If a validator of the host is not done, the judgement is made again for
 *    the same subject. */
#include "run/run.h"

/* ---- the receiver -------------------------------------------------------- */

static void receive_head(void *ctx, int status, const surety_header *headers,
                         size_t count)
{
    surety_run *run = ctx;

    run->exchange.heard = true;
    surety__decoder_head(run->exchange.decoder, status, headers, count);
}

static bool receive_bytes(void *ctx, surety_str bytes)
{
    surety_run *run = ctx;

    run->exchange.heard = true;
    return surety__decoder_feed(run->exchange.decoder, bytes);
}

static void receive_end(void *ctx, const surety_delivery *delivery)
{
    surety_run *run = ctx;

    run->exchange.ended = true;
    run->exchange.delivery = *delivery;
}

surety_receiver surety__receive_receiver(surety_run *run)
{
    return (surety_receiver){run, receive_head, receive_bytes, receive_end};
}

static void receive_piece(void *ctx, surety__piece piece, surety_str text)
{
    surety_run *run = ctx;

    run->exchange.came += text.len;
    if (!run->exchange.ended)
        surety__watch_feed(&run->exchange.watch, piece, text);
    surety__result_event(ctx,
                         piece == PIECE_REASONING ? SURETY_EVENT_REASONING
                                                  : SURETY_EVENT_TEXT,
                         text);
}

surety__listener surety__receive_listener(surety_run *run)
{
    return (surety__listener){run, receive_piece};
}

/* ---- the answer ---------------------------------------------------------- */

void surety__receive_answer(surety_run *run)
{
    surety__attempt *attempt = surety__attempt_last(run);
    surety_answer *answer = &attempt->seen.answer;
    bool same;

    assert(run->state == STATE_ANSWERED && !run->judging.begun);
    if (run->exchange.heard && !attempt->seen.first_byte_ms)
        attempt->seen.first_byte_ms = run->now.monotonic_ms;
    attempt->sent = run->exchange.delivery.sent || run->exchange.heard;
    if (run->exchange.watch.found)
        surety__findings_note(&run->findings, &run->store,
                              &run->exchange.watch.finding, run->log.count);
    surety__decoder_finish(run->exchange.decoder, &run->exchange.delivery,
                           run->now.unix_ms);
    /* The decoder may have held back the last piece. */
    attempt->came = run->exchange.came;
    if (surety__decoder_answer(run->exchange.decoder, answer) != SURETY_OK) {
        *answer = (surety_answer){.failure = SURETY_FAILURE_LIMIT};
        run->store.status = SURETY_NOMEM;
        return;
    }
    same = answer->native.len && answer->native.ptr == answer->text.ptr &&
           answer->native.len == answer->text.len;
    answer->text = surety__store_copy(&run->store, answer->text);
    answer->native =
        same ? answer->text : surety__store_copy(&run->store, answer->native);
    answer->refusal = surety__store_copy(&run->store, answer->refusal);
    answer->finish_reason =
        surety__store_copy(&run->store, answer->finish_reason);
    answer->model = surety__store_copy(&run->store, answer->model);
    answer->response_id = surety__store_copy(&run->store, answer->response_id);
    answer->request_id = surety__store_copy(&run->store, answer->request_id);
    answer->error_code = surety__store_copy(&run->store, answer->error_code);
    answer->error_message =
        surety__store_copy(&run->store, answer->error_message);
    attempt->what = (surety__case)answer->failure;
}

/* ---- the judgement ------------------------------------------------------- */

/* Converts a delivered value to one of the contract's. Returns its text, which
 * lives as long as the run; *ret_same: the value did not change. Returns an
 * empty text if that fails; the fault says why. */
static surety_str receive_restore_val(surety_run *run, surety_val delivered,
                                      bool *ret_same)
{
    surety_status status;

    if (!surety__store_doc(&run->store, &run->restoring.restored))
        return (surety_str){"", 0};
    run->restoring.fault = (surety_error){.status = SURETY_OK};
    status =
        surety_strict_restore(run->plan.strict, delivered,
                              run->restoring.restored, &run->restoring.fault);
    (void)surety__store_pass(&run->store, status);
    if (status != SURETY_OK)
        return (surety_str){"", 0};
    *ret_same =
        surety_val_equal(delivered, surety_doc_root(run->restoring.restored));
    (void)surety_val_write(surety_doc_root(run->restoring.restored),
                           SURETY_STYLE_COMPACT, &run->store.text);
    return surety__store_keep(&run->store);
}

/* Whether the value delivered for the plan may differ from the contract's. */
static bool receive_restores(const surety_run *run)
{
    return run->plan.strict &&
           surety_strict_info_of(run->plan.strict)->changes_values;
}

/* Sets the subject of a structured value: the restored value, or the delivered
 * one and what is wrong with it. False: it is not JSON, or out of memory. */
static bool receive_native(surety_run *run, surety_str native,
                           surety__subject *subject)
{
    const surety_read_options options = {.size = sizeof(options),
                                         .flags = SURETY_READ_BORROW,
                                         .limits = run->setup.options.limits};
    surety_status status;
    bool same;

    subject->native = native;
    if (!run->plan.strict)
        return true;
    status = surety__store_doc(&run->store, &run->restoring.value)
                 ? surety_doc_read(run->restoring.value, native, &options, NULL)
                 : SURETY_NOMEM;
    (void)surety__store_pass(&run->store, status);
    if (status != SURETY_OK || !receive_restores(run))
        return status == SURETY_OK;
    subject->native =
        receive_restore_val(run, surety_doc_root(run->restoring.value), &same);
    subject->faulty = !subject->native.len;
    if (subject->faulty)
        subject->native = native;
    return run->store.status == SURETY_OK;
}

/* Converts the beginning of a structured value to the beginning of one of the
 * contract's. Empty if that is impossible. */
static surety_str receive_restore_part(surety_run *run, surety_str native)
{
    surety_str part = {"", 0};
    surety_status status;

    if (!receive_restores(run))
        return native;
    status = surety_strict_restore_part(run->plan.strict, native,
                                        run->setup.options.limits,
                                        &run->store.text, NULL);
    (void)surety__store_written(&run->store, status, &part);
    return part;
}

/* The value that results from a patch of the last one; empty if there is
 * none. */
static surety_str receive_patch(surety_run *run, surety_str reply)
{
    surety_error cause = {.status = SURETY_OK};
    surety_str value = {"", 0};
    const surety_status status =
        surety_prompt_patch(run->judged.basis, reply, &run->store.text, &cause);

    if (!surety__store_written(&run->store, status, &value))
        run->cause = cause;
    return value;
}

/* A hash of an error's keyword and location, without its message. */
static uint64_t receive_violation(const surety_issue *issue)
{
    const surety_str place = issue->instance_location;
    uint64_t state =
        (uint64_t)surety__hash(issue->keyword.ptr, issue->keyword.len) << 32 |
        surety__hash(place.ptr, place.len);

    return surety__id_random(&state);
}

/* A hash of the errors: the same set gives the same number, whatever the order
 * and the messages. */
static uint64_t receive_violations(const surety_outcome *outcome)
{
    const size_t count = surety_outcome_info_of(outcome)->error_count;
    uint64_t sum =
        (uint64_t)surety_outcome_info_of(outcome)->stage << 32 | count;

    for (size_t i = 0; i < count; i++) {
        const surety_issue issue = surety_outcome_error(outcome, i);

        sum += receive_violation(&issue);
    }
    return sum;
}

static surety_judge_options receive_options(const surety_run *run,
                                            const surety__subject *subject)
{
    return surety__setup_judge(&run->setup, subject, &run->restoring.fault);
}

/* Makes the run's outcome the basis of later re-asks. */
static void receive_keep_basis(surety_run *run)
{
    surety__judged_keep_basis(&run->judged);
    surety__findings_take(&run->findings, &run->store,
                          surety__attempt_last(run), run->log.count,
                          run->judged.outcome);
}

/* Whether there can be no judgement now: a validator is not done, or failed. */
static bool receive_is_unheard(const surety_run *run)
{
    return run->hearing.waits || run->hearing.failed;
}

/* Records that the current reply cannot be judged. */
static void receive_unjudged(surety_run *run)
{
    if (!run->hearing.waits)
        surety__attempt_last(run)->what =
            run->hearing.failed ? CASE_UNHEARD : CASE_UNJUDGED;
}

/* Judges the subject. NULL: not possible now, or not at all; then cause says
 * why. */
static surety_outcome *receive_weigh(surety_run *run,
                                     const surety__subject *subject,
                                     bool falls_back)
{
    surety_judge_options options = receive_options(run, subject);
    surety_outcome *outcome = NULL;
    surety_error cause = {.status = SURETY_OK};
    surety_status status;

    options.no_fallback = options.no_fallback || !falls_back;
    run->hearing.attempt = subject->attempt;
    status = surety_contract_judge(run->setup.options.contract, subject->text,
                                   &options, &outcome, &cause);
    if (status == SURETY_OK)
        return outcome;
    if (status == SURETY_MORE)
        return NULL;
    run->cause = cause;
    (void)surety__store_pass(&run->store, status);
    return NULL;
}

/* Keeps the partial value of a reply that was cut off, if the options accept
 * one and it satisfies the contract so far. */
static void receive_keep_part(surety_run *run, surety_str text,
                              surety_str native)
{
    const surety__subject subject = {.text = text,
                                     .native = native,
                                     .cut = true,
                                     .partial = true,
                                     .attempt = run->log.count};
    const surety_error cause = run->cause;
    surety_outcome *outcome;

    if (!surety__setup_takes_part(&run->setup) || run->plan.patch ||
        (!text.len && !native.len))
        return;
    outcome = receive_weigh(run, &subject, false);
    if (!run->hearing.failed)
        run->cause = cause;
    if (!surety_outcome_info_of(outcome)->ok) {
        surety_outcome_free(outcome);
        return;
    }
    surety__judged_keep_part(&run->judged, outcome, &subject);
    surety__attempt_last(run)->part = true;
}

/* The case that the judgement of a reply gives. */
static surety__case receive_case(const surety_run *run)
{
    static const surety__case cases[] = {CASE_VALID, CASE_EXTRACTION,
                                         CASE_JSON_PARSE, CASE_VALIDATION};
    const surety_attempt *seen = &surety__attempt_last(run)->seen;

    if (seen->ok)
        return CASE_VALID;
    if (seen->stopped == SURETY_VERDICT_RUNAWAY)
        return CASE_RUNAWAY;
    return surety_outcome_info_of(run->judged.outcome)->partial
               ? CASE_CUT
               : cases[seen->stage];
}

/* Keeps the refused value in the attempt. */
static void receive_note_candidate(surety_run *run)
{
    surety__attempt *attempt = surety__attempt_last(run);
    const surety_val candidate =
        surety_outcome_info_of(run->judged.outcome)->candidate;
    const size_t max =
        surety_limits_of(run->setup.options.limits).attempt_raw_max;

    if (attempt->seen.ok || !candidate.doc)
        return;
    (void)surety_val_write(candidate, SURETY_STYLE_COMPACT, &run->store.text);
    attempt->seen.candidate_len = run->store.text.len;
    if (run->store.text.status == SURETY_OK && run->store.text.len > max)
        surety_buf_reset(&run->store.text);
    attempt->seen.candidate = surety__store_keep(&run->store);
}

/* Records the outcome in the attempt. */
static void receive_note(surety_run *run, bool patched)
{
    surety__attempt *attempt = surety__attempt_last(run);
    surety_attempt *seen = &attempt->seen;
    const bool stopped = seen->stopped != SURETY_VERDICT_OPEN;
    const bool tells = !stopped || attempt->outcome_tells;
    const uint64_t violations = tells ? receive_violations(run->judged.outcome)
                                      : receive_violation(&attempt->finding);
    surety_status status;

    seen->judged = true;
    seen->ok = surety_outcome_info_of(run->judged.outcome)->ok &&
               !surety_outcome_info_of(run->judged.outcome)->partial;
    seen->stage = seen->ok || tells
                      ? surety_outcome_info_of(run->judged.outcome)->stage
                      : surety__findings_stage(&attempt->finding);
    if (!seen->ok && seen->stage == SURETY_STAGE_DONE)
        seen->stage = SURETY_STAGE_JSON_PARSE;
    attempt->error_count =
        tells ? surety_outcome_info_of(run->judged.outcome)->error_count
              : !seen->ok;
    status =
        stopped
            ? surety__report_stopped(run->judged.outcome, attempt,
                                     &run->store.text)
            : surety_outcome_write(run->judged.outcome, SURETY_REPORT_JSON,
                                   (surety_str){"", 0}, 0, &run->store.text);
    (void)surety__store_pass(&run->store, status);
    seen->report = surety__store_keep(&run->store);
    receive_note_candidate(run);
    attempt->what = receive_case(run);
    if (seen->ok || attempt->what == CASE_CUT)
        return;
    if (run->plan.patch && !patched) {
        attempt->what = stopped ? CASE_RUNAWAY : CASE_PATCH;
        run->at.patch_failed = true;
        return;
    }
    if (violations == run->at.violations && attempt->what != CASE_RUNAWAY) {
        attempt->what = CASE_REPEATED;
        run->at.patch_failed = run->at.patch_failed || run->plan.patch;
    }
    run->at.violations = violations;
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
static bool receive_found(surety_run *run, surety__subject *subject)
{
    surety_judge_options options = receive_options(run, subject);
    surety_outcome *outcome = NULL;
    surety_val found;
    surety_status status;
    bool same = true;

    options.validator_count = 0;
    options.no_fallback = true;
    options.derive = false;
    status = surety_contract_judge(run->setup.options.contract, subject->text,
                                   &options, &outcome, NULL);
    (void)surety__store_pass(&run->store, status);
    found = status == SURETY_OK ? surety_outcome_info_of(outcome)->candidate
                                : surety_val_none();
    if (found.doc) {
        const surety_str value = receive_restore_val(run, found, &same);
        subject->faulty = !value.len;
        same = same && value.len;
        if (value.len && !same && receive_is_repaired(outcome)) {
            surety__fail(&run->restoring.fault, SURETY_SYNTAX,
                         "this is not JSON as it stands, and not of the form "
                         "of the contract");
            subject->faulty = true;
        }
        if (subject->faulty)
            (void)surety_val_write(found, SURETY_STYLE_COMPACT,
                                   &run->store.text);
        if (!same)
            subject->native =
                subject->faulty ? surety__store_keep(&run->store) : value;
    }
    surety_outcome_free(outcome);
    return !same && run->store.status == SURETY_OK;
}

/* Selects the parts of an answer that are judged. */
static surety__subject receive_subject(surety_run *run, bool *ret_patched)
{
    const surety_answer *answer = &surety__attempt_last(run)->seen.answer;
    surety__subject subject = {
        .text = answer->text, .native = {"", 0}, .attempt = run->log.count};
    bool alone = false;

    if (run->plan.patch && subject.text.len) {
        subject.native = receive_patch(run, subject.text);
        *ret_patched = alone = subject.native.len > 0;
    } else if (answer->native.len && run->plan.mode != SURETY_MODE_PROMPT) {
        alone = receive_native(run, answer->native, &subject) ||
                surety__watch_refuses(&run->exchange.watch, answer->native) ||
                (receive_restores(run) && receive_found(run, &subject));
    } else if (receive_restores(run) && run->plan.mode != SURETY_MODE_PROMPT) {
        alone = receive_found(run, &subject);
    }
    if (alone)
        subject.text = (surety_str){"", 0};
    return subject;
}

/* Records the length of a complete reply. */
static void receive_measure(surety_run *run)
{
    const surety_answer *answer = &surety__attempt_last(run)->seen.answer;
    const size_t len = answer->text.len > answer->native.len
                           ? answer->text.len
                           : answer->native.len;

    if (!run->plan.patch && len > run->spent.whole_most)
        run->spent.whole_most = len;
}

/* Judges a complete reply. */
static void receive_judge_whole(surety_run *run)
{
    surety__attempt *attempt = surety__attempt_last(run);
    surety__judging *judging = &run->judging;
    surety__subject subject;
    surety_outcome *outcome;

    if (!judging->taken)
        judging->subject = receive_subject(run, &judging->patched);
    judging->taken = true;
    subject = judging->subject;
    if (run->store.status != SURETY_OK)
        return;
    receive_measure(run);
    surety__judged_reply(&run->judged,
                         subject.text.len ? subject.text : subject.native);
    subject.partial = surety__setup_takes_part(&run->setup) && !run->plan.patch;
    outcome = receive_weigh(run, &subject, false);
    if (outcome)
        surety__judged_keep(&run->judged, outcome, &subject);
    if (surety_outcome_info_of(outcome)->partial)
        receive_keep_part(run, subject.text, subject.native);
    if (!outcome || receive_is_unheard(run)) {
        receive_unjudged(run);
        return;
    }
    receive_note(run, judging->patched);
    if (attempt->what != CASE_PATCH)
        receive_keep_basis(run);
}

/* Judges what arrived of a stopped reply: as a partial value, if that reports
 * the error of the check; else as a reply that was cut off. NULL: it cannot be
 * judged. */
static surety_outcome *receive_weigh_stopped(surety_run *run,
                                             surety__subject *subject)
{
    surety__attempt *attempt = surety__attempt_last(run);
    const surety_stage stage = surety__findings_stage(&attempt->finding);
    surety_outcome *outcome = NULL;

    subject->cut = true;
    subject->partial = attempt->seen.stopped != SURETY_VERDICT_RUNAWAY;
    if (subject->partial) {
        outcome = receive_weigh(run, subject, false);
        attempt->outcome_tells =
            outcome && !surety_outcome_info_of(outcome)->ok &&
            surety_outcome_info_of(outcome)->stage == stage;
        if (!outcome || attempt->outcome_tells)
            return outcome;
        surety_outcome_free(outcome);
    }
    subject->partial = false;
    return receive_weigh(run, subject, false);
}

/* Judges a reply that was stopped. */
static void receive_judge_stopped(surety_run *run)
{
    surety__attempt *attempt = surety__attempt_last(run);
    const surety_str came = attempt->seen.answer.text;
    surety__judging *judging = &run->judging;
    surety__subject subject = {
        .text = came, .native = {"", 0}, .attempt = run->log.count};
    surety_outcome *outcome;

    if (!judging->taken && surety__watch_is_value(&run->exchange.watch)) {
        subject.native = receive_restore_part(run, came);
        subject.text = (surety_str){"", 0};
    }
    if (!judging->taken)
        judging->subject = subject;
    judging->taken = true;
    subject = judging->subject;
    if (run->store.status != SURETY_OK)
        return;
    surety__judged_reply(&run->judged, came);
    outcome = receive_weigh_stopped(run, &subject);
    subject.stopped = run->log.count;
    if (outcome)
        surety__judged_keep(&run->judged, outcome, &subject);
    if (outcome && attempt->seen.stopped == SURETY_VERDICT_RUNAWAY)
        receive_keep_part(run, subject.text, subject.native);
    if (!outcome || receive_is_unheard(run)) {
        receive_unjudged(run);
        return;
    }
    receive_note(run, false);
    receive_keep_basis(run);
}

/* Whether the run stopped the call because of its check. A failure that the
 * provider reports has priority. A reply that was read on and then broke off
 * counts as stopped too: it was known to be wrong, so a retry of the call is
 * no remedy. */
static bool receive_is_stopped(const surety_run *run)
{
    const surety__watch *watch = &run->exchange.watch;
    const surety_failure failure =
        surety__attempt_last(run)->seen.answer.failure;

    if (failure == SURETY_FAILURE_LENGTH)
        return watch->stops;
    return (watch->stops || watch->certain) &&
           surety__failure_is_below(failure);
}

/* Reduces the answer to what had arrived when it was stopped. */
static void receive_stop(surety_run *run)
{
    surety__attempt *attempt = surety__attempt_last(run);
    surety_answer *answer = &attempt->seen.answer;

    surety__watch_note(&run->exchange.watch, attempt);
    if (attempt->seen.stopped != SURETY_VERDICT_RUNAWAY)
        run->at.stops = true;
    answer->text = surety__store_copy(
        &run->store, surety__watch_reply(&run->exchange.watch));
    answer->native = (surety_str){"", 0};
    answer->failure = SURETY_FAILURE_NONE;
    answer->error_code = answer->error_message = (surety_str){"", 0};
    answer->ambiguous = false;
}

/* Keeps what arrived of a reply that the provider, the connection or the time
 * limit cut off. */
static void receive_cut(surety_run *run)
{
    const surety_answer *answer = &surety__attempt_last(run)->seen.answer;
    const surety_failure failure = answer->failure;
    surety_str text = answer->text;
    surety_str native = {"", 0};

    if (failure == SURETY_FAILURE_LENGTH && (text.len || answer->native.len))
        surety__judged_reply(&run->judged, text.len ? text : answer->native);
    if (failure != SURETY_FAILURE_LENGTH && failure != SURETY_FAILURE_TIMEOUT &&
        failure != SURETY_FAILURE_RESET &&
        failure != SURETY_FAILURE_TRUNCATED && !run->exchange.out_of_time)
        return;
    if (!surety__setup_takes_part(&run->setup) || run->plan.patch)
        return;
    if (run->judging.taken) {
        text = run->judging.subject.text;
        native = run->judging.subject.native;
    } else if (run->plan.mode != SURETY_MODE_PROMPT) {
        native = receive_restore_part(run, answer->native.len ? answer->native
                                                              : text);
        text = (surety_str){"", 0};
    }
    run->judging.taken = true;
    run->judging.subject = (surety__subject){.text = text, .native = native};
    receive_keep_part(run, text, native);
    if (run->hearing.failed)
        receive_unjudged(run);
}

void surety__receive_judge(surety_run *run)
{
    const surety__attempt *attempt = surety__attempt_last(run);
    const surety_failure failure = attempt->seen.answer.failure;
    const bool contract = run->setup.options.contract != NULL;
    surety__judging *judging = &run->judging;

    assert(run->state == STATE_ANSWERED);
    run->hearing.waits = false;
    if (run->exchange.watch.certain &&
        surety__watch_reply(&run->exchange.watch).len >
            run->exchange.watch.certain_at)
        surety__attempt_last(run)->read_on = run->exchange.watch.certain_at;
    if (!judging->begun && receive_is_stopped(run)) {
        judging->stopped = true;
        receive_stop(run);
    }
    judging->begun = true;
    if (judging->stopped) {
        if (run->store.status == SURETY_OK)
            receive_judge_stopped(run);
        return;
    }
    if (failure != SURETY_FAILURE_NONE &&
        !(contract && failure == SURETY_FAILURE_EMPTY)) {
        receive_cut(run);
        return;
    }
    if (contract)
        receive_judge_whole(run);
    else
        surety__judged_reply(&run->judged, attempt->seen.answer.text);
}

void surety__receive_fallback(surety_run *run)
{
    surety_outcome *outcome;

    if (run->judged.part || run->hearing.failed)
        return;
    surety__judged_prefer_basis(&run->judged);
    if (!run->judged.outcome || run->store.status != SURETY_OK ||
        surety_contract_info_of(run->setup.options.contract)->fallback ==
            SURETY_FALLBACK_NONE ||
        receive_options(run, &run->judged.outcome_of).no_fallback)
        return;
    outcome = receive_weigh(run, &run->judged.outcome_of, true);
    if (!outcome)
        return;
    surety__judged_forget(&run->judged);
    run->judged.outcome = outcome;
}
