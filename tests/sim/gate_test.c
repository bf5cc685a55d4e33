/* SPDX-License-Identifier: Apache-2.0 */
/* The simulator of the gateway: a real one, with clients and models that a seed
 * makes, and a clock that only the test moves. The laws are beside their
 * subjects: of an answer in gate_law.c, of models and calls in
 * gate_model.c, of the page in gate_page.c, of ends by TLS in gate_client.c, of
 * rows, keys, log and memory in gate_world.c; and here:
 *
 * - each world comes to its end: every request is answered, or its client has
 *   gone, and then no call is under way;
 * - a reload with a wrong file is refused, and changes nothing;
 * - users of the page change no answer of the other clients, and TLS none of
 *   any;
 * - the same seed gives the same bytes.
 *
 *     gate_test                the seeds of the default run
 *     gate_test --seeds A B    those from A to B
 *     gate_test --seed N       one, told step by step
 *     gate_test --alone N      the same without users of the page
 *     gate_test --plain N      the same without TLS
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/chance.h"
#include "sim/gate.h"

enum { GATE_SEEDS = 300, GATE_STEPS = 20000, GATE_AFTER_MS = 1300000 };

/* Moves the clock to the next thing that happens, at times only a part of the
 * way. */
static void gate_advance(struct gate *gate, uint32_t delay_ms)
{
    const uint64_t times[] = {gate_calls_next_ms(gate),
                              gate_clients_next_ms(gate), gate->disturb_ms,
                              gate->close_ms};
    uint64_t next_ms = gate->now_ms + delay_ms;
    uint64_t passed_ms;

    for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
        if (times[i] < next_ms)
            next_ms = times[i];
    if (next_ms <= gate->now_ms)
        return;
    passed_ms = next_ms - gate->now_ms;
    gate_draw_from(gate, STREAM_CLOCK);
    if (gate_one_in(gate, 10))
        passed_ms = gate_below(gate, passed_ms + 1);
    gate->now_ms += passed_ms;
    gate->unix_ms += (int64_t)passed_ms;
    gate_draw_from(gate, STREAM_WALL);
    while (gate->jump_ms <= gate->now_ms) {
        gate->jump_ms += 1 + gate_below(gate, GATE_JUMPS_MS);
        gate->unix_ms += (int64_t)gate_below(gate, 63072000000) - 31536000000;
    }
}

/* What an owner does while the gateway serves. */
static void gate_disturb(struct gate *gate)
{
    bool is_wrong;
    surety_status status;

    gate->disturb_ms = UINT64_MAX;
    switch (gate_below(gate, 8)) {
    case 0: surety_gateway_leave(gate->gateway); break;
    case 1: /* a drain that nothing ends but its time */
        gate->drains = true;
        gate->is_closing = true;
        (void)surety_gateway_drain(gate->gateway, 20);
        gate->drains = false;
        break;
    default:
        is_wrong = gate_one_in(gate, 2);
        gate_configure(gate, is_wrong);
        status = surety_gateway_reload(gate->gateway, NULL);
        gate_must(gate,
                  (status == SURETY_OK) == !is_wrong ||
                      (status == SURETY_NOMEM && gate->memory.starved),
                  "a reload takes a right file and no other");
    }
}

/* Steps the gateway, whose clients move before and after. Returns after how
 * long the next step is due. */
static uint32_t gate_step(struct gate *gate)
{
    struct pollfd news = {.fd = surety_gateway_descriptor(gate->gateway),
                          .events = POLLIN};
    uint32_t delay_ms;

    for (size_t i = 0; i < gate->client_count; i++)
        gate_client_move(gate, &gate->clients[i]);
    delay_ms = surety_gateway_step(gate->gateway, 0);
    if (gate_settle(gate))
        delay_ms = 0;
    for (size_t i = 0; i < gate->client_count; i++)
        gate_client_move(gate, &gate->clients[i]);
    return poll(&news, 1, 0) > 0 ? 0 : delay_ms;
}

static void gate_serve(struct gate *gate)
{
    uint64_t over_ms = 0;

    for (size_t i = 0; gate->now_ms < gate->close_ms && !gate->broken; i++) {
        gate_must(gate, i < GATE_STEPS, "a world comes to its end");
        gate_draw_from(gate, STREAM_OWNER);
        if (gate->disturb_ms <= gate->now_ms)
            gate_disturb(gate);
        gate_advance(gate, gate_step(gate));
        if (!gate_clients_over(gate))
            continue;
        if (!over_ms)
            over_ms = gate->now_ms;
        if (!gate_calls_active(gate) && gate->now_ms - over_ms > 2000) {
            gate->is_even = !gate->is_closing;
            return;
        }
        gate_must(gate, gate->now_ms - over_ms < GATE_AFTER_MS,
                  "no call is under way without a client");
    }
}

static uint64_t gate_run(struct gate *gate, struct gate_bench *bench,
                         uint64_t seed, struct gate_how how)
{
    if (gate_open(gate, bench, seed, how))
        gate_serve(gate);
    gate_close(gate);
    return gate->hash;
}

/* Whether what the callers get depends on nothing but the seed and themselves:
 * not where the owner ends the world, nor where memory or the disk fails at
 * some use. */
static bool gate_is_even(const struct gate *gate)
{
    return gate->is_even && !gate->ledger_fails && !gate->memory.starved;
}

/* The answers of the callers. */
static uint64_t gate_answers(const struct gate *gate)
{
    uint64_t hash = CHANCE_HASH;

    for (size_t i = 0; i < gate->caller_count; i++)
        hash = chance_hash(hash, &gate->clients[i].hash,
                           sizeof(gate->clients[i].hash));
    return hash;
}

/* A seed's world must give its callers the same without TLS, and without the
 * page's users. */
static void gate_compare(struct gate *gate, struct gate_bench *bench,
                         uint64_t seed)
{
    const uint64_t answers = gate_answers(gate);
    const bool has_page = gate->client_count > gate->caller_count;
    /* A client that hangs up without having read what TLS sends by itself ends
     * its connection with a reset. */
    const bool is_smooth =
        gate->is_tls && gate->is_smooth && gate->is_staying && !gate->has_tie;

    if (gate->broken || !gate_is_even(gate))
        return;
    if (is_smooth) {
        (void)gate_run(gate, bench, seed, (struct gate_how){.no_tls = true});
        gate_must(gate, gate_answers(gate) == answers,
                  "an answer by TLS has the same bytes");
        bench->tally.plain++;
    }
    if (!has_page || gate->broken)
        return;
    (void)gate_run(gate, bench, seed, (struct gate_how){.no_page = true});
    gate_must(gate, gate_answers(gate) == answers,
              "users of the page change no answer of others");
    bench->tally.compared++;
}

/* Runs the seeds from first to last. False: a law does not hold in one. */
static bool gate_run_seeds(struct gate *gate, struct gate_bench *bench,
                           uint64_t first, uint64_t last)
{
    for (uint64_t seed = first; seed <= last; seed++) {
        const struct gate_how whole = {.no_page = false};
        const uint64_t hash = gate_run(gate, bench, seed, whole);

        if (seed % 16 == 0 && !gate->broken && !gate->has_keys)
            gate_must(gate, gate_run(gate, bench, seed, whole) == hash,
                      "the same seed gives the same bytes");
        gate_compare(gate, bench, seed);
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
    printf("# %8zu answers of the page, %zu of them with exact figures; %zu "
           "worlds run again without its users\n",
           tally->pages, tally->figures, tally->compared);
    printf("# %8zu answers by TLS; %zu worlds run again without it\n",
           tally->secured, tally->plain);
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
           tally->hung_up > 20 && tally->starved > 20 && tally->objects > 20 &&
           (!gate_link_has_tls() ||
            (tally->secured > 100 && tally->plain > 2)) &&
           tally->pages > 100 && tally->figures > 10 && tally->compared > 30;
}

int main(int argc, char **argv)
{
    const bool is_alone = argc == 3 && !strcmp(argv[1], "--alone");
    const bool is_plain = argc == 3 && !strcmp(argv[1], "--plain");
    const bool is_one =
        is_alone || is_plain || (argc == 3 && !strcmp(argv[1], "--seed"));
    const bool are_some = argc == 4 && !strcmp(argv[1], "--seeds");
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    uint64_t last = are_some ? strtoull(argv[3], NULL, 10) : GATE_SEEDS;
    struct gate *gate = malloc(sizeof(*gate));
    struct gate_bench bench;
    bool good = gate && gate_bench_open(&bench);

    if (good && is_one) {
        (void)gate_run(gate, &bench, first,
                       (struct gate_how){.is_verbose = true,
                                         .no_page = is_alone,
                                         .no_tls = is_plain});
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
        printf(
            "# gate_test [--seed N | --alone N | --plain N | --seeds A B]\n");
        good = false;
    }
    gate_bench_close(&bench);
    free(gate);
    return good ? 0 : 1;
}
