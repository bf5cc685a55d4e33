/* SPDX-License-Identifier: Apache-2.0 */
/* Every assertion and applicator with values on both sides of its edge, and
 * what a keyword says of values of another type: nothing. */
#include "check.h"

#include <string.h>

#include "schema_verdict.h"

TEST(types)
{
    static const struct verdict rows[] = {
        {"{\"type\":\"null\"}", "null", true},
        {"{\"type\":\"null\"}", "true", false},
        {"{\"type\":\"null\"}", "1", false},
        {"{\"type\":\"null\"}", "1.5", false},
        {"{\"type\":\"null\"}", "\"s\"", false},
        {"{\"type\":\"null\"}", "[]", false},
        {"{\"type\":\"null\"}", "{}", false},
        {"{\"type\":\"boolean\"}", "null", false},
        {"{\"type\":\"boolean\"}", "true", true},
        {"{\"type\":\"boolean\"}", "1", false},
        {"{\"type\":\"boolean\"}", "1.5", false},
        {"{\"type\":\"boolean\"}", "\"s\"", false},
        {"{\"type\":\"boolean\"}", "[]", false},
        {"{\"type\":\"boolean\"}", "{}", false},
        {"{\"type\":\"integer\"}", "null", false},
        {"{\"type\":\"integer\"}", "true", false},
        {"{\"type\":\"integer\"}", "1", true},
        {"{\"type\":\"integer\"}", "1.5", false},
        {"{\"type\":\"integer\"}", "\"s\"", false},
        {"{\"type\":\"integer\"}", "[]", false},
        {"{\"type\":\"integer\"}", "{}", false},
        {"{\"type\":\"number\"}", "null", false},
        {"{\"type\":\"number\"}", "true", false},
        {"{\"type\":\"number\"}", "1", true},
        {"{\"type\":\"number\"}", "1.5", true},
        {"{\"type\":\"number\"}", "\"s\"", false},
        {"{\"type\":\"number\"}", "[]", false},
        {"{\"type\":\"number\"}", "{}", false},
        {"{\"type\":\"string\"}", "null", false},
        {"{\"type\":\"string\"}", "true", false},
        {"{\"type\":\"string\"}", "1", false},
        {"{\"type\":\"string\"}", "1.5", false},
        {"{\"type\":\"string\"}", "\"s\"", true},
        {"{\"type\":\"string\"}", "[]", false},
        {"{\"type\":\"string\"}", "{}", false},
        {"{\"type\":\"array\"}", "null", false},
        {"{\"type\":\"array\"}", "true", false},
        {"{\"type\":\"array\"}", "1", false},
        {"{\"type\":\"array\"}", "1.5", false},
        {"{\"type\":\"array\"}", "\"s\"", false},
        {"{\"type\":\"array\"}", "[]", true},
        {"{\"type\":\"array\"}", "{}", false},
        {"{\"type\":\"object\"}", "null", false},
        {"{\"type\":\"object\"}", "true", false},
        {"{\"type\":\"object\"}", "1", false},
        {"{\"type\":\"object\"}", "1.5", false},
        {"{\"type\":\"object\"}", "\"s\"", false},
        {"{\"type\":\"object\"}", "[]", false},
        {"{\"type\":\"object\"}", "{}", true},
        {"{\"type\":\"integer\"}", "1.0", true},
        {"{\"type\":\"integer\"}", "1e2", true},
        {"{\"type\":\"integer\"}", "12.5e1", true},
        {"{\"type\":\"integer\"}", "1e-1", false},
        {"{\"type\":\"integer\"}", "123456789012345678901234567890", true},
        {"{\"type\":[\"null\",\"string\"]}", "null", true},
        {"{\"type\":[\"null\",\"string\"]}", "1", false},
        {"{\"$schema\":\"http://json-schema.org/draft-04/"
         "schema#\",\"type\":\"integer\"}",
         "1.0", false},
        {"{\"$schema\":\"http://json-schema.org/draft-04/"
         "schema#\",\"type\":\"integer\"}",
         "99999999999999999999", true},
    };

    verdict_rows(t, rows, CHECK_COUNT(rows), false);
}

TEST(choices)
{
    static const struct verdict rows[] = {
        {"{\"enum\":[1,\"1\",null,[1],{\"a\":1}]}", "1.0", true},
        {"{\"enum\":[1,\"1\",null,[1],{\"a\":1}]}", "\"1\"", true},
        {"{\"enum\":[1,\"1\",null,[1],{\"a\":1}]}", "[1.0]", true},
        {"{\"enum\":[1,\"1\",null,[1],{\"a\":1}]}", "{\"a\":1e0}", true},
        {"{\"enum\":[1,\"1\",null,[1],{\"a\":1}]}", "true", false},
        {"{\"enum\":[1,\"1\",null,[1],{\"a\":1}]}", "[1,1]", false},
        {"{\"enum\":[]}", "1", false},
        {"{\"enum\":[0,1,2,3,4,5,6,7,8,9,\"nine\"]}", "9", true},
        {"{\"enum\":[0,1,2,3,4,5,6,7,8,9,\"nine\"]}", "9.0", true},
        {"{\"enum\":[0,1,2,3,4,5,6,7,8,9,\"nine\"]}", "\"nine\"", true},
        {"{\"enum\":[0,1,2,3,4,5,6,7,8,9,\"nine\"]}", "10", false},
        {"{\"enum\":[0,1,2,3,4,5,6,7,8,9,\"nine\"]}", "\"9\"", false},
        {"{\"const\":{\"a\":[1,{\"b\":null}],\"c\":\"x\"}}",
         "{\"c\":\"x\",\"a\":[1,{\"b\":null}]}", true},
        {"{\"const\":{\"a\":[1,{\"b\":null}],\"c\":\"x\"}}",
         "{\"c\":\"x\",\"a\":[1,{\"b\":0}]}", false},
        {"{\"const\":false}", "0", false},
        {"{\"const\":0}", "-0.0", true},
        {"{\"const\":\"a\"}", "\"\\u0061\"", true},
    };

    verdict_rows(t, rows, CHECK_COUNT(rows), false);
}

TEST(numbers)
{
    static const struct verdict rows[] = {
        {"{\"minimum\":1.5}", "1.5", true},
        {"{\"minimum\":1.5}", "1.49999999999999999999", false},
        {"{\"maximum\":-3}", "-3", true},
        {"{\"maximum\":-3}", "-2", false},
        {"{\"exclusiveMinimum\":0}", "0", false},
        {"{\"exclusiveMinimum\":0}", "1e-400", true},
        {"{\"exclusiveMaximum\":0}", "0.0", false},
        {"{\"exclusiveMaximum\":0}", "-1", true},
        {"{\"minimum\":1}", "\"0\"", true},
        {"{\"multipleOf\":2}", "\"x\"", true},
        {"{\"multipleOf\":2}", "7", false},
        {"{\"multipleOf\":2}", "-8", true},
        {"{\"multipleOf\":0.1}", "0.3", true},
        {"{\"multipleOf\":9223372036854775807}", "-9223372036854775808", false},
        {"{\"maximum\":9223372036854775807}", "9223372036854775808", false},
        {"{\"$schema\":\"http://json-schema.org/draft-04/"
         "schema#\",\"minimum\":1,\"exclusiveMinimum\":true}",
         "1", false},
        {"{\"$schema\":\"http://json-schema.org/draft-04/"
         "schema#\",\"minimum\":1,\"exclusiveMinimum\":false}",
         "1", true},
        {"{\"$schema\":\"http://json-schema.org/draft-04/"
         "schema#\",\"exclusiveMinimum\":true}",
         "-5", true},
        {"{\"$schema\":\"http://json-schema.org/draft-04/"
         "schema#\",\"const\":1}",
         "2", true},
    };

    verdict_rows(t, rows, CHECK_COUNT(rows), false);
}

TEST(strings)
{
    static const struct verdict rows[] = {
        {"{\"minLength\":2}", "\"\xF0\x9F\x98\x80\xF0\x9F\x98\x80\"", true},
        {"{\"minLength\":3}", "\"\xF0\x9F\x98\x80\xF0\x9F\x98\x80\"", false},
        {"{\"maxLength\":2}", "\"\xF0\x9F\x98\x80\xF0\x9F\x98\x80\"", true},
        {"{\"maxLength\":1}", "\"\xF0\x9F\x98\x80\xF0\x9F\x98\x80\"", false},
        {"{\"minLength\":2,\"maxLength\":8}", "\"\xC3\xA9\"", false},
        {"{\"minLength\":2,\"maxLength\":8}", "\"\xC3\xA9\xC3\xA9\"", true},
        {"{\"minLength\":2}", "\"\\ud83d\\ude00\"", false},
        {"{\"minLength\":2}", "\"ab\"", true},
        {"{\"maxLength\":1}", "\"\\u00e4\"", true},
        {"{\"maxLength\":1}", "\"ab\"", false},
        {"{\"maxLength\":2}", "[\"a\",\"b\",\"c\"]", true},
        {"{\"pattern\":\"b\"}", "\"abc\"", true},
        {"{\"pattern\":\"^b\"}", "\"abc\"", false},
        {"{\"pattern\":\"^b\"}", "5", true},
        {"{\"pattern\":\"a{2,}\\\\b\"}", "\"a\"", false},
        {"{\"pattern\":\"a{2,}\\\\b\"}", "\"xaa\"", true},
        {"{\"pattern\":\"a{2,}\\\\b\"}", "\"aaab\"", false},
        {"{\"pattern\":\"^\\\\u0061\\\\u0062$\"}", "\"ab\"", true},
        {"{\"pattern\":\"^\\\\ud83d\\\\ude00$\"}", "\"\xF0\x9F\x98\x80\"",
         true},
        {"{\"pattern\":\"^(a\\\\1*)$\"}", "\"a\"", true},
        {"{\"pattern\":\"^(a\\\\1*)$\"}", "\"aa\"", false},
        {"{\"pattern\":\"[a-\\\\ud900]\\\\b\"}", "\"b\"", true},
        {"{\"pattern\":\"[a-\\\\ud900]\\\\b\"}", "\"A\"", false},
        {"{\"maxLength\":3}", "\"a\\u0000b\"", true},
        {"{\"maxLength\":2}", "\"a\\u0000b\"", false},
        {"{\"format\":\"ipv4\"}", "\"127.0.0.1\"", true},
        {"{\"format\":\"ipv4\"}", "\"127.0.0\"", false},
        {"{\"format\":\"ipv4\"}", "7", true},
        {"{\"format\":\"nothing\"}", "\"x\"", true},
        {"{\"$schema\":\"http://json-schema.org/draft-07/"
         "schema#\",\"contentEncoding\":\"base64\"}",
         "\"YWJj\"", true},
        {"{\"$schema\":\"http://json-schema.org/draft-07/"
         "schema#\",\"contentEncoding\":\"base64\"}",
         "\"YW%j\"", false},
        {"{\"$schema\":\"http://json-schema.org/draft-07/"
         "schema#\",\"contentMediaType\":\"application/json\"}",
         "\"[1]\"", true},
        {"{\"$schema\":\"http://json-schema.org/draft-07/"
         "schema#\",\"contentMediaType\":\"application/json\"}",
         "\"[1\"", false},
        {"{\"$schema\":\"http://json-schema.org/draft-07/"
         "schema#\",\"contentMediaType\":\"application/"
         "json\",\"contentEncoding\":\"base64\"}",
         "\"eyJhIjoxfQ==\"", true},
        {"{\"$schema\":\"http://json-schema.org/draft-07/"
         "schema#\",\"contentMediaType\":\"application/"
         "json\",\"contentEncoding\":\"base64\"}",
         "\"eyJhIjoxfS4=\"", false},
        {"{\"contentEncoding\":\"base64\"}", "\"%\"", true},
    };

    verdict_rows(t, rows, CHECK_COUNT(rows), true);
}

TEST(format_is_an_annotation)
{
    static const struct verdict rows[] = {
        {"{\"format\":\"ipv4\"}", "\"x\"", true},
    };

    verdict_rows(t, rows, CHECK_COUNT(rows), false);
}

TEST(arrays)
{
    static const struct verdict rows[] = {
        {"{\"minItems\":1}", "[]", false},
        {"{\"minItems\":1}", "[0]", true},
        {"{\"maxItems\":0}", "[]", true},
        {"{\"maxItems\":0}", "[0]", false},
        {"{\"maxItems\":0}", "{\"a\":1}", true},
        {"{\"items\":{\"type\":\"null\"}}", "[null,null]", true},
        {"{\"items\":{\"type\":\"null\"}}", "[null,1]", false},
        {"{\"prefixItems\":[{\"type\":\"null\"}],\"items\":{\"type\":"
         "\"string\"}}",
         "[null,\"x\"]", true},
        {"{\"prefixItems\":[{\"type\":\"null\"}],\"items\":{\"type\":"
         "\"string\"}}",
         "[null,1]", false},
        {"{\"prefixItems\":[{\"type\":\"null\"},{\"type\":\"null\"}]}",
         "[null]", true},
        {"{\"prefixItems\":[{\"type\":\"null\"}]}", "[null,1,2]", true},
        {"{\"$schema\":\"http://json-schema.org/draft-07/"
         "schema#\",\"items\":[{\"type\":\"null\"}],\"additionalItems\":{"
         "\"type\":\"string\"}}",
         "[null,\"x\"]", true},
        {"{\"$schema\":\"http://json-schema.org/draft-07/"
         "schema#\",\"items\":[{\"type\":\"null\"}],\"additionalItems\":{"
         "\"type\":\"string\"}}",
         "[null,1]", false},
        {"{\"$schema\":\"http://json-schema.org/draft-07/"
         "schema#\",\"items\":{\"type\":\"null\"},\"additionalItems\":false}",
         "[null,null]", true},
        {"{\"uniqueItems\":true}", "[1,true,\"1\",[1],{\"a\":1},null,0,false]",
         true},
        {"{\"uniqueItems\":true}", "[{\"a\":1,\"b\":2},{\"b\":2,\"a\":1}]",
         false},
        {"{\"uniqueItems\":true}", "[1,1.0]", false},
        {"{\"uniqueItems\":false}", "[1,1]", true},
        {"{\"uniqueItems\":true}", "[]", true},
        {"{\"contains\":{\"type\":\"null\"}}", "[1,null]", true},
        {"{\"contains\":{\"type\":\"null\"}}", "[1]", false},
        {"{\"contains\":{\"type\":\"null\"}}", "[]", false},
        {"{\"contains\":{\"type\":\"null\"},\"minContains\":0}", "[]", true},
        {"{\"contains\":{\"type\":\"null\"},\"minContains\":2}",
         "[null,1,null]", true},
        {"{\"contains\":{\"type\":\"null\"},\"minContains\":2}", "[null,1]",
         false},
        {"{\"contains\":{\"type\":\"null\"},\"maxContains\":1}", "[null,1]",
         true},
        {"{\"contains\":{\"type\":\"null\"},\"maxContains\":1}", "[null,null]",
         false},
        {"{\"contains\":{\"type\":\"null\"},\"minContains\":0,\"maxContains\":"
         "0}",
         "[null]", false},
        {"{\"maxContains\":0}", "[1]", true},
        {"{\"contains\":{\"allOf\":[{\"type\":\"null\"}]}}", "[1,null]", true},
        {"{\"contains\":{\"allOf\":[{\"type\":\"null\"}]}}", "[1,2]", false},
        {"{\"contains\":true}", "[]", false},
    };

    verdict_rows(t, rows, CHECK_COUNT(rows), false);
}

TEST(objects)
{
    static const struct verdict rows[] = {
        {"{\"minProperties\":1}", "{}", false},
        {"{\"minProperties\":1}", "{\"a\":1}", true},
        {"{\"maxProperties\":0}", "{}", true},
        {"{\"maxProperties\":0}", "{\"a\":1}", false},
        {"{\"required\":[\"a\",\"b\"]}", "{\"b\":1,\"a\":2}", true},
        {"{\"required\":[\"a\",\"b\"]}", "{\"b\":1}", false},
        {"{\"required\":[\"a\",\"a\"]}", "{\"a\":1}", true},
        {"{\"required\":[\"\"]}", "{\"\":1}", true},
        {"{\"required\":[\"__proto__\"]}", "{}", false},
        {"{\"required\":[\"a\"]}", "[]", true},
        {"{\"properties\":{\"a\":{\"type\":\"null\"}}}", "{\"a\":1}", false},
        {"{\"properties\":{\"a\":{\"type\":\"null\"}}}", "{\"b\":1}", true},
        {"{\"patternProperties\":{\"^a\":{\"type\":\"null\"},\"b$\":{\"type\":"
         "\"null\"}}}",
         "{\"ab\":null,\"c\":1}", true},
        {"{\"patternProperties\":{\"^a\":{\"type\":\"null\"},\"b$\":{"
         "\"minimum\":1}}}",
         "{\"xb\":0}", false},
        {"{\"properties\":{\"a\":true},\"patternProperties\":{\"^p\":true},"
         "\"additionalProperties\":false}",
         "{\"a\":1,\"pq\":1}", true},
        {"{\"properties\":{\"a\":true},\"patternProperties\":{\"^p\":true},"
         "\"additionalProperties\":false}",
         "{\"a\":1,\"q\":1}", false},
        {"{\"additionalProperties\":{\"type\":\"null\"}}", "{\"a\":null}",
         true},
        {"{\"additionalProperties\":{\"type\":\"null\"}}", "{\"a\":1}", false},
        {"{\"required\":[\"a\"],\"additionalProperties\":false}", "{\"a\":1}",
         false},
        {"{\"propertyNames\":{\"maxLength\":1}}", "{\"a\":1,\"b\":2}", true},
        {"{\"propertyNames\":{\"maxLength\":1}}", "{\"ab\":1}", false},
        {"{\"propertyNames\":false}", "{}", true},
        {"{\"propertyNames\":{\"type\":\"string\"}}", "{\"a\":1}", true},
        {"{\"propertyNames\":{\"const\":\"a\"}}", "{\"a\":1}", true},
        {"{\"propertyNames\":{\"const\":\"a\"}}", "{\"b\":1}", false},
        {"{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"a\":1,\"b\":2}", true},
        {"{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"a\":1}", false},
        {"{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"c\":1}", true},
        {"{\"dependentSchemas\":{\"a\":{\"required\":[\"b\"]}}}", "{\"a\":1}",
         false},
        {"{\"dependentSchemas\":{\"a\":{\"required\":[\"b\"]}}}", "{\"b\":1}",
         true},
        {"{\"dependencies\":{\"a\":[\"b\"],\"c\":{\"minProperties\":2}}}",
         "{\"c\":1}", false},
    };

    verdict_rows(t, rows, CHECK_COUNT(rows), false);
}

TEST(names_by_hash)
{
    static const struct verdict rows[] = {
        {"{\"propertyNames\":{\"enum\":[\"n0\",\"n1\",\"n2\",\"n3\",\"n4\","
         "\"n5\",\"n6\",\"n7\",\"n8\",\"n9\"]}}",
         "{\"n0\":1,\"n9\":1,\"n5\":[]}", true},
        {"{\"propertyNames\":{\"enum\":[\"n0\",\"n1\",\"n2\",\"n3\",\"n4\","
         "\"n5\",\"n6\",\"n7\",\"n8\",\"n9\"]}}",
         "{\"n10\":1}", false},
        {"{\"propertyNames\":{\"enum\":[\"n0\",\"n1\",\"n2\",\"n3\",\"n4\","
         "\"n5\",\"n6\",\"n7\",\"n8\",\"n\\u00e4\"]}}",
         "{\"n\\u00e4\":1}", true},
        {"{\"propertyNames\":{\"enum\":[0,1,2,3,4,5,6,7,8,9,10]}}", "{\"1\":1}",
         false},
    };

    verdict_rows(t, rows, CHECK_COUNT(rows), false);
}

TEST(in_place)
{
    static const struct verdict rows[] = {
        {"{\"allOf\":[{\"minimum\":1},{\"maximum\":3}]}", "2", true},
        {"{\"allOf\":[{\"minimum\":1},{\"maximum\":3}]}", "4", false},
        {"{\"anyOf\":[{\"minimum\":3},{\"maximum\":1}]}", "3", true},
        {"{\"anyOf\":[{\"minimum\":3},{\"maximum\":1}]}", "2", false},
        {"{\"oneOf\":[{\"minimum\":3},{\"maximum\":5}]}", "4", false},
        {"{\"oneOf\":[{\"minimum\":3},{\"maximum\":5}]}", "6", true},
        {"{\"oneOf\":[false,false]}", "6", false},
        {"{\"oneOf\":[true,true,true]}", "6", false},
        {"{\"oneOf\":[{\"$ref\":\"#/$defs/a\"},{\"$ref\":\"#/$defs/"
         "a\"}],\"$defs\":{\"a\":{}}}",
         "6", false},
        {"{\"not\":{\"type\":\"null\"}}", "1", true},
        {"{\"not\":{\"type\":\"null\"}}", "null", false},
        {"{\"not\":{\"not\":{\"type\":\"null\"}}}", "null", true},
        {"{\"not\":{}}", "1", false},
        {"{\"if\":{\"minimum\":5},\"then\":{\"maximum\":6},\"else\":{"
         "\"multipleOf\":2}}",
         "6", true},
        {"{\"if\":{\"minimum\":5},\"then\":{\"maximum\":6},\"else\":{"
         "\"multipleOf\":2}}",
         "7", false},
        {"{\"if\":{\"minimum\":5},\"then\":{\"maximum\":6},\"else\":{"
         "\"multipleOf\":2}}",
         "4", true},
        {"{\"if\":{\"minimum\":5},\"then\":{\"maximum\":6},\"else\":{"
         "\"multipleOf\":2}}",
         "3", false},
        {"{\"if\":false,\"then\":false}", "3", true},
        {"{\"then\":false,\"else\":false}", "3", true},
        {"{\"if\":{\"items\":{\"type\":\"null\"}},\"then\":{\"minItems\":1}}",
         "[]", false},
        {"{\"allOf\":[{\"$ref\":\"#/$defs/a\"},{\"$ref\":\"#/$defs/"
         "a\"}],\"$defs\":{\"a\":{\"type\":\"null\"}}}",
         "1", false},
        {"{\"anyOf\":[{\"$ref\":\"#/$defs/a\"},{\"$ref\":\"#/$defs/"
         "a\"},{\"type\":\"string\"}],\"$defs\":{\"a\":{\"type\":\"null\"}}}",
         "\"x\"", true},
        {"{\"anyOf\":[{\"$ref\":\"#/$defs/a\"},{\"$ref\":\"#/$defs/"
         "a\"},{\"type\":\"string\"}],\"$defs\":{\"a\":{\"type\":\"null\"}}}",
         "null", true},
    };

    verdict_rows(t, rows, CHECK_COUNT(rows), false);
}

TEST(unevaluated)
{
    static const struct verdict rows[] = {
        {"{\"properties\":{\"a\":true},\"unevaluatedProperties\":false}",
         "{\"a\":1}", true},
        {"{\"properties\":{\"a\":true},\"unevaluatedProperties\":false}",
         "{\"b\":1}", false},
        {"{\"patternProperties\":{\"a\":true},\"unevaluatedProperties\":false}",
         "{\"ba\":1}", true},
        {"{\"additionalProperties\":true,\"unevaluatedProperties\":false}",
         "{\"x\":1}", true},
        {"{\"allOf\":[{\"properties\":{\"a\":true}}],\"unevaluatedProperties\":"
         "false}",
         "{\"a\":1}", true},
        {"{\"$ref\":\"#/$defs/"
         "a\",\"$defs\":{\"a\":{\"properties\":{\"a\":true}}},"
         "\"unevaluatedProperties\":false}",
         "{\"a\":1}", true},
        {"{\"anyOf\":[{\"properties\":{\"a\":{\"type\":\"null\"}}},{"
         "\"properties\":{\"b\":true}}],\"unevaluatedProperties\":false}",
         "{\"a\":1,\"b\":1}", false},
        {"{\"anyOf\":[{\"properties\":{\"a\":{\"type\":\"null\"}}},{"
         "\"properties\":{\"b\":true}}],\"unevaluatedProperties\":false}",
         "{\"a\":null,\"b\":1}", true},
        {"{\"oneOf\":[{\"required\":[\"a\"],\"properties\":{\"a\":true}},{"
         "\"required\":[\"b\"],\"properties\":{\"b\":true}}],"
         "\"unevaluatedProperties\":false}",
         "{\"b\":1}", true},
        {"{\"not\":{\"not\":{\"properties\":{\"a\":true}}},"
         "\"unevaluatedProperties\":false}",
         "{\"a\":1}", false},
        {"{\"if\":{\"required\":[\"a\"],\"properties\":{\"a\":true}},\"then\":{"
         "\"properties\":{\"b\":true}},\"else\":{\"properties\":{\"c\":true}},"
         "\"unevaluatedProperties\":false}",
         "{\"a\":1,\"b\":1}", true},
        {"{\"if\":{\"required\":[\"a\"],\"properties\":{\"a\":true}},\"then\":{"
         "\"properties\":{\"b\":true}},\"else\":{\"properties\":{\"c\":true}},"
         "\"unevaluatedProperties\":false}",
         "{\"c\":1}", true},
        {"{\"if\":{\"required\":[\"a\"],\"properties\":{\"a\":true}},\"then\":{"
         "\"properties\":{\"b\":true}},\"else\":{\"properties\":{\"c\":true}},"
         "\"unevaluatedProperties\":false}",
         "{\"a\":1,\"c\":1}", false},
        {"{\"dependentSchemas\":{\"a\":{\"properties\":{\"a\":true,\"b\":true}}"
         "},\"unevaluatedProperties\":false}",
         "{\"a\":1,\"b\":1}", true},
        {"{\"dependentSchemas\":{\"a\":{\"properties\":{\"b\":true}}},"
         "\"unevaluatedProperties\":false}",
         "{\"b\":1}", false},
        {"{\"allOf\":[{\"properties\":{\"a\":true},\"unevaluatedProperties\":"
         "false}],\"properties\":{\"b\":true}}",
         "{\"a\":1,\"b\":1}", false},
        {"{\"allOf\":[{\"unevaluatedProperties\":true}],"
         "\"unevaluatedProperties\":false}",
         "{\"a\":1}", true},
    };

    verdict_rows(t, rows, CHECK_COUNT(rows), false);
}

TEST(unevaluated_items)
{
    static const struct verdict rows[] = {
        {"{\"properties\":{\"o\":{\"properties\":{\"a\":true}}},"
         "\"unevaluatedProperties\":{\"type\":\"integer\"}}",
         "{\"o\":{\"z\":1},\"n\":1}", true},
        {"{\"properties\":{\"o\":{\"properties\":{\"a\":true}}},"
         "\"unevaluatedProperties\":{\"type\":\"integer\"}}",
         "{\"n\":\"1\"}", false},
        {"{\"prefixItems\":[true],\"unevaluatedItems\":false}", "[1]", true},
        {"{\"prefixItems\":[true],\"unevaluatedItems\":false}", "[1,2]", false},
        {"{\"items\":true,\"unevaluatedItems\":false}", "[1,2]", true},
        {"{\"contains\":{\"type\":\"string\"},\"unevaluatedItems\":{\"type\":"
         "\"null\"}}",
         "[\"x\",null]", true},
        {"{\"contains\":{\"type\":\"string\"},\"unevaluatedItems\":{\"type\":"
         "\"null\"}}",
         "[\"x\",1]", false},
        {"{\"$schema\":\"https://json-schema.org/draft/2019-09/"
         "schema\",\"contains\":{\"type\":\"string\"},\"unevaluatedItems\":{"
         "\"type\":\"null\"}}",
         "[\"x\",null]", false},
        {"{\"allOf\":[{\"prefixItems\":[true,true]}],\"prefixItems\":[true],"
         "\"unevaluatedItems\":false}",
         "[1,2]", true},
        {"{\"anyOf\":[{\"prefixItems\":[true,{\"const\":2}]},{\"prefixItems\":["
         "true,true,{\"const\":3}]}],\"unevaluatedItems\":false}",
         "[1,2,3]", true},
        {"{\"anyOf\":[{\"prefixItems\":[true,{\"const\":2}]},{\"prefixItems\":["
         "true,true,{\"const\":3}]}],\"unevaluatedItems\":false}",
         "[1,2,4]", false},
    };

    verdict_rows(t, rows, CHECK_COUNT(rows), false);
}

TEST(unevaluated_beyond_one_word)
{
    static const struct verdict rows[] = {
        {"{\"patternProperties\":{\"^k\":true},\"unevaluatedProperties\":"
         "false}",
         "{\"k0\":0,\"k1\":1,\"k2\":2,\"k3\":3,\"k4\":4,\"k5\":5,\"k6\":6,"
         "\"k7\":7,\"k8\":8,\"k9\":9,\"k10\":10,\"k11\":11,\"k12\":12,\"k13\":"
         "13,\"k14\":14,\"k15\":15,\"k16\":16,\"k17\":17,\"k18\":18,\"k19\":19,"
         "\"k20\":20,\"k21\":21,\"k22\":22,\"k23\":23,\"k24\":24,\"k25\":25,"
         "\"k26\":26,\"k27\":27,\"k28\":28,\"k29\":29,\"k30\":30,\"k31\":31,"
         "\"k32\":32,\"k33\":33,\"k34\":34,\"k35\":35,\"k36\":36,\"k37\":37,"
         "\"k38\":38,\"k39\":39,\"k40\":40,\"k41\":41,\"k42\":42,\"k43\":43,"
         "\"k44\":44,\"k45\":45,\"k46\":46,\"k47\":47,\"k48\":48,\"k49\":49,"
         "\"k50\":50,\"k51\":51,\"k52\":52,\"k53\":53,\"k54\":54,\"k55\":55,"
         "\"k56\":56,\"k57\":57,\"k58\":58,\"k59\":59,\"k60\":60,\"k61\":61,"
         "\"k62\":62,\"k63\":63,\"k64\":64,\"k65\":65,\"k66\":66,\"k67\":67,"
         "\"k68\":68,\"k69\":69}",
         true},
        {"{\"patternProperties\":{\"^k[0-9]$|^k[1-5]|^k6[0-8]\":true},"
         "\"unevaluatedProperties\":false}",
         "{\"k0\":0,\"k1\":1,\"k2\":2,\"k3\":3,\"k4\":4,\"k5\":5,\"k6\":6,"
         "\"k7\":7,\"k8\":8,\"k9\":9,\"k10\":10,\"k11\":11,\"k12\":12,\"k13\":"
         "13,\"k14\":14,\"k15\":15,\"k16\":16,\"k17\":17,\"k18\":18,\"k19\":19,"
         "\"k20\":20,\"k21\":21,\"k22\":22,\"k23\":23,\"k24\":24,\"k25\":25,"
         "\"k26\":26,\"k27\":27,\"k28\":28,\"k29\":29,\"k30\":30,\"k31\":31,"
         "\"k32\":32,\"k33\":33,\"k34\":34,\"k35\":35,\"k36\":36,\"k37\":37,"
         "\"k38\":38,\"k39\":39,\"k40\":40,\"k41\":41,\"k42\":42,\"k43\":43,"
         "\"k44\":44,\"k45\":45,\"k46\":46,\"k47\":47,\"k48\":48,\"k49\":49,"
         "\"k50\":50,\"k51\":51,\"k52\":52,\"k53\":53,\"k54\":54,\"k55\":55,"
         "\"k56\":56,\"k57\":57,\"k58\":58,\"k59\":59,\"k60\":60,\"k61\":61,"
         "\"k62\":62,\"k63\":63,\"k64\":64,\"k65\":65,\"k66\":66,\"k67\":67,"
         "\"k68\":68,\"k69\":69}",
         false},
        {"{\"allOf\":[{\"prefixItems\":[true,true,true,true,true,true,true,"
         "true,true,true,true,true,true,true,true,true,true,true,true,true,"
         "true,true,true,true,true,true,true,true,true,true,true,true,true,"
         "true,true,true,true,true,true,true,true,true,true,true,true,true,"
         "true,true,true,true,true,true,true,true,true,true,true,true,true,"
         "true,true,true,true,true]}],\"unevaluatedItems\":false}",
         "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"
         "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]",
         true},
        {"{\"allOf\":[{\"prefixItems\":[true,true,true,true,true,true,true,"
         "true,true,true,true,true,true,true,true,true,true,true,true,true,"
         "true,true,true,true,true,true,true,true,true,true,true,true,true,"
         "true,true,true,true,true,true,true,true,true,true,true,true,true,"
         "true,true,true,true,true,true,true,true,true,true,true,true,true,"
         "true,true,true,true,true]}],\"unevaluatedItems\":false}",
         "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"
         "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]",
         false},
    };

    verdict_rows(t, rows, CHECK_COUNT(rows), false);
}

TEST(v1_and_kin)
{
    static const struct verdict rows[] = {
        {"{\"$schema\":\"https://json-schema.org/"
         "v1\",\"propertyDependencies\":{\"k\":{\"a\":{\"required\":[\"x\"]}}}"
         "}",
         "{\"k\":\"a\"}", false},
        {"{\"$schema\":\"https://json-schema.org/"
         "v1\",\"propertyDependencies\":{\"k\":{\"a\":{\"required\":[\"x\"]}}}"
         "}",
         "{\"k\":\"b\"}", true},
        {"{\"$schema\":\"https://json-schema.org/"
         "v1\",\"propertyDependencies\":{\"k\":{\"a\":{\"required\":[\"x\"]}}}"
         "}",
         "{\"k\":[\"a\"]}", true},
        {"{\"propertyDependencies\":{\"k\":{\"a\":false}}}", "{\"k\":\"a\"}",
         true},
    };

    verdict_rows(t, rows, CHECK_COUNT(rows), false);
}

TEST(references_and_siblings)
{
    static const struct verdict rows[] = {
        {"{\"$schema\":\"http://json-schema.org/draft-07/"
         "schema#\",\"$ref\":\"#/definitions/"
         "a\",\"type\":\"null\",\"definitions\":{\"a\":{\"type\":\"integer\"}}"
         "}",
         "1", true},
        {"{\"$ref\":\"#/$defs/"
         "a\",\"type\":\"null\",\"$defs\":{\"a\":{\"type\":\"integer\"}}}",
         "1", false},
        {"{\"$ref\":\"#/$defs/a%20b\",\"$defs\":{\"a "
         "b\":{\"type\":\"integer\"}}}",
         "\"x\"", false},
        {"{\"$ref\":\"#/$defs/a~1b\",\"$defs\":{\"a/"
         "b\":{\"type\":\"integer\"}}}",
         "\"x\"", false},
        {"{\"$ref\":\"#/$defs/%7E0\",\"$defs\":{\"~\":{\"type\":\"integer\"}}}",
         "\"x\"", false},
        {"{\"properties\":{\"$ref\":{\"type\":\"null\"}}}", "{\"$ref\":1}",
         false},
    };

    verdict_rows(t, rows, CHECK_COUNT(rows), false);
}

/* The i-th of many different items; `again`: an equal one, spelled otherwise.
 */
static void item_write(surety_buf *out, unsigned i, bool again)
{
    switch (i % 5) {
    case 0: surety__buf_printf(out, again ? "%u.0" : "%u", i); break;
    case 1:
        surety__buf_printf(out, again ? "\"\\u0061%u\"" : "\"a%u\"", i);
        break;
    case 2:
        surety__buf_printf(
            out,
            again ? "{\"b\":\"x\",\"a\":[%u]}" : "{\"a\":[%u],\"b\":\"x\"}", i);
        break;
    case 3: surety__buf_printf(out, "[\"same\",%u]", i); break;
    default:
        surety__buf_printf(
            out, again ? "{\"name\":\"\\u0061%u\"}" : "{\"name\":\"a%u\"}", i);
    }
}

/* Few and many items: all are different, and then one is there again. */
TEST(unique_items)
{
    surety_buf text;
    const struct verdict row = {"{\"uniqueItems\":true}", NULL, true};

    surety_buf_init(&text, check_alloc(t), 0);
    for (unsigned count = 5; count < 80; count += count)
        for (unsigned again = 0; again <= count; again += 1 + count / 6) {
            struct verdict rows[1] = {row};

            surety_buf_reset(&text);
            surety_buf_byte(&text, '[');
            for (unsigned i = 0; i < count; i++) {
                item_write(&text, i, false);
                surety_buf_byte(&text, ',');
            }
            item_write(&text, again, again != count);
            surety_buf_text(&text, "]");
            surety_buf_byte(&text, '\0');
            if (text.status)
                goto done;
            rows[0].instance = text.ptr;
            rows[0].valid = again == count;
            verdict_rows(t, rows, 1, false);
        }
done:
    surety_buf_done(&text);
}

/* Strings of an enum are told apart by each of their bytes. */
TEST(enum_of_like_strings)
{
    char schema[256];
    char instance[64];

    static const unsigned lens[] = {1, 3, 4, 7, 8, 9, 15, 16, 17, 24, 33};

    for (size_t i = 0; i < CHECK_COUNT(lens); i++)
        for (unsigned others = 0; others < 6; others += 5)
            for (unsigned part = 0; part < 4; part++) {
                const unsigned len = lens[i];
                const unsigned at = part == 3   ? len
                                    : part == 2 ? len - 1
                                                : part * len / 2;
                struct verdict row = {schema, instance, at == len};

                snprintf(schema, sizeof(schema), "{\"enum\":[%s\"%0*d\"]}",
                         others ? "\"1\",\"22\",\"333\",\"4444\",\"55555\","
                                : "",
                         (int)len, 0);
                snprintf(instance, sizeof(instance), "\"%0*d\"", (int)len, 0);
                if (at < len)
                    instance[1 + at] = 'x';
                verdict_rows(t, &row, 1, false);
            }
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"types", types},
        {"enum and const", choices},
        {"bounds and multiples", numbers},
        {"lengths, patterns, formats", strings},
        {"format asserts only when asked", format_is_an_annotation},
        {"arrays", arrays},
        {"objects", objects},
        {"a key has the hash of its string", names_by_hash},
        {"allOf, anyOf, oneOf, not, if", in_place},
        {"unevaluatedProperties", unevaluated},
        {"unevaluatedItems, and unevaluated children of their own",
         unevaluated_items},
        {"more children than bits in a word", unevaluated_beyond_one_word},
        {"uniqueItems of few and many items", unique_items},
        {"an enum of like strings", enum_of_like_strings},
        {"keywords of v1", v1_and_kin},
        {"$ref hides its siblings up to draft 7", references_and_siblings},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
