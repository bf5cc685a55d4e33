/* SPDX-License-Identifier: Apache-2.0 */
/* surety gen: makes C types from contracts, as a header and a source. It does
 * not overwrite a file that was edited by hand, and does not write a file that
 * already has the same content. */
#include "commands.h"

#include <assert.h>
#include <surety/gen.h>

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "diag.h"
#include "input.h"
#include "library.h"

enum { GEN_PATH_MAX = 4096 };

struct gen_settings {
    struct texts contracts;
    int language;
    const char *output, *include, *prefix;
    bool force, check, quiet;
};

SETTINGS_FIT(struct gen_settings);
#define AT(member) offsetof(struct gen_settings, member)

const struct option_row gen_options[] = {
    TEXTS("contract", 'c', AT(contracts), "CONTRACT",
          "the source of the types: " CONTRACT_IS
          "; may be given several times"),
    CHOICE("lang", 0, AT(language), "c", "the language of the types"),
    TEXT("output", 'o', AT(output), "PATH",
         "the files' path without their endings, .h and .c; a folder: files in "
         "it that are called by the first contract; -: both to standard "
         "output. Unless given, files in this folder"),
    TEXT("include", 0, AT(include), "NAME",
         "how the source includes the header; unless given, the header's name"),
    TEXT("prefix", 0, AT(prefix), "NAME",
         "what all names in C begin with, in place of the folders of the "
         "contract's name"),
    FLAG("check", 0, AT(check),
         "write nothing; end with 1 where a file is not what it would be"),
    FLAG("force", 'f', AT(force),
         "write over files that were changed by hand, or made by something "
         "else"),
    FLAG("quiet", 'q', AT(quiet), "do not report what no C type can express"),
    OPTION_END};

/* ---- notes --------------------------------------------------------------- */

/* Writes a warning for each note, with its line in the contract. */
static void gen_notes(struct cli *cli, const surety_gen *gen,
                      surety_contract *const *contracts,
                      const struct texts *names)
{
    for (size_t i = 0; i < surety_gen_info_of(gen)->note_count; i++) {
        const surety_gen_note note = surety_gen_info_of(gen)->notes[i];
        const surety_val root =
            surety_contract_info_of(contracts[note.contract])->root;
        struct diag diag = {.level = DIAG_WARNING,
                            .source =
                                surety_str_of(names->items[note.contract]),
                            .message = note.message,
                            .hint = note.hint};
        surety_buf at;

        assert(note.contract < names->count);
        surety_buf_init(&at, NULL, 0);
        surety_val_pointer(note.at, &at);
        diag.at = surety_buf_str(&at);
        if (note.at.doc == root.doc) {
            diag.text = surety_doc_text(root.doc);
            diag.position = surety_val_position(note.at);
        }
        diag_write(&cli->err.buf, cli->color, &diag);
        surety_buf_done(&at);
    }
}

/* ---- files --------------------------------------------------------------- */

/* Returns whether text must be written to path. If it must not be, *ret_good is
 * false and the message is written. */
static bool gen_look(struct cli *cli, const struct gen_settings *settings,
                     const char *path, surety_str text, bool *ret_good)
{
    const struct input_bound bound = input_text(&cli->limits);
    surety_str there = {NULL, 0};
    struct stat about;
    surety_error error;
    bool same;

    *ret_good = false;
    if (stat(path, &about) != 0) {
        if (errno != ENOENT)
            cli_fail(cli, CODE_WORLD, NULL, "%s cannot be written: %s", path,
                     strerror(errno));
        else if (settings->check)
            cli_fail(cli, CODE_INVALID, "make it without --check",
                     "%s is not there", path);
        else
            *ret_good = true;
        return *ret_good;
    }
    if (input_read(path, bound, &there, &error) != SURETY_OK)
        return cli_report(cli, CODE_WORLD, path, NO_TEXT, &error);
    same = surety_str_equal(there, text);
    if (!same && settings->check)
        cli_fail(cli, CODE_INVALID, "make it again without --check",
                 "%s is not what the contract gives", path);
    else if (!same && !settings->force && !surety_gen_is_untouched(there))
        cli_fail(cli, CODE_USAGE, "--force writes over it",
                 "%s was changed by hand, or was not made by surety gen", path);
    else
        *ret_good = true;
    free((char *)there.ptr);
    return *ret_good && !same;
}

/* Writes both files, or neither if one of them must not be written. */
static void gen_files(struct cli *cli, const struct gen_settings *settings,
                      const char *stem, const surety_gen *gen)
{
    const surety_str texts[] = {surety_gen_info_of(gen)->header,
                                surety_gen_info_of(gen)->source};
    char paths[2][GEN_PATH_MAX + 8];
    bool writes[2], good[2];
    surety_error error;

    for (size_t i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof(paths[i]), "%s.%c", stem, "hc"[i]);
        writes[i] = gen_look(cli, settings, paths[i], texts[i], &good[i]);
    }
    for (size_t i = 0; i < 2 && good[0] && good[1]; i++)
        if (writes[i] && surety_file_write(surety_str_of(paths[i]), texts[i],
                                           true, &error) != SURETY_OK)
            cli_fail(cli, CODE_WORLD, NULL, "%s", error.message);
}

/* Returns the length of a path without ".h" or ".c" at its end. */
static size_t gen_bare(const char *path)
{
    const size_t len = strlen(path);
    const bool ends = len > 2 && (strcmp(path + len - 2, ".h") == 0 ||
                                  strcmp(path + len - 2, ".c") == 0);

    return ends && path[len - 3] != '/' ? len - 2 : len;
}

/* Gives the path without a suffix; false: the message is written. */
static bool gen_stem(struct cli *cli, const struct gen_settings *settings,
                     const surety_contract *contract, char *stem)
{
    surety_str name = surety_contract_info_of(contract)->name;
    const char *output = settings->output ? settings->output : ".";
    struct stat about;
    int len;

    for (size_t i = name.len; i > 0; i--)
        if (name.ptr[i - 1] == '/') {
            name = (surety_str){name.ptr + i, name.len - i};
            break;
        }
    if (name.len == 0)
        name = surety_str_of("types");
    if (stat(output, &about) == 0 && S_ISDIR(about.st_mode))
        len =
            snprintf(stem, GEN_PATH_MAX, "%s/%.*s",
                     settings->output ? output : ".", (int)name.len, name.ptr);
    else
        len =
            snprintf(stem, GEN_PATH_MAX, "%.*s", (int)gen_bare(output), output);
    if (len > 0 && len < GEN_PATH_MAX - 2)
        return true;
    return cli_usage(cli, NULL, "the path of the output is too long");
}

/* ---- the command --------------------------------------------------------- */

static void gen_put(struct cli *cli, const struct gen_settings *settings,
                    surety_contract **contracts)
{
    const bool to_stdout =
        settings->output && strcmp(settings->output, "-") == 0;
    surety_gen_options options = {.size = sizeof(options)};
    char stem[GEN_PATH_MAX], path[GEN_PATH_MAX + 8];
    surety_gen *gen = NULL;
    surety_status status;
    surety_error error;
    const char *base;

    if (!gen_stem(cli, settings, contracts[0], stem))
        return;
    base = strrchr(stem, '/') ? strrchr(stem, '/') + 1 : stem;
    snprintf(path, sizeof(path), "%s.h", to_stdout ? "types" : base);
    options.header =
        surety_str_of(settings->include ? settings->include : path);
    options.prefix = surety_str_of(settings->prefix);
    status = surety_gen_new((const surety_contract *const *)contracts,
                            settings->contracts.count, &options, &gen, &error);
    if (status != SURETY_OK) {
        cli_report(cli, cli_code_of(status, CODE_USAGE),
                   settings->contracts.items[0], NO_TEXT, &error);
        return;
    }
    if (!settings->quiet)
        gen_notes(cli, gen, contracts, &settings->contracts);
    if (to_stdout) {
        surety_buf_add(&cli->out.buf, surety_gen_info_of(gen)->header);
        surety_buf_byte(&cli->out.buf, '\n');
        surety_buf_add(&cli->out.buf, surety_gen_info_of(gen)->source);
    } else {
        gen_files(cli, settings, stem, gen);
    }
    surety_gen_free(gen);
}

void gen_run(struct cli *cli, const void *given,
             const struct operands *operands)
{
    const struct gen_settings *settings = given;
    const size_t wanted = settings->contracts.count;
    surety_contract **contracts = calloc(wanted + 1, sizeof(*contracts));
    size_t count = 0;

    if (!contracts) {
        cli_nomem(cli);
    } else if (operands->count > 0) {
        cli_usage(cli, "name a contract with -c, the files with -o",
                  "there are no operands");
    } else {
        /* Without -c, the first look-up reports it. */
        do
            contracts[count] = library_contract(
                cli, wanted ? settings->contracts.items[count] : NULL);
        while (contracts[count] && ++count < wanted);
        if (count == wanted && wanted > 0)
            gen_put(cli, settings, contracts);
    }
    while (count > 0)
        surety_contract_free(contracts[--count]);
    free(contracts);
}
