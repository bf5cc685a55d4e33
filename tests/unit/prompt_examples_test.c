/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs, each with the output that is wanted for it: what is refused, and that
 * every output that a model is shown is a reply that the contract takes. */
#include "check.h"

#include <surety/prompt.h>
#include <surety/strict.h>

#include <string.h>

#include "base/base.h"

#define SCHEMA                                                                 \
    "\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":{"         \
    "\"type\":\"integer\"},\"b\":{\"type\":\"object\","                        \
    "\"additionalProperties\":{\"type\":\"string\"}}}"
#define TWO                                                                    \
    "[{\"input\":\"one ${schema}\",\"output\":{\"a\":1}},"                     \
    "{\"input\":\"\",\"output\":{\"a\":2,\"b\":{\"```\":\"=\\n\"}}}]"
#define WITH(extract)                                                          \
    "{" SCHEMA ",\"x-surety\":{\"extract\":{" extract                          \
    "},\"prompt\":{\"examples\":" TWO "}}}"

/* ---- what is refused ----------------------------------------------------- */

static const struct {
    const char *examples;
    unsigned column; /* from 1, of the text above */
    const char *path, *message;
} wrong[] = {
    {"[{\"input\":\"x\",\"output\":{\"a\":\"1\"}}]", 29, "/0/output/a",
     "the output of example 1 does not satisfy the contract: \"1\" is a "
     "string, "
     "but must be an integer"},
    {"[{\"input\":\"x\",\"output\":{\"a\":1}},{\"input\":\"x\",\"output\":{}}]",
     55, "/1/output",
     "the output of example 2 does not satisfy the contract: the required "
     "property \"a\" is missing"},
    {"[{\"input\":\"x\",\"output\":{\"a\":13}}]", 24, "/0/output",
     "the output of example 1 does not satisfy the contract: it breaks the "
     "rule luck: a is 13"},
    {"{}", 1, "", NULL},
    {"[1]", 2, "/0", NULL},
    {"[{\"input\":1,\"output\":{\"a\":1}}]", 2, "/0", NULL},
    {"[{\"input\":\"x\"}]", 2, "/0", NULL},
    {"[{\"input\":\"x\",\"output\":{\"a\":1},\"note\":\"\"}]", 39, "/0/note",
     NULL},
};

TEST(refuses_an_example_that_teaches_a_fault)
{
    static const char rules[] =
        "{" SCHEMA ",\"x-surety\":{\"rules\":[{\"id\":\"luck\",\"expr\":"
        "\".a != 13\",\"message\":\"a is 13\"}]}}";
    surety_prompt_options options = {.size = sizeof(options)};
    surety_contract *contract = NULL, *other = NULL;
    surety_doc *turns = surety_doc_new(check_alloc(t));
    surety_buf text;
    surety_error err;
    surety_status status;
    bool has_rules;

    surety_buf_init(&text, check_alloc(t), 0);
    NEED(turns);
    status = check_contract(t, rules, &contract);
    has_rules = status != SURETY_UNSUPPORTED;
    if (!has_rules)
        status = check_contract(t, "{" SCHEMA "}", &contract);
    TRY(status);
    for (size_t i = 0; i < CHECK_COUNT(wrong); i++) {
        const bool by_rule = i == 2;

        if (by_rule && !has_rules)
            continue;
        options.examples = surety_str_of(wrong[i].examples);
        EXPECT(SURETY_SYNTAX,
               surety_prompt_turns(contract, &options, turns, &err));
        CHECK_TEXT(surety_str_of(err.source), "examples");
        CHECK_TEXT(surety_str_of(err.path), wrong[i].path);
        CHECK(err.position.line == 1);
        CHECK(err.position.column == wrong[i].column);
        if (wrong[i].message)
            CHECK_TEXT(surety_str_of(err.message), wrong[i].message);
        status = surety_prompt_check(&options, &err);
        CHECK(status == (wrong[i].message ? SURETY_OK : SURETY_SYNTAX) ||
              status == SURETY_NOMEM);
        if (by_rule)
            continue;
        /* The same in a contract, whose reading fails. */
        surety_buf_reset(&text);
        surety_buf_text(&text, "{" SCHEMA ",\"x-surety\":{\"prompt\":{"
                               "\"examples\":");
        surety_buf_text(&text, wrong[i].examples);
        surety_buf_text(&text, "}}}");
        surety_buf_byte(&text, 0);
        TRY(text.status);
        EXPECT(SURETY_SYNTAX,
               surety_contract_read((surety_str){text.ptr, text.len - 1},
                                    &(surety_contract_options){
                                        .size = sizeof(surety_contract_options),
                                        .alloc = check_alloc(t)},
                                    &other, &err));
        CHECK(strstr(err.path, "/x-surety/prompt/examples") == err.path);
        CHECK(err.position.line == 1 && err.position.column > 1);
    }
done:
    surety_contract_free(other);
    surety_contract_free(contract);
    surety_doc_free(turns);
    surety_buf_done(&text);
}

/* ---- what is shown ------------------------------------------------------- */

static const char *const places[] = {
    "\"from\":[\"whole\"]",
    "\"from\":[\"fence\"]",
    "\"from\":[\"native\",\"embedded\"]",
    "\"from\":[\"marker\"],\"marker\":\"Final Answer:\"",
};

/* Whether each output of turns is a reply with the value of its example. */
static bool are_replies(struct check *t, const surety_contract *contract,
                        surety_val turns)
{
    size_t i = 0;

    CHECK(surety_val_count(turns) == 4);
    SURETY_EACH (turn, turns) {
        const surety_str content =
            surety_val_str(surety_val_get(turn, "content"));
        surety_outcome *outcome = NULL;
        surety_status status;

        CHECK(surety_val_is(surety_val_get(turn, "role"),
                            i % 2 ? "assistant" : "user"));
        if (i++ % 2 == 0) {
            CHECK_TEXT(content, i == 1 ? "one ${schema}" : "");
            continue;
        }
        status = surety_contract_judge(contract, content, NULL, &outcome, NULL);
        if (status == SURETY_OK) {
            const surety_outcome_info *info = surety_outcome_info_of(outcome);

            CHECK(info->ok);
            CHECK(surety_val_int(surety_val_get(info->value, "a"), 0) ==
                  (int64_t)i / 2);
        }
        surety_outcome_free(outcome);
        TRY(status);
    }
    return true;
done:
    return false;
}

TEST(shows_every_output_as_a_reply)
{
    surety_prompt_options options = {.size = sizeof(options)};
    surety_contract *contract = NULL;
    surety_doc *turns = surety_doc_new(check_alloc(t));
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    NEED(turns);
    for (size_t i = 0; i < CHECK_COUNT(places); i++) {
        surety_buf text;
        surety_status status;

        surety_buf_init(&text, NULL, 0);
        surety_buf_text(&text, "{" SCHEMA ",\"x-surety\":{\"extract\":{");
        surety_buf_text(&text, places[i]);
        surety_buf_text(&text, "},\"prompt\":{\"examples\":" TWO "}}}");
        surety_buf_byte(&text, 0);
        status = check_contract(t, text.ptr, &contract);
        surety_buf_done(&text);
        TRY(status);
        TRY(surety_prompt_turns(contract, &options, turns, NULL));
        if (!are_replies(t, contract, surety_doc_root(turns)))
            goto done;
        /* As text they come before the prompt, once; as turns not at all. */
        for (int as_turns = 0; as_turns < 2; as_turns++) {
            options.as_turns = as_turns;
            surety_buf_reset(&out);
            TRY(surety_prompt_write(contract, surety_str_of("PROMPT"), &options,
                                    &out, NULL));
            surety_buf_byte(&out, 0);
            TRY(out.status);
            CHECK((strstr(out.ptr, "one ${schema}") == NULL) == as_turns);
            CHECK(as_turns ||
                  strstr(out.ptr, "one ${schema}") < strstr(out.ptr, "PROMPT"));
        }
        options.as_turns = false;
        surety_contract_free(contract);
        contract = NULL;
    }
done:
    surety_contract_free(contract);
    surety_doc_free(turns);
    surety_buf_done(&out);
}

/* A template with the variable has them, and then they are nowhere else. */
TEST(puts_them_where_a_template_says)
{
    surety_prompt_options options = {.size = sizeof(options),
                                     .instructions = surety_str_of("none"),
                                     .system = surety_str_of("<${examples}>")};
    surety_contract *contract = NULL;
    surety_doc *turns = surety_doc_new(check_alloc(t));
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    NEED(turns);
    TRY(check_contract(t, WITH("\"from\":[\"whole\"]"), &contract));
    TRY(surety_prompt_write(contract, surety_str_of("p"), &options, &out,
                            NULL));
    CHECK_TEXT(surety_buf_str(&out), "p");
    surety_buf_reset(&out);
    TRY(surety_prompt_system(contract, surety_str_of(""), surety_str_of("p"),
                             &options, &out, NULL));
    CHECK_TEXT(surety_buf_str(&out),
               "<Example 1:\none ${schema}\nAnswer 1:\n{\"a\":1}\n\n"
               "Example 2:\n\nAnswer 2:\n"
               "{\"a\":2,\"b\":{\"```\":\"=\\n\"}}>");
    TRY(surety_prompt_turns(contract, &options, turns, NULL));
    CHECK(surety_val_count(surety_doc_root(turns)) == 0);
    /* The options' take the place of the contract's; an empty list of none. */
    options.system = surety_str_of("");
    options.examples = surety_str_of("[]");
    TRY(surety_prompt_turns(contract, &options, turns, NULL));
    CHECK(surety_val_count(surety_doc_root(turns)) == 0);
    options.examples =
        surety_str_of("[{\"input\":\"i\",\"output\":{\"a\":3}}]");
    TRY(surety_prompt_turns(contract, &options, turns, NULL));
    CHECK_JSON(surety_doc_root(turns),
               "[{\"role\":\"user\",\"content\":\"i\"},"
               "{\"role\":\"assistant\",\"content\":\"{\\\"a\\\":3}\"}]");
done:
    surety_contract_free(contract);
    surety_doc_free(turns);
    surety_buf_done(&out);
}

/* With a provider's form, an output is a value of that form. */
TEST(gives_the_form_that_is_sent)
{
    surety_prompt_options options = {.size = sizeof(options), .native = true};
    const surety_contract *delivered = NULL;
    const surety_strict *strict = NULL;
    surety_contract *contract = NULL;
    surety_doc *turns = surety_doc_new(check_alloc(t));
    size_t i = 0;

    NEED(turns);
    TRY(check_contract(t, WITH("\"from\":[\"native\"]"), &contract));
    TRY(surety_strict_of(contract, SURETY_SUBSET_OPENAI, &strict, NULL));
    TRY(surety_strict_delivered(strict, &delivered, NULL));
    options.schema = surety_strict_info_of(strict)->schema;
    TRY(surety_prompt_turns(contract, &options, turns, NULL));
    SURETY_EACH (turn, surety_doc_root(turns)) {
        surety_outcome *outcome = NULL;
        surety_status status;

        if (i++ % 2 == 0)
            continue;
        status = surety_contract_judge(
            delivered, surety_val_str(surety_val_get(turn, "content")), NULL,
            &outcome, NULL);
        CHECK(status != SURETY_OK || surety_outcome_info_of(outcome)->ok);
        surety_outcome_free(outcome);
        TRY(status);
    }
    CHECK(i == 4);
done:
    surety_contract_free(contract);
    surety_doc_free(turns);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"refuses an example that teaches a fault",
         refuses_an_example_that_teaches_a_fault},
        {"shows every output as a reply", shows_every_output_as_a_reply},
        {"puts them where a template says", puts_them_where_a_template_says},
        {"gives the form that is sent", gives_the_form_that_is_sent},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
