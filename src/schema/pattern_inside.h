/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of patterns share: the reader that turns ECMA-262 into the
 * syntax of PCRE2 (pattern_read.c, pattern_class.c, pattern_property.c), and
 * the forms matched by hand (pattern_simple.c). */
#ifndef SURETY_SCHEMA_PATTERN_INSIDE_H
#define SURETY_SCHEMA_PATTERN_INSIDE_H

#include "base/base.h"

enum {
    PATTERN_ITEMS_MAX = 64,    /* of a simple form */
    PATTERN_NAMES_MAX = 256,   /* named groups */
    PATTERN_NAME_MAX = 1024,   /* bytes of one name */
    PATTERN_DEPTH_MAX = 250,   /* groups in groups; PCRE2's own bound */
    PATTERN_REPEAT_MAX = 65535 /* PCRE2's bound of a count */
};

/* Bytes, one bit each. */
typedef struct surety__byte_set {
    uint32_t bits[8];
} surety__byte_set;

static inline bool surety__byte_in(const surety__byte_set *set, unsigned byte)
{
    return set->bits[byte >> 5] >> (byte & 31) & 1;
}

static inline void surety__byte_add(surety__byte_set *set, unsigned byte)
{
    set->bits[byte >> 5] |= 1u << (byte & 31);
}

/* One step of a simple form: between min and max characters of a set. A
 * character is one byte of `set`; where `wide`, a byte above 0x7F is the first
 * of a whole UTF-8 sequence, and with `line` that is none of U+2028, U+2029. */
typedef struct surety__pattern_item {
    surety__byte_set set;
    uint32_t min, max; /* UINT32_MAX: no bound */
    bool wide;
    bool line;
} surety__pattern_item;

/* What a pattern may be besides a program of PCRE2's. */
typedef enum surety__pattern_form {
    PATTERN_PROGRAM = 0,
    PATTERN_ALWAYS,  /* matches every text */
    PATTERN_LITERAL, /* a text, at the start, the end, both or anywhere */
    PATTERN_SEQUENCE /* from the start: items, each taking all it can */
} surety__pattern_form;

typedef struct surety__pattern_simple {
    surety__pattern_form form;
    bool starts, ends;                 /* anchored there */
    surety_str literal;                /* LITERAL; the caller's bytes */
    const surety__pattern_item *items; /* SEQUENCE; the caller's */
    size_t item_count;
} surety__pattern_simple;

/* Decides on the form of items read from a pattern without groups and
 * alternatives. bytes has room for PATTERN_ITEMS_MAX; the literal stands
 * there. */
surety__pattern_simple
surety__pattern_simplify(const surety__pattern_item *items, size_t item_count,
                         bool starts, bool ends, char *bytes);
bool surety__pattern_simple_match(const surety__pattern_simple *simple,
                                  surety_str text);

/* An open group. */
typedef struct surety__pattern_group {
    size_t number; /* of a capturing group; 0: of another */
    bool assertion;
    bool behind; /* it or a group around it is a lookbehind */
} surety__pattern_group;

/* A pattern while it is read. */
typedef struct surety__pattern_reader {
    const char *start, *at, *end;
    surety_buf *out; /* PCRE2's syntax; NULL: only checked */
    surety_error *reterr;
    size_t group_count;     /* capturing groups in all */
    bool has_backreference; /* else groups are written as not capturing */
    surety_str names[PATTERN_NAMES_MAX];
    size_t numbers[PATTERN_NAMES_MAX]; /* of the named groups */
    size_t name_count;
    size_t opened; /* capturing groups so far, in the second pass */
    size_t depth;
    surety__pattern_group open[PATTERN_DEPTH_MAX];
    /* The simple form that the pattern may turn out to be. */
    bool is_simple;
    bool starts, ends;
    size_t item_count;
    size_t item_last; /* where the last atom's items begin */
    size_t out_last;  /* and where it begins in out */
    bool was_simple;  /* before it */
    /* Nothing stands between the start of the pattern, or of one of its
     * outermost alternatives, and here. */
    bool leading;
    surety__pattern_item items[PATTERN_ITEMS_MAX];
} surety__pattern_reader;

/* Reads source: SURETY_OK, SURETY_SYNTAX or SURETY_LIMIT (and NOMEM, LIMIT of
 * out, which the caller finds in out->status). */
surety_status surety__pattern_read(surety__pattern_reader *reader,
                                   surety_str source, surety_buf *out,
                                   surety_error *reterr);

/* ---- among the files of the reader ------------------------------------- */

/* Fails at `at`: "pattern: WHAT at byte N of PATTERN". */
surety_status surety__pattern_fail(surety__pattern_reader *reader,
                                   const char *at, surety_status status,
                                   const char *what);
void surety__pattern_write(surety__pattern_reader *reader, const char *text);
/* Writes a code point that means itself, inside a class or outside. */
void surety__pattern_write_code(surety__pattern_reader *reader, uint32_t code);

/* What an escape or a member of a class is. */
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

/* Reads the escape at reader->at, a backslash. A property is written at once,
 * in PCRE2's syntax. */
surety_status surety__pattern_escape(surety__pattern_reader *reader,
                                     bool in_class,
                                     surety__pattern_atom *ret_atom);
/* Writes \d or one of its kin, in_class as members of the class being written;
 * its ASCII part goes to *set, *ret_wide tells whether every code point above
 * is one. False where these two do not say it all. */
bool surety__pattern_set(surety__pattern_reader *reader, char letter,
                         bool in_class, surety__byte_set *set, bool *ret_wide);
/* Reads the class at reader->at, a "[". Gives it as an item where it can be
 * one (*ret_simple). */
surety_status surety__pattern_class(surety__pattern_reader *reader,
                                    surety__pattern_item *ret_item,
                                    bool *ret_simple);

/* PCRE2's name of the property name=value (value empty: a general category or
 * a binary property alone), appended; false where ECMA-262 has none. */
bool surety__pattern_property(surety_str name, surety_str value, bool has_value,
                              surety_buf *out);

#endif
