/* SPDX-License-Identifier: Apache-2.0 */
/* Writes --help: usage, one sentence of description, the options by group, the
 * exit codes, examples. Everything comes from the tables, in lines of 80
 * columns. */
#include "options.h"

#include <assert.h>
#include <string.h>

enum { HELP_COLUMNS = 79, HELP_INDENT = 26 };

const struct example help_codes[] = {
    {"0", "valid, or a fallback that the contract allows"},
    {"1", "a reply or an instance does not satisfy its contract or schema"},
    {"2", "a mistake in the command line, a contract, a schema or surety.json"},
    {"3", "no model gave a reply: its provider or the network failed; or a "
          "tool failed"},
    {"4",
     "a file, a database or a --validator could not be used, or memory ran "
     "out"},
    {NULL, NULL}};

const struct example help_environment[] = {
    {"SURETY_CONTRACTS",
     "folders with contracts, joined by colons; searched before ./contracts, "
     "$XDG_CONFIG_HOME/surety/contracts and the built-in set"},
#ifdef SURETY_WITH_RUN
    {"OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY",
     "the keys of the built-in providers, for run; surety.json names others"},
    {"HTTPS_PROXY, NO_PROXY", "the proxy to models, and hosts that need none"},
#endif
    {"NO_COLOR", "when set to anything, --color auto means never"},
    {NULL, NULL}};

/* Appends text from the given column on, wrapped; later lines are indented. */
static void put_wrapped(surety_buf *out, const char *text, size_t column,
                        size_t indent)
{
    const char *word = text;
    bool is_first = true;

    assert(indent < HELP_COLUMNS);
    while (*word) {
        const size_t len = strcspn(word, " \n");
        if (!is_first && column + 1 + len > HELP_COLUMNS) {
            surety_buf_byte(out, '\n');
            for (column = 0; column < indent; column++)
                surety_buf_byte(out, ' ');
        } else if (!is_first) {
            surety_buf_byte(out, ' ');
            column++;
        }
        surety_buf_append(out, word, len);
        column += len;
        is_first = false;
        word += len;
        if (*word == '\n') {
            surety_buf_byte(out, '\n');
            for (column = 0; column < indent; column++)
                surety_buf_byte(out, ' ');
            is_first = true;
        }
        word += *word != '\0';
    }
    surety_buf_byte(out, '\n');
}

/* Writes an entry: the text that out has from start on is the left column; the
 * help goes beside or below it. */
static void put_entry(surety_buf *out, size_t start, const char *help)
{
    size_t column = out->len - start;

    assert(start <= out->len);
    if (column + 2 > HELP_INDENT) {
        surety_buf_byte(out, '\n');
        column = 0;
    }
    for (; column < HELP_INDENT; column++)
        surety_buf_byte(out, ' ');
    put_wrapped(out, help, HELP_INDENT, HELP_INDENT);
}

static void put_options(surety_buf *out, const struct option_row *row)
{
    for (; row->name || row->help; row++) {
        const char *argument = option_argument(row);
        const size_t start = out->len;

        if (row->kind == OPTION_SECTION) {
            put_format(out, "\n%s:\n", row->help);
            continue;
        }
        if (row->letter)
            put_format(out, "  -%c, --%s", row->letter, row->name);
        else
            put_format(out, "      --%s", row->name);
        if (argument)
            put_format(out, " %s", argument);
        put_entry(out, start, row->help);
    }
}

static void put_usage(surety_buf *out, const struct command *command)
{
    const char *form = command->usage;
    const char *label = "usage:";

    for (;;) {
        const size_t len = strcspn(form, "\n");
        put_format(out, "%s surety %s %.*s\n", label, command->name, (int)len,
                   form);
        if (form[len] == '\0')
            return;
        form += len + 1;
        label = "      ";
    }
}

void help_command(surety_buf *out, const struct command *command)
{
    put_usage(out, command);
    surety_buf_byte(out, '\n');
    put_wrapped(out, command->description, 0, 0);
    put_options(out, command->options);
    put_options(out, options_common);
    surety_buf_text(out, "\nExit codes:\n");
    for (const struct example *code = help_codes; code->line; code++)
        put_format(out, "  %s  %s\n", code->line, code->does);
    surety_buf_text(out, "\nExamples:\n");
    for (size_t i = 0; i < 4 && command->examples[i].line; i++)
        put_format(out, "  %s\n      %s\n", command->examples[i].line,
                   command->examples[i].does);
}

static void put_commands(surety_buf *out, const char *group)
{
    const size_t group_len = strlen(group);

    for (const struct command *row = commands; row->name; row++) {
        const size_t start = out->len;
        if (strncmp(row->name, group, group_len) != 0)
            continue;
        put_format(out, "  %s", row->name);
        put_entry(out, start, row->summary);
    }
}

void help_group(surety_buf *out, const char *group)
{
    put_format(out, "usage: surety %s COMMAND ...\n\nCommands:\n", group);
    put_commands(out, group);
    put_format(out, "\nsurety help %s COMMAND shows its options.\n", group);
}

void help_tool(surety_buf *out)
{
    surety_buf_text(out, "usage: surety COMMAND ...\n\n");
    put_wrapped(out,
                "Turns a language model's reply into a value that satisfies "
                "its contract, or reports exactly why it does not.",
                0, 0);
    surety_buf_text(out, "\nCommands:\n");
    put_commands(out, "");
    put_options(out, options_common);
    surety_buf_text(out, "\nExit codes:\n");
    for (const struct example *code = help_codes; code->line; code++)
        put_format(out, "  %s  %s\n", code->line, code->does);
    surety_buf_text(out, "\nEnvironment:\n");
    for (const struct example *pair = help_environment; pair->line; pair++) {
        const size_t start = out->len;
        put_format(out, "  %s", pair->line);
        put_entry(out, start, pair->does);
    }
    surety_buf_text(out,
                    "\nExamples:\n"
                    "  surety check -c story.json reply.md\n"
                    "      the value in reply.md, if it satisfies story.json\n"
                    "  surety help check\n"
                    "      everything about one command\n");
}
