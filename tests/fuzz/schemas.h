/* SPDX-License-Identifier: Apache-2.0 */
/* schemas.h: small schemas of every keyword, made of choices, and the words of
 * instances that are made of the same few names and numbers, so that nearly
 * every input is a real question. */
#ifndef SURETY_TESTS_FUZZ_SCHEMAS_H
#define SURETY_TESTS_FUZZ_SCHEMAS_H

#include "choices.h"

/* A flag of choices: schemas of three resources with dynamic references. */
enum { FUZZ_SCHEMAS_DYNAMIC = 1 };

extern const struct choices_words fuzz_words;

/* Writes a whole schema; a subschema of one without dynamic references; a
 * keyword with its value ("type":"string"). */
void fuzz_schema_make(struct choices *choices, surety_buf *out);
void fuzz_schema_part(struct choices *choices, surety_buf *out);
void fuzz_keyword_make(struct choices *choices, surety_buf *out);

#endif
