/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the templates of the command line. A mistake in one is shown with its
 * line, under the name of its file or option. */
#include "words.h"

#include <stdlib.h>

bool words_read(struct words *words, struct cli *cli,
                const struct words_settings *settings)
{
    surety_prompt_options *options = &words->options;
    const struct {
        const char *given, *option;
        surety_str *text;
    } rows[WORDS] = {
        {settings->instructions, "--instructions", &options->instructions},
        {settings->reask, "--reask", &options->reask},
        {settings->system, "--system-template", &options->system},
    };

    for (size_t i = 0; i < WORDS; i++) {
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
    return true;
}

void words_done(struct words *words)
{
    for (size_t i = 0; i < WORDS; i++)
        free(words->read[i]);
}
