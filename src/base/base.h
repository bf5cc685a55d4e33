/* SPDX-License-Identifier: Apache-2.0 */
/* The door of base/: memory, text and errors for all other folders. */
#ifndef SURETY_BASE_BASE_H
#define SURETY_BASE_BASE_H

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include <surety/base.h>

/* ---- memory (alloc.c, stock.c, arena.c) -------------------------------- */

/* Resizes a block; all memory comes from this function. alloc NULL: libc's
 * allocator. As surety_alloc's resize; two sizes of 0 do nothing. */
void *surety__resize(const surety_alloc *alloc, void *ptr, size_t size_old,
                     size_t size_new);
/* Returns a zeroed block; NULL when out of memory. */
void *surety__new(const surety_alloc *alloc, size_t size);
/* Frees a block, often none. */
static inline void surety__free(const surety_alloc *alloc, void *ptr,
                                size_t size)
{
    if (ptr)
        (void)surety__resize(alloc, ptr, size, 0);
}

/* Makes room for `count` items of item_size bytes in a vector of *cap items.
 * Grows by half; checks for overflow and max. vector: the address of the
 * pointer to the items (a T **; POSIX has one form for all pointers). Returns
 * OK, NOMEM, or LIMIT when count is above max; a failure changes nothing. */
surety_status surety__grow(const surety_alloc *alloc, void *vector, size_t *cap,
                           size_t count, size_t item_size, size_t max);

/* An allocator that keeps freed blocks for the next ones of their size, at most
 * bytes_max in all. For one thread at a time; it must not move. */
#define SURETY__STOCK_BLOCK_MAX 8192
#define SURETY__STOCK_CLASSES 60
struct surety__stock_block {
    struct surety__stock_block *next;
};
typedef struct surety__stock {
    surety_alloc alloc;        /* for its objects */
    const surety_alloc *below; /* where blocks come from */
    size_t kept, max;          /* bytes */
    struct surety__stock_block *blocks[SURETY__STOCK_CLASSES];
} surety__stock;
void surety__stock_init(surety__stock *stock, const surety_alloc *below,
                        size_t bytes_max);
/* Frees the kept blocks; all its objects have been freed. */
void surety__stock_done(surety__stock *stock);

/* Memory that is freed as a whole. Chunks never move. */
struct surety__chunk;
typedef struct surety__arena {
    const surety_alloc *alloc;
    struct surety__chunk *chunks; /* newest first */
    size_t used;                  /* bytes used in the newest chunk */
    size_t total;                 /* bytes of all chunks */
    size_t max;
    surety_status *status; /* set by the first failure; NULL: nothing is */
} surety__arena;

/* max: the bound in bytes, 0: none. Allocates nothing. The status is NULL. */
void surety__arena_init(surety__arena *arena, const surety_alloc *alloc,
                        size_t max);
void surety__arena_done(surety__arena *arena);
/* Releases all blocks; keeps the largest chunk for reuse. */
void surety__arena_reset(surety__arena *arena);
/* Returns size zeroed bytes, aligned for any type; NULL when out of memory or
 * over max. */
void *surety__arena_take(surety__arena *arena, size_t size);
/* Returns a copy of text with a zero byte after it; ptr is NULL when out of
 * memory. */
surety_str surety__arena_text(surety__arena *arena, surety_str text);
/* Returns a copy of what buf has, and releases buf. Empty, with ptr NULL, when
 * out of memory, or when buf failed. */
surety_str surety__arena_buf(surety__arena *arena, surety_buf *buf);

/* ---- map (map.c) -------------------------------------------------------- */

/* Maps a 64-bit key to a pointer. Open addressing; never shrinks. A caller
 * whose values share a key links them itself (a `next` in the value). */
typedef struct surety__map {
    struct surety__map_entry {
        uint64_t key;
        void *value; /* NULL: free */
    } * entries;
    size_t cap; /* a power of two, or 0 */
    size_t count;
} surety__map;

void *surety__map_get(const surety__map *map, uint64_t key);
/* Sets the value (not NULL) of key. Returns false when out of memory. */
bool surety__map_put(surety__map *map, const surety_alloc *alloc, uint64_t key,
                     void *value);
void surety__map_done(surety__map *map, const surety_alloc *alloc);

/* ---- sorting (sort.c) --------------------------------------------------- */

typedef struct surety__pair {
    uint64_t key;
    uint64_t value;
} surety__pair;

/* Sorts in place by key, then value, in n log n steps for any pairs. */
void surety__pairs_sort(surety__pair *pairs, size_t count);

/* ---- dates (date.c) ----------------------------------------------------- */

/* A date of the Gregorian calendar, extended without limit in both directions;
 * days count from 1970-01-01. */
typedef struct surety__date {
    int64_t year;
    uint32_t month, day; /* from 1 */
} surety__date;
surety__date surety__date_of(int64_t days);
/* The days from 1970-01-01 to the day of a Unix time, and the milliseconds
 * since that day began. */
int64_t surety__date_split(int64_t unix_ms, uint32_t *ret_ms);
int64_t surety__date_days(surety__date date);
/* Returns the last day of a month. */
uint32_t surety__date_last(int64_t year, uint32_t month);

/* ---- errors (error.c) -------------------------------------------------- */

/* Fills all of reterr (may be NULL) and returns status. The format may have %s,
 * %d, %u, %zu, %c, %x and %.*s, none of which depends on the locale. Escapes
 * bytes that are not printable UTF-8; a message that is too long ends in
 * "...". */
surety_status surety__fail(surety_error *reterr, surety_status status,
                           const char *format, ...)
    __attribute__((format(printf, 3, 4)));
surety_status surety__failv(surety_error *reterr, surety_status status,
                            const char *format, va_list args);
/* Adds a hint to a filled reterr. */
void surety__hint(surety_error *reterr, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The usual message for SURETY_NOMEM. */
surety_status surety__fail_nomem(surety_error *reterr);

/* ---- limits (limits.c) ------------------------------------------------- */

/* Returns the name of the first limit that a message has; NULL: none. */
const char *surety__limit_named(const char *message);

/* ---- options (options.c) ------------------------------------------------ */

/* Copies the options of a caller to own. Both are structs whose first member is
 * their size; own is the struct as this library defines it, of own_size bytes.
 * Members beyond the caller's size become zero, bytes beyond own_size are
 * ignored, and own's size becomes own_size. given NULL: all zero.
 * SURETY_MISUSE: the size is smaller than the size member itself, so the caller
 * has not set it. */
surety_status surety__options_take(void *own, size_t own_size,
                                   const void *given, surety_error *reterr);

/* Returns the limits of given; those that are 0 there come from others. */
surety_limits surety__limits_over(const surety_limits *given,
                                  const surety_limits *others);

/* ---- text (str.c, utf8.c) ---------------------------------------------- */

#define SURETY__LITERAL(text) ((surety_str){(text), sizeof(text) - 1})

/* Public functions that take a text of ours. Here they are macros, too: the
 * compiler then knows the length of a constant. */
static inline surety_str surety__str_of(const char *zero_terminated)
{
    return (surety_str){zero_terminated,
                        zero_terminated ? strlen(zero_terminated) : 0};
}
#define surety_str_of(text) surety__str_of(text)
#define surety_buf_text(buf, text) surety_buf_add(buf, surety__str_of(text))

/* Appends as printf does, with the formats of surety__fail. */
void surety__buf_printf(surety_buf *buf, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Makes room for n more bytes. Returns where they go, or NULL on failure
 * (status keeps it). Does not change len. */
char *surety__buf_room(surety_buf *buf, size_t n);

/* Returns a buffer over bytes of the caller, which never grows; the last byte
 * stays free, for a zero. */
static inline surety_buf surety__buf_over(char *bytes, size_t size)
{
    return (surety_buf){.ptr = bytes, .cap = size - 1, .max = size - 1};
}
/* Frees text; its failure, if it has one, becomes *status. */
void surety__buf_end(surety_buf *text, surety_status *status);
/* Cuts what buf has from start on to at most max bytes, between characters, and
 * then adds three dots. */
void surety__buf_cut(surety_buf *buf, size_t start, size_t max);
/* Returns text without the white space of JSON (space, tab, CR, LF) around
 * it. */
surety_str surety__str_trim(surety_str text);
/* Appends text, percent-encoded except for unreserved characters (RFC 3986,
 * section 2.3) and the bytes of also. */
void surety__buf_percent(surety_buf *buf, surety_str text, const char *also);
/* Takes len bytes off the start of text. An empty text may have no address, to
 * which C lets nothing be added, not even 0. */
static inline void surety__str_skip(surety_str *text, size_t len)
{
    assert(len <= text->len);
    if (len > 0)
        text->ptr += len;
    text->len -= len;
}
/* A place in a text that is counted forward from its start (line and column
 * 1), so that many positions, in the order of the text, cost one pass. */
typedef struct surety__position_walk {
    surety_str text;
    size_t offset;
    size_t chars; /* code points before it */
    uint32_t line, column;
} surety__position_walk;
static inline surety__position_walk surety__position_begin(surety_str text)
{
    return (surety__position_walk){.text = text, .line = 1, .column = 1};
}
/* Goes on to offset, or to the end of the text; back by way of the start. */
void surety__position_advance(surety__position_walk *walk, size_t offset);
/* The number of elements of an array. */
#define SURETY__COUNT(array) (sizeof(array) / sizeof(*(array)))
/* Returns whether text is one of the names. */
bool surety__str_among(surety_str text, const char *const *names, size_t count);
/* The same, ignoring ASCII case. */
bool surety__str_among_nocase(surety_str text, const char *const *names,
                              size_t count);
bool surety__str_starts(surety_str text, surety_str prefix);
bool surety__str_ends(surety_str text, surety_str ending);
/* As surety__str_starts and surety__str_find, ignoring ASCII case. */
bool surety__str_starts_nocase(surety_str text, surety_str prefix);
size_t surety__str_find_nocase(surety_str text, surety_str needle);
/* Compares, ignoring ASCII case. */
bool surety__str_equal_nocase(surety_str a, surety_str b);
/* Returns whether name is a token of RFC 9110, section 5.6.2, as a header's
 * name must be. */
bool surety__is_token(surety_str name);
/* Returns whether text is a number of digits alone that fits 64 bits. */
bool surety__str_number(surety_str text, uint64_t *ret_number);
/* Returns the offset of the first control character of ASCII in text, or
 * text.len. tabs: a tab counts. */
size_t surety__str_find_control(surety_str text, bool tabs);
/* Returns the offset of the first needle in text, or text.len; linear. */
size_t surety__str_find(surety_str text, surety_str needle);
int surety__str_compare(surety_str a, surety_str b);
/* Returns the optimal string alignment distance of two texts in bytes, at most
 * max + 1. Texts over 64 bytes count as max + 1. For hints. */
unsigned surety__str_distance(surety_str a, surety_str b, unsigned max);

/* Returns the eight (or four) bytes at ptr as a number, the same on every
 * machine; the first byte has the lowest bits. */
static inline uint64_t surety__load_eight(const char *ptr)
{
    uint64_t word;

    memcpy(&word, ptr, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline uint32_t surety__load_four(const char *ptr)
{
    uint32_t word;

    memcpy(&word, ptr, 4);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    return word;
}

/* Multiplies a and b. Returns the high word; *ret_low is the low one. */
static inline uint64_t surety__multiply(uint64_t a, uint64_t b,
                                        uint64_t *ret_low)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;

    *ret_low = (uint64_t)product;
    return (uint64_t)(product >> 64);
#else
    uint64_t a_low = (uint32_t)a, a_high = a >> 32;
    uint64_t b_low = (uint32_t)b, b_high = b >> 32;
    uint64_t low = a_low * b_low;
    uint64_t middle = a_high * b_low + (low >> 32);
    uint64_t other = a_low * b_high + (uint32_t)middle;

    *ret_low = other << 32 | (uint32_t)low;
    return a_high * b_high + (middle >> 32) + (other >> 32);
#endif
}

/* Returns a 32-bit hash of bytes, the same on every machine; inline, because
 * the reader hashes every key. A multiplication takes in eight bytes and, at
 * the end, sixteen; its two halves are joined, so that each bit of the text
 * reaches all bits of the hash. Texts of at most 16 bytes are two loads that
 * overlap. No caller needs an unpredictable hash: code that groups by it sorts
 * or compares, and stays n log n even when all hashes are equal. */
static inline uint32_t surety__hash(const char *ptr, size_t len)
{
    /* The first two words of pi's fraction: numbers without a pattern. */
    const uint64_t mixer = 0x243F6A8885A308D3u;
    uint64_t hash = 0x13198A2E03707344u + len;
    uint64_t first = 0, last = 0, low;

    if (len >= 8) {
        for (; len > 16; ptr += 8, len -= 8) {
            hash =
                surety__multiply(surety__load_eight(ptr) ^ mixer, hash, &low);
            hash ^= low;
        }
        first = surety__load_eight(ptr);
        last = surety__load_eight(ptr + len - 8);
    } else if (len >= 4) {
        first = surety__load_four(ptr);
        last = surety__load_four(ptr + len - 4);
    } else if (len) {
        first = (uint64_t)(unsigned char)ptr[0] << 16 |
                (uint64_t)(unsigned char)ptr[len / 2] << 8 |
                (unsigned char)ptr[len - 1];
    }
    hash = surety__multiply(first ^ mixer, last ^ hash, &low);
    hash ^= low;
    return (uint32_t)(hash ^ hash >> 32);
}

/* Returns the code point at ptr (< end), with its length in *ret_len. Invalid
 * UTF-8 (RFC 3629): returns 0xFFFFFFFF, with the length of the maximal subpart
 * (Unicode 15, section 3.9, table 3-8), at least 1. */
uint32_t surety__utf8_decode(const char *ptr, const char *end,
                             unsigned *ret_len);
/* Writes code (a scalar value) to out (4 bytes). Returns the length. */
unsigned surety__utf8_encode(uint32_t code, char *out);
/* Returns whether text is valid UTF-8; if not, *ret_offset (ret_offset may be
 * NULL) is the first invalid byte. */
bool surety__utf8_valid(surety_str text, size_t *ret_offset);
/* Returns whether a code point may change how a terminal shows the text around
 * it, or is invisible and may hide a text: C0 and C1 controls, line separators,
 * bidirectional and other format characters (Unicode 15, sections 23.2 to
 * 23.9). The joiners U+200C and U+200D are not among them: they belong to
 * letters. */
bool surety__utf8_is_acted_on(uint32_t code);
static inline bool surety__is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Returns whether a byte is a letter of ASCII. */
static inline bool surety__is_letter(char byte)
{
    return ((unsigned char)byte | 0x20u) - 'a' < 26;
}

/* Returns the value of a hexadecimal digit, or 16 when it is none. */
static inline unsigned surety__hex_digit(char byte)
{
    const unsigned letter = (unsigned char)byte | 0x20u;

    if (byte >= '0' && byte <= '9')
        return (unsigned)(byte - '0');
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : 16;
}

/* Appends text as valid UTF-8: what is none becomes U+FFFD. */
void surety__buf_utf8(surety_buf *buf, surety_str text);

/* Appends text as one line: characters that a terminal acts on become blanks,
 * and invalid UTF-8 becomes a replacement character. Cuts the text after max
 * characters and adds three dots. */
void surety__buf_line(surety_buf *buf, surety_str text, size_t max);
/* Returns whether a code point is shown as a blank: spaces, controls, line
 * separators, and the object replacement character. */
bool surety__utf8_is_blank(uint32_t code);
/* Returns whether a code point is invisible: bidirectional controls and the
 * like, soft hyphens, byte order marks. */
bool surety__utf8_is_hidden(uint32_t code);
/* Returns the most bytes, up to max, at which text can be cut between
 * characters. */
size_t surety__utf8_cut(surety_str text, size_t max);
/* Appends text for a prompt, cut after max bytes between two characters, with a
 * note about its length. Control characters, and those that hide or reorder
 * text, become \uXXXX, which is valid inside a JSON string. */
void surety__buf_quoted(surety_buf *out, surety_str text, size_t max);
/* Returns the number of code points in valid UTF-8. */
size_t surety__utf8_count(surety_str text);

/* Appends bytes in base64 with padding (RFC 4648, section 4). */
void surety__base64_encode(surety_buf *out, surety_str bytes);
/* Appends the bytes that text encodes. Returns false if text is not base64, or
 * not as surety__base64_encode writes it. */
bool surety__base64_decode(surety_buf *out, surety_str text);

/* Appends one field of CSV, quoted if necessary; a NUL becomes U+FFFD.
 * formulas: keep texts that a spreadsheet would execute as they are. */
void surety__csv_field(surety_str text, bool formulas, surety_buf *out);

/* Appends all remaining bytes of an open file or pipe. IO: errno has the
 * reason; LIMIT: there are more than max bytes, or more than out may hold;
 * NOMEM. */
surety_status surety__file_drain(int fd, size_t max, surety_buf *out);

/* A file that the build embeds in the library (tools/embed.py): its path below
 * the embedded folder, without the file name extension, and its text. A
 * generated table SYMBOL has its length in SYMBOL_count. */
typedef struct surety__embedded {
    const char *name;
    const char *text;
    size_t len;
} surety__embedded;

#endif
