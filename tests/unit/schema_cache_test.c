/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of schemas: what counts as the same, what is put out and when, and
 * that nothing wrong is given whatever was read before. */
#include "check.h"

#include <string.h>

#include "schema/schema.h"

static surety_schema_options cache_options(void)
{
    return (surety_schema_options){.size = sizeof(surety_schema_options)};
}

/* Reads {"maximum": number}, with blanks to len bytes. */
static surety_status read_number(surety_schema_cache *cache, unsigned number,
                                 size_t len, const surety_schema **ret_schema)
{
    surety_schema_options options = cache_options();
    surety_buf text;
    surety_status status;

    surety_buf_init(&text, NULL, 0);
    surety_buf_text(&text, "{\"maximum\":");
    surety_buf_number(&text, number);
    surety_buf_byte(&text, '}');
    while (text.len < len)
        surety_buf_byte(&text, ' ');
    status = surety_schema_cache_read(cache, surety_buf_str(&text), &options,
                                      ret_schema, NULL);
    surety_buf_done(&text);
    return status;
}

/* Whether reading number again is answered from what is kept. */
static bool has_number(surety_schema_cache *cache, unsigned number, size_t len)
{
    uint64_t hits = surety__schema_cache_count(cache).hits;
    const surety_schema *schema = NULL;

    return read_number(cache, number, len, &schema) == SURETY_OK &&
           surety__schema_cache_count(cache).hits == hits + 1;
}

TEST(the_same_text_is_compiled_once)
{
    surety_schema_cache *cache = surety_schema_cache_new(check_alloc(t), 0, 0);
    char first[] = "{\"type\":\"string\"}";
    char second[] = "{\"type\":\"string\"}";
    const surety_schema *a = NULL, *b = NULL;
    surety__schema_cache_counts counts;

    NEED(cache);
    TRY(surety_schema_cache_read(cache, surety_str_of(first), NULL, &a, NULL));
    memset(first, 'x', sizeof(first) - 1);
    TRY(surety_schema_cache_read(cache, surety_str_of(second), NULL, &b, NULL));
    CHECK(a && a == b);
    CHECK_TEXT(surety_val_str(surety_val_get(b->root_val, "type")), "string");
    counts = surety__schema_cache_count(cache);
    CHECK(counts.hits == 1 && counts.misses == 1 && counts.evictions == 0);
    CHECK(counts.schemas == 1 && counts.bytes == sizeof(second) - 1);
done:
    surety_schema_cache_free(cache);
}

/* No two of these may be answered with one schema. */
TEST(whatever_may_matter_tells_them_apart)
{
    surety_schema_cache *cache = surety_schema_cache_new(check_alloc(t), 0, 0);
    surety_limits limits = {.size = sizeof(limits), .schema_depth_max = 77};
    surety_limits spelled = surety_limits_of(NULL);
    surety_schema_options options[7];
    const surety_schema *schemas[7] = {NULL};
    const surety_schema *again = NULL;
    const size_t count = CHECK_COUNT(options);

    NEED(cache);
    for (size_t i = 0; i < count; i++)
        options[i] = cache_options();
    options[1].dialect = SURETY_DIALECT_7;
    options[2].assert_format = true;
    options[3].base_uri = surety_str_of("https://example.org/a");
    options[4].base_uri = surety_str_of("https://example.org/b");
    options[5].limits = &limits;
    options[6].resolve_ctx = &limits;
    for (size_t i = 0; i < count; i++)
        TRY(surety_schema_cache_read(cache, surety_str_of("{}"), &options[i],
                                     &schemas[i], NULL));
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            CHECK(schemas[i] != schemas[k]);
    CHECK(surety__schema_cache_count(cache).misses == count);
    CHECK(surety_schema_info_of(schemas[1])->dialect == SURETY_DIALECT_7);
    for (size_t i = 0; i < count; i++) {
        TRY(surety_schema_cache_read(cache, surety_str_of("{}"), &options[i],
                                     &again, NULL));
        CHECK(again == schemas[i]);
    }
    /* The defaults, said or not said, are the same. */
    options[0].dialect = SURETY_DIALECT_2020_12;
    options[0].limits = &spelled;
    TRY(surety_schema_cache_read(cache, surety_str_of("{}"), &options[0],
                                 &again, NULL));
    CHECK(again == schemas[0]);
    TRY(surety_schema_cache_read(cache, surety_str_of("{} "), NULL, &again,
                                 NULL));
    CHECK(again != schemas[0]);
done:
    surety_schema_cache_free(cache);
}

/* Limits that decide whether a schema compiles tell it apart, one below their
 * default; others do not. */
TEST(limits_that_tell_apart)
{
    static const char *const compiling =
        "text_bytes_max depth_max number_len_max string_len_max key_len_max "
        "values_max schema_bytes_max schema_nodes_max schema_depth_max "
        "schema_documents_max inplace_depth_max pattern_len_max "
        "pattern_match_max pattern_heap_kib_max ";
    surety_schema_cache *cache = surety_schema_cache_new(check_alloc(t), 0, 0);
    surety_schema_options options = cache_options();
    surety_limit limit;

    NEED(cache);
    for (size_t i = 0; surety_limit_at(i, &limit); i++) {
        surety_limits limits = {.size = sizeof(limits)};
        const surety_schema *usual = NULL, *other = NULL;
        char name[64], value[32];

        snprintf(name, sizeof(name), "%s ", limit.name);
        snprintf(value, sizeof(value), "%llu",
                 (unsigned long long)(limit.usual - 1));
        TRY(surety_limits_set(&limits, surety_str_of(limit.name),
                              surety_str_of(value), NULL));
        TRY(surety_schema_cache_read(cache, surety_str_of("{}"), NULL, &usual,
                                     NULL));
        options.limits = &limits;
        TRY(surety_schema_cache_read(cache, surety_str_of("{}"), &options,
                                     &other, NULL));
        if ((usual != other) != (strstr(compiling, name) != NULL))
            printf("# %s\n", limit.name);
        CHECK((usual != other) == (strstr(compiling, name) != NULL));
    }
done:
    surety_schema_cache_free(cache);
}

/* Every length around what the hash takes at once, each with one byte
 * different at either end. */
TEST(texts_that_nearly_are_the_same)
{
    surety_schema_cache *cache =
        surety_schema_cache_new(check_alloc(t), 999, 0);
    const surety_schema *schema = NULL;
    char text[80];
    uint64_t misses = 0;

    NEED(cache);
    for (size_t len = 4; len < sizeof(text); len += 5)
        for (size_t at = 0; at < len; at += len - 1)
            for (int blank = 0; blank < 2; blank++) {
                memset(text, ' ', len);
                memcpy(text + 1, "{}", 2);
                text[at] = blank ? '\n' : '\t';
                TRY(surety_schema_cache_read(cache, (surety_str){text, len},
                                             NULL, &schema, NULL));
                CHECK(surety__schema_cache_count(cache).misses == ++misses);
            }
    CHECK(surety__schema_cache_count(cache).hits == 0);
    CHECK(surety__schema_cache_count(cache).schemas == misses);
done:
    surety_schema_cache_free(cache);
}

TEST(schemas_max)
{
    surety_schema_cache *cache = surety_schema_cache_new(check_alloc(t), 3, 0);
    const surety_schema *schema = NULL;

    NEED(cache);
    for (unsigned i = 1; i <= 3; i++) {
        TRY(read_number(cache, i, 0, &schema));
        CHECK(surety__schema_cache_count(cache).schemas == i);
    }
    CHECK(surety__schema_cache_count(cache).evictions == 0);
    /* 1 is read again, so 2 is the oldest when 4 comes. */
    CHECK(has_number(cache, 1, 0));
    TRY(read_number(cache, 4, 0, &schema));
    CHECK(surety__schema_cache_count(cache).schemas == 3);
    CHECK(surety__schema_cache_count(cache).evictions == 1);
    CHECK(has_number(cache, 3, 0));
    CHECK(has_number(cache, 1, 0));
    CHECK(has_number(cache, 4, 0));
    TRY(read_number(cache, 2, 0, &schema));
    CHECK(surety__schema_cache_count(cache).evictions == 2);
    CHECK(has_number(cache, 1, 0));
done:
    surety_schema_cache_free(cache);
}

TEST(schemas_max_by_default)
{
    surety_schema_cache *cache = surety_schema_cache_new(check_alloc(t), 0, 0);
    const surety_schema *schema = NULL;

    NEED(cache);
    for (unsigned i = 0; i < 64; i++)
        TRY(read_number(cache, i, 0, &schema));
    CHECK(surety__schema_cache_count(cache).schemas == 64);
    CHECK(has_number(cache, 0, 0));
    TRY(read_number(cache, 64, 0, &schema));
    CHECK(surety__schema_cache_count(cache).schemas == 64);
    CHECK(surety__schema_cache_count(cache).evictions == 1);
    CHECK(has_number(cache, 0, 0));
done:
    surety_schema_cache_free(cache);
}

TEST(only_one_is_kept)
{
    surety_schema_cache *cache = surety_schema_cache_new(check_alloc(t), 1, 0);
    const surety_schema *schema = NULL;

    NEED(cache);
    TRY(read_number(cache, 1, 0, &schema));
    CHECK(has_number(cache, 1, 0));
    TRY(read_number(cache, 2, 0, &schema));
    CHECK(surety__schema_cache_count(cache).schemas == 1);
    CHECK(has_number(cache, 2, 0));
done:
    surety_schema_cache_free(cache);
}

TEST(bytes_max)
{
    surety_schema_cache *cache =
        surety_schema_cache_new(check_alloc(t), 0, 100);
    const surety_schema *schema = NULL;

    NEED(cache);
    TRY(read_number(cache, 1, 50, &schema));
    TRY(read_number(cache, 2, 49, &schema));
    CHECK(surety__schema_cache_count(cache).bytes == 99);
    CHECK(surety__schema_cache_count(cache).schemas == 2);
    surety__schema_cache_reset(cache);
    CHECK(surety__schema_cache_count(cache).bytes == 0);
    CHECK(surety__schema_cache_count(cache).schemas == 0);
    TRY(read_number(cache, 1, 50, &schema));
    TRY(read_number(cache, 2, 50, &schema));
    CHECK(surety__schema_cache_count(cache).schemas == 2);
    CHECK(surety__schema_cache_count(cache).evictions == 0);
    surety__schema_cache_reset(cache);
    TRY(read_number(cache, 1, 50, &schema));
    TRY(read_number(cache, 2, 51, &schema));
    CHECK(surety__schema_cache_count(cache).schemas == 1);
    CHECK(surety__schema_cache_count(cache).evictions == 1);
    CHECK(has_number(cache, 2, 51));
    /* One that is too long on its own is good until the next read. */
    TRY(read_number(cache, 3, 101, &schema));
    CHECK(surety__schema_cache_count(cache).schemas == 1);
    CHECK(schema->root_val.doc != NULL);
    CHECK(has_number(cache, 3, 101));
    TRY(read_number(cache, 4, 20, &schema));
    CHECK(surety__schema_cache_count(cache).bytes == 20);
    CHECK(surety__schema_cache_count(cache).schemas == 1);
done:
    surety_schema_cache_free(cache);
}

TEST(a_failure_is_not_kept)
{
    surety_schema_cache *cache = surety_schema_cache_new(check_alloc(t), 0, 0);
    surety_limits limits = {.size = sizeof(limits), .schema_bytes_max = 10};
    surety_schema_options options = cache_options();
    const surety_schema *good = NULL, *schema = NULL;
    surety_error err = {.status = SURETY_OK};

    NEED(cache);
    TRY(read_number(cache, 1, 0, &good));
    schema = good;
    EXPECT(SURETY_SYNTAX,
           surety_schema_cache_read(cache, surety_str_of("{\"type\":\"x\"}"),
                                    &options, &schema, &err));
    CHECK(err.position.column == 9);
    EXPECT(SURETY_SYNTAX, surety_schema_cache_read(cache, surety_str_of(""),
                                                   NULL, &schema, &err));
    options.limits = &limits;
    EXPECT(SURETY_LIMIT, surety_schema_cache_read(
                             cache, surety_str_of("{\"type\": \"null\"}"),
                             &options, &schema, &err));
    EXPECT(SURETY_MISUSE, surety_schema_cache_read(NULL, surety_str_of("{}"),
                                                   NULL, &schema, &err));
    EXPECT(SURETY_MISUSE, surety_schema_cache_read(cache, surety_str_of("{}"),
                                                   NULL, NULL, &err));
    CHECK(schema == good);
    CHECK(surety__schema_cache_count(cache).schemas == 1);
    CHECK(surety__schema_cache_count(cache).misses == 4);
    CHECK(has_number(cache, 1, 0));
done:
    surety_schema_cache_free(cache);
}

/* Gives {"const": 7} for every URI, and reads it through the cache too, as a
 * resolver well might. */
struct source {
    surety_schema_cache *cache;
    surety_doc *doc;
    unsigned asked;
};

static surety_status source_give(void *ctx, surety_str uri, surety_val *ret_val)
{
    struct source *source = ctx;
    const surety_schema *schema = NULL;
    surety_status status = surety_schema_cache_read(
        source->cache, surety_str_of("{\"const\":7}"), NULL, &schema, NULL);

    (void)uri;
    source->asked++;
    if (!status)
        status = surety_doc_read(source->doc, surety_str_of("{\"const\":7}"),
                                 NULL, NULL);
    if (!status)
        *ret_val = surety_doc_root(source->doc);
    return status;
}

TEST(a_resolver_that_reads_from_the_cache)
{
    struct source source = {.cache =
                                surety_schema_cache_new(check_alloc(t), 1, 0),
                            .doc = surety_doc_new(check_alloc(t))};
    surety_schema_options options = cache_options();
    surety_checker *checker = surety_checker_new(check_alloc(t), NULL);
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_str text = surety_str_of("{\"$ref\":\"https://example.org/x\"}");
    const surety_schema *schema = NULL;
    bool valid = false;

    NEED(source.cache);
    NEED(source.doc);
    NEED(checker);
    NEED(doc);
    options.resolve = source_give;
    options.resolve_ctx = &source;
    for (int i = 0; i < 2; i++)
        TRY(surety_schema_cache_read(source.cache, text, &options, &schema,
                                     NULL));
    CHECK(source.asked == 1);
    TRY(surety_doc_read(doc, surety_str_of("7"), NULL, NULL));
    TRY(surety_checker_check(checker, schema, surety_doc_root(doc), &valid,
                             NULL));
    CHECK(valid);
done:
    surety_schema_cache_free(source.cache);
    surety_checker_free(checker);
    surety_doc_free(source.doc);
    surety_doc_free(doc);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"the same text is compiled once", the_same_text_is_compiled_once},
        {"whatever may matter tells them apart",
         whatever_may_matter_tells_them_apart},
        {"limits that tell apart", limits_that_tell_apart},
        {"texts that nearly are the same", texts_that_nearly_are_the_same},
        {"schemas_max", schemas_max},
        {"schemas_max by default", schemas_max_by_default},
        {"only one is kept", only_one_is_kept},
        {"bytes_max", bytes_max},
        {"a failure is not kept", a_failure_is_not_kept},
        {"a resolver that reads from the cache",
         a_resolver_that_reads_from_the_cache},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
