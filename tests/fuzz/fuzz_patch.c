/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a value and a patch, apart at the first NUL: applied, refused or
 * over a limit, the same again, and the result is JSON that can be read. */
#include <surety/json.h>

#include <string.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *cut = size ? memchr(text, '\0', size) : NULL;
    surety_doc *target = surety_doc_new(NULL);
    surety_doc *patch = surety_doc_new(NULL);
    surety_doc *out = surety_doc_new(NULL);
    surety_doc *back = surety_doc_new(NULL);
    surety_status status, again;
    surety_buf written;
    surety_error err;

    surety_buf_init(&written, NULL, 0);
    must(target && patch && out && back);
    /* Corpus files are plain text: a line feed parts them, too. */
    if (!cut && size)
        cut = memchr(text, '\n', size);
    if (!cut ||
        surety_doc_read(target, (surety_str){text, (size_t)(cut - text)}, NULL,
                        NULL) != SURETY_OK ||
        surety_doc_read(patch,
                        (surety_str){cut + 1, size - (size_t)(cut + 1 - text)},
                        NULL, NULL) != SURETY_OK)
        goto done;
    status = surety_patch_apply(surety_doc_root(patch), surety_doc_root(target),
                                out, &err);
    must(status == SURETY_OK || err.message[0]);
    again = surety_patch_apply(surety_doc_root(patch), surety_doc_root(target),
                               back, NULL);
    must(status == again);
    if (status != SURETY_OK)
        goto done;
    must(surety_val_equal(surety_doc_root(out), surety_doc_root(back)));
    must(surety_val_write(surety_doc_root(out), SURETY_STYLE_COMPACT,
                          &written) == SURETY_OK);
    status = surety_doc_read(back, surety_buf_str(&written), NULL, NULL);
    must(status == SURETY_OK || status == SURETY_LIMIT);
    if (status == SURETY_OK)
        must(surety_val_equal(surety_doc_root(out), surety_doc_root(back)));
done:
    surety_buf_done(&written);
    surety_doc_free(back);
    surety_doc_free(out);
    surety_doc_free(patch);
    surety_doc_free(target);
    return 0;
}
