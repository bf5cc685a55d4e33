/* SPDX-License-Identifier: Apache-2.0 */
/* What it comes to when calls are stopped at once, never, or by weighing
 * (surety_stop): the same models, prompts and mistakes under each, by calls and
 * tokens to a valid value. A model has an object of FIELDS numbers to write,
 * some of which it gets wrong; it begins afresh with each call and knows only
 * what it is told.
 *
 *     sim_test --policies      the table of docs/run.md */
#include "sim/chance.h"
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 8, SEEDS = 300, SEEDS_FEW = 20, PIECE = 24, TEXT_MAX = 65536 };

/* How a model takes what it is told. */
enum habit {
    HABIT_CORRECTS, /* what it was told once is right from then on */
    HABIT_FORGETS,  /* what it is told now is right, and nothing else better */
    HABIT_RANDOM    /* mostly right where told; elsewhere new mistakes */
};

struct policy_case {
    enum habit habit;
    uint32_t reasks;
    size_t wrong;                       /* fields of the first reply */
    size_t prompt_tokens, reply_tokens; /* about so many */
};

static const char *const habit_names[] = {
    "corrects what it is told",
    "forgets what it is not told",
    "is random",
};

#define POLICY_SIZES(habit, reasks, wrong)                                     \
    {habit, reasks, wrong, 200, 50}, {habit, reasks, wrong, 3000, 50},         \
        {habit, reasks, wrong, 200, 3000},                                     \
    {                                                                          \
        habit, reasks, wrong, 3000, 3000                                       \
    }
static const struct policy_case policy_cases[] = {
    POLICY_SIZES(HABIT_CORRECTS, 2, 1), POLICY_SIZES(HABIT_CORRECTS, 2, 3),
    POLICY_SIZES(HABIT_FORGETS, 2, 3),  POLICY_SIZES(HABIT_RANDOM, 2, 3),
    {HABIT_CORRECTS, 5, 1, 200, 3000},  {HABIT_CORRECTS, 5, 3, 200, 3000},
    {HABIT_FORGETS, 5, 3, 200, 3000},   {HABIT_RANDOM, 5, 3, 200, 3000},
};
enum { POLICY_CASES = sizeof(policy_cases) / sizeof(policy_cases[0]) };

/* A model behind a transport. */
struct policy_model {
    surety_transport transport;
    const struct policy_case *one;
    bool streams;
    uint64_t seed;
    size_t calls;
    bool wrong[FIELDS]; /* by itself */
    bool taught[FIELDS];
    char text[TEXT_MAX];
    size_t len, told;
    bool active;
    surety_receiver receiver;
};

static uint64_t policy_chance(const struct policy_model *model, uint64_t salt)
{
    uint64_t state = chance_begin(model->seed) + salt;

    return chance_word(&state) % 1000;
}

static bool policy_holds(surety_str text, const char *part)
{
    const size_t len = strlen(part);

    for (size_t i = 0; i + len <= text.len; i++)
        if (!memcmp(text.ptr + i, part, len))
            return true;
    return false;
}

/* Whether the field is right in this reply. */
static bool policy_is_right(const struct policy_model *model, size_t field,
                            bool told)
{
    const uint64_t chance =
        policy_chance(model, model->calls * FIELDS + field + 1);

    switch (model->one->habit) {
    case HABIT_CORRECTS: return model->taught[field] || !model->wrong[field];
    case HABIT_FORGETS: return told || !model->wrong[field];
    default:
        if (told)
            return chance < 950;
        return chance < (model->wrong[field] ? 300 : 950);
    }
}

static void policy_write(struct policy_model *model, surety_str prompt)
{
    const size_t filler = model->one->reply_tokens * 3 / FIELDS;

    model->len = 0;
    for (size_t i = 0; i < FIELDS; i++) {
        char mark[16];
        bool told;

        (void)snprintf(mark, sizeof(mark), "at /f%zu: ", i);
        told = policy_holds(prompt, mark);
        model->taught[i] = model->taught[i] || told;
        model->len +=
            (size_t)snprintf(model->text + model->len, TEXT_MAX - model->len,
                             "%s\"f%zu\": %d, \"t%zu\": \"", i ? ", " : "{", i,
                             policy_is_right(model, i, told) ? 7 : 99, i);
        for (size_t n = 0; n < filler && filler > 30; n++)
            model->text[model->len++] =
                (char)('a' + policy_chance(model, n * 31 + i) % 26);
        model->len +=
            (size_t)snprintf(model->text + model->len, TEXT_MAX - model->len,
                             "\"%s", i + 1 == FIELDS ? "}" : "");
    }
}

static surety_status policy_start(void *ctx, uint64_t id,
                                  const surety_request *request,
                                  const surety_receiver *receiver,
                                  surety_error *reterr)
{
    struct policy_model *model = ctx;

    (void)id;
    (void)reterr;
    model->calls++;
    policy_write(model, request->body);
    model->receiver = *receiver;
    model->told = 0;
    model->active = true;
    return SURETY_OK;
}

static void policy_end(struct policy_model *model, surety_failure failure)
{
    const surety_delivery delivery = {.failure = failure, .sent = true};

    model->active = false;
    model->receiver.end(model->receiver.ctx, &delivery);
}

static void policy_cancel(void *ctx, uint64_t id)
{
    struct policy_model *model = ctx;

    (void)id;
    if (model->active)
        policy_end(model, SURETY_FAILURE_CANCELLED);
}

/* The next piece, or all of it. */
static surety_status policy_wait(void *ctx, uint32_t timeout_ms,
                                 surety_error *reterr)
{
    struct policy_model *model = ctx;
    const size_t left = model->len - model->told;
    const size_t len = model->streams && left > PIECE ? PIECE : left;

    (void)timeout_ms;
    (void)reterr;
    if (!model->active)
        return SURETY_OK;
    (void)model->receiver.bytes(model->receiver.ctx,
                                (surety_str){model->text + model->told, len});
    model->told += len;
    if (model->told == model->len)
        policy_end(model, SURETY_FAILURE_NONE);
    return SURETY_OK;
}

static void policy_close(void *ctx)
{
    (void)ctx;
}

/* ---- runs ---------------------------------------------------------------- */

/* What the runs of a case came to. */
struct policy_sum {
    size_t seeds; /* how many there shall be */
    size_t runs, valid, calls;
    uint64_t tokens;
};

static surety_contract *policy_contract(void)
{
    surety_contract *contract = NULL;
    char text[2048] = "{\"type\":\"object\",\"properties\":{";
    size_t len = strlen(text);

    for (size_t i = 0; i < FIELDS; i++)
        len +=
            (size_t)snprintf(text + len, sizeof(text) - len,
                             "%s\"f%zu\":{\"type\":\"integer\",\"maximum\":10}",
                             i ? "," : "", i);
    (void)snprintf(text + len, sizeof(text) - len,
                   "},\"x-surety\":{\"extract\":{\"from\":[\"whole\"]}}}");
    if (surety_contract_read(surety_str_of(text), NULL, &contract, NULL))
        return NULL;
    return contract;
}

static void policy_make(struct policy_model *model,
                        const struct policy_case *one, uint64_t seed,
                        bool streams)
{
    size_t wrong = 0;

    *model = (struct policy_model){.transport = {1, model, policy_start,
                                                 policy_cancel, policy_wait,
                                                 policy_close, NULL},
                                   .one = one,
                                   .seed = seed,
                                   .streams = streams};
    for (uint64_t n = 0; wrong < one->wrong; n++) {
        bool *field = &model->wrong[policy_chance(model, n * 977) % FIELDS];

        wrong += !*field;
        *field = true;
    }
}

static bool policy_run(struct policy_model *model, surety_stop stop,
                       const surety_contract *contract, struct policy_sum *sum)
{
    static char prompt[16384];
    const surety_model given = {.size = sizeof(given),
                                .name = surety_str_of("m"),
                                .protocol = SURETY_PROTOCOL_TEXT,
                                .base_url = surety_str_of("exec:model"),
                                .mode = SURETY_MODE_PROMPT,
                                .transport = &model->transport};
    const size_t len = model->one->prompt_tokens > 300
                           ? model->one->prompt_tokens * 3 - 600
                           : 30;
    const surety_run_options options = {.size = sizeof(options),
                                        .contract = contract,
                                        .prompt = {prompt, len},
                                        .models = &given,
                                        .model_count = 1,
                                        .seed = 1,
                                        .retry_max = model->one->reasks,
                                        .stop = stop};
    surety_run *run = NULL;
    surety_status status;
    surety_usage usage;
    uint32_t delay_ms = 0;
    uint64_t now_ms = 1;

    memset(prompt, 'p', sizeof(prompt));
    status = surety_run_new(&options, &run, NULL);
    while (status == SURETY_OK || status == SURETY_MORE) {
        status =
            surety_run_step(run, (surety_now){now_ms++, 1}, &delay_ms, NULL);
        if (status != SURETY_MORE)
            break;
        (void)policy_wait(model, 0, NULL);
    }
    usage = surety_run_info_of(run)->usage;
    sum->runs++;
    sum->valid += surety_run_info_of(run)->verdict == SURETY_RUN_VALID;
    sum->calls += surety_run_info_of(run)->attempt_count;
    sum->tokens += usage.input_tokens + usage.output_tokens;
    surety_run_free(run);
    return status == SURETY_OK;
}

static bool policy_sum_up(const struct policy_case *one, surety_stop stop,
                          bool streams, const surety_contract *contract,
                          struct policy_sum *sum)
{
    struct policy_model *model = malloc(sizeof(*model));
    bool good = model != NULL;

    *sum = (struct policy_sum){.seeds = sum->seeds};
    for (uint64_t seed = 1; good && seed <= sum->seeds; seed++) {
        policy_make(model, one, seed, streams);
        good = policy_run(model, stop, contract, sum);
    }
    free(model);
    return good;
}

/* ---- what is shown ------------------------------------------------------- */

static void policy_print(const struct policy_case *one,
                         const struct policy_sum sums[3])
{
    static const surety_stop order[] = {SURETY_STOP_ALWAYS, SURETY_STOP_NEVER,
                                        SURETY_STOP_WEIGH};

    printf("| %s | %u | %zu | %zu, %zu |", habit_names[one->habit],
           (unsigned)one->reasks, one->wrong, one->prompt_tokens,
           one->reply_tokens);
    for (size_t i = 0; i < 3; i++) {
        const struct policy_sum *sum = &sums[order[i]];

        if (sum->valid)
            printf(" %zu %%, %.1f, %zu |", sum->valid * 100 / sum->runs,
                   (double)sum->calls / (double)sum->runs,
                   (size_t)(sum->tokens / sum->valid));
        else
            printf(" 0 %%, %.1f |", (double)sum->calls / (double)sum->runs);
    }
    printf("\n");
}

/* A case under each policy, and not streamed. */
static bool policy_try(const struct policy_case *one, size_t seeds,
                       const surety_contract *contract,
                       struct policy_sum sums[3])
{
    const struct policy_sum *weigh = &sums[SURETY_STOP_WEIGH];
    const struct policy_sum *never = &sums[SURETY_STOP_NEVER];
    struct policy_sum whole = {.seeds = seeds};
    bool good = policy_sum_up(one, SURETY_STOP_WEIGH, false, contract, &whole);

    for (int stop = SURETY_STOP_WEIGH; good && stop <= SURETY_STOP_NEVER;
         stop++) {
        sums[stop].seeds = seeds;
        good =
            policy_sum_up(one, (surety_stop)stop, true, contract, &sums[stop]);
    }
    /* Three errors in a reply, and a model that corrects what it is told: valid
     * within the calls that a contract has by itself. */
    if (good && one->habit != HABIT_RANDOM)
        good = weigh->valid == seeds && whole.valid == seeds;
    return good && weigh->valid + seeds / 20 >= never->valid;
}

bool sim_policies(bool print)
{
    surety_contract *contract = policy_contract();
    bool good = contract != NULL;

    if (print)
        printf("| a model that | re-asks | errors | prompt, reply | always | "
               "never | weigh |\n|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; good && i < POLICY_CASES; i++) {
        const struct policy_case *one = &policy_cases[i];
        struct policy_sum sums[3];

        good = policy_try(one, print ? SEEDS : SEEDS_FEW, contract, sums);
        if (good && print)
            policy_print(one, sums);
        if (!good)
            printf("# a model that %s, prompt %zu, reply %zu\n",
                   habit_names[one->habit], one->prompt_tokens,
                   one->reply_tokens);
    }
    surety_contract_free(contract);
    return good;
}
