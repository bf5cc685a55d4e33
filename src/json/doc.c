/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a document: its blocks of memory and its state.
 *
 * A doc owns up to five blocks: cells, the copy of the text, the block of
 * decoded and built bytes, and the lists of duplicate keys and of repairs. It
 * keeps all of them when it is read or built again, so a doc that has read its
 * largest text allocates nothing more. What a reader needs besides is on the C
 * stack (tokens.h), or after the cells (surety__doc_scratch). */
#include "json/inside.h"

surety_doc *surety_doc_new(const surety_alloc *alloc)
{
    surety_doc *doc = surety__new(alloc, sizeof(*doc));

    if (!doc)
        return NULL;
    doc->alloc = alloc;
    doc->limits = surety_limits_of(NULL);
    doc->limits_default = true;
    doc->open = PLACE_NONE;
    return doc;
}

void surety_doc_free(surety_doc *doc)
{
    if (!doc)
        return;
    surety__free(doc->alloc, doc->cells, doc->cell_cap * sizeof(*doc->cells));
    surety__free(doc->alloc, doc->copy, doc->copy_cap);
    surety__free(doc->alloc, doc->own, doc->own_cap);
    surety__free(doc->alloc, doc->duplicates,
                 doc->duplicate_cap * sizeof(*doc->duplicates));
    surety__free(doc->alloc, doc->repairs.items,
                 doc->repairs.cap * sizeof(*doc->repairs.items));
    surety__free(doc->alloc, doc, sizeof(*doc));
}

void surety__doc_clear(surety_doc *doc)
{
    doc->cell_count = 0;
    doc->text = NULL;
    doc->text_len = 0;
    doc->own_len = 0;
    doc->duplicate_count = 0;
    doc->repairs.count = 0;
    doc->repairs.total = 0;
    doc->repairs.likely = 0;
    doc->open = PLACE_NONE;
    doc->depth = 0;
    doc->build.status = SURETY_OK;
    doc->build.fault = NULL;
    doc->build.key = false;
    doc->build.on = false;
}

surety_status surety__doc_room(surety_doc *doc, size_t count)
{
    surety_status status;

    assert(doc->cell_count <= doc->cell_cap);
    if (count > doc->limits.values_max)
        return SURETY_LIMIT;
    /* PLACE_NONE is not a valid index. */
    status = surety__grow(doc->alloc, &doc->cells, &doc->cell_cap, count,
                          sizeof(*doc->cells), PLACE_NONE);
    return status;
}

surety_status surety__doc_own_room(surety_doc *doc, size_t n)
{
    size_t max = UINT32_MAX - 64;
    surety_status status;

    assert(doc->own_len <= doc->own_cap);
    if (n > max || doc->own_len > max - n)
        return SURETY_LIMIT;
    status = surety__grow(doc->alloc, &doc->own, &doc->own_cap,
                          doc->own_len + n, 1, max);
    return status;
}

uint32_t *surety__doc_scratch(surety_doc *doc, size_t count)
{
    const size_t words = sizeof(*doc->cells) / sizeof(uint32_t);
    const size_t cells = doc->cell_count + (count + words - 1) / words;

    if (surety__grow(doc->alloc, &doc->cells, &doc->cell_cap, cells,
                     sizeof(*doc->cells), PLACE_NONE))
        return NULL;
    return (uint32_t *)(doc->cells + doc->cell_count);
}

surety_val surety_val_none(void)
{
    return (surety_val){NULL, 0};
}

surety_val surety_doc_root(const surety_doc *doc)
{
    if (!doc || doc->cell_count == 0 || doc->build.on)
        return surety_val_none();
    return (surety_val){doc, 0};
}

surety_str surety_doc_text(const surety_doc *doc)
{
    return doc ? (surety_str){doc->text, doc->text_len} : (surety_str){NULL, 0};
}

size_t surety__doc_size(const surety_doc *doc)
{
    return doc && !doc->build.on ? doc->cell_count : 0;
}
