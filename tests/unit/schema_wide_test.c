/* SPDX-License-Identifier: Apache-2.0 */
/* Unions of many branches: the result is that of trying each, and the work
 * grows as the value does, not with the number of branches. */
#include "check.h"

#include "schema/schema.h"

/* ---- unions -------------------------------------------------------------- */

enum { KINDS = 9, VALUES = 15 };

/* One branch of a kind. */
static void write_branch(surety_buf *out, unsigned kind, unsigned i)
{
    switch (kind) {
    case 0: surety__buf_printf(out, "{\"const\":\"v%u\"}", i); break;
    case 1:
        surety__buf_printf(out, "{\"enum\":[\"v%u\",\"v%u\",%u,[%u]]}", i,
                           i / 2, i / 3, i);
        break;
    case 2:
        surety__buf_printf(out,
                           "{\"type\":\"%s\",\"enum\":[\"v%u\",%u.0,null]}",
                           i % 3 ? "string" : "integer", i, i);
        break;
    case 3:
        surety__buf_printf(out,
                           "{\"properties\":{\"t\":{\"const\":\"v%u\"}},"
                           "\"required\":[\"t\"]}",
                           i);
        break;
    case 4:
        surety__buf_printf(out,
                           "{\"type\":\"object\",\"properties\":{\"t\":"
                           "{\"const\":\"v%u\"}}}",
                           i);
        break;
    case 5:
        surety__buf_printf(out,
                           "{\"properties\":{\"t\":{\"enum\":[\"v%u\",\"v%u\","
                           "\"v%u\"]},\"u\":{\"type\":\"%s\"}}}",
                           i / 2, i / 3, i / 2, i % 2 ? "integer" : "string");
        break;
    case 6:
        surety__buf_printf(
            out,
            "{\"type\":\"object\",\"required\":[\"a%u\",\"b%u\"],"
            "\"properties\":{\"a%u\":{\"type\":\"integer\"}}}",
            i, i / 3, i);
        break;
    case 7:
        surety__buf_printf(out, "{\"type\":\"object\",\"required\":[\"a%u\"]}",
                           i % 5);
        break;
    default:
        if (i % 5 == 0)
            surety__buf_printf(out, "{\"type\":\"string\",\"minLength\":%u}",
                               i % 7);
        else if (i % 40 == 1)
            surety_buf_text(out, "{\"required\":[\"u\"]}");
        else
            write_branch(out, 3, i);
    }
}

static void write_union(surety_buf *out, const char *keyword, unsigned kind,
                        unsigned count)
{
    surety_buf_reset(out);
    surety__buf_printf(out, "{\"%s\":[", keyword);
    for (unsigned i = 0; i < count; i++) {
        surety_buf_text(out, i ? "," : "");
        write_branch(out, kind, i);
    }
    surety_buf_text(out, "]}");
}

static void write_value(surety_buf *out, unsigned form, unsigned i)
{
    static const char *const forms[VALUES] = {"\"v%u\"",
                                              "%u",
                                              "[%u]",
                                              "{\"t\":\"v%u\"}",
                                              "{\"t\":%u}",
                                              "{\"t\":\"none\",\"a%u\":2}",
                                              "{\"a%u\":1}",
                                              "{\"a%u\":1,\"b1\":1,\"b2\":1}",
                                              "{\"a%u\":\"x\",\"b0\":1}",
                                              "{\"a%u\":1,\"a3\":1,\"b1\":1}",
                                              "{\"t\":\"v%u\",\"u\":1}",
                                              "{\"u\":\"x\",\"t\":\"v%u\"}",
                                              "{\"u\":%u}",
                                              "{}",
                                              "null"};
    char text[64];

    surety_buf_reset(out);
    (void)snprintf(text, sizeof(text), forms[form], i);
    surety_buf_text(out, text);
}

/* Whether the value satisfies the union as it does branch for branch. */
static bool agrees(surety_checker *checker, const surety_schema *schema,
                   surety_val val, surety_findings *findings,
                   surety_status *ret_status)
{
    const surety__applicator *all = schema->root->applicators;
    uint32_t hold = 0;
    bool valid = false, expected;

    for (uint32_t i = 0; i < all->count && !*ret_status; i++) {
        uint64_t work = 1000;
        bool holds = false;

        *ret_status = surety__shape_check(checker, schema, all->shapes[i], val,
                                          &work, &holds);
        hold += holds;
    }
    if (!*ret_status)
        *ret_status = surety_checker_check(checker, schema, val, &valid, NULL);
    surety__findings_reset(findings);
    if (!*ret_status)
        *ret_status =
            surety_checker_report(checker, schema, val, findings, NULL);
    expected = all->kind == APPLY_ANY ? hold > 0 : hold == 1;
    return *ret_status ||
           (valid == expected && valid == !surety_findings_count(findings));
}

static void union_holds(struct check *t, const char *keyword, unsigned kind,
                        unsigned count)
{
    surety_schema_options options = {.size = sizeof(options),
                                     .alloc = check_alloc(t)};
    surety_checker *checker = surety_checker_new(check_alloc(t), NULL);
    surety_findings *findings = surety_findings_new(check_alloc(t));
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_schema *schema = NULL;
    surety_buf text;

    surety_buf_init(&text, check_alloc(t), 0);
    NEED(checker);
    NEED(doc);
    NEED(findings);
    write_union(&text, keyword, kind, count);
    TRY(text.status);
    TRY(surety_schema_read(surety_buf_str(&text), &options, &schema, NULL));
    for (unsigned i = 0; i < count; i += 1 + count / 9)
        for (unsigned form = 0; form < VALUES; form++) {
            surety_status status = SURETY_OK;
            bool same;

            write_value(&text, form, i);
            TRY(text.status);
            TRY(surety_doc_read(doc, surety_buf_str(&text), NULL, NULL));
            same = agrees(checker, schema, surety_doc_root(doc), findings,
                          &status);
            TRY(status);
            if (!same)
                printf("# %s of %u, kind %u: %.*s\n", keyword, count, kind,
                       (int)text.len, text.ptr);
            CHECK(same);
        }
done:
    surety_buf_done(&text);
    surety_schema_free(schema);
    surety_doc_free(doc);
    surety_findings_free(findings);
    surety_checker_free(checker);
}

TEST(a_union_is_what_its_branches_are)
{
    static const unsigned counts[] = {2, 9, 64, 65, 130};

    for (unsigned kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < CHECK_COUNT(counts); i++) {
            union_holds(t, "anyOf", kind, counts[i]);
            union_holds(t, "oneOf", kind, counts[i]);
            if (t->failed || t->starved)
                return;
        }
}

/* The steps that it takes to check one value for each branch. */
static uint64_t work_of(struct check *t, const char *start, unsigned kind,
                        const char *form, unsigned count)
{
    surety_schema_options options = {.size = sizeof(options),
                                     .alloc = check_alloc(t)};
    surety_checker *checker = surety_checker_new(check_alloc(t), NULL);
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_schema *schema = NULL;
    const uint64_t most = (uint64_t)1 << 40;
    uint64_t left = most;
    bool valid = false;
    surety_buf text;

    surety_buf_init(&text, check_alloc(t), 0);
    NEED(checker);
    NEED(doc);
    surety_buf_text(&text, start);
    for (unsigned i = 0; i < count; i++) {
        surety_buf_text(&text, i ? "," : "");
        if (kind < KINDS)
            write_branch(&text, kind, i);
        else
            surety__buf_printf(&text, "\"v%u\"", i);
    }
    surety_buf_text(&text, "]}}");
    TRY(text.status);
    TRY(surety_schema_read(surety_buf_str(&text), &options, &schema, NULL));
    surety_buf_reset(&text);
    for (unsigned i = 0; i < count; i++) {
        char value[64];

        (void)snprintf(value, sizeof(value), form, i, i / 3);
        surety_buf_text(&text, i ? "," : "[");
        surety_buf_text(&text, value);
    }
    surety_buf_text(&text, "]");
    TRY(text.status);
    TRY(surety_doc_read(doc, surety_buf_str(&text), NULL, NULL));
    TRY(surety__shape_check(checker, schema, schema->root, surety_doc_root(doc),
                            &left, &valid));
    CHECK(valid);
done:
    surety_buf_done(&text);
    surety_schema_free(schema);
    surety_doc_free(doc);
    surety_checker_free(checker);
    return most - left;
}

TEST(work_grows_with_the_values)
{
    static const struct {
        const char *keyword;
        unsigned kind;
        const char *form;
    } cases[] = {
        {"anyOf", 0, "\"v%u\""},
        {"oneOf", 0, "\"v%u\""},
        {"anyOf", 3, "{\"t\":\"v%u\"}"},
        {"oneOf", 4, "{\"t\":\"v%u\"}"},
        {"anyOf", 6, "{\"a%u\":1,\"b%u\":1}"},
        {"oneOf", 6, "{\"a%u\":1,\"b%u\":1}"},
    };
    const uint64_t plain =
        work_of(t, "{\"items\":{\"enum\":[", KINDS, "\"v%u\"", 1000);

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        char start[64];
        uint64_t few, many;

        (void)snprintf(start, sizeof(start), "{\"items\":{\"%s\":[",
                       cases[i].keyword);
        few = work_of(t, start, cases[i].kind, cases[i].form, 100);
        many = work_of(t, start, cases[i].kind, cases[i].form, 1000);
        if (t->failed || t->starved)
            return;
        if (many > 11 * few)
            printf("# %s, kind %u: %u, %u\n", cases[i].keyword, cases[i].kind,
                   (unsigned)few, (unsigned)many);
        CHECK(many <= 11 * few);
        CHECK(cases[i].kind != 0 || many == plain);
    }
done:;
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"a union is what its branches are", a_union_is_what_its_branches_are},
        {"work grows with the values", work_grows_with_the_values},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
