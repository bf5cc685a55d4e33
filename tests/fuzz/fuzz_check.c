/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_check.c: any value on a fixed set of schemas, which between them use
 * every keyword. The check and the report must agree, the report must say the
 * same twice, and what is valid can be completed. */
#include <surety/schema.h>

#include <stdint.h>

#include "schema/schema.h"
#include "fuzz.h"

static const char *const fuzz_texts[] = {
    "{\"type\":\"object\",\"required\":[\"kind\",\"value\"],\"properties\":{"
    "\"kind\":{\"enum\":[\"a\",\"b\",\"c\",1,2,3,4,5,6,null]},\"value\":{"
    "\"type\":[\"number\",\"string\"],\"minimum\":0,\"exclusiveMaximum\":1e3,"
    "\"multipleOf\":0.5,\"minLength\":1,\"maxLength\":4,\"pattern\":\"^[a-z]+$"
    "\"},\"when\":{\"format\":\"date-time\"}},\"patternProperties\":{\"^x-\":{"
    "\"const\":[1,{\"a\":null}]}},\"additionalProperties\":false,"
    "\"dependentRequired\":{\"when\":[\"x-a\"]},\"maxProperties\":4}",
    "{\"$dynamicAnchor\":\"n\",\"anyOf\":[{\"type\":\"null\"},{\"properties\":{"
    "\"k\":{\"const\":1},\"l\":{\"$dynamicRef\":\"#n\"}},\"required\":[\"k\"]},"
    "{\"properties\":{\"k\":{\"const\":2},\"r\":{\"items\":{\"$ref\":\"#\"}}},"
    "\"required\":[\"k\"]}],\"unevaluatedProperties\":false}",
    "{\"prefixItems\":[{\"type\":\"integer\"},{\"not\":{\"type\":\"integer\"}}]"
    ",\"contains\":{\"type\":\"string\"},\"minContains\":1,\"maxContains\":2,"
    "\"uniqueItems\":true,\"unevaluatedItems\":{\"type\":[\"string\",\"array\"]"
    "},\"minItems\":1,\"maxItems\":6}",
    "{\"oneOf\":[{\"$ref\":\"#/$defs/a\"},{\"$ref\":\"#/$defs/b\"}],\"$defs\":{"
    "\"a\":{\"if\":{\"required\":[\"x\"]},\"then\":{\"properties\":{\"x\":{"
    "\"default\":1,\"type\":\"integer\"}}},\"else\":{\"minProperties\":1}},"
    "\"b\":{\"propertyNames\":{\"maxLength\":2},\"dependentSchemas\":{\"y\":{"
    "\"properties\":{\"z\":{\"default\":{}}}}},\"additionalProperties\":{"
    "\"$ref\":\"#\"}}}}",
    "{\"$schema\":\"http://json-schema.org/draft-04/schema#\",\"items\":[{"
    "\"type\":\"integer\",\"minimum\":0,\"exclusiveMinimum\":true}],"
    "\"additionalItems\":{\"type\":\"object\",\"dependencies\":{\"a\":[\"b\"],"
    "\"c\":{\"minProperties\":2}}}}",
    ("{\"$schema\":\"https://json-schema.org/v1\",\"items\":{"
     "\"propertyDependencies\":{\"k\":{\"a\":{\"required\":[\"x\"]}}}}}"),
    "{\"$ref\":\"https://json-schema.org/draft/2020-12/schema\"}",
    "{\"additionalProperties\":{\"pattern\":\"(?<=a)b|\\\\p{Lu}(?!x)\"},"
    "\"items\":{\"pattern\":\"(.)\\\\1\",\"maxLength\":3,\"format\":"
    "\"idn-hostname\"},\"propertyNames\":{\"format\":\"iri-reference\"}}",
    "{\"additionalProperties\":{\"$ref\":\"#\"},\"oneOf\":[{\"type\":"
    "\"object\",\"properties\":{\"k\":{\"const\":\"a\"}},\"required\":["
    "\"k\"]},{\"type\":\"object\",\"properties\":{\"k\":{\"enum\":[\"b\","
    "\"c\"]},\"l\":{\"type\":\"array\"}},\"required\":[\"k\"]},{\"type\":"
    "[\"object\",\"string\"],\"properties\":{\"l\":{\"type\":\"null\"}}}]}",
};

enum { FUZZ_SCHEMAS = sizeof(fuzz_texts) / sizeof(*fuzz_texts) };

static surety_schema *fuzz_schemas[FUZZ_SCHEMAS];

static const surety_limits fuzz_limits = {
    .size = sizeof(surety_limits),
    .pattern_match_max = 2000,
    .work_base = 20000,
};

static void fuzz_compile(void)
{
    surety_schema_options options = {.size = sizeof(options),
                                     .assert_format = true};

    for (size_t i = 0; i < FUZZ_SCHEMAS && !fuzz_schemas[i]; i++)
        must(!surety_schema_read(surety_str_of(fuzz_texts[i]), &options,
                                 &fuzz_schemas[i], NULL));
}

static void fuzz_report(surety_checker *checker, const surety_schema *schema,
                        surety_val val, bool valid)
{
    surety_findings *first = surety_findings_new(NULL);
    surety_findings *second = surety_findings_new(NULL);
    surety_status status =
        surety_checker_report(checker, schema, val, first, NULL);

    must(!status || status == SURETY_LIMIT);
    if (!status) {
        must(valid == (surety_findings_count(first) == 0));
        must(!surety_checker_report(checker, schema, val, second, NULL));
        must(surety_findings_count(first) == surety_findings_count(second));
    }
    for (size_t i = 0; i < surety_findings_count(second); i++)
        must(surety_str_equal(surety_findings_at(first, i).message,
                              surety_findings_at(second, i).message));
    surety_findings_free(first);
    surety_findings_free(second);
}

/* Straight from bytes there is the same answer, but that a limit of work may
 * not be met. */
static void fuzz_text(surety_checker *checker, const surety_schema *schema,
                      surety_str text, surety_status wanted, bool valid)
{
    bool of_text = false;
    surety_status status =
        surety_checker_check_text(checker, schema, text, NULL, &of_text, NULL);

    must(status == wanted || (wanted == SURETY_LIMIT && !status));
    must(wanted || of_text == valid);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    surety_str text = {(const char *)data, size};
    surety_doc *doc = surety_doc_new(NULL);
    surety_doc *built = surety_doc_new(NULL);
    surety_checker *checker = surety_checker_new(NULL, &fuzz_limits);
    surety_status read = surety_doc_read(doc, text, NULL, NULL);
    surety_val root = surety_doc_root(doc);

    fuzz_compile();
    for (size_t i = 0; i < FUZZ_SCHEMAS; i++) {
        bool valid = false;
        surety_status status = read;

        if (!status)
            status = surety_checker_check(checker, fuzz_schemas[i], root,
                                          &valid, NULL);
        must(!status || read || status == SURETY_LIMIT);
        fuzz_text(checker, fuzz_schemas[i], text, status, valid);
        if (status)
            continue;
        fuzz_report(checker, fuzz_schemas[i], root, valid);
        if (valid) {
            surety_val value = root;

            status = surety__checker_complete(checker, fuzz_schemas[i], true,
                                              true, built, &value, NULL);
            must(!status || status == SURETY_LIMIT);
        }
    }
    surety_checker_free(checker);
    surety_doc_free(built);
    surety_doc_free(doc);
    return 0;
}
