/* SPDX-License-Identifier: Apache-2.0 */
/* Contract files, and folders of them: read by a person.
 *
 *     registry_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case: sections that begin with a line "=== KIND".
 *
 *     === shape            what is shown
 *     === contract         a contract
 *     === says             all that the one before it says
 *     === expects          names, a line each: whether it names such a property
 *     === mistakes         a contract a line; below each what is wrong with it
 *     === value            what programs are asked of
 *     === rules            jq programs, a line each, all of them the rules of
 *                          one contract; below each what it says of the value
 *     === derived          NAME: PROGRAM lines; below each the members that a
 *                          contract with it alone derives from the value
 *     === programs         a jq program a line; below each why it is no rule
 *     === versions         A B: which are versions, their order, whether A is
 *                          what a request for B means
 *     === file PATH        a contract's file, below a folder of the case's own
 *     === list FOLDERS     what a registry of these folders lists but for what
 *                          is built in; "=== list all": what is built in
 *     === find FOLDERS     names, a line each; below each what is found
 *
 * What is behind two blanks is what came out; with --update it is written anew,
 * to be read before it is believed. */
#include "contract/contract.h"
#include "contract/version.h"
#include "golden/cases.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATHS_MAX = 64 };

/* What the sections of a case leave to those behind them. */
struct setting {
    surety_buf *out;
    surety_contract *contract;
    surety_doc *value;
    char folder[64];            /* made when the first file is */
    char paths[PATHS_MAX][128]; /* files and folders below it, to be removed */
    size_t path_count;
    int home;
};

/* ---- what a contract says ------------------------------------------------ */

static void put_str(surety_buf *out, const char *name, surety_str text)
{
    if (!text.len)
        return;
    surety_buf_text(out, name);
    surety_buf_byte(out, ' ');
    surety_json_string(out, text);
    surety_buf_byte(out, '\n');
}

static void put_val(surety_buf *out, const char *name, surety_val val)
{
    if (!val.doc)
        return;
    surety_buf_text(out, name);
    surety_buf_byte(out, ' ');
    surety_val_write(val, SURETY_STYLE_COMPACT, out);
    surety_buf_byte(out, '\n');
}

static void put_extract(surety_buf *out, const surety_extract *extract)
{
    surety_buf_text(out, "extract");
    for (size_t i = 0; i < extract->from_count; i++) {
        surety_buf_byte(out, ' ');
        surety_buf_text(out, surety_place_name(extract->from[i]));
    }
    surety_buf_text(out, extract->pick_last ? ", the last" : ", the first");
    surety_buf_text(out, extract->keep_reasoning ? ", reasoning kept\n" : "\n");
    put_str(out, "marker", extract->marker);
}

static void put_rules(surety_buf *out, const surety_contract *contract)
{
    for (size_t i = 0; i < surety_contract_info_of(contract)->rule_count; i++) {
        const surety_rule rule = surety_contract_info_of(contract)->rules[i];

        put_str(out, "rule", rule.id);
        put_str(out, "  at", rule.at);
        put_str(out, "  expr", rule.expr);
        put_str(out, "  message", rule.message);
    }
}

static void put_contract(surety_buf *out, const surety_contract *contract)
{
    const surety__policy *policy = &contract->policy;

    put_str(out, "name", surety_contract_info_of(contract)->name);
    put_str(out, "version", surety_contract_info_of(contract)->version);
    put_str(out, "id", surety_contract_info_of(contract)->id);
    put_str(out, "deprecated", surety_contract_info_of(contract)->deprecated);
    put_extract(out, surety_contract_info_of(contract)->extract);
    surety__buf_printf(
        out, "repair %d%s%s%s\n",
        (int)surety_contract_info_of(contract)->repair,
        surety_contract_info_of(contract)->partial ? ", partial" : "",
        surety_contract_info_of(contract)->strips_unknown ? ", unknown stripped"
                                                          : "",
        surety_contract_info_of(contract)->fills_defaults ? ""
                                                          : ", no defaults");
    surety__buf_printf(out, "fallback %d\n",
                       (int)surety_contract_info_of(contract)->fallback);
    put_val(out, "  value", surety_contract_info_of(contract)->fallback_value);
    put_str(out, "  field", surety_contract_info_of(contract)->fallback_field);
    surety__buf_printf(out, "retry %u, feedback %d\n",
                       (unsigned)surety_contract_info_of(contract)->retry_max,
                       (int)surety_contract_info_of(contract)->feedback);
    put_rules(out, contract);
    put_val(out, "derive", surety_contract_info_of(contract)->derive);
    surety__buf_printf(out, "prompt %d\n", (int)policy->prompt_style);
    put_val(out, "  example", policy->prompt_example);
    put_val(out, "aliases", policy->aliases);
}

/* ---- sections of lines --------------------------------------------------- */

/* Writes what comes of a line; text: it and what the section's head says. */
typedef void put_line(struct setting *setting, surety_str line,
                      surety_str words);

static void put_lines(struct setting *setting,
                      const struct golden_section *section, surety_str words,
                      put_line *put)
{
    surety_str lines = section->body;
    surety_str line;

    while (golden_line(&lines, &line)) {
        if (line.len > 1 && line.ptr[0] == ' ' && line.ptr[1] == ' ')
            continue;
        surety_buf_add(setting->out, line);
        surety_buf_byte(setting->out, '\n');
        put(setting, line, words);
    }
}

static void put_expected(struct setting *setting, surety_str line,
                         surety_str words)
{
    (void)words;
    surety_buf_text(setting->out,
                    surety__contract_expects(setting->contract, line)
                        ? "  yes\n"
                        : "  no\n");
}

static void put_mistake(struct setting *setting, surety_str line,
                        surety_str words)
{
    surety_contract *contract = NULL;
    surety_error error;

    (void)words;
    if (surety_contract_read(line, NULL, &contract, &error))
        golden_error(setting->out, &error);
    else
        surety_buf_text(setting->out, "  holds\n");
    surety_contract_free(contract);
}

static void put_versions(struct setting *setting, surety_str line,
                         surety_str words)
{
    const size_t space = surety__str_find(line, SURETY__LITERAL(" "));
    const size_t skip = space < line.len ? space + 1 : space;
    const surety_str a = {line.ptr, space};
    const surety_str b = {line.ptr + skip, line.len - skip};
    const int order = surety__version_compare(a, b);

    (void)words;
    surety_buf_text(setting->out, "  ");
    surety_buf_text(setting->out,
                    surety__version_valid(a) ? "a version" : "no version");
    if (surety__version_is_early(a))
        surety_buf_text(setting->out, ", early");
    if (surety__version_request_valid(a))
        surety_buf_text(setting->out, ", a request");
    if (b.len) {
        surety_buf_text(setting->out, order < 0   ? "; before"
                                      : order > 0 ? "; behind"
                                                  : "; as");
        surety_buf_text(setting->out, " the other");
        if (surety__version_matches(a, b))
            surety_buf_text(setting->out, ", is meant by it");
    }
    surety_buf_byte(setting->out, '\n');
}

/* ---- programs ------------------------------------------------------------ */

/* A contract whose x-surety is head, then programs as text. */
static surety_status read_programs(surety_str text, surety_contract **contract,
                                   surety_error *error)
{
    return surety_contract_read(text, NULL, contract, error);
}

/* The lines as rules of one contract; SURETY_UNSUPPORTED: without libjq. */
static surety_status read_rules(surety_str lines, surety_contract **contract,
                                surety_error *error)
{
    surety_buf text;
    surety_str line;
    size_t count = 0;
    surety_status status;

    surety_buf_init(&text, NULL, 0);
    surety_buf_text(&text, "{\"x-surety\":{\"rules\":[");
    while (golden_line(&lines, &line)) {
        if (line.len > 1 && line.ptr[0] == ' ' && line.ptr[1] == ' ')
            continue;
        surety__buf_printf(&text, "%s{\"id\":\"r%zu\",\"message\":\"m\"",
                           count ? "," : "", count);
        count++;
        surety_json_text(&text, "expr", line);
        surety_buf_byte(&text, '}');
    }
    surety_buf_text(&text, "]}}");
    status = read_programs(surety_buf_str(&text), contract, error);
    surety_buf_done(&text);
    return status;
}

static void put_verdict(surety_buf *out, const surety__rule_result *verdict)
{
    surety_buf_text(out, verdict->holds ? "  holds" : "  does not hold");
    if (verdict->status) {
        surety_buf_text(out, ", ");
        surety_buf_text(out, surety_status_name(verdict->status));
        surety_buf_text(out, ": ");
        surety_buf_add(out, verdict->text);
    }
    surety_buf_byte(out, '\n');
}

static bool put_rules_said(struct setting *setting,
                           const struct golden_section *section)
{
    const surety__rule_result *verdicts = NULL;
    surety_contract *contract = NULL;
    surety__rules *rules = NULL;
    surety_str lines = section->body;
    surety_str line;
    surety_error error;
    surety_status status = read_rules(lines, &contract, &error);

    if (status == SURETY_OK) {
        rules = surety__rules_new(contract, NULL);
        status = surety__rules_check(rules, surety_doc_root(setting->value),
                                     &verdicts, &error);
    }
    if (status != SURETY_OK)
        printf("# the rules: %s (%s)\n", error.message, error.path);
    for (size_t i = 0; status == SURETY_OK && golden_line(&lines, &line);) {
        if (line.len > 1 && line.ptr[0] == ' ' && line.ptr[1] == ' ')
            continue;
        surety_buf_add(setting->out, line);
        surety_buf_byte(setting->out, '\n');
        put_verdict(setting->out, &verdicts[i++]);
    }
    surety__rules_free(rules);
    surety_contract_free(contract);
    return status == SURETY_OK;
}

static void put_program(struct setting *setting, surety_str line,
                        surety_str words)
{
    surety_contract *contract = NULL;
    surety_error error;

    (void)words;
    if (read_rules(line, &contract, &error))
        golden_error(setting->out, &error);
    else
        surety_buf_text(setting->out, "  compiles\n");
    surety_contract_free(contract);
}

static void put_derived(struct setting *setting, surety_str line,
                        surety_str words)
{
    const size_t colon = surety__str_find(line, SURETY__LITERAL(": "));
    surety_doc *derived = surety_doc_new(NULL);
    surety_contract *contract = NULL;
    surety__rules *rules = NULL;
    surety_status status;
    surety_error error;
    surety_buf text;

    (void)words;
    surety_buf_init(&text, NULL, 0);
    surety_buf_text(&text, "{\"x-surety\":{\"derive\":{");
    surety_json_string(&text, (surety_str){line.ptr, colon});
    surety_buf_byte(&text, ':');
    surety_json_string(
        &text, (surety_str){line.ptr + colon + 2, line.len - colon - 2});
    surety_buf_text(&text, "}}}");
    status = read_programs(surety_buf_str(&text), &contract, &error);
    if (status == SURETY_OK) {
        rules = surety__rules_new(contract, NULL);
        status = surety__rules_derive(rules, surety_doc_root(setting->value),
                                      derived, &error);
    }
    if (status == SURETY_OK)
        put_val(setting->out, " ", surety_doc_root(derived));
    else
        golden_error(setting->out, &error);
    surety__rules_free(rules);
    surety_contract_free(contract);
    surety_doc_free(derived);
    surety_buf_done(&text);
}

/* ---- folders ------------------------------------------------------------- */

/* Makes the folders of a path below the case's own, and the file. */
static void make_file(struct setting *setting, surety_str path, surety_str text)
{
    char name[128];
    int file;

    if (!setting->folder[0]) {
        strcpy(setting->folder, "/tmp/surety-registry-XXXXXX");
        if (!mkdtemp(setting->folder) || chdir(setting->folder) != 0)
            golden_die("cannot be made", setting->folder);
    }
    for (size_t i = 0; i <= path.len; i++) {
        if (i < path.len && path.ptr[i] != '/')
            continue;
        snprintf(name, sizeof(name), "%.*s", (int)i, path.ptr);
        if (i < path.len && mkdir(name, 0700) != 0)
            continue; /* it is there */
        if (setting->path_count == PATHS_MAX)
            golden_die("too many files", name);
        strcpy(setting->paths[setting->path_count++], name);
    }
    file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || write(file, text.ptr, text.len) != (ssize_t)text.len ||
        close(file) != 0)
        golden_die("cannot be written", name);
}

static void remove_files(struct setting *setting)
{
    while (setting->path_count > 0)
        remove(setting->paths[--setting->path_count]);
    if (fchdir(setting->home) != 0)
        golden_die("cannot go back", setting->folder);
    if (setting->folder[0])
        remove(setting->folder);
    close(setting->home);
}

static surety_registry *registry_of(surety_str folders)
{
    surety_registry *registry = NULL;

    if (surety_registry_new(folders, NULL, &registry, NULL) != SURETY_OK)
        golden_die("no registry", folders.ptr);
    return registry;
}

static void put_word(surety_buf *out, const char *before, surety_str text)
{
    if (!text.len)
        return;
    surety_buf_text(out, before);
    surety_buf_add(out, text);
}

static void put_list(struct setting *setting, surety_str folders)
{
    const bool all = surety_str_equal(folders, surety_str_of("all"));
    surety_registry *registry = registry_of(all ? surety_str_of("") : folders);
    const surety_registry_entry *entries = NULL;
    size_t count = 0;
    surety_error error;

    if (surety_registry_list(registry, &entries, &count, &error) != SURETY_OK)
        golden_error(setting->out, &error);
    for (size_t i = 0; i < count; i++) {
        const surety_registry_entry entry = entries[i];

        if (all != surety_str_equal(entry.source, surety_str_of("built-in")))
            continue;
        surety_buf_text(setting->out, "  ");
        surety_buf_add(setting->out, entry.name);
        put_word(setting->out, "@", entry.version);
        put_word(setting->out, " of ", entry.alias_of);
        put_word(setting->out, " in ", entry.source);
        put_word(setting->out, ": ", entry.title);
        put_word(setting->out, "; deprecated: ", entry.deprecated);
        put_word(setting->out, "; error: ", entry.error);
        surety_buf_byte(setting->out, '\n');
    }
    surety_registry_free(registry);
}

static void put_find(struct setting *setting, surety_str line,
                     surety_str folders)
{
    surety_registry *registry = registry_of(folders);
    surety_contract *contract = NULL;
    surety_error error = {.source = ""};

    if (surety_registry_find(registry, line, &contract, &error)) {
        put_word(setting->out, "  in ", surety_str_of(error.source));
        surety_buf_text(setting->out, error.source[0] ? "\n" : "");
        golden_error(setting->out, &error);
    } else {
        put_word(setting->out, "  ", surety_contract_info_of(contract)->id);
        put_word(setting->out, ", ",
                 surety_val_str(surety_val_get(
                     surety_contract_info_of(contract)->root, "title")));
        surety_buf_byte(setting->out, '\n');
    }
    surety_contract_free(contract);
    surety_registry_free(registry);
}

/* ---- a case -------------------------------------------------------------- */

static const struct {
    const char *kind;
    put_line *put;
} line_sections[] = {
    {"expects", put_expected},  {"mistakes", put_mistake},
    {"programs", put_program},  {"derived", put_derived},
    {"versions", put_versions}, {"find ", put_find},
};

/* A section whose lines are answered one by one; false: it is another. */
static bool run_lines(struct golden *golden, struct setting *setting,
                      const struct golden_section *section)
{
    for (size_t i = 0; i < sizeof(line_sections) / sizeof(*line_sections);
         i++) {
        surety_str words = section->kind;

        if (!golden_take(&words, line_sections[i].kind))
            continue;
        golden_begin(golden, section);
        put_lines(setting, section, words, line_sections[i].put);
        return true;
    }
    return false;
}

static bool run_section(struct golden *golden, struct setting *setting,
                        const struct golden_section *section)
{
    surety_str words = section->kind;
    surety_error error;

    if (run_lines(golden, setting, section))
        return true;
    if (golden_is(section, "says")) {
        golden_begin(golden, section);
        put_contract(setting->out, setting->contract);
        return true;
    }
    if (golden_is(section, "rules")) {
        golden_begin(golden, section);
        return put_rules_said(setting, section);
    }
    if (golden_take(&words, "list ")) {
        golden_begin(golden, section);
        put_list(setting, words);
        return true;
    }
    golden_keep(golden, section);
    if (golden_is(section, "contract")) {
        surety_contract_free(setting->contract);
        setting->contract = NULL;
        if (surety_contract_read(section->body, NULL, &setting->contract,
                                 &error) != SURETY_OK)
            golden_die("a contract cannot be read", error.message);
    } else if (golden_is(section, "value")) {
        if (surety_doc_read(setting->value, section->body, NULL, &error))
            golden_die("a value is no JSON", error.message);
    } else if (golden_take(&words, "file ")) {
        make_file(setting, words, section->body);
    }
    return true;
}

/* Whether a case asks for what a build without libjq has not. */
static bool needs_rules(const struct golden *golden)
{
    surety_contract *contract = NULL;
    surety_error error;
    const surety_status status =
        read_rules(surety_str_of("true"), &contract, &error);

    surety_contract_free(contract);
    return status == SURETY_UNSUPPORTED &&
           surety__str_find(surety_buf_str(&golden->text),
                            SURETY__LITERAL("expr")) < golden->text.len;
}

static bool run(struct golden *golden)
{
    struct setting setting = {.out = &golden->made,
                              .value = surety_doc_new(NULL),
                              .home = open(".", O_RDONLY | O_CLOEXEC)};
    bool good = true;

    golden->skipped =
        (golden_find(golden, "rules") || golden_find(golden, "derived") ||
         golden_find(golden, "programs") || golden_find(golden, "value")) &&
        needs_rules(golden);
    for (size_t i = 0; i < golden->count && !golden->skipped; i++)
        good = run_section(golden, &setting, &golden->sections[i]) && good;
    remove_files(&setting);
    surety_contract_free(setting.contract);
    surety_doc_free(setting.value);
    return good;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
