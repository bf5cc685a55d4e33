/* SPDX-License-Identifier: Apache-2.0 */
/* The door of json/: the cells behind surety_doc, for code that walks them at
 * speed, and exact decimal arithmetic.
 *
 * A document is one array of 16-byte cells in text order. Invariants:
 * 1. A container's cell is followed by its children; `span` is how many cells
 *    its subtree takes, itself included, so cell + span is what comes next.
 *    Spans are relative: a subtree can be copied or moved as it is.
 * 2. In an object each member is a key cell (KEY) and then its value.
 * 3. Keys of one object are unique: an earlier duplicate is taken out when its
 *    object closes, and noted.
 * 4. Strings and number texts are a length and an offset into the doc's text
 *    or, with FLAG_OWN, into its own block of decoded bytes.
 * 5. `place` is the byte of the text where the value starts, PLACE_NONE where
 *    it was built. An INT's text starts at its place; one that was built has
 *    FLAG_OWN, its text stands at offset `place` of the own block with a zero
 *    behind it, and it has no position.
 * 6. While a container is open its `span` is the index of the container around
 *    it: the stack of open containers lives in the cells. */
#ifndef SURETY_JSON_JSON_H
#define SURETY_JSON_JSON_H

#include <surety/json.h>

#include "base/base.h"

/* What a cell holds. Numbers are told apart by what represents them; every
 * number keeps its text. */
enum surety__cell_kind {
    CELL_NULL = 1,
    CELL_FALSE,
    CELL_TRUE,
    CELL_INT,   /* an integer literal that fits int64_t: `i` */
    CELL_WHOLE, /* any other integer, as 1.0, 1e2 or 1e30: its text only */
    CELL_REAL,  /* a number that is no integer: its text only */
    CELL_STRING,
    CELL_KEY,
    CELL_ARRAY,
    CELL_OBJECT
};

#define PLACE_NONE UINT32_MAX

typedef struct surety__cell {
    uint8_t kind;
    uint8_t flags;
    uint16_t hash; /* of a KEY: surety__hash's low 16 bits; else 0 */
    uint32_t place;
    union {
        int64_t i; /* INT */
        struct {
            uint32_t len, off; /* STRING, KEY, WHOLE, REAL */
        };
        struct {
            uint32_t count, span; /* ARRAY, OBJECT */
        };
    };
} surety__cell;

_Static_assert(sizeof(surety__cell) == 16, "cells are 16 bytes");

enum surety__cell_flag {
    FLAG_OWN = 1,   /* the bytes are in the doc's own block */
    FLAG_ASCII = 2, /* a STRING or KEY whose bytes are all below 0x80 */
    FLAG_OPEN = 4   /* its end had not come when it was read */
};

enum { DOC_SLOTS = 1024 }; /* a power of two, at most 65,536 */

/* A liberty that was taken: mends.def has the kinds. */
enum surety__mend_kind {
#define X(id, name, likely, about) MEND_##id,
#include "json/mends.def"
#undef X
    MEND_COUNT
};

typedef struct surety__mend {
    uint8_t kind;
    bool own;                    /* what was read is in the doc's own block */
    uint32_t offset;             /* of what stood, in the text */
    uint32_t len;                /* its bytes */
    const char *read;            /* what it was read as, a constant; or NULL: */
    uint32_t read_off, read_len; /* where in the text or the own block */
} surety__mend;

struct surety_doc {
    const surety_alloc *alloc;
    surety__cell *cells;
    size_t cell_count, cell_cap;
    const char *text; /* what places and offsets without FLAG_OWN point into */
    size_t text_len;
    char *copy; /* the doc's own copy of the text, or NULL */
    size_t copy_cap;
    char *own; /* decoded strings and built texts */
    size_t own_len, own_cap;
    uint32_t *seen; /* scratch for finding duplicate keys and passing over */
    size_t seen_cap;
    uint64_t *window; /* scratch of the reader: masks, then tokens */
    size_t window_cap;
    /* The reader's first look for duplicate keys: by some bits of its hash, the
     * last key that had them, as its cell's index above slots_base. */
    uint32_t slots[DOC_SLOTS];
    uint32_t slots_base;
    struct {
        uint32_t place, len, off, flags;
        uint32_t again; /* the place of the key that replaced it */
    } duplicates[64];
    size_t duplicate_count;
    struct {
        surety__mend *items; /* in text order; at most mends_max */
        size_t cap, kept;
        size_t count, likely; /* all of them */
    } mends;
    surety_limits limits;
    bool limits_default; /* they are the defaults */
    uint32_t open;       /* the innermost open container, PLACE_NONE: none */
    uint32_t depth;      /* open containers */
    struct {
        surety_status status;
        const char *fault; /* what went wrong, a sentence */
        size_t limit;      /* LIMIT: the value that was reached */
        bool key;          /* a key was pushed and waits for its value */
        bool on;           /* begun, and surety_build_end has not come */
    } build;
};

static inline const surety__cell *surety__cell_of(surety_val val)
{
    return &val.doc->cells[val.index];
}

static inline bool surety__cell_is_number(const surety__cell *cell)
{
    return cell->kind >= CELL_INT && cell->kind <= CELL_REAL;
}

static inline bool surety__cell_is_string(const surety__cell *cell)
{
    return cell->kind == CELL_STRING || cell->kind == CELL_KEY;
}

/* The cell after the subtree of cell. */
static inline const surety__cell *surety__cell_after(const surety__cell *cell)
{
    return cell + (cell->kind >= CELL_ARRAY ? cell->span : 1u);
}

static inline surety_str surety__cell_str(const surety_doc *doc,
                                          const surety__cell *cell)
{
    const char *base = cell->flags & FLAG_OWN ? doc->own : doc->text;

    return (surety_str){base + cell->off, cell->len};
}

static inline surety_val surety__val_of(const surety_doc *doc,
                                        const surety__cell *cell)
{
    return (surety_val){doc, (uint32_t)(cell - doc->cells)};
}

/* ---- numbers (number.c, decimal.c) ------------------------------------- */

/* A number's text taken apart: (negative ? -1 : 1) * digits * 10^exponent.
 * The digits are those of the literal without dot, leading and trailing zeros
 * removed; a zero has none. The exponent is clamped to +-1e9, far beyond the
 * digits of any accepted literal. */
typedef struct surety__decimal {
    const char *digits;  /* the literal from its first counted digit */
    uint32_t digits_len; /* characters there, a dot among them perhaps */
    uint32_t digit_count;
    int64_t exponent;
    bool negative;
} surety__decimal;

/* literal: the text of a JSON number. */
surety__decimal surety__decimal_of(surety_str literal);
bool surety__decimal_is_integer(surety__decimal number);
/* -1, 0, 1; exact, linear in the digits. */
int surety__decimal_compare(surety__decimal a, surety__decimal b);
/* Whether number is an integer times divisor (not zero). Exact; allocates
 * nothing; bounded by number_len_max digits. */
bool surety__decimal_multiple(surety__decimal number, surety__decimal divisor);
/* The nearest double, ties to even; +-HUGE_VAL past the range. */
double surety__decimal_real(surety__decimal number);
/* The same for a literal, with the fast paths first. */
double surety__number_real(surety_str literal);
/* The shortest digits that read back as value, as ECMA-262's Number::toString
 * writes them (the form of RFC 8785); out has room for 32. Gives the length.
 * Never depends on the locale. */
size_t surety__number_write(double value, char *out);

/* The decimal of a number cell; an INT's digits are taken from its text. */
surety__decimal surety__cell_decimal(const surety_doc *doc,
                                     const surety__cell *cell);
/* The text of a number cell. */
surety_str surety__cell_number(const surety_doc *doc, const surety__cell *cell);
int surety__number_compare(const surety_doc *a_doc, const surety__cell *a,
                           const surety_doc *b_doc, const surety__cell *b);

/* A hash that is equal for equal values (as surety_val_equal). Iterative. */
uint64_t surety__val_hash(surety_val val);

/* The cell of the member called key (whose surety__hash is hash), or NULL. */
const surety__cell *surety__member(const surety_doc *doc,
                                   const surety__cell *object, surety_str key,
                                   uint32_t hash);

/* ---- the strict reader (read.c) ------------------------------------------ */

/* Reads the array or object that text starts with, strictly, and stops behind
 * it; the text is borrowed. True: *ret_end is where it ends. False: it is none,
 * or something near it is wrong; why is not said, doc is empty, and *ret_end is
 * how many bytes were looked at. */
bool surety__doc_read_first(surety_doc *doc, surety_str text,
                            const surety_limits *limits, size_t *ret_end);

/* ---- the tolerant reader (lenient_show.c) -------------------------------- */

/* Whether an array is open in what was pushed that has `items` complete items
 * at least, the last of which did not end before `offset` of the text. Linear
 * in the depth. */
bool surety__lenient_lists(const surety_lenient *lenient, size_t items,
                           size_t offset);

/* ---- mends (mend.c) ----------------------------------------------------- */

/* The name of a kind, what it is in words, and whether it is likely only. */
const char *surety__mend_name(enum surety__mend_kind kind);
const char *surety__mend_about(enum surety__mend_kind kind);
bool surety__mend_is_likely(enum surety__mend_kind kind);
/* Notes a mend in its place in text order; past mends_max it is only counted.
 * OK or NOMEM. */
surety_status surety__mend_add(surety_doc *doc, const surety__mend *mend);
/* Takes the last one back, which must be certain. */
void surety__mend_drop(surety_doc *doc);

/* The reader itself, for values that need no tree. */
#include "json/tokens.h"

/* How many values it holds, keys counted too. */
size_t surety__doc_size(const surety_doc *doc);

/* "line", "column", "offset" and "length"; nothing where the line is 0. */
void surety__json_position(surety_buf *out, const surety_position *position);

#endif
