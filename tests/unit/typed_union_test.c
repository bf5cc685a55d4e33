/* SPDX-License-Identifier: Apache-2.0 */
/* Which branch of a union a value is: by its kind and members, by what the
 * contract says of each branch, and by how many members each knows. */
#include "check.h"

#include <surety/typed.h>

#include <string.h>

#define NONE SURETY_TYPED_NONE
#define NAME(text) SURETY_TYPED_NAME(text)
/* A member, of which nothing is stored: only the choice counts here. */
#define NEEDED(name, type)                                                     \
    {                                                                          \
        NAME(name), type, NONE, NONE, NONE, NONE, NULL                         \
    }
/* A type without members. */
#define LEAF(form, words, count)                                               \
    {                                                                          \
        form, "leaf", 8, 0, NULL, words, count, NULL, NONE, NONE, NONE         \
    }
#define OBJECT(members, count)                                                 \
    {                                                                          \
        SURETY_TYPED_STRUCT, "object", 8, 0, members, NULL, count, NULL, NONE, \
            NONE, NONE                                                         \
    }

enum { BRANCHES_MAX = 70 };

enum {
    IS_BOOL,
    IS_INT,
    IS_UINT,
    IS_REAL,
    IS_NUMBER,
    IS_TEXT,
    IS_VALUE,
    IS_WORDS,
    IS_LIST,
    IS_TUPLE,
    IS_MAP,
    IS_PLAIN,
    IS_ESCAPED,
    IS_TRUE,
    IS_FALSE,
    IS_NULL,
    IS_ARRAY,
    IS_EMPTY,
    IS_FIVE,
    IS_A,
    IS_A_TEXT,
    IS_AB,
    IS_LOOSE,
    IS_PICK
};

static const surety_str two_words[] = {NAME("red"), NAME("blue")};
static const surety_str plain_word[] = {NAME("\"red\"")};
static const surety_str escaped_word[] = {NAME("\"r\\u0065d\"")};
static const surety_str true_word[] = {NAME("true")};
static const surety_str false_word[] = {NAME("false")};
static const surety_str null_word[] = {NAME("null")};
static const surety_str array_word[] = {NAME("[]")};
static const surety_str empty_word[] = {NAME("{}")};
static const surety_str five_word[] = {NAME("5.0")};

static const surety_typed_member a_members[] = {NEEDED("a", IS_INT)};
static const surety_typed_member a_text_members[] = {NEEDED("a", IS_TEXT)};
static const surety_typed_member ab_members[] = {NEEDED("a", IS_INT),
                                                 NEEDED("b", IS_INT)};
/* One that may be absent, one with a default, one that may be null. */
static const surety_typed_member loose_members[] = {
    {NAME("a"), IS_INT, NONE, NONE, SURETY_TYPED_POINTER, NONE, NULL},
    {NAME("b"), IS_INT, NONE, NONE, NONE, NONE, "7"},
    {NAME("c"), IS_INT, NONE, NONE, SURETY_TYPED_POINTER, SURETY_TYPED_POINTER,
     NULL},
};

/* ORDER the IS_ constants above. The last, the union, is each case's own. */
static const surety_typed_type leaves[] = {
    LEAF(SURETY_TYPED_BOOL, NULL, 0),
    LEAF(SURETY_TYPED_INT, NULL, 0),
    LEAF(SURETY_TYPED_UINT, NULL, 0),
    LEAF(SURETY_TYPED_REAL, NULL, 0),
    LEAF(SURETY_TYPED_NUMBER, NULL, 0),
    LEAF(SURETY_TYPED_TEXT, NULL, 0),
    LEAF(SURETY_TYPED_VALUE, NULL, 0),
    LEAF(SURETY_TYPED_ENUM, two_words, 2),
    LEAF(SURETY_TYPED_LIST, NULL, 0),
    LEAF(SURETY_TYPED_TUPLE, NULL, 0),
    LEAF(SURETY_TYPED_MAP, NULL, 0),
    LEAF(SURETY_TYPED_FIXED, plain_word, 0),
    LEAF(SURETY_TYPED_FIXED, escaped_word, 0),
    LEAF(SURETY_TYPED_FIXED, true_word, 0),
    LEAF(SURETY_TYPED_FIXED, false_word, 0),
    LEAF(SURETY_TYPED_FIXED, null_word, 0),
    LEAF(SURETY_TYPED_FIXED, array_word, 0),
    LEAF(SURETY_TYPED_FIXED, empty_word, 0),
    LEAF(SURETY_TYPED_FIXED, five_word, 0),
    OBJECT(a_members, 1),
    OBJECT(a_text_members, 1),
    OBJECT(ab_members, 2),
    OBJECT(loose_members, 3),
};

/* Reads text as a union of branches and gives the number of the one chosen. */
static surety_status choose(struct check *t, const char *contract_text,
                            const surety_typed_member *branches, uint32_t count,
                            const char *text, uint32_t *ret_branch)
{
    surety_typed_type types[IS_PICK + 1];
    const surety_typed typed = {types, IS_PICK + 1, IS_PICK, "a/pick", NULL};
    surety_contract *contract = NULL;
    surety_doc *doc = surety_doc_new(check_alloc(t));
    const void *value = NULL;
    surety_status status =
        doc ? check_contract(t, contract_text, &contract) : SURETY_NOMEM;

    memcpy(types, leaves, sizeof(leaves));
    types[IS_PICK] = (surety_typed_type){SURETY_TYPED_UNION,
                                         "pick",
                                         8,
                                         4,
                                         branches,
                                         NULL,
                                         count,
                                         NULL,
                                         NONE,
                                         NONE,
                                         NONE};
    if (status == SURETY_OK)
        status = surety_doc_read(doc, surety_str_of(text), NULL, NULL);
    if (status == SURETY_OK)
        status = surety_typed_from(&typed, contract, surety_doc_root(doc),
                                   &value, NULL);
    if (status == SURETY_OK)
        memcpy(ret_branch, value, sizeof(*ret_branch));
    surety_typed_free(value);
    surety_doc_free(doc);
    surety_contract_free(contract);
    return status;
}

/* Each form beside none that could take its place: taken, or no branch is. */
TEST(kinds_and_words_decide)
{
    static const struct {
        uint32_t type;
        const char *yes[4], *no[8];
    } cases[] = {
        {IS_BOOL, {"true", "false"}, {"null", "0", "\"true\"", "[]", "{}"}},
        {IS_INT, {"0", "-1", "1.0"}, {"1.5", "\"1\"", "true", "[]", "{}"}},
        {IS_UINT, {"0", "1e2"}, {"1.5", "\"1\"", "null"}},
        {IS_REAL, {"1", "1.5", "-2"}, {"\"1\"", "null", "true"}},
        {IS_NUMBER, {"1", "1e400"}, {"\"1\"", "null"}},
        {IS_TEXT, {"\"\"", "\"red\""}, {"1", "null", "[]"}},
        {IS_VALUE, {"1", "null", "[]", "{}"}, {NULL}},
        {IS_WORDS, {"\"red\"", "\"blue\""}, {"\"green\"", "\"\"", "1", "null"}},
        {IS_LIST, {"[]", "[1]"}, {"{}", "null", "\"\""}},
        {IS_MAP, {"{}", "{\"a\":1}"}, {"[]", "null", "\"\""}},
        {IS_PLAIN, {"\"red\""}, {"\"re\"", "\"redd\"", "\"\"", "1", "null"}},
        {IS_ESCAPED, {"\"red\""}, {"1", "null", "[]"}},
        {IS_TRUE, {"true"}, {"false", "null", "\"true\"", "1"}},
        {IS_FALSE, {"false"}, {"true", "null", "\"false\"", "0"}},
        {IS_NULL, {"null"}, {"0", "false", "\"\"", "[]", "{}"}},
        {IS_ARRAY, {"[]"}, {"{}", "null", "\"[]\"", "5"}},
        {IS_EMPTY, {"{}"}, {"[]", "null", "\"{}\"", "5"}},
        {IS_FIVE, {"5", "5.00", "50e-1"}, {"6", "\"5\"", "null", "true", "[]"}},
        {IS_A, {"{\"a\":1}", "{\"a\":1,\"z\":0}"}, {"{}", "{\"a\":\"\"}"}},
        {IS_AB, {"{\"b\":1,\"a\":2}"}, {"{\"a\":1}", "{\"b\":1}", "[]"}},
        {IS_LOOSE,
         {"{}", "{\"c\":null}", "{\"b\":1,\"c\":2}"},
         {"{\"a\":null}", "{\"b\":null}", "{\"c\":\"\"}", "{\"b\":true}"}},
    };

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        const surety_typed_member branches[] = {NEEDED("it", cases[i].type)};
        uint32_t got = 9;

        for (size_t j = 0; j < 4 && cases[i].yes[j]; j++) {
            TRY(choose(t, "{}", branches, 1, cases[i].yes[j], &got));
            CHECK(got == 0);
        }
        for (size_t j = 0; j < 8 && cases[i].no[j]; j++)
            EXPECT(SURETY_SYNTAX,
                   choose(t, "{}", branches, 1, cases[i].no[j], &got));
    }
done:;
}

/* Without a word of the contract the first of those that know most is taken. */
TEST(known_members_decide)
{
    static const struct {
        uint32_t types[4];
        uint32_t count, want;
        const char *text;
    } cases[] = {
        {{IS_A, IS_AB}, 2, 1, "{\"a\":1,\"b\":2}"},
        {{IS_AB, IS_A}, 2, 0, "{\"a\":1,\"b\":2}"},
        {{IS_A, IS_AB}, 2, 0, "{\"a\":1,\"c\":2}"},
        {{IS_A, IS_A}, 2, 0, "{\"a\":1}"},
        {{IS_A_TEXT, IS_A}, 2, 1, "{\"a\":1}"},
        {{IS_MAP, IS_A}, 2, 1, "{\"a\":1}"},
        {{IS_MAP, IS_A}, 2, 0, "{\"b\":1}"},
        {{IS_MAP, IS_LOOSE, IS_A}, 3, 1, "{\"a\":1}"},
        {{IS_MAP, IS_A, IS_LOOSE}, 3, 2, "{\"a\":1,\"c\":null}"},
        {{IS_A, IS_AB, IS_LOOSE}, 3, 1, "{\"a\":1,\"b\":2}"},
        {{IS_AB, IS_LOOSE}, 2, 1, "{\"a\":1,\"b\":2,\"c\":3}"},
        {{IS_TEXT, IS_WORDS}, 2, 1, "\"red\""},
        {{IS_TEXT, IS_WORDS}, 2, 0, "\"green\""},
        {{IS_TEXT, IS_PLAIN}, 2, 1, "\"red\""},
        {{IS_WORDS, IS_PLAIN}, 2, 0, "\"red\""},
        {{IS_VALUE, IS_TEXT, IS_FIVE}, 3, 2, "5"},
        {{IS_VALUE, IS_EMPTY}, 2, 1, "{}"},
        {{IS_INT, IS_REAL}, 2, 0, "1"},
        {{IS_INT, IS_REAL}, 2, 1, "1.5"},
        {{IS_NULL, IS_TEXT, IS_LIST, IS_A}, 4, 3, "{\"a\":1}"},
    };

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        surety_typed_member branches[4];
        uint32_t got = 9;

        for (size_t j = 0; j < 4; j++)
            branches[j] = (surety_typed_member)NEEDED("it", cases[i].types[j]);
        TRY(choose(t, "{}", branches, cases[i].count, cases[i].text, &got));
        CHECK(got == cases[i].want);
    }
done:;
}

/* A union within a schema, at each place that says what a value is. */
#define UNION                                                                  \
    "{\"anyOf\":[{\"maxLength\":2},{\"maxLength\":4},{\"minLength\":4}]}"

static const struct {
    const char *before, *after, *pointer;
} homes[] = {
    {"", "", ""},
    {"{\"properties\":{\"x\":{},\"y\":", "}}", "/properties/y"},
    {"{\"patternProperties\":{\"x\":{},\"y\":", "}}", "/patternProperties/y"},
    {"{\"additionalProperties\":", "}", "/additionalProperties"},
    {"{\"unevaluatedProperties\":", "}", "/unevaluatedProperties"},
    {"{\"prefixItems\":[{},", "]}", "/prefixItems/1"},
    {"{\"items\":", "}", "/items"},
    {"{\"unevaluatedItems\":", "}", "/unevaluatedItems"},
    {"{\"oneOf\":[{},", "]}", "/oneOf/1"},
    {"{\"allOf\":[", "]}", "/allOf/0"},
    {"{\"not\":", "}", "/not"},
    {"{\"if\":{},\"then\":", "}", "/then"},
    {"{\"dependentSchemas\":{\"x\":", "}}", "/dependentSchemas/x"},
    {"{\"$ref\":\"#/$defs/x\",\"$defs\":{\"x\":", "}}", "/$defs/x"},
    {"{\"properties\":{\"x\":{\"items\":", "}}}", "/properties/x/items"},
};

TEST(the_contract_decides)
{
    static const struct {
        const char *text;
        uint32_t want;
    } cases[] = {
        /* Of those that are valid the first, as they know as much. */
        {"\"a\"", 0},
        {"\"abc\"", 1},
        {"\"abcd\"", 1},
        {"\"abcde\"", 2},
    };

    for (size_t i = 0; i < CHECK_COUNT(homes) * CHECK_COUNT(cases); i++) {
        const size_t home = i / CHECK_COUNT(cases);
        const size_t one = i % CHECK_COUNT(cases);
        surety_typed_member branches[3];
        char contract[256], pointers[3][64];
        uint32_t got = 9;

        snprintf(contract, sizeof(contract), "%s%s%s", homes[home].before,
                 UNION, homes[home].after);
        for (size_t j = 0; j < 3; j++) {
            snprintf(pointers[j], sizeof(pointers[j]), "%s/anyOf/%d",
                     homes[home].pointer, (int)j);
            branches[j] = (surety_typed_member){
                NAME("it"), IS_TEXT, NONE, NONE, NONE, NONE, pointers[j]};
        }
        TRY(choose(t, contract, branches, 3, cases[one].text, &got));
        CHECK(got == cases[one].want);
    }
done:;
}

/* Validity comes before known members; where no branch is valid, or the
 * contract says nothing of one, the members decide. */
TEST(validity_comes_first)
{
    static const char contract[] =
        "{\"anyOf\":[{\"required\":[\"a\"],\"maxProperties\":2},"
        "{\"maxProperties\":1},false,{\"minProperties\":3}]}";
    static const struct {
        uint32_t types[3];
        const char *pointers[3], *text;
        uint32_t want;
    } cases[] = {
        /* The one that knows more is not valid. */
        {{IS_A, IS_AB, IS_LOOSE},
         {"/anyOf/0", "/anyOf/1", "/anyOf/2"},
         "{\"a\":1,\"b\":2}",
         0},
        {{IS_AB, IS_A, IS_LOOSE},
         {"/anyOf/1", "/anyOf/0", "/anyOf/2"},
         "{\"a\":1,\"b\":2}",
         1},
        /* Two are valid: the one that knows more. */
        {{IS_A, IS_AB, IS_LOOSE},
         {"/anyOf/0", "/anyOf/2", "/anyOf/0"},
         "{\"a\":1,\"b\":2}",
         2},
        /* None is valid. */
        {{IS_A, IS_AB, IS_MAP},
         {"/anyOf/2", "/anyOf/2", "/anyOf/1"},
         "{\"a\":1,\"b\":2}",
         1},
        /* No pointer, a pointer to nothing, and one to no schema. */
        {{IS_AB, IS_A, IS_MAP},
         {"/anyOf/1", NULL, "/anyOf/1"},
         "{\"a\":1,\"b\":2}",
         1},
        {{IS_AB, IS_A, IS_MAP},
         {"/anyOf/1", "/anyOf/9", "/anyOf/1"},
         "{\"a\":1,\"b\":2}",
         1},
        {{IS_AB, IS_A, IS_MAP},
         {"/anyOf/1", "/anyOf/0/maxProperties", "/anyOf/1"},
         "{\"a\":1,\"b\":2}",
         1},
        /* One branch is left by its members: its validity is not asked. */
        {{IS_A_TEXT, IS_AB, IS_TEXT},
         {"/anyOf/0", "/anyOf/2", "/anyOf/0"},
         "{\"a\":1,\"b\":2}",
         1},
        {{IS_A, IS_AB, IS_MAP},
         {"/anyOf/0", "/anyOf/0", "/anyOf/3"},
         "{\"a\":1,\"b\":2,\"c\":3}",
         2},
    };

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        surety_typed_member branches[3];
        uint32_t got = 9;

        for (size_t j = 0; j < 3; j++)
            branches[j] = (surety_typed_member){
                NAME("it"), cases[i].types[j],   NONE, NONE, NONE,
                NONE,       cases[i].pointers[j]};
        TRY(choose(t, contract, branches, 3, cases[i].text, &got));
        CHECK(got == cases[i].want);
    }
done:;
}

/* Sixty-four branches are looked at, and the last of them as the first. */
TEST(many_branches)
{
    static const char contract[] = "{\"anyOf\":[false,{\"minLength\":1}]}";
    surety_typed_member branches[BRANCHES_MAX];
    uint32_t got = 99;

    for (size_t i = 0; i < BRANCHES_MAX; i++)
        branches[i] = (surety_typed_member){
            NAME("it"), IS_TEXT, NONE, NONE, NONE, NONE, "/anyOf/0"};
    branches[63].fill = "/anyOf/1";
    TRY(choose(t, contract, branches, 64, "\"x\"", &got));
    CHECK(got == 63);
    TRY(choose(t, contract, branches, BRANCHES_MAX, "\"x\"", &got));
    CHECK(got == 63);
    branches[63].type = IS_INT;
    branches[64].type = IS_INT;
    TRY(choose(t, contract, branches, BRANCHES_MAX, "1", &got));
    CHECK(got == 63);
    branches[63].type = IS_TEXT;
    EXPECT(SURETY_SYNTAX,
           choose(t, contract, branches, BRANCHES_MAX, "1", &got));
    EXPECT(SURETY_SYNTAX, choose(t, contract, branches, 0, "1", &got));
done:;
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"kinds and words decide", kinds_and_words_decide},
        {"known members decide", known_members_decide},
        {"the contract decides", the_contract_decides},
        {"validity comes first", validity_comes_first},
        {"many branches", many_branches},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
