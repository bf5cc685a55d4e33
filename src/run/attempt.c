/* SPDX-License-Identifier: Apache-2.0 */
/* Plans calls, and adds them to the log. A plan is the text of a call. It is
 * made before the budget is checked, since its length counts there, and kept
 * for retries. An attempt is a plan that is sent.
 *
 * Invariants:
 * 1. Every call is complete in itself: the prompt and, after a reply that
 *    failed, its errors. No transcript of earlier replies is sent.
 * 2. A call for a patch is free text in every mode: a model that is bound to
 *    the contract's schema could not send a patch.
 * 3. This file handles the text of a call only. Keys are headers that
 *    provider/ adds, and no function of a run can show them. */
#include "run/run.h"

/* ORDER purposes */
static const char *const attempt_purposes[] = {
    "ask", "retry", "re-ask", "patch", "step", "re-ask", "re-ask",
};

/* A call that is being planned, and what it is planned from. */
typedef struct attempt_draft {
    surety__forms *forms;
    const surety__setup *setup;
    surety__run_store *store;
    const surety_model *model;
    surety__results *results;
    surety__plan *plan;
    /* The caller's prompt; empty after a step, because the conversation has it
     * already. */
    surety_str prompt;
} attempt_draft;

/* ---- the text of a call -------------------------------------------------- */

/* The options of a prompt to the model, whose part is written to *part. */
static surety_prompt_options attempt_options(const attempt_draft *draft,
                                             surety_prompt_part *part)
{
    surety_prompt_options options = draft->setup->prompt_options;

    options.part = part;
    options.native = draft->plan->mode != SURETY_MODE_PROMPT;
    if (options.native)
        surety__mode_show(draft->forms, draft->model, draft->plan, &options);
    return options;
}

/* Whether a prompt must be written again with the contract's schema, because
 * no example can be made for the contract. */
static bool attempt_repeats(surety_status status,
                            surety_prompt_options *options)
{
    if (status != SURETY_UNSUPPORTED ||
        options->style == SURETY_PROMPT_JSON_SCHEMA)
        return false;
    options->style = SURETY_PROMPT_JSON_SCHEMA;
    return true;
}

/* Writes the system part of a call, with the format instructions if it
 * instructs. Without these and a template it is the caller's text. */
static bool attempt_system(const attempt_draft *draft, bool instructs)
{
    const surety_run_options *given = &draft->setup->options;
    surety_prompt_options options;
    surety_status status;

    draft->plan->system = given->system;
    if (!instructs && !draft->setup->prompt_options.system.len &&
        !surety_contract_info_of(given->contract)->has_system)
        return true;
    options = attempt_options(draft, &draft->plan->system_part);
    options.instruct_system = instructs;
    do {
        status = surety_prompt_system(
            given->contract, given->system, given->prompt, &options,
            &draft->store->text, &draft->results->cause);
    } while (attempt_repeats(status, &options));
    return surety__store_written(draft->store, status, &draft->plan->system);
}

/* Writes the first prompt to a model. */
static bool attempt_ask(const attempt_draft *draft)
{
    const surety_run_options *given = &draft->setup->options;
    surety__plan *plan = draft->plan;
    surety_prompt_options options;
    surety_status status;

    plan->system = given->system;
    plan->prompt = given->request.len && !given->request_as_is ? given->request
                                                               : draft->prompt;
    if (!given->contract)
        return true;
    if (!attempt_system(draft, given->instruct_system))
        return false;
    if (given->instruct_system)
        return true;
    options = attempt_options(draft, &plan->prompt_part);
    do {
        status =
            surety_prompt_write(given->contract, draft->prompt, &options,
                                &draft->store->text, &draft->results->cause);
    } while (attempt_repeats(status, &options));
    return surety__store_written(draft->store, status, &plan->prompt);
}

/* Writes a prompt with the known errors. outcome: of the reply that the prompt
 * is about; NULL: it is about no reply. */
static bool attempt_ask_with_errors(const attempt_draft *draft,
                                    surety_feedback feedback,
                                    const surety_outcome *outcome, bool judged)
{
    const surety__subject *basis = &draft->results->judged.basis_of;
    surety_prompt_options options;
    surety_status status;

    if (!attempt_system(draft, false))
        return false;
    options = attempt_options(draft, &draft->plan->prompt_part);
    options.findings =
        surety__findings_list(&draft->results->findings, draft->store, judged,
                              &options.finding_count);
    do {
        status = surety_prompt_again(
            draft->setup->options.contract, draft->prompt, feedback, outcome,
            basis->text.len ? basis->text : basis->native, &options,
            &draft->store->text, &draft->results->cause);
    } while (attempt_repeats(status, &options));
    return surety__store_written(draft->store, status, &draft->plan->prompt);
}

static const char attempt_shorter[] =
    "\n\nYour last reply was cut off by a limit on its length. Answer again, "
    "whole and much shorter: leave out every explanation, and keep each text "
    "as brief as it can be.\n";
static const char attempt_whole[] =
    "\n\nYour last reply ended before its JSON did. Answer again, with the "
    "whole JSON.\n";
static const char attempt_runaway[] =
    "\n\nYour last reply was stopped because it ran on without end, with the "
    "same text or nothing but white space over and over. Answer again, whole "
    "and without that, and end where the JSON ends.\n";
static const char attempt_uncalled[] =
    "\n\nYour last reply called no tool. Answer with a call of a tool.\n";

/* Writes the first prompt, the known errors, and one sentence about the last
 * reply, which has no errors to list. */
static bool attempt_ask_differently(const attempt_draft *draft)
{
    const surety__case what = surety__attempt_last(&draft->results->log)->what;
    surety_buf *out = &draft->store->text;
    const bool good = draft->results->findings.count &&
                              draft->setup->feedback != SURETY_FEEDBACK_SIMPLE
                          ? attempt_ask_with_errors(
                                draft, SURETY_FEEDBACK_ERRORS, NULL, false)
                          : attempt_ask(draft);

    if (!good)
        return false;
    surety_buf_add(out, draft->plan->prompt);
    surety_buf_text(out, what == CASE_RUNAWAY    ? attempt_runaway
                         : what == CASE_CUT      ? attempt_whole
                         : what == CASE_UNCALLED ? attempt_uncalled
                                                 : attempt_shorter);
    draft->plan->prompt = surety__store_keep(draft->store);
    return true;
}

/* Writes the prompt with the errors of the last reply, or asks for a patch. */
static bool attempt_ask_again(const attempt_draft *draft, bool patch_failed)
{
    surety__plan *plan = draft->plan;
    const surety__results *results = draft->results;
    const surety_outcome *basis = results->judged.basis;
    const size_t stopped = results->judged.basis_of.stopped;
    surety_feedback feedback = draft->setup->feedback;

    if (feedback == SURETY_FEEDBACK_PATCH &&
        (patch_failed || stopped || !surety_outcome_info_of(basis)->patchable))
        feedback = SURETY_FEEDBACK_ERRORS;
    if (feedback == SURETY_FEEDBACK_PATCH) {
        plan->purpose = PURPOSE_PATCH;
        plan->patch = true;
        plan->mode = SURETY_MODE_PROMPT;
    }
    /* If the outcome of a stopped reply does not report what was found, the
     * findings do. */
    if (stopped && !results->log.items[stopped - 1].outcome_reports &&
        feedback == SURETY_FEEDBACK_ERRORS && results->findings.count)
        basis = NULL;
    return attempt_ask_with_errors(draft, feedback, basis, true);
}

/* Appends the tools to the prompt of a model that is bound to nothing else. */
static void attempt_offer(const attempt_draft *draft)
{
    surety_buf *out = &draft->store->text;

    surety_buf_add(out, draft->plan->prompt);
    surety__tool_text_offer(draft->setup->options.tools, out);
    draft->plan->prompt = surety__store_keep(draft->store);
}

/* Appends what earlier replies gave. A call without a prompt goes on behind
 * turns that stay, and is reminded of what they do not tell. */
static void attempt_remind(const attempt_draft *draft)
{
    const surety_items *items = draft->setup->options.items;
    surety_buf *out = &draft->store->text;
    const surety__output *output = draft->setup->output;
    surety__plan *plan = draft->plan;
    const size_t given = (items ? surety_items_count(items) : 0) +
                         (output ? output->given.len : 0);

    if (plan->purpose == PURPOSE_STEP || plan->purpose == PURPOSE_RECALL)
        plan->told_before = plan->told;
    plan->told = plan->told_before;
    if (!given || plan->patch ||
        (!plan->asked.len && given == plan->told_before))
        return;
    plan->told = given;
    surety_buf_add(out, plan->asked);
    if (items)
        (void)surety_items_write(items, out);
    if (output)
        surety__output_demand(output, out);
    plan->prompt = surety__store_keep(draft->store);
}

/* What a call asks for after the last result. */
static const char *attempt_wish(surety__purpose purpose, const surety__log *log)
{
    if (purpose == PURPOSE_PATCH)
        return "for a patch, at ";
    if (purpose != PURPOSE_SHORTER)
        return "with what was wrong, at ";
    switch (surety__attempt_last(log)->what) {
    case CASE_RUNAWAY: return "for a reply that ends, at ";
    case CASE_CUT: return "for the whole reply, at ";
    case CASE_UNCALLED: return "for a call, at ";
    default: return "for a shorter reply, at ";
    }
}

/* Writes the reason of the call, for the log. */
static void attempt_explain(const attempt_draft *draft, surety__position *at)
{
    const surety__setup *setup = draft->setup;
    surety__plan *plan = draft->plan;
    surety_buf *out = &draft->store->text;

    if (plan->purpose == PURPOSE_ASK) {
        surety_buf_text(out, "asks ");
    } else if (plan->purpose == PURPOSE_STEP) {
        surety_buf_text(out, plan->answer_only
                                 ? "goes on, with no more calls of tools, at "
                                 : "goes on with the results at ");
    } else if (plan->purpose == PURPOSE_RETRY) {
        surety__buf_printf(out, "retry %u of %u at ", (unsigned)at->retries,
                           (unsigned)setup->options.backoff.retries_max);
    } else {
        surety__buf_printf(out, "re-ask %u of %u, ", (unsigned)at->reasks,
                           (unsigned)setup->reask_max);
        surety_buf_text(out, attempt_wish(plan->purpose, &draft->results->log));
    }
    surety__buf_line(out, draft->model->name, 80);
    if (setup->options.contract) {
        surety_buf_text(out, " in mode ");
        surety_buf_text(out, surety_mode_name(plan->mode));
    }
    if (at->why.len && plan->purpose != PURPOSE_RETRY) {
        surety_buf_text(out, ", for ");
        surety_buf_add(out, at->why);
        at->why = (surety_str){"", 0};
    }
    plan->reason = surety__store_keep(draft->store);
}

bool surety__attempt_plan(surety__forms *forms, surety__position *at,
                          surety__turns *turns, surety__results *results,
                          surety__purpose purpose, surety__plan *plan)
{
    const surety_model *model = surety__setup_model(forms->setup, at);
    const surety_run_options *options = &forms->setup->options;
    const attempt_draft draft = {
        .forms = forms,
        .setup = forms->setup,
        .store = forms->store,
        .model = model,
        .results = results,
        .plan = plan,
        .prompt = turns->steps ? (surety_str){"", 0} : options->prompt,
    };
    bool good = true;

    plan->purpose = purpose;
    if (purpose != PURPOSE_RETRY) {
        plan->mode = at->mode;
        plan->patch = false;
        plan->system_part = plan->prompt_part = (surety_prompt_part){0};
        surety__mode_bind(forms, model, plan);
        switch (purpose) {
        case PURPOSE_ASK: good = attempt_ask(&draft); break;
        case PURPOSE_STEP:
        case PURPOSE_RECALL: plan->prompt = (surety_str){"", 0}; break;
        case PURPOSE_SHORTER: good = attempt_ask_differently(&draft); break;
        default: good = attempt_ask_again(&draft, at->patch_failed); break;
        }
        if (plan->patch)
            surety__mode_bind(forms, model, plan);
        if (plan->mode == SURETY_MODE_PROMPT && options->tools &&
            options->tool_choice != SURETY_TOOL_CHOICE_NONE && !plan->patch &&
            !turns->offered)
            attempt_offer(&draft);
        plan->asked = plan->prompt;
        good = good &&
               surety__turns_lead(turns, forms, model, plan, &results->cause);
    }
    attempt_remind(&draft);
    plan->input_tokens = surety__budget_estimate(
        turns->bytes + plan->system.len + plan->prompt.len + plan->schema.len +
        (purpose == PURPOSE_RECALL ? forms->setup->raw.body.len : 0));
    assert(!plan->patch || plan->mode == SURETY_MODE_PROMPT);
    assert(!plan->strict || plan->schema.len);
    attempt_explain(&draft, at);
    return good && forms->store->status == SURETY_OK;
}

/* ---- the log ------------------------------------------------------------- */

surety__attempt *surety__attempt_begin(surety__run_store *store,
                                       surety__log *log,
                                       const surety__plan *plan,
                                       const surety_model *model,
                                       surety_now now, uint64_t *random)
{
    char id[SURETY__ID_LEN];
    surety__attempt *attempt;

    if (surety__grow(store->alloc, &log->items, &log->cap, log->count + 1,
                     sizeof(*attempt),
                     SIZE_MAX / sizeof(*attempt)) != SURETY_OK) {
        store->status = SURETY_NOMEM;
        return NULL;
    }
    surety__id_write(random, now.unix_ms, id);
    attempt = &log->items[log->count++];
    *attempt = (surety__attempt){
        .seen = {.id = surety__store_copy(store,
                                          (surety_str){id, SURETY__ID_LEN}),
                 .purpose = surety_str_of(attempt_purposes[plan->purpose]),
                 .model = model,
                 .mode = plan->mode,
                 .prompt = plan->prompt,
                 .reason = plan->reason,
                 .answer = {.retry_after_ms = -1, .should_retry = -1},
                 .started_ms = now.monotonic_ms},
        .started_unix_ms = now.unix_ms,
        .what = (surety__case)SURETY_FAILURE_CANCELLED,
    };
    return store->status == SURETY_OK ? attempt : NULL;
}
