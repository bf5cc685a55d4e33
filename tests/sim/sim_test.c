/* SPDX-License-Identifier: Apache-2.0 */
/* The simulator: whole runs in a world that a seed makes, with a clock that
 * only moves when it is told to. After every step and at the end it looks at
 * what must hold whatever happens:
 *
 * - no call leaves beyond any budget, before its delay is over, or unrecorded;
 * - VALID comes with a value that the contract's own check accepts, and from an
 *   answer that its provider called whole (or that ran away behind its value);
 * a fallback and a part of a reply only where they are allowed;
 * - what is stopped while it comes would not have been valid whole (sim_law.c);
 * - retries and re-asks stay in their bounds, what may have been carried out is
 *   not repeated, and no refusal is argued with;
 * - every row that was begun is finished once, before anything is given out;
 * - a tool is called once for a call, within its bounds and after its row; each
 * call has its result in the conversation, which can be saved (sim_tool.c);
 * - each element of an array is given once, in order, and is in the value at
 * the end (sim_item.c);
 * - the run ends, holds its last exchange no longer, and then stays as it is;
 * - the key is in no body, row, event or report; reports are valid reports;
 * - out of memory, it ends; no memory is left; the same seed gives the same
 *   bytes.
 *
 *     sim_test                 the seeds of the default run
 *     sim_test --seeds A B     those from A to B
 *     sim_test --seed N        one, told step by step
 *     sim_test --policies      when calls are stopped, compared (sim_policy.c)
 */
#include "provider/provider.h"
#include "sim/chance.h"
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIM_SEEDS = 60000, SIM_STEPS = 20000 };

/* What the seeds have been through, to see that they go everywhere. */
struct sim_tally {
    size_t verdicts[SURETY_RUN_VALIDATOR + 1];
    size_t stops[SURETY_STREAM_RUNAWAY + 1];
    size_t failures[SURETY_TOOL_FAILURE_COUNT]; /* of tools */
    size_t items, early, reminded; /* elements, calls that tell of them */
    size_t values;
    size_t tools, again; /* calls of tools, and those answered from another */
    size_t calls, starved, most_calls;
};

struct sim_bench {
    const surety_contract *contracts[SIM_CONTRACTS];
    surety_contract *report; /* surety/report */
    surety_judge *judge;
    struct sim_tally tally;
};

/* ---- what must hold ------------------------------------------------------ */

/* The value of a VALID run, asked of another judge as a reply. */
static void check_value(struct sim *sim, struct sim_bench *bench)
{
    const surety_extract whole = {
        .size = sizeof(whole), .from = {SURETY_PLACE_WHOLE}, .from_count = 1};
    const surety_judge_options options = {
        .size = sizeof(options), .extract = &whole, .no_fallback = true};
    const surety_outcome *given = surety_run_info_of(sim->run)->outcome;
    const surety_outcome *outcome = NULL;
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    sim_must(sim, given && surety_outcome_info_of(given)->ok,
             "VALID has a value");
    if (given &&
        surety_val_write(surety_outcome_info_of(given)->value,
                         SURETY_STYLE_COMPACT, &text) == SURETY_OK &&
        surety_judge_reply(bench->judge, sim->contract, surety_buf_str(&text),
                           &options, &outcome, NULL) == SURETY_OK)
        sim_must(sim, surety_outcome_info_of(outcome)->ok, "VALID is valid");
    else
        sim_must(sim, false, "the value can be judged");
    surety_buf_done(&text);
}

static void check_verdict(struct sim *sim, struct sim_bench *bench)
{
    const surety_run_verdict verdict = surety_run_info_of(sim->run)->verdict;
    const surety_outcome *outcome = surety_run_info_of(sim->run)->outcome;

    sim_must(sim, verdict != SURETY_RUN_PENDING, "an end has a verdict");
    bench->tally.verdicts[verdict]++;
    if (verdict == SURETY_RUN_VALID) {
        sim_must(
            sim,
            sim->exchange.whole ||
                surety_run_attempt(
                    sim->run, surety_run_info_of(sim->run)->attempt_count - 1)
                        .stopped == SURETY_STREAM_RUNAWAY,
            "VALID came whole");
        if (sim->contract)
            check_value(sim, bench);
    } else {
        sim_must(sim, surety_run_info_of(sim->run)->message.len > 0,
                 "what is not VALID says why");
    }
    sim_must(sim,
             (verdict == SURETY_RUN_FALLBACK) ==
                     surety_outcome_info_of(outcome)->fallback ||
                 verdict == SURETY_RUN_CANCELLED,
             "a fallback is called one");
    if (verdict == SURETY_RUN_PARTIAL)
        sim_must(sim,
                 surety_outcome_info_of(outcome)->ok &&
                     (sim->judge.partial ||
                      surety_contract_info_of(sim->contract)->partial),
                 "a part is taken where it may be");
    if (surety_outcome_info_of(outcome)->fallback)
        sim_must(sim,
                 surety_contract_info_of(sim->contract)->fallback !=
                         SURETY_FALLBACK_NONE &&
                     !sim->judge.no_fallback,
                 "a fallback is the contract's");
    if (verdict == SURETY_RUN_LEDGER)
        sim_must(sim, sim->ledger_failed && !sim->options.ledger_optional,
                 "LEDGER only where the ledger failed");
    else if (!sim->options.ledger_optional && !sim->memory.starved)
        sim_must(sim, !sim->ledger_failed || verdict == SURETY_RUN_CANCELLED,
                 "a ledger that fails ends the run");
}

static void check_rows(struct sim *sim)
{
    for (size_t i = 0; sim->options.ledger && i < sim->row_count; i++)
        sim_must(sim, sim->rows[i].finished == sim->rows[i].begun,
                 "each row is finished");
}

/* What may follow what. */
static void check_order(struct sim *sim)
{
    const size_t count = surety_run_info_of(sim->run)->attempt_count;
    const uint32_t retries_max = sim->backoff.retries_max == UINT32_MAX ? 0
                                 : sim->backoff.retries_max
                                     ? sim->backoff.retries_max
                                     : 3;
    const uint32_t reasks_max =
        !sim->contract                              ? 0
        : sim->options.retry_max == SURETY_RUN_NONE ? 0
        : sim->options.retry_max
            ? sim->options.retry_max
            : surety_contract_info_of(sim->contract)->retry_max;
    const uint32_t broken_max =
        sim->options.broken_retries_max == SURETY_RUN_NONE ? 0
        : sim->options.broken_retries_max ? sim->options.broken_retries_max
                                          : 1;
    uint32_t retries = 0;
    uint32_t reasks = 0;
    uint32_t broken = 0;
    bool patch = false; /* the last call was one, or repeated one */

    for (size_t i = 1; i < count; i++) {
        const surety_attempt last = surety_run_attempt(sim->run, i - 1);
        const surety_attempt next = surety_run_attempt(sim->run, i);
        const surety_failure failure = last.answer.failure;
        const bool retry =
            surety_str_equal(next.purpose, surety_str_of("retry"));
        const bool ask = surety_str_equal(next.purpose, surety_str_of("ask"));
        const bool step = surety_str_equal(next.purpose, surety_str_of("step"));

        retries = retry ? retries + 1 : 0;
        reasks =
            next.model != last.model ? 0 : reasks + (!retry && !ask && !step);
        broken = retry ? broken + (last.answer.text.len > 0) : 0;
        sim_must(sim, retries <= retries_max, "retries in their bound");
        sim_must(sim, broken <= broken_max,
                 "a reply that broke off is repeated in its bound");
        sim_must(sim, reasks <= reasks_max, "re-asks in their bound");
        sim_must(sim, !last.ok, "nothing follows a valid reply");
        if (retry)
            sim_must(
                sim,
                next.model == last.model && next.mode == last.mode &&
                    (surety__failure_passes(failure) ||
                     last.answer.should_retry == 1) &&
                    last.answer.should_retry != 0 &&
                    (!last.answer.ambiguous || last.model->retry_ambiguous),
                "a retry may help");
        if (failure == SURETY_FAILURE_REFUSAL ||
            failure == SURETY_FAILURE_FILTER)
            sim_must(sim, next.model != last.model,
                     "no refusal is argued with");
        if (next.model == last.model && next.mode != last.mode && !last.judged)
            sim_must(sim, failure == SURETY_FAILURE_SCHEMA || patch,
                     "a mode changes for a reason");
        patch = surety_str_equal(next.purpose, surety_str_of("patch")) ||
                (retry && patch);
    }
}

/* What a run has used is what its attempts have: none that brought a part of a
 * reply has used nothing, and none has used less than its provider said. */
static void check_usage(struct sim *sim)
{
    const surety_run_info *info = surety_run_info_of(sim->run);
    uint64_t input = 0, output = 0, cost = 0;

    for (size_t i = 0; i < info->attempt_count; i++) {
        const surety_attempt attempt = surety_run_attempt(sim->run, i);
        const surety_usage usage = attempt.answer.usage;

        input += usage.input_tokens;
        output += usage.output_tokens;
        cost += attempt.cost_picousd;
        if (attempt.answer.text.len && attempt.decision.len)
            sim_must(sim, usage.input_tokens && usage.output_tokens,
                     "received text is counted");
        if (usage.known)
            sim_must(sim,
                     usage.input_tokens == 100 && usage.output_tokens == 50,
                     "reported tokens are counted");
    }
    sim_must(sim,
             sim->memory.starved ||
                 (input == info->usage.input_tokens &&
                  output == info->usage.output_tokens &&
                  (!info->cost_known || cost == info->cost_picousd)),
             "attempts add up to what the run used");
}

static void check_attempts(struct sim *sim)
{
    const size_t count = surety_run_info_of(sim->run)->attempt_count;
    uint64_t last_ms = 0;

    check_usage(sim);

    sim_must(sim, count == sim->calls || sim->memory.starved,
             "a call, an attempt");
    for (size_t i = 0; i < count; i++) {
        const surety_attempt attempt = surety_run_attempt(sim->run, i);

        sim_must(sim, attempt.started_ms >= last_ms, "attempts go forward");
        sim_must(sim,
                 attempt.ended_ms >= attempt.started_ms || sim->memory.starved,
                 "an attempt ends after its start");
        sim_must(sim, attempt.decision.len > 0 || sim->memory.starved,
                 "an attempt has a decision");
        sim_must(sim, attempt.reason.len > 0 || sim->memory.starved,
                 "an attempt has a reason");
        last_ms = attempt.started_ms;
        if (attempt.stopped != SURETY_STREAM_OPEN)
            sim_check_stopped(sim, i);
        if (sim->verbose && !sim->options.event)
            printf("# %.*s\n", (int)attempt.decision.len, attempt.decision.ptr);
    }
}

/* The report in every form. Memory runs out here as well. */
static void check_report(struct sim *sim, struct sim_bench *bench)
{
    const surety_outcome *outcome = NULL;
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    for (int form = SURETY_REPORT_JSON; form <= SURETY_REPORT_SARIF; form++) {
        surety_buf_reset(&text);
        sim_must(sim,
                 surety_run_write(sim->run, (surety_report)form,
                                  surety_str_of("reply.md"),
                                  &text) == SURETY_OK,
                 "a report can be written");
        sim_note(sim, text.ptr, text.len);
        sim_must(sim, !sim_holds_key(surety_buf_str(&text)),
                 "no key in a report");
        if (form != SURETY_REPORT_JSON)
            continue;
        sim_must(sim, text.len && !memchr(text.ptr, '\n', text.len),
                 "a report is one line");
        if (surety_judge_reply(bench->judge, bench->report,
                               surety_buf_str(&text), NULL, &outcome, NULL) ||
            !surety_outcome_info_of(outcome)->ok) {
            sim_must(sim, false, "a report satisfies surety/report");
            if (sim->verbose && outcome &&
                surety_outcome_info_of(outcome)->error_count) {
                const surety_issue issue = surety_outcome_error(outcome, 0);

                printf("# %.*s: %.*s\n", (int)issue.instance_location.len,
                       issue.instance_location.ptr, (int)issue.message.len,
                       issue.message.ptr);
            }
        }
        if (sim->verbose)
            printf("# %.*s\n", (int)text.len, text.ptr);
    }
    surety_buf_done(&text);
}

static void tally_tools(const struct sim *sim, struct sim_tally *tally)
{
    const size_t count = surety_run_info_of(sim->run)->tool_use_count;

    tally->tools += count;
    for (size_t i = 0; i < count; i++) {
        const surety_tool_use use = surety_run_tool_use(sim->run, i);

        tally->failures[use.failure]++;
        tally->again += !use.made && use.failure == SURETY_TOOL_NONE;
    }
}

static void check_end(struct sim *sim, struct sim_bench *bench)
{
    const size_t calls = sim->calls;
    const size_t rows = sim->row_count;
    const size_t started = sim->tools.started_count;
    uint32_t delay_ms = 0;

    sim_must(sim, !sim->exchange.active, "nothing is left under way");
    check_rows(sim);
    check_attempts(sim);
    check_order(sim);
    check_verdict(sim, bench);
    sim_check_validator(sim);
    sim_check_tools(sim);
    sim_check_items(sim);
    (void)surety_run_step(sim->run,
                          (surety_now){sim->now_ms + 100000, sim->unix_ms},
                          &delay_ms, NULL);
    surety_run_cancel(sim->run, (surety_now){sim->now_ms, sim->unix_ms});
    sim_must(sim,
             sim->calls == calls && sim->row_count == rows &&
                 sim->tools.started_count == started,
             "after its end nothing happens");
    if (!sim->memory.starved)
        check_report(sim, bench);
    for (size_t i = 0; i < surety_run_info_of(sim->run)->attempt_count; i++)
        bench->tally.stops[surety_run_attempt(sim->run, i).stopped]++;
    tally_tools(sim, &bench->tally);
    bench->tally.items += sim->items.count;
    bench->tally.early += sim->items.early;
    bench->tally.reminded += sim->items.reminded;
    bench->tally.values += sim->items.values;
    bench->tally.calls += calls;
    if (calls > bench->tally.most_calls)
        bench->tally.most_calls = calls;
}

/* ---- a run --------------------------------------------------------------- */

/* Moves the clock: mostly to the next thing that happens, at times only a part
 * of the way. */
static void sim_advance(struct sim *sim, uint32_t delay_ms)
{
    const uint64_t event_ms = sim_next_ms(sim);
    uint64_t next_ms = sim->step_ms + delay_ms;

    if (event_ms < next_ms)
        next_ms = event_ms;
    if (next_ms > sim->now_ms && sim_one_in(sim, 10))
        next_ms = sim->now_ms + sim_below(sim, next_ms - sim->now_ms + 1);
    if (next_ms > sim->now_ms)
        sim->now_ms = next_ms;
    sim->unix_ms = 1700000000000 + (int64_t)sim->now_ms;
    if (sim_one_in(sim, 50)) /* the wall clock jumps */
        sim->unix_ms += (int64_t)sim_below(sim, 63072000000) - 31536000000;
    sim_deliver(sim);
}

static void sim_run_steps(struct sim *sim)
{
    const uint64_t delay_max =
        (uint64_t)sim->backoff.retry_after_max_ms + sim->backoff.first_ms >
                sim->backoff.most_ms
            ? (uint64_t)sim->backoff.retry_after_max_ms + sim->backoff.first_ms
            : sim->backoff.most_ms;
    const size_t cancel_at =
        sim_one_in(sim, 10) ? sim_below(sim, 60) : SIM_STEPS;
    surety_status status = SURETY_MORE;

    sim->first_ms = sim->now_ms;
    for (size_t i = 0; status == SURETY_MORE && !sim->broken; i++) {
        const surety_now now = {sim->now_ms, sim->unix_ms};
        uint32_t delay_ms = 0;

        if (i == cancel_at)
            surety_run_cancel(sim->run, now);
        sim->step_ms = sim->now_ms;
        status = surety_run_step(sim->run, now, &delay_ms, NULL);
        if (status == SURETY_NOMEM)
            sim_must(sim, sim->memory.starved,
                     "NOMEM only where memory ran out");
        else
            sim_must(sim, status == SURETY_OK || status == SURETY_MORE,
                     "a step gives OK, MORE or NOMEM");
        if (status != SURETY_MORE)
            break;
        sim_must(sim,
                 surety_run_info_of(sim->run)->verdict == SURETY_RUN_PENDING,
                 "MORE is pending");
        sim_must(sim,
                 sim->exchange.active || sim_tools_work(sim) ||
                     delay_ms <= delay_max,
                 "delays are the back-off's");
        sim_must(sim,
                 sim->step_ms + delay_ms <= sim->first_ms + sim->budget.ms_max,
                 "it waits no longer than it may");
        sim_must(sim, i < SIM_STEPS, "a run ends");
        sim_advance(sim, delay_ms);
    }
}

/* Gives the hash of what was seen. */
static uint64_t sim_run_seed(struct sim *sim, uint64_t seed, bool verbose,
                             struct sim_bench *bench)
{
    surety_error err;
    surety_status status;

    memset(sim, 0, sizeof(*sim));
    sim->seed = seed;
    sim->random = chance_begin(seed);
    sim->verbose = verbose;
    sim_make(sim, bench->contracts);
    status = surety_run_new(&sim->options, &sim->run, &err);
    if (status == SURETY_OK) {
        sim_run_steps(sim);
        sim->memory.fail_at = 0;
        if (!sim->broken)
            check_end(sim, bench);
        if (verbose)
            printf(
                "# %s: %.*s\n",
                surety_run_verdict_name(surety_run_info_of(sim->run)->verdict),
                (int)surety_run_info_of(sim->run)->message.len,
                surety_run_info_of(sim->run)->message.ptr);
        surety_run_free(sim->run);
        sim->run = NULL;
    } else if (status != SURETY_NOMEM) {
        if (verbose)
            printf("# new: %s\n", err.message);
        sim_must(sim, false, "a run can be made");
    }
    sim_items_done(sim);
    sim_tools_done(sim);
    bench->tally.starved += sim->memory.starved;
    sim_must(sim, sim->memory.live == 0, "no memory is left");
    return sim->hash;
}

/* Runs the seeds from first to last; gives whether all of them hold. */
static bool sim_run_seeds(uint64_t first, uint64_t last,
                          struct sim_bench *bench)
{
    struct sim *sim = malloc(sizeof(*sim));
    bool good = sim != NULL;

    for (uint64_t seed = first; good && seed <= last; seed++) {
        const uint64_t hash = sim_run_seed(sim, seed, false, bench);

        if (seed % 16 == 0 && !sim->broken)
            sim_must(sim, sim_run_seed(sim, seed, false, bench) == hash,
                     "the same seed gives the same bytes");
        if (!sim->broken)
            continue;
        printf("# seed %llu: %s does not hold (sim_test --seed %llu)\n",
               (unsigned long long)seed, sim->broken, (unsigned long long)seed);
        good = false;
    }
    free(sim);
    return good;
}

static void sim_tell(const struct sim_tally *tally)
{
    for (int i = 1; i <= SURETY_RUN_VALIDATOR; i++)
        printf("# %8zu %s\n", tally->verdicts[i],
               surety_run_verdict_name((surety_run_verdict)i));
    for (int i = SURETY_STREAM_REFUTED; i <= SURETY_STREAM_RUNAWAY; i++)
        printf("# %8zu calls stopped: %s\n", tally->stops[i],
               surety_stream_state_name((surety_stream_state)i));
    for (int i = 0; i < SURETY_TOOL_FAILURE_COUNT; i++)
        printf("# %8zu calls of tools: %s\n", tally->failures[i],
               surety_tool_failure_name((surety_tool_failure)i));
    printf("# %8zu calls of tools, %zu of them not made again\n", tally->tools,
           tally->again);
    printf("# %8zu elements, %zu before the end; %zu calls that tell of some; "
           "%zu values so far\n",
           tally->items, tally->early, tally->reminded, tally->values);
    printf("# %8zu calls, at most %zu in a run; %zu runs out of memory\n",
           tally->calls, tally->most_calls, tally->starved);
}

/* Whether the default seeds went everywhere. */
static bool sim_saw_all(const struct sim_tally *tally)
{
    for (int i = 1; i <= SURETY_RUN_VALIDATOR; i++)
        if (tally->verdicts[i] < 20)
            return false;
    for (int i = SURETY_STREAM_REFUTED; i <= SURETY_STREAM_RUNAWAY; i++)
        if (tally->stops[i] < 100)
            return false;
    for (int i = 0; i < SURETY_TOOL_FAILURE_COUNT; i++)
        if (tally->failures[i] < 100)
            return false;
    if (tally->items < 1000 || tally->early < 1000 || tally->reminded < 1000 ||
        tally->values < 1000)
        return false;
    return tally->starved > 100 && tally->most_calls > 12 && tally->again > 100;
}

static bool sim_bench_open(struct sim_bench *bench)
{
    surety_registry *registry = NULL;
    surety_error err = {.status = SURETY_OK};
    bool good;

    memset(bench, 0, sizeof(*bench));
    bench->judge = surety_judge_new(NULL, NULL);
    good = bench->judge && sim_contracts_read(bench->contracts) &&
           surety_registry_new(surety_str_of(""), NULL, &registry, &err) ==
               SURETY_OK &&
           surety_registry_find(registry, surety_str_of("surety/report"),
                                &bench->report, &err) == SURETY_OK;
    surety_registry_free(registry);
    if (!good)
        printf("# %s\n", err.message);
    return good;
}

static void sim_bench_close(struct sim_bench *bench)
{
    surety_judge_free(bench->judge);
    surety_contract_free(bench->report);
    for (size_t i = 0; i < SIM_CONTRACTS; i++)
        surety_contract_free((surety_contract *)bench->contracts[i]);
}

static bool sim_number(const char *text, uint64_t *ret_number)
{
    uint64_t number = 0;

    for (; *text >= '0' && *text <= '9'; text++)
        number = number * 10 + (uint64_t)(*text - '0');
    *ret_number = number;
    return *text == 0;
}

int main(int argc, char **argv)
{
    struct sim_bench bench;
    uint64_t first = 1;
    uint64_t last = SIM_SEEDS;
    bool good = sim_bench_open(&bench);

    if (good && argc == 3 && !strcmp(argv[1], "--seed") &&
        sim_number(argv[2], &first)) {
        struct sim *sim = malloc(sizeof(*sim));

        if (!sim)
            return 1;
        (void)sim_run_seed(sim, first, true, &bench);
        printf("# %s\n", sim->broken ? sim->broken : "all holds");
        good = !sim->broken;
        free(sim);
    } else if (good && argc == 2 && !strcmp(argv[1], "--policies")) {
        good = sim_policies(true);
    } else if (good &&
               (argc == 1 ||
                (argc == 4 && !strcmp(argv[1], "--seeds") &&
                 sim_number(argv[2], &first) && sim_number(argv[3], &last)))) {
        printf("1..3\n");
        good = sim_run_seeds(first, last, &bench);
        printf("%s 1 - what must hold holds in seeds %llu to %llu\n",
               good ? "ok" : "not ok", (unsigned long long)first,
               (unsigned long long)last);
        sim_tell(&bench.tally);
        good = good && (argc > 1 || sim_saw_all(&bench.tally));
        printf("%s 2 - they go everywhere\n", good ? "ok" : "not ok");
        good = sim_policies(false) && good;
        printf("%s 3 - what is told is corrected within the calls, by each "
               "policy\n",
               good ? "ok" : "not ok");
    } else if (good) {
        printf("# sim_test [--seed N | --seeds A B | --policies]\n");
        good = false;
    }
    sim_bench_close(&bench);
    return good ? 0 : 1;
}
