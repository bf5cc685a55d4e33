/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the templates and examples of the command line. A mistake in one is
 * shown with its line, under the name of its file or option. */
#include "words.h"

#include <stdlib.h>

#include "input.h"

/* Reads the file of examples, and checks their outputs with the contract. */
static bool words_read_examples(struct words *words, struct cli *cli,
                                const char *path,
                                const surety_contract *contract)
{
    surety_str *text = &words->options.examples;
    surety_doc *turns;
    surety_error error;
    surety_status status;

    if (!path)
        return true;
    if (!cli_read(cli, path, input_text(&cli->limits), CODE_USAGE, text))
        return false;
    words->read[WORDS - 1] = (char *)text->ptr;
    if (text->len == 0)
        return cli_usage(cli, NULL, "%s has no examples", input_name(path));
    status = surety_prompt_check(&words->options, &error);
    turns = surety_doc_new(NULL);
    if (status == SURETY_OK && contract)
        status = surety_prompt_turns(contract, &words->options, turns, &error);
    surety_doc_free(turns);
    error.source[0] = '\0';
    return status == SURETY_OK ||
           cli_report(cli, cli_code_of(status, CODE_USAGE), input_name(path),
                      *text, &error);
}

bool words_read(struct words *words, struct cli *cli,
                const struct words_settings *settings,
                const surety_contract *contract)
{
    surety_prompt_options *options = &words->options;
    const struct {
        const char *given, *option;
        surety_str *text;
    } rows[] = {
        {settings->instructions, "--instructions", &options->instructions},
        {settings->reask, "--reask", &options->reask},
        {settings->system, "--system-template", &options->system},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *given = rows[i].given;
        surety_error error;

        if (!given)
            continue;
        if (!cli_text(cli, given, false, rows[i].text, &words->read[i]))
            return false;
        if (rows[i].text->len == 0)
            return cli_usage(cli, NULL, "the template of %s is empty",
                             rows[i].option);
        if (surety_prompt_check(options, &error) == SURETY_OK)
            continue;
        error.source[0] = '\0';
        return cli_report(cli, CODE_USAGE,
                          words->read[i] ? given + 1 : rows[i].option,
                          *rows[i].text, &error);
    }
    return words_read_examples(words, cli, settings->examples, contract);
}

void words_done(struct words *words)
{
    for (size_t i = 0; i < WORDS; i++)
        free(words->read[i]);
}
