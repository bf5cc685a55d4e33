/* SPDX-License-Identifier: Apache-2.0 */
/* options.h: commands and their options as tables. Parsing, --help, the man
 * pages and the shells' completions all use the same rows, so they cannot
 * differ. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stddef.h>

#include "cli.h"

enum option_kind {
    OPTION_SECTION, /* a heading, `help` */
    OPTION_FLAG,    /* bool: true */
    OPTION_SET,     /* int: `value` */
    OPTION_CHOICE,  /* int: number of the choice, from 1 */
    OPTION_COLOR,   /* the same, for cli.color_choice */
    OPTION_TEXT,    /* const char * */
    OPTION_TEXTS,   /* struct texts; may be given several times */
    OPTION_NUMBER   /* unsigned: from 1 to `value` */
};

/* argument is the name of the option's argument in help, in capitals; for
 * "FILE" and "CONTRACT" there is a completion. choices are separated by "|". */
struct option_row {
    const char *name;
    char letter; /* 0: none */
    enum option_kind kind;
    size_t offset; /* offset of the member in the command's settings */
    int value;
    const char *argument;
    const char *choices;
    const char *help;
};
/* The rows of the kinds; `at` is the offset of the member. */
#define SECTION(title) ROW(NULL, 0, OPTION_SECTION, 0, 0, NULL, NULL, title)
#define FLAG(name, letter, at, help)                                           \
    ROW(name, letter, OPTION_FLAG, at, 0, NULL, NULL, help)
#define SET(name, at, value, help)                                             \
    ROW(name, 0, OPTION_SET, at, value, NULL, NULL, help)
#define CHOICE(name, letter, at, choices, help)                                \
    ROW(name, letter, OPTION_CHOICE, at, 0, NULL, choices, help)
#define TEXT(name, letter, at, argument, help)                                 \
    ROW(name, letter, OPTION_TEXT, at, 0, argument, NULL, help)
#define TEXTS(name, letter, at, argument, help)                                \
    ROW(name, letter, OPTION_TEXTS, at, 0, argument, NULL, help)
#define NUMBER(name, letter, at, max, argument, help)                          \
    ROW(name, letter, OPTION_NUMBER, at, max, argument, NULL, help)
#define COLOR                                                                  \
    ROW("color", 0, OPTION_COLOR, 0, 0, NULL, "auto|always|never",             \
        "colour; auto: on a terminal unless NO_COLOR is set")
/* The last row of a table. */
#define OPTION_END SECTION(NULL)
#define ROW(name, letter, kind, at, value, argument, choices, help)            \
    {                                                                          \
        name, letter, kind, at, value, argument, choices, help                 \
    }
/* The possible arguments of --contract, for its help. */
#define CONTRACT_IS                                                            \
    "a file with a contract or a plain JSON Schema, or a name such as a/b, "   \
    "a/b@1 or a/b@1.2.0"
struct example {
    const char *line;
    const char *does;
};

struct operands {
    char **items;
    size_t count;
};

/* The options of a command as the struct that its rows describe, of at most
 * SETTINGS_MAX bytes. */
enum { SETTINGS_MAX = 1024 };
#define SETTINGS_FIT(type)                                                     \
    _Static_assert(sizeof(type) <= SETTINGS_MAX, "raise SETTINGS_MAX")

/* Runs a command. Its exit code is in cli->code. */
typedef void command_run(struct cli *cli, const void *settings,
                         const struct operands *operands);

struct command {
    const char *name;        /* "check", "contracts list" */
    const char *summary;     /* a phrase */
    const char *usage;       /* text after the name; "
                              * " between forms */
    const char *description; /* paragraphs, "\n" between them */
    const struct option_row *options;
    struct example examples[4]; /* ends at the first one without a line */
    command_run *run;
};

/* All commands; the last has no name (commands.c). */
extern const struct command commands[];
/* The rows that every command has: limits, help and version. */
extern const struct option_row options_common[];

/* Reads the command line (argv[0] is the command) and runs the command, unless
 * help or version was asked for, or the message about an error is written. */
void command_start(struct cli *cli, const struct command *command, int argc,
                   char **argv);

/* A rule about options that cannot be combined. */
struct option_rule {
    bool is_broken;
    const char *hint, *message;
};
/* Returns whether all rules hold; false: the usage message about the first
 * broken rule is written. */
bool options_obey(struct cli *cli, const struct option_rule *rules,
                  size_t count);

/* Returns an argument as help shows it: its name or its choices. */
const char *option_argument(const struct option_row *row);

/* help.c, manual.c, complete.c: write texts from the tables. */
void help_tool(surety_buf *out);
void help_command(surety_buf *out, const struct command *command);
/* The commands of a group: those whose names begin with its name,
 * "contracts". */
void help_group(surety_buf *out, const char *group);
void manual_tool(surety_buf *out);
void manual_command(surety_buf *out, const struct command *command);
/* shell: "bash", "zsh" or "fish"; false: another one. */
bool complete_write(surety_buf *out, const char *shell);

/* The exit codes and the environment variables, for help and manual; each list
 * ends with an example without a line. */
extern const struct example help_codes[];
extern const struct example help_environment[];

#endif
