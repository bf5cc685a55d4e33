/* SPDX-License-Identifier: Apache-2.0 */
/* The finder: from a reply to the list of its candidates. The reply is scanned
 * by lines once; then each place, in the order asked for, adds what it has, one
 * candidate after the other. A span that is listed already is not listed again,
 * so the first place that finds it names it.
 *
 * At most candidates_max are listed, those that come first in the order of
 * trial: within a place the first of the reply, or the last with pick_last.
 */
#include "extract/finder.h"

/* Bytes of a number or literal behind a marker. */
enum { SCALAR_MAX = 1024 };

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
static surety_status find_offer(surety_finder *finder,
                                surety__slice *ret_slice);
static void find_obstacle(surety_finder *finder);
static surety_status find_add(surety_finder *finder,
                              const surety__slice *offered);
static const surety__found *find_at(const surety_finder *finder, size_t i);

const char *surety_place_name(surety_place place)
{
    return find_names[(unsigned)place <= SURETY_PLACES ? place : 0];
}

const char *surety_form_name(surety_form form)
{
    static const char *const names[SURETY_FORMS] = {
        [SURETY_FORM_TOOL_CALL] = "tool-call",
        [SURETY_FORM_YAML] = "yaml",
        [SURETY_FORM_TABLE] = "table",
        [SURETY_FORM_CSV] = "csv",
        [SURETY_FORM_KEY_VALUE] = "key-value",
        [SURETY_FORM_XML] = "xml",
    };

    return (unsigned)form < SURETY_FORMS ? names[form] : "none";
}

unsigned surety__form_named(surety_str name)
{
    unsigned form = 0;

    while (form < SURETY_FORMS &&
           !surety_str_equal(
               name, surety_str_of(surety_form_name((surety_form)form))))
        form++;
    return form;
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
    finder->offers.size = sizeof(surety__slice);
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
    while (status == SURETY_OK) {
        status = surety__finder_next(finder, NULL);
        if (status == SURETY_END)
            status = surety__finder_place(finder, &place);
    }
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

surety_status surety__finder_place(surety_finder *finder,
                                   surety_place *ret_place)
{
    surety_status status = SURETY_OK;

    finder->has_read = false;
    if (finder->turn < finder->how.from_count) {
        *ret_place = finder->how.from[finder->turn++];
        surety__place_begin(finder, *ret_place, SURETY__PASSES_MAX);
        finder->offers.count = 0;
        finder->collected = false;
        return SURETY_OK;
    }
    surety__place_begin(finder, SURETY_PLACE_NONE, 0);
    if (finder->obstacle != SURETY_OBSTACLE_NONE)
        return SURETY_END;
    status = surety__place_layout(finder);
    if (status != SURETY_OK) {
        find_reset(finder);
        return status;
    }
    find_obstacle(finder);
    return SURETY_END;
}

surety_status surety__finder_next(surety_finder *finder, surety_doc *doc)
{
    const size_t count = finder->list.found.count;
    surety_status status = SURETY_OK;
    surety__slice slice;

    finder->doc = doc ? doc : finder->own;
    finder->has_read = false;
    while (status == SURETY_OK && finder->list.found.count == count) {
        if (count == finder->limits.candidates_max)
            finder->list.full = true;
        if (finder->list.full)
            return SURETY_END;
        status = find_offer(finder, &slice);
        if (status == SURETY_OK)
            status = find_add(finder, &slice);
    }
    if (status == SURETY_NOMEM)
        find_reset(finder);
    return status;
}

bool surety__finder_has_read(const surety_finder *finder, size_t i)
{
    return finder->has_read && finder->doc != finder->own &&
           i + 1 == finder->list.found.count;
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
    surety__place_begin(finder, SURETY_PLACE_NONE, 0);
    finder->work = finder->turn = 0;
    finder->layout.done = finder->has_read = finder->list.full = false;
    finder->lines.comes.open = false;
    finder->layout.loose_end = 0;
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

    return finder->doc != finder->own && !finder->layout.done &&
           !finder->list.found.count && memchr("{[", all.ptr[0], 2) &&
           surety_doc_read(finder->doc, all, &options, NULL) == SURETY_OK;
}

static surety_status find_whole(surety_finder *finder, surety__slice *ret_slice)
{
    surety__span span = finder->all;
    surety_status status;

    if (finder->scan.turn++ > 0)
        return SURETY_END;
    finder->has_read = find_read_whole(finder);
    if (!finder->has_read) {
        status = surety__place_layout(finder);
        if (status != SURETY_OK)
            return status;
        span = surety__place_whole(finder);
    }
    *ret_slice = surety__slice_own(finder, span.start, span.end);
    return span.start < span.end ? SURETY_OK : SURETY_END;
}

/* The next block of the place: those tagged as JSON first. */
static surety_status find_block(surety_finder *finder, surety__slice *ret_slice)
{
    surety__place_scan *scan = &finder->scan;
    const size_t count = finder->layout.blocks.count;
    const size_t tags =
        scan->place == SURETY_PLACE_FENCE_ANY ? BLOCK_OTHER + 1 : 1;

    while (scan->turn < tags * count) {
        const size_t tag = scan->turn / count;
        const size_t turn = scan->turn++ % count;
        const size_t i = finder->how.pick_last ? count - 1 - turn : turn;

        if (surety__block_at(finder, i)->tag == tag)
            return surety__slice_block(finder, i, ret_slice);
    }
    return SURETY_END;
}

/* Behind a scalar: blank, the end, or punctuation that is no part of it. */
static bool find_is_delimiter(surety_str text, size_t at)
{
    return at >= text.len || surety__is_space(text.ptr[at]) ||
           memchr(",;)]}>`*", text.ptr[at], 8);
}

/* Where the string, number or literal at `at` ends. OK, END: there is none;
 * NOMEM. */
static surety_status find_scalar(surety_finder *finder, surety_str text,
                                 size_t at, size_t *ret_end)
{
    const surety_read_options options = {.size = sizeof(options),
                                         .limits = &finder->limits};
    surety_status status = SURETY_OK;
    size_t end = at;

    if (at == text.len || !memchr("\"-0123456789tfn", text.ptr[at], 15))
        return SURETY_END;
    if (text.ptr[at] == '"') {
        end = surety__value_string(text.ptr, at, text.len);
        if (end == SURETY__NOWHERE)
            return SURETY_END;
    } else {
        while (end - at < SCALAR_MAX && !find_is_delimiter(text, end))
            end++;
        finder->scan.work += end - at;
        /* A full stop ends the sentence, not the value. */
        end -= end > at && text.ptr[end - 1] == '.';
        status = surety_doc_read(
            finder->doc, (surety_str){text.ptr + at, end - at}, &options, NULL);
    }
    if (status == SURETY_NOMEM)
        return status;
    *ret_end = end;
    return status == SURETY_OK &&
                   (find_is_delimiter(text, end) ||
                    (text.ptr[end] == '.' && find_is_delimiter(text, end + 1)))
               ? SURETY_OK
               : SURETY_END;
}

/* ---- values in text ------------------------------------------------------ */

/* What a marker leads to at once: a block, or a string, number or literal. OK,
 * NOMEM, END: neither. */
static surety_status find_marked(surety_finder *finder,
                                 surety__slice *ret_slice)
{
    surety__scan_field *field = &finder->scan.field;
    const surety_str text = field->slice.text;
    size_t at = 0;
    size_t end = text.len;
    surety_status status;

    if (!field->bare)
        return SURETY_END;
    while (at < text.len && surety__is_space(text.ptr[at]))
        at++;
    status = field->block ? SURETY_OK : find_scalar(finder, text, at, &end);
    if (status != SURETY_OK)
        return status;
    *ret_slice = field->slice;
    surety__slice_skip(ret_slice, at);
    ret_slice->text.len = end - at;
    surety__place_take(finder, end);
    return SURETY_OK;
}

/* The next value behind a marker, or in prose. */
static surety_status find_value(surety_finder *finder, surety__slice *ret_slice)
{
    surety__place_scan *scan = &finder->scan;
    surety_status status = SURETY_OK;

    for (;;) {
        if (!scan->in_field) {
            status = surety__place_field(finder);
            if (status != SURETY_OK)
                break;
            status = find_marked(finder, ret_slice);
            if (status != SURETY_END)
                return status;
        }
        status = surety__value_next(finder, ret_slice);
        if (status != SURETY_END)
            return status;
        scan->in_field = false;
    }
    if (finder->value_open == SURETY__NOWHERE)
        finder->value_open = scan->open;
    return status;
}

/* The values of the place, the last one first: of them candidates_max, for
 * which twice as many are let in before the older half goes. */
static surety_status find_value_back(surety_finder *finder,
                                     surety__slice *ret_slice)
{
    const size_t max = finder->limits.candidates_max;
    surety__rows *offers = &finder->offers;
    surety_status status = SURETY_OK;
    surety__slice *row;

    while (!finder->collected) {
        status = find_value(finder, ret_slice);
        finder->collected = status == SURETY_END;
        if (status == SURETY_NOMEM)
            return status;
        if (status == SURETY_END)
            break;
        row = offers->ptr;
        if (offers->count == 2 * max) {
            memmove(row, row + max, max * sizeof(*row));
            offers->count = max;
        }
        row = surety__rows_add(finder, offers);
        if (!row)
            return SURETY_NOMEM;
        *row = *ret_slice;
    }
    finder->has_read = false; /* of many values one cannot be kept */
    if (!offers->count)
        return SURETY_END;
    *ret_slice = ((surety__slice *)offers->ptr)[--offers->count];
    return SURETY_OK;
}

/* What the place at hand has next; OK, NOMEM, END: nothing more. */
static surety_status find_offer(surety_finder *finder, surety__slice *ret_slice)
{
    const surety_place place = finder->scan.place;
    surety_status status;

    if (place <= SURETY_PLACE_NATIVE)
        return SURETY_END;
    if (place == SURETY_PLACE_WHOLE)
        return find_whole(finder, ret_slice);
    status = surety__place_layout(finder);
    if (status != SURETY_OK)
        return status;
    if (place == SURETY_PLACE_FENCE || place == SURETY_PLACE_FENCE_ANY)
        return find_block(finder, ret_slice);
    return finder->how.pick_last ? find_value_back(finder, ret_slice)
                                 : find_value(finder, ret_slice);
}

/* ---- the list ------------------------------------------------------------ */

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

/* Lists what the place offers, without the blanks around it, unless its span is
 * listed already. What is in one piece of a copy is the reply's own. OK, NOMEM.
 */
static surety_status find_add(surety_finder *finder,
                              const surety__slice *offered)
{
    surety__found found = {.place = finder->scan.place, .slice = *offered};
    surety__slice *slice = &found.slice;
    surety__span inside = {0, (uint32_t)slice->text.len};
    size_t start, len;
    surety_status status;
    surety__found *row;

    inside = surety__trim(slice->text, inside);
    surety__slice_skip(slice, inside.start);
    slice->text.len = inside.end - inside.start;
    start = surety__slice_origin(finder, slice, 0, &len);
    if (len < slice->text.len)
        finder->has_read = false; /* the doc must not borrow a copy */
    else if (slice->stretch_count)
        *slice = surety__slice_own(finder, start, start + slice->text.len);
    found.span.start = (uint32_t)start;
    found.span.end =
        (uint32_t)surety__slice_origin(finder, slice, slice->text.len, NULL);
    status = find_note(finder, found.span);
    if (status != SURETY_OK) {
        finder->has_read = false;
        return status == SURETY_END ? SURETY_OK : status;
    }
    row = surety__rows_add(finder, &finder->list.found);
    if (!row)
        return SURETY_NOMEM;
    *row = found;
    return SURETY_OK;
}
