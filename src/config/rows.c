/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c: from the configuration's JSON to its structs.
 *
 * The contract surety/config has already checked the members and their types,
 * so this file reads without checking them again. It checks what a schema
 * cannot: that a model's provider exists, that amounts are exact, that URLs
 * and headers are valid. It checks everything when the file is read, not when
 * a model is used: a mistake is reported before any call is paid, whichever
 * model has it.
 *
 * The reader keeps the first failure. Each function returns what it read,
 * which is meaningless after a failure; the status is checked at the end. */
#include "config/config.h"

#include "provider/provider.h"
#include "run/run.h"

struct rows_reader {
    surety_config *config;
    surety_error *reterr;
    surety_status status; /* the first failure */
};

/* Reports a fault at val. False: there was an earlier failure. */
static bool rows_fault(struct rows_reader *reader, surety_val val,
                       const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool rows_fault(struct rows_reader *reader, surety_val val,
                       const char *format, ...)
{
    va_list args;

    if (reader->status)
        return false;
    va_start(args, format);
    reader->status = surety__failv(reader->reterr, SURETY_SYNTAX, format, args);
    va_end(args);
    reader->status =
        surety__config_at(reader->config, val, reader->reterr, reader->status);
    return true;
}

static void rows_starved(struct rows_reader *reader)
{
    if (!reader->status)
        reader->status = surety__fail_nomem(reader->reterr);
}

/* An amount in units of 10^-scale; `otherwise` if it is absent. */
static uint64_t rows_amount(struct rows_reader *reader, surety_val val,
                            unsigned scale, uint64_t otherwise)
{
    uint64_t amount = otherwise;

    if (!val.doc || reader->status)
        return amount;
    if (surety_decimal_read(surety_val_number(val), scale, &amount,
                            reader->reterr))
        reader->status = surety__config_at(reader->config, val, reader->reterr,
                                           SURETY_SYNTAX);
    return amount;
}

/* Seconds as milliseconds in 32 bits; the contract limits them. */
static uint32_t rows_ms(struct rows_reader *reader, surety_val from,
                        const char *name, uint32_t otherwise)
{
    return (uint32_t)rows_amount(reader, surety_val_get(from, name), 3,
                                 otherwise);
}

/* Reads the members that providers and models have. A model takes the others
 * from its provider. */
static void rows_common(struct rows_reader *reader, surety_val from,
                        surety_model *model)
{
    const surety_val timeouts = surety_val_get(from, "timeouts");
    surety_timeouts *ms = &model->timeouts;

    model->retry_ambiguous = surety_val_bool(
        surety_val_get(from, "retry_ambiguous"), model->retry_ambiguous);
    model->response_bytes_max = (size_t)surety_val_uint(
        surety_val_get(from, "response_bytes"), model->response_bytes_max);
    ms->connect_ms = rows_ms(reader, timeouts, "connect", ms->connect_ms);
    ms->first_byte_ms =
        rows_ms(reader, timeouts, "first_byte", ms->first_byte_ms);
    ms->idle_ms = rows_ms(reader, timeouts, "idle", ms->idle_ms);
    ms->total_ms = rows_ms(reader, timeouts, "total", ms->total_ms);
}

static surety_price rows_price(struct rows_reader *reader, surety_val from)
{
    surety_price price = {.known = from.doc != NULL};

    price.input_microusd =
        rows_amount(reader, surety_val_get(from, "input"), 6, 0);
    price.cached_input_microusd = rows_amount(
        reader, surety_val_get(from, "cached_input"), 6, price.input_microusd);
    price.output_microusd =
        rows_amount(reader, surety_val_get(from, "output"), 6, 0);
    return price;
}

/* ---- providers ----------------------------------------------------------- */

/* Reads the key's two members. The variable of a built-in provider is dropped
 * if base_url is changed: otherwise its key would be sent to another
 * address. */
static void rows_key(struct rows_reader *reader, surety_val from,
                     surety__config_provider *provider)
{
    const surety_val variable = surety_val_get(from, "key_env");
    const surety_val file = surety_val_get(from, "key_file");

    if (variable.doc && file.doc &&
        rows_fault(reader, file,
                   "key_env and key_file name the same key twice"))
        surety__hint(reader->reterr, "leave one of them out");
    if (variable.doc || file.doc || surety_val_get(from, "base_url").doc)
        provider->key_env = surety_val_str(variable);
    provider->key_file = surety_val_str(file);
}

static void rows_check_url(struct rows_reader *reader, surety_val url,
                           const char *schemes)
{
    if (!reader->status)
        reader->status = surety__config_check_url(reader->config, url, schemes,
                                                  reader->reterr);
}

/* Reads base_url and proxy. */
static void rows_addresses(struct rows_reader *reader, surety_val from,
                           surety__config_provider *provider)
{
    const surety_val url = surety_val_get(from, "base_url");
    const surety_val proxy = surety_val_get(from, "proxy");

    if (url.doc) {
        surety_str *base = &provider->defaults.base_url;

        *base = surety_val_str(url);
        while (base->len > 0 && base->ptr[base->len - 1] == '/')
            base->len--;
        rows_check_url(reader, url, "https http");
    }
    if (proxy.doc) {
        provider->proxy = surety_val_str(proxy);
        rows_check_url(reader, proxy,
                       "http https socks4 socks4a socks5 socks5h");
    }
}

static surety_str rows_path(struct rows_reader *reader, surety_str path)
{
    const surety_str whole = surety__config_path(reader->config, path);

    if (!whole.ptr)
        rows_starved(reader);
    return whole;
}

static void rows_provider(struct rows_reader *reader, surety_val from,
                          surety__config_provider *provider)
{
    const surety_str name = surety_val_str(surety_val_key(from));
    const surety__config_provider *builtin =
        surety__config_provider_find(reader->config, name);
    const surety_val protocol = surety_val_get(from, "protocol");
    const surety_val headers = surety_val_get(from, "headers");
    const surety_val ca_file = surety_val_get(from, "ca_file");

    if (builtin)
        *provider = *builtin;
    if (provider->reach != REACH_HTTP)
        rows_fault(reader, surety_val_key(from),
                   "\"%.*s\" is no provider that can be changed", (int)name.len,
                   name.ptr);
    provider->name = name;
    (void)surety__protocol_named(surety_val_str(protocol),
                                 &provider->defaults.protocol);
    if (headers.doc)
        provider->headers = headers;
    if (ca_file.doc)
        provider->ca_file = rows_path(reader, surety_val_str(ca_file));
    provider->public_only =
        surety_val_bool(surety_val_get(from, "public_only"), false);
    rows_common(reader, from, &provider->defaults);
    rows_key(reader, from, provider);
    rows_addresses(reader, from, provider);
    if (!reader->status)
        reader->status = surety__config_check_headers(reader->config, headers,
                                                      reader->reterr);
    if (provider->defaults.base_url.len == 0 &&
        rows_fault(reader, from,
                   "the provider \"%.*s\" is not built in and has no base_url",
                   (int)name.len, name.ptr))
        surety__hint(reader->reterr, "add its address, such as \"base_url\": "
                                     "\"http://127.0.0.1:8000/v1\"");
}

/* ---- models -------------------------------------------------------------- */

/* NULL: there is none, and a fault was reported. */
static const surety__config_provider *
rows_find_provider(struct rows_reader *reader, surety_val name)
{
    const surety_str word = surety_val_str(name);
    const surety_str nearest =
        surety__config_nearest(reader->config, word, false);
    const surety__config_provider *provider =
        surety__config_provider_find(reader->config, word);

    if (provider || !rows_fault(reader, name, "there is no provider \"%.*s\"",
                                (int)(word.len < 64 ? word.len : 64), word.ptr))
        return provider;
    if (nearest.len > 0)
        surety__hint(reader->reterr, "did you mean \"%.*s\"?", (int)nearest.len,
                     nearest.ptr);
    else
        surety__hint(reader->reterr, "add it to \"providers\"");
    return NULL;
}

static void rows_model(struct rows_reader *reader, surety_val from,
                       surety__config_row *row)
{
    const surety_val temperature = surety_val_get(from, "temperature");
    const surety_val mode = surety_val_get(from, "mode");
    const surety__config_provider *provider =
        rows_find_provider(reader, surety_val_get(from, "provider"));
    surety_model *model = &row->model;

    if (!provider)
        return;
    row->provider = provider;
    row->environment = surety_val_get(from, "env");
    row->at_once =
        (uint32_t)surety_val_uint(surety_val_get(from, "at_once"), 0);
    *model = provider->defaults;
    model->name = surety_val_str(surety_val_key(from));
    model->model = surety_val_str(surety_val_get(from, "model"));
    for (int i = 0; i <= SURETY_MODE_PROMPT; i++)
        if (surety_val_is(mode, surety_mode_name((surety_mode)i)))
            model->mode = (surety_mode)i;
    model->whole = !surety_val_bool(surety_val_get(from, "stream"), true);
    model->has_temperature = temperature.doc != NULL;
    model->temperature = surety_val_real(temperature, 0);
    model->output_tokens_max =
        (uint32_t)surety_val_uint(surety_val_get(from, "max_tokens"), 0);
    model->extra = surety_val_get(from, "extra");
    rows_common(reader, from, model);
    model->price = rows_price(reader, surety_val_get(from, "price"));
    /* Only commands have an environment. */
    if (row->environment.doc && provider->reach != REACH_EXEC &&
        rows_fault(reader, surety_val_key(row->environment),
                   "env is for commands, and \"%.*s\" is none",
                   (int)provider->name.len, provider->name.ptr))
        surety__hint(reader->reterr,
                     "it lists what a model with \"provider\": \"exec\" gets "
                     "of the environment");
}

/* ---- the whole file ------------------------------------------------------ */

/* Space for the members of from and one more; NULL: out of memory. */
static void *rows_room(struct rows_reader *reader, surety_val from, size_t size)
{
    void *room = surety__arena_take(&reader->config->arena,
                                    (surety_val_count(from) + 1) * size);

    if (!room)
        rows_starved(reader);
    return room;
}

/* Reads the paths that a gateway passes on to a provider. */
static void rows_passed(struct rows_reader *reader, surety_val from,
                        const surety__config_provider *provider)
{
    surety_config *config = reader->config;
    surety_position at;

    SURETY_EACH (path, surety_val_get(from, "passed_paths")) {
        surety_config_passed *row = &config->passed[config->passed_count++];

        at = surety_val_position(path);
        row->position = surety_position_at(config->text, at.offset, at.length);
        row->provider = provider->name;
        row->protocol = provider->defaults.protocol;
        row->path = surety__arena_text(&config->arena, surety_val_str(path));
        if (!row->path.ptr)
            rows_starved(reader);
    }
}

/* Reads the members that a gateway leaves out for a provider, to the end of the
 * list. */
static void rows_ignored(surety_config_info *info, surety_val from,
                         const surety__config_provider *provider,
                         surety_config_ignored *list)
{
    SURETY_EACH (member, surety_val_get(from, "ignored_members"))
        list[info->ignored_count++] =
            (surety_config_ignored){provider->name, surety_val_str(member)};
}

/* Reads what a gateway does for the providers. */
static void rows_gateway(struct rows_reader *reader, surety_val providers)
{
    surety_config *config = reader->config;
    surety_config_ignored *ignored;
    size_t passed_count = 0, ignored_count = 0;

    SURETY_EACH (from, providers) {
        passed_count += surety_val_count(surety_val_get(from, "passed_paths"));
        ignored_count +=
            surety_val_count(surety_val_get(from, "ignored_members"));
    }
    config->passed = surety__arena_take(
        &config->arena, (passed_count + 1) * sizeof(*config->passed));
    ignored = surety__arena_take(&config->arena,
                                 (ignored_count + 1) * sizeof(*ignored));
    config->info.ignored = ignored;
    if (!config->passed || !ignored)
        rows_starved(reader);
    SURETY_EACH (from, providers) {
        const surety__config_provider *provider = surety__config_provider_find(
            config, surety_val_str(surety_val_key(from)));

        if (reader->status)
            break;
        rows_passed(reader, from, provider);
        rows_ignored(&config->info, from, provider, ignored);
    }
}

/* Reads the providers, the models and the prices. */
static void rows_groups(struct rows_reader *reader, surety_val root)
{
    const surety_val providers = surety_val_get(root, "providers");
    const surety_val models = surety_val_get(root, "models");
    const surety_val prices = surety_val_get(root, "prices");
    surety_config *config = reader->config;

    config->providers =
        rows_room(reader, providers, sizeof(*config->providers));
    config->rows = rows_room(reader, models, sizeof(*config->rows));
    config->prices = rows_room(reader, prices, sizeof(*config->prices));
    for (surety_val val = surety_val_first(providers);
         val.doc && !reader->status; val = surety_val_next(providers, val)) {
        rows_provider(reader, val, &config->providers[config->provider_count]);
        config->provider_count += !reader->status;
    }
    rows_gateway(reader, providers);
    for (surety_val val = surety_val_first(models); val.doc && !reader->status;
         val = surety_val_next(models, val))
        rows_model(reader, val, &config->rows[config->row_count++]);
    for (surety_val val = surety_val_first(prices); val.doc && !reader->status;
         val = surety_val_next(prices, val))
        config->prices[config->price_count++] =
            (surety__config_price){.name = surety_val_str(surety_val_key(val)),
                                   .price = rows_price(reader, val)};
}

/* A number of retries: 0 becomes SURETY_RUN_NONE, absent becomes 0 (the
 * default). */
static uint32_t rows_retries(surety_val count)
{
    const uint32_t most = (uint32_t)surety_val_uint(count, 0);

    return count.doc && most == 0 ? SURETY_RUN_NONE : most;
}

/* Reads budget, retry and stop. */
static void rows_bounds(struct rows_reader *reader, surety_val root)
{
    const surety_val budget = surety_val_get(root, "budget");
    const surety_val retry = surety_val_get(root, "retry");
    const surety_val stop = surety_val_get(root, "stop");
    surety_config *config = reader->config;

    config->budget.calls_max =
        (uint32_t)surety_val_uint(surety_val_get(budget, "calls"), 0);
    config->budget.tokens_max =
        surety_val_uint(surety_val_get(budget, "tokens"), 0);
    config->budget.ms_max =
        rows_amount(reader, surety_val_get(budget, "seconds"), 3, 0);
    config->budget.cost_picousd_max =
        rows_amount(reader, surety_val_get(budget, "usd"), 12, 0);
    config->backoff.retries_max = rows_retries(surety_val_get(retry, "max"));
    config->broken_retries_max = rows_retries(surety_val_get(retry, "broken"));
    for (int i = 0; i <= SURETY_STOP_NEVER; i++)
        if (surety_val_is(stop, surety__stop_name((surety_stop)i)))
            config->stop = (surety_stop)i;
    config->backoff.first_ms = rows_ms(reader, retry, "first", 0);
    config->backoff.most_ms = rows_ms(reader, retry, "most", 0);
    config->backoff.retry_after_max_ms =
        rows_ms(reader, retry, "retry_after", 0);
}

/* Sets limits by name; only base/limits.def knows the names. */
static void rows_limits(struct rows_reader *reader, surety_val from)
{
    surety_config *config = reader->config;

    config->limits.size = sizeof(config->limits);
    for (surety_val val = surety_val_first(from); val.doc && !reader->status;
         val = surety_val_next(from, val)) {
        const surety_val name = surety_val_key(val);
        surety_limit limit;
        bool known = false;

        reader->status = surety_limits_set(
            &config->limits, surety_val_str(name),
            surety_val_kind(val) == SURETY_KIND_STRING ? surety_val_str(val)
                                                       : surety_val_number(val),
            reader->reterr);
        if (!reader->status)
            continue;
        for (size_t i = 0; surety_limit_at(i, &limit) && !known; i++)
            known = surety_val_is(name, limit.name);
        reader->status = surety__config_at(config, known ? val : name,
                                           reader->reterr, reader->status);
    }
}

/* Reads the ledger. A plain path is relative to the configuration's
 * folder. */
static void rows_ledger(struct rows_reader *reader, surety_val ledger)
{
    const surety_val url = surety_val_get(ledger, "url");
    const surety_str text = surety_val_str(url);
    surety_config_info *info = &reader->config->info;

    info->ledger = text;
    info->ledger_raw = surety_val_bool(surety_val_get(ledger, "raw"), false);
    info->ledger_optional =
        surety_val_bool(surety_val_get(ledger, "optional"), false);
    if (surety__str_starts(text, SURETY__LITERAL("postgres"))) {
        if (memchr(text.ptr, ':', text.len))
            rows_check_url(reader, url, "postgresql postgres");
    } else if (text.len &&
               !surety__str_starts(text, SURETY__LITERAL("sqlite:")) &&
               !surety_str_equal(text, SURETY__LITERAL("none"))) {
        info->ledger = rows_path(reader, text);
    }
}

/* ---- routes -------------------------------------------------------------- */

/* Reports a name that is no model of the file. */
static bool rows_is_model(struct rows_reader *reader, surety_val name)
{
    const surety_config *config = reader->config;
    const surety_str word = surety_val_str(name);
    const surety_str nearest = surety__config_nearest(config, word, true);

    for (size_t i = 0; i < config->row_count; i++)
        if (surety_str_equal(config->rows[i].model.name, word))
            return true;
    if (rows_fault(reader, name, "there is no model \"%.*s\" in this file",
                   (int)(word.len < 64 ? word.len : 64), word.ptr)) {
        if (nearest.len)
            surety__hint(reader->reterr, "did you mean \"%.*s\"?",
                         (int)nearest.len, nearest.ptr);
        else
            surety__hint(reader->reterr, "it is a name of \"models\"");
    }
    return false;
}

static void rows_route(struct rows_reader *reader, surety_val from,
                       surety_config_route *route)
{
    surety_str *models = rows_room(reader, from, sizeof(*models));
    uint32_t *weights = rows_room(reader, from, sizeof(*weights));

    if (reader->status)
        return;
    route->name = surety_val_str(surety_val_key(from));
    route->models = models;
    route->weights = weights;
    SURETY_EACH (one, from) {
        const surety_val inner = surety_val_get(one, "model");
        const surety_val name = inner.doc ? inner : one;
        const surety_str word = surety_val_str(name);

        if (!rows_is_model(reader, name))
            return;
        for (size_t i = 0; i < route->model_count; i++)
            if (surety_str_equal(models[i], word) &&
                rows_fault(reader, name,
                           "the route has the model \"%.*s\" twice",
                           (int)word.len, word.ptr))
                surety__hint(reader->reterr, "leave one of them out");
        weights[route->model_count] =
            (uint32_t)surety_val_uint(surety_val_get(one, "weight"), 0);
        models[route->model_count++] = word;
    }
}

static void rows_routes(struct rows_reader *reader, surety_val routes)
{
    surety_config *config = reader->config;

    config->routes = rows_room(reader, routes, sizeof(*config->routes));
    for (surety_val val = surety_val_first(routes); val.doc && !reader->status;
         val = surety_val_next(routes, val))
        rows_route(reader, val, &config->routes[config->route_count++]);
}

/* Checks that the names in "default" can be found. */
static void rows_default(struct rows_reader *reader, surety_val names)
{
    const surety_config *config = reader->config;
    const bool is_list = surety_val_kind(names) == SURETY_KIND_ARRAY;
    surety_val name = is_list ? surety_val_first(names) : names;

    for (; name.doc && !reader->status;
         name = is_list ? surety_val_next(names, name) : surety_val_none()) {
        const surety_str word = surety_val_str(name);
        bool found = memchr(word.ptr, ':', word.len) != NULL;

        for (size_t i = 0; i < config->row_count && !found; i++)
            found = surety_str_equal(config->rows[i].model.name, word);
        if (!found &&
            rows_fault(reader, name, "there is no model \"%.*s\" in this file",
                       (int)(word.len < 64 ? word.len : 64), word.ptr))
            surety__hint(reader->reterr,
                         "it is a name of \"models\", or PROVIDER:MODEL");
    }
}

surety_status surety__config_rows(surety_config *config, surety_error *reterr)
{
    const surety_val root = surety_doc_root(config->doc);
    struct rows_reader reader = {.config = config, .reterr = reterr};

    rows_groups(&reader, root);
    rows_bounds(&reader, root);
    rows_limits(&reader, surety_val_get(root, "limits"));
    rows_ledger(&reader, surety_val_get(root, "ledger"));
    rows_routes(&reader, surety_val_get(root, "routes"));
    rows_default(&reader, surety_val_get(root, "default"));
    return reader.status;
}
