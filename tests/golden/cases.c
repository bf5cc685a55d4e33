/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of cases as text; see cases.h. The programs run once and end, so what
 * keeps a case from being read or written ends them with a word. */
#include "golden/cases.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES_MAX = 4096 };

void golden_die(const char *what, const char *which)
{
    printf("Bail out! %s: %s\n", what, which);
    exit(1);
}

/* ---- texts --------------------------------------------------------------- */

bool golden_line(surety_str *text, surety_str *ret_line)
{
    const char *feed = text->len ? memchr(text->ptr, '\n', text->len) : NULL;
    const size_t len = feed ? (size_t)(feed - text->ptr) : text->len;

    if (!text->len)
        return false;
    *ret_line = (surety_str){text->ptr, len};
    text->ptr += len + (feed != NULL);
    text->len -= len + (feed != NULL);
    return true;
}

surety_str golden_exact(surety_str text)
{
    char *copy = malloc(text.len ? text.len : 1);

    if (!copy)
        golden_die("out of memory", "a reply");
    if (text.len)
        memcpy(copy, text.ptr, text.len);
    return (surety_str){copy, text.len};
}

bool golden_take(surety_str *text, const char *start)
{
    const size_t len = strlen(start);

    if (text->len < len || memcmp(text->ptr, start, len) != 0)
        return false;
    text->ptr += len;
    text->len -= len;
    return true;
}

static char hex_of(char byte)
{
    byte = (char)(byte | 0x20);
    return (char)(byte >= 'a' ? byte - 'a' + 10 : byte - '0');
}

void golden_unescape(surety_str text, surety_buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.ptr[i];

        if (byte == '\\' && i + 1 < text.len) {
            byte = text.ptr[++i];
            if (byte == 'x' && i + 2 < text.len) {
                byte = (char)(hex_of(text.ptr[i + 1]) * 16 +
                              hex_of(text.ptr[i + 2]));
                i += 2;
            } else {
                byte = byte == 'r'   ? '\r'
                       : byte == 'n' ? '\n'
                       : byte == 't' ? '\t'
                                     : byte;
            }
        }
        surety_buf_byte(out, byte);
    }
}

void golden_escape(surety_buf *out, char byte)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char code = (unsigned char)byte;
    static const char named[][2] = {
        {'\n', 'n'}, {'\r', 'r'}, {'\t', 't'}, {'\\', '\\'}};

    for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++)
        if (named[i][0] == byte) {
            surety_buf_byte(out, '\\');
            surety_buf_byte(out, named[i][1]);
            return;
        }
    if (code >= 0x20 && code < 0x7F) {
        surety_buf_byte(out, byte);
        return;
    }
    surety_buf_text(out, "\\x");
    surety_buf_byte(out, digits[code >> 4]);
    surety_buf_byte(out, digits[code & 15]);
}

/* ---- files --------------------------------------------------------------- */

bool golden_read(const char *path, surety_buf *out)
{
    FILE *file = fopen(path, "rb");
    char chunk[4096];
    size_t count;

    surety_buf_reset(out);
    if (!file)
        return false;
    while ((count = fread(chunk, 1, sizeof(chunk), file)) > 0)
        surety_buf_append(out, chunk, count);
    fclose(file);
    return out->status == SURETY_OK;
}

static void golden_write(const char *path, surety_str text)
{
    FILE *file = fopen(path, "wb");

    if (!file || fwrite(text.ptr, 1, text.len, file) != text.len ||
        fclose(file) != 0)
        golden_die("cannot be written", path);
}

/* The path of the file beside a case. */
static void beside(char path[PATH_BYTES_MAX], const struct golden *golden,
                   const char *ending)
{
    const int stem = (int)(strrchr(golden->path, '.') - golden->path);

    snprintf(path, PATH_BYTES_MAX, "%.*s%s", stem, golden->path, ending);
}

bool golden_beside(const struct golden *golden, const char *ending,
                   surety_buf *out)
{
    char path[PATH_BYTES_MAX];

    beside(path, golden, ending);
    return golden_read(path, out);
}

/* ---- sections ------------------------------------------------------------ */

static void split_sections(struct golden *golden)
{
    surety_str rest = surety_buf_str(&golden->text);
    struct golden_section *section = NULL;
    surety_str line;

    while (golden_line(&rest, &line)) {
        if (golden_take(&line, "=== ")) {
            if (golden->count == GOLDEN_SECTIONS_MAX)
                golden_die("too many sections", golden->path);
            section = &golden->sections[golden->count++];
            section->kind = line;
            section->text = (surety_str){rest.ptr, 0};
            section->body = section->text;
        } else if (!section) {
            golden_die("no section at its start", golden->path);
        } else {
            section->text.len = (size_t)(rest.ptr - section->text.ptr);
            section->body.len =
                (size_t)(line.ptr + line.len - section->body.ptr);
        }
    }
}

bool golden_is(const struct golden_section *section, const char *kind)
{
    return surety_str_equal(section->kind, surety_str_of(kind));
}

const struct golden_section *golden_find(const struct golden *golden,
                                         const char *kind)
{
    for (size_t i = 0; i < golden->count; i++)
        if (golden_is(&golden->sections[i], kind))
            return &golden->sections[i];
    return NULL;
}

surety_str golden_body(const struct golden *golden, const char *kind)
{
    const struct golden_section *section = golden_find(golden, kind);

    return section ? section->body : (surety_str){"", 0};
}

bool golden_bytes(const struct golden *golden, const char *kind,
                  surety_buf *out)
{
    const struct golden_section *plain = golden_find(golden, kind);
    char escaped[64];

    snprintf(escaped, sizeof(escaped), "%s escaped", kind);
    surety_buf_reset(out);
    if (plain)
        surety_buf_add(out, plain->body);
    else
        golden_unescape(golden_body(golden, escaped), out);
    return plain || golden_find(golden, escaped);
}

/* Appends count rows. */
static void put_rows(surety_buf *out, size_t count, surety_str row)
{
    for (size_t i = 1; i <= count; i++) {
        surety_buf_text(out, i > 1 ? "," : "");
        for (size_t k = 0; k < row.len; k++) {
            if (row.ptr[k] == '#')
                surety_buf_number(out, i);
            else
                surety_buf_byte(out, row.ptr[k]);
        }
    }
}

void golden_value(const struct golden *golden, surety_buf *out)
{
    const surety_str value = golden_body(golden, "value");
    surety_str rest = golden_body(golden, "options");
    surety_str line, row = {"", 0};
    size_t count = 0;

    while (count == 0 && golden_line(&rest, &line)) {
        if (!golden_take(&line, "rows "))
            continue;
        for (; line.len > 0 && *line.ptr != ' '; line.ptr++, line.len--)
            count = count * 10 + (size_t)(*line.ptr - '0');
        row = line;
    }
    surety_buf_reset(out);
    for (size_t i = 0; i < value.len; i++) {
        if (count > 0 && value.ptr[i] == '@')
            put_rows(out, count, row);
        else
            surety_buf_byte(out, value.ptr[i]);
    }
}

void golden_begin(struct golden *golden, const struct golden_section *section)
{
    surety_buf_text(&golden->made, "=== ");
    surety_buf_add(&golden->made, section->kind);
    surety_buf_byte(&golden->made, '\n');
}

void golden_keep(struct golden *golden, const struct golden_section *section)
{
    golden_begin(golden, section);
    surety_buf_add(&golden->made, section->text);
}

void golden_end(struct golden *golden)
{
    const surety_buf *made = &golden->made;

    if (made->len && made->ptr[made->len - 1] != '\n')
        surety_buf_byte(&golden->made, '\n');
}

void golden_error(surety_buf *out, const surety_error *error)
{
    const surety_position at = error->position;
    char place[64];

    surety_buf_text(out, "  ");
    surety_buf_text(out, surety_status_name(error->status));
    if (at.line) {
        snprintf(place, sizeof(place), " %u:%u+%zu", (unsigned)at.line,
                 (unsigned)at.column, (size_t)at.length);
        surety_buf_text(out, place);
    }
    if (error->path[0]) {
        surety_buf_text(out, " at ");
        surety_buf_text(out, error->path);
    }
    surety_buf_text(out, ": ");
    surety_buf_text(out, error->message);
    surety_buf_text(out, error->hint[0] ? "\n    " : "\n");
    surety_buf_text(out, error->hint);
    surety_buf_text(out, error->hint[0] ? "\n" : "");
}

/* ---- running ------------------------------------------------------------- */

static void tell_lines(char mark, surety_str text)
{
    surety_str line;

    while (golden_line(&text, &line))
        printf("# %c %.*s\n", mark, (int)line.len, line.ptr);
}

/* Shows the lines from the first that differs to the last. */
static void tell_difference(const char *path, surety_str want, surety_str got)
{
    const size_t least = want.len < got.len ? want.len : got.len;
    size_t start = 0, end = 0, line = 1;

    for (size_t i = 0; i < least && want.ptr[i] == got.ptr[i]; i++) {
        if (want.ptr[i] == '\n') {
            start = i + 1;
            line++;
        }
    }
    for (size_t i = 0; i < least - start; i++) {
        const char byte = want.ptr[want.len - 1 - i];

        if (byte != got.ptr[got.len - 1 - i])
            break;
        if (byte == '\n')
            end = i;
    }
    printf("# %s:%zu: what is there, and what came out\n", path, line);
    tell_lines('-', (surety_str){want.ptr + start, want.len - start - end});
    tell_lines('+', (surety_str){got.ptr + start, got.len - start - end});
}

/* Whether what was made is in the file, or is there now. */
static bool made_stands(const struct golden_folder *folder,
                        const struct golden *golden)
{
    const surety_str made = surety_buf_str(&golden->made);
    char path[PATH_BYTES_MAX];
    surety_buf expected;
    surety_str want = surety_buf_str(&golden->text);
    bool there = true;
    bool same;

    surety_buf_init(&expected, NULL, 0);
    snprintf(path, sizeof(path), "%s", golden->path);
    if (folder->expected) {
        beside(path, golden, folder->expected);
        there = golden_read(path, &expected);
        want = surety_buf_str(&expected);
    }
    same = there && surety_str_equal(want, made);
    if (!same && folder->update)
        golden_write(path, made);
    else if (!same)
        tell_difference(path, want, made);
    surety_buf_done(&expected);
    return same || folder->update;
}

static bool run_case(const struct golden_folder *folder, const char *name,
                     bool *ret_skipped)
{
    struct golden golden = {.context = folder->context};
    char path[PATH_BYTES_MAX];
    bool good;

    surety_buf_init(&golden.text, NULL, 0);
    surety_buf_init(&golden.made, NULL, 0);
    snprintf(path, sizeof(path), "%s/%s", folder->path, name);
    golden.path = path;
    if (!golden_read(path, &golden.text))
        golden_die("cannot be read", path);
    if (!folder->expected)
        split_sections(&golden);
    good = folder->run(&golden) &&
           (golden.skipped || made_stands(folder, &golden));
    *ret_skipped = golden.skipped;
    surety_buf_done(&golden.text);
    surety_buf_done(&golden.made);
    return good;
}

static bool is_case(const struct golden_folder *folder, const char *name)
{
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; dot && folder->endings[i]; i++)
        if (dot != name && strcmp(dot, folder->endings[i]) == 0)
            return true;
    return false;
}

bool golden_run(const struct golden_folder *folder)
{
    struct dirent **entries = NULL;
    const int listed = scandir(folder->path, &entries, NULL, alphasort);
    size_t count = 0, failed = 0;

    for (int i = 0; i < listed; i++) {
        const char *name = entries[i]->d_name;

        if (is_case(folder, name)) {
            bool skipped = false;
            const bool good = run_case(folder, name, &skipped);
            /* A case of several files is named by what they share. */
            const size_t len = folder->expected
                                   ? (size_t)(strrchr(name, '.') - name)
                                   : strlen(name);

            count++;
            failed += !good;
            if (!folder->quiet)
                printf("%sok %zu - %.*s%s\n", good ? "" : "not ", count,
                       (int)len, name,
                       skipped ? " # SKIP rules are not built in" : "");
        }
        free(entries[i]);
    }
    free(entries);
    if (!count)
        printf("# no cases in %s\n", folder->path);
    if (!folder->quiet)
        printf("1..%zu\n", count);
    return count && !failed;
}

bool golden_arguments(int argc, char **argv, struct golden_folder *folder)
{
    folder->update = argc == 3 && !strcmp(argv[1], "--update");
    if (argc != 2 + folder->update) {
        fprintf(stderr, "usage: %s [--update] FOLDER\n", argv[0]);
        return false;
    }
    folder->path = argv[argc - 1];
    return true;
}

int golden_main(int argc, char **argv, struct golden_folder *folder)
{
    if (!golden_arguments(argc, argv, folder))
        return 2;
    return golden_run(folder) ? 0 : 1;
}

/* ---- reports ------------------------------------------------------------- */

bool golden_report_holds(const surety_outcome *outcome)
{
    surety_registry *registry = NULL;
    surety_contract *contract = NULL;
    surety_outcome *verdict = NULL;
    surety_buf report;
    bool good = false;

    surety_buf_init(&report, NULL, 0);
    surety_outcome_write(outcome, SURETY_REPORT_JSON, (surety_str){NULL, 0}, 0,
                         &report);
    if (surety_registry_new(surety_str_of(""), NULL, &registry, NULL) ==
            SURETY_OK &&
        surety_registry_find(registry, surety_str_of("surety/report"),
                             &contract, NULL) == SURETY_OK &&
        surety_contract_judge(contract, surety_buf_str(&report), NULL, &verdict,
                              NULL) == SURETY_OK)
        good = surety_outcome_info_of(verdict)->ok;
    if (!good)
        printf("# the report does not satisfy surety/report: %.*s\n",
               (int)report.len, report.len ? report.ptr : "");
    surety_outcome_free(verdict);
    surety_contract_free(contract);
    surety_registry_free(registry);
    surety_buf_done(&report);
    return good;
}
