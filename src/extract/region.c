/* SPDX-License-Identifier: Apache-2.0 */
/* Where a tolerant reader may look. Of text that is almost JSON only its reader
 * knows the end. So a region is a byte at which a value may start, and how far
 * it may go on, and the search goes on where the reader says that the value
 * ended.
 *
 * In a field of the scan (place.c) the first region starts at its first byte,
 * behind what wraps a value, where the place promises one; all others start at
 * a bracket that looks like JSON (start.c).
 *
 * - What is read from a wrapper, and what is no array or object, must be all
 *   that the field holds.
 * - A value that a field's end cuts off may go on behind it, to the end of the
 *   reply or to the next reasoning: the marks of a fence can be in a string. If
 *   it does not end there either, it was cut off in its field.
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
    REGION_PASSES_MAX = 4,  /* times the reply */
    REGION_VALUE_COST = 32, /* of a value at least */
    REGION_FAIL_COST = 256, /* and of what is none */
    REGION_TAIL_SHARE = 16  /* of the text behind a field's last bracket */
};

static bool region_in_field(surety_finder *finder, size_t *ret_at);
static bool region_is_prose(surety_str value);
static bool region_quotes(surety_str value);

static surety__region_row *region_row(const surety_finder *finder, size_t i)
{
    assert(i < finder->regions.count);
    return (surety__region_row *)finder->regions.ptr + i;
}

surety_status surety__region_begin(surety_finder *finder, surety_place place)
{
    surety_status status = surety__place_layout(finder);

    surety__place_begin(finder, place, REGION_PASSES_MAX);
    finder->search =
        (surety__region_search){.first_row = finder->regions.count};
    if (status == SURETY_OK &&
        (place == SURETY_PLACE_FENCE || place == SURETY_PLACE_FENCE_ANY))
        status = surety__fence_gather(finder);
    return status;
}

/* How many bytes behind a field its value may go on into. */
static size_t region_more(const surety__scan_field *field)
{
    const size_t end = field->slice.origin + field->slice.text.len;

    return field->last || field->slice.stretch_count || field->limit <= end
               ? 0
               : field->limit - end;
}

surety_status surety__region_next(surety_finder *finder,
                                  surety__region *ret_region)
{
    surety__region_search *search = &finder->search;
    surety__place_scan *scan = &finder->scan;
    surety__scan_field *field = &scan->field;
    surety__region_row *row;
    size_t at = 0;

    assert(scan->place > SURETY_PLACE_NATIVE);
    while (!scan->in_field || scan->work > scan->work_max ||
           !region_in_field(finder, &at)) {
        const surety_status status = surety__place_field(finder);

        if (status != SURETY_OK) {
            search->apart |= scan->work > scan->work_max;
            return status;
        }
    }
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
        .place = scan->place,
        .group = field->group,
        .index = finder->regions.count - 1,
        .text = row->slice.text,
        .weak = row->weak,
        .copied = field->slice.stretch_count > 0,
        .last = field->last,
        .more = search->more = row->weak ? 0 : region_more(field),
    };
    ret_region->start = surety__region_origin(finder, ret_region->index, 0);
    if (search->exact && search->from < at && !field->slice.stretch_count)
        ret_region->wrapper = at - search->from;
    return SURETY_OK;
}

/* The field's text, or, where a value ends behind it, all that it may go on
 * into. */
static surety_str region_reach(const surety_finder *finder, size_t end)
{
    surety_str text = finder->scan.field.slice.text;

    text.len += end > text.len ? finder->search.more : 0;
    assert(end <= text.len);
    return text;
}

/* A value was read that takes `used` bytes of the last region. */
static bool region_value(surety_finder *finder, size_t used, size_t *ret_rest)
{
    surety__region_search *search = &finder->search;
    surety__place_scan *scan = &finder->scan;
    surety__scan_field *field = &scan->field;
    surety__region_row *row = region_row(finder, finder->regions.count - 1);
    const size_t end = field->at + used;
    const bool goes_on = end > field->slice.text.len;
    const surety_str text = region_reach(finder, end);
    size_t brackets = end;
    enum surety__start_kind next;
    bool over;

    /* Quoted text or a number in braces that are all of a reply is not in
     * prose. */
    if ((!search->exact || !field->whole ||
         !region_quotes((surety_str){row->slice.text.ptr, used})) &&
        region_is_prose((surety_str){row->slice.text.ptr, used})) {
        field->at++;
        return false;
    }
    over = surety__text_over(text, end, &brackets);
    if (search->exact && !over && !field->whole) {
        /* No wrapped value: what looked like a wrapper is text. */
        field->at = search->from < field->at ? search->from : field->at + 1;
        return false;
    }
    row->slice.text.len = text.len - field->at;
    row->used = used;
    row->rest = *ret_rest = over ? brackets - end : 0;
    search->value_count++;
    search->strong_count += !row->weak;
    field->slice.text = text;
    surety__place_take(finder, end);
    if (goes_on)
        scan->in_field = false;
    if (!search->exact || over)
        return !field->whole || search->value_count == 1;
    /* Rows, perhaps: the next value must follow at once. */
    while (field->at < text.len && (surety__is_space(text.ptr[field->at]) ||
                                    text.ptr[field->at] == ','))
        field->at++;
    next = surety__start_at(text, field->at);
    if (next == START_STRONG || next == START_WEAK) {
        field->fresh = true;
    } else {
        search->apart = true;
        scan->in_field = false;
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
    surety__place_scan *scan = &finder->scan;
    surety__scan_field *field = &scan->field;
    const bool strong =
        search->strong || search->exact ||
        (field->last &&
         (begun || surety__start_is_json(field->slice.text, field->at)));

    if (!strong) {
        field->at++;
        return false;
    }
    scan->in_field = false;
    if (field->whole && search->value_count) {
        search->apart = true;
        return false;
    }
    region_break(finder, field->slice.text.len - field->at);
    return field->last || scan->place != SURETY_PLACE_EMBEDDED;
}

/* What is no value was read, up to `used`. */
static void region_none(surety_finder *finder, size_t used)
{
    surety__place_scan *scan = &finder->scan;
    surety__scan_field *field = &scan->field;

    if (surety__start_is_json(field->slice.text, field->at)) {
        size_t end;

        if (surety__start_closes(field->slice.text, field->at, field->at + used,
                                 &end))
            end = surety__start_extend(field->slice.text, end);
        scan->work += end - field->at;
        region_break(finder, end - field->at);
        field->at = end;
    } else {
        field->at += finder->search.strong && used > 0 ? used : 1;
    }
    if (field->whole)
        scan->in_field = false;
}

/* What reading the last region has cost. A reader looks for the field's last
 * bracket first; a value that the field cuts off is read behind it, too. */
static size_t region_cost(surety_finder *finder, surety__reading reading,
                          size_t used)
{
    const surety__scan_field *field = &finder->scan.field;
    const size_t more = finder->search.more;
    const surety_str text = field->slice.text;
    const size_t closing = surety__place_closing(&finder->scan, text);
    const size_t tail = (text.len - closing) / REGION_TAIL_SHARE;
    const size_t least =
        reading == SURETY__READING_VALUE ? REGION_VALUE_COST : REGION_FAIL_COST;

    if (more &&
        (used > text.len - field->at || reading > SURETY__READING_VALUE))
        used += text.len - field->at + more;
    return (used > least ? used : least) + tail;
}

bool surety__region_read(surety_finder *finder, surety__reading reading,
                         size_t used, size_t *ret_rest)
{
    surety__place_scan *scan = &finder->scan;
    size_t rest = 0;
    bool good = false;

    assert(finder->regions.count > finder->search.first_row);
    scan->work += region_cost(finder, reading, used);
    if (reading == SURETY__READING_VALUE)
        good = region_value(finder, used, &rest);
    else if (reading == SURETY__READING_NONE)
        region_none(finder, used);
    else
        good = region_cut(finder, reading == SURETY__READING_BEGUN);
    if (ret_rest)
        *ret_rest = rest;
    return good;
}

/* The next byte in the field at which a value may start. */
static bool region_in_field(surety_finder *finder, size_t *ret_at)
{
    surety__region_search *search = &finder->search;
    surety__place_scan *scan = &finder->scan;
    surety__scan_field *field = &scan->field;
    const bool unwraps =
        !field->whole || !surety__finder_lists(finder, SURETY_PLACE_EMBEDDED);
    enum surety__start_kind start = START_NONE;
    size_t at = field->at;

    if (field->fresh && field->bare) {
        field->fresh = false;
        while (at < field->slice.text.len &&
               surety__is_space(field->slice.text.ptr[at]))
            at++;
        field->at = search->from = at;
        if (unwraps)
            at = surety__start_unwrap(field->slice.text, at);
        start = surety__start_at(field->slice.text, at);
        /* The reader passes over a comment before a scalar. */
        if (start == START_NONE)
            start = surety__start_commented(field->slice.text, at);
        /* Words in brackets are a value where they are all there is. */
        if (start == START_NONE && at < field->slice.text.len &&
            field->slice.text.ptr[at] == '[')
            start = START_SCALAR;
        search->exact = field->whole || start == START_SCALAR || at > field->at;
        /* What a block begins with is no bracket of prose. */
        search->strong =
            start == START_STRONG ||
            (start == START_WEAK && (scan->place == SURETY_PLACE_FENCE ||
                                     scan->place == SURETY_PLACE_FENCE_ANY));
        *ret_at = at;
        if (start != START_NONE)
            return true;
        at = field->at;
    }
    if (field->whole)
        return false;
    at = surety__start_next(field->slice.text, at, field->stop, &field->marks,
                            &start);
    scan->work += at - field->at;
    field->at = at;
    search->exact = false;
    search->strong = start == START_STRONG;
    *ret_at = at;
    return at < field->stop;
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
    const size_t end = finder->scan.field.at + used;

    return surety__text_goes_on(region_reach(finder, end), end);
}

bool surety__region_several(const surety_finder *finder)
{
    const surety__region_search *search = &finder->search;

    return search->apart || region_row_count(search) + search->broken > 1;
}

static bool region_quotes(surety_str value)
{
    for (size_t i = 0; i < value.len; i++)
        if (value.ptr[i] >= '0' && value.ptr[i] <= '9')
            return true;
    return memchr(value.ptr, '"', value.len) ||
           memchr(value.ptr, '\'', value.len) ||
           memchr(value.ptr, '\xE2', value.len);
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

/* Notes where the bytes of a row from start to end are in the reply; they are
 * copied to `copy`. */
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
        .place = finder->scan.place,
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
