/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the tolerant reader share.
 *
 * The reader is a machine over the text that is there, from `at` on: all before
 * it is decided and stands in the doc's cells. A step either moves on, or it
 * needs bytes that have not come. Then nothing is changed; the reader notes
 * what it waits for (a byte of some sort at or after a place) and looks at no
 * byte again until that is there. A decision looks ahead through a bounded
 * number of such stretches, so each byte is looked at a bounded number of
 * times, however the text is cut. A decision depends on bytes only, never on
 * how many have come: that is why any chunking ends in the same doc.
 *
 * Open containers are linked through their cells' spans (json.h, 6). While one
 * is open the flags below tell what it is besides. */
#ifndef SURETY_JSON_LENIENT_H
#define SURETY_JSON_LENIENT_H

#include "json/inside.h"

enum {
    LENIENT_TUPLE = 0x08, /* opened by a round bracket */
    LENIENT_TWICE = 0x10, /* its braces are doubled */
    LENIENT_LOOSE = 0x20  /* an object without braces */
};

/* How far a decision looks at most. */
enum {
    LENIENT_KEY_AHEAD = 256, /* bytes of a key behind a quote or comma */
    LENIENT_CLOSERS = 16,    /* closing brackets in a row */
    LENIENT_RETRIES = 8      /* times a decision is begun again at once */
};

enum lenient_state {
    LENIENT_START,  /* before the value */
    LENIENT_VALUE,  /* a value is expected, or the end of an array */
    LENIENT_KEY,    /* a key is expected, or the end of an object */
    LENIENT_COLON,  /* a key is there */
    LENIENT_AFTER,  /* a value is there */
    LENIENT_QUOTED, /* in a string */
    LENIENT_BARE,   /* in a number, name or text without quotes */
    LENIENT_LINE,   /* in a comment up to the end of the line */
    LENIENT_BLOCK,  /* in a comment between signs */
    LENIENT_DONE    /* the value has ended */
};

enum lenient_step {
    STEP_GO,   /* the machine moved on */
    STEP_WAIT, /* it needs more bytes */
    STEP_CUT,  /* no more come, and the value has not ended */
    STEP_FAIL  /* status, fault and fault_at say why */
};

/* What the reader waits for. */
enum lenient_wait {
    WAIT_ANY,   /* a byte */
    WAIT_SIGN,  /* one that is no white space */
    WAIT_QUOTE, /* a quote, or what no key holds */
    WAIT_STOP   /* what ends a name */
};

/* How a string is quoted. */
enum lenient_style {
    STYLE_DOUBLE,
    STYLE_SINGLE,
    STYLE_BACKTICK,
    STYLE_CURLY,        /* U+201C to U+201F, U+FF02 */
    STYLE_CURLY_SINGLE, /* U+2018 to U+201B */
    STYLE_ANGLE,        /* U+00AB, U+00BB */
    STYLE_ESCAPED,      /* a quote with a backslash */
    STYLE_TRIPLE,
    STYLE_TRIPLE_SINGLE
};

/* A sign of the text outside of strings: its ASCII form, or: */
enum {
    SIGN_END = -1,   /* the text ends; or, with lack, it is not known yet */
    SIGN_QUOTE = -2, /* a quote of some style */
    SIGN_DOTS = -3,  /* U+2026 */
    SIGN_OTHER = -4  /* what is above 0x7F */
};

struct sign {
    int code;
    uint8_t len;   /* its bytes */
    uint8_t style; /* of a quote */
    bool odd;      /* it is not the byte that JSON has */
    bool lack;     /* the bytes that are there do not tell */
};

/* The string at hand. */
struct quoted {
    size_t place;      /* of its first quote */
    size_t body;       /* its first byte */
    size_t start;      /* of its bytes in the own block, if own */
    uint64_t mends;    /* kinds that have been noted: each once a string */
    size_t control_at; /* the first control character, if that was noted */
    uint8_t style;
    bool key;
    bool own;   /* its bytes are in the own block */
    bool high;  /* some are above 0x7F */
    bool dirty; /* a quote in it was taken for its own */
};

/* The number, name or text without quotes at hand. */
struct bare {
    size_t place;
    size_t scalar; /* up to here it is a number or a name; 0: unknown */
    uint32_t nest; /* brackets open in it */
    bool text;     /* it is neither a number nor a name */
    bool quoted;   /* a quote is open in it */
};

/* What is behind the machine in the container at hand. */
struct lenient_last {
    bool comma;      /* a comma came */
    bool line;       /* a line has ended since the last value */
    bool key;        /* the last cell is a key without its value */
    bool scalar;     /* the last value is one: the last cell */
    size_t comma_at; /* of the comma */
    size_t end;      /* behind the last value, or the bracket before it */
};

/* What the machine waits for. */
struct lenient_waiting {
    bool on;
    uint8_t sort;   /* enum lenient_wait */
    size_t at;      /* no such byte is before it */
    size_t most;    /* or so many bytes have come */
    size_t from;    /* the decision began here */
    size_t size;    /* bytes that must be there to begin it again */
    unsigned count; /* times it was begun again */
};

/* While a snapshot is in the cells (on): what there was before. */
struct lenient_shown {
    bool on;
    bool unsure; /* the last cell is marked as open */
    size_t used, own;
    uint32_t count; /* values of the innermost open container */
};

/* Why the text is refused. */
struct lenient_failure {
    surety_status status; /* OK: it is not */
    const char *fault;    /* a sentence */
    size_t at;
    enum read_fault limit; /* which limit, */
    size_t length;         /* and how long the number is that is above it */
};

struct surety_lenient {
    const surety_alloc *alloc;
    surety_lenient_options options;
    surety_doc *doc;
    const char *text;
    size_t at;  /* all before it is decided */
    size_t end; /* bytes that are there */
    bool final; /* no more come */
    bool begun;
    uint8_t state;
    uint8_t resume; /* the state behind a comment */
    uint32_t open;  /* the innermost open container, or PLACE_NONE */
    uint32_t depth; /* how many are open */
    size_t used;    /* cells */
    struct lenient_last last;
    struct quoted quoted;
    struct bare bare;
    struct lenient_waiting wait;
    struct lenient_shown shown;
    size_t early;  /* where a string ended that had no last quote */
    size_t work;   /* bytes looked at, for the tests */
    bool gone;     /* keys are marked that a later one replaced */
    size_t listed; /* duplicate keys that are in the doc's list */
    struct {
        uint32_t *items; /* scratch: one for each open container */
        size_t cap;
    } stack;
    struct lenient_failure failure;
};

/* ---- notes (lenient_note.c) --------------------------------------------- */

/* Notes that the text is refused. */
enum lenient_step surety__lenient_fail(surety_lenient *lenient, size_t at,
                                       const char *fault);
enum lenient_step surety__lenient_limit(surety_lenient *lenient, size_t at,
                                        enum read_fault limit);
enum lenient_step surety__lenient_nomem(surety_lenient *lenient);
/* Notes what is waited for: a byte of that sort at or after at. */
enum lenient_step surety__lenient_wait(surety_lenient *lenient,
                                       enum lenient_wait sort, size_t at);
/* Takes a liberty at at, len bytes, read as the constant text; false: it may
 * not be taken, or memory ran out, and the reader has failed. */
bool surety__lenient_mend(surety_lenient *lenient, enum surety__mend_kind kind,
                          size_t at, size_t len, const char *read);
/* The same, whole. */
bool surety__lenient_mend_as(surety_lenient *lenient, const surety__mend *mend);

/* ---- structure (lenient_walk.c) ----------------------------------------- */

enum lenient_step surety__lenient_structure(surety_lenient *lenient);
/* A new cell; NULL: the reader has failed. at is for the error. */
surety__cell *surety__lenient_cell(surety_lenient *lenient, size_t at);
/* A value of one cell has been made: counts it. */
void surety__lenient_placed(surety_lenient *lenient, size_t end);
/* Opens a container whose bracket is at at. */
enum lenient_step surety__lenient_open(surety_lenient *lenient, uint8_t kind,
                                       uint8_t flags, size_t at, size_t len);
/* Closes the innermost container. */
enum lenient_step surety__lenient_close(surety_lenient *lenient, size_t end);

/* ---- strings and other leaves ------------------------------------------- */

enum lenient_step surety__lenient_quoted(surety_lenient *lenient);
enum lenient_step surety__lenient_quote(surety_lenient *lenient,
                                        const struct sign *sign, bool key);
enum lenient_step surety__lenient_bare(surety_lenient *lenient);
/* Makes the cell of the text without quotes from start to end;
 * open: as far as it has come. *ret_made: whether it is anything. */
enum lenient_step surety__lenient_token(surety_lenient *lenient, size_t start,
                                        size_t end, bool open, bool *ret_made);

/* ---- looking ahead (lenient_ahead.c) ------------------------------------ */

/* A place that moves ahead of `at`. */
struct ahead {
    surety_lenient *lenient;
    size_t at;
    bool starved; /* it came to the end of what is there, and more may come */
    bool line;    /* a line ended on the way */
};

/* Whether a quote, len bytes at at, ends the string at hand. */
enum closing {
    CLOSING_NO,
    CLOSING_YES,
    CLOSING_JOIN,    /* yes, and the string goes on in the next one */
    CLOSING_NAME,    /* it is the key behind an array that was not closed */
    CLOSING_EARLIER, /* the string ended at `early`, without a quote */
    CLOSING_WAIT
};
enum closing surety__ahead_closing(surety_lenient *lenient, size_t at,
                                   size_t len);

/* Whether the quote at at opens a key behind a string that did not end:
 * CLOSING_EARLIER, CLOSING_NO or CLOSING_WAIT. */
enum closing surety__ahead_early(surety_lenient *lenient, size_t at);

/* Passes over blanks; the sign there. */
struct sign surety__ahead_sign(struct ahead *ahead);
/* What a look behind a comma, a line's end or a blank has found. */
enum member {
    MEMBER_NO,
    MEMBER_BARE,   /* a name and a colon */
    MEMBER_LOOSE,  /* a quoted key, but no colon before the value */
    MEMBER_QUOTED, /* a quoted key and a colon */
};
/* Whether a member begins at ahead. */
enum member surety__ahead_member(struct ahead *ahead);
/* Whether a closing bracket at ahead can be one of the value's. */
bool surety__ahead_closer(struct ahead *ahead, const struct sign *sign);
/* What a closing bracket of the wrong kind at at is taken for. */
enum wrong {
    WRONG_PARENT, /* what is open inside was not closed */
    WRONG_KIND,   /* it closes what is open */
    WRONG_DROP,   /* nothing */
    WRONG_WAIT
};
enum wrong surety__ahead_wrong(surety_lenient *lenient, const struct sign *sign,
                               size_t at);
/* Whether there are three dots at at: 1, 0, or -1 where more bytes must come.
 */
int surety__ahead_dots(const surety_lenient *lenient, size_t at);
/* Whether a number or name at ahead is a whole value. */
bool surety__ahead_scalar(struct ahead *ahead);
/* Whether the name at start is expected. */
bool surety__ahead_expects_name(surety_lenient *lenient, size_t start);
/* Whether the name from start to end is expected; otherwise, where nobody knows
 * what is. */
bool surety__ahead_expects(const surety_lenient *lenient, size_t start,
                           size_t end, bool otherwise);

/* ---- what there is so far (lenient_show.c) ------------------------------ */

surety_status surety__lenient_show(surety_lenient *lenient);
void surety__lenient_unshow(surety_lenient *lenient);
/* Takes out the members that a later one of their name replaced, and lists
 * their keys. */
surety_status surety__lenient_compact(surety_lenient *lenient);
/* Closes all that is open for good, marked as open. */
surety_status surety__lenient_cut(surety_lenient *lenient);

/* ---- signs -------------------------------------------------------------- */

struct sign surety__lenient_sign_odd(const surety_lenient *lenient, size_t at);

static inline bool lenient_is_closer(int code)
{
    return code == '}' || code == ']' || code == ')';
}

/* What bytes are, as bits. */
enum {
    BYTE_PLAIN = 1, /* a letter, a digit, _ or $: a name of ECMAScript's */
    BYTE_NAME = 2,  /* the same, - and ., and what is above 0x7F */
    BYTE_STOP = 4,  /* it may end a text without quotes */
    BYTE_SIGN = 8   /* it is not simply its own sign, or white space */
};
extern const unsigned char surety__lenient_bytes[256];

static inline bool lenient_is(char byte, unsigned bits)
{
    return surety__lenient_bytes[(unsigned char)byte] & bits;
}

/* Letters, digits and what else names are made of. */
static inline bool lenient_is_name(char byte)
{
    return lenient_is(byte, BYTE_NAME);
}

/* The sign at at. */
static inline struct sign lenient_sign(const surety_lenient *lenient, size_t at)
{
    struct sign sign = {.len = 1};

    if (at == lenient->end) {
        sign.code = SIGN_END;
        sign.lack = !lenient->final;
        return sign;
    }
    if (lenient_is(lenient->text[at], BYTE_SIGN))
        return surety__lenient_sign_odd(lenient, at);
    sign.code = lenient->text[at];
    return sign;
}

/* The closing bracket of an open container. */
static inline int lenient_closer(const surety__cell *cell)
{
    if (cell->kind == CELL_OBJECT)
        return '}';
    return cell->flags & LENIENT_TUPLE ? ')' : ']';
}

static inline bool lenient_in_object(const surety_lenient *lenient)
{
    return lenient->open != PLACE_NONE &&
           lenient->doc->cells[lenient->open].kind == CELL_OBJECT;
}

#endif
