/* SPDX-License-Identifier: Apache-2.0 */
/* The door of text/: the public header, and the search step by step, for a
 * caller that takes the first candidate that is good and needs no more. */
#ifndef SURETY_TEXT_TEXT_H
#define SURETY_TEXT_TEXT_H

#include <surety/text.h>

#include "base/base.h"

/* As surety_finder_find, but finds nothing yet: surety__finder_step does. */
surety_status surety__finder_begin(surety_finder *finder, surety_str reply,
                                   const surety_extract *how,
                                   const surety_limits *limits,
                                   surety_error *reterr);
/* Searches on; OK: in *ret_place, and there may be one or more candidates more,
 * in the order of surety_finder_find; for the place native there never are, but
 * it is its turn. SURETY_END: all places have been searched. SURETY_NOMEM ends
 * the search. */
surety_status surety__finder_step(surety_finder *finder,
                                  surety_place *ret_place);
/* Whether the span of the last candidate is a guess: it is what
 * surety_finder_find would have found if it reads as one JSON text (RFC 8259),
 * and if not, the caller says so with _settle before the next step. */
bool surety__finder_guessed(const surety_finder *finder);
/* Takes the last candidate, a guess, back and finds what stands there in its
 * place: perhaps a candidate. OK, NOMEM. */
surety_status surety__finder_settle(surety_finder *finder);

#endif
