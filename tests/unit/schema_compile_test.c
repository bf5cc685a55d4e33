/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling schemas: every kind of mistake with its line, column, path and
 * words; references within a document, to built-in documents and through the
 * caller's resolver; what each dialect knows. */
#include "check.h"

#include <string.h>

#include "schema/keywords.h"
#include "schema/schema.h"

struct mistake {
    const char *schema;
    surety_status status;
    unsigned line, column;
    const char *path;
    const char *message;
};

static surety_schema_options compile_options(struct check *t)
{
    return (surety_schema_options){.size = sizeof(surety_schema_options),
                                   .alloc = check_alloc(t)};
}

/* Whether instance satisfies schema; a check of its own. */
static surety_status compile_ask(struct check *t, const surety_schema *schema,
                                 const char *instance, bool *ret_valid)
{
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_checker *checker = surety_checker_new(check_alloc(t), NULL);
    surety_status status = SURETY_NOMEM;

    if (doc && checker)
        status = surety_doc_read(doc, surety_str_of(instance), NULL, NULL);
    if (!status)
        status = surety_checker_check(checker, schema, surety_doc_root(doc),
                                      ret_valid, NULL);
    surety_checker_free(checker);
    surety_doc_free(doc);
    return status;
}

static void compile_mistakes(struct check *t, const struct mistake *mistakes,
                             size_t count)
{
    surety_schema_options options = compile_options(t);
    surety_schema *schema = NULL;
    surety_error err;

    for (size_t i = 0; i < count; i++) {
        const struct mistake *mistake = &mistakes[i];
        surety_status status;

        memset(&err, 0x55, sizeof(err));
        status = surety_schema_read(surety_str_of(mistake->schema), &options,
                                    &schema, &err);
        if (status == SURETY_NOMEM && t->starved)
            goto done;
        if (status != mistake->status)
            printf("# %s\n", mistake->schema);
        CHECK(status == mistake->status && err.status == status);
        CHECK(schema == NULL);
        if (strcmp(err.message, mistake->message))
            printf("# %s\n", mistake->schema);
        CHECK_TEXT(surety_str_of(err.message), mistake->message);
        CHECK_TEXT(surety_str_of(err.path), mistake->path);
        if (err.position.line != mistake->line ||
            err.position.column != mistake->column)
            printf("# %s: at %u:%u\n", mistake->schema,
                   (unsigned)err.position.line, (unsigned)err.position.column);
        CHECK(err.position.line == mistake->line);
        CHECK(err.position.column == mistake->column);
    }
done:
    surety_schema_free(schema);
}

#define WRONG(schema, column, path, message)                                   \
    {                                                                          \
        schema, SURETY_SYNTAX, 1, column, path, message                        \
    }

TEST(a_keyword_of_the_wrong_type)
{
    static const struct mistake mistakes[] = {
        WRONG("{\"uniqueItems\":1}", 16, "/uniqueItems",
              "uniqueItems must be true or false, but found 1"),
        WRONG("{\"minimum\":\"1\"}", 12, "/minimum",
              "minimum must be a number, but found the string \"1\""),
        WRONG("{\"multipleOf\":0}", 15, "/multipleOf",
              "multipleOf must be a number above 0, but found 0"),
        WRONG("{\"multipleOf\":-0.5}", 15, "/multipleOf",
              "multipleOf must be a number above 0, but found -0.5"),
        WRONG("{\"multipleOf\":null}", 15, "/multipleOf",
              "multipleOf must be a number above 0, but found null"),
        WRONG("{\"minLength\":-1}", 14, "/minLength",
              "minLength must be an integer of 0 or more, but found -1"),
        WRONG("{\"maxItems\":1.5}", 13, "/maxItems",
              "maxItems must be an integer of 0 or more, but found 1.5"),
        WRONG("{\"maxItems\":[]}", 13, "/maxItems",
              "maxItems must be an integer of 0 or more, but found an empty "
              "array"),
        WRONG("{\"pattern\":{}}", 12, "/pattern",
              "pattern must be a string, but found an object"),
        WRONG("{\"$ref\":1}", 9, "/$ref", "$ref must be a string, but found 1"),
        WRONG(
            "{\"required\":\"a\"}", 13, "/required",
            "required must be an array of strings, but found the string \"a\""),
        WRONG("{\"required\":[\"a\",true]}", 18, "/required/1",
              "required must be an array of strings, but found a boolean"),
        WRONG("{\"enum\":{}}", 9, "/enum",
              "enum must be an array, but found an object"),
        WRONG("{\"$vocabulary\":[1]}", 16, "/$vocabulary",
              "$vocabulary must be an object, but found an array"),
        WRONG("{\"type\":\"strnig\"}", 9, "/type",
              "type must be a type name or a non-empty array of type names, "
              "but found the string \"strnig\""),
        WRONG("{\"type\":[\"string\",\"int\"]}", 19, "/type/1",
              "type must be a type name or a non-empty array of type names, "
              "but found the string \"int\""),
        WRONG("{\"type\":[]}", 9, "/type",
              "type must be a type name or a non-empty array of type names, "
              "but found an empty array"),
        WRONG("{\"dependentRequired\":{\"a\":[\"b\",1]}}", 32,
              "/dependentRequired/a/1",
              "dependentRequired must be an object of arrays of strings, but "
              "found 1"),
        WRONG("{\"dependentRequired\":{\"a\":\"b\"}}", 27,
              "/dependentRequired/a",
              "dependentRequired must be an object of arrays of strings, but "
              "found the string \"b\""),
    };

    compile_mistakes(t, mistakes, CHECK_COUNT(mistakes));
}

TEST(a_keyword_that_wants_schemas)
{
    static const struct mistake mistakes[] = {
        WRONG("{\"not\":[]}", 8, "/not",
              "not must be a schema (an object, true or false), but found an "
              "empty array"),
        WRONG("{\"allOf\":[]}", 10, "/allOf",
              "allOf must be a non-empty array of schemas, but found an empty "
              "array"),
        WRONG(
            "{\"anyOf\":{}}", 10, "/anyOf",
            "anyOf must be a non-empty array of schemas, but found an object"),
        WRONG("{\"oneOf\":[{},3]}", 14, "/oneOf/1",
              "oneOf must be a non-empty array of schemas, but found 3"),
        WRONG("{\"properties\":{\"foo\":\"bar\"}}", 22, "/properties/foo",
              "properties must be an object of schemas, but found the string "
              "\"bar\""),
        WRONG("{\"properties\":[]}", 15, "/properties",
              "properties must be an object of schemas, but found an empty "
              "array"),
        WRONG("{\"$defs\":{\"a\":null}}", 15, "/$defs/a",
              "$defs must be an object of schemas, but found null"),
        WRONG("{\"items\":[{}],\"prefixItems\":[{}]}", 10, "/items",
              "items must be a schema (an object, true or false), but found an "
              "array"),
        WRONG("{\"$schema\":\"http://json-schema.org/draft-07/schema#\","
              "\"items\":[{},1]}",
              66, "/items/1",
              "items must be a schema or an array of schemas, but found 1"),
        WRONG("{\"$schema\":\"http://json-schema.org/draft-07/schema#\","
              "\"items\":5}",
              62, "/items",
              "items must be a schema or an array of schemas, but found 5"),
        WRONG("{\"dependencies\":{\"a\":{},\"b\":[1]}}", 30,
              "/dependencies/b/0",
              "dependencies must be an object of schemas or arrays of strings, "
              "but found 1"),
        WRONG("{\"$schema\":\"https://json-schema.org/v1\","
              "\"propertyDependencies\":{\"a\":{\"b\":1}}}",
              74, "/propertyDependencies/a/b",
              "propertyDependencies must be an object of objects of schemas, "
              "but found 1"),
        WRONG("{\"$schema\":\"http://json-schema.org/draft-04/schema#\","
              "\"exclusiveMinimum\":5}",
              73, "/exclusiveMinimum",
              "exclusiveMinimum must be true or false, but found 5"),
        WRONG("{\"exclusiveMinimum\":true}", 21, "/exclusiveMinimum",
              "exclusiveMinimum must be a number, but found a boolean"),
    };

    compile_mistakes(t, mistakes, CHECK_COUNT(mistakes));
}
#undef WRONG

TEST(no_schema_at_all)
{
    static const struct mistake mistakes[] = {
        {"[]", SURETY_SYNTAX, 1, 1, "",
         "the value must be a schema (an object, true or false), but found an "
         "empty array"},
        {" 42", SURETY_SYNTAX, 1, 2, "",
         "the value must be a schema (an object, true or false), but found 42"},
        {"\"x\"", SURETY_SYNTAX, 1, 1, "",
         "the value must be a schema (an object, true or false), but found the "
         "string \"x\""},
        {"null", SURETY_SYNTAX, 1, 1, "",
         "the value must be a schema (an object, true or false), but found "
         "null"},
        {"{\n \"$ref\": \"#/x/y\",\n \"x\": {\"y\": 1}\n}", SURETY_SYNTAX, 3,
         13, "/x/y",
         "the value must be a schema (an object, true or false), but found 1"},
    };

    compile_mistakes(t, mistakes, CHECK_COUNT(mistakes));
}

TEST(a_reference_that_leads_nowhere)
{
    static const struct mistake mistakes[] = {
        {"{\n  \"$ref\": \"#/nope\"\n}", SURETY_SYNTAX, 2, 11, "/$ref",
         "the reference \"#/nope\" leads nowhere"},
        {"{\"items\":{\"$ref\":\"#/items/~2\"}}", SURETY_SYNTAX, 1, 18,
         "/items/$ref", "the reference \"#/items/~2\" leads nowhere"},
        {"{\"allOf\":[{\"$ref\":\"#/allOf/-1\"}]}", SURETY_SYNTAX, 1, 19,
         "/allOf/0/$ref", "the reference \"#/allOf/-1\" leads nowhere"},
        {"{\"allOf\":[{\"$ref\":\"#/allOf/99999999999999999999\"}]}",
         SURETY_SYNTAX, 1, 19, "/allOf/0/$ref",
         "the reference \"#/allOf/99999999999999999999\" leads nowhere"},
        {"{\"$ref\":\"#name\"}", SURETY_SYNTAX, 1, 9, "/$ref",
         "there is no anchor \"name\" where the reference leads"},
        {"{\"$ref\":\"other.json\"}", SURETY_SYNTAX, 1, 9, "/$ref",
         "the reference leads to \"other.json\", which is not known"},
        {"{\"$ref\":\"http://169.254.169.254/x#/a\"}", SURETY_SYNTAX, 1, 9,
         "/$ref",
         "the reference leads to \"http://169.254.169.254/x\", which is not "
         "known"},
        {"{\"$ref\":\"file:///etc/passwd\"}", SURETY_SYNTAX, 1, 9, "/$ref",
         "the reference leads to \"file:///etc/passwd\", which is not known"},
        {"{\"$id\":\"https://example.org/a/\",\"$ref\":\"b\"}", SURETY_SYNTAX,
         1, 40, "/$ref",
         "the reference leads to \"https://example.org/a/b\", which is not "
         "known"},
        {"{\"$dynamicRef\":\"#gone\"}", SURETY_SYNTAX, 1, 16, "/$dynamicRef",
         "there is no anchor \"gone\" where the reference leads"},
        {"{\"$schema\":\"https://json-schema.org/v1\",\"$dynamicRef\":\"no\"}",
         SURETY_SYNTAX, 1, 55, "/$dynamicRef",
         "no schema resource has the dynamic anchor \"no\""},
    };

    compile_mistakes(t, mistakes, CHECK_COUNT(mistakes));
}

/* A path that fills the error's space is given, one byte more is not. */
TEST(a_path_as_long_as_an_error_holds)
{
    surety_schema_options options = compile_options(t);
    surety_schema *schema = NULL;
    surety_error err;
    surety_buf text;

    surety_buf_init(&text, check_alloc(t), 0);
    for (size_t more = 0; more < 2; more++) {
        size_t name = sizeof(err.path) - 1 - strlen("/$defs/") + more;

        surety_buf_reset(&text);
        surety_buf_text(&text, "{\"$defs\":{\"");
        for (size_t i = 0; i < name; i++)
            surety_buf_byte(&text, 'n');
        surety_buf_text(&text, "\":1}}");
        TRY(text.status);
        EXPECT(SURETY_SYNTAX, surety_schema_read(surety_buf_str(&text),
                                                 &options, &schema, &err));
        CHECK(strlen(err.path) == (more ? 0 : sizeof(err.path) - 1));
    }
done:
    surety_buf_done(&text);
    surety_schema_free(schema);
}

TEST(names_and_dialects_that_are_wrong)
{
    static const struct mistake mistakes[] = {
        {"{\"$defs\":{\"a\":{\"$anchor\":\"x\"},\n\"b\":{\"$anchor\":\"x\"}}}",
         SURETY_SYNTAX, 2, 16, "/$defs/b/$anchor",
         "the anchor \"x\" is declared twice in one schema resource"},
        {"{\"$schema\":\"https://example.org/mine\"}", SURETY_UNSUPPORTED, 1,
         12, "/$schema",
         "the dialect \"https://example.org/mine\" is not known"},
        {"{\"$schema\":7}", SURETY_SYNTAX, 1, 12, "/$schema",
         "$schema must be a string"},
        {"{\"$schema\":\"http://json-schema.org/draft-03/schema#\"}",
         SURETY_UNSUPPORTED, 1, 12, "/$schema",
         "the dialect \"http://json-schema.org/draft-03/schema\" is not known"},
        {"{\"$schema\":\"urn:m\",\"$defs\":{\"m\":{\"$id\":\"urn:m\"}}}",
         SURETY_UNSUPPORTED, 1, 12, "/$schema",
         "the dialect \"urn:m\" is not known"},
    };

    compile_mistakes(t, mistakes, CHECK_COUNT(mistakes));
}

TEST(a_pattern_that_is_none)
{
    surety_schema_options options = compile_options(t);
    surety_schema *schema = NULL;
    surety_error err;

    EXPECT(SURETY_SYNTAX,
           surety_schema_read(
               surety_str_of("{\"items\":{\n \"pattern\": \"a(b\"}}"), &options,
               &schema, &err));
    CHECK(err.position.line == 2 && err.position.column == 13);
    CHECK_TEXT(surety_str_of(err.path), "/items/pattern");
    CHECK(err.message[0] != '\0');
    EXPECT(SURETY_SYNTAX,
           surety_schema_read(
               surety_str_of("{\"patternProperties\":{\"[\":true}}"), &options,
               &schema, &err));
    CHECK_TEXT(surety_str_of(err.path), "/patternProperties/[");
    CHECK(err.position.line == 1 && err.position.column == 23);
    CHECK(schema == NULL);
done:
    surety_schema_free(schema);
}

TEST(json_that_is_broken)
{
    surety_schema_options options = compile_options(t);
    surety_schema *schema = NULL;
    surety_error err;

    EXPECT(SURETY_SYNTAX,
           surety_schema_read(surety_str_of("{\"type\":\n \"string\",}"),
                              &options, &schema, &err));
    CHECK(err.position.line == 2);
    EXPECT(SURETY_SYNTAX,
           surety_schema_read(surety_str_of(""), &options, &schema, &err));
    CHECK(schema == NULL);
    EXPECT(SURETY_MISUSE,
           surety_schema_compile(surety_val_none(), &options, &schema, &err));
    EXPECT(SURETY_MISUSE,
           surety_schema_read(surety_str_of("{}"), &options, NULL, &err));
done:
    surety_schema_free(schema);
}

/* Nothing is an error that a schema may say without us knowing it. */
TEST(what_is_not_known_is_ignored)
{
    static const char schema_text[] =
        "{\"tpye\":\"string\",\"minimun\":\"x\",\"properties2\":[1],"
        "\"examples\":5,\"$comment\":[],\"title\":7,\"format\":\"no-such\","
        "\"contentEncoding\":\"rot13\",\"x-surety\":{\"$ref\":\"#/nope\"},"
        "\"const\":{\"$ref\":1},\"default\":{\"$id\":9}}";
    surety_schema_options options = compile_options(t);
    surety_schema *schema = NULL;
    bool valid = false;

    TRY(surety_schema_read(surety_str_of(schema_text), &options, &schema,
                           NULL));
    TRY(compile_ask(t, schema, "{\"$ref\":1}", &valid));
    CHECK(valid);
    TRY(compile_ask(t, schema, "{\"$ref\":2}", &valid));
    CHECK(!valid);
done:
    surety_schema_free(schema);
}

TEST(a_byte_order_mark_is_passed_over)
{
    surety_schema_options options = compile_options(t);
    surety_schema *schema = NULL;
    surety_error err;
    bool valid = true;

    TRY(surety_schema_read(surety_str_of("\xEF\xBB\xBF{\"type\":\"null\"}"),
                           &options, &schema, &err));
    TRY(compile_ask(t, schema, "1", &valid));
    CHECK(!valid);
    CHECK(surety_val_count(schema->root_val) == 1);
    CHECK(surety_schema_info_of(schema)->dialect == SURETY_DIALECT_2020_12);
done:
    surety_schema_free(schema);
}

/* ---- resolver ----------------------------------------------------------- */

struct library {
    const char *uri;
    surety_doc *doc;
    surety_status status;
    size_t asked;
    char last[128];
};

static surety_status library_resolve(void *ctx, surety_str uri,
                                     surety_val *ret_val)
{
    struct library *library = ctx;

    library->asked++;
    if (uri.len < sizeof(library->last)) {
        memcpy(library->last, uri.ptr, uri.len);
        library->last[uri.len] = '\0';
    }
    if (library->status)
        return library->status;
    if (!surety_str_equal(uri, surety_str_of(library->uri)))
        return SURETY_END;
    *ret_val = surety_doc_root(library->doc);
    return SURETY_OK;
}

TEST(the_resolver_gives_documents)
{
    struct library library = {.uri = "https://example.org/types.json"};
    surety_schema_options options = compile_options(t);
    surety_schema *schema = NULL;
    surety_error err;
    bool valid = false;

    options.resolve = library_resolve;
    options.resolve_ctx = &library;
    options.base_uri = surety_str_of("https://example.org/main.json");
    library.doc = surety_doc_new(check_alloc(t));
    NEED(library.doc);
    TRY(surety_doc_read(
        library.doc,
        surety_str_of("{\"$defs\":{\"id\":{\"type\":\"integer\"}},"
                      "\"$anchor\":\"all\",\"type\":\"object\"}"),
        NULL, NULL));
    TRY(surety_schema_read(
        surety_str_of("{\"properties\":{\"id\":{\"$ref\":"
                      "\"types.json#/$defs/id\"},\"o\":{\"$ref\":"
                      "\"types.json#all\"}}}"),
        &options, &schema, &err));
    CHECK(library.asked == 1);
    CHECK_TEXT(surety_str_of(library.last), "https://example.org/types.json");
    TRY(compile_ask(t, schema, "{\"id\":1,\"o\":{}}", &valid));
    CHECK(valid);
    TRY(compile_ask(t, schema, "{\"id\":\"1\"}", &valid));
    CHECK(!valid);
    TRY(compile_ask(t, schema, "{\"o\":1}", &valid));
    CHECK(!valid);
    surety_schema_free(schema);
    schema = NULL;

    /* A mistake in the other document is reported with its URI. */
    EXPECT(SURETY_SYNTAX,
           surety_schema_read(
               surety_str_of("{\"$ref\":\"types.json#/$defs/id/type\"}"),
               &options, &schema, &err));
    CHECK_TEXT(surety_str_of(err.source), "https://example.org/types.json");
    CHECK_TEXT(surety_str_of(err.path), "/$defs/id/type");
    CHECK(err.position.line == 1 && err.position.column == 24);

    EXPECT(SURETY_SYNTAX,
           surety_schema_read(surety_str_of("{\"$ref\":\"none.json\"}"),
                              &options, &schema, &err));
    CHECK_TEXT(surety_str_of(err.message),
               "the reference leads to \"https://example.org/none.json\", "
               "which is not known");
    CHECK_TEXT(surety_str_of(err.hint),
               "documents are never fetched: give it to the resolver");
    CHECK_TEXT(surety_str_of(err.source), "");
done:
    surety_schema_free(schema);
    surety_doc_free(library.doc);
}

TEST(a_resolver_that_fails_ends_the_compile)
{
    struct library library = {.uri = "urn:x", .status = SURETY_IO};
    surety_schema_options options = compile_options(t);
    surety_schema *schema = NULL;
    surety_error err;

    options.resolve = library_resolve;
    options.resolve_ctx = &library;
    EXPECT(SURETY_IO,
           surety_schema_read(surety_str_of("{\"not\":{\n\"$ref\":\"urn:x\"}}"),
                              &options, &schema, &err));
    CHECK_TEXT(surety_str_of(err.message),
               "the document \"urn:x\" could not be loaded: io");
    CHECK(err.position.line == 2 && err.position.column == 8);
    CHECK_TEXT(surety_str_of(err.path), "/not/$ref");
    library.status = SURETY_TIMEOUT;
    EXPECT(SURETY_TIMEOUT,
           surety_schema_read(surety_str_of("{\"$schema\":\"urn:x\"}"),
                              &options, &schema, &err));
    CHECK_TEXT(surety_str_of(err.path), "/$schema");
    /* OK without a value counts as unknown. */
    library.status = SURETY_OK;
    EXPECT(SURETY_SYNTAX,
           surety_schema_read(surety_str_of("{\"$ref\":\"urn:x\"}"), &options,
                              &schema, &err));
    CHECK(schema == NULL);
done:
    surety_schema_free(schema);
}

TEST(embedded_resources_are_found_by_their_id)
{
    static const char schema_text[] =
        "{\"$id\":\"https://example.org/root.json\","
        "\"properties\":{\"a\":{\"$ref\":\"item.json\"},"
        "\"b\":{\"$ref\":\"https://example.org/item.json#part\"},"
        "\"c\":{\"$ref\":\"#/$defs/item/$defs/part\"},"
        "\"d\":{\"$ref\":\"root.json#/$defs/n\"}},"
        "\"$defs\":{\"n\":{\"type\":\"null\"},\"item\":{\"$id\":\"item.json\","
        "\"type\":\"array\",\"$defs\":{\"part\":{\"$anchor\":\"part\","
        "\"$ref\":\"#/$defs/s\"},\"s\":{\"type\":\"string\"}}}}}";
    static const struct {
        const char *instance;
        bool valid;
    } asked[] = {
        {"{\"a\":[],\"b\":\"x\",\"c\":\"x\",\"d\":null}", true},
        {"{\"a\":1}", false},
        {"{\"b\":1}", false},
        {"{\"c\":1}", false},
        {"{\"d\":1}", false},
    };
    surety_schema_options options = compile_options(t);
    surety_schema *schema = NULL;
    bool valid = false;

    TRY(surety_schema_read(surety_str_of(schema_text), &options, &schema,
                           NULL));
    for (size_t i = 0; i < CHECK_COUNT(asked); i++) {
        TRY(compile_ask(t, schema, asked[i].instance, &valid));
        CHECK(valid == asked[i].valid);
    }
done:
    surety_schema_free(schema);
}

/* An embedded resource may be of another draft: draft 7 takes its first item
 * from an array of items, 2020-12 does not. */
TEST(a_resource_keeps_its_own_dialect)
{
    static const char schema_text[] =
        "{\"$ref\":\"https://example.org/old\",\"minContains\":0,\"$defs\":{"
        "\"old\":{\"$id\":\"https://example.org/old\",\"$schema\":"
        "\"http://json-schema.org/draft-07/schema#\",\"items\":["
        "{\"type\":\"integer\"}],\"dependentRequired\":5,\"definitions\":{"
        "\"x\":{\"$ref\":\"#/definitions/y\",\"type\":7},\"y\":{}}}}}";
    surety_schema_options options = compile_options(t);
    surety_schema *schema = NULL;
    bool valid = false;

    TRY(surety_schema_read(surety_str_of(schema_text), &options, &schema,
                           NULL));
    CHECK(surety_schema_info_of(schema)->dialect == SURETY_DIALECT_2020_12);
    TRY(compile_ask(t, schema, "[1,\"x\"]", &valid));
    CHECK(valid);
    TRY(compile_ask(t, schema, "[\"x\"]", &valid));
    CHECK(!valid);
done:
    surety_schema_free(schema);
}

TEST(the_dialect_is_that_of_schema_or_options)
{
    static const struct {
        const char *schema;
        surety_dialect given, want;
    } dialects[] = {
        {"{}", SURETY_DIALECT_DEFAULT, SURETY_DIALECT_2020_12},
        {"true", SURETY_DIALECT_6, SURETY_DIALECT_6},
        {"{}", SURETY_DIALECT_4, SURETY_DIALECT_4},
        {"{\"$schema\":\"http://json-schema.org/draft-06/schema\"}",
         SURETY_DIALECT_4, SURETY_DIALECT_6},
        {"{\"$schema\":\"https://json-schema.org/draft-07/schema#\"}",
         SURETY_DIALECT_4, SURETY_DIALECT_7},
        {"{\"$schema\":\"https://json-schema.org/draft/2019-09/schema\"}",
         SURETY_DIALECT_DEFAULT, SURETY_DIALECT_2019_09},
        {"{\"$schema\":\"https://json-schema.org/v1\"}", SURETY_DIALECT_DEFAULT,
         SURETY_DIALECT_V1},
        {"{\"$schema\":\"http://json-schema.org/schema#\"}",
         SURETY_DIALECT_DEFAULT, SURETY_DIALECT_2020_12},
    };
    surety_schema_options options = compile_options(t);
    surety_schema *schema = NULL;

    for (size_t i = 0; i < CHECK_COUNT(dialects); i++) {
        options.dialect = dialects[i].given;
        TRY(surety_schema_read(surety_str_of(dialects[i].schema), &options,
                               &schema, NULL));
        CHECK(surety_schema_info_of(schema)->dialect == dialects[i].want);
        surety_schema_free(schema);
        schema = NULL;
    }
done:
    surety_schema_free(schema);
}

/* ---- dialects of one's own ---------------------------------------------- */

TEST(vocabularies_switch_keywords_off)
{
    static const char meta[] =
        "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
        "\"$vocabulary\":{\"https://json-schema.org/draft/2020-12/vocab/core\":"
        "true,\"https://json-schema.org/draft/2020-12/vocab/applicator\":true,"
        "\"https://example.org/mine\":false}}";
    static const char demanding[] =
        "{\"$vocabulary\":{\"https://example.org/mine\":true}}";
    struct library library = {.uri = "urn:meta"};
    surety_schema_options options = compile_options(t);
    surety_schema *schema = NULL;
    surety_error err;
    bool valid = false;

    options.resolve = library_resolve;
    options.resolve_ctx = &library;
    library.doc = surety_doc_new(check_alloc(t));
    NEED(library.doc);
    TRY(surety_doc_read(library.doc, surety_str_of(meta), NULL, NULL));
    TRY(surety_schema_read(
        surety_str_of("{\"$schema\":\"urn:meta\",\"minimum\":\"any\","
                      "\"properties\":{\"a\":false}}"),
        &options, &schema, &err));
    TRY(compile_ask(t, schema, "{\"b\":1}", &valid));
    CHECK(valid);
    TRY(compile_ask(t, schema, "{\"a\":1}", &valid));
    CHECK(!valid);
    surety_schema_free(schema);
    schema = NULL;
    TRY(surety_doc_read(library.doc, surety_str_of(demanding), NULL, NULL));
    EXPECT(SURETY_UNSUPPORTED,
           surety_schema_read(surety_str_of("{\"$schema\":\"urn:meta\"}"),
                              &options, &schema, &err));
    CHECK_TEXT(surety_str_of(err.message),
               "the dialect requires the vocabulary "
               "\"https://example.org/mine\", which is not known");
done:
    surety_schema_free(schema);
    surety_doc_free(library.doc);
}

/* ---- metaschemas -------------------------------------------------------- */

/* Each metaschema, had by reference, takes itself and a schema of its draft,
 * and refuses one that is none. */
static void metaschema_holds(struct check *t, surety_dialect dialect)
{
    surety_schema_options options = compile_options(t);
    surety_schema *schema = NULL;
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_checker *checker = surety_checker_new(check_alloc(t), NULL);
    /* ORDER dialects */
    static const char *const uris[] = {
        NULL,
        "http://json-schema.org/draft-04/schema",
        "http://json-schema.org/draft-06/schema",
        "http://json-schema.org/draft-07/schema",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
        "https://json-schema.org/v1"};
    surety_str uri = surety_str_of(uris[dialect]);
    surety_buf text;
    surety_error err;
    bool valid = false;

    surety_buf_init(&text, check_alloc(t), 0);
    NEED(doc);
    NEED(checker);
    surety_buf_text(&text, "{\"$ref\":");
    surety_json_string(&text, uri);
    surety_buf_text(&text, "}");
    TRY(text.status);
    options.dialect = dialect;
    TRY(surety_schema_read(surety_buf_str(&text), &options, &schema, &err));
    TRY(surety_doc_read(doc, surety__metaschema_text(uri), NULL, NULL));
    TRY(surety_checker_check(checker, schema, surety_doc_root(doc), &valid,
                             NULL));
    CHECK(valid);
    TRY(surety_doc_read(
        doc,
        surety_str_of("{\"type\":[\"object\",\"null\"],\"properties\":{\"a\":{"
                      "\"items\":{\"enum\":[1]}}},\"required\":[\"a\"]}"),
        NULL, NULL));
    TRY(surety_checker_check(checker, schema, surety_doc_root(doc), &valid,
                             NULL));
    CHECK(valid);
    TRY(surety_doc_read(
        doc, surety_str_of("{\"properties\":{\"a\":{\"items\":{\"type\":1}}}}"),
        NULL, NULL));
    TRY(surety_checker_check(checker, schema, surety_doc_root(doc), &valid,
                             NULL));
    CHECK(!valid);
done:
    surety_buf_done(&text);
    surety_schema_free(schema);
    surety_checker_free(checker);
    surety_doc_free(doc);
}

#define METASCHEMA(name, dialect)                                              \
    TEST(name)                                                                 \
    {                                                                          \
        metaschema_holds(t, dialect);                                          \
    }
METASCHEMA(metaschema_of_draft_4, SURETY_DIALECT_4)
METASCHEMA(metaschema_of_draft_6, SURETY_DIALECT_6)
METASCHEMA(metaschema_of_draft_7, SURETY_DIALECT_7)
METASCHEMA(metaschema_of_2019_09, SURETY_DIALECT_2019_09)
METASCHEMA(metaschema_of_2020_12, SURETY_DIALECT_2020_12)
METASCHEMA(metaschema_of_v1, SURETY_DIALECT_V1)

/* ---- keywords and references at their edges ----------------------------- */

/* The table of names against the rows that it is made of. */
TEST(every_keyword_is_found_by_its_name)
{
    for (int i = KW_NONE + 1; i < KW_COUNT; i++) {
        const surety__keyword_row *row = &surety__keyword_rows[i];
        surety__keyword named = surety__keyword_named(row->name);

        if (!named)
            printf("# %.*s\n", (int)row->name.len, row->name.ptr);
        CHECK(named);
        for (int d = SURETY_DIALECT_4; d <= SURETY_DIALECT_V1; d++) {
            surety__keyword found =
                surety__keyword_in(named, (surety_dialect)d);

            CHECK((found == (surety__keyword)i) ==
                  (row->first <= d && d <= row->last));
        }
        CHECK(!surety__keyword_named(
            (surety_str){row->name.ptr, row->name.len - 1}));
    }
    CHECK(!surety__keyword_named((surety_str){NULL, 0}));
    CHECK(!surety__keyword_named(surety_str_of("t")));
    CHECK(!surety__keyword_named(surety_str_of("typf")));
done:;
}

static const char large_defs[] =
    "\"$defs\":{\"a\":{\"const\":0},\"b\":{\"const\":1},\"c/d\":{\"const\":"
    "2},\"~\":{\"const\":3},\"e f\":{\"const\":4},\"\":{\"const\":5},\"g\":"
    "{\"const\":6},\"h\":{\"$id\":\"in/\",\"$defs\":{\"a\":{\"const\":7}},"
    "\"$ref\":\"#/$defs/a\"},\"list\":{\"oneOf\":[{\"const\":8},{\"const\":"
    "9},false,false,false,false,false,false,false,{\"const\":10}]}}";

/* Objects and arrays of more than eight values are searched by an index; each
 * reference below leads to a const of the value that it is asked for. */
TEST(references_into_large_containers)
{
    static const struct {
        const char *reference;
        int value; /* -1: leads nowhere */
    } rows[] = {
        {"#/$defs/a", 0},
        {"#/$defs/b", 1},
        {"#/$defs/c~1d", 2},
        {"#/$defs/~0", 3},
        {"#/$defs/e%20f", 4},
        {"#/%24defs/b", 1},
        {"#/$defs/", 5},
        {"#/$defs/g", 6},
        {"#/$defs/h", 7},
        {"in/#/$defs/a", 7},
        {"#/$defs/h/$defs/a", 7},
        {"#/$defs/list/oneOf/0", 8},
        {"#/$defs/list/oneOf/1", 9},
        {"#/$defs/list/oneOf/9", 10},
        {"#/$defs/list/oneOf/10", -1},
        {"#/$defs/list/oneOf/01", -1},
        {"#/$defs/list/oneOf/", -1},
        {"#/$defs/list/oneOf/-", -1},
        {"#/$defs/list/oneOf/18446744073709551617", -1},
        {"#/$defs/i", -1},
        {"#/$defs/c/d", -1},
        {"#/$defs/~", -1},
        {"#/$defs/~2", -1},
        {"#/$defs/aa", -1},
    };
    surety_schema_options options = compile_options(t);
    surety_schema *schema = NULL;
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    options.base_uri = surety_str_of("https://example.org/");
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        char instance[2][20];
        bool valid = false;

        /* One reference before, so that the container is known already. */
        surety_buf_reset(&text);
        surety_buf_text(&text, "{\"properties\":{\"x\":{\"$ref\":\"#/$defs/b\"}"
                               ",\"y\":{\"$ref\":\"");
        surety_buf_text(&text, rows[i].reference);
        surety_buf_text(&text, "\"}},");
        surety_buf_text(&text, large_defs);
        surety_buf_byte(&text, '}');
        surety_schema_free(schema);
        schema = NULL;
        if (rows[i].value < 0) {
            EXPECT(SURETY_SYNTAX, surety_schema_read(surety_buf_str(&text),
                                                     &options, &schema, NULL));
            continue;
        }
        TRY(surety_schema_read(surety_buf_str(&text), &options, &schema, NULL));
        snprintf(instance[0], sizeof(*instance), "{\"y\":%d}", rows[i].value);
        snprintf(instance[1], sizeof(*instance), "{\"y\":%d}",
                 rows[i].value + 1);
        TRY(compile_ask(t, schema, instance[0], &valid));
        CHECK(valid);
        TRY(compile_ask(t, schema, instance[1], &valid));
        CHECK(!valid);
    }
done:
    surety_buf_done(&text);
    surety_schema_free(schema);
}

/* The same pointer from another resource leads elsewhere. */
TEST(a_pointer_belongs_to_its_resource)
{
    static const char text[] =
        "{\"$id\":\"https://example.org/\",\"$defs\":{\"x\":{\"const\":1},"
        "\"in\":{\"$id\":\"in\",\"$defs\":{\"x\":{\"const\":2}},\"properties\":"
        "{\"b\":{\"$ref\":\"#/$defs/x\"}}}},\"properties\":{\"a\":{\"$ref\":"
        "\"#/$defs/x\"},\"c\":{\"$ref\":\"#/$defs/x\"}},\"$ref\":\"in\"}";
    surety_schema_options options = compile_options(t);
    surety_schema *schema = NULL;
    bool valid = false;

    TRY(surety_schema_read(surety_str_of(text), &options, &schema, NULL));
    TRY(compile_ask(t, schema, "{\"a\":1,\"b\":2,\"c\":1}", &valid));
    CHECK(valid);
    TRY(compile_ask(t, schema, "{\"b\":1}", &valid));
    CHECK(!valid);
    TRY(compile_ask(t, schema, "{\"a\":2}", &valid));
    CHECK(!valid);
done:
    surety_schema_free(schema);
}

/* {"$ref": "#/$defs/x", "$defs": {...}} with count names whose hashes end in
 * the same ten bits, and x, whose own are far from those. From libc. */
static void collide(surety_buf *text, unsigned count)
{
    const uint32_t slot = (surety__hash("x", 1) + 512) & 1023;

    surety_buf_text(text, "{\"$ref\":\"#/$defs/x\",\"$defs\":{\"x\":{}");
    for (unsigned i = 0; count; i++) {
        char name[12];
        int len = snprintf(name, sizeof(name), "%x", i);

        if ((surety__hash(name, (size_t)len) & 1023) != slot)
            continue;
        surety_buf_text(text, ",\"");
        surety_buf_append(text, name, (size_t)len);
        surety_buf_text(text, "\":{}");
        count--;
    }
    surety_buf_text(text, "}}");
}

TEST(names_that_collide)
{
    surety_schema *schema = NULL;
    surety_error err = {.status = SURETY_OK};
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    for (unsigned count = 255; count <= 258; count++) {
        surety_status status;

        surety_buf_reset(&text);
        collide(&text, count);
        status = surety_schema_read(surety_buf_str(&text), NULL, &schema, &err);
        /* The first of them finds its place free, the 258th passes 257. */
        CHECK(status == (count < 258 ? SURETY_OK : SURETY_LIMIT));
        surety_schema_free(schema);
        schema = NULL;
    }
    CHECK(strstr(err.message, "more than 256 names of one object"));
done:
    surety_buf_done(&text);
}

/* Thousands of references, dynamic ones too, take no longer than they are
 * many; searched one by one they took minutes. From libc. */
TEST(references_by_the_thousand)
{
    enum { COUNT = 10000 };
    surety_schema *schema = NULL;
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    surety_buf_text(&text, "{\"$defs\":{\"\":{}");
    for (unsigned i = 0; i < COUNT; i++) {
        surety_buf_text(&text, ",\"n");
        surety_buf_number(&text, i);
        surety_buf_text(&text, "\":{\"$dynamicAnchor\":\"n");
        surety_buf_number(&text, i);
        surety_buf_text(&text, "\"}");
    }
    surety_buf_text(&text, "},\"allOf\":[{}");
    for (unsigned i = 0; i < COUNT; i++) {
        surety_buf_text(&text, ",{\"$ref\":\"#/$defs/n");
        surety_buf_number(&text, COUNT - 1 - i);
        surety_buf_text(&text, "\",\"$dynamicRef\":\"#n");
        surety_buf_number(&text, i);
        surety_buf_text(&text, "\"}");
    }
    surety_buf_text(&text, "]}");
    TRY(surety_schema_read(surety_buf_str(&text), NULL, &schema, NULL));
done:
    surety_buf_done(&text);
    surety_schema_free(schema);
}

/* One pattern in many places is compiled once and means the same in each. */
TEST(a_pattern_that_stands_twice)
{
    static const char text[] =
        "{\"patternProperties\":{\"^x-\":{\"pattern\":\"^x-\"}},\"properties\":"
        "{\"a\":{\"pattern\":\"^x-\"},\"b\":{\"pattern\":\"^x+-\"}}}";
    surety_schema_options options = compile_options(t);
    surety_schema *schema = NULL;
    bool valid = false;

    TRY(surety_schema_read(surety_str_of(text), &options, &schema, NULL));
    TRY(compile_ask(t, schema, "{\"x-a\":\"x-\",\"a\":\"x-\",\"b\":\"xx-\"}",
                    &valid));
    CHECK(valid);
    TRY(compile_ask(t, schema, "{\"a\":\"xx-\"}", &valid));
    CHECK(!valid);
    TRY(compile_ask(t, schema, "{\"x-a\":\"xx-\"}", &valid));
    CHECK(!valid);
done:
    surety_schema_free(schema);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"a keyword of the wrong type", a_keyword_of_the_wrong_type},
        {"a keyword that wants schemas", a_keyword_that_wants_schemas},
        {"no schema at all", no_schema_at_all},
        {"a reference that leads nowhere", a_reference_that_leads_nowhere},
        {"a path as long as an error holds", a_path_as_long_as_an_error_holds},
        {"names and dialects that are wrong",
         names_and_dialects_that_are_wrong},
        {"a pattern that is none", a_pattern_that_is_none},
        {"JSON that is broken", json_that_is_broken},
        {"what is not known is ignored", what_is_not_known_is_ignored},
        {"a byte order mark is passed over", a_byte_order_mark_is_passed_over},
        {"the resolver gives documents", the_resolver_gives_documents},
        {"a resolver that fails ends the compile",
         a_resolver_that_fails_ends_the_compile},
        {"embedded resources are found by their $id",
         embedded_resources_are_found_by_their_id},
        {"a resource keeps its own dialect", a_resource_keeps_its_own_dialect},
        {"the dialect is that of $schema or of the options",
         the_dialect_is_that_of_schema_or_options},
        {"vocabularies switch keywords off", vocabularies_switch_keywords_off},
        {"metaschema of draft 4", metaschema_of_draft_4},
        {"metaschema of draft 6", metaschema_of_draft_6},
        {"metaschema of draft 7", metaschema_of_draft_7},
        {"metaschema of 2019-09", metaschema_of_2019_09},
        {"metaschema of 2020-12", metaschema_of_2020_12},
        {"metaschema of v1", metaschema_of_v1},
        {"every keyword is found by its name",
         every_keyword_is_found_by_its_name},
        {"references into large containers", references_into_large_containers},
        {"a pointer belongs to its resource",
         a_pointer_belongs_to_its_resource},
        {"names that collide", names_that_collide},
        {"references by the thousand", references_by_the_thousand},
        {"a pattern that occurs twice", a_pattern_that_stands_twice},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
