/* SPDX-License-Identifier: Apache-2.0 */
/* The laws of the tolerant reader, for any bytes: what the unit tests and the
 * fuzz target ask of every text.
 *
 *     const char *broken = laws_of(text, chunks, alloc);
 *
 * gives NULL where all hold, LAWS_NOMEM where memory ran out, else the name of
 * the law that does not. */
#ifndef SURETY_TESTS_LENIENT_LAWS_H
#define SURETY_TESTS_LENIENT_LAWS_H

#include "json/json.h"
#include "json/lenient.h"

#define LAWS_NOMEM "memory ran out"

/* Bytes that may be looked at for each byte of text, and besides. */
enum { LAWS_WORK = 24, LAWS_WORK_BASE = 4096 };

/* How a text is cut into chunks: by the bytes given, over and over; none: one
 * chunk. snapshots: one is taken after each. */
struct laws_chunks {
    const unsigned char *lens;
    size_t count;
    bool snapshots;
};

/* What a reading came to. */
struct laws_read {
    surety_doc *doc;
    surety_status status;
    size_t end;
    size_t work;
    surety_error error;
};

/* ---- comparing ---------------------------------------------------------- */

static bool laws_same_text(surety_str a, surety_str b)
{
    return a.len == b.len && (!a.len || !memcmp(a.ptr, b.ptr, a.len));
}

/* Whether two docs are the same, cell for cell. */
static bool laws_same_cells(const surety_doc *a, const surety_doc *b)
{
    if (a->cell_count != b->cell_count || a->own_len != b->own_len ||
        (a->own_len && memcmp(a->own, b->own, a->own_len)))
        return false;
    if (a->cell_count &&
        memcmp(a->cells, b->cells, a->cell_count * sizeof(*a->cells)))
        return false;
    if (a->duplicate_count != b->duplicate_count)
        return false;
    for (size_t i = 0; i < a->duplicate_count && i < DOC_DUPLICATES_MAX; i++)
        if (memcmp(&a->duplicates[i], &b->duplicates[i],
                   sizeof(a->duplicates[i])))
            return false;
    return true;
}

/* Whether they have the same repairs. */
static bool laws_same_repairs(const surety_doc *a, const surety_doc *b)
{
    if (a->repairs.total != b->repairs.total ||
        a->repairs.likely != b->repairs.likely)
        return false;
    for (size_t i = 0; i < a->repairs.count; i++) {
        surety__repair_view left = surety__doc_repair(a, i),
                            right = surety__doc_repair(b, i);

        if (strcmp(left.kind, right.kind) || left.likely != right.likely ||
            left.offset != right.offset ||
            !laws_same_text(left.original, right.original) ||
            !laws_same_text(left.read, right.read))
            return false;
    }
    return true;
}

static bool laws_same(const struct laws_read *a, const struct laws_read *b)
{
    return a->status == b->status && a->end == b->end &&
           laws_same_cells(a->doc, b->doc) &&
           laws_same_repairs(a->doc, b->doc) &&
           !strcmp(a->error.message, b->error.message) &&
           !strcmp(a->error.path, b->error.path) &&
           a->error.position.offset == b->error.position.offset;
}

/* ---- snapshots ---------------------------------------------------------- */

/* Whether what the earlier snapshot shows as complete is in the later one
 * as it was. Both are walked together: an open container's values pair up. */
static bool laws_grown(const surety_doc *earlier, const surety_doc *later)
{
    surety_val a = surety_doc_root(earlier), b = surety_doc_root(later);

    while (a.doc) {
        surety_val next_a, next_b;

        if (!b.doc)
            return surety_val_is_open(a);
        if (!surety_val_is_open(a))
            return !surety_val_is_open(b) && surety_val_equal(a, b);
        if (surety_val_kind(a) < SURETY_KIND_ARRAY ||
            surety_val_kind(a) != surety_val_kind(b))
            return true;
        /* An object that has ended has each name once. */
        if (later->duplicate_count)
            return true;
        next_a = surety_val_first(a);
        next_b = surety_val_first(b);
        for (; next_a.doc && !surety_val_is_open(next_a);
             next_a = surety_val_next(a, next_a),
             next_b = surety_val_next(b, next_b)) {
            if (!next_b.doc || surety_val_is_open(next_b) ||
                !surety_val_equal(next_a, next_b) ||
                !laws_same_text(surety_val_str(surety_val_key(next_a)),
                                surety_val_str(surety_val_key(next_b))))
                return false;
        }
        a = next_a;
        b = next_b;
    }
    return true;
}

/* Spans, counts and flags fit together. */
static bool laws_sound(const surety_doc *doc)
{
    size_t count = doc->cell_count;

    for (size_t i = 0; i < count; i++) {
        const surety__cell *cell = &doc->cells[i];
        const surety__cell *child = cell + 1;

        if (cell->flags & ~(FLAG_OWN | FLAG_ASCII | FLAG_OPEN) &&
            !(cell->kind >= CELL_ARRAY && cell->flags & FLAG_OPEN))
            return false;
        if (surety__cell_is_string(cell)) {
            size_t len = cell->flags & FLAG_OWN ? doc->own_len : doc->text_len;

            if (cell->off > len || cell->len > len - cell->off ||
                !surety__utf8_valid(surety__cell_str(doc, cell), NULL))
                return false;
        }
        if (cell->kind < CELL_ARRAY)
            continue;
        if (!cell->span || cell->span > count - i)
            return false;
        for (uint32_t n = 0; n < cell->count; n++) {
            if (child >= cell + cell->span)
                return false;
            if (cell->kind == CELL_OBJECT) {
                if (child->kind != CELL_KEY)
                    return false;
                child++;
            }
            child = surety__cell_after(child);
        }
        if (child != cell + cell->span)
            return false;
    }
    return true;
}

/* ---- reading ------------------------------------------------------------ */

static const char *laws_push(surety_lenient *reader, surety_str text,
                             const struct laws_chunks *chunks,
                             const surety__lenient_options *options,
                             const surety_alloc *alloc, struct laws_read *read)
{
    surety_doc *copy = NULL;
    const char *broken = NULL;
    size_t at = 0;
    surety_val root;

    read->error = (surety_error){0};
    read->status =
        surety__lenient_begin(reader, read->doc, options, &read->error);
    for (size_t i = 0; read->status == SURETY_OK && at < text.len; i++) {
        size_t len = text.len - at;

        if (chunks->count) {
            size_t most = chunks->lens[i % chunks->count];

            len = most < len ? most : len;
        }
        read->status = surety_lenient_feed(
            reader, (surety_str){text.ptr + at, len}, &read->error);
        at += len;
        if (!chunks->snapshots || read->status < SURETY_OK)
            continue;
        if (surety_lenient_snapshot(reader, &root, NULL)) {
            broken = LAWS_NOMEM;
            goto done;
        }
        if (!laws_sound(read->doc)) {
            broken = "a snapshot is sound";
            goto done;
        }
        if (copy && surety_doc_root(copy).doc && text.len < 4096 &&
            !laws_grown(copy, read->doc)) {
            broken = "what is complete stays";
            goto done;
        }
        if (!root.doc || text.len >= 4096)
            continue;
        if (!copy)
            copy = surety_doc_new(alloc);
        if (!copy) {
            broken = LAWS_NOMEM;
            goto done;
        }
        surety_build_begin(copy, NULL);
        surety_build_val(copy, root);
        if (surety_build_end(copy, NULL)) {
            broken = LAWS_NOMEM;
            goto done;
        }
    }
    if (read->status == SURETY_OK || read->status == SURETY_END)
        read->status = surety_lenient_finish(reader, &read->end, &read->error);
    read->work = reader->work;
    if (read->status == SURETY_NOMEM)
        broken = LAWS_NOMEM;
    else if (read->status >= SURETY_OK && !laws_sound(read->doc))
        broken = "a document is sound";
    else if (copy && read->status >= SURETY_OK && surety_doc_root(copy).doc &&
             !laws_grown(copy, read->doc))
        broken = "what is complete stays to the end";
    else if (reader->work > LAWS_WORK * text.len + LAWS_WORK_BASE)
        broken = "the work is linear";
done:
    surety_doc_free(copy);
    return broken;
}

/* ---- laws --------------------------------------------------------------- */

/* What was read is JSON when it is written, and reads as itself. */
static const char *laws_idempotent(const struct laws_read *read,
                                   surety_doc *again, surety_buf *out)
{
    surety_status status;
    size_t end = 0;

    if (!surety_doc_root(read->doc).doc)
        return NULL;
    surety_buf_reset(out);
    if (surety_val_write(surety_doc_root(read->doc), SURETY_STYLE_COMPACT, out))
        return LAWS_NOMEM;
    status = surety_doc_read(again, surety_buf_str(out), NULL, NULL);
    if (status == SURETY_NOMEM)
        return LAWS_NOMEM;
    if (status)
        return "what was read is JSON";
    if (!surety_val_equal(surety_doc_root(read->doc), surety_doc_root(again)))
        return "what was written is what was read";
    status =
        surety__doc_read_lenient(again, surety_buf_str(out), NULL, &end, NULL);
    if (status == SURETY_NOMEM)
        return LAWS_NOMEM;
    if (status || end != out->len || surety__doc_repair_count(again) ||
        !surety_val_equal(surety_doc_root(read->doc), surety_doc_root(again)))
        return "nothing is repaired twice";
    return NULL;
}

/* JSON is read as the strict reader reads it; what is not, with a repair. */
static const char *laws_honest(surety_str text, const struct laws_read *read,
                               surety_doc *again)
{
    surety_status status = surety_doc_read(again, text, NULL, NULL);

    if (status == SURETY_NOMEM)
        return LAWS_NOMEM;
    if (status == SURETY_OK &&
        (read->status || surety__doc_repair_count(read->doc) ||
         !laws_same_cells(read->doc, again)))
        return "JSON is read as it is";
    if (read->status || surety__doc_repair_count(read->doc))
        return NULL;
    status =
        surety_doc_read(again, (surety_str){text.ptr, read->end}, NULL, NULL);
    if (status == SURETY_NOMEM)
        return LAWS_NOMEM;
    if (status || !laws_same_cells(read->doc, again))
        return "what is not JSON is reported";
    return NULL;
}

/* The levels allow what they say. */
static const char *laws_levels(surety_str text, const struct laws_read *free,
                               surety_lenient *reader, struct laws_read *read,
                               surety_doc *again)
{
    const struct laws_chunks whole = {.count = 0};
    surety__lenient_options options = {.certain_only = true};
    const char *broken;
    surety_status status;

    broken = laws_push(reader, text, &whole, &options, NULL, read);
    if (broken)
        return broken;
    if (read->status == SURETY_OK && surety__doc_repair_likely(read->doc))
        return "a guess is no certainty";
    if (free->status == SURETY_OK && !surety__doc_repair_likely(free->doc) &&
        !laws_same(free, read))
        return "certainty is no less than that";
    options.strict = true;
    broken = laws_push(reader, text, &whole, &options, NULL, read);
    if (broken)
        return broken;
    if (surety__doc_repair_count(read->doc))
        return "a repair where none may be made";
    status = surety_doc_read(again, text, NULL, NULL);
    if (status == SURETY_NOMEM)
        return LAWS_NOMEM;
    if (status == SURETY_OK && !laws_same(free, read))
        return "the push reader reads JSON";
    if (read->status == SURETY_OK &&
        surety_doc_read(again, (surety_str){text.ptr, read->end}, NULL, NULL))
        return "the push reader reads JSON only";
    return NULL;
}

/* All laws for one text. */
static const char *laws_of(surety_str text, const struct laws_chunks *chunks,
                           const surety_alloc *alloc)
{
    const struct laws_chunks whole = {.count = 0};
    surety_lenient *reader = surety_lenient_new(alloc);
    struct laws_read one = {.doc = surety_doc_new(alloc)};
    struct laws_read two = {.doc = surety_doc_new(alloc)};
    surety_doc *again = surety_doc_new(alloc);
    const char *broken = LAWS_NOMEM;
    surety_buf out;

    surety_buf_init(&out, alloc, 0);
    if (!reader || !one.doc || !two.doc || !again)
        goto done;
    /* Read at once, without and with the strict reader's help. */
    broken = laws_push(reader, text, &whole, NULL, alloc, &one);
    if (broken)
        goto done;
    two.status =
        surety__doc_read_lenient(two.doc, text, NULL, &two.end, &two.error);
    broken = two.status == SURETY_NOMEM ? LAWS_NOMEM : NULL;
    if (broken)
        goto done;
    if (two.end == one.end && !laws_same(&one, &two)) {
        broken = "pushed or not, it is the same";
        goto done;
    }
    if (two.status != one.status || !laws_same_cells(one.doc, two.doc)) {
        broken = "pushed or not, it is the same value";
        goto done;
    }
    broken = laws_honest(text, &one, again);
    if (!broken && one.status >= SURETY_OK)
        broken = laws_idempotent(&one, again, &out);
    if (!broken)
        broken = laws_push(reader, text, chunks, NULL, alloc, &two);
    if (!broken && !laws_same(&one, &two))
        broken = "chunks make no difference";
    if (!broken)
        broken = laws_levels(text, &one, reader, &two, again);
done:
    surety_buf_done(&out);
    surety_doc_free(again);
    surety_doc_free(two.doc);
    surety_doc_free(one.doc);
    surety_lenient_free(reader);
    return broken;
}

#endif
