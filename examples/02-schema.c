/* SPDX-License-Identifier: Apache-2.0 */
/* JSON Schema alone: compile once, check many documents, report what is wrong.
 */
#include <surety.h>

#include <stdio.h>

int main(void)
{
    static const char *const documents[] = {"[1, 2, 3]", "[1, 2, 2]",
                                            "[1, \"2\"]"};
    surety_schema *schema = NULL;
    surety_checker *checker = surety_checker_new(NULL, NULL);
    surety_findings *findings = surety_findings_new(NULL);
    surety_doc *doc = surety_doc_new(NULL);
    surety_error err;

    if (surety_schema_read(surety_str_of("{\"items\": {\"type\": \"integer\"},"
                                         " \"uniqueItems\": true}"),
                           NULL, &schema, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    for (size_t i = 0; i < sizeof(documents) / sizeof(*documents); i++) {
        bool valid = false;

        surety_doc_read(doc, surety_str_of(documents[i]), NULL, NULL);
        surety_checker_check(checker, schema, surety_doc_root(doc), &valid,
                             NULL);
        printf("%s: %s\n", documents[i], valid ? "valid" : "not valid");
        if (valid)
            continue;
        surety_checker_report(checker, schema, surety_doc_root(doc), findings,
                              NULL);
        for (size_t k = 0; k < surety_findings_count(findings); k++) {
            surety_finding finding = surety_findings_at(findings, k);

            printf("  at \"%.*s\": %.*s\n", (int)finding.instance_location.len,
                   finding.instance_location.ptr, (int)finding.message.len,
                   finding.message.ptr);
        }
    }
    surety_doc_free(doc);
    surety_findings_free(findings);
    surety_checker_free(checker);
    surety_schema_free(schema);
    return 0;
}
