/* SPDX-License-Identifier: Apache-2.0 */
/* The elements of one array, each given once and in order, while replies come.
 *
 * A way leads from the root of the value so far to the array; each of its
 * levels remembers the child that is looked at next, so nothing is gone over
 * twice. An element is given when it has ended and schema/elements.c is
 * certain of it. Where that is not so, nothing behind it is given either,
 * until the value of the whole reply is known.
 *
 * Elements are looked for behind each comma and each bracket that closes, as
 * the reply is fed: so they are a function of its bytes, and not of its chunks.
 * What was found waits until the caller takes it.
 *
 * What was found is kept as text. A later reply begins with the same elements,
 * or gives none; and a value that does not is refused by the validator. */
#include "stream/stream.h"

enum { ITEMS_SHOWN = 120 }; /* bytes of an element in a message */

struct items_level {
    uint32_t container; /* its cell; */
    uint32_t place;     /* where its text begins, as its mark */
    uint32_t next;      /* the key or item that is looked at next */
    uint32_t ordinal;   /* children before it */
};

struct surety_items {
    const surety_alloc *alloc;
    surety_buf location;
    surety__elements *elements;
    surety_checker *checker;
    surety_doc *completed, *kept;
    surety_buf texts, text; /* of all that was found; of the one at hand */
    size_t *ends;           /* in texts */
    size_t count, ends_cap;
    size_t given; /* of those found */
    const surety_contract *contract;
    surety_stream *stream;
    size_t value; /* the number of the value in the stream */
    bool blocked; /* it gives no more elements */
    struct items_level *levels;
    size_t depth, levels_cap;
    size_t at; /* bytes of the location that the levels lead along */
    surety_val last, next; /* the array of the last value, its next element */
    size_t seen;           /* elements before that */
    size_t work;           /* children that were looked at */
};

/* ---- life ---------------------------------------------------------------- */

surety_status surety_items_new(const surety_contract *contract,
                               surety_str location, const surety_alloc *alloc,
                               surety_items **ret_items, surety_error *reterr)
{
    const surety_contract_info *info;
    surety_items *items;
    surety_status status;
    unsigned how;

    if (!contract || !ret_items || (location.len && !location.ptr))
        return surety__fail(reterr, SURETY_MISUSE,
                            "a contract, a location and an address for the "
                            "items are needed");
    items = surety__new(alloc, sizeof(*items));
    if (!items)
        return surety__fail_nomem(reterr);
    info = surety_contract_info_of(contract);
    how = (info->fills_defaults ? COMPLETES_FILL : 0u) |
          (info->strips_unknown ? COMPLETES_STRIP : 0u);
    items->alloc = alloc;
    items->contract = contract;
    surety_buf_init(&items->location, alloc, 0);
    surety_buf_init(&items->texts, alloc, 0);
    surety_buf_init(&items->text, alloc, 0);
    surety_buf_add(&items->location, location);
    items->checker = surety_checker_new(alloc, NULL);
    items->completed = surety_doc_new(alloc);
    items->kept = surety_doc_new(alloc);
    if (items->location.status || !items->checker || !items->completed ||
        !items->kept)
        status = surety__fail_nomem(reterr);
    else
        status = surety__elements_new(info->schema, location, how, alloc,
                                      &items->elements, reterr);
    if (status == SURETY_OK)
        *ret_items = items;
    else
        surety_items_free(items);
    return status;
}

void surety_items_free(surety_items *items)
{
    if (!items)
        return;
    surety__items_leave(items->stream);
    surety__elements_free(items->elements);
    surety_checker_free(items->checker);
    surety_doc_free(items->completed);
    surety_doc_free(items->kept);
    surety_buf_done(&items->location);
    surety_buf_done(&items->texts);
    surety_buf_done(&items->text);
    surety__free(items->alloc, items->ends,
                 items->ends_cap * sizeof(*items->ends));
    surety__free(items->alloc, items->levels,
                 items->levels_cap * sizeof(*items->levels));
    surety__free(items->alloc, items, sizeof(*items));
}

void surety__items_leave(surety_stream *stream)
{
    if (stream && stream->items)
        stream->items->stream = NULL;
    if (stream)
        stream->items = NULL;
}

surety_status surety_items_begin(surety_items *items, surety_stream *stream)
{
    surety__items_leave(items->stream);
    surety__items_leave(stream);
    items->stream = stream;
    items->next = surety_val_none();
    items->seen = items->count;
    items->value = 0;
    items->depth = items->at = 0;
    items->blocked = false;
    if (!stream)
        return SURETY_OK;
    stream->items = items;
    return surety__items_look(items);
}

/* The last value is this one, and nothing of it was compared. */
static void items_turn_to(surety_items *items, surety_val value)
{
    items->last = surety_val_at(value, surety_buf_str(&items->location));
    items->next = surety_val_kind(items->last) == SURETY_KIND_ARRAY
                      ? surety_val_first(items->last)
                      : surety_val_none();
    items->seen = 0;
}

void surety_items_end(surety_items *items, surety_val value)
{
    surety__items_leave(items->stream);
    items_turn_to(items, value);
}

size_t surety__items_work(const surety_items *items)
{
    return items->work;
}

size_t surety_items_count(const surety_items *items)
{
    return items->given;
}

/* The i-th of those found. */
static surety_str items_text(const surety_items *items, size_t i)
{
    const size_t start = i ? items->ends[i - 1] : 0;

    return (surety_str){items->texts.ptr + start, items->ends[i] - start};
}

surety_item surety_items_at(const surety_items *items, size_t i)
{
    surety_item item = {.index = i};

    if (i < items->given)
        item.text = items_text(items, i);
    return item;
}

surety_status surety_items_write(const surety_items *items, surety_buf *out)
{
    const surety_str location = surety_buf_str(&items->location);

    if (!items->count)
        return SURETY_OK;
    surety_buf_text(out, "\n\nElements of the array");
    surety_buf_text(out, location.len ? " at " : "");
    surety_buf_add(out, location);
    surety_buf_text(out, " were taken from a reply before this one, and stay. "
                         "Begin the array with exactly these, in this order, "
                         "and go on behind them:\n[");
    for (size_t i = 0; i < items->count; i++) {
        surety_buf_text(out, i ? ",\n" : "");
        surety_buf_add(out, items_text(items, i));
    }
    surety_buf_text(out, "]\n");
    return out->status;
}

/* ---- one element --------------------------------------------------------- */

/* Whether an element is, as a JSON value, the one that was given. */
static surety_status items_same(surety_items *items, size_t i, surety_val val,
                                bool *ret_equal)
{
    const surety_str given = items_text(items, i);
    surety_status status = SURETY_OK;

    surety_buf_reset(&items->text);
    (void)surety_val_write(val, SURETY_STYLE_COMPACT, &items->text);
    if (items->text.status != SURETY_OK)
        return SURETY_NOMEM;
    *ret_equal = surety_str_equal(given, surety_buf_str(&items->text));
    if (*ret_equal)
        return SURETY_OK;
    status = surety_doc_read(items->kept, given, NULL, NULL);
    if (status == SURETY_OK)
        *ret_equal = surety_val_equal(surety_doc_root(items->kept), val);
    return status == SURETY_NOMEM ? status : SURETY_OK;
}

/* Keeps the next element. */
static surety_status items_keep(surety_items *items, surety_val val)
{
    if (surety__grow(items->alloc, &items->ends, &items->ends_cap,
                     items->count + 1, sizeof(*items->ends), SIZE_MAX))
        return SURETY_NOMEM;
    (void)surety_val_write(val, SURETY_STYLE_COMPACT, &items->texts);
    if (items->texts.status != SURETY_OK)
        return SURETY_NOMEM;
    items->ends[items->count++] = items->texts.len;
    return SURETY_OK;
}

/* ---- the way ------------------------------------------------------------- */

/* Adds the level of a container. */
static surety_status items_enter(surety_items *items, const surety_doc *doc,
                                 uint32_t cell)
{
    if (surety__grow(items->alloc, &items->levels, &items->levels_cap,
                     items->depth + 1, sizeof(*items->levels), SIZE_MAX))
        return SURETY_NOMEM;
    items->levels[items->depth++] = (struct items_level){
        .container = cell, .place = doc->cells[cell].place, .next = cell + 1};
    return SURETY_OK;
}

/* Whether the cells of the way are still those of its containers; removing a
 * key that comes twice may move them. */
static bool items_stands(const surety_items *items, const surety_doc *doc)
{
    for (size_t i = 0; i < items->depth; i++) {
        const struct items_level *level = &items->levels[i];

        if (level->container >= doc->cell_count ||
            doc->cells[level->container].place != level->place ||
            doc->cells[level->container].kind < CELL_ARRAY)
            return false;
    }
    return true;
}

/* The child of the innermost level that is looked at next; NULL: none yet. */
static const surety__cell *items_child(const surety_items *items,
                                       const surety_doc *doc, bool *ret_object)
{
    const struct items_level *level = &items->levels[items->depth - 1];
    const surety__cell *cell = &doc->cells[level->container];

    *ret_object = cell->kind == CELL_OBJECT;
    if (level->ordinal >= cell->count)
        return NULL;
    return &doc->cells[level->next + *ret_object];
}

static void items_pass(surety_items *items, const surety_doc *doc,
                       const surety__cell *child)
{
    struct items_level *level = &items->levels[items->depth - 1];

    level->next = (uint32_t)(surety__cell_after(child) - doc->cells);
    level->ordinal++;
}

/* Goes on in the innermost level to the child that the token names. END: it
 * has not begun. */
static surety_status items_find(surety_items *items, const surety_doc *doc,
                                surety_str token,
                                const surety__cell **ret_child)
{
    const struct items_level *level = &items->levels[items->depth - 1];
    uint32_t index = UINT32_MAX;
    bool object;
    const surety__cell *child = items_child(items, doc, &object);

    if (!object && !surety__pointer_index(token, &index))
        return SURETY_END;
    for (; child; child = items_child(items, doc, &object)) {
        items->work++;
        if (object ? surety__pointer_matches(token,
                                             surety__cell_str(doc, child - 1))
                   : level->ordinal == index) {
            *ret_child = child;
            return SURETY_OK;
        }
        if (child->flags & FLAG_OPEN)
            break;
        items_pass(items, doc, child);
    }
    return SURETY_END;
}

/* Goes on to the array. END: it has not begun, or there is none. */
static surety_status items_walk(surety_items *items, surety_val root)
{
    const surety_str location = surety_buf_str(&items->location);
    const surety__cell *cell = surety__cell_of(root);
    surety_status status = SURETY_OK;

    if (!items->depth) {
        items->at = 0;
        if (cell->kind < CELL_ARRAY)
            return SURETY_END;
        status = items_enter(items, root.doc, root.index);
    }
    while (status == SURETY_OK && items->at < location.len) {
        const size_t start = items->at + 1;
        size_t end = start;

        while (end < location.len && location.ptr[end] != '/')
            end++;
        status =
            items_find(items, root.doc,
                       (surety_str){location.ptr + start, end - start}, &cell);
        if (status != SURETY_OK || cell->kind < CELL_ARRAY)
            return status == SURETY_OK ? SURETY_END : status;
        items->at = end;
        status =
            items_enter(items, root.doc, (uint32_t)(cell - root.doc->cells));
    }
    return status;
}

/* Keeps the new elements of the value so far. END: that are all. */
static surety_status items_come(surety_items *items, surety_val root)
{
    const surety_doc *doc = root.doc;
    surety_status status = items_walk(items, root);

    while (status == SURETY_OK) {
        const size_t i = items->levels[items->depth - 1].ordinal;
        bool object, good;
        const surety__cell *child = items_child(items, doc, &object);
        surety_val val;

        if (object || !child || child->flags & FLAG_OPEN)
            return SURETY_END;
        items->work++;
        val = surety__val_of(doc, child);
        status =
            surety__elements_take(items->elements, items->checker, (uint32_t)i,
                                  items->completed, &val, &good);
        if (status == SURETY_OK && good && i < items->count)
            status = items_same(items, i, val, &good);
        items->blocked = !good;
        if (status != SURETY_OK || !good)
            return status == SURETY_OK ? SURETY_END : status;
        items_pass(items, doc, child);
        if (i == items->count)
            status = items_keep(items, val);
    }
    return status;
}

bool surety__items_cut(surety_str bytes, size_t *ret_len)
{
    size_t len = 0;

    while (len < bytes.len && !memchr(",]}", bytes.ptr[len], 3))
        len++;
    *ret_len = len < bytes.len ? len + 1 : len;
    return len < bytes.len;
}

surety_status surety__items_look(surety_items *items)
{
    const surety_stream *stream = items->stream;
    const surety_stream_info *info = &stream->info;
    surety_status status;

    if (stream->task.contract != items->contract ||
        info->state != SURETY_STREAM_OPEN || !info->value.doc)
        return SURETY_OK;
    if (items->value != stream->begun ||
        !items_stands(items, info->value.doc)) {
        items->value = stream->begun;
        items->depth = 0;
        items->blocked = false;
    }
    if (items->blocked)
        return SURETY_OK;
    status = items_come(items, info->value);
    return status == SURETY_END ? SURETY_OK : status;
}

/* ---- the value of the whole reply ---------------------------------------- */

static surety_status items_contradict(surety_items *items, surety_error *reterr)
{
    const surety_str given = items_text(items, items->seen);
    const surety_str now = surety_buf_str(&items->text);

    surety__fail(reterr, SURETY_SYNTAX,
                 "element %zu was given out as %.*s and is now %.*s",
                 items->seen, (int)surety__utf8_cut(given, ITEMS_SHOWN),
                 given.ptr,
                 now.len ? (int)surety__utf8_cut(now, ITEMS_SHOWN) : 7,
                 now.len ? now.ptr : "missing");
    surety__hint(reterr, "keep the elements that were given out, and add to "
                         "them");
    return SURETY_SYNTAX;
}

/* Compares the elements that were given with the array of the last value. OK:
 * it begins with them. SYNTAX: it does not; `seen` is the first that differs,
 * and the text at hand what it is now. */
static surety_status items_agree(surety_items *items)
{
    for (; items->seen < items->count; items->seen++) {
        surety_status status = SURETY_OK;
        bool equal = false;

        items->work++;
        surety_buf_reset(&items->text);
        if (items->next.doc)
            status = items_same(items, items->seen, items->next, &equal);
        if (status != SURETY_OK)
            return status;
        if (!equal)
            return SURETY_SYNTAX;
        items->next = surety_val_next(items->last, items->next);
    }
    return SURETY_OK;
}

/* Keeps the next element of the last value. */
static surety_status items_rest(surety_items *items, surety_error *reterr)
{
    surety_status status = items_agree(items);

    if (status == SURETY_SYNTAX)
        return items_contradict(items, reterr);
    if (status == SURETY_OK && !items->next.doc)
        return SURETY_END;
    if (status == SURETY_OK)
        status = items_keep(items, items->next);
    if (status != SURETY_OK)
        return surety__fail_nomem(reterr);
    items->work++;
    items->seen++;
    items->next = surety_val_next(items->last, items->next);
    return SURETY_OK;
}

surety_status surety_items_next(surety_items *items, surety_item *ret_item,
                                surety_error *reterr)
{
    surety_status status = SURETY_OK;

    if (!items || !ret_item)
        return surety__fail(reterr, SURETY_MISUSE,
                            "items and an address for one are needed");
    if (items->given == items->count)
        status = items->stream ? SURETY_END : items_rest(items, reterr);
    if (status != SURETY_OK)
        return status;
    items->given++;
    *ret_item = surety_items_at(items, items->given - 1);
    return SURETY_OK;
}

static surety_status items_validate(void *ctx,
                                    const surety_validation *validation,
                                    surety_error *reterr)
{
    surety_items *items = ctx;
    surety_error error;
    surety_buf at;
    surety_status status;

    items_turn_to(items, validation->value);
    status = items_agree(items);
    items->next = surety_val_none(); /* the value does not stay */
    if (status != SURETY_SYNTAX)
        return status == SURETY_OK ? status : surety__fail_nomem(reterr);
    (void)items_contradict(items, &error);
    surety_buf_init(&at, items->alloc, 0);
    surety_buf_add(&at, surety_buf_str(&items->location));
    surety_buf_byte(&at, '/');
    surety_buf_number(&at, items->seen);
    status = at.status ? surety__fail_nomem(reterr)
                       : surety_validation_add(validation, surety_buf_str(&at),
                                               surety_str_of(error.message),
                                               surety_str_of(error.hint));
    surety_buf_done(&at);
    return status;
}

surety_validator surety_items_validator(surety_items *items)
{
    return (surety_validator){.name = surety_str_of("items"),
                              .validate = items_validate,
                              .ctx = items};
}
