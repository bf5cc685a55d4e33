/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a run, and its results. A run without a valid value still gives
 * all it has: the first and the last reply, each report, the attempts with
 * their reasons, the cost. Its verdict is the best of its attempts: a wrong
 * reply is better than a refusal, and a refusal is better than no answer. */
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

void surety__result_event(surety_run *run, surety_event_kind kind,
                          surety_str text)
{
    const surety_event event = {kind, (uint32_t)run->log.count, text};

    if (run->setup.options.event)
        run->setup.options.event(run->setup.options.event_ctx, &event);
}

/* ---- the end ------------------------------------------------------------- */

void surety__result_end(surety_run *run, surety_run_verdict verdict,
                        surety_str message, surety_str hint)
{
    assert(run->state != STATE_ENDED);
    run->state = STATE_ENDED;
    run->end.verdict = verdict;
    run->end.message = message;
    run->end.hint = hint;
}

void surety__result_end_cause(surety_run *run, surety_run_verdict verdict,
                              const char *before)
{
    surety_str message;

    surety_buf_text(&run->store.text, before);
    surety__buf_line(&run->store.text, surety_str_of(run->cause.message), 320);
    message = surety__store_keep(&run->store);
    surety__result_end(
        run, verdict, message,
        surety__store_copy(&run->store, surety_str_of(run->cause.hint)));
}

/* The verdict of all attempts together. */
static surety_run_verdict result_verdict(const surety_run *run)
{
    surety_run_verdict verdict = SURETY_RUN_PROVIDER;

    for (size_t i = 0; i < run->log.count; i++) {
        const surety_run_verdict one =
            surety__decide_verdict(run->log.items[i].what);

        if (one == SURETY_RUN_REJECTED || one == SURETY_RUN_REFUSED)
            verdict = one < verdict ? one : verdict;
    }
    return verdict;
}

/* Appends "NAME (3 calls): the last result; NAME: ..." */
static void result_tell_tried(surety_run *run)
{
    surety_buf *out = &run->store.text;
    size_t i = 0;

    while (i < run->log.count) {
        const surety_model *model = run->log.items[i].seen.model;
        size_t calls = 0;

        surety_buf_text(out, i ? "; " : ": ");
        for (; i < run->log.count && run->log.items[i].seen.model == model; i++)
            calls++;
        surety__buf_line(out, model->name, 80);
        if (calls > 1)
            surety__buf_printf(out, " (%zu calls)", calls);
        surety_buf_text(out, ": ");
        surety_buf_add(out, run->log.items[i - 1].told);
    }
}

static void result_tell(surety_run *run, surety_run_verdict verdict,
                        surety_str spent)
{
    surety_buf *out = &run->store.text;

    if (verdict == SURETY_RUN_FALLBACK)
        surety_buf_text(out, "the contract's fallback stands in");
    if (verdict == SURETY_RUN_PARTIAL)
        surety_buf_text(out, "what there is of a reply that was cut off stands "
                             "in");
    if (out->len && spent.len)
        surety_buf_text(out, ", for ");
    if (spent.len) {
        surety_buf_add(out, spent);
    } else if (verdict == SURETY_RUN_REJECTED && run->setup.options.contract) {
        const surety_str id =
            surety_contract_info_of(run->setup.options.contract)->id;

        surety_buf_text(out, "no reply satisfies the contract");
        surety_buf_text(out, id.len ? " " : "");
        surety__buf_line(out, id, 120);
    } else if (verdict == SURETY_RUN_REJECTED) {
        surety_buf_text(out, "no model gave a whole reply");
    } else if (verdict == SURETY_RUN_REFUSED) {
        surety_buf_text(out, "no model wants to answer");
    } else if (verdict == SURETY_RUN_PROVIDER) {
        surety_buf_text(out, "no model gave a reply");
    }
    result_tell_tried(run);
}

/* Ends the run because a validator failed. No fallback or partial value is
 * given: it would hide the failure. */
static void result_unheard(surety_run *run)
{
    surety__result_end_cause(run, SURETY_RUN_VALIDATOR, "");
    if (!run->end.hint.len)
        run->end.hint = surety_str_of(surety__decide_hint(CASE_UNHEARD));
}

void surety__result_give_up(surety_run *run, surety_str spent)
{
    surety_run_verdict verdict = result_verdict(run);
    const char *hint = NULL;

    if (run->hearing.failed) {
        result_unheard(run);
        return;
    }
    if (surety__judged_settle(&run->judged))
        verdict = SURETY_RUN_PARTIAL;
    else if (surety_outcome_info_of(run->judged.outcome)->fallback)
        verdict = SURETY_RUN_FALLBACK;
    else if (spent.len)
        verdict = SURETY_RUN_BUDGET;
    if (verdict == SURETY_RUN_BUDGET)
        hint = "raise the budget, or name a model that needs fewer calls";
    else if (run->log.count)
        hint = surety__decide_hint(surety__attempt_last(run)->what);
    result_tell(run, verdict, spent);
    surety__result_end(run, verdict, surety__store_keep(&run->store),
                       surety_str_of(hint));
}

void surety__result_unrecorded(surety_run *run)
{
    const surety_str none = {"", 0};
    surety__attempt *attempt =
        run->log.count ? surety__attempt_last(run) : NULL;

    /* The row of this attempt was begun but not finished, so its answer has no
     * record and is not given out. */
    if (attempt && run->state == STATE_ANSWERED) {
        if (attempt->seen.judged ||
            surety_outcome_info_of(run->judged.outcome)->fallback)
            surety__judged_forget(&run->judged);
        surety__judged_forget_part(&run->judged);
        attempt->seen.answer.text = attempt->seen.answer.native = none;
        attempt->seen.report = attempt->seen.candidate = none;
        attempt->seen.candidate_len = 0;
        attempt->seen.judged = attempt->seen.ok = false;
        run->judged.reply_first = run->judged.reply_last = none;
        for (size_t i = 0; i + 1 < run->log.count; i++) {
            const surety_answer *answer = &run->log.items[i].seen.answer;
            const surety_str text =
                answer->text.len ? answer->text : answer->native;

            if (!run->judged.reply_first.len)
                run->judged.reply_first = text;
            if (text.len)
                run->judged.reply_last = text;
        }
    }
    surety__result_end_cause(run, SURETY_RUN_LEDGER,
                             "the ledger could not be written: ");
}

/* ---- results ------------------------------------------------------------- */

const surety_run_info *surety_run_info_of(const surety_run *run)
{
    static const surety_run_info none = {.size = sizeof(none),
                                         .message = {"", 0},
                                         .hint = {"", 0},
                                         .reply_first = {"", 0},
                                         .reply_last = {"", 0},
                                         .id = {"", 0}};

    if (!run)
        return &none;
    *run->info = (surety_run_info){
        .size = sizeof(*run->info),
        .verdict = run->end.verdict,
        .message = run->end.message,
        .hint = run->end.hint,
        .outcome = run->judged.outcome,
        .reply_first = run->judged.reply_first,
        .reply_last = run->judged.reply_last,
        .usage = run->spent.usage,
        .cost_known = !run->spent.cost_unknown,
        .cost_picousd = run->spent.cost_unknown ? 0 : run->spent.cost_picousd,
        .id = run->id,
        .attempt_count = run->log.count,
    };
    return run->info;
}

surety_attempt surety_run_attempt(const surety_run *run, size_t i)
{
    if (!run || i >= run->log.count)
        return (surety_attempt){.model = NULL};
    return run->log.items[i].seen;
}
