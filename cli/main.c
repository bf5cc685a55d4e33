/* SPDX-License-Identifier: Apache-2.0 */
/* surety, the command-line tool, which uses only the public headers. This file
 * finds the command, runs it, checks that all output was written, and ends with
 * the highest exit code.
 *
 * If the reader of a pipe closes it, the tool ends soon and silently by
 * SIGPIPE, as other filters do, but only after the command has cleaned up, so
 * that files are complete and attempts are recorded. If that signal was ignored
 * when the tool started, the exit code is that of a failed write. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nearest.h"
#include "options.h"

/* Returns the command whose name is the first one or two words of argv; NULL:
 * none. *ret_words is the number of words. */
static const struct command *find_command(int argc, char **argv, int *ret_words)
{
    for (const struct command *row = commands; row->name; row++) {
        const char *second = strchr(row->name, ' ');
        const size_t first_len = strcspn(row->name, " ");
        if (argc < 1 || strlen(argv[0]) != first_len ||
            memcmp(argv[0], row->name, first_len) != 0)
            continue;
        if (!second || (argc > 1 && strcmp(argv[1], second + 1) == 0)) {
            *ret_words = second ? 2 : 1;
            return row;
        }
    }
    return NULL;
}

/* Returns whether the names of commands begin with the word and a space. */
static bool is_group(const char *word)
{
    const size_t len = strlen(word);

    for (const struct command *row = commands; row->name; row++)
        if (strncmp(row->name, word, len) == 0 && row->name[len] == ' ')
            return true;
    return false;
}

/* Reports that there is no such command. group is "" or a group's name. */
static void refuse_command(struct cli *cli, const char *group, const char *word)
{
    const size_t group_len = strlen(group);
    struct nearest nearest;
    char hint[128];

    nearest_init(&nearest, surety_str_of(word));
    for (const struct command *row = commands; row->name; row++) {
        const char *name = row->name;
        if (strncmp(name, group, group_len) != 0)
            continue;
        name += group_len > 0 ? group_len + 1 : 0;
        nearest_try(&nearest, (surety_str){name, strcspn(name, " ")});
    }
    cli_usage(cli, nearest_hint(&nearest, "", hint, sizeof(hint)),
              "there is no command \"%s%s%s\"", group, group_len ? " " : "",
              word);
}

/* Runs help [COMMAND]. */
static void run_help(struct cli *cli, int argc, char **argv)
{
    int words = 0;
    const struct command *command = find_command(argc, argv, &words);

    if (argc == 0 || strcmp(argv[0], "help") == 0)
        help_tool(&cli->out.buf);
    else if (command)
        help_command(&cli->out.buf, command);
    else if (!is_group(argv[0]))
        refuse_command(cli, "", argv[0]);
    else if (argc == 1)
        help_group(&cli->out.buf, argv[0]);
    else
        refuse_command(cli, argv[0], argv[1]);
}

/* Runs --man [PAGE] and --completion SHELL, from which the build makes files.
 * The name of a page is a command's words joined by "-". */
static void run_pages(struct cli *cli, int argc, char **argv)
{
    const char *page = argc > 1 ? argv[1] : "";

    if (strcmp(argv[0], "--completion") == 0) {
        if (!complete_write(&cli->out.buf, page))
            cli_usage(cli, NULL, "--completion is for bash, zsh or fish");
        return;
    }
    if (argc == 1) {
        manual_tool(&cli->out.buf);
        return;
    }
    for (const struct command *row = commands; row->name; row++) {
        size_t i = 0;
        while (page[i] && row->name[i] &&
               (page[i] == row->name[i] ||
                (page[i] == '-' && row->name[i] == ' ')))
            i++;
        if (page[i] == '\0' && row->name[i] == '\0') {
            manual_command(&cli->out.buf, row);
            return;
        }
    }
    refuse_command(cli, "", page);
}

/* Runs a group's name, alone or with options only, as the group's command
 * "list". */
static void run_group(struct cli *cli, int argc, char **argv)
{
    static char list[] = "list";
    char *words[2] = {argv[0], list};
    int count = 0;
    const struct command *command = find_command(2, words, &count);

    if (argc > 1 &&
        (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        help_group(&cli->out.buf, argv[0]);
    } else if (command && (argc == 1 || argv[1][0] == '-')) {
        command_start(cli, command, argc, argv);
    } else {
        refuse_command(cli, argv[0], argc > 1 ? argv[1] : "");
    }
}

static void run(struct cli *cli, int argc, char **argv)
{
    int words = 0;
    const struct command *command = find_command(argc, argv, &words);

    if (command) {
        command_start(cli, command, argc - words + 1, argv + words - 1);
    } else if (argc == 0) {
        help_tool(&cli->err.buf);
        cli_raise(cli, CODE_USAGE);
    } else if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0 ||
               strcmp(argv[0], "help") == 0) {
        run_help(cli, argc - 1, argv + 1);
    } else if (strcmp(argv[0], "--version") == 0 ||
               strcmp(argv[0], "-V") == 0) {
        put_format(&cli->out.buf, "surety %s\n", surety_version());
    } else if (strcmp(argv[0], "--man") == 0 ||
               strcmp(argv[0], "--completion") == 0) {
        run_pages(cli, argc, argv);
    } else if (is_group(argv[0])) {
        run_group(cli, argc, argv);
    } else if (argv[0][0] == '-') {
        cli_usage(cli, "options follow the command, as in surety check --help",
                  "there is no option %s before a command", argv[0]);
    } else {
        refuse_command(cli, "", argv[0]);
    }
}

/* If the caller closed a standard descriptor, the next file or socket would get
 * its number, and would be read as standard input or written as output. So it
 * becomes /dev/null, opened in the wrong direction, so that using it fails. */
static void hold_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
    struct cli cli = {.code = CODE_VALID, .limits = surety_limits_of(NULL)};
    bool ignores_pipe;

    hold_descriptors();
    ignores_pipe = signal(SIGPIPE, SIG_IGN) == SIG_IGN;
    /* Exceeding the file size limit is then a failed write, with a message. */
    signal(SIGXFSZ, SIG_IGN);
    output_init(&cli.out, STDOUT_FILENO);
    output_init(&cli.err, STDERR_FILENO);
    surety_buf_init(&cli.warnings, NULL, 0);
    cli.color = cli_color(&cli, &cli.err);
    run(&cli, argc > 0 ? argc - 1 : 0, argv + (argc > 0));
    surety_buf_done(&cli.warnings);
    if (!output_close(&cli.out)) {
        if (cli.out.error != EPIPE)
            cli_fail(&cli, CODE_WORLD, NULL,
                     "standard output cannot be written: %s",
                     strerror(cli.out.error));
        cli_raise(&cli, CODE_WORLD);
    }
    if (!output_close(&cli.err))
        cli_raise(&cli, CODE_WORLD);
    /* Ends by SIGPIPE, as a filter does whose reader has closed the pipe, if
     * the tool was not started with SIGPIPE ignored. */
    if ((cli.out.error == EPIPE || cli.err.error == EPIPE) && !ignores_pipe) {
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    return cli.code;
}
