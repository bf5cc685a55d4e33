/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of two contracts: each change, for whom it breaks something, and
 * what it makes of the version. */
#include <surety/diff.h>

#include <stdlib.h>
#include <string.h>

#include "check.h"

/* Two contracts and the lines that tell them apart: "AT WHOM KEYWORD", where
 * whom is C, P, CP or -. */
static const struct row {
    const char *before, *after, *lines;
} rows[] = {
    {"{}", "{}", ""},
    {"{\"title\":\"a\"}", "{\"title\":\"b\"}", ""},
    {"true", "false", " P false\n"},
    {"false", "true", " C false\n"},
    /* Types and values. */
    {"{\"type\":\"string\"}", "{\"type\":[\"string\",\"null\"]}", " C type\n"},
    {"{\"type\":[\"string\",\"null\"]}", "{\"type\":\"string\"}", " P type\n"},
    {"{\"type\":\"integer\"}", "{\"type\":\"number\"}", " C type\n"},
    {"{\"enum\":[1,\"a\"]}", "{\"enum\":[\"a\",1.0]}", ""},
    {"{\"enum\":[1,2]}", "{\"enum\":[2,3]}", " P enum\n C enum\n"},
    {"{\"const\":1}", "{\"enum\":[1,2]}", " C enum\n"},
    {"{\"enum\":[1]}", "{}", " C enum\n"},
    {"{\"type\":\"integer\"}", "{\"type\":\"integer\",\"enum\":[1]}",
     " P enum\n"},
    {"{\"type\":[\"string\",\"null\"],\"enum\":[\"a\",null]}",
     "{\"type\":\"string\",\"enum\":[\"a\",null]}", " P enum\n"},
    {"{\"type\":\"string\",\"enum\":[\"a\",null]}",
     "{\"type\":[\"string\",\"null\"],\"enum\":[\"a\",null]}", " C enum\n"},
    {"{\"type\":\"integer\",\"const\":1}", "{\"type\":\"string\",\"const\":1}",
     " P enum\n"},
    {"{\"enum\":[1,2,3],\"minimum\":2}", "{\"enum\":[2,3]}", ""},
    {"{\"enum\":[1,2,3]}", "{\"minimum\":2}", " P enum\n C enum\n"},
    {"{\"minimum\":2}", "{\"enum\":[1,2,3]}", " C enum\n P enum\n"},
    /* Bounds. */
    {"{\"minimum\":1}", "{\"minimum\":1.0}", ""},
    {"{\"minimum\":1}", "{\"exclusiveMinimum\":1}", " P minimum\n"},
    {"{\"minimum\":1}", "{}", " C minimum\n"},
    {"{\"maximum\":1}", "{\"maximum\":2}", " C maximum\n"},
    {"{\"maximum\":1e400}", "{\"maximum\":1e399}", " P maximum\n"},
    {"{\"allOf\":[{\"maximum\":5},{\"maximum\":9}]}", "{\"maximum\":5}", ""},
    {"{\"minLength\":5}", "{\"minLength\":4}", " C minLength\n"},
    {"{\"maxItems\":5}", "{\"maxItems\":4}", " P maxItems\n"},
    {"{}", "{\"maxProperties\":4}", " P maxProperties\n"},
    {"{\"pattern\":\"a\"}", "{\"pattern\":\"b\"}", " CP pattern\n"},
    {"{}", "{\"uniqueItems\":true}", " P uniqueItems\n"},
    {"{\"uniqueItems\":false}", "{}", ""},
    {"{\"not\":{\"type\":\"null\"}}", "{}", " C not\n"},
    {"{\"not\":{\"$ref\":\"#/$defs/a\"},\"$defs\":{\"a\":{\"minimum\":1}}}",
     "{\"not\":{\"$ref\":\"#/$defs/a\"},\"$defs\":{\"a\":{\"minimum\":2}}}",
     " CP not\n"},
    {"{\"not\":{\"$ref\":\"#/$defs/a\"},\"$defs\":{\"a\":{\"minimum\":1}}}",
     "{\"not\":{\"$ref\":\"#/$defs/a\"},\"$defs\":{\"a\":{\"minimum\":1}},"
     "\"minimum\":3}",
     " P minimum\n"},
    /* What is referred to: wherever it stands, however far it is; but nothing
     * else, and what it says, not how it is called. */
    {"{\"not\":{\"$ref\":\"#/parts/a\"},\"parts\":{\"a\":{\"minimum\":1}}}",
     "{\"not\":{\"$ref\":\"#/parts/a\"},\"parts\":{\"a\":{\"minimum\":2}}}",
     " CP not\n"},
    {"{\"not\":{\"$ref\":\"#/$defs/a\"},\"$defs\":{\"a\":{\"items\":{\"$ref\":"
     "\"#/$defs/b\"}},\"b\":{\"minimum\":1}}}",
     "{\"not\":{\"$ref\":\"#/$defs/a\"},\"$defs\":{\"a\":{\"items\":{\"$ref\":"
     "\"#/$defs/b\"}},\"b\":{\"minimum\":2}}}",
     " CP not\n"},
    {"{\"not\":{\"$ref\":\"#/$defs/a\"},\"$defs\":{\"a\":{\"title\":\"a\"},"
     "\"b\":{\"minimum\":1}}}",
     "{\"not\":{\"$ref\":\"#/$defs/a\"},\"$defs\":{\"a\":{\"title\":\"b\"},"
     "\"b\":{\"minimum\":2}}}",
     ""},
    {"{\"not\":{\"$ref\":\"#a\"},\"$defs\":{\"a\":{\"$anchor\":\"a\",\"type\":"
     "\"object\",\"properties\":{\"b\":{},\"c\":{\"$ref\":\"#/$defs/d\"}}},"
     "\"d\":{\"minimum\":1}}}",
     "{\"not\":{\"$ref\":\"#a\"},\"$defs\":{\"x\":{\"$anchor\":\"a\","
     "\"properties\":{\"c\":{\"$ref\":\"#/$defs/y\"},\"b\":{}},\"type\":"
     "\"object\"},\"y\":{\"minimum\":1.0}}}",
     ""},
    /* Round and round. */
    {"{\"not\":{\"properties\":{\"a\":{\"$ref\":\"#\"}},\"required\":[\"a\"]},"
     "\"x-surety\":{\"name\":\"a\",\"version\":\"1.0.0\"}}",
     "{\"not\":{\"properties\":{\"a\":{\"$ref\":\"#\"}},\"required\":[\"a\"]},"
     "\"x-surety\":{\"name\":\"a\",\"version\":\"1.0.1\"}}",
     ""},
    {"{\"not\":{\"properties\":{\"a\":{\"$ref\":\"#\"}},\"required\":[\"a\"]}}",
     "{\"not\":{\"properties\":{\"a\":{\"$ref\":\"#\"}},\"required\":[\"a\"]},"
     "\"maxItems\":1}",
     " P maxItems\n CP not\n"},
/* Every place in which a subschema may stand. */
#define REACHES(keyword, place)                                                \
    {                                                                          \
        "{\"" keyword "\":" place ",\"$defs\":{\"a\":{\"minLength\":1}}}",     \
            "{\"" keyword "\":" place ",\"$defs\":{\"a\":{\"minLength\":2}}}", \
            " CP " keyword "\n"                                                \
    }
#define INSIDE(place) REACHES("not", "{" place "}")
#define THERE "{\"$ref\":\"#/$defs/a\"}"
    REACHES("contains", THERE),
    REACHES("propertyNames", THERE),
    REACHES("dependentSchemas", "{\"k\":true,\"l\":" THERE "}"),
    REACHES("dependencies", "{\"k\":[\"l\"],\"l\":" THERE "}"),
    REACHES("if", THERE),
    REACHES("unevaluatedItems", THERE),
    REACHES("unevaluatedProperties", THERE),
    INSIDE("\"additionalProperties\":" THERE),
    INSIDE("\"patternProperties\":{\"x\":true,\"y\":" THERE "}"),
    INSIDE("\"propertyNames\":" THERE),
    INSIDE("\"unevaluatedProperties\":" THERE),
    INSIDE("\"prefixItems\":[true," THERE "]"),
    INSIDE("\"items\":" THERE),
    INSIDE("\"contains\":" THERE),
    INSIDE("\"unevaluatedItems\":" THERE),
    INSIDE("\"allOf\":[true," THERE "]"),
    INSIDE("\"oneOf\":[false," THERE "]"),
    INSIDE("\"not\":" THERE),
    INSIDE("\"if\":true,\"then\":" THERE),
    INSIDE("\"if\":" THERE ",\"else\":false"),
    INSIDE("\"dependentSchemas\":{\"l\":" THERE "}"),
    INSIDE("\"dependencies\":{\"k\":[\"l\"],\"l\":" THERE "}"),
#undef THERE
#undef INSIDE
#undef REACHES
/* All that a subschema says may change, or go. */
#define TARGET(before, after)                                                  \
    {                                                                          \
        "{\"not\":{\"$ref\":\"#/$defs/a\"},\"$defs\":{\"a\":" before "}}",     \
            "{\"not\":{\"$ref\":\"#/$defs/a\"},\"$defs\":{\"a\":" after "}}",  \
            " CP not\n"                                                        \
    }
    TARGET("true", "false"),
    TARGET("true", "{\"minimum\":1}"),
    TARGET("{\"minimum\":1}", "{\"maximum\":1}"),
    TARGET("{\"minimum\":1,\"maximum\":1}", "{\"minimum\":1}"),
    TARGET("{\"required\":[\"a\"]}", "{\"required\":[\"b\"]}"),
    TARGET("{\"properties\":{\"a\":false}}", "{\"properties\":{\"b\":false}}"),
    TARGET("{\"properties\":{\"a\":false}}",
           "{\"properties\":{\"a\":false,\"b\":false}}"),
    TARGET("{\"properties\":{\"a\":false}}", "{\"properties\":{}}"),
    TARGET("{\"prefixItems\":[false]}", "{\"items\":false}"),
    TARGET("{\"prefixItems\":[true,false]}", "{\"prefixItems\":[false,true]}"),
    TARGET("{\"anyOf\":[{\"minimum\":1},{\"minimum\":2}]}",
           "{\"anyOf\":[{\"minimum\":1}]}"),
    TARGET("{\"allOf\":[{\"minimum\":1}]}", "{\"anyOf\":[{\"minimum\":1}]}"),
    TARGET("{\"dependentRequired\":{\"a\":[\"b\"]}}",
           "{\"dependentRequired\":{\"a\":[\"c\"]}}"),
    TARGET("{\"dependencies\":{\"a\":[\"b\"]}}",
           "{\"dependencies\":{\"a\":[\"c\"]}}"),
    TARGET("{\"dependencies\":{\"a\":[\"b\"]}}",
           "{\"dependencies\":{\"c\":[\"b\"]}}"),
    TARGET("{\"dependentSchemas\":{\"a\":false}}",
           "{\"dependentSchemas\":{\"b\":false}}"),
    TARGET("{\"patternProperties\":{\"a\":false}}",
           "{\"patternProperties\":{\"b\":false}}"),
    TARGET("{\"default\":1}", "{\"default\":2}"),
#undef TARGET
    /* What is evaluated where a reference leads. */
    {"{\"anyOf\":[{\"if\":{\"$ref\":\"#/$defs/a\"}}],"
     "\"unevaluatedProperties\":false,\"$defs\":{\"a\":{\"properties\":{}}}}",
     "{\"anyOf\":[{\"if\":{\"$ref\":\"#/$defs/a\"}}],"
     "\"unevaluatedProperties\":false,\"$defs\":{\"a\":{\"properties\":{"
     "\"b\":{}}}}}",
     " CP if\n CP unevaluatedProperties\n"},
    /* Members. */
    {"{\"properties\":{\"a\":{}},\"required\":[\"a\"]}",
     "{\"properties\":{\"a\":{}}}", "/a C required\n"},
    {"{\"properties\":{\"a\":{}}}",
     "{\"properties\":{\"a\":{}},\"required\":[\"a\"]}", "/a P required\n"},
    {"{\"required\":[\"a\"]}", "{}", "/a C required\n"},
    {"{\"properties\":{\"a\":{}}}", "{\"properties\":{\"a\":{},\"b\":{}}}",
     "/b - properties\n"},
    {"{\"properties\":{\"a\":{}}}", "{}", "/a - properties\n"},
    {"{\"properties\":{\"a\":{}},\"required\":[\"a\"]}", "{}",
     "/a C properties\n"},
    {"{\"properties\":{\"a/b\":{}},\"additionalProperties\":false}",
     "{\"additionalProperties\":false}", "/a~1b P properties\n"},
    {"{\"properties\":{\"a\":{}},\"required\":[\"a\"]}",
     "{\"properties\":{\"a\":{\"default\":1}}}", ""},
    {"{\"properties\":{\"a\":{\"default\":1}}}",
     "{\"properties\":{\"a\":{\"default\":2}}}", "/a C default\n"},
    {"{\"properties\":{\"a\":{\"default\":1}}}", "{\"properties\":{\"a\":{}}}",
     "/a C default\n"},
    {"{\"additionalProperties\":false}", "{}", " - additionalProperties\n"},
    {"{}", "{\"additionalProperties\":false}", " P additionalProperties\n"},
    {"{\"additionalProperties\":{\"type\":\"string\"}}",
     "{\"additionalProperties\":{\"type\":\"null\"}}",
     "/* C type\n/* P type\n"},
    {"{\"patternProperties\":{\"^x\":{\"maximum\":1}}}",
     "{\"patternProperties\":{\"^x\":{\"maximum\":2}}}",
     " CP patternProperties\n/* C maximum\n"},
    /* Items. */
    {"{\"items\":{\"minimum\":1}}", "{\"items\":{\"minimum\":2}}",
     "/* P minimum\n"},
    {"{\"prefixItems\":[{},{\"maximum\":1}]}",
     "{\"prefixItems\":[{},{\"maximum\":2}]}", "/1 C maximum\n"},
    /* Where nothing was taken, and what may be there without a name. */
    {"{\"items\":false}", "{}", "/* C false\n"},
    {"{}", "{\"items\":false}", "/* P false\n"},
    {"{\"prefixItems\":[{},false]}", "{}", "/1 C false\n"},
    {"{\"properties\":{\"a\":false}}", "{}", "/a C properties\n"},
    {"{\"properties\":{\"a\":{\"items\":false}}}",
     "{\"properties\":{\"a\":{}}}", "/a/* C false\n"},
    {"{\"patternProperties\":{\"^a\":false}}",
     "{\"patternProperties\":{\"^a\":{}}}", " CP patternProperties\n"},
    {"{\"properties\":{\"a\":{}}}",
     "{\"properties\":{\"a\":{},\"b\":{\"type\":\"string\"}}}",
     "/b P properties\n"},
    {"{\"properties\":{\"a\":{},\"b\":{\"type\":\"string\"}}}",
     "{\"properties\":{\"a\":{}}}", "/b C properties\n"},
    {"{\"properties\":{\"a\":{}},\"additionalProperties\":false}",
     "{\"properties\":{\"a\":{},\"b\":{\"type\":\"string\"}},"
     "\"additionalProperties\":false}",
     "/b - properties\n"},
    {"{\"additionalProperties\":{\"type\":\"number\"}}",
     "{\"additionalProperties\":{\"type\":\"number\"},\"properties\":{\"b\":{"
     "\"type\":\"string\"}}}",
     "/b - properties\n/b C type\n/b P type\n"},
    {"{\"required\":[\"b\"],\"additionalProperties\":false}",
     "{\"required\":[\"b\"]}",
     "/b C additionalProperties\n - additionalProperties\n"},
    {"{\"properties\":{\"a\":{}},\"additionalProperties\":false,"
     "\"minProperties\":1}",
     "{\"properties\":{\"a\":{},\"b\":{}},\"additionalProperties\":false,"
     "\"minProperties\":1}",
     "/b C properties\n"},
    {"{\"additionalProperties\":false,\"not\":{\"maxProperties\":0}}",
     "{\"not\":{\"maxProperties\":0}}", " C additionalProperties\n"},
    {"{\"properties\":{\"a\":{}},\"additionalProperties\":false,"
     "\"dependentRequired\":{\"a\":[\"b\"]}}",
     "{\"properties\":{\"a\":{}},\"dependentRequired\":{\"a\":[\"b\"]}}",
     " C additionalProperties\n"},
    {"{\"allOf\":[{\"pattern\":\"a\"},{\"pattern\":\"b\"}]}",
     "{\"pattern\":\"a\"}", " C pattern\n"},
    {"{\"pattern\":\"a\"}",
     "{\"allOf\":[{\"pattern\":\"b\"},{\"pattern\":\"a\"}]}", " P pattern\n"},
    {"{\"allOf\":[{\"if\":{\"minimum\":1},\"then\":{\"maximum\":2}},{\"if\":{"
     "\"minimum\":3},\"then\":{\"maximum\":4}}]}",
     "{\"allOf\":[{\"if\":{\"minimum\":1},\"then\":{\"maximum\":4}},{\"if\":{"
     "\"minimum\":3},\"then\":{\"maximum\":2}}]}",
     " CP then\n CP then\n"},
    {"{\"patternProperties\":{\"^a\":{}},\"additionalProperties\":{\"minimum\":"
     "1}}",
     "{\"allOf\":[{\"patternProperties\":{\"^a\":{}}},{"
     "\"additionalProperties\":{\"minimum\":1}}]}",
     " CP additionalProperties\n CP additionalProperties\n"},
    {"{\"$schema\":\"http://json-schema.org/draft-07/"
     "schema#\",\"dependentRequired\":{\"a\":[\"b\"]}}",
     "{\"$schema\":\"https://json-schema.org/draft/2019-09/"
     "schema\",\"dependentRequired\":{\"a\":[\"b\"]}}",
     " P dependentRequired\n"},
    {"{\"$schema\":\"http://json-schema.org/draft-04/"
     "schema#\",\"type\":\"integer\"}",
     "{\"$schema\":\"http://json-schema.org/draft-07/"
     "schema#\",\"type\":\"integer\"}",
     " C type\n"},
    {"{\"$schema\":\"http://json-schema.org/draft-04/"
     "schema#\",\"not\":{\"type\":\"integer\"}}",
     "{\"$schema\":\"http://json-schema.org/draft-07/"
     "schema#\",\"not\":{\"type\":\"integer\"}}",
     " CP not\n"},
    /* References, of which one is used twice and goes round. */
    {"{\"$ref\":\"#/$defs/n\",\"$defs\":{\"n\":{\"properties\":{\"v\":"
     "{\"maximum\":1},\"l\":{\"$ref\":\"#/$defs/n\"},\"r\":{\"$ref\":\"#/$defs/"
     "n\"}}}}}",
     "{\"$ref\":\"#/$defs/m\",\"$defs\":{\"m\":{\"properties\":{\"v\":"
     "{\"maximum\":2},\"l\":{\"$ref\":\"#/$defs/m\"},\"r\":{\"$ref\":\"#/$defs/"
     "m\"}}}}}",
     "/v C maximum\n"},
    /* Unions: by equality, by a constant, by type; one against none. */
    {"{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}",
     "{\"anyOf\":[{\"type\":\"null\"},{\"type\":\"string\"}]}", ""},
    {"{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}",
     "{\"type\":[\"string\",\"null\"]}", ""},
    {"{\"type\":\"string\",\"maxLength\":3}",
     "{\"anyOf\":[{\"type\":\"string\",\"maxLength\":2},{\"type\":\"null\"}]}",
     " C type\n P maxLength\n"},
    {"{\"type\":\"object\",\"oneOf\":[{\"properties\":{\"k\":{\"const\":\"x\"}}"
     ",\"required\":["
     "\"k\"]},{\"properties\":{\"k\":{\"const\":\"y\"}},\"required\":[\"k\"]}]"
     "}",
     "{\"type\":\"object\",\"oneOf\":[{\"properties\":{\"k\":{\"const\":\"z\"}}"
     ",\"required\":["
     "\"k\"]},{\"properties\":{\"k\":{\"const\":\"x\"},\"v\":{}},\"required\":["
     "\"k\"]}]}",
     " C oneOf\n P oneOf\n/v - properties\n"},
    /* What is no object satisfies both. */
    {"{\"oneOf\":[{\"properties\":{\"k\":{\"const\":\"x\"}},\"required\":["
     "\"k\"]},{\"properties\":{\"k\":{\"const\":\"y\"}},\"required\":[\"k\"]}]"
     "}",
     "{\"oneOf\":[{\"properties\":{\"k\":{\"const\":\"z\"}},\"required\":["
     "\"k\"]},{\"properties\":{\"k\":{\"const\":\"x\"},\"v\":{}},\"required\":["
     "\"k\"]}]}",
     " CP oneOf\n CP oneOf\n/v CP properties\n"},
    {"{\"anyOf\":[{\"minimum\":1},{\"maximum\":5}]}",
     "{\"oneOf\":[{\"minimum\":1},{\"maximum\":5}]}", " P oneOf\n"},
    {"{\"oneOf\":[{\"minimum\":1},{\"maximum\":5}]}",
     "{\"anyOf\":[{\"minimum\":1},{\"maximum\":5}]}", " C oneOf\n"},
    {"{\"oneOf\":[{\"type\":\"string\"},{\"type\":\"string\"}]}",
     "{\"type\":\"string\"}", " C oneOf\n CP oneOf\n"},
    {"{\"oneOf\":[{\"type\":\"object\",\"properties\":{\"a\":{}},"
     "\"additionalProperties\":false},{\"type\":\"object\",\"required\":[\"b\"]"
     "}]}",
     "{\"oneOf\":[{\"type\":\"object\",\"properties\":{\"a\":{},\"b\":{}},"
     "\"additionalProperties\":false},{\"type\":\"object\",\"required\":[\"b\"]"
     "}]}",
     "/b CP properties\n"},
    {"{\"oneOf\":[{},{\"enum\":[1,[2]]}]}",
     "{\"oneOf\":[{},{\"enum\":[1,[3]]}]}", " CP enum\n CP enum\n"},
    /* Two of them may hold: who takes more may make both do so. */
    {"{\"oneOf\":[{\"maximum\":1},{\"minimum\":5}]}",
     "{\"oneOf\":[{\"maximum\":2},{\"minimum\":5}]}", " CP maximum\n"},
    /* The contract around the schema. */
    {"{\"x-surety\":{\"name\":\"a\",\"fallback\":{\"kind\":\"null\"}}}",
     "{\"x-surety\":{\"name\":\"a\",\"partial\":true,\"unknown\":\"strip\"}}",
     " C partial\n - unknown\n C fallback\n"},
    {"{\"x-surety\":{\"extract\":{\"from\":[\"fence\"]}}}",
     "{\"x-surety\":{\"extract\":{\"from\":[\"whole\"]}}}",
     " - extract\n P extract\n"},
    {"{\"x-surety\":{\"repair\":\"align\",\"deprecated\":\"no\"}}",
     "{\"x-surety\":{\"defaults\":false}}", " P repair\n C defaults\n"},
};

/* Two versions, and what is between them. */
struct pair {
    surety_contract *before, *after;
    surety_diff *diff;
};

static surety_status pair_compare(struct check *t, struct pair *pair)
{
    return surety_diff_new(pair->before, pair->after, check_alloc(t),
                           &pair->diff, NULL);
}

static void pair_free(struct pair *pair)
{
    surety_diff_free(pair->diff);
    surety_contract_free(pair->after);
    surety_contract_free(pair->before);
    *pair = (struct pair){.diff = NULL};
}

static void put_lines(const surety_diff *diff, surety_buf *out)
{
    for (size_t i = 0; i < surety_diff_info_of(diff)->change_count; i++) {
        const surety_change change = surety_diff_info_of(diff)->changes[i];

        surety_buf_add(out, change.at);
        surety_buf_text(out, change.breaks_consumers   ? " C"
                             : change.breaks_producers ? " "
                                                       : " -");
        surety_buf_text(out, change.breaks_producers ? "P " : " ");
        surety_buf_add(out, change.keyword);
        surety_buf_byte(out, '\n');
    }
}

TEST(tells_every_change)
{
    struct pair pair = {.diff = NULL};
    surety_buf lines;

    surety_buf_init(&lines, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        TRY(check_contract(t, rows[i].before, &pair.before));
        TRY(check_contract(t, rows[i].after, &pair.after));
        TRY(pair_compare(t, &pair));
        put_lines(pair.diff, &lines);
        TRY(lines.status);
        CHECK_TEXT(surety_buf_str(&lines), rows[i].lines);
        surety_buf_reset(&lines);
        pair_free(&pair);
    }
done:
    surety_buf_done(&lines);
    pair_free(&pair);
}

/* Versions, what the change between them is, and whether they say so. */
static const struct version_row {
    const char *before, *after, *keywords, *changed;
    surety_bump bump;
    bool fits;
} version_rows[] = {
    {"1.0.0", "1.0.0", "", "", SURETY_BUMP_NONE, true},
    {"1.0.0", "1.0.0", "", ",\"title\":\"x\"", SURETY_BUMP_PATCH, false},
    {"1.0.0", "1.0.1", "", ",\"title\":\"x\"", SURETY_BUMP_PATCH, true},
    {"1.0.1", "1.0.0", "", ",\"title\":\"x\"", SURETY_BUMP_PATCH, false},
    {"1.0.9", "1.0.10", "", ",\"minimum\":1", SURETY_BUMP_MINOR, false},
    {"1.0.9", "1.1.0", "", ",\"minimum\":1", SURETY_BUMP_MINOR, true},
    {"1.9.0", "1.10.0", ",\"minimum\":1", "", SURETY_BUMP_MAJOR, false},
    {"1.9.0", "2.0.0-rc.1", ",\"minimum\":1", "", SURETY_BUMP_MAJOR, true},
    {"9.0.0", "10.0.0", ",\"minimum\":1", "", SURETY_BUMP_MAJOR, true},
    {"0.1.0", "0.1.1", ",\"minimum\":1", "", SURETY_BUMP_MAJOR, false},
    {"0.1.0", "0.2.0", ",\"minimum\":1", "", SURETY_BUMP_MAJOR, true},
    {"", "", ",\"minimum\":1", "", SURETY_BUMP_MAJOR, true},
};

static surety_status read_version(struct check *t, const char *version,
                                  const char *keywords,
                                  surety_contract **ret_contract)
{
    char text[200];

    if (*version)
        snprintf(text, sizeof(text),
                 "{\"x-surety\":{\"name\":\"a\",\"version\":\"%s\"}%s}",
                 version, keywords);
    else
        snprintf(text, sizeof(text), "{\"x-surety\":{\"name\":\"a\"}%s}",
                 keywords);
    return check_contract(t, text, ret_contract);
}

TEST(says_what_the_version_needs)
{
    struct pair pair = {.diff = NULL};

    for (size_t i = 0; i < CHECK_COUNT(version_rows); i++) {
        const struct version_row *row = &version_rows[i];

        TRY(read_version(t, row->before, row->keywords, &pair.before));
        TRY(read_version(t, row->after, row->changed, &pair.after));
        TRY(pair_compare(t, &pair));
        CHECK(surety_diff_info_of(pair.diff)->bump == row->bump);
        CHECK(surety_diff_info_of(pair.diff)->version_fits == row->fits);
        pair_free(&pair);
    }
    CHECK(strcmp(surety_bump_name(SURETY_BUMP_MAJOR), "major") == 0);
    CHECK(strcmp(surety_bump_name((surety_bump)9), "none") == 0);
done:
    pair_free(&pair);
}

TEST(writes_itself)
{
    struct pair pair = {.diff = NULL};
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(read_version(t, "1.0.0", ",\"properties\":{\"a\":{\"maximum\":1}}",
                     &pair.before));
    TRY(read_version(t, "1.1.0", ",\"properties\":{\"a\":{\"maximum\":2}}",
                     &pair.after));
    TRY(pair_compare(t, &pair));
    TRY(surety_diff_write(pair.diff, &out));
    CHECK_TEXT(
        surety_buf_str(&out),
        "{\"old\":\"a@1.0.0\",\"new\":\"a@1.1.0\",\"breaksConsumers\":1,"
        "\"breaksProducers\":0,\"version\":{\"needed\":\"major\",\"fits\":"
        "false},\"changes\":[{\"at\":\"/a\",\"keyword\":\"maximum\","
        "\"message\":\"the number was at most 1 and is at most 2\",\"breaks\":["
        "\"consumers\"],\"oldLocation\":\"/properties/a\",\"newLocation\":"
        "\"/properties/a\"}]}");
    CHECK(surety_diff_info_of(pair.diff)->change_count == 1);
done:
    surety_buf_done(&out);
    pair_free(&pair);
}

TEST(needs_two_contracts)
{
    surety_contract *contract = NULL;
    surety_diff *diff = NULL;
    surety_error err;

    TRY(check_contract(t, "true", &contract));
    EXPECT(SURETY_MISUSE, surety_diff_new(contract, NULL, NULL, &diff, &err));
    EXPECT(SURETY_MISUSE, surety_diff_new(NULL, contract, NULL, &diff, &err));
    CHECK(!diff);
    surety_diff_free(NULL);
done:
    surety_contract_free(contract);
}

/* A schema of so many members, each with a bound. */
static surety_status read_wide(struct check *t, size_t members, int bound,
                               surety_contract **ret_contract)
{
    surety_status status;
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    surety_buf_text(&text, "{\"properties\":{");
    for (size_t i = 0; i < members; i++) {
        char member[64];

        snprintf(member, sizeof(member), "%s\"m%zu\":{\"maximum\":%d}",
                 i ? "," : "", i, bound);
        surety_buf_text(&text, member);
    }
    surety_buf_text(&text, "}}");
    surety_buf_byte(&text, '\0');
    status = check_contract(t, text.ptr, ret_contract);
    surety_buf_done(&text);
    return status;
}

TEST(stops_at_its_limit)
{
    struct pair pair = {.diff = NULL};
    surety_error err;

    /* Memory of this size is not failed one by one. */
    if (t->fail_at > 1)
        return;
    TRY(read_wide(t, SURETY_DIFF_CHANGES_MAX, 1, &pair.before));
    TRY(read_wide(t, SURETY_DIFF_CHANGES_MAX, 2, &pair.after));
    TRY(pair_compare(t, &pair));
    CHECK(surety_diff_info_of(pair.diff)->change_count ==
          SURETY_DIFF_CHANGES_MAX);
    pair_free(&pair);
    TRY(read_wide(t, SURETY_DIFF_CHANGES_MAX + 1, 1, &pair.before));
    TRY(read_wide(t, SURETY_DIFF_CHANGES_MAX + 1, 2, &pair.after));
    EXPECT(SURETY_LIMIT, surety_diff_new(pair.before, pair.after,
                                         check_alloc(t), &pair.diff, &err));
done:
    pair_free(&pair);
}

/* A schema in which so many subschemas apply at the root, the last of them with
 * a bound: those of allOf and the root itself, or unions, each in a branch of
 * the one before. */
static surety_status read_deep(struct check *t, size_t count, bool unions,
                               int bound, surety_contract **ret_contract)
{
    surety_status status;
    surety_buf text;
    char last[64];

    surety_buf_init(&text, NULL, 0);
    surety_buf_text(&text, unions ? "" : "{\"allOf\":[");
    for (size_t i = unions ? 0 : 2; i < count; i++)
        surety_buf_text(&text, unions ? "{\"anyOf\":[{\"type\":\"null\"},"
                                      : "{\"minimum\":0},");
    snprintf(last, sizeof(last), "{\"type\":\"number\",\"maximum\":%d}", bound);
    surety_buf_text(&text, last);
    for (size_t i = 0; i < (unions ? count : 1); i++)
        surety_buf_text(&text, "]}");
    surety_buf_byte(&text, '\0');
    status = check_contract(t, text.ptr, ret_contract);
    surety_buf_done(&text);
    return status;
}

TEST(tells_what_is_beyond_its_limits)
{
    static const struct {
        size_t count;
        bool unions;
        const char *lines;
    } deep[] = {{31, false, " C maximum\n"}, {32, false, " C maximum\n"},
                {33, false, " CP allOf\n"},  {7, true, " C maximum\n"},
                {8, true, " C maximum\n"},   {9, true, " CP allOf\n"}};
    struct pair pair = {.diff = NULL};
    surety_buf lines;

    surety_buf_init(&lines, NULL, 0);
    for (size_t i = 0; i < CHECK_COUNT(deep); i++)
        for (int bound = 5; bound < 7; bound++) {
            TRY(read_deep(t, deep[i].count, deep[i].unions, 5, &pair.before));
            TRY(read_deep(t, deep[i].count, deep[i].unions, bound,
                          &pair.after));
            TRY(pair_compare(t, &pair));
            put_lines(pair.diff, &lines);
            CHECK_TEXT(surety_buf_str(&lines), bound == 5 ? "" : deep[i].lines);
            surety_buf_reset(&lines);
            pair_free(&pair);
        }
done:
    surety_buf_done(&lines);
    pair_free(&pair);
}

/* A oneOf of so many branches, each a reference: at the root, beside a union,
 * or in a branch of one. `last` is what the last of them leads to. */
enum { UNION_ALONE, UNION_BESIDE, UNION_INSIDE, UNION_PLACES };

static surety_status read_union(struct check *t, size_t count, int place,
                                const char *last,
                                surety_contract **ret_contract)
{
    static const char *const heads[UNION_PLACES] = {
        "{\"oneOf\":[", "{\"anyOf\":[{\"type\":\"object\"}],\"oneOf\":[",
        "{\"anyOf\":[{\"type\":\"object\",\"oneOf\":["};
    static const char *const tails[UNION_PLACES] = {"]", "]", "]}]"};
    surety_status status;
    surety_buf text;
    char part[64];

    surety_buf_init(&text, NULL, 0);
    surety_buf_text(&text, heads[place]);
    for (size_t i = 0; i < count; i++) {
        snprintf(part, sizeof(part), "%s{\"$ref\":\"#/parts/%zu\"}",
                 i ? "," : "", i);
        surety_buf_text(&text, part);
    }
    surety_buf_text(&text, tails[place]);
    surety_buf_text(&text, ",\"parts\":[");
    for (size_t i = 0; i + 1 < count; i++) {
        snprintf(part, sizeof(part),
                 "{\"properties\":{\"k\":{\"const\":%zu}}},", i);
        surety_buf_text(&text, part);
    }
    surety_buf_text(&text, last);
    surety_buf_text(&text, "]}");
    surety_buf_byte(&text, '\0');
    status = check_contract(t, text.ptr, ret_contract);
    surety_buf_done(&text);
    return status;
}

TEST(follows_references_of_wide_unions)
{
    static const char last[] =
        "{\"properties\":{\"k\":{\"const\":\"k\"},\"v\":{"
        "\"maximum\":1}}}";
    static const char named[] = "{\"title\":\"t\",\"properties\":{\"v\":{"
                                "\"maximum\":1},\"k\":{\"const\":\"k\"}}}";
    static const char changed[] = "{\"properties\":{\"k\":{\"const\":\"k\"},"
                                  "\"v\":{\"maximum\":2}}}";
    static const char *const told[UNION_PLACES] = {" CP oneOf\n", " CP allOf\n",
                                                   " CP allOf\n"};
    struct pair pair = {.diff = NULL};
    surety_buf lines;

    surety_buf_init(&lines, NULL, 0);
    for (int place = 0; place < UNION_PLACES; place++)
        for (size_t i = 0; i < 6; i++) {
            const bool is_wide = i % 2 > 0;
            const bool is_changed = i >= 4;

            TRY(read_union(t, is_wide ? 1001 : 33, place, last, &pair.before));
            TRY(read_union(t, is_wide ? 1001 : 33, place,
                           is_changed ? changed
                           : i < 2    ? last
                                      : named,
                           &pair.after));
            TRY(pair_compare(t, &pair));
            put_lines(pair.diff, &lines);
            CHECK_TEXT(surety_buf_str(&lines), !is_changed ? ""
                                               : is_wide   ? told[place]
                                                           : "/v CP maximum\n");
            surety_buf_reset(&lines);
            pair_free(&pair);
        }
done:
    surety_buf_done(&lines);
    pair_free(&pair);
}

/* A `not` of so many subschemas, and one that refers to it. */
static surety_status read_reaching(struct check *t, size_t subschemas,
                                   surety_contract **ret_contract)
{
    surety_status status;
    surety_buf text;
    char part[64];

    surety_buf_init(&text, NULL, 0);
    surety_buf_text(&text, "{\"not\":{\"properties\":{");
    for (size_t i = 1; i < subschemas; i++) {
        snprintf(part, sizeof(part), "%s\"m%zu\":{\"minimum\":1}",
                 i > 1 ? "," : "", i);
        surety_buf_text(&text, part);
    }
    surety_buf_text(&text, "}},\"contains\":{\"$ref\":\"#/not\"}}");
    surety_buf_byte(&text, '\0');
    status = check_contract(t, text.ptr, ret_contract);
    surety_buf_done(&text);
    return status;
}

/* Beyond the limit it may be something else. What was found the same is not
 * counted again. */
TEST(follows_references_to_its_limit)
{
    struct pair pair = {.diff = NULL};
    surety_buf lines;

    if (t->fail_at > 1)
        return;
    surety_buf_init(&lines, NULL, 0);
    for (size_t i = 0; i < 3; i++) {
        const size_t subschemas = SURETY_DIFF_PAIRS_MAX - 1 + i;

        TRY(read_reaching(t, subschemas, &pair.before));
        TRY(read_reaching(t, subschemas, &pair.after));
        TRY(pair_compare(t, &pair));
        put_lines(pair.diff, &lines);
        CHECK_TEXT(surety_buf_str(&lines), subschemas <= SURETY_DIFF_PAIRS_MAX
                                               ? ""
                                               : " CP contains\n CP not\n");
        surety_buf_reset(&lines);
        pair_free(&pair);
    }
done:
    surety_buf_done(&lines);
    pair_free(&pair);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"tells every change", tells_every_change},
        {"says what the version needs", says_what_the_version_needs},
        {"writes itself", writes_itself},
        {"needs two contracts", needs_two_contracts},
        {"stops at its limit", stops_at_its_limit},
        {"tells what is beyond its limits", tells_what_is_beyond_its_limits},
        {"follows references of wide unions",
         follows_references_of_wide_unions},
        {"follows references to its limit", follows_references_to_its_limit},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
