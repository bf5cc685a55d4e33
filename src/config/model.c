/* SPDX-License-Identifier: Apache-2.0 */
/* model.c: from a name to a model that can be called.
 *
 * A name is a row of the file, or PROVIDER:MODEL, which makes a row from a
 * built-in or configured provider. exec and replay are providers whose models
 * are a command and a file. A model that was given out stays valid: the same
 * name gives the same model. Models with the same connection settings share
 * one transport, and so its connections. */
#include "provider/provider.h"
#include "config/config.h"

#define MODEL_RECORDING_MAX ((size_t)256 << 20)
#define MODEL_QUOTED_MAX 64

/* ---- transports ---------------------------------------------------------- */

/* Opens the transport for commands. They get the variables of all commands,
 * and those in names (an array or none) for one model. */
static surety_status model_open_exec(surety_config *config, surety_val names,
                                     surety_transport **ret_transport,
                                     surety_error *reterr)
{
    const surety_config_options *given = &config->options;
    size_t count = given->exec_environment_count;
    surety_str *all = surety__arena_take(
        &config->arena, (count + surety_val_count(names) + 1) * sizeof(*all));

    if (!all)
        return surety__fail_nomem(reterr);
    for (size_t i = 0; i < count; i++)
        all[i] = given->exec_environment[i];
    SURETY_EACH (val, names)
        all[count++] = surety_val_str(val);
    for (size_t i = 0; i < count; i++) {
        const surety_str name = surety__arena_text(&config->arena, all[i]);

        if (!name.ptr)
            return surety__fail_nomem(reterr);
        /* Likely a mistake, but the command may work without it. */
        if (!surety__environment(given, name.ptr))
            surety__config_warn(config,
                                "the environment variable %s, which is listed "
                                "for a command, is not set",
                                name.ptr);
    }
    return surety_exec_open(all, count, config->alloc, ret_transport, reterr);
}

/* Opens a transport for the model `from`; if exchanges are to be recorded, a
 * recorder is put around it. */
static surety_status model_open(surety_config *config, surety__reach reach,
                                const surety__config_row *from,
                                surety_transport **ret_transport,
                                surety_error *reterr)
{
    const surety_config_options *given = &config->options;
    const surety_http_options http = {
        .size = sizeof(http),
        .ca_file = from->provider->ca_file,
        .proxy = from->provider->proxy,
        .connections_max = given->connections_max,
        .connections_host_max = given->connections_max,
        .public_only = from->provider->public_only,
        .alloc = config->alloc};
    surety_transport *inner = NULL;
    surety_status status;

    if (reach == REACH_REPLAY)
        status =
            surety_replay_open(given->replay ? given->replay : from->recording,
                               given->replay ? SURETY_REPLAY_MATCH : 0,
                               config->alloc, &inner, reterr);
    else if (reach == REACH_EXEC)
        status = model_open_exec(config, from->environment, &inner, reterr);
    else
        status = surety_http_open(&http, &inner, reterr);
    *ret_transport = inner;
    if (status != SURETY_OK || !given->record)
        return status;
    status = surety_record_open(inner, given->record, given->record_ctx,
                                config->alloc, ret_transport, reterr);
    if (status != SURETY_OK)
        inner->close(inner->ctx);
    return status;
}

/* The open transport that the model may share; NULL: none. A recording has its
 * own, and so has a command with variables of its own. A recording that
 * replaces all providers has a single one. */
static surety__config_transport *
model_transport_find(const surety_config *config, surety__reach reach,
                     const surety__config_row *from)
{
    const surety__config_provider *provider = from->provider;
    surety__config_transport *row = config->transports;

    if (config->options.replay)
        return row;
    if (from->recording || surety_val_count(from->environment) > 0)
        return NULL;
    while (row && (row->reach != reach || row->is_own ||
                   row->public_only != provider->public_only ||
                   !surety_str_equal(row->ca_file, provider->ca_file) ||
                   !surety_str_equal(row->proxy, provider->proxy)))
        row = row->next;
    return row;
}

/* The transport of a model. */
static surety_status model_transport(surety_config *config,
                                     const surety__config_row *from,
                                     surety_transport **ret_transport,
                                     surety_error *reterr)
{
    const surety__config_provider *provider = from->provider;
    const surety__reach reach =
        config->options.replay ? REACH_REPLAY : provider->reach;
    surety__config_transport *row = model_transport_find(config, reach, from);
    surety_status status;

    if (!row) {
        row = surety__arena_take(&config->arena, sizeof(*row));
        if (!row)
            return surety__fail_nomem(reterr);
        status = model_open(config, reach, from, &row->transport, reterr);
        if (status != SURETY_OK)
            return status;
        row->reach = reach;
        row->ca_file = provider->ca_file;
        row->proxy = provider->proxy;
        row->public_only = provider->public_only;
        row->is_own = surety_val_count(from->environment) > 0;
        row->next = config->transports;
        config->transports = row;
    }
    assert(row->transport);
    *ret_transport = row->transport;
    return SURETY_OK;
}

/* ---- recordings ---------------------------------------------------------- */

/* Reads the recording of a model. The path of one that is named directly is
 * relative to the working folder, not to the configuration's: the user wrote
 * it there. */
static surety_status model_recording(surety_config *config,
                                     surety__config_row *row,
                                     surety_error *reterr)
{
    const surety_str name = row->model.model;
    const surety_str path = row->is_direct
                                ? surety__arena_text(&config->arena, name)
                                : surety__config_path(config, name);
    surety_buf text;
    surety_status status;

    if (row->recording)
        return SURETY_OK;
    if (!path.ptr)
        return surety__fail_nomem(reterr);
    surety_buf_init(&text, config->alloc, 0);
    status = surety__config_file(path.ptr, MODEL_RECORDING_MAX, &text, reterr);
    if (status == SURETY_OK) {
        status = surety_recording_read(surety_buf_str(&text), config->alloc,
                                       &row->recording, reterr);
        if (status != SURETY_OK && reterr && !reterr->source[0])
            memcpy(reterr->source, path.ptr,
                   path.len < sizeof(reterr->source)
                       ? path.len
                       : sizeof(reterr->source) - 1);
    }
    surety_buf_done(&text);
    return status;
}

/* ---- keys and headers ---------------------------------------------------- */

/* Warns if a key is sent unencrypted to another machine. */
static void model_warn_clear(const surety_config *config,
                             const surety__config_provider *provider)
{
    const surety_str url = provider->defaults.base_url;
    const surety_str near[] = {
        SURETY__LITERAL("http://127."), SURETY__LITERAL("http://localhost"),
        SURETY__LITERAL("http://[::1]"), SURETY__LITERAL("https://")};

    for (size_t i = 0; i < sizeof(near) / sizeof(*near); i++)
        if (surety__str_starts_nocase(url, near[i]))
            return;
    surety__config_warn(config,
                        "the key of the provider %.*s is sent unencrypted to "
                        "%.*s",
                        (int)provider->name.len, provider->name.ptr,
                        (int)url.len, url.ptr);
}

static surety_status model_key(surety_config *config,
                               const surety__config_provider *provider,
                               surety_str *ret_key, surety_error *reterr)
{
    surety_status status;

    if (config->options.keyless || config->options.replay ||
        (provider->key_env.len == 0 && provider->key_file.len == 0))
        return SURETY_OK;
    status = surety__config_key_read(config, provider->key_env,
                                     provider->key_file, ret_key, reterr);
    if (status == SURETY_OK)
        model_warn_clear(config, provider);
    else if (provider->key_env.len > 0)
        surety__hint(reterr,
                     "it holds the key of the provider %.*s: export "
                     "%.*s=...",
                     (int)provider->name.len, provider->name.ptr,
                     (int)provider->key_env.len, provider->key_env.ptr);
    else
        surety__hint(reterr, "it is the key_file of the provider %.*s",
                     (int)provider->name.len, provider->name.ptr);
    return status;
}

/* Sets the provider's headers. Secret ones are left out if no keys are used. */
static surety_status model_headers(surety_config *config, surety_val from,
                                   surety_model *model, surety_error *reterr)
{
    const bool keyless = config->options.keyless || config->options.replay;
    surety_header *headers;

    if (surety_val_count(from) == 0)
        return SURETY_OK;
    headers = surety__arena_take(&config->arena,
                                 surety_val_count(from) * sizeof(*headers));
    if (!headers)
        return surety__fail_nomem(reterr);
    model->headers = headers;
    SURETY_EACH (val, from) {
        surety_header header = {.name = surety_val_str(surety_val_key(val)),
                                .value = surety_val_str(val)};
        if (surety_val_kind(val) == SURETY_KIND_OBJECT) {
            const surety_status status =
                keyless
                    ? SURETY_OK
                    : surety__config_key_read(
                          config, surety_val_str(surety_val_get(val, "env")),
                          surety_val_str(surety_val_get(val, "file")),
                          &header.value, reterr);
            if (status != SURETY_OK)
                return status;
            if (keyless)
                continue;
            header.secret = true;
        }
        headers[model->header_count++] = header;
    }
    return SURETY_OK;
}

/* ---- models -------------------------------------------------------------- */

/* "exec:" and a command; ptr NULL: out of memory. */
static surety_str model_command(surety_config *config, surety_str command)
{
    surety_buf text;

    surety_buf_init(&text, config->alloc, 0);
    surety_buf_text(&text, "exec:");
    surety_buf_add(&text, command);
    return surety__arena_buf(&config->arena, &text);
}

/* Completes the model of a row: its key, headers and transport. */
static surety_status model_complete(surety_config *config,
                                    surety__config_row *row,
                                    surety_error *reterr)
{
    const surety__config_provider *provider = row->provider;
    surety_model model = row->model;
    surety_status status = SURETY_OK;

    assert(!row->is_ready);
    model.size = sizeof(model);
    model.provider = provider->name;
    model.model = surety__str_trim(model.model);
    if (provider->reach == REACH_REPLAY) {
        status = model_recording(config, row, reterr);
        if (status != SURETY_OK)
            return status;
        model.protocol = surety__recording_protocol(row->recording);
        model.model = surety__recording_model(row->recording);
        /* A recording may have no model name, but a request needs one. */
        if (model.model.len == 0)
            model.model = SURETY__LITERAL("recorded");
    }
    if (model.protocol == SURETY_PROTOCOL_TEXT) {
        model.base_url = model_command(config, row->model.model);
        if (!model.base_url.ptr)
            return surety__fail_nomem(reterr);
    }
    status = model_key(config, provider, &model.key, reterr);
    if (status == SURETY_OK)
        status = model_headers(config, provider->headers, &model, reterr);
    if (status == SURETY_OK)
        status = model_transport(config, row, &model.transport, reterr);
    if (status != SURETY_OK)
        return status;
    row->model = model;
    row->is_ready = true;
    return SURETY_OK;
}

/* The price of a model that is named directly. */
static surety_price model_price(const surety_config *config, surety_str name)
{
    for (size_t i = 0; i < config->price_count; i++)
        if (surety_str_equal(config->prices[i].name, name))
            return config->prices[i].price;
    return (surety_price){0};
}

/* Fails because no model has this name. colon: the end of the provider in it,
 * or its length. */
static surety_status model_refuse(const surety_config *config, surety_str name,
                                  size_t colon, surety_error *reterr)
{
    const bool is_direct = colon < name.len;
    const surety_str word = {name.ptr, colon};
    const surety_str nearest = surety__config_nearest(config, word, !is_direct);
    const int shown =
        (int)(word.len < MODEL_QUOTED_MAX ? word.len : MODEL_QUOTED_MAX);
    surety_status status;

    if (name.len == 0) {
        status = surety__fail(reterr, SURETY_SYNTAX, "no model is named");
        surety__hint(reterr, "it is PROVIDER:MODEL (such as ollama:llama3.2), "
                             "or the \"default\" of surety.json");
        return status;
    }
    if (is_direct && colon + 1 == name.len)
        return surety__fail(reterr, SURETY_SYNTAX, "\"%.*s:\" names no model",
                            shown, word.ptr);
    status = surety__fail(reterr, SURETY_SYNTAX, "there is no %s \"%.*s\"",
                          is_direct ? "provider" : "model", shown, word.ptr);
    if (nearest.len > 0)
        surety__hint(
            reterr, "did you mean \"%.*s%.*s\"?", (int)nearest.len, nearest.ptr,
            (int)(name.len - colon < MODEL_QUOTED_MAX ? name.len - colon
                                                      : MODEL_QUOTED_MAX),
            name.ptr + colon);
    else if (surety__config_provider_find(config, name))
        surety__hint(reterr, "a provider is followed by its model: %.*s:MODEL",
                     shown, name.ptr);
    else
        surety__hint(reterr, "a model is PROVIDER:MODEL (such as "
                             "ollama:llama3.2), exec:COMMAND, replay:FILE, or "
                             "a name of surety.json");
    return status;
}

/* The row of a model that the file has, or that was named directly before;
 * NULL: none. */
static surety__config_row *model_find(const surety_config *config,
                                      surety_str name)
{
    surety__config_row *row = config->direct;

    for (size_t i = 0; i < config->row_count; i++)
        if (surety_str_equal(config->rows[i].model.name, name))
            return &config->rows[i];
    while (row && !surety_str_equal(row->model.name, name))
        row = row->next;
    return row;
}

/* Makes the row of a model that is named directly. colon: the length of its
 * provider's name. */
static surety_status model_direct(surety_config *config, surety_str name,
                                  size_t colon, surety__config_row **ret_row,
                                  surety_error *reterr)
{
    const surety__config_provider *provider =
        surety__config_provider_find(config, (surety_str){name.ptr, colon});
    surety__config_row *row;

    if (!provider || colon + 1 >= name.len)
        return model_refuse(config, name, colon, reterr);
    row = surety__arena_take(&config->arena, sizeof(*row));
    name = surety__arena_text(&config->arena, name);
    if (!row || !name.ptr)
        return surety__fail_nomem(reterr);
    row->is_direct = true;
    row->provider = provider;
    row->model = provider->defaults;
    row->model.name = name;
    row->model.model = (surety_str){name.ptr + colon + 1, name.len - colon - 1};
    row->model.price = model_price(config, name);
    row->next = config->direct;
    config->direct = row;
    *ret_row = row;
    return SURETY_OK;
}

surety_status surety_config_model(surety_config *config, surety_str name,
                                  const surety_model **ret_model,
                                  surety_error *reterr)
{
    const char *mark = name.len ? memchr(name.ptr, ':', name.len) : NULL;
    const size_t colon = mark ? (size_t)(mark - name.ptr) : name.len;
    surety__config_row *row = model_find(config, name);
    surety_status status = SURETY_OK;

    if (!row)
        status = model_direct(config, name, colon, &row, reterr);
    if (status == SURETY_OK && !row->is_ready)
        status = model_complete(config, row, reterr);
    if (status == SURETY_OK)
        *ret_model = &row->model;
    return status;
}
