/* SPDX-License-Identifier: Apache-2.0 */
/* cli.h: what every command of the tool shares: where its output goes, how it
 * complains, and the exit code it has earned so far. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <surety.h>

#include "output.h"

/* The exit codes, a promise to scripts. With several the gravest, which is the
 * highest, is the one the tool ends with. */
enum exit_code {
    CODE_VALID = 0,    /* or a fallback that the contract allows */
    CODE_INVALID = 1,  /* a reply does not satisfy its contract */
    CODE_USAGE = 2,    /* usage, contract, schema or configuration */
    CODE_PROVIDER = 3, /* no model gave a reply */
    CODE_WORLD = 4     /* file input or output, a validator, out of memory */
};

/* Whether to colour; the order of the choices of --color, counted from 1. */
enum color_choice { COLOR_UNSET, COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct cli {
    struct output out; /* values */
    struct output err; /* everything else */
    int code;          /* the gravest so far */
    bool color;        /* of what goes to err */
    const char *name;  /* the command, for messages; may be NULL */
    /* What texts, schemas and checks may take: the defaults, over them those of
     * the configuration, over them those of --limit. Set by options_parse. */
    surety_limits limits;
    bool no_schema_warnings; /* --no-schema-warnings */
    bool is_github;          /* warnings of schemas are workflow commands */
    /* How a schema's warning is added to those that a report in JSON or SARIF
     * will have, joined by commas; NULL: they are text on err. */
    void (*warning_put)(surety_buf *warnings, const char *source,
                        const surety_issue *issue);
    surety_buf warnings;
    struct {
        const char **items;
        size_t count;
    } limits_given; /* of --limit; main frees them */
};

/* Notes that the tool will end with at least this code. */
void cli_raise(struct cli *cli, int code);

/* Makes the limits anew: configured (NULL: the defaults), and over them those
 * of --limit. False: one of those is wrong, and it was said. */
bool cli_limits(struct cli *cli, const surety_limits *configured);

/* Settles the colour: always, never, or on a terminal unless NO_COLOR is set
 * to something (https://no-color.org) or TERM is "dumb". */
void cli_color(struct cli *cli, int choice);

/* Writes "surety COMMAND: error: MESSAGE", a line "= hint: HINT" where hint is
 * not NULL, and raises code. */
void cli_fail(struct cli *cli, int code, const char *hint, const char *format,
              ...) __attribute__((format(printf, 4, 5)));
/* The same of a failure of the library: its message and its hint. */
void cli_fail_error(struct cli *cli, int code, const surety_error *error);
/* The same for a mistake in how the command was called: CODE_USAGE, and a
 * line that names the help. */
void cli_usage(struct cli *cli, const char *hint, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes a failure of the library or of input_read, with the line it stands in
 * where the error has a position and the text is given (may be empty), and
 * raises code. source names the text unless the error does. */
void cli_report(struct cli *cli, int code, const char *source, surety_str text,
                const surety_error *error);

/* The exit code for a call on a contract or schema that failed: what the world
 * did is CODE_WORLD, all else otherwise. */
int cli_code_of(surety_status status, int otherwise);

/* The bytes that a buffer holds from start on. An empty buffer may have no
 * memory yet, and C allows no arithmetic on NULL (C17, 6.5.6). */
surety_str put_since(const surety_buf *buf, size_t start);
/* Appends as printf does. */
void put_format(surety_buf *buf, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends a text that stands within a line, fit for a terminal (shown.h). */
void put_safe(surety_buf *buf, surety_str text);

#endif
