/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerant reader: the state and the functions that its files share.
 *
 * The reader is a state machine over the bytes that have arrived.
 *
 * 1. All bytes before `at` are decided: the doc's cells hold their values.
 * 2. A step either moves on, or needs bytes that have not arrived. In the
 *    second case it changes nothing, and records the kind of byte that it waits
 *    for, and from which offset on. Until such a byte arrives, the reader
 *    examines no byte again.
 * 3. A decision looks ahead over a bounded number of such stretches. So the
 *    reader examines each byte a bounded number of times, however the text is
 *    split into chunks.
 * 4. A decision depends on the bytes, never on how many have arrived. So every
 *    split into chunks gives the same doc.
 * 5. The spans of open containers' cells link them (json.h, 6). The flags below
 *    describe a container while it is open. */
#ifndef SURETY_JSON_LENIENT_H
#define SURETY_JSON_LENIENT_H

#include "json/inside.h"

enum {
    LENIENT_ROUND = 0x08, /* in round brackets */
    LENIENT_TWICE = 0x10, /* its braces are doubled */
    LENIENT_LOOSE = 0x20, /* an object without braces */
    LENIENT_SWAPPED =
        0x40, /* an array in braces, an object in square brackets */
    LENIENT_WRAPPED = 0x80, /* the bracket of a call closes behind it */
    LENIENT_PAIRS = LENIENT_ROUND | LENIENT_SWAPPED /* an object: [("a", 1)] */
};

/* How far a decision looks ahead at most. */
enum {
    LENIENT_KEY_AHEAD = 256, /* bytes of a key after a quote or comma */
    LENIENT_CLOSERS = 16,    /* closing brackets in a row */
    LENIENT_WORDS = 4,       /* words of a key without quotes */
    LENIENT_RETRIES = 8      /* restarts before it waits for twice the bytes */
};

enum lenient_state {
    LENIENT_START,  /* before the value */
    LENIENT_VALUE,  /* a value is expected, or the end of an array */
    LENIENT_KEY,    /* a key is expected, or the end of an object */
    LENIENT_COLON,  /* a key is complete */
    LENIENT_AFTER,  /* a value is complete */
    LENIENT_QUOTED, /* in a string */
    LENIENT_BARE,   /* in a number, name or text without quotes */
    LENIENT_LINE,   /* in a comment up to the end of the line */
    LENIENT_BLOCK,  /* in a comment between its delimiters */
    LENIENT_DONE    /* the value has ended */
};

enum lenient_step {
    STEP_GO = 0, /* the machine moved on */
    STEP_WAIT,   /* it needs more bytes */
    STEP_CUT,    /* the input ends before the value does */
    STEP_FAIL    /* lenient->failure has the reason */
};

/* The kind of byte that the reader waits for. */
enum lenient_wait {
    WAIT_ANY,   /* any byte */
    WAIT_SIGN,  /* a byte that is not white space */
    WAIT_QUOTE, /* a quote, or a byte that no key contains */
    WAIT_STOP   /* a byte that ends a name */
};

/* The quotes around a string. */
enum lenient_style {
    STYLE_DOUBLE,
    STYLE_SINGLE,
    STYLE_BACKTICK,
    STYLE_CURLY,        /* U+201C to U+201F, U+FF02 */
    STYLE_CURLY_SINGLE, /* U+2018 to U+201B */
    STYLE_ANGLE,        /* U+00AB, U+00BB */
    STYLE_ESCAPED,      /* a quote with a backslash */
    STYLE_ENTITY,       /* &quot; */
    /* One that is like the closing quote ends the string at once: */
    STYLE_TRIPLE,
    STYLE_TRIPLE_SINGLE,
    STYLE_DOUBLED, /* "" */
    STYLE_FENCE    /* three backticks, as around a block of code */
};

/* The code of a sign outside strings: its ASCII character, or one of these. */
enum {
    SIGN_END = -1,   /* the end of the input; with lack: not known yet */
    SIGN_QUOTE = -2, /* a quote of some style */
    SIGN_DOTS = -3,  /* U+2026 */
    SIGN_OTHER = -4  /* any other byte above 0x7F */
};

struct sign {
    int code;
    uint8_t len;   /* in bytes */
    uint8_t style; /* of a quote */
    bool odd;      /* it differs from the character of JSON */
    bool lack;     /* more bytes are needed to know the sign */
};

/* The current string. */
struct quoted {
    size_t place;      /* offset of its first quote */
    size_t body;       /* offset of its first byte */
    size_t start;      /* if own: offset of its bytes in the own block */
    uint64_t repairs;  /* kinds of repair recorded, each once per string */
    size_t control_at; /* offset of the first control character */
    uint8_t style;
    bool key;
    bool own;   /* its bytes are in the own block */
    bool high;  /* some bytes are above 0x7F */
    bool dirty; /* it contains a quote that did not end it */
    bool path;  /* its backslashes begin no escapes */
    bool math;  /* it has commands of LaTeX whose backslashes are not doubled */
    bool kept;  /* a backslash before a letter was kept */
    bool decoded;   /* one was read as an escape */
    size_t noted;   /* repairs of the text before it */
    size_t counted; /* up to this offset its brackets are counted; 0: none is */
    uint32_t nest;  /* of these, how many are open */
};

/* The current number, name or text without quotes. */
struct bare {
    size_t place;
    size_t scalar; /* up to this offset it is a number or a name; 0: unknown */
    uint32_t nest; /* brackets that are open in it */
    bool text;     /* it is neither a number nor a name */
    bool quoted;   /* a quote is open in it */
};

/* The last things that the machine has read in the current container. */
struct lenient_last {
    bool comma;      /* a comma, after the last value */
    bool line;       /* a line has ended since the last value */
    bool key;        /* the last cell is a key that has no value yet */
    bool pair;       /* and it had no colon; behind a pair's value: its bracket
                        is closed */
    bool scalar;     /* the last value is a scalar: the last cell */
    size_t comma_at; /* offset of the comma */
    size_t end;      /* offset after the last value or opening bracket */
};

/* Marks that the text has around its strings or values. */
struct lenient_marks {
    bool doubled; /* the quotes of a key were doubled */
    bool fenced;  /* a value is in a fenced block that is open */
    bool raw;     /* an r before the next string was skipped */
    /* The object whose key stood in an array's brackets, plus 1; 0: none. */
    uint32_t hoisted;
};

/* What the machine waits for. */
struct lenient_waiting {
    bool on;
    uint8_t sort;   /* enum lenient_wait */
    size_t at;      /* no byte of this sort is before this offset */
    size_t most;    /* at this offset the wait ends in any case */
    size_t from;    /* offset where the decision began */
    size_t size;    /* bytes from there on that must be there for a restart */
    unsigned count; /* number of restarts */
};

/* The state before a snapshot, while the snapshot is in the cells (on). */
struct lenient_shown {
    bool on;
    bool tentative; /* the snapshot has set FLAG_OPEN in the last cell */
    size_t used, own;
    uint32_t count; /* values in the innermost open container */
};

/* Why the reader refuses the text. */
struct lenient_failure {
    surety_status status; /* OK: it does not */
    const char *fault;    /* a sentence */
    size_t at;
    enum read_fault limit; /* LIMIT: which limit */
    size_t length;         /* LIMIT of a number: its length */
};

struct surety_lenient {
    const surety_alloc *alloc;
    surety__lenient_options options;
    surety_doc *doc;
    const char *text;
    size_t at;  /* all bytes before it are decided */
    size_t end; /* number of bytes that have arrived */
    bool final; /* no more bytes come */
    bool begun;
    uint8_t state;
    uint8_t resume; /* the state after a comment */
    uint32_t open;  /* the innermost open container, or PLACE_NONE */
    uint32_t depth; /* number of open containers */
    size_t used;    /* number of cells */
    struct lenient_last last;
    struct quoted quoted;
    struct bare bare;
    struct lenient_waiting wait;
    struct lenient_shown shown;
    size_t early; /* where a string without a closing quote ended */
    size_t work;  /* bytes examined, for the tests */
    struct lenient_marks marks;
    bool gone;     /* some keys have FLAG_GONE */
    size_t listed; /* duplicate keys that the doc already lists */
    struct {
        uint32_t *items; /* scratch memory: one for each open container */
        size_t cap;
    } stack;
    struct lenient_failure failure;
};

/* ---- records (lenient_note.c) ------------------------------------------- */

/* Records a failure, unless one is recorded already. Returns STEP_FAIL. */
enum lenient_step surety__lenient_fail(surety_lenient *lenient, size_t at,
                                       const char *fault);
enum lenient_step surety__lenient_limit(surety_lenient *lenient, size_t at,
                                        enum read_fault limit);
enum lenient_step surety__lenient_nomem(surety_lenient *lenient);
/* Records what the reader waits for: a byte of that sort at or after `at`.
 * Returns STEP_WAIT. */
enum lenient_step surety__lenient_wait(surety_lenient *lenient,
                                       enum lenient_wait sort, size_t at);
/* Records a repair: the len bytes at `at` are read as the constant text `read`.
 * Returns STEP_FAIL when the options do not allow the repair, or when memory
 * ran out; else STEP_GO. */
enum lenient_step surety__lenient_repair(surety_lenient *lenient,
                                         enum surety__repair_kind kind,
                                         size_t at, size_t len,
                                         const char *read);
/* As surety__lenient_repair, from a complete record. */
enum lenient_step surety__lenient_repair_as(surety_lenient *lenient,
                                            const surety__text_repair *repair);
/* As surety__lenient_repair at `at`, and moves on after the len bytes. */
enum lenient_step surety__lenient_skip(surety_lenient *lenient,
                                       enum surety__repair_kind kind,
                                       size_t len, const char *read);
/* Makes room for n bytes in the doc's own block. */
enum lenient_step surety__lenient_own(surety_lenient *lenient, size_t n);

/* ---- structure (lenient_walk.c) ----------------------------------------- */

enum lenient_step surety__lenient_structure(surety_lenient *lenient);
/* Records that the sign at `at` is not the one of JSON, which is `read`. */
enum lenient_step surety__lenient_odd(surety_lenient *lenient,
                                      const struct sign *sign,
                                      const char *read);
/* Returns a new cell, or NULL when the reader has failed. at: the offset that
 * an error reports. */
surety__cell *surety__lenient_cell(surety_lenient *lenient, size_t at);
/* Counts a complete value of one cell in its container. end: the offset after
 * it. */
void surety__lenient_placed(surety_lenient *lenient, size_t end);
/* Opens a container whose bracket of len bytes is at `at`. */
enum lenient_step surety__lenient_open(surety_lenient *lenient, uint8_t kind,
                                       uint8_t flags, size_t at, size_t len);
/* Closes the innermost container. end: the offset after it. */
enum lenient_step surety__lenient_close(surety_lenient *lenient, size_t end);

/* ---- strings and other leaves ------------------------------------------- */

enum lenient_step surety__lenient_quoted(surety_lenient *lenient);
enum lenient_step surety__lenient_quote(surety_lenient *lenient,
                                        const struct sign *sign, bool key);
enum lenient_step surety__lenient_bare(surety_lenient *lenient);
/* Makes the cell of the text without quotes from start to end. open: the text
 * has not ended, so the cell is open. *ret_made is false when the bytes make no
 * value yet. */
enum lenient_step surety__lenient_token(surety_lenient *lenient, size_t start,
                                        size_t end, bool open, bool *ret_made);

/* A cursor that reads ahead of `at`. */
struct ahead {
    surety_lenient *lenient;
    size_t at;
    bool starved; /* it reached the end of the bytes, and more may come */
    bool line;    /* it passed a line end */
};

/* ---- forms of programs (lenient_call.c, lenient_open.c) ----------------- */

/* What the round bracket behind a name holds. */
enum call_form {
    CALL_NONE,
    CALL_MEMBERS, /* Ticket(id=12), array('id' => 12) */
    CALL_VALUE,   /* array([1, 2]) */
    CALL_PAIRS,   /* OrderedDict([('id', 12)]) */
    CALL_WAIT     /* more bytes are needed */
};
/* Decides what the round bracket at `at` holds, behind the text at start, which
 * may be a name. *ret_next: the offset after the brackets that open it. */
enum call_form surety__call_form(surety_lenient *lenient, size_t start,
                                 size_t at, size_t *ret_next);
/* Returns 1 when a key in single quotes and "=>" are at `at`, behind a square
 * bracket; 0 when not, or -1 when more bytes are needed. */
int surety__call_is_hash(surety_lenient *lenient, size_t at);
/* Returns whether a call that is a container begins at ahead. */
bool surety__call_begins(struct ahead *ahead);

/* Opens the container of the call whose name is the text without quotes so far,
 * and whose round bracket is at `at`. *ret_made is false when it is no such
 * call. */
enum lenient_step surety__lenient_call(surety_lenient *lenient, bool *ret_made);
/* Opens an array, or an object as PHP writes it. sign: the bracket at `at`. */
enum lenient_step surety__lenient_bracket(surety_lenient *lenient,
                                          const struct sign *sign);
/* Skips the colon at `at` before a name, as Ruby writes symbols. Returns false
 * when it is none; else *ret_step is what came of it. */
bool surety__lenient_symbol(surety_lenient *lenient,
                            enum lenient_step *ret_step);
/* Begins the key of a pair in round brackets; sign: the one at `at`. */
enum lenient_step surety__lenient_pair(surety_lenient *lenient,
                                       const struct sign *sign);
/* Skips the marks at `at` that end a block of code around a value. */
enum lenient_step surety__lenient_fence_end(surety_lenient *lenient);
/* Moves *end, the offset after a container's bracket, behind the bracket of the
 * call around it. */
enum lenient_step surety__lenient_wrapped(surety_lenient *lenient, size_t *end);

/* ---- looking ahead (lenient_ahead.c, lenient_close.c) ------------------- */

/* Decides whether a quote of len bytes at `at` ends the current string. */
enum closing {
    CLOSING_NO,
    CLOSING_YES,
    CLOSING_JOIN, /* yes, and the next string continues it */
    CLOSING_NAME, /* the string is a key, after an array that was not closed */
    CLOSING_EARLIER, /* the string ended at `early`, without a quote */
    CLOSING_WAIT
};
enum closing surety__ahead_closing(surety_lenient *lenient, size_t at,
                                   size_t len);

/* Decides whether the quote at `at` opens a key, or an item on a line of its
 * own, after a string without a closing quote: CLOSING_EARLIER, CLOSING_NO or
 * CLOSING_WAIT. */
enum closing surety__ahead_early(surety_lenient *lenient, size_t at);

/* Returns 1 when the two quotes at `at` are one that is doubled, as in CSV, of
 * a key or value that ends with two; 0 when not, or -1 when more bytes are
 * needed. */
int surety__ahead_doubled(surety_lenient *lenient, size_t at, bool key);
/* Records that ahead needs a byte of that sort, at or after `at`. */
void surety__ahead_starve(struct ahead *ahead, enum lenient_wait sort,
                          size_t at);
/* Returns the length of the quote at `at` if it ends the current key, whose own
 * quote is another; 0 when it does not, or -1 when more bytes are needed. */
int surety__ahead_other(surety_lenient *lenient, size_t at);
/* Skips the comment at ahead. Returns false when none ends within
 * LENIENT_KEY_AHEAD bytes. */
bool surety__ahead_comment(struct ahead *ahead);
/* Skips white space and returns the next sign, which it does not skip. */
struct sign surety__ahead_sign(struct ahead *ahead);
/* Skips a quoted text: it must end on the same line, within LENIENT_KEY_AHEAD
 * bytes. quote: its first quote. Returns false when the closing quote is
 * missing; *ret_far is true when the text is too long or the input ends in
 * it. */
bool surety__ahead_quoted(struct ahead *ahead, const struct sign *quote,
                          bool *ret_far);
/* Skips a name; with number, also the characters of a number. Returns false
 * when there is none, or when more bytes are needed; *ret_far is true when the
 * name is too long. */
bool surety__ahead_name(struct ahead *ahead, bool number, bool *ret_far);
/* What follows a comma, a line end or a blank. */
enum member {
    MEMBER_NO,
    MEMBER_BARE,   /* a name and a colon */
    MEMBER_LOOSE,  /* a quoted key, but no colon before the value */
    MEMBER_QUOTED, /* a quoted key and a colon */
};
/* Returns whether a member begins at ahead. */
enum member surety__ahead_member(struct ahead *ahead);
/* Returns whether the closing bracket at ahead can belong to the value. */
bool surety__ahead_closer(struct ahead *ahead, const struct sign *sign);
/* The meaning of a closing bracket of the wrong kind at `at`. */
enum wrong {
    WRONG_PARENT, /* an inner container was not closed: it closes the parent */
    WRONG_KIND,   /* it closes the innermost container */
    WRONG_DROP,   /* it has no meaning */
    WRONG_WAIT
};
enum wrong surety__ahead_wrong(surety_lenient *lenient, const struct sign *sign,
                               size_t at);
/* Returns 1 when an ellipsis, or three dots, is at `at`, where sign is; 0 when
 * not, or -1 when more bytes are needed. */
int surety__ahead_dots(const surety_lenient *lenient, const struct sign *sign,
                       size_t at);
/* Returns 1 when the text behind a brace, from `at` on, is that of a set, as
 * Python writes it: a text in single quotes, and a comma in place of a colon; 0
 * when not, or -1 when more bytes are needed. */
int surety__ahead_set(surety_lenient *lenient, size_t at);
/* Returns whether a number or name at ahead is a complete value. */
bool surety__ahead_scalar(struct ahead *ahead);
/* Returns whether the caller expects the name at start as a key. */
bool surety__ahead_expects_name(surety_lenient *lenient, size_t start);
/* Returns whether the caller expects the name from start to end as a key;
 * without options.expects, returns otherwise. */
bool surety__ahead_expects(const surety_lenient *lenient, size_t start,
                           size_t end, bool otherwise);

/* ---- snapshots (lenient_show.c) ----------------------------------------- */

surety_status surety__lenient_show(surety_lenient *lenient);
void surety__lenient_unshow(surety_lenient *lenient);
/* Removes the members that a later member of the same name replaced, and lists
 * their keys in the doc. */
surety_status surety__lenient_compact(surety_lenient *lenient);
/* Closes all open containers for good, with FLAG_OPEN. */
surety_status surety__lenient_cut(surety_lenient *lenient);

/* ---- signs (lenient_sign.c) --------------------------------------------- */

struct sign surety__lenient_sign_odd(const surety_lenient *lenient, size_t at);

/* Returns the length of a string prefix at `at` (as in u'...'), 0 when there is
 * none, or -1 when more bytes are needed. */
int surety__lenient_prefix(const surety_lenient *lenient);

static inline bool lenient_is_closer(int code)
{
    return code == '}' || code == ']' || code == ')';
}

/* Classes of bytes, as bits. */
enum {
    BYTE_PLAIN = 1, /* a letter, a digit, _ or $: an ECMAScript identifier */
    BYTE_NAME = 2,  /* the same, - and ., and bytes above 0x7F */
    BYTE_STOP = 4,  /* it may end a text without quotes */
    BYTE_SIGN = 8   /* it needs surety__lenient_sign_odd */
};
extern const unsigned char surety__lenient_bytes[256];

static inline bool lenient_is(char byte, unsigned bits)
{
    return surety__lenient_bytes[(unsigned char)byte] & bits;
}

/* Returns whether names contain this byte: letters, digits, "_", "$", "-", "."
 * and bytes above 0x7F. */
static inline bool lenient_is_name(char byte)
{
    return lenient_is(byte, BYTE_NAME);
}

/* Returns the sign at `at`. */
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

/* Returns 1 when "<!--" is at `at`, 0 when not, or -1 when more bytes are
 * needed. */
static inline int lenient_is_markup(const surety_lenient *lenient, size_t at)
{
    const size_t left = lenient->end - at;

    if (memcmp(lenient->text + at, "<!--", left < 4 ? left : 4) != 0)
        return 0;
    return left >= 4 ? 1 : lenient->final ? 0 : -1;
}

/* Waits for any byte; at the end of the input the value is cut off. */
static inline enum lenient_step lenient_more(surety_lenient *lenient)
{
    return lenient->final
               ? STEP_CUT
               : surety__lenient_wait(lenient, WAIT_ANY, lenient->end);
}

/* Returns the closing bracket that an open container needs. */
static inline int lenient_closer(const surety__cell *cell)
{
    const bool object = cell->kind == CELL_OBJECT;

    if (cell->flags & LENIENT_SWAPPED)
        return object ? ']' : '}';
    return cell->flags & LENIENT_ROUND ? ')' : object ? '}' : ']';
}

static inline bool lenient_in_object(const surety_lenient *lenient)
{
    return lenient->open != PLACE_NONE &&
           lenient->doc->cells[lenient->open].kind == CELL_OBJECT;
}

/* Returns whether the open container is a call's: its members have names and
 * equals signs. */
static inline bool lenient_in_call(const surety_lenient *lenient)
{
    return lenient_in_object(lenient) &&
           (lenient->doc->cells[lenient->open].flags & LENIENT_PAIRS) ==
               LENIENT_ROUND;
}

static inline bool lenient_in_pairs(const surety_lenient *lenient)
{
    return lenient_in_object(lenient) &&
           (lenient->doc->cells[lenient->open].flags & LENIENT_PAIRS) ==
               LENIENT_PAIRS;
}

#endif
