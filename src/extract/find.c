/* SPDX-License-Identifier: Apache-2.0 */
/* The finder: from a reply to the list of its candidates. The reply is scanned
 * by lines once; then each place, in the order asked for, adds what it has. A
 * span that is listed already is not listed again, so the first place that
 * finds it names it.
 *
 * At most candidates_max are listed, those that come first in the order of
 * trial: within a place the first of the reply, or the last with pick_last.
 */
#include "extract/finder.h"

/* ORDER places */
static const char *const find_names[] = {
    "none", "native", "whole", "fence", "fence-any", "marker", "embedded",
};
_Static_assert(sizeof(find_names) / sizeof(find_names[0]) == SURETY_PLACES + 1,
               "a name for each place");

static void find_reset(surety_finder *finder);
static surety_status find_take_options(surety_finder *finder,
                                       const surety_extract *how,
                                       surety_error *reterr);
static surety_status find_place(surety_finder *finder, surety_place place);
static surety_status find_whole(surety_finder *finder);
static surety_status find_fences(surety_finder *finder, surety_place place,
                                 unsigned tag);
static bool find_read_whole(const surety_finder *finder);
static surety_status find_values(surety_finder *finder);
static surety_status find_value(surety_finder *finder);
static void find_obstacle(surety_finder *finder);
static surety_status find_add(surety_finder *finder, surety_place place,
                              surety__offer offer);
static const surety__found *find_at(const surety_finder *finder, size_t i);

const char *surety_place_name(surety_place place)
{
    return find_names[(unsigned)place <= SURETY_PLACES ? place : 0];
}

surety_place surety__place_of(surety_str name)
{
    for (unsigned i = 1; i <= SURETY_PLACES; i++)
        if (surety_str_equal(name, surety_str_of(find_names[i])))
            return (surety_place)i;
    return SURETY_PLACE_NONE;
}

surety_finder *surety_finder_new(const surety_alloc *alloc)
{
    surety_finder *finder = surety__new(alloc, sizeof(*finder));

    if (!finder)
        return NULL;
    finder->alloc = alloc;
    finder->layout.blocks.size = sizeof(surety__block);
    finder->layout.masks.size = sizeof(surety__span);
    finder->layout.pieces.size = sizeof(surety__span);
    finder->offers.size = sizeof(surety__offer);
    finder->list.found.size = sizeof(surety__found);
    finder->stretches.size = sizeof(surety__stretch);
    finder->layout.fences.size = sizeof(surety__fence);
    finder->regions.size = sizeof(surety__region_row);
    surety__arena_init(&finder->copies, alloc, 0);
    finder->own = surety_doc_new(alloc);
    if (!finder->own) {
        surety_finder_free(finder);
        return NULL;
    }
    find_reset(finder);
    return finder;
}

static void find_free(const surety_finder *finder, const surety__rows *rows)
{
    surety__free(finder->alloc, rows->ptr, rows->cap * rows->size);
}

void surety_finder_free(surety_finder *finder)
{
    if (!finder)
        return;
    find_free(finder, &finder->layout.blocks);
    find_free(finder, &finder->layout.masks);
    find_free(finder, &finder->layout.pieces);
    find_free(finder, &finder->layout.fences);
    find_free(finder, &finder->list.found);
    find_free(finder, &finder->offers);
    find_free(finder, &finder->stretches);
    find_free(finder, &finder->regions);
    surety__arena_done(&finder->copies);
    surety_doc_free(finder->own);
    surety__free(finder->alloc, finder->list.seen,
                 finder->list.seen_cap * sizeof(*finder->list.seen));
    surety__free(finder->alloc, finder, sizeof(*finder));
}

surety_status surety_finder_find(surety_finder *finder, surety_str reply,
                                 const surety_extract *how,
                                 const surety_limits *limits,
                                 surety_error *reterr)
{
    surety_status status =
        surety__finder_begin(finder, reply, how, limits, reterr);
    surety_place place;

    if (status != SURETY_OK)
        return status;
    do
        status = surety__finder_step(finder, NULL, &place);
    while (status == SURETY_OK);
    return status == SURETY_END ? SURETY_OK : surety__fail_nomem(reterr);
}

surety_status surety__finder_begin(surety_finder *finder, surety_str reply,
                                   const surety_extract *how,
                                   const surety_limits *limits,
                                   surety_error *reterr)
{
    surety_status status;

    if (!finder || (reply.len && !reply.ptr))
        return surety__fail(reterr, SURETY_MISUSE,
                            "a finder and a reply are needed");
    find_reset(finder);
    finder->limits = surety_limits_of(limits);
    status = find_take_options(finder, how, reterr);
    if (status != SURETY_OK)
        return status;
    if (reply.len > finder->limits.text_bytes_max || reply.len >= UINT32_MAX) {
        status = surety__fail(reterr, SURETY_LIMIT,
                              "the reply has %zu bytes, more than the limit "
                              "text_bytes_max of %zu",
                              reply.len, finder->limits.text_bytes_max);
        return status;
    }
    if (reply.len)
        finder->reply = reply;
    finder->layout.end = reply.len;
    finder->all =
        surety__trim(reply, (surety__span){0, (uint32_t)finder->reply.len});
    finder->skip = (surety__span){0, 0};
    if (finder->all.start == finder->all.end) {
        finder->obstacle = SURETY_OBSTACLE_EMPTY_REPLY;
        finder->list.full = true;
    }
    return SURETY_OK;
}

void surety__finder_skip(surety_finder *finder, size_t start, size_t end)
{
    finder->skip = (surety__span){(uint32_t)start, (uint32_t)end};
}

bool surety__finder_leaves(const surety_finder *finder, surety_place place)
{
    surety_place next;

    if (finder->passing)
        return finder->pass.place != place;
    if (finder->list.turn == finder->how.from_count)
        return true;
    next = finder->how.from[finder->list.turn];
    return next != SURETY_PLACE_FENCE && next != SURETY_PLACE_FENCE_ANY;
}

surety_status surety__finder_step(surety_finder *finder, surety_doc *doc,
                                  surety_place *ret_place)
{
    const size_t count = finder->how.from_count;
    surety_status status = SURETY_OK;

    finder->doc = doc ? doc : finder->own;
    finder->lazy = doc != NULL;
    finder->has_read = false;
    if (finder->passing) {
        *ret_place = finder->pass.place;
        status = find_value(finder);
    } else if (finder->list.turn < count) {
        *ret_place = finder->how.from[finder->list.turn++];
        if (!finder->list.full)
            status = find_place(finder, *ret_place);
    } else {
        if (finder->obstacle == SURETY_OBSTACLE_NONE)
            status = surety__finder_scan(finder);
        if (status == SURETY_OK && finder->obstacle == SURETY_OBSTACLE_NONE)
            find_obstacle(finder);
        if (status == SURETY_OK)
            return SURETY_END;
    }
    if (status == SURETY_END) {
        finder->list.full = true;
        finder->passing = false;
        status = SURETY_OK;
    }
    if (status != SURETY_OK)
        find_reset(finder);
    return status;
}

bool surety__finder_has_read(const surety_finder *finder, size_t i)
{
    return finder->has_read && finder->lazy &&
           i + 1 == finder->list.found.count;
}

void surety__finder_forget(surety_finder *finder)
{
    finder->has_read = false;
}

size_t surety_finder_count(const surety_finder *finder)
{
    return finder ? finder->list.found.count : 0;
}

surety_candidate surety_finder_at(const surety_finder *finder, size_t i)
{
    const surety__found *found;

    if (i >= surety_finder_count(finder))
        return (surety_candidate){.place = SURETY_PLACE_NONE};
    found = find_at(finder, i);
    return (surety_candidate){
        .place = found->place,
        .start = found->span.start,
        .end = found->span.end,
        .text = found->slice.text,
        .stripped = found->slice.stretch_count > 0,
    };
}

size_t surety__finder_origin(const surety_finder *finder, size_t i,
                             size_t offset)
{
    return i < surety_finder_count(finder)
               ? surety__slice_origin(finder, &find_at(finder, i)->slice,
                                      offset, NULL)
               : 0;
}

surety__obstacle surety__finder_obstacle(const surety_finder *finder,
                                         size_t *ret_offset)
{
    if (!finder)
        return SURETY_OBSTACLE_NONE;
    if (ret_offset)
        *ret_offset = finder->obstacle_at;
    return finder->obstacle;
}

static const surety__found *find_at(const surety_finder *finder, size_t i)
{
    assert(i < finder->list.found.count);
    return (const surety__found *)finder->list.found.ptr + i;
}

/* Forgets the last search; keeps the memory. */
static void find_reset(surety_finder *finder)
{
    finder->reply = (surety_str){"", 0};
    finder->layout.end = 0;
    finder->layout.blocks.count = finder->layout.masks.count =
        finder->layout.pieces.count = 0;
    finder->offers.count = finder->list.found.count = finder->stretches.count =
        0;
    finder->layout.fences.count = finder->regions.count = 0;
    finder->layout.fenced = false;
    if (finder->copies.chunks)
        surety__arena_reset(&finder->copies);
    if (finder->list.seen)
        memset(finder->list.seen, 0,
               finder->list.seen_cap * sizeof(*finder->list.seen));
    finder->layout.reasoning_open = finder->layout.fence_open = SURETY__NOWHERE;
    finder->value_open = SURETY__NOWHERE;
    finder->marker_seen = false;
    finder->work = finder->list.turn = 0;
    finder->layout.done = finder->passing = finder->has_read =
        finder->list.full = false;
    finder->obstacle = SURETY_OBSTACLE_NONE;
    finder->obstacle_at = 0;
}

/* Copies the options, as much of them as the caller's header had, and fills in
 * the places where none are listed. */
static surety_status find_take_options(surety_finder *finder,
                                       const surety_extract *how,
                                       surety_error *reterr)
{
    surety_extract *own = &finder->how;

    if (surety__options_take(own, sizeof(*own), how, reterr))
        return SURETY_MISUSE;
    if (own->from_count > SURETY_PLACES)
        return surety__fail(reterr, SURETY_MISUSE,
                            "%zu places are listed, more than the %d there are",
                            own->from_count, SURETY_PLACES);
    for (size_t i = 0; i < own->from_count; i++)
        if (own->from[i] < SURETY_PLACE_NATIVE ||
            own->from[i] > SURETY_PLACE_EMBEDDED)
            return surety__fail(reterr, SURETY_MISUSE,
                                "%d is no place to look at", (int)own->from[i]);
    if (!own->from_count)
        for (; own->from_count < SURETY_PLACES; own->from_count++)
            own->from[own->from_count] = (surety_place)(own->from_count + 1);
    return SURETY_OK;
}

bool surety__finder_lists(const surety_finder *finder, surety_place place)
{
    for (size_t i = 0; i < finder->how.from_count; i++)
        if (finder->how.from[i] == place)
            return true;
    return false;
}

/* Whether a text starts as a JSON value does. */
static bool find_like_json(surety_str text)
{
    return text.len && (memchr("{[\"-0123456789", text.ptr[0], 14) ||
                        surety__str_starts(text, SURETY__LITERAL("true")) ||
                        surety__str_starts(text, SURETY__LITERAL("false")) ||
                        surety__str_starts(text, SURETY__LITERAL("null")));
}

/* Whether some candidate is more than the whole of a reply of prose. */
static bool find_has_json(const surety_finder *finder)
{
    const size_t count = finder->list.found.count;

    for (size_t i = 0; i < count && i < 2; i++) {
        const surety_candidate candidate = surety_finder_at(finder, i);

        if (candidate.place != SURETY_PLACE_WHOLE ||
            find_like_json(candidate.text))
            return true;
    }
    return false;
}

/* The first block, where blocks are looked at and only those of another
 * language are there. */
static size_t find_other_block(const surety_finder *finder)
{
    if (!surety__finder_lists(finder, SURETY_PLACE_FENCE) ||
        surety__finder_lists(finder, SURETY_PLACE_FENCE_ANY) ||
        !finder->layout.blocks.count)
        return SURETY__NOWHERE;
    for (size_t i = 0; i < finder->layout.blocks.count; i++)
        if (surety__block_at(finder, i)->tag == BLOCK_JSON)
            return SURETY__NOWHERE;
    return surety__block_at(finder, 0)->fence;
}

/* The first obstacle that applies, in the order of the enum. */
static void find_obstacle(surety_finder *finder)
{
    const bool fences = surety__finder_lists(finder, SURETY_PLACE_FENCE) ||
                        surety__finder_lists(finder, SURETY_PLACE_FENCE_ANY);
    const struct {
        surety__obstacle obstacle;
        size_t at;
    } rows[] = {
        {SURETY_OBSTACLE_REASONING_OPEN, finder->layout.reasoning_open},
        {SURETY_OBSTACLE_FENCE_OPEN,
         fences ? finder->layout.fence_open : SURETY__NOWHERE},
        {SURETY_OBSTACLE_FENCE_OTHER, find_other_block(finder)},
        {SURETY_OBSTACLE_VALUE_OPEN, finder->value_open},
        {SURETY_OBSTACLE_NO_MARKER,
         surety__finder_lists(finder, SURETY_PLACE_MARKER) &&
                 finder->how.marker.len && !finder->marker_seen
             ? 0
             : SURETY__NOWHERE},
        {SURETY_OBSTACLE_NO_JSON, find_has_json(finder) ? SURETY__NOWHERE : 0},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].at == SURETY__NOWHERE)
            continue;
        finder->obstacle = rows[i].obstacle;
        finder->obstacle_at = rows[i].at;
        return;
    }
}

surety_status surety__finder_scan(surety_finder *finder)
{
    if (finder->layout.done)
        return SURETY_OK;
    finder->layout.done = true;
    return surety__block_scan(finder);
}

/* OK, NOMEM, or END: there are as many candidates as may be. */
static surety_status find_place(surety_finder *finder, surety_place place)
{
    surety_status status = SURETY_OK;

    if (place == SURETY_PLACE_NATIVE)
        return SURETY_OK;
    if (place == SURETY_PLACE_WHOLE && find_read_whole(finder)) {
        finder->has_read = true;
        return find_add(finder, place,
                        (surety__offer){finder->all, SURETY__NO_BLOCK});
    }
    status = surety__finder_scan(finder);
    if (status != SURETY_OK)
        return status;
    switch (place) {
    case SURETY_PLACE_NONE:
    case SURETY_PLACE_NATIVE: break;
    case SURETY_PLACE_WHOLE: return find_whole(finder);
    case SURETY_PLACE_FENCE: return find_fences(finder, place, BLOCK_JSON);
    case SURETY_PLACE_FENCE_ANY:
        for (unsigned tag = BLOCK_JSON;
             tag <= BLOCK_OTHER && status == SURETY_OK; tag++)
            status = find_fences(finder, place, tag);
        return status;
    case SURETY_PLACE_MARKER:
    case SURETY_PLACE_EMBEDDED:
        surety__place_begin(finder, place);
        if (!finder->lazy || finder->how.pick_last)
            return find_values(finder);
        finder->passing = true;
        return find_value(finder);
    }
    return status;
}

surety__span surety__finder_whole(const surety_finder *finder)
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

static surety_status find_whole(surety_finder *finder)
{
    const surety__span span = surety__finder_whole(finder);

    if (span.start == span.end)
        return SURETY_OK;
    return find_add(finder, SURETY_PLACE_WHOLE,
                    (surety__offer){span, SURETY__NO_BLOCK});
}

/* The blocks with that tag. */
static surety_status find_fences(surety_finder *finder, surety_place place,
                                 unsigned tag)
{
    const size_t count = finder->layout.blocks.count;
    surety_status status = SURETY_OK;

    for (size_t i = 0; i < count && status == SURETY_OK; i++) {
        const size_t at = finder->how.pick_last ? count - 1 - i : i;
        const surety__block *block = surety__block_at(finder, at);

        if (block->tag == tag)
            status =
                find_add(finder, place,
                         (surety__offer){{block->content, block->content_end},
                                         (uint32_t)at});
    }
    return status;
}

/* Whether the reply is an array or object and nothing else, read before it is
 * scanned. A JSON text holds no reasoning outside of strings, and none in its
 * strings counts: the scan would change nothing. */
static bool find_read_whole(const surety_finder *finder)
{
    const surety_read_options options = {.size = sizeof(options),
                                         .flags = SURETY_READ_BORROW,
                                         .limits = &finder->limits};
    const surety_str all = {finder->reply.ptr + finder->all.start,
                            finder->all.end - finder->all.start};

    return finder->lazy && !finder->layout.done && !finder->list.found.count &&
           memchr("{[", all.ptr[0], 2) &&
           surety_doc_read(finder->doc, all, &options, NULL) == SURETY_OK;
}

/* The pass has found all it can, or may. */
static void find_pass_over(surety_finder *finder)
{
    const surety__pass *pass = &finder->pass;
    const size_t open =
        pass->place == SURETY_PLACE_MARKER ? pass->aim_open : pass->open;

    assert(pass->place >= SURETY_PLACE_MARKER);
    finder->passing = false;
    finder->work += pass->work;
    if (finder->value_open == SURETY__NOWHERE)
        finder->value_open = open;
}

/* All values behind markers, or in prose: the first candidates_max, or
 * with pick_last the last, of which twice as many are let in before the older
 * half goes. */
static surety_status find_values(surety_finder *finder)
{
    const surety_place place = finder->pass.place;
    const size_t max = finder->limits.candidates_max;
    const bool last = finder->how.pick_last;
    surety_status status = SURETY_OK;
    surety__offer offer;
    surety__offer *row;
    size_t count;

    finder->lazy = false; /* of many values one cannot be kept */
    finder->offers.count = 0;
    while ((last || finder->offers.count < max) &&
           surety__place_next(finder, &offer)) {
        row = finder->offers.ptr;
        if (last && finder->offers.count == 2 * max) {
            memmove(row, row + max, max * sizeof(*row));
            finder->offers.count = max;
        }
        row = surety__rows_add(finder, &finder->offers);
        if (!row)
            return SURETY_NOMEM;
        *row = offer;
    }
    if (finder->pass.nomem)
        return SURETY_NOMEM;
    find_pass_over(finder);
    row = finder->offers.ptr;
    count = finder->offers.count;
    for (size_t i = 0; i < count && status == SURETY_OK; i++)
        status = find_add(finder, place, row[last ? count - 1 - i : i]);
    return status;
}

/* The next one of them. */
static surety_status find_value(surety_finder *finder)
{
    const size_t count = finder->list.found.count;
    surety_status status;
    surety__offer offer;

    if (finder->pass.offers == finder->limits.candidates_max ||
        !surety__place_next(finder, &offer)) {
        find_pass_over(finder);
        return finder->pass.nomem ? SURETY_NOMEM : SURETY_OK;
    }
    if (finder->pass.nomem)
        return SURETY_NOMEM;
    finder->pass.offers++;
    status = find_add(finder, finder->pass.place, offer);
    finder->has_read = finder->has_read && finder->list.found.count > count;
    return status;
}

/* Whether the span is listed already; where it is not, notes it as that of the
 * next candidate. OK: it is new; END: it is not; NOMEM. */
static surety_status find_note(surety_finder *finder, surety__span span)
{
    const size_t count = finder->list.found.count;
    uint32_t hash;
    size_t at;

    if (count * 2 >= finder->list.seen_cap) {
        const size_t cap =
            finder->list.seen_cap ? finder->list.seen_cap * 2 : 64;
        uint32_t *seen = surety__resize(finder->alloc, finder->list.seen,
                                        finder->list.seen_cap * sizeof(*seen),
                                        cap * sizeof(*seen));

        if (!seen)
            return SURETY_NOMEM;
        finder->list.seen = seen;
        finder->list.seen_cap = cap;
        memset(seen, 0, cap * sizeof(*seen));
        for (size_t i = 0; i < count; i++) {
            const surety__span old = find_at(finder, i)->span;

            hash = surety__hash((const char *)&old, sizeof(old));
            for (at = hash & (cap - 1); seen[at]; at = (at + 1) & (cap - 1))
                continue;
            seen[at] = (uint32_t)i + 1;
        }
    }
    hash = surety__hash((const char *)&span, sizeof(span));
    at = hash & (finder->list.seen_cap - 1);
    for (; finder->list.seen[at]; at = (at + 1) & (finder->list.seen_cap - 1)) {
        const surety__span old =
            find_at(finder, finder->list.seen[at] - 1)->span;

        if (old.start == span.start && old.end == span.end)
            return SURETY_END;
    }
    finder->list.seen[at] = (uint32_t)count + 1;
    return SURETY_OK;
}

/* Makes a candidate's text that of a block without its markup. If the JSON is
 * in one piece, it is the reply's own. OK or NOMEM. */
static surety_status find_clean(surety_finder *finder, size_t block,
                                surety__found *found)
{
    surety__slice *slice = &found->slice;
    surety__span inside = {0, 0};
    size_t len;

    if (surety__slice_block(finder, block, slice) != SURETY_OK)
        return SURETY_NOMEM;
    inside.end = (uint32_t)slice->text.len;
    inside = surety__trim(slice->text, inside);
    if (inside.start == inside.end) {
        found->span.end = found->span.start;
        slice->stretch_count = 0;
        return SURETY_OK;
    }
    found->span.start =
        (uint32_t)surety__slice_origin(finder, slice, inside.start, &len);
    surety__slice_skip(slice, inside.start);
    slice->text.len = inside.end - inside.start;
    found->span.end =
        (uint32_t)surety__slice_origin(finder, slice, slice->text.len, NULL);
    if (len >= slice->text.len)
        slice->stretch_count = 0;
    return SURETY_OK;
}

/* Adds a candidate unless its span is listed already. OK, NOMEM, or END: there
 * are as many as may be. */
static surety_status find_add(surety_finder *finder, surety_place place,
                              surety__offer offer)
{
    surety__found found = {.place = place, .span = offer.span};
    const bool copied = offer.block != SURETY__NO_BLOCK &&
                        surety__block_at(finder, offer.block)->piece_count;
    surety_status status = SURETY_OK;
    surety__found *row;

    if (finder->list.found.count >= finder->limits.candidates_max)
        return SURETY_END;
    if (copied)
        status = find_clean(finder, offer.block, &found);
    else
        found.span = surety__trim(finder->reply, found.span);
    if (!found.slice.stretch_count)
        found.slice =
            (surety__slice){.text = {finder->reply.ptr + found.span.start,
                                     found.span.end - found.span.start},
                            .origin = found.span.start};
    if (status == SURETY_OK)
        status = find_note(finder, found.span);
    if (status != SURETY_OK)
        return status == SURETY_END ? SURETY_OK : status;
    row = surety__rows_add(finder, &finder->list.found);
    if (!row)
        return SURETY_NOMEM;
    *row = found;
    return SURETY_OK;
}
