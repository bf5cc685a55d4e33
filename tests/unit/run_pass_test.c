/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that pass a request of the caller's own on, and its response. */
#include "check.h"
#include "run_fake.h"

#include "base/base.h"

#define OURS "{\"model\":\"gpt\",\"messages\":[{\"role\":\"user\"}],\"x\":1.50}"

/* What was given out. */
struct heard {
    const struct trial *trial;
    unsigned heads;
    int status;
    size_t finished; /* rows when the head came */
    char bytes[4096];
};

static void pass_hear(void *ctx, const surety_event *event)
{
    struct heard *heard = ctx;
    const surety_run_response_info *response;

    if (event->kind == SURETY_EVENT_BYTES)
        fake_join(heard->bytes, sizeof(heard->bytes), event->text);
    if (event->kind != SURETY_EVENT_HEAD)
        return;
    response = surety_run_response_info_of(heard->trial->run);
    heard->heads++;
    heard->status = response ? response->status : 0;
    heard->finished = heard->trial->fake.finished;
}

static surety_status pass_open(struct check *t, struct trial *trial,
                               struct heard *heard, const char *request,
                               const struct fake_answer *answers, size_t count)
{
    const surety_status status = trial_open(trial, t, NULL, answers, count);

    *heard = (struct heard){.trial = trial};
    trial->options.event = pass_hear;
    trial->options.event_ctx = heard;
    trial->options.prompt = (surety_str){"", 0};
    trial->options.request = surety_str_of(request);
    return status;
}

static void pass_through(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 503, .body = FAILS("server_error", "overloaded")},
        {.status = 200,
         .body = SAYS("not what a schema wants"),
         .header = "x-ratelimit-remaining",
         .value = "7"}};
    struct trial trial;
    struct heard heard;

    TRY(pass_open(t, &trial, &heard, OURS, answers, CHECK_COUNT(answers)));
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(heard.heads == 1 && heard.status == 200 && trial.fake.calls == 2);
    CHECK(strcmp(heard.bytes, answers[1].body) == 0);
    CHECK(surety_run_response_info_of(trial.run)->header_count == 2);
    CHECK_TEXT(surety_run_response_info_of(trial.run)->headers[1].value, "7");
    CHECK(surety_run_info_of(trial.run)->usage.output_tokens == 5);
    CHECK(strcmp(trial.fake.bodies[0],
                 "{\"model\":\"m\",\"messages\":[{\"role\":\"user\"}],\"x\":"
                 "1.50}") == 0);
    CHECK(trial.fake.finished == 2);
done:
    trial_close(&trial);
}

/* The last error is given out when nothing better came, behind its row. */
static void pass_error(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 503, .body = FAILS("server_error", "first")},
        {.status = 429, .body = FAILS("rate_limit", "second")}};
    struct trial trial;
    struct heard heard;

    TRY(pass_open(t, &trial, &heard, OURS, answers, CHECK_COUNT(answers)));
    trial.options.backoff.retries_max = 1;
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_PROVIDER);
    CHECK(heard.heads == 1 && heard.status == 429 && heard.finished == 2);
    CHECK(strcmp(heard.bytes, answers[1].body) == 0);
done:
    trial_close(&trial);
}

/* What was given out is never followed by another response. */
static void pass_broken(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200,
         .body = "data: {\"choices\":[",
         .failure = SURETY_FAILURE_RESET},
        {.status = 200, .body = SAYS("again")}};
    struct trial trial;
    struct heard heard;

    TRY(pass_open(t, &trial, &heard, OURS, answers, CHECK_COUNT(answers)));
    trial.models[0].retry_ambiguous = true;
    trial.options.model_count = 2;
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_PROVIDER);
    CHECK(heard.heads == 1 && trial.fake.calls == 1);
    CHECK(strcmp(heard.bytes, answers[0].body) == 0);
done:
    trial_close(&trial);
}

/* Whatever the model did, its complete response is the client's. */
static void pass_any_reply(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = CUT("half")},
        {.status = 200, .body = REFUSES},
        {.status = 200, .body = ENDS("", "stop")}};

    for (size_t i = 0; i < CHECK_COUNT(answers); i++) {
        struct trial trial;
        struct heard heard;

        TRY(pass_open(t, &trial, &heard, OURS, &answers[i], 1));
        TRY(trial_go(&trial));
        CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
        CHECK(strcmp(heard.bytes, answers[i].body) == 0);
        trial_close(&trial);
        continue;
    done:
        trial_close(&trial);
        return;
    }
}

/* A body is sent as it is, but for the model's name. */
static void pass_bodies(struct check *t)
{
    static const struct {
        const char *given, *sent; /* NULL: refused */
    } rows[] = {
        {"{ }", "{\"model\":\"m\" }"},
        {" {\"a\" : [1,{\"model\":\"x\"}] }",
         " {\"model\":\"m\",\"a\" : [1,{\"model\":\"x\"}] }"},
        {"{\"a\":\"}\\\",\\\"model\\\":\\\"\",\"model\" : \"x\\\"\" ,\"b\":[]}",
         "{\"a\":\"}\\\",\\\"model\\\":\\\"\",\"model\" : \"m\" ,\"b\":[]}"},
        {"{\"mod\\u0065l\":{\"a\":[2]},\"b\":-1e5}",
         "{\"mod\\u0065l\":\"m\",\"b\":-1e5}"},
        {"{\"model\":null}", "{\"model\":\"m\"}"},
        {"[1]", NULL},
        {"{\"a\":1,}", NULL},
        {"{\"a\":\"\xff\"}", NULL},
    };
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS("x")}};

    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        struct trial trial;
        struct heard heard;

        TRY(pass_open(t, &trial, &heard, rows[i].given, answers, 1));
        TRY(trial_go(&trial));
        CHECK(trial.fake.calls == (rows[i].sent != NULL));
        CHECK(!rows[i].sent || strcmp(trial.fake.bodies[0], rows[i].sent) == 0);
        trial_close(&trial);
        continue;
    done:
        trial_close(&trial);
        return;
    }
}

/* Another path, whose response is not looked at. */
static void pass_path(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = "{\"data\":[{\"embedding\":[0.5]}]}"}};
    struct trial trial;
    struct heard heard;

    TRY(pass_open(t, &trial, &heard, "{\"input\":\"x\"}", answers, 1));
    trial.options.request_path = surety_str_of("/embeddings?for={model}");
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(strcmp(trial.fake.bodies[0], "{\"input\":\"x\"}") == 0);
    CHECK(strcmp(heard.bytes, answers[0].body) == 0);
    CHECK(strncmp(trial.fake.finishes[0], "done||", 6) == 0);
    trial_reset(&trial, t, answers, 1);
    trial.options.prompt = (surety_str){"", 0};
    trial.options.request_path = surety_str_of("/models");
    trial.options.request_method = surety_str_of("GET");
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(trial.fake.bodies[0][0] == '\0');
    trial_reset(&trial, t, answers, 1);
    trial.options.prompt = (surety_str){"", 0};
    trial.options.request_path = surety_str_of("@elsewhere/models");
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_PROVIDER);
    CHECK(!trial.fake.calls);
done:
    trial_close(&trial);
}

/* A request that is no call: any bytes, whatever they look like, to the path
 * that is given, and the response is not looked at. */
static void pass_as_is(struct check *t)
{
    static const char bytes[] = "--x\r\n\r\n{\"model\":\"\xff\0\"}\r\n--x--";
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS("a reply of old")}};
    struct trial trial;
    struct heard heard;

    TRY(pass_open(t, &trial, &heard, "", answers, 1));
    trial.models[0].base_url = surety_str_of("https://h/v1/files?v=1");
    trial.options.request = (surety_str){bytes, sizeof(bytes) - 1};
    trial.options.request_as_is = true;
    trial.options.request_type =
        surety_str_of("multipart/form-data; boundary=x");
    trial.options.request_path = surety_str_of("/files?q={model}");
    trial.fake.ledger.raw = true;
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    CHECK(memcmp(trial.fake.bodies[0], bytes, sizeof(bytes)) == 0);
    CHECK(strcmp(trial.fake.lines[0],
                 "POST https://h/v1/files/files?q={model}&v=1 "
                 "multipart/form-data; boundary=x") == 0);
    CHECK(strcmp(heard.bytes, answers[0].body) == 0);
    CHECK(!surety_run_info_of(trial.run)->usage.input_tokens &&
          !surety_run_info_of(trial.run)->usage.output_tokens);
    CHECK(!surety_run_attempt(trial.run, 0).prompt.len &&
          !surety_run_attempt(trial.run, 0).answer.text.len);
    trial_reset(&trial, t, answers, 1);
    trial.options.prompt = (surety_str){"", 0};
    trial.options.request_as_is = true;
    EXPECT(SURETY_MISUSE, trial_begin(&trial));
    trial_reset(&trial, t, answers, 1);
    trial.options.prompt = (surety_str){"", 0};
    trial.options.request_as_is = true;
    trial.options.request_path = surety_str_of("/files");
    trial.options.request_type = surety_str_of("text/plain\r\nx: y");
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_PROVIDER);
    CHECK(!trial.fake.calls);
done:
    trial_close(&trial);
}

/* What may change something at each sending is not sent again, unless nothing
 * of it was sent. */
static void pass_once(struct check *t)
{
    static const struct fake_answer failures[] = {
        {.status = 503, .body = FAILS("server_error", "overloaded")},
        {.failure = SURETY_FAILURE_RESET},
        {.failure = SURETY_FAILURE_CONNECT, .unsent = true}};
    static const struct {
        const char *method;
        bool again[CHECK_COUNT(failures)];
    } rows[] = {{"", {false, false, true}},      {"POST", {false, false, true}},
                {"PATCH", {false, false, true}}, {"GET", {true, true, true}},
                {"DELETE", {true, true, true}},  {"PUT", {true, true, true}}};
    struct trial trial;
    struct heard heard;

    for (size_t i = 0; i < CHECK_COUNT(rows) * CHECK_COUNT(failures); i++) {
        const size_t row = i / CHECK_COUNT(failures);
        const size_t failure = i % CHECK_COUNT(failures);
        const struct fake_answer answers[] = {failures[failure],
                                              {.status = 200, .body = "{}"}};

        TRY(pass_open(t, &trial, &heard, "", answers, 2));
        trial.models[0].retry_ambiguous = true;
        trial.options.model_count = 2;
        trial.options.request_as_is = true;
        trial.options.request_path = surety_str_of("/files");
        trial.options.request_method = surety_str_of(rows[row].method);
        TRY(trial_go(&trial));
        CHECK(trial.fake.calls == (rows[row].again[failure] ? 2 : 1));
        CHECK(surety_run_info_of(trial.run)->verdict ==
              (rows[row].again[failure] ? SURETY_RUN_VALID
                                        : SURETY_RUN_PROVIDER));
        trial_close(&trial);
        continue;
    done:
        trial_close(&trial);
        return;
    }
}

#define CALLS(name, arguments, finish)                                         \
    "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","          \
    "\"content\":\"I see.\",\"x\":1.50,\"tool_calls\":[{\"id\":\"c1\","        \
    "\"type\":\"function\",\"function\":{\"name\":\"" name                     \
    "\",\"arguments\":\"" arguments "\"}}]},\"finish_reason\":\"" finish       \
    "\"}]}"
#define WRONG CALLS("add", "{\\\"a\\\":\\\"one\\\"}", "tool_calls")
#define RIGHT CALLS("add", "{\\\"a\\\": 1}", "tool_calls")

/* Makes a set with the tool add, which belongs to the caller. */
static surety_status pass_declare(struct check *t, surety_repair repair,
                                  surety_tools **ret_tools)
{
    const surety_tools_options options = {.size = sizeof(options),
                                          .alloc = check_alloc(t),
                                          .has_repair = true,
                                          .repair = repair};
    const surety_tool tool = {
        .size = sizeof(tool),
        .name = surety_str_of("add"),
        .parameters = surety_str_of(
            "{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{"
            "\"a\":{\"type\":\"integer\"}}}")};
    surety_status status = surety_tools_new(&options, ret_tools, NULL);

    return status ? status : surety_tools_add(*ret_tools, &tool, NULL);
}

/* The response to a request with declared tools is given out if their calls are
 * valid, and then byte for byte. */
static void pass_checks(struct check *t)
{
    static const struct {
        const char *bodies[3];
        surety_run_verdict verdict;
        unsigned calls;
    } rows[] = {
        {{RIGHT}, SURETY_RUN_VALID, 1},
        {{WRONG, WRONG, RIGHT}, SURETY_RUN_VALID, 3},
        {{WRONG, WRONG, WRONG}, SURETY_RUN_REJECTED, 3},
        {{CALLS("mine", "{\\\"a\\\":", "tool_calls")}, SURETY_RUN_VALID, 1},
        {{CALLS("add", "{\\\"a\\\":", "length"), RIGHT}, SURETY_RUN_VALID, 2},
        {{SAYS("no call")}, SURETY_RUN_VALID, 1},
        {{CUT("half")}, SURETY_RUN_VALID, 1},
        {{CALLS("add", "{}", "content_filter")}, SURETY_RUN_REFUSED, 1}};
    surety_tools *tools = NULL;
    struct trial trial;
    struct heard heard;

    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        const bool valid = rows[i].verdict == SURETY_RUN_VALID;
        struct fake_answer answers[3];

        for (size_t k = 0; k < CHECK_COUNT(answers); k++)
            answers[k] =
                (struct fake_answer){.status = 200, .body = rows[i].bodies[k]};
        TRY(pass_open(t, &trial, &heard, OURS, answers, rows[i].calls));
        TRY(pass_declare(t, SURETY_REPAIR_NONE, &tools));
        trial.options.tools = tools;
        trial.models[0].mode = SURETY_MODE_AUTO;
        TRY(trial_go(&trial));
        CHECK(surety_run_info_of(trial.run)->verdict == rows[i].verdict);
        CHECK(trial.fake.calls == rows[i].calls);
        CHECK(heard.heads == valid && (!valid || heard.status == 200));
        CHECK(heard.finished == (valid ? rows[i].calls : 0));
        CHECK(
            !strcmp(heard.bytes, valid ? answers[rows[i].calls - 1].body : ""));
        CHECK(!surety_run_response_info_of(trial.run) == !valid);
        trial_close(&trial);
        surety_tools_free(tools);
        tools = NULL;
        continue;
    done:
        trial_close(&trial);
        surety_tools_free(tools);
        return;
    }
}

/* What is asked again is the request, and what was wrong behind its messages.
 */
static void pass_asks_again(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = WRONG},
        {.status = 200, .body = CALLS("add", "{\\\"a\\\":", "length")},
        {.status = 200, .body = RIGHT}};
    static const char begins[] =
        "{\"model\":\"m\",\"messages\":[{\"role\":\"user\"},{\"role\":"
        "\"assistant\",\"content\":\"I see.\",\"tool_calls\":[{\"id\":\"c1\","
        "\"type\":\"function\",\"function\":{\"name\":\"add\",\"arguments\":"
        "\"{\\\"a\\\":\\\"one\\\"}\"}}]},{\"role\":\"tool\",\"tool_call_id\":"
        "\"c1\",\"content\":\"The arguments are not valid";
    static const char ends[] = "],\"x\":1.50}";
    surety_tools *tools = NULL;
    struct trial trial;
    struct heard heard;
    size_t len;

    TRY(pass_open(t, &trial, &heard, OURS, answers, CHECK_COUNT(answers)));
    TRY(pass_declare(t, SURETY_REPAIR_NONE, &tools));
    trial.options.tools = tools;
    trial.models[0].mode = SURETY_MODE_AUTO;
    TRY(trial_go(&trial));
    CHECK(surety_run_info_of(trial.run)->verdict == SURETY_RUN_VALID);
    for (size_t i = 1; i < 3; i++) {
        len = strlen(trial.fake.bodies[i]);
        CHECK(!strncmp(trial.fake.bodies[i], begins, strlen(begins)));
        CHECK(!strcmp(trial.fake.bodies[i] + len - strlen(ends), ends));
    }
    CHECK(strstr(trial.fake.bodies[2], "{\"role\":\"user\",\"content\":\"Your "
                                       "last reply was cut off"));
done:
    trial_close(&trial);
    surety_tools_free(tools);
}

static void pass_misuse(struct check *t)
{
    surety_tools *tools = NULL;
    struct trial trial;
    struct heard heard;

    TRY(pass_open(t, &trial, &heard, OURS, NULL, 0));
    trial.options.prompt = surety_str_of("and this?");
    EXPECT(SURETY_MISUSE, trial_begin(&trial));
    trial.options.prompt = (surety_str){"", 0};
    trial.options.model_count = 2;
    trial.models[1].protocol = SURETY_PROTOCOL_ANTHROPIC;
    EXPECT(SURETY_MISUSE, trial_begin(&trial));
    trial.options.model_count = 1;
    trial.models[0].protocol = SURETY_PROTOCOL_TEXT;
    EXPECT(SURETY_MISUSE, trial_begin(&trial));
    CHECK(!surety_run_response_info_of(NULL));
    trial.models[0].protocol = SURETY_PROTOCOL_OPENAI;
    TRY(pass_declare(t, SURETY_REPAIR_SYNTAX, &tools));
    trial.options.tools = tools;
    trial.models[0].mode = SURETY_MODE_AUTO;
    EXPECT(SURETY_MISUSE, trial_begin(&trial));
    trial.options.tools = NULL;
    surety_tools_free(tools);
    tools = NULL;
    TRY(pass_declare(t, SURETY_REPAIR_NONE, &tools));
    trial.options.tools = tools;
    trial.models[0].mode = SURETY_MODE_PROMPT;
    EXPECT(SURETY_MISUSE, trial_begin(&trial));
done:
    trial_close(&trial);
    surety_tools_free(tools);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"a request and its response are passed on", pass_through},
        {"the last error is given out", pass_error},
        {"nothing follows what was given out", pass_broken},
        {"a complete response is valid", pass_any_reply},
        {"a body is sent as it is", pass_bodies},
        {"another path", pass_path},
        {"any bytes go as they are", pass_as_is},
        {"a request is not sent twice", pass_once},
        {"calls of declared tools are checked", pass_checks},
        {"wrong calls are asked for again", pass_asks_again},
        {"requests that cannot be passed on", pass_misuse},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
