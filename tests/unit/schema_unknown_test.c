/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a schema that say nothing: which of them are warned of, in which
 * draft, with which words; and which are quiet. */
#include "check.h"

#include <surety/schema.h>

/* A schema, and its warnings: "KEY: HINT" lines. */
static const struct row {
    const char *schema, *lines;
} rows[] = {
    {"{\"requird\":[\"a\"],\"properties\":{\"a\":{\"minLenght\":3}}}",
     "/requird: did you mean \"required\"?\n"
     "/properties/a/minLenght: did you mean \"minLength\"?\n"},
    {"{\"Type\":1}", "/Type: did you mean \"type\"?\n"},
    {"{\"tpye\":1}", "/tpye: did you mean \"type\"?\n"},
    {"{\"descripton\":1}", "/descripton: did you mean \"description\"?\n"},
    {"{\"wibble\":1}", "/wibble: a keyword of your own begins with \"x-\"\n"},
    {"{\"nullable\":true}", "/nullable: name \"null\" among the types\n"},
    {"{\"$schema\":\"http://json-schema.org/draft-07/schema#\","
     "\"dependentRequired\":{},\"$defs\":{\"a\":{}}}",
     "/dependentRequired: \"$schema\" declares the draft; 2019-09 has it\n"},
    {"{\"$schema\":\"http://json-schema.org/draft-04/schema#\",\"const\":1,"
     "\"examples\":[]}",
     "/const: \"$schema\" declares the draft; draft 6 has it\n"},
    {"{\"additionalItems\":false}", "/additionalItems: \"$schema\" declares "
                                    "the draft; 2019-09 was the last to "
                                    "have it\n"},
    /* In the order of the text, however they are referred to. */
    {"{\"$ref\":\"#/$defs/"
     "b\",\"$defs\":{\"a\":{\"aaaaa\":1},\"b\":{\"bbbbb\":1,"
     "\"$ref\":\"#/$defs/a\"}}}",
     "/$defs/a/aaaaa: a keyword of your own begins with \"x-\"\n"
     "/$defs/b/bbbbb: a keyword of your own begins with \"x-\"\n"},
    /* Data, names, vendors' members, beside $ref in draft 7, other tools. */
    {"{\"const\":{\"typ\":1},\"enum\":[{\"typ\":1}],\"default\":{\"typ\":1},"
     "\"examples\":[{\"typ\":1}],\"properties\":{\"typ\":true}}",
     ""},
    {"{\"x-typ\":1,\"ui:order\":1,\"@type\":1,\"_typ\":1,\"nullable\":false}",
     ""},
    {"{\"$schema\":\"http://json-schema.org/draft-07/schema#\","
     "\"items\":{\"$ref\":\"#\",\"typ\":1}}",
     ""},
    {"{\"markdownDescription\":\"\",\"defaultSnippets\":[],\"discriminator\":{}"
     ",\"xml\":{},\"externalDocs\":{},\"example\":1,\"enumNames\":[],"
     "\"tsType\":\"\",\"errorMessage\":{},\"propertyOrder\":1,\"title\":\"\"}",
     ""},
    {"true", ""},
};

static void put_warnings(const surety_schema *schema, surety_buf *out)
{
    for (size_t i = 0; i < surety_schema_info_of(schema)->warning_count; i++) {
        const surety_schema_warning warning =
            surety_schema_info_of(schema)->warnings[i];

        (void)surety_val_pointer(warning.key, out);
        surety_buf_text(out, ": ");
        surety_buf_add(out, warning.hint);
        surety_buf_byte(out, '\n');
    }
}

TEST(warns_of_what_says_nothing)
{
    surety_schema *schema = NULL;
    surety_buf lines;

    surety_buf_init(&lines, check_alloc(t), 0);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        TRY(check_schema(t, rows[i].schema, &schema));
        put_warnings(schema, &lines);
        TRY(lines.status);
        CHECK_TEXT(surety_buf_str(&lines), rows[i].lines);
        surety_buf_reset(&lines);
        surety_schema_free(schema);
        schema = NULL;
    }
done:
    surety_buf_done(&lines);
    surety_schema_free(schema);
}

TEST(tells_where_and_what)
{
    surety_schema *schema = NULL;
    surety_schema_warning warning;
    surety_position position;

    TRY(check_schema(t, "{\n \"requird\": []}", &schema));
    CHECK(surety_schema_info_of(schema)->warning_count == 1);
    warning = surety_schema_info_of(schema)->warnings[0];
    CHECK_TEXT(warning.message, "\"requird\" is no keyword of JSON Schema "
                                "(2020-12), so it says nothing");
    position = surety_val_position(warning.key);
    CHECK(position.line == 2 && position.column == 2);
    CHECK(!surety_schema_info_of(schema)->warnings_left);
    CHECK(surety_schema_info_of(NULL)->warning_count == 0);
done:
    surety_schema_free(schema);
}

/* At the limit, and one beyond. */
TEST(keeps_as_many_as_are_worth_telling)
{
    surety_schema *schema = NULL;
    surety_buf text;

    surety_buf_init(&text, check_alloc(t), 0);
    for (unsigned extra = 0; extra < 2; extra++) {
        surety_buf_reset(&text);
        for (unsigned i = 0; i < SURETY_SCHEMA_WARNINGS_MAX + extra; i++) {
            surety_buf_text(&text, i ? ",\"key" : "{\"key");
            surety_buf_number(&text, i);
            surety_buf_text(&text, "\":1");
        }
        surety_buf_byte(&text, '}');
        surety_buf_byte(&text, '\0');
        TRY(text.status);
        TRY(check_schema(t, text.ptr, &schema));
        CHECK(surety_schema_info_of(schema)->warning_count ==
              SURETY_SCHEMA_WARNINGS_MAX);
        CHECK(surety_schema_info_of(schema)->warnings_left == extra);
        surety_schema_free(schema);
        schema = NULL;
    }
done:
    surety_buf_done(&text);
    surety_schema_free(schema);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"warns of what says nothing", warns_of_what_says_nothing},
        {"tells where and what", tells_where_and_what},
        {"keeps as many as are worth telling",
         keeps_as_many_as_are_worth_telling},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
