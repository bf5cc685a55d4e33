/* SPDX-License-Identifier: Apache-2.0 */
/* Reports, compared byte for byte with what is written in case files.
 *
 *     report_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case: sections that begin with a line "=== KIND" and go
 * on to the next; the line end in front of the next is no part of them.
 *
 *     === contract    the contract
 *     === reply       the reply; "=== reply escaped": \r \n \t \\ and \xNN
 *                     stand for bytes
 *     === options     a line each: extract PLACE..., marker TEXT, pick last,
 *                     keep-reasoning, native TEXT, no-fallback, derive,
 *                     repair LEVEL, certain-only, partial, cut,
 *                     var NAME=VALUE, source NAME, findings-max N, depth-max N
 *     === json, text, color, plain, github, sarif
 *                     the reports expected, any of them; ESC is written \x1b
 *     === error       what the call says where it cannot judge
 *
 * Each case is judged again and again by one judge, in the end without
 * allocating where only this folder's work is done, and its JSON report must
 * satisfy the contract surety/report. With --update the expected sections are
 * written anew, for a person to review. */
#include <surety/reply.h>

#include "contract/contract.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

enum { CASES_MAX = 512, SECTIONS_MAX = 16, VARIABLES_MAX = 8 };
enum { WARM_UP = 4 }; /* an arena that doubles has grown by then */

struct section {
    surety_str kind;
    surety_str body;
};

struct golden {
    surety_buf file;
    struct section sections[SECTIONS_MAX];
    size_t count;
    surety_buf reply;
    surety_str source;
    surety_judge_options options;
    surety_repair repair;
    surety_extract extract;
    surety_variable variables[VARIABLES_MAX];
    surety_limits limits;
};

static const struct {
    const char *name;
    surety_report form;
} forms[] = {
    {"json", SURETY_REPORT_JSON},     {"text", SURETY_REPORT_TEXT},
    {"color", SURETY_REPORT_COLOR},   {"plain", SURETY_REPORT_PLAIN},
    {"github", SURETY_REPORT_GITHUB}, {"sarif", SURETY_REPORT_SARIF},
};

static bool is_kind(const struct section *section, const char *kind)
{
    return surety_str_equal(section->kind, surety_str_of(kind));
}

static const struct section *find_section(const struct golden *golden,
                                          const char *kind)
{
    for (size_t i = 0; i < golden->count; i++)
        if (is_kind(&golden->sections[i], kind))
            return &golden->sections[i];
    return NULL;
}

/* ---- reading a case -------------------------------------------------------
 */

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
        size_t len = surety__str_find(rest, SURETY__LITERAL("\n"));

        if (surety__str_starts(rest, SURETY__LITERAL("=== ")) &&
            golden->count < SECTIONS_MAX) {
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
                                        : -1;
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

static uint32_t number_of(surety_str text)
{
    uint32_t number = 0;

    for (size_t i = 0; i < text.len; i++)
        number = number * 10 + (uint32_t)(text.ptr[i] - '0');
    return number;
}

static bool take_places(struct golden *golden, surety_str text)
{
    while (text.len && golden->extract.from_count < SURETY_PLACES) {
        const size_t len = surety__str_find(text, SURETY__LITERAL(" "));
        const surety_place place = surety_place_of((surety_str){text.ptr, len});

        if (place == SURETY_PLACE_NONE)
            return false;
        golden->extract.from[golden->extract.from_count++] = place;
        text.ptr += len < text.len ? len + 1 : len;
        text.len -= len < text.len ? len + 1 : len;
    }
    return true;
}

static bool take_option(struct golden *golden, surety_str name,
                        surety_str value)
{
    surety_judge_options *options = &golden->options;
    const size_t equals = surety__str_find(value, SURETY__LITERAL("="));

    if (surety_str_equal(name, SURETY__LITERAL("extract"))) {
        options->extract = &golden->extract;
        return take_places(golden, value);
    }
    if (surety_str_equal(name, SURETY__LITERAL("marker"))) {
        golden->extract.marker = value;
    } else if (surety_str_equal(name, SURETY__LITERAL("pick"))) {
        golden->extract.pick_last = true;
    } else if (surety_str_equal(name, SURETY__LITERAL("keep-reasoning"))) {
        golden->extract.keep_reasoning = true;
    } else if (surety_str_equal(name, SURETY__LITERAL("native"))) {
        options->native = value;
    } else if (surety_str_equal(name, SURETY__LITERAL("no-fallback"))) {
        options->no_fallback = true;
    } else if (surety_str_equal(name, SURETY__LITERAL("derive"))) {
        options->derive = true;
    } else if (surety_str_equal(name, SURETY__LITERAL("repair"))) {
        golden->repair = value.ptr[0] == 'a'   ? SURETY_REPAIR_ALIGN
                         : value.ptr[0] == 's' ? SURETY_REPAIR_SYNTAX
                                               : SURETY_REPAIR_NONE;
        options->repair = &golden->repair;
    } else if (surety_str_equal(name, SURETY__LITERAL("certain-only"))) {
        options->certain_only = true;
    } else if (surety_str_equal(name, SURETY__LITERAL("partial"))) {
        options->partial = true;
    } else if (surety_str_equal(name, SURETY__LITERAL("cut"))) {
        options->cut = true;
    } else if (surety_str_equal(name, SURETY__LITERAL("source"))) {
        golden->source = value;
    } else if (surety_str_equal(name, SURETY__LITERAL("findings-max"))) {
        golden->limits.findings_max = number_of(value);
    } else if (surety_str_equal(name, SURETY__LITERAL("depth-max"))) {
        golden->limits.depth_max = number_of(value);
    } else if (surety_str_equal(name, SURETY__LITERAL("text-bytes-max"))) {
        golden->limits.text_bytes_max = number_of(value);
    } else if (surety_str_equal(name, SURETY__LITERAL("var")) &&
               equals < value.len && options->variables_count < VARIABLES_MAX) {
        golden->variables[options->variables_count++] =
            (surety_variable){{value.ptr, equals},
                              {value.ptr + equals + 1, value.len - equals - 1}};
    } else {
        return false;
    }
    return true;
}

static bool take_options(struct golden *golden)
{
    const struct section *section = find_section(golden, "options");
    surety_str rest = section ? section->body : (surety_str){NULL, 0};

    golden->source = SURETY__LITERAL("reply.md");
    golden->options.size = sizeof(golden->options);
    golden->options.variables = golden->variables;
    golden->extract.size = sizeof(golden->extract);
    golden->limits.size = sizeof(golden->limits);
    while (rest.len) {
        const size_t len = surety__str_find(rest, SURETY__LITERAL("\n"));
        const surety_str line = {rest.ptr, len};
        const size_t space = surety__str_find(line, SURETY__LITERAL(" "));
        const size_t skip = space < len ? space + 1 : len;

        if (!take_option(golden, (surety_str){line.ptr, space},
                         (surety_str){line.ptr + skip, len - skip}))
            return false;
        rest.ptr += len < rest.len ? len + 1 : len;
        rest.len -= len < rest.len ? len + 1 : len;
    }
    return true;
}

static bool golden_read(struct golden *golden, const char *path)
{
    const struct section *reply;

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
    return reply && find_section(golden, "contract") && take_options(golden);
}

static void golden_done(struct golden *golden)
{
    surety_buf_done(&golden->file);
    surety_buf_done(&golden->reply);
}

/* ---- judging ---------------------------------------------------------------
 */

/* An allocator that counts. */
static void *count_resize(void *ctx, void *ptr, size_t size_old,
                          size_t size_new)
{
    (void)size_old;
    if (size_new == 0) {
        free(ptr);
        return NULL;
    }
    ++*(size_t *)ctx;
    return realloc(ptr, size_new);
}

/* What a section ought to hold. */
static void render(const surety_outcome *outcome, const surety_error *err,
                   const struct golden *golden, const struct section *section,
                   surety_buf *out)
{
    surety_buf raw;

    surety_buf_init(&raw, NULL, 0);
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms) && outcome; i++)
        if (is_kind(section, forms[i].name))
            surety_outcome_write(outcome, forms[i].form, golden->source, &raw);
    if (is_kind(section, "error") && !outcome)
        surety__buf_printf(&raw, "%s: %s\n", surety_status_name(err->status),
                           err->message);
    if (raw.len && raw.ptr[raw.len - 1] == '\n')
        raw.len--;
    for (size_t i = 0; i < raw.len; i++) {
        if (raw.ptr[i] == '\x1b')
            surety_buf_text(out, "\\x1b");
        else
            surety_buf_byte(out, raw.ptr[i]);
    }
    surety_buf_done(&raw);
}

static bool is_expected(const struct section *section)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
        if (is_kind(section, forms[i].name))
            return true;
    return is_kind(section, "error");
}

/* Whether the JSON report is what surety/report says. */
static bool report_is_valid(const surety_outcome *outcome)
{
    const surety__embedded *builtin =
        surety__builtin_find(SURETY__LITERAL("surety/report"));
    surety_contract *contract = NULL;
    surety_outcome *verdict = NULL;
    surety_error err;
    surety_buf report;
    bool good = false;

    surety_buf_init(&report, NULL, 0);
    surety_outcome_write(outcome, SURETY_REPORT_JSON, (surety_str){NULL, 0},
                         &report);
    if (builtin &&
        surety_contract_read((surety_str){builtin->text, builtin->len}, NULL,
                             &contract, &err) == SURETY_OK &&
        surety_reply_judge(contract, surety_buf_str(&report), NULL, &verdict,
                           &err) == SURETY_OK)
        good = surety_outcome_ok(verdict);
    if (!good)
        printf("# the report does not satisfy surety/report\n");
    surety_outcome_free(verdict);
    surety_contract_free(contract);
    surety_buf_done(&report);
    return good;
}

static bool compare(const struct golden *golden, const surety_outcome *outcome,
                    const surety_error *err)
{
    bool good = true;

    for (size_t i = 0; i < golden->count; i++) {
        const struct section *section = &golden->sections[i];
        surety_buf got;

        if (!is_expected(section))
            continue;
        surety_buf_init(&got, NULL, 0);
        render(outcome, err, golden, section, &got);
        if (!surety_str_equal(surety_buf_str(&got), section->body)) {
            printf("# %.*s\n# want %.*s\n# got  %.*s\n", (int)section->kind.len,
                   section->kind.ptr, (int)section->body.len, section->body.ptr,
                   (int)got.len, got.ptr ? got.ptr : "");
            good = false;
        }
        surety_buf_done(&got);
    }
    return good && (!outcome || report_is_valid(outcome));
}

static bool update(const struct golden *golden, const surety_outcome *outcome,
                   const surety_error *err, const char *path)
{
    FILE *file = fopen(path, "wb");

    if (!file)
        return false;
    for (size_t i = 0; i < golden->count; i++) {
        const struct section *section = &golden->sections[i];
        surety_str body = section->body;
        surety_buf got;

        surety_buf_init(&got, NULL, 0);
        if (is_expected(section)) {
            render(outcome, err, golden, section, &got);
            body = surety_buf_str(&got);
        }
        fprintf(file, "=== %.*s\n", (int)section->kind.len, section->kind.ptr);
        if (body.len) {
            fwrite(body.ptr, 1, body.len, file);
            fputc('\n', file);
        }
        surety_buf_done(&got);
    }
    return fclose(file) == 0;
}

/* Whether a value was, or was to be, aligned with the schema. */
static bool is_aligned(const surety_contract *contract,
                       const surety_outcome *outcome)
{
    if (surety_contract_repair(contract) != SURETY_REPAIR_ALIGN)
        return false;
    for (size_t i = 0; i < surety_outcome_repaired_count(outcome); i++)
        if (surety_outcome_repaired(outcome, i).cost)
            return true;
    return surety_outcome_stage(outcome) == SURETY_STAGE_EXTRACTION;
}

/* Whether judging again may allocate nothing: no rule is run, nothing aligned,
 * and the schema has neither findings to report nor a value to complete. */
static bool is_steady(const surety_contract *contract,
                      const surety_outcome *outcome,
                      const struct golden *golden)
{
    return !surety_contract_rule_count(contract) && !golden->options.derive &&
           !surety_contract_strips_unknown(contract) &&
           surety_outcome_stage(outcome) != SURETY_STAGE_VALIDATION &&
           !is_aligned(contract, outcome);
}

static bool run_case(const char *path, bool updating)
{
    size_t allocations = 0;
    const surety_alloc counting = {count_resize, &allocations};
    const surety_outcome *outcome = NULL;
    surety_contract *contract = NULL;
    surety_judge *judge = NULL;
    struct golden golden;
    surety_error err = {.status = SURETY_OK};
    bool good = false;
    surety_str text;
    size_t before = 0;

    if (!golden_read(&golden, path)) {
        printf("# no case can be read there, or an option is unknown\n");
        goto done;
    }
    text = find_section(&golden, "contract")->body;
    if (surety_contract_read(text, NULL, &contract, &err) != SURETY_OK) {
        printf("# contract: %s (%s)\n", err.message, err.path);
        goto done;
    }
    judge = surety_judge_new(&counting, &golden.limits);
    if (!judge)
        goto done;
    text = surety_buf_str(&golden.reply);
    for (int i = 0; i < WARM_UP; i++) {
        before = allocations;
        outcome = NULL;
        (void)surety_judge_reply(judge, contract, text, &golden.options,
                                 &outcome, &err);
    }
    good = true;
    if (allocations != before && is_steady(contract, outcome, &golden)) {
        printf("# the last time took %zu allocations\n", allocations - before);
        good = false;
    }
    good = (updating ? update(&golden, outcome, &err, path)
                     : compare(&golden, outcome, &err)) &&
           good;
done:
    surety_judge_free(judge);
    surety_contract_free(contract);
    golden_done(&golden);
    return good;
}

/* ---- the folder ------------------------------------------------------------
 */

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

int main(int argc, char **argv)
{
    const bool updating = argc == 3 && !strcmp(argv[1], "--update");
    const char *folder = argc > 1 ? argv[argc - 1] : "";
    char *names[CASES_MAX];
    size_t count, failed = 0;

    if (argc < 2 || argc > 3 || (argc == 3 && !updating)) {
        fprintf(stderr, "usage: report_test [--update] FOLDER\n");
        return 2;
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
    return failed || !count;
}
