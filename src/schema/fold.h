/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that fold shapes share (fold.c, branch.c, words.c). */
#ifndef SURETY_SCHEMA_FOLD_H
#define SURETY_SCHEMA_FOLD_H

#include "schema/compile.h"

/* words.c: room for count words. False when out of memory. */
bool surety__words_open(surety__compiler *compiler, surety__words *words,
                        size_t count);
/* The entry of text, new or old; words has room. */
surety__word *surety__words_add(surety__words *words, surety_str text);

/* branch.c: what tells the branches of an anyOf or oneOf apart. Called when
 * everything else of all shapes is folded. OK or NOMEM. */
surety_status surety__fold_switch(surety__compiler *compiler,
                                  surety__applicator *applicator);

#endif
