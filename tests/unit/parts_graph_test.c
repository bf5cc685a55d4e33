/* SPDX-License-Identifier: Apache-2.0 */
/* Wholes and what they say: the same parts are the same whole, references and
 * allOf are followed once, unions are left where they are, and the end of what
 * may hold for one value. */
#include "check.h"

#include "parts/parts.h"

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

static surety__whole *subject_whole(struct subject *subject,
                                    const surety__shape *shape, unsigned types)
{
    surety__part part = {.shape = shape};
    const surety__parts parts = {&part, 1, 1};

    return surety__whole_of(&subject->graph, &parts, types);
}

/* Reads a schema and gathers what its root says. */
static surety_status subject_read(struct check *t, struct subject *subject,
                                  const char *text)
{
    const surety_schema_options options = {.size = sizeof(options),
                                           .alloc = check_alloc(t)};
    const surety__whole *root;
    surety_status status;

    *subject = (struct subject){.status = SURETY_OK};
    surety__arena_init(&subject->arena, check_alloc(t), 0);
    subject->graph =
        (surety__graph){.arena = &subject->arena, .status = &subject->status};
    status = surety_schema_read(surety_str_of(text), &options, &subject->schema,
                                NULL);
    if (status)
        return status;
    root = subject_whole(subject, subject->schema->root, TYPE_ANY);
    if (root)
        surety__facts_gather(&subject->graph, root, &subject->facts);
    return subject->status;
}

TEST(the_same_parts_are_the_same_whole)
{
    struct subject one;
    surety__part pair[2] = {{.quiet = false}};
    surety__parts parts = {pair, 2, 2};
    const surety__whole *whole, *other;

    TRY(subject_read(t, &one, "{\"items\":{\"type\":\"string\"}}"));
    pair[0].shape = one.schema->root;
    pair[1].shape = one.schema->root->arrays->rest;
    whole = surety__whole_of(&one.graph, &parts, TYPE_ANY);
    NEED(whole);
    CHECK(whole->parts.items != pair && whole->parts.count == 2);
    CHECK(surety__whole_of(&one.graph, &parts, TYPE_ANY) == whole);
    other = surety__whole_of(&one.graph, &parts, TYPE_STRING);
    NEED(other);
    CHECK(other != whole);
    pair[1].settled = 1;
    other = surety__whole_of(&one.graph, &parts, TYPE_ANY);
    NEED(other);
    CHECK(other != whole);
    pair[1].settled = 0;
    pair[1].quiet = true;
    other = surety__whole_of(&one.graph, &parts, TYPE_ANY);
    NEED(other);
    CHECK(other != whole);
    parts.count = 0;
    other = surety__whole_of(&one.graph, &parts, TYPE_ANY);
    NEED(other);
    CHECK(other->parts.count == 0);
    CHECK(surety__whole_of(&one.graph, &parts, TYPE_ANY) == other);
done:
    subject_done(&one);
}

TEST(references_are_followed_once)
{
    struct subject one;
    const surety__whole *again;
    surety__facts facts;

    TRY(subject_read(t, &one,
                     "{\"$ref\":\"#/$defs/a\",\"type\":[\"object\",\"null\"],"
                     "\"$defs\":{\"a\":{\"allOf\":[{\"$ref\":\"#/$defs/b\"},"
                     "{\"minimum\":1}]},\"b\":{\"minLength\":1,"
                     "\"type\":[\"object\",\"string\"]}}}"));
    /* The root, a, {$ref}, {minimum}, b. */
    CHECK(one.facts.parts.count == 5);
    CHECK(one.facts.types == TYPE_OBJECT);
    CHECK(one.facts.speaks == (TYPE_STRING | TYPE_NUMBERS));
    CHECK(one.facts.typed && !one.facts.never && !one.facts.lost);
    /* What was gathered is a whole that says the same, and no more. */
    again = surety__whole_of(&one.graph, &one.facts.parts, TYPE_ANY);
    NEED(again);
    if (!surety__facts_gather(&one.graph, again, &facts))
        TRY(one.status);
    CHECK(facts.parts.count == 5 && facts.types == TYPE_OBJECT);
done:
    subject_done(&one);
}

TEST(what_is_quiet_refers_to_what_is_quiet)
{
    struct subject one;
    surety__part part = {.quiet = true};
    const surety__parts parts = {&part, 1, 1};
    const surety__whole *whole;

    TRY(subject_read(t, &one, "{\"allOf\":[{\"minimum\":1}]}"));
    CHECK(!one.facts.parts.items[1].quiet);
    part.shape = one.schema->root;
    whole = surety__whole_of(&one.graph, &parts, TYPE_ANY);
    NEED(whole);
    if (!surety__facts_gather(&one.graph, whole, &one.facts))
        TRY(one.status);
    CHECK(one.facts.parts.count == 2 && one.facts.parts.items[1].quiet);
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
    surety__parts parts = {NULL, 0, 0};
    const surety__applicator *first;
    const surety__whole *whole;

    TRY(subject_read(t, &one, text));
    CHECK(one.facts.parts.count == 2);
    CHECK(one.facts.conditional && one.facts.any_of);
    CHECK(one.facts.union_count == 2);
    first = surety__facts_union(&one.facts);
    CHECK(first->kind == APPLY_ANY && first->count == 3);
    if (!surety__facts_branch(&one.graph, &one.facts, first->shapes[1], &parts))
        TRY(one.status);
    CHECK(parts.count == 3 && parts.items[0].shape == first->shapes[1]);
    whole = surety__whole_of(&one.graph, &parts, TYPE_STRING);
    NEED(whole);
    if (!surety__facts_gather(&one.graph, whole, &one.facts))
        TRY(one.status);
    /* The one that was decided does not count any more. */
    CHECK(one.facts.union_count == 1 && one.facts.any_of);
    CHECK(surety__facts_union(&one.facts)->kind == APPLY_ONE);
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
    CHECK(one.facts.parts.count == 2 && one.facts.types == TYPE_OBJECT);
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
    const surety__whole *root;

    for (size_t i = 0; i < CHECK_COUNT(texts); i++) {
        TRY(subject_read(t, &one, texts[i]));
        /* The root, {$ref}, b, and n of b. */
        CHECK(one.facts.parts.count == 4 && !one.facts.lost);
        root = subject_whole(&one, one.schema->root, TYPE_ANY);
        NEED(root);
        one.graph.schema = one.schema;
        if (!surety__facts_gather(&one.graph, root, &one.facts))
            TRY(one.status);
        /* The root's it is; or nothing. */
        CHECK(one.facts.parts.count == (i == 0 ? 4 : 3));
        CHECK((one.facts.lost != NULL) == (i == 1));
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

TEST(members_are_what_all_parts_say)
{
    struct subject one;
    surety_str *names;
    surety__member_facts said;

    TRY(subject_read(t, &one,
                     "{\"properties\":{\"a\":{},\"b\":{}},\"required\":[\"c\"],"
                     "\"allOf\":[{\"properties\":{\"b\":{},\"d\":{}},"
                     "\"patternProperties\":{\"^b\":{},\"b$\":{},\"x\":{}},"
                     "\"required\":[\"a\"],\"additionalProperties\":false}]}"));
    CHECK(surety__facts_names(&one.graph, &one.facts, &names) == 4 ||
          one.status == SURETY_NOMEM);
    TRY(one.status);
    CHECK_TEXT(names[0], "a");
    CHECK_TEXT(names[1], "b");
    CHECK_TEXT(names[2], "c");
    CHECK_TEXT(names[3], "d");
    surety__facts_member(&one.graph, &one.facts, names[0], &said);
    TRY(one.status);
    /* Its own, and false. */
    CHECK(said.required && said.parts.count == 2);
    CHECK(said.shape == said.parts.items[0].shape);
    CHECK(said.parts.items[1].shape->never);
    surety__facts_member(&one.graph, &one.facts, names[1], &said);
    TRY(one.status);
    CHECK(!said.required && said.parts.count == 4);
    surety__facts_member(&one.graph, &one.facts, names[2], &said);
    TRY(one.status);
    CHECK(said.required && !said.shape && said.parts.count == 1);
done:
    subject_done(&one);
}

TEST(items_are_counted)
{
    struct subject one;
    surety__items items;

    TRY(subject_read(t, &one,
                     "{\"minItems\":1,\"maxItems\":9,\"prefixItems\":[true],"
                     "\"allOf\":[{\"prefixItems\":[{},{}],\"items\":false,"
                     "\"minItems\":2},{\"maxItems\":7}]}"));
    items = surety__facts_items(&one.facts);
    CHECK(items.least == 2 && items.most == 7);
    CHECK(items.places == 2 && items.closed);
    CHECK(items.longest == one.facts.parts.items[1].shape);
    CHECK(surety__arrays_item(items.longest->arrays, 1)->always);
    CHECK(surety__arrays_item(items.longest->arrays, 2)->never);
    CHECK(surety__arrays_item(items.longest->arrays, UINT32_MAX)->never);
    items = surety__facts_items(&(surety__facts){.types = TYPE_ANY});
    CHECK(items.least == 0 && items.most == UINT64_MAX);
    CHECK(items.places == 0 && !items.longest && !items.closed);
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

TEST(parts_have_an_end)
{
    struct subject one;
    surety__parts parts = {NULL, 0, 0};

    TRY(subject_read(t, &one, "true"));
    while (parts.count < PARTS_MAX)
        if (!surety__parts_add(&one.graph, &parts, one.schema->root))
            TRY(one.status);
    CHECK(!surety__parts_add(&one.graph, &parts, one.schema->root));
    CHECK(one.status == SURETY_LIMIT && parts.count == PARTS_MAX);
done:
    subject_done(&one);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"the same parts are the same whole",
         the_same_parts_are_the_same_whole},
        {"references are followed once", references_are_followed_once},
        {"what is quiet refers to what is quiet",
         what_is_quiet_refers_to_what_is_quiet},
        {"unions are left", unions_are_left},
        {"many applicators are no matter", many_applicators_are_no_matter},
        {"dynamic references lead where they can only lead",
         dynamic_references_lead_where_they_can_only_lead},
        {"choices are those that all allow", choices_are_those_that_all_allow},
        {"members are what all parts say", members_are_what_all_parts_say},
        {"items are counted", items_are_counted},
        {"types are taken apart", types_are_taken_apart},
        {"references alone have a target", references_alone_have_a_target},
        {"news is told once", news_is_told_once},
        {"parts have an end", parts_have_an_end},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
