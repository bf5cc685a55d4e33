/* SPDX-License-Identifier: Apache-2.0 */
/* The list of repairs that the tolerant reader made in a document. It keeps the
 * first mends_max in text order, and counts all. */
#include "json/inside.h"

static const struct {
    const char *name, *about;
    bool likely;
} liberties[] = {
#define X(id, name, likely, about) {name, about, likely},
#include "json/mends.def"
#undef X
};

const char *surety__mend_name(enum surety__mend_kind kind)
{
    return liberties[kind].name;
}

const char *surety__mend_about(enum surety__mend_kind kind)
{
    return liberties[kind].about;
}

bool surety__mend_is_likely(enum surety__mend_kind kind)
{
    return liberties[kind].likely;
}

/* Inserts a repair into the list. */
static surety_status liberty_keep(surety_doc *doc, const surety__mend *mend)
{
    const bool full = doc->mends.kept == doc->limits.mends_max;
    size_t at = doc->mends.kept;
    surety_status status;

    /* A look back records repairs late; they are few and near the end. */
    while (at && doc->mends.items[at - 1].offset > mend->offset)
        at--;
    if (full && at == doc->mends.kept)
        return SURETY_OK;
    if (!full) {
        status =
            surety__grow(doc->alloc, &doc->mends.items, &doc->mends.cap,
                         doc->mends.kept + 1, sizeof(*mend), SIZE_MAX / 64);
        if (status)
            return SURETY_NOMEM;
        doc->mends.kept++;
    }
    memmove(doc->mends.items + at + 1, doc->mends.items + at,
            (doc->mends.kept - at - 1) * sizeof(*mend));
    doc->mends.items[at] = *mend;
    return SURETY_OK;
}

surety_status surety__mend_add(surety_doc *doc, const surety__mend *mend)
{
    if (doc->mends.kept < doc->limits.mends_max ||
        doc->mends.items[doc->mends.kept - 1].offset > mend->offset) {
        surety_status status = liberty_keep(doc, mend);

        if (status)
            return status;
    }
    doc->mends.count++;
    doc->mends.likely += liberties[mend->kind].likely;
    return SURETY_OK;
}

void surety__mend_drop(surety_doc *doc)
{
    if (doc->mends.kept == doc->mends.count)
        doc->mends.kept--;
    doc->mends.count--;
}

size_t surety_doc_mend_count(const surety_doc *doc)
{
    return doc ? doc->mends.count : 0;
}

size_t surety_doc_mend_likely(const surety_doc *doc)
{
    return doc ? doc->mends.likely : 0;
}

surety_mend surety_doc_mend(const surety_doc *doc, size_t i)
{
    surety_mend mend = {.kind = ""};
    const surety__mend *kept;

    if (!doc || i >= doc->mends.kept)
        return mend;
    kept = &doc->mends.items[i];
    mend.kind = surety__mend_name(kept->kind);
    mend.likely = surety__mend_is_likely(kept->kind);
    mend.offset = kept->offset;
    mend.stood = (surety_str){doc->text + kept->offset, kept->len};
    if (kept->read)
        mend.read = surety_str_of(kept->read);
    else
        mend.read =
            (surety_str){(kept->own ? doc->own : doc->text) + kept->read_off,
                         kept->read_len};
    return mend;
}

bool surety_val_is_open(surety_val val)
{
    return val.doc && val.index < val.doc->cell_count &&
           surety__cell_of(val)->flags & FLAG_OPEN;
}
