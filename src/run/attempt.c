/* SPDX-License-Identifier: Apache-2.0 */
/* One call, from its words to its start. A plan is what will be said; it is
 * made before the budget is asked, for the budget wants to know how long it is,
 * and it is kept for retries. An attempt is a plan that is sent.
 *
 * 1. Every call stands alone: the prompt, and after a reply that failed what
 *    was wrong with it. No transcript of what failed is ever sent along.
 * 2. A call for a patch is free text whatever the mode: a model that is bound
 *    to the contract's schema could not answer it.
 * 3. What is sent is known as text only here; keys are headers that the
 *    provider's folder adds and that nothing of a run can show. */
#include "run/run.h"

/* ORDER purposes */
static const char *const attempt_purposes[] = {
    "ask", "retry", "re-ask", "patch", "re-ask",
};

const char *surety__purpose_name(surety__purpose purpose)
{
    return attempt_purposes[purpose];
}

const surety_model *surety__run_model(const surety_run *run)
{
    return &run->options.models[run->model];
}

surety__attempt *surety__attempt_last(const surety_run *run)
{
    assert(run->attempt_count);
    return &run->attempts[run->attempt_count - 1];
}

/* ---- what is said -------------------------------------------------------- */

static surety_prompt_options attempt_prompt_options(surety_run *run)
{
    surety_prompt_options options = run->prompt_options;

    options.alloc = run->alloc;
    options.native = run->plan.mode != SURETY_MODE_PROMPT;
    if (options.native)
        surety__mode_show(run, &options);
    return options;
}

/* What one of prompt.h's writers left in run->text, kept; false and the cause
 * where it could not write. */
static bool attempt_written(surety_run *run, surety_status status,
                            surety_str *ret_text)
{
    if (status == SURETY_OK) {
        *ret_text = surety__result_keep(run);
        return true;
    }
    surety_buf_reset(&run->text);
    if (status == SURETY_NOMEM)
        run->status = SURETY_NOMEM;
    return false;
}

/* The format instructions alone, or with the prompt before them. A contract
 * that no example can be made for is shown as its schema. */
static bool attempt_format(surety_run *run, bool alone, surety_str *ret_text)
{
    surety_prompt_options options = attempt_prompt_options(run);
    const surety_contract *contract = run->options.contract;
    surety_status status;

    for (;;) {
        status = alone ? surety_prompt_format(contract, &options, &run->text,
                                              &run->cause)
                       : surety_prompt_write(contract, run->options.prompt,
                                             &options, &run->text, &run->cause);
        if (status != SURETY_UNSUPPORTED ||
            options.style == SURETY_PROMPT_JSON_SCHEMA)
            return attempt_written(run, status, ret_text);
        options.style = SURETY_PROMPT_JSON_SCHEMA;
        surety_buf_reset(&run->text);
    }
}

/* The first words to a model. */
static bool attempt_ask(surety_run *run)
{
    const surety_run_options *options = &run->options;
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
    surety_buf_add(&run->text, options->system);
    if (options->system.len)
        surety_buf_text(&run->text, "\n\n");
    surety_buf_add(&run->text, format);
    plan->system = surety__result_keep(run);
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

/* Tells again, with what is known to be wrong. outcome: of the reply that this
 * is about; NULL: of none. A contract that no example can be made for is shown
 * as its schema. */
static bool attempt_tell(surety_run *run, surety_feedback feedback,
                         const surety_outcome *outcome, bool judged)
{
    const surety__subject *basis = &run->basis_of;
    const surety_str reply = basis->text.len ? basis->text : basis->native;
    surety_prompt_options options = attempt_prompt_options(run);
    surety_status status;

    options.findings =
        surety__findings_tell(run, judged, &options.finding_count);
    run->plan.system = run->options.system;
    for (;; options.style = SURETY_PROMPT_JSON_SCHEMA) {
        status = surety_prompt_again(run->options.contract, run->options.prompt,
                                     feedback, outcome, reply, &options,
                                     &run->text, &run->cause);
        if (status != SURETY_UNSUPPORTED ||
            options.style == SURETY_PROMPT_JSON_SCHEMA)
            break;
        surety_buf_reset(&run->text);
    }
    return attempt_written(run, status, &run->plan.prompt);
}

/* The first words and what is known to be wrong, with one word about a reply of
 * which there is nothing to say in particular. */
static bool attempt_ask_differently(surety_run *run)
{
    const surety__case what = surety__attempt_last(run)->what;
    const bool good =
        run->finding_count && run->feedback != SURETY_FEEDBACK_SIMPLE
            ? attempt_tell(run, SURETY_FEEDBACK_ERRORS, NULL, false)
            : attempt_ask(run);

    if (!good)
        return false;
    surety_buf_add(&run->text, run->plan.prompt);
    surety_buf_text(&run->text, what == CASE_RUNAWAY ? attempt_runaway
                                : what == CASE_CUT   ? attempt_whole
                                                     : attempt_shorter);
    run->plan.prompt = surety__result_keep(run);
    return true;
}

/* The same with what was wrong. */
static bool attempt_ask_again(surety_run *run)
{
    surety__plan *plan = &run->plan;
    const surety__subject *basis = &run->basis_of;
    const bool found =
        basis->stopped && !run->attempts[basis->stopped - 1].outcome_tells;
    surety_feedback feedback = run->feedback;

    if (feedback == SURETY_FEEDBACK_PATCH &&
        (run->patch_failed || basis->stopped ||
         !surety_prompt_patches(run->basis)))
        feedback = SURETY_FEEDBACK_ERRORS;
    if (feedback == SURETY_FEEDBACK_PATCH) {
        plan->purpose = PURPOSE_PATCH;
        plan->patch = true;
        plan->mode = SURETY_MODE_PROMPT;
    }
    /* What was found in a reply that was stopped is among the findings, where
     * its outcome does not say it. */
    return attempt_tell(run, feedback,
                        found && feedback == SURETY_FEEDBACK_ERRORS &&
                                run->finding_count
                            ? NULL
                            : run->basis,
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

/* Why this call is made, for the log. */
static void attempt_say_why(surety_run *run)
{
    const surety__plan *plan = &run->plan;
    surety_buf *out = &run->text;

    switch (plan->purpose) {
    case PURPOSE_ASK: surety_buf_text(out, "asks "); break;
    case PURPOSE_RETRY:
        surety__buf_printf(out, "retry %u of %u at ", (unsigned)run->retries,
                           (unsigned)run->options.backoff.retries_max);
        break;
    default:
        surety__buf_printf(out, "re-ask %u of %u, ", (unsigned)run->reasks,
                           (unsigned)run->reask_max);
        surety_buf_text(out, plan->purpose == PURPOSE_PATCH ? "for a patch, at "
                             : plan->purpose == PURPOSE_SHORTER
                                 ? attempt_why_differently(run)
                                 : "with what was wrong, at ");
    }
    surety__result_line(out, surety__run_model(run)->name, 80);
    if (run->options.contract)
        surety__buf_printf(out, " in mode %s", surety_mode_name(plan->mode));
    if (run->why.len && plan->purpose != PURPOSE_RETRY) {
        surety_buf_text(out, ", for ");
        surety_buf_add(out, run->why);
        run->why = (surety_str){"", 0};
    }
    run->plan.reason = surety__result_keep(run);
}

/* About how many tokens go out. */
static void attempt_measure(surety_run *run)
{
    surety__plan *plan = &run->plan;
    size_t bytes = plan->system.len + plan->prompt.len;

    if (plan->schema.doc) {
        (void)surety_val_write(plan->schema, SURETY_STYLE_COMPACT, &run->text);
        bytes += run->text.len;
        if (run->text.status == SURETY_NOMEM)
            run->status = SURETY_NOMEM;
        surety_buf_reset(&run->text);
    }
    plan->input_tokens = surety__budget_estimate(bytes);
}

bool surety__attempt_plan(surety_run *run, surety__purpose purpose)
{
    surety__plan *plan = &run->plan;
    bool good = true;

    plan->purpose = purpose;
    if (purpose != PURPOSE_RETRY) {
        plan->mode = run->mode;
        plan->patch = false;
        surety__mode_bind(run);
        switch (purpose) {
        case PURPOSE_ASK: good = attempt_ask(run); break;
        case PURPOSE_SHORTER: good = attempt_ask_differently(run); break;
        default: good = attempt_ask_again(run); break;
        }
        if (plan->patch)
            surety__mode_bind(run);
        attempt_measure(run);
    }
    attempt_say_why(run);
    return good && run->status == SURETY_OK;
}

/* ---- how it is sent ------------------------------------------------------ */

bool surety__attempt_begin(surety_run *run)
{
    const surety__plan *plan = &run->plan;
    void *items = run->attempts;
    char id[SURETY__ID_LEN];
    surety__attempt *attempt;

    if (surety__grow(run->alloc, &items, &run->attempt_cap,
                     run->attempt_count + 1, sizeof(*attempt),
                     SIZE_MAX / sizeof(*attempt)) != SURETY_OK) {
        run->status = SURETY_NOMEM;
        return false;
    }
    run->attempts = items;
    surety__id_write(&run->random, run->now.unix_ms, id);
    attempt = &run->attempts[run->attempt_count++];
    run->judging = (surety__judging){.begun = false};
    *attempt = (surety__attempt){
        .seen = {.purpose = surety_str_of(surety__purpose_name(plan->purpose)),
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
        surety__result_copy(run, (surety_str){id, SURETY__ID_LEN});
    return run->status == SURETY_OK;
}

/* The run's address names its one exchange: no other run that lives has it. */
static uint64_t attempt_exchange(const surety_run *run)
{
    return (uint64_t)(uintptr_t)run;
}

bool surety__attempt_send(surety_run *run)
{
    const surety__plan *plan = &run->plan;
    const surety_model *model = surety__run_model(run);
    const surety_message message = {SURETY_ROLE_USER, plan->prompt};
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
    const surety__listener listener = surety__receive_listener(run);
    const surety_receiver receiver = surety__receive_receiver(run);
    surety_request request;
    surety_status status;

    run->came = 0;
    surety__arena_reset(&run->scratch);
    status = surety__call_encode(&call, &run->scratch, &request, &run->cause);
    if (status == SURETY_OK) {
        run->heard = run->ended = false;
        surety__watch_begin(run);
        surety__decoder_begin(run->decoder, model->protocol, plan->mode,
                              model->key, &listener);
        status = model->transport->start(model->transport->ctx,
                                         attempt_exchange(run), &request,
                                         &receiver, &run->cause);
    }
    if (status == SURETY_NOMEM)
        run->status = SURETY_NOMEM;
    return status == SURETY_OK;
}

void surety__attempt_stop(surety_run *run)
{
    const surety_model *model = surety__run_model(run);

    if (run->state != STATE_UNDER_WAY || run->ended)
        return;
    model->transport->cancel(model->transport->ctx, attempt_exchange(run));
    if (run->ended)
        return;
    /* It knows nothing of the exchange, and will tell nothing of it. */
    run->ended = true;
    run->delivery = (surety_delivery){.failure = SURETY_FAILURE_CANCELLED,
                                      .sent = true,
                                      .message = "the exchange is lost"};
}
