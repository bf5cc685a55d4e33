/* SPDX-License-Identifier: Apache-2.0 */
/* options.h: commands and their options as tables. Parsing, --help, the man
 * pages and the shells' completions are all read from the same rows, so none
 * of them can tell another story. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stddef.h>

#include "cli.h"

enum option_kind {
    OPTION_SECTION, /* a heading, `help` */
    OPTION_FLAG,    /* bool: true */
    OPTION_SET,     /* int: `value` */
    OPTION_CHOICE,  /* int: which of the choices, counted from 1 */
    OPTION_TEXT,    /* const char * */
    OPTION_TEXTS,   /* struct texts; may be given again */
    OPTION_NUMBER   /* unsigned: from 1 to `value` */
};

/* What stands after an option given several times, in order. */
struct texts {
    const char **items;
    size_t count;
};

/* argument names what follows the option, in capitals; "FILE" and "CONTRACT"
 * are completed as such. choices are joined by "|". */
struct option_row {
    const char *name;
    char letter; /* 0: none */
    enum option_kind kind;
    size_t offset; /* of the member of the command's settings */
    int value;
    const char *argument;
    const char *choices;
    const char *help;
};
/* Rows that many tables have: a heading, and --color at its offset. */
#define SECTION(title)                                                         \
    {                                                                          \
        NULL, 0, OPTION_SECTION, 0, 0, NULL, NULL, title                       \
    }
#define OPTION_COLOR(offset)                                                   \
    {                                                                          \
        "color", 0, OPTION_CHOICE, offset, 0, NULL, "auto|always|never",       \
            "colour; auto: on a terminal unless NO_COLOR is set"               \
    }
/* What --contract takes, for its help. */
#define CONTRACT_IS                                                            \
    "a file with a contract or a plain JSON Schema, or a name such as a/b, "   \
    "a/b@1 or a/b@1.2.0"
/* The last row of a table. */
#define OPTION_END                                                             \
    {                                                                          \
        NULL, 0, OPTION_SECTION, 0, 0, NULL, NULL, NULL                        \
    }

struct example {
    const char *line;
    const char *does;
};

struct operands {
    char **items;
    size_t count;
};

struct command {
    const char *name;        /* "check", "contracts list" */
    const char *summary;     /* a phrase */
    const char *usage;       /* what follows the name; "\n" between forms */
    const char *description; /* paragraphs, "\n" between them */
    const struct option_row *options;
    struct example examples[5]; /* up to the first without a line */
    /* What it earned is in cli->code. */
    void (*run)(struct cli *cli, const struct command *command, int argc,
                char **argv);
};

/* Every command, ended by one without a name (commands.c). */
extern const struct command commands[];
/* The rows that every command has: limits, help and version. */
extern const struct option_row options_common[];

enum options_result {
    OPTIONS_GO,   /* run the command */
    OPTIONS_DONE, /* help or version was printed */
    OPTIONS_BAD   /* said what is wrong and raised CODE_USAGE */
};

/* Reads the command line (argv[0] is the command) into settings, which the
 * caller has zeroed, and gives what is no option. */
enum options_result options_parse(struct cli *cli,
                                  const struct command *command, int argc,
                                  char **argv, void *settings,
                                  struct operands *ret_operands);
void texts_done(struct texts *texts);

/* Options that do not go together. */
struct option_rule {
    bool is_broken;
    const char *hint, *message;
};
/* Whether all rules hold; false: the first that does not was said, as a mistake
 * in how the command was called. */
bool options_obey(struct cli *cli, const struct option_rule *rules,
                  size_t count);

/* How an argument is written in help: its name or its choices. */
const char *option_argument(const struct option_row *row);

/* help.c, manual.c, complete.c: what the tables say. */
void help_tool(surety_buf *out);
void help_command(surety_buf *out, const struct command *command);
/* The commands whose names start with a group's, "contracts". */
void help_group(surety_buf *out, const char *group);
void manual_tool(surety_buf *out);
void manual_command(surety_buf *out, const struct command *command);
/* shell: "bash", "zsh", "fish"; false for another. */
bool complete_write(surety_buf *out, const char *shell);

/* The exit codes and the environment, for help and manual; each ended by an
 * example without a line. */
extern const struct example help_codes[];
extern const struct example help_environment[];

#endif
