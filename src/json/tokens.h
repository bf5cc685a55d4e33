/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens of the strict reader: the state that read.c and tokens.c share.
 *
 * A token is the offset of a byte of the text: one of { } [ ] : , outside
 * strings, a quote that opens or closes a string, or the first byte of any
 * other stretch outside strings and white space (a number, a name, an error).
 * So a string is two tokens, and every other scalar is one. The reader finds
 * tokens one window of text at a time (index.h). read.c walks them with a
 * cursor of its own, which can stay in a register.
 *
 * 1. A function that returns a cursor returns NULL when it refuses the text.
 *    fault.c then reads the text again byte by byte, to find the mistake.
 * 2. When the cursor is at most at the limit, TOKENS_AHEAD tokens may be read,
 *    enough for a member and the tokens after it.
 * 3. After the last token of the text are sentinels that no grammar rule
 *    accepts. The next _fill or _end refuses a cursor that has run into them.
 * 4. A window with a control character in a string, or with invalid UTF-8, is
 *    refused when it is scanned. Under SURETY_READ_UNIQUE_KEYS it is refused at
 *    the end, where it is known which mistake comes first.
 * 5. The window is in this struct, which is on the C stack of the reading
 *    function and takes 23 KB of it: the doc keeps only what it holds.
 *    Only what the text needs of the window is ever written. */
#ifndef SURETY_JSON_TOKENS_H
#define SURETY_JSON_TOKENS_H

#include "json/inside.h"

enum {
    TOKENS_AHEAD = 8,     /* tokens that may be read at the limit */
    TOKENS_WINDOW = 4096, /* bytes of text scanned at once */
    TOKENS_BLOCK = 64,    /* bytes of text in one word of a mask */
    TOKENS_MASKS = TOKENS_WINDOW / TOKENS_BLOCK,
    TOKENS_SLOTS = 1024, /* most; a power of two, at most 65,536 */
    TOKENS_SLACK = 64    /* entries after the tokens that may be overwritten */
};

/* The text and the scan's state, which passes from window to window. */
typedef struct surety__scan {
    const char *text;
    size_t len;
    size_t next;      /* the first byte not scanned; a multiple of 64, or len */
    uint64_t quoted;  /* all ones: next is inside a string; else 0 */
    uint64_t escaped; /* 1: a backslash escapes next */
    uint64_t scalar;  /* 1: the byte before next belongs to a number or name */
    uint64_t broken;  /* not 0: a control character, or invalid UTF-8 */
    uint64_t marked;  /* not 0: some bit of a mask below is set */
    /* For each 64 bytes of the window: the backslashes, and the bytes above
     * 0x7F; the first byte is the lowest bit. A word may be loaded at any byte,
     * so there is one more. */
    uint64_t backslashes[TOKENS_MASKS + 1], high[TOKENS_MASKS + 1];
} surety__scan;

typedef struct surety__tokens {
    const char *base;      /* the bytes of the text; offsets count from here */
    const uint32_t *limit; /* a cursor above it must call _fill */
    surety_doc *doc;
    /* Bytes from base on that may be loaded; 0 when number_len_max is so low
     * that short numbers must be checked, too. */
    size_t loadable;
    bool marked;     /* strings may have escapes or bytes above 0x7F */
    bool unique;     /* SURETY_READ_UNIQUE_KEYS */
    bool skip_bom;   /* SURETY_READ_SKIP_BOM */
    bool nomem;      /* the text was refused because memory ran out */
    uint32_t values; /* values read, keys included; _end checks it */
    uint32_t string_len_max, key_len_max, number_len_max;
    uint32_t sentinel;   /* the token after the last one */
    const uint32_t *end; /* after the last token of the window */
    size_t window;       /* the offset where the masks begin */
    uint32_t *(*run)(struct surety__scan *index, uint32_t *out);
    /* Under unique: the offset of a duplicate key, and where its object closed;
     * PLACE_NONE: there is none. */
    uint32_t duplicate, duplicate_end;
    struct surety__scan scan;
    /* The walk's first check for duplicate keys. The slot for some bits of a
     * key's hash holds the last key with these bits. */
    uint32_t slot_mask; /* their number, a power of two, less one */
    uint32_t slots[TOKENS_SLOTS];
    /* The tokens of the window, after those of the last one that the cursor has
     * not passed. */
    uint32_t found[2 * TOKENS_AHEAD + TOKENS_WINDOW + TOKENS_SLACK];
} surety__tokens;

/* Starts on text. doc keeps a copy or, with SURETY_READ_BORROW, refers to the
 * caller's bytes, and reads none past the end. options: as for surety_doc_read.
 * Empties doc first. Returns the cursor at the first token, or NULL when the
 * text is refused or memory ran out. */
const uint32_t *surety__tokens_begin(surety__tokens *tokens, surety_doc *doc,
                                     surety_str text,
                                     const surety_read_options *options);
/* Returns whether at is after the last token and the text is correct. */
bool surety__tokens_end(surety__tokens *tokens, const uint32_t *at);
/* Reports the mistake of a refused text: SURETY_SYNTAX or SURETY_LIMIT with the
 * first byte that the grammar or the limits do not allow, or SURETY_NOMEM.
 * Leaves doc empty. */
surety_status surety__tokens_fault(surety__tokens *tokens,
                                   surety_error *reterr);

/* Reads the value at `at` into doc's cells, as surety_doc_read does. (read.c)
 */
const uint32_t *surety__tokens_read(surety__tokens *tokens, const uint32_t *at);
/* The rare cases of the functions below: the next window; a string that may
 * have escapes; a number at the end of the text; one that is no short integer;
 * a name anywhere. */
const uint32_t *surety__tokens_fill(surety__tokens *tokens, const uint32_t *at);
const uint32_t *surety__token_text(surety__tokens *tokens, const uint32_t *at,
                                   surety__cell *cell, uint8_t kind);
const uint32_t *surety__token_last(surety__tokens *tokens, const uint32_t *at,
                                   surety__cell *cell);
const uint32_t *surety__token_decimal(surety__tokens *tokens,
                                      const uint32_t *at, surety__cell *cell);
const uint32_t *surety__token_word(surety__tokens *tokens, const uint32_t *at,
                                   surety__cell *cell);

/* Not 0 for the bytes that may follow a number or name. */
extern const unsigned char surety__token_stops[256];
/* The least number of so many digits; of none, more than it can be. */
extern const uint32_t surety__token_least[8];

/* Returns whether a mask of the window has a bit for the len bytes (at most 56)
 * after the quote at open. */
static inline bool surety__token_mask(const surety__tokens *tokens,
                                      const uint64_t *mask, uint32_t open,
                                      uint32_t len)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const size_t bit = open + 1 - tokens->window;
    uint64_t word;

    memcpy(&word, (const char *)mask + bit / 8, sizeof(word));
    return (word >> bit % 8 & (((uint64_t)1 << len) - 1)) != 0;
#else
    (void)tokens, (void)mask, (void)open, (void)len;
    return true;
#endif
}

/* Writes the cell of a string or key; the caller counts it in values. Sets
 * *ret_hash to a key's hash if ret_hash is not NULL. */
static inline const uint32_t *surety__token_quoted(surety__tokens *tokens,
                                                   const uint32_t *at,
                                                   surety__cell *cell,
                                                   uint8_t kind,
                                                   uint32_t *ret_hash)
{
    uint32_t open = at[0], len = at[1] - open - 1;
    uint32_t max =
        kind == CELL_KEY ? tokens->key_len_max : tokens->string_len_max;
    uint32_t hash = 0;
    uint8_t flags = FLAG_ASCII;

    /* After the last token there is no closing quote. len is then above max,
     * because no limit is greater than the text. */
    if (len > max)
        goto rare;
    if (tokens->marked) {
        if (len > 56 || open < tokens->window ||
            surety__token_mask(tokens, tokens->scan.backslashes, open, len))
            goto rare;
        if (surety__token_mask(tokens, tokens->scan.high, open, len))
            flags = 0;
    }
    if (ret_hash)
        *ret_hash = hash = surety__hash(tokens->base + open + 1, len);
    surety__cell_head(cell, kind, flags, (uint16_t)hash, open);
    surety__cell_text(cell, len, open + 1);
    return at + 2;
rare:
    at = surety__token_text(tokens, at, cell, kind);
    if (ret_hash)
        *ret_hash = at ? cell->hash : 0;
    return at;
}

/* Writes the cell of a number; the caller counts it in values. Reads integers
 * of at most seven digits here, eight bytes at once and without a loop. */
static inline const uint32_t *surety__token_numeral(surety__tokens *tokens,
                                                    const uint32_t *at,
                                                    surety__cell *cell)
{
    uint32_t place = *at;
    const char *ptr = tokens->base + place;
    bool negative = *ptr == '-';
    uint64_t word, stop, value;
    unsigned bits;

    if (place + (size_t)9 > tokens->loadable)
        return surety__token_last(tokens, at, cell);
    ptr += negative;
    word = surety__load_eight(ptr);
    stop = scan_no_digits(word);
    if (!stop)
        return surety__token_decimal(tokens, at, cell);
    bits = (unsigned)__builtin_ctzll(stop) & 56u;
    if (!surety__token_stops[(unsigned char)ptr[bits / 8]])
        return surety__token_decimal(tokens, at, cell);
    /* With the digits in the upper bytes, zeros are in front of them. Two
     * shifts, for there may be no digit. */
    value = scan_eight(word << 8 << (56 - bits));
    if (value < surety__token_least[bits / 8]) /* none, or a zero first */
        return surety__token_decimal(tokens, at, cell);
    surety__cell_head(cell, CELL_INT, 0, 0, place);
    cell->i = negative ? -(int64_t)value : (int64_t)value;
    return at + 1;
}

/* Writes the cell of a name; the caller counts it in values. */
static inline const uint32_t *surety__token_named(surety__tokens *tokens,
                                                  const uint32_t *at,
                                                  surety__cell *cell)
{
    uint32_t place = *at;
    uint8_t kind = CELL_NULL;
    unsigned bits = 32;
    uint64_t word;

    if (place + (size_t)8 > tokens->loadable)
        return surety__token_word(tokens, at, cell);
    word = surety__load_eight(tokens->base + place);
    if ((uint32_t)word == 0x65757274) { /* "true", in little-endian order */
        kind = CELL_TRUE;
    } else if ((word & 0xFFFFFFFFFF) == 0x65736C6166) { /* "false" */
        kind = CELL_FALSE;
        bits = 40;
    } else if ((uint32_t)word != 0x6C6C756E) { /* "null" */
        return NULL;
    }
    if (!surety__token_stops[(word >> bits) & 0xFF])
        return NULL;
    surety__cell_head(cell, kind, 0, 0, place);
    cell->i = 0;
    return at + 1;
}

#endif
