/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of broken replies, and what comes of each: read by a person.
 *
 *     repair_test [--update] FOLDER
 *
 * A case is FOLDER/NUMBER-SHAPE.case: sections that begin with a line "===
 * KIND" and go on to the next; the line end in front of the next is no part of
 * them.
 *
 *     === shape            what is broken, and what is safe to do about it
 *     === contract         the contract; where there is none: any value
 *     === reply            the reply; "=== reply escaped": \r \n \t \\ and \xNN
 *                          stand for bytes
 *     === outcome WORD...  what comes of it. With no word it is aligned; none,
 *                          syntax, certain-only, partial and cut say otherwise
 *
 * An outcome shows the value and each repair with its place, or why there is no
 * value. Its JSON report must satisfy the contract surety/report. With --update
 * the outcomes are written anew, to be read before they are believed. */
#include <surety.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASES_MAX = 256, SECTIONS_MAX = 16 };

struct section {
    surety_str kind;
    surety_str body;
};

struct golden {
    surety_buf file;
    struct section sections[SECTIONS_MAX];
    size_t count;
    surety_buf reply;
    surety_contract *contract;
};

/* surety/report, once for all. */
static surety_contract *report_contract;

static bool starts_with(surety_str text, const char *start)
{
    const size_t len = strlen(start);

    return text.len >= len && memcmp(text.ptr, start, len) == 0;
}

static bool has_word(surety_str text, const char *word)
{
    const size_t len = strlen(word);

    for (size_t i = 0; i + len <= text.len; i++)
        if (memcmp(text.ptr + i, word, len) == 0 &&
            (i == 0 || text.ptr[i - 1] == ' ') &&
            (i + len == text.len || text.ptr[i + len] == ' '))
            return true;
    return false;
}

static const struct section *find_section(const struct golden *golden,
                                          const char *kind)
{
    for (size_t i = 0; i < golden->count; i++)
        if (surety_str_equal(golden->sections[i].kind, surety_str_of(kind)))
            return &golden->sections[i];
    return NULL;
}

/* ---- reading a case ------------------------------------------------------ */

static bool read_whole(const char *path, surety_buf *out)
{
    FILE *file = fopen(path, "rb");
    char chunk[4096];
    size_t got;

    if (!file)
        return false;
    while ((got = fread(chunk, 1, sizeof(chunk), file)) > 0)
        surety_buf_append(out, chunk, got);
    fclose(file);
    return out->status == SURETY_OK;
}

static void split_sections(struct golden *golden)
{
    const surety_str text = surety_buf_str(&golden->file);
    struct section *section = NULL;
    size_t at = 0;

    while (at < text.len) {
        const surety_str rest = {text.ptr + at, text.len - at};
        const char *feed = memchr(rest.ptr, '\n', rest.len);
        const size_t len = feed ? (size_t)(feed - rest.ptr) : rest.len;

        if (starts_with(rest, "=== ") && golden->count < SECTIONS_MAX) {
            section = &golden->sections[golden->count++];
            section->kind = (surety_str){rest.ptr + 4, len - 4};
            section->body = (surety_str){rest.ptr + len + 1, 0};
        } else if (section) {
            section->body.len = (size_t)(rest.ptr + len - section->body.ptr);
        }
        at += len + 1;
    }
}

static int hex_of(char byte)
{
    return byte >= '0' && byte <= '9'   ? byte - '0'
           : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
                                        : 0;
}

static void unescape(surety_str text, surety_buf *out)
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

static bool golden_read(struct golden *golden, const char *path)
{
    const struct section *contract;
    const struct section *reply;
    surety_error error = {.message = "no reason"};

    memset(golden, 0, sizeof(*golden));
    surety_buf_init(&golden->file, NULL, 0);
    surety_buf_init(&golden->reply, NULL, 0);
    if (!read_whole(path, &golden->file))
        return false;
    split_sections(golden);
    reply = find_section(golden, "reply");
    if (reply)
        surety_buf_add(&golden->reply, reply->body);
    else if ((reply = find_section(golden, "reply escaped")))
        unescape(reply->body, &golden->reply);
    contract = find_section(golden, "contract");
    if (!reply || !find_section(golden, "shape"))
        return false;
    if (surety_contract_read(contract ? contract->body : surety_str_of("true"),
                             NULL, &golden->contract, &error) == SURETY_OK)
        return true;
    printf("# contract: %s (%s)\n", error.message, error.path);
    return false;
}

static void golden_done(struct golden *golden)
{
    surety_contract_free(golden->contract);
    surety_buf_done(&golden->file);
    surety_buf_done(&golden->reply);
}

/* ---- showing an outcome -------------------------------------------------- */

static void put_place(surety_buf *out, surety_position position)
{
    if (position.line) {
        surety_buf_text(out, " at ");
        surety_buf_number(out, position.line);
        surety_buf_byte(out, ':');
        surety_buf_number(out, position.column);
    }
}

static void put_issue(surety_buf *out, const char *what, surety_issue issue)
{
    surety_buf_text(out, what);
    surety_buf_add(out, issue.keyword);
    put_place(out, issue.position);
    if (issue.instance_location.len) {
        surety_buf_text(out, " in ");
        surety_buf_add(out, issue.instance_location);
    }
    surety_buf_text(out, ": ");
    surety_buf_add(out, issue.message);
    if (issue.hint.len) {
        surety_buf_text(out, "; ");
        surety_buf_add(out, issue.hint);
    }
    surety_buf_byte(out, '\n');
}

static void put_repaired(surety_buf *out, surety_repaired repaired)
{
    surety_buf_text(out, repaired.likely ? "likely  " : "certain ");
    surety_buf_text(out, repaired.kind);
    put_place(out, repaired.position);
    if (repaired.cost) {
        surety_buf_text(out, ", cost ");
        surety_buf_number(out, repaired.cost);
        surety_buf_text(out, ", /"); /* "/" alone: the root */
        if (repaired.instance_location.len)
            surety_buf_append(out, repaired.instance_location.ptr + 1,
                              repaired.instance_location.len - 1);
    }
    surety_buf_text(out, ": ");
    surety_json_string(out, repaired.stood);
    surety_buf_text(out, " -> ");
    surety_json_string(out, repaired.read);
    surety_buf_byte(out, '\n');
}

static void put_outcome(surety_buf *out, const surety_outcome *outcome)
{
    if (surety_outcome_ok(outcome)) {
        surety_buf_text(out, "value   ");
        surety_val_write(surety_outcome_value(outcome), SURETY_STYLE_COMPACT,
                         out);
        surety_buf_text(out, "\nfrom    ");
        surety_buf_text(out, surety_place_name(surety_outcome_place(outcome)));
        surety_buf_byte(out, '\n');
    } else {
        surety_buf_text(out, "refused ");
        surety_buf_text(out, surety_stage_name(surety_outcome_stage(outcome)));
        surety_buf_byte(out, '\n');
    }
    if (surety_outcome_partial(outcome)) {
        surety_buf_text(out, "open    /");
        if (surety_outcome_open(outcome).len)
            surety_buf_append(out, surety_outcome_open(outcome).ptr + 1,
                              surety_outcome_open(outcome).len - 1);
        surety_buf_byte(out, '\n');
    }
    for (size_t i = 0; i < surety_outcome_repaired_count(outcome); i++)
        put_repaired(out, surety_outcome_repaired(outcome, i));
    for (size_t i = 0; i < surety_outcome_error_count(outcome); i++)
        put_issue(out, "error   ", surety_outcome_error(outcome, i));
    for (size_t i = 0; i < surety_outcome_warning_count(outcome); i++)
        put_issue(out, "warning ", surety_outcome_warning(outcome, i));
    if (out->len && out->ptr[out->len - 1] == '\n')
        out->len--;
}

/* ---- judging ------------------------------------------------------------- */

static bool report_is_valid(const surety_outcome *outcome)
{
    surety_outcome *verdict = NULL;
    surety_buf report;
    bool good = false;

    surety_buf_init(&report, NULL, 0);
    surety_outcome_write(outcome, SURETY_REPORT_JSON, (surety_str){NULL, 0},
                         &report);
    if (surety_reply_judge(report_contract, surety_buf_str(&report), NULL,
                           &verdict, NULL) == SURETY_OK)
        good = surety_outcome_ok(verdict);
    if (!good)
        printf("# the report does not satisfy surety/report: %.*s\n",
               (int)report.len, report.ptr ? report.ptr : "");
    surety_outcome_free(verdict);
    surety_buf_done(&report);
    return good;
}

/* What an outcome section ought to hold; false where it cannot be judged. */
static bool render(const struct golden *golden, surety_str words,
                   surety_buf *out)
{
    const surety_repair level = has_word(words, "none") ? SURETY_REPAIR_NONE
                                : has_word(words, "syntax")
                                    ? SURETY_REPAIR_SYNTAX
                                    : SURETY_REPAIR_ALIGN;
    const surety_judge_options options = {.size = sizeof(options),
                                          .repair = &level,
                                          .certain_only =
                                              has_word(words, "certain-only"),
                                          .partial = has_word(words, "partial"),
                                          .cut = has_word(words, "cut")};
    surety_outcome *outcome = NULL;
    surety_error error = {.message = "no reason"};
    bool good;

    if (surety_reply_judge(golden->contract, surety_buf_str(&golden->reply),
                           &options, &outcome, &error)) {
        printf("# cannot judge: %s\n", error.message);
        return false;
    }
    put_outcome(out, outcome);
    good = report_is_valid(outcome);
    surety_outcome_free(outcome);
    return good;
}

static bool run_section(const struct golden *golden,
                        const struct section *section, FILE *updated)
{
    surety_str body = section->body;
    bool good = true;
    surety_buf got;

    surety_buf_init(&got, NULL, 0);
    if (starts_with(section->kind, "outcome")) {
        good = render(golden, section->kind, &got);
        body = surety_buf_str(&got);
    }
    if (updated) {
        fprintf(updated, "=== %.*s\n", (int)section->kind.len,
                section->kind.ptr);
        if (body.len) {
            fwrite(body.ptr, 1, body.len, updated);
            fputc('\n', updated);
        }
    } else if (!surety_str_equal(body, section->body)) {
        printf("# %.*s\n# want\n%.*s\n# got\n%.*s\n", (int)section->kind.len,
               section->kind.ptr, (int)section->body.len, section->body.ptr,
               (int)body.len, body.len ? body.ptr : "");
        good = false;
    }
    surety_buf_done(&got);
    return good;
}

static bool run_case(const char *path, bool updating)
{
    struct golden golden;
    bool good = golden_read(&golden, path);
    FILE *updated = NULL;

    if (!good)
        printf("# no case can be read there\n");
    if (good && updating && !(updated = fopen(path, "wb")))
        good = false;
    if (good)
        for (size_t i = 0; i < golden.count; i++)
            good &= run_section(&golden, &golden.sections[i], updated);
    if (updated && fclose(updated) != 0)
        good = false;
    golden_done(&golden);
    return good;
}

/* ---- the folder ---------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t list_cases(const char *folder, char **names)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    size_t count = 0;

    while (dir && (entry = readdir(dir)) && count < CASES_MAX) {
        const size_t len = strlen(entry->d_name);

        if (len < 6 || strcmp(entry->d_name + len - 5, ".case") != 0)
            continue;
        names[count] = malloc(len + 1);
        if (!names[count])
            break;
        memcpy(names[count++], entry->d_name, len + 1);
    }
    if (dir)
        closedir(dir);
    qsort(names, count, sizeof(*names), by_name);
    return count;
}

static bool find_report_contract(surety_registry **ret_registry)
{
    const surety_registry_options options = {.size = sizeof(options)};

    return surety_registry_new(&options, ret_registry, NULL) == SURETY_OK &&
           surety_registry_find(*ret_registry, surety_str_of("surety/report"),
                                &report_contract, NULL) == SURETY_OK;
}

int main(int argc, char **argv)
{
    const bool updating = argc == 3 && !strcmp(argv[1], "--update");
    const char *folder = argc > 1 ? argv[argc - 1] : "";
    surety_registry *registry = NULL;
    char *names[CASES_MAX];
    size_t count, failed = 0;

    if (argc < 2 || argc > 3 || (argc == 3 && !updating)) {
        fprintf(stderr, "usage: repair_test [--update] FOLDER\n");
        return 2;
    }
    if (!find_report_contract(&registry)) {
        printf("Bail out! no contract surety/report\n");
        return 1;
    }
    count = list_cases(folder, names);
    printf("1..%zu\n", count);
    for (size_t i = 0; i < count; i++) {
        char path[4096];
        bool good;

        (void)snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        good = run_case(path, updating);
        printf("%s %zu - %s\n", good ? "ok" : "not ok", i + 1, names[i]);
        failed += !good;
        free(names[i]);
    }
    surety_contract_free(report_contract);
    surety_registry_free(registry);
    return failed || !count;
}
