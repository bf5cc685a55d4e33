/* SPDX-License-Identifier: Apache-2.0 */
/* Where a tolerant reader may look. The strict search gives spans, since it can
 * tell where JSON ends; of text that is almost JSON only its reader can. So a
 * region is a byte at which a value may start, and how far it may go on, and
 * the search goes on where the reader says that the value ended.
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
 * reader gave up, and not inside: a part of a broken value is not the value. Of
 * what is JSON that cannot be read all is passed over, as far as its brackets
 * go.
 * - An object without a colon is prose, unless a value follows its quoted key.
 *
 * Every reading is paid for out of REGION_PASSES_MAX times the reply: by what
 * was read, or by what beginning to read takes. A place whose account is empty
 * has no more regions, and no rows.
 */
#include "extract/finder.h"

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
    return (surety__region_row *)finder->regions.ptr + i;
}

static bool region_lists(const surety_finder *finder, surety_place place)
{
    for (size_t i = 0; i < finder->how.from_count; i++)
        if (finder->how.from[i] == place)
            return true;
    return false;
}

surety_status surety__region_begin(surety_finder *finder, surety_place place)
{
    surety__hunt *hunt = &finder->hunt;
    surety_status status = surety__finder_scan(finder);

    *hunt = (surety__hunt){
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
    surety__hunt *hunt = &finder->hunt;
    surety__ground *field = &hunt->field;
    surety_status status = SURETY_OK;
    surety__region_row *row;
    size_t at = 0;

    do {
        if (hunt->work > hunt->work_max) {
            hunt->apart = true;
            return SURETY_END;
        }
        if (!hunt->in_field && !region_open_field(finder, &status))
            return status == SURETY_OK ? SURETY_END : status;
        hunt->in_field = region_in_field(finder, &at);
    } while (!hunt->in_field);
    row = surety__rows_add(finder, &finder->regions);
    if (!row)
        return SURETY_NOMEM;
    *row = (surety__region_row){
        .origin = field->origin,
        .skip = at,
        .run = field->run,
        .run_count = field->run_count,
        .text = {field->text.ptr + at, field->text.len - at},
        .weak = !hunt->exact && !hunt->strong,
    };
    field->at = at;
    *ret_region = (surety__region){
        .place = hunt->place,
        .group = field->group,
        .index = finder->regions.count - 1,
        .text = row->text,
        .weak = row->weak,
        .copied = field->run_count > 0,
        .last = field->last,
    };
    ret_region->start = surety__region_origin(finder, ret_region->index, 0);
    if (hunt->exact && hunt->from < at && !field->run_count)
        ret_region->wrapper = at - hunt->from;
    return SURETY_OK;
}

/* A value was read that takes `used` bytes of the last region. */
static bool region_value(surety_finder *finder, size_t used, size_t *ret_rest)
{
    surety__hunt *hunt = &finder->hunt;
    surety__ground *field = &hunt->field;
    surety__region_row *row = region_row(finder, finder->regions.count - 1);
    const size_t end = field->at + used;
    size_t brackets = end;
    enum surety__start next;
    bool over;

    if (region_is_prose((surety_str){row->text.ptr, used})) {
        field->at++;
        return false;
    }
    over = surety__text_over(field->text, end, &brackets);
    if (hunt->exact && !over && !field->whole) {
        /* No wrapped value: what looked like a wrapper is text. */
        field->at = hunt->from < field->at ? hunt->from : field->at + 1;
        return false;
    }
    row->used = used;
    hunt->value_count++;
    hunt->strong_count += !row->weak;
    hunt->past = surety__region_origin(finder, finder->regions.count - 1, used);
    row->rest = *ret_rest = over ? brackets - end : 0;
    field->at = end;
    if (field->single || hunt->stretched)
        hunt->in_field = false;
    if (!hunt->exact || over)
        return !field->whole || hunt->value_count == 1;
    /* Rows, perhaps: the next value must follow at once. */
    while (field->at < field->text.len &&
           (surety__is_space(field->text.ptr[field->at]) ||
            field->text.ptr[field->at] == ','))
        field->at++;
    next = surety__start_at(field->text, field->at);
    if (next == START_STRONG || next == START_WEAK) {
        field->fresh = true;
    } else {
        hunt->apart = true;
        hunt->in_field = false;
    }
    return false;
}

/* The last region, so many bytes of it, is JSON that cannot be read. */
static void region_break(surety_finder *finder, size_t len)
{
    region_row(finder, finder->regions.count - 1)->refused = len;
    finder->hunt.broken = true;
}

/* The last region's value did not end. What is JSON up to the reply's end is no
 * bracket of prose. */
static bool region_cut(surety_finder *finder, bool begun)
{
    surety__hunt *hunt = &finder->hunt;
    surety__ground *field = &hunt->field;
    const bool strong =
        hunt->strong || hunt->exact ||
        (field->last &&
         (begun || surety__start_is_json(field->text, field->at)));

    if (!strong) {
        field->at++;
        return false;
    }
    if (field->whole && hunt->value_count) {
        hunt->apart = true;
        hunt->in_field = false;
        return false;
    }
    if (hunt->stretched) {
        /* It does not end behind its field either. */
        hunt->stretched = false;
        hunt->settled = true;
        field->text.len = hunt->field_len;
        field->marks.known = field->measured = false;
        field->last = hunt->field_last;
        hunt->again = true;
        return false;
    }
    if (!field->last && !hunt->settled && !field->run_count &&
        field->origin + field->text.len < field->limit) {
        hunt->stretched = hunt->again = true;
        hunt->field_len = field->text.len;
        hunt->field_last = field->last;
        field->text.len = field->limit - field->origin;
        field->marks.known = field->measured = false;
        field->last = field->limit == finder->reply.len;
        return false;
    }
    hunt->in_field = false;
    region_break(finder, field->text.len - field->at);
    return field->last || hunt->place != SURETY_PLACE_EMBEDDED;
}

/* What is no value was read, up to `used`. */
static void region_none(surety_finder *finder, size_t used)
{
    surety__hunt *hunt = &finder->hunt;
    surety__ground *field = &hunt->field;

    if (surety__start_is_json(field->text, field->at)) {
        const size_t end =
            surety__start_extent(field->text, field->at, field->at + used);

        hunt->work += end - field->at;
        region_break(finder, end - field->at);
        field->at = end;
    } else {
        field->at += hunt->strong && used > 0 ? used : 1;
    }
    if (field->whole)
        hunt->in_field = false;
}

/* What reading the rest of a field has cost. A reader looks for its last
 * bracket first. */
static size_t region_cost(surety__ground *field, surety__reading reading,
                          size_t used)
{
    const size_t least =
        reading == SURETY__READING_VALUE ? REGION_VALUE_COST : REGION_FAIL_COST;

    if (!field->measured) {
        size_t last = field->text.len;

        field->measured = true;
        while (last && field->text.ptr[last - 1] != '}' &&
               field->text.ptr[last - 1] != ']')
            last--;
        field->tail = (field->text.len - last) / REGION_TAIL_SHARE;
    }
    return (used > least ? used : least) + field->tail;
}

bool surety__region_read(surety_finder *finder, surety__reading reading,
                         size_t used, size_t *ret_rest)
{
    surety__hunt *hunt = &finder->hunt;
    surety__ground *field = &hunt->field;
    size_t rest = 0;
    bool good = false;

    hunt->work += region_cost(field, reading, used);
    if (reading == SURETY__READING_VALUE) {
        good = region_value(finder, used, &rest);
    } else if (reading != SURETY__READING_NONE) {
        good = region_cut(finder, reading == SURETY__READING_BEGUN);
    } else if (hunt->stretched) {
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
    surety__hunt *hunt = &finder->hunt;
    surety__ground *field = &hunt->field;
    const bool unwraps =
        !field->whole || !region_lists(finder, SURETY_PLACE_EMBEDDED);
    enum surety__start start = START_NONE;
    size_t at = field->at;

    if (hunt->again) {
        hunt->again = false;
        *ret_at = at;
        return true;
    }
    hunt->stretched = hunt->settled = false;
    if (field->fresh && field->bare) {
        field->fresh = false;
        while (at < field->text.len && surety__is_space(field->text.ptr[at]))
            at++;
        field->at = hunt->from = at;
        if (unwraps)
            at = surety__start_unwrap(field->text, at);
        start = surety__start_at(field->text, at);
        /* Words in brackets are a value where they are all there is. */
        if (start == START_NONE && at < field->text.len &&
            field->text.ptr[at] == '[')
            start = START_SCALAR;
        hunt->exact = field->whole || start == START_SCALAR || at > field->at;
        /* What a block begins with is no bracket of prose. */
        hunt->strong =
            start == START_STRONG ||
            (start == START_WEAK && (hunt->place == SURETY_PLACE_FENCE ||
                                     hunt->place == SURETY_PLACE_FENCE_ANY));
        *ret_at = at;
        if (start != START_NONE)
            return true;
        at = field->at;
    }
    if (field->whole)
        return false;
    at = surety__start_next(field->text, at, &field->marks, &start);
    hunt->work += at - field->at;
    field->at = at;
    hunt->exact = false;
    hunt->strong = start == START_STRONG;
    *ret_at = at;
    return at < field->text.len;
}

/* ---- fields -------------------------------------------------------------- */

/* A field of the reply's own bytes from start to end; none of those that were
 * read. */
static bool region_field(surety_finder *finder, size_t start, size_t end,
                         surety__ground field)
{
    surety__hunt *hunt = &finder->hunt;
    size_t low = 0;
    size_t high = finder->masks.count;

    if (start < hunt->past) {
        start = hunt->past;
        field.bare = false;
    }
    if (start >= end)
        return false;
    field.text = (surety_str){finder->reply.ptr + start, end - start};
    field.origin = start;
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
    field.limit = low < finder->masks.count
                      ? surety__mask_at(finder, low)->start
                      : finder->end;
    hunt->field = field;
    return true;
}

/* A block whose lines carry markup: a copy without it. OK, NOMEM, END: it is
 * empty. */
static surety_status region_clean(surety_finder *finder, size_t i,
                                  surety__ground field)
{
    const surety__block *block = surety__block_at(finder, i);
    size_t len = 0;
    char *copy;

    for (size_t k = 0; k < block->piece_count; k++) {
        const surety__span piece = *surety__piece_at(finder, block->piece + k);

        len += piece.end - piece.start;
    }
    if (!len)
        return SURETY_END;
    copy = surety__arena_take(&finder->copies, len);
    if (!copy)
        return SURETY_NOMEM;
    field.text = (surety_str){copy, len};
    field.run = (uint32_t)finder->runs.count;
    field.run_count = block->piece_count;
    field.fresh = true;
    len = 0;
    for (size_t k = 0; k < block->piece_count; k++) {
        const surety__span piece = *surety__piece_at(finder, block->piece + k);
        surety__run *run = surety__rows_add(finder, &finder->runs);

        if (!run)
            return SURETY_NOMEM;
        *run = (surety__run){(uint32_t)len, piece.start};
        memcpy(copy + len, finder->reply.ptr + piece.start,
               piece.end - piece.start);
        len += piece.end - piece.start;
    }
    finder->hunt.field = field;
    return SURETY_OK;
}

/* The next fence of the place. */
static surety_status region_fence(surety_finder *finder)
{
    surety__hunt *hunt = &finder->hunt;
    const bool any = hunt->place == SURETY_PLACE_FENCE_ANY;

    for (;;) {
        const size_t count = finder->fences.count;
        const uint32_t tag = count ? (uint32_t)(hunt->turn / count) : 0;
        const surety__fence *fence;
        surety__ground field = {.bare = true, .group = tag};
        surety_status status;

        if (!count || tag > (any ? BLOCK_OTHER : BLOCK_JSON))
            return SURETY_END;
        if (hunt->turn % count == 0)
            hunt->past = 0;
        fence = (surety__fence *)finder->fences.ptr + hunt->turn++ % count;
        if (fence->tag != tag)
            continue;
        if (fence->block != SURETY__NO_BLOCK &&
            surety__block_at(finder, fence->block)->piece_count) {
            if (fence->span.start < hunt->past)
                continue;
            status = region_clean(finder, fence->block, field);
            if (status == SURETY_END)
                continue;
            return status;
        }
        field.last = fence->block == SURETY__NO_BLOCK &&
                     fence->span.end == finder->end &&
                     finder->end == finder->reply.len;
        if (region_field(finder, fence->span.start, fence->span.end, field))
            return SURETY_OK;
    }
}

/* What follows the next marker. */
static surety_status region_marked(surety_finder *finder)
{
    const surety_str marker = finder->how.marker;
    surety__hunt *hunt = &finder->hunt;

    while (marker.len && hunt->turn < finder->end) {
        const surety_str rest = {finder->reply.ptr + hunt->turn,
                                 finder->end - hunt->turn};
        const size_t hit = surety__str_find(rest, marker);
        const size_t at = hunt->turn + hit;
        surety__walk walk = {.pos = at + marker.len};

        if (hit == rest.len)
            break;
        hunt->turn = at + marker.len;
        if (at < hunt->past)
            continue;
        while (hunt->walk.mask < finder->masks.count &&
               surety__mask_at(finder, hunt->walk.mask)->end <= at)
            hunt->walk.mask++;
        if (hunt->walk.mask < finder->masks.count &&
            surety__mask_at(finder, hunt->walk.mask)->start <= at) {
            hunt->turn = surety__mask_at(finder, hunt->walk.mask)->end;
            continue;
        }
        walk.mask = hunt->walk.mask;
        while (hunt->walk.block < finder->blocks.count &&
               surety__block_at(finder, hunt->walk.block)->close_end <= at)
            hunt->walk.block++;
        walk.block = hunt->walk.block;
        /* A fence may stand between the marker and its value. */
        while (surety__place_segment(finder, &walk)) {
            const surety__ground field = {.bare = true,
                                          .single = true,
                                          .last =
                                              walk.stop == finder->reply.len};
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

    if (i >= finder->blocks.count)
        return false;
    block = surety__block_at(finder, i);
    return block->piece_count && at >= block->content &&
           at < block->content_end;
}

/* Opens the next field of the place; false: there is none, or no memory. */
static bool region_open_field(surety_finder *finder, surety_status *ret_status)
{
    surety__hunt *hunt = &finder->hunt;
    surety__walk *walk = &hunt->walk;
    surety_str text;

    switch (hunt->place) {
    case SURETY_PLACE_WHOLE: {
        const surety__ground field = {.whole = true,
                                      .bare = true,
                                      .last = finder->end == finder->reply.len};
        const surety__span span = surety__finder_whole(finder);

        *ret_status = surety__region_text(finder, &text);
        /* Blanks at the end may be those of a string that was cut off. */
        return *ret_status == SURETY_OK && hunt->turn++ == 0 && text.len &&
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
            const surety__ground field = {.last =
                                              walk->stop == finder->reply.len};
            const size_t start = walk->pos;

            walk->pos = walk->stop;
            if (region_is_marked_up(finder, walk->block, start)) {
                if (start < hunt->past)
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

bool surety__region_doubtful(const surety_finder *finder, size_t offset)
{
    enum surety__start start = START_NONE;
    surety__walk walk = {.pos = 0};
    surety__marks marks = {.known = false};

    while (surety__place_segment(finder, &walk) && walk.pos < offset) {
        const size_t stop = walk.stop < offset ? walk.stop : offset;
        const surety_str text = {finder->reply.ptr, walk.stop};

        /* A look ahead does not go over the end of the segment. */
        marks.known = false;
        if (surety__start_next(text, walk.pos, &marks, &start) < stop)
            return true;
        walk.pos = walk.stop;
    }
    return surety__start_at(finder->reply, offset) == START_WEAK;
}

surety_status surety__region_text(surety_finder *finder, surety_str *ret_text)
{
    const surety_status status = surety__finder_scan(finder);
    const surety__span span = surety__finder_whole(finder);

    if (status != SURETY_OK)
        return status;
    *ret_text =
        (surety_str){finder->reply.ptr + span.start, span.end - span.start};
    if (finder->end < finder->reply.len)
        ret_text->len = 0;
    for (size_t i = 0; i < finder->masks.count; i++)
        if (surety__mask_at(finder, i)->start >= span.start &&
            surety__mask_at(finder, i)->end <= span.end)
            ret_text->len = 0;
    return SURETY_OK;
}

/* How many rows there are: what may be prose in brackets is one only where all
 * are such. */
static size_t region_row_count(const surety__hunt *hunt)
{
    return hunt->strong_count ? hunt->strong_count : hunt->value_count;
}

size_t surety__region_failed(const surety_finder *finder)
{
    return region_row(finder, finder->regions.count - 1)->refused;
}

/* Whether nothing of JSON stands around the bytes from start to end of the
 * reply in what begins at `from`. Where the reply ends behind them it may have
 * been cut off. */
static bool region_is_all(const surety_finder *finder, size_t from,
                          size_t start, size_t end)
{
    const char *ptr = finder->reply.ptr;

    while (from < start && (ptr[from] == '[' || surety__is_space(ptr[from])))
        from++;
    while (end < finder->reply.len && surety__is_space(ptr[end]))
        end++;
    return from == start && end < finder->reply.len &&
           !memchr(",:\"'{[", ptr[end], 6);
}

bool surety__region_refused(const surety_finder *finder, size_t start,
                            size_t end)
{
    for (size_t i = finder->hunt.first_row; i < finder->regions.count; i++) {
        const size_t len = region_row(finder, i)->refused;
        const size_t from = surety__region_origin(finder, i, 0);

        if (len && start >= from &&
            start < surety__region_origin(finder, i, len) &&
            !region_is_all(finder, from, start, end))
            return true;
    }
    return false;
}

bool surety__region_goes_on(const surety_finder *finder, size_t used)
{
    const surety__ground *field = &finder->hunt.field;

    return surety__start_goes_on(field->text, field->at + used);
}

bool surety__region_several(const surety_finder *finder)
{
    const surety__hunt *hunt = &finder->hunt;

    return hunt->apart || region_row_count(hunt) + hunt->broken > 1;
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

/* Notes that the bytes of the clean text from `clean` on are the reply's. */
static bool region_run(surety_finder *finder, size_t clean, size_t reply)
{
    surety__run *run = surety__rows_add(finder, &finder->runs);

    if (run)
        *run = (surety__run){(uint32_t)clean, (uint32_t)reply};
    return run != NULL;
}

/* Notes where the bytes of a row stand from start to end, counted from its
 * value on. */
static bool region_row_runs(surety_finder *finder,
                            const surety__region_row *row, surety__span span,
                            size_t clean)
{
    const size_t start = row->skip + span.start;
    const size_t end = row->skip + span.end;
    surety__run run;

    if (!row->run_count)
        return region_run(finder, clean, row->origin + start);
    for (uint32_t i = 0; i < row->run_count; i++) {
        size_t from, next;

        run = ((surety__run *)finder->runs.ptr)[row->run + i];
        next = i + 1 < row->run_count
                   ? ((surety__run *)finder->runs.ptr)[row->run + i + 1].clean
                   : SIZE_MAX;
        if (next <= start || run.clean >= end)
            continue;
        from = run.clean > start ? run.clean : start;
        if (!region_run(finder, clean + (from - start),
                        run.reply + (from - run.clean)))
            return false;
    }
    return true;
}

static bool region_is_row(const surety_finder *finder, size_t i)
{
    const surety__region_row *row = region_row(finder, i);

    return row->used && !(row->weak && finder->hunt.strong_count);
}

/* Writes the rows as one array, and behind it what is left over behind the
 * last of them; NULL: out of memory. */
static char *region_write_rows(surety_finder *finder, char *text, size_t last)
{
    const surety__region_row *row;
    char *to = text;

    for (size_t i = finder->hunt.first_row; i <= last; i++) {
        row = region_row(finder, i);
        if (!region_is_row(finder, i))
            continue;
        if (!region_run(finder, (size_t)(to - text),
                        surety__region_origin(finder, i, 0)))
            return NULL;
        *to = to == text ? '[' : ',';
        to++;
        if (!region_row_runs(finder, row,
                             (surety__span){0, (uint32_t)row->used},
                             (size_t)(to - text)))
            return NULL;
        memcpy(to, row->text.ptr, row->used);
        to += row->used;
    }
    row = region_row(finder, last);
    if (!region_run(finder, (size_t)(to - text),
                    surety__region_origin(finder, last, row->used) - 1))
        return NULL;
    *to++ = ']';
    if (row->rest &&
        !region_row_runs(finder, row,
                         (surety__span){(uint32_t)row->used,
                                        (uint32_t)(row->used + row->rest)},
                         (size_t)(to - text)))
        return NULL;
    memcpy(to, row->text.ptr + row->used, row->rest);
    return text;
}

surety_status surety__region_rows(surety_finder *finder,
                                  surety__region *ret_region)
{
    surety__hunt *hunt = &finder->hunt;
    const size_t first_run = finder->runs.count;
    size_t last = hunt->first_row;
    size_t len = 1;
    size_t rest;
    surety__region_row *row;
    char *text;

    if (region_row_count(hunt) < 2 || hunt->apart || hunt->broken)
        return SURETY_END;
    for (size_t i = hunt->first_row; i < finder->regions.count; i++) {
        if (!region_is_row(finder, i))
            continue;
        len += region_row(finder, i)->used + 1;
        last = i;
    }
    rest = region_row(finder, last)->rest;
    len += rest;
    text = surety__arena_take(&finder->copies, len);
    if (!text || !region_write_rows(finder, text, last))
        return SURETY_NOMEM;
    row = surety__rows_add(finder, &finder->regions);
    if (!row)
        return SURETY_NOMEM;
    *row = (surety__region_row){
        .run = (uint32_t)first_run,
        .run_count = (uint32_t)(finder->runs.count - first_run),
        .text = {text, len},
    };
    *ret_region = (surety__region){
        .place = hunt->place,
        .index = finder->regions.count - 1,
        .text = row->text,
        .rest = rest,
        .copied = true,
    };
    ret_region->start = surety__region_origin(finder, ret_region->index, 0);
    return SURETY_OK;
}

size_t surety__region_origin(const surety_finder *finder, size_t index,
                             size_t offset)
{
    const surety__region_row *row = region_row(finder, index);
    surety__run run;
    size_t over = 0;

    if (offset > row->text.len)
        offset = row->text.len;
    if (!row->run_count)
        return row->origin + row->skip + offset;
    /* The end of a copy is the byte behind its last. */
    if (offset && offset == row->text.len) {
        offset--;
        over = 1;
    }
    run = surety__run_at(finder, row->run, row->run_count, row->skip + offset);
    return run.reply + (row->skip + offset - run.clean) + over;
}
