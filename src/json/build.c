/* SPDX-License-Identifier: Apache-2.0 */
/* Builds documents: the caller adds values in order, and they become cells.
 *
 * 1. The stack of open containers is in the cells, as in the readers: until a
 *    container closes, its span is its parent's index.
 * 2. Every value passes through build_room, the one place that checks the order
 *    of calls, the limits and memory.
 * 3. The first failure is kept; later calls do nothing, and surety_build_end
 *    returns it.
 * 4. Texts go to the doc's own block. With an origin (a document whose values
 *    are copied in) the doc shares the origin's text, so such copies keep their
 *    places. */
#include "json/inside.h"

#include <math.h>

void surety_build_begin(surety_doc *doc, const surety_doc *origin)
{
    if (!doc)
        return;
    surety__doc_clear(doc);
    doc->build.on = true;
    doc->limits = origin ? origin->limits : surety_limits_of(NULL);
    doc->limits_default = !origin || origin->limits_default;
    if (!origin)
        return;
    doc->text = origin->text;
    doc->text_len = origin->text_len;
    if (origin == doc) {
        doc->build.status = SURETY_MISUSE;
        doc->build.fault = "a document cannot be its own origin";
    }
}

/* Keeps the first failure. Returns false. */
static bool build_fail(surety_doc *doc, surety_status status, const char *fault,
                       size_t limit)
{
    if (doc->build.status == SURETY_OK) {
        doc->build.status = status;
        doc->build.fault = fault;
        doc->build.limit = limit;
    }
    return false;
}

static bool build_misuse(surety_doc *doc, const char *fault)
{
    return build_fail(doc, SURETY_MISUSE, fault, 0);
}

/* Returns whether a value (or, with key, a key) is allowed now, and n cells
 * fit. */
static bool build_room(surety_doc *doc, bool key, size_t n)
{
    surety_status status;
    bool in_object;

    if (!doc || doc->build.status)
        return false;
    if (!doc->build.on)
        return build_misuse(doc, "nothing was begun");
    in_object =
        doc->open != PLACE_NONE && doc->cells[doc->open].kind == CELL_OBJECT;
    if (key && !in_object)
        return build_misuse(doc, "a key was pushed outside an object");
    if (key && doc->build.key)
        return build_misuse(doc, "two keys were pushed without a value between "
                                 "them");
    if (!key && in_object && !doc->build.key)
        return build_misuse(doc, "a value was pushed into an object without a "
                                 "key");
    if (!key && doc->open == PLACE_NONE && doc->cell_count)
        return build_misuse(doc, "a second value was pushed at the root");
    if (n > doc->limits.values_max)
        status = SURETY_LIMIT;
    else
        status = surety__doc_room(doc, doc->cell_count + n);
    if (status == SURETY_LIMIT)
        return build_fail(doc, status, "values_max", doc->limits.values_max);
    if (status)
        return build_fail(doc, status, NULL, 0);
    return true;
}

/* Counts the n new cells as one value or key of the open container. */
static void build_done(surety_doc *doc, bool key, size_t n)
{
    assert(n > 0 && doc->cell_count + n <= doc->cell_cap);
    doc->cell_count += n;
    doc->build.key = key;
    if (!key && doc->open != PLACE_NONE)
        doc->cells[doc->open].count++;
}

/* Copies text into the own block, with a zero byte after it if zero. *ret_off:
 * its offset there. */
static bool build_own(surety_doc *doc, surety_str text, bool zero,
                      uint32_t *ret_off)
{
    /* Room for one byte at least, so that the block exists for empty texts,
     * too. */
    surety_status status = surety__doc_own_room(doc, text.len + 1);

    if (status == SURETY_OK &&
        doc->own_len + text.len > doc->limits.text_bytes_max)
        status = SURETY_LIMIT;
    if (status)
        return build_fail(doc, status,
                          status == SURETY_LIMIT ? "text_bytes_max" : NULL,
                          doc->limits.text_bytes_max);
    *ret_off = (uint32_t)doc->own_len;
    if (text.len)
        memcpy(doc->own + doc->own_len, text.ptr, text.len);
    doc->own_len += text.len;
    if (zero)
        doc->own[doc->own_len++] = '\0';
    return true;
}

/* ---- scalars ----------------------------------------------------------- */

static void build_name(surety_doc *doc, uint8_t kind)
{
    if (!build_room(doc, false, 1))
        return;
    doc->cells[doc->cell_count] =
        (surety__cell){.kind = kind, .place = PLACE_NONE};
    build_done(doc, false, 1);
}

void surety_build_null(surety_doc *doc)
{
    build_name(doc, CELL_NULL);
}

void surety_build_bool(surety_doc *doc, bool value)
{
    build_name(doc, value ? CELL_TRUE : CELL_FALSE);
}

static void build_number(surety_doc *doc, surety_str literal)
{
    surety__cell cell = {.place = PLACE_NONE};
    uint32_t off;

    if (!build_room(doc, false, 1) || !build_own(doc, literal, true, &off))
        return;
    surety__number_cell(&cell, literal);
    cell.flags |= FLAG_OWN;
    if (cell.kind == CELL_INT)
        cell.place = off;
    else
        cell.off = off;
    doc->cells[doc->cell_count] = cell;
    build_done(doc, false, 1);
}

/* Adds (negative ? -1 : 1) * size. */
static void build_integer(surety_doc *doc, uint64_t size, bool negative)
{
    char digits[24];
    surety_buf text = {
        .ptr = digits, .cap = sizeof(digits), .max = sizeof(digits)};

    if (negative)
        surety_buf_byte(&text, '-');
    surety_buf_number(&text, size);
    build_number(doc, surety_buf_str(&text));
}

void surety_build_int(surety_doc *doc, int64_t value)
{
    build_integer(doc, value < 0 ? 0 - (uint64_t)value : (uint64_t)value,
                  value < 0);
}

void surety_build_uint(surety_doc *doc, uint64_t value)
{
    build_integer(doc, value, false);
}

void surety_build_real(surety_doc *doc, double value)
{
    char digits[32];

    if (!isfinite(value)) {
        if (build_room(doc, false, 1))
            build_misuse(doc, "a number that is not finite was pushed");
        return;
    }
    /* ECMA-262 writes -0 as 0, which reads back as another value. */
    if (value == 0 && signbit(value))
        build_number(doc, SURETY__LITERAL("-0"));
    else
        build_number(doc,
                     (surety_str){digits, surety__number_write(value, digits)});
}

static void build_string(surety_doc *doc, surety_str text, bool key)
{
    surety__cell cell = {.kind = key ? CELL_KEY : CELL_STRING,
                         .flags = FLAG_OWN | FLAG_ASCII,
                         .place = PLACE_NONE};
    uint32_t len_max;

    if (!build_room(doc, key, 1))
        return;
    len_max = key ? doc->limits.key_len_max : doc->limits.string_len_max;
    if (text.len > len_max) {
        build_fail(doc, SURETY_LIMIT, key ? "key_len_max" : "string_len_max",
                   len_max);
        return;
    }
    if (!surety__utf8_valid(text, NULL)) {
        build_fail(doc, SURETY_SYNTAX,
                   key ? "a key is not valid UTF-8"
                       : "a string is not valid UTF-8",
                   0);
        return;
    }
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] >= 0x80) {
            cell.flags = FLAG_OWN;
            break;
        }
    cell.len = (uint32_t)text.len;
    if (key)
        cell.hash = (uint16_t)surety__hash(text.ptr, text.len);
    if (!build_own(doc, text, false, &cell.off))
        return;
    doc->cells[doc->cell_count] = cell;
    build_done(doc, key, 1);
}

void surety_build_str(surety_doc *doc, surety_str text)
{
    build_string(doc, text, false);
}

void surety_build_key(surety_doc *doc, surety_str key)
{
    build_string(doc, key, true);
}

void surety_build_name(surety_doc *doc, const char *key)
{
    build_string(doc, surety_str_of(key), true);
}

/* ---- containers -------------------------------------------------------- */

static void build_open(surety_doc *doc, uint8_t kind)
{
    surety__cell *cell;

    if (!build_room(doc, false, 1))
        return;
    if (doc->depth >= doc->limits.depth_max) {
        build_fail(doc, SURETY_LIMIT, "depth_max", doc->limits.depth_max);
        return;
    }
    cell = &doc->cells[doc->cell_count];
    *cell = (surety__cell){.kind = kind, .place = PLACE_NONE};
    cell->span = doc->open;
    build_done(doc, false, 1);
    doc->open = (uint32_t)(doc->cell_count - 1);
    doc->depth++;
}

void surety_build_object(surety_doc *doc)
{
    build_open(doc, CELL_OBJECT);
}

void surety_build_array(surety_doc *doc)
{
    build_open(doc, CELL_ARRAY);
}

void surety_build_close(surety_doc *doc)
{
    surety__cell *cell;
    uint32_t open, later;

    if (!doc || doc->build.status)
        return;
    if (!doc->build.on || doc->open == PLACE_NONE) {
        build_misuse(doc, "nothing is open to be closed");
        return;
    }
    if (doc->build.key) {
        build_misuse(doc, "an object was closed after a key");
        return;
    }
    open = doc->open;
    assert(open < doc->cell_count && doc->depth > 0);
    cell = &doc->cells[open];
    doc->open = cell->span;
    doc->depth--;
    cell->span = (uint32_t)doc->cell_count - open;
    if (cell->kind == CELL_OBJECT && surety__keys_mark(doc, open, &later))
        build_fail(doc, SURETY_NOMEM, NULL, 0);
}

/* ---- copies ------------------------------------------------------------ */

/* Makes a cell that was copied from another doc independent of it: moves its
 * text into the own block, and clears its place unless keep. */
static bool build_adopt(surety_doc *doc, surety__cell *cell,
                        const surety_doc *from, bool keep)
{
    surety_str text;
    bool number = surety__cell_is_number(cell);
    bool string = surety__cell_is_string(cell);
    uint32_t off;

    if (keep && !((number || string) && (cell->flags & FLAG_OWN)))
        return true;
    if (number || string) {
        text = number ? surety__cell_number(from, cell)
                      : surety__cell_str(from, cell);
        if (!build_own(doc, text, number, &off))
            return false;
        cell->flags |= FLAG_OWN;
        if (cell->kind == CELL_INT)
            cell->place = off;
        else
            cell->off = off;
    }
    if (!keep && cell->kind != CELL_INT)
        cell->place = PLACE_NONE;
    return true;
}

/* Returns whether values of from keep their places, because both docs have the
 * same text. */
static bool build_shares(const surety_doc *doc, const surety_doc *from)
{
    return doc->text && from->text == doc->text;
}

void surety_build_val(surety_doc *doc, surety_val val)
{
    const surety_doc *from = val.doc;
    uint32_t start, count, open = PLACE_NONE;
    uint32_t depth;

    if (!build_room(doc, false, 1))
        return;
    if (!from || val.index >= from->cell_count || from == doc) {
        build_misuse(doc, from == doc ? "a value of the document itself was "
                                        "copied into it"
                                      : "an absent value was pushed");
        return;
    }
    count = (uint32_t)(surety__cell_after(surety__cell_of(val)) -
                       surety__cell_of(val));
    if (!build_room(doc, false, count))
        return;
    start = (uint32_t)doc->cell_count;
    depth = doc->depth;
    memcpy(doc->cells + start, from->cells + val.index,
           count * sizeof(*doc->cells));
    for (uint32_t i = 0; i < count; i++) {
        surety__cell *cell = &doc->cells[start + i];

        /* Close the containers that end here; their spans come from the
         * original. */
        while (open != PLACE_NONE &&
               open + from->cells[val.index + open].span == i) {
            uint32_t parent = doc->cells[start + open].span;

            doc->cells[start + open].span = from->cells[val.index + open].span;
            open = parent;
            depth--;
        }
        if (!build_adopt(doc, cell, from, build_shares(doc, from)))
            return;
        if (cell->kind < CELL_ARRAY)
            continue;
        if (depth >= doc->limits.depth_max) {
            build_fail(doc, SURETY_LIMIT, "depth_max", doc->limits.depth_max);
            return;
        }
        cell->span = open;
        open = i;
        depth++;
    }
    while (open != PLACE_NONE) {
        uint32_t parent = doc->cells[start + open].span;

        doc->cells[start + open].span = from->cells[val.index + open].span;
        open = parent;
    }
    if (doc->cells[start].kind == CELL_KEY)
        doc->cells[start].kind = CELL_STRING;
    build_done(doc, false, count);
}

void surety_build_key_of(surety_doc *doc, surety_val key)
{
    const surety_doc *from = key.doc;
    surety__cell *cell;

    if (!build_room(doc, true, 1))
        return;
    if (surety_val_kind(key) != SURETY_KIND_STRING || from == doc) {
        build_misuse(doc, "a key must be a string of another document");
        return;
    }
    if (surety__cell_of(key)->len > doc->limits.key_len_max) {
        build_fail(doc, SURETY_LIMIT, "key_len_max", doc->limits.key_len_max);
        return;
    }
    cell = &doc->cells[doc->cell_count];
    *cell = *surety__cell_of(key);
    cell->kind = CELL_KEY;
    if (build_adopt(doc, cell, from, build_shares(doc, from)))
        build_done(doc, true, 1);
}

/* ---- the end ----------------------------------------------------------- */

surety_status surety_build_end(surety_doc *doc, surety_error *reterr)
{
    surety_status status;

    if (!doc)
        return surety__fail(reterr, SURETY_MISUSE, "no document was given");
    if (!doc->build.on)
        build_misuse(doc, "nothing was begun");
    else if (doc->open != PLACE_NONE)
        build_misuse(doc, "an array or object was left open");
    else if (doc->cell_count == 0)
        build_misuse(doc, "no value was pushed");
    status = doc->build.status;
    if (status == SURETY_OK && surety__keys_compact(doc))
        status = SURETY_NOMEM;
    if (status == SURETY_OK) {
        doc->build.on = false;
        return SURETY_OK;
    }
    if (status == SURETY_NOMEM)
        surety__fail_nomem(reterr);
    else if (status == SURETY_LIMIT)
        surety__fail(reterr, status,
                     "the document is larger than the limit %s of %zu",
                     doc->build.fault, doc->build.limit);
    else
        surety__fail(reterr, status, "%s", doc->build.fault);
    surety__doc_clear(doc);
    return status;
}
