/* SPDX-License-Identifier: Apache-2.0 */
/* What surely holds of a structured value before it is restored: whatever the
 * provider delivers, if the restored value satisfies the contract, then the
 * delivered one satisfies what was derived from it. Values are made by chance
 * after the schema that is sent, with faults, so that both happen. */
#include "check.h"

#include <surety/reply.h>
#include <surety/strict.h>

#include <stdlib.h>

#define PERSON                                                                 \
    "\"type\":\"object\",\"required\":[\"name\"],\"properties\":{"             \
    "\"name\":{\"type\":\"string\",\"minLength\":1},"                          \
    "\"age\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":9},"              \
    "\"kind\":{\"enum\":[\"a\",\"b\"]},"                                       \
    "\"tags\":{\"type\":\"array\",\"maxItems\":2,\"items\":{"                  \
    "\"type\":\"string\",\"maxLength\":2}}},\"additionalProperties\":false"

static const char *const loose_contracts[] = {
    "{" PERSON "}",
    "{\"type\":\"object\",\"properties\":{\"who\":{\"$ref\":\"#/$defs/p\"},"
    "\"all\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/p\"}}},"
    "\"$defs\":{\"p\":{" PERSON "}},\"maxProperties\":1}",
    /* Lists of pairs, any value, tuples, another root. */
    "{\"type\":\"object\",\"required\":[\"map\"],\"properties\":{\"map\":{"
    "\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}},"
    "\"any\":{},\"pair\":{\"type\":\"array\",\"prefixItems\":[{\"type\":"
    "\"integer\"},{\"type\":\"string\"}],\"items\":false},\"n\":{\"type\":"
    "\"integer\",\"minimum\":1}}}",
    "{\"type\":\"array\",\"items\":{" PERSON "},\"maxItems\":2}",
    "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\","
    "\"minimum\":1}}",
    /* Unions, and what depends on what is there. */
    "{\"type\":\"object\",\"required\":[\"u\"],\"properties\":{\"u\":{"
    "\"anyOf\":[{\"type\":\"integer\",\"minimum\":2},{" PERSON "}]},"
    "\"a\":{\"type\":\"string\"},\"b\":{\"type\":[\"string\",\"null\"]}},"
    "\"dependentRequired\":{\"a\":[\"b\"]},\"additionalProperties\":false}",
    "{\"oneOf\":[{" PERSON "},{\"type\":\"object\",\"required\":[\"id\"],"
    "\"properties\":{\"id\":{\"type\":\"integer\"},\"o\":{\"type\":"
    "\"string\"}}}]}",
    "{\"allOf\":[{" PERSON "},{\"type\":\"object\",\"properties\":{\"name\":{"
    "\"maxLength\":2},\"age\":{\"not\":{\"const\":3}}}}]}",
    "{\"type\":\"object\",\"properties\":{\"e\":{\"enum\":[{\"x\":1},{},null,"
    "\"t\"]},\"c\":{\"const\":{}},\"d\":{\"type\":\"object\",\"properties\":{"
    "\"x\":{\"type\":\"integer\"}},\"minProperties\":1,\"maxProperties\":1}},"
    "\"patternProperties\":{\"^x-\":{\"type\":\"integer\"}},"
    "\"additionalProperties\":false}",
    "{\"type\":\"object\",\"properties\":{\"next\":{\"$ref\":\"#\"},\"v\":{"
    "\"type\":\"integer\",\"maximum\":5}},\"additionalProperties\":false}",
    "true",
};

enum { LOOSE_ROUNDS = 1500, LOOSE_DEEP = 6 };

static uint64_t loose_dice(uint64_t *state, uint64_t count)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % count;
}

static surety_val loose_follow(surety_val root, surety_val schema)
{
    surety_str pointer = surety_val_str(surety_val_get(schema, "$ref"));

    if (!pointer.len)
        return schema;
    pointer.ptr++;
    pointer.len--;
    return surety_val_at(root, pointer);
}

static void loose_any(uint64_t *state, surety_buf *out)
{
    static const char *const values[] = {"null",
                                         "true",
                                         "0",
                                         "3",
                                         "7",
                                         "12",
                                         "\"\"",
                                         "{}",
                                         "[]",
                                         "\"a\"",
                                         "\"{}\"",
                                         "[{\"key\":\"k\",\"value\":1}]",
                                         "1.5",
                                         "{\"name\":\"n\"}",
                                         "{\"x\":null}",
                                         "\"long text\""};

    surety_buf_text(
        out, values[loose_dice(state, sizeof(values) / sizeof(*values))]);
}

static void loose_make(uint64_t *state, surety_val root, surety_val schema,
                       int depth, surety_buf *out);

static void loose_make_object(uint64_t *state, surety_val root,
                              surety_val schema, int depth, surety_buf *out)
{
    const surety_val names = surety_val_get(schema, "properties");
    char before = '{';

    for (surety_val member = surety_val_first(names); member.doc;
         member = surety_val_next(names, member)) {
        if (!loose_dice(state, 5))
            continue;
        surety_buf_byte(out, before);
        (void)surety_val_write(surety_val_key(member), SURETY_STYLE_COMPACT,
                               out);
        surety_buf_byte(out, ':');
        loose_make(state, root, member, depth + 1, out);
        before = ',';
    }
    if (!loose_dice(state, 12)) {
        surety_buf_byte(out, before);
        surety_buf_text(out, loose_dice(state, 2) ? "\"x-1\":" : "\"zz\":");
        loose_any(state, out);
        before = ',';
    }
    surety_buf_text(out, before == '{' ? "{}" : "}");
}

/* A value that the schema wants, but for accidents. Tests may recurse. */
static void loose_make(uint64_t *state, surety_val root, surety_val schema,
                       int depth, surety_buf *out)
{
    surety_val type, choices;

    schema = loose_follow(root, schema);
    choices = surety_val_get(schema, "anyOf");
    if (choices.doc) {
        loose_make(state, root,
                   surety_val_item(
                       choices, loose_dice(state, surety_val_count(choices))),
                   depth, out);
        return;
    }
    type = surety_val_get(schema, "type");
    if (surety_val_kind(type) == SURETY_KIND_ARRAY)
        type = surety_val_item(type, loose_dice(state, surety_val_count(type)));
    choices = surety_val_get(schema, "enum");
    if (depth > LOOSE_DEEP || !loose_dice(state, 25))
        loose_any(state, out);
    else if (choices.doc)
        (void)surety_val_write(
            surety_val_item(choices,
                            loose_dice(state, surety_val_count(choices))),
            SURETY_STYLE_COMPACT, out);
    else if (surety_val_is(type, "object"))
        loose_make_object(state, root, schema, depth, out);
    else if (surety_val_is(type, "array")) {
        const uint64_t count = loose_dice(state, 4);

        surety_buf_byte(out, '[');
        for (uint64_t i = 0; i < count; i++) {
            surety_buf_text(out, i ? "," : "");
            loose_make(state, root, surety_val_get(schema, "items"), depth + 1,
                       out);
        }
        surety_buf_byte(out, ']');
    } else if (surety_val_is(type, "string"))
        surety_buf_text(out, loose_dice(state, 2)   ? "\"a\""
                             : loose_dice(state, 2) ? "\"{\\\"x\\\":1}\""
                                                    : "\"abc\"");
    else if (surety_val_is(type, "integer") || surety_val_is(type, "number"))
        surety_buf_number(out, loose_dice(state, 11));
    else if (surety_val_is(type, "null"))
        surety_buf_text(out, "null");
    else
        loose_any(state, out);
}

static surety_status loose_valid(surety_judge *judge,
                                 const surety_contract *contract,
                                 surety_str value, bool *ret_valid)
{
    static const surety_extract whole = {
        .size = sizeof(whole), .from = {SURETY_PLACE_WHOLE}, .from_count = 1};
    const surety_judge_options options = {
        .size = sizeof(options), .extract = &whole, .no_fallback = true};
    const surety_outcome *outcome = NULL;
    const surety_status status =
        surety_judge_reply(judge, contract, value, &options, &outcome, NULL);

    if (status == SURETY_OK)
        *ret_valid = surety_outcome_info_of(outcome)->ok;
    return status;
}

struct loose_bench {
    surety_judge *judge;
    surety_doc *raw, *restored;
    surety_buf text, back;
    size_t valid, refused, broken;
};

/* One value: the law, and how it went. */
static surety_status loose_round(struct loose_bench *bench,
                                 const surety_contract *contract,
                                 const surety_contract *loose,
                                 const surety_strict *strict, uint64_t *state)
{
    const surety_val sent = surety_strict_info_of(strict)->schema;
    bool valid = false, kept = false;
    surety_status status;

    surety_buf_reset(&bench->text);
    surety_buf_reset(&bench->back);
    loose_make(state, sent, sent, 0, &bench->text);
    if (bench->text.status != SURETY_OK)
        return bench->text.status;
    status =
        surety_doc_read(bench->raw, surety_buf_str(&bench->text), NULL, NULL);
    if (status == SURETY_OK)
        status = surety_strict_restore(strict, surety_doc_root(bench->raw),
                                       bench->restored, NULL);
    if (status == SURETY_SYNTAX)
        return SURETY_OK; /* refused by itself */
    if (status == SURETY_OK)
        status = surety_val_write(surety_doc_root(bench->restored),
                                  SURETY_STYLE_COMPACT, &bench->back);
    if (status == SURETY_OK)
        status = loose_valid(bench->judge, contract,
                             surety_buf_str(&bench->back), &valid);
    if (status == SURETY_OK)
        status = loose_valid(bench->judge, loose, surety_buf_str(&bench->text),
                             &kept);
    if (status != SURETY_OK)
        return status;
    bench->valid += valid;
    bench->refused += !kept;
    if (valid && !kept && !bench->broken++)
        printf("# %.*s, restored as %.*s\n", (int)bench->text.len,
               bench->text.ptr, (int)bench->back.len, bench->back.ptr);
    return SURETY_OK;
}

static void loose_try(struct check *t, struct loose_bench *bench,
                      const char *text, surety_subset subset)
{
    const size_t rounds = t->fail_at ? 1 : LOOSE_ROUNDS;
    const surety_contract *loose = NULL;
    surety_contract *contract = NULL;
    const surety_strict *strict = NULL;
    uint64_t state = 1;

    TRY(check_contract(t, text, &contract));
    TRY(surety_strict_of(contract, subset, &strict, NULL));
    if (surety_strict_info_of(strict)->support == SURETY_STRICT_IMPOSSIBLE)
        goto done;
    TRY(surety_strict_delivered(strict, &loose, NULL));
    for (size_t i = 0; i < rounds; i++)
        TRY(loose_round(bench, contract, loose, strict, &state));
done:
    surety_contract_free(contract);
}

TEST(refuses_only_what_restoring_does_not_repair)
{
    struct loose_bench bench = {.valid = 0};

    bench.judge = surety_judge_new(check_alloc(t), NULL);
    bench.raw = surety_doc_new(check_alloc(t));
    bench.restored = surety_doc_new(check_alloc(t));
    surety_buf_init(&bench.text, check_alloc(t), 0);
    surety_buf_init(&bench.back, check_alloc(t), 0);
    TRY(bench.judge && bench.raw && bench.restored ? SURETY_OK : SURETY_NOMEM);
    for (size_t i = 0; i < CHECK_COUNT(loose_contracts); i++)
        for (int subset = 0; subset <= SURETY_SUBSET_GRAMMAR; subset++)
            loose_try(t, &bench, loose_contracts[i], (surety_subset)subset);
    CHECK(bench.broken == 0);
    /* Both happen, or nothing was tested. */
    CHECK(t->fail_at || (bench.valid > 1000 && bench.refused > 1000));
done:
    surety_judge_free(bench.judge);
    surety_doc_free(bench.raw);
    surety_doc_free(bench.restored);
    surety_buf_done(&bench.text);
    surety_buf_done(&bench.back);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"refuses only what restoring does not repair",
         refuses_only_what_restoring_does_not_repair},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
