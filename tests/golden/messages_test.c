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
 * output formats must satisfy the schema of output units that is here. With
 * --update the sections that are expected are written anew, for a person to
 * review. */
#include "golden/cases.h"

#include <stdio.h>
#include <string.h>

/* How a case is checked. */
struct setting {
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

static void setting_read(const struct golden *golden, struct setting *setting)
{
    surety_str rest = golden_body(golden, "options");
    surety_str line;
    char text[256];
    unsigned number;

    *setting = (struct setting){.limits = {.size = sizeof(setting->limits)},
                                .options = {.size = sizeof(setting->options),
                                            .limits = &setting->limits}};
    while (golden_line(&rest, &line)) {
        snprintf(text, sizeof(text), "%.*s", (int)line.len, line.ptr);
        if (!strcmp(text, "assert-format"))
            setting->options.assert_format = true;
        else if (sscanf(text, "findings-max %u", &number) == 1)
            setting->limits.findings_max = number;
        else if (golden_take(&line, "at "))
            setting->at = line;
        else
            golden_die("an option is not known", text);
    }
}

/* ---- running ------------------------------------------------------------ */

static void outcome_done(struct outcome *outcome)
{
    surety_findings_free(outcome->findings);
    surety_checker_free(outcome->checker);
    surety_schema_free(outcome->schema);
    surety_doc_free(outcome->doc);
}

static bool outcome_make(const struct golden *golden,
                         const struct setting *setting, struct outcome *outcome)
{
    surety_error err = {.status = SURETY_OK};
    surety_str instance = golden_body(golden, "instance");
    surety_status status =
        surety_schema_read(golden_body(golden, "schema"), &setting->options,
                           &outcome->schema, &err);

    outcome->doc = surety_doc_new(NULL);
    outcome->checker = surety_checker_new(NULL, &setting->limits);
    outcome->findings = surety_findings_new(NULL);
    if (!status)
        status = surety_doc_read(outcome->doc, instance, NULL, &err);
    if (!status) {
        outcome->val =
            surety_val_at(surety_doc_root(outcome->doc), setting->at);
        status = surety_checker_check(outcome->checker, outcome->schema,
                                      outcome->val, &outcome->valid, &err);
    }
    /* Twice: what the first left behind must not change the second. */
    for (int round = 0; round < 2 && !status; round++) {
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

static const struct expectation {
    const char *kind;
    void (*write)(const struct outcome *outcome, surety_buf *out);
} expectations[] = {
    {"findings", write_findings},
    {"absolute", write_absolute},
    {"basic", write_basic},
    {"detailed", write_detailed},
};

/* NULL: the section holds no expectation. */
static const struct expectation *
expectation_of(const struct golden_section *section)
{
    for (size_t i = 0; i < sizeof(expectations) / sizeof(*expectations); i++)
        if (golden_is(section, expectations[i].kind))
            return &expectations[i];
    return NULL;
}

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

static bool run(struct golden *golden)
{
    struct setting setting;
    struct outcome outcome = {.schema = NULL};
    bool good;

    setting_read(golden, &setting);
    good = outcome_make(golden, &setting, &outcome);
    for (size_t i = 0; i < golden->count && good; i++) {
        const struct golden_section *section = &golden->sections[i];
        const struct expectation *expectation = expectation_of(section);

        if (expectation) {
            golden_begin(golden, section);
            expectation->write(&outcome, &golden->made);
        } else {
            golden_keep(golden, section);
        }
    }
    if (good && outcome.valid != !surety_findings_count(outcome.findings)) {
        printf("# the check and the report do not agree\n");
        good = false;
    }
    good = good && outputs_hold(&outcome);
    outcome_done(&outcome);
    return good;
}

int main(int argc, char **argv)
{
    struct golden_folder folder = {.endings = {".case"}, .run = run};

    return golden_main(argc, argv, &folder);
}
