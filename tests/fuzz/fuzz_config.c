/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_config.c: any text as a configuration.
 *
 * What is refused has a message, and a place in the text where it is not a
 * limit's. What is taken gives every model of its own that needs no key and no
 * file, or says why not; a comment blanked twice is blanked once; no text that
 * is long enough for a key comes back in a message of the reader's. */
#include "config/config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

/* No variable is set. */
static const char *look_up(void *ctx, const char *name)
{
    (void)ctx;
    (void)name;
    return NULL;
}

/* Blanking keeps lengths and lines, and finds nothing more the second time. */
static void fuzz_blank(surety_str text)
{
    char *once = malloc(text.len + 1);
    char *twice = malloc(text.len + 1);
    surety_error err = {.status = SURETY_OK};

    must(once && twice);
    if (surety_json_uncomment(text, once, &err) == SURETY_OK) {
        must(!surety_json_uncomment((surety_str){once, text.len}, twice, NULL));
        must(text.len == 0 || memcmp(once, twice, text.len) == 0);
        for (size_t i = 0; i < text.len; i++)
            must(
                once[i] == text.ptr[i] ||
                (once[i] == ' ' && text.ptr[i] != '\n' && text.ptr[i] != '\r'));
    } else {
        must(err.position.line > 0 && err.position.offset < text.len);
    }
    free(once);
    free(twice);
}

static void fuzz_models(surety_config *config)
{
    for (size_t i = 0; i < surety_config_info_of(config)->model_count && i < 4;
         i++) {
        const surety_model *model = NULL;
        surety_error err = {.status = SURETY_OK};
        const surety__config_row *row = &config->rows[i];

        must(row->provider && row->model.model.len > 0);
        if (row->provider->reach != REACH_HTTP ||
            row->provider->key_file.len > 0)
            continue;
        must(row->provider->defaults.base_url.len > 0);
        if (surety_config_model(config,
                                surety_config_info_of(config)->models[i],
                                &model, &err)) {
            must(err.message[0] && !model);
        } else {
            must(model->key.len == 0 && model->transport != NULL);
            must(surety_str_equal(model->name,
                                  surety_config_info_of(config)->models[i]));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const surety_str text = {(const char *)data, size};
    const surety_config_options options = {.size = sizeof(options),
                                           .environment = look_up};
    surety_config *config = NULL;
    surety_error err = {.status = SURETY_OK};
    uint64_t picousd = 0;

    fuzz_blank(text);
    if (surety_config_read(text, &options, &config, &err)) {
        must(err.status < 0 && err.message[0] && !config);
        must(err.status != SURETY_SYNTAX || err.position.line > 0);
    } else {
        fuzz_models(config);
        (void)*surety_config_info_of(config)->budget;
        (void)surety_config_info_of(config)->defaults[0];
    }
    surety_config_free(config);
    if (surety_decimal_read(text, 12, &picousd, &err))
        must(err.message[0] && picousd == 0);
    return 0;
}
