/* SPDX-License-Identifier: Apache-2.0 */
/* What only the files of json/ share: the step over plain bytes of a string,
 * unique keys, and how a refused text is explained. */
#ifndef SURETY_JSON_INSIDE_H
#define SURETY_JSON_INSIDE_H

#include "json/json.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* ---- strings ----------------------------------------------------------- */

/* The first byte at or after ptr that is a quote, a backslash, a control
 * character or above 0x7F; end where there is none. Bytes before readable may
 * be loaded: it is end, or more where zeros follow the text, which then stop
 * the scan at end. */
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

/* The length of the UTF-8 sequence of a code point above 0x7F that starts at
 * ptr < end (RFC 3629, section 4); 0 where there is none. */
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

/* What a backslash and byte stand for, but for \u; 0 where that is nothing. */
static inline char scan_escape(char byte)
{
    static const char bytes[256] = {
        ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
        ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
    };

    return bytes[(unsigned char)byte];
}

static inline bool scan_is_space(char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

/* ---- documents (doc.c, unique.c) --------------------------------------- */

/* A KEY whose member a later one of the same name replaced; such cells stand
 * only between the closing of their object and surety__keys_compact. */
#define FLAG_GONE 0x80u

/* Forgets what doc held; keeps its memory. */
void surety__doc_clear(surety_doc *doc);
/* Room for count cells, 32-bit indices and the limit values_max respected: OK,
 * NOMEM, LIMIT. */
surety_status surety__doc_room(surety_doc *doc, size_t count);
/* Room for n more bytes in the own block: OK, NOMEM, LIMIT. */
surety_status surety__doc_own_room(surety_doc *doc, size_t n);

/* Marks the members of the closed object that a later one replaces and takes
 * them off its count; notes how many in duplicate_count. *ret_later is the
 * first key that replaces another, or PLACE_NONE. OK or NOMEM. */
surety_status surety__keys_mark(surety_doc *doc, uint32_t object,
                                uint32_t *ret_later);
/* Takes all marked members out, in one pass, and lists them; OK or NOMEM. */
surety_status surety__keys_compact(surety_doc *doc);
/* The same while containers are open, of which *open is the innermost and whose
 * spans are their parents' places; *listed keys were listed before. */
surety_status surety__keys_remove(surety_doc *doc, uint32_t *open,
                                  size_t *listed);
/* Sorts keys by merging runs of 1, 2, 4, ..., with as much scratch; stable. */
typedef int surety__key_order(const surety_doc *doc, uint32_t a, uint32_t b);
void surety__keys_sort(const surety_doc *doc, uint32_t *keys, uint32_t *scratch,
                       size_t count, surety__key_order *order);

/* Sets kind, flags and what they hold for the number literal at ptr, which
 * must be one; place is left alone. */
void surety__number_cell(surety__cell *cell, surety_str literal);

/* ---- numbers (number.c, decimal.c) ------------------------------------- */

/* Characters a number may have at most, whatever the limit number_len_max:
 * exact arithmetic works in blocks of fixed size. */
enum { READ_NUMBER_MAX = 2048 };

/* As surety__decimal_real for a number that is not zero, of magnitude 10^-331
 * to 10^310, by exact arithmetic; the sign is left out. */
double surety__decimal_exact(surety__decimal number);
/* The shortest digits (at most 17) that read back as value, a finite double
 * above zero, and of those the nearest; value = 0.digits * 10^*ret_power. */
int surety__decimal_shortest(double value, char *digits, int *ret_power);

/* ---- mistakes (fault.c, explain.c) -------------------------------------- */

/* Where the reader stood when it met a byte that cannot stand there. */
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
    FAULT_STRING_END,   /* the text ends in a string */
    FAULT_CONTROL,      /* a control character in a string */
    FAULT_UTF8,
    FAULT_ESCAPE,    /* a backslash and something unknown */
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

/* A refused text: why, and the bytes that cannot stand there. */
struct read_mistake {
    enum read_fault fault;
    size_t offset;
    size_t length; /* 0: to be found from the text */
};

/* The first mistake of doc's text under its limits, but for keys that stand
 * twice; FAULT_NONE: there is none. FAULT_NOMEM. Uses doc->seen. */
struct read_mistake surety__fault_find(surety_doc *doc, bool skip_bom);

/* Fills reterr with what is wrong, where, and what to do; gives the status. */
surety_status surety__read_explain(surety_str text, struct read_mistake mistake,
                                   const surety_limits *limits,
                                   surety_error *reterr);

#endif
