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

static const surety__config_provider providers_builtin[] = {
    {.name = PROVIDERS_TEXT("openai"),
     .protocol = SURETY_PROTOCOL_OPENAI,
     .base_url = PROVIDERS_TEXT("https://api.openai.com/v1"),
     .key_env = PROVIDERS_TEXT("OPENAI_API_KEY")},
    {.name = PROVIDERS_TEXT("responses"),
     .protocol = SURETY_PROTOCOL_RESPONSES,
     .base_url = PROVIDERS_TEXT("https://api.openai.com/v1"),
     .key_env = PROVIDERS_TEXT("OPENAI_API_KEY")},
    {.name = PROVIDERS_TEXT("anthropic"),
     .protocol = SURETY_PROTOCOL_ANTHROPIC,
     .base_url = PROVIDERS_TEXT("https://api.anthropic.com/v1"),
     .key_env = PROVIDERS_TEXT("ANTHROPIC_API_KEY")},
    {.name = PROVIDERS_TEXT("gemini"),
     .protocol = SURETY_PROTOCOL_GEMINI,
     .base_url =
         PROVIDERS_TEXT("https://generativelanguage.googleapis.com/v1beta"),
     .key_env = PROVIDERS_TEXT("GEMINI_API_KEY")},
    {.name = PROVIDERS_TEXT("ollama"),
     .protocol = SURETY_PROTOCOL_OPENAI,
     .base_url = PROVIDERS_TEXT("http://127.0.0.1:11434/v1")},
    {.name = PROVIDERS_TEXT("vllm"),
     .protocol = SURETY_PROTOCOL_OPENAI,
     .base_url = PROVIDERS_TEXT("http://127.0.0.1:8000/v1")},
    {.name = PROVIDERS_TEXT("llamacpp"),
     .protocol = SURETY_PROTOCOL_OPENAI,
     .base_url = PROVIDERS_TEXT("http://127.0.0.1:8080/v1")},
    {.name = PROVIDERS_TEXT("lmstudio"),
     .protocol = SURETY_PROTOCOL_OPENAI,
     .base_url = PROVIDERS_TEXT("http://127.0.0.1:1234/v1")},
    {.name = PROVIDERS_TEXT("openrouter"),
     .protocol = SURETY_PROTOCOL_OPENAI,
     .base_url = PROVIDERS_TEXT("https://openrouter.ai/api/v1"),
     .key_env = PROVIDERS_TEXT("OPENROUTER_API_KEY")},
    {.name = PROVIDERS_TEXT("exec"),
     .reach = REACH_EXEC,
     .protocol = SURETY_PROTOCOL_TEXT},
    {.name = PROVIDERS_TEXT("replay"),
     .reach = REACH_REPLAY,
     .base_url = PROVIDERS_TEXT("http://recording.invalid")},
};

/* The i-th built-in provider; NULL after the last. */
static const surety__config_provider *providers_at(size_t i)
{
    return i < sizeof(providers_builtin) / sizeof(*providers_builtin)
               ? &providers_builtin[i]
               : NULL;
}

const surety__config_provider *
surety__config_provider_find(const surety_config *config, surety_str name)
{
    const surety__config_provider *row;

    for (size_t i = 0; i < config->provider_count; i++)
        if (surety_str_equal(config->providers[i].name, name))
            return &config->providers[i];
    for (size_t i = 0; (row = providers_at(i)); i++)
        if (surety_str_equal(row->name, name))
            return row;
    return NULL;
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
    if (of_models) {
        for (size_t i = 0; i < config->row_count; i++)
            providers_try(word, config->rows[i].name, &nearest, &found);
        return found;
    }
    for (size_t i = 0; i < config->provider_count; i++)
        providers_try(word, config->providers[i].name, &nearest, &found);
    for (size_t i = 0; providers_at(i); i++)
        providers_try(word, providers_at(i)->name, &nearest, &found);
    return found;
}
