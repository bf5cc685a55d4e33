/* SPDX-License-Identifier: Apache-2.0 */
/* nearest.h: which of some words somebody meant who wrote another. */
#ifndef CLI_NEAREST_H
#define CLI_NEAREST_H

#include <surety/base.h>

struct nearest {
    surety_str word;
    surety_str best; /* empty: none is near */
    unsigned distance;
};

void nearest_init(struct nearest *nearest, surety_str word);
/* Offers one word. It counts as near from one change in three letters on, and
 * when the word written is its beginning. */
void nearest_try(struct nearest *nearest, surety_str candidate);
/* Writes 'did you mean "PREFIXBEST"?' to hint of size bytes; NULL where none
 * was near, else hint. */
const char *nearest_hint(const struct nearest *nearest, const char *prefix,
                         char *hint, size_t size);

#endif
