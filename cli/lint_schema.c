/* SPDX-License-Identifier: Apache-2.0 */
/* Warns of parts of a schema that are allowed but probably mistakes. The walk
 * visits every subschema with an explicit stack, so nesting does not cost C
 * stack, and checks one schema object at a time. It finds subschemas by a table
 * of keywords and follows no reference. A warning is given only if that one
 * object shows the mistake; a schema that no value satisfies for other reasons
 * gives none. */
#include "lint.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nearest.h"

/* Which subschemas a keyword's value has. */
enum holds {
    HOLDS_VALUE,
    HOLDS_SCHEMA,
    HOLDS_SCHEMAS, /* an array of schemas, or (items, before 2020-12) one */
    HOLDS_MAP,     /* an object that maps names to schemas */
};

/* A keyword of drafts 4 to 2020-12. Later dialects, from `until` on, may no
 * longer have it; `instead` replaces it there. */
struct word {
    const char *name;
    enum holds holds;
    const char *instead;
    surety_dialect until;
};

static const struct word words[] = {
    {"$defs", HOLDS_MAP, NULL, 0},
    {"$recursiveAnchor", HOLDS_VALUE, "$dynamicAnchor", SURETY_DIALECT_2020_12},
    {"$recursiveRef", HOLDS_VALUE, "$dynamicRef", SURETY_DIALECT_2020_12},
    {"additionalItems", HOLDS_SCHEMA, "items", SURETY_DIALECT_2020_12},
    {"additionalProperties", HOLDS_SCHEMA, NULL, 0},
    {"allOf", HOLDS_SCHEMAS, NULL, 0},
    {"anyOf", HOLDS_SCHEMAS, NULL, 0},
    {"contains", HOLDS_SCHEMA, NULL, 0},
    {"contentSchema", HOLDS_SCHEMA, NULL, 0},
    {"definitions", HOLDS_MAP, "$defs", SURETY_DIALECT_2019_09},
    {"dependencies", HOLDS_MAP, "dependentRequired or dependentSchemas",
     SURETY_DIALECT_2019_09},
    {"dependentSchemas", HOLDS_MAP, NULL, 0},
    {"else", HOLDS_SCHEMA, NULL, 0},
    {"if", HOLDS_SCHEMA, NULL, 0},
    {"items", HOLDS_SCHEMAS, NULL, 0},
    {"not", HOLDS_SCHEMA, NULL, 0},
    {"oneOf", HOLDS_SCHEMAS, NULL, 0},
    {"patternProperties", HOLDS_MAP, NULL, 0},
    {"prefixItems", HOLDS_SCHEMAS, NULL, 0},
    {"properties", HOLDS_MAP, NULL, 0},
    {"propertyNames", HOLDS_SCHEMA, NULL, 0},
    {"then", HOLDS_SCHEMA, NULL, 0},
    {"unevaluatedItems", HOLDS_SCHEMA, NULL, 0},
    {"unevaluatedProperties", HOLDS_SCHEMA, NULL, 0},
    {"$anchor", HOLDS_VALUE, NULL, 0},
    {"$comment", HOLDS_VALUE, NULL, 0},
    {"$dynamicAnchor", HOLDS_VALUE, NULL, 0},
    {"$dynamicRef", HOLDS_VALUE, NULL, 0},
    {"$id", HOLDS_VALUE, NULL, 0},
    {"$ref", HOLDS_VALUE, NULL, 0},
    {"$schema", HOLDS_VALUE, NULL, 0},
    {"$vocabulary", HOLDS_VALUE, NULL, 0},
    {"const", HOLDS_VALUE, NULL, 0},
    {"contentEncoding", HOLDS_VALUE, NULL, 0},
    {"contentMediaType", HOLDS_VALUE, NULL, 0},
    {"default", HOLDS_VALUE, NULL, 0},
    {"dependentRequired", HOLDS_VALUE, NULL, 0},
    {"deprecated", HOLDS_VALUE, NULL, 0},
    {"description", HOLDS_VALUE, NULL, 0},
    {"enum", HOLDS_VALUE, NULL, 0},
    {"examples", HOLDS_VALUE, NULL, 0},
    {"exclusiveMaximum", HOLDS_VALUE, NULL, 0},
    {"exclusiveMinimum", HOLDS_VALUE, NULL, 0},
    {"format", HOLDS_VALUE, NULL, 0},
    {"maxContains", HOLDS_VALUE, NULL, 0},
    {"maxItems", HOLDS_VALUE, NULL, 0},
    {"maxLength", HOLDS_VALUE, NULL, 0},
    {"maxProperties", HOLDS_VALUE, NULL, 0},
    {"maximum", HOLDS_VALUE, NULL, 0},
    {"minContains", HOLDS_VALUE, NULL, 0},
    {"minItems", HOLDS_VALUE, NULL, 0},
    {"minLength", HOLDS_VALUE, NULL, 0},
    {"minProperties", HOLDS_VALUE, NULL, 0},
    {"minimum", HOLDS_VALUE, NULL, 0},
    {"multipleOf", HOLDS_VALUE, NULL, 0},
    {"pattern", HOLDS_VALUE, NULL, 0},
    {"readOnly", HOLDS_VALUE, NULL, 0},
    {"required", HOLDS_VALUE, NULL, 0},
    {"title", HOLDS_VALUE, NULL, 0},
    {"type", HOLDS_VALUE, NULL, 0},
    {"uniqueItems", HOLDS_VALUE, NULL, 0},
    {"writeOnly", HOLDS_VALUE, NULL, 0}};

enum { WORDS = COUNT_OF(words) };

/* The subschemas that are still to be checked. */
struct walk {
    struct lint *lint;
    surety_val *stack;
    size_t count, cap;
    bool is_starved;
};

static void walk_push(struct walk *walk, surety_val val)
{
    assert(walk->count <= walk->cap);
    if (surety_val_kind(val) != SURETY_KIND_OBJECT)
        return;
    if (walk->count == walk->cap) {
        const size_t cap = walk->cap * 2 + 16;
        surety_val *stack = realloc(walk->stack, cap * sizeof(*stack));
        if (!stack) {
            walk->is_starved = true;
            return;
        }
        walk->stack = stack;
        walk->cap = cap;
    }
    walk->stack[walk->count++] = val;
}

/* Returns the keyword of a name; name NULL: there is none. */
static struct word word_find(surety_str key)
{
    for (size_t i = 0; i < WORDS; i++)
        if (surety_str_equal(key, surety_str_of(words[i].name)))
            return words[i];
    return (struct word){.name = NULL};
}

/* Returns the warning of the compiled schema about a key; a message with NULL
 * ptr: none. */
static surety_schema_warning warning_of(const struct lint *lint, surety_val key)
{
    const surety_schema_info *info = surety_schema_info_of(lint->schema);
    const surety_str name = surety_val_str(key);

    for (size_t i = 0; i < info->warning_count; i++) {
        const surety_schema_warning warning = info->warnings[i];

        /* The documents differ, but not their text. */
        if (surety_str_equal(surety_val_str(warning.key), name) &&
            surety_val_position(warning.key).offset ==
                surety_val_position(key).offset)
            return warning;
    }
    return (surety_schema_warning){.message = {NULL, 0}};
}

/* Warns of a keyword that the draft does not have, with the compiled schema's
 * warning. The compiled schema has no warnings about a subschema that no
 * reference uses; there, and if the schema does not compile, a name that is
 * similar to a keyword gives a warning. */
static void warn_unknown(struct lint *lint, surety_val key_val)
{
    const surety_str key = surety_val_str(key_val);
    const surety_schema_warning warning = warning_of(lint, key_val);
    struct nearest nearest;
    char hint[128];

    if (warning.message.ptr) {
        snprintf(hint, sizeof(hint), "%.*s", (int)warning.hint.len,
                 warning.hint.ptr);
        lint_warn(lint, key_val, "unknown", hint, "%.*s",
                  (int)warning.message.len, warning.message.ptr);
        return;
    }
    if (key.len < 3 || memcmp(key.ptr, "x-", 2) == 0 || word_find(key).name)
        return;
    nearest_init(&nearest, key);
    if (nearest.distance > 3)
        nearest.distance = 3;
    for (size_t i = 0; i < WORDS; i++)
        nearest_try(&nearest, surety_str_of(words[i].name));
    if (nearest_hint(&nearest, "", hint, sizeof(hint)))
        lint_warn(lint, key_val, "unknown", hint,
                  "JSON Schema knows no keyword \"%.*s\", so it does nothing",
                  (int)key.len, key.ptr);
}

/* Pushes the subschemas of a keyword. */
static void walk_member(struct walk *walk, enum holds holds, surety_val val)
{
    const surety_kind kind = surety_val_kind(val);

    if (holds == HOLDS_SCHEMA ||
        (holds == HOLDS_SCHEMAS && kind == SURETY_KIND_OBJECT))
        walk_push(walk, val);
    else if ((holds == HOLDS_SCHEMAS && kind == SURETY_KIND_ARRAY) ||
             (holds == HOLDS_MAP && kind == SURETY_KIND_OBJECT))
        SURETY_EACH (sub, val)
            walk_push(walk, sub);
}

/* ---- keywords of one schema --------------------------------------------- */

static void lint_words(struct walk *walk, surety_val schema)
{
    struct lint *lint = walk->lint;

    SURETY_EACH (val, schema) {
        const surety_val key = surety_val_key(val);
        const struct word word = word_find(surety_val_str(key));
        if (word.instead && lint->dialect >= word.until)
            lint_warn(lint, key, "deprecated", NULL,
                      "this dialect has %s instead of \"%s\"", word.instead,
                      word.name);
        else
            warn_unknown(lint, key);
        walk_member(walk, word.holds, val);
    }
}

/* Draft 7 and before ignore keywords beside $ref (draft 7 core, 8.3). */
static void lint_ref(struct lint *lint, surety_val schema)
{
    if (lint->dialect > SURETY_DIALECT_7 || !surety_val_get(schema, "$ref").doc)
        return;
    SURETY_EACH (val, schema) {
        const surety_val key = surety_val_key(val);
        const struct word word = word_find(surety_val_str(key));
        if (word.name && word.name[0] != '$' &&
            strcmp(word.name, "description") != 0 &&
            strcmp(word.name, "title") != 0 &&
            strcmp(word.name, "definitions") != 0)
            lint_warn(lint, key, "$ref", "wrap the reference in allOf",
                      "this draft ignores \"%s\" beside \"$ref\"", word.name);
    }
}

/* ---- schemas that no value satisfies ------------------------------------ */

static void lint_bounds(struct lint *lint, surety_val schema)
{
    static const char *const pairs[][2] = {
        {"minimum", "maximum"},
        {"minLength", "maxLength"},
        {"minItems", "maxItems"},
        {"minProperties", "maxProperties"},
        {"minContains", "maxContains"},
        {"exclusiveMinimum", "exclusiveMaximum"},
        {"exclusiveMinimum", "maximum"},
        {"minimum", "exclusiveMaximum"}};

    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        const surety_val low = surety_val_get(schema, pairs[i][0]);
        const surety_val high = surety_val_get(schema, pairs[i][1]);
        const double low_real = surety_val_real(low, 0);
        const double high_real = surety_val_real(high, 0);
        if (surety_val_kind(low) != SURETY_KIND_NUMBER ||
            surety_val_kind(high) != SURETY_KIND_NUMBER)
            continue;
        if (low_real > high_real || (i >= 5 && low_real == high_real))
            lint_warn(lint, low, "impossible", NULL,
                      "nothing is between the %s of %.*s and the %s of %.*s",
                      pairs[i][0], (int)surety_val_number(low).len,
                      surety_val_number(low).ptr, pairs[i][1],
                      (int)surety_val_number(high).len,
                      surety_val_number(high).ptr);
    }
}

static bool type_name_allows(surety_val name, surety_val val)
{
    const char *kind = surety_kind_name(surety_val_kind(val));

    return surety_val_is(name, kind) ||
           (surety_val_is(name, "integer") && surety_val_is_integer(val));
}

/* Returns whether the keyword type (absent, a name or several) allows val. */
static bool type_allows(surety_val type, surety_val val)
{
    if (surety_val_kind(type) == SURETY_KIND_STRING)
        return type_name_allows(type, val);
    if (surety_val_kind(type) != SURETY_KIND_ARRAY)
        return true;
    SURETY_EACH (name, type)
        if (type_name_allows(name, val))
            return true;
    return false;
}

static void lint_values(struct lint *lint, surety_val schema)
{
    const surety_val type = surety_val_get(schema, "type");
    const surety_val values = surety_val_get(schema, "enum");
    const surety_val constant = surety_val_get(schema, "const");
    const surety_val given = surety_val_get(schema, "default");

    if (surety_val_kind(values) == SURETY_KIND_ARRAY &&
        surety_val_count(values) == 0)
        lint_warn(lint, values, "impossible", NULL,
                  "no value is in an empty enum");
    SURETY_EACH (val, values)
        if (!type_allows(type, val))
            lint_warn(lint, val, "impossible", NULL,
                      "this value of enum is never allowed by type");
    if (constant.doc && !type_allows(type, constant))
        lint_warn(lint, constant, "impossible", NULL,
                  "the value of const is not allowed by type");
    if (given.doc && !type_allows(type, given))
        lint_warn(lint, given, "default", NULL,
                  "the default is not allowed by type");
}

static bool is_false(surety_val schema)
{
    return surety_val_kind(schema) == SURETY_KIND_BOOLEAN &&
           !surety_val_bool(schema, true);
}

/* Warns of names in required that no keyword describes. A keyword in the same
 * object that may describe them (a pattern, a reference, a branch) prevents the
 * warning. */
static void lint_required(struct lint *lint, surety_val schema)
{
    static const char *const silencers[] = {"patternProperties",
                                            "$ref",
                                            "$dynamicRef",
                                            "allOf",
                                            "anyOf",
                                            "oneOf",
                                            "if",
                                            "dependentSchemas"};
    const surety_val properties = surety_val_get(schema, "properties");
    const surety_val required = surety_val_get(schema, "required");
    const surety_val rest = surety_val_get(schema, "additionalProperties");
    bool is_silent = surety_val_kind(properties) != SURETY_KIND_OBJECT;

    for (size_t i = 0; i < COUNT_OF(silencers); i++)
        is_silent |= surety_val_get(schema, silencers[i]).doc != NULL;
    SURETY_EACH (name, required) {
        const surety_str text = surety_val_str(name);
        const surety_val property = surety_val_member(properties, text);
        struct nearest nearest;
        char hint[128];
        if (is_false(property))
            lint_warn(lint, name, "impossible", NULL,
                      "\"%.*s\" is required, and its schema is false",
                      (int)text.len, text.ptr);
        if (property.doc || is_silent)
            continue;
        nearest_init(&nearest, text);
        SURETY_EACH (known, properties)
            nearest_try(&nearest, surety_val_str(surety_val_key(known)));
        lint_warn(lint, name, is_false(rest) ? "impossible" : "required",
                  nearest_hint(&nearest, "", hint, sizeof(hint)),
                  is_false(rest)
                      ? "\"%.*s\" is required, and not among the only "
                        "properties allowed"
                      : "\"%.*s\" is required, and properties does not "
                        "describe it",
                  (int)text.len, text.ptr);
    }
}

/* ---- missing descriptions ----------------------------------------------- */

static bool is_described(surety_val schema)
{
    static const char *const descriptive[] = {"description", "title", "$ref",
                                              "$dynamicRef", "const"};

    if (surety_val_kind(schema) != SURETY_KIND_OBJECT)
        return true;
    for (size_t i = 0; i < COUNT_OF(descriptive); i++)
        if (surety_val_get(schema, descriptive[i]).doc)
            return true;
    return false;
}

/* Writes one warning for all properties of an object, because they are often
 * many. */
static void lint_descriptions(struct lint *lint, surety_val schema)
{
    const surety_val properties = surety_val_get(schema, "properties");
    size_t missing = 0;
    surety_buf names;

    if (surety_val_kind(properties) != SURETY_KIND_OBJECT)
        return;
    surety_buf_init(&names, NULL, 0);
    SURETY_EACH (val, properties) {
        if (is_described(val))
            continue;
        if (missing < 5) {
            surety_buf_text(&names, missing ? ", " : "");
            surety_buf_add(&names, surety_val_str(surety_val_key(val)));
        }
        missing++;
    }
    if (missing > 5)
        put_format(&names, " and %zu more", missing - 5);
    if (missing > 0)
        lint_warn(lint, properties, "description",
                  "a model that knows what a property means fills it better",
                  "%s without a description: %.*s",
                  missing == 1 ? "a property" : "properties", (int)names.len,
                  names.ptr);
    surety_buf_done(&names);
}

static void lint_root(struct lint *lint, surety_val root)
{
    const surety_val own = surety_val_get(root, "x-surety");
    const surety_val notice = surety_val_get(own, "deprecated");

    if (surety_val_kind(root) == SURETY_KIND_OBJECT && !is_described(root))
        lint_warn(lint, root, "description", NULL,
                  "the contract has neither title nor description");
    if (is_false(root))
        lint_warn(lint, root, "impossible", NULL,
                  "no value satisfies the schema false");
    if (notice.doc)
        lint_warn(lint, notice, "deprecated", NULL,
                  "this contract is deprecated: %.*s",
                  (int)surety_val_str(notice).len, surety_val_str(notice).ptr);
}

bool lint_schema(struct lint *lint)
{
    struct walk walk = {.lint = lint};
    const surety_val root = surety_doc_root(lint->doc);

    lint_root(lint, root);
    walk_push(&walk, root);
    while (walk.count > 0 && !walk.is_starved) {
        const surety_val schema = walk.stack[--walk.count];
        const size_t first = walk.count;
        lint_words(&walk, schema);
        lint_ref(lint, schema);
        lint_bounds(lint, schema);
        lint_values(lint, schema);
        lint_required(lint, schema);
        lint_descriptions(lint, schema);
        /* The last pushed schema is checked first, so reverse them for text
         * order. */
        for (size_t i = first, j = walk.count; i + 1 < j; i++) {
            const surety_val val = walk.stack[i];
            walk.stack[i] = walk.stack[--j];
            walk.stack[j] = val;
        }
    }
    free(walk.stack);
    return !walk.is_starved;
}
