/* SPDX-License-Identifier: Apache-2.0 */
/* names.c: the names of all properties in a schema.
 *
 * The tolerant reader asks whether a name is expected, to choose between two
 * readings. So the answer need not be exact: the names are all member names of
 * all objects called "properties", found in one pass over the document, and
 * references to other documents are not followed. They are stored as sorted
 * pairs of hash and cell, because a contract does not change after it was
 * read. The hash is of the letters and digits alone, without case, so that it
 * finds a name that is written otherwise, too. */
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

/* The next byte of a name that counts, from *at on; -1: there is none. */
static int names_letter(surety_str name, size_t *at)
{
    while (*at < name.len) {
        const unsigned char byte = (unsigned char)name.ptr[(*at)++];

        if (byte >= 'A' && byte <= 'Z')
            return byte | 0x20;
        if ((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') ||
            byte >= 0x80)
            return byte;
    }
    return -1;
}

static uint64_t names_hash(surety_str name)
{
    uint64_t hash = 1469598103934665603u; /* FNV-1a */
    size_t at = 0;
    int letter;

    while ((letter = names_letter(name, &at)) >= 0)
        hash = (hash ^ (unsigned)letter) * 1099511628211u;
    return hash;
}

static bool names_alike(surety_str a, surety_str b)
{
    size_t at = 0, other = 0;
    int letter;

    do {
        letter = names_letter(a, &at);
        if (letter != names_letter(b, &other))
            return false;
    } while (letter >= 0);
    return true;
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

            contract->names[count++] =
                (surety__pair){names_hash(name), (uint64_t)(key - doc->cells)};
        }
    }
    contract->name_count = count;
    assert(count > 0);
    surety__pairs_sort(contract->names, count);
    return true;
}

/* The names of the contract that have the letters of a name: their number, from
 * *ret_first on. */
static size_t names_find(const surety_contract *contract, surety_str name,
                         size_t *ret_first)
{
    const uint64_t hash = names_hash(name);
    const surety__pair *names = contract->names;
    size_t low = 0;
    size_t high = contract->name_count;
    size_t count = 0;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (names[middle].key < hash)
            low = middle + 1;
        else
            high = middle;
    }
    *ret_first = low;
    while (count < NAMES_ALIKE_MAX && low + count < contract->name_count &&
           names[low + count].key == hash)
        count++;
    return count;
}

static surety_str names_at(const surety_contract *contract, size_t i)
{
    return surety__cell_str(contract->doc,
                            contract->doc->cells + contract->names[i].value);
}

bool surety__contract_expects(const surety_contract *contract, surety_str name)
{
    size_t first;
    const size_t count = names_find(contract, name, &first);

    for (size_t i = 0; i < count; i++)
        if (surety_str_equal(names_at(contract, first + i), name))
            return true;
    return false;
}

bool surety__contract_name(const surety_contract *contract, surety_str name,
                           surety_str *ret_name)
{
    size_t first;
    const size_t count = names_find(contract, name, &first);
    bool found = false;

    for (size_t i = 0; i < count; i++) {
        const surety_str known = names_at(contract, first + i);

        if (!names_alike(known, name))
            continue;
        if (surety_str_equal(known, name)) {
            *ret_name = known;
            return true;
        }
        if (found && !surety_str_equal(known, *ret_name))
            return false;
        *ret_name = known;
        found = true;
    }
    return found;
}
