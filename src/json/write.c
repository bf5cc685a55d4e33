/* SPDX-License-Identifier: Apache-2.0 */
/* Writes values as JSON: compact, pretty and canonical (RFC 8785).
 *
 * 1. One loop writes all three forms and walks the cells in text order. Only
 *    the canonical form jumps: it visits the members of each object in the
 *    order of their keys' UTF-16 code units. A vector holds these orders one
 *    after the other.
 * 2. The stack of open containers is a fixed array for up to WRITE_FLAT levels,
 *    then memory from the buffer's allocator. A failed allocation is a failure
 *    of the buffer.
 * 3. The text goes straight into the buffer's memory. Before each token there
 *    is room for it and WRITE_SLACK bytes, so that strings are copied in whole
 *    blocks.
 * 4. A buffer whose bound leaves no room for the slack gets its text through a
 *    spill, a second buffer that is appended at the end. So the bound is
 *    exact. */
#include "json/inside.h"

#include <math.h>

enum {
    WRITE_FLAT = 32,  /* open containers without an allocation */
    WRITE_BLOCK = 16, /* bytes of a string that are examined at once */
    WRITE_SLACK = 32, /* bytes for a block and the signs around a token */
    WRITE_PART = 512, /* bytes of a string that get room at once */
    WRITE_TOKEN = 12, /* bytes of a token, an estimate */
    WRITE_ESCAPE = 6  /* the most bytes that one byte becomes */
};

struct write_frame {
    uint32_t left;  /* values to write */
    uint32_t count; /* values in all */
    uint32_t after; /* the index of the cell after the container */
    bool object;
    size_t order; /* canonical: where the object's keys are in orders */
};

struct writer {
    const surety_doc *doc;
    surety_buf *out;
    surety_buf *into; /* out or the spill */
    char *to, *end;   /* the free room in it */
    surety_style style;
    surety_buf spill;
    struct write_frame flat[WRITE_FLAT];
    struct write_frame *frames; /* flat or deep */
    size_t depth;
    struct write_frame *deep;
    size_t deep_cap;
    uint32_t *orders;
    size_t order_count, order_cap;
};

/* ---- strings ----------------------------------------------------------- */

/* Writes the escape of a control character, quote or backslash (RFC 8785,
 * section 3.2.2.2). Returns its length, at most WRITE_ESCAPE bytes. */
static unsigned write_escape(char *to, unsigned char byte)
{
    static const char hex[] = "0123456789abcdef";

    to[0] = '\\';
    switch (byte) {
    case '"':
    case '\\': to[1] = (char)byte; break;
    case '\b': to[1] = 'b'; break;
    case '\f': to[1] = 'f'; break;
    case '\n': to[1] = 'n'; break;
    case '\r': to[1] = 'r'; break;
    case '\t': to[1] = 't'; break;
    default:
        memcpy(to + 1, "u00", 3);
        to[4] = hex[byte >> 4];
        to[5] = hex[byte & 15];
        return 6;
    }
    return 2;
}

/* Returns a mask of the WRITE_BLOCK bytes at ptr that need an escape; the first
 * byte is the lowest bit. */
static inline unsigned write_special(const char *ptr)
{
#ifdef __SSE2__
    const __m128i block = _mm_loadu_si128((const __m128i *)(const void *)ptr);
    const __m128i control = _mm_set1_epi8(0x1F);
    const __m128i special =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')),
                                  _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'))),
                     _mm_cmpeq_epi8(_mm_min_epu8(block, control), block));

    return (unsigned)_mm_movemask_epi8(special);
#else
    unsigned mask = 0;

    for (unsigned i = 0; i < WRITE_BLOCK; i++)
        mask |= (unsigned)((unsigned char)ptr[i] < 0x20 || ptr[i] == '"' ||
                           ptr[i] == '\\')
                << i;
    return mask;
#endif
}

/* The same, and bytes above 0x7F. */
static inline unsigned write_unplain(const char *ptr)
{
    unsigned mask = write_special(ptr);

#ifdef __SSE2__
    mask |= (unsigned)_mm_movemask_epi8(
        _mm_loadu_si128((const __m128i *)(const void *)ptr));
#else
    for (unsigned i = 0; i < WRITE_BLOCK; i++)
        mask |= (unsigned)((unsigned char)ptr[i] >> 7) << i;
#endif
    return mask;
}

/* Writes the byte at ptr that needs an escape, or the code point above 0x7F
 * that starts there; an invalid sequence becomes U+FFFD. Returns the number of
 * bytes read. */
static inline unsigned write_odd(char **to, const char *ptr, const char *end)
{
    unsigned len = 1;

    if ((unsigned char)*ptr < 0x80) {
        *to += write_escape(*to, (unsigned char)*ptr);
        return 1;
    }
    len = scan_sequence(ptr, end);
    if (len) {
        for (unsigned i = 0; i < len; i++)
            *(*to)++ = ptr[i];
        return len;
    }
    (void)surety__utf8_decode(ptr, end, &len);
    memcpy(*to, "\xEF\xBF\xBD", 3);
    *to += 3;
    return len;
}

/* Writes the text from ptr to stop or a little further; there is room. Returns
 * where it ended. */
static const char *write_any(char **ret_to, const char *ptr, const char *stop,
                             const char *end)
{
    char *to = *ret_to;

    while (ptr < stop) {
        if (end - ptr >= WRITE_BLOCK) {
            const unsigned mask = write_unplain(ptr);

            memcpy(to, ptr, WRITE_BLOCK);
            to += mask ? __builtin_ctz(mask) : WRITE_BLOCK;
            ptr += mask ? __builtin_ctz(mask) : WRITE_BLOCK;
            if (!mask)
                continue;
        } else if ((unsigned char)*ptr >= 0x20 && (unsigned char)*ptr < 0x80 &&
                   *ptr != '"' && *ptr != '\\') {
            *to++ = *ptr++;
            continue;
        }
        do
            ptr += write_odd(&to, ptr, end);
        while (ptr < stop && (unsigned char)*ptr >= 0x80);
    }
    *ret_to = to;
    return ptr;
}

/* The same near the buffer's bound: byte by byte, so that the buffer gets all
 * bytes that fit. */
static void write_near(surety_buf *out, const char *ptr, const char *end)
{
    while (ptr != end) {
        char bytes[WRITE_ESCAPE];
        char *to = bytes;

        if ((unsigned char)*ptr >= 0x20 && (unsigned char)*ptr < 0x80 &&
            *ptr != '"' && *ptr != '\\')
            *to++ = *ptr++;
        else
            ptr += write_odd(&to, ptr, end);
        surety_buf_append(out, bytes, (size_t)(to - bytes));
    }
}

/* Writes a string that may have any bytes. */
void surety_json_string(surety_buf *out, surety_str text)
{
    const char *const start = text.len ? text.ptr : "";
    const char *const end = start + text.len;
    const char *ptr = start;

    do {
        const size_t left = (size_t)(end - ptr);
        const size_t len = left < WRITE_PART ? left : WRITE_PART;
        const size_t need = WRITE_ESCAPE * len + WRITE_SLACK;
        char *to;

        if (need > out->max || out->len > out->max - need) {
            surety_buf_append(out, "\"", ptr == start);
            write_near(out, ptr, end);
            surety_buf_byte(out, '"');
            return;
        }
        to = surety__buf_room(out, need);
        if (!to)
            return;
        if (ptr == start)
            *to++ = '"';
        ptr = write_any(&to, ptr, ptr + len, end);
        if (ptr == end)
            *to++ = '"';
        out->len = (size_t)(to - out->ptr);
    } while (ptr != end);
}

/* ---- the order of keys ------------------------------------------------- */

/* Compares two keys by UTF-16 code units (RFC 8785, section 3.2.3). That is the
 * order of the bytes, except for code points above U+FFFF: in UTF-16 their
 * surrogates come before U+E000 to U+FFFF. */
static int write_compare(const surety_doc *doc, uint32_t a, uint32_t b)
{
    surety_str left = surety__cell_str(doc, &doc->cells[a]);
    surety_str right = surety__cell_str(doc, &doc->cells[b]);
    size_t len = left.len < right.len ? left.len : right.len;
    size_t i = 0;
    unsigned char one, two;

    while (i < len && left.ptr[i] == right.ptr[i])
        i++;
    if (i == len)
        return left.len < right.len ? -1 : left.len > right.len;
    one = (unsigned char)left.ptr[i];
    two = (unsigned char)right.ptr[i];
    /* Lead bytes 0xEE and 0xEF begin U+E000 to U+FFFF; 0xF0 and above begin the
     * code points above U+FFFF. */
    if (one >= 0xEE && two >= 0xEE && (one >= 0xF0) != (two >= 0xF0))
        return one >= 0xF0 ? -1 : 1;
    return one < two ? -1 : 1;
}

/* Appends the sorted keys of the object to the orders. */
static bool write_order(struct writer *writer, const surety__cell *object)
{
    const surety_doc *doc = writer->doc;
    const surety__cell *key = object + 1;
    surety_status status;
    uint32_t *keys;

    status =
        surety__grow(writer->out->alloc, &writer->orders, &writer->order_cap,
                     writer->order_count + 2 * (size_t)object->count,
                     sizeof(*writer->orders), SIZE_MAX / 8);
    if (status) {
        writer->out->status = status;
        return false;
    }
    keys = writer->orders + writer->order_count;
    for (uint32_t i = 0; i < object->count; i++) {
        keys[i] = (uint32_t)(key - doc->cells);
        key = surety__cell_after(key + 1);
    }
    surety__keys_sort(doc, keys, keys + object->count, object->count,
                      write_compare);
    writer->order_count += object->count;
    return true;
}

/* ---- room -------------------------------------------------------------- */

/* Makes room for n more bytes. Returns false when out has failed. */
static bool write_grow(struct writer *writer, size_t n)
{
    surety_buf *out = writer->out;
    surety_buf *into = writer->into;
    char *room;

    if (writer->to)
        into->len = (size_t)(writer->to - into->ptr);
    if (into == &writer->spill && into->len > out->max - out->len) {
        out->status = SURETY_LIMIT;
        return false;
    }
    if (into == out && out->status == SURETY_OK &&
        n > out->max - (out->len < out->max ? out->len : out->max)) {
        surety_buf_init(&writer->spill, out->alloc, 0);
        into = writer->into = &writer->spill;
    }
    room = surety__buf_room(into, n);
    if (!room) {
        out->status = into->status;
        return false;
    }
    writer->to = room;
    writer->end = into->ptr + (into->cap < into->max ? into->cap : into->max);
    return true;
}

static inline bool write_room(struct writer *writer, size_t n)
{
    return (size_t)(writer->end - writer->to) >= n || write_grow(writer, n);
}

/* Makes room for the whole value at once, by an estimate: a value that was read
 * is seldom longer than its text. */
static bool write_begin(struct writer *writer, surety_val val)
{
    const surety_doc *doc = val.doc;
    const surety__cell *cell = surety__cell_of(val);
    const size_t cells = cell->kind >= CELL_ARRAY ? cell->span : 1;
    const size_t guess =
        val.index == 0 && doc->text_len ? doc->text_len : cells * WRITE_TOKEN;
    surety_buf *out = writer->out;

    if (out->status)
        return false;
    return write_grow(writer, out->len < out->max &&
                                      guess < out->max - out->len - WRITE_SLACK
                                  ? guess + WRITE_SLACK
                                  : WRITE_SLACK);
}

/* Passes the written bytes to the buffer. */
static void write_end(struct writer *writer)
{
    surety_buf *out = writer->out;

    if (writer->to)
        writer->into->len = (size_t)(writer->to - writer->into->ptr);
    if (writer->into == out)
        return;
    surety_buf_add(out, surety_buf_str(&writer->spill));
    surety_buf_done(&writer->spill);
}

/* ---- tokens ------------------------------------------------------------ */

/* Writes a string of a doc, which is valid UTF-8, with its quotes. Leaves
 * `more` bytes of room after it. Bytes before readable may be loaded. */
static bool write_string(struct writer *writer, surety_str text,
                         const char *readable, size_t more)
{
    const char *ptr = text.ptr;
    const char *end = ptr + text.len;
    char *to;

    if (!write_room(writer, text.len + more + WRITE_SLACK))
        return false;
    to = writer->to;
    *to++ = '"';
    for (; end - ptr >= WRITE_BLOCK; ptr += WRITE_BLOCK, to += WRITE_BLOCK) {
        if (write_special(ptr))
            goto rest;
        memcpy(to, ptr, WRITE_BLOCK);
    }
    if (ptr == end) {
        *to++ = '"';
        writer->to = to;
        return true;
    }
    if (readable - ptr >= WRITE_BLOCK &&
        !(write_special(ptr) & ((1u << (end - ptr)) - 1))) {
        memcpy(to, ptr, WRITE_BLOCK);
        to += end - ptr;
        *to++ = '"';
        writer->to = to;
        return true;
    }
rest:
    writer->to = to;
    if (!write_room(writer,
                    WRITE_ESCAPE * (size_t)(end - ptr) + more + WRITE_SLACK))
        return false;
    to = writer->to;
    while (ptr != end) {
        const bool block = end - ptr >= WRITE_BLOCK;
        const unsigned mask = block ? write_special(ptr) : 0;
        const unsigned len = mask ? (unsigned)__builtin_ctz(mask) : WRITE_BLOCK;

        if (block) {
            memcpy(to, ptr, WRITE_BLOCK);
            to += len;
            ptr += len;
            if (!mask)
                continue;
        }
        if ((unsigned char)*ptr < 0x20 || *ptr == '"' || *ptr == '\\')
            to += write_escape(to, (unsigned char)*ptr++);
        else
            *to++ = *ptr++;
    }
    *to++ = '"';
    writer->to = to;
    return true;
}

/* Writes the string or key of a cell. */
static inline bool write_text(struct writer *writer, const surety__cell *cell,
                              size_t more)
{
    const surety_doc *doc = writer->doc;
    const bool own = cell->flags & FLAG_OWN;

    return write_string(
        writer, surety__cell_str(doc, cell),
        own ? doc->own + doc->own_len : doc->text + doc->text_len, more);
}

static surety_status write_number(struct writer *writer,
                                  const surety__cell *cell)
{
    surety_str text = surety__cell_number(writer->doc, cell);
    double value;

    if (!write_room(writer, text.len + 2 * WRITE_SLACK))
        return SURETY_OK;
    if (writer->style != SURETY_STYLE_CANONICAL) {
        memcpy(writer->to, text.ptr, text.len);
        writer->to += text.len;
        return SURETY_OK;
    }
    value = surety__number_real(text);
    if (!isfinite(value))
        return SURETY_UNSUPPORTED;
    writer->to += surety__number_write(value, writer->to);
    return SURETY_OK;
}

/* ---- the loop ---------------------------------------------------------- */

/* Writes a line end and the indentation of the open containers. */
static bool write_indent(struct writer *writer)
{
    const size_t len = 2 * writer->depth;

    if (writer->style != SURETY_STYLE_PRETTY)
        return true;
    if (!write_room(writer, 1 + len + WRITE_SLACK))
        return false;
    *writer->to++ = '\n';
    memset(writer->to, ' ', len);
    writer->to += len;
    return true;
}

/* Opens the container at cell, which is not empty; there is room. */
static bool write_open(struct writer *writer, const surety__cell *cell)
{
    const uint32_t index = (uint32_t)(cell - writer->doc->cells);
    struct write_frame *frame;

    if (writer->depth >= WRITE_FLAT) {
        surety_status status =
            surety__grow(writer->out->alloc, &writer->deep, &writer->deep_cap,
                         writer->depth + 1, sizeof(*frame), SIZE_MAX / 64);

        if (status) {
            writer->out->status = status;
            return false;
        }
        if (writer->frames == writer->flat)
            memcpy(writer->deep, writer->flat, sizeof(writer->flat));
        writer->frames = writer->deep;
    }
    frame = &writer->frames[writer->depth++];
    *frame = (struct write_frame){.left = cell->count,
                                  .count = cell->count,
                                  .after = index + cell->span,
                                  .object = cell->kind == CELL_OBJECT,
                                  .order = writer->order_count};
    *writer->to++ = frame->object ? '{' : '[';
    return writer->style != SURETY_STYLE_CANONICAL || !frame->object ||
           write_order(writer, cell);
}

/* Writes a scalar, or opens a container. Returns the next cell, or NULL on
 * failure: then *ret_status or out's status has the reason. */
static const surety__cell *write_value(struct writer *writer,
                                       const surety__cell *cell,
                                       surety_status *ret_status)
{
    bool good = true;

    if (cell->kind == CELL_STRING || cell->kind == CELL_KEY)
        return write_text(writer, cell, 0) ? cell + 1 : NULL;
    if (!write_room(writer, WRITE_SLACK))
        return NULL;
    switch (cell->kind) {
    case CELL_NULL:
        memcpy(writer->to, "null", 4);
        writer->to += 4;
        break;
    case CELL_FALSE:
        memcpy(writer->to, "false", 5);
        writer->to += 5;
        break;
    case CELL_TRUE:
        memcpy(writer->to, "true", 4);
        writer->to += 4;
        break;
    case CELL_INT:
    case CELL_WHOLE:
    case CELL_REAL:
        *ret_status = write_number(writer, cell);
        good = *ret_status == SURETY_OK && !writer->out->status;
        break;
    default:
        if (cell->count) {
            good = write_open(writer, cell);
            break;
        }
        memcpy(writer->to, cell->kind == CELL_OBJECT ? "{}" : "[]", 2);
        writer->to += 2;
    }
    return good ? cell + 1 : NULL;
}

/* Writes what precedes the next value of the innermost container: comma,
 * indentation and key. There is room for the comma. cell: the next cell in text
 * order. Returns the cell of the value. */
static const surety__cell *write_item(struct writer *writer,
                                      struct write_frame *frame,
                                      const surety__cell *cell)
{
    const size_t done = frame->count - frame->left--;

    assert(done < frame->count);
    if (done)
        *writer->to++ = ',';
    if (!write_indent(writer))
        return NULL;
    if (!frame->object)
        return cell;
    if (writer->style == SURETY_STYLE_CANONICAL)
        cell = &writer->doc->cells[writer->orders[frame->order + done]];
    if (!write_text(writer, cell, 2))
        return NULL;
    *writer->to++ = ':';
    if (writer->style == SURETY_STYLE_PRETTY)
        *writer->to++ = ' ';
    return cell + 1;
}

/* Closes the innermost container. Returns the cell after it. */
static const surety__cell *write_close(struct writer *writer)
{
    const struct write_frame *frame = &writer->frames[--writer->depth];

    assert(frame->left == 0 && frame->order <= writer->order_count);
    writer->order_count = frame->order;
    if (!write_indent(writer) || !write_room(writer, WRITE_SLACK))
        return NULL;
    *writer->to++ = frame->object ? '}' : ']';
    return &writer->doc->cells[frame->after];
}

surety_status surety_val_write(surety_val val, surety_style style,
                               surety_buf *out)
{
    struct writer writer;
    const size_t start = out->len;
    const surety__cell *cell;
    surety_status status = SURETY_OK;

    if (!val.doc || val.index >= val.doc->cell_count)
        return SURETY_MISUSE;
    writer.doc = val.doc;
    writer.out = writer.into = out;
    writer.to = writer.end = NULL;
    writer.style = style;
    writer.frames = writer.flat;
    writer.depth = 0;
    writer.deep = NULL;
    writer.orders = NULL;
    writer.deep_cap = writer.order_count = writer.order_cap = 0;
    cell = surety__cell_of(val);
    if (!write_begin(&writer, val))
        cell = NULL;
    else
        cell = write_value(&writer, cell, &status);
    while (cell && writer.depth) {
        struct write_frame *frame = &writer.frames[writer.depth - 1];

        if (!frame->left) {
            cell = write_close(&writer);
            continue;
        }
        cell = write_item(&writer, frame, cell);
        if (cell)
            cell = write_value(&writer, cell, &status);
    }
    write_end(&writer);
    surety__free(out->alloc, writer.deep,
                 writer.deep_cap * sizeof(*writer.deep));
    surety__free(out->alloc, writer.orders,
                 writer.order_cap * sizeof(*writer.orders));
    if (status)
        out->len = start;
    return status ? status : out->status;
}
