/* SPDX-License-Identifier: Apache-2.0 */
/* schemas.c: the schemas of schemas.h. A schema is a few keywords, each with a
 * value of its form; where they nest too deep it is true or false. */
#include "schemas.h"

enum { SCHEMA_DEPTH = 4, VALUE_DEPTH = 3 };

static void make_schema(struct choices *choices, surety_buf *out,
                        unsigned depth);

static const char *const names[] = {"\"a\"",  "\"b\"", "\"c\"",
                                    "\"ab\"", "\"\"",  "\"b\\u00e4\""};

static const char *const scalars[] = {
    "null", "true",   "false", "0",    "1",           "2",     "-1",
    "1.0",  "0.5",    "2.50",  "\"\"", "\"a\"",       "\"b\"", "\"ab\"",
    "3",    "\"bc\"", "1.5",   "10",   "\"b\\u00e4\""};

const struct choices_words fuzz_words = {
    .names = names,
    .name_count = sizeof(names) / sizeof(*names),
    .scalars = scalars,
    .scalar_count = sizeof(scalars) / sizeof(*scalars),
    .items_max = 4};

static void make_list(struct choices *choices, surety_buf *out, unsigned depth)
{
    unsigned count = 1 + choose(choices, 3);

    surety_buf_byte(out, '[');
    for (unsigned i = 0; i < count; i++) {
        surety_buf_text(out, i ? "," : "");
        make_schema(choices, out, depth);
    }
    surety_buf_byte(out, ']');
}

static const char *const patterns[] = {"\"^a\"", "\"b\"", "\"^b$\"", "\"c$\"",
                                       "\"\""};

/* An object of schemas, by names or by patterns. */
static void make_map(struct choices *choices, surety_buf *out, bool by_pattern,
                     unsigned depth)
{
    unsigned count = choose(choices, 4);

    surety_buf_byte(out, '{');
    for (unsigned i = 0; i < count; i++) {
        surety_buf_text(out, i ? "," : "");
        surety_buf_text(out, by_pattern ? PICK(choices, patterns)
                                        : PICK(choices, names));
        surety_buf_byte(out, ':');
        make_schema(choices, out, depth);
    }
    surety_buf_byte(out, '}');
}

static void make_names(struct choices *choices, surety_buf *out)
{
    unsigned count = choose(choices, 3);

    surety_buf_byte(out, '[');
    for (unsigned i = 0; i < count; i++) {
        surety_buf_text(out, i ? "," : "");
        surety_buf_text(out, PICK(choices, names));
    }
    surety_buf_byte(out, ']');
}

static void make_enum(struct choices *choices, surety_buf *out)
{
    unsigned count = choose(choices, 12);

    surety_buf_byte(out, '[');
    for (unsigned i = 0; i < count; i++) {
        surety_buf_text(out, i ? "," : "");
        choose_value(choices, &fuzz_words, 2, out);
    }
    surety_buf_byte(out, ']');
}

enum form { FORM_WORD, FORM_ONE, FORM_LIST, FORM_NAMED, FORM_PATTERNED };

/* What a keyword's value is made of: one of words, or schemas. */
static const struct {
    const char *name;
    enum form form;
    const char *words[6];
} keywords[] = {
    {"type",
     FORM_WORD,
     {"\"integer\"", "\"number\"", "[\"string\",\"null\"]",
      "[\"object\",\"array\"]", "\"object\"", "\"boolean\""}},
    {"minimum", FORM_WORD, {"0", "1", "0.5", "-1", "1.0", "2"}},
    {"maximum", FORM_WORD, {"0", "1", "0.5", "-1", "1.0", "2"}},
    {"exclusiveMinimum", FORM_WORD, {"0", "1", "0.5", "-1", "1.0", "2"}},
    {"exclusiveMaximum", FORM_WORD, {"0", "1", "0.5", "-1", "1.0", "2"}},
    {"multipleOf", FORM_WORD, {"1", "0.5", "2", "0.1", "3", "1.5"}},
    {"minLength", FORM_WORD, {"0", "1", "2", "1.0", "3", "1e0"}},
    {"maxLength", FORM_WORD, {"0", "1", "2", "1.0", "3", "2"}},
    {"pattern",
     FORM_WORD,
     {"\"a\"", "\"^b\"", "\"b$\"", "\"^ab$\"", "\"c\"", "\"\""}},
    {"minItems", FORM_WORD, {"0", "1", "2", "3", "4", "1"}},
    {"maxItems", FORM_WORD, {"0", "1", "2", "3", "4", "1"}},
    {"minProperties", FORM_WORD, {"0", "1", "2", "3", "4", "1"}},
    {"maxProperties", FORM_WORD, {"0", "1", "2", "3", "4", "1"}},
    {"uniqueItems",
     FORM_WORD,
     {"true", "true", "true", "true", "false", "true"}},
    {"minContains", FORM_WORD, {"0", "1", "2", "3", "0", "1"}},
    {"maxContains", FORM_WORD, {"0", "1", "2", "3", "0", "1"}},
    {"$ref",
     FORM_WORD,
     {"\"#\"", "\"#/$defs/a\"", "\"#/$defs/b\"", "\"#/$defs/a\"",
      "\"#/properties/a\"", "\"#/$defs/b\""}},
    {"$ref",
     FORM_WORD,
     {"\"#/$defs/a\"", "\"#/$defs/b\"", "\"#/$defs/a\"", "\"#/$defs/b\"",
      "\"#/$defs/a\"", "\"#/$defs/b\""}},
    {"properties", FORM_NAMED, {NULL}},
    {"patternProperties", FORM_PATTERNED, {NULL}},
    {"additionalProperties", FORM_ONE, {NULL}},
    {"propertyNames", FORM_ONE, {NULL}},
    {"prefixItems", FORM_LIST, {NULL}},
    {"items", FORM_ONE, {NULL}},
    {"contains", FORM_ONE, {NULL}},
    {"allOf", FORM_LIST, {NULL}},
    {"anyOf", FORM_LIST, {NULL}},
    {"oneOf", FORM_LIST, {NULL}},
    {"not", FORM_ONE, {NULL}},
    {"if", FORM_ONE, {NULL}},
    {"then", FORM_ONE, {NULL}},
    {"else", FORM_ONE, {NULL}},
    {"dependentSchemas", FORM_NAMED, {NULL}},
    {"unevaluatedProperties", FORM_ONE, {NULL}},
    {"unevaluatedItems", FORM_ONE, {NULL}},
};

enum { KEYWORDS = sizeof(keywords) / sizeof(*keywords) };

/* Keywords that lead to the resources of make_resources. */
static const struct {
    const char *name;
    const char *words[4];
} references[] = {
    {"$dynamicRef", {"\"#d\"", "\"#d\"", "\"urn:a#d\"", "\"urn:b#d\""}},
    {"$dynamicRef", {"\"#d\"", "\"#e\"", "\"urn:a#e\"", "\"#d\""}},
    {"$ref", {"\"urn:a\"", "\"urn:b\"", "\"urn:a#d\"", "\"urn:r\""}},
};

enum { REFERENCES = sizeof(references) / sizeof(*references) };

static void make_keyword(struct choices *choices, surety_buf *out,
                         unsigned depth)
{
    const bool dynamic = choices->flags & FUZZ_SCHEMAS_DYNAMIC;
    unsigned which = choose(choices, KEYWORDS + 4 + (dynamic ? REFERENCES : 0));

    surety_buf_byte(out, '"');
    if (which >= KEYWORDS + 4) {
        which -= KEYWORDS + 4;
        surety_buf_text(out, references[which].name);
        surety_buf_text(out, "\":");
        surety_buf_text(out, PICK(choices, references[which].words));
        return;
    }
    if (which < KEYWORDS)
        surety_buf_text(out, keywords[which].name);
    else
        surety_buf_text(out, which == KEYWORDS       ? "enum"
                             : which == KEYWORDS + 1 ? "const"
                             : which == KEYWORDS + 2 ? "required"
                                                     : "dependentRequired");
    surety_buf_text(out, "\":");
    if (which == KEYWORDS) {
        make_enum(choices, out);
    } else if (which == KEYWORDS + 1) {
        choose_value(choices, &fuzz_words, 2, out);
    } else if (which == KEYWORDS + 2) {
        make_names(choices, out);
    } else if (which > KEYWORDS) {
        surety_buf_byte(out, '{');
        surety_buf_text(out, PICK(choices, names));
        surety_buf_byte(out, ':');
        make_names(choices, out);
        surety_buf_byte(out, '}');
    } else if (keywords[which].form == FORM_WORD) {
        surety_buf_text(out, PICK(choices, keywords[which].words));
    } else if (keywords[which].form == FORM_ONE) {
        make_schema(choices, out, depth);
    } else if (keywords[which].form == FORM_LIST) {
        make_list(choices, out, depth);
    } else {
        make_map(choices, out, keywords[which].form == FORM_PATTERNED, depth);
    }
}

static void make_schema(struct choices *choices, surety_buf *out,
                        unsigned depth)
{
    unsigned count = depth ? choose(choices, 6) : 0;

    if (count == 0) {
        surety_buf_text(out, choose(choices, 3) ? "true" : "false");
        return;
    }
    surety_buf_byte(out, '{');
    for (unsigned i = 0; i < count; i++) {
        surety_buf_text(out, i ? "," : "");
        make_keyword(choices, out, depth - 1);
    }
    surety_buf_byte(out, '}');
}

/* Keywords of a schema that is open, one at least. */
static void make_keywords(struct choices *choices, surety_buf *out,
                          unsigned depth)
{
    const unsigned count = 1 + choose(choices, 4);

    for (unsigned i = 0; i < count; i++) {
        surety_buf_text(out, i ? "," : "");
        make_keyword(choices, out, depth);
    }
}

/* Definitions of which one has a dynamic anchor. */
static void make_anchored(struct choices *choices, surety_buf *out,
                          const char *anchor)
{
    surety_buf_text(out, "\"$defs\":{\"a\":");
    make_schema(choices, out, 1);
    surety_buf_text(out, ",\"b\":");
    make_schema(choices, out, 1);
    surety_buf_text(out, ",\"d\":{\"$dynamicAnchor\":\"");
    surety_buf_text(out, anchor);
    surety_buf_text(out, "\",");
    make_keywords(choices, out, 1);
    surety_buf_byte(out, '}');
}

/* A schema of three resources. */
static void make_resources(struct choices *choices, surety_buf *out)
{
    static const char *const anchors[] = {"d", "e", "d", "d"};
    static const char *const resources[] = {",\"x\":{\"$id\":\"urn:a\",",
                                            ",\"y\":{\"$id\":\"urn:b\","};

    surety_buf_text(out, "{\"$id\":\"urn:r\",");
    make_anchored(choices, out, PICK(choices, anchors));
    for (unsigned i = 0; i < 2; i++) {
        surety_buf_text(out, resources[i]);
        make_anchored(choices, out, PICK(choices, anchors));
        surety_buf_text(out, "},");
        make_keywords(choices, out, 2);
        surety_buf_byte(out, '}');
    }
    surety_buf_text(out, "},");
    if (choose(choices, 2))
        surety_buf_text(out, "\"$dynamicAnchor\":\"e\",");
    make_keywords(choices, out, SCHEMA_DEPTH - 1);
    surety_buf_byte(out, '}');
}

/* ---- objects that their tags tell apart -----------------------------------
 */

static const char *const tags[] = {"\"a\"", "\"b\"", "\"c\""};

static const char *const tag_values[] = {"\"a\"", "\"b\"", "\"ab\"", "1",
                                         "1.0",   "true",  "null",   "[]"};

/* Subschemas of a tag. */
static const char *const tag_tests[] = {
    "{\"const\":\"a\"}",
    "{\"const\":\"b\"}",
    "{\"const\":1}",
    "{\"enum\":[\"b\",\"ab\"]}",
    "{\"enum\":[\"a\",1,null]}",
    "{\"not\":{\"const\":\"a\"}}",
    "{\"not\":{\"enum\":[\"ab\",\"b\"]}}",
    "{\"type\":\"string\",\"not\":{\"enum\":[\"a\",1]}}",
    "{\"not\":{\"enum\":[\"a\",\"b\"],\"minLength\":2}}",
    "{\"if\":{\"enum\":[\"a\",\"ab\"]},\"else\":{\"type\":\"null\"}}",
    "{\"anyOf\":[{\"enum\":[\"a\",\"b\"]},{\"type\":\"boolean\"}]}",
    "{\"pattern\":\"^a\"}",
    "{\"type\":\"string\",\"pattern\":\"b\"}",
    "{\"type\":[\"string\",\"null\"]}",
    "true",
    "false"};

/* What makes an object more than its tags. */
static const char *const tag_others[] = {
    "\"additionalProperties\":false",
    "\"additionalProperties\":{\"type\":\"string\"}",
    "\"additionalProperties\":true",
    "\"patternProperties\":{\"^a\":{\"type\":\"string\"}}",
    "\"minProperties\":2",
    "\"unevaluatedProperties\":false",
    "\"propertyNames\":{\"maxLength\":1}",
    "\"dependentRequired\":{\"a\":[\"b\"]}",
    "\"not\":{\"required\":[\"a\",\"b\"]}",
    "\"type\":[\"object\",\"string\"]"};

static void make_tagged(struct choices *choices, surety_buf *out,
                        unsigned depth);

static void make_tag_tests(struct choices *choices, surety_buf *out,
                           unsigned depth)
{
    const unsigned count = 1 + choose(choices, 3);

    surety_buf_text(out, "\"properties\":{");
    for (unsigned i = 0; i < count; i++) {
        surety_buf_text(out, i ? "," : "");
        surety_buf_text(out, PICK(choices, tags));
        surety_buf_byte(out, ':');
        if (depth && !choose(choices, 6))
            make_tagged(choices, out, depth - 1);
        else
            surety_buf_text(out, PICK(choices, tag_tests));
    }
    surety_buf_byte(out, '}');
}

static void make_tagged_list(struct choices *choices, surety_buf *out,
                             const char *keyword, unsigned depth)
{
    const unsigned count = 1 + choose(choices, 4);

    surety_buf_text(out, keyword);
    for (unsigned i = 0; i < count; i++) {
        surety_buf_text(out, i ? "," : "");
        make_tagged(choices, out, depth);
    }
    surety_buf_byte(out, ']');
}

/* Another applicator of the same object. */
static void make_tagged_more(struct choices *choices, surety_buf *out,
                             unsigned depth)
{
    static const char *const lists[] = {",\"allOf\":[", ",\"oneOf\":[",
                                        ",\"anyOf\":[", ",\"allOf\":["};
    const unsigned which = choose(choices, 8);

    if (which < 4) {
        make_tagged_list(choices, out, lists[which], depth);
        return;
    }
    surety_buf_text(out, ",\"if\":");
    make_tagged(choices, out, which == 7 ? depth : 0);
    if (which != 5) {
        surety_buf_text(out, ",\"then\":");
        make_tagged(choices, out, depth);
    }
    if (which != 6) {
        surety_buf_text(out, ",\"else\":");
        make_tagged(choices, out, depth);
    }
}

static void make_tagged(struct choices *choices, surety_buf *out,
                        unsigned depth)
{
    surety_buf_byte(out, '{');
    make_tag_tests(choices, out, depth);
    if (choose(choices, 2)) {
        surety_buf_text(out, ",\"required\":[");
        surety_buf_text(out, PICK(choices, tags));
        surety_buf_byte(out, ']');
    }
    if (!choose(choices, 8)) {
        surety_buf_byte(out, ',');
        surety_buf_text(out, PICK(choices, tag_others));
    }
    if (depth && choose(choices, 4))
        make_tagged_more(choices, out, depth - 1);
    surety_buf_byte(out, '}');
}

static void make_tagged_value(struct choices *choices, surety_buf *out,
                              unsigned depth)
{
    const unsigned count = choose(choices, 4);

    surety_buf_byte(out, '{');
    for (unsigned i = 0; i < count; i++) {
        surety_buf_text(out, i ? "," : "");
        surety_buf_text(out, tags[i]);
        surety_buf_byte(out, ':');
        if (depth && !choose(choices, 6))
            make_tagged_value(choices, out, depth - 1);
        else
            surety_buf_text(out, PICK(choices, tag_values));
    }
    surety_buf_byte(out, '}');
}

/* ---- what the header offers ------------------------------------------------
 */

void fuzz_value_make(struct choices *choices, surety_buf *out)
{
    if (choices->flags & FUZZ_SCHEMAS_TAGGED)
        make_tagged_value(choices, out, VALUE_DEPTH - 1);
    else
        choose_value(choices, &fuzz_words, VALUE_DEPTH, out);
}

void fuzz_schema_make(struct choices *choices, surety_buf *out)
{
    if (choices->flags & FUZZ_SCHEMAS_TAGGED) {
        make_tagged(choices, out, SCHEMA_DEPTH - 1);
        return;
    }
    if (choices->flags & FUZZ_SCHEMAS_DYNAMIC) {
        make_resources(choices, out);
        return;
    }
    surety_buf_text(out, "{\"$defs\":{\"a\":");
    make_schema(choices, out, SCHEMA_DEPTH - 2);
    surety_buf_text(out, ",\"b\":");
    make_schema(choices, out, SCHEMA_DEPTH - 2);
    surety_buf_text(out, "},\"properties\":");
    make_map(choices, out, false, SCHEMA_DEPTH - 1);
    surety_buf_text(out, ",\"allOf\":[");
    make_schema(choices, out, SCHEMA_DEPTH);
    surety_buf_text(out, "],");
    make_keyword(choices, out, SCHEMA_DEPTH);
    surety_buf_byte(out, '}');
}

void fuzz_schema_part(struct choices *choices, surety_buf *out)
{
    make_schema(choices, out, SCHEMA_DEPTH - 2);
}

void fuzz_keyword_make(struct choices *choices, surety_buf *out)
{
    make_keyword(choices, out, SCHEMA_DEPTH - 2);
}
