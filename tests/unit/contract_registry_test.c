/* SPDX-License-Identifier: Apache-2.0 */
/* The registry: files, folders, versions, aliases, the built-in set, and what
 * is said of a name that nobody has. Works in a folder of its own. */
#include "check.h"
#include "contract/contract.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *path, *text;
} files[] = {
    {"one/team/answer.json",
     "{\"title\":\"Answer\",\"x-surety\":{\"name\":\"team/answer\","
     "\"version\":\"1.2.0\",\"aliases\":[\"team/reply\"]}}"},
    {"one/team/answer@1.1.0.json",
     "{\"x-surety\":{\"name\":\"team/answer\",\"version\":\"1.1.0\"}}"},
    {"one/team/answer@1.10.0.json", "{\"x-surety\":{\"version\":\"1.10.0\"}}"},
    {"one/team/answer@2.0.0-rc.1.json",
     "{\"x-surety\":{\"version\":\"2.0.0-rc.1\"}}"},
    {"one/plain.json", "{\"description\":\"Plain\"}"},
    {"one/broken.json", "{\"a\":\n }"},
    {"one/misnamed.json", "{\"x-surety\":{\"name\":\"other\"}}"},
    {"one/Loud.json", "{}"},
    {"three/list.json", "[1]"},
    {"three/number.json", "\n 3"},
    {"three/never.json", "false"},
    {"three/answer@4.0.0.json", "{\"x-surety\":{\"version\":\"4.0.1\"}}"},
    {"one/note.txt", "no contract"},
    {"one/.hidden.json", "{}"},
    {"two/team/answer.json", "{\"x-surety\":{\"version\":\"3.0.0\"}}"},
    {"two/team/answer@1.1.0.json",
     "{\"title\":\"hidden\",\"x-surety\":{\"version\":\"1.1.0\"}}"},
    {"two/plain.json", "{\"x-surety\":{\"deprecated\":\"use team/answer\"}}"},
    {"two/simple/message.json", "{\"x-surety\":{\"version\":\"0.1.0\"}}"},
};
static const char *const folders[] = {"one",      "one/team",   "two",
                                      "two/team", "two/simple", "three"};

static surety_status open_registry(struct check *t, const char *where,
                                   surety_registry **ret)
{
    const surety_contract_options contract = {.size = sizeof(contract),
                                              .alloc = check_alloc(t)};

    return surety_registry_new(surety_str_of(where), &contract, ret, NULL);
}

TEST(finds_by_name_and_version)
{
    static const struct {
        const char *name, *id;
    } rows[] = {
        {"team/answer", "team/answer@1.10.0"},
        {"team/answer@1", "team/answer@1.10.0"},
        {"team/answer@1.2", "team/answer@1.2.0"},
        {"team/answer@1.1.0", "team/answer@1.1.0"},
        {"team/answer@2", "team/answer@2.0.0-rc.1"},
        {"team/answer@3", "team/answer@3.0.0"}, /* only the second has it */
        {"team/reply", "team/answer@1.2.0"},
        {"plain", "plain"},
        {"one/plain.json", "plain"},
        {"two/team/answer@1.1.0.json", "answer@1.1.0@1.1.0"},
        {"simple/message", "simple/message@0.1.0"},
        {"simple/message@1", "simple/message@1.0.0"}, /* the built-in one */
        {"simple/analysis@1.0.0", "simple/analysis@1.0.0"},
    };
    surety_registry *registry = NULL;
    surety_contract *contract = NULL;

    TRY(open_registry(t, "one::two:nowhere", &registry));
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        if (t->fail_at && i > 1)
            break; /* the fault runs see the same code in two */
        TRY(surety_registry_find(registry, surety_str_of(rows[i].name),
                                 &contract, NULL));
        CHECK_TEXT(surety_contract_info_of(contract)->id, rows[i].id);
        surety_contract_free(contract);
        contract = NULL;
    }
done:
    surety_contract_free(contract);
    surety_registry_free(registry);
}

TEST(says_what_is_not_there)
{
    static const struct {
        const char *name, *message, *hint;
    } rows[] = {
        {"team/anwser", "no contract or file is called \"team/anwser\"",
         "did you mean team/answer?"},
        {"answer", "no contract or file is called \"answer\"",
         "did you mean team/answer?"},
        {"fixer-result", "no contract or file is called \"fixer-result\"",
         "did you mean maverick/fixer-result or maverick/fix-result?"},
        {"user-story", "no contract or file is called \"user-story\"",
         "did you mean user-story/iteration-output?"},
        {"team/answer@9", "\"team/answer\" has no version 9",
         "there is team/answer@1.1.0"},
        {"team/answer@x", "\"x\" is no version",
         "a request is NAME, NAME@1, NAME@1.2 or NAME@1.2.3"},
        {"zzzzzzzzzzzz", "no contract or file is called \"zzzzzzzzzzzz\"", ""},
        {"../one/plain", "no contract or file is called \"../one/plain\"",
         NULL},
        {"one/missing.json",
         "no contract or file is called "
         "\"one/missing.json\"",
         NULL},
        {"", "no contract or file is called \"\"", NULL},
    };
    surety_registry *registry = NULL;
    surety_contract *contract = NULL;
    surety_error err;

    TRY(open_registry(t, "one:two", &registry));
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        if (t->fail_at && i > 1)
            break; /* the fault runs see the same code in two */
        EXPECT(SURETY_END,
               surety_registry_find(registry, surety_str_of(rows[i].name),
                                    &contract, &err));
        CHECK_TEXT(surety_str_of(err.message), rows[i].message);
        if (rows[i].hint)
            CHECK_TEXT(surety_str_of(err.hint), rows[i].hint);
    }
    EXPECT(SURETY_END,
           surety_registry_find(registry, (surety_str){"plain\0", 6}, &contract,
                                &err));
done:
    surety_contract_free(contract);
    surety_registry_free(registry);
}

TEST(says_which_file_is_wrong)
{
    surety_registry *registry = NULL;
    surety_contract *contract = NULL;
    surety_error err;

    TRY(open_registry(t, "one", &registry));
    EXPECT(SURETY_SYNTAX,
           surety_registry_find(registry, surety_str_of("broken"), &contract,
                                &err));
    CHECK_TEXT(surety_str_of(err.source), "one/broken.json");
    CHECK(err.position.line == 2 && err.position.column == 2);
    EXPECT(SURETY_SYNTAX,
           surety_registry_find(registry, surety_str_of("misnamed"), &contract,
                                &err));
    CHECK_TEXT(surety_str_of(err.source), "one/misnamed.json");
    CHECK_TEXT(surety_str_of(err.message),
               "the contract is called \"other\", but its file is that of "
               "\"misnamed\"");
    EXPECT(SURETY_SYNTAX,
           surety_registry_find(registry, surety_str_of("one/broken.json"),
                                &contract, &err));
    CHECK_TEXT(surety_str_of(err.source), "one/broken.json");
done:
    surety_contract_free(contract);
    surety_registry_free(registry);
}

TEST(keeps_the_file_limit)
{
    const size_t len = strlen("{\"description\":\"Plain\"}");
    surety_limits limits = {.size = sizeof(limits)};
    const surety_contract_options contract_options = {
        .size = sizeof(contract_options),
        .limits = &limits,
        .alloc = check_alloc(t)};
    surety_registry *registry = NULL;
    surety_contract *contract = NULL;
    surety_error err;

    for (size_t room = len - 1; room <= len + 1; room++) {
        limits.schema_bytes_max = room;
        TRY(surety_registry_new(surety_str_of("one"), &contract_options,
                                &registry, NULL));
        EXPECT(room < len ? SURETY_LIMIT : SURETY_OK,
               surety_registry_find(registry, surety_str_of("plain"), &contract,
                                    &err));
        if (room < len)
            CHECK_TEXT(surety_str_of(err.source), "one/plain.json");
        surety_contract_free(contract);
        contract = NULL;
        surety_registry_free(registry);
        registry = NULL;
    }
done:
    surety_contract_free(contract);
    surety_registry_free(registry);
}

TEST(lists_what_there_is)
{
    static const struct {
        const char *name, *version, *title, *source, *deprecated, *alias_of,
            *error;
    } rows[] = {
        {"Loud", "", "", "one/Loud.json", "", "",
         "the file's name is no contract name"},
        {"broken", "", "", "one/broken.json", "", "", NULL},
        {"misnamed", "", "", "one/misnamed.json", "", "",
         "the contract is called \"other\", not as its file"},
        {"plain", "", "Plain", "one/plain.json", "", "", ""},
        {"simple/message", "0.1.0", "", "two/simple/message.json", "", "", ""},
        {"simple/message", "1.0.0", "Message", "built-in", "", "", ""},
        {"team/answer", "1.1.0", "", "one/team/answer@1.1.0.json", "", "", ""},
        {"team/answer", "1.2.0", "Answer", "one/team/answer.json", "", "", ""},
        {"team/answer", "1.10.0", "", "one/team/answer@1.10.0.json", "", "",
         ""},
        {"team/answer", "2.0.0-rc.1", "", "one/team/answer@2.0.0-rc.1.json", "",
         "", ""},
        {"team/answer", "3.0.0", "", "two/team/answer.json", "", "", ""},
        {"team/reply", "1.2.0", "Answer", "one/team/answer.json", "",
         "team/answer", ""},
    };
    surety_registry *registry = NULL;
    const surety_registry_entry *entries = NULL;
    size_t count = 0;
    size_t row = 0;

    TRY(open_registry(t, "one:two", &registry));
    TRY(surety_registry_list(registry, &entries, &count, NULL));
    TRY(surety_registry_list(registry, &entries, &count, NULL));
    for (size_t i = 0; i < count; i++) {
        const surety_registry_entry entry = entries[i];

        if (surety_str_equal(entry.source, surety_str_of("built-in")) &&
            !surety_str_equal(entry.name, surety_str_of("simple/message")))
            continue;
        CHECK(row < CHECK_COUNT(rows));
        CHECK_TEXT(entry.name, rows[row].name);
        CHECK_TEXT(entry.version, rows[row].version);
        CHECK_TEXT(entry.title, rows[row].title);
        CHECK_TEXT(entry.source, rows[row].source);
        CHECK_TEXT(entry.deprecated, rows[row].deprecated);
        CHECK_TEXT(entry.alias_of, rows[row].alias_of);
        if (rows[row].error)
            CHECK_TEXT(entry.error, rows[row].error);
        else
            CHECK(entry.error.len > 0);
        row++;
    }
    CHECK(row == CHECK_COUNT(rows));
done:
    surety_registry_free(registry);
}

TEST(says_what_is_no_contract)
{
    static const struct {
        const char *name, *request, *listed, *found;
    } rows[] = {
        {"answer", "answer",
         "the contract's version is \"4.0.1\", not as its file's name says",
         "the contract's version is \"4.0.1\", but its file's name says "
         "\"4.0.0\""},
        {"list", "list", "a contract is an object or a boolean",
         "a contract is an object or a boolean"},
        {"never", NULL, "", NULL},
        {"number", "number", "a contract is an object or a boolean",
         "a contract is an object or a boolean"},
    };
    surety_registry *registry = NULL;
    surety_contract *contract = NULL;
    const surety_registry_entry *entries = NULL;
    size_t count = 0;
    surety_error err;
    size_t row = 0;

    TRY(open_registry(t, "three", &registry));
    TRY(surety_registry_list(registry, &entries, &count, NULL));
    for (size_t i = 0; i < count; i++) {
        const surety_registry_entry entry = entries[i];

        if (surety_str_equal(entry.source, surety_str_of("built-in")))
            continue;
        CHECK(row < CHECK_COUNT(rows));
        CHECK_TEXT(entry.name, rows[row].name);
        CHECK_TEXT(entry.error, rows[row].listed);
        row++;
    }
    CHECK(row == CHECK_COUNT(rows));
    /* What is listed as wrong is not found either. */
    for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
        if (!rows[i].request)
            continue;
        EXPECT(SURETY_SYNTAX,
               surety_registry_find(registry, surety_str_of(rows[i].request),
                                    &contract, &err));
        CHECK_TEXT(surety_str_of(err.message), rows[i].found);
    }
done:
    surety_contract_free(contract);
    surety_registry_free(registry);
}

TEST(does_not_follow_links_to_folders)
{
    surety_registry *registry = NULL;
    const surety_registry_entry *entries = NULL;
    size_t count = 0;
    size_t without, with;

    TRY(open_registry(t, "two", &registry));
    TRY(surety_registry_list(registry, &entries, &count, NULL));
    without = count;
    CHECK(symlink("..", "two/loop") == 0);
    TRY(surety_registry_list(registry, &entries, &count, NULL));
    with = count;
    CHECK(with == without);
    /* A link to a file is a file. */
    CHECK(symlink("../one/plain.json", "two/linked.json") == 0);
    TRY(surety_registry_list(registry, &entries, &count, NULL));
    CHECK(count == without + 1);
done:
    unlink("two/loop");
    unlink("two/linked.json");
    surety_registry_free(registry);
}

#ifdef SURETY_WITH_JQ
static const bool with_jq = true;
#else
static const bool with_jq = false;
#endif

/* Every built-in contract compiles, rules and all, and its text says the name
 * that it is found by. */
TEST(has_built_in_contracts_that_compile)
{
    surety_contract *contract = NULL;
    surety_registry *registry = NULL;
    surety_status status;
    surety_error err;

    TRY(open_registry(t, "", &registry));
    CHECK(surety__builtins_count >= 20);
    for (size_t i = 0; i < surety__builtins_count; i++) {
        const char *name = surety__builtins[i].name;

        if (t->fail_at && i > 2)
            break; /* the fault runs see the same code in three */
        if (i > 0)
            CHECK(strcmp(surety__builtins[i - 1].name, name) < 0);
        status = surety_registry_find(registry, surety_str_of(name), &contract,
                                      &err);
        if (status == SURETY_UNSUPPORTED && !with_jq)
            continue;
        TRY(status);
        CHECK_TEXT(surety_contract_info_of(contract)->name, name);
        CHECK(surety_contract_info_of(contract)->version.len > 0);
        surety_contract_free(contract);
        contract = NULL;
    }
    if (!with_jq)
        goto done;
    TRY(surety_registry_find(
        registry, surety_str_of("maverick/review-models/review-result"),
        &contract, &err));
    CHECK_TEXT(surety_contract_info_of(contract)->name,
               "maverick/grouped-review-result");
    surety_contract_free(contract);
    contract = NULL;
    TRY(surety_registry_find(registry, surety_str_of("maverick/agent-result"),
                             &contract, &err));
    CHECK_TEXT(surety_contract_info_of(contract)->deprecated,
               "use maverick/fixer-result");
done:
    surety_contract_free(contract);
    surety_registry_free(registry);
}

/* What a prompt shows as an example is valid itself. */
TEST(gives_valid_examples)
{
    surety_checker *checker = NULL;
    surety_contract *contract = NULL;
    surety_registry *registry = NULL;
    size_t examples = 0;

    TRY(open_registry(t, "", &registry));
    NEED(checker = surety_checker_new(check_alloc(t), NULL));
    for (size_t i = 0; i < surety__builtins_count; i++) {
        const surety_str name = surety_str_of(surety__builtins[i].name);
        const surety_status status =
            surety_registry_find(registry, name, &contract, NULL);
        surety_val example;
        bool valid = false;

        if (t->fail_at && i > 0)
            break; /* the fault runs see the same code in one */
        if (status == SURETY_UNSUPPORTED && !with_jq)
            continue;
        TRY(status);
        example = contract->policy.prompt_example;
        if (example.doc) {
            TRY(surety_checker_check(checker,
                                     surety_contract_info_of(contract)->schema,
                                     example, &valid, NULL));
            CHECK(valid);
            examples++;
        }
        surety_contract_free(contract);
        contract = NULL;
    }
    CHECK(examples >= 5 || t->fail_at);
done:
    surety_contract_free(contract);
    surety_checker_free(checker);
    surety_registry_free(registry);
}

TEST(knows_names)
{
    char name[130];

    CHECK(surety__name_valid(surety_str_of("a")));
    CHECK(surety__name_valid(surety_str_of("maverick/fixer-result")));
    CHECK(surety__name_valid(surety_str_of("0a/b/c-1")));
    CHECK(!surety__name_valid(surety_str_of("")));
    CHECK(!surety__name_valid(surety_str_of("/a")));
    CHECK(!surety__name_valid(surety_str_of("a/")));
    CHECK(!surety__name_valid(surety_str_of("a//b")));
    CHECK(!surety__name_valid(surety_str_of("A")));
    CHECK(!surety__name_valid(surety_str_of("a_b")));
    CHECK(!surety__name_valid(surety_str_of("..")));
    CHECK(!surety__name_valid(surety_str_of("-a")));
    CHECK(!surety__name_valid(surety_str_of("a/-b")));
    memset(name, 'a', sizeof(name));
    CHECK(surety__name_valid((surety_str){name, 127}));
    CHECK(surety__name_valid((surety_str){name, 128}));
    CHECK(!surety__name_valid((surety_str){name, 129}));
done:;
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"finds by name and version", finds_by_name_and_version},
        {"says what is not there", says_what_is_not_there},
        {"says which file is wrong", says_which_file_is_wrong},
        {"keeps the file limit", keeps_the_file_limit},
        {"lists what there is", lists_what_there_is},
        {"says what is no contract", says_what_is_no_contract},
        {"does not follow links to folders", does_not_follow_links_to_folders},
        {"has built-in contracts that compile",
         has_built_in_contracts_that_compile},
        {"gives valid examples", gives_valid_examples},
        {"knows names", knows_names},
    };
    char root[] = "/tmp/surety-registry-XXXXXX";
    int result;

    if (!mkdtemp(root) || chdir(root) != 0)
        return 99;
    for (size_t i = 0; i < CHECK_COUNT(folders); i++)
        if (mkdir(folders[i], 0777) != 0)
            return 99;
    for (size_t i = 0; i < CHECK_COUNT(files); i++) {
        FILE *file = fopen(files[i].path, "w");

        if (!file)
            return 99;
        fputs(files[i].text, file);
        fclose(file);
    }
    result = check_main(argc, argv, tests, CHECK_COUNT(tests));
    for (size_t i = CHECK_COUNT(files); i-- > 0;)
        remove(files[i].path);
    for (size_t i = CHECK_COUNT(folders); i-- > 0;)
        remove(folders[i]);
    if (chdir("/") == 0)
        remove(root);
    return result;
}
