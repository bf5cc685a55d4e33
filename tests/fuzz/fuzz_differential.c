/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_differential.c: the engine against the plain checker (plain.h).
 *
 * The input is no text but a series of choices: each byte picks the next
 * keyword or value of a small schema and of an instance that is made of the
 * same few names and numbers, so that nearly every input is a real question.
 * A compile that fails, a limit, or a plain checker that is unsure is no
 * answer; otherwise the check of the tree, the one straight from bytes, the
 * report and the plain checker must agree. */
#include <surety/schema.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "choices.h"
#include "fuzz.h"
#include "plain.h"

enum { SCHEMA_DEPTH = 4, VALUE_DEPTH = 3, VALUES = 8 };

static void make_schema(struct choices *choices, surety_buf *out,
                        unsigned depth);

static const char *const names[] = {"\"a\"",  "\"b\"", "\"c\"",
                                    "\"ab\"", "\"\"",  "\"b\\u00e4\""};

static const char *const scalars[] = {
    "null", "true",   "false", "0",    "1",           "2",     "-1",
    "1.0",  "0.5",    "2.50",  "\"\"", "\"a\"",       "\"b\"", "\"ab\"",
    "3",    "\"bc\"", "1.5",   "10",   "\"b\\u00e4\""};

static const struct choices_words words = {
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
        choose_value(choices, &words, 2, out);
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

static void make_keyword(struct choices *choices, surety_buf *out,
                         unsigned depth)
{
    unsigned which = choose(choices, KEYWORDS + 4);

    surety_buf_byte(out, '"');
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
        choose_value(choices, &words, 2, out);
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

static void make_root(struct choices *choices, surety_buf *out)
{
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

static void differ(const surety_buf *schema, const surety_buf *instance,
                   const char *what)
{
    fprintf(stderr, "%s\nschema: %.*s\ninstance: %.*s\n", what,
            (int)schema->len, schema->ptr, (int)instance->len, instance->ptr);
    abort();
}

/* Asks all three about one value. */
static void compare(const surety_schema *schema, const surety_buf *schema_text,
                    surety_checker *checker, const surety_buf *instance_text)
{
    surety_doc *doc = surety_doc_new(NULL);
    surety_findings *findings = surety_findings_new(NULL);
    bool valid = false;
    bool straight = false;

    if (surety_doc_read(doc, surety_buf_str(instance_text), NULL, NULL))
        differ(schema_text, instance_text, "the instance is no JSON");
    if (!surety_checker_check(checker, schema, surety_doc_root(doc), &valid,
                              NULL)) {
        plain_verdict verdict =
            plain_check(surety_schema_root(schema), surety_doc_root(doc));

        if (verdict != PLAIN_UNSURE && valid != (verdict == PLAIN_VALID))
            differ(schema_text, instance_text,
                   valid ? "only the engine says valid"
                         : "only the engine says invalid");
        if (!surety_checker_check_text(checker, schema,
                                       surety_buf_str(instance_text), NULL,
                                       &straight, NULL) &&
            straight != valid)
            differ(schema_text, instance_text,
                   straight ? "only straight from bytes it is valid"
                            : "only straight from bytes it is invalid");
        if (!surety_checker_report(checker, schema, surety_doc_root(doc),
                                   findings, NULL) &&
            valid != (surety_findings_count(findings) == 0))
            differ(schema_text, instance_text, "the report does not agree");
    }
    surety_findings_free(findings);
    surety_doc_free(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const surety_limits limits = {
        .size = sizeof(limits), .inplace_depth_max = 60, .work_base = 10000};
    struct choices choices = {data, size};
    surety_schema *schema = NULL;
    surety_checker *checker = surety_checker_new(NULL, &limits);
    surety_buf schema_text, instance_text;

    surety_buf_init(&schema_text, NULL, 0);
    surety_buf_init(&instance_text, NULL, 0);
    make_root(&choices, &schema_text);
    if (!surety_schema_read(surety_buf_str(&schema_text), NULL, &schema,
                            NULL)) {
        for (int i = 0; i < VALUES; i++) {
            surety_buf_reset(&instance_text);
            choose_value(&choices, &words, VALUE_DEPTH, &instance_text);
            compare(schema, &schema_text, checker, &instance_text);
        }
    }
    surety_buf_done(&schema_text);
    surety_buf_done(&instance_text);
    surety_checker_free(checker);
    surety_schema_free(schema);
    return 0;
}
