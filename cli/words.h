/* SPDX-License-Identifier: Apache-2.0 */
/* words.h: the options for prompts in one's own words: templates, each a text
 * or @FILE, and a file of examples. */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include "cli.h"
#include "options.h"

enum { WORDS = 4 };

/* The options as texts; NULL: not given. Filled by options_parse. */
struct words_settings {
    const char *instructions, *reask, *system, *examples;
};

#define WORDS_ROW_INSTRUCTIONS(at)                                             \
    TEXT("instructions", 0,                                                    \
         (at) + offsetof(struct words_settings, instructions),                 \
         "TEXT|@FILE|none",                                                    \
         "a template in place of the format instructions, with ${prompt}, "    \
         "${schema} and ${example}; none: the prompt alone")
#define WORDS_ROW_REASK(at)                                                    \
    TEXT("reask", 0, (at) + offsetof(struct words_settings, reask),            \
         "TEXT|@FILE",                                                         \
         "a template for a re-ask, with ${errors} and ${reply} too")
#define WORDS_ROW_SYSTEM(at)                                                   \
    TEXT("system-template", 0, (at) + offsetof(struct words_settings, system), \
         "TEXT|@FILE",                                                         \
         "a template that follows the system prompt, as --instructions")

#define WORDS_ROW_EXAMPLES(at)                                                 \
    TEXT("examples", 0, (at) + offsetof(struct words_settings, examples),      \
         "FILE",                                                               \
         "inputs and the output wanted for each, in place of the contract's: " \
         "a JSON array of {\"input\": TEXT, \"output\": VALUE}")

/* The options of a command's prompts, and what was read for them. */
struct words {
    surety_prompt_options options;
    char *read[WORDS];
};

/* Reads the templates and examples into the options, and checks them; contract
 * may be NULL. False: the message is written. Call words_done in any case. */
bool words_read(struct words *words, struct cli *cli,
                const struct words_settings *settings,
                const surety_contract *contract);
void words_done(struct words *words);

#endif
