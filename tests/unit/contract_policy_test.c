/* SPDX-License-Identifier: Apache-2.0 */
/* Contract files: what x-surety says, what a plain schema gets, and where a
 * mistake is said to be. */
#include "check.h"
#include "contract/contract.h"

#include <string.h>

static surety_status policy_try(struct check *t, const char *text,
                                surety_contract **ret, surety_error *err)
{
    const surety_contract_options options = {.size = sizeof(options),
                                             .name = surety_str_of("stem"),
                                             .alloc = check_alloc(t)};

    return surety_contract_read(surety_str_of(text), &options, ret, err);
}

TEST(reads_a_plain_schema)
{
    surety_contract *contract = NULL;

    TRY(policy_try(t, "\xEF\xBB\xBF{\"type\":\"string\"}", &contract, NULL));
    CHECK_TEXT(surety_contract_info_of(contract)->name, "stem");
    CHECK_TEXT(surety_contract_info_of(contract)->version, "");
    CHECK_TEXT(surety_contract_info_of(contract)->id, "stem");
    CHECK(surety_contract_info_of(contract)->extract->from_count == 0);
    CHECK(!surety_contract_info_of(contract)->extract->pick_last);
    CHECK(!surety_contract_info_of(contract)->extract->keep_reasoning);
    CHECK(surety_contract_info_of(contract)->repair == SURETY_REPAIR_NONE);
    CHECK(!surety_contract_info_of(contract)->strips_unknown);
    CHECK(surety_contract_info_of(contract)->fills_defaults);
    CHECK(surety_contract_info_of(contract)->fallback == SURETY_FALLBACK_NONE);
    CHECK(!surety_contract_info_of(contract)->fallback_value.doc);
    CHECK(surety_contract_info_of(contract)->rule_count == 0);
    CHECK(!surety_contract_info_of(contract)->derive.doc);
    CHECK_TEXT(surety_contract_info_of(contract)->deprecated, "");
    CHECK(surety_contract_info_of(contract)->retry_max == 2);
    CHECK(surety_contract_info_of(contract)->feedback ==
          SURETY_FEEDBACK_ERRORS);
    CHECK(contract->policy.prompt_style == PROMPT_JSON_SCHEMA);
    CHECK(surety_contract_info_of(contract)->schema != NULL);
    CHECK(surety_val_is(
        surety_val_get(surety_contract_info_of(contract)->root, "type"),
        "string"));
done:
    surety_contract_free(contract);
}

TEST(reads_a_boolean)
{
    surety_contract *contract = NULL;

    TRY(policy_try(t, "true", &contract, NULL));
    CHECK(surety_contract_info_of(contract)->fills_defaults);
done:
    surety_contract_free(contract);
}

TEST(reads_every_member)
{
    static const char text[] =
        "{\"x-surety\":{"
        "\"name\":\"team/answer\",\"version\":\"1.2.3\","
        "\"aliases\":[\"team/reply\",\"answer\"],"
        "\"extract\":{\"from\":[\"marker\",\"fence\"],\"pick\":\"last\","
        "\"marker\":\"Answer:\",\"skip_reasoning\":false},"
        "\"repair\":\"none\",\"unknown\":\"strip\",\"defaults\":false,"
        "\"retry\":{\"max\":5,\"feedback\":\"patch\"},"
        "\"fallback\":{\"kind\":\"text\",\"value\":{\"a\":[\"\"]},"
        "\"field\":\"/a/0\"},"
        "\"prompt\":{\"style\":\"typescript\",\"example\":{\"a\":1}},"
        "\"deprecated\":\"use team/other\"}}";
    surety_contract *contract = NULL;
    const surety_extract *extract;

    TRY(policy_try(t, text, &contract, NULL));
    CHECK_TEXT(surety_contract_info_of(contract)->name, "team/answer");
    CHECK_TEXT(surety_contract_info_of(contract)->version, "1.2.3");
    CHECK_TEXT(surety_contract_info_of(contract)->id, "team/answer@1.2.3");
    extract = surety_contract_info_of(contract)->extract;
    CHECK(extract->from_count == 2);
    CHECK(extract->from[0] == SURETY_PLACE_MARKER);
    CHECK(extract->from[1] == SURETY_PLACE_FENCE);
    CHECK(extract->pick_last);
    CHECK(extract->keep_reasoning);
    CHECK_TEXT(extract->marker, "Answer:");
    CHECK(surety_contract_info_of(contract)->strips_unknown);
    CHECK(!surety_contract_info_of(contract)->fills_defaults);
    CHECK(surety_contract_info_of(contract)->fallback == SURETY_FALLBACK_TEXT);
    CHECK(surety_val_count(surety_contract_info_of(contract)->fallback_value) ==
          1);
    CHECK_TEXT(surety_contract_info_of(contract)->fallback_field, "/a/0");
    CHECK_TEXT(surety_contract_info_of(contract)->deprecated, "use team/other");
done:
    surety_contract_free(contract);
}

TEST(reads_every_level_of_repair)
{
    static const struct {
        const char *text;
        surety_repair repair;
        bool partial;
    } cases[] = {
        {"{\"x-surety\":{\"repair\":\"none\"}}", SURETY_REPAIR_NONE, false},
        {"{\"x-surety\":{\"repair\":\"syntax\",\"partial\":false}}",
         SURETY_REPAIR_SYNTAX, false},
        {"{\"x-surety\":{\"repair\":\"align\",\"partial\":true}}",
         SURETY_REPAIR_ALIGN, true},
        {"{\"x-surety\":{\"partial\":true}}", SURETY_REPAIR_NONE, true},
        {"{}", SURETY_REPAIR_NONE, false},
        {"true", SURETY_REPAIR_NONE, false},
    };
    surety_contract *contract = NULL;

    for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
        TRY(policy_try(t, cases[i].text, &contract, NULL));
        CHECK(surety_contract_info_of(contract)->repair == cases[i].repair);
        CHECK(surety_contract_info_of(contract)->partial == cases[i].partial);
        surety_contract_free(contract);
        contract = NULL;
    }
done:
    surety_contract_free(contract);
}

TEST(knows_the_names_of_properties)
{
    static const char text[] =
        "{\"properties\":{\"a\":{\"properties\":{\"b c\":true,\"\":true}},"
        "\"d\":true},\"$defs\":{\"e\":{\"properties\":{\"f\":{},"
        "\"properties\":{\"properties\":{\"g\":true}}}}},"
        "\"x\":{\"properties\":1},\"required\":[\"r\"]}";
    static const char *const expected[] = {"a", "b c",        "", "d",
                                           "f", "properties", "g"};
    static const char *const others[] = {"e", "x", "r", "b", "A", "aa"};
    surety_contract *contract = NULL;

    TRY(policy_try(t, text, &contract, NULL));
    for (size_t i = 0; i < CHECK_COUNT(expected); i++)
        CHECK(surety__contract_expects(contract, surety_str_of(expected[i])));
    for (size_t i = 0; i < CHECK_COUNT(others); i++)
        CHECK(!surety__contract_expects(contract, surety_str_of(others[i])));
    surety_contract_free(contract);
    contract = NULL;
    TRY(policy_try(t, "true", &contract, NULL));
    CHECK(!surety__contract_expects(contract, surety_str_of("a")));
done:
    surety_contract_free(contract);
}

TEST(keeps_what_prompts_need)
{
    static const char text[] =
        "{\"x-surety\":{\"aliases\":[\"team/reply\",\"answer\"],"
        "\"retry\":{\"max\":5,\"feedback\":\"patch\"},"
        "\"prompt\":{\"style\":\"typescript\",\"example\":{\"a\":1}}}}";
    surety_contract *contract = NULL;
    const surety__policy *policy;

    TRY(policy_try(t, text, &contract, NULL));
    policy = &contract->policy;
    CHECK(policy->info.retry_max == 5);
    CHECK(policy->info.feedback == SURETY_FEEDBACK_PATCH);
    CHECK(policy->prompt_style == PROMPT_TYPESCRIPT);
    CHECK(surety_val_count(policy->prompt_example) == 1);
    CHECK(surety_val_count(policy->aliases) == 2);
done:
    surety_contract_free(contract);
}

/* What is wrong with a contract, and where. */
struct mistake {
    const char *own; /* the members of x-surety */
    surety_status status;
    const char *path, *message, *hint;
    unsigned column;
};

static const struct mistake mistakes[] = {
    {"\"extract\":{\"from\":[\"whole\",\"marker\"]}", SURETY_SYNTAX,
     "/x-surety/extract/from/1", "the place \"marker\" needs a marker",
     "add \"marker\": \"Final Answer:\" to extract", 41},
    {"\"fallback\":{\"kind\":\"value\"}", SURETY_SYNTAX, "/x-surety/fallback",
     "a fallback \"value\" needs a value", "", 25},
    {"\"fallback\":{\"kind\":\"null\",\"value\":1}", SURETY_SYNTAX,
     "/x-surety/fallback/value", "a fallback \"null\" takes no value", "", 48},
    {"\"fallback\":{\"kind\":\"value\",\"value\":1,\"field\":\"\"}",
     SURETY_SYNTAX, "/x-surety/fallback/field",
     "a fallback \"value\" takes no field", "", 59},
    {"\"fallback\":{\"kind\":\"text\",\"value\":{\"b\":\"\"}}", SURETY_SYNTAX,
     "/x-surety/fallback", "a fallback \"text\" needs a field", "", 25},
    {"\"fallback\":{\"kind\":\"text\",\"value\":{},\"field\":\"/a\"}",
     SURETY_SYNTAX, "/x-surety/fallback/field",
     "the field \"/a\" leads nowhere in the value", "", 59},
    {"\"prompt\":{\"instructions\":\"${promt}\"}", SURETY_SYNTAX,
     "/x-surety/prompt/instructions",
     "${promt} is no variable of the instructions",
     "there are ${prompt}, ${schema}, ${example} and ${examples}; $${ stands "
     "for the text "
     "${",
     40},
    {"\"prompt\":{\"reask\":\"\\u00e9\\n\\ud83d\\ude00 ${a}\"}", SURETY_SYNTAX,
     "/x-surety/prompt/reask", "${a} is no variable of a re-ask",
     "there are ${prompt}, ${schema}, ${example}, ${errors} and ${reply}; $${ "
     "stands for the text ${",
     54},
    {"\"prompt\":{\"system\":\"$${a} \\\\ ${errors\"}", SURETY_SYNTAX,
     "/x-surety/prompt/system", "the variable that begins here has no \"}\"",
     "there are ${prompt}, ${schema}, ${example} and ${examples}; $${ stands "
     "for the text "
     "${",
     43},
    {"\"name\":\"a/b\",\"aliases\":[\"c\",\"a/b\"]", SURETY_SYNTAX,
     "/x-surety/aliases/1", "the alias is the contract's own name", "", 42},
};

TEST(says_where_members_disagree)
{
    surety_contract *contract = NULL;
    surety_error err;

    for (size_t i = 0; i < CHECK_COUNT(mistakes); i++) {
        const struct mistake *row = &mistakes[i];
        char text[256];

        snprintf(text, sizeof(text), "{\"x-surety\":{%s}}", row->own);
        EXPECT(row->status, policy_try(t, text, &contract, &err));
        CHECK_TEXT(surety_str_of(err.path), row->path);
        CHECK_TEXT(surety_str_of(err.message), row->message);
        CHECK_TEXT(surety_str_of(err.hint), row->hint);
        CHECK(err.position.line == 1);
        CHECK(err.position.column == row->column);
    }
done:
    surety_contract_free(contract);
}

static const struct mistake wrong[] = {
    {"\"version\":\"1.0\"", SURETY_SYNTAX, "/x-surety/version",
     "x-surety/version: \"1.0\" is no semantic version (1.0.0)", NULL, 24},
    {"\"name\":\"A b\"", SURETY_SYNTAX, "/x-surety/name",
     "x-surety/name: \"A b\" is no contract name (lower-case words joined by "
     "\"/\")",
     NULL, 21},
    {"\"defaults\":1", SURETY_SYNTAX, "/x-surety/defaults", NULL, NULL, 25},
    {"\"prompt\":{\"reask\":\"\"}", SURETY_SYNTAX, "/x-surety/prompt/reask",
     NULL, NULL, 32},
    {"\"prompt\":{\"sytem\":\"a\"}", SURETY_SYNTAX, "/x-surety/prompt/sytem",
     NULL, "system", 24},
    {"\"retry\":{\"max\":11}", SURETY_SYNTAX, "/x-surety/retry/max", NULL, NULL,
     29},
    {"\"rules\":[{\"id\":\"a\",\"expr\":\".\"}]", SURETY_SYNTAX,
     "/x-surety/rules/0", NULL, NULL, 23},
    {"\"extract\":{\"from\":[\"fences\"]}", SURETY_SYNTAX,
     "/x-surety/extract/from/0", NULL, NULL, 33},
    {"\"extrct\":{}", SURETY_SYNTAX, "/x-surety/extrct", NULL, "extract", 14},
    {"\"fallback\":{\"kind\":\"text\",\"feild\":\"\"}", SURETY_SYNTAX,
     "/x-surety/fallback/feild", NULL, "field", 40},
};

TEST(says_what_is_no_policy)
{
    surety_contract *contract = NULL;
    surety_error err;

    for (size_t i = 0; i < CHECK_COUNT(wrong); i++) {
        const struct mistake *row = &wrong[i];
        char text[256];

        snprintf(text, sizeof(text), "{\"x-surety\":{%s}}", row->own);
        EXPECT(row->status, policy_try(t, text, &contract, &err));
        CHECK_TEXT(surety_str_of(err.path), row->path);
        CHECK(!strncmp(err.message, "x-surety", 8));
        if (row->message)
            CHECK_TEXT(surety_str_of(err.message), row->message);
        if (row->hint)
            CHECK(strstr(err.hint, row->hint));
        CHECK(err.position.line == 1);
        CHECK(err.position.column == row->column);
    }
done:
    surety_contract_free(contract);
}

TEST(refuses_what_is_no_contract)
{
    surety_contract *contract = NULL;
    surety_error err;

    EXPECT(SURETY_SYNTAX, policy_try(t, "[1]", &contract, &err));
    CHECK_TEXT(surety_str_of(err.message),
               "a contract is an object or a boolean, and this is an array");
    EXPECT(SURETY_SYNTAX, policy_try(t, "\n \"a\"", &contract, &err));
    CHECK_TEXT(surety_str_of(err.message),
               "a contract is an object or a boolean, and this is a string");
    CHECK(err.position.line == 2 && err.position.column == 2);
    EXPECT(SURETY_SYNTAX, policy_try(t, "{\"a\":}", &contract, &err));
    CHECK(err.position.line == 1 && err.position.column == 6);
    EXPECT(SURETY_SYNTAX, policy_try(t, "", &contract, &err));
done:
    surety_contract_free(contract);
}

TEST(keeps_the_size_limit)
{
    static const char text[] = "{\"title\":\"abc\"}";
    surety_limits limits = {.size = sizeof(limits)};
    surety_contract_options options = {
        .size = sizeof(options), .limits = &limits, .alloc = check_alloc(t)};
    surety_contract *contract = NULL;

    for (size_t room = sizeof(text) - 1; room <= sizeof(text); room++) {
        limits.schema_bytes_max = room;
        TRY(surety_contract_read(surety_str_of(text), &options, &contract,
                                 NULL));
        surety_contract_free(contract);
        contract = NULL;
    }
    limits.schema_bytes_max = sizeof(text) - 2;
    EXPECT(SURETY_LIMIT, surety_contract_read(surety_str_of(text), &options,
                                              &contract, NULL));
done:
    surety_contract_free(contract);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"reads a plain schema", reads_a_plain_schema},
        {"reads a boolean", reads_a_boolean},
        {"reads every member", reads_every_member},
        {"reads every level of repair", reads_every_level_of_repair},
        {"knows the names of properties", knows_the_names_of_properties},
        {"keeps what prompts need", keeps_what_prompts_need},
        {"says where members disagree", says_where_members_disagree},
        {"says what is no policy", says_what_is_no_policy},
        {"refuses what is no contract", refuses_what_is_no_contract},
        {"keeps the size limit", keeps_the_size_limit},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
