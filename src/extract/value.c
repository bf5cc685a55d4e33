/* SPDX-License-Identifier: Apache-2.0 */
/* Finds arrays and objects in prose as JSON is written.
 *
 * At each start of the scan the strict reader tries to read a value, into the
 * document of the caller who asks for one candidate after the other, and says
 * where the value ends. Where that is no JSON, it is either JSON with a
 * mistake, or a bracket of prose, and start.c says which: JSON with a mistake
 * is given as far as its brackets go, and the search goes on behind a bracket
 * of prose.
 *
 * Choices:
 * - A value that is open at the end gives nothing, and no part of it is given
 *   either: a part of a reply that was cut off is not the reply. Only an array
 *   of plain items that broke ("in [0, 1) and") is taken for prose then.
 *
 * 1. Linear: a scan reads at most SURETY__PASSES_MAX times the text, then it
 *    ends.
 * 2. Nothing recurses. */
#include "extract/finder.h"

enum {
    VALUE_LOOK_MAX = 256, /* bytes that are read of a value at first */
    VALUE_TAIL_MAX = 128  /* behind a mistake in an array of plain items */
};

/* What begins at a bracket. */
struct value_begun {
    size_t good; /* bytes that are JSON, up to the first mistake */
    size_t end;  /* of them, those of a value that is complete; 0: it is not */
    bool looks;  /* it has a key and a colon, or an item and a comma, */
    bool deep;   /* and an object or array in it */
    bool nomem;  /* memory ran out */
};

static bool value_try(surety_finder *finder, surety_str text,
                      struct value_begun *ret_begun);
static bool value_broken(surety_finder *finder, surety_str text,
                         const struct value_begun *begun, size_t *ret_end);

surety_status surety__value_next(surety_finder *finder,
                                 surety__slice *ret_slice)
{
    surety__place_scan *scan = &finder->scan;
    surety__scan_field *field = &scan->field;
    const surety_str all = field->slice.text;
    enum surety__start_kind ignored;

    assert(finder->doc);
    while (field->at < field->stop && scan->work <= scan->work_max) {
        const size_t start = surety__start_next(all, field->at, field->stop,
                                                &field->marks, &ignored);
        const surety_str text = {all.ptr + start, all.len - start};
        struct value_begun begun;
        size_t len;

        scan->work += start - field->at + 1;
        field->at = start + 1;
        if (start == field->stop || !memchr("{[", *text.ptr, 2))
            continue;
        if (value_try(finder, text, &begun))
            len = begun.end;
        else if (begun.nomem)
            return SURETY_NOMEM;
        else if (!value_broken(finder, text, &begun, &len)) {
            field->at = start + len;
            continue;
        }
        *ret_slice = field->slice;
        surety__slice_skip(ret_slice, start);
        ret_slice->text.len = len;
        scan->work += len;
        scan->open = SURETY__NOWHERE;
        surety__place_take(finder, start + len);
        return SURETY_OK;
    }
    return SURETY_END;
}

size_t surety__value_string(const char *text, size_t at, size_t to)
{
    const char *hit = text + at;

    assert(text[at] == '"' && at < to);
    while ((hit = memchr(hit + 1, '"', (size_t)(text + to - hit - 1)))) {
        const char *first = hit;

        while (first[-1] == '\\')
            first--;
        /* Linear: backslashes in a row precede one quote only. */
        if ((hit - first) % 2 == 0)
            return (size_t)(hit - text) + 1;
    }
    return SURETY__NOWHERE;
}

/* ---- reading ------------------------------------------------------------- */

/* The first byte behind the bracket at start that is no white space, or the
 * end. */
static size_t value_inner(surety_str text, size_t start)
{
    size_t at = start + 1;

    while (at < text.len && surety__is_space(text.ptr[at]))
        at++;
    return at;
}

/* Reads the value that text begins with, and may go on behind. */
static bool value_take(surety_finder *finder, surety_str text)
{
    size_t end;

    finder->has_read =
        surety__doc_read_first(finder->doc, text, &finder->limits, &end);
    return finder->has_read;
}

/* Looks at the bytes of a text that are JSON; it cannot be read with all that
 * follows. */
static struct value_begun value_measure(surety_finder *finder, surety_str text)
{
    struct value_begun begun = {.end = 0};
    size_t depth = 0;
    const surety_status status =
        surety__doc_mistake(finder->doc, text, &finder->limits, &begun.good);

    begun.nomem = status == SURETY_NOMEM;
    finder->scan.work += begun.good;
    begun.looks = status == SURETY_LIMIT;
    /* Blanks in a string that the end cuts off. */
    if (begun.good >= surety__str_trim(text).len)
        begun.good = text.len;
    for (size_t at = 0; at < begun.good && !begun.end; at++) {
        switch (text.ptr[at]) {
        case '{':
        case '[': begun.deep |= depth++ > 0; break;
        case '}':
        case ']': begun.end = --depth == 0 ? at + 1 : 0; break;
        case ',':
        case ':': begun.looks |= depth == 1; break;
        case '"':
            at = surety__value_string(text.ptr, at, begun.good);
            if (at == SURETY__NOWHERE)
                return begun;
            at--;
            break;
        default: break;
        }
    }
    return begun;
}

/* Reads the value at the start of text, which may end with any of its brackets.
 * A short look comes first: most values in prose are short, and where a long
 * one may end is looked for only then. True: *ret_begun is a value; has_read
 * says whether it was read. */
static bool value_try(surety_finder *finder, surety_str text,
                      struct value_begun *ret_begun)
{
    const surety_str look = {
        text.ptr, text.len < VALUE_LOOK_MAX ? text.len : VALUE_LOOK_MAX};

    assert(text.len && memchr("{[", *text.ptr, 2));
    *ret_begun = (struct value_begun){.end = 0};
    if (value_take(finder, look)) {
        ret_begun->end = finder->doc->text_len;
        return true;
    }
    *ret_begun = value_measure(finder, look);
    if (ret_begun->good == look.len && look.len < text.len) {
        const size_t last = surety__place_closing(&finder->scan, text);

        if (last > look.len &&
            value_take(finder, (surety_str){text.ptr, last})) {
            ret_begun->end = finder->doc->text_len;
            return true;
        }
        *ret_begun = value_measure(finder, text);
    }
    /* Where memory runs out, the value is read by the one who takes it. */
    if (ret_begun->end)
        (void)value_take(finder, (surety_str){text.ptr, ret_begun->end});
    return ret_begun->end != 0;
}

/* Whether what begins at the start of text, and cannot be read, is JSON with a
 * mistake; it is given as far as its brackets go. *ret_skip: how far the search
 * goes on otherwise, behind a bracket of prose, or to the end, which cuts a
 * value off. */
static bool value_broken(surety_finder *finder, surety_str text,
                         const struct value_begun *begun, size_t *ret_end)
{
    const size_t first = value_inner(text, 0);
    const bool ends = begun->good == text.len;
    const bool object = *text.ptr == '{';
    const bool near =
        surety__start_comment(text, first) ||
        ((object || begun->good == first) && surety__start_is_json(text, 0));
    /* Quotes of any kind: what is in braces and quotes is no set. */
    const bool quoted = near && memchr("\"'`\\\xE2&", text.ptr[first], 6);
    surety_str rest = text;

    *ret_end = 1;
    assert(!begun->end && begun->good <= text.len);
    if (!ends && !begun->looks && !near)
        return false;
    /* What may be prose, "in [0, 1) and", closes soon or not at all. */
    if (!object && !begun->deep && !near &&
        rest.len > begun->good + VALUE_TAIL_MAX)
        rest.len = begun->good + VALUE_TAIL_MAX;
    if (!ends && surety__start_closes(rest, 0, begun->good, ret_end)) {
        *ret_end = surety__start_extend(text, *ret_end);
        return true;
    }
    finder->scan.work += rest.len;
    if (finder->scan.open == SURETY__NOWHERE)
        finder->scan.open = surety__slice_origin(
            finder, &finder->scan.field.slice,
            (size_t)(text.ptr - finder->scan.field.slice.text.ptr), NULL);
    *ret_end = ends || (object && (begun->looks || quoted)) ||
                       (begun->looks && begun->deep)
                   ? text.len
                   : 1;
    return false;
}
