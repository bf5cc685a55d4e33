/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the completions for bash, zsh and fish from the option tables. An
 * argument called FILE is completed with files, CONTRACT with the names of
 * contracts and files, and an argument with choices with these. */
#include "options.h"

#include <string.h>

static bool takes(const struct option_row *row, const char *argument)
{
    return row->argument && strcmp(row->argument, argument) == 0;
}

static void put_words(surety_buf *out, const char *choices)
{
    for (; *choices; choices++)
        surety_buf_byte(out, *choices == '|' ? ' ' : *choices);
}

/* Appends the second words of a group's commands, or the first words of all
 * commands, each once. */
static void put_names(surety_buf *out, const char *group)
{
    const size_t group_len = strlen(group);
    surety_str last = {NULL, 0};

    for (const struct command *row = commands; row->name; row++) {
        const char *name = row->name;
        surety_str word;
        if (strncmp(name, group, group_len) != 0)
            continue;
        name += group_len;
        word = (surety_str){name, strcspn(name, " ")};
        if (surety_str_equal(word, last))
            continue;
        surety_buf_add(out, word);
        surety_buf_byte(out, ' ');
        last = word;
    }
}

/* ---- bash --------------------------------------------------------------- */

static void bash_names(surety_buf *out, const struct option_row *row)
{
    for (; row->name || row->help; row++) {
        if (row->kind == OPTION_SECTION)
            continue;
        if (row->letter)
            put_format(out, "-%c ", row->letter);
        put_format(out, "--%s ", row->name);
    }
}

static void bash_arguments(surety_buf *out, const struct option_row *row)
{
    for (; row->name || row->help; row++) {
        if (row->kind < OPTION_CHOICE)
            continue;
        surety_buf_text(out, "        ");
        if (row->letter)
            put_format(out, "-%c|", row->letter);
        put_format(out, "--%s) ", row->name);
        if (row->choices) {
            surety_buf_text(out, "words='");
            put_words(out, row->choices);
            surety_buf_text(out, "' ;;\n");
        } else if (takes(row, "CONTRACT")) {
            surety_buf_text(
                out, "words=$(surety contracts list --names 2>/dev/null)\n"
                     "            files=yes ;;\n");
        } else {
            surety_buf_text(out, takes(row, "FILE") ? "files=yes ;;\n"
                                                    : "return ;;\n");
        }
    }
}

static void bash_write(surety_buf *out)
{
    surety_buf_text(
        out, "# bash completion for surety; source it, or install it as\n"
             "# share/bash-completion/completions/surety.\n"
             "_surety() {\n"
             "    local word=${COMP_WORDS[COMP_CWORD]}\n"
             "    local before=${COMP_WORDS[COMP_CWORD-1]}\n"
             "    local command=${COMP_WORDS[1]} words= files=\n"
             "    COMPREPLY=()\n"
             "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
             "        words='");
    put_names(out, "");
    surety_buf_text(out, "help --help --version'\n"
                         "    elif [ \"$COMP_CWORD\" -eq 2 ] && "
                         "[ \"$command\" = contracts ]; then\n"
                         "        words='");
    put_names(out, "contracts ");
    surety_buf_text(out, "'\n    else\n"
                         "    [ \"$command\" = contracts ] && "
                         "command=\"contracts ${COMP_WORDS[2]}\"\n"
                         "    case $command in\n");
    for (const struct command *row = commands; row->name; row++) {
        put_format(out, "    '%s')\n        case $before in\n", row->name);
        bash_arguments(out, row->options);
        surety_buf_text(out, "        *) files=yes\n            words='");
        bash_names(out, row->options);
        bash_names(out, options_common);
        surety_buf_text(out, "' ;;\n        esac ;;\n");
    }
    surety_buf_text(out, "    help) words='");
    put_names(out, "");
    surety_buf_text(
        out,
        "' ;;\n    esac\n    fi\n"
        "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
        "    if [ -n \"$files\" ]; then\n"
        "        mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < "
        "<(compgen -f -- \"$word\")\n"
        "        compopt -o filenames 2>/dev/null\n"
        "    fi\n"
        "}\n"
        "complete -F _surety surety\n");
}

/* ---- zsh ---------------------------------------------------------------- */

/* Appends help text, escaped for single quotes and brackets. */
static void zsh_help(surety_buf *out, const char *help)
{
    for (; *help; help++) {
        if (*help == '\'')
            surety_buf_text(out, "'\\'");
        if (strchr("[]:\\", *help))
            surety_buf_byte(out, '\\');
        surety_buf_byte(out, *help);
    }
}

static void zsh_options(surety_buf *out, const struct option_row *row)
{
    for (; row->name || row->help; row++) {
        const char *repeat = row->kind == OPTION_TEXTS ? "\\*" : "";

        if (row->kind == OPTION_SECTION)
            continue;
        if (row->letter && !*repeat)
            put_format(out, " \\\n            '(-%c --%s)'{-%c,--%s}'[",
                       row->letter, row->name, row->letter, row->name);
        else
            put_format(out, " \\\n            %s'--%s[", repeat, row->name);
        zsh_help(out, row->help);
        surety_buf_byte(out, ']');
        if (row->kind >= OPTION_CHOICE)
            put_format(out, ":%s:", row->argument ? row->argument : row->name);
        if (row->choices) {
            surety_buf_byte(out, '(');
            put_words(out, row->choices);
            surety_buf_byte(out, ')');
        } else if (takes(row, "CONTRACT")) {
            surety_buf_text(out, "_surety_contract");
        } else if (takes(row, "FILE")) {
            surety_buf_text(out, "_files");
        }
        surety_buf_byte(out, '\'');
    }
}

static void zsh_write(surety_buf *out)
{
    surety_buf_text(
        out, "#compdef surety\n"
             "# zsh completion for surety; install it as _surety in a folder\n"
             "# of $fpath.\n"
             "_surety_contract() {\n"
             "    compadd -- ${(f)\"$(surety contracts list --names "
             "2>/dev/null)\"}\n"
             "    _files\n"
             "}\n"
             "_surety() {\n"
             "    if (( CURRENT == 2 )); then\n"
             "        compadd -- ");
    put_names(out, "");
    surety_buf_text(out, "help --help --version\n        return\n    fi\n"
                         "    local command=$words[2]\n"
                         "    if [[ $command == contracts ]]; then\n"
                         "        if (( CURRENT == 3 )); then\n"
                         "            compadd -- ");
    put_names(out, "contracts ");
    surety_buf_text(out, "\n            return\n        fi\n"
                         "        command=\"contracts $words[3]\"\n"
                         "        shift words\n        (( CURRENT-- ))\n"
                         "    fi\n    shift words\n    (( CURRENT-- ))\n"
                         "    case $command in\n");
    for (const struct command *command = commands; command->name; command++) {
        put_format(out, "    '%s')\n        _arguments", command->name);
        zsh_options(out, command->options);
        zsh_options(out, options_common);
        surety_buf_text(out, " \\\n            '*:file:_files' ;;\n");
    }
    surety_buf_text(out, "    esac\n}\n_surety \"$@\"\n");
}

/* ---- fish --------------------------------------------------------------- */

static void fish_text(surety_buf *out, const char *text)
{
    surety_buf_byte(out, '\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            surety_buf_byte(out, '\\');
        surety_buf_byte(out, *text);
    }
    surety_buf_byte(out, '\'');
}

static void fish_options(surety_buf *out, const char *name,
                         const struct option_row *row)
{
    const size_t first = strcspn(name, " ");

    for (; row->name || row->help; row++) {
        if (row->kind == OPTION_SECTION)
            continue;
        /* The condition under which the option is offered. */
        put_format(out,
                   "complete -c surety -n '__fish_seen_subcommand_from %.*s",
                   (int)first, name);
        if (name[first])
            put_format(out, "; and __fish_seen_subcommand_from %s",
                       name + first + 1);
        put_format(out, "' -l %s", row->name);
        if (row->letter)
            put_format(out, " -s %c", row->letter);
        if (row->kind >= OPTION_CHOICE)
            surety_buf_text(out, " -r");
        if (row->choices) {
            surety_buf_text(out, " -f -a '");
            put_words(out, row->choices);
            surety_buf_byte(out, '\'');
        } else if (takes(row, "CONTRACT")) {
            surety_buf_text(out, " -a '(surety contracts list --names "
                                 "2>/dev/null)'");
        }
        surety_buf_text(out, " -d ");
        fish_text(out, row->help);
        surety_buf_byte(out, '\n');
    }
}

static void fish_write(surety_buf *out)
{
    surety_buf_text(out, "# fish completion for surety; install it as\n"
                         "# completions/surety.fish.\n");
    for (const struct command *row = commands; row->name; row++) {
        const char *second = strchr(row->name, ' ');
        surety_buf_text(out, "complete -c surety -f -n ");
        if (second)
            put_format(out,
                       "'__fish_seen_subcommand_from %.*s; and not "
                       "__fish_seen_subcommand_from list show lint' -a %s",
                       (int)(second - row->name), row->name, second + 1);
        else
            put_format(out, "__fish_use_subcommand -a %s", row->name);
        surety_buf_text(out, " -d ");
        fish_text(out, row->summary);
        surety_buf_byte(out, '\n');
        fish_options(out, row->name, row->options);
        fish_options(out, row->name, options_common);
    }
    surety_buf_text(out, "complete -c surety -f -n __fish_use_subcommand "
                         "-a 'contracts help'\n");
}

bool complete_write(surety_buf *out, const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        bash_write(out);
    else if (strcmp(shell, "zsh") == 0)
        zsh_write(out);
    else if (strcmp(shell, "fish") == 0)
        fish_write(out);
    else
        return false;
    return true;
}
