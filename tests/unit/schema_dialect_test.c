/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect of schemas that do not say theirs. */
#include "check.h"

#include "schema/schema.h"

TEST(items_that_are_an_array_tell_the_dialect)
{
    static const struct {
        const char *text;
        surety_dialect dialect;
    } rows[] = {
        {"{\"items\":{}}", SURETY_DIALECT_2020_12},
        {"{\"items\":[{}]}", SURETY_DIALECT_2019_09},
        {"{\"properties\":{\"a\":{\"items\":[{\"type\":\"string\"}],"
         "\"additionalItems\":false}}}",
         SURETY_DIALECT_2019_09},
        {"{\"properties\":{\"items\":{}},\"default\":{\"items\":[{}]},"
         "\"enum\":[{\"items\":[]}]}",
         SURETY_DIALECT_2020_12},
        {"{\"$schema\":\"http://json-schema.org/draft-07/schema#\","
         "\"items\":[{}]}",
         SURETY_DIALECT_7},
        {"{\"prefixItems\":[{}]}", SURETY_DIALECT_2020_12},
    };
    static const char *const refused[] = {
        ("{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
         "\"items\":[{}]}"),
        "{\"items\":[{}],\"properties\":{\"a\":{\"prefixItems\":[{}]}}}",
        "{\"prefixItems\":[{}],\"properties\":{\"a\":{\"items\":[{}]}}}",
    };
    surety_schema_options options = {.size = sizeof(options),
                                     .alloc = check_alloc(t)};
    surety_schema *schema = NULL;
    surety_error err;

    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        TRY(surety_schema_read(surety_str_of(rows[i].text), &options, &schema,
                               &err));
        CHECK(surety_schema_info_of(schema)->dialect == rows[i].dialect);
        surety_schema_free(schema);
        schema = NULL;
    }
    for (size_t i = 0; i < CHECK_COUNT(refused); i++)
        EXPECT(SURETY_SYNTAX, surety_schema_read(surety_str_of(refused[i]),
                                                 &options, &schema, &err));
    options.dialect = SURETY_DIALECT_2020_12;
    EXPECT(SURETY_SYNTAX, surety_schema_read(surety_str_of(rows[1].text),
                                             &options, &schema, &err));
done:
    surety_schema_free(schema);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"items that are an array tell the dialect",
         items_that_are_an_array_tell_the_dialect},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
