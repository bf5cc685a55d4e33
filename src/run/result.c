/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a run, and its results. A run without a valid value still gives
 * all it has: the first and the last reply, each report, the attempts with
 * their reasons, the cost. Its verdict is the best of its attempts: a wrong
 * reply is better than a refusal, and a refusal is better than no answer. */
#include "run/run.h"

/* ORDER verdicts */
static const char *const result_verdicts[] = {
    "pending",  "valid",  "partial", "fallback",  "rejected",  "refused",
    "provider", "budget", "ledger",  "cancelled", "validator", "calls",
};

const char *surety_run_verdict_name(surety_run_verdict verdict)
{
    return (unsigned)verdict < SURETY__COUNT(result_verdicts)
               ? result_verdicts[verdict]
               : "unknown";
}

/* ---- the end ------------------------------------------------------------- */

surety__end surety__result_of_cause(surety__run_store *store,
                                    surety_run_verdict verdict,
                                    const char *before,
                                    const surety_error *cause)
{
    surety__end end = {.verdict = verdict};

    surety_buf_text(&store->text, before);
    surety__buf_line(&store->text, surety_str_of(cause->message), 320);
    end.message = surety__store_keep(store);
    end.hint = surety__store_copy(store, surety_str_of(cause->hint));
    return end;
}

/* The verdict of all attempts together. */
static surety_run_verdict result_verdict(const surety__log *log)
{
    surety_run_verdict verdict = SURETY_RUN_PROVIDER;

    for (size_t i = 0; i < log->count; i++) {
        const surety_run_verdict one =
            surety__decide_row(log->items[i].what)->verdict;

        if (one == SURETY_RUN_REJECTED || one == SURETY_RUN_REFUSED)
            verdict = one < verdict ? one : verdict;
    }
    return verdict;
}

/* Appends "NAME (3 calls): the last result; NAME: ..." */
static void result_write_calls(const surety__log *log, surety_buf *out)
{
    size_t i = 0;

    while (i < log->count) {
        const surety_model *model = log->items[i].seen.model;
        size_t calls = 0;

        surety_buf_text(out, i ? "; " : ": ");
        for (; i < log->count && log->items[i].seen.model == model; i++)
            calls++;
        surety__buf_line(out, model->name, 80);
        if (calls > 1)
            surety__buf_printf(out, " (%zu calls)", calls);
        surety_buf_text(out, ": ");
        surety_buf_add(out, log->items[i - 1].result);
    }
}

/* Appends why there is no valid value. */
static void result_write_reason(const surety_contract *contract,
                                surety_run_verdict verdict, surety_str spent,
                                const surety__results *results, surety_buf *out)
{
    const surety_str id =
        contract ? surety_contract_info_of(contract)->id : (surety_str){"", 0};

    if (verdict == SURETY_RUN_FALLBACK)
        surety_buf_text(out, "the value is the contract's fallback");
    if (verdict == SURETY_RUN_PARTIAL)
        surety_buf_text(out, "the value is a part of a reply that was cut off");
    if (out->len && spent.len)
        surety_buf_text(out, ", because ");
    if (spent.len) {
        surety_buf_add(out, spent);
    } else if (verdict == SURETY_RUN_REJECTED && contract) {
        surety_buf_text(out, "no reply satisfies the contract");
        surety_buf_text(out, id.len ? " " : "");
        surety__buf_line(out, id, 120);
    } else if (verdict == SURETY_RUN_REJECTED) {
        surety_buf_text(out, surety__log_calls_are_wrong(&results->log)
                                 ? "no reply calls a tool as it has to"
                                 : "no model gave a whole reply");
    } else if (verdict == SURETY_RUN_REFUSED) {
        surety_buf_text(out, "no model wants to answer");
    } else if (verdict == SURETY_RUN_PROVIDER) {
        surety_buf_text(out, "no model gave a reply");
    }
    if (results->judged.contradicts && verdict > SURETY_RUN_FALLBACK)
        surety_buf_text(out, ", and a value in its place would not begin with "
                             "the elements that were given");
}

/* What to do about the last attempt: of a call for which no request could be
 * made, the cause says more than the case. */
static surety_str result_hint(surety__run_store *store,
                              const surety__results *results)
{
    const surety__case what = surety__attempt_last(&results->log)->what;

    return what == CASE_UNSENT && results->cause.hint[0]
               ? surety__store_copy(store, surety_str_of(results->cause.hint))
               : surety_str_of(surety__decide_row(what)->hint);
}

surety__end surety__result_give_up(surety__run_store *store,
                                   const surety_contract *contract,
                                   surety__results *results, bool failed,
                                   surety_str spent)
{
    const surety__log *log = &results->log;
    surety__end end = {.verdict = result_verdict(log)};

    /* No fallback or partial value is given: it would hide the failure. */
    if (failed) {
        end = surety__result_of_cause(store, SURETY_RUN_VALIDATOR, "",
                                      &results->cause);
        if (!end.hint.len)
            end.hint = surety_str_of(surety__decide_row(CASE_VALIDATOR)->hint);
        return end;
    }
    if (surety__judged_settle(&results->judged))
        end.verdict = SURETY_RUN_PARTIAL;
    else if (surety_outcome_info_of(results->judged.outcome)->fallback)
        end.verdict = SURETY_RUN_FALLBACK;
    else if (spent.len)
        end.verdict = SURETY_RUN_BUDGET;
    if (end.verdict == SURETY_RUN_BUDGET)
        end.hint = SURETY__LITERAL(
            "raise the budget, or name a model that needs fewer calls");
    else if (log->count)
        end.hint = result_hint(store, results);
    result_write_reason(contract, end.verdict, spent, results, &store->text);
    result_write_calls(log, &store->text);
    end.message = surety__store_keep(store);
    return end;
}

void surety__result_withhold(surety__results *results)
{
    const surety_str none = {"", 0};
    surety__judged *judged = &results->judged;
    surety__attempt *attempt = surety__attempt_last(&results->log);

    surety_outcome_free(judged->partial);
    judged->partial = NULL;
    if (attempt->seen.judged ||
        surety_outcome_info_of(judged->outcome)->fallback)
        surety__judged_forget(judged);
    attempt->seen.answer.text = attempt->seen.answer.native = none;
    attempt->seen.answer.message.part_count = 0;
    attempt->seen.report = attempt->seen.candidate = none;
    attempt->seen.candidate_len = 0;
    attempt->seen.judged = attempt->seen.ok = false;
    judged->reply_first = judged->reply_last = none;
    for (size_t i = 0; i + 1 < results->log.count; i++) {
        const surety_str text = surety__attempt_text(&results->log.items[i]);

        if (!judged->reply_first.len)
            judged->reply_first = text;
        if (text.len)
            judged->reply_last = text;
    }
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
    const surety__results *results = run ? &run->results : NULL;

    if (!run)
        return &none;
    *run->info = (surety_run_info){
        .size = sizeof(*run->info),
        .verdict = results->end.verdict,
        .message = results->end.message,
        .hint = results->end.hint,
        .outcome = results->judged.outcome,
        .reply_first = results->judged.reply_first,
        .reply_last = results->judged.reply_last,
        .usage = results->spent.usage,
        .cost_known = !results->spent.cost_unknown,
        .cost_picousd =
            results->spent.cost_unknown ? 0 : results->spent.cost_picousd,
        .id = results->log.run,
        .attempt_count = results->log.count,
        .tool_use_count = run->steps.count,
    };
    return run->info;
}

surety_tool_use surety_run_tool_use(const surety_run *run, size_t i)
{
    if (!run || i >= run->steps.count)
        return (surety_tool_use){.name = {"", 0}};
    return run->steps.items[i].seen;
}

surety_str surety_run_tool_report(const surety_run *run, size_t i)
{
    return run && i < run->steps.count ? run->steps.items[i].report
                                       : (surety_str){"", 0};
}

const surety_run_response_info *
surety_run_response_info_of(const surety_run *run)
{
    return run && run->exchange.passing.given ? &run->exchange.passing.head
                                              : NULL;
}

const surety_message *surety_run_messages(const surety_run *run,
                                          size_t *ret_count)
{
    *ret_count = run ? run->turns.kept_count : 0;
    return run ? run->turns.kept : NULL;
}

surety_attempt surety_run_attempt(const surety_run *run, size_t i)
{
    if (!run || i >= run->results.log.count)
        return (surety_attempt){.model = NULL};
    return run->results.log.items[i].seen;
}
