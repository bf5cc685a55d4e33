/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_schema.c: any schema on any value.
 *
 * The first line of the input is the schema, the rest the instance. What
 * compiles is checked and reported on: findings if and only if invalid, all
 * output formats JSON, and a valid value can be completed. Limits are small so
 * that no input takes long; reaching one is no verdict and ends the input. */
#include <surety/schema.h>

#include <stdint.h>
#include <string.h>

#include "schema/schema.h"
#include "fuzz.h"

static const surety_limits fuzz_limits = {
    .size = sizeof(surety_limits),
    .schema_nodes_max = 2000,
    .pattern_match_max = 2000,
    .work_base = 20000,
};

/* Every text of a finding is there, and a form of output is JSON. */
static void fuzz_findings(surety_findings *findings, bool valid)
{
    surety_doc *doc = surety_doc_new(NULL);

    for (size_t i = 0; i < surety_findings_count(findings); i++) {
        surety_finding finding = surety_findings_at(findings, i);

        must(finding.keyword.len && finding.message.len);
        must(finding.instance.doc && finding.schema.doc);
        must(finding.absolute_keyword_location.len);
        for (size_t k = 0; k < finding.message.len; k++)
            must((unsigned char)finding.message.ptr[k] >= 0x20);
        for (size_t k = 0; k < finding.hint.len; k++)
            must((unsigned char)finding.hint.ptr[k] >= 0x20);
    }
    for (int form = SURETY_OUTPUT_FLAG; form <= SURETY_OUTPUT_DETAILED;
         form++) {
        surety_buf out;

        surety_buf_init(&out, NULL, 0);
        must(
            !surety_findings_write(findings, valid, (surety_output)form, &out));
        must(!surety_doc_read(doc, surety_buf_str(&out), NULL, NULL));
        surety_buf_done(&out);
    }
    surety_doc_free(doc);
}

static void fuzz_complete(surety_checker *checker, const surety_schema *schema,
                          surety_val val)
{
    surety_doc *built = surety_doc_new(NULL);
    surety_val value = val;
    surety_status status = surety__checker_complete(checker, schema, true, true,
                                                    built, &value, NULL);

    must(!status || status == SURETY_LIMIT);
    must(value.doc == built ? !surety_val_equal(val, value)
                            : value.doc == val.doc);
    surety_doc_free(built);
}

/* Straight from the text that val was read from: the same, but that a limit of
 * work may not be met. */
static void fuzz_text(surety_checker *checker, const surety_schema *schema,
                      surety_val val, surety_status wanted, bool valid)
{
    bool of_text = !valid;
    surety_status status = surety_checker_check_text(
        checker, schema, surety_doc_text(val.doc), NULL, &of_text, NULL);

    must(status == wanted || (wanted == SURETY_LIMIT && !status));
    must(wanted || of_text == valid);
}

static void fuzz_instance(const surety_schema *schema, surety_val val)
{
    surety_checker *checker = surety_checker_new(NULL, &fuzz_limits);
    surety_findings *findings = surety_findings_new(NULL);
    bool valid = false;
    surety_status status =
        surety_checker_check(checker, schema, val, &valid, NULL);

    must(!status || status == SURETY_LIMIT);
    fuzz_text(checker, schema, val, status, valid);
    if (!status) {
        status = surety_checker_report(checker, schema, val, findings, NULL);
        must(!status || status == SURETY_LIMIT);
    }
    if (!status) {
        must(valid == (surety_findings_count(findings) == 0));
        fuzz_findings(findings, valid);
        if (valid)
            fuzz_complete(checker, schema, val);
    }
    surety_findings_free(findings);
    surety_checker_free(checker);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *line = size ? memchr(data, '\n', size) : NULL;
    size_t len = line ? (size_t)(line - data) : size;
    surety_schema_options options = {.size = sizeof(options),
                                     .assert_format = size % 2 != 0,
                                     .limits = &fuzz_limits};
    surety_str text = {(const char *)data, len};
    surety_schema *schema = NULL;
    surety_doc *doc = surety_doc_new(NULL);
    surety_error err = {.status = SURETY_OK};

    if (surety_schema_read(text, &options, &schema, &err)) {
        must(err.status < 0 && err.message[0] && !schema);
    } else {
        text = line ? (surety_str){(const char *)line + 1, size - len - 1}
                    : (surety_str){"{}", 2};
        if (!surety_doc_read(doc, text, NULL, NULL))
            fuzz_instance(schema, surety_doc_root(doc));
    }
    surety_schema_free(schema);
    surety_doc_free(doc);
    return 0;
}
