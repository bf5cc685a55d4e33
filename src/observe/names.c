/* SPDX-License-Identifier: Apache-2.0 */
/* The names of OpenTelemetry's conventions for generative AI that are used, in
 * one table: they are still being renamed. These are of the version SURETY__
 * SEMCONV, the last one before they moved to a repository of their own, because
 * that is what back ends know. */
#include "observe/observe.h"

/* ORDER names (observe/observe.h). */
static const char *const name_texts[NAME_COUNT] = {
    "gen_ai.client.operation.duration",
    "gen_ai.client.operation.time_to_first_chunk",
    "gen_ai.client.token.usage",
    "gen_ai.token.type",
    "gen_ai.operation.name",
    "gen_ai.provider.name",
    "gen_ai.request.model",
    "gen_ai.response.id",
    "gen_ai.response.finish_reasons",
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.reasoning.output_tokens",
    "error.type",
    "http.request.method",
    "http.route",
    "http.response.status_code",
    "gen_ai.request.stream",
};

const char *surety__name_of(surety__name name)
{
    assert(name < NAME_COUNT);
    return name_texts[name];
}

surety_str surety__name_provider(surety_str provider)
{
    static const char *const rows[][2] = {
        {"gemini", "gcp.gemini"},     {"vertex", "gcp.vertex_ai"},
        {"azure", "azure.ai.openai"}, {"bedrock", "aws.bedrock"},
        {"mistral", "mistral_ai"},    {"xai", "x_ai"}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        if (surety_str_equal(provider, surety_str_of(rows[i][0])))
            return surety_str_of(rows[i][1]);
    }
    return provider;
}
