/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas that apply themselves to the same value: each is refused, whichever
 * keyword leads there, with the place of the subschema that is met again; and
 * no others are. */
#include "check.h"

#include <surety/schema.h>

struct circle {
    const char *schema;
    unsigned line, column;
    const char *path;
};

static surety_status circle_read(struct check *t, const char *text,
                                 surety_schema **ret_schema, surety_error *err)
{
    const surety_schema_options options = {.size = sizeof(options),
                                           .alloc = check_alloc(t)};

    return surety_schema_read(surety_str_of(text), &options, ret_schema, err);
}

TEST(a_schema_that_goes_in_circles)
{
    static const struct circle circles[] = {
        {"{\"$ref\":\"#\"}", 1, 1, ""},
        {"{\"allOf\":[{\"$ref\":\"#\"}]}", 1, 1, ""},
        {"{\"$ref\":\"#/$defs/a\",\"$defs\":{\n"
         "\"a\":{\"allOf\":[{\"$ref\":\"#/$defs/b\"}]},\n"
         "\"b\":{\"allOf\":[{\"$ref\":\"#/$defs/a\"}]}}}",
         2, 5, "/$defs/a"},
        {"{\"oneOf\":[{\"type\":\"string\"},{\"$ref\":\"#\"}]}", 1, 1, ""},
        {"{\"not\":{\"$ref\":\"#\"}}", 1, 1, ""},
        {"{\"if\":{\"$ref\":\"#\"},\"then\":true}", 1, 1, ""},
        {"{\"anyOf\":[{\"$ref\":\"#\"},{\"type\":\"string\"}]}", 1, 1, ""},
        {"{\"properties\":{\"a\":{\"$ref\":\"#/properties/a\"}}}", 1, 20,
         "/properties/a"},
        {"{\"$schema\":\"http://json-schema.org/draft-07/schema#\","
         "\"$ref\":\"#\"}",
         1, 1, ""},
        /* Which only some value closes. */
        {"{\"anyOf\":[{\"type\":\"string\"},{\"$ref\":\"#\"}]}", 1, 1, ""},
        {"{\"if\":{\"type\":\"string\"},\"then\":{\"$ref\":\"#\"}}", 1, 1, ""},
        {"{\"if\":{\"type\":\"string\"},\"else\":{\"$ref\":\"#\"}}", 1, 1, ""},
        {"{\"dependentSchemas\":{\"a\":{\"$ref\":\"#\"}}}", 1, 1, ""},
        /* By dynamic references, to whatever scope they lead. */
        {"{\"$dynamicAnchor\":\"a\",\"$dynamicRef\":\"#a\"}", 1, 1, ""},
        {"{\"$dynamicAnchor\":\"d\",\"if\":{\"$dynamicRef\":\"#d\"},"
         "\"items\":{\"unevaluatedItems\":false}}",
         1, 1, ""},
        {"{\"$dynamicAnchor\":\"d\",\"allOf\":[{\"if\":{\"$dynamicRef\":"
         "\"#d\"}}]}",
         1, 1, ""},
        {"{\"$schema\":\"https://json-schema.org/draft/2019-09/schema\","
         "\"$recursiveAnchor\":true,\"anyOf\":[true,{"
         "\"$recursiveRef\":\"#\"}]}",
         1, 1, ""},
        {"{\"$id\":\"urn:a\",\"$ref\":\"urn:b\",\"$defs\":{\"t\":{"
         "\"$dynamicAnchor\":\"t\",\"$ref\":\"urn:b\"},\"b\":{\"$id\":"
         "\"urn:b\",\"not\":{\"$dynamicRef\":\"#t\"},\"$defs\":{\"t\":{"
         "\"$dynamicAnchor\":\"t\"}}}}}",
         1, 86, "/$defs/b"},
        {"{\"$schema\":\"https://json-schema.org/v1\",\"$dynamicAnchor\":"
         "\"t\",\"propertyDependencies\":{\"a\":{\"b\":{\"$dynamicRef\":"
         "\"t\"}}}}",
         1, 1, ""},
    };

    surety_schema *schema = NULL;
    surety_error err;

    for (size_t i = 0; i < CHECK_COUNT(circles); i++) {
        EXPECT(SURETY_SYNTAX, circle_read(t, circles[i].schema, &schema, &err));
        CHECK_TEXT(surety_str_of(err.message),
                   "the schema refers to itself without moving into the "
                   "value: a check of it might never end");
        CHECK_TEXT(surety_str_of(err.path), circles[i].path);
        CHECK(err.position.line == circles[i].line);
        CHECK(err.position.column == circles[i].column);
    }
done:
    surety_schema_free(schema);
}

/* Recursion that moves into the value, and what is applied twice to it. */
TEST(recursion_that_is_none_of_these)
{
    static const char *const schemas[] = {
        "{\"items\":{\"$ref\":\"#\"}}",
        "{\"allOf\":[{\"properties\":{\"a\":{\"$ref\":\"#\"}}}]}",
        "{\"anyOf\":[{\"$ref\":\"#/$defs/a\"},{\"not\":{\"$ref\":\"#/$defs/"
        "a\"}}],"
        "\"$defs\":{\"a\":{\"items\":{\"$ref\":\"#\"}}}}",
        "{\"$dynamicAnchor\":\"a\",\"items\":{\"$dynamicRef\":\"#a\"}}",
        "{\"not\":{\"items\":{\"not\":{\"$ref\":\"#\"}}}}",
        "{\"if\":true,\"then\":{\"contains\":{\"$ref\":\"#\"}}}",
    };
    surety_schema *schema = NULL;

    for (size_t i = 0; i < CHECK_COUNT(schemas); i++) {
        TRY(check_schema(t, schemas[i], &schema));
        surety_schema_free(schema);
        schema = NULL;
    }
done:
    surety_schema_free(schema);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"a schema that goes in circles", a_schema_that_goes_in_circles},
        {"recursion that is none of these", recursion_that_is_none_of_these},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
