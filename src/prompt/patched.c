/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a model's patch in its reply, like any JSON, and applies it to the
 * value. The first candidate that is an array of operations is used; a single
 * operation counts as an array of one. The caller judges the result as a
 * whole, like any reply. */
#include "prompt/prompt.h"

#include <surety/extract.h>

/* Whether a value looks like an array of operations, or like one operation. */
static bool patched_is_list(surety_val val)
{
    if (surety_val_kind(val) == SURETY_KIND_OBJECT)
        return surety_val_get(val, "op").doc && surety_val_get(val, "path").doc;
    if (surety_val_kind(val) != SURETY_KIND_ARRAY || !surety_val_count(val))
        return false;
    SURETY_EACH (v, val)
        if (!surety_val_get(v, "op").doc)
            return false;
    return true;
}

/* Reads the first candidate that is a patch. SURETY_SYNTAX: there is none. */
static surety_status patched_read(surety_str reply, surety_doc *doc,
                                  surety_finder *finder, surety_error *reterr)
{
    surety_status status =
        surety_finder_find(finder, reply, NULL, NULL, reterr);

    for (unsigned pass = 0; pass < 2 && status == SURETY_OK; pass++) {
        for (size_t i = 0; i < surety_finder_count(finder); i++) {
            const surety_candidate found = surety_finder_at(finder, i);

            status = surety_doc_read(doc, found.text, NULL, NULL);
            if (status == SURETY_NOMEM)
                return surety__fail_nomem(reterr);
            /* A single operation may be an item of an array, so arrays come
             * first. */
            if (status == SURETY_OK &&
                (pass == 1 ||
                 surety_val_kind(surety_doc_root(doc)) == SURETY_KIND_ARRAY) &&
                patched_is_list(surety_doc_root(doc)))
                return SURETY_OK;
        }
        status = SURETY_OK;
    }
    if (status != SURETY_OK)
        return status;
    surety__fail(reterr, SURETY_SYNTAX,
                 "the reply holds no JSON Patch: no array of operations");
    surety__hint(reterr, "ask for the whole value again");
    return SURETY_SYNTAX;
}

/* Puts a single operation into an array. */
static surety_status patched_list(surety_val patch, surety_doc *list,
                                  surety_val *ret_list, surety_error *reterr)
{
    surety_status status;

    *ret_list = patch;
    if (surety_val_kind(patch) == SURETY_KIND_ARRAY)
        return SURETY_OK;
    surety_build_begin(list, NULL);
    surety_build_array(list);
    surety_build_val(list, patch);
    surety_build_close(list);
    status = surety_build_end(list, reterr);
    if (status == SURETY_OK)
        *ret_list = surety_doc_root(list);
    return status;
}

surety_status surety_prompt_patch(const surety_outcome *outcome,
                                  surety_str reply, surety_buf *out,
                                  surety_error *reterr)
{
    const surety_val target = surety_outcome_info_of(outcome)->candidate;
    surety_doc *doc, *list, *result;
    surety_finder *finder;
    surety_status status = SURETY_NOMEM;
    surety_val patch;
    size_t start;

    if (!target.doc || !out)
        return surety__fail(reterr, SURETY_MISUSE,
                            "there is no value that a patch could change");
    start = out->len;
    finder = surety_finder_new(out->alloc);
    doc = surety_doc_new(out->alloc);
    list = surety_doc_new(out->alloc);
    result = surety_doc_new(out->alloc);
    if (!finder || !doc || !list || !result)
        surety__fail_nomem(reterr);
    else
        status = patched_read(reply, doc, finder, reterr);
    if (status == SURETY_OK)
        status = patched_list(surety_doc_root(doc), list, &patch, reterr);
    if (status == SURETY_OK)
        status = surety_patch_apply(patch, target, result, reterr);
    if (status == SURETY_OK)
        status = surety_val_write(surety_doc_root(result), SURETY_STYLE_COMPACT,
                                  out);
    if (status != SURETY_OK && out->status == SURETY_OK)
        out->len = start;
    surety_doc_free(result);
    surety_doc_free(list);
    surety_doc_free(doc);
    surety_finder_free(finder);
    return status;
}
