/* SPDX-License-Identifier: Apache-2.0 */
/* surety contracts: lists contracts, shows one, and checks one for errors
 * (lint). The registry finds contracts by name and version; a path of a file is
 * accepted wherever a name is. */
#include "commands.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grid.h"
#include "library.h"
#include "lint.h"

struct contracts_settings {
    bool all, json, names, path, quiet, strict;
    int provider;
};

SETTINGS_FIT(struct contracts_settings);
#define AT(member) offsetof(struct contracts_settings, member)

const struct option_row contracts_list_options[] = {
    SECTION("Output"),
    FLAG("json", 0, AT(json), "print an array of objects instead of a table"),
    FLAG("names", 0, AT(names), "print names alone, one a line"), OPTION_END};

const struct option_row contracts_show_options[] = {
    SECTION("Output"),
    FLAG("path", 0, AT(path),
         "print its location instead: its file, or built-in"),
    OPTION_END};

const struct option_row contracts_lint_options[] = {
    SECTION("Checks"),
    CHOICE("for", 0, AT(provider), "openai|anthropic|gemini|grammar|all",
           "report keywords that the provider's structured output does not "
           "support: a warning if they are sent in another form, an error if "
           "the provider would refuse them"),
    FLAG("strict", 0, AT(strict),
         "end with 1 where there are only warnings: for CI"),
    SECTION("Output"),
    FLAG("all", 0, AT(all),
         "show every finding; else three of those that have the same message, "
         "and how many more there are"),
    COLOR,
    FLAG("quiet", 'q', AT(quiet), "no line for a contract without mistakes"),
    OPTION_END};

/* All contracts of a registry. */
struct listing {
    surety_registry *registry; /* NULL: listing failed */
    const surety_registry_entry *entries;
    size_t count;
};

/* Lists the registry. If registry is NULL, the message is written. */
static struct listing listing_open(struct cli *cli)
{
    struct listing all = {library_open(cli), NULL, 0};
    surety_error error;

    if (all.registry && surety_registry_list(all.registry, &all.entries,
                                             &all.count, &error) != SURETY_OK) {
        cli_report(cli, CODE_WORLD, "contracts", NO_TEXT, &error);
        surety_registry_free(all.registry);
        all.registry = NULL;
    }
    return all;
}

/* ---- list --------------------------------------------------------------- */

/* Appends the text of an entry for the title column. */
static void put_about(surety_buf *out, const surety_registry_entry *entry)
{
    if (entry->alias_of.len > 0) {
        surety_buf_text(out, "alias of ");
        surety_buf_add(out, entry->alias_of);
    } else if (entry->deprecated.len > 0) {
        surety_str text = entry->deprecated;
        surety_buf_text(out, "deprecated: ");
        surety_buf_add(out, cli_line(&text));
    } else if (entry->title.len > 0) {
        surety_str text = entry->title;
        surety_buf_add(out, cli_line(&text));
    }
}

static void list_table(struct cli *cli, const struct listing *all)
{
    static const struct grid_column columns[] = {{"NAME", true, 0},
                                                 {"VERSION", true, 0},
                                                 {"TITLE", true, 0},
                                                 {"SOURCE", true, 0}};
    struct grid grid;
    surety_buf about;

    grid_init(&grid, columns, COUNT_OF(columns));
    surety_buf_init(&about, NULL, 0);
    for (size_t i = 0; i < all->count; i++) {
        const surety_registry_entry *entry = &all->entries[i];
        if (entry->error.len > 0)
            continue;
        surety_buf_reset(&about);
        put_about(&about, entry);
        grid_text(&grid, entry->name);
        grid_text(&grid, entry->version);
        grid_text(&grid, surety_buf_str(&about));
        grid_text(&grid, entry->source);
    }
    grid_write(&grid, SIZE_MAX / 2, false, false, &cli->out.buf);
    surety_buf_done(&about);
    grid_done(&grid);
}

static void list_json(struct cli *cli, const struct listing *all)
{
    surety_buf *out = &cli->out.buf;

    surety_buf_byte(out, '[');
    for (size_t i = 0; i < all->count; i++) {
        const surety_registry_entry entry = all->entries[i];
        const struct {
            const char *name;
            surety_str text;
        } members[] = {{"name", entry.name},
                       {"version", entry.version},
                       {"title", entry.title},
                       {"source", entry.source},
                       {"deprecated", entry.deprecated},
                       {"alias_of", entry.alias_of},
                       {"error", entry.error}};
        surety_buf_text(out, i ? ",\n {" : "{");
        for (size_t j = 0; j < COUNT_OF(members); j++) {
            surety_json_name(out, members[j].name);
            if (members[j].text.len > 0)
                surety_json_string(out, members[j].text);
            else
                surety_buf_text(out, "null");
        }
        surety_buf_byte(out, '}');
    }
    surety_buf_text(out, "]\n");
}

static void list_names(struct cli *cli, const struct listing *all)
{
    surety_str last = {NULL, 0};

    for (size_t i = 0; i < all->count; i++) {
        const surety_registry_entry entry = all->entries[i];
        if (entry.error.len > 0 || surety_str_equal(entry.name, last))
            continue;
        put_safe_line(&cli->out.buf, "", entry.name);
        last = entry.name;
    }
}

/* Reports the files in the folders that are no contracts. This does not fail,
 * because the list itself is correct. */
static void list_broken(struct cli *cli, const struct listing *all)
{
    for (size_t i = 0; i < all->count; i++) {
        const surety_registry_entry entry = all->entries[i];
        const struct diag diag = {.level = DIAG_WARNING,
                                  .source = entry.source,
                                  .message = entry.error};
        if (entry.error.len > 0)
            diag_write(&cli->err.buf, cli->color, &diag);
    }
}

void contracts_list_run(struct cli *cli, const void *given,
                        const struct operands *operands)
{
    const struct contracts_settings *settings = given;
    struct listing all;

    if (operands->count > 0) {
        cli_usage(cli, "surety contracts show prints one",
                  "nothing follows list, not \"%s\"", operands->items[0]);
        return;
    }
    all = listing_open(cli);
    if (!all.registry)
        return;
    if (settings->json) {
        list_json(cli, &all);
    } else if (settings->names) {
        list_names(cli, &all);
    } else {
        list_table(cli, &all);
        list_broken(cli, &all);
    }
    surety_registry_free(all.registry);
}

/* ---- show --------------------------------------------------------------- */

/* Writes the path of a contract: the given path itself, or the source that the
 * registry lists for its name and version. */
static void show_path(struct cli *cli, const char *name,
                      const surety_contract *contract)
{
    struct listing all;
    surety_buf *out = &cli->out.buf;
    const size_t start = out->len;

    if (access(name, F_OK) == 0) {
        put_format(out, "%s\n", name);
        return;
    }
    all = listing_open(cli);
    if (!all.registry)
        return;
    for (size_t i = 0; i < all.count && out->len == start; i++) {
        const surety_registry_entry entry = all.entries[i];
        if (entry.error.len == 0 && entry.alias_of.len == 0 &&
            surety_str_equal(entry.name,
                             surety_contract_info_of(contract)->name) &&
            surety_str_equal(entry.version,
                             surety_contract_info_of(contract)->version)) {
            surety_buf_add(out, entry.source);
            surety_buf_byte(out, '\n');
        }
    }
    surety_registry_free(all.registry);
}

void contracts_show_run(struct cli *cli, const void *given,
                        const struct operands *operands)
{
    const struct contracts_settings *settings = given;
    surety_contract *contract;
    surety_str text;

    if (operands->count != 1) {
        cli_usage(cli, "surety contracts list shows the names",
                  "name one contract");
        return;
    }
    contract = library_contract(cli, operands->items[0]);
    if (!contract)
        return;
    text = surety_doc_text(surety_contract_info_of(contract)->root.doc);
    if (settings->path) {
        show_path(cli, operands->items[0], contract);
    } else {
        surety_buf_add(&cli->out.buf, text);
        if (text.len > 0 && text.ptr[text.len - 1] != '\n')
            surety_buf_byte(&cli->out.buf, '\n');
    }
    surety_contract_free(contract);
}

/* ---- lint --------------------------------------------------------------- */

/* Lints a text and writes the result. */
static void lint_text(struct lint *lint, bool is_quiet)
{
    surety_buf *out = &lint->cli->err.buf;
    bool is_done;

    lint->errors = 0;
    lint->warnings = 0;
    is_done = lint_contract(lint);
    lint_end(lint);
    if (!is_done) {
        cli_nomem(lint->cli);
        return;
    }
    if (lint->is_strict && lint->warnings > 0)
        cli_raise(lint->cli, CODE_INVALID);
    if (lint->errors + lint->warnings > 0) {
        put_format(out, "%s: %zu %s, %zu %s%s\n", lint->source, lint->errors,
                   lint->errors == 1 ? "error" : "errors", lint->warnings,
                   lint->warnings == 1 ? "warning" : "warnings",
                   lint->warnings == 0 || lint->is_strict
                       ? ""
                       : " (--strict fails on warnings too, for CI)");
    } else if (!is_quiet) {
        put_format(out, "%s: no mistakes\n", lint->source);
    }
}

static void lint_file(struct lint *lint, const char *path, bool is_quiet)
{
    lint->source = input_name(path);
    if (library_is_file(lint->cli, path) &&
        cli_read(lint->cli, path, input_schema(&lint->cli->limits), CODE_USAGE,
                 &lint->text))
        lint_text(lint, is_quiet);
    free((char *)lint->text.ptr);
    lint->text = NO_TEXT;
}

/* Lints a contract of the registry, valid or not. */
static void lint_name(struct lint *lint, const char *name, bool is_quiet)
{
    surety_registry *registry = library_open(lint->cli);
    surety_contract *contract = NULL;
    surety_error error;
    surety_status status;

    if (!registry)
        return;
    status =
        surety_registry_find(registry, surety_str_of(name), &contract, &error);
    if (status == SURETY_OK) {
        lint->source = name;
        lint->text =
            surety_doc_text(surety_contract_info_of(contract)->root.doc);
        lint_text(lint, is_quiet);
        lint->text = NO_TEXT;
    } else if (error.source[0] && access(error.source, R_OK) == 0) {
        lint_file(lint, error.source, is_quiet);
    } else if (status == SURETY_END) {
        library_no_contract(lint->cli, name, &error);
    } else {
        cli_fail_error(lint->cli, cli_code_of(status, CODE_USAGE), &error);
    }
    surety_contract_free(contract);
    surety_registry_free(registry);
}

void contracts_lint_run(struct cli *cli, const void *given,
                        const struct operands *operands)
{
    const struct contracts_settings *settings = given;
    struct lint lint = {
        .cli = cli, .is_strict = settings->strict, .shows_all = settings->all};
    surety_registry *registry = NULL;
    surety_contract *own = NULL;
    surety_error error;

    if (settings->provider == 5) /* the choice "all" */
        lint.subsets = 0xF;
    else if (settings->provider > 0)
        lint.subsets = 1u << (settings->provider - 1); /* ORDER subsets */
    if (operands->count == 0)
        cli_usage(cli, "a file, or a name of surety contracts list",
                  "name a contract or its file");
    else
        registry = library_open(cli);
    if (!registry)
        return;
    if (surety_registry_find(registry, surety_str_of("surety/contract"), &own,
                             &error) == SURETY_OK)
        lint.own = surety_contract_info_of(own)->schema;
    for (size_t i = 0; i < operands->count; i++) {
        const char *name = operands->items[i];
        if (strcmp(name, "-") == 0 || access(name, F_OK) == 0)
            lint_file(&lint, name, settings->quiet);
        else
            lint_name(&lint, name, settings->quiet);
        output_flush(&cli->err);
    }
    surety_contract_free(own);
    surety_registry_free(registry);
}
