/* SPDX-License-Identifier: Apache-2.0 */
/* Computes where values are in the text.
 *
 * A cell has only the offset of its first byte; the rest is computed on demand.
 * The end of a string or container comes from one scan that knows strings and
 * brackets, line and column from counting from the start. A text that was read
 * tolerantly may have other quotes, so an end may be wrong there, but a scan
 * never leaves the text. */
#include "json/inside.h"

/* Returns the byte after the string whose opening quote is at ptr < end. */
static const char *position_string(const char *ptr, const char *end)
{
    const char quote = *ptr++;

    assert(ptr <= end);
    while (ptr < end && *ptr != quote)
        ptr += *ptr == '\\' && end - ptr > 1 ? 2 : 1;
    return ptr < end ? ptr + 1 : end;
}

/* Returns the byte after the container whose opening bracket is at ptr <
 * end. */
static const char *position_container(const char *ptr, const char *end)
{
    size_t depth = 0;

    while (ptr < end) {
        switch (*ptr) {
        case '[':
        case '{': depth++; break;
        case ']':
        case '}':
            if (--depth == 0)
                return ptr + 1;
            break;
        case '"': ptr = position_string(ptr, end); continue;
        default: break;
        }
        ptr++;
    }
    return end;
}

/* Returns the length in bytes of the value at ptr < end. */
static size_t position_length(const surety_doc *doc, const surety__cell *cell,
                              const char *ptr, const char *end)
{
    switch (cell->kind) {
    case CELL_STRING:
    case CELL_KEY:
        if (*ptr != '"' && *ptr != '\'')
            return cell->len;
        return (size_t)(position_string(ptr, end) - ptr);
    case CELL_ARRAY:
    case CELL_OBJECT: return (size_t)(position_container(ptr, end) - ptr);
    case CELL_FALSE: return 5;
    case CELL_TRUE:
    case CELL_NULL: return 4;
    default: return surety__cell_number(doc, cell).len;
    }
}

/* Whether the text has the value, and where: its offset and length. */
static bool position_span(const surety_doc *doc, const surety__cell *cell,
                          size_t *ret_offset, size_t *ret_length)
{
    const surety_str text = surety_doc_text(doc);

    if (cell->place >= text.len ||
        (cell->kind == CELL_INT && (cell->flags & FLAG_OWN)))
        return false;
    *ret_offset = cell->place;
    *ret_length =
        position_length(doc, cell, text.ptr + cell->place, text.ptr + text.len);
    if (*ret_length > text.len - cell->place)
        *ret_length = text.len - cell->place;
    return true;
}

static surety_position position_of(const surety_doc *doc,
                                   const surety__cell *cell)
{
    size_t offset, length;

    if (!position_span(doc, cell, &offset, &length))
        return (surety_position){0};
    return surety_position_at(surety_doc_text(doc), offset, length);
}

bool surety__val_span(surety_val val, size_t *ret_offset, size_t *ret_length)
{
    return val.doc && val.index < val.doc->cell_count &&
           position_span(val.doc, surety__cell_of(val), ret_offset, ret_length);
}

surety_str surety_val_text(surety_val val)
{
    size_t offset, length;

    if (!surety__val_span(val, &offset, &length))
        return (surety_str){NULL, 0};
    return (surety_str){surety_doc_text(val.doc).ptr + offset, length};
}

surety_position surety_val_position(surety_val val)
{
    if (!val.doc || val.index >= val.doc->cell_count)
        return (surety_position){0};
    return position_of(val.doc, surety__cell_of(val));
}

/* Returns how many bytes of a JSON string, from ptr < end, are the next
 * character or escape; *ret_len: how many they are when decoded. */
static size_t position_step(const char *ptr, const char *end, size_t *ret_len)
{
    char decoded[4];
    uint32_t code = 0;

    *ret_len = 1;
    if (*ptr != '\\')
        return 1;
    if (end - ptr < 6 || ptr[1] != 'u')
        return 2;
    for (int i = 2; i < 6; i++)
        code = code << 4 | surety__hex_digit(ptr[i]);
    *ret_len = 4;
    if (code >= 0xD800 && code <= 0xDFFF)
        return 12; /* a pair */
    *ret_len = surety__utf8_encode(code, decoded);
    return 6;
}

surety_position surety__val_position_within(surety_val val, size_t offset,
                                            size_t length)
{
    const surety_str text = surety_doc_text(val.doc);
    size_t from = 0, to, start, span, at = 0, len = 0;

    assert(surety_val_kind(val) == SURETY_KIND_STRING);
    if (!surety__val_span(val, &start, &span))
        return (surety_position){0};
    from = to = start + 1;
    while (at < offset + length && to < start + span) {
        to += position_step(text.ptr + to, text.ptr + start + span, &len);
        at += len;
        if (at <= offset)
            from = to;
    }
    return surety_position_at(text, from, to - from);
}

surety_status surety_doc_duplicate(const surety_doc *doc, size_t i,
                                   surety_str *ret_key,
                                   surety_position *ret_position,
                                   surety_position *ret_again)
{
    surety__cell key = {.kind = CELL_KEY};

    if (!doc || i >= doc->duplicate_count || i >= DOC_DUPLICATES_MAX)
        return SURETY_END;
    key.flags = (uint8_t)doc->duplicates[i].flags;
    key.place = doc->duplicates[i].place;
    key.len = doc->duplicates[i].len;
    key.off = doc->duplicates[i].off;
    if (ret_position)
        *ret_position = position_of(doc, &key);
    if (ret_key)
        *ret_key = surety__cell_str(doc, &key);
    key.place = doc->duplicates[i].again;
    if (ret_again)
        *ret_again = position_of(doc, &key);
    return SURETY_OK;
}
