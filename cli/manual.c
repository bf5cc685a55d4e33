/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the man pages, as roff for the man macros (groff_man(7)), from the
 * tables that --help uses. A minus is written as \- so that it is still a minus
 * when it is copied. */
#include "options.h"

#include <string.h>

static void put_roff(surety_buf *out, const char *text)
{
    bool is_start = true;

    for (; *text; text++) {
        if (is_start && (*text == '.' || *text == '\''))
            surety_buf_text(out, "\\&");
        if (*text == '\\')
            surety_buf_text(out, "\\e");
        else if (*text == '-')
            surety_buf_text(out, "\\-");
        else if (*text == '\n')
            surety_buf_text(out, "\n.PP");
        if (*text != '\\' && *text != '-')
            surety_buf_byte(out, *text);
        is_start = *text == '\n';
    }
    surety_buf_byte(out, '\n');
}

/* Appends the name of a command's page: "contracts list" has
 * surety-contracts-list. */
static void put_page_name(surety_buf *out, const char *name, bool is_upper)
{
    for (; *name; name++) {
        if (*name == ' ')
            surety_buf_text(out, "\\-");
        else if (is_upper && *name >= 'a' && *name <= 'z')
            surety_buf_byte(out, (char)(*name - 'a' + 'A'));
        else
            surety_buf_byte(out, *name);
    }
}

static void put_options(surety_buf *out, const struct option_row *row)
{
    for (; row->name || row->help; row++) {
        const char *argument = option_argument(row);
        if (row->kind == OPTION_SECTION) {
            put_format(out, ".SS %s\n", row->help);
            continue;
        }
        surety_buf_text(out, ".TP\n");
        if (row->letter)
            put_format(out, "\\fB\\-%c\\fR, ", row->letter);
        surety_buf_text(out, "\\fB\\-\\-");
        put_page_name(out, row->name, false);
        surety_buf_text(out, argument ? "\\fR \\fI" : "\\fR\n");
        if (argument) {
            surety_buf_text(out, argument);
            surety_buf_text(out, "\\fR\n");
        }
        put_roff(out, row->help);
    }
}

static void put_pairs(surety_buf *out, const struct example *pair)
{
    for (; pair->line; pair++) {
        put_format(out, ".TP\n.B %s\n", pair->line);
        put_roff(out, pair->does);
    }
}

static void put_closing(surety_buf *out)
{
    surety_buf_text(out, ".SH EXIT STATUS\n");
    put_pairs(out, help_codes);
    surety_buf_text(out, ".SH ENVIRONMENT\n");
    put_pairs(out, help_environment);
}

static void put_synopsis(surety_buf *out, const struct command *command)
{
    const char *form = command->usage;

    surety_buf_text(out, ".SH SYNOPSIS\n");
    for (;;) {
        const size_t len = strcspn(form, "\n");
        put_format(out, ".B surety %s\n", command->name);
        for (size_t i = 0; i < len; i++) {
            if (form[i] == '-')
                surety_buf_byte(out, '\\');
            surety_buf_byte(out, form[i]);
        }
        surety_buf_byte(out, '\n');
        if (form[len] == '\0')
            return;
        form += len + 1;
        surety_buf_text(out, ".br\n");
    }
}

void manual_command(surety_buf *out, const struct command *command)
{
    surety_buf_text(out, ".TH SURETY\\-");
    put_page_name(out, command->name, true);
    put_format(out, " 1 \"\" \"Surety %s\" \"Surety\"\n", SURETY_VERSION);
    surety_buf_text(out, ".SH NAME\nsurety\\-");
    put_page_name(out, command->name, false);
    put_format(out, " \\- ");
    put_roff(out, command->summary);
    put_synopsis(out, command);
    surety_buf_text(out, ".SH DESCRIPTION\n");
    put_roff(out, command->description);
    surety_buf_text(out, ".SH OPTIONS\n");
    put_options(out, command->options);
    put_options(out, options_common);
    put_closing(out);
    surety_buf_text(out, ".SH EXAMPLES\n");
    for (size_t i = 0; i < 4 && command->examples[i].line; i++) {
        surety_buf_text(out, ".TP\n");
        put_roff(out, command->examples[i].line);
        put_roff(out, command->examples[i].does);
    }
    surety_buf_text(out, ".SH SEE ALSO\n.BR surety (1)\n");
}

void manual_tool(surety_buf *out)
{
    const char *separator = "";
    surety_limit limit;

    put_format(out, ".TH SURETY 1 \"\" \"Surety %s\" \"Surety\"\n",
               SURETY_VERSION);
    surety_buf_text(
        out, ".SH NAME\nsurety \\- check language models' replies "
             "against contracts\n"
             ".SH SYNOPSIS\n.B surety\n\\fICOMMAND\\fR ...\n"
             ".SH DESCRIPTION\n"
             "Turns a language model's reply into a value that satisfies its "
             "contract, or reports exactly why it does not.\n"
             ".SH COMMANDS\n");
    for (const struct command *row = commands; row->name; row++) {
        put_format(out, ".TP\n.B %s\n", row->name);
        put_roff(out, row->summary);
    }
    surety_buf_text(out, ".SH OPTIONS\n");
    put_options(out, options_common);
    surety_buf_text(out, ".SH LIMITS\n"
                         "Each is set by \\-\\-limit NAME=VALUE, or by "
                         "\"limits\" of surety.json.\n");
    for (size_t i = 0; surety_limit_at(i, &limit); i++)
        put_format(out, ".TP\n.B %s\n%s; %llu unless given, at most %llu: %s\n",
                   limit.name, limit.what, (unsigned long long)limit.usual,
                   (unsigned long long)limit.max, limit.why);
    put_closing(out);
    surety_buf_text(out, ".SH SEE ALSO\n");
    for (const struct command *row = commands; row->name; row++) {
        put_format(out, "%s.BR surety\\-", separator);
        put_page_name(out, row->name, false);
        surety_buf_text(out, " (1)");
        separator = ",\n";
    }
    surety_buf_byte(out, '\n');
}
