/* SPDX-License-Identifier: Apache-2.0 */
/* A check takes steps in proportion to subschemas × values, however ambiguous a
 * schema is; and what it remembers changes no result. */
#include "check.h"

#include "schema/schema.h"

/* Large inputs are allocated from libc: they are not run again for every
 * allocation that fails.
 *
 * Subschemas that refer to each other, made from a seed. */
enum { DEFINITIONS = 12, SEEDS = 60, STEPS = 8 };

static unsigned next_random(uint64_t *seed, unsigned below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*seed >> 33) % below;
}

/* One branch of definition i. What applies to the same value comes later in the
 * list, so that there is no circle. */
static void write_branch(surety_buf *out, uint64_t *seed, unsigned i)
{
    const unsigned later = i + 1 + next_random(seed, DEFINITIONS - i);
    const unsigned a = next_random(seed, DEFINITIONS);
    const unsigned b = next_random(seed, DEFINITIONS);

    switch (next_random(seed, 8)) {
    case 0: surety_buf_text(out, "{\"type\":\"integer\"}"); return;
    case 1:
        surety__buf_printf(out, "{\"$ref\":\"#/$defs/d%u\"}", later);
        return;
    case 2:
        surety__buf_printf(out, "{\"not\":{\"$ref\":\"#/$defs/d%u\"}}", later);
        return;
    case 3:
        surety__buf_printf(out,
                           "{\"type\":\"array\",\"items\":"
                           "{\"$ref\":\"#/$defs/d%u\"}}",
                           a);
        return;
    case 4:
        surety__buf_printf(out,
                           "{\"if\":{\"$ref\":\"#/$defs/d%u\"},\"then\":"
                           "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/d%u\"}}"
                           "}}",
                           later, b);
        return;
    default:
        surety__buf_printf(out,
                           "{\"type\":\"object\",\"properties\":{\"a\":"
                           "{\"$ref\":\"#/$defs/d%u\"},\"b\":"
                           "{\"$ref\":\"#/$defs/d%u\"}},\"required\":[\"a\"]}",
                           a, b);
    }
}

static void write_schema(surety_buf *out, uint64_t *seed)
{
    static const char *const keywords[] = {"anyOf", "oneOf", "anyOf", "allOf"};

    surety_buf_reset(out);
    surety_buf_text(out, "{\"$ref\":\"#/$defs/d0\",\"$defs\":{");
    for (unsigned i = 0; i < DEFINITIONS; i++) {
        surety__buf_printf(out, "\"d%u\":{\"%s\":[", i,
                           keywords[next_random(seed, 4)]);
        for (unsigned k = 0; k < 3; k++) {
            surety_buf_text(out, k ? "," : "");
            write_branch(out, seed, i);
        }
        surety_buf_text(out, "]},");
    }
    surety__buf_printf(out, "\"d%u\":{\"type\":\"string\"}}}", DEFINITIONS);
}

/* A value so deep; wide where each object has two members. */
static void write_value(surety_buf *out, uint64_t *seed, unsigned depth,
                        bool wide)
{
    static const char *const ends[] = {"1", "\"x\"", "null", "[]"};

    surety_buf_reset(out);
    for (unsigned i = 0; i < depth; i++)
        surety_buf_text(out, wide ? "{\"b\":[1,{\"a\":1}],\"a\":" : "{\"a\":");
    surety_buf_text(out, ends[next_random(seed, 4)]);
    for (unsigned i = 0; i < depth; i++)
        surety_buf_byte(out, '}');
}

/* The result with so much work, and so much that may be remembered. */
static surety_status result_of(const surety_schema *schema,
                               const surety_doc *doc, uint32_t memo_max,
                               uint64_t work, bool *ret_valid)
{
    surety_limits limits = {.size = sizeof(limits), .memo_max = memo_max};
    surety_checker *checker = surety_checker_new(NULL, &limits);
    surety_status status = SURETY_NOMEM;

    if (checker)
        status = surety__shape_check(checker, schema, schema->root,
                                     surety_doc_root(doc), &work, ret_valid);
    surety_checker_free(checker);
    return status;
}

static void seed_holds(struct check *t, uint64_t seed, unsigned depth,
                       bool wide)
{
    surety_doc *doc = surety_doc_new(NULL);
    surety_schema *schema = NULL;
    bool expected = false, valid = true;
    surety_buf text;
    surety_status status;
    uint64_t work;

    surety_buf_init(&text, NULL, 0);
    NEED(doc);
    write_schema(&text, &seed);
    TRY(text.status);
    TRY(surety_schema_read(surety_buf_str(&text), NULL, &schema, NULL));
    write_value(&text, &seed, depth, wide);
    TRY(text.status);
    TRY(surety_doc_read(doc, surety_buf_str(&text), NULL, NULL));
    work = (uint64_t)STEPS * schema->shape_count * doc->cell_count + 5000 +
           (uint64_t)64 * doc->cell_count;
    status = result_of(schema, doc, 0, work, &valid);
    if (status)
        printf("# depth %u: %s\n", depth, surety_status_name(status));
    TRY(status);
    if (depth > 12)
        goto done;
    TRY(result_of(schema, doc, 1, (uint64_t)1 << 40, &expected));
    CHECK(valid == expected);
done:
    surety_buf_done(&text);
    surety_schema_free(schema);
    surety_doc_free(doc);
}

TEST(steps_are_in_proportion_to_subschemas_and_values)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        seed_holds(t, seed, 6, true);
        seed_holds(t, seed, 10, false);
        seed_holds(t, seed, 150, false);
        seed_holds(t, seed, 150, true);
        if (t->failed || t->starved) {
            printf("# seed %u\n", (unsigned)seed);
            return;
        }
    }
}

/* Each level may be one branch or the other, and the innermost value is
 * neither. */
TEST(an_ambiguous_recursion_ends)
{
    static const char ambiguous[] =
        "{\"anyOf\":[{\"properties\":{\"a\":{\"$ref\":\"#\"}},"
        "\"required\":[\"a\"]},{\"properties\":{\"a\":{\"$ref\":\"#\"},"
        "\"b\":{}},\"required\":[\"a\"]}],\"type\":\"object\"}";
    surety_schema_options options = {.size = sizeof(options),
                                     .alloc = check_alloc(t)};
    surety_checker *checker = surety_checker_new(check_alloc(t), NULL);
    surety_findings *findings = surety_findings_new(check_alloc(t));
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_schema *schema = NULL;
    bool valid = true;
    uint64_t seed = 1;
    surety_buf text;

    surety_buf_init(&text, check_alloc(t), 0);
    NEED(checker);
    NEED(findings);
    NEED(doc);
    TRY(surety_schema_read(surety_str_of(ambiguous), &options, &schema, NULL));
    write_value(&text, &seed, 200, false);
    TRY(text.status);
    TRY(surety_doc_read(doc, surety_buf_str(&text), NULL, NULL));
    for (int again = 0; again < 2; again++) {
        TRY(surety_checker_check(checker, schema, surety_doc_root(doc), &valid,
                                 NULL));
        CHECK(!valid);
    }
    TRY(surety_checker_report(checker, schema, surety_doc_root(doc), findings,
                              NULL));
    CHECK(surety_findings_count(findings) > 0);
done:
    surety_buf_done(&text);
    surety_schema_free(schema);
    surety_doc_free(doc);
    surety_findings_free(findings);
    surety_checker_free(checker);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"steps are in proportion to subschemas and values",
         steps_are_in_proportion_to_subschemas_and_values},
        {"an ambiguous recursion ends", an_ambiguous_recursion_ends},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
