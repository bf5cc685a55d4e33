/* SPDX-License-Identifier: Apache-2.0 */
/* Attempts by hand, for tests of statistics. */
#ifndef SURETY_TESTS_STATS_SAMPLE_H
#define SURETY_TESTS_STATS_SAMPLE_H

#include <string.h>

#include <surety/stats.h>

#include "stats/stats.h"

/* 2026-11-21T12:00:00Z */
#define SAMPLE_NOON 1795262400000

/* An attempt of a run: the number-th, of the model m and the contract c, which
 * was answered after 100 ms with a valid reply. */
static inline surety_entry sample_attempt(const char *run, uint32_t number)
{
    return (surety_entry){.size = sizeof(surety_entry),
                          .id = surety_str_of(run),
                          .run = surety_str_of(run),
                          .number = number,
                          .purpose =
                              surety_str_of(number > 1 ? "re-ask" : "ask"),
                          .contract = surety_str_of("c"),
                          .contract_version = surety_str_of("1.0.0"),
                          .provider = surety_str_of("p"),
                          .model = surety_str_of("m"),
                          .mode = surety_str_of("prompt"),
                          .started_ms = SAMPLE_NOON + number * 1000,
                          .state = SURETY_ENTRY_DONE,
                          .ended_ms = SAMPLE_NOON + number * 1000 + 100,
                          .ok = true,
                          .stage = surety_str_of("done"),
                          .usage_known = true,
                          .input_tokens = 10,
                          .cached_input_tokens = 4,
                          .output_tokens = 20,
                          .reasoning_tokens = 5,
                          .cost_known = true,
                          .cost_picousd = 1000,
                          .key = surety_str_of("k"),
                          .tag = surety_str_of("t")};
}

/* One whose reply breaks its contract. */
static inline surety_entry sample_broken(const char *run, uint32_t number)
{
    surety_entry entry = sample_attempt(run, number);

    entry.ok = false;
    entry.stage = surety_str_of("validation");
    return entry;
}

/* One that nobody answered. */
static inline surety_entry sample_failed(const char *run, uint32_t number,
                                         const char *failure)
{
    surety_entry entry = sample_attempt(run, number);

    entry.ok = false;
    entry.stage = surety_str_of("");
    entry.state = SURETY_ENTRY_FAILED;
    entry.failure = surety_str_of(failure);
    entry.usage_known = entry.cost_known = false;
    return entry;
}

/* One of which the provider said that much, and no reply. */
static inline surety_entry sample_refused(const char *run, uint32_t number,
                                          const char *failure)
{
    surety_entry entry = sample_failed(run, number, failure);

    entry.state = SURETY_ENTRY_DONE;
    entry.usage_known = entry.cost_known = true;
    return entry;
}

static inline surety_status sample_add(surety_stats *stats, surety_entry entry)
{
    return surety__stats_add(stats, &entry, NULL);
}

#endif
