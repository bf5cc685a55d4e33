/* SPDX-License-Identifier: Apache-2.0 */
/* The door of base/: memory, text and errors for every other folder. */
#ifndef SURETY_BASE_BASE_H
#define SURETY_BASE_BASE_H

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include <surety/base.h>

/* ---- memory (alloc.c, arena.c) ---------------------------------------- */

/* The only door to memory. alloc NULL: libc. As surety_alloc's resize; a size
 * of 0 for both does nothing. */
void *surety__resize(const surety_alloc *alloc, void *ptr, size_t size_old,
                     size_t size_new);
/* A zeroed block; NULL when out of memory. */
void *surety__new(const surety_alloc *alloc, size_t size);
void surety__free(const surety_alloc *alloc, void *ptr, size_t size);

/* Makes room for `count` items of item_size in a vector of *cap items, growing
 * by half again; checked against overflow and max. vector is the address of the
 * pointer to the items (a T **; POSIX has one form for all pointers). OK,
 * NOMEM, or LIMIT where count is above max; nothing changes on failure. */
surety_status surety__grow(const surety_alloc *alloc, void *vector, size_t *cap,
                           size_t count, size_t item_size, size_t max);

/* Memory that dies in one piece. Chunks never move. */
struct surety__chunk;
typedef struct surety__arena {
    const surety_alloc *alloc;
    struct surety__chunk *chunks; /* newest first */
    size_t used;                  /* bytes used of the newest chunk */
    size_t total;                 /* bytes of all chunks */
    size_t max;
} surety__arena;

/* max 0: no bound. Allocates nothing. */
void surety__arena_init(surety__arena *arena, const surety_alloc *alloc,
                        size_t max);
void surety__arena_done(surety__arena *arena);
/* Forgets everything; keeps the largest chunk for reuse. */
void surety__arena_reset(surety__arena *arena);
/* size bytes, zeroed, aligned for any type; NULL when out of memory or over
 * max. */
void *surety__arena_take(surety__arena *arena, size_t size);
/* A copy of text with a zero behind it; ptr NULL when out of memory. */
surety_str surety__arena_text(surety__arena *arena, surety_str text);

/* ---- map (map.c) -------------------------------------------------------- */

/* From a 64-bit key to a pointer; open addressing, never shrinks. Values that
 * share a key are the caller's business (a `next` in the value). */
typedef struct surety__map {
    struct surety__map_entry {
        uint64_t key;
        void *value; /* NULL: free */
    } * entries;
    size_t cap; /* a power of two, or 0 */
    size_t count;
} surety__map;

void *surety__map_get(const surety__map *map, uint64_t key);
/* Sets the value (not NULL) of key; false when out of memory. */
bool surety__map_put(surety__map *map, const surety_alloc *alloc, uint64_t key,
                     void *value);
void surety__map_done(surety__map *map, const surety_alloc *alloc);

/* ---- sorting (sort.c) --------------------------------------------------- */

typedef struct surety__pair {
    uint64_t key;
    uint64_t value;
} surety__pair;

/* Sorts by key, then value, in place; n log n whatever the pairs are. */
void surety__pairs_sort(surety__pair *pairs, size_t count);

/* ---- dates (date.c) ----------------------------------------------------- */

/* Days since 1970-01-01, and the Gregorian calendar, on for ever both ways. */
typedef struct surety__date {
    int64_t year;
    uint32_t month, day; /* from 1 */
} surety__date;
surety__date surety__date_of(int64_t days);
int64_t surety__date_days(surety__date date);
/* The last day of a month. */
uint32_t surety__date_last(int64_t year, uint32_t month);

/* ---- errors (error.c) -------------------------------------------------- */

/* Fills reterr (may be NULL), whole, and gives status. The format knows %s,
 * %d, %u, %zu, %c, %x, %.*s and nothing that depends on the locale; bytes that
 * are no printable UTF-8 are escaped and what is too long ends in "...". */
surety_status surety__fail(surety_error *reterr, surety_status status,
                           const char *format, ...)
    __attribute__((format(printf, 3, 4)));
surety_status surety__failv(surety_error *reterr, surety_status status,
                            const char *format, va_list args);
/* Adds the hint to a filled reterr. */
void surety__hint(surety_error *reterr, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The usual sentence for SURETY_NOMEM. */
surety_status surety__fail_nomem(surety_error *reterr);

/* ---- limits (limits.c) ------------------------------------------------- */

/* The first limit whose name is in a message; NULL: none. */
const char *surety__limit_named(const char *message);

/* ---- options (options.c) ------------------------------------------------ */

/* Copies a struct of options whose first member is its size to own, the same
 * struct as this library knows it, of own_size bytes: what the caller's size
 * does not reach is zero, what lies beyond own_size is left out, and own says
 * own_size. given NULL: all zero. SURETY_MISUSE where the size is smaller than
 * itself: nobody set it. */
surety_status surety__options_take(void *own, size_t own_size,
                                   const void *given, surety_error *reterr);

/* The limits that are given, and the others where they are 0 or not given. */
surety_limits surety__limits_over(const surety_limits *given,
                                  const surety_limits *others);

/* ---- text (str.c, utf8.c) ---------------------------------------------- */

#define SURETY__LITERAL(text) ((surety_str){(text), sizeof(text) - 1})

/* As printf, appended; the same formats as surety__fail. */
void surety__buf_printf(surety_buf *buf, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Makes room for n more bytes; NULL on failure (kept in status), else where
 * they go; len is not moved. */
char *surety__buf_room(surety_buf *buf, size_t n);

/* Text without the white space of JSON (space, tab, CR, LF) around it. */
surety_str surety__str_trim(surety_str text);
/* Appends text percent-encoded but for the unreserved (RFC 3986, 2.3) and the
 * bytes of also. */
void surety__buf_percent(surety_buf *buf, surety_str text, const char *also);
bool surety__str_starts(surety_str text, surety_str prefix);
bool surety__str_ends(surety_str text, surety_str ending);
/* The same as starts and find, capitals or not (ASCII). */
bool surety__str_starts_nocase(surety_str text, surety_str prefix);
size_t surety__str_find_nocase(surety_str text, surety_str needle);
/* Compares ASCII letters without case. */
bool surety__str_equal_nocase(surety_str a, surety_str b);
/* Whether it is a token of RFC 9110, section 5.6.2: a header's name. */
bool surety__is_token(surety_str name);
/* Where needle is first in text, or text.len; linear. */
size_t surety__str_find(surety_str text, surety_str needle);
int surety__str_compare(surety_str a, surety_str b);
/* The optimal string alignment distance of two texts in bytes, at most max + 1;
 * texts over 64 bytes count as far apart. For hints. */
unsigned surety__str_distance(surety_str a, surety_str b, unsigned max);

/* Eight or four bytes at ptr; the same number on every machine. */
static inline uint64_t surety__hash_eight(const char *ptr)
{
    uint64_t word;

    memcpy(&word, ptr, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline uint32_t surety__hash_four(const char *ptr)
{
    uint32_t word;

    memcpy(&word, ptr, 4);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    return word;
}

/* A good 32-bit hash of bytes, the same everywhere; here, because the reader
 * asks for one at every key. Multiply and fold, eight bytes at a time, the last
 * eight over those before where they do not come out even; short texts are two
 * loads that overlap. Nothing depends on it being unpredictable: whoever groups
 * by it sorts or compares, and stays n log n when all are equal. */
static inline uint32_t surety__hash(const char *ptr, size_t len)
{
    const uint64_t multiplier = 0xFF51AFD7ED558CCDu;
    uint64_t hash = 0x9E3779B97F4A7C15u ^ len;
    uint64_t last = 0;

    if (len >= 8) {
        for (; len > 16; ptr += 8, len -= 8) {
            hash = (hash ^ surety__hash_eight(ptr)) * multiplier;
            hash ^= hash >> 32;
        }
        hash ^= surety__hash_eight(ptr);
        last = surety__hash_eight(ptr + len - 8);
    } else if (len >= 4) {
        hash ^= surety__hash_four(ptr);
        last = surety__hash_four(ptr + len - 4);
    } else if (len) {
        hash ^= (uint64_t)(unsigned char)ptr[0] << 16 |
                (uint64_t)(unsigned char)ptr[len / 2] << 8 |
                (unsigned char)ptr[len - 1];
    }
    hash *= multiplier;
    hash = (hash ^ hash >> 32 ^ last) * 0xC4CEB9FE1A85EC53u;
    /* The last bytes reach the highest bits alone; the lowest are what a key's
     * cell keeps. */
    return (uint32_t)(hash >> 32 ^ hash >> 48);
}

/* The code point at ptr (< end) and its length in *ret_len; where the bytes
 * there are no UTF-8 (RFC 3629), 0xFFFFFFFF and the length of the maximal
 * subpart (Unicode 15, 3.9, table 3-8), at least 1. */
uint32_t surety__utf8_decode(const char *ptr, const char *end,
                             unsigned *ret_len);
/* Writes code (a scalar value) to out (4 bytes); gives the length. */
unsigned surety__utf8_encode(uint32_t code, char *out);
/* Whether text is UTF-8; if not, *ret_offset (may be NULL) is the first bad
 * byte. */
bool surety__utf8_valid(surety_str text, size_t *ret_offset);
/* Whether a terminal would act on a code point, or it turns the text around
 * it, or shows nothing and may hold a text of its own: C0 and C1 controls,
 * separators of lines, bidirectional and other format characters (Unicode 15,
 * 23.2 to 23.9). The joiners U+200C and U+200D are letters' own. */
bool surety__utf8_is_acted_on(uint32_t code);
static inline bool surety__is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* The value of a hexadecimal digit; 16: it is none. */
static inline unsigned surety__hex_digit(char byte)
{
    const unsigned letter = (unsigned char)byte | 0x20u;

    if (byte >= '0' && byte <= '9')
        return (unsigned)(byte - '0');
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : 16;
}

/* Appends text as one line: what a terminal acts on becomes a blank, bytes that
 * are no UTF-8 a replacement character, and after max characters come three
 * dots. */
void surety__buf_line(surety_buf *buf, surety_str text, size_t max);
/* Whether a code point shows as a blank: spaces, controls, separators of lines,
 * and the stand-in for an object. */
bool surety__utf8_is_blank(uint32_t code);
/* Whether it shows nothing: bidirectional controls and their like, soft
 * hyphens, byte order marks. */
bool surety__utf8_is_hidden(uint32_t code);
/* Code points in valid UTF-8. */
size_t surety__utf8_count(surety_str text);

/* Appends one field of CSV, quoted where it needs quotes; a NUL becomes U+FFFD.
 * formulas: texts that a spreadsheet would run stay as they are. */
void surety__csv_field(surety_str text, bool formulas, surety_buf *out);

/* Appends all that an open file or pipe still gives. IO: errno says why; LIMIT:
 * there are more than max bytes, or more than out may hold; NOMEM. */
surety_status surety__file_drain(int fd, size_t max, surety_buf *out);

/* A file that the build put into the library (tools/embed.py): its path
 * below the embedded folder without the ending, and its text. A generated
 * table SYMBOL comes with its length in SYMBOL_count. */
typedef struct surety__embedded {
    const char *name;
    const char *text;
    size_t len;
} surety__embedded;

#endif
