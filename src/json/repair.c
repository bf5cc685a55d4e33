/* SPDX-License-Identifier: Apache-2.0 */
/* The list of repairs that the tolerant reader made in a document. It keeps the
 * first repairs_max in text order, and counts all. */
#include "json/inside.h"

static const struct {
    const char *name, *about;
    bool likely;
} repair_kinds[] = {
#define X(id, name, likely, about) {name, about, likely},
#include "json/repairs.def"
#undef X
};

const char *surety__repair_kind_name(enum surety__repair_kind kind)
{
    assert(kind < REPAIR_COUNT);
    return repair_kinds[kind].name;
}

const char *surety__repair_kind_about(enum surety__repair_kind kind)
{
    assert(kind < REPAIR_COUNT);
    return repair_kinds[kind].about;
}

bool surety__repair_kind_is_likely(enum surety__repair_kind kind)
{
    return repair_kinds[kind].likely;
}

/* Inserts a repair into the list. */
static surety_status repairs_insert(surety_doc *doc,
                                    const surety__text_repair *repair)
{
    const bool full = doc->repairs.count == doc->limits.repairs_max;
    size_t at = doc->repairs.count;
    surety_status status;

    /* A look back records repairs late; they are few and near the end. */
    while (at && doc->repairs.items[at - 1].offset > repair->offset)
        at--;
    if (full && at == doc->repairs.count)
        return SURETY_OK;
    if (!full) {
        status = surety__grow(doc->alloc, &doc->repairs.items,
                              &doc->repairs.cap, doc->repairs.count + 1,
                              sizeof(*repair), SIZE_MAX / 64);
        if (status)
            return SURETY_NOMEM;
        doc->repairs.count++;
    }
    memmove(doc->repairs.items + at + 1, doc->repairs.items + at,
            (doc->repairs.count - at - 1) * sizeof(*repair));
    doc->repairs.items[at] = *repair;
    return SURETY_OK;
}

surety_status surety__doc_repair_add(surety_doc *doc,
                                     const surety__text_repair *repair)
{
    if (doc->repairs.count < doc->limits.repairs_max ||
        doc->repairs.items[doc->repairs.count - 1].offset > repair->offset) {
        surety_status status = repairs_insert(doc, repair);

        if (status)
            return status;
    }
    assert(doc->repairs.count <= doc->limits.repairs_max);
    doc->repairs.total++;
    doc->repairs.likely += repair_kinds[repair->kind].likely;
    return SURETY_OK;
}

void surety__doc_repair_drop(surety_doc *doc, enum surety__repair_kind kind)
{
    assert(doc->repairs.total > 0);
    doc->repairs.likely -= repair_kinds[kind].likely;
    if (doc->repairs.count == doc->repairs.total)
        doc->repairs.count--;
    doc->repairs.total--;
}

size_t surety__doc_repair_count(const surety_doc *doc)
{
    return doc ? doc->repairs.total : 0;
}

size_t surety__doc_repair_likely(const surety_doc *doc)
{
    return doc ? doc->repairs.likely : 0;
}

surety__repair_view surety__doc_repair(const surety_doc *doc, size_t i)
{
    surety__repair_view repair = {.kind = ""};
    const surety__text_repair *kept;

    if (!doc || i >= doc->repairs.count)
        return repair;
    kept = &doc->repairs.items[i];
    repair.kind = surety__repair_kind_name(kept->kind);
    repair.likely = surety__repair_kind_is_likely(kept->kind);
    repair.offset = kept->offset;
    repair.original = (surety_str){doc->text + kept->offset, kept->len};
    if (kept->read)
        repair.read = surety_str_of(kept->read);
    else
        repair.read =
            (surety_str){(kept->own ? doc->own : doc->text) + kept->read_off,
                         kept->read_len};
    return repair;
}

bool surety__val_shifts(surety_val val)
{
    const unsigned kind = val.doc ? surety__cell_of(val)->kind : 0;

    /* The bracket of an inner container counts only where all around it are of
     * its kind: else the brackets behind it would not fit. */
    while (val.doc) {
        const surety__cell *end = surety__cell_after(surety__cell_of(val));
        surety_val last = surety_val_none();

        SURETY_EACH (child, val) {
            const surety__cell *cell = surety__cell_of(child);

            if (kind < CELL_ARRAY || cell->kind != kind || !cell->count)
                continue;
            if (surety__cell_after(cell) < end)
                return true;
            last = child;
        }
        val = last;
    }
    return false;
}

bool surety_val_is_open(surety_val val)
{
    return val.doc && val.index < val.doc->cell_count &&
           surety__cell_of(val)->flags & FLAG_OPEN;
}
