/* SPDX-License-Identifier: Apache-2.0 */
/* A contract, a line feed, and what a provider delivers for it: any bytes. What
 * must hold for every subset: an answer or SURETY_LIMIT; what is sent is a
 * schema, and the same the second time; the delivered value is restored to one
 * that the contract can judge, or refused; the same as a value of the
 * contract's is delivered, and restored again. */
#include <surety/strict.h>

#include <string.h>

#include "fuzz.h"

static void judge(const surety_contract *contract, surety_val val)
{
    surety_checker *checker = surety_checker_new(NULL, NULL);
    bool valid = false;
    surety_status status;

    must(checker != NULL);
    status = surety_checker_check(
        checker, surety_contract_info_of(contract)->schema, val, &valid, NULL);
    must(status == SURETY_OK || status == SURETY_LIMIT);
    surety_checker_free(checker);
}

/* A value in the form that was asked for is restored, or refused as a guess;
 * the beginning of its text likewise. */
static void go_back(const surety_strict *strict, surety_val val)
{
    surety_doc *sent = surety_doc_new(NULL), *back = surety_doc_new(NULL);
    surety_buf text, part;
    surety_status status = surety_strict_deliver(strict, val, sent, NULL);

    surety_buf_init(&text, NULL, 0);
    surety_buf_init(&part, NULL, 0);
    must(sent && back);
    must(status == SURETY_OK || status == SURETY_UNSUPPORTED ||
         status == SURETY_LIMIT);
    if (status == SURETY_OK) {
        status =
            surety_strict_restore(strict, surety_doc_root(sent), back, NULL);
        must(status == SURETY_OK || status == SURETY_SYNTAX ||
             status == SURETY_LIMIT);
        must(surety_val_write(surety_doc_root(sent), SURETY_STYLE_COMPACT,
                              &text) == SURETY_OK);
        text.len = text.len * 2 / 3;
        status = surety_strict_restore_part(strict, surety_buf_str(&text), NULL,
                                            &part, NULL);
        must(status == SURETY_OK || status == SURETY_SYNTAX ||
             status == SURETY_LIMIT);
    }
    surety_buf_done(&text);
    surety_buf_done(&part);
    surety_doc_free(sent);
    surety_doc_free(back);
}

/* twin: the same contract, read again. */
static void try_subset(const surety_contract *contract,
                       const surety_contract *twin, surety_subset subset,
                       surety_val delivered)
{
    const surety_strict *strict = NULL, *again = NULL;
    surety_schema *schema = NULL;
    surety_doc *back = surety_doc_new(NULL);
    const surety_status status =
        surety_strict_of(contract, subset, &strict, NULL);

    must(back && (status == SURETY_OK || status == SURETY_LIMIT));
    if (status == SURETY_OK) {
        const surety_val sent = surety_strict_info_of(strict)->schema;
        must(surety_strict_of(twin, subset, &again, NULL) == SURETY_OK);
        must(surety_strict_info_of(strict)->name.len > 0 &&
             surety_strict_info_of(strict)->name.len <= 64);
        must((sent.doc == NULL) == (surety_strict_info_of(strict)->support ==
                                    SURETY_STRICT_IMPOSSIBLE));
        must((surety_strict_info_of(strict)->support ==
              SURETY_STRICT_ACCEPTED) ==
             (surety_strict_info_of(strict)->note_count == 0));
        for (size_t i = 0; i < surety_strict_info_of(strict)->note_count; i++)
            must(surety_strict_info_of(strict)->notes[i].message.len > 0 &&
                 surety_strict_info_of(strict)->notes[i].keyword.len > 0);
        if (sent.doc) {
            const surety_status compiled =
                surety_schema_compile(sent, NULL, &schema, NULL);
            must(compiled == SURETY_OK || compiled == SURETY_LIMIT);
            must(surety_val_equal(sent, surety_strict_info_of(again)->schema));
        }
        if (delivered.doc &&
            surety_strict_restore(strict, delivered, back, NULL) == SURETY_OK)
            judge(contract, surety_doc_root(back));
        if (delivered.doc)
            go_back(strict, delivered);
    }
    surety_schema_free(schema);
    surety_doc_free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *feed = size ? memchr(text, '\n', size) : NULL;
    const size_t len = feed ? (size_t)(feed - text) : size;
    surety_contract *contract = NULL, *twin = NULL;
    surety_doc *doc = surety_doc_new(NULL);

    must(doc != NULL);
    if (feed)
        surety_doc_read(doc, (surety_str){feed + 1, size - len - 1}, NULL,
                        NULL);
    if (surety_contract_read((surety_str){text, len}, NULL, &contract, NULL) ==
            SURETY_OK &&
        surety_contract_read((surety_str){text, len}, NULL, &twin, NULL) ==
            SURETY_OK)
        for (int i = 0; i <= SURETY_SUBSET_GRAMMAR; i++)
            try_subset(contract, twin, (surety_subset)i, surety_doc_root(doc));
    surety_contract_free(contract);
    surety_contract_free(twin);
    surety_doc_free(doc);
    return 0;
}
