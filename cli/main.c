/* SPDX-License-Identifier: Apache-2.0 */
/* surety, the command-line tool. It stands on the public headers alone. This
 * file finds the command, runs it, and ends with the gravest exit code, after
 * everything written was seen to be written. A reader that went away (a closed
 * pipe) ends the tool soon and silently, as it ends any filter: by SIGPIPE, but
 * only after the command has cleaned up, so that files are whole and attempts
 * recorded. Where that signal was ignored from the start, the code is that of a
 * failed write. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nearest.h"
#include "options.h"

/* The command of one or two words that argv begins with; NULL: none.
 * ret_words counts the words. */
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

/* Whether commands begin with the word and a space. */
static bool is_group(const char *word)
{
    const size_t len = strlen(word);

    for (const struct command *row = commands; row->name; row++)
        if (strncmp(row->name, word, len) == 0 && row->name[len] == ' ')
            return true;
    return false;
}

/* Says that there is no such command. group is "" or a group's name. */
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

/* help [COMMAND]. */
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

/* --man [PAGE] and --completion SHELL, from which the build makes files. A page
 * is a command, its words joined by "-". */
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

/* A group's name alone, or with options only, is its command list. */
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
        cli->name = command->name;
        command->run(cli, command, argc, argv);
    } else {
        refuse_command(cli, argv[0], argc > 1 ? argv[1] : "");
    }
}

static void run(struct cli *cli, int argc, char **argv)
{
    int words = 0;
    const struct command *command = find_command(argc, argv, &words);

    if (command) {
        cli->name = command->name;
        command->run(cli, command, argc - words + 1, argv + words - 1);
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

/* A standard descriptor that the caller closed would be given to the next file
 * or socket opened, which would then be read as standard input or written as
 * output. It becomes /dev/null, opened the wrong way round, so that its use
 * fails. */
static void hold_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* Ends as a filter does whose reader has gone. Returns where the tool was
 * started with SIGPIPE ignored. */
static void end_by_pipe(bool is_ignored)
{
    if (is_ignored)
        return;
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}

int main(int argc, char **argv)
{
    struct cli cli = {.code = CODE_VALID, .limits = surety_limits_of(NULL)};
    bool ignores_pipe;

    hold_descriptors();
    ignores_pipe = signal(SIGPIPE, SIG_IGN) == SIG_IGN;
    /* A file that may grow no more is a failed write, which is said. */
    signal(SIGXFSZ, SIG_IGN);
    output_init(&cli.out, STDOUT_FILENO);
    output_init(&cli.err, STDERR_FILENO);
    surety_buf_init(&cli.warnings, NULL, 0);
    cli_color(&cli, COLOR_UNSET);
    run(&cli, argc > 0 ? argc - 1 : 0, argv + (argc > 0));
    surety_buf_done(&cli.warnings);
    free(cli.limits_given.items);
    if (!output_close(&cli.out)) {
        if (cli.out.error != EPIPE)
            cli_fail(&cli, CODE_WORLD, NULL,
                     "standard output cannot be written: %s",
                     strerror(cli.out.error));
        cli_raise(&cli, CODE_WORLD);
    }
    if (!output_close(&cli.err))
        cli_raise(&cli, CODE_WORLD);
    if (cli.out.error == EPIPE || cli.err.error == EPIPE)
        end_by_pipe(ignores_pipe);
    return cli.code;
}
