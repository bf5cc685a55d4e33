/* SPDX-License-Identifier: Apache-2.0 */
/* cli.h: what all commands of the tool share: the outputs, the messages, and
 * the exit code so far. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <surety.h>

#include "output.h"

/* The exit codes, which are part of the stable interface for scripts. If
 * several apply, the tool ends with the highest, which is the most severe. */
enum exit_code {
    CODE_VALID = 0,    /* also for a fallback that the contract allows */
    CODE_INVALID = 1,  /* a reply does not satisfy its contract */
    CODE_USAGE = 2,    /* error in usage, contract, schema or configuration */
    CODE_PROVIDER = 3, /* no model gave a reply */
    CODE_WORLD = 4     /* file input or output, a validator, out of memory */
};

/* When to use colour, in the order of the choices of --color, from 1. */
enum color_choice { COLOR_UNSET, COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct cli {
    struct output out; /* standard output: values */
    struct output err; /* standard error: everything else */
    int code;          /* the most severe exit code so far */
    bool color;        /* whether err is coloured */
    const char *name;  /* name of the command, for messages; may be NULL */
    /* The limits: those of --limit, else those of the configuration, else the
     * defaults. Set by options_parse. */
    surety_limits limits;
    bool no_schema_warnings; /* --no-schema-warnings */
    bool is_github;          /* warnings of schemas are written as workflow
                              * commands */
    /* Appends a schema's warning to the warnings of a report in JSON or SARIF,
     * separated by commas; NULL: warnings are text on err. */
    void (*warning_put)(surety_buf *warnings, const char *source,
                        const surety_issue *issue);
    surety_buf warnings;
    struct {
        const char **items;
        size_t count;
    } limits_given; /* from --limit; main frees them */
};

/* Raises the exit code to code, unless it is higher already. */
void cli_raise(struct cli *cli, int code);

/* Sets the limits again: those of --limit, else those of configured (NULL: the
 * defaults). False: an argument of --limit is wrong, and the message is
 * written. */
bool cli_limits(struct cli *cli, const surety_limits *configured);

/* Sets cli->color: always, never, or if err is a terminal, unless NO_COLOR is
 * set and not empty (https://no-color.org) or TERM is "dumb". */
void cli_color(struct cli *cli, int choice);

/* Writes "surety COMMAND: error: MESSAGE", a line "= hint: HINT" where hint is
 * not NULL, and raises code. */
void cli_fail(struct cli *cli, int code, const char *hint, const char *format,
              ...) __attribute__((format(printf, 4, 5)));
/* The same for a failure of the library, with its message and hint. */
void cli_fail_error(struct cli *cli, int code, const surety_error *error);
/* The same for an error in the command line: raises CODE_USAGE, and adds a line
 * that names the help. */
void cli_usage(struct cli *cli, const char *hint, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes a failure of the library or of input_read, and raises code. If the
 * error has a position and text is not empty, it shows that line of text.
 * source is the name of the text, unless the error has one. */
void cli_report(struct cli *cli, int code, const char *source, surety_str text,
                const surety_error *error);

/* Returns the exit code for a failed call: CODE_WORLD for failures of the
 * environment (files, processes, memory), and otherwise for all others. */
int cli_code_of(surety_status status, int otherwise);

/* Returns the bytes of a buffer from offset start on. An empty buffer may have
 * a NULL ptr, and C does not allow arithmetic on NULL (C17, 6.5.6). */
surety_str put_since(const surety_buf *buf, size_t start);
/* Appends formatted text, as printf does. */
void put_format(surety_buf *buf, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends a text within a line, made safe for a terminal (shown.h). */
void put_safe(surety_buf *buf, surety_str text);

#endif
