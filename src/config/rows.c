/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c: from the configuration's JSON to its structs.
 *
 * The contract surety/config has said what members there are and of what type,
 * so this reads without asking twice, and checks what a schema cannot: that a
 * model's provider exists, that amounts are exact, that URLs and headers are
 * such. All of it when the file is read, not when a model is asked for: a
 * mistake is told before anything is spent, whatever model it is in. */
#include "config/config.h"

static const char *const rows_protocols[] = {"openai", "responses", "anthropic",
                                             "gemini"};
static const char *const rows_stops[] = {"weigh", "always", "never"};
static const char *const rows_modes[] = {"auto", "native", "tool", "prompt"};

/* Which of names val is; 0 where it is absent. */
static int rows_choice(surety_val val, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (surety_val_is(val, names[i]))
            return i;
    return 0;
}

/* An amount in units of 10^-scale; 0 where absent. */
static surety_status rows_amount(const surety_config *config, surety_val val,
                                 unsigned scale, uint64_t *ret_amount,
                                 surety_error *reterr)
{
    surety_status status;

    if (!val.doc)
        return SURETY_OK;
    status =
        surety_decimal_read(surety_val_number(val), scale, ret_amount, reterr);
    if (status == SURETY_OK)
        return SURETY_OK;
    return surety__config_at(config, val, reterr, SURETY_SYNTAX);
}

surety_status surety__config_ms(const surety_config *config, surety_val seconds,
                                uint64_t *ret_ms, surety_error *reterr)
{
    return rows_amount(config, seconds, 3, ret_ms, reterr);
}

/* The same as a member of 32 bits; the contract keeps it below. */
static surety_status rows_ms32(const surety_config *config, surety_val seconds,
                               uint32_t *ret_ms, surety_error *reterr)
{
    uint64_t ms = *ret_ms;
    const surety_status status =
        surety__config_ms(config, seconds, &ms, reterr);

    if (status == SURETY_OK)
        *ret_ms = (uint32_t)ms;
    return status;
}

static surety_status rows_timeouts(const surety_config *config, surety_val from,
                                   surety_timeouts *timeouts,
                                   surety_error *reterr)
{
    surety_status status = rows_ms32(config, surety_val_get(from, "connect"),
                                     &timeouts->connect_ms, reterr);

    if (status == SURETY_OK)
        status = rows_ms32(config, surety_val_get(from, "first_byte"),
                           &timeouts->first_byte_ms, reterr);
    if (status == SURETY_OK)
        status = rows_ms32(config, surety_val_get(from, "idle"),
                           &timeouts->idle_ms, reterr);
    if (status == SURETY_OK)
        status = rows_ms32(config, surety_val_get(from, "total"),
                           &timeouts->total_ms, reterr);
    return status;
}

static surety_status rows_price(const surety_config *config, surety_val from,
                                surety_price *price, surety_error *reterr)
{
    const surety_val cached = surety_val_get(from, "cached_input");
    surety_status status;

    if (!from.doc)
        return SURETY_OK;
    price->known = true;
    status = rows_amount(config, surety_val_get(from, "input"), 6,
                         &price->input_microusd, reterr);
    price->cached_input_microusd = price->input_microusd;
    if (status == SURETY_OK)
        status = rows_amount(config, cached, 6, &price->cached_input_microusd,
                             reterr);
    if (status == SURETY_OK)
        status = rows_amount(config, surety_val_get(from, "output"), 6,
                             &price->output_microusd, reterr);
    return status;
}

/* ---- providers ----------------------------------------------------------- */

/* The key's two members; a built-in's variable is not for another address than
 * its own, or its key would be sent there. */
static surety_status rows_key(const surety_config *config, surety_val from,
                              surety__config_provider *provider,
                              surety_error *reterr)
{
    const surety_val variable = surety_val_get(from, "key_env");
    const surety_val file = surety_val_get(from, "key_file");
    surety_status status;

    if (variable.doc && file.doc) {
        status = surety__fail(reterr, SURETY_SYNTAX,
                              "key_env and key_file name the same key twice");
        surety__hint(reterr, "leave one of them out");
        return surety__config_at(config, file, reterr, status);
    }
    if (variable.doc || file.doc || surety_val_get(from, "base_url").doc)
        provider->key_env = surety_val_str(variable);
    provider->key_file = surety_val_str(file);
    return SURETY_OK;
}

/* URL and proxy. */
static surety_status rows_addresses(const surety_config *config,
                                    surety_val from,
                                    surety__config_provider *provider,
                                    surety_error *reterr)
{
    const surety_val url = surety_val_get(from, "base_url");
    const surety_val proxy = surety_val_get(from, "proxy");
    surety_status status = SURETY_OK;

    if (url.doc) {
        provider->base_url = surety_val_str(url);
        while (provider->base_url.len > 0 &&
               provider->base_url.ptr[provider->base_url.len - 1] == '/')
            provider->base_url.len--;
        status = surety__config_check_url(config, url, "https http", reterr);
    }
    if (status == SURETY_OK && proxy.doc) {
        provider->proxy = surety_val_str(proxy);
        status = surety__config_check_url(
            config, proxy, "http https socks4 socks4a socks5 socks5h", reterr);
    }
    return status;
}

static surety_status rows_provider(surety_config *config, surety_val from,
                                   surety__config_provider *provider,
                                   surety_error *reterr)
{
    const surety_str name = surety_val_str(surety_val_key(from));
    const surety__config_provider *builtin =
        surety__config_provider_find(config, name);
    const surety_val protocol = surety_val_get(from, "protocol");
    const surety_val headers = surety_val_get(from, "headers");
    surety_status status;

    if (builtin)
        *provider = *builtin;
    if (provider->reach != REACH_HTTP) {
        status = surety__fail(reterr, SURETY_SYNTAX,
                              "\"%.*s\" is no provider that can be changed",
                              (int)name.len, name.ptr);
        return surety__config_at(config, surety_val_key(from), reterr, status);
    }
    provider->name = name;
    if (protocol.doc)
        provider->protocol =
            (surety_protocol)rows_choice(protocol, rows_protocols, 4);
    if (headers.doc)
        provider->headers = headers;
    if (surety_val_get(from, "ca_file").doc) {
        provider->ca_file = surety__config_path(
            config, surety_val_str(surety_val_get(from, "ca_file")));
        if (!provider->ca_file.ptr)
            return surety__fail_nomem(reterr);
    }
    provider->public_only =
        surety_val_bool(surety_val_get(from, "public_only"), false);
    provider->retry_ambiguous =
        surety_val_bool(surety_val_get(from, "retry_ambiguous"), false);
    provider->response_bytes_max =
        (size_t)surety_val_uint(surety_val_get(from, "response_bytes"), 0);
    status = rows_timeouts(config, surety_val_get(from, "timeouts"),
                           &provider->timeouts, reterr);
    if (status == SURETY_OK)
        status = rows_key(config, from, provider, reterr);
    if (status == SURETY_OK)
        status = rows_addresses(config, from, provider, reterr);
    if (status == SURETY_OK)
        status = surety__config_check_headers(config, headers, reterr);
    if (status == SURETY_OK && provider->base_url.len == 0) {
        status = surety__fail(reterr, SURETY_SYNTAX,
                              "the provider \"%.*s\" is not built in and has "
                              "no base_url",
                              (int)name.len, name.ptr);
        surety__hint(reterr, "add its address, such as \"base_url\": "
                             "\"http://127.0.0.1:8000/v1\"");
        status = surety__config_at(config, from, reterr, status);
    }
    return status;
}

/* ---- models -------------------------------------------------------------- */

static surety_status rows_find_provider(const surety_config *config,
                                        surety_val name,
                                        surety__config_row *row,
                                        surety_error *reterr)
{
    const surety_str word = surety_val_str(name);
    const surety_str nearest = surety__config_nearest(config, word, false);
    surety_status status;

    row->provider = surety__config_provider_find(config, word);
    if (row->provider)
        return SURETY_OK;
    status =
        surety__fail(reterr, SURETY_SYNTAX, "there is no provider \"%.*s\"",
                     (int)(word.len < 64 ? word.len : 64), word.ptr);
    if (nearest.len > 0)
        surety__hint(reterr, "did you mean \"%.*s\"?", (int)nearest.len,
                     nearest.ptr);
    else
        surety__hint(reterr, "add it to \"providers\"");
    return surety__config_at(config, name, reterr, status);
}

/* What a command gets of the environment; a model that is none has no use for
 * it. */
static surety_status rows_environment(const surety_config *config,
                                      surety_val names, surety__config_row *row,
                                      surety_error *reterr)
{
    surety_status status;

    row->environment = names;
    if (!names.doc || row->provider->reach == REACH_EXEC)
        return SURETY_OK;
    status = surety__fail(
        reterr, SURETY_SYNTAX, "env is for commands, and \"%.*s\" is none",
        (int)row->provider->name.len, row->provider->name.ptr);
    surety__hint(reterr, "it lists what a model with \"provider\": \"exec\" "
                         "gets of the environment");
    return surety__config_at(config, surety_val_key(names), reterr, status);
}

static surety_status rows_model(surety_config *config, surety_val from,
                                surety__config_row *row, surety_error *reterr)
{
    const surety_val temperature = surety_val_get(from, "temperature");
    surety_status status;

    row->name = surety_val_str(surety_val_key(from));
    row->model = surety_val_str(surety_val_get(from, "model"));
    row->mode =
        (surety_mode)rows_choice(surety_val_get(from, "mode"), rows_modes, 4);
    row->whole = !surety_val_bool(surety_val_get(from, "stream"), true);
    row->has_temperature = temperature.doc != NULL;
    row->temperature = surety_val_real(temperature, 0);
    row->output_tokens_max =
        (uint32_t)surety_val_uint(surety_val_get(from, "max_tokens"), 0);
    row->extra = surety_val_get(from, "extra");
    status = rows_find_provider(config, surety_val_get(from, "provider"), row,
                                reterr);
    if (status != SURETY_OK)
        return status;
    row->retry_ambiguous =
        surety_val_bool(surety_val_get(from, "retry_ambiguous"),
                        row->provider->retry_ambiguous);
    row->response_bytes_max =
        (size_t)surety_val_uint(surety_val_get(from, "response_bytes"),
                                row->provider->response_bytes_max);
    row->timeouts = row->provider->timeouts;
    status = rows_timeouts(config, surety_val_get(from, "timeouts"),
                           &row->timeouts, reterr);
    if (status == SURETY_OK)
        status = rows_price(config, surety_val_get(from, "price"), &row->price,
                            reterr);
    if (status == SURETY_OK)
        status =
            rows_environment(config, surety_val_get(from, "env"), row, reterr);
    return status;
}

/* ---- all of it ----------------------------------------------------------- */

/* Room for count items, at least one, or NULL with reterr filled. */
static void *rows_room(surety_config *config, size_t count, size_t size,
                       surety_error *reterr)
{
    void *room = surety__arena_take(&config->arena, (count + 1) * size);

    if (!room)
        surety__fail_nomem(reterr);
    return room;
}

static surety_status rows_providers(surety_config *config, surety_val from,
                                    surety_error *reterr)
{
    surety_status status = SURETY_OK;

    config->providers = rows_room(config, surety_val_count(from),
                                  sizeof(*config->providers), reterr);
    if (!config->providers)
        return SURETY_NOMEM;
    for (surety_val val = surety_val_first(from);
         val.doc && status == SURETY_OK; val = surety_val_next(from, val)) {
        status = rows_provider(
            config, val, &config->providers[config->provider_count], reterr);
        if (status == SURETY_OK)
            config->provider_count++;
    }
    return status;
}

static surety_status rows_models(surety_config *config, surety_val from,
                                 surety_error *reterr)
{
    surety_status status = SURETY_OK;

    config->rows = rows_room(config, surety_val_count(from),
                             sizeof(*config->rows), reterr);
    if (!config->rows)
        return SURETY_NOMEM;
    for (surety_val val = surety_val_first(from);
         val.doc && status == SURETY_OK; val = surety_val_next(from, val))
        status =
            rows_model(config, val, &config->rows[config->row_count++], reterr);
    return status;
}

static surety_status rows_prices(surety_config *config, surety_val from,
                                 surety_error *reterr)
{
    surety_status status = SURETY_OK;

    config->prices = rows_room(config, surety_val_count(from),
                               sizeof(*config->prices), reterr);
    if (!config->prices)
        return SURETY_NOMEM;
    for (surety_val val = surety_val_first(from);
         val.doc && status == SURETY_OK; val = surety_val_next(from, val)) {
        surety__config_price *row = &config->prices[config->price_count++];
        row->name = surety_val_str(surety_val_key(val));
        status = rows_price(config, val, &row->price, reterr);
    }
    return status;
}

/* A number of retries, of which none is said otherwise than nothing. */
static uint32_t rows_retries(surety_val count)
{
    const uint32_t most = (uint32_t)surety_val_uint(count, 0);

    return count.doc && most == 0 ? SURETY_RUN_NONE : most;
}

/* Budget, retry and stop. */
static surety_status rows_bounds(surety_config *config, surety_val root,
                                 surety_error *reterr)
{
    const surety_val budget = surety_val_get(root, "budget");
    const surety_val retry = surety_val_get(root, "retry");
    surety_status status;

    config->budget.calls_max =
        (uint32_t)surety_val_uint(surety_val_get(budget, "calls"), 0);
    config->budget.tokens_max =
        surety_val_uint(surety_val_get(budget, "tokens"), 0);
    status = surety__config_ms(config, surety_val_get(budget, "seconds"),
                               &config->budget.ms_max, reterr);
    if (status == SURETY_OK)
        status = rows_amount(config, surety_val_get(budget, "usd"), 12,
                             &config->budget.cost_picousd_max, reterr);
    config->backoff.retries_max = rows_retries(surety_val_get(retry, "max"));
    config->broken_retries_max = rows_retries(surety_val_get(retry, "broken"));
    config->stop =
        (surety_stop)rows_choice(surety_val_get(root, "stop"), rows_stops,
                                 sizeof(rows_stops) / sizeof(rows_stops[0]));
    if (status == SURETY_OK)
        status = rows_ms32(config, surety_val_get(retry, "first"),
                           &config->backoff.first_ms, reterr);
    if (status == SURETY_OK)
        status = rows_ms32(config, surety_val_get(retry, "most"),
                           &config->backoff.most_ms, reterr);
    if (status == SURETY_OK)
        status = rows_ms32(config, surety_val_get(retry, "retry_after"),
                           &config->backoff.retry_after_max_ms, reterr);
    return status;
}

/* Limits by their names, which only base/limits.def knows. */
static surety_status rows_limits(surety_config *config, surety_val from,
                                 surety_error *reterr)
{
    surety_status status = SURETY_OK;

    config->limits.size = sizeof(config->limits);
    for (surety_val val = surety_val_first(from);
         val.doc && status == SURETY_OK; val = surety_val_next(from, val)) {
        const surety_val name = surety_val_key(val);
        surety_limit limit;

        status = surety_limits_set(&config->limits, surety_val_str(name),
                                   surety_val_kind(val) == SURETY_KIND_STRING
                                       ? surety_val_str(val)
                                       : surety_val_number(val),
                                   reterr);
        if (status != SURETY_OK) {
            bool known = false;

            for (size_t i = 0; surety_limit_at(i, &limit) && !known; i++)
                known = surety_val_is(name, limit.name);
            return surety__config_at(config, known ? val : name, reterr,
                                     status);
        }
    }
    return SURETY_OK;
}

/* The ledger's place; a file that is named by a path counts from the folder. */
static surety_status rows_ledger(surety_config *config, surety_val url,
                                 surety_error *reterr)
{
    const surety_str text = surety_val_str(url);
    const surety_str sqlite = SURETY__LITERAL("sqlite:");
    surety_status status = SURETY_OK;

    config->ledger = text;
    if (surety__str_starts(text, SURETY__LITERAL("postgres"))) {
        if (memchr(text.ptr, ':', text.len))
            status = surety__config_check_url(config, url,
                                              "postgresql postgres", reterr);
        return status;
    }
    if (text.len == 0 || surety__str_starts(text, sqlite) ||
        surety_str_equal(text, SURETY__LITERAL("none")))
        return SURETY_OK;
    config->ledger = surety__config_path(config, text);
    return config->ledger.ptr ? SURETY_OK : surety__fail_nomem(reterr);
}

/* Names that are asked for by default are such that can be found. */
static surety_status rows_default(const surety_config *config,
                                  surety_error *reterr)
{
    const surety_val root = surety_doc_root(config->doc);
    const surety_val names = surety_val_get(root, "default");
    const bool is_list = surety_val_kind(names) == SURETY_KIND_ARRAY;
    surety_val name = is_list ? surety_val_first(names) : names;

    for (; name.doc;
         name = is_list ? surety_val_next(names, name) : surety_val_none()) {
        const surety_str word = surety_val_str(name);
        bool found = memchr(word.ptr, ':', word.len) != NULL;
        surety_status status;
        for (size_t i = 0; i < config->row_count && !found; i++)
            found = surety_str_equal(config->rows[i].name, word);
        if (found)
            continue;
        status = surety__fail(reterr, SURETY_SYNTAX,
                              "there is no model \"%.*s\" in this file",
                              (int)(word.len < 64 ? word.len : 64), word.ptr);
        surety__hint(reterr, "it is a name of \"models\", or PROVIDER:MODEL");
        return surety__config_at(config, name, reterr, status);
    }
    return SURETY_OK;
}

surety_status surety__config_rows(surety_config *config, surety_error *reterr)
{
    const surety_val root = surety_doc_root(config->doc);
    const surety_val ledger = surety_val_get(root, "ledger");
    surety_status status =
        rows_providers(config, surety_val_get(root, "providers"), reterr);

    if (status == SURETY_OK)
        status = rows_models(config, surety_val_get(root, "models"), reterr);
    if (status == SURETY_OK)
        status = rows_prices(config, surety_val_get(root, "prices"), reterr);
    if (status == SURETY_OK)
        status = rows_bounds(config, root, reterr);
    if (status == SURETY_OK)
        status = rows_limits(config, surety_val_get(root, "limits"), reterr);
    if (status == SURETY_OK)
        status = rows_ledger(config, surety_val_get(ledger, "url"), reterr);
    if (status == SURETY_OK)
        status = rows_default(config, reterr);
    return status;
}
