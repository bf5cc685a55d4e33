/* SPDX-License-Identifier: Apache-2.0 */
/* $dynamicRef and $recursiveRef: the outermost resource in the dynamic scope
 * decides, and only where the first target is dynamic too. */
#include "check.h"

#include <string.h>

#include "schema_verdict.h"

TEST(extending_a_tree)
{
    static const struct verdict rows[] = {
        {"{\"$id\":\"https://x.org/"
         "strict\",\"$dynamicAnchor\":\"node\",\"$ref\":\"tree\","
         "\"unevaluatedProperties\":false,\"$defs\":{\"t\":{\"$id\":\"https://"
         "x.org/"
         "tree\",\"$dynamicAnchor\":\"node\",\"type\":\"object\","
         "\"properties\":{\"kids\":{\"items\":{\"$dynamicRef\":\"#node\"}},"
         "\"v\":true}}}}",
         "{\"kids\":[{\"v\":1}]}", true},
        {"{\"$id\":\"https://x.org/"
         "strict\",\"$dynamicAnchor\":\"node\",\"$ref\":\"tree\","
         "\"unevaluatedProperties\":false,\"$defs\":{\"t\":{\"$id\":\"https://"
         "x.org/"
         "tree\",\"$dynamicAnchor\":\"node\",\"type\":\"object\","
         "\"properties\":{\"kids\":{\"items\":{\"$dynamicRef\":\"#node\"}},"
         "\"v\":true}}}}",
         "{\"kids\":[{\"w\":1}]}", false},
        {"{\"$id\":\"https://x.org/"
         "tree\",\"$dynamicAnchor\":\"node\",\"type\":\"object\","
         "\"properties\":{\"kids\":{\"items\":{\"$dynamicRef\":\"#node\"}},"
         "\"v\":true}}",
         "{\"kids\":[{\"w\":1}]}", true},
        {"{\"$id\":\"https://x.org/"
         "strict\",\"$dynamicAnchor\":\"node\",\"$ref\":\"tree\","
         "\"unevaluatedProperties\":false,\"$defs\":{\"t\":{\"$id\":\"https://"
         "x.org/"
         "tree\",\"$dynamicAnchor\":\"node\",\"type\":\"object\","
         "\"properties\":{\"kids\":{\"items\":{\"$dynamicRef\":\"#node\"}},"
         "\"v\":true}}}}",
         "{\"kids\":[{\"kids\":[{\"kids\":[{\"w\":1}]}]}]}", false},
    };

    verdict_rows(t, rows, CHECK_COUNT(rows), false);
}

TEST(a_generic_list)
{
    static const struct verdict rows[] = {
        {"{\"$id\":\"https://x.org/"
         "ints\",\"$ref\":\"list\",\"$defs\":{\"list\":{\"$id\":\"list\","
         "\"type\":\"array\",\"items\":{\"$dynamicRef\":\"#T\"},\"$defs\":{"
         "\"T\":{\"$dynamicAnchor\":\"T\"}}}}}",
         "[\"x\"]", true},
    };

    verdict_rows(t, rows, CHECK_COUNT(rows), false);
}

TEST(a_generic_list_of_integers)
{
    static const struct verdict rows[] = {
        {"{\"$id\":\"https://x.org/"
         "ints\",\"$ref\":\"list\",\"$defs\":{\"int\":{\"$dynamicAnchor\":"
         "\"T\",\"type\":\"integer\"},\"list\":{\"$id\":\"list\",\"type\":"
         "\"array\",\"items\":{\"$dynamicRef\":\"#T\"},\"$defs\":{\"T\":{\"$"
         "dynamicAnchor\":\"T\"}}}}}",
         "[1]", true},
        {"{\"$id\":\"https://x.org/"
         "ints\",\"$ref\":\"list\",\"$defs\":{\"int\":{\"$dynamicAnchor\":"
         "\"T\",\"type\":\"integer\"},\"list\":{\"$id\":\"list\",\"type\":"
         "\"array\",\"items\":{\"$dynamicRef\":\"#T\"},\"$defs\":{\"T\":{\"$"
         "dynamicAnchor\":\"T\"}}}}}",
         "[\"x\"]", false},
    };

    verdict_rows(t, rows, CHECK_COUNT(rows), false);
}

TEST(a_plain_anchor_is_not_dynamic)
{
    static const struct verdict rows[] = {
        {"{\"$id\":\"https://x.org/"
         "r\",\"$dynamicAnchor\":\"a\",\"properties\":{\"s\":{\"$ref\":\"sub\"}"
         "},\"type\":\"object\",\"$defs\":{\"sub\":{\"$id\":\"sub\",\"$defs\":{"
         "\"a\":{\"$anchor\":\"a\",\"type\":\"string\"}},\"$dynamicRef\":\"#"
         "a\"}}}",
         "{\"s\":\"x\"}", true},
        {"{\"$id\":\"https://x.org/"
         "r\",\"$dynamicAnchor\":\"a\",\"properties\":{\"s\":{\"$ref\":\"sub\"}"
         "},\"type\":\"object\",\"$defs\":{\"sub\":{\"$id\":\"sub\",\"$defs\":{"
         "\"a\":{\"$anchor\":\"a\",\"type\":\"string\"}},\"$dynamicRef\":\"#"
         "a\"}}}",
         "{\"s\":{}}", false},
    };

    verdict_rows(t, rows, CHECK_COUNT(rows), false);
}

TEST(a_pointer_is_not_dynamic)
{
    static const struct verdict rows[] = {
        {"{\"$id\":\"https://x.org/"
         "p\",\"$dynamicAnchor\":\"a\",\"type\":\"object\",\"properties\":{"
         "\"s\":{\"$dynamicRef\":\"#/$defs/"
         "b\"}},\"$defs\":{\"b\":{\"$dynamicAnchor\":\"a2\",\"type\":"
         "\"string\"}}}",
         "{\"s\":\"x\"}", true},
        {"{\"$id\":\"https://x.org/"
         "p\",\"$dynamicAnchor\":\"a\",\"type\":\"object\",\"properties\":{"
         "\"s\":{\"$dynamicRef\":\"#/$defs/"
         "b\"}},\"$defs\":{\"b\":{\"$dynamicAnchor\":\"a2\",\"type\":"
         "\"string\"}}}",
         "{\"s\":1}", false},
    };

    verdict_rows(t, rows, CHECK_COUNT(rows), false);
}

TEST(two_scopes)
{
    static const struct verdict rows[] = {
        {"{\"$id\":\"https://x.org/"
         "outer\",\"type\":\"array\",\"prefixItems\":[{\"$ref\":\"a\"},{\"$"
         "ref\":\"b\"}],\"$defs\":{\"a\":{\"$id\":\"a\",\"$ref\":\"leaf\",\"$"
         "defs\":{\"n\":{\"$dynamicAnchor\":\"n\",\"type\":\"integer\"}}},"
         "\"b\":{\"$id\":\"b\",\"$ref\":\"leaf\",\"$defs\":{\"n\":{\"$"
         "dynamicAnchor\":\"n\",\"type\":\"string\"}}},\"leaf\":{\"$id\":"
         "\"leaf\",\"$dynamicRef\":\"#n\",\"$defs\":{\"n\":{\"$dynamicAnchor\":"
         "\"n\",\"type\":\"null\"}}}}}",
         "[1,\"x\"]", true},
        {"{\"$id\":\"https://x.org/"
         "outer\",\"type\":\"array\",\"prefixItems\":[{\"$ref\":\"a\"},{\"$"
         "ref\":\"b\"}],\"$defs\":{\"a\":{\"$id\":\"a\",\"$ref\":\"leaf\",\"$"
         "defs\":{\"n\":{\"$dynamicAnchor\":\"n\",\"type\":\"integer\"}}},"
         "\"b\":{\"$id\":\"b\",\"$ref\":\"leaf\",\"$defs\":{\"n\":{\"$"
         "dynamicAnchor\":\"n\",\"type\":\"string\"}}},\"leaf\":{\"$id\":"
         "\"leaf\",\"$dynamicRef\":\"#n\",\"$defs\":{\"n\":{\"$dynamicAnchor\":"
         "\"n\",\"type\":\"null\"}}}}}",
         "[\"x\",\"x\"]", false},
        {"{\"$id\":\"https://x.org/"
         "outer\",\"type\":\"array\",\"prefixItems\":[{\"$ref\":\"a\"},{\"$"
         "ref\":\"b\"}],\"$defs\":{\"a\":{\"$id\":\"a\",\"$ref\":\"leaf\",\"$"
         "defs\":{\"n\":{\"$dynamicAnchor\":\"n\",\"type\":\"integer\"}}},"
         "\"b\":{\"$id\":\"b\",\"$ref\":\"leaf\",\"$defs\":{\"n\":{\"$"
         "dynamicAnchor\":\"n\",\"type\":\"string\"}}},\"leaf\":{\"$id\":"
         "\"leaf\",\"$dynamicRef\":\"#n\",\"$defs\":{\"n\":{\"$dynamicAnchor\":"
         "\"n\",\"type\":\"null\"}}}}}",
         "[1,1]", false},
    };

    verdict_rows(t, rows, CHECK_COUNT(rows), false);
}

TEST(a_scope_ends_with_its_branch)
{
    static const struct verdict rows[] = {
        {"{\"$id\":\"https://x.org/"
         "u\",\"anyOf\":[{\"$ref\":\"a\"},{\"$ref\":\"b\"}],\"$defs\":{\"a\":{"
         "\"$id\":\"a\",\"$ref\":\"leaf\",\"$defs\":{\"n\":{\"$dynamicAnchor\":"
         "\"n\",\"type\":\"integer\"}}},\"b\":{\"$id\":\"b\",\"$ref\":\"leaf\","
         "\"$defs\":{\"n\":{\"$dynamicAnchor\":\"n\",\"type\":\"string\"}}},"
         "\"leaf\":{\"$id\":\"leaf\",\"$dynamicRef\":\"#n\",\"$defs\":{\"n\":{"
         "\"$dynamicAnchor\":\"n\",\"type\":\"null\"}}}}}",
         "1", true},
        {"{\"$id\":\"https://x.org/"
         "u\",\"anyOf\":[{\"$ref\":\"a\"},{\"$ref\":\"b\"}],\"$defs\":{\"a\":{"
         "\"$id\":\"a\",\"$ref\":\"leaf\",\"$defs\":{\"n\":{\"$dynamicAnchor\":"
         "\"n\",\"type\":\"integer\"}}},\"b\":{\"$id\":\"b\",\"$ref\":\"leaf\","
         "\"$defs\":{\"n\":{\"$dynamicAnchor\":\"n\",\"type\":\"string\"}}},"
         "\"leaf\":{\"$id\":\"leaf\",\"$dynamicRef\":\"#n\",\"$defs\":{\"n\":{"
         "\"$dynamicAnchor\":\"n\",\"type\":\"null\"}}}}}",
         "\"x\"", true},
        {"{\"$id\":\"https://x.org/"
         "u\",\"anyOf\":[{\"$ref\":\"a\"},{\"$ref\":\"b\"}],\"$defs\":{\"a\":{"
         "\"$id\":\"a\",\"$ref\":\"leaf\",\"$defs\":{\"n\":{\"$dynamicAnchor\":"
         "\"n\",\"type\":\"integer\"}}},\"b\":{\"$id\":\"b\",\"$ref\":\"leaf\","
         "\"$defs\":{\"n\":{\"$dynamicAnchor\":\"n\",\"type\":\"string\"}}},"
         "\"leaf\":{\"$id\":\"leaf\",\"$dynamicRef\":\"#n\",\"$defs\":{\"n\":{"
         "\"$dynamicAnchor\":\"n\",\"type\":\"null\"}}}}}",
         "null", false},
    };

    verdict_rows(t, rows, CHECK_COUNT(rows), false);
}

TEST(recursive_ref)
{
    static const struct verdict rows[] = {
        {"{\"$schema\":\"https://json-schema.org/draft/2019-09/"
         "schema\",\"$id\":\"https://x.org/"
         "s\",\"$recursiveAnchor\":true,\"$ref\":\"tree\","
         "\"unevaluatedProperties\":false,\"$defs\":{\"t\":{\"$id\":\"tree\","
         "\"$recursiveAnchor\":true,\"properties\":{\"kids\":{\"items\":{\"$"
         "recursiveRef\":\"#\"}}}}}}",
         "{\"kids\":[{\"w\":1}]}", false},
        {"{\"$schema\":\"https://json-schema.org/draft/2019-09/"
         "schema\",\"$id\":\"https://x.org/"
         "s\",\"$recursiveAnchor\":true,\"$ref\":\"tree\","
         "\"unevaluatedProperties\":false,\"$defs\":{\"t\":{\"$id\":\"tree\","
         "\"$recursiveAnchor\":true,\"properties\":{\"kids\":{\"items\":{\"$"
         "recursiveRef\":\"#\"}}}}}}",
         "{\"kids\":[{\"kids\":[]}]}", true},
        {"{\"$schema\":\"https://json-schema.org/draft/2019-09/"
         "schema\",\"$id\":\"https://x.org/"
         "s\",\"$recursiveAnchor\":false,\"$ref\":\"tree\","
         "\"unevaluatedProperties\":false,\"$defs\":{\"t\":{\"$id\":\"tree\","
         "\"$recursiveAnchor\":true,\"properties\":{\"kids\":{\"items\":{\"$"
         "recursiveRef\":\"#\"}}}}}}",
         "{\"kids\":[{\"w\":1}]}", true},
    };

    verdict_rows(t, rows, CHECK_COUNT(rows), false);
}

TEST(dynamic_ref_of_v1)
{
    static const struct verdict rows[] = {
        {"{\"$schema\":\"https://json-schema.org/v1\",\"$id\":\"https://x.org/"
         "v\",\"$ref\":\"list\",\"$defs\":{\"i\":{\"$dynamicAnchor\":\"T\","
         "\"type\":\"integer\"},\"l\":{\"$id\":\"list\",\"items\":{\"$"
         "dynamicRef\":\"T\"}}}}",
         "[1]", true},
        {"{\"$schema\":\"https://json-schema.org/v1\",\"$id\":\"https://x.org/"
         "v\",\"$ref\":\"list\",\"$defs\":{\"i\":{\"$dynamicAnchor\":\"T\","
         "\"type\":\"integer\"},\"l\":{\"$id\":\"list\",\"items\":{\"$"
         "dynamicRef\":\"T\"}}}}",
         "[\"x\"]", false},
    };

    verdict_rows(t, rows, CHECK_COUNT(rows), false);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"a tree made strict from outside", extending_a_tree},
        {"a list whose item type comes from outside", a_generic_list},
        {"and is given", a_generic_list_of_integers},
        {"a first target that is a plain anchor stays",
         a_plain_anchor_is_not_dynamic},
        {"a pointer is as $ref", a_pointer_is_not_dynamic},
        {"one schema in two scopes", two_scopes},
        {"a scope ends with its branch", a_scope_ends_with_its_branch},
        {"$recursiveRef of 2019-09", recursive_ref},
        {"$dynamicRef of v1 is a plain name", dynamic_ref_of_v1},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
