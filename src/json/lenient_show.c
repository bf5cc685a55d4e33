/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerant reader, snapshots: the part of a value that has arrived.
 *
 * 1. The cells of everything that is decided do not change.
 * 2. A snapshot sets the spans of the open containers (as many as the value is
 *    deep), and appends the value in progress after the last cell. The reader
 *    undoes both before it reads the next byte.
 * 3. Before a snapshot the reader removes the duplicate members of objects that
 *    are closed. */
#include "json/lenient.h"

/* Appends the cell of the string in progress. */
static surety_status show_quoted(surety_lenient *lenient)
{
    const struct quoted *quoted = &lenient->quoted;
    const size_t off = quoted->own ? quoted->start : quoted->body;
    const size_t end = quoted->own ? lenient->doc->own_len : lenient->at;
    surety__cell *cell = surety__lenient_cell(lenient, quoted->place);

    if (!cell)
        return lenient->failure.status;
    surety__cell_head(cell, CELL_STRING,
                      (uint8_t)(FLAG_OPEN | (quoted->own ? FLAG_OWN : 0) |
                                (quoted->high ? 0 : FLAG_ASCII)),
                      0, (uint32_t)quoted->place);
    surety__cell_text(cell, (uint32_t)(end - off), (uint32_t)off);
    return SURETY_OK;
}

/* Appends the cell of the value in progress and counts it. Without such a
 * value, removes the cell of a key that has no value yet. */
static surety_status show_tail(surety_lenient *lenient)
{
    surety_doc *doc = lenient->doc;
    bool made = false;

    if (lenient->state == LENIENT_QUOTED && !lenient->quoted.key) {
        surety_status status = show_quoted(lenient);

        if (status)
            return status;
        made = true;
    } else if (lenient->state == LENIENT_BARE) {
        if (surety__lenient_token(lenient, lenient->bare.place, lenient->at,
                                  true, &made) == STEP_FAIL)
            return lenient->failure.status;
    }
    if (made && lenient->open != PLACE_NONE)
        doc->cells[lenient->open].count++;
    if (!made && lenient->last.key) {
        lenient->used--;
        doc->cell_count = lenient->used;
    }
    return SURETY_OK;
}

/* ---- duplicate keys ----------------------------------------------------- */

surety_status surety__lenient_compact(surety_lenient *lenient)
{
    surety_doc *doc = lenient->doc;

    if (!lenient->gone)
        return SURETY_OK;
    doc->cell_count = lenient->used;
    if (surety__keys_remove(doc, &lenient->open, &lenient->listed))
        return SURETY_NOMEM;
    lenient->used = doc->cell_count;
    lenient->gone = false;
    return SURETY_OK;
}

/* ---- snapshots ---------------------------------------------------------- */

/* Gives each open container the span of a closed one, and saves its parent on
 * the stack. */
static surety_status show_spans(surety_lenient *lenient)
{
    surety_doc *doc = lenient->doc;
    surety_status status = surety__grow(
        lenient->alloc, &lenient->stack.items, &lenient->stack.cap,
        lenient->depth, sizeof(*lenient->stack.items), SIZE_MAX / 8);
    uint32_t open = lenient->open;

    if (status)
        return SURETY_NOMEM;
    for (uint32_t i = 0; i < lenient->depth; i++) {
        surety__cell *cell = &doc->cells[open];

        lenient->stack.items[i] = cell->span;
        cell->span = (uint32_t)(lenient->used - open);
        cell->flags |= FLAG_OPEN;
        /* Count an open container as its parent's last value. */
        if (lenient->stack.items[i] != PLACE_NONE)
            doc->cells[lenient->stack.items[i]].count++;
        open = lenient->stack.items[i];
    }
    return SURETY_OK;
}

/* Returns the last cell if it is an array item that the next bytes may change:
 * before a colon, a string is a key of the object around the array; and a
 * single scalar in round brackets is no array. NULL: the last cell is final. */
static surety__cell *show_tentative(const surety_lenient *lenient)
{
    surety__cell *cells = lenient->doc->cells;
    const surety__cell *open = &cells[lenient->open];
    surety__cell *item = &cells[lenient->used - 1];

    const bool after =
        lenient->state == LENIENT_AFTER ||
        (lenient->resume == LENIENT_AFTER &&
         (lenient->state == LENIENT_LINE || lenient->state == LENIENT_BLOCK));

    if (lenient->options.strict || !after || !lenient->last.scalar ||
        open->kind != CELL_ARRAY || !open->count)
        return NULL;
    return item->kind == CELL_STRING ||
                   (open->flags & LENIENT_ROUND && open->count == 1)
               ? item
               : NULL;
}

/* Removes the cells of the snapshot, and FLAG_OPEN from the last cell if the
 * snapshot set it. */
static void show_settle(surety_lenient *lenient)
{
    surety_doc *doc = lenient->doc;

    lenient->used = lenient->shown.used;
    doc->own_len = lenient->shown.own;
    doc->cell_count = lenient->used;
    if (lenient->shown.tentative)
        doc->cells[lenient->used - 1].flags &= (uint8_t)~FLAG_OPEN;
    lenient->shown.tentative = false;
}

surety_status surety__lenient_show(surety_lenient *lenient)
{
    surety__cell *tentative;
    const uint32_t count = lenient->open == PLACE_NONE
                               ? 0
                               : lenient->doc->cells[lenient->open].count;
    surety_status status;

    status = surety__lenient_compact(lenient);
    if (status)
        return status;
    lenient->shown.used = lenient->used;
    lenient->shown.own = lenient->doc->own_len;
    tentative = lenient->open == PLACE_NONE ? NULL : show_tentative(lenient);
    lenient->shown.tentative = tentative != NULL;
    if (tentative)
        tentative->flags |= FLAG_OPEN;
    status = show_tail(lenient);
    if (status == SURETY_OK)
        status = show_spans(lenient);
    if (status) {
        show_settle(lenient);
        if (lenient->open != PLACE_NONE)
            lenient->doc->cells[lenient->open].count = count;
        return status;
    }
    lenient->shown.count = count;
    lenient->shown.on = true;
    return SURETY_OK;
}

void surety__lenient_unshow(surety_lenient *lenient)
{
    surety_doc *doc = lenient->doc;
    uint32_t open = lenient->open;

    if (!lenient->shown.on)
        return;
    assert(lenient->shown.used <= doc->cell_cap);
    lenient->shown.on = false;
    if (open != PLACE_NONE)
        doc->cells[open].count = lenient->shown.count;
    for (uint32_t i = 0; i < lenient->depth; i++) {
        surety__cell *cell = &doc->cells[open];

        cell->span = lenient->stack.items[i];
        cell->flags &= (uint8_t)~FLAG_OPEN;
        if (cell->span != PLACE_NONE)
            doc->cells[cell->span].count--;
        open = cell->span;
    }
    show_settle(lenient);
}

bool surety__lenient_lists(const surety_lenient *lenient, size_t items,
                           size_t offset)
{
    const surety__cell *const cells = lenient->doc->cells;
    /* The complete values of a container end where its open child begins. */
    size_t end = lenient->shown.on ? lenient->shown.used : lenient->used;
    uint32_t open = lenient->open;

    if (!lenient->begun)
        return false;
    for (uint32_t i = 0; i < lenient->depth; i++) {
        const surety__cell *const cell = &cells[open];
        size_t count = cell->count;

        /* A snapshot also counts open items: leave them out. */
        if (lenient->shown.on)
            count = i ? count - 1 : lenient->shown.count;
        if (cell->kind == CELL_ARRAY && end > open + 1 && count >= items &&
            cells[end - 1].place >= offset)
            return true;
        end = open;
        open = lenient->shown.on ? lenient->stack.items[i] : cell->span;
    }
    return false;
}

surety_status surety__lenient_cut(surety_lenient *lenient)
{
    surety_doc *doc = lenient->doc;
    surety_status status = show_tail(lenient);

    while (status == SURETY_OK && lenient->open != PLACE_NONE) {
        const uint32_t open = lenient->open;
        surety__cell *cell = &doc->cells[open];
        uint32_t later = PLACE_NONE;

        lenient->open = cell->span;
        cell->span = (uint32_t)(lenient->used - open);
        cell->flags = FLAG_OPEN;
        if (cell->kind == CELL_OBJECT && cell->count > 1)
            status = surety__keys_mark(doc, open, &later);
        lenient->gone |= later != PLACE_NONE;
        if (lenient->open != PLACE_NONE)
            doc->cells[lenient->open].count++;
    }
    assert(status || lenient->open == PLACE_NONE);
    lenient->depth = 0;
    if (status == SURETY_OK)
        status = surety__lenient_compact(lenient);
    return status;
}
