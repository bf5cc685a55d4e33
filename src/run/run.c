/* SPDX-License-Identifier: Apache-2.0 */
/* The run: the order of the worldly work, from a prompt to a checked value.
 * Every step is a call of a leaf; this page only says what follows what. Start
 * at the table of states.
 *
 *     NEW -> DUE -> UNDER_WAY -> ANSWERED -> DUE -> ... -> ENDED
 *
 * 1. A run does nothing by itself: it is stepped with the time, and has no
 *    clock, thread or socket. The same seed, times and bytes give the same run.
 * 2. Before a call: the budget is asked, then the ledger has it, then it is
 *    sent. After it: it is judged and decided upon, the next call is planned
 *    and the budget asked for that, then the ledger has all of it, and only
 *    then anybody hears of it.
 * 3. The one backward arrow, from what was wrong to the next call, is in
 *    run_apply.
 * 4. One exchange is under way at most; whatever ends the run closes it and
 *    completes its row first.
 * 5. Running out of memory ends the run as it stands.
 * 6. A validator of the host that is not done is waited for in ANSWERED: the
 *    answer has come, and is judged again with each step. */
#include "run/run.h"

static surety_status run_start(surety_run *run, uint64_t *ret_delay_ms);
static surety_status run_due(surety_run *run, uint64_t *ret_delay_ms);
static surety_status run_under_way(surety_run *run, uint64_t *ret_delay_ms);
static surety_status run_answered(surety_run *run, uint64_t *ret_delay_ms);

/* What is done in each state: OK goes on in the state that it left, MORE waits.
 * ORDER states */
static surety_status (*const run_states[])(surety_run *run,
                                           uint64_t *ret_delay_ms) = {
    run_start,
    run_due,
    run_under_way,
    run_answered,
};

/* Ends for want of memory: what is under way is closed and its row completed as
 * far as that goes. Also where memory ran out while the end was told. */
static void run_collapse(surety_run *run)
{
    surety__attempt_stop(run);
    surety_buf_reset(&run->text);
    if (run->attempt_count && surety__attempt_last(run)->open) {
        surety__attempt *attempt = surety__attempt_last(run);

        attempt->seen.answer = (surety_answer){
            .failure = SURETY_FAILURE_CANCELLED, .ambiguous = true};
        attempt->seen.judged = false;
        attempt->seen.stopped = SURETY_VERDICT_OPEN;
        attempt->seen.decision = SURETY__LITERAL("out of memory: the run ends");
        (void)surety__record_finish(run);
    }
    run->state = STATE_ENDED;
    run->verdict = SURETY_RUN_CANCELLED;
    run->message = SURETY__LITERAL("out of memory");
    run->hint = SURETY__LITERAL("");
}

static void run_set_now(surety_run *run, surety_now now)
{
    if (now.monotonic_ms < run->now.monotonic_ms)
        now.monotonic_ms = run->now.monotonic_ms;
    run->now = now;
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
        if (run->status != SURETY_OK)
            run_collapse(run);
    }
    if (run->status != SURETY_OK)
        return surety__fail_nomem(reterr);
    if (run->state == STATE_ENDED)
        return SURETY_OK;
    if (ret_delay_ms)
        *ret_delay_ms = delay_ms < UINT32_MAX ? (uint32_t)delay_ms : UINT32_MAX;
    return SURETY_MORE;
}

/* Ends where no call can be made of the plan. */
static void run_end_unplanned(surety_run *run)
{
    surety_buf_text(&run->text, "the prompt cannot be written: ");
    surety__result_line(&run->text, surety_str_of(run->cause.message), 320);
    surety__result_end(
        run, run->attempt_count ? SURETY_RUN_REJECTED : SURETY_RUN_PROVIDER,
        surety__result_keep(run),
        surety__result_copy(run, surety_str_of(run->cause.hint)));
}

/* NEW: the first model, its best mode, the first words. */
static surety_status run_start(surety_run *run, uint64_t *ret_delay_ms)
{
    char id[SURETY__ID_LEN];

    (void)ret_delay_ms;
    run->begun = run->now;
    run->due_ms = run->now.monotonic_ms;
    surety__id_write(&run->random, run->now.unix_ms, id);
    run->id = surety__result_copy(run, (surety_str){id, SURETY__ID_LEN});
    surety__mode_pick(run, SURETY_MODE_NATIVE);
    if (surety__attempt_plan(run, PURPOSE_ASK))
        run->state = STATE_DUE;
    else if (run->status == SURETY_OK)
        run_end_unplanned(run);
    return SURETY_OK;
}

/* DUE: is it time, may it be spent, is it recorded? Then it is sent. */
static surety_status run_due(surety_run *run, uint64_t *ret_delay_ms)
{
    surety_str spent;

    if (run->now.monotonic_ms < run->due_ms) {
        *ret_delay_ms = run->due_ms - run->now.monotonic_ms;
        return SURETY_MORE;
    }
    spent = surety__budget_denies(run, 0);
    if (spent.len) {
        surety__receive_fallback(run);
        surety__result_give_up(run, spent);
        return SURETY_OK;
    }
    if (!surety__attempt_begin(run))
        return SURETY_OK;
    if (!surety__record_begin(run)) {
        run->attempt_count--;
        if (run->status == SURETY_OK)
            surety__result_unrecorded(run);
        return SURETY_OK;
    }
    surety__result_event(run, SURETY_EVENT_ATTEMPT, run->plan.reason);
    run->out_of_time = false;
    run->state = STATE_UNDER_WAY;
    if (!surety__attempt_send(run)) {
        surety__attempt_last(run)->what = CASE_UNSENT;
        run->state = STATE_ANSWERED;
    }
    return SURETY_OK;
}

/* UNDER_WAY: until its transport tells the end, the reply can come to nothing
 * any more, or the time is spent. */
static surety_status run_under_way(surety_run *run, uint64_t *ret_delay_ms)
{
    surety__attempt *attempt = surety__attempt_last(run);
    const uint64_t left_ms = surety__budget_left_ms(run);

    if (run->heard && !attempt->seen.first_byte_ms)
        attempt->seen.first_byte_ms = run->now.monotonic_ms;
    if (!run->ended && left_ms && !run->watch.stops) {
        *ret_delay_ms = left_ms;
        return SURETY_MORE;
    }
    run->out_of_time = !run->ended && !run->watch.stops;
    surety__attempt_stop(run);
    run->state = STATE_ANSWERED;
    return SURETY_OK;
}

/* Plans what an action does next; false where it ends the run. */
static bool run_apply(surety_run *run, surety__action action, uint64_t delay_ms)
{
    surety__purpose purpose = PURPOSE_ASK;

    if (action == ACTION_END || action == ACTION_ACCEPT)
        return false;
    if (action == ACTION_RETRY || action == ACTION_RETRY_ASKED) {
        run->retries++;
        run->broken += run->came > 0;
    } else {
        run->retries = run->broken = 0;
    }
    switch (action) {
    case ACTION_RETRY:
    case ACTION_RETRY_ASKED: purpose = PURPOSE_RETRY; break;
    case ACTION_SHORTER:
        run->shortened = true;
        run->reasks++;
        purpose = PURPOSE_SHORTER;
        break;
    case ACTION_WHOLE:
        run->reasks++;
        purpose = PURPOSE_SHORTER;
        break;
    case ACTION_MODE: surety__mode_pick(run, run->mode + 1); break;
    case ACTION_MODE_REASK:
        surety__mode_pick(run, run->mode + 1);
        run->reasks++;
        purpose = PURPOSE_REASK;
        break;
    case ACTION_REASK:
        run->reasks++;
        purpose = PURPOSE_REASK;
        break;
    default:
        run->model++;
        run->reasks = 0;
        run->shortened = run->patch_failed = false;
        run->violations = 0;
        surety__receive_forget_basis(run);
        surety__findings_forget(run);
        run->stops = false;
        surety__mode_pick(run, SURETY_MODE_NATIVE);
        break;
    }
    run->due_ms = run->now.monotonic_ms + delay_ms;
    return surety__attempt_plan(run, purpose);
}

/* Waits for a validator as long as there is time; false: there is none. */
static bool run_waits(surety_run *run, uint64_t *ret_delay_ms)
{
    const uint64_t left_ms = surety__budget_left_ms(run);

    if (!run->judging.waits || run->status != SURETY_OK)
        return false;
    *ret_delay_ms =
        left_ms < SURETY__WAIT_HOST_MS ? left_ms : SURETY__WAIT_HOST_MS;
    if (left_ms)
        return true;
    (void)surety__fail(&run->cause, SURETY_TIMEOUT, "a validator is not done");
    surety__attempt_last(run)->what = CASE_UNJUDGED;
    return false;
}

/* Judges the answer and says what came of it; false: a validator is waited
 * for. */
static bool run_weigh(surety_run *run, uint64_t *ret_delay_ms)
{
    surety__attempt *attempt = surety__attempt_last(run);

    if (!run->judging.begun)
        attempt->seen.ended_ms = run->now.monotonic_ms;
    if (attempt->what != CASE_UNSENT) {
        if (!run->judging.begun)
            surety__receive_answer(run);
        if (run->status == SURETY_OK)
            surety__receive_judge(run);
        if (run_waits(run, ret_delay_ms))
            return false;
    }
    surety__decide_tell(run);
    surety__budget_count(run);
    return true;
}

static surety_str run_out_of_time(surety_run *run)
{
    surety__buf_printf(&run->text, "the budget of %zu ms is spent",
                       (size_t)run->options.budget.ms_max);
    return surety__result_keep(run);
}

/* ANSWERED: what came, what becomes of it, and the record of both. */
static surety_status run_answered(surety_run *run, uint64_t *ret_delay_ms)
{
    const surety__attempt *attempt = surety__attempt_last(run);
    surety_str hindered = {"", 0};
    surety_str spent = {"", 0};
    surety__action action = ACTION_END;
    uint64_t delay_ms = 0;
    bool goes_on = false;

    if (!run_weigh(run, ret_delay_ms))
        return SURETY_MORE;
    if (run->status != SURETY_OK)
        return SURETY_OK;
    if (run->judging.waits ||
        (run->out_of_time &&
         attempt->seen.answer.failure == SURETY_FAILURE_CANCELLED)) {
        spent = run_out_of_time(run);
    } else {
        action = surety__decide(run, &delay_ms, &hindered);
        goes_on = run_apply(run, action, delay_ms);
        if (goes_on)
            spent = surety__budget_denies(run, delay_ms);
    }
    goes_on = goes_on && !spent.len;
    if (!goes_on && action != ACTION_ACCEPT)
        surety__receive_fallback(run);
    surety__decide_say(run, action, delay_ms, hindered, spent);
    if (run->status != SURETY_OK)
        return SURETY_OK;
    if (!surety__record_finish(run)) {
        if (run->status == SURETY_OK)
            surety__result_unrecorded(run);
        return SURETY_OK;
    }
    surety__result_event(run, SURETY_EVENT_DECISION, attempt->seen.decision);
    if (goes_on)
        run->state = STATE_DUE;
    else if (action == ACTION_ACCEPT)
        surety__result_end(run, SURETY_RUN_VALID, (surety_str){"", 0},
                           (surety_str){"", 0});
    else if (action == ACTION_END || spent.len)
        surety__result_give_up(run, spent);
    else
        run_end_unplanned(run);
    return SURETY_OK;
}

/* Takes what came of a call that was stopped, and completes its row; false
 * where that ended the run. */
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
        surety__decide_tell(run);
    surety__budget_count(run);
    surety_buf_add(&run->text, attempt->told);
    surety_buf_text(&run->text, ": the run was cancelled");
    attempt->seen.decision = surety__result_keep(run);
    if (run->status != SURETY_OK)
        return true;
    if (!surety__record_finish(run)) {
        if (run->status == SURETY_OK)
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
    if (run->status != SURETY_OK)
        run_collapse(run);
    else if (going)
        surety__result_end(run, SURETY_RUN_CANCELLED,
                           SURETY__LITERAL("the run was cancelled"),
                           SURETY__LITERAL(""));
}

/* ---- the life of a run --------------------------------------------------- */

static surety_status run_check_model(const surety_run_options *options,
                                     size_t i, surety_error *reterr)
{
    const surety_model *model = &options->models[i];
    const surety_transport *transport = model->transport;
    const int len = (int)(model->name.len < 80 ? model->name.len : 80);
    const char *name = model->name.ptr;

    /* Models stand in an array, so they are of this size in every release. */
    if (model->size != sizeof(*model)) {
        (void)surety__fail(reterr, SURETY_MISUSE,
                           "the model %.*s says that its size is %zu and not "
                           "%zu",
                           len, name, model->size, sizeof(*model));
        surety__hint(reterr, "set the member size to sizeof(surety_model)");
        return SURETY_MISUSE;
    }
    if (!transport || !transport->start || !transport->cancel ||
        !transport->wait || transport->version != 1)
        return surety__fail(reterr, SURETY_MISUSE,
                            "the model %.*s has no transport of version 1", len,
                            name);
    if ((unsigned)model->protocol > SURETY_PROTOCOL_TEXT ||
        (unsigned)model->mode > SURETY_MODE_PROMPT)
        return surety__fail(reterr, SURETY_MISUSE,
                            "the model %.*s has an unknown protocol or mode",
                            len, name);
    if (model->mode != SURETY_MODE_AUTO &&
        !surety__protocol_has(model->protocol, model->mode)) {
        (void)surety__fail(
            reterr, SURETY_MISUSE,
            "the model %.*s cannot be asked in mode %s, which the protocol %s "
            "has not",
            len, name, surety_mode_name(model->mode),
            surety_protocol_name(model->protocol));
        surety__hint(reterr, "use mode auto or prompt");
        return SURETY_MISUSE;
    }
    if (options->budget.cost_picousd_max && !model->price.known) {
        (void)surety__fail(
            reterr, SURETY_MISUSE,
            "a budget of money needs prices, and the model %.*s has none", len,
            name);
        surety__hint(reterr, "give its prices in the configuration");
        return SURETY_MISUSE;
    }
    return SURETY_OK;
}

static surety_status run_check(const surety_run_options *options,
                               surety_error *reterr)
{
    surety_status status = SURETY_OK;

    if (!options->model_count || !options->models)
        return surety__fail(reterr, SURETY_MISUSE, "a run needs a model");
    if (options->ledger && options->ledger->version != 1)
        return surety__fail(reterr, SURETY_MISUSE,
                            "the ledger has the version %u, not 1",
                            (unsigned)options->ledger->version);
    if ((options->prompt.len && !options->prompt.ptr) ||
        (options->system.len && !options->system.ptr))
        return surety__fail(reterr, SURETY_MISUSE,
                            "an option has a length but no address");
    for (size_t i = 0; i < options->model_count && status == SURETY_OK; i++)
        status = run_check_model(options, i, reterr);
    return status;
}

/* The defaults over the zeros. */
static void run_settle(surety_run *run)
{
    surety_run_options *options = &run->options;
    surety_budget *budget = &options->budget;
    surety_backoff *backoff = &options->backoff;
    const surety_contract *contract = options->contract;

    if (!budget->calls_max)
        budget->calls_max = 8;
    if (!budget->tokens_max)
        budget->tokens_max = 1000000;
    if (!budget->ms_max)
        budget->ms_max = 1200000;
    if (backoff->retries_max == SURETY_RUN_NONE)
        backoff->retries_max = 0;
    else if (!backoff->retries_max)
        backoff->retries_max = 3;
    if (options->broken_retries_max == SURETY_RUN_NONE)
        options->broken_retries_max = 0;
    else if (!options->broken_retries_max)
        options->broken_retries_max = 1;
    if (!backoff->first_ms)
        backoff->first_ms = 500;
    if (!backoff->most_ms)
        backoff->most_ms = 8000;
    if (!backoff->retry_after_max_ms)
        backoff->retry_after_max_ms = 60000;
    if (contract)
        run->reask_max = options->retry_max == SURETY_RUN_NONE ? 0
                         : options->retry_max
                             ? options->retry_max
                             : surety_contract_retry_max(contract);
    run->feedback = options->has_feedback ? options->feedback
                    : contract            ? surety_contract_feedback(contract)
                                          : SURETY_FEEDBACK_ERRORS;
}

/* Takes the structs that the options point at: the run reads its own alone. */
static surety_status run_take(surety_run *run, surety_error *reterr)
{
    surety_judge_options *judge = &run->judge;

    if (surety__options_take(judge, sizeof(*judge), run->options.judge,
                             reterr) ||
        surety__options_take(&run->prompt_options, sizeof(run->prompt_options),
                             run->options.prompt_options, reterr) ||
        (judge->extract && surety__options_take(&run->given, sizeof(run->given),
                                                judge->extract, reterr)))
        return SURETY_MISUSE;
    if (judge->extract)
        judge->extract = &run->given;
    run->options.judge = judge;
    run->options.prompt_options = &run->prompt_options;
    return surety__host_take(run, reterr);
}

/* How structured values are looked at: as the contract says, with the place
 * native before the others whether it is listed or not. */
static void run_settle_extract(surety_run *run)
{
    surety_extract *extract = &run->extract;
    surety_extract given;

    if (!run->options.contract)
        return;
    given = run->judge.extract
                ? *run->judge.extract
                : *surety_contract_extract(run->options.contract);
    *extract = given;
    if (!given.from_count)
        return;
    extract->from_count = 0;
    extract->from[extract->from_count++] = SURETY_PLACE_NATIVE;
    for (size_t i = 0;
         i < given.from_count && extract->from_count < SURETY_PLACES; i++)
        if (given.from[i] != SURETY_PLACE_NATIVE)
            extract->from[extract->from_count++] = given.from[i];
}

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
        status = run_check(&own, reterr);
    if (status == SURETY_OK && !own.seed)
        status = surety__id_seed(&own.seed, reterr);
    if (status != SURETY_OK)
        return status;
    run = surety__new(own.alloc, sizeof(*run));
    if (!run)
        return surety__fail_nomem(reterr);
    run->alloc = own.alloc;
    run->options = own;
    run->random = own.seed;
    run->usage.known = true;
    surety__arena_init(&run->arena, run->alloc, 0);
    surety__arena_init(&run->scratch, run->alloc, 0);
    surety_buf_init(&run->text, run->alloc, 0);
    run_settle(run);
    status = run_take(run, reterr);
    if (status == SURETY_OK) {
        run_settle_extract(run);
        run->decoder = surety__decoder_new(own.limits, run->alloc);
        if (!run->decoder)
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
    run->options.event = NULL;
    surety_run_cancel(run, run->now);
    surety__receive_forget(run);
    surety_outcome_free(run->part);
    for (size_t i = 0; i < SURETY__SUBSETS; i++) {
        surety_contract_free(run->bounds[i].loose);
        surety_strict_free(run->bounds[i].strict);
        surety_doc_free(run->bounds[i].example);
    }
    surety_stream_free(run->stream);
    surety_contract_free(run->any);
    surety_doc_free(run->value);
    surety_doc_free(run->restored);
    surety_doc_free(run->plain);
    surety__decoder_free(run->decoder);
    surety__free(run->alloc, run->findings,
                 run->finding_cap * sizeof(*run->findings));
    surety__free(run->alloc, run->attempts,
                 run->attempt_cap * sizeof(*run->attempts));
    surety_buf_done(&run->text);
    surety__arena_done(&run->scratch);
    surety__arena_done(&run->arena);
    surety__free(run->alloc, run, sizeof(*run));
}
