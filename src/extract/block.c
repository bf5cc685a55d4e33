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
 * Of a reply that comes, its lines are looked at as far as they have ended, and
 * the last one as far as its bytes show what it is. That is put off as long as
 * nothing in what came may end a field.
 *
 * Invariants: every byte is gone over a constant number of times, for at most
 * SURETY__CONTAINERS_MAX containers are open; deeper markup is text. A line
 * that has not ended is looked at again up to LINE_AHEAD bytes. */
#include "extract/finder.h"

enum {
    LINE_TAB = 4,
    LINE_AHEAD = 1024 /* bytes that show what a line is that has not ended */
};

/* What a line outside of every block is, behind the markup of containers. */
enum line_kind { LINE_BLANK, LINE_REASON, LINE_FENCE, LINE_TEXT };

static void line_read(surety__lines *lines, size_t at);
static void line_ink(surety__lines *lines);
static surety_status line_take(surety__lines *lines);
static size_t line_match(surety__lines *lines);
static surety_status line_in_block(surety__lines *lines, size_t matched,
                                   bool *ret_taken);
static surety_status line_content(surety__lines *lines);
static surety_status line_outside(surety__lines *lines, size_t matched);
static surety_status line_section(surety__lines *lines);
static surety_status line_text(surety__lines *lines);
static surety_status line_mask_all(surety__lines *lines, size_t at);
static void line_drop_block(surety__lines *lines);
static void line_leap(surety__lines *lines);

void surety__block_begin(surety_finder *finder)
{
    finder->lines = (surety__lines){.finder = finder};
}

/* The block that was opened last. */
static surety__block *line_block(const surety__lines *lines)
{
    assert(lines->fenced);
    return surety__block_at(lines->finder,
                            lines->finder->layout.blocks.count - 1);
}

/* Its steps are inlined although streams call them too: it goes over every line
 * of a reply, and prose takes 0.82 of the time. */
__attribute__((flatten)) surety_status surety__block_scan(surety_finder *finder)
{
    surety__lines *lines = &finder->lines;
    surety_status status = SURETY_OK;

    surety__block_begin(finder);
    lines->text = finder->reply;
    while (status == SURETY_OK && lines->next < lines->text.len) {
        line_read(lines, lines->next);
        if (lines->fenced && !lines->open_count && !lines->mark_indent)
            line_leap(lines);
        status = line_take(lines);
    }
    if (status == SURETY_OK && lines->fenced)
        line_drop_block(lines);
    return status;
}

/* The next line starts at `at`. */
static void line_read(surety__lines *lines, size_t at)
{
    const char *ptr = lines->text.ptr;
    const size_t len = lines->text.len;
    const char *hit;

    if (!at && surety__str_starts(lines->text, SURETY__LITERAL("\xEF\xBB\xBF")))
        at = 3;
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
static void line_leap(surety__lines *lines)
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
static void line_ink(surety__lines *lines)
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
static void line_eat(surety__lines *lines, size_t columns)
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
static void line_eat_mark(surety__lines *lines, size_t count)
{
    lines->pos = lines->ink + count;
    lines->column = lines->ink_column + count;
    line_ink(lines);
}

static bool line_is_blank(const surety__lines *lines)
{
    return lines->ink == lines->stop;
}

static size_t line_indent(const surety__lines *lines)
{
    return lines->ink_column - lines->column;
}

/* How many of the open containers are list items, from the first-th on. */
static size_t line_lists(const surety__lines *lines, size_t first)
{
    size_t count = 0;

    for (size_t i = first; i < lines->open_count; i++)
        count += !lines->open[i].quote;
    return count;
}

static surety_status line_take(surety__lines *lines)
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
static size_t line_match(surety__lines *lines)
{
    size_t quotes = lines->open_count - line_lists(lines, 0);
    size_t i;

    for (i = 0; i < lines->open_count; i++) {
        const surety__container *container = &lines->open[i];

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
static bool line_fence(const surety__lines *lines,
                       surety__fence_line *ret_fence)
{
    const surety_str rest = {lines->text.ptr + lines->ink,
                             lines->stop - lines->ink};

    return rest.len && surety__fence_may_begin(rest.ptr[0]) &&
           surety__fence_read(rest, ret_fence);
}

/* The length of the list marker at the next byte that is no blank, or 0. */
static size_t line_list_marker(surety__lines *lines)
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
static surety_status line_in_block(surety__lines *lines, size_t matched,
                                   bool *ret_taken)
{
    const bool dedented = matched < lines->open_count;
    const size_t indent = line_indent(lines);
    const size_t indent_max = (lines->in_list ? lines->mark_indent : 0) + 3;
    surety__fence_line fence = {0};
    const bool is_fence = line_fence(lines, &fence);

    if (dedented && line_lists(lines, matched) < lines->open_count - matched) {
        line_drop_block(lines);
        return SURETY_OK;
    }
    if (is_fence && (indent <= indent_max || lines->comes.lenient) &&
        surety__fence_closes(&fence, &lines->opening)) {
        surety__block *block = line_block(lines);

        block->content_end = (uint32_t)lines->line;
        block->close_end = (uint32_t)lines->next;
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
static surety_status line_content(surety__lines *lines)
{
    surety__rows *pieces = &lines->finder->layout.pieces;
    const surety__span rest = {(uint32_t)lines->pos, (uint32_t)lines->next};
    surety__block *block = line_block(lines);
    surety__span *piece;

    if (!lines->open_count && !lines->mark_indent)
        return SURETY_OK;
    if (block->piece_count) {
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
    block->piece_count++;
    return SURETY_OK;
}

/* Opens a block with the fence at the next byte that is no blank. */
static surety_status line_open_block(surety__lines *lines)
{
    surety__block *block =
        surety__rows_add(lines->finder, &lines->finder->layout.blocks);

    if (!block)
        return SURETY_NOMEM;
    lines->fenced = true;
    lines->mark_indent = line_indent(lines);
    lines->in_list = line_lists(lines, 0) > 0;
    *block = (surety__block){
        .line = (uint32_t)lines->line,
        .fence = (uint32_t)lines->ink,
        .content = (uint32_t)lines->next,
        .piece = (uint32_t)lines->finder->layout.pieces.count,
        .tag = lines->opening.tag,
    };
    return SURETY_OK;
}

/* The open block was never closed. */
static void line_drop_block(surety__lines *lines)
{
    surety__layout *layout = &lines->finder->layout;
    const surety__block *block = line_block(lines);

    lines->fenced = false;
    layout->pieces.count = block->piece;
    if (layout->fence_open == SURETY__NOWHERE)
        layout->fence_open = block->fence;
    layout->blocks.count--;
}

/* Whether what is left of the line is a paragraph's text, so that it may go on
 * without the markup of its containers (CommonMark, "lazy continuation"). */
static bool line_is_lazy(surety__lines *lines)
{
    surety__fence_line fence = {0};
    unsigned kind;
    bool cut;

    return lines->paragraph && !line_is_blank(lines) &&
           lines->text.ptr[lines->ink] != '>' && !line_fence(lines, &fence) &&
           !line_list_marker(lines) &&
           !surety__reason_opens(lines->text, lines->ink, &kind, &cut);
}

/* Reads the markup of a line outside of every block, whose first `matched`
 * containers go on; what is left of the line is what is given. *ret_tag is the
 * length of a tag that opens reasoning of lines->kind. */
static enum line_kind line_markup(surety__lines *lines, size_t matched,
                                  size_t *ret_tag)
{
    if (matched < lines->open_count && !line_is_lazy(lines))
        lines->open_count = matched;
    for (;;) {
        const bool deep = lines->comes.lenient || line_lists(lines, 0) > 0;
        const bool near = line_indent(lines) <= 3;
        const bool room = lines->open_count < SURETY__CONTAINERS_MAX;
        size_t len;
        bool cut;

        if (line_is_blank(lines))
            return LINE_BLANK;
        *ret_tag = lines->finder->how.keep_reasoning
                       ? 0
                       : surety__reason_opens(lines->text, lines->ink,
                                              &lines->kind, &cut);
        if (*ret_tag)
            return LINE_REASON;
        if ((near || deep) && line_fence(lines, &lines->opening))
            return LINE_FENCE;
        if (near && room && lines->text.ptr[lines->ink] == '>') {
            lines->open[lines->open_count++].quote = true;
            line_eat_mark(lines, 1);
            line_eat(lines, 1);
            continue;
        }
        len = near && room ? line_list_marker(lines) : 0;
        if (!len)
            return LINE_TEXT;
        lines->open[lines->open_count++] = (surety__container){
            .quote = false, .width = line_indent(lines) + len + 1};
        line_eat_mark(lines, len);
        if (line_indent(lines) <= LINE_TAB && !line_is_blank(lines)) {
            lines->open[lines->open_count - 1].width += line_indent(lines) - 1;
            line_eat(lines, LINE_TAB);
        } else {
            line_eat(lines, 1);
        }
    }
}

/* A line outside of every block. */
static surety_status line_outside(surety__lines *lines, size_t matched)
{
    size_t tag = 0;
    const enum line_kind kind = line_markup(lines, matched, &tag);

    lines->paragraph = kind == LINE_TEXT;
    switch (kind) {
    case LINE_BLANK: break;
    case LINE_REASON:
        lines->finder->layout.reasoning_open = lines->ink;
        lines->from = lines->ink + tag;
        return line_section(lines);
    case LINE_FENCE: return line_open_block(lines);
    case LINE_TEXT: return line_text(lines);
    }
    return SURETY_OK;
}

/* Masks the section that is open, up to its closing tag, behind which a line
 * starts; without one, nothing is looked at from its start on. */
static surety_status line_section(surety__lines *lines)
{
    surety__layout *layout = &lines->finder->layout;
    const size_t end =
        surety__reason_end(lines->text, lines->from, lines->kind);
    surety__span *mask;

    if (end == SURETY__NOWHERE) {
        layout->end = layout->reasoning_open;
        lines->next = lines->text.len;
        if (lines->from + SURETY__REASON_CLOSE_MAX < lines->text.len)
            lines->from = lines->text.len - SURETY__REASON_CLOSE_MAX;
        return SURETY_OK;
    }
    mask = surety__rows_add(lines->finder, &layout->masks);
    if (!mask)
        return SURETY_NOMEM;
    *mask = (surety__span){(uint32_t)layout->reasoning_open, (uint32_t)end};
    layout->reasoning_open = SURETY__NOWHERE;
    lines->open_count = 0;
    lines->paragraph = false;
    lines->next = end;
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

/* A line of text: looks for a closing tag of a section that has no opening.
 * While the reply comes, it waits where what follows decides. */
static surety_status line_text(surety__lines *lines)
{
    const surety_str text = lines->text;
    size_t at = lines->ink;

    while (at < lines->stop && !lines->finder->how.keep_reasoning) {
        const char *hit = memchr(text.ptr + at, '<', lines->stop - at);
        unsigned kind = 0;
        size_t len;
        bool last_of_line = false;
        bool opens, closes;

        if (!hit)
            break;
        at = (size_t)(hit - text.ptr);
        if (surety__reason_opens(text, at, &kind, &opens))
            lines->loose |= 1u << kind;
        len = surety__reason_closes(text, at, &kind, &closes);
        lines->comes.waits = lines->comes.open && (opens || closes);
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
        if (line_nothing_after(text, at, &last_of_line)) {
            lines->comes.waits = lines->comes.open;
            break;
        }
        if (lines->quote < at && !last_of_line)
            continue;
        return line_mask_all(lines, at);
    }
    return SURETY_OK;
}

/* All before `at` is reasoning; what follows counts as the start of a line. */
static surety_status line_mask_all(surety__lines *lines, size_t at)
{
    surety__layout *layout = &lines->finder->layout;
    surety__span *mask;

    layout->masks.count = 0;
    layout->blocks.count = 0;
    layout->pieces.count = 0;
    layout->fence_open = SURETY__NOWHERE;
    layout->loose_end = at;
    mask = surety__rows_add(lines->finder, &layout->masks);
    if (!mask)
        return SURETY_NOMEM;
    *mask = (surety__span){0, (uint32_t)at};
    lines->open_count = 0;
    lines->paragraph = lines->comes.waits = false;
    lines->finder->scan.walk = (surety__walk){.pos = at};
    lines->next = at;
    return SURETY_OK;
}

/* ---- a reply that comes -------------------------------------------------- */

/* Whether a line in a block, of which more may come, may yet close it or end
 * what it is in. */
static bool line_may_close(const surety__lines *lines, size_t matched)
{
    const size_t lost = lines->open_count - matched;
    const surety_str rest = {lines->text.ptr + lines->ink,
                             lines->stop - lines->ink};
    const size_t marks = surety__fence_marks(rest);

    if (!rest.len)
        return lines->open_count > 0;
    if (lost && (line_lists(lines, matched) < lost || marks ||
                 memchr("-+*0123456789", rest.ptr[0], 13)))
        return true;
    return marks && rest.ptr[0] == lines->opening.mark &&
           !surety__str_trim((surety_str){rest.ptr + marks, rest.len - marks})
                .len;
}

/* Whether text, of whose line more may come, may yet be a fence or begin with
 * a tag. */
static bool line_may_turn(const surety__lines *lines)
{
    const surety_str rest = {lines->text.ptr + lines->ink,
                             lines->stop - lines->ink};
    unsigned kind;
    bool cut = false;

    if (!lines->finder->how.keep_reasoning)
        (void)surety__reason_opens(lines->text, lines->ink, &kind, &cut);
    return cut || surety__fence_marks(rest) == rest.len;
}

/* The last line, of which more may come, as far as its bytes show what it is.
 * False: it is read again when more has come. */
static bool line_look(surety__lines *lines, surety_status *ret_status)
{
    surety__lines trial = *lines;
    const size_t matched = line_match(&trial);
    enum line_kind kind = LINE_BLANK;
    size_t tag;

    if (!lines->fenced)
        kind = line_markup(&trial, matched, &tag);
    if (kind == LINE_REASON) {
        *ret_status = line_take(lines);
        return true;
    }
    lines->comes.waits = lines->fenced
                             ? line_may_close(&trial, matched)
                             : kind == LINE_FENCE ||
                                   (kind == LINE_TEXT && line_may_turn(&trial));
    if (lines->comes.waits)
        lines->comes.known = lines->fenced ? lines->line : trial.ink;
    if (lines->comes.waits || kind == LINE_BLANK)
        return false;
    /* It may hold the end of reasoning that no tag has opened. */
    *ret_status = line_text(&trial);
    lines->comes.waits = trial.comes.waits;
    if (trial.next == lines->next)
        return false;
    *lines = trial;
    return true;
}

/* Goes on in the lines, up to one of which more may come. */
static surety_status line_extend(surety__lines *lines)
{
    const size_t len = lines->text.len;
    surety_status status = SURETY_OK;

    lines->comes.known = len;
    lines->lf = lines->cr = lines->quote = 0;
    lines->comes.waits = false;
    if (lines->finder->layout.reasoning_open != SURETY__NOWHERE)
        status = line_section(lines);
    while (status == SURETY_OK && lines->next < len) {
        const size_t line = lines->next;
        const unsigned loose = lines->loose;
        bool taken = true;

        line_read(lines, line);
        lines->comes.late = lines->stop - line >= LINE_AHEAD;
        if (lines->next < len || lines->text.ptr[len - 1] == '\n')
            status = line_take(lines);
        else
            taken = !lines->comes.late && line_look(lines, &status);
        if (taken && !lines->comes.waits)
            continue;
        lines->next = line;
        lines->loose = loose;
        break;
    }
    return status;
}

/* Whether a fence or a tag of reasoning may begin at `at`. */
static bool line_matters_at(surety_str text, size_t at)
{
    unsigned kind;
    bool opens, closes;

    if (surety__fence_may_begin(text.ptr[at]))
        return surety__fence_begins(text.ptr, at);
    return surety__reason_opens(text, at, &kind, &opens) || opens ||
           surety__reason_closes(text, at, &kind, &closes) || closes;
}

/* Whether the bytes from `from` on may end a field: with a fence or a tag of
 * reasoning, or as the field is a block in a container. Of a long line only the
 * end does. */
static bool line_matters(const surety__lines *lines, size_t from)
{
    const surety_str text = lines->text;

    if (lines->finder->layout.reasoning_open != SURETY__NOWHERE)
        return true;
    if (lines->comes.late)
        return memchr(text.ptr + from, '\n', text.len - from) != NULL;
    if (lines->comes.waits || (lines->fenced && lines->open_count))
        return true;
    for (; from < text.len; from++) {
        const char byte = text.ptr[from];

        if ((byte == '<' || byte == '[' || surety__fence_may_begin(byte)) &&
            line_matters_at(text, from))
            return true;
    }
    return false;
}

surety_status surety__block_extend(surety_finder *finder, size_t from,
                                   bool *ret_same)
{
    surety__lines *lines = &finder->lines;
    surety__layout *layout = &finder->layout;
    surety_status status = SURETY_OK;

    lines->text = finder->reply;
    *ret_same = !line_matters(lines, from);
    if (*ret_same)
        lines->comes.known = lines->text.len;
    else
        status = line_extend(lines);
    layout->end = layout->reasoning_open < lines->comes.known
                      ? layout->reasoning_open
                      : lines->comes.known;
    if (lines->fenced) {
        surety__block *block = line_block(lines);

        block->content_end = block->close_end = (uint32_t)layout->end;
    }
    return status;
}
