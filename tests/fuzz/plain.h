/* SPDX-License-Identifier: Apache-2.0 */
/* plain.h: a second checker for a part of JSON Schema 2020-12, written from the
 * standard to be obviously right: it recurses, copies, compares everything with
 * everything and knows no tables. fuzz_differential compares the engine with
 * it. */
#ifndef SURETY_TESTS_FUZZ_PLAIN_H
#define SURETY_TESTS_FUZZ_PLAIN_H

#include <surety/json.h>

typedef enum plain_verdict {
    PLAIN_INVALID,
    PLAIN_VALID,
    PLAIN_UNSURE /* beyond what it knows, or too much work */
} plain_verdict;

/* Whether instance satisfies the schema whose document's root is root. */
plain_verdict plain_check(surety_val root, surety_val instance);

#endif
