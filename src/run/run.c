/* SPDX-License-Identifier: Apache-2.0 */
/* The run: the order of all steps from a prompt to a checked value. Every step
 * is a call of another file's function; this file only decides their order.
 * Read the table of states first.
 *
 *     NEW -> DUE -> UNDER_WAY -> ANSWERED -> DUE -> ... -> ENDED
 *                                    |         ^
 *                                    +-> STEPS-+  where the reply calls tools
 *
 * Invariants:
 * 1. A run does nothing by itself. Its caller steps it and passes the time; it
 *    has no clock, thread or socket. The same seed, times and bytes give the
 *    same run.
 * 2. Before a call: check the budget, write the attempt to the ledger, send
 *    it. After a call: judge the reply, decide, plan the next call and check
 *    the budget for it, write all of this to the ledger, and only then show it
 *    to the caller.
 * 3. Only run_apply leads back, from the errors of a reply to the next call,
 *    and run_steps, from the results of tools.
 * 4. At most one exchange is under way, and no tool while one is. Whatever ends
 * the run first closes the exchange and completes its row.
 * 5. Running out of memory ends the run at once.
 * 6. If a validator of the host is not done, the run waits in ANSWERED: the
 *    answer has arrived, and each step judges it again. */
#include "run/run.h"

static const surety_model *run_model(const surety_run *run)
{
    return surety__setup_model(&run->setup, &run->at);
}

static surety__attempt *run_attempt(const surety_run *run)
{
    return surety__attempt_last(&run->results.log);
}

/* ---- the end ------------------------------------------------------------- */

static void run_end(surety_run *run, surety__end end)
{
    assert(run->state != STATE_ENDED);
    run->state = STATE_ENDED;
    run->results.end = end;
}

/* Ends the run with the value of its outcome, if the end has one. */
static void run_end_value(surety_run *run, surety__end end)
{
    const surety__judged *judged = &run->results.judged;

    run_end(run, end);
    if (judged->outcome && end.verdict >= SURETY_RUN_VALID &&
        end.verdict <= SURETY_RUN_FALLBACK)
        surety__show_end(&run->exchange.show, judged->outcome_of.attempt,
                         end.verdict,
                         surety_outcome_info_of(judged->outcome)->value);
}

static void run_event(const surety_run *run, surety_event_kind kind,
                      surety_str text)
{
    surety__setup_event(&run->setup, run->results.log.count, kind, text);
}

static void run_give_up(surety_run *run, surety_str spent)
{
    surety__pass_give(&run->exchange, false);
    surety__receive_agree(&run->judging, &run->results.judged);
    run_end_value(
        run, surety__result_give_up(&run->store, run->setup.options.contract,
                                    &run->results,
                                    run->judging.validators.failed, spent));
}

/* Ends the run because no call can be planned. */
static void run_end_unplanned(surety_run *run)
{
    const surety_run_verdict verdict =
        run->results.log.count ? SURETY_RUN_REJECTED : SURETY_RUN_PROVIDER;

    run_end(run, surety__result_of_cause(
                     &run->store, verdict,
                     "the prompt cannot be written: ", &run->results.cause));
}

/* Whether the run goes on after the ledger's status. A ledger that fails ends
 * the run, unless the caller made it optional; then the log reports the failure
 * once. */
static bool run_recorded(surety_run *run, surety_status status)
{
    if (surety__store_pass(&run->store, status) == SURETY_NOMEM)
        return false;
    if (status != SURETY_OK && !run->setup.options.ledger_optional) {
        if (run->state == STATE_ANSWERED)
            surety__result_withhold(&run->results);
        if (run->state == STATE_ANSWERED && run->setup.declared)
            surety__steps_withhold(&run->steps);
        run_end(run,
                surety__result_of_cause(
                    &run->store, SURETY_RUN_LEDGER,
                    "the ledger could not be written: ", &run->results.cause));
        return false;
    }
    if (status != SURETY_OK)
        surety__record_warn(&run->setup, &run->store, &run->results.log,
                            &run->results.cause);
    return true;
}

/* Completes the row of the last attempt, and only then shows its decision;
 * false: that ended the run. */
static bool run_record(surety_run *run)
{
    if (run->store.status != SURETY_OK ||
        !run_recorded(run, surety__record_finish(&run->setup, &run->store,
                                                 &run->results)))
        return false;
    run_event(run, SURETY_EVENT_DECISION, run_attempt(run)->seen.decision);
    return true;
}

static void run_end_exchange(surety_run *run)
{
    if (run->state == STATE_UNDER_WAY)
        surety__exchange_end(&run->exchange);
    if (run->state == STATE_STEPS)
        surety__steps_cancel(&run->steps, run->now, &run->results.cause);
}

/* Ends the run because memory ran out, also if that happened while the run
 * ended. Closes the exchange under way and completes its row as far as
 * possible. */
static void run_collapse(surety_run *run)
{
    run_end_exchange(run);
    surety_buf_reset(&run->store.text);
    if (run->results.log.count && run_attempt(run)->open) {
        surety_attempt *seen = &run_attempt(run)->seen;

        seen->answer = (surety_answer){.failure = SURETY_FAILURE_CANCELLED,
                                       .ambiguous = true};
        seen->judged = false;
        seen->stopped = SURETY_STREAM_OPEN;
        seen->decision = SURETY__LITERAL("out of memory: the run ends");
        if (!seen->ended_ms)
            seen->ended_ms = run->now.monotonic_ms;
        (void)surety__record_finish(&run->setup, &run->store, &run->results);
    }
    run->state = STATE_ENDED;
    run->results.end =
        (surety__end){SURETY_RUN_CANCELLED, SURETY__LITERAL("out of memory"),
                      SURETY__LITERAL("")};
}

/* ---- the states ---------------------------------------------------------- */

/* A clause that says which budget forbids to send the plan's call in delay_ms;
 * empty: none. */
static surety_str run_denied(surety_run *run, uint64_t delay_ms)
{
    return surety__budget_denies(&run->store, &run->setup.options.budget,
                                 &run->results.spent, &run_model(run)->price,
                                 &run->plan, delay_ms);
}

static uint64_t run_left_ms(const surety_run *run)
{
    return surety__budget_left_ms(&run->setup.options.budget,
                                  &run->results.spent);
}

/* Whether the model may only answer: its tools have reached a limit, or the
 * budget has only one call left. */
static bool run_answer_only(const surety_run *run)
{
    const surety_run_options *options = &run->setup.options;
    const surety__steps *steps = &run->steps;

    if (run->setup.declared)
        return options->tool_choice == SURETY_TOOL_CHOICE_NONE;
    return options->tools &&
           (steps->repeats || steps->taken >= options->steps_max ||
            steps->made >= options->tool_calls_max ||
            run->results.spent.calls + 1 >= options->budget.calls_max);
}

/* Opens a turn with the plan's text. A request of the caller's own has its
 * prompt; only what a re-ask says behind it is a turn. */
static void run_ask(surety_run *run)
{
    surety_str text = run->plan.prompt;

    if (run->setup.passes) {
        surety__str_skip(&text, text.len < run->setup.raw.body.len
                                    ? text.len
                                    : run->setup.raw.body.len);
        text = surety__str_trim(text);
        if (!text.len && !run->turns.open)
            return;
    }
    surety__turns_ask(&run->turns, &run->store, text, &run->plan.prompt_part);
}

static bool run_plan(surety_run *run, surety__purpose purpose)
{
    surety__plan *plan = &run->plan;
    bool good;

    plan->answer_only = run_answer_only(run);
    good = surety__attempt_plan(&run->forms, &run->at, &run->turns,
                                &run->results, purpose, plan);

    if (good)
        run_ask(run);
    return good && run->store.status == SURETY_OK;
}

/* The next model starts anew. */
static void run_next_model(surety_run *run)
{
    run->at = (surety__position){.model = run->at.model + 1};
    assert(run->at.model < run->setup.options.model_count);
    surety__judged_forget_basis(&run->results.judged);
    run->results.findings.count = 0;
    surety__mode_pick(&run->forms, &run->at, SURETY_MODE_NATIVE);
}

/* NEW: picks the first model and its best mode, and plans the first call. */
static surety_status run_start(surety_run *run, uint64_t *ret_delay_ms)
{
    char id[SURETY__ID_LEN];

    (void)ret_delay_ms;
    run->results.log.begun_ms = run->at.due_ms = run->now.monotonic_ms;
    surety__id_write(&run->random, run->now.unix_ms, id);
    run->results.log.run =
        surety__store_copy(&run->store, (surety_str){id, SURETY__ID_LEN});
    surety__turns_begin(&run->turns, &run->setup, &run->store);
    surety__mode_pick(&run->forms, &run->at, SURETY_MODE_NATIVE);
    if (run_plan(run, PURPOSE_ASK))
        run->state = STATE_DUE;
    else
        run_end_unplanned(run);
    return SURETY_OK;
}

/* Sends the call of the plan. False: nothing was sent. */
static bool run_send(surety_run *run)
{
    const surety__setup *setup = &run->setup;
    const surety__spent *spent = &run->results.spent;
    const surety_model *model = run_model(run);
    const surety__stake stake = {
        .price = &model->price,
        .rounds = surety__budget_rounds(setup, &run->at, spent),
        .input_tokens = run->plan.input_tokens,
        .output_most = spent->output_most,
        .whole_most = spent->whole_most,
        .stops = run->at.stops};

    run->exchange.model = model;
    run->exchange.attempt = run->results.log.count;
    run->exchange.out_of_time = false;
    return surety__exchange_begin(&run->exchange, &run->plan, &run->turns,
                                  &run->at, &stake,
                                  &run->results.cause) == SURETY_OK;
}

/* Goes to the next model without a call; false: there is none. */
static bool run_pass_over(surety_run *run)
{
    if (run->at.model + 1 == run->setup.options.model_count)
        return false;
    run_next_model(run);
    run->at.due_ms = run->now.monotonic_ms;
    if (!run_plan(run, PURPOSE_ASK) && run->store.status == SURETY_OK)
        run_end_unplanned(run);
    return true;
}

/* Asks the caller for leave to call. MORE: later; OK: the call is made, or, if
 * *ret_over is set, the run has gone on in another way. */
static surety_status run_ask_leave(surety_run *run, uint64_t *ret_delay_ms,
                                   bool *ret_over)
{
    const surety_run_options *options = &run->setup.options;
    surety_status status = SURETY_OK;
    surety_str spent;

    *ret_over = false;
    if (options->allow)
        status = options->allow(options->allow_ctx, run_model(run),
                                (uint32_t)run->results.log.count + 1,
                                &run->results.cause);
    if (status == SURETY_MORE)
        *ret_delay_ms = run_left_ms(run);
    if (status == SURETY_OK || status == SURETY_MORE)
        return status;
    *ret_over = true;
    if (status == SURETY_END && run_pass_over(run))
        return SURETY_OK;
    if (status == SURETY_END && !run->results.log.count) {
        run_end(run, surety__result_of_cause(&run->store, SURETY_RUN_PROVIDER,
                                             "", &run->results.cause));
        return SURETY_OK;
    }
    surety__receive_fallback(&run->judging, &run->results);
    surety_buf_text(&run->store.text, run->results.cause.message);
    spent = surety__store_keep(&run->store);
    run_give_up(run, status == SURETY_END ? (surety_str){"", 0} : spent);
    return SURETY_OK;
}

/* DUE: waits for the time, checks the budget, asks for leave, writes to the
 * ledger, sends. */
static surety_status run_due(surety_run *run, uint64_t *ret_delay_ms)
{
    surety__log *log = &run->results.log;
    surety__judging *judging = &run->judging;
    surety_str spent;
    bool over;

    if (run->now.monotonic_ms < run->at.due_ms) {
        *ret_delay_ms = run->at.due_ms - run->now.monotonic_ms;
        return SURETY_MORE;
    }
    spent = run_denied(run, 0);
    if (spent.len) {
        surety__receive_fallback(judging, &run->results);
        run_give_up(run, spent);
        return SURETY_OK;
    }
    if (run_ask_leave(run, ret_delay_ms, &over) == SURETY_MORE)
        return SURETY_MORE;
    if (over)
        return SURETY_OK;
    judging->begun = judging->stopped = judging->taken = judging->patched =
        false;
    judging->validators.waits = judging->validators.failed = false;
    if (!surety__attempt_begin(&run->store, log, &run->plan, run_model(run),
                               run->now, &run->random))
        return SURETY_OK;
    if (!run_recorded(
            run, surety__record_begin(&run->setup, log, &run->results.cause))) {
        log->count--;
        return SURETY_OK;
    }
    run->results.spent.calls++;
    run_event(run, SURETY_EVENT_ATTEMPT, run->plan.reason);
    run->state = STATE_UNDER_WAY;
    if (!run_send(run)) {
        run_attempt(run)->what = CASE_UNSENT;
        run->state = STATE_ANSWERED;
    }
    return SURETY_OK;
}

/* UNDER_WAY: waits until the transport reports the end, the check stops the
 * reply, or the time is spent. */
static surety_status run_under_way(surety_run *run, uint64_t *ret_delay_ms)
{
    surety__run_exchange *exchange = &run->exchange;
    surety_attempt *seen = &run_attempt(run)->seen;
    const bool ends = exchange->ended || exchange->watch.stops;
    const uint64_t left_ms = run_left_ms(run);

    if (exchange->begun && !seen->first_byte_ms)
        seen->first_byte_ms = run->now.monotonic_ms;
    if (!ends && left_ms) {
        *ret_delay_ms = left_ms;
        return SURETY_MORE;
    }
    exchange->out_of_time = !ends;
    surety__exchange_end(exchange);
    run->state = STATE_ANSWERED;
    return SURETY_OK;
}

/* The purpose of an action's call. ORDER actions */
static const surety__purpose run_purposes[] = {
    PURPOSE_ASK, /* the run ends */
    PURPOSE_ASK, /* the run ends */
    PURPOSE_RETRY,   PURPOSE_RETRY,   PURPOSE_REASK,
    PURPOSE_SHORTER, PURPOSE_SHORTER, PURPOSE_ASK,
    PURPOSE_REASK,   PURPOSE_ASK,     PURPOSE_RECALL,
};

/* Adds the calls of the last reply and their results to the conversation, and
 * where made is set, or the caller wants re-asks, to the caller's. False: out
 * of memory. */
static bool run_turn(surety_run *run, bool made)
{
    const surety_message *results = surety__steps_results(&run->steps);

    if (results)
        surety__turns_step(&run->turns, &run->store,
                           &run_attempt(run)->seen.answer, results,
                           run->plan.mode == SURETY_MODE_PROMPT,
                           made || run->setup.options.keep_reasks);
    return run->store.status == SURETY_OK;
}

/* Plans the call of an action; false: the action ends the run, or no call can
 * be made. */
static bool run_apply(surety_run *run, surety__action action, uint64_t delay_ms)
{
    const surety__purpose purpose = run_purposes[action];

    assert(run->state == STATE_ANSWERED);
    if (action == ACTION_END || action == ACTION_ACCEPT)
        return false;
    if (purpose == PURPOSE_RETRY) {
        run->at.retries++;
        run->at.broken += run->exchange.received > 0;
    } else {
        run->at.retries = run->at.broken = 0;
    }
    if (action == ACTION_SHORTER)
        run->at.shortened = true;
    if (action == ACTION_MODE || action == ACTION_MODE_REASK)
        surety__mode_pick(&run->forms, &run->at, run->at.mode + 1);
    if (action == ACTION_MODEL)
        run_next_model(run);
    run->at.reasks += purpose == PURPOSE_REASK || purpose == PURPOSE_SHORTER ||
                      purpose == PURPOSE_RECALL;
    if (action == ACTION_RECALL && !run_turn(run, false))
        return false;
    run->at.due_ms = run->now.monotonic_ms + delay_ms;
    if (!run_plan(run, purpose))
        return false;
    if (run->setup.options.keep_reasks && purpose != PURPOSE_RETRY &&
        purpose != PURPOSE_ASK && purpose != PURPOSE_RECALL)
        surety__turns_keep_reask(&run->turns, &run->store,
                                 surety__attempt_text(run_attempt(run)),
                                 run->plan.prompt);
    return run->store.status == SURETY_OK;
}

/* Whether to wait for a validator; false: there is none to wait for, or no
 * time is left. */
static bool run_waits(surety_run *run, uint64_t *ret_delay_ms)
{
    const uint64_t left_ms = run_left_ms(run);

    if (!run->judging.validators.waits || run->store.status != SURETY_OK)
        return false;
    *ret_delay_ms =
        left_ms < SURETY__WAIT_HOST_MS ? left_ms : SURETY__WAIT_HOST_MS;
    if (left_ms)
        return true;
    (void)surety__fail(&run->results.cause, SURETY_TIMEOUT,
                       "a validator is not done");
    run_attempt(run)->what = CASE_UNJUDGED;
    return false;
}

/* Writes the result of the last attempt, and counts its usage. */
static void run_count(surety_run *run)
{
    surety__results *results = &run->results;

    surety__decide_result(&run->store, run_attempt(run),
                          results->judged.outcome, &results->cause);
    surety__budget_count(&results->spent, run_attempt(run),
                         run->plan.input_tokens);
}

/* Takes the answer once, with its time. */
static void run_take_answer(surety_run *run)
{
    if (run->judging.begun)
        return;
    run_attempt(run)->seen.ended_ms = run->now.monotonic_ms;
    if (run_attempt(run)->what != CASE_UNSENT)
        surety__receive_answer(&run->store, &run->exchange, run->now,
                               &run->results);
    surety__steps_read(&run->steps, &run->plan, &run_attempt(run)->seen.answer);
    run_attempt(run)->given = surety__output_binds(run->setup.output);
}

static void run_accept(surety_run *run)
{
    const bool calls = run_attempt(run)->what == CASE_DECLARED;

    surety__pass_give(&run->exchange, true);
    surety__turns_end(&run->turns, &run->store, &run_attempt(run)->seen.answer,
                      calls);
    if (calls) {
        surety__steps_hand_out(&run->steps);
        surety__judged_forget(&run->results.judged);
    }
    run_end_value(run,
                  (surety__end){calls ? SURETY_RUN_CALLS : SURETY_RUN_VALID,
                                {"", 0},
                                {"", 0}});
}

/* ---- tools --------------------------------------------------------------- */

/* Completes the row of an attempt whose reply calls tools, and takes the calls;
 * but not if the budget forbids the call that would give the results to the
 * model. It sends no less than the last one. */
static void run_begin_steps(surety_run *run)
{
    surety__attempt *attempt = run_attempt(run);
    surety_str spent;

    attempt->what = CASE_CALLS;
    run_count(run);
    spent = run_denied(run, 0);
    if (spent.len)
        surety__receive_fallback(&run->judging, &run->results);
    surety_buf_add(&run->store.text, attempt->result);
    surety_buf_text(&run->store.text,
                    spent.len ? ": none is made, because " : ": they are made");
    surety_buf_add(&run->store.text, spent);
    attempt->seen.decision = surety__store_keep(&run->store);
    if (!run_record(run))
        return;
    if (spent.len)
        run_give_up(run, spent);
    else if (surety__steps_begin(
                 &run->steps, &run->plan, run->results.log.count,
                 &attempt->seen.answer.message, run->now, &run->random))
        run->state = STATE_STEPS;
}

/* Ends the run amid the calls of tools: spent says why, or a validator failed;
 * or the ledger did, before that or with their rows. */
static void run_end_steps(surety_run *run, surety_str spent)
{
    surety__steps_cancel(&run->steps, run->now, &run->results.cause);
    if (run->steps.unrecorded) {
        (void)run_recorded(run, SURETY_IO);
        return;
    }
    run->judging.validators.failed = !spent.len;
    surety__receive_fallback(&run->judging, &run->results);
    run_give_up(run, spent);
}

/* Plans the call that gives the results to the model. */
static void run_go_on(surety_run *run)
{
    surety_str spent;

    if (!run_turn(run, true))
        return;
    run->steps.taken++;
    run->at.retries = run->at.broken = 0;
    run->at.due_ms = run->now.monotonic_ms;
    if (!run_plan(run, PURPOSE_STEP)) {
        if (run->store.status == SURETY_OK)
            run_end_unplanned(run);
        return;
    }
    spent = run_denied(run, 0);
    if (spent.len)
        surety__receive_fallback(&run->judging, &run->results);
    if (spent.len)
        run_give_up(run, spent);
    else
        run->state = STATE_DUE;
}

/* STEPS: makes the calls of tools, until all have ended or the time is
 * spent. */
static surety_status run_steps(surety_run *run, uint64_t *ret_delay_ms)
{
    const uint64_t left_ms = run_left_ms(run);
    const surety_status status = surety__steps_go(
        &run->steps, run->now, ret_delay_ms, &run->results.cause);

    if (run->store.status != SURETY_OK)
        return SURETY_OK;
    if (status == SURETY_MORE && left_ms) {
        if (left_ms < *ret_delay_ms)
            *ret_delay_ms = left_ms;
        return SURETY_MORE;
    }
    if (status == SURETY_MORE) {
        surety__buf_printf(&run->store.text, "the budget of %zu ms is spent",
                           (size_t)run->setup.options.budget.ms_max);
        run_end_steps(run, surety__store_keep(&run->store));
    } else if (status != SURETY_OK) {
        run_end_steps(run, (surety_str){"", 0});
    } else {
        run_go_on(run);
    }
    return SURETY_OK;
}

/* Judges the calls of declared tools. */
static void run_judge_calls(surety_run *run)
{
    surety__attempt *attempt = run_attempt(run);
    surety__validators *validators = &run->judging.validators;
    surety_status status;

    if (!run->judging.begun &&
        !surety__steps_begin(&run->steps, &run->plan, run->results.log.count,
                             &attempt->seen.answer.message, run->now,
                             &run->random))
        return;
    run->judging.begun = true;
    status = surety__steps_judge(&run->steps, run->now, &attempt->faults,
                                 &attempt->fault_count, &run->results.cause);
    validators->waits = status == SURETY_MORE;
    validators->failed = status < 0;
    attempt->seen.ok = status == SURETY_OK && !attempt->fault_count;
    attempt->what = validators->failed ? CASE_VALIDATOR
                    : attempt->seen.ok ? CASE_DECLARED
                                       : CASE_ARGUMENTS;
}

/* Judges the answer: its calls of declared tools, or its value. */
static void run_judge(surety_run *run)
{
    surety__attempt *attempt = run_attempt(run);
    const surety_answer *answer = &attempt->seen.answer;

    if (surety__steps_wanted(&run->setup, &run->plan, answer)) {
        run_judge_calls(run);
        if (run->setup.passes && attempt->what == CASE_DECLARED)
            surety__pass_judge(&run->exchange, attempt);
    } else if (run->setup.passes) {
        surety__pass_judge(&run->exchange, attempt);
        if (run->setup.checks && attempt->what != CASE_PASSED)
            surety__receive_judge(&run->judging, &run->plan, &run->exchange,
                                  &run->at, &run->results);
    } else if (run->setup.must_call && answer->failure == SURETY_FAILURE_NONE) {
        surety__judged_reply(&run->results.judged, answer->text);
        attempt->what = CASE_UNCALLED;
    } else {
        surety__receive_judge(&run->judging, &run->plan, &run->exchange,
                              &run->at, &run->results);
    }
}

/* ANSWERED: judges, decides, and writes both to the ledger. */
static surety_status run_answered(surety_run *run, uint64_t *ret_delay_ms)
{
    surety__attempt *attempt = run_attempt(run);
    surety__decision decision = {.action = ACTION_END};
    bool goes_on = false;

    run_take_answer(run);
    if (run->store.status == SURETY_OK && !run->setup.declared &&
        surety__steps_wanted(&run->setup, &run->plan, &attempt->seen.answer)) {
        run_begin_steps(run);
        return SURETY_OK;
    }
    if (attempt->what != CASE_UNSENT && run->store.status == SURETY_OK) {
        run_judge(run);
        if (run_waits(run, ret_delay_ms))
            return SURETY_MORE;
    }
    run_count(run);
    if (run->store.status != SURETY_OK)
        return SURETY_OK;
    if (run->judging.validators.waits ||
        (run->exchange.out_of_time &&
         attempt->seen.answer.failure == SURETY_FAILURE_CANCELLED)) {
        surety__buf_printf(&run->store.text, "the budget of %zu ms is spent",
                           (size_t)run->setup.options.budget.ms_max);
        decision.spent = surety__store_keep(&run->store);
    } else {
        decision = surety__decide(&run->store, &run->setup, &run->at, attempt,
                                  &run->random);
        goes_on = run_apply(run, decision.action, decision.delay_ms);
        if (goes_on)
            decision.spent = run_denied(run, decision.delay_ms);
    }
    goes_on = goes_on && !decision.spent.len;
    if (!goes_on && decision.action != ACTION_ACCEPT)
        surety__receive_fallback(&run->judging, &run->results);
    surety__decide_sentence(&run->store, &run->setup, &run->at, attempt,
                            &decision, run->plan.reason);
    if (!run_record(run))
        return SURETY_OK;
    if (goes_on)
        run->state = STATE_DUE;
    else if (decision.action == ACTION_ACCEPT)
        run_accept(run);
    else if (decision.action == ACTION_END || decision.spent.len)
        run_give_up(run, decision.spent);
    else
        run_end_unplanned(run);
    return SURETY_OK;
}

/* The function of each state. OK: the loop goes on with the state that it set;
 * MORE: wait. ORDER states */
static surety_status (*const run_states[])(surety_run *run,
                                           uint64_t *ret_delay_ms) = {
    run_start, run_due, run_under_way, run_answered, run_steps,
};

static void run_set_now(surety_run *run, surety_now now)
{
    if (now.monotonic_ms < run->now.monotonic_ms)
        now.monotonic_ms = run->now.monotonic_ms;
    run->now = now;
    if (run->state != STATE_NEW)
        run->results.spent.ms = now.monotonic_ms - run->results.log.begun_ms;
}

surety_status surety_run_step(surety_run *run, surety_now now,
                              uint32_t *ret_delay_ms, surety_error *reterr)
{
    surety_status status = SURETY_OK;
    uint64_t delay_ms = 0;

    if (!run)
        return surety__fail(reterr, SURETY_MISUSE, "a run is needed");
    run_set_now(run, now);
    while (status == SURETY_OK && run->state != STATE_ENDED) {
        status = run_states[run->state](run, &delay_ms);
        if (run->store.status != SURETY_OK)
            run_collapse(run);
    }
    if (run->store.status != SURETY_OK)
        return surety__fail_nomem(reterr);
    if (run->state == STATE_ENDED)
        return SURETY_OK;
    if (ret_delay_ms)
        *ret_delay_ms = delay_ms < UINT32_MAX ? (uint32_t)delay_ms : UINT32_MAX;
    return SURETY_MORE;
}

/* Takes what arrived of a call that was cancelled, and completes its row. */
static void run_break_off(surety_run *run)
{
    surety__attempt *attempt = run_attempt(run);

    run->state = STATE_ANSWERED;
    run_take_answer(run);
    run_count(run);
    if (attempt->what == CASE_VALID)
        attempt->result = SURETY__LITERAL("a reply came and was not judged");
    surety_buf_add(&run->store.text, attempt->result);
    surety_buf_text(&run->store.text, ": the run was cancelled");
    attempt->seen.decision = surety__store_keep(&run->store);
    (void)run_record(run);
}

void surety_run_cancel(surety_run *run, surety_now now)
{
    if (!run || run->state == STATE_ENDED)
        return;
    run_set_now(run, now);
    run_end_exchange(run);
    if (run->state == STATE_UNDER_WAY || run->state == STATE_ANSWERED)
        run_break_off(run);
    if (run->store.status != SURETY_OK)
        run_collapse(run);
    else if (run->state != STATE_ENDED)
        run_end(run, (surety__end){SURETY_RUN_CANCELLED,
                                   SURETY__LITERAL("the run was cancelled"),
                                   SURETY__LITERAL("")});
}

/* ---- life of a run ------------------------------------------------------- */

surety_status surety_run_new(const surety_run_options *options,
                             surety_run **ret_run, surety_error *reterr)
{
    surety_run_options own;
    surety_status status;
    surety_run *run;

    if (!options || !ret_run)
        return surety__fail(reterr, SURETY_MISUSE,
                            "options and an address for the run are needed");
    status = surety__options_take(&own, sizeof(own), options, reterr);
    if (status == SURETY_OK)
        status = surety__setup_check(&own, reterr);
    if (status == SURETY_OK && !own.seed)
        status = surety__id_seed(&own.seed, reterr);
    if (status != SURETY_OK)
        return status;
    run = surety__new(own.alloc, sizeof(*run));
    if (!run)
        return surety__fail_nomem(reterr);
    run->info = &run->seen;
    surety__store_init(&run->store, own.alloc);
    surety_buf_init(&run->exchange.body, own.alloc, 0);
    surety_buf_init(&run->exchange.passing.body, own.alloc, 0);
    surety__show_init(&run->exchange.show, &run->setup, &run->store);
    run->judging.store = run->forms.store = run->steps.store = &run->store;
    run->judging.validators.store = &run->store;
    run->judging.setup = run->forms.setup = run->steps.setup = &run->setup;
    run->steps.log = &run->results.log;
    run->exchange.watch.forms = &run->forms;
    run->random = own.seed;
    surety__output_init(&run->output, &run->setup, &run->store);
    run->setup.output = &run->output;
    run->results.spent.usage.known = true;
    status =
        surety__setup_take(&run->setup, &own, &run->judging.validators, reterr);
    if (status == SURETY_OK) {
        run->exchange.decoder = surety__decoder_new(own.limits, own.alloc);
        if (!run->exchange.decoder)
            status = surety__fail_nomem(reterr);
    }
    if (status == SURETY_OK)
        *ret_run = run;
    else
        surety_run_free(run);
    return status;
}

void surety_run_free(surety_run *run)
{
    const surety_alloc *alloc = run ? run->store.alloc : NULL;
    surety__results *results = run ? &run->results : NULL;

    if (!run)
        return;
    run->setup.options.event = NULL;
    run->setup.options.ready = NULL;
    surety_run_cancel(run, run->now);
    surety__judged_forget(&results->judged);
    surety__turns_done(&run->turns, &run->store);
    surety__steps_done(&run->steps);
    surety__mode_done(&run->forms);
    surety_stream_free(run->exchange.watch.stream);
    surety_doc_free(run->judging.delivered);
    surety_doc_free(run->judging.restored);
    surety__decoder_free(run->exchange.decoder);
    surety_buf_done(&run->exchange.body);
    surety_buf_done(&run->exchange.passing.body);
    surety__show_done(&run->exchange.show);
    surety__output_done(&run->output);
    surety__free(alloc, results->findings.items,
                 results->findings.cap * sizeof(*results->findings.items));
    surety__free(alloc, results->log.items,
                 results->log.cap * sizeof(*results->log.items));
    surety__store_done(&run->store);
    surety__free(alloc, run, sizeof(*run));
}
