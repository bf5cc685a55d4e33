/* SPDX-License-Identifier: Apache-2.0 */
/* schemas.h: small schemas of every keyword, made of choices, and the words of
 * instances that are made of the same few names and numbers, so that nearly
 * every input is a real question. */
#ifndef SURETY_TESTS_FUZZ_SCHEMAS_H
#define SURETY_TESTS_FUZZ_SCHEMAS_H

#include "choices.h"

/* Flags of choices. DYNAMIC: schemas of three resources with dynamic
 * references. TAGGED: schemas of unions, conditions and allOf whose objects
 * differ by the values of a few members. */
enum { FUZZ_SCHEMAS_DYNAMIC = 1, FUZZ_SCHEMAS_TAGGED = 2 };

extern const struct choices_words fuzz_words;

/* Writes a whole schema; a value for it; a subschema of one without flags; a
 * keyword with its value ("type":"string"). */
void fuzz_schema_make(struct choices *choices, surety_buf *out);
void fuzz_value_make(struct choices *choices, surety_buf *out);
void fuzz_schema_part(struct choices *choices, surety_buf *out);
void fuzz_keyword_make(struct choices *choices, surety_buf *out);

#endif
