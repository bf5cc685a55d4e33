/* SPDX-License-Identifier: Apache-2.0 */
/* surety prompt: writes the text that a model is sent: the prompt followed by
 * the format instructions of the contract, or only those instructions. */
#include "commands.h"

#include <stdlib.h>

#include "library.h"
#include "words.h"

struct prompt_settings {
    const char *contract;
    int style;
    bool system, native, messages, example, size;
    struct words_settings words;
};

SETTINGS_FIT(struct prompt_settings);
#define AT(member) offsetof(struct prompt_settings, member)

const struct option_row prompt_options[] = {
    TEXT("contract", 'c', AT(contract), "CONTRACT",
         "what the answer must satisfy: " CONTRACT_IS),
    CHOICE("style", 0, AT(style), "json-schema|typescript|example",
           "the form of the schema; the contract's unless given"),
    WORDS_ROW_INSTRUCTIONS(AT(words)),
    WORDS_ROW_SYSTEM(AT(words)),
    WORDS_ROW_EXAMPLES(AT(words)),
    FLAG("system", 0, AT(system),
         "what a system prompt gets: the template for it, and the format "
         "instructions; no PROMPT is read"),
    FLAG("native", 0, AT(native),
         "for a provider's structured output: say what the value means, not "
         "where in the reply it is"),
    FLAG("messages", 0, AT(messages),
         "a conversation, as OpenAI and others take it: a JSON array with the "
         "template for the system prompt, the examples and the prompt"),
    FLAG("example", 0, AT(example),
         "nothing but an example value: the contract's, or one made from its "
         "schema"),
    FLAG("size", 0, AT(size),
         "also say on standard error how many bytes that is, and about how "
         "many tokens (a token is taken for four bytes)"),
    OPTION_END};

static surety_status prompt_example(const surety_contract *contract,
                                    surety_buf *out, surety_error *error)
{
    surety_doc *doc = surety_doc_new(NULL);
    surety_status status = surety_prompt_example(contract, doc, error);

    if (status == SURETY_OK) {
        surety_val_write(surety_doc_root(doc), SURETY_STYLE_PRETTY, out);
        surety_buf_byte(out, '\n');
    }
    surety_doc_free(doc);
    return status;
}

/* Appends a message behind count others. */
static void prompt_say(surety_buf *out, size_t count, const char *role,
                       const surety_buf *text)
{
    put_format(out, "%s{\"role\":\"%s\",\"content\":", count ? ",\n " : "[",
               role);
    surety_json_string(out, surety_buf_str(text));
    surety_buf_byte(out, '}');
}

static surety_status prompt_messages(const surety_contract *contract,
                                     surety_str prompt,
                                     surety_prompt_options *options,
                                     surety_buf *out, surety_error *error)
{
    surety_doc *turns = surety_doc_new(NULL);
    surety_buf text;
    size_t count = 0;
    surety_status status;

    options->as_turns = true;
    surety_buf_init(&text, NULL, 0);
    status =
        surety_prompt_system(contract, NO_TEXT, prompt, options, &text, error);
    if (status == SURETY_OK && text.len)
        prompt_say(out, count++, "system", &text);
    if (status == SURETY_OK)
        status = surety_prompt_turns(contract, options, turns, error);
    SURETY_EACH (turn, surety_doc_root(turns)) {
        if (status != SURETY_OK)
            break;
        surety_buf_text(out, count++ ? ",\n " : "[");
        surety_val_write(turn, SURETY_STYLE_COMPACT, out);
    }
    surety_buf_reset(&text);
    if (status == SURETY_OK)
        status = surety_prompt_write(contract, prompt, options, &text, error);
    if (status == SURETY_OK) {
        prompt_say(out, count, "user", &text);
        surety_buf_text(out, "]\n");
    }
    surety_buf_done(&text);
    surety_doc_free(turns);
    return status;
}

static void prompt_put(struct cli *cli, const struct prompt_settings *settings,
                       const surety_contract *contract, surety_str text)
{
    struct words words = {
        .options = {.size = sizeof(words.options),
                    .style = (surety_prompt_style)settings->style,
                    .native = settings->native,
                    .instruct_system = settings->system}};
    surety_buf *out = &cli->out.buf;
    const size_t start = out->len;
    surety_status status;
    surety_error error;

    if (!words_read(&words, cli, &settings->words, contract))
        goto done;
    if (settings->example)
        status = prompt_example(contract, out, &error);
    else if (settings->messages)
        status = prompt_messages(contract, text, &words.options, out, &error);
    else if (settings->system)
        status = surety_prompt_system(contract, NO_TEXT, NO_TEXT,
                                      &words.options, out, &error);
    else
        status =
            surety_prompt_write(contract, text, &words.options, out, &error);
    if (status != SURETY_OK)
        cli_report(cli, cli_code_of(status, CODE_USAGE), settings->contract,
                   NO_TEXT, &error);
    else if (settings->size)
        put_format(&cli->err.buf, "%zu bytes, about %zu tokens\n",
                   out->len - start, (out->len - start + 3) / 4);
done:
    words_done(&words);
}

void prompt_run(struct cli *cli, const void *given,
                const struct operands *operands)
{
    const struct prompt_settings *settings = given;
    const bool alone = settings->system || settings->example;
    const char *prompt = operands->count ? operands->items[0] : "-";
    surety_contract *contract;
    surety_str text = {NULL, 0};
    char *read = NULL;

    if (alone && settings->messages) {
        cli_usage(cli, "leave one of them out", "--messages and %s",
                  settings->system ? "--system" : "--example");
        return;
    }
    if (operands->count > 1 || (alone && operands->count > 0)) {
        cli_usage(cli, alone ? "leave PROMPT out" : "put the prompt in quotes",
                  alone ? "%s prints no prompt" : "there is one PROMPT%s",
                  !alone             ? ""
                  : settings->system ? "--system"
                                     : "--example");
        return;
    }
    contract = library_contract(cli, settings->contract);
    if (contract && !alone)
        cli_invite(cli, prompt, "the prompt");
    if (contract && (alone || cli_text(cli, prompt, true, &text, &read)))
        prompt_put(cli, settings, contract, text);
    free(read);
    surety_contract_free(contract);
}
