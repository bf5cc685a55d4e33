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
#include "text/finder.h"

/* A place in the reply that moves forward over the segments. */
struct place_walk {
    const surety_finder *finder;
    size_t pos, stop; /* what is left of the segment */
    size_t mask, block;
};

/* What the markers so far led to. */
struct place_aim {
    surety__span taken; /* the last thing that was offered */
    surety__span value; /* the last array or object among it */
    size_t barren;      /* from before this, no search finds a value */
    size_t open;        /* the first value left open, or SURETY__NOWHERE */
};

static bool place_segment(struct place_walk *walk);
static bool place_next(surety_finder *finder, struct place_walk *walk,
                       surety__span *ret_span);
static surety_status place_offer(surety_finder *finder, surety__span span,
                                 uint32_t block);
static bool place_after(surety_finder *finder, struct place_aim *aim,
                        size_t pos, surety__offer *ret_offer);

surety_status surety__place_embedded(surety_finder *finder)
{
    struct place_walk walk = {.finder = finder};
    surety_status status = SURETY_OK;
    surety__span span;

    while (status == SURETY_OK && place_next(finder, &walk, &span))
        status = place_offer(finder, span, SURETY__NO_BLOCK);
    return status == SURETY_END ? SURETY_OK : status;
}

surety_status surety__place_marker(surety_finder *finder)
{
    const surety_str marker = finder->how.marker;
    struct place_aim aim = {.open = SURETY__NOWHERE};
    surety_status status = SURETY_OK;
    size_t mask = 0;
    size_t pos = 0;

    while (marker.len && pos < finder->end && status == SURETY_OK) {
        const surety_str rest = {finder->reply.ptr + pos, finder->end - pos};
        const size_t hit = surety__str_find(rest, marker);
        surety__offer offer;

        if (hit == rest.len)
            break;
        pos += hit;
        while (mask < finder->masks.count &&
               surety__mask_at(finder, mask)->end <= pos)
            mask++;
        if (mask < finder->masks.count &&
            surety__mask_at(finder, mask)->start <= pos) {
            pos = surety__mask_at(finder, mask)->end;
        } else if (aim.taken.start <= pos && pos < aim.taken.end) {
            pos = aim.taken.end;
        } else if (aim.value.start <= pos && pos < aim.value.end) {
            pos = aim.value.end;
        } else {
            finder->marker_seen = true;
            pos += marker.len;
            if (place_after(finder, &aim, pos, &offer))
                status = place_offer(finder, offer.span, offer.block);
        }
    }
    finder->pass_open = aim.open;
    return status == SURETY_END ? SURETY_OK : status;
}

/* Adds to the offers. END: there are as many as may be. With pick_last twice as
 * many are let in before the older half goes. */
static surety_status place_offer(surety_finder *finder, surety__span span,
                                 uint32_t block)
{
    const size_t max = finder->limits.candidates_max;
    surety__offer *offer;

    if (finder->how.pick_last && finder->offers.count == 2 * max) {
        offer = finder->offers.ptr;
        memmove(offer, offer + max, max * sizeof(*offer));
        finder->offers.count = max;
    }
    offer = surety__rows_add(finder, &finder->offers);
    if (!offer)
        return SURETY_NOMEM;
    *offer = (surety__offer){span, block};
    return finder->how.pick_last || finder->offers.count < max ? SURETY_OK
                                                               : SURETY_END;
}

/* Makes pos and stop those of the segment that goes on at pos, or else of the
 * next one. False: there is none. pos may have moved forward only. */
static bool place_segment(struct place_walk *walk)
{
    const surety_finder *finder = walk->finder;

    for (;;) {
        walk->stop = finder->end;
        if (walk->pos >= finder->end)
            return false;
        if (walk->mask < finder->masks.count) {
            const surety__span mask = *surety__mask_at(finder, walk->mask);

            if (mask.start <= walk->pos) {
                walk->pos = walk->pos > mask.end ? walk->pos : mask.end;
                walk->mask++;
                continue;
            }
            walk->stop = mask.start;
        }
        if (walk->block < finder->blocks.count) {
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
static bool place_next(surety_finder *finder, struct place_walk *walk,
                       surety__span *ret_span)
{
    while (place_segment(walk)) {
        if (surety__value_next(finder, walk->pos, walk->stop, ret_span)) {
            walk->pos = ret_span->end;
            return true;
        }
        walk->pos = walk->stop;
    }
    return false;
}

/* Behind a scalar: blank, the end, or punctuation that is no part of it. */
static bool place_is_delimiter(const struct place_walk *walk, size_t at)
{
    return at >= walk->stop || surety__is_space(walk->finder->reply.ptr[at]) ||
           memchr(",;)]}>`*", walk->finder->reply.ptr[at], 8);
}

/* How many digits stand at `at`. */
static size_t place_digits(const struct place_walk *walk, size_t at)
{
    const char *ptr = walk->finder->reply.ptr;
    size_t end = at;

    while (end < walk->stop && ptr[end] >= '0' && ptr[end] <= '9')
        end++;
    return end - at;
}

/* Where the number at `at` ends (RFC 8259, section 6); `at`: none is there. */
static size_t place_number(const struct place_walk *walk, size_t at)
{
    const char *ptr = walk->finder->reply.ptr;
    size_t end = at + (ptr[at] == '-');
    size_t digits = place_digits(walk, end);

    if (!digits || (digits > 1 && ptr[end] == '0'))
        return at;
    end += digits;
    if (end < walk->stop && ptr[end] == '.') {
        digits = place_digits(walk, end + 1);
        end += digits ? digits + 1 : 0;
    }
    if (end < walk->stop && (ptr[end] == 'e' || ptr[end] == 'E')) {
        end++;
        end += end < walk->stop && (ptr[end] == '+' || ptr[end] == '-');
        digits = place_digits(walk, end);
        if (!digits)
            return at;
        end += digits;
    }
    return end;
}

/* Where the string, number or literal at the walk's pos ends; pos: none. */
static size_t place_scalar(const struct place_walk *walk)
{
    static const char *const literals[] = {"true", "false", "null"};
    const char *ptr = walk->finder->reply.ptr;
    const surety_str rest = {ptr + walk->pos, walk->stop - walk->pos};
    size_t end = walk->pos;

    if (rest.ptr[0] == '"') {
        end = surety__value_string(ptr, walk->pos, walk->stop);
        if (end == SURETY__NOWHERE)
            return walk->pos;
    } else if (rest.ptr[0] == '-' ||
               (rest.ptr[0] >= '0' && rest.ptr[0] <= '9')) {
        end = place_number(walk, walk->pos);
    } else {
        for (size_t i = 0; i < sizeof(literals) / sizeof(literals[0]); i++) {
            const surety_str literal = surety_str_of(literals[i]);

            if (surety__str_starts(rest, literal))
                end += literal.len;
        }
    }
    /* A full stop ends the sentence, not the value. */
    if (place_is_delimiter(walk, end) ||
        (ptr[end] == '.' && place_is_delimiter(walk, end + 1)))
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
static bool place_after(surety_finder *finder, struct place_aim *aim,
                        size_t pos, surety__offer *ret_offer)
{
    const char *ptr = finder->reply.ptr;
    struct place_walk walk = {.finder = finder, .pos = pos};

    ret_offer->block = SURETY__NO_BLOCK;
    walk.mask = place_first(finder, finder->masks.count, pos, place_mask_end);
    for (;;) {
        while (walk.pos < finder->end && surety__is_space(ptr[walk.pos]))
            walk.pos++;
        if (walk.mask == finder->masks.count ||
            surety__mask_at(finder, walk.mask)->start != walk.pos)
            break;
        walk.pos = surety__mask_at(finder, walk.mask++)->end;
    }
    walk.block =
        place_first(finder, finder->blocks.count, walk.pos, place_block_end);
    if (walk.block < finder->blocks.count) {
        const surety__block *block = surety__block_at(finder, walk.block);

        if (block->line <= walk.pos && walk.pos <= block->fence) {
            ret_offer->span =
                (surety__span){block->content, block->content_end};
            ret_offer->block = (uint32_t)walk.block;
            aim->taken = (surety__span){block->line, block->close_end};
            return true;
        }
    }
    if (!place_segment(&walk))
        return false;
    aim->taken.end = (uint32_t)place_scalar(&walk);
    if (aim->taken.end > walk.pos) {
        aim->taken.start = (uint32_t)walk.pos;
        ret_offer->span = aim->taken;
        return true;
    }
    if (walk.pos < aim->barren || walk.pos <= aim->value.start)
        return false;
    finder->pass_open = SURETY__NOWHERE;
    if (place_next(finder, &walk, &aim->value)) {
        ret_offer->span = aim->taken = aim->value;
        return true;
    }
    aim->barren =
        finder->pass_open == SURETY__NOWHERE ? SIZE_MAX : finder->pass_open + 1;
    if (aim->open == SURETY__NOWHERE)
        aim->open = finder->pass_open;
    return false;
}
