/* SPDX-License-Identifier: Apache-2.0 */
/* The few steps over text that the forms share: spans, lines, names. They look
 * at the bytes that they are given and keep nothing. */
#include "form/inside.h"

form_span surety__form_trim(const surety__forms *forms, form_span span)
{
    const surety_str all = surety__form_str(forms, span);
    const surety_str text = surety__str_trim(all);

    if (!text.len)
        return (form_span){span.at, span.at};
    span.at += (size_t)(text.ptr - all.ptr);
    span.end = span.at + text.len;
    return span;
}

bool surety__form_until(const surety__forms *forms, form_span *span,
                        const char *mark, form_span *ret_before)
{
    const surety_str needle = surety_str_of(mark);
    const surety_str text = surety__form_str(forms, *span);
    const size_t len = surety__str_find(text, needle);

    *ret_before = (form_span){span->at, span->at + len};
    span->at += len == text.len ? len : len + needle.len;
    return len < text.len;
}

bool surety__form_skip(const surety__forms *forms, form_span *span,
                       const char *mark)
{
    const surety_str needle = surety_str_of(mark);

    if (!surety__str_starts(surety__form_str(forms, *span), needle))
        return false;
    span->at += needle.len;
    return true;
}

form_span surety__form_line(const surety__forms *forms, size_t at, size_t stop,
                            size_t *ret_next)
{
    const char *const start = forms->text.ptr + at;
    const char *const hit = memchr(start, '\n', stop - at);
    size_t end = hit ? at + (size_t)(hit - start) : stop;

    *ret_next = hit ? end + 1 : stop;
    if (end > at && forms->text.ptr[end - 1] == '\r')
        end--;
    return (form_span){at, end};
}

size_t surety__form_behind(const surety__forms *forms, size_t at)
{
    size_t next = at;

    if (at && forms->text.ptr[at - 1] != '\n')
        (void)surety__form_line(forms, at, forms->text.len, &next);
    return next;
}

bool surety__form_is_blank(const surety__forms *forms, form_span span)
{
    return surety__str_trim(surety__form_str(forms, span)).len == 0;
}

surety_str surety__form_plain(surety_str text)
{
    static const char *const marks[] = {"**", "__", "*", "_", "`"};

    for (size_t i = 0; i < SURETY__COUNT(marks); i++) {
        const surety_str mark = surety_str_of(marks[i]);
        surety_str inner = {text.ptr + mark.len, text.len - 2 * mark.len};

        if (text.len > 2 * mark.len && surety__str_starts(text, mark) &&
            surety__str_ends(text, mark) &&
            !memchr(inner.ptr, *marks[i], inner.len))
            return surety__str_trim(inner);
    }
    return text;
}

bool surety__form_is_words(const surety__forms *forms)
{
    static const char *const plain[] = {"text",  "txt",      "plaintext",
                                        "plain", "markdown", "md"};
    const surety_str info = forms->task.info;

    return !forms->task.block || !info.len ||
           surety__str_among_nocase(info, plain, SURETY__COUNT(plain));
}

surety_str surety__form_keep(surety__forms *forms, surety_str name)
{
    const surety_str kept = surety__arena_text(&forms->names, name);

    if (!kept.ptr)
        forms->status = SURETY_NOMEM;
    return kept;
}

surety_str surety__form_member(const surety__forms *forms, surety_str name)
{
    const surety__form_task *task = &forms->task;
    surety_str member = name;

    if (!name.len || (task->name && !task->name(task->ctx, name, &member)))
        return (surety_str){0};
    return member;
}

bool surety__form_knows(const surety__forms *forms, surety_str name)
{
    return surety__form_member(forms, name).len > 0;
}

bool surety__form_opens(const surety__forms *forms, size_t at)
{
    const char *const text = forms->text.ptr;
    size_t end = at;

    if (!at)
        return true;
    assert(text[at - 1] == '\n');
    end--;
    while (end && memchr(" \t\r*_", text[end - 1], 5))
        end--;
    return !end || text[end - 1] == '\n' || text[end - 1] == ':';
}
