/* SPDX-License-Identifier: Apache-2.0 */
/* Where a tolerant reader may look. Of text that is almost JSON only its reader
 * knows the end. So a region is a byte at which a value may start, and how far
 * it may go on, and the search goes on where the reader says that the value
 * ended.
 *
 * A place is a row of fields: the whole reply, a fence's content, what follows
 * a marker, a stretch of prose between fences and reasoning. In a field the
 * first region starts at its first byte, behind what wraps a value, where the
 * place promises one; all others start at a bracket that looks like JSON
 * (start.c).
 *
 * - What is read from a wrapper, and what is no array or object, must be all
 * that the field holds.
 * - A value that a field's end cuts off may go on behind it, to the end of the
 *   reply or to the next reasoning: the marks of a fence can stand in a string.
 *   If it does not end there either, it was cut off in its field.
 * - Behind a value that is no JSON after all the search goes on where the
 *   reader gave up, and not inside: a part of a broken value is not the value.
 *   JSON that cannot be read is passed over as far as its brackets go.
 * - An object without a colon is prose, unless a value follows its quoted key.
 *
 * Every reading is paid for out of REGION_PASSES_MAX times the reply: by what
 * was read, or by what beginning to read takes. A place whose account is empty
 * has no more regions, and no rows.
 */
#include "extract/finder.h"

#include <stdlib.h>

enum {
    REGION_PASSES_MAX = 4,   /* times the reply */
    REGION_WORK_MIN = 65536, /* and so much at least */
    REGION_VALUE_COST = 32,  /* of a value at least */
    REGION_FAIL_COST = 256,  /* and of what is none */
    REGION_TAIL_SHARE = 16   /* of the text behind a field's last bracket */
};

static bool region_open_field(surety_finder *finder, surety_status *ret_status);
static bool region_in_field(surety_finder *finder, size_t *ret_at);
static bool region_is_prose(surety_str value);

static surety__region_row *region_row(const surety_finder *finder, size_t i)
{
    assert(i < finder->regions.count);
    return (surety__region_row *)finder->regions.ptr + i;
}

surety_status surety__region_begin(surety_finder *finder, surety_place place)
{
    surety__region_search *search = &finder->search;
    surety_status status = surety__finder_scan(finder);

    *search = (surety__region_search){
        .place = place,
        .work_max = REGION_PASSES_MAX * finder->reply.len + REGION_WORK_MIN,
        .first_row = finder->regions.count,
    };
    if (status == SURETY_OK &&
        (place == SURETY_PLACE_FENCE || place == SURETY_PLACE_FENCE_ANY))
        status = surety__fence_gather(finder);
    return status;
}

surety_status surety__region_next(surety_finder *finder,
                                  surety__region *ret_region)
{
    surety__region_search *search = &finder->search;
    surety__region_field *field = &search->field;
    surety_status status = SURETY_OK;
    surety__region_row *row;
    size_t at = 0;

    assert(search->place > SURETY_PLACE_NATIVE);
    do {
        if (search->work > search->work_max) {
            search->apart = true;
            return SURETY_END;
        }
        if (!search->in_field && !region_open_field(finder, &status))
            return status == SURETY_OK ? SURETY_END : status;
        search->in_field = region_in_field(finder, &at);
    } while (!search->in_field);
    row = surety__rows_add(finder, &finder->regions);
    if (!row)
        return SURETY_NOMEM;
    *row = (surety__region_row){
        .slice = field->slice,
        .weak = !search->exact && !search->strong,
    };
    surety__slice_skip(&row->slice, at);
    field->at = at;
    *ret_region = (surety__region){
        .place = search->place,
        .group = field->group,
        .index = finder->regions.count - 1,
        .text = row->slice.text,
        .weak = row->weak,
        .copied = field->slice.stretch_count > 0,
        .last = field->last,
    };
    ret_region->start = surety__region_origin(finder, ret_region->index, 0);
    if (search->exact && search->from < at && !field->slice.stretch_count)
        ret_region->wrapper = at - search->from;
    return SURETY_OK;
}

/* A value was read that takes `used` bytes of the last region. */
static bool region_value(surety_finder *finder, size_t used, size_t *ret_rest)
{
    surety__region_search *search = &finder->search;
    surety__region_field *field = &search->field;
    surety__region_row *row = region_row(finder, finder->regions.count - 1);
    const size_t end = field->at + used;
    size_t brackets = end;
    enum surety__start next;
    bool over;

    if (region_is_prose((surety_str){row->slice.text.ptr, used})) {
        field->at++;
        return false;
    }
    over = surety__text_over(field->slice.text, end, &brackets);
    if (search->exact && !over && !field->whole) {
        /* No wrapped value: what looked like a wrapper is text. */
        field->at = search->from < field->at ? search->from : field->at + 1;
        return false;
    }
    row->used = used;
    search->value_count++;
    search->strong_count += !row->weak;
    search->past =
        surety__region_origin(finder, finder->regions.count - 1, used);
    row->rest = *ret_rest = over ? brackets - end : 0;
    field->at = end;
    if (field->single || search->stretched)
        search->in_field = false;
    if (!search->exact || over)
        return !field->whole || search->value_count == 1;
    /* Rows, perhaps: the next value must follow at once. */
    while (field->at < field->slice.text.len &&
           (surety__is_space(field->slice.text.ptr[field->at]) ||
            field->slice.text.ptr[field->at] == ','))
        field->at++;
    next = surety__start_at(field->slice.text, field->at);
    if (next == START_STRONG || next == START_WEAK) {
        field->fresh = true;
    } else {
        search->apart = true;
        search->in_field = false;
    }
    return false;
}

/* The last region, so many bytes of it, is JSON that cannot be read. */
static void region_break(surety_finder *finder, size_t len)
{
    region_row(finder, finder->regions.count - 1)->refused = len;
    finder->search.broken = true;
}

/* The last region's value did not end. What is JSON up to the reply's end is no
 * bracket of prose. */
static bool region_cut(surety_finder *finder, bool begun)
{
    surety__region_search *search = &finder->search;
    surety__region_field *field = &search->field;
    const bool strong =
        search->strong || search->exact ||
        (field->last &&
         (begun || surety__start_is_json(field->slice.text, field->at)));

    if (!strong) {
        field->at++;
        return false;
    }
    if (field->whole && search->value_count) {
        search->apart = true;
        search->in_field = false;
        return false;
    }
    if (search->stretched) {
        /* It does not end behind its field either. */
        search->stretched = false;
        search->settled = true;
        field->slice.text.len = search->field_len;
        field->marks.known = field->measured = false;
        field->last = search->field_last;
        search->again = true;
        return false;
    }
    if (!field->last && !search->settled && !field->slice.stretch_count &&
        field->slice.origin + field->slice.text.len < field->limit) {
        search->stretched = search->again = true;
        search->field_len = field->slice.text.len;
        search->field_last = field->last;
        field->slice.text.len = field->limit - field->slice.origin;
        field->marks.known = field->measured = false;
        field->last = field->limit == finder->reply.len;
        return false;
    }
    search->in_field = false;
    region_break(finder, field->slice.text.len - field->at);
    return field->last || search->place != SURETY_PLACE_EMBEDDED;
}

/* What is no value was read, up to `used`. */
static void region_none(surety_finder *finder, size_t used)
{
    surety__region_search *search = &finder->search;
    surety__region_field *field = &search->field;

    if (surety__start_is_json(field->slice.text, field->at)) {
        size_t end;

        if (surety__start_closes(field->slice.text, field->at, field->at + used,
                                 &end))
            end = surety__start_extend(field->slice.text, end);
        search->work += end - field->at;
        region_break(finder, end - field->at);
        field->at = end;
    } else {
        field->at += search->strong && used > 0 ? used : 1;
    }
    if (field->whole)
        search->in_field = false;
}

/* What reading the rest of a field has cost. A reader looks for its last
 * bracket first. */
static size_t region_cost(surety__region_field *field, surety__reading reading,
                          size_t used)
{
    const size_t least =
        reading == SURETY__READING_VALUE ? REGION_VALUE_COST : REGION_FAIL_COST;

    if (!field->measured) {
        size_t last = field->slice.text.len;

        field->measured = true;
        while (last && field->slice.text.ptr[last - 1] != '}' &&
               field->slice.text.ptr[last - 1] != ']')
            last--;
        field->tail = (field->slice.text.len - last) / REGION_TAIL_SHARE;
    }
    return (used > least ? used : least) + field->tail;
}

bool surety__region_read(surety_finder *finder, surety__reading reading,
                         size_t used, size_t *ret_rest)
{
    surety__region_search *search = &finder->search;
    surety__region_field *field = &search->field;
    size_t rest = 0;
    bool good = false;

    assert(finder->regions.count > search->first_row);
    assert(used <= field->slice.text.len - field->at);
    search->work += region_cost(field, reading, used);
    if (reading == SURETY__READING_VALUE) {
        good = region_value(finder, used, &rest);
    } else if (reading != SURETY__READING_NONE) {
        good = region_cut(finder, reading == SURETY__READING_BEGUN);
    } else if (search->stretched) {
        (void)region_cut(finder, false);
    } else {
        region_none(finder, used);
    }
    if (ret_rest)
        *ret_rest = rest;
    return good;
}

/* The next byte in the field at which a value may start. */
static bool region_in_field(surety_finder *finder, size_t *ret_at)
{
    surety__region_search *search = &finder->search;
    surety__region_field *field = &search->field;
    const bool unwraps =
        !field->whole || !surety__finder_lists(finder, SURETY_PLACE_EMBEDDED);
    enum surety__start start = START_NONE;
    size_t at = field->at;

    if (search->again) {
        search->again = false;
        *ret_at = at;
        return true;
    }
    search->stretched = search->settled = false;
    if (field->fresh && field->bare) {
        field->fresh = false;
        while (at < field->slice.text.len &&
               surety__is_space(field->slice.text.ptr[at]))
            at++;
        field->at = search->from = at;
        if (unwraps)
            at = surety__start_unwrap(field->slice.text, at);
        start = surety__start_at(field->slice.text, at);
        /* Words in brackets are a value where they are all there is. */
        if (start == START_NONE && at < field->slice.text.len &&
            field->slice.text.ptr[at] == '[')
            start = START_SCALAR;
        search->exact = field->whole || start == START_SCALAR || at > field->at;
        /* What a block begins with is no bracket of prose. */
        search->strong =
            start == START_STRONG ||
            (start == START_WEAK && (search->place == SURETY_PLACE_FENCE ||
                                     search->place == SURETY_PLACE_FENCE_ANY));
        *ret_at = at;
        if (start != START_NONE)
            return true;
        at = field->at;
    }
    if (field->whole)
        return false;
    at = surety__start_next(field->slice.text, at, &field->marks, &start);
    search->work += at - field->at;
    field->at = at;
    search->exact = false;
    search->strong = start == START_STRONG;
    *ret_at = at;
    return at < field->slice.text.len;
}

/* ---- fields -------------------------------------------------------------- */

/* A field of the reply's own bytes from start to end; none of those that were
 * read. */
static bool region_field(surety_finder *finder, size_t start, size_t end,
                         surety__region_field field)
{
    surety__region_search *search = &finder->search;
    size_t low = 0;
    size_t high = finder->layout.masks.count;

    if (start < search->past) {
        start = search->past;
        field.bare = false;
    }
    if (start >= end)
        return false;
    field.slice.text = (surety_str){finder->reply.ptr + start, end - start};
    field.slice.origin = start;
    field.fresh = true;
    field.last = field.last && end >= finder->all.end;
    /* The first reasoning behind it. */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (surety__mask_at(finder, middle)->start < end)
            low = middle + 1;
        else
            high = middle;
    }
    field.limit = low < finder->layout.masks.count
                      ? surety__mask_at(finder, low)->start
                      : finder->layout.end;
    search->field = field;
    return true;
}

/* A block whose lines carry markup. OK, NOMEM, END: it is empty. */
static surety_status region_clean(surety_finder *finder, size_t i,
                                  surety__region_field field)
{
    if (surety__slice_block(finder, i, &field.slice) != SURETY_OK)
        return SURETY_NOMEM;
    if (!field.slice.text.len)
        return SURETY_END;
    field.fresh = true;
    finder->search.field = field;
    return SURETY_OK;
}

/* The next fence of the place. */
static surety_status region_fence(surety_finder *finder)
{
    surety__region_search *search = &finder->search;
    const bool any = search->place == SURETY_PLACE_FENCE_ANY;

    for (;;) {
        const size_t count = finder->layout.fences.count;
        const uint32_t tag = count ? (uint32_t)(search->turn / count) : 0;
        const surety__fence *fence;
        surety__region_field field = {.bare = true, .group = tag};
        surety_status status;

        if (!count || tag > (any ? BLOCK_OTHER : BLOCK_JSON))
            return SURETY_END;
        if (search->turn % count == 0)
            search->past = 0;
        fence =
            (surety__fence *)finder->layout.fences.ptr + search->turn++ % count;
        if (fence->tag != tag)
            continue;
        if (fence->block != SURETY__NO_BLOCK &&
            surety__block_at(finder, fence->block)->piece_count) {
            if (fence->span.start < search->past)
                continue;
            status = region_clean(finder, fence->block, field);
            if (status == SURETY_END)
                continue;
            return status;
        }
        field.last = fence->block == SURETY__NO_BLOCK &&
                     fence->span.end == finder->layout.end &&
                     finder->layout.end == finder->reply.len;
        if (region_field(finder, fence->span.start, fence->span.end, field))
            return SURETY_OK;
    }
}

/* What follows the next marker. */
static surety_status region_marked(surety_finder *finder)
{
    surety__region_search *search = &finder->search;
    size_t at;

    while (surety__place_marker(finder, &search->walk, &at)) {
        surety__walk walk = search->walk;

        if (at < search->past)
            continue;
        while (walk.block < finder->layout.blocks.count &&
               surety__block_at(finder, walk.block)->close_end <= at)
            walk.block++;
        search->walk.block = walk.block;
        /* A fence may stand between the marker and its value. */
        while (surety__place_segment(finder, &walk)) {
            const surety__region_field field = {.bare = true,
                                                .single = true,
                                                .last = walk.stop ==
                                                        finder->reply.len};
            const surety_str text = {finder->reply.ptr + walk.pos,
                                     walk.stop - walk.pos};

            if (!surety__str_trim(text).len) {
                walk.pos = walk.stop;
                continue;
            }
            if (region_field(finder, walk.pos, walk.stop, field))
                return SURETY_OK;
            break;
        }
    }
    return SURETY_END;
}

/* Whether `at` is in a block whose lines carry markup. */
static bool region_is_marked_up(const surety_finder *finder, size_t i,
                                size_t at)
{
    const surety__block *block;

    if (i >= finder->layout.blocks.count)
        return false;
    block = surety__block_at(finder, i);
    return block->piece_count && at >= block->content &&
           at < block->content_end;
}

/* Opens the next field of the place; false: there is none, or no memory. */
static bool region_open_field(surety_finder *finder, surety_status *ret_status)
{
    surety__region_search *search = &finder->search;
    surety__walk *walk = &search->walk;
    surety_str text;

    switch (search->place) {
    case SURETY_PLACE_WHOLE: {
        const surety__region_field field = {.whole = true,
                                            .bare = true,
                                            .last = finder->layout.end ==
                                                    finder->reply.len};
        const surety__span span = surety__finder_whole(finder);

        *ret_status = surety__region_text(finder, &text);
        /* Blanks at the end may be those of a string that was cut off. */
        return *ret_status == SURETY_OK && search->turn++ == 0 && text.len &&
               region_field(finder, span.start,
                            field.last && span.end == finder->all.end
                                ? finder->reply.len
                                : span.end,
                            field);
    }
    case SURETY_PLACE_FENCE:
    case SURETY_PLACE_FENCE_ANY: *ret_status = region_fence(finder); break;
    case SURETY_PLACE_MARKER: *ret_status = region_marked(finder); break;
    case SURETY_PLACE_EMBEDDED:
        while (surety__place_segment(finder, walk)) {
            const surety__region_field field = {.last = walk->stop ==
                                                        finder->reply.len};
            const size_t start = walk->pos;

            walk->pos = walk->stop;
            if (region_is_marked_up(finder, walk->block, start)) {
                if (start < search->past)
                    continue;
                *ret_status = region_clean(finder, walk->block, field);
                if (*ret_status != SURETY_END)
                    return *ret_status == SURETY_OK;
                *ret_status = SURETY_OK;
                continue;
            }
            if (region_field(finder, start, walk->stop, field))
                return true;
        }
        return false;
    default: return false;
    }
    if (*ret_status == SURETY_OK)
        return true;
    if (*ret_status == SURETY_END)
        *ret_status = SURETY_OK;
    return false;
}

surety_status surety__region_text(surety_finder *finder, surety_str *ret_text)
{
    const surety_status status = surety__finder_scan(finder);
    const surety__span span = surety__finder_whole(finder);

    if (status != SURETY_OK)
        return status;
    *ret_text =
        (surety_str){finder->reply.ptr + span.start, span.end - span.start};
    if (finder->layout.end < finder->reply.len)
        ret_text->len = 0;
    for (size_t i = 0; i < finder->layout.masks.count; i++)
        if (surety__mask_at(finder, i)->start >= span.start &&
            surety__mask_at(finder, i)->end <= span.end)
            ret_text->len = 0;
    return SURETY_OK;
}

/* How many rows there are: what may be prose in brackets is one only where all
 * are such. */
static size_t region_row_count(const surety__region_search *search)
{
    return search->strong_count ? search->strong_count : search->value_count;
}

size_t surety__region_failed(const surety_finder *finder)
{
    return region_row(finder, finder->regions.count - 1)->refused;
}

bool surety__region_goes_on(const surety_finder *finder, size_t used)
{
    const surety__region_field *field = &finder->search.field;

    return surety__start_goes_on(field->slice.text, field->at + used);
}

bool surety__region_several(const surety_finder *finder)
{
    const surety__region_search *search = &finder->search;

    return search->apart || region_row_count(search) + search->broken > 1;
}

/* Brackets without a colon are no object; the reader makes members of anything.
 */
static bool region_is_prose(surety_str value)
{
    if (!value.len || value.ptr[0] != '{' || surety__start_is_json(value, 0))
        return false;
    if (memchr(value.ptr, ':', value.len) || memchr(value.ptr, '=', value.len))
        return false;
    for (size_t i = 1; i < value.len; i++)
        if (!surety__is_space(value.ptr[i]))
            return value.ptr[i] != '}' &&
                   surety__str_find(value, SURETY__LITERAL("\xEF\xBC\x9A")) ==
                       value.len;
    return false;
}

/* ---- rows ---------------------------------------------------------------- */

/* Notes where the bytes of a row from start to end stand, which are copied to
 * `copy`. */
static bool region_row_stretches(surety_finder *finder,
                                 const surety__slice *slice, size_t start,
                                 size_t end, size_t copy)
{
    size_t len;

    for (; start < end; start += len, copy += len) {
        const size_t origin = surety__slice_origin(finder, slice, start, &len);

        if (!surety__slice_stretch(finder, copy, origin))
            return false;
    }
    return true;
}

static bool region_is_row(const surety_finder *finder, size_t i)
{
    const surety__region_row *row = region_row(finder, i);

    return row->used && !(row->weak && finder->search.strong_count);
}

/* One of the rows, in the order of the reply. */
struct region_turn {
    size_t start; /* in the reply */
    size_t row;
};

static int region_turn_compare(const void *a, const void *b)
{
    const struct region_turn *first = a;
    const struct region_turn *second = b;

    return (first->start > second->start) - (first->start < second->start);
}

/* The rows in the order of the reply: a place may look at its later blocks
 * first. NULL: out of memory. */
static struct region_turn *region_order(surety_finder *finder,
                                        size_t *ret_count)
{
    const size_t first = finder->search.first_row;
    const size_t max = finder->regions.count - first;
    struct region_turn *turns =
        surety__arena_take(&finder->copies, max * sizeof(*turns));
    size_t count = 0;

    if (!turns)
        return NULL;
    for (size_t i = first; i < finder->regions.count; i++)
        if (region_is_row(finder, i))
            turns[count++] = (struct region_turn){
                surety__region_origin(finder, i, 0),
                i,
            };
    assert(count > 1);
    qsort(turns, count, sizeof(*turns), region_turn_compare);
    *ret_count = count;
    return turns;
}

/* Writes the rows as one array, and behind it what is left over behind the
 * last of them; NULL: out of memory. */
static char *region_write_rows(surety_finder *finder, char *text,
                               const struct region_turn *turns, size_t count)
{
    const size_t last = turns[count - 1].row;
    const surety__region_row *row;
    char *to = text;

    for (size_t i = 0; i < count; i++) {
        row = region_row(finder, turns[i].row);
        if (!surety__slice_stretch(finder, (size_t)(to - text), turns[i].start))
            return NULL;
        *to = to == text ? '[' : ',';
        to++;
        if (!region_row_stretches(finder, &row->slice, 0, row->used,
                                  (size_t)(to - text)))
            return NULL;
        memcpy(to, row->slice.text.ptr, row->used);
        to += row->used;
    }
    row = region_row(finder, last);
    if (!surety__slice_stretch(finder, (size_t)(to - text),
                               surety__region_origin(finder, last, row->used) -
                                   1))
        return NULL;
    *to++ = ']';
    if (row->rest &&
        !region_row_stretches(finder, &row->slice, row->used,
                              row->used + row->rest, (size_t)(to - text)))
        return NULL;
    memcpy(to, row->slice.text.ptr + row->used, row->rest);
    return text;
}

surety_status surety__region_rows(surety_finder *finder,
                                  surety__region *ret_region)
{
    surety__region_search *search = &finder->search;
    const size_t first_stretch = finder->stretches.count;
    struct region_turn *turns;
    size_t count;
    size_t len = 1;
    size_t rest;
    surety__region_row *row;
    char *text;

    if (region_row_count(search) < 2 || search->apart || search->broken)
        return SURETY_END;
    turns = region_order(finder, &count);
    if (!turns)
        return SURETY_NOMEM;
    for (size_t i = 0; i < count; i++)
        len += region_row(finder, turns[i].row)->used + 1;
    rest = region_row(finder, turns[count - 1].row)->rest;
    len += rest;
    text = surety__arena_take(&finder->copies, len);
    if (!text || !region_write_rows(finder, text, turns, count))
        return SURETY_NOMEM;
    row = surety__rows_add(finder, &finder->regions);
    if (!row)
        return SURETY_NOMEM;
    *row = (surety__region_row){.used = 0};
    row->slice = (surety__slice){
        .text = {text, len},
        .stretch = (uint32_t)first_stretch,
        .stretch_count = (uint32_t)(finder->stretches.count - first_stretch),
    };
    *ret_region = (surety__region){
        .place = search->place,
        .index = finder->regions.count - 1,
        .text = row->slice.text,
        .rest = rest,
        .copied = true,
    };
    ret_region->start = surety__region_origin(finder, ret_region->index, 0);
    return SURETY_OK;
}

size_t surety__region_origin(const surety_finder *finder, size_t index,
                             size_t offset)
{
    return surety__slice_origin(finder, &region_row(finder, index)->slice,
                                offset, NULL);
}
