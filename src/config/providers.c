/* SPDX-License-Identifier: Apache-2.0 */
/* providers.c: the built-in providers, one row each, and finding a provider by
 * name. A row of the file that has the name of a built-in one changes its
 * members one by one (rows.c).
 *
 * Addresses and variables come from the providers' own documentation; the
 * ports of local servers are their defaults. */
#include "config/config.h"

#define PROVIDERS_TEXT(text)                                                   \
    {                                                                          \
        (text), sizeof(text) - 1                                               \
    }
#define PROVIDERS_ROW(word, way, speaks, url, key)                             \
    {                                                                          \
        .name = PROVIDERS_TEXT(word), .reach = (way),                          \
        .defaults = {.protocol = (speaks), .base_url = PROVIDERS_TEXT(url)},   \
        .key_env = PROVIDERS_TEXT(key)                                         \
    }

static const surety__config_provider providers_builtin[] = {
    PROVIDERS_ROW("openai", REACH_HTTP, SURETY_PROTOCOL_OPENAI,
                  "https://api.openai.com/v1", "OPENAI_API_KEY"),
    PROVIDERS_ROW("responses", REACH_HTTP, SURETY_PROTOCOL_RESPONSES,
                  "https://api.openai.com/v1", "OPENAI_API_KEY"),
    PROVIDERS_ROW("anthropic", REACH_HTTP, SURETY_PROTOCOL_ANTHROPIC,
                  "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
    PROVIDERS_ROW("gemini", REACH_HTTP, SURETY_PROTOCOL_GEMINI,
                  "https://generativelanguage.googleapis.com/v1beta",
                  "GEMINI_API_KEY"),
    PROVIDERS_ROW("ollama", REACH_HTTP, SURETY_PROTOCOL_OPENAI,
                  "http://127.0.0.1:11434/v1", ""),
    PROVIDERS_ROW("vllm", REACH_HTTP, SURETY_PROTOCOL_OPENAI,
                  "http://127.0.0.1:8000/v1", ""),
    PROVIDERS_ROW("llamacpp", REACH_HTTP, SURETY_PROTOCOL_OPENAI,
                  "http://127.0.0.1:8080/v1", ""),
    PROVIDERS_ROW("lmstudio", REACH_HTTP, SURETY_PROTOCOL_OPENAI,
                  "http://127.0.0.1:1234/v1", ""),
    PROVIDERS_ROW("openrouter", REACH_HTTP, SURETY_PROTOCOL_OPENAI,
                  "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    PROVIDERS_ROW("exec", REACH_EXEC, SURETY_PROTOCOL_TEXT, "", ""),
    PROVIDERS_ROW("replay", REACH_REPLAY, SURETY_PROTOCOL_OPENAI,
                  "http://recording.invalid", ""),
};

/* The i-th provider: those of the configuration, then the built-in ones; NULL
 * after the last. */
static const surety__config_provider *providers_at(const surety_config *config,
                                                   size_t i)
{
    const size_t builtin =
        sizeof(providers_builtin) / sizeof(*providers_builtin);

    if (i < config->provider_count)
        return &config->providers[i];
    i -= config->provider_count;
    return i < builtin ? &providers_builtin[i] : NULL;
}

const surety__config_provider *
surety__config_provider_find(const surety_config *config, surety_str name)
{
    const surety__config_provider *provider;
    size_t i = 0;

    do {
        provider = providers_at(config, i++);
    } while (provider && !surety_str_equal(provider->name, name));
    return provider;
}

/* Takes candidate if it is nearer to word than the best so far. */
static void providers_try(surety_str word, surety_str candidate,
                          unsigned *nearest, surety_str *found)
{
    const unsigned distance = surety__str_distance(word, candidate, *nearest);

    if (distance < *nearest) {
        *nearest = distance;
        *found = candidate;
    }
}

surety_str surety__config_nearest(const surety_config *config, surety_str word,
                                  bool of_models)
{
    surety_str found = {NULL, 0};
    unsigned nearest = (unsigned)((word.len > 12 ? 12 : word.len) + 2) / 3 + 1;

    if (nearest > word.len) /* a word with all letters changed is not near */
        nearest = (unsigned)word.len;
    for (size_t i = 0; of_models && i < config->row_count; i++)
        providers_try(word, config->rows[i].model.name, &nearest, &found);
    for (size_t i = 0; !of_models && providers_at(config, i); i++)
        providers_try(word, providers_at(config, i)->name, &nearest, &found);
    return found;
}
