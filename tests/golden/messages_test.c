/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of the schema check, compared byte for byte with case files.
 *
 *     messages_test [--update] FOLDER
 *
 * A case is FOLDER/NAME.case: sections that begin with a line "=== KIND" and go
 * on to the next; the line end in front of the next is no part of them.
 *
 *     === schema     the schema
 *     === instance   the value
 *     === options    a line each: assert-format, findings-max N, at POINTER
 *                    (check that part of the instance)
 *     === findings   a line each: INSTANCE-LOCATION KEYWORD-LOCATION | MESSAGE
 *                    | HINT, on one line; "more" where some were left out
 *     === absolute   a line each: KEYWORD ABSOLUTE-KEYWORD-LOCATION
 *     === basic, detailed   the output formats of JSON Schema
 *
 * In every case the report must find something exactly where the check says
 * invalid, a second report by the same checker must say the same, and all
 * output formats must satisfy the schema of output units that stands here. With
 * --update the sections that are expected are written anew, for a person to
 * review. */
#include <surety/schema.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASES_MAX = 512, SECTIONS_MAX = 8, CASE_BYTES_MAX = 1 << 16 };

struct section {
    surety_str kind;
    surety_str body;
};

struct golden {
    char text[CASE_BYTES_MAX];
    struct section sections[SECTIONS_MAX];
    size_t count;
    surety_limits limits;
    surety_schema_options options;
    surety_str at;
};

/* What a case gives. */
struct outcome {
    surety_schema *schema;
    surety_doc *doc;
    surety_val val;
    surety_checker *checker;
    surety_findings *findings;
    bool valid;
};

/* The output schema of JSON Schema 2020-12 (core, section 12.4), as far as it
 * says what our output must be. */
static const char output_schema[] =
    "{\"type\":\"object\",\"required\":[\"valid\"],\"properties\":{\"valid\":{"
    "\"type\":\"boolean\"},\"keywordLocation\":{\"type\":\"string\",\"pattern\""
    ":\"^(/|$)\"},\"instanceLocation\":{\"type\":\"string\",\"pattern\":\"^(/|$"
    ")\"},\"absoluteKeywordLocation\":{\"type\":\"string\",\"pattern\":\"#\"},"
    "\"error\":{\"type\":\"string\",\"minLength\":1},\"errors\":{\"type\":"
    "\"array\",\"items\":{\"$ref\":\"#\",\"required\":[\"keywordLocation\","
    "\"absoluteKeywordLocation\",\"instanceLocation\"],\"oneOf\":[{\"required\""
    ":[\"error\"]},{\"required\":[\"errors\"],\"properties\":{\"errors\":{"
    "\"minItems\":2}}}]}}},\"additionalProperties\":false}";

static void golden_die(const char *what, const char *which)
{
    printf("Bail out! %s: %s\n", what, which);
    exit(1);
}

static const struct section *golden_section(const struct golden *golden,
                                            const char *kind)
{
    for (size_t i = 0; i < golden->count; i++)
        if (surety_str_equal(golden->sections[i].kind, surety_str_of(kind)))
            return &golden->sections[i];
    return NULL;
}

static surety_str golden_body(const struct golden *golden, const char *kind)
{
    const struct section *section = golden_section(golden, kind);

    return section ? section->body : (surety_str){"", 0};
}

/* ---- reading ------------------------------------------------------------ */

static void golden_options(struct golden *golden)
{
    surety_str body = golden_body(golden, "options");
    char line[256];

    for (size_t at = 0; at < body.len;) {
        size_t len = 0;
        unsigned number;

        while (at + len < body.len && body.ptr[at + len] != '\n')
            len++;
        if (len >= sizeof(line))
            golden_die("an option is too long", line);
        memcpy(line, body.ptr + at, len);
        line[len] = '\0';
        if (!strcmp(line, "assert-format"))
            golden->options.assert_format = true;
        else if (sscanf(line, "findings-max %u", &number) == 1)
            golden->limits.findings_max = number;
        else if (!strncmp(line, "at ", 3))
            golden->at = (surety_str){body.ptr + at + 3, len - 3};
        else
            golden_die("an option is not known", line);
        at += len + 1;
    }
}

static void golden_read(struct golden *golden, const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(golden->text, 1, sizeof(golden->text), file) : 0;
    struct section *section = NULL;

    if (!file || size == sizeof(golden->text))
        golden_die("a case cannot be read", path);
    fclose(file);
    golden->count = 0;
    golden->limits = (surety_limits){.size = sizeof(golden->limits)};
    golden->options = (surety_schema_options){.size = sizeof(golden->options),
                                              .limits = &golden->limits};
    golden->at = (surety_str){"", 0};
    for (size_t at = 0; at < size;) {
        const char *line = golden->text + at;
        const char *end = memchr(line, '\n', size - at);
        size_t len = end ? (size_t)(end - line) : size - at;

        if (len > 4 && !memcmp(line, "=== ", 4)) {
            if (golden->count == SECTIONS_MAX)
                golden_die("a case has too many sections", path);
            section = &golden->sections[golden->count++];
            *section =
                (struct section){{line + 4, len - 4}, {line + len + 1, 0}};
        } else if (section) {
            section->body.len = (size_t)(line + len - section->body.ptr);
        }
        at += len + 1;
    }
    golden_options(golden);
}

/* ---- running ------------------------------------------------------------ */

static void outcome_done(struct outcome *outcome)
{
    surety_findings_free(outcome->findings);
    surety_checker_free(outcome->checker);
    surety_schema_free(outcome->schema);
    surety_doc_free(outcome->doc);
}

static bool outcome_make(const struct golden *golden, struct outcome *outcome)
{
    surety_error err = {.status = SURETY_OK};
    surety_str instance = golden_body(golden, "instance");
    surety_status status =
        surety_schema_read(golden_body(golden, "schema"), &golden->options,
                           &outcome->schema, &err);

    outcome->doc = surety_doc_new(NULL);
    outcome->checker = surety_checker_new(NULL, &golden->limits);
    outcome->findings = surety_findings_new(NULL);
    if (!status)
        status = surety_doc_read(outcome->doc, instance, NULL, &err);
    if (!status) {
        outcome->val = surety_val_at(surety_doc_root(outcome->doc), golden->at);
        status = surety_checker_check(outcome->checker, outcome->schema,
                                      outcome->val, &outcome->valid, &err);
    }
    /* Twice: what the first left behind must not change the second. */
    for (int round = 0; round < 2 && !status; round++) {
        surety_findings_reset(outcome->findings);
        status = surety_checker_report(outcome->checker, outcome->schema,
                                       outcome->val, outcome->findings, &err);
    }
    if (status)
        printf("# %s at line %u: %s\n", surety_status_name(status),
               (unsigned)err.position.line, err.message);
    return !status;
}

static void write_findings(const struct outcome *outcome, surety_buf *out)
{
    for (size_t i = 0; i < surety_findings_count(outcome->findings); i++) {
        surety_finding finding = surety_findings_at(outcome->findings, i);

        surety_buf_add(out, finding.instance_location);
        surety_buf_byte(out, ' ');
        surety_buf_add(out, finding.keyword_location);
        surety_buf_text(out, " | ");
        surety_buf_add(out, finding.message);
        if (finding.hint.len) {
            surety_buf_text(out, " | ");
            surety_buf_add(out, finding.hint);
        }
        surety_buf_byte(out, '\n');
    }
    if (surety_findings_truncated(outcome->findings))
        surety_buf_text(out, "more\n");
}

static void write_absolute(const struct outcome *outcome, surety_buf *out)
{
    for (size_t i = 0; i < surety_findings_count(outcome->findings); i++) {
        surety_finding finding = surety_findings_at(outcome->findings, i);

        surety_buf_add(out, finding.keyword);
        surety_buf_byte(out, ' ');
        surety_buf_add(out, finding.absolute_keyword_location);
        surety_buf_byte(out, '\n');
    }
}

static void write_basic(const struct outcome *outcome, surety_buf *out)
{
    surety_findings_write(outcome->findings, outcome->valid,
                          SURETY_OUTPUT_BASIC, out);
    surety_buf_byte(out, '\n');
}

static void write_detailed(const struct outcome *outcome, surety_buf *out)
{
    surety_findings_write(outcome->findings, outcome->valid,
                          SURETY_OUTPUT_DETAILED, out);
    surety_buf_byte(out, '\n');
}

static const struct {
    const char *kind;
    void (*write)(const struct outcome *outcome, surety_buf *out);
} expectations[] = {
    {"findings", write_findings},
    {"absolute", write_absolute},
    {"basic", write_basic},
    {"detailed", write_detailed},
};

enum { EXPECTATIONS = sizeof(expectations) / sizeof(*expectations) };

/* Whether every output format is JSON and what the output schema asks for. */
static bool outputs_hold(const struct outcome *outcome)
{
    surety_schema *schema = NULL;
    surety_doc *doc = surety_doc_new(NULL);
    bool good =
        !surety_schema_read(surety_str_of(output_schema), NULL, &schema, NULL);

    for (int form = SURETY_OUTPUT_FLAG; form <= SURETY_OUTPUT_DETAILED && good;
         form++) {
        surety_buf out;
        bool valid = false;

        surety_buf_init(&out, NULL, 0);
        good = !surety_findings_write(outcome->findings, outcome->valid,
                                      (surety_output)form, &out) &&
               !surety_doc_read(doc, surety_buf_str(&out), NULL, NULL) &&
               !surety_checker_check(outcome->checker, schema,
                                     surety_doc_root(doc), &valid, NULL) &&
               valid &&
               surety_val_bool(surety_val_get(surety_doc_root(doc), "valid"),
                               !outcome->valid) == outcome->valid;
        if (!good)
            printf("# bad output: %.*s\n", (int)out.len, out.ptr);
        surety_buf_done(&out);
    }
    surety_schema_free(schema);
    surety_doc_free(doc);
    return good;
}

static bool golden_compare(const struct golden *golden,
                           const struct outcome *outcome)
{
    bool good = true;

    for (size_t i = 0; i < EXPECTATIONS; i++) {
        const struct section *section =
            golden_section(golden, expectations[i].kind);
        surety_buf out;
        surety_str got;

        if (!section)
            continue;
        surety_buf_init(&out, NULL, 0);
        expectations[i].write(outcome, &out);
        got = surety_buf_str(&out);
        if (got.len)
            got.len--; /* the last line end is no part of a section */
        if (!surety_str_equal(got, section->body)) {
            printf("# %s, got:\n%.*s\n# want:\n%.*s\n", expectations[i].kind,
                   (int)got.len, got.ptr, (int)section->body.len,
                   section->body.ptr);
            good = false;
        }
        surety_buf_done(&out);
    }
    return good;
}

static void golden_update(const struct golden *golden,
                          const struct outcome *outcome, const char *path)
{
    surety_buf out;
    FILE *file;

    surety_buf_init(&out, NULL, 0);
    for (size_t i = 0; i < golden->count; i++) {
        const struct section *section = &golden->sections[i];
        bool expected = false;

        surety_buf_text(&out, "=== ");
        surety_buf_add(&out, section->kind);
        surety_buf_byte(&out, '\n');
        for (size_t k = 0; k < EXPECTATIONS; k++)
            if (surety_str_equal(section->kind,
                                 surety_str_of(expectations[k].kind))) {
                expectations[k].write(outcome, &out);
                expected = true;
            }
        if (expected)
            continue;
        surety_buf_add(&out, section->body);
        surety_buf_byte(&out, '\n');
    }
    file = fopen(path, "wb");
    if (!file || fwrite(out.ptr, 1, out.len, file) != out.len || fclose(file))
        golden_die("a case cannot be written", path);
    surety_buf_done(&out);
}

static bool golden_run(const char *path, bool update)
{
    static struct golden golden;
    struct outcome outcome = {.schema = NULL};
    bool good;

    golden_read(&golden, path);
    good = outcome_make(&golden, &outcome);
    if (good && update)
        golden_update(&golden, &outcome, path);
    else if (good)
        good = golden_compare(&golden, &outcome);
    if (good && outcome.valid != !surety_findings_count(outcome.findings)) {
        printf("# the check and the report do not agree\n");
        good = false;
    }
    good = good && outputs_hold(&outcome);
    outcome_done(&outcome);
    return good;
}

static int golden_chosen(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);

    return len > 5 && !strcmp(entry->d_name + len - 5, ".case");
}

int main(int argc, char **argv)
{
    bool update = argc > 2 && !strcmp(argv[1], "--update");
    const char *folder = argc > 1 ? argv[argc - 1] : ".";
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, golden_chosen, alphasort);
    bool good = count > 0;

    printf("1..%d\n", count > 0 ? count : 0);
    for (int i = 0; i < count; i++) {
        char path[4096];
        bool holds;

        snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
        holds = golden_run(path, update);
        good = good && holds;
        printf("%s %d - %s\n", holds ? "ok" : "not ok", i + 1,
               entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return good ? 0 : 1;
}
