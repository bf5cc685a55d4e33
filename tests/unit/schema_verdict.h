/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of schema, instance and verdict, for the tests of what is valid. */
#ifndef SURETY_TESTS_SCHEMA_VERDICT_H
#define SURETY_TESTS_SCHEMA_VERDICT_H

#include "check.h"

#include "schema/schema.h"

struct verdict {
    const char *schema, *instance;
    bool valid;
};

static inline surety_schema_options verdict_options(struct check *t)
{
    return (surety_schema_options){.size = sizeof(surety_schema_options),
                                   .alloc = check_alloc(t)};
}

/* Each schema and instance; the check of the document, that of its
 * text and the report must agree. */
static inline void verdict_rows(struct check *t, const struct verdict *rows,
                                size_t count, bool assert_format)
{
    surety_schema_options options = verdict_options(t);
    surety_schema *schema = NULL;
    surety_doc *doc = surety_doc_new(check_alloc(t));
    surety_checker *checker = surety_checker_new(check_alloc(t), NULL);
    surety_findings *findings = surety_findings_new(check_alloc(t));

    options.assert_format = assert_format;
    NEED(doc);
    NEED(checker);
    NEED(findings);
    for (size_t i = 0; i < count; i++) {
        bool valid = !rows[i].valid;

        surety_schema_free(schema);
        schema = NULL;
        TRY(surety_schema_read(surety_str_of(rows[i].schema), &options, &schema,
                               NULL));
        TRY(surety_doc_read(doc, surety_str_of(rows[i].instance), NULL, NULL));
        TRY(surety_checker_check(checker, schema, surety_doc_root(doc), &valid,
                                 NULL));
        if (valid != rows[i].valid)
            printf("# %s on %s\n", rows[i].schema, rows[i].instance);
        CHECK(valid == rows[i].valid);
        valid = !rows[i].valid;
        TRY(surety_checker_check_text(checker, schema,
                                      surety_str_of(rows[i].instance), NULL,
                                      &valid, NULL));
        if (valid != rows[i].valid)
            printf("# of the text: %s on %s\n", rows[i].schema,
                   rows[i].instance);
        CHECK(valid == rows[i].valid);
        TRY(surety_checker_report(checker, schema, surety_doc_root(doc),
                                  findings, NULL));
        if (valid != (surety_findings_count(findings) == 0))
            printf("# report of %s on %s\n", rows[i].schema, rows[i].instance);
        CHECK(valid == (surety_findings_count(findings) == 0));
    }
done:
    surety_findings_free(findings);
    surety_checker_free(checker);
    surety_doc_free(doc);
    surety_schema_free(schema);
}

#endif
