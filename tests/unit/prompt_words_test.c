/* SPDX-License-Identifier: Apache-2.0 */
/* Templates: what is accepted, where a mistake is, and that what takes a
 * variable's place is never read again. What the texts say is in
 * tests/golden/prompt. */
#include "check.h"

#include <surety/prompt.h>

#include <stdlib.h>

#include "prompt/prompt.h"

static const char plain[] =
    "{\"type\":\"object\",\"required\":[\"a\"],"
    "\"properties\":{\"a\":{\"type\":\"integer\"}},"
    "\"x-surety\":{\"prompt\":{\"example\":{\"a\":7}}}}";

/* ---- the scanner --------------------------------------------------------- */

/* A stretch of a template, and how it is read. */
static const struct stretch {
    const char *text, *literal;
    surety__variable variable;
} stretches[] = {
    {"${prompt}", "", VARIABLE_PROMPT},
    {"${schema}", "", VARIABLE_SCHEMA},
    {"${example}", "", VARIABLE_EXAMPLE},
    {"${errors}", "", VARIABLE_ERRORS},
    {"${reply}", "", VARIABLE_REPLY},
    {"$${", "${", VARIABLES},
    {"$${prompt}", "${prompt}", VARIABLES},
    {"{\"a\": {}}", "{\"a\": {}}", VARIABLES},
    {" $ ", " $ ", VARIABLES},
    {"{{ x }} %s \\", "{{ x }} %s \\", VARIABLES},
    {"$a}", "$a}", VARIABLES},
    {"\n\303\251", "\n\303\251", VARIABLES},
};

static uint32_t random_next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* Reads a template that is made of stretches, and writes each variable as a
 * byte of its own. */
static void read_back(surety_str template, surety_buf *out)
{
    surety__variable variable;
    surety_str text;

    while (surety__wording_next(&template, &text, &variable)) {
        surety_buf_add(out, text);
        if (variable != VARIABLES)
            surety_buf_byte(out, (char)(1 + variable));
    }
}

TEST(reads_what_was_written)
{
    uint64_t random = 17;
    surety_buf template, expected, found;

    surety_buf_init(&template, check_alloc(t), 0);
    surety_buf_init(&expected, check_alloc(t), 0);
    surety_buf_init(&found, check_alloc(t), 0);
    for (int round = 0; round < 400; round++) {
        unsigned count = random_next(&random) % 12;
        surety__wording wording;
        unsigned variables = 0;

        surety_buf_reset(&template);
        surety_buf_reset(&expected);
        surety_buf_reset(&found);
        while (count-- > 0) {
            const struct stretch *one =
                &stretches[random_next(&random) % CHECK_COUNT(stretches)];

            surety_buf_text(&template, one->text);
            surety_buf_text(&expected, one->literal);
            if (one->variable != VARIABLES) {
                surety_buf_byte(&expected, (char)(1 + one->variable));
                variables |= 1u << one->variable;
            }
        }
        TRY(template.status);
        TRY(expected.status);
        TRY(surety__wording_read(surety_buf_str(&template), WORDING_REASK,
                                 &wording, NULL));
        CHECK(wording.variables == variables);
        read_back(wording.text, &found);
        TRY(found.status);
        CHECK(surety_str_equal(surety_buf_str(&found),
                               surety_buf_str(&expected)));
    }
done:
    surety_buf_done(&template);
    surety_buf_done(&expected);
    surety_buf_done(&found);
}

static const struct {
    const char *text;
    surety__wording_kind kind;
    unsigned line, column, length;
    const char *message;
} mistakes[] = {
    {"${promt}", WORDING_INSTRUCTIONS, 1, 1, 8,
     "${promt} is no variable of the instructions"},
    {"a\n\303\251 ${}", WORDING_REASK, 2, 3, 3,
     "${} is no variable of a re-ask"},
    {"$${prompt} ${ prompt}", WORDING_SYSTEM, 1, 12, 10,
     "${ prompt} is no variable of the system part"},
    {"${errors}", WORDING_INSTRUCTIONS, 1, 1, 9,
     "${errors} is no variable of the instructions"},
    {"${reply}", WORDING_SYSTEM, 1, 1, 8,
     "${reply} is no variable of the system part"},
    {"${schema} ${schema", WORDING_REASK, 1, 11, 8,
     "the variable that begins here has no \"}\""},
    {"${", WORDING_REASK, 1, 1, 2,
     "the variable that begins here has no \"}\""},
    {"${${prompt}}", WORDING_REASK, 1, 1, 11,
     "${${prompt} is no variable of a re-ask"},
};

TEST(shows_where_a_template_is_wrong)
{
    surety__wording wording;
    surety_error err;

    for (size_t i = 0; i < CHECK_COUNT(mistakes); i++) {
        EXPECT(SURETY_SYNTAX,
               surety__wording_read(surety_str_of(mistakes[i].text),
                                    mistakes[i].kind, &wording, &err));
        CHECK_TEXT(surety_str_of(err.message), mistakes[i].message);
        CHECK(err.position.line == mistakes[i].line);
        CHECK(err.position.column == mistakes[i].column);
        CHECK(err.position.length == mistakes[i].length);
    }
    TRY(surety__wording_read(surety_str_of("none"), WORDING_INSTRUCTIONS,
                             &wording, NULL));
    CHECK(wording.text.ptr && !wording.text.len);
    TRY(surety__wording_read(surety_str_of("none"), WORDING_REASK, &wording,
                             NULL));
    CHECK_TEXT(wording.text, "none");
done:;
}

/* ---- prompts ------------------------------------------------------------- */

/* Texts that would do harm if they were read as templates. */
static const char *const values[] = {
    "${schema}", "$${", "${",        "}",    "$",     "${prompt} ${errors}",
    "",          "a",   "${nothing", "%s%n", "\n\n ",
};

/* The prompt goes in and comes out, byte for byte, whatever it says. */
TEST(never_reads_a_value)
{
    surety_contract *contract = NULL;
    surety_prompt_options options = {.size = sizeof(options)};
    uint64_t random = 4;
    surety_buf prompt, expected, out;

    surety_buf_init(&prompt, check_alloc(t), 0);
    surety_buf_init(&expected, check_alloc(t), 0);
    surety_buf_init(&out, check_alloc(t), 0);
    TRY(check_contract(t, plain, &contract));
    for (int round = 0; round < 40; round++) {
        surety_buf_reset(&prompt);
        surety_buf_reset(&expected);
        surety_buf_reset(&out);
        for (unsigned i = random_next(&random) % 6; i > 0; i--)
            surety_buf_text(&prompt,
                            values[random_next(&random) % CHECK_COUNT(values)]);
        for (unsigned i = 0; i < 2; i++) {
            surety_buf_text(&expected, "<");
            surety_buf_add(&expected, surety_buf_str(&prompt));
            surety_buf_text(&expected, "|{\"a\":7}${>");
        }
        TRY(prompt.status);
        TRY(expected.status);
        options.instructions =
            surety_str_of("<${prompt}|${example}$${><${prompt}|${example}$${>");
        TRY(surety_prompt_write(contract, surety_buf_str(&prompt), &options,
                                &out, NULL));
        CHECK(
            surety_str_equal(surety_buf_str(&out), surety_buf_str(&expected)));
        surety_buf_reset(&out);
        options.instructions = surety_str_of("none");
        TRY(surety_prompt_write(contract, surety_buf_str(&prompt), &options,
                                &out, NULL));
        CHECK(surety_str_equal(surety_buf_str(&out), surety_buf_str(&prompt)));
        surety_buf_reset(&out);
        options.system = surety_str_of("${prompt}");
        TRY(surety_prompt_system(contract, surety_str_of(""),
                                 surety_buf_str(&prompt), &options, &out,
                                 NULL));
        CHECK(surety_str_equal(surety_buf_str(&out), surety_buf_str(&prompt)));
    }
done:
    surety_buf_done(&prompt);
    surety_buf_done(&expected);
    surety_buf_done(&out);
    surety_contract_free(contract);
}

/* A reply is quoted between two lines of "=" that do not occur in it, and at
 * most SURETY_PROMPT_QUOTE_MAX bytes of it. */
TEST(quotes_a_reply)
{
    static const char *const replies[] = {
        "{}\n=====\n${errors} ======= ${schema}",
        "a\033[31m\342\200\256b\r\nc",
        "\n",
    };
    static const char *const quoted[] = {
        "<========\n{}\n=====\n${errors} ======= ${schema}\n========>",
        "<=====\na\\u001b[31m\\u202eb\\u000d\nc\n=====>",
        "<=====\n\n=====>",
    };
    const surety_prompt_options options = {.size = sizeof(options),
                                           .reask = surety_str_of("<${reply}>"),
                                           .instructions =
                                               surety_str_of("none")};
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;
    char *large = NULL;
    surety_buf out;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(check_contract(t, plain, &contract));
    TRY(surety_contract_judge(contract, surety_str_of("{}"), NULL, &outcome,
                              NULL));
    for (size_t i = 0; i < CHECK_COUNT(replies); i++) {
        surety_buf_reset(&out);
        TRY(surety_prompt_again(
            contract, surety_str_of(""), SURETY_FEEDBACK_ERRORS, outcome,
            surety_str_of(replies[i]), &options, &out, NULL));
        CHECK_TEXT(surety_buf_str(&out), quoted[i]);
    }
    large = malloc(3 * SURETY_PROMPT_QUOTE_MAX);
    NEED(large);
    for (size_t i = 0; i < 3 * SURETY_PROMPT_QUOTE_MAX; i++)
        large[i] = i % 100 ? 'x' : '\n';
    for (size_t len = SURETY_PROMPT_QUOTE_MAX - 200;
         len < 3 * SURETY_PROMPT_QUOTE_MAX; len += 150) {
        surety_buf_reset(&out);
        TRY(surety_prompt_again(
            contract, surety_str_of(""), SURETY_FEEDBACK_ERRORS, outcome,
            (surety_str){large, len}, &options, &out, NULL));
        CHECK(out.len < SURETY_PROMPT_QUOTE_MAX + 128);
        CHECK((surety__str_find(surety_buf_str(&out),
                                SURETY__LITERAL("[cut here; ")) < out.len) ==
              (len > SURETY_PROMPT_QUOTE_MAX));
    }
done:
    free(large);
    surety_buf_done(&out);
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

/* The schema of a template is the part that a contract keeps as JSON. */
TEST(gives_the_part_of_a_template)
{
    static const char *const templates[] = {
        "${schema}", "a ${schema}, ${example}", "${prompt}\n\"${schema}\"\n"};
    surety_contract *contract = NULL;
    surety_outcome *outcome = NULL;
    surety_prompt_part part;
    surety_prompt_options options = {.size = sizeof(options), .part = &part};
    surety_buf out, json;

    surety_buf_init(&out, check_alloc(t), 0);
    surety_buf_init(&json, check_alloc(t), 0);
    TRY(check_contract(t, plain, &contract));
    TRY(surety_contract_judge(contract, surety_str_of("{}"), NULL, &outcome,
                              NULL));
    for (unsigned i = 0; i < 2 * CHECK_COUNT(templates); i++) {
        const surety_str given = surety_str_of(templates[i / 2]);

        options.instructions = i % 2 ? surety_str_of("none") : given;
        options.reask = given;
        surety_buf_reset(&json);
        if (i % 2)
            TRY(surety_prompt_again(contract, surety_str_of("p"),
                                    SURETY_FEEDBACK_SIMPLE, outcome,
                                    surety_str_of("{}"), &options, &out, NULL));
        else
            TRY(surety_prompt_write(contract, surety_str_of("p"), &options,
                                    &out, NULL));
        CHECK(part.len && part.start + part.len <= out.len);
        surety_json_string(&json, (surety_str){out.ptr + part.start, part.len});
        TRY(json.status);
        CHECK(surety_str_equal(part.json,
                               (surety_str){json.ptr + 1, json.len - 2}));
    }
    options.instructions = surety_str_of("none");
    TRY(surety_prompt_write(contract, surety_str_of("p"), &options, &out,
                            NULL));
    CHECK(part.len == 0);
done:
    surety_buf_done(&out);
    surety_buf_done(&json);
    surety_outcome_free(outcome);
    surety_contract_free(contract);
}

TEST(checks_the_options)
{
    surety_contract *contract = NULL;
    surety_prompt_options options = {.size = sizeof(options)};
    surety_buf out;
    surety_error err;

    surety_buf_init(&out, check_alloc(t), 0);
    TRY(check_contract(t, plain, &contract));
    TRY(surety_prompt_check(NULL, NULL));
    TRY(surety_prompt_check(&options, NULL));
    surety_buf_text(&out, "before");
    TRY(out.status);
    options.instructions = surety_str_of("a ${b}");
    EXPECT(SURETY_SYNTAX, surety_prompt_check(&options, &err));
    CHECK_TEXT(surety_str_of(err.source), "instructions");
    CHECK(err.position.line == 1 && err.position.column == 3);
    EXPECT(SURETY_SYNTAX, surety_prompt_write(contract, surety_str_of(""),
                                              &options, &out, &err));
    options.instructions = surety_str_of("");
    options.system = surety_str_of("${reply}");
    EXPECT(SURETY_SYNTAX, surety_prompt_check(&options, &err));
    CHECK_TEXT(surety_str_of(err.source), "system");
    EXPECT(SURETY_SYNTAX,
           surety_prompt_system(contract, surety_str_of("s"), surety_str_of(""),
                                &options, &out, NULL));
    TRY(out.status);
    CHECK_TEXT(surety_buf_str(&out), "before");
    options.system = surety_str_of("");
    options.reask = surety_str_of("${b}");
    EXPECT(SURETY_SYNTAX, surety_prompt_check(&options, &err));
    CHECK_TEXT(surety_str_of(err.source), "reask");
done:
    surety_buf_done(&out);
    surety_contract_free(contract);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"reads what was written", reads_what_was_written},
        {"shows where a template is wrong", shows_where_a_template_is_wrong},
        {"never reads a value", never_reads_a_value},
        {"quotes a reply", quotes_a_reply},
        {"gives the part of a template", gives_the_part_of_a_template},
        {"checks the options", checks_the_options},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
