/* SPDX-License-Identifier: Apache-2.0 */
/* The strict reader: one JSON text (RFC 8259) into cells, in one pass.
 *
 * The state of the machine is the place in read_values: labels say what comes
 * next, and the stack of open containers is kept in the cells themselves (a
 * container's span is its parent's index until it closes). Integers are worked
 * out while they are scanned; of other numbers only the extent is taken.
 * Strings without escapes stay where they are in the text; others are decoded
 * into the doc's own block, which is given room for the whole text at the first
 * escape, so that no later one has to ask.
 *
 * Two kinds of text pass through the same code. A copied text is followed by
 * zeros, so blocks of 16 bytes may be loaded up to its end; of a borrowed text
 * no byte past the end is touched (`readable` tells them apart). Every step of
 * one byte is checked against the end.
 *
 * On a mistake the reader only notes where it stood; explain.c looks at the
 * text again to say what is wrong. */
#include "json/inside.h"

enum { READ_PAD = 16 }; /* zeros behind the copy of a text */

struct reader {
    surety_doc *doc;
    const char *begin, *end;
    const char *readable; /* the end of what may be loaded: end and padding */
    surety__cell *cells;
    size_t used, room; /* cells taken, cells there are */
    uint32_t open;     /* the innermost open container */
    uint32_t count;    /* its values so far */
    uint32_t depth;
    uint32_t string_len_max, key_len_max, number_len_max;
    bool unique;
    struct read_mistake mistake;
};

/* Notes a mistake; gives NULL, so that callers can return it. */
static const char *read_refuse(struct reader *reader, enum read_fault fault,
                               const char *at, size_t length)
{
    reader->mistake.fault = fault;
    reader->mistake.offset = (size_t)(at - reader->begin);
    reader->mistake.length = length;
    return NULL;
}

/* Makes room for another cell, at is the byte it would stand for. */
static bool read_grow(struct reader *reader, const char *at)
{
    surety_doc *doc = reader->doc;
    surety_status status = surety__doc_room(doc, reader->used + 1);

    if (status) {
        read_refuse(reader, status == SURETY_LIMIT ? FAULT_VALUES : FAULT_NOMEM,
                    at, 0);
        return false;
    }
    reader->cells = doc->cells;
    reader->room = doc->cell_cap < doc->limits.values_max
                       ? doc->cell_cap
                       : doc->limits.values_max;
    return true;
}

static inline surety__cell *read_cell(struct reader *reader, const char *at)
{
    if (reader->used == reader->room && !read_grow(reader, at))
        return NULL;
    return &reader->cells[reader->used++];
}

static inline const char *read_space(const char *ptr, const char *end)
{
    while (ptr != end && scan_is_space(*ptr))
        ptr++;
    return ptr;
}

/* Four hexadecimal digits at ptr, or UINT32_MAX. */
static uint32_t read_hex_digits(const char *ptr, const char *end)
{
    uint32_t code = 0;

    if (end - ptr < 4)
        return UINT32_MAX;
    for (int i = 0; i < 4; i++) {
        unsigned char byte = (unsigned char)ptr[i];
        unsigned letter = byte | 0x20u;

        if (byte >= '0' && byte <= '9')
            code = code << 4 | (uint32_t)(byte - '0');
        else if (letter >= 'a' && letter <= 'f')
            code = code << 4 | (uint32_t)(letter - 'a' + 10);
        else
            return UINT32_MAX;
    }
    return code;
}

/* Decodes the escape of the form \u at ptr to out, moving it on; gives the
 * byte behind it. */
static const char *read_code_point(struct reader *reader, const char *ptr,
                                   char **out)
{
    const char *end = reader->end;
    uint32_t code = read_hex_digits(ptr + 2, end);
    uint32_t low;

    if (code == UINT32_MAX)
        return read_refuse(reader, FAULT_HEX, ptr, 0);
    if (code >= 0xD800 && code <= 0xDFFF) {
        if (code > 0xDBFF || end - ptr < 8 || ptr[6] != '\\' || ptr[7] != 'u')
            return read_refuse(reader, FAULT_SURROGATE, ptr, 6);
        low = read_hex_digits(ptr + 8, end);
        if (low == UINT32_MAX)
            return read_refuse(reader, FAULT_HEX, ptr + 6, 0);
        if (low < 0xDC00 || low > 0xDFFF)
            return read_refuse(reader, FAULT_SURROGATE, ptr, 6);
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        ptr += 6;
    }
    *out += surety__utf8_encode(code, *out);
    return ptr + 6;
}

static const char *read_escape(struct reader *reader, const char *ptr,
                               char **out)
{
    char byte;

    if (reader->end - ptr < 2)
        return read_refuse(reader, FAULT_STRING_END, reader->end, 0);
    switch (ptr[1]) {
    case '"':
    case '\\':
    case '/': byte = ptr[1]; break;
    case 'b': byte = '\b'; break;
    case 'f': byte = '\f'; break;
    case 'n': byte = '\n'; break;
    case 'r': byte = '\r'; break;
    case 't': byte = '\t'; break;
    case 'u': return read_code_point(reader, ptr, out);
    default: return read_refuse(reader, FAULT_ESCAPE, ptr, 0);
    }
    *(*out)++ = byte;
    return ptr + 2;
}

/* What stopped the scan of a string's plain bytes and is neither its end nor an
 * escape: the byte behind a UTF-8 sequence, or NULL. */
static inline const char *read_special(struct reader *reader, const char *ptr)
{
    unsigned len;

    if (ptr == reader->end)
        return read_refuse(reader, FAULT_STRING_END, ptr, 0);
    if ((unsigned char)*ptr < 0x20)
        return read_refuse(reader, FAULT_CONTROL, ptr, 1);
    len = scan_sequence(ptr, reader->end);
    return len ? ptr + len : read_refuse(reader, FAULT_UTF8, ptr, 0);
}

/* The rest of a string from its first escape on: start is behind the opening
 * quote, ptr at the backslash. What stands before goes to the own block first.
 * Decoding never lengthens, so room for the text is room for all of it. */
static const char *read_decoded(struct reader *reader, const char *start,
                                const char *ptr, surety__cell *cell)
{
    surety_doc *doc = reader->doc;
    char *from, *out;

    if (doc->own_cap < doc->text_len &&
        surety__doc_own_room(doc, doc->text_len - doc->own_len))
        return read_refuse(reader, FAULT_NOMEM, ptr, 0);
    from = doc->own + doc->own_len;
    memcpy(from, start, (size_t)(ptr - start));
    out = from + (ptr - start);
    for (;;) {
        const char *run = ptr;

        ptr = scan_plain(ptr, reader->readable, reader->end);
        while (ptr != reader->end && (unsigned char)*ptr >= 0x80) {
            ptr = read_special(reader, ptr);
            if (!ptr)
                return NULL;
            cell->flags &= (uint8_t)~FLAG_ASCII;
            if (ptr != reader->end && (unsigned char)*ptr < 0x80)
                ptr = scan_plain(ptr, reader->readable, reader->end);
        }
        memcpy(out, run, (size_t)(ptr - run));
        out += ptr - run;
        if (ptr != reader->end && *ptr == '"')
            break;
        if (ptr == reader->end || *ptr != '\\')
            return read_special(reader, ptr);
        run = out;
        ptr = read_escape(reader, ptr, &out);
        if (!ptr)
            return NULL;
        if ((unsigned char)*run >= 0x80)
            cell->flags &= (uint8_t)~FLAG_ASCII;
    }
    cell->flags |= FLAG_OWN;
    cell->off = (uint32_t)doc->own_len;
    cell->len = (uint32_t)(out - from);
    if (cell->kind == CELL_KEY)
        cell->hash = (uint16_t)surety__hash(from, cell->len);
    doc->own_len += cell->len;
    return ptr + 1;
}

/* A string or key whose opening quote is at ptr; gives the byte behind it. */
static inline const char *read_string(struct reader *reader, const char *ptr,
                                      surety__cell *cell, uint8_t kind)
{
    const char *quote = ptr++;
    const char *start = ptr;

    cell->kind = kind;
    cell->flags = FLAG_ASCII;
    cell->hash = 0;
    cell->place = (uint32_t)(quote - reader->begin);
    for (;;) {
        ptr = scan_plain(ptr, reader->readable, reader->end);
        if (ptr == reader->end || (*ptr != '"' && *ptr != '\\')) {
            do {
                ptr = read_special(reader, ptr);
                if (!ptr)
                    return NULL;
            } while (ptr != reader->end && (unsigned char)*ptr >= 0x80);
            cell->flags = 0;
            continue;
        }
        if (*ptr == '"')
            break;
        ptr = read_decoded(reader, start, ptr, cell);
        if (!ptr)
            return NULL;
        goto length;
    }
    cell->off = (uint32_t)(start - reader->begin);
    cell->len = (uint32_t)(ptr - start);
    if (kind == CELL_KEY)
        cell->hash = (uint16_t)surety__hash(start, cell->len);
    ptr++;
length:
    if (kind == CELL_KEY && cell->len > reader->key_len_max)
        return read_refuse(reader, FAULT_KEY_LEN, quote, (size_t)(ptr - quote));
    if (kind != CELL_KEY && cell->len > reader->string_len_max)
        return read_refuse(reader, FAULT_STRING, quote, (size_t)(ptr - quote));
    return ptr;
}

/* A number that is no plain integer of at most 18 digits: ptr is somewhere
 * behind its first digit, at a digit, a dot or an e. */
static const char *read_decimal(struct reader *reader, const char *start,
                                const char *ptr, surety__cell *cell)
{
    const char *end = reader->end;
    bool broken = false; /* a fraction that is not zero, and no exponent */
    size_t len;

    while (ptr != end && scan_is_digit(*ptr))
        ptr++;
    if (ptr != end && *ptr == '.') {
        ptr++;
        if (ptr == end || !scan_is_digit(*ptr))
            return read_refuse(reader, FAULT_FRACTION, ptr, 0);
        while (ptr != end && scan_is_digit(*ptr))
            ptr++;
        broken = ptr[-1] != '0';
    }
    if (ptr != end && (*ptr == 'e' || *ptr == 'E')) {
        broken = false;
        ptr++;
        if (ptr != end && (*ptr == '+' || *ptr == '-'))
            ptr++;
        if (ptr == end || !scan_is_digit(*ptr))
            return read_refuse(reader, FAULT_EXPONENT, ptr, 0);
        while (ptr != end && scan_is_digit(*ptr))
            ptr++;
    }
    len = (size_t)(ptr - start);
    if (len > reader->number_len_max)
        return read_refuse(reader, FAULT_NUMBER, start, len);
    if (broken) {
        cell->kind = CELL_REAL;
        cell->flags = 0;
        cell->hash = 0;
        cell->len = (uint32_t)len;
    } else {
        surety__number_cell(cell, (surety_str){start, len});
    }
    if (cell->kind != CELL_INT)
        cell->off = (uint32_t)(start - reader->begin);
    return ptr;
}

/* A number that starts at ptr; gives the byte behind it. */
static inline const char *read_number(struct reader *reader, const char *ptr,
                                      surety__cell *cell)
{
    const char *start = ptr, *end = reader->end;
    const char *digits;
    uint64_t number = 0;

    cell->place = (uint32_t)(start - reader->begin);
    if (*ptr == '-')
        ptr++;
    digits = ptr;
    while (ptr != end && scan_is_digit(*ptr) && ptr - digits < 18)
        number = number * 10 + (uint64_t)(*ptr++ - '0');
    if (ptr == digits)
        return read_refuse(reader, FAULT_MINUS, ptr, 0);
    if (*digits == '0' && ptr - digits > 1)
        return read_refuse(reader, FAULT_ZERO, digits, 0);
    if (ptr != end &&
        (scan_is_digit(*ptr) || *ptr == '.' || (*ptr | 0x20) == 'e'))
        return read_decimal(reader, start, ptr, cell);
    if ((size_t)(ptr - start) > reader->number_len_max)
        return read_refuse(reader, FAULT_NUMBER, start, (size_t)(ptr - start));
    cell->kind = CELL_INT;
    cell->flags = 0;
    cell->hash = 0;
    cell->i = *start == '-' ? -(int64_t)number : (int64_t)number;
    return ptr;
}

/* One of the three names at ptr, or NULL without a mistake noted. */
static inline const char *read_keyword(struct reader *reader, const char *ptr,
                                       surety__cell *cell)
{
    size_t left = (size_t)(reader->end - ptr);

    *cell = (surety__cell){.place = (uint32_t)(ptr - reader->begin)};
    if (left >= 4 && memcmp(ptr, "true", 4) == 0) {
        cell->kind = CELL_TRUE;
        return ptr + 4;
    }
    if (left >= 4 && memcmp(ptr, "null", 4) == 0) {
        cell->kind = CELL_NULL;
        return ptr + 4;
    }
    if (left >= 5 && memcmp(ptr, "false", 5) == 0) {
        cell->kind = CELL_FALSE;
        return ptr + 5;
    }
    return NULL;
}

/* Opens the container whose bracket is at ptr. */
static inline const char *read_open(struct reader *reader, const char *ptr,
                                    uint8_t kind)
{
    surety__cell *cell = &reader->cells[reader->used - 1];

    if (reader->depth >= reader->doc->limits.depth_max)
        return read_refuse(reader, FAULT_DEPTH, ptr, 1);
    reader->depth++;
    if (reader->open != PLACE_NONE)
        reader->cells[reader->open].count = reader->count;
    *cell =
        (surety__cell){.kind = kind, .place = (uint32_t)(ptr - reader->begin)};
    cell->span = reader->open;
    reader->open = (uint32_t)(reader->used - 1);
    reader->count = 0;
    return ptr + 1;
}

/* Closes the innermost container; false where its keys may not be so. */
static inline bool read_close(struct reader *reader, const char *ptr)
{
    surety__cell *cell = &reader->cells[reader->open];
    uint32_t parent = cell->span;
    uint32_t later;

    cell->count = reader->count;
    cell->span = (uint32_t)(reader->used - reader->open);
    if (cell->kind == CELL_OBJECT && cell->count > 1) {
        if (surety__keys_mark(reader->doc, reader->open, &later)) {
            read_refuse(reader, FAULT_NOMEM, ptr, 0);
            return false;
        }
        if (later != PLACE_NONE && reader->unique) {
            const surety__cell *key = &reader->cells[later];

            read_refuse(reader, FAULT_DUPLICATE, reader->begin + key->place, 0);
            return false;
        }
    }
    reader->open = parent;
    reader->depth--;
    if (parent != PLACE_NONE)
        reader->count = reader->cells[parent].count + 1;
    return true;
}

/* The text's value, from ptr on; gives the byte behind it. */
static const char *read_values(struct reader *reader, const char *ptr)
{
    const char *const end = reader->end;
    enum read_fault place = FAULT_ROOT;
    surety__cell *cell;
    const char *next;

value:
    if (ptr == end)
        return read_refuse(reader, place, ptr, 0);
    cell = read_cell(reader, ptr);
    if (!cell)
        return NULL;
    switch (*ptr) {
    case '"':
        ptr = read_string(reader, ptr, cell, CELL_STRING);
        if (!ptr)
            return NULL;
        goto after;
    case '[':
        ptr = read_open(reader, ptr, CELL_ARRAY);
        if (!ptr)
            return NULL;
        ptr = read_space(ptr, end);
        if (ptr != end && *ptr == ']')
            goto close;
        place = FAULT_FIRST_ITEM;
        goto value;
    case '{':
        ptr = read_open(reader, ptr, CELL_OBJECT);
        if (!ptr)
            return NULL;
        ptr = read_space(ptr, end);
        if (ptr != end && *ptr == '}')
            goto close;
        place = FAULT_FIRST_KEY;
        goto key;
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        ptr = read_number(reader, ptr, cell);
        if (!ptr)
            return NULL;
        goto after;
    default:
        next = read_keyword(reader, ptr, cell);
        if (!next)
            return read_refuse(reader, place, ptr, 0);
        ptr = next;
        goto after;
    }
after:
    if (reader->open == PLACE_NONE)
        return ptr;
    reader->count++;
    goto next;
close:
    if (!read_close(reader, ptr))
        return NULL;
    ptr++;
    if (reader->open == PLACE_NONE)
        return ptr;
next:
    ptr = read_space(ptr, end);
    if (reader->cells[reader->open].kind == CELL_ARRAY) {
        if (ptr == end || (*ptr != ',' && *ptr != ']'))
            return read_refuse(reader, FAULT_AFTER_ITEM, ptr, 0);
        if (*ptr == ']')
            goto close;
        ptr = read_space(ptr + 1, end);
        place = FAULT_ITEM;
        goto value;
    }
    if (ptr == end || (*ptr != ',' && *ptr != '}'))
        return read_refuse(reader, FAULT_AFTER_MEMBER, ptr, 0);
    if (*ptr == '}')
        goto close;
    ptr = read_space(ptr + 1, end);
    place = FAULT_KEY;
key:
    if (ptr == end || *ptr != '"')
        return read_refuse(reader, place, ptr, 0);
    cell = read_cell(reader, ptr);
    if (!cell)
        return NULL;
    ptr = read_string(reader, ptr, cell, CELL_KEY);
    if (!ptr)
        return NULL;
    ptr = read_space(ptr, end);
    if (ptr == end || *ptr != ':')
        return read_refuse(reader, FAULT_COLON, ptr, 0);
    ptr = read_space(ptr + 1, end);
    place = FAULT_MEMBER;
    goto value;
}

/* The whole text: what may stand around its value, too. */
static bool read_text(struct reader *reader, unsigned flags)
{
    const char *ptr = reader->begin;
    surety_doc *doc = reader->doc;

    if (doc->text_len > doc->limits.text_bytes_max) {
        read_refuse(reader, FAULT_TEXT, ptr, 0);
        return false;
    }
    if (doc->text_len >= 3 && memcmp(ptr, "\xEF\xBB\xBF", 3) == 0) {
        if (!(flags & SURETY_READ_SKIP_BOM)) {
            read_refuse(reader, FAULT_BOM, ptr, 3);
            return false;
        }
        ptr += 3;
    }
    ptr = read_values(reader, read_space(ptr, reader->end));
    if (!ptr)
        return false;
    ptr = read_space(ptr, reader->end);
    if (ptr != reader->end) {
        read_refuse(reader, FAULT_SECOND, ptr, 0);
        return false;
    }
    doc->cell_count = reader->used;
    if (surety__keys_compact(doc)) {
        read_refuse(reader, FAULT_NOMEM, ptr, 0);
        return false;
    }
    return true;
}

/* Lets the doc have text: its own copy, followed by zeros, or the caller's
 * bytes. */
static bool read_take(surety_doc *doc, surety_str text, bool borrow)
{
    if (!borrow) {
        void *copy = doc->copy;
        surety_status status =
            surety__grow(doc->alloc, &copy, &doc->copy_cap, text.len + READ_PAD,
                         1, SIZE_MAX / 2);

        doc->copy = copy;
        if (status)
            return false;
        if (text.len)
            memmove(doc->copy, text.ptr, text.len);
        memset(doc->copy + text.len, 0, READ_PAD);
    }
    doc->text = borrow && text.len ? text.ptr : borrow ? "" : doc->copy;
    doc->text_len = text.len;
    return true;
}

surety_status surety_doc_read(surety_doc *doc, surety_str text,
                              const surety_read_options *options,
                              surety_error *reterr)
{
    unsigned flags = options ? options->flags : 0;
    bool borrow = flags & SURETY_READ_BORROW;
    struct reader reader = {.doc = doc, .open = PLACE_NONE};
    surety_status status;

    if (!doc || (!text.ptr && text.len))
        return surety__fail(reterr, SURETY_MISUSE,
                            "a document and a text are needed to read");
    doc->limits = surety_limits_of(options ? options->limits : NULL);
    surety__doc_clear(doc);
    /* A text that is too long is not worth a copy. */
    if (!read_take(doc, text, borrow || text.len > doc->limits.text_bytes_max))
        return surety__fail_nomem(reterr);
    reader.begin = doc->text;
    reader.end = doc->text + text.len;
    reader.readable = borrow ? reader.end : reader.end + READ_PAD;
    reader.cells = doc->cells;
    reader.room = doc->cell_cap < doc->limits.values_max
                      ? doc->cell_cap
                      : doc->limits.values_max;
    reader.unique = flags & SURETY_READ_UNIQUE_KEYS;
    reader.string_len_max = doc->limits.string_len_max;
    reader.key_len_max = doc->limits.key_len_max;
    reader.number_len_max = doc->limits.number_len_max < READ_NUMBER_MAX
                                ? doc->limits.number_len_max
                                : READ_NUMBER_MAX;
    if (read_text(&reader, flags))
        return SURETY_OK;
    doc->limits.number_len_max = reader.number_len_max;
    status = surety__read_explain((surety_str){doc->text, text.len},
                                  reader.mistake, &doc->limits, reterr);
    surety__doc_clear(doc);
    return status;
}
