/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations for the files of json/ only: the fast scan of string bytes,
 * unique keys, exact numbers, and the explanation of a refused text. */
#ifndef SURETY_JSON_INSIDE_H
#define SURETY_JSON_INSIDE_H

#include "json/json.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* ---- strings ----------------------------------------------------------- */

/* Returns the first byte at or after ptr that is a quote, a backslash, a
 * control character or above 0x7F; end when there is none. May load bytes
 * before readable: readable is end, or greater when zero bytes follow the text,
 * which stop the scan at end. */
static inline const char *scan_plain(const char *ptr, const char *readable,
                                     const char *end)
{
#ifdef __SSE2__
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');
    const __m128i control = _mm_set1_epi8(0x1F);

    for (; readable - ptr >= 16; ptr += 16) {
        __m128i block = _mm_loadu_si128((const __m128i *)(const void *)ptr);
        __m128i stop = _mm_or_si128(
            _mm_or_si128(_mm_cmpeq_epi8(block, quote),
                         _mm_cmpeq_epi8(block, backslash)),
            _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(block, control), block),
                         block));
        int mask = _mm_movemask_epi8(stop);

        if (mask)
            return ptr + __builtin_ctz((unsigned)mask);
    }
#else
    const uint64_t ones = 0x0101010101010101u;

    for (; readable - ptr >= 8; ptr += 8) {
        uint64_t block, quote, backslash, stop;

        memcpy(&block, ptr, 8);
        quote = block ^ ones * '"';
        backslash = block ^ ones * '\\';
        stop = ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) |
               ((block - ones * 0x20) & ~block) | block;
        if (stop & ones * 0x80)
            break;
    }
#endif
    while (ptr < end && (unsigned char)*ptr >= 0x20 &&
           (unsigned char)*ptr < 0x80 && *ptr != '"' && *ptr != '\\')
        ptr++;
    return ptr;
}

/* Returns the length of the UTF-8 sequence of a code point above 0x7F at ptr <
 * end (RFC 3629, section 4); 0 when it is invalid. */
static inline unsigned scan_sequence(const char *ptr, const char *end)
{
    const unsigned char *byte = (const unsigned char *)ptr;
    size_t left = (size_t)(end - ptr);

    if (byte[0] < 0xC2 || byte[0] > 0xF4)
        return 0;
    if (left < 2 || (byte[1] & 0xC0) != 0x80)
        return 0;
    if (byte[0] < 0xE0)
        return 2;
    if (left < 3 || (byte[2] & 0xC0) != 0x80)
        return 0;
    if (byte[0] < 0xF0)
        return (byte[0] == 0xE0 && byte[1] < 0xA0) ||
                       (byte[0] == 0xED && byte[1] > 0x9F)
                   ? 0
                   : 3;
    if (left < 4 || (byte[3] & 0xC0) != 0x80)
        return 0;
    return (byte[0] == 0xF0 && byte[1] < 0x90) ||
                   (byte[0] == 0xF4 && byte[1] > 0x8F)
               ? 0
               : 4;
}

/* Returns the character of the escape \byte, except \u; 0 when there is no such
 * escape. */
static inline char scan_escape(char byte)
{
    static const char bytes[256] = {
        ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
        ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
    };

    return bytes[(unsigned char)byte];
}

/* Returns the value of four hexadecimal digits at ptr, or UINT32_MAX. */
static inline uint32_t scan_hex(const char *ptr, const char *end)
{
    uint32_t code = 0;

    if (end - ptr < 4)
        return UINT32_MAX;
    for (int i = 0; i < 4; i++) {
        uint32_t digit = surety__hex_digit(ptr[i]);

        if (digit > 15)
            return UINT32_MAX;
        code = code << 4 | digit;
    }
    return code;
}

/* Returns a word with the top bit of every byte of word that is no decimal
 * digit. */
static inline uint64_t scan_no_digits(uint64_t word)
{
    const uint64_t ones = 0x0101010101010101u;
    uint64_t value = word ^ ones * '0';

    return (((value & ones * 0x7F) + ones * 0x76) | value) & ones * 0x80;
}

/* Returns the number that the eight bytes of word are the decimal digits of; a
 * byte 0 counts as the digit 0. Adds up pairs, fours and all eight. */
static inline uint64_t scan_eight(uint64_t word)
{
    word &= 0x0F0F0F0F0F0F0F0Fu;
    word = (word * (1 + (10u << 8)) >> 8) & 0x00FF00FF00FF00FFu;
    word = (word * (1 + (100u << 16)) >> 16) & 0x0000FFFF0000FFFFu;
    return word * (1 + ((uint64_t)10000 << 32)) >> 32;
}

static inline bool scan_is_space(char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

/* ---- cells -------------------------------------------------------------- */

/* Writes the members before a cell's union, as one word if possible. */
static inline void surety__cell_head(surety__cell *cell, uint8_t kind,
                                     uint8_t flags, uint16_t hash,
                                     uint32_t place)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t head = kind | (uint64_t)flags << 8 | (uint64_t)hash << 16 |
                          (uint64_t)place << 32;

    memcpy(cell, &head, sizeof(head));
#else
    cell->kind = kind;
    cell->flags = flags;
    cell->hash = hash;
    cell->place = place;
#endif
}

/* Writes a string's length and offset. */
static inline void surety__cell_text(surety__cell *cell, uint32_t len,
                                     uint32_t off)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    cell->i = (int64_t)(len | (uint64_t)off << 32);
#else
    cell->len = len;
    cell->off = off;
#endif
}

/* ---- documents (doc.c, unique.c) --------------------------------------- */

/* Marks a KEY whose member a later member of the same name replaced. Such cells
 * exist only between the closing of their object and surety__keys_compact. */
#define FLAG_GONE 0x80u

/* Empties doc; keeps its memory. */
void surety__doc_clear(surety_doc *doc);
/* Makes room for count cells, within 32-bit indices and the limit values_max.
 * Returns OK, NOMEM or LIMIT. */
surety_status surety__doc_room(surety_doc *doc, size_t count);
/* Makes room for n more bytes in the own block. Returns OK, NOMEM or LIMIT. */
surety_status surety__doc_own_room(surety_doc *doc, size_t n);
/* Returns scratch memory for count words, after the cells: it is valid until a
 * cell is added, and a later call keeps what an earlier one had. NULL: out of
 * memory. The cells may move. */
uint32_t *surety__doc_scratch(surety_doc *doc, size_t count);

/* Sets FLAG_GONE on the members of the closed object that a later one replaces,
 * subtracts them from its count, and adds them to duplicate_count. *ret_later
 * is the first key that replaces another, or PLACE_NONE. Returns OK or
 * NOMEM. */
surety_status surety__keys_mark(surety_doc *doc, uint32_t object,
                                uint32_t *ret_later);
/* Removes all marked members in one pass and lists their keys. Returns OK or
 * NOMEM. */
surety_status surety__keys_compact(surety_doc *doc);
/* The same while containers are open: *open is the innermost one, and the spans
 * of open containers are their parents' indices. The doc already lists *listed
 * keys. */
surety_status surety__keys_remove(surety_doc *doc, uint32_t *open,
                                  size_t *listed);
/* Sorts keys with a bottom-up merge sort (runs of 1, 2, 4, ...). scratch has as
 * many elements. Stable. */
typedef int surety__key_order(const surety_doc *doc, uint32_t a, uint32_t b);
void surety__keys_sort(const surety_doc *doc, uint32_t *keys, uint32_t *scratch,
                       size_t count, surety__key_order *order);

/* Sets kind, flags and content of cell for a number literal, which must be
 * valid. Does not change place. */
void surety__number_cell(surety__cell *cell, surety_str literal);

/* ---- numbers (number.c, decimal.c) ------------------------------------- */

/* The most characters of a number, whatever the limit number_len_max is: exact
 * arithmetic works in blocks of fixed size. */
enum { READ_NUMBER_MAX = 2048 };

/* As surety__decimal_real, by exact arithmetic, for a number that is not zero
 * and has a magnitude of 10^-331 to 10^310. Ignores the sign. */
double surety__decimal_exact(surety__decimal number);
/* Writes the shortest digits (at most 17) that read back as value, a finite
 * double above zero; of several, the nearest. value = 0.digits * 10^*ret_power.
 * Returns the number of digits. */
int surety__decimal_shortest(double value, char *digits, int *ret_power);

/* ---- mistakes (fault.c, explain.c) -------------------------------------- */

/* The state of the reader at a byte that the grammar does not allow. */
enum read_fault {
    FAULT_NONE,
    FAULT_ROOT,         /* before the text's value */
    FAULT_FIRST_ITEM,   /* after [ */
    FAULT_ITEM,         /* after a comma in an array */
    FAULT_AFTER_ITEM,   /* after an array item */
    FAULT_FIRST_KEY,    /* after { */
    FAULT_KEY,          /* after a comma in an object */
    FAULT_COLON,        /* after a key */
    FAULT_MEMBER,       /* after a colon */
    FAULT_AFTER_MEMBER, /* after a member's value */
    FAULT_SECOND,       /* after the text's value */
    FAULT_STRING_END,   /* the text ends inside a string */
    FAULT_CONTROL,      /* a control character in a string */
    FAULT_UTF8,
    FAULT_ESCAPE,    /* a backslash before an unknown character */
    FAULT_HEX,       /* \u without four hexadecimal digits */
    FAULT_SURROGATE, /* half a surrogate pair */
    FAULT_ZERO,      /* a digit after a leading zero */
    FAULT_MINUS,     /* no digit after - */
    FAULT_FRACTION,  /* no digit after . */
    FAULT_EXPONENT,  /* no digit after e */
    FAULT_BOM,
    FAULT_DUPLICATE,
    FAULT_NOMEM,
    FAULT_DEPTH, /* from here on: limits */
    FAULT_TEXT,
    FAULT_NUMBER,
    FAULT_STRING,
    FAULT_KEY_LEN,
    FAULT_VALUES
};

/* A refused text: the reason, and the bytes that the grammar does not allow. */
struct read_mistake {
    enum read_fault fault;
    size_t offset;
    size_t length; /* 0: surety__read_explain finds it */
};

/* Returns the first mistake of doc's text under its limits, except duplicate
 * keys. FAULT_NONE: there is none; FAULT_NOMEM: out of memory. Removes doc's
 * cells. */
struct read_mistake surety__fault_find(surety_doc *doc, bool skip_bom);

/* Fills reterr with the mistake, its position and a hint. Returns the
 * status. */
surety_status surety__read_explain(surety_str text, struct read_mistake mistake,
                                   const surety_limits *limits,
                                   surety_error *reterr);

#endif
