/* SPDX-License-Identifier: Apache-2.0 */
/* surety keys: adds, lists and revokes the keys of a gateway, in the database
 * of the ledger. */
#include "commands.h"

#include <stdlib.h>
#include <time.h>

#include <surety-run.h>

#include "configuration.h"
#include "grid.h"

enum { KEYS_DAYS_MOST = 36500, KEYS_COUNT_MOST = 1000000000, KEYS_WIDTH = 160 };
#define KEYS_DAY_MS ((int64_t)86400000)
#define KEYS_DOLLAR_SCALE 12

struct keys_settings {
    const char *ledger, *config, *day, *month;
    struct texts models;
    unsigned requests, tokens, at_once, expires;
    bool admin, json, quiet;
};

SETTINGS_FIT(struct keys_settings);
#define AT(member) offsetof(struct keys_settings, member)
#define KEYS_PLACE                                                             \
    TEXT("ledger", 0, AT(ledger), "URL",                                       \
         "the ledger: a file, sqlite:FILE or postgresql://...; default: the "  \
         "one that run writes"),                                               \
        TEXT("config", 0, AT(config), "FILE",                                  \
             "the configuration that names the ledger, instead of "            \
             "surety.json")

const struct option_row keys_add_options[] = {
    SECTION("What the key may do"),
    TEXTS("model", 'm', AT(models), "NAME",
          "a model that it may use, by the name that a client sends; with a * "
          "at the end all that begin so; may be given again. Default: all"),
    FLAG("admin", 0, AT(admin), "it may see what other keys did"),
    NUMBER("expires", 0, AT(expires), KEYS_DAYS_MOST, "DAYS",
           "it is in force for so many days; default: until it is revoked"),
    SECTION("Limits"),
    NUMBER("requests", 0, AT(requests), KEYS_COUNT_MOST, "N",
           "at most N requests a minute"),
    NUMBER("tokens", 0, AT(tokens), KEYS_COUNT_MOST, "N",
           "at most N tokens a minute, of prompts and replies"),
    NUMBER("at-once", 0, AT(at_once), KEYS_COUNT_MOST, "N",
           "at most N requests at one time"),
    TEXT("day", 0, AT(day), "DOLLARS",
         "at most so much a day (UTC), such as 20 or 0.50"),
    TEXT("month", 0, AT(month), "DOLLARS", "at most so much a month (UTC)"),
    SECTION("Where"),
    KEYS_PLACE,
    FLAG("quiet", 'q', AT(quiet), "no notes on standard error"),
    OPTION_END};
const struct option_row keys_list_options[] = {
    KEYS_PLACE, FLAG("json", 0, AT(json), "the list as an array of objects"),
    COLOR, OPTION_END};
const struct option_row keys_revoke_options[] = {
    KEYS_PLACE, FLAG("quiet", 'q', AT(quiet), "no notes on standard error"),
    OPTION_END};

static int64_t keys_now_ms(void)
{
    return (int64_t)time(NULL) * 1000;
}

/* NULL: the message is written. */
static surety_keys *keys_open(struct cli *cli,
                              const struct keys_settings *settings)
{
    const surety_keys_options options = {.size = sizeof(options)};
    surety_keys *keys = NULL;
    surety_error error;
    surety_buf url;

    surety_buf_init(&url, NULL, 0);
    if (configuration_ledger_url(cli, settings->ledger, settings->config, true,
                                 &url) &&
        surety_keys_open(surety_buf_str(&url), &options, &keys, &error) !=
            SURETY_OK)
        cli_fail_error(cli, CODE_WORLD, &error);
    surety_buf_done(&url);
    return keys;
}

/* Reads an amount of dollars; NULL: none. */
static bool keys_dollars(struct cli *cli, const char *option, const char *given,
                         uint64_t *ret_picousd)
{
    if (!given || (surety_decimal_read(surety_str_of(given), KEYS_DOLLAR_SCALE,
                                       ret_picousd, NULL) == SURETY_OK &&
                   *ret_picousd > 0))
        return true;
    return cli_usage(cli, "a number above 0, such as 20 or 0.50",
                     "--%s %s is no amount of dollars", option, given);
}

/* ---- add ----------------------------------------------------------------- */

/* Adds the key, and writes its secret. */
static void keys_add(struct cli *cli, const struct keys_settings *settings,
                     surety_keys *keys, const surety_key *key)
{
    const int64_t now_ms = keys_now_ms();
    surety_buf *out = &cli->out.buf;
    surety_error error;

    if (surety_keys_add(keys, key, now_ms, out, &error) != SURETY_OK) {
        cli_fail_error(cli,
                       error.status == SURETY_MISUSE ? CODE_USAGE : CODE_WORLD,
                       &error);
        return;
    }
    surety_buf_byte(out, '\n');
    output_flush(&cli->out);
    if (!settings->quiet)
        surety_buf_text(&cli->err.buf,
                        "the secret is shown this once: only its hash is "
                        "stored\n");
}

void keys_add_run(struct cli *cli, const void *given,
                  const struct operands *operands)
{
    const struct keys_settings *settings = given;
    surety_key key = {.size = sizeof(key),
                      .admin = settings->admin,
                      .minute_requests = settings->requests,
                      .minute_tokens = settings->tokens,
                      .at_once_max = settings->at_once};
    surety_keys *keys = NULL;
    surety_str *models;

    if (operands->count != 1) {
        cli_usage(cli, "surety keys add team-a", "keys add takes one NAME");
        return;
    }
    if (!keys_dollars(cli, "day", settings->day, &key.day_picousd) ||
        !keys_dollars(cli, "month", settings->month, &key.month_picousd))
        return;
    models = calloc(settings->models.count + 1, sizeof(*models));
    if (!models) {
        cli_nomem(cli);
        return;
    }
    for (size_t i = 0; i < settings->models.count; i++)
        models[i] = surety_str_of(settings->models.items[i]);
    key.name = surety_str_of(operands->items[0]);
    key.models = models;
    key.model_count = settings->models.count;
    if (settings->expires)
        key.expires_ms = keys_now_ms() + settings->expires * KEYS_DAY_MS;
    keys = keys_open(cli, settings);
    if (keys)
        keys_add(cli, settings, keys, &key);
    surety_keys_close(keys);
    free(models);
}

/* ---- list ---------------------------------------------------------------- */

struct keys_list {
    surety_buf *out;
    struct grid grid;
    int64_t now_ms;
    size_t count;
};

static void keys_put_count(surety_buf *out, uint64_t count)
{
    if (count)
        put_format(out, "%llu", (unsigned long long)count);
}

/* A moment as 2026-11-28T16:00:00Z; 0: nothing. */
static void keys_put_time(surety_buf *out, int64_t ms)
{
    const time_t seconds = (time_t)(ms / 1000);
    struct tm parts;

    if (ms && gmtime_r(&seconds, &parts))
        put_format(out, "%04d-%02d-%02dT%02d:%02d:%02dZ", parts.tm_year + 1900,
                   parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
                   parts.tm_sec);
}

static void keys_put_money(surety_buf *out, uint64_t spent, uint64_t budget)
{
    if (!budget && !spent)
        return;
    surety_dollars_write(spent, true, out);
    if (budget) {
        surety_buf_text(out, " of ");
        surety_dollars_write(budget, true, out);
    }
}

static const char *keys_state(const surety_key *key, int64_t now_ms)
{
    if (key->revoked_ms)
        return "revoked";
    return key->expires_ms && key->expires_ms <= now_ms ? "expired"
           : key->admin                                 ? "admin"
                                                        : "in force";
}

static bool keys_list_row(void *ctx, const surety_key *key)
{
    struct keys_list *list = ctx;
    struct grid *grid = &list->grid;
    surety_buf *text = &grid->text;
    surety_buf models;

    surety_buf_init(&models, NULL, 0);
    for (size_t i = 0; i < key->model_count; i++) {
        surety_buf_text(&models, i ? " " : "");
        surety_buf_add(&models, key->models[i]);
    }
    grid_text(grid, key->id);
    grid_text(grid, key->name);
    grid_text(grid, surety_str_of(keys_state(key, list->now_ms)));
    keys_put_money(text, key->day_spent_picousd, key->day_picousd);
    grid_end(grid);
    keys_put_money(text, key->month_spent_picousd, key->month_picousd);
    grid_end(grid);
    keys_put_count(text, key->minute_requests);
    grid_end(grid);
    keys_put_count(text, key->minute_tokens);
    grid_end(grid);
    keys_put_count(text, key->at_once_max);
    grid_end(grid);
    grid_text(grid, surety_buf_str(&models));
    keys_put_time(text, key->used_ms);
    grid_end(grid);
    surety_buf_done(&models);
    list->count++;
    return true;
}

static void keys_json_count(surety_buf *out, const char *name, uint64_t count)
{
    surety_json_name(out, name);
    if (count)
        keys_put_count(out, count);
    else
        surety_buf_text(out, "null");
}

static void keys_json_money(surety_buf *out, const char *name, uint64_t picousd)
{
    surety_json_name(out, name);
    if (picousd)
        surety_dollars_write(picousd, false, out);
    else
        surety_buf_text(out, "null");
}

static void keys_json_time(surety_buf *out, const char *name, int64_t ms)
{
    surety_json_name(out, name);
    surety_buf_text(out, ms ? "\"" : "null");
    keys_put_time(out, ms);
    surety_buf_text(out, ms ? "\"" : "");
}

static bool keys_list_json(void *ctx, const surety_key *key)
{
    struct keys_list *list = ctx;
    surety_buf *out = list->out;

    surety_buf_text(out, list->count++ ? ",\n {" : "{");
    surety_json_text(out, "id", key->id);
    surety_json_text(out, "name", key->name);
    surety_json_name(out, "admin");
    surety_buf_text(out, key->admin ? "true" : "false");
    surety_json_name(out, "models");
    surety_buf_byte(out, '[');
    for (size_t i = 0; i < key->model_count; i++) {
        surety_buf_text(out, i ? "," : "");
        surety_json_string(out, key->models[i]);
    }
    surety_buf_byte(out, ']');
    keys_json_count(out, "requests_a_minute", key->minute_requests);
    keys_json_count(out, "tokens_a_minute", key->minute_tokens);
    keys_json_count(out, "at_once", key->at_once_max);
    keys_json_money(out, "day_usd", key->day_picousd);
    keys_json_money(out, "month_usd", key->month_picousd);
    surety_json_name(out, "day_spent_usd");
    surety_dollars_write(key->day_spent_picousd, false, out);
    surety_json_name(out, "month_spent_usd");
    surety_dollars_write(key->month_spent_picousd, false, out);
    keys_json_time(out, "created", key->created_ms);
    keys_json_time(out, "expires", key->expires_ms);
    keys_json_time(out, "revoked", key->revoked_ms);
    keys_json_time(out, "used", key->used_ms);
    surety_buf_byte(out, '}');
    return true;
}

static void keys_list_write(struct cli *cli,
                            const struct keys_settings *settings,
                            surety_keys *keys)
{
    static const struct grid_column columns[] = {
        {"ID", true, 0},          {"NAME", true, 0},
        {"STATE", true, 0},       {"THIS DAY, DOLLARS", false, 0},
        {"THIS MONTH", false, 0}, {"REQUESTS/MIN", false, 3},
        {"TOKENS/MIN", false, 4}, {"AT ONCE", false, 5},
        {"MODELS", true, 2},      {"LAST USED", true, 1}};
    struct keys_list list = {.out = &cli->out.buf, .now_ms = keys_now_ms()};
    surety_status status;
    surety_error error;

    grid_init(&list.grid, columns, COUNT_OF(columns));
    if (settings->json)
        surety_buf_byte(list.out, '[');
    status = surety_keys_each(keys, list.now_ms,
                              settings->json ? keys_list_json : keys_list_row,
                              &list, &error);
    if (settings->json)
        surety_buf_text(list.out, "]\n");
    else if (list.count)
        grid_write(&list.grid, KEYS_WIDTH, cli_color(cli, &cli->out), false,
                   list.out);
    else
        surety_buf_text(&cli->err.buf, "there are no keys yet\n");
    grid_done(&list.grid);
    if (status != SURETY_OK) {
        surety_buf_reset(list.out);
        cli_fail_error(cli, CODE_WORLD, &error);
    }
    output_flush(&cli->out);
}

void keys_list_run(struct cli *cli, const void *given,
                   const struct operands *operands)
{
    surety_keys *keys;

    if (operands->count > 0) {
        cli_usage(cli, NULL, "keys list takes no \"%s\"", operands->items[0]);
        return;
    }
    keys = keys_open(cli, given);
    if (keys)
        keys_list_write(cli, given, keys);
    surety_keys_close(keys);
}

/* ---- revoke -------------------------------------------------------------- */

void keys_revoke_run(struct cli *cli, const void *given,
                     const struct operands *operands)
{
    const struct keys_settings *settings = given;
    surety_keys *keys;
    surety_error error;

    if (operands->count != 1) {
        cli_usage(cli, "surety keys list shows them",
                  "keys revoke takes one ID or NAME");
        return;
    }
    keys = keys_open(cli, settings);
    if (!keys)
        return;
    if (surety_keys_revoke(keys, surety_str_of(operands->items[0]),
                           keys_now_ms(), &error) != SURETY_OK)
        cli_fail_error(
            cli, error.status == SURETY_END ? CODE_USAGE : CODE_WORLD, &error);
    else if (!settings->quiet)
        put_safe_line(&cli->err.buf, "revoked ",
                      surety_str_of(operands->items[0]));
    surety_keys_close(keys);
}
