/* SPDX-License-Identifier: Apache-2.0 */
/* The consensus: several runs that are stepped together, and one answer. Read
 * the table of states first.
 *
 *     ASKING -> ENDED, or ASKING -> AGGREGATING -> ENDED
 *
 * Invariants:
 * 1. A member is an ordinary run with one model, its own re-asks, and its own
 *    share of the budget. Members do not affect each other.
 * 2. Members are stepped in their order. After each step the consensus checks
 *    whether it is decided; if so, it cancels all calls under way.
 * 3. A value that is given out satisfies the contract, or is a run's partial
 *    value or fallback, and the verdict says which.
 * 4. The budget is divided before anything is spent. The aggregator gets what
 *    is left, which is at least its share. So no budget has to be taken back
 *    from a run under way.
 * 5. Running out of memory ends all runs. */
#include "consensus/consensus.h"

/* ORDER consensus kinds */
static const char *const consensus_kinds[] = {"first", "fastest", "vote",
                                              "aggregate"};

const char *surety__consensus_kind_name(surety_consensus_kind kind)
{
    return (unsigned)kind <= SURETY_CONSENSUS_AGGREGATE ? consensus_kinds[kind]
                                                        : "unknown";
}

surety_status surety_consensus_kind_of(surety_str name,
                                       surety_consensus_kind *ret)
{
    for (size_t i = 0; i < SURETY__COUNT(consensus_kinds); i++)
        if (surety_str_equal(name, surety_str_of(consensus_kinds[i]))) {
            *ret = (surety_consensus_kind)i;
            return SURETY_OK;
        }
    return SURETY_END;
}

/* ---- the end ------------------------------------------------------------- */

static void consensus_cancel_rest(surety_consensus *consensus)
{
    for (size_t i = 0; i <= consensus->member_count; i++)
        surety_run_cancel(consensus->parties[i].run, consensus->now);
}

static void consensus_end(surety_consensus *consensus,
                          surety_run_verdict verdict)
{
    assert(consensus->state != CONSENSUS_ENDED);
    consensus_cancel_rest(consensus);
    consensus->state = CONSENSUS_ENDED;
    consensus->verdict = verdict;
}

static void consensus_collapse(surety_consensus *consensus)
{
    consensus_cancel_rest(consensus);
    consensus->state = CONSENSUS_ENDED;
    consensus->verdict = SURETY_RUN_CANCELLED;
    consensus->status = SURETY_NOMEM;
    consensus->value = surety_val_none();
    consensus->winner = SIZE_MAX;
    surety_buf_reset(&consensus->message);
}

bool surety__consensus_is_valid(const surety__party *party)
{
    return surety_run_info_of(party->run)->verdict == SURETY_RUN_VALID;
}

/* Ends with the answer of a member. */
static void consensus_take(surety_consensus *consensus, size_t member)
{
    surety__party *party = &consensus->parties[member];

    assert(member < consensus->member_count);
    consensus->value = surety__weigh_answer(consensus, party);
    consensus->winner = member;
    consensus_end(consensus, surety_run_info_of(party->run)->verdict);
}

/* Appends "; NAME: reason" for each member that failed. */
static void consensus_write_reasons(surety_consensus *consensus)
{
    surety_buf *out = &consensus->message;
    const char *before = ": ";

    for (size_t i = 0; i < consensus->member_count; i++) {
        const surety__party *party = &consensus->parties[i];

        if (surety__consensus_is_valid(party) ||
            surety_run_info_of(party->run)->verdict == SURETY_RUN_CANCELLED)
            continue;
        surety_buf_text(out, before);
        surety__buf_line(out, consensus->run.models[i].name, 80);
        surety_buf_text(out, ": ");
        surety__buf_line(out, surety_run_info_of(party->run)->message, 400);
        before = "; ";
    }
}

/* Ends because there are too few valid answers. If there is none at all, a
 * partial value or a fallback replaces it; otherwise there is no value. */
static void consensus_give_up(surety_consensus *consensus, size_t valid,
                              size_t pending)
{
    surety_run_verdict verdict = SURETY_RUN_CANCELLED;
    surety_buf *out = &consensus->message;
    size_t best = SIZE_MAX;

    /* Members that would finish too late are cancelled first. */
    consensus_cancel_rest(consensus);
    for (size_t i = 0; i < consensus->member_count; i++) {
        surety_run_verdict one =
            surety_run_info_of(consensus->parties[i].run)->verdict;

        if (one == SURETY_RUN_VALID)
            continue;
        if (valid && one < SURETY_RUN_REJECTED)
            one = SURETY_RUN_REJECTED;
        if (one < verdict || best == SIZE_MAX) {
            verdict = one;
            best = i;
        }
    }
    if (pending)
        surety__buf_printf(out,
                           "%u valid answers are needed and cannot come "
                           "any more",
                           (unsigned)consensus->quorum);
    else if (valid)
        surety__buf_printf(out,
                           "%zu of %zu models gave a valid answer and %u "
                           "are needed",
                           valid, consensus->member_count,
                           (unsigned)consensus->quorum);
    else
        surety_buf_text(out, "no model gave a valid answer");
    consensus_write_reasons(consensus);
    if (!valid &&
        (verdict == SURETY_RUN_PARTIAL || verdict == SURETY_RUN_FALLBACK))
        consensus_take(consensus, best);
    else
        consensus_end(consensus, verdict);
}

/* ---- asking -------------------------------------------------------------- */

/* Steps a party. Returns whether it is still under way. Stores NOMEM. */
static bool consensus_step_party(surety_consensus *consensus, size_t i,
                                 uint32_t *ret_delay_ms)
{
    surety_run *run = consensus->parties[i].run;
    uint32_t delay_ms = UINT32_MAX;
    surety_status status;

    if (surety_run_info_of(run)->verdict != SURETY_RUN_PENDING)
        return false;
    status = surety_run_step(run, consensus->now, &delay_ms, NULL);
    if (status < 0)
        consensus->status = SURETY_NOMEM;
    if (status != SURETY_MORE)
        return false;
    if (delay_ms < *ret_delay_ms)
        *ret_delay_ms = delay_ms;
    return true;
}

/* Whether a consensus of kind first or fastest is decided; if so, ends it. */
static bool consensus_settles(surety_consensus *consensus)
{
    const surety_consensus_kind kind = consensus->options.kind;

    if (kind != SURETY_CONSENSUS_FIRST && kind != SURETY_CONSENSUS_FASTEST)
        return false;
    for (size_t i = 0; i < consensus->member_count; i++) {
        const surety__party *party = &consensus->parties[i];

        if (surety__consensus_is_valid(party)) {
            consensus_take(consensus, i);
            return true;
        }
        if (kind == SURETY_CONSENSUS_FIRST &&
            surety_run_info_of(party->run)->verdict == SURETY_RUN_PENDING)
            return false;
    }
    return false;
}

/* Ends with the answer that agrees most with the others. The message already
 * begins with the reason. */
static void consensus_take_closest(surety_consensus *consensus)
{
    size_t agreed;
    const size_t voter = surety__weigh_closest(consensus, &agreed);
    const size_t member = consensus->voters[voter];
    const size_t ballots = surety_vote_info_of(consensus->vote)->ballot_count;
    surety_buf *out = &consensus->message;

    surety_buf_text(out, ": the answer of ");
    surety__buf_line(out, consensus->run.models[member].name, 80);
    if (ballots)
        surety__buf_printf(out,
                           " is taken, which agrees with %zu of %zu decisions",
                           agreed, ballots);
    else
        surety_buf_text(out, " is taken");
    consensus_take(consensus, member);
}

/* Begins the run of the aggregator. */
static void consensus_aggregate(surety_consensus *consensus)
{
    surety_run_options options = consensus->run;
    surety_error cause = {.status = SURETY_OK};
    surety_status status = surety__weigh_prompt(consensus);

    options.prompt = surety_buf_str(&consensus->prompt);
    options.models = &consensus->aggregator_model;
    options.budget = surety__consensus_share(consensus, true);
    if (status == SURETY_OK)
        status = surety__consensus_ask(consensus, consensus->member_count,
                                       &options, &cause);
    if (status == SURETY_OK) {
        consensus->state = CONSENSUS_AGGREGATING;
    } else if (status == SURETY_NOMEM) {
        consensus->status = SURETY_NOMEM;
    } else {
        surety_buf_text(&consensus->message, "the aggregator was not called");
        surety__decide_detail(&consensus->message, surety_str_of(cause.message),
                              320);
        consensus_take_closest(consensus);
    }
}

/* Merges the answers after all members have ended and enough are valid. OK;
 * MORE: a validator of the host is not done with the merged value. */
static surety_status consensus_merge(surety_consensus *consensus)
{
    const bool is_vote = consensus->options.kind == SURETY_CONSENSUS_VOTE;
    surety_error cause = {.status = SURETY_OK};
    surety_status status = SURETY_OK;
    bool is_valid = false;

    if (!consensus->vote)
        status = surety__weigh_vote(consensus, &cause);
    if (status == SURETY_OK && is_vote && consensus->voter_count > 1)
        status = surety__weigh_merged(consensus, &is_valid);
    if (status == SURETY_MORE)
        return status;
    if (status == SURETY_NOMEM) {
        consensus->status = SURETY_NOMEM;
    } else if (consensus->validator_failed) {
        consensus_end(consensus, SURETY_RUN_VALIDATOR);
    } else if (consensus->voter_count == 1) {
        surety_buf_reset(&consensus->message);
        consensus_take(consensus, consensus->voters[0]);
    } else if (!is_vote) {
        consensus_aggregate(consensus);
    } else if (is_valid) {
        consensus_end(consensus, SURETY_RUN_VALID);
    } else {
        if (status != SURETY_OK) {
            surety_buf_text(&consensus->message,
                            "the answers cannot be merged");
            surety__decide_detail(&consensus->message,
                                  surety_str_of(cause.message), 320);
        }
        consensus_take_closest(consensus);
    }
    return SURETY_OK;
}

/* Ends if a validator of the host failed for a member's reply: the answers of
 * the others would hide that. */
static bool consensus_is_validator_failed(surety_consensus *consensus)
{
    for (size_t i = 0; i <= consensus->member_count; i++) {
        const surety_run *run = consensus->parties[i].run;

        if (surety_run_info_of(run)->verdict != SURETY_RUN_VALIDATOR)
            continue;
        surety_buf_reset(&consensus->message);
        surety__buf_line(&consensus->message, surety_run_info_of(run)->message,
                         400);
        consensus_end(consensus, SURETY_RUN_VALIDATOR);
        return true;
    }
    return false;
}

/* ASKING: steps each member. A decision ends the others. */
static surety_status consensus_asking(surety_consensus *consensus,
                                      uint32_t *ret_delay_ms)
{
    const surety_consensus_kind kind = consensus->options.kind;
    const bool is_race =
        kind == SURETY_CONSENSUS_FIRST || kind == SURETY_CONSENSUS_FASTEST;
    size_t valid = 0, pending = 0;

    for (size_t i = 0; i < consensus->member_count; i++) {
        if (consensus_step_party(consensus, i, ret_delay_ms))
            pending++;
        else if (surety__consensus_is_valid(&consensus->parties[i]))
            valid++;
        if (consensus->status != SURETY_OK ||
            consensus_is_validator_failed(consensus) ||
            consensus_settles(consensus))
            return SURETY_OK;
    }
    if (valid + pending < (is_race ? 1 : consensus->quorum)) {
        consensus_give_up(consensus, valid, pending);
        return SURETY_OK;
    }
    if (pending)
        return SURETY_MORE;
    if (consensus_merge(consensus) == SURETY_OK)
        return SURETY_OK;
    *ret_delay_ms = SURETY__WAIT_HOST_MS;
    return SURETY_MORE;
}

/* AGGREGATING: steps the aggregator's run until it has ended. */
static surety_status consensus_aggregating(surety_consensus *consensus,
                                           uint32_t *ret_delay_ms)
{
    const size_t i = consensus->member_count;
    surety__party *party = &consensus->parties[i];

    if (consensus_step_party(consensus, i, ret_delay_ms))
        return SURETY_MORE;
    if (consensus->status != SURETY_OK ||
        consensus_is_validator_failed(consensus))
        return SURETY_OK;
    if (surety__consensus_is_valid(party)) {
        consensus->value = surety__weigh_answer(consensus, party);
        consensus_end(consensus, SURETY_RUN_VALID);
        return SURETY_OK;
    }
    surety_buf_text(&consensus->message, "the aggregator ");
    surety__buf_line(&consensus->message, consensus->aggregator_model.name, 80);
    surety_buf_text(&consensus->message, " gave no valid answer");
    surety__decide_detail(&consensus->message,
                          surety_run_info_of(party->run)->message, 400);
    consensus_take_closest(consensus);
    return SURETY_OK;
}

/* ---- stepping ------------------------------------------------------------ */

/* The function of each state. OK: the loop goes on with the state that it set;
 * MORE: wait. ORDER consensus states */
static surety_status (*const consensus_states[])(surety_consensus *consensus,
                                                 uint32_t *ret_delay_ms) = {
    consensus_asking,
    consensus_aggregating,
};

static void consensus_set_now(surety_consensus *consensus, surety_now now)
{
    if (consensus->stepped && now.monotonic_ms < consensus->now.monotonic_ms)
        now.monotonic_ms = consensus->now.monotonic_ms;
    consensus->now = now;
    if (!consensus->stepped)
        consensus->begun = now;
    consensus->stepped = true;
}

surety_status surety_consensus_step(surety_consensus *consensus, surety_now now,
                                    uint32_t *ret_delay_ms,
                                    surety_error *reterr)
{
    surety_status status = SURETY_OK;
    uint32_t delay_ms = UINT32_MAX;

    if (!consensus)
        return surety__fail(reterr, SURETY_MISUSE, "a consensus is needed");
    if (consensus->state != CONSENSUS_ENDED)
        consensus_set_now(consensus, now);
    while (status == SURETY_OK && consensus->state != CONSENSUS_ENDED) {
        status = consensus_states[consensus->state](consensus, &delay_ms);
        if (consensus->message.status != SURETY_OK)
            consensus->status = SURETY_NOMEM;
        if (consensus->status != SURETY_OK)
            consensus_collapse(consensus);
    }
    if (consensus->status != SURETY_OK) {
        consensus_collapse(consensus);
        return surety__fail_nomem(reterr);
    }
    if (consensus->state == CONSENSUS_ENDED)
        return SURETY_OK;
    if (ret_delay_ms)
        *ret_delay_ms = delay_ms;
    return SURETY_MORE;
}

void surety_consensus_cancel(surety_consensus *consensus, surety_now now)
{
    if (!consensus || consensus->state == CONSENSUS_ENDED)
        return;
    consensus_set_now(consensus, now);
    consensus_end(consensus, SURETY_RUN_CANCELLED);
    surety_buf_reset(&consensus->message);
    surety_buf_text(&consensus->message, "the consensus was cancelled");
    if (consensus->message.status != SURETY_OK)
        surety_buf_reset(&consensus->message);
}

static surety_status consensus_wait_step(void *ctx, surety_now now,
                                         uint32_t *ret_delay_ms,
                                         surety_error *reterr)
{
    return surety_consensus_step(ctx, now, ret_delay_ms, reterr);
}

static void consensus_wait_cancel(void *ctx, surety_now now)
{
    surety_consensus_cancel(ctx, now);
}

static const surety_run *consensus_run_at(const void *ctx, size_t i)
{
    const surety_consensus *consensus = ctx;

    return consensus->parties[i].run;
}

_Static_assert(SURETY_VOTERS_MAX + 1 <= SURETY__WAIT_RUNS_MAX,
               "the members and the aggregator are waited for together");

surety_status surety_consensus_wait(surety_consensus *consensus,
                                    const volatile int *cancelled,
                                    surety_error *reterr)
{
    const surety__waited waited = {consensus, consensus_wait_step,
                                   consensus_wait_cancel, consensus_run_at,
                                   consensus ? consensus->member_count + 1 : 0};

    return surety__wait(&waited, cancelled, reterr);
}

/* ---- life of a consensus ------------------------------------------------- */

/* The smaller of two limits; 0 means no limit. */
static uint64_t consensus_bound(uint64_t one, uint64_t other)
{
    return !one ? other : !other ? one : one < other ? one : other;
}

static uint64_t consensus_left(uint64_t all, uint64_t spent, uint64_t parties)
{
    uint64_t left;

    if (!all)
        return 0;
    left = all > spent ? (all - spent) / parties : 0;
    /* 0 would mean no limit. */
    return left ? left : 1;
}

surety_budget surety__consensus_share(const surety_consensus *consensus,
                                      bool is_aggregator)
{
    const bool aggregates =
        consensus->options.kind == SURETY_CONSENSUS_AGGREGATE;
    const surety_budget *all = &consensus->options.budget;
    const uint64_t parties =
        is_aggregator ? 1 : consensus->member_count + aggregates;
    surety_budget share = consensus->run.budget;
    uint64_t calls = 0, tokens = 0, cost = 0, ms = 0;

    if (is_aggregator) {
        for (size_t i = 0; i < consensus->member_count; i++) {
            const surety_run *run = consensus->parties[i].run;
            const surety_usage usage = surety_run_info_of(run)->usage;

            calls += surety_run_info_of(run)->attempt_count;
            tokens += usage.input_tokens + usage.output_tokens;
            cost += surety_run_info_of(run)->cost_picousd;
        }
        ms = consensus->now.monotonic_ms - consensus->begun.monotonic_ms;
    }
    share.calls_max = (uint32_t)consensus_bound(
        share.calls_max, consensus_left(all->calls_max, calls, parties));
    share.tokens_max = consensus_bound(
        share.tokens_max, consensus_left(all->tokens_max, tokens, parties));
    share.cost_picousd_max =
        consensus_bound(share.cost_picousd_max,
                        consensus_left(all->cost_picousd_max, cost, parties));
    /* Members run at the same time, so time is not divided among them. */
    share.ms_max = consensus_bound(
        share.ms_max,
        consensus_left(all->ms_max, ms, aggregates && !is_aggregator ? 2 : 1));
    return share;
}

/* Passes on an event of a party's run. */
static void consensus_hear(void *ctx, const surety_event *event)
{
    const surety__party *party = ctx;
    const surety_consensus *consensus = party->consensus;

    consensus->options.event(consensus->options.event_ctx,
                             (size_t)(party - consensus->parties), event);
}

surety_status surety__consensus_ask(surety_consensus *consensus, size_t party,
                                    const surety_run_options *options,
                                    surety_error *reterr)
{
    surety_run_options own = *options;

    assert(party <= consensus->member_count && !consensus->parties[party].run);
    own.model_count = 1;
    /* Ids are made from the seed, so every party needs a different one. */
    if (own.seed)
        own.seed += party * 0x9E3779B97F4A7C15u;
    if (consensus->options.event) {
        own.event = consensus_hear;
        own.event_ctx = &consensus->parties[party];
    }
    return surety_run_new(&own, &consensus->parties[party].run, reterr);
}

static surety_status consensus_check(const surety_consensus_options *options,
                                     const surety_run_options *run,
                                     surety_error *reterr)
{
    const bool aggregates = options->kind == SURETY_CONSENSUS_AGGREGATE;
    const size_t parties = run->model_count + aggregates;

    if ((unsigned)options->kind > SURETY_CONSENSUS_AGGREGATE)
        return surety__fail(reterr, SURETY_MISUSE, "%u is no kind of consensus",
                            (unsigned)options->kind);
    if (!run->model_count || !run->models)
        return surety__fail(reterr, SURETY_MISUSE, "a consensus needs models");
    if (run->items)
        return surety__fail(reterr, SURETY_MISUSE,
                            "elements as they come are of one run, and not of "
                            "a consensus");
    if (run->model_count > SURETY_VOTERS_MAX)
        return surety__fail(
            reterr, SURETY_MISUSE,
            "%zu models are more than the %d that may be called "
            "at once",
            run->model_count, SURETY_VOTERS_MAX);
    if (options->quorum > run->model_count)
        return surety__fail(reterr, SURETY_MISUSE,
                            "%u valid answers are needed, of %zu models",
                            (unsigned)options->quorum, run->model_count);
    if (options->budget.calls_max && options->budget.calls_max < parties)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a budget of %u call%s is too small for %zu models",
                            (unsigned)options->budget.calls_max,
                            options->budget.calls_max == 1 ? "" : "s", parties);
    if (aggregates && options->budget.ms_max == 1)
        return surety__fail(reterr, SURETY_MISUSE,
                            "a budget of 1 ms is too small for two questions");
    if (aggregates && options->aggregator && !options->aggregator->transport)
        return surety__fail(reterr, SURETY_MISUSE,
                            "the aggregator has no transport");
    return SURETY_OK;
}

/* Makes the members' runs. The aggregator's run is made and freed at once, so
 * that errors in its options are reported before any call is paid. */
static surety_status consensus_make(surety_consensus *consensus,
                                    surety_error *reterr)
{
    const bool aggregates =
        consensus->options.kind == SURETY_CONSENSUS_AGGREGATE;
    surety__party *last = &consensus->parties[consensus->member_count];
    surety_run_options options = consensus->run;
    surety_status status = SURETY_OK;

    options.budget = surety__consensus_share(consensus, false);
    for (size_t i = 0; i <= consensus->member_count; i++)
        consensus->parties[i].consensus = consensus;
    for (size_t i = 0; i < consensus->member_count && status == SURETY_OK;
         i++) {
        options.models = &consensus->run.models[i];
        status = surety__consensus_ask(consensus, i, &options, reterr);
    }
    if (status != SURETY_OK || !aggregates)
        return status;
    options.models = &consensus->aggregator_model;
    status = surety__consensus_ask(consensus, consensus->member_count, &options,
                                   reterr);
    surety_run_free(last->run);
    last->run = NULL;
    return status;
}

surety_status surety_consensus_new(const surety_consensus_options *options,
                                   surety_consensus **ret_consensus,
                                   surety_error *reterr)
{
    surety_consensus_options own;
    surety_run_options run;
    surety_consensus *consensus;
    surety_status status;

    if (surety__options_take(&own, sizeof(own), options, reterr))
        return SURETY_MISUSE;
    if (!options || !ret_consensus || !own.run)
        return surety__fail(reterr, SURETY_MISUSE,
                            "options, a run, and an address for the "
                            "consensus are needed");
    status = surety__options_take(&run, sizeof(run), own.run, reterr);
    if (status == SURETY_OK)
        status = consensus_check(&own, &run, reterr);
    if (status != SURETY_OK)
        return status;
    consensus = surety__new(run.alloc, sizeof(*consensus));
    if (!consensus)
        return surety__fail_nomem(reterr);
    consensus->info = &consensus->seen;
    consensus->alloc = run.alloc;
    consensus->options = own;
    consensus->run = run;
    consensus->aggregator_model =
        own.aggregator ? *own.aggregator : run.models[0];
    consensus->quorum = own.quorum ? own.quorum : 1;
    consensus->winner = SIZE_MAX;
    surety_buf_init(&consensus->message, run.alloc, 0);
    surety_buf_init(&consensus->merged_text, run.alloc, 0);
    surety_buf_init(&consensus->prompt, run.alloc, 0);
    consensus->parties = surety__new(
        run.alloc, (run.model_count + 1) * sizeof(*consensus->parties));
    if (consensus->parties) {
        consensus->member_count = run.model_count;
        status = consensus_make(consensus, reterr);
    } else {
        status = surety__fail_nomem(reterr);
    }
    if (status == SURETY_OK)
        *ret_consensus = consensus;
    else
        surety_consensus_free(consensus);
    return status;
}

void surety_consensus_free(surety_consensus *consensus)
{
    if (!consensus)
        return;
    consensus->options.event = NULL;
    for (size_t i = 0; consensus->parties && i <= consensus->member_count;
         i++) {
        surety_run_free(consensus->parties[i].run);
        surety_doc_free(consensus->parties[i].text);
    }
    if (consensus->parties)
        surety__free(consensus->alloc, consensus->parties,
                     (consensus->member_count + 1) *
                         sizeof(*consensus->parties));
    surety_outcome_free(consensus->merged_outcome);
    surety_vote_free(consensus->vote);
    surety_doc_free(consensus->merged);
    surety_buf_done(&consensus->merged_text);
    surety_buf_done(&consensus->message);
    surety_buf_done(&consensus->prompt);
    surety__free(consensus->alloc, consensus, sizeof(*consensus));
}
