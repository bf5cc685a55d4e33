/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler of subsets: what it sends is in the subset, for every built-in
 * contract and for schemas made to be awkward; limits at their edges; what
 * everybody takes comes out as it went in. */
#include "check.h"
#include "meter.h"

#include "contract/contract.h"

#include "strict_plain.h"

static surety_status read_text(struct check *t, const char *text,
                               surety_contract **ret_contract)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .name = surety_str_of("a/b c@1"),
                                             .alloc = check_alloc(t)};

    return surety_contract_read(surety_str_of(text), &options, ret_contract,
                                NULL);
}

static bool is_in_subset(const surety_strict *strict, surety_subset subset)
{
    const surety_val sent = surety_strict_info_of(strict)->schema;
    const char *why;

    if (surety_strict_info_of(strict)->support == SURETY_STRICT_IMPOSSIBLE)
        return sent.doc == NULL &&
               surety_strict_info_of(strict)->note_count > 0;
    why = plain_check(sent, subset);
    if (why)
        printf("# %s: %s\n", surety_subset_name(subset), why);
    return why == NULL && (surety_strict_info_of(strict)->note_count == 0) ==
                              (surety_strict_info_of(strict)->support ==
                               SURETY_STRICT_ACCEPTED);
}

static void try_all(struct check *t, const surety_contract *contract)
{
    const surety_strict *strict = NULL;

    for (int i = 0; i <= SURETY_SUBSET_GRAMMAR; i++) {
        TRY(surety_strict_of(contract, (surety_subset)i, &strict, NULL));
        CHECK(is_in_subset(strict, (surety_subset)i));
    }
done:
    return;
}

TEST(builtins_fit)
{
    surety_contract *contract = NULL;

    for (size_t i = 0; i < surety__builtins_count; i++) {
        const surety__embedded *builtin = &surety__builtins[i];
        const surety_str text = {builtin->text, builtin->len};
        /* Contracts with rules start processes: read once, not starved. */
        const surety_status status =
            surety_contract_read(text, NULL, &contract, NULL);

        if (status == SURETY_UNSUPPORTED)
            continue; /* rules that are not built in */
        TRY(status);
        try_all(t, contract);
        surety_contract_free(contract);
        contract = NULL;
        if (t->failed)
            goto done;
    }
done:
    surety_contract_free(contract);
}

TEST(awkward_schemas_fit)
{
    static const char *const texts[] = {
        "true",
        "{}",
        "{\"type\":\"object\"}",
        "{\"type\":\"array\"}",
        "{\"enum\":[1,\"a\",null,true]}",
        "{\"const\":false}",
        "{\"type\":[\"string\",\"number\",\"array\",\"object\",\"null\"]}",
        "{\"anyOf\":[{\"type\":\"string\"},{}]}",
        "{\"anyOf\":[{\"type\":\"string\"},false]}",
        "{\"properties\":{\"a\":false,\"b\":true},\"required\":[\"c\"]}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},"
        "\"additionalProperties\":{\"type\":\"integer\"}}",
        "{\"type\":\"array\",\"items\":false}",
        "{\"type\":\"array\",\"prefixItems\":[{\"type\":\"string\"}],"
        "\"items\":false,\"minItems\":1}",
        "{\"$schema\":\"http://json-schema.org/draft-04/schema#\","
        "\"type\":\"number\",\"minimum\":1,\"exclusiveMinimum\":true}",
        "{\"$schema\":\"http://json-schema.org/draft-07/schema#\","
        "\"type\":\"array\",\"items\":[{\"type\":\"string\"},{}],"
        "\"additionalItems\":{\"type\":\"null\"}}",
        "{\"allOf\":[{\"type\":\"integer\",\"minimum\":1},"
        "{\"minimum\":3,\"pattern\":\"x\"}]}",
        "{\"allOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}]}",
        "{\"anyOf\":[{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":"
        "\"#\"}}},{\"type\":\"null\"}]}",
        "{\"type\":\"object\",\"properties\":{\"\":{\"type\":\"string\"},"
        "\"a b\":{\"type\":\"string\"},\"a_b\":{\"type\":\"string\"}}}",
        "{\"type\":\"object\",\"patternProperties\":{\"^a\":{\"type\":"
        "\"string\"},\"b$\":{\"type\":\"integer\"}}}",
    };
    surety_contract *contract = NULL;

    for (size_t i = 0; i < CHECK_COUNT(texts); i++) {
        TRY(read_text(t, texts[i], &contract));
        try_all(t, contract);
        surety_contract_free(contract);
        contract = NULL;
        if (t->failed)
            printf("# %s\n", texts[i]);
        if (t->failed || t->starved)
            goto done;
    }
done:
    surety_contract_free(contract);
}

TEST(what_everybody_takes_is_kept)
{
    static const char text[] =
        "{\"type\":\"object\",\"required\":[\"a\",\"b\"],"
        "\"additionalProperties\":false,\"properties\":{"
        "\"a\":{\"type\":\"string\",\"format\":\"date\"},"
        "\"b\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/c\"}}},"
        "\"$defs\":{\"c\":{\"type\":[\"integer\",\"null\"],"
        "\"description\":\"A count.\"}}}";
    surety_contract *contract = NULL;
    const surety_strict *strict = NULL;

    TRY(read_text(t, text, &contract));
    for (int i = 0; i <= SURETY_SUBSET_GRAMMAR; i++) {
        TRY(surety_strict_of(contract, (surety_subset)i, &strict, NULL));
        CHECK(surety_strict_info_of(strict)->support == SURETY_STRICT_ACCEPTED);
        CHECK(surety_val_equal(surety_strict_info_of(strict)->schema,
                               surety_contract_info_of(contract)->root));
    }
done:
    surety_contract_free(contract);
}

TEST(asks_for_what_it_needs)
{
    surety_contract *contract = NULL;
    const surety_strict *strict = NULL;
    surety_error error;

    TRY(check_contract(t, "{\"type\":\"object\"}", &contract));
    EXPECT(SURETY_MISUSE,
           surety_strict_of(NULL, SURETY_SUBSET_OPENAI, &strict, &error));
    EXPECT(SURETY_MISUSE,
           surety_strict_of(contract, (surety_subset)4, &strict, &error));
    EXPECT(SURETY_MISUSE,
           surety_strict_of(contract, SURETY_SUBSET_GRAMMAR, NULL, &error));
    CHECK_TEXT(surety_str_of(error.message),
               "a contract, a known subset and an address for the result are "
               "needed");
    CHECK(strict == NULL);
    CHECK_TEXT(surety_str_of(surety_subset_name((surety_subset)4)), "unknown");
done:
    surety_contract_free(contract);
}

TEST(names_are_what_providers_take)
{
    surety_contract *contract = NULL;
    const surety_strict *strict = NULL;

    TRY(read_text(t, "{\"type\":\"object\",\"description\":\"D.\"}",
                  &contract));
    TRY(surety_strict_of(contract, SURETY_SUBSET_OPENAI, &strict, NULL));
    CHECK_TEXT(surety_strict_info_of(strict)->name, "a_b_c_1");
    CHECK_TEXT(surety_strict_info_of(strict)->description, "D.");
done:
    surety_contract_free(contract);
}

/* An object of `count` properties, required or not, nested `depth` deep, with
 * an enum of `choices` values. */
static void write_wide(surety_buf *out, size_t count, bool required,
                       size_t depth, size_t choices)
{
    surety_buf_text(out, "{\"type\":\"object\",\"additionalProperties\":false");
    for (size_t i = 1; i < depth; i++)
        surety_buf_text(out, ",\"required\":[\"d\"],\"properties\":{\"d\":"
                             "{\"type\":\"object\","
                             "\"additionalProperties\":false");
    surety_buf_text(out, ",\"properties\":{\"p\":{\"type\":\"integer\"");
    for (size_t i = 0; i < choices; i++) {
        surety_buf_text(out, i ? "," : ",\"enum\":[");
        surety_buf_number(out, i);
    }
    surety_buf_text(out, choices ? "]}" : "}");
    for (size_t i = 1; i < count; i++) {
        surety_buf_text(out, ",\"p");
        surety_buf_number(out, i);
        surety_buf_text(out, "\":{\"type\":\"string\"}");
    }
    surety_buf_text(out, "},\"required\":[\"p\"");
    for (size_t i = 1; i < count && required; i++) {
        surety_buf_text(out, ",\"p");
        surety_buf_number(out, i);
        surety_buf_byte(out, '"');
    }
    surety_buf_text(out, "]}");
    for (size_t i = 1; i < depth; i++)
        surety_buf_text(out, "}}");
}

TEST(limits_at_their_edges)
{
    static const struct {
        surety_subset subset;
        size_t count, depth, choices;
        bool required, possible;
    } rows[] = {
        {SURETY_SUBSET_OPENAI, 4999, 1, 0, true, true},
        {SURETY_SUBSET_OPENAI, 5000, 1, 0, true, true},
        {SURETY_SUBSET_OPENAI, 5001, 1, 0, true, false},
        {SURETY_SUBSET_OPENAI, 1, 9, 0, true, true},
        {SURETY_SUBSET_OPENAI, 1, 10, 0, true, true},
        {SURETY_SUBSET_OPENAI, 1, 11, 0, true, false},
        {SURETY_SUBSET_OPENAI, 1, 1, 999, true, true},
        {SURETY_SUBSET_OPENAI, 1, 1, 1000, true, true},
        {SURETY_SUBSET_OPENAI, 1, 1, 1001, true, false},
        {SURETY_SUBSET_ANTHROPIC, 24, 1, 0, false, true},
        {SURETY_SUBSET_ANTHROPIC, 25, 1, 0, false, true},
        {SURETY_SUBSET_ANTHROPIC, 26, 1, 0, false, false},
        {SURETY_SUBSET_GEMINI, 6000, 12, 1001, false, true},
    };
    surety_buf text;
    surety_contract *contract = NULL;
    const surety_strict *strict = NULL;

    surety_buf_init(&text, NULL, 0);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        surety_buf_reset(&text);
        write_wide(&text, rows[i].count, rows[i].required, rows[i].depth,
                   rows[i].choices);
        CHECK(text.status == SURETY_OK);
        EXPECT(SURETY_OK, surety_contract_read(surety_buf_str(&text), NULL,
                                               &contract, NULL));
        EXPECT(SURETY_OK,
               surety_strict_of(contract, rows[i].subset, &strict, NULL));
        CHECK((surety_strict_info_of(strict)->support !=
               SURETY_STRICT_IMPOSSIBLE) == rows[i].possible);
        surety_contract_free(contract);
        strict = NULL;
        contract = NULL;
    }
done:
    surety_buf_done(&text);
    surety_contract_free(contract);
}

/* Names and values of 120,000 characters together; an enum of more than 250
 * values has 15,000 at most. */
TEST(text_at_its_edge)
{
    static const struct {
        size_t count, len, more; /* values, characters of each, of the name */
        bool possible;
    } rows[] = {
        {1, 119998, 1, true}, {1, 119999, 1, true},  {1, 120000, 1, false},
        {1, 119998, 2, true}, {1, 119999, 2, false}, {250, 100, 1, true},
        {251, 59, 1, true},   {251, 60, 1, false},   {300, 50, 1, true},
        {300, 51, 1, false},
    };
    surety_buf text;
    surety_contract *contract = NULL;
    const surety_strict *strict = NULL;

    surety_buf_init(&text, NULL, 0);
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        surety_buf_reset(&text);
        surety_buf_text(&text, "{\"type\":\"object\",\"properties\":{\"");
        for (size_t j = 0; j < rows[i].more; j++)
            surety_buf_byte(&text, 'p');
        surety_buf_text(&text, "\":{\"type\":\"string\",\"enum\":[");
        for (size_t j = 0; j < rows[i].count; j++) {
            surety_buf_text(&text, j ? ",\"" : "\"");
            for (size_t k = 3; k < rows[i].len; k++)
                surety_buf_byte(&text, 'v');
            surety_buf_number(&text, 100 + j);
            surety_buf_byte(&text, '"');
        }
        surety_buf_text(&text, "]}}}");
        EXPECT(SURETY_OK, surety_contract_read(surety_buf_str(&text), NULL,
                                               &contract, NULL));
        EXPECT(SURETY_OK,
               surety_strict_of(contract, SURETY_SUBSET_OPENAI, &strict, NULL));
        if ((surety_strict_info_of(strict)->support !=
             SURETY_STRICT_IMPOSSIBLE) != rows[i].possible)
            printf("# row %d\n", (int)i);
        CHECK((surety_strict_info_of(strict)->support !=
               SURETY_STRICT_IMPOSSIBLE) == rows[i].possible);
        surety_contract_free(contract);
        strict = NULL;
        contract = NULL;
    }
done:
    surety_buf_done(&text);
    surety_contract_free(contract);
}

/* Anthropic takes sixteen values of more than one type: lists of types and
 * branches are both. */
TEST(unions_at_their_edge)
{
    static const char *const unions[] = {
        "{\"type\":[\"string\",\"null\"]}",
        "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"integer\"}]}"};
    surety_buf text;
    surety_contract *contract = NULL;
    const surety_strict *strict = NULL;

    surety_buf_init(&text, NULL, 0);
    for (size_t count = 15; count <= 17; count++) {
        surety_buf_reset(&text);
        surety_buf_text(&text, "{\"type\":\"object\",\"properties\":{");
        for (size_t i = 0; i < count; i++)
            surety__buf_printf(&text, "%s\"p%d\":%s", i ? "," : "", (int)i,
                               unions[i % 2]);
        surety_buf_text(&text, "},\"additionalProperties\":false}");
        EXPECT(SURETY_OK, surety_contract_read(surety_buf_str(&text), NULL,
                                               &contract, NULL));
        EXPECT(SURETY_OK, surety_strict_of(contract, SURETY_SUBSET_ANTHROPIC,
                                           &strict, NULL));
        CHECK((surety_strict_info_of(strict)->support !=
               SURETY_STRICT_IMPOSSIBLE) == (count <= 16));
        surety_contract_free(contract);
        strict = NULL;
        contract = NULL;
    }
done:
    surety_buf_done(&text);
    surety_contract_free(contract);
}

/* Unions beside each other, with so many branches each. */
static void unions_write(surety_buf *out, size_t unions, size_t branches,
                         const char *before, const char *after)
{
    surety_buf_text(out, "{\"allOf\":[");
    for (size_t i = 0; i < unions; i++) {
        surety_buf_text(out, i ? ",{\"anyOf\":[" : "{\"anyOf\":[");
        for (size_t j = 0; j < branches; j++) {
            surety_buf_text(out, j ? "," : "");
            surety_buf_text(out, before);
            surety_buf_number(out, i * 1000 + j);
            surety_buf_text(out, after);
        }
        surety_buf_text(out, "]}");
    }
    surety_buf_text(out, "]}");
}

TEST(what_grows_too_large_is_a_limit)
{
    surety_buf text;
    surety_contract *contract = NULL;
    const surety_strict *strict = NULL;
    surety_error error;

    /* 100,000 conjunctions */
    surety_buf_init(&text, NULL, 0);
    unions_write(&text, 5, 10, "{\"required\":[\"a", "\"]}");
    EXPECT(SURETY_OK,
           surety_contract_read(surety_buf_str(&text), NULL, &contract, NULL));
    for (int again = 0; again < 2; again++) {
        EXPECT(SURETY_LIMIT, surety_strict_of(contract, SURETY_SUBSET_OPENAI,
                                              &strict, &error));
        CHECK_TEXT(surety_str_of(error.message),
                   "the schema grows too large for OpenAI's strict mode when "
                   "references and unions are written out");
        CHECK_TEXT(surety_str_of(error.hint),
                   "use fewer unions beside each other");
        CHECK(strict == NULL);
    }
done:
    surety_buf_done(&text);
    surety_contract_free(contract);
}

/* Each branch of a union has those of the unions beside it. The limit comes by
 * steps before it would by nodes, after seconds and half a gigabyte. */
TEST(what_takes_too_many_steps_is_a_limit)
{
    struct meter meter = {.now = 0};
    const surety_alloc alloc = {meter_resize, &meter};
    const surety_contract_options options = {.size = sizeof(options),
                                             .alloc = &alloc};
    surety_contract *contract = NULL;
    const surety_strict *strict = NULL;
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    unions_write(&text, 200, 40, "{\"properties\":{\"a",
                 "\":{\"type\":\"string\"}}}");
    EXPECT(SURETY_OK, surety_contract_read(surety_buf_str(&text), &options,
                                           &contract, NULL));
    EXPECT(SURETY_LIMIT,
           surety_strict_of(contract, SURETY_SUBSET_OPENAI, &strict, NULL));
    CHECK(meter.peak < (size_t)64 << 20);
done:
    surety_buf_done(&text);
    surety_contract_free(contract);
    CHECK(meter.now == 0);
}

/* Subschemas that hold now and then are words, however many there are. */
TEST(many_conditions_are_no_matter)
{
    surety_contract *contract = NULL;
    surety_buf text;

    surety_buf_init(&text, check_alloc(t), 0);
    surety_buf_text(&text, "{\"type\":\"object\",\"dependentSchemas\":{");
    for (unsigned i = 0; i < 70; i++)
        surety__buf_printf(&text, "%s\"k%u\":{\"minProperties\":2}",
                           i ? "," : "", i);
    surety_buf_text(&text, "},\"properties\":{\"a\":{\"type\":\"string\"}}}");
    surety_buf_byte(&text, '\0');
    TRY(text.status);
    TRY(read_text(t, text.ptr, &contract));
    for (int i = 0; i <= SURETY_SUBSET_GRAMMAR; i++) {
        const surety_strict *strict = NULL;
        surety_strict_support support;

        TRY(surety_strict_of(contract, (surety_subset)i, &strict, NULL));
        support = surety_strict_info_of(strict)->support;
        CHECK(support == SURETY_STRICT_REWRITTEN);
    }
done:
    surety_buf_done(&text);
    surety_contract_free(contract);
}

TEST(restores_without_memory_to_spare)
{
    surety_contract *contract = NULL;
    const surety_strict *strict = NULL;
    surety_doc *from = surety_doc_new(check_alloc(t));
    surety_doc *out = surety_doc_new(check_alloc(t));
    surety_buf text;

    surety_buf_init(&text, NULL, 0);
    NEED(from);
    NEED(out);
    TRY(read_text(t,
                  "{\"type\":\"object\",\"properties\":{\"a\":{},\"m\":"
                  "{\"type\":\"object\",\"additionalProperties\":"
                  "{\"type\":\"integer\"}},\"o\":{\"type\":\"string\"}}}",
                  &contract));
    TRY(surety_strict_of(contract, SURETY_SUBSET_OPENAI, &strict, NULL));
    TRY(surety_doc_read(
        from,
        surety_str_of("{\"a\":[\"[1]\",{\"additional_properties\":[]"
                      "}],\"m\":{\"additional_properties\":[{\"key\":"
                      "\"k\",\"value\":2}]},\"o\":null}"),
        NULL, NULL));
    TRY(surety_strict_restore(strict, surety_doc_root(from), out, NULL));
    surety_val_write(surety_doc_root(out), SURETY_STYLE_COMPACT, &text);
    CHECK_TEXT(surety_buf_str(&text), "{\"a\":[\"[1]\",{}],\"m\":{\"k\":2}}");
    EXPECT(SURETY_MISUSE,
           surety_strict_restore(strict, surety_doc_root(from), from, NULL));
done:
    surety_buf_done(&text);
    surety_doc_free(from);
    surety_doc_free(out);
    surety_contract_free(contract);
}

static const char strict_open[] =
    "{\"type\":\"object\",\"required\":[\"any\",\"rows\",\"t\"],"
    "\"properties\":{\"any\":{},\"rows\":{\"type\":\"array\"},\"t\":{"
    "\"type\":\"array\",\"prefixItems\":[{\"type\":\"string\"},{}],"
    "\"items\":{\"type\":\"integer\"}},\"o\":{\"type\":\"string\"},\"m\":{"
    "\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}},"
    "\"additionalProperties\":false}";

static const char *const strict_values[] = {
    ("{\"any\":{\"a\":[1,-0,1.50,\"06\"],\"b\":{}},\"rows\":[[\"Texas\","
     "29145505,null]],\"t\":[\"x\",\"[1]\",12,3],\"m\":{\"k\":\"v\","
     "\"additional_properties\":\"\"}}"),
    ("{\"any\":\"null\",\"rows\":[{\"key\":\"a\",\"value\":true},[]],"
     "\"t\":[],\"o\":\"\\u00e9\\n\",\"m\":{}}"),
    "{\"any\":null,\"rows\":[],\"t\":[\"\",{}]}",
};

static bool is_beginning(surety_str part, surety_str whole)
{
    if (part.len && part.ptr[part.len - 1] == ',')
        part.len--;
    return part.len <= whole.len && memcmp(part.ptr, whole.ptr, part.len) == 0;
}

/* Delivered and restored a value is the same, and each beginning of it is
 * restored to a beginning of it, but for those that end within a key. */
static surety_status comes_back(struct check *t, const surety_strict *strict,
                                const char *value)
{
    surety_doc *given = surety_doc_new(check_alloc(t));
    surety_doc *sent = surety_doc_new(check_alloc(t));
    surety_doc *back = surety_doc_new(check_alloc(t));
    surety_buf text, whole, part;

    surety_buf_init(&text, check_alloc(t), 0);
    surety_buf_init(&whole, check_alloc(t), 0);
    surety_buf_init(&part, check_alloc(t), 0);
    NEED(given);
    NEED(sent);
    NEED(back);
    TRY(surety_doc_read(given, surety_str_of(value), NULL, NULL));
    TRY(surety_strict_deliver(strict, surety_doc_root(given), sent, NULL));
    TRY(surety_strict_restore(strict, surety_doc_root(sent), back, NULL));
    CHECK(surety_val_equal(surety_doc_root(back), surety_doc_root(given)));
    TRY(surety_val_write(surety_doc_root(sent), SURETY_STYLE_COMPACT, &text));
    TRY(surety_val_write(surety_doc_root(back), SURETY_STYLE_COMPACT, &whole));
    for (size_t len = t->fail_at ? text.len : 1; len <= text.len; len++) {
        const surety_str came = {text.ptr, len};

        surety_buf_reset(&part);
        TRY(surety_strict_restore_part(strict, came, NULL, &part, NULL));
        if (!is_beginning(surety_buf_str(&part), surety_buf_str(&whole)))
            printf("# %.*s\n# %.*s\n", (int)len, text.ptr, (int)part.len,
                   part.ptr);
        CHECK(is_beginning(surety_buf_str(&part), surety_buf_str(&whole)));
    }
    CHECK(part.len == whole.len);
done:
    surety_buf_done(&text);
    surety_buf_done(&whole);
    surety_buf_done(&part);
    surety_doc_free(given);
    surety_doc_free(sent);
    surety_doc_free(back);
    return t->failed ? SURETY_MISUSE : SURETY_OK;
}

TEST(comes_back_from_any_beginning)
{
    surety_contract *contract = NULL;
    const surety_strict *strict = NULL;

    TRY(read_text(t, strict_open, &contract));
    TRY(surety_strict_of(contract, SURETY_SUBSET_OPENAI, &strict, NULL));
    CHECK(surety_strict_info_of(strict)->changes_values);
    for (size_t i = 0; i < CHECK_COUNT(strict_values) && !t->starved; i++)
        CHECK(comes_back(t, strict, strict_values[i]) == SURETY_OK);
done:
    surety_contract_free(contract);
}

/* The two ways in which each scalar of an open place can be read. */
TEST(ways_at_their_edge)
{
    surety_contract *contract = NULL;
    const surety_strict *strict = NULL;
    surety_doc *from = surety_doc_new(NULL);
    surety_doc *out = surety_doc_new(NULL);
    surety_error error;
    surety_buf text;

    /* The root, its branch and the array before 499,998 items. */
    surety_buf_init(&text, NULL, 0);
    surety_buf_text(&text, "{\"value\":[0");
    for (size_t i = 1; i < 499998; i++)
        surety_buf_text(&text, ",0");
    surety_buf_text(&text, "]}");
    EXPECT(SURETY_OK,
           surety_contract_read(surety_str_of("{\"type\":\"array\"}"), NULL,
                                &contract, NULL));
    EXPECT(SURETY_OK,
           surety_strict_of(contract, SURETY_SUBSET_OPENAI, &strict, NULL));
    for (int more = 0; more < 2; more++) {
        EXPECT(SURETY_OK,
               surety_doc_read(from, surety_buf_str(&text), NULL, NULL));
        EXPECT(
            more ? SURETY_LIMIT : SURETY_OK,
            surety_strict_restore(strict, surety_doc_root(from), out, &error));
        text.len -= 2;
        surety_buf_text(&text, ",0,0]}");
    }
done:
    surety_buf_done(&text);
    surety_doc_free(from);
    surety_doc_free(out);
    surety_contract_free(contract);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"built-in contracts fit every subset", builtins_fit},
        {"awkward schemas fit every subset", awkward_schemas_fit},
        {"what everybody takes is kept", what_everybody_takes_is_kept},
        {"asks for what it needs", asks_for_what_it_needs},
        {"names are what providers take", names_are_what_providers_take},
        {"limits at their edges", limits_at_their_edges},
        {"text at its edge", text_at_its_edge},
        {"unions at their edge", unions_at_their_edge},
        {"what grows too large is a limit", what_grows_too_large_is_a_limit},
        {"what takes too many steps is a limit",
         what_takes_too_many_steps_is_a_limit},
        {"many conditions are no matter", many_conditions_are_no_matter},
        {"comes back, from any beginning too", comes_back_from_any_beginning},
        {"ways to read a value, at their edge", ways_at_their_edge},
        {"restores without memory to spare", restores_without_memory_to_spare},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
