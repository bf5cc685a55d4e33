/* SPDX-License-Identifier: Apache-2.0 */
/* Where in the reply an issue is, as the user sees the reply.
 *
 * An issue is placed first: the byte that its value's cell remembers, mapped
 * through the finder where the candidate was cleaned of markup. Lines and
 * columns cost a walk over the text, so all issues get theirs in one walk, in
 * the order of their offsets. */
#include "extract/extract.h"
#include "reply/reply.h"

/* What a text without quotes holds: up to the next sign of JSON or the end of
 * the line, blanks before it left out. */
static size_t locate_bare(surety_str text)
{
    size_t at = 0;

    while (at < text.len && !memchr(",:{}[]\r\n", text.ptr[at], 8))
        at++;
    while (at > 1 && (text.ptr[at - 1] == ' ' || text.ptr[at - 1] == '\t'))
        at--;
    return at ? at : text.len > 0;
}

size_t surety__locate_string(surety_str text)
{
    size_t at = 1;

    if (!text.len || !memchr("\"'`", text.ptr[0], 3))
        return locate_bare(text);
    while (at < text.len && text.ptr[at] != text.ptr[0])
        at += text.ptr[at] == '\\' ? 2 : 1;
    return at < text.len ? at + 1 : text.len;
}

size_t surety__locate_cell(surety_str text, const surety_doc *doc,
                           const surety__cell *cell)
{
    switch (cell->kind) {
    case CELL_STRING:
    case CELL_KEY: return surety__locate_string(text);
    case CELL_NULL:
    case CELL_TRUE: return 4;
    case CELL_FALSE: return 5;
    case CELL_INT:
    case CELL_WHOLE:
    case CELL_REAL: return surety__cell_number(doc, cell).len;
    default: return 1;
    }
}

static size_t locate_origin(const surety_judge *judge,
                            const surety__trial *trial, size_t offset)
{
    return trial->tolerant
               ? surety__region_origin(judge->finder, trial->index, offset)
               : surety__finder_origin(judge->finder, trial->index, offset);
}

void surety__locate_span(const surety_judge *judge, const surety__trial *trial,
                         size_t offset, size_t length, surety__issue *issue)
{
    const size_t len = trial->candidate.text.len;
    size_t end = offset + length;

    /* A literal that was cut off has fewer bytes than others. */
    if (end > len)
        end = len > offset ? len : offset;
    length = end - offset;
    if (!surety__trial_is_native(trial)) {
        /* The end of the last byte: what follows may be markup. */
        end = length ? locate_origin(judge, trial, end - 1) + 1 : 0;
        offset = locate_origin(judge, trial, offset);
    }
    assert(trial->candidate.place != SURETY_PLACE_NONE);
    issue->placed = true;
    issue->seen.position.offset = offset;
    issue->seen.position.length = end > offset ? end - offset : 0;
}

void surety__locate_value(const surety_judge *judge, const surety__trial *trial,
                          surety_val value, surety__issue *issue)
{
    const surety__cell *cell;
    surety_str text;

    /* What was aligned keeps the places of what it was copied from. */
    if (!value.doc || (value.doc != trial->doc && value.doc != trial->aligned))
        return;
    cell = surety__cell_of(value);
    /* The place of a built integer is that of its text. */
    if (cell->place == PLACE_NONE ||
        (cell->kind == CELL_INT && cell->flags & FLAG_OWN))
        return;
    text = surety_doc_text(value.doc);
    surety__str_skip(&text, cell->place);
    surety__locate_span(judge, trial, cell->place,
                        surety__locate_cell(text, value.doc, cell), issue);
}

/* Sorts by offset: a heap, so that many issues stay cheap without memory. */
static void locate_sort(surety__issue **issues, size_t count)
{
    for (size_t left = count / 2, right = count; right > 1;) {
        surety__issue *moved;
        size_t hole, child;

        if (left) {
            moved = issues[hole = --left];
        } else {
            moved = issues[--right];
            issues[right] = issues[hole = 0];
        }
        for (; (child = 2 * hole + 1) < right; hole = child) {
            if (child + 1 < right && issues[child + 1]->seen.position.offset >
                                         issues[child]->seen.position.offset)
                child++;
            if (issues[child]->seen.position.offset <=
                moved->seen.position.offset)
                break;
            issues[hole] = issues[child];
        }
        issues[hole] = moved;
    }
}

static size_t locate_collect(surety__issues *from, surety__issue **to)
{
    size_t count = 0;

    for (size_t i = 0; i < from->count; i++)
        if (from->items[i].placed)
            to[count++] = &from->items[i];
    return count;
}

surety_status surety__locate_all(surety_outcome *outcome)
{
    surety__position_walk walk = surety__position_begin(outcome->seen);
    const size_t most = outcome->errors.count + outcome->warnings.count +
                        outcome->repairs.count;
    surety__issue **order;
    size_t count;

    if (!most)
        return SURETY_OK;
    order = surety__arena_take(&outcome->arena, most * sizeof(*order));
    if (!order)
        return SURETY_NOMEM;
    count = locate_collect(&outcome->errors, order);
    count += locate_collect(&outcome->warnings, order + count);
    for (size_t i = 0; i < outcome->repairs.count; i++)
        if (outcome->repairs.items[i].issue.placed)
            order[count++] = &outcome->repairs.items[i].issue;
    assert(count <= most);
    locate_sort(order, count);
    for (size_t i = 0; i < count; i++) {
        surety__issue *issue = order[i];
        surety_position *position = &issue->seen.position;
        surety__position_walk end;

        surety__position_advance(&walk, position->offset);
        position->line = walk.line;
        position->column = walk.column;
        issue->char_offset = walk.chars;
        end = walk;
        surety__position_advance(&end, position->offset + position->length);
        issue->char_length = end.chars - walk.chars;
    }
    return SURETY_OK;
}
