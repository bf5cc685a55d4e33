/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the command line with getopt_long and a command's table. Messages quote
 * the words of the user, with the nearest option or choice as a hint. Options
 * may follow operands; "--" ends the options. */
#include "options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#ifdef SURETY_WITH_RUN
#include "configuration.h"
#endif
#include "nearest.h"

enum { OPTIONS_MAX = 96, ROW_FIRST = 256 };

const struct option_row options_common[] = {
    SECTION("Limits and schemas"),
    {"limit", 0, OPTION_TEXTS, 0, 0, "NAME=VALUE", NULL,
     "set a limit, such as text_bytes_max=128M or depth_max=2000; K, M and G "
     "stand for 1,024 and its powers; may be given again. surety(1) lists the "
     "limits, and \"limits\" of surety.json sets them too"},
    {"no-schema-warnings", 0, OPTION_FLAG, 0, 0, NULL, NULL,
     "say nothing of keywords that a schema or contract misspells, or that its "
     "draft does not know"},
    SECTION("Help"),
    {"help", 'h', OPTION_FLAG, 0, 0, NULL, NULL, "print this help"},
    {"version", 'V', OPTION_FLAG, 0, 0, NULL, NULL, "print the version"},
    OPTION_END};

/* A command's rows and the common rows, in the form of getopt_long. */
struct reading {
    struct cli *cli;
    struct texts limits; /* from --limit */
    bool has_config;     /* the command reads the configuration itself */
    const struct option_row *rows[OPTIONS_MAX];
    size_t count;
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
        if (row->kind == OPTION_SECTION || i == OPTIONS_MAX)
            continue;
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

/* Returns the row for getopt's result: the number of a long option, or a
 * letter. */
static const struct option_row *reading_row(const struct reading *reading,
                                            int code)
{
    if (code >= ROW_FIRST)
        return reading->rows[code - ROW_FIRST];
    for (size_t i = 0; i < reading->count; i++)
        if (code != 0 && reading->rows[i]->letter == code)
            return reading->rows[i];
    return NULL;
}

/* Reports an option that getopt refused. */
static void refuse_option(const struct reading *reading, const char *word,
                          int code)
{
    const struct option_row *row = reading_row(reading, code);
    const size_t word_len = strcspn(word, "=");
    struct nearest nearest;
    char hint[128];
    size_t matches = 0;

    if (row) {
        cli_usage(reading->cli, NULL, "--%s takes no argument", row->name);
        return;
    }
    if (word[0] != '-' || word[1] != '-') {
        cli_usage(reading->cli, NULL, "there is no option -%c", code);
        return;
    }
    nearest_init(&nearest, (surety_str){word + 2, word_len - 2});
    for (size_t i = 0; i < reading->count; i++) {
        const char *name = reading->rows[i]->name;
        matches += strncmp(name, word + 2, word_len - 2) == 0;
        nearest_try(&nearest, surety_str_of(name));
    }
    cli_usage(reading->cli, nearest_hint(&nearest, "--", hint, sizeof(hint)),
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
    cli_usage(reading->cli, nearest_hint(&nearest, "", hint, sizeof(hint)),
              "--%s is one of %s, not \"%s\"", row->name, row->choices,
              argument);
    return false;
}

static bool take_number(const struct reading *reading,
                        const struct option_row *row, const char *argument,
                        unsigned *target)
{
    unsigned number = 0;
    const char *ptr = argument;

    for (; *ptr >= '0' && *ptr <= '9' && number <= (unsigned)row->value; ptr++)
        number = number * 10 + (unsigned)(*ptr - '0');
    if (*ptr != '\0' || number < 1 || number > (unsigned)row->value) {
        cli_usage(reading->cli, NULL,
                  "--%s is a whole number from 1 to %d, not \"%s\"", row->name,
                  row->value, argument);
        return false;
    }
    *target = number;
    return true;
}

static bool take_text(const struct reading *reading, const char *argument,
                      struct texts *texts)
{
    const char **items =
        realloc(texts->items, (texts->count + 1) * sizeof(*items));

    if (!items) {
        cli_fail(reading->cli, CODE_WORLD, NULL, "out of memory");
        return false;
    }
    texts->items = items;
    texts->items[texts->count++] = argument;
    return true;
}

/* Stores one option in the member that its row names. */
static bool take_option(const struct reading *reading,
                        const struct option_row *row, const char *argument,
                        void *settings)
{
    void *target = (char *)settings + row->offset;

    switch (row->kind) {
    case OPTION_FLAG: *(bool *)target = true; return true;
    case OPTION_SET: *(int *)target = row->value; return true;
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
static bool take_limits(struct reading *reading)
{
    struct cli *cli = reading->cli;

    cli->limits_given.items = reading->limits.items;
    cli->limits_given.count = reading->limits.count;
    reading->limits = (struct texts){NULL, 0};
    if (!cli_limits(cli, NULL))
        return false;
#ifdef SURETY_WITH_RUN
    if (!reading->has_config)
        return configuration_limits(cli);
#endif
    return true;
}

void texts_done(struct texts *texts)
{
    free(texts->items);
    *texts = (struct texts){NULL, 0};
}

bool options_obey(struct cli *cli, const struct option_rule *rules,
                  size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (rules[i].is_broken) {
            cli_usage(cli, rules[i].hint, "%s", rules[i].message);
            return false;
        }
    }
    return true;
}

const char *option_argument(const struct option_row *row)
{
    return row->argument ? row->argument : row->choices;
}

enum options_result options_parse(struct cli *cli,
                                  const struct command *command, int argc,
                                  char **argv, void *settings,
                                  struct operands *ret_operands)
{
    struct reading reading = {.cli = cli, .letters = ":"};
    int code;

    reading_add(&reading, command->options);
    reading_add(&reading, options_common);
    opterr = 0;
    optind = 1;
    while ((code = getopt_long(argc, argv, reading.letters, reading.longs,
                               NULL)) != -1) {
        const struct option_row *row = reading_row(&reading, code);
        if (code == '?' || code == ':') {
            row = reading_row(&reading, optopt);
            if (code == ':' && row)
                cli_usage(cli, NULL, "--%s needs %s after it", row->name,
                          option_argument(row));
            else
                refuse_option(&reading, argv[optind - 1], optopt);
            goto bad;
        }
        if (row->kind == OPTION_FLAG && row->letter == 'h' &&
            strcmp(row->name, "help") == 0) {
            texts_done(&reading.limits);
            help_command(&cli->out.buf, command);
            return OPTIONS_DONE;
        }
        if (row->kind == OPTION_FLAG && strcmp(row->name, "version") == 0) {
            texts_done(&reading.limits);
            put_format(&cli->out.buf, "surety %s\n", surety_version());
            return OPTIONS_DONE;
        }
        if (row->kind == OPTION_FLAG &&
            strcmp(row->name, "no-schema-warnings") == 0) {
            cli->no_schema_warnings = true;
            continue;
        }
        if (!(row->kind == OPTION_TEXTS && strcmp(row->name, "limit") == 0
                  ? take_text(&reading, optarg, &reading.limits)
                  : take_option(&reading, row, optarg, settings)))
            goto bad;
    }
    if (!take_limits(&reading))
        return OPTIONS_BAD;
    *ret_operands = (struct operands){argv + optind, (size_t)(argc - optind)};
    return OPTIONS_GO;
bad:
    texts_done(&reading.limits);
    return OPTIONS_BAD;
}
