/* SPDX-License-Identifier: Apache-2.0 */
/* The simulator of the gateway: a real one, with clients and models that a seed
 * makes, and a clock that only the test moves. The laws are beside their
 * subjects: of an answer in gate_law.c, of models and calls in
 * gate_model.c, of rows, keys, log and memory in gate_world.c; and here:
 *
 * - each world comes to its end: every request is answered, or its client has
 *   gone, and then no call is under way;
 * - a reload with a wrong file is refused, and changes nothing;
 * - the same seed gives the same bytes.
 *
 *     gate_test                the seeds of the default run
 *     gate_test --seeds A B    those from A to B
 *     gate_test --seed N       one, told step by step
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/gate.h"

enum { GATE_SEEDS = 600, GATE_STEPS = 20000, GATE_AFTER_MS = 1300000 };

/* Moves the clock to the next thing that happens, at times only a part of the
 * way. */
static void gate_advance(struct gate *gate, uint32_t delay_ms)
{
    const uint64_t models_ms = gate_calls_next_ms(gate);
    const uint64_t clients_ms = gate_clients_next_ms(gate);
    uint64_t next_ms = gate->now_ms + delay_ms;
    uint64_t passed_ms;

    if (models_ms < next_ms)
        next_ms = models_ms;
    if (clients_ms < next_ms)
        next_ms = clients_ms;
    if (next_ms <= gate->now_ms)
        return;
    passed_ms = next_ms - gate->now_ms;
    if (gate_one_in(gate, 10))
        passed_ms = gate_below(gate, passed_ms + 1);
    gate->now_ms += passed_ms;
    gate->unix_ms += (int64_t)passed_ms;
    if (gate_one_in(gate, 60)) /* the wall clock jumps */
        gate->unix_ms += (int64_t)gate_below(gate, 63072000000) - 31536000000;
}

/* What an owner does while the gateway serves. */
static void gate_disturb(struct gate *gate)
{
    const bool is_wrong = gate_one_in(gate, 2);
    surety_status status;

    switch (gate_below(gate, 8)) {
    case 0: surety_gateway_leave(gate->gateway); break;
    case 1: /* a drain that nothing ends but its time */
        gate->drains = true;
        gate->is_closing = true;
        (void)surety_gateway_drain(gate->gateway, 20);
        gate->drains = false;
        break;
    default:
        gate_configure(gate, is_wrong);
        status = surety_gateway_reload(gate->gateway, NULL);
        gate_must(gate,
                  (status == SURETY_OK) == !is_wrong ||
                      (status == SURETY_NOMEM && gate->memory.starved),
                  "a reload takes a right file and no other");
    }
}

static void gate_serve(struct gate *gate)
{
    const size_t disturb_at =
        gate_one_in(gate, 3) ? gate_below(gate, 100) : GATE_STEPS;
    const size_t close_at =
        gate_one_in(gate, 12) ? gate_below(gate, 100) : GATE_STEPS;
    uint64_t over_ms = 0;

    for (size_t i = 0; i < close_at && !gate->broken; i++) {
        uint32_t delay_ms;

        gate_must(gate, i < GATE_STEPS - 1, "a world comes to its end");
        if (i == disturb_at)
            gate_disturb(gate);
        for (size_t c = 0; c < gate->client_count; c++)
            gate_client_move(gate, &gate->clients[c]);
        delay_ms = surety_gateway_step(gate->gateway, 0);
        for (size_t c = 0; c < gate->client_count; c++)
            gate_client_move(gate, &gate->clients[c]);
        gate_advance(gate, delay_ms);
        if (!gate_clients_over(gate))
            continue;
        if (!over_ms)
            over_ms = gate->now_ms;
        if (!gate_calls_active(gate) && gate->now_ms - over_ms > 2000)
            return;
        gate_must(gate, gate->now_ms - over_ms < GATE_AFTER_MS,
                  "no call is under way without a client");
    }
}

static uint64_t gate_run(struct gate *gate, struct gate_bench *bench,
                         uint64_t seed, bool is_verbose)
{
    if (gate_open(gate, bench, seed, is_verbose))
        gate_serve(gate);
    gate_close(gate);
    return gate->hash;
}

/* Runs the seeds from first to last. False: a law does not hold in one. */
static bool gate_run_seeds(struct gate *gate, struct gate_bench *bench,
                           uint64_t first, uint64_t last)
{
    for (uint64_t seed = first; seed <= last; seed++) {
        const uint64_t hash = gate_run(gate, bench, seed, false);

        if (seed % 16 == 0 && !gate->broken && !gate->has_keys)
            gate_must(gate, gate_run(gate, bench, seed, false) == hash,
                      "the same seed gives the same bytes");
        if (!gate->broken)
            continue;
        printf("# seed %llu: not so: %s (gate_test --seed %llu)\n",
               (unsigned long long)seed, gate->broken,
               (unsigned long long)seed);
        return false;
    }
    return true;
}

static void tally_print(const struct gate_tally *tally)
{
    for (size_t i = 0; i < sizeof(tally->statuses) / sizeof(size_t); i++)
        if (tally->statuses[i])
            printf("# %8zu answers %zu\n", tally->statuses[i], i);
    printf("# %8zu whole answers, %zu streams, %zu of them cut, %zu errors\n",
           tally->whole, tally->streams, tally->cuts, tally->errors);
    printf("# %8zu values, %zu of them arguments; %zu fallbacks, %zu objects\n",
           tally->values, tally->tools, tally->fallbacks, tally->objects);
    printf("# %8zu calls, %zu rows, %zu lines of the log\n", tally->calls,
           tally->rows, tally->logged);
    printf("# %8zu clients hung up, %zu worlds without memory\n",
           tally->hung_up, tally->starved);
}

/* Whether the default seeds went everywhere. */
static bool tally_is_wide(const struct gate_tally *tally)
{
    static const int statuses[] = {200, 400, 404, 422, 429, 502, 503, 504};

    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
        if (tally->statuses[statuses[i]] < 5)
            return false;
    return tally->whole > 100 && tally->streams > 100 && tally->cuts > 20 &&
           tally->values > 100 && tally->tools > 20 && tally->fallbacks > 5 &&
           tally->hung_up > 20 && tally->starved > 20 && tally->objects > 20;
}

int main(int argc, char **argv)
{
    const bool is_one = argc == 3 && !strcmp(argv[1], "--seed");
    const bool are_some = argc == 4 && !strcmp(argv[1], "--seeds");
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    uint64_t last = are_some ? strtoull(argv[3], NULL, 10) : GATE_SEEDS;
    struct gate *gate = malloc(sizeof(*gate));
    struct gate_bench bench;
    bool good = gate && gate_bench_open(&bench);

    if (good && is_one) {
        (void)gate_run(gate, &bench, first, true);
        printf("# %s\n", gate->broken ? gate->broken : "all holds");
        good = !gate->broken;
    } else if (good && (argc == 1 || are_some)) {
        printf("1..2\n");
        good = gate_run_seeds(gate, &bench, first, last);
        printf("%s 1 - the laws hold in seeds %llu to %llu\n",
               good ? "ok" : "not ok", (unsigned long long)first,
               (unsigned long long)last);
        tally_print(&bench.tally);
        good = good && (are_some || tally_is_wide(&bench.tally));
        printf("%s 2 - the seeds go everywhere\n", good ? "ok" : "not ok");
    } else if (good) {
        printf("# gate_test [--seed N | --seeds A B]\n");
        good = false;
    }
    gate_bench_close(&bench);
    free(gate);
    return good ? 0 : 1;
}
