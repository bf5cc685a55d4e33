/* SPDX-License-Identifier: Apache-2.0 */
/* The door of json/: the cells behind surety_doc, for code that walks them
 * fast, and exact decimal arithmetic.
 *
 * A document is one array of 16-byte cells in text order. Invariants:
 * 1. A container's cell comes before its children. `span` is the number of
 *    cells of its subtree, itself included, so cell + span is the next cell
 *    after it. Spans are relative: a subtree can be copied or moved as it is.
 * 2. In an object each member is a key cell (KEY), followed by its value.
 * 3. Keys of one object are unique. When an object closes, the reader removes
 *    the earlier of two duplicates and records it.
 * 4. Strings and number texts are a length and an offset. The offset counts in
 *    the doc's text or, with FLAG_OWN, in its own block of decoded bytes.
 * 5. `place` is the offset in the text where the value starts, PLACE_NONE for a
 *    value that was built. An INT's text starts at its place. An INT that was
 *    built has FLAG_OWN: its text is at offset `place` of the own block, with a
 *    zero byte after it, and it has no position.
 * 6. While a container is open, its `span` is the index of its parent: the
 *    cells themselves are the stack of open containers. */
#ifndef SURETY_JSON_JSON_H
#define SURETY_JSON_JSON_H

#include <surety/json.h>

#include "base/base.h"

/* What a cell holds. The kind of a number names its representation; every
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
    FLAG_OPEN = 4   /* its end had not arrived when it was read */
};

/* A repair that the tolerant reader made: repairs.def has the kinds. */
enum surety__repair_kind {
#define X(id, name, likely, about) REPAIR_##id,
#include "json/repairs.def"
#undef X
    REPAIR_COUNT
};

typedef struct surety__text_repair {
    uint8_t kind;
    bool own;         /* the replacement is in the doc's own block */
    uint32_t offset;  /* of the replaced bytes, in the text */
    uint32_t len;     /* number of replaced bytes */
    const char *read; /* the replacement, a constant; NULL: see below */
    uint32_t read_off, read_len; /* the same, in the text or own block */
} surety__text_repair;

/* A key that a later member of its object replaced. */
typedef struct surety__duplicate {
    uint32_t place, len, off, flags;
    uint32_t again; /* the offset of the key that replaced it */
} surety__duplicate;

enum { DOC_DUPLICATES_MAX = 64 }; /* that are kept; all are counted */

struct surety_doc {
    surety__cell *cells;
    size_t cell_count, cell_cap;
    const char *text; /* places, and offsets without FLAG_OWN, refer to it */
    size_t text_len;
    char *own; /* decoded strings and built texts */
    size_t own_len, own_cap;
    char *copy; /* the doc's own copy of the text, or NULL */
    size_t copy_cap;
    const surety_alloc *alloc;
    surety__duplicate *duplicates; /* in text order */
    size_t duplicate_cap, duplicate_count;
    struct {
        surety__text_repair *items; /* in text order; at most repairs_max */
        size_t cap, count;
        size_t total, likely; /* also those that are not kept */
    } repairs;
    surety_limits limits;
    bool limits_default; /* limits has the defaults */
    uint32_t open;       /* the innermost open container, PLACE_NONE: none */
    uint32_t depth;      /* open containers */
    struct {
        surety_status status;
        const char *fault; /* what went wrong, as a sentence */
        size_t limit;      /* LIMIT: the value that was reached */
        bool key;          /* a key was added and has no value yet */
        bool on;           /* between surety_build_begin and surety_build_end */
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

/* Returns the cell after the subtree of cell. */
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

/* A number's text as (negative ? -1 : 1) * digits * 10^exponent. The digits are
 * those of the literal, without the dot and without leading and trailing zeros;
 * the number zero has none. The exponent is clamped to +-1e9, far beyond the
 * digits of any accepted literal. */
typedef struct surety__decimal {
    const char *digits;  /* the literal from its first counted digit */
    uint32_t digits_len; /* characters there; one may be the dot */
    uint32_t digit_count;
    int64_t exponent;
    bool negative;
} surety__decimal;

/* literal: the text of a JSON number. */
surety__decimal surety__decimal_of(surety_str literal);
bool surety__decimal_is_integer(surety__decimal number);
/* Returns -1, 0 or 1. Exact; linear in the number of digits. */
int surety__decimal_compare(surety__decimal a, surety__decimal b);
/* Returns whether number is an integer multiple of divisor, which is not zero.
 * Exact; allocates nothing; the work is bounded by number_len_max digits. */
bool surety__decimal_multiple(surety__decimal number, surety__decimal divisor);
/* Returns the nearest double, ties to even; +-HUGE_VAL beyond the range. */
double surety__decimal_real(surety__decimal number);
/* As surety__decimal_real, for a literal; tries the fast paths first. */
double surety__number_real(surety_str literal);
/* Writes the shortest digits that read back as value, in the form of ECMA-262's
 * Number::toString (as RFC 8785 requires). out has room for 32 bytes. Returns
 * the length. Does not depend on the locale. */
size_t surety__number_write(double value, char *out);

/* Returns the decimal of a number cell, from its text. */
surety__decimal surety__cell_decimal(const surety_doc *doc,
                                     const surety__cell *cell);
/* Returns the text of a number cell. */
surety_str surety__cell_number(const surety_doc *doc, const surety__cell *cell);
int surety__number_compare(const surety_doc *a_doc, const surety__cell *a,
                           const surety_doc *b_doc, const surety__cell *b);

/* Returns a hash that is equal for equal values (see surety_val_equal).
 * Iterative. */
uint64_t surety__val_hash(surety_val val);

/* Returns the cell of the member called key, whose surety__hash is hash; NULL:
 * there is none. */
const surety__cell *surety__member(const surety_doc *doc,
                                   const surety__cell *object, surety_str key,
                                   uint32_t hash);

/* ---- pointers (pointer.c) ----------------------------------------------- */

/* Returns the last token of a JSON Pointer, as it is written; *ret_before (may
 * be NULL): the token before it. A token that does not exist is empty. */
surety_str surety__pointer_last(surety_str pointer, surety_str *ret_before);

/* Whether a token, valid and without its "/", is the key's. */
bool surety__pointer_matches(surety_str token, surety_str key);
/* Whether a token without its "/" is the index of an item that can be. */
bool surety__pointer_index(surety_str token, uint32_t *ret_index);

/* Appends a token without "~" and "/". */
void surety__pointer_word(surety_buf *out, surety_str word);

/* The way to the last value whose pointer was written: the next pointer costs
 * what lies between the two values, so those of many values, in the order of
 * the document, cost one pass. Any other order is right too, and only slower.
 * A doc of NULL begins a walk; it ends before the document changes. */
typedef struct surety__pointer_walk {
    const surety_doc *doc;
    size_t depth; /* steps that are known: the first ones, from the root */
    struct surety__pointer_step {
        uint32_t child;   /* the index of its cell */
        uint32_t ordinal; /* how many children come before it */
    } steps[16];          /* deeper ones are taken anew each time */
} surety__pointer_walk;
/* As surety_val_pointer. */
void surety__pointer_walk_to(surety__pointer_walk *walk, surety_val val,
                             surety_buf *out);

/* Returns whether the doc's text has the value; then *ret_offset and
 * *ret_length say where, and its line is not worked out. (position.c) */
bool surety__val_span(surety_val val, size_t *ret_offset, size_t *ret_length);
/* Returns the position of a stretch of a string: offset and length are those of
 * its decoded bytes. line 0: the string has no position. (position.c) */
surety_position surety__val_position_within(surety_val val, size_t offset,
                                            size_t length);

/* ---- the strict reader (read.c) ------------------------------------------ */

/* Reads the array or object at the start of text, strictly, and stops after it.
 * The doc borrows the text. Returns true and the end of the value in *ret_end.
 * Returns false when there is no such value or it has an error: doc is empty
 * then, *ret_end is the number of bytes examined, and no error is reported. */
bool surety__doc_read_first(surety_doc *doc, surety_str text,
                            const surety_limits *limits, size_t *ret_end);

/* Finds the first mistake of a text that the strict reader refuses. OK: there
 * is none, or a value and then more. SYNTAX, or LIMIT: the reader takes no
 * more. *ret_offset is where. NOMEM. The doc is empty afterwards. */
surety_status surety__doc_mistake(surety_doc *doc, surety_str text,
                                  const surety_limits *limits,
                                  size_t *ret_offset);

/* ---- the tolerant reader (lenient.c, lenient_show.c) --------------------- */

/* A change that the tolerant reader made to read the text as JSON. A certain
 * repair leaves no doubt about the meaning (a trailing comma); a likely repair
 * is a guess (a missing quote). docs/repair.md lists the kinds. The texts
 * belong to the doc. */
typedef struct surety__repair_view {
    const char *kind;    /* "trailing-comma", ... */
    bool likely;         /* false: certain */
    size_t offset;       /* of original, in the doc's text */
    surety_str original; /* empty: something was missing */
    surety_str read;     /* what it was read as; empty: it was skipped */
} surety__repair_view;

typedef struct surety__lenient_options {
    /* Make no repair: a text that surety_doc_read refuses is SURETY_SYNTAX. */
    bool strict;
    /* Make no likely repair: a text that needs one is SURETY_SYNTAX. */
    bool certain_only;
    /* Returns whether some object is expected to have a member of that name;
     * NULL: not known. Used only to choose where a text can be read in several
     * ways. */
    bool (*expects)(void *ctx, surety_str name);
    void *expects_ctx;
    const surety_limits *limits; /* NULL: defaults */
    /* The text is known to be cut off: the reader closes no value that is open
     * at the end of the text, and a number at the end is open. */
    bool cut;
} surety__lenient_options;

/* Reads into doc the JSON value at the start of text (after white space and
 * comments), and repairs the errors that models make. doc is reused as by
 * surety_doc_read; text must not change while doc is used. *ret_end is the
 * offset where the value ends; the rest of text is not read.
 * A text that is JSON gives exactly the result of surety_doc_read, without
 * repairs. Linear in the value.
 * SURETY_END: the text is cut off before the value ends. doc then has the part
 * that is there, with open values marked (surety_val_is_open), and the error's
 * path is that of the innermost open value. If only closing brackets are
 * missing after a complete value, that is a likely repair. If that value is a
 * number with only white space after it, there is a second likely repair,
 * because digits may be missing. SURETY_SYNTAX: repairs cannot make it JSON;
 * SURETY_LIMIT; SURETY_NOMEM. */
surety_status surety__doc_read_lenient(surety_doc *doc, surety_str text,
                                       const surety__lenient_options *options,
                                       size_t *ret_end, surety_error *reterr);

/* As surety_lenient_begin, with options; NULL: defaults. */
surety_status surety__lenient_begin(surety_lenient *reader, surety_doc *doc,
                                    const surety__lenient_options *options,
                                    surety_error *reterr);

/* Returns whether the pushed text has an open array with at least `items`
 * complete items, the last of which ends at or after `offset` of the text.
 * Linear in the depth. */
bool surety__lenient_lists(const surety_lenient *lenient, size_t items,
                           size_t offset);

/* ---- repairs (repair.c) -------------------------------------------------- */

/* The repairs that were made in doc, in text order; a doc that was read
 * strictly has none. At most repairs_max are kept; the count is exact. */
size_t surety__doc_repair_count(const surety_doc *doc);
surety__repair_view surety__doc_repair(const surety_doc *doc, size_t i);
/* Returns how many of them are likely; exact. */
size_t surety__doc_repair_likely(const surety_doc *doc);

/* The name of a kind, its description, and whether it is only likely. */
const char *surety__repair_kind_name(enum surety__repair_kind kind);
const char *surety__repair_kind_about(enum surety__repair_kind kind);
bool surety__repair_kind_is_likely(enum surety__repair_kind kind);
/* Records a repair, in text order. Beyond repairs_max repairs are only counted.
 * Returns OK or NOMEM. */
surety_status surety__doc_repair_add(surety_doc *doc,
                                     const surety__text_repair *repair);
/* Removes the last repair, which is of that kind. */
void surety__doc_repair_drop(surety_doc *doc, enum surety__repair_kind kind);

/* Returns whether a closing bracket too many behind val may be one that was
 * doubled inside: without that one, members or items would have another place.
 */
bool surety__val_shifts(surety_val val);

/* Returns the number of values in doc, keys included. */
size_t surety__doc_size(const surety_doc *doc);

/* Writes "line", "column", "offset" and "length"; nothing when the line is
 * 0. */
void surety__json_position(surety_buf *out, const surety_position *position);

#endif
