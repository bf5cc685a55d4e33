/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of patterns: the reader that turns ECMA-262 into the
 * syntax of PCRE2 (pattern_read.c, pattern_class.c, pattern_property.c), and
 * the automaton that makes PCRE2 needless for most (pattern_simple.c). */
#ifndef SURETY_SCHEMA_PATTERN_INSIDE_H
#define SURETY_SCHEMA_PATTERN_INSIDE_H

#include "base/base.h"

enum {
    PATTERN_NAMES_MAX = 256,    /* named groups */
    PATTERN_NAME_MAX = 1024,    /* bytes of one name */
    PATTERN_DEPTH_MAX = 250,    /* groups in groups; PCRE2's own bound */
    PATTERN_REPEAT_MAX = 65535, /* PCRE2's bound of a count */
    PATTERN_SET_RANGES_MAX = 24 /* of one set, above ASCII */
};

/* The bounds of an automaton; beyond one of these PCRE2 matches. */
enum {
    PATTERN_POSITIONS_MAX = 512, /* characters and anchors, written out */
    PATTERN_POSITIONS_FEW = 128, /* those that need no memory of the heap */
    PATTERN_SETS_MAX = 128,      /* different ones */
    PATTERN_RANGES_MAX = 128,    /* above ASCII, of all sets */
    PATTERN_COPIES_FEW = 8,      /* of an atom that is rather counted */
    PATTERN_FRAMES_MAX = 16,     /* groups in groups */
    PATTERN_ROOTS_MAX = 4,       /* lookaheads at the start, and the rest */
    PATTERN_COLUMNS_MAX = 128,   /* classes of characters */
    PATTERN_STATES_MAX = 512,
    PATTERN_CELLS_MAX = 16384, /* states times columns: 32 KiB */
    PATTERN_WORK_MAX = 1 << 17 /* words touched while it is built */
};

/* ---- sets ---------------------------------------------------------------- */

typedef struct surety__pattern_range {
    uint32_t low, high;
} surety__pattern_range;

/* A set of code points. */
typedef struct surety__pattern_set {
    uint64_t ascii[2];
    bool negated; /* above ASCII: all but the ranges */
    bool beyond;  /* more than fits here */
    size_t range_count;
    surety__pattern_range ranges[PATTERN_SET_RANGES_MAX]; /* in any order */
} surety__pattern_set;

/* Adds low to high. */
void surety__pattern_set_add(surety__pattern_set *set, uint32_t low,
                             uint32_t high);

/* ---- sets of positions --------------------------------------------------- */

static inline bool surety__bits_in(const uint64_t *bits, size_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

static inline void surety__bits_add(uint64_t *bits, size_t i)
{
    bits[i / 64] |= (uint64_t)1 << (i % 64);
}

static inline void surety__bits_join(uint64_t *bits, const uint64_t *more,
                                     size_t words)
{
    for (size_t i = 0; i < words; i++)
        bits[i] |= more[i];
}

/* The first bit set from `from` on; words * 64: none. */
static inline size_t surety__bits_next(const uint64_t *bits, size_t words,
                                       size_t from)
{
    size_t i = from / 64;
    uint64_t word;

    if (i >= words)
        return words * 64;
    word = bits[i] & (UINT64_MAX << (from % 64));
    while (!word) {
        if (++i == words)
            return words * 64;
        word = bits[i];
    }
    return i * 64 + (size_t)__builtin_ctzll(word);
}

/* ---- the net ------------------------------------------------------------- */

enum { PATTERN_WORDS_MAX = PATTERN_POSITIONS_MAX / 64 };

/* A piece of a pattern: the positions that it may begin and end with. */
typedef struct surety__pattern_piece {
    uint64_t first[PATTERN_WORDS_MAX], last[PATTERN_WORDS_MAX];
    bool empty; /* it may match nothing */
} surety__pattern_piece;

/* A group that is open, or the pattern. */
typedef struct surety__pattern_frame {
    surety__pattern_piece sequence;     /* of the alternative being read */
    surety__pattern_piece alternatives; /* those before it */
    bool has_alternatives;
    char assertion; /* '=' or '!': a lookahead */
    size_t from;    /* the first position of it */
} surety__pattern_frame;

/* A set as the net keeps it. */
typedef struct surety__pattern_label {
    uint64_t ascii[2];
    bool negated;
    size_t range_from, range_count; /* among the net's ranges */
} surety__pattern_label;

/* A pattern as positions, one for each character or anchor that it writes, and
 * for each those that may come next (pattern_simple.c). */
typedef struct surety__pattern_net {
    const surety_alloc *alloc;
    bool refused; /* no automaton can be had; the rest is not looked at */
    bool starved; /* for want of memory */
    bool linear;  /* so far "^" and atoms, none of them repeated */
    bool counted; /* the whole text has count_min to count_max characters */
    uint32_t count_min, count_max;
    size_t words; /* of a set of positions */
    size_t count;
    size_t work;
    uint64_t *follow; /* words for each position */
    uint64_t begins[PATTERN_WORDS_MAX], ends[PATTERN_WORDS_MAX]; /* anchors */
    size_t depth, label_count, range_count, root_count;
    size_t piece_from;           /* the first position of piece */
    surety__pattern_piece piece; /* the last atom, which may be repeated */
    bool has_piece;
    /* What must hold, all from the start of the text but the pattern itself,
     * which is the first. */
    struct surety__pattern_root {
        surety__pattern_piece piece;
        bool wanted;
    } roots[PATTERN_ROOTS_MAX];
    surety__pattern_frame frames[PATTERN_FRAMES_MAX];
    surety__pattern_label labels[PATTERN_SETS_MAX];
    surety__pattern_range ranges[PATTERN_RANGES_MAX];
    uint8_t label_of[PATTERN_POSITIONS_MAX];
    uint64_t few[PATTERN_POSITIONS_FEW * (PATTERN_POSITIONS_FEW / 64)];
} surety__pattern_net;

/* What the reader adds to the net, in the order of the source. All take NULL
 * and do nothing then. */
void surety__net_atom(surety__pattern_net *net, const surety__pattern_set *set);
void surety__net_code(surety__pattern_net *net, uint32_t code);
void surety__net_anchor(surety__pattern_net *net, bool start);
/* assertion: '=' or '!' for a lookahead, else '\0'. */
void surety__net_open(surety__pattern_net *net, char assertion);
void surety__net_close(surety__pattern_net *net);
void surety__net_alternative(surety__pattern_net *net);
/* Repeats the last atom; max UINT32_MAX: without bound. */
void surety__net_repeat(surety__pattern_net *net, uint32_t min, uint32_t max);
/* The same, but there is nothing behind it than one "$". */
void surety__net_repeat_last(surety__pattern_net *net, uint32_t min,
                             uint32_t max);
/* Something was read that no automaton can do. */
void surety__net_refuse(surety__pattern_net *net);

/* Counts work, in words; false where it is too much. */
bool surety__net_works(surety__pattern_net *net, size_t work);
/* Ends the pattern: makes it a root and puts a position behind each root, which
 * is given. */
size_t surety__net_finish(surety__pattern_net *net);

/* The positions that may follow one. */
static inline uint64_t *surety__net_follow(const surety__pattern_net *net,
                                           size_t position)
{
    return net->follow + position * net->words;
}

void surety__net_init(surety__pattern_net *net, const surety_alloc *alloc);
void surety__net_done(surety__pattern_net *net);

/* ---- matching without PCRE2 --------------------------------------------- */

typedef enum surety__pattern_form {
    PATTERN_PROGRAM = 0, /* PCRE2's */
    PATTERN_ALWAYS,      /* matches every text */
    PATTERN_LITERAL,     /* a text, at the start, the end, both or anywhere */
    PATTERN_AUTOMATON
} surety__pattern_form;

/* A deterministic automaton. A state is where its row begins in `next`, or
 * where its bits begin in `rows`; the first is dead, the second accepts
 * whatever comes. */
typedef struct surety__automaton {
    const uint16_t *next; /* states times columns; NULL: rows are used */
    const uint64_t *rows; /* one a column, six bits a state */
    unsigned start;
    bool wanted; /* the result with which the pattern matches */
} surety__automaton;

typedef struct surety__pattern_simple {
    surety__pattern_form form;
    bool starts, ends;  /* LITERAL: anchored there */
    surety_str literal; /* AUTOMATON: the start of each match */
    surety_str within;  /* AUTOMATON: in every text that matches, or empty */
    /* AUTOMATON: */
    const uint8_t *column_of; /* of each byte */
    /* Where what lies above ASCII is in more than one column: the code points
     * where another one begins, in order, and the columns. */
    size_t wide_count;
    const uint32_t *wide_from;
    const uint8_t *wide_column;
    unsigned column_end; /* that of the end of the text */
    bool counted;        /* the text must have so many characters: */
    uint32_t count_min, count_max;
    size_t automaton_count;
    surety__automaton automata[PATTERN_ROOTS_MAX];
    void *block; /* the memory of all the above */
    size_t block_size;
} surety__pattern_simple;

/* Makes of a net that was read to its end what matches without PCRE2, or
 * leaves *simple alone and its form PATTERN_PROGRAM. OK or NOMEM. */
surety_status surety__pattern_simplify(surety__pattern_net *net,
                                       surety__pattern_simple *simple);
void surety__pattern_simple_done(surety__pattern_simple *simple,
                                 const surety_alloc *alloc);
bool surety__pattern_simple_match(const surety__pattern_simple *simple,
                                  surety_str text);

/* ---- the reader ---------------------------------------------------------- */

/* An open group. */
typedef struct surety__pattern_group {
    size_t number; /* of a capturing group; 0: of another */
    bool assertion;
    bool behind; /* it or a group around it is a lookbehind */
} surety__pattern_group;

/* A pattern while it is read. */
typedef struct surety__pattern_reader {
    const char *start, *at, *end;
    surety_buf *out;          /* PCRE2's syntax; NULL: only checked */
    surety__pattern_net *net; /* NULL: none is wanted */
    surety_error *reterr;
    size_t group_count;     /* capturing groups in all */
    bool has_backreference; /* else groups are written as not capturing */
    size_t name_count;
    size_t opened; /* capturing groups so far, in the second pass */
    size_t depth;
    size_t out_last; /* where the last atom begins in out */
    /* Nothing is between the start of the pattern, or of one of its
     * outermost alternatives, and here. */
    bool leading;
    /* The fields above are zeroed at first, those below only written. */
    surety_str names[PATTERN_NAMES_MAX];
    size_t numbers[PATTERN_NAMES_MAX]; /* of the named groups */
    surety__pattern_group open[PATTERN_DEPTH_MAX];
} surety__pattern_reader;

/* Reads source: SURETY_OK, SURETY_SYNTAX or SURETY_LIMIT (and NOMEM, LIMIT of
 * out, which the caller finds in out->status). Of what is written to out or
 * added to net, either may be NULL. Bounds and gaps of PCRE2 are failures only
 * with out. */
surety_status surety__pattern_read(surety__pattern_reader *reader,
                                   surety_str source, surety_buf *out,
                                   surety__pattern_net *net,
                                   surety_error *reterr);

/* ---- among the files of the reader ------------------------------------- */

/* Fails at `at`: "pattern: WHAT at byte N of PATTERN". */
surety_status surety__pattern_fail(surety__pattern_reader *reader,
                                   const char *at, surety_status status,
                                   const char *what);
void surety__pattern_write(surety__pattern_reader *reader, const char *text);
/* Writes a code point that means itself, inside a class or outside. */
void surety__pattern_write_code(surety__pattern_reader *reader, uint32_t code);

/* The meaning of an escape or a member of a class. */
typedef struct surety__pattern_atom {
    enum {
        ATOM_CODE,      /* a code point; a lone surrogate perhaps */
        ATOM_SET,       /* \d \D \w \W \s \S: `letter` */
        ATOM_PROPERTY,  /* \p \P: already written */
        ATOM_BOUNDARY,  /* \b \B: `letter` */
        ATOM_REFERENCE, /* a backreference: `code` is the group */
    } kind;
    uint32_t code;
    char letter;
} surety__pattern_atom;

/* Reads the escape at reader->at, a backslash, into *ret_atom, which begins as
 * a code point. A property is written at once, in PCRE2's syntax. */
surety_status surety__pattern_escape(surety__pattern_reader *reader,
                                     bool in_class,
                                     surety__pattern_atom *ret_atom);
/* Writes \d, \w, \s or a negation, in_class as members of the class being
 * written, and adds it to *set. */
void surety__pattern_set_letter(surety__pattern_reader *reader, char letter,
                                bool in_class, surety__pattern_set *set);
/* Reads the class at reader->at, a "[". */
surety_status surety__pattern_class(surety__pattern_reader *reader,
                                    surety__pattern_set *ret_set);

/* PCRE2's name of the property name=value (value empty: a general category or
 * a binary property alone), appended; false where ECMA-262 has none. */
bool surety__pattern_property(surety_str name, surety_str value, bool has_value,
                              surety_buf *out);

#endif
