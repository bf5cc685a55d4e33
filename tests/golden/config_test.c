/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations, and what they come to: read by a person.
 *
 *     config_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case: sections that begin with a line "=== KIND".
 *
 *     === shape         what is shown
 *     === environment   a line each: NAME=VALUE
 *     === options       a line each: keyless, folder PATH
 *     === config        a surety.json
 *     === holds         all that the one before it says
 *     === models        a name a line; below each, behind two blanks, the model
 *                       that the config gives by it, or why there is none
 *     === mistakes      a surety.json a line; below each, behind two blanks,
 *                       what is wrong with it, or "holds"
 *
 * With --update what is behind blanks, and what a config holds, is written
 * anew, to be read before it is believed. */
#include "run/run.h"
#include "config/config.h"
#include "golden/cases.h"

#include <stdio.h>
#include <string.h>

/* How configurations of a case are read, and the last of them. */
struct setting {
    surety_str environment;
    surety_config_options options;
    surety_config *config;
    surety_buf *out; /* where warnings go */
    char variable[256];
};

static void put_name(surety_buf *out, const char *name)
{
    surety_buf_byte(out, ' ');
    surety_buf_text(out, name);
    surety_buf_byte(out, '=');
}

static void put_str(surety_buf *out, const char *name, surety_str text)
{
    if (!text.len)
        return;
    put_name(out, name);
    surety_buf_add(out, text);
}

static void put_number(surety_buf *out, const char *name, uint64_t number)
{
    if (!number)
        return;
    put_name(out, name);
    surety_buf_number(out, number);
}

static void put_flag(surety_buf *out, const char *name, bool flag)
{
    if (!flag)
        return;
    surety_buf_byte(out, ' ');
    surety_buf_text(out, name);
}

static void put_timeouts(surety_buf *out, surety_timeouts timeouts)
{
    put_number(out, "connect_ms", timeouts.connect_ms);
    put_number(out, "first_byte_ms", timeouts.first_byte_ms);
    put_number(out, "idle_ms", timeouts.idle_ms);
    put_number(out, "total_ms", timeouts.total_ms);
}

static void put_price(surety_buf *out, const surety_price *price)
{
    if (!price->known)
        return;
    surety__buf_printf(out, " price=%ju/%ju/%ju",
                       (uintmax_t)price->input_microusd,
                       (uintmax_t)price->cached_input_microusd,
                       (uintmax_t)price->output_microusd);
}

static void put_value(surety_buf *out, const char *name, surety_val val)
{
    if (!val.doc)
        return;
    surety_buf_byte(out, ' ');
    surety_buf_text(out, name);
    surety_buf_byte(out, '=');
    surety_val_write(val, SURETY_STYLE_COMPACT, out);
}

/* ---- what a configuration holds ------------------------------------------ */

static void put_provider(surety_buf *out,
                         const surety__config_provider *provider)
{
    surety_buf_text(out, "provider ");
    surety_buf_add(out, provider->name);
    put_number(out, "protocol", (uint64_t)provider->defaults.protocol);
    put_str(out, "url", provider->defaults.base_url);
    put_str(out, "key_env", provider->key_env);
    put_str(out, "key_file", provider->key_file);
    put_value(out, "headers", provider->headers);
    put_str(out, "ca_file", provider->ca_file);
    put_str(out, "proxy", provider->proxy);
    put_flag(out, "public_only", provider->public_only);
    put_flag(out, "retry_ambiguous", provider->defaults.retry_ambiguous);
    put_timeouts(out, provider->defaults.timeouts);
    put_number(out, "response_bytes", provider->defaults.response_bytes_max);
    surety_buf_byte(out, '\n');
}

static void put_row(surety_buf *out, const surety__config_row *row)
{
    surety_buf_text(out, "model ");
    surety_buf_add(out, row->model.name);
    put_str(out, "provider", row->provider->name);
    put_str(out, "model", row->model.model);
    put_number(out, "mode", (uint64_t)row->model.mode);
    put_flag(out, "whole", row->model.whole);
    if (row->model.has_temperature)
        surety__buf_printf(out, " temperature=%g", row->model.temperature);
    put_number(out, "output_tokens", row->model.output_tokens_max);
    put_value(out, "extra", row->model.extra);
    put_price(out, &row->model.price);
    put_flag(out, "retry_ambiguous", row->model.retry_ambiguous);
    put_timeouts(out, row->model.timeouts);
    put_number(out, "response_bytes", row->model.response_bytes_max);
    put_value(out, "env", row->environment);
    surety_buf_byte(out, '\n');
}

static void put_run(surety_buf *out, const surety_config *config)
{
    const surety_budget budget = *surety_config_info_of(config)->budget;
    const surety_backoff backoff = *surety_config_info_of(config)->backoff;
    surety_run_options run = {.size = sizeof(run)};

    surety_config_run(config, &run);
    surety_buf_text(out, "run");
    put_number(out, "calls", budget.calls_max);
    put_number(out, "tokens", budget.tokens_max);
    put_number(out, "ms", budget.ms_max);
    put_number(out, "picousd", budget.cost_picousd_max);
    put_number(out, "retries", backoff.retries_max);
    put_number(out, "first_ms", backoff.first_ms);
    put_number(out, "most_ms", backoff.most_ms);
    put_number(out, "retry_after_ms", backoff.retry_after_max_ms);
    put_number(out, "broken", run.broken_retries_max);
    put_str(out, "stop", surety_str_of(surety__stop_name(run.stop)));
    put_flag(out, "otherwise in options",
             memcmp(&run.budget, &budget, sizeof(budget)) != 0 ||
                 memcmp(&run.backoff, &backoff, sizeof(backoff)) != 0);
    surety_buf_byte(out, '\n');
}

static void put_rest(surety_buf *out, const surety_config *config)
{
    const surety_limits *limits = surety_config_info_of(config)->limits;

    surety_buf_text(out, "ledger");
    put_str(out, "url", surety_config_info_of(config)->ledger);
    put_flag(out, "raw", surety_config_info_of(config)->ledger_raw);
    put_flag(out, "optional", surety_config_info_of(config)->ledger_optional);
    surety_buf_text(out, "\nlimits");
#define LIMIT(name, usual, max, what, why) put_number(out, #name, limits->name);
#include "base/limits.def"
#undef LIMIT
    surety_buf_byte(out, '\n');
}

static void put_passed(surety_buf *out, const surety_config_passed *passed)
{
    surety_buf_text(out, "passed ");
    surety_buf_add(out, passed->path);
    put_str(out, "provider", passed->provider);
    put_number(out, "protocol", (uint64_t)passed->protocol);
    put_number(out, "line", passed->position.line);
    put_number(out, "column", passed->position.column);
    surety_buf_byte(out, '\n');
}

static void put_config(surety_buf *out, const surety_config *config)
{
    surety_str name;

    surety_buf_text(out, "default");
    for (size_t i = 0; (name = surety_config_info_of(config)->defaults[i]).len;
         i++) {
        surety_buf_byte(out, ' ');
        surety_buf_add(out, name);
    }
    surety_buf_byte(out, '\n');
    for (size_t i = 0; i < config->provider_count; i++)
        put_provider(out, &config->providers[i]);
    for (size_t i = 0; i < surety_config_info_of(config)->model_count; i++)
        put_row(out, &config->rows[i]);
    for (size_t i = 0; i < config->price_count; i++) {
        surety_buf_text(out, "price of ");
        surety_buf_add(out, config->prices[i].name);
        put_price(out, &config->prices[i].price);
        surety_buf_byte(out, '\n');
    }
    for (size_t i = 0; i < config->info.passed_count; i++)
        put_passed(out, &config->info.passed[i]);
    for (size_t i = 0; i < config->info.ignored_count; i++) {
        surety_buf_text(out, "ignored ");
        surety_buf_add(out, config->info.ignored[i].member);
        put_str(out, "provider", config->info.ignored[i].provider);
        surety_buf_byte(out, '\n');
    }
    put_run(out, config);
    put_rest(out, config);
}

/* ---- a model ------------------------------------------------------------- */

static void put_model(surety_buf *out, const surety_model *model)
{
    surety_buf_text(out, "  ");
    surety_buf_add(out, model->name);
    put_str(out, "provider", model->provider);
    put_str(out, "model", model->model);
    put_number(out, "protocol", (uint64_t)model->protocol);
    put_str(out, "url", model->base_url);
    put_str(out, "key", model->key);
    put_number(out, "mode", (uint64_t)model->mode);
    put_flag(out, "whole", model->whole);
    if (model->has_temperature)
        surety__buf_printf(out, " temperature=%g", model->temperature);
    put_number(out, "output_tokens", model->output_tokens_max);
    put_value(out, "extra", model->extra);
    put_price(out, &model->price);
    put_flag(out, "retry_ambiguous", model->retry_ambiguous);
    put_timeouts(out, model->timeouts);
    put_number(out, "response_bytes", model->response_bytes_max);
    surety_buf_byte(out, '\n');
    for (size_t i = 0; i < model->header_count; i++) {
        surety_buf_text(out, "    ");
        surety_buf_add(out, model->headers[i].name);
        surety_buf_text(out, ": ");
        surety_buf_add(out, model->headers[i].value);
        put_flag(out, "(secret)", model->headers[i].secret);
        surety_buf_byte(out, '\n');
    }
}

/* The number of an open transport, the oldest first. */
static void put_transport(surety_buf *out, const surety_config *config,
                          const surety_transport *transport)
{
    const surety__config_transport *row = config->transports;
    size_t number = 1;

    while (row && row->transport != transport)
        row = row->next;
    for (row = row ? row->next : NULL; row; row = row->next)
        number++;
    surety_buf_text(out, "    by transport ");
    surety_buf_number(out, number);
    surety_buf_byte(out, '\n');
}

/* ---- the sections -------------------------------------------------------- */

static const char *look_up(void *ctx, const char *name)
{
    struct setting *setting = ctx;
    surety_str lines = setting->environment;
    surety_str line;

    while (golden_line(&lines, &line)) {
        if (!golden_take(&line, name) || !golden_take(&line, "="))
            continue;
        snprintf(setting->variable, sizeof(setting->variable), "%.*s",
                 (int)line.len, line.ptr);
        return setting->variable;
    }
    return NULL;
}

static void warn(void *ctx, surety_str sentence)
{
    surety_buf *out = ((struct setting *)ctx)->out;

    surety_buf_text(out, "  warning: ");
    surety_buf_add(out, sentence);
    surety_buf_byte(out, '\n');
}

static void put_models(struct setting *setting, surety_str lines)
{
    surety_buf *out = setting->out;
    const surety_model *model = NULL;
    surety_error error;
    surety_str line;

    while (golden_line(&lines, &line)) {
        if (line.len && *line.ptr == ' ')
            continue;
        surety_buf_add(out, line);
        surety_buf_byte(out, '\n');
        if (surety_config_model(setting->config, line, &model, &error)) {
            golden_error(out, &error);
            continue;
        }
        put_model(out, model);
        put_transport(out, setting->config, model->transport);
    }
}

static void put_mistakes(const struct setting *setting, surety_str lines)
{
    surety_buf *out = setting->out;
    surety_error error;
    surety_str line;

    while (golden_line(&lines, &line)) {
        surety_config *config = NULL;

        if (line.len && *line.ptr == ' ')
            continue;
        surety_buf_add(out, line);
        surety_buf_byte(out, '\n');
        if (surety_config_read(line, &setting->options, &config, &error))
            golden_error(out, &error);
        else
            surety_buf_text(out, "  holds\n");
        surety_config_free(config);
    }
}

static void take_options(struct setting *setting, surety_str lines)
{
    surety_str line;

    while (golden_line(&lines, &line)) {
        if (golden_take(&line, "folder "))
            setting->options.folder = line;
        else if (golden_take(&line, "keyless"))
            setting->options.keyless = true;
        else
            golden_die("an option is unknown", line.ptr);
    }
}

static void take_config(struct setting *setting, surety_str text)
{
    surety_error error;

    surety_config_free(setting->config);
    setting->config = NULL;
    if (surety_config_read(text, &setting->options, &setting->config, &error))
        golden_die("a configuration cannot be read", error.message);
}

static bool run(struct golden *golden)
{
    struct setting setting = {.out = &golden->made};

    setting.options = (surety_config_options){.size = sizeof(setting.options),
                                              .environment = look_up,
                                              .environment_ctx = &setting,
                                              .warn = warn,
                                              .warn_ctx = &setting};
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_section *section = &golden->sections[i];

        if (golden_is(section, "holds") || golden_is(section, "models") ||
            golden_is(section, "mistakes"))
            golden_begin(golden, section);
        else
            golden_keep(golden, section);
        if (golden_is(section, "environment"))
            setting.environment = section->body;
        else if (golden_is(section, "options"))
            take_options(&setting, section->body);
        else if (golden_is(section, "config"))
            take_config(&setting, section->body);
        else if (golden_is(section, "holds"))
            put_config(setting.out, setting.config);
        else if (golden_is(section, "models"))
            put_models(&setting, section->body);
        else if (golden_is(section, "mistakes"))
            put_mistakes(&setting, section->body);
    }
    surety_config_free(setting.config);
    return true;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
