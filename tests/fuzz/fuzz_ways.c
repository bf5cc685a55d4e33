/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_ways.c: every way to ask about one value gives one answer.
 *
 * A schema of several resources with dynamic references, and instances. The
 * check of the document, that of its text, the report, the completion
 * and the prefix machine must agree; with room for the work, none of them may
 * give up where another does not. */
#include <stdio.h>

#include "fuzz.h"
#include "schema/schema.h"
#include "schemas.h"

enum { VALUES = 8 };

struct question {
    surety_schema *schema;
    surety_checker *checker;
    surety__prefix *prefix;
    surety_doc *doc, *built;
    surety_findings *findings;
    surety_buf schema_text, instance_text;
};

static void agree(const struct question *question, bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s\nschema: %.*s\ninstance: %.*s\n", what,
            (int)question->schema_text.len, question->schema_text.ptr,
            (int)question->instance_text.len, question->instance_text.ptr);
    abort();
}

/* A value that is complete is lost at the latest when it ends. */
static void ask_prefix(struct question *question, surety_val root, bool valid)
{
    bool is_refuted = false;

    surety__prefix_begin(question->prefix, question->schema,
                         SURETY__PREFIX_STRICT);
    must(!surety__prefix_step(question->prefix, root, &is_refuted));
    agree(question, !(is_refuted && valid), "only the prefix is refuted");
}

static void ask(struct question *question)
{
    const surety_str text = surety_buf_str(&question->instance_text);
    bool valid = false;
    bool of_text = false;
    surety_status status;
    surety_val root, value;

    must(!surety_doc_read(question->doc, text, NULL, NULL));
    root = value = surety_doc_root(question->doc);
    status = surety_checker_check(question->checker, question->schema, root,
                                  &valid, NULL);
    agree(question, !status, "the check gives up");
    status = surety_checker_check_text(question->checker, question->schema,
                                       text, NULL, &of_text, NULL);
    agree(question, !status && of_text == valid, "the text");
    status = surety_checker_report(question->checker, question->schema, root,
                                   question->findings, NULL);
    agree(question,
          !status && valid == (surety_findings_count(question->findings) == 0),
          "the report");
    if (valid)
        agree(question,
              !surety__checker_complete(question->checker, question->schema,
                                        true, true, question->built, &value,
                                        NULL),
              "the completion");
    ask_prefix(question, root, valid);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct choices choices = {data, size, FUZZ_SCHEMAS_DYNAMIC};
    struct question question = {
        .checker = surety_checker_new(NULL, NULL),
        .prefix = surety__prefix_new(NULL, NULL),
        .doc = surety_doc_new(NULL),
        .built = surety_doc_new(NULL),
        .findings = surety_findings_new(NULL),
    };

    surety_buf_init(&question.schema_text, NULL, 0);
    surety_buf_init(&question.instance_text, NULL, 0);
    fuzz_schema_make(&choices, &question.schema_text);
    if (!surety_schema_read(surety_buf_str(&question.schema_text), NULL,
                            &question.schema, NULL))
        for (int i = 0; i < VALUES; i++) {
            surety_buf_reset(&question.instance_text);
            fuzz_value_make(&choices, &question.instance_text);
            ask(&question);
        }
    surety_buf_done(&question.schema_text);
    surety_buf_done(&question.instance_text);
    surety_findings_free(question.findings);
    surety_doc_free(question.built);
    surety_doc_free(question.doc);
    surety__prefix_free(question.prefix);
    surety_checker_free(question.checker);
    surety_schema_free(question.schema);
    return 0;
}
