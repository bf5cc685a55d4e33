/* SPDX-License-Identifier: Apache-2.0 */
/* names.c: the names of all properties in a schema.
 *
 * The tolerant reader asks whether a name is expected, to choose between two
 * readings. So the answer need not be exact: the names are all member names of
 * all objects called "properties", found in one pass over the document, and
 * references to other documents are not followed. They are stored as sorted
 * pairs of hash and cell, because a contract does not change after it was
 * read. */
#include "contract/contract.h"

/* The most names of one hash that are compared. */
enum { NAMES_ALIKE_MAX = 32 };

/* Returns whether the cell is a key "properties" with an object as value. */
static bool names_follow(const surety_doc *doc, const surety__cell *cell)
{
    return cell->kind == CELL_KEY && cell[1].kind == CELL_OBJECT &&
           surety_str_equal(surety__cell_str(doc, cell),
                            SURETY__LITERAL("properties"));
}

bool surety__contract_collect(surety_contract *contract)
{
    const surety_doc *doc = contract->doc;
    const surety__cell *stop = doc->cells + doc->cell_count;
    size_t count = 0;

    for (const surety__cell *cell = doc->cells; cell < stop; cell++)
        count += names_follow(doc, cell) ? cell[1].count : 0;
    if (!count)
        return true;
    contract->names =
        surety__arena_take(&contract->arena, count * sizeof(*contract->names));
    if (!contract->names)
        return false;
    count = 0;
    for (const surety__cell *cell = doc->cells; cell < stop; cell++) {
        const surety__cell *end;

        if (!names_follow(doc, cell))
            continue;
        end = surety__cell_after(cell + 1);
        for (const surety__cell *key = cell + 2; key < end;
             key = surety__cell_after(key + 1)) {
            const surety_str name = surety__cell_str(doc, key);

            contract->names[count++] = (surety__pair){
                surety__hash(name.ptr, name.len), (uint64_t)(key - doc->cells)};
        }
    }
    contract->name_count = count;
    assert(count > 0);
    surety__pairs_sort(contract->names, count);
    return true;
}

bool surety__contract_expects(const surety_contract *contract, surety_str name)
{
    const uint64_t hash = surety__hash(name.ptr, name.len);
    const surety__pair *names = contract->names;
    size_t low = 0;
    size_t high = contract->name_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (names[middle].key < hash)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = 0; i < NAMES_ALIKE_MAX && low + i < contract->name_count &&
                       names[low + i].key == hash;
         i++) {
        const surety__cell *key = contract->doc->cells + names[low + i].value;

        if (surety_str_equal(surety__cell_str(contract->doc, key), name))
            return true;
    }
    return false;
}
