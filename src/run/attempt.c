/* SPDX-License-Identifier: Apache-2.0 */
/* Makes one call, from its prompt to its start. A plan is the text of the
 * call. It is made before the budget is checked, since its length counts
 * there, and kept for retries. An attempt is a plan that is sent.
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
    "ask", "retry", "re-ask", "patch", "re-ask",
};

static const char *attempt_purpose(surety__purpose purpose)
{
    return attempt_purposes[purpose];
}

/* ---- the text of a call -------------------------------------------------- */

static surety_prompt_options attempt_prompt_options(surety_run *run)
{
    surety_prompt_options options = run->setup.prompt_options;

    options.alloc = run->store.alloc;
    options.native = run->plan.mode != SURETY_MODE_PROMPT;
    if (options.native)
        surety__mode_show(&run->forms, surety__run_model(run), &run->plan,
                          &options);
    return options;
}

/* Writes the format instructions alone, or after the prompt. If no example can
 * be made for a contract, its schema is shown instead. */
static bool attempt_format(surety_run *run, bool alone, surety_str *ret_text)
{
    surety_prompt_options options = attempt_prompt_options(run);
    const surety_contract *contract = run->setup.options.contract;
    surety_status status;

    for (;;) {
        status = surety_prompt_write(
            contract, alone ? surety_str_of("") : run->setup.options.prompt,
            &options, &run->store.text, &run->cause);
        if (status != SURETY_UNSUPPORTED ||
            options.style == SURETY_PROMPT_JSON_SCHEMA)
            return surety__store_written(&run->store, status, ret_text);
        options.style = SURETY_PROMPT_JSON_SCHEMA;
        surety_buf_reset(&run->store.text);
    }
}

/* Writes the first prompt to a model. */
static bool attempt_ask(surety_run *run)
{
    const surety_run_options *options = &run->setup.options;
    surety__plan *plan = &run->plan;
    surety_str format;

    plan->system = options->system;
    plan->prompt = options->prompt;
    if (!options->contract)
        return true;
    if (!options->instruct_system)
        return attempt_format(run, false, &plan->prompt);
    if (!attempt_format(run, true, &format))
        return false;
    surety_buf_add(&run->store.text, options->system);
    if (options->system.len)
        surety_buf_text(&run->store.text, "\n\n");
    surety_buf_add(&run->store.text, format);
    plan->system = surety__store_keep(&run->store);
    return true;
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

/* Writes a prompt with the known errors. outcome: of the reply that the prompt
 * is about; NULL: it is about no reply. If no example can be made for a
 * contract, its schema is shown instead. */
static bool attempt_tell(surety_run *run, surety_feedback feedback,
                         const surety_outcome *outcome, bool judged)
{
    const surety__subject *basis = &run->judged.basis_of;
    const surety_str reply = basis->text.len ? basis->text : basis->native;
    surety_prompt_options options = attempt_prompt_options(run);
    surety_status status;

    options.findings = surety__findings_tell(&run->findings, &run->store,
                                             judged, &options.finding_count);
    run->plan.system = run->setup.options.system;
    for (;; options.style = SURETY_PROMPT_JSON_SCHEMA) {
        status = surety_prompt_again(
            run->setup.options.contract, run->setup.options.prompt, feedback,
            outcome, reply, &options, &run->store.text, &run->cause);
        if (status != SURETY_UNSUPPORTED ||
            options.style == SURETY_PROMPT_JSON_SCHEMA)
            break;
        surety_buf_reset(&run->store.text);
    }
    return surety__store_written(&run->store, status, &run->plan.prompt);
}

/* Writes the first prompt, the known errors, and one sentence about the last
 * reply, which has no errors to list. */
static bool attempt_ask_differently(surety_run *run)
{
    const surety__case what = surety__attempt_last(run)->what;
    const bool good =
        run->findings.count && run->setup.feedback != SURETY_FEEDBACK_SIMPLE
            ? attempt_tell(run, SURETY_FEEDBACK_ERRORS, NULL, false)
            : attempt_ask(run);

    if (!good)
        return false;
    surety_buf_add(&run->store.text, run->plan.prompt);
    surety_buf_text(&run->store.text, what == CASE_RUNAWAY ? attempt_runaway
                                      : what == CASE_CUT   ? attempt_whole
                                                           : attempt_shorter);
    run->plan.prompt = surety__store_keep(&run->store);
    return true;
}

/* Writes the prompt with the errors of the last reply, or asks for a patch. */
static bool attempt_ask_again(surety_run *run)
{
    surety__plan *plan = &run->plan;
    const surety__subject *basis = &run->judged.basis_of;
    const bool found =
        basis->stopped && !run->log.items[basis->stopped - 1].outcome_tells;
    surety_feedback feedback = run->setup.feedback;

    if (feedback == SURETY_FEEDBACK_PATCH &&
        (run->at.patch_failed || basis->stopped ||
         !surety_outcome_info_of(run->judged.basis)->patchable))
        feedback = SURETY_FEEDBACK_ERRORS;
    if (feedback == SURETY_FEEDBACK_PATCH) {
        plan->purpose = PURPOSE_PATCH;
        plan->patch = true;
        plan->mode = SURETY_MODE_PROMPT;
    }
    /* If the outcome of a stopped reply does not report what was found, the
     * findings do. */
    return attempt_tell(run, feedback,
                        found && feedback == SURETY_FEEDBACK_ERRORS &&
                                run->findings.count
                            ? NULL
                            : run->judged.basis,
                        true);
}

static const char *attempt_why_differently(const surety_run *run)
{
    switch (surety__attempt_last(run)->what) {
    case CASE_RUNAWAY: return "for a reply that ends, at ";
    case CASE_CUT: return "for the whole reply, at ";
    default: return "for a shorter reply, at ";
    }
}

/* Writes the reason of the call, for the log. */
static void attempt_say_why(surety_run *run)
{
    const surety__plan *plan = &run->plan;
    surety_buf *out = &run->store.text;

    switch (plan->purpose) {
    case PURPOSE_ASK: surety_buf_text(out, "asks "); break;
    case PURPOSE_RETRY:
        surety__buf_printf(out, "retry %u of %u at ", (unsigned)run->at.retries,
                           (unsigned)run->setup.options.backoff.retries_max);
        break;
    default:
        surety__buf_printf(out, "re-ask %u of %u, ", (unsigned)run->at.reasks,
                           (unsigned)run->setup.reask_max);
        surety_buf_text(out, plan->purpose == PURPOSE_PATCH ? "for a patch, at "
                             : plan->purpose == PURPOSE_SHORTER
                                 ? attempt_why_differently(run)
                                 : "with what was wrong, at ");
    }
    surety__buf_line(out, surety__run_model(run)->name, 80);
    if (run->setup.options.contract)
        surety__buf_printf(out, " in mode %s", surety_mode_name(plan->mode));
    if (run->at.why.len && plan->purpose != PURPOSE_RETRY) {
        surety_buf_text(out, ", for ");
        surety_buf_add(out, run->at.why);
        run->at.why = (surety_str){"", 0};
    }
    run->plan.reason = surety__store_keep(&run->store);
}

/* Estimates how many tokens are sent. */
static void attempt_measure(surety_run *run)
{
    surety__plan *plan = &run->plan;
    size_t bytes = plan->system.len + plan->prompt.len;

    if (plan->schema.doc) {
        (void)surety_val_write(plan->schema, SURETY_STYLE_COMPACT,
                               &run->store.text);
        bytes += run->store.text.len;
        (void)surety__store_pass(&run->store, run->store.text.status);
        surety_buf_reset(&run->store.text);
    }
    plan->input_tokens = surety__budget_estimate(bytes);
}

bool surety__attempt_plan(surety_run *run, surety__purpose purpose)
{
    surety__plan *plan = &run->plan;
    bool good = true;

    plan->purpose = purpose;
    if (purpose != PURPOSE_RETRY) {
        plan->mode = run->at.mode;
        plan->patch = false;
        surety__mode_bind(&run->forms, surety__run_model(run), plan);
        switch (purpose) {
        case PURPOSE_ASK: good = attempt_ask(run); break;
        case PURPOSE_SHORTER: good = attempt_ask_differently(run); break;
        default: good = attempt_ask_again(run); break;
        }
        if (plan->patch)
            surety__mode_bind(&run->forms, surety__run_model(run), plan);
        attempt_measure(run);
    }
    assert(!plan->patch || plan->mode == SURETY_MODE_PROMPT);
    assert(!plan->strict || plan->schema.doc);
    attempt_say_why(run);
    return good && run->store.status == SURETY_OK;
}

/* ---- sending ------------------------------------------------------------- */

bool surety__attempt_begin(surety_run *run)
{
    const surety__plan *plan = &run->plan;
    char id[SURETY__ID_LEN];
    surety__attempt *attempt;

    assert(run->state == STATE_DUE);
    if (surety__grow(run->store.alloc, &run->log.items, &run->log.cap,
                     run->log.count + 1, sizeof(*attempt),
                     SIZE_MAX / sizeof(*attempt)) != SURETY_OK) {
        run->store.status = SURETY_NOMEM;
        return false;
    }
    surety__id_write(&run->random, run->now.unix_ms, id);
    attempt = &run->log.items[run->log.count++];
    run->spent.calls++;
    run->judging = (surety__judging){.begun = false};
    run->hearing.waits = run->hearing.failed = false;
    *attempt = (surety__attempt){
        .seen = {.purpose = surety_str_of(attempt_purpose(plan->purpose)),
                 .model = surety__run_model(run),
                 .mode = plan->mode,
                 .prompt = plan->prompt,
                 .reason = plan->reason,
                 .answer = {.retry_after_ms = -1, .should_retry = -1},
                 .started_ms = run->now.monotonic_ms},
        .started_unix_ms = run->now.unix_ms,
        .what = (surety__case)SURETY_FAILURE_CANCELLED,
    };
    attempt->seen.id =
        surety__store_copy(&run->store, (surety_str){id, SURETY__ID_LEN});
    return run->store.status == SURETY_OK;
}

/* The id of the run's exchange: its address, which no other living run has. */
static uint64_t attempt_exchange(const surety_run *run)
{
    return (uint64_t)(uintptr_t)run;
}

/* How often the model can still be re-asked because of its next reply. */
static uint32_t attempt_rounds(const surety_run *run)
{
    const uint32_t calls_max = run->setup.options.budget.calls_max;
    const uint32_t reask_max = run->setup.reask_max;
    const uint32_t asks =
        reask_max > run->at.reasks ? reask_max - run->at.reasks : 0;
    const uint32_t calls =
        run->spent.calls < calls_max ? calls_max - run->spent.calls : 0;

    return asks < calls ? asks : calls;
}

/* Prepares the check and the decoder for the reply. */
static void attempt_listen(surety_run *run, const surety_model *model)
{
    const surety__plan *plan = &run->plan;
    const surety__listener listener = surety__receive_listener(run);
    const surety__stake stake = {.price = &model->price,
                                 .rounds = attempt_rounds(run),
                                 .input_tokens = plan->input_tokens,
                                 .output_most = run->spent.output_most,
                                 .whole_most = run->spent.whole_most,
                                 .stops = run->at.stops};
    const surety_contract *delivered = run->setup.options.contract;

    if (delivered && plan->mode != SURETY_MODE_PROMPT)
        delivered = surety__mode_delivered(&run->forms, model, plan);
    run->exchange.heard = run->exchange.ended = false;
    surety__watch_begin(&run->exchange.watch, plan, &run->at, delivered,
                        &stake);
    surety__decoder_begin(run->exchange.decoder, model->protocol, plan->mode,
                          model->key, &listener);
}

bool surety__attempt_send(surety_run *run)
{
    const surety__plan *plan = &run->plan;
    const surety_model *model = surety__run_model(run);
    const surety__message message = {SURETY__ROLE_USER, plan->prompt};
    const surety__call call = {
        .model = model,
        .mode = plan->mode,
        .system = plan->system,
        .messages = &message,
        .message_count = 1,
        .schema = plan->schema,
        .schema_name = plan->name,
        .schema_description = plan->description,
        .strict = plan->strict != NULL,
    };
    const surety_receiver receiver = surety__receive_receiver(run);
    surety_request request;
    surety_status status;

    assert(run->state == STATE_UNDER_WAY);
    run->exchange.came = 0;
    surety__arena_reset(&run->store.scratch);
    status =
        surety__call_encode(&call, &run->store.scratch, &request, &run->cause);
    if (status == SURETY_OK) {
        attempt_listen(run, model);
        status = model->transport->start(model->transport->ctx,
                                         attempt_exchange(run), &request,
                                         &receiver, &run->cause);
    }
    return surety__store_pass(&run->store, status) == SURETY_OK;
}

void surety__attempt_stop(surety_run *run)
{
    const surety_model *model = surety__run_model(run);

    if (run->state != STATE_UNDER_WAY || run->exchange.ended)
        return;
    model->transport->cancel(model->transport->ctx, attempt_exchange(run));
    if (run->exchange.ended)
        return;
    /* The transport does not know the exchange and will report no end. */
    run->exchange.ended = true;
    run->exchange.delivery =
        (surety_delivery){.failure = SURETY_FAILURE_CANCELLED,
                          .sent = true,
                          .message = "the exchange is lost"};
}
