/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of each provider's subset, as tables. This file reads no schemas.
 *
 * Sources, as read in November 2026:
 * - OpenAI: developers.openai.com, guide "Structured model outputs", section
 *   "Supported schemas" (types, constraints, limits), and the answers of the
 *   service for what the guide does not mention (oneOf, uniqueItems,
 *   patternProperties, default are refused).
 * - Anthropic: platform documentation, "Structured outputs", sections "JSON
 *   Schema limitations" and "Schema complexity limits"; property names are
 *   from the tool definition's check ("Property keys should match pattern").
 * - Gemini: GenerationConfig.responseJsonSchema in the API reference, and the
 *   guide "Structured outputs" for formats.
 * - grammar: llama.cpp, grammars/README.md, "JSON Schemas -> GBNF"; Ollama
 *   uses the same converter, and vLLM's backends accept at least as much. The
 *   repetition limit is the grammar parser's. */
#include "strict/subset.h"

#include "schema/schema.h"

enum {
    OPENAI = 1 << SURETY_SUBSET_OPENAI,
    ANTHROPIC = 1 << SURETY_SUBSET_ANTHROPIC,
    GEMINI = 1 << SURETY_SUBSET_GEMINI,
    GRAMMAR = 1 << SURETY_SUBSET_GRAMMAR,
    EVERYONE = OPENAI | ANTHROPIC | GEMINI | GRAMMAR
};

/* ORDER subsets. */
static const surety__subset subset_rows[SUBSETS] = {
    {.id = SURETY_SUBSET_OPENAI,
     .name = "openai",
     .title = "OpenAI's strict mode",
     .traits = SUBSET_ROOT_OBJECT | SUBSET_ALL_REQUIRED | SUBSET_CLOSED |
               SUBSET_RECURSION | SUBSET_CONST | SUBSET_TYPE_LISTS,
     .properties_max = 5000,
     .nesting_max = 10,
     .enum_max = 1000,
     .enum_many = 250,
     .enum_many_text_max = 15000,
     .text_max = 120000},
    {.id = SURETY_SUBSET_ANTHROPIC,
     .name = "anthropic",
     .title = "Anthropic's structured output",
     .traits =
         SUBSET_ROOT_OBJECT | SUBSET_CLOSED | SUBSET_CONST | SUBSET_TYPE_LISTS,
     .optional_max = 24,
     .union_max = 16,
     .min_items_max = 1,
     .name_max = 64},
    {.id = SURETY_SUBSET_GEMINI,
     .name = "gemini",
     .title = "Gemini's responseJsonSchema",
     .traits = SUBSET_MAPS | SUBSET_RECURSION | SUBSET_OPTIONAL_CYCLE |
               SUBSET_ONE_OF | SUBSET_TUPLES | SUBSET_ENUM_SCALAR},
    {.id = SURETY_SUBSET_GRAMMAR,
     .name = "grammar",
     .title = "the grammar converter",
     .traits = SUBSET_MAPS | SUBSET_RECURSION | SUBSET_CONST | SUBSET_ONE_OF |
               SUBSET_TUPLES | SUBSET_ANY | SUBSET_TYPE_LISTS |
               SUBSET_ENUM_ALL | SUBSET_INTEGER_RANGE | SUBSET_ANCHORED,
     .repeat_max = 2000},
};

const surety__subset *surety__subset_of(surety_subset id)
{
    if ((unsigned)id >= SUBSETS)
        return NULL;
    assert(subset_rows[id].id == id);
    return &subset_rows[id];
}

const char *surety_subset_name(surety_subset subset)
{
    return (unsigned)subset < SUBSETS ? subset_rows[subset].name : "unknown";
}

/* Keywords that describe values, in the order of the specifications; searched
 * one by one. */
static const surety__strict_keyword keyword_rows[] = {
    {"type", ROLE_STRUCTURE, EVERYONE, 0, NULL},
    {"enum", ROLE_STRUCTURE, EVERYONE, 0, NULL},
    {"const", ROLE_STRUCTURE, OPENAI | ANTHROPIC | GRAMMAR, 0, NULL},
    {"$ref", ROLE_STRUCTURE, EVERYONE, 0, NULL},
    {"$dynamicRef", ROLE_STRUCTURE, 0, 0, NULL},
    {"$recursiveRef", ROLE_STRUCTURE, 0, 0, NULL},
    {"allOf", ROLE_STRUCTURE, 0, 0, NULL},
    {"anyOf", ROLE_STRUCTURE, EVERYONE, 0, NULL},
    {"oneOf", ROLE_STRUCTURE, GEMINI | GRAMMAR, 0, NULL},
    {"properties", ROLE_STRUCTURE, EVERYONE, 0, NULL},
    {"required", ROLE_STRUCTURE, EVERYONE, 0, NULL},
    {"additionalProperties", ROLE_STRUCTURE, EVERYONE, 0, NULL},
    {"patternProperties", ROLE_STRUCTURE, 0, 0, NULL},
    {"items", ROLE_STRUCTURE, EVERYONE, 0, NULL},
    {"prefixItems", ROLE_STRUCTURE, GEMINI | GRAMMAR, 0, NULL},
    {"additionalItems", ROLE_STRUCTURE, 0, 0, NULL},
    {"unevaluatedProperties", ROLE_STRUCTURE, 0, 0, NULL},
    {"title", ROLE_ANNOTATION, EVERYONE, 0, NULL},
    {"description", ROLE_ANNOTATION, EVERYONE, 0, NULL},
    {"default", ROLE_ANNOTATION, ANTHROPIC | GRAMMAR, 0, "Default: %.*s."},
    {"examples", ROLE_ANNOTATION, GRAMMAR, 0, "Examples: %.*s."},
    {"format", ROLE_ASSERTION, EVERYONE, TYPE_STRING, "Format: %.*s."},
    {"pattern", ROLE_ASSERTION, OPENAI | ANTHROPIC | GRAMMAR, TYPE_STRING,
     "Must match the regular expression %.*s."},
    {"minLength", ROLE_ASSERTION, GRAMMAR, TYPE_STRING,
     "Characters: at least %.*s."},
    {"maxLength", ROLE_ASSERTION, GRAMMAR, TYPE_STRING,
     "Characters: at most %.*s."},
    {"minimum", ROLE_ASSERTION, OPENAI | GEMINI | GRAMMAR, TYPE_NUMBER,
     "At least %.*s."},
    {"maximum", ROLE_ASSERTION, OPENAI | GEMINI | GRAMMAR, TYPE_NUMBER,
     "At most %.*s."},
    {"exclusiveMinimum", ROLE_ASSERTION, OPENAI | GRAMMAR, TYPE_NUMBER,
     "Greater than %.*s."},
    {"exclusiveMaximum", ROLE_ASSERTION, OPENAI | GRAMMAR, TYPE_NUMBER,
     "Less than %.*s."},
    {"multipleOf", ROLE_ASSERTION, OPENAI, TYPE_NUMBER, "A multiple of %.*s."},
    {"minItems", ROLE_ASSERTION, EVERYONE, TYPE_ARRAY, "Items: at least %.*s."},
    {"maxItems", ROLE_ASSERTION, OPENAI | GEMINI | GRAMMAR, TYPE_ARRAY,
     "Items: at most %.*s."},
    {"uniqueItems", ROLE_ASSERTION, 0, TYPE_ARRAY, "No two items are equal."},
    {"contains", ROLE_ASSERTION, 0, TYPE_ARRAY,
     "Some item must match this schema: %.*s."},
    {"minContains", ROLE_ASSERTION, 0, TYPE_ARRAY,
     "Items that match it: at least %.*s."},
    {"maxContains", ROLE_ASSERTION, 0, TYPE_ARRAY,
     "Items that match it: at most %.*s."},
    {"unevaluatedItems", ROLE_ASSERTION, 0, TYPE_ARRAY,
     "Every other item must match this schema: %.*s."},
    {"minProperties", ROLE_ASSERTION, 0, TYPE_OBJECT,
     "Members: at least %.*s."},
    {"maxProperties", ROLE_ASSERTION, 0, TYPE_OBJECT, "Members: at most %.*s."},
    {"propertyNames", ROLE_ASSERTION, 0, TYPE_OBJECT,
     "Every key must match this schema: %.*s."},
    {"dependentRequired", ROLE_ASSERTION, 0, TYPE_OBJECT,
     "Where a key of this is given, so are the others: %.*s."},
    {"dependentSchemas", ROLE_ASSERTION, 0, TYPE_OBJECT,
     "Where a key of this is given, its schema holds: %.*s."},
    {"dependencies", ROLE_ASSERTION, 0, TYPE_OBJECT,
     "Where a key of this is given, so are the others, or its schema holds: "
     "%.*s."},
    {"propertyDependencies", ROLE_ASSERTION, 0, TYPE_OBJECT,
     "Where a key has a value of this, its schema holds: %.*s."},
    {"not", ROLE_ASSERTION, 0, 0, "Must not match this schema: %.*s."},
    {"if", ROLE_ASSERTION, 0, 0, "If it matches this schema: %.*s"},
    {"then", ROLE_ASSERTION, 0, 0, "then it must match %.*s;"},
    {"else", ROLE_ASSERTION, 0, 0, "otherwise it must match %.*s."},
    {"contentEncoding", ROLE_ASSERTION, 0, TYPE_STRING, "Encoded as %.*s."},
    {"contentMediaType", ROLE_ASSERTION, 0, TYPE_STRING, "Media type: %.*s."},
    {"contentSchema", ROLE_ASSERTION, 0, TYPE_STRING,
     "The decoded value must match this schema: %.*s."},
};

const surety__strict_keyword *surety__strict_keyword_of(surety_str name)
{
    for (size_t i = 0; i < SURETY__COUNT(keyword_rows); i++)
        if (surety_str_equal(name, surety_str_of(keyword_rows[i].name)))
            return &keyword_rows[i];
    return NULL;
}

static const struct {
    const char *name;
    uint8_t takes;
} format_rows_strict[] = {
    {"date-time", EVERYONE},
    {"date", EVERYONE},
    {"time", EVERYONE},
    {"duration", OPENAI | ANTHROPIC},
    {"email", OPENAI | ANTHROPIC},
    {"hostname", OPENAI | ANTHROPIC},
    {"ipv4", OPENAI | ANTHROPIC},
    {"ipv6", OPENAI | ANTHROPIC},
    {"uri", ANTHROPIC},
    {"uuid", OPENAI | ANTHROPIC | GRAMMAR},
};

bool surety__subset_takes_format(const surety__subset *subset,
                                 surety_str format)
{
    const size_t count = SURETY__COUNT(format_rows_strict);

    for (size_t i = 0; i < count; i++)
        if (surety_str_equal(format, surety_str_of(format_rows_strict[i].name)))
            return format_rows_strict[i].takes >> subset->id & 1;
    return false;
}

bool surety__subset_takes_pattern(const surety__subset *subset,
                                  surety_str pattern)
{
    size_t slashes = 0;

    for (size_t i = 0; i + 1 < pattern.len; i++) {
        const char here = pattern.ptr[i];
        const char next = pattern.ptr[i + 1];

        if (here == '(' && next == '?' &&
            (i + 2 == pattern.len || pattern.ptr[i + 2] != ':'))
            return false;
        if (here != '\\')
            continue;
        if ((next >= '1' && next <= '9') || next == 'b' || next == 'B' ||
            next == 'k' || next == 'p' || next == 'P')
            return false;
        i++;
    }
    if (!(subset->traits & SUBSET_ANCHORED))
        return true;
    if (pattern.len < 2 || pattern.ptr[0] != '^' ||
        pattern.ptr[pattern.len - 1] != '$')
        return false;
    while (slashes + 1 < pattern.len &&
           pattern.ptr[pattern.len - 2 - slashes] == '\\')
        slashes++;
    return slashes % 2 == 0;
}
