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
    unsigned len, want;
};
void shown_put(struct shown *shown, surety_str text, surety_buf *out);
/* The end: what is left of a character. */
void shown_done(struct shown *shown, surety_buf *out);
/* The JSON that output holds from `start` on, where it goes to a terminal: the
 * same JSON, in which nothing is acted on. */
void shown_json(struct output *output, size_t start);

#endif
