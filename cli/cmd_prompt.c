/* SPDX-License-Identifier: Apache-2.0 */
/* surety prompt: writes the text that a model is sent: the prompt followed by
 * the format instructions of the contract, or only those instructions. */
#include "commands.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input.h"
#include "library.h"

struct prompt_settings {
    const char *contract;
    int style;
    bool system, native, example, size;
};

#define AT(member) offsetof(struct prompt_settings, member)

const struct option_row prompt_options[] = {
    {"contract", 'c', OPTION_TEXT, AT(contract), 0, "CONTRACT", NULL,
     "what the answer must satisfy: " CONTRACT_IS},
    {"style", 0, OPTION_CHOICE, AT(style), 0, NULL,
     "json-schema|typescript|example",
     "how the schema is shown; unless given, as the contract says"},
    {"system", 0, OPTION_FLAG, AT(system), 0, NULL, NULL,
     "the format instructions alone, for a system prompt; no PROMPT is read"},
    {"native", 0, OPTION_FLAG, AT(native), 0, NULL, NULL,
     "for a provider's structured output: say what the value means, not where "
     "in the reply it is"},
    {"example", 0, OPTION_FLAG, AT(example), 0, NULL, NULL,
     "nothing but an example value: the contract's, or one made from its "
     "schema"},
    {"size", 0, OPTION_FLAG, AT(size), 0, NULL, NULL,
     "also say on standard error how many bytes that is, and about how many "
     "tokens (a token is taken for four bytes)"},
    OPTION_END};

/* Gives the text of PROMPT: the operand, @FILE, or standard input for "-" and
 * without an operand. False: the message is written. */
static bool prompt_read(struct cli *cli, const struct operands *operands,
                        surety_str *ret_text, char **ret_owned)
{
    const char *given = operands->count ? operands->items[0] : "-";
    const char *path = *given == '@' ? given + 1 : given;
    surety_error error;
    surety_status status;

    if (*given != '@' && strcmp(given, "-") != 0) {
        *ret_text = surety_str_of(given);
        return true;
    }
    if (strcmp(path, "-") == 0 && isatty(STDIN_FILENO)) {
        surety_buf_text(&cli->err.buf, "reading the prompt from the terminal; "
                                       "end with Ctrl-D\n");
        output_flush(&cli->err);
    }
    status = input_read(path, input_text(&cli->limits), ret_text, &error);
    if (status == SURETY_OK) {
        *ret_owned = (char *)ret_text->ptr;
        return true;
    }
    cli_report(cli, cli_code_of(status, CODE_USAGE), input_name(path),
               (surety_str){NULL, 0}, &error);
    return false;
}

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

static void prompt_put(struct cli *cli, const struct prompt_settings *settings,
                       const surety_contract *contract, surety_str text)
{
    const surety_prompt_options options = {
        .size = sizeof(options),
        .style = (surety_prompt_style)settings->style,
        .native = settings->native};
    surety_buf *out = &cli->out.buf;
    const size_t start = out->len;
    surety_status status;
    surety_error error;

    if (settings->example)
        status = prompt_example(contract, out, &error);
    else if (settings->system)
        status = surety_prompt_format(contract, &options, out, &error);
    else
        status = surety_prompt_write(contract, text, &options, out, &error);
    if (status != SURETY_OK)
        cli_report(cli, cli_code_of(status, CODE_USAGE), settings->contract,
                   (surety_str){NULL, 0}, &error);
    else if (settings->size)
        put_format(&cli->err.buf, "%zu bytes, about %zu tokens\n",
                   out->len - start, (out->len - start + 3) / 4);
}

void prompt_run(struct cli *cli, const struct command *command, int argc,
                char **argv)
{
    struct prompt_settings settings = {0};
    surety_contract *contract = NULL;
    surety_str text = {NULL, 0};
    struct operands operands;
    char *owned = NULL;
    const bool goes = options_parse(cli, command, argc, argv, &settings,
                                    &operands) == OPTIONS_GO;
    const bool alone = settings.system || settings.example;

    if (!goes)
        return;
    if (!settings.contract) {
        cli_usage(cli, "a file, or a name of surety contracts list",
                  "name the contract with -c");
        return;
    }
    if (operands.count > 1 || (alone && operands.count > 0)) {
        cli_usage(cli, alone ? "leave PROMPT out" : "put the prompt in quotes",
                  alone ? "%s prints no prompt" : "there is one PROMPT%s",
                  !alone            ? ""
                  : settings.system ? "--system"
                                    : "--example");
        return;
    }
    contract = library_contract(cli, settings.contract);
    if (contract && (alone || prompt_read(cli, &operands, &text, &owned)))
        prompt_put(cli, &settings, contract, text);
    free(owned);
    surety_contract_free(contract);
}
