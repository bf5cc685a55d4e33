/* SPDX-License-Identifier: Apache-2.0 */
/* The places whose candidates are values in running text: "marker" and
 * "embedded". Both look at the text in segments: reasoning sections are left
 * out, and no value goes over a line of a fence, so that a bracket left open in
 * the text cannot swallow a block.
 *
 * A marker in a value that another marker led to is text of that value; two
 * markers may lead to one value, which is offered once. Where a value stays
 * open, a later marker inside of it gets a search of its own, as long as the
 * pass has work left. */
#include "extract/finder.h"

static bool place_value(surety_finder *finder, surety__walk *walk,
                        surety__span *ret_span);
static bool place_marked(surety_finder *finder, surety__offer *ret_offer);
static bool place_after(surety_finder *finder, size_t pos,
                        surety__offer *ret_offer);

void surety__place_begin(surety_finder *finder, surety_place place)
{
    finder->pass = (surety__pass){
        .place = place, .open = SURETY__NOWHERE, .aim_open = SURETY__NOWHERE};
}

bool surety__place_next(surety_finder *finder, surety__offer *ret_offer)
{
    if (finder->pass.place == SURETY_PLACE_MARKER)
        return place_marked(finder, ret_offer);
    ret_offer->block = SURETY__NO_BLOCK;
    return place_value(finder, &finder->pass.walk, &ret_offer->span);
}

bool surety__place_marker(const surety_finder *finder, surety__walk *walk,
                          size_t *ret_at)
{
    const surety_str marker = finder->how.marker;

    while (marker.len && walk->pos < finder->layout.end) {
        const surety_str rest = {finder->reply.ptr + walk->pos,
                                 finder->layout.end - walk->pos};
        const size_t hit = surety__str_find(rest, marker);
        const size_t at = walk->pos + hit;

        if (hit == rest.len)
            break;
        while (walk->mask < finder->layout.masks.count &&
               surety__mask_at(finder, walk->mask)->end <= at)
            walk->mask++;
        if (walk->mask < finder->layout.masks.count &&
            surety__mask_at(finder, walk->mask)->start <= at) {
            walk->pos = surety__mask_at(finder, walk->mask)->end;
            continue;
        }
        walk->pos = at + marker.len;
        *ret_at = at;
        return true;
    }
    walk->pos = finder->layout.end;
    return false;
}

static bool place_holds(surety__span span, size_t at)
{
    return span.start <= at && at < span.end;
}

/* What the next marker leads to. */
static bool place_marked(surety_finder *finder, surety__offer *ret_offer)
{
    surety__pass *pass = &finder->pass;
    size_t at;

    while (surety__place_marker(finder, &pass->walk, &at)) {
        if (place_holds(pass->taken, at)) {
            pass->walk.pos = pass->taken.end;
        } else if (place_holds(pass->value, at)) {
            pass->walk.pos = pass->value.end;
        } else {
            finder->marker_seen = true;
            if (place_after(finder, pass->walk.pos, ret_offer))
                return true;
        }
    }
    pass->open = pass->aim_open;
    return false;
}

bool surety__place_segment(const surety_finder *finder, surety__walk *walk)
{
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

            if (walk->pos >= block->content_end) {
                if (walk->pos < block->close_end)
                    walk->pos = block->close_end;
                walk->block++;
                continue;
            }
            if (walk->pos >= block->content) {
                walk->stop = block->content_end;
            } else if (walk->pos >= block->line) {
                walk->pos = block->content;
                continue;
            } else if (block->line < walk->stop) {
                walk->stop = block->line;
            }
        }
        return true;
    }
}

/* The next value from the walk's pos on; pos is then behind it. */
static bool place_value(surety_finder *finder, surety__walk *walk,
                        surety__span *ret_span)
{
    const surety__span skip = finder->skip;

    while (surety__place_segment(finder, walk)) {
        if (walk->pos < skip.end && walk->stop > skip.start) {
            if (walk->pos >= skip.start) {
                walk->pos = skip.end;
                continue;
            }
            walk->stop = skip.start;
        }
        if (surety__value_next(finder, walk->pos, walk->stop, ret_span)) {
            walk->pos = ret_span->end;
            return true;
        }
        walk->pos = walk->stop;
    }
    return false;
}

/* Behind a scalar: blank, the end, or punctuation that is no part of it. */
static bool place_is_delimiter(const char *ptr, const surety__walk *walk,
                               size_t at)
{
    return at >= walk->stop || surety__is_space(ptr[at]) ||
           memchr(",;)]}>`*", ptr[at], 8);
}

/* How many digits stand at `at`. */
static size_t place_digits(const char *ptr, const surety__walk *walk, size_t at)
{
    size_t end = at;

    while (end < walk->stop && ptr[end] >= '0' && ptr[end] <= '9')
        end++;
    return end - at;
}

/* Where the number at `at` ends (RFC 8259, section 6); `at`: none is there. */
static size_t place_number(const char *ptr, const surety__walk *walk, size_t at)
{
    size_t end = at + (ptr[at] == '-');
    size_t digits = place_digits(ptr, walk, end);

    if (!digits || (digits > 1 && ptr[end] == '0'))
        return at;
    end += digits;
    if (end < walk->stop && ptr[end] == '.') {
        digits = place_digits(ptr, walk, end + 1);
        end += digits ? digits + 1 : 0;
    }
    if (end < walk->stop && (ptr[end] == 'e' || ptr[end] == 'E')) {
        end++;
        end += end < walk->stop && (ptr[end] == '+' || ptr[end] == '-');
        digits = place_digits(ptr, walk, end);
        if (!digits)
            return at;
        end += digits;
    }
    return end;
}

/* Where the string, number or literal at the walk's pos ends; pos: none. */
static size_t place_scalar(const char *ptr, const surety__walk *walk)
{
    static const char *const literals[] = {"true", "false", "null"};
    const surety_str rest = {ptr + walk->pos, walk->stop - walk->pos};
    size_t end = walk->pos;

    if (rest.ptr[0] == '"') {
        end = surety__value_string(ptr, walk->pos, walk->stop);
        if (end == SURETY__NOWHERE)
            return walk->pos;
    } else if (rest.ptr[0] == '-' ||
               (rest.ptr[0] >= '0' && rest.ptr[0] <= '9')) {
        end = place_number(ptr, walk, walk->pos);
    } else {
        for (size_t i = 0; i < sizeof(literals) / sizeof(literals[0]); i++) {
            const surety_str literal = surety_str_of(literals[i]);

            if (surety__str_starts(rest, literal))
                end += literal.len;
        }
    }
    /* A full stop ends the sentence, not the value. */
    if (place_is_delimiter(ptr, walk, end) ||
        (ptr[end] == '.' && place_is_delimiter(ptr, walk, end + 1)))
        return end;
    return walk->pos;
}

/* The first of count things in order (ends(finder, i) gives where the i-th
 * ends) that ends behind pos. */
static size_t place_first(const surety_finder *finder, size_t count, size_t pos,
                          size_t (*ends)(const surety_finder *finder, size_t i))
{
    size_t low = 0;
    size_t high = count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (ends(finder, middle) <= pos)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t place_mask_end(const surety_finder *finder, size_t i)
{
    return surety__mask_at(finder, i)->end;
}

static size_t place_block_end(const surety_finder *finder, size_t i)
{
    return surety__block_at(finder, i)->close_end;
}

/* What the marker that ends at pos leads to. True: something new. */
static bool place_after(surety_finder *finder, size_t pos,
                        surety__offer *ret_offer)
{
    const char *ptr = finder->reply.ptr;
    surety__pass *pass = &finder->pass;
    surety__walk walk = {.pos = pos};

    ret_offer->block = SURETY__NO_BLOCK;
    walk.mask =
        place_first(finder, finder->layout.masks.count, pos, place_mask_end);
    for (;;) {
        while (walk.pos < finder->layout.end && surety__is_space(ptr[walk.pos]))
            walk.pos++;
        if (walk.mask == finder->layout.masks.count ||
            surety__mask_at(finder, walk.mask)->start != walk.pos)
            break;
        walk.pos = surety__mask_at(finder, walk.mask++)->end;
    }
    walk.block = place_first(finder, finder->layout.blocks.count, walk.pos,
                             place_block_end);
    if (walk.block < finder->layout.blocks.count) {
        const surety__block *block = surety__block_at(finder, walk.block);

        if (block->line <= walk.pos && walk.pos <= block->fence) {
            ret_offer->span =
                (surety__span){block->content, block->content_end};
            ret_offer->block = (uint32_t)walk.block;
            pass->taken = (surety__span){block->line, block->close_end};
            return true;
        }
    }
    if (!surety__place_segment(finder, &walk))
        return false;
    pass->taken.end = (uint32_t)place_scalar(ptr, &walk);
    if (pass->taken.end > walk.pos) {
        pass->taken.start = (uint32_t)walk.pos;
        ret_offer->span = pass->taken;
        return true;
    }
    if (walk.pos < pass->barren || walk.pos <= pass->value.start)
        return false;
    pass->open = SURETY__NOWHERE;
    if (place_value(finder, &walk, &pass->value)) {
        ret_offer->span = pass->taken = pass->value;
        return true;
    }
    pass->barren = pass->open == SURETY__NOWHERE ? SIZE_MAX : pass->open + 1;
    if (pass->aim_open == SURETY__NOWHERE)
        pass->aim_open = pass->open;
    return false;
}
