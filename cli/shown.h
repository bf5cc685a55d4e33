/* SPDX-License-Identifier: Apache-2.0 */
/* shown.h: text of a model, made fit for a terminal. */
#ifndef CLI_SHOWN_H
#define CLI_SHOWN_H

#include <surety/base.h>

#include "output.h"

/* Text that comes in pieces, made fit for a terminal: what it would act on, or
 * what turns its writing around, is shown as \xNN or \u{NNNN}; line feeds and
 * tabs stay. Zero it first. */
struct shown {
    bool is_json;           /* as \uNNNN: the text is JSON and stays so */
    bool is_line;           /* within a line: line feeds and tabs, too */
    unsigned char bytes[4]; /* of a character whose end has not come */
    unsigned len;
};
void shown_put(struct shown *shown, surety_str text, surety_buf *out);
/* The end: what is left of a character. */
void shown_done(struct shown *shown, surety_buf *out);

/* The character at ptr, of which `left` bytes are there, and how many bytes it
 * has. SHOWN_NO_LETTER and 1: they are no UTF-8. */
#define SHOWN_NO_LETTER UINT32_MAX
uint32_t shown_letter(const unsigned char *ptr, size_t left, unsigned *ret_len);

/* Appends text to output, fit for a terminal where that is one. */
void shown_text(struct output *output, surety_str text, bool is_json);
/* The JSON that output holds from `start` on, where it goes to a terminal: the
 * same JSON, in which nothing is acted on. */
void shown_json(struct output *output, size_t start);

#endif
