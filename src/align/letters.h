/* SPDX-License-Identifier: Apache-2.0 */
/* Compares texts as people write them: without case, separators of words, or
 * accents. No text is copied. */
#ifndef SURETY_ALIGN_LETTERS_H
#define SURETY_ALIGN_LETTERS_H

#include "base/base.h"

/* How close two texts are; each level includes those above it. Blanks around a
 * text never count. ORDER closeness. */
enum surety__closeness {
    CLOSE_SAME,      /* byte by byte */
    CLOSE_CASE,      /* without case */
    CLOSE_SEPARATOR, /* without blanks, "_", "-", ".", "/" and apostrophes */
    CLOSE_ACCENT,    /* without accents */
    CLOSE_NOT
};

/* The code points of a text as a level sees them. Separators between two
 * digits become one blank ("1-2" is not "12"). */
typedef struct surety__folding {
    const char *at, *end;
    enum surety__closeness level;
    uint32_t pending; /* the second letter of a ligature */
    bool digit;       /* the last letter was a digit */
} surety__folding;

#define LETTER_END 0xFFFFFFFEu

surety__folding surety__letters_of(surety_str text,
                                   enum surety__closeness level);
/* The next code point; LETTER_END at the end. */
uint32_t surety__letters_next(surety__folding *letters);

enum surety__closeness surety__text_closeness(surety_str a, surety_str b);

/* A hash that is equal for texts that are at least CLOSE_ACCENT. It is
 * computed letter by letter: hash = surety__letter_hash(hash, letter), from
 * 0. */
static inline uint32_t surety__letter_hash(uint32_t hash, uint32_t letter)
{
    hash = (hash ^ letter) * 0x9E3779B1u;
    return hash ^ hash >> 15;
}
uint32_t surety__text_hash(surety_str text);

/* text without the blanks around it, including those of Unicode. */
surety_str surety__text_trim(surety_str text);
/* text without blanks, quotes, brackets, emphasis marks and punctuation around
 * it. A question mark is kept. */
surety_str surety__text_bare(surety_str text);
/* Whether a code point is part of a word: a letter or a digit. */
bool surety__is_word(uint32_t code);

#endif
