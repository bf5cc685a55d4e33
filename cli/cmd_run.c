/* SPDX-License-Identifier: Apache-2.0 */
/* surety run: sends a prompt and writes a checked value. This file is the
 * sequence of the command: settings, contract, prompt, configuration, models,
 * ledger, the run, and its result. Values go to standard output; reports and
 * all other messages go to standard error. */
#include "commands.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "configuration.h"
#include "diag.h"
#include "input.h"
#include "memory.h"
#include "run_consensus.h"
#include "run_dry.h"
#include "run_messages.h"
#include "run_settings.h"
#include "run_watch.h"
#include "run_world.h"
#include "toolset.h"

#define RECORDING_MAX ((size_t)256 << 20)

/* One execution of the command. Begins zeroed; job_done frees it in every
 * state. */
struct job {
    struct cli *cli;
    const struct run_settings *settings;
    struct run_numbers numbers;
    surety_contract *contract;
    struct session session; /* initialised only if has_session */
    bool has_session;
    surety_str system, prompt;
    surety_conversation *conversation; /* before the prompt; NULL: none */
    char *system_read, *prompt_read;   /* those texts that were read from a
                                        * file */
    surety_recording *recording;       /* from --replay */
    struct record_file record;
    struct validator_bounds bounds; /* its environment names go to exec models
                                     * too */
    struct toolset_world tools_world;
    surety_tools *tools; /* from --tools and --mcp */
    surety_items *items; /* from --items */
    surety_config *config;
    surety_model *models;
    struct watched *watched; /* one for each model */
    size_t model_count;
    surety_model aggregator; /* from --aggregator */
    struct run_watch watch;
    struct run_dry dry;
    surety_budget budget;
    surety_ledger *ledger;
    bool ledger_optional;
    struct words words;
    surety_run *run;
    struct run_consensus consensus;
};

/* ---- prompt and contract ------------------------------------------------- */

/* Checks that a part of a text is UTF-8. */
static surety_status check_part(surety_str part)
{
    surety_doc *doc = surety_doc_new(NULL);
    surety_status status = SURETY_NOMEM;

    if (doc) {
        surety_build_begin(doc, NULL);
        surety_build_str(doc, part);
        status = surety_build_end(doc, NULL);
    }
    surety_doc_free(doc);
    return status;
}

/* Checks that a text is UTF-8; bytes that are not would fail later, with a less
 * clear message. The text is checked in parts that end with a whole character,
 * because a prompt may be longer than a JSON string may be. */
static bool job_is_text(struct job *job, surety_str text, const char *what)
{
    enum { PART = 1 << 20, CONTINUED = 3 };
    surety_status status = SURETY_OK;

    while (status == SURETY_OK && text.len > 0) {
        size_t len = text.len < PART ? text.len : PART;

        for (int i = 0; i < CONTINUED && len < text.len &&
                        ((unsigned char)text.ptr[len] & 0xC0) == 0x80;
             i++)
            len--;
        status = check_part((surety_str){text.ptr, len});
        text = (surety_str){text.ptr + len, text.len - len};
    }
    if (status == SURETY_NOMEM)
        cli_nomem(job->cli);
    else if (status != SURETY_OK)
        cli_fail(job->cli, CODE_USAGE, NULL, "the %s is not text in UTF-8",
                 what);
    return status == SURETY_OK;
}

/* Gives a text that was given directly, as @FILE, or as "-" for standard input.
 * If it was read, *ret_read has its memory. False: the message is written. */
static bool job_text_of(struct job *job, const char *given,
                        surety_str *ret_text, char **ret_read)
{
    if (given && !job->settings->session.quiet)
        cli_invite(job->cli, given, "the prompt");
    if (!cli_text(job->cli, given, true, ret_text, ret_read))
        return false;
    /* Line feeds at the end of a file are not part of a prompt. */
    while (*ret_read && ret_text->len > 0 &&
           memchr("\r\n", ret_text->ptr[ret_text->len - 1], 2))
        ret_text->len--;
    return true;
}

static bool job_texts(struct job *job, const struct operands *operands)
{
    const bool is_given = run_messages_given(&job->settings->conversation);
    const char *prompt = operands->count ? operands->items[0]
                         : is_given      ? NULL
                                         : "-";

    if (!job_text_of(job, job->settings->system, &job->system,
                     &job->system_read) ||
        !job_text_of(job, prompt, &job->prompt, &job->prompt_read))
        return false;
    if (job->prompt.len > 0 || !prompt)
        return job_is_text(job, job->prompt, "prompt") &&
               job_is_text(job, job->system, "system prompt");
    return cli_usage(job->cli, "write it as an argument, or to standard input",
                     "the prompt is empty");
}

static bool job_words(struct job *job)
{
    job->words.options = (surety_prompt_options){
        .size = sizeof(job->words.options),
        .style = (surety_prompt_style)job->settings->style};
    return words_read(&job->words, job->cli, &job->settings->words,
                      job->contract);
}

static bool job_contract(struct job *job)
{
    const struct session_settings *settings = &job->settings->session;

    if (!settings->contract) {
        /* Without a contract the session judges nothing; only its report form
         * is used. */
        job->has_session = true;
        job->session.cli = job->cli;
        job->session.settings = settings;
        surety_buf_init(&job->session.results, NULL, 0);
        surety_buf_init(&job->session.notifications, NULL, 0);
        return true;
    }
    job->contract = session_contract(job->cli, settings);
    if (!job->contract)
        return false;
    job->has_session = true;
    if (!session_init(&job->session, job->cli, settings, job->contract))
        return false;
    job->session.validators.is_stepped = true;
    return true;
}

static bool job_items(struct job *job)
{
    const char *location = job->settings->session.items;
    surety_error error;
    surety_status status;

    if (!location)
        return true;
    status = surety_items_new(job->contract, surety_str_of(location), NULL,
                              &job->items, &error);
    return status == SURETY_OK ||
           cli_fail_error(job->cli, cli_code_of(status, CODE_USAGE), &error);
}

static bool job_messages(struct job *job)
{
    struct messages_settings settings = job->settings->conversation;

    settings.quiet = job->settings->session.quiet;
    return run_messages_read(job->cli, &settings, &job->conversation);
}

/* ---- models -------------------------------------------------------------- */

static bool job_recording(struct job *job)
{
    const char *path = job->settings->replay;
    surety_str text = {NULL, 0};
    surety_error error;
    surety_status status;

    if (!path)
        return true;
    if (!cli_read(job->cli, path, (struct input_bound){RECORDING_MAX, NULL},
                  CODE_USAGE, &text))
        return false;
    status = surety_recording_read(text, NULL, &job->recording, &error);
    free((char *)text.ptr);
    if (status == SURETY_OK)
        return true;
    return cli_report(job->cli, cli_code_of(status, CODE_USAGE), path, NO_TEXT,
                      &error);
}

static bool job_tools(struct job *job)
{
    const struct run_settings *settings = job->settings;

    const surety_config_info *config = surety_config_info_of(job->config);
    const bool none = settings->tools && strcmp(settings->tools, "none") == 0;

    if (!settings->servers.count &&
        (none || (!settings->tools && !config->tools.len)))
        return true;
    job->tools_world = (struct toolset_world){
        .replay = job->recording,
        .record = settings->record ? &job->record : NULL};
    job->tools = toolset_open(job->cli, none ? NULL : settings->tools,
                              none ? NULL : config, &settings->servers,
                              &job->tools_world);
    return job->tools != NULL;
}

static bool job_config(struct job *job)
{
    const struct run_settings *settings = job->settings;
    surety_config_options options = {.size = sizeof(options),
                                     .keyless = settings->dry_run,
                                     .replay = job->recording};

    if (!validator_bounds_read(&job->bounds, job->cli,
                               &settings->session.validator))
        return false;
    options.exec_environment = job->bounds.environment;
    options.exec_environment_count = job->bounds.environment_count;
    if (settings->record) {
        options.record = record_file_write;
        options.record_ctx = &job->record;
    }
    job->config = configuration_open(job->cli, settings->config, &options);
    return job->config != NULL;
}

/* Returns the i-th model's name; empty past the last. */
static surety_str job_model_name(const struct job *job, size_t i)
{
    const struct texts *given = &job->settings->models;

    if (given->count == 0)
        return surety_config_info_of(job->config)->defaults[i];
    return surety_str_of(i < given->count ? given->items[i] : NULL);
}

static uint32_t choose(uint64_t given, uint32_t otherwise)
{
    assert(given <= UINT32_MAX);
    return given ? (uint32_t)given : otherwise;
}

/* Applies the settings of the command line to a model of the configuration. */
static void job_change_model(const struct job *job, surety_model *model)
{
    const struct run_settings *settings = job->settings;
    const struct run_numbers *numbers = &job->numbers;
    surety_timeouts *timeouts = &model->timeouts;

    if (settings->mode)
        model->mode = (surety_mode)(settings->mode - 1);
    if (settings->no_stream)
        model->whole = true;
    if (settings->temperature) {
        model->has_temperature = true;
        model->temperature = (double)numbers->temperature_millionths / 1e6;
    }
    model->output_tokens_max =
        choose(numbers->output_tokens, model->output_tokens_max);
    timeouts->connect_ms = choose(numbers->connect_ms, timeouts->connect_ms);
    timeouts->first_byte_ms =
        choose(numbers->first_byte_ms, timeouts->first_byte_ms);
    timeouts->idle_ms = choose(numbers->idle_ms, timeouts->idle_ms);
    timeouts->total_ms = choose(numbers->total_ms, timeouts->total_ms);
}

/* Finds the model of --aggregator. */
static bool job_aggregator(struct job *job)
{
    const char *name = job->settings->aggregator;
    const surety_model *model;

    if (!name)
        return true;
    model = configuration_model(job->cli, job->config, surety_str_of(name));
    if (!model)
        return false;
    job->aggregator = *model;
    job_change_model(job, &job->aggregator);
    return true;
}

static bool job_models(struct job *job)
{
    const struct texts *given = &job->settings->models;
    size_t count = 0;

    while (job_model_name(job, count).len > 0)
        count++;
    if (count < given->count)
        return cli_usage(job->cli, "such as -m ollama:llama3.2",
                         "the model of an -m is empty");
    if (count == 0)
        return cli_usage(
            job->cli,
            "such as -m ollama:llama3.2, or \"default\" in surety.json",
            "name the model with -m");
    job->models = calloc(count, sizeof(*job->models));
    job->watched = calloc(count, sizeof(*job->watched));
    if (!job->models || !job->watched)
        return cli_nomem(job->cli);
    for (size_t i = 0; i < count; i++) {
        const surety_model *found =
            configuration_model(job->cli, job->config, job_model_name(job, i));
        surety_model *model = &job->models[i];
        if (!found)
            return false;
        *model = *found;
        job_change_model(job, model);
        assert(model->transport);
        /* One that shows the request, or one that updates the progress line and
         * then calls the model's. */
        if (job->settings->dry_run) {
            model->transport = &job->dry.transport;
        } else if (job->watch.moves) {
            watched_init(&job->watched[i], model->transport, &job->watch);
            model->transport = &job->watched[i].transport;
        }
    }
    job->model_count = count;
    return job_aggregator(job);
}

/* ---- budget and ledger --------------------------------------------------- */

static void job_budget(struct job *job)
{
    const struct run_numbers *given = &job->numbers;
    surety_budget *budget = &job->budget;

    *budget = *surety_config_info_of(job->config)->budget;
    budget->calls_max = choose(given->calls, budget->calls_max);
    if (given->tokens)
        budget->tokens_max = given->tokens;
    if (given->ms)
        budget->ms_max = given->ms;
    if (given->cost_picousd)
        budget->cost_picousd_max = given->cost_picousd;
}

/* Opens the ledger at url. If the ledger is optional and cannot be opened,
 * writes a warning. */
static bool job_open_ledger(struct job *job, surety_str url)
{
    const surety_ledger_options options = {
        .size = sizeof(options),
        .raw = job->settings->ledger_raw ||
               surety_config_info_of(job->config)->ledger_raw};
    struct diag diag = {.source = surety_str_of("surety run")};
    char message[400];
    surety_error error;

    if (surety_ledger_open(url, &options, &job->ledger, &error) == SURETY_OK)
        return true;
    snprintf(message, sizeof(message), "the ledger cannot be used: %s",
             error.message);
    diag.level = job->ledger_optional ? DIAG_WARNING : DIAG_ERROR;
    diag.message = surety_str_of(message);
    diag.hint = surety_str_of(error.hint);
    diag_write(&job->cli->err.buf, job->cli->color, &diag);
    if (!job->ledger_optional) {
        surety_buf_text(&job->cli->err.buf,
                        "      = hint: --ledger none goes without\n");
        cli_raise(job->cli, CODE_WORLD);
    }
    return job->ledger_optional;
}

static bool job_ledger(struct job *job)
{
    const char *given = job->settings->ledger;
    surety_str url = given ? surety_str_of(given)
                           : surety_config_info_of(job->config)->ledger;
    surety_buf place;
    bool is_open = true;

    job->ledger_optional = job->settings->ledger_optional ||
                           surety_config_info_of(job->config)->ledger_optional;
    if (given && url.len == 0)
        return cli_usage(job->cli, NULL, "--ledger needs a place, or none");
    if (job->settings->dry_run || surety_str_equal(url, surety_str_of("none")))
        return true;
    surety_buf_init(&place, NULL, 0);
    if (url.len == 0) {
        is_open = configuration_ledger(job->cli, job->ledger_optional, &place);
        url = surety_buf_str(&place);
    }
    if (is_open)
        is_open = job_open_ledger(job, url);
    else
        is_open = job->ledger_optional;
    surety_buf_done(&place);
    return is_open;
}

/* ---- the run ------------------------------------------------------------- */

static surety_run_options job_options(struct job *job)
{
    const struct run_settings *settings = job->settings;
    surety_run_options options = {
        .size = sizeof(options),
        .contract = job->contract,
        .system = job->system,
        .prompt = job->prompt,
        .instruct_system = settings->instruct_system,
        .prompt_options = &job->words.options,
        .judge = job->contract ? &job->session.options : NULL,
        .models = job->models,
        .model_count = job->model_count,
        .retry_max = !settings->retries     ? 0
                     : job->numbers.retries ? (uint32_t)job->numbers.retries
                                            : SURETY_RUN_NONE,
        .commit = settings->session.commit,
        .has_feedback = settings->feedback != 0,
        .feedback = (surety_feedback)(settings->feedback - 1),
        .ledger = job->ledger,
        .ledger_optional = job->ledger_optional,
        .tag = surety_str_of(settings->tag ? settings->tag : ""),
        .event = run_watch_event,
        .event_ctx = &job->watch,
        .limits = &job->cli->limits,
        .tools = job->tools,
        .steps_max = (uint32_t)job->numbers.steps,
        .tool_calls_max = (uint32_t)job->numbers.tool_calls,
        .values = settings->session.values,
        .items = job->items};

    if (job->conversation)
        options.messages = surety_conversation_messages(job->conversation,
                                                        &options.message_count);
    surety_config_run(job->config, &options);
    options.budget = job->budget;
    if (settings->stop)
        options.stop = (surety_stop)(settings->stop - 1);
    if (!options.has_feedback)
        options.feedback = SURETY_FEEDBACK_ERRORS;
    return options;
}

static void job_consensus(struct job *job)
{
    job->consensus = (struct run_consensus){
        .cli = job->cli,
        .settings = job->settings,
        .session = &job->session,
        .watch = &job->watch,
        .run = job_options(job),
        .budget = job->budget,
        .aggregator = job->settings->aggregator ? &job->aggregator : NULL,
        .quorum = (uint32_t)job->numbers.quorum};
    run_consensus_go(&job->consensus);
}

static bool job_run(struct job *job)
{
    const struct run_settings *settings = job->settings;
    const surety_run_options options = job_options(job);
    surety_error error;
    surety_status status;

    status = surety_run_new(&options, &job->run, &error);
    if (status != SURETY_OK)
        return cli_fail_error(job->cli, cli_code_of(status, CODE_USAGE),
                              &error);
    job->watch.run = job->run;
    status = surety_run_wait(
        job->run, settings->dry_run ? &job->dry.is_shown : signals_caught(),
        &error);
    run_watch_done(&job->watch);
    if (status == SURETY_OK)
        return true;
    cli_fail_error(job->cli, cli_code_of(status, CODE_PROVIDER), &error);
    /* If the run has ended with its own verdict, a failure of wait does not
     * change it. */
    return surety_run_info_of(job->run)->verdict != SURETY_RUN_CANCELLED;
}

/* ---- results ------------------------------------------------------------- */

static void job_value(struct job *job, int code)
{
    if (code == CODE_VALID && (job->items || job->settings->session.values))
        return; /* it was printed as it came */
    if (code == CODE_VALID && job->contract)
        session_value(&job->session, surety_run_info_of(job->run)->outcome);
    else if (code == CODE_VALID)
        output_text(&job->cli->out, surety_run_info_of(job->run)->reply_last);
    else if (code == CODE_INVALID && job->settings->session.not_strict)
        surety_buf_text(&job->cli->out.buf, "null\n");
    else
        cli_raise(job->cli, code);
}

/* Removes the log of decisions if it was already shown during the run. */
static void job_cut_log(const struct job *job, bool color, surety_buf *out)
{
    surety_buf log;

    surety_buf_init(&log, NULL, 0);
    surety_run_write_log(job->run, color, &log);
    if (log.len > 0 && out->len >= log.len &&
        memcmp(out->ptr + out->len - log.len, log.ptr, log.len) == 0)
        out->len -= log.len;
    surety_buf_done(&log);
}

/* Without reports (--quiet), still writes a failure that is not about a
 * reply. */
static void job_failure(struct job *job, int code)
{
    const surety_run_info *info = surety_run_info_of(job->run);
    char hint[sizeof(((surety_error *)0)->hint)];

    if (code < CODE_PROVIDER)
        return;
    snprintf(hint, sizeof(hint), "%.*s", (int)info->hint.len, info->hint.ptr);
    cli_fail(job->cli, code, hint, "%.*s", (int)info->message.len,
             info->message.ptr);
}

/* Writes the report in the chosen form; a text report is written only if it has
 * content. */
static void job_report(struct job *job, int code)
{
    const struct session_settings *settings = &job->settings->session;
    const surety_report form = session_form(&job->session);
    const bool is_text =
        form == SURETY_REPORT_TEXT || form == SURETY_REPORT_COLOR;
    const bool is_sarif = form == SURETY_REPORT_SARIF;
    surety_buf *out = is_sarif ? &job->session.results : &job->cli->err.buf;
    surety_str source = job->models[job->model_count - 1].name;
    const size_t attempts = surety_run_info_of(job->run)->attempt_count;

    assert(job->model_count > 0);
    if (settings->quiet) {
        job_failure(job, code);
        return;
    }
    if (attempts > 0)
        source = surety_run_attempt(job->run, attempts - 1).model->name;
    surety_run_write(job->run, form, source, out);
    if (form == SURETY_REPORT_JSON)
        session_warnings(job->cli, out);
    if (is_text && job->settings->verbose)
        job_cut_log(job, form == SURETY_REPORT_COLOR, out);
    if (!is_text && !is_sarif && out->len > 0 && out->ptr[out->len - 1] != '\n')
        surety_buf_byte(out, '\n');
}

static void job_result(struct job *job)
{
    const surety_run_info *info = surety_run_info_of(job->run);
    const int code = run_code(info->verdict, info->outcome != NULL);

    if (job->settings->dry_run && job->dry.is_shown)
        return;
    if (job->cli->out.error)
        return; /* main reports it */
    if (job->settings->verbose && job->ledger)
        put_format(&job->cli->err.buf, "surety run: recorded as run %.*s\n",
                   (int)info->id.len, info->id.ptr);
    job_report(job, code);
    job_value(job, code);
    run_messages_save(job->cli, job->run, job->settings->conversation.save);
}

static void job_done(struct job *job)
{
    if (job->has_session)
        session_done(&job->session);
    surety_run_free(job->run);
    surety_items_free(job->items);
    run_consensus_done(&job->consensus);
    surety_ledger_close(job->ledger);
    surety_config_free(job->config);
    surety_tools_free(job->tools);
    surety_recording_free(job->recording);
    record_file_close(&job->record);
    surety_contract_free(job->contract);
    free(job->models);
    free(job->watched);
    validator_bounds_done(&job->bounds);
    surety_conversation_free(job->conversation);
    free(job->system_read);
    free(job->prompt_read);
    words_done(&job->words);
    secrets_release();
}

/* Checks that standard output can be written. */
static bool job_output(struct job *job)
{
    const int flags = fcntl(job->cli->out.fd, F_GETFL);

    if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY)
        return true;
    return cli_fail(job->cli, CODE_WORLD, NULL,
                    "standard output cannot be written, so the answer could "
                    "not be printed");
}

/* Does every step before the run; false: the message is written. */
static bool job_begin(struct job *job, const struct operands *operands)
{
    struct cli *cli = job->cli;
    const struct run_settings *settings = job->settings;

    if (!run_is_consistent(cli, settings, operands) ||
        !run_numbers_read(cli, settings, &job->numbers))
        return false;
    job->watch = (struct run_watch){.verbose = settings->verbose,
                                    .show_prompt = settings->show_prompt,
                                    .show_reply = settings->show_reply};
    run_watch_init(&job->watch, cli,
                   settings->session.quiet || settings->dry_run ||
                       settings->consensus);
    secrets_guard();
    /* The configuration comes first, because it sets the limits for reading. */
    if (!job_recording(job) || !job_config(job) || !job_contract(job) ||
        !job_items(job) || !job_models(job))
        return false;
    job_budget(job);
    run_dry_init(
        &job->dry, cli, &job->models[0], &job->budget,
        settings->session.style == STYLE_COMPACT ||
                (settings->session.style == STYLE_UNSET && !isatty(cli->out.fd))
            ? SURETY_STYLE_COMPACT
            : SURETY_STYLE_PRETTY);
    return job_texts(job, operands) && job_words(job) && job_messages(job) &&
           job_output(job) && job_ledger(job) &&
           record_file_open(&job->record, cli, settings->record) &&
           job_tools(job);
}

void run_run(struct cli *cli, const void *given,
             const struct operands *operands)
{
    const struct run_settings *settings = given;
    struct job job = {.cli = cli, .settings = settings, .record = {.fd = -1}};

    if (job_begin(&job, operands)) {
        signals_catch();
        if (!settings->dry_run)
            record_file_empty(&job.record);
        if (settings->consensus && !settings->dry_run)
            job_consensus(&job);
        else if (job_run(&job))
            job_result(&job);
    }
    job_done(&job);
    signals_raise(cli);
}
