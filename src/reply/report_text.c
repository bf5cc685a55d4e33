/* SPDX-License-Identifier: Apache-2.0 */
/* The form for people, as compilers write it:
 *
 *     reply.md:14:17: error[maximum]: 85 is greater than the maximum of 1
 *        14 |   "confidence": 85,
 *           |                 ^^ at /confidence
 *           = contract user-story/iteration-output@1.0.0: /properties/...
 *
 * The line of the reply is shown as far as it fits around the place; a tab
 * stays a tab in both lines, anything a terminal would act on is escaped and
 * the carets are as many columns further. Looking for the ends of a line is
 * bounded, so a reply that is one line of megabytes costs no more. */
#include "reply/report.h"

enum {
    TEXT_LINE_MAX = 120,  /* characters of a source line */
    TEXT_BEFORE_MAX = 60, /* of these before the place, where it is cut */
    TEXT_REPAIRS_MAX = 8  /* repairs that are listed */
};

struct text_palette {
    const char *place, *error, *warning, *note, *gutter, *caret, *hint, *end;
};

static const struct text_palette text_plain = {"", "", "", "", "", "", "", ""};
static const struct text_palette text_color = {
    "\x1b[1m",  "\x1b[1;31m", "\x1b[1;33m", "\x1b[1;36m",
    "\x1b[34m", "\x1b[31m",   "\x1b[36m",   "\x1b[0m",
};

/* The part of a line that is shown. */
struct text_window {
    size_t start, end; /* bytes of the reply */
    bool cut_before, cut_after;
};

static bool text_ends_line(char byte)
{
    return byte == '\n' || byte == '\r';
}

static bool text_is_inner(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* The byte where the max-th character before offset begins, or the line's
 * first; *ret_count is how many characters there are between. Bytes that
 * continue no character count when they are too many. */
static size_t text_back(surety_str text, size_t offset, size_t max,
                        size_t *ret_count)
{
    size_t at = offset;
    size_t count = 0;

    while (at > 0 && !text_ends_line(text.ptr[at - 1]) && count < max) {
        size_t inner = 0;

        for (at--; at > 0 && inner < 3 && text_is_inner(text.ptr[at]) &&
                   !text_ends_line(text.ptr[at - 1]);
             inner++)
            at--;
        count++;
    }
    *ret_count = count;
    return at;
}

/* The byte behind max characters from offset on, or the line's end. */
static size_t text_forth(surety_str text, size_t offset, size_t max,
                         size_t *ret_count)
{
    size_t at = offset;
    size_t count = 0;

    for (; at < text.len && !text_ends_line(text.ptr[at]) && count < max;
         count++) {
        unsigned len;

        (void)surety__utf8_decode(text.ptr + at, text.ptr + text.len, &len);
        at += len;
    }
    *ret_count = count;
    return at;
}

static struct text_window text_window(surety_str text, size_t offset)
{
    struct text_window window;
    size_t before, after;

    window.start = text_back(text, offset, TEXT_LINE_MAX, &before);
    window.end = text_forth(text, offset, TEXT_LINE_MAX, &after);
    if (before + after > TEXT_LINE_MAX) {
        size_t room = TEXT_LINE_MAX - TEXT_BEFORE_MAX;

        if (after < room)
            room = after;
        window.start = text_back(text, offset, TEXT_LINE_MAX - room, &before);
        window.end = text_forth(text, offset, TEXT_LINE_MAX - before, &after);
    }
    window.cut_before =
        window.start > 0 && !text_ends_line(text.ptr[window.start - 1]);
    window.cut_after =
        window.end < text.len && !text_ends_line(text.ptr[window.end]);
    return window;
}

/* Shows the reply from start to end; gives how many columns that took, and
 * repeats them as blanks in `under` (may be NULL), tabs as tabs. */
static size_t text_show(surety_buf *out, surety_str text, size_t start,
                        size_t end, surety_buf *under)
{
    size_t total = 0;

    while (start < end) {
        unsigned columns = 1;

        if (text.ptr[start] == '\t') {
            surety_buf_byte(out, '\t');
            start++;
        } else {
            start += surety__report_char(out, text.ptr + start,
                                         text.ptr + text.len, &columns);
        }
        total += columns;
        for (unsigned i = 0; under && i < columns; i++)
            surety_buf_byte(under, text.ptr[start - 1] == '\t' ? '\t' : ' ');
    }
    return total;
}

/* The two lines with the source and the carets. */
static void text_source(surety_str text, const surety_issue *issue,
                        const struct text_palette *palette, surety_buf *out)
{
    const size_t offset = issue->position.offset;
    const struct text_window window = text_window(text, offset);
    size_t stop = offset + issue->position.length;
    size_t carets;
    surety_buf under;

    surety_buf_init(&under, out->alloc, 0);
    surety__buf_printf(out, "%s%5u |%s%s", palette->gutter,
                       (unsigned)issue->position.line, palette->end,
                       window.start < window.end ? " " : "");
    if (window.cut_before) {
        surety_buf_text(out, "\xE2\x80\xA6");
        surety_buf_byte(&under, ' ');
    }
    if (stop > window.end)
        stop = window.end;
    text_show(out, text, window.start, offset, &under);
    carets = text_show(out, text, offset, stop, NULL);
    text_show(out, text, stop > offset ? stop : offset, window.end, NULL);
    if (window.cut_after)
        surety_buf_text(out, "\xE2\x80\xA6");
    surety__buf_printf(out, "\n%s      |%s ", palette->gutter, palette->end);
    surety_buf_add(out, surety_buf_str(&under));
    surety_buf_text(out, palette->caret);
    for (size_t i = 0; i == 0 || i < carets; i++)
        surety_buf_byte(out, '^');
    surety_buf_text(out, palette->end);
    if (issue->instance_location.len) {
        surety_buf_text(out, " at ");
        surety__report_line(out, issue->instance_location,
                            SURETY__REPORT_NAME_MAX);
    }
    surety_buf_byte(out, '\n');
    if (under.status && !out->status)
        out->status = under.status;
    surety_buf_done(&under);
}

/* "      = LABEL TEXT" */
static void text_note(const struct text_palette *palette, const char *label,
                      surety_buf *out)
{
    surety__buf_printf(out, "%s      =%s %s", palette->gutter, palette->end,
                       label);
}

/* "reply.md:14:17: LEVEL[KEYWORD]: " */
static void text_head(const surety_issue *issue, surety_str source,
                      const char *tint, const char *level,
                      const struct text_palette *palette, surety_buf *out)
{
    surety_buf_text(out, palette->place);
    surety__report_line(out, source.len ? source : SURETY__LITERAL("reply"),
                        SURETY__REPORT_NAME_MAX);
    if (issue->position.line)
        surety__buf_printf(out, ":%u:%u", (unsigned)issue->position.line,
                           (unsigned)issue->position.column);
    surety__buf_printf(out, ":%s %s%s", palette->end, tint, level);
    if (issue->keyword.len) {
        surety_buf_byte(out, '[');
        surety__report_line(out, issue->keyword, SURETY__REPORT_NAME_MAX);
        surety_buf_byte(out, ']');
    }
    surety__buf_printf(out, "%s: ", palette->end);
}

void surety__issue_text(const surety_issue *issue,
                        const surety_issue_form *form, bool color,
                        surety_buf *out)
{
    const struct text_palette *palette = color ? &text_color : &text_plain;

    text_head(issue, form->source,
              form->warning ? palette->warning : palette->error,
              form->warning ? "warning" : "error", palette, out);
    surety__report_line(out, issue->message, SURETY__REPORT_TEXT_MAX);
    surety_buf_byte(out, '\n');
    if (issue->position.line && form->text.len &&
        issue->position.offset <= form->text.len) {
        text_source(form->text, issue, palette, out);
    } else if (issue->instance_location.len && form->text.len == 0) {
        text_note(palette, "at ", out);
        surety__report_line(out, issue->instance_location,
                            SURETY__REPORT_NAME_MAX);
        surety_buf_byte(out, '\n');
    }
    if (issue->absolute_keyword_location.len) {
        text_note(palette, "", out);
        surety__report_line(out, form->subject, SURETY__REPORT_NAME_MAX);
        surety_buf_text(out, ": ");
        surety__report_line(out, issue->keyword_location,
                            SURETY__REPORT_NAME_MAX);
        surety_buf_byte(out, '\n');
    }
    if (issue->hint.len) {
        text_note(palette, "hint: ", out);
        surety_buf_text(out, palette->hint);
        surety__report_line(out, issue->hint, SURETY__REPORT_TEXT_MAX);
        surety_buf_text(out, palette->end);
        surety_buf_byte(out, '\n');
    }
}

/* Whether a repair is shown with one before it: repairs of the text of one kind
 * are. */
static bool text_is_shown(const surety__repairs *repairs, size_t i)
{
    const surety__repair *repair = &repairs->items[i];

    for (size_t k = 0; !repair->cost && k < i; k++)
        if (repairs->items[k].issue.seen.keyword.ptr ==
            repair->issue.seen.keyword.ptr)
            return true;
    return false;
}

/* A line each, for nothing is wrong with them; of each kind of repair the
 * first and how many there are. */
static void text_repairs(const surety__repairs *repairs, surety_str source,
                         bool color, surety_buf *out)
{
    const struct text_palette *palette = color ? &text_color : &text_plain;
    size_t lines = 0;
    size_t listed = 0;

    for (size_t i = 0; i < repairs->count && lines < TEXT_REPAIRS_MAX; i++) {
        const surety__repair *repair = &repairs->items[i];
        size_t times = 1;

        if (text_is_shown(repairs, i))
            continue;
        for (size_t k = i + 1; !repair->cost && k < repairs->count; k++)
            times += repairs->items[k].issue.seen.keyword.ptr ==
                     repair->issue.seen.keyword.ptr;
        text_head(&repair->issue.seen, source, palette->note, "note", palette,
                  out);
        surety__report_repair(out, repair);
        if (times > 1)
            surety__buf_printf(out, " (%zu times)", times);
        surety_buf_byte(out, '\n');
        listed += times;
        lines++;
    }
    if (repairs->total > listed) {
        const surety_issue rest = {.position.line = 0};

        text_head(&rest, source, palette->note, "note", palette, out);
        surety__buf_printf(out, "%zu more repair%s\n", repairs->total - listed,
                           repairs->total - listed == 1 ? "" : "s");
    }
}

void surety__report_text(const surety_outcome *outcome, surety_str source,
                         bool color, surety_buf *out)
{
    surety_issue_form form = {
        .size = sizeof(form), .source = source, .text = outcome->seen};
    surety_buf subject;

    surety_buf_init(&subject, out->alloc, 0);
    surety_buf_text(&subject,
                    outcome->contract_id.len ? "contract " : "contract");
    surety_buf_add(&subject, outcome->contract_id);
    if (subject.status && !out->status)
        out->status = subject.status;
    form.subject = surety_buf_str(&subject);
    for (size_t i = 0; i < outcome->errors.count; i++)
        surety__issue_text(&outcome->errors.items[i].seen, &form, color, out);
    form.warning = true;
    for (size_t i = 0; i < outcome->warnings.count; i++)
        surety__issue_text(&outcome->warnings.items[i].seen, &form, color, out);
    text_repairs(&outcome->repairs, source, color, out);
    surety_buf_done(&subject);
}
