/* SPDX-License-Identifier: Apache-2.0 */
/* What a request needs besides itself: the configuration, the registry, and the
 * contracts that were compiled for earlier requests.
 *
 * Invariants:
 * 1. All of it is replaced at once by a reload. Users are counted, so an
 *    exchange keeps what it began with.
 * 2. The kept contracts are bounded in number and bytes; the one that was not
 *    used for the longest time goes first. A contract that is in use is freed
 *    by its last user.
 * 3. A kept contract is found by its whole key: equal hashes are compared. */
#include "gateway/gateway.h"

surety_status surety__settings_read(surety_gateway *gateway,
                                    surety__settings **ret_settings,
                                    surety_error *reterr)
{
    const surety_gateway_options *options = &gateway->options;
    const surety_alloc *alloc = options->alloc;
    surety_config_options config = {.size = sizeof(config),
                                    .connections_max = options->requests_max,
                                    .alloc = alloc};
    surety_contract_options contract = {.size = sizeof(contract),
                                        .alloc = alloc};
    surety__settings *settings = surety__new(alloc, sizeof(*settings));
    surety_status status;

    if (!settings)
        return surety__fail_nomem(reterr);
    settings->users = 1;
    settings->turns = &gateway->turns;
    settings->alloc = alloc;
    status =
        surety_config_load(options->config, &config, &settings->config, reterr);
    config.keyless = true;
    if (!status)
        status = surety_config_load(options->config, &config,
                                    &settings->keyless, reterr);
    if (!status)
        status = surety__objects_check(surety_config_info_of(settings->config),
                                       reterr);
    if (!status)
        status = surety_registry_new(options->contracts, &contract,
                                     &settings->registry, reterr);
    if (status)
        surety__settings_leave(settings);
    else
        *ret_settings = settings;
    return status;
}

size_t surety__settings_model(const surety__settings *settings, surety_str name)
{
    const surety_config_info *info = surety_config_info_of(settings->config);

    for (size_t i = 0; i < info->model_count; i++)
        if (surety_str_equal(info->models[i], name))
            return i;
    return SIZE_MAX;
}

/* ---- contracts ----------------------------------------------------------- */

void surety__kept_leave(surety__settings *settings, surety__kept *kept)
{
    if (!kept || --kept->users > 0)
        return;
    surety_contract_free(kept->contract);
    surety__free(settings->alloc, kept, sizeof(*kept) + kept->key.len);
}

/* Takes a contract out of the list of those that are kept. */
static void kept_unlink(surety__settings *settings, surety__kept *kept)
{
    *(kept->newer ? &kept->newer->older : &settings->newest) = kept->older;
    *(kept->older ? &kept->older->newer : &settings->oldest) = kept->newer;
    kept->newer = kept->older = NULL;
}

static void kept_link(surety__settings *settings, surety__kept *kept)
{
    kept->older = settings->newest;
    *(settings->newest ? &settings->newest->newer : &settings->oldest) = kept;
    settings->newest = kept;
}

/* Forgets the oldest contracts until the bounds are kept. */
static void kept_trim(surety__settings *settings)
{
    while (settings->kept_count > SURETY__GATEWAY_KEPT_MAX ||
           settings->kept_bytes > SURETY__GATEWAY_KEPT_BYTES_MAX) {
        surety__kept *kept = settings->oldest;

        assert(kept);
        kept_unlink(settings, kept);
        settings->kept_count--;
        settings->kept_bytes -= kept->key.len;
        surety__kept_leave(settings, kept);
    }
}

/* Gives a kept contract to one more user; NULL: it is not kept. */
static surety__kept *kept_find(surety__settings *settings, surety_str key)
{
    const uint32_t hash = surety__hash(key.ptr, key.len);

    for (surety__kept *kept = settings->newest; kept; kept = kept->older) {
        if (kept->hash != hash || !surety_str_equal(kept->key, key))
            continue;
        kept_unlink(settings, kept);
        kept_link(settings, kept);
        kept->users++;
        return kept;
    }
    return NULL;
}

/* Keeps a contract, which it takes, and gives it to its first user. */
static surety_status kept_add(surety__settings *settings, surety_str key,
                              surety_contract *contract,
                              surety__kept **ret_kept, surety_error *reterr)
{
    surety__kept *kept = surety__new(settings->alloc, sizeof(*kept) + key.len);
    char *bytes;

    if (!kept) {
        surety_contract_free(contract);
        return surety__fail_nomem(reterr);
    }
    bytes = (char *)(kept + 1);
    memcpy(bytes, key.ptr, key.len);
    kept->key = (surety_str){bytes, key.len};
    kept->hash = surety__hash(key.ptr, key.len);
    kept->contract = contract;
    kept->users = 2;
    kept_link(settings, kept);
    settings->kept_count++;
    settings->kept_bytes += key.len;
    kept_trim(settings);
    *ret_kept = kept;
    return SURETY_OK;
}

bool surety__contract_is_name(surety_str name)
{
    return !surety__str_starts(name, SURETY__LITERAL(".")) &&
           !surety__str_starts(name, SURETY__LITERAL("/")) &&
           surety__str_find(name, SURETY__LITERAL("..")) == name.len &&
           !surety__str_ends(name, SURETY__LITERAL(".json"));
}

surety_status surety__settings_named(surety__settings *settings,
                                     surety_str name, surety__kept **ret_kept,
                                     surety_error *reterr)
{
    surety_contract *contract;
    surety_status status;
    surety_buf key;

    if (!surety__contract_is_name(name))
        return surety__fail(reterr, SURETY_END,
                            "\"%.*s\" is no contract's name", (int)name.len,
                            name.ptr);
    surety_buf_init(&key, settings->alloc, 0);
    surety_buf_byte(&key, 'N');
    surety_buf_add(&key, name);
    status = key.status ? surety__fail_nomem(reterr) : SURETY_OK;
    if (!status) {
        *ret_kept = kept_find(settings, surety_buf_str(&key));
        if (!*ret_kept)
            status = surety_registry_find(settings->registry, name, &contract,
                                          reterr);
        if (!status && !*ret_kept)
            status = kept_add(settings, surety_buf_str(&key), contract,
                              ret_kept, reterr);
    }
    surety_buf_done(&key);
    return status;
}

bool surety__contract_has_programs(const surety_contract *contract)
{
    const surety_contract_info *info = surety_contract_info_of(contract);

    return info->rule_count || surety_val_count(info->derive);
}

surety_status surety__settings_schema(surety__settings *settings,
                                      surety_str name, surety_str schema,
                                      surety__kept **ret_kept,
                                      surety_error *reterr)
{
    surety_contract_options options = {
        .size = sizeof(options), .name = name, .alloc = settings->alloc};
    surety_contract *contract;
    surety_status status = SURETY_OK;
    surety_buf key;

    surety_buf_init(&key, settings->alloc, 0);
    surety_buf_byte(&key, 'S');
    surety_buf_add(&key, name);
    surety_buf_byte(&key, '\0');
    surety_buf_add(&key, schema);
    if (key.status) {
        status = surety__fail_nomem(reterr);
        goto done;
    }
    *ret_kept = kept_find(settings, surety_buf_str(&key));
    if (*ret_kept)
        goto done;
    status = surety_contract_read(schema, &options, &contract, reterr);
    if (status)
        goto done;
    if (surety__contract_has_programs(contract)) {
        surety_contract_free(contract);
        status = surety__fail(reterr, SURETY_UNSUPPORTED,
                              "x-surety: rules and derived members of a "
                              "request's own schema are not executed");
        surety__hint(reterr, "give them in a contract of the gateway, and name "
                             "it in the header Surety-Contract");
        goto done;
    }
    status =
        kept_add(settings, surety_buf_str(&key), contract, ret_kept, reterr);
done:
    surety_buf_done(&key);
    return status;
}

void surety__settings_leave(surety__settings *settings)
{
    if (!settings || --settings->users > 0)
        return;
    while (settings->oldest) {
        surety__kept *kept = settings->oldest;

        kept_unlink(settings, kept);
        surety__kept_leave(settings, kept);
    }
    surety_registry_free(settings->registry);
    surety_config_free(settings->keyless);
    surety_config_free(settings->config);
    surety__free(settings->alloc, settings, sizeof(*settings));
}
