/* SPDX-License-Identifier: Apache-2.0 */
/* Unions of many branches, objects with many patterns and dependents, and
 * arrays of different items: the result is that of trying each, and the work
 * grows as the value does, not with the number of branches, patterns or
 * dependents. */
#include "check.h"

#include "schema/schema.h"

/* ---- unions -------------------------------------------------------------- */

enum { KINDS = 15, VALUES = 18 };

/* One branch with two tags, that recurs, forbids values of its tag or has it a
 * level deeper. */
static void write_deep_branch(surety_buf *out, unsigned kind, unsigned i)
{
    switch (kind) {
    case 10:
        surety__buf_printf(out,
                           "{\"properties\":{\"u\":{\"type\":\"%s\"},\"t\":"
                           "{\"enum\":[\"v%u\",1]}}}",
                           i % 2 ? "integer" : "string", i);
        break;
    case 11:
        surety__buf_printf(out,
                           "{\"type\":[\"string\",\"array\"],\"items\":"
                           "{\"$ref\":\"#\"},\"pattern\":\"^[v-z][%u0]\"}",
                           i % 10);
        break;
    case 12:
        surety__buf_printf(out,
                           "{\"type\":\"object\",\"properties\":{\"t\":%s"
                           "{\"enum\":[\"v%u\",\"v%u\"]}%s}}",
                           i % 3 ? "" : "{\"not\":", i, i / 2,
                           i % 3 ? "" : ",\"type\":\"string\"}");
        break;
    default:
        surety__buf_printf(out,
                           "{\"required\":[\"t\"],\"properties\":{\"t\":"
                           "{\"properties\":{\"k\":{\"const\":\"v%u\"}}}}}",
                           i);
        break;
    }
}

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
        surety__buf_printf(out, "{\"type\":\"%s\",\"enum\":[\"v%u\",%u,null]}",
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
    case 8:
        surety__buf_printf(out,
                           "{\"required\":[\"t\"],\"properties\":"
                           "{\"t\":{\"const\":%u.0}}}",
                           i);
        break;
    case 9:
        surety__buf_printf(
            out,
            "{\"properties\":{\"t\":{\"enum\":[\"v%u\",%u,null]},"
            "\"u\":{\"const\":%u}}}",
            i / 4, i / 3, i % 3);
        break;
    case 10:
    case 11:
    case 12:
    case 13: write_deep_branch(out, kind, i); break;
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
                        unsigned count, bool tracks)
{
    surety_buf_reset(out);
    surety__buf_printf(
        out, "{%s\"%s\":[",
        tracks ? "\"unevaluatedItems\":true,\"unevaluatedProperties\":true,"
               : "",
        keyword);
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
                                              "null",
                                              "[[\"v%u\"],\"v\"]",
                                              "{\"t\":{\"k\":\"v%u\"}}",
                                              "{\"t\":{\"k\":[%u]}}"};
    char text[64];

    surety_buf_reset(out);
    (void)snprintf(text, sizeof(text), forms[form], i);
    surety_buf_text(out, text);
}

/* Whether the value satisfies the union as it does branch for branch. Where the
 * schema tracks what is evaluated no way around trying the branches is open. */
static bool agrees(surety_checker *checker, const surety_schema *schema,
                   surety_val val, surety_findings *findings,
                   surety_status *ret_status)
{
    const surety__applicator *all = schema->root->applicators;
    uint32_t hold = 0;
    bool valid = false, expected;

    for (uint32_t i = 0; i < all->count && !*ret_status; i++) {
        uint64_t work = 100000;
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
                        unsigned count, bool tracks)
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
    write_union(&text, keyword, kind, count, tracks);
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
    static const unsigned counts[] = {2, 8, 9, 64, 130};

    for (unsigned kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < CHECK_COUNT(counts); i++) {
            union_holds(t, "anyOf", kind, counts[i], counts[i] == 9);
            union_holds(t, "oneOf", kind, counts[i], counts[i] == 9);
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
        {"anyOf", 8, "{\"t\":%u}"},
        {"oneOf", 8, "{\"t\":%u.0}"},
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

/* ---- objects ------------------------------------------------------------- */

/* Compiles the text and reads the value; false after a failure. */
static bool prepare(struct check *t, const surety_buf *schema_text,
                    const surety_buf *value_text, surety_schema **ret_schema,
                    surety_doc *doc)
{
    surety_schema_options options = {.size = sizeof(options),
                                     .alloc = check_alloc(t)};
    bool ready = false;

    TRY(schema_text->status);
    TRY(value_text->status);
    TRY(surety_schema_read(surety_buf_str(schema_text), &options, ret_schema,
                           NULL));
    TRY(surety_doc_read(doc, surety_buf_str(value_text), NULL, NULL));
    ready = true;
done:
    return ready;
}

/* Whether the patterns that the index leaves to the name are those that match
 * it, and maybe others. */
static bool index_agrees(const surety__objects *objects,
                         surety__matcher *matcher, surety_str name)
{
    uint32_t at = surety__patterns_next(objects, name, 0);

    for (uint32_t i = 0; i < objects->pattern_count; i++) {
        const int match =
            surety__pattern_match(objects->patterns[i].pattern, matcher, name);

        if (at < i || (match == 1 && at != i))
            return false;
        if (at == i)
            at = surety__patterns_next(objects, name, i + 1);
    }
    return at == objects->pattern_count;
}

TEST(the_index_has_every_pattern_that_matches)
{
    static const char patterns[] =
        "{\"patternProperties\":{\"^a\":{},\"^ab\":{},\"^ab$\":{},\"^abc$\":{},"
        "\"^a[0-9]+\":{},\"^b\":{},\"^ba\":{},\"x$\":{},\"^a.c\":{},"
        "\"^b|^c\":{},\"^bab\":{},\"^bb+\":{},\"^c{2}\":{},\"^cab\":{},"
        "\"^cb\":{},\"^(?=b)bb\":{},\"^1\":{},\"^11\":{},\"^1a\":{},"
        "\"^\\u00e9\":{},\"^x*a\":{},\"^xa\":{},\"^xb\":{},\"^xx\":{},"
        "\"ab\":{},\"b1a\":{},\"ca|cb\":{},\"1x$\":{},\"c+1\":{},"
        "\"a(b1)*\":{},\"(?=ab)1\":{},\"ba[1x]c\":{},\"\\u00e9x\":{}}}";
    static const char letters[] = "abc1x";
    surety__matcher *matcher = surety__matcher_new(check_alloc(t), NULL);
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_schema *schema = NULL;
    surety_buf text, value;

    surety_buf_init(&text, check_alloc(t), 0);
    surety_buf_init(&value, check_alloc(t), 0);
    NEED(matcher);
    NEED(doc);
    surety_buf_text(&text, patterns);
    surety_buf_text(&value, "{}");
    if (!prepare(t, &text, &value, &schema, doc))
        goto done;
    CHECK(schema->root->objects->index);
    for (unsigned i = 0; i < 5 * 5 * 5 * 5; i++) {
        char name[4];

        for (unsigned k = 0, left = i; k < 4; k++, left /= 5)
            name[k] = letters[left % 5];
        for (size_t len = 0; len <= sizeof(name); len++)
            CHECK(index_agrees(schema->root->objects, matcher,
                               (surety_str){name, len}));
    }
    CHECK(index_agrees(schema->root->objects, matcher,
                       surety_str_of("\xc3\xa9x\xc3\xa9")));
done:
    surety_buf_done(&text);
    surety_buf_done(&value);
    surety__matcher_free(matcher);
    surety_schema_free(schema);
    surety_doc_free(doc);
}

/* Which names the member i of dependentRequired lists. */
static unsigned dependent_name(unsigned i, unsigned k)
{
    return i * 7 + k * 3 + 1;
}

/* dependentRequired, or schemas that say the same, with so many keys of two
 * names, and an object whose members are those of `names` below `most`, by bits
 * that repeat. */
static void dependents_hold(struct check *t, bool schemas, unsigned count,
                            unsigned most, uint64_t names)
{
    surety_checker *checker = surety_checker_new(check_alloc(t), NULL);
    surety_findings *findings = surety_findings_new(check_alloc(t));
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_schema *schema = NULL;
    size_t missing = 0;
    bool valid = false;
    bool first = true;
    surety_buf text, value;

    surety_buf_init(&text, check_alloc(t), 0);
    surety_buf_init(&value, check_alloc(t), 0);
    NEED(checker);
    NEED(findings);
    NEED(doc);
    surety__buf_printf(&text, "{\"dependencies\":{\"k0\":[\"z\"]},\"%s\":{",
                       schemas ? "dependentSchemas" : "dependentRequired");
    for (unsigned i = 0; i < count; i++)
        surety__buf_printf(&text,
                           schemas ? "%s\"k%u\":{\"allOf\":[{\"required\":"
                                     "[\"k%u\"]},{\"required\":[\"k%u\"]}]}"
                                   : "%s\"k%u\":[\"k%u\",\"k%u\"]",
                           i ? "," : "", i, dependent_name(i, 0) % most,
                           dependent_name(i, 1) % most);
    surety_buf_text(&text, "}}");
    surety_buf_text(&value, "{");
    for (unsigned i = 0; i < most; i++) {
        if (!(names >> i % 61 & 1))
            continue;
        surety__buf_printf(&value, "%s\"k%u\":1", first ? "" : ",", i);
        first = false;
        missing += i == 0;
        for (unsigned k = 0; k < 2 && i < count; k++)
            missing += !(names >> dependent_name(i, k) % most % 61 & 1);
    }
    surety_buf_text(&value, "}");
    if (!prepare(t, &text, &value, &schema, doc))
        goto done;
    TRY(surety_checker_check(checker, schema, surety_doc_root(doc), &valid,
                             NULL));
    TRY(surety_checker_report(checker, schema, surety_doc_root(doc), findings,
                              NULL));
    if (valid != !missing || surety_findings_count(findings) != missing)
        printf("# %u of %u, %.*s\n", count, most, (int)value.len, value.ptr);
    CHECK(valid == !missing);
    CHECK(surety_findings_count(findings) == missing);
done:
    surety_buf_done(&text);
    surety_buf_done(&value);
    surety_schema_free(schema);
    surety_doc_free(doc);
    surety_findings_free(findings);
    surety_checker_free(checker);
}

TEST(dependents_are_found_by_any_way)
{
    static const unsigned counts[] = {1, 16, 17, 40};
    static const unsigned mosts[] = {5, 16, 17, 60};
    static const uint64_t names[] = {0,
                                     1,
                                     2,
                                     UINT64_MAX - 1,
                                     0x5555555555555555,
                                     0xFEDCBA9876543210,
                                     UINT64_MAX ^ 0x100};

    for (size_t i = 0; i < CHECK_COUNT(counts); i++)
        for (size_t k = 0; k < CHECK_COUNT(mosts); k++)
            for (size_t n = 0; n < CHECK_COUNT(names); n++) {
                dependents_hold(t, false, counts[i], mosts[k], names[n]);
                dependents_hold(t, true, counts[i], mosts[k], names[n]);
                if (t->failed || t->starved)
                    return;
            }
}

/* The steps that an object of count members takes under a keyword with as many;
 * member: how one of them is written, with its number and the next. */
static uint64_t object_work(struct check *t, const char *keyword,
                            const char *member, const char *name,
                            unsigned count)
{
    surety_checker *checker = surety_checker_new(check_alloc(t), NULL);
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_schema *schema = NULL;
    const uint64_t most = (uint64_t)1 << 40;
    uint64_t left = most;
    bool valid = false;
    surety_buf text, value;

    surety_buf_init(&text, check_alloc(t), 0);
    surety_buf_init(&value, check_alloc(t), 0);
    NEED(checker);
    NEED(doc);
    surety__buf_printf(&text, "{\"additionalProperties\":%s,\"%s\":{",
                       *keyword == 'd' ? "true" : "false", keyword);
    for (unsigned i = 0; i < count; i++) {
        char piece[64];

        (void)snprintf(piece, sizeof(piece), member, i, (i + 1) % count);
        surety_buf_text(&text, i ? "," : "");
        surety_buf_text(&text, piece);
        (void)snprintf(piece, sizeof(piece), name, i);
        surety_buf_text(&value, i ? "," : "{");
        surety_buf_text(&value, piece);
    }
    surety_buf_text(&text, "}}");
    surety_buf_text(&value, "}");
    if (!prepare(t, &text, &value, &schema, doc))
        goto done;
    TRY(surety__shape_check(checker, schema, schema->root, surety_doc_root(doc),
                            &left, &valid));
    CHECK(valid);
done:
    surety_buf_done(&text);
    surety_buf_done(&value);
    surety_schema_free(schema);
    surety_doc_free(doc);
    surety_checker_free(checker);
    return most - left;
}

/* Ten times the members have longer names, and more names begin with another;
 * quadratic work would be a hundred times as much. */
TEST(work_grows_with_the_members)
{
    static const struct {
        const char *keyword, *member, *name;
    } cases[] = {
        {"dependentRequired", "\"k%u\":[\"k%u\"]", "\"k%u\":1"},
        {"dependentSchemas", "\"k%u\":{\"minProperties\":%u}", "\"k%u\":1"},
        {"patternProperties", "\"^k%u_\":{\"type\":\"integer\"}",
         "\"k%u_x\":1"},
        {"patternProperties", "\"^k%u$\":{\"minimum\":1}", "\"k%u\":1"},
        {"patternProperties", "\"^k%u_[0-9]+$\":{\"const\":1}", "\"k%u_7\":1"},
        {"patternProperties", "\"k%u_[0-9]+\":{\"const\":1}", "\"xk%u_7\":1"},
        {"patternProperties", "\"_%u$\":{\"const\":1}", "\"a_%u\":1"},
    };

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        const uint64_t few = object_work(t, cases[i].keyword, cases[i].member,
                                         cases[i].name, 100);
        const uint64_t many = object_work(t, cases[i].keyword, cases[i].member,
                                          cases[i].name, 1000);

        if (t->failed || t->starved)
            return;
        if (many > 20 * few)
            printf("# %s: %u, %u\n", cases[i].member, (unsigned)few,
                   (unsigned)many);
        CHECK(many <= 20 * few);
    }
done:;
}

/* ---- arrays -------------------------------------------------------------- */

/* Reads an array of so many different items, behind them one that is perhaps
 * equal to one of the first. */
static bool read_items(struct check *t, surety_doc *doc, unsigned count,
                       const char *last)
{
    static const char *const forms[] = {
        "%u",         "\"%u\"",       "[%u]",
        "{\"a\":%u}", "{\"a\":[%u]}", "{\"a\":\"%u\",\"b\":2}"};
    bool ready = false;
    surety_buf text;

    surety_buf_init(&text, check_alloc(t), 0);
    for (unsigned i = 0; i < count; i++) {
        char piece[64];

        (void)snprintf(piece, sizeof(piece), forms[i % CHECK_COUNT(forms)], i);
        surety_buf_text(&text, i ? "," : "[");
        surety_buf_text(&text, piece);
    }
    surety_buf_text(&text, ",");
    surety_buf_text(&text, last);
    surety_buf_text(&text, "]");
    TRY(text.status);
    TRY(surety_doc_read(doc, surety_buf_str(&text), NULL, NULL));
    ready = true;
done:
    surety_buf_done(&text);
    return ready;
}

TEST(items_are_unique_if_no_two_are_equal)
{
    static const struct {
        const char *last;
        bool unique;
    } cases[] = {
        {"0", false},
        {"0.0", false},
        {"0e5", false},
        {"-1", true},
        {"\"1\"", false},
        {"\"0\"", true},
        {"[2.0]", false},
        {"[\"2\"]", true},
        {"{\"a\":30e-1}", false},
        {"{\"a\":3,\"b\":3}", true},
        {"{\"a\":[4.0]}", false},
        {"{\"a\":[5]}", true},
        {"{\"b\":2.0,\"a\":\"5\"}", false},
        {"{\"b\":\"5\",\"a\":2}", true},
    };
    static const unsigned counts[] = {6, 15, 16, 40};
    surety_checker *checker = surety_checker_new(check_alloc(t), NULL);
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_schema *schema = NULL;
    surety_buf text, value;

    surety_buf_init(&text, check_alloc(t), 0);
    surety_buf_init(&value, check_alloc(t), 0);
    NEED(checker);
    NEED(doc);
    surety_buf_text(&text, "{\"uniqueItems\":true}");
    surety_buf_text(&value, "[]");
    if (!prepare(t, &text, &value, &schema, doc))
        goto done;
    for (size_t i = 0; i < CHECK_COUNT(counts) * CHECK_COUNT(cases); i++) {
        const size_t at = i % CHECK_COUNT(cases);
        bool valid = false;

        if (!read_items(t, doc, counts[i / CHECK_COUNT(cases)], cases[at].last))
            goto done;
        TRY(surety_checker_check(checker, schema, surety_doc_root(doc), &valid,
                                 NULL));
        CHECK(valid == cases[at].unique);
    }
done:
    surety_buf_done(&text);
    surety_buf_done(&value);
    surety_schema_free(schema);
    surety_doc_free(doc);
    surety_checker_free(checker);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"a union is what its branches are", a_union_is_what_its_branches_are},
        {"work grows with the values", work_grows_with_the_values},
        {"the index has every pattern that matches",
         the_index_has_every_pattern_that_matches},
        {"dependents are found by any way", dependents_are_found_by_any_way},
        {"work grows with the members", work_grows_with_the_members},
        {"items are unique if no two are equal",
         items_are_unique_if_no_two_are_equal},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
