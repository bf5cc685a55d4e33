/* SPDX-License-Identifier: Apache-2.0 */
/* The run: the order of all steps from a prompt to a checked value. Every step
 * is a call of another file's function; this file only decides their order.
 * Read the table of states first.
 *
 *     NEW -> DUE -> UNDER_WAY -> ANSWERED -> DUE -> ... -> ENDED
 *
 * Invariants:
 * 1. A run does nothing by itself. Its caller steps it and passes the time; it
 *    has no clock, thread or socket. The same seed, times and bytes give the
 *    same run.
 * 2. Before a call: check the budget, write the attempt to the ledger, send
 *    it. After a call: judge the reply, decide, plan the next call and check
 *    the budget for it, write all of this to the ledger, and only then show it
 *    to the caller.
 * 3. Only run_apply leads back, from the errors of a reply to the next call.
 * 4. At most one exchange is under way. Whatever ends the run first closes the
 *    exchange and completes its row.
 * 5. Running out of memory ends the run at once.
 * 6. If a validator of the host is not done, the run waits in ANSWERED: the
 *    answer has arrived, and each step judges it again. */
#include "run/run.h"

static surety_status run_start(surety_run *run, uint64_t *ret_delay_ms);
static surety_status run_due(surety_run *run, uint64_t *ret_delay_ms);
static surety_status run_under_way(surety_run *run, uint64_t *ret_delay_ms);
static surety_status run_answered(surety_run *run, uint64_t *ret_delay_ms);

/* The function of each state. OK: the loop goes on with the state that it set;
 * MORE: wait. ORDER states */
static surety_status (*const run_states[])(surety_run *run,
                                           uint64_t *ret_delay_ms) = {
    run_start,
    run_due,
    run_under_way,
    run_answered,
};

/* Ends the run because memory ran out, also if that happened while the run
 * ended. Closes the exchange under way and completes its row as far as
 * possible. */
static void run_collapse(surety_run *run)
{
    surety__attempt_stop(run);
    surety_buf_reset(&run->store.text);
    if (run->log.count && surety__attempt_last(run)->open) {
        surety__attempt *attempt = surety__attempt_last(run);

        attempt->seen.answer = (surety_answer){
            .failure = SURETY_FAILURE_CANCELLED, .ambiguous = true};
        attempt->seen.judged = false;
        attempt->seen.stopped = SURETY_VERDICT_OPEN;
        attempt->seen.decision = SURETY__LITERAL("out of memory: the run ends");
        (void)surety__record_finish(run);
    }
    run->state = STATE_ENDED;
    run->end.verdict = SURETY_RUN_CANCELLED;
    run->end.message = SURETY__LITERAL("out of memory");
    run->end.hint = SURETY__LITERAL("");
}

static void run_set_now(surety_run *run, surety_now now)
{
    if (now.monotonic_ms < run->now.monotonic_ms)
        now.monotonic_ms = run->now.monotonic_ms;
    run->now = now;
    if (run->state != STATE_NEW)
        run->spent.ms = now.monotonic_ms - run->begun.monotonic_ms;
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

/* Ends the run if no call can be made for the plan. */
static void run_end_unplanned(surety_run *run)
{
    surety__result_end_cause(
        run, run->log.count ? SURETY_RUN_REJECTED : SURETY_RUN_PROVIDER,
        "the prompt cannot be written: ");
}

/* A clause that says which budget forbids to send the plan's call in delay_ms;
 * empty: none. */
static surety_str run_denied(surety_run *run, uint64_t delay_ms)
{
    return surety__budget_denies(&run->store, &run->setup.options.budget,
                                 &run->spent, &surety__run_model(run)->price,
                                 &run->plan, delay_ms);
}

static uint64_t run_left_ms(const surety_run *run)
{
    return surety__budget_left_ms(&run->setup.options.budget, &run->spent);
}

/* NEW: picks the first model and its best mode, and plans the first call. */
static surety_status run_start(surety_run *run, uint64_t *ret_delay_ms)
{
    char id[SURETY__ID_LEN];

    (void)ret_delay_ms;
    run->begun = run->now;
    run->at.due_ms = run->now.monotonic_ms;
    surety__id_write(&run->random, run->now.unix_ms, id);
    run->id = surety__store_copy(&run->store, (surety_str){id, SURETY__ID_LEN});
    surety__mode_pick(&run->forms, &run->at, SURETY_MODE_NATIVE);
    if (surety__attempt_plan(run, PURPOSE_ASK))
        run->state = STATE_DUE;
    else if (run->store.status == SURETY_OK)
        run_end_unplanned(run);
    return SURETY_OK;
}

/* DUE: waits for the time, checks the budget, writes to the ledger, sends. */
static surety_status run_due(surety_run *run, uint64_t *ret_delay_ms)
{
    surety_str spent;

    if (run->now.monotonic_ms < run->at.due_ms) {
        *ret_delay_ms = run->at.due_ms - run->now.monotonic_ms;
        return SURETY_MORE;
    }
    spent = run_denied(run, 0);
    if (spent.len) {
        surety__receive_fallback(run);
        surety__result_give_up(run, spent);
        return SURETY_OK;
    }
    if (!surety__attempt_begin(run))
        return SURETY_OK;
    if (!surety__record_begin(run)) {
        run->log.count--;
        run->spent.calls--;
        if (run->store.status == SURETY_OK)
            surety__result_unrecorded(run);
        return SURETY_OK;
    }
    surety__result_event(run, SURETY_EVENT_ATTEMPT, run->plan.reason);
    run->exchange.out_of_time = false;
    run->state = STATE_UNDER_WAY;
    if (!surety__attempt_send(run)) {
        surety__attempt_last(run)->what = CASE_UNSENT;
        run->state = STATE_ANSWERED;
    }
    return SURETY_OK;
}

/* UNDER_WAY: waits until the transport reports the end, the check stops the
 * reply, or the time is spent. */
static surety_status run_under_way(surety_run *run, uint64_t *ret_delay_ms)
{
    surety__attempt *attempt = surety__attempt_last(run);
    const uint64_t left_ms = run_left_ms(run);

    if (run->exchange.heard && !attempt->seen.first_byte_ms)
        attempt->seen.first_byte_ms = run->now.monotonic_ms;
    if (!run->exchange.ended && left_ms && !run->exchange.watch.stops) {
        *ret_delay_ms = left_ms;
        return SURETY_MORE;
    }
    run->exchange.out_of_time =
        !run->exchange.ended && !run->exchange.watch.stops;
    surety__attempt_stop(run);
    run->state = STATE_ANSWERED;
    return SURETY_OK;
}

/* Plans the call of an action; false: the action ends the run, or no call can
 * be made. */
static bool run_apply(surety_run *run, surety__action action, uint64_t delay_ms)
{
    surety__purpose purpose = PURPOSE_ASK;

    assert(run->state == STATE_ANSWERED);
    if (action == ACTION_END || action == ACTION_ACCEPT)
        return false;
    if (action == ACTION_RETRY || action == ACTION_RETRY_ASKED) {
        run->at.retries++;
        run->at.broken += run->exchange.came > 0;
    } else {
        run->at.retries = run->at.broken = 0;
    }
    switch (action) {
    case ACTION_RETRY:
    case ACTION_RETRY_ASKED: purpose = PURPOSE_RETRY; break;
    case ACTION_SHORTER:
        run->at.shortened = true;
        run->at.reasks++;
        purpose = PURPOSE_SHORTER;
        break;
    case ACTION_WHOLE:
        run->at.reasks++;
        purpose = PURPOSE_SHORTER;
        break;
    case ACTION_MODE:
        surety__mode_pick(&run->forms, &run->at, run->at.mode + 1);
        break;
    case ACTION_MODE_REASK:
        surety__mode_pick(&run->forms, &run->at, run->at.mode + 1);
        run->at.reasks++;
        purpose = PURPOSE_REASK;
        break;
    case ACTION_REASK:
        run->at.reasks++;
        purpose = PURPOSE_REASK;
        break;
    default:
        run->at.model++;
        run->at.reasks = 0;
        run->at.shortened = run->at.patch_failed = false;
        run->at.violations = 0;
        surety__judged_forget_basis(&run->judged);
        surety__findings_forget(&run->findings);
        run->at.stops = false;
        surety__mode_pick(&run->forms, &run->at, SURETY_MODE_NATIVE);
        break;
    }
    assert(run->at.model < run->setup.options.model_count);
    run->at.due_ms = run->now.monotonic_ms + delay_ms;
    return surety__attempt_plan(run, purpose);
}

/* Whether to wait for a validator; false: there is none to wait for, or no
 * time is left. */
static bool run_waits(surety_run *run, uint64_t *ret_delay_ms)
{
    const uint64_t left_ms = run_left_ms(run);

    if (!run->hearing.waits || run->store.status != SURETY_OK)
        return false;
    *ret_delay_ms =
        left_ms < SURETY__WAIT_HOST_MS ? left_ms : SURETY__WAIT_HOST_MS;
    if (left_ms)
        return true;
    (void)surety__fail(&run->cause, SURETY_TIMEOUT, "a validator is not done");
    surety__attempt_last(run)->what = CASE_UNJUDGED;
    return false;
}

/* Judges the answer and writes its result; false: a validator is not done. */
static bool run_weigh(surety_run *run, uint64_t *ret_delay_ms)
{
    surety__attempt *attempt = surety__attempt_last(run);

    if (!run->judging.begun)
        attempt->seen.ended_ms = run->now.monotonic_ms;
    if (attempt->what != CASE_UNSENT) {
        if (!run->judging.begun)
            surety__receive_answer(run);
        if (run->store.status == SURETY_OK)
            surety__receive_judge(run);
        if (run_waits(run, ret_delay_ms))
            return false;
    }
    surety__decide_tell(&run->store, attempt, run->judged.outcome, &run->cause);
    surety__budget_count(&run->spent, attempt, run->plan.input_tokens);
    return true;
}

static surety_str run_out_of_time(surety_run *run)
{
    surety__buf_printf(&run->store.text, "the budget of %zu ms is spent",
                       (size_t)run->setup.options.budget.ms_max);
    return surety__store_keep(&run->store);
}

/* ANSWERED: judges, decides, and writes both to the ledger. */
static surety_status run_answered(surety_run *run, uint64_t *ret_delay_ms)
{
    surety__attempt *attempt = surety__attempt_last(run);
    surety__decision decision = {.action = ACTION_END};
    bool goes_on = false;

    if (!run_weigh(run, ret_delay_ms))
        return SURETY_MORE;
    if (run->store.status != SURETY_OK)
        return SURETY_OK;
    if (run->hearing.waits ||
        (run->exchange.out_of_time &&
         attempt->seen.answer.failure == SURETY_FAILURE_CANCELLED)) {
        decision.spent = run_out_of_time(run);
    } else {
        decision = surety__decide(&run->store, &run->setup, &run->at, attempt,
                                  &run->random);
        goes_on = run_apply(run, decision.action, decision.delay_ms);
        if (goes_on)
            decision.spent = run_denied(run, decision.delay_ms);
    }
    goes_on = goes_on && !decision.spent.len;
    if (!goes_on && decision.action != ACTION_ACCEPT)
        surety__receive_fallback(run);
    surety__decide_say(&run->store, &run->setup, &run->at, attempt, &decision,
                       run->plan.reason);
    if (run->store.status != SURETY_OK)
        return SURETY_OK;
    if (!surety__record_finish(run)) {
        if (run->store.status == SURETY_OK)
            surety__result_unrecorded(run);
        return SURETY_OK;
    }
    surety__result_event(run, SURETY_EVENT_DECISION, attempt->seen.decision);
    if (goes_on)
        run->state = STATE_DUE;
    else if (decision.action == ACTION_ACCEPT)
        surety__result_end(run, SURETY_RUN_VALID, (surety_str){"", 0},
                           (surety_str){"", 0});
    else if (decision.action == ACTION_END || decision.spent.len)
        surety__result_give_up(run, decision.spent);
    else
        run_end_unplanned(run);
    return SURETY_OK;
}

/* Takes what arrived of a call that was cancelled, and completes its row;
 * false: that ended the run. */
static bool run_break_off(surety_run *run)
{
    surety__attempt *attempt = surety__attempt_last(run);

    run->state = STATE_ANSWERED;
    if (!run->judging.begun) {
        attempt->seen.ended_ms = run->now.monotonic_ms;
        surety__receive_answer(run);
    }
    if (attempt->what == CASE_VALID)
        attempt->told = SURETY__LITERAL("a reply came and was not judged");
    else
        surety__decide_tell(&run->store, attempt, run->judged.outcome,
                            &run->cause);
    surety__budget_count(&run->spent, attempt, run->plan.input_tokens);
    surety_buf_add(&run->store.text, attempt->told);
    surety_buf_text(&run->store.text, ": the run was cancelled");
    attempt->seen.decision = surety__store_keep(&run->store);
    if (run->store.status != SURETY_OK)
        return true;
    if (!surety__record_finish(run)) {
        if (run->store.status == SURETY_OK)
            surety__result_unrecorded(run);
        return false;
    }
    surety__result_event(run, SURETY_EVENT_DECISION, attempt->seen.decision);
    return true;
}

void surety_run_cancel(surety_run *run, surety_now now)
{
    bool going = true;

    if (!run || run->state == STATE_ENDED)
        return;
    run_set_now(run, now);
    surety__attempt_stop(run);
    if (run->state == STATE_UNDER_WAY || run->state == STATE_ANSWERED)
        going = run_break_off(run);
    if (run->store.status != SURETY_OK)
        run_collapse(run);
    else if (going)
        surety__result_end(run, SURETY_RUN_CANCELLED,
                           SURETY__LITERAL("the run was cancelled"),
                           SURETY__LITERAL(""));
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
                            "options and a place for the run are needed");
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
    run->store.alloc = own.alloc;
    surety__arena_init(&run->store.arena, own.alloc, 0);
    surety__arena_init(&run->store.scratch, own.alloc, 0);
    surety_buf_init(&run->store.text, own.alloc, 0);
    run->hearing.store = run->forms.store = &run->store;
    run->forms.setup = &run->setup;
    run->exchange.watch.forms = &run->forms;
    run->random = own.seed;
    run->spent.usage.known = true;
    status = surety__setup_take(&run->setup, &own, &run->hearing, reterr);
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
    if (!run)
        return;
    run->setup.options.event = NULL;
    surety_run_cancel(run, run->now);
    surety__judged_forget(&run->judged);
    surety__judged_forget_part(&run->judged);
    surety__mode_done(&run->forms);
    surety_stream_free(run->exchange.watch.stream);
    surety_doc_free(run->restoring.value);
    surety_doc_free(run->restoring.restored);
    surety__decoder_free(run->exchange.decoder);
    surety__free(run->store.alloc, run->findings.items,
                 run->findings.cap * sizeof(*run->findings.items));
    surety__free(run->store.alloc, run->log.items,
                 run->log.cap * sizeof(*run->log.items));
    surety_buf_done(&run->store.text);
    surety__arena_done(&run->store.scratch);
    surety__arena_done(&run->store.arena);
    surety__free(run->store.alloc, run, sizeof(*run));
}
