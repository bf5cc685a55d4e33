/* SPDX-License-Identifier: Apache-2.0 */
/* The prefix machine: at which byte of a value it is certain that nothing can
 * follow that satisfies the schema, and what is said of it. Texts come byte by
 * byte. That what is valid is never lost is a law of tests/suite/
 * stream_suite.c. */
#include "json/json.h"
#include "check.h"

#include <string.h>

#include "schema/schema.h"

/* A text, and after how many of its bytes the value is lost; 0: never. */
struct growth {
    const char *schema, *text;
    size_t lost;
    const char *keyword, *location;
};

struct grower {
    surety_schema *schema;
    surety__prefix *prefix;
    surety_lenient *reader;
    surety_doc *doc;
    unsigned flags;
};

static bool grower_init(struct check *t, struct grower *grower, unsigned flags)
{
    *grower = (struct grower){.flags = flags};
    grower->prefix = surety__prefix_new(check_alloc(t), NULL);
    grower->reader = surety_lenient_new(check_alloc(t));
    grower->doc = surety_doc_new(check_alloc(t));
    return grower->prefix && grower->reader && grower->doc;
}

static void grower_done(struct grower *grower)
{
    surety_schema_free(grower->schema);
    surety__prefix_free(grower->prefix);
    surety_lenient_free(grower->reader);
    surety_doc_free(grower->doc);
}

static surety_status grower_begin(struct check *t, struct grower *grower,
                                  const char *schema)
{
    const surety_schema_options options = {.size = sizeof(options),
                                           .alloc = check_alloc(t)};
    const surety__lenient_options how = {
        .strict = grower->flags & SURETY__PREFIX_STRICT,
    };
    surety_status status;

    surety_schema_free(grower->schema);
    grower->schema = NULL;
    status = surety_schema_read(surety_str_of(schema), &options,
                                &grower->schema, NULL);
    if (status)
        return status;
    surety__prefix_begin(grower->prefix, grower->schema, grower->flags);
    return surety__lenient_begin(grower->reader, grower->doc, &how, NULL);
}

/* Feeds bytes and takes a step. */
static surety_status grower_feed(struct grower *grower, surety_str bytes,
                                 bool *ret_lost)
{
    surety_status status = surety_lenient_feed(grower->reader, bytes, NULL);
    surety_val root = surety_val_none();

    if (status == SURETY_END)
        status = surety_lenient_finish(grower->reader, NULL, NULL);
    else if (status == SURETY_OK)
        status = surety_lenient_snapshot(grower->reader, &root, NULL);
    if (status)
        return status;
    if (!root.doc)
        root = surety_doc_root(grower->doc);
    return surety__prefix_step(grower->prefix, root, ret_lost);
}

/* Grows text byte by byte; *ret_lost as growth.lost. */
static surety_status grower_grow(struct check *t, struct grower *grower,
                                 const struct growth *growth, size_t *ret_lost)
{
    const size_t len = strlen(growth->text);
    surety_status status = grower_begin(t, grower, growth->schema);

    *ret_lost = 0;
    for (size_t i = 0; i < len && !status && !*ret_lost; i++) {
        bool lost = false;

        status = grower_feed(grower, (surety_str){growth->text + i, 1}, &lost);
        if (lost)
            *ret_lost = i + 1;
    }
    return status;
}

static void grow_rows(struct check *t, const struct growth *rows, size_t count,
                      unsigned flags)
{
    struct grower grower;
    bool good = true;

    NEED(grower_init(t, &grower, flags) ? &grower : NULL);
    for (size_t i = 0; i < count; i++) {
        const surety_finding *found;
        size_t lost = 0;

        TRY(grower_grow(t, &grower, &rows[i], &lost));
        found = surety__prefix_finding(grower.prefix);
        if (lost == rows[i].lost &&
            (!lost || (surety_str_equal(found->keyword,
                                        surety_str_of(rows[i].keyword)) &&
                       surety_str_equal(found->instance_location,
                                        surety_str_of(rows[i].location)) &&
                       found->message.len > 0)))
            continue;
        good = false;
        printf("# %s on %s: lost at %zu, %.*s at \"%.*s\"\n", rows[i].schema,
               rows[i].text, lost, (int)found->keyword.len,
               found->keyword.ptr ? found->keyword.ptr : "",
               (int)found->instance_location.len,
               found->instance_location.ptr ? found->instance_location.ptr
                                            : "");
    }
    CHECK(good);
done:
    grower_done(&grower);
}

TEST(scalars_are_lost_as_early_as_can_be)
{
    static const struct growth rows[] = {
        {"{\"type\":\"object\"}", "[1", 1, "type", ""},
        {"{\"type\":\"object\"}", "\"ab", 2, "type", ""},
        {"{\"items\":{\"type\":\"object\"}}", "[tr", 2, "type", "/0"},
        {"{\"items\":{\"type\":\"string\"}}", "[-1", 3, "type", "/0"},
        /* 1.5e1 is an integer. */
        {"{\"items\":{\"type\":\"integer\"}}", "[1.5e1]", 0, NULL, NULL},
        {"{\"items\":{\"type\":\"integer\"}}", "[1.5,", 5, "type", "/0"},
        {"{\"items\":{\"maximum\":10}}", "[11,", 4, "maximum", "/0"},
        {"{\"items\":{\"maximum\":10}}", "[11e-1,", 0, NULL, NULL},
        {"{\"items\":{\"maxLength\":3}}", "[\"\xC3\xA4\xC3\xB6\x61\x62\"]", 8,
         "maxLength", "/0"},
        {"{\"items\":{\"maxLength\":3}}", "[\"\\u0041\\u0042\\u0043\"]", 0,
         NULL, NULL},
        {"{\"items\":{\"minLength\":3}}", "[\"ab\"]", 5, "minLength", "/0"},
        {"{\"items\":{\"pattern\":\"^a\"}}", "[\"b\"]", 4, "pattern", "/0"},
        {"{\"items\":{\"enum\":[\"red\",\"rose\",4]}}", "[\"rot", 5, "enum",
         "/0"},
        {"{\"items\":{\"enum\":[\"red\",\"rose\",4]}}", "[\"rose\",4]", 0, NULL,
         NULL},
        {"{\"items\":{\"enum\":[\"red\",\"rose\",4]}}", "[5,", 3, "enum", "/0"},
        {"{\"items\":{\"const\":\"ab\"}}", "[\"ac", 4, "const", "/0"},
        {"{\"items\":{\"const\":\"ab\"}}", "[\"a\"]", 4, "const", "/0"},
        {"{\"items\":{\"enum\":[1,\"a\"]}}", "[{", 0, NULL, NULL},
        {"{\"items\":{\"enum\":[1,\"a\"]}}", "[{}", 3, "enum", "/0"},
        {"{\"items\":false}", "[1", 2, "items", "/0"},
    };

    grow_rows(t, rows, CHECK_COUNT(rows), SURETY__PREFIX_STRICT);
}

TEST(containers_are_lost_as_early_as_can_be)
{
    static const struct growth rows[] = {
        {"{\"maxItems\":2}", "[1,2,3", 6, "maxItems", ""},
        {"{\"minItems\":2}", "[1]", 3, "minItems", ""},
        {"{\"prefixItems\":[true,{\"type\":\"null\"}]}", "[1,2", 4, "type",
         "/1"},
        {"{\"prefixItems\":[true],\"items\":false}", "[1,2", 4, "items", "/1"},
        {"{\"uniqueItems\":true}", "[1,1]", 5, "uniqueItems", "/1"},
        {"{\"contains\":{\"const\":2}}", "[1]", 3, "contains", ""},
        {"{\"properties\":{\"a\":{\"type\":\"null\"}}}", "{\"a\":1", 6, "type",
         "/a"},
        {"{\"additionalProperties\":false}", "{\"a\":1", 6,
         "additionalProperties", "/a"},
        {"{\"patternProperties\":{\"^x\":{\"type\":\"null\"}}}", "{\"xa\":1", 7,
         "type", "/xa"},
        {"{\"propertyNames\":{\"maxLength\":1}}", "{\"ab\":1", 7, "maxLength",
         "/ab"},
        {"{\"required\":[\"a\"]}", "{\"b\":{}}", 8, "required", ""},
        {"{\"required\":[\"a\",\"b\"]}", "{\"b\":1,\"a\":2}", 0, NULL, NULL},
        {"{\"maxProperties\":1}", "{\"a\":1,\"b\":2", 12, "maxProperties", ""},
        {"{\"minProperties\":2}", "{\"a\":1}", 7, "minProperties", ""},
        {"{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"a\":1}", 7,
         "dependentRequired", ""},
        {"{\"items\":{\"items\":{\"type\":\"null\"}}}", "[[],[null,0", 11,
         "type", "/1/1"},
        {"{\"items\":{\"enum\":[[1],{}]}}", "[[1],[2]", 8, "enum", "/1"},
        {"{\"properties\":{\"a\":{\"unevaluatedProperties\":false}}}",
         "{\"a\":{\"b\":1}", 12, "unevaluatedProperties", "/a/b"},
        {"{\"not\":{\"required\":[\"a\"]}}", "{\"a\":1}", 7, "not", ""},
        {"{\"if\":{\"required\":[\"a\"]},\"then\":false}", "{\"a\":1}", 7,
         "then", ""},
        {"false", "[1", 1, "false", ""},
        {"{\"uniqueItems\":true}", "[\"a\",\"b\",\"a\"", 12, "uniqueItems",
         "/2"},
        {"{\"uniqueItems\":true}", "[{\"a\":1,\"b\":2},{\"b\":2,\"a\":1.0}", 30,
         "uniqueItems", "/1"},
        {"{\"uniqueItems\":true,\"items\":{\"uniqueItems\":true}}",
         "[[1,2],[2,1],[1,2]", 18, "uniqueItems", "/2"},
        {"{\"uniqueItems\":true,\"items\":{\"uniqueItems\":true}}",
         "[[1,2],[2,1,2]", 14, "uniqueItems", "/1/2"},
        {"{\"uniqueItems\":true,\"items\":{\"uniqueItems\":true}}",
         "[[1,2],[2,1],[1],[2]]", 0, NULL, NULL},
        {"{\"uniqueItems\":true}",
         "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,7,", 50,
         "uniqueItems", "/19"},
        {"{\"contains\":{\"const\":2},\"maxContains\":1}", "[2,1,2,", 7,
         "maxContains", ""},
        {"{\"contains\":{\"const\":2},\"minContains\":2}", "[2,1]", 5,
         "minContains", ""},
        {"{\"contains\":{\"const\":2},\"minContains\":0}", "[1]", 0, NULL,
         NULL},
        {"{\"items\":{\"dependentRequired\":{\"a\":[\"b\"]}}}", "[{\"a\":1},",
         8, "dependentRequired", "/0"},
    };

    grow_rows(t, rows, CHECK_COUNT(rows), SURETY__PREFIX_STRICT);
}

TEST(conditions_are_lost_with_what_decides_them)
{
    static const struct growth rows[] = {
        {"{\"not\":{\"type\":\"array\"}}", "[1", 1, "not", ""},
        {"{\"not\":{\"type\":\"string\"}}", "\"ab", 2, "not", ""},
        {"{\"not\":{\"not\":{\"type\":\"object\"}}}", "[1", 1, "not", ""},
        {"{\"not\":{\"required\":[\"a\"]}}", "{\"a\":\"x\"", 8, "not", ""},
        {"{\"not\":{\"properties\":{\"k\":{\"const\":\"a\"}},\"required\":["
         "\"k\"]}}",
         "{\"b\":[],\"k\":\"a\"", 15, "not", ""},
        {"{\"not\":{\"properties\":{\"k\":{\"const\":\"a\"}},\"required\":["
         "\"k\"]}}",
         "{\"k\":\"ab\",\"b\":[]}", 0, NULL, NULL},
        {"{\"items\":{\"not\":{\"minItems\":2}}}", "[[0],[0,[]", 10, "not",
         "/1"},
        {"{\"not\":{\"contains\":{\"const\":1}}}", "[0,1,", 5, "not", ""},
        {"{\"not\":{\"contains\":{\"const\":1},\"maxContains\":1}}", "[0,1,1]",
         0, NULL, NULL},
        {"{\"not\":{\"items\":{\"type\":\"null\"}}}", "[null,null]", 11, "not",
         ""},
        {"{\"not\":{\"items\":{\"type\":\"null\"}}}", "[null,0]", 0, NULL,
         NULL},
        {"{\"not\":{\"uniqueItems\":true}}", "[1,2,1]", 0, NULL, NULL},
        {"{\"not\":{\"uniqueItems\":true}}", "[1,2]", 5, "not", ""},
        {"{\"not\":{\"anyOf\":[{\"required\":[\"a\"]},{\"minProperties\":9}]}}",
         "{\"a\":\"x\"", 8, "not", ""},
        {"{\"items\":{\"not\":{\"maxLength\":2}}}", "[\"abc\"]", 0, NULL, NULL},
        {"{\"items\":{\"not\":{\"maxLength\":2}}}", "[\"abc\",\"ab\"", 11,
         "not", "/1"},
        {"{\"if\":{\"properties\":{\"k\":{\"const\":\"a\"}},\"required\":["
         "\"k\"]},\"then\":{\"properties\":{\"v\":{\"type\":\"null\"}}}}",
         "{\"k\":\"a\",\"v\":1", 14, "type", "/v"},
        {"{\"if\":{\"properties\":{\"k\":{\"const\":\"a\"}},\"required\":["
         "\"k\"]},\"then\":{\"properties\":{\"v\":{\"type\":\"null\"}}}}",
         "{\"v\":1,\"k\":\"a\"", 14, "type", "/v"},
        {"{\"if\":{\"properties\":{\"k\":{\"const\":\"a\"}},\"required\":["
         "\"k\"]},\"then\":{\"properties\":{\"v\":{\"type\":\"null\"}}}}",
         "{\"v\":1,\"k\":\"b\",\"v2\":2}", 0, NULL, NULL},
        {"{\"if\":{\"properties\":{\"k\":{\"const\":\"a\"}},\"required\":["
         "\"k\"]},\"else\":{\"properties\":{\"v\":{\"type\":\"null\"}}}}",
         "{\"k\":\"b\",\"v\":1", 14, "type", "/v"},
        {"{\"if\":{\"properties\":{\"k\":{\"const\":\"a\"}},\"required\":["
         "\"k\"]},\"else\":{\"properties\":{\"v\":{\"type\":\"null\"}}}}",
         "{\"v\":1,\"k\":\"b", 13, "type", "/v"},
        {"{\"if\":{\"properties\":{\"k\":{\"const\":\"a\"}},\"required\":["
         "\"k\"]},\"then\":{\"properties\":{\"v\":{\"type\":\"null\"}}},"
         "\"else\":{\"maxProperties\":1}}",
         "{\"v\":1,\"w\":2", 12, "maxProperties", ""},
        {"{\"properties\":{\"c\":{\"if\":{\"properties\":{\"k\":{\"const\":"
         "\"a\"}},\"required\":[\"k\"]},\"then\":{\"properties\":{\"v\":{"
         "\"type\":\"null\"}}}}}}",
         "{\"c\":{\"v\":[],\"k\":\"a\"", 20, "type", "/c/v"},
        {"{\"dependentSchemas\":{\"a\":{\"properties\":{\"v\":{\"type\":"
         "\"null\"}}}}}",
         "{\"v\":1,\"a\":\"x\"", 14, "type", "/v"},
        {"{\"dependentSchemas\":{\"a\":{\"properties\":{\"v\":{\"type\":"
         "\"null\"}}}}}",
         "{\"a\":\"x\",\"v\":1", 14, "type", "/v"},
        {"{\"dependentSchemas\":{\"a\":{\"properties\":{\"v\":{\"type\":"
         "\"null\"}}}}}",
         "{\"v\":1,\"b\":\"x\"}", 0, NULL, NULL},
        {"{\"dependentSchemas\":{\"a\":false}}", "{\"a\":\"x\"", 8,
         "dependentSchemas", ""},
        {"{\"not\":{\"dependentSchemas\":{\"a\":{\"properties\":{\"v\":{"
         "\"type\":\"null\"}}}}}}",
         "{\"b\":\"x\"}", 9, "not", ""},
    };

    grow_rows(t, rows, CHECK_COUNT(rows), SURETY__PREFIX_STRICT);
}

TEST(unions_are_lost_with_their_last_branch)
{
    static const struct growth rows[] = {
        {"{\"items\":{\"anyOf\":[{\"type\":\"null\"},{\"maxItems\":1}]}}",
         "[[1,2", 5, "maxItems", "/0"},
        {"{\"items\":{\"anyOf\":[{\"items\":{\"type\":\"null\"}},"
         "{\"maxItems\":1}]}}",
         "[[1,2", 5, "maxItems", "/0"},
        {"{\"items\":{\"anyOf\":[{\"items\":{\"type\":\"null\"}},"
         "{\"maxItems\":1}]}}",
         "[[1],[null,null]]", 0, NULL, NULL},
        {"{\"oneOf\":[{\"required\":[\"a\"]},{\"required\":[\"b\"]}]}",
         "{\"a\":1,\"b\":2}", 13, "oneOf", ""},
        {"{\"oneOf\":[{\"properties\":{\"k\":{\"const\":\"x\"}}},"
         "{\"properties\":{\"k\":{\"const\":\"y\"}}}]}",
         "{\"k\":\"z", 7, "oneOf", ""},
        {"{\"allOf\":[{\"properties\":{\"a\":{\"type\":\"null\"}}},"
         "{\"maxProperties\":3}]}",
         "{\"a\":[", 6, "type", "/a"},
        {"{\"allOf\":[{\"properties\":{\"a\":{\"type\":\"null\"}}},"
         "{\"maxProperties\":3}]}",
         "{\"b\":[],\"a\":nul", 0, NULL, NULL},
        {"{\"$ref\":\"#/$defs/n\",\"$defs\":{\"n\":{\"type\":\"array\","
         "\"items\":{\"$ref\":\"#/$defs/n\"}}}}",
         "[[],[[1", 7, "type", "/1/0/0"},
        {"{\"anyOf\":[{\"type\":\"string\",\"maxLength\":1},"
         "{\"enum\":[\"abc\"]}]}",
         "\"ad", 3, "maxLength", ""},
        {"{\"oneOf\":[{\"required\":[\"a\"]},{\"required\":[\"b\"]}]}",
         "{\"b\":1,\"a\":\"x\"", 14, "oneOf", ""},
        {"{\"oneOf\":[{\"required\":[\"a\"]},{\"required\":[\"b\"]},{"
         "\"required\":[\"c\"]}]}",
         "{\"a\":1}", 0, NULL, NULL},
        {"{\"not\":{\"oneOf\":[{\"required\":[\"a\"]},{\"maxProperties\":1}]}}",
         "{\"b\":1,\"a\":\"x\"", 14, "not", ""},
        {"{\"$dynamicAnchor\":\"d\",\"items\":{\"anyOf\":["
         "{\"$dynamicRef\":\"#d\"}]},\"maxItems\":1}",
         "[[1,2", 5, "maxItems", "/0"},
        {"{\"$dynamicAnchor\":\"d\",\"items\":{\"$dynamicRef\":\"#d\","
         "\"type\":[\"array\",\"string\"]},\"properties\":{\"a\":{}}}",
         "[[1", 3, "type", "/0/0"},
    };

    grow_rows(t, rows, CHECK_COUNT(rows), SURETY__PREFIX_STRICT);
}

TEST(what_is_repaired_is_lost_when_it_is_complete)
{
    static const struct growth rows[] = {
        {"{\"items\":{\"type\":\"integer\"}}", "[\"a\", 1, 2]", 8, "type",
         "/0"},
        {"{\"items\":{\"type\":\"integer\"}}", "[12 kg, 1, 2]", 7, "type",
         "/0"},
        /* Not at the bracket: it may begin one of PHP's arrays with keys. */
        {"{\"items\":{\"type\":\"object\"}}", "[[1", 3, "type", "/0"},
        /* The array was never closed. */
        {"{\"properties\":{\"v\":{\"items\":{\"type\":\"integer\"}}}}",
         "{\"v\": [1, 2, \"n\": 1}", 0, NULL, NULL},
        {"{\"properties\":{\"n\":{\"type\":\"integer\"}}}", "{\"n\": (5)}", 0,
         NULL, NULL},
        {"{\"type\":\"object\"}", "\"a\": 1, \"b\": 2", 0, NULL, NULL},
        {"{\"not\":{\"required\":[\"n\"]}}",
         "{\"v\": [1, 2, \"n\": 1, \"m\": 2", 21, "not", ""},
        {"{\"not\":{\"properties\":{\"v\":{\"minItems\":3}},\"required\":["
         "\"v\"]}}",
         "{\"v\": [1, 2, \"n\": 1}", 0, NULL, NULL},
        {"{\"if\":{\"properties\":{\"k\":{\"const\":\"a\"}},\"required\":["
         "\"k\"]},\"then\":{\"properties\":{\"v\":{\"type\":\"null\"}}}}",
         "{v: 1, k: 'a', w: 2, x", 18, "type", "/v"},
    };

    grow_rows(t, rows, CHECK_COUNT(rows), 0);
}

TEST(what_is_aligned_is_lost_for_bounds_only)
{
    static const struct growth rows[] = {
        {"{\"properties\":{\"a\":{\"type\":\"integer\",\"maximum\":9}}}",
         "{\"a\": 10, \"b\": 1}", 10, "maximum", "/a"},
        {"{\"properties\":{\"a\":{\"type\":\"integer\",\"maximum\":9}}}",
         "{\"a\": \"10\",", 0, NULL, NULL},
        {"{\"properties\":{\"a\":{\"type\":[\"integer\",\"string\"],"
         "\"maximum\":9}}}",
         "{\"a\": 10,", 0, NULL, NULL},
        {"{\"additionalProperties\":{\"type\":\"integer\",\"maximum\":9}}",
         "{\"a\": 10,", 0, NULL, NULL},
        {"{\"items\":{\"type\":\"string\"},\"maxItems\":1}", "[1, 2, 3]", 0,
         NULL, NULL},
        {"{\"items\":{\"properties\":{\"a\":{\"type\":\"number\","
         "\"minimum\":0.5}}}}",
         "[{\"a\": 1}, {\"a\": 0.25}", 22, "minimum", "/1/a"},
        {"{\"anyOf\":[{\"properties\":{\"a\":{\"type\":\"number\","
         "\"minimum\":1}}},{\"type\":\"string\"}]}",
         "{\"a\": 0}", 0, NULL, NULL},
    };

    grow_rows(t, rows, CHECK_COUNT(rows), SURETY__PREFIX_ALIGN);
}

/* Grows head, then unit so often, then tail; where it is lost, or 0. */
static surety_status grow_long(struct check *t, struct grower *grower,
                               const char *schema, const char *const parts[3],
                               size_t times, size_t *ret_units)
{
    surety_status status = grower_begin(t, grower, schema);
    bool lost = false;

    *ret_units = 0;
    if (!status)
        status = grower_feed(grower, surety_str_of(parts[0]), &lost);
    for (size_t i = 0; i < times && !status && !lost; i++) {
        status = grower_feed(grower, surety_str_of(parts[1]), &lost);
        if (lost)
            *ret_units = i + 1;
    }
    if (!status && !lost && *parts[2]) {
        status = grower_feed(grower, surety_str_of(parts[2]), &lost);
        if (lost)
            *ret_units = times + 1;
    }
    return status;
}

/* So many branches that no item satisfies but by their end. */
static void write_branches(surety_buf *out, size_t count)
{
    surety_buf_text(out, "{\"items\":{\"anyOf\":[");
    for (size_t i = 0; i < count; i++)
        surety__buf_printf(out, "%s{\"maxItems\":1,\"minItems\":%zu}",
                           i ? "," : "", i + 2);
    surety_buf_text(out, "]}}");
    surety_buf_byte(out, '\0');
}

TEST(threads_have_a_limit)
{
    static const char *const parts[3] = {"[[1", ",1", "]"};
    struct grower grower;
    surety_buf schema;
    size_t units = 0;

    surety_buf_init(&schema, check_alloc(t), 0);
    NEED(grower_init(t, &grower, SURETY__PREFIX_STRICT) ? &grower : NULL);
    /* The item and the union are threads, too. */
    write_branches(&schema, 254);
    TRY(schema.status);
    TRY(grow_long(t, &grower, schema.ptr, parts, 1, &units));
    CHECK(units == 1);
    surety_buf_reset(&schema);
    write_branches(&schema, 255);
    TRY(schema.status);
    TRY(grow_long(t, &grower, schema.ptr, parts, 1, &units));
    CHECK(units == 2);
done:
    grower_done(&grower);
    surety_buf_done(&schema);
}

TEST(names_that_stand_twice_count_once)
{
    static const struct growth rows[] = {
        {"{\"maxProperties\":1}", "{\"a\":1,\"a\":2}", 0, NULL, NULL},
        {"{\"maxProperties\":1}", "{\"a\":1,\"a\":2,\"b\":3", 18,
         "maxProperties", ""},
        {"{\"required\":[\"a\",\"b\"]}", "{\"a\":1,\"a\":2}", 13, "required",
         ""},
        {"{\"items\":{\"minProperties\":2}}", "[{\"a\":1,\"a\":2},1", 14,
         "minProperties", "/0"},
        {"{\"items\":{\"minProperties\":2}}", "[{\"a\":1,\"a\":2,\"b\":1},1", 0,
         NULL, NULL},
        {"{\"not\":{\"required\":[\"a\",\"b\"]}}", "{\"a\":1,\"a\":2,\"c\":3}",
         0, NULL, NULL},
        {"{\"not\":{\"required\":[\"a\"],\"minProperties\":2}}",
         "{\"a\":1,\"a\":2}", 0, NULL, NULL},
        {"{\"oneOf\":[{\"required\":[\"a\"]},{\"required\":[\"b\",\"c\"]}]}",
         "{\"a\":1,\"b\":2,\"b\":3}", 0, NULL, NULL},
    };

    grow_rows(t, rows, CHECK_COUNT(rows), SURETY__PREFIX_STRICT);
}

/* What was lost stays lost; nothing begun says nothing. */
TEST(a_prefix_begins_again)
{
    struct grower grower;
    bool lost = true;

    NEED(grower_init(t, &grower, SURETY__PREFIX_STRICT) ? &grower : NULL);
    TRY(grower_begin(t, &grower, "{\"maxItems\":0}"));
    TRY(surety__prefix_step(grower.prefix, surety_val_none(), &lost));
    CHECK(!lost);
    TRY(grower_feed(&grower, surety_str_of("[1"), &lost));
    CHECK(lost);
    TRY(grower_feed(&grower, surety_str_of("]"), &lost));
    CHECK(lost);
    TRY(grower_begin(t, &grower, "{\"maxItems\":1}"));
    TRY(grower_feed(&grower, surety_str_of("[1"), &lost));
    CHECK(!lost);
    TRY(grower_feed(&grower, surety_str_of("]"), &lost));
    CHECK(!lost);
done:
    grower_done(&grower);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"scalars are lost as early as can be",
         scalars_are_lost_as_early_as_can_be},
        {"containers are lost as early as can be",
         containers_are_lost_as_early_as_can_be},
        {"conditions are lost with what decides them",
         conditions_are_lost_with_what_decides_them},
        {"unions are lost with their last branch",
         unions_are_lost_with_their_last_branch},
        {"what is repaired is lost when it is complete",
         what_is_repaired_is_lost_when_it_is_complete},
        {"what is aligned is lost for bounds only",
         what_is_aligned_is_lost_for_bounds_only},
        {"threads have a limit", threads_have_a_limit},
        {"names that stand twice count once",
         names_that_stand_twice_count_once},
        {"a prefix begins again", a_prefix_begins_again},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
