/* SPDX-License-Identifier: Apache-2.0 */
/* nearest.h: finds the word that a user probably meant. */
#ifndef CLI_NEAREST_H
#define CLI_NEAREST_H

#include <surety/base.h>

struct nearest {
    surety_str word;
    surety_str best; /* nearest word so far; empty: none */
    unsigned distance;
};

void nearest_init(struct nearest *nearest, surety_str word);
/* Compares one word. It is near if at most one letter in three differs, or if
 * it begins with the user's word. */
void nearest_try(struct nearest *nearest, surety_str candidate);
/* Writes 'did you mean "PREFIXBEST"?' to hint, which has size bytes, and
 * returns hint; NULL: no word was near. */
const char *nearest_hint(const struct nearest *nearest, const char *prefix,
                         char *hint, size_t size);

#endif
