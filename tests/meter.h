/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator that counts the bytes that are held, now and at most. Its
 * context is a struct meter. Where a block moves, both of its places count.
 *
 * It stands over libc's allocator, not over that of the tests: failing each
 * allocation for a hostile text of a megabyte would take hours, and tests of
 * small texts fail the same ones. */
#ifndef SURETY_TESTS_METER_H
#define SURETY_TESTS_METER_H

#include <stddef.h>
#include <stdlib.h>

struct meter {
    size_t now, peak; /* bytes */
};

static void *meter_resize(void *ctx, void *ptr, size_t size_old,
                          size_t size_new)
{
    struct meter *meter = ctx;
    void *moved = NULL;

    if (size_new) {
        moved = realloc(ptr, size_new);
        if (!moved)
            return NULL;
    } else {
        free(ptr);
    }
    meter->now += size_new;
    if (meter->now > meter->peak)
        meter->peak = meter->now;
    meter->now -= size_old;
    return moved;
}

#endif
