/* SPDX-License-Identifier: Apache-2.0 */
/* What a conversation costs without its model and its tools:
 *
 *     bench-turns steps ROUNDS TIMES
 *     bench-turns messages ROUNDS TIMES FILE
 *
 * steps: a run whose model calls a tool in each of its first STEPS replies; the
 * model is a transport of this program that has its answers ready, and the tool
 * returns a constant. Less a run that ends with its first reply, and divided by
 * STEPS, that is a step: reading the call, judging its arguments, the result,
 * and the next request. messages: a conversation is read from a file. Prints
 * nanoseconds of processor time, one number a round: JSON. */
#include <string.h>

#include <surety-run.h>

#include "common.h"

enum { ROUNDS_MAX = 100, STEPS = 12, ANSWER_MAX = 1024 };

static void fail(const char *what)
{
    fprintf(stderr, "bench-turns: %s\n", what);
    exit(1);
}

/* ---- a model that has its answers ready ---------------------------------- */

struct model {
    surety_transport face;
    surety_receiver receiver;
    char answers[STEPS + 1][ANSWER_MAX]; /* the last one has the value */
    size_t next;
    bool open;
};

static surety_status model_start(void *ctx, uint64_t id,
                                 const surety_request *request,
                                 const surety_receiver *receiver,
                                 surety_error *reterr)
{
    struct model *model = ctx;

    (void)id, (void)request, (void)reterr;
    model->receiver = *receiver;
    model->open = true;
    return SURETY_OK;
}

static void model_end(struct model *model, surety_failure failure)
{
    const surety_delivery delivery = {.failure = failure, .sent = true};

    if (model->open)
        model->receiver.end(model->receiver.ctx, &delivery);
    model->open = false;
}

static void model_cancel(void *ctx, uint64_t id)
{
    (void)id;
    model_end(ctx, SURETY_FAILURE_CANCELLED);
}

static surety_status model_wait(void *ctx, uint32_t timeout_ms,
                                surety_error *reterr)
{
    static const surety_header type = {
        {"content-type", 12}, {"text/event-stream", 17}, false};
    struct model *model = ctx;

    (void)timeout_ms, (void)reterr;
    if (!model->open)
        return SURETY_OK;
    model->receiver.head(model->receiver.ctx, 200, &type, 1);
    model->receiver.bytes(model->receiver.ctx,
                          surety_str_of(model->answers[model->next++]));
    model_end(model, SURETY_FAILURE_NONE);
    return SURETY_OK;
}

/* A response of OpenAI Chat Completions, in events. */
static void answer_write(char *answer, const char *delta, const char *reason)
{
    static const char head[] =
        "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\","
        "\"created\":1,\"model\":\"bench\",\"choices\":[{\"index\":0,";

    snprintf(answer, ANSWER_MAX,
             "%s\"delta\":{\"role\":\"assistant\",%s},"
             "\"finish_reason\":null}]}\n\n"
             "%s\"delta\":{},\"finish_reason\":\"%s\"}],\"usage\":{"
             "\"prompt_tokens\":80,\"completion_tokens\":20}}\n\n"
             "data: [DONE]\n\n",
             head, delta, head, reason);
}

static void model_open(struct model *model)
{
    char delta[ANSWER_MAX / 4];

    *model = (struct model){.face = {.version = 2,
                                     .ctx = model,
                                     .start = model_start,
                                     .cancel = model_cancel,
                                     .wait = model_wait}};
    for (size_t i = 0; i < STEPS; i++) {
        snprintf(delta, sizeof delta,
                 "\"tool_calls\":[{\"index\":0,\"id\":\"call_%zu\","
                 "\"type\":\"function\",\"function\":{\"name\":\"look_up\","
                 "\"arguments\":\"{\\\"place\\\": \\\"number %zu\\\", "
                 "\\\"year\\\": 2020}\"}}]",
                 i, i);
        answer_write(model->answers[i], delta, "tool_calls");
    }
    answer_write(model->answers[STEPS],
                 "\"content\":\"{\\\"population\\\": 4711}\"", "stop");
}

/* ---- runs ---------------------------------------------------------------- */

struct world {
    struct model model;
    surety_contract *contract;
    surety_tools *tools;
    size_t called;
};

static surety_status tool_call(void *ctx, const surety_tool_call *call,
                               surety_buf *result, surety_error *reterr)
{
    (void)call, (void)reterr;
    ++*(size_t *)ctx;
    surety_buf_text(result, "{\"inhabitants\": 4711, \"source\": \"bench\"}");
    return SURETY_OK;
}

static void world_open(struct world *world)
{
    static const char contract[] =
        "{\"type\": \"object\", \"required\": [\"population\"],"
        " \"properties\": {\"population\": {\"type\": \"integer\"}},"
        " \"additionalProperties\": false}";
    static const char parameters[] =
        "{\"type\": \"object\", \"required\": [\"place\"], \"properties\": {"
        "\"place\": {\"type\": \"string\"}, \"year\": {\"type\": \"integer\"}},"
        " \"additionalProperties\": false}";
    const surety_tool tool = {.size = sizeof tool,
                              .name = surety_str_of("look_up"),
                              .description = surety_str_of("Looks it up."),
                              .parameters = surety_str_of(parameters),
                              .call = tool_call,
                              .ctx = &world->called};

    world->called = 0;
    model_open(&world->model);
    if (surety_contract_read(surety_str_of(contract), NULL, &world->contract,
                             NULL) ||
        surety_tools_new(NULL, &world->tools, NULL) ||
        surety_tools_add(world->tools, &tool, NULL))
        fail("out of memory");
}

static void run_once(struct world *world, size_t steps)
{
    const surety_model model = {.size = sizeof model,
                                .name = surety_str_of("bench"),
                                .model = surety_str_of("bench"),
                                .base_url = surety_str_of("http://bench/v1"),
                                .protocol = SURETY_PROTOCOL_OPENAI,
                                .transport = &world->model.face};
    const surety_run_options options = {
        .size = sizeof options,
        .contract = world->contract,
        .prompt = surety_str_of("How many inhabitants are there?"),
        .models = &model,
        .model_count = 1,
        .tools = world->tools,
        .steps_max = STEPS + 1};
    surety_run *run = NULL;

    world->model.next = STEPS - steps;
    world->called = 0;
    if (surety_run_new(&options, &run, NULL) ||
        surety_run_wait(run, NULL, NULL) ||
        surety_run_info_of(run)->verdict != SURETY_RUN_VALID ||
        world->called != steps)
        fail("a run does not call its tools and end with a valid reply");
    surety_run_free(run);
}

static double runs_time(struct world *world, size_t steps, unsigned times)
{
    const double start = used_ns();

    for (unsigned i = 0; i < times; i++)
        run_once(world, steps);
    return (used_ns() - start) / times;
}

static void steps_measure(double *ns, unsigned rounds, unsigned times)
{
    struct world world;

    world_open(&world);
    runs_time(&world, STEPS, 1);
    for (unsigned i = 0; i < rounds; i++)
        ns[i] =
            (runs_time(&world, STEPS, times) - runs_time(&world, 0, times)) /
            STEPS;
    surety_tools_free(world.tools);
    surety_contract_free(world.contract);
}

/* ---- conversations ------------------------------------------------------- */

static void messages_read(surety_str text)
{
    surety_conversation *conversation = NULL;
    size_t count = 0;

    if (surety_conversation_new(NULL, &conversation, NULL) ||
        surety_conversation_read(conversation, text, NULL))
        fail("the conversation cannot be read");
    surety_conversation_messages(conversation, &count);
    if (!count)
        fail("the conversation has no message");
    surety_conversation_free(conversation);
}

static void messages_measure(double *ns, unsigned rounds, unsigned times,
                             surety_str text)
{
    messages_read(text);
    for (unsigned i = 0; i < rounds; i++) {
        const double start = used_ns();

        for (unsigned time = 0; time < times; time++)
            messages_read(text);
        ns[i] = (used_ns() - start) / times;
    }
}

int main(int argc, char **argv)
{
    double ns[ROUNDS_MAX];
    unsigned rounds = argc > 3 ? number_of(argv[2]) : 0;
    surety_str text = {NULL, 0};

    rounds = rounds < ROUNDS_MAX ? rounds : ROUNDS_MAX;
    if (argc == 4 && strcmp(argv[1], "steps") == 0) {
        steps_measure(ns, rounds, number_of(argv[3]));
    } else if (argc == 5 && strcmp(argv[1], "messages") == 0) {
        text = file_read(argv[4]);
        if (!text.ptr)
            fail("the file cannot be read");
        messages_measure(ns, rounds, number_of(argv[3]), text);
        free((void *)(size_t)text.ptr);
    } else {
        fprintf(stderr, "usage: bench-turns steps ROUNDS TIMES\n"
                        "       bench-turns messages ROUNDS TIMES FILE\n");
        return 2;
    }
    for (unsigned i = 0; i < rounds; i++)
        printf("%s%.0f", i ? ", " : "[", ns[i]);
    puts("]");
    return 0;
}
