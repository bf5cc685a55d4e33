/* SPDX-License-Identifier: Apache-2.0 */
/* What fails, what is repaired and what is covered, and all of it as JSON, CSV
 * and a picture. */
#include <string.h>

#include <surety/render.h>

#include "base/base.h"
#include "check.h"
#include "stats/stats.h"
#include "stats_sample.h"

#define RUN_1 "018f2d3c-0000-7000-8000-000000000001"
#define RUN_2 "018f2d3c-0000-7000-8000-000000000002"
#define RUN_3 "018f2d3c-0000-7000-8000-000000000003"

#define WORD(text)                                                             \
    {                                                                          \
        (text), sizeof(text) - 1                                               \
    }
#define ISSUE(kind, path)                                                      \
    {                                                                          \
        {(kind), sizeof(kind) - 1}, {(path), sizeof(path) - 1},                \
        {                                                                      \
            NULL, 0                                                            \
        }                                                                      \
    }

/* ---- errors and repairs -------------------------------------------------- */

TEST(counts_errors)
{
    static const surety_entry_issue first[] = {
        ISSUE("required", "/items/0/name"), ISSUE("required", "/items/7/name"),
        ISSUE("type", "")};
    static const surety_entry_issue second[] = {
        ISSUE("required", "/items/12/name")};
    const surety_stats_options options = {.size = sizeof(options),
                                          .alloc = check_alloc(t)};
    surety_stats *stats = NULL;
    surety_stats_issue issue;
    surety_entry entry;

    TRY(surety_stats_new(&options, &stats, NULL));
    /* Corrected at the third try. */
    entry = sample_broken(RUN_1, 1);
    entry.errors = first;
    entry.error_count = 3;
    TRY(surety__stats_add(stats, &entry, NULL));
    entry.number = 2;
    entry.errors = second;
    entry.error_count = 1;
    TRY(surety__stats_add(stats, &entry, NULL));
    TRY(sample_add(stats, sample_attempt(RUN_1, 3)));
    /* Never corrected. */
    entry = sample_broken(RUN_2, 1);
    entry.errors = second;
    entry.error_count = 1;
    TRY(surety__stats_add(stats, &entry, NULL));
    /* Of another contract. */
    entry.contract = surety_str_of("b");
    entry.run = surety_str_of(RUN_3);
    TRY(surety__stats_add(stats, &entry, NULL));
    CHECK(surety_stats_info_of(stats)->error_count == 0);
    TRY(surety__stats_end(stats, NULL));
    CHECK(surety_stats_info_of(stats)->error_count == 3);
    issue = surety_stats_error_at(stats, 0);
    CHECK_TEXT(issue.contract, "c");
    CHECK_TEXT(issue.kind, "required");
    CHECK_TEXT(issue.path, "/items/*/name");
    CHECK(issue.replies == 3 && issue.runs == 2 && issue.valid == 1);
    issue = surety_stats_error_at(stats, 1);
    CHECK_TEXT(issue.contract, "b");
    CHECK(issue.replies == 1 && issue.runs == 1 && issue.valid == 0);
    issue = surety_stats_error_at(stats, 2);
    CHECK_TEXT(issue.kind, "type");
    CHECK(issue.path.len == 0 && issue.valid == 1);
    CHECK(surety_stats_error_at(stats, 3).replies == 0);
    CHECK(surety_stats_info_of(stats)->errors_left == 0);
done:
    surety_stats_free(stats);
}

TEST(counts_repairs)
{
    static const surety_entry_issue repairs[] = {ISSUE("trailing-comma", ""),
                                                 ISSUE("trailing-comma", ""),
                                                 ISSUE("number", "/items/0")};
    const surety_stats_options options = {.size = sizeof(options),
                                          .alloc = check_alloc(t)};
    surety_stats *stats = NULL;
    surety_stats_issue issue;
    surety_entry entry = sample_attempt(RUN_1, 1);

    TRY(surety_stats_new(&options, &stats, NULL));
    entry.repairs = repairs;
    entry.repair_count = 3;
    TRY(surety__stats_add(stats, &entry, NULL));
    entry = sample_broken(RUN_2, 1);
    entry.repairs = repairs;
    entry.repair_count = 1;
    TRY(surety__stats_add(stats, &entry, NULL));
    TRY(surety__stats_end(stats, NULL));
    CHECK(surety_stats_info_of(stats)->repair_count == 2);
    CHECK(surety_stats_info_of(stats)->error_count == 0);
    issue = surety_stats_repair_at(stats, 0);
    CHECK_TEXT(issue.kind, "trailing-comma");
    CHECK(issue.replies == 2 && issue.runs == 2 && issue.valid == 1);
    issue = surety_stats_repair_at(stats, 1);
    CHECK_TEXT(issue.path, "/items/*");
    CHECK(issue.replies == 1 && issue.runs == 1 && issue.valid == 1);
    CHECK(surety_stats_repair_at(stats, 2).replies == 0);
done:
    surety_stats_free(stats);
}

TEST(makes_indices_stars)
{
    static const struct {
        const char *path, *want;
    } paths[] = {
        {"", ""},
        {"/0", "/*"},
        {"/a/0/1/b", "/a/*/*/b"},
        {"/01", "/01"},
        {"/999999999", "/*"},
        {"/1000000000", "/1000000000"},
        {"/a0/0b/-1", "/a0/0b/-1"},
        {"/a~10/5~0", "/a~10/5~0"},
        {"//0/", "//*/"},
        {"/", "/"},
        {"0", "0"},
        {"7/8", "7/*"},
    };
    const surety_stats_options options = {.size = sizeof(options),
                                          .alloc = check_alloc(t)};
    surety_stats *stats = NULL;

    for (size_t i = 0; i < CHECK_COUNT(paths); i++) {
        const surety_entry_issue error = {.kind = SURETY__LITERAL("type"),
                                          .path = surety_str_of(paths[i].path)};
        surety_entry entry = sample_broken(RUN_1, 1);

        TRY(surety_stats_new(&options, &stats, NULL));
        entry.errors = &error;
        entry.error_count = 1;
        TRY(surety__stats_add(stats, &entry, NULL));
        TRY(surety__stats_end(stats, NULL));
        CHECK_TEXT(surety_stats_error_at(stats, 0).path, paths[i].want);
        surety_stats_free(stats);
        stats = NULL;
    }
done:
    surety_stats_free(stats);
}

/* ---- coverage ------------------------------------------------------------ */

/* Contracts, which have tests of their own, are made with libc's memory: what
 * is starved here is the statistics. */

#define COVER_CONTRACT                                                         \
    "{\"type\":\"object\",\"required\":[\"n\"],\"properties\":{\"n\":{},"      \
    "\"note\":{\"type\":\"string\"}},"                                         \
    "\"additionalProperties\":false,"                                          \
    "\"x-surety\":{\"name\":\"c\",\"version\":\"1.0.0\",\"derive\":{"          \
    "\"it\":\".n\",\"twice\":\"[.n,.n]\"}}}"

/* Read once: contracts with derived members start a process of jq. */
static surety_registry *registry;
static surety_contract *cover_contract;

static surety_status read_once(void)
{
    surety_status status = SURETY_OK;

    if (!registry)
        status = surety_registry_new(surety_str_of(""), NULL, &registry, NULL);
    if (status == SURETY_OK && !cover_contract)
        status = surety_contract_read(surety_str_of(COVER_CONTRACT), NULL,
                                      &cover_contract, NULL);
    return status;
}

static surety_status cover_new(struct check *t,
                               const surety_stats_expect *expect,
                               surety_stats **ret_stats)
{
    surety_stats_options options = {.size = sizeof(options),
                                    .expects = expect,
                                    .expect_count = expect != NULL,
                                    .alloc = check_alloc(t)};
    const surety_status status = read_once();

    options.contracts = (const surety_contract *const *)&cover_contract;
    options.contract_count = 1;
    return status ? status : surety_stats_new(&options, ret_stats, NULL);
}

static surety_status cover_add(surety_stats *stats, const char *reply,
                               const char *mode)
{
    surety_entry entry = sample_attempt(RUN_1, 1);

    entry.reply = surety_str_of(reply);
    entry.mode = surety_str_of(mode);
    return surety__stats_add(stats, &entry, NULL);
}

TEST(covers_values)
{
    static const surety_str expected[] = {WORD("b"), WORD("z"), WORD("y"),
                                          WORD("b")};
    static const surety_stats_expect expect = {WORD("it"), expected, 4};
    static const char *const replies[] = {
        "{\"n\":\"a\"}", "{\"n\":\"b\"}",       "{\"n\":\"b\"}",
        "{\"n\":3}",     "{\"n\":-0.5}",        "{\"n\":true}",
        "{\"n\":false}", "{\"n\":false}",       "{\"n\":null}",
        "{\"n\":{}}",    "{\"n\":[1,\"a\",[]]}"};
    surety_stats *stats = NULL;
    surety_stats_cover told;
    surety_stats_value value;

    TRY(cover_new(t, &expect, &stats));
    for (size_t i = 0; i < CHECK_COUNT(replies); i++)
        TRY(cover_add(stats, replies[i], "prompt"));
    CHECK(surety_stats_info_of(stats)->cover_count == 0);
    TRY(surety__stats_end(stats, NULL));
    CHECK(surety_stats_info_of(stats)->replies->valid == 11);
    CHECK(surety_stats_info_of(stats)->replies->covered == 11);
    CHECK(surety_stats_info_of(stats)->cover_count == 2);
    told = surety_stats_cover_at(stats, 0);
    CHECK_TEXT(told.contract, "c");
    CHECK_TEXT(told.member, "it");
    CHECK(told.replies == 11 && told.numbers == 3);
    CHECK(told.sum == 3.5 && told.min == -0.5 && told.max == 3);
    CHECK(told.trues == 1 && told.falses == 2 && told.nulls == 1);
    CHECK(told.others == 2 && told.values == 2 && told.left == 0);
    CHECK(told.expected == 3 && told.reached == 1);
    value = surety_stats_value_at(stats, 0, 0);
    CHECK_TEXT(value.text, "a");
    CHECK(value.replies == 2 && !value.expected);
    value = surety_stats_value_at(stats, 0, 1);
    CHECK_TEXT(value.text, "b");
    CHECK(value.replies == 2 && value.expected);
    CHECK_TEXT(surety_stats_value_at(stats, 0, 2).text, "z");
    CHECK_TEXT(surety_stats_value_at(stats, 0, 3).text, "y");
    CHECK(surety_stats_value_at(stats, 0, 3).replies == 0);
    CHECK(!surety_stats_value_at(stats, 0, 4).text.len);
    CHECK(!surety_stats_value_at(stats, 2, 0).text.len);
    /* A reply counts once for a text, numbers each. */
    told = surety_stats_cover_at(stats, 1);
    CHECK_TEXT(told.member, "twice");
    CHECK(told.numbers == 4 && told.trues == 2 && told.expected == 0);
    CHECK(surety_stats_value_at(stats, 1, 0).replies == 2);
    CHECK(surety_stats_cover_at(stats, 2).replies == 0);
done:
    surety_stats_free(stats);
}

TEST(reads_replies_as_they_came)
{
    surety_stats *stats = NULL;
    surety_stats_replies replies;
    surety_entry entry;

    TRY(cover_new(t, NULL, &stats));
    TRY(cover_add(stats, "Here:\n```json\n{\"n\":1}\n```\n", "prompt"));
    TRY(cover_add(stats, "{\"n\":2}", "native"));
    /* As a strict schema has it: what may be absent is null. */
    TRY(cover_add(stats, "{\"n\":\"x\",\"note\":null}", "native"));
    /* A model that talks where a structured value was asked for. */
    TRY(cover_add(stats, "Sure:\n```json\n{\"n\":4}\n```\n", "tool"));
    /* Not valid any more; a patch; not kept; of an unknown contract. */
    TRY(cover_add(stats, "{\"m\":1}", "prompt"));
    entry = sample_attempt(RUN_1, 2);
    entry.purpose = surety_str_of("patch");
    entry.reply = surety_str_of("[]");
    TRY(surety__stats_add(stats, &entry, NULL));
    entry = sample_attempt(RUN_1, 3);
    TRY(surety__stats_add(stats, &entry, NULL));
    entry.contract = surety_str_of("d");
    TRY(surety__stats_add(stats, &entry, NULL));
    /* A reply that was repaired may be again. */
    entry = sample_attempt(RUN_2, 1);
    entry.reply = surety_str_of("{\"n\":5,}");
    TRY(surety__stats_add(stats, &entry, NULL));
    entry.repair_count = 1;
    TRY(surety__stats_add(stats, &entry, NULL));
    /* What is not valid is not looked at. */
    entry = sample_broken(RUN_3, 1);
    entry.reply = surety_str_of("{\"n\":6}");
    TRY(surety__stats_add(stats, &entry, NULL));
    /* Another version is today's. */
    entry = sample_attempt(RUN_3, 2);
    entry.contract_version = surety_str_of("0.9.0");
    entry.reply = surety_str_of("{\"n\":7}");
    TRY(surety__stats_add(stats, &entry, NULL));
    TRY(surety__stats_end(stats, NULL));
    replies = *surety_stats_info_of(stats)->replies;
    CHECK(replies.valid == 11 && replies.covered == 6);
    CHECK(replies.unfit == 2 && replies.patches == 1);
    CHECK(replies.not_kept == 1 && replies.unknown == 1);
    CHECK(replies.plain == 0);
    CHECK(surety_stats_cover_at(stats, 0).sum == 1 + 2 + 4 + 5 + 7);
    CHECK(surety_stats_cover_at(stats, 0).values == 1);
done:
    surety_stats_free(stats);
}

/* Which form of the schema a structured value is in, its provider says.
 * OpenAI's has null for what is absent; the others' do not, and there it is a
 * mistake. */
TEST(knows_whose_form_it_is)
{
    static const struct {
        const char *provider;
        bool fits;
    } providers[] = {
        {"openai", true},  {"responses", true},  {"team", true},
        {"", true},        {"anthropic", false}, {"gemini", false},
        {"ollama", false}, {"vllm", false},      {"openai ", true}};
    surety_stats *stats = NULL;
    surety_stats_replies replies;
    surety_entry entry = sample_attempt(RUN_1, 1);
    uint64_t covered = 0;

    TRY(cover_new(t, NULL, &stats));
    entry.mode = surety_str_of("native");
    for (size_t i = 0; i < CHECK_COUNT(providers); i++) {
        entry.provider = surety_str_of(providers[i].provider);
        entry.reply = surety_str_of("{\"n\":1,\"note\":null}");
        TRY(surety__stats_add(stats, &entry, NULL));
        covered += providers[i].fits;
        /* As it stands it may be anybody's. */
        entry.reply = surety_str_of("{\"n\":1}");
        TRY(surety__stats_add(stats, &entry, NULL));
        covered++;
    }
    TRY(surety__stats_end(stats, NULL));
    replies = *surety_stats_info_of(stats)->replies;
    CHECK(replies.valid == 2 * CHECK_COUNT(providers));
    CHECK(replies.covered == covered);
    CHECK(replies.unfit == replies.valid - covered);
done:
    surety_stats_free(stats);
}

TEST(finds_contracts_by_name)
{
    surety_contract *contract = NULL;
    surety_stats_options options = {.size = sizeof(options),
                                    .alloc = check_alloc(t)};
    surety_stats *stats = NULL;
    surety_entry entry = sample_attempt(RUN_1, 1);

    TRY(read_once());
    /* It has derived members, which may not be built in. */
    TRY(surety_registry_find(
        registry, surety_str_of("trend/iteration-response"), &contract, NULL));
    options.registry = registry;
    TRY(surety_stats_new(&options, &stats, NULL));
    entry.contract = surety_str_of("trend/iteration-response");
    entry.reply = surety_str_of(
        "{\"iteration_number\":1,\"phase\":\"exploration\",\"plan\":\"Look at "
        "it.\",\"actions\":[{\"tool_name\":\"get_trend_data_tool\","
        "\"arguments\":{\"group_by_dimensions\":\"region, age\"}}],"
        "\"reflect\":\"It went well.\"}");
    TRY(surety__stats_add(stats, &entry, NULL));
    entry.contract = surety_str_of("simple/message");
    TRY(surety__stats_add(stats, &entry, NULL));
    entry.contract = surety_str_of("../../x");
    TRY(surety__stats_add(stats, &entry, NULL));
    TRY(surety__stats_end(stats, NULL));
    CHECK(surety_stats_info_of(stats)->replies->covered == 1);
    CHECK(surety_stats_info_of(stats)->replies->plain == 1);
    CHECK(surety_stats_info_of(stats)->replies->unknown == 1);
    CHECK(surety_stats_info_of(stats)->cover_count == 4);
    CHECK_TEXT(surety_stats_cover_at(stats, 0).member, "phase");
    CHECK_TEXT(surety_stats_value_at(stats, 0, 0).text, "exploration");
    CHECK_TEXT(surety_stats_cover_at(stats, 2).member, "dimensions_explored");
    CHECK_TEXT(surety_stats_value_at(stats, 2, 0).text, "age");
    CHECK_TEXT(surety_stats_value_at(stats, 2, 1).text, "region");
done:
    surety_stats_free(stats);
    surety_contract_free(contract);
}

/* ---- writing ------------------------------------------------------------- */

/* Two groups, an error, a repair, and coverage, with hostile texts. */
static surety_status report_fill(surety_stats *stats)
{
    static const surety_entry_issue errors[] = {ISSUE("required", "/a,\"b\"\n"),
                                                ISSUE("type", "/x/0")};
    static const surety_entry_issue repairs[] = {ISSUE("trailing-comma", "")};
    surety_entry entry = sample_broken(RUN_1, 1);
    surety_status status;

    entry.errors = errors;
    entry.error_count = 2;
    status = surety__stats_add(stats, &entry, NULL);
    entry = sample_attempt(RUN_1, 2);
    entry.repairs = repairs;
    entry.repair_count = 1;
    entry.reply = surety_str_of("{\"n\":\"=a,b\"}");
    if (!status)
        status = surety__stats_add(stats, &entry, NULL);
    entry.model = surety_str_of("=cmd|'\xFF'\x1B[31m");
    entry.run = surety_str_of(RUN_2);
    entry.cost_picousd = 1500000000001;
    entry.reply = surety_str_of("{\"n\":2.5}");
    if (!status)
        status = surety__stats_add(stats, &entry, NULL);
    return status ? status : surety__stats_end(stats, NULL);
}

static surety_status report_new(struct check *t, surety_stats **ret_stats)
{
    static const surety_stats_by by[] = {SURETY_BY_MODEL, SURETY_BY_CONTRACT};
    static const surety_str expected[] = {WORD("=a,b"), WORD("z")};
    static const surety_stats_expect expect = {WORD("it"), expected, 2};
    surety_stats_options options = {.size = sizeof(options),
                                    .by = by,
                                    .by_count = 2,
                                    .contract_count = 1,
                                    .expects = &expect,
                                    .expect_count = 1,
                                    .alloc = check_alloc(t)};
    surety_status status = read_once();

    options.contracts = (const surety_contract *const *)&cover_contract;
    if (!status)
        status = surety_stats_new(&options, ret_stats, NULL);
    return status ? status : report_fill(*ret_stats);
}

TEST(writes_json)
{
    surety_stats *stats = NULL;
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;
    surety_val root, group;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(report_new(t, &stats));
    TRY(surety_stats_write(stats, SURETY_STATS_ALL, 0, &out));
    TRY(surety_registry_find(registry, surety_str_of("surety/stats"), &contract,
                             NULL));
    TRY(surety_contract_judge(contract, surety_buf_str(&out), NULL, &outcome,
                              NULL));
    CHECK(surety_outcome_info_of(outcome)->ok);
    root = surety_outcome_info_of(outcome)->value;
    CHECK(surety_val_is(surety_val_get(root, "from"), "2026-11-21T12:00:01Z"));
    CHECK(surety_val_count(surety_val_get(root, "groups")) == 2);
    group = surety_val_at(root, surety_str_of("/groups/0"));
    CHECK(surety_val_is(surety_val_at(group, surety_str_of("/key/model")),
                        "=cmd|'\xEF\xBF\xBD'\x1B[31m"));
    CHECK(surety_val_uint(surety_val_get(group, "value_cost_picousd"), 0) ==
          1500000000001);
    CHECK(surety_val_uint(surety_val_at(root, surety_str_of("/total/runs")),
                          0) == 2);
    CHECK(surety_val_is(
        surety_val_at(root, surety_str_of("/errors/listed/1/path")), "/x/*"));
    CHECK(surety_val_is(
        surety_val_at(root,
                      surety_str_of("/coverage/members/0/expected/missing/0")),
        "z"));
    CHECK(surety_val_real(
              surety_val_at(root,
                            surety_str_of("/coverage/members/0/numbers/mean")),
              0) == 2.5);
    /* One section, the first of its errors. */
    surety_buf_reset(&out);
    TRY(surety_stats_write(stats, SURETY_STATS_ERRORS, 1, &out));
    CHECK_TEXT(surety_buf_str(&out),
               "{\"from\":\"2026-11-21T12:00:01Z\",\"to\":\"2026-11-21T12:00:"
               "02Z\",\"errors\":{\"listed\":[{\"contract\":\"c\",\"keyword\":"
               "\"required\",\"path\":\"/a,\\\"b\\\"\\n\",\"replies\":1,"
               "\"runs\":1,\"corrected\":1,\"models\":[{\"model\":\"m\","
               "\"replies\":1}]}],\"more\":1,\"left_out_replies\":0}}");
done:
    surety_outcome_free(outcome);
    surety_contract_free(contract);
    surety_stats_free(stats);
    surety_buf_done(&out);
}

TEST(writes_csv)
{
    surety_stats *stats = NULL;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(report_new(t, &stats));
    TRY(surety_stats_write_csv(stats, SURETY_STATS_RUNS, 0, false, &out));
    CHECK(strstr(out.ptr, "model,contract,runs,valid,first_try,") == out.ptr);
    CHECK(strstr(out.ptr, "\r\n\"'=cmd|'\xFF'\x1B[31m\",c,1,1,1,0,0,0,"));
    CHECK(strstr(out.ptr, ",1.500000000001,0,1.500000000001,1,100,100,100,"));
    CHECK(strstr(out.ptr, "\r\nm,c,1,1,0,1,0,0,"));
    CHECK(strstr(out.ptr, ",0.000000002,0,0.000000002,2,100,100,100,"));
    surety_buf_reset(&out);
    TRY(surety_stats_write_csv(stats, SURETY_STATS_ERRORS, 0, false, &out));
    CHECK_TEXT(surety_buf_str(&out),
               "contract,keyword,path,replies,runs,corrected\r\n"
               "c,required,\"/a,\"\"b\"\"\n\",1,1,1\r\n"
               "c,type,/x/*,1,1,1\r\n");
    surety_buf_reset(&out);
    TRY(surety_stats_write_csv(stats, SURETY_STATS_REPAIRS, 1, false, &out));
    CHECK_TEXT(surety_buf_str(&out), "contract,kind,path,replies,runs,valid\r\n"
                                     "c,trailing-comma,,2,2,2\r\n");
    surety_buf_reset(&out);
    TRY(surety_stats_write_csv(stats, SURETY_STATS_COVERAGE, 0, true, &out));
    CHECK_TEXT(surety_buf_str(&out),
               "contract,member,kind,value,count,expected,sum,mean,min,max\r\n"
               "c,it,text,\"=a,b\",1,true,,,,\r\n"
               "c,it,text,z,0,true,,,,\r\n"
               "c,it,number,,1,,2.5,2.5,2.5,2.5\r\n"
               "c,twice,text,\"=a,b\",1,,,,,\r\n"
               "c,twice,number,,2,,5,2.5,2.5,2.5\r\n");
    CHECK(surety_stats_write_csv(stats, (surety_stats_section)3, 0, false,
                                 &out) == SURETY_MISUSE);
done:
    surety_stats_free(stats);
    surety_buf_done(&out);
}

TEST(names_each_column_of_csv_once)
{
    static const surety_stats_by by[] = {
        SURETY_BY_MODEL,   SURETY_BY_PROVIDER, SURETY_BY_CONTRACT,
        SURETY_BY_VERSION, SURETY_BY_MODE,     SURETY_BY_DAY,
        SURETY_BY_MONTH,   SURETY_BY_KEY,      SURETY_BY_TAG};
    const surety_stats_options options = {.size = sizeof(options),
                                          .alloc = check_alloc(t),
                                          .by = by,
                                          .by_count = SURETY_BYS};
    surety_stats *stats = NULL;
    surety_str names[64];
    size_t count = 0;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(surety_stats_new(&options, &stats, NULL));
    TRY(surety__stats_end(stats, NULL));
    TRY(surety_stats_write_csv(stats, SURETY_STATS_RUNS, 0, false, &out));
    for (surety_str rest = surety_buf_str(&out); rest.len > 0 && count < 64;
         count++) {
        const char *end = memchr(rest.ptr, ',', rest.len);
        const size_t len = end ? (size_t)(end - rest.ptr) : rest.len;

        names[count] = (surety_str){rest.ptr, len};
        rest.ptr += len + (end != NULL);
        rest.len -= len + (end != NULL);
        for (size_t i = 0; i < count; i++)
            CHECK(!surety_str_equal(names[i], names[count]));
    }
    CHECK(count > SURETY_BYS + SURETY_ENDINGS && count < 64);
done:
    surety_stats_free(stats);
    surety_buf_done(&out);
}

TEST(writes_nothing_of_nothing)
{
    const surety_stats_options options = {.size = sizeof(options),
                                          .alloc = check_alloc(t)};
    const surety_stats_chart chart = {.size = sizeof(chart)};
    surety_stats *stats = NULL;
    surety_error err;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(surety_stats_new(&options, &stats, NULL));
    CHECK(surety_stats_write(stats, SURETY_STATS_ALL, 0, &out) ==
          SURETY_MISUSE);
    CHECK(surety_stats_write_csv(stats, SURETY_STATS_RUNS, 0, false, &out) ==
          SURETY_MISUSE);
    EXPECT(SURETY_MISUSE, surety_stats_draw(NULL, &chart, &out, NULL, &err));
    EXPECT(SURETY_SYNTAX, surety_stats_draw(stats, &chart, &out, NULL, &err));
    TRY(surety__stats_end(stats, NULL));
    TRY(surety_stats_write(stats, SURETY_STATS_REPAIRS, 0, &out));
    CHECK_TEXT(surety_buf_str(&out),
               "{\"from\":null,\"to\":null,\"repairs\":{\"listed\":[],"
               "\"more\":0,\"left_out_replies\":0}}");
    EXPECT(SURETY_SYNTAX, surety_stats_draw(stats, &chart, &out, NULL, &err));
    CHECK(strstr(err.message, "no runs"));
done:
    surety_stats_free(stats);
    surety_buf_done(&out);
}

TEST(draws)
{
    static const surety_stats_by by[] = {SURETY_BY_MODEL};
    const surety_stats_options options = {.size = sizeof(options),
                                          .by = by,
                                          .by_count = 1,
                                          .alloc = check_alloc(t)};
    const surety_stats_chart chart = {.size = sizeof(chart),
                                      .format = SURETY_CHART_SVG};
    surety_stats *stats = NULL;
    surety_status status;
    surety_buf out, remarks;

    surety_buf_init(&out, check_alloc(t), 0);
    surety_buf_init(&remarks, check_alloc(t), 0);
    TRY(surety_stats_new(&options, &stats, NULL));
    TRY(sample_add(stats, sample_attempt(RUN_1, 1)));
    TRY(surety__stats_end(stats, NULL));
    status = surety_stats_draw(stats, &chart, &out, &remarks, NULL);
    /* A build without cairo draws nothing. */
    if (status == SURETY_UNSUPPORTED)
        goto done;
    TRY(status);
    CHECK(surety__str_find(surety_buf_str(&out), SURETY__LITERAL("<svg")) <
          out.len);
    CHECK(remarks.len == 0);
done:
    surety_stats_free(stats);
    surety_buf_done(&remarks);
    surety_buf_done(&out);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"counts errors", counts_errors},
        {"counts repairs", counts_repairs},
        {"makes indices stars", makes_indices_stars},
        {"covers values", covers_values},
        {"reads replies as they came", reads_replies_as_they_came},
        {"knows whose form it is", knows_whose_form_it_is},
        {"finds contracts by name", finds_contracts_by_name},
        {"writes JSON", writes_json},
        {"writes CSV", writes_csv},
        {"names each column of CSV once", names_each_column_of_csv_once},
        {"writes nothing of nothing", writes_nothing_of_nothing},
        {"draws", draws},
    };

    const int code = check_main(argc, argv, tests, CHECK_COUNT(tests));

    surety_contract_free(cover_contract);
    surety_registry_free(registry);
    return code;
}
