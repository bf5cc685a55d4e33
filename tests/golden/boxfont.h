/* SPDX-License-Identifier: Apache-2.0 */
/* boxfont.h: a font whose letters are boxes, and a machine that has no other.
 *
 * A text is as wide as its letters' classes say, in parts of its size: narrow
 * 1/4 ("fijlrt", blanks and marks), wide 3/4 ("mwMW@", "..." and "%"), all
 * others 1/2; bold letters have 1/16 more. A line is as high as its size, of
 * which 3/4 are above the base line. The box of a letter says which one it
 * is: what a picture draws can be read back. */
#ifndef SURETY_TESTS_GOLDEN_BOXFONT_H
#define SURETY_TESTS_GOLDEN_BOXFONT_H

#include <surety.h>

/* Lets the fonts of this process be those in a new folder, before any is used.
 * False: there is no such folder. */
bool boxfont_begin(void);
/* Removes the folder. */
void boxfont_end(void);

/* A letter that was read back. */
struct boxfont_letter {
    uint32_t code; /* 0: no letter of this font */
    double size;
    double advance; /* to the next; of a blank 0, which has no box */
    double turned;  /* degrees, to the left */
    bool bold;
};

/* The letter of a box: its corners from the lower left one to the upper right
 * one, relative to where the letter stands, y downwards. */
struct boxfont_letter boxfont_read(const double corners[6]);

#endif
