/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the tool's messages. Every message has the form that compilers use, so
 * that editors can jump to its position: position, severity, one sentence, then
 * a hint. */
#include "cli.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "diag.h"

/* ORDER colors: the choices of --color, from 1. */
enum { COLOR_AUTO = 1, COLOR_ALWAYS, COLOR_NEVER };

void cli_raise(struct cli *cli, int code)
{
    assert(code >= CODE_VALID && code <= CODE_WORLD);
    if (code > cli->code)
        cli->code = code;
}

/* Sets one limit of --limit. False: the message is written. */
static bool take_limit(struct cli *cli, const char *given)
{
    const char *equals = strchr(given, '=');
    surety_error error;

    if (!equals)
        return cli_usage(cli, "such as --limit text_bytes_max=128M",
                         "--limit %s has no NAME and \"=\"", given);
    if (surety_limits_set(&cli->limits,
                          (surety_str){given, (size_t)(equals - given)},
                          surety_str_of(equals + 1), &error) == SURETY_OK)
        return true;
    return cli_usage(cli, error.hint[0] ? error.hint : NULL, "--limit: %s",
                     error.message);
}

bool cli_limits(struct cli *cli, const surety_limits *configured)
{
    cli->limits = surety_limits_of(configured);
    for (size_t i = 0; i < cli->limits_given.count; i++)
        if (!take_limit(cli, cli->limits_given.items[i]))
            return false;
    return true;
}

bool cli_color(const struct cli *cli, const struct output *output)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");

    assert(cli->color_choice <= COLOR_NEVER);
    if (cli->color_choice > COLOR_AUTO)
        return cli->color_choice == COLOR_ALWAYS;
    return isatty(output->fd) && (!no_color || !*no_color) &&
           !(term && strcmp(term, "dumb") == 0);
}

static void put_format_list(surety_buf *buf, const char *format, va_list list)
{
    char text[1024];
    const int len = vsnprintf(text, sizeof(text), format, list);

    if (len < 0)
        return;
    if ((size_t)len < sizeof(text)) {
        surety_buf_append(buf, text, (size_t)len);
        return;
    }
    surety_buf_append(buf, text, sizeof(text) - 1);
    surety_buf_text(buf, "...");
}

surety_str put_since(const surety_buf *buf, size_t start)
{
    if (buf->len <= start)
        return NO_TEXT;
    return (surety_str){buf->ptr + start, buf->len - start};
}

void put_format(surety_buf *buf, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    put_format_list(buf, format, list);
    va_end(list);
}

void put_safe(surety_buf *buf, surety_str text)
{
    surety_buf_shown(buf, text, false);
}

void put_safe_line(surety_buf *buf, const char *before, surety_str text)
{
    surety_buf_text(buf, before);
    put_safe(buf, text);
    surety_buf_byte(buf, '\n');
}

/* ---- messages ------------------------------------------------------------ */

/* Writes a failure that has no position in a text. */
static void put_failure(struct cli *cli, const char *hint, const char *format,
                        va_list list)
{
    surety_buf message;
    char source[64];
    struct diag diag = {.level = DIAG_ERROR};

    surety_buf_init(&message, NULL, 0);
    put_format_list(&message, format, list);
    snprintf(source, sizeof(source), "surety%s%s", cli->name ? " " : "",
             cli->name ? cli->name : "");
    diag.source = surety_str_of(source);
    diag.message = surety_buf_str(&message);
    diag.hint = surety_str_of(hint);
    diag_write(&cli->err.buf, cli->color, &diag);
    surety_buf_done(&message);
}

bool cli_fail(struct cli *cli, int code, const char *hint, const char *format,
              ...)
{
    va_list list;

    va_start(list, format);
    put_failure(cli, hint, format, list);
    va_end(list);
    cli_raise(cli, code);
    return false;
}

bool cli_nomem(struct cli *cli)
{
    return cli_fail(cli, CODE_WORLD, NULL, "out of memory");
}

bool cli_fail_error(struct cli *cli, int code, const surety_error *error)
{
    return cli_fail(cli, code, error->hint, "%s", error->message);
}

bool cli_usage(struct cli *cli, const char *hint, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    put_failure(cli, hint, format, list);
    va_end(list);
    put_format(&cli->err.buf, "      = see: surety %s%s--help\n",
               cli->name ? cli->name : "", cli->name ? " " : "");
    cli_raise(cli, CODE_USAGE);
    return false;
}

bool cli_report(struct cli *cli, int code, const char *source, surety_str text,
                const surety_error *error)
{
    struct diag diag = {
        .level = DIAG_ERROR,
        .source = surety_str_of(error->source[0] ? error->source : source),
        .text = text,
        .position = error->position,
        .message = surety_str_of(error->message),
        .at = surety_str_of(error->path),
        .hint = surety_str_of(error->hint),
    };

    diag_write(&cli->err.buf, cli->color, &diag);
    cli_raise(cli, code);
    return false;
}

/* ---- texts --------------------------------------------------------------- */

bool cli_read(struct cli *cli, const char *path, struct input_bound bound,
              int code, surety_str *ret_text)
{
    surety_error error;
    const surety_status status = input_read(path, bound, ret_text, &error);

    if (status == SURETY_OK)
        return true;
    return cli_report(cli, cli_code_of(status, code), input_name(path), NO_TEXT,
                      &error);
}

void cli_invite(struct cli *cli, const char *path, const char *what)
{
    if (strcmp(path, "-") != 0 || !isatty(STDIN_FILENO))
        return;
    put_format(&cli->err.buf, "reading %s from the terminal; end with Ctrl-D\n",
               what);
    output_flush(&cli->err);
}

bool cli_text(struct cli *cli, const char *given, bool takes_input,
              surety_str *ret_text, char **ret_read)
{
    const bool is_input = takes_input && given && strcmp(given, "-") == 0;

    *ret_text = surety_str_of(given);
    if (!is_input && (!given || given[0] != '@'))
        return true;
    if (!cli_read(cli, is_input ? given : given + 1, input_text(&cli->limits),
                  CODE_USAGE, ret_text))
        return false;
    *ret_read = (char *)ret_text->ptr;
    return true;
}

surety_str cli_line(surety_str *rest)
{
    const char *feed = memchr(rest->ptr, '\n', rest->len);
    const surety_str line = {rest->ptr,
                             feed ? (size_t)(feed - rest->ptr) : rest->len};

    assert(rest->len > 0);
    rest->ptr += line.len + (feed != NULL);
    rest->len -= line.len + (feed != NULL);
    return line;
}

surety_str cli_trim(surety_str text)
{
    while (text.len > 0 && memchr(" \t\r\n", text.ptr[text.len - 1], 4))
        text.len--;
    while (text.len > 0 && memchr(" \t\r\n", text.ptr[0], 4))
        text = (surety_str){text.ptr + 1, text.len - 1};
    return text;
}

unsigned cli_number(const char **text, unsigned most)
{
    uint64_t number = 0;

    for (; **text >= '0' && **text <= '9'; (*text)++)
        if (number <= most)
            number = number * 10 + (uint64_t)(**text - '0');
    return number <= most ? (unsigned)number : most + 1;
}

bool cli_signalled(const sigset_t *signals, long seconds)
{
    struct timespec now, end, rest;

    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += seconds;
    for (;;) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        rest.tv_sec = end.tv_sec - now.tv_sec;
        rest.tv_nsec = end.tv_nsec - now.tv_nsec;
        if (rest.tv_nsec < 0) {
            rest.tv_sec--;
            rest.tv_nsec += 1000000000;
        }
        if (rest.tv_sec < 0)
            return false;
        if (sigtimedwait(signals, NULL, &rest) > 0)
            return true;
    }
}

int cli_code_of(surety_status status, int otherwise)
{
    return status == SURETY_IO || status == SURETY_NOMEM ? CODE_WORLD
                                                         : otherwise;
}
