/* SPDX-License-Identifier: Apache-2.0 */
/* config.c: reads surety.json, with its budget, retry and ledger.
 *
 * Steps: comments are replaced by blanks, the JSON is read (duplicate keys are
 * errors), the built-in contract surety/config checks it, and rows.c fills the
 * structs. No file or connection is opened and no key is read until a model is
 * requested (model.c). Positions refer to the original text: blanks keep the
 * offsets, and columns count the code points of comments too. */
#include "config/config.h"

enum { CONFIG_WORD_MAX = 20 };

/* Removes long words from the message of the JSON reader: the text that it
 * refused may be a misplaced key. */
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

/* Removes the comments of text and reads it into the document. */
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

/* Fills in the struct that callers see. */
static surety_status config_settle(surety_config *config, surety_error *reterr)
{
    const surety_val root = surety_doc_root(config->doc);
    const surety_val names = surety_val_get(root, "default");
    const bool many = surety_val_kind(names) == SURETY_KIND_ARRAY;
    const size_t count = many ? surety_val_count(names) : names.doc != NULL;
    surety_str *texts = surety__arena_take(
        &config->arena, (count + 1 + config->row_count) * sizeof(*texts));
    uint32_t *at_once = surety__arena_take(
        &config->arena, (config->row_count + 1) * sizeof(*at_once));
    size_t i = 0;

    if (!texts || !at_once)
        return surety__fail_nomem(reterr);
    if (!many && count)
        texts[i++] = surety_val_str(names);
    SURETY_EACH (name, names)
        texts[i++] = surety_val_str(name);
    texts[i++] = (surety_str){NULL, 0};
    for (size_t row = 0; row < config->row_count; row++) {
        texts[i++] = config->rows[row].model.name;
        at_once[row] = config->rows[row].at_once;
    }
    config->info.size = sizeof(config->info);
    config->info.folder = config->options.folder;
    config->info.defaults = texts;
    config->info.default_count = count;
    config->info.models = texts + count + 1;
    config->info.model_count = config->row_count;
    config->info.at_once = at_once;
    config->info.routes = config->routes;
    config->info.route_count = config->route_count;
    config->info.passed = config->passed;
    config->info.passed_count = config->passed_count;
    config->info.budget = &config->budget;
    config->info.backoff = &config->backoff;
    config->info.limits = &config->limits;
    return SURETY_OK;
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
    config->options = own;
    if (own.folder.len > 0)
        config->options.folder = surety__arena_text(&config->arena, own.folder);
    config->doc = surety_doc_new(own.alloc);
    if (!config->doc || (own.folder.len > 0 && !config->options.folder.ptr)) {
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
    if (status == SURETY_OK)
        status = config_settle(config, reterr);
    if (status == SURETY_OK)
        status = surety__config_tools(config, reterr);
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
    for (size_t i = 0; i < config->row_count; i++)
        surety_recording_free(config->rows[i].recording);
    for (surety__config_row *row = config->direct; row; row = row->next)
        surety_recording_free(row->recording);
    surety__config_keys_wipe(config);
    surety_doc_free(config->doc);
    surety__arena_done(&config->arena);
    surety__free(config->alloc, config, sizeof(*config));
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

const surety_config_info *surety_config_info_of(const surety_config *config)
{
    return &config->info;
}
