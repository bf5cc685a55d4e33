/* SPDX-License-Identifier: Apache-2.0 */
/* The strict reader, the writers, equality and pointers on any bytes.
 *
 * The first byte chooses the flags. What is read from a copy and from borrowed
 * bytes of exactly their size must be the same; what was accepted must come
 * back equal, with an equal hash, after being written compact and pretty, and
 * after being built again; every value must be found by its own pointer.
 * Every kernel of the reader must find the same tokens, passing over the value
 * must accept what reading accepts, and what is refused must have a mistake. */
#include "json/json.h"
#include "json/index.h"

#include <stdint.h>
#include <stdlib.h>

#include "fuzz.h"

/* Ends the run loudly unless holds. */
static void must_come_back(surety_val root, surety_style style)
{
    surety_doc *again = surety_doc_new(NULL);
    surety_buf out;
    surety_status status;

    must(again);
    surety_buf_init(&out, NULL, 0);
    status = surety_val_write(root, style, &out);
    if (style != SURETY_STYLE_CANONICAL) {
        must(status == SURETY_OK);
        must(surety_doc_read(again, surety_buf_str(&out), NULL, NULL) ==
             SURETY_OK);
        must(surety_val_equal(root, surety_doc_root(again)));
        must(surety__val_hash(root) ==
             surety__val_hash(surety_doc_root(again)));
        must(again->duplicate_count == 0);
    } else if (status == SURETY_OK) {
        must(surety_doc_read(again, surety_buf_str(&out), NULL, NULL) ==
             SURETY_OK);
    }
    surety_buf_done(&out);
    surety_doc_free(again);
}

/* Looks at every value: its position lies in the text, its pointer leads back
 * to it (that costs, hence small documents only). */
static void must_hold_together(const surety_doc *doc)
{
    size_t count = surety__doc_size(doc);
    surety_buf out;

    surety_buf_init(&out, NULL, 0);
    for (uint32_t i = 0; i < count && count < 256; i++) {
        surety_val val = {doc, i};
        surety_position position = surety_val_position(val);
        surety_val back;

        must(position.line > 0 && position.length > 0);
        must(position.offset + position.length <= surety_doc_text(doc).len);
        surety_buf_reset(&out);
        surety_val_pointer(val, &out);
        back = surety_val_at(surety_doc_root(doc), surety_buf_str(&out));
        must(back.index == i || surety_val_key(back).index == i);
        (void)surety_val_real(val, 0);
        must(!surety_val_is_integer(val) || surety_val_number(val).len);
    }
    surety_buf_done(&out);
}

/* A text is refused exactly where a mistake is found byte by byte, or a key
 * that occurs twice. */
static void must_fault_alike(surety_str text,
                             const surety_read_options *options, bool accepted)
{
    surety_doc *doc = surety_doc_new(NULL);
    surety__tokens tokens;
    const uint32_t *at;

    must(doc);
    at = surety__tokens_begin(&tokens, doc, text, options);
    if (at)
        at = surety__tokens_read(&tokens, at);
    if (at && surety__tokens_end(&tokens, at)) {
        must(accepted);
        must(surety__fault_find(doc, tokens.skip_bom).fault == FAULT_NONE);
    } else {
        must(!accepted);
        must(tokens.duplicate != PLACE_NONE ||
             surety__fault_find(doc, tokens.skip_bom).fault != FAULT_NONE);
    }
    surety_doc_free(doc);
}

/* Every kernel finds the same tokens and the same verdict. */
static void must_index_alike(surety_str text)
{
    static uint32_t tokens[2][TOKENS_WINDOW + TOKENS_SLACK];
    const struct surety__kernel *kernel;

    for (size_t i = 1; (kernel = surety__kernel_at(i)) != NULL; i++) {
        struct surety__scan first = {.text = text.ptr, .len = text.len};
        struct surety__scan other = first;

        do {
            uint32_t *a = surety__kernel_at(0)->run(&first, tokens[0]);
            uint32_t *b = kernel->run(&other, tokens[1]);
            size_t count = (size_t)(a - tokens[0]);

            must(count == (size_t)(b - tokens[1]));
            must(!memcmp(tokens[0], tokens[1], count * sizeof(*a)));
        } while (first.next < first.len);
        must(!first.broken == !other.broken);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    surety_read_options options = {.size = sizeof(options)};
    surety_doc *copied = surety_doc_new(NULL);
    surety_doc *borrowed = surety_doc_new(NULL);
    surety_doc *built = surety_doc_new(NULL);
    surety_status status;
    char *exact;

    must(copied && borrowed && built);
    options.flags = size ? data[0] & 6u : 0;
    size -= size > 0;
    exact = malloc(size ? size : 1);
    must(exact);
    if (size)
        memcpy(exact, data + 1, size);
    status = surety_doc_read(copied, (surety_str){exact, size}, &options, NULL);
    options.flags |= SURETY_READ_BORROW;
    must(surety_doc_read(borrowed, (surety_str){exact, size}, &options, NULL) ==
         status);
    must_fault_alike((surety_str){exact, size}, &options, status == SURETY_OK);
    must_index_alike((surety_str){exact, size});
    if (status == SURETY_OK) {
        surety_val root = surety_doc_root(borrowed);

        must(surety_val_equal(surety_doc_root(copied), root));
        must_come_back(root, SURETY_STYLE_COMPACT);
        must_come_back(root, SURETY_STYLE_PRETTY);
        must_come_back(root, SURETY_STYLE_CANONICAL);
        must_hold_together(borrowed);
        surety_build_begin(built, size & 1 ? borrowed : NULL);
        surety_build_val(built, root);
        must(surety_build_end(built, NULL) == SURETY_OK);
        must(surety_val_equal(root, surety_doc_root(built)));
    }
    surety_doc_free(copied);
    surety_doc_free(borrowed);
    surety_doc_free(built);
    free(exact);
    return 0;
}
