/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a schema against the main rules of the providers' strict subsets, and
 * refuses it in the providers' words. Sources: OpenAI's guide to structured
 * outputs and Anthropic's page on them.
 *
 * 1. A stack replaces recursion: it has one entry for each subschema.
 * 2. It does not check the whole subset (surety/strict.h does), only the
 *    refusals that a client must expect. */
#include "serve/speak.h"

#define STRICT_PROPERTIES_MAX 5000 /* OpenAI's; bounds our n * n steps */

typedef struct strict_entry {
    surety_val schema;
    surety_str context; /* 'properties', 'note' */
} strict_entry;

typedef struct strict_walk {
    const surety__model_request *request;
    surety__arena *arena;
    strict_entry *entries;
    size_t count, cap;
    surety__request_reader reader;
} strict_walk;

/* Keywords that are refused by name. */
static const struct {
    const char *keyword;
    bool openai, anthropic;
} strict_refused[] = {
    {"allOf", true, false},
    {"oneOf", true, true},
    {"not", true, true},
    {"if", true, true},
    {"then", true, true},
    {"else", true, true},
    {"minimum", false, true},
    {"maximum", false, true},
    {"exclusiveMinimum", false, true},
    {"exclusiveMaximum", false, true},
    {"multipleOf", false, true},
    {"minLength", false, true},
    {"maxLength", false, true},
    {"maxItems", false, true},
    {"dependentRequired", true, false},
    {"dependentSchemas", true, false},
    {"patternProperties", true, true},
    {"uniqueItems", true, true},
    {"contains", true, true},
    {"propertyNames", true, true},
    {"unevaluatedProperties", true, false},
    {"unevaluatedItems", true, false},
    {"minProperties", true, true},
    {"maxProperties", true, true},
    {"default", true, false},
};

static bool strict_is_anthropic(const strict_walk *walk)
{
    return walk->request->protocol == SURETY_PROTOCOL_ANTHROPIC;
}

static void strict_push(strict_walk *walk, surety_val schema,
                        const strict_entry *parent, const char *keyword,
                        surety_str name)
{
    surety_buf context;

    if (surety_val_kind(schema) != SURETY_KIND_OBJECT || walk->reader.status)
        return;
    walk->entries =
        surety__request_room(&walk->reader, walk->entries, walk->count,
                             &walk->cap, sizeof(*walk->entries));
    if (!walk->entries)
        return;
    assert(walk->count < walk->cap);
    surety_buf_init(&context, walk->arena->alloc, 200);
    surety__buf_printf(&context, "%.*s%s'%s'", (int)parent->context.len,
                       parent->context.len ? parent->context.ptr : "",
                       parent->context.len ? ", " : "", keyword);
    if (name.len)
        surety__buf_printf(&context, ", '%.*s'", (int)name.len, name.ptr);
    walk->entries[walk->count] = (strict_entry){
        schema, surety__arena_text(walk->arena, surety_buf_str(&context))};
    if (context.status == SURETY_NOMEM ||
        !walk->entries[walk->count].context.ptr)
        walk->reader.status = SURETY_NOMEM;
    walk->count++;
    surety_buf_done(&context);
}

static void strict_fail(strict_walk *walk, const strict_entry *entry,
                        const char *what, surety_str name)
{
    const bool is_tool = walk->request->mode == SURETY_MODE_TOOL;
    const char *param = "response_format";

    if (walk->request->protocol == SURETY_PROTOCOL_RESPONSES)
        param = "text.format.schema";
    if (is_tool)
        param = "tools[0].function.parameters";
    if (strict_is_anthropic(walk))
        surety__request_fail(&walk->reader, NULL, NULL, "%s: %s%.*s%s",
                             is_tool ? "tools.0.custom"
                                     : "output_config.format.schema",
                             what, (int)name.len, name.len ? name.ptr : "",
                             name.len ? " is not supported" : "");
    else
        surety__request_fail(
            &walk->reader, param,
            is_tool ? "invalid_function_parameters" : "invalid_json_schema",
            "Invalid schema for %s '%.*s': In context=(%.*s), %s%s%.*s%s",
            is_tool ? "function" : "response_format",
            (int)walk->request->schema_name.len,
            walk->request->schema_name.len ? walk->request->schema_name.ptr
                                           : "",
            (int)entry->context.len,
            entry->context.len ? entry->context.ptr : "", what,
            name.len ? "'" : "", (int)name.len, name.len ? name.ptr : "",
            name.len ? "'." : "");
}

/* Whether required lists every property; if not, *ret_name is one that it
 * lacks. */
static bool strict_requires_all(surety_val schema, surety_str *ret_name)
{
    const surety_val properties = surety_val_get(schema, "properties");
    const surety_val required = surety_val_get(schema, "required");

    if (surety_val_kind(properties) != SURETY_KIND_OBJECT)
        return true;
    SURETY_EACH (one, properties) {
        const surety_str name = surety_val_str(surety_val_key(one));
        bool is_there = false;
        for (surety_val word = surety_val_first(required);
             word.doc && !is_there; word = surety_val_next(required, word))
            is_there = surety_str_equal(surety_val_str(word), name);
        if (!is_there) {
            *ret_name = name;
            return false;
        }
    }
    return true;
}

static void strict_check_object(strict_walk *walk, const strict_entry *entry)
{
    const surety_val closed =
        surety_val_get(entry->schema, "additionalProperties");
    surety_str name = {NULL, 0};

    if (!surety_val_get(entry->schema, "properties").doc &&
        !surety_val_is(surety_val_get(entry->schema, "type"), "object"))
        return;
    if (surety_val_kind(closed) != SURETY_KIND_BOOLEAN ||
        surety_val_bool(closed, true)) {
        strict_fail(walk, entry,
                    strict_is_anthropic(walk)
                        ? "For 'object' type, 'additionalProperties' must be "
                          "explicitly set to false"
                        : "'additionalProperties' is required to be supplied "
                          "and to be false.",
                    name);
        return;
    }
    if (surety_val_count(surety_val_get(entry->schema, "properties")) >
        STRICT_PROPERTIES_MAX) {
        strict_fail(walk, entry, "the schema exceeds 5000 properties.", name);
        return;
    }
    if (!strict_is_anthropic(walk) &&
        !strict_requires_all(entry->schema, &name))
        strict_fail(walk, entry,
                    "'required' is required to be supplied and to be an array "
                    "including every key in properties. Missing ",
                    name);
}

static void strict_check(strict_walk *walk, strict_entry entry)
{
    static const char *const maps[] = {"properties", "$defs", "definitions"};
    static const char *const lists[] = {"anyOf", "allOf", "oneOf",
                                        "prefixItems"};
    const bool anthropic = strict_is_anthropic(walk);

    for (size_t i = 0; i < SURETY__COUNT(strict_refused); i++)
        if ((anthropic ? strict_refused[i].anthropic
                       : strict_refused[i].openai) &&
            surety_val_get(entry.schema, strict_refused[i].keyword).doc)
            strict_fail(walk, &entry,
                        anthropic ? "the keyword " : "not permitted is ",
                        surety_str_of(strict_refused[i].keyword));
    strict_check_object(walk, &entry);
    for (size_t i = 0; i < SURETY__COUNT(maps); i++) {
        const surety_val map = surety_val_get(entry.schema, maps[i]);
        SURETY_EACH (one, map)
            strict_push(walk, one, &entry, maps[i],
                        surety_val_kind(map) == SURETY_KIND_OBJECT
                            ? surety_val_str(surety_val_key(one))
                            : (surety_str){NULL, 0});
    }
    for (size_t i = 0; i < SURETY__COUNT(lists); i++) {
        const surety_val list = surety_val_get(entry.schema, lists[i]);
        if (surety_val_kind(list) != SURETY_KIND_ARRAY)
            continue;
        SURETY_EACH (one, list)
            strict_push(walk, one, &entry, lists[i], (surety_str){NULL, 0});
    }
    strict_push(walk, surety_val_get(entry.schema, "items"), &entry, "items",
                (surety_str){NULL, 0});
}

surety_status surety__speak_strict(const surety__model_request *request,
                                   surety__arena *arena,
                                   surety__problem *ret_problem,
                                   surety_error *reterr)
{
    strict_walk walk = {
        .request = request,
        .arena = arena,
        .reader = {.problem = ret_problem, .error = reterr, .arena = arena}};
    const strict_entry root = {request->schema, {NULL, 0}};

    if (!request->strict || !request->schema.doc ||
        request->protocol == SURETY_PROTOCOL_GEMINI)
        return SURETY_OK;
    if (surety_val_kind(request->schema) != SURETY_KIND_OBJECT ||
        (!strict_is_anthropic(&walk) &&
         !surety_val_is(surety_val_get(request->schema, "type"), "object")))
        strict_fail(&walk, &root,
                    "schema must be a JSON Schema of 'type: \"object\"'.",
                    (surety_str){NULL, 0});
    else
        strict_check(&walk, root);
    while (walk.count && !walk.reader.status)
        strict_check(&walk, walk.entries[--walk.count]);
    if (walk.reader.status == SURETY_NOMEM)
        surety__fail_nomem(reterr);
    return walk.reader.status;
}
