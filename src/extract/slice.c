/* SPDX-License-Identifier: Apache-2.0 */
/* Texts, and the offsets of their bytes in the reply.
 *
 * 1. A block whose lines carry markup of containers has a copy without it. It
 *    is made when it is first asked for, once, and does not move.
 * 2. Stretches map a copy to the reply, byte by byte exact. The first starts
 * with the copy, and they are in the order of the copy. */
#include "extract/finder.h"

bool surety__slice_stretch(surety_finder *finder, size_t copy, size_t reply)
{
    surety__stretch *row = surety__rows_add(finder, &finder->stretches);

    if (row)
        *row = (surety__stretch){(uint32_t)copy, (uint32_t)reply};
    return row != NULL;
}

/* Copies the pieces of a block one behind the other. */
static bool slice_copy(surety_finder *finder, surety__block *block)
{
    size_t len = 0;
    char *copy;

    for (size_t i = 0; i < block->piece_count; i++) {
        const surety__span piece = *surety__piece_at(finder, block->piece + i);

        len += piece.end - piece.start;
    }
    copy = surety__arena_take(&finder->copies, len ? len : 1);
    if (!copy)
        return false;
    block->copy = (surety_str){copy, 0};
    block->stretch = (uint32_t)finder->stretches.count;
    for (size_t i = 0; i < block->piece_count; i++) {
        const surety__span piece = *surety__piece_at(finder, block->piece + i);

        if (!surety__slice_stretch(finder, block->copy.len, piece.start))
            return false;
        memcpy(copy + block->copy.len, finder->reply.ptr + piece.start,
               piece.end - piece.start);
        block->copy.len += piece.end - piece.start;
    }
    return true;
}

surety_status surety__slice_block(surety_finder *finder, size_t i,
                                  surety__slice *ret_slice)
{
    surety__block *block = surety__block_at(finder, i);

    if (!block->piece_count) {
        *ret_slice =
            surety__slice_own(finder, block->content, block->content_end);
        return SURETY_OK;
    }
    if (!block->copy.ptr && !slice_copy(finder, block))
        return SURETY_NOMEM;
    *ret_slice = (surety__slice){.text = block->copy,
                                 .stretch = block->stretch,
                                 .stretch_count = block->piece_count};
    return SURETY_OK;
}

size_t surety__slice_origin(const surety_finder *finder,
                            const surety__slice *slice, size_t offset,
                            size_t *ret_len)
{
    const surety__stretch *rows = finder->stretches.ptr;
    const size_t end = (size_t)slice->stretch + slice->stretch_count;
    size_t low = slice->stretch;
    size_t high = end;
    size_t over = 0;

    assert(end <= finder->stretches.count);
    if (offset > slice->text.len)
        offset = slice->text.len;
    if (ret_len)
        *ret_len = slice->text.len - offset;
    if (!slice->stretch_count)
        return slice->origin + offset;
    /* The end of a copy is the byte behind its last. */
    if (offset && offset == slice->text.len) {
        offset--;
        over = 1;
    }
    offset += slice->skip;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        if (rows[middle].copy <= offset)
            low = middle;
        else
            high = middle;
    }
    if (ret_len && low + 1 < end && rows[low + 1].copy - offset < *ret_len)
        *ret_len = rows[low + 1].copy - offset;
    return rows[low].reply + (offset - rows[low].copy) + over;
}
