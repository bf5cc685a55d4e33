/* SPDX-License-Identifier: Apache-2.0 */
/* Writing values as JSON: compact, pretty and canonical (RFC 8785).
 *
 * One loop for all three. The stack of open containers stands in a fixed block
 * as long as the value is flat enough, then in memory from the buffer's
 * allocator. The canonical form also needs the members of each open object in
 * the order of their keys' UTF-16 code units; these orders lie one behind the
 * other in a second vector. A failed allocation is the buffer's failure. */
#include "json/inside.h"

#include <math.h>

enum { WRITE_FLAT = 32 }; /* containers that are open without allocating */

struct write_frame {
    uint32_t container;
    uint32_t left; /* values to come */
    uint32_t next; /* the cell of the next one, a key in an object */
    size_t order;  /* where the object's keys stand in the orders; canonical */
};

struct writer {
    const surety_doc *doc;
    surety_buf *out;
    surety_style style;
    struct write_frame flat[WRITE_FLAT];
    struct write_frame *frames; /* flat, or deep */
    size_t depth;
    struct write_frame *deep;
    size_t deep_cap;
    uint32_t *orders;
    size_t order_count, order_cap;
};

/* ---- strings ----------------------------------------------------------- */

/* Appends the control character, quote or backslash byte as an escape
 * (RFC 8785, section 3.2.2.2). */
static void write_escape(surety_buf *out, unsigned char byte)
{
    static const char hex[] = "0123456789abcdef";
    char escape[6] = {'\\', 'u', '0', '0', 0, 0};

    switch (byte) {
    case '"':
    case '\\': escape[1] = (char)byte; break;
    case '\b': escape[1] = 'b'; break;
    case '\f': escape[1] = 'f'; break;
    case '\n': escape[1] = 'n'; break;
    case '\r': escape[1] = 'r'; break;
    case '\t': escape[1] = 't'; break;
    default:
        escape[4] = hex[byte >> 4];
        escape[5] = hex[byte & 15];
        surety_buf_append(out, escape, 6);
        return;
    }
    surety_buf_append(out, escape, 2);
}

/* A string that may hold anything. */
void surety_json_string(surety_buf *out, surety_str text)
{
    const char *end = text.len ? text.ptr + text.len : NULL;
    const char *run = text.len ? text.ptr : NULL;
    const char *ptr = run;

    surety_buf_byte(out, '"');
    while (ptr != end) {
        unsigned len;

        ptr = scan_plain(ptr, end, end);
        if (ptr == end)
            break;
        len = (unsigned char)*ptr >= 0x80 ? scan_sequence(ptr, end) : 0;
        if (len) {
            ptr += len;
            continue;
        }
        surety_buf_append(out, run, (size_t)(ptr - run));
        if ((unsigned char)*ptr >= 0x80) {
            surety__utf8_decode(ptr, end, &len);
            surety_buf_text(out, "\xEF\xBF\xBD");
            ptr += len;
        } else {
            write_escape(out, (unsigned char)*ptr++);
        }
        run = ptr;
    }
    if (ptr != run)
        surety_buf_append(out, run, (size_t)(ptr - run));
    surety_buf_byte(out, '"');
}

/* ---- the order of keys ------------------------------------------------- */

/* Compares by UTF-16 code units (RFC 8785, section 3.2.3). That is the order of
 * the bytes, but for the code points above U+FFFF: in UTF-16 their surrogates
 * stand before U+E000 to U+FFFF. */
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
    /* Lead bytes 0xEE and 0xEF are U+E000 to U+FFFF, 0xF0 and up are above. */
    if (one >= 0xEE && two >= 0xEE && (one >= 0xF0) != (two >= 0xF0))
        return one >= 0xF0 ? -1 : 1;
    return one < two ? -1 : 1;
}

/* Sorts count keys by merging runs of 1, 2, 4, ..., with as much scratch. */
static void write_sort(const surety_doc *doc, uint32_t *keys, uint32_t *scratch,
                       size_t count)
{
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t start = 0; start < count; start += 2 * width) {
            size_t middle = count - start > width ? start + width : count;
            size_t end = count - middle > width ? middle + width : count;
            size_t left = start, right = middle;

            for (size_t i = start; i < end; i++)
                scratch[i] = right == end || (left < middle &&
                                              write_compare(doc, keys[left],
                                                            keys[right]) < 0)
                                 ? keys[left++]
                                 : keys[right++];
        }
        memcpy(keys, scratch, count * sizeof(*keys));
    }
}

/* Puts the object's keys in order behind the orders that stand there. */
static bool write_order(struct writer *writer, const surety__cell *object)
{
    const surety_doc *doc = writer->doc;
    const surety__cell *key = object + 1;
    void *orders = writer->orders;
    surety_status status;
    uint32_t *keys;

    status = surety__grow(writer->out->alloc, &orders, &writer->order_cap,
                          writer->order_count + 2 * (size_t)object->count,
                          sizeof(*writer->orders), SIZE_MAX / 8);
    writer->orders = orders;
    if (status) {
        writer->out->status = status;
        return false;
    }
    keys = writer->orders + writer->order_count;
    for (uint32_t i = 0; i < object->count; i++) {
        keys[i] = (uint32_t)(key - doc->cells);
        key = surety__cell_after(key + 1);
    }
    write_sort(doc, keys, keys + object->count, object->count);
    writer->order_count += object->count;
    return true;
}

/* ---- the loop ---------------------------------------------------------- */

static void write_indent(struct writer *writer)
{
    if (writer->style != SURETY_STYLE_PRETTY)
        return;
    surety_buf_byte(writer->out, '\n');
    for (size_t i = 0; i < writer->depth; i++)
        surety_buf_append(writer->out, "  ", 2);
}

/* Opens the container at cell, which has values. */
static bool write_open(struct writer *writer, const surety__cell *cell)
{
    struct write_frame *frame;

    if (writer->depth >= WRITE_FLAT) {
        void *deep = writer->deep;
        surety_status status =
            surety__grow(writer->out->alloc, &deep, &writer->deep_cap,
                         writer->depth + 1, sizeof(*frame), SIZE_MAX / 64);

        writer->deep = deep;
        if (status) {
            writer->out->status = status;
            return false;
        }
        if (writer->frames == writer->flat)
            memcpy(writer->deep, writer->flat, sizeof(writer->flat));
        writer->frames = writer->deep;
    }
    frame = &writer->frames[writer->depth++];
    frame->container = (uint32_t)(cell - writer->doc->cells);
    frame->left = cell->count;
    frame->next = frame->container + 1;
    frame->order = writer->order_count;
    surety_buf_byte(writer->out, cell->kind == CELL_OBJECT ? '{' : '[');
    return writer->style != SURETY_STYLE_CANONICAL ||
           cell->kind == CELL_ARRAY || write_order(writer, cell);
}

static surety_status write_number(struct writer *writer,
                                  const surety__cell *cell)
{
    surety_str text = surety__cell_number(writer->doc, cell);
    char digits[32];
    double value;

    if (writer->style != SURETY_STYLE_CANONICAL) {
        surety_buf_add(writer->out, text);
        return SURETY_OK;
    }
    value = surety__number_real(text);
    if (!isfinite(value))
        return SURETY_UNSUPPORTED;
    surety_buf_append(writer->out, digits, surety__number_write(value, digits));
    return SURETY_OK;
}

/* Writes a value whole, or opens it. */
static surety_status write_value(struct writer *writer,
                                 const surety__cell *cell)
{
    surety_buf *out = writer->out;

    switch (cell->kind) {
    case CELL_NULL: surety_buf_append(out, "null", 4); break;
    case CELL_FALSE: surety_buf_append(out, "false", 5); break;
    case CELL_TRUE: surety_buf_append(out, "true", 4); break;
    case CELL_INT:
    case CELL_WHOLE:
    case CELL_REAL: return write_number(writer, cell);
    case CELL_STRING:
    case CELL_KEY:
        surety_json_string(out, surety__cell_str(writer->doc, cell));
        break;
    default:
        if (cell->count == 0)
            surety_buf_append(out, cell->kind == CELL_OBJECT ? "{}" : "[]", 2);
        else
            write_open(writer, cell);
    }
    return SURETY_OK;
}

/* The next value of the innermost container, its comma, indent and key
 * written. */
static const surety__cell *write_next(struct writer *writer,
                                      struct write_frame *frame)
{
    const surety__cell *container = &writer->doc->cells[frame->container];
    const surety__cell *cell;
    uint32_t index = frame->next;

    if (frame->left < container->count)
        surety_buf_byte(writer->out, ',');
    write_indent(writer);
    if (container->kind == CELL_OBJECT) {
        if (writer->style == SURETY_STYLE_CANONICAL)
            index =
                writer->orders[frame->order + container->count - frame->left];
        surety_json_string(
            writer->out,
            surety__cell_str(writer->doc, &writer->doc->cells[index]));
        surety_buf_byte(writer->out, ':');
        if (writer->style == SURETY_STYLE_PRETTY)
            surety_buf_byte(writer->out, ' ');
        index++;
    }
    cell = &writer->doc->cells[index];
    frame->next = (uint32_t)(surety__cell_after(cell) - writer->doc->cells);
    frame->left--;
    return cell;
}

surety_status surety_val_write(surety_val val, surety_style style,
                               surety_buf *out)
{
    struct writer writer = {.doc = val.doc, .out = out, .style = style};
    size_t start = out->len;
    surety_status status = SURETY_OK;

    if (!val.doc || val.index >= val.doc->cell_count)
        return SURETY_MISUSE;
    writer.frames = writer.flat;
    status = write_value(&writer, surety__cell_of(val));
    while (status == SURETY_OK && out->status == SURETY_OK && writer.depth) {
        struct write_frame *frame = &writer.frames[writer.depth - 1];
        uint8_t kind = writer.doc->cells[frame->container].kind;

        if (frame->left) {
            status = write_value(&writer, write_next(&writer, frame));
            continue;
        }
        writer.order_count = frame->order;
        writer.depth--;
        write_indent(&writer);
        surety_buf_byte(out, kind == CELL_OBJECT ? '}' : ']');
    }
    surety__free(out->alloc, writer.deep,
                 writer.deep_cap * sizeof(*writer.deep));
    surety__free(out->alloc, writer.orders,
                 writer.order_cap * sizeof(*writer.orders));
    if (status)
        out->len = start;
    return status ? status : out->status;
}
