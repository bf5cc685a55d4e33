/* SPDX-License-Identifier: Apache-2.0 */
/* Runs and groups: how runs end, which try was valid, what is counted of calls,
 * and the bounds of all that. */
#include <string.h>

#include "base/base.h"
#include "check.h"
#include "stats/stats.h"
#include "stats_sample.h"

#define RUN_1 "018f2d3c-0000-7000-8000-000000000001"
#define RUN_2 "018f2d3c-0000-7000-8000-000000000002"
#define RUN_3 "018f2d3c-0000-7000-8000-000000000003"

static surety_status stats_of(struct check *t, const surety_stats_by *by,
                              size_t by_count, surety_stats **ret_stats)
{
    const surety_stats_options options = {.size = sizeof(options),
                                          .by = by,
                                          .by_count = by_count,
                                          .alloc = check_alloc(t)};

    return surety_stats_new(&options, ret_stats, NULL);
}

TEST(names_what_it_knows)
{
    CHECK(!strcmp(surety_stats_by_name(SURETY_BY_MODEL), "model"));
    CHECK(!strcmp(surety_stats_by_name(SURETY_BY_MONTH), "month"));
    CHECK(
        !strcmp(surety_stats_by_name((surety_stats_by)SURETY_BYS), "unknown"));
done:
    return;
}

/* Entries of one run, and how it ended. */
static surety_status one_run(struct check *t, const surety_entry *entries,
                             size_t count, surety_stats_group *ret_total)
{
    surety_stats *stats = NULL;
    surety_status status = stats_of(t, NULL, 0, &stats);

    for (size_t i = 0; i < count && !status; i++)
        status = surety__stats_add(stats, &entries[i], NULL);
    if (!status)
        status = surety__stats_end(stats, NULL);
    *ret_total = *surety_stats_info_of(stats)->total;
    surety_stats_free(stats);
    return status;
}

/* A reply that calls tools is no try, and a tool's row no attempt. */
TEST(counts_calls_of_tools_apart)
{
    surety_entry entries[4];
    surety_stats *stats = NULL;
    const surety_stats_info *info;

    entries[0] = sample_attempt(RUN_1, 1);
    entries[0].ok = false;
    entries[0].stage = surety_str_of("tools");
    entries[1] = sample_attempt(RUN_1, 1);
    entries[1].purpose = surety_str_of("tool");
    entries[1].model = surety_str_of("add");
    entries[2] = entries[1];
    entries[2].failure = surety_str_of("timeout");
    entries[3] = sample_attempt(RUN_1, 2);
    entries[3].purpose = surety_str_of("step");
    TRY(stats_of(t, NULL, 0, &stats));
    for (size_t i = 0; i < CHECK_COUNT(entries); i++)
        TRY(surety__stats_add(stats, &entries[i], NULL));
    TRY(surety__stats_end(stats, NULL));
    info = surety_stats_info_of(stats);
    CHECK(info->total->runs == 1 && info->total->first == 1);
    CHECK(info->total->calls == 2 && info->total->reasks == 0);
    CHECK(info->tool_calls == 2 && info->tool_failed == 1);
done:
    surety_stats_free(stats);
}

TEST(tells_the_try)
{
    surety_entry entries[6];
    surety_stats_group total;

    entries[0] = sample_attempt(RUN_1, 1);
    TRY(one_run(t, entries, 1, &total));
    CHECK(total.runs == 1 && total.first == 1 && total.ended[0] == 1);
    /* Calls that broke below the reply are no tries. */
    entries[0] = sample_failed(RUN_1, 1, "rate_limit");
    entries[1] = sample_attempt(RUN_1, 2);
    entries[1].purpose = surety_str_of("retry");
    TRY(one_run(t, entries, 2, &total));
    CHECK(total.first == 1 && total.calls == 2 && total.failed == 1);
    CHECK(total.retries == 1 && total.reasks == 0);
    /* An empty reply is such a call, unless it was judged. */
    entries[0] = sample_refused(RUN_1, 1, "empty");
    TRY(one_run(t, entries, 2, &total));
    CHECK(total.first == 1);
    entries[0].stage = surety_str_of("extraction");
    TRY(one_run(t, entries, 2, &total));
    CHECK(total.first == 0 && total.again[0] == 1);
    /* The second, third, fourth and sixth try. */
    for (uint32_t i = 0; i < 6; i++)
        entries[i] = sample_broken(RUN_1, i + 1);
    entries[1] = sample_attempt(RUN_1, 2);
    TRY(one_run(t, entries, 2, &total));
    CHECK(total.again[0] == 1 && total.reasks == 1);
    entries[1] = sample_broken(RUN_1, 2);
    entries[2] = sample_attempt(RUN_1, 3);
    TRY(one_run(t, entries, 3, &total));
    CHECK(total.again[1] == 1 && total.again[0] == 0);
    entries[2] = sample_broken(RUN_1, 3);
    entries[3] = sample_attempt(RUN_1, 4);
    TRY(one_run(t, entries, 4, &total));
    CHECK(total.again[2] == 1 && total.again[1] == 0);
    entries[3] = sample_broken(RUN_1, 4);
    entries[5] = sample_attempt(RUN_1, 6);
    TRY(one_run(t, entries, 6, &total));
    CHECK(total.again[2] == 1 && total.calls == 6 && total.reasks == 5);
    /* A reply that was refused or cut off is a try. */
    entries[0] = sample_refused(RUN_1, 1, "refusal");
    entries[1] = sample_attempt(RUN_1, 2);
    TRY(one_run(t, entries, 2, &total));
    CHECK(total.first == 0 && total.again[0] == 1);
    entries[0] = sample_refused(RUN_1, 1, "length");
    TRY(one_run(t, entries, 2, &total));
    CHECK(total.again[0] == 1);
done:
    return;
}

TEST(tells_the_ending)
{
    surety_entry entries[2];
    surety_stats_group total;

    entries[0] = sample_broken(RUN_1, 1);
    TRY(one_run(t, entries, 1, &total));
    CHECK(total.ended[SURETY_ENDED_REJECTED] == 1 && total.first == 0);
    entries[0].fallback = true;
    TRY(one_run(t, entries, 1, &total));
    CHECK(total.ended[SURETY_ENDED_FALLBACK] == 1);
    /* A part that was kept comes before the fallback, and is no valid one. */
    entries[0].partial = true;
    TRY(one_run(t, entries, 1, &total));
    CHECK(total.ended[SURETY_ENDED_PARTIAL] == 1);
    entries[1] = sample_attempt(RUN_1, 2);
    TRY(one_run(t, entries, 2, &total));
    CHECK(total.ended[SURETY_ENDED_VALID] == 1);
    CHECK(total.ended[SURETY_ENDED_PARTIAL] == 0);
    /* Refused, unless another reply was judged. */
    entries[0] = sample_refused(RUN_1, 1, "refusal");
    TRY(one_run(t, entries, 1, &total));
    CHECK(total.ended[SURETY_ENDED_REFUSED] == 1);
    entries[0] = sample_refused(RUN_1, 1, "filter");
    TRY(one_run(t, entries, 1, &total));
    CHECK(total.ended[SURETY_ENDED_REFUSED] == 1);
    entries[1] = sample_broken(RUN_1, 2);
    TRY(one_run(t, entries, 2, &total));
    CHECK(total.ended[SURETY_ENDED_REJECTED] == 1);
    /* A reply that was cut off is one. */
    entries[0] = sample_refused(RUN_1, 1, "length");
    TRY(one_run(t, entries, 1, &total));
    CHECK(total.ended[SURETY_ENDED_REJECTED] == 1);
    /* No reply. */
    entries[0] = sample_failed(RUN_1, 1, "connect");
    TRY(one_run(t, entries, 1, &total));
    CHECK(total.ended[SURETY_ENDED_PROVIDER] == 1);
    entries[0].state = SURETY_ENTRY_UNKNOWN;
    entries[0].failure = surety_str_of("timeout");
    TRY(one_run(t, entries, 1, &total));
    CHECK(total.ended[SURETY_ENDED_PROVIDER] == 1 && total.failed == 1);
    /* Its process died; a call is under way. */
    entries[0].failure = surety_str_of("");
    TRY(one_run(t, entries, 1, &total));
    CHECK(total.ended[SURETY_ENDED_ABANDONED] == 1);
    entries[1].state = SURETY_ENTRY_OPEN;
    entries[1].stage = surety_str_of("");
    TRY(one_run(t, entries, 2, &total));
    CHECK(total.ended[SURETY_ENDED_OPEN] == 1);
done:
    return;
}

TEST(tells_who_was_cancelled)
{
    surety_entry entries[2];
    surety_stats_group total;

    entries[0] = sample_broken(RUN_1, 1);
    entries[1] = sample_failed(RUN_1, 2, "cancelled");
    entries[1].state = SURETY_ENTRY_CANCELLED;
    TRY(one_run(t, entries, 2, &total));
    CHECK(total.ended[SURETY_ENDED_CANCELLED] == 1);
    /* Only the last counts, whatever the order they come in. */
    entries[0] = sample_broken(RUN_1, 3);
    TRY(one_run(t, entries, 2, &total));
    CHECK(total.ended[SURETY_ENDED_REJECTED] == 1);
    entries[1].number = 4;
    TRY(one_run(t, entries, 2, &total));
    CHECK(total.ended[SURETY_ENDED_CANCELLED] == 1);
    /* What it has to give counts before. */
    entries[0].fallback = true;
    TRY(one_run(t, entries, 2, &total));
    CHECK(total.ended[SURETY_ENDED_FALLBACK] == 1);
done:
    return;
}

TEST(takes_a_reply_without_a_contract)
{
    surety_entry entry = sample_attempt(RUN_1, 1);
    surety_stats_group total;

    entry.contract = entry.contract_version = surety_str_of("");
    entry.ok = false;
    entry.stage = surety_str_of("");
    TRY(one_run(t, &entry, 1, &total));
    CHECK(total.first == 1 && total.ended[SURETY_ENDED_VALID] == 1);
    entry.failure = surety_str_of("length");
    TRY(one_run(t, &entry, 1, &total));
    CHECK(total.ended[SURETY_ENDED_REJECTED] == 1);
    /* With one, a reply that was not judged is none. */
    entry.failure = surety_str_of("");
    entry.contract = surety_str_of("c");
    TRY(one_run(t, &entry, 1, &total));
    CHECK(total.ended[SURETY_ENDED_REJECTED] == 1);
done:
    return;
}

TEST(counts_calls)
{
    surety_entry entries[4];
    surety_stats_group total;

    for (uint32_t i = 0; i < 3; i++)
        entries[i] = sample_broken(RUN_1, i + 1);
    entries[1].purpose = surety_str_of("patch");
    entries[3] = sample_attempt(RUN_1, 4);
    entries[3].cost_known = entries[3].usage_known = false;
    entries[0].stopped = surety_str_of("no");
    entries[0].saved_known = true;
    entries[0].saved_tokens = 70;
    entries[2].stopped = surety_str_of("refuted");
    TRY(one_run(t, entries, 4, &total));
    CHECK(total.calls == 4 && total.reasks == 3 && total.retries == 0);
    CHECK(total.input_tokens == 30 && total.cached_input_tokens == 12);
    CHECK(total.output_tokens == 60 && total.reasoning_tokens == 15);
    CHECK(total.tokens_unknown == 1 && total.cost_unknown == 1);
    CHECK(total.cost_picousd == 3000);
    CHECK(total.value_cost_known && total.value_cost_picousd == 3000);
    CHECK(total.stopped == 2 && total.saved_tokens == 70 &&
          total.saved_unknown == 1);
    /* A call that failed costs nothing; one that may have been carried out
     * costs what nobody knows, and one that is under way nothing yet. */
    entries[3] = sample_failed(RUN_1, 4, "connect");
    TRY(one_run(t, entries, 4, &total));
    CHECK(total.cost_unknown == 0 && total.tokens_unknown == 0);
    CHECK(!total.value_cost_known);
    entries[3].state = SURETY_ENTRY_UNKNOWN;
    TRY(one_run(t, entries, 4, &total));
    CHECK(total.cost_unknown == 1 && total.tokens_unknown == 1);
    entries[3].state = SURETY_ENTRY_OPEN;
    TRY(one_run(t, entries, 4, &total));
    CHECK(total.cost_unknown == 0 && total.ended[SURETY_ENDED_OPEN] == 1);
    /* Where nothing is known, a value has no price. */
    entries[0] = sample_attempt(RUN_1, 1);
    entries[0].cost_known = false;
    TRY(one_run(t, entries, 1, &total));
    CHECK(!total.value_cost_known);
    /* Sums stay at the most. */
    entries[0] = sample_broken(RUN_1, 1);
    entries[0].cost_picousd = UINT64_MAX - 1;
    entries[0].input_tokens = UINT64_MAX;
    entries[1].cost_picousd = 1;
    TRY(one_run(t, entries, 2, &total));
    CHECK(total.cost_picousd == UINT64_MAX && total.input_tokens == UINT64_MAX);
    entries[1].cost_picousd = 2;
    TRY(one_run(t, entries, 2, &total));
    CHECK(total.cost_picousd == UINT64_MAX);
done:
    return;
}

/* A value, and what is told of it alone. */
static surety_status spread_one(struct check *t, int64_t ms,
                                surety_stats_group *ret_total)
{
    surety_entry entry = sample_attempt(RUN_1, 1);

    entry.ended_ms = entry.started_ms + ms;
    return one_run(t, &entry, 1, ret_total);
}

TEST(measures_time)
{
    static const int64_t times[] = {1,     63,     64,      127,     128,
                                    129,   255,    256,     1000,    59999,
                                    60000, 123456, 3600000, 1 << 30, INT32_MAX};
    surety_stats_group total;
    surety_stats *stats = NULL;
    surety_entry entry;

    for (size_t i = 0; i < CHECK_COUNT(times); i++) {
        TRY(spread_one(t, times[i], &total));
        CHECK(total.answered == 1 && total.max_ms == (uint64_t)times[i]);
        CHECK(total.median_ms <= (uint64_t)times[i]);
        CHECK(total.median_ms * 128 >= (uint64_t)times[i] * 127);
        CHECK(total.median_ms == total.p95_ms);
    }
    TRY(spread_one(t, -5, &total));
    CHECK(total.answered == 1 && total.median_ms == 0);
    /* Beyond what is told apart. */
    TRY(spread_one(t, (int64_t)1 << 50, &total));
    CHECK(total.answered == 1 && total.max_ms == (uint64_t)1 << 50);
    CHECK(total.median_ms > (uint64_t)1 << 39);
    /* Times as far apart as they can be, either way around. */
    entry = sample_attempt(RUN_1, 1);
    entry.started_ms = INT64_MIN;
    entry.ended_ms = INT64_MAX;
    TRY(one_run(t, &entry, 1, &total));
    CHECK(total.answered == 1 && total.max_ms == UINT64_MAX);
    entry.started_ms = INT64_MAX;
    entry.ended_ms = INT64_MIN;
    TRY(one_run(t, &entry, 1, &total));
    CHECK(total.answered == 1 && total.max_ms == 0);
    /* 1 to 100: the ranks are 50 and 95; 101 values: 51 and 96. */
    TRY(stats_of(t, NULL, 0, &stats));
    for (int64_t i = 1; i <= 100; i++) {
        entry = sample_attempt(RUN_1, 1);
        entry.ended_ms = entry.started_ms + (i * 37) % 101;
        TRY(surety__stats_add(stats, &entry, NULL));
    }
    TRY(surety__stats_end(stats, NULL));
    total = *surety_stats_info_of(stats)->total;
    CHECK(total.answered == 100 && total.median_ms == 50);
    CHECK(total.p95_ms == 95 && total.max_ms == 100);
    surety_stats_free(stats);
    stats = NULL;
    TRY(stats_of(t, NULL, 0, &stats));
    for (int64_t i = 0; i < 101; i++) {
        entry = sample_attempt(RUN_1, 1);
        entry.ended_ms = entry.started_ms + i + 1;
        TRY(surety__stats_add(stats, &entry, NULL));
    }
    /* Calls without an answer have no time. */
    TRY(sample_add(stats, sample_failed(RUN_1, 2, "connect")));
    TRY(surety__stats_end(stats, NULL));
    total = *surety_stats_info_of(stats)->total;
    CHECK(total.answered == 101 && total.median_ms == 51);
    CHECK(total.p95_ms == 96 && total.calls == 102);
done:
    surety_stats_free(stats);
}

TEST(groups_by_all_there_is)
{
    static const surety_stats_by by[] = {
        SURETY_BY_DAY,      SURETY_BY_MONTH,   SURETY_BY_MODEL,
        SURETY_BY_PROVIDER, SURETY_BY_VERSION, SURETY_BY_MODE,
        SURETY_BY_CONTRACT, SURETY_BY_KEY,     SURETY_BY_TAG};
    static const char *const want[] = {
        "2026-11-21", "2026-11", "m", "p", "1.0.0", "prompt", "c", "k", "t"};
    surety_stats *stats = NULL;
    surety_stats_group group;

    TRY(stats_of(t, by, SURETY_BYS, &stats));
    TRY(sample_add(stats, sample_attempt(RUN_1, 1)));
    TRY(surety__stats_end(stats, NULL));
    CHECK(surety_stats_info_of(stats)->by_count == SURETY_BYS);
    CHECK(surety_stats_info_of(stats)->by[1] == SURETY_BY_MONTH);
    CHECK(surety_stats_info_of(stats)->group_count == 1);
    group = surety_stats_group_at(stats, 0);
    for (size_t i = 0; i < SURETY_BYS; i++)
        CHECK_TEXT(group.keys[i], want[i]);
    CHECK(!surety_stats_group_at(stats, 1).keys);
    CHECK(surety_stats_info_of(stats)->from_ms == SAMPLE_NOON + 1000);
    CHECK(surety_stats_info_of(stats)->to_ms == SAMPLE_NOON + 1000);
done:
    surety_stats_free(stats);
}

TEST(parts_a_run_by_its_models)
{
    static const surety_stats_by by[] = {SURETY_BY_MODEL};
    surety_stats *stats = NULL;
    surety_stats_group group;
    surety_entry entry;

    TRY(stats_of(t, by, 1, &stats));
    /* The first model fails twice, the second is right at once. */
    TRY(sample_add(stats, sample_broken(RUN_1, 1)));
    TRY(sample_add(stats, sample_broken(RUN_1, 2)));
    entry = sample_attempt(RUN_1, 3);
    entry.model = surety_str_of("b");
    entry.purpose = surety_str_of("ask");
    TRY(surety__stats_add(stats, &entry, NULL));
    TRY(sample_add(stats, sample_attempt(RUN_2, 1)));
    TRY(surety__stats_end(stats, NULL));
    CHECK(surety_stats_info_of(stats)->group_count == 2);
    group = surety_stats_group_at(stats, 0);
    CHECK_TEXT(group.keys[0], "b");
    CHECK(group.runs == 1 && group.first == 1 && group.calls == 1);
    group = surety_stats_group_at(stats, 1);
    CHECK_TEXT(group.keys[0], "m");
    CHECK(group.runs == 2 && group.first == 1 && group.calls == 3);
    CHECK(group.ended[SURETY_ENDED_REJECTED] == 1);
    group = *surety_stats_info_of(stats)->total;
    CHECK(!group.keys && group.runs == 2 && group.first == 1);
    CHECK(group.again[1] == 1 && group.calls == 4);
done:
    surety_stats_free(stats);
}

TEST(keeps_keys_apart)
{
    static const surety_stats_by by[] = {SURETY_BY_MODEL, SURETY_BY_PROVIDER};
    static const char *const pairs[][2] = {
        {"a", "bc"}, {"ab", "c"}, {"", "abc"}, {"abc", ""}, {"ABC", ""}};
    char names[2][SURETY_STATS_TEXT_MAX + 2];
    surety_stats *stats = NULL;
    surety_stats_group group;
    surety_entry entry;

    TRY(stats_of(t, by, 2, &stats));
    for (size_t i = 0; i < CHECK_COUNT(pairs); i++) {
        entry = sample_attempt(i % 2 ? RUN_1 : RUN_2, 1);
        entry.model = surety_str_of(pairs[i][0]);
        entry.provider = surety_str_of(pairs[i][1]);
        TRY(surety__stats_add(stats, &entry, NULL));
    }
    /* Names at the limit stay; longer ones are cut, between letters. */
    memset(names, 'x', sizeof(names));
    for (size_t i = 0; i < 2; i++) {
        entry.model = (surety_str){names[i], SURETY_STATS_TEXT_MAX + i};
        TRY(surety__stats_add(stats, &entry, NULL));
    }
    memcpy(names[1] + SURETY_STATS_TEXT_MAX - 4, "\xE2\x82\xAC", 3);
    TRY(surety__stats_add(stats, &entry, NULL));
    TRY(surety__stats_end(stats, NULL));
    CHECK(surety_stats_info_of(stats)->group_count == 8);
    group = surety_stats_group_at(stats, 0);
    CHECK(group.keys[0].len == 0);
    CHECK_TEXT(group.keys[1], "abc");
    group = surety_stats_group_at(stats, 1);
    CHECK_TEXT(group.keys[0], "ABC");
    group = surety_stats_group_at(stats, 5);
    CHECK(group.keys[0].len == SURETY_STATS_TEXT_MAX - 1);
    CHECK(!memcmp(group.keys[0].ptr + group.keys[0].len - 4, "x...", 4));
    group = surety_stats_group_at(stats, 6);
    CHECK(group.keys[0].len == SURETY_STATS_TEXT_MAX);
    CHECK(!memcmp(group.keys[0].ptr + group.keys[0].len - 4, "x...", 4));
    group = surety_stats_group_at(stats, 7);
    CHECK(group.keys[0].len == SURETY_STATS_TEXT_MAX);
    CHECK(group.keys[0].ptr[SURETY_STATS_TEXT_MAX - 1] == 'x');
done:
    surety_stats_free(stats);
}

/* What is asked for, of three runs: at noon of the 21st, one of the model b
 * at 13:00, and one of the contract d, version 2.1.0, at 14:00. */
static surety_status chosen(struct check *t, surety_stats_options options,
                            uint64_t *ret_runs)
{
    const int64_t hour = 3600000;
    surety_stats *stats = NULL;
    surety_status status;
    surety_entry entry;

    options.size = sizeof(options);
    options.alloc = check_alloc(t);
    status = surety_stats_new(&options, &stats, NULL);
    for (uint32_t i = 0; i < 4 && !status; i++) {
        static const char *const runs[] = {RUN_1, RUN_1, RUN_2, RUN_3};

        entry = sample_attempt(runs[i], i == 1 ? 2 : 1);
        entry.started_ms = SAMPLE_NOON + hour * i;
        if (i == 2)
            entry.model = surety_str_of("b");
        if (i == 3) {
            entry.contract = surety_str_of("d");
            entry.contract_version = surety_str_of("2.1.0");
            entry.provider = surety_str_of("q");
        }
        status = surety__stats_add(stats, &entry, NULL);
    }
    if (!status)
        status = surety__stats_end(stats, NULL);
    /* Runs in hundreds, and calls. */
    *ret_runs = surety_stats_info_of(stats)->total->runs * 100 +
                surety_stats_info_of(stats)->total->calls;
    surety_stats_free(stats);
    return status;
}

#define CHOOSE(want, ...)                                                      \
    do {                                                                       \
        TRY(chosen(t, (surety_stats_options){__VA_ARGS__}, &runs));            \
        CHECK(runs == (want));                                                 \
    } while (0)

TEST(chooses)
{
    uint64_t runs = 0;

    CHOOSE(304, .size = 0);
    CHOOSE(101, .model = surety_str_of("b"));
    CHOOSE(0, .model = surety_str_of("B"));
    CHOOSE(101, .provider = surety_str_of("q"));
    CHOOSE(203, .contract = surety_str_of("c"));
    CHOOSE(203, .contract = surety_str_of("c@1"));
    CHOOSE(203, .contract = surety_str_of("c@1.0.0"));
    CHOOSE(0, .contract = surety_str_of("c@1.0.00"));
    CHOOSE(0, .contract = surety_str_of("c@2"));
    CHOOSE(101, .contract = surety_str_of("d@2"));
    CHOOSE(0, .contract = surety_str_of("d@2.1.0.0"));
    CHOOSE(102, .run = surety_str_of(RUN_1));
    CHOOSE(102, .run = surety_str_of("018F2D3C-0000-7000-8000-000000000001"));
    CHOOSE(0, .run = surety_str_of("018f"));
    /* A run belongs to the time it began in, with all its attempts. */
    CHOOSE(304, .since_ms = SAMPLE_NOON);
    CHOOSE(202, .since_ms = SAMPLE_NOON + 1);
    CHOOSE(101, .since_ms = SAMPLE_NOON + 3 * 3600000);
    CHOOSE(0, .since_ms = SAMPLE_NOON + 3 * 3600000 + 1);
    CHOOSE(102, .until_ms = SAMPLE_NOON + 1);
    CHOOSE(0, .until_ms = SAMPLE_NOON);
    CHOOSE(102, .until_ms = SAMPLE_NOON + 2 * 3600000);
    CHOOSE(203, .until_ms = SAMPLE_NOON + 2 * 3600000 + 1);
    CHOOSE(101, .since_ms = SAMPLE_NOON + 1,
           .until_ms = SAMPLE_NOON + 3 * 3600000);
done:
    return;
}

TEST(tells_ids_apart)
{
    static const char *const ids[] = {
        RUN_1, "018F2D3C-0000-7000-8000-000000000001", /* the same */
        RUN_2, "018f2d3c00007000800000000000000000-1", "my run", "my run2",
        "",    "zzzf2d3c-0000-7000-8000-000000000001"};
    surety_stats *stats = NULL;
    surety_entry entry;

    TRY(stats_of(t, NULL, 0, &stats));
    for (size_t i = 0; i < CHECK_COUNT(ids); i++) {
        entry = sample_attempt(ids[i], (uint32_t)i + 1);
        entry.id = surety_str_of(i == 6 ? "an attempt of its own" : "x");
        TRY(surety__stats_add(stats, &entry, NULL));
    }
    TRY(surety__stats_end(stats, NULL));
    CHECK(surety_stats_info_of(stats)->total->runs == 7);
done:
    surety_stats_free(stats);
}

/* Halves of an id that are exchanged have the same hash. */
TEST(tells_ids_of_one_hash_apart)
{
    static const char one[] = "00000000-0000-0001-0000-000000000002";
    static const char other[] = "00000000-0000-0002-0000-000000000001";
    surety_stats *stats = NULL;

    TRY(stats_of(t, NULL, 0, &stats));
    for (uint32_t i = 1; i < 4; i++) {
        const surety_entry entry = sample_broken(one, i);
        const surety_entry beside = sample_broken(other, i);
        TRY(surety__stats_add(stats, &entry, NULL));
        TRY(surety__stats_add(stats, &beside, NULL));
    }
    TRY(surety__stats_end(stats, NULL));
    CHECK(surety_stats_info_of(stats)->total->runs == 2);
done:
    surety_stats_free(stats);
}

static surety_status moment(struct check *t, int64_t ms,
                            surety__moment_form form, surety_buf *out)
{
    (void)t;
    surety_buf_reset(out);
    surety__moment_write(ms, form, out);
    return out->status;
}

TEST(writes_moments)
{
    static const struct {
        int64_t ms;
        const char *want;
    } moments[] = {
        {0, "1970-01-01T00:00:00Z"},
        {-1, "1969-12-31T23:59:59Z"},
        {951782399999, "2000-02-28T23:59:59Z"},
        {951782400000, "2000-02-29T00:00:00Z"},
        {951868800000, "2000-03-01T00:00:00Z"},
        {1709164800000, "2024-02-29T00:00:00Z"},
        {4107542400000, "2100-03-01T00:00:00Z"},
        {SAMPLE_NOON, "2026-11-21T12:00:00Z"},
        {-62135596800000, "0001-01-01T00:00:00Z"},
        {253402300799000, "9999-12-31T23:59:59Z"},
        {253402300800000, "10000-01-01T00:00:00Z"},
        {-62135596800001, "0000-12-31T23:59:59Z"},
        {-62167219200000, "0000-01-01T00:00:00Z"},
        {-62167219200001, "-0001-12-31T23:59:59Z"},
        {-377705116800000, "-9999-01-01T00:00:00Z"},
    };
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(moments); i++) {
        TRY(moment(t, moments[i].ms, MOMENT_WHOLE, &out));
        CHECK_TEXT(surety_buf_str(&out), moments[i].want);
    }
    TRY(moment(t, SAMPLE_NOON, MOMENT_DAY, &out));
    CHECK_TEXT(surety_buf_str(&out), "2026-11-21");
    TRY(moment(t, SAMPLE_NOON, MOMENT_MONTH, &out));
    CHECK_TEXT(surety_buf_str(&out), "2026-11");
    /* No time is too far to be written. */
    TRY(moment(t, INT64_MIN, MOMENT_WHOLE, &out));
    CHECK_TEXT(surety_buf_str(&out), "-292275055-05-16T16:47:04Z");
    TRY(moment(t, INT64_MAX, MOMENT_WHOLE, &out));
    CHECK_TEXT(surety_buf_str(&out), "292278994-08-17T07:12:55Z");
done:
    surety_buf_done(&out);
}

TEST(refuses_misuse)
{
    static const surety_stats_by twice[] = {SURETY_BY_MODE, SURETY_BY_MODE};
    static const surety_stats_by none[] = {(surety_stats_by)SURETY_BYS};
    surety_stats *stats = NULL;
    surety_entry entry = sample_attempt(RUN_1, 1);
    surety_error err;

    EXPECT(SURETY_MISUSE, stats_of(t, twice, 2, &stats));
    EXPECT(SURETY_MISUSE, stats_of(t, none, 1, &stats));
    EXPECT(SURETY_MISUSE, stats_of(t, NULL, 1, &stats));
    CHECK(!stats);
    TRY(stats_of(t, NULL, 0, &stats));
    CHECK(surety_stats_info_of(stats)->group_count == 0);
    CHECK(surety_stats_info_of(stats)->total->runs == 0);
    TRY(surety__stats_end(stats, &err));
    CHECK(surety_stats_info_of(stats)->total->runs == 0);
    CHECK(surety_stats_info_of(stats)->from_ms == 0);
    EXPECT(SURETY_MISUSE, surety__stats_add(stats, &entry, &err));
    EXPECT(SURETY_MISUSE, surety__stats_end(stats, &err));
    EXPECT(SURETY_MISUSE, surety_stats_read(stats, NULL, &err));
    surety_stats_free(NULL);
    CHECK(surety_stats_info_of(NULL)->from_ms == 0 &&
          surety_stats_info_of(NULL)->to_ms == 0);
    CHECK(surety_stats_info_of(NULL)->by_count == 0);
done:
    surety_stats_free(stats);
}

/* The times are those of all attempts, once all are counted. */
TEST(tells_from_when_to_when)
{
    surety_stats *stats = NULL;
    const surety_entry late = sample_attempt(RUN_2, 9);
    const surety_entry early = sample_attempt(RUN_1, 1);
    surety_error err;

    TRY(stats_of(t, NULL, 0, &stats));
    TRY(surety__stats_add(stats, &late, &err));
    TRY(surety__stats_add(stats, &early, &err));
    CHECK(surety_stats_info_of(stats)->from_ms == 0 &&
          surety_stats_info_of(stats)->to_ms == 0);
    TRY(surety__stats_end(stats, &err));
    CHECK(surety_stats_info_of(stats)->from_ms == early.started_ms);
    CHECK(surety_stats_info_of(stats)->to_ms == late.started_ms);
done:
    surety_stats_free(stats);
}

/* A ledger of the caller's own. */
typedef struct shelf {
    surety_entry entries[3];
    size_t count, given;
    int64_t since_ms;
    surety_status status;
} shelf;

static surety_status shelf_each(void *ctx, int64_t since_ms,
                                bool (*each)(void *ctx,
                                             const surety_entry *entry),
                                void *each_ctx, surety_error *reterr)
{
    shelf *self = ctx;

    self->since_ms = since_ms;
    for (size_t i = 0; i < self->count; i++) {
        self->given++;
        if (!each(each_ctx, &self->entries[i]))
            return SURETY_OK;
    }
    return self->status
               ? surety__fail(reterr, self->status, "the shelf fell down")
               : SURETY_OK;
}

TEST(reads_a_ledger)
{
    shelf self = {.count = 3};
    const surety_ledger ledger = {
        .version = 1, .ctx = &self, .each = shelf_each};
    surety_stats_options options = {.size = sizeof(options),
                                    .since_ms = SAMPLE_NOON - 1,
                                    .alloc = check_alloc(t)};
    surety_stats *stats = NULL;
    surety_error err;

    self.entries[0] = sample_broken(RUN_1, 1);
    self.entries[1] = sample_attempt(RUN_1, 2);
    self.entries[2] = sample_attempt(RUN_2, 1);
    TRY(surety_stats_new(&options, &stats, &err));
    TRY(surety_stats_read(stats, &ledger, &err));
    CHECK(self.since_ms == SAMPLE_NOON - 1 && self.given == 3);
    CHECK(surety_stats_info_of(stats)->total->runs == 2);
    CHECK(surety_stats_info_of(stats)->total->first == 1);
    surety_stats_free(stats);
    stats = NULL;
    /* What the ledger fails with is reported. */
    self.status = SURETY_IO;
    TRY(surety_stats_new(&options, &stats, &err));
    EXPECT(SURETY_IO, surety_stats_read(stats, &ledger, &err));
    CHECK(strstr(err.message, "shelf"));
    CHECK(surety_stats_info_of(stats)->total->runs == 0);
done:
    surety_stats_free(stats);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"names what it knows", names_what_it_knows},
        {"counts calls of tools apart", counts_calls_of_tools_apart},
        {"tells at which try a reply was valid", tells_the_try},
        {"tells how runs ended", tells_the_ending},
        {"tells who was cancelled", tells_who_was_cancelled},
        {"takes a reply without a contract", takes_a_reply_without_a_contract},
        {"counts calls, tokens and money", counts_calls},
        {"measures time", measures_time},
        {"groups by all there is", groups_by_all_there_is},
        {"parts a run by its models", parts_a_run_by_its_models},
        {"keeps keys apart", keeps_keys_apart},
        {"chooses what is asked for", chooses},
        {"tells ids apart", tells_ids_apart},
        {"tells ids of one hash apart", tells_ids_of_one_hash_apart},
        {"writes moments", writes_moments},
        {"refuses misuse", refuses_misuse},
        {"tells from when to when", tells_from_when_to_when},
        {"reads a ledger", reads_a_ledger},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
