/* SPDX-License-Identifier: Apache-2.0 */
/* run.c: runs and consensuses, each in a thread of its own.
 *
 * A run lasts seconds to minutes. In the pool that Node.js has for such work it
 * would hold one of four places, and four runs against a server of the same
 * process that reads a file would wait for each other; so it has its own
 * thread, which does all of it: it reads the configuration, opens the ledger,
 * asks, and closes everything before it reports the end. It calls
 * JavaScript by one thread-safe function, with events first and the end last.
 *
 * The environment may end meanwhile (process.exit, a worker's terminate): the
 * clean-up hook cancels the run and waits for the thread, before Node.js closes
 * the function. The object has two holders, the handle and the function, and
 * is freed after both. */
#include "functions.h"
#include "messages.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMS 6 /* of surety_report */

static const napi_type_tag run_tag = {0x6e2c8a4b7d1f3059u, 0xa1b3c5d7e9f10254u};

struct run {
    struct shared base;
    napi_threadsafe_function tell;
    pthread_t thread;
    bool joined;
    bool deaf; /* nobody hears any more; the thread's */
    volatile int cancelled;
    /* What was asked for. */
    struct contract *contract; /* held; NULL: none */
    struct bytes prompt, system, config, folder, ledger, replay, record;
    struct bytes cost, cost_all, aggregator, source;
    struct bytes messages; /* JSON; empty: none */
    struct bytes items;    /* a JSON Pointer, if items_given */
    struct bytes instructions, reask, system_template;
    struct bytes examples; /* JSON; empty: those of the contract */
    struct bytes *models, *environment;
    size_t model_count, environment_count;
    bool replay_given;
    bool config_given; /* config is the configuration itself, no path */
    bool consensus;
    struct judging judging;
    struct asking asking;
    struct asker asker; /* for the validators */
    surety_validator validator;
    struct toolbox toolbox;
    struct functions functions;
    surety_run_options options;
    surety_limits limits; /* the configuration's, the contract's over them */
    surety_prompt_options prompt_options;
    surety_consensus_options all;
    bool items_given;
    bool ledger_raw;
    surety_mode mode;
    double temperature;
    bool has_temperature;
    uint32_t output_tokens_max;
    bool whole;
    surety_timeouts timeouts;
    surety_backoff backoff;
    uint32_t broken_retries_max;
    bool stop_given;
    /* What came of it. */
    surety_status status;
    surety_error error;
    surety_buf reports[FORMS]; /* those that there are not stay empty */
    bool reported;             /* there is a verdict, and they are written */
    surety_buf log, value;     /* the value's JSON */
    surety_buf conversation;   /* the messages to go on with, as JSON */
};

/* A note on its way; its texts are in bytes. The end needs no message, so it
 * cannot fail for want of memory. */
struct message {
    struct note note;
    char bytes[];
};

/* ---- life ---------------------------------------------------------------- */

/* The texts of a run, and the members of the spec that they are. */
static const struct text_row {
    const char *name;
    size_t offset;
} text_rows[] = {
    {"prompt", offsetof(struct run, prompt)},
    {"system", offsetof(struct run, system)},
    {"config", offsetof(struct run, config)},
    {"folder", offsetof(struct run, folder)},
    {"ledger", offsetof(struct run, ledger)},
    {"replay", offsetof(struct run, replay)},
    {"record", offsetof(struct run, record)},
    {"aggregator", offsetof(struct run, aggregator)},
    {"source", offsetof(struct run, source)},
    {"messages", offsetof(struct run, messages)},
    {"items", offsetof(struct run, items)},
    {"instructions", offsetof(struct run, instructions)},
    {"reask", offsetof(struct run, reask)},
    {"systemTemplate", offsetof(struct run, system_template)},
    {"examples", offsetof(struct run, examples)},
};
#define TEXT_ROWS (sizeof(text_rows) / sizeof(text_rows[0]))

static struct bytes *text_at(struct run *run, size_t i)
{
    return (struct bytes *)((char *)run + text_rows[i].offset);
}

static void run_free(struct shared *object)
{
    struct run *run = (struct run *)object;
    size_t i;

    for (i = 0; i < TEXT_ROWS; i++)
        bytes_drop(text_at(run, i));
    bytes_drop(&run->cost);
    bytes_drop(&run->cost_all);
    texts_drop(run->models, run->model_count);
    texts_drop(run->environment, run->environment_count);
    judging_drop(&run->judging);
    for (i = 0; i < FORMS; i++)
        surety_buf_done(&run->reports[i]);
    surety_buf_done(&run->log);
    surety_buf_done(&run->value);
    surety_buf_done(&run->conversation);
    toolbox_drop(&run->toolbox);
    functions_done(&run->functions);
    asking_done(&run->asking);
    shared_drop(run->contract ? &run->contract->base : NULL);
    free(run);
}

/* ---- in the thread ----------------------------------------------------- */

/* Copies a text behind the others; gives where the next begins. */
static char *text_pack(surety_str *text, char *place)
{
    if (text->len)
        memcpy(place, text->ptr, text->len);
    text->ptr = place;
    return place + text->len;
}

/* Sends a note. CANCELLED: the run has no listener any more. */
static surety_status post(void *ctx, const struct note *note)
{
    struct run *run = ctx;
    struct message *message;
    char *place;

    if (run->deaf)
        return SURETY_CANCELLED;
    message = malloc(sizeof(*message) + note->text.len + note->tool.len +
                     note->call.len);
    if (!message)
        return SURETY_NOMEM;
    message->note = *note;
    place = text_pack(&message->note.text, message->bytes);
    place = text_pack(&message->note.tool, place);
    text_pack(&message->note.call, place);
    if (napi_call_threadsafe_function(run->tell, message,
                                      napi_tsfn_nonblocking)) {
        run->deaf = true;
        free(message);
        return SURETY_CANCELLED;
    }
    return SURETY_OK;
}

static void heard_member(void *ctx, size_t member, const surety_event *event)
{
    const struct note note = {(int)event->kind, event->attempt, member,
                              event->text,      event->tool,    event->call};

    post(ctx, &note);
}

static void heard(void *ctx, const surety_event *event)
{
    heard_member(ctx, SIZE_MAX, event);
}

/* The environment as JavaScript had it when the run began: process.env of a
 * worker is its own, and getenv is no friend of threads. */
static const char *variable(void *ctx, const char *name)
{
    struct run *run = ctx;
    size_t i;

    for (i = 0; i + 1 < run->environment_count; i += 2)
        if (surety_str_equal(run->environment[i].str, surety_str_of(name)))
            return run->environment[i + 1].str.ptr;
    return NULL;
}

static surety_status line_record(void *ctx, surety_str line)
{
    FILE *file = ctx;

    return fwrite(line.ptr, 1, line.len, file) == line.len && !fflush(file)
               ? SURETY_OK
               : SURETY_IO;
}

/* What a run stands on while it goes; all of it is the thread's. */
struct world {
    surety_config *config;
    surety_recording *recording;
    surety_ledger *ledger;
    surety_model *models;
    surety_model aggregator;
    FILE *record;
    surety_transport *transport; /* of the models that are functions */
    surety_tools *tools;
    surety_conversation *conversation;
    surety_items *items;
    surety_run *run;
    surety_consensus *consensus;
};

static surety_status misuse(surety_error *reterr, surety_status status,
                            const char *message, const char *hint)
{
    *reterr = (surety_error){.status = status};
    strncpy(reterr->message, message, sizeof(reterr->message) - 1);
    strncpy(reterr->hint, hint, sizeof(reterr->hint) - 1);
    return status;
}

static surety_status config_open(struct run *run, struct world *world,
                                 surety_error *reterr)
{
    surety_config_options options = {.size = sizeof(options),
                                     .environment = variable,
                                     .environment_ctx = run,
                                     .folder = run->folder.str};
    surety_status status;

    if (run->replay_given) {
        status = surety_recording_read(run->replay.str, NULL, &world->recording,
                                       reterr);
        if (status)
            return status;
        options.replay = world->recording;
    }
    if (run->record.str.len) {
        world->record = fopen(run->record.str.ptr, "ae");
        if (!world->record)
            return misuse(reterr, SURETY_IO, "the recording cannot be written",
                          "name a file in a folder that can be written");
        options.record = line_record;
        options.record_ctx = world->record;
    }
    if (run->config_given)
        return surety_config_read(run->config.str, &options, &world->config,
                                  reterr);
    return surety_config_load(run->config.str, &options, &world->config,
                              reterr);
}

/* What was given counts more than what the configuration says. */
static void number_over(uint32_t *number, uint32_t given)
{
    if (given)
        *number = given;
}

/* Puts a recording that answers, or one that is made, in the place of a
 * transport, which it then owns. */
static surety_status wrap(void *ctx, surety_transport *inner,
                          surety_transport **ret_transport,
                          surety_error *reterr)
{
    const struct world *world = ctx;
    surety_transport *made = inner;
    surety_status status = SURETY_OK;

    if (world->recording)
        status = surety_replay_open(world->recording, SURETY_REPLAY_MATCH, NULL,
                                    &made, reterr);
    *ret_transport = made;
    if (!status && world->record)
        status = surety_record_open(made, line_record, world->record, NULL,
                                    ret_transport, reterr);
    if (made != inner)
        (status ? made : inner)->close(status ? made->ctx : inner->ctx);
    return status;
}

/* Opens the transport of the functions. */
static surety_status functions_open(struct run *run, struct world *world,
                                    surety_error *reterr)
{
    surety_transport *made = NULL;
    surety_status status;

    if (run->functions.count == 0)
        return SURETY_OK;
    status = wrap(world, &run->functions.transport, &made, reterr);
    if (!status)
        world->transport = made;
    return status;
}

/* The model at that place of the run's: a function, or that name. */
static surety_status model_find(struct run *run, struct world *world,
                                int64_t at, surety_str name, surety_model *ret,
                                surety_error *reterr)
{
    const struct function *function = function_find(&run->functions, at);
    const surety_model *model = NULL;
    surety_status status = SURETY_OK;

    if (!function)
        status = surety_config_model(world->config, name, &model, reterr);
    if (status)
        return status;
    *ret = model ? *model : function_model(function, world->transport);
    if (run->mode != SURETY_MODE_AUTO)
        ret->mode = run->mode;
    if (run->has_temperature) {
        ret->has_temperature = true;
        ret->temperature = run->temperature;
    }
    if (run->output_tokens_max)
        ret->output_tokens_max = run->output_tokens_max;
    ret->whole = ret->whole || run->whole;
    number_over(&ret->timeouts.connect_ms, run->timeouts.connect_ms);
    number_over(&ret->timeouts.first_byte_ms, run->timeouts.first_byte_ms);
    number_over(&ret->timeouts.idle_ms, run->timeouts.idle_ms);
    number_over(&ret->timeouts.total_ms, run->timeouts.total_ms);
    return SURETY_OK;
}

static surety_status models_find(struct run *run, struct world *world,
                                 surety_error *reterr)
{
    size_t i, count = run->model_count;
    surety_status status = SURETY_OK;

    while (run->model_count == 0 &&
           surety_config_info_of(world->config)->defaults[count].len)
        count++;
    if (count == 0)
        return misuse(reterr, SURETY_MISUSE, "no model is named",
                      "give models, or a \"default\" in surety.json");
    world->models = calloc(count, sizeof(*world->models));
    if (!world->models)
        return misuse(reterr, SURETY_NOMEM, "out of memory", "");
    for (i = 0; i < count && !status; i++)
        status =
            model_find(run, world, (int64_t)i,
                       run->model_count
                           ? run->models[i].str
                           : surety_config_info_of(world->config)->defaults[i],
                       &world->models[i], reterr);
    run->options.models = world->models;
    run->options.model_count = count;
    if (!status && run->aggregator.str.len) {
        status = model_find(run, world, FUNCTION_AGGREGATOR,
                            run->aggregator.str, &world->aggregator, reterr);
        run->all.aggregator = &world->aggregator;
    }
    return status;
}

/* The members that were not given come from the configuration. */
static surety_status budget_fill(const surety_config *config, surety_str cost,
                                 surety_budget *budget, surety_error *reterr)
{
    surety_budget theirs = *surety_config_info_of(config)->budget;

    if (cost.len &&
        surety_decimal_read(cost, 12, &budget->cost_picousd_max, reterr))
        return reterr->status;
    if (!budget->calls_max)
        budget->calls_max = theirs.calls_max;
    if (!budget->tokens_max)
        budget->tokens_max = theirs.tokens_max;
    if (!budget->ms_max)
        budget->ms_max = theirs.ms_max;
    if (!budget->cost_picousd_max)
        budget->cost_picousd_max = theirs.cost_picousd_max;
    return SURETY_OK;
}

/* What the configuration says, and over it what was given. */
static surety_status spending_fill(struct run *run, const surety_config *config,
                                   surety_error *reterr)
{
    surety_run_options said = run->options;
    surety_backoff *backoff = &run->options.backoff;
    surety_status status =
        budget_fill(config, run->cost.str, &run->options.budget, reterr);

    if (!status && run->consensus)
        status =
            budget_fill(config, run->cost_all.str, &run->all.budget, reterr);
    said.limits = NULL;
    surety_config_run(config, &said);
    run->limits = *said.limits;
    if (run->contract && run->contract->limited)
        limits_over(&run->contract->limits, &run->limits);
    run->options.limits = &run->limits;
    *backoff = said.backoff;
    number_over(&backoff->retries_max, run->backoff.retries_max);
    number_over(&backoff->first_ms, run->backoff.first_ms);
    number_over(&backoff->most_ms, run->backoff.most_ms);
    number_over(&backoff->retry_after_max_ms, run->backoff.retry_after_max_ms);
    run->options.broken_retries_max = said.broken_retries_max;
    number_over(&run->options.broken_retries_max, run->broken_retries_max);
    if (!run->stop_given)
        run->options.stop = said.stop;
    return status;
}

static surety_status ledger_open(struct run *run, struct world *world,
                                 surety_error *reterr)
{
    surety_ledger_options options = {.size = sizeof(options)};
    surety_str url = run->ledger.str;
    surety_status status;

    if (url.len == 0)
        url = surety_config_info_of(world->config)->ledger;
    if (url.len == 0 || surety_str_equal(url, surety_str_of("none")))
        return SURETY_OK;
    options.raw =
        run->ledger_raw || surety_config_info_of(world->config)->ledger_raw;
    run->options.ledger_optional |=
        surety_config_info_of(world->config)->ledger_optional;
    status = surety_ledger_open(url, &options, &world->ledger, reterr);
    if (status && status != SURETY_NOMEM && run->options.ledger_optional)
        return SURETY_OK;
    run->options.ledger = world->ledger;
    return status;
}

static surety_status tools_open(struct run *run, struct world *world,
                                surety_error *reterr)
{
    const surety_tools_options options = {
        .size = sizeof(options),
        .limits = &run->limits,
        .environment = variable,
        .environment_ctx = run,
        .wrap = world->recording || world->record ? wrap : NULL,
        .wrap_ctx = world,
        .cancelled = &run->cancelled};
    const bool has_own = run->toolbox.given || run->consensus;
    surety_status status = toolbox_open(
        &run->toolbox, has_own ? NULL : surety_config_info_of(world->config),
        &options, &run->cancelled, &world->tools, reterr);

    run->options.tools = world->tools;
    return status;
}

static surety_status items_open(struct run *run, struct world *world,
                                surety_error *reterr)
{
    surety_status status;

    if (!run->items_given)
        return SURETY_OK;
    if (!run->options.contract)
        return misuse(reterr, SURETY_MISUSE, "items needs a contract",
                      "the contract says what an element is");
    status = surety_items_new(run->options.contract, run->items.str, NULL,
                              &world->items, reterr);
    run->options.items = world->items;
    return status;
}

/* Whether there is something to report: a recording that could not be written
 * takes no answer away. */
static bool run_has_ended(const struct world *world, surety_status waited)
{
    surety_run_verdict verdict =
        world->run         ? surety_run_info_of(world->run)->verdict
        : world->consensus ? surety_consensus_info_of(world->consensus)->verdict
                           : SURETY_RUN_PENDING;

    return waited == SURETY_OK ||
           (waited == SURETY_IO && verdict != SURETY_RUN_PENDING &&
            verdict != SURETY_RUN_CANCELLED);
}

static surety_status run_wait(struct run *run, struct world *world,
                              surety_error *reterr)
{
    surety_val value = surety_val_none();
    surety_status status, waited;
    int form;

    misuse(reterr, SURETY_NOMEM, "out of memory for the report", "");
    if (run->consensus) {
        run->all.run = &run->options;
        status = surety_consensus_new(&run->all, &world->consensus, reterr);
        if (!status)
            status = surety_consensus_wait(world->consensus, &run->cancelled,
                                           reterr);
    } else {
        status = surety_run_new(&run->options, &world->run, reterr);
        if (!status)
            status = surety_run_wait(world->run, &run->cancelled, reterr);
    }
    waited = status;
    if (run_has_ended(world, waited))
        status = SURETY_OK;
    if (!status && world->run)
        status = surety_run_write_log(world->run, false, &run->log);
    if (!status && world->run)
        status = messages_write(world->run, &run->limits, &run->conversation,
                                reterr);
    if (!status && world->run)
        value = surety_outcome_info_of(surety_run_info_of(world->run)->outcome)
                    ->value;
    else if (!status)
        value = surety_consensus_info_of(world->consensus)->value;
    if (value.doc)
        status = surety_val_write(value, SURETY_STYLE_COMPACT, &run->value);
    for (form = 0; form < FORMS && !status; form++) {
        if (world->run)
            status = surety_run_write(world->run, (surety_report)form,
                                      run->source.str, &run->reports[form]);
        else if (form <= SURETY_REPORT_COLOR) /* and no others */
            status = surety_consensus_write(
                world->consensus, (surety_report)form, &run->reports[form]);
    }
    run->reported = !status;
    return status ? status : waited;
}

static void *run_main(void *argument)
{
    struct run *run = argument;
    struct world world = {0};
    surety_error *error = &run->error;

    run->status = config_open(run, &world, error);
    if (!run->status)
        run->status = functions_open(run, &world, error);
    if (!run->status)
        run->status = models_find(run, &world, error);
    if (!run->status)
        run->status = spending_fill(run, world.config, error);
    if (!run->status)
        run->status = ledger_open(run, &world, error);
    if (!run->status)
        run->status = tools_open(run, &world, error);
    if (!run->status)
        run->status = messages_read(run->messages.str, &run->options,
                                    &world.conversation, error);
    if (!run->status)
        run->status = items_open(run, &world, error);
    if (!run->status)
        run->status = run_wait(run, &world, error);
    surety_consensus_free(world.consensus);
    surety_run_free(world.run);
    surety_items_free(world.items);
    surety_tools_free(world.tools);
    surety_conversation_free(world.conversation);
    surety_ledger_close(world.ledger);
    if (world.transport)
        world.transport->close(world.transport->ctx);
    surety_config_free(world.config);
    surety_recording_free(world.recording);
    free(world.models);
    if (world.record && fclose(world.record) && !run->status)
        run->status =
            misuse(error, SURETY_IO, "the recording cannot be written",
                   "see whether the disk is full");
    if (!run->deaf &&
        !napi_call_threadsafe_function(run->tell, NULL, napi_tsfn_nonblocking))
        napi_release_threadsafe_function(run->tell, napi_tsfn_release);
    return NULL;
}

/* ---- in JavaScript's thread -------------------------------------------- */

static void run_join(struct run *run)
{
    if (!run->joined)
        pthread_join(run->thread, NULL);
    run->joined = true;
}

/* The environment ends: nothing of it may be touched from here on. */
static void run_end(void *argument)
{
    struct run *run = argument;

    run->cancelled = 1;
    run_join(run);
}

static bool undefined_make(napi_env env, napi_value *ret)
{
    return !napi_get_undefined(env, ret);
}

/* The arguments that tell the end: -1, the error or undefined, and the reports,
 * the log, the value and the conversation, or undefined where the run has no
 * verdict. */
static bool end_make(napi_env env, struct run *run, napi_value *arguments)
{
    surety_buf *written[FORMS + 3] = {
        [FORMS] = &run->log, &run->value, &run->conversation};
    napi_value text;
    uint32_t i;

    napi_remove_env_cleanup_hook(env, run_end, run);
    run_join(run);
    if (napi_create_int32(env, -1, &arguments[0]))
        return false;
    if (run->status)
        arguments[1] = error_make(env, &run->error);
    else if (!undefined_make(env, &arguments[1]))
        return false;
    if (!arguments[1])
        return false;
    if (!run->reported)
        return undefined_make(env, &arguments[2]);
    if (napi_create_array_with_length(env, FORMS, &arguments[2]))
        return false;
    for (i = 0; i < FORMS; i++)
        written[i] = &run->reports[i];
    for (i = 0; i < FORMS + 3; i++) {
        text = string_make(env, surety_buf_str(written[i]));
        surety_buf_done(written[i]);
        if (!text || napi_set_element(env, arguments[2], i, text))
            return false;
    }
    return true;
}

/* The arguments that tell a note: its kind, number, text, member, tool and
 * call. */
static bool note_make(napi_env env, const struct note *note,
                      napi_value *arguments)
{
    arguments[2] = string_make(env, note->text);
    arguments[4] = string_make(env, note->tool);
    arguments[5] = string_make(env, note->call);
    return arguments[2] && arguments[4] && arguments[5] &&
           !napi_create_int32(env, note->kind, &arguments[0]) &&
           !napi_create_uint32(env, note->number, &arguments[1]) &&
           (note->member == SIZE_MAX
                ? undefined_make(env, &arguments[3])
                : !napi_create_double(env, (double)note->member,
                                      &arguments[3]));
}

/* Calls the callback, which throws nothing: index.cjs catches what its users'
 * throw. What is pending after it is the end of a worker. */
static void message_give(napi_env env, napi_value callback, void *context,
                         void *data)
{
    const struct message *message = data;
    napi_value arguments[6], receiver, result;

    if (env && callback && undefined_make(env, &receiver) &&
        (message ? note_make(env, &message->note, arguments)
                 : end_make(env, context, arguments)))
        napi_call_function(env, receiver, callback, message ? 6 : 3, arguments,
                           &result);
    free(data);
}

static void tell_end(napi_env env, void *data, void *hint)
{
    (void)env;
    (void)hint;
    shared_drop(data);
}

static uint32_t count_take(napi_env env, napi_value object, const char *name)
{
    return (uint32_t)number_take(env, object, name, 0);
}

/* The budget of that name; its money as the text that it is. */
static bool budget_take(napi_env env, napi_value spec, const char *name,
                        surety_budget *ret, struct bytes *ret_cost)
{
    napi_value budget;

    *ret = (surety_budget){0};
    if (!member_take(env, spec, name, &budget))
        return true;
    ret->calls_max = count_take(env, budget, "calls");
    ret->tokens_max = (uint64_t)number_take(env, budget, "tokens", 0);
    ret->ms_max = (uint64_t)number_take(env, budget, "ms", 0);
    return text_take(env, budget, "cost", ret_cost);
}

/* What is said of every model, and how broken calls are repeated. */
static void models_take(napi_env env, napi_value spec, struct run *run)
{
    napi_value value;

    run->mode = (surety_mode)count_take(env, spec, "mode");
    run->output_tokens_max = count_take(env, spec, "outputTokens");
    run->whole = flag_take(env, spec, "whole");
    run->has_temperature =
        member_take(env, spec, "temperature", &value) &&
        !napi_get_value_double(env, value, &run->temperature);
    if (member_take(env, spec, "timeouts", &value))
        run->timeouts = (surety_timeouts){count_take(env, value, "connect"),
                                          count_take(env, value, "firstByte"),
                                          count_take(env, value, "idle"),
                                          count_take(env, value, "total")};
    if (member_take(env, spec, "backoff", &value)) {
        run->backoff = (surety_backoff){
            (uint32_t)number_take(env, value, "retries", 0),
            count_take(env, value, "first"), count_take(env, value, "most"),
            count_take(env, value, "retryAfterMax")};
        if (number_take(env, value, "retries", -1) == 0)
            run->backoff.retries_max = SURETY_RUN_NONE;
        run->broken_retries_max = count_take(env, value, "broken");
        if (number_take(env, value, "broken", -1) == 0)
            run->broken_retries_max = SURETY_RUN_NONE;
    }
}

static bool options_take(napi_env env, napi_value spec, struct run *run)
{
    surety_run_options *options = &run->options;
    napi_value value;
    int64_t number;

    *options = (surety_run_options){.size = sizeof(*options)};
    run->prompt_options = (surety_prompt_options){
        .size = sizeof(run->prompt_options),
        .style = (surety_prompt_style)count_take(env, spec, "style")};
    options->prompt_options = &run->prompt_options;
    options->instruct_system = flag_take(env, spec, "instructSystem");
    options->commit = flag_take(env, spec, "commit");
    options->keep_reasks = flag_take(env, spec, "keepReasks");
    options->values = flag_take(env, spec, "values");
    run->items_given = flag_take(env, spec, "itemsGiven");
    options->steps_max = count_take(env, spec, "stepsMax");
    options->tool_calls_max = count_take(env, spec, "toolCallsMax");
    options->ledger_optional = flag_take(env, spec, "ledgerOptional");
    run->ledger_raw = flag_take(env, spec, "ledgerRaw");
    run->replay_given = flag_take(env, spec, "replayGiven");
    run->config_given = flag_take(env, spec, "configGiven");
    number = number_take(env, spec, "retries", -1);
    options->retry_max = number == 0  ? SURETY_RUN_NONE
                         : number > 0 ? (uint32_t)number
                                      : 0;
    number = number_take(env, spec, "feedback", -1);
    options->has_feedback = number >= 0;
    if (options->has_feedback)
        options->feedback = (surety_feedback)number;
    number = number_take(env, spec, "stop", -1);
    run->stop_given = number >= 0;
    if (run->stop_given)
        options->stop = (surety_stop)number;
    number = number_take(env, spec, "consensus", -1);
    run->consensus = number >= 0;
    run->all = (surety_consensus_options){
        .size = sizeof(run->all),
        .kind = (surety_consensus_kind)(run->consensus ? number : 0),
        .quorum = count_take(env, spec, "quorum")};
    if (!member_take(env, spec, "contract", &value))
        return true;
    run->contract = handle_take(env, value, &contract_tag);
    if (!run->contract)
        return false;
    run->contract->base.holders++;
    options->contract = run->contract->contract;
    return true;
}

static bool spec_take(napi_env env, napi_value spec, struct run *run)
{
    napi_value judging;
    size_t i;

    for (i = 0; i < TEXT_ROWS; i++)
        if (!text_take(env, spec, text_rows[i].name, text_at(run, i)))
            return false;
    if (!options_take(env, spec, run) ||
        !budget_take(env, spec, "budget", &run->options.budget, &run->cost) ||
        !budget_take(env, spec, "budgetAll", &run->all.budget,
                     &run->cost_all) ||
        !toolbox_take(env, spec, &run->asking, &run->toolbox) ||
        !functions_take(env, spec, &run->functions) ||
        !texts_take(env, spec, "models", &run->models, &run->model_count) ||
        !texts_take(env, spec, "environment", &run->environment,
                    &run->environment_count))
        return false;
    models_take(env, spec, run);
    run->options.prompt = run->prompt.str;
    run->options.system = run->system.str;
    run->prompt_options.instructions = run->instructions.str;
    run->prompt_options.reask = run->reask.str;
    run->prompt_options.system = run->system_template.str;
    run->prompt_options.examples = run->examples.str;
    if (member_take(env, spec, "judging", &judging)) {
        if (!judging_take(env, judging, &run->judging))
            return false;
        run->options.judge = &run->judging.options;
        run->validator = asker_validator(&run->asker);
        run->judging.options.validators = &run->validator;
    }
    return true;
}

/* Starts the thread, in which no signal is handled. */
static bool run_begin(napi_env env, struct run *run)
{
    sigset_t all, before;
    int failed;

    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before))
        return fail_status(env, SURETY_IO, "no thread can be started");
    failed = pthread_create(&run->thread, NULL, run_main, run);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed)
        return fail_status(env, SURETY_IO, "no thread can be started");
    return true;
}

/* runStart(spec, callback): the run's handle. The callback hears (kind, number,
 * text, member, tool, call) of each event and question, and at the end (-1,
 * error, reports). */
static napi_value run_start(napi_env env, napi_callback_info info)
{
    napi_value arguments[2], name, handle;
    struct run *run;
    int i;

    if (!arguments_take(env, info, 2, arguments))
        return NULL;
    run = calloc(1, sizeof(*run));
    if (!run)
        return fail_status(env, SURETY_NOMEM, "out of memory");
    run->base = (struct shared){1, run_free};
    for (i = 0; i < FORMS; i++)
        surety_buf_init(&run->reports[i], NULL, 0);
    surety_buf_init(&run->log, NULL, 0);
    surety_buf_init(&run->value, NULL, 0);
    surety_buf_init(&run->conversation, NULL, 0);
    asking_init(&run->asking);
    run->asking.post = post;
    run->asking.ctx = run;
    functions_init(&run->functions);
    run->functions.post = post;
    run->functions.ctx = run;
    run->asker = (struct asker){&run->asking, SIZE_MAX};
    if (!spec_take(env, arguments[0], run)) {
        shared_drop(&run->base);
        return NULL;
    }
    run->options.event = heard;
    run->options.event_ctx = run;
    run->all.event = heard_member;
    run->all.event_ctx = run;
    handle = handle_make(env, &run->base, &run_tag, 65536);
    if (!handle)
        return NULL;
    if (napi_create_string_utf8(env, "surety", 6, &name) ||
        napi_create_threadsafe_function(env, arguments[1], NULL, name, 0, 1,
                                        run, tell_end, run, message_give,
                                        &run->tell))
        return fail_node(env);
    run->base.holders++;
    run->joined = true;
    if (!run_begin(env, run)) {
        napi_release_threadsafe_function(run->tell, napi_tsfn_abort);
        return NULL;
    }
    run->joined = false;
    napi_add_env_cleanup_hook(env, run_end, run);
    return handle;
}

/* runAnswer(run, id, text, failed): the answer to a question: the issues of the
 * validators, a tool's result, or why it failed. */
static napi_value run_answer(napi_env env, napi_callback_info info)
{
    struct bytes text = {{NULL, 0}, NULL};
    napi_value arguments[4];
    bool failed = false;
    struct run *run;
    uint32_t id;

    if (!arguments_take(env, info, 4, arguments) ||
        !(run = handle_take(env, arguments[0], &run_tag)))
        return NULL;
    if (napi_get_value_uint32(env, arguments[1], &id) ||
        napi_get_value_bool(env, arguments[3], &failed))
        return fail_node(env);
    if (bytes_take(env, arguments[2], &text))
        asking_answer(&run->asking, id, text.str, failed);
    bytes_drop(&text);
    return NULL;
}

/* runGive(run, number, { status, retryAfter, text, ended, failure, message }):
 * what the function of a model gives for a request. False: no more is
 * wanted. */
static napi_value run_give(napi_env env, napi_callback_info info)
{
    struct bytes text = {{NULL, 0}, NULL}, retry_after = text, message = text;
    napi_value arguments[3], wanted = NULL;
    struct gift gift = {0};
    struct run *run;
    uint32_t number;

    if (!arguments_take(env, info, 3, arguments) ||
        !(run = handle_take(env, arguments[0], &run_tag)))
        return NULL;
    if (napi_get_value_uint32(env, arguments[1], &number))
        return fail_node(env);
    gift.status = (int)number_take(env, arguments[2], "status", 0);
    gift.ended = flag_take(env, arguments[2], "ended");
    gift.failure = (surety_failure)number_take(env, arguments[2], "failure", 0);
    if (text_take(env, arguments[2], "text", &text) &&
        text_take(env, arguments[2], "retryAfter", &retry_after) &&
        text_take(env, arguments[2], "message", &message)) {
        gift.text = text.str;
        gift.retry_after = retry_after.str;
        gift.message = message.str;
        if (napi_get_boolean(
                env, functions_give(&run->functions, number, &gift), &wanted))
            wanted = fail_node(env);
    }
    bytes_drop(&text);
    bytes_drop(&retry_after);
    bytes_drop(&message);
    return wanted;
}

/* failureName(i): the name of a class of failure; undefined past the last. */
static napi_value failure_name(napi_env env, napi_callback_info info)
{
    napi_value argument;
    uint32_t i;

    if (!arguments_take(env, info, 1, &argument))
        return NULL;
    if (napi_get_value_uint32(env, argument, &i))
        return fail_node(env);
    return i < SURETY_FAILURE_COUNT
               ? string_make(
                     env, surety_str_of(surety_failure_name((surety_failure)i)))
               : NULL;
}

/* runCancel(run) */
static napi_value run_cancel(napi_env env, napi_callback_info info)
{
    napi_value argument;
    struct run *run;

    if (arguments_take(env, info, 1, &argument) &&
        (run = handle_take(env, argument, &run_tag)))
        run->cancelled = 1;
    return NULL;
}

bool run_add(napi_env env, napi_value exports)
{
    return method_add(env, exports, "runStart", run_start) &&
           method_add(env, exports, "runAnswer", run_answer) &&
           method_add(env, exports, "runGive", run_give) &&
           method_add(env, exports, "failureName", failure_name) &&
           method_add(env, exports, "runCancel", run_cancel);
}
