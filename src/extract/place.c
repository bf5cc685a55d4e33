/* SPDX-License-Identifier: Apache-2.0 */
/* The scan of one place: it gives the fields of the place, the stretches of
 * text in which a value may begin. The strict and the tolerant reader go over
 * the same fields.
 *
 * - The whole reply is one field, and so is the content of each fence.
 * - Running text comes in segments: reasoning is left out, and no field goes
 *   over a line of a fence, so that a bracket left open in the text cannot
 *   swallow a block.
 * - Behind a marker the segments up to the next marker are its fields, as long
 *   as no value was found in them. A marker inside of a value is text of it.
 * - A block whose lines carry markup is read without it.
 *
 * A scan goes forward only: no byte is looked at twice for where a field is. */
#include "extract/finder.h"

/* Makes pos and stop those of the segment that goes on at pos, or else of the
 * next one. False: there is none. */
static bool place_segment(const surety_finder *finder, surety__walk *walk)
{
    const surety__span skip = finder->skip;

    for (;;) {
        walk->stop = finder->layout.end;
        if (walk->pos >= finder->layout.end)
            return false;
        if (walk->mask < finder->layout.masks.count) {
            const surety__span mask = *surety__mask_at(finder, walk->mask);

            if (mask.start <= walk->pos) {
                walk->pos = walk->pos > mask.end ? walk->pos : mask.end;
                walk->mask++;
                continue;
            }
            walk->stop = mask.start;
        }
        if (walk->block < finder->layout.blocks.count) {
            const surety__block *block = surety__block_at(finder, walk->block);
            /* Of a reply that comes the markup before a fence came as text. */
            const size_t line =
                finder->lines.comes.open ? block->fence : block->line;

            if (walk->pos >= block->content_end) {
                if (walk->pos < block->close_end)
                    walk->pos = block->close_end;
                walk->block++;
                continue;
            }
            if (walk->pos >= block->content) {
                walk->stop = block->content_end;
            } else if (walk->pos >= line) {
                walk->pos = block->content;
                continue;
            } else if (line < walk->stop) {
                walk->stop = line;
            }
        }
        if (walk->pos >= skip.end || walk->stop <= skip.start)
            return true;
        if (walk->pos < skip.start) {
            walk->stop = skip.start;
            return true;
        }
        walk->pos = skip.end;
    }
}

/* ---- the reply ----------------------------------------------------------- */

surety_status surety__place_layout(surety_finder *finder)
{
    if (finder->layout.done)
        return SURETY_OK;
    finder->layout.done = true;
    return surety__block_scan(finder);
}

surety__span surety__place_whole(const surety_finder *finder)
{
    const size_t count = finder->layout.masks.count;
    surety__span span = {0, (uint32_t)finder->layout.end};
    size_t i;

    span = surety__trim(finder->reply, span);
    for (i = 0; i < count && surety__mask_at(finder, i)->start <= span.start;
         i++) {
        span.start = surety__mask_at(finder, i)->end;
        span = surety__trim(finder->reply, span);
    }
    for (size_t last = count;
         last > i && surety__mask_at(finder, last - 1)->end == span.end;
         last--) {
        span.end = surety__mask_at(finder, last - 1)->start;
        span = surety__trim(finder->reply, span);
    }
    return span;
}

surety_status surety__place_text(surety_finder *finder, surety_str *ret_text)
{
    const surety_status status = surety__place_layout(finder);
    const surety__span span = surety__place_whole(finder);

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

/* ---- fields -------------------------------------------------------------- */

/* Where the first reasoning behind `end` starts, or what is looked at ends. */
static size_t place_limit(const surety_finder *finder, size_t end)
{
    size_t low = 0;
    size_t high = finder->layout.masks.count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (surety__mask_at(finder, middle)->start < end)
            low = middle + 1;
        else
            high = middle;
    }
    return low < finder->layout.masks.count
               ? surety__mask_at(finder, low)->start
               : finder->layout.end;
}

/* A field of the reply's own bytes from start to end, but for those that were
 * read; false: there are no others. */
static bool place_own(surety_finder *finder, size_t start, size_t end,
                      surety__scan_field field)
{
    surety__place_scan *scan = &finder->scan;

    if (start < scan->past) {
        start = scan->past;
        field.bare = field.block = false;
    }
    if (start >= end)
        return false;
    field.slice = surety__slice_own(finder, start, end);
    field.stop = (end < scan->next ? end : scan->next) - start;
    field.limit = place_limit(finder, end);
    field.fresh = true;
    field.last = field.last && end >= finder->all.end;
    scan->field = field;
    return true;
}

/* A block whose lines carry markup. OK, NOMEM, END: it is empty, or was read.
 */
static surety_status place_copy(surety_finder *finder, size_t i,
                                surety__scan_field field)
{
    if (surety__block_at(finder, i)->content < finder->scan.past)
        return SURETY_END;
    if (surety__slice_block(finder, i, &field.slice) != SURETY_OK)
        return SURETY_NOMEM;
    if (!field.slice.text.len)
        return SURETY_END;
    field.stop = field.slice.text.len;
    field.fresh = true;
    finder->scan.field = field;
    return SURETY_OK;
}

/* The next segment that begins before the next marker. */
static surety_status place_running(surety_finder *finder,
                                   surety__scan_field field)
{
    surety__place_scan *scan = &finder->scan;
    surety__walk *walk = &scan->walk;

    while (place_segment(finder, walk) && walk->pos < scan->next) {
        const size_t start = walk->pos;
        const surety__block *block = walk->block < finder->layout.blocks.count
                                         ? surety__block_at(finder, walk->block)
                                         : NULL;

        walk->pos = walk->stop;
        field.last = walk->stop == finder->reply.len;
        field.block = block && start == block->content;
        if (field.block && block->piece_count) {
            const surety_status status = place_copy(finder, walk->block, field);

            if (status != SURETY_END)
                return status;
        } else if (place_own(finder, start, walk->stop, field)) {
            return SURETY_OK;
        }
    }
    return SURETY_END;
}

/* The whole reply, where no reasoning is in its middle. */
static surety_status place_whole(surety_finder *finder)
{
    const bool last = finder->layout.end == finder->reply.len;
    const surety__scan_field field = {
        .whole = true, .bare = true, .last = last};
    const surety__span span = surety__place_whole(finder);
    surety_str text;
    surety_status status = surety__place_text(finder, &text);

    if (status != SURETY_OK)
        return status;
    /* Blanks at the end may be those of a string that was cut off. */
    return finder->scan.turn++ == 0 && text.len &&
                   place_own(finder, span.start,
                             last && span.end == finder->all.end
                                 ? finder->reply.len
                                 : span.end,
                             field)
               ? SURETY_OK
               : SURETY_END;
}

/* The next fence of the place. */
static surety_status place_fence(surety_finder *finder)
{
    surety__place_scan *scan = &finder->scan;
    const size_t count = finder->layout.fences.count;
    const size_t tags =
        scan->place == SURETY_PLACE_FENCE_ANY ? BLOCK_OTHER + 1 : 1;

    while (scan->turn < tags * count) {
        const uint32_t tag = (uint32_t)(scan->turn / count);
        const size_t i = scan->turn++ % count;
        const surety__fence *fence =
            (surety__fence *)finder->layout.fences.ptr + i;
        const bool block = fence->block != SURETY__NO_BLOCK;
        const surety__scan_field field = {
            .bare = true,
            .group = tag,
            .last = !block && fence->span.end == finder->reply.len};
        surety_status status = SURETY_END;

        if (i == 0)
            scan->past = 0;
        if (fence->tag != tag)
            continue;
        if (block && surety__block_at(finder, fence->block)->piece_count)
            status = place_copy(finder, fence->block, field);
        else if (place_own(finder, fence->span.start, fence->span.end, field))
            status = SURETY_OK;
        if (status != SURETY_END)
            return status;
    }
    return SURETY_END;
}

/* ---- markers ------------------------------------------------------------- */

/* Finds the marker behind the one ahead: outside of reasoning. */
static void place_look_ahead(surety_finder *finder)
{
    const surety_str marker = finder->how.marker;
    surety__place_scan *scan = &finder->scan;
    surety__walk *walk = &scan->ahead;
    const size_t end = finder->layout.end;

    scan->next = end;
    while (marker.len && walk->pos < end) {
        const surety_str rest = {finder->reply.ptr + walk->pos,
                                 end - walk->pos};
        const size_t hit = surety__str_find(rest, marker);
        const size_t at = walk->pos + hit;

        if (hit == rest.len)
            return;
        while (walk->mask < finder->layout.masks.count &&
               surety__mask_at(finder, walk->mask)->end <= at)
            walk->mask++;
        if (walk->mask < finder->layout.masks.count &&
            surety__mask_at(finder, walk->mask)->start <= at) {
            walk->pos = surety__mask_at(finder, walk->mask)->end;
            continue;
        }
        while (walk->block < finder->layout.blocks.count &&
               surety__block_at(finder, walk->block)->close_end <= at)
            walk->block++;
        walk->pos = at + marker.len;
        scan->next = at;
        return;
    }
}

/* What follows the marker at hand, or the next one. */
static surety_status place_marked(surety_finder *finder)
{
    surety__place_scan *scan = &finder->scan;

    for (;;) {
        while (scan->past <= scan->aim && scan->walk.pos < scan->next) {
            const surety__scan_field field = {.bare = scan->bare,
                                              .single = true};
            const surety_status status = place_running(finder, field);

            if (status == SURETY_OK &&
                !surety__str_trim(scan->field.slice.text).len)
                continue;
            scan->bare = false;
            if (status != SURETY_END)
                return status;
        }
        if (scan->next == finder->layout.end)
            return SURETY_END;
        finder->marker_seen = true;
        scan->bare = true;
        scan->walk = scan->ahead;
        scan->aim = scan->ahead.pos;
        place_look_ahead(finder);
    }
}

/* ---- the scan ------------------------------------------------------------ */

void surety__place_begin(surety_finder *finder, surety_place place,
                         size_t passes)
{
    surety__place_scan *scan = &finder->scan;

    finder->work += scan->work;
    scan->place = place;
    scan->turn = 0;
    scan->work = 0;
    scan->work_max = passes * finder->reply.len + SURETY__WORK_MIN;
    scan->open = SURETY__NOWHERE;
    scan->begun = scan->in_field = false;
}

/* Before the first field: the reply was scanned by lines. Most places of a
 * reply are never looked at for fields, so what they need is set here. */
static void place_first(surety_finder *finder)
{
    surety__place_scan *scan = &finder->scan;

    assert(finder->layout.done && !scan->turn && !scan->work);
    *scan = (surety__place_scan){
        .place = scan->place,
        .work_max = scan->work_max,
        .begun = true,
        .open = scan->open,
        .next = finder->layout.end,
    };
    if (scan->place != SURETY_PLACE_MARKER)
        return;
    scan->walk.pos = finder->layout.end;
    place_look_ahead(finder);
}

surety_status surety__place_field(surety_finder *finder)
{
    surety__place_scan *scan = &finder->scan;
    surety_status status = SURETY_END;

    if (scan->work > scan->work_max)
        return SURETY_END;
    if (!scan->begun)
        place_first(finder);
    switch (scan->place) {
    case SURETY_PLACE_NONE:
    case SURETY_PLACE_NATIVE: break;
    case SURETY_PLACE_WHOLE: status = place_whole(finder); break;
    case SURETY_PLACE_FENCE:
    case SURETY_PLACE_FENCE_ANY: status = place_fence(finder); break;
    case SURETY_PLACE_MARKER: status = place_marked(finder); break;
    case SURETY_PLACE_EMBEDDED:
        status = place_running(finder, (surety__scan_field){.bare = false});
        break;
    }
    scan->in_field = status == SURETY_OK;
    return status;
}

size_t surety__place_closing(surety__place_scan *scan, surety_str text)
{
    const char *end = text.ptr + text.len;

    if (scan->closing_to != end) {
        scan->closing_to = end;
        while (end > text.ptr && end[-1] != '}' && end[-1] != ']')
            end--;
        scan->closing = end;
    }
    return scan->closing > text.ptr ? (size_t)(scan->closing - text.ptr) : 0;
}

void surety__place_take(surety_finder *finder, size_t end)
{
    surety__place_scan *scan = &finder->scan;

    scan->past = surety__slice_origin(finder, &scan->field.slice, end, NULL);
    scan->field.at = end;
    if (scan->field.single)
        scan->in_field = false;
}

/* ---- a reply that has not ended ------------------------------------------ */

surety_status surety__finder_extend(surety_finder *finder, surety_str reply,
                                    bool lenient, bool *ret_same)
{
    const size_t from = finder->reply.len;

    assert(reply.len >= from);
    finder->reply = reply;
    if (!finder->lines.comes.open) {
        surety__block_begin(finder);
        finder->lines.comes =
            (surety__coming){.open = true, .lenient = lenient};
        finder->layout.done = true;
        finder->scan.walk = (surety__walk){.pos = 0};
    }
    return surety__block_extend(finder, from, ret_same);
}

bool surety__finder_field(surety_finder *finder, size_t at,
                          surety__field *ret_field)
{
    surety__walk *walk = &finder->scan.walk;
    bool found;

    walk->pos = at;
    found = place_segment(finder, walk);
    *ret_field = (surety__field){
        .at = walk->pos, .stop = walk->stop, .loose = finder->layout.loose_end};
    if (found && walk->block < finder->layout.blocks.count) {
        const surety__block *block = surety__block_at(finder, walk->block);

        ret_field->block = walk->pos >= block->content;
        ret_field->content = block->content;
        ret_field->tag = block->tag;
    }
    return found;
}
