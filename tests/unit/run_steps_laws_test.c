/* SPDX-License-Identifier: Apache-2.0 */
/* Random worlds of models and tools: models that call, repeat, err, break off
 * and answer; tools that give, fail, wait and hang. Whatever happens: the run
 * ends; its limits hold; a tool's row is in the ledger before the tool is
 * called, and is completed; no call is made twice; every call in the
 * conversation has its result in the next message. */
#include "check.h"
#include "run_fake.h"

#include "base/base.h"

#include <stdio.h>

enum { LAW_ROUNDS = 3000, LAW_ROUNDS_FAULT = 1, LAW_CALLS = 64 };

struct law {
    struct fake fake;
    uint64_t state;
    struct fake_answer answers[FAKE_CALLS];
    char bodies[FAKE_CALLS][1024];
    /* What the tools and the ledger saw. */
    size_t begun, finished; /* rows of tools */
    size_t made;            /* calls whose function was called */
    char ids[LAW_CALLS][24];
    bool done[LAW_CALLS];
    size_t id_count;
    const char *broken; /* the law that does not hold */
};

static uint32_t law_next(struct law *law, uint32_t below)
{
    law->state = law->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(law->state >> 33) % below;
}

/* ---- the world ----------------------------------------------------------- */

/* A call whose argument is no integer. */
#define LAW_WRONG                                                              \
    "<tool_call>{\"name\":\"add\",\"arguments\":{\"a\":\"x\"}}</tool_call>"

/* A text of the model: calls, an answer, or nonsense. */
static void law_say(struct law *law, char *out, size_t size)
{
    static const char *const says[] = {
        "{\"sum\":3}",
        "{\"sum\":true}",
        "I do not know.",
        "<tool_call>{\"name\":\"sub\",\"arguments\":{}}</tool_call>",
        LAW_WRONG,
        "<tool_call>{\"name\":\"add\",\"arguments\":{\"a\":",
    };
    const uint32_t kind = law_next(law, 10);
    size_t len = 0;

    if (kind < CHECK_COUNT(says)) {
        snprintf(out, size, "%s", says[kind]);
        return;
    }
    out[0] = 0;
    for (uint32_t i = 0; i <= law_next(law, 3); i++)
        len += (size_t)snprintf(
            out + len, size - len,
            "<tool_call>{\"name\":\"add\",\"arguments\":{\"a\":%u}}"
            "</tool_call>",
            (unsigned)law_next(law, 4));
}

/* As the inside of a JSON string. */
static void law_quote(char *out, size_t size, const char *text)
{
    size_t len = 0;

    for (; *text && len + 3 < size; text++) {
        if (*text == '"' || *text == '\\')
            out[len++] = '\\';
        out[len++] = *text;
    }
    out[len] = 0;
}

static void law_answers(struct law *law)
{
    for (size_t i = 0; i < FAKE_CALLS; i++) {
        struct fake_answer *answer = &law->answers[i];
        char text[400], quoted[800];

        *answer = (struct fake_answer){.status = 200};
        if (law_next(law, 8) == 0) {
            answer->status = 0;
            answer->failure = SURETY_FAILURE_RESET;
            answer->unsent = true;
            continue;
        }
        law_say(law, text, sizeof(text));
        law_quote(quoted, sizeof(quoted), text);
        snprintf(law->bodies[i], sizeof(law->bodies[i]),
                 "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"%s\"},"
                 "\"finish_reason\":\"%s\"}]}",
                 quoted, law_next(law, 12) ? "stop" : "length");
        answer->body = law->bodies[i];
    }
}

static surety_status law_call(void *ctx, const surety_tool_call *call,
                              surety_buf *result, surety_error *reterr)
{
    struct law *law = ctx;
    size_t i = 0;

    while (i < law->id_count &&
           !surety_str_equal(call->id, surety_str_of(law->ids[i])))
        i++;
    if (i == law->id_count) {
        if (law->id_count == LAW_CALLS || law->begun <= law->made)
            law->broken = "a tool is called before its row is written";
        else
            fake_copy(law->ids[law->id_count++], sizeof(law->ids[0]), call->id);
        law->made++;
    } else if (law->done[i]) {
        law->broken = "a call is made twice";
    }
    if (law->broken)
        return SURETY_IO;
    law->done[i] = law_next(law, 6) > 0;
    if (!law->done[i])
        return SURETY_MORE;
    switch (law_next(law, 5)) {
    case 0: return surety__fail(reterr, SURETY_IO, "no such thing");
    case 1: surety_buf_byte(result, (char)0xFF); break;
    default: surety_buf_text(result, "3"); break;
    }
    return SURETY_OK;
}

static surety_status law_begin(void *ctx, const surety_entry *entry,
                               surety_error *reterr)
{
    struct law *law = ctx;

    (void)reterr;
    law->begun += surety_str_equal(entry->purpose, surety_str_of("tool"));
    return SURETY_OK;
}

static surety_status law_finish(void *ctx, const surety_entry *entry,
                                surety_error *reterr)
{
    struct law *law = ctx;

    (void)reterr;
    law->finished += surety_str_equal(entry->purpose, surety_str_of("tool"));
    return SURETY_OK;
}

/* ---- the laws ------------------------------------------------------------ */

/* Whether every call has its result in the message after it. */
static bool law_pairs(const surety_run *run)
{
    size_t count;
    const surety_message *messages = surety_run_messages(run, &count);

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < messages[i].part_count; j++) {
            const surety_part *part = &messages[i].parts[j];
            bool found = part->kind != SURETY_PART_CALL;

            for (size_t k = 0; i + 1 < count && k < messages[i + 1].part_count;
                 k++)
                found =
                    found ||
                    (messages[i + 1].parts[k].kind == SURETY_PART_RESULT &&
                     surety_str_equal(messages[i + 1].parts[k].id, part->id));
            if (!found)
                return false;
        }
    return true;
}

static const char *law_judge(const struct law *law, const surety_run *run,
                             const surety_run_options *options)
{
    const surety_run_info *info = surety_run_info_of(run);

    if (law->broken)
        return law->broken;
    if (info->verdict == SURETY_RUN_PENDING)
        return "the run does not end";
    if (info->attempt_count > options->budget.calls_max)
        return "the budget of calls is exceeded";
    if (law->made > options->tool_calls_max)
        return "the limit of calls of tools is exceeded";
    if (law->begun != law->finished || law->begun != info->tool_use_count)
        return "a row of a tool is missing or open";
    if (!law_pairs(run))
        return "a call has no result";
    return NULL;
}

static surety_status law_tools(struct check *t, struct law *law,
                               surety_tools **ret_tools)
{
    const surety_tools_options options = {.size = sizeof(options),
                                          .alloc = check_alloc(t)};
    const surety_tool tool = {
        .size = sizeof(tool),
        .name = surety_str_of("add"),
        .parameters =
            surety_str_of("{\"type\":\"object\",\"required\":[\"a\"],"
                          "\"properties\":{\"a\":{\"type\":\"integer\"}}}"),
        .call = law_call,
        .ctx = law,
        .time_ms_max = 50,
    };
    surety_status status = surety_tools_new(&options, ret_tools, NULL);

    if (status == SURETY_OK)
        status = surety_tools_add(*ret_tools, &tool, NULL);
    return status;
}

static const char law_contract[] =
    "{\"type\":\"object\",\"required\":[\"sum\"],\"properties\":{\"sum\":{"
    "\"type\":\"integer\"}},\"x-surety\":{\"name\":\"c\",\"retry\":{\"max\":"
    "2}}}";

TEST(whatever_happens)
{
    const int rounds = t->fail_at ? LAW_ROUNDS_FAULT : LAW_ROUNDS;
    struct law *law = calloc(1, sizeof(*law));
    surety_contract *contract = NULL;
    surety_tools *tools = NULL;
    surety_run *run = NULL;
    const char *broken = NULL;
    size_t made = 0, valid = 0;

    CHECK(law != NULL);
    TRY(check_contract(t, law_contract, &contract));
    TRY(law_tools(t, law, &tools));
    for (int round = 0; round < rounds && !broken; round++) {
        surety_model model;
        surety_run_options options;
        surety_status status;

        memset(law, 0, sizeof(*law));
        law->state = (uint64_t)round * 7919 + 1;
        law_answers(law);
        fake_init(&law->fake, law->answers, FAKE_CALLS);
        law->fake.ledger.ctx = law;
        law->fake.ledger.begin = law_begin;
        law->fake.ledger.finish = law_finish;
        model = fake_model(&law->fake, "m");
        options = fake_options(t, &law->fake, contract, &model, 1);
        options.tools = tools;
        options.steps_max = 1 + law_next(law, 5);
        options.tool_calls_max = 1 + law_next(law, 8);
        options.budget.calls_max = 1 + law_next(law, FAKE_CALLS - 1);
        options.seed = (uint64_t)round + 1;
        TRY(surety_run_new(&options, &run, NULL));
        status = fake_go(&law->fake, run, NULL);
        if (status != SURETY_TIMEOUT)
            TRY(status);
        broken = law_judge(law, run, &options);
        made += law->made;
        valid += surety_run_info_of(run)->verdict == SURETY_RUN_VALID;
        if (broken)
            printf("# round %d: %s\n", round, broken);
        surety_run_free(run);
        run = NULL;
    }
    CHECK(!broken);
    /* The worlds have calls and answers enough. */
    CHECK(t->fail_at || (made > LAW_ROUNDS && valid > LAW_ROUNDS / 4));
done:
    surety_run_free(run);
    surety_tools_free(tools);
    surety_contract_free(contract);
    free(law);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"whatever happens, the laws hold", whatever_happens},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
