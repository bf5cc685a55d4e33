/* SPDX-License-Identifier: Apache-2.0 */
/* An answer, from its bytes to its judgement.
 *
 * 1. The receiver only feeds the decoder and takes notes: it runs inside of the
 *    transport, where there is no clock and nothing may be decided.
 * 2. What a provider cut off, withheld or refused is no reply: it is not
 *    judged, whatever stands in it.
 * 3. A structured value is first made one of the contract's again (strict.h),
 *    then judged alone, as the place native: text beside it is talk. Where the
 *    provider delivered text instead, or a value that is no JSON, the text is
 *    judged by the contract's places.
 * 4. Only the very last judgement of a run may fall back. */
#include "run/run.h"

/* ---- the receiver -------------------------------------------------------- */

static void receive_head(void *ctx, int status, const surety_header *headers,
                         size_t count)
{
    surety_run *run = ctx;

    run->heard = true;
    surety__decoder_head(run->decoder, status, headers, count);
}

static bool receive_bytes(void *ctx, surety_str bytes)
{
    surety_run *run = ctx;

    run->heard = true;
    return surety__decoder_feed(run->decoder, bytes);
}

static void receive_end(void *ctx, const surety_delivery *delivery)
{
    surety_run *run = ctx;

    run->ended = true;
    run->delivery = *delivery;
}

surety_receiver surety__receive_receiver(surety_run *run)
{
    return (surety_receiver){run, receive_head, receive_bytes, receive_end};
}

static void receive_piece(void *ctx, surety__piece piece, surety_str text)
{
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

    if (run->heard && !attempt->seen.first_byte_ms)
        attempt->seen.first_byte_ms = run->now.monotonic_ms;
    attempt->sent = run->delivery.sent || run->heard;
    surety__decoder_finish(run->decoder, &run->delivery, run->now.unix_ms);
    if (surety__decoder_answer(run->decoder, answer) != SURETY_OK) {
        *answer = (surety_answer){.failure = SURETY_FAILURE_LIMIT};
        run->status = SURETY_NOMEM;
        return;
    }
    same = answer->native.len && answer->native.ptr == answer->text.ptr &&
           answer->native.len == answer->text.len;
    answer->text = surety__result_copy(run, answer->text);
    answer->native =
        same ? answer->text : surety__result_copy(run, answer->native);
    answer->refusal = surety__result_copy(run, answer->refusal);
    answer->finish_reason = surety__result_copy(run, answer->finish_reason);
    answer->model = surety__result_copy(run, answer->model);
    answer->response_id = surety__result_copy(run, answer->response_id);
    answer->request_id = surety__result_copy(run, answer->request_id);
    answer->error_code = surety__result_copy(run, answer->error_code);
    answer->error_message = surety__result_copy(run, answer->error_message);
    attempt->what = (surety__case)answer->failure;
}

/* ---- the judgement ------------------------------------------------------- */

static void receive_reply(surety_run *run, surety_str reply)
{
    if (!run->replied)
        run->reply_first = reply;
    run->reply_last = reply;
    run->replied = true;
}

void surety__receive_forget_basis(surety_run *run)
{
    if (run->basis != run->outcome)
        surety_outcome_free(run->basis);
    run->basis = NULL;
}

void surety__receive_forget(surety_run *run)
{
    surety__receive_forget_basis(run);
    surety_outcome_free(run->outcome);
    run->outcome = NULL;
}

/* The structured value as one of the contract's, as text that lives as long as
 * the run; empty where it is no JSON. */
static surety_str receive_restore(surety_run *run, surety_str native)
{
    const surety_read_options options = {.size = sizeof(options),
                                         .flags = SURETY_READ_BORROW,
                                         .limits = run->options.limits};
    surety_status status;

    if (!run->plan.strict)
        return native;
    if (!run->value)
        run->value = surety_doc_new(run->alloc);
    if (!run->restored)
        run->restored = surety_doc_new(run->alloc);
    if (!run->value || !run->restored) {
        run->status = SURETY_NOMEM;
        return (surety_str){"", 0};
    }
    status = surety_doc_read(run->value, native, &options, NULL);
    if (status == SURETY_OK)
        status =
            surety_strict_restore(run->plan.strict, surety_doc_root(run->value),
                                  run->restored, &run->cause);
    if (status == SURETY_NOMEM)
        run->status = SURETY_NOMEM;
    if (status != SURETY_OK)
        return (surety_str){"", 0};
    (void)surety_val_write(surety_doc_root(run->restored), SURETY_STYLE_COMPACT,
                           &run->text);
    return surety__result_keep(run);
}

/* The value that a patch makes of the last reply's; empty where none can be
 * made. */
static surety_str receive_patch(surety_run *run, surety_str reply)
{
    surety_error cause = {.status = SURETY_OK};
    const surety_status status =
        surety_prompt_patch(run->basis, reply, &run->text, &cause);

    if (status == SURETY_OK)
        return surety__result_keep(run);
    surety_buf_reset(&run->text);
    run->cause = cause;
    if (status == SURETY_NOMEM)
        run->status = SURETY_NOMEM;
    return (surety_str){"", 0};
}

/* A hash of what is wrong and where: the same set, whatever its order and
 * words, gives the same number. */
static uint64_t receive_violations(const surety_outcome *outcome)
{
    const size_t count = surety_outcome_error_count(outcome);
    uint64_t sum = (uint64_t)surety_outcome_stage(outcome) << 32 | count;

    for (size_t i = 0; i < count; i++) {
        const surety_issue issue = surety_outcome_error(outcome, i);
        uint64_t state =
            (uint64_t)surety__hash(issue.keyword.ptr, issue.keyword.len) << 32 |
            surety__hash(issue.instance_location.ptr,
                         issue.instance_location.len);

        sum += surety__id_random(&state);
    }
    return sum;
}

static surety_judge_options receive_options(const surety_run *run,
                                            surety_str native)
{
    const surety_judge_options *given = run->options.judge;
    surety_judge_options options = {.size = sizeof(options)};

    if (given)
        memcpy(&options, given,
               given->size && given->size < sizeof(options) ? given->size
                                                            : sizeof(options));
    options.size = sizeof(options);
    options.native = native;
    if (native.len)
        options.extract = &run->extract;
    return options;
}

/* Judges and keeps the outcome; false where that cannot be done. */
static bool receive_weigh(surety_run *run, surety_str reply, surety_str native)
{
    surety_judge_options options = receive_options(run, native);
    surety_outcome *outcome = NULL;
    surety_error cause = {.status = SURETY_OK};
    surety_status status;

    options.no_fallback = true;
    status = surety_reply_judge(run->options.contract, reply, &options,
                                &outcome, &cause);
    if (status != SURETY_OK) {
        run->cause = cause;
        if (status == SURETY_NOMEM)
            run->status = SURETY_NOMEM;
        return false;
    }
    if (run->outcome != run->basis)
        surety_outcome_free(run->outcome);
    run->outcome = outcome;
    run->outcome_text = reply;
    run->outcome_native = native;
    return true;
}

/* Notes the outcome in the attempt. */
static void receive_note(surety_run *run, bool patched)
{
    static const surety__case cases[] = {CASE_VALID, CASE_EXTRACTION,
                                         CASE_JSON_PARSE, CASE_VALIDATION};
    surety__attempt *attempt = surety__attempt_last(run);
    const surety_stage stage = surety_outcome_stage(run->outcome);
    const uint64_t violations = receive_violations(run->outcome);

    attempt->seen.judged = true;
    attempt->seen.ok = surety_outcome_ok(run->outcome);
    attempt->seen.stage = stage;
    attempt->error_count = surety_outcome_error_count(run->outcome);
    (void)surety_outcome_write(run->outcome, SURETY_REPORT_JSON,
                               (surety_str){"", 0}, &run->text);
    attempt->seen.report = surety__result_keep(run);
    attempt->what = cases[stage];
    if (attempt->seen.ok)
        return;
    if (run->plan.patch && !patched) {
        attempt->what = CASE_PATCH;
        run->patch_failed = true;
        return;
    }
    if (violations == run->violations) {
        attempt->what = CASE_REPEATED;
        run->patch_failed = run->patch_failed || run->plan.patch;
    }
    run->violations = violations;
}

void surety__receive_judge(surety_run *run)
{
    surety__attempt *attempt = surety__attempt_last(run);
    const surety_answer *answer = &attempt->seen.answer;
    const bool contract = run->options.contract != NULL;
    surety_str text = answer->text;
    surety_str native = {"", 0};
    bool patched = false;
    bool restored = false;

    if (answer->failure == SURETY_FAILURE_LENGTH &&
        (text.len || answer->native.len))
        receive_reply(run, text.len ? text : answer->native);
    if (answer->failure != SURETY_FAILURE_NONE &&
        !(contract && answer->failure == SURETY_FAILURE_EMPTY))
        return;
    if (!contract) {
        receive_reply(run, text);
        return;
    }
    if (run->plan.patch && text.len) {
        native = receive_patch(run, text);
        patched = native.len > 0;
    } else if (answer->native.len && run->plan.mode != SURETY_MODE_PROMPT) {
        native = receive_restore(run, answer->native);
        restored = native.len > 0;
        if (!restored)
            native = answer->native;
    }
    if (patched || restored)
        text = (surety_str){"", 0};
    if (run->status != SURETY_OK)
        return;
    receive_reply(run, text.len ? text : native);
    if (!receive_weigh(run, text, native)) {
        attempt->what = CASE_UNJUDGED;
        return;
    }
    receive_note(run, patched);
    if (attempt->what == CASE_PATCH)
        return;
    if (run->basis != run->outcome)
        surety_outcome_free(run->basis);
    run->basis = run->outcome;
    run->basis_text = run->outcome_text;
    run->basis_native = run->outcome_native;
}

/* A reply that should have been a patch and is none says nothing of the value
 * that it should have patched. */
static void receive_prefer_basis(surety_run *run)
{
    if (!run->basis || run->basis == run->outcome)
        return;
    surety_outcome_free(run->outcome);
    run->outcome = run->basis;
    run->outcome_text = run->basis_text;
    run->outcome_native = run->basis_native;
}

void surety__receive_fallback(surety_run *run)
{
    surety_judge_options options;
    surety_outcome *outcome = NULL;
    surety_status status;

    receive_prefer_basis(run);
    if (!run->outcome ||
        surety_contract_fallback(run->options.contract) == SURETY_FALLBACK_NONE)
        return;
    options = receive_options(run, run->outcome_native);
    if (options.no_fallback)
        return;
    status = surety_reply_judge(run->options.contract, run->outcome_text,
                                &options, &outcome, NULL);
    if (status == SURETY_NOMEM)
        run->status = SURETY_NOMEM;
    if (status != SURETY_OK)
        return;
    surety__receive_forget(run);
    run->outcome = outcome;
}
