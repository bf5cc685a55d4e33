/* SPDX-License-Identifier: Apache-2.0 */
/* Each provider's subset, checked plainly on the schema that is sent: written
 * from the providers' pages and not from the compiler's tables. Gives NULL, or
 * what the provider would refuse. */
#ifndef SURETY_TESTS_STRICT_PLAIN_H
#define SURETY_TESTS_STRICT_PLAIN_H

#include <surety/strict.h>

#include <string.h>

struct plain {
    surety_subset subset;
    surety_val root;
    size_t properties, choices, optional, unions;
};

static bool plain_among(surety_str name, const char *list)
{
    const size_t len = strlen(list);

    for (size_t i = 0; i + name.len <= len; i++)
        if (name.len && memcmp(list + i, name.ptr, name.len) == 0 &&
            (i == 0 || list[i - 1] == ' ') &&
            (i + name.len == len || list[i + name.len] == ' '))
            return true;
    return false;
}

/* ORDER subsets. */
static const char *const plain_keywords[] = {
    "type title description enum const anyOf $ref $defs properties required "
    "additionalProperties items pattern format multipleOf maximum minimum "
    "exclusiveMaximum exclusiveMinimum minItems maxItems",
    "type title description default enum const anyOf $ref $defs properties "
    "required additionalProperties items pattern format minItems",
    "type title description enum anyOf oneOf $ref $defs properties required "
    "additionalProperties items prefixItems format minimum maximum minItems "
    "maxItems",
    "type title description default examples enum const anyOf oneOf $ref $defs "
    "properties required additionalProperties items prefixItems pattern format "
    "minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength "
    "minItems maxItems"};

static const char *const plain_formats[] = {
    "date-time time date duration email hostname ipv4 ipv6 uuid",
    "date-time time date duration email hostname uri ipv4 ipv6 uuid",
    "date-time date time", "date time date-time uuid"};

static bool plain_has(surety_val schema, const char *keyword)
{
    return surety_val_get(schema, keyword).doc != NULL;
}

static bool plain_typed(surety_val schema, const char *name)
{
    const surety_val type = surety_val_get(schema, "type");

    if (surety_val_is(type, name))
        return true;
    for (surety_val item = surety_val_first(type);
         item.doc && surety_val_kind(type) == SURETY_KIND_ARRAY;
         item = surety_val_next(type, item))
        if (surety_val_is(item, name))
            return true;
    return false;
}

static const char *plain_reference(const struct plain *plain, surety_val schema)
{
    surety_str text = surety_val_str(surety_val_get(schema, "$ref"));

    if (surety_val_count(schema) != 1)
        return "something beside $ref";
    if (text.len == 0 || text.ptr[0] != '#')
        return "a reference to elsewhere";
    text.ptr++;
    text.len--;
    return surety_val_kind(surety_val_at(plain->root, text)) ==
                   SURETY_KIND_OBJECT
               ? NULL
               : "a reference that leads nowhere";
}

static const char *plain_object(struct plain *plain, surety_val schema)
{
    const surety_val properties = surety_val_get(schema, "properties");
    const surety_val required = surety_val_get(schema, "required");
    const surety_val others = surety_val_get(schema, "additionalProperties");
    const size_t count = surety_val_count(properties);
    size_t found = 0;

    plain->properties += count;
    for (surety_val name = surety_val_first(required); name.doc;
         name = surety_val_next(required, name))
        found +=
            surety_val_member(properties, surety_val_str(name)).doc != NULL;
    plain->optional += count - found;
    if (found != surety_val_count(required))
        return "required names what is no property";
    if (plain->subset > SURETY_SUBSET_ANTHROPIC)
        return NULL;
    if (!properties.doc || surety_val_kind(others) != SURETY_KIND_BOOLEAN ||
        surety_val_bool(others, true))
        return "an object that is not closed";
    if (plain->subset == SURETY_SUBSET_OPENAI && found != count)
        return "a property that is not required";
    for (surety_val sub = surety_val_first(properties); sub.doc;
         sub = surety_val_next(properties, sub))
        if (plain->subset == SURETY_SUBSET_ANTHROPIC &&
            (surety_val_str(surety_val_key(sub)).len > 64 ||
             surety_val_str(surety_val_key(sub)).len == 0))
            return "a name that is too long";
    return NULL;
}

static const char *plain_values(struct plain *plain, surety_val schema)
{
    const surety_val list = surety_val_get(schema, "enum");

    plain->choices += surety_val_count(list);
    for (surety_val val = surety_val_first(list); val.doc;
         val = surety_val_next(list, val)) {
        const surety_kind kind = surety_val_kind(val);
        if (kind >= SURETY_KIND_ARRAY && plain->subset != SURETY_SUBSET_GRAMMAR)
            return "an enum of arrays or objects";
        if (kind != SURETY_KIND_STRING && kind != SURETY_KIND_NUMBER &&
            plain->subset == SURETY_SUBSET_GEMINI)
            return "an enum of what is neither string nor number";
    }
    return NULL;
}

static const char *plain_node(struct plain *plain, surety_val schema)
{
    const bool is_grammar = plain->subset == SURETY_SUBSET_GRAMMAR;
    const surety_val format = surety_val_get(schema, "format");
    const surety_val type = surety_val_get(schema, "type");
    const char *why = NULL;

    if (surety_val_kind(schema) != SURETY_KIND_OBJECT)
        return "a schema that is no object";
    for (surety_val val = surety_val_first(schema); val.doc;
         val = surety_val_next(schema, val))
        if (!plain_among(surety_val_str(surety_val_key(val)),
                         plain_keywords[plain->subset]))
            return "an unknown keyword";
    if (plain_has(schema, "$ref"))
        return plain_reference(plain, schema);
    plain->unions += plain_has(schema, "anyOf") || surety_val_count(type) > 1;
    if (!type.doc && !plain_has(schema, "anyOf") &&
        !plain_has(schema, "oneOf") &&
        !(is_grammar &&
          (plain_has(schema, "enum") || plain_has(schema, "const"))))
        return "no type";
    if (type.doc && plain_has(schema, "anyOf"))
        return "a type beside a union";
    if (plain->subset == SURETY_SUBSET_GEMINI && surety_val_count(type) > 2)
        return "a list of many types";
    if (format.doc &&
        !plain_among(surety_val_str(format), plain_formats[plain->subset]))
        return "an unknown format";
    if (plain->subset == SURETY_SUBSET_ANTHROPIC &&
        surety_val_uint(surety_val_get(schema, "minItems"), 0) > 1)
        return "minItems above 1";
    if (plain_typed(schema, "array") && !is_grammar &&
        !plain_has(schema, "items") && !plain_has(schema, "prefixItems"))
        return "an array without items";
    if (plain_typed(schema, "object") &&
        (!is_grammar || plain_has(schema, "properties")))
        why = plain_object(plain, schema);
    return why ? why : plain_values(plain, schema);
}

/* Calls itself for each level: schemas of tests are shallow. */
static const char *plain_walk(struct plain *plain, surety_val schema)
{
    static const char *const maps[] = {"properties", "$defs"};
    static const char *const lists[] = {"anyOf", "oneOf", "prefixItems"};
    static const char *const single[] = {"items", "additionalProperties"};
    const char *why = plain_node(plain, schema);

    for (size_t i = 0; i < 5 && !why; i++) {
        const surety_val held =
            surety_val_get(schema, i < 2 ? maps[i] : lists[i - 2]);
        for (surety_val sub = surety_val_first(held); sub.doc && !why;
             sub = surety_val_next(held, sub))
            why = plain_walk(plain, sub);
    }
    for (size_t i = 0; i < 2 && !why; i++) {
        const surety_val held = surety_val_get(schema, single[i]);
        if (surety_val_kind(held) == SURETY_KIND_OBJECT)
            why = plain_walk(plain, held);
    }
    return why;
}

static const char *plain_check(surety_val schema, surety_subset subset)
{
    struct plain plain = {.subset = subset, .root = schema};
    const char *why = plain_walk(&plain, schema);

    if (why)
        return why;
    if (subset <= SURETY_SUBSET_ANTHROPIC &&
        !surety_val_is(surety_val_get(schema, "type"), "object"))
        return "a root that is no object";
    if (subset == SURETY_SUBSET_OPENAI &&
        (plain.properties > 5000 || plain.choices > 1000))
        return "over a limit of OpenAI";
    if (subset == SURETY_SUBSET_ANTHROPIC &&
        (plain.optional > 24 || plain.unions > 16))
        return "over a limit of Anthropic";
    return NULL;
}

#endif
