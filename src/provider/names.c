/* SPDX-License-Identifier: Apache-2.0 */
/* names.c: names of modes and failures; properties of failures and
 * providers (which failures may pass, which providers compile a schema to a
 * grammar or show it to the model, which models take tools beside it); default
 * timeouts; costs. */
#include "provider/provider.h"

static const char *const names_modes[] = {"auto", "native", "tool", "prompt"};

/* ORDER failures. passes: the same call may succeed later. */
static const struct {
    const char *name;
    bool passes;
} names_failures[SURETY_FAILURE_COUNT] = {
    [SURETY_FAILURE_NONE] = {"none", false},
    [SURETY_FAILURE_CONNECT] = {"connect", true},
    [SURETY_FAILURE_TLS] = {"tls", false},
    [SURETY_FAILURE_TIMEOUT] = {"timeout", true},
    [SURETY_FAILURE_RESET] = {"reset", true},
    [SURETY_FAILURE_TRUNCATED] = {"truncated", true},
    [SURETY_FAILURE_COMMAND] = {"command", false},
    [SURETY_FAILURE_LIMIT] = {"limit", false},
    [SURETY_FAILURE_PROTOCOL] = {"protocol", false},
    [SURETY_FAILURE_CANCELLED] = {"cancelled", false},
    [SURETY_FAILURE_REQUEST] = {"request", false},
    [SURETY_FAILURE_SCHEMA] = {"schema", false},
    [SURETY_FAILURE_CONTEXT] = {"context", false},
    [SURETY_FAILURE_AUTH] = {"auth", false},
    [SURETY_FAILURE_MODEL] = {"model", false},
    [SURETY_FAILURE_QUOTA] = {"quota", false},
    [SURETY_FAILURE_RATE_LIMIT] = {"rate_limit", true},
    [SURETY_FAILURE_OVERLOADED] = {"overloaded", true},
    [SURETY_FAILURE_SERVER] = {"server", true},
    [SURETY_FAILURE_REFUSAL] = {"refusal", false},
    [SURETY_FAILURE_FILTER] = {"filter", false},
    [SURETY_FAILURE_LENGTH] = {"length", false},
    [SURETY_FAILURE_EMPTY] = {"empty", true},
    [SURETY_FAILURE_ADDRESS] = {"address", false},
};

bool surety__provider_has_grammar(surety_str name)
{
    static const char *const servers[] = {"llamacpp", "lmstudio", "ollama",
                                          "vllm"};

    return surety__str_among(name, servers, SURETY__COUNT(servers));
}

bool surety__failure_is_below(surety_failure failure)
{
    return failure == SURETY_FAILURE_ADDRESS ||
           (failure != SURETY_FAILURE_NONE &&
            failure <= SURETY_FAILURE_CANCELLED);
}

bool surety__provider_shows_schema(surety_protocol protocol, surety_str name)
{
    return protocol == SURETY_PROTOCOL_ANTHROPIC ||
           protocol == SURETY_PROTOCOL_GEMINI ||
           surety_str_equal(name, SURETY__LITERAL("openai")) ||
           surety_str_equal(name, SURETY__LITERAL("responses"));
}

bool surety__model_joins_tools(const surety_model *model)
{
    const surety_str mark = SURETY__LITERAL("gemini-");
    surety_str version = model->model;

    if (model->protocol != SURETY_PROTOCOL_GEMINI)
        return true;
    surety__str_skip(&version, surety__str_find(version, mark));
    return version.len > mark.len && version.ptr[mark.len] >= '3' &&
           version.ptr[mark.len] <= '9';
}

const char *surety_mode_name(surety_mode mode)
{
    return names_modes[mode];
}

const char *surety_failure_name(surety_failure failure)
{
    return names_failures[failure].name;
}

bool surety__failure_passes(surety_failure failure)
{
    assert((unsigned)failure < SURETY_FAILURE_COUNT);
    return names_failures[failure].passes;
}

surety_timeouts surety__timeouts_of(const surety_timeouts *given)
{
    surety_timeouts timeouts = given ? *given : (surety_timeouts){0};

    if (!timeouts.connect_ms)
        timeouts.connect_ms = 10000;
    if (!timeouts.first_byte_ms)
        timeouts.first_byte_ms = 120000;
    if (!timeouts.idle_ms)
        timeouts.idle_ms = 60000;
    if (!timeouts.total_ms)
        timeouts.total_ms = 600000;
    return timeouts;
}

uint64_t surety_price_cost(const surety_price *price, const surety_usage *usage)
{
    const struct {
        uint64_t tokens, microusd;
    } parts[] = {
        {usage->input_tokens - usage->cached_input_tokens,
         price->input_microusd},
        {usage->cached_input_tokens, price->cached_input_microusd},
        {usage->output_tokens, price->output_microusd},
    };
    uint64_t cost = 0;

    for (size_t i = 0; i < SURETY__COUNT(parts); i++) {
        uint64_t part = 0;

        if (__builtin_mul_overflow(parts[i].tokens, parts[i].microusd, &part) ||
            __builtin_add_overflow(cost, part, &cost))
            return UINT64_MAX;
    }
    return cost;
}

const char *surety_tool_choice_name(surety_tool_choice choice)
{
    static const char *const names[] = {"auto", "none", "required", "named"};

    return (unsigned)choice < SURETY__COUNT(names) ? names[choice] : "unknown";
}
