/* SPDX-License-Identifier: Apache-2.0 */
/* What every fuzz target is: libFuzzer or fuzz_replay.c calls it. */
#ifndef SURETY_TESTS_FUZZ_H
#define SURETY_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Judges size bytes at data; aborts where what must hold does not. Gives 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold. */
static inline void must(bool holds)
{
    if (!holds)
        abort();
}

#endif
