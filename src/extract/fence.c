/* SPDX-License-Identifier: Apache-2.0 */
/* Fences: what line is one, and fences as models write them, for the search for
 * regions: the blocks that the scan by lines found, and in the text between
 * them every run of three marks that CommonMark knows as no block: one that is
 * never closed, one that is in a line with its content, one whose content
 * starts in the opening line.
 *
 * A run of marks opens a fence and the next run of the same marks closes it;
 * none goes over a block or over reasoning. One pass, linear. */
#include "extract/finder.h"

enum {
    FENCE_MARKUP_MAX = 64 /* bytes of containers before a fence */
};

size_t surety__fence_marks(surety_str text)
{
    size_t count = 0;

    if (!text.len || !surety__fence_may_begin(text.ptr[0]))
        return 0;
    while (count < text.len && text.ptr[count] == text.ptr[0])
        count++;
    return count;
}

static enum surety__block_tag fence_tag(surety_str word)
{
    if (!word.len)
        return BLOCK_PLAIN;
    return surety__str_equal_nocase(word, SURETY__LITERAL("json"))
               ? BLOCK_JSON
               : BLOCK_OTHER;
}

bool surety__fence_read(surety_str line, surety__fence_line *ret_fence)
{
    const size_t count = surety__fence_marks(line);
    surety_str info = {line.ptr + count, line.len - count};
    size_t word = 0;

    /* With a backtick in its info string it is code in a line of text. */
    if (count < SURETY__FENCE_MIN ||
        (line.ptr[0] == '`' && memchr(info.ptr, '`', info.len)))
        return false;
    info = surety__str_trim(info);
    while (word < info.len && !surety__is_blank(info.ptr[word]))
        word++;
    *ret_fence = (surety__fence_line){line.ptr[0], count,
                                      fence_tag((surety_str){info.ptr, word})};
    return true;
}

static bool fence_is_word(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || memchr("+#._-", byte, 5);
}

/* Returns the number of marks at `at`, before `to`. */
static size_t fence_length(const char *ptr, size_t at, size_t to)
{
    return surety__fence_marks((surety_str){ptr + at, to - at});
}

/* The next run of at least `count` marks in [at, to); to: none. */
static size_t fence_next(const char *ptr, size_t at, size_t to, char mark,
                         size_t count)
{
    while (at < to) {
        const char *hit = memchr(ptr + at, mark, to - at);
        size_t found;

        if (!hit)
            break;
        at = (size_t)(hit - ptr);
        found = fence_length(ptr, at, to);
        if (found >= count)
            return at;
        at += found;
    }
    return to;
}

static surety_status fence_add(surety_finder *finder, size_t start, size_t end,
                               uint32_t block, uint32_t tag)
{
    surety__fence *fence = surety__rows_add(finder, &finder->layout.fences);

    if (!fence)
        return SURETY_NOMEM;
    *fence = (surety__fence){{(uint32_t)start, (uint32_t)end}, block, tag};
    return SURETY_OK;
}

/* Where the content starts behind the marks that end at `at`; its tag. */
static size_t fence_content(const char *ptr, size_t at, size_t to,
                            uint32_t *ret_tag)
{
    size_t end = at;
    surety_str word;

    while (at < to && surety__is_blank(ptr[at]))
        at++;
    for (end = at; end < to && fence_is_word(ptr[end]);)
        end++;
    word = (surety_str){ptr + at, end - at};
    *ret_tag = fence_tag(word);
    while (end < to && surety__is_space(ptr[end]))
        end++;
    return end;
}

bool surety__fence_begins(const char *ptr, size_t at)
{
    for (size_t i = 0; i < FENCE_MARKUP_MAX && at; i++, at--) {
        const char byte = ptr[at - 1];

        if (byte == '\n' || byte == '\r')
            return true;
        if (!memchr(" \t>*+-.)", byte, 9) && !(byte >= '0' && byte <= '9'))
            return false;
    }
    return !at;
}

/* Whether a run of marks may open a fence where it is: one that is never
 * closed opens a line; one that is does not follow a quote, as in a string. */
static bool fence_has(const char *ptr, size_t at, bool closed)
{
    return closed ? !at || !memchr("\"'\\", ptr[at - 1], 3)
                  : surety__fence_begins(ptr, at);
}

/* The fences in the text from `at` to `to`, where no block is and no
 * reasoning. */
static surety_status fence_between(surety_finder *finder, size_t at, size_t to)
{
    const char *ptr = finder->reply.ptr;
    surety_status status = SURETY_OK;
    size_t tick = fence_next(ptr, at, to, '`', SURETY__FENCE_MIN);
    size_t wave = fence_next(ptr, at, to, '~', SURETY__FENCE_MIN);

    while (status == SURETY_OK) {
        uint32_t tag = BLOCK_PLAIN;
        size_t open, count, start, end;

        if (tick < at)
            tick = fence_next(ptr, at, to, '`', SURETY__FENCE_MIN);
        if (wave < at)
            wave = fence_next(ptr, at, to, '~', SURETY__FENCE_MIN);
        open = wave < tick ? wave : tick;
        if (open >= to)
            break;
        count = fence_length(ptr, open, to);
        start = fence_content(ptr, open + count, to, &tag);
        end = fence_next(ptr, start, to, ptr[open], count);
        if (!fence_has(ptr, open, end < to)) {
            at = open + count;
            continue;
        }
        if (start < end)
            status = fence_add(finder, start, end, SURETY__NO_BLOCK, tag);
        at = end < to ? end + fence_length(ptr, end, to) : to;
    }
    return status;
}

/* A block: its content, or, where that starts in the opening line, from there
 * on. */
static surety_status fence_block(surety_finder *finder, size_t i)
{
    const surety__block *block = surety__block_at(finder, i);
    const char *ptr = finder->reply.ptr;
    const size_t marks = fence_length(ptr, block->fence, block->content);
    uint32_t tag = BLOCK_PLAIN;
    const size_t start =
        fence_content(ptr, block->fence + marks, block->content, &tag);

    if (start < block->content && !block->piece_count &&
        memchr("{[", ptr[start], 2))
        return fence_add(finder, start, block->content_end, SURETY__NO_BLOCK,
                         tag);
    return fence_add(finder, block->content, block->content_end, (uint32_t)i,
                     block->tag);
}

surety_status surety__fence_gather(surety_finder *finder)
{
    surety_status status = SURETY_OK;
    size_t mask = 0;
    size_t at = 0;

    if (finder->layout.fenced)
        return SURETY_OK;
    finder->layout.fenced = true;
    for (size_t i = 0; i <= finder->layout.blocks.count && status == SURETY_OK;
         i++) {
        const size_t to = i < finder->layout.blocks.count
                              ? surety__block_at(finder, i)->line
                              : finder->layout.end;

        while (at < to && status == SURETY_OK) {
            size_t stop = to;

            while (mask < finder->layout.masks.count &&
                   surety__mask_at(finder, mask)->end <= at)
                mask++;
            if (mask < finder->layout.masks.count) {
                const surety__span span = *surety__mask_at(finder, mask);

                if (span.start <= at) {
                    at = span.end;
                    continue;
                }
                stop = span.start < to ? span.start : to;
            }
            status = fence_between(finder, at, stop);
            at = stop;
        }
        if (i < finder->layout.blocks.count && status == SURETY_OK) {
            status = fence_block(finder, i);
            at = surety__block_at(finder, i)->close_end;
        }
    }
    return status;
}
