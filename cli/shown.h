/* SPDX-License-Identifier: Apache-2.0 */
/* shown.h: makes a model's text safe for a terminal. */
#ifndef CLI_SHOWN_H
#define CLI_SHOWN_H

#include <surety/base.h>

#include "output.h"

/* Makes text that comes in chunks safe for a terminal: characters that it would
 * interpret, or that reverse text, become \xNN or \u{NNNN}; line feeds and tabs
 * stay. The caller zeroes it first. */
struct shown {
    bool is_json;           /* escape as \uNNNN, because the text is JSON and
                             * must stay JSON */
    bool is_line;           /* text within a line: escape line feeds and tabs
                             * too */
    unsigned char bytes[4]; /* bytes of a character that is not complete yet */
    unsigned len;
};
void shown_put(struct shown *shown, surety_str text, surety_buf *out);
/* Ends the text, and appends the rest of an incomplete character. */
void shown_done(struct shown *shown, surety_buf *out);

/* Returns the character at ptr and its length; `left` bytes are available.
 * SHOWN_NO_LETTER with length 1: the bytes are not UTF-8. */
#define SHOWN_NO_LETTER UINT32_MAX
uint32_t shown_letter(const unsigned char *ptr, size_t left, unsigned *ret_len);

/* Appends text to output, made safe if output is a terminal. */
void shown_text(struct output *output, surety_str text, bool is_json);
/* If output is a terminal, makes the JSON in it from `start` on safe; the value
 * stays the same. */
void shown_json(struct output *output, size_t start);

#endif
