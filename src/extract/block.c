/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over the lines of a reply finds its fenced blocks (CommonMark 0.31,
 * 4.5) and its reasoning sections.
 *
 * The idea: as CommonMark does, a stack of open containers (block quotes and
 * list items, 5.1 and 5.2) is matched against the start of every line; what is
 * left of the line is content, and only content may hold a fence. Nothing else
 * of Markdown is known: all other lines are text.
 *
 * Where this is more lenient than CommonMark, because models write so:
 * - in a list item a fence may be indented by any number of blanks;
 * - the content of a block in a list item may be indented less than the item.
 *   The block then goes on, unless the line starts a list item or is an opening
 *   fence with an info string;
 * - HTML blocks are not known: a fence behind a line like <answer> counts;
 * - an ordered list may start with any number, also in a paragraph.
 * Where it is stricter: a block that only the end of its container or of the
 * reply ends is no block.
 *
 * A reasoning section counts where its opening tag starts a line (blanks and
 * markup of containers aside) outside of every block; what follows its closing
 * tag counts as the start of a line. A closing tag without an opening one (the
 * opening was part of the prompt) makes all before it reasoning where it cannot
 * be in a JSON string, which needs a quote before it on its line or
 * something behind it, and where the reply goes on after it.
 *
 * Invariants: every byte is gone over a constant number of times, for at most
 * LINE_CONTAINERS_MAX containers are open; deeper markup is text. */
#include "extract/finder.h"

#define LINE_CONTAINERS_MAX 32
#define LINE_TAB 4

/* A container that is open: what a line needs to stay in it. */
struct line_container {
    bool quote;
    size_t width; /* columns of indentation, of a list item */
};

struct lines {
    surety_finder *finder;
    surety_str text; /* to the end of what is looked at */
    /* The next LF, CR and double quote, or past the end. */
    size_t lf, cr, quote;
    /* The current line: where it starts, ends, and where the next starts. */
    size_t line, stop, next;
    /* How far it has been read, and its next byte that is no blank. */
    size_t pos, column;
    size_t ink, ink_column;
    struct line_container open[LINE_CONTAINERS_MAX];
    size_t open_count;
    bool paragraph; /* the line before was text */
    bool ruled;     /* the line was looked at for a thematic break */
    bool fenced;    /* in a block: this one */
    surety__block block;
    surety__fence_line opening;
    size_t mark_indent;
    size_t mark_columns; /* indentation that its lines may lose */
    bool in_list;
    unsigned loose; /* kinds of reasoning opened in the middle of a line */
};

static void line_read(struct lines *lines, size_t at);
static void line_ink(struct lines *lines);
static surety_status line_take(struct lines *lines);
static size_t line_match(struct lines *lines);
static surety_status line_in_block(struct lines *lines, size_t matched,
                                   bool *ret_taken);
static surety_status line_content(struct lines *lines);
static surety_status line_outside(struct lines *lines, size_t matched);
static surety_status line_reasoning(struct lines *lines, unsigned kind,
                                    size_t len, bool *ret_ended);
static surety_status line_text(struct lines *lines);
static surety_status line_mask_all(struct lines *lines, size_t at);
static void line_drop_block(struct lines *lines);
static void line_leap(struct lines *lines);

surety_status surety__block_scan(surety_finder *finder)
{
    struct lines lines = {.finder = finder, .text = finder->reply};
    surety_status status = SURETY_OK;
    size_t at = 0;

    if (surety__str_starts(lines.text, SURETY__LITERAL("\xEF\xBB\xBF")))
        at = 3;
    lines.lf = lines.cr = lines.quote = at;
    lines.next = at;
    line_read(&lines, at);
    while (lines.line < finder->layout.end && status == SURETY_OK) {
        if (lines.fenced && !lines.open_count && !lines.mark_indent)
            line_leap(&lines);
        status = line_take(&lines);
        line_read(&lines, lines.next);
    }
    if (status == SURETY_OK && lines.fenced)
        line_drop_block(&lines);
    return status;
}

/* The next line starts at `at`. */
static void line_read(struct lines *lines, size_t at)
{
    const char *ptr = lines->text.ptr;
    const size_t len = lines->text.len;
    const char *hit;

    lines->line = lines->pos = at;
    lines->column = 0;
    lines->ruled = false;
    if (at >= len) {
        lines->line = lines->pos = lines->stop = lines->next = len;
        line_ink(lines);
        return;
    }
    if (lines->lf <= at) {
        hit = ptr[at] == '\n' ? ptr + at : memchr(ptr + at, '\n', len - at);
        lines->lf = hit ? (size_t)(hit - ptr) : len + 1;
    }
    if (lines->cr <= at) {
        hit = ptr[at] == '\r' ? ptr + at : memchr(ptr + at, '\r', len - at);
        lines->cr = hit ? (size_t)(hit - ptr) : len + 1;
    }
    lines->stop = lines->lf < lines->cr ? lines->lf : lines->cr;
    if (lines->stop >= len) {
        lines->stop = lines->next = len;
    } else {
        lines->next = lines->stop + 1;
        if (lines->cr == lines->stop && lines->lf == lines->next)
            lines->next++;
    }
    line_ink(lines);
}

/* In a block outside of all containers, whose lines are content as they are:
 * goes on to the next line whose first byte that is no blank is the mark, which
 * alone may close it, or to the last line. */
static void line_leap(struct lines *lines)
{
    const char *ptr = lines->text.ptr;
    const char *end = ptr + lines->text.len;
    const char *hit = ptr + lines->line;

    for (; (hit = memchr(hit, lines->opening.mark, (size_t)(end - hit)));
         hit++) {
        const char *start = hit;

        while (start > ptr + lines->line && surety__is_blank(start[-1]))
            start--;
        if (start == ptr + lines->line || start[-1] == '\n' ||
            start[-1] == '\r') {
            line_read(lines, (size_t)(start - ptr));
            return;
        }
    }
    line_read(lines, lines->text.len);
}

/* Finds the next byte that is no blank. */
static void line_ink(struct lines *lines)
{
    size_t at = lines->pos;
    size_t column = lines->column;

    for (; at < lines->stop && surety__is_blank(lines->text.ptr[at]); at++)
        column +=
            lines->text.ptr[at] == '\t' ? LINE_TAB - column % LINE_TAB : 1;
    lines->ink = at;
    lines->ink_column = column;
}

/* Reads up to `columns` columns of blanks. Of a tab that is read in part the
 * byte stays unread. */
static void line_eat(struct lines *lines, size_t columns)
{
    while (columns && lines->pos < lines->ink) {
        const size_t width = lines->text.ptr[lines->pos] == '\t'
                                 ? LINE_TAB - lines->column % LINE_TAB
                                 : 1;

        if (width > columns) {
            lines->column += columns;
            return;
        }
        lines->column += width;
        columns -= width;
        lines->pos++;
    }
}

/* Reads to `count` bytes behind the next byte that is no blank. */
static void line_eat_mark(struct lines *lines, size_t count)
{
    lines->pos = lines->ink + count;
    lines->column = lines->ink_column + count;
    line_ink(lines);
}

static bool line_is_blank(const struct lines *lines)
{
    return lines->ink == lines->stop;
}

static size_t line_indent(const struct lines *lines)
{
    return lines->ink_column - lines->column;
}

/* How many of the open containers are list items, from the first-th on. */
static size_t line_lists(const struct lines *lines, size_t first)
{
    size_t count = 0;

    for (size_t i = first; i < lines->open_count; i++)
        count += !lines->open[i].quote;
    return count;
}

static surety_status line_take(struct lines *lines)
{
    const size_t matched = line_match(lines);

    if (lines->fenced) {
        bool taken = false;
        const surety_status status = line_in_block(lines, matched, &taken);

        if (taken || status != SURETY_OK)
            return status;
    }
    return line_outside(lines, matched);
}

/* Reads the markup of the open containers; gives how many go on. */
static size_t line_match(struct lines *lines)
{
    size_t quotes = lines->open_count - line_lists(lines, 0);
    size_t i;

    for (i = 0; i < lines->open_count; i++) {
        const struct line_container *container = &lines->open[i];

        if (container->quote) {
            if (line_indent(lines) > 3 || line_is_blank(lines) ||
                lines->text.ptr[lines->ink] != '>')
                break;
            quotes--;
            line_eat_mark(lines, 1);
            line_eat(lines, 1);
        } else if (line_indent(lines) >= container->width) {
            line_eat(lines, container->width);
        } else if (!line_is_blank(lines)) {
            break;
        } else if (!quotes) {
            return lines->open_count;
        }
    }
    return i;
}

/* Whether what is left of the line is a fence. */
static bool line_fence(const struct lines *lines, surety__fence_line *ret_fence)
{
    const surety_str rest = {lines->text.ptr + lines->ink,
                             lines->stop - lines->ink};

    return rest.len && surety__fence_may_begin(rest.ptr[0]) &&
           surety__fence_read(rest, ret_fence);
}

/* The length of the list marker at the next byte that is no blank, or 0. */
static size_t line_list_marker(struct lines *lines)
{
    const char *ptr = lines->text.ptr + lines->ink;
    const size_t len = lines->stop - lines->ink;
    size_t count = 0;

    if (!len)
        return 0;
    if (ptr[0] == '-' || ptr[0] == '+' || ptr[0] == '*') {
        count = 1;
    } else {
        while (count < len && count < 10 && ptr[count] >= '0' &&
               ptr[count] <= '9')
            count++;
        if (!count || count > 9 || count == len ||
            (ptr[count] != '.' && ptr[count] != ')'))
            return 0;
        count++;
    }
    if (count < len && !surety__is_blank(ptr[count]))
        return 0;
    if (ptr[0] != '+' && count == 1 && !lines->ruled) {
        size_t rule = 0;
        size_t at = 0;

        lines->ruled = true;
        for (; at < len; at++) {
            if (ptr[at] == ptr[0])
                rule++;
            else if (!surety__is_blank(ptr[at]))
                break;
        }
        if (at == len && rule >= 3)
            return 0;
    }
    return count;
}

/* A line while a block is open. Not taken: the block is over, and the line is
 * to be read as one outside of it. */
static surety_status line_in_block(struct lines *lines, size_t matched,
                                   bool *ret_taken)
{
    const bool dedented = matched < lines->open_count;
    const size_t indent = line_indent(lines);
    const size_t indent_max = (lines->in_list ? lines->mark_indent : 0) + 3;
    surety__fence_line fence;
    const bool is_fence = line_fence(lines, &fence);

    if (dedented && line_lists(lines, matched) < lines->open_count - matched) {
        line_drop_block(lines);
        return SURETY_OK;
    }
    if (is_fence && indent <= indent_max &&
        surety__fence_closes(&fence, &lines->opening)) {
        surety__block *block =
            surety__rows_add(lines->finder, &lines->finder->layout.blocks);

        if (!block)
            return SURETY_NOMEM;
        lines->block.content_end = (uint32_t)lines->line;
        lines->block.close_end = (uint32_t)lines->next;
        *block = lines->block;
        lines->fenced = false;
        *ret_taken = true;
        return SURETY_OK;
    }
    if (dedented && !line_is_blank(lines) &&
        ((is_fence && fence.tag != BLOCK_PLAIN) || line_list_marker(lines))) {
        line_drop_block(lines);
        return SURETY_OK;
    }
    *ret_taken = true;
    line_eat(lines, dedented ? SIZE_MAX : lines->mark_indent);
    return line_content(lines);
}

/* Keeps what is left of the line as content of the open block. */
static surety_status line_content(struct lines *lines)
{
    surety__rows *pieces = &lines->finder->layout.pieces;
    const surety__span rest = {(uint32_t)lines->pos, (uint32_t)lines->next};
    surety__span *piece;

    if (!lines->open_count && !lines->mark_indent)
        return SURETY_OK;
    if (lines->block.piece_count) {
        piece = surety__piece_at(lines->finder, pieces->count - 1);
        if (piece->end == rest.start) {
            piece->end = rest.end;
            return SURETY_OK;
        }
    }
    piece = surety__rows_add(lines->finder, pieces);
    if (!piece)
        return SURETY_NOMEM;
    *piece = rest;
    lines->block.piece_count++;
    return SURETY_OK;
}

/* Opens a block where the next byte that is no blank starts a fence. */
static bool line_open_block(struct lines *lines)
{
    if (!line_fence(lines, &lines->opening))
        return false;
    lines->fenced = true;
    lines->mark_indent = line_indent(lines);
    lines->in_list = line_lists(lines, 0) > 0;
    lines->block = (surety__block){
        .line = (uint32_t)lines->line,
        .fence = (uint32_t)lines->ink,
        .content = (uint32_t)lines->next,
        .piece = (uint32_t)lines->finder->layout.pieces.count,
        .tag = lines->opening.tag,
    };
    return true;
}

/* The open block was never closed. */
static void line_drop_block(struct lines *lines)
{
    lines->fenced = false;
    lines->finder->layout.pieces.count = lines->block.piece;
    if (lines->finder->layout.fence_open == SURETY__NOWHERE)
        lines->finder->layout.fence_open = lines->block.fence;
}

/* Whether what is left of the line is a paragraph's text, so that it may go on
 * without the markup of its containers (CommonMark, "lazy continuation"). */
static bool line_is_lazy(struct lines *lines)
{
    surety__fence_line fence;
    unsigned kind;

    return lines->paragraph && !line_is_blank(lines) &&
           lines->text.ptr[lines->ink] != '>' && !line_fence(lines, &fence) &&
           !line_list_marker(lines) &&
           !surety__reason_opens(lines->text, lines->ink, &kind);
}

/* A line outside of every block, whose first `matched` containers go on. */
static surety_status line_outside(struct lines *lines, size_t matched)
{
    if (matched < lines->open_count && !line_is_lazy(lines))
        lines->open_count = matched;
    for (;;) {
        const bool list = line_lists(lines, 0) > 0;
        const bool near = line_indent(lines) <= 3;
        const bool room = lines->open_count < LINE_CONTAINERS_MAX;
        size_t len;
        unsigned kind = 0;

        if (line_is_blank(lines)) {
            lines->paragraph = false;
            return SURETY_OK;
        }
        len = lines->finder->how.keep_reasoning
                  ? 0
                  : surety__reason_opens(lines->text, lines->ink, &kind);
        if (len) {
            bool ended = false;
            const surety_status status =
                line_reasoning(lines, kind, len, &ended);

            if (ended || status != SURETY_OK)
                return status;
            continue;
        }
        if ((near || list) && line_open_block(lines)) {
            lines->paragraph = false;
            return SURETY_OK;
        }
        if (near && room && lines->text.ptr[lines->ink] == '>') {
            lines->open[lines->open_count++].quote = true;
            line_eat_mark(lines, 1);
            line_eat(lines, 1);
            continue;
        }
        len = near && room ? line_list_marker(lines) : 0;
        if (!len)
            break;
        lines->open[lines->open_count++] = (struct line_container){
            .quote = false, .width = line_indent(lines) + len + 1};
        line_eat_mark(lines, len);
        if (line_indent(lines) <= LINE_TAB && !line_is_blank(lines)) {
            lines->open[lines->open_count - 1].width += line_indent(lines) - 1;
            line_eat(lines, LINE_TAB);
        } else {
            line_eat(lines, 1);
        }
    }
    lines->paragraph = true;
    return lines->finder->how.keep_reasoning ? SURETY_OK : line_text(lines);
}

/* Masks the section whose opening tag of len bytes is next, and reads on behind
 * it as at the start of a line; ended: nothing is left to read. */
static surety_status line_reasoning(struct lines *lines, unsigned kind,
                                    size_t len, bool *ret_ended)
{
    surety_finder *finder = lines->finder;
    const size_t start = lines->ink;
    const size_t end = surety__reason_end(lines->text, start + len, kind);
    surety__span *mask;

    if (end == SURETY__NOWHERE) {
        finder->layout.reasoning_open = finder->layout.end = start;
        lines->next = lines->text.len;
        *ret_ended = true;
        return SURETY_OK;
    }
    mask = surety__rows_add(finder, &finder->layout.masks);
    if (!mask)
        return SURETY_NOMEM;
    *mask = (surety__span){(uint32_t)start, (uint32_t)end};
    lines->open_count = 0;
    lines->paragraph = false;
    line_read(lines, end);
    return SURETY_OK;
}

/* Whether only white space is left of the text from `at` on, and whether of the
 * line. */
static bool line_nothing_after(surety_str text, size_t at, bool *ret_line)
{
    while (at < text.len && surety__is_blank(text.ptr[at]))
        at++;
    *ret_line = at == text.len || text.ptr[at] == '\n' || text.ptr[at] == '\r';
    while (at < text.len && surety__is_space(text.ptr[at]))
        at++;
    return at == text.len;
}

/* A line of text: looks for a closing tag of a section that has no opening. */
static surety_status line_text(struct lines *lines)
{
    const surety_str text = lines->text;
    size_t at = lines->ink;

    while (at < lines->stop) {
        const char *hit = memchr(text.ptr + at, '<', lines->stop - at);
        unsigned kind = 0;
        size_t len;
        bool last_of_line = false;

        if (!hit)
            break;
        at = (size_t)(hit - text.ptr);
        if (surety__reason_opens(text, at, &kind))
            lines->loose |= 1u << kind;
        len = surety__reason_closes(text, at, &kind);
        at += len ? len : 1;
        if (!len)
            continue;
        if (lines->loose & 1u << kind) {
            lines->loose &= ~(1u << kind);
            continue;
        }
        if (lines->quote <= lines->line) {
            hit = memchr(text.ptr + lines->line, '"', text.len - lines->line);
            lines->quote = hit ? (size_t)(hit - text.ptr) : text.len + 1;
        }
        if (line_nothing_after(text, at, &last_of_line))
            break;
        if (lines->quote < at && !last_of_line)
            continue;
        return line_mask_all(lines, at);
    }
    return SURETY_OK;
}

/* All before `at` is reasoning; what follows counts as the start of a line. */
static surety_status line_mask_all(struct lines *lines, size_t at)
{
    surety_finder *finder = lines->finder;
    surety__span *mask;

    finder->layout.masks.count = 0;
    finder->layout.blocks.count = 0;
    finder->layout.pieces.count = 0;
    finder->layout.fence_open = SURETY__NOWHERE;
    mask = surety__rows_add(finder, &finder->layout.masks);
    if (!mask)
        return SURETY_NOMEM;
    *mask = (surety__span){0, (uint32_t)at};
    lines->open_count = 0;
    lines->paragraph = false;
    lines->next = at;
    return SURETY_OK;
}
