/* SPDX-License-Identifier: Apache-2.0 */
/* almost.h: values, and how models write them wrongly. From choices come a
 * value as JSON, a contract that it satisfies, and a reply in which one shape
 * of mistake stands: by construction the reply means the value. */
#ifndef SURETY_TESTS_FUZZ_ALMOST_H
#define SURETY_TESTS_FUZZ_ALMOST_H

#include "choices.h"

/* One reply and what it means. */
struct almost {
    surety_buf json;     /* the value */
    surety_buf contract; /* a schema that only such values satisfy, or true */
    surety_buf reply;
};

/* How many shapes there are, and their names. */
unsigned almost_shape_count(void);
const char *almost_shape(unsigned shape);

void almost_init(struct almost *almost);
void almost_done(struct almost *almost);
/* Makes a value, and a reply in the shape of that number. */
void almost_make(struct choices *choices, unsigned shape,
                 struct almost *almost);
/* Makes a value, and its JSON with one sign left out, doubled, replaced or put
 * in: what the reply means is open. */
void almost_damage(struct choices *choices, struct almost *almost);

#endif
