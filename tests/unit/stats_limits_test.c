/* SPDX-License-Identifier: Apache-2.0 */
/* What is too much to be counted apart: groups, errors, values. */
#include <string.h>

#include <surety/render.h>

#include "base/base.h"
#include "check.h"
#include "stats/stats.h"
#include "stats_sample.h"

#define RUN "018f2d3c-0000-7000-8000-000000000001"

/* Writes a number into six letters. */
static void write_name(char name[6], unsigned number)
{
    for (unsigned at = 0; at < 6; at++, number /= 10)
        name[5 - at] = (char)('a' + number % 10);
}

TEST(bounds_groups)
{
    static const surety_stats_by by[] = {SURETY_BY_MODEL};
    const surety_stats_options options = {.size = sizeof(options),
                                          .by = by,
                                          .by_count = 1,
                                          .alloc = check_alloc(t)};
    surety_stats *stats = NULL;
    surety_entry entry = sample_attempt(RUN, 1);
    surety_error err;
    char name[6];

    TRY(surety_stats_new(&options, &stats, &err));
    entry.model = (surety_str){name, 6};
    for (unsigned i = 0; i < SURETY_STATS_GROUPS_MAX; i++) {
        write_name(name, i);
        TRY(surety__stats_add(stats, &entry, &err));
    }
    name[0] = 'x';
    EXPECT(SURETY_LIMIT, surety__stats_add(stats, &entry, &err));
    CHECK(strstr(err.message, "10000 groups"));
    /* A failure stays. */
    name[0] = 'a';
    EXPECT(SURETY_LIMIT, surety__stats_add(stats, &entry, &err));
    EXPECT(SURETY_LIMIT, surety__stats_end(stats, &err));
    CHECK(surety_stats_info_of(stats)->group_count == 0);
done:
    surety_stats_free(stats);
}

TEST(bounds_errors_and_repairs)
{
    const surety_stats_options options = {.size = sizeof(options),
                                          .alloc = check_alloc(t)};
    surety_stats *stats = NULL;
    surety_entry entry = sample_broken(RUN, 1);
    surety_entry_issue issues[2];
    surety_error err;
    char name[6];

    TRY(surety_stats_new(&options, &stats, &err));
    memset(issues, 0, sizeof(issues));
    issues[0].kind = issues[1].kind = (surety_str){name, 6};
    issues[1].path = surety_str_of("/x");
    entry.errors = entry.repairs = issues;
    entry.error_count = entry.repair_count = 1;
    for (unsigned i = 0; i < SURETY_STATS_ISSUES_MAX; i++) {
        write_name(name, i);
        TRY(surety__stats_add(stats, &entry, &err));
    }
    /* Those that are known go on; a reply with two others is one reply. */
    TRY(surety__stats_add(stats, &entry, &err));
    entry.error_count = 2;
    name[0] = 'x';
    TRY(surety__stats_add(stats, &entry, &err));
    TRY(surety__stats_end(stats, &err));
    CHECK(surety_stats_info_of(stats)->error_count == SURETY_STATS_ISSUES_MAX);
    CHECK(surety_stats_info_of(stats)->repair_count == SURETY_STATS_ISSUES_MAX);
    CHECK(surety_stats_info_of(stats)->errors_left == 1);
    CHECK(surety_stats_info_of(stats)->repairs_left == 1);
    CHECK(surety_stats_error_at(stats, 0).replies == 2);
    CHECK(surety_stats_error_at(stats, 1).replies == 1);
    CHECK_TEXT(surety_stats_error_at(stats, 1).kind, "aaaaaa");
    CHECK(surety_stats_info_of(stats)->total->runs == 1);
done:
    surety_stats_free(stats);
}

TEST(bounds_models)
{
    const surety_stats_options options = {.size = sizeof(options),
                                          .alloc = check_alloc(t)};
    surety_stats *stats = NULL;
    surety_entry entry = sample_broken(RUN, 1);
    const surety_entry_issue issue = {.kind = SURETY__LITERAL("type")};
    surety_error err;
    surety_buf out;
    char name[7] = "";

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(surety_stats_new(&options, &stats, &err));
    entry.errors = &issue;
    entry.error_count = 1;
    entry.model = (surety_str){name, 6};
    for (unsigned i = 0; i < SURETY_STATS_MODELS_MAX + 2; i++) {
        write_name(name, i);
        TRY(surety__stats_add(stats, &entry, &err));
    }
    TRY(surety__stats_end(stats, &err));
    TRY(surety_stats_write(stats, SURETY_STATS_ERRORS, 0, &out));
    CHECK(surety_stats_error_at(stats, 0).replies ==
          SURETY_STATS_MODELS_MAX + 2);
    surety_buf_byte(&out, '\0');
    CHECK(!out.status && strstr(out.ptr, "\"models_left_out_replies\":2}"));
    write_name(name, SURETY_STATS_MODELS_MAX - 1);
    CHECK(strstr(out.ptr, name));
    write_name(name, SURETY_STATS_MODELS_MAX);
    CHECK(!strstr(out.ptr, name));
done:
    surety_stats_free(stats);
    surety_buf_done(&out);
}

TEST(bounds_values)
{
    surety_contract *contract = NULL;
    const surety_contract *contracts[1];
    const surety_str expected[] = {SURETY__LITERAL("never")};
    const surety_stats_expect expect = {SURETY__LITERAL("word"), expected, 1};
    surety_stats_options options = {.size = sizeof(options),
                                    .contracts = contracts,
                                    .contract_count = 1,
                                    .expects = &expect,
                                    .expect_count = 1,
                                    .alloc = check_alloc(t)};
    const surety_contract_options form = {.size = sizeof(form),
                                          .alloc = check_alloc(t)};
    surety_stats *stats = NULL;
    surety_entry entry = sample_attempt(RUN, 1);
    surety_stats_cover cover;
    surety_error err;
    char reply[] = "\"aaaaaa\"";

    TRY(surety_contract_read(
        surety_str_of("{\"type\":\"string\",\"x-surety\":{\"name\":\"c\","
                      "\"derive\":{\"word\":\".\"}}}"),
        &form, &contract, &err));
    contracts[0] = contract;
    TRY(surety_stats_new(&options, &stats, &err));
    entry.reply = surety_str_of(reply);
    /* What is expected has its place. */
    for (unsigned i = 0; i < SURETY_STATS_VALUES_MAX; i++) {
        write_name(reply + 1, i);
        TRY(surety__stats_add(stats, &entry, &err));
    }
    TRY(surety__stats_end(stats, &err));
    CHECK(surety_stats_info_of(stats)->cover_count == 1);
    cover = surety_stats_cover_at(stats, 0);
    CHECK(cover.replies == SURETY_STATS_VALUES_MAX);
    CHECK(cover.values == SURETY_STATS_VALUES_MAX - 1 && cover.left == 1);
    CHECK(cover.expected == 1 && cover.reached == 0);
    CHECK_TEXT(surety_stats_value_at(stats, 0, cover.values).text, "never");
    CHECK_TEXT(surety_stats_value_at(stats, 0, cover.values + 1).text, "");
done:
    surety_stats_free(stats);
    surety_contract_free(contract);
}

static surety_status draw_groups(struct check *t, size_t count, surety_buf *out,
                                 surety_buf *remarks, surety_error *err)
{
    static const surety_stats_by by[] = {SURETY_BY_MODEL};
    const surety_stats_options options = {.size = sizeof(options),
                                          .by = by,
                                          .by_count = 1,
                                          .alloc = check_alloc(t)};
    const surety_stats_chart chart = {.size = sizeof(chart),
                                      .format = SURETY_CHART_SVG};
    surety_stats *stats = NULL;
    surety_status status = surety_stats_new(&options, &stats, err);
    char run[] = "run 00 0";
    char model[] = "model 00";

    for (size_t i = 0; i < count && !status; i++) {
        /* Those with an even number have two runs. */
        for (size_t at = 0; at < 2 - i % 2 && !status; at++) {
            surety_entry entry = sample_attempt(run, 1);

            run[4] = model[6] = (char)('0' + i / 10);
            run[5] = model[7] = (char)('0' + i % 10);
            run[7] = (char)('0' + at);
            entry.model = surety_str_of(model);
            status = surety__stats_add(stats, &entry, err);
        }
    }
    if (!status)
        status = surety__stats_end(stats, err);
    if (!status)
        status = surety_stats_draw(stats, &chart, out, remarks, err);
    surety_stats_free(stats);
    return status;
}

TEST(bounds_bars)
{
    surety_status status;
    surety_error err;
    surety_buf out, remarks;

    surety_buf_init(&out, check_alloc(t), 0);
    surety_buf_init(&remarks, check_alloc(t), 0);
    status = draw_groups(t, 1, &out, &remarks, &err);
    /* A build without cairo draws nothing. */
    if (status == SURETY_UNSUPPORTED)
        goto done;
    TRY(status);
    CHECK(remarks.len == 0);
    surety_buf_reset(&out);
    TRY(draw_groups(t, SURETY_STATS_BARS_MAX, &out, &remarks, &err));
    CHECK(remarks.len == 0);
    surety_buf_reset(&out);
    TRY(draw_groups(t, SURETY_STATS_BARS_MAX + 1, &out, &remarks, &err));
    CHECK_TEXT(surety_buf_str(&remarks),
               "1 group with fewer runs is not drawn\n");
done:
    surety_buf_done(&remarks);
    surety_buf_done(&out);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"bounds groups", bounds_groups},
        {"bounds errors and repairs", bounds_errors_and_repairs},
        {"bounds models", bounds_models},
        {"bounds values", bounds_values},
        {"bounds bars", bounds_bars},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
