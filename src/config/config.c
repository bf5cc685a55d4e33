/* SPDX-License-Identifier: Apache-2.0 */
/* config.c: reading surety.json, and what it says of budget, retry and ledger.
 *
 * Comments are blanked, the JSON is read with no key twice, the built-in
 * contract surety/config checks it, and rows are made of it (rows.c). Nothing
 * is opened and no key is read until a model is asked for (model.c). A position
 * is counted in the text as it was written: blanking keeps offsets, and the
 * file's own columns count code points of comments too. */
#include "config/config.h"

enum { CONFIG_WORD_MAX = 20 };

/* The text that the JSON reader refused may be a misplaced key: words too long
 * to be anything else are left out of its message. */
static void config_mask(surety_error *reterr)
{
    char *to = reterr ? reterr->message : NULL;
    const char *from = to;

    while (from && *from) {
        const size_t blanks = strspn(from, " ");
        const size_t len = strcspn(from + blanks, " ");
        memmove(to, from, blanks);
        to += blanks;
        from += blanks;
        if (len > CONFIG_WORD_MAX) {
            memcpy(to, "...", 3);
            to += 3;
        } else {
            memmove(to, from, len);
            to += len;
        }
        from += len;
    }
    if (to)
        *to = '\0';
}

/* Keeps the options, with a folder of its own. */
static surety_status config_options(surety_config *config,
                                    const surety_config_options *options,
                                    surety_error *reterr)
{
    surety_str *folder = &config->options.folder;

    config->options = *options;
    if (folder->len == 0)
        return SURETY_OK;
    *folder = surety__arena_text(&config->arena, *folder);
    return folder->ptr ? SURETY_OK : surety__fail_nomem(reterr);
}

/* Reads text, of which comments are no part, into the document. */
static surety_status config_doc(surety_config *config, surety_str text,
                                surety_error *reterr)
{
    const surety_read_options options = {.size = sizeof(options),
                                         .flags = SURETY_READ_SKIP_BOM |
                                                  SURETY_READ_UNIQUE_KEYS};
    const size_t max = surety_limits_of(NULL).schema_bytes_max;
    char *blanked = NULL;
    surety_status status;

    if (text.len > max)
        return surety__fail(reterr, SURETY_LIMIT,
                            "the configuration has %zu bytes, more than %zu",
                            text.len, max);
    blanked = surety__resize(config->alloc, NULL, 0, text.len + 1);
    if (!blanked)
        return surety__fail_nomem(reterr);
    status = surety_json_uncomment(text, blanked, reterr);
    if (status == SURETY_OK) {
        status = surety_doc_read(config->doc, (surety_str){blanked, text.len},
                                 &options, reterr);
        if (status != SURETY_OK) {
            surety__config_place(config, reterr);
            config_mask(reterr);
        }
    }
    surety__free(config->alloc, blanked, text.len + 1);
    return status;
}

surety_status surety_config_read(surety_str text,
                                 const surety_config_options *options,
                                 surety_config **ret_config,
                                 surety_error *reterr)
{
    surety_config_options own;
    surety_config *config;
    surety_status status =
        surety__options_take(&own, sizeof(own), options, reterr);

    if (status)
        return status;
    config = surety__new(own.alloc, sizeof(*config));
    if (!config)
        return surety__fail_nomem(reterr);
    config->alloc = own.alloc;
    surety__arena_init(&config->arena, own.alloc, 0);
    status = config_options(config, &own, reterr);
    if (status != SURETY_OK)
        goto done;
    config->doc = surety_doc_new(own.alloc);
    if (!config->doc) {
        status = surety__fail_nomem(reterr);
        goto done;
    }
    config->text = text;
    status =
        config_doc(config, text.len > 0 ? text : SURETY__LITERAL("{}"), reterr);
    if (status == SURETY_OK && text.len > 0)
        status = surety__config_check(config, reterr);
    if (status == SURETY_OK)
        status = surety__config_rows(config, reterr);
    config->text = (surety_str){NULL, 0};
done:
    if (status == SURETY_OK)
        *ret_config = config;
    else
        surety_config_free(config);
    return status;
}

void surety_config_free(surety_config *config)
{
    if (!config)
        return;
    for (surety__config_transport *row = config->transports; row;
         row = row->next)
        row->transport->close(row->transport->ctx);
    for (surety__config_recording *row = config->recordings; row;
         row = row->next)
        surety_recording_free(row->recording);
    surety__config_keys_wipe(config);
    surety_doc_free(config->doc);
    surety__arena_done(&config->arena);
    surety__free(config->alloc, config, sizeof(*config));
}

surety_str surety_config_default(const surety_config *config, size_t i)
{
    const surety_val names =
        surety_val_get(surety_doc_root(config->doc), "default");

    if (surety_val_kind(names) == SURETY_KIND_ARRAY)
        return surety_val_str(surety_val_item(names, i));
    return i == 0 ? surety_val_str(names) : (surety_str){NULL, 0};
}

size_t surety_config_model_count(const surety_config *config)
{
    return config->row_count;
}

surety_str surety_config_model_name(const surety_config *config, size_t i)
{
    return i < config->row_count ? config->rows[i].name : (surety_str){NULL, 0};
}

surety_budget surety_config_budget(const surety_config *config)
{
    return config->budget;
}

surety_backoff surety_config_backoff(const surety_config *config)
{
    return config->backoff;
}

void surety_config_run(const surety_config *config, surety_run_options *options)
{
    options->budget = config->budget;
    options->backoff = config->backoff;
    options->broken_retries_max = config->broken_retries_max;
    options->stop = config->stop;
    if (!options->limits)
        options->limits = &config->limits;
}

const surety_limits *surety_config_limits(const surety_config *config)
{
    return &config->limits;
}

surety_str surety_config_ledger(const surety_config *config)
{
    return config->ledger;
}

static surety_val config_ledger(const surety_config *config, const char *name)
{
    return surety_val_get(
        surety_val_get(surety_doc_root(config->doc), "ledger"), name);
}

bool surety_config_ledger_raw(const surety_config *config)
{
    return surety_val_bool(config_ledger(config, "raw"), false);
}

bool surety_config_ledger_optional(const surety_config *config)
{
    return surety_val_bool(config_ledger(config, "optional"), false);
}
