/* SPDX-License-Identifier: Apache-2.0 */
/* Conjunctions and what they say: equal ones are one node, references and allOf
 * are followed once, unions are left where they are, and the end of what may
 * apply to one value. */
#include "check.h"

#include "schema/schema.h"

/* A graph of a schema, in memory of its own. */
struct subject {
    surety_schema *schema;
    surety__arena arena;
    surety_status status;
    surety__graph graph;
    surety__facts facts;
};

static void subject_done(struct subject *subject)
{
    surety__graph_done(&subject->graph);
    surety__arena_done(&subject->arena);
    surety_schema_free(subject->schema);
    *subject = (struct subject){.graph = {.arena = &subject->arena}};
}

static surety__conjunction_node *subject_node(struct subject *subject,
                                              const surety__shape *shape)
{
    return surety__graph_node(&subject->graph, CONJUNCTION_OF(shape), TYPE_ANY);
}

/* Reads a schema and gathers what its root says. */
static surety_status subject_read(struct check *t, struct subject *subject,
                                  const char *text)
{
    const surety_schema_options options = {.size = sizeof(options),
                                           .alloc = check_alloc(t)};
    const surety__conjunction_node *root;
    surety_status status;

    *subject = (struct subject){.status = SURETY_OK};
    surety__arena_init(&subject->arena, check_alloc(t), 0);
    subject->arena.status = &subject->status;
    subject->graph = (surety__graph){.arena = &subject->arena};
    status = surety_schema_read(surety_str_of(text), &options, &subject->schema,
                                NULL);
    if (status)
        return status;
    root = subject_node(subject, subject->schema->root);
    if (root)
        surety__facts_gather(&subject->graph, root, &subject->facts);
    return subject->status;
}

TEST(equal_conjunctions_are_one_node)
{
    struct subject one;
    surety__conjunct pair[2] = {{.quiet = false}};
    surety__conjunction all = {pair, 2, 2, false};
    const surety__conjunction_node *whole, *other;

    TRY(subject_read(t, &one, "{\"items\":{\"type\":\"string\"}}"));
    pair[0].shape = one.schema->root;
    pair[1].shape = one.schema->root->arrays->rest;
    whole = surety__graph_node(&one.graph, &all, TYPE_ANY);
    NEED(whole);
    CHECK(whole->all.items != pair && whole->all.count == 2);
    CHECK(surety__graph_node(&one.graph, &all, TYPE_ANY) == whole);
    other = surety__graph_node(&one.graph, &all, TYPE_STRING);
    NEED(other);
    CHECK(other != whole);
    pair[1].settled = 1;
    other = surety__graph_node(&one.graph, &all, TYPE_ANY);
    NEED(other);
    CHECK(other != whole);
    pair[1].settled = 0;
    pair[1].quiet = true;
    other = surety__graph_node(&one.graph, &all, TYPE_ANY);
    NEED(other);
    CHECK(other != whole);
    all.count = 0;
    other = surety__graph_node(&one.graph, &all, TYPE_ANY);
    NEED(other);
    CHECK(other->all.count == 0);
    CHECK(surety__graph_node(&one.graph, &all, TYPE_ANY) == other);
done:
    subject_done(&one);
}

TEST(references_are_followed_once)
{
    struct subject one;
    const surety__conjunction_node *again;
    surety__facts facts;

    TRY(subject_read(t, &one,
                     "{\"$ref\":\"#/$defs/a\",\"type\":[\"object\",\"null\"],"
                     "\"$defs\":{\"a\":{\"allOf\":[{\"$ref\":\"#/$defs/b\"},"
                     "{\"minimum\":1}]},\"b\":{\"minLength\":1,"
                     "\"type\":[\"object\",\"string\"]}}}"));
    /* The root, a, {$ref}, {minimum}, b. */
    CHECK(one.facts.all.count == 5);
    CHECK(one.facts.types == TYPE_OBJECT);
    CHECK(one.facts.speaks == (TYPE_STRING | TYPE_NUMBERS));
    CHECK(one.facts.typed && !one.facts.never && !one.facts.unresolved);
    /* What was gathered is a whole that says the same, and no more. */
    again = surety__graph_node(&one.graph, &one.facts.all, TYPE_ANY);
    NEED(again);
    if (!surety__facts_gather(&one.graph, again, &facts))
        TRY(one.status);
    CHECK(facts.all.count == 5 && facts.types == TYPE_OBJECT);
done:
    subject_done(&one);
}

TEST(what_is_quiet_refers_to_what_is_quiet)
{
    struct subject one;
    surety__conjunct quiet = {.quiet = true};
    const surety__conjunction all = {&quiet, 1, 1, false};
    const surety__conjunction_node *whole;

    TRY(subject_read(t, &one, "{\"allOf\":[{\"minimum\":1}]}"));
    CHECK(!one.facts.all.items[1].quiet);
    quiet.shape = one.schema->root;
    whole = surety__graph_node(&one.graph, &all, TYPE_ANY);
    NEED(whole);
    if (!surety__facts_gather(&one.graph, whole, &one.facts))
        TRY(one.status);
    CHECK(one.facts.all.count == 2 && one.facts.all.items[1].quiet);
done:
    subject_done(&one);
}

static bool counts_never(const surety__applicator *one, unsigned types)
{
    return one->count == 0 && types == 0;
}

TEST(unions_are_left)
{
    static const char text[] =
        "{\"minLength\":1,\"if\":true,"
        "\"allOf\":[{\"oneOf\":[{\"const\":\"a\"},{\"const\":\"b\"}]}],"
        "\"anyOf\":[{\"maxLength\":9},{\"pattern\":\"x\"},{\"minLength\":2}]}";
    struct subject one;
    surety__conjunction all = {NULL, 0, 0, false};
    const surety__applicator *first;
    const surety__conjunction_node *whole;

    TRY(subject_read(t, &one, text));
    CHECK(one.facts.all.count == 2);
    CHECK(one.facts.conditional && one.facts.any_of);
    CHECK(one.facts.union_count == 2);
    first = surety__conjunction_applicator(&one.facts.all, one.facts.first);
    CHECK(first->kind == APPLY_ANY && first->count == 3);
    if (!surety__conjunction_branch(&one.graph, &one.facts.all, one.facts.first,
                                    first->shapes[1], &all))
        TRY(one.status);
    CHECK(all.count == 3 && all.items[0].shape == first->shapes[1]);
    whole = surety__graph_node(&one.graph, &all, TYPE_STRING);
    NEED(whole);
    if (!surety__facts_gather(&one.graph, whole, &one.facts))
        TRY(one.status);
    /* The one that was decided does not count any more. */
    CHECK(one.facts.union_count == 1 && one.facts.any_of);
    CHECK(
        surety__conjunction_applicator(&one.facts.all, one.facts.first)->kind ==
        APPLY_ONE);
    one.graph.counts = counts_never;
    if (!surety__facts_gather(&one.graph, whole, &one.facts))
        TRY(one.status);
    CHECK(one.facts.union_count == 0);
done:
    subject_done(&one);
}

/* Only the first of them have a bit, and only those need one. */
TEST(many_applicators_are_no_matter)
{
    struct subject one;
    surety_buf text;

    surety_buf_init(&text, check_alloc(t), 0);
    one = (struct subject){.graph = {.arena = &one.arena}};
    surety_buf_text(&text, "{\"dependentSchemas\":{");
    for (unsigned i = 0; i < 200; i++)
        surety__buf_printf(&text, "%s\"k%u\":{\"minProperties\":1}",
                           i ? "," : "", i);
    surety_buf_text(&text, "},\"allOf\":[{\"type\":\"object\"}],"
                           "\"oneOf\":[{\"required\":[\"a\"]},true]}");
    surety_buf_byte(&text, '\0');
    TRY(text.status);
    TRY(subject_read(t, &one, text.ptr));
    CHECK(one.facts.all.count == 2 && one.facts.types == TYPE_OBJECT);
    CHECK(one.facts.union_count == 1 && one.facts.conditional);
done:
    surety_buf_done(&text);
    subject_done(&one);
}

TEST(dynamic_references_lead_where_they_can_only_lead)
{
    /* Of two that have the name the root's is outermost; with none at the root
     * it depends on the way. */
    static const char *const texts[] = {
        "{\"$id\":\"http://a/\",\"minLength\":1,"
        "\"allOf\":[{\"$ref\":\"http://b/\"}],\"$defs\":{\"m\":{"
        "\"$dynamicAnchor\":\"n\",\"maxLength\":4},\"b\":{\"$id\":\"http://b/"
        "\",\"maxLength\":2,"
        "\"$defs\":{\"n\":{\"$dynamicAnchor\":\"n\",\"maxLength\":3}},"
        "\"$dynamicRef\":\"#n\"}}}",
        "{\"$id\":\"http://a/\",\"minLength\":1,"
        "\"allOf\":[{\"$ref\":\"http://b/\"}],"
        "\"$defs\":{\"b\":{\"$id\":\"http://b/\",\"maxLength\":2,"
        "\"$defs\":{\"n\":{\"$dynamicAnchor\":\"n\",\"maxLength\":3}},"
        "\"$dynamicRef\":\"#n\"},"
        "\"c\":{\"$id\":\"http://c/\",\"$ref\":\"http://b/\",\"$defs\":{"
        "\"n\":{\"$dynamicAnchor\":\"n\"}}}},\"items\":{\"$ref\":\"http://c/"
        "\"}}"};
    struct subject one;
    const surety__conjunction_node *root;

    for (size_t i = 0; i < CHECK_COUNT(texts); i++) {
        TRY(subject_read(t, &one, texts[i]));
        /* The root, {$ref}, b, and n of b. */
        CHECK(one.facts.all.count == 4 && !one.facts.unresolved);
        root = subject_node(&one, one.schema->root);
        NEED(root);
        one.graph.schema = one.schema;
        if (!surety__facts_gather(&one.graph, root, &one.facts))
            TRY(one.status);
        /* The root's it is; or nothing. */
        CHECK(one.facts.all.count == (i == 0 ? 4 : 3));
        CHECK((one.facts.unresolved != NULL) == (i == 1));
        subject_done(&one);
    }
done:
    subject_done(&one);
}

TEST(choices_are_those_that_all_allow)
{
    static const struct {
        const char *text;
        uint32_t count; /* UINT32_MAX: there is neither */
    } cases[] = {
        {"{\"type\":\"string\"}", UINT32_MAX},
        {"{\"enum\":[1,\"a\",null,1.5,\"b\"]}", 5},
        {"{\"enum\":[1,\"a\",null,1.5,\"b\"],\"type\":\"string\"}", 2},
        {"{\"enum\":[1,\"a\"],\"allOf\":[{\"enum\":[\"a\",2]}]}", 1},
        {"{\"enum\":[1,\"a\"],\"allOf\":[{\"const\":2}]}", 0},
        {"{\"const\":2,\"enum\":[1,2]}", 1},
        {"{\"const\":null}", 1},
    };
    struct subject one = {.graph = {.arena = &one.arena}};

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        const surety__shape *shape;
        surety_val *values = NULL;
        uint32_t count = UINT32_MAX;

        TRY(subject_read(t, &one, cases[i].text));
        shape = surety__facts_choices(&one.graph, &one.facts, &values, &count);
        TRY(one.status);
        CHECK(count == cases[i].count);
        CHECK((shape != NULL) == (count != UINT32_MAX));
        subject_done(&one);
    }
done:
    subject_done(&one);
}

TEST(members_are_what_all_say)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    struct subject one;
    const surety__property *property;
    surety__member_facts said[4] = {{.required = false}};
    surety__name_at at = {0, 0};
    size_t count = 0;

    TRY(subject_read(t, &one,
                     "{\"properties\":{\"a\":{},\"b\":{}},\"required\":[\"c\"],"
                     "\"allOf\":[{\"properties\":{\"b\":{\"default\":1},"
                     "\"d\":{}},\"required\":[\"a\"],"
                     "\"patternProperties\":{\"^b\":{},\"b$\":{},\"x\":{}},"
                     "\"additionalProperties\":false}]}"));
    while ((property = surety__conjunction_name(&one.facts.all, &at)) != NULL) {
        if (count == 4)
            break;
        CHECK_TEXT(property->name, names[count]);
        surety__conjunction_member(&one.graph, &one.facts.all, property->name,
                                   property->hash, &said[count++]);
        TRY(one.status);
    }
    CHECK(count == 4 && one.facts.all.count == 2);
    /* Its own, and false. */
    CHECK(said[0].required && said[0].all.count == 2 && said[0].named);
    CHECK(said[0].property->shape == said[0].all.items[0].shape);
    CHECK(said[0].all.items[1].shape->never && said[0].all.items[1].from == 1);
    CHECK(said[0].closed && said[0].covered && !said[0].fill.doc);
    CHECK(!said[1].required && said[1].all.count == 4 && !said[1].closed);
    CHECK(surety_val_is_integer(said[1].fill));
    CHECK(said[1].fill_shape == said[1].all.items[1].shape);
    CHECK(said[2].required && !said[2].property && said[2].all.count == 1);
    CHECK(!said[2].named && said[2].closed);
    CHECK(
        surety__conjunction_mentions(&one.facts.all, 1, SURETY__LITERAL("c"),
                                     surety__name_hash(SURETY__LITERAL("c"))));
    CHECK(
        !surety__conjunction_mentions(&one.facts.all, 1, SURETY__LITERAL("d"),
                                      surety__name_hash(SURETY__LITERAL("d"))));
done:
    subject_done(&one);
}

TEST(items_are_what_all_say)
{
    struct subject one;
    surety__conjunction item = {NULL, 0, 0, false};
    const surety__shape *longest;
    surety__range range;

    TRY(subject_read(t, &one,
                     "{\"minItems\":1,\"maxItems\":9,\"prefixItems\":[true],"
                     "\"unevaluatedItems\":{},"
                     "\"allOf\":[{\"prefixItems\":[{},{}],\"items\":false,"
                     "\"minItems\":2},{\"maxItems\":7}]}"));
    range = surety__conjunction_range(&one.facts.all, COUNT_ITEMS);
    CHECK(range.least == 2 && range.most == 7);
    range = surety__conjunction_range(&one.facts.all, COUNT_MEMBERS);
    CHECK(range.least == 0 && range.most == UINT64_MAX);
    CHECK(surety__conjunction_places(&one.facts.all, &longest) == 2);
    CHECK(longest == one.facts.all.items[1].shape);
    CHECK(surety__conjunction_item(&one.graph, &one.facts.all, 0, &item));
    TRY(one.status);
    CHECK(item.count == 2 && item.items[1].shape->always);
    item.count = 0;
    CHECK(surety__conjunction_item(&one.graph, &one.facts.all, UINT32_MAX,
                                   &item));
    TRY(one.status);
    CHECK(item.count == 1 && surety__conjunction_never(&item));
    item.count = 0;
    surety__conjunction_unevaluated(&one.graph, &one.facts.all, false, &item);
    CHECK(item.count == 1 && item.items[0].from == 0);
    item = (surety__conjunction){NULL, 0, 0, false};
    CHECK(!surety__conjunction_item(&one.graph, &item, 0, &item));
    CHECK(surety__conjunction_places(&item, &longest) == 0 && !longest);
done:
    subject_done(&one);
}

TEST(the_tightest_bound_counts)
{
    struct subject one;
    surety__bound lower, upper, none;

    TRY(subject_read(t, &one,
                     "{\"minimum\":2,\"maximum\":9.5,\"allOf\":[{"
                     "\"exclusiveMinimum\":2},{\"exclusiveMaximum\":10}]}"));
    lower = surety__conjunction_bound(&one.facts.all, false);
    upper = surety__conjunction_bound(&one.facts.all, true);
    none = (surety__bound){NULL, NULL, false};
    NEED(lower.cell);
    NEED(upper.cell);
    CHECK(lower.is_exclusive && !upper.is_exclusive);
    CHECK_TEXT(surety_val_number(surety__val_of(upper.doc, upper.cell)), "9.5");
    CHECK(surety__bound_compare(lower, none, false) > 0);
    CHECK(surety__bound_compare(upper, upper, true) == 0);
    CHECK(surety__bound_compare(lower, upper, false) < 0);
    CHECK(surety__bound_compare(lower, upper, true) > 0);
    CHECK(surety__conjunction_types(&one.facts.all) == TYPE_ANY);
done:
    subject_done(&one);
}

/* What a graph leaves out, where it ends, and what its steps are. */
TEST(a_graph_says_what_is_added)
{
    struct subject one;
    surety__conjunction all = {NULL, 0, 0, false};
    const surety__shape *const *shapes;
    uint64_t work = 3;

    TRY(subject_read(t, &one,
                     "{\"allOf\":[true,false,{\"$ref\":\"#/$defs/a\"},"
                     "{\"type\":\"null\"}],\"$defs\":{\"a\":{"
                     "\"minLength\":1}}}"));
    shapes = one.schema->root->applicators[0].shapes;
    one.graph.adds = CONJUNCTION_DIRECT | CONJUNCTION_POSSIBLE;
    one.graph.cut_at = 1;
    for (size_t i = 0; i < 3; i++)
        surety__conjunction_add(&one.graph, &all,
                                (surety__conjunct){.shape = shapes[i]});
    TRY(one.status);
    CHECK(all.count == 1 && !all.is_cut);
    CHECK(all.items[0].shape == shapes[2]->applicators[0].shapes[0]);
    CHECK(surety__conjunction_add(&one.graph, &all,
                                  (surety__conjunct){.shape = shapes[3]}));
    CHECK(all.count == 1 && all.is_cut);
    one.graph.work = &work;
    while (surety__conjunction_add(&one.graph, &all,
                                   (surety__conjunct){.shape = shapes[3]}))
        ;
    CHECK(one.status == SURETY_LIMIT && work == 0);
done:
    subject_done(&one);
}

TEST(types_are_taken_apart)
{
    unsigned kinds[KINDS_MAX];

    CHECK(surety__types_split(0, kinds) == 0);
    CHECK(surety__types_split(TYPE_NULL, kinds) == 0);
    CHECK(surety__types_split(TYPE_INTEGER, kinds) == 1);
    CHECK(kinds[0] == TYPE_INTEGER);
    CHECK(surety__types_split(TYPE_OBJECT | TYPE_NUMBERS, kinds) == 2);
    CHECK(kinds[0] == TYPE_NUMBERS && kinds[1] == TYPE_OBJECT);
    CHECK(surety__types_split(TYPE_ANY, kinds) == KINDS_MAX);
done:
    return;
}

TEST(references_alone_have_a_target)
{
    struct subject one;
    const surety__shape *root;

    TRY(subject_read(t, &one,
                     "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/b\"},"
                     "\"b\":{\"$ref\":\"#/$defs/b\",\"minLength\":1},"
                     "\"c\":{\"allOf\":[{\"type\":\"null\"}]}},"
                     "\"$defs\":{\"b\":{\"$ref\":\"#\"}}}"));
    root = one.schema->root;
    CHECK(surety__shape_behind(root->objects->properties[0].shape) == root);
    CHECK(surety__shape_target(root->objects->properties[0].shape) != root);
    for (uint32_t i = 1; i < 3; i++) {
        const surety__shape *shape = root->objects->properties[i].shape;

        CHECK(!surety__shape_target(shape));
        CHECK(surety__shape_behind(shape) == shape);
        CHECK(surety__shape_is_bare(shape) == (i == 2));
    }
done:
    subject_done(&one);
}

TEST(news_is_told_once)
{
    struct subject one;
    surety_val at;

    TRY(subject_read(t, &one, "{\"type\":\"string\"}"));
    at = one.schema->root->at;
    CHECK(surety__graph_is_news(&one.graph, at, 1) || one.status);
    TRY(one.status);
    CHECK(!surety__graph_is_news(&one.graph, at, 1));
    CHECK(surety__graph_is_news(&one.graph, at, 2) || one.status);
    TRY(one.status);
    CHECK(surety__graph_is_news(&one.graph, surety_val_first(at), 1) ||
          one.status);
    TRY(one.status);
    CHECK(!surety__graph_is_news(&one.graph, at, 2));
done:
    subject_done(&one);
}

/* A reference that is followed again must not open the union behind it. */
TEST(a_settled_union_stays_settled)
{
    struct subject one;
    surety__conjunction all = {NULL, 0, 0, false};
    surety__conjunction branch = {NULL, 0, 0, false};
    surety__union_at at;
    const surety__applicator *first;

    TRY(subject_read(t, &one,
                     "{\"allOf\":[{\"$ref\":\"#/$defs/m\",\"minLength\":1}],"
                     "\"$defs\":{\"m\":{\"oneOf\":[{\"type\":\"string\"},"
                     "{\"type\":\"null\"}]}}}"));
    one.graph.adds = CONJUNCTION_DIRECT | CONJUNCTION_FOLLOWED;
    surety__conjunction_add(&one.graph, &all,
                            (surety__conjunct){.shape = one.schema->root});
    TRY(one.status);
    /* The root, {$ref}, m. */
    CHECK(all.count == 3 && surety__conjunction_settled(&all) == 0);
    CHECK(all.items[1].here && all.items[1].from == 0);
    CHECK(all.items[2].here && all.items[2].from == 1);
    CHECK(surety__conjunction_union(&all, 0, &at) && at.conjunct == 2);
    CHECK(!surety__conjunction_union(&all, 1, &at));
    CHECK(surety__conjunction_union(&all, 0, &at));
    first = surety__conjunction_applicator(&all, at);
    surety__conjunction_branch(&one.graph, &all, at, first->shapes[1], &branch);
    TRY(one.status);
    CHECK(branch.count == 4 && branch.items[0].shape == first->shapes[1]);
    CHECK(surety__conjunction_settled(&branch) == 1);
    CHECK(!surety__conjunction_union(&branch, 0, &at));
    surety__conjunction_add(&one.graph, &branch, all.items[2]);
    TRY(one.status);
    CHECK(branch.count == 4 && surety__conjunction_settled(&branch) == 1);
    CHECK(surety__conjunction_types(&branch) == TYPE_NULL);
done:
    subject_done(&one);
}

TEST(conjunctions_have_an_end)
{
    struct subject one;
    surety__conjunction all = {NULL, 0, 0, false};

    TRY(subject_read(t, &one, "true"));
    all.items =
        surety__arena_take(&one.arena, CONJUNCTION_MAX * sizeof(*all.items));
    NEED(all.items);
    all.count = CONJUNCTION_MAX - 1;
    all.cap = CONJUNCTION_MAX;
    CHECK(surety__conjunction_add(
        &one.graph, &all, (surety__conjunct){.shape = one.schema->root}));
    CHECK(all.count == CONJUNCTION_MAX);
    all.items[0].shape = one.schema->root;
    all.items[all.count - 1].shape = NULL;
    CHECK(surety__conjunction_add(
        &one.graph, &all, (surety__conjunct){.shape = one.schema->root}));
    all.items[0].shape = NULL;
    CHECK(!surety__conjunction_add(
        &one.graph, &all, (surety__conjunct){.shape = one.schema->root}));
    CHECK(one.status == SURETY_LIMIT && all.count == CONJUNCTION_MAX);
done:
    subject_done(&one);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"equal conjunctions are one node", equal_conjunctions_are_one_node},
        {"references are followed once", references_are_followed_once},
        {"what is quiet refers to what is quiet",
         what_is_quiet_refers_to_what_is_quiet},
        {"unions are left", unions_are_left},
        {"many applicators are no matter", many_applicators_are_no_matter},
        {"dynamic references lead where they can only lead",
         dynamic_references_lead_where_they_can_only_lead},
        {"choices are those that all allow", choices_are_those_that_all_allow},
        {"members are what all say", members_are_what_all_say},
        {"items are what all say", items_are_what_all_say},
        {"the tightest bound counts", the_tightest_bound_counts},
        {"a graph says what is added", a_graph_says_what_is_added},
        {"types are taken apart", types_are_taken_apart},
        {"references alone have a target", references_alone_have_a_target},
        {"news is reported once", news_is_told_once},
        {"a settled union stays settled", a_settled_union_stays_settled},
        {"conjunctions have an end", conjunctions_have_an_end},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
