/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a simulator's world: it counts the blocks that are in use, and
 * has none left from the fail_at-th allocation on. */
#ifndef SURETY_TESTS_MEMORY_H
#define SURETY_TESTS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

struct memory {
    size_t live;    /* blocks in use */
    size_t made;    /* allocations, counted while fail_at is set */
    size_t fail_at; /* 0: never */
    bool starved;   /* an allocation failed */
};

/* As surety_alloc's resize; ctx: a struct memory. */
void *memory_resize(void *ctx, void *ptr, size_t size_old, size_t size_new);

#endif
