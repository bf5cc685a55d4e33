/* SPDX-License-Identifier: Apache-2.0 */
/* Passages: where a value may have another form than JSON. They are the fields
 * of running text and of blocks that place.c knows, or, for forms that have an
 * end of their own, the text between reasoning sections with the blocks in it.
 *
 * What was found in a passage is a region: bytes of it, or a text made of it,
 * whose bytes lead back to the reply. */
#include "extract/finder.h"

surety_status surety__passage_begin(surety_finder *finder, bool through)
{
    const surety_status status = surety__place_layout(finder);

    surety__place_begin(finder, SURETY_PLACE_EMBEDDED, SURETY__PASSES_MAX);
    finder->scan.walk = (surety__walk){0};
    finder->scan.through = through;
    return status;
}

/* The next stretch of the reply between reasoning sections. */
static surety_status passage_through(surety_finder *finder)
{
    surety__walk *walk = &finder->scan.walk;
    size_t stop = finder->layout.end;

    while (walk->mask < finder->layout.masks.count) {
        const surety__span mask = *surety__mask_at(finder, walk->mask);

        if (mask.start > walk->pos) {
            stop = mask.start;
            break;
        }
        walk->pos = walk->pos > mask.end ? walk->pos : mask.end;
        walk->mask++;
    }
    if (walk->pos >= stop)
        return SURETY_END;
    finder->scan.passage = surety__slice_own(finder, walk->pos, stop);
    walk->pos = stop;
    return SURETY_OK;
}

/* The first word of the info string of a block. */
static surety_str passage_info(const surety_finder *finder,
                               const surety__block *block)
{
    surety_str info = {finder->reply.ptr + block->fence,
                       block->content - block->fence};
    size_t end = 0;

    surety__str_skip(&info, surety__fence_marks(info));
    info = surety__str_trim(info);
    while (end < info.len && !surety__is_space(info.ptr[end]))
        end++;
    return (surety_str){info.ptr, end};
}

surety_status surety__passage_next(surety_finder *finder,
                                   surety__passage *ret_passage)
{
    const surety__scan_field *field = &finder->scan.field;
    surety_status status = finder->scan.through ? passage_through(finder)
                                                : surety__place_field(finder);

    if (status != SURETY_OK)
        return status;
    *ret_passage =
        (surety__passage){.block = !finder->scan.through && field->block};
    if (!finder->scan.through)
        finder->scan.passage = field->slice;
    ret_passage->text = finder->scan.passage.text;
    if (ret_passage->block)
        ret_passage->info = passage_info(
            finder, surety__block_at(finder, finder->scan.walk.block));
    return SURETY_OK;
}

size_t surety__passage_at(const surety_finder *finder, size_t at)
{
    return surety__slice_origin(finder, &finder->scan.passage, at, NULL);
}

/* Adds a region. */
static surety_status passage_add(surety_finder *finder,
                                 const surety__slice *slice, bool copied,
                                 surety__region *ret_region)
{
    surety__region_row *row = surety__rows_add(finder, &finder->regions);

    if (!row)
        return SURETY_NOMEM;
    *row = (surety__region_row){.slice = *slice};
    *ret_region = (surety__region){.place = SURETY_PLACE_EMBEDDED,
                                   .index = finder->regions.count - 1,
                                   .text = slice->text,
                                   .copied = copied};
    return SURETY_OK;
}

surety_status surety__passage_region(surety_finder *finder, size_t at,
                                     size_t end, surety__region *ret_region)
{
    surety__slice slice = finder->scan.passage;
    surety_status status;

    assert(at <= end && end <= slice.text.len);
    surety__slice_skip(&slice, at);
    slice.text.len = end - at;
    status = passage_add(finder, &slice, slice.stretch_count > 0, ret_region);
    if (status == SURETY_OK)
        ret_region->start = surety__region_origin(finder, ret_region->index, 0);
    return status;
}

surety_status surety__passage_made(surety_finder *finder, surety_str text,
                                   surety__region *ret_region)
{
    const surety__slice slice = {.text =
                                     surety__arena_text(&finder->copies, text),
                                 .stretch = (uint32_t)finder->stretches.count};

    return slice.text.ptr ? passage_add(finder, &slice, true, ret_region)
                          : SURETY_NOMEM;
}

bool surety__passage_origin(surety_finder *finder, surety__region *region,
                            size_t made, size_t at)
{
    surety__region_row *row =
        (surety__region_row *)finder->regions.ptr + region->index;

    assert(region->index < finder->regions.count);
    row->slice.stretch_count++;
    return surety__slice_stretch(finder, made, surety__passage_at(finder, at));
}
