/* SPDX-License-Identifier: Apache-2.0 */
/* How a run ended, and what it has to give. A run that got nothing valid still
 * gives all it has: the first and the last reply, each report, what was tried
 * and why, what it cost. Its verdict is the best that any of its attempts came
 * to: a reply that is wrong tells more than a refusal, and that more than no
 * answer. */
#include "run/run.h"

/* ORDER verdicts */
static const char *const result_verdicts[] = {
    "pending",  "valid",  "partial", "fallback",  "rejected",  "refused",
    "provider", "budget", "ledger",  "cancelled", "validator",
};

const char *surety_run_verdict_name(surety_run_verdict verdict)
{
    return (unsigned)verdict <= SURETY_RUN_VALIDATOR ? result_verdicts[verdict]
                                                     : "unknown";
}

/* ---- texts --------------------------------------------------------------- */

surety_str surety__result_copy(surety_run *run, surety_str text)
{
    surety_str copy = {"", 0};

    if (!text.len)
        return copy;
    copy = surety__arena_text(&run->arena, text);
    if (copy.ptr)
        return copy;
    run->status = SURETY_NOMEM;
    return (surety_str){"", 0};
}

surety_issue surety__result_issue(surety_run *run, const surety_issue *issue)
{
    return (surety_issue){
        .keyword = surety__result_copy(run, issue->keyword),
        .instance_location = surety__result_copy(run, issue->instance_location),
        .keyword_location = surety__result_copy(run, issue->keyword_location),
        .absolute_keyword_location =
            surety__result_copy(run, issue->absolute_keyword_location),
        .message = surety__result_copy(run, issue->message),
        .hint = surety__result_copy(run, issue->hint),
        .position = issue->position,
    };
}

surety_str surety__result_keep(surety_run *run)
{
    surety_str text = {"", 0};

    if (run->text.status == SURETY_OK)
        text = surety__result_copy(run, surety_buf_str(&run->text));
    else
        run->status = SURETY_NOMEM;
    surety_buf_reset(&run->text);
    return text;
}

/* Control characters, line separators, direction marks and overrides. */
static bool result_is_unsafe(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C ||
           code == 0x200E || code == 0x200F ||
           (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

void surety__result_line(surety_buf *out, surety_str text, size_t max)
{
    const char *ptr = text.len ? text.ptr : "";
    const char *end = ptr + text.len;

    for (size_t i = 0; ptr < end && i < max; i++) {
        unsigned len;
        const uint32_t code = surety__utf8_decode(ptr, end, &len);

        if (code == UINT32_MAX)
            surety_buf_text(out, "\xEF\xBF\xBD");
        else if (result_is_unsafe(code))
            surety_buf_byte(out, ' ');
        else
            surety_buf_append(out, ptr, len);
        ptr += len;
    }
    if (ptr != end)
        surety_buf_text(out, "...");
}

void surety__result_event(surety_run *run, surety_event_kind kind,
                          surety_str text)
{
    const surety_event event = {kind, (uint32_t)run->attempt_count, text};

    if (run->options.event)
        run->options.event(run->options.event_ctx, &event);
}

/* ---- the end ------------------------------------------------------------- */

void surety__result_end(surety_run *run, surety_run_verdict verdict,
                        surety_str message, surety_str hint)
{
    assert(run->state != STATE_ENDED);
    run->state = STATE_ENDED;
    run->verdict = verdict;
    run->message = message;
    run->hint = hint;
}

/* The verdict of the attempts together. */
static surety_run_verdict result_verdict(const surety_run *run)
{
    surety_run_verdict verdict = SURETY_RUN_PROVIDER;

    for (size_t i = 0; i < run->attempt_count; i++) {
        const surety_run_verdict one =
            surety__decide_verdict(run->attempts[i].what);

        if (one == SURETY_RUN_REJECTED || one == SURETY_RUN_REFUSED)
            verdict = one < verdict ? one : verdict;
    }
    return verdict;
}

/* "NAME (3 calls): what came last; NAME: ..." */
static void result_tell_tried(surety_run *run)
{
    surety_buf *out = &run->text;
    size_t i = 0;

    while (i < run->attempt_count) {
        const surety_model *model = run->attempts[i].seen.model;
        size_t calls = 0;

        surety_buf_text(out, i ? "; " : ": ");
        for (; i < run->attempt_count && run->attempts[i].seen.model == model;
             i++)
            calls++;
        surety__result_line(out, model->name, 80);
        if (calls > 1)
            surety__buf_printf(out, " (%zu calls)", calls);
        surety_buf_text(out, ": ");
        surety_buf_add(out, run->attempts[i - 1].told);
    }
}

static void result_tell(surety_run *run, surety_run_verdict verdict,
                        surety_str spent)
{
    surety_buf *out = &run->text;

    if (verdict == SURETY_RUN_FALLBACK)
        surety_buf_text(out, "the contract's fallback stands in");
    if (verdict == SURETY_RUN_PARTIAL)
        surety_buf_text(out, "what there is of a reply that was cut off stands "
                             "in");
    if (out->len && spent.len)
        surety_buf_text(out, ", for ");
    if (spent.len) {
        surety_buf_add(out, spent);
    } else if (verdict == SURETY_RUN_REJECTED && run->options.contract) {
        const surety_str id = surety_contract_id(run->options.contract);

        surety_buf_text(out, "no reply satisfies the contract");
        surety_buf_text(out, id.len ? " " : "");
        surety__result_line(out, id, 120);
    } else if (verdict == SURETY_RUN_REJECTED) {
        surety_buf_text(out, "no model gave a whole reply");
    } else if (verdict == SURETY_RUN_REFUSED) {
        surety_buf_text(out, "no model wants to answer");
    } else if (verdict == SURETY_RUN_PROVIDER) {
        surety_buf_text(out, "no model gave a reply");
    }
    result_tell_tried(run);
}

/* Ends for a validator that failed: whatever stands in for a valid value would
 * hide that. */
static void result_unheard(surety_run *run)
{
    const surety_str hint = surety_str_of(run->cause.hint);

    surety__result_line(&run->text, surety_str_of(run->cause.message), 320);
    surety__result_end(run, SURETY_RUN_VALIDATOR, surety__result_keep(run),
                       hint.len
                           ? surety__result_copy(run, hint)
                           : surety_str_of(surety__decide_hint(CASE_UNHEARD)));
}

void surety__result_give_up(surety_run *run, surety_str spent)
{
    surety_run_verdict verdict = result_verdict(run);
    const char *hint = NULL;

    if (run->judging.failed) {
        result_unheard(run);
        return;
    }
    if (surety__receive_settle(run))
        verdict = SURETY_RUN_PARTIAL;
    else if (surety_outcome_fallback(run->outcome))
        verdict = SURETY_RUN_FALLBACK;
    else if (spent.len)
        verdict = SURETY_RUN_BUDGET;
    if (verdict == SURETY_RUN_BUDGET)
        hint = "raise the budget, or name a model that needs fewer calls";
    else if (run->attempt_count)
        hint = surety__decide_hint(surety__attempt_last(run)->what);
    result_tell(run, verdict, spent);
    surety__result_end(run, verdict, surety__result_keep(run),
                       surety_str_of(hint));
}

void surety__result_unrecorded(surety_run *run)
{
    const surety_str none = {"", 0};
    surety__attempt *attempt =
        run->attempt_count ? surety__attempt_last(run) : NULL;

    /* Where the row was begun, its answer has no record: it is dropped. */
    if (attempt && run->state == STATE_ANSWERED) {
        if (attempt->seen.judged || surety_outcome_fallback(run->outcome))
            surety__receive_forget(run);
        surety_outcome_free(run->part);
        run->part = NULL;
        attempt->seen.answer.text = attempt->seen.answer.native = none;
        attempt->seen.report = attempt->candidate = none;
        attempt->candidate_len = 0;
        attempt->seen.judged = attempt->seen.ok = false;
        run->reply_first = run->reply_last = none;
        for (size_t i = 0; i + 1 < run->attempt_count; i++) {
            const surety_answer *answer = &run->attempts[i].seen.answer;
            const surety_str text =
                answer->text.len ? answer->text : answer->native;

            if (!run->reply_first.len)
                run->reply_first = text;
            if (text.len)
                run->reply_last = text;
        }
    }
    surety_buf_text(&run->text, "the ledger could not be written: ");
    surety__result_line(&run->text, surety_str_of(run->cause.message), 320);
    surety__result_end(
        run, SURETY_RUN_LEDGER, surety__result_keep(run),
        surety__result_copy(run, surety_str_of(run->cause.hint)));
}

/* ---- what it gives ------------------------------------------------------- */

surety_run_verdict surety_run_verdict_of(const surety_run *run)
{
    return run ? run->verdict : SURETY_RUN_PENDING;
}

surety_str surety_run_message(const surety_run *run)
{
    return run ? run->message : (surety_str){"", 0};
}

surety_str surety_run_hint(const surety_run *run)
{
    return run ? run->hint : (surety_str){"", 0};
}

const surety_outcome *surety_run_outcome(const surety_run *run)
{
    return run ? run->outcome : NULL;
}

surety_str surety_run_reply_first(const surety_run *run)
{
    return run ? run->reply_first : (surety_str){"", 0};
}

surety_str surety_run_reply_last(const surety_run *run)
{
    return run ? run->reply_last : (surety_str){"", 0};
}

surety_usage surety_run_usage(const surety_run *run)
{
    return run ? run->usage : (surety_usage){.known = false};
}

bool surety_run_cost(const surety_run *run, uint64_t *ret_picousd)
{
    if (!run || run->cost_unknown)
        return false;
    if (ret_picousd)
        *ret_picousd = run->cost_picousd;
    return true;
}

surety_str surety_run_id(const surety_run *run)
{
    return run ? run->id : (surety_str){"", 0};
}

size_t surety_run_attempt_count(const surety_run *run)
{
    return run ? run->attempt_count : 0;
}

surety_attempt surety_run_attempt(const surety_run *run, size_t i)
{
    if (i >= surety_run_attempt_count(run))
        return (surety_attempt){.model = NULL};
    return run->attempts[i].seen;
}

surety_str surety_run_attempt_candidate(const surety_run *run, size_t i,
                                        size_t *ret_len)
{
    const bool there = i < surety_run_attempt_count(run);

    if (ret_len)
        *ret_len = there ? run->attempts[i].candidate_len : 0;
    return there ? run->attempts[i].candidate : (surety_str){"", 0};
}
