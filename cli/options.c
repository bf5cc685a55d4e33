/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the command line with getopt_long and a command's table. Messages quote
 * the words of the user, with the nearest option or choice as a hint. Options
 * may follow operands; "--" ends the options. */
#include "options.h"

#include <assert.h>
#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifdef SURETY_WITH_RUN
#include "configuration.h"
#endif
#include "nearest.h"

enum { OPTIONS_MAX = 96, ROW_FIRST = 256 };

#define AT(member) offsetof(struct cli, member)

const struct option_row options_common[] = {
    SECTION("Limits and schemas"),
    TEXTS("limit", 0, AT(limits_given), "NAME=VALUE",
          "set a limit, such as text_bytes_max=128M or depth_max=2000; K, M "
          "and G mean 1,024 and its powers; may be given again. surety(1) "
          "lists the limits, and \"limits\" of surety.json sets them too"),
    FLAG("no-schema-warnings", 0, AT(no_schema_warnings),
         "no warnings about keywords that are misspelt, or that the draft does "
         "not have"),
    SECTION("Help"),
    FLAG("help", 'h', AT(help), "print this help"),
    FLAG("version", 'V', AT(version), "print the version"),
    OPTION_END};

/* A command's rows and the common rows, in the form of getopt_long. */
struct reading {
    struct cli *cli;
    void *settings;
    bool has_config; /* the command reads the configuration itself */
    const struct option_row *rows[OPTIONS_MAX];
    size_t count, own_count; /* all rows; the command's own come first */
    struct option longs[OPTIONS_MAX + 1];
    char letters[2 * OPTIONS_MAX + 2];
};

static bool row_has_argument(const struct option_row *row)
{
    return row->kind >= OPTION_CHOICE;
}

static void reading_add(struct reading *reading, const struct option_row *row)
{
    size_t letters_len = strlen(reading->letters);

    for (; row->name || row->help; row++) {
        const size_t i = reading->count;
        if (row->kind == OPTION_SECTION)
            continue;
        assert(i < OPTIONS_MAX);
        assert(row->offset < SETTINGS_MAX);
        reading->rows[i] = row;
        reading->has_config |= strcmp(row->name, "config") == 0;
        reading->longs[i] = (struct option){
            row->name, row_has_argument(row) ? required_argument : no_argument,
            NULL, ROW_FIRST + (int)i};
        reading->count++;
        if (row->letter) {
            reading->letters[letters_len++] = row->letter;
            if (row_has_argument(row))
                reading->letters[letters_len++] = ':';
            reading->letters[letters_len] = '\0';
        }
    }
}

/* Returns the index of the row for getopt's result, which is that of a long
 * option, or a letter; count: there is none. */
static size_t reading_row(const struct reading *reading, int code)
{
    size_t i = 0;

    if (code >= ROW_FIRST)
        return (size_t)(code - ROW_FIRST);
    while (i < reading->count &&
           (code == 0 || reading->rows[i]->letter != code))
        i++;
    return i;
}

/* Reports an option that getopt refused. */
static bool refuse_option(const struct reading *reading, const char *word,
                          int code)
{
    const size_t row = reading_row(reading, code);
    const size_t word_len = strcspn(word, "=");
    struct nearest nearest;
    char hint[128];
    size_t matches = 0;

    if (row < reading->count)
        return cli_usage(reading->cli, NULL, "--%s takes no argument",
                         reading->rows[row]->name);
    if (word[0] != '-' || word[1] != '-')
        return cli_usage(reading->cli, NULL, "there is no option -%c", code);
    nearest_init(&nearest, (surety_str){word + 2, word_len - 2});
    for (size_t i = 0; i < reading->count; i++) {
        const char *name = reading->rows[i]->name;
        matches += strncmp(name, word + 2, word_len - 2) == 0;
        nearest_try(&nearest, surety_str_of(name));
    }
    return cli_usage(reading->cli,
                     nearest_hint(&nearest, "--", hint, sizeof(hint)),
                     matches > 1 ? "%.*s could be several options"
                                 : "there is no option %.*s",
                     (int)word_len, word);
}

static bool take_choice(const struct reading *reading,
                        const struct option_row *row, const char *argument,
                        int *target)
{
    const size_t argument_len = strlen(argument);
    const char *choice = row->choices;
    struct nearest nearest;
    char hint[128];

    assert(row->choices);
    nearest_init(&nearest, surety_str_of(argument));
    for (int which = 1;; which++) {
        const size_t len = strcspn(choice, "|");
        if (len == argument_len && memcmp(choice, argument, len) == 0) {
            *target = which;
            return true;
        }
        nearest_try(&nearest, (surety_str){choice, len});
        if (choice[len] == '\0')
            break;
        choice += len + 1;
    }
    return cli_usage(
        reading->cli, nearest_hint(&nearest, "", hint, sizeof(hint)),
        "--%s is one of %s, not \"%s\"", row->name, row->choices, argument);
}

static bool take_number(const struct reading *reading,
                        const struct option_row *row, const char *argument,
                        unsigned *target)
{
    const char *ptr = argument;
    const unsigned number = cli_number(&ptr, (unsigned)row->value);

    if (*ptr != '\0' || number < 1 || number > (unsigned)row->value)
        return cli_usage(reading->cli, NULL,
                         "--%s is a whole number from 1 to %d, not \"%s\"",
                         row->name, row->value, argument);
    *target = number;
    return true;
}

static bool take_text(const struct reading *reading, const char *argument,
                      struct texts *texts)
{
    const char **items =
        realloc(texts->items, (texts->count + 1) * sizeof(*items));

    if (!items)
        return cli_nomem(reading->cli);
    texts->items = items;
    texts->items[texts->count++] = argument;
    return true;
}

/* Returns the member that the i-th row names. */
static void *row_target(const struct reading *reading, size_t i)
{
    char *base =
        i < reading->own_count ? reading->settings : (char *)reading->cli;

    return base + reading->rows[i]->offset;
}

/* Stores the argument of the i-th row. */
static bool take_option(const struct reading *reading, size_t i,
                        const char *argument)
{
    const struct option_row *row = reading->rows[i];
    void *target = row_target(reading, i);

    switch (row->kind) {
    case OPTION_FLAG: *(bool *)target = true; return true;
    case OPTION_SET: *(int *)target = row->value; return true;
    case OPTION_COLOR: target = &reading->cli->color_choice; /* fall through */
    case OPTION_CHOICE: return take_choice(reading, row, argument, target);
    case OPTION_TEXT: *(const char **)target = argument; return true;
    case OPTION_TEXTS: return take_text(reading, argument, target);
    case OPTION_NUMBER: return take_number(reading, row, argument, target);
    case OPTION_SECTION: break;
    }
    return false;
}

/* Sets the limits of the command line, and those of the configuration if the
 * command does not read it itself. */
static bool set_limits(struct cli *cli, bool has_config)
{
    if (!cli_limits(cli, NULL))
        return false;
#ifdef SURETY_WITH_RUN
    return has_config || configuration_limits(cli);
#else
    (void)has_config;
    return true;
#endif
}

bool options_obey(struct cli *cli, const struct option_rule *rules,
                  size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (rules[i].is_broken)
            return cli_usage(cli, rules[i].hint, "%s", rules[i].message);
    }
    return true;
}

const char *option_argument(const struct option_row *row)
{
    return row->argument ? row->argument : row->choices;
}

/* Reads the command line up to its operands, or to --help or --version. */
static bool read_options(struct reading *reading, int argc, char **argv)
{
    struct cli *cli = reading->cli;
    int code;

    opterr = 0;
    optind = 1;
    while (!cli->help && !cli->version &&
           (code = getopt_long(argc, argv, reading->letters, reading->longs,
                               NULL)) != -1) {
        const bool is_refused = code == '?' || code == ':';
        const size_t i = reading_row(reading, is_refused ? optopt : code);
        if (code == ':' && i < reading->count)
            return cli_usage(cli, NULL, "--%s needs %s after it",
                             reading->rows[i]->name,
                             option_argument(reading->rows[i]));
        if (is_refused)
            return refuse_option(reading, argv[optind - 1], optopt);
        if (!take_option(reading, i, optarg))
            return false;
    }
    return true;
}

void command_start(struct cli *cli, const struct command *command, int argc,
                   char **argv)
{
    union {
        max_align_t alignment;
        char bytes[SETTINGS_MAX];
    } settings = {.bytes = {0}};
    struct reading reading = {
        .cli = cli, .settings = settings.bytes, .letters = ":"};
    bool is_read;

    cli->name = command->name;
    assert(argc > 0);
    reading_add(&reading, command->options);
    reading.own_count = reading.count;
    reading_add(&reading, options_common);
    is_read = read_options(&reading, argc, argv);
    if (is_read && cli->help) {
        help_command(&cli->out.buf, command);
    } else if (is_read && cli->version) {
        put_format(&cli->out.buf, "surety %s\n", surety_version());
    } else if (is_read && set_limits(cli, reading.has_config)) {
        const struct operands operands = {argv + optind,
                                          (size_t)(argc - optind)};
        cli->color = cli_color(cli, &cli->err);
        command->run(cli, &settings, &operands);
    }
    for (size_t i = 0; i < reading.count; i++)
        if (reading.rows[i]->kind == OPTION_TEXTS)
            free(((struct texts *)row_target(&reading, i))->items);
}
