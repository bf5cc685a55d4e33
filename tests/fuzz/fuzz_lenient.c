/* SPDX-License-Identifier: Apache-2.0 */
/* The tolerant reader on any bytes: its laws (lenient_laws.h).
 *
 * The first byte says how many of those behind it are the lengths of chunks
 * (up to 7), and, by its highest bit, whether a snapshot is taken after each;
 * the rest is the text. */
#include "../lenient_laws.h"

#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct laws_chunks chunks = {.lens = data + 1};
    const char *broken;
    surety_str text;

    if (size < 1)
        return 0;
    chunks.snapshots = data[0] & 0x80;
    chunks.count = data[0] & 7;
    if (chunks.count >= size)
        chunks.count = 0;
    for (size_t i = 0; i < chunks.count; i++)
        if (!chunks.lens[i])
            chunks.count = i;
    text.ptr = (const char *)data + 1 + chunks.count;
    text.len = size - 1 - chunks.count;
    broken = laws_of(text, &chunks, NULL);
    if (broken) {
        fprintf(stderr, "broken: %s\n", broken);
        abort();
    }
    return 0;
}
