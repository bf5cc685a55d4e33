/* SPDX-License-Identifier: Apache-2.0 */
/* cli.h: what all commands of the tool share: the outputs, the messages, and
 * the exit code so far. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <signal.h>

#include <surety.h>

#include "input.h"
#include "output.h"

#define NO_TEXT ((surety_str){NULL, 0})
/* The number of items of an array. */
#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

/* The exit codes, which are part of the stable interface for scripts. If
 * several apply, the tool ends with the highest, which is the most severe. */
enum exit_code {
    CODE_VALID = 0,    /* also for a fallback that the contract allows */
    CODE_INVALID = 1,  /* a reply does not satisfy its contract */
    CODE_USAGE = 2,    /* error in usage, contract, schema or configuration */
    CODE_PROVIDER = 3, /* no model gave a reply */
    CODE_WORLD = 4     /* file input or output, a validator, out of memory */
};

/* The arguments of an option that was given several times, in order. */
struct texts {
    const char **items;
    size_t count;
};

struct cli {
    struct output out; /* standard output: values */
    struct output err; /* standard error: everything else */
    int code;          /* the most severe exit code so far */
    bool color;        /* whether err is coloured */
    const char *name;  /* name of the command, for messages; may be NULL */
    /* The options of every command; --color for those that have it. */
    struct texts limits_given;
    bool no_schema_warnings, help, version;
    int color_choice; /* ORDER colors */
    /* The limits: those of --limit, else those of the configuration, else the
     * defaults. Set before a command runs. */
    surety_limits limits;
    bool is_github; /* warnings of schemas are written as workflow
                     * commands */
    /* Appends a schema's warning to the warnings of a report in JSON or SARIF,
     * separated by commas; NULL: warnings are text on err. */
    void (*warning_put)(surety_buf *warnings, const char *source,
                        const surety_issue *issue);
    surety_buf warnings;
};

/* Raises the exit code to code, unless it is higher already. */
void cli_raise(struct cli *cli, int code);

/* Sets the limits again: those of --limit, else those of configured (NULL: the
 * defaults). False: an argument of --limit is wrong, and the message is
 * written. */
bool cli_limits(struct cli *cli, const surety_limits *configured);

/* Returns whether an output is coloured: always, never, or if it is a terminal,
 * unless NO_COLOR is set and not empty (https://no-color.org) or TERM is
 * "dumb". */
bool cli_color(const struct cli *cli, const struct output *output);

/* ---- messages ------------------------------------------------------------ */

/* The functions of this part always return false, so that a check can end with
 * its message. */

/* Writes "surety COMMAND: error: MESSAGE", a line "= hint: HINT" where hint is
 * not NULL, and raises code. */
bool cli_fail(struct cli *cli, int code, const char *hint, const char *format,
              ...) __attribute__((format(printf, 4, 5)));
/* The same for a failure of the library, with its message and hint. */
bool cli_fail_error(struct cli *cli, int code, const surety_error *error);
bool cli_nomem(struct cli *cli);
/* The same for an error in the command line: raises CODE_USAGE, and adds a line
 * that names the help. */
bool cli_usage(struct cli *cli, const char *hint, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes a failure of the library or of input_read, and raises code. If the
 * error has a position and text is not empty, it shows that line of text.
 * source is the name of the text, unless the error has one. */
bool cli_report(struct cli *cli, int code, const char *source, surety_str text,
                const surety_error *error);

/* ---- texts --------------------------------------------------------------- */

/* Reads a file with input_read; the caller frees ret_text->ptr. False: the
 * message is written, and CODE_WORLD or code raised. */
bool cli_read(struct cli *cli, const char *path, struct input_bound bound,
              int code, surety_str *ret_text);
/* If path is "-" and standard input is a terminal, writes a line that says what
 * is read from it. */
void cli_invite(struct cli *cli, const char *path, const char *what);
/* Gives the text of an argument: the file of @FILE, with takes_input standard
 * input for "-", and every other text itself; NULL: empty. *ret_read is what
 * the caller frees. False: the message is written. */
bool cli_text(struct cli *cli, const char *given, bool takes_input,
              surety_str *ret_text, char **ret_read);
/* Takes the next line off *rest, which is not empty; gives it without its line
 * feed. */
surety_str cli_line(surety_str *rest);
/* Returns the text without the white space of JSON around it. */
surety_str cli_trim(surety_str text);
/* Takes the digits off *text and returns their number; most + 1: it is greater
 * than most. */
unsigned cli_number(const char **text, unsigned most);

/* Waits for one of the signals, which are blocked, at most so many seconds;
 * whether one came. A stop of the process and its end interrupt the system's
 * wait (signal(7)), and not this one. */
bool cli_signalled(const sigset_t *signals, long seconds);
/* Returns the exit code for a failed call: CODE_WORLD for failures of the
 * environment (files, processes, memory), and otherwise for all others. */
int cli_code_of(surety_status status, int otherwise);

/* Returns the bytes of a buffer from offset start on. An empty buffer may have
 * a NULL ptr, and C does not allow arithmetic on NULL (C17, 6.5.6). */
surety_str put_since(const surety_buf *buf, size_t start);
/* Appends formatted text, as printf does. */
void put_format(surety_buf *buf, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends a text within a line, made safe for a terminal. */
void put_safe(surety_buf *buf, surety_str text);
/* Appends the rest of a line: before, a text made safe, and a line feed. */
void put_safe_line(surety_buf *buf, const char *before, surety_str text);

#endif
