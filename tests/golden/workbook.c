/* SPDX-License-Identifier: Apache-2.0 */
/* A workbook read back: a ZIP archive (APPNOTE) whose members are deflated (RFC
 * 1951) and hold XML (ECMA-376). It is no library: it reads what a writer of
 * workbooks makes, by the tags and attributes that matter, and says so where
 * something is not there. */
#include "golden/workbook.h"

#include <stdio.h>
#include <string.h>

/* ---- deflated bytes (RFC 1951) ------------------------------------------- */

enum { CODE_BITS_MAX = 15, SYMBOLS_MAX = 288 };
enum { CELLS_MANY = 10000, CELLS_SHOWN = 16 };

struct inflate {
    surety_str in;
    size_t at;
    uint32_t held; /* bits that were read and not taken */
    unsigned held_count;
    surety_buf *out;
    bool is_bad;
};

/* A prefix code: how many of each length, and what they stand for in order. */
struct code {
    unsigned counts[CODE_BITS_MAX + 1];
    unsigned symbols[SYMBOLS_MAX];
};

static unsigned take_bits(struct inflate *z, unsigned count)
{
    unsigned taken;

    while (z->held_count < count) {
        if (z->at >= z->in.len) {
            z->is_bad = true;
            return 0;
        }
        z->held |= (uint32_t)(unsigned char)z->in.ptr[z->at++] << z->held_count;
        z->held_count += 8;
    }
    taken = z->held & ((1u << count) - 1);
    z->held >>= count;
    z->held_count -= count;
    return taken;
}

static void code_make(struct code *code, const unsigned *lengths,
                      unsigned count)
{
    unsigned starts[CODE_BITS_MAX + 2] = {0};

    memset(code, 0, sizeof(*code));
    for (unsigned i = 0; i < count; i++)
        code->counts[lengths[i]]++;
    code->counts[0] = 0;
    for (unsigned len = 1; len <= CODE_BITS_MAX; len++)
        starts[len + 1] = starts[len] + code->counts[len];
    for (unsigned i = 0; i < count; i++)
        if (lengths[i] > 0)
            code->symbols[starts[lengths[i]]++] = i;
}

static unsigned code_take(struct inflate *z, const struct code *code)
{
    unsigned value = 0, first = 0, index = 0;

    for (unsigned len = 1; len <= CODE_BITS_MAX && !z->is_bad; len++) {
        value = value << 1 | take_bits(z, 1);
        first <<= 1;
        if (value < first + code->counts[len])
            return code->symbols[index + value - first];
        index += code->counts[len];
        first += code->counts[len];
    }
    z->is_bad = true;
    return 256;
}

/* Appends what stands `distance` bytes before the end. */
static void copy_back(struct inflate *z, unsigned length, size_t distance)
{
    if (distance > z->out->len)
        z->is_bad = true;
    for (unsigned i = 0; i < length && !z->is_bad; i++)
        surety_buf_byte(z->out, z->out->ptr[z->out->len - distance]);
}

/* The data of a block, up to its end. */
static void take_symbols(struct inflate *z, const struct code *literals,
                         const struct code *distances)
{
    static const unsigned lengths[] = {
        3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
        31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const unsigned far[] = {
        1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
        33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
        1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};

    while (!z->is_bad) {
        unsigned symbol = code_take(z, literals);
        unsigned length, extra;
        if (symbol == 256)
            return;
        if (symbol < 256) {
            surety_buf_byte(z->out, (char)symbol);
            continue;
        }
        symbol -= 257;
        if (symbol >= sizeof(lengths) / sizeof(*lengths))
            break;
        extra = symbol < 8 || symbol == 28 ? 0 : symbol / 4 - 1;
        length = lengths[symbol] + take_bits(z, extra);
        symbol = code_take(z, distances);
        if (symbol >= sizeof(far) / sizeof(*far))
            break;
        extra = symbol < 4 ? 0 : symbol / 2 - 1;
        copy_back(z, length, far[symbol] + take_bits(z, extra));
    }
    z->is_bad = true;
}

static void take_fixed(struct inflate *z)
{
    unsigned lengths[SYMBOLS_MAX];
    struct code literals, distances;

    for (unsigned i = 0; i < SYMBOLS_MAX; i++)
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    code_make(&literals, lengths, SYMBOLS_MAX);
    for (unsigned i = 0; i < 30; i++)
        lengths[i] = 5;
    code_make(&distances, lengths, 30);
    take_symbols(z, &literals, &distances);
}

static void take_dynamic(struct inflate *z)
{
    static const unsigned char order[] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                          11, 4,  12, 3, 13, 2, 14, 1, 15};
    unsigned lengths[SYMBOLS_MAX + 32] = {0};
    const unsigned literals_count = take_bits(z, 5) + 257;
    const unsigned distances_count = take_bits(z, 5) + 1;
    const unsigned all = literals_count + distances_count;
    const unsigned count = take_bits(z, 4) + 4;
    struct code literals, distances;

    for (unsigned i = 0; i < count; i++)
        lengths[order[i]] = take_bits(z, 3);
    code_make(&literals, lengths, 19);
    memset(lengths, 0, sizeof(lengths));
    for (unsigned i = 0; i < all && !z->is_bad;) {
        const unsigned symbol = code_take(z, &literals);
        unsigned value = symbol, repeats = 1;
        if (symbol > 15) {
            value = symbol == 16 && i > 0 ? lengths[i - 1] : 0;
            repeats = symbol == 16   ? 3 + take_bits(z, 2)
                      : symbol == 17 ? 3 + take_bits(z, 3)
                                     : 11 + take_bits(z, 7);
        }
        for (; repeats > 0 && i < all; repeats--)
            lengths[i++] = value;
    }
    code_make(&literals, lengths, literals_count);
    code_make(&distances, lengths + literals_count, distances_count);
    take_symbols(z, &literals, &distances);
}

static bool inflate(surety_str in, surety_buf *out)
{
    struct inflate z = {.in = in, .out = out};
    bool is_last = false;

    while (!is_last && !z.is_bad) {
        unsigned kind;
        is_last = take_bits(&z, 1);
        kind = take_bits(&z, 2);
        if (kind == 1)
            take_fixed(&z);
        else if (kind == 2)
            take_dynamic(&z);
        else
            z.is_bad = true; /* no writer of XML stores a block as it is */
    }
    return !z.is_bad;
}

/* ---- members of the archive ---------------------------------------------- */

static size_t number_at(surety_str bytes, size_t at, unsigned count)
{
    size_t number = 0;

    for (unsigned i = 0; i < count && at + i < bytes.len; i++)
        number |= (size_t)(unsigned char)bytes.ptr[at + i] << (8 * i);
    return number;
}

/* The text of a member in out; false: there is none of that name. */
static bool member(surety_str zip, const char *name, surety_buf *out)
{
    const size_t name_len = strlen(name);
    size_t at = zip.len < 22 ? 0 : zip.len - 22;

    surety_buf_reset(out);
    while (at > 0 && memcmp(zip.ptr + at, "PK\5\6", 4) != 0)
        at--;
    at = number_at(zip, at + 16, 4);
    while (at + 46 < zip.len && memcmp(zip.ptr + at, "PK\1\2", 4) == 0) {
        const size_t len = number_at(zip, at + 28, 2);
        if (len == name_len && memcmp(zip.ptr + at + 46, name, len) == 0) {
            const size_t local = number_at(zip, at + 42, 4);
            const size_t data = local + 30 + number_at(zip, local + 26, 2) +
                                number_at(zip, local + 28, 2);
            const size_t size = number_at(zip, at + 20, 4);
            return number_at(zip, at + 10, 2) == 8 && data + size < zip.len &&
                   inflate((surety_str){zip.ptr + data, size}, out);
        }
        at +=
            46 + len + number_at(zip, at + 30, 2) + number_at(zip, at + 32, 2);
    }
    return false;
}

/* ---- XML ----------------------------------------------------------------- */

struct element {
    surety_str head; /* its attributes */
    surety_str body;
};

/* Where a text begins in another; its length: nowhere. */
static size_t find(surety_str text, const char *what)
{
    const size_t len = strlen(what);
    size_t at = 0;

    while (at + len <= text.len && memcmp(text.ptr + at, what, len) != 0)
        at++;
    return at + len <= text.len ? at : text.len;
}

static surety_str behind(surety_str text, size_t at)
{
    return (surety_str){text.ptr + at, text.len - at};
}

/* Takes the next element of a name off text; false: there is none. */
static bool next(surety_str *text, const char *name, struct element *element)
{
    char tag[40];
    size_t at, end;

    snprintf(tag, sizeof(tag), "<%s", name);
    for (;;) {
        at = find(*text, tag);
        if (at == text->len)
            return false;
        *text = behind(*text, at + strlen(tag));
        if (text->len > 0 && strchr(" />", *text->ptr))
            break;
    }
    end = find(*text, ">");
    element->head = (surety_str){text->ptr, end};
    element->body = (surety_str){text->ptr + end, 0};
    *text = behind(*text, end + 1);
    if (end > 0 && element->head.ptr[end - 1] == '/')
        return true;
    snprintf(tag, sizeof(tag), "</%s>", name);
    element->body = (surety_str){text->ptr, find(*text, tag)};
    *text = behind(*text, element->body.len + strlen(tag));
    return true;
}

/* The first element of a name; empty where there is none. */
static struct element first(surety_str text, const char *name)
{
    struct element element = {{"", 0}, {"", 0}};

    next(&text, name, &element);
    return element;
}

/* The index-th element of a name. */
static struct element nth(surety_str text, const char *name, size_t index)
{
    struct element element = {{"", 0}, {"", 0}};

    for (size_t i = 0; i <= index; i++)
        if (!next(&text, name, &element))
            return (struct element){{"", 0}, {"", 0}};
    return element;
}

static surety_str attribute(struct element element, const char *name)
{
    char tag[40];
    size_t at;
    surety_str value;

    snprintf(tag, sizeof(tag), " %s=\"", name);
    at = find(element.head, tag);
    if (at == element.head.len)
        return (surety_str){"", 0};
    value = behind(element.head, at + strlen(tag));
    value.len = find(value, "\"");
    return value;
}

static size_t number_of(surety_str text)
{
    size_t number = 0;

    for (size_t i = 0; i < text.len; i++)
        number = number * 10 + (size_t)(text.ptr[i] - '0');
    return number;
}

/* Appends text with what is escaped in it as it was, and control characters as
 * \n, \t and \xNN. */
static void put_plain(surety_buf *out, surety_str text)
{
    static const char *const escapes[][2] = {
        {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}};

    while (text.len > 0) {
        const char *put = NULL;
        char byte[5];
        size_t len = 1;
        for (size_t i = 0; i < 4 && !put; i++) {
            if (find(text, escapes[i][0]) == 0) {
                put = escapes[i][1];
                len = strlen(escapes[i][0]);
            }
        }
        if (!put && (unsigned char)*text.ptr < 0x20) {
            snprintf(byte, sizeof(byte), "\\x%02x", (unsigned)*text.ptr);
            put = *text.ptr == '\n' ? "\\n" : *text.ptr == '\t' ? "\\t" : byte;
        }
        if (put)
            surety_buf_text(out, put);
        else
            surety_buf_byte(out, *text.ptr);
        text = behind(text, len);
    }
}

/* ---- sheets -------------------------------------------------------------- */

struct workbook {
    surety_buf about, styles, strings, sheet;
};

/* The form of a cell: what its style says of numbers, letters and borders. */
static void put_form(const struct workbook *book, surety_str style,
                     surety_buf *out)
{
    const surety_str styles = surety_buf_str(&book->styles);
    const struct element form =
        nth(first(styles, "cellXfs").body, "xf", number_of(style));
    const size_t number = number_of(attribute(form, "numFmtId"));
    const struct element font = nth(first(styles, "fonts").body, "font",
                                    number_of(attribute(form, "fontId")));
    const struct element border = nth(first(styles, "borders").body, "border",
                                      number_of(attribute(form, "borderId")));
    surety_str formats = first(styles, "numFmts").body;
    struct element format;

    if (find(font.body, "<b/>") < font.body.len)
        surety_buf_text(out, ", bold");
    if (find(border.body, "bottom style=\"thin\"") < border.body.len)
        surety_buf_text(out, ", a line below");
    if (attribute(first(form.body, "alignment"), "horizontal").len > 0) {
        surety_buf_text(out, ", ");
        surety_buf_add(out,
                       attribute(first(form.body, "alignment"), "horizontal"));
    }
    if (number == 0)
        return;
    surety_buf_text(out, ", as ");
    while (next(&formats, "numFmt", &format)) {
        if (number_of(attribute(format, "numFmtId")) == number) {
            put_plain(out, attribute(format, "formatCode"));
            return;
        }
    }
    /* Those that ECMA-376 has (18.8.30). */
    surety_buf_text(out, number == 3   ? "#,##0"
                         : number == 4 ? "#,##0.00"
                                       : "another");
}

static void put_cell(const struct workbook *book, struct element cell,
                     surety_buf *out)
{
    const surety_str kind = attribute(cell, "t");
    const surety_str value = first(cell.body, "v").body;

    surety_buf_text(out, "  ");
    surety_buf_add(out, attribute(cell, "r"));
    surety_buf_byte(out, ' ');
    if (surety_str_equal(kind, surety_str_of("s"))) {
        surety_buf_byte(out, '"');
        put_plain(out, first(nth(surety_buf_str(&book->strings), "si",
                                 number_of(value))
                                 .body,
                             "t")
                           .body);
        surety_buf_byte(out, '"');
    } else if (surety_str_equal(kind, surety_str_of("inlineStr"))) {
        surety_buf_text(out, "in place \"");
        put_plain(out, first(first(cell.body, "is").body, "t").body);
        surety_buf_byte(out, '"');
    } else {
        surety_buf_add(out, value);
    }
    put_form(book, attribute(cell, "s"), out);
    surety_buf_byte(out, '\n');
}

static void put_named(surety_buf *out, const char *name, surety_str value)
{
    if (value.len == 0)
        return;
    surety_buf_text(out, name);
    surety_buf_add(out, value);
}

/* The cells of a sheet, or, of very many, the first and the last of them. */
static void put_cells(const struct workbook *book, surety_str text,
                      surety_buf *out)
{
    surety_str rest = text;
    struct element cell;
    size_t count = 0;

    while (next(&rest, "c", &cell))
        count++;
    for (size_t i = 0; next(&text, "c", &cell); i++) {
        if (count < CELLS_MANY || i < CELLS_SHOWN || i + CELLS_SHOWN >= count)
            put_cell(book, cell, out);
        else if (i == CELLS_SHOWN)
            surety_buf_text(out, "  ...\n");
    }
}

static void put_sheet(const struct workbook *book, surety_buf *out)
{
    surety_str text = surety_buf_str(&book->sheet);
    const struct element pane = first(text, "pane");
    surety_str widths = first(text, "cols").body;
    surety_str width;
    struct element one;

    put_named(out, ", in sight the rows above ",
              attribute(pane, "topLeftCell"));
    put_named(out, " ", attribute(pane, "state"));
    put_named(out, ", a filter of ",
              attribute(first(text, "autoFilter"), "ref"));
    surety_buf_text(out, "\n  widths");
    while (next(&widths, "col", &one)) {
        put_named(out, " ", attribute(one, "min"));
        put_named(out, "-", attribute(one, "max"));
        /* The library adds the edges of a cell, in part of a letter. */
        width = attribute(one, "width");
        width.len = find(width, ".");
        put_named(out, ": ", width);
    }
    surety_buf_byte(out, '\n');
    put_cells(book, text, out);
}

static bool put_sheets(struct workbook *book, surety_str bytes, surety_buf *out)
{
    surety_str sheets = surety_buf_str(&book->about);
    struct element sheet;
    char name[64];

    for (int i = 1; next(&sheets, "sheet", &sheet); i++) {
        snprintf(name, sizeof(name), "xl/worksheets/sheet%d.xml", i);
        if (!member(bytes, name, &book->sheet))
            return false;
        put_named(out, "sheet ", attribute(sheet, "name"));
        put_sheet(book, out);
    }
    sheets = surety_buf_str(&book->about);
    while (next(&sheets, "definedName", &sheet)) {
        surety_buf_add(out, attribute(sheet, "name"));
        put_named(out, ": ", sheet.body);
        surety_buf_byte(out, '\n');
    }
    return true;
}

bool workbook_tell(surety_str bytes, surety_buf *out)
{
    struct workbook book;
    bool is_whole;

    surety_buf_init(&book.about, NULL, 0);
    surety_buf_init(&book.styles, NULL, 0);
    surety_buf_init(&book.strings, NULL, 0);
    surety_buf_init(&book.sheet, NULL, 0);
    is_whole = member(bytes, "docProps/core.xml", &book.sheet);
    put_named(out, "made ",
              first(surety_buf_str(&book.sheet), "dcterms:created").body);
    surety_buf_byte(out, '\n');
    /* Where it is written row by row, texts are in their cells. */
    (void)member(bytes, "xl/sharedStrings.xml", &book.strings);
    is_whole = is_whole && member(bytes, "xl/workbook.xml", &book.about) &&
               member(bytes, "xl/styles.xml", &book.styles) &&
               put_sheets(&book, bytes, out);
    surety_buf_text(out, is_whole ? "" : "no workbook\n");
    surety_buf_done(&book.about);
    surety_buf_done(&book.styles);
    surety_buf_done(&book.strings);
    surety_buf_done(&book.sheet);
    return is_whole;
}
