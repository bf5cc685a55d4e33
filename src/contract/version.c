/* SPDX-License-Identifier: Apache-2.0 */
/* version.c: semantic versions, compared as text. Numbers have any length and
 * no leading zeros, so the longer one is greater, and no number is
 * converted. */
#include "contract/version.h"

/* Returns the text from *at up to one of the characters `ends`, or up to the
 * end; moves *at there. */
static surety_str version_word(surety_str text, size_t *at, const char *ends)
{
    const size_t start = *at;

    assert(start <= text.len);
    while (*at < text.len &&
           (text.ptr[*at] == '\0' || !strchr(ends, text.ptr[*at])))
        (*at)++;
    return (surety_str){start < text.len ? text.ptr + start : "", *at - start};
}

/* Returns "1.2.3" from "1.2.3-rc.1+5". */
static surety_str version_core(surety_str version)
{
    size_t at = 0;

    return version_word(version, &at, "-+");
}

/* Returns "rc.1" from "1.2.3-rc.1+5"; ptr is NULL when there is none. */
static surety_str version_early(surety_str version)
{
    size_t at = version_core(version).len;

    if (at == version.len || version.ptr[at] != '-')
        return (surety_str){NULL, 0};
    at++;
    return version_word(version, &at, "+");
}

static bool version_is_number(surety_str word)
{
    if (word.len == 0 || (word.len > 1 && word.ptr[0] == '0'))
        return false;
    for (size_t i = 0; i < word.len; i++)
        if (!surety__is_digit(word.ptr[i]))
            return false;
    return true;
}

/* Returns whether text is words of letters, digits and "-", joined by dots.
 * numbers_plain: no number may have a leading zero. */
static bool version_are_words(surety_str text, bool numbers_plain)
{
    size_t at = 0;

    for (;; at++) {
        const surety_str word = version_word(text, &at, ".");
        bool digits = true;

        if (word.len == 0)
            return false;
        for (size_t i = 0; i < word.len; i++) {
            const bool digit = surety__is_digit(word.ptr[i]);

            if (!digit && !surety__is_letter(word.ptr[i]) && word.ptr[i] != '-')
                return false;
            digits = digits && digit;
        }
        if (numbers_plain && digits && !version_is_number(word))
            return false;
        if (at == text.len)
            return true;
    }
}

bool surety__version_valid(surety_str text)
{
    const surety_str core = version_core(text);
    const surety_str early = version_early(text);
    size_t rest = core.len + (early.ptr ? early.len + 1 : 0);
    size_t at = 0;

    for (unsigned i = 0; i < 3; i++) {
        if (!version_is_number(version_word(core, &at, ".")))
            return false;
        if (i < 2 && (at == core.len || core.ptr[at++] != '.'))
            return false;
    }
    if (at != core.len || (early.ptr && !version_are_words(early, true)))
        return false;
    if (rest == text.len)
        return true;
    rest++; /* skip the "+" */
    return version_are_words((surety_str){text.ptr + rest, text.len - rest},
                             false);
}

bool surety__version_request_valid(surety_str text)
{
    size_t at = 0;

    if (surety__version_valid(text))
        return true;
    for (unsigned numbers = 0; numbers < 2; numbers++, at++) {
        if (!version_is_number(version_word(text, &at, ".")))
            return false;
        if (at == text.len)
            return true;
    }
    return false;
}

bool surety__version_matches(surety_str version, surety_str request)
{
    const surety_str core = version_core(version);

    if (request.len == 0 || surety_str_equal(version, request))
        return true;
    if (surety__version_valid(request))
        return false;
    return core.len > request.len && core.ptr[request.len] == '.' &&
           surety__str_starts(core, request);
}

static int version_compare_words(surety_str a, surety_str b)
{
    size_t a_at = 0;
    size_t b_at = 0;

    for (;; a_at++, b_at++) {
        const surety_str x = version_word(a, &a_at, ".");
        const surety_str y = version_word(b, &b_at, ".");
        const bool x_number = version_is_number(x);
        const bool y_number = version_is_number(y);
        int order;

        if (x_number != y_number)
            return x_number ? -1 : 1;
        if (x_number && x.len != y.len)
            return x.len < y.len ? -1 : 1;
        order = surety__str_compare(x, y);
        if (order != 0)
            return order < 0 ? -1 : 1;
        if (a_at == a.len || b_at == b.len)
            return (a_at < a.len) - (b_at < b.len);
    }
}

int surety__version_compare(surety_str a, surety_str b)
{
    const surety_str a_early = version_early(a);
    const surety_str b_early = version_early(b);
    int order;

    if (a.len == 0 || b.len == 0)
        return (a.len > 0) - (b.len > 0);
    order = version_compare_words(version_core(a), version_core(b));
    if (order != 0)
        return order;
    if (!a_early.ptr || !b_early.ptr)
        return (a_early.ptr == NULL) - (b_early.ptr == NULL);
    return version_compare_words(a_early, b_early);
}

bool surety__version_is_early(surety_str version)
{
    return version_early(version).ptr != NULL;
}
