/* SPDX-License-Identifier: Apache-2.0 */
/* Members in lines: a name, a colon, and a text up to the end of the line. The
 * name may be in a list and have marks of emphasis or code.
 *
 * Prose has such lines, too. So every name must be one that the contract has,
 * and nothing but blank lines may be between the members; before the first and
 * behind the last there is a blank line, or a line that ends with a colon. A
 * text that means something else in YAML is not read here. */
#include "form/inside.h"

enum { LINES_MEMBERS_MAX = 256 };

/* Skips the mark of a list's item. */
static void lines_bullet(const surety__forms *forms, form_span *span)
{
    static const char *const bullets[] = {"- ", "* ", "+ ", "\xE2\x80\xA2 "};

    for (size_t i = 0; i < SURETY__COUNT(bullets); i++)
        if (surety__form_skip(forms, span, bullets[i]))
            break;
    *span = surety__form_trim(forms, *span);
}

/* Whether marks that a name begins with end right behind a colon: "**Name:**".
 * They are then skipped. */
static void lines_marks(const surety__forms *forms, form_span name,
                        form_span *value)
{
    const surety_str text = surety__form_str(forms, name);
    size_t marks = 0;

    while (marks < text.len && memchr("*_`", text.ptr[marks], 3))
        marks++;
    if (marks && text.len > marks &&
        !memchr("*_`", text.ptr[text.len - 1], 3) &&
        value->end - value->at > marks &&
        memcmp(forms->text.ptr + value->at, text.ptr, marks) == 0)
        value->at += marks;
}

/* Splits a line; false: it is no member. */
static bool lines_split(const surety__forms *forms, form_span line,
                        form_span *ret_name, form_span *ret_value)
{
    line = surety__form_trim(forms, line);
    lines_bullet(forms, &line);
    if (!surety__form_until(forms, &line, ":", ret_name))
        return false;
    lines_marks(forms, *ret_name, &line);
    if (line.at == line.end || !memchr(" \t", forms->text.ptr[line.at], 2))
        return false;
    *ret_value = surety__form_trim(forms, line);
    return ret_value->at < ret_value->end;
}

/* The name of a member, without marks. */
static surety_str lines_name(const surety__forms *forms, form_span name)
{
    surety_str text = surety__form_str(forms, name);

    while (text.len && memchr("*_` ", text.ptr[0], 4))
        surety__str_skip(&text, 1);
    while (text.len && memchr("*_` ", text.ptr[text.len - 1], 4))
        text.len--;
    return text;
}

/* The text of a value; false: it may mean something else. */
static bool lines_text(surety_str text, surety_str *ret_text)
{
    *ret_text = surety__form_plain(text);
    if (ret_text->len < text.len)
        return true;
    if (memchr("'\"", text.ptr[0], 2)) {
        if (text.len < 2 || text.ptr[text.len - 1] != text.ptr[0] ||
            memchr(text.ptr + 1, text.ptr[0], text.len - 2) ||
            memchr(text.ptr, '\\', text.len))
            return false;
        *ret_text = (surety_str){text.ptr + 1, text.len - 2};
        return true;
    }
    return !memchr("{[&*!|>%@`#", text.ptr[0], 11) &&
           surety__str_find(text, SURETY__LITERAL(" #")) == text.len;
}

/* Reads members from `at` on. Returns where they end; 0: there are none, or
 * what follows is no end. */
static size_t lines_read(surety__forms *forms, size_t at)
{
    surety_str names[LINES_MEMBERS_MAX];
    const size_t start = at;
    size_t count = 0, end = 0, next;
    bool set_off = true; /* a blank line was the last one */

    surety__form_bracket(forms, '{', start);
    for (; at < forms->text.len; at = next) {
        const form_span line =
            surety__form_line(forms, at, forms->text.len, &next);
        form_span name, value;
        surety_str text;

        if (surety__form_is_blank(forms, line)) {
            set_off = true;
            continue;
        }
        if (!lines_split(forms, line, &name, &value) ||
            count == LINES_MEMBERS_MAX)
            return set_off && count ? end : 0;
        names[count] = surety__form_member(forms, lines_name(forms, name));
        if (!names[count].len)
            return set_off && count ? end : 0;
        for (size_t i = 0; i < count; i++)
            if (surety_str_equal(names[i], names[count]))
                return set_off ? end : 0; /* another object begins */
        if (!lines_text(surety__form_str(forms, value), &text))
            return 0;
        surety__form_string(forms, names[count++], name, true);
        if (memchr("'\"", forms->text.ptr[value.at], 2))
            surety__form_string(forms, text, value, false);
        else
            surety__form_scalar(forms, text, value);
        end = line.end;
        set_off = false;
    }
    return end;
}

void surety__form_lines(surety__forms *forms)
{
    size_t at = 0;

    if (!surety__form_is_words(forms))
        return;
    while (at < forms->text.len) {
        size_t next, end = 0;
        form_span name, value;
        const form_span line =
            surety__form_line(forms, at, forms->text.len, &next);

        if (surety__form_opens(forms, at) &&
            lines_split(forms, line, &name, &value) &&
            surety__form_knows(forms, lines_name(forms, name))) {
            if (!surety__form_begin(forms, SURETY_FORM_KEY_VALUE, at))
                return;
            end = lines_read(forms, at);
            if (end) {
                forms->readings[forms->count].weak = true;
                surety__form_bracket(forms, '}', end - 1);
                surety__form_end(forms, end);
            } else {
                surety__form_drop(forms);
            }
        }
        at = surety__form_behind(forms, end > next ? end : next);
    }
}
