/* SPDX-License-Identifier: Apache-2.0 */
/* What a run says of itself: reports that satisfy surety/report, the log, the
 * other forms; ids; and the wait with the system's clocks. */
#include <time.h>

#include "check.h"
#include "run_fake.h"

#include "run/run.h"

#define DENIES                                                                 \
    "{\"error\":{\"type\":\"t\",\"code\":\"invalid_api_key\",\"message\":"     \
    "\"100% wrong: \\u001b[31m sk-planted-1234567890\"}}"

static const char contract_text[] =
    "{\"type\":\"object\",\"required\":[\"n\"],\"properties\":{\"n\":{"
    "\"maximum\":10}},\"x-surety\":{\"name\":\"c\",\"retry\":{\"max\":1}}}";

/* Runs and writes in a form. */
static surety_status report_of(struct trial *trial, surety_report form,
                               surety_buf *out)
{
    surety_status status = trial_go(trial);

    surety_buf_reset(out);
    if (status == SURETY_OK)
        status =
            surety_run_write(trial->run, form, surety_str_of("reply.md"), out);
    return status;
}

static bool report_holds(surety_str text, const char *part)
{
    const size_t at = surety__str_find(text, surety_str_of(part));

    if (at < text.len)
        return true;
    printf("# no %s in %.*s\n", part, (int)text.len, text.ptr);
    return false;
}

static const struct fake_answer report_denied[] = {
    {.status = 401, .body = DENIES}};
static const struct fake_answer report_valid[] = {
    {.status = 200, .body = SAYS("{\\\"n\\\":3}")}};
static const struct fake_answer report_rejected[] = {
    {.status = 200, .body = SAYS("{\\\"n\\\":11}")},
    {.status = 200, .body = SAYS("{}")}};

TEST(writes_reports_of_its_contract)
{
    static const struct {
        const struct fake_answer *answers;
        size_t count;
        bool contract;
        const char *part;
    } cases[] = {
        {report_denied, 1, true, "{\"ok\":false,\"stage\":\"provider\""},
        {report_denied, 1, true, "\"verdict\":\"provider\""},
        {report_denied, 1, true, "\"http_status\":401"},
        {report_valid, 1, true, "{\"ok\":true,\"stage\":null"},
        {report_valid, 1, true, "\"value\":{\"n\":3}"},
        {report_valid, 1, false, "\"value\":\"{\\\"n\\\":3}\""},
        {report_rejected, 2, true, "\"stage\":\"validation\""},
        {report_rejected, 2, true, "\"reply_first\":\"{\\\"n\\\":11}\""},
        {report_rejected, 2, true, "\"best\":1"},
        {report_rejected, 2, true,
         "\"usage\":{\"known\":true,\"input_tokens\":"
         "20"},
        {report_rejected, 2, true,
         "\"message\":\"no reply satisfies the "
         "contract c: m (2 calls): "},
    };
    struct trial trial;
    surety_buf out;
    bool ok = false;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(trial_open(&trial, t, contract_text, NULL, 0));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        trial_reset(&trial, t, cases[i].answers, cases[i].count);
        if (!cases[i].contract)
            trial.options.contract = NULL;
        TRY(report_of(&trial, SURETY_REPORT_JSON, &out));
        CHECK(report_holds(surety_buf_str(&out), cases[i].part));
        CHECK(!memchr(out.ptr, '\n', out.len));
        CHECK(surety__str_find(surety_buf_str(&out),
                               surety_str_of("sk-planted")) == out.len);
        TRY(check_report(t, "surety/report", surety_buf_str(&out), &ok));
        CHECK(ok);
    }
done:
    trial_close(&trial);
    surety_buf_done(&out);
}

/* More tokens from a cache than tokens, and none of the answer's. */
static const struct fake_answer report_cached[] = {
    {.status = 200,
     .body = "{\"choices\":[{\"message\":{\"content\":\"{\\\"n\\\":3}\"},"
             "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":10,"
             "\"completion_tokens\":5,\"prompt_tokens_details\":{"
             "\"cached_tokens\":99}}}"}};

/* Each report whole: its clocks, and the ids made by chance, are the test's. */
static const struct {
    const struct fake_answer *answers;
    size_t count;
    const char *whole;
} report_whole[] = {
    {report_denied, 1,
     "{\"ok\":false,\"stage\":\"provider\",\"contract\":\"c\",\"val"
     "ue\":null,\"fallback\":false,\"place\":null,\"span\":null"
     ",\"errors\":[{\"keyword\":\"provider\",\"error\":\"no model"
     " gave a reply: m: the key is missing or wrong (HTT"
     "P 401, invalid_api_key: 100% wrong: [31m ***)\",\"hi"
     "nt\":\"give the right key (key_env or key_file)\"}],\""
     "repairs\":[],\"warnings\":[],\"raw\":\"\",\"verdict\":\"prov"
     "ider\",\"message\":\"no model gave a reply: m: the key"
     " is missing or wrong (HTTP 401, invalid_api_key: 1"
     "00% wrong: [31m ***)\",\"hint\":\"give the right key ("
     "key_env or key_file)\",\"run\":\"018bcfe5-6be8-7cc1-af"
     "ba-e3685963bb19\",\"usage\":{\"known\":true,\"input_toke"
     "ns\":0,\"cached_input_tokens\":0,\"output_tokens\":0,\"r"
     "easoning_tokens\":0},\"cost_picousd\":0,\"attempts\":[{"
     "\"number\":1,\"id\":\"018bcfe5-6be8-755e-9c70-61a43b90b"
     "242\",\"purpose\":\"ask\",\"model\":\"m\",\"mode\":\"prompt\",\""
     "reason\":\"asks m in mode prompt\",\"started_ms\":0,\"fi"
     "rst_byte_ms\":10,\"ended_ms\":10,\"failure\":\"auth\",\"ht"
     "tp_status\":401,\"error_code\":\"invalid_api_key\",\"err"
     "or_message\":\"100% wrong: [31m ***\",\"stage\":\"provid"
     "er\",\"usage\":{\"known\":false,\"input_tokens\":0,\"cache"
     "d_input_tokens\":0,\"output_tokens\":0,\"reasoning_tok"
     "ens\":0},\"cost_picousd\":0,\"report\":null,\"decision\":"
     "\"the key is missing or wrong (HTTP 401, invalid_ap"
     "i_key: 100% wrong: [31m ***), there is no other mo"
     "del: the run ends\"}]}"},
    {report_rejected, 2,
     "{\"ok\":false,\"stage\":\"validation\",\"contract\":\"c\",\"v"
     "alue\":null,\"fallback\":false,\"place\":\"whole\",\"span\""
     ":{\"start\":0,\"end\":2},\"errors\":[{\"instanceLocation\""
     ":\"\",\"keywordLocation\":\"/required\",\"absoluteKeyword"
     "Location\":\"#/required\",\"keyword\":\"required\",\"error"
     "\":\"the required property \\\"n\\\" is missing\",\"line\":"
     "1,\"column\":1,\"offset\":0,\"length\":1}],\"repairs\":[],"
     "\"warnings\":[],\"raw\":\"{}\",\"verdict\":\"rejected\",\"mes"
     "sage\":\"no reply satisfies the contract c: m (2 cal"
     "ls): the reply breaks its contract (required at th"
     "e root)\",\"hint\":\"name another model, or say in the"
     " prompt what it gets wrong\",\"run\":\"018bcfe5-6be8-7"
     "cc1-afba-e3685963bb19\",\"reply_first\":\"{\\\"n\\\":11}\","
     "\"reply_last\":\"{}\",\"best\":1,\"usage\":{\"known\":true,\""
     "input_tokens\":20,\"cached_input_tokens\":0,\"output_t"
     "okens\":10,\"reasoning_tokens\":0},\"cost_picousd\":250"
     "00000,\"attempts\":[{\"number\":1,\"id\":\"018bcfe5-6be8-"
     "755e-9c70-61a43b90b242\",\"purpose\":\"ask\",\"model\":\"m"
     "\",\"answered_by\":\"m-1\",\"mode\":\"prompt\",\"reason\":\"as"
     "ks m in mode prompt\",\"started_ms\":0,\"first_byte_ms"
     "\":10,\"ended_ms\":10,\"failure\":null,\"http_status\":20"
     "0,\"finish_reason\":\"stop\",\"response_id\":\"c\",\"stage\""
     ":\"validation\",\"candidate\":{\"n\":11},\"raw\":\"{\\\"n\\\":1"
     "1}\",\"raw_bytes\":8,\"usage\":{\"known\":true,\"input_tok"
     "ens\":10,\"cached_input_tokens\":0,\"output_tokens\":5,"
     "\"reasoning_tokens\":0},\"cost_picousd\":12500000,\"rep"
     "ort\":{\"ok\":false,\"stage\":\"validation\",\"contract\":\""
     "c\",\"value\":null,\"fallback\":false,\"place\":\"whole\",\""
     "span\":{\"start\":0,\"end\":8},\"errors\":[{\"instanceLoca"
     "tion\":\"/n\",\"keywordLocation\":\"/properties/n/maximu"
     "m\",\"absoluteKeywordLocation\":\"#/properties/n/maxim"
     "um\",\"keyword\":\"maximum\",\"error\":\"11 is greater tha"
     "n the maximum of 10\",\"line\":1,\"column\":6,\"offset\":"
     "5,\"length\":2}],\"repairs\":[],\"warnings\":[],\"raw\":\"{"
     "\\\"n\\\":11}\"},\"decision\":\"the reply breaks its contr"
     "act (maximum at /n): re-ask 1 of 1, with what was "
     "wrong, at m in mode prompt\"},{\"number\":2,\"id\":\"018"
     "bcfe5-6bf2-75b9-b0d3-42ffe40540a0\",\"purpose\":\"re-a"
     "sk\",\"model\":\"m\",\"answered_by\":\"m-1\",\"mode\":\"prompt"
     "\",\"reason\":\"re-ask 1 of 1, with what was wrong, at"
     " m in mode prompt\",\"started_ms\":10,\"first_byte_ms\""
     ":20,\"ended_ms\":20,\"failure\":null,\"http_status\":200"
     ",\"finish_reason\":\"stop\",\"response_id\":\"c\",\"stage\":"
     "\"validation\",\"candidate\":{},\"raw\":\"{}\",\"raw_bytes\""
     ":2,\"usage\":{\"known\":true,\"input_tokens\":10,\"cached"
     "_input_tokens\":0,\"output_tokens\":5,\"reasoning_toke"
     "ns\":0},\"cost_picousd\":12500000,\"report\":{\"ok\":fals"
     "e,\"stage\":\"validation\",\"contract\":\"c\",\"value\":null"
     ",\"fallback\":false,\"place\":\"whole\",\"span\":{\"start\":"
     "0,\"end\":2},\"errors\":[{\"instanceLocation\":\"\",\"keywo"
     "rdLocation\":\"/required\",\"absoluteKeywordLocation\":"
     "\"#/required\",\"keyword\":\"required\",\"error\":\"the req"
     "uired property \\\"n\\\" is missing\",\"line\":1,\"column\""
     ":1,\"offset\":0,\"length\":1}],\"repairs\":[],\"warnings\""
     ":[],\"raw\":\"{}\"},\"decision\":\"the reply breaks its c"
     "ontract (required at the root), the re-asks are sp"
     "ent, there is no other model: the run ends\"}]}"},
    {report_cached, 1,
     "{\"ok\":true,\"stage\":null,\"contract\":\"c\",\"value\":{\"n"
     "\":3},\"fallback\":false,\"place\":\"whole\",\"span\":{\"sta"
     "rt\":0,\"end\":7},\"errors\":[],\"repairs\":[],\"warnings\""
     ":[],\"raw\":\"{\\\"n\\\":3}\",\"verdict\":\"valid\",\"run\":\"018"
     "bcfe5-6be8-7cc1-afba-e3685963bb19\",\"reply_first\":\""
     "{\\\"n\\\":3}\",\"reply_last\":\"{\\\"n\\\":3}\",\"best\":1,\"usag"
     "e\":{\"known\":false,\"input_tokens\":74,\"cached_input_"
     "tokens\":0,\"output_tokens\":3,\"reasoning_tokens\":0},"
     "\"cost_picousd\":24500000,\"attempts\":[{\"number\":1,\"i"
     "d\":\"018bcfe5-6be8-755e-9c70-61a43b90b242\",\"purpose"
     "\":\"ask\",\"model\":\"m\",\"mode\":\"prompt\",\"reason\":\"asks"
     " m in mode prompt\",\"started_ms\":0,\"first_byte_ms\":"
     "10,\"ended_ms\":10,\"failure\":null,\"http_status\":200,"
     "\"finish_reason\":\"stop\",\"stage\":null,\"usage\":{\"know"
     "n\":false,\"input_tokens\":74,\"cached_input_tokens\":0,"
     "\"output_tokens\":3,\"reasoning_tokens\":0},\"cost_pico"
     "usd\":24500000,\"report\":{\"ok\":true,\"stage\":null,\"contra"
     "ct\":\"c\",\"value\":{\"n\":3},\"fallback\":false,\"place\":\""
     "whole\",\"span\":{\"start\":0,\"end\":7},\"errors\":[],\"rep"
     "airs\":[],\"warnings\":[],\"raw\":\"{\\\"n\\\":3}\"},\"decisio"
     "n\":\"the reply is valid: it is taken\"}]}"},
};

TEST(writes_every_member)
{
    struct trial trial;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(trial_open(&trial, t, contract_text, NULL, 0));
    for (size_t i = 0; i < CHECK_COUNT(report_whole); i++) {
        trial_reset(&trial, t, report_whole[i].answers, report_whole[i].count);
        trial.models[0].price = (surety_price){true, 250000, 25000, 2000000};
        TRY(report_of(&trial, SURETY_REPORT_JSON, &out));
        CHECK_TEXT(surety_buf_str(&out), report_whole[i].whole);
    }
done:
    trial_close(&trial);
    surety_buf_done(&out);
}

#define STREAM(text)                                                           \
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" text          \
    "\"}}]}\n\n"
static const struct {
    struct fake_answer answer;
    size_t max;
    surety_report form;
    const char *part, *absent;
} report_given[] = {
    {{.status = 200, .body = SAYS("See {\\\"n\\\":11}")},
     0,
     SURETY_REPORT_JSON,
     "\"stage\":\"validation\",\"candidate\":{\"n\":11},"
     "\"raw\":\"See {\\\"n\\\":11}\",\"raw_bytes\":12,",
     "raw_cut"},
    {{.status = 200, .body = SAYS("See {\\\"n\\\":11}")},
     12,
     SURETY_REPORT_JSON,
     "\"raw\":\"See {\\\"n\\\":11}\",\"raw_bytes\":12,",
     "raw_cut"},
    {{.status = 200, .body = SAYS("See {\\\"n\\\":11}")},
     11,
     SURETY_REPORT_JSON,
     "\"raw\":\"See {\\\"n\\\":11\",\"raw_bytes\":12,\"raw_cut\":11,",
     "candidate_bytes"},
    {{.status = 200, .body = SAYS("{\\\"n\\\":11}\\u00e9")},
     8,
     SURETY_REPORT_JSON,
     "\"raw\":\"{\\\"n\\\":11}\",\"raw_bytes\":10,\"raw_cut\":8,",
     "candidate_bytes"},
    {{.status = 200, .body = SAYS("{\\\"n\\\":11}\\u00e9")},
     7,
     SURETY_REPORT_JSON,
     "\"candidate_bytes\":8,\"raw\":\"{\\\"n\\\":11\"",
     "\"candidate\":"},
    {{.status = 200, .body = SAYS("Sorry.")},
     0,
     SURETY_REPORT_JSON,
     "\"stage\":\"extraction\",\"raw\":\"Sorry.\",\"raw_bytes\":6,",
     "\"candidate\":"},
    /* Cut off by its provider, or by its connection. */
    {{.status = 200, .body = CUT("{\\\"n\\\":1")},
     0,
     SURETY_REPORT_JSON,
     "\"stage\":\"provider\",\"raw\":\"{\\\"n\\\":1\",\"raw_bytes\":6,",
     "\"candidate\":"},
    {{.status = 200,
      .body = STREAM("{\\\"n\\\":1"),
      .failure = SURETY_FAILURE_RESET},
     0,
     SURETY_REPORT_JSON,
     "\"stage\":\"provider\",\"raw\":\"{\\\"n\\\":1\",\"raw_bytes\":6,",
     "\"raw\":\"\""},
    {{.status = 200, .body = CUT("{\\\"n\\\":1,\\n \\u001b[1m")},
     0,
     SURETY_REPORT_TEXT,
     "what arrived in attempt 2, 13 bytes:\n  | {\"n\":1,\n  |   [1m\n",
     "\x1b"},
    {{.status = 200, .body = REFUSES},
     0,
     SURETY_REPORT_JSON,
     "\"stage\":\"refusal\",\"usage\"",
     "raw_bytes"},
};

/* What an attempt gave that is not valid, whatever became of it. */
TEST(shows_what_was_refused)
{
    surety_limits limits = {.size = sizeof(limits)};
    struct fake_answer answers[3];
    struct trial trial;
    surety_buf out;
    bool ok = true;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(trial_open(&trial, t, contract_text, NULL, 0));
    for (size_t i = 0; i < CHECK_COUNT(report_given); i++) {
        answers[0] = answers[1] = answers[2] = report_given[i].answer;
        trial_reset(&trial, t, answers, 3);
        trial.models[0].whole = false;
        limits.attempt_raw_max = (uint32_t)report_given[i].max;
        trial.options.limits = &limits;
        TRY(report_of(&trial, report_given[i].form, &out));
        CHECK(report_holds(surety_buf_str(&out), report_given[i].part));
        CHECK(surety__str_find(surety_buf_str(&out),
                               surety_str_of(report_given[i].absent)) ==
              out.len);
        if (report_given[i].form == SURETY_REPORT_JSON)
            TRY(check_report(t, "surety/report", surety_buf_str(&out), &ok));
        CHECK(ok);
    }
done:
    trial_close(&trial);
    surety_buf_done(&out);
}

TEST(writes_for_people)
{
    static const struct {
        const struct fake_answer *answers;
        size_t count;
        surety_report form;
        const char *part; /* NULL: nothing at all */
    } cases[] = {
        {report_valid, 1, SURETY_REPORT_TEXT, NULL},
        {report_rejected, 2, SURETY_REPORT_TEXT, "error[required]"},
        {report_rejected, 2, SURETY_REPORT_TEXT, "error[rejected]: no reply "},
        {report_rejected, 2, SURETY_REPORT_TEXT,
         "attempt 2: re-ask 1 of 1, with what was wrong, at m in mode prompt; "
         "10 ms, 10 tokens in, 5 out\n  the reply breaks its contract "
         "(required at the root), the re-asks are spent, there is no other "
         "model: the run ends\n"},
        {report_denied, 1, SURETY_REPORT_TEXT,
         "reply.md: error[provider]: no model gave a reply: m: the key is "
         "missing or wrong (HTTP 401, invalid_api_key: 100% wrong: "},
        {report_denied, 1, SURETY_REPORT_COLOR, "\x1b[1mattempt 1\x1b[0m: "},
        {report_denied, 1, SURETY_REPORT_PLAIN, " (path: )\n"},
        {report_denied, 1, SURETY_REPORT_GITHUB, "::error title=provider::no "},
        {report_denied, 1, SURETY_REPORT_GITHUB, "100%25 wrong"},
        {report_denied, 1, SURETY_REPORT_SARIF,
         "{\"ruleId\":\"provider\",\"level\":\"error\",\"message\":{\"text\":"},
        {report_rejected, 2, SURETY_REPORT_SARIF, "\"ruleId\":\"required\""},
    };
    struct trial trial;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(trial_open(&trial, t, contract_text, NULL, 0));
    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        trial_reset(&trial, t, cases[i].answers, cases[i].count);
        TRY(report_of(&trial, cases[i].form, &out));
        if (!cases[i].part) {
            CHECK(out.len == 0);
            continue;
        }
        CHECK(report_holds(surety_buf_str(&out), cases[i].part));
        CHECK(surety__str_find(surety_buf_str(&out),
                               surety_str_of("sk-planted")) == out.len);
        CHECK(cases[i].form == SURETY_REPORT_COLOR ||
              !memchr(out.ptr, '\x1b', out.len));
    }
done:
    trial_close(&trial);
    surety_buf_done(&out);
}

TEST(makes_ids)
{
    char one[SURETY__ID_LEN], two[SURETY__ID_LEN];
    uint64_t state = 1;
    uint64_t seen[4] = {0};

    surety__id_write(&state, 0x0123456789ab, one);
    surety__id_write(&state, 0x0123456789ab, two);
    CHECK_TEXT(((surety_str){one, 15}), "01234567-89ab-7");
    CHECK(one[8] == '-' && one[13] == '-' && one[18] == '-' && one[23] == '-');
    CHECK(strchr("89ab", one[19]));
    CHECK(memcmp(one, two, sizeof(one)) != 0);
    /* RFC 9562 has no time before 1970. */
    surety__id_write(&state, -5, one);
    CHECK_TEXT(((surety_str){one, 15}), "00000000-0000-7");
    for (int i = 0; i < 4000; i++)
        seen[surety__id_below(&state, 3)]++;
    for (int i = 0; i < 4; i++)
        CHECK(seen[i] > 900);
    CHECK(surety__id_below(&state, 0) == 0);
done:;
}

TEST(waits)
{
    static const struct fake_answer answers[] = {
        {.status = 500, .body = ""}, {.status = 200, .body = SAYS("Three.")}};
    struct trial trial;
    surety_error err;

    TRY(trial_open(&trial, t, NULL, answers, CHECK_COUNT(answers)));
    trial.options.backoff.first_ms = 9;
    TRY(trial_begin(&trial));
    TRY(surety_run_wait(trial.run, NULL, &err));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(surety_run_attempt(trial.run, 0).started_ms > 0);
    TRY(surety_run_wait(trial.run, NULL, &err));

    /* A wait is as long as there is time, unless it may be cancelled. */
    CHECK(trial.fake.first_ms == 1200000);
    trial_reset(&trial, t, answers, CHECK_COUNT(answers));
    trial.options.backoff.first_ms = 9;
    TRY(trial_begin(&trial));
    TRY(surety_run_wait(trial.run, &trial.fake.stop, &err));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(trial.fake.first_ms == 50);

    trial_reset(&trial, t, answers, CHECK_COUNT(answers));
    trial.fake.transport.wait = fake_wait_stopped;
    trial.options.ledger = NULL;
    TRY(trial_begin(&trial));
    TRY(surety_run_wait(trial.run, &trial.fake.stop, &err));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_CANCELLED);
    CHECK(!trial.fake.active && trial.fake.cancelled == 1);

    trial_reset(&trial, t, answers, CHECK_COUNT(answers));
    trial.fake.transport.wait = fake_wait_broken;
    trial.options.ledger = NULL;
    TRY(trial_begin(&trial));
    EXPECT(SURETY_IO, surety_run_wait(trial.run, NULL, &err));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_CANCELLED);
    CHECK(!trial.fake.active);

    trial_reset(&trial, t, answers, CHECK_COUNT(answers));
    trial.fake.transport.wait = fake_wait_silent;
    trial.options.ledger = NULL;
    TRY(trial_begin(&trial));
    EXPECT(SURETY_IO, surety_run_wait(trial.run, NULL, &err));
    CHECK_TEXT(surety_str_of(err.message), "a transport's wait failed: io");
    EXPECT(SURETY_MISUSE, surety_run_wait(NULL, NULL, &err));
done:
    trial_close(&trial);
}

TEST(keeps_an_answer_that_was_not_recorded)
{
    static const struct fake_answer answers[] = {
        {.status = 500, .body = ""}, {.status = 200, .body = SAYS("Three.")}};
    struct trial trial;
    surety_error err = {.status = SURETY_OK};

    TRY(trial_open(&trial, t, NULL, answers, CHECK_COUNT(answers)));
    trial.options.backoff.first_ms = 9;
    trial.fake.transport.wait = fake_wait_late;
    TRY(trial_begin(&trial));
    EXPECT(SURETY_IO, surety_run_wait(trial.run, NULL, &err));
    CHECK(err.status == SURETY_IO);
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(surety_run_info_of(trial.run)->attempt_count == 2);
    CHECK_TEXT(surety_run_info_of(trial.run)->reply_last, "Three.");
done:
    trial_close(&trial);
}

/* The clocks are the system's. */
TEST(tells_the_time)
{
    struct timespec before, after;
    surety_now now;

    (void)clock_gettime(CLOCK_MONOTONIC, &before);
    now = surety__wait_now();
    (void)clock_gettime(CLOCK_MONOTONIC, &after);
    CHECK(now.monotonic_ms >=
          (uint64_t)before.tv_sec * 1000 + (uint64_t)before.tv_nsec / 1000000);
    CHECK(now.monotonic_ms <=
          (uint64_t)after.tv_sec * 1000 + (uint64_t)after.tv_nsec / 1000000);
    (void)clock_gettime(CLOCK_REALTIME, &after);
    CHECK(now.unix_ms / 1000 <= after.tv_sec);
    CHECK(now.unix_ms / 1000 > after.tv_sec - 3600);
    (void)clock_gettime(CLOCK_MONOTONIC, &before);
    surety__wait_sleep(3);
    (void)clock_gettime(CLOCK_MONOTONIC, &after);
    CHECK((after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec -
              before.tv_nsec >=
          3000000);
done:;
}

TEST(takes_nothing)
{
    static const char *const verdicts[] = {
        "pending",   "valid",    "partial", "fallback", "rejected",
        "refused",   "provider", "budget",  "ledger",   "cancelled",
        "validator", "calls",    "unknown"};
    const surety_str none = {"", 0};
    struct trial trial;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(trial_open(&trial, t, NULL, NULL, 0));
    CHECK(surety_run_info_of(NULL)->verdict == SURETY_RUN_PENDING);
    CHECK(surety_run_info_of(NULL)->attempt_count == 0);
    CHECK(!surety_run_attempt(NULL, 0).model);
    CHECK(!surety_run_info_of(NULL)->outcome);
    CHECK(surety_run_info_of(NULL)->message.len == 0 &&
          surety_run_info_of(NULL)->hint.len == 0);
    CHECK(surety_run_info_of(NULL)->reply_first.len == 0);
    CHECK(surety_run_info_of(NULL)->reply_last.len == 0);
    CHECK(surety_run_info_of(NULL)->id.len == 0 &&
          !surety_run_info_of(NULL)->usage.known);
    CHECK(!surety_run_info_of(NULL)->cost_known);
    CHECK(surety_run_attempt(NULL, 0).candidate_len == 0);
    EXPECT(SURETY_MISUSE,
           surety_run_write(NULL, SURETY_REPORT_JSON, none, &out));
    EXPECT(SURETY_MISUSE, surety_run_write_log(NULL, false, &out));
    EXPECT(SURETY_MISUSE,
           surety_run_step(NULL, (surety_now){0, 0}, NULL, NULL));
    surety_run_cancel(NULL, (surety_now){0, 0});
    surety_run_free(NULL);
    /* Before the first step. */
    TRY(trial_begin(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_PENDING);
    CHECK(surety_run_info_of(trial.run)->id.len == 0);
    CHECK(surety_run_info_of(trial.run)->usage.known);
    CHECK(surety_run_info_of(trial.run)->cost_known);
    CHECK(!surety_run_attempt(trial.run, 0).model);
    CHECK(surety_run_attempt(trial.run, 0).candidate.len == 0);
    EXPECT(SURETY_MISUSE, surety_run_write_log(trial.run, false, NULL));
    EXPECT(SURETY_MISUSE,
           surety_run_write(trial.run, SURETY_REPORT_JSON, none, NULL));
    EXPECT(SURETY_MISUSE,
           surety_run_write(trial.run, (surety_report)(SURETY_REPORT_SARIF + 1),
                            none, &out));
    CHECK(out.len == 0);
    for (size_t i = 0; i < CHECK_COUNT(verdicts); i++)
        CHECK_TEXT(
            surety_str_of(surety_run_verdict_name((surety_run_verdict)i)),
            verdicts[i]);
    CHECK_TEXT(surety_str_of(surety__stop_name(SURETY_STOP_WEIGH)), "weigh");
    CHECK_TEXT(surety_str_of(surety__stop_name(SURETY_STOP_ALWAYS)), "always");
    CHECK_TEXT(surety_str_of(surety__stop_name(SURETY_STOP_NEVER)), "never");
    CHECK_TEXT(surety_str_of(surety__stop_name((surety_stop)3)), "unknown");
done:
    surety_buf_done(&out);
    trial_close(&trial);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"writes reports of its contract", writes_reports_of_its_contract},
        {"writes every member", writes_every_member},
        {"shows what was refused", shows_what_was_refused},
        {"writes for people", writes_for_people},
        {"makes ids", makes_ids},
        {"waits", waits},
        {"keeps an answer that was not recorded",
         keeps_an_answer_that_was_not_recorded},
        {"tells the time", tells_the_time},
        {"takes nothing", takes_nothing},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
