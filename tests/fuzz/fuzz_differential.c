/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_differential.c: the engine against the plain checker (plain.h).
 *
 * The input is a series of choices (schemas.h): a schema, and instances, of two
 * kinds.
 * A compile that fails, a limit, or a plain checker that is unsure is no
 * answer; otherwise the check of the document, that of its text, the
 * report and the plain checker must agree. */
#include <surety/schema.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "schema/schema.h"
#include "fuzz.h"
#include "plain.h"
#include "schemas.h"

enum { VALUES = 8 };

static void differ(const surety_buf *schema, const surety_buf *instance,
                   const char *what)
{
    fprintf(stderr, "%s\nschema: %.*s\ninstance: %.*s\n", what,
            (int)schema->len, schema->ptr, (int)instance->len, instance->ptr);
    abort();
}

/* Asks all three about one value. */
static void compare(const surety_schema *schema, const surety_buf *schema_text,
                    surety_checker *checker, const surety_buf *instance_text)
{
    surety_doc *doc = surety_doc_new(NULL);
    surety_findings *findings = surety_findings_new(NULL);
    bool valid = false;
    bool of_text = false;

    if (surety_doc_read(doc, surety_buf_str(instance_text), NULL, NULL))
        differ(schema_text, instance_text, "the instance is no JSON");
    if (!surety_checker_check(checker, schema, surety_doc_root(doc), &valid,
                              NULL)) {
        plain_verdict verdict =
            plain_check(schema->root_val, surety_doc_root(doc));

        if (verdict != PLAIN_UNSURE && valid != (verdict == PLAIN_VALID))
            differ(schema_text, instance_text,
                   valid ? "only the engine says valid"
                         : "only the engine says invalid");
        if (!surety_checker_check_text(checker, schema,
                                       surety_buf_str(instance_text), NULL,
                                       &of_text, NULL) &&
            of_text != valid)
            differ(schema_text, instance_text,
                   of_text ? "only its text is valid"
                           : "only its text is invalid");
        if (!surety_checker_report(checker, schema, surety_doc_root(doc),
                                   findings, NULL) &&
            valid != (surety_findings_count(findings) == 0))
            differ(schema_text, instance_text, "the report does not agree");
    }
    surety_findings_free(findings);
    surety_doc_free(doc);
}

/* Asks about a schema and values of these choices. */
static void compare_all(struct choices choices)
{
    static const surety_limits limits = {
        .size = sizeof(limits), .inplace_depth_max = 60, .work_base = 10000};
    surety_schema *schema = NULL;
    surety_checker *checker = surety_checker_new(NULL, &limits);
    surety_buf schema_text, instance_text;

    surety_buf_init(&schema_text, NULL, 0);
    surety_buf_init(&instance_text, NULL, 0);
    fuzz_schema_make(&choices, &schema_text);
    if (!surety_schema_read(surety_buf_str(&schema_text), NULL, &schema,
                            NULL)) {
        for (int i = 0; i < VALUES; i++) {
            surety_buf_reset(&instance_text);
            fuzz_value_make(&choices, &instance_text);
            compare(schema, &schema_text, checker, &instance_text);
        }
    }
    surety_buf_done(&schema_text);
    surety_buf_done(&instance_text);
    surety_checker_free(checker);
    surety_schema_free(schema);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    compare_all((struct choices){data, size, 0});
    compare_all((struct choices){data, size, FUZZ_SCHEMAS_TAGGED});
    return 0;
}
