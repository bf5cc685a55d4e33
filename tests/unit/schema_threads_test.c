/* SPDX-License-Identifier: Apache-2.0 */
/* A compiled schema is frozen: eight threads check with one at once while
 * others compile and free their own. Clean under -fsanitize=thread. */
#include "check.h"

#include <pthread.h>
#include <stdlib.h>

#include "schema/schema.h"

enum { THREADS = 8, ROUNDS = 200 };

static const char shared_text[] =
    "{\"$id\":\"https://example.org/t\",\"$dynamicAnchor\":\"n\",\"type\":"
    "\"object\",\"properties\":{\"name\":{\"pattern\":\"^[a-z]+(-[a-z]+)*$\"},"
    "\"kind\":{\"enum\":[0,1,2,3,4,5,6,7,8,\"nine\"]},\"kids\":{\"items\":{"
    "\"$dynamicRef\":\"#n\"},\"uniqueItems\":true},\"when\":{\"format\":"
    "\"date-time\"},\"share\":{\"multipleOf\":0.01,\"default\":0.5}},"
    "\"patternProperties\":{\"^x-\":{\"type\":\"string\"}},"
    "\"unevaluatedProperties\":false}";

struct worker {
    pthread_t thread;
    const surety_schema *schema;
    size_t number;
    size_t wrong;
};

/* Checks, reports and completes with the shared schema. */
static void *work_check(void *ctx)
{
    struct worker *worker = ctx;
    surety_checker *checker = surety_checker_new(NULL, NULL);
    surety_findings *findings = surety_findings_new(NULL);
    surety_doc *doc = surety_doc_new(NULL);
    surety_doc *built = surety_doc_new(NULL);

    for (size_t i = 0; i < ROUNDS; i++) {
        bool good = (i + worker->number) % 2 == 0;
        bool valid = !good;
        surety_val value;
        const char *text =
            good ? "{\"name\":\"a-b\",\"kind\":\"nine\",\"kids\":[{\"kind\":1},"
                   "{\"share\":0.25}],\"when\":\"2024-02-29T00:00:00Z\"}"
                 : "{\"name\":\"a--b\",\"kind\":9,\"kids\":[{\"kid\":1},{}],"
                   "\"x-y\":1}";

        worker->wrong +=
            surety_doc_read(doc, surety_str_of(text), NULL, NULL) != SURETY_OK;
        worker->wrong +=
            surety_checker_check(checker, worker->schema, surety_doc_root(doc),
                                 &valid, NULL) != SURETY_OK;
        worker->wrong += valid != good;
        worker->wrong +=
            surety_checker_report(checker, worker->schema, surety_doc_root(doc),
                                  findings, NULL) != SURETY_OK;
        worker->wrong += surety_findings_count(findings) != (good ? 0 : 4);
        value = surety_doc_root(doc);
        if (good)
            worker->wrong +=
                surety__checker_complete(checker, worker->schema, true, true,
                                         built, &value, NULL) != SURETY_OK;
    }
    surety_doc_free(built);
    surety_doc_free(doc);
    surety_findings_free(findings);
    surety_checker_free(checker);
    return NULL;
}

static void *work_compile(void *ctx)
{
    struct worker *worker = ctx;

    for (size_t i = 0; i < ROUNDS / 8; i++) {
        surety_schema *schema = NULL;

        worker->wrong +=
            surety_schema_read(
                i % 2 ? surety_str_of(shared_text)
                      : surety_str_of("{\"$ref\":\"https://json-schema.org/"
                                      "draft/2020-12/schema\"}"),
                NULL, &schema, NULL) != SURETY_OK;
        surety_schema_free(schema);
    }
    return NULL;
}

TEST(eight_threads_and_one_schema)
{
    surety_schema_options options = {.size = sizeof(options),
                                     .assert_format = true};
    struct worker workers[THREADS + 2] = {{.number = 0}};
    surety_schema *schema = NULL;
    size_t started = 0;
    size_t wrong = 0;

    TRY(surety_schema_read(surety_str_of(shared_text), &options, &schema,
                           NULL));
    for (; started < CHECK_COUNT(workers); started++) {
        workers[started].schema = schema;
        workers[started].number = started;
        if (pthread_create(&workers[started].thread, NULL,
                           started < THREADS ? work_check : work_compile,
                           &workers[started]))
            break;
    }
    for (size_t i = 0; i < started; i++) {
        pthread_join(workers[i].thread, NULL);
        wrong += workers[i].wrong;
    }
    CHECK(started == CHECK_COUNT(workers));
    CHECK(wrong == 0);
done:
    surety_schema_free(schema);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        {"eight threads and one schema", eight_threads_and_one_schema},
    };

    return check_main(argc, argv, tests, CHECK_COUNT(tests));
}
