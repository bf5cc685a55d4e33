/* SPDX-License-Identifier: Apache-2.0 */
/* The conversation of a run: what its calls send, and what its caller goes on
 * with. */
#include "check.h"
#include "run_fake.h"

#include "base/base.h"

#define TEXT(role_, text_)                                                     \
    {                                                                          \
        .role = SURETY_ROLE_##role_,                                           \
        .parts = &(const surety_part){.kind = SURETY_PART_TEXT,                \
                                      .text = {text_, sizeof(text_) - 1}},     \
        .part_count = 1                                                        \
    }

static const char turns_contract[] =
    "{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":{"
    "\"type\":\"integer\"}},\"x-surety\":{\"name\":\"c\",\"retry\":{\"max\":"
    "2}}}";
#define GOOD "{\\\"a\\\":1}"
#define BAD "{\\\"a\\\":true}"

/* The conversation as "role: text" lines. */
static void turns_show(const surety_run *run, surety_buf *out)
{
    size_t count;
    const surety_message *messages = surety_run_messages(run, &count);

    for (size_t i = 0; i < count; i++) {
        surety_buf_text(out, surety_role_name(messages[i].role));
        for (size_t j = 0; j < messages[i].part_count; j++) {
            surety_buf_text(out, j ? " + " : ": ");
            surety_buf_add(out, messages[i].parts[j].text);
        }
        surety_buf_byte(out, '\n');
    }
}

static bool turns_are(const surety_run *run, const char *expected)
{
    surety_buf out;
    bool equal;

    surety_buf_init(&out, NULL, 0);
    turns_show(run, &out);
    equal = surety_str_equal(surety_buf_str(&out), surety_str_of(expected));
    surety_buf_done(&out);
    return equal;
}

static void turns_follow(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(GOOD)}};
    const surety_message before[] = {TEXT(USER, "Hello."),
                                     TEXT(ASSISTANT, "Hello, you.")};
    struct trial trial;
    const char *body;

    TRY(trial_open(&trial, t, turns_contract, answers, CHECK_COUNT(answers)));
    trial.options.messages = before;
    trial.options.message_count = CHECK_COUNT(before);
    TRY(trial_go(&trial));
    body = strstr(trial.fake.bodies[0], "Hello.");
    CHECK(body && strstr(body, "\"role\":\"assistant\""));
    CHECK(body && strstr(body, "Hello, you."));
    CHECK(body && strstr(body, "\"content\":\"How many?"));
    CHECK(turns_are(trial.run,
                    "user: Hello.\nassistant: Hello, you.\nuser: How many?\n"
                    "assistant: {\"a\":1}\n"));
done:
    trial_close(&trial);
}

/* The text of the run joins a last message of the user's; a re-ask takes its
 * place there. */
static void turns_join(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(BAD)},
        {.status = 200, .body = SAYS(GOOD)}};
    const surety_message before[] = {TEXT(USER, "See the picture.")};
    struct trial trial;

    TRY(trial_open(&trial, t, turns_contract, answers, CHECK_COUNT(answers)));
    trial.options.messages = before;
    trial.options.message_count = 1;
    trial.options.prompt = surety_str_of("");
    TRY(trial_go(&trial));
    CHECK(trial.fake.calls == 2);
    for (int i = 0; i < 2; i++) {
        const char *first = strstr(trial.fake.bodies[i], "\"role\":\"user\"");

        CHECK(first && !strstr(first + 1, "\"role\":\"user\""));
        CHECK(strstr(trial.fake.bodies[i], "See the picture."));
    }
    CHECK(!strstr(trial.fake.bodies[0], "boolean"));
    CHECK(strstr(trial.fake.bodies[1], "boolean"));
    CHECK(
        turns_are(trial.run, "user: See the picture.\nassistant: {\"a\":1}\n"));
done:
    trial_close(&trial);
}

/* Re-asks are in the conversation if the caller wants them, and only then. */
static void turns_keep(struct check *t)
{
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(BAD)},
        {.status = 200, .body = SAYS(GOOD)}};
    struct trial trial;
    size_t count = 0;

    TRY(trial_open(&trial, t, turns_contract, answers, CHECK_COUNT(answers)));
    trial.options.keep_reasks = true;
    TRY(trial_go(&trial));
    (void)surety_run_messages(trial.run, &count);
    CHECK(count == 4);
    trial_reset(&trial, t, answers, CHECK_COUNT(answers));
    TRY(trial_go(&trial));
    CHECK(turns_are(trial.run, "user: How many?\nassistant: {\"a\":1}\n"));
done:
    trial_close(&trial);
}

/* The messages of a request from the first occurrence of its examples on. */
static bool turns_lead_is(const char *body, const char *expected)
{
    const char *at = body ? strstr(body, "\"messages\":") : NULL;

    return at && strstr(at, expected);
}

#define EXAMPLES                                                               \
    "\"x-surety\":{\"name\":\"c\",\"retry\":{\"max\":2},\"prompt\":{"          \
    "\"examples\":[{\"input\":\"Two?\",\"output\":{\"a\":2}}]}}}"

/* Examples come behind the first system messages, before all others, in the
 * form that the mode asks for, and are not kept. A re-ask has them too. */
static void turns_examples(struct check *t)
{
    static const char contract[] =
        "{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":{"
        "\"type\":\"integer\"}}," EXAMPLES;
    static const struct fake_answer answers[] = {
        {.status = 200, .body = SAYS(BAD)},
        {.status = 200, .body = SAYS(GOOD)}};
    static const struct {
        surety_mode mode;
        const char *lead;
    } modes[] = {
        {SURETY_MODE_NATIVE,
         "{\"role\":\"user\",\"content\":\"Two?\"},{\"role\":\"assistant\","
         "\"content\":\"{\\\"a\\\":2}\"},{\"role\":\"user\",\"content\":"
         "\"Hello.\"}"},
        {SURETY_MODE_TOOL,
         "{\"role\":\"user\",\"content\":\"Two?\"},{\"role\":\"assistant\","
         "\"content\":null,\"tool_calls\":[{\"id\":\"example_1\",\"type\":"
         "\"function\",\"function\":{\"name\":\"c\",\"arguments\":"
         "\"{\\\"a\\\":2}\"}}]},{\"role\":\"tool\",\"tool_call_id\":"
         "\"example_1\",\"content\":\"accepted\"},{\"role\":\"user\","
         "\"content\":\"Hello.\"}"},
        {SURETY_MODE_PROMPT,
         "{\"role\":\"user\",\"content\":\"Two?\"},{\"role\":\"assistant\","
         "\"content\":\"{\\\"a\\\":2}\"},{\"role\":\"user\",\"content\":"
         "\"Hello.\"}"},
    };
    const surety_message before[] = {TEXT(SYSTEM, "Be short."),
                                     TEXT(USER, "Hello."),
                                     TEXT(ASSISTANT, "Hello, you.")};
    struct trial trial;

    for (size_t i = 0; i < CHECK_COUNT(modes); i++) {
        TRY(trial_open(&trial, t, contract, answers, CHECK_COUNT(answers)));
        trial.models[0].mode = modes[i].mode;
        trial.options.messages = before;
        trial.options.message_count = CHECK_COUNT(before);
        TRY(trial_go(&trial));
        CHECK(trial.fake.calls == 2);
        for (size_t call = 0; call < 2; call++) {
            const char *body = trial.fake.bodies[call];

            CHECK(turns_lead_is(body, modes[i].lead));
            CHECK(strstr(body, "Be short.") < strstr(body, "Two?"));
            CHECK(!strstr(strstr(body, "Two?") + 1, "Two?"));
        }
        CHECK(turns_are(trial.run, "system: Be short.\nuser: Hello.\n"
                                   "assistant: Hello, you.\nuser: How many?\n"
                                   "assistant: {\"a\":1}\n"));
        trial_close(&trial);
    }
    return;
done:
    trial_close(&trial);
}

/* An example of the options that breaks the contract is refused before a
 * call. */
static void turns_wrong_example(struct check *t)
{
    const surety_prompt_options prompt = {
        .size = sizeof(prompt),
        .examples =
            surety_str_of("[{\"input\":\"\",\"output\":{\"a\":\"x\"}}]")};
    struct trial trial;

    TRY(trial_open(&trial, t, turns_contract, NULL, 0));
    trial.options.prompt_options = &prompt;
    EXPECT(SURETY_SYNTAX, trial_begin(&trial));
done:
    trial_close(&trial);
}

static void turns_refuse(struct check *t)
{
    const surety_message empty = {.role = SURETY_ROLE_USER};
    struct trial trial;

    TRY(trial_open(&trial, t, NULL, NULL, 0));
    trial.options.message_count = 1;
    EXPECT(SURETY_MISUSE, trial_begin(&trial));
    trial.options.messages = &empty;
    EXPECT(SURETY_MISUSE, trial_begin(&trial));
done:
    trial_close(&trial);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"the given messages come before the prompt", turns_follow},
        {"a re-ask takes the prompt's place", turns_join},
        {"re-asks are kept if the caller wants them", turns_keep},
        {"examples come first, in the form of the mode", turns_examples},
        {"an example that breaks the contract is refused", turns_wrong_example},
        {"a message has a part", turns_refuse},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
